/* engine.h -- engines, which run launches: the functions that every kind of engine has.
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
enum { LONGEST_FINISH = 10 };    /* seconds */

/* How the host runs a launch.  None of it changes what the launch computes. */
typedef struct {
    u32 threads;            /* host threads; 0: one a processor */
    u64 slice;              /* instructions a warp runs before another's turn; 0: default */
    double timeout;         /* seconds; 0: none */
    const Observer *observers;
    size_t nobservers;
    RollCall *roll;         /* or NULL */
    u32 sample;             /* groups in a million whose cycles are counted; 0: all */
    const CycleObserver *cycles; /* or NULL; engines without cycles do not call it */
    /* Called on the launching thread when an observer has stopped the launch at event `why`.  It
     * may do all that an observer may do, and also step warps of the group.  GO_ON lets the launch
     * continue; STOP_HERE ends it with FAULT_STOPPED.  NULL: the launch ends so at once. */
    Verdict (*halted)(void *self, const Event *why);
    void *self;             /* of halted */
} LaunchOptions;

/* How a launch ended. */
typedef struct {
    bool faulted;
    u64 insns;              /* warp instructions retired, prefixes included */
    u64 groups;             /* that ran to their end */
    u64 compiled;           /* of insns: executed in compiled code */
    u64 began, ended;       /* when the first group began and the last one ended: CLOCK_MONOTONIC, nanoseconds; 0: not known */
    u64 cycles;             /* from the host's request to its response; 0: the engine has none */
    u64 timed;              /* groups whose cycles were counted; fewer than all: cycles is estimated */
    u64 cycles_error;       /* and 95 of 100 estimates are no further off than this */
    Fault fault;            /* if it faulted: of the first group, in order, that did; large */
} LaunchResult;

/* A kind of engine. */
typedef struct {
    const char *name, *what;
    u32 sms;                /* that it models at most, if it counts cycles; 0: it does not */
    /* Whether this build and host have the engine; false: *why says why not, in a text that lives
     * until the next call.  A NULL here means that all have it. */
    bool (*available)(const char **why);
    /* An engine for code of profile `set` in memory, which stays the caller's and outlives it.
     * NULL: the host has no memory for it. */
    Engine *(*open)(Memory *memory, IsaSet set);
    void (*close)(Engine *e); /* no launch runs */
    /* Tells the engine that the bytes of the range changed, and that code is of profile `set` from
     * now on.  The engine must forget all that it has made from those bytes; if the profile is
     * another one, from any code.  No launch may run. */
    void (*code_changed)(Engine *e, IsaSet set, u64 addr, u64 size);
    /* All code leaves memory, and may come back: the engine keeps under that number, for as long as it likes,
     * what it has made of it.  code_back(), with the same bytes in memory and nothing made of any, is to tell it
     * that code is there again; code_gone(), that it will not come back.  NULL, all three: the engine keeps
     * nothing, and code_changed() is to be called. */
    void (*code_left)(Engine *e, u64 number);
    void (*code_back)(Engine *e, u64 number);
    void (*code_gone)(Engine *e, u64 number);
    /* Runs every group of the launch, whose profile is that of the code.  False: result->fault
     * tells why it stopped.  Launches of several threads may run at once. */
    bool (*launch)(Engine *e, const Launch *l, const LaunchOptions *opt, LaunchResult *result);
    /* Runs one instruction of a ready warp, of a group that has not faulted, and says in *s what
     * happened.  The caller chooses which warp is next, and lets warps pass a barrier by
     * group_pass_barrier().  False: it faulted. */
    bool (*step)(Engine *e, Warp *w, Step *s);
    /* From any thread: ends the launches that run now, with FAULT_STOPPED. */
    void (*interrupt)(Engine *e);
    /* Waits for a while, LONGEST_FINISH at most, if it makes something in the background that the next
     * process will find on the disk; NULL: it does not.  Launches may run.  So it does when it is closed. */
    void (*finish)(Engine *e);
    /* From any thread: a program is being compiled of which no earlier process has left anything on the disk.  The
     * engine may begin in the background what it needs before it can make something of it; NULL: it does not. */
    void (*expect)(Engine *e);
} EngineKind;

/* What each engine begins with. */
struct Engine { const EngineKind *kind; };
#endif
