/* exponential.cl -- exponentials: 2^n times a polynomial of what remains. */
#include "core.h"

static float keep_nan(float x, float y) { return x != x ? x : y; }
static float held(float x, float low, float high) { return __builtin_fminf(__builtin_fmaxf(x, low), high); }

float OVL exp(float x) { return keep_nan(x, exp_scaled(x, 0)); }

float OVL exp2(float x)
{
    float h = held(x, -151.0f, 129.0f), n = (h + ROUNDER) - ROUNDER;
    return keep_nan(x, scale(exp2_near_0(h - n), (int)n));
}

/* 10^r for |r| <= log10(2) / 2 */
static float exp10_near_0(float r)
{
    float p = FMA(0x1.a4985p-3f, r, 0x1.156bbcp-1f);
    p = FMA(p, r, 0x1.2bdbdap0f);
    p = FMA(p, r, 0x1.046f9ap1f);
    p = FMA(p, r, 0x1.535248p1f);
    p = FMA(p, r, 0x1.26bb1cp1f);
    return FMA(p, r, 1.0f);
}

float OVL exp10(float x)
{
    float h = held(x, -45.5f, 39.0f), n = FMA(h, 0x1.a934fp1f, ROUNDER) - ROUNDER;
    float r = FMA(n, 0x1.ec10cp-27f, FMA(n, -0x1.344136p-2f, h));

    return keep_nan(x, scale(exp10_near_0(r), (int)n));
}

/* 2^n (e^r - 1) + (2^n - 1), at half the size so that the largest results do not overflow early */
float OVL expm1(float x)
{
    float n, h = held(x, -25.0f, 89.0f);
    float r = reduce_exp(h, (__private float *)&n);
    float p = FMA(0x1.6ca9aap-10f, r, 0x1.120adp-7f);

    p = FMA(p, r, 0x1.55556cp-5f);
    p = FMA(p, r, 0x1.5554dep-3f);
    p = FMA(p, r, 0.5f);
    p = FMA(r * r, p, r);

    float s = power_of_2((int)n - 1);
    return keep_nan(x, COPYSIGN(2.0f * FMA(s, p, s - 0.5f), x));
}

ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1)
