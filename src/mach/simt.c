/* simt.c -- the divergence stack (doc/isa.md, "Divergence").
 *
 * A divergent branch pushes two entries with the same reconvergence pc: one that
 * restores the full mask and returns to the join itself, one that starts the side
 * that waits.  The side with fewer lanes runs first; on a tie the taken one.
 */
#include "base/mem.h"
#include "mach/warp.h"

static FaultKind push(Warp *w, SimtEntry e)
{
    size_t cap = w->capsimt;
    if (w->nsimt >= w->group->launch->simt_depth)
        return FAULT_SIMT_OVERFLOW;
    if (!array_grow(w->simt, w->nsimt, cap))
        return FAULT_NO_MEMORY;
    w->capsimt = (u32)cap;
    w->simt[w->nsimt++] = e;
    return FAULT_NONE;
}

u32 simt_split(Warp *w, u32 taken, u32 target, u32 next, FaultKind *fault)
{
    const u32 rest = w->mask & ~taken, rpc = w->rpc;
    *fault = FAULT_NONE;
    if (!taken)
        return next;
    if (!rest)
        return target;
    const bool next_first = __builtin_popcount(rest) < __builtin_popcount(taken);
    const SimtEntry waits =
        next_first ? (SimtEntry){rpc, target, taken} : (SimtEntry){rpc, next, rest};
    *fault = push(w, (SimtEntry){rpc, rpc, w->mask});
    if (*fault == FAULT_NONE)
        *fault = push(w, waits);
    w->mask = next_first ? rest : taken;
    warp_set_exec(w);
    return next_first ? next : target;
}

u32 simt_join(Warp *w, u32 pc)
{
    if (!w->nsimt || w->simt[w->nsimt - 1].rpc != pc)
        return pc + 4;
    const SimtEntry e = w->simt[--w->nsimt];
    w->mask = e.mask;
    warp_set_exec(w);
    return e.pc;
}
