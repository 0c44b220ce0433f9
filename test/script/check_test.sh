#!/bin/sh
# What --check finds in kernels with known mistakes (test/check/mistakes.cl): for each, the checks
# and lines that must be reported, no others, and the exit status.  A line is named by the comment
# at its end.  Each runs with warps of 4 and of 32 lanes, and with variables in memory; what is found
# must be the same.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'no compiler built in'; exit 77; }
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
src=test/check/mistakes.cl
bad=0 runs=0

# name, the marks of its lines, options
while read -r kernel want options; do
    case $kernel in '' | '#'*) continue ;; esac
    for run in 4 32 "32 -cl-opt-disable"; do
        lanes=${run%% *} level=${run#"$lanes"} runs=$((runs + 1))
        "$B/ventus" run --check-json="$T/json" --threads $lanes -B "-cl-std=CL3.0$level" -k "$kernel" $options $src \
            >"$T/out" 2>&1
        status=$?
        got=$(sed -n 's/^ *"check": "\([a-z]*\)",*/\1/p; s/^ *"line": \([0-9]*\),*/\1/p' "$T/json" 2>/dev/null |
              paste -d: - - | while IFS=: read -r check line; do
            mark=$(sed -n "${line}s/.*\\/\\* .*\\($check-[0-9]*\\).*/\\1/p" $src)
            echo "${mark:-$check:$line}"
        done | sort | paste -sd, -)
        [ "$got" = "$(echo "$want" | sed 's/^-$//')" ] && [ $status = $([ "$want" = - ] && echo 0 || echo 1) ] && continue
        echo "$kernel, $lanes lanes$level: expected $want, got ${got:-nothing} and status $status"
        cat "$T/out"
        bad=1
    done
done <<'END'
over_global      bounds-1  -g 64 -l 32 -a buf:i32:64 -a buf:i32:64
under_global     bounds-2  -g 64 -l 32 -a buf:i32:64 -a buf:i32:64
over_bytes       bounds-3  -g 64 -l 32 -a buf:i8:32
over_local       bounds-4  -g 64 -l 32 -a buf:i32:64 -a local:128
race_local       race-1    -g 128 -l 64 -a buf:i32:128 -a local:256
race_warps       race-2    -g 128 -l 64 -a buf:i32:128 -a local:256 --check=race
race_fence       race-3    -g 128 -l 64 -a buf:i32:128 -a local:256
race_groups      race-4  -g 256 -l 32 -a buf:i32:8
race_parts       race-11  -g 96 -l 64 -a buf:i32:64
race_parts       -        -g 64 -l 48 -a buf:i32:64
race_atomic      race-5    -g 128 -l 64 -a buf:i32:129
race_same_lane   race-6    -g 64 -l 64 -a buf:i32:64
race_count       race-7    -g 128 -l 32 -a buf:i32:4 -a buf:u32:1 -a buf:i32:1
barrier_sides    barrier-1,barrier-2  -g 4 -l 4 -a buf:i32:4
barrier_missed   barrier-3 -g 64 -l 64 -a buf:i32:64
init_branch      init-1    -g 64 -l 64 -a buf:i32:64=none -a buf:i32:64
init_address     init-2    -g 64 -l 64 -a buf:i32:64=none -a buf:i32:64 --check=init
init_output      init-3    -g 64 -l 64 -a buf:i32:64 -a local:256
init_array       init-4    -g 1 -l 1 -a buf:i32:4=0,1,1,3 -a buf:i32:4
init_variable    init-5    -g 64 -l 64 -a buf:i32:64 -a i32:40
init_element     init-6    -g 64 -l 64 -a buf:i32:64
init_component   init-7    -g 64 -l 64 -a buf:f32x4:64
init_round       init-8    -g 1 -l 1 -a buf:i32:8 -a i32:8 --check=init
fine_variables   -         -g 64 -l 64 -a buf:i32:192 -a buf:i32:64 -a i32:5
over_variable    bounds-5  -g 64 -l 64 -a buf:i32:64 --check=bounds
over_private     bounds-6  -g 64 -l 64 -a buf:i32:64 -a i32:3
under_private    bounds-7  -g 64 -l 64 -a buf:i32:256 -a i32:3
over_member      bounds-8  -g 8 -l 8 -a buf:i8:128 -a i32:6
over_row         bounds-9  -g 64 -l 64 -a buf:i32:64 -a i32:5
over_callee      bounds-10 -g 64 -l 64 -a buf:i32:64 -a i32:2
over_constant    bounds-11 -g 64 -l 64 -a buf:i32:64 -a i32:4
over_table       bounds-14 -g 64 -l 64 -a buf:i32:64 -a i32:4
over_literal     bounds-15 -g 64 -l 64 -a buf:i32:64 -a i32:3
fine_tables      -         -g 64 -l 64 -a buf:i32:64
global_as_private bounds-16 -g 64 -l 64 -a buf:i32:64
fine_indices     -         -g 63 -l 63 -a buf:i32:64 -a i32:3
over_pointer     bounds-12 -g 64 -l 64 -a buf:i32:64 -a i32:5
before_pointer   bounds-13 -g 64 -l 64 -a buf:i32:64 -a i32:1
far_load         bounds-17 -g 64 -l 64 -a buf:i32:64 -a i32:30
far_store        bounds-18,bounds-19 -g 64 -l 64 -a buf:i32:64 -a i32:40
far_constant     bounds-20 -g 64 -l 64 -a buf:i32:64 -a i32:30
far_local        bounds-21,bounds-22 -g 64 -l 64 -a buf:i32:64 -a i32:30
fine_far_local   -         -g 64 -l 64 -a buf:i32:64 -a i32:30
fine_large       -         -g 64 -l 64 -a buf:i32:64 -a i32:30 -a buf:i32:1152
fine_far         -         -g 64 -l 64 -a buf:i32:64 -a i32:30
fine_frames      -         -g 64 -l 64 -a buf:i32:64 -a i32:4
async_early      race-8    -g 64 -l 64 -a buf:i32:64 -a buf:i32:64 -a local:256
async_barrier    race-9    -g 64 -l 64 -a buf:i32:128 -a buf:i32:64 -a local:256
async_source     race-10   -g 64 -l 64 -a buf:i32:64 -a local:256
fine_async       -         -g 64 -l 64 -a buf:i32:128 -a buf:i32:64 -a local:512
async_one        barrier-4 -g 64 -l 64 -a buf:i32:64 -a buf:i32:64 -a local:256
async_differs    barrier-5 -g 64 -l 64 -a buf:i32:64 -a buf:i32:64 -a local:256 --check=barrier
async_more       barrier-6 -g 64 -l 64 -a buf:i32:64 -a buf:i32:64 -a local:256 --check=barrier
wait_differs     barrier-7 -g 64 -l 64 -a buf:i32:64 -a local:256
wait_nothing     barrier-8 -g 64 -l 64 -a buf:i32:64
wait_twice       barrier-9 -g 64 -l 64 -a buf:i32:64 -a local:256
wait_never       barrier-10 -g 64 -l 64 -a buf:i32:64 -a local:256
fine_events      -         -g 128 -l 64 -a buf:i32:64 -a buf:i32:128 -a local:512
fine_component   -         -g 64 -l 64 -a wbuf:i32:128
fine_components  -         -g 64 -l 64 -a wbuf:i32x4:64 -a buf:i32x4:64=0
fine_nested      -         -g 64 -l 64 -a buf:i8:2048
fine_padding     -         -g 64 -l 64 -a buf:i32:192 -a local:768
fine_bits        -         -g 64 -l 64 -a buf:i32:64=none -a buf:i32:64
allowed          -         -g 64 -l 64 -a buf:i32:64
fine_local       -         -g 128 -l 64 -a buf:i32:128 -a local:256
fine_count       -         -g 128 -l 32 -a buf:i32:4 -a buf:u32:1 -a buf:i32:1
fine_flag        -         -g 128 -l 32 -a buf:i32:4 -a buf:u32:1 -a buf:i32:4
fine_collective  -         -g 128 -l 64 -a local:256 -a buf:i32:128
fine_locks       -         -g 128 -l 64 -a buf:u64:1 -a local:4
fine_same        -         -g 128 -l 64 -a buf:i32:1 -a buf:i8:128
fine_calls       -         -g 128 -l 64 -a buf:i32:64 -a buf:i32:128
END
# the largest group that a machine takes
runs=$((runs + 1))
"$B/ventus" run --check -B -cl-std=CL3.0 -k fine_local -g 4096 -l 2048 -a buf:i32:4096 -a local:8192 $src \
    >"$T/out" 2>&1 || { cat "$T/out"; bad=1; }
[ $bad = 0 ] && echo "$runs runs with --check"
exit $bad
