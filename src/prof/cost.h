/* cost.h -- what kernels cost, by source line, instruction, warp and SM: issue slots with their
 * causes on an engine that counts cycles, executed instructions on others.
 *
 * All issue slots of a kernel's launches are in each of the four tables once, so that each adds up
 * to the same sums.  Slots of a cause that no warp has (dispatch, drain, no warp) are beside lines,
 * instructions and warps.
 */
#ifndef PROF_COST_H
#define PROF_COST_H
#include "mach/engine.h"
#include "obj/obj.h"
#include "time/time.h"

typedef struct Costs Costs;

Costs *costs_new(void);    /* NULL: out of memory */
void costs_free(Costs *c); /* NULL is allowed */

/* What counts, for launches that are made one at a time: cycles for an engine that counts them,
 * instructions for others. */
CycleObserver costs_cycle_observer(Costs *c);
Observer costs_observer(Costs *c);
/* Adds the launch that ended last to the costs of its kernel.  image: its code, for lines and
 * sources; NULL: none is known. */
void costs_add(Costs *c, const char *kernel, const Object *image, IsaSet set,
               const LaunchResult *r);

/* Tables that a person can read, the most expensive first; or one JSON object with all there is.
 * False: out of memory, now or when costs were added. */
bool costs_text(const Costs *c, Buf *to);
bool costs_json(const Costs *c, Buf *to);
#endif
