/* rotate.c -- a picture of colours turned by 30 degrees about its middle: an image that is read between its
 * pixels, by a sampler with a linear filter and a border, and one that is written.  `rotate FILE` writes the
 * result as a portable pixmap. */
#include "picture.h"
#include <math.h>

static const char source[] =
    "constant sampler_t between = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n"
    "kernel void turn(read_only image2d_t from, write_only image2d_t to, float s, float c)\n"
    "{\n"
    "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    const float2 middle = convert_float2(get_image_dim(from)) * 0.5f;\n"
    "    const float2 v = convert_float2(at) + 0.5f - middle;\n"
    "    const float2 u = (float2)(c * v.x + s * v.y, c * v.y - s * v.x) + middle;\n"
    "    write_imagef(to, at, read_imagef(from, between, u));\n"
    "}\n";

/* a channel of the turned picture, from 0 to 255 */
static double turned(const unsigned char *from, int x, int y, int channel, double s, double c)
{
    const double vx = x + 0.5 - (int)WIDTH / 2.0, vy = y + 0.5 - (int)HEIGHT / 2.0;
    const double u = c * vx + s * vy + (int)WIDTH / 2.0 - 0.5, v = c * vy - s * vx + (int)HEIGHT / 2.0 - 0.5;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const int column = (int)floor(u) + (k & 1), row = (int)floor(v) + (k >> 1);
        const double share = (1 - fabs(u - column)) * (1 - fabs(v - row));
        if (column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT)
            sum += share * from[(row * WIDTH + column) * 4 + channel];
    }
    return sum;
}

int main(int argc, char **argv)
{
    unsigned char *from = allocate(PIXELS * 4), *to = allocate(PIXELS * 4);
    const float s = 0.5f, c = 0.8660254f;
    draw(from);

    Setup host = setup();
    cl_program program = build(&host, source, NULL);
    cl_kernel k = kernel(program, "turn");
    cl_mem a = picture(&host, CL_MEM_READ_ONLY, from), b = picture(&host, CL_MEM_WRITE_ONLY, NULL);
    CHECK(clSetKernelArg(k, 0, sizeof a, &a));
    CHECK(clSetKernelArg(k, 1, sizeof b, &b));
    CHECK(clSetKernelArg(k, 2, sizeof s, &s));
    CHECK(clSetKernelArg(k, 3, sizeof c, &c));
    const size_t global[] = {WIDTH, HEIGHT};
    CHECK(clEnqueueNDRangeKernel(host.queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    take_picture(&host, b, to);

    size_t wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int channel = 0; channel < 4; channel++)
                wrong += fabs(to[(y * WIDTH + x) * 4 + channel] - turned(from, x, y, channel, s, c)) > 0.51;
    if (argc > 1)
        write_picture(argv[1], to);

    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseProgram(program));
    teardown(&host);
    free(from);
    free(to);
    return verdict("rotate", wrong);
}
