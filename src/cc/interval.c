/* interval.c -- live ranges of values (interval.h).
 *
 * Blocks are walked from the last to the first and each from its end to its start, so
 * the segments of a value are found in descending order; they are kept as lists that grow at
 * the front, and laid out as arrays at the end.
 */
#include "cc/interval.h"
#include "base/mem.h"
#include <string.h>

typedef struct {
    Segment s;
    u32 next; /* index in Walk.node, 0: none */
} Node;

typedef struct {
    const Func *f;
    const Live *live;
    const Ranges *r;
    Node *node;
    size_t nnode, capnode;
    u32 *head; /* of each value: its first segment so far */
    u32 *open; /* of each value: where the segment being found ends, 0: none */
    bool failed;
} Walk;

/* Puts [from, to) before the segments of v, which all come after it. */
static void add(Walk *w, u32 v, u32 from, u32 to)
{
    Node *first = &w->node[w->head[v]];
    if (w->head[v] && first->s.from == to) {
        first->s.from = from;
        return;
    }
    if (!array_grow(w->node, w->nnode, w->capnode)) {
        w->failed = true;
        return;
    }
    w->node[w->nnode] = (Node){{from, to}, w->head[v]};
    w->head[v] = (u32)w->nnode++;
}

static void read(Walk *w, Ref a, u32 at)
{
    if (a.kind == R_VAL && !w->open[a.val])
        w->open[a.val] = at + 1;
}

static void write(Walk *w, u32 v, u32 at)
{
    if (!v)
        return;
    add(w, v, at + 1, w->open[v] ? w->open[v] : at + 2);
    w->open[v] = 0;
}

/* Calls what(w, v, at) for the values of a set. */
static void for_each(Walk *w, const LiveSet *s, void (*what)(Walk *, u32, u32), u32 at)
{
    for (const LiveWord *p = w->live->pool + s->first, *end = p + s->n; p < end; p++)
        for (u64 bits = p->bits; bits; bits &= bits - 1)
            what(w, p->word * 64 + (u32)__builtin_ctzll(bits), at);
}

static void open_value(Walk *w, u32 v, u32 end) { w->open[v] = end; }

static void close_value(Walk *w, u32 v, u32 top)
{
    add(w, v, top, w->open[v]);
    w->open[v] = 0;
}

static void walk_block(Walk *w, u32 b)
{
    const Block *k = &w->f->block[b];
    for_each(w, &w->live->out[b], open_value, ranges_at(w->r, b, k->nins) + 2);
    for (int j = 0; j < 2; j++)
        read(w, k->term.a[j], ranges_at(w->r, b, k->nins));
    for (size_t i = k->nins; i-- > 0;) {
        write(w, k->ins[i].dst, ranges_at(w->r, b, i));
        for (int j = 0; j < 3; j++)
            read(w, k->ins[i].a[j], ranges_at(w->r, b, i));
    }
    for_each(w, &w->live->in[b], close_value, w->r->top[b]);
}

static bool find(Walk *w, Ranges *r)
{
    const Func *f = w->f;
    /* 1. numbers of the blocks */
    r->end = 0;
    for (size_t i = 0; i < f->nrpo; i++) {
        r->top[f->rpo[i]] = r->end;
        r->end += 2 * ((u32)f->block[f->rpo[i]].nins + 2);
    }
    /* 2. lists of segments */
    w->nnode = 1; /* node 0 ends lists */
    for (size_t i = f->nrpo; i-- > 0;)
        walk_block(w, f->rpo[i]);
    /* 3. arrays of them */
    r->cappool = w->nnode;
    r->pool = mem_zalloc(r->cappool, sizeof *r->pool);
    if (w->failed || !r->pool)
        return false;
    for (u32 v = 1; v < f->nvalue; v++) {
        r->of[v].first = (u32)r->npool;
        for (u32 n = w->head[v]; n; n = w->node[n].next)
            r->pool[r->npool++] = w->node[n].s;
        r->of[v].n = (u32)r->npool - r->of[v].first;
    }
    return true;
}

bool ranges_build(const Func *f, Ranges *r)
{
    Live l;
    *r = (Ranges){0};
    if (!live(f, &l))
        return false;
    r->of = mem_zalloc(f->nvalue, sizeof *r->of);
    r->top = mem_zalloc(f->nblock + 1, sizeof *r->top);
    Walk w = {.f = f, .live = &l, .r = r, .head = mem_zalloc(f->nvalue, 2 * sizeof(u32))};
    bool ok = r->of && r->top && w.head && array_grow(w.node, 0, w.capnode);
    if (ok) {
        w.open = w.head + f->nvalue;
        ok = find(&w, r);
    }
    mem_free(w.head);
    mem_free(w.node);
    live_free(&l);
    if (!ok)
        ranges_free(r);
    return ok;
}

void ranges_free(Ranges *r)
{
    mem_free(r->pool);
    mem_free(r->of);
    mem_free(r->top);
    *r = (Ranges){0};
}

/* the first of the ascending segments from s to `end` that ends after `at` */
static const Segment *skip(const Segment *s, const Segment *end, u32 at)
{
    while (s < end) {
        const Segment *middle = s + (end - s) / 2;
        if (middle->to <= at)
            s = middle + 1;
        else
            end = middle;
    }
    return s;
}

bool ranges_overlap(const Ranges *r, u32 v, u32 w)
{
    const Segment *a = ranges_of(r, v), *a_end = a + r->of[v].n;
    const Segment *b = ranges_of(r, w), *b_end = b + r->of[w].n;
    while (a < a_end && b < b_end) {
        if (a->to <= b->from)
            a = skip(a, a_end, b->from);
        else if (b->to <= a->from)
            b = skip(b, b_end, a->from);
        else
            return true;
    }
    return false;
}

/* Adds s to the range being made at the end of the pool, which starts with segment `first`. */
static void append(Ranges *r, u32 first, Segment s)
{
    if (r->npool > first && r->pool[r->npool - 1].to == s.from)
        r->pool[r->npool - 1].to = s.to;
    else
        r->pool[r->npool++] = s;
}

bool ranges_unite(Ranges *r, u32 v, u32 w)
{
    const u32 need = r->of[v].n + r->of[w].n, first = (u32)r->npool;
    while (r->cappool - r->npool < need)
        if (!array_grow(r->pool, r->cappool, r->cappool))
            return false;
    const Segment *a = ranges_of(r, v), *a_end = a + r->of[v].n;
    const Segment *b = ranges_of(r, w), *b_end = b + r->of[w].n;
    while (a < a_end || b < b_end)
        append(r, first, b == b_end || (a < a_end && a->from < b->from) ? *a++ : *b++);
    r->of[v] = (Range){first, (u32)r->npool - first};
    r->of[w].n = 0;
    return true;
}

u32 ranges_length(const Ranges *r, u32 v)
{
    u32 n = 0;
    for (u32 k = 0; k < r->of[v].n; k++)
        n += ranges_of(r, v)[k].to - ranges_of(r, v)[k].from;
    return n;
}

/* --- timelines ------------------------------------------------------------------------ */

/* the index of the first entry from `low` on that ends after `at` */
static size_t search(const Timeline *t, size_t low, u32 at)
{
    size_t high = t->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->list[middle].to <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool timeline_conflict(const Timeline *t, const Ranges *r, u32 v, u32 *from, u32 *owner)
{
    const Segment *s = ranges_of(r, v), *end = s + r->of[v].n;
    s = skip(s, end, *from);
    size_t k = s < end ? search(t, 0, s->from > *from ? s->from : *from) : t->n;
    while (s < end && k < t->n) {
        if (s->to <= t->list[k].from) {
            s = skip(s, end, t->list[k].from);
        } else if (t->list[k].to <= s->from) {
            k = search(t, k, s->from);
        } else {
            *from = t->list[k].to;
            *owner = t->list[k].owner;
            return true;
        }
    }
    return false;
}

bool timeline_is_free(const Timeline *t, const Ranges *r, u32 v)
{
    u32 from = 0, owner;
    return !timeline_conflict(t, r, v, &from, &owner);
}

bool timeline_add(Timeline *t, Busy b)
{
    if (!array_grow(t->list, t->n, t->cap))
        return false;
    const size_t k = search(t, 0, b.from);
    memmove(&t->list[k + 1], &t->list[k], (t->n - k) * sizeof b);
    t->list[k] = b;
    t->n++;
    return true;
}

bool timeline_add_range(Timeline *t, const Ranges *r, u32 v)
{
    for (u32 k = 0; k < r->of[v].n; k++) {
        const Segment s = ranges_of(r, v)[k];
        if (!timeline_add(t, (Busy){s.from, s.to, v}))
            return false;
    }
    return true;
}

void timeline_remove(Timeline *t, u32 owner)
{
    size_t n = 0;
    for (size_t k = 0; k < t->n; k++)
        if (t->list[k].owner != owner)
            t->list[n++] = t->list[k];
    t->n = n;
}

bool timeline_push(Timeline *t, Busy b)
{
    const bool ok = array_grow(t->list, t->n, t->cap);
    if (ok)
        t->list[t->n++] = b;
    return ok;
}

void timeline_reverse(Timeline *t)
{
    for (size_t k = 0; k < t->n / 2; k++) {
        const Busy b = t->list[k];
        t->list[k] = t->list[t->n - 1 - k];
        t->list[t->n - 1 - k] = b;
    }
}

void timeline_free(Timeline *t)
{
    mem_free(t->list);
    *t = (Timeline){0};
}
