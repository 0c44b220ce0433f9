/* Builtin functions (test/cc/builtin.cl).  Integers are computed in 128 bits, floats by the
 * host's double or long double. */
#include "test/kit/oclkit.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 Natural;

typedef struct {
    u32 bits;
    Wide lo, hi; /* of the type */
} Range;

static Wide clip(Wide v, Wide lo, Wide hi) { return v < lo ? lo : v > hi ? hi : v; }

static Wide high_half(Wide a, Wide b, u32 bits)
{
    if (bits < 64 || a < 0 || b < 0)
        return a * b >> bits;
    return (Wide)((Natural)a * (Natural)b >> bits);
}

static Wide bits_set(u64 v, u32 bits)
{
    Wide n = 0;
    for (u32 k = 0; k < bits; k++)
        n += v >> k & 1;
    return n;
}

static Wide zeros_before(u64 v, u32 bits)
{
    u32 n = 0;
    while (n < bits && !(v >> (bits - 1 - n) & 1))
        n++;
    return n;
}

static u64 rotated(u64 v, u32 by, u32 bits)
{
    v = bits == 64 ? v : v & (((u64)1 << bits) - 1);
    by %= bits;
    return by ? v << by | v >> (bits - by) : v;
}

static void integers(Wide a, Wide b, Range r, Wide o[14])
{
    const Wide max = a > b ? a : b, min = a > b ? b : a;
    o[0] = a < 0 ? -a : a;
    o[1] = max - min;
    o[2] = clip(a + b, r.lo, r.hi);
    o[3] = clip(a - b, r.lo, r.hi);
    o[4] = (a + b) >> 1;
    o[5] = (a + b + 1) >> 1;
    o[6] = clip(a, 3, 100);
    o[7] = zeros_before((u64)a, r.bits);
    o[8] = high_half(a, b, r.bits) + a;
    o[9] = max;
    o[10] = min;
    o[11] = high_half(a, b, r.bits);
    o[12] = rotated((u64)a, (u32)b, r.bits);
    o[13] = bits_set((u64)a, r.bits);
}

#define INTEGERS(name, T, lowest, highest)                                                         \
    REF(integers_##name)                                                                           \
    {                                                                                              \
        const T *x = A(0), *y = A(1);                                                              \
        T *out = A(2);                                                                             \
        EACH                                                                                       \
        {                                                                                          \
            Wide o[14];                                                                            \
            integers(x[i], y[i], (Range){sizeof(T) * 8, lowest, highest}, o);                      \
            for (u32 k = 0; k < 14; k++)                                                           \
                out[14 * i + k] = (T)o[k];                                                         \
        }                                                                                          \
    }
INTEGERS(char, i8, INT8_MIN, INT8_MAX)
INTEGERS(uchar, u8, 0, UINT8_MAX)
INTEGERS(short, i16, INT16_MIN, INT16_MAX)
INTEGERS(ushort, u16, 0, UINT16_MAX)
INTEGERS(int, i32, INT32_MIN, INT32_MAX)
INTEGERS(uint, u32, 0, UINT32_MAX)
INTEGERS(long, i64, INT64_MIN, INT64_MAX)
INTEGERS(ulong, u64, 0, UINT64_MAX)

REF(integer_vectors)
{
    const i32 *x = A(0), *y = A(1);
    u32 *out = A(2);
    for (u32 n = 0; n < 4 * job->n; n++) {
        const Wide a = x[n], b = y[n];
        u32 *o = out + n / 4 * 16 + n % 4;
        o[0] = (u32)clip(a + b, INT32_MIN, INT32_MAX);
        o[4] = (u32)((a > b ? a : b) - (a < 5 ? a : 5));
        o[8] =
            (u32)rotated((u64)a, (u32)b, 32) ^ (u32)zeros_before((u64)a, 32) ^ (u32)(a * b >> 32);
        o[12] = (u32)(a < 0 ? -a : a) + (u32)((a & 0xffff) * (b & 0xffff) + a);
    }
}

REF(integer_24)
{
    const i32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        const i64 a = x[i] >> 8, b = a ^ 0x155;
        out[3 * i] = (u32)(a * b);
        out[3 * i + 1] = (u32)(a * b + x[i]);
        out[3 * i + 2] = (u32)((a & 0xffffff) * (b & 0xffffff));
    }
}

REF(mad_saturated)
{
    const i32 *x = A(0), *y = A(1);
    u32 *out = A(2);
    EACH
    {
        out[2 * i] = (u32)clip((Wide)x[i] * y[i] + x[i], INT32_MIN, INT32_MAX);
        out[2 * i + 1] = (u32)clip((Wide)(u32)x[i] * (u32)y[i] + 7, 0, UINT32_MAX);
    }
}

REF(upsampled)
{
    const u8 *x = A(0);
    u32 *out = A(1);
    EACH out[i] = __builtin_bswap32(((const u32 *)x)[i]);
}

/* --- floats ----------------------------------------------------------------------------------- */

REF(exact_floats)
{
    const float *x = A(0), *y = A(1);
    float *out = A(2);
    EACH
    {
        const float a = x[i], b = y[i];
        const float o[] = {
            fabsf(a),      floorf(a),       ceilf(a),
            truncf(a),     rintf(a),        roundf(a),
            fmaf(a, b, a), copysignf(a, b), fminf(a, b),
            fmaxf(a, b),   a * b + a,       a > 0 ? 1.0f : a < 0 ? -1.0f : a == 0 ? a : 0.0f};
        memcpy(out + 12 * i, o, sizeof o);
    }
}

REF(float_compares)
{
    const float *x = A(0), *y = A(1);
    u32 *out = A(2);
    EACH
    {
        const float a = x[i], b = y[i];
        const bool nan = isnan(a) || isnan(b);
        const bool is[] = {a == b,
                           a != b,
                           a<b, a <= b, a>
                               b,
                           a >= b,
                           a < b || a > b,
                           isfinite(a) != 0,
                           isinf(a) != 0,
                           isnan(a) != 0,
                           isnormal(a) != 0,
                           !nan,
                           nan,
                           signbit(a) != 0,
                           a < b,
                           !(a >= b)};
        out[i] = 0;
        for (u32 k = 0; k < countof(is); k++)
            out[i] |= (u32)is[k] << k;
    }
}

REF(bits)
{
    const u32 *x = A(0), *y = A(1);
    u32 *out = A(3);
    EACH out[i] = x[i] ^ y[i]; /* what one does not take the other does */
}

REF(float_to_int)
{
    const float *x = A(0);
    i32 *out = A(1);
    EACH
    {
        const double a = x[i], big = x[i] * 100000000.0f;
        const i32 o[] = {(i32)trunc(a),
                         (i32)rint(a),
                         (i32)ceil(a),
                         (i32)floor(a),
                         (i32)fmax(fmin(big, INT32_MAX), INT32_MIN),
                         (i32)(u32)fmax(fmin(big, UINT32_MAX), 0),
                         (i32)fmax(fmin(trunc(a), 127), -128),
                         (i32)fmax(fmin(rint(a), 255), 0),
                         (i32)((i64)(x[i] * 1e12f) >> 20),
                         (i32)fmax(fmin(trunc((double)(x[i] * 1000.0f)), 32767), -32768)};
        memcpy(out + 10 * i, o, sizeof o);
    }
}

static float rounded(double v, int mode)
{
    volatile double exact = v;
    fesetround(mode);
    volatile float f = (float)exact;
    fesetround(FE_TONEAREST);
    return f;
}

REF(int_to_float)
{
    const i64 *x = A(0);
    float *out = A(1);
    EACH
    {
        const i32 n = (i32)x[i];
        const float o[] = {(float)n,
                           (float)(u32)n,
                           (float)x[i],
                           (float)(u64)x[i],
                           rounded(n, FE_TOWARDZERO),
                           rounded(n, FE_UPWARD),
                           rounded(n, FE_DOWNWARD),
                           (float)((i8)n + (u16)n)};
        memcpy(out + 8 * i, o, sizeof o);
    }
}

REF(roots)
{
    const float *x = A(0), *y = A(1);
    float *out = A(2);
    EACH
    {
        out[2 * i] = x[i] / y[i];
        out[2 * i + 1] = sqrtf(fabsf(x[i]));
    }
}

REF(scaled)
{
    const float *x = A(0);
    float *out = A(1);
    i32 *e = A(2);
    EACH
    {
        double whole;
        out[4 * i] = (float)frexp((double)x[i], &e[2 * i]);
        out[4 * i + 1] = (float)ldexp((double)x[i], e[2 * i] - 3);
        out[4 * i + 2] = (float)modf((double)x[i], &whole);
        out[4 * i + 3] = (float)whole;
        e[2 * i + 1] = ilogb((double)(x[i] + 1000.0f));
    }
}

REF(second_results)
{
    const float *x = A(0);
    float *room = A(1);
    i32 *wrong = A(2);
    EACH
    {
        int sign;
        lgammaf_r(x[i], &sign);
        wrong[2 * i] = 0;
        wrong[2 * i + 1] = sign;
        memset(room + (size_t)16 * i, 0, 16 * sizeof *room);
    }
}

REF(transcendent)
{
    const float *x = A(0), *p = A(1);
    float *out = A(2);
    EACH
    {
        const double a = (double)x[i], b = (double)p[i];
        const double o[] = {sin(a),  cos(a),  exp(a * 0.25), log(b),  exp2(a),  log2(b),
                            atan(a), asin(b), tanh(a),       cbrt(a), log10(b), acos(b)};
        for (u32 k = 0; k < 12; k++)
            out[12 * i + k] = (float)o[k];
    }
}

REF(powers)
{
    const float *p = A(0), *x = A(1);
    float *out = A(2);
    EACH
    {
        const double a = (double)p[i], b = (double)x[i];
        out[4 * i] = (float)pow(a, b);
        out[4 * i + 1] = (float)atan2(b, a);
        out[4 * i + 2] = (float)hypot(b, a);
        out[4 * i + 3] = (float)fmod(b, a);
    }
}

/* components from 0 to 1 */
REF(geometry)
{
    const float *x = A(0), *y = A(1);
    float *out = A(2);
    EACH
    {
        const float *a = x + 4 * i, *b = y + 4 * i;
        double dot = 0, length = 0;
        for (u32 k = 0; k < 4; k++) {
            dot += (double)a[k] * (double)b[k];
            length += (double)a[k] * (double)a[k];
        }
        out[4 * i] = (float)dot;
        out[4 * i + 1] = a[2] * b[0] - a[0] * b[2] + 4.0f;
        out[4 * i + 2] = (float)sqrt(length);
        out[4 * i + 3] = hypotf(a[0] - b[2], a[1] - b[3]);
    }
}

REF(normalized)
{
    const float *x = A(0);
    float *out = A(1);
    EACH
    {
        const float *a = x + 4 * i;
        double length = 0;
        bool finite = true;
        for (u32 k = 0; k < 4; k++) {
            length += (double)a[k] * (double)a[k];
            finite &= isfinite(a[k]);
        }
        for (u32 k = 0; k < 4; k++)
            out[4 * i + k] = finite && length > 0 ? (float)((double)a[k] / sqrt(length)) : 0;
    }
}

REF(half_angles)
{
    int *out = A(1);
    EACH out[i] = 1;
}

REF(exact_angles)
{
    const float *x = A(0);
    float *out = A(1);
    EACH
    {
        const bool far = !(x[i] > 0) || x[i] > 2;
        const float o[8] = {0.25f,
                            -0.25f,
                            0.75f,
                            -0.75f,
                            0.5f,
                            far ? -0.75f : -0.25f,
                            far ? 0.5f : -0.5f,
                            far ? 0.0f : 1.0f};
        memcpy(out + 8 * i, o, sizeof o);
    }
}

REF(common_functions)
{
    const float *x = A(0), *y = A(1);
    float *out = A(2);
    EACH
    {
        const double t = fmin(fmax(((double)x[i] + 50) / 100, 0), 1);
        float *o = out + 6 * i;
        o[0] = x[i] < -1.0f ? -1.0f : x[i] > 2.0f ? 2.0f : x[i];
        o[1] = x[i] < y[i] ? y[i] : x[i];
        o[2] = y[i] < x[i] ? 0.0f : 1.0f;
        o[3] = (float)((double)x[i] + ((double)y[i] - (double)x[i]) * 0.25);
        o[4] = (float)(t * t * (3 - 2 * t));
        o[5] = x[i];
    }
}

REF(float_vectors)
{
    const float *x = A(0), *y = A(1);
    float *out = A(2);
    for (u32 n = 0; n < 8 * job->n; n++) {
        float *o = out + n / 8 * 16 + n % 8;
        o[0] = floorf(x[n]) + fmaxf(x[n], y[n]) - fabsf(y[n]);
        o[8] = fmaf(x[n], y[n], 1.0f) + fmaxf(fminf(x[n], 3.0f), -3.0f);
    }
}

static const KitCase cases[] = {
    CASE(integers_char, "64/32", "c64 c64 c896"),
    CASE(integers_uchar, "64/32", "c64 c64 c896"),
    CASE(integers_short, "64/32", "h64 h64 h896"),
    CASE(integers_ushort, "64/32", "h64 h64 h896"),
    CASE(integers_int, "64/32", "w64 w64 w896"),
    CASE(integers_uint, "64/32", "w64 w64 w896"),
    CASE(integers_long, "64/32", "q64 q64 q896"),
    CASE(integers_ulong, "64/32", "q64 q64 q896"),
    CASE(integer_vectors, "64/32", "w256 w256 w1024"),
    CASE(integer_24, "64/32", "w64 w192"),
    CASE(mad_saturated, "64/32", "w64 w64 w128"),
    CASE(upsampled, "64/32", "c256 w64"),
    CASE(exact_floats, "128/32", "F128 F128 o1536~0"),
    CASE(exact_floats, "128/32", "f128 f128 o1536~0"),
    CASE(float_compares, "256/32", "F256 F256 w256"),
    CASE(float_compares, "64/32", "w64%4 w64%4 w64"),
    CASE(bits, "64/32", "w64 w64 w64 w64"),
    CASE(float_to_int, "64/32", "f64 w640"),
    CASE(int_to_float, "64/32", "q64 o512"),
    CASE(roots, "256/32", "F256 F256 o512~3"),
    CASE(scaled, "64/32", "f64 o256 w128"),
    CASE(second_results, "48/16", "f64 o768 w96 l1024"),
    CASE(transcendent, "64/32", "f64 u64 o768~5"),
    CASE(powers, "64/32", "u64 f64 o256~16"),
    CASE(geometry, "64/32", "u256 u256 o256~16"),
    CASE(normalized, "256/32", "F1024 o1024~3"),
    CASE(half_angles, "512/32", "F512 w512"),
    CASE(exact_angles, "128/32", "F128 o1024~0"),
    CASE(common_functions, "64/32", "f64 f64 o384~16"),
    CASE(float_vectors, "64/32", "f512 f512 o1024~0"),
};

int main(void) { return kit_main("builtin.cl", NULL, cases, countof(cases)); }
