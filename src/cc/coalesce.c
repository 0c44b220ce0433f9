/* coalesce.c -- moves between values that can be one value.
 *
 * The two values of a move are united if their live ranges do not overlap, moves of the
 * innermost loops first.  Ranges include what scalars need on the sides of a branch, so this is
 * right on both sides of a divergent branch.
 */
#include "cc/interval.h"
#include "base/mem.h"
#include <stdlib.h>

typedef struct {
    u32 dst, src, depth, order;
} Move;

typedef struct {
    Func *f;
    Ranges r;
    u32 *leader; /* of each value: a value that it was united with, or itself */
    Move *move;
    size_t n, cap;
} Coalesce;

static u32 leader(Coalesce *c, u32 v)
{
    while (c->leader[v] != v)
        v = c->leader[v] = c->leader[c->leader[v]];
    return v;
}

static bool is_candidate(const Func *f, const Ins *i)
{
    return i->op == IR_move && i->dst && i->a[0].kind == R_VAL &&
           f->value[i->dst].bank == f->value[i->a[0].val].bank;
}

static bool collect(Coalesce *c)
{
    for (size_t b = 0; b < c->f->nrpo; b++) {
        const Block *k = &c->f->block[c->f->rpo[b]];
        for (size_t i = 0; i < k->nins; i++) {
            if (!is_candidate(c->f, &k->ins[i]))
                continue;
            if (!array_grow(c->move, c->n, c->cap))
                return false;
            c->move[c->n] = (Move){k->ins[i].dst, k->ins[i].a[0].val, k->depth, (u32)c->n};
            c->n++;
        }
    }
    return true;
}

static int by_depth(const void *a, const void *b)
{
    const Move *m = a, *n = b;
    if (m->depth != n->depth)
        return m->depth > n->depth ? -1 : 1;
    return m->order < n->order ? -1 : 1;
}

static bool unite(Coalesce *c)
{
    if (c->n)
        qsort(c->move, c->n, sizeof *c->move, by_depth);
    for (size_t k = 0; k < c->n; k++) {
        const u32 v = leader(c, c->move[k].dst), w = leader(c, c->move[k].src);
        if (v == w || ranges_overlap(&c->r, v, w))
            continue;
        if (!ranges_unite(&c->r, v, w))
            return false;
        c->leader[w] = v;
    }
    return true;
}

static void rename_ref(Coalesce *c, Ref *r)
{
    if (r->kind == R_VAL)
        r->val = leader(c, r->val);
}

static void rename_block(Coalesce *c, Block *k)
{
    size_t n = 0;
    for (size_t i = 0; i < k->nins; i++) {
        Ins new = k->ins[i];
        new.dst = leader(c, new.dst);
        for (int j = 0; j < 3; j++)
            rename_ref(c, &new.a[j]);
        if (new.op != IR_move || !new.dst || !ref_same(new.a[0], ref_val(new.dst)))
            k->ins[n++] = new;
    }
    k->nins = n;
    for (int j = 0; j < 2; j++)
        rename_ref(c, &k->term.a[j]);
}

void coalesce(Func *f)
{
    Coalesce c = {.f = f, .leader = mem_alloc(f->nvalue * sizeof(u32))};
    bool ok = c.leader && ranges_build(f, &c.r);
    for (u32 v = 0; ok && v < f->nvalue; v++)
        c.leader[v] = v;
    ok = ok && collect(&c) && unite(&c);
    for (size_t b = 0; ok && b < f->nrpo; b++)
        rename_block(&c, &f->block[f->rpo[b]]);
    if (!ok)
        f->module->failed = true;
    mem_free(c.leader);
    mem_free(c.move);
    ranges_free(&c.r);
}
