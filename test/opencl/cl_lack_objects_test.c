/* cl_lack_objects_test.c -- one allocation of the runtime after the other fails: images, samplers, pipes, clones, queries,
 * command buffers, shared memory, parts of a device, compiling and linking.  The call that lacks memory says so, what
 * succeeds is what it is with memory, and everything is given back.
 */
#include "test/opencl/lackhost.h"

enum { N = 64, BYTES = 4 * N };

/* What a job has made so far, to be released in the opposite order. */
typedef struct {
    bool lacks; /* some call did */
    struct {
        void *object;
        cl_int (*release)(void *);
    } kept[48];
    size_t nkept;
    size_t before; /* live blocks */
    size_t first;  /* number of its first request */
} Job;

static cl_int release_context(void *p) { return clReleaseContext(p); }
static cl_int release_device(void *p) { return clReleaseDevice(p); }
static cl_int release_event(void *p) { return clReleaseEvent(p); }
static cl_int release_kernel(void *p) { return clReleaseKernel(p); }
static cl_int release_mem(void *p) { return clReleaseMemObject(p); }
static cl_int release_program(void *p) { return clReleaseProgram(p); }
static cl_int release_queue(void *p) { return clReleaseCommandQueue(p); }
static cl_int release_sampler(void *p) { return clReleaseSampler(p); }

static void must(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Whether the call succeeded. */
static bool may(Job *j, cl_int s)
{
    if (s && s != CL_OUT_OF_HOST_MEMORY &&
        !(s == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && j->lacks)) {
        fprintf(stderr, "a call says %d\n", s);
        abort();
    }
    j->lacks |= s != CL_SUCCESS;
    return s == CL_SUCCESS;
}

static bool keep(Job *j, cl_int s, void *object, cl_int (*release)(void *))
{
    must(!s == !!object, "an object with an error, or none without");
    if (!may(j, s))
        return false;
    must(j->nkept < countof(j->kept), "too many objects");
    j->kept[j->nkept].object = object;
    j->kept[j->nkept++].release = release;
    return true;
}

static Job begin(void) { return (Job){.before = live_blocks(), .first = allocations()}; }

/* What was before is cl_lack_test's. */
static void from_here(const Job *j) { lack_known = allocations() - j->first; }

static bool end(Job *j)
{
    while (j->nkept) {
        j->nkept--;
        must(!j->kept[j->nkept].release(j->kept[j->nkept].object), "a release failed");
    }
    wait_for_blocks(j->before);
    return !j->lacks;
}

static cl_context make_context(Job *j, cl_uint n, const cl_device_id *devices)
{
    cl_int s;
    cl_context c = clCreateContext(NULL, n, devices, NULL, NULL, &s);
    return keep(j, s, c, release_context) ? c : NULL;
}

static cl_command_queue queue_of(Job *j, cl_context c, cl_device_id d)
{
    cl_int s;
    cl_command_queue q = clCreateCommandQueueWithProperties(c, d, NULL, &s);
    return keep(j, s, q, release_queue) ? q : NULL;
}

static cl_mem buffer_of(Job *j, cl_context c, const void *contents)
{
    cl_int s;
    cl_mem m = clCreateBuffer(c, contents ? CL_MEM_COPY_HOST_PTR : 0, BYTES,
                              (void *)(uintptr_t)contents, &s);
    return keep(j, s, m, release_mem) ? m : NULL;
}

static cl_program built(Job *j, cl_context c, cl_uint n, const cl_device_id *devices)
{
    const u8 *bytes[] = {host.image.data, host.image.data};
    const size_t lengths[] = {host.image.len, host.image.len};
    cl_int s, status[2];
    cl_program p = clCreateProgramWithBinary(c, n, devices, lengths, bytes, status, &s);
    return keep(j, s, p, release_program) && may(j, clBuildProgram(p, 0, NULL, "-w", NULL, NULL))
               ? p
               : NULL;
}

static cl_kernel kernel_of(Job *j, cl_program p, const char *name)
{
    cl_int s;
    cl_kernel k = p ? clCreateKernel(p, name, &s) : NULL;
    return p && keep(j, s, k, release_kernel) ? k : NULL;
}

static void read_into(Job *j, cl_command_queue q, cl_mem m, Buf *made)
{
    u8 bytes[BYTES] = {0};
    if (may(j, clEnqueueReadBuffer(q, m, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL)))
        buf_put(made, bytes, BYTES);
}

static u32 numbers[N];

/* --- memory objects ------------------------------------------------------------------------- */

static const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
static const size_t zero[3] = {0, 0, 0}, whole[3] = {4, 4, 1}, half[3] = {2, 4, 1};

static void use_images(Job *j, cl_context c, cl_command_queue q, cl_mem b, Buf *made)
{
    const cl_image_desc plain = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = 4,
                                 .image_height = 4},
                        padded = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                  .image_width = 4,
                                  .image_height = 4,
                                  .image_row_pitch = 32},
                        shown = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                 .image_width = 4,
                                 .mem_object = b};
    const cl_mem_properties none[] = {0};
    const cl_uint colour[4] = {1, 2, 3, 4};
    size_t pitch, n = 0;
    cl_int s;
    cl_mem a = clCreateImage(c, CL_MEM_COPY_HOST_PTR, &rgba, &padded, numbers, &s);
    if (!keep(j, s, a, release_mem))
        return;
    cl_mem d = clCreateImageWithProperties(c, none, 0, &rgba, &plain, NULL, &s);
    if (!keep(j, s, d, release_mem))
        return;
    cl_mem e = clCreateImage(c, 0, &rgba, &shown, NULL, &s);
    if (!keep(j, s, e, release_mem))
        return;
    if (!may(j, clGetMemObjectInfo(d, CL_MEM_PROPERTIES, 0, NULL, &n)) ||
        !may(j, clEnqueueFillImage(q, d, colour, zero, whole, 0, NULL, NULL)) ||
        !may(j, clEnqueueCopyImage(q, a, d, zero, zero, half, 0, NULL, NULL)) ||
        !may(j, clEnqueueCopyImageToBuffer(q, d, b, zero, whole, 64, 0, NULL, NULL)) ||
        !may(j, clEnqueueCopyBufferToImage(q, b, d, 128, zero, half, 0, NULL, NULL)))
        return;
    u8 *p = clEnqueueMapImage(q, d, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, zero, whole, &pitch, NULL,
                              0, NULL, NULL, &s);
    if (!may(j, s))
        return;
    buf_put(made, &n, sizeof n);
    buf_put(made, p, 3 * pitch);
    may(j, clEnqueueUnmapMemObject(q, d, p, 0, NULL, NULL));
}

static void CL_CALLBACK hear_mem(cl_mem m, void *data) { (void)m, *(int *)data += 1; }
static void CL_CALLBACK hear_context(cl_context c, void *data) { (void)c, *(int *)data += 1; }

/* Everything that is made of a context but programs and queues. */
static bool memory_objects(Buf *made)
{
    static u8 own[BYTES];
    static int calls;
    const cl_mem_properties none[] = {0};
    Job j = begin();
    size_t n = 0;
    cl_int s;
    calls = 0;
    cl_context c = make_context(&j, 1, &host.device);
    cl_command_queue q = c ? queue_of(&j, c, host.device) : NULL;
    cl_mem b = q ? buffer_of(&j, c, numbers) : NULL;
    if (!b)
        return end(&j);
    from_here(&j);
    bool wanted = may(&j, clSetContextDestructorCallback(c, hear_context, &calls));
    wanted = may(&j, clSetMemObjectDestructorCallback(b, hear_mem, &calls)) && wanted;
    cl_mem m = clCreateBufferWithProperties(c, none, CL_MEM_USE_HOST_PTR, BYTES, own, &s);
    if (keep(&j, s, m, release_mem) &&
        may(&j, clGetMemObjectInfo(m, CL_MEM_PROPERTIES, 0, NULL, &n)))
        buf_put(made, &n, sizeof n);
    cl_mem pipe = clCreatePipe(c, 0, 4, 16, NULL, &s);
    keep(&j, s, pipe, release_mem);
    cl_sampler sampler = clCreateSampler(c, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &s);
    keep(&j, s, sampler, release_sampler);
    use_images(&j, c, q, b, made);
    if (may(&j, clFinish(q)))
        read_into(&j, q, b, made);
    const bool ok = end(&j);
    must(!wanted || calls == 2, "a destructor was not called");
    return ok;
}

static void memory_objects_lack(void **state)
{
    (void)state;
    need_lack();
    lack_of_memory(memory_objects, allocations, 1);
}

/* --- programs and kernels --------------------------------------------------------------------- */

static clGetKernelSuggestedLocalWorkSizeKHR_fn suggest;

static void ask_program(Job *j, cl_program p, Buf *made)
{
    char names[256] = "";
    size_t size = 0;
    if (may(j, clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL)) &&
        may(j, clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL))) {
        u8 *binary = calloc(size, 1);
        if (may(j, clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL)))
            buf_put(made, binary, size);
        buf_str(made, names);
        free(binary);
    }
}

static bool clones(Buf *made)
{
    Job j = begin();
    cl_kernel all[16];
    cl_uint n = 0;
    cl_int s;
    const cl_uint three = 3;
    const size_t items = N;
    size_t local = 0;
    cl_context c = make_context(&j, 1, &host.device);
    cl_command_queue q = c ? queue_of(&j, c, host.device) : NULL;
    cl_mem b = q ? buffer_of(&j, c, NULL) : NULL;
    cl_program p = b ? built(&j, c, 1, &host.device) : NULL;
    cl_kernel k = kernel_of(&j, p, "scale");
    if (!k)
        return end(&j);
    from_here(&j);
    ask_program(&j, p, made);
    if (may(&j, clCreateKernelsInProgram(p, countof(all), all, &n)))
        for (cl_uint i = 0; i < n; i++)
            keep(&j, CL_SUCCESS, all[i], release_kernel);
    if (!may(&j, clSetKernelArg(k, 0, sizeof b, &b)) ||
        !may(&j, clSetKernelArg(k, 1, sizeof three, &three)))
        return end(&j);
    cl_kernel twin = clCloneKernel(k, &s);
    if (keep(&j, s, twin, release_kernel) && may(&j, suggest(q, twin, 1, NULL, &items, &local)) &&
        may(&j, clEnqueueNDRangeKernel(q, twin, 1, NULL, &items, NULL, 0, NULL, NULL)) &&
        may(&j, clFinish(q)))
        read_into(&j, q, b, made);
    buf_printf(made, "%u kernels, groups of %zu", n, local);
    return end(&j);
}

/* A program whose kernels are all gone can be built again, also if not all of them could be made. */
static bool counts_kernels(Buf *made)
{
    Job j = begin();
    cl_kernel all[16];
    cl_uint n = 0;
    (void)made;
    cl_context c = make_context(&j, 1, &host.device);
    cl_program p = c ? built(&j, c, 1, &host.device) : NULL;
    if (!p)
        return end(&j);
    from_here(&j);
    if (may(&j, clCreateKernelsInProgram(p, countof(all), all, &n))) {
        const cl_int s = clBuildProgram(p, 0, NULL, "", NULL, NULL);
        may(&j, s == CL_INVALID_OPERATION ? CL_SUCCESS : s ? s : CL_INVALID_VALUE);
        while (n)
            must(!clReleaseKernel(all[--n]), "no kernel");
    }
    may(&j, clBuildProgram(p, 0, NULL, "", NULL, NULL));
    return end(&j);
}

static void kernels_lack(void **state)
{
    (void)state;
    need_lack();
    lack_of_memory(clones, allocations, 1);
    lack_of_memory(counts_kernels, allocations, 1);
}

/* --- command buffers ---------------------------------------------------------------------------- */

typedef struct CommandBuffer CommandBuffer;
#define BEFORE CommandBuffer *, cl_command_queue, const cl_properties *
#define AFTER  cl_uint, const cl_uint *, cl_uint *, void **
static struct {
    CommandBuffer *(*create)(cl_uint, const cl_command_queue *, const cl_properties *, cl_int *);
    cl_int (*release)(CommandBuffer *), (*finalize)(CommandBuffer *);
    cl_int (*enqueue)(cl_uint, cl_command_queue *, CommandBuffer *, cl_uint, const cl_event *,
                      cl_event *);
    cl_int (*copy)(BEFORE, cl_mem, cl_mem, size_t, size_t, size_t, AFTER);
    cl_int (*fill)(BEFORE, cl_mem, const void *, size_t, size_t, size_t, AFTER);
    cl_int (*ndrange)(BEFORE, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
                      AFTER);
} f;
static cl_int release_buffer(void *p) { return f.release(p); }

static void find(const char *name, void *function)
{
    void *address = clGetExtensionFunctionAddressForPlatform(host.platform, name);
    memcpy(function, &address, sizeof address);
}

static bool command_buffers(Buf *made)
{
    Job j = begin();
    const cl_uint five = 5;
    const size_t items = N / 2;
    cl_int s;
    cl_context c = make_context(&j, 1, &host.device);
    cl_command_queue q = c ? queue_of(&j, c, host.device) : NULL;
    cl_mem b = q ? buffer_of(&j, c, numbers) : NULL;
    cl_program p = b ? built(&j, c, 1, &host.device) : NULL;
    cl_kernel k = kernel_of(&j, p, "scale");
    from_here(&j);
    CommandBuffer *buffer = k ? f.create(1, &q, NULL, &s) : NULL;
    if (!k || !keep(&j, s, buffer, release_buffer) ||
        !may(&j, clSetKernelArg(k, 0, sizeof b, &b)) ||
        !may(&j, clSetKernelArg(k, 1, sizeof five, &five)))
        return end(&j);
    bool ok = may(&j, f.ndrange(buffer, NULL, NULL, k, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    ok = may(&j, f.copy(buffer, NULL, NULL, b, b, 4, BYTES / 2, 64, 0, NULL, NULL, NULL)) && ok;
    for (int i = 0; i < 20; i++) /* so that it must grow */
        ok = may(&j, f.fill(buffer, NULL, NULL, b, &five, 4, BYTES - 80 + 4 * (size_t)i, 4, 0, NULL,
                            NULL, NULL)) &&
             ok;
    must(!f.finalize(buffer), "not finalized");
    cl_event e;
    if (ok && may(&j, s = f.enqueue(0, NULL, buffer, 0, NULL, &e))) {
        keep(&j, CL_SUCCESS, e, release_event);
        may(&j, clWaitForEvents(1, &e) ? status_of(e) : CL_SUCCESS);
        if (!j.lacks)
            read_into(&j, q, b, made);
    }
    may(&j, clFinish(q));
    return end(&j);
}

static void command_buffers_lack(void **state)
{
    (void)state;
    need_lack();
    lack_of_memory(command_buffers, allocations, 1);
}

/* --- unified shared memory ---------------------------------------------------------------------- */

static struct {
    clHostMemAllocINTEL_fn host;
    clDeviceMemAllocINTEL_fn device;
    clMemBlockingFreeINTEL_fn release;
    clSetKernelArgMemPointerINTEL_fn set;
    clEnqueueMemFillINTEL_fn fill;
    clEnqueueMemcpyINTEL_fn copy;
} usm;

static void use_shared(Job *j, cl_command_queue q, cl_kernel k, u32 *a, u8 *b, Buf *made)
{
    const cl_uint two = 2;
    const size_t items = N;
    u8 bytes[BYTES] = {0};
    if (may(j, usm.set(k, 0, a)) && may(j, clSetKernelArg(k, 1, sizeof two, &two)) &&
        may(j, clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL)) &&
        may(j, usm.copy(q, CL_FALSE, b, a, BYTES / 2, 0, NULL, NULL)) &&
        may(j, usm.fill(q, b + BYTES / 2, "abcd", 4, BYTES / 2, 0, NULL, NULL)) &&
        may(j, usm.copy(q, CL_TRUE, bytes, b, BYTES, 0, NULL, NULL)))
        buf_put(made, bytes, BYTES);
    may(j, clFinish(q));
}

static bool shared_memory(Buf *made)
{
    Job j = begin();
    cl_int s = CL_SUCCESS;
    cl_context c = make_context(&j, 1, &host.device);
    cl_command_queue q = c ? queue_of(&j, c, host.device) : NULL;
    cl_program p = q ? built(&j, c, 1, &host.device) : NULL;
    cl_kernel k = kernel_of(&j, p, "scale");
    from_here(&j);
    void *a = k ? usm.host(c, NULL, BYTES, 0, &s) : NULL, *b = NULL;
    if (a && may(&j, s))
        b = usm.device(c, host.device, NULL, BYTES, 0, &s);
    if (k)
        may(&j, s);
    if (b)
        use_shared(&j, q, k, a, b, made);
    if (a)
        must(!usm.release(c, a), "not freed");
    return end(&j); /* b is freed with the context */
}

static void shared_memory_lacks(void **state)
{
    (void)state;
    need_lack();
    lack_of_memory(shared_memory, allocations, 1);
}

/* --- several devices ---------------------------------------------------------------------------- */

static void use_parts(Job *j, cl_context c, const cl_device_id *d, Buf *made)
{
    const cl_uint seven = 7;
    const size_t items = N / 2;
    cl_command_queue q[2] = {queue_of(j, c, d[0]), queue_of(j, c, d[1])};
    cl_mem b = buffer_of(j, c, numbers);
    cl_program p = built(j, c, 2, d);
    cl_kernel k = kernel_of(j, p, "scale");
    if (!q[0] || !q[1] || !b || !k || !may(j, clSetKernelArg(k, 0, sizeof b, &b)) ||
        !may(j, clSetKernelArg(k, 1, sizeof seven, &seven)) ||
        !may(j, clEnqueueNDRangeKernel(q[1], k, 1, NULL, &items, NULL, 0, NULL, NULL)) ||
        !may(j, clFinish(q[1])))
        return;
    cl_int s;
    u8 *mapped = clEnqueueMapBuffer(q[0], b, CL_TRUE, CL_MAP_WRITE | CL_MAP_READ, 0, BYTES, 0, NULL,
                                    NULL, &s);
    if (!may(j, s))
        return;
    mapped[BYTES - 1] = 99;
    if (may(j, clEnqueueUnmapMemObject(q[0], b, mapped, 0, NULL, NULL)) && may(j, clFinish(q[0])) &&
        may(j, clEnqueueMigrateMemObjects(q[1], 1, &b, 0, 0, NULL, NULL)) && may(j, clFinish(q[1])))
        read_into(j, q[1], b, made);
    may(j, clFinish(q[0]));
    may(j, clFinish(q[1]));
}

static bool parts_of_a_device(Buf *made)
{
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    Job j = begin();
    cl_device_id d[2];
    if (!may(&j, clCreateSubDevices(host.device, equally, 2, d, NULL)))
        return end(&j);
    for (int i = 0; i < 2; i++)
        keep(&j, CL_SUCCESS, d[i], release_device);
    cl_context c = make_context(&j, 2, d);
    if (c)
        use_parts(&j, c, d, made);
    return end(&j);
}

static void parts_lack(void **state)
{
    (void)state;
    need_lack();
    lack_of_memory(parts_of_a_device, allocations, 1);
}

/* --- compiling and linking ------------------------------------------------------------------------ */

static Buf compiled; /* a program's binary */

/* The compiler is not started: what it is to be given is all that is of interest here, and a time that is no number
 * makes it end at once. */
static bool compiles_and_links(Buf *made)
{
    const char *text[] = {"#include \"a.h\"\n", "kernel void k(global int *p) { *p = A; }\n"},
               *names[] = {"a.h", "b.h"};
    const u8 *bytes = compiled.data;
    cl_program p[3], linked;
    cl_int s;
    Job j = begin();
    (void)made;
    cl_context c = make_context(&j, 1, &host.device);
    from_here(&j);
    for (int i = 0; c && i < 3; i++) {
        p[i] = clCreateProgramWithSource(c, 2, text, NULL, &s);
        if (!keep(&j, s, p[i], release_program))
            return end(&j);
    }
    if (!c)
        return end(&j);
    s = clCompileProgram(p[0], 0, NULL, "-DA=1 -w", 2, p + 1, names, NULL, NULL);
    may(&j, s == CL_COMPILE_PROGRAM_FAILURE ? CL_SUCCESS : s ? s : CL_INVALID_VALUE);
    s = clBuildProgram(p[1], 0, NULL, "-w", NULL, NULL);
    may(&j, s == CL_BUILD_PROGRAM_FAILURE ? CL_SUCCESS : s ? s : CL_INVALID_VALUE);
    for (int i = 0; i < 2; i++) {
        p[i] = clCreateProgramWithBinary(c, 1, &host.device, &compiled.len, &bytes, NULL, &s);
        if (!keep(&j, s, p[i], release_program))
            return end(&j);
    }
    linked = clLinkProgram(c, 0, NULL, "-create-library", 2, p, NULL, NULL, &s);
    must((s == CL_LINK_PROGRAM_FAILURE) == !!linked, "no program with a log, or one without");
    if (linked)
        keep(&j, CL_SUCCESS, linked, release_program);
    else
        may(&j, s ? s : CL_INVALID_VALUE);
    return end(&j);
}

/* What the compiler makes of a program with a function. */
static void compile_once(void)
{
    const char *text = "int f(int x) { return x; }\n";
    cl_int s;
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    ok(s);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &s);
    ok(s);
    ok(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof compiled.len, &compiled.len, NULL));
    compiled.data = malloc(compiled.len);
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof compiled.data, &compiled.data, NULL));
    ok(clReleaseProgram(p));
    ok(clReleaseContext(c));
}

static void compiling_lacks(void **state)
{
    (void)state;
    need_lack();
    if (!INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE))
        skip_because("no compiler");
    compile_once();
    setenv("VENTUS_CC_TIMEOUT", "never", 1);
    lack_of_memory(compiles_and_links, allocations, 1);
    unsetenv("VENTUS_CC_TIMEOUT");
    free(compiled.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_objects_lack),  cmocka_unit_test(kernels_lack),
        cmocka_unit_test(command_buffers_lack), cmocka_unit_test(shared_memory_lacks),
        cmocka_unit_test(parts_lack),           cmocka_unit_test(compiling_lacks),
    };
    set_environment();
    open_lack_host();
    for (u32 i = 0; i < N; i++)
        numbers[i] = i * 0x01030507;
    find("clGetKernelSuggestedLocalWorkSizeKHR", &suggest);
    find("clCreateCommandBufferKHR", &f.create);
    find("clReleaseCommandBufferKHR", &f.release);
    find("clFinalizeCommandBufferKHR", &f.finalize);
    find("clEnqueueCommandBufferKHR", &f.enqueue);
    find("clCommandCopyBufferKHR", &f.copy);
    find("clCommandFillBufferKHR", &f.fill);
    find("clCommandNDRangeKernelKHR", &f.ndrange);
    find("clHostMemAllocINTEL", &usm.host);
    find("clDeviceMemAllocINTEL", &usm.device);
    find("clMemBlockingFreeINTEL", &usm.release);
    find("clSetKernelArgMemPointerINTEL", &usm.set);
    find("clEnqueueMemFillINTEL", &usm.fill);
    find("clEnqueueMemcpyINTEL", &usm.copy);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buf_free(&host.image);
    return failed;
}
