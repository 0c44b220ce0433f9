#!/bin/sh
# time.sh -- how fast the engine `timing` is (doc/timing.md, "Speed and memory"): cycles of one SM that it simulates in a
# second of processor time, starting included, the best of N runs, and the memory that it takes at most.
#
#   B=build   the build to measure
#   N=3       runs
b=${B:-build} n=${N:-3} tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$(dirname "$0")/.." || exit 1
"$b/ventus" cc -o "$tmp/check.elf" bench/check.cl || exit 1

run() { # OPTION...: processor time in s and peak memory in KiB of the best run
    i=0
    while [ $i -lt "$n" ]; do
        /usr/bin/time -f '%U %S %M' "$b/ventus" run --engine timing "$@" "$tmp/check.elf" 2>&1 >/dev/null |
            awk '{ print $1 + $2, $3 }'
        i=$((i + 1))
    done | sort -n | head -1
}

cycles() {
    "$b/ventus" run --engine timing "$@" --stats "$tmp/check.elf" | awk '$1 == "cycles" { print $2 }'
}

echo "kernel     machine     SMs       cycles  seconds  cycles of an SM a second      MiB"
while read -r kernel machine sms global local args; do
    set -- --machine "$machine" --sms "$sms" -k "$kernel" -g "$global" -l "$local" $args
    [ "$machine" = default ] || set -- --threads 4 --warps 8 "$@"
    echo "$kernel $machine $sms $(cycles "$@") $(run "$@")" |
        awk '{ printf "%-10s %-11s %3d %12d %8.2f %26.2f M %8.0f\n", $1, $2, $3, $4, $5, $3 * $4 / $5 / 1e6, $6 / 1024 }'
done <<END
mandel    rtl-direct 1 2048   32 -a buf:i32:2048
tiles     rtl-direct 1 256    32 -a buf:i32:256 -a buf:i32:256=iota -a local:256
stream    rtl-direct 1 2048   32 -a buf:f32:2048 -a buf:f32:2048=1 -a buf:f32:2048=1
histogram chisel     1 1024   32 -a buf:i32:4096 -a buf:i32:1024=iota
mandel    default    1 16384  64 -a buf:i32:16384
tiles     default    1 2048   64 -a buf:i32:2048 -a buf:i32:2048=iota -a local:256
stream    default    1 32768  64 -a buf:f32:32768 -a buf:f32:32768=1 -a buf:f32:32768=1
histogram default    1 8192   64 -a buf:i32:256 -a buf:i32:8192=iota
stream    default    2 32768  64 -a buf:f32:32768 -a buf:f32:32768=1 -a buf:f32:32768=1
stream    default    8 32768  64 -a buf:f32:32768 -a buf:f32:32768=1 -a buf:f32:32768=1
stream    default   64 32768  64 -a buf:f32:32768 -a buf:f32:32768=1 -a buf:f32:32768=1
END
