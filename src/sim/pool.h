/* pool.h -- host threads that wait for work: making one costs more than a small launch.
 *
 * A thread that has nothing to do looks out for a while before it sleeps, because the next launch
 * often follows at once, and to wake it takes longer than many launches; for longer where launches have followed
 * each other so.
 */
#ifndef SIM_POOL_H
#define SIM_POOL_H
#include "mach/engine.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/types.h>

/* A job for several threads: run() is called once for each number. */
typedef struct {
    void (*run)(void *self, u32 number);
    void *self;
} PoolWork;

typedef struct {
    struct Pool *pool;
    pthread_t id;
    bool is_away;
} PoolThread;

/* Threads that wait for work; one caller at a time uses them. */
typedef struct Pool {
    pthread_mutex_t caller; /* held by the thread that uses the others */
    u64 ended;              /* when the last one that called them had done so; the caller's */
    pthread_mutex_t lock;   /* guards what follows */
    pthread_cond_t wanted, done;
    PoolWork work;
    u32 next, end;          /* numbers of the work that nobody has begun */
    _Atomic u32 calls;      /* of pool_call and pool_close so far; threads that look out read it */
    _Atomic u32 busy;       /* threads that work */
    _Atomic u64 looked;     /* when a thread looked out last */
    u32 nsleeping;
    u64 patience;           /* nanoseconds for which threads look out */
    u32 naway;              /* threads that were sent from where the caller runs; */
    cpu_set_t home;         /* when they begin they may use these processors, which are the caller's */
    bool is_closing;
    bool looks_out;         /* the host has processors for it */
    pid_t owner;            /* a forked child has no threads */
    u32 nthreads;
    PoolThread thread[MAX_HOST_THREADS - 1];
} Pool;

/* Makes a pool without threads, for a host of so many processors; they are started when they are
 * first needed. */
void pool_open(Pool *p, u32 processors);
void pool_close(Pool *p); /* nobody runs work */

/* One use of the threads. */
typedef struct {
    Pool *pool;
    PoolWork work;
    u32 n;
    bool has_threads, is_called;
} PoolJob;

/* Begins work in n parts, up to MAX_HOST_THREADS; part 0 is the caller's own, who does it between
 * begin and end.  While one caller has the threads, others go without. */
void pool_begin(PoolJob *j, Pool *p, u32 n, PoolWork work);
/* Lets threads run parts 1 to n - 1, as far as they start before pool_end; again: nothing. */
void pool_call(PoolJob *j);
/* Waits for the parts that were begun; the others are not begun any more. */
void pool_end(PoolJob *j);
#endif
