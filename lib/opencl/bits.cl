/* bits.cl -- fields of bits and their order (cl_khr_extended_bit_ops), dot products of bytes
 * (cl_khr_integer_dot_product). */
#include "ventus.h"

/* --- fields --------------------------------------------------------------------------------- */

/* S, U: T's signed and unsigned twin; a field of no bits is 0, and inserts nothing */
#define FIELDS(T, S, U, bits) \
    static inline U OVL field_##T(uint count) { return count ? (U)((U)~(U)0 >> (bits - count)) : (U)0; } \
    T OVL bitfield_insert(T base, T insert, uint offset, uint count) \
    { \
        U field = (U)(field_##T(count) << (offset & (bits - 1))); \
        return (T)(((U)base & (U)~field) | ((U)((U)insert << (offset & (bits - 1))) & field)); \
    } \
    S OVL bitfield_extract_signed(T base, uint offset, uint count) \
    { \
        U top = (U)((U)base << ((bits - offset - count) & (bits - 1))); \
        return count ? (S)((S)top >> (bits - count)) : (S)0; \
    } \
    U OVL bitfield_extract_unsigned(T base, uint offset, uint count) \
    { \
        return (U)((U)base >> (offset & (bits - 1))) & field_##T(count); \
    } \
    T OVL bit_reverse(T x) { return (T)__builtin_bitreverse##bits((U)x); } \
    VECTOR1(T, bit_reverse, T) \
    FIELDS_N(T, S, U, 2) FIELDS_3(T, S, U) FIELDS_N(T, S, U, 4) FIELDS_N(T, S, U, 8) FIELDS_N(T, S, U, 16)

#define FIELDS_N(T, S, U, n) \
    T##n OVL bitfield_insert(T##n base, T##n insert, uint offset, uint count) \
    { \
        return (T##n)(bitfield_insert(base.lo, insert.lo, offset, count), bitfield_insert(base.hi, insert.hi, offset, count)); \
    } \
    EXTRACT_N(S, bitfield_extract_signed, T, n) EXTRACT_N(U, bitfield_extract_unsigned, T, n)
#define EXTRACT_N(R, f, T, n) \
    R##n OVL f(T##n base, uint offset, uint count) \
    { \
        return (R##n)(f(base.lo, offset, count), f(base.hi, offset, count)); \
    }
#define FIELDS_3(T, S, U) \
    T##3 OVL bitfield_insert(T##3 base, T##3 insert, uint offset, uint count) \
    { \
        return (T##3)(bitfield_insert(base.s01, insert.s01, offset, count), bitfield_insert(base.s2, insert.s2, offset, count)); \
    } \
    EXTRACT_3(S, bitfield_extract_signed, T) EXTRACT_3(U, bitfield_extract_unsigned, T)
#define EXTRACT_3(R, f, T) \
    R##3 OVL f(T##3 base, uint offset, uint count) { return (R##3)(f(base.s01, offset, count), f(base.s2, offset, count)); }

FIELDS(char, char, uchar, 8) FIELDS(uchar, char, uchar, 8)
FIELDS(short, short, ushort, 16) FIELDS(ushort, short, ushort, 16)
FIELDS(int, int, uint, 32) FIELDS(uint, int, uint, 32)
FIELDS(long, long, ulong, 64) FIELDS(ulong, long, ulong, 64)

/* --- dot products ---------------------------------------------------------------------------- */

/* a sum of four products has at most 18 bits; only the accumulation can overflow */
#define DOT(R, A, B, suffix) \
    R OVL dot(A##4 a, B##4 b) { return (R)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w); } \
    R OVL dot_acc_sat(A##4 a, B##4 b, R c) { return add_sat(dot(a, b), c); } \
    R OVL dot_4x8packed_##suffix(uint a, uint b) { return dot(as_##A##4(a), as_##B##4(b)); } \
    R OVL dot_acc_sat_4x8packed_##suffix(uint a, uint b, R c) { return add_sat(dot(as_##A##4(a), as_##B##4(b)), c); }

int OVL add_sat(int a, int b);
uint OVL add_sat(uint a, uint b);
DOT(uint, uchar, uchar, uu_uint) DOT(int, char, char, ss_int) DOT(int, uchar, char, us_int) DOT(int, char, uchar, su_int)
