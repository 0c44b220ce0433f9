/* pool.c -- threads that look out, then sleep, between launches.
 *
 * The numbers of a job are handed out one by one.  A thread that wakes when none is left sleeps
 * again, and the caller does not wait for it: a short launch ends before the other threads have
 * begun.
 */
#include "sim/pool.h"
#include "sim/step.h"
#include <unistd.h>

enum { LOOK_OUT = 30000 }; /* nanoseconds, about what a wake-up takes */

void pool_open(Pool *p, u32 processors)
{
    *p = (Pool){.owner = getpid(), .looks_out = processors > 1};
    pthread_mutex_init(&p->caller, NULL);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wanted, NULL);
    pthread_cond_init(&p->done, NULL);
}

void pool_close(Pool *p)
{
    if (p->owner != getpid())
        return;
    pthread_mutex_lock(&p->lock);
    p->is_closing = true;
    atomic_fetch_add(&p->calls, 1);
    pthread_cond_broadcast(&p->wanted);
    pthread_mutex_unlock(&p->lock);
    for (u32 i = 0; i < p->nthreads; i++)
        pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->wanted);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->caller);
}

/* Until *word is not `old`, or for a while; false: it still is. */
static bool look_out(const Pool *p, _Atomic u32 *word, u32 old)
{
    for (const u64 end = nanoseconds() + LOOK_OUT; p->looks_out && nanoseconds() < end;)
        for (int i = 0; i < 64; i++)
            if (atomic_load_explicit(word, memory_order_acquire) != old)
                return true;
    return atomic_load(word) != old;
}

/* With the lock: returns when there may be something to do. */
static void await_call(Pool *p)
{
    const u32 calls = atomic_load(&p->calls);
    pthread_mutex_unlock(&p->lock);
    const bool is_called = look_out(p, &p->calls, calls);
    pthread_mutex_lock(&p->lock);
    if (is_called || atomic_load(&p->calls) != calls)
        return;
    p->nsleeping++;
    pthread_cond_wait(&p->wanted, &p->lock);
    p->nsleeping--;
}

static void *thread(void *arg)
{
    Pool *p = arg;
    pthread_mutex_lock(&p->lock);
    while (!p->is_closing) {
        if (p->next >= p->end) {
            await_call(p);
            continue;
        }
        const PoolWork work = p->work;
        const u32 number = p->next++;
        atomic_fetch_add(&p->busy, 1);
        pthread_mutex_unlock(&p->lock);
        work.run(work.self, number);
        pthread_mutex_lock(&p->lock);
        if (atomic_fetch_sub(&p->busy, 1) == 1)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void pool_begin(PoolJob *j, Pool *p, u32 n, PoolWork work)
{
    *j = (PoolJob){.pool = p, .work = work, .n = n};
    j->has_threads = n > 1 && !pthread_mutex_trylock(&p->caller);
}

void pool_call(PoolJob *j)
{
    Pool *p = j->pool;
    if (!j->has_threads || j->is_called)
        return;
    j->is_called = true;
    pthread_mutex_lock(&p->lock);
    p->work = j->work;
    p->next = 1;
    p->end = j->n;
    atomic_fetch_add(&p->calls, 1);
    /* fewer threads than wanted only take longer */
    const u32 wanted = j->n - 1;
    while (p->nthreads < wanted && !pthread_create(&p->thread[p->nthreads], NULL, thread, p))
        p->nthreads++;
    const u32 awake = p->nthreads - p->nsleeping;
    for (u32 i = awake; i < wanted && i - awake < p->nsleeping; i++)
        pthread_cond_signal(&p->wanted);
    pthread_mutex_unlock(&p->lock);
}

void pool_end(PoolJob *j)
{
    Pool *p = j->pool;
    if (!j->has_threads)
        return;
    if (j->is_called) {
        pthread_mutex_lock(&p->lock);
        p->end = 0;
        for (u32 busy; (busy = atomic_load(&p->busy));) {
            pthread_mutex_unlock(&p->lock);
            const bool is_less = look_out(p, &p->busy, busy);
            pthread_mutex_lock(&p->lock);
            if (!is_less && atomic_load(&p->busy))
                pthread_cond_wait(&p->done, &p->lock);
        }
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_unlock(&p->caller);
}
