/* sim.c -- the interpreter as an engine: its life, a warp that runs, a limit that ends it. */
#include "sim/sim.h"
#include "base/mem.h"
#include "sim/handlers.h"
#include <string.h>

/* --- code that has left ----------------------------------------------------------- */

/* Takes one out of the list. */
static Former take_former(Sim *s, u32 i)
{
    const Former f = s->former[i];
    memmove(&s->former[i], &s->former[i + 1], (--s->nformer - i) * sizeof f);
    return f;
}

static void drop_former(Sim *s, u32 i)
{
    const Former f = take_former(s, i);
    if (f.made)
        s->drop_made(&s->engine, f.made);
    code_kept_free(f.code);
}

static u32 find_former(const Sim *s, u64 number)
{
    u32 i = 0;
    while (i < s->nformer && s->former[i].number != number)
        i++;
    return i;
}

void sim_keep(Sim *s, u64 number, void *made)
{
    CodeKept *code = code_keep(s->code);
    u32 pages = code ? code_kept_pages(code) : 0;
    if (!code || pages > MOST_FORMER_PAGES) {
        if (made)
            s->drop_made(&s->engine, made);
        code_kept_free(code);
        return;
    }
    for (u32 i = 0; i < s->nformer; i++)
        pages += code_kept_pages(s->former[i].code);
    while (s->nformer == MOST_FORMER || pages > MOST_FORMER_PAGES) {
        pages -= code_kept_pages(s->former[0].code);
        drop_former(s, 0);
    }
    s->former[s->nformer++] = (Former){number, code, made};
}

void *sim_put_back(Sim *s, u64 number)
{
    const u32 i = find_former(s, number);
    if (i == s->nformer)
        return NULL;
    const Former f = take_former(s, i);
    code_put_back(s->code, f.code);
    return f.made;
}

void sim_drop_former(Sim *s)
{
    while (s->nformer)
        drop_former(s, 0);
}

void sim_code_left(Engine *e, u64 number) { sim_keep((Sim *)e, number, NULL); }

void sim_code_back(Engine *e, u64 number) { sim_put_back((Sim *)e, number); }

void sim_code_gone(Engine *e, u64 number)
{
    Sim *s = (Sim *)e;
    const u32 i = find_former(s, number);
    if (i < s->nformer)
        drop_former(s, i);
}

/* --- life ------------------------------------------------------------------------- */

bool sim_init(Sim *s, const EngineKind *kind, WarpRunner *run, Memory *memory, IsaSet set)
{
    s->engine.kind = kind;
    s->memory = memory;
    s->run = run;
    s->processors = host_processors();
    pool_open(&s->pool, s->processors);
    contexts_open(&s->contexts);
    s->code = code_new(set, memory, lane_level());
    return s->code != NULL;
}

void sim_exit(Sim *s)
{
    sim_drop_former(s);
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
    .code_left = sim_code_left,
    .code_back = sim_code_back,
    .code_gone = sim_code_gone,
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
    const Uop *u = slice < SIM_SHORT_SLICE ? NULL : go(w, w->pc), *at = NULL;
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

void sim_answer_last(const Group *g)
{
    const RollCall *roll = g->launch->roll;
    if (roll)
        roll->answer(roll->self, g, true);
}

bool sim_pass_barrier(Group *g)
{
    const u64 most = g->launch->max_insns;
    if (!group_pass_barrier(g))
        return false;
    for (u32 k = 0; most && k < g->nwarps && !g->faulted; k++)
        if (g->warps[k].state == WARP_READY && g->warps[k].ninsns >= most)
            sim_limit(&g->warps[k], FAULT_ENDLESS);
    return true;
}

void sim_limit(Warp *w, FaultKind kind)
{
    Group *g = w->group;
    const u32 waiting = group_count_warps(g, WARP_WAITING);
    const Uop *u = go(w, w->pc);
    if (!u)
        return;
    sim_answer_last(g);
    fail(w, u, waiting && kind != FAULT_STOPPED && kind != FAULT_STALLED ? FAULT_DEADLOCK : kind,
         -1);
    g->fault.waiting = waiting;
    g->fault.spinning = group_count_warps(g, WARP_READY);
}
