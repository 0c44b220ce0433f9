/* half (test/cc/half.cl) against numbers that the host computes in double or in integers and rounds
 * once.
 *
 * Results of functions that are not correctly rounded are compared as floats, where a half's last
 * place is 8192 units of a float's: the nearest half, or the one beside it where the true value
 * lies between.  lgamma, of which the standard asks nothing, may be a denormal half's last place
 * off near its zeros.
 */
#include "test/kit/oclkit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 Wide;

enum { NEAREST, TO_ZERO, UP, DOWN };

static double value_of(u32 h)
{
    const u32 e = h >> 10 & 31, f = h & 0x3ff;
    const double a = e == 31 ? (f ? NAN : INFINITY)
                     : e     ? ldexp(0x400 | f, (int)e - 25)
                             : ldexp(f, -24);
    return h & 0x8000 ? -a : a;
}

/* the half that x rounds to, as bits */
static u16 rounded(double x, int mode)
{
    const u32 sign = signbit(x) ? 0x8000 : 0;
    const double a = fabs(x);
    if (isnan(x))
        return 0x7e00;
    if (isinf(x) || a == 0)
        return (u16)(sign | (a > 0 ? 0x7c00 : 0));
    const int e = ilogb(a) < -14 ? -14 : ilogb(a);
    const double units = ldexp(a, 10 - e); /* the last place is 2^(e - 10) */
    const bool away = mode == UP ? !sign : mode == DOWN ? sign : false;
    const double whole = mode == NEAREST ? rint(units) : away ? ceil(units) : floor(units);
    const double r = ldexp(whole, e - 10);
    if (r > 65504)
        return (u16)(sign | (mode == NEAREST || away ? 0x7c00 : 0x7bff));
    if (r < 0x1p-14)
        return (u16)(sign | (u32)ldexp(r, 24));
    const int place = ilogb(r);
    return (u16)(sign | (u32)(place + 15) << 10 | ((u32)ldexp(r, 10 - place) & 0x3ff));
}

static u16 nearest(double x) { return rounded(x, NEAREST); }

/* --- functions of one argument ----------------------------------------------------------- */

static void every(KitJob *job, double (*f)(double))
{
    float *out = A(0);
    EACH out[i] = (float)value_of(nearest(f(value_of(i))));
}

static double turn(double x, double (*f)(double)) { return f(x) / M_PI; }
static double acospi_(double x) { return turn(x, acos); }
static double asinpi_(double x) { return turn(x, asin); }
static double atanpi_(double x) { return turn(x, atan); }
static double exp10_(double x) { return pow(10, x); }
static double rsqrt_(double x) { return 1 / sqrt(x); }
static double degrees_(double x) { return x * (180 / M_PI); }
static double radians_(double x) { return x * (M_PI / 180); }
static double sign_(double x) { return isnan(x) ? 0 : x == 0 ? x : copysign(1, x); }

/* whole numbers and the middles between them exactly; the signs of zeros are those of the standard
 */
static double sinpi_(double x)
{
    const double y = remainder(x, 2), a = fabs(y);
    if (isinf(x) || isnan(x))
        return NAN;
    return x == rint(x) ? copysign(0, x) : copysign(sin(M_PI * fmin(a, 1 - a)), y);
}

static double cospi_(double x)
{
    const double d = 0.5 - fabs(remainder(x, 2));
    return d == 0 ? 0 : sin(M_PI * d);
}

static double tanpi_(double x) { return sinpi_(x) / cospi_(x); }

/* negative whole numbers have no value */
static double tgamma_(double x) { return x < 0 && x == rint(x) ? NAN : tgamma(x); }

#define EVERY(f, reference)                                                                        \
    REF(every_##f) { every(job, reference); }
EVERY(acos, acos)
EVERY(acosh, acosh)
EVERY(acospi, acospi_)
EVERY(asin, asin)
EVERY(asinh, asinh)
EVERY(asinpi, asinpi_)
EVERY(atan, atan)
EVERY(atanh, atanh)
EVERY(atanpi, atanpi_)
EVERY(cbrt, cbrt)
EVERY(ceil, ceil)
EVERY(cos, cos)
EVERY(cosh, cosh)
EVERY(cospi, cospi_)
EVERY(erf, erf)
EVERY(erfc, erfc)
EVERY(exp, exp)
EVERY(exp10, exp10_)
EVERY(exp2, exp2)
EVERY(expm1, expm1)
EVERY(fabs, fabs)
EVERY(floor, floor)
EVERY(lgamma, lgamma)
EVERY(log, log)
EVERY(log10, log10)
EVERY(log1p, log1p)
EVERY(log2, log2)
EVERY(logb, logb)
EVERY(rint, rint)
EVERY(round, round)
EVERY(rsqrt, rsqrt_)
EVERY(sin, sin)
EVERY(sinh, sinh)
EVERY(sinpi, sinpi_)
EVERY(sqrt, sqrt)
EVERY(tan, tan)
EVERY(tanh, tanh)
EVERY(tanpi, tanpi_)
EVERY(tgamma, tgamma_)
EVERY(trunc, trunc)
EVERY(degrees, degrees_)
EVERY(radians, radians_)
EVERY(sign, sign_)

/* --- arithmetic -------------------------------------------------------------------------- */

/* a b + c, exactly in units of 2^-48, rounded once */
static u16 fused(double a, double b, double c)
{
    if (!isfinite(a) || !isfinite(b) || !isfinite(c))
        return nearest(fma(a, b, c));
    const Wide product = (Wide)ldexp(a, 24) * (Wide)ldexp(b, 24);
    const Wide sum = product + ((Wide)ldexp(c, 24) << 24);
    if (!sum) {
        const bool minus = !signbit(a) != !signbit(b);
        return product || minus == !signbit(c) ? 0 : minus ? 0x8000 : 0;
    }
    const Wide m = sum < 0 ? -sum : sum;
    int top = 0;
    while (m >> top > 1)
        top++;
    /* one bit more than a double needs says whether there is something below */
    const int drop = top > 40 ? top - 40 : 0;
    const Wide kept = m >> drop << 1 | (m & (((Wide)1 << drop) - 1) ? 1 : 0);
    const double x = ldexp((double)kept, drop - 1 - 48);
    return nearest(sum < 0 ? -x : x);
}

REF(arithmetic)
{
    const u16 *x = A(0), *y = A(1), *z = A(2);
    u16 *out = A(3);
    EACH
    {
        const double a = value_of(x[i]), b = value_of(y[i]), c = value_of(z[i]);
        const u16 o[10] = {nearest(a + b),      nearest(a - b),  nearest(a * b), nearest(a / b),
                           fused(a, b, c),      fused(a, b, -a), nearest(-a),    nearest(sqrt(c)),
                           nearest(fmod(a, b)), nearest(a + 1.5)};
        memcpy(out + (size_t)10 * i, o, sizeof o);
    }
}

REF(near)
{
    const u16 *x = A(0), *y = A(1);
    u16 *out = A(2);
    EACH
    {
        const double a = value_of((x[i] & 0x83ffu) | (0x3800u + (x[i] >> 3 & 0xc00u)));
        const double b = value_of((y[i] & 0x83ffu) | (0x3800u + (y[i] >> 3 & 0xc00u)));
        const u16 o[6] = {nearest(a + b),       nearest(a * b),
                          nearest(a / b),       fused(a, b, -value_of((x[i] & 0x3ffu) | 0x3800)),
                          fused(a, b, 0x1p-20), fused(a, b, value_of(y[i] & 0x83ffu))};
        memcpy(out + (size_t)6 * i, o, sizeof o);
    }
}

REF(compares)
{
    const u16 *x = A(0), *y = A(1);
    u32 *out = A(2);
    EACH
    {
        const double a = value_of(i % 3 ? x[i] : y[i]), b = value_of(y[i]);
        const bool test[14] = {a<b, a <= b, a> b,
                               a >= b,
                               a == b,
                               a != b,
                               !isnan(a) && !isnan(b),
                               isnan(a),
                               isinf(a),
                               isfinite(a),
                               isfinite(a) && fabs(a) >= 0x1p-14,
                               signbit(a),
                               a < b || a > b,
                               a != 0};
        out[i] = 0;
        for (u32 k = 0; k < 14; k++)
            out[i] |= (u32)test[k] << k;
    }
}

static u16 next_to(u16 x, double a, double b)
{
    if (isnan(a) || isnan(b))
        return 0x7e00;
    if (a == b)
        return nearest(b);
    if (a == 0)
        return b < 0 ? 0x8001 : 1;
    return (u16)((a < b) == (a > 0) ? x + 1 : x - 1);
}

REF(functions_of_two)
{
    const u16 *x = A(0), *y = A(1);
    u16 *out = A(2);
    float *about = A(3);
    EACH
    {
        const double a = value_of(x[i]), b = value_of(y[i]);
        const double p = pow(fabs(a), b);
        const bool undefined = isnan(a) || isnan(b) || (a == 0 && b == 0) ||
                               (fabs(a) == 1 && isinf(b)) || (isinf(a) && b == 0);
        const u16 o[7] = {nearest(fmax(a, b) + 0.0),   nearest(fmin(a, b) + 0.0),
                          nearest(copysign(a, b)),     next_to(x[i], a, b),
                          nearest(a <= b ? 0 : a - b), nearest(ldexp(a, (i16)y[i] % 30)),
                          nearest(remainder(a, b))};
        const double r[4] = {hypot(a, b), atan2(a, b), pow(a, b), undefined ? NAN : p};
        memcpy(out + (size_t)7 * i, o, sizeof o);
        for (u32 k = 0; k < 4; k++)
            about[4 * i + k] = (float)value_of(nearest(r[k]));
    }
}

REF(two_results)
{
    const u16 *x = A(0), *y = A(1);
    i32 *out = A(2);
    EACH
    {
        const double a = value_of(x[i]), b = value_of(y[i]);
        double whole;
        int e = 0, q = 0;
        const u32 part = nearest(modf(a, &whole));
        const double rest = a == 0 || isnan(a) ? a
                            : isinf(a)         ? copysign(0, a)
                                               : fmin(a - floor(a), 0x1.ffcp-1);
        const u16 fraction = nearest(frexp(a, &e)), left = nearest(remquo(a, b, &q));
        i32 *o = out + (size_t)8 * i;
        o[0] = (i32)(part | (u32)nearest(whole) << 16);
        o[1] = (i32)(nearest(rest) | (u32)nearest(floor(a)) << 16);
        o[2] = fraction;
        o[3] = isfinite(a) ? e : 0;
        o[4] = left;
        o[5] = isfinite(a) && isfinite(b) && b != 0 ? abs(q) & 7 : 0;
        o[6] = a == 0 ? INT32_MIN : !isfinite(a) ? INT32_MAX : ilogb(a);
        o[7] = 1;
    }
}

/* --- conversions ------------------------------------------------------------------------- */

static void put_all(u16 *o, double x)
{
    static const int modes[6] = {NEAREST, NEAREST, NEAREST, TO_ZERO, UP, DOWN};
    for (u32 k = 0; k < 6; k++)
        o[k] = rounded(x, modes[k]);
}

#define FROM(name, T, X)                                                                           \
    REF(from_##name)                                                                               \
    {                                                                                              \
        const T *x = A(0);                                                                         \
        u16 *out = A(1);                                                                           \
        EACH put_all(out + (size_t)6 * i, X);                                                      \
    }
FROM(float, float, (double)x[i])
FROM(double, double, x[i])
FROM(int, i32, x[i])
FROM(uint, u32, x[i])
FROM(short, i16, x[i])
/* the double is inexact only where all halves are far away */
FROM(long, i64, (double)x[i])

static i64 within(double x, double low, double high)
{
    return isnan(x) ? 0 : x <= low ? (i64)low : x >= high ? (i64)high : (i64)x;
}

REF(to_others)
{
    const u16 *x = A(0);
    i32 *out = A(1);
    EACH
    {
        const double h = value_of(x[i]), n = isfinite(h) ? h : 0, p = ceil(h);
        const float f = (float)n;
        i32 *o = out + (size_t)12 * i;
        u64 d;
        o[0] = (i32)rint(n);
        o[1] = (i32)n;
        o[2] = (i32)ceil(n);
        o[3] = (i32)floor(n);
        o[4] = (i32)within(h, 0, 255);
        o[5] = (i32)within(rint(h), -128, 127);
        o[6] = (i32)within(floor(h), -32768, 32767);
        o[7] = (i32)within(h, 0, 4294967295.0);
        o[8] = isinf(h) ? (h > 0 ? -1 : 0) : (i32)((isnan(h) ? 0 : (i64)p) >> 1);
        memcpy(&o[9], &f, sizeof f);
        memcpy(&d, &n, sizeof d);
        o[10] = (i32)(d >> 32);
        o[11] = (fabs(h) < 100 ? (i32)h : 0) + (h >= 0 && h < 1000 ? (i32)h : 0);
    }
}

/* --- vectors ----------------------------------------------------------------------------- */

REF(vectors)
{
    const u16 *x = A(0);
    u16 *out = A(1);
    const double by = value_of(VALUE(u16, 2));
    EACH
    {
        double a[3], b[4], r[3];
        for (u32 k = 0; k < 3; k++)
            b[k] = 2 * (a[k] = x[3 * i + k] & 1023);
        b[3] = 2 * by;
        for (u32 k = 0; k < 3; k++) {
            r[k] = a[k] < by ? b[3 - k] : a[k];
            r[k] = (r[k] < by ? by : r[k]) - b[3 - k];
        }
        for (u32 k = 0; k < 3; k++)
            out[3 * i + k] = nearest(r[k]);
    }
}

REF(together)
{
    const u16 *x = A(0);
    u16 *out = A(1);
    EACH
    {
        const u32 n = job->local[0], first = i - i % n;
        u32 sum = 0, most = 0;
        for (u32 l = 0; l < n; l++)
            sum += x[first + l] & 7;
        for (u32 l = first; l <= i; l++)
            most = (x[l] & 7u) > most ? x[l] & 7u : most;
        out[3 * i] = nearest(sum);
        out[3 * i + 1] = nearest(most);
        out[3 * i + 2] = nearest(x[first + 3] & 7);
    }
}

#define ALL_HALVES(f, places) CASE(every_##f, "65536/128", "f65536" places)

static const KitCase cases[] = {
    ALL_HALVES(acos, "~8192"),
    ALL_HALVES(acosh, "~8192"),
    ALL_HALVES(acospi, "~8192"),
    ALL_HALVES(asin, "~8192"),
    ALL_HALVES(asinh, "~8192"),
    ALL_HALVES(asinpi, "~8192"),
    ALL_HALVES(atan, "~8192"),
    ALL_HALVES(atanh, "~8192"),
    ALL_HALVES(atanpi, "~8192"),
    ALL_HALVES(cbrt, "~8192"),
    ALL_HALVES(ceil, "~0"),
    ALL_HALVES(cos, "~8192"),
    ALL_HALVES(cosh, "~8192"),
    ALL_HALVES(cospi, "~8192"),
    ALL_HALVES(erf, "~8192"),
    ALL_HALVES(erfc, "~8192"),
    ALL_HALVES(exp, "~8192"),
    ALL_HALVES(exp10, "~8192"),
    ALL_HALVES(exp2, "~8192"),
    ALL_HALVES(expm1, "~8192"),
    ALL_HALVES(fabs, "~0"),
    ALL_HALVES(floor, "~0"),
    ALL_HALVES(lgamma, "~65536"),
    ALL_HALVES(log, "~8192"),
    ALL_HALVES(log10, "~8192"),
    ALL_HALVES(log1p, "~8192"),
    ALL_HALVES(log2, "~8192"),
    ALL_HALVES(logb, "~0"),
    ALL_HALVES(rint, "~0"),
    ALL_HALVES(round, "~0"),
    ALL_HALVES(rsqrt, "~8192"),
    ALL_HALVES(sin, "~8192"),
    ALL_HALVES(sinh, "~8192"),
    ALL_HALVES(sinpi, "~8192"),
    ALL_HALVES(sqrt, "~0"),
    ALL_HALVES(tan, "~8192"),
    ALL_HALVES(tanh, "~8192"),
    ALL_HALVES(tanpi, "~8192"),
    ALL_HALVES(tgamma, "~8192"),
    ALL_HALVES(trunc, "~0"),
    ALL_HALVES(degrees, "~8192"),
    ALL_HALVES(radians, "~8192"),
    ALL_HALVES(sign, "~0"),
    CASE(arithmetic, "4096/64", "h4096 h4096 h4096 h40960"),
    CASE(near, "4096/64", "h4096 h4096 h24576"),
    CASE(compares, "512/64", "h512 h512 w512"),
    CASE(functions_of_two, "1024/64", "h1024 h1024 h7168 f4096~8192"),
    CASE(two_results, "512/64", "h512 h512 w4096"),
    CASE(from_float, "256/64", "F256 h1536"),
    CASE(from_float, "256/64", "f256 h1536"),
    CASE(from_double, "256/64", "q256 h1536"),
    CASE(from_int, "256/64", "w256 h1536"),
    CASE(from_int, "256/64", "w256%70000 h1536"),
    CASE(from_uint, "256/64", "w256 h1536"),
    CASE(from_short, "256/64", "h256 h1536"),
    CASE(from_long, "256/64", "q256%200000 h1536"),
    CASE(from_long, "256/64", "q256 h1536"),
    CASE(to_others, "1024/64", "h1024 w12288"),
    CASE(vectors, "64/64", "h192 h192 =h23040"),
    CASE(together, "96/48", "h96 h288"),
};

int main(void) { return kit_main("half.cl", "-cl-std=CL3.0", cases, countof(cases)); }
