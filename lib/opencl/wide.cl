/* wide.cl -- 64-bit integers: division, and conversion from and to float.
 *
 * The lowering calls these for instructions that the machine has only for 32 bits, so
 * nothing here may divide 64-bit values or convert them.
 */
#include "ventus.h"

/* --- division --------------------------------------------------------------------------- */

/* One step of schoolbook division in base 2^16: the digit q of (high:digit) / d, where d has its top
 * bit set and high < d.  The estimate from d's upper half is at most 2 too large. */
static uint divide_step(uint high, uint digit, uint d, __private uint *remainder)
{
    uint top = d >> 16, low = d & 0xffff;
    uint q = high / top, r = high % top;

    for (int i = 0; i < 2; i++) {
        bool less = q > 0xffff || (r <= 0xffff && q * low > (r << 16 | digit));
        q -= less;
        r += less ? top : 0;
    }
    *remainder = (high << 16 | digit) - q * d;
    return q;
}

/* (high:low) / d for high < d; the quotient has 32 bits */
static uint divide_by_word(uint high, uint low, uint d, __private uint *remainder)
{
    uint s = __builtin_clz(d);
    uint n1 = s ? high << s | low >> (32 - s) : high;
    uint n0 = low << s, r1, r0;
    uint q1 = divide_step(n1, n0 >> 16, d << s, &r1);
    uint q0 = divide_step(r1, n0 & 0xffff, d << s, &r0);

    *remainder = r0 >> s;
    return q1 << 16 | q0;
}

/* b has more than 32 bits, so the quotient fits 32: estimate it from the upper words of a / 2 and of b
 * with its top bit set; the estimate is right or 1 too large. */
static uint divide_by_long(ulong a, ulong b)
{
    uint s = __builtin_clz((uint)(b >> 32)), r;
    uint d = (uint)((b << s) >> 32);
    ulong halved = a >> 1;
    uint q = divide_by_word((uint)(halved >> 32), (uint)halved, d, &r);

    q = (uint)(((ulong)q << s) >> 31);
    q -= q != 0;
    return q + (a - q * b >= b);
}

static ulong divide(ulong a, ulong b, __private ulong *remainder)
{
    uint a1 = (uint)(a >> 32), a0 = (uint)a, b1 = (uint)(b >> 32), b0 = (uint)b;
    ulong q;

    if ((a1 | b1) == 0) {
        q = b0 ? a0 / b0 : 0;
    } else if (b1 != 0) {
        q = divide_by_long(a, b);
    } else {
        uint q1 = b0 ? a1 / b0 : 0, r;
        q = b0 ? (ulong)q1 << 32 | divide_by_word(a1 - q1 * b0, a0, b0, &r) : 0;
    }
    *remainder = a - q * b;
    return q;
}

ulong __ventus_udiv64(ulong a, ulong b)
{
    ulong r;
    return divide(a, b, &r);
}

ulong __ventus_urem64(ulong a, ulong b)
{
    ulong r;
    divide(a, b, &r);
    return r;
}

static ulong magnitude(long x) { return x < 0 ? 0 - (ulong)x : (ulong)x; }

long __ventus_sdiv64(long a, long b)
{
    ulong q = __ventus_udiv64(magnitude(a), magnitude(b));
    return (long)((a ^ b) < 0 ? 0 - q : q);
}

long __ventus_srem64(long a, long b)
{
    ulong r = __ventus_urem64(magnitude(a), magnitude(b));
    return (long)(a < 0 ? 0 - r : r);
}

/* --- conversion ------------------------------------------------------------------------- */

/* The upper word with a sticky bit for the lower one rounds as the whole would. */
float __ventus_u64tof(ulong x)
{
    uint s = x >> 32 ? __builtin_clz((uint)(x >> 32)) : x ? 32 + __builtin_clz((uint)x) : 63;
    ulong y = x << s;
    float f = (float)((uint)(y >> 32) | ((uint)y != 0));

    return x ? as_float(as_uint(f) + ((32 - s) << 23)) : 0.0f;
}

float __ventus_i64tof(long x)
{
    float f = __ventus_u64tof(magnitude(x));
    return x < 0 ? -f : f;
}

/* |x| without its fraction, for |x| < 2^64 */
static ulong whole(float x)
{
    uint bits = as_uint(x) & 0x7fffffff;
    int places = (int)(bits >> 23) - 127;
    ulong m = (ulong)((bits & 0x7fffff) | 0x800000) << 40;

    return places < 0 ? 0 : m >> (63 - places);
}

ulong __ventus_ftou64(float x)
{
    return !(x > 0) ? 0 : x >= 0x1p64f ? ULONG_MAX : whole(x);
}

long __ventus_ftoi64(float x)
{
    if (x >= 0x1p63f)
        return LONG_MAX;
    if (!(x > -0x1p63f))
        return x != x ? 0 : LONG_MIN;
    return (long)(x < 0 ? 0 - whole(x) : whole(x));
}
