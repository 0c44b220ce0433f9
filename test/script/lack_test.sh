#!/bin/sh
# lack_test.sh -- commands in which one allocation after the other fails: each ends with a message and the status of
# one, or does all that it does with memory.  In the hostile build alone.
# limit: 900
case ${m-} in hostile) ;; *) echo 'needs the hostile build'; exit 77 ;; esac
v=$PWD/$B/ventus
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cd "$t" || exit 1
cat >k.s <<'.'
	.globl k
	.type k, @function
k:	vid.v v1
	vsll.vi v1, v1, 2
	la t0, table
	lw t1, 0(t0)
	vadd.vx v2, v1, t1
	ret
	.data
table:	.word 1, k, 3
.
"$v" as -o k.o k.s && "$v" ld -o k.elf k.o && "$v" objdump -d k.o >k.txt || exit 1
awk '$2 ~ /^[0-9a-f]*$/ { print $2 }' k.txt >words

# all COMMAND...: one allocation in $step from $first on, until it has done without 30 in a row; `made` is a file or a
# directory
all() {
    failed=0 row=0 n=$first
    "$@" <words >said 2>heard || { cat said heard; exit 1; }
    same said right
    same heard right.heard
    [ ! -e made ] || mv made right.made
    while [ $((row * step)) -lt 30 ]; do
        VENTUS_FAIL_ALLOC=$n "$@" <words >said 2>heard
        status=$?
        case $status in
        0)
            row=$((row + 1))
            same said out
            same heard err
            cmp out right && cmp err right.heard && { [ ! -e right.made ] || diff -r made right.made; } ||
                { echo "$*: allocation $n"; exit 1; }
            ;;
        1 | 2 | 3)
            row=0 failed=$((failed + 1))
            grep -q 'memory' heard || { echo "$*: allocation $n: status $status:"; cat heard; exit 1; }
            ;;
        *) echo "$*: allocation $n: status $status:"; cat heard; exit 1 ;;
        esac
        rm -rf made
        n=$((n + step))
    done
    rm -rf right.made
    [ $failed -gt 0 ] || { echo "$*: nothing failed"; exit 1; }
    total=$((total + (n - first) / step))
}
same() { sed 's/seconds.*//; s/, [0-9.]* s;/;/; s/[0-9.]* ms//' "$1" >"$2"; } # of what two runs say
first=1 step=1
total=0
all "$v" dis
all "$v" as -o made k.s
all "$v" as --listing -o made k.s
all "$v" objdump -d -S k.elf
all "$v" ld -o made k.o
all "$v" objdump --resolve-prefixes -t -r -h k.o
cat >f.s <<'.'
	.kernel add
add:
	csrr x5, knl
	lw x6, 4(x5)
	lw x7, 0(x6)
	vid.v v1
	vsll.vi v2, v1, 2
	vadd.vx v2, v2, x7
	vlw12.v v3, 0(v2)
	vadd.vv v3, v3, v1
	vsw12.v v3, 0(v2)
	endprg x0, x0, x0
.
all "$v" run --engine interp -k add -g 32 -l 32 -a "buf:i32:32=7>made" f.s
all "$v" run --engine timing --sms 2 -k add -g 128 -l 32 -a "buf:i32:128=7>made" f.s

# the rest of `run`, from an image; what comes before the first option is looked at was tried above
"$v" as -o f.o f.s && "$v" ld -o f.elf f.o || exit 1
run() { all "$v" run -k add -g 4 -l 4 --threads 4 --sms 2 "$@" f.elf; }
while VENTUS_FAIL_ALLOC=$first "$v" run -k add --trace=no/where f.elf 2>&1 | grep -q memory; do
    first=$((first + 1))
done
buffer='buf:i32:8=7>-'
run --engine interp --stats -a "$buffer"
run --engine interp --stats=json --stats-file=- -a "$buffer"
step=2
run --engine timing --stats -a buf:i32:8
run --engine interp --trace=made -a buf:i32:8
run --engine interp --profile -a buf:i32:8
run --engine timing --profile=made.json -a buf:i32:8
run --engine timing --pipeline=made -a buf:i32:8
run --engine timing --timeline=made -a buf:i32:8
step=7
run --engine interp --check -g 4 -a buf:i32:4
run --engine interp --check-json=made -g 4 -a buf:i32:4
step=1
run --engine interp --dump-buffers=made -a buf:i32:8
run --engine interp --export-replay=made -a buf:i32:8
first=1 step=3

# arguments that are read, and buffers that are compared
all "$v" run --engine interp -k add -g 2 -l 2 -a img:2x1:r32i -a buf:f32:2=1.5,2==1.5,2~0.1 -a hbuf:i32:2 -a struct:i8:1/f32x4:1 -a local:8 f.elf
# the others
step=1
"$v" run --engine interp -k add -g 4 -l 4 --threads 4 -a buf:i32:8 --export-replay=x f.elf || exit 1
all "$v" replay --engine interp --dump-buffers=made x/add_0.metadata x/add_0.data
"$v" replay --engine interp --dump-buffers=y x/add_0.metadata x/add_0.data || exit 1
all "$v" replay --engine interp --verify=y --export-replay=made x/add_0.metadata x/add_0.data
printf 'kernel @k {\nb0:\n    ret\n}\n' >k.ir
step=7
all "$v" cc -c -o made k.ir
all "$v" cc -S -o made k.ir
step=1
cp k.ir l.ir
all "$v" cc -c l.ir # to a file named after it
cat >s.json <<'.'
{"parameters": {"dcache_sets": [4, 8]}, "plot": {"x": "dcache_sets", "y": "cycles"},
 "workloads": [{"name": "w", "program": ["sh", "-c", "echo '{\"kernel\": \"k\", \"insns\": 1, \"cycles\": 7}' >$VENTUS_LAUNCHES"]}]}
.
all "$v" sweep --points s.json
if ldd "$v" | grep -q sqlite; then
    all sh -c "rm -rf s.sweep; '$v' sweep -j 1 s.json"
fi
echo "$total runs"
