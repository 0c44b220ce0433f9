/* inverse.cl -- inverse trigonometric functions, in radians and in half turns. */
#include "core.h"

#define PI_2_LOW -0x1.777a5cp-25f   /* pi / 2 - M_PI_2_F */

/* --- arc sine, arc cosine ---------------------------------------------------------------- */

/* (asin s - s) / s^3 from z = s^2 <= 1/4 */
static float asin_tail(float z)
{
    float p = FMA(0x1.1a258cp-5f, z, 0x1.10abf6p-6f);
    p = FMA(p, z, 0x1.ff9494p-6f);
    p = FMA(p, z, 0x1.6d4032p-5f);
    p = FMA(p, z, 0x1.3334c8p-4f);
    return FMA(p, z, 0x1.555554p-3f);
}

/* From 1/2 on by the half angle: asin a = pi/2 - 2 asin s with s^2 = (1 - a) / 2.
 * Answers asin s for s = a or that s. */
static float half_angle(float a)
{
    bool far = a > 0.5f;
    float z = far ? FMA(-0.5f, a, 0.5f) : a * a;
    float s = far ? __builtin_sqrtf(z) : a;

    return FMA(s * z, asin_tail(z), s);
}

float OVL asin(float x)
{
    float a = ABS(x), r = half_angle(a);
    return COPYSIGN(a > 0.5f ? FMA(-2.0f, r, M_PI_2_F) : r, x);
}

/* the low part of pi / 2 matters where the difference is small */
float OVL acos(float x)
{
    float a = ABS(x), r = half_angle(a);

    if (a > 0.5f)
        return x > 0 ? 2.0f * r : FMA(-2.0f, r, M_PI_F);
    return M_PI_2_F - (COPYSIGN(r, x) - PI_2_LOW);
}

float OVL asinpi(float x) { return asin(x) * M_1_PI_F; }
float OVL acospi(float x) { return acos(x) * M_1_PI_F; }

/* --- arc tangent ------------------------------------------------------------------------ */

/* atan t for 0 <= t <= 1; of 1 the nearest number, so that a quarter of a half turn is exact */
static float atan_near_0(float t)
{
    float z = t * t;
    float p = FMA(-0x1.3b6c0ap-9f, z, 0x1.bd14p-7f);
    p = FMA(p, z, -0x1.26cceep-5f);
    p = FMA(p, z, 0x1.005ebp-4f);
    p = FMA(p, z, -0x1.62baf8p-4f);
    p = FMA(p, z, 0x1.c3f7fep-4f);
    p = FMA(p, z, -0x1.246ce4p-3f);
    p = FMA(p, z, 0x1.999832p-3f);
    p = FMA(p, z, -0x1.555554p-2f);
    return FMA(t * z, p, t);
}

float OVL atan(float x)
{
    float a = ABS(x);
    bool steep = a > 1.0f;
    float r = atan_near_0(steep ? 1.0f / a : a);

    return COPYSIGN(steep ? M_PI_2_F - r : r, x);
}

float OVL atanpi(float x) { return atan(x) * M_1_PI_F; }

/* The angle in the first octant, and from there to the octant of (x, y).  Two zeros have
 * the quotient 0, two infinities 1. */
static float octant(float y, float x)
{
    float ax = ABS(x), ay = ABS(y);
    float big = __builtin_fmaxf(ax, ay), small = __builtin_fminf(ax, ay);
    float t = small == big ? 1.0f : small / big;
    float r = atan_near_0(big == 0 ? 0.0f : t);

    r = ay > ax ? (M_PI_2_F - r) + PI_2_LOW : r;
    return as_int(x) < 0 ? M_PI_F - r : r;
}

float OVL atan2(float y, float x) { return x != x || y != y ? NAN : COPYSIGN(octant(y, x), y); }
float OVL atan2pi(float y, float x) { return atan2(y, x) * M_1_PI_F; }

ONE(asin) ONE(acos) ONE(asinpi) ONE(acospi) ONE(atan) ONE(atanpi) TWO(atan2) TWO(atan2pi)
