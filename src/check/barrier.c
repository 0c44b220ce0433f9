/* barrier.c -- barriers that not every work-item of a group reaches.
 *
 * A warp at a barrier with some of its lanes off has lanes elsewhere: on a side that waits in the
 * divergence stack.  When all warps have arrived, they must be at one barrier, and none may have
 * ended before.
 */
#include "check/internal.h"

void barrier_step(Check *c, const Event *e)
{
    const Step *s = e->step;
    const Warp *w = e->warp;
    const u32 missing = w->initial & ~w->mask;
    if (!s->barrier || !missing)
        return;
    /* the innermost side that waits with some of them */
    u32 pc = 0, lanes = missing;
    for (u32 i = w->nsimt; i-- > 0 && !pc;)
        if (w->simt[i].mask & missing && w->simt[i].pc != w->simt[i].rpc) {
            pc = w->simt[i].pc;
            lanes = w->simt[i].mask & missing;
        }
    const Finding f = {CHECK_barrier, w, step_pc(s), pc, 0, __builtin_ctz(w->mask)};
    Buf text = {0}, more = {0};
    if (!is_new(c, &f))
        return;
    buf_printf(&text,
               "divergent barrier: %d of the %d work-items of the warp do not reach it with the "
               "others",
               __builtin_popcount(missing), __builtin_popcount(w->initial));
    const u32 lane = (u32)__builtin_ctz(lanes);
    if (pc)
        put_other(c, w->group->launch, pc, "they wait", group_number(w->group), w->tid + lane,
                  &more);
    else {
        buf_str(&more, "\n  not here    ");
        put_item(w->group->launch, group_number(w->group), w->tid + lane, &more);
    }
    report(c, &f, buf_text(&text), buf_text(&more));
    buf_free(&text);
    buf_free(&more);
}

/* the barrier before which the warp goes on */
static u32 barrier_of(const Warp *w) { return w->pc - 4; }

static void report_other(Check *c, const Warp *at, const Warp *other)
{
    const bool ended = other->state == WARP_DONE;
    const u32 pc = ended ? 0 : barrier_of(other);
    const Finding f = {CHECK_barrier, at, barrier_of(at), pc, 0, __builtin_ctz(at->initial)};
    Buf more = {0};
    if (!is_new(c, &f))
        return;
    if (ended) {
        buf_str(&more, "\n  ended       ");
        put_item(other->group->launch, group_number(other->group), other->tid, &more);
    } else {
        put_other(c, other->group->launch, pc, "others at", group_number(other->group), other->tid,
                  &more);
    }
    report(c, &f,
           ended ? "barrier that a warp of the group never reaches: it has ended"
                 : "warps of a group meet at different barriers",
           buf_text(&more));
    buf_free(&more);
}

void barrier_passed(Check *c, const Group *g)
{
    const Warp *at = NULL;
    for (u32 k = 0; k < g->nwarps && !at; k++)
        if (g->warps[k].state == WARP_READY)
            at = &g->warps[k];
    for (u32 k = 0; at && k < g->nwarps; k++) {
        const Warp *w = &g->warps[k];
        if (w->initial && (w->state == WARP_DONE || barrier_of(w) != barrier_of(at))) {
            report_other(c, at, w);
            return;
        }
    }
}
