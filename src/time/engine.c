/* engine.c -- launches on the cycle model: groups, the cycles themselves, and the end of a kernel.
 *
 * What an instruction does is the interpreter's, in the cycle that issues it; so results are those
 * of the interpreter when it runs the warps in that order.  Where nothing can happen before a known
 * cycle, the clock goes there at once.
 */
#include "base/mem.h"
#include "sim/handlers.h"
#include "time/model.h"
#include <string.h>

typedef struct {
    Sim sim;              /* first */
    pthread_mutex_t lock; /* guards the rest */
    Model *idle;          /* one that nobody uses, or NULL */
    TimeResult last, all;
} TimeEngine;

/* --- models ---------------------------------------------------------------------------- */

static void model_close(Model *m)
{
    if (!m)
        return;
    for (u32 i = 0; m->sm && i < m->nsms; i++) {
        tags_close(&m->sm[i].icache.tags);
        tags_close(&m->sm[i].dcache.tags);
    }
    tags_close(&m->l2.tags);
    ops_forget(&m->ops);
    mem_free(m->sm);
    mem_free(m);
}

static bool open_sm(Model *m, u32 i)
{
    Sm *s = &m->sm[i];
    s->model = m;
    s->id = i;
    s->fifo = -1;
    lsu_open(s);
    for (u32 k = 0; k < MAX_WARPS; k++)
        s->slot[k].cause = CAUSE_NO_WARP;
    s->causes[CAUSE_NO_WARP] = MAX_WARPS;
    return tags_open(&s->icache.tags, m->p.icache_sets, m->p.icache_ways) &&
           tags_open(&s->dcache.tags, m->p.dcache_sets, m->p.dcache_ways);
}

static Model *model_open(TimeEngine *e, const Machine *p)
{
    Model *m = mem_zalloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->p = *p;
    m->sim = &e->sim;
    m->nsms = p->group_alone ? 1 : p->sms < MAX_SMS ? p->sms : MAX_SMS;
    m->ops.code = e->sim.code;
    m->sm = mem_zalloc(m->nsms, sizeof *m->sm);
    bool ok = m->sm && tags_open(&m->l2.tags, p->l2_sets, p->l2_ways);
    for (u32 i = 0; ok && i < m->nsms; i++)
        ok = open_sm(m, i);
    if (ok)
        return m;
    model_close(m);
    return NULL;
}

/* --- warps and groups --------------------------------------------------------------------- */

static u64 cycles_now(void *self, const Warp *w)
{
    (void)w;
    return ((Model *)self)->now - ((Model *)self)->requested;
}

bool model_step(Model *m, Slot *w, Step *step)
{
    Warp *warp = w->warp;
    const bool tells_each = audience_wants_each(m->audience);
    const bool ok =
        tells_each ? step_told(m->audience, warp, step) : sim_step(&m->sim->engine, warp, step);
    m->total.insns++;
    if (step->ended && !tells_each)
        audience_tell(m->audience, EVENT_warp_end, warp->group, warp);
    if (ok && m->launch->max_insns && warp->state == WARP_READY &&
        warp->ninsns >= m->launch->max_insns)
        sim_limit(warp, FAULT_ENDLESS);
    if (!warp->group->faulted)
        return true;
    w->lot->faulted = true;
    return false;
}

static void release_barrier(Sm *s, Lot *lot)
{
    sim_pass_barrier(lot->group);
    lot->faulted = lot->group->faulted;
    audience_tell(s->model->audience, EVENT_barrier, lot->group, NULL);
    lot->waiting = 0;
    for (u32 k = 0; k < s->nwarps; k++)
        if (s->slot[k].active && s->slot[k].lot == lot) {
            s->slot[k].waits = false;
            slot_changed(s, k);
        }
}

void warp_arrives(Sm *s, const Flight *f)
{
    Slot *w = &s->slot[f->slot];
    Lot *lot = w->lot;
    slot_changed(s, f->slot);
    if (f->op->control == CONTROL_BARRIER) {
        w->waits = true;
        lot->waiting++;
    } else {
        tell_slot(s, f->slot, (CycleEvent){.kind = CYCLE_WARP_END});
        front_stop(s, f->slot);
        w->active = false;
        s->active &= ~((u64)1 << f->slot);
        if (!--lot->left)
            lot->done = s->model->now + s->model->p.done_latency;
    }
    if (lot->left && lot->waiting == lot->left)
        release_barrier(s, lot);
}

static void begin_warp(Sm *s, Lot *lot, Warp *warp)
{
    u32 k = 0;
    while (s->slot[k].active || s->slot[k].accesses)
        k++;
    Slot *w = &s->slot[k];
    issue_leave(s, k);
    *w = (Slot){.warp = warp,
                .lot = lot,
                .group = launch_group_number(s->model->launch, lot->linear),
                .id = warp->id,
                .active = true,
                .cause = CAUSE_NO_WARP};
    s->active |= (u64)1 << k;
    tell_slot(s, k, (CycleEvent){.kind = CYCLE_WARP});
    front_redirect(s, k, s->model->launch->pc);
}

bool model_area(const Model *m, u32 *area)
{
    const Launch *l = m->launch;
    u32 i = 0;
    while (!~m->areas[i])
        i++;
    *area = i * 64 + (u32)__builtin_ctzll(~m->areas[i]);
    return l->pds_by_group || !l->pds_areas || *area < l->pds_areas;
}

void model_take_area(Model *m, u32 area) { m->areas[area / 64] |= (u64)1 << area % 64; }
void model_give_area(Model *m, u32 area) { m->areas[area / 64] &= ~((u64)1 << area % 64); }

static u32 free_slots(const Sm *s)
{
    u32 n = 0;
    for (u32 k = 0; k < s->nwarps; k++)
        n += !s->slot[k].active && !s->slot[k].accesses;
    return n;
}

/* the SM with the fewest groups that has room for one more; NULL: none has */
static Sm *find_room(Model *m, Lot **lot)
{
    Sm *best = NULL;
    u32 fewest = UINT32_MAX;
    for (u32 i = 0; i < m->nsms; i++) {
        Sm *s = &m->sm[i];
        Lot *room = NULL;
        u32 n = 0;
        for (u32 k = s->nlots; k-- > 0;) {
            n += s->lot[k].used;
            room = s->lot[k].used ? room : &s->lot[k];
        }
        if (!room || n >= fewest || free_slots(s) < m->launch->warps)
            continue;
        fewest = n;
        best = s;
        *lot = room;
    }
    return best;
}

static bool begin_group(Model *m)
{
    u32 area;
    Lot *lot;
    Sm *s = find_room(m, &lot);
    if (!s || !model_area(m, &area))
        return true;
    Group *g = sim_take_group(m->sim, m->launch);
    if (!g)
        return false;
    g->clock = &m->clock;
    group_note_accesses(g, NOTE_EACH);
    g->area = area;
    group_begin(g, m->next_group);
    *lot = (Lot){.group = g,
                 .linear = m->next_group++,
                 .left = m->launch->warps,
                 .done = NEVER,
                 .area = area,
                 .used = true};
    sample_began(m, lot->linear);
    model_take_area(m, area);
    m->running++;
    m->starting.sm = s;
    m->starting.lot = lot;
    m->starting.warp = 0;
    tell_group(s, lot, CYCLE_GROUP);
    audience_tell(m->audience, EVENT_group_begin, g, NULL);
    for (u32 k = 0; m->audience->events & EVENT_warp_begin && k < g->nwarps && !g->faulted; k++)
        if (g->warps[k].state == WARP_READY)
            audience_tell(m->audience, EVENT_warp_begin, g, &g->warps[k]);
    lot->faulted = g->faulted;
    return true;
}

/* the next warp of the group that starts, and the next group */
static bool dispatch(Model *m)
{
    const bool stops =
        m->result->faulted || m->flush != FLUSH_NOT || (m->p.group_alone && m->running);
    if (m->now < m->begin)
        return true;
    if (!m->starting.sm && m->next_group < m->ngroups && !stops) {
        const SampleSkip skip = sample_skip(m);
        if (m->result->faulted && !m->running)
            m->flush = FLUSH_WAITS;
        if (skip == SKIP_FAILED || (skip == SKIP_DONE && !m->result->faulted && !begin_group(m)))
            return false;
    }
    if (!m->starting.sm)
        return true;
    Lot *lot = m->starting.lot;
    const u32 nth = m->starting.warp++, last = m->launch->warps - 1;
    Warp *w = &lot->group->warps[m->p.last_first ? last - nth : nth];
    if (w->state == WARP_READY)
        begin_warp(m->starting.sm, lot, w);
    else if (!--lot->left)
        lot->done = m->now + m->p.done_latency;
    if (m->starting.warp == m->launch->warps)
        m->starting.sm = NULL;
    m->begin = m->now + m->p.warp_interval;
    return true;
}

/* --- ends of groups ------------------------------------------------------------------------- */

static void note_fault(Model *m, const Group *g)
{
    LaunchResult *to = m->result;
    if (!g->faulted || (to->faulted && g->linear > to->fault.group_linear))
        return;
    to->faulted = true;
    to->fault = g->fault;
}

void model_leave_group(Model *m, Group *g)
{
    if (g->faulted)
        audience_tell(m->audience, EVENT_fault, g,
                      g->fault.warp < g->nwarps ? &g->warps[g->fault.warp] : NULL);
    audience_tell(m->audience, EVENT_group_end, g, NULL);
    group_end(g);
    note_fault(m, g);
    m->result->insns += group_insns(g);
    m->result->groups += !g->faulted;
    sim_give_group(m->sim, g);
}

static void end_group(Model *m, Sm *s, Lot *lot)
{
    model_leave_group(m, lot->group);
    for (u32 k = 0; k < s->nwarps; k++)
        if (s->slot[k].active && s->slot[k].lot == lot) {
            tell_slot(s, k, (CycleEvent){.kind = CYCLE_WARP_END});
            front_stop(s, k);
            s->slot[k].active = false;
            s->active &= ~((u64)1 << k);
        }
    if (m->starting.lot == lot)
        m->starting.sm = NULL;
    tell_group(s, lot, CYCLE_GROUP_END);
    lot->used = false;
    model_give_area(m, lot->area);
    m->running--;
    if (m->p.group_alone || m->next_group == m->ngroups || m->result->faulted)
        m->flush = m->running ? FLUSH_NOT : FLUSH_WAITS;
}

static u64 end_groups(Model *m)
{
    u64 next = NEVER;
    for (u32 i = 0; i < m->nsms; i++)
        for (u32 k = 0; k < m->sm[i].nlots; k++) {
            Lot *lot = &m->sm[i].lot[k];
            if (!lot->used)
                continue;
            if (lot->faulted || lot->done <= m->now)
                end_group(m, &m->sm[i], lot);
            else
                next = lot->done < next ? lot->done : next;
        }
    return next;
}

/* Memory ran out: the groups that run do not go on. */
static void give_up_groups(Model *m)
{
    for (u32 i = 0; i < m->nsms; i++)
        for (u32 k = 0; k < m->sm[i].nlots; k++)
            if (m->sm[i].lot[k].used) {
                model_leave_group(m, m->sm[i].lot[k].group);
                m->sm[i].lot[k].used = false;
            }
}

/* --- the flush -------------------------------------------------------------------------------- */

static bool accesses_are_done(const Model *m)
{
    for (u32 i = 0; i < m->nsms; i++)
        for (u32 k = 0; k < m->sm[i].nwarps; k++)
            if (m->sm[i].slot[k].accesses)
                return false;
    return true;
}

/* When a kernel ends, dirty lines go to the L2 and the L2 is flushed. */
static void flush_tick(Model *m)
{
    if (m->flush != FLUSH_WAITS || !accesses_are_done(m))
        return;
    m->flush = FLUSH_LINES;
    for (u32 i = 0; i < m->nsms; i++)
        dcache_flush(&m->sm[i], m->now + m->p.flush_latency);
}

static void forget_caches(Model *m)
{
    for (u32 i = 0; i < m->nsms; i++) {
        tags_clear(&m->sm[i].icache.tags);
        tags_clear(&m->sm[i].dcache.tags);
    }
    tags_clear(&m->l2.tags);
}

/* --- cycles ------------------------------------------------------------------------------ */

/* One cycle of an SM; the next in which something can happen to it, if nothing comes from outside.
 * An SM that waits for a later cycle is left alone until then. */
static u64 sm_tick(Sm *s)
{
    s->issued = 0;
    if (s->next > s->model->now && !s->changed)
        return s->next;
    s->busy = s->changed != 0;
    s->next = NEVER;
    issue_look(s);
    front_respond(s);
    unit_write_back(s);
    branch_tick(s);
    dcache_tick(s);
    lsu_tick(s);
    s->issued = issue_tick(s);
    front_fetch(s);
    if (s->busy || s->changed)
        s->next = s->model->now + 1;
    return s->next;
}

static u64 min_of(u64 a, u64 b) { return a < b ? a : b; }

/* one cycle; *next: the next in which something can happen.  False: the host has no memory */
static bool tick(Model *m, u64 *next)
{
    *next = NEVER;
    for (u32 i = 0; i < m->nsms; i++)
        *next = min_of(*next, sm_tick(&m->sm[i]));
    l2_tick(m);
    *next = min_of(*next, m->l2.busy ? m->now + 1 : m->l2.next);
    *next = min_of(*next, end_groups(m));
    flush_tick(m);
    if (!dispatch(m) || m->ops.lacks_memory)
        return false;
    if (m->starting.sm || (m->next_group < m->ngroups && !m->running))
        *next = min_of(*next, m->begin > m->now ? m->begin : m->now + 1);
    if (m->sampling.group)
        *next = min_of(*next, m->sampling.again);
    if (m->flush != FLUSH_NOT)
        *next = min_of(*next, m->l2.flushed != NEVER ? m->l2.flushed : m->now + 1);
    for (u32 i = 0; i < m->nsms; i++)
        *next = m->sm[i].changed ? m->now + 1 : *next; /* a warp began, or a group ended */
    *next = *next > m->now ? *next : m->now + 1;
    return true;
}

bool model_is_late(const Model *m)
{
    return m->deadline && nanoseconds() - m->audience->halted >= m->deadline;
}

bool model_is_stopped(const Model *m)
{
    return atomic_load_explicit(&m->sim->interrupts, memory_order_relaxed) != m->interrupts;
}

static void check_time(Model *m)
{
    const bool late = model_is_late(m), stops = model_is_stopped(m);
    for (u32 i = 0; i < m->nsms; i++)
        for (u32 k = 0; k < m->sm[i].nwarps; k++) {
            Slot *w = &m->sm[i].slot[k];
            if (w->active)
                group_answer(w->warp->group);
            if ((!late && !stops) || !w->active || w->lot->faulted || w->warp->state != WARP_READY)
                continue;
            sim_limit(w->warp, late ? FAULT_TIMEOUT : FAULT_STOPPED);
            w->lot->faulted = true;
        }
}

static void end_by_stall(Model *m)
{
    Fault waits = {.kind = FAULT_STALLED, .lane = -1};
    model_stall(m, &waits);
    end_groups(m);
    if (!m->result->faulted)
        m->result->fault = waits;
    m->result->faulted = true;
    m->result->fault.nwaits = waits.nwaits;
    memcpy(m->result->fault.wait, waits.wait, sizeof waits.wait);
}

/* one request of the host, for a group or for all */
static bool run_request(Model *m)
{
    u64 next;
    m->requested = m->now;
    m->begin = m->now + m->p.start_latency;
    m->flush = FLUSH_NOT;
    m->l2.flushed = NEVER;
    for (u32 n = 0; m->flush != FLUSH_LINES || m->l2.flushed > m->now; n++) {
        if (!(n & 1023))
            check_time(m);
        if (!tick(m, &next))
            return false;
        if (next == NEVER || (!(n & 1023) && model_is_stuck(m))) {
            end_by_stall(m);
            break;
        }
        for (u32 i = 0; i < m->nsms; i++)
            book_cycles(&m->sm[i], next - m->now);
        tell_counters(m);
        m->now = next;
    }
    m->total.cycles += m->now - m->requested + m->p.host_after - m->p.host_before;
    m->total.slots_all += (m->now - m->requested) * m->nsms * m->p.issue_units;
    forget_caches(m);
    return true;
}

/* --- launches --------------------------------------------------------------------------------- */

static void prepare_sm(Sm *s, const Launch *l)
{
    const u32 warps = s->model->p.warps;
    s->nwarps = warps < MAX_WARPS ? warps : MAX_WARPS;
    if (s->nwarps < l->warps)
        s->nwarps = l->warps; /* whoever launches has said that it fits */
    s->nlots = l->resident ? l->resident : 1;
    if (s->nlots > s->nwarps / l->warps)
        s->nlots = s->nwarps / l->warps;
    if (!s->nlots)
        s->nlots = 1;
}

static void prepare(Model *m, const Launch *l, const LaunchOptions *opt, Audience *a,
                    LaunchResult *result)
{
    m->launch = l;
    m->opt = opt;
    m->audience = a;
    m->result = result;
    m->ngroups = (u64)l->groups[0] * l->groups[1] * l->groups[2];
    m->next_group = m->running = 0;
    m->starting.sm = NULL;
    memset(m->areas, 0, sizeof m->areas);
    m->total = (TimeResult){.sms = m->nsms};
    m->clock = (Clock){m, cycles_now, cycles_now};
    m->deadline = 0;
    m->told = told_kinds(opt->cycles);
    m->counted = m->now;
    m->interrupts = atomic_load(&m->sim->interrupts);
    if (opt->timeout > 0)
        m->deadline = nanoseconds() + (u64)((opt->timeout < 1e9 ? opt->timeout : 1e9) * 1e9);
    for (u32 i = 0; i < m->nsms; i++)
        prepare_sm(&m->sm[i], l);
}

static bool no_memory(LaunchResult *r)
{
    *r = (LaunchResult){.faulted = true, .fault = {.kind = FAULT_NO_MEMORY, .lane = -1}};
    return false;
}

static bool same_machine(const Machine *a, const Machine *b)
{
    bool same = true;
    for (size_t i = 0; i < NPARAMETER; i++)
        same &= machine_value(a, &machine_parameter[i]) == machine_value(b, &machine_parameter[i]);
    return same;
}

/* The idle model if it is of the machine, or a new one; NULL: no memory. */
static Model *take_model(TimeEngine *e, const Machine *machine)
{
    pthread_mutex_lock(&e->lock);
    Model *m = e->idle;
    e->idle = NULL;
    pthread_mutex_unlock(&e->lock);
    if (m && same_machine(&m->p, machine))
        return m;
    model_close(m);
    return model_open(e, machine);
}

static void add_result(TimeResult *to, const TimeResult *r)
{
    to->sms = r->sms;
    to->cycles += r->cycles;
    to->insns += r->insns;
    to->slots_all += r->slots_all;
    for (u32 i = 0; i < NCAUSE; i++)
        to->slots.cycles[i] += r->slots.cycles[i];
    for (u32 i = 0; i < NUNIT; i++)
        to->slots.unit[i] += r->slots.unit[i];
    to->dcache_hits += r->dcache_hits;
    to->dcache_misses += r->dcache_misses;
    to->dcache_stores += r->dcache_stores;
    to->memory_reads += r->memory_reads;
    to->memory_writes += r->memory_writes;
}

static void give_model(TimeEngine *e, Model *m, bool reusable)
{
    pthread_mutex_lock(&e->lock);
    Model *old = e->idle;
    e->last = m->total;
    add_result(&e->all, &m->total);
    e->idle = reusable ? m : NULL;
    pthread_mutex_unlock(&e->lock);
    model_close(old);
    if (!reusable)
        model_close(m);
}

static bool launch(Engine *engine, const Launch *l, const LaunchOptions *opt, LaunchResult *result)
{
    TimeEngine *e = (TimeEngine *)engine;
    Audience audience = audience_of(l, opt);
    Machine machine;
    *result = (LaunchResult){0};
    if (!l->machine && !machine_builtin(NULL, &machine))
        bug("the built-in machine description is wrong");
    Model *m = take_model(e, l->machine ? l->machine : &machine);
    if (!m)
        return no_memory(result);
    prepare(m, l, opt, &audience, result);
    bool ok = sample_plan(m);
    if (ok && audience_tell(&audience, EVENT_launch_begin, NULL, NULL)) {
        const HostFloats host = enter_guest_floats();
        tell_launch(m, CYCLE_LAUNCH);
        do
            ok = run_request(m);
        while (ok && m->next_group < m->ngroups && !result->faulted);
        if (!ok)
            give_up_groups(m);
        tell_launch(m, CYCLE_LAUNCH_END);
        leave_guest_floats(&host);
    } else if (ok)
        *result = (LaunchResult){.faulted = true, .fault = {.kind = FAULT_STOPPED, .lane = -1}};
    audience_tell(&audience, EVENT_launch_end, NULL, NULL);
    finish_stats(m);
    if (ok && !result->faulted)
        sample_estimate(m);
    sample_close(m);
    give_model(e, m, ok && !result->faulted);
    return ok ? !result->faulted : no_memory(result);
}

/* --- the engine ------------------------------------------------------------------------------- */

static void close_engine(Engine *engine)
{
    TimeEngine *e = (TimeEngine *)engine;
    if (!e)
        return;
    model_close(e->idle);
    pthread_mutex_destroy(&e->lock);
    sim_exit(&e->sim);
    mem_free(e);
}

static Engine *open_engine(Memory *memory, IsaSet set)
{
    TimeEngine *e = mem_zalloc(1, sizeof *e);
    if (!e)
        return NULL;
    pthread_mutex_init(&e->lock, NULL);
    if (sim_init(&e->sim, &time_kind, sim_run_warp, memory, set))
        return &e->sim.engine;
    close_engine(&e->sim.engine);
    return NULL;
}

static void code_changed(Engine *engine, IsaSet set, u64 addr, u64 size)
{
    TimeEngine *e = (TimeEngine *)engine;
    sim_code_changed(engine, set, addr, size);
    if (e->idle)
        ops_forget(&e->idle->ops);
}

static bool get_result(TimeEngine *e, const TimeResult *from, TimeResult *r)
{
    pthread_mutex_lock(&e->lock);
    *r = *from;
    pthread_mutex_unlock(&e->lock);
    return true;
}

bool time_result(const Engine *engine, TimeResult *r)
{
    TimeEngine *e = (TimeEngine *)engine;
    return engine->kind == &time_kind && get_result(e, &e->last, r);
}

bool time_total(const Engine *engine, TimeResult *r)
{
    TimeEngine *e = (TimeEngine *)engine;
    return engine->kind == &time_kind && get_result(e, &e->all, r);
}

const EngineKind time_kind = {
    .name = "timing",
    .what = "interpreter with a model of the cycles that hardware takes",
    .sms = MAX_SMS,
    .open = open_engine,
    .close = close_engine,
    .code_changed = code_changed,
    .launch = launch,
    .step = sim_step,
    .interrupt = sim_interrupt,
};
