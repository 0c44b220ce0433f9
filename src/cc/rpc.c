/* rpc.c -- where the reconvergence pc is set.
 *
 * A divergent branch needs rpc to name its join.  Only setrpc and calls change rpc, so it need not
 * be set where it has been set on all paths to the branch already.  That is found by a forward
 * analysis over the edges of the graph and those of Block.other, along which a join sends the warp
 * to a side that waited.  If all branches of a loop have the same join, rpc is set before the loop
 * as well, which makes setting it in the loop superfluous.
 */
#include "cc/code.h"
#include "cc/loop.h"
#include <string.h>

/* what is known of rpc at a place: a block, or that nothing reached it yet, or anything */
#define UNREACHED (UINT32_MAX - 1)
#define ANY       UINT32_MAX

typedef struct {
    const Func *f;
    u32 *need; /* block that rpc must name at the end of each, or NO_BLOCK */
    u32 *in;   /* known at the start */
} Rpc;

static bool has_call(const Block *b)
{
    for (size_t i = 0; i < b->nins; i++)
        if (b->ins[i].op == IR_call)
            return true;
    return false;
}

static bool parts(const Block *b)
{
    return b->term.kind == T_BRANCH && b->term.divergent && b->term.succ[0] != b->term.succ[1];
}

/* --- loops ---------------------------------------------------------------------------- */

static u32 meet(u32 a, u32 b)
{
    if (a == b || b == UNREACHED)
        return a;
    return a == UNREACHED ? b : ANY;
}

/* Of each loop: the one join of all its divergent branches; ANY if they have several or the loop
 * has calls; UNREACHED if it has none.  NULL: out of memory. */
static u32 *common_joins(const Func *f)
{
    u32 *join = ir_alloc(f->module, (f->nloops + 1) * sizeof *join);
    if (!join)
        return NULL;
    for (size_t l = 0; l < f->nloops; l++)
        join[l] = UNREACHED;
    for (size_t i = 0; i < f->nrpo; i++) {
        const Block *b = &f->block[f->rpo[i]];
        if (b->loop != NO_BLOCK && (parts(b) || has_call(b)))
            join[b->loop] = meet(join[b->loop], has_call(b) ? ANY : b->term.rpc);
    }
    for (size_t l = 0; l < f->nloops; l++) /* inner loops come first */
        if (f->loops[l].parent != NO_BLOCK)
            join[f->loops[l].parent] = meet(join[f->loops[l].parent], join[l]);
    return join;
}

/* Sets rpc at the end of the only block before a loop, if that is free to. */
static void hoist(Rpc *r)
{
    const Func *f = r->f;
    const u32 *join = common_joins(f);
    for (u32 loop = 0; join && loop < f->nloops; loop++) {
        const u32 before = loop_entry(f, loop);
        if (join[loop] < f->nblock && before != NO_BLOCK && !parts(&f->block[before]) &&
            r->need[before] == NO_BLOCK)
            r->need[before] = join[loop];
    }
}

/* --- what is known -------------------------------------------------------------------- */

static u32 at_end(const Rpc *r, u32 b)
{
    if (r->need[b] != NO_BLOCK)
        return r->need[b];
    return has_call(&r->f->block[b]) ? ANY : r->in[b];
}

static bool flow(Rpc *r, u32 to, u32 value)
{
    const u32 old = r->in[to];
    if (value == UNREACHED || value == old || old == ANY)
        return false;
    r->in[to] = old == UNREACHED ? value : ANY;
    return true;
}

static void analyse(Rpc *r)
{
    const Func *f = r->f;
    for (size_t b = 0; b < f->nblock; b++)
        r->in[b] = UNREACHED;
    r->in[0] = ANY;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->nrpo; i++) {
            const u32 b = f->rpo[i];
            const Block *k = &f->block[b];
            for (int s = 0; s < (k->term.kind == T_BRANCH ? 2 : k->term.kind == T_JUMP); s++)
                changed |= flow(r, k->term.succ[s], at_end(r, b));
            for (size_t s = 0; s < k->nother; s++)
                changed |= flow(r, k->other[s], r->in[b]);
        }
    }
}

u32 *rpc_points(const Func *f)
{
    const size_t size = (f->nblock + 1) * sizeof(u32);
    Rpc r = {.f = f, .need = ir_alloc(f->module, size), .in = ir_alloc(f->module, size)};
    if (!r.need || !r.in)
        return NULL;
    for (size_t b = 0; b < f->nblock; b++)
        r.need[b] = parts(&f->block[b]) ? f->block[b].term.rpc : NO_BLOCK;
    hoist(&r);
    analyse(&r);
    for (size_t b = 0; b < f->nblock; b++)
        if (r.in[b] == r.need[b] && !has_call(&f->block[b]))
            r.need[b] = NO_BLOCK;
    return r.need;
}
