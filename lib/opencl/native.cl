/* native.cl -- the half_ functions (to 8192 ulp) and the native_ ones.
 *
 * Both are shorter polynomials on the same reductions; the native_ ones handle no special case, and use
 * the machine's exponential.
 */
#include "core.h"

float OVL powr(float x, float y);

static float reduced_sin(float x, float n, uint odd)
{
    float r = FMA(n, -0x1.84698ap-47f, FMA(n, -0x1.4442dp-23f, FMA(n, -0x1.921fb4p1f, x)));
    float z = r * r, p = FMA(FMA(0x1.f5c704p-8f, z, -0x1.543b84p-3f), z, 1.0f);
    return as_float(as_uint(r * p) ^ odd << 31);
}

static float short_sin(float x)
{
    float t = FMA(x, M_1_PI_F, ROUNDER);
    return reduced_sin(x, t - ROUNDER, as_uint(t));
}

static float short_cos(float x)
{
    float t = FMA(x, M_1_PI_F, -0.5f) + ROUNDER;
    return reduced_sin(x, (t - ROUNDER) + 0.5f, as_uint(t) + 1);
}

/* 2^x with 13 bits */
static float short_exp2(float x)
{
    float h = __builtin_fminf(__builtin_fmaxf(x, -151.0f), 129.0f), n = (h + ROUNDER) - ROUNDER, r = h - n;
    float p = FMA(FMA(FMA(0x1.c2a254p-5f, r, 0x1.f00c4cp-3f), r, 0x1.62f5fap-1f), r, 1.0f);
    return x != x ? x : scale(p, (int)n);
}

/* log x for positive normal x, and its exponent apart */
static float short_log(float x, __private float *k)
{
    float f = split_exponent(x, k);
    float p = FMA(-0x1.23252ep-3f, f, 0x1.c117bep-3f);
    p = FMA(p, f, -0x1.03f92cp-2f);
    p = FMA(p, f, 0x1.54b9d6p-2f);
    p = FMA(p, f, -0x1.ffea58p-2f);
    return f * FMA(p, f, 1.0f);
}

#define LOGARITHM(name, scale_e, scale_2) \
    float OVL native_##name(float x) \
    { \
        float k, l = short_log(x, (__private float *)&k); \
        return FMA(k, scale_2, l * scale_e); \
    } \
    float OVL half_##name(float x) \
    { \
        float tiny = x < FLT_MIN ? 23.0f : 0.0f, k; \
        float l = short_log(tiny > 0 ? x * 0x1p23f : x, (__private float *)&k); \
        if (!(x > 0 && x < INFINITY)) \
            return x == 0 ? -INFINITY : x < 0 ? NAN : x; \
        return FMA(k - tiny, scale_2, l * scale_e); \
    }
LOGARITHM(log, 1.0f, M_LN2_F)
LOGARITHM(log2, M_LOG2E_F, 1.0f)
LOGARITHM(log10, M_LOG10E_F, 0x1.344136p-2f)

/* The reduction is good for |x| <= 2^16, the range that the standard asks of half_ functions; beyond it
 * the result is 0, and NaN where there is no result. */
static float half_angle(float x, float result) { return __builtin_fabsf(x) <= 0x1p16f ? result : x - x; }
float OVL half_sin(float x) { return half_angle(x, short_sin(x)); }
float OVL half_cos(float x) { return half_angle(x, short_cos(x)); }
float OVL half_tan(float x) { return half_angle(x, short_sin(x) / short_cos(x)); }
float OVL half_exp2(float x) { return short_exp2(x); }
float OVL half_recip(float x) { return 1.0f / x; }
float OVL half_divide(float x, float y) { return x / y; }
float OVL half_sqrt(float x) { return __builtin_sqrtf(x); }
float OVL half_rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }

float OVL native_sin(float x) { return short_sin(x); }
float OVL native_cos(float x) { return short_cos(x); }
float OVL native_tan(float x) { return short_sin(x) / short_cos(x); }
float OVL native_exp(float x) { return __ventus_exp(x); }
float OVL native_exp2(float x) { return __ventus_exp(x * M_LN2_F); }
float OVL native_exp10(float x) { return __ventus_exp(x * M_LN10_F); }
float OVL native_powr(float x, float y) { return __ventus_exp(y * native_log(x)); }
float OVL native_recip(float x) { return 1.0f / x; }
float OVL native_divide(float x, float y) { return x / y; }
float OVL native_sqrt(float x) { return __builtin_sqrtf(x); }
float OVL native_rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }

/* The product is rounded, which costs at most 150 * 2^-24 of the result: within bounds. */
float OVL half_exp(float x) { return short_exp2(x * M_LOG2E_F); }
float OVL half_exp10(float x) { return short_exp2(x * 0x1.a934fp1f); }
float OVL half_powr(float x, float y) { return powr(x, y); }

#define BOTH(name) ONE(half_##name) ONE(native_##name)
BOTH(sin) BOTH(cos) BOTH(tan) BOTH(exp) BOTH(exp2) BOTH(exp10) BOTH(log) BOTH(log2) BOTH(log10)
BOTH(recip) BOTH(sqrt) BOTH(rsqrt)
TWO(half_divide) TWO(native_divide) TWO(half_powr) TWO(native_powr)
