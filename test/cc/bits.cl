// Fields of bits, their order, dot products of bytes, and what a program tells the compiler.

#define FIELDS(T) \
    kernel void fields_##T(global const T *x, global const T *y, global const uint *at, global ulong *out) \
    { \
        const uint i = get_global_id(0), bits = 8 * sizeof(T); \
        const uint offset = at[2 * i] % (bits + 1), count = at[2 * i + 1] % (bits - offset + 1); \
        out[4 * i] = bitfield_insert(x[i], y[i], offset, count); \
        out[4 * i + 1] = bitfield_extract_signed(x[i], offset, count); \
        out[4 * i + 2] = bitfield_extract_unsigned(x[i], offset, count); \
        out[4 * i + 3] = bit_reverse(x[i]); \
    }
FIELDS(char) FIELDS(uchar) FIELDS(short) FIELDS(ushort) FIELDS(int) FIELDS(uint) FIELDS(long) FIELDS(ulong)

kernel void field_vectors(global const ushort *x, global ushort *out)
{
    const uint i = get_global_id(0);
    const ushort3 a = vload3(i, x);
    vstore3(bitfield_insert(a, a.zxy, 3, 7), 3 * i, out);
    vstore3(bitfield_extract_unsigned(as_short3(a), 5, 9) ^ as_ushort3(bitfield_extract_signed(a, 5, 9)), 3 * i + 1, out);
    vstore3(bit_reverse(a), 3 * i + 2, out);
}

kernel void dots(global const uint *x, global const uint *y, global const uint *z, global uint *out)
{
    const uint i = get_global_id(0), a = x[i], b = y[i], c = z[i];
    global uint *o = out + 16 * i;
    o[0] = dot(as_uchar4(a), as_uchar4(b));
    o[1] = dot(as_char4(a), as_char4(b));
    o[2] = dot(as_uchar4(a), as_char4(b));
    o[3] = dot(as_char4(a), as_uchar4(b));
    o[4] = dot_acc_sat(as_uchar4(a), as_uchar4(b), c);
    o[5] = dot_acc_sat(as_char4(a), as_char4(b), (int)c);
    o[6] = dot_acc_sat(as_uchar4(a), as_char4(b), (int)c);
    o[7] = dot_acc_sat(as_char4(a), as_uchar4(b), (int)c);
    o[8] = dot_4x8packed_uu_uint(a, b);
    o[9] = dot_4x8packed_ss_int(a, b);
    o[10] = dot_4x8packed_us_int(a, b);
    o[11] = dot_4x8packed_su_int(a, b);
    o[12] = dot_acc_sat_4x8packed_uu_uint(a, b, c);
    o[13] = dot_acc_sat_4x8packed_ss_int(a, b, (int)c);
    o[14] = dot_acc_sat_4x8packed_us_int(a, b, (int)c);
    o[15] = dot_acc_sat_4x8packed_su_int(a, b, (int)c);
}

#ifndef cl_khr_expect_assume
#error
#endif
kernel void expected(global const uint *x, global uint *out)
{
    const uint i = get_global_id(0);
    __builtin_assume(i < 64);
    out[i] = __builtin_expect(x[i] % 4 == 0, 1) ? x[i] / 4 : i % 64;
}
