/* order.c -- groups in shares, and in one order once they wait for each other.
 *
 * A thread that does not know yet that groups wait goes on with the batch that it has.  `front` says
 * how far it has come, so that no later group begins before what it gives back.  A group that had begun
 * in such a batch before others that come first counts as one that the machine holds when its turn
 * in the order has come.
 */
#include "sim/order.h"
#include <sched.h>

static const u64 NONE = UINT64_MAX;

void order_open(Order *o, u64 groups, u32 threads, u32 most, bool is_alone)
{
    const u64 each = is_alone ? 0 : groups / threads;
    o->threads = threads;
    o->most = most;
    o->begun = 0;
    atomic_init(&o->waits, false);
    pthread_mutex_init(&o->lock, NULL);
    for (u32 i = 0; i < threads; i++) {
        Share *s = &o->share[i];
        const bool has_rest = i == (is_alone ? 0 : threads - 1);
        atomic_init(&s->next, each * i);
        s->end = has_rest ? groups : each * (i + 1);
        atomic_init(&s->front, NONE);
        s->is_ordered = false;
        s->rest = (Batch){0, 0};
        s->early = NONE;
    }
}

void order_close(Order *o) { pthread_mutex_destroy(&o->lock); }

/* Takes a part of what is left of the thread's share, or of another one's.  Who sees that something was
 * taken sees whose front it may be. */
static void take_batch(Order *o, u32 thread, u32 parts, Batch *b)
{
    Share *own = &o->share[thread];
    for (u32 k = 0; k < o->threads && b->next == b->end; k++) {
        Share *s = &o->share[(thread + k) % o->threads];
        u64 next = atomic_load(&s->next), n;
        do {
            n = (s->end - next + parts - 1) / parts;
            atomic_store(&own->front, next);
        } while (n && !atomic_compare_exchange_weak(&s->next, &next, next + n));
        *b = (Batch){next, next + n};
    }
}

void order_share(Order *o, u32 thread, Batch *b)
{
    if (b->next == b->end)
        return;
    atomic_store(&o->share[thread].next, b->next);
    b->end = b->next;
}

void order_wait(Order *o, u32 thread, u64 linear, Batch *b)
{
    Share *s = &o->share[thread];
    if (s->is_ordered)
        return;
    pthread_mutex_lock(&o->lock);
    s->is_ordered = true;
    s->rest = *b;
    s->early = linear;
    *b = (Batch){0, 0};
    atomic_store(&o->waits, true);
    atomic_store(&s->front, NONE);
    pthread_mutex_unlock(&o->lock);
}

/* The first group of all that nobody has taken, or that was given back, and whose share has it. */
static u64 find_first(Order *o, Share **of)
{
    u64 first = NONE;
    for (Share *s = o->share; s < o->share + o->threads; s++) {
        const bool has_rest = s->rest.next < s->rest.end;
        const u64 next = has_rest ? s->rest.next : atomic_load(&s->next);
        if ((has_rest || next < s->end) && next < first) {
            first = next;
            *of = s;
        }
    }
    return first;
}

/* Whether a thread may give back an earlier group than that. */
static bool may_come_back(const Order *o, u64 first)
{
    for (u32 i = 0; i < o->threads; i++)
        if (atomic_load(&o->share[i].front) < first)
            return true;
    return false;
}

/* Whether the machine has room for the group. */
static bool has_room(Order *o, u64 first)
{
    for (Share *s = o->share; s < o->share + o->threads; s++)
        if (s->early < first) {
            s->early = NONE;
            o->begun++;
        }
    return o->begun < o->most;
}

/* Takes the first of all that have not begun, if it may begin. */
static void take_first(Order *o, Batch *b)
{
    Share *of = NULL;
    pthread_mutex_lock(&o->lock);
    for (;;) {
        u64 first = find_first(o, &of);
        if (first != NONE && may_come_back(o, first)) { /* not long: until a turn has ended */
            pthread_mutex_unlock(&o->lock);
            sched_yield();
            pthread_mutex_lock(&o->lock);
            continue;
        }
        if (first == NONE || !has_room(o, first))
            break;
        const bool is_given_back = of->rest.next < of->rest.end;
        if (!is_given_back && !atomic_compare_exchange_strong(&of->next, &first, first + 1))
            continue;
        of->rest.next += is_given_back;
        o->begun++;
        *b = (Batch){first, first + 1};
        break;
    }
    pthread_mutex_unlock(&o->lock);
}

bool order_next(Order *o, u32 thread, u32 parts, Batch *b)
{
    if (order_waits(o)) {
        order_wait(o, thread, NONE, b);
        take_first(o, b);
    } else if (b->next == b->end) {
        take_batch(o, thread, parts, b);
    }
    if (!o->share[thread].is_ordered)
        atomic_store_explicit(&o->share[thread].front, b->next < b->end ? b->next : NONE,
                              memory_order_release);
    return b->next < b->end;
}

void order_end(Order *o, u32 thread, u64 linear)
{
    bool was_early = false;
    if (!o->share[thread].is_ordered)
        return;
    pthread_mutex_lock(&o->lock);
    for (Share *s = o->share; s < o->share + o->threads; s++)
        if (s->early == linear) {
            s->early = NONE;
            was_early = true;
        }
    o->begun -= !was_early;
    pthread_mutex_unlock(&o->lock);
}

void order_leave(Order *o, u32 thread) { atomic_store(&o->share[thread].front, NONE); }
