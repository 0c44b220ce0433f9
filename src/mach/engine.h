/* engine.h -- what runs launches: kinds of engines, and the life that all have in common.
 *
 * An engine is opened over the memory of a device, is told when code in that memory
 * changes, and runs launches.  What a launch computes, its faults and its counts are the
 * same in every engine; they differ in how.  The interpreter (sim/) defines what is right.
 */
#ifndef MACH_ENGINE_H
#define MACH_ENGINE_H
#include "mach/observe.h"

typedef struct Engine Engine;

enum { MAX_HOST_THREADS = 256 }; /* of a launch */

/* How the host runs a launch.  None of it changes what the launch computes. */
typedef struct {
    u32 threads;            /* host threads; 0: one a processor */
    u64 slice;              /* instructions a warp runs before another's turn; 0: default */
    double timeout;         /* seconds; 0: none */
    const Observer *observers;
    size_t nobservers;
    /* Called on the launching thread when an observer stopped the launch at event `why`; what an
     * observer may do, it may do, and also step warps of the group.  GO_ON continues; STOP_HERE, or no
     * function, ends the launch with FAULT_STOPPED. */
    Verdict (*halted)(void *self, const Event *why);
    void *self;             /* of halted */
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
    /* Whether this build and host have it; NULL: always.  Else *why tells why not, until the next call. */
    bool (*available)(const char **why);
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
    /* Runs one instruction of a ready warp of a group that did not fault, and says what happened.
     * Whose turn is next is the caller's choice; a barrier is passed by group_pass_barrier().  False:
     * it faulted. */
    bool (*step)(Engine *e, Warp *w, Step *s);
    /* From any thread: the launches that run now end, with FAULT_STOPPED. */
    void (*interrupt)(Engine *e);
} EngineKind;

/* What each engine begins with. */
struct Engine { const EngineKind *kind; };
#endif
