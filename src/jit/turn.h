/* turn.h -- what the parts of an engine share that runs warps in compiled code: jit.c, turn.c and groups.c. */
#ifndef JIT_TURN_H
#define JIT_TURN_H
#include "jit/entries.h"
#include "jit/shadow.h"
#include "sim/sim.h"

/* Whether groups of the launch wait for each other, from the slice that a warp is given. */
static inline bool turn_is_short(u64 slice) { return slice == SIM_SHORT_SLICE; }

/* Instructions of a turn for which the interpreter has `slice` Uops: more, unless it is short, but not so many that it
 * takes long to notice that groups wait. */
static inline u64 turn_insns(u64 slice)
{
    enum { TIMES = 64, MOST = 1 << 20 };
    return turn_is_short(slice) ? slice : slice < MOST / TIMES ? TIMES * slice : MOST;
}

/* An engine. */
typedef struct {
    Sim sim; /* first */
    Entries entries;
    Shadow *shadow; /* NULL: nothing is compared */
    _Atomic u64 insns, compiled;
} Jit;

/* Why a warp is no longer in compiled code. */
typedef enum {
    CAME_OUT,  /* the interpreter goes on at the pc */
    CAME_LATE, /* at the limit, in a cycle that can be entered again */
    STOPPED    /* the warp ended, waits or faulted */
} Outcome;

/* The optimised code without entries at headers, than which there is none better; NULL: there is none yet. */
static inline HostCode *plain_code(const Entry *e)
{
    return atomic_load_explicit(&e->state[CODE_PLAIN], memory_order_acquire) == READY
               ? (HostCode *)e->code[CODE_PLAIN].entry
               : NULL;
}

/* The kernel that the start code of a launch will call, as far as it can be seen. */
u32 turn_callee(const Launch *l);

/* --- code of a region ------------------------------------------------------------------------ */

/* What all code of the entry reaches.  What regions that repeat have besides is set by who runs one, and not
 * cleared here: turns are short where there are barriers. */
void turn_set_env(HostEnv *env, const Jit *j, const Group *g, const Entry *e);
/* Makes launch constants ready for the warps that *env names, as the context has them or from memory.  False: they
 * cannot be read. */
bool turn_take_constants(HostEnv *env, const Entry *e);
/* To be called before something else runs in the context than code that watches its stores. */
void turn_forget_constants(Group *g);
/* The entry where the warp goes on at its pc; NULL: it may enter none. */
Entry *turn_entry(Jit *j, const Warp *w);
/* The best code there is of an entry, for its start; NULL: none yet. */
HostCode *turn_start_code(Jit *j, Entry *e);
/* Runs one warp in compiled code from that entry of the region (HostCode). */
Outcome turn_run_code(HostEnv *env, Warp *w, const Entry *e, u32 entry, HostCode *code, u64 limit);
/* Why warp w came back from compiled code, which returned `back`; clears registers that may be read outside. */
Outcome turn_came_back(Warp *w, const Entry *e, u32 back);

/* --- turns ------------------------------------------------------------------------------------ */

/* A turn begins whose time may be counted (turn_count): when, or 0, if its time is not taken.  Of short
 * turns one of many is counted, for all of them: to look at the clock, and to add to a count that
 * threads share, takes as long as some of them. */
u64 turn_begin(Group *g);
/* Adds the nanoseconds of a turn that retired so many instructions. */
void turn_count(Group *g, _Atomic u64 *count, u64 start, u64 insns);
/* Returns the entry whose code the warp has left last, if the interpreter did nothing since; else NULL. */
const Entry *turn_run(Jit *j, Warp *w, u64 slice);
/* The engine's WarpRunner. */
void turn_run_warp(Warp *w, u64 slice);

/* --- groups.c --------------------------------------------------------------------------------- */

/* Runs warps of a group that begin, where the code is known that they enter, and from barrier to barrier as long as all
 * come there (Sim.begin). */
void groups_begin(Group *g, u64 slice);
/* Runs groups one after the other (Sim.groups). */
GroupsRun groups_run(Group *g, u64 first, u64 end, u64 most, u64 slice);
#endif
