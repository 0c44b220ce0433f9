/* half.h -- half as 16 bits: to float, which is exact, and from float by every mode of rounding. */
#ifndef VENTUS_HALF_H
#define VENTUS_HALF_H
#include "ventus.h"

/* Exponent and fraction, moved to their places, are the value times 2^-112, denormal or not. */
static inline float from_half(ushort h)
{
    uint bits = (h & 0x7fffu) << 13;
    uint special = bits >= 0x7c00u << 13 ? bits | 0x7f800000u : as_uint(as_float(bits) * 0x1p112f);

    return as_float(special | (h & 0x8000u) << 16);
}

enum { HALF_INF = 0x7f800000, HALF_NORMAL = 113 << 23, HALF_BEYOND = 143 << 23 }; /* as floats, with 1 as 127 << 23 */

static inline ushort nan_half(uint magnitude) { return (ushort)(0x7e00 | (magnitude >> 13 & 0x3ff)); }

/* In the denormal range the unit is 2^-24, as it is for floats from 0.5 on: adding rounds there. */
static inline ushort to_half_rte(float x)
{
    uint a = as_uint(x) & 0x7fffffff, sign = as_uint(x) >> 16 & 0x8000;
    uint small = as_uint(as_float(a) + 0.5f) - as_uint(0.5f);
    uint normal = (a + 0xfff + (a >> 13 & 1) - (112u << 23)) >> 13;
    uint h = a < HALF_NORMAL ? small : a < HALF_BEYOND ? normal : 0x7c00u;

    return (ushort)(sign | (a > HALF_INF ? nan_half(a) : h));
}

/* Magnitude toward zero, then one more if something was lost and the mode is away from zero. */
static inline ushort to_half_directed(float x, bool away)
{
    uint a = as_uint(x) & 0x7fffffff, sign = as_uint(x) >> 16 & 0x8000;
    float units = as_float(a) * 0x1p24f;
    bool lost = (a & 0x1fff) != 0;
    uint h = (a - (112u << 23)) >> 13;

    if (a < HALF_NORMAL) {
        h = (uint)units;
        lost = (float)h != units;
    } else if (a >= HALF_BEYOND) {
        h = a == HALF_INF ? 0x7c00 : 0x7bff;
        lost = a < HALF_INF;
    }
    return (ushort)(sign | (a > HALF_INF ? nan_half(a) : h + (away && lost)));
}

static inline ushort to_half(float x) { return to_half_rte(x); }
static inline ushort to_half_rtz(float x) { return to_half_directed(x, false); }
static inline ushort to_half_rtp(float x) { return to_half_directed(x, x > 0); }
static inline ushort to_half_rtn(float x) { return to_half_directed(x, x < 0); }

/* A double goes by way of a float that keeps in its last bit whether something was lost, so that only the
 * second step rounds. */
static inline float odd(double x)
{
    const float f = (float)x;
    const uint bits = as_uint(f) - (__builtin_fabs((double)f) > __builtin_fabs(x));
    return (double)f == x || x != x ? f : as_float(bits | 1);
}
#endif
