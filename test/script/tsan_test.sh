#!/bin/sh
# tsan_test.sh -- the threads of runtime, driver and engines under the thread sanitizer: builds the programs below
# with m=tsan (in a build of its own, which later runs find) and runs them.  A race is a failure.  What tsan.supp excuses
# is known by files on either stack, so that the history is as long as can be, lest the older stack is lost.
# limit: 900
case ${m-} in asan | hostile | tsan) echo 'this build is sanitized itself'; exit 77 ;; esac
[ -e "$B/libventus-opencl.so" ] || { echo 'this build has no OpenCL runtime'; exit 77; }
echo 'int main(void) { return 0; }' | ${CC:-cc} -fsanitize=thread -o /dev/null -xc - 2>/dev/null ||
    { echo 'the compiler has no thread sanitizer'; exit 77; }
t=$B-tsan
programs='test/unit/maker_test test/unit/entries_test test/unit/engine_test test/unit/engine_observer_test test/unit/edges_test test/unit/order_test test/unit/pool_test test/unit/vt_test test/unit/drv_threads_test test/unit/swap_test
          test/opencl/cl_threads_test test/opencl/cl_event_test test/opencl/cl_buffer_test
          test/opencl/cl_program_test test/opencl/cl_stress_test test/opencl/cl_compiler_test'
set --
for p in $programs; do
    set -- "$@" "$t/$p"
done
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s m=tsan B="$t" CC="${CC:-cc}" \
    "$t/libventus-opencl.so" "$t/ventus.icd" "$@" || exit 1
# compiling is done by other processes, which need not be sanitized
[ -x "$B/ventus-cc1" ] && export VENTUS_CC_PROGRAM="$PWD/$B/ventus-cc1"
[ -x "$B/ventus-jit1" ] && export VENTUS_JIT_PROGRAM="$PWD/$B/ventus-jit1"
n=0
for p in "$@"; do
    env LD_LIBRARY_PATH="$PWD/$t" \
        TSAN_OPTIONS="suppressions=$PWD/test/runner/tsan.supp:die_after_fork=0:halt_on_error=1:history_size=7" "$p" || exit 1
    n=$((n + 1))
done
echo "$n programs"
