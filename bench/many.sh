#!/bin/sh
# many.sh -- the small kernels of bench/many.cl on our default engine and on the machine's other OpenCL platforms.
#
#   B=build      the build to measure
#   K="..."      kernels; by default all
#   ROUNDS=2     runs that count, by turns, of which the least counts; one before them, in which platforms compile, does not
#   RECORD=1     also write bench/results/DATE-CPU-many.txt
#
# Times are microseconds of a launch, by the event's own profile, the least of many; a ratio is our time divided by the other
# platform's.  Kernels that all platforms must agree about and that leave something else are marked with "!".
set -e
cd "$(dirname "$0")/.."
b=${B:-build}
[ -x "$b/bench/many_bench" ] || { echo "there is no $b/bench/many_bench: make $b/bench/many_bench" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export VENTUS_CACHE_DIR="$tmp/cache/ventus" POCL_CACHE_DIR="$tmp/cache/pocl" XDG_CACHE_HOME="$tmp/cache"
mkdir -p "$VENTUS_CACHE_DIR" "$POCL_CACHE_DIR"
cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)

# shellcheck disable=SC2086 # kernels are several words
measure() { # PLATFORM ICD DEVICE ROUND: lines of platform, round, kernel, time, hash, exact or near
    OCL_ICD_VENDORS=$2 "$b/bench/many_bench" bench/many.cl "$3" $K | sed "s/^/$1 $4 /"
}

report() {
    echo "machine   ${cpu:-$(uname -m)}, $(nproc) processors"
    echo "version   $(git describe --always --dirty 2>/dev/null)"
    echo
    for r in $(seq 0 "${ROUNDS:-2}"); do
        for icd in /etc/OpenCL/vendors/*.icd; do
            name=$(basename "$icd" .icd)
            [ ! -f "$icd" ] || [ "$name" = ventus ] || measure "$name" "$icd" '' "$r"
        done
        measure ours "$PWD/$b/ventus.icd" Ventus "$r"
    done | awk '
        !($3 in known) { known[$3]; kernel[++nk] = $3 }
        !($1 in seen) { seen[$1]; if ($1 != "ours") other[++no] = $1 }
        $2 > 0 { key = $1 " " $3; if (!(key in t) || $4 < t[key]) t[key] = $4 }
        $2 == 0 { hash[$1 " " $3] = $5; exact[$3] = $6 == "exact" }
        END {
            printf "%-12s %10s", "us", "ours"
            for (o = 1; o <= no; o++) printf " %10s %10s", other[o], "ours/" other[o]
            print ""
            for (k = 1; k <= nk; k++) {
                x = kernel[k]; bad = ""
                printf "%-12s %10.1f", x, t["ours " x]
                for (o = 1; o <= no; o++) {
                    p = t[other[o] " " x]
                    if (exact[x] && hash["ours " x] != hash[other[o] " " x]) bad = " !"
                    if (p > 0) { s[o] += log(t["ours " x] / p); n[o]++; above[o] += (t["ours " x] > 1.5 * p) }
                    printf " %10.1f %10.2f", p, (p > 0 ? t["ours " x] / p : 0)
                }
                print bad
            }
            for (o = 1; o <= no; o++)
                if (n[o])
                    printf "\n%s: geometric mean %.3f of %d, %d above 1.5\n", other[o], exp(s[o] / n[o]), n[o], above[o]
        }'
}

if [ "$RECORD" ]; then
    report | tee "bench/results/$(date +%F)-$(echo "${cpu:-cpu}" | tr -cs 'A-Za-z0-9\n' '-' | sed 's/-*$//')-many.txt"
else
    report
fi
