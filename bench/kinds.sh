#!/bin/sh
# kinds.sh -- OpenCL programs of many kinds (bench/kinds_bench.c) on our engines and on the machine's
# other OpenCL platforms, such as Debian's pocl-opencl-icd, one after the other.
#
#   B=build      the build to measure
#   E="..."      engines; by default those that are built in
#   K="..."      kinds; by default all
#   RECORD=1     also write bench/results/DATE-CPU-kinds.txt
#
# Times are microseconds of the kernels of a turn, by the events' own profile; a ratio is our time divided by
# the other platform's, so that small is good.  The last lines are the geometric means of the ratios of kernel times,
# of whole turns with their calls, and of the processor time in turns, which other jobs on the machine disturb least.
set -e
cd "$(dirname "$0")/.."
b=${B:-build}
[ -x "$b/bench/kinds_bench" ] || { echo "there is no $b/bench/kinds_bench: make $b/bench/kinds_bench" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# beside the results, which have the platforms' names
export VENTUS_CACHE_DIR="$tmp/cache/ventus" POCL_CACHE_DIR="$tmp/cache/pocl" XDG_CACHE_HOME="$tmp/cache"
mkdir -p "$VENTUS_CACHE_DIR" "$POCL_CACHE_DIR"

cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)
[ "$cpu" ] || cpu=$(uname -m)

# shellcheck disable=SC2086 # kinds are several words
measure() { # ICD DEVICE
    OCL_ICD_VENDORS=$1 "$b/bench/kinds_bench" bench/kinds.cl "$2" $K
}

report() {
    echo "machine   $cpu, $(nproc) processors"
    echo "version   $(git describe --always --dirty 2>/dev/null)"
    echo
    names='' files=''
    for icd in /etc/OpenCL/vendors/*.icd; do
        name=$(basename "$icd" .icd)
        [ -f "$icd" ] && [ "$name" != ventus ] || continue
        measure "$icd" '' >"$tmp/$name" || { echo "$name: something is wrong, left out"; continue; }
        names="$names $name" files="$files $tmp/$name"
    done
    others=$(echo "$names" | wc -w)
    for e in ${E:-$("$b/ventus" info | sed -n 's/^engine \([a-z]*\):.*/\1/p')}; do
        VENTUS_ENGINE=$e measure "$PWD/$b/ventus.icd" Ventus >"$tmp/$e" || echo "$e: something is wrong"
        names="$names $e" files="$files $tmp/$e"
    done
    # shellcheck disable=SC2086
    awk -v names="$names" -v others="$others" '
        FNR == 1 { f++ }
        { if (f == 1) kind[++n] = $1
          time[f, $1] = $2; wall[f, $1] = $3; used[f, $1] = $4; if ($6 != "ok") bad[f, $1] = "!" }
        END {
            m = split(names, name, " ")
            printf "%-12s", "kernel us"
            for (i = 1; i <= m; i++) printf " %12s", name[i]
            for (o = 1; o <= others; o++) for (i = others + 1; i <= m; i++) printf " %14s", name[i] "/" name[o]
            print ""
            for (k = 1; k <= n; k++) {
                printf "%-12s", kind[k]
                for (i = 1; i <= m; i++) printf " %12s", time[i, kind[k]] bad[i, kind[k]]
                for (o = 1; o <= others; o++) for (i = others + 1; i <= m; i++) {
                    r = time[i, kind[k]] / time[o, kind[k]]
                    printf " %14.3f", r
                    sum[o, i] += log(r)
                    whole[o, i] += log(wall[i, kind[k]] / wall[o, kind[k]])
                    cpu[o, i] += log(used[i, kind[k]] / used[o, kind[k]])
                }
                print ""
            }
            if (!others) exit
            printf "%-12s", "mean"
            for (i = 1; i <= m; i++) printf " %12s", ""
            for (o = 1; o <= others; o++) for (i = others + 1; i <= m; i++) printf " %14.3f", exp(sum[o, i] / n)
            printf "\n%-12s", "mean, turns"
            for (i = 1; i <= m; i++) printf " %12s", ""
            for (o = 1; o <= others; o++) for (i = others + 1; i <= m; i++) printf " %14.3f", exp(whole[o, i] / n)
            printf "\n%-12s", "mean, used"
            for (i = 1; i <= m; i++) printf " %12s", ""
            for (o = 1; o <= others; o++) for (i = others + 1; i <= m; i++) printf " %14.3f", exp(cpu[o, i] / n)
            print ""
        }' $files
}

if [ "$RECORD" ]; then
    mkdir -p bench/results
    out=bench/results/$(date +%F)-$(echo "$cpu" | tr -cs 'A-Za-z0-9\n' '-' | sed 's/-*$//')-kinds.txt
    report | tee "$out"
    echo "written to $out" >&2
else
    report
fi
