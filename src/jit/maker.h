/* maker.h -- where an engine gets host code from: the user's cache on disk, or the maker, a process
 * that has LLVM.
 *
 * LLVM ends its process when it is unwell, and does not bound its time and memory; so it is in a
 * process of its own, ventus-jit1, which is started when something is to be compiled for the first
 * time, and does each job in a fork with bounds.  What goes wrong there only means that there is no
 * code.
 */
#ifndef JIT_MAKER_H
#define JIT_MAKER_H
#include "jit/codejob.h"
#include "jit/load.h"
#include <stdatomic.h>

typedef struct Maker Maker;

/* Whether code can be made here, without starting anything; else *why tells why not, in a text that
 * is not freed. */
bool maker_available(const char **why);

/* level: of host vector instructions (LaneLevel.name).  NULL: no memory.  Nothing is started
 * yet. */
Maker *maker_open(const char *level);
/* Nobody runs code of it or waits for it.  NULL is allowed. */
void maker_close(Maker *m);

/* What a region's code depends on, as bytes; made while the region's guest code is sure to stay. */
typedef struct {
    Buf request;
    u64 digest;
} MakerOrder;
MakerOrder maker_order(const Maker *m, const Region *r, const Code *code, CodeKind kind);
void maker_forget(MakerOrder *o);

/* What it took. */
typedef struct {
    bool cached;            /* the code came from the disk */
    u64 nanoseconds;        /* processor time of the maker, helpers included */
} MakerCost;

/* The code of the order, with the helpers that it calls; takes milliseconds.  Any number of threads
 * at once.  False: there is none. */
bool maker_make(Maker *m, const MakerOrder *o, Loaded *to, MakerCost *cost);
/* The same, but only if it is on the disk. */
bool maker_find(Maker *m, const MakerOrder *o, Loaded *to, MakerCost *cost);
/* From another thread: whoever waits in maker_make, now or later, gets nothing. */
void maker_cancel(Maker *m);

/* The helpers by number, for HostEnv. */
HostFunction *const *maker_helpers(const Maker *m);
#endif
