/* blur.c -- a three-by-three blur of a picture: each pixel becomes the mean of nine, and at the edges the
 * pixels of the edge count again.  The sampler is an argument.  `blur FILE` writes the result as a
 * portable pixmap. */
#include "picture.h"

static const char source[] =
    "kernel void blur(read_only image2d_t from, write_only image2d_t to, sampler_t nearest)\n"
    "{\n"
    "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    uint4 sum = 0;\n"
    "    for (int y = -1; y <= 1; y++)\n"
    "        for (int x = -1; x <= 1; x++)\n"
    "            sum += convert_uint4_rte(read_imagef(from, nearest, at + (int2)(x, y)) * 255.0f);\n"
    "    write_imagef(to, at, convert_float4(sum / 9) / 255.0f);\n"
    "}\n";

static int held(int v, int n) { return v < 0 ? 0 : v < n ? v : n - 1; }

static unsigned blurred(const unsigned char *from, int x, int y, int channel)
{
    unsigned sum = 0;
    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
            sum += from[(held(v, HEIGHT) * WIDTH + held(u, WIDTH)) * 4 + channel];
    return sum / 9;
}

int main(int argc, char **argv)
{
    unsigned char *from = allocate(PIXELS * 4), *to = allocate(PIXELS * 4);
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE,
                                                CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP_TO_EDGE,
                                                CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0};
    cl_int status;
    draw(from);

    Setup host = setup();
    cl_program program = build(&host, source, NULL);
    cl_kernel k = kernel(program, "blur");
    cl_mem a = picture(&host, CL_MEM_READ_ONLY, from), b = picture(&host, CL_MEM_WRITE_ONLY, NULL);
    cl_sampler nearest = clCreateSamplerWithProperties(host.context, properties, &status);
    CHECK(status);
    CHECK(clSetKernelArg(k, 0, sizeof a, &a));
    CHECK(clSetKernelArg(k, 1, sizeof b, &b));
    CHECK(clSetKernelArg(k, 2, sizeof nearest, &nearest));
    const size_t global[] = {WIDTH, HEIGHT};
    CHECK(clEnqueueNDRangeKernel(host.queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    take_picture(&host, b, to);

    size_t wrong = 0;
    for (int i = 0; i < PIXELS * 4; i++)
        wrong += to[i] != blurred(from, i / 4 % WIDTH, i / 4 / WIDTH, i % 4);
    if (argc > 1)
        write_picture(argv[1], to);

    CHECK(clReleaseSampler(nearest));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseProgram(program));
    teardown(&host);
    free(from);
    free(to);
    return verdict("blur", wrong);
}
