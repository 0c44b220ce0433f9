/* stall.c -- a machine that does nothing any more: a fault that says what each warp waits for.
 *
 * An instruction cache that is so small that warps throw out each other's lines before they are
 * used leads there.  What would have been an endless loop, or the end of the process, is this
 * report.
 */
#include "time/model.h"

/* checks, 1024 cycles apart in which something was done, without progress */
enum { PATIENCE = 256 };

bool model_is_stuck(Model *m)
{
    u64 done =
        m->numbers + m->next_group + m->l2.stores; /* lines of code may be fetched for ever */
    for (u32 i = 0; i < m->nsms; i++)
        done += m->sm[i].dcache.hits + m->sm[i].dcache.misses + m->sm[i].dcache.stores;
    const bool scans = m->l2.flushed != NEVER; /* its end is known */
    m->still = done == m->progress && !scans ? m->still + 1 : 0;
    m->progress = done;
    return m->still > PATIENCE;
}

static void note_wait(Fault *f, const Slot *w)
{
    if (f->nwaits == FAULT_WAITS)
        return;
    f->wait[f->nwaits].group = launch_group_number(w->lot->group->launch, w->lot->linear);
    f->wait[f->nwaits].warp = w->warp->id;
    f->wait[f->nwaits].pc = w->cause_pc;
    f->wait[f->nwaits++].why = time_cause_name[w->cause];
}

void model_stall(Model *m, Fault *waits)
{
    waits->nwaits = 0;
    for (u32 i = 0; i < m->nsms; i++)
        for (u32 k = 0; k < m->sm[i].nwarps; k++) {
            Slot *w = &m->sm[i].slot[k];
            if (!w->active)
                continue;
            note_wait(waits, w);
            if (w->lot->faulted || w->warp->state != WARP_READY)
                continue;
            sim_limit(w->warp, FAULT_STALLED);
            w->lot->faulted = true;
        }
    for (u32 i = 0; i < m->nsms; i++)
        for (u32 k = 0; k < m->sm[i].nlots; k++)
            m->sm[i].lot[k].faulted = true;
}
