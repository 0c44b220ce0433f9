/* step.c -- runs one instruction by its Uop and notes what it did; tells observers. */
#include "sim/step.h"
#include "sim/handlers.h"
#include <time.h>

/* --- one instruction ---------------------------------------------------------------- */

/* Fills in of *s what is known of Uop u, which the warp is at, before it runs.  u NULL: fetching it
 * faulted.  False: so does this. */
static bool describe(Warp *w, const Uop *u, Step *s)
{
    *s = (Step){.id = NINSN, .pc = w->pc, .next = w->pc, .exec = w->exec, .depth = w->nsimt};
    if (!u) {
        s->faulted = true;
        return false;
    }
    s->id = (InsnId)u->id;
    s->prefixed = uop_insns(u) == 2;
    if (s->prefixed)
        memcpy(&s->prefix, w->group->launch->memory->base + u->pc, sizeof s->prefix);
    s->word = u->len == 8 ? uop_word(u) : u->word;
    s->len = u->len;
    s->facts = code_facts(warp_code(w), u);
    if (s->facts)
        return true;
    fail(w, u, FAULT_NO_MEMORY, -1);
    s->faulted = true;
    return false;
}

/* The Uop at the warp's pc, described in *s.  NULL: fetching it faulted. */
static const Uop *look(Warp *w, Step *s)
{
    const Uop *u = go(w, w->pc);
    return describe(w, u, s) ? u : NULL;
}

/* whether instructions of the unit use no floats of the host, and see none of its flags */
static bool is_without_floats(u8 unit)
{
    return unit == U_SALU || unit == U_VALU || unit == U_MUL || unit == U_LSU || unit == U_SIMT ||
           unit == U_WARP;
}

/* Returns the next one; NULL: the warp stops. */
static const Uop *execute(Warp *w, const Uop *u, Step *s)
{
    Group *g = w->group;
    /* what writes fflags itself is no operation that adds to them */
    const bool raises = s->facts->writes & STATE_FFLAGS && isa_insn[s->id].effect != E_CSR;
    const u8 flags = w->fflags;
    g->ntouched = 0;
    w->ninsns += uop_insns(u); /* before it runs: a CSR shows it */
    if (!raises && is_without_floats(isa_insn[s->id].unit)) {
        u = u->run(w, u);
    } else {
        const HostFloats host = enter_guest_floats();
        w->fflags = raises ? 0 : flags;
        u = u->run(w, u);
        take_host_flags(w);
        leave_guest_floats(&host);
    }
    if (raises) {
        s->raised = w->fflags;
        w->fflags |= flags;
    }
    if (u)
        w->pc = u->pc;
    s->next = w->pc;
    s->touched = g->touched;
    s->ntouched = g->ntouched;
    s->faulted = g->faulted;
    s->barrier = w->state == WARP_WAITING;
    s->ended = w->state == WARP_DONE;
    return u;
}

bool sim_step(Engine *e, Warp *w, Step *s)
{
    (void)e;
    const Uop *u = look(w, s);
    if (u)
        execute(w, u, s);
    return !s->faulted;
}

/* --- observers ---------------------------------------------------------------------- */

Audience audience_of(const Launch *l, const LaunchOptions *opt)
{
    Audience a = {.launch = l, .opt = opt};
    for (size_t i = 0; i < opt->nobservers; i++)
        a.events |= opt->observers[i].events;
    return a;
}

bool audience_wants_each(const Audience *a)
{
    enum {
#define EVENT(name, each, what) EACH_##name = each ? EVENT_##name : 0,
#include "mach/event.def"
        EACH = 0
#define EVENT(name, each, what) | EACH_##name
#include "mach/event.def"
    };
    return a->events & EACH;
}

/* Tells the observers that asked for such events; keeps in *stop the first event at which one of
 * them stops the launch. */
static void announce(const Audience *a, EventKind kind, Group *g, Warp *w, const Step *s,
                     Event *stop)
{
    const Event e = {kind, a->launch, g, w, s};
    for (size_t i = 0; a->events & kind && i < a->opt->nobservers; i++) {
        const Observer *o = &a->opt->observers[i];
        if (o->events & kind && o->tell(o->self, &e) == STOP_HERE && !stop->kind)
            *stop = e;
    }
}

u64 nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

/* Halts the launch at the event that stopped it, if there is one.  False: the launch must end. */
static bool go_on(Audience *a, const Event *stop)
{
    if (!stop->kind)
        return true;
    const u64 start = nanoseconds();
    const bool on = a->opt->halted && a->opt->halted(a->opt->self, stop) == GO_ON;
    a->halted += nanoseconds() - start;
    Group *g = stop->group;
    if (!on && g)
        warp_fault(stop->warp ? stop->warp : &g->warps[0], FAULT_STOPPED,
                   stop->warp ? stop->warp->pc : a->launch->pc, -1);
    return on;
}

bool audience_tell(Audience *a, EventKind kind, Group *g, Warp *w)
{
    Event stop = {0};
    if (!(a->events & kind))
        return true;
    const HostFloats floats = enter_guest_floats(); /* what observers compute raises nothing here */
    announce(a, kind, g, w, NULL, &stop);
    const bool on = go_on(a, &stop);
    leave_guest_floats(&floats);
    return on;
}

/* whether the instruction wrote to the print buffer */
static bool prints(const Launch *l, const Step *s)
{
    for (size_t i = 0; i < s->ntouched; i++) {
        const Touch *a = &s->touched[i];
        if (a->writes && a->addr < l->print_end && a->addr + a->size > l->print)
            return true;
    }
    return false;
}

/* Tells all events of instruction s.  False: the launch must end. */
static bool tell_step(Audience *a, Warp *w, const Step *s)
{
    Group *g = w->group;
    Event stop = {0};
    const bool divides = w->nsimt != s->depth, ends = s->ended;
    if (s->faulted) /* told when the group ends */
        return true;
    announce(a, EVENT_insn, g, w, s, &stop);
    if (s->ntouched && a->events & EVENT_memory)
        announce(a, EVENT_memory, g, w, s, &stop);
    if (a->events & EVENT_print && prints(a->launch, s))
        announce(a, EVENT_print, g, w, s, &stop);
    if (divides)
        announce(a, EVENT_divergence, g, w, s, &stop);
    if (ends)
        announce(a, EVENT_warp_end, g, w, s, &stop);
    return go_on(a, &stop);
}

bool step_told(Audience *a, Warp *w, Step *s)
{
    Group *g = w->group;
    while (w->state == WARP_READY && !g->faulted) {
        Event stop = {0};
        const Uop *u = look(w, s);
        if (!u)
            return false;
        if (a->events & EVENT_fetch) {
            announce(a, EVENT_fetch, g, w, s, &stop);
            if (!go_on(a, &stop))
                return false;
            /* an observer may have changed registers, pc or code */
            if (w->pc != s->pc || w->state != WARP_READY || g->faulted)
                continue;
            if (!(u = look(w, s)))
                return false;
        }
        execute(w, u, s);
        return tell_step(a, w, s) && !s->faulted;
    }
    return false;
}

/* whether the only observer is one that watches registers */
static bool is_watched(const Audience *a)
{
    return a->opt->nobservers == 1 && a->opt->observers->watches && audience_wants_each(a);
}

Notes audience_notes(const Audience *a)
{
    return is_watched(a)                              ? NOTE_ROWS
           : a->events & (EVENT_memory | EVENT_print) ? NOTE_EACH
                                                      : NOTE_NOTHING;
}

/* Keeps the register that the instruction is about to replace, if it is a source too. */
static void keep_before(const Warp *w, Step *s, u32 before[MAX_LANES])
{
    const IsaFacts *f = s->facts;
    const IsaRegs *d = NULL;
    if (f->access != ACCESS_NONE)
        return;
    for (int i = 0; i < f->nregs; i++)
        d = f->reg[i].is_written && !d ? &f->reg[i] : d;
    if (!d || d->count != 1)
        return;
    for (int i = 0; i < f->nregs; i++)
        if (f->reg[i].is_read && f->reg[i].first == d->first && f->reg[i].is_vector == d->is_vector)
            s->before = before;
    if (s->before && d->is_vector)
        memcpy(before, w->v[d->first], MAX_LANES * sizeof *before);
    else if (s->before)
        *before = w->x[d->first];
}

/* Runs u and tells of it.  NULL: the warp stops. */
static const Uop *run_and_tell(Audience *a, Warp *w, const Uop *u)
{
    Event stop = {0};
    Step s;
    u32 before[MAX_LANES];
    w->pc = u->pc;
    if (!describe(w, u, &s))
        return NULL;
    keep_before(w, &s, before);
    u = execute(w, u, &s);
    if (s.faulted) /* told when the group ends */
        return NULL;
    announce(a, EVENT_insn, w->group, w, &s, &stop);
    return go_on(a, &stop) ? u : NULL;
}

/* The loop of the engine, except for what the observer must be told of. */
static void run_watched(Audience *a, Warp *w, u64 slice)
{
    const Observer *o = a->opt->observers;
    const u8 *watched = o->watches(o->self, w);
    const CodeFacts *facts = NULL;
    u32 page = UINT32_MAX;
    const Uop *u = go(w, w->pc);
    while (u && slice--) {
        if (u->pc >> PAGE_BITS != page) {
            if (!(u = go(w, u->pc))) /* it may be one after a page's own */
                break;
            page = u->pc >> PAGE_BITS;
            if (!(facts = code_page_facts(warp_code(w), u->pc))) {
                fail(w, u, FAULT_NO_MEMORY, -1);
                break;
            }
        }
        const u16 *r = facts->names[u->pc >> 2 & (PAGE_UOPS - 1)].reg;
        if (watched[r[0]] | watched[r[1]] | watched[r[2]] | watched[r[3]]) {
            u = run_and_tell(a, w, u);
            if (u && a->opt->halted) { /* whoever looked at it may have changed pc or code */
                u = go(w, w->pc);
                page = UINT32_MAX;
            }
        } else {
            w->ninsns += uop_insns(u); /* in memory: a CSR shows it */
            u = u->run(w, u);
        }
    }
    if (u)
        w->pc = u->pc;
    take_host_flags(w);
}

void run_told(Audience *a, Warp *w, u64 slice)
{
    const Uop *u = NULL;
    Step s;
    u32 before[MAX_LANES];
    if (is_watched(a)) {
        run_watched(a, w, slice);
        return;
    }
    if (a->events & EVENT_fetch) {
        while (slice-- && step_told(a, w, &s))
            ;
        return;
    }
    while (slice-- && w->state == WARP_READY && !w->group->faulted) {
        /* what an observer changes must be seen, and whoever looks at a halted launch may have
         * had the Uop freed with its page; one after a page's own is no instruction */
        if (!u || a->opt->halted || u->pc != w->pc || u->id == NINSN)
            u = go(w, w->pc);
        if (!describe(w, u, &s))
            return;
        keep_before(w, &s, before);
        u = execute(w, u, &s);
        if (!tell_step(a, w, &s) || s.faulted)
            return;
    }
}
