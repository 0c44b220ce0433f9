/* buffer.c -- buffers and sub-buffers.
 *
 * A buffer has a block of device memory on the devices of its context that have used it.
 * `is_valid` says which of them hold the present contents; a command that needs the buffer on
 * another device copies them there first.  With CL_MEM_USE_HOST_PTR the device memory is a cached
 * copy of the host's; map and unmap keep the two equal.
 */
#include "cl/cl.h"
#include <string.h>

cl_int status_of_driver(DrvStatus s)
{
    switch (s) {
    case DRV_OK: return CL_SUCCESS;
    case DRV_NO_MEMORY: return CL_OUT_OF_HOST_MEMORY;
    case DRV_DEVICE_FULL: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    default: return CL_OUT_OF_RESOURCES;
    }
}

/* --- contents ------------------------------------------------------------------------------- */

enum { STEP = 1 << 20 }; /* bytes that go through the host at a time */

/* Brings the contents from one device to another. */
static DrvStatus move(ClMem *m, u32 from, u32 to)
{
    Driver *source = m->context->drivers[from], *target = m->context->drivers[to];
    DrvStatus s = DRV_OK;
    u8 *bytes = mem_alloc(STEP);
    if (!bytes)
        return DRV_NO_MEMORY;
    for (u64 at = 0; !s && at < m->size; at += STEP) {
        const u64 n = m->size - at < STEP ? m->size - at : STEP;
        s = drv_read(source, m->addr[from] + at, bytes, n);
        if (!s)
            s = drv_write(target, m->addr[to] + at, bytes, n);
    }
    mem_free(bytes);
    return s;
}

static DrvStatus make_valid(ClMem *m, u32 device)
{
    DrvStatus s = DRV_OK;
    if (!m->addr[device])
        s = drv_alloc(m->context->drivers[device], m->size, &m->addr[device]);
    for (u32 i = 0; !s && !m->is_valid[device] && i < m->context->ndevices; i++)
        if (m->is_valid[i]) {
            s = move(m, i, device);
            m->is_valid[device] = !s;
        }
    return s;
}

cl_int buffer_address(ClMem *m, u32 device, Access access, u64 *addr)
{
    ClMem *whole = m->parent ? m->parent : m;
    pthread_mutex_lock(&whole->lock);
    const DrvStatus s = make_valid(whole, device);
    for (u32 i = 0; !s && access & ACCESS_WRITE && i < whole->context->ndevices; i++)
        whole->is_valid[i] = i == device;
    *addr = whole->addr[device] + m->origin;
    pthread_mutex_unlock(&whole->lock);
    return status_of_driver(s);
}

/* --- life ----------------------------------------------------------------------------- */

static void unlink_mem(ClMem *m)
{
    ClContext *c = m->context;
    pthread_mutex_lock(&c->lock);
    if (m->previous_mem || c->mems == m) {
        *(m->previous_mem ? &m->previous_mem->next_mem : &c->mems) = m->next_mem;
        if (m->next_mem)
            m->next_mem->previous_mem = m->previous_mem;
    }
    pthread_mutex_unlock(&c->lock);
}

void mem_link(ClMem *m)
{
    ClContext *c = m->context;
    pthread_mutex_lock(&c->lock);
    m->next_mem = c->mems;
    if (c->mems)
        c->mems->previous_mem = m;
    c->mems = m;
    pthread_mutex_unlock(&c->lock);
}

void buffer_free(ClMem *m)
{
    unlink_mem(m);
    for (Callback *b; (b = m->destructors);) {
        m->destructors = b->next;
        b->call.mem(m, b->data);
        mem_free(b);
    }
    for (Mapping *p; (p = m->maps);) {
        m->maps = p->next;
        mem_free(p);
    }
    for (u32 i = 0; m->addr && i < m->context->ndevices; i++)
        if (m->addr[i])
            drv_free(m->context->drivers[i], m->addr[i]);
    if (m->parent)
        drop(m->parent);
    image_free(m->image);
    drop(m->context);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->copy_lock);
    mem_free(m->addr);
    mem_free(m->is_valid);
    mem_free(m->shadow);
    mem_free(m->properties);
    mem_free(m);
}

ClMem *mem_new(ClContext *c, cl_mem_flags flags, size_t size)
{
    ClMem *m = mem_zalloc(1, sizeof *m);
    if (!m)
        return NULL;
    object_init(&m->head, KIND_MEM);
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->copy_lock, NULL);
    use(c);
    m->context = c;
    m->flags = flags;
    m->size = size;
    return m;
}

cl_int mem_fill(ClMem *m, const void *host_ptr)
{
    const u32 n = m->context->ndevices;
    m->addr = mem_zalloc(n, sizeof *m->addr);
    m->is_valid = mem_zalloc(n, sizeof *m->is_valid);
    if (!m->addr || !m->is_valid)
        return CL_OUT_OF_HOST_MEMORY;
    DrvStatus s = drv_alloc(m->context->drivers[0], m->size, &m->addr[0]);
    if (!s && host_ptr)
        s = drv_write(m->context->drivers[0], m->addr[0], host_ptr, m->size);
    m->is_valid[0] = true;
    if (!s && n == 1)
        m->direct = drv_host_pointer(m->context->drivers[0], m->addr[0], m->size);
    return status_of_driver(s);
}

void mem_join(ClMem *m, ClMem *parent, size_t origin)
{
    ClMem *whole = parent->parent ? parent->parent : parent;
    use(whole);
    m->parent = whole;
    m->origin = parent->origin + origin;
    if (whole->host_ptr)
        m->host_ptr = (u8 *)whole->host_ptr + m->origin;
}

/* --- checks --------------------------------------------------------------------------- */

static bool at_most_one(cl_mem_flags flags) { return !(flags & (flags - 1)); }

bool mem_flags_agree(cl_mem_flags flags)
{
    return !(flags & ~(cl_mem_flags)(DEVICE_ACCESS | HOST_ACCESS | HOST_POINTER)) &&
           at_most_one(flags & DEVICE_ACCESS) && at_most_one(flags & HOST_ACCESS) &&
           (!(flags & CL_MEM_USE_HOST_PTR) ||
            !(flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)));
}

u64 mem_largest(const ClContext *c)
{
    u64 most = 0;
    for (u32 i = 0; i < c->ndevices; i++)
        if (device_max_alloc(c->devices[i]) > most)
            most = device_max_alloc(c->devices[i]);
    return most;
}

static cl_int check_new(const ClContext *c, cl_mem_flags flags, size_t size, const void *host_ptr)
{
    const cl_int s = check_context(c);
    if (s)
        return s;
    if (!mem_flags_agree(flags))
        return CL_INVALID_VALUE;
    if (!size || size > mem_largest(c))
        return CL_INVALID_BUFFER_SIZE;
    if (!host_ptr != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return CL_INVALID_HOST_PTR;
    return CL_SUCCESS;
}

cl_int check_mem(const ClQueue *q, cl_mem handle)
{
    if (!is_object(handle, KIND_MEM))
        return CL_INVALID_MEM_OBJECT;
    return handle->context == q->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int check_buffer(const ClQueue *q, cl_mem handle)
{
    const cl_int s = check_mem(q, handle);
    return !s && !mem_is_buffer(handle) ? CL_INVALID_MEM_OBJECT : s;
}

cl_int check_is_image(const ClQueue *q, cl_mem handle)
{
    const cl_int s = check_mem(q, handle);
    return !s && !handle->image ? CL_INVALID_MEM_OBJECT : s;
}

bool is_misaligned(const ClQueue *q, const ClMem *m)
{
    (void)q; /* all devices have one alignment */
    return m->parent && m->origin % BUFFER_ALIGN;
}

/* --- creation ------------------------------------------------------------------------- */

static cl_int create(ClContext *c, cl_mem_flags flags, size_t size, void *host_ptr, ClMem **made)
{
    if (!(flags & DEVICE_ACCESS))
        flags |= CL_MEM_READ_WRITE;
    ClMem *m = mem_new(c, flags, size);
    if (!m)
        return CL_OUT_OF_HOST_MEMORY;
    if (flags & CL_MEM_USE_HOST_PTR)
        m->host_ptr = host_ptr;
    const cl_int s = mem_fill(m, host_ptr);
    if (s) {
        drop(m);
        return s;
    }
    mem_link(m);
    *made = m;
    return CL_SUCCESS;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                      cl_int *errcode_ret)
{
    ClMem *m = NULL;
    cl_int s = check_new(context, flags, size, host_ptr);
    if (!s)
        s = create(context, flags, size, host_ptr, &m);
    tell(errcode_ret, s);
    return m;
}

bool mem_keep_properties(ClMem *m)
{
    m->properties = mem_zalloc(1, sizeof *m->properties);
    m->nproperties = m->properties != NULL;
    return m->properties;
}

/* No property of a buffer is known but the end of the list. */
cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host_ptr,
                                    cl_int *errcode_ret)
{
    ClMem *m = NULL;
    cl_int s = check_context(context);
    if (!s && properties && *properties)
        s = CL_INVALID_PROPERTY;
    if (!s)
        s = check_new(context, flags, size, host_ptr);
    if (!s)
        s = create(context, flags, size, host_ptr, &m);
    if (m && properties && !mem_keep_properties(m)) {
        drop(m);
        m = NULL;
        s = CL_OUT_OF_HOST_MEMORY;
    }
    tell(errcode_ret, s);
    return m;
}

/* Flags that are not given are the parent's; those that are must not allow more than the parent's.
 */
cl_int mem_inherit(const ClMem *parent, cl_mem_flags *flags)
{
    const cl_mem_flags p = parent->flags;
    if (!mem_flags_agree(*flags) || *flags & HOST_POINTER ||
        (p & CL_MEM_WRITE_ONLY && *flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) ||
        (p & CL_MEM_READ_ONLY && *flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) ||
        (p & CL_MEM_HOST_WRITE_ONLY && *flags & CL_MEM_HOST_READ_ONLY) ||
        (p & CL_MEM_HOST_READ_ONLY && *flags & CL_MEM_HOST_WRITE_ONLY) ||
        (p & CL_MEM_HOST_NO_ACCESS && *flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
        return CL_INVALID_VALUE;
    if (!(*flags & DEVICE_ACCESS))
        *flags |= p & DEVICE_ACCESS;
    if (!(*flags & HOST_ACCESS))
        *flags |= p & HOST_ACCESS;
    *flags |= p & HOST_POINTER;
    return CL_SUCCESS;
}

static cl_int check_region(const ClMem *parent, const cl_buffer_region *r)
{
    if (!r || r->origin > parent->size || r->size > parent->size - r->origin)
        return CL_INVALID_VALUE;
    if (!r->size)
        return CL_INVALID_BUFFER_SIZE;
    return r->origin % BUFFER_ALIGN ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

static cl_int create_sub(ClMem *parent, cl_mem_flags flags, cl_buffer_create_type type,
                         const void *info, ClMem **made)
{
    const cl_buffer_region *r = info;
    if (!is_object(parent, KIND_MEM) || parent->parent || !mem_is_buffer(parent))
        return CL_INVALID_MEM_OBJECT;
    cl_int s = check_context(parent->context);
    if (!s)
        s = mem_inherit(parent, &flags);
    if (!s)
        s = type == CL_BUFFER_CREATE_TYPE_REGION ? check_region(parent, r) : CL_INVALID_VALUE;
    if (s)
        return s;
    ClMem *m = mem_new(parent->context, flags, r->size);
    if (!m)
        return CL_OUT_OF_HOST_MEMORY;
    mem_join(m, parent, r->origin);
    mem_link(m);
    *made = m;
    return CL_SUCCESS;
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                         cl_buffer_create_type buffer_create_type, const void *buffer_create_info,
                         cl_int *errcode_ret)
{
    ClMem *m = NULL;
    const cl_int s = create_sub(buffer, flags, buffer_create_type, buffer_create_info, &m);
    tell(errcode_ret, s);
    return m;
}

/* --- other entry points --------------------------------------------------------------- */

cl_int clRetainMemObject(cl_mem memobj)
{
    if (!is_object(memobj, KIND_MEM))
        return told(CL_INVALID_MEM_OBJECT);
    object_retain(&memobj->head);
    return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem memobj)
{
    if (!is_object(memobj, KIND_MEM))
        return told(CL_INVALID_MEM_OBJECT);
    object_release(&memobj->head);
    return CL_SUCCESS;
}

static cl_uint count_maps(ClMem *m)
{
    pthread_mutex_lock(&m->lock);
    const cl_uint n = m->nmaps;
    pthread_mutex_unlock(&m->lock);
    return n;
}

cl_int clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, size_t param_value_size,
                          void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    ClMem *m = memobj;
    if (!is_object(m, KIND_MEM))
        return told(CL_INVALID_MEM_OBJECT);
    switch (param_name) {
    case CL_MEM_TYPE:
        return answer(&q, cl_mem_object_type,
                      m->image     ? m->image->type
                      : m->packets ? CL_MEM_OBJECT_PIPE
                                   : CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS: return answer(&q, cl_mem_flags, m->flags);
    case CL_MEM_SIZE: return answer(&q, size_t, m->size);
    case CL_MEM_HOST_PTR: return answer(&q, void *, m->host_ptr);
    case CL_MEM_MAP_COUNT: return answer(&q, cl_uint, count_maps(m));
    case CL_MEM_REFERENCE_COUNT: return answer(&q, cl_uint, m->head.refs);
    case CL_MEM_CONTEXT: return answer(&q, cl_context, m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return answer(&q, cl_mem, m->image ? m->image->source : m->parent);
    case CL_MEM_OFFSET: return answer(&q, size_t, m->image ? 0 : m->origin);
    case CL_MEM_USES_SVM_POINTER: return answer(&q, cl_bool, CL_FALSE);
    case CL_MEM_PROPERTIES:
        return answer_bytes(&q, m->properties, m->nproperties * sizeof *m->properties);
    }
    return told(CL_INVALID_VALUE);
}

cl_int clSetMemObjectDestructorCallback(cl_mem memobj,
                                        void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                        void *user_data)
{
    if (!is_object(memobj, KIND_MEM))
        return told(CL_INVALID_MEM_OBJECT);
    if (!pfn_notify)
        return told(CL_INVALID_VALUE);
    Callback *b = mem_zalloc(1, sizeof *b);
    if (!b)
        return told(CL_OUT_OF_HOST_MEMORY);
    b->call.mem = pfn_notify;
    b->data = user_data;
    pthread_mutex_lock(&memobj->lock);
    b->next = memobj->destructors;
    memobj->destructors = b;
    pthread_mutex_unlock(&memobj->lock);
    return CL_SUCCESS;
}
