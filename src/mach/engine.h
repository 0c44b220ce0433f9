/* engine.h -- what runs launches: kinds of engines, and the life that all have in common.
 *
 * An engine is opened over the memory of a device, is told when code in that memory
 * changes, and runs launches.  What a launch computes, its faults and its counts are the
 * same in every engine; they differ in how.  The interpreter (sim/) defines what is right.
 */
#ifndef MACH_ENGINE_H
#define MACH_ENGINE_H
#include "mach/warp.h"

typedef struct Engine Engine;
struct Uop;

/* What happens while a launch runs, for traces, counters and checkers.  Functions
 * may be NULL.  With an observer a launch runs on the calling thread; its warps take
 * turns of LaunchOptions.slice instructions. */
typedef struct {
    void *self;
    void (*group_begin)(void *self, const Group *g);
    void (*group_end)(void *self, const Group *g);
    /* Before and after the instruction (with its prefix) at u; `after` sees what it
     * wrote.  exec is the set of lanes it ran with. */
    void (*before)(void *self, const Warp *w, const struct Uop *u);
    void (*after)(void *self, const Warp *w, const struct Uop *u, u32 exec);
    void (*barrier)(void *self, const Group *g); /* all warps arrived */
} Observer;

enum { MAX_HOST_THREADS = 256 }; /* of a launch */

/* How the host runs a launch.  None of it changes what the launch computes. */
typedef struct {
    u32 threads;            /* host threads; 0: one a processor */
    u64 slice;              /* instructions a warp runs before another's turn; 0: default */
    double timeout;         /* seconds; 0: none */
    const Observer *observer; /* or NULL */
    const _Atomic bool *stop; /* set by another thread to end this launch; or NULL */
} LaunchOptions;

typedef struct {
    bool faulted;
    Fault fault;            /* of the first group, in order, that faulted */
    u64 insns;              /* warp instructions retired, prefixes included */
    u64 groups;             /* that ran to their end */
} LaunchResult;

/* A kind of engine. */
typedef struct {
    const char *name, *what;
    /* An engine for code of profile `set` in memory, which stays the caller's and outlives it.
     * NULL: the host has no memory for it. */
    Engine *(*open)(Memory *memory, IsaSet set);
    void (*close)(Engine *e); /* no launch runs */
    /* The bytes of the range changed, and code is of profile `set` from now on.  No launch runs.
     * An engine that keeps something made from code forgets what came from there; with another
     * profile, everything. */
    void (*code_changed)(Engine *e, IsaSet set, u64 addr, u64 size);
    /* Runs every group of the launch, whose profile is that of the code.  False: result->fault
     * tells why it stopped.  Launches of several threads may run at once. */
    bool (*launch)(Engine *e, const Launch *l, const LaunchOptions *opt, LaunchResult *result);
    /* From any thread: the launches that run now end, with FAULT_STOPPED. */
    void (*interrupt)(Engine *e);
} EngineKind;

/* What each engine begins with. */
struct Engine { const EngineKind *kind; };
#endif
