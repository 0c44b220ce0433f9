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

# all COMMAND...: each allocation until it has succeeded 30 times in a row
all() {
    failed=0 row=0 n=1
    "$@" <words >right 2>&1 || { cat right; exit 1; }
    [ ! -e made ] || mv made right.made
    while [ $row -lt 30 ]; do
        VENTUS_FAIL_ALLOC=$n "$@" <words >out 2>err
        status=$?
        case $status in
        0)
            row=$((row + 1))
            cmp out right && { [ ! -e right.made ] || cmp made right.made; } || { echo "$*: allocation $n"; exit 1; }
            ;;
        1 | 2 | 3)
            row=0 failed=$((failed + 1))
            grep -q 'memory' err || { echo "$*: allocation $n: status $status:"; cat err; exit 1; }
            ;;
        *) echo "$*: allocation $n: status $status:"; cat err; exit 1 ;;
        esac
        rm -f made
        n=$((n + 1))
    done
    rm -f right.made
    [ $failed -gt 0 ] || { echo "$*: nothing failed"; exit 1; }
    total=$((total + n))
}
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
echo "$total runs"
