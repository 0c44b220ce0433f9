/* cl_environment_test.c -- processes with variables of the environment: the devices that there are, how they can be divided,
 * what is written into files, and what is said of wrong values.
 */
#include "jit/maker.h"
#include "test/opencl/clhost.h"
#include <dirent.h>
#include <jansson.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Processes end without releasing what they have made; the leak sanitizer asks. */
int __lsan_is_turned_off(void);
__attribute__((visibility("default"))) int __lsan_is_turned_off(void) { return 1; }

/* In a process of its own, where cmocka's assertions have nowhere to go. */
#define need(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define need_status(call, want)                                                                    \
    do {                                                                                           \
        const cl_int s_ = (call);                                                                  \
        if (s_ != (want)) {                                                                        \
            fprintf(stderr, "line %d: %s: %d, not %d\n", __LINE__, #call, s_, want);               \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#undef ok
#define ok(call) need_status(call, CL_SUCCESS)

typedef struct {
    const char *name, *value;
} Variable;

static char directory[] = "/tmp/cl_environment.XXXXXX";

static const char *path(const char *name)
{
    static char text[4][128];
    static unsigned next;
    char *p = text[next++ % 4];
    snprintf(p, sizeof *text, "%s/%s", directory, name);
    return p;
}

/* What a process with these variables that does `what` prints on stderr; *status: its exit status. */
static void run(void what(void), const Variable *v, char *text, size_t size, int *status)
{
    int pipes[2];
    size_t len = 0;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (!child) {
        dup2(pipes[1], 2);
        close(pipes[0]);
        set_environment();
        setenv("VENTUS_ENGINE", "interp", 1);
        for (; v->name; v++)
            setenv(v->name, v->value, 1);
        ok(clGetPlatformIDs(1, &host.platform, NULL));
        what();
        fflush(NULL);
        exit(0); /* files are written by then */
    }
    close(pipes[1]);
    for (ssize_t n; (n = read(pipes[0], text + len, size - 1 - len)) > 0;)
        len += (size_t)n;
    text[len] = 0;
    close(pipes[0]);
    assert_int_equal(waitpid(child, status, 0), child);
}

#define VARIABLES(...) ((const Variable[]){__VA_ARGS__, {NULL, NULL}})

/* The process ends well and has nothing to say. */
static void run_well(void what(void), const Variable *v)
{
    char text[4096];
    int status;
    run(what, v, text, sizeof text, &status);
    if (status || *text)
        fail_msg("status %x: %s", (unsigned)status, text);
}

static cl_uint number(cl_device_id d, cl_device_info param)
{
    cl_ulong v = 0;
    ok(clGetDeviceInfo(d, param, sizeof v, &v, NULL));
    return (cl_uint)v;
}

static cl_device_id first_device(void)
{
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_GPU, 1, &host.device, NULL));
    return host.device;
}

/* --- devices -------------------------------------------------------------------------------- */

enum { DEVICES = 3 };

/* Of every combination of types: GPUs are all devices, the default is the first one, others there are not. */
static void look_for_devices(void)
{
    cl_device_id all[DEVICES], d[DEVICES + 2], c[DEVICES];
    cl_uchar uuid[DEVICES][CL_UUID_SIZE_KHR], driver[DEVICES][CL_UUID_SIZE_KHR];
    cl_int s;
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_GPU, DEVICES, all, NULL));
    for (cl_device_type type = 0; type <= 65; type++) {
        const cl_device_type asked = type == 64   ? CL_DEVICE_TYPE_ALL
                                     : type == 65 ? (cl_device_type)1 << 32
                                                  : type;
        const bool is_type = asked == CL_DEVICE_TYPE_ALL || (asked && asked < 32);
        const cl_uint there = asked & CL_DEVICE_TYPE_GPU       ? DEVICES
                              : asked & CL_DEVICE_TYPE_DEFAULT ? 1
                                                               : 0;
        const cl_int want = !is_type ? CL_INVALID_DEVICE_TYPE
                            : there  ? CL_SUCCESS
                                     : CL_DEVICE_NOT_FOUND;
        for (cl_uint room = 1; room < DEVICES + 2; room++) {
            cl_uint n = 99;
            memset(d, 0, sizeof d);
            need_status(clGetDeviceIDs(host.platform, asked, room, d, &n), want);
            need(!is_type || n == there);
            for (cl_uint i = 0; is_type && i < DEVICES + 2; i++)
                need(d[i] == (i < room && i < there ? all[i] : NULL));
            need_status(clGetDeviceIDs(NULL, asked, room, d, NULL), want);
            need_status(clGetDeviceIDs(host.platform, asked, 0, NULL, &n), want);
        }
        cl_context made = clCreateContextFromType(NULL, asked, NULL, NULL, &s);
        need_status(s, want);
        need(!made || (!clGetContextInfo(made, CL_CONTEXT_DEVICES, sizeof c, c, NULL) &&
                       !memcmp(c, all, there * sizeof *c)));
        need(!made || !clReleaseContext(made));
    }
    for (int i = 0; i < DEVICES; i++) {
        ok(clGetDeviceInfo(all[i], CL_DEVICE_UUID_KHR, sizeof *uuid, uuid[i], NULL));
        ok(clGetDeviceInfo(all[i], CL_DRIVER_UUID_KHR, sizeof *driver, driver[i], NULL));
        need(!memcmp(driver[i], driver[0], sizeof *driver));
        for (int k = 0; k < i; k++) /* the bytes but one are those of the kind */
            need(memcmp(uuid[i], uuid[k], sizeof *uuid) &&
                 !memcmp(uuid[i], uuid[k], sizeof *uuid - 1));
    }
}

static void finds_devices_by_type(void **state)
{
    (void)state;
    run_well(look_for_devices, VARIABLES({"VENTUS_DEVICES", "3"}));
}

/* --- the machine ------------------------------------------------------------------------------ */

static struct {
    unsigned lanes, warps, sms, lds;
} machine; /* of the process below */

/* What a device says of a machine, by the rules of doc/opencl.md and doc/abi.md: a group has 1024 work-items at most, a
 * warp's stack takes 1 KiB of local memory, and what is left is laid out in steps of 128 bytes. */
static void look_at_machine(void)
{
    const unsigned items = machine.lanes * machine.warps, most = items < 1024 ? items : 1024;
    const unsigned stacks = 1024 * machine.warps;
    const unsigned local = machine.lds >= 256u << 20 ? 64u << 10
                           : machine.lds > stacks    ? (machine.lds - stacks) / 128 * 128
                                                     : 0;
    char name[256], want[256];
    size_t sizes[3];
    cl_device_id d = first_device();
    need(number(d, CL_DEVICE_MAX_WORK_GROUP_SIZE) == most);
    ok(clGetDeviceInfo(d, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
    need(sizes[0] == most && sizes[1] == most && sizes[2] == most);
    need(number(d, CL_DEVICE_MAX_NUM_SUB_GROUPS) == (most + machine.lanes - 1) / machine.lanes);
    need(number(d, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) == machine.lanes);
    need(number(d, CL_DEVICE_MAX_COMPUTE_UNITS) == machine.sms);
    need(number(d, CL_DEVICE_LOCAL_MEM_SIZE) == local);
    ok(clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof name, name, NULL));
    snprintf(want, sizeof want, "%u SMs, %u warps of %u threads)", machine.sms, machine.warps,
             machine.lanes);
    need(strstr(name, want));
}

static void follows_the_machine(void **state)
{
    static const unsigned shapes[][2] = {{4, 1},   {4, 64},  {8, 8},  {16, 63},
                                         {16, 64}, {32, 31}, {32, 33}};
    (void)state;
    for (size_t i = 0; i < countof(shapes) * 6; i++) {
        const unsigned stacks = 1024 * shapes[i / 6][1];
        const unsigned lds[] = {0, stacks, stacks + 127, stacks + 128, stacks + 10000, 256 << 20};
        machine.lanes = shapes[i / 6][0];
        machine.warps = shapes[i / 6][1];
        machine.sms = 1 + (unsigned)i;
        machine.lds = lds[i % 6];
        FILE *f = fopen(path("machine"), "w");
        assert_non_null(f);
        fprintf(f, "lanes = %u\ngroup_warps = %u\nsms = %u\nlds = %u\n", machine.lanes,
                machine.warps, machine.sms, machine.lds);
        fclose(f);
        run_well(look_at_machine, VARIABLES({"VENTUS_MACHINE", path("machine")}));
    }
    unlink(path("machine"));
}

/* --- sizes of groups --------------------------------------------------------------------------- */

static struct {
    unsigned lanes, group_warps, sgprs, vgprs, lds;
} small; /* the machine of the process below */

static Resource records[2]; /* of scale and where */
static bool
    has_own_stacks; /* their code has stacks of the size that records say; else of 1 KiB (doc/abi.md) */

/* Warps that fit: each has registers in fours, of scalar ones 32 at least, and a stack in local memory in steps of 128
 * bytes; what the group has in common there is in front, or behind, in steps of 16. */
static unsigned warps_that_fit(const Resource *r, u64 local)
{
    const u64 sgprs = align_up(r->sgpr > 32 ? r->sgpr : 32, 4),
              vgprs = align_up(r->vgpr ? r->vgpr : 1, 4);
    const u64 stack =
        has_own_stacks && !(r->flags & RES_NO_STACK_PEAK) ? align_up(r->lds_stack, 128) : 1024;
    unsigned w = small.group_warps;
    while (w && (w * sgprs > small.sgprs || w * vgprs > small.vgprs ||
                 align_up(local, 16) + w * stack > small.lds))
        w--;
    return w;
}

/* As many work-items as the kernel's query says run in a group, and no more. */
static void launch_largest(cl_command_queue q, cl_kernel k, const Resource *r, u64 local)
{
    size_t most, items;
    cl_ulong bytes;
    ok(clGetKernelWorkGroupInfo(k, host.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                NULL));
    ok(clGetKernelWorkGroupInfo(k, host.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                                NULL));
    need(bytes == local);
    need(most == warps_that_fit(r, local) * small.lanes);
    if (most) {
        need_status(clEnqueueNDRangeKernel(q, k, 1, NULL, &most, &most, 0, NULL, NULL),
                    local > number(host.device, CL_DEVICE_LOCAL_MEM_SIZE) ? CL_OUT_OF_RESOURCES
                                                                          : CL_SUCCESS);
        ok(clFinish(q));
    }
    items = most + small.lanes;
    need_status(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &items, 0, NULL, NULL),
                items > small.lanes * small.group_warps ? CL_INVALID_WORK_ITEM_SIZE
                                                        : CL_INVALID_WORK_GROUP_SIZE);
}

static void launch_on_a_small_machine(void)
{
    static const size_t locals[] = {100, 36, 4};
    const u8 *bytes = host.image.data;
    cl_int s;
    first_device();
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, host.device, NULL, &s);
    cl_mem m = clCreateBuffer(c, 0, 4096, NULL, &s);
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel scale = clCreateKernel(p, "scale", &s), where = clCreateKernel(p, "where", &s);
    ok(clSetKernelArg(scale, 0, sizeof m, &m));
    ok(clSetKernelArg(scale, 1, sizeof(cl_int), &(cl_int){3}));
    launch_largest(q, scale, &records[0], 0);
    ok(clSetKernelArg(where, 0, sizeof m, &m));
    for (cl_uint i = 0; i < 3; i++)
        ok(clSetKernelArg(where, 1 + i, locals[i], NULL));
    launch_largest(q, where, &records[1], 256 + 4); /* each begins at a multiple of 128 */
}

static void tells_sizes_of_groups(void **state)
{
    static const unsigned sgprs[] = {32, 64, 100, 256, 4096}, vgprs[] = {8, 32, 100, 4096},
                          lds[] = {0, 1000, 4000, 9000, 70000};
    Caught caught;
    Object *image = NULL;
    (void)state;
    catch_in(&caught);
    assert_true(obj_read("t", host.image.data, host.image.len, &caught.d, &image));
    assert_true(resource_read(image, "scale", &records[0], &caught.d) &&
                resource_read(image, "where", &records[1], &caught.d));
    has_own_stacks = resource_generation(image) == GEN_C || resource_generation(image) == GEN_B2;
    obj_free(image);
    for (size_t i = 0; i < countof(sgprs) * countof(vgprs) * countof(lds); i++) {
        small.lanes = i % 2 ? 16 : 8;
        small.group_warps = 8;
        small.sgprs = sgprs[i % countof(sgprs)];
        small.vgprs = vgprs[i / countof(sgprs) % countof(vgprs)];
        small.lds = lds[i / countof(sgprs) / countof(vgprs)];
        FILE *f = fopen(path("machine"), "w");
        assert_non_null(f);
        fprintf(f, "lanes = %u\ngroup_warps = %u\nwarps = 8\nsgprs = %u\nvgprs = %u\nlds = %u\n",
                small.lanes, small.group_warps, small.sgprs, small.vgprs, small.lds);
        fclose(f);
        run_well(launch_on_a_small_machine, VARIABLES({"VENTUS_MACHINE", path("machine")}));
    }
    unlink(path("machine"));
}

/* --- parts of devices ------------------------------------------------------------------------- */

typedef cl_device_partition_property Part;
enum { SMS = 20, MOST_PARTS = 16 };

/* The answer of a division, and the SMs of its parts, by the specification of clCreateSubDevices. */
static cl_int divide(const Part *list, Part all, Part *parts, cl_uint *n)
{
    Part sum = 0;
    *n = 0;
    if (list[0] == CL_DEVICE_PARTITION_EQUALLY) {
        if (list[1] <= 0)
            return CL_INVALID_VALUE;
        if (list[1] >= all) /* a part that is all of it is none */
            return list[1] == all ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_DEVICE_PARTITION_COUNT;
        while (*n < MOST_PARTS && sum + list[1] <= all)
            sum += parts[(*n)++] = list[1];
        return CL_SUCCESS;
    }
    for (const Part *p = list + 1; *p != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; p++) {
        sum += *p;
        if (*p < 0 || sum > all || *n == MOST_PARTS)
            return CL_INVALID_DEVICE_PARTITION_COUNT;
        parts[(*n)++] = *p;
    }
    return *n ? CL_SUCCESS : CL_INVALID_DEVICE_PARTITION_COUNT;
}

static void try_division(cl_device_id whole, const Part *list, size_t words)
{
    Part want[32], got[32];
    cl_device_id d[32];
    cl_uint n, made = 99;
    size_t size;
    const cl_int s = divide(list, number(whole, CL_DEVICE_MAX_COMPUTE_UNITS), want, &n);
    need_status(clCreateSubDevices(whole, list, 0, NULL, &made), s);
    need_status(clCreateSubDevices(whole, list, 32, d, NULL), s);
    if (s)
        return;
    need(made == n);
    for (cl_uint i = 0; i < n; i++) {
        need(number(d[i], CL_DEVICE_MAX_COMPUTE_UNITS) == (cl_uint)want[i]);
        need(number(d[i], CL_DEVICE_PARTITION_MAX_SUB_DEVICES) ==
             (cl_uint)(want[i] < MOST_PARTS ? want[i] : MOST_PARTS));
        ok(clGetDeviceInfo(d[i], CL_DEVICE_PARTITION_TYPE, sizeof got, got, &size));
        need(size == words * sizeof *list && !memcmp(got, list, size));
        ok(clReleaseDevice(d[i]));
    }
    if (n > 1)
        need_status(clCreateSubDevices(whole, list, n - 1, d, NULL), CL_INVALID_VALUE);
    ok(clCreateSubDevices(whole, list, n, d, NULL));
    for (cl_uint i = 0; i < n; i++)
        ok(clReleaseDevice(d[i]));
}

static void divide_devices(void)
{
    cl_device_id whole = first_device();
    const Part ways[] = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS},
               more[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 5, 0},
               late[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 7}, none[] = {0};
    Part list[32], got[4];
    size_t size;
    u32 seed = 1;
    need(number(whole, CL_DEVICE_PARTITION_MAX_SUB_DEVICES) == MOST_PARTS);
    ok(clGetDeviceInfo(whole, CL_DEVICE_PARTITION_PROPERTIES, sizeof got, got, &size));
    need(size == sizeof ways && !memcmp(got, ways, size));
    for (Part n = -2; n <= 2 * SMS; n++)
        try_division(whole, (Part[]){CL_DEVICE_PARTITION_EQUALLY, n, 0}, 3);
    for (int turn = 0; turn < 400; turn++) {
        u32 n = 0;
        list[n++] = CL_DEVICE_PARTITION_BY_COUNTS;
        seed = seed * 1664525 + 1013904223;
        for (u32 left = (seed >> 20) % 19, most = 1 + (seed >> 10) % 5; left; left--) {
            seed = seed * 1664525 + 1013904223;
            list[n++] = (seed >> 16) % 40 ? 1 + (Part)((seed >> 8) % most)
                                          : -1 - (Part)(seed >> 24) * (1 << 26);
        }
        list[n++] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
        list[n++] = 0;
        try_division(whole, list, n);
    }
    need_status(clCreateSubDevices(whole, more, 32, NULL, NULL), CL_INVALID_VALUE);
    need_status(clCreateSubDevices(whole, late, 32, NULL, NULL), CL_INVALID_VALUE);
    need_status(clCreateSubDevices(whole, none, 32, NULL, NULL), CL_INVALID_VALUE);
    need_status(clCreateSubDevices(whole, NULL, 32, NULL, NULL), CL_INVALID_VALUE);
}

static void divide_what_is_one(void)
{
    cl_device_id whole = first_device();
    const Part equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    Part got[4];
    cl_uint n;
    size_t size;
    need(number(whole, CL_DEVICE_PARTITION_MAX_SUB_DEVICES) == 1);
    ok(clGetDeviceInfo(whole, CL_DEVICE_PARTITION_PROPERTIES, sizeof got, got, &size));
    need(size == sizeof *got && !got[0]);
    ok(clGetDeviceInfo(whole, CL_DEVICE_PARTITION_TYPE, 0, NULL, &size));
    need(!size);
    need_status(clCreateSubDevices(whole, equally, 0, NULL, &n), CL_DEVICE_PARTITION_FAILED);
}

static void divides_devices(void **state)
{
    (void)state;
    run_well(divide_devices, VARIABLES({"VENTUS_SMS", "20"}));
    run_well(divide_what_is_one, VARIABLES({"VENTUS_SMS", "1"}));
}

/* --- files -------------------------------------------------------------------------------------- */

static u8 pattern[256];

/* What is read from the device in every way that there is, and what is only written or copied there. */
static void read_in_all_ways(void)
{
    const size_t from[3] = {4, 1, 0}, zero[3] = {0}, box[3] = {6, 2, 2}, pixels[3] = {2, 2, 1};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    clDeviceMemAllocINTEL_fn allocate;
    clEnqueueMemcpyINTEL_fn copy;
    void *address =
        clGetExtensionFunctionAddressForPlatform(host.platform, "clDeviceMemAllocINTEL");
    u8 got[256];
    cl_int s;
    memcpy(&allocate, &address, sizeof address);
    address = clGetExtensionFunctionAddressForPlatform(host.platform, "clEnqueueMemcpyINTEL");
    memcpy(&copy, &address, sizeof address);
    first_device();
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, host.device, NULL, &s);
    cl_mem m = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof pattern, pattern, &s);
    cl_mem i = clCreateImage(c, CL_MEM_COPY_HOST_PTR, &format, &d, pattern, &s);
    cl_mem own = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, sizeof pattern, pattern, &s);
    void *p = allocate(c, host.device, NULL, 64, 0, &s);
    ok(s);
    ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 1, got, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(q, m, CL_TRUE, 16, 10, got, 0, NULL, NULL));
    ok(clEnqueueReadBufferRect(q, m, CL_TRUE, from, zero, box, 16, 64, 0, 0, got, 0, NULL, NULL));
    ok(clEnqueueReadImage(q, i, CL_TRUE, zero, pixels, 0, 0, got, 0, NULL, NULL));
    u8 *mapped = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 32, 8, 0, NULL, NULL, &s);
    ok(clEnqueueUnmapMemObject(q, m, mapped, 0, NULL, NULL));
    mapped =
        clEnqueueMapBuffer(q, own, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &s);
    ok(clEnqueueUnmapMemObject(q, own, mapped, 0, NULL, NULL));
    ok(copy(q, CL_TRUE, p, pattern, 64, 0, NULL, NULL));
    ok(copy(q, CL_TRUE, got, (u8 *)p + 8, 8, 0, NULL, NULL));
    /* none of these */
    mapped = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL, &s);
    ok(clEnqueueUnmapMemObject(q, m, mapped, 0, NULL, NULL));
    ok(clEnqueueWriteBuffer(q, m, CL_TRUE, 0, 8, pattern, 0, NULL, NULL));
    ok(clEnqueueCopyBuffer(q, m, own, 0, 128, 8, 0, NULL, NULL));
    ok(clEnqueueFillBuffer(q, m, pattern, 4, 0, 8, 0, NULL, NULL));
    ok(clFinish(q));
}

/* One copy: its words are those of the pattern from `at` on, and zeros behind it. */
static void check_copy(const json_t *o, json_int_t base, u32 at, u32 size)
{
    const json_t *data = json_object_get(o, "data");
    char want[32];
    snprintf(want, sizeof want, "0x%08llx", (unsigned long long)base);
    assert_string_equal(json_string_value(json_object_get(o, "address")), want);
    assert_int_equal(json_integer_value(json_object_get(o, "size")), size);
    assert_int_equal(json_object_size(data), (size + 3) / 4);
    for (u32 i = 0; i < size; i += 4) {
        u32 v = 0;
        char key[32];
        memcpy(&v, pattern + at + i, size - i < 4 ? size - i : 4);
        snprintf(key, sizeof key, "0x%08llx", (unsigned long long)base + i);
        snprintf(want, sizeof want, "0x%08x", v);
        const char *got = json_string_value(json_object_get(data, key));
        assert_non_null(got);
        assert_string_equal(got, want);
    }
}

static void writes_what_was_read(void **state)
{
    enum { M, I, OWN, P, BLOCKS };
    static const struct {
        int block;
        u32 offset, at, size;
    } copies[] = {{M, 0, 0, 1},   {M, 16, 16, 10},  {M, 20, 20, 6}, {M, 36, 36, 6},
                  {M, 84, 84, 6}, {M, 100, 100, 6}, {I, 0, 0, 8},   {I, 16, 16, 8},
                  {M, 32, 32, 8}, {OWN, 0, 0, 4},   {P, 8, 8, 8}};
    static const char *const names[] = {"VENTUS_DUMP_RESULT", "VENTUS_DRIVER_DUMP_RESULT"};
    (void)state;
    for (size_t k = 0; k < countof(names); k++) {
        json_int_t base[BLOCKS] = {0};
        run_well(read_in_all_ways, VARIABLES({names[k], path("dump")}));
        json_t *all = json_load_file(path("dump"), 0, NULL);
        assert_int_equal(json_array_size(all), countof(copies));
        for (size_t i = 0; i < countof(copies); i++) {
            const json_t *o = json_array_get(all, i);
            json_int_t *b = &base[copies[i].block];
            if (!*b)
                *b = (json_int_t)strtoll(json_string_value(json_object_get(o, "address")), NULL,
                                         16) -
                     copies[i].offset;
            assert_true(*b >= 0x90000000 && *b % 4096 == 0);
            check_copy(o, *b + copies[i].offset, copies[i].at, copies[i].size);
        }
        json_decref(all);
        unlink(path("dump"));
    }
}

/* Launches of 4 groups of a warp, of 2 groups, and one that faults; `add` on another device if there is one. */
static void launch_some(void)
{
    const size_t many = 128, few = 64, local = 32, one = 1;
    const cl_int factor = 3;
    cl_device_id d[2];
    cl_uint n;
    cl_int s;
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_GPU, 2, d, &n));
    cl_context c = clCreateContext(NULL, n, d, NULL, NULL, &s);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, d[0], NULL, &s);
    cl_command_queue other = clCreateCommandQueueWithProperties(c, d[n - 1], NULL, &s);
    const u8 *bytes[] = {host.image.data, host.image.data};
    const size_t sizes[] = {host.image.len, host.image.len};
    cl_program p = clCreateProgramWithBinary(c, n, d, sizes, bytes, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_mem m = clCreateBuffer(c, 0, 4 * many, NULL, &s);
    cl_kernel scale = clCreateKernel(p, "scale", &s), add = clCreateKernel(p, "add", &s),
              wild = clCreateKernel(p, "wild", &s);
    ok(s);
    ok(clSetKernelArg(scale, 0, sizeof m, &m));
    ok(clSetKernelArg(scale, 1, sizeof factor, &factor));
    for (cl_uint i = 0; i < 3; i++)
        ok(clSetKernelArg(add, i, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(q, scale, 1, NULL, &many, &local, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(q, scale, 1, NULL, &few, &local, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(q, wild, 1, NULL, &one, &one, 0, NULL, NULL));
    need_status(clFinish(q), CL_OUT_OF_RESOURCES);
    ok(clEnqueueNDRangeKernel(other, add, 1, NULL, &few, &few, 0, NULL, NULL));
    ok(clFinish(other));
}

static void check_launches(bool is_timed, bool appended)
{
    static const struct {
        const char *kernel;
        int groups;
    } want[] = {{"scale", 4}, {"scale", 2}, {"add", 1}};
    FILE *f = fopen(path("launches"), "r");
    json_int_t insns[3];
    char line[256];
    assert_non_null(f);
    if (appended)
        assert_string_equal(fgets(line, sizeof line, f), "before\n");
    for (size_t i = 0; i < countof(want); i++) {
        assert_non_null(fgets(line, sizeof line, f));
        json_t *o = json_loads(line, 0, NULL);
        assert_string_equal(json_string_value(json_object_get(o, "kernel")), want[i].kernel);
        assert_int_equal(json_integer_value(json_object_get(o, "groups")), want[i].groups);
        assert_int_equal(json_integer_value(json_object_get(o, "cycles")) > 0, is_timed);
        insns[i] = json_integer_value(json_object_get(o, "insns"));
        assert_true(insns[i] > 0);
        json_decref(o);
    }
    assert_int_equal(insns[0], 2 * insns[1]); /* as many a group */
    assert_null(fgets(line, sizeof line, f));
    fclose(f);
    unlink(path("launches"));
}

static void notes_launches(void **state)
{
    (void)state;
    run_well(launch_some, VARIABLES({"VENTUS_LAUNCHES", path("launches")}));
    check_launches(false, false);
    FILE *f = fopen(path("launches"), "w");
    assert_non_null(f);
    fprintf(f, "before\n");
    fclose(f);
    run_well(launch_some,
             VARIABLES({"VENTUS_LAUNCHES", path("launches")}, {"VENTUS_ENGINE", "timing"}));
    check_launches(true, true);
}

/* The lines of a file that have the word of an instruction. */
static int lines_with(const char *name, const char *word)
{
    char line[512];
    int n = 0;
    FILE *f = fopen(path(name), "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        n += strstr(line, word) != NULL;
    fclose(f);
    return n;
}

/* The word of the only instruction of the text. */
static void put_only_word(const char *text, char word[16])
{
    Object *o = assemble(text, V202);
    Buf b = words_of(o, ".text");
    snprintf(word, 16, "0x%.8s", buf_text(&b));
    buf_free(&b);
    obj_free(o);
}

/* Two warps of a group, in turns of one instruction: both load before one has stored, so that one count is lost. */
static void count_in_turns(void)
{
    const size_t two_warps = 64;
    cl_int s, got = 0;
    first_device();
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, host.device, NULL, &s);
    const u8 *bytes = host.bare.data;
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &host.bare.len, &bytes, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_mem m = clCreateBuffer(c, 0, sizeof got, NULL, &s);
    cl_kernel k = clCreateKernel(p, "count", &s);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &two_warps, &two_warps, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    need(got == 41);
}

/* Each device has a file of its own, with what ran there alone. */
static void traces_devices(void **state)
{
    char product[16], sum[16];
    (void)state;
    put_only_word("\t.text\n\tvmul.vx v4, v2, a2\n", product); /* of scale */
    put_only_word("\t.text\n\tvadd.vv v7, v7, v8\n", sum);     /* of add */
    run_well(launch_some, VARIABLES({"VENTUS_TRACE", path("trace")}, {"VENTUS_DEVICES", "2"}));
    assert_int_equal(lines_with("trace", product), 4 + 2);
    assert_int_equal(lines_with("trace", sum), 0);
    assert_int_equal(lines_with("trace.1", product), 0);
    assert_int_equal(lines_with("trace.1", sum), 2); /* warps */
    run_well(count_in_turns, VARIABLES({"VENTUS_TRACE", path("trace")}));
    unlink(path("trace"));
    unlink(path("trace.1"));
}

/* --- wrong values --------------------------------------------------------------------------------- */

static void count_devices(void)
{
    cl_uint n = 99;
    const cl_int s = clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_GPU, 0, NULL, &n);
    need(s == (n ? CL_SUCCESS : CL_DEVICE_NOT_FOUND) && n <= 1);
    exit(n ? 0 : 2);
}

static void says_what_is_wrong(void **state)
{
    static const struct {
        Variable v;
        int status; /* 2: there is no device */
        const char *text;
    } rows[] = {
        {{"VENTUS_SMS", "none"}, 2, "VENTUS_SMS: 'none' is not a number from 1 to"},
        {{"VENTUS_SMS", "0"}, 2, "VENTUS_SMS: '0' is not a number from 1 to 65536"},
        {{"VENTUS_SMS", "65537"}, 2, "VENTUS_SMS: '65537' is not a number from 1 to 65536"},
        {{"NUM_THREAD", "3"}, 2, "NUM_THREAD: '3' is not a number from 4 to 32"},
        {{"NUM_THREAD", "12"}, 2, "NUM_THREAD: '12' is not 4, 8, 16 or 32"},
        {{"NUM_WARP", "0"}, 2, "NUM_WARP: '0' is not a number from 1 to 64"},
        {{"NUM_WARP", "65"}, 2, "NUM_WARP: '65' is not a number from 1 to 64"},
        {{"VENTUS_MMU", "2"}, 2, "VENTUS_MMU: '2' is not one of: 0 1"},
        {{"VENTUS_DEVICES", "0"}, 2, "VENTUS_DEVICES: '0' is not a number from 1 to 16"},
        {{"VENTUS_CHECK", "races"}, 2, "VENTUS_CHECK: 'races' is no check; there are all, "},
        {{"VENTUS_CHECK_ALLOW", "/nowhere/at/all"}, 0, ""}, /* nothing is checked */
        {{"VENTUS_EXPORT_REPLAY", "/dev/null"},
         2,
         "VENTUS_EXPORT_REPLAY: /dev/null: Permission denied|is no directory"},
        {{"VENTUS_EXPORT_REPLAY", "/nowhere/at/all"},
         2,
         "VENTUS_EXPORT_REPLAY: /nowhere/at/all: No such file"},
        {{"VENTUS_PIPELINE", "/dev/null"},
         2,
         "VENTUS_PIPELINE is about cycles, which the engine interp does not count"},
        {{"VENTUS_TIMELINE", "/dev/null"},
         2,
         "VENTUS_TIMELINE is about cycles, which the engine interp does not count"},
        {{"VENTUS_PROFILE", "/nowhere/at/all"}, 2, "/nowhere/at/all cannot be written"},
        {{"VENTUS_TRACE", "/nowhere/at/all"}, 0, "the file of VENTUS_TRACE cannot be written"},
        {{"VENTUS_DUMP_RESULT", "/nowhere/at/all"},
         0,
         "the file of VENTUS_DUMP_RESULT cannot be written"},
        {{"VENTUS_DUMP_RESULT", "/dev/full"},
         0,
         "the file of VENTUS_DUMP_RESULT cannot be written"},
        {{"VENTUS_TIMEOUT", "soon"}, 2, "VENTUS_TIMEOUT: 'soon' is not a number of seconds"},
        {{"VENTUS_DEVICES", "17"}, 2, "VENTUS_DEVICES: '17' is not a number from 1 to 16"},
        {{"VENTUS_VERBOS", "1"}, 0, "did you mean VENTUS_VERBOSE?"},
        {{"VENTUS_VERBOSE", "1"}, 0, ""},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        char text[4096], part[256];
        int status;
        const char *either = strchr(rows[i].text, '|');
        snprintf(part, sizeof part, "%.*s", either ? (int)(either - rows[i].text) : 255,
                 rows[i].text);
        run(count_devices, VARIABLES(rows[i].v), text, sizeof text, &status);
        if (status != rows[i].status << 8 || (!*part && *text) ||
            (*text && strncmp(text, "ventus: ", 8)) ||
            !(strstr(text, part) || (either && strstr(text, either + 1))))
            fail_msg("%s=%s: status %x: %s", rows[i].v.name, rows[i].v.value, (unsigned)status,
                     text);
    }
}

/* Views of the compiler, as VENTUS_DUMP asks for them, are there for each build, and otherwise not; 77: no compiler. */
static void build_twice(void)
{
    const char *text = "kernel void f(global int *p) { *p = 1; }";
    cl_int s;
    first_device();
    if (!number(host.device, CL_DEVICE_COMPILER_AVAILABLE))
        exit(77);
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    for (int i = 0; i < 2; i++) {
        cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &s);
        ok(s);
        ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    }
}

static void shows_views(void **state)
{
    char text[1 << 16];
    int status;
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        run(build_twice, asked ? VARIABLES({"VENTUS_DUMP", "m"}) : VARIABLES({"VENTUS_SMS", "1"}),
            text, sizeof text, &status);
        if (status == 77 << 8)
            skip_because("no compiler");
        assert_int_equal(status, 0);
        const char *first = strstr(text, "\t.kernel f\n"),
                   *second = first ? strstr(first + 1, "\t.kernel f\n") : NULL;
        assert_true(asked ? second && !strncmp(text, "ventus: ", 8) : !*text);
    }
}

/* Without the compiler's program: what needs it says so, and binaries run. */
static void do_without_compiler(void)
{
    const char *text = "kernel void f(void) {}";
    const u8 *bytes = host.image.data;
    char line[64] = "x", log[256] = "";
    cl_int s;
    first_device();
    need(!number(host.device, CL_DEVICE_COMPILER_AVAILABLE) &&
         !number(host.device, CL_DEVICE_LINKER_AVAILABLE));
    ok(clGetDeviceInfo(host.device, CL_DEVICE_IL_VERSION, sizeof line, line, NULL));
    need(!*line);
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &s);
    ok(s);
    need_status(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
    ok(clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    need(strstr(log, "the compiler's process /nowhere/at/all cannot be started"));
    need_status(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL),
                CL_COMPILER_NOT_AVAILABLE);
    need(!clLinkProgram(c, 0, NULL, "", 1, &p, NULL, NULL, &s));
    need_status(s, CL_LINKER_NOT_AVAILABLE);
    need(!clCreateProgramWithIL(c, bytes, 20, &s));
    need_status(s, CL_INVALID_OPERATION);
    p = clCreateProgramWithBinary(c, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    need(clCreateKernel(p, "scale", &s));
}

static void lives_without_compiler(void **state)
{
    (void)state;
    run_well(do_without_compiler, VARIABLES({"VENTUS_CC_PROGRAM", "/nowhere/at/all"}));
}

/* A file that cannot be written is spoken of with each launch, and does no other harm. */
static void says_what_is_not_written(void **state)
{
    static const char wanted[] = "ventus: the file of VENTUS_LAUNCHES cannot be written\n";
    char text[4096];
    int status;
    (void)state;
    run(launch_some, VARIABLES({"VENTUS_LAUNCHES", "/nowhere/at/all"}), text, sizeof text, &status);
    assert_int_equal(status, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(strncmp(text + (size_t)i * (sizeof wanted - 1), wanted, sizeof wanted - 1),
                         0);
    assert_int_equal(strlen(text), 3 * (sizeof wanted - 1));
    run(launch_some, VARIABLES({"VENTUS_PROFILE", "/dev/full"}), text, sizeof text, &status);
    assert_int_equal(status, 0);
    assert_string_equal(text, "ventus: not all files of VENTUS_PROFILE, VENTUS_PIPELINE and "
                              "VENTUS_TIMELINE were written\n");
}

/* What kernels print is out when their command has ended, however the process ends. */
static void print_and_vanish(void)
{
    const size_t items = 3;
    cl_int s;
    dup2(2, 1);
    first_device();
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, host.device, NULL, &s);
    const u8 *bytes = host.image.data;
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(p, "say", &s);
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clFinish(q));
    _exit(0);
}

static void prints_at_once(void **state)
{
    char text[4096];
    int status;
    (void)state;
    fflush(NULL);
    run(print_and_vanish, VARIABLES({"VENTUS_SMS", "1"}), text, sizeof text, &status);
    assert_int_equal(status, 0);
    assert_string_equal(text, "item 0\nitem 1\nitem 2\n");
}

/* Errors are explained, and faults told, if either variable asks for it. */
static void make_mistakes(void)
{
    cl_int s;
    first_device();
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    need_status(clEnqueueBarrier((cl_command_queue)c), CL_INVALID_COMMAND_QUEUE);
    need(!clCreateUserEvent((cl_context)host.device, NULL));
}

static void is_as_verbose_as_asked(void **state)
{
    static const struct {
        Variable v;
        bool is_verbose;
    } rows[] = {{{"VENTUS_VERBOSE", "0"}, false}, {{"VENTUS_VERBOSE", "1"}, true},
                {{"VENTUS_LOG", "0"}, false},     {{"VENTUS_LOG", "1"}, true},
                {{"VENTUS_LOG", ""}, false},      {{"VENTUS_VERBOSE", "2"}, true}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        char text[4096];
        int status;
        run(make_mistakes, VARIABLES(rows[i].v), text, sizeof text, &status);
        assert_int_equal(status, 0);
        assert_string_equal(text, !rows[i].is_verbose
                                      ? ""
                                      : "ventus: clEnqueueBarrier: CL_INVALID_COMMAND_QUEUE: the "
                                        "queue is no command queue "
                                        "(released already?)\n"
                                        "ventus: clCreateUserEvent: CL_INVALID_CONTEXT: the "
                                        "context is no context (released "
                                        "already?), or the objects belong to different ones\n");
    }
}

/* --- how a process ends ---------------------------------------------------------------------------- */

typedef struct {
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
    cl_program program;
    cl_kernel kernel;
} Hot;

/* Runs some million instructions, which is hot on any host. */
static Hot run_hot(void)
{
    const u8 *bytes = host.image.data;
    const size_t items = 1 << 24, local = 256;
    cl_int s;
    first_device();
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, host.device, NULL, &s);
    cl_mem m = clCreateBuffer(c, 0, 256, NULL, &s);
    cl_program p = clCreateProgramWithBinary(c, 1, &host.device, &host.image.len, &bytes, NULL, &s);
    ok(s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(p, "ids", &s);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &local, 0, NULL, NULL));
    ok(clFinish(q));
    return (Hot){c, q, m, p, k};
}

static void end_with_all(void) { run_hot(); }

static void end_with_nothing(void)
{
    const Hot h = run_hot();
    ok(clReleaseKernel(h.kernel));
    ok(clReleaseProgram(h.program));
    ok(clReleaseMemObject(h.buffer));
    ok(clReleaseContext(h.context));
    ok(clReleaseCommandQueue(h.queue));
}

/* A program that makes host code, after a command of the shell. */
static const char *maker_after(const char *command)
{
    const char *name = path("maker");
    char *real = proc_find("ventus-jit1");
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fprintf(f, "#!/bin/sh\n%s\nexec '%s' \"$@\"\n", command, real) > 0 && !fclose(f));
    assert_int_equal(chmod(name, 0700), 0);
    mem_free(real);
    return name;
}

static unsigned count_entries(const char *where)
{
    unsigned n = 0;
    DIR *d = opendir(where);
    for (const struct dirent *e; d && (e = readdir(d));)
        n += strstr(e->d_name, ".ventus") != NULL;
    if (d)
        closedir(d);
    return n;
}

/* Host code that was asked for just before the process ends is on the disk for the next one, whether the process has
 * released its objects or not.  It takes two seconds to make, longer than the process runs; a busy host gets more tries. */
static void leaves_host_code(void **state)
{
    static void (*const ways[])(void) = {end_with_all, end_with_nothing};
    char cache[100], maker[100], command[160];
    const char *why;
    (void)state;
    if (!maker_available(&why))
        skip_because("%s", why);
    snprintf(cache, sizeof cache, "%s", path("cache"));
    snprintf(maker, sizeof maker, "%s", maker_after("sleep 2"));
    for (size_t k = 0; k < countof(ways); k++) {
        for (int i = 0; i < 10 && !count_entries(cache); i++)
            run_well(ways[k], VARIABLES({"VENTUS_ENGINE", "auto"}, {"VENTUS_JIT_TIER", "full"},
                                        {"VENTUS_CACHE", "1"}, {"VENTUS_CACHE_DIR", cache},
                                        {"VENTUS_JIT_PROGRAM", maker}));
        assert_true(count_entries(cache));
        snprintf(command, sizeof command, "rm -r %s", cache);
        assert_int_equal(system(command), 0);
    }
    assert_int_equal(unlink(maker), 0);
}

/* Builds a program from source, without a launch; exits when the cache has so many entries, or after a while. */
static unsigned wanted;
static void build_alone(void)
{
    const char *text = "kernel void k(global int *a) { a[get_global_id(0)]++; }";
    cl_int s;
    first_device();
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &s);
    ok(s);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    for (int i = 0; i < 20000 && count_entries(getenv("VENTUS_CACHE_DIR")) < wanted; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* While a program is compiled that is not in the cache, what makes host code begins, and has made what most code needs;
 * of one that is there, nothing begins. */
static void begins_before_launches(void **state)
{
    enum { COMPILED = 1, HELPERS = 7 };
    char cache[100], maker[100], begun[100], command[160];
    const char *why;
    (void)state;
    if (!maker_available(&why))
        skip_because("%s", why);
    if (host_processors() < 2)
        skip_because("there is one processor");
    snprintf(cache, sizeof cache, "%s", path("cache"));
    snprintf(begun, sizeof begun, "%s", path("begun"));
    snprintf(command, sizeof command, ": > '%s'", begun);
    snprintf(maker, sizeof maker, "%s", maker_after(command));
    wanted = COMPILED + HELPERS;
    for (int again = 0; again < 2; again++) {
        run_well(build_alone,
                 VARIABLES({"VENTUS_ENGINE", "auto"}, {"VENTUS_CACHE", "1"},
                           {"VENTUS_CACHE_DIR", cache}, {"VENTUS_JIT_PROGRAM", maker}));
        assert_in_range(count_entries(cache), wanted, wanted + 1); /* or what compiler there is */
        assert_int_equal(unlink(begun), again ? -1 : 0);
    }
    snprintf(command, sizeof command, "rm -r %s", cache);
    assert_int_equal(system(command), 0);
    assert_int_equal(unlink(maker), 0);
}

static int make_directory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (u8)(i * 7 + 3);
    host.image = make_image_file(kernels_text, true);
    host.bare = make_image_file(kernels_text, false);
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    buf_free(&host.image);
    buf_free(&host.bare);
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_devices_by_type),
        cmocka_unit_test(follows_the_machine),
        cmocka_unit_test(tells_sizes_of_groups),
        cmocka_unit_test(divides_devices),
        cmocka_unit_test(writes_what_was_read),
        cmocka_unit_test(notes_launches),
        cmocka_unit_test(traces_devices),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(says_what_is_not_written),
        cmocka_unit_test(is_as_verbose_as_asked),
        cmocka_unit_test(prints_at_once),
        cmocka_unit_test(lives_without_compiler),
        cmocka_unit_test(shows_views),
        cmocka_unit_test(leaves_host_code),
        cmocka_unit_test(begins_before_launches),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
