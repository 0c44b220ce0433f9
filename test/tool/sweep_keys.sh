# What decides the result of a point: engine, machine, arguments and the files that they name; each that changes makes another
# point, and what it was before is still known.  And the bar of a sweep on a terminal.
# skip: ! ldd %b/ventus | grep -q sqlite
# skip: ! script -qec true /dev/null >/dev/null 2>&1
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
V=$B/ventus
mkdir -p "$T/d" && cd "$T/d" || exit 1
n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
cat >point <<'END'
#!/bin/sh
echo "$*" >>runs
echo '{"cycles": 5, "insns": 3}' >"$VENTUS_LAUNCHES"
END
chmod +x point
printf 'slots = 3\n' >my.machine
echo 1 >one && echo 2 >two && cp one kept && echo 4 >../four
engine=timing machine=my.machine lanes=8 name=w timeout=100 program="\"./point\", \"one\", \"two\", \"$T/four\""
: >runs
wanted=0
sweep() { # NEW WHAT: so many points run that were not known
	wanted=$((wanted + $1))
	printf '{"engine": "%s", "machine": "%s", "parameters": {"lanes": [%s]}, "timeout": %s,\n "workloads": [{"name": "%s", "program": [%s]}]}\n' \
		"$engine" "$machine" "$lanes" "$timeout" "$name" "$program" >a.json
	(cd .. && "$V" sweep d/a.json) >out 2>&1 || cat out
	is "$wanted" "$(grep -c . runs)" "$2"
}
sweep 1 'the first'
sweep 0 'the same'
engine=interp
sweep 1 'another engine'
engine=timing
sweep 0 'the first engine'
printf 'slots = 4\n' >my.machine
sweep 1 'another machine in its file'
machine=rtl
sweep 1 'a machine that is built in'
machine=./my.machine
sweep 0 'the file by another name'
printf 'slots = 3\n' >my.machine
sweep 0 'the first machine'
lanes=4
sweep 1 'another value'
lanes='8, 4'
sweep 0 'both values'
lanes=8 name=another timeout=50
sweep 0 'what decides nothing'
echo 3 >two
sweep 1 'another file'
echo 1 >two && echo 2 >one
sweep 1 'their contents the other way round'
cp kept one && echo 2 >two
sweep 0 'the first contents'
echo 5 >../four
sweep 1 'a file somewhere else'
program='"./point", "two", "one", "'$T'/four"'
sweep 1 'another order'
program='"./point", "one", "two"'
sweep 1 'less arguments'
program='"./point", "one", "kept"'
sweep 1 'the same file by another name'
echo '# changed' >>point
sweep 1 'another program'
sed 's/program/run/' a.json >b.json
"$V" sweep -o a.sweep b.json >out 2>&1
is '1 1 points, 1 failed; results in a.sweep' "$? $(head -n 1 out)" 'ventus run of the same'

# the bar: at the beginning, after each point, and at the end
printf '#!/bin/sh\nsleep 0.15\n[ $1 != 2 ] || exit 3\necho "{\\"cycles\\": 5}" >"$VENTUS_LAUNCHES"\n' >slow
chmod +x slow
list=
for i in 1 2 3; do list="$list${list:+, }{\"name\": \"w$i\", \"program\": [\"./slow\", \"$i\"]}"; done
echo "{\"workloads\": [$list]}" >bar.json
bar() { printf '[%s%*s] %s of 3, %s failed\n' "$(printf '%*s' "$1" '' | tr ' ' '#')" $((40 - $1)) '' "$2" "$3"; }
{ bar 0 0 0 && bar 13 1 0 && bar 26 2 1 && bar 40 3 1 && bar 40 3 1; } >want
script -qec "'$V' sweep -j 1 bar.json" /dev/null </dev/null >got
is 5 "$(tr '\r' '\n' <got | grep '^\[' | tee bars | wc -l)" bars
cmp want bars || cat bars
# ... of what a task has not done
echo 1 >list
SLURM_ARRAY_TASK_ID=0 "$V" sweep --task=list -o task.sweep bar.json || echo "task: $?"
script -qec "'$V' sweep -j 1 -o task.sweep bar.json" /dev/null </dev/null >got
is '0 of 2, 1 failed 1 of 2, 1 failed 2 of 2, 1 failed 2 of 2, 1 failed' "$(tr '\r' '\n' <got | sed -n 's/^\[.*\] //p' | xargs)" 'bars'
"$V" sweep --retry -j 1 bar.json 2>&1 | grep -c '\['
is 'ventus sweep: 2 of 3 points are done already' "$("$V" sweep --retry -j 1 bar.json 2>&1 >/dev/null)" 'no bar'
[ $n -gt 20 ] || echo "only $n"
cd / && rm -rf "$T"

# out:
# 0
# end
