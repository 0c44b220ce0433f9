// Variables that fit one by one, but not together: in one function, and along calls.
// skip: ! test -e %b/ventus-cc1
// run: %b/ventus cc -o %t %s
// exit: 2
__attribute__((noinline)) int sum(global int *a)
{
    volatile int p[2000000];
    p[a[0]] = 1;
    return p[a[1]];
}
kernel void both(global int *a)
{
    volatile int p[2000000], q[2000000], r[2000000];
    p[a[0]] = q[a[0]] = r[a[0]] = 1;
    a[0] = p[a[1]] + q[a[1]] + r[a[1]];
}
kernel void calls(global int *a)
{
    volatile int p[2200000];
    p[a[0]] = sum(a);
    a[0] = p[a[1]];
}
// out:
// test/cc/bad_private_sum.cl: error: kernel 'both' needs 24000016 bytes of private memory; a work-item can have 16777216
// test/cc/bad_private_sum.cl: error: kernel 'calls' needs 16800128 bytes of private memory; a work-item can have 16777216
// end
