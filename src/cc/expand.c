/* expand.c -- instructions and terminators to words.
 *
 * Rows of isa.def become one word each; the pseudo operations that frame.c leaves are
 * taken apart here.  Terminators become branches according to the block that follows.
 */
#include "cc/code.h"

/* --- words --------------------------------------------------------------------------- */

static void put(Code *c, Word w)
{
    if (ir_grow(c->f->module, c->word, c->n, c->cap))
        c->word[c->n++] = w;
}

/* a word of the row with operands in the order of its format */
#define word(c, loc_, row, ...) put(c, (Word){.in = {I_##row, {__VA_ARGS__}}, .loc = loc_})
#define word_fix(c, loc_, fix_, to_, off_, row, ...)                                               \
    put(c, (Word){.in = {I_##row, {__VA_ARGS__}}, .fix = fix_, .to = to_, .off = off_, .loc = loc_})

/* number in its file of the register that holds an operand */
static i32 reg(const Func *f, Ref r)
{
    if (ref_is_con(r, 0))
        return 0;
    const u32 n = r.kind == R_VAL ? f->value[r.val].reg - 1 : r.kind == R_REG ? r.val : NREG;
    if (n < NREG)
        return (i32)(n < V0 ? n : n - V0);
    ir_mistake(f->module, "operand %u of kind %d has no register, in %s", r.val, r.kind, f->name);
    return 0;
}

static bool is_vector(const Func *f, Ref r)
{
    return (r.kind == R_VAL ? f->value[r.val].reg - 1 : r.val) >= V0 && r.kind != R_CON;
}

static Ref destination(const Ins *i) { return i->reg ? ref_reg(i->reg - 1) : ref_val(i->dst); }

/* --- machine rows -------------------------------------------------------------------- */

static i32 immediate(const Func *f, const Word *w, u8 operand, Ref r)
{
    if (r.kind != R_CON)
        ir_mistake(f->module, "%s: operand of kind %d where a number is wanted, in %s",
                   isa_insn[w->in.id].text, r.kind, f->name);
    return operand == O_uimm12 ? (i32)(r.val & 0xfff) : (i32)r.val;
}

/* the operand as its kind wants it; *next counts through Ins.a */
static i32 operand_value(const Func *f, Word *w, u8 operand, const Ins *i, int *next)
{
    const OperandInfo *o = &isa_operand[operand];
    switch ((OperandKind)o->kind) {
    case K_XREG:
    case K_XRAW:
    case K_VREG:
        if (o->use & USE_W)
            return reg(f, destination(i));
        return o->use == USE_R ? reg(f, i->a[(*next)++]) : 0;
    case K_MASK: return 1;
    case K_RM:
    case K_AQRL: return i->imm;
    case K_ORDER: return 15;
    case K_HIDE:
    case K_KEY:
    case K_MMA:
    case K_MMA64: return 0;
    default: break;
    }
    const Ref r = i->a[(*next)++];
    if (r.kind != R_SYM)
        return immediate(f, w, operand, r);
    w->fix = FIX_LO;
    w->to = r.val;
    w->off = r.off;
    return 0;
}

static void row(Code *c, const Ins *i)
{
    Word w = {.in = {.id = ins_row(i)}, .loc = i->loc};
    const FormatInfo *format = isa_format_of(w.in.id);
    int next = 0;
    for (int k = 0; k < format->nopd; k++)
        w.in.opd[k] = operand_value(c->f, &w, format->opd[k], i, &next);
    put(c, w);
}

/* --- pseudo operations ------------------------------------------------------------------ */

static void load_constant(Code *c, u32 loc, i32 rd, u32 value)
{
    const i32 low = (i32)sign_extend(value, 12);
    const i32 high = (i32)((value - (u32)low) >> 12);
    if (high)
        word(c, loc, lui, rd, high);
    if (low || !high)
        word(c, loc, addi, rd, high ? rd : 0, low);
}

static void load_immediate(Code *c, const Ins *i)
{
    const i32 rd = reg(c->f, destination(i));
    const Ref r = i->a[0];
    if (r.kind == R_CON) {
        load_constant(c, i->loc, rd, r.val);
        return;
    }
    if (r.kind != R_SYM) {
        ir_mistake(c->f->module, "li of an operand of kind %d in %s", r.kind, c->f->name);
        return;
    }
    word_fix(c, i->loc, FIX_HI, r.val, r.off, lui, rd, 0);
    word_fix(c, i->loc, FIX_LO, r.val, r.off, addi, rd, rd, 0);
}

static void move(Code *c, const Ins *i)
{
    const Func *f = c->f;
    const Ref dst = destination(i), src = i->a[0];
    const i32 rd = reg(f, dst);
    if (!is_vector(f, dst) && is_vector(f, src))
        word(c, i->loc, vmv_x_s, rd, reg(f, src));
    else if (!is_vector(f, dst) && src.kind == R_CON)
        load_constant(c, i->loc, rd, src.val);
    else if (!is_vector(f, dst) && rd != reg(f, src))
        word(c, i->loc, addi, rd, reg(f, src), 0);
    else if (!is_vector(f, dst))
        return;
    else if (src.kind == R_CON && (i32)src.val >= -16 && (i32)src.val < 16)
        word(c, i->loc, vmv_v_i, rd, (i32)src.val);
    else if (!is_vector(f, src))
        word(c, i->loc, vmv_v_x, rd, reg(f, src));
    else if (rd != reg(f, src))
        word(c, i->loc, vmv_v_v, rd, reg(f, src));
}

/* dst = a[0] ? a[1] : dst, a branch over one word, and the prefix that it may have */
static void conditional_move(Code *c, const Ins *i)
{
    const i32 rd = reg(c->f, destination(i)), rs = reg(c->f, i->a[1]);
    const Target *t = c->f->module->target;
    const bool prefix = target_prefixes(t, (u32)rd) || target_prefixes(t, (u32)rs);
    if (rd == rs)
        return;
    word(c, i->loc, beq, reg(c->f, i->a[0]), 0, prefix ? 12 : 8);
    word(c, i->loc, addi, rd, rs, 0);
}

static void call(Code *c, const Ins *i)
{
    const Ref to = i->a[0];
    const i32 ra = (i32)c->f->module->target->ra;
    if (to.kind != R_SYM) {
        word(c, i->loc, jalr, ra, 0, reg(c->f, to));
        return;
    }
    word_fix(c, i->loc, FIX_CALL, to.val, to.off, auipc, ra, 0);
    word(c, i->loc, jalr, ra, 0, ra);
}

static void instruction(Code *c, const Ins *i)
{
    if (ins_is_machine(i)) {
        row(c, i);
        return;
    }
    switch (i->op) {
    case IR_copy:
    case IR_move: move(c, i); break;
    case IR_park: word(c, i->loc, vmv_v_x, reg(c->f, destination(i)), reg(c->f, i->a[0])); break;
    case IR_fetch: word(c, i->loc, vmv_x_s, reg(c->f, destination(i)), reg(c->f, i->a[0])); break;
    case IR_li: load_immediate(c, i); break;
    case IR_hi:
        word_fix(c, i->loc, FIX_HI, i->a[0].val, i->a[0].off, lui, reg(c->f, destination(i)), 0);
        break;
    case IR_cmov: conditional_move(c, i); break;
    case IR_call: call(c, i); break;
    case IR_note: put(c, (Word){.fix = FIX_NOTE, .to = (u32)i->imm, .loc = i->loc}); break;
    case IR_none:
    case IR_use: break;
    default:
        ir_mistake(c->f->module, "%s in %s cannot be emitted", ir_info[i->op].name, c->f->name);
    }
}

/* --- terminators -------------------------------------------------------------------------- */

static const InsnId scalar_branch[] = {
    [CMP_eq] = I_beq, [CMP_ne] = I_bne,   [CMP_lt] = I_blt,
    [CMP_ge] = I_bge, [CMP_ltu] = I_bltu, [CMP_geu] = I_bgeu,
};
static const InsnId vector_branch[] = {
    [CMP_eq] = I_vbeq, [CMP_ne] = I_vbne,   [CMP_lt] = I_vblt,
    [CMP_ge] = I_vbge, [CMP_ltu] = I_vbltu, [CMP_geu] = I_vbgeu,
};

static void jump(Code *c, u32 loc, u32 to, u32 next)
{
    if (to != next)
        word_fix(c, loc, FIX_BLOCK, to, 0, jal, 0, 0);
}

/* The condition is turned round when the side it chooses follows anyway; if neither does, when that
 * side leaves the loop of the block (the other stays then), so that rounds go without the jump. */
static bool turns(const Func *f, const Block *b, u32 next)
{
    const Term *t = &b->term;
    if (t->succ[0] == next || t->succ[1] == next || b->loop == NO_BLOCK)
        return t->succ[0] == next;
    return !graph_in_loop(f, t->succ[0], b->loop);
}

static void branch(Code *c, const Block *b, u32 next)
{
    const Term *t = &b->term;
    const bool turn = turns(c->f, b, next);
    const u32 cmp = turn ? t->cmp ^ 1u : t->cmp;
    const InsnId id = t->divergent ? vector_branch[cmp] : scalar_branch[cmp];
    put(c, (Word){.in = {id, {reg(c->f, t->a[0]), reg(c->f, t->a[1]), 0}},
                  .fix = FIX_BLOCK,
                  .to = t->succ[turn],
                  .loc = t->loc});
    jump(c, t->loc, t->succ[!turn], next);
}

static void terminator(Code *c, const Block *b, u32 next)
{
    const Term *t = &b->term;
    if (t->kind == T_RET)
        word(c, t->loc, jalr, 0, 0, (i32)c->f->module->target->ra);
    else if (t->kind == T_BRANCH && t->succ[0] != t->succ[1])
        branch(c, b, next);
    else
        jump(c, t->loc, t->succ[0], next);
}

static void set_rpc(Code *c, u32 loc, u32 join)
{
    const i32 t1 = (i32)c->f->module->target->scratch;
    word_fix(c, loc, FIX_BLOCK_HI, join, 0, auipc, t1, 0);
    word_fix(c, loc, FIX_BLOCK_LO, join, 0, setrpc, 0, t1, 0);
}

void expand(Code *c)
{
    const Func *f = c->f;
    const u32 *order = block_order(f), *rpc = rpc_points(f);
    for (size_t i = 0; order && rpc && i < f->nrpo; i++) {
        const Block *b = &f->block[order[i]];
        size_t k = 0;
        put(c, (Word){.fix = FIX_LABEL, .to = order[i]});
        for (; k < b->nins && b->ins[k].op == IR_note; k++)
            instruction(c, &b->ins[k]);
        if (b->join)
            word(c, b->nins ? b->ins[0].loc : b->term.loc, join, 0);
        for (; k < b->nins; k++)
            instruction(c, &b->ins[k]);
        if (rpc[order[i]] != NO_BLOCK)
            set_rpc(c, b->term.loc, rpc[order[i]]);
        terminator(c, b, i + 1 < f->nrpo ? order[i + 1] : NO_BLOCK);
    }
}
