/* turn.c -- a warp's turn: how it enters compiled code, what it leaves that with, and what the interpreter does for it.
 *
 * Which code is compiled, and when, is decided in entries.c.  A warp that comes back from a barrier
 * goes on in the region that it was in, which knows things about its registers.
 *
 * The interpreter runs the rest of a launch: warps with another rounding mode or vector length; the
 * last instructions before a limit; whatever no region has.
 */
#include "jit/turn.h"
#include "jit/calls.h"
#include "jit/constant.h"
#include "sim/handlers.h"

enum { LONG = 1 << 17 }; /* instructions of a warp: look for an entry in its loops */

/* Where compiled code may be entered at its start. */
static bool can_enter(const Warp *w)
{
    return w->frm == FP_RNE && w->vl == w->group->launch->lanes;
}

u32 turn_callee(const Launch *l)
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

void turn_forget_constants(Group *g) { g->constants_of[false] = g->constants_of[true] = NULL; }

/* Interprets at least one Uop, then until a jump of a warp that may enter compiled code (`jumps`),
 * or for *slice Uops.  False: the warp stopped. */
static bool interpret(Warp *w, u64 *slice, bool jumps)
{
    const Uop *u = go(w, w->pc);
    bool found = false;
    turn_forget_constants(w->group);
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

void turn_set_env(HostEnv *env, const Jit *j, const Group *g, const Entry *e)
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

bool turn_take_constants(HostEnv *env, const Entry *e)
{
    Group *g = env->first->group;
    const bool full = e->warp.full;
    Guard own, guard = g->guard; /* warps with all lanes and others have constants of their own */
    env->constant = g->constant[full];
    if (g->constants_of[full] == e && !g->stale) {
        env->guard = g->guard;
        return true;
    }
    if (g->stale)
        turn_forget_constants(g);
    g->constants_of[full] = NULL;
    if (!constants_read(e->region, env->first, g->constant[full], &own))
        return false;
    for (u32 i = 0; i < GUARD_PARTS; i++)
        if (own.part[i].room)
            guard_add(&guard, own.part[i].lo, own.part[i].room);
    g->stale = guard_is_wide(&guard); /* constants are read for each warp */
    if (g->stale)
        guard = (Guard){.part = {{0}}};
    if (memcmp(&guard, &g->guard, sizeof g->guard)) {
        group_forget_ranges(g, true); /* they are beside the guard */
        g->guard = guard;
    }
    env->guard = guard;
    g->constants_of[full] = e;
    return true;
}

Outcome turn_came_back(Warp *w, const Entry *e, u32 back)
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

Outcome turn_run_code(HostEnv *env, Warp *w, const Entry *e, u32 entry, HostCode *code, u64 limit)
{
    const u64 before = w->ninsns;
    if (e->region->repeats && code == plain_code(e)) {
        env->first = env->last = w;
        env->end = env->most = env->insns = 0;
        env->is_over = env->passes = false;
        env->waiting = env->round = 0;
        /* it does not look for reservations, which code that it does not know may have made */
        if (w->group->reservations || !turn_take_constants(env, e))
            return CAME_OUT;
    } else {
        turn_forget_constants(w->group);
    }
    w->handled = w->reentry = 0;
    const u32 back = code(w, env, limit, entry);
    w->group->compiled += w->ninsns - before - w->handled;
    return turn_came_back(w, e, back);
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

Entry *turn_entry(Jit *j, const Warp *w)
{
    const WarpShape shape = {.full = w->dense && !w->nsimt,
                             .fresh = w->is_fresh,
                             .deep = w->nsimt,
                             .alone = w->group->nwarps == 1,
                             .line = w->is_fresh ? line_of(w->group->launch) : 0,
                             .base = base_of(w)};
    const Launch *l = w->group->launch;
    return can_enter(w) ? entries_find(&j->entries, w->pc, w->pc == l->pc ? turn_callee(l) : 0,
                                       shape, l->lanes, l->vm)
                        : NULL;
}

HostCode *turn_start_code(Jit *j, Entry *e)
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
        return turn_start_code(j, *e);
    }
    if (w->ninsns && w->ninsns <= LONG && !j->entries.waits)
        return NULL; /* what it interprets counts as heat of the entry where it began */
    *e = turn_entry(j, w);
    if (!*e)
        return NULL;
    w->host = *e;
    HostCode *code = turn_start_code(j, *e);
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

u64 turn_begin(Group *g)
{
    enum { SHARE = 31 }; /* a prime: turns of several kinds come in rounds */
    return ++g->uncounted >= SHARE || g->was_long ? nanoseconds() : 0;
}

void turn_count(Group *g, _Atomic u64 *count, u64 start, u64 insns)
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

const Entry *turn_run(Jit *j, Warp *w, u64 slice)
{
    const u64 most = w->group->launch->max_insns;
    const u64 limit = w->ninsns + (most ? slice : turn_insns(slice)), turn = slice;
    for (;;) {
        Entry *e = NULL;
        u32 entry;
        HostCode *code = find_code(j, w, &e, &entry);
        /* where instructions are limited, the interpreter counts the last of a turn exactly */
        const bool near = code && most && w->ninsns + e->region->insns >= limit;
        if (code && !near) {
            const u64 end = most ? limit - e->region->insns : limit;
            HostEnv env;
            turn_set_env(&env, j, w->group, e);
            const bool counts =
                atomic_load_explicit(&e->state[CODE_PLAIN], memory_order_relaxed) != READY;
            const u64 before = w->ninsns, start = counts ? turn_begin(w->group) : 0;
            const Outcome outcome = turn_run_code(&env, w, e, entry, code, end);
            if (counts)
                turn_count(w->group, &e->ran, start, w->ninsns - before);
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
        const u64 before = w->ninsns, start = counts ? turn_begin(w->group) : 0;
        u64 uops = most ? sim_uops_before(w, limit) : slice;
        const bool goes_on = interpret(w, &uops, !near && (j->entries.waits || w->ninsns > LONG));
        if (counts)
            turn_count(w->group, &e->heat, start, w->ninsns - before);
        if (goes_on && !most && !uops)
            sim_leave_turn(w, turn);
        if (!goes_on || (most ? w->ninsns >= limit : !uops))
            return NULL;
        slice = uops;
    }
}

void turn_run_warp(Warp *w, u64 slice)
{
    Jit *j = (Jit *)w->group->engine;
    const Launch *l = w->group->launch;
    const bool has_twin = compares(j, w);
    turn_forget_constants(w->group);
    if (!l->keeps_registers && !has_twin) { /* it cannot be compiled */
        sim_run_warp(w, slice);
        return;
    }
    if (has_twin)
        slice = shadow_before(j->shadow, w, slice);
    const Entry *left = turn_run(j, w, slice);
    if (has_twin) {
        RegionBlock room;
        const Region *r = w->reentry ? ((const Entry *)w->host)->region
                          : left     ? left->region
                                     : NULL;
        compare_turn(j, w, r, r ? goes_on_at(w, r, &room) : NULL);
    }
    /* if guest code reads flags, those that the host has set are the warp's */
    if (atomic_load_explicit(&j->entries.flags, memory_order_relaxed) != FLAGS_UNREAD)
        take_host_flags(w);
}
