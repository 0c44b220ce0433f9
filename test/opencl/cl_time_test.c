/* cl_time_test.c -- profiling with the engine that counts cycles: kernels take the machine's time. */
#include "test/opencl/clhost.h"

enum { N = 128 };

/* nanoseconds from start to end of a launch of `scale` on n work-items */
static cl_ulong time_of(cl_kernel k, size_t n)
{
    cl_ulong from, to;
    cl_event e;
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &n, NULL, 0, NULL, &e));
    ok(clWaitForEvents(1, &e));
    ok(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL));
    ok(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL));
    ok(clReleaseEvent(e));
    return to - from;
}

static void takes_the_machines_time(void **state)
{
    int got[N] = {0};
    (void)state;
    cl_program program = make_program(&host.image);
    cl_kernel k = make_kernel(program, "scale");
    cl_mem mem = make_buffer(sizeof got, NULL);
    ok(clSetKernelArg(k, 0, sizeof mem, &mem));
    ok(clSetKernelArg(k, 1, sizeof(int), &(int){5}));
    const cl_ulong whole = time_of(k, N);
    ok(clEnqueueReadBuffer(host.queue, mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], 5 * i);
    /* at 500 MHz a cycle is two nanoseconds */
    assert_true(whole > 200 && whole % 2 == 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(time_of(k, N), whole);
    assert_true(time_of(k, N / 4) < whole);
    ok(clReleaseMemObject(mem));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(takes_the_machines_time)};
    set_environment();
    setenv("VENTUS_ENGINE", "timing", 1);
    setenv("VENTUS_MACHINE", "rtl-direct", 1);
    return cmocka_run_group_tests(tests, open_host, close_host);
}
