/* live.c -- which values are alive at the ends of blocks.
 *
 * 1. The backward problem on bit sets, block by block in post-order until nothing changes:
 *
 *        out(b) = union of in(s) and of the phi arguments that b gives s, for all successors s
 *        in(b)  = read in b before it is written, or in out(b) and not written in b
 *
 * 2. The sides of a divergent branch run one after the other with one set of scalar registers
 *    (doc/ir.md, "Scalars and divergence").  A scalar alive into one side is therefore
 *    alive in every block of the other side: those that can be reached from its start
 *    without entering the join.
 */
#include "cc/cc.h"
#include "base/mem.h"
#include <string.h>

typedef struct {
    const Func *f;
    Live *live;
    u64 *use, *def;      /* nblock sets each: read before written; written */
    u64 *scalar, *guard; /* a set each: the values of bank X; those that a side must keep */
    u32 *filled;         /* the words of `guard` that are not 0 */
    size_t nfilled;
    u32 *stack, *side; /* of each block: work to do; number of the last side it was found in */
    u32 nside;
} Flow;

static void set(u64 *s, u32 v) { s[v / 64] |= (u64)1 << v % 64; }
static bool has(const u64 *s, u32 v) { return s[v / 64] >> v % 64 & 1; }

static void read(u64 *use, const u64 *def, Ref r)
{
    if (r.kind == R_VAL && !has(def, r.val))
        set(use, r.val);
}

static void summarize(Flow *w, u32 b)
{
    const Block *k = &w->f->block[b];
    u64 *use = w->use + b * w->live->words, *def = w->def + b * w->live->words;
    for (size_t p = 0; p < k->nphi; p++)
        set(def, k->phi[p].dst);
    for (size_t i = 0; i < k->nins; i++) {
        for (int j = 0; j < 3; j++)
            read(use, def, k->ins[i].a[j]);
        set(def, k->ins[i].dst);
    }
    for (int j = 0; j < 2; j++)
        read(use, def, k->term.a[j]);
}

/* the arguments that block s takes for its phis from block b */
static void add_phi_args(const Flow *w, u64 *to, u32 b, u32 s)
{
    const Block *k = &w->f->block[s];
    for (size_t j = 0; k->nphi && j < k->npred; j++)
        for (size_t p = 0; k->pred[j] == b && p < k->nphi; p++)
            if (k->phi[p].arg[j].kind == R_VAL)
                set(to, k->phi[p].arg[j].val);
}

static void flow_out(const Flow *w, u32 b)
{
    const Term *t = &w->f->block[b].term;
    const size_t words = w->live->words;
    u64 *out = w->live->out + b * words;
    for (int k = 0; k < term_nsucc(&w->f->block[b].term); k++) {
        const u64 *in = w->live->in + t->succ[k] * words;
        for (size_t i = 0; i < words; i++)
            out[i] |= in[i];
        add_phi_args(w, out, b, t->succ[k]);
    }
}

static bool flow_in(const Flow *w, u32 b)
{
    const size_t words = w->live->words, at = b * words;
    u64 *in = w->live->in + at;
    bool changed = false;
    for (size_t i = 0; i < words; i++) {
        const u64 new = w->use[at + i] | (w->live->out[at + i] & ~w->def[at + i]);
        changed |= new != in[i];
        in[i] = new;
    }
    return changed;
}

static void push(Flow *w, size_t *n, u32 b, u32 join)
{
    if (b == join || w->side[b] == w->nside)
        return;
    w->side[b] = w->nside;
    w->stack[(*n)++] = b;
}

/* Keeps w->guard alive in the blocks from `start` to the join. */
static void guard_side(Flow *w, u32 start, u32 join)
{
    size_t n = 0;
    w->nside++;
    push(w, &n, start, join);
    while (n) {
        const u32 b = w->stack[--n];
        for (size_t i = 0; i < w->nfilled; i++) {
            const size_t at = b * w->live->words + w->filled[i];
            w->live->in[at] |= w->guard[w->filled[i]];
            w->live->out[at] |= w->guard[w->filled[i]];
        }
        for (int k = 0; k < term_nsucc(&w->f->block[b].term); k++)
            push(w, &n, w->f->block[b].term.succ[k], join);
    }
}

static void guard_branch(Flow *w, u32 b)
{
    const Term *t = &w->f->block[b].term;
    for (int k = 0; k < 2; k++) {
        const u32 to = t->succ[k];
        memcpy(w->guard, w->use + to * w->live->words, w->live->words * sizeof *w->guard);
        add_phi_args(w, w->guard, b, to);
        w->nfilled = 0;
        for (size_t i = 0; i < w->live->words; i++)
            if (w->guard[i] &= w->scalar[i])
                w->filled[w->nfilled++] = (u32)i;
        if (w->nfilled)
            guard_side(w, t->succ[!k], t->rpc);
    }
}

bool live(const Func *f, Live *l)
{
    const size_t words = f->nvalue / 64 + 1, sets = f->nblock + 1;
    *l = (Live){.words = words, .in = mem_zalloc(words * sets, 2 * sizeof(u64))};
    Flow w = {.f = f,
              .live = l,
              .use = mem_zalloc(words * sets, 2 * sizeof(u64)),
              .scalar = mem_zalloc(words, 2 * sizeof(u64)),
              .filled = mem_zalloc(words, sizeof(u32)),
              .stack = mem_zalloc(sets, 2 * sizeof(u32))};
    const bool ok = l->in && w.use && w.scalar && w.filled && w.stack;
    if (ok) {
        l->out = l->in + words * sets;
        w.def = w.use + words * sets;
        w.guard = w.scalar + words;
        w.side = w.stack + sets;
        for (u32 v = 1; v < f->nvalue; v++)
            if (f->value[v].bank == BANK_X)
                set(w.scalar, v);
        /* 1. what is read */
        for (size_t i = 0; i < f->nrpo; i++)
            summarize(&w, f->rpo[i]);
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t i = f->nrpo; i-- > 0;) {
                flow_out(&w, f->rpo[i]);
                changed |= flow_in(&w, f->rpo[i]);
            }
        }
        /* 2. what the other side needs: that is what step 1 found alive where it starts, kept in
         * `use`.  What this step adds does not count, since the side itself may write it */
        memcpy(w.use, l->in, f->nblock * words * sizeof *w.use);
        for (size_t i = 0; i < f->nrpo; i++) {
            const Term *t = &f->block[f->rpo[i]].term;
            if (t->kind == T_BRANCH && t->divergent)
                guard_branch(&w, f->rpo[i]);
        }
    } else {
        live_free(l);
    }
    mem_free(w.use);
    mem_free(w.scalar);
    mem_free(w.filled);
    mem_free(w.stack);
    return ok;
}

void live_free(Live *l)
{
    mem_free(l->in);
    *l = (Live){0};
}
