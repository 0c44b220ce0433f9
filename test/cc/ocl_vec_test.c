/* Vectors (test/cc/vec.cl); a reference sees their components in memory. */
#include "test/kit/oclkit.h"
#include <string.h>

#define ARITHMETIC(type, T, n)                                                                     \
    REF(arith_##type)                                                                              \
    {                                                                                              \
        const T *x = A(0), *y = A(1);                                                              \
        T *out = A(2);                                                                             \
        EACH for (u32 k = 0; k < n; k++)                                                           \
        {                                                                                          \
            const T a = x[n * i + k], b = y[n * i + k];                                            \
            T *o = out + 3 * n * i + k;                                                            \
            o[0] = (T)((u64)a + (u64)b * (u64)a);                                                  \
            o[n] = (T)((a ^ b) | (a & ~b));                                                        \
            o[2 * n] = (T)(((u64)a << 3) - (u64)(b >> 1));                                         \
        }                                                                                          \
    }
ARITHMETIC(int2, i32, 2)
ARITHMETIC(uint4, u32, 4)
ARITHMETIC(int8, i32, 8)
ARITHMETIC(uint16, u32, 16)
ARITHMETIC(char16, i8, 16)
ARITHMETIC(uchar4, u8, 4)
ARITHMETIC(short8, i16, 8)
ARITHMETIC(ushort2, u16, 2)
ARITHMETIC(long2, i64, 2)
ARITHMETIC(ulong4, u64, 4)

static void floats(KitJob *job, u32 n)
{
    const float *x = A(0), *y = A(1);
    float *out = A(2);
    for (u32 i = 0; i < n * job->n; i++)
        out[i] = (x[i] - y[i]) * 0.5f + -x[i] / (y[i] * y[i] + 1.0f);
}
REF(arith_float2) { floats(job, 2); }
REF(arith_float4) { floats(job, 4); }
REF(arith_float8) { floats(job, 8); }
REF(arith_float16) { floats(job, 16); }

REF(swizzle)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        const u32 *a = x + 4 * i;
        u32 b[4] = {a[3] + a[1], a[2], a[1] + a[3], a[0]};
        b[0] = b[2], b[1] = b[3];
        b[1] ^= a[0], b[3] ^= a[2];
        memcpy(out + 8 * i, b, sizeof b);
        const u32 t[4] = {a[3], b[0], b[1], a[0]};
        memcpy(out + 8 * i + 4, (u32[]){t[1], t[3], t[2], t[0]}, sizeof t);
    }
}

REF(swizzle16)
{
    const u8 *x = A(0);
    u8 *out = A(1);
    EACH
    {
        const u8 *a = x + 16 * i;
        u8 *r = out + 16 * i;
        for (u32 k = 0; k < 16; k++)
            r[k] = a[15 - k];
        for (u32 k = 0; k < 4; k++)
            r[4 * k] = a[4 * k + 3];
        memcpy(r + 8, a + 4, 4);
        r[10] = a[5];
    }
}

REF(vec3)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        const u32 *v = x + 3 * i;
        out[3 * i] = v[2] + v[1];
        out[3 * i + 1] = v[0] * 2 + v[1];
        out[3 * i + 2] = v[1] * 3 + v[1];
    }
}

REF(vec3_array)
{
    const float *x = A(0);
    float *out = A(1);
    EACH out[i] = x[4 * i] + x[4 * i + 1] * 2 + x[4 * i + 2] * 4 + 16;
}

REF(relations)
{
    const i32 *x = A(0), *y = A(1);
    i32 *out = A(2);
    EACH for (u32 k = 0; k < 4; k++)
    {
        const i32 a = x[4 * i + k], b = y[4 * i + k];
        i32 *o = out + 16 * i + k;
        o[0] = a < b ? -1 : 0;
        o[4] = a == b || a > 0 ? -1 : 0;
        o[8] = a < b ? a : b;
        o[12] = (a ? 0 : -1) - (a && b ? 2 : 0) - (a || b ? 4 : 0);
    }
}

REF(float_relations)
{
    const float *x = A(0), *y = A(1);
    i32 *out = A(2);
    EACH for (u32 k = 0; k < 4; k++)
    {
        const float a = x[4 * i + k], b = y[4 * i + k];
        const bool is[] = {a<b, a <= b, a == b, a != b, a >= b, a> b};
        for (u32 r = 0; r < 6; r++)
            out[24 * i + 4 * r + k] = is[r] ? -1 : 0;
    }
}

static i32 clamped(i32 v, i32 lo, i32 hi) { return v < lo ? lo : v > hi ? hi : v; }

REF(converts)
{
    const i32 *x = A(0);
    i8 *c = A(1);
    u16 *s = A(2);
    i64 *l = A(3);
    u8 *sat = A(4);
    for (u32 i = 0; i < 4 * job->n; i++) {
        c[i] = (i8)x[i];
        s[i] = (u16)clamped(x[i], 0, 65535);
        l[i] = x[i];
        sat[i] = (u8)clamped(x[i], 0, 255);
    }
}

REF(reinterpret)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        const u32 *v = x + 4 * i;
        out[4 * i] = (v[0] >> 16 | v[1] << 16) + v[2];
        out[4 * i + 1] = (v[0] >> 24) * 256 + (v[3] >> 24);
        out[4 * i + 2] = (u32)((i32)v[0] >> 16) * (u32)(i16)v[3];
        out[4 * i + 3] = v[0] ^ __builtin_bswap32(v[1]);
    }
}

REF(dynamic_component)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        out[i] = 0;
        for (u32 k = 0; k < 8; k++)
            out[i] = out[i] * 3 + x[8 * i + (k * 5 + i) % 8];
    }
}

REF(loads)
{
    const u16 *x = A(0);
    u16 *out = A(1);
    EACH
    {
        const u16 v[4] = {x[1 + 2 * i], x[2 + 2 * i], x[4 * i + 2], x[4 * i + 3]};
        for (u32 k = 0; k < 4; k++)
            out[4 * i + k] = (u16)(v[k] + x[i + 4 * k]);
    }
}

REF(construct)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        const u32 v[8] = {x[i] + 1, 8, 8, x[i] + 1, x[i] + 2, 8, 8, x[i] + 1};
        memcpy(out + 8 * i, v, sizeof v);
    }
}

REF(selects)
{
    const i32 *x = A(0), *y = A(1);
    i32 *out = A(2);
    EACH
    {
        const i32 *a = x + 4 * i, *b = y + 4 * i;
        bool any = false, all = true, sign = false;
        for (u32 k = 0; k < 4; k++) {
            out[12 * i + k] = a[k] > b[k] ? b[k] : a[k];
            out[12 * i + 4 + k] = a[k] < 0 ? b[k] : a[k];
            any |= a[k] > b[k], all &= a[k] > b[k], sign |= a[k] < 0;
        }
        memcpy(out + 12 * i + 8, (i32[]){any, all, b[1] ? b[0] : a[0], sign}, 16);
    }
}

REF(shuffles)
{
    const u32 *x = A(0), *y = A(1);
    u32 *out = A(2);
    EACH
    {
        const u32 *a = x + 4 * i, *b = y + 4 * i;
        memcpy(out + 8 * i, (u32[]){a[3], a[0], a[2], a[2]}, 16);
        for (u32 k = 0; k < 4; k++)
            out[8 * i + 4 + k] = b[k] & 4 ? b[b[k] & 3] : a[b[k] & 3];
    }
}

static const KitCase cases[] = {
    CASE(arith_int2, "32/16", "w64 w64 w192"),
    CASE(arith_uint4, "32/16", "w128 w128 w384"),
    CASE(arith_int8, "32/16", "w256 w256 w768"),
    CASE(arith_uint16, "32/16", "w512 w512 w1536"),
    CASE(arith_char16, "32/16", "c512 c512 c1536"),
    CASE(arith_uchar4, "32/16", "c128 c128 c384"),
    CASE(arith_short8, "32/16", "h256 h256 h768"),
    CASE(arith_ushort2, "32/16", "h64 h64 h192"),
    CASE(arith_long2, "32/16", "q64 q64 q192"),
    CASE(arith_ulong4, "32/16", "q128 q128 q384"),
    CASE(arith_float2, "32/16", "F64 f64 o64~0"),
    CASE(arith_float4, "32/16", "F128 f128 o128~0"),
    CASE(arith_float8, "32/16", "f256 F256 o256~0"),
    CASE(arith_float16, "32/16", "f512 f512 o512~0"),
    CASE(swizzle, "64/32", "w256 w512"),
    CASE(swizzle16, "64/32", "c1024 c1024"),
    CASE(vec3, "64/32", "w192 w192"),
    CASE(vec3_array, "64/32", "f256 f64"),
    CASE(relations, "64/32", "w256 w256 w1024"),
    CASE(float_relations, "64/32", "F256 F256 w1536"),
    CASE(converts, "64/32", "w256 c256 h256 q256 c256"),
    CASE(reinterpret, "64/32", "w256 w256"),
    CASE(dynamic_component, "64/32", "w512 w64"),
    CASE(loads, "64/32", "h260 h256"),
    CASE(construct, "64/32", "w64 w512"),
    CASE(selects, "64/32", "w256 w256 w768"),
    CASE(shuffles, "64/32", "w256 w256 w512"),
};

int main(void) { return kit_main("vec.cl", NULL, cases, countof(cases)); }
