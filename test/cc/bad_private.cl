// skip: ! test -e %b/ventus-cc1
// run: %b/ventus cc -o %t %s
// exit: 2
kernel void k(global int *a)
{
    int p[10000000];
    for (int i = 0; i < a[0]; i++)
        p[i] = a[i];
    a[0] = p[a[1]];
}
kernel void aligned(global int *a)
{
    int p[8] __attribute__((aligned(256)));
    for (int i = 0; i < a[0]; i++)
        p[i & 7] = a[i];
    a[0] = p[a[1]];
}
// out:
// test/cc/bad_private.cl:4: error: a variable of 40000000 bytes in private memory
//     kernel void k(global int *a)
// test/cc/bad_private.cl:11: error: a variable aligned to 256 bytes in private memory; 128 is the most
//     kernel void aligned(global int *a)
// end
