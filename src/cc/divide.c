/* divide.c -- division and remainder by a constant.
 *
 * Powers of two are shifts.  Other divisors become a multiplication by a scaled
 * reciprocal: with m d = 2^(32+k) + e and e small enough, the upper half of m n, shifted
 * right by k, is the quotient (Granlund and Montgomery, "Division by Invariant Integers
 * using Multiplication", theorems 4.2 and 5.1).
 */
#include "cc/fold.h"

typedef struct {
    u64 m;
    u32 k;
} Reciprocal;

static u32 log2_of(u32 pow2) { return (u32)__builtin_ctz(pow2); }

/* The smallest k whose m is right for dividends of at most 2^bits; false: m has 33 bits. */
static bool reciprocal(u32 d, u32 bits, Reciprocal *r)
{
    for (u32 k = 0; k < 31; k++) {
        const u64 scale = (u64)1 << (32 + k), m = scale / d + 1;
        if (m * d - scale <= (u64)1 << (32 + k - bits)) {
            *r = (Reciprocal){m, k};
            return m <= UINT32_MAX;
        }
    }
    return false;
}

static Ref shift(Fold *F, IrOp op, Ref x, u32 k, u32 loc)
{
    return fold_make(F, op, x, ref_con(k), loc);
}

/* the upper half of n times (2^32 + m), shifted by k + 1: the sum has 33 bits */
static Ref long_reciprocal(Fold *F, Ref n, u32 d, u32 loc)
{
    const u32 k = 31 - (u32)__builtin_clz(d);
    const u64 m = ((((u64)2 << k) - d) << 32) / d + 1;
    const Ref t = fold_make(F, IR_mulhu, n, ref_con((u32)m), loc);
    const Ref half = shift(F, IR_srl, fold_make(F, IR_sub, n, t, loc), 1, loc);
    return shift(F, IR_srl, fold_make(F, IR_add, half, t, loc), k, loc);
}

static Ref divide_unsigned(Fold *F, Ref n, u32 d, u32 loc)
{
    Reciprocal r;
    if (is_pow2(d))
        return shift(F, IR_srl, n, log2_of(d), loc);
    if (reciprocal(d, 32, &r))
        return shift(F, IR_srl, fold_make(F, IR_mulhu, n, ref_con((u32)r.m), loc), r.k, loc);
    const u32 s = log2_of(d & (0 - d));
    if (!s || !reciprocal(d >> s, 32 - s, &r))
        return long_reciprocal(F, n, d, loc);
    const Ref high = fold_make(F, IR_mulhu, shift(F, IR_srl, n, s, loc), ref_con((u32)r.m), loc);
    return shift(F, IR_srl, high, r.k, loc);
}

/* 2^k - 1 where n is negative, else 0: what makes a shift round towards zero */
static Ref bias(Fold *F, Ref n, u32 k, u32 loc)
{
    return shift(F, IR_srl, shift(F, IR_sra, n, 31, loc), 32 - k, loc);
}

/* d is at least 2 */
static Ref divide_positive(Fold *F, Ref n, u32 d, u32 loc)
{
    Reciprocal r = {0};
    if (is_pow2(d)) {
        const u32 k = log2_of(d);
        return shift(F, IR_sra, fold_make(F, IR_add, n, bias(F, n, k, loc), loc), k, loc);
    }
    reciprocal(d, 31, &r); /* m has at most 32 bits: d is below 2^31 */
    Ref q = fold_make(F, IR_mulh, n, ref_con((u32)r.m), loc);
    if (r.m > INT32_MAX) /* taken as m - 2^32 */
        q = fold_make(F, IR_add, q, n, loc);
    q = shift(F, IR_sra, q, r.k, loc);
    return fold_make(F, IR_add, q, shift(F, IR_srl, n, 31, loc), loc);
}

static Ref divide_signed(Fold *F, Ref n, u32 d, u32 loc)
{
    const bool negative = d >> 31;
    const Ref q = divide_positive(F, n, negative ? 0 - d : d, loc);
    return negative ? fold_make(F, IR_sub, ref_con(0), q, loc) : q;
}

/* the sign of d does not matter */
static Ref remainder_signed(Fold *F, Ref n, u32 d, u32 loc)
{
    d = d >> 31 ? 0 - d : d;
    if (is_pow2(d)) {
        const Ref b = bias(F, n, log2_of(d), loc);
        const Ref low = fold_make(F, IR_and, fold_make(F, IR_add, n, b, loc), ref_con(d - 1), loc);
        return fold_make(F, IR_sub, low, b, loc);
    }
    const Ref q = divide_positive(F, n, d, loc);
    return fold_make(F, IR_sub, n, fold_make(F, IR_mul, q, ref_con(d), loc), loc);
}

static Ref remainder_unsigned(Fold *F, Ref n, u32 d, u32 loc)
{
    if (is_pow2(d))
        return fold_make(F, IR_and, n, ref_con(d - 1), loc);
    const Ref q = divide_unsigned(F, n, d, loc);
    return fold_make(F, IR_sub, n, fold_make(F, IR_mul, q, ref_con(d), loc), loc);
}

Ref divide_by(Fold *F, const Ins *i, u32 d)
{
    const Ref n = i->a[0];
    const bool is_rem = i->op == IR_rem || i->op == IR_remu;
    const bool is_signed = i->op == IR_div || i->op == IR_rem;
    if (d == 0)
        return is_rem ? n : ref_con(UINT32_MAX);
    if (d == 1)
        return is_rem ? ref_con(0) : n;
    if (d == UINT32_MAX && is_signed)
        return is_rem ? ref_con(0) : fold_make(F, IR_sub, ref_con(0), n, i->loc);
    if (is_rem)
        return is_signed ? remainder_signed(F, n, d, i->loc) : remainder_unsigned(F, n, d, i->loc);
    return is_signed ? divide_signed(F, n, d, i->loc) : divide_unsigned(F, n, d, i->loc);
}
