/* gvn.c -- equal computations get one value (value numbering).
 *
 * The walk is in pre-order of the dominator tree, so an entry that does not dominate the
 * present block will not dominate a later one either, and the new one takes its place: one
 * entry for each computation suffices.
 */
#include "cc/fold.h"
#include <string.h>

static bool may_join(const Ins *i)
{
    if (i->op == IR_load)
        return i->space == IN_CONST && !i->is_volatile;
    return ins_is_pure(i) && !ins_has_effect(i) && ins_has_dst(i);
}

static u32 mix(u32 h, u32 v) { return (h ^ v) * 0x9e3779b1u ^ h >> 15; }

static u32 hash(const Ins *i)
{
    u32 h = mix(i->op, (u32)i->imm);
    for (int k = 0; k < 3; k++)
        h = mix(mix(h, i->a[k].val), i->a[k].kind + ((u32)(u16)i->a[k].off << 8));
    return h ^ h >> 16;
}

static bool equal(const Ins *x, const Ins *y)
{
    if (x->op != y->op || x->imm != y->imm || x->width != y->width || x->space != y->space ||
        x->sext != y->sext)
        return false;
    return ref_same(x->a[0], y->a[0]) && ref_same(x->a[1], y->a[1]) && ref_same(x->a[2], y->a[2]);
}

/* the place of the entry that is equal to *i, or a free one */
static u32 *look(const Fold *F, const Ins *i)
{
    const ValueTable *t = &F->table;
    for (u32 at = hash(i);; at++) {
        u32 *slot = &t->slot[at & (t->cap - 1)];
        if (!*slot || equal(&F->def[*slot], i))
            return slot;
    }
}

static bool make_room(Fold *F)
{
    ValueTable *t = &F->table;
    if (t->n * 2 < t->cap)
        return true;
    const ValueTable old = *t;
    const size_t cap = old.cap ? old.cap * 2 : 1024;
    u32 *slot = ir_alloc(F->scratch, cap * sizeof *slot);
    if (!slot)
        return false;
    *t = (ValueTable){.slot = slot, .n = old.n, .cap = cap};
    for (size_t k = 0; k < old.cap; k++)
        if (old.slot[k])
            *look(F, &F->def[old.slot[k]]) = old.slot[k];
    return true;
}

u32 gvn_find(Fold *F, const Ins *i)
{
    if (!may_join(i) || !F->table.cap)
        return 0;
    const u32 v = *look(F, i);
    return v && graph_dominates(F->f, F->def_block[v], F->block) ? v : 0;
}

void gvn_add(Fold *F, const Ins *i)
{
    if (!may_join(i) || !make_room(F))
        return;
    u32 *slot = look(F, i);
    F->table.n += !*slot;
    *slot = i->dst;
}
