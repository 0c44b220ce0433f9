/* logarithm.cl -- logarithms: the exponent, and a polynomial of the fraction. */
#include "core.h"

/* Most arguments are positive and normal.  The others have a result of their own, or are denormal and multiplied
 * by 2^23 before. */
static bool ordinary(float x) { return as_uint(x) - 0x00800000u < 0x7f000000u; }

/* of 0, negative numbers, infinity and NaN */
static float log_special(float x) { return x == 0 ? -INFINITY : x < 0 ? NAN : x; }

#define LOGARITHM(name, of_parts) \
    float OVL name(float x) \
    { \
        float k, less = 0; \
        if (!ordinary(x)) { \
            if (!(x > 0 && x < FLT_MIN)) \
                return log_special(x); \
            x *= 0x1p23f; \
            less = 23; \
        } \
        float l = log1p_near_0(split_exponent(x, (__private float *)&k)); \
        k -= less; \
        return of_parts; \
    } \
    ONE(name)
LOGARITHM(log, FMA(k, M_LN2_F, l))
LOGARITHM(log2, FMA(l, M_LOG2E_F, k))
LOGARITHM(log10, FMA(k, 0x1.344136p-2f, l * M_LOG10E_F))

float OVL log1p(float x)
{
    if (!(x > -1.0f && x < 0x1p126f))
        return x == -1.0f ? -INFINITY : x < -1.0f ? NAN : x < INFINITY ? log_normal(x) : x;
    return COPYSIGN(log1p_finite(x), x);
}
ONE(log1p)
