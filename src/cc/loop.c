/* loop.c -- a walk over loops, inner ones first (loop.h). */
#include "cc/loop.h"

/* --- definitions ---------------------------------------------------------------------------- */

bool loop_define(LoopWalk *w, u32 block, u32 v, const Ins *i)
{
    while (w->ndef <= v) {
        if (!ir_grow(w->scratch, w->def, w->ndef, w->capdef))
            return false;
        w->def[w->ndef++] = (Def){0};
    }
    w->def[v] = (Def){.ins = *i, .block = block};
    return true;
}

static bool read_definitions(LoopWalk *w)
{
    const Func *f = w->f;
    bool ok = loop_define(w, 0, (u32)f->nvalue - 1, &(Ins){0});
    for (size_t n = 0; n < f->nrpo && ok; n++) {
        const u32 b = f->rpo[n];
        const Block *k = &f->block[b];
        for (size_t j = 0; j < k->nphi; j++)
            ok &= loop_define(w, b, k->phi[j].dst, &(Ins){0});
        for (size_t j = 0; j < k->nins; j++)
            ok &= loop_define(w, b, k->ins[j].dst, &k->ins[j]);
    }
    return ok;
}

/* --- counters ------------------------------------------------------------------------------- */

bool is_defined_outside(const LoopWalk *w, Ref r, u32 loop)
{
    return r.kind != R_VAL || !graph_in_loop(w->f, w->def[r.val].block, loop);
}

bool is_outside(const LoopWalk *w, Ref r) { return is_defined_outside(w, r, w->loop); }

const Phi *loop_phi(const LoopWalk *w, u32 v)
{
    const Block *h = &w->f->block[w->header];
    for (size_t k = 0; k < h->nphi; k++)
        if (h->phi[k].dst == v)
            return &h->phi[k];
    return NULL;
}

bool loop_counter(const LoopWalk *w, u32 v, Ref *start, Ref *step, u32 *sign)
{
    const Phi *p = w->def[v].block == w->header ? loop_phi(w, v) : NULL;
    const Ref next = p ? p->arg[w->latch_arg] : ref_none();
    if (next.kind != R_VAL)
        return false;
    const Ins *i = &w->def[next.val].ins;
    const int k = i->op == IR_add && ref_same(i->a[1], ref_val(v));
    if ((i->op != IR_add && i->op != IR_sub) || !ref_same(i->a[k], ref_val(v)) ||
        !is_outside(w, i->a[1 - k]))
        return false;
    *start = p->arg[w->entry_arg];
    *step = i->a[1 - k];
    *sign = i->op == IR_add ? 1 : UINT32_MAX;
    return true;
}

/* --- uses ------------------------------------------------------------------------------------ */

static void count_use(u32 *uses, Ref r)
{
    if (r.kind == R_VAL)
        uses[r.val]++;
}

void loop_count_uses(const Func *f, u32 *uses)
{
    for (size_t n = 0; n < f->nrpo; n++) {
        const Block *b = &f->block[f->rpo[n]];
        for (size_t j = 0; j < b->nphi; j++)
            for (size_t k = 0; k < b->npred; k++)
                count_use(uses, b->phi[j].arg[k]);
        for (size_t j = 0; j < b->nins; j++)
            for (int k = 0; k < ins_nargs(&b->ins[j]); k++)
                count_use(uses, b->ins[j].a[k]);
        for (int k = 0; k < 2; k++)
            count_use(uses, b->term.a[k]);
    }
}

/* --- the walk ------------------------------------------------------------------------------- */

u32 loop_entry(const Func *f, u32 loop)
{
    const Block *h = &f->block[f->loops[loop].header];
    u32 found = NO_BLOCK;
    for (size_t k = 0; k < h->npred; k++) {
        if (graph_in_loop(f, h->pred[k], loop))
            continue;
        if (found != NO_BLOCK)
            return NO_BLOCK;
        found = h->pred[k];
    }
    return found;
}

/* A scalar of a block that may run again can be read in no other block than before. */
static bool stays(const LoopWalk *w, Ref r)
{
    return r.kind == R_VAL && w->f->block[w->def[r.val].block].rerun;
}

u32 loop_place(const LoopWalk *w, Ref x, Ref y)
{
    u32 b = w->before;
    for (u32 l = w->f->block[b].loop; l != NO_LOOP; l = w->f->loops[l].parent) {
        const u32 out = loop_entry(w->f, l);
        if (out == NO_BLOCK || w->f->block[out].rerun || stays(w, x) || stays(w, y) ||
            !is_defined_outside(w, x, l) || !is_defined_outside(w, y, l))
            break;
        b = out;
    }
    return b;
}

static bool enter(LoopWalk *w, u32 loop)
{
    const Func *f = w->f;
    w->loop = loop;
    w->header = f->loops[loop].header;
    w->before = loop_entry(f, loop);
    const Block *h = &f->block[w->header];
    if (w->before == NO_BLOCK || h->npred != 2)
        return false;
    w->entry_arg = h->pred[1] == w->before;
    w->latch_arg = 1 - w->entry_arg;
    w->latch = h->pred[w->latch_arg];
    return true;
}

static u32 deepest(const Func *f)
{
    u32 depth = 0;
    for (u32 l = 0; l < f->nloops; l++)
        if (f->block[f->loops[l].header].depth > depth)
            depth = f->block[f->loops[l].header].depth;
    return depth;
}

void loop_walk(Func *f, void (*visit)(LoopWalk *w, void *arg), void *arg)
{
    LoopWalk w = {.f = f, .scratch = ir_module("loop", f->module->target)};
    if (!w.scratch || !read_definitions(&w)) {
        f->module->failed = true;
        ir_free(w.scratch);
        return;
    }
    for (u32 depth = deepest(f); depth; depth--)
        for (u32 l = 0; l < f->nloops && !f->module->failed && !w.scratch->failed; l++)
            if (f->block[f->loops[l].header].depth == depth && enter(&w, l))
                visit(&w, arg);
    f->module->failed |= w.scratch->failed;
    ir_free(w.scratch);
}
