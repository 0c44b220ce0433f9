/* pool.h -- host threads that wait for work: making one costs more than a small launch. */
#ifndef SIM_POOL_H
#define SIM_POOL_H
#include "mach/engine.h"
#include <pthread.h>
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
    u32 busy;               /* threads that work */
    bool is_closing;
    pid_t owner;            /* a forked child has no threads */
    u32 nthreads;
    pthread_t thread[MAX_HOST_THREADS - 1];
} Pool;

/* Makes a pool without threads; they are started when they are first needed. */
void pool_open(Pool *p);
void pool_close(Pool *p); /* nobody runs work */
/* Runs the work with number 0 on this thread, and with numbers 1 to n - 1 on others, as far as they
 * start before that ends; n is at most MAX_HOST_THREADS.  While one caller has the threads, another
 * one runs its work alone. */
void pool_run(Pool *p, u32 n, PoolWork work);
#endif
