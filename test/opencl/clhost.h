/* clhost.h -- what the tests of the OpenCL runtime share: a context on the first device, reached
 * through the system's loader, and a program of assembled kernels.
 *
 * The loader is led to the build's library by OCL_ICD_VENDORS before its first call.
 */
#ifndef CHECK_CLHOST_H
#define CHECK_CLHOST_H
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "test/kit/assemble.h"
#include "test/kit/lack.h"
#include "link/crt0.h"
#include "link/link.h"
#include "obj/kernelinfo.h"
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define HELPER __attribute__((unused)) static

static struct {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* ordered, with profiling */
    Buf image;              /* of the kernels below, with a table of arguments */
    Buf bare;               /* without */
} host;

#define ok(call) assert_int_equal(call, CL_SUCCESS)

/* --- kernels ------------------------------------------------------------------------------- */

/* scale(out, factor)   out[i] = i * factor, i counted with the offset
 * add(a, b, c)         c[i] = a[i] + b[i]
 * count(out)           out[0] = how often it ran, in a variable of the program
 * share(out, scratch)  out[i] = scratch[i], which was set to i + 1 in local memory
 * say()                prints "item I\n"
 * wild()               reads address 16
 * forever()            never ends
 * ids(out)             out[i & 63] = i, i counted with the offset
 * where(out, a, b, c)  out[] = where its three pieces of local memory are */
static const char kernels_text[] =
    "   .macro global_id vd\n"
    "   csrr t2, CSR_KNL\n"
    "   lw t4, 36(t2)\n"
    "   lw t2, 24(t2)\n"
    "   csrr t3, CSR_GIDX\n"
    "   mul t2, t2, t3\n"
    "   csrr t3, CSR_TID\n"
    "   add t2, t2, t3\n"
    "   add t2, t2, t4\n"
    "   vid.v \\vd\n"
    "   vadd.vx \\vd, \\vd, t2\n"
    "   .endm\n"
    "   .macro word_at vd, base, index\n"
    "   vsll.vi \\vd, \\index, 2\n"
    "   vadd.vx \\vd, \\vd, \\base\n"
    "   .endm\n"
    "   .text\n"
    "   .kernel scale\n"
    "scale: lw a1, 0(a0)\n"
    "   lw a2, 4(a0)\n"
    "   global_id v2\n"
    "   word_at v3, a1, v2\n"
    "   vmul.vx v4, v2, a2\n"
    "   vsw12.v v4, 0(v3)\n"
    "   ret\n"
    "   .kernel add\n"
    "add: lw a1, 0(a0)\n"
    "   lw a2, 4(a0)\n"
    "   lw a3, 8(a0)\n"
    "   global_id v2\n"
    "   word_at v4, a1, v2\n"
    "   word_at v5, a2, v2\n"
    "   word_at v6, a3, v2\n"
    "   vlw12.v v7, 0(v4)\n"
    "   vlw12.v v8, 0(v5)\n"
    "   vadd.vv v7, v7, v8\n"
    "   vsw12.v v7, 0(v6)\n"
    "   ret\n"
    "   .kernel count\n"
    "count: lw a1, 0(a0)\n"
    "   la t2, counter\n"
    "   lw t3, 0(t2)\n"
    "   addi t3, t3, 1\n"
    "   sw t3, 0(t2)\n"
    "   sw t3, 0(a1)\n"
    "   ret\n"
    "   .kernel share\n"
    "share: lw a1, 0(a0)\n"
    "   lw a2, 4(a0)\n"
    "   csrr t3, CSR_LDS\n"
    "   add a2, a2, t3\n"
    "   csrr t3, CSR_TID\n"
    "   vid.v v2\n"
    "   vadd.vx v2, v2, t3\n"
    "   word_at v3, a2, v2\n"
    "   vadd.vi v4, v2, 1\n"
    "   vsw12.v v4, 0(v3)\n"
    "   vlw12.v v5, 0(v3)\n"
    "   word_at v6, a1, v2\n"
    "   vsw12.v v5, 0(v6)\n"
    "   ret\n"
    "   .kernel say\n"
    "say: csrr t2, CSR_KNL\n"
    "   lw a1, 48(t2)\n"
    "   global_id v2\n"
    "   li a3, 16\n"
    "   vmv.v.x v3, a1\n"
    "   vmv.v.x v4, a3\n"
    "   amoadd.w v5, v4, (v3)\n"
    "   vadd.vx v5, v5, a1\n"
    "   vsw12.v v4, 8(v5)\n"
    "   vsw12.v v2, 12(v5)\n"
    "   la t2, format\n"
    "   vmv.v.x v6, t2\n"
    "   vsw12.v v6, 16(v5)\n"
    "   vsw12.v v2, 20(v5)\n"
    "   ret\n"
    "   .kernel wild\n"
    "wild: lw t2, 16(zero)\n"
    "   ret\n"
    "   .kernel forever\n"
    "forever: j forever\n"
    "   .kernel ids\n"
    "ids: lw a1, 0(a0)\n"
    "   global_id v2\n"
    "   li t2, 63\n"
    "   vand.vx v3, v2, t2\n"
    "   word_at v3, a1, v3\n"
    "   vsw12.v v2, 0(v3)\n"
    "   ret\n"
    "   .kernel where\n"
    "where: lw a1, 0(a0)\n"
    "   lw t2, 4(a0)\n"
    "   sw t2, 0(a1)\n"
    "   lw t2, 8(a0)\n"
    "   sw t2, 4(a1)\n"
    "   lw t2, 12(a0)\n"
    "   sw t2, 8(a1)\n"
    "   ret\n"
    "   .section .rodata\n"
    "format: .asciz \"item %u\\n\"\n"
    "   .data\n"
    "counter: .word 40\n";

static const char *const kernel_names[] = {"scale", "add", "count", "share", "say", "wild", "forever", "ids", "where"};

#define WORDS(name_) {.name = (char *)name_, .type = (char *)"int*", .kind = ARG_GLOBAL, .size = 4, \
                      .align = 4, .pointee_align = 4}

#define LOCAL(name_) {.name = (char *)name_, .type = (char *)"int*", .kind = ARG_LOCAL, .size = 4, .align = 4, \
                      .pointee_align = 4}

/* What the compiler would say of them. */
HELPER bool add_table(Object *o)
{
    KernelArg scale[] = {WORDS("out"), {.name = (char *)"factor", .type = (char *)"int", .size = 4, .align = 4}};
    KernelArg add[] = {WORDS("a"), WORDS("b"), WORDS("c")};
    KernelArg count[] = {WORDS("out")};
    KernelArg ids[] = {WORDS("out")};
    KernelArg where[] = {WORDS("out"), LOCAL("a"), LOCAL("b"), LOCAL("c")};
    KernelArg share[] = {WORDS("out"), {.name = (char *)"scratch", .type = (char *)"int*",
                                        .kind = ARG_LOCAL, .size = 4, .align = 4, .pointee_align = 4}};
    add[0].is_const = add[1].is_const = true;
    add[2].is_restrict = true;
    KernelInfo k[] = {
        {.name = (char *)"scale", .args = scale, .nargs = countof(scale)},
        {.name = (char *)"add", .args = add, .nargs = countof(add)},
        {.name = (char *)"count", .args = count, .nargs = countof(count),
         .attributes = (char *)"reqd_work_group_size(1,1,1)", .reqd_local = {1, 1, 1}},
        {.name = (char *)"share", .args = share, .nargs = countof(share)},
        {.name = (char *)"say"}, {.name = (char *)"wild"}, {.name = (char *)"forever"},
        {.name = (char *)"ids", .args = ids, .nargs = countof(ids)},
        {.name = (char *)"where", .args = where, .nargs = countof(where)},
    };
    for (size_t i = 0; i < countof(k); i++) {
        k[i].silent = strcmp(k[i].name, "say") != 0;
        k[i].attributes = k[i].attributes ? k[i].attributes : (char *)"";
        k[i].vec_hint = (char *)"";
    }
    return kernelinfo_add(o, &(KernelTable){k, countof(k), 4, (char *)""});
}

/* The linked image as a file. */
HELPER Buf make_image_file(const char *text, bool with_table)
{
    Caught c;
    Buf file = {0};
    Object *crt0 = NULL, *o = assemble(text, V202);
    catch_in(&c);
    assert_true(obj_read("crt0", crt0_object, crt0_object_size, &c.d, &crt0));
    Object *image = link_objects((const Object *const[]){crt0, o}, 2, &(LinkOptions){.output = "t"}, &c.d);
    if (!image)
        fail_msg("%s", buf_text(&c.text));
    assert_true(!with_table || add_table(image));
    assert_true(obj_write(image, &file, &c.d));
    obj_free(crt0);
    obj_free(o);
    obj_free(image);
    buf_free(&c.text);
    return file;
}

/* --- the host ---------------------------------------------------------------------------- */

/* Before the first call of OpenCL. */
HELPER void set_environment(void)
{
    static const char *const variables[] = {
        "NUM_THREAD", "NUM_WARP", "VENTUS_SMS", "VENTUS_ISA", "VENTUS_BACKEND", "VENTUS_MMU",
        "VENTUS_DEVICES", "VENTUS_DUMP_RESULT", "VENTUS_EXPORT_REPLAY", "VENTUS_TRACE", "VENTUS_TIMEOUT",
        "VENTUS_VERBOSE", "VENTUS_LOG", "VENTUS_MACHINE", "VENTUS_CACHE_DIR"};
    char exe[4096], icd[4096 + 32];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    for (size_t i = 0; i < countof(variables); i++)
        unsetenv(variables[i]);
    setenv("VENTUS_CACHE", "0", 1);
    exe[n > 0 ? n : 0] = 0;
    for (int i = 0; i < 3 && strrchr(exe, '/'); i++)
        *strrchr(exe, '/') = 0;
    snprintf(icd, sizeof icd, "%s/ventus.icd", exe);
    setenv("OCL_ICD_VENDORS", icd, 1);
}

HELPER cl_command_queue make_queue(cl_command_queue_properties flags)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, 0};
    cl_int s;
    cl_command_queue q = clCreateCommandQueueWithProperties(host.context, host.device, list, &s);
    ok(s);
    return q;
}

static atomic_int reports;
static char last_report[4096];

HELPER void CL_CALLBACK on_report(const char *text, const void *info, size_t n, void *data)
{
    (void)info, (void)n, (void)data;
    snprintf(last_report, sizeof last_report, "%s", text);
    atomic_fetch_add(&reports, 1);
}

/* --- blocks of memory that the runtime has -------------------------------------------------- */

static LackCount *live_blocks, *allocations; /* NULL: this build does not tell */
static size_t blocks_before;                 /* the first context */

HELPER LackCount *lack_counter(const char *name)
{
    LackCount *found = NULL;
    void *address = clGetExtensionFunctionAddressForPlatform(host.platform, name);
    memcpy(&found, &address, sizeof found);
    return found;
}

HELPER void count_allocations(void)
{
    live_blocks = lack_counter("ventusLiveBlocks");
    allocations = lack_counter("ventusAllocations");
#ifdef LACK_BY_MALLOC
    lack_watch("libventus-opencl");
    live_blocks = lack_live;
    allocations = lack_requests;
#endif
}

/* Returns when the runtime has as many; threads of queues end some time after their release. */
HELPER void wait_for_blocks(size_t wanted)
{
    for (int i = 0; i < 5000 && live_blocks && live_blocks() != wanted; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (live_blocks && live_blocks() != wanted) {
        fprintf(stderr, "%zd blocks are left\n", (ssize_t)(live_blocks() - wanted));
        abort();
    }
}

/* --- the host ------------------------------------------------------------------------------- */

HELPER int open_host(void **state)
{
    cl_int s;
    (void)state;
    ok(clGetPlatformIDs(1, &host.platform, NULL));
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_GPU, 1, &host.device, NULL));
    /* what the platform keeps of its compiler is not of a context */
    ok(clGetDeviceInfo(host.device, CL_DEVICE_COMPILER_AVAILABLE, 0, NULL, NULL));
    count_allocations();
    blocks_before = live_blocks ? live_blocks() : 0;
    host.context = clCreateContext(NULL, 1, &host.device, on_report, NULL, &s);
    ok(s);
    host.queue = make_queue(CL_QUEUE_PROFILING_ENABLE);
    host.image = make_image_file(kernels_text, true);
    host.bare = make_image_file(kernels_text, false);
    return 0;
}

HELPER int close_host(void **state)
{
    (void)state;
    ok(clReleaseCommandQueue(host.queue));
    ok(clReleaseContext(host.context));
    buf_free(&host.image);
    buf_free(&host.bare);
    wait_for_blocks(blocks_before);
    return 0;
}

HELPER cl_mem make_buffer(size_t size, const void *contents)
{
    cl_int s;
    cl_mem m = clCreateBuffer(host.context, contents ? CL_MEM_COPY_HOST_PTR : 0, size,
                              (void *)(uintptr_t)contents, &s);
    ok(s);
    return m;
}

HELPER cl_program make_program(const Buf *image)
{
    cl_int s, status;
    const unsigned char *bytes = image->data;
    cl_program p = clCreateProgramWithBinary(host.context, 1, &host.device, &image->len, &bytes, &status, &s);
    ok(s);
    ok(status);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    return p;
}

HELPER cl_kernel make_kernel(cl_program p, const char *name)
{
    cl_int s;
    cl_kernel k = clCreateKernel(p, name, &s);
    ok(s);
    return k;
}

/* One value of a query. */
#define INFO(type, call, object, param)                                                            \
    __extension__({                                                                                \
        type v_;                                                                                   \
        size_t n_;                                                                                 \
        ok(call(object, param, sizeof v_, &v_, &n_));                                              \
        assert_int_equal(n_, sizeof v_);                                                           \
        v_;                                                                                        \
    })

HELPER cl_int status_of(cl_event e) { return INFO(cl_int, clGetEventInfo, e, CL_EVENT_COMMAND_EXECUTION_STATUS); }

/* What other threads do comes some time. */
HELPER bool comes_true(atomic_int *v, int wanted)
{
    for (int i = 0; i < 2000 && atomic_load(v) != wanted; i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    return atomic_load(v) == wanted;
}
#endif
