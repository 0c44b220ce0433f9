/* cl_devices_test.c -- two devices in one context, on a small machine: buffers follow the
 * commands, programs exist on both. */
#include "test/opencl/clhost.h"
#include <sys/stat.h>

enum { N = 256 };

static cl_device_id device[2];
static cl_context context;
static cl_command_queue queue[2];

static char dump_name[] = "/tmp/cl_devices_XXXXXX", directory[] = "/tmp/cl_devices_dir_XXXXXX";

static int open_both(void **state)
{
    cl_uint n;
    cl_int s;
    open_host(state);
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_GPU, 2, device, &n));
    assert_int_equal(n, 2);
    context = clCreateContext(NULL, 2, device, NULL, NULL, &s);
    ok(s);
    for (int i = 0; i < 2; i++) {
        queue[i] = clCreateCommandQueue(context, device[i], 0, &s);
        ok(s);
    }
    return 0;
}

static int close_both(void **state)
{
    for (int i = 0; i < 2; i++)
        ok(clReleaseCommandQueue(queue[i]));
    ok(clReleaseContext(context));
    live_blocks = NULL; /* the platform keeps what it has counted for files */
    return close_host(state);
}

static void follows_the_machine(void **state)
{
    (void)state;
    assert_int_equal(INFO(size_t, clGetDeviceInfo, device[1], CL_DEVICE_MAX_WORK_GROUP_SIZE), 64); /* 8 warps of 8 */
    assert_int_equal(INFO(size_t, clGetDeviceInfo, device[1], CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 8);
    assert_int_equal(INFO(cl_uint, clGetDeviceInfo, device[1], CL_DEVICE_MAX_COMPUTE_UNITS), 3);
    /* 128 KiB less 8 stacks of 1 KiB */
    assert_int_equal(INFO(cl_ulong, clGetDeviceInfo, device[1], CL_DEVICE_LOCAL_MEM_SIZE), 120 << 10);
}

static cl_program make_both(void)
{
    const u8 *bytes[] = {host.image.data, host.image.data};
    const size_t sizes[] = {host.image.len, host.image.len};
    cl_int s;
    cl_program p = clCreateProgramWithBinary(context, 2, device, sizes, bytes, NULL, &s);
    ok(s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    return p;
}

/* A buffer is where it is needed, with what was last written to it. */
static void moves_buffers(void **state)
{
    const size_t global = N;
    cl_program p = make_both();
    cl_kernel scale = make_kernel(p, "scale"), add = make_kernel(p, "add");
    const cl_int factor = 3;
    cl_int s, got[N];
    cl_mem a = clCreateBuffer(context, 0, N * 4, NULL, &s), b = clCreateBuffer(context, 0, N * 4, NULL, &s);
    (void)state;
    ok(clSetKernelArg(scale, 0, sizeof a, &a));
    ok(clSetKernelArg(scale, 1, sizeof factor, &factor));
    ok(clSetKernelArg(add, 0, sizeof a, &a));
    ok(clSetKernelArg(add, 1, sizeof a, &a));
    ok(clSetKernelArg(add, 2, sizeof b, &b));
    ok(clEnqueueNDRangeKernel(queue[0], scale, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clFinish(queue[0]));
    ok(clEnqueueNDRangeKernel(queue[1], add, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clFinish(queue[1]));
    ok(clEnqueueReadBuffer(queue[0], b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], i * 6);
    int *p0 = clEnqueueMapBuffer(queue[0], b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 8, 0, NULL, NULL, &s);
    ok(s);
    assert_int_equal(p0[1], 6);
    p0[1] = 100;
    ok(clEnqueueUnmapMemObject(queue[0], b, p0, 0, NULL, NULL));
    ok(clFinish(queue[0]));
    ok(clEnqueueReadBuffer(queue[1], b, CL_TRUE, 0, 8, got, 0, NULL, NULL));
    assert_int_equal(got[1], 100);
    size_t wg;
    assert_int_equal(clGetKernelWorkGroupInfo(add, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof wg, &wg, NULL), CL_INVALID_DEVICE);
    ok(clReleaseKernel(scale));
    ok(clReleaseKernel(add));
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
}

static void builds_for_one(void **state)
{
    const u8 *bytes = host.image.data;
    const size_t global = 4;
    cl_int s;
    cl_program p = clCreateProgramWithBinary(context, 1, &device[1], &host.image.len, &bytes, NULL, &s);
    (void)state;
    ok(s);
    assert_int_equal(clBuildProgram(p, 1, &device[0], NULL, NULL, NULL), CL_INVALID_DEVICE);
    ok(clBuildProgram(p, 1, &device[1], NULL, NULL, NULL));
    cl_kernel k = make_kernel(p, "say");
    assert_int_equal(clEnqueueNDRangeKernel(queue[0], k, 1, NULL, &global, NULL, 0, NULL, NULL),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

static void expect_file(const char *name, off_t least)
{
    struct stat st;
    assert_int_equal(stat(name, &st), 0);
    assert_true(st.st_size > least);
    unlink(name);
}

/* VENTUS_DUMP_RESULT has what was read, VENTUS_TRACE and VENTUS_EXPORT_REPLAY what was launched. */
static void writes_what_is_asked(void **state)
{
    static const char *const files[] = {"trace", "trace.1", "scale_0.metadata", "scale_0.data", "add_0.metadata", "add_0.data"};
    char name[sizeof directory + 32];
    (void)state;
    expect_file(dump_name, N * 4);
    fflush(NULL); /* the traces stay open */
    for (size_t i = 0; i < countof(files); i++) {
        snprintf(name, sizeof name, "%s/%s", directory, files[i]);
        expect_file(name, 0);
    }
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_machine),
        cmocka_unit_test(moves_buffers),
        cmocka_unit_test(builds_for_one),
        cmocka_unit_test(writes_what_is_asked),
    };
    set_environment();
    setenv("VENTUS_DEVICES", "2", 1);
    setenv("VENTUS_MACHINE", "rtl", 1);
    setenv("VENTUS_SMS", "3", 1);
    if (mkstemp(dump_name) >= 0)
        setenv("VENTUS_DUMP_RESULT", dump_name, 1);
    if (mkdtemp(directory)) {
        char trace[sizeof directory + 8];
        snprintf(trace, sizeof trace, "%s/trace", directory);
        setenv("VENTUS_TRACE", trace, 1);
        setenv("VENTUS_EXPORT_REPLAY", directory, 1);
    }
    return cmocka_run_group_tests(tests, open_both, close_both);
}
