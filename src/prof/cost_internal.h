/* cost_internal.h -- what is counted for a kernel, and by whom it is written. */
#ifndef PROF_COST_INTERNAL_H
#define PROF_COST_INTERNAL_H
#include "base/mem.h"
#include "mach/memory.h"
#include "prof/cost.h"

typedef struct {
    u32 pc;
    u64 word;   /* 0: it was never issued */
    u32 line;   /* of KernelCost.line */
    bool added; /* to those of its kernel, when the launch has ended */
    TimeSlots slots;
} InsnCost;

/* Strings belong to the KernelCost. */
typedef struct {
    char *file, *function; /* NULL: unknown; of the first, so is the line */
    u32 number;
    char *text; /* NULL: unknown */
    TimeSlots slots;
} LineCost;

typedef struct {
    u32 launch; /* of the kernel, from 0 */
    u64 group;
    u32 warp; /* of the group */
    TimeSlots slots;
} WarpCost;

/* Launches of a kernel with the same code. */
typedef struct {
    char *name;
    IsaSet set;
    u32 launches;
    u64 cycles;            /* 0: the engine does not count them */
    TimeSlots all;         /* of all SMs */
    TimeSlots no_warp;     /* those of them that belong to no warp */
    TimeSlots other_warps; /* of warps that are not in the list */
    u64 nothers;
    InsnCost *insn;
    size_t ninsns, capinsns;
    LineCost *line;
    size_t nlines, caplines;
    WarpCost *warp;
    size_t nwarps, capwarps;
    TimeSlots *sm;
    size_t nsms, capsms;
} KernelCost;

struct Costs {
    KernelCost *kernel;
    size_t nkernels, capkernels;
    KernelCost now; /* of the launch that runs, or ended last; without names and lines */
    u32 *index[(CODE_END - CODE_LO) /
               PAGE_SIZE]; /* of now.insn, plus 1, by word of the page; or NULL */
    WarpCost *place;       /* of now: the warp in each slot of each SM; launch 0: none */
    size_t nplaces, capplaces;
    bool failed; /* out of memory */
};

static inline void slots_add(TimeSlots *to, const TimeSlots *more)
{
    for (u32 i = 0; i < NCAUSE; i++)
        to->cycles[i] += more->cycles[i];
    for (u32 i = 0; i < NUNIT; i++)
        to->unit[i] += more->unit[i];
}

static inline u64 slots_sum(const TimeSlots *s)
{
    u64 sum = 0;
    for (u32 i = 0; i < NCAUSE; i++)
        sum += s->cycles[i];
    return sum;
}
#endif
