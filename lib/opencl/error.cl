/* error.cl -- the error function and its complement.
 *
 * Far out the complement is e^(-x^2) / (1 + 2 x) times a polynomial of (x - 4) / (x + 4).
 */
#include "core.h"

static float erf_near_0(float x)
{
    float z = x * x;
    float p = FMA(-0x1.2d5cdp-17f, z, 0x1.cd37bep-14f);
    p = FMA(p, z, -0x1.ba9144p-11f);
    p = FMA(p, z, 0x1.55efd2p-8f);
    p = FMA(p, z, -0x1.b8235p-6f);
    p = FMA(p, z, 0x1.ce2eaap-4f);
    p = FMA(p, z, -0x1.812744p-2f);
    p = FMA(p, z, 0x1.06eba8p-3f);
    return FMA(x, p, x);
}

/* 0.9 <= a <= 10.1.  What a^2 loses by rounding is its error in the exponential. */
static float erfc_far(float a)
{
    float t = (a - 4.0f) / (a + 4.0f), square = a * a;
    float p = FMA(0x1.7e277ep-8f, t, -0x1.06e5dep-6f);
    p = FMA(p, t, 0x1.2d9b5cp-5f);
    p = FMA(p, t, -0x1.10668cp-4f);
    p = FMA(p, t, 0x1.801f24p-4f);
    p = FMA(p, t, -0x1.9db934p-4f);
    p = FMA(p, t, 0x1.16eabp-4f);
    p = FMA(p, t, 0x1.f7e4bcp-7f);
    p = FMA(p, t, -0x1.1df1aap-3f);
    p = FMA(p, t, 0x1.3ba592p0f);
    p = FMA(-p, FMA(a, a, -square), p) / FMA(2.0f, a, 1.0f);
    return exp_scaled(-square, 0) * p;
}

float OVL erf(float x)
{
    float a = ABS(x);
    float far = 1.0f - erfc_far(__builtin_fminf(a, 4.0f));

    return a < 1.0f ? erf_near_0(x) : x != x ? x : COPYSIGN(far, x);
}

float OVL erfc(float x)
{
    float a = ABS(x);
    float far = erfc_far(__builtin_fminf(a, 10.1f));

    return a < 0.9f ? 1.0f - erf_near_0(x) : x != x ? x : x < 0 ? 2.0f - far : far;
}

ONE(erf) ONE(erfc)
