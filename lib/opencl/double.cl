/* double.cl -- arithmetic of binary64 with integers (double.h).
 *
 * A function that is often called has one path without a branch where no number is special to it, and another one for
 * those that are.  Engines that make host code know the code of some (jit/routine.def): whoever changes what the
 * compiler makes of them finds the hashes for it by test/unit/routine_test.c, and what must be asked of their
 * operands in jit/hostdouble.c.
 */
#include "double.h"

/* of the upper word */
#define SIGN 0x80000000u
#define INF  0x7ff00000u
#define ONE  0x00100000u
#define FRACTION (ONE - 1)

#define INLINE __attribute__((always_inline))

static uint some_bit(uint x) { return x != 0; }

/* The sum if one of them is infinite or a NaN. */
static ulong special_sum(ulong a, ulong b)
{
    const ulong x = a & D_ABS, y = b & D_ABS, differ = (a ^ b) & D_SIGN;
    return x > D_INF || y > D_INF || (x == y && differ) ? D_NAN : x == D_INF ? a : b;
}

static inline INLINE ulong sum(ulong a, ulong b)
{
    /* 1. the one with the larger magnitude, and the other */
    const bool less = (a & D_ABS) < (b & D_ABS);
    const ulong large = less ? b : a, small = less ? a : b;
    const uint x = high(large) & ~SIGN, y = high(small) & ~SIGN;
    if (x >= INF)
        return special_sum(a, b);
    /* 2. both at the exponent of the larger, leading bit at 62; exponents count from that of denormals */
    const uint ex = at_least(x >> 20, 1) - 1, ey = at_least(y >> 20, 1) - 1;
    const ulong mx = both(x - (ex << 20), low(large)) << 10;
    const ulong my = shift_sticky_near(both(y - (ey << 20), low(small)) << 10, at_most(ex - ey, 63));
    /* 3. sum or difference: the lowest bits of mx are free for what completes the complement */
    const uint differ = (uint)((int)(high(a) ^ high(b)) >> 31);
    const ulong m = both(high(mx), low(mx) - differ) + (my ^ both(differ, differ));
    /* 4. the leading bit to 63, but a denormal's, which has no leading bit */
    const bool top = high(m);
    const uint part = top ? high(m) : low(m);
    const uint most = part ? ex + 1 : 0;
    const uint z = at_most(zeros(part) + (top ? 0 : 32), most);
    /* 5. rounded; the leading bit adds one to the exponent, a carry out of the fraction one more */
    const ulong n = shift_left(m, z), kept = n >> 11;
    const bool up = (low(n) & 0x7ff) + (low(kept) & 1) > 0x400;
    const ulong r = both(high(kept) + ((most - z) << 20), low(kept)) + up;
    /* 6. 0 is that of both, or positive */
    const uint sign = (part ? high(large) : high(large) & high(small)) & SIGN;
    return both(at_most(high(r), INF) | sign, high(r) >= INF ? 0 : low(r));
}

ulong __ventus_dadd(ulong a, ulong b) { return sum(a, b); }
ulong __ventus_dsub(ulong a, ulong b) { return sum(a, b ^ D_SIGN); }

INLINE ulong __ventus_dneg(ulong a) { return a ^ D_SIGN; }
INLINE ulong __ventus_dabs(ulong a) { return a & D_ABS; }
INLINE ulong __ventus_dcopysign(ulong a, ulong sign) { return (a & D_ABS) | (sign & D_SIGN); }

/* The product of any two numbers. */
static ulong special_product(ulong a, ulong b)
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

/* 106 bits: the product of two significands, leading bit at 40 or 41 of `top` if both have one at 52 */
typedef struct { ulong top; uint low[2]; } Product;

static Product multiply(uint ah, uint al, uint bh, uint bl)
{
    const ulong least = (ulong)al * bl;
    const ulong middle = (least >> 32) + (ulong)al * bh + (ulong)ah * bl; /* below 2^55 */
    return (Product){(ulong)ah * bh + (middle >> 32), {low(least), low(middle)}};
}

ulong __ventus_dmul(ulong a, ulong b)
{
    const uint sign = (high(a) ^ high(b)) & SIGN, x = high(a) & ~SIGN, y = high(b) & ~SIGN;
    const uint ex = x >> 20, ey = y >> 20;
    const uint some = some_bit(x | low(a)) & some_bit(y | low(b));
    const Product p = multiply((x & FRACTION) | ONE, low(a), (y & FRACTION) | ONE, low(b));
    /* the leading bit to 52, its exponent as it is stored */
    const uint n = 12 - (high(p.top) >> 9), e = ex + ey - 1011 - n;
    const uint hi = high(p.top) << n | low(p.top) >> (32 - n);
    const uint lo = low(p.top) << n | p.low[1] >> (32 - n), rest = p.low[1] << n;
    if ((uint)(at_least(ex, ey) == 0x7ff) | (some & ((uint)!at_most(ex, ey) | (uint)(e - 1 >= 0x7fd))))
        return special_product(a, b);
    const uint up = (rest >> 31) & (lo | ((rest << 1 | p.low[0]) != 0));
    const ulong r = both(hi + ((e - 1) << 20), lo) + (up & 1);
    return both(pick(some, high(r), 0) | sign, pick(some, low(r), 0));
}

/* Of numbers of 53 bits, my <= mx < 2 my: how often my goes into mx 2^53; what is left. */
static inline ulong divide(ulong mx, ulong my, ulong *left)
{
    /* 1. of 2^61 / the upper word of the divisor, whose leading bit is at 29, 21 bits: never too large */
    const ulong by = my << 9;
    const uint r = (uint)(0x1.fffff8p60f / (float)high(by));
    /* 2. digits of 18, 18 and 17 bits, each too small by two at most, so that a rest fits */
    ulong rest = mx << 9;
    const uint d1 = mul_hi(high(rest), r) >> 11;
    rest = (rest << 18) - d1 * by;
    const uint d2 = mul_hi(high(rest), r) >> 11;
    rest = (rest << 18) - d2 * by;
    const uint d3 = mul_hi(high(rest), r) >> 12;
    /* 3. the quotient is that, or one more */
    const ulong g = ((ulong)d1 << 35) + ((ulong)d2 << 17) + d3 + 1;
    const ulong over = (mx << 53) - g * my;
    *left = over >> 63 ? over + my : over;
    return g - (over >> 63);
}

/* The quotient of any two numbers. */
static ulong special_quotient(ulong a, ulong b)
{
    const ulong s = (a ^ b) & D_SIGN, x = a & D_ABS, y = b & D_ABS;
    int ex, ey;
    if (x > D_INF || y > D_INF || (x == y && (!x || x == D_INF)))
        return D_NAN;
    if (x == D_INF || !y)
        return s | D_INF;
    if (!x || y == D_INF)
        return s;
    const ulong mx = significand(x, &ex), my = significand(y, &ey);
    const uint less = mx < my;
    ulong left;
    const ulong g = divide(mx << less, my, &left);
    return round_pack(s, ex - ey + 1023 - (int)less, g << 9 | (left != 0));
}

/* The nearest to a number from 1 up to 2, of which g has 53 bits behind the point and the next are not known to
 * be 0: it is nowhere halfway.  e: the exponent as it is stored. */
static ulong pack_half(uint sign, uint e, ulong g)
{
    const ulong m = (g + 1) >> 1;
    return both((high(m) + ((e - 1) << 20)) | sign, low(m));
}

ulong __ventus_ddiv(ulong a, ulong b)
{
    const uint sign = (high(a) ^ high(b)) & SIGN, x = high(a) & ~SIGN, y = high(b) & ~SIGN;
    const uint ex = x >> 20, ey = y >> 20, some = some_bit(x | low(a));
    const ulong mx = both((x & FRACTION) | ONE, low(a)), my = both((y & FRACTION) | ONE, low(b));
    const uint less = mx < my, e = ex - ey + 1023 - less;
    ulong left;
    if ((uint)(at_least(ex, ey) == 0x7ff) | (uint)!ey | (some & ((uint)!ex | (uint)(e - 1 >= 0x7fd))))
        return special_quotient(a, b);
    const ulong q = pack_half(sign, e, divide(mx << less, my, &left));
    return both(pick(some, high(q), sign), pick(some, low(q), 0));
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

/* Of a number of 53 or 54 bits: its root by 2^27; what is left. */
static inline ulong take_root(ulong m, ulong *left)
{
    /* 1. from a float 21 bits of it, and of the inverse: 2^47 by the root of the upper word */
    const ulong n = m << 10;
    const float top = __builtin_sqrtf((float)high(n));
    const uint s = (uint)(top * 0x1.fffff8p15f), r = (uint)(0x1.fffff8p46f / top);
    /* 2. 42 bits, by 2^20, and 53, by 2^22: both may be too small, not too large */
    const ulong far = n - (ulong)s * s;
    const ulong s2 = ((ulong)s << 20) + mul_hi((uint)(far >> 12), r) - 1024;
    const ulong near = (n << 40) - s2 * s2;
    /* 3. the root is that, or one more */
    const ulong g = (s2 << 2) + (mul_hi(high(near), r) >> 18) + 1;
    const ulong over = (m << 54) - g * g;
    *left = over >> 63 ? over + 2 * g - 1 : over;
    return g - (over >> 63);
}

/* The root of any number. */
static ulong special_root(ulong a)
{
    int e;
    if (!(a & D_ABS) || a == D_INF)
        return a;
    if (a > D_INF)
        return D_NAN; /* negative, or a NaN */
    const ulong m = significand(a, &e);
    ulong left;
    const ulong g = take_root(m << (~e & 1), &left);
    return round_pack(0, (e + 1023) >> 1, g << 9 | (left != 0));
}

ulong __ventus_dsqrt(ulong a)
{
    const uint ex = high(a) >> 20, some = some_bit(high(a) | low(a));
    ulong left;
    if (some & (uint)(high(a) - ONE >= INF - ONE))
        return special_root(a);
    const ulong m = both((high(a) & FRACTION) | ONE, low(a)) << (~ex & 1);
    return pick_wide(some, pack_half(0, (ex + 1023) >> 1, take_root(m, &left)), 0);
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

/* The product and sum of any numbers. */
static ulong special_fma(ulong a, ulong b, ulong c)
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

/* The same as wide_right_sticky() in words, without a branch. */
static inline Wide wide_right_near(Wide x, uint n)
{
    const bool far = n >> 6, off = n & 32;
    const ulong hi = pick_wide(far, 0, x.hi), lo = pick_wide(far, x.hi, x.lo);
    const ulong lost = pick_wide(far, x.lo, 0);
    const uint w3 = pick(off, 0, high(hi)), w2 = pick(off, high(hi), low(hi));
    const uint w1 = pick(off, low(hi), high(lo)), w0 = pick(off, high(lo), low(lo));
    const uint by = n & 31, rest = ~n & 31;
    const uint gone = high(lost) | low(lost) | pick(off, low(lo), 0) | w0 << 1 << rest;
    return (Wide){both(w3 >> by, w2 >> by | w3 << 1 << rest),
                  both(w1 >> by | w2 << 1 << rest, w0 >> by | w1 << 1 << rest | (gone != 0))};
}

ulong __ventus_dfma(ulong a, ulong b, ulong c)
{
    const uint x = high(a) & ~SIGN, y = high(b) & ~SIGN, z = high(c) & ~SIGN;
    const uint ex = at_least(x >> 20, 1), ey = at_least(y >> 20, 1), ez = at_least(z >> 20, 1);
    const uint sign = (high(a) ^ high(b)) & SIGN;
    const uint differ = (uint)((int)(high(a) ^ high(b) ^ high(c)) >> 31);
    const uint product = some_bit(x | low(a)) & some_bit(y | low(b));
    /* 1. the product, leading bit at 124 or 125, and c, at 124; denormals have theirs lower, and then either
     * nothing is lost of the other one, or the result is a denormal, too */
    const Product m = multiply(x - ((ex - 1) << 20), low(a), y - ((ey - 1) << 20), low(b));
    const Wide p = {m.top << 20 | m.low[1] >> 12,
                    both(m.low[1] << 20 | m.low[0] >> 12, m.low[0] << 20)};
    const ulong w = both(z - ((ez - 1) << 20), low(c)) << 8;
    /* 2. the one with the larger exponent stays, the other comes to it */
    const uint d = pick(product, ex + ey - 1023, (uint)-4096) - ez, turned = (uint)((int)d >> 31);
    const bool stays = !turned;
    const Wide large = {pick_wide(stays, p.hi, w), pick_wide(stays, p.lo, 0)};
    const Wide small = wide_right_near((Wide){pick_wide(stays, w, p.hi), pick_wide(stays, 0, p.lo)},
                                       at_most((d ^ turned) - turned, 127));
    /* 3. sum or difference: the lowest bits of the one that stays are free; then its magnitude */
    const ulong other = both(differ, differ), added = small.lo ^ other;
    const ulong lo = both(high(large.lo), low(large.lo) - differ) + added;
    const ulong hi = large.hi + (small.hi ^ other) + (lo < added);
    const uint below = (uint)((int)high(hi) >> 31);
    const ulong turn = both(below, below), size_lo = (lo ^ turn) + (below & 1);
    const ulong size_hi = (hi ^ turn) + ((below & 1) & (uint)!size_lo);
    /* 4. the leading bit to 127 */
    const bool far = !size_hi;
    const ulong n = pick_wide(far, size_lo, size_hi), under = pick_wide(far, 0, size_lo);
    const bool off = !high(n);
    const uint w3 = pick(off, low(n), high(n)), w2 = pick(off, high(under), low(n));
    const uint w1 = pick(off, low(under), high(under)), by = zeros(w3) & 31, rest = ~by & 31;
    const ulong top = both(w3 << by | w2 >> 1 >> rest, w2 << by | w1 >> 1 >> rest);
    const uint gone = w1 << by | pick(off, 0, low(under));
    const uint e = ez + (d & ~turned) + 3 - by - ((uint)far << 6) - ((uint)off << 5);
    const uint some = some_bit(w3);
    if ((uint)(at_least(at_least(ex, ey), ez) == 0x7ff) | (some & (uint)(e - 1 >= 0x7fd)))
        return special_fma(a, b, c);
    /* 5. rounded; 0 is that of both, or positive */
    const ulong kept = top >> 11;
    const bool up = ((low(top) & 0x7ff) | (gone != 0)) + (low(kept) & 1) > 0x400;
    const ulong r = both(high(kept) + ((e - 1) << 20), low(kept)) + up;
    const uint of_large = pick(stays, sign, high(c)) ^ below;
    const uint of_result = pick(some, of_large, sign & ~differ) & SIGN;
    return both(pick(some, high(r), 0) | of_result, pick(some, low(r), 0));
}

/* --- classes and comparisons --------------------------------------------------------------------------- */

int __ventus_dcmp(ulong a, ulong b)
{
    const uint x = high(a) & ~SIGN, y = high(b) & ~SIGN;
    if (at_least(x | some_bit(low(a)), y | some_bit(low(b))) > INF)
        return 2; /* a NaN */
    /* numbers in their order: 0 has no sign, negative ones count down */
    const uint ha = x | low(a) ? high(a) : 0, hb = y | low(b) ? high(b) : 0;
    const uint na = (uint)((int)ha >> 31), nb = (uint)((int)hb >> 31);
    const long ka = (long)both(ha ^ na >> 1, low(a) ^ na), kb = (long)both(hb ^ nb >> 1, low(b) ^ nb);
    return (ka > kb) - (ka < kb);
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
    /* the leading bit goes to 52 and adds one to the exponent */
    const uint z = zeros(x) & 31, n = x << z;
    return both(x ? (n >> 11) + ((1053 - z) << 20) : 0, n << 21);
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

/* Any float. */
static ulong special_widen(float x)
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

ulong __ventus_ftod(float x)
{
    const uint u = as_uint(x), v = u & ~SIGN, some = some_bit(v);
    if (some & (uint)(v - 0x00800000 >= 0x7f000000))
        return special_widen(x);
    return both((u & SIGN) | (some ? (v >> 3) + (896 << 20) : 0), u << 29);
}

/* The float nearest to any number. */
static float special_narrow(ulong a)
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

float __ventus_dtof(ulong a)
{
    const uint x = high(a) & ~SIGN, some = some_bit(x | low(a));
    /* below a normal float, or more than one has */
    if (some & (uint)(x - (897 << 20) >= 254 << 20))
        return special_narrow(a);
    const uint m = (x << 3 | low(a) >> 29) - (896 << 23), rest = low(a) << 3;
    const uint up = (rest >> 31) & (m | ((rest << 1) != 0));
    return as_float((high(a) & SIGN) | (some ? m + (up & 1) : 0));
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

/* the upper 32 bits of the significand, leading bit at 31; what a number has before the point, below 2^32 */
static uint leading(ulong a) { return high(a) << 11 | low(a) >> 21 | SIGN; }
static uint whole(ulong a, uint x) { return pick(x < 1023 << 20, 0, leading(a) >> ((1054 - (x >> 20)) & 31)); }

static uint special_to_uint(ulong a) { return (uint)smaller(__ventus_dtou64(a), 0xffffffff); }

uint __ventus_dtou32(ulong a)
{
    const uint x = high(a) & ~SIGN;
    if (x >= 1055 << 20)
        return special_to_uint(a);
    return pick(high(a) >> 31, 0, whole(a, x));
}

static int special_to_int(ulong a)
{
    if (is_nan(a))
        return 0;
    const uint most = 0x7fffffff + (uint)(a >> 63), m = (uint)smaller(magnitude(a), most);
    return (int)(a & D_SIGN ? 0 - m : m);
}

int __ventus_dtoi32(ulong a)
{
    const uint x = high(a) & ~SIGN, n = (uint)((int)high(a) >> 31);
    if (x >= 1054 << 20)
        return special_to_int(a);
    return (int)((whole(a, x) ^ n) - n);
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
