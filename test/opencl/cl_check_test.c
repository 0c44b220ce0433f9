/* cl_check_test.c -- VENTUS_CHECK and VENTUS_CHECK_ALLOW: what a program with a race has on stderr. */
#include "test/opencl/clhost.h"
#include <sys/wait.h>

enum { NO_DEVICES = 3 };

/* Four work-items count in one word, each in a process that has these variables. */
static void count_with(const char *check, const char *allow)
{
    const size_t four = 4, one = 1;
    cl_int s, n = 0;
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
    cl_kernel k = make_kernel(make_program(&host.image), "count");
    cl_mem out = clCreateBuffer(host.context, CL_MEM_COPY_HOST_PTR, sizeof n, &n, &s);
    ok(clSetKernelArg(k, 0, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &four, &one, 0, NULL, NULL));
    ok(clFinish(host.queue));
}

/* What it prints on stderr; *status: of its process. */
static void run(const char *check, const char *allow, char *text, size_t size, int *status)
{
    int pipes[2];
    size_t len = 0;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (!child) {
        dup2(pipes[1], 2);
        close(pipes[0]);
        count_with(check, allow);
        _exit(0);
    }
    close(pipes[1]);
    for (ssize_t n; (n = read(pipes[0], text + len, size - 1 - len)) > 0;)
        len += (size_t)n;
    text[len] = 0;
    close(pipes[0]);
    assert_int_equal(waitpid(child, status, 0), child);
}

static void reports_what_is_not_allowed(void **state)
{
    char name[] = "/tmp/cl_check_XXXXXX", text[8192];
    const int fd = mkstemp(name);
    int status;
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "race kernel count\n", 18), 18);

    run(NULL, name, text, sizeof text, &status);
    assert_int_equal(status, 0);
    assert_string_equal(text, "");
    run("race", NULL, text, sizeof text, &status);
    assert_int_equal(status, 0);
    assert_non_null(strstr(text, "error: race: "));
    assert_non_null(strstr(text, "kernel      count"));
    run("race", name, text, sizeof text, &status);
    assert_int_equal(status, 0);
    assert_string_equal(text, "");

    assert_int_equal(write(fd, "rce kernel count\n", 17), 17);
    run("race", name, text, sizeof text, &status);
    assert_int_equal(WEXITSTATUS(status), NO_DEVICES);
    assert_non_null(strstr(text, ":2:1: error: 'rce' is no check"));
    close(fd);
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reports_what_is_not_allowed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
