/* linear.c -- rows of which something is known: other rows, shifted, plus a scalar (Linear), or constant rows
 * plus scalars (Pattern).
 *
 * Addresses of several buffers often have the same root, of which is asked once whether it is a row of
 * memory.  Where the root is constant, nobody has to ask, and the row is computed on its scalars alone:
 * lanes' numbers plus something; or one value in all lanes, or in those of each chunk, whose root is zeros.
 *
 * Such are the places of work-items along x and y where lanes lie in lines (WarpShape.line), although the
 * program divides the numbers of its work-items by the size of a group to find them.  What divides is
 * taken for that size if it was loaded from where a launch has it.  Code asks whether it is what the
 * region was made for, because the program could have changed that word, and leaves the region
 * otherwise.
 */
#include "isa/abi.h"
#include "isa/op.h"
#include "jit/constant.h"
#include "jit/translate.h"

#define B e->b

/* --- patterns ------------------------------------------------------------------------------ */

static Pattern no_pattern(void) { return (Pattern){.offset = {NULL}}; }

bool is_pattern(const Pattern *p) { return p->offset[0]; }

static bool has_one_offset(const Emit *e, const Pattern *p)
{
    for (u32 i = 1; i < e->nchunks; i++)
        if (p->offset[i] != p->offset[0])
            return false;
    return is_pattern(p);
}

bool is_value_each(const Emit *e, const Pattern *p)
{
    for (u32 i = 0; is_pattern(p) && i < e->nchunks; i++)
        if (!LLVMIsNull(p->root.c[i]))
            return false;
    return is_pattern(p);
}

bool is_one_value(const Emit *e, const Pattern *p)
{
    return is_value_each(e, p) && has_one_offset(e, p);
}

static Pattern one_value(Emit *e, Val v)
{
    Pattern p = no_pattern();
    for (u32 i = 0; i < e->nchunks; i++) {
        p.root.c[i] = LLVMConstNull(e->row);
        p.offset[i] = v;
    }
    return p;
}

u32 constant_lane(Val row, u32 lane)
{
    return (u32)LLVMConstIntGetZExtValue(LLVMGetAggregateElement(row, lane));
}

u32 first_lane(const Pattern *p, u32 chunk) { return constant_lane(p->root.c[chunk], 0); }

u32 step_each(Emit *e, const Pattern *p)
{
    const u32 step = constant_lane(p->root.c[0], 1) - first_lane(p, 0);
    for (u32 i = 0; i < e->nchunks; i++)
        if (p->root.c[i] != lanes_constant(e, i, first_lane(p, i) - i * e->chunk * step, step))
            return 0;
    return step;
}

u32 step_of(Emit *e, const Pattern *p)
{
    const u32 step = has_one_offset(e, p) ? step_each(e, p) : 0;
    for (u32 i = 1; step && i < e->nchunks; i++)
        if (p->root.c[i] != lanes_constant(e, i, first_lane(p, 0), step))
            return 0;
    return step;
}

/* Whether a comparison of scalars has made it. */
static bool is_truth(Emit *e, Val v)
{
    return LLVMIsAZExtInst(v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == e->i1;
}

Row pattern_row(Emit *e, const Pattern *p)
{
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val root = p->root.c[i], offset = p->offset[i];
        if (!LLVMIsNull(root))
            v.c[i] = LLVMBuildAdd(B, splat(e, offset), root, "");
        else if (i && p->root.c[i - 1] == root && p->offset[i - 1] == offset)
            v.c[i] = v.c[i - 1];
        else
            v.c[i] =
                is_truth(e, offset) /* as one of rows has it, which LLVM combines with others */
                    ? LLVMBuildZExt(B, splat_bit(e, LLVMGetOperand(offset, 0)), e->row, "")
                    : splat(e, offset);
    }
    return v;
}

void set_pattern(Emit *e, u32 n, const Pattern *p)
{
    set_v(e, n, pattern_row(e, p));
    if (!e->quick && writes_all(e, n))
        e->known.pattern[n] = *p;
}

/* --- sums and products --------------------------------------------------------------------- */

static Val plus(Emit *e, Val a, Val b)
{
    if (LLVMIsNull(a))
        return b;
    return LLVMIsNull(b) ? a : LLVMBuildAdd(B, a, b, "");
}

static Val minus(Emit *e, Val a, Val b) { return LLVMIsNull(b) ? a : LLVMBuildSub(B, a, b, ""); }

static Val times(Emit *e, Val a, Val b) { return LLVMBuildMul(B, a, b, ""); }

/* The offsets and roots that two patterns have together; where those of a chunk are like the ones before it, so is
 * the result. */
static Pattern combine(Emit *e, const Pattern *a, const Pattern *b, Val (*f)(Emit *, Val, Val))
{
    Pattern p = no_pattern();
    for (u32 i = 0; i < e->nchunks; i++) {
        const bool same = i && a->offset[i] == a->offset[i - 1] && b->offset[i] == b->offset[i - 1];
        p.offset[i] = same ? p.offset[i - 1] : f(e, a->offset[i], b->offset[i]);
        p.root.c[i] = f(e, a->root.c[i], b->root.c[i]);
    }
    return p;
}

static Pattern product(Emit *e, const Pattern *a, const Pattern *b)
{
    if (!is_value_each(e, a) && !is_value_each(e, b))
        return no_pattern();
    const Pattern *by = is_value_each(e, b) ? b : a, *of = by == b ? a : b;
    if (is_value_each(e, of))
        return combine(e, of, by, times);
    if (!has_one_offset(e, by) || !LLVMIsConstant(by->offset[0]))
        return no_pattern();
    Pattern p = combine(e, of, by, times);
    for (u32 i = 0; i < e->nchunks; i++)
        p.root.c[i] = times(e, of->root.c[i], splat(e, by->offset[0]));
    return p;
}

static u32 constant_shift(Val by) { return (u32)LLVMConstIntGetZExtValue(by) & 31; }

static Pattern left_shift(Emit *e, const Pattern *a, const Pattern *b)
{
    if (!is_one_value(e, b) || !LLVMIsConstant(b->offset[0]))
        return no_pattern();
    const Pattern scale = one_value(e, word(e, 1u << constant_shift(b->offset[0])));
    return product(e, a, &scale);
}

static Val divide(Emit *e, Op op, Val a, Val b)
{
    if (!LLVMIsNull(a) || op != OP_remu)
        divide_by(e, op, &a, 1, b);
    return a;
}

/* Any operation of values, each of which is that of a chunk. */
static Pattern compute_values(Emit *e, Op op, const Pattern *a, const Pattern *b, const Pattern *c)
{
    Pattern p = one_value(e, NULL);
    for (u32 i = 0; i < e->nchunks; i++) {
        const bool same = i && a->offset[i] == a->offset[i - 1] &&
                          b->offset[i] == b->offset[i - 1] && c->offset[i] == c->offset[i - 1];
        p.offset[i] = same ? p.offset[i - 1]
                      : op == OP_divu || op == OP_remu
                          ? divide(e, op, a->offset[i], b->offset[i])
                          : arith(e, op, a->offset[i], b->offset[i], c->offset[i]);
    }
    return p;
}

/* --- places in the group ------------------------------------------------------------------ */

void note_csr(Emit *e, u32 n, Val v)
{
    if (n == CSR_tid)
        e->tid = v;
    if (n == CSR_knl)
        e->metadata = v;
}

void note_load(Emit *e, const Uop *u, Val base, Val v)
{
    const bool is_metadata = e->metadata && base == e->metadata;
    const u32 value = e->at->constant ? e->at->constant[e->k] : 0;
    if (value ? is_local_size(e->r, value)
              : is_metadata && u->imm == 4 * KNL_LOCAL && access_width(u) == 4)
        e->local_size = v;
}

static bool is_multiple_of(Val v, Val of)
{
    return v == of || (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMMul &&
                       (LLVMGetOperand(v, 0) == of || LLVMGetOperand(v, 1) == of));
}

/* i1: a group of that size has the lines for which the region was made. */
static Val has_lines(Emit *e, Val size)
{
    const u32 line = e->r->warp.line;
    if (line < e->lanes)
        return LLVMBuildICmp(B, LLVMIntEQ, size, word(e, line), "");
    if (line == e->lanes)
        return LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildAnd(B, size, word(e, line - 1), ""), word(e, 0),
                             "");
    /* all that are on are before its end */
    Val args[2] = {e->mask, LLVMConstNull(e->i1)};
    const Val off = intrinsic(e, "llvm.ctlz", &e->i32, 1, args, 2);
    const Val end = LLVMBuildAdd(B, e->tid, LLVMBuildSub(B, word(e, 32), off, ""), "");
    return LLVMBuildICmp(B, LLVMIntUGE, size, end, "");
}

/* Leaves the region before the instruction unless the divisor is what the region was made for. */
static void expect_lines(Emit *e, const Uop *u, Val size)
{
    if (e->known.size == size)
        return;
    const LLVMBasicBlockRef on = new_block(e, ""), other = new_block(e, "uneven");
    branch_likely(e, has_lines(e, size), on, other);
    LLVMPositionBuilderAtEnd(B, other);
    leave_before(e, u, NULL);
    LLVMPositionBuilderAtEnd(B, on);
    e->known.size = size;
}

/* A number for each lane of a group's line, or of which line it is. */
static Val lane_places(Emit *e, u32 chunk, Op op)
{
    Val lane[MAX_LANES];
    for (u32 k = 0; k < e->chunk; k++) {
        const u32 n = chunk * e->chunk + k;
        lane[k] = word(e, op == OP_remu ? n % e->r->warp.line : n / e->r->warp.line);
    }
    return LLVMConstVector(lane, e->chunk);
}

static Pattern remainders(Emit *e)
{
    Pattern p = one_value(e, word(e, 0));
    for (u32 i = 0; i < e->nchunks; i++)
        p.root.c[i] = lane_places(e, i, OP_remu);
    return p;
}

/* The numbers of the warp's work-items, divided by the size of lines or a multiple of it. */
static Pattern divided_numbers(Emit *e, const Uop *u, Op op)
{
    const u32 line = e->r->warp.line;
    const Pattern *a = &e->known.pattern[u->ra];
    const Val size = get_x(e, u->rb);
    if (!line || e->in_side || !e->local_size || step_of(e, a) != 1 || first_lane(a, 0) ||
        a->offset[0] != e->tid)
        return no_pattern();
    const bool is_line = size == word(e, line); /* it was compared before, or needs not be */
    if (line < e->lanes ? !is_line && size != e->local_size : !is_multiple_of(size, e->local_size))
        return no_pattern();
    if (!is_line)
        expect_lines(e, u, size);
    /* 1. one line */
    if (line > e->lanes)
        return op == OP_remu ? *a : one_value(e, word(e, 0));
    /* 2. lines of whole warps: tid is a multiple of the lanes */
    if (line == e->lanes) {
        Pattern p = one_value(e, divide(e, op, e->tid, size));
        if (op == OP_remu)
            p.root = a->root;
        return p;
    }
    /* 3. several in a warp, which share no chunk, or do */
    e->known.x[u->rb] = word(e, line);
    if (op == OP_remu)
        return remainders(e);
    const Val before = LLVMBuildLShr(B, e->tid, word(e, (u32)__builtin_ctz(line)), "");
    Pattern p = one_value(e, before);
    for (u32 i = 0; i < e->nchunks; i++)
        if (line < e->chunk)
            p.root.c[i] = lane_places(e, i, op);
        else
            p.offset[i] = i * e->chunk % line ? p.offset[i - 1]
                                              : plus(e, before, word(e, i * e->chunk / line));
    return p;
}

/* The same, remembered. */
static Pattern divide_numbers(Emit *e, const Uop *u, Op op)
{
    const Pattern p = divided_numbers(e, u, op);
    if (op == OP_divu)
        e->known.quotient = p;
    return p;
}

/* Numbers of the warp's work-items minus the size of lines times what they were divided to is what they leave. */
static bool is_remainder(Emit *e, const Pattern *numbers, const Pattern *quotient,
                         const Pattern *by)
{
    const Pattern *q = &e->known.quotient;
    const u32 line = e->r->warp.line;
    if (!line || line >= e->lanes || !is_pattern(q) || !is_one_value(e, by) ||
        by->offset[0] != word(e, line) || step_of(e, numbers) != 1 || first_lane(numbers, 0) ||
        numbers->offset[0] != e->tid)
        return false;
    for (u32 i = 0; i < e->nchunks; i++)
        if (q->root.c[i] != quotient->root.c[i] || q->offset[i] != quotient->offset[i])
            return false;
    return true;
}

/* --- instructions -------------------------------------------------------------------------- */

static Pattern second(Emit *e, const Uop *u)
{
    switch ((FormatId)isa_insn[u->id].format) {
    case F_VV:
    case F_MACV:
    case F_VB:
    case F_CPV: return e->known.pattern[u->rb];
    case F_VX:
    case F_MACX:
    case F_CPX: return one_value(e, get_x(e, u->rb));
    case F_V1: return one_value(e, word(e, 0));
    default: return one_value(e, word(e, (u32)u->imm));
    }
}

Pattern pattern_result(Emit *e, const Uop *u, Op op)
{
    const FormatId f = (FormatId)isa_insn[u->id].format;
    const bool three = isa_insn[u->id].effect == E_MAC;
    if (e->quick)
        return no_pattern();
    if (f == F_VX && (op == OP_divu || op == OP_remu)) {
        const Pattern place = divide_numbers(e, u, op);
        if (is_pattern(&place))
            return place;
    }
    const Pattern b = second(e, u);
    if (f == F_CPV || f == F_CPX || f == F_CPI)
        return b;
    const Pattern a = e->known.pattern[u->ra],
                  c = three ? e->known.pattern[u->rd] : one_value(e, word(e, 0));
    if (!is_pattern(&a) || !is_pattern(&b) || !is_pattern(&c))
        return no_pattern();
    if (is_value_each(e, &a) && is_value_each(e, &b) && is_value_each(e, &c))
        return compute_values(e, op, &a, &b, &c);
    Pattern p;
    if (op == OP_nmsac && is_remainder(e, &c, &a, &b))
        return remainders(e);
    switch (op) {
    case OP_add: return combine(e, &a, &b, plus);
    case OP_sub: return combine(e, &a, &b, minus);
    case OP_rsub: return combine(e, &b, &a, minus);
    case OP_sll: return left_shift(e, &a, &b);
    case OP_mul: return product(e, &a, &b);
    case OP_macc: p = product(e, &a, &b); return is_pattern(&p) ? combine(e, &c, &p, plus) : p;
    case OP_nmsac: p = product(e, &a, &b); return is_pattern(&p) ? combine(e, &c, &p, minus) : p;
    case OP_madd: p = product(e, &c, &b); return is_pattern(&p) ? combine(e, &a, &p, plus) : p;
    case OP_nmsub: p = product(e, &c, &b); return is_pattern(&p) ? combine(e, &a, &p, minus) : p;
    default: return no_pattern();
    }
}

Linear linear_of(Emit *e, u32 n)
{
    const Pattern *p = &e->known.pattern[n];
    if (has_one_offset(e, p))
        return (Linear){p->root, 0, p->offset[0]};
    if (e->known.linear[n].root.c[0])
        return e->known.linear[n];
    return (Linear){get_v(e, n), 0, word(e, 0)};
}

Linear linear_result(Emit *e, const Uop *u, Op op)
{
    const FormatId f = (FormatId)isa_insn[u->id].format;
    const Linear nothing = {.shift = 0};
    if (!writes_all(e, u->rd) || e->quick)
        return nothing;
    if (f == F_CPV)
        return linear_of(e, u->rb);
    const Pattern b = second(e, u), *p = f == F_VV ? &e->known.pattern[u->ra] : NULL;
    if (p && op == OP_add && is_one_value(e, p)) {
        Linear l = linear_of(e, u->rb);
        l.offset = plus(e, l.offset, p->offset[0]);
        return l;
    }
    if (!is_one_value(e, &b) || (op != OP_add && op != OP_sub && op != OP_sll))
        return nothing;
    Linear l = linear_of(e, u->ra);
    if (op != OP_sll) {
        l.offset = (op == OP_add ? plus : minus)(e, l.offset, b.offset[0]);
        return l;
    }
    if (!LLVMIsConstant(b.offset[0]))
        return nothing;
    const u32 by = constant_shift(b.offset[0]);
    l.shift += by;
    l.offset = LLVMBuildShl(B, l.offset, word(e, by), "");
    return l.shift < 32 ? l : nothing;
}
