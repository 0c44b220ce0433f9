/* rounding.cl -- floats to whole floats.
 *
 * The machine converts to 32-bit integers and back.  From 2^23 on every float is whole, and infinities
 * and NaN are treated as whole too.  The built-in functions are LLVM's operations, so that constants
 * fold; the lowering turns those that are left into calls of the functions named __ventus_.
 */
#include "ventus.h"

/* Keeps x where it is whole anyway; t may be of any value there, and may have lost the sign of 0. */
static float unless_whole(float x, float t)
{
    return __builtin_fabsf(x) < 0x1p23f ? __builtin_copysignf(t, x) : x;
}

float __ventus_truncf(float x) { return unless_whole(x, (float)(int)x); }

float __ventus_floorf(float x)
{
    float t = (float)(int)x;
    return unless_whole(x, t - (t > x ? 1.0f : 0.0f));
}

float __ventus_ceilf(float x)
{
    float t = (float)(int)x;
    return unless_whole(x, t + (t < x ? 1.0f : 0.0f));
}

/* 2^23 leaves no room for a fraction, and the addition rounds as wanted */
float __ventus_rintf(float x) { return unless_whole(x, (__builtin_fabsf(x) + 0x1p23f) - 0x1p23f); }

float __ventus_roundf(float x)
{
    float a = __builtin_fabsf(x), t = (float)(int)a;
    return unless_whole(x, t + (a - t >= 0.5f ? 1.0f : 0.0f));
}

float FLAT floor(float x) { return __builtin_floorf(x); }
float FLAT ceil(float x) { return __builtin_ceilf(x); }
float FLAT trunc(float x) { return __builtin_truncf(x); }
float FLAT rint(float x) { return __builtin_rintf(x); }
float FLAT round(float x) { return __builtin_roundf(x); }
VECTOR1(float, floor, float) VECTOR1(float, ceil, float) VECTOR1(float, trunc, float)
VECTOR1(float, rint, float) VECTOR1(float, round, float)

/* below 1, also where a tiny negative x rounds x - floor(x) up; 0 with their sign for infinities and zeros */
float OVL fract(float x, __private float *whole)
{
    float t = __builtin_floorf(x);
    float f = __builtin_fminf(x - t, 0x1.fffffep-1f);

    *whole = t;
    return __builtin_fabsf(x) == INFINITY ? __builtin_copysignf(0.0f, x) : x == 0 || x != x ? x : f;
}

float OVL modf(float x, __private float *whole)
{
    float t = __builtin_truncf(x);

    *whole = t;
    return __builtin_copysignf(__builtin_fabsf(x) == INFINITY ? 0.0f : x - t, x);
}

OUT1(float, fract, float, float) OUT1(float, modf, float, float)
