/* carry.c -- what is computed of two values that a loop carries is carried instead.
 *
 *        before   loop:  x = phi x0, x'    y = phi y0, y'
 *                        if ...  { u = ...;  v = ...; }
 *                        x' = phi x, u     y' = phi y, v
 *                        s = x' + y'
 *        after    loop:  t = phi x0 + y0, s
 *                        if ...  { u = ...;  v = ...;  w = u + v; }
 *                        s = phi t, w
 *
 * The limits of loops that are read again where something was stored are such sums.  The operation
 * is paid for where one of the two changes instead of in each round, and one value is carried
 * instead of two.
 *
 * The phis that lead to the operands in pairs are followed; each pair becomes a phi of the results.
 * The old phis must have no other uses, so that they go.
 */
#include "cc/loop.h"
#include <string.h>

enum { MOST_PAIRS = 8 };

/* Operands of the operation that are phis of one block, and the phi that is to be its result. */
typedef struct {
    u32 of[2], block, result;
} Pair;

typedef struct {
    LoopWalk *w;
    Ins operation;
    Pair pair[MOST_PAIRS];
    size_t n;
    u32 *uses;    /* by value: how often it is read */
    u32 *allowed; /* by value: how often by the operation and by phis of pairs */
} Carry;

/* --- phis --------------------------------------------------------------------------------- */

static Phi *phi_of(const LoopWalk *w, Ref r)
{
    Block *b = r.kind == R_VAL ? &w->f->block[w->def[r.val].block] : NULL;
    for (size_t k = 0; b && k < b->nphi; k++)
        if (b->phi[k].dst == r.val)
            return &b->phi[k];
    return NULL;
}

/* The block of the loop of which both are phis, or NO_BLOCK. */
static u32 home_of(const LoopWalk *w, Ref x, Ref y)
{
    if (!phi_of(w, x) || !phi_of(w, y) || w->def[x.val].block != w->def[y.val].block ||
        is_outside(w, x))
        return NO_BLOCK;
    return w->def[x.val].block;
}

/* The pair of x and y, or NULL. */
static Pair *find_pair(Carry *c, Ref x, Ref y)
{
    for (size_t k = 0; k < c->n; k++)
        if (ref_same(x, ref_val(c->pair[k].of[0])) && ref_same(y, ref_val(c->pair[k].of[1])))
            return &c->pair[k];
    return NULL;
}

static Ref arg_of(const LoopWalk *w, const Pair *p, int k, size_t edge)
{
    return phi_of(w, ref_val(p->of[k]))->arg[edge];
}

/* --- looking ------------------------------------------------------------------------------ */

/* Adds the pairs that lead to pair p, and counts in *inner the blocks of the loop that would have
 * to compute the operation.  False: there are too many pairs, or one of the blocks runs in each
 * round. */
static bool follow(Carry *c, Pair p, size_t *inner)
{
    const LoopWalk *w = c->w;
    const Block *b = &w->f->block[p.block];
    for (size_t e = 0; e < b->npred; e++) {
        const Ref x = arg_of(w, &p, 0, e), y = arg_of(w, &p, 1, e);
        const u32 home = home_of(w, x, y);
        if (home == NO_BLOCK && graph_in_loop(w->f, b->pred[e], w->loop)) {
            if (graph_dominates(w->f, b->pred[e], w->latch))
                return false;
            ++*inner;
        }
        if (home == NO_BLOCK || find_pair(c, x, y))
            continue;
        if (c->n == MOST_PAIRS)
            return false;
        c->pair[c->n++] = (Pair){.of = {x.val, y.val}, .block = home};
    }
    return true;
}

static bool is_paired(const Carry *c, Ref r)
{
    for (size_t k = 0; r.kind == R_VAL && k < c->n; k++)
        if (c->pair[k].of[0] == r.val || c->pair[k].of[1] == r.val)
            return true;
    return false;
}

static void allow(const Carry *c, Ref r)
{
    if (r.kind == R_VAL)
        c->allowed[r.val]++;
}

/* Whether the operation is computed of the phis nowhere but in pairs. */
static bool has_whole_pairs(Carry *c)
{
    for (size_t k = 0; k < c->n; k++)
        for (size_t e = 0; e < c->w->f->block[c->pair[k].block].npred; e++) {
            const Ref x = arg_of(c->w, &c->pair[k], 0, e), y = arg_of(c->w, &c->pair[k], 1, e);
            if (!find_pair(c, x, y) && (is_paired(c, x) || is_paired(c, y)))
                return false;
        }
    return true;
}

/* Whether the phis of the pairs are read by one another and the operation alone. */
static bool is_closed(const Carry *c)
{
    const Func *f = c->w->f;
    memset(c->allowed, 0, c->w->ndef * sizeof *c->allowed);
    for (int k = 0; k < 2; k++)
        allow(c, c->operation.a[k]);
    for (size_t n = 0; n < f->nrpo; n++) {
        const Block *b = &f->block[f->rpo[n]];
        for (size_t j = 0; j < b->nphi; j++)
            for (size_t e = 0; e < b->npred && is_paired(c, ref_val(b->phi[j].dst)); e++)
                allow(c, b->phi[j].arg[e]);
    }
    for (size_t k = 0; k < 2 * c->n; k++) {
        const u32 v = c->pair[k / 2].of[k % 2];
        if (c->uses[v] != c->allowed[v])
            return false;
    }
    return true;
}

/* Whether operation i of block b is one that pays; its pairs are found. */
static bool pays(Carry *c, const Ins *i, u32 b)
{
    const LoopWalk *w = c->w;
    size_t inner = 0;
    if (!ins_is_pure(i) || ins_nargs(i) != 2 || !graph_dominates(w->f, b, w->latch))
        return false;
    const u32 home = home_of(w, i->a[0], i->a[1]);
    if (home == NO_BLOCK)
        return false;
    c->operation = *i;
    c->pair[0] = (Pair){.of = {i->a[0].val, i->a[1].val}, .block = home};
    c->n = 1;
    for (size_t k = 0; k < c->n; k++)
        if (!follow(c, c->pair[k], &inner))
            return false;
    return inner <= 1 && has_whole_pairs(c) && is_closed(c);
}

/* --- changing --------------------------------------------------------------------------------- */

/* Computes the operation of x and y at the end of block b. */
static Ref compute(const Carry *c, u32 b, Ref x, Ref y)
{
    Ins i = c->operation;
    i.dst = ir_value(c->w->f);
    i.a[0] = x;
    i.a[1] = y;
    if (!i.dst || !loop_define(c->w, b, i.dst, &i))
        return ref_con(0);
    ir_append(c->w->f, b, &i);
    return ref_val(i.dst);
}

static bool make_phi(const Carry *c, Pair *p)
{
    p->result = ir_value(c->w->f);
    return p->result && ir_phi(c->w->f, p->block, p->result) &&
           loop_define(c->w, p->block, p->result, &(Ins){0});
}

static void fill_phi(Carry *c, const Pair *p)
{
    const Block *b = &c->w->f->block[p->block];
    for (size_t e = 0; e < b->npred; e++) {
        const Ref x = arg_of(c->w, p, 0, e), y = arg_of(c->w, p, 1, e);
        const Pair *from = find_pair(c, x, y);
        phi_of(c->w, ref_val(p->result))->arg[e] =
            from ? ref_val(from->result) : compute(c, b->pred[e], x, y);
    }
}

/* Carries what instruction n of block b computes. */
static void carry_result(Carry *c, u32 b, size_t n)
{
    for (size_t k = 0; k < c->n; k++)
        if (!make_phi(c, &c->pair[k]))
            return;
    for (size_t k = 0; k < c->n; k++)
        fill_phi(c, &c->pair[k]);
    Ins *i = &c->w->f->block[b].ins[n];
    i->op = IR_copy;
    i->a[0] = ref_val(c->pair[0].result);
    i->a[1] = ref_none();
    c->w->def[i->dst].ins = *i;
}

/* --- loops ------------------------------------------------------------------------------------ */

static bool count(Carry *c)
{
    c->uses = ir_alloc(c->w->scratch, c->w->ndef * sizeof *c->uses);
    c->allowed = ir_alloc(c->w->scratch, c->w->ndef * sizeof *c->allowed);
    if (c->w->scratch->failed)
        return false;
    loop_count_uses(c->w->f, c->uses);
    return true;
}

static void visit(LoopWalk *w, void *arg)
{
    Carry *c = arg;
    c->w = w;
    if (!c->uses && !count(c))
        return;
    for (size_t k = 0; k < w->f->nrpo; k++) {
        const u32 b = w->f->rpo[k];
        for (size_t n = 0; n < w->f->block[b].nins && w->f->block[b].loop == w->loop; n++)
            if (pays(c, &w->f->block[b].ins[n], b)) {
                carry_result(c, b, n);
                if (!count(c))
                    return;
            }
    }
}

void carry(Func *f)
{
    Carry c = {.uses = NULL};
    if (f->nloops)
        loop_walk(f, visit, &c);
}
