/* cl_stress_test.c -- many threads, each with contexts, queues, programs and buffers of its own and
 * some in common; kernels that fault among those that do not.  At its end the device is as it was.
 */
#include "test/opencl/clhost.h"
#include "test/kit/skip.h"
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
    o.program =
        clCreateProgramWithBinary(o.context, 1, &host.device, &host.image.len, &bytes, NULL, &s);
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
static void compute(cl_context c, cl_command_queue q, cl_command_queue other, cl_program p, int f,
                    int g)
{
    const size_t global = N;
    cl_kernel scale = make_kernel(p, "scale"), add = make_kernel(p, "add"),
              wild = make_kernel(p, "wild");
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

/* --- anything in any order --------------------------------------------------------------- */

enum { QUEUES = 3, MEMS = 5, EVENTS = 24, USERS = 6, STEPS = 120 };
#define RANDOM_TIME 4.0 /* seconds */

/* What one thread works with; it alone touches it. */
typedef struct {
    u32 seed;
    cl_context context;
    cl_program program;
    cl_kernel scale, wild;
    cl_command_queue queue[QUEUES];
    cl_mem mem[MEMS];
    cl_event event[EVENTS], user[USERS];
    cl_uint nevents, nusers;
} World;

/* of all worlds */
static struct {
    atomic_int contexts, contexts_gone, mems, mems_gone, calls_wanted, calls, builds, built;
} total;

static u32 draw(World *w, u32 n)
{
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 17;
    w->seed ^= w->seed << 5;
    return w->seed % n;
}

static void CL_CALLBACK context_is_gone(cl_context c, void *data)
{
    (void)c, (void)data;
    atomic_fetch_add(&total.contexts_gone, 1);
}

static void CL_CALLBACK mem_is_gone(cl_mem m, void *data)
{
    (void)m, (void)data;
    atomic_fetch_add(&total.mems_gone, 1);
}

static void CL_CALLBACK has_happened(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status;
    free(data);
    atomic_fetch_add(&total.calls, 1);
}

static void CL_CALLBACK is_built(cl_program p, void *data)
{
    (void)p, (void)data;
    atomic_fetch_add(&total.built, 1);
}

static void call_back_at(cl_event e, cl_int status, void *data)
{
    atomic_fetch_add(&total.calls_wanted, 1);
    ok(clSetEventCallback(e, status, has_happened, data));
}

/* --- parts of a world */

static cl_mem new_mem(const World *w)
{
    cl_int s;
    cl_mem m = clCreateBuffer(w->context, 0, N * sizeof(int), NULL, &s);
    ok(s);
    ok(clSetMemObjectDestructorCallback(m, mem_is_gone, NULL));
    atomic_fetch_add(&total.mems, 1);
    return m;
}

static cl_command_queue new_queue(World *w)
{
    cl_int s;
    cl_command_queue q = clCreateCommandQueue(
        w->context, host.device, draw(w, 2) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &s);
    ok(s);
    return q;
}

static cl_program new_program(const World *w)
{
    const u8 *bytes = host.image.data;
    cl_int s;
    cl_program p =
        clCreateProgramWithBinary(w->context, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(s);
    return p;
}

static World new_world(u32 seed)
{
    World w = {.seed = seed};
    cl_int s;
    w.context = clCreateContext(NULL, 1, &host.device, count_report, NULL, &s);
    ok(s);
    ok(clSetContextDestructorCallback(w.context, context_is_gone, NULL));
    atomic_fetch_add(&total.contexts, 1);
    for (int i = 0; i < QUEUES; i++)
        w.queue[i] = new_queue(&w);
    for (int i = 0; i < MEMS; i++)
        w.mem[i] = new_mem(&w);
    w.program = new_program(&w);
    ok(clBuildProgram(w.program, 0, NULL, NULL, NULL, NULL));
    w.scale = make_kernel(w.program, "scale");
    w.wild = make_kernel(w.program, "wild");
    return w;
}

static void settle_user(World *w)
{
    cl_event e = w->user[--w->nusers];
    if (draw(w, 4)) /* otherwise it is released as it is */
        ok(clSetUserEventStatus(e, draw(w, 3) ? CL_COMPLETE : -5));
    ok(clReleaseEvent(e));
}

/* Before the thread waits for anything, so that threads do not wait for each other. */
static void settle_users(World *w)
{
    while (w->nusers)
        settle_user(w);
}

static void release_event(World *w)
{
    if (!w->nevents)
        return;
    const u32 i = draw(w, w->nevents);
    ok(clReleaseEvent(w->event[i]));
    w->event[i] = w->event[--w->nevents];
}

static void keep_event(World *w, cl_event e)
{
    if (w->nevents == EVENTS)
        release_event(w);
    w->event[w->nevents++] = e;
    if (!draw(w, 3))
        call_back_at(e, (cl_int)draw(w, 3), NULL); /* CL_COMPLETE, CL_RUNNING, CL_SUBMITTED */
}

static void free_world(World *w)
{
    settle_users(w);
    if (draw(w, 2)) /* otherwise all is released while it runs */
        for (int i = 0; i < QUEUES; i++)
            clFinish(w->queue[i]);
    ok(clReleaseContext(w->context));
    for (int i = 0; i < MEMS; i++)
        ok(clReleaseMemObject(w->mem[i]));
    ok(clReleaseProgram(w->program));
    ok(clReleaseKernel(w->scale));
    while (w->nevents)
        release_event(w);
    for (int i = 0; i < QUEUES; i++)
        ok(clReleaseCommandQueue(w->queue[i]));
    ok(clReleaseKernel(w->wild));
}

/* --- steps */

typedef struct {
    cl_uint n;
    cl_event list[3];
} Before;

static Before draw_waits(World *w)
{
    const u32 all = w->nevents + w->nusers;
    Before b = {.n = all ? draw(w, 4) : 0};
    for (cl_uint i = 0; i < b.n; i++) {
        const u32 k = draw(w, all);
        b.list[i] = k < w->nevents ? w->event[k] : w->user[k - w->nevents];
    }
    return b;
}

#define WAITS(b) (b).n, (b).n ? (b).list : NULL

static void step_launch(World *w, cl_command_queue q)
{
    const size_t global = N;
    const Before b = draw_waits(w);
    cl_event e;
    ok(clSetKernelArg(w->scale, 0, sizeof(cl_mem), &w->mem[draw(w, MEMS)]));
    ok(clSetKernelArg(w->scale, 1, sizeof(int), &(int){3}));
    ok(clEnqueueNDRangeKernel(q, w->scale, 1, NULL, &global, NULL, WAITS(b), &e));
    keep_event(w, e);
}

static void step_wild(World *w, cl_command_queue q)
{
    const size_t global = N;
    const Before b = draw_waits(w);
    cl_event e;
    ok(clEnqueueNDRangeKernel(q, w->wild, 1, NULL, &global, NULL, WAITS(b), &e));
    keep_event(w, e);
}

static void step_write(World *w, cl_command_queue q)
{
    static const int words[N];
    const Before b = draw_waits(w);
    cl_event e;
    ok(clEnqueueWriteBuffer(q, w->mem[draw(w, MEMS)], CL_FALSE, 0, sizeof words, words, WAITS(b),
                            &e));
    keep_event(w, e);
}

/* Into memory that the callback frees. */
static void step_read(World *w, cl_command_queue q)
{
    const Before b = draw_waits(w);
    int *to = malloc(N * sizeof *to);
    cl_event e;
    ok(clEnqueueReadBuffer(q, w->mem[draw(w, MEMS)], CL_FALSE, 0, N * sizeof *to, to, WAITS(b),
                           &e));
    call_back_at(e, CL_COMPLETE, to);
    keep_event(w, e);
}

static void step_copy(World *w, cl_command_queue q)
{
    const Before b = draw_waits(w);
    const u32 from = draw(w, MEMS), to = (from + 1 + draw(w, MEMS - 1)) % MEMS;
    cl_event e;
    ok(clEnqueueCopyBuffer(q, w->mem[from], w->mem[to], 0, 0, N * sizeof(int), WAITS(b), &e));
    keep_event(w, e);
}

static void step_fill(World *w, cl_command_queue q)
{
    const Before b = draw_waits(w);
    ok(clEnqueueFillBuffer(q, w->mem[draw(w, MEMS)], &(int){7}, sizeof(int), 0, N * sizeof(int),
                           WAITS(b), NULL));
}

static void step_map(World *w, cl_command_queue q)
{
    const Before b = draw_waits(w);
    cl_mem m = w->mem[draw(w, MEMS)];
    cl_event mapped, e;
    cl_int s;
    void *p =
        clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_READ, 0, N * sizeof(int), WAITS(b), &mapped, &s);
    ok(s);
    ok(clEnqueueUnmapMemObject(w->queue[draw(w, QUEUES)], m, p, 1, &mapped, &e));
    keep_event(w, mapped);
    keep_event(w, e);
}

static void step_mark(World *w, cl_command_queue q)
{
    const Before b = draw_waits(w);
    cl_event e;
    ok(draw(w, 2) ? clEnqueueMarkerWithWaitList(q, WAITS(b), &e)
                  : clEnqueueBarrierWithWaitList(q, WAITS(b), &e));
    keep_event(w, e);
}

static void step_user(World *w, cl_command_queue q)
{
    cl_int s;
    (void)q;
    if (w->nusers == USERS)
        settle_user(w);
    w->user[w->nusers++] = clCreateUserEvent(w->context, &s);
    ok(s);
}

static void step_settle(World *w, cl_command_queue q)
{
    (void)q;
    if (w->nusers)
        settle_user(w);
}

static void step_release(World *w, cl_command_queue q)
{
    (void)q;
    release_event(w);
}

static void step_new_mem(World *w, cl_command_queue q)
{
    const u32 i = draw(w, MEMS);
    (void)q;
    ok(clReleaseMemObject(w->mem[i]));
    w->mem[i] = new_mem(w);
}

static void step_new_queue(World *w, cl_command_queue q)
{
    const u32 i = draw(w, QUEUES);
    (void)q;
    ok(clReleaseCommandQueue(w->queue[i]));
    w->queue[i] = new_queue(w);
}

/* A program that is released while it is built. */
static void step_build(World *w, cl_command_queue q)
{
    cl_program p = new_program(w);
    (void)q;
    atomic_fetch_add(&total.builds, 1);
    ok(clBuildProgram(p, 0, NULL, NULL, is_built, w));
    ok(clReleaseProgram(p));
}

static void step_ask(World *w, cl_command_queue q)
{
    cl_int status;
    if (w->nevents)
        ok(clGetEventInfo(w->event[draw(w, w->nevents)], CL_EVENT_COMMAND_EXECUTION_STATUS,
                          sizeof status, &status, NULL));
    ok(clFlush(q));
}

/* What went wrong before is told here. */
static void step_finish(World *w, cl_command_queue q)
{
    settle_users(w);
    clFinish(q);
}

static void step_wait(World *w, cl_command_queue q)
{
    (void)q;
    settle_users(w);
    if (w->nevents)
        clWaitForEvents(1 + draw(w, w->nevents), w->event);
}

static void (*const steps[])(World *, cl_command_queue) = {
    step_launch,    step_launch, step_launch, step_wild,   step_write,  step_read,    step_copy,
    step_fill,      step_map,    step_mark,   step_user,   step_settle, step_release, step_new_mem,
    step_new_queue, step_build,  step_ask,    step_finish, step_wait,
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *wander(void *arg)
{
    const double end = seconds() + RANDOM_TIME;
    u32 seed = 88675123u * (u32)(1 + (intptr_t)arg);
    do {
        World w = new_world(seed);
        for (int i = 0; i < STEPS; i++)
            steps[draw(&w, countof(steps))](&w, w.queue[draw(&w, QUEUES)]);
        free_world(&w);
        seed = w.seed;
    } while (seconds() < end);
    return NULL;
}

/* Every callback is called, and nothing stays: a context lives as long as anything of it. */
static void any_order(void **state)
{
    pthread_t t[THREADS];
    (void)state;
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, wander, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert_true(comes_true(&total.contexts_gone, total.contexts));
    assert_int_equal(total.mems_gone, total.mems);
    assert_int_equal(total.calls, total.calls_wanted);
    assert_int_equal(total.built, total.builds);
}

/* --- what is left --------------------------------------------------------------------------- */

/* The count of blocks is as it was before the first context. */
static void frees_all_memory(void **state)
{
    (void)state;
    if (!live_blocks)
        skip_because("nobody counts blocks here");
    close_host(NULL); /* which looks */
    open_host(NULL);
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
        cmocka_unit_test(any_order),
        cmocka_unit_test(gives_all_back),
        cmocka_unit_test(frees_all_memory),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_host, close_host);
}
