#!/bin/sh
# check.sh [FILE...] -- every test, or those named; called by `make check-only`.
#
# Tests are the layers, the headers, the C tests (test/unit, test/opencl, test/cc; each reports in TAP), the
# scripts test/script/*_test.sh (status 77: skipped), and the files below test/.  The last line has the sums.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} CC=${CC:-cc}
TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$PWD/test/runner/tsan.supp:die_after_fork=0}
# the sanitizers' dlopen does not see where a test says its libraries are
LD_LIBRARY_PATH=$(cd "$B" && pwd)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export B CC TSAN_OPTIONS LD_LIBRARY_PATH
# the tools of the LLVM that the compiler is built with, when they are not the machine's own
for d in /usr/lib/llvm-*/bin; do PATH=$PATH:$d; done
pass=0 bad=0 skip=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

say() { printf '%s\n' "$*"; }

single() { # name command...
    name=$1
    shift
    "$@" >"$log" 2>&1
    case $? in
    0) pass=$((pass + 1)) ;;
    77) skip=$((skip + 1)); say "SKIP $name" ;;
    *)
        bad=$((bad + 1))
        say "FAIL $name"
        sed 's/^/    /' "$log"
        ;;
    esac
}

tap() { # a C test
    CMOCKA_MESSAGE_OUTPUT=TAP "$1" >"$log" 2>&1
    status=$?
    ok=$(grep '^ok ' "$log" | grep -cv '# SKIP')
    # cmocka of Debian 12 says of a skipped test: not ok ... # SKIP
    skipped=$(grep -c '^\(not \)\{0,1\}ok .*# SKIP' "$log")
    not=$(grep '^not ok ' "$log" | grep -cv '# SKIP')
    plan=$(sed -n 's/^1\.\.\([0-9][0-9]*\).*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
    # one that dies leaves tests without a result
    if [ "$status" -ne 0 ] && [ "$not" -eq 0 ] || [ "$plan" -ne $((ok + not + skipped)) ]; then
        not=$((not + 1))
        say "FAIL $1: status $status, $((ok + not + skipped - 1)) results of $plan"
        tail -n 20 "$log" | sed 's/^/    /'
    elif [ "$not" -gt 0 ]; then
        say "FAIL $1"
        grep -v '^ok ' "$log" | sed 's/^/    /'
    fi
    pass=$((pass + ok)) bad=$((bad + not)) skip=$((skip + skipped))
}

files() { # FILE...
    say "$# test files"
    sh test/runner/run.sh -j2 "$@" >"$log" 2>&1
    sed '$d' "$log"
    sums=$(tail -n 1 "$log")
    case $sums in
    *' passed, '*' failed, '*' skipped')
        # shellcheck disable=SC2086
        set -- $sums
        pass=$((pass + $1)) bad=$((bad + $3)) skip=$((skip + $5))
        ;;
    *)
        bad=$((bad + 1))
        say "FAIL test/runner/run.sh: $sums"
        ;;
    esac
}

test_files() {
    find test/asm test/cc test/run test/tool -type f -exec grep -lE '^[[:space:]]*[#;/]+[[:space:]]*run:' {} + | sort
}

if [ $# -gt 0 ]; then
    for t in "$@"; do
        case $t in
        *_test.sh) single "$t" sh "$t" ;;
        *_test) tap "$t" ;;
        *_test.c) tap "$B/${t%.c}" ;;
        *) files "$t" ;;
        esac
    done
else
    single layers sh test/runner/layers.sh
    single headers make --no-print-directory -s headers CC="$CC" B="$B"
    for t in test/*/*_test.c; do
        [ -f "$t" ] && tap "$B/${t%.c}"
    done
    for t in test/script/*_test.sh; do
        [ -f "$t" ] && single "$t" sh "$t"
    done
    # shellcheck disable=SC2046
    files $(test_files)
fi
if [ "$skip" -gt 0 ]; then
    say "$pass passed, $bad failed, $skip skipped"
else
    say "$pass passed, $bad failed"
fi
[ "$bad" -eq 0 ]
