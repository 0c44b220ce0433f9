/* lead.c -- a launch runs forwards, or is searched backwards, until something stops it.
 *
 * A step follows a lane: it ends when the lane is active again after it has run an instruction, so
 * that lanes on the other side of a branch have caught up.  Backwards means: from the nearest kept
 * state the launch runs again up to the present place, and the last stop on the way is where it
 * goes to; if there is none, the same from the state before.
 */
#include "dbg/agent.h"
#include "dbg/debugger.h"

enum { POLL = 1024 }; /* instructions between looks at the connection */

/* --- breakpoints and watchpoints ------------------------------------------------------------ */

static bool holds(const Debugger *d, const Breakpoint *b, Lane l)
{
    u64 value;
    for (size_t i = 0; i < b->n; i++) /* one that cannot be computed stops, so that gdb says why */
        if (!agent_evaluate(d->run, l, b->condition[i].data, b->condition[i].len, &value) || value)
            return true;
    return !b->n;
}

/* Whether the warp is at a join where its lanes will wait or lanes that wait will join them: they
 * all come here again, and count as having arrived only then. */
static bool arrives_at_join(const Warp *w)
{
    return w->nsimt && w->simt[w->nsimt - 1].rpc == w->pc;
}

/* The thread for which the warp is at a breakpoint, the preferred one if possible, but none of the
 * lanes in `except`; 0: there is none. */
static u32 at_breakpoint(const Debugger *d, Warp *w, u32 preferred, u32 except)
{
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        const Breakpoint *b = &d->breakpoint[i];
        Lane l;
        if (b->addr != w->pc || arrives_at_join(w))
            continue;
        if (lane_find(d->run, preferred, &l) && l.warp == w && lane_is_active(l) &&
            !(except >> l.lane & 1) && holds(d, b, l))
            return preferred;
        for (u32 left = w->mask & ~except; left; left &= left - 1) {
            l = (Lane){w, (u32)__builtin_ctz(left)};
            if (holds(d, b, l))
                return lane_thread(l);
        }
    }
    return 0;
}

/* gdb 13 computes conditions itself, for the lane that it was told of, and if one does not hold
 * steps over the breakpoint, without having asked for the threads as it does whenever it stops for
 * its user.  Then this one lane pretends to have made the step, and when gdb goes on it is told of
 * the next lane at that place.  Whether this is such a step: */
static bool only_pretends(Debugger *d)
{
    Lane l;
    Warp *w = run_warp(d->run);
    const Plan *p = &d->plan;
    if (!d->stopped_at_breakpoint || d->user_was_asked || d->run->now != d->stop_place ||
        p->kind != PLAN_STEP || p->thread != d->stop.thread || !lane_find(d->run, p->thread, &l) ||
        l.warp != w)
        return false;
    d->lanes_told |= 1u << l.lane;
    if (!(w->mask & ~d->lanes_told))
        return false;
    d->pretender = p->thread;
    return true;
}

/* whether the instruction touched the bytes in that way */
static const Touch *touches(const Step *s, const Watchpoint *w)
{
    for (size_t i = 0; i < s->ntouched; i++) {
        const Touch *t = &s->touched[i];
        if (t->addr < (u64)w->addr + w->size && w->addr < t->addr + t->size &&
            ((t->writes && w->kind != WATCH_READS) || (t->reads && w->kind != WATCH_WRITES)))
            return t;
    }
    return NULL;
}

static u64 watched_value(const Debugger *d, const Watchpoint *w)
{
    Lane l;
    u64 value = 0;
    if (lane_find(d->run, w->thread, &l))
        state_read_memory(d->run, l, w->addr, (u8 *)&value, w->size < 8 ? w->size : 8);
    return value;
}

static void look_at_watched(Debugger *d)
{
    for (size_t i = 0; i < d->nwatchpoints; i++)
        if (d->watchpoint[i].addr < OWN_END)
            d->watchpoint[i].seen = watched_value(d, &d->watchpoint[i]);
}

/* Whether warp w's instruction meets a watchpoint: *stop is that of the first. */
static bool at_watchpoint(Debugger *d, const Warp *w, const Step *s, u32 preferred, Stop *stop)
{
    bool any = false;
    for (size_t i = 0; i < d->nwatchpoints; i++) {
        Watchpoint *x = &d->watchpoint[i];
        const Touch *t = x->addr < OWN_END ? NULL : touches(s, x);
        bool met = t != NULL;
        if (x->addr < OWN_END) {
            const u64 now = watched_value(d, x);
            met = now != x->seen;
            x->seen = now;
        }
        if (!met || any)
            continue;
        any = true;
        const u32 lane = t && t->lane >= 0 ? (u32)t->lane
                         : s->exec         ? (u32)__builtin_ctz(s->exec)
                                           : 0;
        const bool own =
            preferred && t && t->lane < 0 && preferred - 1 - w->tid < d->run->launch->lanes;
        *stop = (Stop){STOP_WATCH, SIGNAL_TRAP,
                       !t    ? x->thread
                       : own ? preferred
                             : w->tid + lane + 1,
                       x->kind, x->addr};
    }
    return any;
}

/* --- ends ---------------------------------------------------------------------------------- */

static int signal_of(FaultKind k)
{
    switch (k) {
    case FAULT_LOAD:
    case FAULT_STORE:
    case FAULT_LOAD_PAGE:
    case FAULT_STORE_PAGE:
    case FAULT_STORE_CODE:
    case FAULT_PRIVATE:
    case FAULT_FETCH:
    case FAULT_FETCH_PAGE:
    case FAULT_COPY_EARLY: return SIGNAL_SEGV;
    case FAULT_LOAD_MISALIGNED:
    case FAULT_STORE_MISALIGNED:
    case FAULT_ATOMIC_MISALIGNED:
    case FAULT_FETCH_MISALIGNED: return SIGNAL_BUS;
    case FAULT_STOPPED: return SIGNAL_INT;
    case FAULT_ENDLESS:
    case FAULT_DEADLOCK:
    case FAULT_SIMT_OVERFLOW:
    case FAULT_SIMT_NO_JOIN:
    case FAULT_EXIT_DIVERGED:
    case FAULT_BARRIER_DIVERGED:
    case FAULT_NEEDS_ALL_LANES:
    case FAULT_COPY_ARGUMENT:
    case FAULT_NO_MEMORY: return SIGNAL_ABRT;
    default: return SIGNAL_ILL;
    }
}

/* a thread of the group: of warp k the lane, or its first active one */
static u32 some_thread(const Run *r, u32 k, int lane)
{
    const Warp *w = &r->group->warps[k < r->group->nwarps ? k : 0];
    if (lane < 0)
        lane = w->mask ? __builtin_ctz(w->mask) : 0;
    return w->tid + (u32)lane + 1;
}

Stop stop_at_end(const Debugger *d)
{
    const Group *g = d->run->group;
    const Fault *f = &g->fault;
    Lane l;
    if (!g->faulted)
        return (Stop){.kind = STOP_OVER};
    const bool preferred = f->lane < 0 && lane_find(d->run, d->thread, &l) &&
                           l.warp->id == f->warp && lane_is_active(l);
    return (Stop){.kind = STOP_FAULT,
                  .signal = signal_of(f->kind),
                  .thread = preferred ? d->thread : some_thread(d->run, f->warp, f->lane)};
}

static Stop stopped(u32 thread)
{
    return (Stop){.kind = STOP_AT, .signal = SIGNAL_TRAP, .thread = thread};
}

static Stop hit_breakpoint(Debugger *d, u32 thread)
{
    d->stopped_at_breakpoint = true;
    d->stop_place = d->run->now;
    return stopped(thread);
}

static Stop signalled(const Debugger *d, int signal)
{
    Lane l;
    const Run *r = d->run;
    const u32 thread = lane_find(r, d->thread, &l) && lane_is_active(l) && l.warp->id == r->turn
                           ? d->thread
                           : some_thread(r, r->turn, -1);
    return (Stop){.kind = STOP_SIGNAL, .signal = signal, .thread = thread};
}

/* --- forwards ------------------------------------------------------------------------------ */

/* Whether the plan has been carried out, before warp w runs its next instruction. */
static bool is_done(const Debugger *d, const Warp *w)
{
    const Plan *p = &d->plan;
    Lane l;
    if (p->kind == PLAN_CONTINUE || !lane_find(d->run, p->thread, &l) || l.warp != w ||
        !lane_is_active(l) || arrives_at_join(w))
        return false;
    return p->kind == PLAN_STEP || w->pc < p->lo || w->pc >= p->end;
}

/* whether the lane of that thread took part */
static bool took_part(const Debugger *d, u32 thread, const Warp *w, u32 mask)
{
    Lane l;
    return lane_find(d->run, thread, &l) && l.warp == w && mask >> l.lane & 1;
}

static Stop forwards(Debugger *d)
{
    Run *r = d->run;
    const Plan *p = &d->plan;
    const u64 start = r->now;
    Lane l;
    bool moved = false;
    if (only_pretends(d))
        return stopped(p->thread);
    const u32 next = d->pretender ? at_breakpoint(d, run_warp(r), d->thread, d->lanes_told) : 0;
    d->pretender = 0;
    if (next)
        return hit_breakpoint(d, next);
    d->stopped_at_breakpoint = false;
    d->lanes_told = 0;
    if (p->kind != PLAN_CONTINUE && lane_find(r, p->thread, &l))
        run_prefer(r, l.warp);
    look_at_watched(d);
    for (u64 n = 1;; n++) {
        Warp *w = run_warp(r);
        Stop stop;
        Step s = {.ntouched = 0};
        if (!w)
            return stop_at_end(d);
        if (moved && is_done(d, w))
            return stopped(p->thread);
        const u32 hit = r->now != start ? at_breakpoint(d, w, d->thread, 0) : 0;
        if (hit)
            return hit_breakpoint(d, hit);
        if (!(n % POLL) && wire_interrupted(&d->wire))
            return signalled(d, SIGNAL_INT);
        const u32 mask = w->mask;
        if (!run_step(r, &s))
            return stop_at_end(d);
        moved |= took_part(d, p->thread, w, mask);
        if (d->nwatchpoints && at_watchpoint(d, w, &s, d->thread, &stop))
            return stop;
        if (r->observer_stopped) {
            r->observer_stopped = false;
            return signalled(d, SIGNAL_ABRT);
        }
    }
}

/* --- backwards ----------------------------------------------------------------------------- */

/* The last stop on the way from the present place to `end`; kind STOP_BEGIN: there is none. */
static Stop search(Debugger *d, u64 end, u64 *place)
{
    Run *r = d->run;
    Stop last = {.kind = STOP_BEGIN};
    look_at_watched(d);
    while (r->now < end) {
        Warp *w = run_warp(r);
        const u64 here = r->now;
        Step s = {.ntouched = 0};
        Stop stop;
        if (!w)
            break;
        const u32 mask = w->mask, hit = at_breakpoint(d, w, d->thread, 0);
        if (!run_step(r, &s))
            break;
        if (hit)
            last = stopped(hit);
        else if (d->plan.kind != PLAN_CONTINUE && took_part(d, d->plan.thread, w, mask))
            last = stopped(d->plan.thread);
        else if (d->nwatchpoints && at_watchpoint(d, w, &s, d->thread, &stop))
            last = stop;
        else
            continue;
        *place = here;
    }
    return last;
}

static Stop backwards(Debugger *d)
{
    Run *r = d->run;
    const u64 end = r->now;
    u64 start = 0, place = 0;
    for (u64 to = end; run_earlier(r, to, &start); to = start) {
        if (wire_interrupted(&d->wire)) {
            run_go_to(r, end);
            return signalled(d, SIGNAL_INT);
        }
        if (!run_go_to(r, start))
            break;
        const Stop stop = search(d, to, &place);
        if (stop.kind != STOP_BEGIN && run_go_to(r, place))
            return stop;
    }
    run_go_to(r, 0);
    Stop stop = signalled(d, SIGNAL_TRAP);
    stop.kind = STOP_BEGIN;
    return stop;
}

Stop lead(Debugger *d)
{
    if (!d->plan.back)
        return forwards(d);
    d->stopped_at_breakpoint = false;
    d->pretender = d->lanes_told = 0;
    return backwards(d);
}
