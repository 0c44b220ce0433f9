/* picture.h -- what examples with images share: a picture of colours, as an image and as a file. */
#ifndef PICTURE_H
#define PICTURE_H
#include "example.h"

enum { WIDTH = 100, HEIGHT = 60, PIXELS = WIDTH * HEIGHT };

/* Stripes and squares in red, green, blue and alpha. */
static inline void draw(unsigned char *pixels)
{
    for (int i = 0; i < PIXELS; i++) {
        const int x = i % WIDTH, y = i / WIDTH;
        pixels[4 * i] = (unsigned char)(x * 255 / WIDTH);
        pixels[4 * i + 1] = (unsigned char)(y * 255 / HEIGHT);
        pixels[4 * i + 2] = (x / 10 + y / 10) % 2 ? 255 : 32;
        pixels[4 * i + 3] = 255;
    }
}

/* An image of bytes, filled unless pixels is NULL. */
static inline cl_mem picture(const Setup *s, cl_mem_flags flags, unsigned char *pixels)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_int status;
    cl_mem m = clCreateImage(s->context, flags | (pixels ? CL_MEM_COPY_HOST_PTR : 0), &format, &d,
                             pixels, &status);
    CHECK(status);
    return m;
}

static inline void take_picture(const Setup *s, cl_mem image, unsigned char *pixels)
{
    const size_t origin[3] = {0}, region[] = {WIDTH, HEIGHT, 1};
    CHECK(clEnqueueReadImage(s->queue, image, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
}

static inline void write_picture(const char *name, const unsigned char *pixels)
{
    FILE *f = fopen(name, "wb");
    if (!f) {
        perror(name);
        exit(1);
    }
    fprintf(f, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int i = 0; i < PIXELS; i++)
        fwrite(pixels + 4 * i, 1, 3, f);
    fclose(f);
}
#endif
