/* reference.h -- what functions of float and half should give, as functions of double. */
#ifndef TEST_ACCURACY_REFERENCE_H
#define TEST_ACCURACY_REFERENCE_H
#include <math.h>
#include <stdbool.h>

/* exact where the result is 0, 1/2 or 1, and near 0 at every zero; of a whole number it is a zero with that
 * number's sign (OpenCL C 3.0, "Additional Requirements Beyond C99 TC2"; IEEE 754-2019, 9.2.1) */
static inline double ref_sinpi(double x)
{
    if (isfinite(x) && x == rint(x))
        return copysign(0.0, x);
    double y = remainder(x, 2.0), a = fabs(y), s = sin(M_PI * fmin(a, 1 - a));
    return y != y ? NAN : copysign(s, y);
}

static inline double ref_cospi(double x)
{
    double d = 0.5 - fabs(remainder(x, 2.0));
    return d == 0 ? 0.0 : sin(M_PI * d);
}

static inline double ref_tanpi(double x) { return ref_sinpi(x) / ref_cospi(x); }
static inline double ref_acospi(double x) { return acos(x) / M_PI; }
static inline double ref_asinpi(double x) { return asin(x) / M_PI; }
static inline double ref_atanpi(double x) { return atan(x) / M_PI; }
static inline double ref_atan2pi(double y, double x) { return atan2(y, x) / M_PI; }
static inline double ref_degrees(double x) { return x * (180 / M_PI); }
static inline double ref_radians(double x) { return x * (M_PI / 180); }
static inline double ref_recip(double x) { return 1 / x; }
static inline double ref_rsqrt(double x) { return 1 / sqrt(x); }
static inline double ref_divide(double x, double y) { return x / y; }
static inline double ref_maxmag(double x, double y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); }
static inline double ref_minmag(double x, double y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); }
static inline double ref_ldexp(double x, int n) { return ldexp(x, n); }
static inline double ref_pown(double x, int n) { return pow(x, n); }

static inline double ref_powr(double x, double y)
{
    bool undefined = x != x || y != y || x < 0 || (x == 0 && y == 0) || (x == 1 && isinf(y)) || (isinf(x) && y == 0);
    return undefined ? NAN : pow(fabs(x), y);
}

static inline double ref_rootn(double x, int n)
{
    if (n == 0 || (x < 0 && !(n & 1)))
        return NAN;
    double r = pow(fabs(x), 1.0 / n);
    return n & 1 ? copysign(r, x) : r;
}

/* negative whole numbers have no value */
static inline double ref_tgamma(double x) { return x < 0 && x == rint(x) ? NAN : tgamma(x); }
#endif
