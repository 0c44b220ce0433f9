/* op.h -- the helpers that the expressions of op.def are written with.
 *
 * The float helpers work on bit patterns of binary32 and have no branches, so
 * that a loop over lanes vectorises.  Section numbers are those of the RISC-V
 * unprivileged manual: F (floats), V 1.0 (fixed point).
 */
#ifndef ISA_OP_H
#define ISA_OP_H
#include "isa/fp.h"
#include "isa/isa.h"

#define SIGN32 0x80000000u
#define SIGN64 0x8000000000000000u

/* what the float expressions of op.def are about; sim/wide.c has them for 64 bits */
#ifndef F
#define F         fp_f32
#define SIGN      SIGN32
#define BITS      32
#define SIGNED(a) ((u64)(i64)(i32)(a))
#endif

/* Truths are 0 or 1 of type u32: what a lane loop joins by & and | it can do on
 * many lanes at once. */
static inline u32 f32_nan(u32 a) { return (a & ~SIGN32) > 0x7f800000u; }
static inline u32 f32_snan(u32 a) { return f32_nan(a) & ~a >> 22; }
static inline u32 f32_nv(u32 invalid) { return invalid ? FP_NV : 0; }

/* a number that orders as the float does; both zeros are 0 */
static inline i32 f32_order(u32 a) { return (i32)(a & SIGN32 ? SIGN32 - a : a); }
/* the same with -0 below +0 */
static inline i32 f32_order_zeros(u32 a) { return (i32)(a & SIGN32 ? a ^ ~SIGN32 : a); }

static inline u32 f32_ordered(u32 a, u32 b) { return (f32_nan(a) | f32_nan(b)) ^ 1; }

static inline u32 f32_eq(u32 a, u32 b)
{
    return (u32)(f32_order(a) == f32_order(b)) & f32_ordered(a, b);
}
static inline u32 f32_lt(u32 a, u32 b)
{
    return (u32)(f32_order(a) < f32_order(b)) & f32_ordered(a, b);
}
static inline u32 f32_le(u32 a, u32 b)
{
    return (u32)(f32_order(a) <= f32_order(b)) & f32_ordered(a, b);
}

#define F32_CANONICAL 0x7fc00000u
#define F64_CANONICAL 0x7ff8000000000000u

static inline u32 f32_min(u32 a, u32 b)
{
    u32 r = f32_order_zeros(a) < f32_order_zeros(b) ? a : b;
    r = f32_nan(b) ? a : r;
    r = f32_nan(a) ? b : r;
    return (f32_nan(a) & f32_nan(b)) ? F32_CANONICAL : r;
}
static inline u32 f32_max(u32 a, u32 b)
{
    u32 r = f32_order_zeros(a) > f32_order_zeros(b) ? a : b;
    r = f32_nan(b) ? a : r;
    r = f32_nan(a) ? b : r;
    return (f32_nan(a) & f32_nan(b)) ? F32_CANONICAL : r;
}

/* F 11.9: the class as one of ten bits */
static inline u32 f32_class(u32 a)
{
    const u32 exp = a >> 23 & 0xff, frac = a & 0x7fffff, neg = a >> 31;
    const u32 finite = exp ? (neg ? 1u << 1 : 1u << 6)
                           : frac ? (neg ? 1u << 2 : 1u << 5) : (neg ? 1u << 3 : 1u << 4);
    const u32 special = frac ? (frac >> 22 ? 1u << 9 : 1u << 8) : (neg ? 1u << 0 : 1u << 7);
    return exp == 0xff ? special : finite;
}

/* |a| to the nearest integer (rtz: towards zero), UINT64_MAX when that is 2^33 or
 * more, infinite or NaN; *inexact tells whether something was lost. */
static inline u64 f32_magnitude(u32 a, bool rtz, u32 *inexact)
{
    const i32 exp = (i32)(a >> 23 & 0xff), shift = 150 - exp;
    const u64 m = (a & 0x7fffff) | (exp ? 0x800000u : 0);
    const i32 right = shift < 0 ? 0 : shift > 30 ? 30 : shift, left = shift < 0 ? -shift : 0;
    const u64 q = m >> right, rest = m & (((u64)1 << right) - 1), half = (u64)1 << right >> 1;
    const u64 tie_up = (u64)(rest == half) & (u64)(rest != 0) & q;
    const u64 up = rtz ? 0 : ((u64)(rest > half) | tie_up) & 1;
    *inexact = rest != 0;
    return left > 9 ? UINT64_MAX : (q + up) << left;
}

static inline u32 f32_to_i32(u32 a, bool rtz)
{
    u32 inexact;
    const u32 neg = a >> 31 & ~f32_nan(a) & 1;
    const u64 v = f32_magnitude(a, rtz, &inexact), most = SIGN32 - 1 + neg;
    const u32 r = (u32)(v > most ? most : v);
    return neg ? 0 - r : r;
}
static inline u32 f32_to_i32_flags(u32 a, bool rtz)
{
    u32 inexact;
    const u64 v = f32_magnitude(a, rtz, &inexact);
    const u32 invalid = (u32)(v > SIGN32 - 1 + (a >> 31)) | f32_nan(a);
    return invalid ? FP_NV : inexact ? FP_NX : 0;
}
static inline u32 f32_to_u32(u32 a, bool rtz)
{
    u32 inexact;
    const u64 v = f32_magnitude(a, rtz, &inexact);
    const u32 r = v > UINT32_MAX ? UINT32_MAX : (u32)v;
    return a >> 31 & ~f32_nan(a) & 1 ? 0 : r;
}
static inline u32 f32_to_u32_flags(u32 a, bool rtz)
{
    u32 inexact;
    const u64 v = f32_magnitude(a, rtz, &inexact);
    const u32 invalid = (u32)(v > (a >> 31 ? 0 : UINT32_MAX)) | f32_nan(a);
    return invalid ? FP_NV : inexact ? FP_NX : 0;
}

/* --- fixed point (V 1.0, 12) ------------------------------------------------- */

static inline u32 fix_saddu(u32 a, u32 b, bool *sat)
{
    const u32 r = a + b;
    *sat |= r < a;
    return r < a ? UINT32_MAX : r;
}
static inline u32 fix_clamp(i64 v, bool *sat)
{
    *sat |= v != (i32)v;
    return (u32)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}
static inline u32 fix_sadd(u32 a, u32 b, bool *sat) { return fix_clamp((i64)(i32)a + (i32)b, sat); }
static inline u32 fix_ssubu(u32 a, u32 b, bool *sat)
{
    *sat |= a < b;
    return a < b ? 0 : a - b;
}
static inline u32 fix_ssub(u32 a, u32 b, bool *sat) { return fix_clamp((i64)(i32)a - (i32)b, sat); }

/* the bit that vxrm adds when the low `shift` bits of v are dropped (V 1.0, 3.8) */
static inline u64 fix_increment(u64 v, u32 shift, u32 vxrm)
{
    const u64 last = shift ? v >> (shift - 1) & 1 : 0;
    const u64 rest = (u64)(shift > 1 && v & (((u64)1 << (shift - 1)) - 1));
    const u64 kept = v >> shift & 1;
    switch (vxrm & 3) {
    case 0: return last;                    /* rnu */
    case 1: return last & (rest | kept);    /* rne */
    case 2: return 0;                       /* rdn */
    default: return (kept ^ 1) & (last | rest); /* rod */
    }
}
static inline u32 fix_round(u64 v, u32 shift, u32 vxrm)
{
    return (u32)((u64)((i64)v >> shift) + fix_increment(v, shift, vxrm));
}
static inline u32 fix_smul(u32 a, u32 b, u32 vxrm, bool *sat)
{
    const u64 p = (u64)((i64)(i32)a * (i32)b);
    return fix_clamp(((i64)p >> 31) + (i64)fix_increment(p, 31, vxrm), sat);
}
#endif
