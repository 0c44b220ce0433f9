/* commandbuffer.c -- cl_khr_command_buffer 0.9.8: commands that are recorded once and run many
 * times.
 *
 * A command buffer has a queue of its own, the recorder: whatever is enqueued there is checked like
 * any command, and kept (command.c).  To run a command buffer is one command, which runs what was
 * recorded, one after the other; so every order that sync points can ask for holds.  Its runs do
 * not overlap.
 *
 * The system's headers know older versions of this extension, with other parameters; so the
 * functions have names of their own here, and the numbers are written down.
 */
#include "cl/cl.h"
#include <string.h>

enum { /* of version 0.9.8 */
       BUFFER_FLAGS = 0x1293,
       BUFFER_QUEUES = 0x1294,
       BUFFER_NUM_QUEUES = 0x1295,
       BUFFER_REFERENCE_COUNT = 0x1296,
       BUFFER_STATE = 0x1297,
       BUFFER_PROPERTIES_ARRAY = 0x1298,
       BUFFER_CONTEXT = 0x1299,
       COMMAND_BUFFER = 0x12a8
};

struct _cl_command_buffer_khr {
    Head head;
    ClQueue *queue; /* for which it was made */
    ClQueue *recorder;
    cl_properties properties[4]; /* as given, with the 0 */
    u32 nproperties;             /* 0: none were given */
    pthread_mutex_t running;     /* held while it runs; guards what is in the payloads */
    pthread_mutex_t lock;        /* guards what follows; commands are fixed once it is executable */
    bool is_executable;
    Work *commands;
    size_t n, cap;
};
typedef struct _cl_command_buffer_khr CommandBuffer;

/* --- life ------------------------------------------------------------------------------------ */

void commandbuffer_free(CommandBuffer *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->commands[i].release)
            b->commands[i].release(b->commands[i].payload);
    if (b->recorder)
        drop(b->recorder);
    drop(b->queue);
    pthread_mutex_destroy(&b->running);
    pthread_mutex_destroy(&b->lock);
    mem_free(b->commands);
    mem_free(b);
}

/* words of the list with its 0; only a list without any flag is known */
static cl_int read_properties(CommandBuffer *b, const cl_properties *list)
{
    u32 n = 0;
    for (; list && list[n]; n += 2) {
        if (list[n] != BUFFER_FLAGS || n)
            return CL_INVALID_VALUE;
        if (list[n + 1])
            return CL_INVALID_PROPERTY;
    }
    b->nproperties = list ? n + 1 : 0;
    if (list)
        memcpy(b->properties, list, b->nproperties * sizeof *list);
    return CL_SUCCESS;
}

static cl_int create(ClQueue *q, const cl_properties *properties, CommandBuffer **made)
{
    CommandBuffer *b = mem_zalloc(1, sizeof *b);
    if (!b)
        return CL_OUT_OF_HOST_MEMORY;
    object_init(&b->head, KIND_COMMAND_BUFFER);
    pthread_mutex_init(&b->running, NULL);
    pthread_mutex_init(&b->lock, NULL);
    use(q);
    b->queue = q;
    cl_int s = read_properties(b, properties);
    if (!s && !(b->recorder = queue_recorder(q, b)))
        s = CL_OUT_OF_HOST_MEMORY;
    if (s)
        drop(b);
    else
        *made = b;
    return s;
}

static CommandBuffer *create_buffer(cl_uint nqueues, const cl_command_queue *queues,
                                    const cl_properties *properties, cl_int *errcode_ret)
{
    CommandBuffer *b = NULL;
    cl_int s = nqueues != 1 || !queues ? CL_INVALID_VALUE : CL_SUCCESS;
    if (!s && !is_object(queues[0], KIND_QUEUE))
        s = CL_INVALID_COMMAND_QUEUE;
    if (!s)
        s = check_context(queues[0]->context);
    if (!s)
        s = create(queues[0], properties, &b);
    error_give("clCreateCommandBufferKHR", errcode_ret, s);
    return b;
}

static cl_int retain_buffer(CommandBuffer *b)
{
    if (!is_object(b, KIND_COMMAND_BUFFER))
        return error_tell("clRetainCommandBufferKHR", CL_INVALID_COMMAND_BUFFER_KHR);
    object_retain(&b->head);
    return CL_SUCCESS;
}

static cl_int release_buffer(CommandBuffer *b)
{
    if (!is_object(b, KIND_COMMAND_BUFFER))
        return error_tell("clReleaseCommandBufferKHR", CL_INVALID_COMMAND_BUFFER_KHR);
    object_release(&b->head);
    return CL_SUCCESS;
}

/* --- recording ------------------------------------------------------------------------------ */

cl_int commandbuffer_record(CommandBuffer *b, Work work)
{
    cl_int s = CL_INVALID_OPERATION;
    pthread_mutex_lock(&b->lock);
    if (!b->is_executable) {
        s = array_grow(b->commands, b->n + 1, b->cap) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
        if (!s)
            b->commands[b->n++] = work;
    }
    pthread_mutex_unlock(&b->lock);
    if (s && work.release)
        work.release(work.payload);
    return s;
}

typedef cl_uint Point; /* the number of a command, from 1 on */

/* What every command is recorded with. */
typedef struct {
    CommandBuffer *buffer;
    ClQueue *queue; /* must be NULL: the buffer's */
    const cl_properties *properties;
    cl_uint n;
    const Point *waits;
    Point *point;  /* or NULL */
    void **handle; /* of commands that change: there are none */
} Recording;

static cl_int check_recording(const Recording *p)
{
    CommandBuffer *b = p->buffer;
    if (!is_object(b, KIND_COMMAND_BUFFER))
        return CL_INVALID_COMMAND_BUFFER_KHR;
    if (p->queue)
        return CL_INVALID_COMMAND_QUEUE;
    if ((p->properties && *p->properties) || p->handle)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&b->lock);
    cl_int s = b->is_executable     ? CL_INVALID_OPERATION
               : !p->n != !p->waits ? CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
                                    : CL_SUCCESS;
    for (cl_uint i = 0; !s && i < p->n; i++)
        if (!p->waits[i] || p->waits[i] > b->n)
            s = CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    pthread_mutex_unlock(&b->lock);
    return s;
}

/* The answer of a call that recorded a command, or failed to. */
static cl_int finish(const Recording *p, cl_int s)
{
    if (s || !p->point)
        return s;
    pthread_mutex_lock(&p->buffer->lock);
    *p->point = (Point)p->buffer->n;
    pthread_mutex_unlock(&p->buffer->lock);
    return CL_SUCCESS;
}

/* The parameters of every function before and after its own, and a Recording of them. */
#define BEFORE    CommandBuffer *b, cl_command_queue q, const cl_properties *properties
#define AFTER     cl_uint n, const Point *waits, Point *point, void **handle
#define RECORDING (&(const Recording){b, q, properties, n, waits, point, handle})

/* Records by the function that enqueues such a command, which tells of what it refuses. */
#define RECORD(command, enqueue, ...)                                                              \
    const cl_int s_ = check_recording(RECORDING);                                                  \
    return s_ ? error_tell(#command, s_)                                                           \
              : finish(RECORDING, enqueue(b->recorder, __VA_ARGS__, 0, NULL, NULL))

static cl_int barrier(BEFORE, AFTER)
{
    const cl_int s = check_recording(RECORDING);
    return s ? error_tell("clCommandBarrierWithWaitListKHR", s)
             : finish(RECORDING, clEnqueueBarrierWithWaitList(b->recorder, 0, NULL, NULL));
}

static cl_int copy_buffer(BEFORE, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                          size_t size, AFTER)
{
    RECORD(clCommandCopyBufferKHR, clEnqueueCopyBuffer, from, to, from_offset, to_offset, size);
}

static cl_int copy_buffer_rect(BEFORE, cl_mem from, cl_mem to, const size_t *from_origin,
                               const size_t *to_origin, const size_t *region, size_t from_row_pitch,
                               size_t from_slice_pitch, size_t to_row_pitch, size_t to_slice_pitch,
                               AFTER)
{
    RECORD(clCommandCopyBufferRectKHR, clEnqueueCopyBufferRect, from, to, from_origin, to_origin,
           region, from_row_pitch, from_slice_pitch, to_row_pitch, to_slice_pitch);
}

static cl_int copy_buffer_to_image(BEFORE, cl_mem from, cl_mem to, size_t offset,
                                   const size_t *origin, const size_t *region, AFTER)
{
    RECORD(clCommandCopyBufferToImageKHR, clEnqueueCopyBufferToImage, from, to, offset, origin,
           region);
}

static cl_int copy_image(BEFORE, cl_mem from, cl_mem to, const size_t *from_origin,
                         const size_t *to_origin, const size_t *region, AFTER)
{
    RECORD(clCommandCopyImageKHR, clEnqueueCopyImage, from, to, from_origin, to_origin, region);
}

static cl_int copy_image_to_buffer(BEFORE, cl_mem from, cl_mem to, const size_t *origin,
                                   const size_t *region, size_t offset, AFTER)
{
    RECORD(clCommandCopyImageToBufferKHR, clEnqueueCopyImageToBuffer, from, to, origin, region,
           offset);
}

static cl_int fill_buffer(BEFORE, cl_mem to, const void *pattern, size_t pattern_size,
                          size_t offset, size_t size, AFTER)
{
    RECORD(clCommandFillBufferKHR, clEnqueueFillBuffer, to, pattern, pattern_size, offset, size);
}

static cl_int fill_image(BEFORE, cl_mem to, const void *colour, const size_t *origin,
                         const size_t *region, AFTER)
{
    RECORD(clCommandFillImageKHR, clEnqueueFillImage, to, colour, origin, region);
}

static cl_int ndrange(BEFORE, cl_kernel kernel, cl_uint dims, const size_t *offset,
                      const size_t *global, const size_t *local, AFTER)
{
    RECORD(clCommandNDRangeKernelKHR, clEnqueueNDRangeKernel, kernel, dims, offset, global, local);
}

static cl_int svm_copy(BEFORE, void *to, const void *from, size_t size, AFTER)
{
    RECORD(clCommandSVMMemcpyKHR, clEnqueueSVMMemcpy, CL_FALSE, to, from, size);
}

static cl_int svm_fill(BEFORE, void *to, const void *pattern, size_t pattern_size, size_t size,
                       AFTER)
{
    RECORD(clCommandSVMMemFillKHR, clEnqueueSVMMemFill, to, pattern, pattern_size, size);
}

static cl_int finalize(CommandBuffer *b)
{
    if (!is_object(b, KIND_COMMAND_BUFFER))
        return error_tell("clFinalizeCommandBufferKHR", CL_INVALID_COMMAND_BUFFER_KHR);
    pthread_mutex_lock(&b->lock);
    const bool was = b->is_executable;
    b->is_executable = true;
    pthread_mutex_unlock(&b->lock);
    return error_tell("clFinalizeCommandBufferKHR", was ? CL_INVALID_OPERATION : CL_SUCCESS);
}

static bool is_executable(CommandBuffer *b)
{
    pthread_mutex_lock(&b->lock);
    const bool is = b->is_executable;
    pthread_mutex_unlock(&b->lock);
    return is;
}

/* --- running ---------------------------------------------------------------------------------- */

static cl_int run_all(ClEvent *e, void *payload)
{
    CommandBuffer *b = payload;
    cl_int s = CL_SUCCESS;
    pthread_mutex_lock(&b->running);
    for (size_t i = 0; !s && i < b->n; i++)
        if (b->commands[i].run)
            s = b->commands[i].run(e, b->commands[i].payload);
    pthread_mutex_unlock(&b->running);
    return s;
}

static void drop_buffer(void *payload) { drop((CommandBuffer *)payload); }

/* The queue that the buffer is to run on. */
static cl_int choose_queue(const CommandBuffer *b, cl_uint n, const cl_command_queue *queues,
                           ClQueue **q)
{
    *q = b->queue;
    if (!n != !queues || n > 1)
        return CL_INVALID_VALUE;
    if (!n)
        return CL_SUCCESS;
    *q = queues[0];
    if (!is_object(*q, KIND_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if ((*q)->context != b->queue->context)
        return CL_INVALID_CONTEXT;
    return (*q)->device == b->queue->device ? CL_SUCCESS : CL_INCOMPATIBLE_COMMAND_QUEUE_KHR;
}

/* Whether the buffer may run on the queues given; *q: the queue that it runs on. */
static cl_int check_run(CommandBuffer *b, cl_uint n, const cl_command_queue *queues, Waits w,
                        ClQueue **q)
{
    if (!is_object(b, KIND_COMMAND_BUFFER))
        return CL_INVALID_COMMAND_BUFFER_KHR;
    if (!is_executable(b))
        return CL_INVALID_OPERATION;
    const cl_int s = choose_queue(b, n, queues, q);
    return s ? s : check_waits((*q)->context, w);
}

static cl_int enqueue_buffer(cl_uint nqueues, cl_command_queue *queues, CommandBuffer *b,
                             cl_uint num_events, const cl_event *events, cl_event *event)
{
    const Waits w = {num_events, events};
    ClQueue *q;
    cl_int s = check_run(b, nqueues, queues, w, &q);
    if (!s) {
        use(b);
        s = enqueue(q, COMMAND_BUFFER, (Work){run_all, drop_buffer, b, false}, w, WAIT_LIST, false,
                    event);
    }
    return error_tell("clEnqueueCommandBufferKHR", s);
}

/* --- queries ---------------------------------------------------------------------------------- */

static cl_int buffer_info(CommandBuffer *b, cl_uint param, size_t size, void *value,
                          size_t *size_ret)
{
    const Query q = {size, value, size_ret, "clGetCommandBufferInfoKHR"};
    if (!is_object(b, KIND_COMMAND_BUFFER))
        return error_tell(q.call, CL_INVALID_COMMAND_BUFFER_KHR);
    switch (param) {
    case BUFFER_NUM_QUEUES: return answer(&q, cl_uint, 1);
    case BUFFER_QUEUES: return answer(&q, cl_command_queue, b->queue);
    case BUFFER_REFERENCE_COUNT: return answer(&q, cl_uint, b->head.refs);
    case BUFFER_STATE: return answer(&q, cl_uint, is_executable(b));
    case BUFFER_PROPERTIES_ARRAY:
        return answer_bytes(&q, b->properties, b->nproperties * sizeof *b->properties);
    case BUFFER_CONTEXT: return answer(&q, cl_context, b->queue->context);
    }
    return error_tell(q.call, CL_INVALID_VALUE);
}

void *commandbuffer_function(const char *name)
{
    typedef void (*Function)(void);
    static const struct {
        const char *name;
        Function function;
    } rows[] = {
        {"clCreateCommandBufferKHR", (Function)create_buffer},
        {"clRetainCommandBufferKHR", (Function)retain_buffer},
        {"clReleaseCommandBufferKHR", (Function)release_buffer},
        {"clFinalizeCommandBufferKHR", (Function)finalize},
        {"clEnqueueCommandBufferKHR", (Function)enqueue_buffer},
        {"clGetCommandBufferInfoKHR", (Function)buffer_info},
        {"clCommandBarrierWithWaitListKHR", (Function)barrier},
        {"clCommandCopyBufferKHR", (Function)copy_buffer},
        {"clCommandCopyBufferRectKHR", (Function)copy_buffer_rect},
        {"clCommandCopyBufferToImageKHR", (Function)copy_buffer_to_image},
        {"clCommandCopyImageKHR", (Function)copy_image},
        {"clCommandCopyImageToBufferKHR", (Function)copy_image_to_buffer},
        {"clCommandFillBufferKHR", (Function)fill_buffer},
        {"clCommandFillImageKHR", (Function)fill_image},
        {"clCommandNDRangeKernelKHR", (Function)ndrange},
        {"clCommandSVMMemcpyKHR", (Function)svm_copy},
        {"clCommandSVMMemFillKHR", (Function)svm_fill},
    };
    void *address = NULL;
    for (size_t i = 0; i < countof(rows); i++)
        if (!strcmp(name, rows[i].name))
            memcpy(&address, &rows[i].function, sizeof address);
    return address;
}
