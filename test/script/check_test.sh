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

# a report as one line: kernel, sentence, what is said of other places with their lines of the source, work-items, and how
# often it was seen
rows='
function out() { if (row) print kernel " | " row; row = "" }
/: error: / { out(); row = $0; sub(/.*: error: /, "", row) }
/^  [a-z ]* +[^ ]*:[0-9]+:[0-9]+ in / { label = $0; sub(/^  /, "", label); sub(/ +[^ ]*:[0-9]+:[0-9]+ in .*/, "", label); next }
label && label != "at" { sub(/^ */, ""); sub(/ *[/][*].*/, ""); row = row " | " label ": " $0 }
{ label = "" }
/^  (by|ended|not here|from|work-item|seen) / { sub(/^  /, ""); gsub(/  +/, " "); row = row " | " $0 }
END { out() }'

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
        [ "$run" = 32 ] && awk -v kernel="$kernel" "$rows" "$T/out" >>"$T/said"
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
# what they say, of warps of 32 lanes; an access of the whole warp, and what nobody wrote, is seen once a warp
sed -i '/^race_atomic/s/ | seen.*//' "$T/said" # in which order atomics and loads follow each other is nobody's matter
cat >"$T/want" <<'END'
over_global | bounds: store of 4 bytes right behind the end of argument 0, 'out', which has 256 | work-item (63, 0, 0), in its group (31, 0, 0)
under_global | bounds: load of 4 bytes 4 bytes before argument 1, 'in', which has 256 | work-item (0, 0, 0), in its group (0, 0, 0)
over_bytes | bounds: load of 1 byte right behind the end of argument 0, 'out', which has 32 | work-item (0, 0, 0), in its group (0, 0, 0)
over_local | bounds: store of 4 bytes right behind the end of argument 1, 't', which has 128 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
race_local | race: load of 4 bytes at byte 4 of argument 1, 't', which has 256, and the store of another work-item, in no order | store: t[l] = l; | by (1, 0, 0), in its group (1, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0) | seen 128 times
race_warps | race: store of 4 bytes at byte 128 of argument 1, 't', which has 256, and the load of another work-item, in no order | load: out[get_global_id(0)] = t[get_local_size(0) - 1 - l]; | by (31, 0, 0), in its group (31, 0, 0); group (0, 0, 0) | work-item (32, 0, 0), in its group (32, 0, 0) | seen 128 times
race_fence | race: load of 4 bytes at byte 4 of argument 1, 't', which has 256, and the store of another work-item, in no order | store: t[l] = l; | by (1, 0, 0), in its group (1, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0) | seen 128 times
race_groups | race: load of 4 bytes at byte 0 of argument 0, 'out', which has 32, and the store of another work-item in another group, in no order | store: out[get_group_id(0) / 2] += get_group_id(0); | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (32, 0, 0), in its group (0, 0, 0) | seen 12 times
race_parts | race: store of 4 bytes at byte 0 of argument 0, 'out', which has 256, and the store of another work-item in another group, in no order | store: out[get_global_id(0) % 64] = get_global_id(0); | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (64, 0, 0), in its group (0, 0, 0) | seen 32 times
race_atomic | race: load of 4 bytes at byte 0 of argument 0, 'out', which has 516, and the atomic of another work-item, in no order | atomic: atomic_add(out, 1); | by (31, 0, 0), in its group (31, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0)
race_same_lane | race: store of 4 bytes at byte 0 of argument 0, 'out', which has 256, and the store of another work-item, in no order | store: out[get_global_id(0) / 2] = get_global_id(0); | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (1, 0, 0), in its group (1, 0, 0) | seen 32 times
race_count | race: load of 4 bytes at byte 0 of argument 0, 'part', which has 16, and the store of another work-item in another group, in no order | store: part[get_group_id(0)] = 1; | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (97, 0, 0), in its group (1, 0, 0) | seen 4 times
barrier_sides | barrier: divergent barrier: 3 of the 4 work-items of the warp do not reach it with the others | they wait: barrier(CLK_GLOBAL_MEM_FENCE); | by (1, 0, 0), in its group (1, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0)
barrier_sides | barrier: divergent barrier: 1 of the 4 work-items of the warp do not reach it with the others | not here (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (1, 0, 0), in its group (1, 0, 0)
barrier_missed | barrier: barrier that a warp of the group never reaches: it has ended | ended (32, 0, 0), in its group (32, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0)
init_branch | init: branch on a value that nobody wrote | loaded: if (in[get_global_id(0)] > 3) | from at byte 0 of argument 0, 'in', which has 256 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
init_address | init: access at an address that nobody wrote | loaded: out[in[get_global_id(0)] & 7] = 1; | from at byte 0 of argument 0, 'in', which has 256 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
init_output | init: store of a value that nobody wrote, into global memory | loaded: out[get_global_id(0)] = t[l] + 1; | from at byte 20 of argument 1, 't', which has 256 | work-item (5, 0, 0), in its group (5, 0, 0)
init_array | init: store of a value that nobody wrote, into global memory | begins at: int a[4]; | from private variable 'a' | work-item (0, 0, 0), in its group (0, 0, 0)
init_variable | init: branch on a value that nobody wrote | begins at: int i = get_global_id(0), x; | from private variable 'x' | work-item (40, 0, 0), in its group (40, 0, 0)
init_element | init: store of a value that nobody wrote, into global memory | begins at: int a[3], sum = 0; | from private variable 'a' | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
init_component | init: store of a value that nobody wrote, into global memory | begins at: float4 f; | from private variable 'f' | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
init_round | init: store of a value that nobody wrote, into global memory | begins at: for (int i = 0; i < n; i++) { | from private variable 'last' | work-item (0, 0, 0), in its group (0, 0, 0) | seen 4 times
over_variable | bounds: index 8 is outside of '__local int[8]' | work-item (0, 0, 0), in its group (0, 0, 0)
over_private | bounds: index 4 is outside of '__private int[4]' | work-item (1, 0, 0), in its group (1, 0, 0) | seen 32 times
under_private | bounds: index -1 is outside of '__private int[4]' | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
over_member | bounds: index 6 is outside of '__global char[6]' | work-item (0, 0, 0), in its group (0, 0, 0)
over_row | bounds: index 5 is outside of '__private int[5]' | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
over_callee | bounds: index 2 is outside of 'const __generic short[2]' | called at: out[get_global_id(0)] = of(&p, n); | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
over_constant | bounds: index 4 is outside of '__constant int[4]' | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
over_table | bounds: load of 4 bytes right behind the end of program variable 'powers', which has 16 | called at: out[get_global_id(0)] = pick(powers, n) + pick(sevens, 3); | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
over_literal | bounds: load of 4 bytes right behind the end of private variable 't', which has 16 | work-item (32, 0, 0), in its group (32, 0, 0) | seen 32 times
global_as_private | bounds: store of 4 bytes at 0x90000000 of private memory, of which a work-item has 4096 bytes; the addresses of buffers are for `vlw12.v' and `vsw12.v' | work-item (0, 0, 0), in its group (0, 0, 0) | seen 64 times
over_pointer | bounds: load of 4 bytes right behind the end of private variable 'a', which has 16 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 64 times
before_pointer | bounds: store of 4 bytes right before private variable 'b', which has 16 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 16 times
far_load | bounds: load of 4 bytes 88 bytes behind the end of private variable 'a', which has 32 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 64 times
far_store | bounds: store of 4 bytes 32 bytes before private variable 'b', which has 256 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
far_store | bounds: store of 1 byte 24 bytes behind the end of private variable 'v', which has 16 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
far_constant | bounds: load of 4 bytes 32 bytes behind the end of private variable 'a', which has 32 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 2 times
far_local | bounds: load of 4 bytes 88 bytes behind the end of local variable 'a', which has 32 | work-item (0, 0, 0), in its group (0, 0, 0) | seen 64 times
far_local | bounds: store of 4 bytes 80 bytes behind the end of local variable 'a', which has 32 | work-item (0, 0, 0), in its group (0, 0, 0)
async_early | race: load of 4 bytes at byte 0 of argument 2, 't', which has 256, and the store of an asynchronous copy, in no order | store: event_t e = async_work_group_copy(t, in, get_local_size(0), 0); | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0) | seen 64 times
async_barrier | race: load of 4 bytes at byte 0 of argument 2, 't', which has 256, and the store of an asynchronous copy, in no order | store: event_t e = async_work_group_strided_copy(t, in, get_local_size(0), 2, 0); | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0) | seen 64 times
async_source | race: asynchronous load of 4 bytes at byte 0 of argument 1, 't', which has 256, and the store of another work-item, in no order | store: t[get_local_id(0)] = get_local_id(0); | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0) | seen 64 times
async_one | barrier: divergent asynchronous copy: some work-items of the group do not reach it | not here (1, 0, 0), in its group (1, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0)
async_differs | barrier: divergent asynchronous copy: argument 2 of 'async_work_group_strided_copy' is 0x3f here, and 0x40 for another work-item of the group | other: event_t e = async_work_group_strided_copy(t, in, n, 1, 0); | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (63, 0, 0), in its group (63, 0, 0)
async_more | barrier: divergent asynchronous wait: another work-item of the group is at another call | other: e = async_work_group_copy(t, in, 16, e); | by (16, 0, 0), in its group (16, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0)
wait_differs | barrier: divergent asynchronous wait: work-items of the group wait for different events | other: wait_group_events(1, e + get_local_id(0) / 33); | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (33, 0, 0), in its group (33, 0, 0)
wait_nothing | barrier: wait for an event that no asynchronous copy gave | work-item (0, 0, 0), in its group (0, 0, 0)
wait_twice | barrier: wait for an event that was waited for before | copied: event_t e = async_work_group_copy(t, in, 16, 0); | by (0, 0, 0), in its group (0, 0, 0); group (0, 0, 0) | work-item (0, 0, 0), in its group (0, 0, 0)
wait_never | barrier: asynchronous copy that the kernel does not wait for | work-item (0, 0, 0), in its group (0, 0, 0)
END
diff "$T/want" "$T/said" || bad=1
# the largest group that a machine takes
runs=$((runs + 1))
"$B/ventus" run --check -B -cl-std=CL3.0 -k fine_local -g 4096 -l 2048 -a buf:i32:4096 -a local:8192 $src \
    >"$T/out" 2>&1 || { cat "$T/out"; bad=1; }
[ $bad = 0 ] && echo "$runs runs with --check"
exit $bad
