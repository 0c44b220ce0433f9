/* step.h -- one instruction of a warp, and telling observers of it. */
#ifndef SIM_STEP_H
#define SIM_STEP_H
#include "mach/engine.h"

/* The step function of engines that run Uops (mach/engine.h, EngineKind). */
bool sim_step(Engine *e, Warp *w, Step *s);

/* The observers of a launch. */
typedef struct {
    const Launch *launch;
    const LaunchOptions *opt;
    u32 events;             /* EVENT_* that at least one of them wants */
    u64 halted;             /* nanoseconds that the launch was halted so far */
} Audience;

/* Nanoseconds of a clock that never goes back.  In integers: floats would raise flags among the
 * guest's. */
u64 nanoseconds(void);

/* The observers of a launch, with the events that they want. */
Audience audience_of(const Launch *l, const LaunchOptions *opt);
/* Tells observers of an event that is no instruction, and halts the launch if one of them stops it.
 * g and w may be NULL.  False: the launch must end; g, if given, has the fault. */
bool audience_tell(Audience *a, EventKind kind, Group *g, Warp *w);
/* Whether an observer wants to be told of each instruction; then warps run by run_told(). */
bool audience_wants_each(const Audience *a);
/* How groups note accesses for them, when warps run by run_told(). */
Notes audience_notes(const Audience *a);
/* Runs one instruction of warp w, telling of it.  False: it did not run to its end, or the launch
 * shall end. */
bool step_told(Audience *a, Warp *w, Step *s);
/* Runs ready warp w for at most `slice` instructions, telling of each that somebody wants to know
 * of. */
void run_told(Audience *a, Warp *w, u64 slice);
#endif
