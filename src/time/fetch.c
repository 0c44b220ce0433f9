/* fetch.c -- the front end: fetches, the instruction cache, instruction buffers.
 *
 * One fetch group a cycle is asked for, by the lowest warp whose buffer has room.  Its answer comes
 * after a fixed time and says whether the cache had it.  If it had not, or the buffer is full by
 * then, the fetch is taken back: the warp's later ones are dropped and its pc returns to the group,
 * which is asked for again at once, until it is there.  The misses themselves go to the L2 beside
 * that.
 */
#include "time/model.h"
#include <string.h>

static u32 group_bytes(const Sm *s) { return s->model->p.fetch_width * 4; }
static u8 whole_mask(const Sm *s) { return (u8)((1u << s->model->p.fetch_width) - 1); }

static void go_to(Sm *s, Slot *w, u32 pc)
{
    const u32 offset = pc & (group_bytes(s) - 1);
    w->pc = pc - offset;
    w->pc_mask = (u8)(whole_mask(s) << offset / 4 & whole_mask(s));
}

/* --- the instruction cache ----------------------------------------------------------------- */

static Mshr *free_mshr(Sm *s)
{
    for (u32 i = 0; i < s->model->p.icache_mshrs; i++)
        if (!s->icache.mshr[i].valid)
            return &s->icache.mshr[i];
    return NULL;
}

static Mshr *find_mshr(Sm *s, u32 line)
{
    for (u32 i = 0; i < s->model->p.icache_mshrs; i++)
        if (s->icache.mshr[i].valid && s->icache.mshr[i].line == line)
            return &s->icache.mshr[i];
    return NULL;
}

/* the line that arrives in this cycle, or NULL */
static Mshr *arriving(Sm *s)
{
    Queue *q = &s->icache.answers;
    return q->n && queue_at(q, 0)->at <= s->model->now ? &s->icache.mshr[queue_at(q, 0)->entry]
                                                       : NULL;
}

/* A line that is not there is asked for.  While another arrives, hardware may mix them up: the
 * entry of the one that arrives stays, and it is fetched once more. */
static void miss(Sm *s, u32 line)
{
    Mshr *arrives = arriving(s), *free_one = free_mshr(s);
    if (find_mshr(s, line) || !free_one)
        return;
    if (arrives && s->model->p.icache_repeats && free_one > arrives) {
        arrives->again = true;
        return;
    }
    *free_one = (Mshr){.valid = true, .line = line};
}

/* A line arrives.  Its set may be that of a lookup that hit in this cycle: of the two, only the hit
 * counts as a use. */
static void fill(Sm *s, const Way *hit)
{
    ICache *c = &s->icache;
    Mshr *m = arriving(s);
    if (!m)
        return;
    Way *w = tags_victim(&c->tags, m->line);
    const bool same_set = hit && hit->line % c->tags.sets == m->line % c->tags.sets;
    *w = (Way){.line = m->line, .valid = true, .used = w->used};
    if (!same_set)
        tags_touch(&c->tags, w);
    c->wrote = true;
    c->written = m->line;
    m->valid = m->again;
    m->sent = m->again = false;
    queue_pop(&c->answers);
    s->busy = true;
}

/* asks the L2 for the first line that was not asked for */
static void ask(Sm *s)
{
    Model *m = s->model;
    for (u32 i = 0; i < m->p.icache_mshrs; i++) {
        Mshr *e = &s->icache.mshr[i];
        if (!e->valid || e->sent)
            continue;
        s->busy = true;
        if (!l2_accepts(m))
            return;
        e->sent = true;
        l2_request(m, (Request){.kind = REQUEST_READ,
                                .code = true,
                                .sm = (u8)s->id,
                                .entry = (u8)i,
                                .line = e->line});
        return;
    }
}

/* The way that a lookup finds.  A line may be in two ways, if it was fetched twice; hardware then
 * takes the way whose number is theirs or'ed, if there is one.  A lookup that began in the cycle in
 * which a line was written to its set may read the new tag in every way. */
static Way *find_way(Sm *s, u32 line)
{
    ICache *c = &s->icache;
    Way *set = &c->tags.way[(size_t)(line % c->tags.sets) * c->tags.ways];
    const bool mixed =
        c->wrote && s->model->p.icache_mixes && c->written % c->tags.sets == line % c->tags.sets;
    u32 number = 0;
    Way *found = NULL;
    c->wrote = false;
    for (u32 i = 0; i < c->tags.ways; i++) {
        const bool hit = set[i].valid && (mixed ? c->written : set[i].line) == line;
        number |= hit ? i : 0;
        found = hit ? &set[i] : found;
    }
    return found && number < c->tags.ways ? &set[number] : found;
}

/* a fetch is looked up in the cycle after it was made; the way that it hits, or NULL */
static Way *look_up(Sm *s)
{
    Fetch *f = &s->fetch[0];
    const u32 line = f->pc / s->model->p.line;
    Way *w = find_way(s, line);
    if (!f->valid)
        return NULL;
    f->miss = !w;
    if (!w)
        miss(s, line);
    f->valid = !(s->dropped >> f->slot & 1);
    return w;
}

/* The fetches of slot k that have not been answered will not be. */
static void drop_fetches(Sm *s, u32 k)
{
    s->dropped |= (u64)1 << k;
    for (u32 i = 1; i < s->model->p.fetch_latency; i++)
        if (s->fetch[i].slot == k)
            s->fetch[i].valid = false;
}

void front_stop(Sm *s, u32 k)
{
    Slot *w = &s->slot[k];
    drop_fetches(s, k);
    w->nbuffer = 0;
    s->filled &= ~((u64)1 << k);
    w->slow.mask = 0;
    memset(w->slot, 0, sizeof w->slot);
    slot_changed(s, k);
    tell_slot(s, k, (CycleEvent){.kind = CYCLE_DROP});
}

void front_redirect(Sm *s, u32 k, u32 pc)
{
    front_stop(s, k);
    go_to(s, &s->slot[k], pc);
}

/* --- answers --------------------------------------------------------------------------- */

static void answer(Sm *s, const Fetch *f)
{
    Slot *w = &s->slot[f->slot];
    s->busy = true;
    if (!f->miss && !(s->full >> f->slot & 1)) {
        w->buffer[w->nbuffer++] = (FetchGroup){f->pc, f->mask};
        s->filled |= (u64)(w->nbuffer == s->model->p.ibuffer) << f->slot;
        slot_changed(s, f->slot);
        tell_slot(s, f->slot, (CycleEvent){.kind = CYCLE_BUFFER, .pc = f->pc, .exec = f->mask});
        return;
    }
    s->replays = true;
    drop_fetches(s, f->slot);
    w->pc = f->pc;
    w->pc_mask = f->mask;
}

void front_respond(Sm *s)
{
    const Fetch *f = &s->fetch[s->model->p.fetch_latency - 1];
    s->replays = false;
    s->dropped = 0;
    s->fetchable = s->active;
    s->full = s->filled;
    ask(s);
    if (f->valid)
        answer(s, f);
}

/* --- fetches --------------------------------------------------------------------------------- */

void front_fetch(Sm *s)
{
    Way *hit = look_up(s);
    fill(s, hit);
    if (hit)
        tags_touch(&s->icache.tags, hit);
    for (u32 i = s->model->p.fetch_latency - 1; i > 0; i--)
        s->fetch[i] = s->fetch[i - 1];
    s->fetch[0].valid = false;
    const u64 can = s->fetchable & ~s->full;
    if (!can)
        return;
    const u32 k = (u32)__builtin_ctzll(can);
    Slot *w = &s->slot[k];
    s->busy = true;
    if (s->dropped >> k & 1)
        return; /* taken back with those before it */
    s->fetch[0] = (Fetch){.valid = true, .slot = (u8)k, .mask = w->pc_mask, .pc = w->pc};
    tell_slot(s, k, (CycleEvent){.kind = CYCLE_FETCH, .pc = w->pc, .exec = w->pc_mask});
    w->pc += group_bytes(s);
    w->pc_mask = whole_mask(s);
}
