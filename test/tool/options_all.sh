# Every option of every command: it is offered for completion as the help has it, and what is one letter off is told, with
# or without a value; what is farther off is not.  What is offered as a value is taken.
# run: B=%b T=%t sh %s

n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
for c in $("$B/ventus" complete '' | sed -n 's/	.*//p'); do
	"$B/ventus" "$c" --help >"$T.help" </dev/null
	# options begin a line, with the letter first: "  -p, --isa=P", "      --pc=ADDR", "      --trace[=FILE]"
	sed -n 's/^ \{2,6\}\(-., \)\{0,1\}--\([a-z0-9-]*\).*/\2/p' "$T.help" | grep -v '^usage$' >"$T.names"
	"$B/ventus" complete "$c" - | cut -f1 | sort >"$T.offered"
	is "$(sort "$T.names" | xargs)" "$(sed -n 's/^--//p' "$T.offered" | xargs)" "$c --"
	is "$(sed -n 's/^ \{2,6\}-\([^-?]\)[, ].*/\1/p' "$T.help" | sort | xargs)" "$(sed -n 's/^-\([^-]\)$/\1/p' "$T.offered" | xargs)" "$c -"
	# in the order of their letters, or first letters, where they are no groups
	case $c in
	run | replay) ;;
	*) sed -n 's/^ \{2,6\}-\([^-?]\)[, ].*/\1/p; s/^ \{6\}--\(.\).*/\1/p; /^  -?/q' "$T.help" | tr A-Z a-z >"$T.order"
		sort -c "$T.order" || echo "$c --help" ;;
	esac
	# word, and what was probably meant: letters are replaced, one at either end, two of five, three of them
	awk -v c="$c" '{ name = $1; len = length(name)
		print c, substr(name, 1, len - 1) "q", name
		print c, "q" substr(name, 2) (NR % 2 ? "=7" : ""), name
		print c, (len < 5 ? "qq" substr(name, 3) : NR % 2 ? substr(name, 1, 1) "qq" substr(name, 4) : "qqq" substr(name, 4)), (len >= 5 && NR % 2 ? name : "") }' \
		"$T.names" >>"$T.cases"
done
while read -r c word name; do
	n=$((n + 1))
	got=$("$B/ventus" "$c" "--$word" 2>&1 </dev/null)
	case $?:$got in
	"2:ventus $c: unrecognized option '--$word'; did you mean '--$name'?"*) [ "$name" ] || echo "$c --$word: $got" ;;
	*'did you mean'*) echo "$c --$word: $got" ;;
	2:*) [ ! "$name" ] || echo "$c --$word: $got" ;;
	*) echo "$c --$word: $got" ;;
	esac
done <"$T.cases"
# each is taken, with a value where it has one: only the file is missing then
for c in as:s cc:cl objdump:o ld:o run:elf replay:data sweep:json; do
	suffix=${c#*:} c=${c%:*}
	always="" first=no/such.$suffix
	case $c in ld) always='-o /dev/null' ;; replay) always=no/such.metadata first=$always ;; esac
	"$B/ventus" "$c" --help </dev/null | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}--\([a-z0-9-]*\)\([^ ]*\).*/\2 \3/p' >"$T.names"
	while read -r name value; do
		case $c:$name$value in
		*:usage | *:help) continue ;;
		*:shadow) "$B/ventus" info | grep -q '^engine shadow:' || continue ;;
		esac
		case $name in pipeline | timeline | sample | picture-*) with='--engine timing' ;; *) with= ;; esac
		case $value in
		'') set -- "--$name" ;;
		*=P) set -- "--$name=v202" ;;
		*=M) set -- "--$name=default" ;;
		*=N | *=S | *=PERCENT | *=MIB | *=X* | *=BYTES) set -- "--$name=4" ;;
		*=E) set -- "--$name=interp" ;;
		*=RULE) set -- "--$name=own" ;;
		*=json*) set -- "--$name=json" ;;
		*=FROM*) set -- "--$name=3-4" ;;
		*=LIST*) set -- "--$name=all" ;;
		*=SPEC) set -- "--$name=i32:1" ;;
		*=LETTERS*) set -- "--$name=o" ;;
		*=no-PASS) set -- "--$name=no-fold" ;;
		*=DIR) set -- "--$name=$T.dir" ;;
		*=ADDRESS*) set -- "--$name=$T.socket" ;;
		*=FILE) : >"$T.allow" && set -- "--$name=$T.allow" ;;
		*=FILE* | *=OUT*) set -- "--$name=/dev/null" ;;
		*=SYM* | *=SECTION | *=NAME) set -- "--$name=k" ;;
		*=OPTIONS) set -- "--$name=-w" ;;
		*) echo "$c --$name: a value that this test does not know: $value" ;;
		esac
		# shellcheck disable=SC2086
		is "$first: error: No such file or directory" "$("$B/ventus" $c $with "$@" $always no/such.$suffix 2>&1 >/dev/null </dev/null)" "$c $*"
		case $c:$value in run:\[*)
			# shellcheck disable=SC2086
			is "$first: error: No such file or directory" "$("$B/ventus" $c $with "--$name" $always no/such.$suffix 2>&1 </dev/null)" "$c --$name" ;;
		esac
	done <"$T.names"
done
for option in engine vm threads isa check stats machine; do
	"$B/ventus" complete run "--$option=" | sed -n "s/^--$option=\([^	]*\).*/\1/p" >"$T.offered"
	while read -r v; do
		is 'no/such.elf: error: No such file or directory' "$("$B/ventus" run --$option="$v" no/such.elf 2>&1)" "--$option=$v"
	done <"$T.offered"
	case $option in
	check | stats) ;; # their values stand behind a = only
	*) is "$(cat "$T.offered")" "$("$B/ventus" complete run --$option '' | cut -f1 | grep -v '^\.')" "complete --$option" ;;
	esac
done
is 'all text json' "$("$B/ventus" complete run --check= | sed -n '1s/.*=//p') $("$B/ventus" complete run --stats= | sed 's/.*=//' | xargs)" words
is "$("$B/ventus" info | sed -n 's/^engine \([a-z]*\):.*/\1/p' | sort | xargs)" \
	"$("$B/ventus" complete run --engine '' | cut -f1 | sort | xargs)" engines
is "$("$B/ventus" info | sed -n '/^parameter/{s/.*range  *//;s/  what//;p;q;}' | tr ' ' '\n' | grep . | sort | xargs)" \
	"$("$B/ventus" complete run --machine '' | grep -v '^\.' | sort | xargs)" machines
# words that are values of options, of letters alone or behind others, are no options; those behind other letters are
printf '\tret\n' >"$T.s" && "$B/ventus" as -o "$T.o" "$T.s"
said() { # WANT ARGUMENT...: the first line, without the file's name
	want=$1
	shift
	is "$want" "$("$B/ventus" "$@" 2>&1 </dev/null | sed "1s|^.*/t\.o: ||;q")" "$*"
}
said "error: it has no section '--syns'" objdump -j --syns "$T.o"
said "error: it has no section '--syns'" objdump -dj --syns "$T.o"
said "error: it has no section '--syns'" objdump --section --syns "$T.o"
said "error: it has no section 'd'" objdump -jd "$T.o"
meant="ventus objdump: unrecognized option '--syns'; did you mean '--syms'?"
said "$meant" objdump -d --syns "$T.o"
said "$meant" objdump -rd --syns "$T.o"
said "$meant" objdump -jd --syns "$T.o"
said "$meant" objdump -rjd --syns "$T.o"
said "$meant" objdump --section=x --syns "$T.o"
said "$meant" objdump "$T.o" --syns
said "ventus objdump: one file at a time; '--syns' is one too many" objdump "$T.o" -- --syns
# one dash is too few where the letter has no value
said "ventus objdump: unrecognized option '-section'; did you mean '--section'?" objdump -section "$T.o"
said "ventus objdump: unrecognized option '-headers'; did you mean '--headers'?" objdump -headers "$T.o"
said "ventus objdump: unrecognized option '-reloc'; did you mean '--reloc'?" objdump -reloc "$T.o"
said "ventus objdump: invalid option -- 'e'" objdump -relo "$T.o"
said 'ventus run: -P: '"'rivate'"' is not a number from 0 to 16777216' run -Private "$T.o"
# the ends of ranges
for v in 100 100% 0.0001 5% 1e1; do said 'no/such.elf: error: No such file or directory' run --engine timing --sample "$v" no/such.elf; done
for v in 100.01 0.00009 0 -1 nan 5%% % ''; do
	is 2:1 "$("$B/ventus" run --engine timing --sample "$v" no/such.elf >"$T.help" 2>&1; echo $?:"$(grep -c "^ventus run: --sample: '$v' is" "$T.help")")" "--sample $v"
done
range() { # OPTION LEAST MOST, which are the ranges of machines where there is one
	for v in "$2" "$3"; do said 'no/such.elf: error: No such file or directory' run "$1" "$v" no/such.elf; done
	said "ventus run: $1: '$(awk -v v="$3" 'BEGIN { printf "%.0f", v + 1 }')' is not a number from 0 to $3" run "$1" "$(awk -v v="$3" 'BEGIN { printf "%.0f", v + 1 }')" no/such.elf
	[ "$2" = 0 ] || [ "$1" = --threads ] || said "ventus run: $1: 0 is too few" run "$1" 0 no/such.elf
}
"$B/ventus" info | sed -n 's/^\(lanes\|group_warps\|sms\)  *[A-Za-z]*  *\([0-9]*\)\.\.\([0-9]*\) .*/\1 \2 \3/p' >"$T.ranges"
while read -r name least most; do
	case $name in lanes) range --threads "$least" "$most" ;; group_warps) range --warps "$least" "$most" ;; sms) range --sms "$least" "$most" ;; esac
done <"$T.ranges"
is 3 "$(wc -l <"$T.ranges")" ranges
said 'ventus run: --threads: a warp has 4, 8, 16 or 32 lanes' run --threads 2 no/such.elf
range -j 0 256
range -P 0 16777216
range --picture-limit 0 16777216
range -g 1 4294967295
range -l 1 4294967295
range -G 0 4294967295
for v in NUM_THREAD=4 NUM_THREAD=32 NUM_WARP=1 NUM_WARP=64 VENTUS_SMS=1 VENTUS_SMS=65536 VENTUS_MMU=0 VENTUS_MMU=1; do
	is 'no/such.elf: error: No such file or directory' "$(env "$v" "$B/ventus" run no/such.elf 2>&1)" "$v"
done
for v in 1e-9 0.5 1e300; do said 'no/such.elf: error: No such file or directory' run --timeout "$v" --patience "$v" no/such.elf; done
said 'no/such.elf: error: No such file or directory' run --patience 0 no/such.elf
for v in 0 -0.5 inf nan 1s ''; do said "ventus run: --timeout: '$v' is no number of seconds" run --timeout "$v" no/such.elf; done
for v in -0.5 inf nan 1s ''; do said "ventus run: --patience: '$v' is no number of seconds" run --patience "$v" no/such.elf; done
[ $n -gt 400 ] || echo "only $n"
rm -rf "$T.dir" "$T.help" "$T.names" "$T.offered" "$T.order" "$T.cases" "$T.ranges" "$T.s" "$T.o" "$T.allow"

# out:
# end
