/* blockorder.c -- which block comes where in the code of a function.
 *
 * Reverse post-order, changed in three ways: a loop is one piece; a loop whose last block
 * jumps to its header is turned so that a block that leaves it comes last, which saves
 * that jump in each round; the exit is the last of all.
 */
#include "cc/code.h"
#include <string.h>

typedef struct {
    const Func *f;
    u32 *order;
    size_t n;
    bool *placed;
} Order;

static bool leaves(const Func *f, u32 b, u32 loop)
{
    const Term *t = &f->block[b].term;
    return t->kind == T_BRANCH &&
           (!graph_in_loop(f, t->succ[0], loop) || !graph_in_loop(f, t->succ[1], loop));
}

static void reverse(u32 *a, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const u32 x = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = x;
    }
}

/* the last `k` of n to the front */
static void rotate(u32 *a, size_t n, size_t k)
{
    reverse(a, n);
    reverse(a, k);
    reverse(a + k, n - k);
}

/* needs: at[] is the whole loop, its header first */
static void turn_loop(const Func *f, u32 loop, u32 *at, size_t n)
{
    const Term *last = &f->block[at[n - 1]].term;
    if (last->kind != T_JUMP || last->succ[0] != at[0])
        return;
    for (size_t i = n; i-- > 0;)
        if (f->block[at[i]].loop == loop && leaves(f, at[i], loop)) {
            rotate(at, n, n - 1 - i);
            return;
        }
}

static void place_loop(Order *o, u32 loop);

static void place(Order *o, u32 b, u32 outer)
{
    const u32 loop = o->f->block[b].loop;
    if (o->placed[b])
        return;
    if (loop != outer && loop != UINT32_MAX && o->f->loops[loop].header == b) {
        place_loop(o, loop);
        return;
    }
    o->placed[b] = true;
    o->order[o->n++] = b;
}

static void place_loop(Order *o, u32 loop)
{
    const Func *f = o->f;
    const size_t first = o->n;
    u32 left = f->loops[loop].nblock;
    for (size_t i = f->block[f->loops[loop].header].rpo; left && i < f->nrpo; i++)
        if (graph_in_loop(f, f->rpo[i], loop)) {
            place(o, f->rpo[i], loop);
            left--;
        }
    turn_loop(f, loop, o->order + first, o->n - first);
}

u32 *block_order(const Func *f)
{
    Order o = {.f = f,
               .order = ir_alloc(f->module, (f->nrpo + 1) * sizeof(u32)),
               .placed = ir_alloc(f->module, f->nblock + 1)};
    if (!o.order || !o.placed)
        return NULL;
    o.placed[f->exit] = f->nrpo > 1;
    for (size_t i = 0; i < f->nrpo; i++)
        place(&o, f->rpo[i], UINT32_MAX);
    if (f->nrpo > 1)
        o.order[o.n++] = f->exit;
    return o.order;
}
