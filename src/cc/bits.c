/* bits.c -- which bits of a value are known to be zero, from what makes it.  The search
 * goes a few definitions up. */
#include "cc/fold.h"

enum { DEPTH = 4 };

/* all bits above the highest one of m */
static u32 above(u32 m) { return m ? ~(UINT32_MAX >> __builtin_clz(m)) : UINT32_MAX; }

static u32 zero(const Fold *F, Ref r, int depth);

static u32 zero_of_shift(const Ins *i, u32 x)
{
    if (i->a[1].kind != R_CON)
        return 0;
    const u32 k = i->a[1].val & 31;
    switch (i->op) {
    case IR_sll: return x << k | ((1u << k) - 1);
    case IR_srl: return x >> k | ~(UINT32_MAX >> k);
    default: return (u32)((i32)x >> k);
    }
}

/* a result that is not above what may be in x and in y; without carries it has what is in them */
static u32 zero_of_sum(u32 x, u32 y)
{
    if (!(~x & ~y))
        return x & y;
    const u32 most = ~(above(~x) & above(~y));
    return ~(most << 1 | 1);
}

static u32 zero_of(const Fold *F, const Ins *i, int depth)
{
    switch (i->op) {
    case IR_eq:
    case IR_ne:
    case IR_lt:
    case IR_ge:
    case IR_ltu:
    case IR_geu:
    case IR_feq:
    case IR_flt:
    case IR_fle: return ~1u;
    case IR_load: return i->sext || i->width == 4 ? 0 : UINT32_MAX << 8 * i->width;
    case IR_and: return zero(F, i->a[0], depth) | zero(F, i->a[1], depth);
    case IR_or:
    case IR_xor: return zero(F, i->a[0], depth) & zero(F, i->a[1], depth);
    case IR_add: return zero_of_sum(zero(F, i->a[0], depth), zero(F, i->a[1], depth));
    case IR_select: return zero(F, i->a[1], depth) & zero(F, i->a[2], depth);
    case IR_sll:
    case IR_srl:
    case IR_sra: return zero_of_shift(i, zero(F, i->a[0], depth));
    case IR_minu: return above(~zero(F, i->a[0], depth)) | above(~zero(F, i->a[1], depth));
    case IR_remu: return i->a[1].kind == R_CON && i->a[1].val ? above(i->a[1].val - 1) : 0;
    default: return 0;
    }
}

static u32 zero(const Fold *F, Ref r, int depth)
{
    if (r.kind == R_CON)
        return ~r.val;
    if (r.kind != R_VAL || r.val >= F->ndef || !depth)
        return 0;
    return zero_of(F, &F->def[r.val], depth - 1);
}

u32 bits_zero(const Fold *F, Ref r) { return zero(F, r, DEPTH); }
