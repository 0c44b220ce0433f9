/* cl_pipe_test.c -- pipes: what goes in comes out once, in whatever order, singly and by
 * reservations of work-items, sub-groups and groups; packets of odd sizes; full and empty pipes; every answer to
 * a script of calls.
 * Skipped where there is no compiler. */
#include "test/opencl/clhost.h"
#include "test/kit/random.h"
#include "test/kit/skip.h"
#include "base/fdio.h"
#include <fcntl.h>

enum { N = 512, GROUP = 64 };

static cl_program program;

static int open_pipes(void **state)
{
    char log[4096];
    Buf text = {0};
    cl_int s;
    open_host(state);
    if (!INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE))
        return 0;
    const int fd = open("test/opencl/pipe.cl", O_RDONLY);
    assert_true(fd_read(fd, 1 << 16, &text));
    close(fd);
    program =
        clCreateProgramWithSource(host.context, 1, &(const char *){buf_text(&text)}, NULL, &s);
    buf_free(&text);
    if (clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -cl-kernel-arg-info", NULL, NULL)) {
        clGetProgramBuildInfo(program, host.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%s", log);
    }
    return 0;
}

static int close_pipes(void **state)
{
    if (program)
        ok(clReleaseProgram(program));
    return close_host(state);
}

static cl_mem make_pipe(cl_uint packet, cl_uint packets)
{
    cl_int s;
    cl_mem p = clCreatePipe(host.context, 0, packet, packets, NULL, &s);
    ok(s);
    return p;
}

static void launch(const char *name, size_t items, size_t group, cl_mem p, cl_mem bad,
                   const cl_int *way, cl_mem out)
{
    cl_kernel k = make_kernel(program, name);
    cl_uint n = 0;
    ok(clSetKernelArg(k, n++, sizeof p, &p));
    if (bad)
        ok(clSetKernelArg(k, n++, sizeof bad, &bad));
    if (way)
        ok(clSetKernelArg(k, n++, sizeof *way, way));
    if (out)
        ok(clSetKernelArg(k, n++, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &items, &group, 0, NULL, NULL));
    ok(clReleaseKernel(k));
}

/* Three times through a pipe that holds no multiple of N: the ring goes round. */
static void passes_everything(const char *type, cl_uint packet)
{
    char put[32], get[32];
    snprintf(put, sizeof put, "put_%s", type);
    snprintf(get, sizeof get, "get_%s", type);
    for (cl_int way = 0; way < 4; way++) {
        cl_mem p = make_pipe(packet, N + N / 2 + 1), bad = make_buffer(4, &(u32){0}),
               out = make_buffer(4 * N, NULL);
        for (int round = 0; round < 3; round++) {
            u32 got[N], failed, seen[N] = {0};
            launch(put, N, GROUP, p, bad, &way, NULL);
            launch(get, N, GROUP, p, bad, &way, out);
            ok(clEnqueueReadBuffer(host.queue, bad, CL_TRUE, 0, 4, &failed, 0, NULL, NULL));
            ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            assert_int_equal(failed, 0);
            for (u32 i = 0; i < N; i++) {
                assert_in_range(got[i], 0, N - 1);
                seen[got[i]]++;
            }
            for (u32 i = 0; i < N; i++)
                assert_int_equal(seen[i], 1);
        }
        ok(clReleaseMemObject(p));
        ok(clReleaseMemObject(bad));
        ok(clReleaseMemObject(out));
    }
}

static void passes_packets(void **state)
{
    (void)state;
    if (!program)
        skip_because("no compiler");
    passes_everything("uint", 4);
    passes_everything("ushort", 2);
    passes_everything("odd", 3);
    passes_everything("mixed", 16);
}

static void knows_its_bounds(void **state)
{
    static const u32 want[6] = {0, 0, 1, 1, 0, 5};
    u32 got[6];
    (void)state;
    if (!program)
        skip_because("no compiler");
    cl_mem p = make_pipe(4, 5), out = make_buffer(sizeof got, NULL),
           bad = make_buffer(4, &(u32){0});
    const cl_int singly = 0;
    launch("fill", 1, 1, p, NULL, NULL, out);
    ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_memory_equal(got, want, sizeof want);
    launch("get_uint", 3, 3, p, bad, &singly, out);
    launch("count", 1, 1, p, NULL, NULL, out);
    ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_int_equal(got[0], 2);
    assert_int_equal(got[1], 5);
    launch("get_uint", 4, 4, p, bad, &singly, out); /* two get nothing */
    ok(clEnqueueReadBuffer(host.queue, bad, CL_TRUE, 0, 4, got, 0, NULL, NULL));
    assert_int_equal(got[0], 2);
    ok(clReleaseMemObject(p));
    ok(clReleaseMemObject(out));
    ok(clReleaseMemObject(bad));
}

/* --- against a model -------------------------------------------------------------------- */

/* What went in and has not come out, in order; packets of reservations that are open are not among it. */
typedef struct {
    u32 capacity, first, count;
    u32 packet[4096];
} Model;

enum { STEPS = 48, NOTHING = UINT32_MAX };
typedef struct {
    u32 script[2 * STEPS], want[STEPS];
    u32 n;
} Script;

static void step(Script *s, u32 operation, u32 value, u32 want)
{
    s->script[2 * s->n] = operation, s->script[2 * s->n + 1] = value;
    s->want[s->n++] = want;
}

/* Reservations are committed in any order; a packet is where its reservation began. */
static void write_steps(Model *m, Script *s, u32 *next)
{
    u32 open[2] = {0}, taken = m->count, committed = m->count;
    while (s->n < STEPS - 18) {
        const u32 k = below(2), what = below(4), end = m->first + taken;
        if (what == 0 && taken < m->capacity) {
            m->packet[end] = *next;
            taken++, committed++;
            step(s, 0, (*next)++, 1);
        } else if (what == 0) {
            step(s, 0, 5, NOTHING);
        } else if (what == 1 && !open[k]) {
            const u32 n = below(m->capacity + 2), fits = n && n <= m->capacity - taken;
            step(s, 1 + k, n, fits);
            open[k] = fits ? n : 0;
            taken += open[k];
            for (u32 i = open[k]; i-- > 0;) {
                m->packet[end + i] = i << 16 | (*next)++;
                step(s, 3 + k, m->packet[end + i], 1);
            }
            if (fits)
                step(s, 3 + k, n << 16, NOTHING);
        } else if (what == 2 && open[k]) {
            step(s, 5 + k, 0, 0);
            committed += open[k], open[k] = 0;
        } else {
            step(s, 7, 0, committed);
        }
    }
    for (u32 k = 0; k < 2; k++)
        if (open[k])
            step(s, 5 + k, 0, 0);
    step(s, 8, 0, m->capacity);
    m->count = taken;
}

static void read_steps(Model *m, Script *s)
{
    u32 open[2] = {0}, place[2] = {0};
    while (s->n < STEPS - 5) {
        const u32 k = below(2), what = below(4);
        if (what == 0) {
            step(s, 0, 0, m->count ? m->packet[m->first] : NOTHING);
            m->first += m->count > 0, m->count -= m->count > 0;
        } else if (what == 1 && !open[k]) {
            const u32 n = below(m->capacity + 2), fits = n && n <= m->count;
            step(s, 1 + k, n, fits);
            open[k] = fits ? n : 0, place[k] = m->first;
            m->first += open[k], m->count -= open[k];
            if (fits)
                step(s, 3 + k, n << 16, NOTHING);
        } else if (what == 2 && open[k]) {
            step(s, 5 + k, 0, 0);
            open[k] = 0;
        } else if (open[k]) {
            const u32 i = below(open[k]);
            step(s, 3 + k, i << 16, m->packet[place[k] + i]);
        } else {
            step(s, 7, 0, m->count);
        }
    }
    for (u32 k = 0; k < 2; k++)
        if (open[k])
            step(s, 5 + k, 0, 0);
}

static void run_steps(const char *name, cl_mem p, const Script *s)
{
    u32 got[STEPS];
    cl_kernel k = make_kernel(program, name);
    cl_mem script = make_buffer(sizeof s->script, s->script), out = make_buffer(sizeof got, NULL);
    ok(clSetKernelArg(k, 0, sizeof p, &p));
    ok(clSetKernelArg(k, 1, sizeof script, &script));
    ok(clSetKernelArg(k, 2, sizeof s->n, &s->n));
    ok(clSetKernelArg(k, 3, sizeof out, &out));
    ok(clEnqueueTask(host.queue, k, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (u32 i = 0; i < s->n; i++)
        if (got[i] != s->want[i])
            fail_msg("%s, step %u, operation %u of %x: %x, not %x", name, i, s->script[2 * i],
                     s->script[2 * i + 1], got[i], s->want[i]);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(script));
    ok(clReleaseMemObject(out));
}

static void does_what_scripts_say(void **state)
{
    static const cl_uint capacities[] = {1, 2, 5, 13};
    static Model m;
    (void)state;
    if (!program)
        skip_because("no compiler");
    for (size_t c = 0; c < countof(capacities); c++) {
        cl_mem p = make_pipe(4, capacities[c]);
        u32 next = 100;
        m = (Model){.capacity = capacities[c]};
        for (int round = 0; round < 30; round++) {
            Script put = {.n = 0}, get = {.n = 0};
            write_steps(&m, &put, &next);
            run_steps("put_steps", p, &put);
            read_steps(&m, &get);
            run_steps("get_steps", p, &get);
        }
        ok(clReleaseMemObject(p));
    }
}

/* --- the object -------------------------------------------------------------------------- */

static void refuses_bad_pipes(void **state)
{
    const cl_pipe_properties some[] = {0};
    const cl_uint most =
        INFO(cl_uint, clGetDeviceInfo, host.device, CL_DEVICE_PIPE_MAX_PACKET_SIZE);
    cl_int s;
    (void)state;
    assert_true(most >= 1024);
    assert_null(clCreatePipe(NULL, 0, 4, 4, NULL, &s));
    assert_int_equal(s, CL_INVALID_CONTEXT);
    assert_null(clCreatePipe(host.context, CL_MEM_READ_ONLY, 4, 4, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreatePipe(host.context, 0, 4, 4, some, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreatePipe(host.context, 0, 0, 4, NULL, &s));
    assert_int_equal(s, CL_INVALID_PIPE_SIZE);
    assert_null(clCreatePipe(host.context, 0, 4, 0, NULL, &s));
    assert_int_equal(s, CL_INVALID_PIPE_SIZE);
    assert_null(clCreatePipe(host.context, 0, most + 1, 4, NULL, &s));
    assert_int_equal(s, CL_INVALID_PIPE_SIZE);
    assert_null(clCreatePipe(host.context, 0, most, 0x7fffffff, NULL, &s));
    assert_int_equal(s, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

static void is_no_buffer(void **state)
{
    const cl_buffer_region all = {0, 4};
    u32 word = 0;
    size_t n;
    cl_int s;
    (void)state;
    cl_mem p = make_pipe(8, 10), m = make_buffer(64, NULL);
    assert_int_equal(INFO(cl_uint, clGetPipeInfo, p, CL_PIPE_PACKET_SIZE), 8);
    assert_int_equal(INFO(cl_uint, clGetPipeInfo, p, CL_PIPE_MAX_PACKETS), 10);
    ok(clGetPipeInfo(p, CL_PIPE_PROPERTIES, 0, NULL, &n));
    assert_int_equal(n, 0);
    assert_int_equal(clGetPipeInfo(p, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetPipeInfo(m, CL_PIPE_PACKET_SIZE, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    assert_int_equal(INFO(cl_mem_object_type, clGetMemObjectInfo, p, CL_MEM_TYPE),
                     CL_MEM_OBJECT_PIPE);
    assert_int_equal(clEnqueueReadBuffer(host.queue, p, CL_TRUE, 0, 4, &word, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueFillBuffer(host.queue, p, &word, 4, 0, 4, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_null(clEnqueueMapBuffer(host.queue, p, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_MEM_OBJECT);
    assert_null(clCreateSubBuffer(p, 0, CL_BUFFER_CREATE_TYPE_REGION, &all, &s));
    assert_int_equal(s, CL_INVALID_MEM_OBJECT);
    if (program) {
        cl_kernel k = make_kernel(program, "count");
        assert_int_equal(clSetKernelArg(k, 0, sizeof m, &m), CL_INVALID_MEM_OBJECT);
        assert_int_equal(clSetKernelArg(k, 1, sizeof p, &p), CL_INVALID_MEM_OBJECT);
        assert_int_equal(clSetKernelArg(k, 0, 4, &p), CL_INVALID_ARG_SIZE);
        cl_kernel_arg_type_qualifier q;
        cl_kernel_arg_access_qualifier a;
        ok(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof q, &q, NULL));
        ok(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof a, &a, NULL));
        assert_int_equal(q, CL_KERNEL_ARG_TYPE_PIPE);
        assert_int_equal(a, CL_KERNEL_ARG_ACCESS_READ_ONLY);
        ok(clReleaseKernel(k));
    }
    ok(clReleaseMemObject(p));
    ok(clReleaseMemObject(m));
}

/* Flags are those that say what a pipe is anyway. */
static void has_two_flags(void **state)
{
    const cl_mem_flags both = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    (void)state;
    for (cl_mem_flags flags = 0; flags < 1 << 13; flags++) {
        const bool is_known = !(flags & ~both);
        cl_int s;
        cl_mem p = clCreatePipe(host.context, flags, 4, 4, NULL, &s);
        assert_int_equal(s, is_known ? CL_SUCCESS : CL_INVALID_VALUE);
        assert_int_equal(p != NULL, is_known);
        if (!p)
            continue;
        assert_int_equal(INFO(cl_mem_flags, clGetMemObjectInfo, p, CL_MEM_FLAGS), both);
        ok(clReleaseMemObject(p));
    }
}

/* What a new pipe holds by isa/pipe.def, as a kernel sees it that adds its words to zeros: the numbers of its making,
 * the largest multiple of its slots that leaves room for a sum of two counts, and zeros. */
static void begins_empty(void **state)
{
    static const cl_uint capacities[] = {1, 2, 3, 7, 100, 1000};
    enum { MOST_WORDS = 6 + 2 * 1000 };
    const size_t group = 1;
    static u32 got[MOST_WORDS];
    cl_program bare = make_program(&host.bare);
    cl_kernel k = make_kernel(bare, "add");
    cl_mem zeros = make_buffer(sizeof got, got), out = make_buffer(sizeof got, NULL);
    (void)state;
    for (size_t c = 0; c < countof(capacities); c++) {
        const u32 n = capacities[c];
        const size_t words = 6 + 2 * n;
        cl_mem p = make_pipe(12, n);
        ok(clSetKernelArg(k, 0, sizeof p, &p));
        ok(clSetKernelArg(k, 1, sizeof zeros, &zeros));
        ok(clSetKernelArg(k, 2, sizeof out, &out));
        ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &words, &group, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, words * sizeof *got, got, 0, NULL,
                               NULL));
        assert_int_equal(got[0], 12);
        assert_int_equal(got[1], n);
        assert_int_equal(got[2] % n, 0);
        assert_in_range(got[2], (u32)INT32_MAX - n + 1, INT32_MAX);
        for (size_t i = 3; i < words; i++)
            assert_int_equal(got[i], 0);
        assert_true(INFO(size_t, clGetMemObjectInfo, p, CL_MEM_SIZE) >= 4 * words + 12 * (size_t)n);
        ok(clReleaseMemObject(p));
    }
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(bare));
    ok(clReleaseMemObject(zeros));
    ok(clReleaseMemObject(out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_packets),        cmocka_unit_test(knows_its_bounds),
        cmocka_unit_test(does_what_scripts_say), cmocka_unit_test(refuses_bad_pipes),
        cmocka_unit_test(is_no_buffer),          cmocka_unit_test(has_two_flags),
        cmocka_unit_test(begins_empty),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_pipes, close_pipes);
}
