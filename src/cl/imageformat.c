/* imageformat.c -- formats of images: which there are, and a colour as a pixel's bytes. */
#include "cl/cl.h"
#include "isa/fp.h"
#include "isa/image.h"
#include "isa/pixel.h"
#include <math.h>
#include <string.h>

/* --- what the device has ---------------------------------------------------------------------- */

static const struct TypeRow {
    cl_channel_type type;
    u8 kind, log2_bytes;
} types[] = {
#define CHANNEL_TYPE(name, value, kind, log2_bytes) {CL_##name, PIXEL_##kind, log2_bytes},
#include "isa/image.def"
};

static const struct OrderRow {
    cl_channel_order order;
    u8 log2_count;
    u16 flags;
} orders[] = {
#define CHANNEL_ORDER(name, value, log2_count, flags) {CL_##name, log2_count, flags},
#include "isa/image.def"
};

#define CHANNEL_TYPE(name, value, kind, log2_bytes)   static_assert(CL_##name == value, #name);
#define CHANNEL_ORDER(name, value, log2_count, flags) static_assert(CL_##name == value, #name);
#include "isa/image.def"

static const struct TypeRow *type_row(cl_channel_type type)
{
    for (size_t i = 0; i < countof(types); i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

static const struct OrderRow *order_row(cl_channel_order order)
{
    for (size_t i = 0; i < countof(orders); i++)
        if (orders[i].order == order)
            return &orders[i];
    return NULL;
}

u32 format_pixel(const cl_image_format *f)
{
    return 1u << (type_row(f->image_channel_data_type)->log2_bytes +
                  order_row(f->image_channel_order)->log2_count);
}

u32 format_word(const cl_image_format *f)
{
    return image_format_word(f->image_channel_order, f->image_channel_data_type);
}

/* --- checks
 * ---------------------------------------------------------------------------------------- */

static bool is_byte(cl_channel_type t)
{
    return t == CL_UNORM_INT8 || t == CL_SNORM_INT8 || t == CL_SIGNED_INT8 || t == CL_UNSIGNED_INT8;
}

static bool is_real(cl_channel_type t)
{
    return t == CL_UNORM_INT8 || t == CL_UNORM_INT16 || t == CL_SNORM_INT8 || t == CL_SNORM_INT16 ||
           t == CL_HALF_FLOAT || t == CL_FLOAT;
}

/* Whether the specification lets the type go with the order. */
static bool is_format(const cl_image_format *f)
{
    const cl_channel_type t = f->image_channel_data_type;
    const bool is_packed =
        t == CL_UNORM_SHORT_565 || t == CL_UNORM_SHORT_555 || t == CL_UNORM_INT_101010;
    if (t < CL_SNORM_INT8 || t > CL_UNORM_INT_101010_2)
        return false;
    switch (f->image_channel_order) {
    case CL_R:
    case CL_A:
    case CL_RG:
    case CL_RA:
    case CL_Rx:
    case CL_RGx: return !is_packed && t != CL_UNORM_INT_101010_2;
    case CL_RGBA: return !is_packed;
    case CL_RGB:
    case CL_RGBx: return is_packed;
    case CL_INTENSITY:
    case CL_LUMINANCE: return is_real(t);
    case CL_ARGB:
    case CL_BGRA:
    case CL_ABGR: return is_byte(t);
    case CL_DEPTH: return t == CL_UNORM_INT16 || t == CL_FLOAT;
    case CL_sRGB:
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA: return t == CL_UNORM_INT8;
    }
    return false;
}

/* Bytes of sRGB are read only; depth is for images of two dimensions. */
static bool is_supported(const cl_image_format *f, cl_mem_flags flags, cl_mem_object_type type)
{
    const struct OrderRow *o = order_row(f->image_channel_order);
    if (!o || !type_row(f->image_channel_data_type) || !is_format(f))
        return false;
    if (o->flags & FORMAT_SRGB)
        return flags & CL_MEM_READ_ONLY;
    return o->order != CL_DEPTH || type == CL_MEM_OBJECT_IMAGE2D ||
           type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

cl_int format_check(const cl_image_format *f, cl_mem_flags flags, cl_mem_object_type type)
{
    if (!f || !is_format(f))
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return is_supported(f, flags, type) ? CL_SUCCESS : CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                  cl_mem_object_type image_type, cl_uint num_entries,
                                  cl_image_format *image_formats, cl_uint *num_image_formats)
{
    cl_uint n = 0;
    if (!is_object(context, KIND_CONTEXT))
        return told(CL_INVALID_CONTEXT);
    if (image_type < CL_MEM_OBJECT_IMAGE2D || image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER ||
        (image_formats && !num_entries) ||
        !mem_flags_agree(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE))
        return told(CL_INVALID_VALUE);
    for (size_t o = 0; o < countof(orders); o++)
        for (size_t t = 0; t < countof(types); t++) {
            const cl_image_format f = {orders[o].order, types[t].type};
            if (!is_supported(&f, flags, image_type))
                continue;
            if (image_formats && n < num_entries)
                image_formats[n] = f;
            n++;
        }
    if (num_image_formats)
        *num_image_formats = n;
    return CL_SUCCESS;
}

/* --- a colour as bytes ------------------------------------------------------------------------ */

static float hold(float v, float low) { return v > low ? v < 1 ? v : 1 : low; /* NaN too */ }

/* the byte of sRGB for an amount of light */
static float srgb_of(float light)
{
    const double v = hold(light, 0);
    return (float)(v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055);
}

static u32 channel_of_float(float v, u8 kind)
{
    u8 flags = 0;
    u32 bits;
    memcpy(&bits, &v, sizeof bits);
    switch (kind) {
    case PIXEL_UNORM8: return (u32)lrintf(hold(v, 0) * 255);
    case PIXEL_UNORM16: return (u32)lrintf(hold(v, 0) * 65535);
    case PIXEL_SNORM8: return (u32)lrintf(hold(v, -1) * 127);
    case PIXEL_SNORM16: return (u32)lrintf(hold(v, -1) * 32767);
    case PIXEL_HALF: return (u32)fp_convert(fp_f32, fp_f16, bits, FP_RNE, &flags);
    default: return bits;
    }
}

static u32 channel_of_int(u32 v, u8 kind)
{
    const i32 s = (i32)v;
    switch (kind) {
    case PIXEL_INT8: return (u32)(s < INT8_MIN ? INT8_MIN : s > INT8_MAX ? INT8_MAX : s);
    case PIXEL_INT16: return (u32)(s < INT16_MIN ? INT16_MIN : s > INT16_MAX ? INT16_MAX : s);
    case PIXEL_UINT8: return v > UINT8_MAX ? UINT8_MAX : v;
    case PIXEL_UINT16: return v > UINT16_MAX ? UINT16_MAX : v;
    default: return v;
    }
}

void format_encode(const cl_image_format *f, const void *colour, u8 bytes[16])
{
    const struct TypeRow *t = type_row(f->image_channel_data_type);
    const struct OrderRow *o = order_row(f->image_channel_order);
    u32 word[4] = {0};
    memcpy(word, colour, f->image_channel_order == CL_DEPTH ? sizeof *word : sizeof word);
    for (u32 k = 0; k < 4; k++) {
        float v;
        memcpy(&v, &word[k], sizeof v);
        if (o->flags & FORMAT_SRGB && k < 3)
            v = srgb_of(v);
        word[k] =
            is_real(t->type) ? channel_of_float(v, t->kind) : channel_of_int(word[k], t->kind);
    }
    if (o->flags & FORMAT_SWAPPED) {
        const u32 red = word[0];
        word[0] = word[2];
        word[2] = red;
    }
    for (u32 k = 0; k < 1u << o->log2_count; k++)
        memcpy(bytes + (k << t->log2_bytes), &word[k], (size_t)1 << t->log2_bytes);
}
