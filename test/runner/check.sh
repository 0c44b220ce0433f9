#!/bin/sh
# check.sh [FILE...] -- every test, or those named; called by `make check-only`.
#
# Tests are the layers, the headers, the C tests (test/unit, test/opencl, test/cc; each reports in TAP), the
# scripts test/script/*_test.sh, and the files below test/ with their commands in comments (run.sh).  JOBS of
# them run at a time, one more than there are processors, since some wait; the report has their order.  With
# FAIL_FAST none begins after one has failed.  SLOWEST=N names the N that took longest.
#
# Every test file must give a result.  A script ends with 0 and says in its last line how much it looked at,
# a number above 0 first, so that a loop over nothing is not a success; with 77 it is skipped, and its last
# line says why.  What is skipped is named; where CI is set, only what skips.txt expects may be.
# The last line has the sums.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} CC=${CC:-cc}
TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$PWD/test/runner/tsan.supp:die_after_fork=0}
# the sanitizers' dlopen does not see where a test says its libraries are
case $LD_LIBRARY_PATH: in
"$PWD/$B:"*) ;;
*) LD_LIBRARY_PATH=$PWD/$B${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ;;
esac
# tests that ask LLVM's programs ask those that we build with, which Debian keeps off the path
[ ! "$LLVM_CONFIG" ] || PATH=$("$LLVM_CONFIG" --bindir):$PATH
export B CC TSAN_OPTIONS LD_LIBRARY_PATH PATH
. test/runner/limit.sh

# --- one test: lines PASS NAME, SKIP NAME: REASON, FAIL NAME: REASON, what it printed indented after them ------

indent() { sed 's/^/    /'; }

single() { # NAME COMMAND...
    name=$1
    shift
    limited "$name" "$@" >"$log" 2>&1
    status=$?
    last=$(tail -n 1 "$log")
    if [ "$over" ]; then
        echo "FAIL $name: killed after $over seconds, having printed at last"
        tail -n 20 "$log" | indent
    elif [ $status -eq 77 ]; then
        echo "SKIP $name: ${last:-no reason given}"
    elif [ $status -ne 0 ]; then
        echo "FAIL $name: status $status"
        indent <"$log"
    else
        case $last in
        [1-9]*) echo "PASS $name" ;;
        *)
            echo "FAIL $name: does not say in its last line how much it looked at"
            tail -n 20 "$log" | indent
            ;;
        esac
    fi
}

tap() { # PROGRAM SOURCE
    CMOCKA_MESSAGE_OUTPUT=TAP limited "$2" "$B/$1" >"$log" 2>&1
    status=$?
    awk -v name="$1" -v status=$status -v over="$over" -f test/runner/tap.awk "$log"
}

unit() { # NAME
    case $1 in
    layers) single layers sh test/runner/layers.sh ;;
    headers) single headers make --no-print-directory -s headers CC="$CC" B="$B" ;;
    *_test.sh) single "$1" sh "$1" ;;
    test/opencl/*_test.c)
        if [ -e "$B/libventus-opencl.so" ]; then
            tap "${1%.c}" "$1"
        else
            echo "SKIP ${1%.c}: this build has no OpenCL runtime"
        fi
        ;;
    *_test.c) tap "${1%.c}" "$1" ;;
    *) sh test/runner/run.sh --one "$1" ;;
    esac
}

if [ "$1" = --unit ]; then
    log=$3.log
    began=$(date +%s)
    unit "$2" >"$3.part" 2>&1 </dev/null
    rm -f "$log"
    echo "$(($(date +%s) - began)) s $2" >"$3.took"
    mv "$3.part" "$3"
    # 255 ends xargs
    [ "${FAIL_FAST-}" ] && grep -q '^FAIL ' "$3" && exit 255
    exit 0
fi

# --- all of them ---------------------------------------------------------------------------------------------------

# what is included, or compiled by a C test beside it, is no test of its own
test_files() {
    for f in test/asm/* test/cc/* test/run/* test/tool/*; do
        case $f in
        *.inc | *_test.c) continue ;;
        test/cc/*.cl) [ -e "test/cc/ocl_$(basename "$f" .cl)_test.c" ] && continue ;;
        esac
        echo "$f"
    done
}

if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046
    set -- layers headers test/script/*_test.sh test/*/*_test.c $(test_files)
fi
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# the report, in order, while they run
report() {
    i=0
    for t in "$@"; do
        i=$((i + 1))
        while [ ! -e "$results/$i" ] && [ ! -e "$results/done" ]; do sleep 0.1; done
        if [ -s "$results/$i" ]; then
            cat "$results/$i"
        else
            echo "FAIL $t: gave no result"
        fi
    done | tee "$results/all" | grep -v '^PASS '
}
report "$@" &
reporter=$!
i=0
for t in "$@"; do
    i=$((i + 1))
    printf '%s\0%s\0' "$t" "$results/$i"
done | xargs -0 -n 2 -P "${JOBS:-$(($(nproc) + 1))}" sh test/runner/check.sh --unit
touch "$results/done"
wait $reporter

count() { grep -c "^$1 " "$results/all"; }
bad=$(count FAIL)
if [ "${CI-}" ]; then
    grep '^SKIP ' "$results/all" | sed 's/^SKIP //' >"$results/skipped"
    sed 's/[[:space:]]*#.*//; /^$/d' test/runner/skips.txt >"$results/expected"
    # shellcheck disable=SC2094
    while IFS= read -r line; do
        while IFS= read -r known; do
            case $line in "$known" | "$known:"*) continue 2 ;; esac
        done <"$results/expected"
        echo "FAIL skipped, though test/runner/skips.txt does not expect it: $line"
        bad=$((bad + 1))
    done <"$results/skipped"
fi
skipped=$(count SKIP)
[ ! "${SLOWEST-}" ] || cat "$results"/*.took | sort -rn | head -n "$SLOWEST"
echo "$# test files"
echo "$(count PASS) passed, $bad failed$([ "$skipped" -eq 0 ] || echo ", $skipped skipped")"
[ "$bad" -eq 0 ] && [ "$(count PASS)" -gt 0 ]
