/* double_special.cl -- error functions and the gamma function of binary64 (double_core.h). */
#include "double_core.h"

/* --- error functions ---------------------------------------------------------------------------- */

/* erf(x) / x in Q61 from z = x^2 <= 1, half of it in Q64 */
static ulong erf_factor(ulong z)
{
    const long r = (long)(z >> 1);
    long p = -0x14b1848L;
    STEP2(0xb6feb3dL);
    STEP2(-0x2dba5795L);
    STEP2(0x6cde0e13L);
    STEP2(-0xa301179aL);
    STEP2(0x1e28b909L);
    STEP2(0x74f62e11fL);
    STEP2(-0x5779d8808eL);
    STEP2(0x373a1224bc7L);
    STEP2(-0x1f4d1721fb39L);
    STEP2(0xfcd190005316L);
    STEP2(-0x700b6cf6b1f46L);
    STEP2(0x2acb79a1bc45b7L);
    STEP2(-0xdc167189432122L);
    STEP2(0x39c5e4340856f60L);
    STEP2(-0xc093a3581bcf322L);
    STEP2(0x241baea08536da23L);
    return (ulong)p;
}

static Num erf_near_0(Num x)
{
    const ulong f = fraction(x);
    return times(x, normal(erf_factor(mul_hi(f, f)), 2));
}

/* erfc(v) e^(v^2) (1 + 2 v) in Q62 for v from 0.9 to 27.4, with (v - 4) / (v + 4) in Q63 */
static ulong erfc_factor(long r)
{
    long p = 0x43ed77cb4L;
    STEP2(-0xc0c59c09aL);
    STEP2(-0x1919badd1cL);
    STEP2(0x72f6fda5bfL);
    STEP2(0x56d4ccad9bL);
    STEP2(-0x3743ea5780eL);
    STEP2(0x1370c529bd5L);
    STEP2(0x17f1db95ae7fL);
    STEP2(-0x2f0fb4774f42L);
    STEP2(-0x6656272f0cbbL);
    STEP2(0x277c048a4015eL);
    STEP2(-0x343be5179a831L);
    STEP2(-0xc6a54c83ddc40L);
    STEP2(0x52719ca238899fL);
    STEP2(-0x109623885ab3fe9L);
    STEP2(0x260f3dbecfa5475L);
    STEP2(-0x43ec1b7f91dd420L);
    STEP2(0x5ffb8013849b6c3L);
    STEP2(-0x6776c8f0fa45e5fL);
    STEP2(0x45bb3bf3e94e39eL);
    STEP2(0xfbfaefb37ebe13L);
    STEP2(-0x8ef8d68aa514722L);
    STEP2(0x4ee9645ba7f5fb2bL);
    return (ulong)p;
}

static Num erfc_far(ulong a)
{
    const Num v = num_of(a), four = {D_SIGN, 2};
    const bool below = less(v, four);
    const Num up = plus(v, four);
    long t = 0;
    if (v.m != D_SIGN || v.e != 2)
        t = (long)(fraction(over(below ? minus(four, v) : minus(v, four), up)) >> 1);
    /* v^2, exact to 2^-64: v in Q58 */
    const ulong q = ((a & (D_ONE - 1)) | D_ONE) << (6 + v.e);
    const ulong high = mul_hi(q, q), low = q * q;
    const Fixed square = {(long)(high >> 52), high << 12 | low >> 52};
    const Num e = __ventus_exp_fixed(fixed_minus(square));
    return over(times(e, normal(erfc_factor(below ? -t : t), 1)), plus(NUM_ONE, twice(v)));
}

#define FAR ((ulong)0x3feccccccccccccd)   /* 0.9 */

double OVL erf(double x)
{
    const ulong a = magnitude_of(x);
    if (a > D_INF || !a)
        return a ? nan_result() : x;
    if (a >= (ulong)0x4018 << 48) /* 6 */
        return signed_result(sign_of(x), (ulong)0x3ff << 52);
    return rounded(sign_of(x), a < FAR ? erf_near_0(num_of(a)) : minus(NUM_ONE, erfc_far(a)));
}

double OVL erfc(double x)
{
    const ulong a = magnitude_of(x);
    const bool negative = sign_of(x) != 0;
    if (a > D_INF)
        return nan_result();
    if (a >= (ulong)0x403b8 << 44) /* 27.5 */
        return negative ? 2.0 : 0.0;
    if (a >= FAR)
        return rounded(0, negative ? minus(twice(NUM_ONE), erfc_far(a)) : erfc_far(a));
    if (!a)
        return 1.0;
    const Num e = erf_near_0(num_of(a));
    return rounded(0, e.e < -70 ? NUM_ONE : negative ? plus(NUM_ONE, e) : minus(NUM_ONE, e));
}

/* --- the gamma function ---------------------------------------------------------------------------- */

/* log of gamma(a) / sqrt(2 pi) by Stirling's series, for a >= 16: (a - 1/2) log a - a + what the series
 * 1/(12 a) - 1/(360 a^3) + 1/(1260 a^5) - ... adds */
static Num stirling(Num a)
{
    bool negative;
    const Num w = over(NUM_ONE, a);
    const ulong f = fraction(w);
    const long r = (long)mul_hi(f, f);
    long p = -0x1f6ab0d9993c7dL;
    STEP(0xdca8f158c7f92L);
    STEP(-0x9c09c09c09c0aL);
    STEP(0xd00d00d00d00dL);
    STEP(-0x2d82d82d82d82eL);
    STEP(0x555555555555555L);
    const Num half_ = {D_SIGN, -1}, l = __ventus_log_num(a, (__private bool *)&negative);
    const Num product = times(a.e > 64 ? a : minus(a, half_), l);
    return plus(minus(product, a), times(w, normal((ulong)p, 1)));
}

/* e^x for 0 < x < 2^20 */
static Num exp_num(Num x)
{
    const Fixed f = {x.e >= 0 ? (long)(x.m >> (63 - x.e)) : 0, x.e >= 0 ? x.m << 1 << x.e : fraction(x)};
    return __ventus_exp_fixed(f);
}

/* upward to 16 and back by factors; a < 200 */
Num __ventus_gamma_num(Num a)
{
    Num up = NUM_ONE;
    while (a.e < 4) {
        up = times(up, a);
        a = plus(a, NUM_ONE);
    }
    return over(times(exp_num(stirling(a)), NUM_SQRT_2PI), up);
}

static bool is_whole(ulong a)
{
    const int e = (int)exponent(a) - 1023;
    return e >= 0 && (e >= 52 || !(a << 12 << e));
}

/* gamma(-a) = -pi / (a sin(pi a) gamma(a)) */
double OVL tgamma(double x)
{
    const ulong a = magnitude_of(x);
    bool below;
    if (a >= D_INF)
        return a == D_INF && !sign_of(x) ? x : nan_result();
    if (!a)
        return signed_result(sign_of(x), D_INF);
    if (!sign_of(x))
        return a >= (ulong)0x4066 << 48 ? signed_result(0, D_INF) : rounded(0, __ventus_gamma_num(num_of(a)));
    if (is_whole(a))
        return nan_result();
    const Num s = __ventus_sinpi_num(a, (__private bool *)&below);
    const ulong sign = below ? 0 : D_SIGN;
    if (a >= (ulong)0x40678 << 44) /* 188 */
        return signed_result(sign, 0);
    return rounded(sign, over(NUM_PI, times(times(num_of(a), s), __ventus_gamma_num(num_of(a)))));
}

/* log of gamma(a) for a > 0 and finite */
static double log_gamma(ulong a)
{
    bool negative = false;
    Num l = num_of(a);
    if (l.m == D_SIGN && (l.e == 0 || l.e == 1))
        return 0.0;
    if (l.e < 4) {
        l = __ventus_gamma_num(l);
        if (l.m == D_SIGN && !l.e)
            return 0.0;
        l = __ventus_log_num(l, (__private bool *)&negative);
    } else {
        l = plus(stirling(l), (Num){0xeb3f8e4325f5a535, -1}); /* log(2 pi) / 2 */
    }
    return rounded(negative ? D_SIGN : 0, l);
}

/* log |gamma(-a)| = log(pi / (a |sin(pi a)|)) - log gamma(a) */
double OVL lgamma_r(double x, __private int *sign)
{
    const ulong a = magnitude_of(x);
    bool below, negative;
    *sign = 1;
    if (a >= D_INF || !a) {
        *sign = !a && sign_of(x) ? -1 : 1;
        return a > D_INF ? nan_result() : signed_result(0, D_INF);
    }
    if (!sign_of(x))
        return log_gamma(a);
    if (is_whole(a))
        return signed_result(0, D_INF);
    const Num s = __ventus_sinpi_num(a, (__private bool *)&below);
    *sign = below ? 1 : -1;
    const Num q = over(NUM_PI, times(num_of(a), s));
    const Num l = __ventus_log_num(q, (__private bool *)&negative);
    return (q.m == D_SIGN && !q.e ? 0.0 : rounded(negative ? D_SIGN : 0, l)) - log_gamma(a);
}

double OVL lgamma(double x)
{
    int sign;
    return lgamma_r(x, (__private int *)&sign);
}

EACH1(erf) EACH1(erfc) EACH1(tgamma) EACH1(lgamma) OUT1(double, lgamma_r, double, int)
