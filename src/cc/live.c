/* live.c -- which values are alive at the ends of blocks, of a function without phis.
 *
 * A program of many blocks has many values, of which few are alive at the ends of each: a set is a
 * list of the words of a bit set that are not 0.  It is made in a row of all words (`sum`), of
 * which only the words that were touched are looked at.
 *
 * 1. The backward problem, block by block in post-order until nothing changes:
 *
 *        out(b) = union of in(s), for all successors s
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
    size_t npool, cappool;
    LiveSet *use, *def; /* of each block: read before written; written */
    LiveSet *first;     /* of each block: `in` as step 1 found it */
    u64 *scalar;        /* a row: the values of bank X */
    u64 *sum;           /* a row: the set in progress */
    u32 *touched;       /* the words of `sum` that may not be 0 */
    bool *is_touched;
    u32 ntouched;
    u32 *stack, *side; /* of each block: work to do; number of the last side it was found in */
    u32 nside;
    bool failed;
} Flow;

/* --- the set in progress ------------------------------------------------------------------ */

static void add_bits(Flow *w, u32 word, u64 bits)
{
    if (!w->is_touched[word])
        w->touched[w->ntouched++] = word;
    w->is_touched[word] = true;
    w->sum[word] |= bits;
}

static void add_value(Flow *w, u32 v) { add_bits(w, v / 64, (u64)1 << v % 64); }
static void take_value(Flow *w, u32 v) { w->sum[v / 64] &= ~((u64)1 << v % 64); }

static void read(Flow *w, Ref r)
{
    if (r.kind == R_VAL)
        add_value(w, r.val);
}

static void add_set(Flow *w, const LiveSet *s)
{
    for (u32 i = 0; i < s->n; i++)
        add_bits(w, w->live->pool[s->first + i].word, w->live->pool[s->first + i].bits);
}

static void take_set(Flow *w, const LiveSet *s)
{
    for (u32 i = 0; i < s->n; i++)
        w->sum[w->live->pool[s->first + i].word] &= ~w->live->pool[s->first + i].bits;
}

/* The set in progress becomes *s, and is empty then; whether *s has more values than before. */
static bool keep_set(Flow *w, LiveSet *s)
{
    const u32 size = s->size;
    if (s->cap < w->ntouched) { /* its old place stays as it is */
        while (w->cappool - w->npool < w->ntouched && !w->failed)
            w->failed = !array_grow(w->live->pool, w->cappool, w->cappool);
        if (w->failed)
            return false;
        *s = (LiveSet){.first = (u32)w->npool, .cap = w->ntouched};
        w->npool += w->ntouched;
    }
    s->n = s->size = 0;
    for (u32 i = 0; i < w->ntouched; i++) {
        const u32 word = w->touched[i];
        const u64 bits = w->sum[word];
        if (bits)
            w->live->pool[s->first + s->n++] = (LiveWord){word, bits};
        s->size += (u32)__builtin_popcountll(bits);
        w->sum[word] = 0;
        w->is_touched[word] = false;
    }
    w->ntouched = 0;
    return s->size > size;
}

/* --- 1. what is read ---------------------------------------------------------------------- */

/* A block as a whole, read from its end. */
static void summarize(Flow *w, u32 b)
{
    const Block *k = &w->f->block[b];
    for (size_t i = 0; i < k->nins; i++)
        add_value(w, k->ins[i].dst);
    keep_set(w, &w->def[b]);
    for (int j = 0; j < 2; j++)
        read(w, k->term.a[j]);
    for (size_t i = k->nins; i-- > 0;) {
        take_value(w, k->ins[i].dst);
        for (int j = 0; j < 3; j++)
            read(w, k->ins[i].a[j]);
    }
    keep_set(w, &w->use[b]);
}

/* Whether more is alive where b begins than was known. */
static bool flow(Flow *w, u32 b)
{
    const Term *t = &w->f->block[b].term;
    Live *l = w->live;
    for (int k = 0; k < term_nsucc(t); k++)
        add_set(w, &l->in[t->succ[k]]);
    keep_set(w, &l->out[b]);
    add_set(w, &l->out[b]);
    take_set(w, &w->def[b]);
    add_set(w, &w->use[b]);
    return keep_set(w, &l->in[b]);
}

static void find_read(Flow *w)
{
    const Func *f = w->f;
    for (size_t i = 0; i < f->nrpo; i++)
        summarize(w, f->rpo[i]);
    for (bool changed = true; changed && !w->failed;) {
        changed = false;
        for (size_t i = f->nrpo; i-- > 0;)
            changed |= flow(w, f->rpo[i]);
    }
}

/* --- 2. what the other side needs --------------------------------------------------------- */

static void push(Flow *w, size_t *n, u32 b, u32 join)
{
    if (b == join || w->side[b] == w->nside)
        return;
    w->side[b] = w->nside;
    w->stack[(*n)++] = b;
}

/* Whether the set has all values of the other one, which has few. */
static bool has_all(const Live *l, const LiveSet *s, const LiveSet *few)
{
    for (u32 i = 0; i < few->n; i++) {
        const LiveWord *p = l->pool + s->first, *end = p + s->n, *want = &l->pool[few->first + i];
        while (p < end && p->word != want->word)
            p++;
        if (p == end || want->bits & ~p->bits)
            return false;
    }
    return true;
}

/* Keeps the values of *guard alive in the blocks from `start` to the join. */
static void guard_side(Flow *w, const LiveSet *guard, u32 start, u32 join)
{
    size_t n = 0;
    w->nside++;
    push(w, &n, start, join);
    while (n) {
        const u32 b = w->stack[--n];
        LiveSet *const at[2] = {&w->live->in[b], &w->live->out[b]};
        for (int k = 0; k < 2; k++) {
            if (has_all(w->live, at[k], guard))
                continue;
            add_set(w, at[k]);
            add_set(w, guard);
            keep_set(w, at[k]);
        }
        for (int k = 0; k < term_nsucc(&w->f->block[b].term); k++)
            push(w, &n, w->f->block[b].term.succ[k], join);
    }
}

static void guard_branch(Flow *w, u32 b, LiveSet *guard)
{
    const Term *t = &w->f->block[b].term;
    for (int k = 0; k < 2; k++) {
        add_set(w, &w->first[t->succ[k]]);
        for (u32 i = 0; i < w->ntouched; i++)
            w->sum[w->touched[i]] &= w->scalar[w->touched[i]];
        keep_set(w, guard);
        if (guard->n)
            guard_side(w, guard, t->succ[!k], t->rpc);
    }
}

/* What a side needs is what step 1 found alive where it starts.  What this step adds does not
 * count, since the side itself may write it. */
static void find_guarded(Flow *w)
{
    const Func *f = w->f;
    LiveSet guard = {0};
    memcpy(w->first, w->live->in, f->nblock * sizeof *w->first);
    for (size_t b = 0; b < f->nblock; b++)
        w->live->in[b].cap = 0; /* so that it moves when it grows */
    for (size_t i = 0; i < f->nrpo; i++) {
        const Term *t = &f->block[f->rpo[i]].term;
        if (t->kind == T_BRANCH && t->divergent)
            guard_branch(w, f->rpo[i], &guard);
    }
}

bool live(const Func *f, Live *l)
{
    const size_t words = f->nvalue / 64 + 1, sets = f->nblock + 1;
    *l = (Live){.in = mem_zalloc(sets, 2 * sizeof *l->in)};
    Flow w = {.f = f,
              .live = l,
              .use = mem_zalloc(sets, 3 * sizeof *w.use),
              .scalar = mem_zalloc(words, 2 * sizeof *w.scalar),
              .touched = mem_zalloc(words, sizeof *w.touched),
              .is_touched = mem_zalloc(words, sizeof *w.is_touched),
              .stack = mem_zalloc(sets, 2 * sizeof *w.stack)};
    w.failed = !l->in || !w.use || !w.scalar || !w.touched || !w.is_touched || !w.stack;
    if (!w.failed) {
        l->out = l->in + sets;
        w.def = w.use + sets;
        w.first = w.def + sets;
        w.sum = w.scalar + words;
        w.side = w.stack + sets;
        for (u32 v = 1; v < f->nvalue; v++)
            if (f->value[v].bank == BANK_X)
                w.scalar[v / 64] |= (u64)1 << v % 64;
        find_read(&w);
        find_guarded(&w);
    }
    mem_free(w.use);
    mem_free(w.scalar);
    mem_free(w.touched);
    mem_free(w.is_touched);
    mem_free(w.stack);
    if (w.failed)
        live_free(l);
    return !w.failed;
}

void live_free(Live *l)
{
    mem_free(l->pool);
    mem_free(l->in);
    *l = (Live){0};
}
