#!/bin/sh
# run.sh [--bless] [-jN] FILE... -- runs tests that are written inside their files.
#
# A test is one file, in the language it tests; its comments (after #, ; or //) say
# what to do with it and, at the end, what must come out:
#
#   run: COMMAND       lines for sh -e.  %s is this file, %d its directory, %b the build
#                      directory, %t a scratch path, %e the engine
#   on: interp jit     once for each engine (with VENTUS_ENGINE on that one); those that are not built in are skipped
#   fail               the commands must not succeed
#   exit: N            they must end with status N
#   skip: COMMAND      where this succeeds the file is skipped
#   limit: N           the seconds it may take, when they are more than usual (limit.sh)
#   out: ... end       what stdout and stderr must be together
#
# --bless writes what came out into the out: block.  Death by a signal is never what was
# wanted.  Prints FAIL and the reason for each failure, and at last the sums.
B=${B:-build}
self=$0
. "$(dirname "$0")/limit.sh"

# the texts after "WORD:" in the comments of a file
words() { sed -n "s,^[[:space:]]*[#;/][#;/]*[[:space:]]*$1:[[:space:]]*,,p" "$2"; }
flag() { grep -q "^[[:space:]]*[#;/][#;/]*[[:space:]]*$1[[:space:]]*\$" "$2"; }

wanted() { # the out: block of file $1, comment marks taken off
    awk '{ text = $0; is = sub(/^[ \t]*[#;\/]+ ?/, "", text) }
         is && text ~ /^ *out: *$/ { on = 1; next }
         is && text ~ /^ *end *$/ { on = 0 }
         on { print text }' "$1"
}

bless() { # replaces the out: block of file $1 by file $2
    awk -v got="$2" '
        { text = $0; mark = $0; is = sub(/^[ \t]*[#;\/]+ ?/, "", text)
          sub(/[ \t]*out: *$/, "", mark) }
        is && text ~ /^ *out: *$/ {
            print; on = 1
            while ((getline line < got) > 0) print (line == "" ? mark : mark " " line)
            next }
        is && text ~ /^ *end *$/ { on = 0 }
        !on' "$1" >"$2.new" && cat "$2.new" >"$1"
}

# one file on one engine; says what is wrong
attempt() { # file engine scratch
    dir=$(dirname "$1")
    words run "$1" | sed "s|%s|$1|g; s|%d|$dir|g; s|%b|$B|g; s|%t|$3/t|g; s|%e|$2|g" >"$3/commands"
    [ -s "$3/commands" ] || { echo 'it has no run: line'; return 1; }
    status=0
    limited "$1" sh -e "$3/commands" >"$3/got" 2>&1 || status=$?
    wanted "$1" >"$3/want"
    must=$(words exit "$1")
    if [ "$over" ]; then
        echo "killed after $over seconds, having printed at last"
        tail -n 20 "$3/got"
        return 1
    elif [ "$status" -gt 127 ]; then
        echo "died of signal $((status - 128))"
        cat "$3/got"
        return 1
    fi
    if [ "$must" ] && [ "$status" -ne "$must" ]; then
        echo "status $status, not $must"
    elif [ -z "$must" ] && flag fail "$1" && [ "$status" -eq 0 ]; then
        echo 'it succeeded'
    elif [ -z "$must" ] && ! flag fail "$1" && [ "$status" -ne 0 ]; then
        echo "status $status"
    elif cmp -s "$3/want" "$3/got"; then
        return 0
    else
        [ "$blessing" ] && flag out: "$1" && { bless "$1" "$3/got"; echo BLESSED; return 1; }
        diff -u --label wanted --label got "$3/want" "$3/got"
        return 1
    fi
    cat "$3/got"
    return 1
}

# PASS, SKIP or FAIL lines of one file, reasons indented after them
one() {
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    skip=$(words skip "$1" | sed "s|%b|$B|g")
    if [ "$skip" ] && sh -c "$skip" >/dev/null 2>&1; then
        echo "SKIP $1: $skip"
        return
    fi
    engines=$(words on "$1")
    engines=${engines:+${VENTUS_ENGINE:-$engines}}
    for e in ${engines:--}; do
        if [ "$e" != - ] && ! "$B/ventus" info | grep -q "^engine $e:"; then
            echo "SKIP $1 on $e: this build has no engine $e"
        elif why=$(attempt "$1" "$e" "$scratch"); then
            echo "PASS $1"
        elif [ "$why" = BLESSED ]; then
            echo "BLESSED $1"
        else
            echo "FAIL $1${engines:+ on $e}: $(echo "$why" | head -n 1)"
            echo "$why" | sed '1d; s/^/    /'
        fi
    done
}

blessing=${RUN_BLESS-} jobs=1
while :; do
    case $1 in
    --bless) blessing=1 ;;
    -j*) jobs=${1#-j} ;;
    --one) one "$2"; exit ;;
    *) break ;;
    esac
    shift
done
export B
RUN_BLESS=$blessing
export RUN_BLESS
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# each file writes its own result, so that the report has the order of the files
i=0
# shellcheck disable=SC2016
for f in "$@"; do
    i=$((i + 1))
    printf '%s\0%s\0' "$f" "$results/$(printf %06d $i)"
done | xargs -0 -r -n2 -P "${jobs:-1}" sh -c 'sh "$0" --one "$1" >"$2"' "$self"
cat "$results"/* 2>/dev/null >"$results.all"
grep -v '^PASS ' "$results.all"
pass=$(grep -c '^PASS ' "$results.all")
bad=$(grep -c '^FAIL ' "$results.all")
skip=$(grep -c '^SKIP ' "$results.all")
rm -f "$results.all"
echo "$pass passed, $bad failed, $skip skipped"
[ "$bad" -eq 0 ]
