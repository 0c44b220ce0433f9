/* cl_event_test.c -- queues, events, their order, and who is told. */
#include "test/opencl/clhost.h"
#include <pthread.h>

static cl_mem buffer;

static int open_buffer(void **state)
{
    open_host(state);
    buffer = make_buffer(1024, NULL);
    return 0;
}

static int close_buffer(void **state)
{
    ok(clReleaseMemObject(buffer));
    return close_host(state);
}

static cl_event make_gate(void)
{
    cl_int s;
    cl_event e = clCreateUserEvent(host.context, &s);
    ok(s);
    return e;
}

/* Writes one int, after the events. */
static cl_event put(cl_command_queue q, const int *v, size_t at, cl_uint n, const cl_event *waits)
{
    cl_event e;
    ok(clEnqueueWriteBuffer(q, buffer, CL_FALSE, at * 4, 4, v, n, waits, &e));
    return e;
}

static int get(cl_command_queue q, size_t at)
{
    int v;
    ok(clEnqueueReadBuffer(q, buffer, CL_TRUE, at * 4, 4, &v, 0, NULL, NULL));
    return v;
}

/* --- queues ------------------------------------------------------------------------------ */

static void answers_queue_queries(void **state)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_queue_properties got[3];
    cl_int s;
    (void)state;
    cl_command_queue old = clCreateCommandQueue(host.context, host.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &s);
    ok(s);
    assert_ptr_equal(INFO(cl_context, clGetCommandQueueInfo, old, CL_QUEUE_CONTEXT), host.context);
    assert_ptr_equal(INFO(cl_device_id, clGetCommandQueueInfo, old, CL_QUEUE_DEVICE), host.device);
    assert_int_equal(INFO(cl_uint, clGetCommandQueueInfo, old, CL_QUEUE_REFERENCE_COUNT), 1);
    assert_int_equal(INFO(cl_command_queue_properties, clGetCommandQueueInfo, old, CL_QUEUE_PROPERTIES),
                     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    assert_null(INFO(cl_command_queue, clGetCommandQueueInfo, old, CL_QUEUE_DEVICE_DEFAULT));
    assert_int_equal(clGetCommandQueueInfo(old, CL_QUEUE_SIZE, sizeof s, &s, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clGetCommandQueueInfo(old, 0, sizeof s, &s, NULL), CL_INVALID_VALUE);
    size_t n = 1;
    ok(clGetCommandQueueInfo(old, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &n));
    assert_int_equal(n, 0);
    ok(clGetCommandQueueInfo(host.queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof got, got, &n));
    assert_int_equal(n, sizeof list);
    assert_memory_equal(got, list, sizeof list);
    ok(clRetainCommandQueue(old));
    ok(clReleaseCommandQueue(old));
    ok(clFlush(old));
    ok(clReleaseCommandQueue(old));
}

/* Priorities are hints, kept with the queue; and the name by which OpenCL 1.2 knows properties. */
static void takes_priorities(void **state)
{
    const cl_queue_properties list[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_PROFILING_ENABLE, 0},
                              two[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR | CL_QUEUE_PRIORITY_MED_KHR, 0},
                              none[] = {CL_QUEUE_PRIORITY_KHR, 0, 0};
    cl_queue_properties got[5];
    cl_int s;
    (void)state;
    clCreateCommandQueueWithPropertiesKHR_fn old;
    *(void **)&old =
        clGetExtensionFunctionAddressForPlatform(host.platform, "clCreateCommandQueueWithPropertiesKHR");
    assert_non_null(old);
    cl_command_queue q[] = {clCreateCommandQueueWithProperties(host.context, host.device, list, &s),
                            old(host.context, host.device, (const cl_queue_properties_khr *)list, NULL)};
    ok(s);
    for (size_t i = 0; i < countof(q); i++) {
        assert_non_null(q[i]);
        ok(clGetCommandQueueInfo(q[i], CL_QUEUE_PROPERTIES_ARRAY, sizeof got, got, NULL));
        assert_memory_equal(got, list, sizeof list);
        assert_int_equal(INFO(cl_command_queue_properties, clGetCommandQueueInfo, q[i], CL_QUEUE_PROPERTIES),
                         CL_QUEUE_PROFILING_ENABLE);
        ok(clFinish(q[i]));
        ok(clReleaseCommandQueue(q[i]));
    }
    assert_null(clCreateCommandQueueWithProperties(host.context, host.device, two, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateCommandQueueWithProperties(host.context, host.device, none, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(old(host.context, (cl_device_id)buffer, NULL, &s));
    assert_int_equal(s, CL_INVALID_DEVICE);
}

/* Lists of up to three properties are kept; there are no more than two of different names. */
static void keeps_short_lists(void **state)
{
    enum { PAIRS = 6 };
    cl_queue_properties list[2 * PAIRS + 1], got[2 * PAIRS + 1];
    (void)state;
    for (size_t n = 0; n <= PAIRS; n++) {
        cl_int s;
        size_t size;
        for (size_t i = 0; i < n; i++) {
            list[2 * i] = i % 2 ? CL_QUEUE_PROPERTIES : CL_QUEUE_PRIORITY_KHR;
            list[2 * i + 1] = i % 2 ? 0 : CL_QUEUE_PRIORITY_HIGH_KHR;
        }
        list[2 * n] = 0;
        cl_command_queue q = clCreateCommandQueueWithProperties(host.context, host.device, list, &s);
        assert_int_equal(s, n <= 3 ? CL_SUCCESS : CL_INVALID_VALUE);
        if (!q)
            continue;
        ok(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof got, got, &size));
        assert_int_equal(size, (2 * n + 1) * sizeof *list);
        assert_memory_equal(got, list, size);
        ok(clReleaseCommandQueue(q));
    }
}

static void refuses_bad_queues(void **state)
{
    const cl_queue_properties device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                          CL_QUEUE_ON_DEVICE, 0},
                              size[] = {CL_QUEUE_SIZE, 16, 0}, unknown[] = {0x7777, 1, 0},
                              flags[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0};
    const struct { const cl_queue_properties *list; cl_int want; } rows[] = {
        {device, CL_INVALID_QUEUE_PROPERTIES}, {size, CL_INVALID_QUEUE_PROPERTIES},
        {unknown, CL_INVALID_VALUE}, {flags, CL_INVALID_VALUE}};
    cl_int s;
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        assert_null(clCreateCommandQueueWithProperties(host.context, host.device, rows[i].list, &s));
        assert_int_equal(s, rows[i].want);
    }
    assert_null(clCreateCommandQueue((cl_context)buffer, host.device, 0, &s));
    assert_int_equal(s, CL_INVALID_CONTEXT);
    assert_null(clCreateCommandQueue(host.context, (cl_device_id)buffer, 0, &s));
    assert_int_equal(s, CL_INVALID_DEVICE);
    assert_null(clCreateCommandQueue(host.context, host.device, 1 << 20, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_int_equal(clSetCommandQueueProperty(host.queue, 0, CL_TRUE, NULL), CL_INVALID_OPERATION);
    const cl_command_queue wrong = (cl_command_queue)buffer;
    assert_int_equal(clRetainCommandQueue(wrong), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clReleaseCommandQueue(wrong), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clFlush(wrong), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clFinish(wrong), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clGetCommandQueueInfo(wrong, CL_QUEUE_CONTEXT, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clEnqueueMarker(wrong, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clEnqueueMarker(host.queue, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueBarrier(wrong), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clEnqueueWaitForEvents(host.queue, 0, NULL), CL_INVALID_VALUE);
    const cl_event none = (cl_event)buffer;
    assert_int_equal(clEnqueueWaitForEvents(host.queue, 1, &none), CL_INVALID_EVENT);
    assert_int_equal(clEnqueueBarrierWithWaitList(host.queue, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clEnqueueMarkerWithWaitList(host.queue, 0, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
}

/* --- events --------------------------------------------------------------------------------- */

static void answers_event_queries(void **state)
{
    const int v = 1;
    cl_event gate = make_gate(), e = put(host.queue, &v, 0, 1, &gate);
    (void)state;
    assert_null(INFO(cl_command_queue, clGetEventInfo, gate, CL_EVENT_COMMAND_QUEUE));
    assert_ptr_equal(INFO(cl_context, clGetEventInfo, gate, CL_EVENT_CONTEXT), host.context);
    assert_int_equal(INFO(cl_command_type, clGetEventInfo, gate, CL_EVENT_COMMAND_TYPE), CL_COMMAND_USER);
    assert_int_equal(INFO(cl_uint, clGetEventInfo, gate, CL_EVENT_REFERENCE_COUNT), 1);
    assert_int_equal(status_of(gate), CL_SUBMITTED);
    assert_ptr_equal(INFO(cl_command_queue, clGetEventInfo, e, CL_EVENT_COMMAND_QUEUE), host.queue);
    assert_int_equal(INFO(cl_command_type, clGetEventInfo, e, CL_EVENT_COMMAND_TYPE), CL_COMMAND_WRITE_BUFFER);
    assert_true(status_of(e) >= CL_SUBMITTED);
    assert_int_equal(clGetEventInfo(e, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_ulong t;
    assert_int_equal(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL),
                     CL_PROFILING_INFO_NOT_AVAILABLE);
    assert_int_equal(clGetEventProfilingInfo(gate, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL),
                     CL_PROFILING_INFO_NOT_AVAILABLE);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &e));
    assert_int_equal(status_of(e), CL_COMPLETE);
    ok(clRetainEvent(e));
    assert_int_equal(INFO(cl_uint, clGetEventInfo, e, CL_EVENT_REFERENCE_COUNT), 2);
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(gate));
}

/* What a command waits for is checked by every call alike, before it changes anything. */
static void checks_wait_lists(void **state)
{
    const u8 pattern = 1;
    const size_t one = 1, origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
    static u8 bytes[8];
    cl_int s;
    cl_context apart = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_event gate = make_gate(), foreign = clCreateUserEvent(apart, &s);
    cl_event lists[][2] = {{gate, NULL}, {gate, (cl_event)buffer}, {foreign, gate}, {gate, foreign}};
    const cl_int want[] = {CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT, CL_INVALID_CONTEXT};
    cl_program p = make_program(&host.image);
    cl_kernel k = make_kernel(p, "say");
    cl_mem other = make_buffer(64, NULL);
    (void)state;
    for (size_t i = 0; i < countof(lists) + 2; i++) {
        const cl_event *l = i < countof(lists) ? lists[i] : i == countof(lists) ? NULL : lists[0];
        const cl_uint n = i <= countof(lists) ? 2 : 0; /* a list without events, events without a list */
        const cl_int wanted = i < countof(lists) ? want[i] : CL_INVALID_EVENT_WAIT_LIST;
        cl_event e = NULL;
        const cl_int got[] = {
            clEnqueueReadBuffer(host.queue, buffer, CL_TRUE, 0, 1, bytes, n, l, &e),
            clEnqueueWriteBuffer(host.queue, buffer, CL_TRUE, 0, 1, bytes, n, l, &e),
            clEnqueueCopyBuffer(host.queue, buffer, other, 0, 0, 1, n, l, &e),
            clEnqueueFillBuffer(host.queue, buffer, &pattern, 1, 0, 1, n, l, &e),
            clEnqueueReadBufferRect(host.queue, buffer, CL_TRUE, origin, origin, region, 0, 0, 0, 0, bytes, n, l, &e),
            clEnqueueWriteBufferRect(host.queue, buffer, CL_TRUE, origin, origin, region, 0, 0, 0, 0, bytes, n, l, &e),
            clEnqueueCopyBufferRect(host.queue, buffer, other, origin, origin, region, 0, 0, 0, 0, n, l, &e),
            clEnqueueMigrateMemObjects(host.queue, 1, &buffer, 0, n, l, &e),
            clEnqueueMarkerWithWaitList(host.queue, n, l, &e),
            clEnqueueBarrierWithWaitList(host.queue, n, l, &e),
            clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &one, &one, n, l, &e),
            clEnqueueTask(host.queue, k, n, l, &e),
            clEnqueueUnmapMemObject(host.queue, buffer, bytes, n, l, &e),
            clEnqueueMapBuffer(host.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 1, n, l, &e, &s) ? CL_SUCCESS : s,
        };
        for (size_t c = 0; c < countof(got); c++)
            if (got[c] != wanted)
                fail_msg("call %zu with list %zu: %d, not %d", c, i, got[c], wanted);
        assert_null(e);
    }
    assert_int_equal(INFO(cl_uint, clGetEventInfo, gate, CL_EVENT_REFERENCE_COUNT), 1);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(foreign));
    ok(clReleaseContext(apart));
    ok(clReleaseMemObject(other));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

/* A user event is set once, to an end; an error goes to who waits, and to nobody else. */
static void sets_user_events(void **state)
{
    static const cl_int good[] = {CL_COMPLETE, -1, -1000};
    static const cl_int bad[] = {CL_RUNNING, CL_SUBMITTED, CL_QUEUED, 1000};
    (void)state;
    for (size_t i = 0; i < countof(good); i++) {
        const int v = 3;
        cl_event gate = make_gate(), e = put(host.queue, &v, 9, 1, &gate);
        for (size_t k = 0; k < countof(bad); k++)
            assert_int_equal(clSetUserEventStatus(gate, bad[k]), CL_INVALID_VALUE);
        assert_int_equal(status_of(gate), CL_SUBMITTED);
        ok(clSetUserEventStatus(gate, good[i]));
        assert_int_equal(status_of(gate), good[i]);
        assert_int_equal(clWaitForEvents(1, &e), good[i] ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
        assert_int_equal(clWaitForEvents(1, &gate), good[i] ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
        assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
        ok(clFinish(host.queue));
        /* what comes later in the queue, on the caller's thread too, is not touched by it */
        assert_int_equal(get(host.queue, 9), 3);
        ok(clReleaseEvent(e));
        ok(clReleaseEvent(gate));
    }
    assert_int_equal(clSetUserEventStatus((cl_event)buffer, CL_COMPLETE), CL_INVALID_EVENT);
    assert_int_equal(clSetUserEventStatus(NULL, CL_COMPLETE), CL_INVALID_EVENT);
    assert_int_equal(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
}

/* A command that runs at once on the caller's thread is as others: order, times, what waits for it. */
static void runs_quick_commands_in_order(void **state)
{
    const int one = 1, two = 2;
    cl_ulong t[4];
    cl_event gate = make_gate();
    (void)state;
    for (cl_bool blocking = 0; blocking < 2; blocking++) {
        cl_event quick, late = put(host.queue, &one, 11, 0, NULL);
        ok(clEnqueueWriteBuffer(host.queue, buffer, blocking, 11 * 4, 4, &two, 0, NULL, &quick));
        assert_true(!blocking || status_of(quick) == CL_COMPLETE);
        ok(clWaitForEvents(1, &quick));
        assert_int_equal(status_of(late), CL_COMPLETE);
        assert_int_equal(get(host.queue, 11), 2);
        for (cl_uint i = 0; i < countof(t); i++)
            ok(clGetEventProfilingInfo(quick, CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i], NULL));
        assert_true(t[0] && t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3]);
        ok(clReleaseEvent(quick));
        ok(clReleaseEvent(late));
    }
    /* not before what waits: a quick command after one that has a gate */
    cl_event first = put(host.queue, &one, 12, 1, &gate), second = put(host.queue, &two, 12, 0, NULL);
    assert_true(status_of(first) > CL_RUNNING && status_of(second) > CL_RUNNING);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(get(host.queue, 12), 2);
    ok(clReleaseEvent(first));
    ok(clReleaseEvent(second));
    ok(clReleaseEvent(gate));
}

static void refuses_bad_events(void **state)
{
    const int v = 1;
    cl_event gate = make_gate(), e = put(host.queue, &v, 0, 0, NULL), wrong = (cl_event)buffer, mixed[2] = {e, wrong};
    cl_int s;
    (void)state;
    assert_null(clCreateUserEvent((cl_context)buffer, &s));
    assert_int_equal(s, CL_INVALID_CONTEXT);
    assert_int_equal(clSetUserEventStatus(e, CL_COMPLETE), CL_INVALID_EVENT);
    assert_int_equal(clSetUserEventStatus(gate, CL_RUNNING), CL_INVALID_VALUE);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    assert_int_equal(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    assert_int_equal(clWaitForEvents(2, mixed), CL_INVALID_EVENT);
    assert_int_equal(clRetainEvent(wrong), CL_INVALID_EVENT);
    assert_int_equal(clReleaseEvent(wrong), CL_INVALID_EVENT);
    assert_int_equal(clSetEventCallback(wrong, CL_COMPLETE, NULL, NULL), CL_INVALID_EVENT);
    assert_int_equal(clSetEventCallback(e, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetEventInfo(wrong, CL_EVENT_CONTEXT, 0, NULL, NULL), CL_INVALID_EVENT);
    cl_context other = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_event foreign = clCreateUserEvent(other, &s), both[2] = {e, foreign};
    assert_int_equal(clEnqueueMarkerWithWaitList(host.queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(clWaitForEvents(2, both), CL_INVALID_CONTEXT);
    ok(clReleaseEvent(foreign));
    ok(clReleaseContext(other));
    ok(clFinish(host.queue));
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(gate));
}

static void tells_times(void **state)
{
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE};
    const int v = 1;
    cl_ulong before = 0, t;
    cl_event e = put(host.queue, &v, 0, 0, NULL);
    cl_command_queue plain = make_queue(0);
    (void)state;
    ok(clWaitForEvents(1, &e));
    for (size_t i = 0; i < countof(names); i++) {
        ok(clGetEventProfilingInfo(e, names[i], sizeof t, &t, NULL));
        assert_true(t >= before && t);
        before = t;
    }
    assert_int_equal(clGetEventProfilingInfo(e, 0, sizeof t, &t, NULL), CL_INVALID_VALUE);
    ok(clReleaseEvent(e));
    e = put(plain, &v, 0, 0, NULL);
    ok(clWaitForEvents(1, &e));
    assert_int_equal(clGetEventProfilingInfo(e, names[0], sizeof t, &t, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    ok(clReleaseEvent(e));
    ok(clReleaseCommandQueue(plain));
}

/* Profiling tells the time of the device's timer ("Profiling Operations on Memory Objects and Kernels"): a command is
 * queued after a reading of it, and ends before a later one. */
static void tells_the_timers_time(void **state)
{
    const int v = 1;
    cl_ulong first = 0, device = 0, host_time = 0, last = 0, queued, ended;
    (void)state;
    ok(clGetDeviceAndHostTimer(host.device, &first, &host_time));
    assert_int_equal(first, host_time);
    cl_event e = put(host.queue, &v, 0, 0, NULL);
    ok(clWaitForEvents(1, &e));
    ok(clGetHostTimer(host.device, &last));
    ok(clGetDeviceAndHostTimer(host.device, &device, &host_time));
    ok(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, NULL));
    ok(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL));
    assert_true(first && first <= queued && queued <= ended && ended <= last && last <= device);
    ok(clReleaseEvent(e));
}

/* --- order ----------------------------------------------------------------------------------- */

static void keeps_order(void **state)
{
    static int v[100];
    cl_event gate = make_gate();
    (void)state;
    for (int i = 0; i < 100; i++) {
        v[i] = i;
        ok(clReleaseEvent(put(host.queue, &v[i], 0, i == 0, i ? NULL : &gate)));
    }
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(get(host.queue, 0), 99);
    ok(clReleaseEvent(gate));
}

/* In an unordered queue later commands pass one that waits, but not a barrier. */
static void passes_without_order(void **state)
{
    const int first = 1, second = 2, third = 3;
    cl_command_queue q = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event gate = make_gate(), a = put(q, &first, 0, 1, &gate), b = put(q, &second, 1, 0, NULL), marker, c;
    (void)state;
    ok(clWaitForEvents(1, &b));
    assert_true(status_of(a) > CL_RUNNING);
    ok(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
    ok(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    c = put(q, &third, 0, 0, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_true(status_of(marker) > CL_RUNNING);
    assert_true(status_of(c) > CL_RUNNING);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &c));
    assert_int_equal(status_of(a), CL_COMPLETE);
    assert_int_equal(status_of(marker), CL_COMPLETE);
    assert_int_equal(get(q, 0), 3);
    const cl_event all[] = {gate, a, b, c, marker};
    for (size_t i = 0; i < countof(all); i++)
        ok(clReleaseEvent(all[i]));
    ok(clReleaseCommandQueue(q));
}

/* Nothing is left of a barrier that has ended: what later gets its memory is no barrier. */
static void forgets_barriers(void **state)
{
    enum { BEFORE = 16, FREED = 8, AFTER = 64 };
    cl_event gate[BEFORE + AFTER], barrier, e;
    cl_int status = CL_SUBMITTED;
    (void)state;
    cl_command_queue q = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int i = 0; i < BEFORE / 2; i++)
        gate[i] = make_gate();
    ok(clEnqueueBarrierWithWaitList(q, 0, NULL, &barrier));
    for (int i = BEFORE / 2; i < BEFORE; i++)
        gate[i] = make_gate();
    ok(clFinish(q));
    /* an allocator gives the block of the barrier away when those freed before it are used up */
    for (int i = 0; i < FREED; i++)
        ok(clReleaseEvent(gate[2 * i]));
    ok(clReleaseEvent(barrier));
    for (int i = 0; i < AFTER; i++)
        gate[BEFORE + i] = make_gate();
    e = put(q, &(int){5}, 3, 0, NULL);
    ok(clFlush(q));
    for (int i = 0; i < 400 && (status = status_of(e)) > CL_COMPLETE; i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    assert_int_equal(status, CL_COMPLETE);
    for (int i = 0; i < BEFORE + AFTER; i++)
        if (i >= BEFORE || i % 2)
            ok(clReleaseEvent(gate[i]));
    ok(clReleaseEvent(e));
    ok(clReleaseCommandQueue(q));
}

static void waits_across_queues(void **state)
{
    const int one = 1, two = 2;
    cl_command_queue q = make_queue(0);
    cl_event gate = make_gate(), a = put(host.queue, &one, 0, 1, &gate), b = put(q, &two, 0, 1, &a);
    (void)state;
    assert_true(status_of(b) > CL_RUNNING);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clFinish(q));
    assert_int_equal(status_of(a), CL_COMPLETE);
    assert_int_equal(get(q, 0), 2);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(a));
    ok(clReleaseEvent(b));
    ok(clReleaseCommandQueue(q));
}

/* Failure goes along wait lists, and nowhere else. */
static void hands_failure_on(void **state)
{
    const int one = 1, two = 2, three = 3;
    cl_event gate = make_gate(), a = put(host.queue, &one, 5, 1, &gate), b = put(host.queue, &two, 6, 1, &a),
             c = put(host.queue, &three, 7, 0, NULL);
    (void)state;
    ok(clSetUserEventStatus(gate, -77));
    assert_int_equal(clWaitForEvents(1, &a), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ok(clFinish(host.queue));
    assert_int_equal(status_of(gate), -77);
    assert_int_equal(status_of(a), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(b), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(c), CL_COMPLETE);
    assert_int_equal(get(host.queue, 5), 0);
    assert_int_equal(get(host.queue, 7), 3);
    int v;
    assert_int_equal(clEnqueueReadBuffer(host.queue, buffer, CL_TRUE, 0, 4, &v, 1, &gate, NULL),
                     CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    const cl_event all[] = {gate, a, b, c};
    for (size_t i = 0; i < countof(all); i++)
        ok(clReleaseEvent(all[i]));
}

/* Who waits for an event that nobody can set any more does not wait for ever. */
static void ends_abandoned_events(void **state)
{
    const int one = 1;
    cl_event gate = make_gate(), a = put(host.queue, &one, 0, 1, &gate);
    (void)state;
    ok(clReleaseEvent(gate));
    assert_int_equal(clWaitForEvents(1, &a), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ok(clReleaseEvent(a));
}

/* --- callbacks --------------------------------------------------------------------------- */

static atomic_int calls;
static cl_int heard[8];

static void CL_CALLBACK on_status(cl_event e, cl_int status, void *data)
{
    (void)e;
    heard[(intptr_t)data] = status;
    atomic_fetch_add(&calls, 1);
}

static void calls_back(void **state)
{
    const int v = 1;
    cl_event gate = make_gate(), e = put(host.queue, &v, 0, 1, &gate);
    (void)state;
    atomic_store(&calls, 0);
    ok(clSetEventCallback(e, CL_SUBMITTED, on_status, (void *)0));
    ok(clSetEventCallback(e, CL_RUNNING, on_status, (void *)1));
    ok(clSetEventCallback(e, CL_COMPLETE, on_status, (void *)2));
    ok(clSetEventCallback(gate, CL_COMPLETE, on_status, (void *)3));
    assert_true(comes_true(&calls, 1)); /* submitted */
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_true(comes_true(&calls, 4));
    ok(clSetEventCallback(e, CL_RUNNING, on_status, (void *)4)); /* late */
    assert_true(comes_true(&calls, 5));
    assert_int_equal(heard[0], CL_SUBMITTED);
    assert_int_equal(heard[1], CL_RUNNING);
    assert_int_equal(heard[2], CL_COMPLETE);
    assert_int_equal(heard[3], CL_COMPLETE);
    assert_int_equal(heard[4], CL_RUNNING);
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(gate));
}

static void tells_errors_to_callbacks(void **state)
{
    const int v = 1;
    cl_event gate = make_gate(), e = put(host.queue, &v, 0, 1, &gate);
    (void)state;
    atomic_store(&calls, 0);
    ok(clSetEventCallback(e, CL_COMPLETE, on_status, (void *)0));
    ok(clSetEventCallback(gate, CL_COMPLETE, on_status, (void *)1));
    ok(clSetUserEventStatus(gate, -5));
    assert_true(comes_true(&calls, 2));
    assert_int_equal(heard[0], CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(heard[1], -5);
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(gate));
    ok(clFinish(host.queue));
}

/* A callback is for an end, the beginning, or the submission, and for no other status (clSetEventCallback). */
static void calls_back_for_three_states(void **state)
{
    cl_event gate = make_gate();
    (void)state;
    atomic_store(&calls, 0);
    for (cl_int type = -1000; type < 1000; type++)
        assert_int_equal(clSetEventCallback(gate, type, on_status, NULL),
                         type == CL_COMPLETE || type == CL_RUNNING || type == CL_SUBMITTED
                             ? CL_SUCCESS
                             : CL_INVALID_VALUE);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_true(comes_true(&calls, 3));
    ok(clReleaseEvent(gate));
}

static void CL_CALLBACK set_it_again(cl_event e, cl_int status, void *data)
{
    (void)data;
    heard[0] = status;
    heard[1] = clSetUserEventStatus(e, CL_COMPLETE);
    atomic_fetch_add(&calls, 1);
}

/* An event that nobody has any more ended in an error, and has no other end. */
static void ends_abandoned_events_once(void **state)
{
    cl_event gate = make_gate();
    (void)state;
    atomic_store(&calls, 0);
    ok(clSetEventCallback(gate, CL_COMPLETE, set_it_again, NULL));
    ok(clReleaseEvent(gate));
    assert_int_equal(atomic_load(&calls), 1);
    assert_int_equal(heard[0], CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(heard[1], CL_INVALID_OPERATION);
}

/* --- a model of what waits for what ------------------------------------------------------------ */

enum { GATES = 8, COMMANDS = 60, NODES = GATES + COMMANDS, WAITS = 3, OPEN = 1 };
typedef enum { WRITE, MARKER, BARRIER, OLD_MARKER, OLD_BARRIER, OLD_WAIT, FORMS } Form;

/* A gate or a command: what it waits for, and how it ended; OPEN: it has not. */
typedef struct {
    cl_event event;
    int queue; /* -1: a gate; 0: ordered, 1: unordered */
    bool waits[NODES], strictly[NODES];
    cl_int status;
} Node;

/* By the specification: a command waits for its list, and fails if one of that does; in an ordered queue for all before
 * it; in an unordered one for the last barrier, and markers and barriers without a list for all before. */
static void plan_waits(Node *node, int n, Form form, const int *list, cl_uint nlist, int barrier)
{
    const bool is_plain = form == WRITE;
    for (int i = 0; i < n; i++)
        if (node[i].queue == node[n].queue)
            node[n].waits[i] = node[n].queue == 0 || i == barrier || (!is_plain && !nlist);
    for (cl_uint i = 0; i < nlist; i++)
        node[n].waits[list[i]] = node[n].strictly[list[i]] = true;
}

/* Lets end what waits for nothing any more. */
static void settle(Node *node, int n)
{
    for (int i = GATES; i < n; i++) {
        bool waits = false, fails = false;
        for (int k = 0; k < i; k++) {
            waits |= node[i].waits[k] && node[k].status == OPEN;
            fails |= node[i].strictly[k] && node[k].status < 0;
        }
        if (node[i].status == OPEN && !waits)
            node[i].status = fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE;
    }
}

static cl_event enqueue_form(cl_command_queue q, Form form, cl_uint n, const cl_event *list)
{
    static const int word = 1;
    cl_event e = NULL;
    switch (form) {
    case MARKER: ok(clEnqueueMarkerWithWaitList(q, n, n ? list : NULL, &e)); break;
    case BARRIER: ok(clEnqueueBarrierWithWaitList(q, n, n ? list : NULL, &e)); break;
    case OLD_MARKER: ok(clEnqueueMarker(q, &e)); break;
    case OLD_BARRIER: ok(clEnqueueBarrier(q)); break;
    case OLD_WAIT: ok(clEnqueueWaitForEvents(q, n, list)); break;
    default: ok(clEnqueueWriteBuffer(q, buffer, CL_FALSE, 0, 4, &word, n, n ? list : NULL, &e));
    }
    return e;
}

/* What has ended in the model ends, in that way, and nothing else does. */
static void compare_ends(const Node *node, int n)
{
    for (int i = GATES; i < n; i++) {
        if (!node[i].event)
            continue;
        if (node[i].status != OPEN)
            clWaitForEvents(1, &node[i].event);
        const cl_int got = status_of(node[i].event);
        if (node[i].status == OPEN ? got <= CL_COMPLETE : got != node[i].status)
            fail_msg("command %d of queue %d: %d, not %d", i - GATES, node[i].queue, got, node[i].status);
    }
}

static void waits_as_the_model(void **state)
{
    u32 seed = 1;
    (void)state;
    for (int round = 0; round < 40; round++) {
        static Node node[NODES];
        cl_command_queue q[2] = {make_queue(0), make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
        int barrier = -1, gate = 0;
        memset(node, 0, sizeof node);
        for (int i = 0; i < GATES; i++)
            node[i] = (Node){.event = make_gate(), .queue = -1, .status = OPEN};
        for (int n = GATES; n < NODES || gate < GATES; n++) {
            if (n < NODES) {
                int list[WAITS];
                cl_event events[WAITS];
                seed = seed * 1664525 + 1013904223;
                Form form = (seed >> 8) % 3 ? WRITE : (Form)((seed >> 12) % FORMS);
                cl_uint nlist = (seed >> 16) % (WAITS + 1), taken = 0;
                if (form == OLD_MARKER || form == OLD_BARRIER)
                    nlist = 0;
                for (cl_uint i = 0; i < nlist; i++) {
                    seed = seed * 1664525 + 1013904223;
                    const int from = (int)((seed >> 10) % (seed >> 31 ? GATES : (u32)n));
                    if (node[from].event) {
                        list[taken] = from;
                        events[taken++] = node[from].event;
                    }
                }
                if (form == OLD_WAIT && !taken)
                    form = WRITE;
                node[n] = (Node){.queue = (int)(seed >> 20 & 1), .status = OPEN};
                plan_waits(node, n, form, list, taken, barrier);
                node[n].event = enqueue_form(q[node[n].queue], form, taken, events);
                if (node[n].queue && (form == BARRIER || form == OLD_BARRIER || form == OLD_WAIT))
                    barrier = n;
            }
            seed = seed * 1664525 + 1013904223;
            if (gate < GATES && (n >= NODES || (seed >> 12) % 10 == 0)) {
                node[gate].status = seed >> 28 < 5 ? -77 : CL_COMPLETE;
                ok(clSetUserEventStatus(node[gate].event, node[gate].status));
                gate++;
            }
            settle(node, n < NODES ? n + 1 : NODES);
            compare_ends(node, n < NODES ? n + 1 : NODES);
        }
        for (int i = 0; i < NODES; i++)
            if (node[i].event)
                ok(clReleaseEvent(node[i].event));
        for (int i = 0; i < 2; i++) {
            ok(clFinish(q[i]));
            ok(clReleaseCommandQueue(q[i]));
        }
    }
}

static void CL_CALLBACK on_complete_enqueue(cl_event e, cl_int status, void *data)
{
    static const int v = 42;
    (void)e, (void)status;
    ok(clEnqueueWriteBuffer(host.queue, buffer, CL_FALSE, 0, 4, &v, 0, NULL, data));
    atomic_fetch_add(&calls, 1);
}

/* No lock is held: a callback may enqueue. */
static void may_enqueue_in_callbacks(void **state)
{
    const int v = 1;
    cl_event gate = make_gate(), later = NULL, e = put(host.queue, &v, 0, 1, &gate);
    (void)state;
    atomic_store(&calls, 0);
    ok(clSetEventCallback(e, CL_COMPLETE, on_complete_enqueue, &later));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_true(comes_true(&calls, 1));
    ok(clWaitForEvents(1, &later));
    assert_int_equal(get(host.queue, 0), 42);
    ok(clReleaseEvent(later));
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(gate));
}

/* --- threads ----------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 60 };

static void *hammer(void *arg)
{
    const int id = (int)(intptr_t)arg;
    cl_command_queue q = make_queue(id % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    cl_event before = NULL;
    int v[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        v[i] = id * 1000 + i;
        cl_event e = put(i % 3 ? q : host.queue, &v[i], (size_t)id, before != NULL, before ? &before : NULL);
        if (before)
            ok(clReleaseEvent(before));
        before = e;
    }
    ok(clWaitForEvents(1, &before));
    ok(clReleaseEvent(before));
    assert_int_equal(get(q, (size_t)id), id * 1000 + ROUNDS - 1);
    ok(clReleaseCommandQueue(q));
    return NULL;
}

static void serves_threads(void **state)
{
    pthread_t t[THREADS];
    (void)state;
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, hammer, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_queue_queries),
        cmocka_unit_test(takes_priorities),
        cmocka_unit_test(refuses_bad_queues),
        cmocka_unit_test(answers_event_queries),
        cmocka_unit_test(refuses_bad_events),
        cmocka_unit_test(checks_wait_lists),
        cmocka_unit_test(sets_user_events),
        cmocka_unit_test(runs_quick_commands_in_order),
        cmocka_unit_test(tells_times),
        cmocka_unit_test(tells_the_timers_time),
        cmocka_unit_test(keeps_order),
        cmocka_unit_test(passes_without_order),
        cmocka_unit_test(forgets_barriers),
        cmocka_unit_test(waits_across_queues),
        cmocka_unit_test(hands_failure_on),
        cmocka_unit_test(ends_abandoned_events),
        cmocka_unit_test(calls_back),
        cmocka_unit_test(calls_back_for_three_states),
        cmocka_unit_test(tells_errors_to_callbacks),
        cmocka_unit_test(may_enqueue_in_callbacks),
        cmocka_unit_test(serves_threads),
        cmocka_unit_test(keeps_short_lists),
        cmocka_unit_test(ends_abandoned_events_once),
        cmocka_unit_test(waits_as_the_model),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_buffer, close_buffer);
}
