/* sim.h -- the interpreter: an engine that runs decoded code, Uop by Uop.
 *
 * Each host thread begins the groups of its share, in ascending order, and then some of what the
 * others have not come to.  It runs a group warp by warp, each until it ends, waits at a barrier, or
 * has used up its slice.  A group whose warps use up many slices may wait for what another one does:
 * it is set aside, and the thread begins the next one, as long as no more have begun than the machine
 * holds at once, or goes on with one that was set aside, by whichever thread.  A group has local and
 * private memory of its own, which is zero at the start, so what it computes does not depend on the
 * threads that run it.
 *
 * An engine that runs warps in another way is a Sim with another WarpRunner: it shares decoded
 * code, threads, contexts, limits and the handing out of groups.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H
#include "mach/engine.h"
#include "sim/group.h"
#include "sim/pool.h"
#include "sim/step.h"
#include "sim/uop.h"

/* Uops of a turn; in launches whose groups may wait for each other. */
enum { SIM_SLICE = 1 << 16, SIM_SHORT_SLICE = 1 << 12 };
/* Barriers of a group that count as a turn; in such launches. */
enum { SIM_ROUNDS = 1 << 10, SIM_SHORT_ROUNDS = 1 << 4 };

/* Runs ready warp w from w->pc on, for at most `slice` Uops or until it ends, waits or faults; in a
 * launch with max_insns until it has retired `slice` instructions, and not one Uop more, so that
 * limits and turns end at the same place in every engine.
 * A turn of the usual length may be longer by what sim_leave_turn() adds.
 * Leaves in w->pc where it goes on; the float flags that the host raised have been given to the
 * warp. */
typedef void WarpRunner(Warp *w, u64 slice);

/* At the end of a turn of `slice` Uops: goes on until the warp jumps back, if that is soon.  In the
 * middle of a loop it might hold a lock, for which all other warps of the group would wait for a turn
 * each.  Turns that are shorter than usual, which somebody wanted so, end where they end. */
void sim_leave_turn(Warp *w, u64 slice);

/* Gives warps of a group that has just begun their first turn, in their order, as far as it likes:
 * what it leaves is run as if it had not been called. */
typedef void GroupRunner(Group *g, u64 slice);

/* What a GroupsRunner did. */
typedef struct {
    u64 groups;             /* that it ran to their end */
    u64 insns;              /* of warps that have ended; their ninsns are 0 */
    bool has_begun;         /* it has begun the group after them, which is to be run on */
} GroupsRun;

/* Runs groups from `first` on, before `end`, one after the other in context g, as far as it likes,
 * and begins none when `most` instructions have been retired.  slice: as for a WarpRunner. */
typedef GroupsRun GroupsRunner(Group *g, u64 first, u64 end, u64 most, u64 slice);

/* Code that has left and may come back (EngineKind.code_left): what was decoded of it, and what an engine built on
 * the interpreter has made besides. */
enum { MOST_FORMER = 64, MOST_FORMER_PAGES = 1024 };
typedef struct {
    u64 number;
    CodeKept *code;
    void *made;             /* or NULL */
} Former;

/* An interpreter, or another engine built on its parts. */
typedef struct {
    Engine engine;          /* first */
    Memory *memory;
    Code *code;             /* what was decoded of it */
    Former former[MOST_FORMER]; /* the last to leave is the last; their pages are not more than MOST_FORMER_PAGES */
    u32 nformer;
    void (*drop_made)(Engine *e, void *made); /* or NULL: nothing is made */
    Pool pool;              /* host threads */
    Contexts contexts;
    WarpRunner *run;
    GroupRunner *begin;     /* or NULL */
    GroupsRunner *groups;   /* or NULL */
    bool in_order;          /* no group is set aside */
    const Clock *clock;     /* of CSRs; NULL: instructions that a warp retired */
    u32 processors;         /* of the host, that may be used */
    _Atomic u64 pace[32];   /* by a hash of a kernel's name: that, and the last nanoseconds a group */
    _Atomic u32 interrupts; /* counted: a launch ends when there are more than at its start */
} Sim;

extern const EngineKind sim_kind; /* "interp" */

/* The functions that kinds of engines are made of; mach/engine.h says what they do. */
bool sim_init(Sim *s, const EngineKind *kind, WarpRunner *run, Memory *memory, IsaSet set);
void sim_exit(Sim *s); /* frees what sim_init made; also after it failed */
void sim_code_changed(Engine *e, IsaSet set, u64 addr, u64 size);
void sim_code_left(Engine *e, u64 number);
void sim_code_back(Engine *e, u64 number);
void sim_code_gone(Engine *e, u64 number);
/* The first two for an engine that makes something of code: keeps it (NULL: there is none), and returns what was
 * kept. */
void sim_keep(Sim *s, u64 number, void *made);
void *sim_put_back(Sim *s, u64 number);
void sim_drop_former(Sim *s); /* all that is kept; so does sim_exit() */
bool sim_launch(Engine *e, const Launch *l, const LaunchOptions *opt, LaunchResult *result);
void sim_interrupt(Engine *e);
WarpRunner sim_run_warp;

/* How many Uops warp w may run before somebody must look whether it has retired `end` instructions: a
 * Uop retires two at most. */
static inline u64 sim_uops_before(const Warp *w, u64 end) { return (end - w->ninsns + 1) / 2; }

/* Ends the group of warp w, which is at an instruction, with a fault of a limit. */
void sim_limit(Warp *w, FaultKind kind);
/* group_pass_barrier() in a launch: where the barrier was the last instruction that max_insns leaves
 * to a warp, the group ends with the fault of that limit. */
bool sim_pass_barrier(Group *g);
/* Tells the launch's RollCall, if there is one, where the group stands, which a limit ends. */
void sim_answer_last(const Group *g);

/* A context for groups of the launch (sim/group.h).  NULL: the host has no memory. */
Group *sim_take_group(Sim *s, const Launch *l);
void sim_give_group(Sim *s, Group *g);
#endif
