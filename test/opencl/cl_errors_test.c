/* cl_errors_test.c -- VENTUS_VERBOSE explains errors of calls: which call, which error, and why. */
#include "clhost.h"

static FILE *said;     /* what was stderr */

/* The text that has come since the last time. */
static const char *heard(void)
{
    static char text[4096];
    const size_t n = fread(text, 1, sizeof text - 1, said);
    text[n] = 0;
    clearerr(said);
    return text;
}

static void expect(const char *call, const char *name, const char *part)
{
    char start[256];
    const char *text = heard();
    snprintf(start, sizeof start, "ventus: %s: %s: ", call, name);
    if (strncmp(text, start, strlen(start)) != 0 || !strstr(text, part) ||
        strchr(text, '\n') != strrchr(text, '\n'))
        fail_msg("wanted: %s...%s\ngot: %s", start, part, text);
}

static void calls(void **state)
{
    cl_int s;
    (void)state;
    assert_null(clCreateBuffer(host.context, CL_MEM_READ_WRITE, 0, NULL, &s));
    expect("clCreateBuffer", "CL_INVALID_BUFFER_SIZE", "the size is 0");
    assert_null(clCreateBuffer(host.context, CL_MEM_COPY_HOST_PTR, 4, NULL, NULL));
    expect("clCreateBuffer", "CL_INVALID_HOST_PTR", "host_ptr");
    cl_mem m = clCreateBuffer(host.context, CL_MEM_READ_WRITE, 4, NULL, &s);
    cl_command_queue q = make_queue(0);
    int word = 0;
    assert_int_equal(CL_INVALID_VALUE,
                     clEnqueueReadBuffer(q, m, CL_TRUE, 2, 4, &word, 0, NULL, NULL));
    expect("clEnqueueReadBuffer", "CL_INVALID_VALUE", "goes beyond the buffer");
    assert_int_equal(CL_INVALID_MEM_OBJECT,
                     clEnqueueWriteBuffer(q, NULL, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
    expect("clEnqueueWriteBuffer", "CL_INVALID_MEM_OBJECT", "none");
    assert_int_equal(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(q, m, m, 0, 1, 3, 0, NULL, NULL));
    expect("clEnqueueCopyBuffer", "CL_MEM_COPY_OVERLAP", "overlap");
    ok(clReleaseCommandQueue(q));
    ok(clReleaseMemObject(m));
    assert_string_equal("", heard());
}

/* An answer that does not fit, and a question that nobody knows, of both ways to answer. */
static void answers(void **state)
{
    char little[1];
    (void)state;
    assert_int_equal(CL_INVALID_VALUE,
                     clGetDeviceInfo(host.device, CL_DEVICE_NAME, sizeof little, little, NULL));
    expect("clGetDeviceInfo", "CL_INVALID_VALUE", "too small");
    assert_int_equal(CL_INVALID_VALUE, clGetDeviceInfo(host.device, 1, 0, NULL, NULL));
    expect("clGetDeviceInfo", "CL_INVALID_VALUE", "no information of that name");
    assert_int_equal(CL_INVALID_VALUE,
                     clGetContextInfo(host.context, CL_CONTEXT_DEVICES, 1, little, NULL));
    expect("clGetContextInfo", "CL_INVALID_VALUE", "too small");
    assert_int_equal(CL_INVALID_VALUE, clGetContextInfo(host.context, 1, 0, NULL, NULL));
    expect("clGetContextInfo", "CL_INVALID_VALUE", "not a value");
}

/* Command buffers, whose functions are found by name: those that refuse by themselves, and one that
 * records what another function refuses. */
static void command_buffers(void **state)
{
    typedef struct CommandBuffer CommandBuffer;
    CommandBuffer *(*create)(cl_uint, const cl_command_queue *, const cl_properties *, cl_int *);
    cl_int (*finalize)(CommandBuffer *), (*release)(CommandBuffer *);
    cl_int (*enqueue)(cl_uint, cl_command_queue *, CommandBuffer *, cl_uint, const cl_event *, cl_event *);
    cl_int (*info)(CommandBuffer *, cl_uint, size_t, void *, size_t *);
    cl_int (*copy)(CommandBuffer *, cl_command_queue, const cl_properties *, cl_mem, cl_mem, size_t, size_t,
                   size_t, cl_uint, const cl_uint *, cl_uint *, void **);
    const struct { const char *name; void *to; } functions[] = {
        {"clCreateCommandBufferKHR", &create}, {"clFinalizeCommandBufferKHR", &finalize},
        {"clReleaseCommandBufferKHR", &release}, {"clEnqueueCommandBufferKHR", &enqueue},
        {"clGetCommandBufferInfoKHR", &info}, {"clCommandCopyBufferKHR", &copy}};
    const cl_uint point = 7;
    cl_int s;
    (void)state;
    for (size_t i = 0; i < countof(functions); i++) {
        void *address = clGetExtensionFunctionAddressForPlatform(host.platform, functions[i].name);
        assert_non_null(address);
        memcpy(functions[i].to, &address, sizeof address);
    }
    cl_mem m = clCreateBuffer(host.context, CL_MEM_READ_WRITE, 8, NULL, &s);
    ok(s);
    assert_null(create(0, NULL, NULL, &s));
    expect("clCreateCommandBufferKHR", "CL_INVALID_VALUE", "one queue");
    CommandBuffer *b = create(1, &host.queue, NULL, &s);
    ok(s);
    assert_int_equal(CL_INVALID_OPERATION, enqueue(0, NULL, b, 0, NULL, NULL));
    expect("clEnqueueCommandBufferKHR", "CL_INVALID_OPERATION", "not finalized");
    assert_int_equal(CL_INVALID_COMMAND_QUEUE,
                     copy(b, host.queue, NULL, m, m, 0, 4, 4, 0, NULL, NULL, NULL));
    expect("clCommandCopyBufferKHR", "CL_INVALID_COMMAND_QUEUE", "must be NULL");
    assert_int_equal(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
                     copy(b, NULL, NULL, m, m, 0, 4, 4, 1, &point, NULL, NULL));
    expect("clCommandCopyBufferKHR", "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR", "sync points");
    assert_int_equal(CL_MEM_COPY_OVERLAP, copy(b, NULL, NULL, m, m, 0, 1, 4, 0, NULL, NULL, NULL));
    expect("clEnqueueCopyBuffer", "CL_MEM_COPY_OVERLAP", "overlap");
    ok(finalize(b));
    assert_int_equal(CL_INVALID_OPERATION, finalize(b));
    expect("clFinalizeCommandBufferKHR", "CL_INVALID_OPERATION", "already");
    assert_int_equal(CL_INVALID_OPERATION, copy(b, NULL, NULL, m, m, 0, 4, 4, 0, NULL, NULL, NULL));
    expect("clCommandCopyBufferKHR", "CL_INVALID_OPERATION", "finalized");
    assert_int_equal(CL_INVALID_VALUE, info(b, 1, 0, NULL, NULL));
    expect("clGetCommandBufferInfoKHR", "CL_INVALID_VALUE", "no information");
    ok(release(b));
    assert_int_equal(CL_INVALID_COMMAND_BUFFER_KHR, release(NULL));
    expect("clReleaseCommandBufferKHR", "CL_INVALID_COMMAND_BUFFER_KHR", "none");
    ok(clReleaseMemObject(m));
    assert_string_equal("", heard());
}

/* A build that fails shows its log, whose lines do not end in an empty one, and an option that is refused why. */
static void builds(void **state)
{
    cl_int s;
    const char *text = "int f(int);\nkernel void k(global int *p) { p[0] = f(1); }\n";
    (void)state;
    cl_program p = clCreateProgramWithSource(host.context, 1, &text, NULL, &s);
    ok(s);
    assert_int_equal(CL_INVALID_BUILD_OPTIONS, clBuildProgram(p, 1, &host.device, "-fast", NULL, NULL));
    assert_string_equal("ventus: build options: '-fast' is not an option of clBuildProgram and clCompileProgram\n"
                        "ventus: clBuildProgram: CL_INVALID_BUILD_OPTIONS: an option is unknown or has a wrong value; "
                        "the build log names it (CL_PROGRAM_BUILD_LOG)\n",
                        heard());
    if (INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE)) {
        assert_int_equal(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 1, &host.device, "", NULL, NULL));
        assert_string_equal("ventus: program.cl:2:39: error: 'f' is not defined\n"
                            "    kernel void k(global int *p) { p[0] = f(1); }\n"
                            "                                          ^\n"
                            "ventus: clBuildProgram: CL_BUILD_PROGRAM_FAILURE: the program does not compile; the "
                            "build log says where (CL_PROGRAM_BUILD_LOG)\n",
                            heard());
    }
    ok(clReleaseProgram(p));
}

/* What is no error is not explained. */
static void successes(void **state)
{
    cl_uint n;
    (void)state;
    ok(clGetPlatformIDs(0, NULL, &n));
    ok(clRetainContext(host.context));
    ok(clReleaseContext(host.context));
    assert_string_equal("", heard());
}

/* each error of the header has a row, under its name */
static void header(void **state)
{
    static const struct {
        cl_int code;
        const char *name, *what;
    } row[] = {
#define ERROR(code, what) {code, #code, what},
#include "cl/error.def"
    };
    char line[512], name[256];
    int code, found = 0;
    FILE *f = fopen("/usr/include/CL/cl.h", "r");
    (void)state;
    if (!f)
        skip();
    while (fgets(line, sizeof line, f)) {
        size_t k = 0;
        if (sscanf(line, "#define %255s %d", name, &code) != 2 || code >= 0 ||
            !strncmp(name, "CL_BUILD_NONE", 13) || !strcmp(name, "CL_BUILD_ERROR") ||
            !strcmp(name, "CL_BUILD_IN_PROGRESS") || strncmp(name, "CL_", 3) != 0)
            continue;
        while (k < countof(row) && strcmp(row[k].name, name) != 0)
            k++;
        if (k == countof(row))
            fail_msg("error.def has no %s", name);
        assert_int_equal(code, row[k].code);
        found++;
    }
    fclose(f);
    assert_true(found > 50);
}

int main(void)
{
    char path[] = "/tmp/cl_errors.XXXXXX";
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls), cmocka_unit_test(answers), cmocka_unit_test(command_buffers),
                                       cmocka_unit_test(builds),
                                       cmocka_unit_test(successes), cmocka_unit_test(header)};
    set_environment();
    setenv("VENTUS_VERBOSE", "1", 1);
    const int to = mkstemp(path);
    if (to < 0 || !(said = fopen(path, "r")) || dup2(to, STDERR_FILENO) < 0)
        return 1;
    remove(path);
    return cmocka_run_group_tests(tests, open_host, close_host);
}
