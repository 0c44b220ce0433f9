/* cl_program_test.c -- programs, kernels, launches, what goes wrong in them. */
#include "test/opencl/clhost.h"

enum { N = 256 };

static cl_program program;

static int open_program(void **state)
{
    open_host(state);
    program = make_program(&host.image);
    return 0;
}

static int close_program(void **state)
{
    ok(clReleaseProgram(program));
    return close_host(state);
}

/* --- programs ------------------------------------------------------------------------------ */

static void creates_from_source(void **state)
{
    const char *lines[] = {"kernel void f()", " {}xx"};
    const size_t lengths[] = {0, 3};
    cl_int s;
    char text[64];
    (void)state;
    cl_program p = clCreateProgramWithSource(host.context, 2, lines, lengths, &s);
    ok(s);
    ok(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof text, text, NULL));
    assert_string_equal(text, "kernel void f() {}");
    assert_int_equal(INFO(cl_uint, clGetProgramInfo, p, CL_PROGRAM_NUM_DEVICES), 1);
    assert_ptr_equal(INFO(cl_device_id, clGetProgramInfo, p, CL_PROGRAM_DEVICES), host.device);
    assert_ptr_equal(INFO(cl_context, clGetProgramInfo, p, CL_PROGRAM_CONTEXT), host.context);
    assert_int_equal(INFO(size_t, clGetProgramInfo, p, CL_PROGRAM_BINARY_SIZES), 0);
    assert_int_equal(INFO(cl_uint, clGetProgramInfo, p, CL_PROGRAM_REFERENCE_COUNT), 1);
    assert_int_equal(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof text, text, NULL),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(clGetProgramInfo(p, 0, sizeof text, text, NULL), CL_INVALID_VALUE);
    cl_build_status status;
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    assert_int_equal(status, CL_BUILD_NONE);
    assert_null(clCreateKernel(p, "f", &s));
    assert_int_equal(s, CL_INVALID_PROGRAM_EXECUTABLE);
    ok(clRetainProgram(p));
    assert_int_equal(INFO(cl_uint, clGetProgramInfo, p, CL_PROGRAM_REFERENCE_COUNT), 2);
    ok(clReleaseProgram(p));
    ok(clReleaseProgram(p));
}

static void refuses_bad_source(void **state)
{
    const char *line = "x", *none = NULL;
    cl_int s;
    (void)state;
    assert_null(clCreateProgramWithSource(host.context, 0, &line, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateProgramWithSource(host.context, 1, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateProgramWithSource(host.context, 1, &none, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateProgramWithSource((cl_context)host.queue, 1, &line, NULL, &s));
    assert_int_equal(s, CL_INVALID_CONTEXT);
}

static void refuses_bad_builds(void **state)
{
    const char *line = "kernel void f() {}";
    cl_int s;
    cl_program p = clCreateProgramWithSource(host.context, 1, &line, NULL, &s);
    (void)state;
    ok(s);
    assert_int_equal(clBuildProgram((cl_program)host.queue, 0, NULL, "", NULL, NULL), CL_INVALID_PROGRAM);
    assert_int_equal(clBuildProgram(p, 1, NULL, "", NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clBuildProgram(p, 0, &host.device, "", NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clBuildProgram(p, 0, NULL, "", NULL, p), CL_INVALID_VALUE);
    cl_device_id wrong = (cl_device_id)host.platform;
    assert_int_equal(clBuildProgram(p, 1, &wrong, "", NULL, NULL), CL_INVALID_DEVICE);
    if (INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE)) {
        char log[128] = "";
        assert_int_equal(clBuildProgram(p, 0, NULL, "-w -fno-such-option", NULL, NULL),
                         CL_INVALID_BUILD_OPTIONS);
        ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        assert_non_null(strstr(log, "'-fno-such-option' is not an option"));
        assert_int_equal(clBuildProgram(p, 0, NULL, "-D 'x", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
        assert_int_equal(clCompileProgram(p, 0, NULL, "-create-library", 0, NULL, NULL, NULL, NULL),
                         CL_INVALID_COMPILER_OPTIONS);
    } else {
        assert_int_equal(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
        assert_int_equal(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
    }
    assert_int_equal(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clCompileProgram(p, 0, NULL, "", 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    assert_null(clLinkProgram(host.context, 0, NULL, "", 0, NULL, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clLinkProgram(host.context, 0, NULL, "", 1, &p, NULL, NULL, &s));
    assert_int_equal(s, INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_LINKER_AVAILABLE) ? CL_INVALID_OPERATION
                                                                                                : CL_LINKER_NOT_AVAILABLE);
    ok(clReleaseProgram(p));
}

/* Its own binary makes the same program, in this process as in another. */
static void reads_its_binaries(void **state)
{
    const size_t size = INFO(size_t, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES);
    Buf binary = {0};
    (void)state;
    assert_true(size > host.image.len);
    buf_fill(&binary, 0, size);
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(u8 *), &binary.data, NULL));
    cl_program p = make_program(&binary);
    assert_int_equal(INFO(size_t, clGetProgramInfo, p, CL_PROGRAM_NUM_KERNELS), countof(kernel_names));
    cl_program_binary_type type;
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    ok(clReleaseProgram(p));
    buf_free(&binary);
}

static cl_int try_binary(const u8 *bytes, size_t size)
{
    cl_int s, status = 0;
    cl_program p = clCreateProgramWithBinary(host.context, 1, &host.device, &size, &bytes, &status, &s);
    assert_int_equal(s, status);
    assert_true(!p == !!s);
    if (p)
        clReleaseProgram(p);
    return s;
}

static u64 little_endian(const u8 *p, int bytes)
{
    u64 v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (u64)p[i] << 8 * i;
    return v;
}

/* A binary has the form that src/cl/container.c describes, so that other versions can read it: a mark, the form, what is
 * inside, its length, the checksum of both by FNV-1a, the target's name, and the image. */
static void writes_binaries_of_the_form(void **state)
{
    cl_program p = make_program(&host.image);
    size_t n;
    u64 hash = 0xcbf29ce484222325 ^ 3;
    char name[32] = "";
    (void)state;
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL));
    assert_int_equal(n, 64 + host.image.len);
    u8 *binary = malloc(n);
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    for (size_t i = 0; i < host.image.len; i++) {
        hash ^= host.image.data[i];
        hash *= 0x100000001b3;
    }
    snprintf(name, sizeof name, "ventus %s", VERSION);
    assert_memory_equal(binary, "VENTUSCL", 8);
    assert_int_equal(little_endian(binary + 8, 4), 2);
    assert_int_equal(little_endian(binary + 12, 4), 3); /* an executable */
    assert_int_equal(little_endian(binary + 16, 8), host.image.len);
    assert_true(little_endian(binary + 24, 8) == hash);
    assert_memory_equal(binary + 32, name, sizeof name);
    assert_memory_equal(binary + 64, host.image.data, host.image.len);
    free(binary);
    ok(clReleaseProgram(p));
}

static void refuses_damaged_binaries(void **state)
{
    const size_t size = INFO(size_t, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES);
    u8 *bytes = malloc(size);
    (void)state;
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    ok(try_binary(bytes, size));
    for (size_t i = 0; i < size; i += i < 100 ? 1 : 97)
        for (u32 bit = 1; bit < 256; bit *= 2) {
            bytes[i] ^= (u8)bit;
            assert_int_equal(try_binary(bytes, size), CL_INVALID_BINARY);
            bytes[i] ^= (u8)bit;
        }
    for (size_t n = 1; n < size; n += n < 100 ? 1 : 97)
        assert_int_equal(try_binary(bytes, n), CL_INVALID_BINARY);
    assert_int_equal(try_binary(bytes, 0), CL_INVALID_VALUE);
    assert_int_equal(try_binary(NULL, 8), CL_INVALID_VALUE);
    free(bytes);
}

/* A device has one binary. */
static void refuses_a_device_twice(void **state)
{
    const cl_device_id devices[] = {host.device, host.device};
    const unsigned char *bytes[] = {host.image.data, host.image.data};
    const size_t sizes[] = {host.image.len, host.image.len};
    cl_int s;
    (void)state;
    assert_null(clCreateProgramWithBinary(host.context, 2, devices, sizes, bytes, NULL, &s));
    assert_int_equal(s, CL_INVALID_DEVICE);
}

static void answers_build_queries(void **state)
{
    char text[256];
    cl_build_status status;
    size_t n;
    (void)state;
    ok(clGetProgramBuildInfo(program, host.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    assert_int_equal(status, CL_BUILD_SUCCESS);
    ok(clGetProgramBuildInfo(program, host.device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
    assert_string_equal(text, "");
    ok(clGetProgramBuildInfo(program, host.device, CL_PROGRAM_BUILD_LOG, sizeof text, text, &n));
    assert_int_equal(n, 1);
    ok(clGetProgramBuildInfo(program, host.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof n, &n, NULL));
    assert_int_equal(n, 4);
    assert_int_equal(clGetProgramBuildInfo(program, host.device, 0, sizeof n, &n, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_LOG, 0, NULL, &n), CL_INVALID_DEVICE);
    ok(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    assert_string_equal(text, "scale;add;count;share;say;wild;forever;ids;where");
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 5, text, NULL), CL_INVALID_VALUE);
    assert_false(INFO(cl_bool, clGetProgramInfo, program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT));
}

static atomic_int built;
static void CL_CALLBACK on_build(cl_program p, void *data)
{
    (void)p, (void)data;
    atomic_fetch_add(&built, 1);
}

static void builds_in_the_background(void **state)
{
    cl_int s;
    const u8 *bytes = host.image.data;
    cl_program p[4];
    (void)state;
    atomic_store(&built, 0);
    for (size_t i = 0; i < countof(p); i++) {
        p[i] = clCreateProgramWithBinary(host.context, 1, &host.device, &host.image.len, &bytes, NULL, &s);
        ok(s);
        ok(clBuildProgram(p[i], 1, &host.device, NULL, on_build, &s));
    }
    assert_true(comes_true(&built, countof(p)));
    for (size_t i = 0; i < countof(p); i++) {
        clReleaseKernel(make_kernel(p[i], "add"));
        ok(clReleaseProgram(p[i]));
    }
}

static void is_not_built_with_kernels(void **state)
{
    cl_program p = make_program(&host.image);
    cl_kernel k = make_kernel(p, "add");
    (void)state;
    assert_int_equal(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    ok(clReleaseKernel(k));
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    ok(clReleaseProgram(p));
}

/* A program can be built again when it has no kernel, in whatever way they were made, and not before; a call that makes
 * none leaves none behind. */
static void is_built_without_kernels(void **state)
{
    cl_kernel k[countof(kernel_names)];
    cl_program p = make_program(&host.image);
    cl_uint n;
    cl_int s;
    (void)state;
    assert_null(clCreateKernel(p, "none", &s));
    assert_null(clCreateKernel(p, NULL, &s));
    ok(clCreateKernelsInProgram(p, 0, NULL, &n));
    assert_int_equal(clCreateKernelsInProgram(p, n - 1, k, NULL), CL_INVALID_VALUE);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    ok(clCreateKernelsInProgram(p, n, k, NULL));
    for (cl_uint i = 0; i < n; i++) {
        assert_int_equal(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
        ok(clReleaseKernel(k[i]));
    }
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    k[0] = make_kernel(p, "scale");
    k[1] = clCloneKernel(k[0], &s);
    ok(s);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
        ok(clReleaseKernel(k[i]));
    }
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    ok(clReleaseProgram(p));
}

/* --- kernels -------------------------------------------------------------------------------- */

static void answers_kernel_queries(void **state)
{
    cl_kernel k = make_kernel(program, "add");
    char text[64];
    size_t size[3];
    (void)state;
    ok(clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
    assert_string_equal(text, "add");
    assert_int_equal(INFO(cl_uint, clGetKernelInfo, k, CL_KERNEL_NUM_ARGS), 3);
    assert_int_equal(INFO(cl_uint, clGetKernelInfo, k, CL_KERNEL_REFERENCE_COUNT), 1);
    assert_ptr_equal(INFO(cl_context, clGetKernelInfo, k, CL_KERNEL_CONTEXT), host.context);
    assert_ptr_equal(INFO(cl_program, clGetKernelInfo, k, CL_KERNEL_PROGRAM), program);
    assert_int_equal(clGetKernelInfo(k, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clGetKernelWorkGroupInfo(k, host.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size[0], size, NULL));
    assert_int_equal(size[0], 1024); /* the most of a group */
    ok(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof size[0], size, NULL));
    assert_int_equal(size[0], 32);
    assert_int_equal(clGetKernelWorkGroupInfo(k, host.device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof size, size, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetKernelWorkGroupInfo(k, (cl_device_id)host.platform, CL_KERNEL_WORK_GROUP_SIZE,
                                              sizeof size, size, NULL), CL_INVALID_DEVICE);
    ok(clReleaseKernel(k));
    k = make_kernel(program, "count");
    ok(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    assert_string_equal(text, "reqd_work_group_size(1,1,1)");
    ok(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL));
    assert_int_equal(size[0] + size[1] + size[2], 3);
    ok(clReleaseKernel(k));
}

/* Sub-groups are the warps of 32 lanes of the default machine (OpenCL 3.0 API, table of clGetKernelSubGroupInfo). */
static void answers_sub_group_queries(void **state)
{
    const size_t sizes[3] = {10, 7, 3}, huge[2] = {(size_t)1 << 40, (size_t)1 << 40}, five = 5, none = 0, many = 33;
    size_t got[3];
    cl_kernel k = make_kernel(program, "add");
    (void)state;
#define ASK(what, size, in, room) clGetKernelSubGroupInfo(k, host.device, what, size, in, room, got, NULL)
    ok(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof sizes, sizes, sizeof *got));
    assert_int_equal(got[0], 32);
    ok(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof sizes, sizes, sizeof *got));
    assert_int_equal(got[0], 7); /* 210 work-items */
    ok(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof *sizes, sizes, sizeof *got));
    assert_int_equal(got[0], 1);
    ok(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof five, &five, sizeof got));
    assert_true(got[0] == 160 && got[1] == 1 && got[2] == 1);
    ok(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof five, &five, sizeof *got));
    assert_int_equal(got[0], 160);
    ok(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof many, &many, sizeof got));
    assert_int_equal(got[0] + got[1] + got[2], 0); /* more than a group has */
    ok(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof none, &none, sizeof got));
    assert_int_equal(got[0] + got[1] + got[2], 0);
    ok(ASK(CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof *got));
    assert_int_equal(got[0], 32);
    ok(ASK(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof *got));
    assert_int_equal(got[0], 0);
    assert_int_equal(INFO(cl_uint, clGetDeviceInfo, host.device, CL_DEVICE_MAX_NUM_SUB_GROUPS), 32);
    assert_true(INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS));
    assert_int_equal(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0, NULL, sizeof *got), CL_INVALID_VALUE);
    assert_int_equal(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 3, sizes, sizeof *got), CL_INVALID_VALUE);
    assert_int_equal(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof huge, huge, sizeof *got), CL_INVALID_VALUE);
    assert_int_equal(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof sizes, sizes, 1), CL_INVALID_VALUE);
    assert_int_equal(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof five, &five, 12), CL_INVALID_VALUE);
    assert_int_equal(ASK(CL_KERNEL_GLOBAL_WORK_SIZE, 0, NULL, sizeof *got), CL_INVALID_VALUE);
    /* a local size has one to three numbers; a count, a size of as many as are asked for */
    for (size_t words = 0; words <= 5; words++) {
        const size_t local[5] = {3, 5, 7, 1, 1}, items = words == 1 ? 3 : words == 2 ? 15 : 105;
        size_t n = 0;
        const bool fits = words >= 1 && words <= 3;
        assert_int_equal(
            ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, words * sizeof *local, local, sizeof *got),
            fits ? CL_SUCCESS : CL_INVALID_VALUE);
        assert_true(!fits || got[0] == (items + 31) / 32);
        assert_int_equal(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, words * sizeof *local, local,
                             sizeof *got),
                         fits ? CL_SUCCESS : CL_INVALID_VALUE);
        size_t out[5] = {9, 9, 9, 9, 9};
        assert_int_equal(clGetKernelSubGroupInfo(k, host.device,
                                                 CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                                                 sizeof five, &five, words * sizeof *out, out, &n),
                         fits ? CL_SUCCESS : CL_INVALID_VALUE);
        assert_true(!fits || (n == words * sizeof *out && out[0] == 160 && out[words] == 9));
        assert_int_equal(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, words * sizeof *local, local,
                             sizeof *got),
                         words == 1 ? CL_SUCCESS : CL_INVALID_VALUE);
    }
    for (size_t count = 0; count < 40; count++) { /* groups have 1024 work-items at most */
        ok(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count, &count, sizeof got));
        assert_int_equal(got[0], count <= 1024 / 32 ? count * 32 : 0);
        assert_true(got[1] == (got[0] > 0) && got[2] == got[1]);
    }
    ok(clGetKernelSubGroupInfo(k, host.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                               sizeof five, &five, 0, NULL, got));
    assert_int_equal(got[0], 3 * sizeof *got);
#undef ASK
    assert_int_equal(clGetKernelSubGroupInfo((cl_kernel)host.device, host.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                             sizeof *got, got, NULL), CL_INVALID_KERNEL);
    assert_int_equal(clGetKernelSubGroupInfo(k, (cl_device_id)host.platform, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                             sizeof *got, got, NULL), CL_INVALID_DEVICE);
    clGetKernelSubGroupInfoKHR_fn old; /* the name of the extension */
    *(void **)&old = clGetExtensionFunctionAddressForPlatform(host.platform, "clGetKernelSubGroupInfoKHR");
    assert_non_null(old);
    ok(old(k, host.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR, sizeof sizes, sizes, sizeof *got, got, NULL));
    assert_int_equal(got[0], 7);
    ok(clReleaseKernel(k));
}

static void answers_argument_queries(void **state)
{
    cl_kernel k = make_kernel(program, "add");
    cl_kernel_arg_address_qualifier space;
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_type_qualifier type;
    char text[64];
    (void)state;
    ok(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    assert_int_equal(space, CL_KERNEL_ARG_ADDRESS_GLOBAL);
    ok(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    assert_int_equal(access, CL_KERNEL_ARG_ACCESS_NONE);
    ok(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL));
    assert_int_equal(type, CL_KERNEL_ARG_TYPE_CONST);
    ok(clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL));
    assert_int_equal(type, CL_KERNEL_ARG_TYPE_RESTRICT);
    ok(clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    assert_string_equal(text, "int*");
    ok(clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    assert_string_equal(text, "c");
    assert_int_equal(clGetKernelArgInfo(k, 3, CL_KERNEL_ARG_NAME, sizeof text, text, NULL), CL_INVALID_ARG_INDEX);
    assert_int_equal(clGetKernelArgInfo(k, 0, 0, sizeof text, text, NULL), CL_INVALID_VALUE);
    ok(clReleaseKernel(k));
    cl_program p = make_program(&host.bare);
    k = make_kernel(p, "add");
    assert_int_equal(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL),
                     CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

static void checks_arguments(void **state)
{
    cl_kernel k = make_kernel(program, "scale"), share = make_kernel(program, "share");
    cl_mem m = make_buffer(64, NULL);
    const cl_int factor = 3;
    cl_int s;
    (void)state;
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 0, sizeof m, NULL));
    assert_int_equal(clSetKernelArg(k, 0, 4, &m), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(k, 0, sizeof m, &host.queue), CL_INVALID_MEM_OBJECT);
    ok(clSetKernelArg(k, 1, 4, &factor));
    assert_int_equal(clSetKernelArg(k, 1, 8, &factor), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(k, 1, 4, NULL), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(k, 2, 4, &factor), CL_INVALID_ARG_INDEX);
    assert_int_equal(clSetKernelArg((cl_kernel)m, 0, 4, &factor), CL_INVALID_KERNEL);
    ok(clSetKernelArg(share, 1, UINT32_MAX, NULL));
    assert_int_equal(clSetKernelArg(share, 1, (size_t)UINT32_MAX + 1, NULL), CL_INVALID_ARG_SIZE);
    ok(clSetKernelArg(share, 1, 128, NULL));
    assert_int_equal(clSetKernelArg(share, 1, 0, NULL), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(share, 1, 4, &factor), CL_INVALID_ARG_VALUE);
    cl_ulong bytes;
    ok(clGetKernelWorkGroupInfo(share, NULL, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    assert_int_equal(bytes, 128);
    assert_int_equal(clSetKernelArgSVMPointer(k, 0, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL), CL_INVALID_OPERATION);
    assert_null(clCreateKernel(program, "none", &s));
    assert_int_equal(s, CL_INVALID_KERNEL_NAME);
    assert_null(clCreateKernel(program, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    ok(clReleaseKernel(k));
    ok(clReleaseKernel(share));
    ok(clReleaseMemObject(m));
}

static void creates_all_kernels(void **state)
{
    cl_kernel k[countof(kernel_names)];
    cl_uint n;
    char name[32];
    (void)state;
    ok(clCreateKernelsInProgram(program, 0, NULL, &n));
    assert_int_equal(n, countof(kernel_names));
    assert_int_equal(clCreateKernelsInProgram(program, 2, k, NULL), CL_INVALID_VALUE);
    ok(clCreateKernelsInProgram(program, n, k, NULL));
    for (size_t i = 0; i < n; i++) {
        ok(clGetKernelInfo(k[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
        assert_string_equal(name, kernel_names[i]);
        ok(clReleaseKernel(k[i]));
    }
}

/* --- launches --------------------------------------------------------------------------------- */

static cl_kernel make_scale(cl_mem m, cl_int factor)
{
    cl_kernel k = make_kernel(program, "scale");
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, sizeof factor, &factor));
    return k;
}

static void expect_multiples(cl_mem m, int from, int to, int factor)
{
    int got[N];
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], i >= from && i < to ? i * factor : 0);
}

static void runs_kernels(void **state)
{
    const size_t global = N, locals[] = {1, 2, 32, 64, 256};
    (void)state;
    for (size_t i = 0; i <= countof(locals); i++) {
        cl_mem m = make_buffer(N * 4, NULL);
        cl_kernel k = make_scale(m, 3);
        ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &global, i ? &locals[i - 1] : NULL, 0, NULL, NULL));
        ok(clReleaseKernel(k)); /* what is enqueued goes on */
        expect_multiples(m, 0, N, 3);
        ok(clReleaseMemObject(m));
    }
}

static void runs_part_of_the_range(void **state)
{
    const size_t global = 40, offset = 30, zero = 0;
    cl_mem m = make_buffer(N * 4, NULL);
    cl_kernel k = make_scale(m, 5);
    (void)state;
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, &offset, &global, NULL, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &zero, NULL, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, NULL, NULL, 0, NULL, NULL));
    expect_multiples(m, 30, 70, 5);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

/* Ids go up to 2^32 - 1: offset and size may add up to 2^32, and to no more. */
static void runs_to_the_last_id(void **state)
{
    enum { ITEMS = 64 };
    const size_t last = ((size_t)1 << 32) - ITEMS, beyond = last + 1, global = ITEMS, very_last = UINT32_MAX, one = 1;
    cl_mem m = make_buffer(ITEMS * 4, NULL);
    cl_kernel k = make_kernel(program, "ids");
    u32 got[ITEMS];
    (void)state;
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, &last, &global, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (u32 i = 0; i < ITEMS; i++)
        assert_int_equal(got[i], (u32)last + i);
    assert_int_equal(clEnqueueNDRangeKernel(host.queue, k, 1, &beyond, &global, NULL, 0, NULL, NULL),
                     CL_INVALID_GLOBAL_OFFSET);
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, &very_last, &one, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 4 * (very_last % ITEMS), 4, got, 0, NULL, NULL));
    assert_int_equal(got[0], UINT32_MAX);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

/* A kernel's own local memory counts, and what arguments add begins where every type may. */
static void counts_its_own_local_memory(void **state)
{
    const char *line = "kernel void turn(global int *o, local int *p) { local int a[100]; const int i = get_local_id(0);"
                       " a[i] = i; p[i] = i; barrier(CLK_LOCAL_MEM_FENCE); o[i] = a[99 - i] + p[99 - i]; }";
    cl_ulong bytes;
    cl_int s;
    (void)state;
    if (!INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE))
        skip_because("this build has no compiler");
    cl_program p = clCreateProgramWithSource(host.context, 1, &line, NULL, &s);
    ok(s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = make_kernel(p, "turn");
    ok(clGetKernelWorkGroupInfo(k, host.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    assert_int_equal(bytes, 400);
    ok(clSetKernelArg(k, 1, 400, NULL));
    ok(clGetKernelWorkGroupInfo(k, host.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    assert_int_equal(bytes, 512 + 400);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

/* Each piece of local memory is aligned for every type, and apart from the others. */
static void places_local_memory(void **state)
{
    static const size_t sizes[][3] = {{4, 4, 4}, {1, 127, 129}, {128, 8, 1000}, {4097, 1, 16}};
    enum { ALIGN = 128 };
    const size_t one = 1;
    cl_mem m = make_buffer(12, NULL);
    (void)state;
    for (size_t i = 0; i < countof(sizes); i++) {
        cl_kernel k = make_kernel(program, "where");
        u32 at[3];
        size_t all = 0;
        ok(clSetKernelArg(k, 0, sizeof m, &m));
        for (cl_uint a = 0; a < 3; a++)
            ok(clSetKernelArg(k, a + 1, sizes[i][a], NULL));
        ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &one, &one, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL));
        for (int a = 0; a < 3; a++) {
            assert_int_equal(at[a] % ALIGN, 0);
            assert_true(!a || at[a] >= at[a - 1] + sizes[i][a - 1]);
            all = (all + ALIGN - 1) / ALIGN * ALIGN + sizes[i][a];
        }
        cl_ulong used;
        ok(clGetKernelWorkGroupInfo(k, host.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof used, &used, NULL));
        assert_int_equal(used, all);
        ok(clReleaseKernel(k));
    }
    ok(clReleaseMemObject(m));
}

/* A kernel may have as much local memory as the device says, and not a byte more. */
static void has_all_local_memory(void **state)
{
    const size_t one = 1,
                 all = INFO(cl_ulong, clGetDeviceInfo, host.device, CL_DEVICE_LOCAL_MEM_SIZE);
    cl_mem m = make_buffer(64, NULL);
    cl_kernel k = make_kernel(program, "share");
    (void)state;
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    for (size_t n = all - 2; n <= all + 2; n++) {
        ok(clSetKernelArg(k, 1, n, NULL));
        assert_int_equal(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &one, &one, 0, NULL, NULL),
                         n <= all ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
    }
    ok(clFinish(host.queue));
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

/* Arguments are those of the time of the call. */
static void keeps_arguments(void **state)
{
    const size_t global = N;
    cl_mem a = make_buffer(N * 4, NULL), b = make_buffer(N * 4, NULL);
    cl_kernel k = make_scale(a, 2);
    cl_int s;
    (void)state;
    cl_event gate = clCreateUserEvent(host.context, &s);
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &global, NULL, 1, &gate, NULL));
    cl_kernel copy = clCloneKernel(k, &s);
    ok(s);
    ok(clSetKernelArg(k, 0, sizeof b, &b));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    expect_multiples(a, 0, N, 2);
    expect_multiples(b, 0, N, 2);
    const cl_int factor = 7;
    ok(clSetKernelArg(copy, 1, 4, &factor));
    ok(clEnqueueNDRangeKernel(host.queue, copy, 1, NULL, &global, NULL, 0, NULL, NULL));
    expect_multiples(a, 0, N, 7);
    ok(clReleaseEvent(gate));
    ok(clReleaseKernel(k));
    ok(clReleaseKernel(copy));
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
}

static void runs_images_without_tables(void **state)
{
    const size_t global = 8;
    int got[8], out[8];
    cl_program p = make_program(&host.bare);
    cl_kernel k = make_kernel(p, "share");
    cl_mem m = make_buffer(32, NULL);
    (void)state;
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, 32, NULL));
    assert_int_equal(INFO(cl_uint, clGetKernelInfo, k, CL_KERNEL_NUM_ARGS), 2);
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &global, &global, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 8; i++)
        out[i] = i + 1;
    assert_memory_equal(got, out, sizeof out);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
    ok(clReleaseProgram(p));
}

/* Without a table a value lies where a scalar or vector of its size would, and others at multiples of 4. */
static void aligns_unknown_arguments(void **state)
{
    const size_t one = 1;
    cl_program p = make_program(&host.bare);
    cl_mem m = make_buffer(12, NULL);
    u8 value[300];
    (void)state;
    memset(value, 0x5a, sizeof value);
    for (size_t size = 1; size <= sizeof value; size++) {
        const bool is_natural = (size & (size - 1)) == 0 && size <= 128;
        const size_t at = is_natural && size > 4 ? size : 4; /* behind the word of the first one */
        u8 got[12], want[16] = {0};
        cl_kernel k = make_kernel(p, "where"); /* stores the words at 4, 8 and 12 */
        ok(clSetKernelArg(k, 0, sizeof m, &m));
        ok(clSetKernelArg(k, 1, size, value));
        ok(clSetKernelArg(k, 2, 16, NULL)); /* so that there are 16 bytes */
        ok(clSetKernelArg(k, 3, 16, NULL));
        ok(clSetKernelArg(k, 4, 16, NULL));
        ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &one, &one, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (size_t i = at; i < at + size && i < sizeof want; i++)
            want[i] = 0x5a;
        const size_t known = at + size < 16 ? (at + size) & ~(size_t)3 : 16; /* local arguments follow */
        if (known > 4)
            assert_memory_equal(got, want + 4, known - 4);
        ok(clReleaseKernel(k));
    }
    ok(clReleaseMemObject(m));
    ok(clReleaseProgram(p));
}

/* Without a table the application says what arguments there are: the first 256 of up to 64 KiB. */
static void bounds_unknown_arguments(void **state)
{
    static const u8 bytes[1 << 16];
    cl_program p = make_program(&host.bare);
    cl_kernel k = make_kernel(p, "share");
    (void)state;
    assert_int_equal(INFO(cl_uint, clGetKernelInfo, k, CL_KERNEL_NUM_ARGS), 0);
    ok(clSetKernelArg(k, 0, UINT16_MAX, bytes));
    assert_int_equal(clSetKernelArg(k, 0, UINT16_MAX + 1, bytes), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(k, 0, 0, bytes), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(k, 0, 0, NULL), CL_INVALID_ARG_SIZE);
    assert_int_equal(INFO(cl_uint, clGetKernelInfo, k, CL_KERNEL_NUM_ARGS), 1);
    ok(clSetKernelArg(k, 255, 4, bytes));
    assert_int_equal(clSetKernelArg(k, 256, 4, bytes), CL_INVALID_ARG_INDEX);
    assert_int_equal(INFO(cl_uint, clGetKernelInfo, k, CL_KERNEL_NUM_ARGS), 256);
    ok(clSetKernelArg(k, 1, 4, bytes)); /* not the last any more */
    assert_int_equal(INFO(cl_uint, clGetKernelInfo, k, CL_KERNEL_NUM_ARGS), 256);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

/* Headers and their names go together, data goes with a function to get it, and only what is built has kernels. */
static void refuses_half_calls(void **state)
{
    const char *line = "kernel void f() {}", *name = "h.h", *unnamed = NULL;
    cl_uint n;
    cl_int s;
    cl_program p = clCreateProgramWithSource(host.context, 1, &line, NULL, &s), none = (cl_program)(void *)host.queue;
    (void)state;
    ok(s);
    const cl_int got[] = {
        clCompileProgram(p, 0, NULL, "", 1, &p, NULL, NULL, NULL), clCompileProgram(p, 0, NULL, "", 1, NULL, &name, NULL, NULL),
        clCompileProgram(p, 0, NULL, "", 0, &p, NULL, NULL, NULL), clCompileProgram(p, 0, NULL, "", 0, NULL, &name, NULL, NULL),
        clCompileProgram(p, 0, NULL, "", 1, &p, &unnamed, NULL, NULL), clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, p),
        clCompileProgram(p, 1, NULL, "", 0, NULL, NULL, NULL, NULL)};
    for (size_t i = 0; i < countof(got); i++)
        if (got[i] != CL_INVALID_VALUE)
            fail_msg("call %zu: %d", i, got[i]);
    assert_int_equal(clCompileProgram(p, 0, NULL, "", 1, &none, &name, NULL, NULL), CL_INVALID_PROGRAM);
    assert_int_equal(clCompileProgram(p, 0, NULL, "", 1, &program, &name, NULL, NULL), CL_INVALID_PROGRAM); /* a binary */
    assert_null(clLinkProgram(host.context, 0, NULL, "", 1, &p, NULL, p, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clLinkProgram(host.context, 1, NULL, "", 1, &p, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clLinkProgram(host.context, 0, &host.device, "", 1, &p, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    cl_context other = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    ok(s);
    assert_null(clLinkProgram(other, 0, NULL, "", 1, &p, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_PROGRAM);
    cl_command_queue foreign = clCreateCommandQueue(other, host.device, 0, &s);
    cl_kernel k = make_kernel(program, "say");
    const size_t one = 1;
    assert_int_equal(clEnqueueNDRangeKernel(foreign, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(clCreateKernelsInProgram(p, 0, NULL, &n), CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(clSetProgramReleaseCallback(p, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clSetProgramSpecializationConstant(p, 0, 4, &one), CL_INVALID_PROGRAM);
    ok(clReleaseKernel(k));
    ok(clReleaseCommandQueue(foreign));
    ok(clReleaseContext(other));
    ok(clReleaseProgram(p));
}

static clGetKernelSuggestedLocalWorkSizeKHR_fn find_suggest(void)
{
    return (clGetKernelSuggestedLocalWorkSizeKHR_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
        host.platform, "clGetKernelSuggestedLocalWorkSizeKHR");
}

/* It can be launched with, and is what the attribute of a kernel says. */
static void suggests_local_sizes(void **state)
{
    const clGetKernelSuggestedLocalWorkSizeKHR_fn suggest = find_suggest();
    const size_t global[3] = {N, 6, 1}, zero = 0;
    size_t local[3] = {0, 0, 77};
    cl_mem m = make_buffer(N * 4, NULL);
    cl_kernel k = make_scale(m, 5), count = make_kernel(program, "count"), unset = make_kernel(program, "add");
    (void)state;
    assert_non_null(suggest);
    ok(suggest(host.queue, k, 2, NULL, global, local));
    assert_int_equal(N % local[0], 0);
    assert_int_equal(6 % local[1], 0);
    assert_int_equal(local[2], 77);
    ok(suggest(host.queue, k, 1, NULL, global, local));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, global, local, 0, NULL, NULL));
    expect_multiples(m, 0, N, 5);
    ok(clSetKernelArg(count, 0, sizeof m, &m));
    ok(suggest(host.queue, count, 1, NULL, global, local));
    assert_int_equal(local[0], 1);
    assert_int_equal(suggest(NULL, k, 1, NULL, global, local), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(suggest(host.queue, NULL, 1, NULL, global, local), CL_INVALID_KERNEL);
    assert_int_equal(suggest(host.queue, unset, 1, NULL, global, local), CL_INVALID_KERNEL_ARGS);
    assert_int_equal(suggest(host.queue, k, 4, NULL, global, local), CL_INVALID_WORK_DIMENSION);
    assert_int_equal(suggest(host.queue, k, 1, NULL, NULL, local), CL_INVALID_GLOBAL_WORK_SIZE);
    assert_int_equal(suggest(host.queue, k, 1, NULL, &zero, local), CL_INVALID_GLOBAL_WORK_SIZE);
    assert_int_equal(suggest(host.queue, k, 1, NULL, global, NULL), CL_INVALID_VALUE);
    ok(clReleaseKernel(k));
    ok(clReleaseKernel(count));
    ok(clReleaseKernel(unset));
    ok(clReleaseMemObject(m));
}

/* What groups of a by b by c cost for each work-item, by the rules of src/cl/ndrange.c; 0: they do not divide the grid. */
static size_t cost_of(const size_t global[3], size_t a, size_t b, size_t c)
{
    const size_t items = a * b * c, lanes = (items + 31) / 32 * 32 + 8;
    if (global[0] % a || global[1] % b || global[2] % c)
        return 0;
    return lanes * 1000 / items + (items > a && a % 32 && a < global[0] ? 500 : 0);
}

/* The least that groups of up to `most` cost. */
static size_t least_cost(const size_t global[3], size_t most)
{
    size_t least = SIZE_MAX;
    for (size_t a = 1; a <= most && a <= global[0]; a++)
        for (size_t b = 1; !(global[0] % a) && a * b <= most && b <= global[1]; b++)
            for (size_t c = 1; !(global[1] % b) && a * b * c <= most && c <= global[2]; c++) {
                const size_t cost = cost_of(global, a, b, c);
                least = cost && cost < least ? cost : least;
            }
    return least;
}

/* Sizes divide the grid; they are those that cost least up to eight warps, if that is little, or up to what there may be. */
static void suggests_full_warps(void **state)
{
    const clGetKernelSuggestedLocalWorkSizeKHR_fn suggest = find_suggest();
    cl_mem m = make_buffer(4, NULL);
    cl_kernel k = make_scale(m, 5);
    size_t most;
    (void)state;
    ok(clGetKernelWorkGroupInfo(k, host.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    for (size_t n = 1; n <= 1500; n++)
        for (cl_uint dims = 1; dims <= 3; dims += 2) {
            const size_t global[3] = {n, dims > 1 ? n * 7 % 60 + 1 : 1, dims > 2 ? n * 11 % 50 + 1 : 1};
            size_t local[3] = {1, 1, 1}, least = least_cost(global, 256);
            if (least >= 1200)
                least = least_cost(global, most);
            ok(suggest(host.queue, k, dims, NULL, global, local));
            if (cost_of(global, local[0], local[1], local[2]) != least)
                fail_msg("%zu by %zu by %zu work-items in groups of %zu by %zu by %zu", n, global[1], global[2], local[0],
                         local[1], local[2]);
        }
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

static void checks_launches(void **state)
{
    const size_t global[3] = {N, 4, 4}, odd = 3, large = 4096, zero = 0, one = 1, huge = (size_t)1 << 33;
    cl_mem m = make_buffer(N * 4, NULL);
    cl_kernel k = make_scale(m, 1), unset = make_kernel(program, "add"), count = make_kernel(program, "count"),
              share = make_kernel(program, "share");
#define LAUNCH(kernel, dims, offset, global, local) \
    clEnqueueNDRangeKernel(host.queue, kernel, dims, offset, global, local, 0, NULL, NULL)
    (void)state;
    assert_int_equal(clEnqueueNDRangeKernel((cl_command_queue)m, k, 1, NULL, global, NULL, 0, NULL, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(LAUNCH((cl_kernel)m, 1, NULL, global, NULL), CL_INVALID_KERNEL);
    assert_int_equal(LAUNCH(unset, 1, NULL, global, NULL), CL_INVALID_KERNEL_ARGS);
    assert_int_equal(LAUNCH(k, 0, NULL, global, NULL), CL_INVALID_WORK_DIMENSION);
    assert_int_equal(LAUNCH(k, 4, NULL, global, NULL), CL_INVALID_WORK_DIMENSION);
    assert_int_equal(LAUNCH(k, 1, NULL, &huge, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    ok(LAUNCH(k, 2, NULL, ((size_t[]){UINT32_MAX, 0}), NULL)); /* as many as fit, but none */
    assert_int_equal(LAUNCH(k, 2, NULL, ((size_t[]){(size_t)UINT32_MAX + 1, 0}), NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    assert_int_equal(LAUNCH(k, 1, &huge, global, NULL), CL_INVALID_GLOBAL_OFFSET);
    assert_int_equal(LAUNCH(k, 1, NULL, global, &odd), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(LAUNCH(k, 1, NULL, global, &zero), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(LAUNCH(k, 1, NULL, &large, &large), CL_INVALID_WORK_ITEM_SIZE);
    assert_int_equal(LAUNCH(k, 3, NULL, global, global), CL_INVALID_WORK_GROUP_SIZE);
    ok(clSetKernelArg(count, 0, sizeof m, &m));
    assert_int_equal(LAUNCH(count, 1, NULL, global, global), CL_INVALID_WORK_GROUP_SIZE);
    ok(LAUNCH(count, 1, NULL, &one, NULL));
    ok(clSetKernelArg(share, 0, sizeof m, &m));
    ok(clSetKernelArg(share, 1, 1 << 20, NULL));
    assert_int_equal(LAUNCH(share, 1, NULL, global, NULL), CL_OUT_OF_RESOURCES);
    const cl_event none = NULL;
    assert_int_equal(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, global, NULL, 1, NULL, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, global, NULL, 1, &none, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clEnqueueNativeKernel(host.queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    ok(clFinish(host.queue));
    ok(clReleaseKernel(k));
    ok(clReleaseKernel(unset));
    ok(clReleaseKernel(count));
    ok(clReleaseKernel(share));
    ok(clReleaseMemObject(m));
}

static int run_count(cl_kernel k, cl_mem m)
{
    int got;
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueTask(host.queue, k, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    return got;
}

/* Each program has variables of its own, which outlive the launches of others. */
static void keeps_variables(void **state)
{
    cl_program a = make_program(&host.image), b = make_program(&host.bare);
    cl_kernel ka = make_kernel(a, "count"), kb = make_kernel(b, "count");
    cl_mem m = make_buffer(4, NULL);
    (void)state;
    assert_int_equal(run_count(ka, m), 41);
    assert_int_equal(run_count(ka, m), 42);
    assert_int_equal(run_count(kb, m), 41);
    assert_int_equal(run_count(ka, m), 43);
    assert_int_equal(run_count(kb, m), 42);
    ok(clReleaseKernel(kb));
    ok(clReleaseProgram(b));
    assert_int_equal(run_count(ka, m), 44);
    ok(clReleaseKernel(ka));
    ok(clReleaseProgram(a));
    ok(clReleaseMemObject(m));
}

/* --- printing ---------------------------------------------------------------------------- */

static char printed[4096];
static void CL_CALLBACK on_print(const char *text, size_t len, size_t complete, void *data)
{
    (void)complete;
    assert_ptr_equal(data, printed);
    snprintf(printed + strlen(printed), sizeof printed - strlen(printed), "%.*s", (int)len, text);
}

static void CL_CALLBACK ignore_report(const char *text, const void *info, size_t n, void *data)
{
    (void)text, (void)info, (void)n, (void)data;
}

static size_t printed_bytes;
static bool is_cut;
static void CL_CALLBACK count_print(const char *text, size_t len, size_t complete, void *data)
{
    (void)complete, (void)data;
    printed_bytes += len;
    is_cut |= memmem(text, len, "overflow", 8) != NULL;
}

/* There is room for as much as CL_DEVICE_PRINTF_BUFFER_SIZE says: records of 16 bytes. */
static void prints_what_fits(void **state)
{
    const cl_context_properties list[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)count_print, 0};
    const size_t most = INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_PRINTF_BUFFER_SIZE) / 16;
    const u8 *bytes = host.image.data;
    cl_int s;
    (void)state;
    cl_context c = clCreateContext(list, 1, &host.device, ignore_report, printed, &s);
    ok(s);
    cl_command_queue q = clCreateCommandQueue(c, host.device, 0, &s);
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = make_kernel(p, "say");
    for (size_t more = 0; more < 2; more++) {
        size_t n = most + 64 * more, want = 0;
        for (size_t i = 0; i < most; i++)
            want += (size_t)snprintf(NULL, 0, "item %zu\n", i);
        printed_bytes = is_cut = 0;
        ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &(size_t){64}, 0, NULL, NULL));
        ok(clFinish(q));
        assert_int_equal(is_cut, more);
        assert_true(more || printed_bytes == want);
    }
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    ok(clReleaseCommandQueue(q));
    ok(clReleaseContext(c));
}

static void hands_out_what_is_printed(void **state)
{
    const cl_context_properties list[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)on_print, 0};
    const size_t global = 40;
    const u8 *bytes = host.image.data;
    char want[4096] = "";
    cl_int s;
    (void)state;
    cl_context c = clCreateContext(list, 1, &host.device, ignore_report, printed, &s);
    ok(s);
    cl_command_queue q = clCreateCommandQueue(c, host.device, 0, &s);
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = make_kernel(p, "say");
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clFinish(q));
    for (int i = 0; i < 40; i++)
        snprintf(want + strlen(want), sizeof want - strlen(want), "item %d\n", i);
    assert_string_equal(printed, want);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    ok(clReleaseCommandQueue(q));
    ok(clReleaseContext(c));
}

/* --- faults ------------------------------------------------------------------------------ */

static void survives_faults(void **state)
{
    const size_t global = 4;
    cl_kernel wild = make_kernel(program, "wild");
    cl_mem m = make_buffer(N * 4, NULL);
    cl_kernel k = make_scale(m, 1);
    cl_event e, after;
    (void)state;
    atomic_store(&reports, 0);
    ok(clEnqueueNDRangeKernel(host.queue, wild, 1, NULL, &global, NULL, 0, NULL, &e));
    ok(clEnqueueMarkerWithWaitList(host.queue, 1, &e, &after));
    assert_int_equal(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(e), CL_OUT_OF_RESOURCES);
    assert_int_equal(clFinish(host.queue), CL_OUT_OF_RESOURCES);
    assert_int_equal(status_of(after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ok(clFinish(host.queue));
    assert_int_equal(atomic_load(&reports), 1);
    assert_non_null(strstr(last_report, "kernel wild"));
    assert_non_null(strstr(last_report, "0x00000010"));
    /* a blocking call tells it, too, and once */
    int v;
    ok(clEnqueueNDRangeKernel(host.queue, wild, 1, NULL, &global, NULL, 0, NULL, NULL));
    assert_int_equal(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
    ok(clFinish(host.queue));
    const size_t all = N;
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &all, NULL, 0, NULL, NULL));
    expect_multiples(m, 0, N, 1);
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(after));
    ok(clReleaseKernel(wild));
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

static void ends_endless_kernels(void **state)
{
    const size_t one = 1;
    cl_kernel k = make_kernel(program, "forever");
    (void)state;
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_int_equal(clFinish(host.queue), CL_OUT_OF_RESOURCES);
    ok(clReleaseKernel(k));
}

/* Objects are given up before what needs them. */
static void is_released_in_any_order(void **state)
{
    const size_t global = N;
    const u8 *bytes = host.image.data;
    cl_int s, factor = 2;
    (void)state;
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_command_queue q = clCreateCommandQueue(c, host.device, 0, &s);
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = make_kernel(p, "scale");
    cl_mem m = clCreateBuffer(c, 0, N * 4, NULL, &s);
    cl_event gate = clCreateUserEvent(c, &s), last;
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, 4, &factor));
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 1, &gate, &last));
    ok(clReleaseContext(c));
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(m));
    ok(clReleaseKernel(k));
    ok(clReleaseCommandQueue(q));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clReleaseEvent(gate));
    ok(clWaitForEvents(1, &last));
    ok(clReleaseEvent(last));
}

/* A buffer that was released after clSetKernelArg is noticed. */
static void notices_released_buffers(void **state)
{
    const size_t global = N;
    cl_mem m = make_buffer(N * 4, NULL);
    cl_kernel k = make_scale(m, 1);
    (void)state;
    ok(clReleaseMemObject(m));
    assert_int_equal(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &global, NULL, 0, NULL, NULL),
                     CL_INVALID_KERNEL_ARGS);
    ok(clReleaseKernel(k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creates_from_source),
        cmocka_unit_test(refuses_bad_source),
        cmocka_unit_test(refuses_bad_builds),
        cmocka_unit_test(reads_its_binaries),
        cmocka_unit_test(refuses_damaged_binaries),
        cmocka_unit_test(refuses_a_device_twice),
        cmocka_unit_test(answers_build_queries),
        cmocka_unit_test(builds_in_the_background),
        cmocka_unit_test(is_not_built_with_kernels),
        cmocka_unit_test(is_built_without_kernels),
        cmocka_unit_test(answers_kernel_queries),
        cmocka_unit_test(answers_sub_group_queries),
        cmocka_unit_test(answers_argument_queries),
        cmocka_unit_test(checks_arguments),
        cmocka_unit_test(creates_all_kernels),
        cmocka_unit_test(runs_kernels),
        cmocka_unit_test(runs_part_of_the_range),
        cmocka_unit_test(runs_to_the_last_id),
        cmocka_unit_test(counts_its_own_local_memory),
        cmocka_unit_test(places_local_memory),
        cmocka_unit_test(has_all_local_memory),
        cmocka_unit_test(keeps_arguments),
        cmocka_unit_test(runs_images_without_tables),
        cmocka_unit_test(bounds_unknown_arguments),
        cmocka_unit_test(refuses_half_calls),
        cmocka_unit_test(prints_what_fits),
        cmocka_unit_test(writes_binaries_of_the_form),
        cmocka_unit_test(aligns_unknown_arguments),
        cmocka_unit_test(suggests_local_sizes),
        cmocka_unit_test(suggests_full_warps),
        cmocka_unit_test(checks_launches),
        cmocka_unit_test(keeps_variables),
        cmocka_unit_test(hands_out_what_is_printed),
        cmocka_unit_test(survives_faults),
        cmocka_unit_test(ends_endless_kernels),
        cmocka_unit_test(is_released_in_any_order),
        cmocka_unit_test(notices_released_buffers),
    };
    set_environment();
    setenv("VENTUS_TIMEOUT", "2", 1);
    return cmocka_run_group_tests(tests, open_program, close_program);
}
