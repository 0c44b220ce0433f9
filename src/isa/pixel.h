/* pixel.h -- formats of images as descriptors have them (isa/image.def). */
#ifndef ISA_PIXEL_H
#define ISA_PIXEL_H
#include "base/base.h"

/* The word IMAGE_format of an order and a type of channels, which must be rows of image.def. */
u32 image_format_word(u32 order, u32 type);
#endif
