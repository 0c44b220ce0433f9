/* fold.c -- constants, algebra, common subexpressions, dead code.
 *
 * One round visits the blocks in pre-order of the dominator tree (fold.h); a block's
 * instructions pass through the rules of simplify.c and the table of gvn.c into a new list.
 * Then branches on constants become jumps, and blocks with one way between them become one.
 * Rounds repeat while something changes: a phi may become simple only when the values that come
 * around its loop are known.  At the end dce.c removes what nobody reads.
 */
#include "cc/fold.h"
#include "cc/cc.h"
#include <string.h>

enum { ROUNDS = 6 };

/* --- definitions ------------------------------------------------------------------------ */

Ref fold_resolve(const Fold *F, Ref r)
{
    while (r.kind == R_VAL && r.val < F->nis && F->is[r.val].kind != R_NONE)
        r = F->is[r.val];
    return r;
}

bool fold_is(const Fold *F, Ref r, IrOp op, Ins *i)
{
    if (r.kind != R_VAL || r.val >= F->ndef || F->def[r.val].op != op)
        return false;
    *i = F->def[r.val];
    return true;
}

bool fold_is_con(const Fold *F, Ref r, IrOp op, Ref *x, u32 *c)
{
    Ins i;
    if (!fold_is(F, r, op, &i) || i.a[1].kind != R_CON)
        return false;
    *x = i.a[0];
    *c = i.a[1].val;
    return true;
}

/* the arrays by value have room for all values */
static bool cover_values(Fold *F)
{
    while (F->ndef < F->f->nvalue) {
        if (!ir_grow(F->scratch, F->def, F->ndef, F->capdef) ||
            !ir_grow(F->scratch, F->def_block, F->ndef_block, F->capdef_block) ||
            !ir_grow(F->scratch, F->is, F->nis, F->capis))
            return false;
        F->def[F->ndef++] = (Ins){0};
        F->def_block[F->ndef_block++] = 0;
        F->is[F->nis++] = ref_none();
    }
    return true;
}

/* --- instructions ----------------------------------------------------------------------- */

static Ref append(Fold *F, Ins *i)
{
    if (!i->dst && ins_has_dst(i))
        i->dst = ir_value(F->f);
    if (!cover_values(F) || !ir_grow(F->scratch, F->out, F->nout, F->capout))
        return ref_con(0);
    F->out[F->nout++] = *i;
    if (!i->dst)
        return ref_none();
    F->def[i->dst] = *i;
    F->def_block[i->dst] = F->block;
    gvn_add(F, i);
    return ref_val(i->dst);
}

Ref fold_add(Fold *F, Ins i)
{
    Ref r = ref_none();
    if (++F->depth < FOLD_DEPTH)
        r = simplify(F, &i);
    F->depth--;
    if (r.kind != R_NONE)
        return r;
    const u32 older = gvn_find(F, &i);
    return older ? ref_val(older) : append(F, &i);
}

Ref fold_make(Fold *F, IrOp op, Ref a, Ref b, u32 loc)
{
    return fold_add(F, (Ins){.op = (u16)op, .loc = loc, .a = {a, b}});
}

Ref fold_select(Fold *F, Ref c, Ref a, Ref b, u32 loc)
{
    return fold_add(F, (Ins){.op = IR_select, .loc = loc, .a = {c, a, b}});
}

static void replace(Fold *F, u32 v, Ref r)
{
    F->is[v] = r;
    F->changed = true;
}

static void visit_ins(Fold *F, Ins i)
{
    const u32 dst = i.dst;
    if (i.op == IR_note) {
        Note *n = &F->f->note[i.imm];
        n->is = fold_resolve(F, n->is);
        append(F, &i);
        return;
    }
    for (int k = 0; k < 3; k++)
        i.a[k] = fold_resolve(F, i.a[k]);
    if (F->differs) { /* only new instructions go through the rules */
        if (i.op == IR_load || i.op == IR_store)
            regroup_address(F, &i);
        append(F, &i);
        return;
    }
    const Ref r = fold_add(F, i);
    if (dst && !ref_same(r, ref_val(dst)) && !F->f->module->failed)
        replace(F, dst, r);
}

/* --- blocks ----------------------------------------------------------------------------- */

/* the one value that the phi has whichever edge is taken, or R_NONE */
static Ref only_value(const Fold *F, const Block *b, const Phi *p)
{
    Ref one = ref_none();
    for (size_t k = 0; k < b->npred; k++) {
        const Ref r = fold_resolve(F, p->arg[k]);
        if (ref_same(r, ref_val(p->dst)) || ref_same(r, one))
            continue;
        if (one.kind != R_NONE)
            return ref_none();
        one = r;
    }
    return one;
}

static void visit_phis(Fold *F, Block *b)
{
    size_t n = 0;
    for (size_t k = 0; k < b->nphi; k++) {
        const Ref one = only_value(F, b, &b->phi[k]);
        if (one.kind == R_NONE)
            b->phi[n++] = b->phi[k];
        else
            replace(F, b->phi[k].dst, one);
    }
    b->nphi = n;
}

static void store_block(Fold *F, Block *b)
{
    if (F->nout > b->capins) {
        Ins *more = ir_alloc(F->f->module, F->nout * sizeof *more);
        if (!more)
            return;
        b->ins = more;
        b->capins = F->nout;
    }
    if (F->nout)
        memcpy(b->ins, F->out, F->nout * sizeof *b->ins);
    b->nins = F->nout;
}

static void visit_block(Fold *F, u32 index)
{
    Block *b = &F->f->block[index];
    F->block = index;
    F->nout = 0;
    visit_phis(F, b);
    for (size_t k = 0; k < b->nins; k++)
        visit_ins(F, b->ins[k]);
    if (b->term.kind == T_BRANCH) {
        b->term.a[0] = fold_resolve(F, b->term.a[0]);
        b->term.a[1] = fold_resolve(F, b->term.a[1]);
        simplify_branch(F, &b->term);
    }
    if (!F->scratch->failed)
        store_block(F, b);
}

static void resolve_phis(const Fold *F)
{
    for (size_t i = 0; i < F->f->nrpo; i++) {
        const Block *b = &F->f->block[F->f->rpo[i]];
        for (size_t k = 0; k < b->nphi; k++)
            for (size_t j = 0; j < b->npred; j++)
                b->phi[k].arg[j] = fold_resolve(F, b->phi[k].arg[j]);
    }
}

static bool walk(Func *f, const bool *differs, const u8 *uses, size_t ndiffers)
{
    Fold F = {.f = f,
              .scratch = ir_module("fold", f->module->target),
              .differs = differs,
              .uses = uses,
              .ndiffers = ndiffers};
    u32 *order = F.scratch ? ir_alloc(F.scratch, (f->nrpo + 1) * sizeof *order) : NULL;
    if (!order || !cover_values(&F)) {
        f->module->failed = true;
        ir_free(F.scratch);
        return false;
    }
    for (size_t i = 0; i < f->nrpo; i++)
        order[f->block[f->rpo[i]].dom_first] = f->rpo[i];
    for (size_t i = 0; i < f->nrpo && !F.scratch->failed && !f->module->failed; i++)
        visit_block(&F, order[i]);
    resolve_phis(&F);
    f->module->failed |= F.scratch->failed;
    ir_free(F.scratch);
    return F.changed;
}

/* --- the graph -------------------------------------------------------------------------- */

/* the position of the k-th edge from b among the predecessors of its target */
static size_t edge_position(const Func *f, u32 b, int k)
{
    const Term *t = &f->block[b].term;
    const Block *to = &f->block[t->succ[k]];
    size_t p = 0;
    while (p < to->npred && to->pred[p] != b)
        p++;
    return k == 1 && t->succ[0] == t->succ[1] ? p + 1 : p;
}

/* Of two parallel edges the first one stays when the graph is built again; it takes the
 * arguments of edge k. */
static void keep_edge(Func *f, u32 b, int k)
{
    Term *t = &f->block[b].term;
    if (k == 1 && t->succ[0] == t->succ[1]) {
        const Block *to = &f->block[t->succ[0]];
        const size_t first = edge_position(f, b, 0), second = edge_position(f, b, 1);
        for (size_t p = 0; p < to->nphi && second < to->npred; p++)
            to->phi[p].arg[first] = to->phi[p].arg[second];
    }
    const u32 loc = t->loc;
    ir_jump(f, b, t->succ[k]);
    t->loc = loc;
}

/* whether it does not matter which of two parallel edges is taken */
static bool edges_equal(const Func *f, u32 b)
{
    const Term *t = &f->block[b].term;
    const Block *to = &f->block[t->succ[0]];
    if (t->succ[0] != t->succ[1])
        return false;
    const size_t first = edge_position(f, b, 0), second = edge_position(f, b, 1);
    for (size_t p = 0; p < to->nphi; p++)
        if (second >= to->npred || !ref_same(to->phi[p].arg[first], to->phi[p].arg[second]))
            return false;
    return true;
}

static bool fold_branch(Func *f, u32 b)
{
    const Term *t = &f->block[b].term;
    if (t->kind != T_BRANCH)
        return false;
    if (t->a[0].kind == R_CON && t->a[1].kind == R_CON) {
        const Op op = ir_info[IR_eq + t->cmp].eval;
        keep_edge(f, b, op_eval(op, t->a[0].val, t->a[1].val) ? 0 : 1);
        return true;
    }
    if (!edges_equal(f, b))
        return false;
    keep_edge(f, b, 0);
    return true;
}

/* Renames predecessor `from` of the targets of t to `to`. */
static void rename_pred(Func *f, const Term *t, u32 from, u32 to)
{
    for (int k = 0; k < term_nsucc(t); k++) {
        Block *s = &f->block[t->succ[k]];
        for (size_t p = 0; p < s->npred; p++)
            if (s->pred[p] == from)
                s->pred[p] = to;
    }
}

/* Appends the block that b jumps to, if b is the only way there. */
static bool merge(Func *f, u32 b)
{
    Block *k = &f->block[b];
    const u32 next = k->term.succ[0];
    Block *s = &f->block[next];
    if (k->term.kind != T_JUMP || next == b || !next || s->npred != 1 || s->nphi)
        return false;
    for (size_t i = 0; i < s->nins; i++)
        ir_append(f, b, &s->ins[i]);
    k->term = s->term;
    rename_pred(f, &k->term, next, b);
    if (f->exit == next)
        f->exit = b;
    s->nins = s->npred = 0;
    s->term = (Term){0};
    return true;
}

static bool fold_graph(Func *f)
{
    bool branches = false, merged = false;
    for (size_t i = 0; i < f->nrpo; i++)
        branches |= fold_branch(f, f->rpo[i]);
    if (branches)
        graph_build(f);
    for (size_t i = 0; i < f->nrpo && !f->module->failed; i++)
        while (f->block[f->rpo[i]].term.kind == T_JUMP && merge(f, f->rpo[i]))
            merged = true;
    if (merged)
        graph_build(f);
    return branches || merged;
}

void fold_regroup(Func *f, const bool *differs, const u8 *uses, size_t ndiffers)
{
    walk(f, differs, uses, ndiffers);
}

void fold(Func *f)
{
    for (int n = 0; n < ROUNDS && !f->module->failed; n++) {
        const bool changed = walk(f, NULL, NULL, 0);
        if (f->module->failed || (!fold_graph(f) && !changed))
            break;
    }
    if (!f->module->failed)
        remove_dead(f);
}
