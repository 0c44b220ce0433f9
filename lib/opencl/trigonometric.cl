/* trigonometric.cl -- sine, cosine and tangent, of radians and of half turns.
 *
 * A multiple of pi (or pi/2) in three parts is taken away with fused operations, which leaves the rest with its
 * relative precision.  Where that ends, at 2^17, the argument is multiplied by as many bits of
 * 1/(2 pi) as matter (Payne and Hanek).
 */
#include "core.h"

#define LARGE 0x1p17f

/* --- reduction --------------------------------------------------------------------------- */

/* x - n pi; with n a multiple of 1/2 the first step is exact, and no step loses the sign of -0 */
static float minus_pi(float x, float n)
{
    float r = FMA(n, -0x1.921fb4p1f, x);
    r = FMA(n, -0x1.4442dp-23f, r);
    return FMA(n, -0x1.84698ap-47f, r);
}

/* 1/(2 pi) in words, most significant first; the first one for exponents below 0 */
static __constant uint inverse[] = {
    0, 0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770, 0x36d8a566, 0x4f10e410, 0x7f9458ea, 0xf7aef158, 0x6dc91b8e,
};

static uint inverse_bits(uint at)
{
    uint word = at >> 5, shift = at & 31;
    return (uint)((((ulong)inverse[word] << 32 | inverse[word + 1]) << shift) >> 32);
}

/* x / (2 pi) without its whole part, as a fraction of 2^64, for 2^17 <= |x|.  x is an integer m times 2^e; bits
 * of 1/(2 pi) above 2^-e make whole turns. */
static ulong turns(float x)
{
    uint m = (as_uint(x) & 0x7fffff) | 0x800000;
    uint at = (as_uint(x) >> 23 & 0xff) - 150 + 32;
    ulong high = (ulong)(m * inverse_bits(at)) << 32;
    ulong middle = (ulong)m * inverse_bits(at + 32);
    ulong low = (ulong)m * inverse_bits(at + 64);
    ulong sum = high + middle + (low >> 32);

    return x < 0 ? 0 - sum : sum;
}

/* a fraction of a turn less the nearest multiple of 2^-parts turns, in radians; *n counts the multiples */
static float nearest_part(ulong fraction, uint parts, __private uint *n)
{
    uint shift = 64 - parts;
    ulong rounded = (fraction + ((ulong)1 << (shift - 1))) >> shift;

    *n = (uint)rounded;
    return (float)(long)(fraction - (rounded << shift)) * 0x1.921fb6p-62f;
}

/* --- sine and cosine ------------------------------------------------------------------------ */

/* sin r for |r| <= pi / 2 */
static float sin_near_0(float r)
{
    float z = r * r;
    float p = FMA(0x1.615308p-19f, z, -0x1.9fb176p-13f);
    p = FMA(p, z, 0x1.111036p-7f);
    p = FMA(p, z, -0x1.555554p-3f);
    return r * FMA(p, z, 1.0f);
}

static float negate_if(float x, uint odd) { return as_float(as_uint(x) ^ odd << 31); }

/* sin(x + quarters pi / 2) for large x, infinity and NaN */
static float large_sin(float x, uint quarters)
{
    uint n;
    float r = nearest_part(turns(x) + ((ulong)quarters << 62), 1, &n);

    return ABS(x) < INFINITY ? negate_if(sin_near_0(r), n) : NAN;
}

static float small_sin(float x)
{
    float t = FMA(x, M_1_PI_F, ROUNDER);
    return negate_if(sin_near_0(minus_pi(x, t - ROUNDER)), as_uint(t));
}

/* cos x = -(-1)^n sin(x - (n + 1/2) pi) */
static float small_cos(float x)
{
    float t = FMA(x, M_1_PI_F, -0.5f) + ROUNDER;
    float n = (t - ROUNDER) + 0.5f;
    return negate_if(sin_near_0(minus_pi(x, n)), as_uint(t) + 1);
}

float OVL sin(float x) { return ABS(x) < LARGE ? small_sin(x) : large_sin(x, 0); }
float OVL cos(float x) { return ABS(x) < LARGE ? small_cos(x) : large_sin(x, 1); }

float OVL sincos(float x, __private float *cosine)
{
    *cosine = cos(x);
    return sin(x);
}

/* --- tangent ------------------------------------------------------------------------------- */

/* tan(r + n pi / 2) for |r| <= pi / 4 */
static float tan_near_0(float r, uint n)
{
    float z = r * r;
    float p = FMA(0x1.0e217ep-7f, z, 0x1.4eed8ap-8f);
    p = FMA(p, z, 0x1.7b5804p-6f);
    p = FMA(p, z, 0x1.b88a6ep-5f);
    p = FMA(p, z, 0x1.11166p-3f);
    p = FMA(p, z, 0x1.55555p-2f);

    float t = FMA(r * z, p, r);
    return n & 1 ? -1.0f / t : t;
}

float OVL tan(float x)
{
    if (ABS(x) < LARGE) {
        float t = FMA(x, M_2_PI_F, ROUNDER);
        return tan_near_0(minus_pi(x, 0.5f * (t - ROUNDER)), as_uint(t));
    }
    uint n;
    float r = nearest_part(turns(x), 2, &n);
    return ABS(x) < INFINITY ? tan_near_0(r, n) : NAN;
}

/* --- half turns: arguments modulo 2 are exact --------------------------------------------------- */

/* On [-1, 1] the sine is that of the distance to the nearest of -1, 0, 1; the zeros, at whole numbers, have the
 * sign of x. */
static float sinpi_of(float x, float y)
{
    float a = ABS(y), distance = __builtin_fminf(a, 1.0f - a);
    return COPYSIGN(sinpi_core(distance), distance == 0 ? x : y);
}

static float cospi_of(float y)
{
    float to_zero = 0.5f - ABS(y);
    return COPYSIGN(sinpi_core(ABS(to_zero)), to_zero);
}

float OVL sinpi(float x)
{
    float y = modulo_2(x);
    return y != y ? NAN : sinpi_of(x, y);
}

float OVL cospi(float x)
{
    float y = modulo_2(x);
    return y != y ? NAN : cospi_of(y);
}

float OVL tanpi(float x)
{
    float y = modulo_2(x);
    return y != y ? NAN : sinpi_of(x, y) / cospi_of(y);
}

ONE(sin) ONE(cos) ONE(tan) ONE(sinpi) ONE(cospi) ONE(tanpi) OUT1(float, sincos, float, float)
