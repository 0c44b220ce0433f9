/* sim.c -- launches: host threads take groups and run their warps, slice by slice. */
#include "sim/sim.h"
#include "base/mem.h"
#include "sim/handlers.h"
#include "sim/step.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_SLICE = 1 << 16 };
enum { BATCH = 64 };    /* most groups that a thread takes at a time */
enum { SHORT = 30000 }; /* nanoseconds of a launch for which no thread is woken */
enum { LOOK = 1 << 18, LOOK_SOON = 1 << 14 }; /* instructions of groups between looks at limits */

/* One launch in progress, shared by its host threads. */
typedef struct {
    Sim *sim;
    const Launch *launch;
    const LaunchOptions *opt;
    Audience *audience; /* its observers */
    u64 ngroups;
    u32 interrupts;    /* of the engine when it began */
    u64 deadline;      /* by nanoseconds(); 0: none */
    u64 batch;         /* groups that a thread takes at a time: neighbours share pages */
    _Atomic u64 next;  /* group to hand out */
    _Atomic u64 limit; /* groups from here on are not started: one faulted */
    PoolJob job;
    bool is_alone;        /* other threads are not called yet, because it may be short */
    u64 start;            /* by nanoseconds() */
    pthread_mutex_t lock; /* guards result */
    LaunchResult *result;
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

/* --- life ------------------------------------------------------------------------- */

bool sim_init(Sim *s, const EngineKind *kind, WarpRunner *run, Memory *memory, IsaSet set)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    s->engine.kind = kind;
    s->memory = memory;
    s->run = run;
    s->processors = processors > 0 ? (u32)processors : 1;
    pool_open(&s->pool, s->processors);
    contexts_open(&s->contexts);
    s->code = code_new(set, memory, lane_level());
    return s->code != NULL;
}

void sim_exit(Sim *s)
{
    pool_close(&s->pool);
    contexts_close(&s->contexts);
    code_free(s->code);
}

static void close_engine(Engine *e)
{
    if (!e)
        return;
    sim_exit((Sim *)e);
    mem_free(e);
}

static Engine *open_engine(Memory *memory, IsaSet set)
{
    Sim *s = mem_zalloc(1, sizeof *s);
    if (!s || sim_init(s, &sim_kind, sim_run_warp, memory, set))
        return s ? &s->engine : NULL;
    close_engine(&s->engine);
    return NULL;
}

void sim_code_changed(Engine *e, IsaSet set, u64 addr, u64 size)
{
    Sim *s = (Sim *)e;
    if (s->code->set == set)
        code_forget(s->code, addr, size);
    else
        code_use(s->code, set);
}

void sim_interrupt(Engine *e) { atomic_fetch_add(&((Sim *)e)->interrupts, 1); }

const EngineKind sim_kind = {
    .name = "interp",
    .what = "interpreter, the definition of right",
    .open = open_engine,
    .close = close_engine,
    .code_changed = sim_code_changed,
    .launch = sim_launch,
    .step = sim_step,
    .interrupt = sim_interrupt,
};

Group *sim_take_group(Sim *s, const Launch *l)
{
    Group *g = context_take(&s->contexts, l);
    if (!g)
        return NULL;
    g->engine = &s->engine;
    g->code = s->code;
    g->clock = s->clock;
    return g;
}

void sim_give_group(Sim *s, Group *g) { context_give(&s->contexts, g); }

/* --- a warp ------------------------------------------------------------------------ */

static const Uop *run_uops(Warp *w, const Uop *u, u64 n)
{
    while (u && n--) {
        w->ninsns += uop_insns(u); /* in memory: a CSR shows it */
        u = u->run(w, u);
    }
    return u;
}

void sim_leave_turn(Warp *w, u64 slice)
{
    enum { MOST = 256 };
    const Uop *u = slice < DEFAULT_SLICE ? NULL : go(w, w->pc), *at = NULL;
    for (u32 n = 0; u && n < MOST && (!at || u->pc > at->pc); n++) {
        at = u;
        u = run_uops(w, u, 1);
    }
    if (u)
        w->pc = u->pc;
}

void sim_run_warp(Warp *w, u64 slice)
{
    const u64 end = w->ninsns + slice;
    const Uop *u = go(w, w->pc);
    if (!w->group->launch->max_insns)
        u = run_uops(w, u, slice);
    else
        while (u && w->ninsns < end)
            u = run_uops(w, u, sim_uops_before(w, end));
    if (u)
        w->pc = u->pc;
    if (u && !w->group->launch->max_insns)
        sim_leave_turn(w, slice);
    take_host_flags(w);
}

/* --- limits --------------------------------------------------------------------------- */

void sim_limit(Warp *w, FaultKind kind)
{
    Group *g = w->group;
    RollCall *roll = g->launch->roll;
    const u32 waiting = group_count_warps(g, WARP_WAITING);
    const Uop *u = go(w, w->pc);
    if (!u)
        return;
    if (roll)
        roll->answer(roll->self, g, true);
    fail(w, u, waiting && kind != FAULT_STOPPED && kind != FAULT_STALLED ? FAULT_DEADLOCK : kind,
         -1);
    g->fault.waiting = waiting;
    g->fault.spinning = group_count_warps(g, WARP_READY);
}

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
    const u64 slice = r->opt->slice ? r->opt->slice : DEFAULT_SLICE, most = r->launch->max_insns;
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

static void note_pace(Run *r, u32 threads)
{
    u32 tag;
    _Atomic u64 *pace = pace_of(r->sim, r->launch, &tag);
    const u64 took = (nanoseconds() - r->start) * (r->is_alone ? 1 : threads) / r->ngroups;
    if (pace)
        atomic_store_explicit(pace, (u64)tag << 32 | (took < UINT32_MAX ? took : UINT32_MAX),
                              memory_order_relaxed);
}

static void call_others(Run *r)
{
    if (!r->is_alone)
        return;
    r->is_alone = false;
    pool_call(&r->job);
}

/* --- a group, run ------------------------------------------------------------------------ */

/* Gives every ready warp one turn; false: none was ready. */
static bool run_turns(Run *r, Group *g)
{
    const bool tells_each = audience_wants_each(r->audience);
    bool ran = false;
    for (u32 k = 0; k < g->nwarps && !g->faulted; k++) {
        Warp *w = &g->warps[k];
        if (w->state != WARP_READY)
            continue;
        ran = true;
        if (tells_each)
            run_told(r->audience, w, slice_of(r, w));
        else
            r->sim->run(w, slice_of(r, w));
        if (w->state == WARP_DONE && !tells_each && r->audience->events)
            audience_tell(r->audience, EVENT_warp_end, g, w);
        if (w->state == WARP_READY && !g->faulted) {
            check_limits(r, w);
            call_others(r); /* it may wait for another group */
        }
    }
    return ran;
}

/* One must be ready. */
static Warp *first_ready(const Group *g)
{
    Warp *w = g->warps;
    while (w->state != WARP_READY)
        w++;
    return w;
}

/* Runs a group, which may have begun. */
static void run_group(Run *r, Group *g, u64 linear, u32 thread, bool has_begun)
{
    Audience *a = r->audience;
    if (!has_begun)
        group_begin(g, linear, thread);
    check_time(r, &g->warps[0]); /* groups may be short and many */
    audience_tell(a, EVENT_group_begin, g, NULL);
    for (u32 k = 0; a->events & EVENT_warp_begin && k < g->nwarps && !g->faulted; k++)
        if (g->warps[k].state == WARP_READY)
            audience_tell(a, EVENT_warp_begin, g, &g->warps[k]);
    if (!has_begun && r->sim->begin && !a->events && !r->launch->max_insns)
        r->sim->begin(g, slice_of(r, &g->warps[0]));
    while (!g->faulted) {
        if (run_turns(r, g))
            continue;
        if (!group_pass_barrier(g))
            break;
        audience_tell(a, EVENT_barrier, g, NULL);
        check_time(r, first_ready(g)); /* there may be no end of barriers */
    }
    if (g->faulted)
        audience_tell(a, EVENT_fault, g,
                      g->fault.warp < g->nwarps ? &g->warps[g->fault.warp] : NULL);
    audience_tell(a, EVENT_group_end, g, NULL);
    group_end(g);
}

/* --- a host thread ------------------------------------------------------------------------- */

/* What a thread has run since it told of it (LaunchResult). */
typedef struct {
    u64 insns, compiled, groups;
} Part;

static void report(Run *r, const Group *g, const Part *part)
{
    pthread_mutex_lock(&r->lock);
    LaunchResult *to = r->result;
    if (g->faulted && (!to->faulted || g->linear < to->fault.group_linear)) {
        to->faulted = true;
        to->fault = g->fault;
        atomic_store(&r->limit, g->linear);
    }
    to->insns += part->insns;
    to->compiled += part->compiled;
    to->groups += part->groups;
    pthread_mutex_unlock(&r->lock);
}

/* Ends the launch with a fault that belongs to no group. */
static void refuse(Run *r, FaultKind kind)
{
    Group none = {.faulted = true, .fault = {.kind = kind, .lane = -1}};
    report(r, &none, &(Part){0});
}

/* Groups first..end-1, or some of them; the number of the next one. */
static u64 run_groups(Run *r, Group *g, u64 first, u64 end, u32 number, Part *part)
{
    GroupsRun run = {.groups = 0};
    if (r->sim->groups && !r->audience->events && !r->launch->max_insns &&
        find_end(r) == FAULT_NONE)
        run = r->sim->groups(g, first, end, r->is_alone ? LOOK_SOON : LOOK,
                             slice_of(r, &g->warps[0]), number);
    const u64 at = first + run.groups;
    part->insns += run.insns;
    part->groups += run.groups;
    if (run.groups && !run.has_begun)
        return at;
    run_group(r, g, at, number, run.has_begun);
    part->insns += group_insns(g);
    part->groups += !g->faulted;
    return at + 1;
}

static void work(void *self, u32 number)
{
    Run *r = self;
    Part part = {0};
    Group *g = sim_take_group(r->sim, r->launch);
    if (!g) {
        refuse(r, FAULT_NO_MEMORY);
        return;
    }
    group_note_accesses(g, audience_notes(r->audience));
    const HostFloats host = enter_guest_floats();
    for (u64 i = 0, end = 0;;) {
        if (!end || i == end) {
            i = atomic_fetch_add(&r->next, r->batch);
            end = i + r->batch < r->ngroups ? i + r->batch : r->ngroups;
        }
        if (i >= end || i >= atomic_load_explicit(&r->limit, memory_order_relaxed))
            break;
        i = run_groups(r, g, i, end, number, &part);
        if (g->faulted) { /* at once: it says where the others end */
            report(r, g, &part);
            part = (Part){0};
        }
        if (r->is_alone && nanoseconds() - r->start > SHORT)
            call_others(r);
    }
    leave_guest_floats(&host);
    part.compiled = g->compiled;
    g->faulted = false;
    report(r, g, &part);
    sim_give_group(r->sim, g);
}

static u32 thread_count(const Run *r)
{
    u64 n = r->opt->threads ? r->opt->threads : r->sim->processors;
    if (n > r->ngroups)
        n = r->ngroups;
    if (!r->launch->pds_by_group && r->launch->pds_areas && n > r->launch->pds_areas)
        n = r->launch->pds_areas;
    if (r->opt->nobservers)
        n = 1;
    return (u32)(n > MAX_HOST_THREADS ? MAX_HOST_THREADS : n);
}

bool sim_launch(Engine *e, const Launch *launch, const LaunchOptions *opt, LaunchResult *result)
{
    Sim *s = (Sim *)e;
    Audience audience = audience_of(launch, opt);
    Run r = {.sim = s,
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
        const u32 threads = thread_count(&r);
        const u64 share = r.ngroups / (threads ? threads : 1) / 32;
        r.batch = threads == 1 || share > BATCH ? BATCH : share < 1 ? 1 : share;
        pool_begin(&r.job, &s->pool, threads, (PoolWork){work, &r});
        if (threads > 1) {
            r.start = nanoseconds();
            r.is_alone = may_be_short(&r);
            if (!r.is_alone)
                pool_call(&r.job);
        }
        if (r.ngroups)
            work(&r, 0);
        if (threads > 1)
            note_pace(&r, threads);
        pool_end(&r.job);
    } else {
        refuse(&r, FAULT_STOPPED);
    }
    audience_tell(&audience, EVENT_launch_end, NULL, NULL);
    pthread_mutex_destroy(&r.lock);
    return !result->faulted;
}
