#include "sim/sim.h"
#include "base/mem.h"
#include "sim/handlers.h"
#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_SLICE = 1 << 16 };

/* One launch in progress, shared by its host threads. */
typedef struct {
    Code *code;
    const Launch *launch;
    const SimOptions *opt;
    u64 ngroups;
    struct timespec deadline;
    _Atomic u64 next;     /* group to hand out */
    _Atomic u64 limit;    /* groups from here on are not started: one faulted */
    pthread_mutex_t lock; /* guards result */
    SimResult *result;
} Run;

/* --- the hostile build --------------------------------------------------------- */

/* Registers start with poison instead of zeros, and turns have odd lengths, from a
 * seed (VENTUS_SEED): a program whose result changes depended on luck. */
#ifdef HOSTILE
static u64 hash(u64 x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static u64 seed(void)
{
    const char *text = getenv("VENTUS_SEED");
    return text ? strtoull(text, NULL, 0) : 1;
}

static void poison(Warp *w)
{
    memset(w->v, 0xa5, sizeof w->v);
    memset(&w->x[1], 0xa5, sizeof w->x - sizeof w->x[0]);
}

static u64 turn(const Warp *w, u64 slice)
{
    const u64 odd = hash(seed() + w->ninsns * 64 + w->id) % 97 + 1;
    return odd < slice ? odd : slice;
}
#else
static void poison(Warp *w) { (void)w; }
static u64 turn(const Warp *w, u64 slice) { return (void)w, slice; }
#endif

/* --- a group --------------------------------------------------------------------- */

/* The lanes of warp k that have a work-item. */
static u32 first_mask(const Launch *l, u32 k)
{
    const u32 every = l->lanes == 32 ? UINT32_MAX : (1u << l->lanes) - 1;
    const u64 items = (u64)l->local[0] * l->local[1] * l->local[2];
    const u64 first = (u64)k * l->lanes;
    if (l->all_lanes || !items || first + l->lanes <= items)
        return every;
    return first >= items ? 0 : (1u << (items - first)) - 1;
}

static void reset_warp(Warp *w, Group *g, u32 k)
{
    const Launch *l = g->launch;
    SimtEntry *simt = w->simt;
    const u32 cap = w->capsimt;
    memset(w->v, 0, (size_t)l->vgprs * sizeof *w->v);
    memset((u8 *)w + offsetof(Warp, on), 0, sizeof *w - offsetof(Warp, on));
    w->simt = simt;
    w->capsimt = cap;
    w->group = g;
    w->id = k;
    w->tid = k * l->lanes;
    w->pc = l->pc;
    w->vl = l->lanes;
    w->vtype = 2 << 3; /* e32, m1 */
    w->full = l->lanes == 32 ? UINT32_MAX : (1u << l->lanes) - 1;
    w->initial = w->mask = first_mask(l, k);
    poison(w);
    warp_set_exec(w);
    if (!w->initial)
        w->state = WARP_DONE;
}

static void begin_group(Group *g, u64 linear, u32 thread)
{
    const Launch *l = g->launch;
    const u64 area = align_up((u64)l->pds_lane * l->lanes * l->warps, PAGE_SIZE);
    g->linear = linear;
    g->id[0] = (u32)(linear % l->groups[0]);
    g->id[1] = (u32)(linear / l->groups[0] % l->groups[1]);
    g->id[2] = (u32)(linear / l->groups[0] / l->groups[1]);
    g->lds_base = LDS_LO;
    g->pds_base = l->pds + (u32)((l->pds_by_group ? linear : l->pds_areas ? thread : 0) * area);
    g->nwarps = l->warps;
    g->faulted = false;
    g->reservations = 0;
    g->npending = 0;
    for (u32 k = 0; k < l->warps; k++)
        reset_warp(&g->warps[k], g, k);
}

static u32 count_warps(const Group *g, u8 state)
{
    u32 n = 0;
    for (u32 k = 0; k < g->nwarps; k++)
        n += g->warps[k].state == state;
    return n;
}

/* --- a warp ------------------------------------------------------------------------ */

static void suspend(Warp *w, const Uop *u)
{
    if (u)
        w->pc = u->pc;
    take_host_flags(w);
}

/* Runs w for at most `slice` Uops. */
static void run_slice(Warp *w, u64 slice)
{
    const Uop *u = go(w, w->pc);
    while (u && slice--) {
        w->ninsns += uop_insns(u); /* in memory: a CSR shows it */
        u = u->run(w, u);
    }
    suspend(w, u);
}

static void run_observed(Warp *w, u64 slice, const Observer *o)
{
    const Uop *u = go(w, w->pc);
    while (u && slice--) {
        const u32 exec = w->exec;
        const Uop *at = u;
        if (at->run == w_page_end) {
            u = at->run(w, at);
            slice++;
            continue;
        }
        if (o->before)
            o->before(o->self, w, at);
        w->ninsns += uop_insns(at);
        u = at->run(w, at);
        if (o->after && !w->group->faulted)
            o->after(o->self, w, at, exec);
    }
    suspend(w, u);
}

/* --- limits --------------------------------------------------------------------------- */

static bool is_late(const Run *r)
{
    struct timespec now;
    if (r->opt->timeout <= 0)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > r->deadline.tv_sec ||
           (now.tv_sec == r->deadline.tv_sec && now.tv_nsec >= r->deadline.tv_nsec);
}

static void limit_fault(Warp *w, FaultKind kind)
{
    Group *g = w->group;
    const u32 waiting = count_warps(g, WARP_WAITING);
    const Uop *u = go(w, w->pc);
    if (!u)
        return;
    fail(w, u, waiting ? FAULT_DEADLOCK : kind, -1);
    g->fault.waiting = waiting;
    g->fault.spinning = count_warps(g, WARP_READY);
}

static void check_time(const Run *r, Warp *w)
{
    if (is_late(r))
        limit_fault(w, FAULT_TIMEOUT);
    else if (r->opt->stop && atomic_load_explicit(r->opt->stop, memory_order_relaxed))
        limit_fault(w, FAULT_STOPPED);
}

static void check_limits(const Run *r, Warp *w)
{
    const Launch *l = r->launch;
    if (l->max_insns && w->ninsns >= l->max_insns)
        limit_fault(w, FAULT_ENDLESS);
    else
        check_time(r, w);
}

/* instructions that warp w may run before its turn ends */
static u64 slice_of(const Run *r, const Warp *w)
{
    const u64 slice = r->opt->slice ? r->opt->slice : DEFAULT_SLICE, most = r->launch->max_insns;
    if (!most)
        return turn(w, slice);
    const u64 left = most > w->ninsns ? most - w->ninsns : 1;
    return turn(w, left < slice ? left : slice);
}

/* --- a group, run ------------------------------------------------------------------------ */

static void release_barrier(const Run *r, Group *g)
{
    for (u32 k = 0; k < g->nwarps; k++)
        if (g->warps[k].state == WARP_WAITING)
            g->warps[k].state = WARP_READY;
    if (r->opt->observer && r->opt->observer->barrier)
        r->opt->observer->barrier(r->opt->observer->self, g);
}

/* one turn of every ready warp; false: none was ready */
static bool run_turns(const Run *r, Group *g)
{
    bool ran = false;
    for (u32 k = 0; k < g->nwarps && !g->faulted; k++) {
        Warp *w = &g->warps[k];
        if (w->state != WARP_READY)
            continue;
        ran = true;
        if (r->opt->observer)
            run_observed(w, slice_of(r, w), r->opt->observer);
        else
            run_slice(w, slice_of(r, w));
        if (w->state == WARP_READY && !g->faulted)
            check_limits(r, w);
    }
    return ran;
}

static void run_group(const Run *r, Group *g, u64 linear, u32 thread)
{
    const Observer *o = r->opt->observer;
    begin_group(g, linear, thread);
    check_time(r, &g->warps[0]); /* groups may be short and many */
    if (o && o->group_begin)
        o->group_begin(o->self, g);
    while (!g->faulted) {
        if (run_turns(r, g))
            continue;
        if (!count_warps(g, WARP_WAITING))
            break;
        release_barrier(r, g);
    }
    if (o && o->group_end)
        o->group_end(o->self, g);
    memory_clean(&g->lds, &g->lds_dirty);
    memory_clean(r->launch->memory, &g->pds_dirty);
}

/* --- a host thread ------------------------------------------------------------------------- */

/* Contexts outlive launches: making one costs more than a small kernel. */
static void context_free(Group *g)
{
    for (u32 k = 0; g->warps && k < g->capwarps; k++)
        mem_free(g->warps[k].simt);
    memory_close(&g->lds);
    mem_free(g->lds_dirty.page);
    mem_free(g->pds_dirty.page);
    mem_free(g->pending);
    free(g->warps);
    mem_free(g);
}

static Group *context_new(void)
{
    Group *g = mem_zalloc(1, sizeof *g);
    if (!g || !memory_open(&g->lds, LDS_LO, LDS_END)) {
        mem_free(g);
        return NULL;
    }
    memory_map(&g->lds, LDS_LO, LDS_END - LDS_LO, MEM_R | MEM_TRACKED);
    return g;
}

/* room for the warps of a group */
static bool context_grow(Group *g, u32 warps)
{
    if (warps <= g->capwarps)
        return true;
    Warp *more = aligned_alloc(64, warps * sizeof(Warp));
    if (!more)
        return false;
    memset((void *)more, 0, warps * sizeof(Warp));
    for (u32 k = 0; k < g->capwarps; k++) {
        more[k].simt = g->warps[k].simt;
        more[k].capsimt = g->warps[k].capsimt;
    }
    free(g->warps);
    g->warps = more;
    g->capwarps = warps;
    return true;
}

static Group *context_take(const Run *r)
{
    Code *c = r->code;
    pthread_mutex_lock(&c->lock);
    Group *g = c->idle;
    if (g)
        c->idle = g->next;
    pthread_mutex_unlock(&c->lock);
    if (!g && !(g = context_new()))
        return NULL;
    if (!context_grow(g, r->launch->warps)) {
        context_free(g);
        return NULL;
    }
    g->launch = r->launch;
    g->engine = c;
    g->tlb = (Tlb){.vpn = {0}};
    return g;
}

static void context_give(Code *c, Group *g)
{
    pthread_mutex_lock(&c->lock);
    g->next = c->idle;
    c->idle = g;
    pthread_mutex_unlock(&c->lock);
}

void sim_free_contexts(Code *c)
{
    while (c->idle) {
        Group *g = c->idle;
        c->idle = g->next;
        context_free(g);
    }
}

static void report(Run *r, const Group *g, u64 insns, u64 groups)
{
    pthread_mutex_lock(&r->lock);
    SimResult *to = r->result;
    if (g->faulted && (!to->faulted || g->linear < to->fault.group_linear)) {
        to->faulted = true;
        to->fault = g->fault;
        atomic_store(&r->limit, g->linear);
    }
    to->insns += insns;
    to->groups += groups;
    pthread_mutex_unlock(&r->lock);
}

static void out_of_memory(Run *r)
{
    Group none = {.faulted = true, .fault = {.kind = FAULT_NO_MEMORY, .lane = -1}};
    report(r, &none, 0, 0);
}

typedef struct {
    Run *run;
    u32 number;
} Worker;

static void *work(void *arg)
{
    const Worker *self = arg;
    Run *r = self->run;
    fenv_t host;
    Group *g = context_take(r);
    if (!g) {
        out_of_memory(r);
        return NULL;
    }
    /* guests get the default environment: nearest, nothing raised, no flush to zero */
    fegetenv(&host);
    fesetenv(FE_DFL_ENV);
    for (u64 i; (i = atomic_fetch_add(&r->next, 1)) < r->ngroups && i < atomic_load(&r->limit);) {
        u64 insns = 0;
        run_group(r, g, i, self->number);
        for (u32 k = 0; k < g->nwarps; k++)
            insns += g->warps[k].ninsns;
        report(r, g, insns, !g->faulted);
    }
    fesetenv(&host);
    context_give(r->code, g);
    return NULL;
}

static u32 thread_count(const Run *r)
{
    u64 n = r->opt->threads ? r->opt->threads : r->code->processors;
    if (n > r->ngroups)
        n = r->ngroups;
    if (!r->launch->pds_by_group && r->launch->pds_areas && n > r->launch->pds_areas)
        n = r->launch->pds_areas;
    if (r->opt->observer)
        n = 1;
    return (u32)(n > SIM_MAX_THREADS ? SIM_MAX_THREADS : n);
}

static void set_deadline(Run *r)
{
    clock_gettime(CLOCK_MONOTONIC, &r->deadline);
    const double seconds = r->opt->timeout > 1e9 ? 1e9 : r->opt->timeout;
    r->deadline.tv_sec += (time_t)seconds;
    r->deadline.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (r->deadline.tv_nsec >= 1000000000) {
        r->deadline.tv_nsec -= 1000000000;
        r->deadline.tv_sec++;
    }
}

bool sim_launch(Code *code, const Launch *launch, const SimOptions *opt, SimResult *result)
{
    pthread_t threads[SIM_MAX_THREADS];
    Worker workers[SIM_MAX_THREADS];
    Run r = {.code = code,
             .launch = launch,
             .opt = opt,
             .result = result,
             .limit = UINT64_MAX,
             .ngroups = (u64)launch->groups[0] * launch->groups[1] * launch->groups[2]};
    u32 started = 1;

    *result = (SimResult){0};
    pthread_mutex_init(&r.lock, NULL);
    set_deadline(&r);
    const u32 n = thread_count(&r);
    for (u32 i = 0; i < n; i++)
        workers[i] = (Worker){&r, i};
    /* fewer threads than wanted only take longer */
    while (started < n && !pthread_create(&threads[started], NULL, work, &workers[started]))
        started++;
    if (n)
        work(&workers[0]);
    for (u32 i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&r.lock);
    return !result->faulted;
}
