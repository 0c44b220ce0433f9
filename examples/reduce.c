/* reduce.c -- the sum of an array: each group adds its part in local memory, halving the
 * number of adders each round, and an atomic add collects the groups.  The time that the
 * device took comes from the event's profile. */
#include "example.h"

static const char source[] =
    "kernel void reduce(global const uint *data, uint n, global uint *sum, local uint *part)\n"
    "{\n"
    "    const uint me = get_local_id(0);\n"
    "    uint mine = 0;\n"
    "    for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
    "        mine += data[i];\n"
    "    part[me] = mine;\n"
    "    for (uint left = get_local_size(0) / 2; left > 0; left /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (me < left)\n"
    "            part[me] += part[me + left];\n"
    "    }\n"
    "    if (me == 0)\n"
    "        atomic_add(sum, part[0]);\n"
    "}\n";

enum { N = 1 << 18, LOCAL = 64, GROUPS = 16 };

int main(void)
{
    cl_uint *data = allocate(N * sizeof *data), expected = 0, sum = 0;
    for (cl_uint i = 0; i < N; i++)
        expected += data[i] = i * 2654435761u;

    Setup s = setup();
    cl_program program = build(&s, source, NULL);
    cl_kernel k = kernel(program, "reduce");
    cl_mem ddata = buffer(&s, N * sizeof *data, data), dsum = buffer(&s, sizeof sum, &sum);
    const cl_uint n = N;
    CHECK(clSetKernelArg(k, 0, sizeof ddata, &ddata));
    CHECK(clSetKernelArg(k, 1, sizeof n, &n));
    CHECK(clSetKernelArg(k, 2, sizeof dsum, &dsum));
    CHECK(clSetKernelArg(k, 3, LOCAL * sizeof(cl_uint), NULL));
    const size_t global = GROUPS * LOCAL, local = LOCAL;
    cl_event done;
    CHECK(clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &global, &local, 0, NULL, &done));
    read_back(&s, dsum, sizeof sum, &sum);

    cl_ulong start, end;
    CHECK(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    CHECK(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    printf("sum of %d numbers: %u, in %.3f ms\n", N, sum, (double)(end - start) * 1e-6);

    CHECK(clReleaseEvent(done));
    CHECK(clReleaseMemObject(ddata));
    CHECK(clReleaseMemObject(dsum));
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseProgram(program));
    teardown(&s);
    free(data);
    return verdict("reduce", sum != expected);
}
