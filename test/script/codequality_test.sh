#!/bin/sh
# codequality_test.sh -- compiled kernels execute no more instructions than were counted by hand for good code.
#
# Of loops the instructions of a round: those of a launch with more rounds less those of one with fewer, for one warp.
set -eu
cd "$(dirname "$0")/../.."
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'the build has no compiler'; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0

cat >"$tmp/k.cl" <<'END'
kernel void nothing(void) {}
kernel void distance2(global float *o, global const float *a, global const float *b, uint n)
{
    uint i = get_global_id(0);
    float sum = 0;
    for (uint k = 0; k < n; k++)
        sum += (a[k * 32 + i] - b[k]) * (a[k * 32 + i] - b[k]);
    o[i] = sum;
}
kernel void product(global float *o, global const float *a, global const float *b, uint n)
{
    uint x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    o[y * n + x] = sum;
}
kernel void transposed(global float *o, global const float *a, uint n, uint m)
{
    uint i = get_global_id(0);
    for (uint k = 0; k < n; k++)
        o[k * m + i] = a[i * n + k];
}
kernel void strided(global float *o, global const float *a, uint n)
{
    for (uint k = get_global_id(0); k < n; k += get_global_size(0))
        o[k] = a[k];
}
kernel void seldom(global uint *o, global const uint *a, global const uint *b, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        o[i] = a[i] + b[i];
}
kernel void rows(global int *o, global const int *a, uint n)
{
    uint i = get_global_id(0);
    int sum = 0;
    for (uint k = 0; k < 8; k++)
        sum ^= a[k * n + i];
    o[i] = sum;
}
kernel void best(global int *o, global const int *a, int p)
{
    const uint i = get_global_id(0);
    o[i] = max(a[i], max(a[i + 32] - p, a[i + 64] - p));
}
kernel void best_unsigned(global uint *o, global const uint *a, uint p)
{
    const uint i = get_global_id(0);
    o[i] = max(a[i], max(a[i + 32] - p, a[i + 64] - p));
}
kernel void diagonals(global int *a, global const int *b, int n)
{
    const int t = get_global_id(0);
    global int *row = a + t;
    for (int k = 0; k < n; k++)
        if (b[k] > t)
            a[k * 17 - t * 16 + 600] = row[(k - t) * 17 + 620] + row[(k - t) * 17 + 621];
}
kernel void turns(global int *o, local int *l)
{
    const int t = get_local_id(0);
    l[t] = t;
    for (int m = 0; m < 16; m++) {
        if (t <= m)
            l[t + 32] += l[t + m * 3];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[t] = l[t];
}
kernel void asked(global int *o, global const int *a)
{
    const int i = get_global_id(0);
    #pragma unroll 4
    for (int k = 0; k < 64; k++)
        if (i < k)
            o[k * 17 + i] = a[k];
}
kernel void limits(global const int *limit, global const int *a, global int *o, int n)
{
    const int i = get_global_id(0);
    for (int k = 0; k < limit[i] + limit[i + 32]; k++)
        if (a[k * 32 + i] == n)
            o[i] = k;
}
kernel void leaves(global uint *o, uint n)
{
    uint x = get_global_id(0), s = x;
    for (uint k = 0; k < n; k++) {
        x = x * 1664525 + 1013904223;
        if (x >> 31) {
            s += x;
        } else {
            s ^= x >> 3;
            if (x == n)
                break;
        }
        s = s * 5 + k;
    }
    o[get_global_id(0)] = s;
}
END
"$B/ventus" cc -cl-std=CL3.0 -o "$tmp/k.elf" "$tmp/k.cl"
"$B/ventus" cc -cl-std=CL3.0 -S -o "$tmp/k.s" "$tmp/k.cl"

insns() { # kernel, options...: executed by one warp of 32
    kernel=$1
    shift
    "$B/ventus" run --threads 32 -g 32 -l 32 -k "$kernel" "$@" --stats "$tmp/k.elf" | awk '$1 == "insns" { print $2 }'
}

body() { sed -n "/^$1:/,/\.size $1/p" "$tmp/k.s" | grep '^	[a-z]'; } # of a kernel

at_most() { # what, number, limit
    checks=$((checks + 1))
    [ "$2" -le "$3" ] || { echo "$1: $2, not $3"; exit 1; }
}

rounds() { # kernel, limit of instructions for 64 rounds, options with N for their number
    kernel=$1 limit=$2
    shift 2
    # shellcheck disable=SC2046 # options are several words
    few=$(insns "$kernel" $(echo "$@" | sed 's/\<N\>/64/g')) many=$(insns "$kernel" $(echo "$@" | sed 's/\<N\>/128/g'))
    at_most "64 rounds of $kernel" $((many - few)) "$limit"
}

# floats allowed (2: others of the program need it), metadata, entry, arguments, lanes, call, end
at_most nothing "$(insns nothing)" 8
# of four rounds: 4 times load, load, difference, product and sum, next row; next of b, count, branch
rounds distance2 $((64 / 4 * 23)) -a buf:f32:32 -a buf:f32:4096 -a buf:f32:128 -a i32:N
# of each round that is left over: load, load, difference, product and sum, next row, next of b, branch; the end of b once
set -- -a buf:f32:32 -a buf:f32:4096 -a buf:f32:128
at_most '3 rounds of distance2 that are left over' \
    $(($(insns distance2 "$@" -a i32:67) - $(insns distance2 "$@" -a i32:64))) $((3 * 7 + 1))
# 4 times load, load, product and sum, next row; next of a, count, branch
rounds product $((64 / 4 * 19)) -a buf:f32:16384 -a buf:f32:16384 -a buf:f32:16384 -a i32:N
# 4 times load, store, next row; next of a, count, branch
rounds transposed $((64 / 4 * 15)) -a buf:f32:4096 -a buf:f32:4096 -a i32:N -a i32:32
# load, the branch 2, load, load, sum, store, join, next of b, next diagonal, branch: all three addresses are one's
rounds diagonals $((64 * 11)) -a buf:i32:4096 -a buf:i32:128=100 -a i32:N
# of eight rounds: 8 times the round with the lanes, where to meet, the branch, load, load, sum, store, join 3, barrier;
# next address, count, branch; before them start code 7, the item 7, local memory 2, address 2, store, 3 to begin with; load, store, end
at_most '16 rounds of turns' "$(insns turns -a buf:i32:64 -a local:512)" $((7 + 15 + 2 * (8 * 11 + 3) + 3))
# the addresses of rounds that are made one are counters plus constants: no more than one sum a round, with the lanes
at_most 'sums of asked' "$(body asked | sed '1,/vbge/d' | grep -c 'add')" $((2 + 3))
# load, where to meet, branch, join, next of a, count, limit with the lanes, where to meet, branch: the limit is no sum
rounds limits $((2 * 64 * 9)) -a buf:i32:64=N -a buf:i32:8192 -a buf:i32:32 -a i32:-1
# lanes that took different sides meet in the same round: no instruction of the kernel is executed twice in one
rounds leaves $((64 * $(body leaves | wc -l))) -a buf:u32:32 -a i32:N
# lanes may leave in different rounds, so there is one load
at_most 'loads of strided' "$(body strided | grep -c 'vlw12\|vloxei32')" 1
# the item 10, arguments 3; index, first row, bytes of a row, 7 more rows, 8 loads, 7 sums; store, end and ret
at_most 'instructions of rows' "$(body rows | wc -l)" $((10 + 3 + 1 + 1 + 1 + 7 + 8 + 7 + 1 + 2))
# what is added to an array's address is an index: the branch, index, loads, sum and store
at_most 'instructions after the branch of seldom' "$(body seldom | sed '1,/	vbge/d' | wc -l)" $((3 + 1 + 2 + 1 + 1 + 3))
# a penalty that both share is taken away once; not where differences may wrap
at_most 'differences of best' "$(body best | grep -c vsub)" 1
at_most 'differences missing in best_unsigned' $((2 - $(body best_unsigned | grep -c vsub))) 0
# before the branch only n is loaded of the arguments
at_most 'arguments before the branch of seldom' "$(body seldom | sed '/	vbge/q' | grep -c '(a0)')" 1
# the argument block stays in its register
at_most 'moves of the argument block' "$(body seldom | grep -c 'mv .*, a0' || :)" 0
echo "$checks limits"
