/* time.h -- the engine `timing`: how many cycles a launch takes, and why (doc/timing.md).
 *
 * Results are the interpreter's; so are faults and counts.  The same launch takes the same cycles
 * on every host.
 */
#ifndef TIME_TIME_H
#define TIME_TIME_H
#include "mach/engine.h"

extern const EngineKind time_kind; /* "timing" */

/* Why an issue slot of an SM was not used, and what a warp waited for. */
typedef enum {
#define CAUSE(name, text, what) CAUSE_##name,
#include "time/cause.def"
    NCAUSE
} Cause;

/* Issue slots by cause: each cycle of each SM has as many as it can issue instructions. */
typedef struct {
    u64 cycles[NCAUSE];
    u64 unit[NUNIT];        /* of CAUSE_SCOREBOARD: whose result was waited for */
} TimeSlots;

/* What the engine knows of a launch. */
typedef struct {
    u64 cycles;             /* from the host's request to its response */
    u64 insns;              /* that issued; a prefix is part of its instruction */
    u32 sms;
    u64 slots_all;          /* issue slots, of all SMs; also of cycles that a bench does not count */
    TimeSlots slots;        /* the same by cause */
    u64 dcache_hits, dcache_misses, dcache_stores; /* lines that were asked for */
    u64 memory_reads, memory_writes; /* lines */
} TimeResult;

/* Of the launch that ended last; of all launches.  False: the engine is of another kind. */
bool time_result(const Engine *e, TimeResult *r);
bool time_total(const Engine *e, TimeResult *r);

extern const char *const time_cause_name[NCAUSE], *const time_cause_text[NCAUSE];
#endif
