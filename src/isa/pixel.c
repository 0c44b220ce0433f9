/* pixel.c -- the word of a descriptor that says how pixels are read and written. */
#include "isa/pixel.h"
#include "isa/image.h"

u32 image_format_word(u32 order, u32 type)
{
    u32 pixel = 0, channel = 0, rest = 0;
    switch (type) {
#define CHANNEL_TYPE(name, value, kind, log2_bytes)                                                \
    case value:                                                                                    \
        channel = log2_bytes;                                                                      \
        rest = PIXEL_##kind;                                                                       \
        break;
#include "isa/image.def"
    }
    switch (order) {
#define CHANNEL_ORDER(name, value, log2_count, flags)                                              \
    case value:                                                                                    \
        pixel = channel + log2_count;                                                              \
        rest |= flags;                                                                             \
        break;
#include "isa/image.def"
    }
    return pixel << FORMAT_SIZE_AT | channel << FORMAT_CHANNEL_AT | rest;
}
