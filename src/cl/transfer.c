/* transfer.c -- copies between host and buffers, among buffers, and fills.
 *
 * Each is a Transfer between two boxes of rows; a plain copy is a box of one row.
 */
#include "cl/transfer.h"
#include <string.h>

/* --- execution ----------------------------------------------------------------------------- */

static void transfer_drop(void *payload)
{
    Transfer *t = payload;
    if (t->from)
        drop(t->from);
    if (t->to)
        drop(t->to);
    mem_free(t);
}

static u64 at(const Place *p, u64 row, u64 slice)
{
    return p->offset + row * p->row_pitch + slice * p->slice_pitch;
}

static DrvStatus move_row(const Transfer *t, u64 from, u64 to, u64 row, u64 slice)
{
    Driver *d = queue_driver(t->queue);
    if (t->pattern_size)
        return drv_fill(d, to + at(&t->target, row, slice), t->pattern, t->pattern_size, t->row);
    const u64 source = at(&t->source, row, slice), target = at(&t->target, row, slice);
    if (t->from && t->to)
        return drv_copy(d, from + source, to + target, t->row);
    if (t->to)
        return drv_write(d, to + target, t->host + source, t->row);
    const DrvStatus s = drv_read(d, from + source, t->host + target, t->row);
    if (!s)
        platform_dump(t->queue->context->platform, from + source, t->host + target, t->row);
    return s;
}

static DrvStatus move_rows(const Transfer *t, u64 from, u64 to)
{
    for (u64 slice = 0; slice < t->slices; slice++)
        for (u64 row = 0; row < t->rows; row++) {
            const DrvStatus s = move_row(t, from, to, row, slice);
            if (s)
                return s;
        }
    return DRV_OK;
}

static cl_int transfer_run(ClEvent *e, void *payload)
{
    const Transfer *t = payload;
    const u32 device = e->queue->device_index;
    u64 from = 0, to = 0;
    cl_int s = CL_SUCCESS;
    if (t->from)
        s = buffer_address(t->from, device, ACCESS_READ, &from);
    if (!s && t->to)
        s = buffer_address(t->to, device, ACCESS_WRITE, &to);
    if (s)
        return s;
    return status_of_driver(move_rows(t, from, to));
}

cl_int transfer_start(ClQueue *q, cl_command_type type, const Transfer *plan, Waits w,
                      bool blocking, cl_event *event)
{
    Transfer *t = mem_alloc(sizeof *t);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    *t = *plan;
    t->queue = q;
    if (t->from)
        use(t->from);
    if (t->to)
        use(t->to);
    const bool is_quick = q->context->ndevices == 1 && t->row * t->rows * t->slices <= QUICK_BYTES;
    return enqueue(q, type, (Work){transfer_run, transfer_drop, t, is_quick}, w, WAIT_LIST,
                   blocking, event);
}

/* --- checks ---------------------------------------------------------------------------------- */

static bool fits(const ClMem *m, size_t offset, size_t size)
{
    return offset <= m->size && size <= m->size - offset;
}

/* What every call checks first: the queue, its buffers, the events. */
static cl_int check_call(ClQueue *q, cl_mem a, cl_mem b, Waits w)
{
    if (!is_object(q, KIND_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    cl_int s = check_buffer(q, a);
    if (!s && b)
        s = check_buffer(q, b);
    return s ? s : check_waits(q->context, w);
}

static cl_int check_alignment(const ClQueue *q, const ClMem *a, const ClMem *b)
{
    return is_misaligned(q, a) || (b && is_misaligned(q, b)) ? CL_MISALIGNED_SUB_BUFFER_OFFSET
                                                             : CL_SUCCESS;
}

/* --- one row -------------------------------------------------------------------------- */

static cl_int check_linear(ClQueue *q, cl_mem m, size_t offset, size_t size, const void *ptr,
                           Waits w, cl_mem_flags refused)
{
    cl_int s = check_call(q, m, NULL, w);
    if (s)
        return s;
    if (!fits(m, offset, size) || !ptr || !size)
        return CL_INVALID_VALUE;
    s = check_alignment(q, m, NULL);
    return s ? s : m->flags & refused ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                           size_t offset, size_t size, void *ptr, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    const Transfer t = {.from = buffer,
                        .host = ptr,
                        .source = {.offset = offset},
                        .row = size,
                        .rows = 1,
                        .slices = 1};
    const cl_int s = check_linear(command_queue, buffer, offset, size, ptr, w, NO_READ);
    return told(
        s ? s : transfer_start(command_queue, CL_COMMAND_READ_BUFFER, &t, w, blocking_read, event));
}

cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
                            size_t offset, size_t size, const void *ptr,
                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                            cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    const Transfer t = {.to = buffer,
                        .host = (u8 *)(uintptr_t)ptr,
                        .target = {.offset = offset},
                        .row = size,
                        .rows = 1,
                        .slices = 1};
    const cl_int s = check_linear(command_queue, buffer, offset, size, ptr, w, NO_WRITE);
    return told(
        s ? s
          : transfer_start(command_queue, CL_COMMAND_WRITE_BUFFER, &t, w, blocking_write, event));
}

/* Whether the ranges share bytes of the block that both buffers lie in. */
static bool overlap(const ClMem *a, size_t a_offset, const ClMem *b, size_t b_offset, size_t size)
{
    const ClMem *a_whole = a->parent ? a->parent : a, *b_whole = b->parent ? b->parent : b;
    const size_t x = a->origin + a_offset, y = b->origin + b_offset;
    return a_whole == b_whole && (x < y ? y - x : x - y) < size;
}

cl_int clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                           size_t src_offset, size_t dst_offset, size_t size,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    if (!is_object(command_queue, KIND_QUEUE))
        return told(CL_INVALID_COMMAND_QUEUE);
    if (!is_object(dst_buffer, KIND_MEM))
        return told(CL_INVALID_MEM_OBJECT);
    cl_int s = check_call(command_queue, src_buffer, dst_buffer, w);
    if (s)
        return told(s);
    if (!size || !fits(src_buffer, src_offset, size) || !fits(dst_buffer, dst_offset, size))
        return told(CL_INVALID_VALUE);
    if ((s = check_alignment(command_queue, src_buffer, dst_buffer)))
        return told(s);
    if (overlap(src_buffer, src_offset, dst_buffer, dst_offset, size))
        return told(CL_MEM_COPY_OVERLAP);
    const Transfer t = {.from = src_buffer,
                        .to = dst_buffer,
                        .source = {.offset = src_offset},
                        .target = {.offset = dst_offset},
                        .row = size,
                        .rows = 1,
                        .slices = 1};
    return told(transfer_start(command_queue, CL_COMMAND_COPY_BUFFER, &t, w, false, event));
}

cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern,
                           size_t pattern_size, size_t offset, size_t size,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    Transfer t = {.to = buffer, .target = {.offset = offset}, .row = size, .rows = 1, .slices = 1};
    cl_int s = check_call(command_queue, buffer, NULL, w);
    if (s)
        return told(s);
    if (!fits(buffer, offset, size) || !pattern || !is_pow2(pattern_size) ||
        pattern_size > sizeof t.pattern || offset % pattern_size || size % pattern_size)
        return told(CL_INVALID_VALUE);
    if ((s = check_alignment(command_queue, buffer, NULL)))
        return told(s);
    if (!size)
        return told(enqueue(command_queue, CL_COMMAND_FILL_BUFFER, (Work){.is_quick = true}, w,
                            WAIT_LIST, false, event));
    t.pattern_size = (u32)pattern_size;
    memcpy(t.pattern, pattern, pattern_size);
    return told(transfer_start(command_queue, CL_COMMAND_FILL_BUFFER, &t, w, false, event));
}

/* --- boxes ---------------------------------------------------------------------------- */

/* Pitches of 0 mean rows, and slices, without gaps.  False: a pitch is too small. */
static bool make_place(const size_t origin[3], const size_t region[3], size_t row_pitch,
                       size_t slice_pitch, Place *p)
{
    u64 offset, slices;
    if (!row_pitch)
        row_pitch = region[0];
    if (!slice_pitch)
        slice_pitch = region[1] * row_pitch; /* too small if it wraps around */
    if (row_pitch < region[0] || slice_pitch / row_pitch < region[1] || slice_pitch % row_pitch ||
        __builtin_mul_overflow(origin[2], slice_pitch, &slices) ||
        __builtin_mul_overflow(origin[1], row_pitch, &offset) ||
        __builtin_add_overflow(offset, slices, &offset) ||
        __builtin_add_overflow(offset, origin[0], &offset))
        return false;
    *p = (Place){offset, row_pitch, slice_pitch};
    return true;
}

/* bytes from the first to the last of the box, whose rows fit a slice; UINT64_MAX: more than can be
 * counted */
static u64 extent(const Place *p, const size_t region[3])
{
    const u64 slice = (region[1] - 1) * p->row_pitch + region[0];
    u64 all;
    if (__builtin_mul_overflow(region[2] - 1, p->slice_pitch, &all) ||
        __builtin_add_overflow(all, slice, &all))
        return UINT64_MAX;
    return all;
}

static bool box_fits(const ClMem *m, const Place *p, const size_t region[3])
{
    return p->offset <= m->size && extent(p, region) <= m->size - p->offset;
}

static bool is_box(const size_t *origin, const size_t *other, const size_t *region)
{
    return origin && other && region && region[0] && region[1] && region[2];
}

void transfer_region(Transfer *t, const size_t region[3])
{
    t->row = region[0];
    t->rows = region[1];
    t->slices = region[2];
    if (t->source.row_pitch == t->row && t->target.row_pitch == t->row) {
        t->row *= t->rows;
        t->rows = 1;
        if (t->source.slice_pitch == t->row && t->target.slice_pitch == t->row) {
            t->row *= t->slices;
            t->slices = 1;
        }
    }
}

typedef struct {
    const size_t *origin;
    size_t row_pitch, slice_pitch;
} Box;

/* A transfer between a buffer and the host. */
static cl_int host_box(ClQueue *q, ClMem *m, bool is_read, bool blocking, Box buffer, Box host,
                       const size_t *region, const void *ptr, Waits w, cl_event *event)
{
    Transfer t = {
        .from = is_read ? m : NULL, .to = is_read ? NULL : m, .host = (u8 *)(uintptr_t)ptr};
    Place *near = is_read ? &t.target : &t.source, *far = is_read ? &t.source : &t.target;
    cl_int s = check_call(q, m, NULL, w);
    if (s)
        return s;
    if (!is_box(buffer.origin, host.origin, region) || !ptr ||
        !make_place(buffer.origin, region, buffer.row_pitch, buffer.slice_pitch, far) ||
        !make_place(host.origin, region, host.row_pitch, host.slice_pitch, near) ||
        !box_fits(m, far, region))
        return CL_INVALID_VALUE;
    if ((s = check_alignment(q, m, NULL)))
        return s;
    if (m->flags & (is_read ? NO_READ : NO_WRITE))
        return CL_INVALID_OPERATION;
    transfer_region(&t, region);
    return transfer_start(q, is_read ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT,
                          &t, w, blocking, event);
}

cl_int clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                               const size_t *buffer_origin, const size_t *host_origin,
                               const size_t *region, size_t buffer_row_pitch,
                               size_t buffer_slice_pitch, size_t host_row_pitch,
                               size_t host_slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event)
{
    return told(host_box(command_queue, buffer, true, blocking_read,
                         (Box){buffer_origin, buffer_row_pitch, buffer_slice_pitch},
                         (Box){host_origin, host_row_pitch, host_slice_pitch}, region, ptr,
                         (Waits){num_events_in_wait_list, event_wait_list}, event));
}

cl_int clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer,
                                cl_bool blocking_write, const size_t *buffer_origin,
                                const size_t *host_origin, const size_t *region,
                                size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                size_t host_row_pitch, size_t host_slice_pitch, const void *ptr,
                                cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                cl_event *event)
{
    return told(host_box(command_queue, buffer, false, blocking_write,
                         (Box){buffer_origin, buffer_row_pitch, buffer_slice_pitch},
                         (Box){host_origin, host_row_pitch, host_slice_pitch}, region, ptr,
                         (Waits){num_events_in_wait_list, event_wait_list}, event));
}

static i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
static bool is_within(i64 v, size_t limit) { return (u64)(v < 0 ? -v : v) < limit; }

/* With equal pitches they do if the distance between
 * their starts can be written as slices, rows and bytes that are each less than the box has; two
 * numbers of slices are possible, and two of rows for each.  With different pitches the extents
 * decide. */
bool boxes_overlap(const ClMem *a, const Place *p, const ClMem *b, const Place *q,
                   const size_t region[3])
{
    const u64 x = a->origin + p->offset, y = b->origin + q->offset;
    const u64 apart = x < y ? y - x : x - y;
    if ((a->parent ? a->parent : a) != (b->parent ? b->parent : b) ||
        apart >= extent(x < y ? p : q, region))
        return false;
    if (p->row_pitch != q->row_pitch || p->slice_pitch != q->slice_pitch)
        return true;
    const i64 slice_pitch = (i64)p->slice_pitch, row_pitch = (i64)p->row_pitch;
    const i64 slices = (i64)apart / slice_pitch;
    for (i64 s = slices; s <= slices + 1; s++) {
        const i64 rest = (i64)apart - s * slice_pitch, rows = floor_divide(rest, row_pitch);
        for (i64 r = rows; r <= rows + 1; r++)
            if (is_within(s, region[2]) && is_within(r, region[1]) &&
                is_within(rest - r * row_pitch, region[0]))
                return true;
    }
    return false;
}

static cl_int copy_box(ClQueue *q, Transfer *t, Box from, Box to, const size_t *region)
{
    if (!is_box(from.origin, to.origin, region) ||
        !make_place(from.origin, region, from.row_pitch, from.slice_pitch, &t->source) ||
        !make_place(to.origin, region, to.row_pitch, to.slice_pitch, &t->target) ||
        !box_fits(t->from, &t->source, region) || !box_fits(t->to, &t->target, region))
        return CL_INVALID_VALUE;
    /* within one buffer the pitches must agree */
    if (t->from == t->to && (t->source.row_pitch != t->target.row_pitch ||
                             t->source.slice_pitch != t->target.slice_pitch))
        return CL_INVALID_VALUE;
    const cl_int s = check_alignment(q, t->from, t->to);
    if (s)
        return s;
    return boxes_overlap(t->from, &t->source, t->to, &t->target, region) ? CL_MEM_COPY_OVERLAP
                                                                         : CL_SUCCESS;
}

cl_int clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                               const size_t *src_origin, const size_t *dst_origin,
                               const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
                               size_t dst_row_pitch, size_t dst_slice_pitch,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    Transfer t = {.from = src_buffer, .to = dst_buffer};
    if (!is_object(command_queue, KIND_QUEUE))
        return told(CL_INVALID_COMMAND_QUEUE);
    if (!is_object(dst_buffer, KIND_MEM))
        return told(CL_INVALID_MEM_OBJECT);
    cl_int s = check_call(command_queue, src_buffer, dst_buffer, w);
    if (!s)
        s = copy_box(command_queue, &t, (Box){src_origin, src_row_pitch, src_slice_pitch},
                     (Box){dst_origin, dst_row_pitch, dst_slice_pitch}, region);
    if (s)
        return told(s);
    transfer_region(&t, region);
    return told(transfer_start(command_queue, CL_COMMAND_COPY_BUFFER_RECT, &t, w, false, event));
}

/* --- migration ------------------------------------------------------------------------ */

typedef struct {
    cl_uint n;
    bool contents; /* not CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED */
    ClMem *objects[];
} Migration;

static void migration_drop(void *payload)
{
    Migration *m = payload;
    for (cl_uint i = 0; i < m->n; i++)
        drop(m->objects[i]);
    mem_free(m);
}

static cl_int migration_run(ClEvent *e, void *payload)
{
    const Migration *m = payload;
    cl_int s = CL_SUCCESS;
    u64 addr;
    for (cl_uint i = 0; !s && i < m->n; i++)
        s = buffer_address(m->objects[i], e->queue->device_index,
                           m->contents ? ACCESS_READ : ACCESS_WRITE, &addr);
    return s;
}

enum { MIGRATIONS = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED };

cl_int clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                  const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                  cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                  cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    if (!is_object(command_queue, KIND_QUEUE))
        return told(CL_INVALID_COMMAND_QUEUE);
    if (!num_mem_objects || !mem_objects || flags & ~(cl_mem_migration_flags)MIGRATIONS)
        return told(CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        const cl_int s = check_mem(command_queue, mem_objects[i]);
        if (s)
            return told(s);
    }
    const cl_int s = check_waits(command_queue->context, w);
    if (s)
        return told(s);
    Migration *m = mem_zalloc(1, sizeof *m + num_mem_objects * sizeof(ClMem *));
    if (!m)
        return told(CL_OUT_OF_HOST_MEMORY);
    m->n = num_mem_objects;
    m->contents = !(flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    for (cl_uint i = 0; i < m->n; i++) {
        m->objects[i] = mem_objects[i];
        use(m->objects[i]);
    }
    return told(enqueue(command_queue, CL_COMMAND_MIGRATE_MEM_OBJECTS,
                        (Work){migration_run, migration_drop, m, false}, w, WAIT_LIST, false,
                        event));
}
