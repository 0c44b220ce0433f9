#!/bin/sh
# sweep_test.sh -- ventus sweep: every point is counted once whatever is killed when; failures are kept apart; mistakes
# in the file have their place; tasks of Slurm, by an sbatch that runs them here.
cd "$(dirname "$0")/../.." || exit 1
root=$PWD B=${B:-build}
[ ! -e "$B/libventus-opencl.so" ] || make -s B="$B" ${m:+m=$m} ${CC:+CC="$CC"} "$B/examples/vecadd" >/dev/null || exit 1
case $B in /*) ;; *) B=$root/$B ;; esac
V=$B/ventus
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
bad=0 n=0
is() { # WANT GOT WHAT
    n=$((n + 1))
    [ "$1" = "$2" ] || { printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"; bad=1; }
}
"$V" sweep --help >/dev/null || exit 1
cd "$t" || exit 1

# a program whose cycles are a function of its machine; the fifth time that it is run it kills the sweep
cat >step <<'END'
#!/bin/sh
cd "$(dirname "$0")" || exit 1
sets=$(sed -n 's/^dcache_sets = //p' "$VENTUS_MACHINE") ways=$(sed -n 's/^dcache_ways = //p' "$VENTUS_MACHINE")
echo "$sets $ways $1" >>runs
[ -e fatal ] && [ "$(wc -l <runs)" -eq 5 ] && rm fatal && kill -9 $PPID
[ "$1 $sets" = "odd 16" ] && echo 'no sixteen' && exit 3
printf '{"kernel": "k", "insns": %d, "cycles": %d}\n{"insns": 1, "cycles": 1}\n' "$sets" "$((sets * ways))" >"$VENTUS_LAUNCHES"
END
chmod +x step
cat >a.json <<'END'
{"parameters": {"dcache_sets": [8, 16, 32], "dcache_ways": [1, 2]},
 "workloads": [{"name": "even", "program": ["./step", "even"]}, {"name": "odd", "program": ["./step", "odd"]}]}
END

# 1. killed in the middle, and gone on with
: >fatal
"$V" sweep -j 1 a.json >out 2>&1
is 137 $? 'status of what was killed'
"$V" sweep -j 1 a.json >out 2>err
is 1 $? 'status with failures'
is 'ventus sweep: 4 of 12 points are done already' "$(cat err)" 'what was done'
is "12 points, 2 failed; results in a.sweep
even: fewest cycles 9 with dcache_sets=8 dcache_ways=1
odd: fewest cycles 9 with dcache_sets=8 dcache_ways=1" "$(cat out)" summary
is 13 "$(wc -l <runs)" 'the point that was killed ran twice, all others once'
is "$(printf '%s\n' even,8,1,0,9,9 even,8,2,0,17,9 even,16,1,0,17,17 even,16,2,0,33,17 even,32,1,0,33,33 even,32,2,0,65,33 \
    odd,8,1,0,9,9 odd,8,2,0,17,9 odd,16,1,3,, odd,16,2,3,, odd,32,1,0,33,33 odd,32,2,0,65,33)" \
    "$(sed '1d; s/,[0-9.]*$//' a.sweep/results.csv)" 'the table'
is 'odd: dcache_sets=16 dcache_ways=1
 ./step odd
status 3
no sixteen' "$(cat a.sweep/failed/8.log)" 'a failure'

# 2. nothing is run twice, but failures where that is asked for, and what is new
"$V" sweep a.json >out 2>&1
is 13 "$(wc -l <runs)" 'nothing to do'
"$V" sweep --retry a.json >out 2>&1
is 15 "$(wc -l <runs)" 'failures again'
sed -i 's/32\]/32, 64]/' a.json
"$V" sweep a.json >out 2>err
is 19 "$(wc -l <runs)" 'new points'
is 17 "$(wc -l <a.sweep/results.csv)" 'lines of the table'
echo '# changed' >>step
"$V" sweep a.json >out 2>&1
is 35 "$(wc -l <runs)" 'the program changed'
if command -v sqlite3 >/dev/null; then
    is 'ok even16 odd16 64' "$(sqlite3 a.sweep/results.sqlite 'PRAGMA integrity_check; SELECT workload || count(*) FROM point
        GROUP BY workload ORDER BY workload; SELECT count(*) FROM parameter' | xargs)" 'another reader'
fi

# 3. the engine's own numbers
cat >k.s <<'END'
	.kernel k
k:	lw	a1, 0(a0)
	vid.v	v1
	vsll.vi	v1, v1, 7
	vadd.vx	v1, v1, a1
	vlw12.v	v2, 0(v1)
	vlw12.v	v2, 0(v1)
	ret
END
cat >b.json <<'END'
{"machine": "rtl-direct", "parameters": {"dcache_sets": [1, 256]}, "columns": ["slots.icache", "no.such"],
 "workloads": [{"name": "k, \"quoted\"", "run": ["--threads", "8", "-a", "buf:i32:1024", "k.s"]}]}
END
"$V" sweep b.json >out 2>&1 || cat out
for sets in 1 256; do
    printf 'base = rtl-direct\ndcache_sets = %d\n' $sets >m.machine
    "$V" run --engine timing --machine ./m.machine --threads 8 -a buf:i32:1024 k.s --stats |
        awk -v s=$sets '/^cycles / { c = $2 } /^insns / { i = $2 } /^slots.icache / { f = $2 }
                        END { printf "\"k, \"\"quoted\"\"\",%d,0,%d,%d,%d,\n", s, c, i, f }'
done >want
is "$(cat want)" "$(sed '1d; s/,[0-9]*\.[0-9]*,/,/' b.sweep/results.csv)" 'the numbers of ventus run'

# an OpenCL program, by the lines that the runtime writes for its launches
if [ -x "$B/examples/vecadd" ] && [ -e "$B/ventus-cc1" ]; then
    cat >cl.json <<END
{"parameters": {"memory_read": [10, 200]}, "workloads": [{"name": "vecadd", "program": ["$B/examples/vecadd"]}]}
END
    OCL_ICD_VENDORS=$B/ventus.icd "$V" sweep cl.json >out 2>&1 || cat out cl.sweep/failed/*
    is '1 1' "$(awk -F, '$2 == 10 { a = $4 } $2 == 200 { b = $4; i = $5 } END { print (a > 0 && b > a + 100), (i > 100) }' cl.sweep/results.csv)" 'an OpenCL program'
fi

# 4. Slurm: an sbatch that runs tasks here; of its second job one task is lost
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
for a; do
    case $a in --array=0-*) last=${a#--array=0-} ;; esac
    wrap=$a
done
lost=-1
[ -e lose ] && rm lose && lost=2
i=0
while [ $i -le "$last" ]; do
    [ $i = $lost ] || SLURM_ARRAY_TASK_ID=$i sh -c "$wrap" </dev/null >/dev/null 2>&1
    i=$((i + 1))
done
echo "7;here"
END
printf '#!/bin/sh\n' >bin/squeue
printf '#!/bin/sh\necho "$@" >>cancelled\n' >bin/scancel
chmod +x bin/sbatch bin/squeue bin/scancel
rm runs
: >lose
PATH=$t/bin:$PATH "$V" sweep --slurm -o slurm a.json >out 2>&1
is '2 error: 1 tasks of job 7 ended without a result; run the sweep again' "$? $(sed 's/^ventus: //' out)" 'a task that is lost'
is 15 "$(wc -l <runs)" 'tasks'
PATH=$t/bin:$PATH "$V" sweep --slurm -o slurm a.json >out 2>&1
is 1 $? 'status of the whole'
is 16 "$(wc -l <runs)" 'each task once'
is 7 "$(cat cancelled)" 'the job that had not come to its end'
is "$(sed 's/,[0-9.]*$//' a.sweep/results.csv)" "$(sed 's/,[0-9.]*$//' slurm/results.csv)" 'the same table'
is '' "$(ls slurm/work)" 'nothing is left'
PATH=/nowhere "$V" sweep --slurm -o none a.json >out 2>&1
is '2 error: there is no sbatch (package slurm-client)' "$? $(sed 's/^ventus: //' out)" 'no Slurm'

# 5. two at a time; out of time; plots
printf '{"workloads": [{"name": "nested", "program": ["%s", "sweep", "c.json"]}]}' "$V" >c.json
printf '{"timeout": 0.2, "workloads": [{"name": "slow", "program": ["sleep", "100"]}]}' >d.json
"$V" sweep c.json >out 2>&1
"$V" sweep d.json >out 2>&1
is 'nested,2,, slow,124,,' "$(sed '1d; s/,[0-9.]*$//' c.sweep/results.csv d.sweep/results.csv | grep , | grep -v ^work | xargs)" 'one at a time, and not longer'
is 'status 124, out of time' "$(sed -n 3p d.sweep/failed/0.log)" 'why'
grep -q 'another sweep runs there' c.sweep/failed/0.log || { cat c.sweep/failed/0.log; bad=1; }
# many failures, each with what was said, and few files open at a time
cat >e.json <<'END'
{"parameters": {"dcache_sets": [8, 16, 32, 64], "dcache_ways": [1, 2, 4]},
 "workloads": [{"name": "a", "program": ["sh", "-c", "echo no; exit 3"]}, {"name": "b", "program": ["sh", "-c", "echo no; exit 4"]}]}
END
(ulimit -n 24 && "$V" sweep -j 1 e.json >out 2>&1)
is '1 24 points, 24 failed; results in e.sweep' "$? $(cat out)" 'all fail'
is '24 no' "$(tail -qn 1 e.sweep/failed/*.log | sort | uniq -c | xargs)" 'what each said'
PATH=/nowhere "$V" sweep --plot -o a.sweep a.json >out 2>&1
is '2 error: there is no gnuplot, which draws the plot (package gnuplot-nox)' "$? $(sed 's/^ventus: //' out | grep ^error)" 'no gnuplot'
if command -v gnuplot >/dev/null; then
    "$V" sweep --plot a.json >out 2>&1
    is '<?xml version="1.0"' "$(head -c 19 a.sweep/plot.svg)" 'the plot'
    is 4 "$(grep -c '<title>gnuplot_plot_' a.sweep/plot.svg)" 'its lines'
fi

# 6. mistakes
wrong() { # TEXT WANT
    printf '%b' "$1" >w.json
    "$V" sweep -o w w.json >out 2>&1
    is "2 $2" "$? $(sed -n 1p out)" "$1"
}
w='"workloads": [{"name": "a", "run": ["k.s"]}]'
wrong "{$w,\n \"paramters\": {}}" "w.json:2:2: error: 'paramters' means nothing here; did you mean 'parameters'?"
wrong "{$w,\n \"parameters\": {\"lanes\": [4],\n  \"dcache_set\": [1]}}" "w.json:3:3: error: 'dcache_set' means nothing here; did you mean 'dcache_sets'?"
wrong "{$w, \"parameters\": {\"lanes\": [4, 12]}}" "w.json:1:76: error: lanes is a power of two from 4 to 32"
wrong "{$w, \"parameters\": {\"lanes\": 4}}" "w.json:1:72: error: 'lanes' is a list of values: [16, 32]"
wrong "{\"workloads\": [{\"name\": \"a\", \"rum\": [\"k.s\"]}]}" "w.json:1:30: error: 'rum' means nothing here; did you mean 'run'?"
wrong "{$w,}" "w.json:1:47: error: string or '}' expected near '}'"
wrong '' "w.json:1:1: error: '[' or '{' expected near end of file"
wrong '[]' 'w.json:1:1: error: a sweep is an object: {"parameters": ..., "workloads": ...}'
wrong '{}' "w.json:1:1: error: 'workloads' is a list of at least one workload"
wrong "{$w, \"machine\": \"rtx\"}" "w.json:1:59: error: no machine 'rtx' is built in; see ventus info"
wrong "{$w, \"parameters\": {\"lanes\": [4]}, \"plot\": {\"x\": \"lane\"}}" "w.json:1:92: error: 'lane' is not swept; did you mean 'lanes'?"
printf 'lane = 4\n' >w.machine
wrong "{$w, \"machine\": \"./w.machine\"}" "././w.machine:1:1: error: 'lane' is not a parameter of a machine; did you mean 'lanes'?"

# without SQLite: make says what is missing, and so does a sweep
cd "$root" || exit 1
is 1 "$(make -n B="$B" HAS_SQLITE= all 2>/dev/null | grep -c libsqlite3-dev)" 'make without SQLite'
if [ -z "$m" ]; then
    for part in sweep_store raster; do # raster.c without libpng
        ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -I. -Isrc -Iinclude -c -o "$t/$part.o" tool/$part.c || exit 1
    done
    find "$B/tool" -maxdepth 1 -name '*.o' ! -name sweep_store.o ! -name raster.o >"$t/objects"
    # shellcheck disable=SC2086
    ${CC:-cc} -o "$t/ventus" "@$t/objects" "$t/sweep_store.o" "$t/raster.o" "$B/libventus.a" -ljansson -lm -ldl -pthread || exit 1
    mkdir "$t/plain" && cp "$t/a.json" "$t/step" "$t/plain"
    (cd "$t/plain" && "$t/ventus" sweep a.json >log 2>&1)
    is 2 $? 'the status of a sweep without SQLite'
    is 1 "$(grep -c 'error: this build has no SQLite, .*libsqlite3-dev' "$t/plain/log")" 'a sweep without SQLite'
fi
echo "$n results"
exit $bad
