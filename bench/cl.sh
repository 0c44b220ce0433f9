#!/bin/sh
# cl.sh -- what calls of OpenCL cost (bench/cl_bench.c), here and with the machine's other
# OpenCL platforms.
#
#   B=build      the build to measure
#   N=3          runs; the median counts
#   OTHERS=1     0: only ours
#   RECORD=1     also write bench/results/DATE-CPU-opencl.txt
#
# A ratio is how many times faster ours is.
set -e
cd "$(dirname "$0")/.."
b=${B:-build} n=${N:-3}
[ -x "$b/bench/cl_bench" ] || { echo "there is no $b/bench/cl_bench: make $b/bench/cl_bench" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# nobody's caches, so that cold is cold
export VENTUS_CACHE_DIR="$tmp/ventus" POCL_CACHE_DIR="$tmp/pocl" XDG_CACHE_HOME="$tmp"

cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)
[ "$cpu" ] || cpu=$(uname -m)

# name, median and unit of the runs of a platform, in the order of the first run
medians() { # ICD DEVICE
    i=0
    while [ $i -lt "$n" ]; do
        OCL_ICD_VENDORS=$1 "$b/bench/cl_bench" "$2" || return 1
        i=$((i + 1))
    done >"$tmp/runs"
    awk '!seen[$1]++ { print $1, $3 }' "$tmp/runs" | while read -r name unit; do
        value=$(awk -v k="$name" '$1 == k { print $2 }' "$tmp/runs" | sort -g | sed -n "$((n / 2 + 1))p")
        echo "$name $value $unit"
    done
}

# the loader's other libraries, and what their platforms are called
others() {
    [ "${OTHERS:-1}" = 1 ] || return 0
    for icd in /etc/OpenCL/vendors/*.icd; do
        name=$(basename "$icd" .icd)
        [ -f "$icd" ] && [ "$name" != ventus ] && echo "$name $icd"
    done
}

report() {
    echo "machine   $cpu, $(nproc) processors"
    echo "version   $(git describe --always --dirty 2>/dev/null), median of $n runs"
    medians "$PWD/$b/ventus.icd" Ventus >"$tmp/ours"
    others | while read -r name icd; do
        echo
        if ! medians "$icd" '' >"$tmp/theirs" 2>"$tmp/why"; then
            echo "$name: $(tail -1 "$tmp/why")"
            continue
        fi
        printf '%-20s %12s %12s %9s  %s\n' what ventus "$name" ratio unit
        # times are better small, rates large
        awk 'NR == FNR { theirs[$1] = $2; next }
             { r = $3 ~ /s$/ && $3 !~ /\// ? theirs[$1] / $2 : $2 / theirs[$1]
               printf "%-20s %12s %12s %9.3g  %s\n", $1, $2, theirs[$1], r, $3 }' "$tmp/theirs" "$tmp/ours"
        : >"$tmp/compared"
    done
    [ -f "$tmp/compared" ] || { echo; awk '{ printf "%-20s %12s  %s\n", $1, $2, $3 }' "$tmp/ours"; }
}

if [ "$RECORD" ]; then
    mkdir -p bench/results
    out=bench/results/$(date +%F)-$(echo "$cpu" | tr -cs 'A-Za-z0-9\n' '-' | sed 's/-*$//')-opencl.txt
    report | tee "$out"
    echo "written to $out" >&2
else
    report
fi
