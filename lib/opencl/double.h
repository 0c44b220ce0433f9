/* double.h -- binary64 as its bits, for the files of the library that compute with it.
 *
 * The machine has no binary64.  A double is a ulong here; the functions below are what the
 * lowering calls for the operations of the language (ll/libcalls.c).  All of them round to nearest,
 * ties to even, keep denormals, and give the canonical NaN, as IEEE 754 and the machine's own floats do.
 */
#ifndef DOUBLE_H
#define DOUBLE_H
#include "ventus.h"

#define D_SIGN ((ulong)1 << 63)
#define D_ABS  (D_SIGN - 1)
#define D_ONE  ((ulong)1 << 52)                 /* the bit that normal numbers do not store */
#define D_INF  ((ulong)0x7ff << 52)
#define D_NAN  ((ulong)0x7ff8 << 48)

uint OVL mul_hi(uint a, uint b);
ulong OVL mul_hi(ulong a, ulong b);
long OVL mul_hi(long a, long b);

/* --- a number in pieces ---------------------------------------------------------------------
 *
 * Between unpacking and rounding a number is sign, biased exponent e and significand m with its
 * leading bit at bit 62: |value| = m * 2^(e - 1023 - 62).  The ten bits below the fraction decide
 * how it is rounded; the lowest of them is sticky: it also stands for everything that was shifted
 * out.  An exponent of 0 or less is a denormal's.
 */

static inline uint high(ulong x) { return (uint)(x >> 32); }
static inline uint low(ulong x) { return (uint)x; }
static inline ulong both(uint hi, uint lo) { return (ulong)hi << 32 | lo; }

static inline uint at_most(uint x, uint bound) { return x < bound ? x : bound; }
static inline uint at_least(uint x, uint bound) { return x > bound ? x : bound; }

static inline uint zeros(uint x) { return x ? (uint)__builtin_clz(x) : 32; } /* leading ones of them */

/* One of two, without a branch, which LLVM makes of several ?: with one condition. */
static inline uint pick(bool first, uint a, uint b)
{
    const uint mask = 0 - (uint)first;
    return (a & mask) | (b & ~mask);
}
static inline ulong pick_wide(bool first, ulong a, ulong b)
{
    return both(pick(first, high(a), high(b)), pick(first, low(a), low(b)));
}

/* m << n and m >> n for n below 64, word by word: without a branch, and in fewer instructions than the
 * lowering takes for any n; the latter with what is lost in bit 0 */
static inline ulong shift_left(ulong m, uint n)
{
    const bool far = n >> 5;
    const uint hi = pick(far, low(m), high(m)), lo = pick(far, 0, low(m));
    return both(hi << (n & 31) | lo >> 1 >> (~n & 31), lo << (n & 31));
}
static inline ulong shift_sticky_near(ulong m, uint n)
{
    const bool far = n >> 5;
    const uint hi = pick(far, 0, high(m)), lo = pick(far, high(m), low(m)), off = pick(far, low(m), 0);
    const uint lost = off | lo << 1 << (~n & 31);
    return both(hi >> (n & 31), lo >> (n & 31) | hi << 1 << (~n & 31) | (lost != 0));
}

/* m >> n for n >= 0, with what is lost in bit 0 */
static inline ulong shift_sticky(ulong m, uint n)
{
    if (n > 63)
        return m != 0;
    const ulong kept = m >> n;
    return kept | ((kept << n) != m);
}

/* The double nearest to the significand m, leading bit at 62, with exponent e and sign bit s. */
static inline ulong round_pack(ulong s, int e, ulong m)
{
    if (e >= 0x7ff)
        return s | D_INF;
    if (e <= 0) {
        m = shift_sticky(m, (uint)(1 - e));
        e = 1;
    }
    const uint rest = (uint)m & 0x3ff;
    m = (m + 0x200) >> 10;
    m &= ~(ulong)(rest == 0x200);
    /* the leading bit adds one to the exponent; a carry out of the fraction one more */
    return s | (((ulong)(uint)(e - 1) << 52) + m);
}

static inline uint exponent(ulong x) { return (uint)(x >> 52) & 0x7ff; }

/* The significand of a finite number that is not 0, leading bit at 52; a denormal's exponent is
 * lowered to fit. */
static inline ulong significand(ulong x, int *e)
{
    ulong m = x & (D_ONE - 1);
    *e = (int)exponent(x);
    if (*e)
        return m | D_ONE;
    const uint z = (uint)__builtin_clzl(m) - 11;
    *e = 1 - (int)z;
    return m << z;
}

/* About 2^127 / d, for d from 2^63 on: from a float, then two steps of Newton's; to a few units. */
ulong __ventus_reciprocal(ulong d);
/* About 2^63 / sqrt(X), for X = m / 2^61 from 1 up to 4: likewise. */
ulong __ventus_inverse_root(ulong m);

/* --- the operations of the language ----------------------------------------------------------- */


ulong __ventus_dadd(ulong a, ulong b);
ulong __ventus_dsub(ulong a, ulong b);
ulong __ventus_dmul(ulong a, ulong b);
ulong __ventus_ddiv(ulong a, ulong b);
ulong __ventus_dfma(ulong a, ulong b, ulong c);
ulong __ventus_dsqrt(ulong a);
ulong __ventus_dneg(ulong a);
ulong __ventus_dabs(ulong a);
ulong __ventus_dcopysign(ulong a, ulong sign);
ulong __ventus_dscale(ulong a, int n);          /* a 2^n */
uint __ventus_dclass(ulong a, ulong classes);    /* 1: a is in one of the classes, numbered as LLVM does */
int __ventus_dcmp(ulong a, ulong b);            /* -1 less, 0 equal, 1 greater, 2 unordered */

ulong __ventus_i32tod(int x);                   /* exact */
ulong __ventus_u32tod(uint x);
ulong __ventus_i64tod(long x);
ulong __ventus_u64tod(ulong x);
ulong __ventus_ftod(float x);                   /* exact */
float __ventus_dtof(ulong a);
int __ventus_dtoi32(ulong a);                   /* toward zero; saturates, NaN is 0 */
uint __ventus_dtou32(ulong a);
long __ventus_dtoi64(ulong a);
ulong __ventus_dtou64(ulong a);

ulong __ventus_dfloor(ulong a);
ulong __ventus_dceil(ulong a);
ulong __ventus_dtrunc(ulong a);
ulong __ventus_drint(ulong a);                  /* ties to even */
ulong __ventus_dround(ulong a);                 /* ties away from zero */
ulong __ventus_dmin(ulong a, ulong b);          /* a NaN loses against a number */
ulong __ventus_dmax(ulong a, ulong b);
#endif
