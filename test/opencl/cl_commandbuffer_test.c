/* cl_commandbuffer_test.c -- command buffers (cl_khr_command_buffer 0.9.8): what is recorded runs
 * as often as it is enqueued, as it was when it was recorded.
 *
 * The functions are taken from the runtime by name, with types of our own: the system's headers
 * know older versions.
 */
#include "test/opencl/clhost.h"

typedef struct CommandBuffer CommandBuffer;
typedef cl_uint Point;

enum {
    INVALID_COMMAND_BUFFER = -1138,
    INVALID_SYNC_POINT_WAIT_LIST = -1139,
    INCOMPATIBLE_COMMAND_QUEUE = -1140,
    BUFFER_FLAGS = 0x1293
};

#define BEFORE CommandBuffer *, cl_command_queue, const cl_properties *
#define AFTER  cl_uint, const Point *, Point *, void **
static struct {
    CommandBuffer *(*create)(cl_uint, const cl_command_queue *, const cl_properties *, cl_int *);
    cl_int (*retain)(CommandBuffer *), (*release)(CommandBuffer *), (*finalize)(CommandBuffer *);
    cl_int (*enqueue)(cl_uint, cl_command_queue *, CommandBuffer *, cl_uint, const cl_event *,
                      cl_event *);
    cl_int (*info)(CommandBuffer *, cl_uint, size_t, void *, size_t *);
    cl_int (*barrier)(BEFORE, AFTER);
    cl_int (*copy)(BEFORE, cl_mem, cl_mem, size_t, size_t, size_t, AFTER);
    cl_int (*copy_rect)(BEFORE, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *,
                        size_t, size_t, size_t, size_t, AFTER);
    cl_int (*fill)(BEFORE, cl_mem, const void *, size_t, size_t, size_t, AFTER);
    cl_int (*fill_image)(BEFORE, cl_mem, const void *, const size_t *, const size_t *, AFTER);
    cl_int (*copy_image)(BEFORE, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *,
                         AFTER);
    cl_int (*image_to_buffer)(BEFORE, cl_mem, cl_mem, const size_t *, const size_t *, size_t,
                              AFTER);
    cl_int (*buffer_to_image)(BEFORE, cl_mem, cl_mem, size_t, const size_t *, const size_t *,
                              AFTER);
    cl_int (*ndrange)(BEFORE, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
                      AFTER);
    cl_int (*svm_copy)(BEFORE, void *, const void *, size_t, AFTER);
    cl_int (*svm_fill)(BEFORE, void *, const void *, size_t, size_t, AFTER);
} f;
#define HERE NULL, NULL          /* the buffer's queue, no properties */
#define FREE 0, NULL, NULL, NULL /* after nothing, and nothing comes after it */

static void find(const char *name, void *function)
{
    void *address = clGetExtensionFunctionAddressForPlatform(host.platform, name);
    assert_non_null(address);
    memcpy(function, &address, sizeof address);
}

static int open_functions(void **state)
{
    open_host(state);
    find("clCreateCommandBufferKHR", &f.create);
    find("clRetainCommandBufferKHR", &f.retain);
    find("clReleaseCommandBufferKHR", &f.release);
    find("clFinalizeCommandBufferKHR", &f.finalize);
    find("clEnqueueCommandBufferKHR", &f.enqueue);
    find("clGetCommandBufferInfoKHR", &f.info);
    find("clCommandBarrierWithWaitListKHR", &f.barrier);
    find("clCommandCopyBufferKHR", &f.copy);
    find("clCommandCopyBufferRectKHR", &f.copy_rect);
    find("clCommandFillBufferKHR", &f.fill);
    find("clCommandFillImageKHR", &f.fill_image);
    find("clCommandCopyImageKHR", &f.copy_image);
    find("clCommandCopyImageToBufferKHR", &f.image_to_buffer);
    find("clCommandCopyBufferToImageKHR", &f.buffer_to_image);
    find("clCommandNDRangeKernelKHR", &f.ndrange);
    find("clCommandSVMMemcpyKHR", &f.svm_copy);
    find("clCommandSVMMemFillKHR", &f.svm_fill);
    return 0;
}

static CommandBuffer *make(void)
{
    cl_int s;
    CommandBuffer *b = f.create(1, &host.queue, NULL, &s);
    ok(s);
    return b;
}

static void read_back(cl_mem m, void *to, size_t n)
{
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, n, to, 0, NULL, NULL));
}

/* out[i] = i * factor, copied, and how often it ran; objects and arguments may change after the
 * recording. */
static void runs_again(void **state)
{
    enum { N = 64 };
    const size_t items = N, one = 1, origin[3] = {0}, other[3] = {4, 0, 0}, region[3] = {4, 2, 1};
    const cl_uint three = 3, seven = 7;
    u32 got[2 * N], times, box[6] = {0};
    Point first, second;
    (void)state;
    cl_program p = make_program(&host.image);
    cl_kernel scale = make_kernel(p, "scale"), count = make_kernel(p, "count");
    cl_mem m = make_buffer(8 * N, NULL), c = make_buffer(4, NULL),
           d = make_buffer(sizeof box, NULL);
    CommandBuffer *b = make();
    ok(clSetKernelArg(scale, 0, sizeof m, &m));
    ok(clSetKernelArg(scale, 1, sizeof three, &three));
    ok(clSetKernelArg(count, 0, sizeof c, &c));
    ok(f.fill(b, HERE, m, &seven, 4, 0, 8 * N, 0, NULL, &first, NULL));
    ok(f.ndrange(b, HERE, scale, 1, NULL, &items, NULL, 1, &first, &second, NULL));
    assert_int_not_equal(first, second);
    ok(f.barrier(b, HERE, 1, &second, NULL, NULL));
    ok(f.copy(b, HERE, m, m, 0, 4 * N, 2 * N, FREE));
    ok(f.copy_rect(b, HERE, m, d, origin, other, region, 8, 0, 8, 0, FREE));
    ok(f.ndrange(b, HERE, count, 1, NULL, &one, NULL, FREE));
    ok(clSetKernelArg(scale, 1, sizeof seven, &seven)); /* of no concern to what was recorded */
    assert_int_equal(f.enqueue(0, NULL, b, 0, NULL, NULL), CL_INVALID_OPERATION);
    ok(f.finalize(b));
    assert_int_equal(f.finalize(b), CL_INVALID_OPERATION);
    assert_int_equal(f.barrier(b, HERE, FREE), CL_INVALID_OPERATION);
    for (u32 round = 1; round <= 3; round++) {
        cl_event e;
        ok(clEnqueueFillBuffer(host.queue, m, &round, 4, 0, 8 * N, 0, NULL, NULL));
        ok(f.enqueue(0, NULL, b, 0, NULL, &e));
        read_back(m, got, sizeof got);
        read_back(c, &times, sizeof times);
        read_back(d, box, sizeof box);
        for (u32 i = 0; i < 2 * N; i++)
            assert_int_equal(got[i], i < N ? 3 * i : i < N + N / 2 ? 3 * (i - N) : 7);
        assert_int_equal(times, 40 + round);
        assert_int_equal(box[1], 0);
        assert_int_equal(box[3], 6); /* word 2, in the second row */
        assert_int_equal(INFO(cl_command_type, clGetEventInfo, e, CL_EVENT_COMMAND_TYPE), 0x12a8);
        ok(clReleaseEvent(e));
    }
    ok(clReleaseKernel(scale));
    ok(clReleaseKernel(count));
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(c));
    ok(clReleaseMemObject(d));
    ok(f.enqueue(0, NULL, b, 0, NULL, NULL)); /* it keeps what it needs */
    read_back(m, got, sizeof got);
    assert_int_equal(got[5], 15);
    ok(clReleaseMemObject(m));
    ok(f.release(b));
}

/* There is no shared virtual memory, nor commands for it. */
static void has_no_shared_memory(void **state)
{
    u32 a = 0, b = 1;
    (void)state;
    CommandBuffer *c = make();
    assert_int_equal(f.svm_copy(c, HERE, &a, &b, 4, FREE), CL_INVALID_OPERATION);
    assert_int_equal(f.svm_fill(c, HERE, &a, &b, 4, 4, FREE), CL_INVALID_OPERATION);
    ok(f.finalize(c));
    ok(f.enqueue(0, NULL, c, 0, NULL, NULL));
    ok(clFinish(host.queue));
    assert_int_equal(a, 0);
    ok(f.release(c));
}

static void moves_pictures(void **state)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t origin[3] = {1, 1, 0}, zero[3] = {0}, region[3] = {2, 2, 1}, row[3] = {4, 1, 1};
    const cl_uint colour[4] = {9};
    u32 words[12] = {1, 2, 3, 4};
    cl_int s;
    (void)state;
    cl_mem a = clCreateImage(host.context, 0, &format, &desc, NULL, &s),
           c = clCreateImage(host.context, 0, &format, &desc, NULL, &s);
    ok(s);
    cl_mem m = make_buffer(sizeof words, words);
    CommandBuffer *b = make();
    ok(f.buffer_to_image(b, HERE, m, a, 0, zero, row, FREE));
    ok(f.fill_image(b, HERE, a, colour, origin, region, FREE));
    ok(f.copy_image(b, HERE, a, c, zero, zero, (size_t[]){4, 2, 1}, FREE));
    ok(f.image_to_buffer(b, HERE, c, m, zero, (size_t[]){4, 2, 1}, 16, FREE));
    ok(f.finalize(b));
    ok(f.enqueue(1, &host.queue, b, 0, NULL, NULL));
    read_back(m, words, sizeof words);
    assert_memory_equal(words, ((u32[]){1, 2, 3, 4, 1, 2, 3, 4, 0, 9, 9, 0}), sizeof words);
    ok(f.release(b));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(c));
}

/* A command that fails ends the run with its error. */
static void stops_at_failures(void **state)
{
    const size_t one = 1;
    const cl_uint five = 5;
    cl_event gate, e;
    u32 word = 1;
    cl_int s;
    (void)state;
    cl_program p = make_program(&host.image);
    cl_kernel wild = make_kernel(p, "wild");
    cl_mem m = make_buffer(4, &word);
    CommandBuffer *b = make();
    ok(f.ndrange(b, HERE, wild, 1, NULL, &one, NULL, FREE));
    ok(f.fill(b, HERE, m, &five, 4, 0, 4, FREE));
    ok(f.finalize(b));
    gate = clCreateUserEvent(host.context, &s);
    ok(f.enqueue(0, NULL, b, 1, &gate, &e));
    assert_true(status_of(e) > CL_COMPLETE);
    ok(f.release(b)); /* while it waits */
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(e), CL_OUT_OF_RESOURCES);
    assert_int_equal(clFinish(host.queue), CL_OUT_OF_RESOURCES);
    read_back(m, &word, 4);
    assert_int_equal(word, 1);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(e));
    ok(clReleaseKernel(wild));
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(m));
}

static void answers_queries(void **state)
{
    const cl_properties none[] = {BUFFER_FLAGS, 0, 0};
    cl_properties list[3];
    cl_command_queue q;
    cl_context c;
    cl_uint n;
    size_t size;
    cl_int s;
    char text[4096];
    (void)state;
    ok(clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    assert_non_null(strstr(text, "cl_khr_command_buffer"));
    assert_int_equal(INFO(cl_bitfield, clGetDeviceInfo, host.device, 0x12a9), 1);
    assert_int_equal(INFO(cl_bitfield, clGetDeviceInfo, host.device, 0x129a),
                     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    assert_int_equal(INFO(cl_bitfield, clGetDeviceInfo, host.device, 0x12aa), 0);
    CommandBuffer *b = f.create(1, &host.queue, none, &s);
    ok(s);
    ok(f.info(b, 0x1294, sizeof q, &q, NULL));
    assert_ptr_equal(q, host.queue);
    ok(f.info(b, 0x1295, sizeof n, &n, NULL));
    assert_int_equal(n, 1);
    ok(f.retain(b));
    ok(f.info(b, 0x1296, sizeof n, &n, NULL));
    assert_int_equal(n, 2);
    ok(f.release(b));
    ok(f.info(b, 0x1297, sizeof n, &n, NULL));
    assert_int_equal(n, 0);
    ok(f.finalize(b));
    ok(f.info(b, 0x1297, sizeof n, &n, NULL));
    assert_int_equal(n, 1);
    ok(f.info(b, 0x1298, sizeof list, list, &size));
    assert_int_equal(size, sizeof none);
    assert_memory_equal(list, none, sizeof none);
    ok(f.info(b, 0x1299, sizeof c, &c, NULL));
    assert_ptr_equal(c, host.context);
    assert_int_equal(f.info(b, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(f.release(b));
}

/* The list of properties is kept as it was given, none or an empty one too; flags stand in it once.  Commands may have an
 * empty list. */
static void keeps_properties(void **state)
{
    const cl_properties empty[] = {0}, flags[] = {BUFFER_FLAGS, 0, 0},
                        twice[] = {BUFFER_FLAGS, 0, BUFFER_FLAGS, 0, 0};
    const struct {
        const cl_properties *list;
        size_t size;
    } rows[] = {{NULL, 0}, {empty, sizeof empty}, {flags, sizeof flags}};
    cl_int s;
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        cl_properties got[5];
        size_t size = 99;
        CommandBuffer *b = f.create(1, &host.queue, rows[i].list, &s);
        ok(s);
        ok(f.info(b, 0x1298, sizeof got, got, &size));
        assert_int_equal(size, rows[i].size);
        assert_memory_equal(got, rows[i].size ? rows[i].list : got, size);
        ok(f.barrier(b, NULL, empty, FREE));
        ok(f.barrier(b, HERE, FREE));
        ok(f.finalize(b));
        ok(f.enqueue(0, NULL, b, 0, NULL, NULL));
        ok(f.release(b));
    }
    assert_null(f.create(1, &host.queue, twice, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
}

/* Many commands, of which each waits for those that it may: for the ones before it, and no others. */
static void records_many(void **state)
{
    enum { N = 300 };
    u32 words[N], got[N];
    Point point[N];
    (void)state;
    cl_mem m = make_buffer(sizeof got, NULL);
    CommandBuffer *b = make();
    for (u32 i = 0; i < N; i++) {
        words[i] = 7 * i + 1;
        ok(f.fill(b, HERE, m, &words[i], 4, 4 * i, 4 * (N - i), i, i ? point : NULL, &point[i],
                  NULL));
        for (u32 k = 0; k < i; k++)
            assert_int_not_equal(point[k], point[i]);
        const Point next = point[i] + 1;
        assert_int_equal(f.barrier(b, HERE, 1, &next, NULL, NULL), INVALID_SYNC_POINT_WAIT_LIST);
    }
    ok(f.finalize(b));
    ok(f.enqueue(0, NULL, b, 0, NULL, NULL));
    read_back(m, got, sizeof got);
    assert_memory_equal(got, words, sizeof got); /* each has filled the rest, in their order */
    ok(f.release(b));
    ok(clReleaseMemObject(m));
}

static void refuses_bad_calls(void **state)
{
    const cl_properties flag[] = {BUFFER_FLAGS, 2, 0}, unknown[] = {1, 1, 0};
    cl_command_queue two[2] = {host.queue, host.queue}, none = NULL;
    const Point later = 9, zero = 0;
    void *handle;
    cl_int s;
    (void)state;
    assert_null(f.create(1, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(f.create(2, two, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(f.create(1, &none, NULL, &s));
    assert_int_equal(s, CL_INVALID_COMMAND_QUEUE);
    assert_null(f.create(1, &host.queue, flag, &s));
    assert_int_equal(s, CL_INVALID_PROPERTY);
    assert_null(f.create(1, &host.queue, unknown, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_int_equal(f.retain(NULL), INVALID_COMMAND_BUFFER);
    assert_int_equal(f.release((CommandBuffer *)host.queue), INVALID_COMMAND_BUFFER);
    assert_int_equal(f.finalize(NULL), INVALID_COMMAND_BUFFER);
    assert_int_equal(f.enqueue(0, NULL, NULL, 0, NULL, NULL), INVALID_COMMAND_BUFFER);
    assert_int_equal(f.barrier(NULL, HERE, FREE), INVALID_COMMAND_BUFFER);
    CommandBuffer *b = make();
    cl_mem m = make_buffer(64, NULL);
    assert_int_equal(f.barrier(b, host.queue, NULL, FREE), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(f.barrier(b, NULL, unknown, FREE), CL_INVALID_VALUE);
    assert_int_equal(f.barrier(b, HERE, 0, NULL, NULL, &handle), CL_INVALID_VALUE);
    assert_int_equal(f.barrier(b, HERE, 1, NULL, NULL, NULL), INVALID_SYNC_POINT_WAIT_LIST);
    assert_int_equal(f.barrier(b, HERE, 1, &later, NULL, NULL), INVALID_SYNC_POINT_WAIT_LIST);
    assert_int_equal(f.barrier(b, HERE, 1, &zero, NULL, NULL), INVALID_SYNC_POINT_WAIT_LIST);
    assert_int_equal(f.copy(b, HERE, m, NULL, 0, 0, 4, FREE), CL_INVALID_MEM_OBJECT);
    assert_int_equal(f.copy(b, HERE, m, m, 0, 0, 4, FREE), CL_MEM_COPY_OVERLAP);
    assert_int_equal(f.copy(b, HERE, m, m, 0, 60, 8, FREE), CL_INVALID_VALUE);
    ok(f.finalize(b));
    assert_int_equal(f.enqueue(2, two, b, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(f.enqueue(1, &none, b, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    ok(f.enqueue(0, NULL, b, 0, NULL, NULL)); /* nothing was recorded */
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, host.device, NULL, &s);
    assert_int_equal(f.enqueue(1, &q, b, 0, NULL, NULL), CL_INVALID_CONTEXT);
    ok(clReleaseCommandQueue(q));
    ok(clReleaseContext(c));
    ok(clReleaseMemObject(m));
    ok(f.release(b));
}

/* A queue of another device cannot run what was recorded; one with other properties can. */
static void chooses_queues(void **state)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id d[2];
    cl_command_queue q[3];
    cl_int s;
    (void)state;
    ok(clCreateSubDevices(host.device, halves, 2, d, NULL));
    cl_context c = clCreateContext(NULL, 2, d, NULL, NULL, &s);
    ok(s);
    q[0] = clCreateCommandQueue(c, d[0], 0, &s);
    q[1] = clCreateCommandQueue(c, d[1], 0, &s);
    q[2] = clCreateCommandQueue(c, d[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &s);
    CommandBuffer *b = f.create(1, &q[0], NULL, &s);
    ok(s);
    ok(f.finalize(b));
    assert_int_equal(f.enqueue(1, &q[1], b, 0, NULL, NULL), INCOMPATIBLE_COMMAND_QUEUE);
    ok(f.enqueue(1, &q[2], b, 0, NULL, NULL));
    ok(clFinish(q[2]));
    ok(f.release(b));
    for (int i = 0; i < 3; i++)
        ok(clReleaseCommandQueue(q[i]));
    ok(clReleaseContext(c));
    ok(clReleaseDevice(d[0]));
    ok(clReleaseDevice(d[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_again),        cmocka_unit_test(moves_pictures),
        cmocka_unit_test(stops_at_failures), cmocka_unit_test(answers_queries),
        cmocka_unit_test(refuses_bad_calls), cmocka_unit_test(chooses_queues),
        cmocka_unit_test(keeps_properties),  cmocka_unit_test(records_many),
        cmocka_unit_test(has_no_shared_memory),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_functions, close_host);
}
