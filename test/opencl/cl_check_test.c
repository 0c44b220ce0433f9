/* cl_check_test.c -- VENTUS_CHECK and VENTUS_CHECK_ALLOW: what a program with a race has on stderr,
 * and one that reads what it, or the host, has not written.
 */
#include "test/kit/skip.h"
#include "test/opencl/clhost.h"
#include <sys/wait.h>

enum { NO_DEVICES = 3, NO_COMPILER = 4 };

/* A device in a process that has these variables. */
static void open_with(const char *check, const char *allow)
{
    cl_platform_id platform;
    set_environment();
    if (check)
        setenv("VENTUS_CHECK", check, 1);
    if (allow)
        setenv("VENTUS_CHECK_ALLOW", allow, 1);
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &(cl_uint){0}))
        _exit(NO_DEVICES);
    open_host(NULL);
}

/* Work-items count in one word. */
static size_t counters = 4;
static void count(void)
{
    const size_t one = 1;
    cl_int s, n = 0;
    cl_kernel k = make_kernel(make_program(&host.image), "count");
    cl_mem out = clCreateBuffer(host.context, CL_MEM_COPY_HOST_PTR, sizeof n, &n, &s);
    ok(clSetKernelArg(k, 0, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &counters, &one, 0, NULL, NULL));
    ok(clFinish(host.queue));
}

/* Adds the words of b to themselves. */
static void add_to_itself(cl_mem b, const void *pointer)
{
    cl_kernel k = make_kernel(make_program(&host.image), "add");
    cl_mem out = make_buffer(256, NULL);
    clSetKernelArgMemPointerINTEL_fn set;
    void *address =
        clGetExtensionFunctionAddressForPlatform(host.platform, "clSetKernelArgMemPointerINTEL");
    memcpy(&set, &address, sizeof set);
    for (cl_uint i = 0; i < 2; i++)
        ok(b ? clSetKernelArg(k, i, sizeof b, &b) : set(k, i, pointer));
    ok(clSetKernelArg(k, 2, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL));
    ok(clFinish(host.queue));
}

static void read_what_nobody_wrote(void) { add_to_itself(make_buffer(256, NULL), NULL); }

static void read_what_was_mapped(void)
{
    cl_int s;
    cl_mem b = make_buffer(256, NULL);
    int *p = clEnqueueMapBuffer(host.queue, b, CL_TRUE, CL_MAP_WRITE, 0, 256, 0, NULL, NULL, &s);
    ok(s);
    for (int i = 0; i < 64; i++)
        p[i] = i;
    ok(clEnqueueUnmapMemObject(host.queue, b, p, 0, NULL, NULL));
    add_to_itself(b, NULL);
}

static void read_what_is_shared(void)
{
    clHostMemAllocINTEL_fn allocate;
    cl_int s;
    void *address = clGetExtensionFunctionAddressForPlatform(host.platform, "clHostMemAllocINTEL");
    memcpy(&allocate, &address, sizeof allocate);
    int *p = allocate(host.context, NULL, 256, 0, &s);
    ok(s);
    for (int i = 0; i < 64; i++)
        p[i] = i;
    add_to_itself(NULL, p);
}

static void copy_and_read(const void *from, const void *to)
{
    cl_mem a = make_buffer(256, from), b = make_buffer(256, to);
    ok(clEnqueueCopyBuffer(host.queue, a, b, 0, 0, 256, 0, NULL, NULL));
    add_to_itself(b, NULL);
}
static const int words[64];
static void read_a_copy_of_nothing(void) { copy_and_read(NULL, words); }
static void read_a_copy_of_words(void) { copy_and_read(words, NULL); }

/* Adds words of a to themselves, into c. */
static void add_buffers(cl_mem a, cl_mem c)
{
    cl_kernel k = make_kernel(make_program(&host.image), "add");
    ok(clSetKernelArg(k, 0, sizeof a, &a));
    ok(clSetKernelArg(k, 1, sizeof a, &a));
    ok(clSetKernelArg(k, 2, sizeof c, &c));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL));
    ok(clFinish(host.queue));
}

static cl_mem buffer_for(cl_mem_flags flags)
{
    cl_int s;
    cl_mem m = clCreateBuffer(host.context, flags, 256, NULL, &s);
    ok(s);
    return m;
}

static void store_to_what_is_read(void)
{
    add_buffers(buffer_for(0), buffer_for(CL_MEM_READ_ONLY));
}
static void load_from_what_is_written(void)
{
    add_buffers(buffer_for(CL_MEM_WRITE_ONLY), buffer_for(0));
}
/* two arguments that are the same words, which one of them may store to */
static void store_to_what_is_both(void)
{
    cl_int s;
    cl_mem all = buffer_for(CL_MEM_READ_WRITE);
    cl_mem part = clCreateSubBuffer(all, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION,
                                    &(cl_buffer_region){0, 256}, &s);
    ok(s);
    add_buffers(part, all);
}

/* A kernel of a source; ends the process where there is no compiler. */
static cl_kernel compile(const char *text, const char *name)
{
    cl_int s;
    if (!INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE))
        _exit(NO_COMPILER);
    cl_program p = clCreateProgramWithSource(host.context, 1, &text, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    return make_kernel(p, name);
}

/* The last work-item of a grid whose last groups are smaller stores where nothing is. */
static void fault_in_last_group(void)
{
    static const size_t global[3] = {11, 7, 5}, local[3] = {4, 3, 2};
    const char *text = "kernel void wild(global int *out, uint last) {\n"
                       "  if (get_global_linear_id() == last) out[-0x8fff0000 / 4] = 1; }";
    cl_kernel k = compile(text, "wild");
    cl_mem out = make_buffer(256, NULL);
    ok(clSetKernelArg(k, 0, sizeof out, &out));
    cl_uint items = 1;
    for (cl_uint n = 1; n <= 3; n++) {
        items *= (cl_uint)global[n - 1];
        ok(clSetKernelArg(k, 1, sizeof items, &(cl_uint){items - 1}));
        ok(clEnqueueNDRangeKernel(host.queue, k, n, NULL, global, local, 0, NULL, NULL));
        assert_int_equal(clFinish(host.queue), CL_OUT_OF_RESOURCES);
        fprintf(stderr, "%s\n", last_report);
    }
}

/* What a process that does `what` prints on stderr; *status: of the process. */
static void run(void what(void), const char *check, const char *allow, char *text, size_t size,
                int *status)
{
    int pipes[2];
    size_t len = 0;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (!child) {
        dup2(pipes[1], 2);
        close(pipes[0]);
        open_with(check, allow);
        what();
        _exit(0);
    }
    close(pipes[1]);
    for (ssize_t n; (n = read(pipes[0], text + len, size - 1 - len)) > 0;)
        len += (size_t)n;
    text[len] = 0;
    close(pipes[0]);
    assert_int_equal(waitpid(child, status, 0), child);
}

/* The same of a process that must end well; where it lacks a compiler, the test is skipped. */
static void run_well(void what(void), const char *check, const char *allow, char *text, size_t size)
{
    int status;
    run(what, check, allow, text, size, &status);
    if (WEXITSTATUS(status) == NO_COMPILER)
        skip_because("no compiler");
    assert_int_equal(status, 0);
}

static void reports_what_is_not_allowed(void **state)
{
    char name[] = "/tmp/cl_check_XXXXXX", text[8192];
    const int fd = mkstemp(name);
    int status;
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "race kernel count\n", 18), 18);

    run_well(count, NULL, name, text, sizeof text);
    assert_string_equal(text, "");
    run_well(count, "race", NULL, text, sizeof text);
    assert_non_null(strstr(text, "error: race: "));
    assert_non_null(strstr(text, "kernel      count"));
    run_well(count, "race", name, text, sizeof text);
    assert_string_equal(text, "");

    assert_int_equal(write(fd, "rce kernel count\n", 17), 17);
    run(count, "race", name, text, sizeof text, &status);
    assert_int_equal(WEXITSTATUS(status), NO_DEVICES);
    assert_non_null(strstr(text, ":2:1: error: 'rce' is no check"));
    close(fd);
    unlink(name);
}

/* Each of n work-items but the first stores where one before it has. */
static void says_how_often(void **state)
{
    char text[8192], want[64];
    (void)state;
    for (counters = 2; counters <= 4; counters++) {
        run_well(count, "race", NULL, text, sizeof text);
        char *at = strstr(text, "race: store of 4 bytes at byte 0 of argument 0, 'out'");
        assert_non_null(at);
        char *end = strstr(at, "\nventus: ");
        if (end)
            *end = 0;
        const char *seen = strstr(at, "\n  seen ");
        if (counters == 2) {
            assert_null(seen);
            continue;
        }
        snprintf(want, sizeof want, "\n  seen        %zu times", counters - 1);
        assert_non_null(seen);
        assert_memory_equal(seen, want, strlen(want));
    }
    counters = 4;
}

/* A race in a context that is then given back, with all that the checks have noted. */
static void count_and_give_back(void)
{
    const size_t four = 4, one = 1;
    cl_program p = make_program(&host.image);
    cl_kernel k = make_kernel(p, "count");
    cl_mem m = make_buffer(4, NULL);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &four, &one, 0, NULL, NULL));
    ok(clFinish(host.queue));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(m));
    close_host(NULL);
}

static void leaves_nothing_noted(void **state)
{
    char text[16384];
    (void)state;
    run_well(count_and_give_back, "all", NULL, text, sizeof text);
    assert_non_null(strstr(text, "error: race: "));
}

/* What the host wrote by a pointer of its own counts as written. */
static void knows_what_the_host_wrote(void **state)
{
    char text[8192];
    (void)state;
    run_well(read_what_nobody_wrote, "init", NULL, text, sizeof text);
    assert_non_null(strstr(text, "error: init: "));
    run_well(read_what_was_mapped, "init", NULL, text, sizeof text);
    assert_string_equal(text, "");
    run_well(read_what_is_shared, "init", NULL, text, sizeof text);
    assert_string_equal(text, "");
    run_well(read_a_copy_of_nothing, "init", NULL, text, sizeof text);
    assert_non_null(strstr(text, "error: init: "));
    run_well(read_a_copy_of_words, "init", NULL, text, sizeof text);
    assert_string_equal(text, "");
}

/* What kernels may do with a buffer, by its flags. */
static void keeps_the_promises_of_buffers(void **state)
{
    char text[8192];
    (void)state;
    run_well(store_to_what_is_read, "bounds", NULL, text, sizeof text);
    assert_non_null(strstr(
        text, "error: bounds: store of 4 bytes to a buffer that the host made for reading only"));
    run_well(load_from_what_is_written, "bounds", NULL, text, sizeof text);
    assert_non_null(strstr(
        text, "error: bounds: load of 4 bytes from a buffer that the host made for writing only"));
    run_well(store_to_what_is_both, "bounds", NULL, text, sizeof text);
    assert_string_equal(text, "");
}

/* All work-items of two groups write through reservations of a pipe that nobody wrote before. */
static void use_a_pipe(void)
{
    const char *text = "kernel void put(write_only pipe uint p) {\n"
                       "  uint x = get_global_id(0);\n"
                       "  reserve_id_t r = work_group_reserve_write_pipe(p, get_local_size(0));\n"
                       "  if (!is_valid_reserve_id(r)) return;\n"
                       "  write_pipe(p, r, get_local_id(0), &x);\n"
                       "  work_group_commit_write_pipe(p, r); }\n"
                       "kernel void get(read_only pipe uint p, global uint *out) {\n"
                       "  uint x;\n"
                       "  reserve_id_t r = work_group_reserve_read_pipe(p, get_local_size(0));\n"
                       "  if (!is_valid_reserve_id(r)) return;\n"
                       "  read_pipe(p, r, get_local_id(0), &x);\n"
                       "  out[get_global_id(0)] = x;\n"
                       "  work_group_commit_read_pipe(p, r); }";
    cl_int s;
    cl_kernel k = compile(text, "put");
    cl_mem p = clCreatePipe(host.context, 0, 4, 128, NULL, &s);
    ok(s);
    ok(clSetKernelArg(k, 0, sizeof p, &p));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &(size_t){128}, &(size_t){64}, 0, NULL,
                              NULL));
    k = compile(text, "get");
    cl_mem out = make_buffer(4 * 128, NULL);
    ok(clSetKernelArg(k, 0, sizeof p, &p));
    ok(clSetKernelArg(k, 1, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &(size_t){128}, &(size_t){64}, 0, NULL,
                              NULL));
    ok(clFinish(host.queue));
    fprintf(stderr, "done\n");
}

/* What the library does for pipes is no mistake of the program's. */
static void is_silent_about_pipes(void **state)
{
    char text[16384];
    (void)state;
    run_well(use_a_pipe, "all", NULL, text, sizeof text);
    assert_string_equal(text, "done\n");
}

/* Faults, with checks and without, name work-items and groups as the program numbers them. */
static void names_groups_of_the_grid(void **state)
{
    static const char *const names[] = {
        "work-item   (10, 0, 0), in its group (2, 0, 0)\n  group       (2, 0, 0)",
        "work-item   (10, 6, 0), in its group (2, 0, 0)\n  group       (2, 2, 0)",
        "work-item   (10, 6, 4), in its group (2, 0, 0)\n  group       (2, 2, 2)",
    };
    char text[16384];
    (void)state;
    for (int checked = 0; checked < 2; checked++) {
        const char *at = text;
        run_well(fault_in_last_group, checked ? "race" : NULL, NULL, text, sizeof text);
        for (size_t i = 0; i < countof(names); i++) {
            at = strstr(at, names[i]);
            if (!at)
                fail_msg("no %s in %s", names[i], text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_what_is_not_allowed), cmocka_unit_test(says_how_often), cmocka_unit_test(leaves_nothing_noted), cmocka_unit_test(knows_what_the_host_wrote),
        cmocka_unit_test(keeps_the_promises_of_buffers), cmocka_unit_test(names_groups_of_the_grid),
        cmocka_unit_test(is_silent_about_pipes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
