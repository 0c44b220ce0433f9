/* cl_il_test.c -- programs of SPIR-V: a module written by hand (test/opencl/scale.spvasm), its specialisation
 * constants, and modules that are cut or changed. */
#include "test/opencl/clhost.h"
#include "test/kit/skip.h"

enum { ITEMS = 40 };

/* The words of the module, as spirv-as makes them. */
static Buf assemble_module(void)
{
    char name[] = "/tmp/cl_il_XXXXXX", command[200];
    Buf b = {0};
    char text[8];
    size_t n;
    ok(clGetDeviceInfo(host.device, CL_DEVICE_IL_VERSION, 0, NULL, &n));
    if (n == 1 || access("/usr/bin/spirv-as", X_OK))
        skip_because("spirv-tools or llvm-spirv is not installed");
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    snprintf(command, sizeof command, "spirv-as --target-env spv1.1 -o %s test/opencl/scale.spvasm", name);
    assert_int_equal(system(command), 0);
    for (ssize_t got; (got = read(fd, text, sizeof text)) > 0;)
        buf_put(&b, text, (size_t)got);
    close(fd);
    unlink(name);
    assert_true(b.len > 400);
    return b;
}

static cl_program make_il(const void *il, size_t len)
{
    cl_int s;
    cl_program p = clCreateProgramWithIL(host.context, il, len, &s);
    ok(s);
    return p;
}

static void expect(cl_program p, u32 factor)
{
    u32 got[ITEMS];
    const size_t n = ITEMS;
    cl_mem out = make_buffer(sizeof got, NULL);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = make_kernel(p, "scale");
    ok(clSetKernelArg(k, 0, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (u32 i = 0; i < ITEMS; i++)
        assert_int_equal(got[i], i * factor + 4);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(out));
}

static void runs(void **state)
{
    Buf il = assemble_module(), back = {0};
    char text[4096];
    size_t n;
    (void)state;
    ok(clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    assert_non_null(strstr(text, "cl_khr_il_program"));
    assert_non_null(clGetExtensionFunctionAddressForPlatform(host.platform, "clCreateProgramWithILKHR"));
    cl_program p = make_il(il.data, il.len);
    ok(clGetProgramInfo(p, CL_PROGRAM_IL, 0, NULL, &n));
    assert_int_equal(n, il.len);
    assert_true(buf_reserve(&back, n));
    ok(clGetProgramInfo(p, CL_PROGRAM_IL, n, back.data, NULL));
    assert_memory_equal(back.data, il.data, n);
    expect(p, 3);
    ok(clReleaseProgram(p));
    buf_free(&back);
    buf_free(&il);
}

static void specialises(void **state)
{
    Buf il = assemble_module();
    const u32 factor = 11;
    const cl_uchar yes = 1;
    (void)state;
    cl_program p = make_il(il.data, il.len);
    assert_int_equal(clSetProgramSpecializationConstant(p, 9, 4, &factor), CL_INVALID_SPEC_ID);
    assert_int_equal(clSetProgramSpecializationConstant(p, 7, 8, &factor), CL_INVALID_VALUE);
    assert_int_equal(clSetProgramSpecializationConstant(p, 7, 4, NULL), CL_INVALID_VALUE);
    ok(clSetProgramSpecializationConstant(p, 7, sizeof factor, &factor));
    expect(p, 11);
    ok(clSetProgramSpecializationConstant(p, 8, sizeof yes, &yes));
    expect(p, 22);
    ok(clReleaseProgram(p));
    buf_free(&il);
}

/* A library of SPIR-V is linked like any other. */
static void links(void **state)
{
    Buf il = assemble_module();
    cl_int s;
    (void)state;
    cl_program p = make_il(il.data, il.len);
    ok(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program q = clLinkProgram(host.context, 0, NULL, "", 1, &p, NULL, NULL, &s);
    ok(s);
    ok(clReleaseKernel(make_kernel(q, "scale")));
    ok(clReleaseProgram(p));
    ok(clReleaseProgram(q));
    buf_free(&il);
}

static cl_int build_status(const void *il, size_t len)
{
    cl_program p = make_il(il, len);
    const cl_int s = clBuildProgram(p, 0, NULL, "", NULL, NULL);
    char log[2] = "";
    size_t n;
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &n));
    assert_true(s == CL_SUCCESS || n > sizeof log);
    ok(clReleaseProgram(p));
    return s;
}

static void refuses_bad_modules(void **state)
{
    Buf il = assemble_module();
    cl_int s;
    (void)state;
    assert_null(clCreateProgramWithIL(host.context, NULL, 20, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateProgramWithIL(host.context, "this is no module of SPIR-V", 28, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    for (size_t n = 20; n < il.len; n += 100)
        assert_int_equal(build_status(il.data, n), CL_BUILD_PROGRAM_FAILURE);
    u32 seed = 1;
    for (int i = 0; i < 12; i++) { /* any answer will do, but the program goes on */
        seed = seed * 1664525 + 1013904223;
        const size_t at = 20 + (seed >> 8) % (il.len - 20);
        const u8 old = il.data[at];
        il.data[at] ^= (u8)(1 << (seed >> 4 & 7));
        s = build_status(il.data, il.len);
        assert_true(s == CL_SUCCESS || s == CL_BUILD_PROGRAM_FAILURE);
        il.data[at] = old;
    }
    /* for addresses of 64 bits: OpMemoryModel Physical64 */
    for (size_t at = 20; at + 8 < il.len; at += 4)
        if (!memcmp(il.data + at, "\x0e\0\3\0\1\0\0\0", 8)) {
            il.data[at + 4] = 2;
            break;
        }
    assert_int_equal(build_status(il.data, il.len), CL_BUILD_PROGRAM_FAILURE);
    buf_free(&il);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),
        cmocka_unit_test(specialises),
        cmocka_unit_test(links),
        cmocka_unit_test(refuses_bad_modules),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_host, close_host);
}
