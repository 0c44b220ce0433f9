/* ir_check.c -- the rules that a function must keep, stage by stage.
 *
 * Nothing that the function says about its own graph is believed: edges and dominators are computed
 * again on a copy of its blocks, and its lists of predecessors are compared with those.  The shape
 * (targets, terminators, exit) is checked first, because the rest has no meaning without it; then
 * every block: phis, instructions, terminator.
 *
 *   generic    operations of ir.def up to `use` that are not of later stages; SSA
 *   selected   rows of the target and pseudo operations, operands in their banks, immediates
 *              in their ranges; SSA
 *   linear     the same without phis; a tied operand is the destination
 *   allocated  physical registers only
 */
#include "cc/ir.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NONE UINT32_MAX

/* Where a value is written: block and position, 0 for phis, else 1 + instruction. */
typedef struct {
    u32 block;
    size_t at;
} Def;

typedef struct {
    const Func *f;
    Stage stage;
    Buf *out;
    bool ok;
    const char *where; /* "phi", "terminator" or an operation */
    u32 block;
    size_t at;
    Func graph; /* a copy whose graph is up to date */
    bool *reachable;
    Def *def; /* by value */
} Check;

PRINTF_LIKE(2, 3) static void complain(Check *c, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    buf_printf(c->out, "%s: ", c->f->name);
    if (c->block != NONE)
        buf_printf(c->out, "b%" PRIu32 ", ", c->block);
    if (c->block != NONE && c->where)
        buf_printf(c->out, "%zu (%s): ", c->at, c->where);
    buf_printf(c->out, "%s\n", text);
    c->ok = false;
}

#define require(c, condition, ...) ((condition) ? (void)0 : complain(c, __VA_ARGS__))

static bool is_ssa(const Check *c) { return c->stage <= STAGE_SELECTED; }

/* --- shape ------------------------------------------------------------------------------ */

static void check_target(Check *c, u32 to)
{
    require(c, to < c->f->nblock, "goes to b%" PRIu32 ", which does not exist", to);
    require(c, to != 0, "goes to the entry");
}

static void check_edges(Check *c, const Block *b)
{
    const Term *t = &b->term;
    require(c, t->kind != T_NONE || (!b->nins && !b->nphi), "has no terminator");
    require(c, t->kind <= T_RET, "has a terminator of an unknown kind");
    require(c, t->kind != T_RET || c->block == c->f->exit, "returns, but is not the exit");
    if (t->kind == T_JUMP || t->kind == T_BRANCH)
        check_target(c, t->succ[0]);
    if (t->kind == T_BRANCH)
        check_target(c, t->succ[1]);
}

static void check_shape(Check *c)
{
    const Func *f = c->f;
    if (!f->nblock) {
        complain(c, "has no blocks");
        return;
    }
    require(c, f->exit < f->nblock && f->block[f->exit].term.kind == T_RET, "has no exit");
    for (c->block = 0; c->block < f->nblock; c->block++)
        check_edges(c, &f->block[c->block]);
    c->block = NONE;
}

/* --- the copy --------------------------------------------------------------------------- */

static bool copy_graph(Check *c, Module *scratch)
{
    const Func *f = c->f;
    c->graph = (Func){.module = scratch, .name = f->name, .nblock = f->nblock, .exit = f->exit};
    c->graph.block = ir_alloc(scratch, f->nblock * sizeof(Block));
    c->reachable = ir_alloc(scratch, f->nblock);
    c->def = ir_alloc(scratch, f->nvalue * sizeof *c->def);
    if (scratch->failed)
        return false;
    for (size_t b = 0; b < f->nblock; b++)
        c->graph.block[b].term = f->block[b].term;
    for (size_t v = 0; v < f->nvalue; v++)
        c->def[v].block = NONE;
    return true;
}

static void check_preds(Check *c)
{
    graph_preds(&c->graph);
    if (c->graph.module->failed)
        return;
    for (c->block = 0; c->block < c->f->nblock; c->block++) {
        const Block *is = &c->f->block[c->block], *should = &c->graph.block[c->block];
        const bool same = is->npred == should->npred &&
                          (!is->npred || !memcmp(is->pred, should->pred, is->npred * sizeof(u32)));
        require(c, same, "its list of predecessors is not that of the edges");
    }
    c->block = NONE;
}

/* --- values ----------------------------------------------------------------------------- */

static void define(Check *c, u32 v)
{
    if (v >= c->f->nvalue) {
        complain(c, "writes %%%" PRIu32 ", which does not exist", v);
        return;
    }
    require(c, !is_ssa(c) || c->def[v].block == NONE, "writes %%%" PRIu32 " a second time", v);
    c->def[v] = (Def){c->block, c->at};
    if (c->stage >= STAGE_SELECTED)
        require(c, c->f->value[v].bank != BANK_NONE, "%%%" PRIu32 " has no bank", v);
}

static void collect_definitions(Check *c)
{
    c->where = "definition";
    for (c->block = 0; c->block < c->f->nblock; c->block++) {
        const Block *b = &c->f->block[c->block];
        for (c->at = 0; c->at < b->nphi; c->at++)
            define(c, b->phi[c->at].dst);
        for (size_t k = 0; k < b->nphi; k++)
            if (b->phi[k].dst < c->f->nvalue)
                c->def[b->phi[k].dst].at = 0;
        for (c->at = 1; c->at <= b->nins; c->at++)
            if (b->ins[c->at - 1].dst)
                define(c, b->ins[c->at - 1].dst);
    }
    c->block = NONE;
    c->where = NULL;
}

/* Whether v is written on every way to position `at` of block b. */
static bool is_defined_before(const Check *c, u32 v, u32 b, size_t at)
{
    const Def d = c->def[v];
    if (d.block == b)
        return d.at < at;
    return d.block != NONE && c->reachable[d.block] && graph_dominates(&c->graph, d.block, b);
}

static void check_use(Check *c, u32 v, u32 b, size_t at)
{
    if (v == 0 || v >= c->f->nvalue)
        complain(c, "reads %%%" PRIu32 ", which does not exist", v);
    else if (c->def[v].block == NONE)
        complain(c, "reads %%%" PRIu32 ", which nothing writes", v);
    else if (is_ssa(c) && c->reachable[b] && !is_defined_before(c, v, b, at))
        complain(c, "reads %%%" PRIu32 ", which is not written on every way here", v);
}

/* Whether the reference names something that exists; a value is read at `at` of block b. */
static void check_ref(Check *c, Ref r, u32 b, size_t at)
{
    const Func *f = c->f;
    switch ((RefKind)r.kind) {
    case R_VAL:
        if (c->stage == STAGE_ALLOCATED)
            complain(c, "reads %%%" PRIu32 ", which has no register", r.val);
        else
            check_use(c, r.val, b, at);
        return;
    case R_SYM: require(c, r.val < f->module->nsym, "there is no such symbol"); return;
    case R_SLOT: require(c, r.val < f->nslot, "there is no slot $%" PRIu32, r.val); return;
    case R_BLK: require(c, r.val < f->nblock, "there is no block b%" PRIu32, r.val); return;
    case R_REG:
        require(c, r.val < NREG, "there is no register %" PRIu32, r.val);
        require(c, c->stage != STAGE_GENERIC, "names a register before selection");
        return;
    case R_NONE:
    case R_CON: return;
    }
    complain(c, "an operand has an unknown kind");
}

static Bank bank_of_ref(const Check *c, Ref r)
{
    if (r.kind == R_REG)
        return r.val < NXREG ? BANK_X : BANK_V;
    return r.kind == R_VAL && r.val < c->f->nvalue ? (Bank)c->f->value[r.val].bank : BANK_NONE;
}

/* --- instructions ----------------------------------------------------------------------- */

static void check_bank(Check *c, const Ins *i, int k, Bank bank)
{
    const Bank is = bank_of_ref(c, i->a[k]);
    require(c, is == bank, "operand %d is not %s", k, bank == BANK_X ? "a scalar" : "a vector");
}

static Bank written_bank(const Check *c, const Ins *i)
{
    return i->reg ? (i->reg - 1 < NXREG ? BANK_X : BANK_V) : bank_of_ref(c, ref_val(i->dst));
}

static void check_immediate(Check *c, Ref r, OperandId o, int k)
{
    i64 min, max, step;
    if (r.kind != R_CON) {
        require(c, r.kind == R_SYM || r.kind == R_SLOT || r.kind == R_BLK,
                "operand %d is not an immediate", k);
        return;
    }
    isa_range(o, &min, &max, &step);
    const i64 v = min < 0 ? (i64)(i32)r.val : (i64)r.val;
    require(c, v >= min && v <= max && (v - min) % step == 0, "%" PRId64 " does not fit operand %d",
            v, k);
}

static void check_row(Check *c, const Ins *i)
{
    const int n = ins_nargs(i), tied = ins_tied(i);
    if (!isa_has(c->f->module->target->set, ins_row(i)))
        complain(c, "is no row of %s", c->f->module->target->name);
    for (int k = 0; k < n && k < 3; k++) {
        const Bank bank = ins_arg_bank(i, k);
        if (bank == BANK_NONE)
            check_immediate(c, i->a[k], ins_arg_operand(i, k), k);
        else
            check_bank(c, i, k, bank);
    }
    if (ins_has_dst(i))
        require(c, written_bank(c, i) == ins_dst_bank(i), "the result is in the wrong bank");
    if (tied >= 0 && !is_ssa(c)) {
        const Ref written = i->reg ? ref_reg(i->reg - 1) : ref_val(i->dst);
        require(c, ref_same(i->a[tied], written), "operand %d is not the destination", tied);
    }
}

/* Checks the banks of the operands and the result of a pseudo operation. */
static void check_pseudo(Check *c, const Ins *i)
{
    const Bank to = i->dst || i->reg ? written_bank(c, i) : BANK_NONE;
    switch (i->op) {
    case IR_copy:
    case IR_move:
        require(c, to == BANK_V || i->a[0].kind == R_CON || bank_of_ref(c, i->a[0]) == BANK_X,
                "a vector does not go into a scalar");
        break;
    case IR_cmov:
        check_bank(c, i, 0, BANK_X);
        require(c, is_ssa(c) || ref_same(i->a[2], i->reg ? ref_reg(i->reg - 1) : ref_val(i->dst)),
                "operand 2 is not the destination");
        /* fall through */
    case IR_li:
    case IR_hi:
    case IR_frame:
    case IR_reloadx: require(c, to == BANK_X, "the result is not a scalar"); break;
    case IR_vframe:
    case IR_reloadv: require(c, to == BANK_V, "the result is not a vector"); break;
    case IR_spillx: check_bank(c, i, 0, BANK_X); break;
    case IR_spillv: check_bank(c, i, 0, BANK_V); break;
    case IR_park:
        check_bank(c, i, 0, BANK_X);
        require(c, to == BANK_V, "a scalar is not parked in a vector");
        break;
    case IR_fetch:
        check_bank(c, i, 0, BANK_V);
        require(c, to == BANK_X, "a scalar is not fetched into a scalar");
        break;
    default: break;
    }
}

static void check_access(Check *c, const Ins *i)
{
    const bool any_width = i->op == IR_load || i->op == IR_store;
    require(c, i->width == 4 || (any_width && (i->width == 1 || i->width == 2)),
            "accesses %d bytes", i->width);
    require(c, i->space <= IN_PRIVATE, "accesses an unknown space");
    require(c, i->op == IR_load || i->space != IN_CONST, "writes constant memory");
    require(c, !i->sext || i->op == IR_load, "only loads extend a sign");
    require(c, !i->uniform || i->op == IR_load, "only loads are uniform by promise");
}

/* Checks the immediate of a generic operation, and whether it may stand where it does. */
static void check_generic(Check *c, const Ins *i)
{
    const Func *f = c->f;
    switch (i->op) {
    case IR_atomic:
        require(c, isa_find_atomic(f->module->target->set, (Op)i->imm) < NINSN,
                "there is no such atomic operation"); /* fall through */
    case IR_load:
    case IR_store:
    case IR_lr:
    case IR_sc: check_access(c, i); return;
    case IR_ftoi:
    case IR_ftou:
        require(c, i->imm >= 0 && i->imm <= 1, "rounds to nearest (0) or to zero (1)");
        return;
    case IR_csr: require(c, i->imm >= 0 && i->imm < 4096, "a CSR has a number below 4096"); return;
    case IR_barrier:
        require(c, i->imm >= 0 && i->imm <= 3, "orders local (1) and global (2) memory");
        return;
    case IR_argbase: require(c, f->is_kernel, "only kernels have an argument block"); return;
    case IR_param:
        require(c, c->block == 0, "stands outside the entry");
        require(c, i->imm >= 0 && (u32)i->imm < f->nparams, "the function has %" PRIu32 " pieces",
                f->nparams);
        return;
    case IR_setret:
        require(c, c->block == f->exit, "stands outside the exit");
        require(c, i->imm >= 0 && (u32)i->imm < f->nresults, "the function has %" PRIu32 " pieces",
                f->nresults);
        return;
    default: return;
    }
}

/* A call is an `arg` for each piece, `call`, and a `result` for each piece wanted, with nothing
 * between. */
static void check_call_sequence(Check *c, const Block *b, size_t k)
{
    const Ins *i = &b->ins[k], *before = k ? i - 1 : &(Ins){0};
    const bool follows_arg = before->op == IR_arg;
    const i32 given = follows_arg ? before->imm + 1 : 0;
    require(c, !follows_arg || i->op == IR_arg || i->op == IR_call, "stands between arg and call");
    if (i->op == IR_arg)
        require(c, i->imm == given, "is not piece %d", given);
    if (i->op == IR_arg)
        require(c, k + 1 < b->nins, "is not followed by a call");
    if (i->op == IR_call && c->stage == STAGE_GENERIC)
        require(c, i->imm == given, "%d pieces are given", given);
    if (i->op == IR_result)
        require(c, before->op == IR_call || (before->op == IR_result && i->imm > before->imm),
                "does not follow a call or the result before it");
}

static void check_stage(Check *c, const Ins *i)
{
    if (c->stage == STAGE_GENERIC) {
        require(c, !ins_is_machine(i) && ir_info[i->op].stages & IR_EARLY,
                "does not belong into generic code");
        return;
    }
    const u32 stages = ins_is_machine(i) ? IR_LATE : ir_info[i->op].stages;
    require(c, stages & IR_LATE, "is not selected");
    require(c, !is_ssa(c) || stages != IR_LINEAR, "belongs after SSA");
}

static void check_destination(Check *c, const Ins *i)
{
    const bool has = i->dst || i->reg;
    require(c, has == ins_has_dst(i), "%s", has ? "has no result" : "needs a result");
    require(c, !i->reg || c->stage != STAGE_GENERIC, "writes a register before selection");
    require(c, i->reg <= NREG, "there is no register %" PRIu32, i->reg - 1);
    if (c->stage == STAGE_ALLOCATED) {
        require(c, !i->dst, "writes %%%" PRIu32 ", which has no register", i->dst);
        const Target *t = c->f->module->target;
        require(c, i->reg != 1 + t->gp && (i->reg != 1 + t->local_base || c->f->is_kernel),
                "writes a register that nobody changes");
    }
}

static void check_operands(Check *c, const Ins *i)
{
    const int n = ins_nargs(i);
    require(c, i->op != IR_note || (u32)i->imm < c->f->nnote, "says nothing");
    for (int k = 0; k < 3; k++) {
        const u16 kind = i->a[k].kind;
        if (i->op == IR_use && kind == R_NONE)
            continue;
        if (k < n)
            require(c, kind != R_NONE, "operand %d is missing", k);
        else
            require(c, kind == R_NONE, "has an operand too many");
        if (kind == R_BLK)
            require(c, ins_is_machine(i), "operand %d is a block", k);
        check_ref(c, i->a[k], c->block, c->at);
    }
}

static void check_ins(Check *c, const Block *b, size_t k)
{
    const Ins *i = &b->ins[k];
    c->at = k + 1;
    c->where = "?";
    if (i->op >= IR_MACHINE + NINSN || (i->op >= NIR && i->op < IR_MACHINE)) {
        complain(c, "there is no operation %d", i->op);
        return;
    }
    c->where = ins_is_machine(i) ? isa_insn[ins_row(i)].text : ir_info[i->op].name;
    check_stage(c, i);
    check_destination(c, i);
    check_operands(c, i);
    if (c->stage == STAGE_GENERIC)
        check_call_sequence(c, b, k);
    require(c, i->loc < c->f->module->nloc, "its place in the source does not exist");
    if (ins_is_machine(i))
        check_row(c, i);
    else if (c->stage == STAGE_GENERIC)
        check_generic(c, i);
    else
        check_pseudo(c, i);
}

/* --- blocks ----------------------------------------------------------------------------- */

static void check_phis(Check *c, const Block *b)
{
    c->where = "phi";
    c->at = 0;
    require(c, !b->nphi || is_ssa(c), "is left in linear code");
    for (size_t k = 0; k < b->nphi; k++)
        for (size_t j = 0; j < b->npred; j++) {
            const Ref r = b->phi[k].arg[j];
            require(c, r.kind == R_VAL || r.kind == R_CON || r.kind == R_SYM || r.kind == R_SLOT,
                    "%%%" PRIu32 " has no value from b%" PRIu32, b->phi[k].dst, b->pred[j]);
            check_ref(c, r, b->pred[j], SIZE_MAX);
        }
}

static bool is_other(const Block *b, u32 side)
{
    for (size_t k = 0; k < b->nother; k++)
        if (b->other[k] == side)
            return true;
    return false;
}

static bool post_dominates(const Check *c, u32 a, u32 b)
{
    while (b != a && b != NONE)
        b = b == c->f->exit ? NONE : c->graph.block[b].ipdom;
    return b == a;
}

static void check_divergent(Check *c, const Term *t)
{
    if (t->rpc >= c->f->nblock) {
        complain(c, "lanes part without a block to meet in");
        return;
    }
    const Block *meet = &c->f->block[t->rpc];
    require(c, meet->join, "b%" PRIu32 " has no join", t->rpc);
    require(c, is_other(meet, t->succ[0]) && is_other(meet, t->succ[1]),
            "b%" PRIu32 " does not name both sides", t->rpc);
    if (c->reachable[c->block])
        require(c, post_dominates(c, t->rpc, c->block), "some lanes do not come to b%" PRIu32,
                t->rpc);
}

static void check_term(Check *c, const Block *b)
{
    const Term *t = &b->term;
    c->where = "terminator";
    c->at = b->nins + 1;
    require(c, t->loc < c->f->module->nloc, "its place in the source does not exist");
    if (t->kind != T_BRANCH)
        return;
    require(c, t->cmp <= CMP_geu, "there is no such condition");
    for (int k = 0; k < 2; k++) {
        const u16 kind = t->a[k].kind;
        require(c,
                kind == R_VAL || kind == R_CON || kind == R_REG || kind == R_SYM || kind == R_SLOT,
                "operand %d is missing", k);
        check_ref(c, t->a[k], c->block, c->at);
        if (c->stage >= STAGE_SELECTED && (kind == R_VAL || kind == R_REG))
            require(c, bank_of_ref(c, t->a[k]) == (t->divergent ? BANK_V : BANK_X),
                    "operand %d is in the wrong bank", k);
    }
    if (t->divergent)
        check_divergent(c, t);
}

static void check_blocks(Check *c)
{
    for (c->block = 0; c->block < c->f->nblock; c->block++) {
        const Block *b = &c->f->block[c->block];
        for (size_t k = 0; k < b->nother; k++)
            require(c, b->other[k] < c->f->nblock, "its join goes to a block that does not exist");
        check_phis(c, b);
        for (size_t k = 0; k < b->nins; k++)
            check_ins(c, b, k);
        check_term(c, b);
        c->where = NULL;
    }
    c->block = NONE;
}

static void check_frame(Check *c)
{
    const Func *f = c->f;
    for (size_t k = 0; k < f->nslot; k++)
        require(
            c, is_pow2(f->slot[k].align) && f->slot[k].align >= 4 && f->slot[k].align <= SLOT_ALIGN,
            "slot $%zu is aligned to %" PRIu32 " bytes", k, f->slot[k].align);
    for (size_t k = 0; k < f->nslot; k++)
        require(c, f->slot[k].size <= PRIVATE_END, "slot $%zu has %" PRIu32 " bytes", k,
                f->slot[k].size);
    require(c, !f->is_kernel || (!f->nparams && !f->nresults), "a kernel has no pieces");
}

static void check_function(Check *c, Module *scratch)
{
    /* 1. edges that lead somewhere */
    check_shape(c);
    if (!c->ok || !copy_graph(c, scratch))
        return;
    check_preds(c);
    if (!c->ok)
        return;
    /* 2. blocks that can be reached go on */
    graph_build(&c->graph);
    for (size_t i = 0; i < c->graph.nrpo; i++)
        c->reachable[c->graph.rpo[i]] = true;
    for (c->block = 0; c->block < c->f->nblock; c->block++)
        require(c, !c->reachable[c->block] || c->f->block[c->block].term.kind != T_NONE,
                "can be reached and has no terminator");
    c->block = NONE;
    /* 3. the frame, and what the blocks hold */
    check_frame(c);
    if (scratch->failed)
        return;
    collect_definitions(c);
    check_blocks(c);
}

bool ir_check(const Func *f, Stage stage, Buf *out)
{
    Check c = {.f = f, .stage = stage, .out = out, .ok = true, .block = NONE};
    Module *scratch = ir_module("check", f->module->target);
    if (scratch)
        check_function(&c, scratch);
    if (!scratch || scratch->failed) {
        f->module->failed = true;
        complain(&c, "out of memory");
    }
    ir_free(scratch);
    return c.ok;
}

static bool check_data(const Module *m, const Data *d, Buf *out)
{
    const char *name = m->sym[d->symbol].name;
    const size_t before = out->len;
    if (!is_pow2(d->align))
        buf_printf(out, "%s: is aligned to %" PRIu32 " bytes\n", name, d->align);
    for (size_t k = 0; k < d->nreloc; k++) {
        const DataReloc *r = &d->reloc[k];
        if (r->offset % 4 || r->offset > d->size || d->size - r->offset < 4 || r->symbol >= m->nsym)
            buf_printf(out, "%s: there is no word at %" PRIu32 "\n", name, r->offset);
    }
    return out->len == before;
}

bool ir_check_module(const Module *m, Stage stage, Buf *out)
{
    bool ok = true;
    for (size_t k = 0; k < m->ndata; k++)
        ok &= check_data(m, &m->data[k], out);
    for (size_t k = 0; k < m->nfunc; k++)
        ok &= ir_check(m->func[k], stage, out);
    return ok;
}
