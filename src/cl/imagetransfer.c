/* imagetransfer.c -- reads, writes, copies, fills and maps of images: transfers of boxes of bytes.
 *
 * Regions of arrays are turned so that their images are slices, as they lie in memory.
 */
#include "cl/transfer.h"
#include <string.h>

/* A region of an image, in pixels. */
typedef struct {
    size_t origin[3], region[3];
} Region;

/* CL_SUCCESS; or that the region is none, or does not lie in the image. */
static cl_int take_region(const Image *i, const size_t *origin, const size_t *region, Region *r)
{
    const size_t size[3] = {i->width, i->height, i->depth};
    const bool is_turned = i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    if (!origin || !region)
        return CL_INVALID_VALUE;
    for (int k = 0; k < 3; k++) {
        const int from = is_turned && k ? 3 - k : k;
        r->origin[k] = origin[from];
        r->region[k] = region[from];
        if (!region[from] || origin[from] > size[k] || region[from] > size[k] - origin[from])
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

static Place place_in(const Image *i, const size_t origin[3])
{
    return (Place){origin[0] * i->pixel + origin[1] * (u64)i->row_pitch +
                       origin[2] * (u64)i->slice_pitch,
                   i->row_pitch, i->slice_pitch};
}

/* The region with rows in bytes. */
static void bytes_of(const Image *i, const Region *r, size_t region[3])
{
    region[0] = r->region[0] * i->pixel;
    region[1] = r->region[1];
    region[2] = r->region[2];
}

/* What every call checks first: the queue, an image, the events. */
static cl_int check_call(ClQueue *q, cl_mem image, Waits w)
{
    if (!is_object(q, KIND_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    const cl_int s = check_is_image(q, image);
    return s ? s : check_waits(q->context, w);
}

/* --- between image and host ------------------------------------------------------------------- */

/* Where rows lie in the host's memory; 0: without gaps.  False: a pitch is too small. */
static bool host_place(const Image *i, const size_t region[3], size_t row_pitch, size_t slice_pitch,
                       Place *p)
{
    const bool has_slices = i->type == CL_MEM_OBJECT_IMAGE3D || image_is_array(i);
    p->offset = 0;
    p->row_pitch = row_pitch ? row_pitch : region[0];
    const size_t least = p->row_pitch * region[1];
    p->slice_pitch = has_slices && slice_pitch ? slice_pitch : least;
    return p->row_pitch >= region[0] && p->slice_pitch >= least;
}

static cl_int host_transfer(ClQueue *q, ClMem *m, bool is_read, bool blocking, const size_t *origin,
                            const size_t *region, size_t row_pitch, size_t slice_pitch,
                            const void *ptr, Waits w, cl_event *event)
{
    Region r;
    size_t bytes[3];
    Transfer t = {
        .from = is_read ? m : NULL, .to = is_read ? NULL : m, .host = (u8 *)(uintptr_t)ptr};
    cl_int s = check_call(q, m, w);
    if (!s)
        s = take_region(m->image, origin, region, &r);
    if (s)
        return s;
    bytes_of(m->image, &r, bytes);
    *(is_read ? &t.source : &t.target) = place_in(m->image, r.origin);
    if (!ptr ||
        !host_place(m->image, bytes, row_pitch, slice_pitch, is_read ? &t.target : &t.source))
        return CL_INVALID_VALUE;
    if (m->flags & (is_read ? NO_READ : NO_WRITE))
        return CL_INVALID_OPERATION;
    transfer_region(&t, bytes);
    return transfer_start(q, is_read ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, &t, w,
                          blocking, event);
}

cl_int clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                          const size_t *origin, const size_t *region, size_t row_pitch,
                          size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event)
{
    return told(host_transfer(command_queue, image, true, blocking_read, origin, region, row_pitch,
                              slice_pitch, ptr, (Waits){num_events_in_wait_list, event_wait_list},
                              event));
}

cl_int clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                           const size_t *origin, const size_t *region, size_t input_row_pitch,
                           size_t input_slice_pitch, const void *ptr,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event)
{
    return told(host_transfer(command_queue, image, false, blocking_write, origin, region,
                              input_row_pitch, input_slice_pitch, ptr,
                              (Waits){num_events_in_wait_list, event_wait_list}, event));
}

/* --- between images and buffers --------------------------------------------------------------- */

cl_int clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                          const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                          cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                          cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    Region from, to;
    size_t bytes[3];
    cl_int s = check_call(command_queue, src_image, w);
    if (!s)
        s = check_is_image(command_queue, dst_image);
    if (s)
        return told(s);
    Transfer t = {.from = src_image, .to = dst_image};
    const Image *a = src_image->image, *b = dst_image->image;
    if (a->format.image_channel_order != b->format.image_channel_order ||
        a->format.image_channel_data_type != b->format.image_channel_data_type)
        return told(CL_IMAGE_FORMAT_MISMATCH);
    /* the two may be of different types: each has its own idea of what the region's numbers are */
    if ((s = take_region(a, src_origin, region, &from)))
        return told(s);
    const bool is_array = b->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const size_t turned[3] = {from.region[0], is_array ? from.region[2] : from.region[1],
                              is_array ? from.region[1] : from.region[2]};
    if ((s = take_region(b, dst_origin, turned, &to)))
        return told(s);
    t.source = place_in(a, from.origin);
    t.target = place_in(b, to.origin);
    bytes_of(a, &from, bytes);
    if (boxes_overlap(t.from, &t.source, t.to, &t.target, bytes))
        return told(CL_MEM_COPY_OVERLAP);
    transfer_region(&t, bytes);
    return told(transfer_start(command_queue, CL_COMMAND_COPY_IMAGE, &t, w, false, event));
}

static cl_int buffer_transfer(ClQueue *q, ClMem *image, ClMem *buffer, bool to_buffer,
                              const size_t *origin, const size_t *region, size_t offset, Waits w,
                              cl_event *event)
{
    Region r;
    size_t bytes[3];
    cl_int s = check_call(q, image, w);
    if (!s)
        s = check_buffer(q, buffer);
    if (!s)
        s = take_region(image->image, origin, region, &r);
    if (s)
        return s;
    bytes_of(image->image, &r, bytes);
    const Place inside = place_in(image->image, r.origin);
    const Place outside = {offset, bytes[0], bytes[0] * bytes[1]};
    const u64 size = (u64)bytes[0] * bytes[1] * bytes[2];
    if (offset > buffer->size || size > buffer->size - offset)
        return CL_INVALID_VALUE;
    if (is_misaligned(q, buffer))
        return CL_MISALIGNED_SUB_BUFFER_OFFSET;
    Transfer t = {.from = to_buffer ? image : buffer,
                  .to = to_buffer ? buffer : image,
                  .source = to_buffer ? inside : outside,
                  .target = to_buffer ? outside : inside};
    if (boxes_overlap(t.from, &t.source, t.to, &t.target, bytes))
        return CL_MEM_COPY_OVERLAP;
    transfer_region(&t, bytes);
    return transfer_start(
        q, to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE, &t, w,
        false, event);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                                  cl_mem dst_buffer, const size_t *src_origin, const size_t *region,
                                  size_t dst_offset, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    return told(buffer_transfer(command_queue, src_image, dst_buffer, true, src_origin, region,
                                dst_offset, (Waits){num_events_in_wait_list, event_wait_list},
                                event));
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                                  cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
                                  const size_t *region, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    return told(buffer_transfer(command_queue, dst_image, src_buffer, false, dst_origin, region,
                                src_offset, (Waits){num_events_in_wait_list, event_wait_list},
                                event));
}

/* --- fills and maps
 * ------------------------------------------------------------------------------- */

cl_int clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                          const size_t *origin, const size_t *region,
                          cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                          cl_event *event)
{
    const Waits w = {num_events_in_wait_list, event_wait_list};
    Region r;
    size_t bytes[3];
    cl_int s = check_call(command_queue, image, w);
    if (!s)
        s = take_region(image->image, origin, region, &r);
    if (s)
        return told(s);
    if (!fill_color)
        return told(CL_INVALID_VALUE);
    bytes_of(image->image, &r, bytes);
    Transfer t = {.to = image, .target = place_in(image->image, r.origin)};
    t.source = t.target; /* so that rows are joined by the target alone */
    t.pattern_size = image->image->pixel;
    format_encode(&image->image->format, fill_color, t.pattern);
    transfer_region(&t, bytes);
    return told(transfer_start(command_queue, CL_COMMAND_FILL_IMAGE, &t, w, false, event));
}

static cl_int map_image(ClQueue *q, ClMem *m, bool blocking, cl_map_flags flags,
                        const size_t *origin, const size_t *region, size_t *row_pitch,
                        size_t *slice_pitch, Waits w, cl_event *event, void **pointer)
{
    Region r;
    size_t bytes[3];
    cl_int s = check_call(q, m, w);
    if (!s)
        s = take_region(m->image, origin, region, &r);
    if (s)
        return s;
    const Image *i = m->image;
    const bool has_slices = i->type == CL_MEM_OBJECT_IMAGE3D || image_is_array(i);
    if (!row_pitch || (has_slices && !slice_pitch))
        return CL_INVALID_VALUE;
    if ((s = check_map_flags(m, flags)))
        return s;
    bytes_of(i, &r, bytes);
    const Place p = place_in(i, r.origin);
    const struct Rows place = {p.offset, bytes[0], bytes[1], bytes[2], p.row_pitch, p.slice_pitch};
    s = map_bytes(q, m, CL_COMMAND_MAP_IMAGE, blocking, flags, place, w, event, pointer);
    if (!s)
        *row_pitch = i->row_pitch;
    if (!s && slice_pitch)
        *slice_pitch = has_slices ? i->slice_pitch : 0;
    return s;
}

void *clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                        cl_map_flags map_flags, const size_t *origin, const size_t *region,
                        size_t *image_row_pitch, size_t *image_slice_pitch,
                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                        cl_event *event, cl_int *errcode_ret)
{
    void *pointer = NULL;
    const cl_int s = map_image(command_queue, image, blocking_map, map_flags, origin, region,
                               image_row_pitch, image_slice_pitch,
                               (Waits){num_events_in_wait_list, event_wait_list}, event, &pointer);
    tell(errcode_ret, s);
    return pointer;
}
