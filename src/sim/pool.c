/* pool.c -- threads that sleep between launches.
 *
 * The numbers of a job are handed out one by one.  A thread that wakes when none is left sleeps
 * again, and the caller does not wait for it: a short launch ends before the other threads have
 * begun.
 */
#include "sim/pool.h"
#include <unistd.h>

void pool_open(Pool *p)
{
    *p = (Pool){.owner = getpid()};
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
    pthread_cond_broadcast(&p->wanted);
    pthread_mutex_unlock(&p->lock);
    for (u32 i = 0; i < p->nthreads; i++)
        pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->wanted);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->caller);
}

static void *thread(void *arg)
{
    Pool *p = arg;
    pthread_mutex_lock(&p->lock);
    while (!p->is_closing) {
        if (p->next >= p->end) {
            pthread_cond_wait(&p->wanted, &p->lock);
            continue;
        }
        const PoolWork work = p->work;
        const u32 number = p->next++;
        p->busy++;
        pthread_mutex_unlock(&p->lock);
        work.run(work.self, number);
        pthread_mutex_lock(&p->lock);
        if (!--p->busy)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* With the lock.  Fewer threads than wanted only take longer. */
static void call_threads(Pool *p, u32 n)
{
    while (p->nthreads < n && !pthread_create(&p->thread[p->nthreads], NULL, thread, p))
        p->nthreads++;
    for (u32 i = 0; i < n; i++)
        pthread_cond_signal(&p->wanted);
}

void pool_run(Pool *p, u32 n, PoolWork work)
{
    if (n > 1 && pthread_mutex_trylock(&p->caller))
        n = 1;
    if (n > 1) {
        pthread_mutex_lock(&p->lock);
        p->work = work;
        p->next = 1;
        p->end = n;
        call_threads(p, n - 1);
        pthread_mutex_unlock(&p->lock);
    }
    if (n)
        work.run(work.self, 0);
    if (n <= 1)
        return;
    pthread_mutex_lock(&p->lock);
    p->end = 0;
    while (p->busy)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&p->caller);
}
