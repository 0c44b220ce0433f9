/* cl_compiler_test.c -- programs from source: builds, logs, headers, libraries, the cache, many at
 * once.  Skipped where there is no compiler. */
#include "test/opencl/clhost.h"
#include "test/kit/skip.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

static bool has_compiler;
static char cache[] = "/tmp/cl_compiler_XXXXXX";

static int open_compiler(void **state)
{
    open_host(state);
    has_compiler = INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE);
    return 0;
}

static cl_program from_source(const char *text)
{
    cl_int s;
    cl_program p = clCreateProgramWithSource(host.context, 1, &text, NULL, &s);
    ok(s);
    return p;
}

static char log_text[1 << 16];
static const char *log_of(cl_program p)
{
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_LOG, sizeof log_text, log_text, NULL));
    return log_text;
}

static cl_program build(const char *text, const char *options)
{
    cl_program p = from_source(text);
    if (clBuildProgram(p, 0, NULL, options, NULL, NULL))
        fail_msg("%s", log_of(p));
    return p;
}

/* Runs kernel `f(global int *out)` for n work-items. */
static void run(cl_program p, size_t n, int *out)
{
    cl_kernel k = make_kernel(p, "f");
    cl_mem m = make_buffer(n * 4, NULL);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, n * 4, out, 0, NULL, NULL));
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

/* An array that is indexed lies in private memory, a number in a register. */
static void says_what_memory_kernels_need(void **state)
{
    static const struct { const char *name; cl_ulong least, most; } kernels[] = {
        {"bare", 0, 0}, {"small", 100, 199}, {"large", 4000, 4099}};
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program p = build("kernel void bare(global uint *p) { p[0] = p[1] + 1; }"
                         "kernel void small(global uint *p) { char a[100]; for (uint i = 0; i < 100; i++) a[i] = p[i];"
                         "  p[0] = a[p[1]] + a[p[2]]; }"
                         "kernel void large(global uint *p) { uint a[1000]; for (uint i = 0; i < 1000; i++) a[i] = p[i];"
                         "  p[0] = a[p[1]] + a[p[2]]; }", "");
    for (size_t i = 0; i < countof(kernels); i++) {
        cl_ulong bytes;
        cl_kernel k = make_kernel(p, kernels[i].name);
        ok(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
        if (bytes < kernels[i].least || bytes > kernels[i].most)
            fail_msg("%s: %llu", kernels[i].name, (unsigned long long)bytes);
        ok(clReleaseKernel(k));
    }
    ok(clReleaseProgram(p));
}

static void builds_from_source(void **state)
{
    int got[64];
    char options[64];
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program p = build("kernel void f(global int *out) { out[get_global_id(0)] = get_global_id(0) * A + B; }",
                         "-D A=3 -DB=4");
    run(p, 64, got);
    for (int i = 0; i < 64; i++)
        assert_int_equal(got[i], i * 3 + 4);
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    assert_string_equal(options, "-D A=3 -DB=4");
    ok(clReleaseProgram(p));
}

static void tells_what_is_wrong(void **state)
{
    cl_build_status status;
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program p = from_source("kernel void f(global int *out) {\n  *out = nothing;\n}");
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    assert_int_equal(status, CL_BUILD_NONE);
    assert_int_equal(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    assert_non_null(strstr(log_of(p), ":2:"));
    assert_non_null(strstr(log_of(p), "nothing"));
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    assert_int_equal(status, CL_BUILD_ERROR);
    cl_program_binary_type type;
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_NONE);
    cl_int s;
    assert_null(clCreateKernel(p, "f", &s));
    assert_int_equal(s, CL_INVALID_PROGRAM_EXECUTABLE);
    ok(clReleaseProgram(p));
}

/* What the compiler says of arguments is what the source says. */
static void tells_of_attributes(void **state)
{
    static const char *const types[] = {"char", "uchar16", "short2", "uint3", "long4", "half8", "float", "double2"};
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    for (size_t i = 0; i < countof(types); i++) {
        char source[200], want[64], text[64];
        snprintf(source, sizeof source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                 "kernel __attribute__((vec_type_hint(%s))) void f(global int *out) { out[0] = 1; }", types[i]);
        snprintf(want, sizeof want, "vec_type_hint(%s)", types[i]);
        cl_program p = build(source, "");
        cl_kernel k = make_kernel(p, "f");
        ok(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
        assert_string_equal(text, want);
        ok(clReleaseKernel(k));
        ok(clReleaseProgram(p));
    }
}

/* What a macro stands for is no option. */
static void options_are_words(void **state)
{
    static const char *const source = "kernel void f(global int *p) { p[get_global_id(0)] = 1; }";
    static const struct { const char *options; bool keeps_info, is_partial; } rows[] = {
        {"-cl-kernel-arg-info -cl-std=CL3.0", true, true},
        {"-DX=-cl-kernel-arg-info -D Y=-cl-std=CL3.0", false, false},
        {"-DX='a -cl-kernel-arg-info' -DY='b -cl-std=CL3.0'", false, false},
        {"-cl-std=CL3.0 -DX='-cl-uniform-work-group-size'", false, true},
        {"-cl-std=CL3.0 -DX='a -cl-uniform-work-group-size'", false, true},
    };
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    for (size_t i = 0; i < countof(rows); i++) {
        char text[8];
        cl_mem m = make_buffer(64, NULL);
        cl_program p = build(source, rows[i].options);
        cl_kernel k = make_kernel(p, "f");
        assert_int_equal(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL),
                         rows[i].keeps_info ? CL_SUCCESS : CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        ok(clSetKernelArg(k, 0, sizeof m, &m));
        assert_int_equal(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &(size_t){10}, &(size_t){4}, 0, NULL, NULL),
                         rows[i].is_partial ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE);
        ok(clFinish(host.queue));
        ok(clReleaseKernel(k));
        ok(clReleaseProgram(p));
        ok(clReleaseMemObject(m));
    }
}

/* Smaller last groups are allowed where one part at least is of OpenCL C 2.0 or later, and was not compiled for groups of
 * one size (clEnqueueNDRangeKernel), whether the parts come from sources, libraries or binaries. */
static void parts_allow_smaller_groups(void **state)
{
    static const char *const source = "kernel void f(global int *p) { p[get_global_id(0)] = 1; }";
    static const struct { const char *options; bool is_partial; } rows[] = {
        {"-cl-std=CL3.0", true}, {"-cl-std=CL2.0", true}, {"-cl-std=CL1.2", false}, {"", false},
        {"-cl-std=CL3.0 -cl-uniform-work-group-size", false},
    };
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_mem m = make_buffer(64, NULL);
    for (size_t i = 0; i < countof(rows); i++)
        for (int way = 0; way < 4; way++) { /* a library or not, by way of a binary or not */
            cl_int s;
            cl_program p = from_source(source);
            ok(clCompileProgram(p, 0, NULL, rows[i].options, 0, NULL, NULL, NULL, NULL));
            if (way & 1) {
                cl_program library = clLinkProgram(host.context, 0, NULL, "-create-library", 1, &p, NULL, NULL, &s);
                ok(s);
                ok(clReleaseProgram(p));
                p = library;
            }
            if (way & 2) {
                unsigned char bytes[1 << 16], *to = bytes;
                const unsigned char *from = bytes;
                size_t size;
                ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
                assert_in_range(size, 1, sizeof bytes);
                ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof to, &to, NULL));
                ok(clReleaseProgram(p));
                p = clCreateProgramWithBinary(host.context, 1, &host.device, &size, &from, NULL, &s);
                ok(s);
            }
            cl_program linked = clLinkProgram(host.context, 0, NULL, "", 1, &p, NULL, NULL, &s);
            ok(s);
            cl_kernel k = make_kernel(linked, "f");
            ok(clSetKernelArg(k, 0, sizeof m, &m));
            s = clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &(size_t){10}, &(size_t){4}, 0, NULL, NULL);
            if (s != (rows[i].is_partial ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE))
                fail_msg("'%s', way %d: %d", rows[i].options, way, s);
            ok(clFinish(host.queue));
            ok(clReleaseKernel(k));
            ok(clReleaseProgram(linked));
            ok(clReleaseProgram(p));
        }
    ok(clReleaseMemObject(m));
}

/* p is built and compiled with the option, and `compiled` is linked, or the calls refuse it.  No compiler runs. */
static void must_take(cl_program p, cl_program compiled, const char *option, bool compiles, bool links)
{
    cl_int s = clBuildProgram(p, 0, NULL, option, NULL, NULL);
    if (s != (compiles ? CL_BUILD_PROGRAM_FAILURE : CL_INVALID_BUILD_OPTIONS))
        fail_msg("a build with %s: %d", option, s);
    s = clCompileProgram(p, 0, NULL, option, 0, NULL, NULL, NULL, NULL);
    if (s != (compiles ? CL_COMPILE_PROGRAM_FAILURE : CL_INVALID_COMPILER_OPTIONS))
        fail_msg("compiling with %s: %d", option, s);
    cl_program linked = clLinkProgram(host.context, 0, NULL, option, 1, &compiled, NULL, NULL, &s);
    if (s != (links ? CL_LINK_PROGRAM_FAILURE : CL_INVALID_LINKER_OPTIONS) || !linked != !links)
        fail_msg("linking with %s: %d", option, s);
    if (linked)
        ok(clReleaseProgram(linked));
}

/* Which options are there for which calls: those of the specification ("Compiler options", "Linker options"), and some
 * that ventus cc takes besides.  A longer word is another one. */
static void knows_options(void **state)
{
    static const struct { const char *option; bool compiles, links; } rows[] = {
        {"-DX", true, false}, {"-D X=1", true, false}, {"-Iinclude", true, false}, {"-I include", true, false},
        {"-w", true, false}, {"-Werror", true, false}, {"-g", true, false},
        {"-O0", true, false}, {"-O1", true, false}, {"-O2", true, false}, {"-O3", true, false},
        {"-cl-std=CL1.2", true, false}, {"-cl-opt-disable", true, false},
        {"-cl-single-precision-constant", true, false}, {"-cl-denorms-are-zero", true, true},
        {"-cl-fp32-correctly-rounded-divide-sqrt", true, false}, {"-cl-strict-aliasing", true, false},
        {"-cl-mad-enable", true, false}, {"-cl-no-signed-zeros", true, true},
        {"-cl-unsafe-math-optimizations", true, true}, {"-cl-finite-math-only", true, true},
        {"-cl-fast-relaxed-math", true, true}, {"-cl-uniform-work-group-size", true, false},
        {"-cl-no-subgroup-ifp", true, true}, {"-cl-kernel-arg-info", true, false},
        {"-create-library", false, true}, {"-create-library -enable-link-options", false, true},
        /* no options at all */
        {"-O4", false, false}, {"-cl-std", false, false}, {"x", false, false}, {"-cl", false, false},
        {"-w x", false, false}, {"-create-library x", false, false}, {"-ventus-zero", false, false},
    };
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program compiled = from_source("int f(int x) { return x; }"), p = from_source("kernel void f(global int *p) { *p = 1; }");
    ok(clCompileProgram(compiled, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    setenv("VENTUS_CC_TIMEOUT", "never", 1); /* the options are all that is of interest: the compiler does not start */
    for (size_t i = 0; i < countof(rows); i++) {
        char longer[64];
        must_take(p, compiled, rows[i].option, rows[i].compiles, rows[i].links);
        if (strpbrk(rows[i].option, "DI= "))
            continue; /* it goes on with a name, a number, a directory */
        snprintf(longer, sizeof longer, "%sx", rows[i].option);
        must_take(p, compiled, longer, false, false);
    }
    unsetenv("VENTUS_CC_TIMEOUT");
    ok(clReleaseProgram(compiled));
    ok(clReleaseProgram(p));
}

/* Three programs for each of two devices, which get a program of their own each. */
static void links_for_each_device(void **state)
{
    static const char *const texts[] = {"int a(int x) { return x + 1; }", "int b(int x) { return x * 3; }",
                                        "int a(int x); int b(int x); kernel void f(global int *p) { *p = a(b(*p)); }"};
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const size_t one = 1;
    cl_device_id d[2];
    cl_program part[3];
    cl_int s, v = 5;
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    ok(clCreateSubDevices(host.device, equally, 2, d, NULL));
    cl_context c = clCreateContext(NULL, 2, d, NULL, NULL, &s);
    ok(s);
    for (int i = 0; i < 3; i++) {
        part[i] = clCreateProgramWithSource(c, 1, (const char **)(uintptr_t)&texts[i], NULL, &s);
        ok(s);
        ok(clCompileProgram(part[i], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    }
    cl_program p = clLinkProgram(c, 0, NULL, "", 3, part, NULL, NULL, &s);
    ok(s);
    cl_kernel k = make_kernel(p, "f");
    cl_mem m = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof v, &v, &s);
    ok(s);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    for (int i = 0; i < 2; i++) {
        cl_command_queue q = clCreateCommandQueueWithProperties(c, d[i], NULL, &s);
        ok(s);
        ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
        assert_int_equal(v, i ? 49 : 16);
        ok(clReleaseCommandQueue(q));
    }
    ok(clReleaseMemObject(m));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    for (int i = 0; i < 3; i++)
        ok(clReleaseProgram(part[i]));
    ok(clReleaseContext(c));
    for (int i = 0; i < 2; i++)
        ok(clReleaseDevice(d[i]));
}

/* Why options are refused is in the program's log, but not over the log of a build that is in use. */
static void keeps_logs_in_use(void **state)
{
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program p = from_source("kernel void f(global int *p) { int unused; *p = 1; }");
    assert_int_equal(clBuildProgram(p, 0, NULL, "-never", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    assert_string_equal(log_of(p), "build options: '-never' is not an option of clBuildProgram and clCompileProgram\n");
    assert_int_equal(clBuildProgram(p, 0, NULL, "-D 'X", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    assert_string_equal(log_of(p), "build options: a quote is not closed\n");
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    char first[sizeof log_text];
    strcpy(first, log_of(p));
    assert_null(strstr(first, "-never"));
    assert_int_equal(clBuildProgram(p, 0, NULL, "-never", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    assert_string_equal(log_of(p), first);
    cl_kernel k = make_kernel(p, "f"); /* of the build that is there still */
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

static void tells_of_arguments(void **state)
{
    static const struct {
        const char *name, *type;
        cl_kernel_arg_address_qualifier space;
        cl_kernel_arg_type_qualifier qualifiers;
    } want[] = {
        {"a", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
        {"b", "int4*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
        {"c", "uint*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE},
        {"d", "char2", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
    };
    char text[64];
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program p = build("kernel __attribute__((reqd_work_group_size(4,2,1)))\n"
                         "void f(const global float *restrict a, constant int4 *b, local uint *c, char2 d) {}",
                         "-cl-kernel-arg-info");
    cl_kernel k = make_kernel(p, "f");
    for (cl_uint i = 0; i < countof(want); i++) {
        cl_kernel_arg_address_qualifier space;
        cl_kernel_arg_type_qualifier qualifiers;
        ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        assert_string_equal(text, want[i].name);
        ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        assert_string_equal(text, want[i].type);
        ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
        assert_int_equal(space, want[i].space);
        ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL));
        assert_int_equal(qualifiers, want[i].qualifiers);
    }
    size_t size[3];
    ok(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL));
    assert_int_equal(size[0], 4);
    assert_int_equal(size[1], 2);
    assert_int_equal(size[2], 1);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    /* who did not ask for it is not told */
    p = build("kernel void f(int a) {}", "-cl-std=CL1.2");
    k = make_kernel(p, "f");
    assert_int_equal(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

static void compiles_and_links(void **state)
{
    const char *names[] = {"deep/two.h"};
    int got[4];
    cl_int s;
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program header = from_source("#define TWO 2\nint twice(int);\n"),
               a = from_source("#include \"deep/two.h\"\nkernel void f(global int *out) "
                               "{ int i = get_global_id(0); out[i] = twice(i) + TWO; }"),
               b = from_source("int twice(int x) { return 2 * x; }");
    ok(clCompileProgram(a, 0, NULL, "", 1, &header, names, NULL, NULL));
    ok(clCompileProgram(b, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program_binary_type type;
    ok(clGetProgramBuildInfo(a, host.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program library = clLinkProgram(host.context, 0, NULL, "-create-library", 1, &b, NULL, NULL, &s);
    ok(s);
    ok(clGetProgramBuildInfo(library, host.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    const cl_program both[] = {a, library};
    cl_program p = clLinkProgram(host.context, 0, NULL, "", 2, both, NULL, NULL, &s);
    ok(s);
    run(p, 4, got);
    for (int i = 0; i < 4; i++)
        assert_int_equal(got[i], 2 * i + 2);
    ok(clReleaseProgram(p));
    p = clLinkProgram(host.context, 0, NULL, "", 1, &a, NULL, NULL, &s); /* twice() is missing */
    assert_int_equal(s, CL_LINK_PROGRAM_FAILURE);
    assert_non_null(strstr(log_of(p), "twice"));
    const cl_program all[] = {header, a, b, library, p};
    for (size_t i = 0; i < countof(all); i++)
        ok(clReleaseProgram(all[i]));
}

static Buf binary_of(cl_program p)
{
    Buf b = {0};
    size_t n;
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL));
    buf_fill(&b, 0, n);
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof b.data, &b.data, NULL));
    return b;
}

/* Made of the binary of a program, which it replaces; it has the same binary, of the same type. */
static cl_program by_binary(cl_program old)
{
    cl_program_binary_type type[2];
    Buf given = binary_of(old);
    const u8 *bytes = given.data;
    cl_int s, status;
    cl_program p =
        clCreateProgramWithBinary(host.context, 1, &host.device, &given.len, &bytes, &status, &s);
    ok(s);
    Buf kept = binary_of(p);
    assert_int_equal(kept.len, given.len);
    assert_memory_equal(kept.data, given.data, kept.len);
    ok(clGetProgramBuildInfo(old, host.device, CL_PROGRAM_BINARY_TYPE, sizeof *type, &type[0],
                             NULL));
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BINARY_TYPE, sizeof *type, &type[1], NULL));
    assert_int_equal(type[1], type[0]);
    buf_free(&given);
    buf_free(&kept);
    ok(clReleaseProgram(old));
    return p;
}

static cl_program compiled(const char *text)
{
    cl_program p = from_source(text);
    ok(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    return p;
}

/* Objects and libraries go through binaries, and can be linked, and built if they lack nothing; one that does lack
 * something is as it was after a build that has failed. */
static void builds_from_binaries(void **state)
{
    int got[4];
    cl_int s;
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program all = by_binary(
        compiled("kernel void f(global int *out) { int i = get_global_id(0); out[i] = 9 - i; }"));
    ok(clBuildProgram(all, 0, NULL, "", NULL, NULL));
    run(all, 4, got);
    assert_int_equal(got[3], 6);
    assert_null(clLinkProgram(host.context, 0, NULL, "", 1, &all, NULL, NULL,
                              &s)); /* it is an executable now */
    assert_int_equal(s, CL_INVALID_OPERATION);
    cl_program lacks = by_binary(compiled(
                   "int twice(int);\nkernel void f(global int *out) { int i = get_global_id(0);"
                   " out[i] = twice(i) + 1; }")),
               part = compiled("int twice(int x) { return 2 * x; }"),
               library = by_binary(clLinkProgram(host.context, 1, &host.device, "-create-library",
                                                 1, &part, NULL, NULL, &s));
    for (int round = 0; round < 2; round++) {
        assert_int_equal(clBuildProgram(lacks, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        assert_non_null(strstr(log_of(lacks), "twice"));
        lacks = by_binary(lacks);
    }
    cl_program whole = clLinkProgram(host.context, 1, &host.device, "", 2,
                                     (cl_program[]){lacks, library}, NULL, NULL, &s);
    ok(s);
    assert_int_equal(INFO(cl_uint, clGetProgramInfo, whole, CL_PROGRAM_NUM_DEVICES), 1);
    run(whole, 4, got);
    assert_int_equal(got[3], 7);
    cl_program half = clLinkProgram(host.context, 0, NULL, "", 1, &lacks, NULL, NULL, &s);
    assert_int_equal(s, CL_LINK_PROGRAM_FAILURE);
    assert_int_equal(clBuildProgram(half, 0, NULL, "", NULL, NULL),
                     CL_INVALID_BINARY); /* it has none */
    const cl_program made[] = {all, lacks, part, library, whole, half};
    for (size_t i = 0; i < countof(made); i++)
        ok(clReleaseProgram(made[i]));
}

static cl_program heard_of;
static atomic_int heard;
static void CL_CALLBACK hear(cl_program p, void *data)
{
    (void)data;
    heard_of = p;
    atomic_fetch_add(&heard, 1);
}

static cl_build_status build_status(cl_program p)
{
    cl_build_status status;
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                             NULL));
    return status;
}

/* A program that is built on another thread, which waits for a header that comes through a pipe: nothing else can be
 * done with it meanwhile. */
static void is_busy_while_it_is_built(void **state)
{
    static const char header[] = "enum { FIVE = 5 };\n";
    char directory[] = "/tmp/cl_compiler.XXXXXX", header_path[64], text[256];
    int got[2];
    cl_uint n;
    cl_int s;
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    assert_non_null(mkdtemp(directory));
    snprintf(header_path, sizeof header_path, "%s/pipe.h", directory);
    assert_int_equal(mkfifo(header_path, 0600), 0);
    snprintf(text, sizeof text,
             "#include \"%s\"\nkernel void f(global int *out) { out[get_global_id(0)] = FIVE; }",
             header_path);
    cl_program p = from_source(text);
    atomic_store(&heard, 0);
    ok(clBuildProgram(p, 0, NULL, "", hear, NULL));
    const int to = open(header_path, O_WRONLY); /* returns when the compiler reads */
    assert_true(to >= 0);
    assert_int_equal(build_status(p), CL_BUILD_IN_PROGRESS);
    assert_int_equal(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL),
                     CL_INVALID_OPERATION);
    assert_null(clCreateKernel(p, "f", &s));
    assert_int_equal(s, CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(clCreateKernelsInProgram(p, 0, NULL, &n), CL_INVALID_PROGRAM_EXECUTABLE);
    assert_int_equal(build_status(p), CL_BUILD_IN_PROGRESS);
    assert_int_equal(atomic_load(&heard), 0);
    assert_int_equal(write(to, header, sizeof header - 1), sizeof header - 1);
    close(to);
    assert_true(comes_true(&heard, 1));
    assert_ptr_equal(heard_of, p);
    assert_int_equal(build_status(p), CL_BUILD_SUCCESS);
    run(p, 2, got);
    assert_int_equal(got[1], 5);
    ok(clReleaseProgram(p));
    unlink(header_path);
    rmdir(directory);
}

/* --- printing ------------------------------------------------------------------------------- */

static struct {
    size_t calls, bytes;
    char last[64]; /* of the text */
} printed;

static void CL_CALLBACK on_print(const char *text, size_t len, size_t complete, void *data)
{
    (void)complete, (void)data;
    printed.calls++;
    printed.bytes += len;
    snprintf(printed.last, sizeof printed.last, "%s", len < sizeof printed.last ? text : text + len - sizeof printed.last + 1);
}

/* A context whose prints are counted, with the kernel of a source. */
static cl_context open_printer(const char *text, const char *name, cl_command_queue *q, cl_kernel *k)
{
    const cl_context_properties list[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)on_print, 0};
    cl_int s;
    cl_context c = clCreateContext(list, 1, &host.device, on_report, NULL, &s);
    ok(s);
    *q = clCreateCommandQueue(c, host.device, 0, &s);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    *k = make_kernel(p, name);
    ok(clReleaseProgram(p));
    memset(&printed, 0, sizeof printed);
    return c;
}

static void close_printer(cl_context c, cl_command_queue q, cl_kernel k)
{
    ok(clReleaseKernel(k));
    ok(clReleaseCommandQueue(q));
    ok(clReleaseContext(c));
}

/* A kernel that does not print has no print buffer that it could damage, though another of its program
 * prints. */
static void prints_nothing_by_wild_stores(void **state)
{
    enum { PAGES = 400 }; /* the buffer has 257, a launch some more */
    const size_t one = 1;
    cl_command_queue q;
    cl_kernel k;
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_context c = open_printer("kernel void say(int x) { printf(\"%d\\n\", x); }"
                                "kernel void store(uint at) { *(volatile global uint *)at = 12345; }",
                                "store", &q, &k);
    for (u32 page = 0; page < PAGES; page++) {
        const u32 at = 0x90000000u + page * 4096;
        ok(clSetKernelArg(k, 0, sizeof at, &at));
        ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 0, NULL, NULL));
        clFinish(q);
    }
    assert_int_equal(printed.calls, 0);
    close_printer(c, q, k);
}

/* Few bytes of the print buffer can ask for much text: there is an end to it. */
static void prints_no_end_of_text(void **state)
{
    const size_t items = 4000;
    cl_command_queue q;
    cl_kernel k;
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_context c = open_printer("constant char big[60000] = {[0 ... 59998] = 'x', 0};"
                                "kernel void bomb(void) { printf(\"%s\\n\", big); }", "bomb", &q, &k);
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clFinish(q));
    assert_int_equal(printed.calls, 1);
    assert_true(printed.bytes < (33 << 20) && printed.bytes > 10 << 20);
    assert_non_null(strstr(printed.last, "[print buffer: text beyond 32 MiB is lost]"));
    close_printer(c, q, k);
}

/* A launch that faults while a lane is about to change 8 bytes leaves no lock behind. */
static void leaves_no_lock_behind(void **state)
{
    const size_t items = 64;
    cl_long got = 0;
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program p = from_source(
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "kernel void good(global long *x) { atom_inc(x); }\n"
        "kernel void stray(global long *x)\n" /* an address with the same lock where nothing is */
        "{ atom_inc((volatile global long *)(0x60000000u + ((uint)x & 0x7ff))); }\n");
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel good = make_kernel(p, "good"), stray = make_kernel(p, "stray");
    cl_mem m = make_buffer(sizeof got, &got);
    ok(clSetKernelArg(good, 0, sizeof m, &m));
    ok(clSetKernelArg(stray, 0, sizeof m, &m));
    for (int i = 1; i <= 2; i++) {
        ok(clEnqueueNDRangeKernel(host.queue, stray, 1, NULL, &items, NULL, 0, NULL, NULL));
        assert_int_equal(clFinish(host.queue), CL_OUT_OF_RESOURCES);
        ok(clEnqueueNDRangeKernel(host.queue, good, 1, NULL, &items, NULL, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
        assert_int_equal(got, 64 * i);
    }
    ok(clReleaseKernel(good));
    ok(clReleaseKernel(stray));
    ok(clReleaseMemObject(m));
    ok(clReleaseProgram(p));
}

static atomic_bool has_linked;

static void *compile_anew(void *arg)
{
    while (!atomic_load(&has_linked))
        ok(clCompileProgram(arg, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    return NULL;
}

/* A link takes its input as it is when it is asked for. */
static void links_what_is_compiled_anew(void **state)
{
    char text[1 << 14];
    pthread_t t;
    int got[2];
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    size_t n = (size_t)snprintf(text, sizeof text, "kernel void f(global int *out) { out[get_global_id(0)] = 5; }\n");
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "int g%d(int x) { return x * %d; }\n", i, i);
    cl_program in = from_source(text);
    ok(clCompileProgram(in, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    atomic_store(&has_linked, false);
    assert_int_equal(pthread_create(&t, NULL, compile_anew, in), 0);
    for (int i = 0; i < 40; i++) {
        cl_int s;
        cl_program p = clLinkProgram(host.context, 0, NULL, "", 1, &in, NULL, NULL, &s);
        ok(s);
        if (!i)
            run(p, 2, got);
        ok(clReleaseProgram(p));
    }
    atomic_store(&has_linked, true);
    pthread_join(t, NULL);
    assert_int_equal(got[1], 5);
    ok(clReleaseProgram(in));
}

/* Each work-item of a grid whose last groups are smaller says where it is.  What it must say follows from
 * its global id (OpenCL C 2.0, "Work-Item Functions"). */
enum { X = 10, Y = 7, LX = 4, LY = 3, OX = 5, FIELDS = 12 };

static void expect_place(const u32 *got, u32 x, u32 y)
{
    const u32 gx = x / LX, gy = y / LY, want[FIELDS] = {
        gx, gy, gx == X / LX ? X % LX : LX, gy == Y / LY ? Y % LY : LY, LX, LY, 3, 3, x % LX, y % LY, OX, y * X + x};
    assert_memory_equal(got, want, sizeof want);
}

static void has_smaller_last_groups(void **state)
{
    const char *text =
        "kernel void f(global uint *out) {\n"
        "    uint x = get_global_id(0) - 5, y = get_global_id(1);\n"
        "    global uint *o = out + (y * 10 + x) * 12;\n"
        "    for (uint d = 0; d < 2; d++) {\n"
        "        o[d] = get_group_id(d); o[2 + d] = get_local_size(d); o[4 + d] = get_enqueued_local_size(d);\n"
        "        o[6 + d] = get_num_groups(d); o[8 + d] = get_local_id(d);\n"
        "    }\n"
        "    o[10] = get_global_offset(0); o[11] = get_global_linear_id();\n"
        "}";
    const size_t global[2] = {X, Y}, local[2] = {LX, LY}, offset[2] = {OX, 0};
    static u32 got[X * Y][FIELDS];
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program p = build(text, "-cl-std=CL2.0");
    cl_kernel k = make_kernel(p, "f");
    cl_mem m = make_buffer(sizeof got, NULL);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(host.queue, k, 2, offset, global, local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (u32 i = 0; i < X * Y; i++)
        expect_place(got[i], i % X, i / X);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    const char *const uniform[] = {"-cl-std=CL1.2", "-cl-std=CL3.0 -cl-uniform-work-group-size"};
    for (size_t i = 0; i < countof(uniform); i++) {
        p = build("kernel void f(global uint *out) {}", uniform[i]);
        k = make_kernel(p, "f");
        ok(clSetKernelArg(k, 0, sizeof m, &m));
        assert_int_equal(clEnqueueNDRangeKernel(host.queue, k, 2, NULL, global, local, 0, NULL, NULL),
                         CL_INVALID_WORK_GROUP_SIZE);
        ok(clReleaseKernel(k));
        ok(clReleaseProgram(p));
    }
    ok(clReleaseMemObject(m));
}

/* Each of many headers is the one of its name, whatever descriptors the process has open. */
static void finds_many_headers(void **state)
{
    enum { HEADERS = 150, HELD = 60 };
    cl_program header[HEADERS];
    char name[HEADERS][32], text[64];
    const char *names[HEADERS];
    int held[HELD];
    Buf source = {0};
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    for (int i = 0; i < HELD; i++)
        held[i] = dup(0);
    for (int i = 0; i < HEADERS; i++) {
        snprintf(name[i], sizeof name[i], "d%d/h%d.h", i % 3, i);
        snprintf(text, sizeof text, "enum { H%d = %d };", i, i);
        names[i] = name[i];
        header[i] = from_source(text);
        buf_printf(&source, "#include \"%s\"\n", name[i]);
    }
    for (int i = 0; i < HEADERS; i++)
        buf_printf(&source, "int f%d(void) { return H%d; }\n", i, i);
    cl_program p = from_source(buf_text(&source));
    if (clCompileProgram(p, 0, NULL, "", HEADERS, header, names, NULL, NULL))
        fail_msg("%.2000s", log_of(p));
    for (int i = 0; i < HEADERS; i++)
        ok(clReleaseProgram(header[i]));
    for (int i = 0; i < HELD; i++)
        close(held[i]);
    ok(clReleaseProgram(p));
    buf_free(&source);
}

static void keeps_variables(void **state)
{
    int got[1];
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program p = build("global int n = 7; kernel void f(global int *out) { *out = n++; }", "-cl-std=CL3.0");
    for (int i = 7; i < 10; i++) {
        run(p, 1, got);
        assert_int_equal(*got, i);
    }
    size_t bytes;
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes, &bytes, NULL));
    assert_int_equal(bytes, 4);
    ok(clReleaseProgram(p));
}

/* A linked program is of the language that its parts were compiled as. */
static void links_smaller_last_groups(void **state)
{
    const size_t global = 10, local = 4;
    int got[10];
    cl_int s;
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    cl_program a = from_source("kernel void f(global int *out) { out[get_global_id(0)] = get_local_size(0); }");
    ok(clCompileProgram(a, 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
    cl_program p = clLinkProgram(host.context, 0, NULL, "", 1, &a, NULL, NULL, &s);
    ok(s);
    cl_kernel k = make_kernel(p, "f");
    cl_mem m = make_buffer(sizeof got, NULL);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 10; i++)
        assert_int_equal(got[i], i < 8 ? 4 : 2);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
    ok(clReleaseProgram(a));
    ok(clReleaseProgram(p));
}

static size_t count_files(void)
{
    DIR *d = opendir(cache);
    size_t n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        n += *e->d_name != '.';
    if (d)
        closedir(d);
    return n;
}

static void uses_the_cache(void **state)
{
    int got[4];
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    const char *text = "kernel void f(global int *out) { out[get_global_id(0)] = 5; }";
    const size_t before = count_files();
    for (int i = 0; i < 2; i++) {
        cl_program p = build(text, "");
        run(p, 4, got);
        assert_int_equal(got[3], 5);
        assert_int_equal(count_files(), before + 1);
        ok(clReleaseProgram(p));
    }
}

/* --- threads ------------------------------------------------------------------------------ */

enum { THREADS = 6, ROUNDS = 3 };

static void *build_and_run(void *arg)
{
    char text[256];
    int got[32];
    for (int i = 0; i < ROUNDS; i++) {
        const int n = (int)(intptr_t)arg * 100 + i;
        snprintf(text, sizeof text, "kernel void f(global int *out) { out[get_global_id(0)] = get_global_id(0) * %d; }", n);
        cl_program p = build(text, "");
        run(p, 32, got);
        for (int k = 0; k < 32; k++)
            assert_int_equal(got[k], k * n);
        ok(clReleaseProgram(p));
    }
    return NULL;
}

static void builds_many_at_once(void **state)
{
    pthread_t t[THREADS];
    (void)state;
    if (!has_compiler)
        skip_because("no compiler");
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, build_and_run, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

static void empty_cache(void)
{
    char path[512];
    DIR *d = opendir(cache);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%.255s", cache, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_memory_kernels_need),
        cmocka_unit_test(builds_from_source),
        cmocka_unit_test(tells_what_is_wrong),
        cmocka_unit_test(has_smaller_last_groups),
        cmocka_unit_test(options_are_words),
        cmocka_unit_test(parts_allow_smaller_groups),
        cmocka_unit_test(knows_options),
        cmocka_unit_test(keeps_logs_in_use),
        cmocka_unit_test(links_for_each_device),
        cmocka_unit_test(tells_of_arguments),
        cmocka_unit_test(tells_of_attributes),
        cmocka_unit_test(compiles_and_links),
        cmocka_unit_test(builds_from_binaries),
        cmocka_unit_test(is_busy_while_it_is_built),
        cmocka_unit_test(links_what_is_compiled_anew),
        cmocka_unit_test(finds_many_headers),
        cmocka_unit_test(links_smaller_last_groups),
        cmocka_unit_test(keeps_variables),
        cmocka_unit_test(uses_the_cache),
        cmocka_unit_test(builds_many_at_once),
        cmocka_unit_test(prints_nothing_by_wild_stores),
        cmocka_unit_test(prints_no_end_of_text),
        cmocka_unit_test(leaves_no_lock_behind),
    };
    set_environment();
    if (mkdtemp(cache)) {
        unsetenv("VENTUS_CACHE");
        setenv("VENTUS_CACHE_DIR", cache, 1);
    }
    const int failed = cmocka_run_group_tests(tests, open_compiler, close_host);
    empty_cache();
    return failed;
}
