/* address.c -- moves constants from addresses into the offsets of loads and stores, as far as the
 * instructions have room (doc/isa.md). */
#include "cc/fold.h"

enum { STEPS = 8 };

static bool fits(const Ins *i, u32 c, i32 *sum)
{
    const i64 s = (i64)i->imm + (i32)c, room = i->space == IN_PRIVATE ? 1024 : 2048;
    *sum = (i32)s;
    return s >= -room && s < room;
}

/* x + c; an `or` of bits that x does not have is a sum too */
static bool is_sum(const Fold *F, Ref r, Ref *x, u32 *c)
{
    if (fold_is_con(F, r, IR_add, x, c))
        return true;
    return fold_is_con(F, r, IR_or, x, c) && !(*c & ~bits_zero(F, *x));
}

/* (x + c) << n; of a pair 2 * i + 1, say, this is what is 4 bytes behind 2 * i */
static bool is_shifted_sum(const Fold *F, Ref r, Ref *x, u32 *c, u32 *n)
{
    Ref sum;
    if (!fold_is_con(F, r, IR_sll, &sum, n) || *n > 31 || !is_sum(F, sum, x, c))
        return false;
    *c <<= *n;
    return true;
}

/* (x + c) + y, and ((x + c) << n) + y */
static bool take_inner(Fold *F, Ins *i, Ref *base)
{
    Ins d;
    Ref x;
    u32 c, n;
    i32 imm;
    if (!fold_is(F, *base, IR_add, &d))
        return false;
    for (int k = 0; k < 2; k++) {
        const bool adds = is_sum(F, d.a[k], &x, &c);
        if (!adds && !is_shifted_sum(F, d.a[k], &x, &c, &n))
            continue;
        if (!fits(i, c, &imm))
            continue;
        if (!adds)
            x = fold_make(F, IR_sll, x, ref_con(n), i->loc);
        *base = fold_make(F, IR_add, x, d.a[1 - k], i->loc);
        i->imm = imm;
        return true;
    }
    return false;
}

static bool take_constant(Fold *F, Ins *i, Ref *base)
{
    Ref x;
    u32 c;
    i32 imm;
    if (!is_sum(F, *base, &x, &c))
        return take_inner(F, i, base);
    if (!fits(i, c, &imm))
        return false;
    *base = x;
    i->imm = imm;
    return true;
}

/* the upper bits of what a narrow store writes do not matter */
static void narrow_value(Fold *F, Ins *i)
{
    Ref x;
    u32 c;
    const u32 stored = i->width == 1 ? 0xff : 0xffff;
    if (i->width < 4 && fold_is_con(F, i->a[0], IR_and, &x, &c) && (c & stored) == stored) {
        i->a[0] = x;
        F->changed = true;
    }
}

void simplify_address(Fold *F, Ins *i)
{
    Ref *base = &i->a[ir_info[i->op].nargs - 1];
    for (int n = 0; n < STEPS && take_constant(F, i, base); n++)
        F->changed = true;
    if (i->op == IR_store)
        narrow_value(F, i);
}
