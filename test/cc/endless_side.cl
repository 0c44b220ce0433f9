// Loops that the optimiser takes to be endless on one side of a branch (a step of zero), which no
// lane enters: the lanes of the other sides meet before the barrier all the same.
// skip: ! test -e %b/ventus-cc1
// run: copied=15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16
// run: summed=31,1,31,121,31,5,202,7,31,274,31,11,337,13,31,391,31,17,436,19,31,472,31,23,499,25,31,517,31,29,526,31,63,33,95,153,95,37,234,39,95,306,95,43,369,45,95,423,95,49,468,51,95,504,95,55,531,57,95,549,95,61,558,63
// run: for n in 4 8 16 32; do
// run:   %b/ventus run --threads $n -k copies -g 32 -l 16 -a buf:u32:32=iota -a buf:u32:32==$copied -a local:64 %s || exit
// run:   %b/ventus run --threads $n -k waits -g 64 -l 32 -a i32:1 -a buf:u32:64=iota -a buf:u32:64==$summed %s || exit
// run: done
kernel void copies(global uint *in, global uint *out, local uint *scratch)
{
    const uint n = get_local_size(0), id = get_local_id(0), first = get_group_id(0) * n;
    event_t e = 0;
    for (uint i = 0; i < n; i++)
        e = async_work_group_copy(scratch + i, in + first + i, 1, e);
    wait_group_events(1, &e);
    out[first + n - 1 - id] = scratch[id];
}

kernel void waits(int step, global uint *in, global uint *out)
{
    local uint all[32];
    const uint id = get_local_id(0), g = get_global_id(0);
    uint sum = 0;
    if (id % 3 == 1) {
        for (uint i = id; i < 32; i += step)
            sum += i;
    } else if (id & 1) {
        while (!step)
            ;
        sum = in[g];
    }
    all[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = all[31 - id] + g;
}
