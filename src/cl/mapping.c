/* mapping.c -- map and unmap.
 *
 * Where the host can see the device's memory, map gives out the buffer itself and nothing is
 * copied. Otherwise (CL_MEM_USE_HOST_PTR, several devices, page tables) the host has a copy, which
 * map brings up to date and unmap writes back.
 */
#include "cl/cl.h"
#include <string.h>

/* A map or unmap command.  A map has copies of all it needs, because another thread may unmap the
 * same pointer, and so take this map's entry out of the list, before the map has run.  An unmap has
 * claimed its entry. */
typedef struct {
    ClMem *buffer;
    Mapping map;
    Mapping *entry; /* of the buffer's list; NULL: a map, or an unmap that has run */
} Change;

static ClMem *whole_of(ClMem *m) { return m->parent ? m->parent : m; }

/* Where the host sees the first byte of m; NULL: out of memory. */
static u8 *host_bytes(ClMem *m)
{
    ClMem *whole = whole_of(m);
    if (whole->host_ptr)
        return (u8 *)whole->host_ptr + m->origin;
    if (whole->direct)
        return whole->direct + m->origin;
    pthread_mutex_lock(&whole->lock);
    if (!whole->shadow)
        whole->shadow = mem_alloc(whole->size);
    u8 *shadow = whole->shadow;
    pthread_mutex_unlock(&whole->lock);
    return shadow ? shadow + m->origin : NULL;
}

static bool is_direct(ClMem *m) { return !whole_of(m)->host_ptr && whole_of(m)->direct; }

/* --- the list of mappings ---------------------------------------------------------------- */

/* Only the unmap that has claimed a mapping removes it. */
static void remove_mapping(ClMem *m, Mapping *mapping)
{
    pthread_mutex_lock(&m->lock);
    Mapping **p = &m->maps;
    while (*p != mapping)
        p = &(*p)->next;
    *p = mapping->next;
    m->nmaps--;
    pthread_mutex_unlock(&m->lock);
    mem_free(mapping);
}

/* Claims a mapping of the pointer for the command.  False: there is none that is not claimed. */
static bool claim_mapping(Change *c, const void *pointer)
{
    ClMem *m = c->buffer;
    pthread_mutex_lock(&m->lock);
    Mapping *p = m->maps;
    while (p && (p->pointer != pointer || p->is_busy))
        p = p->next;
    if (p) {
        p->is_busy = true;
        c->map = *p;
        c->entry = p;
    }
    pthread_mutex_unlock(&m->lock);
    return p;
}

/* --- execution ------------------------------------------------------------------------------- */

enum { CHUNK = 16 << 10 }; /* bytes that are compared at a time */

/* Brings a row of the host's copy up to date.  Only bytes that differ are written, because another
 * thread may have the same bytes mapped and be reading them. */
static DrvStatus refresh(Driver *d, ClMem *whole, u64 addr, u8 *to, u64 size)
{
    u8 bytes[CHUNK];
    DrvStatus s = DRV_OK;
    pthread_mutex_lock(&whole->copy_lock);
    for (u64 n; !s && size; addr += n, to += n, size -= n) {
        n = size < CHUNK ? size : CHUNK;
        s = drv_read(d, addr, bytes, n);
        if (!s && memcmp(to, bytes, n) != 0)
            memcpy(to, bytes, n);
    }
    pthread_mutex_unlock(&whole->copy_lock);
    return s;
}

static u64 row_at(const struct Rows *p, size_t k)
{
    return k / p->rows * p->slice_pitch + k % p->rows * p->row_pitch;
}

static cl_int map_run(ClEvent *e, void *payload)
{
    const Change *c = payload;
    const Mapping *p = &c->map;
    const ClQueue *q = e->queue;
    u64 addr;
    if (p->flags & CL_MAP_WRITE_INVALIDATE_REGION)
        return CL_SUCCESS;
    cl_int s = buffer_address(c->buffer, q->device_index, ACCESS_READ, &addr);
    for (size_t k = 0; !s && k < p->place.rows * p->place.slices; k++) {
        const u64 at = row_at(&p->place, k), from = addr + p->place.offset + at;
        u8 *to = (u8 *)p->pointer + at;
        if (!is_direct(c->buffer))
            s = status_of_driver(
                refresh(queue_driver(q), whole_of(c->buffer), from, to, p->place.row));
        if (!s && p->flags & CL_MAP_READ)
            platform_dump(q->context->platform, from, to, p->place.row);
    }
    return s;
}

static cl_int unmap_run(ClEvent *e, void *payload)
{
    Change *c = payload;
    const Mapping *p = &c->map;
    const ClQueue *q = e->queue;
    cl_int s = CL_SUCCESS;
    u64 addr;
    if (p->flags != CL_MAP_READ) {
        s = buffer_address(c->buffer, q->device_index, ACCESS_WRITE, &addr);
        for (size_t k = 0; !s && k < p->place.rows * p->place.slices; k++) {
            const u64 at = row_at(&p->place, k), to = addr + p->place.offset + at;
            if (is_direct(c->buffer))
                drv_host_writes(queue_driver(q), to, p->place.row);
            else
                s = status_of_driver(
                    drv_write(queue_driver(q), to, (u8 *)p->pointer + at, p->place.row));
        }
    }
    remove_mapping(c->buffer, c->entry);
    c->entry = NULL;
    return s;
}

static void change_drop(void *payload)
{
    Change *c = payload;
    if (c->entry) { /* an unmap that has not run: the mapping stays */
        pthread_mutex_lock(&c->buffer->lock);
        c->entry->is_busy = false;
        pthread_mutex_unlock(&c->buffer->lock);
    }
    drop(c->buffer);
    mem_free(c);
}

static Change *change_new(ClMem *m, Mapping map)
{
    Change *c = mem_alloc(sizeof *c);
    if (!c)
        return NULL;
    use(m);
    *c = (Change){m, map, NULL};
    return c;
}

/* --- entry points --------------------------------------------------------------------- */

static bool flags_agree(cl_map_flags flags)
{
    const cl_map_flags both = CL_MAP_READ | CL_MAP_WRITE;
    return !(flags & ~(both | CL_MAP_WRITE_INVALIDATE_REGION)) &&
           !(flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & both);
}

static bool may_map(const ClMem *m, cl_map_flags flags)
{
    if (flags & CL_MAP_READ && m->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))
        return false;
    return !(flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) ||
           !(m->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS));
}

cl_int check_map_flags(const ClMem *m, cl_map_flags flags)
{
    return !flags_agree(flags) ? CL_INVALID_VALUE
           : may_map(m, flags) ? CL_SUCCESS
                               : CL_INVALID_OPERATION;
}

static cl_int check_map(ClQueue *q, cl_mem m, cl_map_flags flags, size_t offset, size_t size,
                        Waits w)
{
    if (!is_object(q, KIND_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    cl_int s = check_buffer(q, m);
    if (!s)
        s = check_waits(q->context, w);
    if (s)
        return s;
    if (!size || offset > m->size || size > m->size - offset || !flags_agree(flags))
        return CL_INVALID_VALUE;
    if (is_misaligned(q, m))
        return CL_MISALIGNED_SUB_BUFFER_OFFSET;
    return may_map(m, flags) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* The entry enters the list just before the application gets the pointer. */
cl_int map_bytes(ClQueue *q, ClMem *m, cl_command_type type, bool blocking, cl_map_flags flags,
                 struct Rows place, Waits w, cl_event *event, void **pointer)
{
    u8 *bytes = host_bytes(m);
    Mapping *entry = mem_alloc(sizeof *entry);
    Change *c = NULL;
    if (bytes && entry) {
        *entry = (Mapping){.pointer = bytes + place.offset, .place = place, .flags = flags};
        c = change_new(m, *entry);
    }
    if (!c) {
        mem_free(entry);
        return CL_OUT_OF_HOST_MEMORY;
    }
    const cl_int s = enqueue(q, type, (Work){map_run, change_drop, c, is_direct(m)}, w, WAIT_LIST,
                             blocking, event);
    if (s) {
        mem_free(entry);
        return s;
    }
    pthread_mutex_lock(&m->lock);
    entry->next = m->maps;
    m->maps = entry;
    m->nmaps++;
    pthread_mutex_unlock(&m->lock);
    *pointer = bytes + place.offset;
    return CL_SUCCESS;
}

static cl_int unmap(ClQueue *q, ClMem *m, const void *pointer, Waits w, cl_event *event)
{
    Change *c = change_new(m, (Mapping){.next = NULL});
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    if (!claim_mapping(c, pointer)) {
        change_drop(c);
        return CL_INVALID_VALUE;
    }
    return enqueue(q, CL_COMMAND_UNMAP_MEM_OBJECT, (Work){unmap_run, change_drop, c, is_direct(m)},
                   w, WAIT_LIST, false, event);
}

void *clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                         cl_map_flags map_flags, size_t offset, size_t size,
                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                         cl_event *event, cl_int *errcode_ret)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    void *pointer = NULL;
    cl_int s = check_map(command_queue, buffer, map_flags, offset, size, w);
    if (!s)
        s = map_bytes(command_queue, buffer, CL_COMMAND_MAP_BUFFER, blocking_map, map_flags,
                      (struct Rows){.offset = offset, .row = size, .rows = 1, .slices = 1}, w,
                      event, &pointer);
    tell(errcode_ret, s);
    return pointer;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    if (!is_object(command_queue, KIND_QUEUE))
        return told(CL_INVALID_COMMAND_QUEUE);
    cl_int s = check_mem(command_queue, memobj);
    if (!s)
        s = check_waits(command_queue->context, w);
    return told(s ? s : unmap(command_queue, memobj, mapped_ptr, w, event));
}
