/* run.h -- a launch that goes forwards one instruction at a time, and back to any place where it
 * has been.
 *
 * A place is the number of instructions that ran since the launch began.  Warps take turns as in
 * the interpreter, so from the same state the same instructions follow.
 */
#ifndef DBG_RUN_H
#define DBG_RUN_H
#include "sim/sim.h"

typedef struct History History; /* of one launch (history.c) */

/* A launch under way. */
typedef struct {
    const Launch *launch;
    Sim *sim;
    Audience *audience;     /* other observers, told of each instruction once */
    Group *group;           /* the one that runs */
    u64 ngroups;
    u32 turn;               /* the warp whose turn it is */
    u64 left;               /* instructions of that turn */
    u64 now;                /* the present place */
    u64 ended;              /* instructions, prefixes included, of groups that have ended */
    u64 returned;           /* of each warp a bit: its last instruction returned from a function */
    u64 told;               /* observers know what happened before this place */
    bool over;              /* every group has ended, or one has faulted */
    bool observer_stopped;  /* one of them wants the launch to stop here */
    bool interrupted;       /* `interrupt` of the engine was called */
    u32 interrupts;         /* of the engine, when it began */
    History *history;       /* NULL: there is no way back */
} Run;

/* At the first instruction of the launch; with_history: notes what the way back needs.  False: out
 * of memory. */
bool run_open(Run *r, Sim *sim, const Launch *l, Audience *a, bool with_history);
void run_close(Run *r);
/* The warp whose instruction is next; NULL: the launch is over. */
Warp *run_warp(Run *r);
/* Runs the next instruction.  False: the launch is over; the group has the fault, if there was one. */
bool run_step(Run *r, Step *s);
/* Gives the warp the turn, if it is ready. */
void run_prefer(Run *r, const Warp *w);

/* Notes that registers or memory were changed by hand: what was recorded of the time after is not
 * true any more. */
void run_changed(Run *r);
/* The same of a page of device memory, before it is changed. */
void run_page_changes(Run *r, u64 addr);
/* The last place before `place` from which the run can start again; false: there is none. */
bool run_earlier(const Run *r, u64 place, u64 *start);
/* Goes to a place, which must not lie after the last one that was reached.  False: it cannot. */
bool run_go_to(Run *r, u64 place);

/* --- history.c ------------------------------------------------------------------------ */

/* NULL: the host has no memory for it. */
History *history_open(const Launch *l);
void history_free(History *h); /* NULL is allowed */
/* The state of a run at its present place is kept; `changed`: it was changed by hand, and whoever
 * comes to this place again finds it so. */
void history_keep(History *h, const Run *r, bool changed);
/* Index of the state at `place` that was changed by hand; false: there is none. */
bool history_has_change(const History *h, u64 place, size_t *i);
/* The instruction wrote to memory. */
void history_wrote(History *h, const Run *r, const Step *s);
/* The page of device memory at this physical address was, or will be, written. */
void history_wrote_page(History *h, u64 page);
/* Whether it is time for history_keep(). */
bool history_is_due(const History *h, u64 now);
/* Forgets what was kept after `place`. */
void history_cut(History *h, u64 place);
/* Index of the last state kept at or before `place`; false: there is none. */
bool history_find(const History *h, u64 place, size_t *i);
/* The place of a kept state. */
u64 history_place(const History *h, size_t i);
/* Puts the run into the state. */
bool history_restore(History *h, size_t i, Run *r);
#endif
