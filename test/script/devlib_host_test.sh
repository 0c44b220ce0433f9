#!/bin/sh
# devlib_host_test.sh -- the device library, compiled for the host: exact results, conversions, the arithmetic of double, and the
# accuracy of the others at a sample of arguments, which must be within the standard's bounds and no worse than
# doc/accuracy.md says; `make accuracy STEP=1` looks at all arguments.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'this build has no compiler'; exit 77; }
unset MAKEFLAGS MFLAGS
A=$B/test/accuracy
make -s B="$B" CC="${CC:-cc}" "$A/convert" "$A/exact" "$A/accuracy" "$A/vectors" "$A/double" "$A/fp16" "$A/arithmetic" || exit 1
"$A/convert" && "$A/vectors" && "$A/exact" && "$A/arithmetic" 200000 || exit 1
t=$(mktemp) bad=0
trap 'rm -f "$t"' EXIT

# measured HEADING PROGRAM ARGUMENT: its table has the functions of the one below the heading, and no larger errors; the
# documented ones are of more arguments, rounded
measured() {
    "$A/$2" "$3" >"$t" || { cat "$t"; bad=1; }
    awk -F ' *[|] *' -v heading="$1" '
        FNR == NR { if (/^#/) inside = $0 == heading; if (inside && /^\| `/) { known[$2] = $4; left++ }; next }
        !/^\| `/ { next }
        !($2 in known) { print $2 " is not in doc/accuracy.md"; wrong = 1; next }
        $4 > known[$2] * 1.02 + 0.001 { print $2 ": an error of " $4 " at " $5 ", documented " known[$2]; wrong = 1 }
        { left-- }
        END { if (left) print left " functions of doc/accuracy.md are not measured"; exit wrong || left != 0 }
    ' doc/accuracy.md "$t" || bad=1
    functions=$((functions + $(grep -c '^| `' "$t")))
}
measured '# Accuracy of the device library' accuracy 65521
measured '## Double' double 100000
measured '## Half' fp16 200000
[ $bad = 0 ] || exit 1
echo "$functions functions"
