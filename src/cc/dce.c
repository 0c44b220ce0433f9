/* dce.c -- dead code: what neither has an effect nor is read by something that stays.
 *
 * Marking starts at effects and terminators and follows operands, so phis that only feed each
 * other go too.  Values are numbered anew, without holes: sets of values are as small as they
 * can be.
 */
#include "cc/fold.h"

typedef struct {
    Func *f;
    const Ins **ins; /* by value: what makes it, */
    struct {
        const Phi *phi;
        size_t n;
    } * phi;     /* or a phi with n arguments */
    u32 *number; /* by value: 0 when it is dead, else its new number */
    u32 *work;   /* alive, operands not followed yet */
    size_t nwork;
} Dead;

static void mark(Dead *D, Ref r)
{
    if (r.kind != R_VAL || !r.val || r.val >= D->f->nvalue || D->number[r.val])
        return;
    D->number[r.val] = 1;
    D->work[D->nwork++] = r.val;
}

static void mark_operands(Dead *D, const Ins *i)
{
    for (int k = 0; k < 3; k++)
        mark(D, i->a[k]);
}

static void renumber(const Dead *D, Ref *r)
{
    if (r->kind == R_VAL)
        r->val = D->number[r->val];
}

/* A note keeps nothing alive.  If its value is dead, but a constant away from one that is not, it
 * tells that. */
static void settle_note(const Dead *D, Note *n)
{
    while (n->is.kind == R_VAL && !D->number[n->is.val]) {
        const Ins *i = D->ins[n->is.val];
        if (!i || i->op != IR_add || i->a[1].kind != R_CON) {
            n->is = ref_none();
            return;
        }
        n->plus = (i32)((u32)n->plus + i->a[1].val);
        n->is = i->a[0];
    }
}

static void renumber_block(const Dead *D, Block *b)
{
    for (size_t j = 0; j < b->nphi; j++) {
        b->phi[j].dst = D->number[b->phi[j].dst];
        for (size_t k = 0; k < b->npred; k++)
            renumber(D, &b->phi[j].arg[k]);
    }
    for (size_t j = 0; j < b->nins; j++) {
        b->ins[j].dst = D->number[b->ins[j].dst];
        for (int k = 0; k < 3; k++)
            renumber(D, &b->ins[j].a[k]);
    }
    for (int k = 0; k < 2; k++)
        renumber(D, &b->term.a[k]);
}

static void sweep(const Dead *D, Block *b)
{
    size_t nphi = 0, nins = 0;
    for (size_t j = 0; j < b->nphi; j++)
        if (D->number[b->phi[j].dst])
            b->phi[nphi++] = b->phi[j];
    for (size_t j = 0; j < b->nins; j++)
        if (ins_has_effect(&b->ins[j]) || D->number[b->ins[j].dst])
            b->ins[nins++] = b->ins[j];
    b->nphi = nphi;
    b->nins = nins;
}

void remove_dead(Func *f)
{
    Module *scratch = ir_module("dce", f->module->target);
    const size_t n = f->nvalue;
    Dead D = {.f = f};
    if (scratch) {
        D.ins = ir_alloc(scratch, n * sizeof *D.ins);
        D.phi = ir_alloc(scratch, n * sizeof *D.phi);
        D.number = ir_alloc(scratch, n * sizeof *D.number);
        D.work = ir_alloc(scratch, n * sizeof *D.work);
    }
    if (!scratch || scratch->failed) {
        f->module->failed = true;
        ir_free(scratch);
        return;
    }
    /* 1. what makes each value */
    for (size_t b = 0; b < f->nblock; b++) {
        const Block *k = &f->block[b];
        for (size_t j = 0; j < k->nphi; j++) {
            D.phi[k->phi[j].dst].phi = &k->phi[j];
            D.phi[k->phi[j].dst].n = k->npred;
        }
        for (size_t j = 0; j < k->nins; j++)
            D.ins[k->ins[j].dst] = &k->ins[j];
    }
    D.ins[0] = NULL; /* instructions without a result */
    /* 2. effects and terminators are alive */
    for (size_t b = 0; b < f->nblock; b++) {
        const Block *k = &f->block[b];
        for (size_t j = 0; j < k->nins; j++)
            if (ins_has_effect(&k->ins[j])) {
                if (k->ins[j].dst)
                    mark(&D, ref_val(k->ins[j].dst));
                mark_operands(&D, &k->ins[j]);
            }
        mark(&D, k->term.a[0]);
        mark(&D, k->term.a[1]);
    }
    /* 3. and what they read */
    while (D.nwork) {
        const u32 v = D.work[--D.nwork];
        if (D.ins[v])
            mark_operands(&D, D.ins[v]);
        for (size_t k = 0; k < D.phi[v].n; k++)
            mark(&D, D.phi[v].phi->arg[k]);
    }
    for (size_t k = 0; k < f->nnote; k++)
        settle_note(&D, &f->note[k]);
    for (size_t b = 0; b < f->nblock; b++)
        sweep(&D, &f->block[b]);
    /* 4. new numbers */
    u32 count = 0;
    for (u32 v = 1; v < f->nvalue; v++)
        if (D.number[v]) {
            D.number[v] = ++count;
            f->value[count] = f->value[v];
        }
    f->nvalue = count + 1;
    for (size_t b = 0; b < f->nblock; b++)
        renumber_block(&D, &f->block[b]);
    for (size_t k = 0; k < f->nnote; k++)
        renumber(&D, &f->note[k].is);
    ir_free(scratch);
}
