/* jit.c -- the engines: their life, what becomes of code that changes, and launches.  Warps run in turn.c, groups in
 * groups.c.
 */
#include "jit/jit.h"
#include "base/mem.h"
#include "jit/turn.h"

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
    const bool ok = sim_init(&j->sim, kind, turn_run_warp, memory, set);
    j->sim.begin = kind == &shadow_kind ? NULL : groups_begin;
    j->sim.groups = kind == &shadow_kind ? NULL : groups_run;
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

/* --- launches --------------------------------------------------------------------------------- */

static bool can_compile(const Jit *j, const Launch *l)
{
    return !atomic_load_explicit(&j->entries.broken, memory_order_relaxed) &&
           !l->watched && !l->mmu && !l->strict && !l->check_copies &&
           l->knl >= MAX_LANES; /* regions take that for granted (region.c, Facts) */
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
    entries_prepare(&j->entries, own.pc, turn_callee(&own), &own);
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
