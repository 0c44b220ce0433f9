/* Fields of bits and dot products (test/cc/bits.cl), bit by bit and in 64 bits. */
#include "test/kit/oclkit.h"
#include <string.h>

static u64 bit(u64 x, u32 k) { return x >> k & 1; }

static void fields(KitJob *job, u32 bytes, bool is_signed)
{
    const u8 *x = A(0), *y = A(1);
    const u32 *at = A(2), bits = 8 * bytes;
    u64 *out = A(3);
    EACH
    {
        const u32 offset = at[2 * i] % (bits + 1), count = at[2 * i + 1] % (bits - offset + 1);
        u64 a = 0, b = 0, inserted = 0, taken = 0, turned = 0;
        memcpy(&a, x + (size_t)i * bytes, bytes);
        memcpy(&b, y + (size_t)i * bytes, bytes);
        for (u32 k = 0; k < bits; k++) {
            const bool inside = k >= offset && k < offset + count;
            inserted |= (inside ? bit(b, k - offset) : bit(a, k)) << k;
            taken |= k < count ? bit(a, offset + k) << k : 0;
            turned |= bit(a, k) << (bits - 1 - k);
        }
        u64 minus = taken; /* the sign goes on above the field, through all 64 bits of the result */
        for (u32 k = count; k < 64 && count; k++)
            minus |= bit(taken, count - 1) << k;
        for (u32 k = bits; k < 64 && is_signed; k++) {
            inserted |= bit(inserted, bits - 1) << k;
            turned |= bit(turned, bits - 1) << k;
        }
        const u64 o[4] = {inserted, minus, taken, turned};
        memcpy(out + (size_t)4 * i, o, sizeof o);
    }
}

#define FIELDS(T, ...)                                                                             \
    REF(fields_##T) { fields(job, __VA_ARGS__); }
FIELDS(char, 1, true)
FIELDS(uchar, 1, false)
FIELDS(short, 2, true)
FIELDS(ushort, 2, false)
FIELDS(int, 4, true)
FIELDS(uint, 4, false)
FIELDS(long, 8, true)
FIELDS(ulong, 8, false)

REF(field_vectors)
{
    const u16 *x = A(0);
    u16 *out = A(1);
    EACH for (u32 k = 0; k < 3; k++)
    {
        const u16 *a = x + (size_t)3 * i, from = a[(k + 2) % 3];
        u16 *o = out + (size_t)9 * i + k;
        const u32 taken = a[k] >> 5 & 0x1ff;
        u32 turned = 0;
        for (u32 j = 0; j < 16; j++)
            turned |= (u32)(a[k] >> j & 1) << (15 - j);
        o[0] = (u16)(((u32)a[k] & ~0x3f8u) | ((u32)from << 3 & 0x3f8u));
        o[3] = (u16)(taken ^ (taken & 0x100 ? taken | 0xfe00 : taken));
        o[6] = (u16)turned;
    }
}

static i64 product(u32 a, u32 b, bool a_signed, bool b_signed)
{
    i64 sum = 0;
    for (u32 k = 0; k < 32; k += 8) {
        const i64 p = a_signed ? (i8)(a >> k) : (u8)(a >> k),
                  q = b_signed ? (i8)(b >> k) : (u8)(b >> k);
        sum += p * q;
    }
    return sum;
}

REF(dots)
{
    const u32 *x = A(0), *y = A(1), *z = A(2);
    u32 *out = A(3);
    EACH for (u32 k = 0; k < 4; k++)
    {
        const i64 p = product(x[i], y[i], k & 1, k == 1 || k == 2);
        const i64 sum = p + (k ? (i64)(i32)z[i] : (i64)z[i]);
        const i64 low = k ? INT32_MIN : 0, high = k ? INT32_MAX : (i64)UINT32_MAX;
        u32 *o = out + (size_t)16 * i + k;
        o[0] = o[8] = (u32)p;
        o[4] = o[12] = (u32)(sum < low ? low : sum > high ? high : sum);
    }
}

REF(expected)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH out[i] = x[i] % 4 ? i : x[i] / 4;
}

static const KitCase cases[] = {
    CASE(fields_char, "128/64", "c128 c128 w256 q512"),
    CASE(fields_uchar, "128/64", "c128 c128 w256 q512"),
    CASE(fields_short, "128/64", "h128 h128 w256 q512"),
    CASE(fields_ushort, "128/64", "h128 h128 w256 q512"),
    CASE(fields_int, "128/64", "w128 w128 w256 q512"),
    CASE(fields_uint, "128/64", "w128 w128 w256 q512"),
    CASE(fields_long, "128/64", "q128 q128 w256 q512"),
    CASE(fields_ulong, "128/64", "q128 q128 w256 q512"),
    CASE(field_vectors, "64/64", "h192 h576"),
    CASE(dots, "128/64", "w128 w128 w128 w2048"),
    CASE(dots, "128/64", "w128 w128 w128%4000000000 w2048"),
    CASE(expected, "64/64", "w64 w64"),
};

int main(void) { return kit_main("bits.cl", "-cl-std=CL3.0", cases, countof(cases)); }
