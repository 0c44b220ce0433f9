/* constant.h -- launch constants: what scalar loads of a region give alike to every warp of a
 * launch, such as the kernel's arguments.
 *
 * A region that repeats (Region.repeats) is run by one warp after the other within one call of its
 * host code, which finds the values of such loads ready (HostEnv.constant).  They are read before
 * the call.  A store that might change one is seen by the guard, two ranges of addresses around all
 * that lie in pages that may be written (reach.c), and by whatever else a guest can store with
 * (calls.c, turn.c); then they are read again before the next warp begins.
 *
 * Where warps meet at barriers (Region.meets), those before the barrier may have changed a constant that
 * the warp has loaded: behind it a load is a constant if its address is found from the start again.
 */
#ifndef JIT_CONSTANT_H
#define JIT_CONSTANT_H
#include "jit/region.h"

/* Finds the launch constants of a region that warps begin in, and decides whether it repeats.  Its blocks have their
 * order and successors.  False: out of memory. */
bool constants_find(Region *r);

/* Whether that is the size of groups along x, where a launch has it. */
bool is_local_size(const Region *r, u32 value);

/* Reads them for a launch of which w is a warp: value[i] is that of r->value[i]; guard: addresses
 * whose bytes they depend on and that a store may change.  False: one cannot be read. */
bool constants_read(const Region *r, const Warp *w, u32 value[MAX_CONSTANTS], Guard *guard);
/* Adds bytes to a guard: to the part that they are near, else to one of their own, else to any. */
void guard_add(Guard *g, u32 addr, u32 size);
/* Whether a part has so many bytes that it takes in much else. */
bool guard_is_wide(const Guard *g);
#endif
