/* group.h -- work-groups: their contexts, their beginning and their end.
 *
 * A group runs in a context: registers of its warps, a window of local memory.  A context costs
 * more to make than a small kernel to run, so an engine keeps those that nobody uses.  Any number
 * of groups may be resident at once; each belongs to one thread at a time.
 */
#ifndef SIM_GROUP_H
#define SIM_GROUP_H
#include "mach/warp.h"
#include <pthread.h>

/* The contexts that wait for use. */
typedef struct {
    pthread_mutex_t lock;   /* guards idle */
    Group *idle;
} Contexts;

/* Makes an empty store of contexts. */
void contexts_open(Contexts *c);
void contexts_close(Contexts *c); /* frees those that were given back */

/* A context with room for the groups of the launch, which must outlive the context's use.  The
 * caller sets engine, code and clock, and the area where it is not the first.  Accesses are not
 * noted.  NULL: the host has no memory. */
Group *context_take(Contexts *c, const Launch *l);
void context_give(Contexts *c, Group *g);
void context_drop(Group *g);              /* instead of giving it back */

/* Begins group `linear` of the launch in context g: its warps are at the start, its local and private
 * memory is zero. */
void group_begin(Group *g, u64 linear);
/* Forgets what compiled code remembers of memory, for loads or for stores (Group.plain). */
void group_forget_ranges(Group *g, bool stores);
/* Bytes of private memory of a group. */
u64 group_pds_size(const Launch *l);
/* Makes the group the one of that number, with its place in the grid and its memory. */
void group_place(Group *g, u64 linear);
/* Puts warp k of the group at its start, as group_begin() does. */
void warp_begin(Warp *w, Group *g, u32 k);
/* Clears the registers that a launch may read, but for those in `kept` (a bit a register; NULL:
 * none), and notes that they are. */
void warp_settle(Warp *w, u64 kept_x, const u64 kept_v[4]);
/* Clears what groups wrote to local memory since the context was taken, and this one to private
 * memory. */
void group_end(Group *g);
/* Lets the warps that wait at a barrier go on; requires that none is ready.  False: none waits, so
 * the group has run to its end. */
bool group_pass_barrier(Group *g);
u32 group_count_warps(const Group *g, enum WarpState state); /* warps in that state */
/* Warp instructions that the group has retired. */
u64 group_insns(const Group *g);
#endif
