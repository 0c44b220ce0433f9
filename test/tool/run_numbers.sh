# Floats as run prints them: what is read again is the same, they have the digits that od finds enough, and an exponent is
# there for what is too small or too large.  Bits of any kind, and numbers around the limits.
# run: B=%b T=%t sh %s

printf '\t.kernel none\nnone:\tret\n' >"$T.s"
N=400
run() { "$B/ventus" run -g 1 -a "$1" "$T.s" 2>&1; }
shown() { run "$1>-" | sed 's/^[^:]*: //' | tr ' ' '\n'; } # SPEC: a number a line
list() { paste -sd, "$1"; }

# exponents of ten around those where the form changes, with more and with fewer digits
awk 'BEGIN { for (e = -8; e <= 18; e++) for (m = 1; m < 10; m += 2) print m "e" e "\n-" m ".5e" e "\n" m ".2345678e" e "\n" m ".99999999e" e }' >"$T.around"
for type in f32:4:9 f64:8:16; do
	size=${type#*:} most=${type##*:} f=${type%%:*}
	size=${size%:*}
	run "buf:u8:$((N * size))=rand:7>$T.bits"
	a=$(wc -l <"$T.around")
	run "buf:$f:$a=$(list "$T.around")>$T.made"
	cat "$T.made" >>"$T.bits"
	n=$((N + a))
	shown "buf:$f:$n=@$T.bits" >"$T.text"
	run "buf:$f:$n=$(list "$T.text")>$T.back"
	for file in bits back; do od -An -v -tx$size -w$size "$T.$file" | tr -d ' ' >"$T.$file.words"; done
	od -An -v -tf$size -w$size "$T.bits" | tr -d ' ' >"$T.od"
	# NaN has no sign and no digits; of whole numbers all digits may be there, which are more than are needed
	paste "$T.text" "$T.bits.words" "$T.back.words" "$T.od" | awk -v f="$f" -v most="$most" -v wanted="$n" '
		function digits(text) {
			sub(/^-/, "", text)
			sub(/e.*/, "", text)
			sub(/\./, "", text)
			sub(/^0*/, "", text)
			sub(/0*$/, "", text)
			return length(text) ? length(text) : 1
		}
		NF != 4 { print f ": " $0 }
		$4 ~ /nan/ { if ($1 != "nan") print f ": " $1 " is no number"; next }
		$2 != $3 { print f ": " $1 " was " $2 ", is " $3 }
		/inf/ { next }
		{ finite++
			k = digits($4)
			exponent = sprintf("%.*e", k - 1, $4)
			if (sprintf("%.*e", k - 1, $1) != exponent || (digits($1) != k && $1 ~ /[.e]/)) print f ": " $1 ", by od " $4
			sub(/.*e/, "", exponent)
			exponent += 0
			if (($1 ~ /e/) != (exponent < -5 || (exponent >= most && exponent >= k))) print f ": " $1 " has the wrong form" }
		END { if (NR != wanted || finite < wanted * 0.9) print f ": only " NR ", " finite }'
done
rm -f "$T.s" "$T.around" "$T.bits" "$T.made" "$T.text" "$T.back" "$T.bits.words" "$T.back.words" "$T.od"

# out:
# end
