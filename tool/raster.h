/* raster.h -- pictures in files: PNG, and the PGM and PPM of netpbm. */
#ifndef TOOL_RASTER_H
#define TOOL_RASTER_H
#include "base/diag.h"
#include "base/mem.h"

/* A picture.  Rows from the top, pixels from the left, samples of a pixel next to each other. */
typedef struct {
    u32 width, height;
    u32 samples;            /* of a pixel: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA */
    u32 most;               /* what stands for 1: up to 65535 */
    u16 *sample;            /* owned */
} Raster;

/* Most pixels of a row, and rows. */
enum { RASTER_MOST = 16384 };

/* Whether bytes begin as a picture does. */
bool raster_is(const u8 *bytes, size_t len);
/* Reads a picture, which is hostile input.  False: reported for the file. */
bool raster_read(const char *file, const u8 *bytes, size_t len, Raster *r, Diag *d);
/* Whether raster_write() makes a picture of a file with this name. */
bool raster_is_name(const char *file);
/* Writes a picture in the form that the file's suffix names: .pgm takes grey only, .ppm leaves alpha out.
 * most is 255 or 65535.  False: reported. */
bool raster_write(const char *file, const Raster *r, Diag *d);
void raster_free(Raster *r);
#endif
