/* cl_stress_test.c -- many threads, each with contexts, queues, programs and buffers of its own and
 * some in common; kernels that fault among those that do not.  At its end the device is as it was. */
#include "check/clhost.h"
#include <pthread.h>

enum { THREADS = 8, ROUNDS = 6, N = 128 };

static cl_program shared;

static void CL_CALLBACK count_report(const char *text, const void *info, size_t n, void *data)
{
    (void)text, (void)info, (void)n, (void)data;
    atomic_fetch_add(&reports, 1);
}

typedef struct {
    cl_context context;
    cl_command_queue queue[2];
    cl_program program;
} Own;

static Own make_own(void)
{
    const u8 *bytes = host.image.data;
    cl_int s;
    Own o = {.context = clCreateContext(NULL, 1, &host.device, count_report, NULL, &s)};
    ok(s);
    for (int i = 0; i < 2; i++)
        o.queue[i] = clCreateCommandQueue(o.context, host.device,
                                          i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &s);
    o.program = clCreateProgramWithBinary(o.context, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(clBuildProgram(o.program, 0, NULL, NULL, NULL, NULL));
    return o;
}

static void free_own(const Own *o)
{
    ok(clReleaseContext(o->context));
    for (int i = 0; i < 2; i++)
        ok(clReleaseCommandQueue(o->queue[i]));
    ok(clReleaseProgram(o->program));
}

/* c[i] = i * f + i * g, by three launches in an unordered queue; a fault on the other queue. */
static void compute(cl_context c, cl_command_queue q, cl_command_queue other, cl_program p, int f, int g)
{
    const size_t global = N;
    cl_kernel scale = make_kernel(p, "scale"), add = make_kernel(p, "add"), wild = make_kernel(p, "wild");
    cl_mem m[3];
    cl_event e[2], last;
    int got[N];
    cl_int s;
    for (int i = 0; i < 3; i++) {
        m[i] = clCreateBuffer(c, 0, sizeof got, NULL, &s);
        ok(s);
    }
    for (int i = 0; i < 2; i++) {
        ok(clSetKernelArg(scale, 0, sizeof m[i], &m[i]));
        ok(clSetKernelArg(scale, 1, 4, i ? &g : &f));
        ok(clEnqueueNDRangeKernel(q, scale, 1, NULL, &global, NULL, 0, NULL, &e[i]));
    }
    if (other)
        ok(clEnqueueNDRangeKernel(other, wild, 1, NULL, &global, NULL, 0, NULL, NULL));
    for (cl_uint i = 0; i < 3; i++)
        ok(clSetKernelArg(add, i, sizeof m[i], &m[i]));
    ok(clEnqueueNDRangeKernel(q, add, 1, NULL, &global, NULL, 2, e, &last));
    ok(clEnqueueReadBuffer(q, m[2], CL_TRUE, 0, sizeof got, got, 1, &last, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], i * f + i * g);
    for (int i = 0; i < 3; i++)
        ok(clReleaseMemObject(m[i]));
    ok(clReleaseEvent(e[0]));
    ok(clReleaseEvent(e[1]));
    ok(clReleaseEvent(last));
    ok(clReleaseKernel(scale));
    ok(clReleaseKernel(add));
    ok(clReleaseKernel(wild));
}

static void *work(void *arg)
{
    const int id = (int)(intptr_t)arg;
    cl_command_queue q = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int i = 0; i < ROUNDS; i++) {
        const Own o = make_own();
        compute(host.context, q, NULL, shared, id, i);
        compute(o.context, o.queue[1], o.queue[0], o.program, i, id);
        free_own(&o);
    }
    ok(clReleaseCommandQueue(q));
    return NULL;
}

static void holds_out(void **state)
{
    pthread_t t[THREADS];
    (void)state;
    shared = make_program(&host.image);
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    ok(clReleaseProgram(shared));
    assert_true(comes_true(&reports, THREADS * ROUNDS));
}

/* Nothing of it is left on the device. */
static void gives_all_back(void **state)
{
    const size_t most = INFO(cl_ulong, clGetDeviceInfo, host.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    cl_int s;
    (void)state;
    cl_mem a = clCreateBuffer(host.context, 0, most, NULL, &s);
    ok(s);
    cl_mem b = clCreateBuffer(host.context, 0, most, NULL, &s);
    ok(s);
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_out),
        cmocka_unit_test(gives_all_back),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_host, close_host);
}
