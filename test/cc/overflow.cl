/* Overflow of sums and differences of 64 bits, signed and not, at the borders: 1 signed sum, 2 signed difference, 4 and
 * 8 unsigned ones. */
// skip: ! test -e %b/ventus-cc1
// run: %b/ventus run -k flags -g 10 -l 10 -a buf:i64:10=9223372036854775807,-9223372036854775808,-1,0,-9223372036854775808,4294967295,4294967296,4294967295,9223372036854775807,-2 -a buf:i64:10=1,1,1,1,-9223372036854775808,1,4294967295,4294967296,-1,9223372036854775807 -a 'buf:i32:10>-' %s
kernel void flags(global const long *a, global const long *b, global int *out)
{
    size_t i = get_global_id(0);
    long s;
    ulong u;
    out[i] = __builtin_add_overflow(a[i], b[i], &s) | __builtin_sub_overflow(a[i], b[i], &s) << 1 |
             __builtin_add_overflow((ulong)a[i], (ulong)b[i], &u) << 2 |
             __builtin_sub_overflow((ulong)a[i], (ulong)b[i], &u) << 3;
}
// out:
// arg2[0..9]: 1 2 4 8 5 0 0 8 14 6
// end
