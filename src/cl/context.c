/* context.c -- contexts: devices that share objects, and the callback that hears of failures.
 *
 * A context opens drivers of its own on its devices, so that its buffers are at addresses that no
 * kernel of another context can form (doc/decisions/023-context-address-spaces.md).
 */
#include "cl/cl.h"
#include "dbg/dbg.h"
#include <string.h>

int context_device_index(const ClContext *c, const ClDevice *d)
{
    for (u32 i = 0; i < c->ndevices; i++)
        if (c->devices[i] == d)
            return (int)i;
    return -1;
}

void context_report(const ClContext *c, const char *text)
{
    if (c->notify)
        c->notify(text, NULL, 0, c->data);
    if (c->platform->verbose)
        host_report(text);
}

cl_int check_context(const void *context)
{
    if (!is_object(context, KIND_CONTEXT))
        return CL_INVALID_CONTEXT;
    return ((const ClContext *)context)->is_terminated ? CL_CONTEXT_TERMINATED_KHR : CL_SUCCESS;
}

/* --- VENTUS_CHECK ----------------------------------------------------------------------- */

static void show_found(void *to, const CheckReport *r)
{
    Buf text = {0};
    (void)to;
    if (r->file)
        buf_printf(&text, "%s:%u:%u: ", r->file, r->line, r->column);
    buf_printf(&text, "error: %s", r->text);
    if (r->count > 1)
        buf_printf(&text, "\n  seen        %llu times", (unsigned long long)r->count);
    host_report(buf_text(&text));
    buf_free(&text);
}

static void close_check(ClContext *c, cl_uint i)
{
    Buf text = {0};
    if (!c->checks || !c->checks[i])
        return;
    check_summary(c->checks[i], &text);
    if (text.len)
        host_report(buf_text(&text));
    buf_free(&text);
    check_close(c->checks[i]);
}

/* With the lock: the buffer that the handle is; NULL: the context has no such buffer. */
static ClMem *find_mem(const ClContext *c, const void *handle)
{
    ClMem *m = c->mems;
    while (m && (void *)m != handle)
        m = m->next_mem;
    return m;
}

ClMem *context_find_mem(ClContext *c, const void *handle)
{
    pthread_mutex_lock(&c->lock);
    ClMem *m = find_mem(c, handle);
    if (m && !object_try_use(&m->head))
        m = NULL;
    pthread_mutex_unlock(&c->lock);
    return m;
}

bool context_has_mem(ClContext *c, const void *handle)
{
    pthread_mutex_lock(&c->lock);
    const ClMem *m = find_mem(c, handle);
    const bool has = m && atomic_load(&m->head.uses);
    pthread_mutex_unlock(&c->lock);
    return has;
}

/* --- life -------------------------------------------------------------------------------- */

static void enlist(ClContext *c)
{
    ClPlatform *p = c->platform;
    pthread_mutex_lock(&p->contexts_lock);
    c->next = p->contexts;
    p->contexts = c;
    pthread_mutex_unlock(&p->contexts_lock);
}

/* From here on until end_closing() nobody but the caller uses the context's devices. */
static void begin_closing(const ClContext *c)
{
    ClPlatform *p = c->platform;
    pthread_mutex_lock(&p->contexts_lock);
    for (ClContext **at = &p->contexts; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    p->closing++;
    pthread_mutex_unlock(&p->contexts_lock);
}

static void end_closing(ClPlatform *p)
{
    pthread_mutex_lock(&p->contexts_lock);
    p->closing--;
    pthread_cond_broadcast(&p->closed);
    pthread_mutex_unlock(&p->contexts_lock);
}

void context_free(ClContext *c)
{
    for (Callback *b; (b = c->destructors);) {
        c->destructors = b->next;
        b->call.context(c, b->data);
        mem_free(b);
    }
    usm_forget(c);
    begin_closing(c);
    for (u32 i = 0; c->drivers && i < c->ndevices; i++) {
        close_check(c, i);
        drv_close(c->drivers[i]);
    }
    end_closing(c->platform);
    for (u32 i = 0; c->devices && i < c->ndevices; i++)
        drop(c->devices[i]);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    mem_free(c->checks);
    mem_free(c->drivers);
    mem_free(c->devices);
    mem_free(c->properties);
    mem_free(c);
}

/* words of a property list with its 0 */
static size_t list_length(const cl_context_properties *list)
{
    size_t n = 0;
    while (list && list[n])
        n += 2;
    return list ? n + 1 : 0;
}

/* CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR and _PRIVATE_KHR, which the system's headers lack */
enum { INITIALIZED = 1 | 2 };

static cl_int check_properties(const cl_context_properties *list)
{
    for (const cl_context_properties *p = list; p && *p; p += 2) {
        for (const cl_context_properties *before = list; before < p; before += 2)
            if (*before == *p)
                return CL_INVALID_PROPERTY;
        switch (*p) {
        case CL_CONTEXT_PLATFORM:
            if (!is_object((const void *)p[1], KIND_PLATFORM))
                return CL_INVALID_PLATFORM;
            break;
        case CL_CONTEXT_TERMINATE_KHR:
        case CL_CONTEXT_INTEROP_USER_SYNC:
            if (p[1] != CL_TRUE && p[1] != CL_FALSE)
                return CL_INVALID_PROPERTY;
            break;
        case CL_CONTEXT_MEMORY_INITIALIZE_KHR:
            if (p[1] & ~(cl_context_properties)INITIALIZED)
                return CL_INVALID_PROPERTY;
            break;
        case CL_PRINTF_CALLBACK_ARM:
        case CL_PRINTF_BUFFERSIZE_ARM: break;
        default: return CL_INVALID_PROPERTY;
        }
    }
    return CL_SUCCESS;
}

static bool add_properties(ClContext *c, const cl_context_properties *list)
{
    c->nproperties = list_length(list);
    if (!c->nproperties)
        return true;
    c->properties = mem_zalloc(c->nproperties, sizeof *list);
    if (!c->properties)
        return false;
    memcpy(c->properties, list, c->nproperties * sizeof *list);
    for (const cl_context_properties *p = list; *p; p += 2) {
        if (*p == CL_PRINTF_CALLBACK_ARM)
            memcpy(&c->print, &p[1], sizeof c->print);
        if (*p == CL_CONTEXT_MEMORY_INITIALIZE_KHR)
            c->zeroes = p[1] != 0;
        if (*p == CL_CONTEXT_TERMINATE_KHR)
            c->can_terminate = p[1] != 0;
    }
    return true;
}

static bool add_devices(ClContext *c, cl_uint n, const cl_device_id *devices)
{
    c->devices = mem_zalloc(n, sizeof(ClDevice *));
    c->drivers = mem_zalloc(n, sizeof(Driver *));
    c->checks = mem_zalloc(n, sizeof(Check *));
    if (!c->devices || !c->drivers || !c->checks)
        return false;
    for (cl_uint i = 0; i < n; i++) {
        if (context_device_index(c, devices[i]) >= 0)
            continue;
        use(devices[i]);
        c->devices[c->ndevices] = devices[i];
        Driver *d = c->drivers[c->ndevices++] = drv_open(&devices[i]->options);
        if (!d)
            return false;
        const u32 checks = c->platform->checks;
        if (checks && !(c->checks[c->ndevices - 1] =
                            check_open(d, checks, c->platform->allow, show_found, NULL)))
            return false;
        if (c->platform->debugger)
            dbg_attach(c->platform->debugger, drv_device(c->drivers[c->ndevices - 1]));
    }
    return true;
}

static ClContext *context_new(const cl_context_properties *properties, cl_uint n,
                              const cl_device_id *devices)
{
    ClContext *c = mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    object_init(&c->head, KIND_CONTEXT);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->platform = devices[0]->platform;
    if (!add_devices(c, n, devices) || !add_properties(c, properties)) {
        drop(c);
        return NULL;
    }
    enlist(c);
    return c;
}

/* --- entry points ---------------------------------------------------------------------------- */

typedef void(CL_CALLBACK *Notify)(const char *, const void *, size_t, void *);

static cl_int create(const cl_context_properties *properties, cl_uint n,
                     const cl_device_id *devices, Notify notify, void *data, ClContext **made)
{
    const cl_int s = check_properties(properties);
    if (s)
        return s;
    if (n > MAX_DEVICES)
        return CL_OUT_OF_RESOURCES;
    if (!devices || !n || (!notify && data))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++)
        if (!is_object(devices[i], KIND_DEVICE))
            return CL_INVALID_DEVICE;
    ClContext *c = context_new(properties, n, devices);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    c->notify = notify;
    c->data = data;
    *made = c;
    return CL_SUCCESS;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                           const cl_device_id *devices, Notify pfn_notify, void *user_data,
                           cl_int *errcode_ret)
{
    ClContext *c = NULL;
    const cl_int s = create(properties, num_devices, devices, pfn_notify, user_data, &c);
    tell(errcode_ret, s);
    return c;
}

static cl_int create_from_type(const cl_context_properties *properties, cl_device_type type,
                               Notify notify, void *data, ClContext **made)
{
    cl_device_id devices[MAX_DEVICES];
    cl_uint n = 0;
    cl_int s = check_properties(properties);
    if (s)
        return s;
    if (!notify && data)
        return CL_INVALID_VALUE;
    s = clGetDeviceIDs(platform_get(), type, MAX_DEVICES, devices, &n);
    return s ? s : create(properties, n, devices, notify, data, made);
}

cl_context clCreateContextFromType(const cl_context_properties *properties,
                                   cl_device_type device_type, Notify pfn_notify, void *user_data,
                                   cl_int *errcode_ret)
{
    ClContext *c = NULL;
    const cl_int s = create_from_type(properties, device_type, pfn_notify, user_data, &c);
    tell(errcode_ret, s);
    return c;
}

cl_int clRetainContext(cl_context context)
{
    if (!is_object(context, KIND_CONTEXT))
        return told(CL_INVALID_CONTEXT);
    object_retain(&context->head);
    return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context context)
{
    if (!is_object(context, KIND_CONTEXT))
        return told(CL_INVALID_CONTEXT);
    object_release(&context->head);
    return CL_SUCCESS;
}

cl_int clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    if (!is_object(context, KIND_CONTEXT))
        return told(CL_INVALID_CONTEXT);
    switch (param_name) {
    case CL_CONTEXT_REFERENCE_COUNT: return answer(&q, cl_uint, context->head.refs);
    case CL_CONTEXT_NUM_DEVICES: return answer(&q, cl_uint, context->ndevices);
    case CL_CONTEXT_DEVICES:
        return answer_bytes(&q, context->devices, context->ndevices * sizeof(cl_device_id));
    case CL_CONTEXT_PROPERTIES:
        return answer_bytes(&q, context->properties,
                            context->nproperties * sizeof *context->properties);
    }
    return told(CL_INVALID_VALUE);
}

cl_int clSetContextDestructorCallback(cl_context context,
                                      void(CL_CALLBACK *pfn_notify)(cl_context, void *),
                                      void *user_data)
{
    const cl_int s = check_context(context);
    if (s)
        return told(s);
    if (!pfn_notify)
        return told(CL_INVALID_VALUE);
    Callback *b = mem_zalloc(1, sizeof *b);
    if (!b)
        return told(CL_OUT_OF_HOST_MEMORY);
    b->call.context = pfn_notify;
    b->data = user_data;
    pthread_mutex_lock(&context->lock);
    b->next = context->destructors;
    context->destructors = b;
    pthread_mutex_unlock(&context->lock);
    return CL_SUCCESS;
}
