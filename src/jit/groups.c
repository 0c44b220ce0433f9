/* groups.c -- groups in compiled code: from barrier to barrier, and one after the other. */
#include "jit/turn.h"

/* --- a group ---------------------------------------------------------------------------------- */

/* Whether the warp has ended or waits at a barrier after which the code goes on. */
static bool has_arrived(const Warp *w, const Entry *e)
{
    return w->state == WARP_DONE || (w->state == WARP_WAITING && w->host == e && w->reentry &&
                                     e->region->block[w->reentry - 1].is_reentry);
}

/* The code of an entry that warps of a group begin in. */
typedef struct {
    Entry *entry;
    HostCode *code; /* NULL: there is none */
    bool counts;    /* its time is counted, because there may be better code */
    HostEnv env;
} Start;

/* Finds the code that warps of the launch begin in, before the first warp of the context does; the group is at
 * its start. */
static void seek_start(Jit *j, Group *g)
{
    for (u32 k = 0; k < g->nwarps && !g->has_sought; k++) {
        Warp *w = &g->warps[k];
        Entry *e = g->start[w->dense] ? g->start[w->dense] : turn_entry(j, w);
        if (e && turn_start_code(j, e))
            g->start[w->dense] = e;
        else
            break;
    }
    g->has_sought = true;
}

static void find_start(Start *s, Jit *j, const Group *g, Entry *e)
{
    s->entry = e;
    s->code = e ? turn_start_code(j, e) : NULL;
    s->counts = s->code && s->code != plain_code(e);
    if (s->code)
        turn_set_env(&s->env, j, g, e);
}

/* Runs the warps of a group, which are at their start or at a barrier, until each waits again or stops.  False: not all
 * have come to a barrier behind which the code goes on, or ended. */
static bool run_round(Jit *j, Group *g, Start start[2], u64 slice)
{
    bool have_met = true;
    for (u32 k = 0; k < g->nwarps && !g->faulted; k++) {
        Warp *w = &g->warps[k];
        Start *s = &start[w->ninsns ? w->host == start[true].entry : w->dense];
        if (w->state == WARP_READY && s->code) {
            const u64 before = w->ninsns, from = s->counts ? turn_begin(g) : 0;
            w->host = s->entry;
            const Outcome outcome = turn_run_code(&s->env, w, s->entry, w->reentry, s->code,
                                                  before + turn_insns(slice));
            if (s->counts)
                turn_count(g, &s->entry->ran, from, w->ninsns - before);
            if (outcome == CAME_OUT)
                turn_run(j, w, slice);
        }
        have_met &= has_arrived(w, s->entry); /* asked while its state is in the cache */
    }
    return have_met && !g->faulted;
}

void groups_begin(Group *g, u64 slice)
{
    /* barriers until somebody looks at limits */
    const u32 most = turn_is_short(slice) ? SIM_SHORT_ROUNDS : SIM_ROUNDS;
    Jit *j = (Jit *)g->engine;
    Start start[2];
    if (!g->launch->keeps_registers ||
        atomic_load_explicit(&j->entries.flags, memory_order_relaxed) != FLAGS_UNREAD)
        return;
    seek_start(j, g);
    if (!g->start[false] && !g->start[true])
        return;
    for (u32 i = 0; i < countof(start); i++)
        find_start(&start[i], j, g, g->start[i]);
    for (u32 n = 0; n < most; n++)
        if (!run_round(j, g, start, slice) || !group_pass_barrier(g))
            return;
}

/* --- group after group --------------------------------------------------------------------- */

/* With which lanes the warps of each group begin: all of them with all, the only one with some, the last one alone with
 * some, or otherwise. */
typedef enum { LANES_ALL, LANES_SOME, LANES_MIXED, LANES_UNEVEN } Lanes;

static Lanes lanes_of(const Launch *l)
{
    const u64 items = (u64)l->local[0] * l->local[1] * l->local[2];
    const u64 most = (u64)l->warps * l->lanes;
    if (l->all_lanes || !items || items == most)
        return LANES_ALL;
    if (items > most || items <= most - l->lanes)
        return LANES_UNEVEN;
    return l->warps == 1 ? LANES_SOME : LANES_MIXED;
}

/* Of a group in which warp w stopped: those before it have ended, those after it begin.  Who has ended is counted
 * (HostEnv.insns). */
static void set_others(Group *g, const Warp *w)
{
    for (u32 k = 0; k < g->nwarps; k++) {
        if (&g->warps[k] > w)
            warp_begin(&g->warps[k], g, k);
        else if (&g->warps[k] < w)
            g->warps[k].state = WARP_DONE, g->warps[k].ninsns = 0;
    }
}

/* The same where warps meet at barriers, of which so many have been passed: those before it have ended or wait at the
 * next one, those after it begin or go on behind the last one.  e: of warps that began with some lanes, and with all. */
static void set_round(Group *g, const Warp *w, const Entry *const e[2], u32 round)
{
    for (u32 k = 0; k < g->nwarps; k++) {
        Warp *other = &g->warps[k];
        if (other > w && !round)
            warp_begin(other, g, k);
        else if (other->state == WARP_DONE)
            other->ninsns = 0;
        else
            other->host = (void *)e[other->initial == other->full];
        if (other > w && other->state == WARP_WAITING)
            other->state = WARP_READY;
    }
}

/* The group has ended: goes on to the next one.  False: there is none before `end`, or enough has been done. */
static bool next_group(const HostEnv *env, Group *g, u64 end)
{
    if (g->linear + 1 >= end || env->insns >= env->most)
        return false;
    group_end(g);
    group_place(g, g->linear + 1);
    return true;
}

/* Of a group whose last warp has not all lanes: that one, or the others. */
static void choose_warps(HostEnv *env, const Group *g, bool full)
{
    Warp *const last = &g->warps[g->nwarps - 1];
    env->first = full ? g->warps : last;
    env->last = full ? last - 1 : last;
}

/* Runs warps env->first to env->last up to where they meet, or (env->passes) to their end, and those of the groups that
 * follow.  Returns the one that stopped elsewhere, or NULL. */
static Warp *run_meeting(HostEnv *env, const Entry *e, u64 limit)
{
    Warp *w = env->first;
    while (env->round && w->state == WARP_DONE)
        if (w++ == env->last)
            return NULL;
    env->uop = e->uop;
    env->is_over = false;
    if (!turn_take_constants(env, e)) {
        if (env->round)
            w->state = WARP_READY;
        else
            warp_begin(w, w->group, w->id);
        return w;
    }
    const u32 back = plain_code(e)(w, env, limit, env->round ? w->reentry : 0);
    if (env->is_over)
        return NULL;
    turn_came_back(env->warp, e, back);
    return env->warp;
}

/* Runs a group whose warps meet at barriers, and of which the last one has not all lanes, until it has ended (NULL), or
 * a warp stops. */
static Warp *run_rounds(HostEnv *env, const Entry *const e[2], u64 limit)
{
    Group *g = env->first->group;
    for (env->round = 0;; env->round++) {
        env->waiting = 0;
        for (u32 full = 2; full-- > 0;) {
            choose_warps(env, g, full);
            Warp *stopped = run_meeting(env, e[full], limit);
            if (stopped)
                return stopped;
        }
        if (!env->waiting)
            return NULL;
    }
}

/* Runs groups whose warps meet at barriers up to group env->end, until they are done (NULL), or a warp stops. */
static Warp *run_meetings(HostEnv *env, const Entry *const e[2], Lanes lanes, u64 limit)
{
    Group *g = env->first->group;
    const u64 end = env->end;
    env->passes = lanes == LANES_ALL;
    env->end = env->passes ? end : 0;
    for (;;) {
        env->waiting = env->round = 0;
        Warp *stopped = env->passes ? run_meeting(env, e[true], limit) : run_rounds(env, e, limit);
        if (stopped || !next_group(env, g, end))
            return stopped;
    }
}

/* Runs warps env->first to env->last, which begin in the entry's code, and those of the groups that follow up to
 * env->end, until they are done (NULL), or one stops.  Launch constants are read when code begins, and again when a store
 * may have changed one. */
static Warp *run_warps(HostEnv *env, const Entry *e, u64 limit)
{
    Group *g = env->first->group;
    HostCode *code = plain_code(e);
    env->uop = e->uop;
    for (Warp *w = env->first;;) {
        if (!turn_take_constants(env, e)) {
            warp_begin(w, g, w->id);
            return w;
        }
        const u32 back = code(w, env, limit, 0);
        w = env->warp;
        if (w->state != WARP_DONE) {
            w->host = (void *)e;
            turn_came_back(w, e, back);
            return w;
        }
        w->state = WARP_READY;
        w->ninsns = 0;
        if (w++ != env->last)
            continue;
        if (!next_group(env, g, env->end))
            return NULL;
        w = env->first;
    }
}

/* The same for groups whose last warp has not all lanes: the others, and then that one. */
static Warp *run_mixed(HostEnv *env, const Entry *const e[2], u64 end, u64 limit)
{
    Group *g = env->first->group;
    env->end = 0;
    for (;;) {
        for (u32 full = 2; full-- > 0;) {
            choose_warps(env, g, full);
            Warp *stopped = run_warps(env, e[full], limit);
            if (stopped)
                return stopped;
        }
        if (!next_group(env, g, end))
            return NULL;
    }
}

static bool may_repeat(const Entry *e) { return e && plain_code(e) && e->region->repeats; }

GroupsRun groups_run(Group *g, u64 first, u64 end, u64 most, u64 slice)
{
    Jit *j = (Jit *)g->engine;
    const Launch *l = g->launch;
    const Lanes lanes = lanes_of(l);
    const bool is_first = !g->has_sought;
    u64 handled = 0;
    if (!l->keeps_registers || lanes == LANES_UNEVEN ||
        atomic_load_explicit(&j->entries.flags, memory_order_relaxed) != FLAGS_UNREAD)
        return (GroupsRun){0};
    if (is_first) { /* of the context: what its warps begin in is not known */
        group_begin(g, first);
        seek_start(j, g);
    }
    const Entry *const e[2] = {g->start[false], g->start[true]};
    const Entry *most_begin = e[lanes != LANES_SOME];
    if ((lanes != LANES_ALL && !may_repeat(e[false])) ||
        (lanes != LANES_SOME && !may_repeat(e[true])))
        return (GroupsRun){0};
    const bool meets = most_begin->region->meets;
    if (lanes == LANES_MIXED && e[false]->region->meets != meets)
        return (GroupsRun){0};
    HostEnv env = {.constant = NULL};
    turn_set_env(&env, j, g, most_begin);
    env.first = g->warps;
    /* where constants are read for each warp, code comes back after the first one of each round */
    if (meets && (!turn_take_constants(&env, most_begin) || g->stale))
        return (GroupsRun){0};
    if (!is_first)
        group_begin(g, first);
    env.last = &g->warps[g->nwarps - 1];
    env.end = end;
    env.pds_step = l->pds_by_group ? (u32)group_pds_size(l) : 0;
    env.most = most;
    const Warp *stopped = meets                  ? run_meetings(&env, e, lanes, turn_insns(slice))
                          : lanes == LANES_MIXED ? run_mixed(&env, e, end, turn_insns(slice))
                                                 : run_warps(&env, most_begin, turn_insns(slice));
    for (u32 k = 0; k < g->nwarps; k++)
        handled += g->warps[k].handled;
    if (!stopped)
        group_end(g);
    else if (meets)
        set_round(g, stopped, e, env.round);
    else
        set_others(g, stopped);
    g->compiled += env.insns + (stopped ? group_insns(g) : 0) - handled;
    return (GroupsRun){
        .groups = g->linear - first + !stopped, .insns = env.insns, .has_begun = stopped != NULL};
}
