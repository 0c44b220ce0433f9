/* book.c -- where the cycles of SMs and warps go. */
#include "time/model.h"

#define CAUSE(name, text, what) text,
const char *const time_cause_name[NCAUSE] = {
#include "time/cause.def"
};
#define CAUSE(name, text, what) what,
const char *const time_cause_text[NCAUSE] = {
#include "time/cause.def"
};

/* the cause of an SM that does not issue */
static Cause idle_cause(const Sm *s)
{
    if (s->causes[CAUSE_ISSUED])
        return CAUSE_OPERANDS; /* no collector is free */
    for (Cause c = CAUSE_CONFLICT; c < CAUSE_DISPATCH; c++)
        if (s->causes[c])
            return c;
    return s->model->flush != FLUSH_NOT                           ? CAUSE_DRAIN
           : s->model->running || s->model->now < s->model->begin ? CAUSE_DISPATCH
                                                                  : CAUSE_NO_WARP;
}

void book_cycles(Sm *s, u64 span)
{
    const u64 idle = span * s->model->p.issue_units - s->issued;
    s->slots.cycles[CAUSE_ISSUED] += s->issued;
    if (!idle)
        return;
    const Cause c = idle_cause(s);
    s->slots.cycles[c] += idle;
    for (u32 u = 0; c == CAUSE_SCOREBOARD && u < NUNIT; u++)
        if (s->waits[u]) {
            s->slots.unit[u] += idle;
            return;
        }
}

void book_slot(Sm *s, u32 k) { s->slot[k].since = s->model->now; }

void finish_stats(Model *m)
{
    TimeResult *t = &m->total;
    for (u32 i = 0; i < m->nsms; i++) {
        Sm *s = &m->sm[i];
        for (u32 c = 0; c < NCAUSE; c++)
            t->slots.cycles[c] += s->slots.cycles[c];
        for (u32 u = 0; u < NUNIT; u++)
            t->slots.unit[u] += s->slots.unit[u];
        t->dcache_hits += s->dcache.hits;
        t->dcache_misses += s->dcache.misses;
        t->dcache_stores += s->dcache.stores;
        s->slots = (TimeSlots){{0}, {0}};
        s->dcache.hits = s->dcache.misses = s->dcache.stores = 0;
    }
    t->memory_reads = m->l2.reads;
    t->memory_writes = m->l2.stores;
    m->l2.reads = m->l2.stores = 0;
    m->result->cycles = t->cycles;
}
