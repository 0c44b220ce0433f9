/* Functions of the whole group, in groups of 50 = 10 x 5, which is no multiple of a warp: item 49 of each of two
 * groups writes what it got.
 *
 *     sum of 1 to 50; greatest of 7 i mod 50, of which 7 makes a permutation; least of i - 5
 *     scans of i at 49: 0 + .. + 49, and without 49; the sum again in 64 bits
 *     any i = 49; all i < 49: no; 3 i of the item at (2, 1), which is i = 12
 *     greatest of 7 i mod 13 so far; the global linear id, 4 * 20 + 9 + 10 in the second group; local y
 */
// run: for n in 4 8 16 32; do
// run:   %b/ventus run --threads $n -B -cl-std=CL3.0 -g 20,5 -l 10,5 -a 'buf:i32:24>-' -a 'buf:f32:100>-:0:4' %s >%t.$n
// run:   cmp %t.4 %t.$n
// run: done
// run: cat %t.4
kernel void group_functions(global int *out, global float *least)
{
    int i = get_local_linear_id();
    global int *o = out + get_group_id(0) * 12;
    int sum = work_group_reduce_add(i + 1);
    int greatest = work_group_reduce_max(i * 7 % 50);
    int smallest = work_group_reduce_min(i - 5);
    int with = work_group_scan_inclusive_add(i), without = work_group_scan_exclusive_add(i);
    long wide = work_group_reduce_add((long)i << 33);
    int any = work_group_any(i == 49), all = work_group_all(i < 49);
    int other = work_group_broadcast(i * 3, 2, 1);
    int far = work_group_scan_inclusive_max(i * 7 % 13);

    least[get_global_linear_id()] = work_group_scan_exclusive_min((float)-i);
    if (i == 49) {
        *o++ = sum, *o++ = greatest, *o++ = smallest, *o++ = with, *o++ = without, *o++ = (int)(wide >> 33);
        *o++ = any, *o++ = all, *o++ = other, *o++ = far, *o++ = get_global_linear_id(), *o++ = get_local_id(1);
    }
}

// out:
// arg0[0..15]: 1275 49 -5 1225 1176 1225 1 0 36 12 89 4 1275 49 -5 1225
// arg0[16..23]: 1176 1225 1 0 36 12 99 4
// arg1[0..3]: inf 0 -1 -2
// end
