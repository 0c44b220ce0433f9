/* linear.c -- rows that are known as another row, shifted, plus a scalar (Linear).
 *
 * Addresses of several buffers often have the same root, of which is asked once whether it is a row of
 * memory.  Where the root is constant, nobody has to ask, and the row is computed on its scalar alone:
 * lanes' numbers plus something; or one value in all lanes, whose root is zeros.
 *
 * Such are the places of work-items along x and y where lanes lie in lines (WarpShape.line), although the
 * program divides the numbers of its work-items by the size of a group to find them.  What divides is
 * taken for that size if it was loaded from where a launch has it.  Code asks whether it is what the
 * region was made for, because the program could have changed that word, and leaves the region
 * otherwise.
 */
#include "isa/abi.h"
#include "isa/op.h"
#include "jit/translate.h"

#define B e->b

static Linear nothing_known(void) { return (Linear){.shift = 0}; }

static bool is_known(const Linear *l) { return l->root.c[0]; }

bool is_constant_row(const Linear *l)
{
    for (u32 i = 0; i < MAX_CHUNKS && l->root.c[i]; i++)
        if (!LLVMIsConstant(l->root.c[i]))
            return false;
    return is_known(l);
}

bool is_one_value(const Linear *l)
{
    for (u32 i = 0; i < MAX_CHUNKS && l->root.c[i]; i++)
        if (!LLVMIsNull(l->root.c[i]))
            return false;
    return is_known(l);
}

Linear one_value(Emit *e, Val v)
{
    Linear l = {.offset = v};
    for (u32 i = 0; i < e->nchunks; i++)
        l.root.c[i] = LLVMConstNull(e->row);
    return l;
}

/* The root as it counts. */
static Val shifted_root(Emit *e, const Linear *l, u32 chunk)
{
    const Val root = l->root.c[chunk];
    return l->shift ? LLVMBuildShl(B, root, constant_like(root, l->shift), "") : root;
}

/* What a comparison of scalars has made, in all lanes as one of rows has it, which LLVM combines with others. */
static Val splat_truth(Emit *e, Val truth)
{
    const Val holds = LLVMBuildSelect(B, LLVMGetOperand(truth, 0), LLVMConstAllOnes(e->mrow),
                                      LLVMConstNull(e->mrow), "");
    return LLVMBuildZExt(B, holds, e->row, "");
}

Row linear_row(Emit *e, const Linear *l)
{
    const bool is_truth = is_one_value(l) && LLVMIsAZExtInst(l->offset) &&
                          LLVMTypeOf(LLVMGetOperand(l->offset, 0)) == e->i1;
    const Val all = is_truth ? splat_truth(e, l->offset) : splat(e, l->offset);
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val root = shifted_root(e, l, i);
        v.c[i] = LLVMIsNull(root) ? all : LLVMBuildAdd(B, all, root, "");
    }
    return v;
}

bool has_step(Emit *e, const Linear *l, u32 step)
{
    if (!is_constant_row(l))
        return false;
    const u32 first = (u32)LLVMConstIntGetZExtValue(LLVMGetAggregateElement(shifted_root(e, l, 0), 0));
    for (u32 i = 0; i < e->nchunks; i++)
        if (shifted_root(e, l, i) != lanes_constant(e, i, first, step))
            return false;
    return true;
}

Linear linear_of(Emit *e, u32 n)
{
    const Linear *l = &e->known.linear[n];
    return is_known(l) ? *l : (Linear){get_v(e, n), 0, word(e, 0)};
}

/* --- sums and products -------------------------------------------------------------------- */

static Val plus(Emit *e, Val a, Val b)
{
    if (LLVMIsNull(a))
        return b;
    return LLVMIsNull(b) ? a : LLVMBuildAdd(B, a, b, "");
}

static Val minus(Emit *e, Val a, Val b) { return LLVMIsNull(b) ? a : LLVMBuildSub(B, a, b, ""); }

static Linear sum(Emit *e, const Linear *a, const Linear *b)
{
    Linear s = is_one_value(a) ? *b : *a;
    s.offset = plus(e, a->offset, b->offset);
    if (is_one_value(a) || is_one_value(b))
        return s;
    if (!is_constant_row(a) || !is_constant_row(b))
        return nothing_known();
    for (u32 i = 0; i < e->nchunks; i++)
        s.root.c[i] = LLVMBuildAdd(B, shifted_root(e, a, i), shifted_root(e, b, i), "");
    s.shift = 0;
    return s;
}

static Linear difference(Emit *e, const Linear *a, const Linear *b)
{
    Linear d = *a;
    d.offset = minus(e, a->offset, b->offset);
    if (is_one_value(b))
        return d;
    if (!is_constant_row(a) || !is_constant_row(b))
        return nothing_known();
    for (u32 i = 0; i < e->nchunks; i++)
        d.root.c[i] = LLVMBuildSub(B, shifted_root(e, a, i), shifted_root(e, b, i), "");
    d.shift = 0;
    return d;
}

static Linear product(Emit *e, const Linear *a, const Linear *b)
{
    const Linear *by = is_one_value(a) ? a : b, *of = by == a ? b : a;
    if (!is_one_value(by) || !is_constant_row(of))
        return nothing_known();
    Linear p = {.offset = LLVMBuildMul(B, of->offset, by->offset, "")};
    if (!is_one_value(of) && !LLVMIsConstant(by->offset))
        return nothing_known();
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val root = shifted_root(e, of, i);
        p.root.c[i] = is_one_value(of) ? root : LLVMBuildMul(B, root, splat(e, by->offset), "");
    }
    return p;
}

static Linear left_shift(Emit *e, const Linear *a, const Linear *b)
{
    Linear l = *a;
    if (!is_one_value(b) || !LLVMIsConstant(b->offset))
        return nothing_known();
    const u32 by = (u32)LLVMConstIntGetZExtValue(b->offset) & 31;
    l.shift += by;
    l.offset = LLVMBuildShl(B, l.offset, word(e, by), "");
    return l.shift < 32 ? l : nothing_known();
}

/* A quotient, whose divisor often is a power of two, as sizes of groups are: the host's division takes long. */
static Val divide(Emit *e, Op op, Val a, Val b)
{
    if (LLVMIsNull(a) && op == OP_remu)
        return a;
    const LLVMBasicBlockRef shift = new_block(e, "shift"), other = new_block(e, "divide"),
                            on = new_block(e, "");
    Val less = LLVMBuildSub(B, b, word(e, 1), "");
    const Val shared = LLVMBuildAnd(B, b, less, "");
    const Val is_power = LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntEQ, shared, word(e, 0), ""),
                                      LLVMBuildICmp(B, LLVMIntNE, b, word(e, 0), ""), "");
    branch_likely(e, is_power, shift, other);
    LLVMPositionBuilderAtEnd(B, shift);
    const Val quick =
        op == OP_remu ? LLVMBuildAnd(B, a, less, "")
                      : LLVMBuildLShr(B, a, intrinsic(e, "llvm.ctpop", &e->i32, 1, &less, 1), "");
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, other);
    Val v[2] = {quick, arith(e, op, a, b, NULL)};
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
    const Val either = LLVMBuildPhi(B, e->i32, "");
    LLVMAddIncoming(either, v, (LLVMBasicBlockRef[]){shift, other}, 2);
    return either;
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
    bool is_metadata = e->metadata && base == e->metadata;
    if (e->repeats && e->at->constant[e->k]) {
        const LaunchValue *value = e->r->value;
        const LaunchValue *from = &value[value[e->at->constant[e->k]].a];
        is_metadata = from->kind == VALUE_CSR && from->word == CSR_knl;
    }
    if (is_metadata && u->imm == 4 * KNL_LOCAL && access_width(u) == 4)
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
        return LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildAnd(B, size, word(e, line - 1), ""),
                             word(e, 0), "");
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
    leave_before(e, u);
    LLVMPositionBuilderAtEnd(B, on);
    e->known.size = size;
}

/* The numbers of the warp's work-items, divided by the size of lines or a multiple of it. */
static Linear divide_numbers(Emit *e, const Uop *u, Op op)
{
    const u32 line = e->r->warp.line;
    const Linear *a = &e->known.linear[u->ra];
    const Val size = get_x(e, u->rb);
    if (!line || e->in_side || !e->local_size || !is_known(a) || a->offset != e->tid ||
        a->shift || a->root.c[0] != lanes_constant(e, 0, 0, 1))
        return nothing_known();
    if (line < e->lanes ? size != e->local_size : !is_multiple_of(size, e->local_size))
        return nothing_known();
    expect_lines(e, u, size);
    if (line > e->lanes)
        return op == OP_remu ? *a : one_value(e, word(e, 0));
    Linear l = {.offset = word(e, 0)};
    for (u32 i = 0; i < e->nchunks; i++) {
        Val lane[MAX_LANES];
        for (u32 k = 0; k < e->chunk; k++) {
            const u32 n = i * e->chunk + k;
            lane[k] = word(e, op == OP_remu ? n % line : n / line);
        }
        l.root.c[i] = LLVMConstVector(lane, e->chunk);
    }
    if (line < e->lanes)
        e->known.x[u->rb] = word(e, line);
    if (line == e->lanes) /* of which tid is a multiple */
        l.offset = divide(e, op, a->offset, size);
    else if (op == OP_divu)
        l.offset = LLVMBuildLShr(B, a->offset, word(e, (u32)__builtin_ctz(line)), "");
    return l;
}

/* --- instructions ------------------------------------------------------------------------- */

/* A source: what is known of it, or else (`adds`) the row itself. */
static Linear first(Emit *e, u32 n, bool adds)
{
    return adds ? linear_of(e, n) : e->known.linear[n];
}

static Linear second(Emit *e, const Uop *u, bool adds)
{
    switch ((FormatId)isa_insn[u->id].format) {
    case F_VV:
    case F_MACV:
    case F_VB: return first(e, u->rb, adds);
    case F_CPV: return linear_of(e, u->rb);
    case F_VX:
    case F_MACX:
    case F_CPX: return one_value(e, get_x(e, u->rb));
    case F_V1: return one_value(e, word(e, 0));
    default: return one_value(e, word(e, (u32)u->imm));
    }
}

Linear linear_result(Emit *e, const Uop *u, Op op)
{
    const FormatId f = (FormatId)isa_insn[u->id].format;
    const bool three = isa_insn[u->id].effect == E_MAC;
    if (!writes_all(e, u->rd) || e->quick)
        return nothing_known();
    if (f == F_VX && (op == OP_divu || op == OP_remu)) {
        const Linear place = divide_numbers(e, u, op);
        if (is_known(&place))
            return place;
    }
    const bool adds = op == OP_add || op == OP_sub || op == OP_sll;
    const Linear b = second(e, u, adds);
    if (f == F_CPV || f == F_CPX || f == F_CPI)
        return b;
    const Linear a = first(e, u->ra, adds),
                 c = three ? e->known.linear[u->rd] : one_value(e, word(e, 0));
    if (!is_known(&a) || !is_known(&b) || !is_known(&c))
        return nothing_known();
    if (is_one_value(&a) && is_one_value(&b) && is_one_value(&c)) {
        const Val v = op == OP_divu || op == OP_remu ? divide(e, op, a.offset, b.offset)
                                                     : arith(e, op, a.offset, b.offset, c.offset);
        return v ? one_value(e, v) : nothing_known();
    }
    Linear p;
    switch (op) {
    case OP_add: return sum(e, &a, &b);
    case OP_sub: return difference(e, &a, &b);
    case OP_rsub: return difference(e, &b, &a);
    case OP_sll: return left_shift(e, &a, &b);
    case OP_mul: return product(e, &a, &b);
    case OP_macc: p = product(e, &a, &b); return is_known(&p) ? sum(e, &c, &p) : p;
    case OP_nmsac: p = product(e, &a, &b); return is_known(&p) ? difference(e, &c, &p) : p;
    case OP_madd: p = product(e, &c, &b); return is_known(&p) ? sum(e, &a, &p) : p;
    case OP_nmsub: p = product(e, &c, &b); return is_known(&p) ? difference(e, &a, &p) : p;
    default: return nothing_known();
    }
}
