#!/bin/sh
# short.sh -- short OpenCL programs: each kind of bench/kinds.cl once in a program of its own, which runs three times, on our
# default engine and on the machine's other OpenCL platforms.  What the first has compiled the others find on the disk.
#
#   B=build      the build to measure
#   K="..."      kinds; by default all
#   ROUNDS=3     times from an empty disk on; the medians count
#   RECORD=1     also write bench/results/DATE-CPU-short.txt
#
# Times are microseconds of the first, second and third run: of the kernels, by the events' own profile, and of a turn with all its
# calls, in which other platforms may compile; a ratio is our time of that run divided by the other platform's.
set -e
cd "$(dirname "$0")/.."
b=${B:-build}
[ -x "$b/bench/kinds_bench" ] || { echo "there is no $b/bench/kinds_bench: make $b/bench/kinds_bench" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)
kinds=${K:-hash mandelbrot histogram nbody matmul reduce bitonic saxpy stencil gemm atax bfs transpose scan search options spmv kmeans}

runs() { # NAME ICD DEVICE: lines of what is measured, platform, kind, number of the run, microseconds
    for k in $kinds; do
        rm -rf "$tmp/cache"
        mkdir -p "$tmp/cache/ventus" "$tmp/cache/pocl"
        for i in 1 2 3; do
            VENTUS_CACHE_DIR="$tmp/cache/ventus" POCL_CACHE_DIR="$tmp/cache/pocl" OCL_ICD_VENDORS=$2 \
                "$b/bench/kinds_bench" -1 bench/kinds.cl "$3" "$k" |
                awk -v p="$1" -v i=$i '{ print "kernels", p, $1, i, $2; print "turns", p, $1, i, $3 } $4 != "ok" { print p ": " $1 " is wrong" >"/dev/stderr" }'
        done
    done
}

report() {
    echo "machine   ${cpu:-$(uname -m)}, $(nproc) processors"
    echo "version   $(git describe --always --dirty 2>/dev/null)"
    echo
    others=''
    for icd in /etc/OpenCL/vendors/*.icd; do
        name=$(basename "$icd" .icd)
        [ ! -f "$icd" ] || [ "$name" = ventus ] || others="$others $name"
    done
    for _ in $(seq "${ROUNDS:-3}"); do
        for o in $others; do runs "$o" "/etc/OpenCL/vendors/$o.icd" ''; done
        runs ours "$PWD/$b/ventus.icd" Ventus
    done | sort -k1,4 -k5n | awk -v others="$others" -v kinds="$kinds" '
        { key = $1 " " $2 " " $3 " " $4; v[key, n[key]++] = $5 }
        function mid(what, p, k, i,    key) { key = what " " p " " k " " i; return v[key, int(n[key] / 2)] }
        function table(what,    i, j, q, s, c, o, x) {
            printf "%-12s", what " us"
            for (j = 1; j <= np; j++) for (i = 1; i <= 3; i++) printf " %10s", p[j] " " i
            for (j = 2; j <= np; j++) for (i = 1; i <= 3; i++) printf " %10s", "/" p[j] " " i
            print ""
            for (q = 1; q <= nk; q++) {
                printf "%-12s", k[q]
                for (j = 1; j <= np; j++) for (i = 1; i <= 3; i++) printf " %10.1f", mid(what, p[j], k[q], i)
                for (j = 2; j <= np; j++) for (i = 1; i <= 3; i++) {
                    o = mid(what, p[j], k[q], i)
                    x = o > 0 ? mid(what, "ours", k[q], i) / o : 0
                    if (x > 0) { s[j, i] += log(x); c[j, i]++ }
                    printf " %10.3f", x
                }
                print ""
            }
            printf "%-12s", "mean"
            for (j = 1; j <= 3 * np; j++) printf " %10s", ""
            for (j = 2; j <= np; j++) for (i = 1; i <= 3; i++) printf " %10.3f", c[j, i] ? exp(s[j, i] / c[j, i]) : 0
            print "\n"
        }
        END {
            np = split("ours" others, p, " "); nk = split(kinds, k, " ")
            table("kernels"); table("turns")
        }'
}
out=/dev/null
[ ! "$RECORD" ] || out="bench/results/$(date +%Y-%m-%d)-$(echo "${cpu:-$(uname -m)}" | tr -cs 'A-Za-z0-9' '-' | sed 's/-$//')-short.txt"
report | tee "$out"
