/* hostrig.h -- host code of guest code in the memory of launchrig.h, run by a warp of a group made
 * here, with calls of the engine that are counted. */
#ifndef KIT_HOSTRIG_H
#define KIT_HOSTRIG_H
#include "sim/handlers.h" /* before cmocka.h, which has a macro fail() */
#include "jit/calls.h"
#include "jit/jit.h"
#include "jit/maker.h"
#include "test/kit/launchrig.h"
#include "test/kit/skip.h"

/* Which functions of HostEnv code has called, how often; the instructions that it left to their
 * handlers, by (pc - CODE_LO) / 4. */
typedef struct {
    u32 one, scalar, vector, remember, deepen;
    bool left[TEXT_BYTES / 4];
} HostCalls;

static struct {
    HostEnv real;
    HostCalls calls;
    Maker *maker;
    Region *region;
    const Uop **uop;
    Loaded code;
    Group *group;
} host;

static inline bool host_one(Warp *w, const Uop *u, u32 mask)
{
    host.calls.one++;
    host.calls.left[(u->pc - CODE_LO) / 4] = true;
    return host.real.one(w, u, mask);
}

static inline u64 host_scalar(Warp *w, const Uop *u, u32 mask, u32 addr, u32 value)
{
    host.calls.scalar++;
    return host.real.scalar(w, u, mask, addr, value);
}

static inline u64 host_vector(Warp *w, const Uop *u, u32 mask, u32 none, u32 none2)
{
    host.calls.vector++;
    return host.real.vector(w, u, mask, none, none2);
}

static inline u64 host_remember(Warp *w, const Uop *u, u32 mask, u32 addr, u32 none)
{
    host.calls.remember++;
    return host.real.remember(w, u, mask, addr, none);
}

static inline bool host_deepen(Warp *w, const Uop *u, u32 mask)
{
    host.calls.deepen++;
    return host.real.deepen(w, u, mask);
}

/* Begins a test on a level of the host's vector instructions, for guests of the set.  False: this
 * host has not that level. */
static inline bool host_open(const char *level, IsaSet set)
{
    const char *why;
    if (!jit_available(&why))
        skip_because("%s", why);
    setenv("VENTUS_LANES", level, 1);
    if (strcmp(lane_level()->name, level)) {
        unsetenv("VENTUS_LANES");
        return false;
    }
    rig_open(set);
    unsetenv("VENTUS_LANES");
    host.maker = maker_open(level);
    assert_non_null(host.maker);
    return true;
}

static inline void host_forget(void)
{
    code_unload(&host.code);
    region_free(host.region);
    mem_free((void *)host.uop);
    host.region = NULL;
    host.uop = NULL;
    if (host.group)
        sim_give_group(rig.sim, host.group);
    host.group = NULL;
}

static inline void host_close(void)
{
    host_forget();
    maker_close(host.maker);
    host.maker = NULL;
    rig_close();
}

/* Makes code of the launch (rig.launch) from its pc on, for such warps, and begins its group 0. */
static inline void host_make(WarpShape shape, CodeKind kind, bool flags)
{
    MakerCost cost;
    u32 n = 0;
    host_forget();
    const Launch *l = &rig.launch;
    host.region = region_new(rig.sim->code, l->pc, shape, 0, l->lanes, l->vm, flags);
    assert_non_null(host.region);
    MakerOrder order = maker_order(host.maker, host.region, rig.sim->code, kind);
    assert_true(maker_make(host.maker, &order, &host.code, &cost));
    maker_forget(&order);
    for (u32 i = 0; i < host.region->nblock; i++)
        n += host.region->block[i].nuop;
    host.uop = mem_zalloc(n, sizeof *host.uop);
    assert_non_null(host.uop);
    for (u32 i = 0, at = 0; i < host.region->nblock; i++)
        for (u32 k = 0; k < host.region->block[i].nuop; k++)
            host.uop[at++] = host.region->block[i].uop[k];
    host.group = sim_take_group(rig.sim, l);
    assert_non_null(host.group);
    group_begin(host.group, 0);
}

/* What code of host.group is given. */
static inline HostEnv host_env(void)
{
    const Group *g = host.group;
    calls_set(&host.real);
    return (HostEnv){.base = rig.memory.base,
                     .page = rig.memory.page,
                     .lds_base = g->lds.base,
                     .lds_page = g->lds.page,
                     .depth = rig.launch.simt_depth,
                     .uop = host.uop,
                     .helper = maker_helpers(host.maker),
                     .one = host_one,
                     .scalar = host_scalar,
                     .vector = host_vector,
                     .remember = host_remember,
                     .deepen = host_deepen};
}

/* Runs the code from an entry on with the lanes of `mask`, by an environment that may be changed
 * before; calls are counted from 0.  What the code returned. */
static inline u32 host_run_by(HostEnv *env, Warp *w, u32 mask, u32 entry, u64 limit)
{
    const HostFloats floats = enter_guest_floats();
    memset(&host.calls, 0, sizeof host.calls);
    w->mask = mask;
    warp_set_exec(w);
    const u32 back = ((HostCode *)host.code.entry)(w, env, limit, entry);
    leave_guest_floats(&floats);
    if (w->exec != w->mask)
        warp_set_exec(w);
    return back;
}

static inline u32 host_run(Warp *w, u32 mask)
{
    HostEnv env = host_env();
    return host_run_by(&env, w, mask, 0, UINT64_MAX);
}

/* A test for each level of the host, and which it is for: 0 to 2. */
#define TESTS_BY_LEVEL(test) \
    {"by_base", test, NULL, NULL, NULL}, {"by_avx2", test, NULL, NULL, (void *)(uintptr_t)1}, \
        {"by_avx512", test, NULL, NULL, (void *)(uintptr_t)2}
static inline u32 level_of(void **state) { return (u32)(uintptr_t)*state; }
#endif
