// Groups that wait for each other, as in programs that bring a barrier for the whole grid: as many as the machine
// holds at once may, on however few host threads, and each keeps its private and local memory meanwhile.  With one
// more than that they stand still, as on hardware.  One that waits for a group which the launch does not have goes on
// until its time is over.  The engine `shadow` runs one group after the other.
//
// skip: ! test -e %b/ventus-cc1 || test "$VENTUS_ENGINE" = shadow
// on: interp jit auto
// run: run="%b/ventus run --engine %e --sms 2 --timeout 60"
// run: for j in 1 2; do
// run:   $run -j $j -k all -g 768 -l 48 -a buf:i32:1 -a 'buf:i32:16>-' -a i32:5 %s
// run:   $run -j $j -k pairs -P 32768 -g 1920 -l 48 -a buf:i32:40 -a 'buf:i32:40>%t.out' %s
// run:   od -An -v -td4 -w4 %t.out | sort | uniq -c
// run:   $run -j $j -k pairs -P 32768 -g 2560 -l 64 -a buf:i32:40 -a 'buf:i32:40>%t.out' %s
// run:   od -An -v -td4 -w4 %t.out | sort | uniq -c
// run: done
// run: $run --sms 1 -j 16 -k pairs -g 19200 -l 48 -a buf:i32:400 -a 'buf:i32:400>%t.out' %s
// run: od -An -v -td4 -w4 %t.out | sort | uniq -c
// run: $run --timeout 1 -k all -g 1584 -l 48 -a buf:i32:1 -a buf:i32:33 -a i32:1 %s 2>%t.err || s=$?
// run: for l in 48 64; do
// run:   $run --timeout 1 -k pairs -g $l -l $l -a buf:i32:2 -a buf:i32:2 %s 2>&1 | grep -o 'time limit reached'
// run: done
// run: grep -o 'warps wait at a barrier that the others do not reach' %t.err
// run: exit $s
// exit: 1

enum { WORDS = 16 };

// Words that the work-item changes while its group waits, and counts at the end, if all are as they should be.
#define BEGIN                                                   \
    local int shared[64];                                       \
    const int lid = (int)get_local_id(0), me = (int)get_global_id(0); \
    int own[WORDS];                                             \
    for (int i = 0; i < WORDS; i++)                             \
        own[i] = me + i;                                        \
    shared[lid] = me;

#define STEP(round)                             \
    own[((round) + lid) % WORDS] += me;         \
    shared[lid] += me;

#define END(out, rounds)                                                \
    int right = shared[lid] == me * (1 + (rounds));                     \
    for (int i = 0; i < WORDS; i++) {                                   \
        int sum = me + i;                                               \
        for (int round = 1; round <= (rounds); round++)                 \
            sum += (round + lid) % WORDS == i ? me : 0;                 \
        right &= own[i] == sum;                                         \
    }                                                                   \
    atomic_add(&(out)[get_group_id(0)], right);

kernel void all(global int *count, global int *out, int rounds)
{
    BEGIN
    for (int round = 1; round <= rounds; round++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (lid == 0) {
            atomic_inc(count);
            while (atomic_add(count, 0) < round * (int)get_num_groups(0))
                ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        STEP(round)
    }
    END(out, rounds)
}

// The first of two waits for the second, which begins later: at barriers of the group without an end.
kernel void pairs(global int *flag, global int *out)
{
    local int seen;
    const int group = (int)get_group_id(0);
    BEGIN
    STEP(1)
    if (lid == 0)
        atomic_inc(&flag[group]);
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0)
            seen = atomic_add(&flag[group ^ 1], 0);
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (!seen);
    END(out, 1)
}
// out:
// arg1[0..15]: 48 48 48 48 48 48 48 48 48 48 48 48 48 48 48 48
//      40           48
//      40           64
// arg1[0..15]: 48 48 48 48 48 48 48 48 48 48 48 48 48 48 48 48
//      40           48
//      40           64
//     400           48
// time limit reached
// time limit reached
// warps wait at a barrier that the others do not reach
// end
