/* core.h -- approximations that several functions share.
 *
 * All is straight line and made of fused multiply-adds; coefficients come from minimax.sollya.
 * Polynomials are evaluated by Horner's rule, highest power first.
 */
#ifndef CORE_H
#define CORE_H
#include "ventus.h"

#define FMA(a, b, c) __builtin_fmaf(a, b, c)
#define ABS(x) __builtin_fabsf(x)
#define COPYSIGN(x, y) __builtin_copysignf(x, y)

/* x + ROUNDER - ROUNDER is x rounded to an integer; the low bits of the sum are that integer.  |x| < 2^22 */
#define ROUNDER 0x1.8p23f

static inline float power_of_2(int n) { return as_float((n + 127) << 23); }

/* x 2^n for x near 1 and -252 < n < 254: one rounding, overflow to infinity */
static inline float scale(float x, int n)
{
    int half_n = n >> 1;
    return as_float(as_int(x) + (half_n << 23)) * power_of_2(n - half_n);
}

/* e^r for |r| <= log(2) / 2 */
static inline float exp_near_0(float r)
{
    float p = FMA(0x1.694cd4p-10f, r, 0x1.123988p-7f);
    p = FMA(p, r, 0x1.555a26p-5f);
    p = FMA(p, r, 0x1.555492p-3f);
    p = FMA(p, r, 0x1.fffffap-2f);
    p = FMA(p, r, 1.0f);
    return FMA(p, r, 1.0f);
}

/* 2^r for |r| <= 1/2 */
static inline float exp2_near_0(float r)
{
    float p = FMA(0x1.3fa208p-13f, r, 0x1.5f0b82p-10f);
    p = FMA(p, r, 0x1.3b30ap-7f);
    p = FMA(p, r, 0x1.c6af76p-5f);
    p = FMA(p, r, 0x1.ebfbd8p-3f);
    p = FMA(p, r, 0x1.62e43p-1f);
    return FMA(p, r, 1.0f);
}

/* x = n log(2) + what is answered, at most log(2) / 2; |x| < 2^20 */
static inline float reduce_exp(float x, __private float *n)
{
    *n = FMA(x, M_LOG2E_F, ROUNDER) - ROUNDER;
    return FMA(*n, 0x1.05c61p-29f, FMA(*n, -0x1.62e43p-1f, x));
}

/* e^x 2^more, without special cases: x is held where the result is neither 0 nor infinite for sure */
static inline float exp_scaled(float x, int more)
{
    float n;
    float r = reduce_exp(__builtin_fminf(__builtin_fmaxf(x, -105.0f), 91.0f), (__private float *)&n);

    return scale(exp_near_0(r), (int)n + more);
}

/* x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), for positive normal x */
static inline float split_exponent(float x, __private float *k)
{
    int bits = as_int(x) - 0x3f3504f3;

    *k = (float)(bits >> 23);
    return as_float((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
}

/* (log(1 + f) - f + f^2 / 2) / f^3 for such an f */
static inline float log_tail(float f)
{
    float p = FMA(0x1.20493p-4f, f, -0x1.d782f8p-4f);
    p = FMA(p, f, 0x1.de366ap-4f);
    p = FMA(p, f, -0x1.fcbebep-4f);
    p = FMA(p, f, 0x1.23d50ep-3f);
    p = FMA(p, f, -0x1.555c9p-3f);
    p = FMA(p, f, 0x1.999d46p-3f);
    p = FMA(p, f, -0x1.fffff8p-3f);
    return FMA(p, f, 0x1.555554p-2f);
}

static inline float log1p_near_0(float f) { return FMA(f * f, FMA(log_tail(f), f, -0.5f), f); }

/* log x for positive normal x */
static inline float log_normal(float x)
{
    float k;
    float f = split_exponent(x, (__private float *)&k);

    return FMA(k, M_LN2_F, log1p_near_0(f));
}

/* log(1 + x) for -1 < x < 2^126 */
static inline float log1p_finite(float x)
{
    float k;
    float u = 1.0f + x;

    split_exponent(u, (__private float *)&k);
    float down = power_of_2(-(int)k);
    return FMA(k, M_LN2_F, log1p_near_0(FMA(x, down, down - 1.0f)));
}

/* sin(pi x) for 0 <= x <= 1/2 */
static inline float sinpi_core(float x)
{
    float z = x * x;
    float p = FMA(-0x1.a88986p-8f, z, 0x1.4ecda2p-4f);
    p = FMA(p, z, -0x1.32c97cp-1f);
    p = FMA(p, z, 0x1.466b9ep1f);
    p = FMA(p, z, -0x1.4abbcep2f);
    p = FMA(p, z, -0x1.777a8ep-24f);
    return FMA(x, M_PI_F, x * p);
}

/* x less the nearest even integer; exact */
static inline float modulo_2(float x) { return FMA(-2.0f, __builtin_rintf(0.5f * x), x); }

#define ONE(f) VECTOR1(float, f, float)
#define TWO(f) VECTOR2(float, f, float, float)
#endif
