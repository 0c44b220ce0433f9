/* dispatch.c -- launches: host threads share the groups and run their warps, slice by slice.
 *
 * A group whose warps use up many turns may wait for another: it is set aside in its context, and from
 * then on groups begin in their order (sim/order.h), as many as the machine holds, and threads go
 * round among those.
 */
#include "base/mem.h"
#include "sim/handlers.h"
#include "sim/order.h"
#include "sim/sim.h"
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 4 };  /* turns that warps of a group use up: it may wait for another group */
enum { SHORT = 30000 }; /* nanoseconds of a launch for which no thread is woken */
enum { LOOK = 1 << 18, LOOK_SOON = 1 << 14 }; /* instructions of groups between looks at limits */

/* One launch in progress, shared by its host threads. */
typedef struct {
    Sim *sim;
    const Launch *launch;
    const LaunchOptions *opt;
    Audience *audience; /* its observers */
    u64 ngroups;
    u32 threads;        /* of the host */
    u32 most;           /* contexts that there may be */
    u32 interrupts;     /* of the engine when it began */
    u64 deadline;       /* by nanoseconds(); 0: none */
    Order *order;       /* of its groups */
    _Atomic u64 limit;  /* groups from here on are not started: one faulted */
    PoolJob job;
    bool is_alone;        /* other threads are not called yet, because it may be short */
    Batch *own;           /* of the thread that is alone */
    _Atomic u64 busy;     /* nanoseconds for which threads were at work */
    pthread_mutex_t lock; /* guards what follows */
    LaunchResult *result;
    u32 contexts; /* taken */
    Group *spare; /* those of them that nobody uses, in a list */
    Group *aside; /* the last of the groups that no thread goes on with now, in a ring */
} Run;

/* In the hostile build turns have odd lengths, chosen by a seed (VENTUS_SEED), so that a program
 * that depends on their lengths shows it. */
#ifdef HOSTILE
static u64 hash(u64 x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static u64 turn(const Warp *w, u64 slice)
{
    const char *seed = getenv("VENTUS_SEED");
    const u64 odd = hash((seed ? strtoull(seed, NULL, 0) : 1) + w->ninsns * 64 + w->id) % 97 + 1;
    return odd < slice ? odd : slice;
}
#else
static u64 turn(const Warp *w, u64 slice) { return (void)w, slice; }
#endif

/* --- limits --------------------------------------------------------------------------- */

/* why the launch is to end now, or FAULT_NONE */
static FaultKind find_end(const Run *r)
{
    if (r->deadline && nanoseconds() - r->audience->halted >= r->deadline)
        return FAULT_TIMEOUT;
    if (atomic_load_explicit(&r->sim->interrupts, memory_order_relaxed) != r->interrupts)
        return FAULT_STOPPED;
    return FAULT_NONE;
}

static void check_time(const Run *r, Warp *w)
{
    group_answer(w->group);
    const FaultKind why = find_end(r);
    if (why != FAULT_NONE)
        sim_limit(w, why);
}

static void check_limits(const Run *r, Warp *w)
{
    const Launch *l = r->launch;
    if (l->max_insns && w->ninsns >= l->max_insns)
        sim_limit(w, FAULT_ENDLESS);
    else
        check_time(r, w);
}

/* how much warp w may run before its turn ends (WarpRunner) */
static u64 slice_of(const Run *r, const Warp *w)
{
    const u64 usual = order_waits(r->order) ? SIM_SHORT_SLICE : SIM_SLICE,
              slice = r->opt->slice ? r->opt->slice : usual, most = r->launch->max_insns;
    if (!most)
        return turn(w, slice);
    const u64 left = most > w->ninsns ? most - w->ninsns : 1;
    return turn(w, left < slice ? left : slice);
}

/* --- whether other threads are worth their call ------------------------------------------- */

/* Where the Sim keeps how long a group of this kernel took; NULL: it has no name. */
static _Atomic u64 *pace_of(Sim *s, const Launch *l, u32 *tag)
{
    *tag = 2166136261u;
    for (const char *c = l->kernel; c && *c; c++)
        *tag = (*tag ^ (u8)*c) * 16777619u;
    return l->kernel ? &s->pace[*tag % countof(s->pace)] : NULL;
}

static bool may_be_short(Run *r)
{
    u32 tag;
    _Atomic u64 *pace = pace_of(r->sim, r->launch, &tag);
    const u64 known = pace ? atomic_load_explicit(pace, memory_order_relaxed) : 0;
    return known >> 32 == tag && (u32)known <= SHORT && (u32)known * r->ngroups <= SHORT;
}

/* To wake a thread may take longer than the launch, and is not counted. */
static void note_pace(Run *r)
{
    u32 tag;
    _Atomic u64 *pace = pace_of(r->sim, r->launch, &tag);
    const u64 took = atomic_load(&r->busy) / r->ngroups;
    if (pace)
        atomic_store_explicit(pace, (u64)tag << 32 | (took < UINT32_MAX ? took : UINT32_MAX),
                              memory_order_relaxed);
}

static void call_others(Run *r)
{
    if (!r->is_alone)
        return;
    r->is_alone = false;
    order_share(r->order, 0, r->own);
    pool_call(&r->job);
}

/* --- what came out ------------------------------------------------------------------------ */

/* What a thread has run since it told of it (LaunchResult). */
typedef struct {
    u64 insns, groups;
} Part;

/* Adds the part, and the fault that the group of this number ended with (or NULL), if it is the first. */
static void report(Run *r, const Fault *fault, u64 group, const Part *part)
{
    pthread_mutex_lock(&r->lock);
    LaunchResult *to = r->result;
    if (fault && (!to->faulted || group < to->fault.group_linear)) {
        to->faulted = true;
        to->fault = *fault;
        atomic_store(&r->limit, group);
    }
    to->insns += part->insns;
    to->groups += part->groups;
    pthread_mutex_unlock(&r->lock);
}

/* Ends the launch with a fault that belongs to no group. */
static void refuse(Run *r, FaultKind kind)
{
    report(r, &(Fault){.kind = kind, .lane = -1}, 0, &(Part){0});
}

/* --- a group, run ------------------------------------------------------------------------ */

typedef enum { NONE_READY, RAN, USED_UP } Turns;

/* Gives every ready warp a turn, which one of them at least may have used up. */
static Turns run_turns(Run *r, Group *g)
{
    const bool tells_each = audience_wants_each(r->audience);
    Turns turns = NONE_READY;
    for (u32 k = 0; k < g->nwarps && !g->faulted; k++) {
        Warp *w = &g->warps[k];
        if (w->state != WARP_READY)
            continue;
        turns = turns == NONE_READY ? RAN : turns;
        if (tells_each)
            run_told(r->audience, w, slice_of(r, w));
        else
            r->sim->run(w, slice_of(r, w));
        if (w->state == WARP_DONE && !tells_each && r->audience->events)
            audience_tell(r->audience, EVENT_warp_end, g, w);
        if (w->state == WARP_READY && !g->faulted) {
            check_limits(r, w);
            call_others(r); /* it may wait for another group */
            turns = USED_UP;
        }
    }
    return turns;
}

/* One must be ready. */
static Warp *first_ready(const Group *g)
{
    Warp *w = g->warps;
    while (w->state != WARP_READY)
        w++;
    return w;
}

static void begin_group(Run *r, Group *g, u64 linear)
{
    Audience *a = r->audience;
    group_begin(g, linear);
    check_time(r, &g->warps[0]); /* groups may be short and many */
    audience_tell(a, EVENT_group_begin, g, NULL);
    for (u32 k = 0; a->events & EVENT_warp_begin && k < g->nwarps && !g->faulted; k++)
        if (g->warps[k].state == WARP_READY)
            audience_tell(a, EVENT_warp_begin, g, &g->warps[k]);
    if (r->sim->begin && !a->events && !r->launch->max_insns)
        r->sim->begin(g, slice_of(r, &g->warps[0]));
}

static void end_group(Run *r, Group *g, Part *part)
{
    if (g->faulted)
        audience_tell(r->audience, EVENT_fault, g,
                      g->fault.warp < g->nwarps ? &g->warps[g->fault.warp] : NULL);
    audience_tell(r->audience, EVENT_group_end, g, NULL);
    group_end(g);
    part->insns += group_insns(g);
    part->groups += !g->faulted;
    if (g->faulted) { /* at once: it says where the others end */
        report(r, &g->fault, g->linear, part);
        *part = (Part){0};
    }
}

/* Runs a group that has begun.  False: it has not ended, and may wait for another one. */
static bool run_on(Run *r, Group *g, Part *part)
{
    const bool may_leave = r->ngroups > 1 && !r->opt->nobservers && !r->sim->in_order;
    u32 used_up = 0;
    if (g->linear > atomic_load_explicit(&r->limit, memory_order_relaxed)) {
        if (find_end(r) != FAULT_NONE)
            sim_answer_last(g);
        group_end(g); /* it was set aside, and one before it has faulted */
        return true;
    }
    for (u32 round = 1; !g->faulted; round++) {
        const Turns turns = run_turns(r, g);
        if (turns == NONE_READY && !g->faulted) {
            if (!sim_pass_barrier(g))
                break;
            audience_tell(r->audience, EVENT_barrier, g, NULL);
            if (!g->faulted)
                check_time(r, first_ready(g)); /* there may be no end of barriers */
        }
        const bool waits = order_waits(r->order);
        used_up += turns == USED_UP || !(round % (waits ? SIM_SHORT_ROUNDS : SIM_ROUNDS));
        if (may_leave && !g->faulted && used_up >= (waits ? 1 : PATIENCE))
            return false;
    }
    end_group(r, g, part);
    return true;
}

/* --- contexts, and groups that are set aside in theirs ---------------------------------------- */

/* Leaves the context to other groups of the launch. */
static void leave_context(Run *r, Group *g)
{
    pthread_mutex_lock(&r->lock);
    g->next = r->spare;
    r->spare = g;
    pthread_mutex_unlock(&r->lock);
}

/* A context for one more group; NULL: there are as many as may be, or no memory for it. */
static Group *take_context(Run *r)
{
    pthread_mutex_lock(&r->lock);
    Group *g = r->spare;
    r->spare = g ? g->next : NULL;
    const bool may = !g && r->contexts < r->most;
    const u32 area = r->contexts;
    r->contexts += may;
    pthread_mutex_unlock(&r->lock);
    if (may && (g = sim_take_group(r->sim, r->launch))) {
        g->area = area;
        g->owns_private = r->launch->pds_areas && !r->launch->pds_by_group && !r->opt->nobservers &&
                          !r->sim->in_order;
        group_note_accesses(g, audience_notes(r->audience));
    }
    return g;
}

/* Gives back all contexts, which are spare: one for each thread is kept for the next launch. */
static void give_contexts(Run *r)
{
    for (Group *g = r->spare, *next; g; g = next) {
        next = g->next;
        r->result->compiled += g->compiled;
        memory_clean(r->launch->memory, &g->pds_dirty);
        if (g->area < r->threads)
            sim_give_group(r->sim, g);
        else
            context_drop(g);
    }
}

/* Sets group g aside (unless it is NULL), behind the others.  The first of all that are then, taken
 * back, where no context `other` is given to go on with; NULL: there is none. */
static Group *set_aside(Run *r, Group *g, Group *other)
{
    pthread_mutex_lock(&r->lock);
    if (g) {
        g->next = r->aside ? r->aside->next : g;
        r->aside = (r->aside ? r->aside->next = g : g);
    }
    if (!other && r->aside) {
        other = r->aside->next;
        r->aside->next = other->next;
        r->aside = other == r->aside ? NULL : r->aside;
    }
    pthread_mutex_unlock(&r->lock);
    return other;
}

/* --- a host thread ------------------------------------------------------------------------- */

/* Whether there is a group for the thread to begin now. */
static bool has_next(Run *r, u32 thread, Batch *b)
{
    const u32 parts = r->is_alone || r->threads == 1 ? 1 : 4;
    return order_next(r->order, thread, parts, b) &&
           b->next < atomic_load_explicit(&r->limit, memory_order_relaxed);
}

/* Runs the next groups of the batch in context g.  False: as run_on(), of the last of them. */
static bool run_next(Run *r, Group *g, Batch *b, Part *part)
{
    GroupsRun run = {.groups = 0};
    if (r->sim->groups && !r->audience->events && !r->launch->max_insns &&
        find_end(r) == FAULT_NONE)
        run = r->sim->groups(g, b->next, b->end, r->is_alone ? LOOK_SOON : LOOK,
                             slice_of(r, &g->warps[0]));
    b->next += run.groups;
    part->insns += run.insns;
    part->groups += run.groups;
    if (run.groups && !run.has_begun)
        return true;
    if (!run.has_begun)
        begin_group(r, g, b->next);
    b->next++;
    return run_on(r, g, part);
}

/* What the thread of that number does in a launch from a time on, beginning with context g: that is free, or for the
 * next group, or has one that has begun.  When it has ended. */
static u64 work(Run *r, u32 number, Group *g, u64 from)
{
    enum { FREE, NEXT, BEGUN } is = FREE;
    Part part = {0};
    Batch batch = {0, 0};
    if (r->is_alone)
        r->own = &batch;
    const HostFloats host = enter_guest_floats();
    for (;;) {
        if (is == FREE && has_next(r, number, &batch)) {
            is = NEXT;
        } else if (is == FREE) {
            Group *other = set_aside(r, NULL, NULL);
            if (!other)
                break;
            leave_context(r, g);
            g = other;
            is = BEGUN;
        }
        const u64 linear = is == NEXT ? batch.next : g->linear;
        const bool goes_on = is == BEGUN;
        const bool has_ended = goes_on ? run_on(r, g, &part) : run_next(r, g, &batch, &part);
        is = FREE;
        if (has_ended) {
            order_end(r->order, number, linear);
        } else {
            order_wait(r->order, number, g->linear, &batch);
            Group *other = take_context(r);
            if (other && !has_next(r, number, &batch)) {
                leave_context(r, other);
                other = NULL;
            }
            is = other ? NEXT : BEGUN;
            const Group *left = g;
            g = set_aside(r, g, other);
            if (goes_on || g == left) /* the one that it waits for may lack a processor */
                sched_yield();
        }
        if (r->is_alone && batch.next < batch.end && nanoseconds() - from > SHORT)
            call_others(r);
    }
    order_leave(r->order, number);
    leave_guest_floats(&host);
    leave_context(r, g);
    report(r, NULL, 0, &part);
    const u64 ended = nanoseconds();
    atomic_fetch_add(&r->busy, ended - from);
    return ended;
}

static void help(void *self, u32 number)
{
    Group *g = take_context(self);
    if (g) /* else the others have all */
        work(self, number, g, nanoseconds());
}

/* Areas of private memory for groups that run at a time; 0: as many as one likes.  Where not even one
 * has room, groups run one after the other (doc/abi.md, "Private memory"). */
static u32 count_areas(const Launch *l)
{
    if (l->pds_by_group || !l->pds_lane)
        return 0;
    return l->pds_areas ? l->pds_areas : 1;
}

static u32 count_threads(const Run *r)
{
    u64 n = r->opt->threads ? r->opt->threads : r->sim->processors;
    const u32 areas = count_areas(r->launch);
    if (n > r->ngroups)
        n = r->ngroups;
    if (areas && n > areas)
        n = areas;
    if (r->opt->nobservers || !n)
        n = 1;
    return (u32)(n > MAX_HOST_THREADS ? MAX_HOST_THREADS : n);
}

/* Groups that the machine holds at once, as far as private memory has room for them. */
static u32 count_resident(const Run *r)
{
    enum { MOST = 1024 };
    const Launch *l = r->launch;
    const u32 areas = count_areas(l);
    u64 n = (u64)l->resident * (l->machine ? l->machine->sms : 1);
    if (n > MOST)
        n = MOST;
    if (areas && n > areas)
        n = areas;
    return n ? (u32)n : 1;
}

bool sim_launch(Engine *e, const Launch *launch, const LaunchOptions *opt, LaunchResult *result)
{
    Sim *s = (Sim *)e;
    Audience audience = audience_of(launch, opt);
    Order order;
    Run r = {.sim = s,
             .order = &order,
             .interrupts = atomic_load(&s->interrupts),
             .launch = launch,
             .opt = opt,
             .audience = &audience,
             .result = result,
             .limit = UINT64_MAX,
             .ngroups = (u64)launch->groups[0] * launch->groups[1] * launch->groups[2]};

    memset(result, 0, offsetof(LaunchResult, fault));
    if (opt->timeout > 0)
        r.deadline = nanoseconds() + (u64)((opt->timeout < 1e9 ? opt->timeout : 1e9) * 1e9);
    pthread_mutex_init(&r.lock, NULL);
    if (audience_tell(&audience, EVENT_launch_begin, NULL, NULL)) {
        const u32 threads = r.threads = count_threads(&r);
        const u32 resident = count_resident(&r), areas = count_areas(launch);
        r.most = resident + threads - 1; /* others than the first may have begun out of order */
        if (areas && r.most > areas)
            r.most = areas;
        r.is_alone = threads > 1 && may_be_short(&r);
        order_open(&order, r.ngroups, threads, resident, r.is_alone);
        Group *own = take_context(&r); /* whatever the others take, the first groups run */
        pool_begin(&r.job, &s->pool, threads, (PoolWork){help, &r});
        result->began = result->ended = nanoseconds();
        if (!r.is_alone)
            pool_call(&r.job);
        if (own)
            result->ended = work(&r, 0, own, result->began);
        else
            refuse(&r, FAULT_NO_MEMORY);
        pool_end(&r.job);
        if (threads > 1 && !r.is_alone)
            result->ended = nanoseconds();
        if (threads > 1)
            note_pace(&r);
        give_contexts(&r);
        order_close(&order);
    } else {
        refuse(&r, FAULT_STOPPED);
    }
    audience_tell(&audience, EVENT_launch_end, NULL, NULL);
    pthread_mutex_destroy(&r.lock);
    return !result->faulted;
}
