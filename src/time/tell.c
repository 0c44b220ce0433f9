/* tell.c -- telling cycle observers what happens (mach/observe.h). */
#include "time/model.h"

u32 told_kinds(const CycleObserver *o)
{
    u32 kinds = 0;
    for (; o; o = o->next)
        kinds |= o->kinds;
    return kinds;
}

static void tell(const Model *m, CycleEvent *e)
{
    e->cycle = m->now;
    e->launch = m->launch;
    for (const CycleObserver *o = m->opt->cycles; o; o = o->next)
        if (o->kinds >> e->kind & 1)
            o->tell(o->self, e);
}

void tell_slot_(const Sm *s, u32 k, CycleEvent e)
{
    const Slot *w = &s->slot[k];
    if (!w->lot)
        return;
    e.sm = s->id;
    e.slot = k;
    e.group = w->group;
    e.warp = w->id;
    tell(s->model, &e);
}

void tell_no_warp(const Sm *s, CycleEvent e)
{
    e.sm = s->id;
    e.no_warp = true;
    if (s->model->told >> e.kind & 1)
        tell(s->model, &e);
}

void tell_group(const Sm *s, const Lot *lot, CycleKind kind)
{
    CycleEvent e = {
        .kind = kind, .sm = s->id, .group = launch_group_number(s->model->launch, lot->linear)};
    if (s->model->told >> kind & 1)
        tell(s->model, &e);
}

void tell_launch(const Model *m, CycleKind kind)
{
    CycleEvent e = {.kind = kind};
    if (m->told >> kind & 1)
        tell(m, &e);
}

static void count(const Sm *s, const CycleObserver *o)
{
    CycleCounters c = {.cycle = s->model->now,
                       .sm = s->id,
                       .warps = (u32)__builtin_popcountll(s->active),
                       .insns = s->slots.cycles[CAUSE_ISSUED],
                       .hits = s->dcache.hits,
                       .misses = s->dcache.misses,
                       .stores = s->dcache.stores,
                       .reads = s->model->l2.reads,
                       .writes = s->model->l2.stores};
    for (u32 k = 0; k < s->nlots; k++)
        c.groups += s->lot[k].used;
    o->count(o->self, &c);
}

void tell_counters(Model *m)
{
    if (!m->opt->cycles || m->now < m->counted)
        return;
    m->counted = NEVER;
    for (const CycleObserver *o = m->opt->cycles; o; o = o->next) {
        if (!o->period)
            continue;
        const u64 next = (m->now / o->period + 1) * o->period;
        m->counted = next < m->counted ? next : m->counted;
        for (u32 i = 0; i < m->nsms; i++)
            count(&m->sm[i], o);
    }
}
