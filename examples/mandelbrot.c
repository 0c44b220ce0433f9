/* mandelbrot.c -- the Mandelbrot set as a picture: mandelbrot [FILE.pgm].  Neighbouring
 * points take different numbers of rounds, so the lanes of a warp leave the loop one after
 * another.  The picture is read by mapping the buffer. */
#include "example.h"

static const char source[] =
    "kernel void mandelbrot(global uchar *picture, int width, int height, int most)\n"
    "{\n"
    "    const int column = get_global_id(0), row = get_global_id(1);\n"
    "    const float x0 = column * 3.0f / width - 2.0f, y0 = row * 2.0f / height - 1.0f;\n"
    "    float x = 0, y = 0;\n"
    "    int n = 0;\n"
    "    while (n < most && x * x + y * y < 4.0f) {\n"
    "        const float next = x * x - y * y + x0;\n"
    "        y = 2 * x * y + y0;\n"
    "        x = next;\n"
    "        n++;\n"
    "    }\n"
    "    picture[row * width + column] = 255 - n * 255 / most;\n"
    "}\n";

enum { WIDTH = 120, HEIGHT = 80, MOST = 100 };

static int rounds(double x0, double y0)
{
    double x = 0, y = 0;
    int n = 0;
    for (; n < MOST && x * x + y * y < 4; n++) {
        const double next = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = next;
    }
    return n;
}

/* rounding moves points on the edge of the set: one in fifty may differ */
static size_t count_wrong(const unsigned char *picture)
{
    size_t differ = 0;
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column < WIDTH; column++) {
            const int n = rounds(column * 3.0 / (int)WIDTH - 2, row * 2.0 / (int)HEIGHT - 1);
            differ += picture[row * WIDTH + column] != 255 - n * 255 / MOST;
        }
    return differ > WIDTH * HEIGHT / 50 ? differ : 0;
}

static void write_picture(const char *file, const unsigned char *picture)
{
    FILE *f = fopen(file, "wb");
    if (!f) {
        perror(file);
        exit(1);
    }
    fprintf(f, "P5\n%d %d\n255\n", WIDTH, HEIGHT);
    fwrite(picture, 1, WIDTH * HEIGHT, f);
    fclose(f);
}

int main(int argc, char **argv)
{
    Setup s = setup();
    cl_program program = build(&s, source, NULL);
    cl_kernel k = kernel(program, "mandelbrot");
    cl_mem picture = buffer(&s, WIDTH * HEIGHT, NULL);
    const cl_int width = WIDTH, height = HEIGHT, most = MOST;
    CHECK(clSetKernelArg(k, 0, sizeof picture, &picture));
    CHECK(clSetKernelArg(k, 1, sizeof width, &width));
    CHECK(clSetKernelArg(k, 2, sizeof height, &height));
    CHECK(clSetKernelArg(k, 3, sizeof most, &most));
    const size_t global[] = {WIDTH, HEIGHT};
    CHECK(clEnqueueNDRangeKernel(s.queue, k, 2, NULL, global, NULL, 0, NULL, NULL));

    cl_int status;
    unsigned char *mapped = clEnqueueMapBuffer(s.queue, picture, CL_TRUE, CL_MAP_READ, 0,
                                               WIDTH * HEIGHT, 0, NULL, NULL, &status);
    CHECK(status);
    const size_t wrong = count_wrong(mapped);
    if (argc > 1)
        write_picture(argv[1], mapped);
    CHECK(clEnqueueUnmapMemObject(s.queue, picture, mapped, 0, NULL, NULL));
    CHECK(clFinish(s.queue));

    CHECK(clReleaseMemObject(picture));
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseProgram(program));
    teardown(&s);
    return verdict("mandelbrot", wrong);
}
