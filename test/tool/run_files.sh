# Files that run writes beside the results: their names where none is given, what is said where one cannot be written, and
# that each is the same alone and beside the others.
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
cat >k.s <<'END'
	.kernel k
k:	lw	a1, 0(a0)
	li	t0, 40
1:	lw	t1, 0(a1)
	addi	t1, t1, 1
	sw	t1, 0(a1)
	addi	t0, t0, -1
	bnez	t0, 1b
	ret
END
run() { "$B/ventus" run --engine timing --threads 4 -g 8 -l 4 -a buf:i32:1 "$@" k.s; }
left() { LC_ALL=C ls | grep -v '^k\.s$' | xargs; }

# 1. names
for row in trace:ventus.trace pipeline:ventus.kanata timeline:ventus.json; do
	option=${row%:*} file=${row#*:}
	run --$option >out 2>&1
	is "0 out $file " "$? $(left) $(cat out)" "--$option"
	mv "$file" "../alone.$option"
done
run --profile >../alone.profile
is '0 out' "$? $(left)" --profile
for option in trace pipeline timeline profile; do mv "../alone.$option" .; done
run --trace=t --pipeline=p --timeline=j --profile=c --stats --stats-file=s >out 2>&1
is '' "$(cat out)" 'nothing is printed'
is 'alone.pipeline alone.profile alone.timeline alone.trace c j out p s t' "$(left)" 'all at once'
run --stats >alone.stats
for row in p:pipeline j:timeline c:profile; do cmp "${row%:*}" "alone.${row#*:}"; done
sort t >t.sorted && sort alone.trace | cmp - t.sorted
grep -v '^seconds ' s >s.counted && grep -v '^seconds ' alone.stats | cmp - s.counted
run --profile=c.json && is '{' "$(head -c 1 c.json)" 'JSON by its name'
run --trace=- --stats --stats-file=- | sort >both
{ cat alone.trace && grep -v '^seconds ' alone.stats; } | sort >want
grep -v '^seconds ' both | cmp - want
rm -f ./alone* c j out p s t t.sorted s.counted c.json both want

# 2. files that cannot be written
for option in trace pipeline timeline profile check-json stats-file; do
	more=
	[ $option != stats-file ] || more=--stats
	[ $option != check-json ] || more=--check
	is "2 /no/where: error: No such file or directory" "$(run $more --$option=/no/where >out 2>&1; echo "$? $(tail -n 1 out)")" "$option"
	is "2 /dev/full: error: No space left on device" "$(run $more --$option=/dev/full >out 2>&1; echo "$? $(tail -n 1 out)")" "$option on a full disk"
done
for option in export-replay dump-buffers; do
	is "2 /no/where/x: error: No such file or directory" "$(run --$option=/no/where/x >out 2>&1; echo "$? $(tail -n 1 out)")" "$option"
	is "2 k.s: error: File exists" "$(run --$option=k.s >out 2>&1; echo "$? $(tail -n 1 out)")" "$option"
	mkdir $option
	is 0 "$(run --$option=$option >out 2>&1; echo $?)" "$option, a directory that is there"
done
is 'arg0.bin k_0.data k_0.metadata' "$(ls dump-buffers export-replay | grep '\.' | sort | xargs)" 'what is there'
is 2 "$(run --stats >/dev/full 2>out; echo $?)" stdout
is 'ventus: error: stdout: No space left on device' "$(cat out)" stdout
rm -rf export-replay dump-buffers out

# 3. parts of pictures: in a file that is full nothing begins any more, which is told with the cycle
sed 's/40$/9000/' k.s >long.s
"$B/ventus" run --engine timing --threads 4 -g 4 -a buf:i32:1 --picture-limit 1 --pipeline=p --timeline=j long.s >out 2>&1
is 0 $? 'a full picture'
for f in p j; do echo "$f: nothing that begins after cycle N; --picture-limit and --picture-cycles choose what is shown"; done >want
sed 's/cycle [0-9]*;/cycle N;/' out | cmp - want || cat out
wc -c <p >part
for f in p j; do [ "$(wc -c <$f)" -ge 1048576 ] || wc -c $f; done
"$B/ventus" run --engine timing --threads 4 -g 4 -a buf:i32:1 --picture-limit 0 --pipeline=p long.s >out 2>&1
is '1 ' "$(wc -c <p | awk -v part="$(cat part)" '{ print ($1 > 2 * part) }') $(cat out)" 'without a limit'
begun() { # PICTURE-CYCLES: the first and the last cycle in which an instruction begins
	run --picture-cycles "$1" --pipeline=p >out 2>&1
	cat out
	awk -F '	' '$1 == "C=" || $1 == "C" { c = $1 == "C" ? c + $2 : $2 } $1 == "I" { if (!n++) first = c; last = c } END { print n ? (first >= from) " " (to == "" || last < to) " " (n > 0) : "none" }' \
		from="${1%-*}" to="$(echo "$1" | sed -n 's/.*-//p')" p
}
for part in 0-100000 30-60 30 30- 40-41 100; do is '1 1 1' "$(begun $part | sed 's/^none$/1 1 1/')" "$part"; done
is none "$(begun 100000)" 'after the end'
for part in 4-3 4-4 x 1-x - -1 1-2-3 1-2x ''; do
	is "2 ventus run: --picture-cycles: '$part' is not FROM or FROM-TO" "$(run --picture-cycles "$part" >out 2>&1; echo "$? $(head -n 1 out)")" "cycles $part"
done
for option in pipeline timeline; do
	is "2 ventus: error: --$option is about cycles, which the engine interp does not count; give --engine timing" \
		"$(run --engine interp --$option >out 2>&1; echo "$? $(cat out)")" $option
done
is "2 ventus: error: --sample is about cycles, which the engine interp does not count; give --engine timing" \
	"$(run --engine interp --sample 50 >out 2>&1; echo "$? $(cat out)")" sample
[ $n -gt 45 ] || echo "only $n"
cd / && rm -rf "$T"

# out:
# end
