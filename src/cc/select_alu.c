/* select_alu.c -- rows for arithmetic, comparisons and choices.
 *
 * An operation whose operands are all scalars becomes scalar rows, others vector rows with at
 * most one scalar or immediate.  There are no predicates: a choice is arithmetic on the
 * condition, which is 0 or 1.
 */
#include "cc/select.h"

typedef struct {
    InsnId rr, ri, vv, vx, vi, rvx, rvi;
} Alu;

static const Alu alu[NIR] = {
#define ALU(op, rr, ri, vv, vx, vi, rvx, rvi)                                                      \
    [IR_##op] = {I_##rr, I_##ri, I_##vv, I_##vx, I_##vi, I_##rvx, I_##rvi},
#include "cc/select.def"
};

static Ref row2(Select *s, u32 dst, InsnId row, Ref a, Ref b)
{
    return sel_row(s, dst, row, a, b, ref_none());
}

static bool is_con(Ref r) { return r.kind == R_CON; }

/* --- two operands ------------------------------------------------------------------------ */

static Ref scalar_row(Select *s, u32 dst, const Alu *w, Ref a, Ref b)
{
    if (is_con(b) && w->ri != I_none && sel_fits(w->ri, b.val))
        return row2(s, dst, w->ri, sel_x(s, a), b);
    return row2(s, dst, w->rr, sel_x(s, a), sel_x(s, b));
}

/* A row with a in a vector register, and b wherever one of the forms takes it. */
static Ref vector_row(Select *s, u32 dst, InsnId vv, InsnId vx, InsnId vi, Ref a, Ref b)
{
    a = sel_v(s, a);
    if (is_con(b) && vi != I_none && sel_fits(vi, b.val))
        return row2(s, dst, vi, a, b);
    if (is_con(b) && vi == I_vadd_vi && sel_fits(I_vadd12_vi, b.val))
        return row2(s, dst, I_vadd12_vi, a, ref_con(b.val & 0xfff)); /* the field is unsigned */
    if (sel_is_v(s, b) || vx == I_none)
        return row2(s, dst, vv, a, sel_v(s, b));
    return row2(s, dst, vx, a, sel_x(s, b));
}

static Ref any_row(Select *s, u32 dst, const Alu *w, Ref a, Ref b)
{
    const bool left = sel_is_v(s, a), right = sel_is_v(s, b);
    if (!left && !right && !(dst && s->f->value[dst].bank == BANK_V))
        return scalar_row(s, dst, w, a, b);
    if (left || !right)
        return vector_row(s, dst, w->vv, w->vx, w->vi, a, b);
    if (w->rvx != I_none || (is_con(a) && w->rvi != I_none && sel_fits(w->rvi, a.val)))
        return vector_row(s, dst, I_none, w->rvx, w->rvi, b, a);
    return row2(s, dst, w->vv, sel_v(s, a), b);
}

static void swap(Ref *a, Ref *b)
{
    const Ref old = *a;
    *a = *b;
    *b = old;
}

/* the smaller or larger one, which for scalars is a comparison and a move */
static bool is_choice(IrOp op)
{
    switch (op) {
    case IR_min:
    case IR_max:
    case IR_minu:
    case IR_maxu: return true;
    default: return false;
    }
}

static Ref compare(Select *s, u32 dst, IrOp op, Ref a, Ref b);
static Ref smaller(Select *s, u32 dst, IrOp op, Ref a, Ref b);

Ref sel_binary(Select *s, u32 dst, IrOp op, Ref a, Ref b)
{
    a = sel_ref(s, a);
    b = sel_ref(s, b);
    const bool vector =
        sel_is_v(s, a) || sel_is_v(s, b) || (dst && s->f->value[dst].bank == BANK_V);
    if (op == IR_sub && is_con(b)) {
        op = IR_add;
        b.val = 0 - b.val;
    }
    if (ir_commutes(op) && (is_con(a) || (!sel_is_v(s, a) && sel_is_v(s, b))))
        swap(&a, &b);
    if (ir_compares(op))
        return compare(s, dst, op, a, b);
    if (is_choice(op) && !vector)
        return smaller(s, dst, op, a, b);
    if (ir_shifts(op) && is_con(b))
        b.val &= 31;
    return any_row(s, dst, &alu[op], a, b);
}

/* --- comparisons --------------------------------------------------------------------------- */

static Ref scalar_equal(Select *s, u32 dst, IrOp op, Ref a, Ref b)
{
    const Ref x = ref_is_con(b, 0) ? sel_x(s, a) : scalar_row(s, 0, &alu[IR_xor], a, b);
    return op == IR_eq ? row2(s, dst, I_sltiu, x, ref_con(1)) : row2(s, dst, I_sltu, ref_reg(0), x);
}

/* a >= b */
static Ref scalar_at_least(Select *s, u32 dst, bool is_signed, Ref a, Ref b)
{
    const Alu *less = &alu[is_signed ? IR_lt : IR_ltu];
    const u32 max = is_signed ? INT32_MAX : UINT32_MAX;
    if (is_con(a) && a.val != max && sel_fits(less->ri, a.val + 1))
        return scalar_row(s, dst, less, b, ref_con(a.val + 1));
    return row2(s, dst, I_xori, scalar_row(s, 0, less, a, b), ref_con(1));
}

typedef struct {
    IrOp lt;
    InsnId le_vv, le_vx, le_vi, gt_vx, gt_vi;
    u32 min;
} Order;

static const Order signed_order = {IR_lt,      I_vmsle_vv, I_vmsle_vx, I_vmsle_vi,
                                   I_vmsgt_vx, I_vmsgt_vi, 0x80000000};
static const Order unsigned_order = {
    IR_ltu, I_vmsleu_vv, I_vmsleu_vx, I_vmsleu_vi, I_vmsgtu_vx, I_vmsgtu_vi, 0};

/* a < b: an immediate has only `a <= b - 1` */
static Ref vector_less(Select *s, u32 dst, const Order *o, Ref a, Ref b)
{
    if (is_con(b) && b.val != o->min && sel_fits(o->le_vi, b.val - 1))
        return row2(s, dst, o->le_vi, sel_v(s, a), ref_con(b.val - 1));
    return any_row(s, dst, &alu[o->lt], a, b);
}

/* a >= b: a scalar on the right has only `a > b - 1` */
static Ref vector_at_least(Select *s, u32 dst, const Order *o, Ref a, Ref b)
{
    if (is_con(b) && b.val != o->min)
        return vector_row(s, dst, I_none, o->gt_vx, o->gt_vi, a, ref_con(b.val - 1));
    return vector_row(s, dst, o->le_vv, o->le_vx, o->le_vi, b, a);
}

static Ref compare(Select *s, u32 dst, IrOp op, Ref a, Ref b)
{
    const bool vector =
        sel_is_v(s, a) || sel_is_v(s, b) || (dst && s->f->value[dst].bank == BANK_V);
    const bool is_signed = op == IR_lt || op == IR_ge;
    const Order *o = is_signed ? &signed_order : &unsigned_order;
    switch (op) {
    case IR_eq:
    case IR_ne: return vector ? any_row(s, dst, &alu[op], a, b) : scalar_equal(s, dst, op, a, b);
    case IR_lt:
    case IR_ltu: return vector ? vector_less(s, dst, o, a, b) : scalar_row(s, dst, &alu[op], a, b);
    default:
        return vector ? vector_at_least(s, dst, o, a, b) : scalar_at_least(s, dst, is_signed, a, b);
    }
}

/* The comparison that makes c, if c has no other use, so that the opposite can be made instead. */
static const Ins *reversible(const Select *s, Ref c)
{
    const Ins *d = sel_only_def(s, c, NIR);
    return d && ir_compares(d->op) ? d : NULL;
}

/* 1 - c */
static Ref negated(Select *s, Ref c)
{
    const Ins *d = reversible(s, c);
    return d ? sel_binary(s, 0, (IrOp)(((d->op - IR_eq) ^ 1) + IR_eq), d->a[0], d->a[1])
             : sel_binary(s, 0, IR_xor, c, ref_con(1));
}

/* --- choices of scalars --------------------------------------------------------------- */

/* condition ? a : b */
static Ref move_if(Select *s, u32 dst, Ref condition, Ref a, Ref b)
{
    const Ins i = {.op = IR_cmov,
                   .dst = sel_value(s, dst, BANK_X),
                   .loc = s->loc,
                   .a = {sel_x(s, condition), sel_x(s, a), sel_x(s, b)}};
    sel_put(s, &i);
    return ref_val(i.dst);
}

/* the smaller or larger one of two scalars */
static Ref smaller(Select *s, u32 dst, IrOp op, Ref a, Ref b)
{
    const bool is_signed = op == IR_min || op == IR_max;
    const bool is_min = op == IR_min || op == IR_minu;
    const Ref less = scalar_row(s, 0, &alu[is_signed ? IR_lt : IR_ltu], a, b);
    return is_min ? move_if(s, dst, less, a, b) : move_if(s, dst, less, b, a);
}

/* --- multiply and add ----------------------------------------------------------------- */

/* Rows of p * q + c by the operand that the result replaces. */
typedef struct {
    InsnId add_vv, add_vx, mul_vv, mul_vx;
} Mac;

static const Mac int_mac[2] = {
    {I_vmacc_vv, I_vmacc_vx, I_vmadd_vv, I_vmadd_vx},
    {I_vnmsac_vv, I_vnmsac_vx, I_vnmsub_vv, I_vnmsub_vx}, /* c - p * q */
};

/* The result replaces an operand that is not needed any more, the addend if it can. */
static Ref multiply_add(Select *s, u32 dst, const Mac *m, Ref p, Ref q, Ref c)
{
    if (sel_is_v(s, p) && (!sel_is_v(s, q) || (sel_used_once(s, p) && !sel_used_once(s, q))))
        swap(&p, &q);
    q = sel_v(s, q);
    const bool vv = sel_is_v(s, p);
    p = vv ? p : sel_x(s, p);
    if (sel_is_v(s, c) && (sel_used_once(s, c) || !sel_used_once(s, q)))
        return sel_row(s, dst, vv ? m->add_vv : m->add_vx, p, q, c);
    return sel_row(s, dst, vv ? m->mul_vv : m->mul_vx, p, sel_v(s, c), q);
}

/* addend +- x, where x is a product that nothing else needs */
static bool fuse(Select *s, u32 dst, bool subtract, Ref addend, Ref x)
{
    const Ins *d = sel_only_def(s, x, IR_mul);
    if (!d || !sel_is_v(s, x) || !sel_is_v(s, addend))
        return false;
    multiply_add(s, dst, &int_mac[subtract], sel_ref(s, d->a[0]), sel_ref(s, d->a[1]), addend);
    return true;
}

/* The same for a shifted value, if one of the operands can be replaced. */
static bool fuse_shift(Select *s, u32 dst, bool subtract, Ref addend, Ref x)
{
    const Ins *d = sel_only_def(s, x, IR_sll);
    if (!d || !sel_is_v(s, x) || !sel_is_v(s, addend) || !is_con(sel_ref(s, d->a[1])))
        return false;
    const Ref shifted = sel_ref(s, d->a[0]);
    if (!sel_used_once(s, addend) && !sel_used_once(s, shifted))
        return false;
    const u32 factor = 1u << (sel_ref(s, d->a[1]).val & 31);
    multiply_add(s, dst, &int_mac[subtract], ref_con(factor), shifted, addend);
    return true;
}

static void add_or_subtract(Select *s, const Ins *i)
{
    const Ref a = sel_ref(s, i->a[0]), b = sel_ref(s, i->a[1]);
    const bool subtract = i->op == IR_sub;
    if (fuse(s, i->dst, subtract, a, b) || (!subtract && fuse(s, i->dst, false, b, a)) ||
        fuse_shift(s, i->dst, subtract, a, b) || (!subtract && fuse_shift(s, i->dst, false, b, a)))
        return;
    sel_binary(s, i->dst, (IrOp)i->op, a, b);
}

/* by the signs of the product and of the addend */
static const InsnId scalar_fma[2][2] = {{I_fmadd_s, I_fmsub_s}, {I_fnmsub_s, I_fnmadd_s}};
static const Mac vector_fma[2][2] = {
    {{I_vfmacc_vv, I_vfmacc_vf, I_vfmadd_vv, I_vfmadd_vf},
     {I_vfmsac_vv, I_vfmsac_vf, I_vfmsub_vv, I_vfmsub_vf}},
    {{I_vfnmsac_vv, I_vfnmsac_vf, I_vfnmsub_vv, I_vfnmsub_vf},
     {I_vfnmacc_vv, I_vfnmacc_vf, I_vfnmadd_vv, I_vfnmadd_vf}},
};

/* r without its negation, if it has one; *sign is turned round then */
static Ref absolute(const Select *s, Ref r, bool *sign)
{
    r = sel_ref(s, r);
    for (const Ins *d; (d = sel_def(s, r, IR_fneg)); r = sel_ref(s, d->a[0]))
        *sign = !*sign;
    return r;
}

static void fused(Select *s, const Ins *i)
{
    bool product = false, addend = false;
    const Ref p = absolute(s, i->a[0], &product), q = absolute(s, i->a[1], &product);
    const Ref c = absolute(s, i->a[2], &addend);
    if (s->f->value[i->dst].bank == BANK_V)
        multiply_add(s, i->dst, &vector_fma[product][addend], p, q, c);
    else
        sel_row(s, i->dst, scalar_fma[product][addend], sel_x(s, p), sel_x(s, q), sel_x(s, c));
}

/* --- choices --------------------------------------------------------------------------------- */

/* c * factor, where c is 0 or 1 */
static Ref times(Select *s, u32 dst, Ref c, Ref factor)
{
    const u32 n = factor.val;
    if (is_con(factor) && n == UINT32_MAX)
        return sel_binary(s, dst, IR_sub, ref_con(0), c);
    if (is_con(factor) && n && !(n & (n - 1)))
        return sel_binary(s, dst, IR_sll, c, ref_con((u32)__builtin_ctz(n)));
    return sel_binary(s, dst, IR_mul, c, factor);
}

static Ref choose_constant(Select *s, u32 dst, Ref c, u32 a, u32 b)
{
    if (a - b == 1)
        return sel_binary(s, dst, IR_add, c, ref_con(b));
    if (b - a == 1)
        return sel_binary(s, dst, IR_sub, ref_con(b), c);
    if (b == 0)
        return times(s, dst, c, ref_con(a));
    return sel_binary(s, dst, IR_add, times(s, 0, c, ref_con(a - b)), ref_con(b));
}

/* c ? base + y : base, or base - y; false: a is none of these */
static bool choose_sum(Select *s, u32 dst, Ref c, Ref a, Ref base)
{
    const Ins *d = sel_only_def(s, a, NIR);
    if (!d || !sel_is_v(s, base) || (d->op != IR_add && d->op != IR_sub))
        return false;
    const Ref x = sel_ref(s, d->a[0]), y = sel_ref(s, d->a[1]);
    if (ref_same(x, base))
        multiply_add(s, dst, &int_mac[d->op == IR_sub], c, y, base);
    else if (d->op == IR_add && ref_same(y, base))
        multiply_add(s, dst, &int_mac[0], c, x, base);
    else
        return false;
    return true;
}

/* c * a + (1 - c) * b: each product is a or b, or 0 whatever they are. */
static void choose_exactly(Select *s, u32 dst, Ref c, Ref a, Ref b)
{
    const Ref other = times(s, 0, negated(s, c), b);
    if (sel_is_v(s, other))
        multiply_add(s, dst, &int_mac[0], c, a, other);
    else
        sel_binary(s, dst, IR_add, times(s, 0, c, a), other);
}

static void choose_vector(Select *s, u32 dst, Ref c, Ref a, Ref b)
{
    if (s->f->module->is_checked) {
        choose_exactly(s, dst, c, a, b);
        return;
    }
    if (choose_sum(s, dst, c, a, b))
        return;
    if (reversible(s, c) && (choose_sum(s, dst, negated(s, c), b, a)))
        return;
    if (reversible(s, c) && sel_is_v(s, a) && !sel_is_v(s, b)) {
        c = negated(s, c);
        swap(&a, &b);
    }
    const Ref difference = sel_binary(s, 0, IR_sub, a, b);
    if (sel_is_v(s, difference))
        multiply_add(s, dst, &int_mac[0], c, difference, b);
    else
        sel_binary(s, dst, IR_add, times(s, 0, c, difference), b);
}

static void choose(Select *s, const Ins *i)
{
    const Ref c = sel_ref(s, i->a[0]), a = sel_ref(s, i->a[1]), b = sel_ref(s, i->a[2]);
    const bool vector = s->f->value[i->dst].bank == BANK_V;
    if (is_con(a) && is_con(b))
        choose_constant(s, i->dst, c, a.val, b.val);
    else if (ref_is_con(b, 0))
        times(s, i->dst, c, a);
    else if (ref_is_con(a, 0) && vector && sel_is_v(s, b) && !reversible(s, c) &&
             !s->f->module->is_checked)
        multiply_add(s, i->dst, &int_mac[1], c, b, b);
    else if (ref_is_con(a, 0) && (vector || reversible(s, c)))
        times(s, i->dst, negated(s, c), b);
    else if (vector)
        choose_vector(s, i->dst, c, a, b);
    else
        move_if(s, i->dst, c, a, b);
}

/* --- one operand ---------------------------------------------------------------------- */

/* Scalar and vector row; `twice`: the operand is both operands of the row. */
typedef struct {
    InsnId x, v;
    bool twice;
} Unary;

static const Unary unary[NIR] = {
    [IR_fsqrt] = {I_fsqrt_s, I_vfsqrt_v, false},
    [IR_fexp] = {I_none, I_vfexp, false},
    [IR_fneg] = {I_fsgnjn_s, I_vfsgnjn_vv, true},
    [IR_fabs] = {I_fsgnjx_s, I_vfsgnjx_vv, true},
    [IR_ftoi] = {I_fcvt_w_s, I_vfcvt_x_f_v, false},
    [IR_ftou] = {I_fcvt_wu_s, I_vfcvt_xu_f_v, false},
    [IR_itof] = {I_fcvt_s_w, I_vfcvt_f_x_v, false},
    [IR_utof] = {I_fcvt_s_wu, I_vfcvt_f_xu_v, false},
};

static void one_operand(Select *s, const Ins *i)
{
    const Unary *u = &unary[i->op];
    const bool vector = s->f->value[i->dst].bank == BANK_V;
    const Ref a = vector ? sel_v(s, i->a[0]) : sel_x(s, i->a[0]);
    const bool to_int = i->op == IR_ftoi || i->op == IR_ftou;
    InsnId row = vector ? u->v : u->x;
    if (vector && to_int && i->imm == 1)
        row = i->op == IR_ftoi ? I_vfcvt_rtz_x_f_v : I_vfcvt_rtz_xu_f_v;
    row2(s, i->dst, row, a, u->twice ? a : ref_none());
    if (to_int && !vector && s->nout)
        s->out[s->nout - 1].imm = i->imm;
}

bool sel_needs_vector(IrOp op)
{
    if (ir_compares(op) || is_choice(op)) /* several rows for scalars */
        return false;
    return (alu[op].vv && alu[op].rr == I_none) || (unary[op].v && unary[op].x == I_none);
}

bool sel_alu(Select *s, const Ins *i)
{
    switch (i->op) {
    case IR_add:
    case IR_sub: add_or_subtract(s, i); break;
    case IR_fma: fused(s, i); break;
    case IR_select: choose(s, i); break;
    default:
        if (alu[i->op].vv || ir_compares(i->op))
            sel_binary(s, i->dst, (IrOp)i->op, i->a[0], i->a[1]);
        else if (unary[i->op].v)
            one_operand(s, i);
        else
            return false;
    }
    return true;
}
