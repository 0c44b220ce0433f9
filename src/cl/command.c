/* command.c -- how a command gets into a queue; markers and barriers.
 *
 * Order is made of edges.  A command waits for the events of its list, and
 *   in an ordered queue      for the command before it;
 *   in an unordered queue    for the last barrier.
 * A marker or barrier without a list waits for every unfinished command.  If an event of its list
 * fails, a command fails too; if an earlier command of the queue fails, it runs all the same.
 */
#include "cl/cl.h"

cl_int check_waits(const ClContext *c, Waits w)
{
    if (!w.list != !w.n)
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < w.n; i++)
        if (!is_object(w.list[i], KIND_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < w.n; i++)
        if (w.list[i]->context != c)
            return CL_INVALID_CONTEXT;
    return CL_SUCCESS;
}

/* --- edges, with the lock --------------------------------------------------------------- */

static bool is_ordered(const ClQueue *q)
{
    return !(q->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static void wait_for(ClEvent *e, ClEvent *before, bool is_strict, Edge *edge)
{
    if (before->status <= CL_COMPLETE) {
        if (is_strict && before->status < 0)
            e->doomed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        return;
    }
    *edge =
        (Edge){.waiter = e, .next = before->waiters, .at = &before->waiters, .strict = is_strict};
    if (edge->next)
        edge->next->at = &edge->next;
    before->waiters = edge;
    e->blockers++;
}

static size_t count_unfinished(const ClQueue *q)
{
    size_t n = 0;
    for (const ClEvent *e = q->first; e; e = e->next)
        n++;
    return n;
}

/* False: out of memory. */
static bool make_edges(ClQueue *q, ClEvent *e, Waits w, Ordering order)
{
    const bool all = order != WAIT_LIST && !w.n && !is_ordered(q);
    e->nedges = w.n + 1 + (all ? count_unfinished(q) : 0);
    e->edges = mem_zalloc(e->nedges, sizeof *e->edges);
    if (!e->edges)
        return false;
    Edge *edge = e->edges;
    for (cl_uint i = 0; i < w.n; i++)
        wait_for(e, w.list[i], true, edge++);
    if (is_ordered(q)) {
        if (q->last)
            wait_for(e, q->last, false, edge++);
        return true;
    }
    if (q->barrier)
        wait_for(e, q->barrier, false, edge++);
    for (ClEvent *before = q->first; all && before; before = before->next)
        if (before != q->barrier)
            wait_for(e, before, false, edge++);
    return true;
}

static void append(ClQueue *q, ClEvent *e)
{
    e->number = ++q->count;
    e->previous = q->last;
    *(q->last ? &q->last->next : &q->first) = e;
    q->last = e;
}

/* --- enqueue ---------------------------------------------------------------------------------- */

static cl_int give_up(Work work, cl_int s)
{
    if (work.release)
        work.release(work.payload);
    return s;
}

/* Waits for a command, and returns its status, or that of a command before it that failed. */
static cl_int wait_for_answer(ClQueue *q, ClEvent *e)
{
    cl_int s = event_wait(e);
    pthread_mutex_lock(&q->context->lock);
    if (!s)
        s = q->error;
    if (s != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        q->error = CL_SUCCESS;
    pthread_mutex_unlock(&q->context->lock);
    return s;
}

cl_int enqueue(ClQueue *q, cl_command_type type, Work work, Waits w, Ordering order, bool blocking,
               cl_event *event)
{
    if (q->context->is_terminated)
        return give_up(work, CL_CONTEXT_TERMINATED_KHR);
    if (q->recording)
        return commandbuffer_record(q->recording, work);
    /* 1. the event, submitted as soon as it is queued */
    ClEvent *e = event_new(q->context, q, type);
    if (!e)
        return give_up(work, CL_OUT_OF_HOST_MEMORY);
    e->work = work;
    e->status = CL_SUBMITTED;
    e->queued = e->submitted = host_time();
    /* 2. into the queue; a command that waits for nothing runs here if it is quick or blocking */
    bool is_ours = false;
    pthread_mutex_lock(&q->context->lock);
    cl_int s = q->context->is_terminated    ? CL_CONTEXT_TERMINATED_KHR
               : make_edges(q, e, w, order) ? CL_SUCCESS
                                            : CL_OUT_OF_HOST_MEMORY;
    if (!s) {
        use(e); /* the queue's */
        if (order == BARRIER && !is_ordered(q))
            q->barrier = e;
        append(q, e);
        is_ours = !e->blockers && (blocking || work.is_quick);
        if (is_ours && !e->doomed)
            event_begin(e); /* nobody else has it: no callbacks */
        if (!is_ours && !e->blockers)
            queue_ready(q, e);
    }
    pthread_mutex_unlock(&q->context->lock);
    if (s) {
        drop(e);
        return give_up(work, s);
    }
    if (is_ours)
        event_run(e);
    /* 3. the answer */
    s = blocking ? wait_for_answer(q, e) : CL_SUCCESS;
    if (event)
        *event = e;
    else
        object_release(&e->head);
    return s;
}

/* --- entry points --------------------------------------------------------------------- */

static cl_int mark(cl_command_queue q, cl_command_type type, Waits w, Ordering order,
                   cl_event *event)
{
    if (!is_object(q, KIND_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    const cl_int s = check_waits(q->context, w);
    return s ? s : enqueue(q, type, (Work){.is_quick = true}, w, order, false, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event)
{
    return told(mark(command_queue, CL_COMMAND_MARKER,
                     (Waits){num_events_in_wait_list, event_wait_list}, WAIT_ALL, event));
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    return told(mark(command_queue, CL_COMMAND_BARRIER,
                     (Waits){num_events_in_wait_list, event_wait_list}, BARRIER, event));
}

cl_int clEnqueueMarker(cl_command_queue command_queue, cl_event *event)
{
    if (is_object(command_queue, KIND_QUEUE) && !event)
        return told(CL_INVALID_VALUE);
    return told(mark(command_queue, CL_COMMAND_MARKER, (Waits){0}, WAIT_ALL, event));
}

cl_int clEnqueueBarrier(cl_command_queue command_queue)
{
    return told(mark(command_queue, CL_COMMAND_BARRIER, (Waits){0}, BARRIER, NULL));
}

cl_int clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events,
                              const cl_event *event_list)
{
    if (!is_object(command_queue, KIND_QUEUE))
        return told(CL_INVALID_COMMAND_QUEUE);
    if (!num_events || !event_list)
        return told(CL_INVALID_VALUE);
    const Waits w = {num_events, event_list};
    const cl_int s = check_waits(command_queue->context, w);
    if (s)
        return told(s == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : s);
    return told(mark(command_queue, CL_COMMAND_BARRIER, w, BARRIER, NULL));
}
