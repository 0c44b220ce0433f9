#!/bin/sh
# leak_test.sh -- ventus leaves no memory that nobody can free any more: the program, linked with the leak sanitizer, does
# what some of the tests of test/tool do, and sweeps.  What is compiled is as usual.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} CC=${CC:-cc}
case ${m-} in asan | hostile | tsan) echo 'this build is sanitized itself'; exit 77 ;; esac
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
links() { echo 'int main(void) { return 0; }' | $CC -o "$t/empty" -xc - "$@" 2>/dev/null; }
links -fsanitize=leak || { echo 'the compiler has no leak sanitizer'; exit 77; }
"$t/empty" 2>"$t/why" || { echo 'the leak sanitizer does not run here'; exit 77; }

# 1. a build of which only ventus is another
mkdir "$t/build" "$t/sweep"
case $B in /*) ;; *) B=$PWD/$B ;; esac
ln -s "$B"/* "$t/build" && rm "$t/build/ventus"
libraries=
for l in -lsqlite3 -lpng; do
    links $l && libraries="$libraries $l"
done
# shellcheck disable=SC2086
$CC -fsanitize=leak -o "$t/build/ventus" "$B"/tool/*.o "$B/libventus.a" $libraries -ljansson -lm -ldl -pthread || exit 1

# 2. tests, whose output has the sanitizer's report if there is one
cd test/tool || exit 1
set -- cc_bad.sh cc_clang.sh cc_ir_rules.sh cc_profile.sh cc_verbose_asm.sh check_bounds.s check_merge.s dis.sh dis_bad.sh dis_many.sh dis_plain.s dis_resolve.s fault_assembly.sh \
    fault_lines.sh info.sh info_table.sh objdump.s objdump_tables.sh replay_round.s run_buffers.s run_dump.sh run_faults.s run_formats.sh run_images.sh \
    run_kernels.s run_local.sh run_pictures.s run_png.sh run_profile.s \
    run_signature.sh run_stats.s run_structs.sh run_timeline.s run_trace.s run_verbose.sh run_want.sh specs_bad.sh sweep_points.sh trace_order.sh usage.sh
n=$#
cd ../.. || exit 1
for f; do
    set -- "$@" "test/tool/$f"
    shift
done
B=$t/build sh test/runner/run.sh "$@" >"$t/log" 2>&1 || { cat "$t/log"; exit 1; }

# 3. a sweep with failures and a program that takes too long, which is gone on with; and one that is wrong
cd "$t/sweep" || exit 1
cat >step <<'EOF'
#!/bin/sh
sets=$(sed -n 's/^dcache_sets = //p' "$VENTUS_MACHINE")
[ "$sets" = 16 ] && echo 'no sixteen' && exit 3
[ "$sets" = 32 ] && exec sleep 60
printf '{"kernel": "k", "insns": %d, "cycles": 7}\n' "$sets" >"$VENTUS_LAUNCHES"
EOF
chmod +x step
echo '{"parameters": {"dcache_sets": [4, 8, 16, 32]}, "timeout": 1, "workloads": [{"name": "w", "program": ["./step"]}]}' >a.json
echo '{"parameters": {"no_such": [3]}, "workloads": [{"name": "w", "program": ["./step"]}]}' >b.json
sweep() { # STATUS ARGUMENT...
    wanted=$1
    shift
    n=$((n + 1))
    "$t/build/ventus" sweep "$@" >"$t/log" 2>&1
    status=$?
    [ $status -eq "$wanted" ] || { echo "sweep $*: status $status"; cat "$t/log"; exit 1; }
}
case $libraries in
*-lsqlite3*)
    sweep 1 -j 2 a.json
    sweep 1 a.json
    sweep 1 --retry a.json
    sweep 2 b.json
    sweep 2 none.json
    ;;
esac
echo "$n commands"
