/* imagespec.c -- images as arguments (imagespec.h). */
#include "tool/imagespec.h"
#include "isa/fp.h"
#include "isa/pixel.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- formats --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    u32 order, lanes;
} orders[] = {
    {"r", IMAGE_ORDER_R, 1},         {"rg", IMAGE_ORDER_RG, 2},
    {"rgba", IMAGE_ORDER_RGBA, 4},   {"bgra", IMAGE_ORDER_BGRA, 4},
    {"srgba", IMAGE_ORDER_sRGBA, 4}, {"sbgra", IMAGE_ORDER_sBGRA, 4},
    {"depth", IMAGE_ORDER_DEPTH, 1},
};

static const struct {
    const char *name;
    u32 type;
    char kind; /* of bytes that have no name of their own: whole numbers */
    u32 size;
} channels[] = {
    {"8", IMAGE_TYPE_UNORM_INT8, 'u', 1},        {"16", IMAGE_TYPE_UNORM_INT16, 'u', 2},
    {"8_snorm", IMAGE_TYPE_SNORM_INT8, 'i', 1},  {"16_snorm", IMAGE_TYPE_SNORM_INT16, 'i', 2},
    {"8i", IMAGE_TYPE_SIGNED_INT8, 'i', 1},      {"16i", IMAGE_TYPE_SIGNED_INT16, 'i', 2},
    {"32i", IMAGE_TYPE_SIGNED_INT32, 'i', 4},    {"8ui", IMAGE_TYPE_UNSIGNED_INT8, 'u', 1},
    {"16ui", IMAGE_TYPE_UNSIGNED_INT16, 'u', 2}, {"32ui", IMAGE_TYPE_UNSIGNED_INT32, 'u', 4},
    {"16f", IMAGE_TYPE_HALF_FLOAT, 'u', 2},      {"32f", IMAGE_TYPE_FLOAT, 'f', 4},
};

/* sRGB and BGRA are of bytes, depth of a fraction or a float; as OpenCL has them. */
static bool go_together(u32 order, u32 type)
{
    switch (order) {
    case IMAGE_ORDER_BGRA:
        return type == IMAGE_TYPE_UNORM_INT8 || type == IMAGE_TYPE_SNORM_INT8 ||
               type == IMAGE_TYPE_SIGNED_INT8 || type == IMAGE_TYPE_UNSIGNED_INT8;
    case IMAGE_ORDER_sRGBA:
    case IMAGE_ORDER_sBGRA: return type == IMAGE_TYPE_UNORM_INT8;
    case IMAGE_ORDER_DEPTH: return type == IMAGE_TYPE_UNORM_INT16 || type == IMAGE_TYPE_FLOAT;
    }
    return true;
}

bool image_format(const char *name, size_t len, ImageFormat *f, ArgType *t)
{
    for (size_t o = 0; o < countof(orders); o++)
        for (size_t c = 0; c < countof(channels); c++) {
            char whole[32];
            const int n = snprintf(whole, sizeof whole, "%s%s", orders[o].name, channels[c].name);
            if ((size_t)n != len || memcmp(whole, name, len) ||
                !go_together(orders[o].order, channels[c].type))
                continue;
            *f = (ImageFormat){orders[o].order, channels[c].type};
            *t = (ArgType){channels[c].kind, channels[c].size, orders[o].lanes};
            return true;
        }
    return false;
}

const char *image_format_of(const Raster *r)
{
    return r->samples == 1 ? r->most > 255 ? "r16" : "r8" : r->most > 255 ? "rgba16" : "rgba8";
}

/* --- channels -------------------------------------------------------------------------------- */

static bool is_swapped(const Arg *a)
{
    return a->format.order == IMAGE_ORDER_BGRA || a->format.order == IMAGE_ORDER_sBGRA;
}

/* what 1 is among whole numbers of the type; 0: it has another range */
static u32 fraction_of(u32 type)
{
    return type == IMAGE_TYPE_UNORM_INT8 ? 255 : type == IMAGE_TYPE_UNORM_INT16 ? 65535 : 0;
}

/* A sample as a channel of the type.  False: it does not fit. */
static bool put_channel(u32 type, u32 v, u32 most, u8 *to)
{
    const float f = (float)v / (float)most;
    u32 word = v;
    u32 size = 1;
    u8 flags = 0;
    switch (type) {
    case IMAGE_TYPE_UNORM_INT8:
    case IMAGE_TYPE_UNORM_INT16:
        size = fraction_of(type) > 255 ? 2 : 1;
        word = (u32)(((u64)v * fraction_of(type) + most / 2) / most);
        break;
    case IMAGE_TYPE_UNSIGNED_INT8:
        if (v > 255)
            return false;
        break;
    case IMAGE_TYPE_UNSIGNED_INT16: size = 2; break;
    case IMAGE_TYPE_UNSIGNED_INT32: size = 4; break;
    case IMAGE_TYPE_HALF_FLOAT:
        size = 2;
        memcpy(&word, &f, 4);
        word = (u32)fp_convert(fp_f32, fp_f16, word, FP_RNE, &flags);
        break;
    case IMAGE_TYPE_FLOAT:
        size = 4;
        memcpy(&word, &f, 4);
        break;
    default: return false;
    }
    memcpy(to, &word, size);
    return true;
}

/* The fraction of `most` that a float is, within its bounds. */
static u16 quantize(float f, u32 most)
{
    return (u16)(f > 0 ? lrintf(fminf(f, 1) * (float)most) : 0);
}

/* What a picture with `most` has for a channel. */
static u16 get_channel(u32 type, const u8 *from, u32 most)
{
    u16 half;
    u32 word;
    float f;
    u8 flags = 0;
    switch (type) {
    case IMAGE_TYPE_UNORM_INT8:
    case IMAGE_TYPE_UNSIGNED_INT8: return *from;
    case IMAGE_TYPE_FLOAT: return memcpy(&f, from, 4), quantize(f, most);
    case IMAGE_TYPE_HALF_FLOAT:
        memcpy(&half, from, 2);
        word = (u32)fp_convert(fp_f16, fp_f32, half, FP_RNE, &flags);
        return memcpy(&f, &word, 4), quantize(f, most);
    default: return memcpy(&half, from, 2), half;
    }
}

/* --- pictures -------------------------------------------------------------------------------- */

const char *image_fill(const Arg *a, const Raster *r, u8 *bytes)
{
    const u32 lanes = a->type.lanes, alpha = r->samples % 2 ? 0 : r->samples - 1;
    if (r->width != a->sizes[0] || r->height != a->sizes[1] || a->sizes[2] != 1)
        return "the picture has another size than the image";
    if (lanes == 1 ? r->samples != 1 : lanes != 4)
        return lanes == 2 ? "a picture has no two channels"
                          : "the picture has colours or alpha, the image one channel";
    for (size_t i = 0; i < (size_t)r->width * r->height; i++) {
        const u16 *p = &r->sample[i * r->samples];
        const bool is_grey = r->samples < 3;
        u32 colour[4] = {p[0], p[is_grey ? 0 : 1], p[is_grey ? 0 : 2], alpha ? p[alpha] : r->most};
        if (is_swapped(a)) {
            const u32 red = colour[0];
            colour[0] = colour[2], colour[2] = red;
        }
        for (u32 k = 0; k < lanes; k++)
            if (!put_channel(a->format.type, colour[k], r->most,
                             bytes + (i * lanes + k) * a->type.size))
                return "an image of this format cannot be made of a picture";
    }
    return NULL;
}

/* The image as a picture.  NULL, or why it is none. */
static const char *make_raster(const Arg *a, Raster *r)
{
    const u32 type = a->format.type, lanes = a->type.lanes;
    const bool is_wide = type == IMAGE_TYPE_UNORM_INT16 || type == IMAGE_TYPE_UNSIGNED_INT16;
    *r = (Raster){a->sizes[0], a->sizes[1], lanes, is_wide ? 65535 : 255, NULL};
    if (a->sizes[2] != 1 || r->width > RASTER_MOST || r->height > RASTER_MOST)
        return "a picture has two dimensions";
    if (lanes == 2)
        return "a picture has no two channels";
    if (a->type.kind == 'i' || type == IMAGE_TYPE_UNSIGNED_INT32)
        return "numbers with a sign, or of 32 bits, are no picture";
    r->sample = mem_zalloc(a->count * lanes, sizeof *r->sample);
    if (!r->sample)
        out_of_memory();
    for (size_t i = 0; i < a->count; i++)
        for (u32 k = 0; k < lanes; k++) {
            const u32 at = is_swapped(a) && k < 3 ? 2 - k : k;
            r->sample[i * lanes + k] =
                get_channel(type, a->bytes + (i * lanes + at) * a->type.size, r->most);
        }
    return NULL;
}

bool image_write(const Arg *a, const char *file, Diag *d)
{
    Raster r;
    if (!raster_is_name(file))
        return write_file(file, a->bytes, a->size, d);
    const char *why = make_raster(a, &r);
    if (why)
        error(d, &(Source){.name = file, .text = ""}, NULL, "%s", why);
    const bool ok = !why && raster_write(file, &r, d);
    raster_free(&r);
    return ok;
}

/* --- what kernels get ------------------------------------------------------------------------ */

u32 image_dims(const char *type, bool *layers)
{
    static const char word[] = "image";
    const u32 dims = !strncmp(type, word, sizeof word - 1) ? (u32)(type[sizeof word - 1] - '0') : 0;
    *layers = strstr(type, "_array");
    return dims < 1 || dims > 3 ? 0 : dims + *layers;
}

void image_descriptor(const Arg *a, bool layers, u32 words[IMAGE_WORDS])
{
    const u32 pixel = arg_element_size(&a->type), row = pixel * a->sizes[0];
    const bool is_row = layers && a->dims == 2; /* of an array of rows */
    words[IMAGE_base] = (u32)a->addr;
    words[IMAGE_width] = a->sizes[0];
    words[IMAGE_height] = is_row ? 1 : a->sizes[1];
    words[IMAGE_depth] = is_row ? a->sizes[1] : a->sizes[2];
    words[IMAGE_row_pitch] = row;
    words[IMAGE_slice_pitch] = is_row ? row : row * a->sizes[1];
    words[IMAGE_format] = image_format_word(a->format.order, a->format.type);
    words[IMAGE_order] = a->format.order;
    words[IMAGE_type] = a->format.type;
}
