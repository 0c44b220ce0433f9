/* sim.h -- the interpreter: runs a launch to its end.
 *
 * Groups are handed to host threads in ascending order; one thread runs a group
 * from start to end, warp by warp, each until it ends, waits at a barrier, or has
 * used up its slice.  A group sees its own local and private memory, clean at the
 * start, so what it computes does not depend on who runs it.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H
#include "sim/uop.h"

/* What happens while a launch runs, for traces, counters and checkers.  Functions
 * may be NULL.  With an observer a launch runs on the calling thread; its warps take
 * turns of SimOptions.slice instructions. */
typedef struct {
    void *self;
    void (*group_begin)(void *self, const Group *g);
    void (*group_end)(void *self, const Group *g);
    /* Before and after the instruction (with its prefix) at u; `after` sees what it
     * wrote.  exec is the set of lanes it ran with. */
    void (*before)(void *self, const Warp *w, const Uop *u);
    void (*after)(void *self, const Warp *w, const Uop *u, u32 exec);
    void (*barrier)(void *self, const Group *g); /* all warps arrived */
} Observer;

typedef struct {
    u32 threads;            /* host threads; 0: one a processor */
    u64 slice;              /* instructions a warp runs before another's turn; 0: default */
    double timeout;         /* seconds; 0: none */
    const Observer *observer; /* or NULL */
    const _Atomic bool *stop; /* set by another thread to end the launch; or NULL */
} SimOptions;

typedef struct {
    bool faulted;
    Fault fault;            /* of the first group, in order, that faulted */
    u64 insns;              /* warp instructions retired, prefixes included */
    u64 groups;             /* that ran to their end */
} SimResult;

/* Runs every group of the launch.  False: result->fault tells why it stopped. */
bool sim_launch(Code *code, const Launch *launch, const SimOptions *opt, SimResult *result);
/* Gives back what launches kept for the next one. */
void sim_free_contexts(Code *code);
#endif
