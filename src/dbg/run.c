/* run.c -- turns of warps, groups one after the other, and the way back: the nearest state that was
 * kept, and from there forwards again. */
#include "dbg/run.h"
#include "base/mem.h"

enum { TURN = 1 << 16 /* instructions, as in the interpreter */, RET_WORD = 0x00008067 };

static u64 slice_of(const Run *r)
{
    return r->audience->opt->slice ? r->audience->opt->slice : TURN;
}

/* In these is_new says whether observers have not heard yet of what happens here. */
static void begin_group(Run *r, u64 linear, bool is_new)
{
    group_begin(r->group, linear);
    r->returned = 0;
    r->turn = 0;
    r->left = slice_of(r);
    if (is_new)
        audience_tell(r->audience, EVENT_group_begin, r->group, NULL);
    for (u32 k = 0; is_new && k < r->group->nwarps; k++)
        if (r->group->warps[k].state == WARP_READY)
            audience_tell(r->audience, EVENT_warp_begin, r->group, &r->group->warps[k]);
}

static void end_group(Run *r, bool is_new)
{
    if (is_new)
        audience_tell(r->audience, EVENT_group_end, r->group, NULL);
    for (size_t i = 0; r->history && i < r->group->pds_dirty.n; i++) /* they are cleared */
        history_wrote_page(r->history, r->group->pds_dirty.page[i]);
    group_end(r->group);
    r->ended += group_insns(r->group);
}

/* The next warp that is ready, from the one on whose turn it is; true: there is one. */
static bool find_ready(Run *r)
{
    const Group *g = r->group;
    for (u32 i = 0; i < g->nwarps; i++) {
        const u32 k = (r->turn + i) % g->nwarps;
        if (g->warps[k].state != WARP_READY)
            continue;
        if (i)
            r->left = slice_of(r);
        r->turn = k;
        return true;
    }
    return false;
}

/* Ends turns, barriers and groups, so that the next instruction is that of the warp on turn. */
static void settle(Run *r, bool is_new)
{
    Group *g = r->group;
    while (!r->over) {
        if (g->faulted) {
            r->over = true;
            return;
        }
        if (!r->left) {
            r->turn = (r->turn + 1) % g->nwarps;
            r->left = slice_of(r);
        }
        if (find_ready(r))
            return;
        if (group_pass_barrier(g)) {
            if (is_new)
                audience_tell(r->audience, EVENT_barrier, g, NULL);
            r->turn = 0;
            r->left = slice_of(r);
        } else if (g->linear + 1 < r->ngroups) {
            end_group(r, is_new);
            begin_group(r, g->linear + 1, is_new);
        } else {
            r->over = true;
        }
    }
}

bool run_open(Run *r, Sim *sim, const Launch *l, Audience *a, bool with_history)
{
    *r = (Run){.launch = l, .sim = sim, .audience = a};
    r->interrupts = atomic_load(&sim->interrupts);
    r->ngroups = (u64)l->groups[0] * l->groups[1] * l->groups[2];
    r->over = !r->ngroups;
    if (!(r->group = sim_take_group(sim, l)))
        return false;
    group_note_accesses(r->group, NOTE_EACH);
    if (r->over)
        return true;
    begin_group(r, 0, true);
    settle(r, true);
    if (with_history && (r->history = history_open(l)))
        history_keep(r->history, r, false);
    return true;
}

void run_close(Run *r)
{
    if (r->group && r->ngroups)
        end_group(r, r->now >= r->told);
    if (r->group)
        sim_give_group(r->sim, r->group);
    history_free(r->history);
}

Warp *run_warp(Run *r) { return r->over ? NULL : &r->group->warps[r->turn]; }

/* `ret`, which leaves ra as it is */
static bool is_return(const Step *s)
{
    return s->facts && !s->prefixed && (u32)s->word == RET_WORD;
}

static void note_return(Run *r, const Warp *w, const Step *s)
{
    const u64 bit = 1ull << w->id;
    r->returned = is_return(s) && !s->ended ? r->returned | bit : r->returned & ~bit;
}

bool run_step(Run *r, Step *s)
{
    if (r->over)
        return false;
    Group *g = r->group;
    size_t changed;
    if (r->history && history_has_change(r->history, r->now, &changed) &&
        !history_restore(r->history, changed, r))
        return false;
    Warp *w = &g->warps[r->turn];
    if (r->history && history_is_due(r->history, r->now))
        history_keep(r->history, r, false);
    const bool is_new = r->now >= r->told;
    if (is_new && r->launch->max_insns && w->ninsns >= r->launch->max_insns)
        sim_limit(w, FAULT_ENDLESS);
    else if (is_new &&
             atomic_load_explicit(&r->sim->interrupts, memory_order_relaxed) != r->interrupts) {
        r->interrupted = true;
        sim_limit(w, FAULT_STOPPED);
    } else if (is_new)
        step_told(r->audience, w, s);
    else
        sim_step(&r->sim->engine, w, s);
    if (r->history && !g->faulted)
        history_wrote(r->history, r, s);
    if (!g->faulted) {
        note_return(r, w, s);
        r->now++;
        r->left--;
        r->told = r->now > r->told ? r->now : r->told;
    }
    settle(r, is_new);
    return !g->faulted;
}

void run_prefer(Run *r, const Warp *w)
{
    if (r->over || w->state != WARP_READY || w->id == r->turn)
        return;
    r->turn = w->id;
    r->left = slice_of(r);
    run_changed(r);
}

/* --- the way back -------------------------------------------------------------------------- */

void run_changed(Run *r)
{
    if (!r->history)
        return;
    history_cut(r->history, r->now ? r->now - 1 : 0);
    history_keep(r->history, r, true);
    r->told = r->now;
}

void run_page_changes(Run *r, u64 addr)
{
    if (r->history)
        history_wrote_page(r->history, addr >> PAGE_BITS);
}

bool run_earlier(const Run *r, u64 place, u64 *start)
{
    size_t i;
    if (!r->history || !place || !history_find(r->history, place - 1, &i))
        return false;
    *start = history_place(r->history, i);
    return true;
}

bool run_go_to(Run *r, u64 place)
{
    size_t i;
    Step s;
    if (place == r->now)
        return true;
    if (!r->history || !history_find(r->history, place, &i) || !history_restore(r->history, i, r))
        return false;
    while (r->now < place && run_step(r, &s))
        ;
    return r->now == place;
}
