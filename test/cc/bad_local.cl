// More local memory than there is, also where the sum does not fit into 32 bits.
// skip: ! test -e %b/ventus-cc1
// run: %b/ventus cc -o %t %s
// exit: 2
kernel void some(global int *a)
{
    local int l[100000];
    l[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[0] = l[a[1]];
}
kernel void more(global int *a)
{
    local char x[0x80000000], y[0x80000010];
    x[get_local_id(0)] = y[a[3]] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[0] = x[a[1]] + y[a[2]];
}
// out:
// test/cc/bad_local.cl: error: kernel 'some' has 400000 bytes of __local variables, 65536 are allowed
// test/cc/bad_local.cl: error: kernel 'more' has 1073741824 bytes of __local variables, 65536 are allowed
// end
