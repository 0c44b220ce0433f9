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

/* the cause of issue slots in which nothing was issued */
static Cause idle_cause(const Sm *s)
{
    if (s->causes[CAUSE_ISSUED] > s->issued)
        return s->issued ? CAUSE_OTHER : CAUSE_OPERANDS; /* no collector is free */
    for (Cause c = CAUSE_CONFLICT; c < CAUSE_DISPATCH; c++)
        if (s->causes[c])
            return c;
    return s->issued                                              ? CAUSE_OTHER
           : s->model->flush != FLUSH_NOT                         ? CAUSE_DRAIN
           : s->model->running || s->model->now < s->model->begin ? CAUSE_DISPATCH
                                                                  : CAUSE_NO_WARP;
}

static u8 unit_waited_for(const Sm *s)
{
    u8 u = 0;
    while (!s->waits[u])
        u++;
    return u;
}

/* whether slot k is one of those for which issue slots of that cause went by */
static bool has_cause(const Sm *s, u32 k, Cause c, u8 unit)
{
    const Slot *w = &s->slot[k];
    if (w->cause == CAUSE_ISSUED)
        return c == CAUSE_OTHER || (c == CAUSE_OPERANDS && s->causes[CAUSE_ISSUED] > s->issued);
    return w->cause == c && (c != CAUSE_SCOREBOARD || w->cause_unit == unit);
}

/* The instruction that is to blame: the next one, or the one before it, which is not through yet.
 */
static u32 pc_of(const Slot *w, Cause c)
{
    const bool is_before = c == CAUSE_CONFLICT || c == CAUSE_OPERANDS || c == CAUSE_LSU ||
                           c == CAUSE_DIVERGENCE || c == CAUSE_BARRIER;
    return is_before && w->cause == c ? w->issued_pc : w->cause_pc;
}

/* Tells whose idle slots they are: all warps of that cause have equal parts; which has one more
 * changes with the cycle. */
static void tell_idle(const Sm *s, Cause c, u8 unit, u64 idle)
{
    CycleEvent e = {.kind = CYCLE_SLOTS, .cause = (u8)c, .unit = unit, .count = idle};
    u64 n = 0, i = 0;
    for (u32 k = 0; k < s->nwarps; k++)
        n += has_cause(s, k, c, unit);
    if (!n) {
        tell_no_warp(s, e);
        return;
    }
    const u64 turn = s->model->now % n;
    for (u32 k = 0; k < s->nwarps; k++) {
        if (!has_cause(s, k, c, unit))
            continue;
        e.pc = pc_of(&s->slot[k], c);
        e.count = (idle * (i + 1) + turn) / n - (idle * i + turn) / n;
        i++;
        if (e.count)
            tell_slot(s, k, e);
    }
}

void book_issue(Sm *s, u32 k, u32 pc)
{
    s->slots.cycles[CAUSE_ISSUED]++;
    s->slot[k].issued_pc = pc;
    tell_slot(s, k,
              (CycleEvent){.kind = CYCLE_SLOTS,
                           .cause = CAUSE_ISSUED,
                           .pc = pc,
                           .word = s->slot[k].slot[__builtin_ctz(s->slot[k].slow.mask)]->word,
                           .count = 1});
}

void book_cycles(Sm *s, u64 span)
{
    const u64 idle = span * s->model->p.issue_units - s->issued;
    if (!idle)
        return;
    const Cause c = idle_cause(s);
    const u8 unit = c == CAUSE_SCOREBOARD ? unit_waited_for(s) : 0;
    s->slots.cycles[c] += idle;
    if (c == CAUSE_SCOREBOARD)
        s->slots.unit[unit] += idle;
    if (tells(s, CYCLE_SLOTS))
        tell_idle(s, c, unit, idle);
}

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
