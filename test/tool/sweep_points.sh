# What sweeps do with their points: their order, what their programs get, every way in which one ends, what is kept of its
# output, results that are better the second time, tasks, signals, the best of them, and what gnuplot is given.
# skip: ! ldd %b/ventus | grep -q sqlite
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
V=$B/ventus
mkdir -p "$T/e" "$T/bin" && cd "$T" || exit 1
is() { # WANT GOT WHAT
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
rows() { sed '1d; s/,[0-9]*\.[0-9][0-9][0-9]\(,\|$\)/,S\1/' "$1/results.csv"; } # without the seconds
gone() { # PID: within seconds
	for i in $(seq 50); do
		grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# 1. the order: workloads, then the first parameter, the last one fastest
echo '{"parameters": {"warps": [5, 3], "lanes": [8, 4, 16], "slots": [2, 1]},
 "workloads": [{"name": "x", "run": ["k"]}, {"name": "y", "replay": ["m", "d"]}]}' >order.json
n=0
for w in x y; do
	for a in 5 3; do
		for b in 8 4 16; do
			for c in 2 1; do
				echo "$n $w warps=$a lanes=$b slots=$c"
				n=$((n + 1))
			done
		done
	done
done >want
"$V" sweep --points order.json >got
is "24 0" "$n $?" 'points'
cmp want got
is 'bin e got order.json want' "$(ls | xargs)" 'nothing is made'

# 2. every end, in the directory of the file
cat >e/point <<'EOF'
#!/bin/sh
echo "$1" >>runs
printf '{"kernel": "a", "cycles": 5, "insns": 3}\n{"cycles": 7, "insns": 1}\n' >"$VENTUS_LAUNCHES"
case $1 in
variables)
	read -r line && echo 'something on stdin' && exit 9
	echo "$(basename "$PWD") $VENTUS_ENGINE '$2' '$3'"
	sed 's/^/ /' "$VENTUS_MACHINE"
	exit 4 ;;
killed) kill -TERM $$ ;;
silent) rm "$VENTUS_LAUNCHES" ;;
empty) : >"$VENTUS_LAUNCHES" ;;
long)
	seq 1 5000
	printf '\001\177\233a\tb~' >&2
	exit 255 ;;
parent)
	sleep 60 &
	echo $! >child ;;
better) [ -e now ] || { echo 'not now'; exit 7; } ;;
waits)
	echo $$ >waiting
	exec sleep 60 ;;
esac
EOF
chmod +x e/point
list='{"name": "none", "program": ["./none"]}, {"name": "replay", "replay": ["no.metadata", "no.data"]}'
for p in well killed silent empty long parent better; do
	list="$list, {\"name\": \"$p\", \"program\": [\"./point\", \"$p\"]}"
done
list="$list, {\"name\": \"va\\\"r\\nb\", \"program\": [\"./point\", \"variables\", \"\", \"two words\"]}"
printf '%s\n' "{\"machine\": \"my.machine\", \"engine\": \"interp\", \"parameters\": {\"lanes\": [8]},
 \"columns\": [\"cycles\", \"insns\", \"seconds.x\", \"kernel,\"], \"workloads\": [$list]}" >e/ends.json
printf 'base = rtl\nslots = 3' >e/my.machine
"$V" sweep -j 3 e/ends.json >out 2>err
is 1 $? 'status'
is '10 points, 7 failed; results in e/ends.sweep
well: fewest cycles 12 with lanes=8
parent: fewest cycles 12 with lanes=8' "$(cat out)" 'the end'
is '' "$(cat err)" 'said on the way'
is 'workload,lanes,status,cycles,insns,seconds,cycles,insns,seconds.x,"kernel,"' "$(head -n 1 e/ends.sweep/results.csv)" 'the head'
cat >want <<'EOF'
none,8,127,,,S,,,,
replay,8,2,,,S,,,,
well,8,0,12,4,S,12,4,,
killed,8,143,,,S,,,,
silent,8,125,,,S,,,,
empty,8,0,0,0,S,0,0,,
long,8,255,,,S,,,,
parent,8,0,12,4,S,12,4,,
better,8,7,,,S,,,,
"va""r
b",8,4,,,S,,,,
EOF
rows e/ends.sweep | cmp - want || cat e/ends.sweep/results.csv
gone "$(cat e/child)" || echo 'a child of a point goes on'
is '' "$(ls e/ends.sweep/work)" 'nothing is left'
is '0.log 1.log 3.log 4.log 6.log 8.log 9.log' "$(ls e/ends.sweep/failed | xargs)" 'failures'
log() { cat "e/ends.sweep/failed/$1.log"; }
is 'none: lanes=8
 ./none
status 127
./none: No such file or directory' "$(log 0)" 'no program'
is 'replay: lanes=8
ventus replay no.metadata no.data
status 2
no.metadata: error: No such file or directory' "$(log 1)" 'a replay'
is 'killed: lanes=8
 ./point killed
status 143' "$(log 3)" 'a signal'
is 'silent: lanes=8
 ./point silent
status 125, no statistics' "$(log 4)" 'no statistics'
{ seq 1 5000; printf '???a\tb~'; } | tail -c 16384 >want
log 6 | sed 1,3d | cmp - want || echo 'the end of a long output'
is "va\"r
b: lanes=8
 ./point variables  two words
status 4
e interp '' 'two words'
 base = rtl
 slots = 3
 lanes = 8" "$(log 9)" 'what a program gets'

# 3. only what failed is done again, and only if that is asked for
rm e/runs
"$V" sweep e/ends.json >again 2>&1
is "1 $(cat out) no" "$? $(cat again) $(ls e/runs 2>/dev/null || echo no)" 'nothing is left to do'
: >e/now
"$V" sweep --retry e/ends.json >again 2>err
is 1 $? 'some fail again'
is 'ventus sweep: 3 of 10 points are done already' "$(cat err)" 'what is not done again'
is 'better killed long silent variables' "$(sort e/runs | xargs)" 'what is done again'
is '10 points, 6 failed; results in e/ends.sweep' "$(head -n 1 again)" 'one is better'
is 'better,8,0,12,4,S,12,4,,' "$(rows e/ends.sweep | grep better)" 'how it is now'

# 4. tasks: the point in a line of a list; its result is taken in, unless the program is another by then
task() { # ID
	SLURM_ARRAY_TASK_ID=$1 "$V" sweep --task="$2" -o tasks e/ends.json 2>&1
	echo "$? $(ls tasks/work | xargs)"
}
printf '8\n2\n10\n' >tasks.list
is 'tasks.list: error: no point for this task
2 ' "$(task '' none.list | sed 's/none/tasks/')" 'no list'
is 'tasks.list: error: no point for this task
2 ' "$(task 3 tasks.list)" 'no such line'
is 'tasks.list: error: no point for this task
2 ' "$(task 2 tasks.list)" 'no such point'
is 'tasks.list: error: no point for this task
2 ' "$(unset SLURM_ARRAY_TASK_ID; "$V" sweep --task=tasks.list -o tasks e/ends.json 2>&1; echo "$? ")" 'no number'
is '0 2.result' "$(task 1 tasks.list)" 'the second'
is '0 2.result 8.result' "$(task 0 tasks.list)" 'the first'
rm e/runs
"$V" sweep -o tasks e/ends.json >again 2>err
is 'ventus sweep: 2 of 10 points are done already' "$(cat err)" 'taken in'
is 'empty killed long parent silent variables' "$(sort e/runs | xargs)" 'the others'
cmp again - <<'EOF'
10 points, 6 failed; results in tasks
well: fewest cycles 12 with lanes=8
parent: fewest cycles 12 with lanes=8
better: fewest cycles 12 with lanes=8
EOF
rm -r tasks
is '0 2.result' "$(task 1 tasks.list)" 'again'
echo '# another' >>e/point
"$V" sweep -o tasks e/ends.json >again 2>err
is '' "$(cat err)" 'a result of another program'

# ... and what of Slurm is refused
slurm() { # FILE DIR
	PATH=$T/bin:$PATH "$V" sweep --slurm -o "$2" "$1" 2>&1
	echo "$? $(ls "$2/work" | xargs)"
}
printf '#!/bin/sh\necho no job\n' >bin/sbatch
printf '#!/bin/sh\nexit 1\n' >bin/squeue
chmod +x bin/sbatch bin/squeue
cp e/ends.json "e/it's.json"
quotes="error: the names of the program, the file and the directory must not have a '
2 "
is "$quotes" "$(slurm "e/it's.json" slurm)" 'a quote in the file'
is "$quotes" "$(slurm e/ends.json "it's")" 'a quote in the directory'
is 'error: sbatch took no job
2 ' "$(slurm e/ends.json slurm)" 'no number'
printf '#!/bin/sh\necho 7; exit 1\n' >bin/sbatch
is 'error: sbatch took no job
2 ' "$(slurm e/ends.json slurm)" 'a status'

# tasks that begin after the queue was asked twice
cat >bin/sbatch <<'EOF'
#!/bin/sh
for a; do
	case $a in --array=0-*) last=${a#--array=0-} ;; esac
	wrap=$a
done
: >queued
: >asked
{
	while [ "$(wc -l <asked)" -lt 2 ]; do sleep 0.1; done
	for i in $(seq 0 "$last"); do SLURM_ARRAY_TASK_ID=$i sh -c "$wrap"; done
	rm queued
} >/dev/null 2>&1 </dev/null &
echo 7
EOF
printf '#!/bin/sh\necho >>asked\n[ ! -e queued ] || echo 7\n' >bin/squeue
echo '{"workloads": [{"name": "a", "program": ["./point"]}, {"name": "b", "program": ["./point", "killed"]}]}' >e/later.json
is '2 points, 1 failed; results in later
1 ' "$(slurm e/later.json later)" 'tasks that wait'
is 'a,0,12,4,S b,143,,,S' "$(rows later | xargs)" 'their results'

# 5. a signal ends a sweep with its points; what is done stays
echo '{"workloads": [{"name": "a", "program": ["./point"]}, {"name": "b", "program": ["./point", "waits"]},
 {"name": "c", "program": ["./point", "last"]}]}' >e/wait.json
"$V" sweep -j 1 e/wait.json >out 2>err &
sweep=$!
while [ ! -s e/waiting ] && kill -0 $sweep; do sleep 0.1; done
kill -TERM $sweep
wait $sweep
is 130 $? 'the status of a sweep that is stopped'
gone "$(cat e/waiting)" || echo 'a point goes on'
is '' "$(cat out err)" 'no word'
is 'a,0,12,4,S' "$(rows e/wait.sweep)" 'what was done'
: >e/file
is '2 e/file: error: File exists' "$("$V" sweep -o e/file e/wait.json >out 2>&1; echo $? "$(cat out)")" 'no directory'

# 6. the fewest cycles, of equals the first; nothing of what failed
cat >e/cycles <<'EOF'
#!/bin/sh
get() { sed -n "s/^$1 = //p" "$VENTUS_MACHINE"; }
[ "$1 $(get warps) $(get lanes)" = 'we"ll'"'"'`$ 2 8' ] || [ "$1" = never ] && exit 1
printf '{"cycles": %d, "insns": 1}' $(($(get warps) * 1000 + ($(get lanes) - 9) * ($(get lanes) - 9) * 10 + $(get slots) / 5)) >"$VENTUS_LAUNCHES"
EOF
chmod +x e/cycles
printf '%s\n' '{"parameters": {"warps": [2, 1], "lanes": [4, 8, 16], "slots": [7, 1, 2], "sgprs": [64]}, "plot": {"x": "lanes"},
 "workloads": [{"name": "never", "program": ["./cycles", "never"]}, {"name": "we\"ll'"'"'`$", "program": ["./cycles", "we\"ll'"'"'`$"]}]}' >e/best.json
cat >bin/gnuplot <<'EOF'
#!/bin/sh
[ -e broken ] && exit 3
echo "$# $1 $(basename "$PWD")" >plot.svg
EOF
chmod +x bin/gnuplot
PATH=$T/bin:$PATH "$V" sweep --plot e/best.json >out 2>&1
is "1 36 points, 21 failed; results in e/best.sweep
we\"ll'\`\$: fewest cycles 1010 with warps=1 lanes=8 slots=1 sgprs=64" "$? $(cat out)" 'the best'
is '1 plot.gnuplot best.sweep' "$(cat e/best.sweep/plot.svg)" 'the call of gnuplot'
for w in never we?ll???; do
	for a in 2 1; do
		for c in 7 1 2; do
			echo "\"$w warps=$a slots=$c\""
			[ $w = never ] || for b in 4 8 16; do
				[ $a$b = 28 ] || echo "$b $((a * 1000 + (b - 9) * (b - 9) * 10 + c / 5))"
			done
			printf '\n\n'
		done
	done
done >want
diff want e/best.sweep/plot.data
plot="'plot.data' index 6"
for i in 7 8 9 10 11; do
	plot="$plot using 1:2 with linespoints title columnheader(1), 'plot.data' index $i"
done
is "set xlabel 'lanes, lanes'
set ylabel 'cycles'
plot $plot using 1:2 with linespoints title columnheader(1)" "$(tail -n 3 e/best.sweep/plot.gnuplot)" 'what gnuplot is told'
plot() { # PLOT PARAMETERS: its messages
	printf '%s\n' "{\"plot\": {$1}, \"parameters\": {$2}, \"workloads\": [{\"name\": \"w\", \"program\": [\"./cycles\"]}]}" >e/plot.json
	PATH=$T/bin:$PATH "$V" sweep --plot e/plot.json >/dev/null 2>err
	echo "$? $(grep -v 'done already' err)"
}
three='"warps": [2], "lanes": [4], "slots": [1, 2]'
is '0 ' "$(plot '"y": "insns"' "$three")" 'another number'
is '"w slots=1"
2 1


"w slots=2"
2 1' "$(cat e/plot.sweep/plot.data)" 'its data'
is "2 error: nothing to plot: no point has a number 'a.b'" "$(plot '"y": "a.b"' "$three")" 'no number'
is '2 error: a plot needs a parameter that is swept' "$(plot '' '')" 'no parameter'
: >e/plot.sweep/broken
is '2 error: gnuplot failed on e/plot.sweep/plot.gnuplot' "$(plot '' "$three")" 'gnuplot fails'
cd / && rm -rf "$T"

# out:
# end
