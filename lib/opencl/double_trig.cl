/* double_trig.cl -- trigonometric functions of binary64 and their inverses (double_core.h).
 *
 * Angles of any size are reduced in the same way: the 53 bits of x times those 192 bits of 2/pi that
 * matter; the bits before them would only add multiples of four quarters.
 */
#include "double_core.h"
#include "double_tables.h"

/* --- reduction ---------------------------------------------------------------------------- */

/* q + f / 2^128 as the nearest whole number of quarters and what is left, in quarters */
static Angle nearest(uint q, ulong high, ulong low)
{
    Angle a = {q, high >> 63, false, NUM_ONE};
    if (a.negative) {
        a.quarters++;
        high = ~high + (low == 0);
        low = 0 - low;
    }
    a.is_zero = !(high | low);
    if (!high) {
        a.rest = normal(low | 1, -65);
        return a;
    }
    const int z = __builtin_clzl(high);
    a.rest = (Num){high << z | low >> 1 >> (63 - z), -1 - z};
    return a;
}

Angle __ventus_reduce(ulong x)
{
    const int e = (int)exponent(x) - 1023;
    if (e < -1) { /* below 1/2: nothing to do, and the fraction below would lose bits */
        return (Angle){0, false, false, num_of(x)};
    }
    const ulong m = (x & (D_ONE - 1)) | D_ONE;
    /* 1. 192 bits of 2/pi from bit e - 54 on; the table begins with 64 zeros */
    const uint at = (uint)(e + 10), word = at >> 6, shift = at & 63;
    const ulong t0 = TWO_OVER_PI[word], t1 = TWO_OVER_PI[word + 1], t2 = TWO_OVER_PI[word + 2],
                t3 = TWO_OVER_PI[word + 3];
    const ulong w0 = t0 << shift | t1 >> 1 >> (63 - shift), w1 = t1 << shift | t2 >> 1 >> (63 - shift),
                w2 = t2 << shift | t3 >> 1 >> (63 - shift);
    /* 2. the low 192 bits of their product with m: two before the point */
    const ulong p2 = mul_hi(m, w2), low = m * w1, p1 = low + p2;
    const ulong p0 = m * w0 + mul_hi(m, w1) + (p1 < low);
    Angle a = nearest((uint)(p0 >> 62), p0 << 2 | p1 >> 62, p1 << 2);
    a.rest = times(a.rest, NUM_PI_2);
    return a;
}

/* --- sine and cosine ------------------------------------------------------------------------ */

/* sin(r) / r in Q62 from z = r^2 <= 0.617 in Q64 */
static ulong sine_factor(ulong z)
{
    const long r = (long)(z >> 1);
    long p = 0x3a6fL;
    STEP2(-0x35e3f5L);
    STEP2(0x2c24a0dcL);
    STEP2(-0x1ae6457320L);
    STEP2(0xb8ef1d2aec0L);
    STEP2(-0x3403403403491L);
    STEP2(0x88888888888894L);
    STEP2(-0xaaaaaaaaaaaaaabL);
    STEP2(0x4000000000000000L);
    return (ulong)p;
}

static ulong cosine(ulong z) /* likewise */
{
    const long r = (long)(z >> 1);
    long p = 0x353f0L;
    STEP2(-0x32722d5L);
    STEP2(0x23ddb1611L);
    STEP2(-0x127e4fb748dL);
    STEP2(0x6806806805e1L);
    STEP2(-0x16c16c16c16c06L);
    STEP2(0x2aaaaaaaaaaaaaaL);
    STEP2(-0x2000000000000000L);
    STEP2(0x4000000000000000L);
    return (ulong)p;
}

Num __ventus_sin_num(Num r) { return times(r, normal(sine_factor(square_of(r)), 1)); }
Num __ventus_cos_num(Num r) { return normal(cosine(square_of(r)), 1); }

/* sine of the angle a, with the sign `negative` of x and of rest in it */
static double sine_of(Angle a, ulong sign)
{
    const bool from_cosine = a.quarters & 1;
    sign ^= a.quarters & 2 ? D_SIGN : 0;
    if (from_cosine)
        return a.is_zero ? signed_result(sign, (ulong)0x3ff << 52) : rounded(sign, __ventus_cos_num(a.rest));
    sign ^= a.negative ? D_SIGN : 0;
    return a.is_zero ? signed_result(sign, 0) : rounded(sign, __ventus_sin_num(a.rest));
}

static double cosine_of(Angle a)
{
    a.quarters++;
    return sine_of(a, 0);
}

/* sin and cos of a rest; one of them over the other */
static double tangent_of(Angle a, ulong sign)
{
    const bool inverse = a.quarters & 1;
    sign ^= (a.negative ? D_SIGN : 0) ^ (inverse ? D_SIGN : 0);
    const Num s = __ventus_sin_num(a.rest), c = __ventus_cos_num(a.rest);
    return rounded(sign, inverse ? over(c, s) : over(s, c));
}

double OVL sin(double x)
{
    const ulong a = magnitude_of(x);
    if (!a || a >= D_INF)
        return a ? nan_result() : x;
    return sine_of(__ventus_reduce(a), sign_of(x));
}

double OVL cos(double x)
{
    const ulong a = magnitude_of(x);
    if (!a || a >= D_INF)
        return a ? nan_result() : 1.0;
    return cosine_of(__ventus_reduce(a));
}

double OVL tan(double x)
{
    const ulong a = magnitude_of(x);
    if (!a || a >= D_INF)
        return a ? nan_result() : x;
    return tangent_of(__ventus_reduce(a), sign_of(x));
}

double OVL sincos(double x, __private double *cosine_result)
{
    const ulong a = magnitude_of(x);
    if (!a || a >= D_INF) {
        *cosine_result = a ? nan_result() : 1.0;
        return a ? nan_result() : x;
    }
    const Angle r = __ventus_reduce(a);
    *cosine_result = cosine_of(r);
    return sine_of(r, sign_of(x));
}

/* --- of multiples of pi ------------------------------------------------------------------------ */

/* |x| pi, in quarters: twice |x|, exactly */
static Angle reduce_pi(ulong x)
{
    const int e = (int)exponent(x) - 1022; /* of 2 |x| */
    if (e < -1) {
        const Num r = x ? num_of(x) : NUM_ONE;
        return (Angle){0, false, !x, times(r, NUM_PI)};
    }
    if (e > 60)
        return (Angle){0, false, true, NUM_ONE}; /* even */
    const Fixed f = e >= 52 ? (Fixed){0, 0} : __ventus_fixed(x + D_ONE);
    const ulong m = (x & (D_ONE - 1)) | D_ONE;
    const uint whole = e >= 52 ? (uint)(m << (e - 52)) : (uint)f.whole;
    Angle a = nearest(whole & 3, e >= 52 ? 0 : f.low, 0);
    a.rest = times(a.rest, NUM_PI_2);
    return a;
}

double OVL sinpi(double x)
{
    const ulong a = magnitude_of(x);
    if (a >= D_INF)
        return nan_result();
    const Angle r = reduce_pi(a);
    if (r.is_zero && !(r.quarters & 1))
        return signed_result(sign_of(x), 0);
    return sine_of(r, sign_of(x));
}

/* |sin(pi |x|)| for an |x| that is not whole; *below: it is negative */
Num __ventus_sinpi_num(ulong x, __private bool *below)
{
    const Angle r = reduce_pi(x);
    const bool from_cosine = r.quarters & 1;
    *below = (r.quarters & 2) != 0 ? from_cosine || !r.negative : !from_cosine && r.negative;
    if (r.is_zero)
        return NUM_ONE;
    return from_cosine ? __ventus_cos_num(r.rest) : __ventus_sin_num(r.rest);
}

double OVL cospi(double x)
{
    const ulong a = magnitude_of(x);
    if (a >= D_INF)
        return nan_result();
    const Angle r = reduce_pi(a);
    if (r.is_zero && r.quarters & 1)
        return 0.0;
    return cosine_of(r);
}

double OVL tanpi(double x)
{
    const ulong a = magnitude_of(x);
    if (a >= D_INF)
        return nan_result();
    const Angle r = reduce_pi(a);
    if (!r.is_zero)
        return tangent_of(r, sign_of(x));
    /* sinpi(n / 2) over cospi(n / 2), whose signs are those of the two functions */
    const ulong turned = (r.quarters & 3) == 2 || (r.quarters & 3) == 3 ? D_SIGN : 0;
    return signed_result(sign_of(x) ^ turned, r.quarters & 1 ? D_INF : 0);
}

/* --- inverse functions ----------------------------------------------------------------------------- */

/* atan(u) / u in Q62 from z = u^2 <= 0.00099 in Q64 */
static ulong arc_factor(ulong z)
{
    const long r = (long)z;
    long p = -0x5cdc7f1485441a5L;
    STEP(0x71c70c1c108aeb2L);
    STEP(-0x92492490395ba26L);
    STEP(0xccccccccccafb77L);
    STEP(-0x155555555555554dL);
    STEP(0x4000000000000000L);
    return (ulong)p;
}

static Num arc_tangent_small(Num u) { return times(u, normal(arc_factor(square_of(u)), 1)); }

/* atan(small / big) with t = small / big <= 1: atan(c) + atan((t - c) / (1 + t c)) for c = j / 16, the
 * sixteenth nearest to t.  Without c the result is as precise as t, else a fraction in Q63. */
static Num first_octant(Num small, Num big)
{
    const int d = big.e - small.e;
    const ulong s = aligned(small, d);
    const float t = (float)(uint)(s >> 32) / (float)(uint)(big.m >> 32);
    const uint j = (uint)__ventus_ftoi_rne(t * 16.0f);
    if (!j)
        return arc_tangent_small(over(small, big));
    const ulong c_big = (big.m >> 4) * j + ((big.m & 15) * j >> 4), c_small = (s >> 4) * j + ((s & 15) * j >> 4);
    const bool below = s < c_big;
    const ulong difference = below ? c_big - s : s - c_big;
    if (!difference)
        return normal(ARC[j], 0);
    /* big + c small may need 65 bits */
    const Num u = over(normal(difference, 0), normal((big.m >> 1) + (c_small >> 1), 1));
    const Num r = arc_tangent_small(u);
    const ulong f = r.e < -64 ? 0 : fraction(r) >> 1;
    return normal(below ? ARC[j] - f : ARC[j] + f, 0);
}

Num __ventus_angle(Num y, Num x)
{
    const bool steep = !x.m || (y.m && less(x, y));
    const Num big = steep ? y : x, small = steep ? x : y;
    if (!small.m)
        return steep ? NUM_PI_2 : (Num){0, 0};
    const Num r = first_octant(small, big);
    return steep ? minus(NUM_PI_2, r) : r;
}

static Num num_or_0(ulong a) { return a ? num_of(a) : (Num){0, 0}; }

static double rounded_or_0(ulong sign, Num x) { return x.m ? rounded(sign, x) : signed_result(sign, 0); }

double OVL atan(double x)
{
    const ulong a = magnitude_of(x);
    if (a > D_INF || !a)
        return a ? nan_result() : x;
    return rounded(sign_of(x), a == D_INF ? NUM_PI_2 : __ventus_angle(num_of(a), NUM_ONE));
}

double OVL atanpi(double x)
{
    const ulong a = magnitude_of(x);
    if (a > D_INF || !a)
        return a ? nan_result() : x;
    return rounded(sign_of(x), a == D_INF ? (Num){D_SIGN, -1} : times(__ventus_angle(num_of(a), NUM_ONE), NUM_1_PI));
}

/* the angle of (x, y) from 0 to pi, for numbers and infinities; m = 0: it is 0 */
static Num half_turn(double y, double x)
{
    const ulong a = magnitude_of(x), b = magnitude_of(y);
    Num r;
    if (a == D_INF && b == D_INF)
        r = (Num){NUM_PI_2.m, -1};
    else if (a == D_INF || !b)
        r = (Num){0, 0};
    else if (b == D_INF)
        r = NUM_PI_2;
    else
        r = __ventus_angle(num_of(b), num_or_0(a));
    if (!sign_of(x))
        return r;
    return !r.m || r.e < -70 ? NUM_PI : minus(NUM_PI, r);
}

double OVL atan2(double y, double x)
{
    if (magnitude_of(x) > D_INF || magnitude_of(y) > D_INF)
        return nan_result();
    return rounded_or_0(sign_of(y), half_turn(y, x));
}

double OVL atan2pi(double y, double x)
{
    if (magnitude_of(x) > D_INF || magnitude_of(y) > D_INF)
        return nan_result();
    const Num r = half_turn(y, x);
    return r.m ? rounded(sign_of(y), times(r, NUM_1_PI)) : signed_result(sign_of(y), 0);
}

/* sqrt(1 - a^2) of 0 < a < 1 */
static Num other_leg(Num a) { return __ventus_root(times(minus(NUM_ONE, a), plus(NUM_ONE, a))); }

/* the angle whose sine is |x| < 1 */
static Num arc_sine(ulong a) { return a ? __ventus_angle(num_of(a), other_leg(num_of(a))) : (Num){0, 0}; }

static Num arc_cosine(double x)
{
    const ulong a = magnitude_of(x);
    const Num r = a ? __ventus_angle(other_leg(num_of(a)), num_of(a)) : NUM_PI_2;
    return sign_of(x) && a ? minus(NUM_PI, r) : r;
}

#define ONE_BITS ((ulong)0x3ff << 52)

double OVL asin(double x)
{
    const ulong a = magnitude_of(x);
    if (a >= ONE_BITS)
        return a == ONE_BITS ? rounded(sign_of(x), NUM_PI_2) : nan_result();
    return rounded_or_0(sign_of(x), arc_sine(a));
}

double OVL asinpi(double x)
{
    const ulong a = magnitude_of(x);
    if (a >= ONE_BITS)
        return a == ONE_BITS ? signed_result(sign_of(x), (ulong)0x3fe << 52) : nan_result();
    const Num r = arc_sine(a);
    return r.m ? rounded(sign_of(x), times(r, NUM_1_PI)) : x;
}

double OVL acos(double x)
{
    const ulong a = magnitude_of(x);
    if (a >= ONE_BITS)
        return a > ONE_BITS ? nan_result() : sign_of(x) ? rounded(0, NUM_PI) : 0.0;
    return rounded(0, arc_cosine(x));
}

double OVL acospi(double x)
{
    const ulong a = magnitude_of(x);
    if (a >= ONE_BITS)
        return a > ONE_BITS ? nan_result() : sign_of(x) ? 1.0 : 0.0;
    return rounded(0, times(arc_cosine(x), NUM_1_PI));
}

EACH1(sin) EACH1(cos) EACH1(tan) EACH1(sinpi) EACH1(cospi) EACH1(tanpi) OUT1(double, sincos, double, double)
EACH1(asin) EACH1(acos) EACH1(asinpi) EACH1(acospi) EACH1(atan) EACH1(atanpi) EACH2(atan2) EACH2(atan2pi)
