#!/bin/sh
# demo.sh -- runs the kernels of test/run and tells of each its size, whether its results
# are right, how many instructions it took, and the time.  Builds nothing.
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
export B
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
good=0 bad=0
printf '%-28s %-14s %-4s %14s %10s\n' kernel size '' instructions seconds

demo() { # file
    size=$(sed -n 's/.*ventus run.* -g *\([0-9,]*\).*/\1/p' "$1" | head -n 1)
    # the test once for its result, its commands once more for the numbers
    verdict=$(sh check/run.sh --one "$1")
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
echo "$good kernels gave the right results, $bad did not"
[ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
