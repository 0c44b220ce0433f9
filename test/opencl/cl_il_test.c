/* cl_il_test.c -- programs of SPIR-V: a module written by hand (test/opencl/scale.spvasm), its specialisation
 * constants, modules that are cut or changed, one with images and pipes (test/opencl/image.spvasm), and one with records
 * (test/opencl/records.spvasm). */
#include "test/opencl/clhost.h"
#include "test/kit/skip.h"

enum { ITEMS = 40 };

/* The words of a module, as spirv-as makes them. */
static Buf assemble_file(const char *file)
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
    snprintf(command, sizeof command, "spirv-as --target-env spv1.1 -o %s test/opencl/%s", name, file);
    assert_int_equal(system(command), 0);
    for (ssize_t got; (got = read(fd, text, sizeof text)) > 0;)
        buf_put(&b, text, (size_t)got);
    close(fd);
    unlink(name);
    assert_true(b.len > 400);
    return b;
}

static Buf assemble_module(void) { return assemble_file("scale.spvasm"); }

static cl_program make_il(const void *il, size_t len)
{
    cl_int s;
    cl_program p = clCreateProgramWithIL(host.context, il, len, &s);
    ok(s);
    return p;
}

/* What "scale" of a program that is built makes is i * factor + 4. */
static void expect_of(cl_program p, u32 factor)
{
    u32 got[ITEMS];
    const size_t n = ITEMS;
    cl_mem out = make_buffer(sizeof got, NULL);
    cl_kernel k = make_kernel(p, "scale");
    ok(clSetKernelArg(k, 0, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (u32 i = 0; i < ITEMS; i++)
        assert_int_equal(got[i], i * factor + 4);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(out));
}

static void expect(cl_program p, u32 factor)
{
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    expect_of(p, factor);
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

/* Records that functions take and return by value; functions and variables without names. */
static void has_records(void **state)
{
    enum { WORDS = 7 };
    static const u32 table1[] = {1, 2, 3, 4}, table2[] = {5, 7, 100, 1};
    Buf il = assemble_file("records.spvasm");
    const size_t n = ITEMS;
    u32 got[ITEMS * WORDS];
    (void)state;
    cl_program p = make_il(il.data, il.len);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = make_kernel(p, "records");
    cl_mem out = make_buffer(sizeof got, NULL);
    ok(clSetKernelArg(k, 0, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 wanted[WORDS] = {i, 100 * i, 7 * i, 100 * i + 1, 5 * i, table1[i & 3], table2[i & 3]};
        assert_memory_equal(&got[WORDS * i], wanted, sizeof wanted);
    }
    ok(clReleaseMemObject(out));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
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

static cl_program compile_file(const char *file)
{
    Buf il = assemble_file(file);
    cl_program p = make_il(il.data, il.len);
    ok(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    buf_free(&il);
    return p;
}

/* Two modules define the same function, which one of them also exports a user of; two that export
 * the same name cannot be linked.  Sums are decorated as ones that do not overflow. */
static void links_what_modules_share(void **state)
{
    static const char *const names[] = {"cl_khr_spirv_linkonce_odr",
                                        "cl_khr_spirv_no_integer_wrap_decoration"};
    char text[4096];
    cl_int s;
    (void)state;
    cl_program library = compile_file("odr_library.spvasm");
    ok(clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    for (size_t i = 0; i < countof(names); i++)
        assert_non_null(strstr(text, names[i]));
    cl_program part[] = {compile_file("odr_kernel.spvasm"), library, library};
    cl_program p = clLinkProgram(host.context, 0, NULL, "", 2, part, NULL, NULL, &s);
    ok(s);
    expect_of(p, 5);
    ok(clReleaseProgram(p));
    p = clLinkProgram(host.context, 0, NULL, "", 3, part, NULL, NULL, &s);
    assert_int_equal(s, CL_LINK_PROGRAM_FAILURE);
    if (p)
        ok(clReleaseProgram(p));
    ok(clReleaseProgram(part[0]));
    ok(clReleaseProgram(library));
}

static cl_mem make_image(const cl_image_desc *d, cl_channel_type type, void *pixels)
{
    const cl_image_format f = {CL_RGBA, type};
    cl_int s;
    cl_mem m = clCreateImage(host.context, pixels ? CL_MEM_COPY_HOST_PTR : 0, &f, d, pixels, &s);
    ok(s);
    return m;
}

static void run(cl_kernel k, size_t w, size_t h)
{
    ok(clEnqueueNDRangeKernel(host.queue, k, 2, NULL, (size_t[]){w, h}, NULL, 0, NULL, NULL));
    ok(clFinish(host.queue));
}

static void set(cl_kernel k, cl_uint n, const cl_mem *m)
{
    for (cl_uint i = 0; i < n; i++)
        ok(clSetKernelArg(k, i, sizeof m[i], &m[i]));
}

/* A quarter turn of a picture, with a sampler that is an argument and one that is a constant. */
static void turn(cl_program p)
{
    u8 pixels[2][3][4] = {{{1}, {2}, {3}}, {{4}, {5}, {6}}}, got[3][2][4];
    const cl_image_desc wide = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 3, .image_height = 2},
                        high = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 3};
    int size = 0;
    cl_int s;
    cl_kernel k = make_kernel(p, "turn");
    cl_sampler sampler = clCreateSampler(host.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &s);
    cl_mem m[] = {make_image(&wide, CL_UNORM_INT8, pixels), make_image(&high, CL_UNORM_INT8, NULL)},
           out = make_buffer(sizeof size, NULL);
    ok(s);
    assert_int_equal(clSetKernelArg(k, 0, sizeof out, &out), CL_INVALID_MEM_OBJECT);
    set(k, 2, m);
    ok(clSetKernelArg(k, 2, sizeof sampler, &sampler));
    ok(clSetKernelArg(k, 3, sizeof out, &out));
    run(k, 3, 2);
    ok(clEnqueueReadImage(host.queue, m[1], CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){2, 3, 1}, 0, 0, got, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof size, &size, 0, NULL, NULL));
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 3; x++)
            assert_memory_equal(got[x][1 - y], pixels[y][x], 4);
    assert_int_equal(size, 303);
    ok(clReleaseMemObject(m[0]));
    ok(clReleaseMemObject(m[1]));
    ok(clReleaseMemObject(out));
    ok(clReleaseSampler(sampler));
    ok(clReleaseKernel(k));
}

/* Images of other dimensions. */
static void ask_layers(cl_program p)
{
    int pixels[12][4], got[5];
    const cl_image_desc d[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 2, .image_height = 2, .image_array_size = 3},
        {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 12},
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_height = 6, .image_depth = 2}};
    cl_kernel k = make_kernel(p, "layers");
    cl_mem m[4];
    for (int i = 0; i < 12; i++)
        pixels[i][0] = 10 * i;
    for (int i = 0; i < 3; i++)
        m[i] = make_image(&d[i], CL_SIGNED_INT32, pixels);
    m[3] = make_buffer(sizeof got, NULL);
    set(k, 4, m);
    run(k, 1, 1);
    ok(clEnqueueReadBuffer(host.queue, m[3], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_memory_equal(got, ((int[]){3, 50, 20, 2, 70}), sizeof got);
    for (int i = 0; i < 4; i++)
        ok(clReleaseMemObject(m[i]));
    ok(clReleaseKernel(k));
}

/* Of six packets that are sent all arrive, and the seventh reader finds none. */
static void use_pipe(cl_program p)
{
    const int sent[6] = {3, 1, 4, 1, 5, 9};
    int got[7], sum = 0, none = 0;
    cl_int s;
    cl_kernel send = make_kernel(p, "send"), take = make_kernel(p, "take");
    cl_mem pipe = clCreatePipe(host.context, 0, 4, 8, NULL, &s), from = make_buffer(sizeof sent, sent),
           to = make_buffer(sizeof got, NULL);
    ok(s);
    set(send, 2, (cl_mem[]){pipe, from});
    set(take, 2, (cl_mem[]){pipe, to});
    run(send, 6, 1);
    run(take, 7, 1);
    ok(clEnqueueReadBuffer(host.queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 7; i++)
        sum += got[i], none += got[i] == -1;
    assert_int_equal(none, 1);
    assert_int_equal(sum, 3 + 1 + 4 + 1 + 5 + 9 - 1);
    ok(clReleaseMemObject(pipe));
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseKernel(send));
    ok(clReleaseKernel(take));
}

static void has_images_and_pipes(void **state)
{
    Buf il = assemble_file("image.spvasm");
    (void)state;
    cl_program p = make_il(il.data, il.len);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    turn(p);
    ask_layers(p);
    use_pipe(p);
    ok(clReleaseProgram(p));
    p = make_il(il.data, il.len);
    ok(clBuildProgram(p, 0, NULL, "-cl-opt-disable", NULL, NULL));
    turn(p);
    use_pipe(p);
    ok(clReleaseProgram(p));
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
        cmocka_unit_test(has_records),
        cmocka_unit_test(specialises),
        cmocka_unit_test(links),
        cmocka_unit_test(links_what_modules_share),
        cmocka_unit_test(has_images_and_pipes),
        cmocka_unit_test(refuses_bad_modules),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_host, close_host);
}
