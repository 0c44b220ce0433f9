/* terminate.c -- cl_khr_terminate_context: ends all work of a context at once.
 *
 * Commands that have not begun end without running, whatever they wait for.  Kernels that run are
 * interrupted; other commands that run are short.  All of them end with CL_CONTEXT_TERMINATED_KHR
 * (event_end), and nothing new begins (check_context, enqueue).
 */
#include "cl/cl.h"
#include <time.h>

/* Both flags are sequentially consistent: either the launch sees that the context is terminated, or
 * interrupt_launches() sees the launch. */
bool context_begin_launch(ClContext *c)
{
    atomic_fetch_add(&c->launches, 1);
    if (!c->is_terminated)
        return true;
    context_end_launch(c);
    return false;
}

void context_end_launch(ClContext *c) { atomic_fetch_sub(&c->launches, 1); }

/* An interrupt ends only what the engine runs already, so that one who is about to start takes
 * several. */
static void interrupt_launches(ClContext *c)
{
    while (atomic_load(&c->launches)) {
        for (u32 i = 0; i < c->ndevices; i++)
            drv_interrupt(c->drivers[i]);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* With the lock. */
static void abandon_commands(ClContext *c)
{
    for (ClQueue *q = c->queues; q; q = q->next_queue)
        for (ClEvent *e = q->first; e; e = e->next) {
            if (e->status <= CL_RUNNING)
                continue;
            if (!e->doomed)
                e->doomed = CL_CONTEXT_TERMINATED_KHR;
            if (e->blockers)
                event_unblock(e);
        }
}

cl_int clTerminateContextKHR(cl_context context)
{
    const cl_int s = check_context(context);
    if (s)
        return told(s);
    if (!context->can_terminate)
        return told(CL_INVALID_OPERATION);
    pthread_mutex_lock(&context->lock);
    const bool is_first = !atomic_exchange(&context->is_terminated, true);
    if (is_first)
        abandon_commands(context);
    pthread_mutex_unlock(&context->lock);
    if (!is_first)
        return told(CL_CONTEXT_TERMINATED_KHR);
    interrupt_launches(context);
    context_report(context, "the context was terminated");
    return CL_SUCCESS;
}
