/* maker.h -- where an engine gets host code from: the user's cache on disk, or the maker, a process
 * that has LLVM.
 *
 * LLVM ends its process when it finds an error of its own, and has no limits of time and memory.
 * So it is in a process of its own, ventus-jit1, which is started when something is to be compiled
 * for the first time, and does jobs in forks with limits.  A failure there only means that there is
 * no code.
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

/* level: of host vector instructions (LaneLevel.name).  NULL: out of memory.  Nothing is started
 * yet. */
Maker *maker_open(const char *level);
/* No thread may run code of it or wait for it.  NULL is allowed. */
void maker_close(Maker *m);

/* All that a region's code depends on, as bytes; made while the region's guest code cannot
 * change. */
typedef struct {
    Buf request;
    u64 digest;
} MakerOrder;
MakerOrder maker_order(const Maker *m, const Region *r, const Code *code, CodeKind kind);
void maker_forget(MakerOrder *o);

/* The cost of making code. */
typedef struct {
    bool cached;            /* the code came from the disk */
    u64 nanoseconds;        /* processor time of the maker, helpers included */
} MakerCost;

/* The code of the order, with the helpers that it calls; takes milliseconds.  Any number of threads
 * at once.  False: there is none. */
bool maker_make(Maker *m, const MakerOrder *o, Loaded *to, MakerCost *cost);
/* The same, but only if it is on the disk. */
bool maker_find(Maker *m, const MakerOrder *o, Loaded *to, MakerCost *cost);
/* Whether code that is made goes to the disk. */
bool maker_keeps(const Maker *m);
/* Starts the process, and has made on the way what it makes first for most code: helpers.  Takes milliseconds. */
void maker_warm(Maker *m);
/* From another thread: makes maker_make() fail, for threads that wait in it and for later calls. */
void maker_cancel(Maker *m);

/* The helpers by number, for HostEnv. */
HostFunction *const *maker_helpers(const Maker *m);
#endif
