/* double (test/cc/double.cl): every bit against the host's, which has the same arithmetic. */
#include "test/kit/oclkit.h"
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(u64 bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double near(u64 bits)
{
    return number((bits & 0x800fffffffffffff) | (1019 + (bits >> 52 & 7)) << 52);
}

/* The device has one NaN. */
static double plain(double x) { return isnan(x) ? number((u64)0x7ff8 << 48) : x; }

static void arithmetic_of(KitJob *job, double (*get)(u64))
{
    const u64 *p = A(0), *q = A(1);
    double *out = A(2);
    EACH
    {
        const double x = get(p[i]), y = get(q[i]), z = get(p[i] ^ q[i] >> 1);
        volatile double three = x * 3.0;
        const double r[10] = {x + y,   x - y,    x * y,       x / y,      fma(x, y, z),
                              sqrt(x), -x + 0.0, three + 0.5, fmod(x, y), 1.0 / x};
        for (u32 k = 0; k < 10; k++)
            out[10 * i + k] = plain(r[k]);
    }
}

REF(arithmetic) { arithmetic_of(job, number); }
REF(near_arithmetic) { arithmetic_of(job, near); }

REF(compares)
{
    const u64 *p = A(0), *q = A(1);
    u32 *out = A(2);
    EACH
    {
        const double x = near(p[i] & ~0xfffffff0000000u), y = number(q[i] % 3 ? q[i] : p[i]);
        const double a = i % 5 ? x : y, b = i % 7 ? y : NAN;
        const bool test[19] = {a<b, a <= b, a> b,
                               a >= b,
                               a == b,
                               a != b,
                               !(a < b),
                               !(a <= b),
                               !(a > b),
                               !(a >= b),
                               isnan(b),
                               isinf(y),
                               isfinite(y),
                               isnormal(y),
                               signbit(y),
                               isless(a, b),
                               isunordered(a, b),
                               islessgreater(a, b),
                               a < b && b < 100.0};
        out[i] = 0;
        for (u32 k = 0; k < 19; k++)
            out[i] |= (u32)test[k] << k;
    }
}

REF(predicates)
{
    static const double list[6] = {-INFINITY, -1.5, -0.0, 0.0, 2.5, NAN};
    u32 *out = A(0);
    EACH
    {
        const double a = list[i / 6 % 6], b = list[i % 6];
        const bool less = a<b, equal = a == b, greater = a> b, neither = isunordered(a, b);
        const bool test[14] = {equal,
                               greater,
                               equal || greater,
                               less,
                               less || equal,
                               less || greater,
                               !neither,
                               neither,
                               neither || equal,
                               neither || greater,
                               !less,
                               !(equal || greater),
                               !greater,
                               !equal};
        out[i] = 0;
        for (u32 k = 0; k < 14; k++)
            out[i] |= (u32)test[k] << k;
    }
}

/* x rounded in a mode and held between the ends of a type */
static i64 held(double x, int mode, double lo, double hi, i64 least, i64 most)
{
    const double w = mode == FE_TONEAREST  ? rint(x)
                     : mode == FE_UPWARD   ? ceil(x)
                     : mode == FE_DOWNWARD ? floor(x)
                                           : trunc(x);
    return w <= lo ? least : w >= hi ? most : (i64)w;
}

REF(to_integers)
{
    const u64 *p = A(0);
    i64 *out = A(1);
    EACH
    {
        const double x = number((p[i] & 0x800fffffffffffff) | (1015 + p[i] % 70) << 52);
        i64 *o = out + 16 * i;
        o[0] = held(x, FE_TOWARDZERO, -128, 127, -128, 127);
        o[1] = held(x, FE_TONEAREST, 0, 255, 0, 255);
        o[2] = held(x, FE_UPWARD, -32768, 32767, -32768, 32767);
        o[3] = held(x, FE_DOWNWARD, 0, 65535, 0, 65535);
        o[4] = held(x, FE_TOWARDZERO, INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX);
        o[5] = held(x, FE_TONEAREST, 0, UINT32_MAX, 0, UINT32_MAX);
        o[6] = held(x, FE_DOWNWARD, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX);
        const double up = ceil(x);
        o[7] = up <= 0 ? 0 : up >= 0x1p64 ? -1 : (i64)(u64)up;
        o[8] = held(x, FE_TONEAREST, INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX);
        o[9] = held(x, FE_TOWARDZERO, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX);
        o[10] = fabs(x) < 2e9 ? (i32)x : 0;
        o[11] = fabs(x) < 9e18 ? (i64)x : 0;
        o[12] = x >= 0 && x < 4e9 ? (u32)x : 0;
        o[13] = x >= 0 && x < 1e19 ? (i64)(u64)x : 0;
        o[14] = fabs(x) < 100 ? (i8)x : 0;
        o[15] = ilogb(x);
    }
}

/* the double next to x on the side of a mode, found with 64 bits of fraction */
static double rounded(long double x, int mode)
{
    const double near_ = (double)x;
    const bool above = (long double)near_ > x, below = (long double)near_ < x;
    if (mode == FE_UPWARD)
        return below ? nextafter(near_, INFINITY) : near_;
    if (mode == FE_DOWNWARD)
        return above ? nextafter(near_, -INFINITY) : near_;
    return x < 0 ? (below ? nextafter(near_, INFINITY) : near_)
                 : (above ? nextafter(near_, -INFINITY) : near_);
}

REF(from_integers)
{
    const u64 *p = A(0);
    double *out = A(1);
    EACH
    {
        const u64 u = p[i] >> (p[i] & 63);
        const i64 s = (i64)p[i] >> (p[i] & 63);
        const double r[12] = {(double)u,
                              (double)s,
                              (double)(u32)u,
                              (double)(i32)s,
                              (double)(i16)s + (double)(u8)u,
                              rounded(u, FE_TOWARDZERO),
                              rounded(u, FE_UPWARD),
                              rounded(u, FE_DOWNWARD),
                              rounded(s, FE_TOWARDZERO),
                              rounded(s, FE_UPWARD),
                              rounded(s, FE_DOWNWARD),
                              u & 1 ? 1 : 0};
        memcpy(out + 12 * i, r, sizeof r);
    }
}

static float single(double x, int mode)
{
    const float near_ = (float)x;
    const bool above = (double)near_ > x, below = (double)near_ < x;
    if (mode == FE_UPWARD || (mode == FE_TOWARDZERO && x < 0))
        return below ? nextafterf(near_, INFINITY) : near_;
    return above ? nextafterf(near_, -INFINITY) : near_;
}

REF(floats)
{
    const u64 *p = A(0);
    double *wide = A(1);
    float *narrow = A(2);
    EACH
    {
        const double x = number((p[i] & 0x800fffffffffffff) | (860 + p[i] % 300) << 52);
        const u32 word = (u32)p[i] & 0xbfffffff;
        float f;
        memcpy(&f, &word, sizeof f);
        wide[i] = (double)f * 2.0;
        narrow[5 * i] = (float)x;
        narrow[5 * i + 1] = single(x, FE_TOWARDZERO);
        narrow[5 * i + 2] = single(x, FE_UPWARD);
        narrow[5 * i + 3] = single(x, FE_DOWNWARD);
        narrow[5 * i + 4] = (float)(x * 0.5);
    }
}

REF(whole)
{
    const u64 *p = A(0);
    double *out = A(1);
    EACH
    {
        const double x = number((p[i] & 0x800fffffffffffff) | (1018 + p[i] % 60) << 52);
        double part;
        int e;
        double *o = out + 10 * i;
        o[0] = floor(x);
        o[1] = ceil(x);
        o[2] = trunc(x);
        o[3] = rint(x);
        o[4] = round(x);
        o[5] = modf(x, &part);
        o[5] += part * 2;
        o[6] = frexp(x, &e);
        o[6] += e;
        o[7] = ldexp(x, (int)(p[i] >> 58) - 32);
        o[8] = nextafter(x, 0.0);
        o[9] = remainder(x, 3.25);
    }
}

static const u64 special[14] = {
    0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000, 0x3fe0000000000000, 0xbff0000000000000,
    0x3ff8000000000000, 0xc004000000000000, 0xbc00000000000000, 0x7fe1ccf385ebc8a0};

REF(two_results)
{
    const u64 *p = A(0);
    double *out = A(1);
    i32 *about = A(2);
    EACH
    {
        const double x = number(i < 196 ? special[i / 14] : p[i]), y = number(i < 196 ? special[i % 14] : p[i] * 5);
        double whole;
        int e = 0, q = 0, sign = 0;
        double *o = out + (size_t)6 * i;
        o[0] = plain(modf(x, &whole));
        o[1] = plain(whole);
        o[2] = plain(x == 0 || isnan(x) ? x : isinf(x) ? copysign(0, x) : fmin(x - floor(x), 0x1.fffffffffffffp-1));
        o[3] = plain(floor(x));
        o[4] = plain(frexp(x, &e));
        o[5] = plain(remquo(x, y, &q));
        about[4 * i] = isfinite(x) ? e : 0;
        about[4 * i + 1] = isfinite(x) && isfinite(y) && y != 0 ? abs(q) & 7 : 0;
        about[4 * i + 2] = 1;
        about[4 * i + 3] = isfinite(lgamma_r(x, &sign)) ? sign : 0;
    }
}

REF(places)
{
    const u64 *p = A(0);
    double *out = A(1);
    const double factor = VALUE(double, 2);
    EACH
    {
        const u32 l = i % job->local[0], other = i - l + job->local[0] - 1 - l;
        double v[4], dot = 0;
        for (u32 k = 0; k < 4; k++)
            v[k] = near(p[i] + k) + (k < 3 ? k + 1 : near(p[other] + (p[other] & 7)) * factor);
        const double w[4] = {v[0], v[2], v[2], v[0]};
        for (u32 k = 4; k-- > 0;)
            dot = k == 3 ? v[k] * w[k] : fma(v[k], w[k], dot);
        for (u32 k = 0; k < 4; k++)
            out[4 * i + k] = fmax(w[k], v[k]) * 0.5;
        if (i % 3)
            out[4 * i] += dot > 0 ? 1.0 : -1.0;
    }
}

REF(reduced)
{
    const u64 *p = A(0);
    double *out = A(1);
    EACH_GROUP
    {
        double sum = 0; /* of whole numbers: exact in any order */
        for (u32 i = g; i < g + job->local[0]; i++)
            sum += (double)(p[i] & 0xffff);
        out[g / job->local[0]] = sum;
    }
}

REF(narrowed)
{
    const u64 *p = A(0), *q = A(1);
    float *out = A(2);
    EACH
    {
        const u32 e = (u32)q[i] & 0x7f800000, a = (u32)p[i], b = (u32)(p[i] >> 32);
        const u32 words[2] = {i % 4 ? (a & 0x807fffff) | e : a, i % 3 ? (b & 0x80ffffff) | e : b};
        float f[2];
        memcpy(f, words, sizeof f);
        const double x = f[0], y = f[1];
        volatile double half = x * 0.5, seven = 0.7 * y, quarter = y * 0.25;
        const double r[8] = {x - 0.5 * y,  4.0 * x - y, 0.25 * x + y, 1.0 - 0.125 * x,
                             x + y * -2.0, half - y,    x - seven,    half + quarter};
        for (u32 k = 0; k < 8; k++)
            out[8 * i + k] = isnan(r[k]) ? NAN : (float)r[k];
    }
}

REF(printed)
{
    const u64 *p = A(0);
    EACH
    {
        const double x = near(p[i]);
        buf_printf(&job->print, "%f %.17g %e %a %g,%g\n", x, x, x, x, x, 2.0);
    }
}

static const KitCase cases[] = {
    CASE(arithmetic, "256/32", "q256 q256 q2560"),
    CASE(near_arithmetic, "256/32", "q256 q256 q2560"),
    CASE(compares, "256/32", "q256 q256 w256"),
    CASE(predicates, "36/12", "w36"),
    CASE(to_integers, "256/32", "q256 q4096"),
    CASE(from_integers, "256/32", "q256 q3072"),
    CASE(floats, "256/32", "q256 q256 w1280"),
    CASE(whole, "256/32", "q256 q2560"),
    CASE(two_results, "256/32", "q256 q1536 w1024"),
    CASE(places, "96/32", "q96 q384 =q4611911198408756429 l256"), /* 2.1 */
    CASE(reduced, "128/64", "q128 q2"),
    CASE(printed, "40/8", "q40"),
    CASE(narrowed, "1024/64", "q1024 q1024 w8192"),
};

int main(void) { return kit_main("double.cl", "-cl-std=CL3.0", cases, countof(cases)); }
