/* double_exp.cl -- exponentials, logarithms and powers of binary64 (double_core.h). */
#include "double_core.h"
#include "double_tables.h"

Num __ventus_root(Num a)
{
    /* X = a.m / 2^63 or a.m / 2^62, whichever leaves an even exponent */
    const bool odd = a.e & 1;
    const ulong m = a.m >> (odd ? 1 : 2);
    const ulong s = mul_hi(a.m, __ventus_inverse_root(m)); /* sqrt(X) in Q62 or Q61 */
    return normal(s, (a.e >> 1) + (odd ? 2 : 1));
}

/* --- exponentials --------------------------------------------------------------------------- */

Fixed __ventus_fixed(ulong bits)
{
    const int e = (int)exponent(bits) - 1023;
    const ulong m = (bits & (D_ONE - 1)) | D_ONE;
    const int up = 12 + e; /* from units of 2^(e - 52) to Q64 */
    Fixed r = {0, 0};
    if (up >= 0)
        r = (Fixed){up ? (long)(m >> (64 - up)) : 0, m << up};
    else if (up > -64)
        r.low = m >> -up;
    return bits & D_SIGN ? fixed_minus(r) : r;
}

/* e^(r / 2^64) in Q62 for |r / 2^64| <= 0.3475 */
static ulong exp_near_0(long r)
{
    long p = 0x23f3dad51L;
    STEP(0x1af79692c4L);
    STEP(0x127e4be4d34L);
    STEP(0xb8eef36aee1L);
    STEP(0x6806806d3ed1L);
    STEP(0x34034037075adL);
    STEP(0x16c16c16c13211L);
    STEP(0x8888888886d787L);
    STEP(0x2aaaaaaaaaaabd5L);
    STEP(0xaaaaaaaaaaab125L);
    STEP(0x1ffffffffffffffeL);
    STEP(0x3ffffffffffffff9L);
    STEP(0x4000000000000000L);
    return (ulong)p;
}

static Num exp_times(long r, int n)
{
    return normal(exp_near_0(r), n + 1);
}

/* x = n log 2 + r */
Num __ventus_exp_fixed(Fixed x)
{
    const int n = __ventus_ftoi_rne(float_of(x) * M_LOG2E_F);
    /* n log 2 with 96 bits after the binary point, of which only the fraction counts */
    const long r = (long)(x.low - (ulong)(long)n * 0xb17217f7d1cf79ab - (ulong)((long)n * 0xc9e3b398 >> 32));
    return exp_times(r, n);
}

Num __ventus_exp2_fixed(Fixed x)
{
    const int n = (int)x.whole + (int)(x.low >> 63);
    return exp_times(mul_hi((long)x.low, (long)0x58b90bfbe8e7bcd6) << 1, n);
}

/* 10^x: x = n log10(2) + r, and r log(10) */
static Num exp10_fixed(Fixed x)
{
    const int n = __ventus_ftoi_rne(float_of(x) * 0x1.a934fp1f);
    const long r = (long)(x.low - (ulong)(long)n * 0x4d104d427de7fbcc - (ulong)((long)n * 0x47c4acd6 >> 32));
    return exp_times(mul_hi(r, (long)0x49aec6eed554560b) << 3, n);
}

/* Beyond |x| = 2000 every exponential is 0 or infinite; below 2^-60 it is 1. */
#define EXPONENTIAL(name, core) \
    double OVL name(double x) \
    { \
        const ulong a = magnitude_of(x); \
        if (a > D_INF) \
            return nan_result(); \
        if (a >= (ulong)0x409f4 << 44) \
            return sign_of(x) ? 0.0 : signed_result(0, D_INF); \
        return rounded(0, core(__ventus_fixed(bits_of(x)))); \
    } \
    EACH1(name)
EXPONENTIAL(exp, __ventus_exp_fixed)
EXPONENTIAL(exp2, __ventus_exp2_fixed)
EXPONENTIAL(exp10, exp10_fixed)

/* (e^x - 1) / x in Q62 for |x| <= 1/2, r = x in Q64 */
static ulong expm1_near_0(long r)
{
    long p = 0x32a7973L;
    STEP(0x2c534c8cL);
    STEP(0x23dd9d4e4L);
    STEP(0x1ae63586f4L);
    STEP(0x127e4fbb892L);
    STEP(0xb8ef1d5538dL);
    STEP(0x68068067ffbcL);
    STEP(0x34034033ffa4fL);
    STEP(0x16c16c16c16c6fL);
    STEP(0x88888888888accL);
    STEP(0x2aaaaaaaaaaaaa9L);
    STEP(0xaaaaaaaaaaaaaa3L);
    STEP(0x2000000000000000L);
    STEP(0x4000000000000000L);
    return (ulong)p;
}

double OVL expm1(double x)
{
    const ulong a = magnitude_of(x), s = sign_of(x);
    if (a > D_INF)
        return nan_result();
    if (a < (ulong)0x3fe << 52) {
        if (!a)
            return x;
        const Num r = num_of(a);
        const ulong f = fraction(r);
        return rounded(s, times(r, normal(expm1_near_0(s ? -(long)f : (long)f), 1)));
    }
    if (a >= (ulong)0x409f4 << 44)
        return s ? -1.0 : signed_result(0, D_INF);
    const Num e = __ventus_exp_fixed(__ventus_fixed(bits_of(x)));
    if (s)
        return rounded(s, e.e < -70 ? NUM_ONE : minus(NUM_ONE, e));
    return rounded(0, e.e > 70 ? e : minus(e, NUM_ONE));
}
EACH1(expm1)

/* --- logarithms --------------------------------------------------------------------------------- */

/* log(1 + r) / r in Q62 for |r| < 0.0079 in Q64 */
static ulong log1p_near_0(long r)
{
    long p = -0x80038d16ab6504fL;
    STEP(0x924ca61ee3d49d5L);
    STEP(-0xaaaaaaa0b5dabe5L);
    STEP(0xccccccc46f4a34eL);
    STEP(-0x10000000000089b8L);
    STEP(0x155555555555b093L);
    STEP(-0x2000000000000000L);
    STEP(0x4000000000000000L);
    return (ulong)p;
}

/* x = 2^k / c (1 + r) with c = 1 / (1 + j / 64) nearly: k log 2 - log c + log(1 + r), all in 128 bits of
 * which 116 are after the binary point. */
Num __ventus_log_num(Num x, __private bool *negative)
{
    const uint j = ((uint)(x.m >> 56) - 127) >> 1;
    const int k = x.e + (j >= 27);
    /* 1. r in Q70: 16 bits times 64, less 1 */
    const ulong c = RECIPROCAL[j] ? RECIPROCAL[j] : 0x10000;
    const ulong high = mul_hi(x.m, c << 47), low = x.m * (c << 47);
    const long r = (long)(high << 8 | low >> 56);
    /* 2. log(1 + r), Q132 */
    const long p = (long)log1p_near_0(r >> 6);
    const long ph = mul_hi(r, p);
    const ulong pl = (ulong)r * (ulong)p;
    /* 3. the sum, Q116 */
    ulong sl = pl >> 16 | (ulong)ph << 48;
    long sh = ph >> 16;
    const ulong tl = LOG_LOW[j];
    sl += tl;
    sh += (long)LOG_HIGH[j] + (sl < tl);
    const ulong size = (ulong)(k < 0 ? -(long)k : (long)k), l = 0x9abc9e3b39803f2f;
    ulong kl = size * l;
    long kh = (long)(size * 0xb17217f7d1cf7 + mul_hi(size, l));
    if (k < 0) {
        kh = ~kh + (kl == 0);
        kl = 0 - kl;
    }
    sl += kl;
    sh += kh + (sl < kl);
    /* 4. its leading bit */
    *negative = sh < 0;
    if (sh < 0) {
        sh = ~sh + (sl == 0);
        sl = 0 - sl;
    }
    if (!sh)
        return normal(sl | 1, -53);
    const int z = __builtin_clzl((ulong)sh);
    return (Num){(ulong)sh << z | sl >> 1 >> (63 - z), 11 - z};
}

/* of 0, negative numbers, infinity and NaN; a: the bits of x, in which a sign comes after all these */
static bool log_special(double x, __private double *result)
{
    const ulong bits = bits_of(x);
    *result = !(bits & D_ABS) ? signed_result(D_SIGN, D_INF) : bits == D_INF ? x : nan_result();
    return bits - 1 >= D_INF - 1;
}

#define LOGARITHM(name, of_log) \
    double OVL name(double x) \
    { \
        double r; \
        bool negative; \
        if (log_special(x, (__private double *)&r)) \
            return r; \
        if (x == 1.0) \
            return 0.0; \
        const Num l = __ventus_log_num(num_of(bits_of(x)), (__private bool *)&negative); \
        return rounded(negative ? D_SIGN : 0, of_log); \
    } \
    EACH1(name)
LOGARITHM(log, l)
LOGARITHM(log2, times(l, NUM_LOG2E))
LOGARITHM(log10, times(l, NUM_LOG10E))

double OVL log1p(double x)
{
    const ulong a = magnitude_of(x), s = sign_of(x);
    bool negative;
    if (a >= D_INF || (s && a >= (ulong)0x3ff << 52))
        return a == D_INF && !s ? x : a == (ulong)0x3ff << 52 ? signed_result(D_SIGN, D_INF) : nan_result();
    if (!a)
        return x;
    const Num r = num_of(a);
    if (r.e < -7) { /* near 0 */
        const long f = (long)fraction(r);
        return rounded(s, times(r, normal(log1p_near_0(s ? -f : f), 1)));
    }
    const Num u = s ? minus(NUM_ONE, r) : plus(NUM_ONE, r);
    const Num l = __ventus_log_num(u, (__private bool *)&negative);
    return rounded(s, l);
}
EACH1(log1p)

/* --- powers --------------------------------------------------------------------------------------- */

/* 2^(t or -t); too large for any double where it is beyond 2^12 */
static double exp2_rounded(ulong sign, Num t, bool negative)
{
    if (t.e >= 12)
        return signed_result(sign, negative ? 0 : D_INF);
    /* t in Q64, an integer part of twelve bits at most */
    Fixed x = {t.e >= 0 ? (long)(t.m >> (63 - t.e)) : 0, t.e >= 0 ? t.m << 1 << t.e : fraction(t)};
    return rounded(sign, __ventus_exp2_fixed(negative ? fixed_minus(x) : x));
}

static bool is_whole(ulong a) /* of a finite number */
{
    const int e = (int)exponent(a) - 1023;
    return !(a & D_ABS) || (e >= 0 && (e >= 52 || !(a << 12 << e)));
}
static bool is_odd(ulong a)
{
    const int e = (int)exponent(a) - 1023;
    return e >= 0 && e <= 52 && is_whole(a) && (((a & (D_ONE - 1)) | D_ONE) >> (52 - e) & 1);
}

/* |x|^y with the sign given, for x and y that are neither 0 nor infinite nor NaN */
static double power(ulong sign, ulong x, double y)
{
    bool negative;
    if (x == (ulong)0x3ff << 52)
        return signed_result(sign, x);
    const Num l = __ventus_log_num(num_of(x), (__private bool *)&negative);
    const Num t = times(times(l, NUM_LOG2E), num_of(magnitude_of(y)));
    return exp2_rounded(sign, t, negative != (sign_of(y) != 0));
}

/* 0^y or infinity^y */
static double limit_power(ulong sign, bool is_zero, bool y_negative)
{
    return signed_result(sign, is_zero != y_negative ? 0 : D_INF);
}

double OVL pow(double x, double y)
{
    const ulong a = magnitude_of(x), b = magnitude_of(y), one = (ulong)0x3ff << 52;
    if (!b || bits_of(x) == one)
        return 1.0;
    if (a > D_INF || b > D_INF)
        return nan_result();
    if (b == D_INF)
        return a == one ? 1.0 : signed_result(0, (a > one) == !sign_of(y) ? D_INF : 0);
    const ulong sign = sign_of(x) && is_odd(bits_of(y)) ? D_SIGN : 0;
    if (!a || a == D_INF)
        return limit_power(sign, !a, sign_of(y) != 0);
    if (sign_of(x) && !is_whole(bits_of(y)))
        return nan_result();
    return power(sign, a, y);
}

double OVL powr(double x, double y)
{
    const ulong a = magnitude_of(x), b = magnitude_of(y), one = (ulong)0x3ff << 52;
    if (a > D_INF || b > D_INF || (sign_of(x) && a))
        return nan_result();
    if (!b)
        return !a || a == D_INF ? nan_result() : 1.0;
    if (b == D_INF)
        return a == one ? nan_result() : signed_result(0, (a > one) == !sign_of(y) ? D_INF : 0);
    if (!a || a == D_INF)
        return limit_power(0, !a, sign_of(y) != 0);
    return power(0, a, y);
}

double OVL pown(double x, int n)
{
    const ulong a = magnitude_of(x), sign = sign_of(x) && (n & 1) ? D_SIGN : 0;
    if (!n)
        return 1.0;
    if (a > D_INF)
        return nan_result();
    if (!a || a == D_INF)
        return limit_power(sign, !a, n < 0);
    return power(sign, a, (double)n);
}

double OVL rootn(double x, int n)
{
    const ulong a = magnitude_of(x), sign = sign_of(x);
    bool negative;
    if (!n || a > D_INF || (sign && a && !(n & 1)))
        return nan_result();
    if (!a || a == D_INF)
        return limit_power(n & 1 ? sign : 0, !a, n < 0);
    if (a == (ulong)0x3ff << 52)
        return x;
    const Num l = __ventus_log_num(num_of(a), (__private bool *)&negative);
    const uint size = n < 0 ? 0u - (uint)n : (uint)n;
    const Num t = over(times(l, NUM_LOG2E), normal(size, 63));
    return exp2_rounded(sign, t, negative != (n < 0));
}

double OVL cbrt(double x)
{
    const ulong a = magnitude_of(x);
    bool negative;
    if (!a || a >= D_INF)
        return a > D_INF ? nan_result() : x;
    /* x = m 2^(3 q) with m from 1 up to 8 */
    const Num r = num_of(a);
    const int q = (r.e + 3072) / 3 - 1024;
    const Num m = {r.m, r.e - 3 * q};
    if (m.m == D_SIGN && m.e == 0)
        return rounded(sign_of(x), (Num){D_SIGN, q});
    const Num l = __ventus_log_num(m, (__private bool *)&negative);
    const Num t = over(times(l, NUM_LOG2E), normal(3, 63));
    const Fixed f = {t.e >= 0 ? (long)(t.m >> (63 - t.e)) : 0, t.e >= 0 ? t.m << 1 << t.e : fraction(t)};
    const Num root = __ventus_exp2_fixed(f);
    return rounded(sign_of(x), (Num){root.m, root.e + q});
}

double OVL rsqrt(double x)
{
    const ulong a = magnitude_of(x);
    if (!a)
        return signed_result(sign_of(x), D_INF);
    if (sign_of(x) || a > D_INF)
        return nan_result();
    return a == D_INF ? 0.0 : rounded(0, over(NUM_ONE, __ventus_root(num_of(a))));
}

double OVL hypot(double x, double y)
{
    const ulong a = magnitude_of(x), b = magnitude_of(y);
    if (a == D_INF || b == D_INF)
        return signed_result(0, D_INF);
    if (a > D_INF || b > D_INF)
        return nan_result();
    if (!a || !b)
        return signed_result(0, a | b);
    const Num p = num_of(a), q = num_of(b);
    return rounded(0, __ventus_root(plus(times(p, p), times(q, q))));
}

EACH2(pow) EACH2(powr) VECTOR2(double, pown, double, int) VECTOR2(double, rootn, double, int)
EACH1(cbrt) EACH1(rsqrt) EACH2(hypot)

/* --- hyperbolic functions -------------------------------------------------------------------------- */

/* sinh(x) / x and cosh(x) in Q61 for x^2 <= 1 in Q64 */
static ulong sinh_near_0(ulong z)
{
    const long r = (long)(z >> 1); /* Q63: half as far, and the steps double */
    long p = 0x1a07L;
    STEP2(0x1ae5ddL);
    STEP2(0x1612490fL);
    STEP2(0xd7322b1a5L);
    STEP2(0x5c778e956bbL);
    STEP2(0x1a01a01a019c1L);
    STEP2(0x4444444444444cL);
    STEP2(0x555555555555555L);
    STEP2(0x2000000000000000L);
    return (ulong)p;
}

static ulong cosh_near_0(ulong z)
{
    const long r = (long)(z >> 1);
    long p = 0x1afdeL;
    STEP2(0x1939e16L);
    STEP2(0x11eed7ea5L);
    STEP2(0x93f27dcafcL);
    STEP2(0x34034033fc13L);
    STEP2(0xb60b60b60b7ccL);
    STEP2(0x155555555555522L);
    STEP2(0x1000000000000002L);
    STEP2(0x2000000000000000L);
    return (ulong)p;
}

/* e^|x| / 2 and e^-|x| / 2, for |x| from 1 to 2000 */
static Num half_exp_of(ulong a, bool negative)
{
    const Fixed f = __ventus_fixed(a);
    const Num e = __ventus_exp_fixed(negative ? fixed_minus(f) : f);
    return (Num){e.m, e.e - 1};
}

double OVL sinh(double x)
{
    const ulong a = magnitude_of(x), s = sign_of(x);
    if (a >= (ulong)0x409f4 << 44 || !a)
        return a > D_INF ? nan_result() : a ? signed_result(s, D_INF) : x;
    if (a < (ulong)0x3ff << 52) {
        const Num r = num_of(a);
        return rounded(s, times(r, normal(sinh_near_0(square_of(r)), 2)));
    }
    const Num up = half_exp_of(a, false);
    return rounded(s, up.e > 35 ? up : minus(up, half_exp_of(a, true)));
}

double OVL cosh(double x)
{
    const ulong a = magnitude_of(x);
    if (a >= (ulong)0x409f4 << 44 || !a)
        return a > D_INF ? nan_result() : a ? signed_result(0, D_INF) : 1.0;
    if (a < (ulong)0x3ff << 52)
        return rounded(0, normal(cosh_near_0(square_of(num_of(a))), 2));
    const Num up = half_exp_of(a, false);
    return rounded(0, up.e > 35 ? up : plus(up, half_exp_of(a, true)));
}

double OVL tanh(double x)
{
    const ulong a = magnitude_of(x), s = sign_of(x);
    if (a >= (ulong)0x403e << 48 || !a) /* from 30 on it is 1 */
        return a > D_INF ? nan_result() : a ? signed_result(s, (ulong)0x3ff << 52) : x;
    if (a < (ulong)0x3ff << 52) {
        const Num r = num_of(a);
        const ulong z = square_of(r);
        const Num sh = times(r, normal(sinh_near_0(z), 2));
        return rounded(s, over(sh, normal(cosh_near_0(z), 2)));
    }
    const Num up = half_exp_of(a, false), down = half_exp_of(a, true);
    return rounded(s, over(minus(up, down), plus(up, down)));
}

/* log(1 + t) for t > 0 */
static Num log1p_num(Num t)
{
    bool negative;
    if (t.e < -7)
        return times(t, normal(log1p_near_0((long)fraction(t)), 1));
    return __ventus_log_num(plus(NUM_ONE, t), (__private bool *)&negative);
}

/* log(1 + t) with t = a + a^2 / (1 + sqrt(1 + a^2)) */
double OVL asinh(double x)
{
    const ulong a = magnitude_of(x);
    if (a >= D_INF || !a)
        return a > D_INF ? nan_result() : x;
    const Num r = num_of(a), z = times(r, r);
    const Num root = r.e > 64 ? r : __ventus_root(plus(NUM_ONE, z));
    return rounded(sign_of(x), log1p_num(plus(r, over(z, plus(NUM_ONE, root)))));
}

/* log(1 + t) with t = d + sqrt(d (d + 2)), d = x - 1 */
double OVL acosh(double x)
{
    const ulong a = bits_of(x);
    if (a - ((ulong)0x3ff << 52) >= D_INF - ((ulong)0x3ff << 52))
        return a == D_INF ? x : nan_result();
    if (a == (ulong)0x3ff << 52)
        return 0.0;
    const Num r = num_of(a), d = r.e > 70 ? r : minus(r, NUM_ONE);
    return rounded(0, log1p_num(plus(d, __ventus_root(times(d, plus(d, twice(NUM_ONE)))))));
}

/* log(1 + 2 a / (1 - a)) / 2 */
double OVL atanh(double x)
{
    const ulong a = magnitude_of(x), one = (ulong)0x3ff << 52;
    if (a >= one || !a)
        return a > one ? nan_result() : a ? signed_result(sign_of(x), D_INF) : x;
    const Num r = num_of(a);
    const Num l = log1p_num(over(twice(r), minus(NUM_ONE, r)));
    return rounded(sign_of(x), (Num){l.m, l.e - 1});
}

EACH1(sinh) EACH1(cosh) EACH1(tanh) EACH1(asinh) EACH1(acosh) EACH1(atanh)
