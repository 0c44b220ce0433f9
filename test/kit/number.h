/* number.h -- small floats as real numbers, for references.
 *
 * A value of 32 bits or fewer is a double; the exact result of an operation is a
 * double rounded to odd, which rounds on to any of these formats as the exact one
 * would (53 >= 24 + 2 bits).
 */
#ifndef CHECK_NUMBER_H
#define CHECK_NUMBER_H
#include "base/base.h"
#include <math.h>
#include <string.h>

#define NUMBER __attribute__((unused)) static

typedef struct {
    int exp, frac;
} Format;
static const Format F16 = {5, 10}, BF16 = {8, 7}, F32 = {8, 23};

typedef enum { TO_NEAREST, TO_ZERO, DOWN, UP, TO_MAX_MAGNITUDE, TO_ODD } Rounding;
enum { INEXACT = 1, UNDERFLOW_ = 2, OVERFLOW_ = 4, BY_ZERO = 8, INVALID = 16 };

NUMBER double as_double(u64 bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
NUMBER u64 double_bits(double d)
{
    u64 bits;
    memcpy(&bits, &d, sizeof d);
    return bits;
}
NUMBER float as_float(u32 bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
NUMBER u32 float_bits(float f)
{
    u32 bits;
    memcpy(&bits, &f, sizeof f);
    return bits;
}

NUMBER u32 infinity_of(Format f) { return ((1u << f.exp) - 1) << f.frac; }
NUMBER u32 nan_of(Format f) { return infinity_of(f) | 1u << (f.frac - 1); }
NUMBER bool is_nan(Format f, u32 v) { return (v & ~(1u << (f.exp + f.frac))) > infinity_of(f); }
NUMBER bool is_signalling(Format f, u32 v) { return is_nan(f, v) && !(v >> (f.frac - 1) & 1); }

/* the number that an IEEE format's bits stand for */
NUMBER double value_of(Format f, u32 v)
{
    const u32 exp = v >> f.frac & ((1u << f.exp) - 1), frac = v & ((1u << f.frac) - 1);
    const int bias = (1 << (f.exp - 1)) - 1;
    const double sign = v >> (f.exp + f.frac) & 1 ? -1 : 1;
    if (exp == (1u << f.exp) - 1)
        return frac ? (double)NAN : sign * (double)INFINITY;
    return sign * (exp ? ldexp((double)(frac | 1u << f.frac), (int)exp - bias - f.frac)
                       : ldexp((double)frac, 1 - bias - f.frac));
}

/* whether the magnitude `lo`.rest is rounded up */
NUMBER bool rounds_up(double lo, double rest, bool negative, Rounding r)
{
    const bool odd = fmod(lo, 2) != 0;
    switch (r) {
    case TO_NEAREST:
        return rest > 0.5 || (rest == 0.5 && odd);
    case TO_ZERO:
        return false;
    case DOWN:
        return rest > 0 && negative;
    case UP:
        return rest > 0 && !negative;
    case TO_MAX_MAGNITUDE:
        return rest >= 0.5;
    case TO_ODD:
        return rest > 0 && !odd;
    }
    return false;
}

/* the bits that v rounds to; flags are added to *flags */
NUMBER u32 round_to(Format f, double v, Rounding r, u8 *flags)
{
    const bool negative = signbit(v);
    const u32 sign = (u32)negative << (f.exp + f.frac), inf = infinity_of(f);
    const int least = 2 - (1 << (f.exp - 1)); /* exponent of the smallest normal number */
    int e;
    if (isnan(v))
        return nan_of(f);
    if (isinf(v) || v == 0)
        return sign | (v != 0 ? inf : 0);
    frexp(v, &e);
    e--;
    const bool small = e < least;
    const double natural = ldexp(fabs(v), f.frac - e);
    e = small ? least : e;
    const double scaled = ldexp(fabs(v), f.frac - e), lo = floor(scaled), rest = scaled - lo;
    const u64 bits = ((u64)(e - least) << f.frac) + (u64)lo + rounds_up(lo, rest, negative, r);
    if (bits >= inf) {
        const bool to_inf = r == TO_NEAREST || r == TO_MAX_MAGNITUDE || (r == UP && !negative) ||
                            (r == DOWN && negative);
        *flags |= OVERFLOW_ | INEXACT;
        return sign | (to_inf ? inf : inf - 1);
    }
    if (rest != 0) {
        /* tiny: also below the smallest normal number when the exponent has no limit */
        const double n =
            floor(natural) + rounds_up(floor(natural), natural - floor(natural), negative, r);
        int had;
        frexp(v, &had);
        *flags |= INEXACT;
        if (small && ldexp(n, had - 1 - f.frac) < ldexp(1, least))
            *flags |= UNDERFLOW_;
    }
    return sign | (u32)bits;
}

/* a + b to odd; both are doubles of moderate exponents.  An exact zero is -0 only
 * when both are, or when rounding down. */
NUMBER double add_odd(double a, double b, Rounding r)
{
    const volatile double s = a + b, bb = s - a, aa = s - bb;
    const double lost = (a - aa) + (b - bb);
    if (s == 0 && a != 0)
        return r == DOWN ? -0.0 : 0.0;
    if (s == 0 && signbit(a) != signbit(b))
        return r == DOWN ? -0.0 : 0.0;
    if (isnan(s) || isinf(s) || lost == 0)
        return s;
    u64 bits = double_bits(s);
    if (!(bits & 1))
        bits = (lost > 0) == (s > 0) ? bits + 1 : bits - 1;
    return as_double(bits);
}

/* a * b + c in a format of 32 bits or fewer, rounded once; no flags */
NUMBER u32 fused(Format f, u32 a, u32 b, u32 c, Rounding r)
{
    u8 flags = 0;
    return round_to(f, add_odd(value_of(f, a) * value_of(f, b), value_of(f, c), r), r, &flags);
}
#endif
