// A loop without an end: the lanes that part before it, and in it, meet before each barrier, so what stops
// the launch is its limit.
// skip: ! test -e %b/ventus-cc1
// run: for n in 4 8 16 32; do
// run:   %b/ventus run --threads $n --max-insns 20000 -g 32 -l 32 -a buf:u32:32 -k behind %s 2>%t.err || s=$?
// run:   grep -o 'instruction limit reached' %t.err
// run:   %b/ventus run --threads $n --max-insns 20000 -g 32 -l 32 -a buf:u32:32=iota -k inside %s 2>%t.err || s=$?
// run:   grep -o 'instruction limit reached' %t.err
// run: done
// run: exit $s
// exit: 1
kernel void behind(global uint *out)
{
    local uint l[1];
    if (get_local_id(0) == 0)
        l[0] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile uint q = 0;
    for (;;)
        q += l[0];
}

kernel void inside(global volatile uint *x)
{
    local uint t[32];
    const uint l = get_local_id(0);
    for (uint k = 0;; k++) {
        if (x[l] & 1)
            x[l] += k;
        if (x[l] & 2)
            continue;
        for (uint m = 0; m < x[l] % 5; m++)
            x[l]++;
        if (x[5] == 77) {
            t[l] = x[l];
            barrier(CLK_LOCAL_MEM_FENCE);
            x[l] = t[31 - l];
        }
    }
}
// out:
// instruction limit reached
// instruction limit reached
// instruction limit reached
// instruction limit reached
// instruction limit reached
// instruction limit reached
// instruction limit reached
// instruction limit reached
// end
