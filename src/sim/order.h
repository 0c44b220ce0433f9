/* order.h -- which group of a launch each of its host threads begins next.
 *
 * Threads have shares of the groups, side by side, so that in the next launch, too, their memory is in the
 * cache of their processor, and then take some of what others have not come to.  Once a group may
 * wait for another all threads begin groups in one order, and as many as the machine holds at once, as on
 * hardware (doc/decisions/044-groups-that-wait.md).
 */
#ifndef SIM_ORDER_H
#define SIM_ORDER_H
#include "mach/engine.h"
#include <pthread.h>
#include <stdatomic.h>

/* Groups next..end-1, which are to begin. */
typedef struct {
    u64 next, end;
} Batch;

/* A thread's part in it. */
typedef struct {
    _Alignas(64) _Atomic u64 next; /* of its share, up to `end`, whoever takes them */
    u64 end;
    /* no earlier group is with the thread, which may give it back; UINT64_MAX: none is */
    _Atomic u64 front;
    bool is_ordered; /* the thread knows that groups wait; its own */
    /* guarded by the lock */
    Batch rest; /* what it took before it knew, and gave back */
    u64 early;  /* the group that it had begun then, which has not ended; UINT64_MAX: none */
} Share;

typedef struct {
    u32 threads;
    u32 most;           /* groups that the machine holds at once */
    _Atomic bool waits; /* groups may wait for each other */
    pthread_mutex_t lock;
    u32 begun; /* groups in order that have begun and not ended */
    Share share[MAX_HOST_THREADS];
} Order;

/* Deals out groups 0 to groups - 1 to 1 to MAX_HOST_THREADS threads, or all of them to the first of these, which is alone
 * then until order_share(). */
void order_open(Order *o, u64 groups, u32 threads, u32 most, bool is_alone);
void order_close(Order *o);

/* Whether there is a group for the thread to begin, b->next, when those before it in the batch have
 * begun; takes some more, a part of what is left (one of `parts`), when none is.  False, if groups
 * wait: there may be one later. */
bool order_next(Order *o, u32 thread, u32 parts, Batch *b);
/* Before others begin: gives back what is left of the batch of the thread that was alone, for all. */
void order_share(Order *o, u32 thread, Batch *b);
/* Groups may wait for each other, as the thread's group `linear` does, which has not ended (UINT64_MAX: it has none): from now on
 * they have one order, and what is left of the thread's batch is given back.  Again: nothing. */
void order_wait(Order *o, u32 thread, u64 linear, Batch *b);
/* A group with which the thread went on has ended. */
void order_end(Order *o, u32 thread, u64 linear);
/* The thread begins no group any more. */
void order_leave(Order *o, u32 thread);

static inline bool order_waits(const Order *o)
{
    return atomic_load_explicit(&o->waits, memory_order_relaxed);
}
#endif
