/* jit.c -- the engines: how a warp enters and leaves compiled code, and what that code calls.
 *
 * Which code is compiled, and when, is decided in entries.c.  A warp that comes back from a barrier
 * goes on in the region that it was in, which knows things about its registers.
 *
 * The interpreter runs the rest of a launch: warps with another rounding mode or vector length, or
 * with something on the divergence stack; the last instructions before a limit; whatever no region
 * has.
 */
#include "jit/jit.h"
#include "base/mem.h"
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

/* --- what compiled code calls -------------------------------------------------------------- */

static void set_lanes(Warp *w, u32 mask)
{
    w->mask = mask;
    if (w->exec != mask)
        warp_set_exec(w);
}

static bool run_one(Warp *w, const Uop *u, u32 mask)
{
    set_lanes(w, mask);
    w->handled += uop_insns(u);
    return u->run(w, u) != NULL;
}

static u32 extend(Op op, u32 v)
{
    return op == OP_b ? (u32)(i32)(i8)v : op == OP_h ? (u32)(i32)(i16)v : v;
}

static u32 width_of(Op op)
{
    return op == OP_b || op == OP_bu ? 1 : op == OP_h || op == OP_hu ? 2 : 4;
}

static u64 run_scalar(Warp *w, const Uop *u, u32 mask, u32 addr, u32 value)
{
    const Op op = (Op)isa_insn[u->id].op;
    set_lanes(w, mask);
    if (isa_insn[u->id].effect == E_STORE)
        return (u64)access_store(w, u, addr, width_of(op), -1, value) << 32;
    if (!access_load(w, u, addr, width_of(op), -1, &value))
        return 0;
    return (u64)1 << 32 | extend(op, value);
}

/* Pages around page p, of lo..end, that have the same flags. */
static PlainRange range_around(const Memory *m, u64 p, u64 lo, u64 end)
{
    u64 first = p, past = p + 1, many, some;
    memset(&many, m->page[p], sizeof many);
    while (first >= lo + 8 && (memcpy(&some, m->page + first - 8, 8), some == many))
        first -= 8;
    while (first > lo && m->page[first - 1] == m->page[p])
        first--;
    while (past + 8 <= end && (memcpy(&some, m->page + past, 8), some == many))
        past += 8;
    while (past < end && m->page[past] == m->page[p])
        past++;
    const u64 size = (past - first) << PAGE_BITS;
    return (PlainRange){(u32)(first << PAGE_BITS),
                        (u32)(size < UINT32_MAX ? size : UINT32_MAX - 3) - 3};
}

/* Remembers the memory around an address for the next time (Group.plain).  Rights of pages that are
 * tracked, or may have decoded instructions, change while a launch runs; of local memory those that
 * a store has noted stay until the group ends. */
static void remember(Group *g, const Uop *u, u32 addr, bool stores)
{
    enum {
        AGAIN = 256
    }; /* pages to look at where something else was remembered: it may change often */
    const bool local = addr - LDS_LO < LDS_END - LDS_LO;
    const Memory *m = local ? &g->lds : g->launch->memory;
    PlainRange *r =
        local ? &g->plain_lds[stores] : &g->plain[stores][u->pc >> 2 & (PLAIN_SITES - 1)];
    const u64 p = addr >> PAGE_BITS, first = m->lo >> PAGE_BITS, past = m->end >> PAGE_BITS;
    const u8 fixed = MEM_TRACKED | MEM_CODE | MEM_X;
    if (addr >= m->end || addr - r->lo < r->room || !(m->page[p] & (stores ? MEM_W : MEM_R)) ||
        (stores && !local && m->page[p] & fixed))
        return;
    *r = range_around(m, p, r->room && p > first + AGAIN ? p - AGAIN : first,
                      r->room && p + AGAIN < past ? p + AGAIN : past);
}

/* The host address of what lies in a page with the right to it; NULL: it is special. */
static u8 *find_plain(const Group *g, u32 addr, u32 width, bool stores)
{
    const Memory *m = addr - LDS_LO < LDS_END - LDS_LO ? &g->lds : g->launch->memory;
    const bool torn = (addr & (PAGE_SIZE - 1)) + width > PAGE_SIZE;
    return !torn && addr < m->end && m->page[addr >> PAGE_BITS] & (stores ? MEM_W : MEM_R)
               ? m->base + addr
               : NULL;
}

static u64 run_vector(Warp *w, const Uop *u, u32 mask, u32 none, u32 none2)
{
    const Effect effect = (Effect)isa_insn[u->id].effect;
    const bool indexed = effect == E_VLOAD_INDEX || effect == E_VSTORE_INDEX;
    const bool stores = isa_effect[effect].access == ACCESS_STORE;
    const Op op = indexed ? OP_w : (Op)isa_insn[u->id].op;
    const u32 width = width_of(op);
    Group *g = w->group;
    (void)none, (void)none2;
    set_lanes(w, mask);
    for (u32 left = mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        u8 *host = stores && g->reservations ? NULL : find_plain(g, w->addr[i], width, stores);
        u32 value = stores ? w->v[u->rb][i] : 0;
        if (host && stores)
            memcpy(host, &value, width);
        else if (host)
            memcpy(&value, host, width);
        else if (!(stores ? access_store(w, u, w->addr[i], width, i, value)
                          : access_load(w, u, w->addr[i], width, i, &value)))
            return 0;
        if (!stores)
            w->v[u->rd][i] = extend(op, value);
    }
    if (mask)
        remember(g, u, w->addr[__builtin_ctz(mask)], stores);
    return (u64)1 << 32;
}

static bool deepen(Warp *w)
{
    size_t cap = w->capsimt;
    if (w->nsimt + 2 > w->group->launch->simt_depth || !array_grow(w->simt, w->nsimt + 1, cap))
        return false;
    w->capsimt = (u32)cap;
    return true;
}

/* --- a warp --------------------------------------------------------------------------------- */

static bool can_compile(const Jit *j, const Launch *l)
{
    return HOST_FLOATS && !atomic_load_explicit(&j->entries.broken, memory_order_relaxed) &&
           !l->watched && !(l->set & V2025) && !l->mmu && !l->strict && !l->check_copies;
}

/* Where compiled code may be entered at its start. */
static bool can_enter(const Warp *w)
{
    return !w->nsimt && w->frm == FP_RNE && w->vl == w->group->launch->lanes;
}

/* The kernel that the start code will call, as far as it can be seen. */
static u32 callee_of(const Warp *w)
{
    const Launch *l = w->group->launch;
    u32 entry;
    if (w->pc != l->pc || !memory_has(l->memory, l->knl, 4, MEM_R))
        return 0;
    memcpy(&entry, l->memory->base + l->knl, 4);
    return entry - CODE_LO < CODE_END - CODE_LO && !(entry & 3) ? entry : 0;
}

/* Interprets at least one Uop, then until a jump of a warp that may enter compiled code (`jumps`),
 * or for *slice Uops.  False: the warp stopped. */
static bool interpret(Warp *w, u64 *slice, bool jumps)
{
    const Uop *u = go(w, w->pc);
    bool found = false;
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

static HostEnv env_of(const Jit *j, const Group *g, const Entry *e)
{
    const Launch *l = g->launch;
    return (HostEnv){.base = l->memory->base,
                     .page = l->memory->page,
                     .lds_base = g->lds.base,
                     .lds_page = g->lds.page,
                     .depth = l->simt_depth,
                     .uop = e->uop,
                     .helper = maker_helpers(j->entries.maker),
                     .one = run_one,
                     .scalar = run_scalar,
                     .vector = run_vector,
                     .deepen = deepen};
}

/* Runs compiled code from that entry of the region. */
static inline Outcome run_code(const HostEnv *env, Warp *w, const Entry *e, u32 entry,
                               HostCode *code, u64 limit)
{
    Group *g = w->group;
    const u64 before = w->ninsns;
    w->handled = w->reentry = 0;
    const u32 back = code(w, env, limit, entry);
    g->compiled += w->ninsns - before - w->handled;
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
    if (w->state == WARP_READY && !g->faulted)
        warp_fault(w, FAULT_UNSUPPORTED, w->pc, -1); /* a bug of ours: nothing has stopped it */
    return STOPPED;
}

/* The code that the warp may enter now, and where; NULL: none. */
static HostCode *find_code(Jit *j, Warp *w, Entry **e, u32 *entry)
{
    *entry = w->reentry;
    *e = w->host;
    if (w->reentry) {
        const u32 block = w->reentry - 1;
        const bool begins = !block && !(*e)->fresh; /* where the region begins */
        if (begins)
            *entry = 0;
        if (*e == w->group->start && (*e)->region->block[block].is_reentry)
            return (HostCode *)(*e)->code[CODE_PLAIN].entry;
        return entries_code(&j->entries, *e, !begins && !(*e)->region->block[block].is_reentry);
    }
    if (w->is_fresh && !w->ninsns && w->dense && w->group->start) {
        w->host = *e = w->group->start;
        return (HostCode *)(*e)->code[CODE_PLAIN].entry;
    }
    if (w->ninsns && w->ninsns <= LONG && !j->entries.waits)
        return NULL; /* what it interprets counts as heat of the entry where it began */
    *e = can_enter(w) ? entries_find(&j->entries, w->pc, callee_of(w), w->dense, w->is_fresh,
                                     w->group->launch)
                      : NULL;
    if (!*e)
        return NULL;
    w->host = *e;
    HostCode *code = entries_code(&j->entries, *e, false);
    if (w->is_fresh && w->dense &&
        atomic_load_explicit(&(*e)->state[CODE_PLAIN], memory_order_acquire) == READY)
        w->group->start = *e; /* it cannot become better */
    return code;
}

static void run_turn(Jit *j, Warp *w, u64 slice)
{
    const u64 most = w->group->launch->max_insns;
    const u64 limit = w->ninsns + slice * STRETCH;
    for (;;) {
        Entry *e = NULL;
        u32 entry;
        HostCode *code = find_code(j, w, &e, &entry);
        /* near the limit of instructions the interpreter counts exactly */
        const bool near = code && most && w->ninsns + e->region->insns >= most;
        if (code && !near) {
            const u64 end =
                most && most - e->region->insns < limit ? most - e->region->insns : limit;
            const HostEnv env = env_of(j, w->group, e);
            const u64 before = w->ninsns;
            const Outcome outcome = run_code(&env, w, e, entry, code, end);
            if (atomic_load_explicit(&e->state[CODE_PLAIN], memory_order_relaxed) != READY)
                atomic_fetch_add_explicit(&e->ran, w->ninsns - before, memory_order_relaxed);
            if (outcome == STOPPED || w->ninsns >= limit)
                return;
            if (outcome == CAME_LATE) /* the limit of the launch is near, the turn is not over */
                continue;
        }
        w->reentry = 0;  /* the interpreter goes on from the pc */
        if (w->is_fresh) /* it was in the region of e, or has not begun */
            warp_settle(w, w->ninsns ? e->region->written.x : 0,
                        w->ninsns ? e->region->written.v : NULL);
        const u64 before = w->ninsns;
        const bool goes_on = interpret(w, &slice, !near && (j->entries.waits || w->ninsns > LONG));
        if (e && !entry)
            atomic_fetch_add_explicit(&e->heat, w->ninsns - before, memory_order_relaxed);
        if (!goes_on || !slice)
            return;
    }
}

/* Warps that begin, where the code is known that all of them enter. */
static void begin_group(Group *g, u64 slice)
{
    const Jit *j = (const Jit *)g->engine;
    const Entry *e = g->start;
    if (!e || !g->launch->keeps_registers ||
        atomic_load_explicit(&j->entries.flags, memory_order_relaxed) != FLAGS_UNREAD)
        return;
    const HostEnv env = env_of(j, g, e);
    HostCode *code = (HostCode *)e->code[CODE_PLAIN].entry;
    for (u32 k = 0; k < g->nwarps && !g->faulted; k++) {
        Warp *w = &g->warps[k];
        if (w->state != WARP_READY || !w->dense)
            continue;
        w->host = (void *)e;
        run_code(&env, w, e, 0, code, slice * STRETCH);
    }
}

static void compare_turn(Jit *j, Warp *w)
{
    static const RegSet all = {~(u64)0, {~(u64)0, ~(u64)0, ~(u64)0, ~(u64)0}};
    const Entry *e = w->host;
    shadow_after(j->shadow, w, w->reentry ? &e->region->block[w->reentry - 1].in : &all,
                 atomic_load(&j->entries.flags) == FLAGS_READ);
}

static void run_warp(Warp *w, u64 slice)
{
    Jit *j = (Jit *)w->group->engine;
    const Launch *l = w->group->launch;
    if (!l->keeps_registers && !(j->shadow && can_compile(j, l))) { /* it cannot be compiled */
        sim_run_warp(w, slice);
        return;
    }
    if (j->shadow)
        slice = shadow_before(j->shadow, w, slice);
    run_turn(j, w, slice);
    if (j->shadow)
        compare_turn(j, w);
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
    entries_close(&j->entries);
    shadow_close(j->shadow);
    sim_exit(&j->sim);
    mem_free(j);
}

static Engine *open_engine(const EngineKind *kind, bool waits, Memory *memory, IsaSet set)
{
    Jit *j = mem_zalloc(1, sizeof *j);
    if (!j)
        return NULL;
    const bool ok = sim_init(&j->sim, kind, run_warp, memory, set);
    j->sim.begin = kind == &shadow_kind ? NULL : begin_group;
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

static bool refuse(LaunchResult *result, FaultKind kind)
{
    *result = (LaunchResult){.faulted = true, .fault = {.kind = kind, .lane = -1}};
    return false;
}

static bool launch_with_shadow(Jit *j, const Launch *l, const LaunchOptions *opt,
                               LaunchResult *result)
{
    LaunchOptions one = *opt;
    u64 addr;
    one.threads = 1;
    if (!shadow_begin(j->shadow, l))
        return refuse(result, FAULT_NO_MEMORY);
    bool ok = sim_launch(&j->sim.engine, l, &one, result);
    atomic_fetch_add(&j->insns, result->insns);
    atomic_fetch_add(&j->compiled, result->compiled);
    if (!shadow_end(j->shadow, !ok, &addr)) {
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
    own.keeps_registers = can_compile(j, &own) && !j->shadow;
    if (j->shadow && can_compile(j, &own))
        return launch_with_shadow(j, &own, opt, result);
    const bool ok = sim_launch(engine, &own, opt, result);
    if (own.keeps_registers) {
        atomic_fetch_add(&j->insns, result->insns);
        atomic_fetch_add(&j->compiled, result->compiled);
    }
    return ok;
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
    .launch = launch,
    .step = sim_step,
    .interrupt = sim_interrupt,
};
