/* double_parts.cl -- functions that take doubles apart, compare them, round them to whole ones, or
 * need no approximation: what parts.cl and rounding.cl are for floats. */
#include "double.h"

double FLAT fabs(double x) { return __builtin_fabs(x); }
double FLAT copysign(double x, double y) { return __builtin_copysign(x, y); }
double FLAT fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
double FLAT mad(double a, double b, double c) { return __builtin_fma(a, b, c); }
double FLAT fmax(double x, double y) { return __builtin_fmax(x, y); }
double FLAT fmin(double x, double y) { return __builtin_fmin(x, y); }
double FLAT sqrt(double x) { return __builtin_sqrt(x); }
double FLAT fdim(double x, double y) { return x <= y ? 0.0 : x - y; }
double FLAT nan(ulong code) { return as_double(code | D_NAN); }

double FLAT floor(double x) { return __builtin_floor(x); }
double FLAT ceil(double x) { return __builtin_ceil(x); }
double FLAT trunc(double x) { return __builtin_trunc(x); }
double FLAT rint(double x) { return __builtin_rint(x); }
double FLAT round(double x) { return __builtin_round(x); }

double OVL maxmag(double x, double y)
{
    const ulong a = as_ulong(x) & D_ABS, b = as_ulong(y) & D_ABS;
    return a > D_INF || b > D_INF || a == b ? __builtin_fmax(x, y) : a > b ? x : y;
}

double OVL minmag(double x, double y)
{
    const ulong a = as_ulong(x) & D_ABS, b = as_ulong(y) & D_ABS;
    return a > D_INF || b > D_INF || a == b ? __builtin_fmin(x, y) : a < b ? x : y;
}

/* Doubles as integers in their order, of which -0 and 0 are one: one step up or down. */
double OVL nextafter(double x, double y)
{
    const long a = as_long(x), b = as_long(y);
    const long from = a < 0 ? LONG_MIN - a : a, to = b < 0 ? LONG_MIN - b : b;
    const long next = from + (from < to) - (from > to);
    const double r = next == 0 ? __builtin_copysign(0.0, x) : as_double(next < 0 ? LONG_MIN - next : next);

    if ((as_ulong(x) & D_ABS) > D_INF || (as_ulong(y) & D_ABS) > D_INF)
        return as_double(D_NAN);
    return from == to ? y : r;
}

/* below 1, also where a tiny negative x rounds x - floor(x) up; 0 for infinities */
double OVL fract(double x, __private double *whole)
{
    const double t = __builtin_floor(x), f = __builtin_fmin(x - t, 0x1.fffffffffffffp-1);
    const ulong a = as_ulong(x) & D_ABS;

    *whole = t;
    return a == D_INF ? __builtin_copysign(0.0, x) : !a || a > D_INF ? x : f;
}

double OVL modf(double x, __private double *whole)
{
    const double t = __builtin_trunc(x);

    *whole = t;
    return __builtin_copysign((as_ulong(x) & D_ABS) == D_INF ? 0.0 : x - t, x);
}

/* --- exponents ---------------------------------------------------------------------------- */

static bool no_exponent(ulong a) { return !a || a >= D_INF; }

/* the bits of a finite |x| that is not 0 as 52 bits of fraction; its biased exponent, which a denormal has
 * below 1 */
static ulong split(ulong a, __private int *e)
{
    const ulong low = a & (D_ONE - 1);
    *e = (int)(a >> 52);
    if (*e)
        return low;
    const int z = __builtin_clzl(low) - 11;
    *e = 1 - z;
    return low << z & (D_ONE - 1);
}

double OVL frexp(double x, __private int *exponent)
{
    const ulong bits = as_ulong(x), a = bits & D_ABS;
    int e;

    *exponent = 0;
    if (no_exponent(a))
        return x;
    const ulong low = split(a, (__private int *)&e);
    *exponent = e - 1022;
    return as_double((bits & D_SIGN) | (ulong)1022 << 52 | low);
}

int OVL ilogb(double x)
{
    const ulong a = as_ulong(x) & D_ABS;
    int e;

    if (no_exponent(a))
        return a ? a == D_INF ? INT_MAX : FP_ILOGBNAN : FP_ILOGB0;
    split(a, (__private int *)&e);
    return e - 1023;
}

double OVL logb(double x)
{
    const ulong a = as_ulong(x) & D_ABS;
    return no_exponent(a) ? as_double(a ? a : D_SIGN | D_INF) : (double)ilogb(x);
}

double OVL ldexp(double x, int n) { return as_double(__ventus_dscale(as_ulong(x), n)); }

/* --- division with a whole quotient ------------------------------------------------------------ */

/* |x| / |y| for finite numbers that are not 0: the remainder in units of y's last place, below y's
 * fraction *b; its exponent *exponent; the low bits of the quotient.  Eleven bits of it a round. */
static ulong divide(ulong x, ulong y, __private uint *quotient, __private ulong *b, __private int *exponent)
{
    int ex, ey;
    const ulong a = split(x, (__private int *)&ex) | D_ONE;
    *b = split(y, (__private int *)&ey) | D_ONE;
    int more = ex - ey;
    ulong r = more < 0 ? 0 : a;
    uint q = r >= *b;
    r -= q ? *b : 0;
    while (more > 0) {
        const int bits = more < 11 ? more : 11;
        r <<= bits;
        const ulong part = __ventus_udiv64(r, *b);
        q = q << bits | (uint)part;
        r -= part * *b;
        more -= bits;
    }
    *quotient = q;
    *exponent = ey;
    return r;
}

static double from_units(ulong units, int exponent)
{
    return as_double(__ventus_dscale(__ventus_u64tod(units), exponent - 1075));
}

double OVL fmod(double x, double y)
{
    const ulong a = as_ulong(x) & D_ABS, b = as_ulong(y) & D_ABS;
    uint q;
    ulong f;
    int e;

    if (!b || b > D_INF || a >= D_INF)
        return as_double(D_NAN);
    if (a < b)
        return x;
    const ulong r = divide(a, b, (__private uint *)&q, (__private ulong *)&f, (__private int *)&e);
    return __builtin_copysign(from_units(r, e), x);
}

/* To the nearest: |x| < |y| / 2 stays; the rest is |x| or |x| less |y|, whichever is smaller. */
double OVL remquo(double x, double y, __private int *quotient)
{
    const ulong a = as_ulong(x) & D_ABS, b = as_ulong(y) & D_ABS;
    double rest;
    uint q = 0;
    ulong f;
    int e;

    *quotient = 0;
    if (!b || b > D_INF || a >= D_INF)
        return as_double(D_NAN);
    if (b == D_INF || !a)
        return x;
    if (a < b) {
        const double p = as_double(a), d = as_double(b);
        const bool up = p > d - p;
        q = up;
        rest = up ? p - d : p;
    } else {
        const ulong r = divide(a, b, (__private uint *)&q, (__private ulong *)&f, (__private int *)&e);
        const bool up = 2 * r > f || (2 * r == f && (q & 1));
        q += up;
        rest = from_units(up ? f - r : r, e);
        rest = up ? -rest : rest;
    }
    *quotient = (as_long(x) ^ as_long(y)) < 0 ? -(int)(q & 0x7f) : (int)(q & 0x7f);
    return as_double(as_ulong(rest) ^ (as_ulong(x) & D_SIGN));
}

double OVL remainder(double x, double y)
{
    int q;
    return remquo(x, y, (__private int *)&q);
}

/* --- vectors -------------------------------------------------------------------------- */

#define ONE(f) VECTOR1(double, f, double)
#define TWO(f) VECTOR2(double, f, double, double)
ONE(fabs) ONE(sqrt) ONE(floor) ONE(ceil) ONE(trunc) ONE(rint) ONE(round)
ONE(logb) VECTOR1(int, ilogb, double) VECTOR1(double, nan, ulong)
TWO(copysign) TWO(fmax) TWO(fmin) TWO(fdim) TWO(maxmag) TWO(minmag) TWO(nextafter) TWO(fmod) TWO(remainder)
VECTOR3(double, fma, double, double, double) VECTOR3(double, mad, double, double, double)
VECTOR2(double, ldexp, double, int)
OUT1(double, fract, double, double) OUT1(double, modf, double, double)
OUT1(double, frexp, double, int) OUT2(double, remquo, double, double, int)

#define WITH_SCALAR(n) \
    double##n FLAT ldexp(double##n x, int k) { return ldexp(x, (int##n)(k)); } \
    double##n FLAT fmax(double##n x, double y) { return fmax(x, (double##n)(y)); } \
    double##n FLAT fmin(double##n x, double y) { return fmin(x, (double##n)(y)); }
WITH_SCALAR(2) WITH_SCALAR(3) WITH_SCALAR(4) WITH_SCALAR(8) WITH_SCALAR(16)
