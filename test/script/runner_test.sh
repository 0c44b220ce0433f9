#!/bin/sh
# runner_test.sh -- the runner notices tests that hang, die, do not report, or are skipped without leave.
#
# A small tree of its own holds made-up tests, the C tests among them as scripts that print TAP.
# limit: 120
cd "$(dirname "$0")/../.." || exit 1
t=$(mktemp -d) bad=0 n=0
trap 'rm -rf "$t"' EXIT
mkdir -p "$t/test/asm" "$t/test/cc" "$t/test/run" "$t/test/tool" "$t/test/unit" "$t/test/script" "$t/b/test/unit"
cp -r test/runner "$t/test"
unset CI LIMIT VENTUS_ENGINE m T

c_test() { # NAME: the program from stdin
    : >"$t/test/unit/$1_test.c"
    { echo '#!/bin/sh'; cat; } >"$t/b/test/unit/$1_test"
    chmod +x "$t/b/test/unit/$1_test"
}
script() { cat >"$t/test/script/$1_test.sh"; }
file() { cat >"$t/test/tool/$1.sh"; }

# the runner's words about one file must hold a line that matches PATTERN, and its status be STATUS
says() { # STATUS PATTERN FILE
    n=$((n + 1))
    (cd "$t" && B=b sh test/runner/check.sh "$3") >"$t/out" 2>&1
    status=$?
    [ $status -eq "$1" ] && grep -qx "$2" "$t/out" && return
    bad=1
    echo "$3: status $status, not $1, or no line '$2':"
    cat "$t/out"
}

c_test good <<'END'
printf '1..2\nok 1 - one\nok 2 - two\n1..1\nok 1 - three\n'
END
says 0 '3 passed, 0 failed' test/unit/good_test.c
c_test wrong <<'END'
printf '1..2\nok 1 - one\nnot ok 2 - two\n# two is not three\n'; exit 1
END
says 1 'FAIL test/unit/wrong_test: two' test/unit/wrong_test.c
says 1 '    # two is not three' test/unit/wrong_test.c
c_test hanging <<'END'
# limit: nothing is said in the program, only in the source
printf '1..2\nok 1 - one\n'; sleep 60 & echo $! >"$0.child"; sleep 60
END
echo '/* limit: 1 second */' >"$t/test/unit/hanging_test.c"
says 1 'FAIL test/unit/hanging_test: killed after 1 seconds, 1 results of 2, status 137, the last: one' \
    test/unit/hanging_test.c
n=$((n + 1))
child=$(cat "$t/b/test/unit/hanging_test.child")
# its process group went with it; nobody may have waited for the child yet
case $(ps -o stat= -p "$child") in '' | Z*) ;; *) echo "process $child outlives its test"; bad=1 ;; esac
c_test dying <<'END'
printf '1..2\nok 1 - one\nand then\n'; kill -SEGV $$
END
says 1 'FAIL test/unit/dying_test: 1 results of 2, status 139, the last: one' test/unit/dying_test.c
says 1 '    and then' test/unit/dying_test.c
c_test late <<'END'
printf '1..1\nok 1 - one\n'; exit 3
END
says 1 'FAIL test/unit/late_test: every result is good, but status 3' test/unit/late_test.c
c_test mute <<'END'
exit 0
END
says 1 'FAIL test/unit/mute_test: gave no result, status 0' test/unit/mute_test.c
c_test empty <<'END'
printf '1..1\nok 1 - one\n1..0\n'
END
says 1 'FAIL test/unit/empty_test: 0 results of 0, status 0' test/unit/empty_test.c
c_test short <<'END'
printf '1..2\nok 1 - one\n1..1\nok 1 - one\n'
END
says 1 'FAIL test/unit/short_test: 1 results of 2, status 0, the last: one' test/unit/short_test.c
: >"$t/test/unit/unbuilt_test.c"
says 1 'FAIL test/unit/unbuilt_test: gave no result, status 127' test/unit/unbuilt_test.c
c_test skipping <<'END'
printf '1..2\nok 1 - one\n# skip: no such tool\nnot ok 2 # SKIP two\n'
END
says 0 'SKIP test/unit/skipping_test: two: no such tool' test/unit/skipping_test.c
CI=true
export CI
says 1 'FAIL skipped, though .*: test/unit/skipping_test: two: no such tool' test/unit/skipping_test.c
echo 'test/unit/skipping_test: two   # why' >"$t/test/runner/skips.txt"
says 0 '1 passed, 0 failed, 1 skipped' test/unit/skipping_test.c
unset CI
mkdir -p "$t/test/opencl"
: >"$t/test/opencl/some_test.c"
says 1 'SKIP test/opencl/some_test: this build has no OpenCL runtime' test/opencl/some_test.c

script good <<'END'
echo '2 things'
END
says 0 '1 passed, 0 failed' test/script/good_test.sh
script nothing <<'END'
for f in nowhere/*.c; do [ -e "$f" ] && echo "$f"; done; exit 0
END
says 1 'FAIL test/script/nothing_test.sh: does not say in its last line how much it looked at' \
    test/script/nothing_test.sh
script skipped <<'END'
echo 'no clinfo'; exit 77
END
says 1 'SKIP test/script/skipped_test.sh: no clinfo' test/script/skipped_test.sh
script hanging <<'END'
# limit: 1
echo begun; sleep 60
END
says 1 'FAIL test/script/hanging_test.sh: killed after 1 seconds, having printed at last' test/script/hanging_test.sh
says 1 '    begun' test/script/hanging_test.sh

file good <<'END'
# run: echo yes
# out:
# yes
# end
END
says 0 '1 passed, 0 failed' test/tool/good.sh
file hanging <<'END'
# limit: 1
# run: echo begun; sleep 60
END
says 1 'FAIL test/tool/hanging.sh: killed after 1 seconds, having printed at last' test/tool/hanging.sh
says 1 '    begun' test/tool/hanging.sh
file nothing <<'END'
# no command
END
says 1 'FAIL test/tool/nothing.sh: it has no run: line' test/tool/nothing.sh

# all of them: each file has its result, in order
rm "$t"/test/*/hanging* "$t"/b/test/unit/hanging*
n=$((n + 1))
(cd "$t" && B=b sh test/runner/check.sh) >"$t/out" 2>&1 && { echo 'a tree of mistakes passes'; bad=1; }
for f in test/unit/dying_test test/unit/mute_test test/unit/unbuilt_test test/script/nothing_test.sh test/tool/nothing.sh; do
    grep -q "^FAIL $f:" "$t/out" || { echo "$f is missing in the report of all:"; cat "$t/out"; bad=1; }
done
grep -v '^ ' "$t/out" | sed -n 's/^[A-Z]* \([a-z/_.]*\).*/\1/p' | grep '^test/unit' | sort -c ||
    { echo 'the report is not in order'; bad=1; }
echo "$n cases"
exit $bad
