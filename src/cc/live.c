/* live.c -- which values are alive at the ends of blocks.
 *
 * The backward problem on bit sets, block by block in post-order until nothing changes:
 *
 *     out(b) = union of in(s) and of the phi arguments that b gives s, for all successors s
 *     in(b)  = read in b before it is written, or in out(b) and not written in b
 *     in(b) += of bank X: in(s) for all s in Block.other of b
 *
 * The last line is the edge from the top of a join to the side that still waits
 * (doc/ir.md, "Scalars and divergence").  It leaves before anything in b happens, so
 * what b writes does not end it.
 */
#include "cc/cc.h"
#include "base/mem.h"
#include <string.h>

typedef struct {
    const Func *f;
    Live *live;
    u64 *use, *def;         /* nblock sets each: read before written; written */
    u64 *scalar, *other;    /* a set each: the values of bank X; scratch of flow_in */
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
static void add_phi_args(const Flow *w, u64 *to, u32 b, u32 s, bool scalars_only)
{
    const Block *k = &w->f->block[s];
    for (size_t j = 0; k->nphi && j < k->npred; j++) {
        if (k->pred[j] != b)
            continue;
        for (size_t p = 0; p < k->nphi; p++) {
            const Ref r = k->phi[p].arg[j];
            if (r.kind == R_VAL && (!scalars_only || has(w->scalar, r.val)))
                set(to, r.val);
        }
    }
}

/* what the side that starts with block s needs to find at the top of join b */
static void add_other(const Flow *w, u64 *to, u32 b, u32 s)
{
    const size_t words = w->live->words;
    const u64 *in = w->live->in + s * words;
    for (size_t i = 0; i < words; i++)
        to[i] |= in[i] & w->scalar[i];
    const Block *k = &w->f->block[s];
    for (size_t j = 0; k->nphi && j < k->npred; j++) {
        const Term *t = &w->f->block[k->pred[j]].term;
        if (t->divergent && t->rpc == b)
            add_phi_args(w, to, k->pred[j], s, true);
    }
}

static void flow_out(const Flow *w, u32 b)
{
    const Term *t = &w->f->block[b].term;
    const int n = t->kind == T_JUMP ? 1 : t->kind == T_BRANCH ? 2 : 0;
    const size_t words = w->live->words;
    u64 *out = w->live->out + b * words;
    for (int k = 0; k < n; k++) {
        const u64 *in = w->live->in + t->succ[k] * words;
        for (size_t i = 0; i < words; i++)
            out[i] |= in[i];
        add_phi_args(w, out, b, t->succ[k], false);
    }
}

static bool flow_in(const Flow *w, u32 b)
{
    const size_t words = w->live->words, at = b * words;
    const Block *k = &w->f->block[b];
    u64 *in = w->live->in + at;
    bool changed = false;
    memset(w->other, 0, words * sizeof *w->other);
    for (size_t j = 0; j < k->nother; j++)
        add_other(w, w->other, b, k->other[j]);
    for (size_t i = 0; i < words; i++) {
        const u64 new = w->other[i] | w->use[at + i] | (w->live->out[at + i] & ~w->def[at + i]);
        changed |= new & ~in[i];
        in[i] |= new;
    }
    return changed;
}

static void solve(const Flow *w)
{
    const Func *f = w->f;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = f->nrpo; i-- > 0;) {
            flow_out(w, f->rpo[i]);
            changed |= flow_in(w, f->rpo[i]);
        }
    }
}

static void prepare(Flow *w)
{
    for (size_t i = 0; i < w->f->nrpo; i++)
        summarize(w, w->f->rpo[i]);
    for (u32 v = 1; v < w->f->nvalue; v++)
        if (w->f->value[v].bank == BANK_X)
            set(w->scalar, v);
}

bool live(const Func *f, Live *l)
{
    const size_t words = f->nvalue / 64 + 1, sets = f->nblock + 1;
    *l = (Live){.words = words, .in = mem_zalloc(words * sets, 16)};
    Flow w = {.f = f, .live = l, .use = mem_zalloc(words * sets, 16), .scalar = mem_zalloc(words, 16)};
    const bool ok = l->in && w.use && w.scalar;
    if (ok) {
        l->out = l->in + words * sets;
        w.def = w.use + words * sets;
        w.other = w.scalar + words;
        prepare(&w);
        solve(&w);
    } else {
        live_free(l);
    }
    mem_free(w.use);
    mem_free(w.scalar);
    return ok;
}

void live_free(Live *l)
{
    mem_free(l->in);
    *l = (Live){0};
}
