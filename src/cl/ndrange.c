/* ndrange.c -- launches of kernels. */
#include "cl/cl.h"
#include "cl/measure.h"
#include "isa/image.h"
#include "prof/trace.h"
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

/* A kernel with its arguments as they were when it was enqueued. */
typedef struct {
    ClKernel *kernel;
    Build *build; /* stays while the kernel does */
    u32 dims;
    u32 global[3], local[3], offset[3];
    bool is_partial; /* local does not divide global */
    bool is_silent;  /* it prints nothing */
    bool is_known;   /* the image's table has it */
    Buf values;      /* what args of plain values point into */
    size_t nargs;
    DrvArg *args; /* behind `bound`, in one piece with it: launches are many and short */
    struct Bound {
        ClMem *mem;
        Access access;
        u32 words[IMAGE_WORDS];
    } bound[]; /* of memory objects: args[i].value are words, an address or an image's descriptor */
} Dispatch;

static void dispatch_drop(void *payload)
{
    Dispatch *x = payload;
    for (size_t i = 0; i < x->nargs; i++)
        if (x->bound[i].mem)
            drop(x->bound[i].mem);
    buf_free(&x->values);
    drop(x->kernel);
    mem_free(x);
}

/* --- execution ------------------------------------------------------------------------------ */

static cl_int bind_objects(Dispatch *x, u32 device)
{
    for (size_t i = 0; i < x->nargs; i++) {
        struct Bound *b = &x->bound[i];
        u64 addr;
        if (!b->mem)
            continue;
        const cl_int s = buffer_address(b->mem, device, b->access, &addr);
        if (s)
            return s;
        if (b->mem->image)
            image_describe(b->mem->image, (u32)addr, b->words);
        else
            b->words[0] = (u32)addr;
    }
    return CL_SUCCESS;
}

/* Appends a line to the file of VENTUS_LAUNCHES, in one piece: other processes may do the same. */
static void note_launch(const char *file, const char *kernel, const LaunchResult *r)
{
    Buf line = {0};
    buf_printf(&line, "{\"kernel\": \"%s\", \"groups\": %llu, \"insns\": %llu, \"cycles\": %llu}\n",
               kernel, (unsigned long long)r->groups, (unsigned long long)r->insns,
               (unsigned long long)r->cycles);
    const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || line.failed || write(fd, line.data, line.len) != (ssize_t)line.len)
        host_report("the file of VENTUS_LAUNCHES cannot be written");
    if (fd >= 0)
        close(fd);
    buf_free(&line);
}

static DrvStatus run_unless_terminated(ClContext *c, Driver *d, const DrvKernel *k, DrvResult *r)
{
    if (!context_begin_launch(c)) {
        *r = (DrvResult){.warps = 0};
        return DRV_FAULT;
    }
    const DrvStatus s = drv_run(d, k, r);
    context_end_launch(c);
    return s;
}

static cl_int dispatch_run(ClEvent *e, void *payload)
{
    Dispatch *x = payload;
    ClContext *c = e->context;
    ClDevice *root = device_root(e->queue->device); /* has the trace */
    Driver *d = queue_driver(e->queue);
    Observer observer;
    Buf printed = {0};
    DrvResult result;
    /* 1. the launch, with buffers where they are now */
    const cl_int s = bind_objects(x, e->queue->device_index);
    if (s)
        return s;
    DrvKernel k = {.program = x->build->program,
                   .kernel = x->kernel->name,
                   .compiled = x->is_known,
                   .dims = x->dims,
                   .partial = x->is_partial,
                   .args = x->args,
                   .nargs = x->nargs,
                   .run = {.timeout = c->platform->timeout},
                   .print = x->is_silent ? NULL : &printed,
                   .export_to = c->platform->export_to};
    memcpy(k.global, x->global, sizeof k.global);
    memcpy(k.local, x->local, sizeof k.local);
    memcpy(k.offset, x->offset, sizeof k.offset);
    /* 2. for VENTUS_TRACE alone on the device, in Spike's turns of one instruction */
    if (root->trace) {
        observer = trace_observer(root->trace);
        k.run.observers = &observer;
        k.run.nobservers = 1;
        k.run.slice = 1;
        pthread_mutex_lock(&root->trace_lock);
    }
    measure_begin(c->platform->measure, d, &k.run);
    const DrvStatus status = run_unless_terminated(c, d, &k, &result);
    measure_end(c->platform->measure, d, x->kernel->name, &result);
    if (root->trace)
        pthread_mutex_unlock(&root->trace_lock);
    /* 3. when it ran, without what prepares it and clears up; the time it took on the machine */
    if (!status && e->type != CL_COMMAND_COMMAND_BUFFER_KHR) {
        e->ran_from = result.dev.run.began;
        e->ran_to = result.dev.run.ended;
    }
    if (!status)
        e->simulated += result.dev.run.cycles * 1000 / dev_options(drv_device(d))->machine.clock;
    if (!status && c->platform->launches)
        note_launch(c->platform->launches, x->kernel->name, &result.dev.run);
    /* 4. what it printed */
    if (printed.len && c->print)
        c->print(buf_text(&printed), printed.len, 1, c->data);
    else if (printed.len)
        host_print(buf_text(&printed), printed.len);
    buf_free(&printed);
    /* 5. why it failed */
    if (status && !c->is_terminated) {
        Buf text = {0}, why = {0};
        drv_last_error(d, &why);
        buf_printf(&text, "kernel %s: %s", x->kernel->name, buf_text(&why));
        context_report(c, buf_text(&text));
        buf_free(&text);
        buf_free(&why);
    }
    return status_of_driver(status);
}

/* --- arguments -------------------------------------------------------------------------------- */

/* The alignment of an argument that no table describes: that of a scalar or vector of its size. */
static u32 natural_align(size_t size) { return is_pow2(size) && size <= 128 ? (u32)size : 4; }

static cl_int take_arguments(Dispatch *x, const ClKernel *k, const KernelInfo *info)
{
    size_t bytes = 0;
    for (size_t i = 0; i < k->nargs; i++)
        bytes += k->args[i].value ? k->args[i].size : 0;
    if (bytes && !buf_reserve(&x->values, bytes + 1)) /* data stays where it is */
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < k->nargs; i++) {
        const Argument *a = &k->args[i];
        const KernelArg *known = info ? &info->args[i] : NULL;
        struct Bound *b = &x->bound[i];
        if (!a->is_set)
            return CL_INVALID_KERNEL_ARGS;
        /* 1. a memory object, or the null pointer */
        if (a->is_mem) {
            if (a->mem && !(b->mem = context_find_mem(k->program->context, a->mem)))
                return CL_INVALID_KERNEL_ARGS; /* released since it was set */
            const bool only_read =
                (b->mem && b->mem->flags & CL_MEM_READ_ONLY) ||
                (known && (known->kind == ARG_CONSTANT || known->is_const ||
                           (known->kind == ARG_IMAGE && known->access == IMAGE_READ_ONLY)));
            b->access = only_read ? ACCESS_READ : ACCESS_READ | ACCESS_WRITE;
            const bool is_image = b->mem && b->mem->image;
            x->args[i] = (DrvArg){.size = is_image ? sizeof b->words : sizeof *b->words,
                                  .align = 4,
                                  .value = b->words, /* an image's begin with its address too */
                                  .buffer = b->mem ? b->mem->size : 0,
                                  .no_read = b->mem && b->mem->flags & CL_MEM_WRITE_ONLY,
                                  .no_write = b->mem && b->mem->flags & CL_MEM_READ_ONLY};
            continue;
        }
        /* 2. local memory, or a value */
        x->args[i] =
            (DrvArg){.is_local = a->is_local,
                     .size = (u32)a->size,
                     .align = known && !a->is_local ? known->align : natural_align(a->size)};
        if (a->is_local)
            continue;
        x->args[i].value = x->values.data + x->values.len;
        buf_put(&x->values, a->value, a->size);
    }
    return CL_SUCCESS;
}

static bool has_misaligned(const ClQueue *q, const Dispatch *x)
{
    for (size_t i = 0; i < x->nargs; i++)
        if (x->bound[i].mem && is_misaligned(q, x->bound[i].mem))
            return true;
    return false;
}

/* --- sizes ---------------------------------------------------------------------------- */

/* What groups of that size cost for each work-item, in thousandths of what a lane does: idle lanes of their last warps, their
 * beginnings and ends, and accesses of warps in which not all lanes are neighbours along the first dimension. */
static u32 cost_of(const Dispatch *x, u32 a, u32 items, u32 lanes)
{
    enum { GROUP = 8 /* lanes */, APART = 500 };
    const u32 apart = items > a && a % lanes && a < x->global[0] ? APART : 0;
    return (u32)((align_up(items, lanes) + GROUP) * 1000 / items) + apart;
}

/* Of sizes that divide the grid, of up to `most` work-items, the one that costs least; of two alike the one that is longer
 * along the first dimension.  Returns its cost. */
static u32 choose_divisors(Dispatch *x, u32 most, u32 lanes)
{
    const u32 *n = x->global, best = cost_of(x, lanes, most, lanes);
    u32 least = UINT32_MAX;
    for (u32 a = most < n[0] ? most : n[0]; a && least > best; a--)
        for (u32 b = n[0] % a ? 0 : most / a < n[1] ? most / a : n[1]; b; b--)
            for (u32 c = n[1] % b ? 0 : most / a / b < n[2] ? most / a / b : n[2]; c; c--) {
                const u32 cost = n[2] % c ? UINT32_MAX : cost_of(x, a, a * b * c, lanes);
                if (cost < least) {
                    least = cost;
                    x->local[0] = a, x->local[1] = b, x->local[2] = c;
                }
            }
    return least;
}

/* Chooses the local size if the application gave none: several whole warps, but enough groups for
 * all of the host's threads; larger groups, or (partial) some smaller ones, where a grid has no such sizes. */
static void choose_local(Dispatch *x, const ClDevice *d, u32 most, bool partial)
{
    enum { DEAR = 1200 }; /* in thousandths */
    const u32 lanes = d->options.machine.lanes, wanted = 8 * lanes;
    u32 left = most < wanted ? most : wanted;
    if (choose_divisors(x, left, lanes) < DEAR ||
        (most > left && choose_divisors(x, most, lanes) < DEAR) || !partial)
        return;
    for (u32 i = 0; i < x->dims; i++) {
        x->local[i] = left < x->global[i] ? left : x->global[i];
        x->is_partial |= x->global[i] % x->local[i] != 0;
        left /= x->local[i];
    }
}

static bool is_given(const u32 size[3]) { return size[0] || size[1] || size[2]; }

/* Fills in global and offset; they and their sums must fit the device's 32 bits. */
static cl_int set_global(Dispatch *x, const size_t *offset, const size_t *global, bool *is_empty)
{
    *is_empty = !global;
    for (u32 i = 0; i < 3; i++)
        x->global[i] = x->local[i] = 1;
    for (u32 i = 0; global && i < x->dims; i++) {
        const u64 first = offset ? offset[i] : 0;
        if (global[i] > UINT32_MAX)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (first > UINT32_MAX || first + global[i] > (u64)UINT32_MAX + 1)
            return CL_INVALID_GLOBAL_OFFSET;
        x->global[i] = (u32)global[i];
        x->offset[i] = (u32)first;
        *is_empty |= !global[i];
    }
    return CL_SUCCESS;
}

static cl_int check_given(Dispatch *x, const KernelInfo *info, const size_t *local, u32 most,
                          const ClDevice *d)
{
    u64 items = 1;
    for (u32 i = 0; i < x->dims; i++) {
        if (info && is_given(info->reqd_local) && local[i] != info->reqd_local[i])
            return CL_INVALID_WORK_GROUP_SIZE;
        if (local[i] > device_max_items(d))
            return CL_INVALID_WORK_ITEM_SIZE;
        if (!local[i])
            return CL_INVALID_WORK_GROUP_SIZE;
        items *= local[i];
        x->local[i] = (u32)local[i];
    }
    if (items > most)
        return CL_INVALID_WORK_GROUP_SIZE;
    for (u32 i = 0; i < x->dims; i++)
        x->is_partial |= x->global[i] % x->local[i] != 0;
    return x->is_partial && !kernelinfo_allows_partial(x->build->table.options)
               ? CL_INVALID_WORK_GROUP_SIZE
               : CL_SUCCESS;
}

/* partial: the last groups may be smaller where no size is given. */
static cl_int set_local(Dispatch *x, const KernelInfo *info, const size_t *local, bool partial,
                        const ClDevice *d)
{
    const u32 most = kernel_max_items(x->kernel, d);
    size_t required[3];
    if (!local && info && is_given(info->reqd_local)) {
        for (int i = 0; i < 3; i++)
            required[i] = info->reqd_local[i];
        local = required;
    }
    if (local)
        return check_given(x, info, local, most, d);
    if (!most)
        return CL_OUT_OF_RESOURCES;
    choose_local(x, d, most, partial);
    return CL_SUCCESS;
}

/* --- entry points --------------------------------------------------------------------- */

typedef struct {
    cl_uint dims;
    const size_t *offset, *global, *local;
    bool suggests; /* it is not for a launch: the size that is chosen must do for any */
} Shape;

/* Fills in a dispatch, with the kernel's lock.  *is_empty: there is nothing to run. */
static cl_int prepare(Dispatch *x, const ClQueue *q, Shape shape, bool *is_empty)
{
    const ClKernel *k = x->kernel;
    const KernelInfo *info = kernel_info(k, q->device);
    cl_int s = take_arguments(x, k, info);
    if (s)
        return s;
    if (shape.dims < 1 || shape.dims > 3)
        return CL_INVALID_WORK_DIMENSION;
    x->dims = shape.dims;
    x->is_silent = info && info->silent;
    x->is_known = info != NULL;
    if ((s = set_global(x, shape.offset, shape.global, is_empty)) || *is_empty)
        return s;
    const bool partial = (info && info->ungrouped && !shape.suggests) ||
                         kernelinfo_allows_partial(x->build->table.options);
    if ((s = set_local(x, info, shape.local, partial, q->device)))
        return s;
    if (has_misaligned(q, x))
        return CL_MISALIGNED_SUB_BUFFER_OFFSET;
    return kernel_local_bytes(k, q->device) > device_local_size(q->device) ? CL_OUT_OF_RESOURCES
                                                                           : CL_SUCCESS;
}

/* Makes a dispatch and fills it in; dispatch_drop() frees it. */
static cl_int dispatch_new(const ClQueue *q, ClKernel *k, Shape shape, bool *is_empty,
                           Dispatch **made)
{
    Dispatch *x = mem_zalloc(1, sizeof *x + k->nargs * (sizeof *x->bound + sizeof *x->args));
    if (!x)
        return CL_OUT_OF_HOST_MEMORY;
    x->nargs = k->nargs;
    x->args = (DrvArg *)(void *)&x->bound[x->nargs];
    use(k);
    x->kernel = k;
    x->build = program_executable(k->program, q->device);
    pthread_mutex_lock(&k->lock);
    const cl_int s = prepare(x, q, shape, is_empty);
    pthread_mutex_unlock(&k->lock);
    if (s)
        dispatch_drop(x);
    else
        *made = x;
    return s;
}

static cl_int launch(ClQueue *q, ClKernel *k, cl_command_type type, Shape shape, Waits w,
                     cl_event *event)
{
    bool is_empty = false;
    Dispatch *x = NULL;
    cl_int s = dispatch_new(q, k, shape, &is_empty, &x);
    if (s)
        return s;
    s = check_waits(q->context, w);
    if (!s)
        return enqueue(q, type, (Work){is_empty ? NULL : dispatch_run, dispatch_drop, x, is_empty},
                       w, WAIT_LIST, false, event);
    dispatch_drop(x);
    return s;
}

static cl_int check_launch(const ClQueue *q, const ClKernel *k)
{
    if (!is_object(q, KIND_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is_object(k, KIND_KERNEL))
        return CL_INVALID_KERNEL;
    if (k->program->context != q->context)
        return CL_INVALID_CONTEXT;
    return program_executable(k->program, q->device) ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                              const size_t *global_work_offset, const size_t *global_work_size,
                              const size_t *local_work_size, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    const Shape shape = {work_dim, global_work_offset, global_work_size, local_work_size, false};
    const Waits w = {num_events_in_wait_list, event_wait_list};
    const cl_int s = check_launch(command_queue, kernel);
    return told(s ? s : launch(command_queue, kernel, CL_COMMAND_NDRANGE_KERNEL, shape, w, event));
}

cl_int clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                     cl_event *event)
{
    const size_t one = 1;
    const Shape shape = {1, NULL, &one, &one, false};
    const Waits w = {num_events_in_wait_list, event_wait_list};
    const cl_int s = check_launch(command_queue, kernel);
    return told(s ? s : launch(command_queue, kernel, CL_COMMAND_TASK, shape, w, event));
}

/* Devices run kernels of their own code only (CL_DEVICE_EXECUTION_CAPABILITIES). */
cl_int clEnqueueNativeKernel(cl_command_queue command_queue, void(CL_CALLBACK *user_func)(void *),
                             void *args, size_t cb_args, cl_uint num_mem_objects,
                             const cl_mem *mem_list, const void **args_mem_loc,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event)
{
    (void)user_func, (void)args, (void)cb_args, (void)num_mem_objects, (void)mem_list;
    (void)args_mem_loc, (void)num_events_in_wait_list, (void)event_wait_list, (void)event;
    return told(is_object(command_queue, KIND_QUEUE) ? CL_INVALID_OPERATION
                                                     : CL_INVALID_COMMAND_QUEUE);
}

/* The local size of a launch that gives none (cl_khr_suggested_local_work_size). */
cl_int clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue command_queue, cl_kernel kernel,
                                            cl_uint work_dim, const size_t *global_work_offset,
                                            const size_t *global_work_size,
                                            size_t *suggested_local_work_size)
{
    const Shape shape = {work_dim, global_work_offset, global_work_size, NULL, true};
    bool is_empty = false;
    Dispatch *x = NULL;
    cl_int s = check_launch(command_queue, kernel);
    if (!s && !suggested_local_work_size)
        s = CL_INVALID_VALUE;
    if (!s)
        s = dispatch_new(command_queue, kernel, shape, &is_empty, &x);
    if (s)
        return told(s);
    for (u32 i = 0; i < work_dim && !is_empty; i++)
        suggested_local_work_size[i] = x->local[i];
    dispatch_drop(x);
    return told(is_empty ? CL_INVALID_GLOBAL_WORK_SIZE : CL_SUCCESS);
}
