/* usm.c -- cl_intel_unified_shared_memory: allocations that host and kernels reach by pointers.
 *
 * An allocation is a block of the device's memory, which the host sees as it is: nothing migrates,
 * and all three kinds are the same but for what queries say.  The host sees address 0 of a device
 * at a multiple of 4 GiB (mach/memory.h), so the low 32 bits of a pointer of the host are the
 * device's address, for any pointer into an allocation.
 */
#include "cl/transfer.h"
#include <string.h>

typedef cl_unified_shared_memory_type_intel Type;

struct UsmBlock {
    UsmBlock *next; /* of the context */
    Type type;
    ClDevice *device; /* as given; NULL: none */
    Driver *driver;
    u64 addr, size; /* of the device; size as given */
    u8 *host;
    cl_mem_alloc_flags_intel flags;
};

enum { LARGEST_TYPE = 128 };

cl_bitfield usm_capabilities(const ClDevice *d, cl_device_info kind)
{
    const bool is_one_device = kind != CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL &&
                               kind != CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL;
    if (d->options.mmu || !is_one_device)
        return 0;
    return CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
           (kind == CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
                ? 0
                : CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL);
}

static bool is_supported(const ClContext *c)
{
    return usm_capabilities(c->devices[0], CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) != 0;
}

/* --- the allocations of a context ------------------------------------------------------------ */

/* With the lock: the place in the list of the allocation that the pointer points into; it holds
 * NULL if there is none. */
static UsmBlock **find(ClContext *c, const void *pointer)
{
    UsmBlock **p = &c->usm;
    while (*p && (uintptr_t)pointer - (uintptr_t)(*p)->host >= (*p)->size)
        p = &(*p)->next;
    return p;
}

/* A copy of what is known of it; without a host address: there is none. */
static UsmBlock look_up(ClContext *c, const void *pointer)
{
    pthread_mutex_lock(&c->lock);
    const UsmBlock *b = *find(c, pointer);
    const UsmBlock found = b ? *b : (UsmBlock){.type = CL_MEM_TYPE_UNKNOWN_INTEL};
    pthread_mutex_unlock(&c->lock);
    return found;
}

void usm_forget(ClContext *c)
{
    for (UsmBlock *b; (b = c->usm);) {
        c->usm = b->next;
        mem_free(b);
    }
}

/* --- allocation ------------------------------------------------------------------------------ */

static cl_int read_properties(const cl_mem_properties_intel *list, Type type,
                              cl_mem_alloc_flags_intel *flags)
{
    const cl_mem_alloc_flags_intel placement =
        CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    bool has_flags = false;
    for (const cl_mem_properties_intel *p = list; p && *p; p += 2) {
        if (*p != CL_MEM_ALLOC_FLAGS_INTEL || has_flags)
            return CL_INVALID_PROPERTY;
        has_flags = true;
        *flags = p[1];
    }
    if (*flags & ~(placement | CL_MEM_ALLOC_WRITE_COMBINED_INTEL) ||
        (*flags & placement) == placement ||
        (*flags & placement && type != CL_MEM_TYPE_SHARED_INTEL))
        return CL_INVALID_PROPERTY;
    return CL_SUCCESS;
}

typedef struct {
    Type type;
    ClContext *context;
    ClDevice *device;
    const cl_mem_properties_intel *properties;
    size_t size;
    cl_uint alignment; /* every block has that of a page */
} Wish;

static cl_int check_wish(const Wish *w, cl_mem_alloc_flags_intel *flags)
{
    const cl_int s = check_context(w->context);
    if (s)
        return s;
    if (w->device || w->type == CL_MEM_TYPE_DEVICE_INTEL)
        if (!is_object(w->device, KIND_DEVICE) || context_device_index(w->context, w->device) < 0)
            return CL_INVALID_DEVICE;
    if (!is_supported(w->context))
        return CL_INVALID_OPERATION;
    if (w->alignment && (!is_pow2(w->alignment) || w->alignment > LARGEST_TYPE))
        return CL_INVALID_VALUE;
    const cl_int bad = read_properties(w->properties, w->type, flags);
    if (bad)
        return bad;
    if (!w->size || w->size > (w->device ? device_max_alloc(w->device) : mem_largest(w->context)))
        return CL_INVALID_BUFFER_SIZE;
    /* devices have memories of their own */
    return !w->device && w->context->ndevices > 1 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_int allocate(const Wish *w, void **pointer)
{
    ClContext *c = w->context;
    cl_mem_alloc_flags_intel flags = 0;
    const cl_int s = check_wish(w, &flags);
    if (s)
        return s;
    UsmBlock *b = mem_alloc(sizeof *b);
    if (!b)
        return CL_OUT_OF_HOST_MEMORY;
    *b = (UsmBlock){.type = w->type,
                    .device = w->device,
                    .driver = c->drivers[w->device ? context_device_index(c, w->device) : 0],
                    .size = w->size,
                    .flags = flags};
    const DrvStatus why = drv_alloc(b->driver, b->size, &b->addr);
    if (why) {
        mem_free(b);
        return why == DRV_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
    }
    *pointer = b->host = drv_host_pointer(b->driver, b->addr, b->size);
    if (b->type != CL_MEM_TYPE_DEVICE_INTEL)
        drv_host_writes(b->driver, b->addr, b->size);
    pthread_mutex_lock(&c->lock);
    b->next = c->usm;
    c->usm = b;
    pthread_mutex_unlock(&c->lock);
    return CL_SUCCESS;
}

static void *answer_wish(const char *call, const Wish *w, cl_int *errcode_ret)
{
    void *pointer = NULL;
    error_give(call, errcode_ret, allocate(w, &pointer));
    return pointer;
}

void *clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties,
                          size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    return answer_wish(__func__,
                       &(Wish){CL_MEM_TYPE_HOST_INTEL, context, NULL, properties, size, alignment},
                       errcode_ret);
}

void *clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
                            const cl_mem_properties_intel *properties, size_t size,
                            cl_uint alignment, cl_int *errcode_ret)
{
    return answer_wish(
        __func__, &(Wish){CL_MEM_TYPE_DEVICE_INTEL, context, device, properties, size, alignment},
        errcode_ret);
}

void *clSharedMemAllocINTEL(cl_context context, cl_device_id device,
                            const cl_mem_properties_intel *properties, size_t size,
                            cl_uint alignment, cl_int *errcode_ret)
{
    return answer_wish(
        __func__, &(Wish){CL_MEM_TYPE_SHARED_INTEL, context, device, properties, size, alignment},
        errcode_ret);
}

/* --- the end of an allocation ---------------------------------------------------------------- */

static cl_int release(ClContext *c, const void *pointer)
{
    pthread_mutex_lock(&c->lock);
    UsmBlock **p = find(c, pointer), *b = *p;
    if (b && b->host == pointer)
        *p = b->next;
    else
        b = NULL;
    pthread_mutex_unlock(&c->lock);
    if (!b)
        return CL_INVALID_VALUE;
    drv_free(b->driver, b->addr);
    mem_free(b);
    return CL_SUCCESS;
}

cl_int clMemFreeINTEL(cl_context context, void *ptr)
{
    if (!is_object(context, KIND_CONTEXT))
        return told(CL_INVALID_CONTEXT);
    return told(ptr ? release(context, ptr) : CL_SUCCESS);
}

/* An unfinished command of the context that was enqueued by then, with one use more; NULL: there is
 * none. */
static ClEvent *find_earlier(ClContext *c, cl_ulong then)
{
    ClEvent *found = NULL;
    pthread_mutex_lock(&c->lock);
    for (ClQueue *q = c->queues; q && !found; q = q->next_queue)
        if (q->first && q->first->queued <= then)
            use(found = q->first);
    pthread_mutex_unlock(&c->lock);
    return found;
}

cl_int clMemBlockingFreeINTEL(cl_context context, void *ptr)
{
    if (!is_object(context, KIND_CONTEXT))
        return told(CL_INVALID_CONTEXT);
    if (!ptr)
        return CL_SUCCESS;
    if (look_up(context, ptr).host != ptr)
        return told(CL_INVALID_VALUE);
    const cl_ulong now = host_time();
    for (ClEvent *e; (e = find_earlier(context, now));) {
        event_wait(e);
        drop(e);
    }
    return told(release(context, ptr));
}

/* --- queries --------------------------------------------------------------------------------- */

cl_int clGetMemAllocInfoINTEL(cl_context context, const void *ptr, cl_mem_info_intel param_name,
                              size_t param_value_size, void *param_value,
                              size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    if (!is_object(context, KIND_CONTEXT))
        return told(CL_INVALID_CONTEXT);
    const UsmBlock b = look_up(context, ptr);
    switch (param_name) {
    case CL_MEM_ALLOC_TYPE_INTEL: return answer(&q, Type, b.type);
    case CL_MEM_ALLOC_BASE_PTR_INTEL: return answer(&q, void *, b.host);
    case CL_MEM_ALLOC_SIZE_INTEL: return answer(&q, size_t, b.size);
    case CL_MEM_ALLOC_DEVICE_INTEL: return answer(&q, cl_device_id, b.device);
    case CL_MEM_ALLOC_FLAGS_INTEL: return answer(&q, cl_mem_alloc_flags_intel, b.flags);
    }
    return told(CL_INVALID_VALUE);
}

/* Kernels may follow any pointer into any allocation, whether it was announced or not. */
cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                           size_t param_value_size, const void *param_value)
{
    if (!is_object(kernel, KIND_KERNEL))
        return told(CL_INVALID_KERNEL);
    if (!is_supported(kernel->program->context))
        return told(CL_INVALID_OPERATION);
    switch (param_name) {
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
        return told(!param_value || param_value_size % sizeof(void *) ? CL_INVALID_VALUE
                                                                      : CL_SUCCESS);
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
        return told(!param_value || param_value_size != sizeof(cl_bool) ? CL_INVALID_VALUE
                                                                        : CL_SUCCESS);
    }
    return told(CL_INVALID_OPERATION); /* of shared virtual memory */
}

/* --- commands -------------------------------------------------------------------------------- */

/* One end of a copy. */
typedef struct {
    u8 *host;
    Driver *driver; /* NULL: memory of the host */
    u64 addr;
} End;

typedef struct {
    End from, to;
    u64 size;
    u8 pattern[LARGEST_TYPE];
    u32 pattern_size; /* 0: a copy, no fill */
} Copy;

static DrvStatus copy_bytes(ClContext *c, const Copy *x)
{
    if (x->pattern_size)
        return drv_fill(x->to.driver, x->to.addr, x->pattern, x->pattern_size, x->size);
    if (x->to.driver && x->to.driver == x->from.driver)
        return drv_copy(x->to.driver, x->from.addr, x->to.addr, x->size);
    if (x->to.driver)
        return drv_write(x->to.driver, x->to.addr, x->from.host, x->size);
    if (!x->from.driver) {
        memcpy(x->to.host, x->from.host, x->size);
        return DRV_OK;
    }
    const DrvStatus s = drv_read(x->from.driver, x->from.addr, x->to.host, x->size);
    if (!s)
        platform_dump(c->platform, x->from.addr, x->to.host, x->size);
    return s;
}

static cl_int copy_run(ClEvent *e, void *payload)
{
    return status_of_driver(copy_bytes(e->context, payload));
}

/* False: the bytes go beyond the allocation that they begin in. */
static bool take_end(ClContext *c, const void *pointer, u64 size, End *end)
{
    const UsmBlock b = look_up(c, pointer);
    const u64 offset = (u64)((uintptr_t)pointer - (uintptr_t)b.host);
    *end = (End){(u8 *)(uintptr_t)pointer, b.driver, b.driver ? b.addr + offset : 0};
    return !b.driver || size <= b.size - offset;
}

static cl_int check_command(const ClQueue *q, Waits w)
{
    return is_object(q, KIND_QUEUE) ? check_waits(q->context, w) : CL_INVALID_COMMAND_QUEUE;
}

static cl_int start(ClQueue *q, cl_command_type type, const Copy *plan, bool blocking, Waits w,
                    cl_event *event)
{
    if (!plan->size)
        return enqueue(q, type, (Work){.is_quick = true}, w, WAIT_LIST, blocking, event);
    Copy *x = mem_alloc(sizeof *x);
    if (!x)
        return CL_OUT_OF_HOST_MEMORY;
    *x = *plan;
    return enqueue(q, type, (Work){copy_run, mem_free, x, x->size <= QUICK_BYTES}, w, WAIT_LIST,
                   blocking, event);
}

cl_int clEnqueueMemFillINTEL(cl_command_queue command_queue, void *dst_ptr, const void *pattern,
                             size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    Copy x = {.size = size};
    const cl_int s = check_command(command_queue, w);
    if (s)
        return told(s);
    if (!dst_ptr || !pattern || !is_pow2(pattern_size) || pattern_size > sizeof x.pattern ||
        (uintptr_t)dst_ptr % pattern_size || size % pattern_size ||
        !take_end(command_queue->context, dst_ptr, size, &x.to) || !x.to.driver)
        return told(CL_INVALID_VALUE);
    x.pattern_size = (u32)pattern_size;
    memcpy(x.pattern, pattern, pattern_size);
    return told(start(command_queue, CL_COMMAND_MEMFILL_INTEL, &x, false, w, event));
}

cl_int clEnqueueMemcpyINTEL(cl_command_queue command_queue, cl_bool blocking, void *dst_ptr,
                            const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                            const cl_event *event_wait_list, cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    const uintptr_t from = (uintptr_t)src_ptr, to = (uintptr_t)dst_ptr;
    Copy x = {.size = size};
    const cl_int s = check_command(command_queue, w);
    if (s)
        return told(s);
    if (!dst_ptr || !src_ptr || !take_end(command_queue->context, src_ptr, size, &x.from) ||
        !take_end(command_queue->context, dst_ptr, size, &x.to))
        return told(CL_INVALID_VALUE);
    if ((from < to ? to - from : from - to) < size)
        return told(CL_MEM_COPY_OVERLAP);
    return told(start(command_queue, CL_COMMAND_MEMCPY_INTEL, &x, blocking, w, event));
}

/* Hints, which change nothing: commands that only take their place in the queue. */
static cl_int hint(ClQueue *q, cl_command_type type, bool is_known, Waits w, cl_event *event)
{
    const cl_int s = check_command(q, w);
    if (s)
        return s;
    return is_known ? start(q, type, &(Copy){.size = 0}, false, w, event) : CL_INVALID_VALUE;
}

cl_int clEnqueueMigrateMemINTEL(cl_command_queue command_queue, const void *ptr, size_t size,
                                cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    (void)ptr, (void)size;
    return told(hint(command_queue, CL_COMMAND_MIGRATEMEM_INTEL, !(flags & ~known),
                     (Waits){num_events_in_wait_list, event_wait_list}, event));
}

/* No advice is defined, and none but 0 is known. */
cl_int clEnqueueMemAdviseINTEL(cl_command_queue command_queue, const void *ptr, size_t size,
                               cl_mem_advice_intel advice, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event)
{
    (void)ptr, (void)size;
    return told(hint(command_queue, CL_COMMAND_MEMADVISE_INTEL, !advice,
                     (Waits){num_events_in_wait_list, event_wait_list}, event));
}

void *usm_function(const char *name)
{
    typedef void (*Function)(void);
    static const struct {
        const char *name;
        Function function;
    } rows[] = {
        {"clHostMemAllocINTEL", (Function)clHostMemAllocINTEL},
        {"clDeviceMemAllocINTEL", (Function)clDeviceMemAllocINTEL},
        {"clSharedMemAllocINTEL", (Function)clSharedMemAllocINTEL},
        {"clMemFreeINTEL", (Function)clMemFreeINTEL},
        {"clMemBlockingFreeINTEL", (Function)clMemBlockingFreeINTEL},
        {"clGetMemAllocInfoINTEL", (Function)clGetMemAllocInfoINTEL},
        {"clSetKernelArgMemPointerINTEL", (Function)clSetKernelArgMemPointerINTEL},
        {"clEnqueueMemFillINTEL", (Function)clEnqueueMemFillINTEL},
        {"clEnqueueMemcpyINTEL", (Function)clEnqueueMemcpyINTEL},
        {"clEnqueueMigrateMemINTEL", (Function)clEnqueueMigrateMemINTEL},
        {"clEnqueueMemAdviseINTEL", (Function)clEnqueueMemAdviseINTEL},
    };
    void *address = NULL;
    for (size_t i = 0; i < countof(rows); i++)
        if (!strcmp(name, rows[i].name))
            memcpy(&address, &rows[i].function, sizeof address);
    return address;
}
