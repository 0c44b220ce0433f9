/* cl_bad_test.c -- programs that do not behave: kernels that go astray, and processes that end
 * in the middle of things.
 *
 * Each is a process of its own, this program with the name of the deed as its argument.  It must
 * end by itself, in time, and with 0.
 */
#include "test/opencl/clhost.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum { N = 128, PATIENCE = 60 /* seconds */ };

/* What a deed leaves behind stays in reach, so that a leak checker has nothing to say. */
static struct {
    cl_program program;
    cl_kernel scale, wild, forever;
    cl_mem mem;
    cl_event event;
} left;

static void begin(void)
{
    open_host(NULL);
    left.program = make_program(&host.image);
    left.scale = make_kernel(left.program, "scale");
    left.wild = make_kernel(left.program, "wild");
    left.forever = make_kernel(left.program, "forever");
    left.mem = make_buffer(N * sizeof(int), NULL);
    ok(clSetKernelArg(left.scale, 0, sizeof left.mem, &left.mem));
    ok(clSetKernelArg(left.scale, 1, sizeof(int), &(int){5}));
}

static cl_int launch(cl_command_queue q, cl_kernel k, size_t global)
{
    return clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL);
}

/* The device computes. */
static void is_well(cl_command_queue q)
{
    int got[N] = {0};
    ok(launch(q, left.scale, N));
    ok(clEnqueueReadBuffer(q, left.mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], 5 * i);
}

/* --- kernels that go astray ------------------------------------------------------------- */

static void wild_pointer(void)
{
    begin();
    for (int i = 0; i < 3; i++) {
        ok(launch(host.queue, left.wild, N));
        assert_int_equal(clFinish(host.queue), CL_OUT_OF_RESOURCES);
        assert_non_null(strstr(last_report, "wild"));
        is_well(host.queue);
    }
    assert_int_equal(reports, 3);
}

/* Beyond the page in which the buffer ends. */
static void out_of_bounds(void)
{
    const int mark[N] = {1, 2, 3};
    int got[N];
    begin();
    cl_mem other = make_buffer(sizeof mark, mark);
    ok(launch(host.queue, left.scale, 1 << 20));
    assert_int_equal(clFinish(host.queue), CL_OUT_OF_RESOURCES);
    is_well(host.queue);
    ok(clReleaseMemObject(other));
    other = make_buffer(sizeof mark, mark);
    ok(clEnqueueReadBuffer(host.queue, other, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_memory_equal(got, mark, sizeof mark);
    ok(clReleaseMemObject(other));
}

static void endless_loop(void)
{
    setenv("VENTUS_TIMEOUT", "0.2", 1);
    begin();
    ok(launch(host.queue, left.forever, N));
    assert_int_equal(clFinish(host.queue), CL_OUT_OF_RESOURCES);
    is_well(host.queue);
}

static void endless_loop_released(void)
{
    setenv("VENTUS_TIMEOUT", "0.2", 1);
    begin();
    ok(launch(host.queue, left.forever, N));
    ok(launch(host.queue, left.scale, N));
    ok(clReleaseContext(host.context));
    ok(clReleaseKernel(left.forever));
    ok(clReleaseKernel(left.scale));
    ok(clReleaseKernel(left.wild));
    ok(clReleaseProgram(left.program));
    ok(clReleaseMemObject(left.mem));
    ok(clReleaseCommandQueue(host.queue));
    assert_true(comes_true(&reports, 1));
}

/* --- callbacks that do not behave --------------------------------------------------------- */

static atomic_int called;

static void CL_CALLBACK release_all(cl_event e, cl_int status, void *data)
{
    (void)status, (void)data;
    ok(clReleaseEvent(e));
    ok(clReleaseCommandQueue(host.queue));
    ok(clReleaseContext(host.context));
    atomic_fetch_add(&called, 1);
}

/* The queue's thread gives up the last of everything. */
static void release_in_callback(void)
{
    cl_int s;
    begin();
    cl_event gate = clCreateUserEvent(host.context, &s);
    ok(s);
    ok(clEnqueueMarkerWithWaitList(host.queue, 1, &gate, &left.event));
    ok(clReleaseKernel(left.forever));
    ok(clReleaseKernel(left.scale));
    ok(clReleaseKernel(left.wild));
    ok(clReleaseProgram(left.program));
    ok(clReleaseMemObject(left.mem));
    ok(clSetEventCallback(left.event, CL_COMPLETE, release_all, NULL));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clReleaseEvent(gate));
    assert_true(comes_true(&called, 1));
}

static void CL_CALLBACK leave(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
    exit(0);
}

/* The process ends on the queue's thread, while another waits. */
static void exit_in_callback(void)
{
    begin();
    const size_t global = N;
    ok(clEnqueueNDRangeKernel(host.queue, left.scale, 1, NULL, &global, NULL, 0, NULL,
                              &left.event));
    ok(clSetEventCallback(left.event, CL_COMPLETE, leave, NULL));
    for (;;)
        clFinish(host.queue);
}

/* --- processes that just end ---------------------------------------------------------------- */

static void exit_with_everything(void)
{
    begin();
    is_well(host.queue);
}

static void exit_while_running(void)
{
    begin();
    for (int i = 0; i < 500; i++)
        ok(launch(host.queue, left.scale, N));
    ok(launch(host.queue, left.forever, N));
    ok(clFlush(host.queue));
}

static void CL_CALLBACK ignore(cl_program p, void *data) { (void)p, (void)data; }

/* The compiler is at work. */
static void exit_while_building(void)
{
    static const char *const source =
        "kernel void f(global float *p) { p[0] = sin(p[1]) + exp(p[2]); }";
    cl_int s;
    begin();
    for (int i = 0; i < 4; i++) {
        cl_program p =
            clCreateProgramWithSource(host.context, 1, (const char *[]){source}, NULL, &s);
        ok(s);
        s = clBuildProgram(p, 0, NULL, "", ignore, NULL);
        assert_true(s == CL_SUCCESS || s == CL_COMPILER_NOT_AVAILABLE);
        ok(clReleaseProgram(p));
    }
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
}

static void at_exit(void)
{
    clFinish(host.queue);
    clReleaseMemObject(left.mem);
    clReleaseKernel(left.scale);
    clReleaseCommandQueue(host.queue);
    clReleaseContext(host.context);
}

/* After everything that was registered later. */
static void release_at_exit(void)
{
    atexit(at_exit);
    begin();
    ok(launch(host.queue, left.scale, N));
}

/* --- fork and dlclose -------------------------------------------------------------------- */

static void waits_for(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* All of its own, and given back. */
static void compute_anew(void)
{
    const u8 *bytes = host.image.data;
    int got[N];
    cl_int s;
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    ok(s);
    cl_command_queue q = clCreateCommandQueue(c, host.device, 0, &s);
    ok(s);
    cl_mem m = clCreateBuffer(c, 0, sizeof got, NULL, &s);
    ok(s);
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = make_kernel(p, "scale");
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, sizeof(int), &(int){3}));
    ok(launch(q, k, N));
    ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], 3 * i);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(m));
    ok(clReleaseCommandQueue(q));
    ok(clReleaseContext(c));
}

/* A child that only ends, and one that computes. */
static void fork_after_use(void)
{
    begin();
    is_well(host.queue);
    pid_t child = fork();
    if (!child)
        exit(0);
    waits_for(child);
    child = fork();
    if (!child) {
        alarm(PATIENCE);
        compute_anew();
        exit(0);
    }
    waits_for(child);
    is_well(host.queue);
}

typedef cl_int GetPlatforms(cl_uint, cl_platform_id *, cl_uint *);
typedef void *GetAddress(const char *);

/* Without the loader; the library is closed while it runs. */
static void close_library(void)
{
    char path[4096 + 32];
    FILE *icd = fopen(getenv("OCL_ICD_VENDORS"), "r");
    assert_non_null(icd);
    assert_non_null(fgets(path, sizeof path, icd));
    fclose(icd);
    path[strcspn(path, "\n")] = 0;
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;
        GetAddress *get_address;
        GetPlatforms *get_platforms;
        assert_non_null(library);
        symbol = dlsym(library, "clGetExtensionFunctionAddress");
        memcpy(&get_address, &symbol, sizeof symbol);
        symbol = get_address("clIcdGetPlatformIDsKHR");
        memcpy(&get_platforms, &symbol, sizeof symbol);
        ok(get_platforms(1, &host.platform, NULL));
        if (!i) {
            begin(); /* by the loader, which has the same library */
            ok(launch(host.queue, left.scale, N));
        }
        assert_int_equal(dlclose(library), 0);
    }
    is_well(host.queue);
}

/* --- running them ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*deed)(void);
} deeds[] = {
#define DEED(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    DEED(wild_pointer),          DEED(out_of_bounds),       DEED(endless_loop),
    DEED(endless_loop_released), DEED(release_in_callback), DEED(exit_in_callback),
    DEED(exit_with_everything),  DEED(exit_while_running),  DEED(exit_while_building),
    DEED(release_at_exit),       DEED(fork_after_use),      DEED(close_library),
};

static void run_deed(void **state)
{
    const char *name = *state;
    int status = -1;
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        alarm(PATIENCE);
        execl("/proc/self/exe", "cl_bad_test", name, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        fail_msg("%s: signal %d", name, WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* In the process of its own: a failed check ends it with another status. */
static int do_deed(const char *name)
{
    for (size_t i = 0; i < countof(deeds); i++)
        if (!strcmp(deeds[i].name, name)) {
            deeds[i].deed();
            return 0;
        }
    return 1;
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[countof(deeds)];
    set_environment();
    if (argc > 1)
        return do_deed(argv[1]);
    for (size_t i = 0; i < countof(deeds); i++)
        tests[i] = (struct CMUnitTest){.name = deeds[i].name,
                                       .test_func = run_deed,
                                       .initial_state = (void *)(uintptr_t)deeds[i].name};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
