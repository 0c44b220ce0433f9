/* dcache.c -- the data cache of an SM.
 *
 * Written back, without a place for stores that miss: those go to the L2 and are confirmed to the
 * LSU when they leave.  A request waits in a register until there would be an entry for it if it
 * missed, then is looked up, and in the next cycle hits, or gets an entry, or leaves.  A line that
 * arrives is written in one cycle and answers those that wait for it in the next ones, in which
 * nothing else goes on.
 */
#include "time/model.h"

/* from a lookup to the queue of requests for the L2, and from there to the L2's door */
enum { TO_QUEUE = 2, TO_DOOR = 1 };
/* requests for the L2 beyond which the cache takes no more from the LSU */
enum { ALMOST_FULL = 28 };
/* cycles from the one in which no line is on its way until a store that waited for that is looked
 * up anew */
enum { DRAIN = 3 };

static Mshr *find_mshr(DCache *c, u32 n, u32 line)
{
    for (u32 i = 0; i < n; i++)
        if (c->mshr[i].valid && c->mshr[i].line == line)
            return &c->mshr[i];
    return NULL;
}

static void ask(Sm *s, RequestKind kind, u32 line, u8 entry, i16 confirm)
{
    Queue *q = &s->dcache.requests;
    if (q->n == MAX_QUEUE)
        bug("too many requests for the L2");
    queue_push(q, (Request){.kind = kind,
                            .sm = (u8)s->id,
                            .entry = entry,
                            .line = line,
                            .confirm = confirm,
                            .at = s->model->now + TO_QUEUE});
}

/* --- towards the L2 ------------------------------------------------------------------------ */

/* an entry for a store on its way; -1: none, or one for the same line */
static int store_entry(const DCache *c, u32 n, u32 line, bool takes)
{
    int found = -1;
    for (u32 i = 0; i < n; i++) {
        if (c->write[i].valid && c->write[i].line == line)
            return -1;
        if (!c->write[i].valid && found < 0)
            found = (int)i;
    }
    return takes ? found : 0;
}

/* The first request leaves the queue, if the door of the L2 is open, when nothing on its way
 * concerns the same line */
static void dequeue(Sm *s, bool open)
{
    DCache *c = &s->dcache;
    Request *r = queue_at(&c->requests, 0);
    if (!c->requests.n || r->at > s->model->now) {
        if (c->requests.n)
            sm_wake(s, r->at);
        return;
    }
    s->busy = true;
    if (c->port || !open)
        return;
    if (r->kind != REQUEST_FLUSH) {
        const int entry =
            store_entry(c, s->model->p.dcache_stores, r->line, r->kind == REQUEST_WRITE);
        if (entry < 0)
            return;
        if (r->kind == REQUEST_WRITE) {
            c->write[entry].valid = true;
            c->write[entry].line = r->line;
            r->entry = (u8)entry;
        }
    }
    if (r->confirm >= 0)
        lsu_answer(&s->answers, r->confirm, s->model->now + 2);
    c->out = *r;
    c->out.at = s->model->now + TO_DOOR;
    c->port = true;
    queue_pop(&c->requests);
}

static void leave(Sm *s, bool open)
{
    DCache *c = &s->dcache;
    if (!c->port || c->out.at > s->model->now)
        return;
    s->busy = true;
    if (!open)
        return;
    l2_request(s->model, c->out);
    c->port = false;
}

/* --- lines that arrive ------------------------------------------------------------------------ */

/* answers one of those that wait for a line: the last that came is the first */
static void answer_waiting(Sm *s, Mshr *m)
{
    DCache *c = &s->dcache;
    lsu_answer(&s->answers, m->sub[--m->nsub], s->model->now + s->model->p.dcache_latency - 1);
    m->valid = m->nsub != 0;
    c->answering = m->valid ? m : NULL;
    c->telling = true;
}

static void fill(Sm *s, const Request *r)
{
    DCache *c = &s->dcache;
    Mshr *m = &c->mshr[r->entry];
    Way *w = tags_victim(&c->tags, m->line);
    if (w->valid && w->dirty)
        ask(s, REQUEST_WRITE, w->line, 0, -1);
    *w = (Way){.line = m->line, .valid = true};
    tags_touch(&c->tags, w);
    answer_waiting(s, m);
    c->filling = true;
}

/* what the L2 says in this cycle; `out`: the cache is busy with answers */
static void hear(Sm *s, bool out)
{
    DCache *c = &s->dcache;
    const Request *r = queue_at(&c->answers, 0);
    if (!c->answers.n || r->at > s->model->now)
        return;
    s->busy = true;
    if (r->kind == REQUEST_WRITE)
        c->write[r->entry].valid = false;
    else if (r->kind == REQUEST_READ) {
        if (out || c->missed)
            return;
        fill(s, r);
    }
    queue_pop(&c->answers);
}

/* --- lookups ----------------------------------------------------------------------------- */

/* a read that misses gets an entry, or joins one; there is one, or it would not have been looked up
 */
static void miss(Sm *s)
{
    DCache *c = &s->dcache;
    const u32 n = s->model->p.dcache_mshrs;
    Mshr *m = find_mshr(c, n, c->stage.line);
    if (!m) {
        m = c->mshr;
        while (m->valid)
            m++;
        *m = (Mshr){.valid = true, .line = c->stage.line};
        ask(s, REQUEST_READ, c->stage.line, (u8)(m - c->mshr), -1);
    }
    m->sub[m->nsub++] = c->stage.access;
    c->missed = true;
    c->misses++;
}

/* A store to a line that is on its way waits until none is, and then is looked up anew. */
static bool store_waits(DCache *c)
{
    if (c->draining && !c->used)
        c->draining--;
    return c->draining;
}

/* what was looked up hits, or misses; false: it waits */
static bool conclude(Sm *s)
{
    DCache *c = &s->dcache;
    if (c->stage.writes && store_waits(c))
        return false;
    Way *w = tags_find(&c->tags, c->stage.line);
    if (w) {
        tags_touch(&c->tags, w);
        w->dirty |= c->stage.writes;
        lsu_answer(&s->answers, c->stage.access, s->model->now + s->model->p.dcache_latency - 2);
        c->hits++;
    } else if (c->stage.writes) {
        ask(s, REQUEST_WRITE, c->stage.line, 0, c->stage.access);
        c->stores++;
    } else
        miss(s);
    return true;
}

/* whether the request in the register could not get an entry; what leaves in this cycle still
 * counts */
static bool has_no_entry(const Sm *s)
{
    const DCache *c = &s->dcache;
    const Machine *p = &s->model->p;
    for (u32 i = 0; i < p->dcache_mshrs; i++)
        if (c->before[i].valid && c->mshr[i].line == c->head.line)
            return (u32)(c->before[i].nsub + c->missed) >= p->dcache_subs;
    return c->used + c->missed >= p->dcache_mshrs;
}

/* the request in the register is looked up */
static void look_up(Sm *s)
{
    DCache *c = &s->dcache;
    const bool full = has_no_entry(s), was_full = c->was_full;
    c->was_full = full && c->head.valid;
    s->busy |= c->head.valid || c->stage.valid;
    if (!c->head.valid || c->stage.valid || c->filling || c->filled || c->draining || full ||
        (c->head.writes && was_full) || c->requests.n >= ALMOST_FULL ||
        s->answers.n >= MANY_ANSWERS || (c->missed && c->missed_line == c->head.line))
        return;
    c->stage = c->head;
    c->head.valid = false;
    if (c->head.writes && find_mshr(c, s->model->p.dcache_mshrs, c->head.line))
        c->draining = DRAIN;
}

bool dcache_accept(Sm *s, i16 access, u32 line, bool writes)
{
    DCache *c = &s->dcache;
    if (c->head.valid)
        return false;
    c->head.valid = true;
    c->head.access = access;
    c->head.line = line;
    c->head.writes = writes;
    return true;
}

/* --- the end of a kernel ---------------------------------------------------------------------- */

void dcache_flush(Sm *s, u64 at)
{
    DCache *c = &s->dcache;
    c->flushing = true;
    c->flush_at = at - TO_QUEUE - TO_DOOR - 1;
    c->flushed = 0;
    sm_wake(s, s->model->now + 1);
}

static void flush(Sm *s)
{
    DCache *c = &s->dcache;
    bool last = true;
    sm_wake(s, c->flush_at);
    if (s->model->now < c->flush_at || c->requests.n >= ALMOST_FULL)
        return;
    s->busy = true;
    for (; c->flushed < c->tags.sets * c->tags.ways; c->flushed++) {
        Way *w = &c->tags.way[c->flushed];
        if (!w->valid || !w->dirty)
            continue;
        w->dirty = false;
        ask(s, REQUEST_WRITE, w->line, 0, -1);
        return;
    }
    c->flushing = false;
    for (u32 i = 0; i < s->model->nsms; i++)
        last &= !s->model->sm[i].dcache.flushing;
    if (last)
        ask(s, REQUEST_FLUSH, 0, 0, -1);
}

/* --- cycles
 * ------------------------------------------------------------------------------------------------
 */

static void note_entries(Sm *s)
{
    DCache *c = &s->dcache;
    c->used = 0;
    for (u32 i = 0; i < s->model->p.dcache_mshrs; i++) {
        c->before[i].valid = c->mshr[i].valid;
        c->before[i].nsub = c->mshr[i].nsub;
        c->used += c->mshr[i].valid;
    }
}

void dcache_tick(Sm *s)
{
    DCache *c = &s->dcache;
    const bool open = l2_accepts(s->model), out = c->telling;
    c->filled = c->filling;
    c->filling = c->missed = c->telling = false;
    note_entries(s);
    leave(s, open);
    dequeue(s, open);
    if (c->stage.valid && !out) {
        c->missed_line = c->stage.line;
        c->stage.valid = !conclude(s);
        s->busy = true;
    }
    if (c->answering)
        answer_waiting(s, c->answering);
    hear(s, out);
    look_up(s);
    if (c->flushing)
        flush(s);
    s->busy |= c->stage.valid || c->telling || c->filling || c->port;
    if (c->answers.n)
        sm_wake(s, queue_at(&c->answers, 0)->at);
}
