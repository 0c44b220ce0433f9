#!/bin/sh
# demo.sh -- runs the OpenCL programs of examples/ through the system's loader, then the kernels of
# test/run, and tells of each whether its results are right; of kernels also size,
# instructions and time.  Builds nothing.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
export B
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
good=0 bad=0
# an OpenCL program on the simulated GPU
example() { # name
    began=$(date +%s.%N)
    OCL_ICD_VENDORS=$PWD/$B/ventus.icd timeout 120 "$B/examples/$1" >"$scratch/out" 2>&1
    seconds=$(echo "$began $(date +%s.%N)" | awk '{ print $2 - $1 }')
    if grep -qx "$1: passed" "$scratch/out"; then
        word=OK good=$((good + 1))
    else
        word=FAIL bad=$((bad + 1))
    fi
    printf '%-28s %-14s %-4s %14s %10.3f\n' "$1" '' "$word" '' "$seconds"
    [ "$word" = OK ] || cat "$scratch/out"
}

printf '%-28s %-14s %-4s %14s %10s\n' 'OpenCL program' '' '' '' seconds
if [ -e "$B/libventus-opencl.so" ] && [ -e "$B/ventus-cc1" ]; then
    for f in examples/*.c; do example "$(basename "$f" .c)"; done
else
    echo 'left out: this build has no compiler or no OpenCL runtime'
fi
echo
printf '%-28s %-14s %-4s %14s %10s\n' kernel size '' instructions seconds

demo() { # file
    size=$(sed -n 's/.*ventus run.* -g *\([0-9,]*\).*/\1/p' "$1" | head -n 1)
    # the test once for its result, its commands once more for the numbers
    verdict=$(sh test/runner/run.sh --one "$1")
    sed -n 's,^[[:space:]]*[#;/]*[[:space:]]*run:[[:space:]]*,,p' "$1" |
        sed "s|%s|$1|g; s|%d|$(dirname "$1")|g; s|%b|$B|g; s|%t|$scratch/t|g; s|%e|interp|g
             s|ventus run|ventus run -v|g" >"$scratch/commands"
    sh "$scratch/commands" 2>&1 >/dev/null </dev/null |
        sed -n 's/^[^ ]*: [0-9]* groups of [0-9]* warps, \([0-9]*\) instructions, \([0-9.]*\) s;.*/\1 \2/p' |
        awk '{ n += $1; s += $2 } END { printf "%d %.3f\n", n, s }' >"$scratch/numbers"
    read -r insns seconds <"$scratch/numbers"
    case $verdict in
    SKIP*) return ;;
    *FAIL*) word=FAIL bad=$((bad + 1)) ;;
    *) word=OK good=$((good + 1)) ;;
    esac
    printf '%-28s %-14s %-4s %14s %10s\n' "$(basename "$1")" "$size" "$word" "$insns" "$seconds"
    [ "$word" = OK ] || echo "$verdict"
}

for f in test/run/*; do
    # kernels whose results are shown; those that are there to fault are tests alone
    if grep -q 'ventus run' "$f" && ! grep -qE '^[#;/ ]*(fail$|exit:)' "$f"; then demo "$f"; fi
done
echo "$good programs and kernels gave the right results, $bad did not"
[ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
