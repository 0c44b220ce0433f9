/* simplify.c -- what an operation is equal to when its operands are special.
 *
 * A rule looks at one instruction and a few definitions above it, and answers with a
 * reference, or changes the instruction into another with the same result.  Before the rules,
 * constants go to the right where order does not matter, so that each rule is written once.
 * Floats change only where every bit of the result stays, that of a NaN included.
 */
#include "cc/fold.h"

static Ref keep(void) { return ref_none(); }
static Ref con(u32 c) { return ref_con(c); }

/* *i becomes another operation with the same result, which is simplified in its turn. */
static Ref become(Fold *F, Ins *i, IrOp op, Ref a, Ref b)
{
    Ref r = ref_none();
    *i = (Ins){.op = (u16)op, .dst = i->dst, .loc = i->loc, .a = {a, b}};
    F->changed = true;
    if (++F->depth < FOLD_DEPTH)
        r = simplify(F, i);
    F->depth--;
    return r;
}

static Ref negate(Fold *F, Ins *i, Ref x) { return become(F, i, IR_sub, con(0), x); }

static Ref invert(Fold *F, Ref x, u32 loc) { return fold_make(F, IR_xor, x, con(1), loc); }

/* --- order ------------------------------------------------------------------------------ */

static int rank(Ref r) { return r.kind == R_CON ? 2 : r.kind == R_VAL ? 0 : 1; }

static void order_operands(Ins *i)
{
    const Ref a = i->a[0], b = i->a[1];
    const int x = rank(a), y = rank(b);
    if (ir_commutes((IrOp)i->op) && (x > y || (x == y && a.val > b.val))) {
        i->a[0] = b;
        i->a[1] = a;
    }
}

/* --- sums ------------------------------------------------------------------------------- */

static Ref add_constant(Fold *F, Ins *i, Ref x, u32 c)
{
    const i64 off = (i64)x.off + (i32)c;
    Ins d;
    Ref y;
    u32 c2;
    if (c == 0)
        return x;
    if ((x.kind == R_SYM || x.kind == R_SLOT) && off == (i16)off)
        return (Ref){.kind = x.kind, .val = x.val, .off = (i16)off};
    if (fold_is_con(F, x, IR_add, &y, &c2))
        return become(F, i, IR_add, y, con(c + c2));
    if (fold_is(F, x, IR_sub, &d) && d.a[0].kind == R_CON)
        return become(F, i, IR_sub, con(d.a[0].val + c), d.a[1]);
    if (c == 1 && fold_is_con(F, x, IR_xor, &y, &c2) && c2 == UINT32_MAX)
        return negate(F, i, y);
    return keep();
}

static Ref rule_add(Fold *F, Ins *i)
{
    const Ref a = i->a[0], b = i->a[1];
    Ins d;
    if (b.kind == R_CON)
        return add_constant(F, i, a, b.val);
    for (int k = 0; k < 2; k++) {
        const Ref x = i->a[k], y = i->a[1 - k];
        if (!fold_is(F, y, IR_sub, &d))
            continue;
        if (ref_is_con(d.a[0], 0)) /* x + (0 - z) */
            return become(F, i, IR_sub, x, d.a[1]);
        if (ref_same(d.a[1], x)) /* x + (z - x) */
            return d.a[0];
    }
    return keep();
}

static Ref rule_sub(Fold *F, Ins *i)
{
    const Ref a = i->a[0], b = i->a[1];
    Ref x;
    Ins d;
    u32 c;
    if (ref_same(a, b))
        return con(0);
    if (b.kind == R_CON)
        return become(F, i, IR_add, a, con(0 - b.val));
    if (ref_is_con(a, UINT32_MAX))
        return become(F, i, IR_xor, b, con(UINT32_MAX));
    if (a.kind == R_CON && fold_is_con(F, b, IR_add, &x, &c))
        return become(F, i, IR_sub, con(a.val - c), x);
    if (fold_is(F, b, IR_sub, &d) && (ref_is_con(d.a[0], 0) || ref_is_con(a, 0)))
        return ref_is_con(a, 0) ? become(F, i, IR_sub, d.a[1], d.a[0])
                                : become(F, i, IR_add, a, d.a[1]);
    if (fold_is(F, a, IR_add, &d) && (ref_same(d.a[0], b) || ref_same(d.a[1], b)))
        return d.a[ref_same(d.a[0], b)];
    return keep();
}

/* --- products --------------------------------------------------------------------------- */

static u32 log2_of(u32 pow2) { return (u32)__builtin_ctz(pow2); }

static Ref rule_mul(Fold *F, Ins *i)
{
    const Ref a = i->a[0], b = i->a[1];
    Ref x;
    u32 c;
    if (b.kind != R_CON)
        return keep();
    if (b.val <= 1)
        return b.val ? a : con(0);
    if (b.val == UINT32_MAX)
        return negate(F, i, a);
    if (is_pow2(b.val))
        return become(F, i, IR_sll, a, con(log2_of(b.val)));
    if (fold_is_con(F, a, IR_mul, &x, &c))
        return become(F, i, IR_mul, x, con(b.val * c));
    if (fold_is_con(F, a, IR_sll, &x, &c))
        return become(F, i, IR_mul, x, con(b.val << (c & 31)));
    return keep();
}

static Ref rule_mulh(Fold *F, Ins *i)
{
    const Ref a = i->a[0], b = i->a[1];
    if (b.kind != R_CON)
        return keep();
    if (b.val == 0)
        return con(0);
    if (b.val == 1)
        return i->op == IR_mulhu ? con(0) : become(F, i, IR_sra, a, con(31));
    if (i->op == IR_mulhu && is_pow2(b.val))
        return become(F, i, IR_srl, a, con(32 - log2_of(b.val)));
    return keep();
}

static Ref rule_divide(Fold *F, Ins *i)
{
    return i->a[1].kind == R_CON ? divide_by(F, i, i->a[1].val) : keep();
}

/* --- bits ------------------------------------------------------------------------------- */

/* whether y is made by `op` with x as an operand */
static bool absorbs(const Fold *F, Ref x, Ref y, IrOp op)
{
    Ins d;
    return fold_is(F, y, op, &d) && (ref_same(d.a[0], x) || ref_same(d.a[1], x));
}

static bool is_complement(const Fold *F, Ref x, Ref y)
{
    Ref of;
    u32 c;
    return fold_is_con(F, y, IR_xor, &of, &c) && c == UINT32_MAX && ref_same(of, x);
}

static Ref and_constant(Fold *F, Ins *i, Ref x, u32 c)
{
    const u32 zero = bits_zero(F, x);
    Ref y;
    u32 c2;
    if (!(c & ~zero))
        return con(0);
    if (!(~c & ~zero))
        return x;
    if (fold_is_con(F, x, IR_and, &y, &c2))
        return become(F, i, IR_and, y, con(c & c2));
    if (fold_is_con(F, x, IR_or, &y, &c2) && !(c & c2))
        return become(F, i, IR_and, y, con(c));
    if (fold_is_con(F, x, IR_sra, &y, &c2) &&
        !(c & ~(UINT32_MAX >> (c2 & 31)))) /* no copied sign */
        return become(F, i, IR_and, fold_make(F, IR_srl, y, con(c2), i->loc), con(c));
    return keep();
}

static Ref rule_and(Fold *F, Ins *i)
{
    const Ref a = i->a[0], b = i->a[1];
    if (ref_same(a, b))
        return a;
    if (b.kind == R_CON)
        return and_constant(F, i, a, b.val);
    if (is_complement(F, a, b) || is_complement(F, b, a))
        return con(0);
    if (absorbs(F, a, b, IR_or))
        return a;
    return absorbs(F, b, a, IR_or) ? b : keep();
}

static Ref rule_or(Fold *F, Ins *i)
{
    const Ref a = i->a[0], b = i->a[1];
    Ref x;
    u32 c;
    if (ref_same(a, b) || ref_is_con(b, 0))
        return a;
    if (ref_is_con(b, UINT32_MAX) || is_complement(F, a, b) || is_complement(F, b, a))
        return con(UINT32_MAX);
    if (b.kind == R_CON && fold_is_con(F, a, IR_or, &x, &c))
        return become(F, i, IR_or, x, con(b.val | c));
    if (absorbs(F, a, b, IR_and))
        return a;
    return absorbs(F, b, a, IR_and) ? b : keep();
}

static_assert(IR_ne == IR_eq + 1 && IR_lt == IR_eq + 2 && IR_ge == IR_eq + 3 &&
                  IR_ltu == IR_eq + 4 && IR_geu == IR_eq + 5 && CMP_geu == 5,
              "comparisons are in the order of Cmp");

/* the other one of the pairs eq ne, lt ge, ltu geu */
static IrOp inverse(u16 op) { return (IrOp)(((op - IR_eq) ^ 1) + IR_eq); }

static Ref rule_xor(Fold *F, Ins *i)
{
    const Ref a = i->a[0], b = i->a[1];
    Ref x;
    Ins d;
    u32 c;
    if (ref_same(a, b))
        return con(0);
    if (ref_is_con(b, 0))
        return a;
    if (b.kind == R_CON && fold_is_con(F, a, IR_xor, &x, &c))
        return become(F, i, IR_xor, x, con(b.val ^ c));
    if (ref_is_con(b, 1) && a.kind == R_VAL && ir_compares(F->def[a.val].op)) {
        d = F->def[a.val];
        return become(F, i, inverse(d.op), d.a[0], d.a[1]);
    }
    for (int k = 0; k < 2; k++)
        if (fold_is(F, i->a[k], IR_xor, &d))
            for (int j = 0; j < 2; j++)
                if (ref_same(d.a[j], i->a[1 - k]))
                    return d.a[1 - j];
    return keep();
}

/* --- shifts ----------------------------------------------------------------------------- */

/* whether bits 31 - k to 31 of x are equal */
static bool is_sign_extended(const Fold *F, Ref x, u32 k)
{
    Ins d;
    if (fold_is(F, x, IR_load, &d) && d.sext && 8u * d.width <= 32 - k)
        return true;
    return !(~bits_zero(F, x) & UINT32_MAX << (31 - k));
}

/* a shift by k of x shifted by k in the other direction */
static Ref shift_back(Fold *F, Ins *i, Ref x, u32 k)
{
    if (i->op == IR_sll)
        return become(F, i, IR_and, x, con(UINT32_MAX << k));
    if (i->op == IR_srl)
        return become(F, i, IR_and, x, con(UINT32_MAX >> k));
    return is_sign_extended(F, x, k) ? x : keep();
}

static Ref shift_constant(Fold *F, Ins *i, Ref x, u32 k)
{
    Ref y;
    u32 k2;
    if (k == 0)
        return x;
    i->a[1] = con(k);
    if (fold_is_con(F, x, (IrOp)i->op, &y, &k2)) {
        const u32 both = k + (k2 & 31);
        if (both > 31 && i->op != IR_sra)
            return con(0);
        return become(F, i, (IrOp)i->op, y, con(both > 31 ? 31 : both));
    }
    if (i->op != IR_sll && fold_is_con(F, x, IR_sll, &y, &k2) && (k2 & 31) == k)
        return shift_back(F, i, y, k);
    if (i->op == IR_sll && fold_is_con(F, x, IR_srl, &y, &k2) && (k2 & 31) == k)
        return shift_back(F, i, y, k);
    if (i->op == IR_srl && k == 31 && fold_is_con(F, x, IR_sra, &y, &k2))
        return become(F, i, IR_srl, y, con(31));
    if (i->op == IR_srl && !(~bits_zero(F, x) >> k))
        return con(0);
    if (i->op == IR_sra && bits_zero(F, x) >> 31)
        return become(F, i, IR_srl, x, con(k));
    return keep();
}

static Ref rule_shift(Fold *F, Ins *i)
{
    Ref y;
    u32 c;
    if (ref_is_con(i->a[0], 0))
        return con(0);
    if (i->a[1].kind == R_CON)
        return shift_constant(F, i, i->a[0], i->a[1].val & 31);
    if (fold_is_con(F, i->a[1], IR_and, &y, &c) && (c & 31) == 31)
        return become(F, i, (IrOp)i->op, i->a[0], y);
    return keep();
}

/* --- minimum, maximum ------------------------------------------------------------------- */

static Ref rule_min_max(Fold *F, Ins *i)
{
    const u16 op = i->op;
    const bool is_signed = op == IR_min || op == IR_max, is_min = op == IR_min || op == IR_minu;
    const u32 least = is_signed ? (u32)INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
    Ref x;
    u32 c;
    if (ref_same(i->a[0], i->a[1]))
        return i->a[0];
    if (i->a[1].kind != R_CON)
        return keep();
    if (i->a[1].val == (is_min ? most : least))
        return i->a[0];
    if (i->a[1].val == (is_min ? least : most))
        return i->a[1];
    if (fold_is_con(F, i->a[0], (IrOp)op, &x, &c))
        return become(F, i, (IrOp)op, x, con(op_eval(ir_info[op].eval, c, i->a[1].val)));
    return keep();
}

/* --- comparisons ------------------------------------------------------------------------ */

/* eq and ne with a constant on the right */
static Ref equal_constant(Fold *F, Ins *i, Ref x, u32 c)
{
    const bool is_eq = i->op == IR_eq;
    Ref y;
    u32 c2;
    Ins d;
    if (c & bits_zero(F, x))
        return con(!is_eq);
    if (bits_bool(F, x))
        return is_eq == (c == 1) ? x : invert(F, x, i->loc);
    if (fold_is_con(F, x, IR_add, &y, &c2))
        return become(F, i, (IrOp)i->op, y, con(c - c2));
    if (fold_is_con(F, x, IR_xor, &y, &c2))
        return become(F, i, (IrOp)i->op, y, con(c ^ c2));
    if (c == 0 && (fold_is(F, x, IR_xor, &d) || fold_is(F, x, IR_sub, &d)))
        return become(F, i, (IrOp)i->op, d.a[0], d.a[1]);
    return keep();
}

static Ref rule_equal(Fold *F, Ins *i)
{
    if (ref_same(i->a[0], i->a[1]))
        return con(i->op == IR_eq);
    return i->a[1].kind == R_CON ? equal_constant(F, i, i->a[0], i->a[1].val) : keep();
}

/* c < x is x >= c + 1, and the like */
static Ref mirror_less(Fold *F, Ins *i, u32 c, bool is_signed)
{
    const u32 most = is_signed ? INT32_MAX : UINT32_MAX;
    const bool is_less = i->op == IR_lt || i->op == IR_ltu;
    if (c == most)
        return con(!is_less);
    return become(F, i, inverse(i->op), i->a[1], con(c + 1));
}

static Ref less_constant(Fold *F, Ins *i, Ref x, u32 c, bool is_signed)
{
    const bool is_less = i->op == IR_lt || i->op == IR_ltu;
    const u32 most = ~bits_zero(F, x);
    if (c == (is_signed ? (u32)INT32_MIN : 0))
        return con(!is_less);
    if (!is_signed && c == 1)
        return become(F, i, is_less ? IR_eq : IR_ne, x, con(0));
    if (most >> 31 == 0 && c >> 31 == 0 && is_signed) /* x is not negative: signs do not matter */
        return become(F, i, is_less ? IR_ltu : IR_geu, x, con(c));
    if (!is_signed && most < c)
        return con(is_less);
    return keep();
}

static Ref rule_less(Fold *F, Ins *i)
{
    const bool is_signed = i->op == IR_lt || i->op == IR_ge;
    if (ref_same(i->a[0], i->a[1]))
        return con(i->op == IR_ge || i->op == IR_geu);
    if (i->a[0].kind == R_CON)
        return mirror_less(F, i, i->a[0].val, is_signed);
    return i->a[1].kind == R_CON ? less_constant(F, i, i->a[0], i->a[1].val, is_signed) : keep();
}

/* --- select ----------------------------------------------------------------------------- */

/* both arms are constants */
static Ref select_constants(Fold *F, Ins *i, Ref c, u32 a, u32 b)
{
    if (a == 1 && b == 0)
        return c;
    if (a == 0 && b == 1)
        return become(F, i, IR_xor, c, con(1));
    if (a == UINT32_MAX && b == 0)
        return become(F, i, IR_sub, con(0), c);
    if (b == 0 && is_pow2(a))
        return become(F, i, IR_sll, c, con(log2_of(a)));
    if (a - b == 1)
        return become(F, i, IR_add, c, con(b));
    return keep();
}

/* one arm is 0 or 1 and the other one a boolean */
static Ref select_booleans(Fold *F, Ins *i, Ref c, Ref a, Ref b)
{
    if (ref_is_con(b, 0) && bits_bool(F, a))
        return become(F, i, IR_and, c, a);
    if (ref_is_con(a, 1) && bits_bool(F, b))
        return become(F, i, IR_or, c, b);
    if (ref_is_con(a, 0) && bits_bool(F, b))
        return become(F, i, IR_and, invert(F, c, i->loc), b);
    if (ref_is_con(b, 1) && bits_bool(F, a))
        return become(F, i, IR_or, invert(F, c, i->loc), a);
    return keep();
}

static IrOp minimum_of(u16 less, bool is_min)
{
    const bool is_signed = less == IR_lt || less == IR_ge;
    return is_signed ? is_min ? IR_min : IR_max : is_min ? IR_minu : IR_maxu;
}

/* the arms are the operands of the comparison that is the condition */
static Ref select_compared(Fold *F, Ins *i, const Ins *d, Ref a, Ref b)
{
    const bool is_less = d->op == IR_lt || d->op == IR_ltu;
    const bool straight = ref_same(d->a[0], a) && ref_same(d->a[1], b);
    const bool crossed = ref_same(d->a[0], b) && ref_same(d->a[1], a);
    if (!straight && !crossed)
        return keep();
    if (d->op == IR_eq || d->op == IR_ne)
        return d->op == IR_eq ? b : a;
    return become(F, i, minimum_of(d->op, is_less == straight), a, b);
}

/* x >= k ? x : k - 1, which rule_less makes of k - 1 < x ? x : k - 1 */
static Ref select_bounded(Fold *F, Ins *i, const Ins *d, Ref a, Ref b)
{
    const bool is_less = d->op == IR_lt || d->op == IR_ltu;
    if (!ir_compares(d->op) || d->op == IR_eq || d->op == IR_ne || d->a[1].kind != R_CON)
        return keep();
    const Ref bound = con(d->a[1].val - 1); /* k is not the least number: the comparison stayed */
    if (ref_same(a, d->a[0]) && ref_same(b, bound))
        return become(F, i, minimum_of(d->op, is_less), a, b);
    if (ref_same(b, d->a[0]) && ref_same(a, bound))
        return become(F, i, minimum_of(d->op, !is_less), b, a);
    return keep();
}

static Ref rule_select(Fold *F, Ins *i)
{
    const Ref c = i->a[0], a = i->a[1], b = i->a[2];
    Ins d;
    Ref x, r = keep();
    u32 k;
    if (c.kind == R_CON)
        return c.val ? a : b;
    if (ref_same(a, b))
        return a;
    if (fold_is_con(F, c, IR_xor, &x, &k) && k == 1)
        return fold_select(F, x, b, a, i->loc);
    if (ref_same(a, c) || ref_same(b, c))
        return fold_select(F, c, ref_same(a, c) ? con(1) : a, ref_same(b, c) ? con(0) : b, i->loc);
    if (a.kind == R_CON && b.kind == R_CON)
        return select_constants(F, i, c, a.val, b.val);
    r = select_booleans(F, i, c, a, b);
    if (r.kind != R_NONE || i->op != IR_select || c.kind != R_VAL)
        return r;
    d = F->def[c.val];
    if (!ir_compares(d.op))
        return keep();
    r = select_compared(F, i, &d, a, b);
    return r.kind != R_NONE || i->op != IR_select ? r : select_bounded(F, i, &d, a, b);
}

/* --- floats ----------------------------------------------------------------------------- */

static Ref rule_fadd(Fold *F, Ins *i)
{
    Ins d;
    if (fold_is(F, i->a[1], IR_fneg, &d))
        return become(F, i, IR_fsub, i->a[0], d.a[0]);
    if (fold_is(F, i->a[0], IR_fneg, &d))
        return become(F, i, IR_fsub, i->a[1], d.a[0]);
    return keep();
}

static Ref rule_fsub(Fold *F, Ins *i)
{
    Ins d;
    return fold_is(F, i->a[1], IR_fneg, &d) ? become(F, i, IR_fadd, i->a[0], d.a[0]) : keep();
}

/* fmul, fdiv and fma whose factors are both negated */
static Ref rule_factors(Fold *F, Ins *i)
{
    Ins x, y;
    if (!fold_is(F, i->a[0], IR_fneg, &x) || !fold_is(F, i->a[1], IR_fneg, &y))
        return keep();
    i->a[0] = x.a[0];
    i->a[1] = y.a[0];
    F->changed = true;
    order_operands(i);
    return keep();
}

static Ref rule_sign(Fold *F, Ins *i)
{
    Ins d;
    const Ref x = i->a[0];
    if (i->op == IR_fneg)
        return fold_is(F, x, IR_fneg, &d) ? d.a[0] : keep();
    if (i->op == IR_fcopysign && i->a[1].kind == R_CON && !(i->a[1].val >> 31))
        return become(F, i, IR_fabs, x, ref_none());
    if (i->op == IR_fabs && fold_is(F, x, IR_fabs, &d))
        return x;
    if (fold_is(F, x, IR_fneg, &d) || fold_is(F, x, IR_fabs, &d) || fold_is(F, x, IR_fcopysign, &d))
        return become(F, i, (IrOp)i->op, d.a[0], i->a[1]);
    return keep();
}

/* --- branches --------------------------------------------------------------------------- */

/* Turns x < 1 and x >= 1 into 0 >= x and 0 < x: the zero register need not be loaded. */
static void prefer_zero(Term *t)
{
    if ((t->cmp != CMP_lt && t->cmp != CMP_ge) || !ref_is_con(t->a[1], 1))
        return;
    t->cmp ^= 1;
    t->a[1] = t->a[0];
    t->a[0] = con(0);
}

static void branch_on(Term *t, Cmp cmp, Ref a, Ref b)
{
    t->cmp = (u8)cmp;
    t->a[0] = a;
    t->a[1] = b;
}

/* Simplifies the branch as a comparison.  Where it then tests a value that is a comparison itself,
 * it takes that one and starts again. */
static void simplify_condition(Fold *F, Term *t)
{
    for (int n = 0; n < FOLD_DEPTH; n++) {
        Ins i = {.op = (u16)(IR_eq + t->cmp), .loc = t->loc, .a = {t->a[0], t->a[1]}}, d;
        Ref r = simplify(F, &i), x;
        u32 c;
        if (r.kind == R_NONE && ir_compares(i.op)) {
            branch_on(t, (Cmp)(i.op - IR_eq), i.a[0], i.a[1]);
            return;
        }
        if (r.kind != R_VAL) {
            branch_on(t, CMP_ne, r, con(0));
            return;
        }
        d = F->def[r.val];
        if (ir_compares(d.op)) {
            branch_on(t, (Cmp)(d.op - IR_eq), d.a[0], d.a[1]);
        } else if (fold_is_con(F, r, IR_xor, &x, &c) && c == 1) {
            branch_on(t, CMP_eq, x, con(0));
            return;
        } else {
            branch_on(t, CMP_ne, r, con(0));
            return;
        }
    }
}

void simplify_branch(Fold *F, Term *t)
{
    const Term before = *t;
    const bool changed = F->changed;
    simplify_condition(F, t);
    prefer_zero(t);
    F->changed = changed || t->cmp != before.cmp || !ref_same(t->a[0], before.a[0]) ||
                 !ref_same(t->a[1], before.a[1]);
}

/* --- all of them ------------------------------------------------------------------------ */

Ref simplify(Fold *F, Ins *i)
{
    u32 c;
    if (evaluate(i, &c))
        return con(c);
    order_operands(i);
    switch (i->op) {
    case IR_copy: return i->a[0];
    case IR_add: return rule_add(F, i);
    case IR_sub: return rule_sub(F, i);
    case IR_mul: return rule_mul(F, i);
    case IR_mulh:
    case IR_mulhu: return rule_mulh(F, i);
    case IR_div:
    case IR_divu:
    case IR_rem:
    case IR_remu: return rule_divide(F, i);
    case IR_and: return rule_and(F, i);
    case IR_or: return rule_or(F, i);
    case IR_xor: return rule_xor(F, i);
    case IR_sll:
    case IR_srl:
    case IR_sra: return rule_shift(F, i);
    case IR_min:
    case IR_max:
    case IR_minu:
    case IR_maxu: return rule_min_max(F, i);
    case IR_eq:
    case IR_ne: return rule_equal(F, i);
    case IR_lt:
    case IR_ge:
    case IR_ltu:
    case IR_geu: return rule_less(F, i);
    case IR_select: return rule_select(F, i);
    case IR_fadd: return rule_fadd(F, i);
    case IR_fsub: return rule_fsub(F, i);
    case IR_fmul:
    case IR_fdiv:
    case IR_fma: return rule_factors(F, i);
    case IR_fneg:
    case IR_fabs:
    case IR_fcopysign: return rule_sign(F, i);
    case IR_load:
    case IR_store: simplify_address(F, i); return keep();
    default: return keep();
    }
}
