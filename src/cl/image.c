/* image.c -- images: a memory object with a format, dimensions and pitches.
 *
 * Pixels lie row by row, slice by slice; the images of an array are slices.  Kernels get the
 * descriptor (isa/image.def) by value, so a device has nothing of an image but its bytes.  With
 * CL_MEM_USE_HOST_PTR the pitches are the host's, so that the device has an exact copy.
 */
#include "cl/cl.h"
#include "isa/image.h"
#include <string.h>

/* --- objects
 * --------------------------------------------------------------------------------------- */

bool image_is_array(const Image *i)
{
    return i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || i->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

void image_describe(const Image *i, u32 addr, u32 words[])
{
    words[IMAGE_base] = addr;
    words[IMAGE_width] = i->width;
    words[IMAGE_height] = i->height;
    words[IMAGE_depth] = i->depth;
    words[IMAGE_row_pitch] = i->row_pitch;
    words[IMAGE_slice_pitch] = i->slice_pitch;
    words[IMAGE_format] = format_word(&i->format);
    words[IMAGE_order] = i->format.image_channel_order;
    words[IMAGE_type] = i->format.image_channel_data_type;
}

void image_free(Image *i)
{
    if (i && i->source)
        drop(i->source);
    mem_free(i);
}

/* --- checks
 * ---------------------------------------------------------------------------------------- */

static bool is_within(size_t n, size_t most) { return n && n <= most; }

/* The dimensions of the description, 1 where the type has none. */
static cl_int take_size(Image *i, const cl_image_desc *d)
{
    size_t width = 0, height = 1, depth = 1, most = IMAGE2D_MOST, layers = IMAGE_ARRAY_MOST;
    switch (d->image_type) {
    case CL_MEM_OBJECT_IMAGE1D: break;
    case CL_MEM_OBJECT_IMAGE1D_BUFFER: most = IMAGE_BUFFER_MOST; break;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: depth = d->image_array_size; break;
    case CL_MEM_OBJECT_IMAGE2D: height = d->image_height; break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        height = d->image_height;
        depth = d->image_array_size;
        break;
    case CL_MEM_OBJECT_IMAGE3D:
        height = d->image_height;
        depth = d->image_depth;
        most = layers = IMAGE3D_MOST;
        break;
    default: return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    width = d->image_width;
    if (!width || !height || !depth || d->num_mip_levels || d->num_samples)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (!is_within(width, most) || !is_within(height, most) || !is_within(depth, layers))
        return CL_INVALID_IMAGE_SIZE;
    i->type = d->image_type;
    i->width = (u32)width;
    i->height = (u32)height;
    i->depth = (u32)depth;
    return CL_SUCCESS;
}

/* A pitch that is given, or the least one; false: it is too small, or no multiple of the unit. */
static bool take_pitch(size_t given, u64 least, u64 unit, u32 *pitch)
{
    const u64 p = given ? given : least;
    *pitch = (u32)p;
    return p >= least && p <= UINT32_MAX && !(p % unit);
}

/* Pitches may be given where the bytes are: by the host, or in a buffer; *size: bytes of the image.
 */
static cl_int take_pitches(Image *i, const cl_image_desc *d, bool may_give, u64 most, size_t *size)
{
    const bool has_slices = i->type == CL_MEM_OBJECT_IMAGE3D || image_is_array(i);
    if (!may_give && (d->image_row_pitch || d->image_slice_pitch))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (!take_pitch(d->image_row_pitch, (u64)i->width * i->pixel, i->pixel, &i->row_pitch))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    const u64 rows = (u64)i->row_pitch * i->height;
    if (rows > most)
        return CL_INVALID_IMAGE_SIZE;
    if (!take_pitch(has_slices ? d->image_slice_pitch : 0, rows, i->row_pitch, &i->slice_pitch))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if ((u64)i->slice_pitch * i->depth > most)
        return CL_INVALID_IMAGE_SIZE;
    *size = (size_t)i->slice_pitch * i->depth;
    return CL_SUCCESS;
}

/* An image of two dimensions may show another one's bytes, of the same size, in another order. */
static cl_int check_same_bytes(const Image *i, const Image *from)
{
    static const struct {
        cl_channel_order a, b;
    } pairs[] = {{CL_sBGRA, CL_BGRA},
                 {CL_sRGBA, CL_RGBA},
                 {CL_sRGB, CL_RGB},
                 {CL_sRGBx, CL_RGBx},
                 {CL_DEPTH, CL_R}};
    const cl_channel_order a = i->format.image_channel_order, b = from->format.image_channel_order;
    bool is_pair = a == b;
    for (size_t k = 0; k < countof(pairs); k++)
        is_pair |= (a == pairs[k].a && b == pairs[k].b) || (a == pairs[k].b && b == pairs[k].a);
    if (i->type != CL_MEM_OBJECT_IMAGE2D || from->type != CL_MEM_OBJECT_IMAGE2D ||
        i->width != from->width || i->height != from->height)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    return is_pair && i->format.image_channel_data_type == from->format.image_channel_data_type
               ? CL_SUCCESS
               : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
}

/* --- creation --------------------------------------------------------------------------------- */

static cl_int check_source(const ClContext *c, const Image *i, const ClMem *source,
                           const void *host_ptr)
{
    const bool is_buffer_type = i->type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if (!source)
        return is_buffer_type ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
    if (!is_object(source, KIND_MEM) || source->context != c || source->packets)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (host_ptr)
        return CL_INVALID_HOST_PTR;
    if (source->image)
        return check_same_bytes(i, source->image);
    return is_buffer_type || i->type == CL_MEM_OBJECT_IMAGE2D ? CL_SUCCESS
                                                              : CL_INVALID_IMAGE_DESCRIPTOR;
}

/* Fills in an image by its description; *flags get what the source has. */
static cl_int plan(const ClContext *c, cl_mem_flags *flags, const cl_image_format *format,
                   const cl_image_desc *d, const void *host_ptr, Image *i, size_t *size)
{
    if (!mem_flags_agree(*flags))
        return CL_INVALID_VALUE;
    if (!format)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (!d)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    cl_int s = take_size(i, d);
    if (s)
        return s;
    ClMem *source = d->mem_object;
    i->format = *format;
    s = check_source(c, i, source, host_ptr);
    if (!s && source)
        s = mem_inherit(source, flags);
    if (!s)
        s = format_check(format, *flags, i->type);
    if (s)
        return s;
    i->pixel = format_pixel(format);
    cl_image_desc same = *d;
    if (source && source->image)
        same.image_row_pitch = source->image->row_pitch;
    s = take_pitches(i, &same, host_ptr || source, source ? source->size : mem_largest(c), size);
    if (!s && !source && !host_ptr != !(*flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        s = CL_INVALID_HOST_PTR;
    return s;
}

/* Copies the host's pixels to an image without gaps. */
static cl_int copy_in(ClMem *m, const u8 *from, size_t row_pitch, size_t slice_pitch)
{
    const Image *i = m->image;
    DrvStatus s = DRV_OK;
    for (u32 z = 0; !s && z < i->depth; z++)
        for (u32 y = 0; !s && y < i->height; y++)
            s = drv_write(m->context->drivers[0],
                          m->addr[0] + z * (u64)i->slice_pitch + y * (u64)i->row_pitch,
                          from + z * slice_pitch + y * row_pitch, (u64)i->width * i->pixel);
    return status_of_driver(s);
}

static cl_int create(ClContext *c, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *d, void *host_ptr, ClMem **made)
{
    Image plain = {0};
    size_t size = 0;
    /* 1. what it is to be */
    cl_int s = check_context(c);
    if (!s && !(flags & DEVICE_ACCESS) && !(d && d->mem_object))
        flags |= CL_MEM_READ_WRITE;
    if (!s)
        s = plan(c, &flags, format, d, host_ptr, &plain, &size);
    if (s)
        return s;
    /* 2. a copy has no gaps */
    const size_t row_pitch = plain.row_pitch, slice_pitch = plain.slice_pitch;
    if (flags & CL_MEM_COPY_HOST_PTR && !d->mem_object) {
        plain.row_pitch = plain.width * plain.pixel;
        plain.slice_pitch = plain.row_pitch * plain.height;
        size = (size_t)plain.slice_pitch * plain.depth;
    }
    /* 3. the object */
    ClMem *m = mem_new(c, flags, size);
    Image *i = mem_alloc(sizeof *i);
    if (!m || !i) {
        mem_free(i);
        if (m)
            drop(m);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *i = plain;
    m->image = i;
    /* 4. its bytes */
    if (d->mem_object) {
        i->source = d->mem_object;
        use(i->source);
        mem_join(m, i->source, 0);
    } else {
        m->host_ptr = flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL;
        s = mem_fill(m, m->host_ptr);
        if (!s && flags & CL_MEM_COPY_HOST_PTR)
            s = copy_in(m, host_ptr, row_pitch, slice_pitch);
    }
    if (s) {
        drop(m);
        return s;
    }
    mem_link(m);
    *made = m;
    return CL_SUCCESS;
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                     const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    ClMem *m = NULL;
    const cl_int s = create(context, flags, image_format, image_desc, host_ptr, &m);
    tell(errcode_ret, s);
    return m;
}

/* No property of an image is known but the end of the list. */
cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, const cl_image_format *image_format,
                                   const cl_image_desc *image_desc, void *host_ptr,
                                   cl_int *errcode_ret)
{
    ClMem *m = NULL;
    cl_int s = check_context(context);
    if (!s && properties && *properties)
        s = CL_INVALID_PROPERTY;
    if (!s)
        s = create(context, flags, image_format, image_desc, host_ptr, &m);
    if (m && properties && !mem_keep_properties(m)) {
        drop(m);
        m = NULL;
        s = CL_OUT_OF_HOST_MEMORY;
    }
    tell(errcode_ret, s);
    return m;
}

/* the older forms, which say of the description only that the size is bad */
static cl_mem create_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *d, void *host_ptr, cl_int *errcode_ret)
{
    cl_int s;
    cl_mem m = clCreateImage(context, flags, format, d, host_ptr, &s);
    if (errcode_ret) /* clCreateImage has explained it */
        *errcode_ret = s == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : s;
    return m;
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_row_pitch,
                       void *host_ptr, cl_int *errcode_ret)
{
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                             .image_width = image_width,
                             .image_height = image_height,
                             .image_row_pitch = image_row_pitch};
    return create_old(context, flags, image_format, &d, host_ptr, errcode_ret);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_depth,
                       size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                       cl_int *errcode_ret)
{
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                             .image_width = image_width,
                             .image_height = image_height,
                             .image_depth = image_depth,
                             .image_row_pitch = image_row_pitch,
                             .image_slice_pitch = image_slice_pitch};
    return create_old(context, flags, image_format, &d, host_ptr, errcode_ret);
}

/* --- queries
 * --------------------------------------------------------------------------------------- */

cl_int clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    if (!is_object(image, KIND_MEM) || !image->image)
        return told(CL_INVALID_MEM_OBJECT);
    const Image *i = image->image;
    const bool is_3d = i->type == CL_MEM_OBJECT_IMAGE3D, is_array = image_is_array(i);
    const bool has_rows =
        i->type == CL_MEM_OBJECT_IMAGE2D || i->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || is_3d;
    const ClMem *buffer = i->source && !i->source->image ? i->source : NULL;
    switch (param_name) {
    case CL_IMAGE_FORMAT: return answer_bytes(&q, &i->format, sizeof i->format);
    case CL_IMAGE_ELEMENT_SIZE: return answer(&q, size_t, i->pixel);
    case CL_IMAGE_ROW_PITCH: return answer(&q, size_t, i->row_pitch);
    case CL_IMAGE_SLICE_PITCH: return answer(&q, size_t, is_3d || is_array ? i->slice_pitch : 0);
    case CL_IMAGE_WIDTH: return answer(&q, size_t, i->width);
    case CL_IMAGE_HEIGHT: return answer(&q, size_t, has_rows ? i->height : 0);
    case CL_IMAGE_DEPTH: return answer(&q, size_t, is_3d ? i->depth : 0);
    case CL_IMAGE_ARRAY_SIZE: return answer(&q, size_t, is_array ? i->depth : 0);
    case CL_IMAGE_BUFFER: return answer_bytes(&q, &buffer, sizeof buffer);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES: return answer(&q, cl_uint, 0);
    }
    return told(CL_INVALID_VALUE);
}
