// Addresses of a loop that start at the same place, which is written as different sums: a multiple of t that is part of
// one, and another one that is taken from it, are one multiple.  Each word holds its index.
// skip: ! test -e %b/ventus-cc1
// run: want=13777,12307,10717,10609,9011,8701,8657,8467,8285,9009,8947,9149,9169,9363,8669,8817,9139,8701,8657,8083,7517,6833,6387,5693,5585,4883,4829,4465,4147,3837,3793,3603
// run: for options in -cl-opt-disable -DANY; do
// run:   %b/ventus run -B $options -k diagonals -g 32 -l 32 -a buf:i32:1024=iota -a buf:i32:32==$want -a i32:9 %s || exit
// run: done
kernel void diagonals(global const int *a, global int *o, int n)
{
    const int t = get_global_id(0);
    global const int *row = a + t;
    int sum = 0;
    for (int k = 0; k < n; k++)
        if (k % 5 != t % 3)
            sum += (3 * a[k * 17 - t * 16 + 600]) ^ (row[(k - t) * 17 + 620] - k);
    o[t] = sum;
}
