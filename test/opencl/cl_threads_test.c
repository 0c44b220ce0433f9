/* cl_threads_test.c -- objects that several threads use at once; what goes on beside a launch; contexts
 * side by side; what is done where no thread can be made. */
#include "test/kit/waiting.h"
#include "test/opencl/clhost.h"
#include <fcntl.h>
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

#ifdef __SANITIZE_THREAD__ /* which takes its time */
enum { MAPS = 200 };
#else
enum { MAPS = 2000 };
#endif

static void *map_often(void *arg)
{
    cl_mem m = arg;
    cl_command_queue q = make_queue(0);
    for (int i = 0; i < MAPS; i++) {
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

/* --- locks under contention ------------------------------------------------------------------- */

#ifdef __SANITIZE_THREAD__
enum { TURNS = 50 };
#else
enum { TURNS = 1000 };
#endif

static cl_kernel counting; /* adds 1 to a variable of the program, which starts at 40, and shows it */
static atomic_int callbacks;

static void CL_CALLBACK on_complete(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
    atomic_fetch_add(&callbacks, 1);
}

/* Everything that threads may share: counts of references, one queue, one kernel, lists of the context. */
static void *share(void *arg)
{
    const size_t one = 1;
    cl_mem m = arg;
    for (int i = 0; i < TURNS; i++) {
        cl_event e;
        ok(clRetainContext(host.context));
        ok(clRetainCommandQueue(host.queue));
        ok(clRetainMemObject(m));
        ok(clRetainKernel(counting));
        ok(clEnqueueNDRangeKernel(host.queue, counting, 1, NULL, &one, &one, 0, NULL, &e));
        ok(clSetEventCallback(e, CL_COMPLETE, on_complete, NULL));
        cl_mem own = make_buffer(64, NULL);
        cl_kernel clone = clCloneKernel(counting, NULL);
        ok(clSetKernelArg(clone, 0, sizeof own, &own));
        ok(clReleaseKernel(clone));
        ok(clReleaseMemObject(own));
        ok(clReleaseEvent(e));
        ok(clReleaseKernel(counting));
        ok(clReleaseMemObject(m));
        ok(clReleaseCommandQueue(host.queue));
        ok(clReleaseContext(host.context));
        if (i % 100 == 99)
            ok(clFinish(host.queue));
    }
    return NULL;
}

/* An ordered queue runs one command at a time, whoever enqueues: the variable misses no count. */
static void counts_under_contention(void **state)
{
    u32 got;
    cl_program p = make_program(&host.image);
    cl_mem m = make_buffer(4, NULL);
    (void)state;
    counting = make_kernel(p, "count");
    const cl_uint context = INFO(cl_uint, clGetContextInfo, host.context, CL_CONTEXT_REFERENCE_COUNT);
    ok(clSetKernelArg(counting, 0, sizeof m, &m));
    on_threads(share, m);
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    assert_int_equal(got, 40 + THREADS * TURNS);
    assert_true(comes_true(&callbacks, THREADS * TURNS));
    assert_int_equal(INFO(cl_uint, clGetKernelInfo, counting, CL_KERNEL_REFERENCE_COUNT), 1);
    assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, m, CL_MEM_REFERENCE_COUNT), 1);
    assert_int_equal(INFO(cl_uint, clGetCommandQueueInfo, host.queue, CL_QUEUE_REFERENCE_COUNT), 1);
    assert_int_equal(INFO(cl_uint, clGetContextInfo, host.context, CL_CONTEXT_REFERENCE_COUNT), context);
    ok(clReleaseKernel(counting));
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL)); /* it counts no kernel any more */
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(m));
}

/* --- descriptors ------------------------------------------------------------------------- */

static int count_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* The fewest that are open within a moment: a context may end on the thread of a queue, after its release. */
static int fewest_descriptors(int wanted)
{
    int n = count_descriptors();
    for (int i = 0; i < 300 && n > wanted; i++) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        const int now = count_descriptors();
        n = now < n ? now : n;
    }
    return n;
}

/* Contexts, programs and launches leave no descriptor open. */
static void closes_descriptors(void **state)
{
    const size_t one = 1;
    int before = 0;
    (void)state;
    for (int i = 0; i < 5; i++) {
        const cl_context kept = host.context;
        cl_int s;
        host.context = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
        ok(s);
        cl_command_queue q = make_queue(0);
        cl_program p = make_program(&host.image);
        cl_kernel k = make_kernel(p, "ids");
        cl_mem m = make_buffer(256, NULL);
        ok(clSetKernelArg(k, 0, sizeof m, &m));
        ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 0, NULL, NULL));
        ok(clFinish(q));
        ok(clReleaseMemObject(m));
        ok(clReleaseKernel(k));
        ok(clReleaseProgram(p));
        ok(clReleaseCommandQueue(q));
        ok(clReleaseContext(host.context));
        host.context = kept;
        if (i)
            assert_int_equal(fewest_descriptors(before), before);
        else
            before = fewest_descriptors(0);
    }
}

/* --- beside a launch ------------------------------------------------------------------------- */

/* Besides those of test/kit/waiting.h:
 *
 * peek(out, address)  out[0] = the word there, which it makes 0xbad */
static const char text[] =
    WAITING_KERNELS
    "   .kernel peek\n"
    "peek: lw a1, 0(a0)\n"
    "   lw a2, 4(a0)\n"
    "   lw t0, 0(a2)\n"
    "   sw t0, 0(a1)\n"
    "   li t0, 0xbad\n"
    "   sw t0, 0(a2)\n"
    "   ret\n";

/* A context with a queue and the kernels above. */
typedef struct {
    cl_context context;
    cl_command_queue queue;
    cl_kernel wait, touch, peek;
} Side;

static Side make_side(cl_context c, const Buf *image)
{
    const u8 *bytes = image->data;
    cl_int s;
    Side x = {.context = c, .queue = clCreateCommandQueue(c, host.device, 0, &s)};
    ok(s);
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &image->len, &bytes, NULL, &s);
    ok(s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    x.wait = make_kernel(p, "wait");
    x.touch = make_kernel(p, "touch");
    x.peek = make_kernel(p, "peek");
    ok(clReleaseProgram(p));
    return x;
}

static void free_side(const Side *x)
{
    ok(clReleaseKernel(x->wait));
    ok(clReleaseKernel(x->touch));
    ok(clReleaseKernel(x->peek));
    ok(clReleaseCommandQueue(x->queue));
}

static cl_mem buffer_in(cl_context c, size_t size)
{
    cl_int s;
    cl_mem m = clCreateBuffer(c, 0, size, NULL, &s);
    ok(s);
    return m;
}

static cl_event launch(cl_command_queue q, cl_kernel k)
{
    const size_t one = 1;
    cl_event e;
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 0, NULL, &e));
    return e;
}

static u32 read_word(cl_command_queue q, cl_mem m, size_t index)
{
    u32 v;
    ok(clEnqueueReadBuffer(q, m, CL_TRUE, index * sizeof v, sizeof v, &v, 0, NULL, NULL));
    return v;
}

static void touch(const Side *x, cl_mem out, u32 value)
{
    ok(clSetKernelArg(x->touch, 0, sizeof out, &out));
    ok(clSetKernelArg(x->touch, 1, sizeof value, &value));
    cl_event e = launch(x->queue, x->touch);
    ok(clWaitForEvents(1, &e));
    ok(clReleaseEvent(e));
    assert_int_equal(read_word(x->queue, out, 0), value);
}

/* While a kernel waits on one queue, commands on others are done: transfers and maps, launches of
 * the same program, everything in another context.  What waits for the kernel's event does not begin. */
static void goes_on_beside_a_launch(void **state)
{
    enum { SIZE = 1 << 16 };
    const u32 go = 77;
    cl_int s;
    cl_event mapped, after;
    Buf image = make_image_file(text, false);
    cl_context apart = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    Side x = make_side(host.context, &image), beside = x, y = make_side(apart, &image);
    cl_mem flag = make_buffer(8, NULL), out = make_buffer(4, NULL), a = make_buffer(SIZE, NULL), b = make_buffer(SIZE, NULL),
           c = buffer_in(apart, SIZE);
    (void)state;
    ok(s);
    beside.queue = make_queue(0);
    ok(clSetKernelArg(x.wait, 0, sizeof flag, &flag));
    ok(clSetKernelArg(x.wait, 1, sizeof out, &out));
    cl_event running = launch(x.queue, x.wait);
    ok(clEnqueueMarkerWithWaitList(beside.queue, 0, NULL, NULL));
    while (!read_word(beside.queue, flag, 1))
        sched_yield();
    ok(clEnqueueFillBuffer(beside.queue, a, &go, sizeof go, 0, SIZE, 0, NULL, NULL));
    ok(clEnqueueCopyBuffer(beside.queue, a, b, 0, 0, SIZE, 0, NULL, NULL));
    assert_int_equal(read_word(beside.queue, b, SIZE / 4 - 1), go);
    u32 *p = clEnqueueMapBuffer(beside.queue, b, CL_TRUE, CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &s);
    ok(s);
    p[5] = 6;
    ok(clEnqueueUnmapMemObject(beside.queue, b, p, 0, NULL, &mapped));
    ok(clWaitForEvents(1, &mapped));
    assert_int_equal(read_word(beside.queue, b, 5), 6);
    touch(&beside, a, 9);
    touch(&y, c, 10);
    ok(clReleaseMemObject(a));
    a = make_buffer(SIZE, NULL);
    assert_int_equal(read_word(beside.queue, a, 1), 0);
    ok(clEnqueueCopyBuffer(beside.queue, out, b, 0, 0, 4, 1, &running, &after));
    assert_int_equal(status_of(running), CL_RUNNING);
    assert_true(status_of(after) > CL_RUNNING);
    const cl_command_queue last = make_queue(0);
    ok(clEnqueueWriteBuffer(last, flag, CL_TRUE, 0, sizeof go, &go, 0, NULL, NULL));
    ok(clWaitForEvents(1, &after));
    assert_int_equal(status_of(running), CL_COMPLETE);
    assert_int_equal(read_word(last, b, 0), go);
    free_side(&x);
    free_side(&y);
    ok(clReleaseCommandQueue(beside.queue));
    ok(clReleaseCommandQueue(last));
    const cl_mem mems[] = {flag, out, a, b, c};
    for (size_t i = 0; i < countof(mems); i++)
        ok(clReleaseMemObject(mems[i]));
    const cl_event events[] = {running, mapped, after};
    for (size_t i = 0; i < countof(events); i++)
        ok(clReleaseEvent(events[i]));
    ok(clReleaseContext(apart));
    buf_free(&image);
}

/* A second device of the context likewise. */
static void goes_on_on_another_device(void **state)
{
    const u32 go = 78;
    cl_device_id devices[2];
    cl_command_queue q[2];
    cl_int s;
    Buf image = make_image_file(text, false);
    const u8 *bytes[] = {image.data, image.data};
    const size_t sizes[] = {image.len, image.len};
    (void)state;
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_GPU, 2, devices, NULL));
    cl_context c = clCreateContext(NULL, 2, devices, NULL, NULL, &s);
    ok(s);
    for (int i = 0; i < 2; i++) {
        q[i] = clCreateCommandQueue(c, devices[i], 0, &s);
        ok(s);
    }
    cl_command_queue beside = clCreateCommandQueue(c, devices[0], 0, &s);
    cl_program p = clCreateProgramWithBinary(c, 2, devices, sizes, bytes, NULL, &s);
    ok(s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    Side other = {.context = c, .queue = q[1], .touch = make_kernel(p, "touch")};
    cl_kernel wait = make_kernel(p, "wait");
    cl_mem flag = buffer_in(c, 8), out = buffer_in(c, 4), a = buffer_in(c, 4096);
    ok(clSetKernelArg(wait, 0, sizeof flag, &flag));
    ok(clSetKernelArg(wait, 1, sizeof out, &out));
    cl_event running = launch(q[0], wait);
    while (!read_word(beside, flag, 1))
        sched_yield();
    touch(&other, a, 9);
    assert_int_equal(status_of(running), CL_RUNNING);
    ok(clEnqueueWriteBuffer(beside, flag, CL_TRUE, 0, sizeof go, &go, 0, NULL, NULL));
    ok(clWaitForEvents(1, &running));
    assert_int_equal(read_word(q[1], out, 0), go);
    ok(clReleaseEvent(running));
    ok(clReleaseKernel(wait));
    ok(clReleaseKernel(other.touch));
    ok(clReleaseProgram(p));
    const cl_mem mems[] = {flag, out, a};
    for (size_t i = 0; i < countof(mems); i++)
        ok(clReleaseMemObject(mems[i]));
    ok(clReleaseCommandQueue(beside));
    for (int i = 0; i < 2; i++)
        ok(clReleaseCommandQueue(q[i]));
    ok(clReleaseContext(c));
    buf_free(&image);
}

/* --- contexts side by side --------------------------------------------------------------- */

enum { SECRET = 0x5ec2e7, PAGE = 4096 };
#define HEAP 0x90000000u

/* What a kernel finds at the address; 0 also where it faults. */
static u32 peek(const Side *x, cl_mem out, u32 address)
{
    const u32 none = 0;
    ok(clEnqueueWriteBuffer(x->queue, out, CL_TRUE, 0, sizeof none, &none, 0, NULL, NULL));
    ok(clSetKernelArg(x->peek, 0, sizeof out, &out));
    ok(clSetKernelArg(x->peek, 1, sizeof address, &address));
    cl_event e = launch(x->queue, x->peek);
    clFinish(x->queue);
    ok(clReleaseEvent(e));
    return read_word(x->queue, out, 0);
}

/* Kernels of a context find no word of another's buffers, nor of those that it released. */
static void keeps_contexts_apart(void **state)
{
    enum { PAGES = 64 };
    static u32 secret[PAGES * PAGE / 4], got[PAGES * PAGE / 4];
    cl_int s;
    Buf image = make_image_file(text, false);
    cl_context contexts[] = {clCreateContext(NULL, 1, &host.device, NULL, NULL, &s),
                             clCreateContext(NULL, 1, &host.device, NULL, NULL, &s)};
    Side x = make_side(contexts[0], &image), y = make_side(contexts[1], &image);
    cl_mem a = buffer_in(contexts[0], sizeof secret), own = buffer_in(contexts[0], 4), out = buffer_in(contexts[1], 4);
    u32 found = 0;
    (void)state;
    for (size_t i = 0; i < countof(secret); i++)
        secret[i] = SECRET;
    ok(clEnqueueWriteBuffer(x.queue, a, CL_TRUE, 0, sizeof secret, secret, 0, NULL, NULL));
    assert_int_equal(peek(&x, own, HEAP + 8 * PAGE), SECRET); /* so that is where it is */
    secret[8 * PAGE / 4] = 0xbad;
    for (u32 page = 0; page < PAGES; page++)
        assert_int_not_equal(peek(&y, out, HEAP + page * PAGE), SECRET);
    ok(clEnqueueReadBuffer(x.queue, a, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_memory_equal(got, secret, sizeof got);
    ok(clReleaseMemObject(a));
    for (u32 page = 0; page < PAGES; page++)
        found += peek(&x, own, HEAP + page * PAGE + 64) == SECRET;
    assert_int_equal(found, 0);
    free_side(&x);
    free_side(&y);
    ok(clReleaseMemObject(own));
    ok(clReleaseMemObject(out));
    for (size_t i = 0; i < countof(contexts); i++)
        ok(clReleaseContext(contexts[i]));
    buf_free(&image);
}

/* A buffer is zero at first, whatever was there before: other buffers, or what launches had. */
static void begins_with_zeros(void **state)
{
    static const size_t sizes[] = {1, 4096, 16384, 16385, 100000, 1 << 20, 40 << 20};
    static u8 bytes[40 << 20];
    const size_t global = 64;
    cl_program p = make_program(&host.image);
    cl_kernel k = make_kernel(p, "scale");
    (void)state;
    for (size_t i = 0; i < countof(sizes); i++)
        for (int round = 0; round < 3; round++) {
            cl_mem m = make_buffer(sizes[i], NULL), out = make_buffer(global * 4, NULL);
            ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, sizes[i], bytes, 0, NULL, NULL));
            for (size_t n = 0; n < sizes[i]; n++)
                if (bytes[n])
                    fail_msg("byte %zu of %zu is %d", n, sizes[i], bytes[n]);
            ok(clEnqueueFillBuffer(host.queue, m, &(u8){0xee}, 1, 0, sizes[i], 0, NULL, NULL));
            ok(clSetKernelArg(k, 0, sizeof out, &out));
            ok(clSetKernelArg(k, 1, 4, &round));
            ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
            ok(clFinish(host.queue));
            ok(clReleaseMemObject(round % 2 ? m : out));
            ok(clReleaseMemObject(round % 2 ? out : m));
        }
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

/* --- no more threads ---------------------------------------------------------------------- */

static void CL_CALLBACK on_built(cl_program p, void *calls)
{
    (void)p;
    ++*(int *)calls;
}

/* Stacks that no address space has room for: no thread can be made. */
static void set_stacks(size_t size)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstacksize(&attr, size), 0);
    assert_int_equal(pthread_setattr_default_np(&attr), 0);
    pthread_attr_destroy(&attr);
}

/* A queue is refused, and leaves nothing behind; a build with a callback is done by the caller's thread. */
static void goes_without_threads(void **state)
{
    const u8 *bytes = host.image.data;
    pthread_attr_t usual;
    size_t stack;
    int calls = 0;
    cl_int s, built;
    (void)state;
    cl_program p = clCreateProgramWithBinary(host.context, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(s);
    assert_int_equal(pthread_getattr_default_np(&usual), 0);
    pthread_attr_getstacksize(&usual, &stack);
    set_stacks((size_t)1 << 48);
    cl_command_queue none = clCreateCommandQueue(host.context, host.device, 0, &s);
    built = clBuildProgram(p, 0, NULL, "", on_built, &calls);
    const int at_once = calls;
    set_stacks(stack);
    pthread_attr_destroy(&usual);
    assert_null(none);
    assert_int_equal(s, CL_OUT_OF_HOST_MEMORY);
    ok(built);
    assert_int_equal(at_once, 1);
    cl_kernel k = make_kernel(p, "ids");
    assert_int_equal(INFO(cl_uint, clGetKernelInfo, k, CL_KERNEL_NUM_ARGS), 1);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_after_its_unmap),
        cmocka_unit_test(maps_on_threads),
        cmocka_unit_test(counts_under_contention),
        cmocka_unit_test(closes_descriptors),
        cmocka_unit_test(goes_on_beside_a_launch),
        cmocka_unit_test(goes_on_on_another_device),
        cmocka_unit_test(keeps_contexts_apart),
        cmocka_unit_test(begins_with_zeros),
        cmocka_unit_test(goes_without_threads),
    };
    set_environment();
    setenv("VENTUS_TIMEOUT", "60", 1);
    setenv("VENTUS_DEVICES", "2", 1);
    return cmocka_run_group_tests(tests, open_host, close_host);
}
