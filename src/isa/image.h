/* image.h -- the rows of image.def as constants, for C and OpenCL C. */
#ifndef ISA_IMAGE_H
#define ISA_IMAGE_H

enum {
#define IMAGE_WORD(name, what) IMAGE_##name,
#include "isa/image.def"
    IMAGE_WORDS
};

enum {
#define IMAGE_FORMAT(name, value, what) FORMAT_##name = (value),
#include "isa/image.def"
};
enum { FORMAT_SIZE_AT = 4, FORMAT_CHANNEL_AT = 8 }; /* lowest bits of the fields */

/* What a channel is in memory; a WORD is a float or an integer, by the function that reads it. */
enum { PIXEL_WORD, PIXEL_UNORM8, PIXEL_UNORM16, PIXEL_SNORM8, PIXEL_SNORM16, PIXEL_HALF, PIXEL_INT8, PIXEL_INT16,
       PIXEL_UINT8, PIXEL_UINT16 };

/* The numbers of OpenCL for orders and types of channels. */
enum {
#define CHANNEL_ORDER(name, value, log2_count, flags) IMAGE_ORDER_##name = (value),
#define CHANNEL_TYPE(name, value, kind, log2_bytes) IMAGE_TYPE_##name = (value),
#include "isa/image.def"
};

/* A sampler is a word: the bits of clang's CLK_ constants. */
enum {
    SAMPLER_NORMALIZED = 1,
    SAMPLER_ADDRESS = 14,
    SAMPLER_NONE = 0,
    SAMPLER_EDGE = 2,
    SAMPLER_BORDER = 4,
    SAMPLER_REPEAT = 6,
    SAMPLER_MIRROR = 8,
    SAMPLER_NEAREST = 16,
    SAMPLER_LINEAR = 32
};
#endif
