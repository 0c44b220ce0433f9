/* pool.c -- threads that look out, then sleep, between launches.
 *
 * The numbers of a job are handed out one by one.  A thread that wakes when none is left sleeps
 * again, and the caller does not wait for it: a short launch ends before the other threads have
 * begun.
 *
 * A host that wakes a thread looks for an idle processor.  Where the last of these is just about to become idle, it finds
 * none, and leaves the thread for milliseconds to wait for the one that the caller runs on.  So threads, if they are few,
 * are sent away from that one when they are called, and may go anywhere again when they have begun.
 */
#include "sim/pool.h"
#include "sim/step.h"
#include <unistd.h>

/* Nanoseconds: about what a wake-up takes; and where the last call came so soon after the one before. */
enum { LOOK_OUT = 30000, LOOK_OUT_LONG = 150000 };
enum { FEW = 7 };         /* threads that are sent away: each takes one or two microseconds */
enum { JUST_NOW = 2000 }; /* nanoseconds: who looked out then, still does */

void pool_open(Pool *p, u32 processors)
{
    *p = (Pool){.owner = getpid(), .looks_out = processors > 1, .patience = LOOK_OUT};
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
        pthread_join(p->thread[i].id, NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->wanted);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->caller);
}

/* Until *word is not `old`, or for so many nanoseconds; false: it still is.  *looked (or NULL): when it looked last. */
static bool look_out(const Pool *p, _Atomic u32 *word, u32 old, u64 patience, _Atomic u64 *looked)
{
    u64 now = nanoseconds();
    for (const u64 end = now + patience; p->looks_out && now < end; now = nanoseconds()) {
        if (looked)
            atomic_store_explicit(looked, now, memory_order_relaxed);
        for (int i = 0; i < 64; i++)
            if (atomic_load_explicit(word, memory_order_acquire) != old)
                return true;
    }
    return atomic_load(word) != old;
}

/* With the lock: returns when there may be something to do. */
static void await_call(Pool *p)
{
    const u32 calls = atomic_load(&p->calls);
    const u64 patience = p->patience;
    pthread_mutex_unlock(&p->lock);
    const bool is_called = look_out(p, &p->calls, calls, patience, &p->looked);
    pthread_mutex_lock(&p->lock);
    if (is_called || atomic_load(&p->calls) != calls)
        return;
    p->nsleeping++;
    pthread_cond_wait(&p->wanted, &p->lock);
    p->nsleeping--;
}

/* With the lock: the number of the next part, whose thread may go where the caller may. */
static u32 begin_part(Pool *p, PoolThread *self)
{
    const u32 number = p->next++;
    if (self->is_away) {
        pthread_setaffinity_np(self->id, sizeof p->home, &p->home);
        self->is_away = false;
        p->naway--;
    }
    atomic_fetch_add(&p->busy, 1);
    return number;
}

static void *thread(void *self)
{
    Pool *p = ((PoolThread *)self)->pool;
    pthread_mutex_lock(&p->lock);
    while (!p->is_closing) {
        if (p->next >= p->end) {
            await_call(p);
            continue;
        }
        const PoolWork work = p->work;
        const u32 number = begin_part(p, self);
        pthread_mutex_unlock(&p->lock);
        work.run(work.self, number);
        pthread_mutex_lock(&p->lock);
        if (atomic_fetch_sub(&p->busy, 1) == 1)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* With the lock: sends threads away from the processor that the caller runs on, unless they look out on others; those
 * that are made, by *attr. */
static bool send_away(Pool *p, u32 wanted, u64 now, pthread_attr_t *attr)
{
    const size_t here = (size_t)sched_getcpu(); /* beyond all, where the host does not know */
    const u32 most = p->nthreads > wanted ? p->nthreads : wanted;
    const bool are_looking =
        p->nthreads >= wanted && !p->nsleeping &&
        now - atomic_load_explicit(&p->looked, memory_order_relaxed) < JUST_NOW;
    if ((are_looking && !p->naway) || sched_getaffinity(0, sizeof p->home, &p->home))
        return false;
    cpu_set_t away = p->home;
    CPU_CLR(here, &away);
    if (are_looking || most > FEW || !CPU_COUNT(&away))
        return false;
    for (u32 i = 0; i < p->nthreads; i++) {
        PoolThread *t = &p->thread[i];
        pthread_setaffinity_np(t->id, sizeof away, &away);
        p->naway += !t->is_away;
        t->is_away = true;
    }
    pthread_attr_setaffinity_np(attr, sizeof away, &away);
    return true;
}

void pool_begin(PoolJob *j, Pool *p, u32 n, PoolWork work)
{
    *j = (PoolJob){.pool = p, .work = work, .n = n};
    j->has_threads = n > 1 && !pthread_mutex_trylock(&p->caller);
}

void pool_call(PoolJob *j)
{
    Pool *p = j->pool;
    pthread_attr_t attr;
    if (!j->has_threads || j->is_called)
        return;
    j->is_called = true;
    const u32 wanted = j->n - 1;
    const u64 now = nanoseconds();
    pthread_attr_init(&attr);
    pthread_mutex_lock(&p->lock);
    p->patience = now - p->ended < LOOK_OUT_LONG ? LOOK_OUT_LONG : LOOK_OUT;
    const bool is_away = send_away(p, wanted, now, &attr);
    p->work = j->work;
    p->next = 1;
    p->end = j->n;
    atomic_fetch_add(&p->calls, 1);
    /* fewer threads than wanted only take longer */
    while (p->nthreads < wanted) {
        PoolThread *t = &p->thread[p->nthreads];
        *t = (PoolThread){.pool = p, .is_away = is_away};
        if (pthread_create(&t->id, &attr, thread, t) && pthread_create(&t->id, NULL, thread, t))
            break;
        p->nthreads++;
        p->naway += is_away;
    }
    const u32 awake = p->nthreads - p->nsleeping;
    for (u32 i = awake; i < wanted && i - awake < p->nsleeping; i++)
        pthread_cond_signal(&p->wanted);
    pthread_mutex_unlock(&p->lock);
    pthread_attr_destroy(&attr);
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
            const bool is_less = look_out(p, &p->busy, busy, LOOK_OUT, NULL);
            pthread_mutex_lock(&p->lock);
            if (!is_less && atomic_load(&p->busy))
                pthread_cond_wait(&p->done, &p->lock);
        }
        pthread_mutex_unlock(&p->lock);
        p->ended = nanoseconds();
    }
    pthread_mutex_unlock(&p->caller);
}
