/* jit.c -- the engines: how a warp enters and leaves compiled code, and what that code calls.
 *
 * Which code is compiled, and when, is decided in entries.c.  A warp that comes back from a barrier
 * goes on in the region that it was in, which knows things about its registers.
 *
 * The interpreter runs the rest of a launch: warps with another rounding mode or vector length; the
 * last instructions before a limit; whatever no region has.
 */
#include "jit/jit.h"
#include "base/mem.h"
#include "jit/calls.h"
#include "jit/constant.h"
#include "jit/entries.h"
#include "jit/shadow.h"
#include "sim/handlers.h"
#include "sim/sim.h"

enum {
    STRETCH = 64,  /* turns are longer by this factor than the interpreter's */
    LONG = 1 << 17 /* instructions of a warp: look for an entry in its loops */
};

typedef struct {
    Sim sim; /* first */
    Entries entries;
    Shadow *shadow; /* NULL: nothing is compared */
    _Atomic u64 insns, compiled;
} Jit;

/* --- a warp --------------------------------------------------------------------------------- */

static bool can_compile(const Jit *j, const Launch *l)
{
    return !atomic_load_explicit(&j->entries.broken, memory_order_relaxed) &&
           !l->watched && !l->mmu && !l->strict && !l->check_copies &&
           l->knl >= MAX_LANES; /* regions take that for granted (region.c, Facts) */
}

/* Where compiled code may be entered at its start. */
static bool can_enter(const Warp *w)
{
    return w->frm == FP_RNE && w->vl == w->group->launch->lanes;
}

/* The kernel that the start code of a launch will call, as far as it can be seen. */
static u32 callee_of(const Launch *l)
{
    u32 entry;
    if (!memory_has(l->memory, l->knl, 4, MEM_R))
        return 0;
    memcpy(&entry, l->memory->base + l->knl, 4);
    return entry - CODE_LO < CODE_END - CODE_LO && !(entry & 3) ? entry : 0;
}

/* What t1 holds, if that is an address of code: where a region begins amid a kernel, the places
 * where lanes meet are found from it. */
static u32 base_of(const Warp *w)
{
    const Launch *l = w->group->launch;
    const u32 base = w->x[REG_scratch];
    const bool is_code =
        base - CODE_LO < CODE_END - CODE_LO && !(base & 3) && memory_has(l->memory, base, 4, MEM_X);
    return w->pc != l->pc && !w->is_fresh && is_code ? base : 0;
}

/* Something else than code that watches its stores runs in the context. */
static void forget_constants(Group *g)
{
    g->constants_of[false] = g->constants_of[true] = NULL;
}

/* Interprets at least one Uop, then until a jump of a warp that may enter compiled code (`jumps`),
 * or for *slice Uops.  False: the warp stopped. */
static bool interpret(Warp *w, u64 *slice, bool jumps)
{
    const Uop *u = go(w, w->pc);
    bool found = false;
    forget_constants(w->group);
    while (u && *slice && !found) {
        const Uop *at = u;
        w->ninsns += uop_insns(u);
        u = u->run(w, u);
        --*slice;
        found = jumps && u && u != at + at->step && can_enter(w);
    }
    if (u)
        w->pc = u->pc;
    return u;
}

typedef enum {
    CAME_OUT,  /* the interpreter goes on at the pc */
    CAME_LATE, /* at the limit, in a cycle that can be entered again */
    STOPPED    /* the warp ended, waits or faulted */
} Outcome;

/* What all code of the entry reaches.  What regions that repeat have besides is set by who runs one, and not
 * cleared here: turns are short where there are barriers. */
static void set_env(HostEnv *env, const Jit *j, const Group *g, const Entry *e)
{
    const Launch *l = g->launch;
    env->base = l->memory->base;
    env->page = l->memory->page;
    env->lds_base = g->lds.base;
    env->lds_page = g->lds.page;
    env->depth = l->simt_depth;
    env->uop = e->uop;
    env->helper = maker_helpers(j->entries.maker);
    calls_set(env);
}

static PlainRange around(PlainRange a, PlainRange b)
{
    if (!a.room || !b.room)
        return a.room ? a : b;
    const u64 end = (u64)a.lo + a.room, other = (u64)b.lo + b.room;
    const u32 lo = a.lo < b.lo ? a.lo : b.lo;
    return (PlainRange){.lo = lo, .room = (u32)((end > other ? end : other) - lo)};
}

/* Makes launch constants ready for the warps that *env names, as the context has them or from memory.  False: they
 * cannot be read. */
static bool take_constants(HostEnv *env, const Entry *e)
{
    /* bytes of a guard that would take in much else: constants are read for each warp */
    enum { WIDE = 1 << 16 };
    Group *g = env->first->group;
    const bool full = e->warp.full;
    PlainRange guard;
    env->constant = g->constant[full];
    if (g->constants_of[full] == e && !g->stale) {
        env->guard = g->guard;
        return true;
    }
    if (g->stale)
        forget_constants(g);
    if (!constants_read(e->region, env->first, g->constant[full], &guard))
        return false;
    guard = around(g->guard, guard); /* warps with all lanes and others have constants of their own */
    g->stale = guard.room > WIDE;
    if (g->stale)
        guard = (PlainRange){0};
    if (memcmp(&guard, &g->guard, sizeof g->guard)) {
        group_forget_ranges(g, true); /* they are beside the guard */
        g->guard = guard;
    }
    env->guard = guard;
    g->constants_of[full] = e;
    return true;
}

/* Why warp w came back from compiled code, which returned `back`. */
static Outcome came_back(Warp *w, const Entry *e, u32 back)
{
    if (w->exec != w->mask)
        warp_set_exec(w);
    if (w->state == WARP_DONE)
        return STOPPED;
    if (back != (u32)HOST_STOPPED && back != (u32)HOST_ANYWHERE) {
        w->reentry = 1 + back;
        return CAME_LATE;
    }
    if (w->is_fresh && !w->reentry) /* it leaves the region */
        warp_settle(w, e->region->written.x, e->region->written.v);
    if (back == (u32)HOST_ANYWHERE)
        return CAME_OUT;
    if (w->state == WARP_READY && !w->group->faulted)
        warp_fault(w, FAULT_UNSUPPORTED, w->pc, -1); /* a bug of ours: nothing has stopped it */
    return STOPPED;
}

/* The optimised code without entries at headers, than which there is none better; NULL: there is none yet. */
static inline HostCode *plain_code(const Entry *e)
{
    return atomic_load_explicit(&e->state[CODE_PLAIN], memory_order_acquire) == READY
               ? (HostCode *)e->code[CODE_PLAIN].entry
               : NULL;
}

/* Runs compiled code from that entry of the region. */
static inline Outcome run_code(HostEnv *env, Warp *w, const Entry *e, u32 entry, HostCode *code,
                               u64 limit)
{
    const u64 before = w->ninsns;
    if (e->region->repeats && code == plain_code(e)) {
        env->first = env->last = w;
        env->end = env->most = env->insns = 0;
        env->is_over = env->passes = false;
        env->waiting = env->round = 0;
        /* it does not look for reservations, which code that it does not know may have made */
        if (w->group->reservations || !take_constants(env, e))
            return CAME_OUT;
    } else {
        forget_constants(w->group);
    }
    w->handled = w->reentry = 0;
    const u32 back = code(w, env, limit, entry);
    w->group->compiled += w->ninsns - before - w->handled;
    return came_back(w, e, back);
}

/* How many work-items lie beside each other in warps (WarpShape.line). */
static u8 line_of(const Launch *l)
{
    const u32 size = l->local[0];
    if (size && l->local[1] == 1 && l->local[2] == 1)
        return LINE_WHOLE;
    if (size && !(size % l->lanes))
        return (u8)l->lanes;
    return is_pow2(size) && size < l->lanes ? (u8)size : 0;
}

/* The entry where the warp goes on at its pc; NULL: it may enter none. */
static Entry *entry_here(Jit *j, const Warp *w)
{
    const WarpShape shape = {.full = w->dense && !w->nsimt,
                             .fresh = w->is_fresh,
                             .deep = w->nsimt,
                             .alone = w->group->nwarps == 1,
                             .line = w->is_fresh ? line_of(w->group->launch) : 0,
                             .base = base_of(w)};
    const Launch *l = w->group->launch;
    return can_enter(w) ? entries_find(&j->entries, w->pc, w->pc == l->pc ? callee_of(l) : 0, shape,
                                       l->lanes, l->vm)
                        : NULL;
}

/* The best code there is of an entry, for its start; NULL: none yet. */
static HostCode *code_for_start(Jit *j, Entry *e)
{
    HostCode *best = plain_code(e);
    return best ? best : entries_code(&j->entries, e, false);
}

/* The code that the warp may enter now, and where; NULL: none. */
static HostCode *find_code(Jit *j, Warp *w, Entry **e, u32 *entry)
{
    *entry = w->reentry;
    *e = w->host;
    if (w->reentry) {
        const u32 block = w->reentry - 1;
        const bool begins = !block && !(*e)->warp.fresh; /* where the region begins */
        if (begins)
            *entry = 0;
        HostCode *best = plain_code(*e);
        if (best && (*e)->region->block[block].is_reentry)
            return best;
        return entries_code(&j->entries, *e, !begins && !(*e)->region->block[block].is_reentry);
    }
    void **start = w->is_fresh && !w->ninsns ? &w->group->start[w->dense] : NULL;
    if (start && *start) {
        w->host = *e = *start;
        return code_for_start(j, *e);
    }
    if (w->ninsns && w->ninsns <= LONG && !j->entries.waits)
        return NULL; /* what it interprets counts as heat of the entry where it began */
    *e = entry_here(j, w);
    if (!*e)
        return NULL;
    w->host = *e;
    HostCode *code = code_for_start(j, *e);
    if (code && start)
        *start = *e;
    return code;
}

static bool compares(const Jit *j, const Warp *w)
{
    return j->shadow && shadow_compares(j->shadow, w->group->launch);
}

/* Where warp w goes on that has left code of region r (or NULL) with dead registers that may be old
 * ones: at the start of a block, to which it comes back, or at a barrier for some of its lanes, behind
 * which a block begins; or at a routine that it called, which in *room is a block that reads what that takes,
 * too.  NULL: all registers are as they should be. */
static const RegionBlock *goes_on_at(const Warp *w, const Region *r, RegionBlock *room)
{
    if (w->reentry)
        return &r->block[w->reentry - 1];
    for (u32 i = 0; r && i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        const bool is_barrier = b->end == END_BARRIER || b->end == END_PASS;
        const int behind = is_barrier && b->uop[b->nuop - 1]->pc == w->pc
                               ? region_find(r, b->next_pc, b->full)
                               : -1;
        if (behind >= 0)
            return &r->block[behind];
        if (!b->routine || r->routine[b->routine - 1].pc != w->pc)
            continue;
        const u32 link = b->uop[b->nuop - 1]->rd;
        if (w->x[link] != b->next_pc)
            continue;
        *room = r->block[region_find(r, b->next_pc, b->full)];
        room->in.x |= (u64)1 << link;
        room->own.v[0] &= ~(((u64)1 << b->results) - 1);
        room->in.v[0] |= ((u64)1 << b->args) - 1;
        room->own.v[0] |= ((u64)1 << b->args) - 1;
        return room;
    }
    return NULL;
}

/* Compares the warp with its twin, at that block of region r, or (NULL) anywhere. */
static void compare_turn(Jit *j, Warp *w, const Region *r, const RegionBlock *at)
{
    shadow_after(j->shadow, w, r, at, atomic_load(&j->entries.flags) == FLAGS_READ);
}

/* A turn begins whose time may be counted (count_turn): when, or 0, if its time is not taken.  Of short
 * turns one in SHARE is counted, for all of them: to look at the clock, and to add to a count that
 * threads share, takes as long as some of them. */
static u64 begin_turn(Group *g)
{
    enum { SHARE = 31 }; /* a prime: turns of several kinds come in rounds */
    return ++g->uncounted >= SHARE || g->was_long ? nanoseconds() : 0;
}

/* Adds the nanoseconds of a turn that retired so many instructions. */
static void count_turn(Group *g, _Atomic u64 *count, u64 start, u64 insns)
{
    enum {
        LONG_TURN = 2000,
        USUAL = 20,
        MOST = 1000 /* for an instruction: others had the processor */
    };
    const bool is_long = insns >= LONG_TURN;
    u64 ns = insns * USUAL;
    g->was_long = is_long;
    if (start) {
        ns = nanoseconds() - start;
        ns = (ns < insns * MOST ? ns : insns * MOST) * (is_long ? 1 : g->uncounted);
        g->uncounted = 0;
    } else if (!is_long) {
        return;
    }
    atomic_fetch_add_explicit(count, ns, memory_order_relaxed);
}

/* Returns the entry whose code the warp has left last, if the interpreter did nothing since; else NULL. */
static const Entry *run_turn(Jit *j, Warp *w, u64 slice)
{
    const u64 most = w->group->launch->max_insns;
    const u64 limit = w->ninsns + (most ? slice : slice * STRETCH), turn = slice;
    for (;;) {
        Entry *e = NULL;
        u32 entry;
        HostCode *code = find_code(j, w, &e, &entry);
        /* where instructions are limited, the interpreter counts the last of a turn exactly */
        const bool near = code && most && w->ninsns + e->region->insns >= limit;
        if (code && !near) {
            const u64 end = most ? limit - e->region->insns : limit;
            HostEnv env;
            set_env(&env, j, w->group, e);
            const bool counts =
                atomic_load_explicit(&e->state[CODE_PLAIN], memory_order_relaxed) != READY;
            const u64 before = w->ninsns, start = counts ? begin_turn(w->group) : 0;
            const Outcome outcome = run_code(&env, w, e, entry, code, end);
            if (counts)
                count_turn(w->group, &e->ran, start, w->ninsns - before);
            if (outcome == STOPPED || w->ninsns >= limit)
                return e;
            if (outcome == CAME_LATE) /* the end of the turn is near */
                continue;
        }
        RegionBlock room;
        const RegionBlock *at = compares(j, w) ? goes_on_at(w, e ? e->region : NULL, &room) : NULL;
        if (at) { /* what the interpreter starts from */
            compare_turn(j, w, e->region, at);
            if (w->group->faulted)
                return NULL;
        }
        w->reentry = 0;  /* the interpreter goes on from the pc */
        if (w->is_fresh) /* it was in the region of e, or has not begun */
            warp_settle(w, w->ninsns ? e->region->written.x : 0,
                        w->ninsns ? e->region->written.v : NULL);
        const bool counts = e && !entry;
        const u64 before = w->ninsns, start = counts ? begin_turn(w->group) : 0;
        u64 uops = most ? sim_uops_before(w, limit) : slice;
        const bool goes_on = interpret(w, &uops, !near && (j->entries.waits || w->ninsns > LONG));
        if (counts)
            count_turn(w->group, &e->heat, start, w->ninsns - before);
        if (goes_on && !most && !uops)
            sim_leave_turn(w, turn);
        if (!goes_on || (most ? w->ninsns >= limit : !uops))
            return NULL;
        slice = uops;
    }
}

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
        Entry *e = g->start[w->dense] ? g->start[w->dense] : entry_here(j, w);
        if (e && code_for_start(j, e))
            g->start[w->dense] = e;
        else
            break;
    }
    g->has_sought = true;
}

static void find_start(Start *s, Jit *j, const Group *g, Entry *e)
{
    s->entry = e;
    s->code = e ? code_for_start(j, e) : NULL;
    s->counts = s->code && s->code != plain_code(e);
    if (s->code)
        set_env(&s->env, j, g, e);
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
            const u64 before = w->ninsns, from = s->counts ? begin_turn(g) : 0;
            w->host = s->entry;
            const Outcome outcome =
                run_code(&s->env, w, s->entry, w->reentry, s->code, before + slice * STRETCH);
            if (s->counts)
                count_turn(g, &s->entry->ran, from, w->ninsns - before);
            if (outcome == CAME_OUT)
                run_turn(j, w, slice);
        }
        have_met &= has_arrived(w, s->entry); /* asked while its state is in the cache */
    }
    return have_met && !g->faulted;
}

/* Warps that begin, where the code is known that they enter, and from barrier to barrier as long as all
 * come there. */
static void begin_group(Group *g, u64 slice)
{
    enum { MOST = 1000 }; /* barriers until somebody looks at limits */
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
    for (u32 n = 0; n < MOST; n++)
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
 * next one, those after it begin or go on behind the last one. */
static void set_round(Group *g, const Warp *w, const Entry *e, u32 round)
{
    for (u32 k = 0; k < g->nwarps; k++) {
        Warp *other = &g->warps[k];
        if (other > w && !round)
            warp_begin(other, g, k);
        else if (other->state == WARP_DONE)
            other->ninsns = 0;
        else
            other->host = (void *)e;
        if (other > w && other->state == WARP_WAITING)
            other->state = WARP_READY;
    }
}

/* Runs groups whose warps meet at barriers up to env->end, until they are done (NULL), or a warp stops. */
static Warp *run_rounds(HostEnv *env, const Entry *e, u64 limit)
{
    Group *g = env->first->group;
    HostCode *code = plain_code(e);
    env->uop = e->uop;
    env->passes = true;
    for (;;) {
        env->is_over = false;
        env->waiting = env->round = 0;
        if (!take_constants(env, e)) {
            warp_begin(env->first, g, 0);
            return env->first;
        }
        const u32 back = code(env->first, env, limit, 0);
        if (!env->is_over) {
            came_back(env->warp, e, back);
            return env->warp;
        }
        if (g->linear + 1 >= env->end || env->insns >= env->most)
            return NULL;
        group_end(g);
        group_place(g, g->linear + 1);
    }
}

/* Runs warps env->first to env->last, which have all lanes or (not full) some, and those of the groups that follow up to
 * env->end, until they are done (NULL), or one stops.  Launch constants are read when code begins, and again when a store
 * may have changed one. */
static Warp *run_warps(HostEnv *env, const Entry *e, u64 limit)
{
    Group *g = env->first->group;
    HostCode *code = plain_code(e);
    env->uop = e->uop;
    for (Warp *w = env->first;;) {
        if (!take_constants(env, e)) {
            warp_begin(w, g, w->id);
            return w;
        }
        const u32 back = code(w, env, limit, 0);
        w = env->warp;
        if (w->state != WARP_DONE) {
            w->host = (void *)e;
            came_back(w, e, back);
            return w;
        }
        w->state = WARP_READY;
        w->ninsns = 0;
        if (w++ != env->last)
            continue;
        if (g->linear + 1 >= env->end || env->insns >= env->most)
            return NULL;
        group_end(g);
        group_place(g, g->linear + 1);
        w = env->first;
    }
}

/* The same for groups whose last warp has not all lanes: the others, and then that one. */
static Warp *run_mixed(HostEnv *env, const Entry *const e[2], u64 end, u64 limit)
{
    Group *g = env->first->group;
    Warp *const last = env->last;
    env->end = 0;
    for (;;) {
        for (u32 full = 2; full-- > 0;) {
            env->first = full ? g->warps : last;
            env->last = full ? last - 1 : last;
            Warp *stopped = run_warps(env, e[full], limit);
            if (stopped)
                return stopped;
        }
        if (g->linear + 1 == end || env->insns >= env->most)
            return NULL;
        group_end(g);
        group_place(g, g->linear + 1);
    }
}

static bool may_repeat(const Entry *e, Lanes lanes)
{
    return e && plain_code(e) && e->region->repeats && (!e->region->meets || lanes == LANES_ALL);
}

static GroupsRun run_groups(Group *g, u64 first, u64 end, u64 most, u64 slice)
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
    if ((lanes != LANES_ALL && !may_repeat(e[false], lanes)) ||
        (lanes != LANES_SOME && !may_repeat(e[true], lanes)))
        return (GroupsRun){0};
    const Entry *most_begin = e[lanes != LANES_SOME];
    if (!is_first)
        group_begin(g, first);
    HostEnv env = {.constant = NULL};
    set_env(&env, j, g, most_begin);
    env.first = g->warps;
    env.last = &g->warps[g->nwarps - 1];
    env.end = end;
    env.pds_step = l->pds_by_group ? (u32)group_pds_size(l) : 0;
    env.most = most;
    const Warp *stopped =
        lanes == LANES_MIXED        ? run_mixed(&env, e, end, slice * STRETCH)
        : most_begin->region->meets ? run_rounds(&env, most_begin, slice * STRETCH)
                                    : run_warps(&env, most_begin, slice * STRETCH);
    for (u32 k = 0; k < g->nwarps; k++)
        handled += g->warps[k].handled;
    if (!stopped)
        group_end(g);
    else if (most_begin->region->meets)
        set_round(g, stopped, most_begin, env.round);
    else
        set_others(g, stopped);
    g->compiled += env.insns + (stopped ? group_insns(g) : 0) - handled;
    return (GroupsRun){
        .groups = g->linear - first + !stopped, .insns = env.insns, .has_begun = stopped != NULL};
}

static void run_warp(Warp *w, u64 slice)
{
    Jit *j = (Jit *)w->group->engine;
    const Launch *l = w->group->launch;
    const bool has_twin = compares(j, w);
    forget_constants(w->group);
    if (!l->keeps_registers && !has_twin) { /* it cannot be compiled */
        sim_run_warp(w, slice);
        return;
    }
    if (has_twin)
        slice = shadow_before(j->shadow, w, slice);
    const Entry *left = run_turn(j, w, slice);
    if (has_twin) {
        RegionBlock room;
        const Region *r = w->reentry ? ((const Entry *)w->host)->region : left ? left->region : NULL;
        compare_turn(j, w, r, r ? goes_on_at(w, r, &room) : NULL);
    }
    /* if guest code reads flags, those that the host has set are the warp's */
    if (atomic_load_explicit(&j->entries.flags, memory_order_relaxed) != FLAGS_UNREAD)
        take_host_flags(w);
}

/* --- life ----------------------------------------------------------------------------------- */

static void close_engine(Engine *engine)
{
    Jit *j = (Jit *)engine;
    if (!j)
        return;
    sim_drop_former(&j->sim);
    entries_close(&j->entries);
    shadow_close(j->shadow);
    sim_exit(&j->sim);
    mem_free(j);
}

static void drop_made(Engine *engine, void *made)
{
    entries_kept_free(&((Jit *)engine)->entries, made);
}

static Engine *open_engine(const EngineKind *kind, bool waits, Memory *memory, IsaSet set)
{
    Jit *j = mem_zalloc(1, sizeof *j);
    if (!j)
        return NULL;
    const bool ok = sim_init(&j->sim, kind, run_warp, memory, set);
    j->sim.begin = kind == &shadow_kind ? NULL : begin_group;
    j->sim.groups = kind == &shadow_kind ? NULL : run_groups;
    j->sim.drop_made = drop_made;
    j->sim.in_order = kind == &shadow_kind; /* the twin follows one group */
    entries_open(&j->entries, j->sim.code, memory, lane_level()->name, waits);
    if (ok)
        return &j->sim.engine;
    close_engine(&j->sim.engine);
    return NULL;
}

static Engine *open_jit(Memory *memory, IsaSet set)
{
    return open_engine(&jit_kind, true, memory, set);
}

static Engine *open_shadow(Memory *memory, IsaSet set)
{
    Engine *e = open_engine(&shadow_kind, true, memory, set);
    Jit *j = (Jit *)e;
    if (!e || (j->shadow = shadow_open()))
        return e;
    close_engine(e);
    return NULL;
}

static Engine *open_auto(Memory *memory, IsaSet set)
{
    return open_engine(&auto_kind, false, memory, set);
}

static void finish(Engine *engine) { entries_finish(&((Jit *)engine)->entries); }

static void expect(Engine *engine) { entries_expect(&((Jit *)engine)->entries); }

static void code_changed(Engine *engine, IsaSet set, u64 addr, u64 size)
{
    Jit *j = (Jit *)engine;
    const u64 lo = addr > CODE_LO ? addr : CODE_LO,
              end = addr + size < CODE_END ? addr + size : CODE_END;
    const bool all = set != j->sim.code->set;
    pthread_mutex_lock(&j->entries.stable);
    if (all || end > lo) {
        const u32 first = (u32)((lo - CODE_LO) >> PAGE_BITS),
                  last = (u32)((end - 1 - CODE_LO) >> PAGE_BITS);
        /* an instruction may lie in a page and its prefix in the one before */
        entries_forget(&j->entries, all || !first ? 0 : first - 1, all ? CODE_PAGES : last);
    }
    sim_code_changed(engine, set, addr, size);
    pthread_mutex_unlock(&j->entries.stable);
}

static void code_left(Engine *engine, u64 number)
{
    Jit *j = (Jit *)engine;
    pthread_mutex_lock(&j->entries.stable);
    sim_keep(&j->sim, number, entries_keep(&j->entries));
    pthread_mutex_unlock(&j->entries.stable);
}

static void code_back(Engine *engine, u64 number)
{
    Jit *j = (Jit *)engine;
    pthread_mutex_lock(&j->entries.stable);
    EntriesKept *k = sim_put_back(&j->sim, number);
    if (k)
        entries_put_back(&j->entries, k);
    pthread_mutex_unlock(&j->entries.stable);
}

static void code_gone(Engine *engine, u64 number)
{
    Jit *j = (Jit *)engine;
    pthread_mutex_lock(&j->entries.stable);
    sim_code_gone(engine, number);
    pthread_mutex_unlock(&j->entries.stable);
}

static bool refuse(LaunchResult *result, FaultKind kind)
{
    *result = (LaunchResult){.faulted = true, .fault = {.kind = kind, .lane = -1}};
    return false;
}

static bool launch_compiled(Jit *j, const Launch *l, const LaunchOptions *opt, LaunchResult *result)
{
    const bool ok = sim_launch(&j->sim.engine, l, opt, result);
    atomic_fetch_add(&j->insns, result->insns);
    atomic_fetch_add(&j->compiled, result->compiled);
    return ok;
}

static bool launch_with_shadow(Jit *j, Launch *l, const LaunchOptions *opt, LaunchResult *result)
{
    LaunchOptions one = *opt;
    u64 addr;
    one.threads = 1;
    l->keeps_registers = false; /* the twin's can be compared with */
    const ShadowStart start = shadow_begin(j->shadow, l);
    if (start == SHADOW_FAILED)
        return refuse(result, FAULT_NO_MEMORY);
    l->keeps_registers = start == SHADOW_BUSY;
    bool ok = launch_compiled(j, l, &one, result);
    if (start == SHADOW_BUSY) {
        shadow_end_beside(j->shadow);
    } else if (!shadow_end(j->shadow, !ok, &addr)) {
        ok = refuse(result, FAULT_DIFFERS);
        result->fault.has_addr = true;
        result->fault.addr = addr;
    }
    return ok;
}

const char *jit_difference(const Engine *engine)
{
    const Jit *j = (const Jit *)engine;
    return engine->kind == &shadow_kind ? shadow_report(j->shadow) : "";
}

static bool launch(Engine *engine, const Launch *l, const LaunchOptions *opt, LaunchResult *result)
{
    Jit *j = (Jit *)engine;
    entries_settle(&j->entries);
    Launch own = *l; /* observers see and change what compiled code keeps to itself */
    own.watched = opt->nobservers > 0;
    own.keeps_registers = can_compile(j, &own);
    if (!own.keeps_registers)
        return sim_launch(engine, &own, opt, result);
    entries_prepare(&j->entries, own.pc, callee_of(&own), &own);
    return j->shadow ? launch_with_shadow(j, &own, opt, result)
                     : launch_compiled(j, &own, opt, result);
}

bool jit_available(const char **why) { return maker_available(why); }

bool jit_stats(const Engine *engine, JitStats *s)
{
    const Jit *j = (const Jit *)engine;
    if (engine->kind != &jit_kind && engine->kind != &auto_kind && engine->kind != &shadow_kind)
        return false;
    *s = (JitStats){.insns = j->insns,
                    .compiled = j->compiled,
                    .regions = j->entries.regions,
                    .cached = j->entries.cached,
                    .given_up = j->entries.given_up,
                    .nanoseconds = j->entries.nanoseconds};
    return true;
}

const EngineKind jit_kind = {
    .name = "jit",
    .what = "compiles everything to host code before it runs",
    .available = jit_available,
    .open = open_jit,
    .close = close_engine,
    .code_changed = code_changed,
    .code_left = code_left,
    .code_back = code_back,
    .code_gone = code_gone,
    .launch = launch,
    .step = sim_step,
    .interrupt = sim_interrupt,
};

const EngineKind shadow_kind = {
    .name = "shadow",
    .what = "jit beside the interpreter, compared at heads of loops and exits",
    .available = jit_available,
    .open = open_shadow,
    .close = close_engine,
    .code_changed = code_changed,
    .code_left = code_left,
    .code_back = code_back,
    .code_gone = code_gone,
    .launch = launch,
    .step = sim_step,
    .interrupt = sim_interrupt,
};

const EngineKind auto_kind = {
    .name = "auto",
    .what = "interprets, and compiles what is hot",
    .open = open_auto,
    .close = close_engine,
    .code_changed = code_changed,
    .code_left = code_left,
    .code_back = code_back,
    .code_gone = code_gone,
    .launch = launch,
    .step = sim_step,
    .interrupt = sim_interrupt,
    .finish = finish,
    .expect = expect,
};
