/* shadow.h -- the interpreter beside host code: every turn of a warp is done again on a copy, and
 * the two are compared.
 *
 * The copy (the twin) is of the device's memory, of the group and of its warps; the interpreter
 * runs the twin of a warp for as many instructions as the warp has retired.  Turns are short in
 * every other group, so that the comparison comes at the next head of a loop or exit, and as long
 * as usual in the others.  One launch at a time is compared, on one host thread; others beside it
 * run as host code alone.
 */
#ifndef JIT_SHADOW_H
#define JIT_SHADOW_H
#include "base/mem.h"
#include "jit/region.h"

/* The copies of an engine. */
typedef struct Shadow Shadow;

Shadow *shadow_open(void);    /* NULL: out of memory */
void shadow_close(Shadow *s); /* NULL is allowed */

typedef enum {
    SHADOW_COMPARES, /* to be ended by shadow_end() */
    SHADOW_BUSY,     /* with another launch; to be ended by shadow_end_beside() */
    SHADOW_FAILED    /* out of memory */
} ShadowStart;

/* The launch begins: copies what memory holds, unless another one is compared. */
ShadowStart shadow_begin(Shadow *s, const Launch *l);
/* Whether it is the one that is compared; for any thread. */
bool shadow_compares(const Shadow *s, const Launch *l);
/* Warp w is about to run; the instructions of its turn, of `slice` that it might have. */
u64 shadow_before(Shadow *s, Warp *w, u64 slice);
/* Its turn is over: runs its twin, and records FAULT_DIFFERS in w if they are not the same.  at: the
 * block of r where it goes on, which says what may still be read, or NULL: anything; flags: those of
 * floats count. */
void shadow_after(Shadow *s, Warp *w, const Region *r, const RegionBlock *at, bool flags);
void shadow_end_beside(Shadow *s);
/* The launch ended: compares memory; faulted: it stopped somewhere, so only what was touched is
 * compared already.  False: it differs at *addr. */
bool shadow_end(Shadow *s, bool faulted, u64 *addr);

/* What differed, a line; empty: nothing did. */
const char *shadow_report(const Shadow *s);
#endif
