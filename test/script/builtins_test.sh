#!/bin/sh
# builtins_test.sh -- no built-in function is missing: every function that clang's header declares for OpenCL C 1.2
# and 3.0 and the extensions that are here, without pipes, is in the device
# library under the name that callers use.
B=${B:-build}
config=${LLVM_CONFIG:-llvm-config-19}
command -v "$config" >/dev/null || { echo "no $config"; exit 77; }
bin=$("$config" --bindir)
t=$(mktemp -d) bad=0
trap 'rm -rf "$t"' EXIT
unset MAKEFLAGS MFLAGS
make -s B="$B" all || exit 1
"$bin/llvm-nm" "$B/gen/devlib.bc" | awk '$1 != "U" { print $NF }' | sort -u >"$t/have"

# a body for each declaration, so that the compiler writes the mangled name; uintptr_t is uint here
names() { # STANDARD EXTENSIONS
    set -- -target spir-unknown-unknown -cl-std="$1" -cl-no-stdinc -Xclang -cl-ext="$2" -w
    {
        echo '#include <opencl-c-base.h>'
        echo '#pragma OPENCL EXTENSION cl_khr_fp16 : enable'
        "$bin/clang" "$@" -Xclang -finclude-default-header -E -x cl /dev/null |
            sed -n '/opencl-c\.h/,$p' | awk '/^#/ { next } { all = all " " $0 } /[;{}]/ { print all; all = "" }' |
            grep overloadable |
            grep -Ev 'mip_levels|intel|reserve|_amd|clock_read|qcom|arm_|enqueue|_event|kernel_exec' |
            grep -Ev 'pipe|ndrange|queue|clk_event|atomic_half|fetch_max.* uintptr_t' |
            sed 's/)[[:space:]]*;/) { __builtin_unreachable(); }/'
    } >"$t/all.cl"
    "$bin/clang" "$@" -O0 -c -emit-llvm "$t/all.cl" -o "$t/all.bc" || return 1
    "$bin/llvm-nm" "$t/all.bc" | awk '$2 == "T" { print $3 }' | sort -u
}

atomics=+cl_khr_global_int32_base_atomics,+cl_khr_global_int32_extended_atomics
atomics=$atomics,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp16
atomics=$atomics,+cl_khr_depth_images,+cl_khr_3d_image_writes
atomics=$atomics,+cl_khr_fp64,+__opencl_c_fp64,+cl_khr_local_int32_base_atomics,+cl_khr_local_int32_extended_atomics
features=+__opencl_c_images,+__opencl_c_read_write_images,+__opencl_c_3d_image_writes,+cl_khr_subgroups,+__opencl_c_subgroups,+__opencl_c_generic_address_space,+__opencl_c_work_group_collective_functions,+__opencl_c_atomic_order_acq_rel

for standard in CL1.2 CL3.0; do
    names $standard "-all,$atomics$([ $standard = CL3.0 ] && echo ",$features")" >"$t/want" || exit 1
    n=$(wc -l <"$t/want")
    missing=$(comm -13 "$t/have" "$t/want")
    echo "$n names of $standard"
    [ "$n" -gt 9000 ] || bad=1
    [ -z "$missing" ] || { echo "missing:" "$missing" | head -c 2000; bad=1; }
done
exit $bad
