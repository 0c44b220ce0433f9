/* cl_usm_test.c -- cl_intel_unified_shared_memory: host and kernels use one memory by pointers. */
#include "test/kit/skip.h"
#include "test/opencl/clhost.h"
#include <pthread.h>
#include <sys/wait.h>

static struct {
    clHostMemAllocINTEL_fn host;
    clDeviceMemAllocINTEL_fn device;
    clSharedMemAllocINTEL_fn shared;
    clMemFreeINTEL_fn release;
    clMemBlockingFreeINTEL_fn blocking_release;
    clGetMemAllocInfoINTEL_fn info;
    clSetKernelArgMemPointerINTEL_fn set;
    clEnqueueMemFillINTEL_fn fill;
    clEnqueueMemcpyINTEL_fn copy;
    clEnqueueMigrateMemINTEL_fn migrate;
    clEnqueueMemAdviseINTEL_fn advise;
} usm;

/* false: there is none of that name */
static bool find(const char *name, void *function)
{
    void *address = clGetExtensionFunctionAddressForPlatform(host.platform, name);
    memcpy(function, &address, sizeof address);
    return address;
}

static int open_functions(void **state)
{
    open_host(state);
    const bool ok = find("clHostMemAllocINTEL", &usm.host) && find("clDeviceMemAllocINTEL", &usm.device) &&
                    find("clSharedMemAllocINTEL", &usm.shared) && find("clMemFreeINTEL", &usm.release) &&
                    find("clMemBlockingFreeINTEL", &usm.blocking_release) && find("clGetMemAllocInfoINTEL", &usm.info) &&
                    find("clSetKernelArgMemPointerINTEL", &usm.set) && find("clEnqueueMemFillINTEL", &usm.fill) &&
                    find("clEnqueueMemcpyINTEL", &usm.copy) && find("clEnqueueMigrateMemINTEL", &usm.migrate) &&
                    find("clEnqueueMemAdviseINTEL", &usm.advise);
    return ok ? 0 : -1;
}

static void *make_host(size_t size)
{
    cl_int s;
    void *p = usm.host(host.context, NULL, size, 0, &s);
    ok(s);
    return p;
}

static void *make_shared(size_t size)
{
    cl_int s;
    void *p = usm.shared(host.context, host.device, NULL, size, 0, &s);
    ok(s);
    return p;
}

static void *make_device(size_t size)
{
    cl_int s;
    void *p = usm.device(host.context, host.device, NULL, size, 0, &s);
    ok(s);
    return p;
}

static void run(cl_kernel k, size_t n)
{
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    ok(clFinish(host.queue));
}

/* A kernel from source; where there is no compiler the test is skipped. */
static cl_kernel compile(const char *text, const char *name)
{
    cl_int s;
    if (!INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE))
        skip();
    cl_program p = clCreateProgramWithSource(host.context, 1, &text, NULL, &s);
    ok(s);
    ok(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel k = make_kernel(p, name);
    ok(clReleaseProgram(p));
    return k;
}

/* --------------------------------------------------------------------------------------------- */

enum {
    HOST_SEES = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
                CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL,
    DEVICE_SEES = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
};

static cl_bitfield capability(cl_device_info which) { return INFO(cl_bitfield, clGetDeviceInfo, host.device, which); }

static bool is_listed(void)
{
    char names[4096];
    cl_name_version list[128];
    size_t n;
    bool found = false;
    ok(clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    ok(clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &n));
    for (size_t i = 0; i < n / sizeof *list; i++)
        found |= !strcmp(list[i].name, "cl_intel_unified_shared_memory");
    assert_int_equal(found, strstr(names, "cl_intel_unified_shared_memory") != NULL);
    return found;
}

static void is_reported(void **state)
{
    (void)state;
    assert_true(is_listed());
    assert_int_equal(capability(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL), HOST_SEES);
    assert_int_equal(capability(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL), DEVICE_SEES);
    assert_int_equal(capability(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL), HOST_SEES);
    assert_int_equal(capability(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL), 0);
    assert_int_equal(capability(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL), 0);
}

/* in a process whose devices have page tables */
static int lacks_it_with_page_tables(void)
{
    void *none = NULL;
    cl_int s = 0;
    open_functions(&none);
    const bool lacks = !is_listed() && !capability(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL) &&
                       !capability(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) &&
                       !usm.host(host.context, NULL, 64, 0, &s) && s == CL_INVALID_OPERATION &&
                       !usm.device(host.context, host.device, NULL, 64, 0, &s) && s == CL_INVALID_OPERATION;
    close_host(&none);
    return !lacks;
}

static void is_not_reported_with_page_tables(void **state)
{
    (void)state;
    const pid_t pid = fork();
    if (!pid) {
        execl("/proc/self/exe", "cl_usm_test", "page-tables", NULL);
        _exit(2);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The host writes, a kernel computes, the host reads, and nothing is copied; pointers may point inside. */
static void shares_bytes(void **state)
{
    cl_program p = make_program(&host.image);
    cl_kernel add = make_kernel(p, "add");
    int *a = make_host(4096), *b = make_shared(4096), *c = make_shared(8192);
    (void)state;
    for (int i = 0; i < 64; i++)
        a[i + 5] = 100 * i, b[i] = i;
    ok(usm.set(add, 0, a + 5));
    ok(usm.set(add, 1, b));
    ok(usm.set(add, 2, c + 1000));
    run(add, 64);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[1000 + i], 101 * i);
    assert_int_equal(c[999], 0);
    assert_int_equal(c[1064], 0);
    for (int i = 0; i < 64; i++) /* and again, from what it made */
        a[i + 5] = 1;
    ok(usm.set(add, 1, c + 1000));
    run(add, 64);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[1000 + i], 101 * i + 1);
    ok(usm.release(host.context, a));
    ok(usm.release(host.context, b));
    ok(usm.release(host.context, c));
    ok(clReleaseKernel(add));
    ok(clReleaseProgram(p));
}

/* A list that the host made of its own pointers; a kernel follows their low words. */
static void follows_pointers_of_the_host(void **state)
{
    struct Node {
        struct Node *next;
        int value, pad;
    } * node[40];
    cl_kernel k = compile("struct Node { global struct Node *next; uint high; int value, pad; };\n"
                          "kernel void sum(global struct Node *first, global uint *out)\n"
                          "{\n"
                          "    uint n = 0, sum = 0;\n"
                          "    for (global struct Node *p = first; p; p = p->next, n++)\n"
                          "        sum += p->value;\n"
                          "    out[0] = n;\n"
                          "    out[1] = sum;\n"
                          "    out[2] = (uint)first;\n"
                          "}\n",
                          "sum");
    const cl_bool yes = CL_TRUE;
    (void)state;
    for (int i = 0; i < 40; i++) {
        node[i] = i % 2 ? make_host(sizeof **node) : make_shared(sizeof **node);
        *node[i] = (struct Node){.value = i * i};
    }
    for (int i = 0; i < 39; i++)
        node[i]->next = node[i + 1];
    cl_uint *out = make_host(12);
    ok(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes));
    ok(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes));
    ok(usm.set(k, 0, node[0]));
    ok(usm.set(k, 1, out));
    run(k, 1);
    assert_int_equal(out[0], 40);
    assert_int_equal(out[1], 39 * 40 * 79 / 6);
    assert_int_equal(out[2], (cl_uint)(uintptr_t)node[0]);
    ok(usm.set(k, 0, NULL));
    run(k, 1);
    assert_int_equal(out[0], 0);
    for (int i = 0; i < 40; i++)
        ok(usm.release(host.context, node[i]));
    ok(usm.release(host.context, out));
    ok(clReleaseKernel(k));
}

/* A kernel waits for a word of the host, while it runs, and answers. */
static void talks_to_a_running_kernel(void **state)
{
    const char *engine = getenv("VENTUS_ENGINE");
    if (engine && !strcmp(engine, "shadow"))
        skip_because("a host that writes without a call is seen by one of two engines earlier");
    cl_kernel k = compile("kernel void reply(volatile global int *word)\n"
                          "{\n"
                          "    word[0] = 1;\n"
                          "    while (word[1] != 2)\n"
                          "        ;\n"
                          "    word[2] = 3;\n"
                          "}\n",
                          "reply");
    _Atomic int *word = make_shared(12);
    cl_event e;
    (void)state;
    ok(usm.set(k, 0, (const void *)word));
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &(size_t){1}, NULL, 0, NULL, &e));
    assert_true(comes_true(&word[0], 1));
    assert_int_equal(status_of(e), CL_RUNNING);
    assert_int_equal(word[2], 0);
    atomic_store(&word[1], 2);
    ok(clWaitForEvents(1, &e));
    assert_int_equal(word[2], 3);
    ok(clReleaseEvent(e));
    ok(usm.release(host.context, (void *)(uintptr_t)word));
    ok(clReleaseKernel(k));
}

static cl_command_type type_of(cl_event e) { return INFO(cl_command_type, clGetEventInfo, e, CL_EVENT_COMMAND_TYPE); }

static void copies_and_fills(void **state)
{
    enum { N = 100000 };
    cl_int s;
    cl_event e[4], gate = clCreateUserEvent(host.context, &s);
    int *mine = mem_zalloc(N, sizeof *mine), *back = mem_zalloc(N, sizeof *back);
    int *a = make_device(N * sizeof *a), *b = make_shared(N * sizeof *b);
    const cl_short pattern[2] = {7, 9};
    (void)state;
    ok(s);
    for (int i = 0; i < N; i++)
        mine[i] = 3 * i;
    /* host, device, shared, host; behind a gate, by each other's events */
    ok(usm.copy(host.queue, CL_FALSE, a, mine, N * 4, 1, &gate, &e[0]));
    ok(usm.copy(host.queue, CL_FALSE, b + 1, a, N * 4 - 4, 1, &e[0], &e[1]));
    ok(usm.fill(host.queue, b + 10, pattern, sizeof pattern, 40, 1, &e[1], &e[2]));
    assert_int_equal(type_of(e[0]), CL_COMMAND_MEMCPY_INTEL);
    assert_int_equal(type_of(e[2]), CL_COMMAND_MEMFILL_INTEL);
    assert_int_equal(b[1], 0);
    assert_int_equal(b[2], 0);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(usm.copy(host.queue, CL_TRUE, back, b, N * 4, 1, &e[2], NULL));
    for (int i = 1; i < N; i++)
        assert_int_equal(back[i], i >= 10 && i < 20 ? 9 << 16 | 7 : 3 * (i - 1));
    assert_memory_equal(back, b, N * 4);
    /* within an allocation; between addresses of the host; nothing */
    ok(usm.copy(host.queue, CL_TRUE, b + 50, b, 200, 0, NULL, NULL));
    assert_memory_equal(b + 50, back, 200);
    ok(usm.copy(host.queue, CL_TRUE, back, mine, 64, 0, NULL, NULL));
    assert_memory_equal(back, mine, 64);
    ok(usm.copy(host.queue, CL_TRUE, back, a, 0, 0, NULL, NULL));
    ok(usm.fill(host.queue, b, pattern, 4, 0, 0, NULL, NULL));
    /* hints do nothing */
    ok(usm.migrate(host.queue, b, 4096, 0, 0, NULL, &e[3]));
    assert_int_equal(type_of(e[3]), CL_COMMAND_MIGRATEMEM_INTEL);
    ok(clReleaseEvent(e[3]));
    ok(usm.advise(host.queue, b, 4096, 0, 1, e, &e[3]));
    assert_int_equal(type_of(e[3]), CL_COMMAND_MEMADVISE_INTEL);
    ok(clFinish(host.queue));
    for (int i = 0; i < 4; i++)
        ok(clReleaseEvent(e[i]));
    ok(clReleaseEvent(gate));
    ok(usm.release(host.context, a));
    ok(usm.release(host.context, b));
    mem_free(mine);
    mem_free(back);
}

#define QUERY(type, pointer, param)                                                                \
    __extension__({                                                                                \
        type v_;                                                                                   \
        size_t n_;                                                                                 \
        ok(usm.info(host.context, pointer, param, sizeof v_, &v_, &n_));                           \
        assert_int_equal(n_, sizeof v_);                                                           \
        v_;                                                                                        \
    })

static void assert_described(const char *p, cl_uint type, cl_device_id device, size_t size, cl_bitfield flags)
{
    for (size_t at = 0; at < size; at += size - 1) {
        assert_int_equal(QUERY(cl_unified_shared_memory_type_intel, p + at, CL_MEM_ALLOC_TYPE_INTEL), type);
        assert_ptr_equal(QUERY(void *, p + at, CL_MEM_ALLOC_BASE_PTR_INTEL), p);
        assert_int_equal(QUERY(size_t, p + at, CL_MEM_ALLOC_SIZE_INTEL), size);
        assert_ptr_equal(QUERY(cl_device_id, p + at, CL_MEM_ALLOC_DEVICE_INTEL), device);
        assert_int_equal(QUERY(cl_mem_alloc_flags_intel, p + at, CL_MEM_ALLOC_FLAGS_INTEL), flags);
    }
}

static void assert_unknown(const void *p)
{
    assert_int_equal(QUERY(cl_unified_shared_memory_type_intel, p, CL_MEM_ALLOC_TYPE_INTEL), CL_MEM_TYPE_UNKNOWN_INTEL);
    assert_null(QUERY(void *, p, CL_MEM_ALLOC_BASE_PTR_INTEL));
    assert_int_equal(QUERY(size_t, p, CL_MEM_ALLOC_SIZE_INTEL), 0);
    assert_null(QUERY(cl_device_id, p, CL_MEM_ALLOC_DEVICE_INTEL));
    assert_int_equal(QUERY(cl_mem_alloc_flags_intel, p, CL_MEM_ALLOC_FLAGS_INTEL), 0);
}

static void answers_queries(void **state)
{
    const cl_mem_properties_intel list[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
    cl_int s;
    cl_uint v;
    int local;
    (void)state;
    char *a = make_host(1000), *b = make_device(5000), *c = usm.shared(host.context, host.device, list, 77, 128, &s);
    ok(s);
    char *d = usm.shared(host.context, NULL, NULL, 9, 0, &s);
    ok(s);
    assert_described(a, CL_MEM_TYPE_HOST_INTEL, NULL, 1000, 0);
    assert_described(b, CL_MEM_TYPE_DEVICE_INTEL, host.device, 5000, 0);
    assert_described(c, CL_MEM_TYPE_SHARED_INTEL, host.device, 77, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL);
    assert_described(d, CL_MEM_TYPE_SHARED_INTEL, NULL, 9, 0);
    assert_int_equal((uintptr_t)c % 128, 0);
    assert_unknown(NULL);
    assert_unknown(&local);
    assert_unknown(a + 1000);
    assert_int_equal(usm.info(host.context, a, 0, sizeof v, &v, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.info(host.context, a, CL_MEM_ALLOC_SIZE_INTEL, 4, &v, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.info(NULL, a, CL_MEM_ALLOC_TYPE_INTEL, sizeof v, &v, NULL), CL_INVALID_CONTEXT);
    ok(usm.release(host.context, a));
    assert_unknown(a);
    ok(usm.release(host.context, b));
    ok(usm.release(host.context, c));
    ok(usm.release(host.context, d));
}

/* --- what is refused ---------------------------------------------------------------------- */

static cl_device_id const no_device = NULL;

#define REFUSED(status, call)                                                                      \
    do {                                                                                           \
        s = CL_SUCCESS;                                                                            \
        assert_null(call);                                                                         \
        assert_int_equal(s, status);                                                               \
    } while (0)

static void refuses_bad_allocations(void **state)
{
    const cl_mem_properties_intel unknown[] = {CL_MEM_ALLOC_FLAGS_INTEL + 1, 0, 0},
                                  bits[] = {CL_MEM_ALLOC_FLAGS_INTEL, 8, 0},
                                  both[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                            CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL |
                                                CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL,
                                            0},
                                  place[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0},
                                  twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0};
    const cl_context c = host.context;
    const cl_device_id d = host.device;
    const size_t most = INFO(cl_ulong, clGetDeviceInfo, d, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    cl_int s;
    (void)state;
    REFUSED(CL_INVALID_CONTEXT, usm.host(NULL, NULL, 4, 0, &s));
    REFUSED(CL_INVALID_CONTEXT, usm.device((cl_context)d, d, NULL, 4, 0, &s));
    REFUSED(CL_INVALID_DEVICE, usm.device(c, no_device, NULL, 4, 0, &s));
    REFUSED(CL_INVALID_DEVICE, usm.device(c, (cl_device_id)c, NULL, 4, 0, &s));
    REFUSED(CL_INVALID_DEVICE, usm.shared(c, (cl_device_id)c, NULL, 4, 0, &s));
    REFUSED(CL_INVALID_VALUE, usm.host(c, NULL, 4, 3, &s));
    REFUSED(CL_INVALID_VALUE, usm.host(c, NULL, 4, 256, &s));
    REFUSED(CL_INVALID_PROPERTY, usm.host(c, unknown, 4, 0, &s));
    REFUSED(CL_INVALID_PROPERTY, usm.host(c, bits, 4, 0, &s));
    REFUSED(CL_INVALID_PROPERTY, usm.host(c, twice, 4, 0, &s));
    REFUSED(CL_INVALID_PROPERTY, usm.host(c, place, 4, 0, &s));
    REFUSED(CL_INVALID_PROPERTY, usm.device(c, d, place, 4, 0, &s));
    REFUSED(CL_INVALID_PROPERTY, usm.shared(c, d, both, 4, 0, &s));
    REFUSED(CL_INVALID_BUFFER_SIZE, usm.shared(c, d, NULL, 0, 0, &s));
    REFUSED(CL_INVALID_BUFFER_SIZE, usm.device(c, d, NULL, most + 1, 0, &s));
    REFUSED(CL_INVALID_BUFFER_SIZE, usm.host(c, NULL, most + 1, 0, &s));
    assert_null(usm.host(c, NULL, 0, 0, NULL));
}

static void refuses_bad_commands(void **state)
{
    char bytes[64], *p = make_shared(4096);
    cl_event e;
    (void)state;
    const cl_command_queue q = host.queue;
    assert_int_equal(usm.copy(NULL, CL_TRUE, p, bytes, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(usm.copy(q, CL_TRUE, NULL, bytes, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.copy(q, CL_TRUE, p, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.copy(q, CL_TRUE, p + 4090, bytes, 7, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.copy(q, CL_TRUE, bytes, p + 4090, 7, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.copy(q, CL_TRUE, p, p + 3, 4, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    assert_int_equal(usm.copy(q, CL_TRUE, p + 3, p, 4, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    ok(usm.copy(q, CL_TRUE, p + 4, p, 4, 0, NULL, NULL));
    assert_int_equal(usm.copy(q, CL_TRUE, p, bytes, 4, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(usm.copy(q, CL_TRUE, p, bytes, 4, 0, &e, NULL), CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(usm.fill(NULL, p, bytes, 4, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(usm.fill(q, NULL, bytes, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.fill(q, p, NULL, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.fill(q, p, bytes, 3, 3, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.fill(q, p, bytes, 256, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.fill(q, p, bytes, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.fill(q, p + 2, bytes, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.fill(q, p, bytes, 4, 4100, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.fill(q, bytes, bytes, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.migrate(NULL, p, 4, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(usm.migrate(q, p, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.advise(q, p, 4, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(usm.release(NULL, p), CL_INVALID_CONTEXT);
    assert_int_equal(usm.release(host.context, p + 1), CL_INVALID_VALUE);
    assert_int_equal(usm.release(host.context, bytes), CL_INVALID_VALUE);
    assert_int_equal(usm.blocking_release(host.context, p + 1), CL_INVALID_VALUE);
    ok(usm.release(host.context, NULL));
    ok(usm.blocking_release(host.context, NULL));
    ok(usm.release(host.context, p));
    assert_int_equal(usm.release(host.context, p), CL_INVALID_VALUE);
}

static void refuses_bad_arguments(void **state)
{
    cl_program p = make_program(&host.image);
    cl_kernel scale = make_kernel(p, "scale"), share = make_kernel(p, "share");
    void *pointers[2] = {NULL, NULL};
    (void)state;
    assert_int_equal(usm.set(NULL, 0, NULL), CL_INVALID_KERNEL);
    assert_int_equal(usm.set(scale, 2, NULL), CL_INVALID_ARG_INDEX);
    assert_int_equal(usm.set(scale, 1, NULL), CL_INVALID_ARG_VALUE); /* no pointer */
    assert_int_equal(usm.set(share, 1, NULL), CL_INVALID_ARG_VALUE); /* a local one */
    ok(usm.set(scale, 0, pointers)); /* any value can be set since 1.1.0 */
    assert_int_equal(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof pointers, pointers),
                     CL_INVALID_KERNEL);
    ok(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof pointers, pointers));
    assert_int_equal(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 5, pointers), CL_INVALID_VALUE);
    assert_int_equal(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, 8, pointers),
                     CL_INVALID_VALUE);
    assert_int_equal(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers),
                     CL_INVALID_OPERATION);
    ok(clReleaseKernel(scale));
    ok(clReleaseKernel(share));
    ok(clReleaseProgram(p));
}

/* As much as the device says can be had at once, and patterns of every size of a type: those of up to 16 longs. */
static void takes_the_largest(void **state)
{
    const size_t most = INFO(cl_ulong, clGetDeviceInfo, host.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    u8 pattern[2 * 128], want[1024], *p;
    cl_int s;
    (void)state;
    p = usm.device(host.context, host.device, NULL, most, 0, &s);
    ok(s);
    ok(usm.release(host.context, p));
    p = usm.host(host.context, NULL, most, 0, &s);
    ok(s);
    ok(usm.release(host.context, p));
    p = make_shared(sizeof want);
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (u8)(3 * i + 1);
    for (size_t n = 1; n <= sizeof pattern; n++) {
        const bool is_type = (n & (n - 1)) == 0 && n <= 128;
        memset(want, 0xcc, sizeof want);
        memset(p, 0xcc, sizeof want);
        assert_int_equal(usm.fill(host.queue, p + n, pattern, n, 2 * n, 0, NULL, NULL),
                         is_type ? CL_SUCCESS : CL_INVALID_VALUE);
        ok(clFinish(host.queue));
        for (size_t i = 0; is_type && i < 2 * n; i++)
            want[n + i] = pattern[i % n];
        assert_memory_equal(p, want, sizeof want);
    }
    ok(usm.release(host.context, p));
}

/* Migration takes any of its two flags, and properties the hint of memory that is written in bursts. */
static void takes_hints(void **state)
{
    const cl_mem_properties_intel bursts[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                              CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0};
    cl_int s;
    (void)state;
    u8 *p = usm.host(host.context, bursts, 64, 0, &s);
    ok(s);
    assert_int_equal(QUERY(cl_mem_alloc_flags_intel, p, CL_MEM_ALLOC_FLAGS_INTEL),
                     CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    for (cl_mem_migration_flags flags = 0; flags < 16; flags++)
        assert_int_equal(
            usm.migrate(host.queue, p, 64, flags, 0, NULL, NULL),
            flags <= (CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)
                ? CL_SUCCESS
                : CL_INVALID_VALUE);
    ok(clFinish(host.queue));
    ok(usm.release(host.context, p));
}

/* --- life --------------------------------------------------------------------------------- */

static void *open_gate(void *event)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    ok(clSetUserEventStatus(event, CL_COMPLETE));
    return NULL;
}

/* What uses an allocation ends before it is freed. */
static void waits_to_free(void **state)
{
    int *p = make_shared(4096), back[16] = {0};
    const int five = 5;
    cl_int s;
    cl_event gate = clCreateUserEvent(host.context, &s);
    pthread_t id;
    (void)state;
    ok(s);
    ok(usm.fill(host.queue, p, &five, 4, 4096, 1, &gate, NULL));
    ok(usm.copy(host.queue, CL_FALSE, back, p, sizeof back, 0, NULL, NULL));
    assert_int_equal(pthread_create(&id, NULL, open_gate, gate), 0);
    ok(usm.blocking_release(host.context, p));
    assert_int_equal(status_of(gate), CL_COMPLETE);
    for (int i = 0; i < 16; i++)
        assert_int_equal(back[i], 5);
    assert_unknown(p);
    pthread_join(id, NULL);
    ok(clReleaseEvent(gate));
}

/* A kernel that still has the pointer of a freed allocation faults, and the device goes on.  The pointer is to the
 * end of a large one, whose beginning the launch may have been given. */
static void faults_after_free(void **state)
{
    enum { BYTES = 64 << 20, WORDS = BYTES / 4 };
    cl_program p = make_program(&host.image);
    cl_kernel scale = make_kernel(p, "scale");
    int *a = make_shared(BYTES);
    (void)state;
    ok(clSetKernelArg(scale, 1, sizeof(int), &(int){1}));
    ok(usm.set(scale, 0, a + WORDS - 64));
    run(scale, 64);
    assert_int_equal(a[WORDS - 1], 63);
    ok(usm.release(host.context, a));
    ok(clEnqueueNDRangeKernel(host.queue, scale, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL));
    assert_int_equal(clFinish(host.queue), CL_OUT_OF_RESOURCES);
    a = make_shared(BYTES);
    assert_int_equal(a[WORDS - 1], 0);
    ok(usm.set(scale, 0, a + WORDS - 64));
    run(scale, 64);
    assert_int_equal(a[WORDS - 1], 63);
    ok(usm.release(host.context, a));
    ok(clReleaseKernel(scale));
    ok(clReleaseProgram(p));
}

/* Devices have memories of their own: in a context of several an allocation needs a device. */
static void belongs_to_one_device(void **state)
{
    const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[2];
    cl_uint n;
    cl_int s;
    (void)state;
    ok(clCreateSubDevices(host.device, by, 2, parts, &n));
    assert_int_equal(n, 2);
    cl_context c = clCreateContext(NULL, 2, parts, NULL, NULL, &s);
    ok(s);
    REFUSED(CL_OUT_OF_RESOURCES, usm.host(c, NULL, 64, 0, &s));
    REFUSED(CL_OUT_OF_RESOURCES, usm.shared(c, NULL, NULL, 64, 0, &s));
    REFUSED(CL_INVALID_DEVICE, usm.device(c, host.device, NULL, 64, 0, &s));
    int *a = usm.shared(c, parts[0], NULL, 64, 0, &s), *b = usm.device(c, parts[1], NULL, 64, 0, &s);
    ok(s);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, parts[0], NULL, &s);
    ok(s);
    a[0] = 12; /* from one's memory to the other's, and back */
    ok(usm.copy(q, CL_TRUE, b, a, 4, 0, NULL, NULL));
    ok(usm.copy(q, CL_TRUE, a + 1, b, 4, 0, NULL, NULL));
    assert_int_equal(a[1], 12);
    ok(clReleaseCommandQueue(q));
    ok(clReleaseContext(c)); /* with all that is in it */
    ok(clReleaseDevice(parts[0]));
    ok(clReleaseDevice(parts[1]));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_reported),
        cmocka_unit_test(is_not_reported_with_page_tables),
        cmocka_unit_test(shares_bytes),
        cmocka_unit_test(follows_pointers_of_the_host),
        cmocka_unit_test(talks_to_a_running_kernel),
        cmocka_unit_test(copies_and_fills),
        cmocka_unit_test(answers_queries),
        cmocka_unit_test(refuses_bad_allocations),
        cmocka_unit_test(refuses_bad_commands),
        cmocka_unit_test(refuses_bad_arguments),
        cmocka_unit_test(takes_the_largest),
        cmocka_unit_test(takes_hints),
        cmocka_unit_test(waits_to_free),
        cmocka_unit_test(faults_after_free),
        cmocka_unit_test(belongs_to_one_device),
    };
    set_environment();
    if (argc > 1 && !strcmp(argv[1], "page-tables")) {
        setenv("VENTUS_MMU", "1", 1);
        return lacks_it_with_page_tables();
    }
    return cmocka_run_group_tests(tests, open_functions, close_host);
}
