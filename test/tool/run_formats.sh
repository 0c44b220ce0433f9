# Images without a kernel that touches them: every format with its channels and its descriptor, as OpenCL numbers them;
# pictures of every form against values that are computed here, and pictures that are damaged.
# skip: ! ldd %b/ventus | grep -q libpng
# run: B=%b T=%t sh %s

cat >"$T.s" <<'EOF'
	.kernel none
none:	ret
	.kernel words
words:	lw	a1, 36(a0)
	.set	i, 0
	.rept	9
	lw	t0, 4*i(a0)
	sw	t0, 4*i(a1)
	.set	i, i + 1
	.endr
	ret
EOF
n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
run() { "$B/ventus" run -k none -g 1 "$@" "$T.s" 2>&1 | sed "s|$T|t|g"; }
bytes() { od -An -v -tu1 "$1" | xargs; }

# 1. formats: channels, bytes of one, whether numbers have a sign; the numbers of OpenCL
for order in r:1:4272 rg:2:4274 rgba:4:4277 bgra:4:4278 srgba:4:4289 sbgra:4:4290 depth:1:4285; do
	for channel in 8:1:4306 16:2:4307 8_snorm:-1:4304 16_snorm:-2:4305 8i:-1:4311 16i:-2:4312 32i:-4:4313 8ui:1:4314 \
		16ui:2:4315 32ui:4:4316 16f:2:4317 32f:-4:4318; do
		lanes=${order#*:} size=${channel#*:} f=${order%%:*}${channel%%:*}
		lanes=${lanes%:*} size=${size%:*}
		case ${order%%:*}:${channel%%:*} in
		bgra:8 | bgra:8_snorm | bgra:8i | bgra:8ui | srgba:8 | sbgra:8 | depth:16 | depth:32f) ;;
		bgra:* | s*:* | depth:*)
			is "'$f' is no format" "$(run -a "img:2x3:$f" | sed -n "s/^.*\('.*'.*no format\).*/\1/p")" "$f"
			continue ;;
		esac
		minus=$(run -a "img:1x1:$f=-1>-")
		case $minus in
		"arg0[0..0]: -1"*) sign=-1 ;;
		*'does not fit in u'*) sign=1 ;;
		*) sign=$minus ;;
		esac
		"$B/ventus" run -k words -g 1 -a "img:2x3x4:$f>$T.raw" -a 'buf:u32:9>-' "$T.s" | sed 's/.*: //' >"$T.words"
		set -- $(cat "$T.words")
		size=$((size * sign))
		bytes=$((lanes * size))
		is "$((bytes * 24)) 2 3 4 $((bytes * 2)) $((bytes * 6)) ${order##*:} ${channel##*:}" \
			"$(wc -c <"$T.raw") $2 $3 $4 $5 $6 $8 $9" "$f"
	done
done

# 2. grey, of every range, as text and as bytes, in 8 and 16 bits
for most in 1 7 100 254 255 256 1000 32767 65535; do
	awk -v m=$most 'BEGIN { printf "P2 # a comment\n # another\n6\t%d\r\n", 3; print m
		for (i = 0; i < 18; i++) print i % 5 ? "" : "#x 1 2\n", int(i * m / 17) }' >"$T.pgm"
	LC_ALL=C awk -v m=$most 'BEGIN { printf "P5\n6 3\n%d\n", m
		for (i = 0; i < 18; i++) { v = int(i * m / 17); if (m > 255) printf "%c", int(v / 256); printf "%c", v % 256 } }' >"$T.b.pgm"
	wide=$((most > 255))
	to=$((wide ? 65535 : 255))
	want=$(awk -v m=$most -v to=$to 'BEGIN { for (i = 0; i < 18; i++) { v = int((int(i * m / 17) * to + int(m / 2)) / m)
		printf "%s%d", i ? " " : "", v } }')
	run -a "img:$T.pgm>$T.raw" -a "img:$T.b.pgm>$T.b.raw" -a "img:$T.b.pgm>$T.out.pgm" -a "img:$T.pgm>$T.png"
	is "$want" "$(od -An -v -tu$((wide + 1)) "$T.raw" | xargs)" "grey of $most"
	cmp "$T.raw" "$T.b.raw"
	is "P5 6 3 $to" "$(head -n 3 "$T.out.pgm" | xargs)" 'a head'
	is "$want" "$(tail -n +4 "$T.out.pgm" | od -An -v -tu1 | awk -v wide=$wide '{ for (i = 1; i <= NF; i++) { v = wide ? v * 256 + $i : $i
		if (!wide || k++ % 2) { print v; v = 0 } } }' | xargs)" "the same as a picture"
	is "0 0 0 6 0 0 0 3 $((8 * wide + 8)) 0 0 0 0" "$(tail -c +17 "$T.png" | head -c 13 | od -An -tu1 | xargs)" 'PNG'
	run -a "img:$T.png>$T.b.raw"
	cmp "$T.raw" "$T.b.raw"
done
# bytes that look like blanks and comments
printf 'P5\n4 1\n255\n\n#\t ' >"$T.pgm"
is 'arg0[0..3]: 10 35 9 32' "$(run -a "img:$T.pgm>-")" 'blanks'

# 3. colours in every format that a picture can be
LC_ALL=C awk 'BEGIN { printf "P6\n16 16\n255\n"; for (i = 0; i < 256; i++) printf "%c%c%c", i, 255 - i, i * 7 % 256 }' >"$T.ppm"
awk 'BEGIN { print "P3 16 16 255"; for (i = 0; i < 256; i++) print i, 255 - i, i * 7 % 256 }' >"$T.b.ppm"
for f in rgba8 bgra8 srgba8 sbgra8 rgba16f rgba32f rgba8ui bgra8ui; do
	run -a "img:$T.ppm:$f>$T.out.ppm" -a "img:$T.b.ppm:$f>$T.png"
	cmp "$T.ppm" "$T.out.ppm"
	is '8 6 0 0 0' "$(tail -c +25 "$T.png" | head -c 5 | od -An -tu1 | xargs)" "$f in PNG"
	run -a "img:$T.png==@$T.ppm>$T.out.ppm"
	cmp "$T.ppm" "$T.out.ppm"
done
run -a "img:$T.ppm:rgba16>$T.raw" -a "img:$T.ppm:rgba16ui>$T.b.raw" -a "img:$T.ppm:rgba16>$T.png"
is "$(awk 'BEGIN { for (i = 0; i < 256; i++) printf "%d %d %d %d ", i * 257, (255 - i) * 257, i * 7 % 256 * 257, 65535 }' | xargs)" \
	"$(od -An -v -tu2 "$T.raw" | xargs)" 'of 16 bits'
is "$(awk 'BEGIN { for (i = 0; i < 256; i++) printf "%d %d %d %d ", i, 255 - i, i * 7 % 256, 255 }' | xargs)" \
	"$(od -An -v -tu2 "$T.b.raw" | xargs)" 'whole numbers'
is '16 6 0 0 0' "$(tail -c +25 "$T.png" | head -c 5 | od -An -tu1 | xargs)" 'PNG of 16 bits'
run -a "img:$T.png>$T.b.raw" && cmp "$T.raw" "$T.b.raw"
printf 'P2 5 1 15 0 3 5 10 15' >"$T.pgm"
printf 'P3 2 1 15 0 5 15  3 10 1' >"$T.ppm"
is 'arg0[0..4]: 0 12902 13653 14677 15360' "$(run -a "img:$T.pgm:r16f>-")" 'halves of 0, 1/5, 1/3, 2/3, 1'
is 'arg0[0..4]: 0 0.2 0.33333334 0.6666667 1' "$(run -a "img:$T.pgm:depth32f>-")" 'floats'
is 'arg0[0..1]: 15,5,0,15 1,10,3,15' "$(run -a "img:$T.ppm:bgra8ui>-")" 'blue first'
is 'arg0[0..1]: 0,0,0,15 3,3,3,15' "$(run -a "img:$T.pgm:rgba32ui>-" | sed -n 1p | sed 's/arg0.0..3. */arg0[0..1]/; s/ 5,.*//')" 'grey as colours'
run -a "img:5x1:r32f=1.5,-2,0.498,0.502,inf>$T.pgm"
is '255 0 127 128 255' "$(tail -c 5 "$T.pgm" | od -An -tu1 | xargs)" 'beyond 0 and 1'

# 4. PNG of another encoder: interlaced colours, grey with alpha of 8 and 16 bits, grey of one bit
png() { echo "$1" | base64 -d >"$T.png"; run -a "img:$T.png>-"; }
is "$(for y in 0 1 2; do for x in 0 1 2 3 4; do echo "$((10 * x + y)),$((100 + x)),$((200 + y)),255"; done; done | xargs)" \
	"$(png iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAIAAAGjU2I5AAAAOUlEQVR42gXBOwJAUBADwFCi9JQoca79HXWTU5kBrPFUY4/GbDpCXwmL95mNzXWnMBlX5wheybf4A82NEv0yPu0VAAAAAElFTkSuQmCC |
		sed 's/.*: //' | xargs)" interlaced
is 'arg0[0..3]: 1,1,1,2 200,200,200,255 3,3,3,0 255,255,255,128' \
	"$(png iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAQAAADYv8WvAAAAEklEQVR42mNgZDrxn4GZ4X8DAA4fA03W2sZcAAAAAElFTkSuQmCC)" alpha
is 'arg0[0..3]: 1,1,1,2 258,258,258,65535 4660,4660,4660,32768 65535,65535,65535,0' \
	"$(png iVBORw0KGgoAAAANSUhEUgAAAAIAAAACEAQAAACILxnsAAAAGUlEQVR42mNgYGRgYmT6/59ByKSBAUgxAAAhQwTJIkgIxgAAAABJRU5ErkJggg==)" 'alpha of 16 bits'
is 'arg0[0..8]: 255 0 255 255 0 0 255 0 255' "$(png iVBORw0KGgoAAAANSUhEUgAAAAkAAAABAQAAAAAkubnQAAAAC0lEQVR42mPY1AAAAecBMz27lP0AAAAASUVORK5CYII=)" bits

# 5. what is refused
refused() { # BYTES WHAT: of a file
	printf "$1" >"$T.pnm"
	is "t.pnm: error: $2" "$(run -a "img:$T.pnm" | head -n 1)" "$1"
}
head='the head of the picture is damaged' cut='the picture is cut off' sizes='pictures have from 1 to 16384 pixels each way'
refused '' 'no picture: PNG, PGM or PPM'
refused P5 'no picture: PNG, PGM or PPM'
for k in 0 1 4 7 9; do
	refused "P$k\n1 1\n255\n   " 'no picture: PNG, PGM or PPM'
done
refused 'P5x1 1\n255\n ' 'no picture: PNG, PGM or PPM'
refused 'p5\n1 1\n255\n ' 'no picture: PNG, PGM or PPM'
refused '\211PNG\r\n\032\r' 'no picture: PNG, PGM or PPM'
refused 'P5 ' "$head"
refused 'P5 1' "$head"
refused 'P5 1 1' "$head"
refused 'P5 1 1 # 255' "$head"
refused 'P5 1 1 0\n ' "$head"
refused 'P5 1 1 65536\n  ' "$head"
refused 'P5 1 -1 255\n ' "$head"
refused 'P5 1 99999999999 255\n ' "$head"
refused 'P5 0 1 255\n ' "$sizes"
refused 'P5 1 0 255\n ' "$sizes"
refused 'P5 16385 1 255\n ' "$sizes"
refused 'P5 1 16385 255\n ' "$sizes"
refused 'P5 1 1 255' "$cut"
refused 'P5 1 1 255\n' "$cut"
refused 'P5 2 2 255\nabc' "$cut"
refused 'P6 1 1 255\nab' "$cut"
refused 'P5 2 1 256\n\1\0\1' "$cut"
refused 'P5 2 1 255\n\0' "$cut"
refused 'P5 2 1 9\n\1\12' 'a value of the picture is too large'
refused 'P5 2 1 300\n\0\0\1\55' 'a value of the picture is too large'
refused 'P2 2 1 9 1' "$cut, or a value is too large"
refused 'P2 2 1 9 1 10' "$cut, or a value is too large"
refused 'P3 1 1 9 1 2' "$cut, or a value is too large"
for size in '16384 1' '1 16384'; do
	{ printf "P5 $size 255\n" && head -c 16385 /dev/zero; } >"$T.pgm"
	is '' "$(run -a "img:$T.pgm")" "$size"
done
refuses() { # SPEC WHAT
	is "$2" "$(run -a "$1" | sed -n 's/^.*error: //p')" "$1"
}
printf 'P6 1 1 65535\n\1\0\1\1\377\377' >"$T.ppm"
is 'arg0[0..0]: 1,1,255,255' "$(run -a "img:$T.ppm:rgba8>-")" 'less bits'
refuses "img:$T.ppm:rgba8ui" 't.ppm: an image of this format cannot be made of a picture'
for f in rgba8i rgba16i rgba32i rgba8_snorm rgba16_snorm; do
	refuses "img:$T.ppm:$f" 't.ppm: an image of this format cannot be made of a picture'
done
refuses "img:$T.ppm:rg8" 't.ppm: a picture has no two channels'
refuses "img:1x2=@$T.ppm" 't.ppm: the picture has another size than the image'
refuses "img:2x1=@$T.ppm" 't.ppm: the picture has another size than the image'
refuses "img:1x1x2=@$T.ppm" 't.ppm: the picture has another size than the image'
refuses "img:1x1>$T.pgm" 'a PGM is grey; the image has colours: .ppm or .png'
refuses "img:1x1:r8>$T.ppm" 'a PPM has colours; the image has none: .pgm or .png'
refuses "img:1x1:rg8>$T.png" 'a picture has no two channels'
refuses "img:1x1x2:rgba8>$T.png" 'a picture has two dimensions'
for f in r8i r16i r32i r8_snorm r16_snorm r32ui; do
	refuses "img:1x1:$f>$T.png" 'numbers with a sign, or of 32 bits, are no picture'
done
refuses 'img:16385' 'a dimension has from 1 to 16384 pixels'
refuses 'img:1x0' 'a dimension has from 1 to 16384 pixels'
refuses 'img:16384x16384x2:rgba32f' 'an image has at most 2 GiB'
refuses 'img:1x1:r8=1,2' 'more than the 1 values that the buffer holds'
[ $n -gt 200 ] || echo "only $n"
rm -f "$T.s" "$T".*pgm "$T".*ppm "$T.pnm" "$T.png" "$T".*raw "$T.words"

# out:
# end
