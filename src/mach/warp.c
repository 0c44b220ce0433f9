/* warp.c -- masks of active lanes, vector length, and the fault that a warp ends with. */
#include "mach/warp.h"
#include <string.h>

void group_answer(Group *g)
{
    RollCall *roll = g->launch->roll;
    const u32 asked = roll ? atomic_load_explicit(&roll->asked, memory_order_relaxed) : g->answered;
    if (asked == g->answered)
        return;
    g->answered = asked;
    roll->answer(roll->self, g, false);
}

/* Warp.on of four lanes, by their bits. */
static const u32 on_of_four[16][4] = {
    {0, 0, 0, 0},     {~0u, 0, 0, 0},     {0, ~0u, 0, 0},     {~0u, ~0u, 0, 0},
    {0, 0, ~0u, 0},   {~0u, 0, ~0u, 0},   {0, ~0u, ~0u, 0},   {~0u, ~0u, ~0u, 0},
    {0, 0, 0, ~0u},   {~0u, 0, 0, ~0u},   {0, ~0u, 0, ~0u},   {~0u, ~0u, 0, ~0u},
    {0, 0, ~0u, ~0u}, {~0u, 0, ~0u, ~0u}, {0, ~0u, ~0u, ~0u}, {~0u, ~0u, ~0u, ~0u},
};

void warp_set_exec(Warp *w)
{
    const u32 exec = w->vl >= MAX_LANES ? w->mask : w->mask & ((1u << w->vl) - 1);
    for (u32 i = 0; exec != w->exec && i < MAX_LANES; i += 4)
        memcpy(&w->on[i], on_of_four[exec >> i & 15], sizeof on_of_four[0]);
    w->exec = exec;
    w->dense = w->exec == w->full;
    w->whole = w->exec == UINT32_MAX;
}

void group_note_accesses(Group *g, Notes notes)
{
    g->notes = (u8)notes;
    g->careful = launch_is_careful(g->launch);
}

/* The work-item of a lane. */
static FaultItem item_of(const Warp *w, u32 lane)
{
    const Launch *l = w->group->launch;
    return launch_item(l, w->group->linear, w->id * l->lanes + lane);
}

void warp_locate(const Warp *w, u32 pc, int lane, Fault *f)
{
    const Group *g = w->group;
    const u32 *n = g->launch->local, lanes = lane < 0 ? w->exec & w->initial : 1u << lane;
    *f = (Fault){
        .pc = pc,
        .lane = lane,
        .warp = w->id,
        .mask = w->exec,
        .group_linear = g->linear,
        .nitems = n[0] && n[1] && n[2] ? (u32)__builtin_popcount(lanes) : 0,
    };
    launch_group_id(g->launch, g->linear, f->group);
    if (!f->nitems)
        return;
    f->first = item_of(w, (u32)__builtin_ctz(lanes));
    f->last = item_of(w, 31 - (u32)__builtin_clz(lanes));
}

void warp_fault(Warp *w, FaultKind kind, u32 pc, int lane)
{
    Group *g = w->group;
    if (g->faulted)
        return;
    warp_locate(w, pc, lane, &g->fault);
    g->faulted = true;
    g->fault.kind = kind;
}

void warp_fault_at(Warp *w, FaultKind kind, u32 pc, int lane, u64 addr, u32 width)
{
    if (w->group->faulted)
        return;
    warp_fault(w, kind, pc, lane);
    w->group->fault.has_addr = true;
    w->group->fault.addr = addr;
    w->group->fault.width = width;
}

u32 warp_vlmax(const Warp *w) { return w->group->launch->lanes; }

enum { VSEW = 7 << 3, VLMUL = 7, E32 = 2 << 3, M1 = 0, M2 = 1, AGNOSTIC = 3 << 6 };

/* v2025 also takes m2, whose elements are lanes all the same */
bool warp_set_vl(Warp *w, u64 avl, u32 vtype)
{
    const u32 lmul = vtype & VLMUL, most = w->group->launch->set & V2025 ? M2 : M1;
    if ((vtype & VSEW) != E32 || lmul > most || vtype & ~(u32)(VSEW | VLMUL | AGNOSTIC))
        return false;
    w->vtype = vtype;
    w->vl = (u32)(avl < warp_vlmax(w) ? avl : warp_vlmax(w));
    warp_set_exec(w);
    return true;
}
