/* hostcode.h -- how an engine and the host code of a region see each other. */
#ifndef JIT_HOSTCODE_H
#define JIT_HOSTCODE_H
#include "jit/helperkind.h"
#include "jit/load.h"
#include "jit/region.h"

/* The kinds of code of a region.  QUICK: registers stay in the warp between blocks, scalars are stored by handlers,
 * accesses of lanes are made by helpers, and LLVM does as little as it can; every header of a cycle is an entry.
 * The others are optimised: HEADERS with such entries, which cost a little, PLAIN without. */
typedef enum { CODE_QUICK, CODE_PLAIN, CODE_HEADERS, NCODES } CodeKind;

/* What compiled code reaches of the engine and of memory; one a thread that runs it. */
typedef struct {
    u8 *base, *page;        /* of device memory (mach/memory.h) */
    u8 *lds_base, *lds_page; /* of the group's window */
    u32 depth;              /* most entries of the divergence stack */
    const Uop *const *uop;  /* of the region: RegionBlock.uop of all blocks, one after the other */
    HostFunction *const *helper;    /* by number; those that the code names are there */
    /* Executes one instruction with lanes `mask` on; registers it needs are in the warp.  False: it
     * faulted. */
    bool (*one)(Warp *w, const Uop *u, u32 mask);
    /* The same for a scalar access at addr: what is loaded, or 0, with bit 32 set; 0: it
     * faulted. */
    u64 (*scalar)(Warp *w, const Uop *u, u32 mask, u32 addr, u32 value);
    /* The same for a vector access at Warp.addr: with bit 32 set; 0: it faulted. */
    u64 (*vector)(Warp *w, const Uop *u, u32 mask, u32 none, u32 none2);
    /* Remembers plain memory around addr for vector accesses of the instruction (Group.plain). */
    u64 (*remember)(Warp *w, const Uop *u, u32 mask, u32 addr, u32 none);
    /* Makes room for the two entries on the divergence stack that branch u pushes; false: the stack may not grow, or,
     * which is a fault, the host has no memory. */
    bool (*deepen)(Warp *w, const Uop *u, u32 mask);
    /* Of a region that repeats (below). */
    const u32 *constant;    /* launch constants by number (constant.h) */
    Guard guard;            /* where stores may change them */
    Warp *first, *last;     /* the warps of a group that it runs */
    u64 end;                /* and groups before this one, one after the other */
    u32 pds_step;           /* from the private memory of one to that of the next */
    u64 most;               /* but begins none when it has retired so many instructions */
    u64 insns;              /* retired by warps that have ended */
    Warp *warp;             /* that it began last */
    /* Of such whose warps meet at barriers: */
    bool is_over;           /* all those warps of the current group have ended, or wait; false before */
    bool passes;            /* whether they go on when all have stopped; else those that wait do so */
    u32 waiting;            /* warps that have come to a barrier since the last one was passed; 0 before */
    u32 round;              /* barriers that the group has passed; 0 before */
} HostEnv;

/* Runs warp w, which is ready, from an entry of the region until it ends, faults, waits at a
 * barrier or must be left to the interpreter, or has retired `limit` instructions in all and comes
 * to the start of a cycle, or goes on behind a barrier within the call.  Entry 0 is the region's
 * start, 1 + i its block i where that can be entered.  Returns ~0: the warp stopped (state or fault
 * tell why), and at a barrier w->pc is set, and w->reentry to the entry for it, or 0 if there is
 * none; else it goes on at w->pc, which the block of the number returned begins with, or which is
 * anywhere (ANYWHERE).  Registers that cannot be read any more are not written back.
 *
 * Code of a region that repeats (Region.repeats) goes on with the next warp of the group, which is at
 * its start, when one has ended, and after the last one with the first of the next group, whose
 * number it writes into the Group.  It returns when the group has changed what the next one would
 * find (Group.stale, pages to clean), or when what the HostEnv allows has been done: then
 * HostEnv.warp has ended, and all before it have, whose state is not set.  Else it returns because
 * HostEnv.warp stopped, as above.
 *
 * Code of a region whose warps meet (Region.meets) may be entered behind a barrier, too.  A warp that
 * comes to one waits, and code goes on with the next that has not ended; behind the last one, if
 * HostEnv.passes, with the first again, until all have ended.  It returns as above, but the state of
 * every warp is set.  If HostEnv.is_over is false then, those before HostEnv.warp wait at the next
 * barrier or have ended, and those behind it are at their start (HostEnv.round is 0, and nothing of
 * them is set), wait at the last one, or have ended. */
typedef u32 HostCode(Warp *w, const HostEnv *env, u64 limit, u32 entry);
enum { HOST_STOPPED = -1, HOST_ANYWHERE = -2 };
#endif
