/* event.c -- events: the states of a command, and the callbacks for them.
 *
 * A command is its event.  Its status goes down from CL_QUEUED to CL_COMPLETE, or ends below 0.
 * The thread that changes it calls the application's callbacks, with no lock held.
 */
#include "cl/cl.h"
#include <time.h>

cl_ulong host_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (cl_ulong)t.tv_sec * 1000000000u + (cl_ulong)t.tv_nsec;
}

/* --- life ----------------------------------------------------------------------------- */

ClEvent *event_new(ClContext *c, ClQueue *q, cl_command_type type)
{
    ClEvent *e = mem_zalloc(1, sizeof *e);
    if (!e)
        return NULL;
    object_init(&e->head, KIND_EVENT);
    e->context = c;
    e->queue = q;
    e->type = type;
    e->status = q ? CL_QUEUED : CL_SUBMITTED;
    use(c);
    if (q)
        use(q);
    return e;
}

/* Nobody can set the status of a user event that has been released; without this, commands that
 * wait for it would wait for ever. */
void event_abandon(ClEvent *e)
{
    pthread_mutex_lock(&e->context->lock);
    const bool is_open = !e->queue && !e->is_set;
    e->is_set |= is_open;
    pthread_mutex_unlock(&e->context->lock);
    if (is_open)
        event_end(e, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

void event_free(ClEvent *e)
{
    for (Callback *b; (b = e->callbacks);) {
        e->callbacks = b->next;
        mem_free(b);
    }
    if (e->queue)
        drop(e->queue);
    drop(e->context);
    mem_free(e->edges);
    mem_free(e);
}

/* --- changes -------------------------------------------------------------------------- */

/* With the lock: takes out the callbacks that the status calls, in the order of their registration.
 */
static Callback *take_callbacks(ClEvent *e, cl_int status)
{
    Callback *taken = NULL;
    for (Callback **p = &e->callbacks, *b; (b = *p);) {
        if (b->status < status) {
            p = &b->next;
            continue;
        }
        *p = b->next;
        b->next = taken;
        taken = b;
    }
    return taken;
}

void event_call_back(ClEvent *e, Callback *list, cl_int status)
{
    for (Callback *b; (b = list);) {
        list = b->next;
        b->call.event(e, status < 0 ? status : b->status, b->data);
        mem_free(b);
    }
}

/* The time, if somebody can ask for it. */
static cl_ulong profile_time(const ClEvent *e)
{
    return e->queue && e->queue->flags & CL_QUEUE_PROFILING_ENABLE ? host_time() : 0;
}

Callback *event_begin(ClEvent *e)
{
    e->status = CL_RUNNING;
    e->started = profile_time(e);
    return take_callbacks(e, CL_RUNNING);
}

static void release_waiters(ClEvent *e)
{
    for (Edge *edge = e->waiters; edge; edge = edge->next) {
        ClEvent *w = edge->waiter;
        edge->at = NULL;
        w->blockers--;
        if (edge->strict && e->status < 0)
            w->doomed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (!w->blockers)
            queue_ready(w->queue, w);
    }
    e->waiters = NULL;
}

void event_unblock(ClEvent *e)
{
    for (size_t i = 0; i < e->nedges; i++) {
        Edge *edge = &e->edges[i];
        if (!edge->at)
            continue;
        *edge->at = edge->next;
        if (edge->next)
            edge->next->at = edge->at;
        edge->at = NULL;
    }
    e->blockers = 0;
    queue_ready(e->queue, e);
}

void event_end(ClEvent *e, cl_int status)
{
    const cl_ulong now = profile_time(e);
    use(e);
    pthread_mutex_lock(&e->context->lock);
    if (e->queue && e->context->is_terminated)
        status = CL_CONTEXT_TERMINATED_KHR;
    e->status = status;
    atomic_store_explicit(&e->has_ended, true, memory_order_relaxed);
    e->started = e->ran_from && e->started ? e->ran_from : e->started;
    e->ended = e->simulated         ? e->started + e->simulated
               : e->ran_to && now   ? e->ran_to
                                    : now;
    release_waiters(e);
    Callback *list = take_callbacks(e, CL_COMPLETE);
    if (e->queue)
        queue_remove(e->queue, e);
    if (e->is_awaited)
        pthread_cond_broadcast(&e->context->changed);
    pthread_mutex_unlock(&e->context->lock);
    event_call_back(e, list, status);
    drop(e);
}

cl_int event_wait(ClEvent *e)
{
    host_spin(e->context, &e->has_ended, &e->context->misses);
    pthread_mutex_lock(&e->context->lock);
    e->is_awaited = true;
    while (e->status > CL_COMPLETE)
        pthread_cond_wait(&e->context->changed, &e->context->lock);
    const cl_int status = e->status;
    pthread_mutex_unlock(&e->context->lock);
    return status;
}

static cl_int status_now(ClEvent *e)
{
    pthread_mutex_lock(&e->context->lock);
    const cl_int status = e->status;
    pthread_mutex_unlock(&e->context->lock);
    return status;
}

/* --- entry points --------------------------------------------------------------------------- */

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    ClEvent *e = NULL;
    cl_int s = check_context(context);
    if (!s) {
        e = event_new(context, NULL, CL_COMMAND_USER);
        s = e ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    tell(errcode_ret, s);
    return e;
}

cl_int clSetUserEventStatus(cl_event event, cl_int execution_status)
{
    if (!is_object(event, KIND_EVENT) || event->queue)
        return told(CL_INVALID_EVENT);
    if (execution_status > CL_COMPLETE)
        return told(CL_INVALID_VALUE);
    pthread_mutex_lock(&event->context->lock);
    const bool is_open = !event->is_set;
    event->is_set = true;
    pthread_mutex_unlock(&event->context->lock);
    if (!is_open)
        return told(CL_INVALID_OPERATION);
    event_end(event, execution_status);
    return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    cl_int worst = CL_SUCCESS;
    if (!num_events || !event_list)
        return told(CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_events; i++)
        if (!is_object(event_list[i], KIND_EVENT))
            return told(CL_INVALID_EVENT);
    for (cl_uint i = 1; i < num_events; i++)
        if (event_list[i]->context != event_list[0]->context)
            return told(CL_INVALID_CONTEXT);
    for (cl_uint i = 0; i < num_events; i++)
        use(event_list[i]);
    for (cl_uint i = 0; i < num_events; i++) {
        if (event_wait(event_list[i]) < 0)
            worst = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        drop(event_list[i]);
    }
    return told(worst);
}

cl_int clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    if (!is_object(event, KIND_EVENT))
        return told(CL_INVALID_EVENT);
    switch (param_name) {
    case CL_EVENT_COMMAND_QUEUE: return answer(&q, cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT: return answer(&q, cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE: return answer(&q, cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return answer(&q, cl_int, status_now(event));
    case CL_EVENT_REFERENCE_COUNT: return answer(&q, cl_uint, event->head.refs);
    }
    return told(CL_INVALID_VALUE);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
                               size_t param_value_size, void *param_value,
                               size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    if (!is_object(event, KIND_EVENT))
        return told(CL_INVALID_EVENT);
    if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE) ||
        status_now(event) != CL_COMPLETE)
        return told(CL_PROFILING_INFO_NOT_AVAILABLE);
    switch (param_name) {
    case CL_PROFILING_COMMAND_QUEUED: return answer(&q, cl_ulong, event->queued);
    case CL_PROFILING_COMMAND_SUBMIT: return answer(&q, cl_ulong, event->submitted);
    case CL_PROFILING_COMMAND_START: return answer(&q, cl_ulong, event->started);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: return answer(&q, cl_ulong, event->ended);
    }
    return told(CL_INVALID_VALUE);
}

cl_int clRetainEvent(cl_event event)
{
    if (!is_object(event, KIND_EVENT))
        return told(CL_INVALID_EVENT);
    object_retain(&event->head);
    return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event)
{
    if (!is_object(event, KIND_EVENT))
        return told(CL_INVALID_EVENT);
    object_release(&event->head);
    return CL_SUCCESS;
}

/* For a status that has been reached already, calls back at once, on the caller's thread. */
cl_int clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
                          void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *), void *user_data)
{
    if (!is_object(event, KIND_EVENT))
        return told(CL_INVALID_EVENT);
    if (!pfn_notify || command_exec_callback_type < CL_COMPLETE ||
        command_exec_callback_type > CL_SUBMITTED)
        return told(CL_INVALID_VALUE);
    Callback *b = mem_zalloc(1, sizeof *b);
    if (!b)
        return told(CL_OUT_OF_HOST_MEMORY);
    *b = (Callback){
        .call.event = pfn_notify, .status = command_exec_callback_type, .data = user_data};
    pthread_mutex_lock(&event->context->lock);
    const cl_int status = event->status;
    if (status > b->status) {
        b->next = event->callbacks;
        event->callbacks = b;
        b = NULL;
    }
    pthread_mutex_unlock(&event->context->lock);
    if (b)
        event_call_back(event, b, status);
    return CL_SUCCESS;
}
