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

/* Spills the n values of `list`.  Before each use they are read from their word of the frame or
 * from the vector that holds them, or made again; after each write they are stored.  Values that
 * are not alive together share words, by `r`, the ranges of f as it is.  Adds to Func.spill_x and
 * spill_v.  False: out of memory. */
bool spill(Func *f, const Ranges *r, const Ins *remat, const u32 *list, size_t n);
#endif
