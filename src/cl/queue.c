/* queue.c -- command queues: a thread each, which runs what is ready.
 *
 * A command is in the list of unfinished commands from its enqueuing to its end, and in the list of
 * ready ones from when nothing blocks it until it begins.  Order between commands is nothing but
 * edges between events (command.c).  Quick commands that wait for nothing run on the thread that
 * enqueues them.  The queue's thread holds a use of the queue, and ends when the application has
 * released the queue and every command is done.
 */
#include "cl/cl.h"

/* --- lists, with the lock -------------------------------------------------------------- */

void queue_ready(ClQueue *q, ClEvent *e)
{
    *(q->ready.last ? &q->ready.last->next_ready : &q->ready.first) = e;
    q->ready.last = e;
    atomic_store_explicit(&q->has_ready, true, memory_order_relaxed);
    pthread_cond_signal(&q->work);
}

void queue_remove(ClQueue *q, ClEvent *e)
{
    *(e->previous ? &e->previous->next : &q->first) = e->next;
    *(e->next ? &e->next->previous : &q->last) = e->previous;
    e->previous = e->next = NULL;
    if (q->barrier == e)
        q->barrier = NULL;
    if (e->status < 0 && !e->doomed)
        q->error = e->status;
}

static ClEvent *take_ready(ClQueue *q)
{
    ClEvent *e = q->ready.first;
    if (e && !(q->ready.first = e->next_ready)) {
        q->ready.last = NULL;
        atomic_store_explicit(&q->has_ready, false, memory_order_relaxed);
    }
    return e;
}

/* --- the thread -------------------------------------------------------------------------- */

void host_spin(const ClContext *c, const atomic_bool *until, atomic_uint *misses)
{
    enum {
        SPIN = 20000,
        PATIENCE = 3,
        REST = 32
    }; /* ns; misses in a row, then one try in so many */
    const u32 n = atomic_fetch_add_explicit(misses, 1, memory_order_relaxed);
    if (c->platform->processors < 2 || (n >= PATIENCE && n % REST))
        return;
    for (const cl_ulong end = host_time() + SPIN; host_time() < end;)
        for (int i = 0; i < 16; i++)
            if (atomic_load_explicit(until, memory_order_relaxed)) {
                atomic_store_explicit(misses, 0, memory_order_relaxed);
                return;
            }
}

void event_run(ClEvent *e)
{
    const cl_int status = e->doomed     ? e->doomed
                          : e->work.run ? e->work.run(e, e->work.payload)
                                        : CL_COMPLETE;
    if (e->work.release)
        e->work.release(e->work.payload);
    event_end(e, status);
    drop(e);
}

/* Waits for the next command and marks it as running; NULL: the thread can end. */
static ClEvent *next(ClQueue *q)
{
    ClEvent *e;
    Callback *list = NULL;
    bool has_spun = false;
    pthread_mutex_lock(&q->context->lock);
    while (!(e = take_ready(q)) && (!q->is_closing || q->first)) {
        if (has_spun)
            pthread_cond_wait(&q->work, &q->context->lock);
        else {
            pthread_mutex_unlock(&q->context->lock);
            host_spin(q->context, &q->has_ready, &q->misses);
            pthread_mutex_lock(&q->context->lock);
        }
        has_spun = !has_spun;
    }
    if (e && !e->doomed)
        list = event_begin(e);
    pthread_mutex_unlock(&q->context->lock);
    event_call_back(e, list, CL_RUNNING);
    return e;
}

static void *thread(void *arg)
{
    ClQueue *q = arg;
    for (ClEvent *e; (e = next(q));)
        event_run(e);
    drop(q);
    return NULL;
}

static bool start_thread(ClQueue *q)
{
    pthread_attr_t attr;
    pthread_t id;
    if (pthread_attr_init(&attr))
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    use(q);
    const bool ok = !pthread_create(&id, &attr, thread, q);
    pthread_attr_destroy(&attr);
    if (!ok)
        atomic_fetch_sub(&q->head.uses, 1);
    return ok;
}

/* --- life ------------------------------------------------------------------------------------ */

void queue_close(ClQueue *q)
{
    pthread_mutex_lock(&q->context->lock);
    q->is_closing = true;
    pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->context->lock);
}

static void link_queue(ClQueue *q)
{
    ClContext *c = q->context;
    pthread_mutex_lock(&c->lock);
    q->next_queue = c->queues;
    if (c->queues)
        c->queues->previous_queue = q;
    c->queues = q;
    pthread_mutex_unlock(&c->lock);
}

static void unlink_queue(ClQueue *q)
{
    ClContext *c = q->context;
    pthread_mutex_lock(&c->lock);
    if (q->previous_queue || c->queues == q) {
        *(q->previous_queue ? &q->previous_queue->next_queue : &c->queues) = q->next_queue;
        if (q->next_queue)
            q->next_queue->previous_queue = q->previous_queue;
    }
    pthread_mutex_unlock(&c->lock);
}

void queue_free(ClQueue *q)
{
    unlink_queue(q);
    pthread_cond_destroy(&q->work);
    drop(q->context);
    mem_free(q);
}

static ClQueue *queue_make(ClContext *c, ClDevice *d, cl_command_queue_properties flags,
                           const cl_queue_properties *list, u32 n)
{
    ClQueue *q = mem_zalloc(1, sizeof *q);
    if (!q)
        return NULL;
    object_init(&q->head, KIND_QUEUE);
    use(c);
    q->context = c;
    q->device = d;
    q->device_index = (u32)context_device_index(c, d);
    q->flags = flags;
    q->nproperties = n;
    for (u32 i = 0; i < n; i++)
        q->properties[i] = list[i];
    pthread_cond_init(&q->work, NULL);
    return q;
}

static ClQueue *queue_new(ClContext *c, ClDevice *d, cl_command_queue_properties flags,
                          const cl_queue_properties *list, u32 n)
{
    ClQueue *q = queue_make(c, d, flags, list, n);
    if (q && !start_thread(q)) {
        drop(q);
        return NULL;
    }
    if (q)
        link_queue(q);
    return q;
}

ClQueue *queue_recorder(const ClQueue *like, struct _cl_command_buffer_khr *b)
{
    ClQueue *q = queue_make(like->context, like->device, like->flags, NULL, 0);
    if (q)
        q->recording = b;
    return q;
}

/* --- entry points --------------------------------------------------------------------- */

enum {
    SUPPORTED = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
    KNOWN = SUPPORTED | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT
};

static cl_int check_place(cl_context context, cl_device_id device)
{
    const cl_int s = check_context(context);
    if (s)
        return s;
    if (!is_object(device, KIND_DEVICE) || context_device_index(context, device) < 0)
        return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

static cl_int check_flags(cl_command_queue_properties flags)
{
    if (flags & ~(cl_command_queue_properties)KNOWN)
        return CL_INVALID_VALUE;
    return flags & ~(cl_command_queue_properties)SUPPORTED ? CL_INVALID_QUEUE_PROPERTIES
                                                           : CL_SUCCESS;
}

static cl_command_queue finish_creation(const char *call, ClQueue *q, cl_int s, cl_int *errcode_ret)
{
    if (!s && !q)
        s = CL_OUT_OF_HOST_MEMORY;
    error_give(call, errcode_ret, s);
    return q;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *errcode_ret)
{
    cl_int s = check_place(context, device);
    if (!s)
        s = properties & ~(cl_command_queue_properties)SUPPORTED ? CL_INVALID_VALUE : CL_SUCCESS;
    ClQueue *q = s ? NULL : queue_new(context, device, properties, NULL, 0);
    return finish_creation(__func__, q, s, errcode_ret);
}

/* words of the list with its 0, of which there are at most `max` */
static cl_int read_properties(const cl_queue_properties *list, u32 max, u32 *n,
                              cl_command_queue_properties *flags)
{
    *n = 0;
    *flags = 0;
    if (!list)
        return CL_SUCCESS;
    for (; list[*n]; *n += 2) {
        if (*n + 2 >= max)
            return CL_INVALID_VALUE;
        const cl_queue_properties value = list[*n + 1];
        if (list[*n] == CL_QUEUE_PROPERTIES)
            *flags = value;
        else if (list[*n] == CL_QUEUE_PRIORITY_KHR && value <= CL_QUEUE_PRIORITY_LOW_KHR &&
                 is_pow2(value))
            continue; /* a hint: every queue has a thread of its own */
        else
            return list[*n] == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE;
    }
    ++*n;
    return check_flags(*flags);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties,
                                                    cl_int *errcode_ret)
{
    cl_command_queue_properties flags;
    u32 n;
    cl_int s = check_place(context, device);
    if (!s)
        s = read_properties(properties, countof(((ClQueue *)0)->properties), &n, &flags);
    ClQueue *q = s ? NULL : queue_new(context, device, flags, properties, n);
    return finish_creation(__func__, q, s, errcode_ret);
}

/* the name of the extension before OpenCL 2.0 */
cl_command_queue clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
                                                       const cl_queue_properties_khr *properties,
                                                       cl_int *errcode_ret)
{
    return clCreateCommandQueueWithProperties(context, device,
                                              (const cl_queue_properties *)properties, errcode_ret);
}

cl_int clRetainCommandQueue(cl_command_queue command_queue)
{
    if (!is_object(command_queue, KIND_QUEUE))
        return told(CL_INVALID_COMMAND_QUEUE);
    object_retain(&command_queue->head);
    return CL_SUCCESS;
}

cl_int clReleaseCommandQueue(cl_command_queue command_queue)
{
    if (!is_object(command_queue, KIND_QUEUE))
        return told(CL_INVALID_COMMAND_QUEUE);
    object_release(&command_queue->head);
    return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name,
                             size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    const ClQueue *c = command_queue;
    if (!is_object(c, KIND_QUEUE))
        return told(CL_INVALID_COMMAND_QUEUE);
    switch (param_name) {
    case CL_QUEUE_CONTEXT: return answer(&q, cl_context, c->context);
    case CL_QUEUE_DEVICE: return answer(&q, cl_device_id, c->device);
    case CL_QUEUE_REFERENCE_COUNT: return answer(&q, cl_uint, c->head.refs);
    case CL_QUEUE_PROPERTIES: return answer(&q, cl_command_queue_properties, c->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return answer_bytes(&q, c->properties, c->nproperties * sizeof *c->properties);
    case CL_QUEUE_DEVICE_DEFAULT: return answer(&q, cl_command_queue, NULL);
    case CL_QUEUE_SIZE: return told(CL_INVALID_COMMAND_QUEUE); /* not one on the device */
    }
    return told(CL_INVALID_VALUE);
}

cl_int clSetCommandQueueProperty(cl_command_queue command_queue,
                                 cl_command_queue_properties properties, cl_bool enable,
                                 cl_command_queue_properties *old_properties)
{
    (void)properties, (void)enable, (void)old_properties;
    return told(is_object(command_queue, KIND_QUEUE) ? CL_INVALID_OPERATION
                                                     : CL_INVALID_COMMAND_QUEUE);
}

/* Nothing to do: commands are handed to the thread as they are enqueued. */
cl_int clFlush(cl_command_queue command_queue)
{
    return told(is_object(command_queue, KIND_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE);
}

/* With the lock: the last unfinished command up to that number; NULL: there is none. */
static ClEvent *last_until(const ClQueue *q, u64 number)
{
    ClEvent *e = q->last;
    while (e && e->number > number)
        e = e->previous;
    return e;
}

/* Waits for the last of the commands that are in the queue now, until none is left: once, if the
 * queue is ordered.  If one of them has failed, this call or another reports it, once. */
cl_int clFinish(cl_command_queue command_queue)
{
    ClQueue *q = command_queue;
    if (!is_object(q, KIND_QUEUE))
        return told(CL_INVALID_COMMAND_QUEUE);
    pthread_mutex_lock(&q->context->lock);
    const u64 upto = q->count;
    for (ClEvent *e; (e = last_until(q, upto));) {
        use(e);
        pthread_mutex_unlock(&q->context->lock);
        event_wait(e);
        drop(e);
        pthread_mutex_lock(&q->context->lock);
    }
    const cl_int s = q->error;
    q->error = CL_SUCCESS;
    pthread_mutex_unlock(&q->context->lock);
    return told(s);
}
