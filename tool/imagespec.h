/* imagespec.h -- images that `ventus run` passes to a kernel: formats, and pixels as pictures.
 *
 * The name of a format is channels and the type of one, as in OpenGL: r rg rgba bgra srgba sbgra depth,
 * then 8, 16 (from 0 to 1), 8_snorm, 16_snorm (from -1 to 1), 8i 16i 32i, 8ui 16ui 32ui, 16f or 32f.
 */
#ifndef TOOL_IMAGESPEC_H
#define TOOL_IMAGESPEC_H
#include "tool/args.h"
#include "isa/image.h"
#include "tool/raster.h"

/* Finds the format of a name of `len` characters; false: there is none. */
bool image_format(const char *name, size_t len, ImageFormat *f, ArgType *t);
/* The name of the format that a picture has by itself. */
const char *image_format_of(const Raster *r);
/* Puts a picture of its size into the bytes of an image.  NULL, or why that cannot be. */
const char *image_fill(const Arg *a, const Raster *r, u8 *bytes);
/* Writes the image's bytes: as a picture if the file's name ends like one, else as they are.  False:
 * reported. */
bool image_write(const Arg *a, const char *file, Diag *d);
/* What a kernel gets for an image at a->addr.  layers: the second of two sizes is a number of images. */
void image_descriptor(const Arg *a, bool layers, u32 words[IMAGE_WORDS]);
/* How many sizes an image of that type has (image2d_t: 2), and whether the last one of them counts the
 * images of an array; 0: it is no such type. */
u32 image_dims(const char *type, bool *layers);
#endif
