#!/bin/sh
# rtl.sh -- cycles of the engine `timing` next to those that the RTL took.
#
#   sh test/runner/rtl.sh DIRECTORY [FILTER]
#
# DIRECTORY is a checkout of the public RTL, which has the images that test/golden/rtl_cycles.csv names; rows whose
# image is not there are left out.  FILTER: only cases and benches that contain it.  Prints a row of a table for each
# launch, and at the end the mean and the largest distance of launches of one warp and of the others.
# Exits with 1 if one of these is beyond what doc/timing.md promises.
B=${B:-build}
dir=${1:?directory of the images}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# one line a case and bench: bench, then its rows as IMAGE:WARPS:CYCLES
cases() {
    awk -F, -v filter="$2" -v dir="$1" 'NR > 1 && $2 !~ /^TOTAL/ && index($1 " " $6, filter) {
        key = $6 " " $1
        if (!(key in rows)) order[++n] = key
        rows[key] = rows[key] " " $2 ":" $3 ":" $7
    }
    END { for (i = 1; i <= n; i++) print order[i] rows[order[i]] }' test/golden/rtl_cycles.csv
}

cases "$dir" "$2" | while read -r bench kernel size rows; do
    files= missing=
    for row in $rows; do
        image=${row%%:*}
        [ -e "$dir/$image" ] || missing=1
        files="$files $dir/$image $dir/${image%.metadata}.data"
    done
    [ "$missing" ] && continue
    # shellcheck disable=SC2086 # file names of the RTL have no blanks
    "$B/ventus" replay --engine timing --machine "rtl-$bench" --stats=json $files |
        sed -n '/"launches_list"/,/\]/s/.*"cycles": *\([0-9]*\).*/\1/p' >"$out"
    # shellcheck disable=SC2086
    printf '%s\n' $rows | paste -d: - "$out" | awk -F: -v name="$kernel $size" -v bench="$bench" '
        { sub(/.*\//, "", $1); sub(/\.metadata$/, "", $1)
          printf "| %s | %s | %s | %d | %d | %d | %+.2f %% |\n", name, $1, bench, $2, $3, $4, ($4 - $3) * 100 / $3 }'
done | awk -F'|' '
    NR == 1 { print "| case | launch | bench | warps | RTL | timing | distance |\n| --- | --- | --- | --- | --- | --- | --- |" }
    { print
      d = $8 + 0; d = d < 0 ? -d : d; one = $5 + 0 == 1
      n[one]++; sum[one] += d; if (d > most[one]) most[one] = d }
    END {
        if (!NR) { print "no images"; exit 1 }
        for (one = 1; one >= 0; one--) if (n[one]) {
            mean = sum[one] / n[one]
            printf "%s: %d launches, mean %.2f %%, most %.2f %%\n", one ? "one warp" : "more warps", n[one], mean, most[one]
            bad += one ? mean > 0.5 || most[one] > 1 : mean > 2 || most[one] > 5 }
        exit bad != 0 }'
