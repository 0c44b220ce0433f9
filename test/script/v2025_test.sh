#!/bin/sh
# v2025_test.sh -- how much of the kernels of profile v2025 in test/run is left to the interpreter by engine jit: nothing,
# or what the table names.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
"$B/ventus" info | grep -q '^engine jit:' || { echo 'this build makes no host code'; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# kernel, most hundredths of its instructions that are left, which they are; others have none to name
level=$("$B/ventus" info | sed -n 's/^lanes: \([a-z0-9]*\) .*/\1/p')
left() {
    case $level:$1 in # what a host without conversions of halves does not do either
    base:v25_mma_formats) echo 2; return ;;
    base:v25_mma_rounding) echo 11; return ;;
    esac
    case $1 in
    v25_chase) echo 20 ;;        # accesses by 64-bit addresses, atomics
    v25_wide_copy) echo 14 ;;    # records of words that do not lie one after the other, atomics
    v25_spaces) echo 8 ;;        # atomics
    v25_mma_rounding) echo 7 ;;  # products that are not rounded to nearest
    v25_dot64) echo 3 ;;         # atomics, barriers of warps with lanes off
    v25_fault_early) echo 12 ;;  # copies
    v25_gemm_*) echo 2 ;;        # conversions by 64-bit words, atomics
    *) echo 1 ;;
    esac
}

n=0
for file in test/run/v25_*.s; do
    name=$(basename "$file" .s)
    case $name in
    v25_fault_copy | v25_fault_lanes | v25_fault_pair | v25_fault_shape) continue ;; # a few instructions
    v25_fir) continue ;;                                                             # --check-copies is the interpreter's
    esac
    sed -n 's/^# run: //p' "$file" |
        sed "s|%b/ventus run|$B/ventus run -v|g; s|%b|$B|g; s|%s|$file|g; s|%t|$dir/t|g; s|%e|jit|g" >"$dir/commands"
    sh -e "$dir/commands" >"$dir/out" 2>&1
    share=$(awk '/^jit: /{host += $2; other += $7} END {print host ? int(100 * other / (host + other) + 0.999) : 100}' "$dir/out")
    if [ "$share" -gt "$(left "$name")" ]; then
        echo "$name: $share in 100 instructions are left to the interpreter"
        grep '^jit: ' "$dir/out"
        exit 1
    fi
    n=$((n + 1))
done
echo "$n kernels"
