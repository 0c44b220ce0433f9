#!/bin/sh
# What --check=print finds in test/check/prints.cl: for each kernel the line and the sentence of its
# report, which must be the only one, and the exit status; with warps of 4 and of 32 lanes.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'no compiler built in'; exit 77; }
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
src=test/check/prints.cl
bad=0 runs=0

complain() {
    echo "$kernel, $lanes lanes: $1"
    cat "$T/out"
    bad=1
}

run() { # lanes, kernel, options...
    lanes=$1 kernel=$2
    shift 2
    runs=$((runs + 1))
    "$B/ventus" run --check --check-json="$T/json" --threads "$lanes" -B '-cl-std=CL3.0 -w' -k "$kernel" "$@" $src \
        >"$T/printed" 2>"$T/out"
    status=$?
}

while IFS='|' read -r kernel options mark sentence; do
    case $kernel in '' | '#'*) continue ;; esac
    for lanes in 4 32; do
        run $lanes "$kernel" $options
        if [ "$mark" = - ]; then
            [ $status = 0 ] && ! grep -q 'mistake' "$T/out" || complain "status $status, but there is no mistake"
            continue
        fi
        [ $status = 1 ] || complain "status $status"
        grep -q '^1 mistake found: 1 print$' "$T/out" || complain 'not one report of a print'
        line=$(grep -n "/\* $mark \*/" $src | cut -d: -f1)
        grep -q "^$src:$line:[0-9]*: error: print: " "$T/out" || complain "no report for line $line"
        grep -q '"check": "print"' "$T/json" || complain 'not in the JSON'
        sed 's/^ *//' "$T/out" | tr '\n' ' ' | grep -qF "$sentence" || complain "no '$sentence'"
    done
done <<'END'
no_argument|-g 8 -a i32:1|print-1|'%d' has no argument left at
no_argument_later|-g 8 -a i32:1|print-2|'%d' has no argument left at
no_conversion|-g 8 -a buf:i32:4|print-3|'%n' is no conversion of OpenCL C at
no_string|-g 8 -a i32:5|print-4|'%s' gets what is no string, 0x00000005, next to the null pointer at
null_string|-g 8 -a i32:0|print-5|'%s' gets what is no string, 0x00000000, next to the null pointer at
string_of_buffer|-g 1 -a buf:i8:64|print-6|'%s' gets a string that is no literal, at byte 0 of argument 0, 's', which has 64 at
endless_string|-g 8 -a i32:1|print-7|'%s' gets a string that does not end, at 0x
wide|-g 8 -a i32:2000|print-8|'%*d' asks for more than 1024 columns at
overflow|-g 4 -a i32:20000|print-9|the print buffer is full: what needs 24 bytes and what follows is lost; it has 1048584 at
wild|-g 64 -a buf:i32:4 -a u32:2416000000|print-10|a wild store of 4 bytes reaches the print buffer: at byte 
wild_load|-g 1 -a buf:i32:4 -a u32:2416000000|print-11|a wild load of 4 bytes reaches the print buffer: at byte 
fine|-g 64 -a buf:i32:4 -a i32:1|-
fine_unused|-g 64 -a i32:1|-
END

# how often a report was seen is how many prints were lost: of 4 times 20001 records of 24 bytes,
# the last of each of 12, those that do not fit into 1 MiB
run 4 overflow -g 4 -a i32:20000
[ "$(sed -n 's/^  seen  *\([0-9]*\) times/\1/p' "$T/out")" -gt $((4 * 20000 - 1048576 / 24 - 1)) ] ||
    complain 'not all prints that were lost are counted'

[ $bad = 0 ] && echo "$runs runs with --check=print"
exit $bad
