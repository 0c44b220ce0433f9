/* l2.c -- the cache that SMs share, and memory behind it.
 *
 * A request that misses gets an entry, in which later ones for the line wait with it.  The entry
 * asks memory, and when the line is there, all are answered, one in two cycles.  A store reads its
 * line as well and writes it to memory when it is answered.
 */
#include "time/model.h"

enum {
    DOOR = 2,      /* requests before the door */
    SOURCE = 2,    /* cycles of an answer */
    TO_ANSWER = 2, /* from the line of memory until it may be answered */
    TO_MEMORY = 3  /* from there until a store asks for memory */
};

bool l2_accepts(const Model *m) { return m->l2.in.n < DOOR && !m->l2.taken; }

void l2_request(Model *m, Request r)
{
    r.at = m->now + 1;
    m->l2.taken = true;
    queue_push(&m->l2.in, r);
}

/* --- memory -------------------------------------------------------------------------------- */

static int memory_slot(const Model *m)
{
    for (u32 i = 0; i < m->p.memory_pending; i++)
        if (!m->l2.memory[i].valid)
            return (int)i;
    return -1;
}

static void use_memory(Model *m, int slot, bool writes, u32 mshr)
{
    L2 *l = &m->l2;
    l->memory[slot].valid = true;
    l->memory[slot].writes = writes;
    l->memory[slot].mshr = (u8)mshr;
    l->memory[slot].at = m->now + (writes ? m->p.memory_write : m->p.memory_read);
    l->reads += !writes;
    l->stores += writes;
    l->busy = true;
}

static void memory_tick(Model *m)
{
    L2 *l = &m->l2;
    for (u32 i = 0; i < m->p.memory_pending; i++) {
        if (!l->memory[i].valid)
            continue;
        if (l->memory[i].at < m->now) {
            l->memory[i].valid = false;
            l->busy = true;
        } else if (l->memory[i].at == m->now && !l->memory[i].writes) {
            L2Mshr *e = &l->mshr[l->memory[i].mshr];
            e->answered = true;
            e->at = m->now + TO_ANSWER;
            e->tag = e->reads;
            l->busy = true;
        }
        if (l->memory[i].valid)
            l->next = l->memory[i].at < l->next ? l->memory[i].at : l->next;
    }
}

/* --- answers -------------------------------------------------------------------------------- */

static void respond(Model *m, const Request *r)
{
    Sm *s = &m->sm[r->sm];
    Request answer = *r;
    answer.at = m->now + SOURCE;
    queue_push(r->code ? &s->icache.answers : &s->dcache.answers, answer);
    sm_wake(s, answer.at);
    m->l2.source_free = m->now + SOURCE;
    m->l2.busy = true;
}

/* the line of an entry goes into the tags; what it replaces may have to be written */
static void keep(Model *m, u32 line)
{
    L2 *l = &m->l2;
    if (!m->p.l2_hits || tags_find(&l->tags, line))
        return;
    Way *w = tags_victim(&l->tags, line);
    if (w->valid && w->dirty)
        queue_push(&l->writes, (Request){.line = w->line, .at = m->now + TO_MEMORY});
    *w = (Way){.line = line, .valid = true};
    tags_touch(&l->tags, w);
}

static void answer_entry(Model *m, L2Mshr *e)
{
    const Request *r = queue_at(&e->waiting, 0);
    respond(m, r);
    if (r->kind == REQUEST_WRITE)
        queue_push(&m->l2.writes, (Request){.line = e->line, .at = m->now + TO_MEMORY});
    else
        keep(m, e->line);
    queue_pop(&e->waiting);
    if (!e->waiting.n)
        e->valid = false;
}

static void answer_hit(Model *m)
{
    L2 *l = &m->l2;
    respond(m, queue_at(&l->hits, 0));
    queue_pop(&l->hits);
}

/* --- entries ----------------------------------------------------------------------------- */

static bool asks(const Model *m, const L2Mshr *e, int slot)
{
    return e->valid && !e->asked && e->at <= m->now && slot >= 0;
}

static bool answers(const Model *m, const L2Mshr *e)
{
    return e->valid && e->answered && e->at <= m->now && m->l2.source_free <= m->now;
}

/* an entry's tag waits to be written */
static bool tags(const Model *m, const L2Mshr *e) { return e->valid && e->tag && e->at <= m->now; }

/* One entry a cycle, by turns, may ask memory, write its tag, be answered; stores that leave come
 * before who asks. */
static void entries_tick(Model *m)
{
    L2 *l = &m->l2;
    const int slot = memory_slot(m);
    const bool writes = l->writes.n && queue_at(&l->writes, 0)->at <= m->now;
    int chosen = -1;
    for (u32 i = 0; i < m->p.l2_mshrs && chosen < 0; i++) {
        const u32 k = (l->turn + i) % m->p.l2_mshrs;
        if (asks(m, &l->mshr[k], slot) || tags(m, &l->mshr[k]) || answers(m, &l->mshr[k]))
            chosen = (int)k;
    }
    if (writes && slot >= 0) {
        use_memory(m, slot, true, 0);
        queue_pop(&l->writes);
    }
    if (chosen >= 0) {
        L2Mshr *e = &l->mshr[chosen];
        l->turn = (u32)chosen + 1;
        l->busy = true;
        if (tags(m, e)) {
            e->tag = false;
            l->tag_write = m->now;
        }
        if (asks(m, e, slot) && !writes) {
            use_memory(m, slot, false, (u32)chosen);
            e->asked = true;
        } else if (answers(m, e))
            answer_entry(m, e);
    } else if (l->hits.n && queue_at(&l->hits, 0)->at <= m->now && l->source_free <= m->now)
        answer_hit(m);
}

/* bits of the entries in use; *waiting: requests that wait in them */
static u32 used_entries(const Model *m, u32 *waiting)
{
    u32 used = 0;
    *waiting = 0;
    for (u32 i = 0; i < m->p.l2_mshrs; i++)
        if (m->l2.mshr[i].valid) {
            used |= 1u << i;
            *waiting += m->l2.mshr[i].waiting.n;
        }
    return used;
}

/* --- requests ---------------------------------------------------------------------------- */

/* A store has joined the entry, which therefore does not keep its tag. */
static void joined(L2Mshr *e, const Request *r)
{
    if (r->kind != REQUEST_READ)
        e->reads = e->tag = false;
}

/* `used`: entries at the start of the cycle.  One that was answered for the last time in this cycle
 * still takes a request for its line, and answers it with what it has.  A store that joins none
 * counts as one that joins entry 0 (`l2_mixes`). */
static void missed(Model *m, const Request *r, u32 used)
{
    L2 *l = &m->l2;
    u32 free_one = m->p.l2_mshrs;
    for (u32 i = m->p.l2_mshrs; i-- > 0;) {
        L2Mshr *e = &l->mshr[i];
        if (!(used >> i & 1))
            free_one = i;
        else if (e->line == r->line) {
            e->valid = true;
            queue_push(&e->waiting, *r);
            joined(e, r);
            return;
        }
    }
    L2Mshr *e = &l->mshr[free_one];
    if (m->p.l2_mixes)
        joined(&l->mshr[0], r);
    e->valid = true;
    e->asked = e->answered = e->tag = false;
    e->reads = r->kind == REQUEST_READ;
    e->line = r->line;
    e->at = m->now + 1;
    e->waiting.n = 0;
    queue_push(&e->waiting, *r);
}

static void looked_up(Model *m, u32 used)
{
    L2 *l = &m->l2;
    if (!l->looking || l->look.at > m->now)
        return;
    Way *w = m->p.l2_hits ? tags_find(&l->tags, l->look.line) : NULL;
    l->looking = false;
    if (!w) {
        missed(m, &l->look, used);
        return;
    }
    tags_touch(&l->tags, w);
    w->dirty |= l->look.kind == REQUEST_WRITE;
    l->look.at = m->now + 1;
    queue_push(&l->hits, l->look);
}

static u32 lines_held(const Model *m) { return m->p.l2_sets * m->p.l2_ways; }

/* `used`, `waiting`: entries and requests in them at the start of the cycle */
static void accept(Model *m, u32 used, u32 waiting)
{
    L2 *l = &m->l2;
    const u32 all = (u32)(((u64)1 << m->p.l2_mshrs) - 1);
    u32 held;
    Request *r = queue_at(&l->in, 0);
    if (!l->in.n || r->at > m->now)
        return;
    if (l->flushed != NEVER || l->looking)
        return;
    if (r->kind == REQUEST_FLUSH) {
        if (used || l->hits.n)
            return;
        l->flushed = m->now + m->p.l2_flush + m->p.l2_scan * (u64)lines_held(m);
        queue_pop(&l->in);
        return;
    }
    if (used == all || waiting >= m->p.l2_requests || l->tag_write == m->now ||
        (used | used_entries(m, &held)) == all || held >= m->p.l2_requests ||
        l->hits.n > MAX_QUEUE / 2)
        return;
    l->look = *r;
    l->look.at = m->now + m->p.l2_lookup;
    l->looking = true;
    queue_pop(&l->in);
}

void l2_tick(Model *m)
{
    L2 *l = &m->l2;
    u32 waiting;
    const u32 used = used_entries(m, &waiting);
    l->busy = l->in.n || l->looking || l->hits.n || l->writes.n;
    l->next = NEVER;
    l->taken = false;
    for (u32 i = 0; i < m->p.l2_mshrs; i++)
        l->busy |= l->mshr[i].valid && (!l->mshr[i].asked || l->mshr[i].answered);
    memory_tick(m);
    entries_tick(m);
    looked_up(m, used);
    accept(m, used, waiting);
}
