#!/bin/sh
# process_test.sh -- the compiler's process outlives nobody, and needs little: a parent that is killed, few
# descriptors, no standard streams, a small stack, a directory that is gone.
B=$(cd "${B:-build}" && pwd)
[ -e "$B/ventus-cc1" ] || { echo 'this build has no compiler'; exit 77; }
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
export VENTUS_CACHE=0 PROCESS_TEST="$t"
bad=0 n=0
# check WHAT COMMAND...
check() {
    what=$1
    shift
    n=$((n + 1))
    "$@" || { echo "$what"; bad=1; }
}

# processes that have the mark of this test in their environment, besides this one's own
marked() {
    for p in /proc/[0-9]*; do
        case $(readlink "$p/exe" 2>/dev/null) in
        */ventus-cc1 | */clang*) tr '\0' '\n' <"$p/environ" 2>/dev/null | grep -qx "PROCESS_TEST=$t" && echo "${p#/proc/}" ;;
        esac
    done
}
# waits until there are as many as that, 20 s at most
until_marked() { # test's operator and number
    i=0
    while ! [ "$(marked | wc -l)" "$@" ]; do
        i=$((i + 1))
        [ $i -lt 200 ] || return 1
        sleep 0.1
    done
}

echo 'kernel void k(global int *p) { p[get_global_id(0)] += 1; }' >"$t/k.cl"

# nothing is left when a compilation has ended
check 'it does not compile' "$B/ventus" cc -o "$t/k.elf" "$t/k.cl"
check 'left after a compilation' until_marked -eq 0

# nor when the parent is killed while clang waits for a pipe that nobody writes
mkfifo "$t/pipe.h"
echo '#include "pipe.h"' >"$t/wait.cl"
"$B/ventus" cc -o "$t/w.elf" "$t/wait.cl" &
pid=$!
check 'the compiler has not begun' until_marked -ge 3
kill -9 $pid
wait $pid 2>/dev/null
check 'left after its parent was killed' until_marked -eq 0

# the same of a host that is killed by the terminal's signal
"$B/ventus" cc -o "$t/w.elf" "$t/wait.cl" &
pid=$!
check 'the compiler has not begun' until_marked -ge 3
kill -TERM $pid
wait $pid 2>/dev/null
check 'left after its parent was ended' until_marked -eq 0

if ! nm "$B/libventus.a" 2>/dev/null | grep -q '__asan\|__tsan'; then
    limited() { # limit value command...
        (ulimit "$1" "$2" && shift 2 && "$@")
    }
    check 'ulimit -n 20' limited -n 20 "$B/ventus" cc -o "$t/n.elf" "$t/k.cl"
    check 'ulimit -s 64' limited -s 64 "$B/ventus" cc -o "$t/s.elf" "$t/k.cl"
    for e in interp auto jit; do # jit keeps its code on the disk in the thread that runs the launch
        check "run, engine $e, ulimit -s 64" limited -s 64 env VENTUS_CACHE=1 VENTUS_CACHE_DIR="$t/cache-$e" \
            "$B/ventus" run --engine $e -g 4 -l 4 -a 'buf:i32:4' "$t/k.cl"
    done
    # depth: of the source's expressions, of the compiler's recursion over them
    awk 'BEGIN {
        printf "kernel void k(global int *p) { p[0] = "
        for (i = 0; i < 200; i++) printf "(p[%d] + ", i
        printf "1"
        for (i = 0; i < 200; i++) printf ")"
        print "; }" }' >"$t/deep.cl"
    check 'a deep expression, ulimit -s 64' limited -s 64 "$B/ventus" cc -o "$t/d.elf" "$t/deep.cl"
    [ ! -x "$B/examples/vecadd" ] || check 'a host, ulimit -s 64' limited -s 64 \
        env OCL_ICD_VENDORS="$B/ventus.icd" "$B/examples/vecadd"
    for f in n s; do
        check "another program by ulimit -$f" cmp "$t/k.elf" "$t/$f.elf"
    done
fi

# the directory may be gone
mkdir "$t/gone"
in_gone() { (cd "$t/gone" && rmdir "$t/gone" && "$B/ventus" cc -o "$t/g.elf" "$t/k.cl"); }
check 'in a directory that is gone' in_gone

# without standard streams the first files that are opened have their numbers
closed() { "$B/ventus" cc -o "$t/c.elf" "$t/k.cl" <&- >&- 2>&-; }
check 'without standard streams' closed
check 'another program without standard streams' cmp "$t/k.elf" "$t/c.elf"
echo "$n checks"
exit $bad
