/* power.cl -- powers and roots: a power is 2^(y log2 x). */
#include "pair.h"

/* |x|^y for y finite and not 0, and for any x but NaN */
static float magnitude_power(float x, float y)
{
    float a = ABS(x);

    if (a == 0 || a == INFINITY)
        return (a == 0) == (y < 0) ? INFINITY : 0.0f;
    return exp2_pair(times(log2_pair(a), y));
}

/* every float from 2^24 on is an even number */
static bool is_whole(float y) { return __builtin_truncf(y) == y; }
static bool is_odd(float y) { return ABS(y) < 0x1p24f && is_whole(y) && ((int)y & 1); }

/* 0 or infinity or 1, by whether the base is below 1 */
static float infinite_power(float a, float y)
{
    return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0) ? INFINITY : 0.0f;
}

float OVL pow(float x, float y)
{
    if (x == 1.0f || y == 0)
        return 1.0f;
    if (x != x || y != y)
        return NAN;
    if (ABS(y) == INFINITY)
        return infinite_power(ABS(x), y);

    float r = magnitude_power(x, y);
    if (as_int(x) >= 0)
        return r;
    if (x != 0 && x != -INFINITY && !is_whole(y))
        return NAN;
    return is_odd(y) ? -r : r;
}

float OVL powr(float x, float y)
{
    if (x != x || y != y || x < 0)
        return NAN;
    if (y == 0)
        return x == 0 || x == INFINITY ? NAN : 1.0f;
    if (ABS(y) == INFINITY)
        return x == 1.0f ? NAN : infinite_power(x, y);
    return magnitude_power(x, y);
}

/* The exponent as two floats: the upper 24 bits and the rest. */
float OVL pown(float x, int n)
{
    float a = ABS(x), r;

    if (n == 0)
        return 1.0f;
    if (x != x)
        return x;
    if (a == 0 || a == INFINITY) {
        r = (a == 0) == (n < 0) ? INFINITY : 0.0f;
    } else {
        Pair l = log2_pair(a);
        int upper = n & ~0xff;
        Pair t = times(l, (float)upper), u = times(l, (float)(n - upper));
        Pair sum = pair(t.high, u.high);
        sum.low += t.low + u.low;
        r = exp2_pair(sum);
    }
    return n & 1 ? COPYSIGN(r, x) : r;
}

/* The quotient of the logarithm, with the remainder as low part. */
float OVL rootn(float x, int n)
{
    float a = ABS(x), d = (float)n, r;

    if (n == 0 || x != x || (x < 0 && !(n & 1)))
        return NAN;
    if (a == 0 || a == INFINITY) {
        r = (a == 0) == (n < 0) ? INFINITY : 0.0f;
    } else {
        Pair l = log2_pair(a);
        float q = l.high / d;
        r = exp2_pair((Pair){ q, (FMA(-q, d, l.high) + l.low) / d });
    }
    return n & 1 ? COPYSIGN(r, x) : r;
}

/* --- roots ------------------------------------------------------------------------------- */

float OVL rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }

/* 1 / cbrt(a) from a third of the exponent, improved to the fourth order once and to the second once; then the
 * error of the cube of a times its square goes into the result. */
float OVL cbrt(float x)
{
    float a = ABS(x);

    if (!(a > 0 && a < INFINITY))
        return x;
    bool tiny = a < FLT_MIN;
    a = tiny ? a * 0x1p24f : a;

    float y = as_float(0x54a2fa8c - as_uint(a) / 3);
    float c = FMA(-a * y, y * y, 1.0f);
    y = FMA(y * c, FMA(c, FMA(c, 0x1.61f9aep-3f, 0x1.c71c72p-3f), 0x1.555556p-2f), y);
    float r = a * y * y;
    r = FMA(FMA(-r * r, r, a), y * y * 0x1.555556p-2f, r);
    return COPYSIGN(tiny ? r * 0x1p-8f : r, x);
}

/* scaled that squares stay in range */
float OVL hypot(float x, float y)
{
    float a = ABS(x), b = ABS(y), m = __builtin_fmaxf(a, b);
    float s = m > 0x1p60f ? 0x1p-70f : m < 0x1p-60f ? 0x1p86f : 1.0f;

    if (a == INFINITY || b == INFINITY)
        return INFINITY;
    a *= s;
    b *= s;
    return __builtin_sqrtf(FMA(a, a, b * b)) * (1.0f / s);
}

ONE(rsqrt) ONE(cbrt) TWO(hypot) TWO(pow) TWO(powr) VECTOR2(float, pown, float, int) VECTOR2(float, rootn, float, int)
