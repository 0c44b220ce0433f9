/* double.cl -- arithmetic of binary64 with integers (double.h).
 */
#include "double.h"

ulong __ventus_dadd(ulong a, ulong b)
{
    /* 1. the one with the larger magnitude first */
    if ((a & D_ABS) < (b & D_ABS)) {
        const ulong t = a;
        a = b;
        b = t;
    }
    const ulong x = a & D_ABS, y = b & D_ABS, differ = (a ^ b) & D_SIGN;
    uint ea = exponent(x), eb = exponent(y);
    if (ea == 0x7ff)
        return x > D_INF || (y == D_INF && differ) ? D_NAN : a;
    /* 2. both at the exponent of the larger */
    ulong ma = (x & (D_ONE - 1)) | (ea ? D_ONE : 0), mb = (y & (D_ONE - 1)) | (eb ? D_ONE : 0);
    ea += !ea;
    eb += !eb;
    ma <<= 10;
    mb = shift_sticky(mb << 10, ea - eb);
    /* 3. sum or difference */
    ulong m = differ ? ma - mb : ma + mb;
    if (!m)
        return differ ? 0 : a;
    /* 4. the leading bit to 62 */
    int e = (int)ea;
    if (m >> 63) {
        m = m >> 1 | (m & 1);
        e++;
    } else {
        const uint z = (uint)__builtin_clzl(m) - 1;
        m <<= z;
        e -= (int)z;
    }
    return round_pack(a & D_SIGN, e, m);
}

ulong __ventus_dneg(ulong a) { return a ^ D_SIGN; }
ulong __ventus_dabs(ulong a) { return a & D_ABS; }
ulong __ventus_dcopysign(ulong a, ulong sign) { return (a & D_ABS) | (sign & D_SIGN); }
ulong __ventus_dmuladd(ulong a, ulong b, ulong c) { return __ventus_dadd(__ventus_dmul(a, b), c); }

ulong __ventus_dsub(ulong a, ulong b) { return __ventus_dadd(a, b ^ D_SIGN); }

ulong __ventus_dmul(ulong a, ulong b)
{
    const ulong s = (a ^ b) & D_SIGN, x = a & D_ABS, y = b & D_ABS;
    int ex, ey;
    if (x >= D_INF || y >= D_INF)
        return x > D_INF || y > D_INF || !x || !y ? D_NAN : s | D_INF;
    if (!x || !y)
        return s;
    const ulong mx = significand(x, &ex) << 11, my = significand(y, &ey) << 10;
    ulong m = mul_hi(mx, my) | (mx * my != 0);
    int e = ex + ey - 1022;
    if (!(m >> 62)) {
        m <<= 1;
        e--;
    }
    return round_pack(s, e, m);
}

ulong __ventus_reciprocal(ulong d)
{
    const uint top = (uint)(d >> 32);
    ulong r = (ulong)(uint)__builtin_fminf(0x1p63f / (float)top, 0x1.fffffep31f) << 32;
    for (int i = 0; i < 2; i++) {
        const long off = (long)(((ulong)1 << 63) - mul_hi(r, d)); /* of 2^127, what is missing */
        const ulong size = (ulong)(off < 0 ? -off : off);
        const ulong by = mul_hi(r, size) << 1;
        const ulong next = off < 0 ? r - by : r + by;
        r = off >= 0 && next < r ? ~(ulong)0 : next;
    }
    return r;
}

ulong __ventus_ddiv(ulong a, ulong b)
{
    const ulong s = (a ^ b) & D_SIGN, x = a & D_ABS, y = b & D_ABS;
    int ex, ey;
    if (x > D_INF || y > D_INF || (x == y && (!x || x == D_INF)))
        return D_NAN;
    if (x == D_INF || !y)
        return s | D_INF;
    if (!x || y == D_INF)
        return s;
    ulong mx = significand(x, &ex);
    const ulong my = significand(y, &ey);
    int e = ex - ey + 1023;
    if (mx < my) {
        mx <<= 1;
        e--;
    }
    /* the quotient mx * 2^55 / my, leading bit at 55; the estimate is right or too small by one */
    ulong q = (mul_hi(mx << 9, __ventus_reciprocal(my << 11)) - 16) >> 6;
    ulong rest = (mx << 55) - q * my;
    for (int i = 0; i < 2; i++)
        if (rest >= my) {
            rest -= my;
            q++;
        }
    return round_pack(s, e, q << 7 | (rest != 0));
}

ulong __ventus_inverse_root(ulong m)
{
    ulong r = (ulong)(uint)(0x1.6a09e6p45f / __builtin_sqrtf((float)(uint)(m >> 32))) << 32;
    for (int i = 0; i < 2; i++) {
        const long off = (long)(((ulong)1 << 59) - mul_hi(m, mul_hi(r, r))); /* 1 - X r^2 / 2^126 */
        const ulong by = mul_hi(r, (ulong)(off < 0 ? -off : off)) << 4;
        r = off < 0 ? r - by : r + by;
    }
    return r;
}

ulong __ventus_dsqrt(ulong a)
{
    int e;
    if (!(a & D_ABS) || a == D_INF)
        return a;
    if (a > D_INF)
        return D_NAN; /* negative, or a NaN */
    /* X, from 1 up to 4 for an even power of two, is m / 2^61 */
    ulong m = significand(a, &e) << 9;
    m <<= !(e & 1);
    /* the root with 55 bits; the estimate is right or too small by one */
    ulong q = (mul_hi(m, __ventus_inverse_root(m)) - 32) >> 6;
    ulong rest = (m << 47) - q * q;
    for (int i = 0; i < 2; i++)
        if (rest > 2 * q) {
            rest -= 2 * q + 1;
            q++;
        }
    return round_pack(0, (e + 1023) >> 1, q << 8 | (rest != 0));
}

/* a 2^n, rounded once */
ulong __ventus_dscale(ulong a, int n)
{
    const ulong x = a & D_ABS;
    int e;
    if (x >= D_INF || !x)
        return x > D_INF ? D_NAN : a;
    const ulong m = significand(x, &e) << 10;
    n = n > 5000 ? 5000 : n < -5000 ? -5000 : n;
    return round_pack(a & D_SIGN, e + n, m);
}

/* --- fused multiply-add ------------------------------------------------------------------- */

/* 128 bits */
typedef struct { ulong hi, lo; } Wide;

static Wide wide_left(Wide x, uint n) /* n below 128 */
{
    if (n > 63)
        return (Wide){x.lo << (n - 64), 0};
    return n ? (Wide){x.hi << n | x.lo >> (64 - n), x.lo << n} : x;
}

/* x >> n, with what is lost in bit 0 */
static Wide wide_right_sticky(Wide x, uint n)
{
    if (n > 127)
        return (Wide){0, (x.hi | x.lo) != 0};
    if (n > 63)
        return (Wide){0, shift_sticky(x.hi, n - 64) | (x.lo != 0)};
    if (!n)
        return x;
    return (Wide){x.hi >> n, (x.hi << (64 - n) | x.lo >> n) | (x.lo << (64 - n) != 0)};
}

ulong __ventus_dfma(ulong a, ulong b, ulong c)
{
    const ulong x = a & D_ABS, y = b & D_ABS, z = c & D_ABS, sign = (a ^ b) & D_SIGN;
    const ulong differ = (sign ^ c) & D_SIGN;
    int ex, ey, e, ez;
    if (x >= D_INF || y >= D_INF || z >= D_INF) {
        if (x > D_INF || y > D_INF || z > D_INF || ((x == D_INF || y == D_INF) && (!x || !y)))
            return D_NAN;
        if (x == D_INF || y == D_INF)
            return z == D_INF && differ ? D_NAN : sign | D_INF;
        return c;
    }
    if (!x || !y)
        return z ? c : differ ? 0 : c;
    /* 1. the product, leading bit at 126 or 125, and c, leading bit at 126 */
    const ulong mx = significand(x, &ex) << 11, my = significand(y, &ey) << 10;
    Wide p = {mul_hi(mx, my), mx * my};
    e = ex + ey - 1022;
    ulong s = sign;
    if (z) {
        Wide w = {significand(z, &ez) << 10, 0};
        /* 2. the one with the larger exponent stays, the other comes to it; a leading bit at 125 may
         * make the product the smaller one, which the sign of the difference tells */
        const int d = e - ez;
        if (d > 0) {
            w = wide_right_sticky(w, (uint)d);
        } else {
            p = wide_right_sticky(p, (uint)-d);
            e = ez;
        }
        if (differ) {
            const bool less = p.hi < w.hi || (p.hi == w.hi && p.lo < w.lo);
            const Wide big = less ? w : p, small = less ? p : w;
            s ^= less ? D_SIGN : 0;
            p = (Wide){big.hi - small.hi - (big.lo < small.lo), big.lo - small.lo};
            if (!(p.hi | p.lo))
                return 0;
        } else {
            const ulong lo = p.lo + w.lo;
            p = (Wide){p.hi + w.hi + (lo < w.lo), lo};
        }
    }
    /* 3. the leading bit to 126, then to bit 62 of the upper half */
    if (p.hi >> 63) {
        p = wide_right_sticky(p, 1);
        e++;
    } else {
        const uint n = (uint)(p.hi ? __builtin_clzl(p.hi) : 64 + __builtin_clzl(p.lo)) - 1;
        p = wide_left(p, n);
        e -= (int)n;
    }
    return round_pack(s, e, p.hi | (p.lo != 0));
}

/* --- classes and comparisons --------------------------------------------------------------------------- */

int __ventus_dcmp(ulong a, ulong b)
{
    const ulong x = a & D_ABS, y = b & D_ABS;
    /* numbers in their order: negative ones count down */
    const long ka = a & D_SIGN ? -(long)x : (long)x, kb = b & D_SIGN ? -(long)y : (long)y;
    return x > D_INF || y > D_INF ? 2 : ka < kb ? -1 : ka > kb;
}

/* from bit 0: signalling and quiet NaN; infinite, normal, denormal, 0, of negative numbers; the same of
 * positive ones in the other order */
uint __ventus_dclass(ulong a, ulong classes)
{
    const ulong x = a & D_ABS;
    const uint size = x == D_INF ? 0 : x >= D_ONE ? 1 : x ? 2 : 3;
    const uint number = a & D_SIGN ? 2 + size : 9 - size;
    return (uint)(classes >> (x <= D_INF ? number : x >= D_NAN)) & 1;
}

ulong __ventus_dmin(ulong a, ulong b)
{
    const int order = __ventus_dcmp(a, b);
    if (order == 2)
        return (a & D_ABS) <= D_INF ? a : (b & D_ABS) <= D_INF ? b : D_NAN;
    return order < 0 || (!order && a & D_SIGN) ? a : b;
}

ulong __ventus_dmax(ulong a, ulong b)
{
    const int order = __ventus_dcmp(a, b);
    if (order == 2)
        return (a & D_ABS) <= D_INF ? a : (b & D_ABS) <= D_INF ? b : D_NAN;
    return order > 0 || (!order && b & D_SIGN) ? a : b;
}

/* --- conversions ---------------------------------------------------------------------------- */

ulong __ventus_u32tod(uint x)
{
    const uint z = x ? (uint)__builtin_clz(x) : 0;
    /* the leading bit goes to 52 and adds one to the exponent */
    return x ? ((ulong)(1053 - z) << 52) + ((ulong)x << (z + 21)) : 0;
}

ulong __ventus_i32tod(int x)
{
    return (x < 0 ? D_SIGN : 0) | __ventus_u32tod(x < 0 ? 0u - (uint)x : (uint)x);
}

ulong __ventus_u64tod(ulong x)
{
    if (!x)
        return 0;
    const uint z = (uint)__builtin_clzl(x);
    const ulong m = x << z; /* leading bit at 63 */
    return round_pack(0, 1086 - (int)z, m >> 1 | (m & 1));
}

ulong __ventus_i64tod(long x)
{
    return (x < 0 ? D_SIGN : 0) | __ventus_u64tod(x < 0 ? 0ul - (ulong)x : (ulong)x);
}

ulong __ventus_ftod(float x)
{
    const uint u = as_uint(x), e = u >> 23 & 0xff, m = u & 0x7fffff;
    const ulong s = (ulong)(u & 0x80000000) << 32;
    if (e == 0xff)
        return m ? D_NAN : s | D_INF;
    if (e)
        return s | (((ulong)(e + 896) << 52) + ((ulong)m << 29));
    if (!m)
        return s;
    const uint z = (uint)__builtin_clz(m) - 8; /* a denormal of float is a normal double */
    return s | (((ulong)(896 - z) << 52) + ((ulong)m << (z + 29)));
}

float __ventus_dtof(ulong a)
{
    const uint s = (uint)(a >> 32) & 0x80000000;
    const ulong x = a & D_ABS;
    if (x >= D_INF)
        return as_float(x > D_INF ? 0x7fc00000 : s | 0x7f800000);
    /* leading bit at 30; the exponent of a float */
    int e = (int)exponent(x) - 896;
    uint m = (uint)shift_sticky(x & (D_ONE - 1), 22) | 0x40000000;
    if (e >= 0xff)
        return as_float(s | 0x7f800000);
    if (e < -24)
        return as_float(s); /* denormals of double too */
    if (e <= 0) {
        const uint n = (uint)(1 - e), kept = m >> n;
        m = kept | ((kept << n) != m);
        e = 1;
    }
    const uint rest = m & 0x7f;
    m = (m + 0x40) >> 7;
    m &= ~(uint)(rest == 0x40);
    return as_float(s | (((uint)(e - 1) << 23) + m));
}

/* |a| without its fraction; all ones where it needs more than 64 bits */
static ulong magnitude(ulong a)
{
    const int e = (int)exponent(a) - 1075;
    const ulong m = (a & (D_ONE - 1)) | D_ONE;
    if (e > 11)
        return ~(ulong)0;
    return e >= 0 ? m << e : e > -64 ? m >> -e : 0;
}

static ulong smaller(ulong a, ulong b) { return a < b ? a : b; }

static bool is_nan(ulong a) { return (a & D_ABS) > D_INF; }

ulong __ventus_dtou64(ulong a)
{
    if (is_nan(a) || a & D_SIGN)
        return 0;
    return magnitude(a);
}

long __ventus_dtoi64(ulong a)
{
    if (is_nan(a))
        return 0;
    const ulong most = D_ABS + (a >> 63), m = smaller(magnitude(a), most);
    return (long)(a & D_SIGN ? 0 - m : m);
}

uint __ventus_dtou32(ulong a) { return (uint)smaller(__ventus_dtou64(a), 0xffffffff); }

int __ventus_dtoi32(ulong a)
{
    if (is_nan(a))
        return 0;
    const uint most = 0x7fffffff + (uint)(a >> 63), m = (uint)smaller(magnitude(a), most);
    return (int)(a & D_SIGN ? 0 - m : m);
}

/* --- to whole numbers ----------------------------------------------------------------------- */

/* bits of the fraction of a that are below 1; 53 where |a| is below 1, 0 where it is whole */
static uint fraction_bits(ulong a)
{
    const uint e = exponent(a);
    return e < 1023 ? 53 : e > 1074 ? 0 : 1075 - e;
}

static ulong canonical(ulong a) { return is_nan(a) ? D_NAN : a; }

ulong __ventus_dtrunc(ulong a)
{
    const uint n = fraction_bits(a);
    return n == 53 ? a & D_SIGN : n ? a & ~(((ulong)1 << n) - 1) : canonical(a);
}

/* away from zero if a is not whole and `up` says so */
static ulong outward(ulong a, bool up)
{
    const uint n = fraction_bits(a);
    if (!n || !(a & D_ABS))
        return canonical(a);
    if (n == 53)
        return (a & D_SIGN) | (up ? (ulong)0x3ff << 52 : 0);
    const ulong below = ((ulong)1 << n) - 1;
    return (a + (up ? below : 0)) & ~below; /* a carry raises the exponent, as it should */
}

ulong __ventus_dfloor(ulong a) { return outward(a, a >> 63); }
ulong __ventus_dceil(ulong a) { return outward(a, !(a >> 63)); }

ulong __ventus_dround(ulong a)
{
    const uint n = fraction_bits(a);
    if (!n)
        return canonical(a);
    if (n == 53)
        return (a & D_SIGN) | (exponent(a) == 1022 ? (ulong)0x3ff << 52 : 0);
    const ulong half_ = (ulong)1 << (n - 1);
    return (a + half_) & ~(2 * half_ - 1);
}

ulong __ventus_drint(ulong a)
{
    const uint n = fraction_bits(a);
    if (!n)
        return canonical(a);
    if (n == 53) /* 1/2 itself goes to 0 */
        return (a & D_SIGN) | ((a & D_ABS) > (ulong)0x3fe << 52 ? (ulong)0x3ff << 52 : 0);
    /* of 1.5 the units are in the exponent: its lowest bit is that of an odd number */
    const ulong half_ = (ulong)1 << (n - 1);
    const ulong odd = n == 52 ? 1 : a >> n & 1;
    return (a + half_ - 1 + odd) & ~(2 * half_ - 1);
}
