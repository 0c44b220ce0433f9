/* cl_buffer_test.c -- buffers, sub-buffers, copies of every form, fills, maps. */
#include "test/opencl/clhost.h"

enum { SIZE = 4096 };

static u8 pattern[SIZE]; /* byte i is i * 7 + i / 256 */

static int open_pattern(void **state)
{
    for (int i = 0; i < SIZE; i++)
        pattern[i] = (u8)(i * 7 + i / 256);
    return open_host(state);
}

static void expect_bytes(cl_mem m, const u8 *want, size_t n)
{
    u8 got[SIZE];
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, n, got, 0, NULL, NULL));
    assert_memory_equal(got, want, n);
}

static cl_mem make_flagged(cl_mem_flags flags, void *ptr)
{
    cl_int s;
    cl_mem m = clCreateBuffer(host.context, flags, SIZE, ptr, &s);
    ok(s);
    return m;
}

/* --- objects -------------------------------------------------------------------------------- */

static void answers_queries(void **state)
{
    static u8 bytes[SIZE];
    const cl_mem_properties none[] = {0};
    cl_int s;
    size_t n = 1;
    (void)state;
    cl_mem m = make_flagged(CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, bytes);
    assert_int_equal(INFO(cl_mem_object_type, clGetMemObjectInfo, m, CL_MEM_TYPE), CL_MEM_OBJECT_BUFFER);
    assert_int_equal(INFO(cl_mem_flags, clGetMemObjectInfo, m, CL_MEM_FLAGS), CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY);
    assert_int_equal(INFO(size_t, clGetMemObjectInfo, m, CL_MEM_SIZE), SIZE);
    assert_ptr_equal(INFO(void *, clGetMemObjectInfo, m, CL_MEM_HOST_PTR), bytes);
    assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, m, CL_MEM_MAP_COUNT), 0);
    assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, m, CL_MEM_REFERENCE_COUNT), 1);
    assert_ptr_equal(INFO(cl_context, clGetMemObjectInfo, m, CL_MEM_CONTEXT), host.context);
    assert_null(INFO(cl_mem, clGetMemObjectInfo, m, CL_MEM_ASSOCIATED_MEMOBJECT));
    assert_int_equal(INFO(size_t, clGetMemObjectInfo, m, CL_MEM_OFFSET), 0);
    assert_false(INFO(cl_bool, clGetMemObjectInfo, m, CL_MEM_USES_SVM_POINTER));
    ok(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, 0, NULL, &n));
    assert_int_equal(n, 0);
    assert_int_equal(clGetMemObjectInfo(m, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetMemObjectInfo(m, CL_MEM_SIZE, 1, &n, NULL), CL_INVALID_VALUE);
    ok(clRetainMemObject(m));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(m));
    m = clCreateBufferWithProperties(host.context, none, 0, SIZE, NULL, &s);
    ok(s);
    ok(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, 0, NULL, &n));
    assert_int_equal(n, sizeof none);
    assert_int_equal(INFO(cl_mem_flags, clGetMemObjectInfo, m, CL_MEM_FLAGS), CL_MEM_READ_WRITE);
    ok(clReleaseMemObject(m));
}

static void refuses_bad_buffers(void **state)
{
    const struct { cl_mem_flags flags; size_t size; void *ptr; cl_int want; } rows[] = {
        {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, CL_INVALID_VALUE},
        {CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4, NULL, CL_INVALID_VALUE},
        {CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, pattern, CL_INVALID_VALUE},
        {CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 4, pattern, CL_INVALID_VALUE},
        {(cl_mem_flags)1 << 40, 4, NULL, CL_INVALID_VALUE},
        {0, 0, NULL, CL_INVALID_BUFFER_SIZE},
        {0, (size_t)1 << 40, NULL, CL_INVALID_BUFFER_SIZE},
        {CL_MEM_USE_HOST_PTR, 4, NULL, CL_INVALID_HOST_PTR},
        {CL_MEM_COPY_HOST_PTR, 4, NULL, CL_INVALID_HOST_PTR},
        {0, 4, pattern, CL_INVALID_HOST_PTR},
    };
    const cl_mem_properties unknown[] = {0x1234, 1, 0};
    cl_int s;
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        assert_null(clCreateBuffer(host.context, rows[i].flags, rows[i].size, rows[i].ptr, &s));
        assert_int_equal(s, rows[i].want);
    }
    assert_null(clCreateBufferWithProperties(host.context, unknown, 0, 4, NULL, &s));
    assert_int_equal(s, CL_INVALID_PROPERTY);
    assert_null(clCreateBuffer((cl_context)host.queue, 0, 4, NULL, &s));
    assert_int_equal(s, CL_INVALID_CONTEXT);
    const cl_mem wrong = (cl_mem)host.queue;
    assert_int_equal(clRetainMemObject(wrong), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clReleaseMemObject(wrong), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clGetMemObjectInfo(wrong, CL_MEM_SIZE, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetMemObjectDestructorCallback(wrong, NULL, NULL), CL_INVALID_MEM_OBJECT);
}

/* All memory of the device can be had, and comes back. */
static void fills_the_device(void **state)
{
    const size_t step = INFO(cl_ulong, clGetDeviceInfo, host.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    const size_t all = INFO(cl_ulong, clGetDeviceInfo, host.device, CL_DEVICE_GLOBAL_MEM_SIZE);
    cl_mem m[16];
    cl_int s;
    (void)state;
    for (int round = 0; round < 3; round++) {
        size_t n = 0;
        for (; n < countof(m) && (m[n] = clCreateBuffer(host.context, 0, step, NULL, &s)); n++)
            ;
        assert_int_equal(s, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        assert_true(n >= 1 && n <= all / step + 1);
        while (n)
            ok(clReleaseMemObject(m[--n]));
    }
}

static atomic_int destroyed;
static int order[4];
static void CL_CALLBACK on_destroy(cl_mem m, void *data)
{
    (void)m;
    order[atomic_fetch_add(&destroyed, 1)] = *(int *)data;
}

static void calls_destructors(void **state)
{
    static int one = 1, two = 2;
    cl_mem m = make_buffer(16, NULL);
    (void)state;
    assert_int_equal(clSetMemObjectDestructorCallback(m, NULL, NULL), CL_INVALID_VALUE);
    ok(clSetMemObjectDestructorCallback(m, on_destroy, &one));
    ok(clSetMemObjectDestructorCallback(m, on_destroy, &two));
    ok(clReleaseMemObject(m));
    assert_int_equal(atomic_load(&destroyed), 2);
    assert_int_equal(order[0], 2); /* the last one first */
    assert_int_equal(order[1], 1);
}

static cl_mem make_sub(cl_mem m, cl_mem_flags flags, size_t origin, size_t size, cl_int *s)
{
    const cl_buffer_region r = {origin, size};
    return clCreateSubBuffer(m, flags, CL_BUFFER_CREATE_TYPE_REGION, &r, s);
}

static void has_sub_buffers(void **state)
{
    const u8 ff[4] = {255, 255, 255, 255};
    u8 want[SIZE];
    cl_int s;
    cl_mem m = make_buffer(SIZE, pattern), sub = make_sub(m, CL_MEM_READ_ONLY, 256, 512, &s);
    (void)state;
    ok(s);
    assert_ptr_equal(INFO(cl_mem, clGetMemObjectInfo, sub, CL_MEM_ASSOCIATED_MEMOBJECT), m);
    assert_int_equal(INFO(size_t, clGetMemObjectInfo, sub, CL_MEM_OFFSET), 256);
    assert_int_equal(INFO(size_t, clGetMemObjectInfo, sub, CL_MEM_SIZE), 512);
    expect_bytes(sub, pattern + 256, 512);
    ok(clEnqueueWriteBuffer(host.queue, sub, CL_TRUE, 8, 4, ff, 0, NULL, NULL));
    memcpy(want, pattern, SIZE);
    memcpy(want + 264, ff, 4);
    expect_bytes(m, want, SIZE);
    const struct { cl_mem parent; cl_mem_flags flags; size_t origin, size; cl_int want; } rows[] = {
        {sub, 0, 0, 128, CL_INVALID_MEM_OBJECT},
        {m, 0, 128, 0, CL_INVALID_BUFFER_SIZE},
        {m, 0, 4, 128, CL_MISALIGNED_SUB_BUFFER_OFFSET},
        {m, 0, 128, SIZE, CL_INVALID_VALUE},
        {m, 0, SIZE + 128, 1, CL_INVALID_VALUE},
        {m, CL_MEM_USE_HOST_PTR, 0, 128, CL_INVALID_VALUE},
        {m, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 0, 128, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        assert_null(make_sub(rows[i].parent, rows[i].flags, rows[i].origin, rows[i].size, &s));
        assert_int_equal(s, rows[i].want);
    }
    assert_null(clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    ok(clReleaseMemObject(m)); /* the sub-buffer keeps it */
    expect_bytes(sub, want + 256, 512);
    ok(clReleaseMemObject(sub));
}

/* --- copies ------------------------------------------------------------------------------ */

static void copies_rows(void **state)
{
    cl_mem a = make_buffer(SIZE, pattern), b = make_buffer(SIZE, NULL);
    u8 want[SIZE] = {0};
    (void)state;
    ok(clEnqueueCopyBuffer(host.queue, a, b, 3, 1001, 777, 0, NULL, NULL));
    memcpy(want + 1001, pattern + 3, 777);
    expect_bytes(b, want, SIZE);
    ok(clEnqueueCopyBuffer(host.queue, b, b, 1001, 0, 777, 0, NULL, NULL));
    memcpy(want, want + 1001, 777);
    expect_bytes(b, want, SIZE);
    assert_int_equal(clEnqueueCopyBuffer(host.queue, b, b, 0, 776, 777, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueCopyBuffer(host.queue, b, b, 776, 0, 777, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueCopyBuffer(host.queue, a, b, 0, 0, SIZE + 1, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBuffer(host.queue, a, b, 0, 0, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBuffer(host.queue, a, NULL, 0, 0, 1, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
}

static void checks_transfers(void **state)
{
    u8 bytes[64];
    cl_mem m = make_buffer(64, NULL), wo = make_flagged(CL_MEM_HOST_WRITE_ONLY, NULL),
           ro = make_flagged(CL_MEM_HOST_READ_ONLY, NULL), no = make_flagged(CL_MEM_HOST_NO_ACCESS, NULL);
    cl_int s;
    (void)state;
    assert_int_equal(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 60, 8, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, 8, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBuffer(host.queue, (cl_mem)host.queue, CL_TRUE, 0, 8, bytes, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueReadBuffer((cl_command_queue)m, m, CL_TRUE, 0, 8, bytes, 0, NULL, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clEnqueueReadBuffer(host.queue, wo, CL_TRUE, 0, 8, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueReadBuffer(host.queue, no, CL_TRUE, 0, 8, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueWriteBuffer(host.queue, ro, CL_TRUE, 0, 8, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueWriteBuffer(host.queue, m, CL_TRUE, 65, 1, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_null(clEnqueueMapBuffer(host.queue, wo, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_OPERATION);
    assert_null(clEnqueueMapBuffer(host.queue, ro, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_OPERATION);
    cl_context other = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_mem foreign = clCreateBuffer(other, 0, 64, NULL, &s);
    assert_int_equal(clEnqueueReadBuffer(host.queue, foreign, CL_TRUE, 0, 8, bytes, 0, NULL, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(clEnqueueCopyBuffer(host.queue, m, foreign, 0, 0, 8, 0, NULL, NULL), CL_INVALID_CONTEXT);
    const cl_mem all[] = {m, wo, ro, no, foreign};
    for (size_t i = 0; i < countof(all); i++)
        ok(clReleaseMemObject(all[i]));
    ok(clReleaseContext(other));
}

/* --- fills ------------------------------------------------------------------------------- */

static void fills(void **state)
{
    u8 want[SIZE];
    (void)state;
    for (size_t n = 1; n <= 128; n *= 2) {
        cl_mem m = make_buffer(SIZE, pattern);
        ok(clEnqueueFillBuffer(host.queue, m, pattern + 5, n, n * 3, n * 7, 0, NULL, NULL));
        memcpy(want, pattern, SIZE);
        for (size_t i = 0; i < 7; i++)
            memcpy(want + n * (3 + i), pattern + 5, n);
        expect_bytes(m, want, SIZE);
        assert_int_equal(clEnqueueFillBuffer(host.queue, m, pattern, n, n, SIZE, 0, NULL, NULL), CL_INVALID_VALUE);
        if (n > 1) {
            assert_int_equal(clEnqueueFillBuffer(host.queue, m, pattern, n, 1, n, 0, NULL, NULL), CL_INVALID_VALUE);
            assert_int_equal(clEnqueueFillBuffer(host.queue, m, pattern, n, 0, n + 1, 0, NULL, NULL), CL_INVALID_VALUE);
        }
        assert_int_equal(clEnqueueFillBuffer(host.queue, m, NULL, n, 0, n, 0, NULL, NULL), CL_INVALID_VALUE);
        ok(clReleaseMemObject(m));
    }
    cl_mem m = make_buffer(SIZE, NULL);
    assert_int_equal(clEnqueueFillBuffer(host.queue, m, pattern, 3, 0, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(host.queue, m, pattern, 256, 0, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(host.queue, m, pattern, 0, 0, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clReleaseMemObject(m));
}

/* --- boxes ------------------------------------------------------------------------------- */

typedef struct { size_t origin[3], row, slice; } Box;

/* The definition: byte by byte. */
static void copy_box(u8 *to, const Box *t, const u8 *from, const Box *f, const size_t region[3])
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                to[(t->origin[2] + z) * t->slice + (t->origin[1] + y) * t->row + t->origin[0] + x] =
                    from[(f->origin[2] + z) * f->slice + (f->origin[1] + y) * f->row + f->origin[0] + x];
}

static void copies_boxes(void **state)
{
    const Box a = {{3, 2, 1}, 32, 512}, b = {{5, 1, 2}, 20, 400}, dense = {{0, 0, 0}, 11, 11 * 7};
    const size_t regions[][3] = {{11, 7, 3}, {1, 1, 1}, {11, 7, 1}, {11, 1, 2}};
    u8 want[SIZE], got[SIZE];
    (void)state;
    for (size_t i = 0; i < countof(regions); i++) {
        const size_t *region = regions[i];
        cl_mem from = make_buffer(SIZE, pattern), to = make_buffer(SIZE, NULL);
        ok(clEnqueueCopyBufferRect(host.queue, from, to, a.origin, b.origin, region, a.row, a.slice, b.row, b.slice, 0,
                                   NULL, NULL));
        memset(want, 0, SIZE);
        copy_box(want, &b, pattern, &a, region);
        expect_bytes(to, want, SIZE);
        memset(got, 0, SIZE);
        memset(want, 0, SIZE);
        ok(clEnqueueReadBufferRect(host.queue, from, CL_TRUE, a.origin, b.origin, region, a.row, a.slice, b.row, b.slice,
                                   got, 0, NULL, NULL));
        copy_box(want, &b, pattern, &a, region);
        assert_memory_equal(got, want, SIZE);
        ok(clEnqueueWriteBufferRect(host.queue, to, CL_TRUE, a.origin, b.origin, region, a.row, a.slice, b.row, b.slice,
                                    pattern, 0, NULL, NULL));
        copy_box(want, &a, pattern, &b, region);
        expect_bytes(to, want, SIZE);
        ok(clReleaseMemObject(from));
        ok(clReleaseMemObject(to));
    }
    /* pitches of 0: without gaps */
    cl_mem from = make_buffer(SIZE, pattern);
    memset(got, 0, SIZE);
    memset(want, 0, SIZE);
    ok(clEnqueueReadBufferRect(host.queue, from, CL_TRUE, dense.origin, dense.origin, regions[0], 0, 0, 0, 0, got, 0,
                               NULL, NULL));
    copy_box(want, &dense, pattern, &dense, regions[0]);
    assert_memory_equal(got, want, SIZE);
    ok(clReleaseMemObject(from));
}

static void checks_boxes(void **state)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {8, 4, 2}, none[3] = {8, 0, 2}, far[3] = {0, 100, 0};
    cl_mem m = make_buffer(1024, NULL), n = make_buffer(1024, NULL);
    u8 bytes[1024];
    const struct { const size_t *at, *region; size_t row, slice, host_row, host_slice; } rows[] = {
        {zero, none, 0, 0, 0, 0}, {far, region, 16, 64, 0, 0}, {zero, region, 7, 0, 0, 0},
        {zero, region, 16, 63, 0, 0}, {zero, region, 16, 72, 0, 0}, {zero, region, 0, 0, 7, 0},
        {zero, region, 0, 0, 16, 63}, {NULL, region, 0, 0, 0, 0}, {zero, NULL, 0, 0, 0, 0},
        {zero, region, 0, SIZE_MAX / 16 * 8, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        assert_int_equal(clEnqueueReadBufferRect(host.queue, m, CL_TRUE, rows[i].at, zero, rows[i].region, rows[i].row,
                                                 rows[i].slice, rows[i].host_row, rows[i].host_slice, bytes, 0, NULL, NULL),
                         CL_INVALID_VALUE);
        assert_int_equal(clEnqueueWriteBufferRect(host.queue, m, CL_TRUE, rows[i].at, zero, rows[i].region, rows[i].row,
                                                  rows[i].slice, rows[i].host_row, rows[i].host_slice, bytes, 0, NULL, NULL),
                         CL_INVALID_VALUE);
        assert_int_equal(clEnqueueCopyBufferRect(host.queue, m, n, rows[i].at, zero, rows[i].region, rows[i].row,
                                                 rows[i].slice, rows[i].host_row, rows[i].host_slice, 0, NULL, NULL),
                         CL_INVALID_VALUE);
    }
    assert_int_equal(clEnqueueReadBufferRect(host.queue, m, CL_TRUE, zero, zero, region, 0, 0, 0, 0, NULL, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBufferRect(host.queue, m, m, zero, region, region, 16, 0, 32, 0, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(n));
}

/* Overlap is what a walk over the bytes finds. */
static void finds_overlaps(void **state)
{
    const size_t row = 8, slice = 32, region[3] = {3, 2, 2};
    const Box at0 = {{0, 0, 0}, row, slice};
    static u8 ones[SIZE], marks[SIZE];
    cl_mem m = make_buffer(SIZE, NULL);
    (void)state;
    memset(ones, 1, SIZE);
    for (size_t i = 0; i < 600; i++) {
        const size_t a[3] = {i % 6, i / 6 % 3, i / 18 % 3}, b[3] = {i * 7 % 6, i * 5 % 4, i * 11 % 4};
        const Box x = {{a[0], a[1], a[2]}, row, slice}, y = {{b[0], b[1], b[2]}, row, slice};
        bool overlaps = false;
        memset(marks, 0, SIZE);
        copy_box(marks, &x, ones, &at0, region);
        for (size_t k = 0; k < region[0] * region[1] * region[2]; k++)
            overlaps |= marks[(y.origin[2] + k / 6) * slice + (y.origin[1] + k / 3 % 2) * row + y.origin[0] + k % 3];
        assert_int_equal(clEnqueueCopyBufferRect(host.queue, m, m, a, b, region, row, slice, row, slice, 0, NULL, NULL),
                         overlaps ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
    }
    ok(clFinish(host.queue));
    ok(clReleaseMemObject(m));
}

/* A buffer and a part of it can be copied with rows of two lengths. */
static void finds_overlaps_of_two_pitches(void **state)
{
    const size_t from[3] = {8, 2, 0}, same[3] = {8, 1, 0}, last_byte[3] = {1, 1, 0}, before[3] = {0, 1, 0},
                 region[3] = {4, 2, 1};
    const cl_buffer_region part = {0, 128};
    cl_int s;
    cl_mem m = make_buffer(SIZE, NULL), x = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &s);
    (void)state;
    ok(s);
    /* rows of x at 24 and 32; of m at 24 and 40, at 17 and 33, at 16 and 32 */
    assert_int_equal(clEnqueueCopyBufferRect(host.queue, x, m, from, same, region, 8, 0, 16, 0, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueCopyBufferRect(host.queue, x, m, from, last_byte, region, 8, 0, 16, 0, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueCopyBufferRect(host.queue, m, x, before, from, region, 16, 0, 8, 0, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    ok(clEnqueueCopyBufferRect(host.queue, x, m, from, (size_t[3]){0, 3, 0}, region, 8, 0, 16, 0, 0, NULL, NULL));
    /* behind the last byte of x, which is at 35, and before the first */
    ok(clEnqueueCopyBufferRect(host.queue, x, m, from, (size_t[3]){4, 2, 0}, region, 8, 0, 16, 0, 0, NULL, NULL));
    ok(clEnqueueCopyBufferRect(host.queue, x, m, from, (size_t[3]){4, 0, 0}, region, 8, 0, 16, 0, 0, NULL, NULL));
    /* slices of x at 32 and 48, of m at 0 and 32 */
    assert_int_equal(clEnqueueCopyBufferRect(host.queue, x, m, (size_t[3]){0, 4, 0}, (size_t[3]){0}, (size_t[3]){4, 1, 2}, 8, 16, 8, 32,
                                             0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    ok(clFinish(host.queue));
    ok(clReleaseMemObject(x));
    ok(clReleaseMemObject(m));
}

static cl_int copy_within(cl_mem from, cl_mem to, size_t source, size_t target, size_t n)
{
    return clEnqueueCopyBuffer(host.queue, from, to, source, target, n, 0, NULL, NULL);
}

/* Ranges that touch do not overlap; a byte more, and they do. */
static void copies_neighbours(void **state)
{
    const size_t at[3] = {0, 0, 0}, after[3] = {3, 0, 0}, row[3] = {3, 1, 1}, below[3] = {0, 2, 0}, box[3] = {8, 2, 1};
    const cl_buffer_region low = {0, 128}, high = {128, 128};
    cl_int s;
    cl_mem m = make_buffer(SIZE, pattern);
    cl_mem x = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &s);
    cl_mem y = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &s);
    u8 want[SIZE], got[SIZE];
    (void)state;
    memcpy(want, pattern, SIZE);
    ok(copy_within(m, m, 0, 100, 100));
    memcpy(want + 100, want, 100);
    ok(copy_within(m, m, 100, 70, 30));
    memcpy(want + 70, want + 100, 30);
    ok(copy_within(m, m, 5, 6, 1));
    want[6] = want[5];
    ok(copy_within(x, y, 28, 0, 100));
    memcpy(want + 128, want + 28, 100);
    ok(clEnqueueCopyBufferRect(host.queue, m, m, at, after, row, 8, 64, 8, 64, 0, NULL, NULL));
    memcpy(want + 3, want, 3);
    ok(clEnqueueCopyBufferRect(host.queue, m, m, below, at, box, 8, 64, 8, 64, 0, NULL, NULL));
    memcpy(want, want + 16, 16);
    ok(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, SIZE, got, 0, NULL, NULL));
    assert_memory_equal(got, want, SIZE);
    assert_int_equal(copy_within(m, m, 0, 99, 100), CL_MEM_COPY_OVERLAP);
    assert_int_equal(copy_within(m, m, 99, 0, 100), CL_MEM_COPY_OVERLAP);
    assert_int_equal(copy_within(m, m, 7, 7, 1), CL_MEM_COPY_OVERLAP);
    assert_int_equal(copy_within(x, m, 28, 127, 100), CL_MEM_COPY_OVERLAP);
    assert_int_equal(copy_within(y, m, 0, 27, 102), CL_MEM_COPY_OVERLAP);
    ok(clReleaseMemObject(x));
    ok(clReleaseMemObject(y));
    ok(clReleaseMemObject(m));
}

/* --- maps -------------------------------------------------------------------------------- */

static u8 *map(cl_mem m, cl_map_flags flags, size_t at, size_t n)
{
    cl_int s;
    u8 *p = clEnqueueMapBuffer(host.queue, m, CL_TRUE, flags, at, n, 0, NULL, NULL, &s);
    ok(s);
    return p;
}

static void unmap(cl_mem m, void *p)
{
    ok(clEnqueueUnmapMemObject(host.queue, m, p, 0, NULL, NULL));
    ok(clFinish(host.queue));
}

static void maps(void **state)
{
    static u8 own[SIZE];
    const cl_mem_flags kinds[] = {CL_MEM_COPY_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR};
    u8 want[SIZE];
    (void)state;
    for (size_t i = 0; i < countof(kinds); i++) {
        memcpy(own, pattern, SIZE);
        memcpy(want, pattern, SIZE);
        cl_mem m = make_flagged(kinds[i], own);
        u8 *p = map(m, CL_MAP_READ | CL_MAP_WRITE, 100, 200);
        assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, m, CL_MEM_MAP_COUNT), 1);
        if (kinds[i] & CL_MEM_USE_HOST_PTR)
            assert_ptr_equal(p, own + 100);
        assert_memory_equal(p, pattern + 100, 200);
        memset(p, 0xaa, 200);
        memset(want + 100, 0xaa, 200);
        unmap(m, p);
        assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, m, CL_MEM_MAP_COUNT), 0);
        expect_bytes(m, want, SIZE);
        p = map(m, CL_MAP_WRITE_INVALIDATE_REGION, 0, 10);
        memset(p, 0x55, 10);
        memset(want, 0x55, 10);
        unmap(m, p);
        ok(clEnqueueFillBuffer(host.queue, m, "z", 1, 50, 5, 0, NULL, NULL));
        memset(want + 50, 'z', 5);
        p = map(m, CL_MAP_READ, 0, SIZE);
        assert_memory_equal(p, want, SIZE);
        unmap(m, p);
        ok(clReleaseMemObject(m));
    }
}

static void maps_sub_buffers(void **state)
{
    cl_int s;
    cl_mem m = make_buffer(SIZE, pattern), sub = make_sub(m, 0, 256, 512, &s);
    (void)state;
    u8 *p = map(sub, CL_MAP_WRITE, 4, 4);
    p[0] = 99;
    unmap(sub, p);
    u8 *q = map(m, CL_MAP_READ, 256, 8);
    assert_int_equal(q[4], 99);
    unmap(m, q);
    ok(clReleaseMemObject(sub));
    ok(clReleaseMemObject(m));
}

static void checks_maps(void **state)
{
    cl_mem m = make_buffer(64, NULL);
    cl_int s;
    (void)state;
    const struct { cl_map_flags flags; size_t at, n; } rows[] = {
        {CL_MAP_READ, 60, 8}, {CL_MAP_READ, 0, 0}, {CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 8}, {1 << 10, 0, 8}};
    for (size_t i = 0; i < countof(rows); i++) {
        assert_null(clEnqueueMapBuffer(host.queue, m, CL_TRUE, rows[i].flags, rows[i].at, rows[i].n, 0, NULL, NULL, &s));
        assert_int_equal(s, CL_INVALID_VALUE);
    }
    assert_int_equal(clEnqueueUnmapMemObject(host.queue, m, &s, 0, NULL, NULL), CL_INVALID_VALUE);
    u8 *p = map(m, CL_MAP_READ, 0, 8);
    unmap(m, p);
    assert_int_equal(clEnqueueUnmapMemObject(host.queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
    /* one map, one unmap, also while that waits */
    cl_event gate = clCreateUserEvent(host.context, &s);
    p = map(m, CL_MAP_READ, 0, 8);
    ok(clEnqueueUnmapMemObject(host.queue, m, p, 1, &gate, NULL));
    assert_int_equal(clEnqueueUnmapMemObject(host.queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clSetUserEventStatus(gate, -1));
    ok(clFinish(host.queue));
    unmap(m, p); /* which did not happen: it is mapped still */
    assert_int_equal(clEnqueueUnmapMemObject(host.queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clReleaseEvent(gate));
    assert_null(clEnqueueMapBuffer(host.queue, (cl_mem)host.queue, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_MEM_OBJECT);
    ok(clReleaseMemObject(m));
}

/* Any number of maps at once, of the same bytes too: each ends by its pointer, once, and nothing else ends one.  What is
 * left of them goes with the buffer. */
static void has_many_maps(void **state)
{
    enum { MAPS = 24, TURNS = 300 };
    static u8 own[SIZE];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        cl_mem m = kind ? make_flagged(CL_MEM_USE_HOST_PTR, own) : make_buffer(SIZE, own),
               other = make_buffer(SIZE, own);
        u8 *base = map(m, CL_MAP_READ, 0, 1), *live[MAPS] = {NULL};
        cl_uint n = 0;
        u32 seed = 1;
        unmap(m, base);
        for (int turn = 0; turn < TURNS; turn++) {
            seed = seed * 1664525 + 1013904223;
            u8 **p = &live[(seed >> 20) % MAPS], *old = *p;
            const size_t at = (seed >> 12) % 4 * 100;
            *p = NULL;
            if (old) {
                assert_int_equal(clEnqueueUnmapMemObject(host.queue, m, old + 1, 0, NULL, NULL),
                                 CL_INVALID_VALUE);
                assert_int_equal(clEnqueueUnmapMemObject(host.queue, other, old, 0, NULL, NULL),
                                 CL_INVALID_VALUE);
                unmap(m, old);
                n--;
            } else {
                *p = map(m, CL_MAP_READ, at, 50);
                assert_ptr_equal(*p, base + at);
                n++;
            }
            assert_int_equal(INFO(cl_uint, clGetMemObjectInfo, m, CL_MEM_MAP_COUNT), n);
            for (size_t k = 0; k < 4; k++) { /* whether one is there for the pointer */
                bool is_mapped = false;
                for (int i = 0; i < MAPS; i++)
                    is_mapped |= live[i] == base + 100 * k;
                if (!is_mapped)
                    assert_int_equal(
                        clEnqueueUnmapMemObject(host.queue, m, base + 100 * k, 0, NULL, NULL),
                        CL_INVALID_VALUE);
            }
        }
        assert_true(n > 0);
        ok(clReleaseMemObject(m));
        ok(clReleaseMemObject(other));
    }
}

/* --- what the host may do ------------------------------------------------------------------ */

enum { R = 1, W = 2 };

/* the rights that flags give to kernels, or to the host, and the flags that ask for just these */
static const struct { cl_mem_flags flag; int rights; } by_kernels[] = {{CL_MEM_READ_WRITE, R | W}, {CL_MEM_READ_ONLY, R},
                                                                       {CL_MEM_WRITE_ONLY, W}},
    by_host[] = {{0, R | W}, {CL_MEM_HOST_READ_ONLY, R}, {CL_MEM_HOST_WRITE_ONLY, W}, {CL_MEM_HOST_NO_ACCESS, 0}};

/* Every way in which the host reads or writes is open or not as the rights say. */
static void expect_rights(cl_mem m, int rights)
{
    const size_t none[3] = {0}, box[3] = {2, 2, 2};
    const cl_map_flags maps[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_MAP_READ | CL_MAP_WRITE};
    const int needed[] = {R, W, W, R | W};
    u8 bytes[64] = {0};
    const cl_int read = rights & R ? CL_SUCCESS : CL_INVALID_OPERATION, write = rights & W ? CL_SUCCESS : CL_INVALID_OPERATION;
    assert_int_equal(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, 8, bytes, 0, NULL, NULL), read);
    assert_int_equal(clEnqueueWriteBuffer(host.queue, m, CL_TRUE, 0, 8, bytes, 0, NULL, NULL), write);
    assert_int_equal(clEnqueueReadBufferRect(host.queue, m, CL_TRUE, none, none, box, 0, 0, 0, 0, bytes, 0, NULL, NULL), read);
    assert_int_equal(clEnqueueWriteBufferRect(host.queue, m, CL_TRUE, none, none, box, 0, 0, 0, 0, bytes, 0, NULL, NULL), write);
    ok(clEnqueueFillBuffer(host.queue, m, bytes, 4, 0, 8, 0, NULL, NULL)); /* what the device does is no access */
    for (size_t i = 0; i < countof(maps); i++) {
        cl_int s;
        void *p = clEnqueueMapBuffer(host.queue, m, CL_TRUE, maps[i], 0, 8, 0, NULL, NULL, &s);
        assert_int_equal(s, needed[i] & ~rights ? CL_INVALID_OPERATION : CL_SUCCESS);
        if (p)
            ok(clEnqueueUnmapMemObject(host.queue, m, p, 0, NULL, NULL));
    }
}

/* A part has the rights that its flags ask for, or its buffer's where they ask for none; more than those of the
 * buffer are refused, and so are two answers to one question. */
static void shares_rights(void **state)
{
    (void)state;
    for (size_t a = 0; a < countof(by_kernels); a++)
        for (size_t b = 0; b < countof(by_host); b++) {
            cl_mem m = make_flagged(by_kernels[a].flag | by_host[b].flag, NULL);
            expect_rights(m, by_host[b].rights);
            for (unsigned set = 0; set < 64; set++) {
                cl_mem_flags flags = 0;
                int kernels = by_kernels[a].rights, by = by_host[b].rights, asked[2] = {0};
                bool more = false;
                for (unsigned i = 0; i < 6; i++) {
                    const bool is_host = i >= 3;
                    const cl_mem_flags flag = is_host ? by_host[i - 2].flag : by_kernels[i].flag;
                    const int rights = is_host ? by_host[i - 2].rights : by_kernels[i].rights;
                    if (!(set >> i & 1))
                        continue;
                    flags |= flag;
                    asked[is_host]++;
                    more |= rights & ~(is_host ? by_host[b].rights : by_kernels[a].rights);
                    *(is_host ? &by : &kernels) = rights;
                }
                cl_int s;
                cl_mem part = make_sub(m, flags, 128, 256, &s);
                if (s != (more || asked[0] > 1 || asked[1] > 1 ? CL_INVALID_VALUE : CL_SUCCESS))
                    fail_msg("flags %x of a part of %zu, %zu: %d", (unsigned)flags, a, b, s);
                if (!part)
                    continue;
                cl_mem_flags want = 0;
                for (size_t i = 0; i < countof(by_kernels); i++)
                    want |= by_kernels[i].rights == kernels ? by_kernels[i].flag : 0;
                for (size_t i = 0; i < countof(by_host); i++)
                    want |= by_host[i].rights == by ? by_host[i].flag : 0;
                assert_int_equal(INFO(cl_mem_flags, clGetMemObjectInfo, part, CL_MEM_FLAGS), want);
                expect_rights(part, by);
                ok(clReleaseMemObject(part));
            }
            ok(clFinish(host.queue));
            ok(clReleaseMemObject(m));
        }
}

/* Parts reach from any multiple of the alignment to the buffer's end, and lie in the host's memory where it does. */
static void has_parts_to_the_end(void **state)
{
    static u8 own[SIZE];
    cl_int s;
    cl_mem m = make_flagged(CL_MEM_USE_HOST_PTR, own), part;
    (void)state;
    for (size_t at = 0; at < SIZE; at += 128) {
        assert_null(make_sub(m, 0, at, SIZE - at + 1, &s));
        assert_int_equal(s, CL_INVALID_VALUE);
        assert_null(make_sub(m, 0, at + 128, 0, &s));
        assert_int_equal(s, CL_INVALID_BUFFER_SIZE);
        part = make_sub(m, 0, at, SIZE - at, &s);
        ok(s);
        assert_ptr_equal(INFO(void *, clGetMemObjectInfo, part, CL_MEM_HOST_PTR), own + at);
        assert_int_equal(INFO(cl_mem_flags, clGetMemObjectInfo, part, CL_MEM_FLAGS), CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE);
        u8 *p = clEnqueueMapBuffer(host.queue, part, CL_TRUE, CL_MAP_WRITE, SIZE - at - 1, 1, 0, NULL, NULL, &s);
        ok(s);
        assert_ptr_equal(p, own + SIZE - 1);
        ok(clEnqueueUnmapMemObject(host.queue, part, p, 0, NULL, NULL));
        ok(clFinish(host.queue));
        ok(clReleaseMemObject(part));
    }
    ok(clReleaseMemObject(m));
}

/* Transfers end at the buffer's last byte, and numbers that wrap around end nowhere. */
static void transfers_to_the_end(void **state)
{
    const size_t zero[3] = {0}, box[3] = {8, 4, 2}, line[3] = {64, 1, 1}, huge = SIZE_MAX / 2 + 1;
    cl_mem m = make_buffer(64, NULL), n = make_buffer(65, NULL);
    u8 bytes[128] = {0};
    const struct { size_t origin[3], row, slice; bool fits; } boxes[] = { /* of 8 x 4 x 2 bytes in 64 */
        {{0, 0, 0}, 8, 32, true}, {{1, 0, 0}, 8, 32, false}, {{0, 1, 0}, 8, 32, false}, {{0, 0, 1}, 8, 32, false},
        {{0, 0, 0}, 9, 36, false}, {{0, 0, 0}, 8, 40, false}, {{0, 0, 0}, huge, huge, false},
        {{0, 0, 0}, 8, huge, false}, {{huge, 0, 0}, 8, 32, false}, {{0, huge, 0}, 8, 32, false}, {{0, 0, huge}, 8, 32, false},
        {{huge, huge / 8, 0}, 8, 32, false}, {{0, 0, 0}, huge, 0, false}, {{0, 0, huge / 16}, 8, 32, false},
        {{0, huge / 8, huge / 32}, 8, 32, false}};
    const struct { size_t region[3], row, slice; } many[] = { /* whose bytes are 2^64 and a few */
        {{1, 1, huge / 8 + 1}, 16, 16}, {{1, 2, 2}, huge / 2, huge / 2 * 3}, {{huge, 1, 2}, huge, huge}};
    (void)state;
    for (size_t i = 0; i < countof(boxes); i++) {
        const cl_int want = boxes[i].fits ? CL_SUCCESS : CL_INVALID_VALUE;
        const size_t *at = boxes[i].origin, row = boxes[i].row, slice = boxes[i].slice;
        assert_int_equal(clEnqueueReadBufferRect(host.queue, m, CL_TRUE, at, zero, box, row, slice, 0, 0, bytes, 0, NULL, NULL), want);
        assert_int_equal(clEnqueueWriteBufferRect(host.queue, m, CL_TRUE, at, zero, box, row, slice, 0, 0, bytes, 0, NULL, NULL), want);
        assert_int_equal(clEnqueueCopyBufferRect(host.queue, m, n, at, zero, box, row, slice, 0, 0, 0, NULL, NULL), want);
        assert_int_equal(clEnqueueCopyBufferRect(host.queue, n, m, zero, at, box, 0, 0, row, slice, 0, NULL, NULL), want);
    }
    for (size_t i = 0; i < countof(many); i++)
        assert_int_equal(clEnqueueReadBufferRect(host.queue, m, CL_TRUE, zero, zero, many[i].region, many[i].row, many[i].slice,
                                                 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clEnqueueCopyBufferRect(host.queue, n, m, (size_t[3]){1, 0, 0}, zero, line, 0, 0, 0, 0, 0, NULL, NULL));
    assert_int_equal(clEnqueueCopyBufferRect(host.queue, n, m, (size_t[3]){2, 0, 0}, zero, line, 0, 0, 0, 0, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    for (size_t at = 0; at <= 66; at++)
        for (size_t size = 0; size <= 66; size++) {
            const bool fits = at + size <= 64, is_some = size > 0;
            const cl_int want = fits && is_some ? CL_SUCCESS : CL_INVALID_VALUE;
            cl_int s;
            assert_int_equal(clEnqueueReadBuffer(host.queue, m, CL_TRUE, at, size, bytes, 0, NULL, NULL), want);
            assert_int_equal(clEnqueueWriteBuffer(host.queue, m, CL_TRUE, at, size, bytes, 0, NULL, NULL), want);
            assert_int_equal(clEnqueueCopyBuffer(host.queue, m, n, at, 0, size, 0, NULL, NULL), want);
            assert_int_equal(clEnqueueCopyBuffer(host.queue, n, m, 0, at, size, 0, NULL, NULL), want);
            assert_int_equal(clEnqueueFillBuffer(host.queue, m, bytes, 1, at, size, 0, NULL, NULL), fits ? CL_SUCCESS : CL_INVALID_VALUE);
            void *p = clEnqueueMapBuffer(host.queue, m, CL_TRUE, CL_MAP_READ, at, size, 0, NULL, NULL, &s);
            assert_int_equal(s, want);
            if (p)
                ok(clEnqueueUnmapMemObject(host.queue, m, p, 0, NULL, NULL));
        }
    /* a fill of nothing is a command too */
    cl_event e;
    ok(clEnqueueFillBuffer(host.queue, m, bytes, 16, 16, 0, 0, NULL, &e));
    ok(clWaitForEvents(1, &e));
    assert_int_equal(INFO(cl_command_type, clGetEventInfo, e, CL_EVENT_COMMAND_TYPE), CL_COMMAND_FILL_BUFFER);
    ok(clReleaseEvent(e));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(n));
}

/* Transfers of 64 KiB and less that wait for nothing are done when the call returns. */
static void transfers_little_at_once(void **state)
{
    enum { MOST = 64 << 10 };
    static u8 bytes[MOST];
    const size_t zero[3] = {0}, box[3] = {256, 16, 16};
    cl_mem a = make_buffer(MOST, NULL), b = make_buffer(MOST, NULL);
    cl_event e[8];
    cl_int s;
    (void)state;
    ok(clEnqueueWriteBuffer(host.queue, a, CL_FALSE, 0, MOST, bytes, 0, NULL, &e[0]));
    ok(clEnqueueReadBuffer(host.queue, a, CL_FALSE, 0, MOST, bytes, 0, NULL, &e[1]));
    ok(clEnqueueCopyBuffer(host.queue, a, b, 0, 0, MOST, 0, NULL, &e[2]));
    ok(clEnqueueFillBuffer(host.queue, a, bytes, 1, 0, MOST, 0, NULL, &e[3]));
    ok(clEnqueueReadBufferRect(host.queue, a, CL_FALSE, zero, zero, box, 0, 0, 0, 0, bytes, 0, NULL, &e[4]));
    ok(clEnqueueCopyBufferRect(host.queue, a, b, zero, zero, box, 0, 0, 0, 0, 0, NULL, &e[5]));
    void *p = clEnqueueMapBuffer(host.queue, a, CL_FALSE, CL_MAP_READ, 0, MOST, 0, NULL, &e[6], &s);
    ok(s);
    ok(clEnqueueUnmapMemObject(host.queue, a, p, 0, NULL, &e[7]));
    for (size_t i = 0; i < countof(e); i++) {
        assert_int_equal(status_of(e[i]), CL_COMPLETE);
        ok(clReleaseEvent(e[i]));
    }
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
}

/* Which handles are those of buffers, whatever the order in which they are made and released. */
static void knows_its_buffers(void **state)
{
    enum { N = 6 };
    cl_program p = make_program(&host.image);
    cl_kernel k = make_kernel(p, "scale");
    cl_mem live[N] = {0};
    u32 seed = 1;
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        seed = seed * 1664525 + 1013904223;
        cl_mem *m = &live[(seed >> 16) % N], old = *m;
        *m = NULL;
        if (old) {
            ok(clReleaseMemObject(old));
            assert_int_equal(clSetKernelArg(k, 0, sizeof old, &old), CL_INVALID_MEM_OBJECT);
        } else {
            *m = make_buffer(16, NULL);
        }
        for (int i = 0; i < N; i++)
            if (live[i])
                ok(clSetKernelArg(k, 0, sizeof live[i], &live[i]));
    }
    for (int i = 0; i < N; i++)
        if (live[i])
            ok(clReleaseMemObject(live[i]));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

static void migrates(void **state)
{
    cl_mem m = make_buffer(SIZE, pattern), none = NULL;
    (void)state;
    ok(clEnqueueMigrateMemObjects(host.queue, 1, &m, 0, 0, NULL, NULL));
    ok(clEnqueueMigrateMemObjects(host.queue, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    expect_bytes(m, pattern, SIZE);
    assert_int_equal(clEnqueueMigrateMemObjects(host.queue, 0, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueMigrateMemObjects(host.queue, 1, &m, 1 << 9, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueMigrateMemObjects(host.queue, 1, &none, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    ok(clReleaseMemObject(m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_queries),      cmocka_unit_test(refuses_bad_buffers),
        cmocka_unit_test(fills_the_device),     cmocka_unit_test(calls_destructors),
        cmocka_unit_test(has_sub_buffers),      cmocka_unit_test(copies_rows),
        cmocka_unit_test(checks_transfers),     cmocka_unit_test(fills),
        cmocka_unit_test(copies_boxes),         cmocka_unit_test(checks_boxes),
        cmocka_unit_test(finds_overlaps),       cmocka_unit_test(finds_overlaps_of_two_pitches),
        cmocka_unit_test(copies_neighbours),    cmocka_unit_test(maps),
        cmocka_unit_test(maps_sub_buffers),     cmocka_unit_test(checks_maps),
        cmocka_unit_test(has_many_maps),        cmocka_unit_test(migrates),
        cmocka_unit_test(shares_rights),        cmocka_unit_test(has_parts_to_the_end),
        cmocka_unit_test(transfers_to_the_end), cmocka_unit_test(transfers_little_at_once),
        cmocka_unit_test(knows_its_buffers),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_pattern, close_host);
}
