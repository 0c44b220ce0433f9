/* cl_context_test.c -- contexts with properties of extensions: variables that are 0 at first.
 * Skipped where there is no compiler. */
#include "test/opencl/clhost.h"
#include "test/kit/skip.h"

#ifndef CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR
#define CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR   1
#define CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR 2
#endif

static cl_context open_context(cl_context_properties name, cl_context_properties value, cl_int want)
{
    const cl_context_properties list[] = {name, value, 0};
    cl_int s;
    cl_context c = clCreateContext(list, 1, &host.device, NULL, NULL, &s);
    assert_int_equal(s, want);
    return c;
}

/* Variables that are not set on every path: an optimiser takes the value of the others. */
static const char unset_text[] = "kernel void f(global int *out, local int *by_argument, int never)\n"
                                 "{\n"
                                 "    local int shared, table[64];\n"
                                 "    const int i = get_global_id(0);\n"
                                 "    int own, array[5], sum = 0;\n"
                                 "    if (i == never) own = 3, shared = 4, table[i] = 5;\n"
                                 "    if (i == never) by_argument[i] = 6;\n"
                                 "    for (int k = 0; k < i % 3; k++) { int inner[3]; inner[k] = 1; array[k + 1] = inner[1]; }\n"
                                 "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "    for (int k = 0; k < 5; k++) sum += array[k];\n"
                                 "    out[i] = own + shared + table[i % 64] + by_argument[i % 64] + sum;\n"
                                 "}\n";

static void initialises_memory(void **state)
{
    enum { N = 128 };
    const char *text = unset_text;
    const size_t items = N, group = 64;
    const cl_int never = -1;
    cl_int s, out[N];
    (void)state;
    if (!INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE))
        skip_because("no compiler");
    open_context(CL_CONTEXT_MEMORY_INITIALIZE_KHR, 4, CL_INVALID_PROPERTY);
    cl_context c = open_context(CL_CONTEXT_MEMORY_INITIALIZE_KHR,
                                CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR,
                                CL_SUCCESS);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, host.device, NULL, &s);
    cl_mem m = clCreateBuffer(c, 0, sizeof out, NULL, &s);
    ok(s);
    const char *const options[] = {"", "-cl-opt-disable"};
    for (int o = 0; o < 2; o++) {
        cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &s);
        ok(clBuildProgram(p, 0, NULL, options[o], NULL, NULL));
        cl_kernel k = make_kernel(p, "f");
        ok(clSetKernelArg(k, 0, sizeof m, &m));
        ok(clSetKernelArg(k, 1, 64 * sizeof(cl_int), NULL));
        ok(clSetKernelArg(k, 2, sizeof never, &never));
        for (int again = 0; again < 2; again++) {
            ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &group, 0, NULL, NULL));
            ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
            for (int i = 0; i < N; i++) /* inner[1] is 1 in the round that sets it */
                assert_int_equal(out[i], i % 3 == 2);
        }
        ok(clReleaseKernel(k));
        ok(clReleaseProgram(p));
    }
    ok(clReleaseMemObject(m));
    ok(clReleaseCommandQueue(q));
    /* code that was compiled without this is refused */
    const u8 *bytes = host.image.data;
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(s);
    assert_int_equal(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    ok(clReleaseProgram(p));
    ok(clReleaseContext(c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initialises_memory),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_host, close_host);
}
