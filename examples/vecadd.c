/* vecadd.c -- the smallest OpenCL program: c = a + b, one work-item an element. */
#include "example.h"

static const char source[] = "kernel void vecadd(global const float *a, global const float *b,\n"
                             "                   global float *c)\n"
                             "{\n"
                             "    const size_t i = get_global_id(0);\n"
                             "    c[i] = a[i] + b[i];\n"
                             "}\n";

enum { N = 100000 };

int main(void)
{
    float *a = allocate(N * sizeof *a), *b = allocate(N * sizeof *b), *c = allocate(N * sizeof *c);
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(i % 1000) / 8;
    }

    Setup s = setup();
    cl_program program = build(&s, source, NULL);
    cl_kernel k = kernel(program, "vecadd");
    cl_mem da = buffer(&s, N * sizeof *a, a), db = buffer(&s, N * sizeof *b, b);
    cl_mem dc = buffer(&s, N * sizeof *c, NULL);
    CHECK(clSetKernelArg(k, 0, sizeof da, &da));
    CHECK(clSetKernelArg(k, 1, sizeof db, &db));
    CHECK(clSetKernelArg(k, 2, sizeof dc, &dc));
    const size_t global = N;
    CHECK(clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    read_back(&s, dc, N * sizeof *c, c);

    size_t wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += c[i] != a[i] + b[i];

    CHECK(clReleaseMemObject(da));
    CHECK(clReleaseMemObject(db));
    CHECK(clReleaseMemObject(dc));
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseProgram(program));
    teardown(&s);
    free(a);
    free(b);
    free(c);
    return verdict("vecadd", wrong);
}
