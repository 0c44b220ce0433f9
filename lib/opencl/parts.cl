/* parts.cl -- functions that take floats apart, compare them, or need no approximation. */
#include "ventus.h"

#define SIGN 0x80000000u
#define INF_BITS 0x7f800000u

float FLAT fabs(float x) { return __builtin_fabsf(x); }
float FLAT copysign(float x, float y) { return __builtin_copysignf(x, y); }
float FLAT fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
float FLAT mad(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
float FLAT fmax(float x, float y) { return __builtin_fmaxf(x, y); }
float FLAT fmin(float x, float y) { return __builtin_fminf(x, y); }
float FLAT sqrt(float x) { return __builtin_sqrtf(x); }
float FLAT fdim(float x, float y) { return x <= y ? 0.0f : x - y; }
float FLAT nan(uint code) { return as_float(code | 0x7fc00000u); }

float OVL maxmag(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    return a > b ? x : b > a ? y : __builtin_fmaxf(x, y);
}

float OVL minmag(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    return a < b ? x : b < a ? y : __builtin_fminf(x, y);
}

/* Floats as integers in their order, of which -0 and 0 are one: one step up or down. */
float OVL nextafter(float x, float y)
{
    int a = as_int(x), b = as_int(y);
    int from = a < 0 ? INT_MIN - a : a, to = b < 0 ? INT_MIN - b : b;
    int next = from + (from < to) - (from > to);
    float r = next == 0 ? __builtin_copysignf(0.0f, x) : as_float(next < 0 ? INT_MIN - next : next);

    return x != x || y != y ? x + y : x == y ? y : r;
}

/* --- exponents ---------------------------------------------------------------------------- */

/* Denormals times 2^24 are normal; what is left of the biased exponent may be negative. */
static float OVL normalized(float x, __private int *exponent)
{
    bool tiny = __builtin_fabsf(x) < FLT_MIN;
    float y = tiny ? x * 0x1p24f : x;

    *exponent = (int)(as_uint(y) >> 23 & 0xff) - (tiny ? 24 : 0);
    return y;
}

static bool no_exponent(float x) { return x == 0 || (as_uint(x) & INF_BITS) == INF_BITS; }
static float with_exponent(float x, int biased) { return as_float((as_uint(x) & 0x807fffff) | (uint)biased << 23); }

float OVL frexp(float x, __private int *exponent)
{
    int e;
    float y = normalized(x, &e);

    *exponent = no_exponent(x) ? 0 : e - 126;
    return no_exponent(x) ? x : with_exponent(y, 126);
}

int OVL ilogb(float x)
{
    int e;

    normalized(x, &e);
    return x == 0 ? FP_ILOGB0 : x != x ? FP_ILOGBNAN : e == 255 ? INT_MAX : e - 127;
}

float OVL logb(float x)
{
    int e;

    normalized(x, &e);
    return x == 0 ? -INFINITY : no_exponent(x) ? x * x : (float)(e - 127);
}

/* The exponent goes in as far as it fits, and the rest as a factor: one rounding. */
float OVL ldexp(float x, int n)
{
    int e;
    float y = normalized(x, &e);

    e += n > 1000 ? 1000 : n < -1000 ? -1000 : n;
    int fits = e < 1 ? 1 : e > 254 ? 254 : e;
    int rest = e - fits + 127;
    float factor = as_float((uint)(rest < 1 ? 1 : rest > 254 ? 254 : rest) << 23);
    return no_exponent(x) ? x : with_exponent(y, fits) * factor;
}

/* --- division with a whole quotient ------------------------------------------------------------ */

static uint fraction_of(float x) { return (as_uint(x) & 0x7fffff) | 0x800000; }

/* |x| / |y| for finite x and y not 0: the remainder in units of y's last place, whose exponent is *exponent,
 * below y's fraction *fraction; the low bits of the quotient.  Eight bits of the quotient a round. */
static uint divide(float x, float y, __private uint *quotient, __private uint *fraction, __private int *exponent)
{
    int ex, ey;
    uint a = fraction_of(normalized(x, &ex));
    uint b = fraction_of(normalized(y, &ey));
    int more = ex - ey;
    uint q = 0, r = x == 0 || more < 0 ? 0 : a;

    q = r / b;
    r %= b;
    while (more > 0) {
        uint bits = more < 8 ? more : 8;
        r <<= bits;
        q = q << bits | r / b;
        r %= b;
        more -= bits;
    }
    *quotient = q;
    *fraction = b;
    *exponent = ey;
    return r;
}

/* units of the last place of floats with that biased exponent; exact */
static float from_units(uint units, int exponent) { return ldexp((float)units, exponent - 150); }

static bool not_divisible(float x, float y)
{
    return y == 0 || y != y || (as_uint(x) & INF_BITS) == INF_BITS;
}

float OVL fmod(float x, float y)
{
    uint q, b;
    int e;

    if (not_divisible(x, y))
        return NAN;
    if (__builtin_fabsf(x) < __builtin_fabsf(y))
        return x;
    return __builtin_copysignf(from_units(divide(x, y, &q, &b, &e), e), x);
}

/* To the nearest: |x| < |y| / 2 stays; the rest is |x| or |x| less |y|, whichever is smaller. */
float OVL remquo(float x, float y, __private int *quotient)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y), rest;
    bool negative = (as_int(x) ^ as_int(y)) < 0;
    uint q = 0, fraction;
    int e;

    *quotient = 0;
    if (not_divisible(x, y))
        return NAN;
    if (b == INFINITY)
        return x;
    if (a < b) {
        bool up = a > b - a;
        q = up;
        rest = up ? a - b : a;
    } else {
        uint r = divide(x, y, &q, &fraction, &e);
        bool up = 2 * r > fraction || (2 * r == fraction && (q & 1));
        q += up;
        rest = from_units(up ? fraction - r : r, e);
        rest = up ? -rest : rest;
    }
    *quotient = negative ? -(int)(q & 0x7f) : (int)(q & 0x7f);
    return as_float(as_uint(rest) ^ (as_uint(x) & SIGN));
}

float OVL remainder(float x, float y)
{
    int q;
    return remquo(x, y, (__private int *)&q);
}

/* --- vectors -------------------------------------------------------------------------- */

#define ONE(f) VECTOR1(float, f, float)
#define TWO(f) VECTOR2(float, f, float, float)
ONE(fabs) ONE(sqrt) ONE(logb) VECTOR1(int, ilogb, float) VECTOR1(float, nan, uint)
TWO(copysign) TWO(fmax) TWO(fmin) TWO(fdim) TWO(maxmag) TWO(minmag) TWO(nextafter) TWO(fmod) TWO(remainder)
VECTOR3(float, fma, float, float, float) VECTOR3(float, mad, float, float, float)
VECTOR2(float, ldexp, float, int)
OUT1(float, frexp, float, int) OUT2(float, remquo, float, float, int)

#define WITH_SCALAR(n) \
    float##n FLAT ldexp(float##n x, int k) { return ldexp(x, (int##n)(k)); } \
    float##n FLAT fmax(float##n x, float y) { return fmax(x, (float##n)(y)); } \
    float##n FLAT fmin(float##n x, float y) { return fmin(x, (float##n)(y)); }
WITH_SCALAR(2) WITH_SCALAR(3) WITH_SCALAR(4) WITH_SCALAR(8) WITH_SCALAR(16)
