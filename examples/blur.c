/* blur.c -- a three-by-three box blur of a grey picture in a plain buffer.  Rows lie in
 * the device's memory with a pitch; rectangular copies bring them there and back. */
#include "example.h"

static const char source[] =
    "kernel void blur(global const uchar *from, global uchar *to, int width, int height,\n"
    "                 int pitch)\n"
    "{\n"
    "    const int x = get_global_id(0), y = get_global_id(1);\n"
    "    uint sum = 0, count = 0;\n"
    "    for (int dy = -1; dy <= 1; dy++)\n"
    "        for (int dx = -1; dx <= 1; dx++) {\n"
    "            const int u = x + dx, v = y + dy;\n"
    "            if (u < 0 || u >= width || v < 0 || v >= height)\n"
    "                continue;\n"
    "            sum += from[v * pitch + u];\n"
    "            count++;\n"
    "        }\n"
    "    to[y * pitch + x] = sum / count;\n"
    "}\n";

enum { WIDTH = 100, HEIGHT = 60, PITCH = 128 };

static unsigned blurred(const unsigned char *from, int x, int y)
{
    unsigned sum = 0, count = 0;
    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
            if (u >= 0 && u < WIDTH && v >= 0 && v < HEIGHT) {
                sum += from[v * WIDTH + u];
                count++;
            }
    return sum / count;
}

int main(void)
{
    unsigned char *from = allocate(WIDTH * HEIGHT), *to = allocate(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        from[i] = (unsigned char)(i * 31 ^ i / WIDTH * 7);

    Setup s = setup();
    cl_program program = build(&s, source, NULL);
    cl_kernel k = kernel(program, "blur");
    cl_mem dfrom = buffer(&s, PITCH * HEIGHT, NULL), dto = buffer(&s, PITCH * HEIGHT, NULL);
    const size_t origin[3] = {0}, region[] = {WIDTH, HEIGHT, 1};
    CHECK(clEnqueueWriteBufferRect(s.queue, dfrom, CL_FALSE, origin, origin, region, PITCH, 0,
                                   WIDTH, 0, from, 0, NULL, NULL));
    const cl_int width = WIDTH, height = HEIGHT, pitch = PITCH;
    CHECK(clSetKernelArg(k, 0, sizeof dfrom, &dfrom));
    CHECK(clSetKernelArg(k, 1, sizeof dto, &dto));
    CHECK(clSetKernelArg(k, 2, sizeof width, &width));
    CHECK(clSetKernelArg(k, 3, sizeof height, &height));
    CHECK(clSetKernelArg(k, 4, sizeof pitch, &pitch));
    const size_t global[] = {WIDTH, HEIGHT};
    CHECK(clEnqueueNDRangeKernel(s.queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBufferRect(s.queue, dto, CL_TRUE, origin, origin, region, PITCH, 0, WIDTH, 0,
                                  to, 0, NULL, NULL));

    size_t wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += to[y * WIDTH + x] != blurred(from, x, y);

    CHECK(clReleaseMemObject(dfrom));
    CHECK(clReleaseMemObject(dto));
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseProgram(program));
    teardown(&s);
    free(from);
    free(to);
    return verdict("blur", wrong);
}
