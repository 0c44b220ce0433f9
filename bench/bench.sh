#!/bin/sh
# bench.sh -- how fast kernels run: warp and lane instructions a second, for each engine
# and number of host threads.
#
#   B=build      the build to measure
#   E="interp"   engines, by default those that are built in
#   N=5          runs; the median counts
#   RECORD=1     also write bench/results/DATE-CPU.txt
#
# Instructions are counted in a run of their own (statistics slow a run down); the time is
# of the whole process with start, assembly and buffers, less that of the same kernel with
# next to no work.
set -e
cd "$(dirname "$0")/.."
b=${B:-build} n=${N:-5} tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cpus=$(nproc)
cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)
[ "$cpu" ] || cpu=$(uname -m)

# name, options of a full run, options of an idle one
kernels() {
    echo 'int|-g 16384 -l 256 -a buf:u32:16384 -a i32:40000|-g 16384 -l 256 -a buf:u32:16384 -a i32:4'
    echo 'fma|-g 16384 -l 256 -a buf:f32:16384 -a i32:40000|-g 16384 -l 256 -a buf:f32:16384 -a i32:1'
    echo 'stream|-g 16384 -l 256 -a buf:u32:4194304 -a buf:u32:4194304 -a buf:u32:4194304 -a i32:4194304 -a i32:50|-g 16384 -l 256 -a buf:u32:4194304 -a buf:u32:4194304 -a buf:u32:4194304 -a i32:16384 -a i32:1'
    echo 'diverge|-g 1048576 -l 256 -a buf:u32:1048576|-g 256 -l 256 -a buf:u32:1048576'
    echo 'mma|--isa v2025 -g 16384 -l 256 -a buf:f32:16384 -a i32:100|--isa v2025 -g 16384 -l 256 -a buf:f32:16384 -a i32:1'
}

run() { # engine threads name options
    e=$1 j=$2 k=$3
    shift 3
    "$b/ventus" run --engine "$e" -j "$j" -k "$k" "$@" "bench/$k.s"
}

nanoseconds() {
    start=$(date +%s%N)
    run "$@"
    echo $(($(date +%s%N) - start))
}

median() { # of n runs
    i=0
    while [ $i -lt "$n" ]; do
        nanoseconds "$@"
        i=$((i + 1))
    done | sort -n | sed -n "$((n / 2 + 1))p"
}

counter() { sed -n 's/.*"'"$1"'": *\([0-9]*\).*/\1/p' "$tmp/stats" | head -1; }

# instructions a nanosecond
giga() { awk -v a="$1" -v ns="$2" 'BEGIN { printf "%.3g", a / ns }'; }

# shellcheck disable=SC2086 # options are several words
bench() { # engine
    kernels | while IFS='|' read -r name full idle; do
        run interp 1 "$name" $full --stats=json --stats-file="$tmp/stats" >/dev/null
        warp=$(counter insns) lane=$(counter lane_insns)
        run interp 1 "$name" $idle --stats=json --stats-file="$tmp/stats" >/dev/null
        warp=$((warp - $(counter insns))) lane=$((lane - $(counter lane_insns)))
        for j in $(printf '%s\n' 1 2 "$cpus" | sort -nu); do
            [ "$j" -le "$cpus" ] || continue
            ns=$(($(median "$1" "$j" "$name" $full) - $(median "$1" "$j" "$name" $idle)))
            printf '%-8s %-7s %7d %10.3f %12.1f %12s %12s\n' "$name" "$1" "$j" \
                "$(awk -v ns=$ns 'BEGIN { print ns / 1e9 }')" \
                "$(awk -v w=$warp 'BEGIN { print w / 1e6 }')" "$(giga "$warp" "$ns")" "$(giga "$lane" "$ns")"
        done
    done
}

engines=${E:-$("$b/ventus" info | sed -n 's/^engine \([a-z]*\):.*/\1/p')}
report() {
    echo "machine   $cpu, $cpus processors"
    echo "version   $(git describe --always --dirty 2>/dev/null), median of $n runs"
    echo
    printf '%-8s %-7s %7s %10s %12s %12s %12s\n' kernel engine threads seconds 'million warp' 'warp 1e9/s' 'lane 1e9/s'
    for e in ${engines:-interp}; do
        bench "$e"
    done
}

if [ "$RECORD" ]; then
    mkdir -p bench/results
    out=bench/results/$(date +%F)-$(echo "$cpu" | tr -cs 'A-Za-z0-9\n' '-' | sed 's/-*$//').txt
    report | tee "$out"
    echo "written to $out" >&2
else
    report
fi
