/* double_core.h -- how the functions of binary64 compute.
 *
 * Not with soft doubles, whose operations take two hundred instructions each, but with integers: a
 * polynomial is Horner's rule on 64-bit fractions, twenty instructions a step.  A result that may be
 * near 0 is a fraction times a number in pieces (Num), so that its relative error is that of the fraction.
 * Coefficients are minimax polynomials of fractions (minimax.sollya), tables exact to their last bit.
 *
 * "Q62" is an integer that counts units of 2^-62.
 */
#ifndef DOUBLE_CORE_H
#define DOUBLE_CORE_H
#include "double.h"

#define EACH1(f) VECTOR1(double, f, double)
#define EACH2(f) VECTOR2(double, f, double, double)

/* --- numbers in pieces -------------------------------------------------------------------- */

/* m * 2^(e - 63) with bit 63 of m set: from 2^e up to 2^(e + 1); exponents have no bounds here */
typedef struct { ulong m; int e; } Num;

#define NUM_PI     (Num){0xc90fdaa22168c235, 1}
#define NUM_PI_2   (Num){0xc90fdaa22168c235, 0}
#define NUM_1_PI   (Num){0xa2f9836e4e44152a, -2}
#define NUM_LOG2E  (Num){0xb8aa3b295c17f0bc, 0}
#define NUM_LOG10E (Num){0xde5bd8a937287195, -2}
#define NUM_LN2    (Num){0xb17217f7d1cf79ac, -1}
#define NUM_ONE    (Num){D_SIGN, 0}
#define NUM_SQRT_2PI (Num){0xa06c98ffb1382cb3, 1}

static inline ulong bits_of(double x) { return as_ulong(x); }
static inline ulong magnitude_of(double x) { return as_ulong(x) & D_ABS; }
static inline ulong sign_of(double x) { return as_ulong(x) & D_SIGN; }
static inline double nan_result(void) { return as_double(D_NAN); }
static inline double signed_result(ulong sign, ulong magnitude) { return as_double(sign | magnitude); }

/* of a finite |x| that is not 0, as its bits */
static inline Num num_of(ulong x)
{
    int e;
    const ulong m = significand(x, &e);
    return (Num){m << 11, e - 1023};
}

/* m * 2^(e - 63) for any m but 0 */
static inline Num normal(ulong m, int e)
{
    const int z = __builtin_clzl(m);
    return (Num){m << z, e - z};
}

static inline double rounded(ulong sign, Num x)
{
    return as_double(round_pack(sign, x.e + 1023, x.m >> 1 | (x.m & 1)));
}

static inline Num times(Num a, Num b)
{
    const ulong m = mul_hi(a.m, b.m);
    return m >> 63 ? (Num){m, a.e + b.e + 1} : (Num){m << 1, a.e + b.e};
}

static inline Num over(Num a, Num b)
{
    const ulong m = mul_hi(a.m, __ventus_reciprocal(b.m));
    return m >> 63 ? (Num){m, a.e - b.e} : (Num){m << 1, a.e - b.e - 1};
}

static inline Num twice(Num a) { return (Num){a.m, a.e + 1}; }

/* a >> n in units of a's last place, for n >= 0 */
static inline ulong aligned(Num a, int n) { return n > 63 ? 0 : a.m >> n; }

static inline Num plus(Num a, Num b)
{
    const Num big = a.e > b.e ? a : b, small = a.e > b.e ? b : a;
    const ulong low = aligned(small, big.e - small.e), m = big.m + low;
    return m < low ? (Num){m >> 1 | D_SIGN, big.e + 1} : (Num){m, big.e};
}

/* a - b for a > b; what is left of their bits counts, so they should not be near each other */
static inline Num minus(Num a, Num b)
{
    const ulong m = a.m - aligned(b, a.e - b.e);
    return normal(m ? m : 1, a.e);
}

static inline bool less(Num a, Num b) { return a.e < b.e || (a.e == b.e && a.m < b.m); }

/* a as a fraction in Q64 or less, for a < 1 */
static inline ulong fraction(Num a) { return aligned(a, -1 - a.e); }
static inline ulong square_of(Num r) /* the same of r^2 */
{
    const ulong f = fraction(r);
    return mul_hi(f, f);
}

Num __ventus_root(Num a);                       /* the square root */

/* --- polynomials ------------------------------------------------------------------------ */

/* One step of Horner's rule: p in Q62 or Q61, r in Q64, signed or (below 1/2) not */
#define STEP(c) p = (long)(c) + mul_hi(p, r)
/* the same where r is half of the variable */
#define STEP2(c) p = (long)(c) + (mul_hi(p, r) << 1)

/* --- exponentials --------------------------------------------------------------------------- */

/* A number with its sign as integer part and fraction in Q64: x = whole + low / 2^64 */
typedef struct { long whole; ulong low; } Fixed;

Fixed __ventus_fixed(ulong bits);               /* of a double with |x| < 2^52; toward zero below 2^-64 */
static inline Fixed fixed_minus(Fixed a)
{
    return (Fixed){~a.whole + (a.low == 0), 0 - a.low};
}
static inline float float_of(Fixed x) { return (float)(int)x.whole + (float)(uint)(x.low >> 32) * 0x1p-32f; }

/* e^x, 2^x of |x| < 2^20 */
Num __ventus_exp_fixed(Fixed x);
Num __ventus_exp2_fixed(Fixed x);

/* --- logarithm ------------------------------------------------------------------------------- */

/* log x for x > 0 and not 1; *negative: of x < 1 */
Num __ventus_log_num(Num x, __private bool *negative);

/* --- trigonometry -------------------------------------------------------------------------------- */

/* |x| = (quarters + (negative ? -r : r)) * pi / 2 with r <= 1/2; is_zero: r is 0.  rest is r pi / 2. */
typedef struct { uint quarters; bool negative, is_zero; Num rest; } Angle;
Angle __ventus_reduce(ulong x);                 /* of a finite |x| that is not 0 */
/* sine and cosine of r for 0 < r <= pi / 4 */
Num __ventus_sin_num(Num r);
Num __ventus_cos_num(Num r);

/* |sin(pi |x|)| for an |x| that is not whole; *below: the sine is negative */
Num __ventus_sinpi_num(ulong x, __private bool *below);

/* The angle of (x, y), both >= 0, not both 0 (m = 0 is 0); m = 0: it is 0. */
Num __ventus_angle(Num y, Num x);

/* gamma(a) for a > 0 */
Num __ventus_gamma_num(Num a);
#endif
