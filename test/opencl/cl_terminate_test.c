/* cl_terminate_test.c -- cl_khr_terminate_context: what runs and what waits ends at once, and nothing begins. */
#include "test/opencl/clhost.h"
#include <pthread.h>

static clTerminateContextKHR_fn terminate;

/* A context that can be terminated, with two queues and the program. */
typedef struct {
    cl_context context;
    cl_command_queue queue, unordered;
    cl_program program;
    cl_kernel forever, scale;
    cl_mem buffer;
    atomic_int notes;
} Job;

static void CL_CALLBACK take_note(const char *text, const void *info, size_t n, void *job)
{
    (void)info, (void)n;
    assert_string_equal(text, "the context was terminated");
    atomic_fetch_add(&((Job *)job)->notes, 1);
}

static cl_context make_context(cl_bool can_terminate, Job *j)
{
    const cl_context_properties list[] = {CL_CONTEXT_TERMINATE_KHR, (cl_context_properties)can_terminate, 0};
    cl_int s;
    cl_context c = clCreateContext(list, 1, &host.device, j ? take_note : NULL, j, &s);
    ok(s);
    return c;
}

static void open_job(Job *j)
{
    const u8 *bytes = host.image.data;
    const int factor = 1;
    cl_int s, status;
    *j = (Job){.context = NULL};
    j->context = make_context(CL_TRUE, j);
    j->queue = clCreateCommandQueue(j->context, host.device, CL_QUEUE_PROFILING_ENABLE, &s);
    ok(s);
    j->unordered = clCreateCommandQueue(j->context, host.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &s);
    ok(s);
    j->program = clCreateProgramWithBinary(j->context, 1, &host.device, &host.image.len, &bytes, &status, &s);
    ok(s);
    ok(clBuildProgram(j->program, 0, NULL, "", NULL, NULL));
    j->forever = make_kernel(j->program, "forever");
    j->scale = make_kernel(j->program, "scale");
    j->buffer = clCreateBuffer(j->context, 0, 1024, NULL, &s);
    ok(s);
    ok(clSetKernelArg(j->scale, 0, sizeof j->buffer, &j->buffer));
    ok(clSetKernelArg(j->scale, 1, sizeof factor, &factor));
}

static void close_job(Job *j)
{
    ok(clReleaseKernel(j->forever));
    ok(clReleaseKernel(j->scale));
    ok(clReleaseProgram(j->program));
    ok(clReleaseMemObject(j->buffer));
    ok(clReleaseCommandQueue(j->queue));
    ok(clReleaseCommandQueue(j->unordered));
    ok(clReleaseContext(j->context));
}

static cl_event launch(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *waits)
{
    cl_event e;
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &(size_t){64}, NULL, n, waits, &e));
    return e;
}

static cl_event make_gate(const Job *j)
{
    cl_int s;
    cl_event e = clCreateUserEvent(j->context, &s);
    ok(s);
    return e;
}

static void wait_until_running(cl_event e)
{
    for (int i = 0; i < 2000 && status_of(e) != CL_RUNNING; i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    assert_int_equal(status_of(e), CL_RUNNING);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* --------------------------------------------------------------------------------------------- */

static void is_reported(void **state)
{
    char names[4096];
    (void)state;
    ok(clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    assert_non_null(strstr(names, "cl_khr_terminate_context"));
    assert_int_equal(INFO(cl_bitfield, clGetDeviceInfo, host.device, CL_DEVICE_TERMINATE_CAPABILITY_KHR), 1);
}

static void refuses_what_it_should(void **state)
{
    const cl_context_properties bad[] = {CL_CONTEXT_TERMINATE_KHR, 2, 0};
    cl_int s;
    (void)state;
    assert_null(clCreateContext(bad, 1, &host.device, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_PROPERTY);
    assert_int_equal(terminate(NULL), CL_INVALID_CONTEXT);
    assert_int_equal(terminate((cl_context)host.queue), CL_INVALID_CONTEXT);
    assert_int_equal(terminate(host.context), CL_INVALID_OPERATION);
    cl_context c = make_context(CL_FALSE, NULL);
    assert_int_equal(terminate(c), CL_INVALID_OPERATION);
    ok(clReleaseContext(c));
    c = make_context(CL_TRUE, NULL);
    ok(terminate(c));
    assert_int_equal(terminate(c), CL_CONTEXT_TERMINATED_KHR);
    ok(clReleaseContext(c));
}

typedef struct {
    atomic_int calls, status;
} Heard;

static void CL_CALLBACK hear(cl_event e, cl_int status, void *heard)
{
    (void)e;
    atomic_store(&((Heard *)heard)->status, status);
    atomic_fetch_add(&((Heard *)heard)->calls, 1);
}

/* A kernel that would run for ever, one behind it, and commands that wait for an event that nobody sets, at one
 * remove too. */
static void ends_what_runs_and_what_waits(void **state)
{
    Job j;
    Heard heard = {0};
    cl_event e[7], gate;
    (void)state;
    open_job(&j);
    gate = make_gate(&j);
    e[0] = launch(j.queue, j.forever, 0, NULL);
    e[1] = launch(j.queue, j.scale, 0, NULL);
    e[2] = launch(j.unordered, j.scale, 1, &gate);
    ok(clEnqueueFillBuffer(j.unordered, j.buffer, &(int){7}, 4, 0, 1024, 1, &e[2], &e[3]));
    ok(clEnqueueMarkerWithWaitList(j.unordered, 2, (cl_event[]){gate, e[0]}, &e[4]));
    ok(clEnqueueBarrierWithWaitList(j.unordered, 0, NULL, &e[5]));
    ok(clEnqueueMarkerWithWaitList(j.unordered, 0, NULL, &e[6]));
    ok(clSetEventCallback(e[3], CL_COMPLETE, hear, &heard));
    wait_until_running(e[0]);
    ok(terminate(j.context));
    assert_int_equal(atomic_load(&j.notes), 1);
    for (size_t i = 0; i < countof(e); i++) {
        cl_ulong t;
        assert_int_equal(clWaitForEvents(1, &e[i]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert_int_equal(status_of(e[i]), CL_CONTEXT_TERMINATED_KHR);
        assert_int_equal(clGetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_END, sizeof t, &t, NULL),
                         CL_PROFILING_INFO_NOT_AVAILABLE);
    }
    assert_true(comes_true(&heard.calls, 1));
    assert_int_equal(atomic_load(&heard.status), CL_CONTEXT_TERMINATED_KHR);
    /* one that is registered afterwards is called too */
    ok(clSetEventCallback(e[1], CL_COMPLETE, hear, &heard));
    assert_true(comes_true(&heard.calls, 2));
    assert_int_equal(atomic_load(&heard.status), CL_CONTEXT_TERMINATED_KHR);
    /* the status of the user event can be set, and nobody waits for it any more */
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(status_of(gate), CL_COMPLETE);
    for (size_t i = 0; i < countof(e); i++)
        ok(clReleaseEvent(e[i]));
    ok(clReleaseEvent(gate));
    close_job(&j);
}

/* A command that is bound to fail, because one that it waits for has failed, need not wait for the others. */
static void ends_what_is_bound_to_fail(void **state)
{
    Job j;
    cl_event failed, gate, e;
    (void)state;
    open_job(&j);
    failed = make_gate(&j);
    gate = make_gate(&j);
    ok(clSetUserEventStatus(failed, -7));
    e = launch(j.unordered, j.scale, 2, (cl_event[]){failed, gate});
    assert_int_equal(status_of(e), CL_SUBMITTED);
    ok(terminate(j.context));
    assert_int_equal(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(e), CL_CONTEXT_TERMINATED_KHR);
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(failed));
    ok(clReleaseEvent(gate));
    close_job(&j);
}

/* Queues that come and go in any order: whatever waits in those that are left ends, and what waits in none ends too. */
static void ends_what_waits_in_any_queue(void **state)
{
    enum { QUEUES = 12, TURNS = 150 };
    u32 seed = 1;
    (void)state;
    for (int round = 0; round < 4; round++) {
        cl_command_queue queue[QUEUES] = {NULL};
        cl_event e[QUEUES];
        Job j;
        open_job(&j);
        cl_event gate = make_gate(&j);
        for (int turn = 0; turn < TURNS; turn++) {
            seed = seed * 1664525 + 1013904223;
            cl_command_queue *q = &queue[(seed >> 16) % QUEUES];
            cl_int s = CL_SUCCESS;
            if (*q)
                ok(clReleaseCommandQueue(*q));
            *q = *q ? NULL : clCreateCommandQueue(j.context, host.device, 0, &s);
            ok(s);
        }
        for (int i = 0; i < QUEUES; i++) {
            if (!queue[i])
                continue;
            ok(clEnqueueMarkerWithWaitList(queue[i], 1, &gate, &e[i]));
            if (i % 2) /* it goes on until its commands have ended */
                ok(clReleaseCommandQueue(queue[i]));
        }
        ok(terminate(j.context));
        for (int i = 0; i < QUEUES; i++) {
            if (!queue[i])
                continue;
            assert_int_equal(clWaitForEvents(1, &e[i]),
                             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            assert_int_equal(status_of(e[i]), CL_CONTEXT_TERMINATED_KHR);
            ok(clReleaseEvent(e[i]));
            if (i % 2 == 0)
                ok(clReleaseCommandQueue(queue[i]));
        }
        ok(clReleaseEvent(gate));
        close_job(&j);
    }
}

#define REFUSED(handle, call)                                                                      \
    do {                                                                                           \
        s = CL_SUCCESS;                                                                            \
        assert_null((handle)call);                                                                 \
        assert_int_equal(s, CL_CONTEXT_TERMINATED_KHR);                                            \
    } while (0)
#define IS_OVER(call) assert_int_equal(call, CL_CONTEXT_TERMINATED_KHR)

static void makes_nothing_new(void **state)
{
    const u8 *bytes = host.image.data;
    const char *text = "kernel void f(void) {}";
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_buffer_region part = {0, 128};
    const size_t origin[3] = {0}, region[3] = {4, 4, 4};
    char byte = 0;
    cl_kernel kernels[9];
    cl_uint n;
    cl_int s, status;
    Job j;
    (void)state;
    open_job(&j);
    ok(terminate(j.context));
    REFUSED(cl_mem, clCreateBuffer(j.context, 0, 16, NULL, &s));
    REFUSED(cl_mem, clCreateBufferWithProperties(j.context, NULL, 0, 16, NULL, &s));
    REFUSED(cl_mem, clCreateSubBuffer(j.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &s));
    REFUSED(cl_mem, clCreateImage(j.context, 0, &format, &desc, NULL, &s));
    REFUSED(cl_mem, clCreateImageWithProperties(j.context, NULL, 0, &format, &desc, NULL, &s));
    REFUSED(cl_mem, clCreatePipe(j.context, 0, 4, 4, NULL, &s));
    REFUSED(cl_sampler, clCreateSampler(j.context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &s));
    REFUSED(cl_sampler, clCreateSamplerWithProperties(j.context, NULL, &s));
    REFUSED(cl_command_queue, clCreateCommandQueue(j.context, host.device, 0, &s));
    REFUSED(cl_command_queue, clCreateCommandQueueWithProperties(j.context, host.device, NULL, &s));
    REFUSED(cl_event, clCreateUserEvent(j.context, &s));
    REFUSED(cl_program, clCreateProgramWithSource(j.context, 1, &text, NULL, &s));
    REFUSED(cl_program, clCreateProgramWithIL(j.context, text, 4, &s));
    REFUSED(cl_program, clCreateProgramWithBinary(j.context, 1, &host.device, &host.image.len, &bytes, &status, &s));
    REFUSED(cl_program, clCreateProgramWithBuiltInKernels(j.context, 1, &host.device, "f", &s));
    REFUSED(cl_program, clLinkProgram(j.context, 0, NULL, NULL, 1, &j.program, NULL, NULL, &s));
    REFUSED(cl_kernel, clCreateKernel(j.program, "scale", &s));
    REFUSED(cl_kernel, clCloneKernel(j.scale, &s));
    IS_OVER(clCreateKernelsInProgram(j.program, countof(kernels), kernels, &n));
    IS_OVER(clSetContextDestructorCallback(j.context, (void(CL_CALLBACK *)(cl_context, void *))(void (*)(void))abort,
                                           NULL));
    IS_OVER(clEnqueueNDRangeKernel(j.queue, j.scale, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL));
    IS_OVER(clEnqueueReadBuffer(j.queue, j.buffer, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    IS_OVER(clEnqueueWriteBuffer(j.queue, j.buffer, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    IS_OVER(clEnqueueFillBuffer(j.queue, j.buffer, &byte, 1, 0, 1, 0, NULL, NULL));
    IS_OVER(clEnqueueCopyBuffer(j.queue, j.buffer, j.buffer, 0, 64, 4, 0, NULL, NULL));
    IS_OVER(clEnqueueCopyBufferRect(j.queue, j.buffer, j.buffer, origin, (size_t[]){512, 0, 0}, region, 0, 0, 0, 0, 0,
                                    NULL, NULL));
    IS_OVER(clEnqueueMigrateMemObjects(j.queue, 1, &j.buffer, 0, 0, NULL, NULL));
    IS_OVER(clEnqueueMarkerWithWaitList(j.queue, 0, NULL, NULL));
    IS_OVER(clEnqueueBarrierWithWaitList(j.queue, 0, NULL, NULL));
    REFUSED(void *, clEnqueueMapBuffer(j.queue, j.buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &s));
    assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, j.buffer, CL_MEM_MAP_COUNT), 0);
    /* queries and counts go on */
    assert_int_equal(INFO(cl_uint, clGetContextInfo, j.context, CL_CONTEXT_NUM_DEVICES), 1);
    ok(clRetainContext(j.context));
    ok(clReleaseContext(j.context));
    ok(clRetainMemObject(j.buffer));
    ok(clReleaseMemObject(j.buffer));
    ok(clFinish(j.queue));
    close_job(&j);
}

static void leaves_others_alone(void **state)
{
    Job j, other;
    int out[64];
    (void)state;
    open_job(&j);
    open_job(&other);
    cl_event e = launch(j.queue, j.forever, 0, NULL);
    wait_until_running(e);
    cl_event mine = launch(other.queue, other.scale, 0, NULL);
    ok(terminate(j.context));
    ok(clWaitForEvents(1, &mine));
    ok(clEnqueueReadBuffer(other.queue, other.buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], i);
    assert_int_equal(atomic_load(&other.notes), 0);
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(mine));
    close_job(&j);
    close_job(&other);
}

static void *enqueue_until_over(void *job)
{
    Job *j = job;
    cl_int s = CL_SUCCESS;
    while (!s)
        s = clEnqueueNDRangeKernel(j->unordered, j->forever, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL);
    return s == CL_CONTEXT_TERMINATED_KHR ? job : NULL;
}

/* Kernels that begin just when the context is terminated end too. */
static void ends_what_begins_meanwhile(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        Job j;
        pthread_t id;
        void *is_right;
        open_job(&j);
        assert_int_equal(pthread_create(&id, NULL, enqueue_until_over, &j), 0);
        nanosleep(&(struct timespec){.tv_nsec = 100000 * (i % 5)}, NULL);
        ok(terminate(j.context));
        pthread_join(id, &is_right);
        assert_non_null(is_right);
        clFinish(j.unordered); /* returns */
        close_job(&j);
    }
}

static int open_with_function(void **state)
{
    open_host(state);
    void *address = clGetExtensionFunctionAddressForPlatform(host.platform, "clTerminateContextKHR");
    memcpy(&terminate, &address, sizeof terminate);
    return address ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_reported),
        cmocka_unit_test(refuses_what_it_should),
        cmocka_unit_test(ends_what_runs_and_what_waits),
        cmocka_unit_test(ends_what_is_bound_to_fail),
        cmocka_unit_test(ends_what_waits_in_any_queue),
        cmocka_unit_test(makes_nothing_new),
        cmocka_unit_test(leaves_others_alone),
        cmocka_unit_test(ends_what_begins_meanwhile),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_with_function, close_host);
}
