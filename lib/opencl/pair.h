/* pair.h -- logarithm and power of 2 with more than a float's precision, for powers and the gamma function.
 *
 * The exponent of a result reaches 150, and its absolute error is the relative one of the result; so it is
 * the sum of two floats.
 */
#ifndef PAIR_H
#define PAIR_H
#include "core.h"

typedef struct {
    float high, low;    /* the sum is meant; low is small beside high */
} Pair;

static inline Pair pair(float a, float b)  /* |a| >= |b| or a = 0 */
{
    float sum = a + b;
    return (Pair){ sum, b - (sum - a) };
}

static inline Pair times(Pair a, float b)
{
    float high = a.high * b;
    return (Pair){ high, FMA(a.low, b, FMA(a.high, b, -high)) };
}

/* log2 x for x > 0 and finite */
static inline Pair log2_pair(float x)
{
    bool tiny = x < FLT_MIN;
    float k, f = split_exponent(tiny ? x * 0x1p24f : x, (__private float *)&k);
    float square = f * f, square_low = FMA(f, f, -square);
    Pair l = pair(f, -0.5f * square);

    l.low += FMA(square * f, log_tail(f), -0.5f * square_low);
    l = pair(l.high, l.low);

    float high = l.high * M_LOG2E_F;
    float low = FMA(l.high, M_LOG2E_F, -high) + FMA(l.high, 0x1.4ae0cp-26f, l.low * M_LOG2E_F);
    k = tiny ? k - 24.0f : k;
    Pair sum = k == 0 ? pair(high, low) : pair(k, high);
    sum.low += k == 0 ? 0.0f : low;
    return sum;
}

/* 2^(high + low); beyond the range of results the low part means nothing */
static inline float exp2_pair(Pair t)
{
    float h = __builtin_fminf(__builtin_fmaxf(t.high, -160.0f), 160.0f);
    float n = (h + ROUNDER) - ROUNDER;

    return scale(exp2_near_0((h - n) + (h == t.high ? t.low : 0.0f)), (int)n);
}
#endif
