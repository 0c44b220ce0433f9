#!/bin/sh
# rtl_held_out.sh -- the kernels of test/rtl on the Verilated RTL and on the engine `timing`.
#
#   sh test/runner/rtl_held_out.sh BENCH [LANES]
#
# BENCH is a program that runs launches on the RTL with so many lanes: BENCH +list=FILE takes a .metadata and a .data file
# from each line of FILE and prints, after the name of the first, the cycles from the request to the response.  Prints a
# row for each launch, and at the end the mean and the largest distance.
B=${B:-build}
bench=${1:?program that runs the RTL}
lanes=${2:-4}
work=$PWD/$B/rtl/$lanes
mkdir -p "$work"
# with the start code of the day on which the RTL was measured
"$B/ventus" as -o "$work/start.o" test/rtl/start.s && "$B/ventus" as -o "$work/held_out.o" test/rtl/held_out.s &&
    "$B/ventus" ld --no-crt0 -o "$work/held_out.elf" "$work/start.o" "$work/held_out.o" || exit 1

while read -r kernel arguments; do
    options=
    for a in $arguments; do options="$options -a $a"; done
    for warps in 1 2 4 8; do
        out=$work/$kernel$warps
        items=$((warps * lanes))
        rm -rf "$out"
        # shellcheck disable=SC2086 # arguments have no blanks
        "$B/ventus" run --threads "$lanes" --warps 8 -k "$kernel" -g $items -l $items $options \
            --export-replay="$out" "$work/held_out.elf" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
        echo "$out/${kernel}_0.metadata $out/${kernel}_0.data" >"$work/list"
        measured=$("$bench" "+list=$work/list" | sed -n 's/.*metadata //p')
        cycles=$("$B/ventus" replay --engine timing --machine rtl-direct --stats=json "$out/${kernel}_0.metadata" \
            "$out/${kernel}_0.data" | sed -n '/"launches_list"/,/\]/s/.*"cycles": *\([0-9]*\).*/\1/p')
        echo "$kernel $warps $measured $cycles"
    done
done <test/rtl/held_out.txt | awk '
    { d = ($4 - $3) * 100 / $3; printf "| %s | %d | %d | %d | %+.2f %% |\n", $1, $2, $3, $4, d
      d = d < 0 ? -d : d; n++; sum += d; if (d > most) most = d }
    END { if (n) printf "%d launches, mean %.2f %%, most %.2f %%\n", n, sum / n, most; exit !n }'
