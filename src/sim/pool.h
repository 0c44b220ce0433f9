/* pool.h -- host threads that wait for work: making one costs more than a small launch.
 *
 * A thread that has nothing to do looks out for a while before it sleeps, because the next launch
 * often follows at once, and to wake it takes longer than many launches.
 */
#ifndef SIM_POOL_H
#define SIM_POOL_H
#include "mach/engine.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* A job for several threads: run() is called once for each number. */
typedef struct {
    void (*run)(void *self, u32 number);
    void *self;
} PoolWork;

/* Threads that wait for work; one caller at a time uses them. */
typedef struct {
    pthread_mutex_t caller; /* held by the thread that uses the others */
    pthread_mutex_t lock;   /* guards what follows */
    pthread_cond_t wanted, done;
    PoolWork work;
    u32 next, end;          /* numbers of the work that nobody has begun */
    _Atomic u32 calls;      /* of pool_call and pool_close so far; threads that look out read it */
    _Atomic u32 busy;       /* threads that work */
    u32 nsleeping;
    bool is_closing;
    bool looks_out;         /* the host has processors for it */
    pid_t owner;            /* a forked child has no threads */
    u32 nthreads;
    pthread_t thread[MAX_HOST_THREADS - 1];
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
