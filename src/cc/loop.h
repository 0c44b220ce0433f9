/* loop.h -- a walk over the loops that have one edge in and one edge back, inner loops first, and
 * the counters in them; for strength.c, carry.c and counters.c. */
#ifndef CC_LOOP_H
#define CC_LOOP_H
#include "cc/cc.h"

#define NO_BLOCK UINT32_MAX
#define NO_LOOP  UINT32_MAX

/* What makes a value, and where; op is IR_none for a phi. */
typedef struct {
    Ins ins;
    u32 block;
    u32 owner;              /* strength.c: 1 + the group that its gain was counted for */
} Def;

/* The walk, at one loop. */
typedef struct {
    Func *f;
    Module *scratch;        /* memory of the walk */
    Def *def;               /* by value */
    size_t ndef, capdef;
    u32 loop, header;
    u32 before;             /* the only block from which the loop is entered */
    u32 latch;              /* the only block of the loop that goes back */
    size_t entry_arg, latch_arg; /* of the header's phis */
} LoopWalk;

/* Calls `visit` for each such loop.  A visitor may add phis to the loop, and instructions to it and
 * before it; it may not change the graph. */
void loop_walk(Func *f, void (*visit)(LoopWalk *w, void *arg), void *arg);

/* Tells the walk what makes v; every new value needs it.  False: out of memory. */
bool loop_define(LoopWalk *w, u32 block, u32 v, const Ins *i);
/* The only block from which a loop is entered, or NO_BLOCK. */
u32 loop_entry(const Func *f, u32 loop);

/* Counts in uses[], by value, how many operands read each. */
void loop_count_uses(const Func *f, u32 *uses);
/* The block in which to compute something of x and y that the present loop needs: before it, and as
 * many loops further out as x and y allow. */
u32 loop_place(const LoopWalk *w, Ref x, Ref y);

/* Whether r has its value before the loop is entered: a constant, an address, or made outside. */
bool is_defined_outside(const LoopWalk *w, Ref r, u32 loop);
bool is_outside(const LoopWalk *w, Ref r); /* of the present loop */
/* The phi of the header that is value v, or NULL. */
const Phi *loop_phi(const LoopWalk *w, u32 v);
/* Whether v is a counter of the loop: a phi that starts as *start and to which each round adds
 * *step, a value from outside, times *sign, which is 1 or -1. */
bool loop_counter(const LoopWalk *w, u32 v, Ref *start, Ref *step, u32 *sign);
#endif
