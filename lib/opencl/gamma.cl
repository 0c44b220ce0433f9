/* gamma.cl -- the gamma function and its logarithm.
 *
 * From 8 on by Stirling's series, below by polynomials around 1 and 2 and the recurrence; negative arguments
 * by reflection.  The series' power is a sum of two floats, as in pow.
 */
#include "pair.h"

float OVL sinpi(float x);

/* --- gamma ------------------------------------------------------------------------------- */

/* gamma(2 + f) for |f| <= 1/2 */
static float gamma_near_2(float f)
{
    float p = FMA(-0x1.2ca388p-10f, f, 0x1.3f34ap-9f);
    p = FMA(p, f, -0x1.6ca1a4p-9f);
    p = FMA(p, f, 0x1.6b22ap-7f);
    p = FMA(p, f, -0x1.21c6fep-12f);
    p = FMA(p, f, 0x1.30261cp-4f);
    p = FMA(p, f, 0x1.4e241ep-4f);
    p = FMA(p, f, 0x1.a5b96ep-2f);
    p = FMA(p, f, 0x1.b0ee6p-2f);
    return FMA(p, f, 1.0f);
}

/* gamma(1 + a), or gamma(a) for a >= 1/2; to 2 +- 1/2 and back by factors */
static float gamma_small(float a)
{
    float up = 1.0f, down = 1.0f;

    while (a >= 2.5f) {
        a -= 1.0f;
        up *= a;
    }
    while (a < 1.5f) {
        down *= a;
        a += 1.0f;
    }
    return gamma_near_2(a - 2.0f) * up / down;
}

/* log2 of gamma(a) / sqrt(2 pi) without the series, for a >= 8 */
static Pair stirling_power(float a)
{
    Pair l = times(log2_pair(a), a - 0.5f);
    Pair e = times((Pair){ M_LOG2E_F, 0x1.4ae0cp-26f }, -a);
    Pair sum = pair(l.high, e.high);

    sum.low += l.low + e.low;
    return sum;
}

/* sqrt(2 pi) times 1 + 1/(12 a) + 1/(288 a^2) - 139/(51840 a^3) - 571/(2488320 a^4) */
static float stirling_series(float a)
{
    float r = 1.0f / a;
    float p = FMA(-0x1.e13cdap-13f, r, -0x1.5f7268p-9f);
    p = FMA(p, r, 0x1.c71c72p-9f);
    p = FMA(p, r, 0x1.555556p-4f);
    p = FMA(p, r, 1.0f);
    return 2.50662827463100050242f * p;
}

static float gamma_large(float a) { return exp2_pair(stirling_power(__builtin_fminf(a, 40.0f))) * stirling_series(a); }

/* gamma(-a) = -pi / (sin(pi a) a gamma(a)).  For large a the power is taken 2^64 too large, so that it is no
 * denormal yet where the sine is small. */
static float gamma_reflected(float a)
{
    float s = sinpi(a);

    if (a < 8.0f)
        return -M_PI_F / (s * (a * gamma_small(a)));
    Pair t = stirling_power(__builtin_fminf(a, 50.0f));
    Pair inverse = pair(64.0f, -t.high);
    inverse.low -= t.low;
    return -M_PI_F / (s * a * stirling_series(a)) * exp2_pair(inverse) * 0x1p-64f;
}

float OVL tgamma(float x)
{
    float a = ABS(x);

    if (x != x || x == INFINITY)
        return x;
    if (a < 0x1p-100f)
        return 1.0f / x;
    if (x > 0)
        return a < 8.0f ? gamma_small(a) : gamma_large(a);
    return __builtin_truncf(x) == x ? NAN : gamma_reflected(a);
}

/* --- its logarithm -------------------------------------------------------------------------- */

/* log gamma(1 + f) for |f| <= 1/2 */
static float log_gamma_near_1(float f)
{
    float p;

    if (f > 0) {
        p = FMA(-0x1.6e63bap-6f, f, 0x1.2b334ep-4f);
        p = FMA(p, f, -0x1.00a8a6p-3f);
        p = FMA(p, f, 0x1.53ccb2p-3f);
        p = FMA(p, f, -0x1.a8394ep-3f);
        p = FMA(p, f, 0x1.151c0cp-2f);
        p = FMA(p, f, -0x1.9a4f36p-2f);
        p = FMA(p, f, 0x1.a51a74p-1f);
        p = FMA(p, f, -0x1.2788dp-1f);
    } else {
        p = FMA(0x1.ef4ed2p0f, f, 0x1.77fe0ep1f);
        p = FMA(p, f, 0x1.387ffap1f);
        p = FMA(p, f, 0x1.b55218p-1f);
        p = FMA(p, f, 0x1.b95d62p-2f);
        p = FMA(p, f, -0x1.527c12p-3f);
        p = FMA(p, f, 0x1.193b1ep-2f);
        p = FMA(p, f, -0x1.9a1412p-2f);
        p = FMA(p, f, 0x1.a51b26p-1f);
        p = FMA(p, f, -0x1.2788cep-1f);
    }
    return FMA(f, p, 0.0f);
}

/* log gamma(2 + f) for |f| <= 1/2 */
static float log_gamma_near_2(float f)
{
    float p;

    if (f > 0) {
        p = FMA(-0x1.420a62p-8f, f, 0x1.5d4768p-7f);
        p = FMA(p, f, -0x1.4bdc76p-7f);
        p = FMA(p, f, 0x1.cece6ep-8f);
        p = FMA(p, f, -0x1.16768cp-7f);
        p = FMA(p, f, 0x1.53f924p-6f);
        p = FMA(p, f, -0x1.13ee98p-4f);
        p = FMA(p, f, 0x1.4a34fp-2f);
    } else {
        p = FMA(-0x1.17efd2p-8f, f, -0x1.00ab3cp-7f);
        p = FMA(p, f, -0x1.176854p-7f);
        p = FMA(p, f, -0x1.32ed52p-11f);
        p = FMA(p, f, -0x1.11275ap-7f);
        p = FMA(p, f, 0x1.4ebe78p-6f);
        p = FMA(p, f, -0x1.13ed68p-4f);
        p = FMA(p, f, 0x1.4a34aap-2f);
    }
    return FMA(f, FMA(p, f, 0x1.b0ee6p-2f), 0.0f);
}

/* for a > 0, finite */
static float log_gamma_positive(float a)
{
    if (a < 0.5f)
        return log_gamma_near_1(a) - log_normal(a);
    if (a < 1.5f)
        return log_gamma_near_1(a - 1.0f);
    if (a < 8.0f) {
        float up = 1.0f;
        while (a >= 2.5f) {
            a -= 1.0f;
            up *= a;
        }
        return log_gamma_near_2(a - 2.0f) + log_normal(up);
    }
    float r = 1.0f / a;
    float series = r * FMA(r * r, FMA(r * r, 0x1.a01a02p-11f, -0x1.6c16c2p-9f), 0x1.555556p-4f);
    return FMA(a - 0.5f, log_normal(a) - 1.0f, series + 0x1.acfe39p-2f);
}

/* log |gamma(-a)| = log(pi / |a sin(pi a)|) - log gamma(a) */
float OVL lgamma_r(float x, __private int *sign)
{
    float a = ABS(x), s;

    *sign = 1;
    if (x != x || a == INFINITY)
        return a;
    if (a < 0x1p-60f) {
        *sign = as_int(x) < 0 ? -1 : 1;
        return a == 0 ? INFINITY : -(log_normal(a * 0x1p24f) - 16.6355323334f);
    }
    if (x > 0)
        return log_gamma_positive(a);
    s = sinpi(a);
    if (s == 0)
        return INFINITY;
    *sign = s > 0 ? -1 : 1;
    return log_normal(M_PI_F / ABS(a * s)) - log_gamma_positive(a);
}

float OVL lgamma(float x)
{
    int sign;
    return lgamma_r(x, (__private int *)&sign);
}

ONE(tgamma) ONE(lgamma) OUT1(float, lgamma_r, float, int)
