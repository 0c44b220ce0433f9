/* spill.h -- values that live in memory instead of registers; for alloc.c. */
#ifndef CC_SPILL_H
#define CC_SPILL_H
#include "cc/interval.h"

/* Of each value the only instruction that writes it, if that can be repeated wherever the value
 * is needed (a constant, an address, a lane number), else op IR_none.  nvalue elements for
 * mem_free(); NULL when out of memory. */
Ins *spill_remat(const Func *f);

/* Of Func.scalar_room: how many scalar registers the function may have to save for its caller, and
 * how many words are left for spilled scalars. */
u32 spill_saves(const Func *f);
u32 spill_room(const Func *f);

/* Gives the n values of `list` no register any more: reads them from their slot of the
 * frame, from a vector that holds them, or makes them again, before each use, and stores them behind
 * each write.  `r` are the
 * ranges of f as it is; slots are shared by values that are not alive together.  Adds to spill_x
 * and spill_v.  False: out of memory. */
bool spill(Func *f, const Ranges *r, const Ins *remat, const u32 *list, size_t n);
#endif
