/* Integers of any width, copies, accesses, saturation, ids (test/cc/lowering.cl). */
#include "test/kit/oclkit.h"
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

static i64 signed_of(u64 v, int bits) { return (i64)(v << (64 - bits)) >> (64 - bits); }

REF(bits_33)
{
    const u32 *in = A(0);
    const u64 all = ((u64)1 << 33) - 1;
    EACH
    {
        u32 *o = (u32 *)A(1) + 12 * i;
        const u64 a = (u64)in[2 * i] * 2 + in[2 * i + 1] % 2, b = (u64)in[2 * i + 1] * 3 & all;
        const i64 sa = signed_of(a, 33), sb = signed_of(b, 33);
        o[0] = a < b;
        o[1] = sa < sb;
        o[2] = (u32)(a >> 2);
        o[3] = (u32)(sa >> 2);
        o[4] = (u32)(((a + b) & all) >> 31);
        o[5] = (u32)(((a - b) & all) >> 31);
        o[6] = (u32)((a * b & all) >> 31);
        o[7] = (u32)(sa >> 16);
        o[8] = a == (b & ~(u64)1) || ((a + 1) & all) == b;
        o[9] = (u32)(a >> b % 32);
        o[10] = (u32)((a << b % 32 & all) >> 31);
        o[11] = (u32)(sa < 0) + 2 * (u32)(sb <= sa) + 4 * (u32)(b >= a);
    }
}

REF(bits_24)
{
    const u32 *in = A(0);
    EACH
    {
        u32 *o = (u32 *)A(1) + 8 * i;
        const u32 a = in[2 * i] % (1 << 24), b = in[2 * i + 1] % (1 << 24);
        const i64 sa = signed_of(a, 24), sb = signed_of(b, 24);
        const i64 odd = signed_of(b | 1, 24);
        o[0] = (a + b) % (1 << 24);
        o[1] = (u32)signed_of((u64)(sa * sb), 24);
        o[2] = a < b;
        o[3] = sa < sb;
        o[4] = (u32)(sa >> 5);
        o[5] = a / (b | 1);
        o[6] = (u32)(sa % odd);
        o[7] = 1;
    }
}

REF(bits_128)
{
    const u64 *in = A(0);
    const u128 large[] = {(u128)0x0123456789abcdef << 64 | 0xfedcba9876543210, ~(u128)5, 7};
    EACH
    {
        u32 *o = (u32 *)A(1) + 24 * i;
        const u128 a = (u128)in[2 * i] << 64 | in[2 * i + 1], b = large[i % 3];
        const u128 r[5] = {a + b, a - b, a * b, (a ^ b) >> 37, b << 95};
        for (int k = 0; k < 20; k++)
            o[k] = (u32)(r[k / 4] >> 32 * (k % 4));
        o[20] = a < b;
        o[21] = (i128)a < (i128)b;
        o[22] = (u32)(a % ((u128)1 << 65) >> 60);
        o[23] = (u32)(a >> 64) == (u32)(b >> 64);
    }
}

REF(ten_indices)
{
    const u32 *x = A(0);
    const u8 *index = A(1);
    u32 *out = A(2);
    EACH
    {
        u32 at = 0;
        for (int k = 0; k < 10; k++)
            at = 2 * at + index[10 * i + (u32)k] % 2;
        out[i] = x[at];
    }
}

enum { AREA = 512 };

REF(moves_known)
{
    EACH
    {
        u8 *p = (u8 *)A(0) + AREA * i;
        memmove(p + 4, p, 200);
        memmove(p + 204, p + 208, 200);
        memmove(p + 7, p + 2, 151);
        memmove(p + 210, p + 219, 133);
        memmove(p + 400, p + 404, 48);
        memmove(p + 461, p + 460, 31);
        memcpy(p + 100, p + 300, 64);
        memset(p + 380, p[1], 9);
        memset(p + 164, 0xa5, 136);
    }
}

REF(moves_unknown)
{
    const u32 *n = A(1);
    EACH
    {
        u8 *p = (u8 *)A(0) + AREA * i;
        const u32 from = n[3 * i] % 200, to = n[3 * i + 1] % 200, length = n[3 * i + 2] % 300;
        memmove(p + to, p + from, length);
        memset(p + from / 2, (int)to, length % 17);
    }
}

REF(moves_private)
{
    const u32 *n = A(1);
    EACH
    {
        u8 *p = (u8 *)A(0) + AREA * i;
        const u32 from = n[3 * i] % 200, to = n[3 * i + 1] % 200, length = n[3 * i + 2] % 300;
        memmove(p + to, p + from, length);
        memmove(p + from, p + from + 3, 140);
        memmove(p + from + 3, p + from, 140);
    }
}

typedef struct __attribute__((packed)) {
    i8 c;
    i16 s;
    u16 u;
    i32 i;
    u8 b;
    i16 v[4];
    i64 l;
    u16 t[3];
} Packed;

REF(odd_places)
{
    Packed *x = A(0), *old = mem_zalloc(job->n, sizeof *old);
    const Packed *k = A(1);
    if (!old)
        return;
    memcpy(old, x, job->n * sizeof *old);
    EACH
    {
        const u32 l = i % job->local[0];
        const Packed *s = &old[i ^ 1], *me = &old[i], *c = &k[l];
        i64 *o = (i64 *)A(3) + 16 * i;
        const i16 small[4] = {me->v[3], me->v[2], me->v[1], me->v[0]};
        o[0] = me->s;
        o[1] = me->u;
        o[2] = me->i + (i64)me->s;
        o[3] = me->v[1] * (i64)me->v[3];
        o[4] = me->l;
        o[5] = c->s - c->t[2];
        o[6] = c->v[2];
        o[7] = (i64)((float)s->s + (float)s->u);
        o[8] = s->l ^ s->i;
        o[9] = s->v[0] > s->s;
        o[10] = me->s;
        o[11] = (i16)(me->t[i % 3] ^ 0x8000);
        o[12] = me->c + (i8)me->b;
        x[i].s = (i16)(me->s * 3);
        x[i].l = (i64)((u64)me->l - 1);
        memcpy(x[i].v, small, sizeof small);
        o[13] = (i32)i + me->s;
        o[14] = small[0];
        o[15] = (i32)((u32)me->t[1] << 16);
    }
    mem_free(old);
}

REF(several_locals)
{
    const u32 *in = A(0);
    u32 *out = A(6);
    EACH
    {
        const u32 l = i % 16, m = i - l + (l + 5) % 16, v = in[m];
        u32 sum = (u32)(i8)v + (u32)(((u64)v << 20) >> 18) + (u16)(v * 3) * 5u + (u8)(v >> 8) * 7u +
                  40 + l % 5 + (u32)((u64)1000000007 * (l % 3 + 1) >> 7) - 7;
        sum ^= v + m % 16 * 3 + m * 5 + ~v * 9;
        out[2 * i] = sum;
        out[2 * i + 1] = 0;
    }
}

static i128 between(i128 v, i128 least, i128 most)
{
    return v < least ? least : v > most ? most : v;
}

#define SATURATE(name, T, least, most)                                                             \
    REF(saturate_##name)                                                                           \
    {                                                                                              \
        const T *x = A(0), *y = A(1);                                                              \
        T *out = A(2);                                                                             \
        EACH                                                                                       \
        {                                                                                          \
            const T a = x[i / 8], b = y[i % 8], c = (T)(a ^ (T)i);                                 \
            out[4 * i] = (T)between((i128)a + b, least, most);                                     \
            out[4 * i + 1] = (T)between((i128)a - b, least, most);                                 \
            out[4 * i + 2] = (T)between((i128)c + b, least, most);                                 \
            out[4 * i + 3] = (T)between((i128)b - c, least, most);                                 \
            memcpy(out + 4 * (i + job->n), out + 4 * i, 4 * sizeof *out);                          \
        }                                                                                          \
    }
SATURATE(char, i8, INT8_MIN, INT8_MAX)
SATURATE(uchar, u8, 0, UINT8_MAX)
SATURATE(short, i16, INT16_MIN, INT16_MAX)
SATURATE(ushort, u16, 0, UINT16_MAX)
SATURATE(int, i32, INT32_MIN, INT32_MAX)
SATURATE(uint, u32, 0, UINT32_MAX)
SATURATE(long, i64, INT64_MIN, INT64_MAX)
SATURATE(ulong, u64, 0, UINT64_MAX)

#define COMPARE(name, T)                                                                           \
    REF(compare_##name)                                                                            \
    {                                                                                              \
        const T list[6] = {(T)0,                                                                   \
                           (T)1,                                                                   \
                           (T)-1,                                                                  \
                           (T)((u64)1 << (8 * sizeof(T) - 1)),                                     \
                           (T)0x80000000,                                                          \
                           (T)0x100000000};                                                        \
        u32 *out = A(0);                                                                           \
        EACH                                                                                       \
        {                                                                                          \
            const T a = list[i / 6 % 6], b = list[i % 6];                                          \
            out[i] = (u32)((a == b) | (a != b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | \
                           (a >= b) << 5);                                                         \
        }                                                                                          \
    }
COMPARE(int, i32)
COMPARE(uint, u32)
COMPARE(long, i64)
COMPARE(ulong, u64)

REF(compare_float)
{
    static const float list[6] = {-INFINITY, -1.5f, -0.0f, 0.0f, 2.5f, NAN};
    u32 *out = A(0);
    EACH
    {
        const float a = list[i / 6 % 6], b = list[i % 6];
        const bool test[14] = {a == b,
                               a != b,
                               a < b,
                               a <= b,
                               a > b,
                               a >= b,
                               islessgreater(a, b),
                               !islessgreater(a, b),
                               !isunordered(a, b),
                               isunordered(a, b),
                               !(a < b),
                               !(a <= b),
                               !(a > b),
                               !(a >= b)};
        out[i] = 0;
        for (u32 k = 0; k < 14; k++)
            out[i] |= (u32)test[k] << k;
    }
}

REF(linear)
{
    const u32 *n = job->global, *l = job->local;
    u32 *out = A(0);
    EACH
    {
        const u32 x = i % n[0], y = i / n[0] % n[1], z = i / (n[0] * n[1]);
        out[3 * i] = i;
        out[3 * i + 1] = (z % l[2] * l[1] + y % l[1]) * l[0] + x % l[0];
        out[3 * i + 2] = (z / l[2] * 100 + y / l[1]) * 100 + x / l[0];
    }
}

static const KitCase cases[] = {
    CASE(bits_33, "64/32", "w128 w768"),
    CASE(bits_33, "64/32", "w128%4 w768"),
    CASE(bits_24, "64/32", "w128 w512"),
    CASE(bits_128, "32/32", "q64 w768"),
    CASE(ten_indices, "64/32", "w1024 c640 w64"),
    CASE(moves_known, "32/16", "c16384"),
    CASE(moves_unknown, "32/16", "c16384 w96"),
    CASE(moves_private, "32/16", "c16384 w96"),
    CASE(odd_places, "32/16", "c1024 c512 l512 q512"),
    CASE(several_locals, "32/16", "w32 l16 l128 l32 l256 l16 w64"),
    CASE(several_locals, "32/16", "w32 l17 l129 l33 l257 l19 w64"),
    CASE(saturate_char, "64/16", "c8 c8 c512"),
    CASE(saturate_uchar, "64/16", "c8 c8 c512"),
    CASE(saturate_short, "64/16", "h8 h8 h512"),
    CASE(saturate_ushort, "64/16", "h8 h8 h512"),
    CASE(saturate_int, "64/16", "w8 w8 w512"),
    CASE(saturate_uint, "64/16", "w8 w8 w512"),
    CASE(saturate_long, "64/16", "q8 q8 q512"),
    CASE(saturate_ulong, "64/16", "q8 q8 q512"),
    CASE(compare_int, "36/12", "w36"),
    CASE(compare_uint, "36/12", "w36"),
    CASE(compare_long, "36/12", "w36"),
    CASE(compare_ulong, "36/12", "w36"),
    CASE(compare_float, "36/12", "w36"),
    CASE(linear, "12,10,6/4,5,3", "w2160"),
    CASE(linear, "6,12,10/3,2,5", "w2160"),
    CASE(linear, "10,6/5,2", "w180"),
};

int main(void) { return kit_main("lowering.cl", "-cl-std=CL3.0", cases, countof(cases)); }
