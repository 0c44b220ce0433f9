/* hyperbolic.cl -- hyperbolic functions and their inverses, odd ones of the absolute value. */
#include "core.h"

float OVL sinh(float x)
{
    float a = ABS(x), z = a * a;
    float p = FMA(0x1.720e84p-19f, z, 0x1.a036dap-13f);
    p = FMA(p, z, 0x1.1110c4p-7f);
    p = FMA(p, z, 0x1.555556p-3f);
    float e = exp_scaled(a, -1);

    return x != x ? x : COPYSIGN(a < 1.0f ? FMA(a * z, p, a) : e - 0.25f / e, x);
}

float OVL cosh(float x)
{
    float e = exp_scaled(ABS(x), -1);
    return x != x ? x : e + 0.25f / e;
}

float OVL tanh(float x)
{
    float a = ABS(x), z = a * a;
    float p = FMA(0x1.4bc9bep-9f, z, -0x1.18d1d8p-7f);
    p = FMA(p, z, 0x1.65edeep-6f);
    p = FMA(p, z, -0x1.ba20e4p-5f);
    p = FMA(p, z, 0x1.111146p-3f);
    p = FMA(p, z, -0x1.555556p-2f);
    float far = 1.0f - 2.0f / (exp_scaled(2.0f * a, 0) + 1.0f);

    return x != x ? x : COPYSIGN(a < 0.6f ? FMA(a * z, p, a) : far, x);
}

/* log(2 a) is near enough from 2^13 on, as a^2 + 1 is a^2 */
float OVL asinh(float x)
{
    float a = ABS(x), z = a * a;

    if (!(a < 0x1p13f))
        return a < INFINITY ? COPYSIGN(log_normal(a) + M_LN2_F, x) : x;
    return COPYSIGN(log1p_finite(a + z / (1.0f + __builtin_sqrtf(z + 1.0f))), x);
}

float OVL acosh(float x)
{
    float t = x - 1.0f;

    if (!(x < 0x1p13f))
        return x < INFINITY ? log_normal(x) + M_LN2_F : x;
    return x < 1.0f ? NAN : log1p_finite(t + __builtin_sqrtf(FMA(t, t, 2.0f * t)));
}

float OVL atanh(float x)
{
    float a = ABS(x);

    if (!(a < 1.0f))
        return a == 1.0f ? COPYSIGN(INFINITY, x) : NAN;
    return COPYSIGN(0.5f * log1p_finite(2.0f * a / (1.0f - a)), x);
}

ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
