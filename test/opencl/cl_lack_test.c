/* cl_lack_test.c -- an OpenCL program in which one allocation of the runtime after the other fails: the call or the
 * command that lacks it says CL_OUT_OF_HOST_MEMORY, what succeeds is right, and everything is given back.
 */
#include "test/opencl/lackhost.h"

enum { N = 128, EVENTS = 16 };

/* What the program has; NULL: it lacked memory for that. */
typedef struct {
    cl_context context;
    cl_command_queue queue, unordered;
    cl_program program;
    cl_kernel scale, add, share, say;
    cl_mem mem[3], part;
    cl_event event[EVENTS], user;
    cl_uint nevents;
    bool lacks;     /* some call did */
    atomic_int told; /* calls of callbacks */
} Job;

/* Whether the call succeeded. */
static bool may(Job *j, cl_int s)
{
    if (s != CL_SUCCESS && s != CL_OUT_OF_HOST_MEMORY) {
        fprintf(stderr, "a call says %d\n", s);
        abort();
    }
    j->lacks |= s != CL_SUCCESS;
    return s == CL_SUCCESS;
}

static cl_event *next_event(Job *j) { return &j->event[j->nevents]; }

/* The same for a command; one that waits hears also of those before it. */
static bool command(Job *j, cl_int s)
{
    j->nevents += *next_event(j) != NULL;
    return may(j, s == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? CL_OUT_OF_HOST_MEMORY : s);
}

static void CL_CALLBACK tell_event(cl_event e, cl_int status, void *job)
{
    (void)e, (void)status;
    atomic_fetch_add(&((Job *)job)->told, 1);
}

static void CL_CALLBACK tell_mem(cl_mem m, void *job)
{
    (void)m;
    atomic_fetch_add(&((Job *)job)->told, 1);
}

static void CL_CALLBACK hear(const char *text, const void *info, size_t n, void *data)
{
    (void)text, (void)info, (void)n, (void)data;
}

static void make_queues(Job *j)
{
    const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)host.platform, 0};
    cl_int s;
    j->context = clCreateContext(list, 1, &host.device, hear, NULL, &s);
    if (!may(j, s))
        return;
    j->queue = clCreateCommandQueue(j->context, host.device, CL_QUEUE_PROFILING_ENABLE, &s);
    may(j, s);
    j->unordered = clCreateCommandQueue(j->context, host.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &s);
    may(j, s);
}

static void make_kernels(Job *j)
{
    const u8 *bytes = host.image.data;
    cl_int s, status = 0;
    j->program = clCreateProgramWithBinary(j->context, 1, &host.device, &host.image.len, &bytes, &status, &s);
    if (!may(j, s) || !may(j, clBuildProgram(j->program, 1, &host.device, "", NULL, NULL)))
        return;
    const struct {
        cl_kernel *kernel;
        const char *name;
    } rows[] = {{&j->scale, "scale"}, {&j->add, "add"}, {&j->share, "share"}, {&j->say, "say"}};
    for (size_t i = 0; i < countof(rows); i++) {
        *rows[i].kernel = clCreateKernel(j->program, rows[i].name, &s);
        may(j, s);
    }
}

static void make_buffers(Job *j, int words[N])
{
    const cl_buffer_region half = {sizeof(int) * N / 2, sizeof(int) * N / 2};
    cl_int s;
    for (int i = 0; i < 3; i++) {
        j->mem[i] = clCreateBuffer(j->context, i ? 0 : CL_MEM_COPY_HOST_PTR, sizeof(int) * N, i ? NULL : words, &s);
        if (may(j, s))
            may(j, clSetMemObjectDestructorCallback(j->mem[i], tell_mem, j));
    }
    if (!j->mem[0])
        return;
    j->part = clCreateSubBuffer(j->mem[0], 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &s);
    may(j, s);
}

static bool has_all(const Job *j)
{
    return j->queue && j->unordered && j->scale && j->add && j->share && j->say && j->mem[0] && j->mem[1] && j->mem[2] &&
           j->part;
}

/* mem[1] = i * 3 + words, mem[2] = i + 1, the second half of mem[0] 7s */
static void enqueue_launches(Job *j)
{
    const size_t global = N, local = 32, one = 1;
    bool ok = may(j, clSetKernelArg(j->scale, 0, sizeof(cl_mem), &j->mem[1])) &&
              may(j, clSetKernelArg(j->scale, 1, 4, &(int){3})) &&
              may(j, clSetKernelArg(j->add, 0, sizeof(cl_mem), &j->mem[0])) &&
              may(j, clSetKernelArg(j->add, 1, sizeof(cl_mem), &j->mem[1])) &&
              may(j, clSetKernelArg(j->add, 2, sizeof(cl_mem), &j->mem[1])) &&
              may(j, clSetKernelArg(j->share, 0, sizeof(cl_mem), &j->mem[2])) &&
              may(j, clSetKernelArg(j->share, 1, 4 * N, NULL));
    if (!ok)
        return;
    command(j, clEnqueueNDRangeKernel(j->queue, j->scale, 1, NULL, &global, &local, 0, NULL, next_event(j)));
    command(j, clEnqueueNDRangeKernel(j->queue, j->add, 1, NULL, &global, NULL, 0, NULL, next_event(j)));
    command(j, clEnqueueNDRangeKernel(j->queue, j->share, 1, NULL, &global, &global, 0, NULL, next_event(j)));
    command(j, clEnqueueNDRangeKernel(j->queue, j->say, 1, NULL, &one, &one, 0, NULL, next_event(j)));
    command(j, clEnqueueFillBuffer(j->queue, j->part, &(int){7}, 4, 0, 4 * N / 2, 0, NULL, next_event(j)));
}

/* Commands that wait for what the host does. */
static void enqueue_waiting(Job *j, int words[N])
{
    const size_t zero[3] = {0}, region[3] = {16, 4, 1};
    cl_int s;
    j->user = clCreateUserEvent(j->context, &s);
    if (!may(j, s))
        return;
    command(j, clEnqueueWriteBuffer(j->unordered, j->mem[2], CL_FALSE, 0, 64, words, 1, &j->user, next_event(j)));
    if (j->nevents)
        may(j, clSetEventCallback(j->event[j->nevents - 1], CL_COMPLETE, tell_event, j));
    command(j, clEnqueueCopyBufferRect(j->unordered, j->mem[0], j->mem[2], zero, zero, region, 16, 0, 16, 0, 1, &j->user,
                                       next_event(j)));
    command(j, clEnqueueBarrierWithWaitList(j->unordered, 0, NULL, next_event(j)));
    command(j, clEnqueueMigrateMemObjects(j->unordered, 1, j->mem, 0, 0, NULL, next_event(j)));
    may(j, clSetUserEventStatus(j->user, CL_COMPLETE));
    command(j, clFinish(j->unordered));
}

static void read_back(Job *j, const int words[N])
{
    int got[N] = {0}, shared[N] = {0};
    cl_int s;
    bool ok = command(j, clEnqueueReadBuffer(j->queue, j->mem[1], CL_TRUE, 0, sizeof got, got, 0, NULL, next_event(j)));
    ok = command(j, clEnqueueReadBuffer(j->queue, j->mem[2], CL_FALSE, 0, sizeof shared, shared, 0, NULL, next_event(j))) && ok;
    ok = command(j, clFinish(j->queue)) && ok;
    for (int i = 0; i < N && ok && !j->lacks; i++)
        if (got[i] != words[i] + 3 * i || shared[i] != i + 1)
            abort();
    int *p = clEnqueueMapBuffer(j->queue, j->part, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, next_event(j), &s);
    if (!command(j, s))
        return;
    if (!j->lacks && *p != 7)
        abort();
    command(j, clEnqueueUnmapMemObject(j->queue, j->part, p, 0, NULL, next_event(j)));
    command(j, clFinish(j->queue));
}

/* Every command has ended, well or for want of memory; then nothing is left. */
static void give_back(Job *j)
{
    cl_kernel *const kernels[] = {&j->scale, &j->add, &j->share, &j->say};
    if (j->queue)
        clFinish(j->queue);
    for (cl_uint i = 0; i < j->nevents; i++) {
        cl_int status;
        clGetEventInfo(j->event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        if (status != CL_COMPLETE)
            may(j, status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? CL_OUT_OF_HOST_MEMORY : status);
        clReleaseEvent(j->event[i]);
    }
    if (j->user)
        clReleaseEvent(j->user);
    if (j->part)
        clReleaseMemObject(j->part);
    for (int i = 0; i < 3; i++)
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
    for (size_t i = 0; i < countof(kernels); i++)
        if (*kernels[i])
            clReleaseKernel(*kernels[i]);
    if (j->program)
        clReleaseProgram(j->program);
    if (j->queue)
        clReleaseCommandQueue(j->queue);
    if (j->unordered)
        clReleaseCommandQueue(j->unordered);
    if (j->context)
        clReleaseContext(j->context);
}

static bool typical_program(Buf *made)
{
    (void)made; /* what it makes is compared on the way */
    const size_t before = live_blocks();
    int words[N];
    Job j = {0};
    for (int i = 0; i < N; i++)
        words[i] = 1000 + i;
    make_queues(&j);
    if (j.context) {
        make_kernels(&j);
        make_buffers(&j, words);
    }
    if (has_all(&j)) {
        enqueue_launches(&j);
        read_back(&j, words);
        enqueue_waiting(&j, words);
    }
    give_back(&j);
    wait_for_blocks(before);
    if (!j.lacks && j.told != 4)
        abort();
    return !j.lacks;
}

static void lacks_memory(void **state)
{
    (void)state;
    need_lack();
    /* what the kernel prints is of no interest */
    const int out = dup(STDOUT_FILENO);
    fflush(stdout);
    assert_non_null(freopen("/dev/null", "w", stdout));
    lack_of_memory(typical_program, allocations, 1);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lacks_memory)};
    set_environment();
    open_lack_host();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buf_free(&host.image);
    return failed;
}
