#!/bin/sh
# rtl_cycles_test.sh -- the engine `timing` counts the cycles that the public RTL took for the same images, with 1 to 8
# warps (test/golden/rtl_held_out.csv): all but one exactly, that one within a cycle.
cd "$(dirname "$0")/../.." || exit 1
V=${B:-build}/ventus
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
"$V" as -o "$t/start.o" test/rtl/start.s && "$V" as -o "$t/held_out.o" test/rtl/held_out.s &&
    "$V" ld --no-crt0 -o "$t/held_out.elf" "$t/start.o" "$t/held_out.o" || exit 1
n=0 bad=0 off=0
while read -r kernel arguments; do
    options=
    for a in $arguments; do options="$options -a $a"; done
    for warps in 1 2 4 8; do
        n=$((n + 1))
        # shellcheck disable=SC2086 # arguments have no blanks
        "$V" run --threads 4 --warps 8 -k "$kernel" -g $((4 * warps)) -l $((4 * warps)) $options \
            --export-replay="$t/$n" "$t/held_out.elf" >"$t/log" 2>&1 || { cat "$t/log"; exit 1; }
        got=$("$V" replay --engine timing --machine rtl-direct --stats=json "$t/$n/${kernel}_0.metadata" \
            "$t/$n/${kernel}_0.data" | sed -n '/"launches_list"/,/\]/s/.*"cycles": *\([0-9]*\).*/\1/p')
        want=$(sed -n "s/^$kernel,$warps,4,[0-9]*,//p" test/golden/rtl_held_out.csv)
        d=$((got - want))
        [ "$d" = 0 ] || off=$((off + 1))
        case $d in -1 | 0 | 1) ;; *) echo "$kernel with $warps warps: $got cycles, the RTL took $want"; bad=1 ;; esac
    done
done <test/rtl/held_out.txt
[ "$off" -le 1 ] || { echo "$off launches are not exact"; bad=1; }
echo "$n launches"
exit $bad
