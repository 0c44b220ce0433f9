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
    u32 events;             /* that somebody wants */
    u64 halted;             /* nanoseconds that the launch was halted so far */
} Audience;

/* Nanoseconds of a clock that never goes back.  In integers: floats would raise flags among the
 * guest's. */
u64 nanoseconds(void);

Audience audience_of(const Launch *l, const LaunchOptions *opt);
/* Tells those who want to know of what is not an instruction, and halts the launch if one stops it.
 * False: the launch shall end; the group, if one is concerned, has the fault.  g and w may be NULL. */
bool audience_tell(Audience *a, EventKind kind, Group *g, Warp *w);
/* Whether somebody wants to know of each instruction: then warps run by run_told(). */
bool audience_wants_each(const Audience *a);
/* Runs ready warp w for at most `slice` instructions, telling of each. */
void run_told(Audience *a, Warp *w, u64 slice);
#endif
