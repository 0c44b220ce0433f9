/* select.c -- operations to rows of isa.def.
 *
 * Blocks are taken in reverse post-order, instructions in order.  A row may absorb the instruction
 * that defines its operand; if nothing else reads that definition, it is removed at the end.  A row
 * that reads the operands of a definition in another block must not find them stale (uniform.c):
 * scalars of a block that may run again while lanes wait are read in that block alone.
 */
#include "cc/select.h"
#include "cc/cc.h"

#define NONE UINT32_MAX

/* --- operands --------------------------------------------------------------------------- */

Ref sel_ref(const Select *s, Ref r)
{
    return r.kind == R_VAL && r.val < s->nold && s->alias[r.val].kind != R_NONE ? s->alias[r.val]
                                                                                : r;
}

/* whether scalar r may be read here though the code before selection did not */
static bool is_fresh(const Select *s, Ref r)
{
    if (r.kind != R_VAL || sel_is_v(s, r))
        return true;
    const u32 home = s->home[r.val];
    return home == NONE || home == s->b || !s->f->block[home].rerun;
}

const Ins *sel_def(const Select *s, Ref r, IrOp op)
{
    const Ins *d = r.kind == R_VAL && r.val < s->nold ? s->def[r.val] : NULL;
    if (!d || (op != NIR && d->op != op))
        return NULL;
    for (int k = 0; k < ins_nargs(d) && s->home[r.val] != s->b; k++)
        if (!is_fresh(s, d->a[k]))
            return NULL;
    return d;
}

bool sel_used_once(const Select *s, Ref r)
{
    return r.kind == R_VAL && (r.val >= s->nold || s->uses[r.val] == 1);
}

const Ins *sel_only_def(const Select *s, Ref r, IrOp op)
{
    return sel_used_once(s, r) ? sel_def(s, r, op) : NULL;
}

bool sel_fits(InsnId row, u32 c)
{
    const FormatInfo *f = isa_format_of(row);
    i64 min = 1, max = 0, step;
    for (int k = 0; k < f->nopd; k++)
        switch (isa_operand[f->opd[k]].kind) {
        case K_IMM:
        case K_IMMX: isa_range(f->opd[k], &min, &max, &step); break;
        case K_IMMZ: /* without a prefix the fifth bit is no sign */
            min = 0;
            max = 15;
            break;
        case K_IMM12:
            min = -2048;
            max = 2047;
            break;
        default: break;
        }
    return (i32)c >= min && (i32)c <= max;
}

/* --- rows ---------------------------------------------------------------------------------- */

void sel_put(Select *s, const Ins *i)
{
    if (ins_is_machine(i) && (ins_row(i) >= NINSN || !isa_has(s->target->set, ins_row(i)))) {
        ir_mistake(s->f->module, "no row of %s for an operation in %s%s%s", s->target->name,
                   s->f->name, ins_row(i) < NINSN ? ": " : "",
                   ins_row(i) < NINSN ? isa_insn[ins_row(i)].text : "");
        return;
    }
    if (ir_grow(s->f->module, s->out, s->nout, s->capout))
        s->out[s->nout++] = *i;
}

u32 sel_value(Select *s, u32 dst, Bank bank)
{
    if (dst)
        return dst;
    dst = ir_value_in(s->f, bank);
    while (dst && s->nhome <= dst) {
        if (!ir_grow(s->f->module, s->home, s->nhome, s->caphome))
            return 0;
        s->home[s->nhome++] = s->b;
    }
    return dst;
}

Ref sel_row(Select *s, u32 dst, InsnId row, Ref a, Ref b, Ref c)
{
    Ins i = {.op = (u16)(IR_MACHINE + row), .loc = s->loc, .a = {a, b, c}};
    if (row >= NINSN) { /* refused, with a value that is safe to go on with */
        sel_put(s, &i);
        return ref_con(0);
    }
    if (isa_find_operand(row, O_rm) >= 0)
        i.imm = 7;
    i.dst = sel_value(s, dst, ins_dst_bank(&i));
    sel_put(s, &i);
    return ref_val(i.dst);
}

static void copy(Select *s, u32 dst, Ref from)
{
    sel_put(s, &(Ins){.op = IR_copy, .dst = dst, .loc = s->loc, .a = {from}});
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Where piece k goes that has no register: the private stack, downwards from the frame base. */
static Ref stack_offset(const Select *s, i32 k)
{
    return ref_con((u32)(-4 * (k - (i32)s->target->pieces)));
}

static Ins give_piece(const Select *s, Ref r, i32 k)
{
    Ins i = {.op = IR_copy, .loc = s->loc, .reg = 1 + s->target->piece + (u32)k, .a = {r}};
    if (r.kind == R_CON && sel_fits(I_vmv_v_i, r.val))
        i.op = IR_MACHINE + I_vmv_v_i;
    return i;
}

/* r as an operand of a move to a vector register */
static Ref movable(Select *s, Ref r)
{
    r = sel_ref(s, r);
    return sel_is_v(s, r) || (r.kind == R_CON && sel_fits(I_vmv_v_i, r.val)) ? r : sel_x(s, r);
}

static void argument(Select *s, const Ins *i)
{
    if (i->imm < (i32)s->target->pieces) {
        const Ins give = give_piece(s, movable(s, i->a[0]), i->imm);
        sel_put(s, &give);
        return;
    }
    const u32 pieces = (u32)i->imm + 1 - s->target->pieces;
    if (s->f->max_args < pieces)
        s->f->max_args = pieces;
    sel_put(s,
            &(Ins){.op = (u16)(IR_MACHINE + s->target->private_.store.w),
                   .width = 4,
                   .space = IN_PRIVATE,
                   .loc = s->loc,
                   .a = {sel_v(s, i->a[0]), stack_offset(s, i->imm), ref_reg(s->target->frame)}});
}

static void parameter(Select *s, const Ins *i)
{
    if (i->imm < (i32)s->target->pieces)
        copy(s, i->dst, ref_reg(s->target->piece + (u32)i->imm));
    else
        sel_put(s, &(Ins){.op = (u16)(IR_MACHINE + s->target->private_.load.w),
                          .dst = i->dst,
                          .width = 4,
                          .space = IN_PRIVATE,
                          .loc = s->loc,
                          .a = {stack_offset(s, i->imm), ref_reg(s->target->frame)}});
}

static void call(Select *s, const Ins *i)
{
    Ins c = *i;
    c.a[0] = sel_ref(s, i->a[0]);
    if (c.a[0].kind != R_SYM)
        c.a[0] = sel_x(s, c.a[0]);
    s->f->has_calls = true;
    sel_put(s, &c);
}

static void set_result(Select *s, const Ins *i)
{
    if (ir_grow(s->f->module, s->ret, s->nret, s->capret))
        s->ret[s->nret++] = give_piece(s, movable(s, i->a[0]), i->imm);
}

/* --- copies, places ------------------------------------------------------------------- */

static void copy_value(Select *s, const Ins *i)
{
    const Ref from = sel_ref(s, i->a[0]);
    const bool to_v = s->f->value[i->dst].bank == BANK_V;
    if (to_v && sel_is_v(s, from)) /* one between scalars has its reason (uniform.c) */
        s->alias[i->dst] = from;
    else if (to_v || from.kind == R_VAL || from.kind == R_REG)
        copy(s, i->dst, to_v && from.kind != R_VAL ? sel_v(s, from) : from);
    else
        sel_put(s, &(Ins){.op = IR_li, .dst = i->dst, .loc = s->loc, .a = {from}});
}

/* *base stands for i: what a kernel finds in a register, which is free for others after the entry.
 */
static void found_at_entry(Select *s, u32 *base, const Ins *i)
{
    if (!*base)
        *base = sel_value(s, 0, BANK_X);
    s->home[*base] = 0;
    s->alias[i->dst] = ref_val(*base);
}

static void read_csr(Select *s, const Ins *i)
{
    if (i->imm == CSR_knl && s->f->is_kernel && s->b == 0)
        found_at_entry(s, &s->knlbase, i);
    else
        sel_row(s, i->dst, I_csrrs, ref_con((u32)i->imm), ref_reg(0), ref_none());
}

static void copy_at_entry(Func *f, u32 base, u32 reg)
{
    if (base)
        ir_insert(f, 0, 0, &(Ins){.op = IR_copy, .dst = base, .a = {ref_reg(reg)}});
}

static void select_ins(Select *s, const Ins *i)
{
    s->loc = i->loc;
    switch (i->op) {
    case IR_none: break;
    case IR_copy: copy_value(s, i); break;
    case IR_csr: read_csr(s, i); break;
    case IR_lane: sel_row(s, i->dst, I_vid_v, ref_none(), ref_none(), ref_none()); break;
    case IR_argbase: found_at_entry(s, &s->argbase, i); break;
    case IR_ldsbase: s->alias[i->dst] = ref_reg(s->target->local_base); break;
    case IR_param: parameter(s, i); break;
    case IR_arg: argument(s, i); break;
    case IR_call: call(s, i); break;
    case IR_result: copy(s, i->dst, ref_reg(s->target->piece + (u32)i->imm)); break;
    case IR_setret: set_result(s, i); break;
    default:
        if (ins_is_machine(i) || ir_info[i->op].stages & IR_LATE)
            sel_put(s, i);
        else if (!sel_alu(s, i) && !sel_mem(s, i))
            ir_mistake(s->f->module, "%s in %s has no rows", ir_info[i->op].name, s->f->name);
    }
}

/* --- ends of blocks ------------------------------------------------------------------- */

/* If t tests the result of an integer comparison, makes t that comparison and returns true; of
 * vectors only if nothing else needs the result. */
static bool take_comparison(const Select *s, Term *t)
{
    const bool negate = t->cmp == CMP_eq;
    const Ref c = t->a[0];
    if (t->cmp > CMP_ne || !ref_is_con(t->a[1], 0))
        return false;
    const Ins *d = t->divergent ? sel_only_def(s, c, NIR) : sel_def(s, c, NIR);
    if (!d || !ir_compares(d->op))
        return false;
    static_assert(IR_geu - IR_eq == CMP_geu, "comparisons and conditions are in one order");
    t->cmp = (u8)((d->op - IR_eq) ^ negate);
    t->a[0] = sel_ref(s, d->a[0]);
    t->a[1] = sel_ref(s, d->a[1]);
    return true;
}

static void select_term(Select *s, Term *t)
{
    if (t->kind != T_BRANCH)
        return;
    s->loc = t->loc;
    for (int k = 0; k < 2; k++)
        t->a[k] = sel_ref(s, t->a[k]);
    while (take_comparison(s, t))
        ;
    for (int k = 0; k < 2; k++)
        t->a[k] = t->divergent ? sel_v(s, t->a[k]) : sel_x(s, t->a[k]);
}

/* A phi in bank V takes small constants and scalars as they are. */
static void select_phis(Select *s, Block *b)
{
    for (size_t p = 0; p < b->nphi; p++)
        for (size_t e = 0; e < b->npred; e++) {
            Ref *r = &b->phi[p].arg[e];
            *r = sel_ref(s, *r);
            if (r->kind == R_REG)
                *r = sel_shared(s, *r);
            else if (s->f->value[b->phi[p].dst].bank == BANK_V &&
                     (r->kind == R_CON || r->kind == R_SYM))
                *r = movable(s, *r);
        }
}

static void select_block(Select *s, u32 b)
{
    Block *k = &s->f->block[b];
    s->b = b;
    s->out = NULL;
    s->nout = s->capout = 0;
    for (size_t i = 0; i < k->nins; i++)
        select_ins(s, &k->ins[i]);
    for (size_t i = 0; i < s->nret; i++)
        sel_put(s, &s->ret[i]);
    s->nret = 0;
    select_term(s, &k->term);
    k->ins = s->out;
    k->nins = s->nout;
    k->capins = s->capout;
}

/* --- dead rows ------------------------------------------------------------------------ */

typedef struct {
    const Ins **row;
    const Phi **phi;
    const Block **block; /* of the phi */
    Ref *from;           /* what a shared value is made from */
    bool *alive;
    u32 *list;
    size_t n;
} Marks;

static void mark(Marks *m, Ref r)
{
    if (r.kind != R_VAL || m->alive[r.val])
        return;
    m->alive[r.val] = true;
    m->list[m->n++] = r.val;
}

static void mark_args(Marks *m, const Ins *i)
{
    for (int k = 0; k < ins_nargs(i); k++)
        mark(m, i->a[k]);
}

static bool stays(const Ins *i) { return !i->dst || i->reg || ins_has_effect(i); }

static void sweep(const Marks *m, Block *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->nins; i++)
        if (stays(&b->ins[i]) || m->alive[b->ins[i].dst])
            b->ins[n++] = b->ins[i];
    b->nins = n;
    n = 0;
    for (size_t p = 0; p < b->nphi; p++)
        if (m->alive[b->phi[p].dst])
            b->phi[n++] = b->phi[p];
    b->nphi = n;
}

static void remove_dead(const Select *s)
{
    Func *f = s->f;
    Module *m = f->module;
    const size_t n = f->nvalue + 1;
    Marks k = {.row = ir_alloc(m, n * sizeof(Ins *)),
               .phi = ir_alloc(m, n * sizeof(Phi *)),
               .block = ir_alloc(m, n * sizeof(Block *)),
               .from = ir_alloc(m, n * sizeof(Ref)),
               .alive = ir_alloc(m, n),
               .list = ir_alloc(m, n * sizeof(u32))};
    if (m->failed)
        return;
    for (size_t i = 0; i < s->nshared; i++)
        k.from[s->shared[i].value] = s->shared[i].from;
    /* 1. what makes each value; what stays reads its operands */
    for (size_t i = 0; i < f->nrpo; i++) {
        const Block *b = &f->block[f->rpo[i]];
        for (size_t p = 0; p < b->nphi; p++) {
            k.phi[b->phi[p].dst] = &b->phi[p];
            k.block[b->phi[p].dst] = b;
        }
        for (size_t j = 0; j < b->nins; j++) {
            k.row[b->ins[j].dst] = &b->ins[j];
            if (stays(&b->ins[j]))
                mark_args(&k, &b->ins[j]);
        }
        for (int a = 0; b->term.kind == T_BRANCH && a < 2; a++)
            mark(&k, b->term.a[a]);
    }
    /* 2. and so does what is read */
    while (k.n) {
        const u32 v = k.list[--k.n];
        mark(&k, k.from[v]);
        if (k.row[v])
            mark_args(&k, k.row[v]);
        for (size_t e = 0; k.phi[v] && e < k.block[v]->npred; e++)
            mark(&k, k.phi[v]->arg[e]);
    }
    for (size_t i = 0; i < f->nrpo; i++)
        sweep(&k, &f->block[f->rpo[i]]);
    for (size_t i = 0; i < f->nnote; i++) {
        Ref *is = &f->note[i].is;
        *is = sel_ref(s, *is);
        if (is->kind == R_VAL && !k.alive[is->val])
            *is = ref_none();
    }
}

/* --- all of it ------------------------------------------------------------------------ */

static void count_use(Select *s, Ref r)
{
    if (r.kind == R_VAL)
        s->uses[r.val]++;
}

static void count_word(Select *s, const Ins *i)
{
    const Ref address = i->a[i->op == IR_store];
    if (sel_is_word(i) && address.kind == R_VAL)
        s->words[address.val]++;
}

static void read_block(Select *s, u32 b)
{
    const Block *k = &s->f->block[b];
    for (size_t p = 0; p < k->nphi; p++) {
        s->home[k->phi[p].dst] = b;
        for (size_t e = 0; e < k->npred; e++)
            count_use(s, k->phi[p].arg[e]);
    }
    for (size_t i = 0; i < k->nins; i++) {
        s->home[k->ins[i].dst] = b;
        s->def[k->ins[i].dst] = &k->ins[i];
        for (int a = 0; a < ins_nargs(&k->ins[i]); a++)
            count_use(s, k->ins[i].a[a]);
        count_word(s, &k->ins[i]);
    }
    for (int a = 0; k->term.kind == T_BRANCH && a < 2; a++)
        count_use(s, k->term.a[a]);
}

static bool start(Select *s, Func *f)
{
    Module *m = f->module;
    const size_t n = f->nvalue + 1;
    *s = (Select){.f = f,
                  .target = f->module->target,
                  .nold = (u32)f->nvalue,
                  .def = ir_alloc(m, n * sizeof(Ins *)),
                  .uses = ir_alloc(m, n * sizeof(u32)),
                  .words = ir_alloc(m, n * sizeof(u32)),
                  .alias = ir_alloc(m, n * sizeof(Ref)),
                  .home = ir_alloc(m, n * sizeof(u32)),
                  .nhome = f->nvalue,
                  .caphome = n};
    if (m->failed)
        return false;
    for (size_t v = 0; v < f->nvalue; v++)
        s->home[v] = NONE;
    for (size_t i = 0; i < f->nrpo; i++)
        read_block(s, f->rpo[i]);
    s->def[0] = NULL;
    return true;
}

void select_rows(Func *f)
{
    Select *s = ir_alloc(f->module, sizeof *s);
    if (!s || !start(s, f))
        return;
    for (size_t i = 0; i < f->nrpo; i++)
        select_block(s, f->rpo[i]);
    for (size_t i = 0; i < f->nrpo; i++)
        select_phis(s, &f->block[f->rpo[i]]);
    copy_at_entry(f, s->argbase, f->module->target->arguments);
    copy_at_entry(f, s->knlbase, f->module->target->metadata);
    if (f->module->failed)
        return;
    remove_dead(s);
    sel_place_shared(s);
}
