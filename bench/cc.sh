#!/bin/sh
# cc.sh -- what the compiler makes: instructions that its kernels take, their size, and how
# long it needs.
#
#   B=build      the build to measure
#   N=5          runs of each compilation, of which the shortest counts
#   RECORD=1     also write bench/results/DATE-cc.txt
#
# Instructions are those of all warps, start code included.  Times are by the clock, of whole builds without
# the cache: `first` in a process, which starts the compiler's process, and `next`; `program` is all of
# `ventus cc`, `processor` the time that all its processes take together, and `again` the program with the cache.
set -e
cd "$(dirname "$0")/.."
b=${B:-build} n=${N:-5} tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
VENTUS_CACHE_DIR=$tmp/cache
export VENTUS_CACHE_DIR

# name, options
kernels() {
    echo 'vecadd|-g 4096 -l 256 -a buf:f32:4096 -a buf:f32:4096 -a buf:f32:4096'
    echo 'saxpy|-g 1024 -l 256 -a buf:f32:16384 -a buf:f32:16384 -a f32:2 -a i32:16384'
    echo 'matmul|-g 64,64 -l 16,16 -a buf:f32:4096 -a buf:f32:4096 -a buf:f32:4096 -a i32:64'
    echo 'tiled|-g 64,64 -l 8,8 -a buf:f32:4096 -a buf:f32:4096 -a buf:f32:4096 -a i32:64'
    echo 'reduce|-g 4096 -l 256 -a buf:i32:4096=iota -a buf:i32:16 -a local:1024'
    echo 'stencil|-g 64,64 -l 16,16 -a buf:f32:4096 -a buf:f32:4096 -a i32:64 -a i32:64'
    echo 'histogram|-g 1024 -l 256 -a buf:u8:16384=rand:1 -a buf:u32:256 -a i32:16384'
    echo 'mandelbrot|-g 64,32 -l 16,16 -a buf:i32:2048 -a i32:64'
}

counter() { sed -n 's/.*"'"$1"'": *\([0-9][0-9]*\).*/\1/p' "$tmp/stats" | head -1; }

# shellcheck disable=SC2086 # options are several words
count() {
    printf '%-12s %8s %14s %16s\n' kernel warps instructions 'for each warp'
    kernels | while IFS='|' read -r name options; do
        "$b/ventus" run -k "$name" $options --stats=json --stats-file="$tmp/stats" \
            bench/kernels.cl >/dev/null
        awk -v k="$name" -v w="$(counter warps)" -v i="$(counter insns)" \
            'BEGIN { printf "%-12s %8d %14d %16.1f\n", k, w, i, i / w }'
    done
}

# least milliseconds by the clock, or of all processes' processor time
least() { # clock|processor command...
    what=$1
    shift
    "$b/bench/cc_bench" --all "$n" "$@" | awk -v k="$([ "$what" = clock ] && echo 1 || echo 3)" '{ print $k }'
}

# least of the first builds of processes (column 1), or of those that follow (2)
builds() { # column file
    i=0
    while [ $i -lt "$n" ]; do
        "$b/bench/cc_bench" "$2" 3
        i=$((i + 1))
    done | awk -v k="$1" 'NR == 1 || $k < v { v = $k } END { print v }'
}

# straight code and loops, some twenty thousand instructions
large() {
    echo 'kernel void large(global int *p, int n) { int i = get_global_id(0), x = p[i], y = n;'
    k=0
    while [ $k -lt 400 ]; do
        echo "for (int j = 0; j < (y & 7); j++) x = x * $((k + 3)) + (y ^ p[j + $k]);"
        echo "if (x & $((k + 1))) y += x / (n + $k); else y ^= x >> $((k % 31));"
        k=$((k + 1))
    done
    echo 'p[i] = x + y; }'
}

durations() {
    sed -n '/kernel void vecadd/,/^}/p' bench/kernels.cl >"$tmp/small.cl"
    large >"$tmp/large.cl"
    printf '%-12s %8s %10s %10s %12s %14s %10s\n' source bytes 'first, ms' 'next, ms' 'program, ms' 'processor, ms' 'again, ms'
    for f in "$tmp/small.cl" bench/kernels.cl "$tmp/large.cl"; do
        set -- "$b/ventus" cc -o "$tmp/out.elf" "$f"
        "$@"
        again=$(least clock "$@")
        elf=$(wc -c <"$tmp/out.elf")
        printf '%-12s %8s %10s %10s %12s %14s %10s\n' "$(basename "$f")" "$elf" "$(builds 1 "$f")" "$(builds 2 "$f")" \
            "$(VENTUS_CACHE=0 least clock "$@")" "$(VENTUS_CACHE=0 least processor "$@")" "$again"
    done
}

report() {
    echo "version   $(git describe --always 2>/dev/null || echo unknown), $n runs"
    echo
    count
    echo
    durations
}

if [ "$RECORD" ]; then
    report | tee "bench/results/$(date +%F)-cc.txt"
else
    report
fi
