/* cl_threads_test.c -- objects that several threads use at once. */
#include "test/opencl/clhost.h"
#include <pthread.h>

enum { THREADS = 4 };

static void on_threads(void *(*run)(void *), void *arg)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, run, arg), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

/* --- maps ----------------------------------------------------------------------------------- */

enum { WORDS = 1024 };

static cl_mem make_host_buffer(int *memory)
{
    cl_int s;
    cl_mem m = clCreateBuffer(host.context, CL_MEM_USE_HOST_PTR, WORDS * sizeof *memory, memory, &s);
    ok(s);
    return m;
}

static int *map(cl_command_queue q, cl_mem m, cl_bool blocking, cl_event after, cl_event *done)
{
    cl_int s;
    int *p = clEnqueueMapBuffer(q, m, blocking, CL_MAP_READ, 0, WORDS * sizeof *p, after ? 1 : 0,
                                after ? &after : NULL, done, &s);
    ok(s);
    return p;
}

/* The pointer is that of the host's memory, so that it can be unmapped before the map has run. */
static void maps_after_its_unmap(void **state)
{
    static int memory[WORDS];
    const int v = 7;
    cl_int s;
    cl_mem m = make_host_buffer(memory);
    cl_command_queue other = make_queue(0);
    cl_event gate = clCreateUserEvent(host.context, &s), mapped;
    (void)state;
    ok(clEnqueueFillBuffer(host.queue, m, &v, sizeof v, 0, sizeof memory, 0, NULL, NULL));
    ok(clFinish(host.queue));
    int *p = map(host.queue, m, CL_FALSE, gate, &mapped);
    ok(clEnqueueUnmapMemObject(other, m, p, 0, NULL, NULL));
    ok(clFinish(other));
    assert_int_equal(clEnqueueUnmapMemObject(other, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &mapped));
    for (size_t i = 0; i < WORDS; i++)
        assert_int_equal(memory[i], v);
    assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, m, CL_MEM_MAP_COUNT), 0);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(mapped));
    ok(clReleaseCommandQueue(other));
    ok(clReleaseMemObject(m));
}

static void *map_often(void *arg)
{
    cl_mem m = arg;
    cl_command_queue q = make_queue(0);
    for (int i = 0; i < 2000; i++) {
        int *p = map(q, m, CL_TRUE, NULL, NULL);
        ok(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));
    }
    ok(clFinish(q));
    ok(clReleaseCommandQueue(q));
    return NULL;
}

static void maps_on_threads(void **state)
{
    static int memory[WORDS];
    cl_mem m = make_host_buffer(memory), direct = make_buffer(sizeof memory, NULL);
    (void)state;
    on_threads(map_often, m);
    on_threads(map_often, direct);
    assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, m, CL_MEM_MAP_COUNT), 0);
    assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, direct, CL_MEM_MAP_COUNT), 0);
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(direct));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_after_its_unmap),
        cmocka_unit_test(maps_on_threads),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_host, close_host);
}
