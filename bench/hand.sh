#!/bin/sh
# hand.sh -- host code of the loops in bench/*.s beside the same loops in C with vectors (hand.c), on one host thread, turn
# by turn, in processor time.  Of a kernel, that of a run with next to no work is taken off.
#
#   B=build      the build to measure
#   N=5          turns; the median counts
#   HAND=clang   the compiler of hand.c
set -e
cd "$(dirname "$0")/.."
b=${B:-build} n=${N:-5} tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
${HAND:-clang} -O3 -march=native -o "$tmp/hand" bench/hand.c

# name, options of a full run, options of an idle one, as in bench.sh
kernels() { sed -n '/^kernels() {/,/^}/s/^ *echo .\(int\|fma\|stream\|diverge\)|\(.*\).$/\1|\2/p' bench/bench.sh; }
median() { sort -n "$1" | sed -n "$((n / 2 + 1))p"; }
kernel() { "$tmp/hand" time "$b/ventus" run --engine jit -j 1 -k "$@"; }

echo "machine   $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)"
echo "version   $(git describe --always --dirty 2>/dev/null), ${HAND:-clang} $(${HAND:-clang} -dumpversion), median of $n turns"
echo
printf '%-8s %10s %10s %8s\n' kernel hand ventus ratio
# shellcheck disable=SC2086 # options are several words
kernels | while IFS='|' read -r name full idle; do
    kernel "$name" $full "bench/$name.s" >/dev/null # its code is on the disk now
    : >"$tmp/by-hand"
    : >"$tmp/by-ventus"
    i=0
    while [ $i -lt "$n" ]; do
        "$tmp/hand" "$name" | sed 's/.* //' >>"$tmp/by-hand"
        echo $(($(kernel "$name" $full "bench/$name.s") - $(kernel "$name" $idle "bench/$name.s"))) >>"$tmp/by-ventus"
        i=$((i + 1))
    done
    awk -v name="$name" -v h="$(median "$tmp/by-hand")" -v v="$(median "$tmp/by-ventus")" \
        'BEGIN { printf "%-8s %10.3f %10.3f %8.2f\n", name, h / 1e9, v / 1e9, v / h }'
done
