/* cl_bench.c -- what a call of OpenCL costs: launches, copies, builds, and a few kernels.
 *
 *     cl_bench [DEVICE]      any device; by default the first GPU (examples/example.h)
 *
 * Prints lines of a name, a value and its unit.  Each value is the median of as many turns as
 * fit into TURN_TIME, after one that does not count.  A cold build is one of a text that nobody has
 * seen, and both kinds of build end with the program's first launch, because implementations
 * may leave work until then.
 */
#include "examples/example.h"
#include <time.h>
#include <unistd.h>

#define TURN_TIME 0.03 /* seconds */
enum { KIB = 1 << 10, MIB = 1 << 20, BURST = 1000, MOST_TURNS = 1000, LARGEST = 64 * MIB };
enum { ELEMENTS = 1 << 20, SIDE = 128, TILE = 16, GROUP = 256 };

static const char kernels_source[] =
    "kernel void empty(void) { }\n"
    "kernel void vecadd(global const float *a, global const float *b, global float *c)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    c[i] = a[i] + b[i];\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(16, 16, 1)))\n"
    "void matmul(global const float *a, global const float *b, global float *c, int n)\n"
    "{\n"
    "    local float x[16][16], y[16][16];\n"
    "    const int i = get_local_id(0), j = get_local_id(1);\n"
    "    const int column = get_global_id(0), row = get_global_id(1);\n"
    "    float sum = 0;\n"
    "    for (int t = 0; t < n; t += 16) {\n"
    "        x[j][i] = a[row * n + t + i];\n"
    "        y[j][i] = b[(t + j) * n + column];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < 16; k++)\n"
    "            sum += x[j][k] * y[k][i];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[row * n + column] = sum;\n"
    "}\n"
    "kernel void reduce(global const float *in, global float *sums, local float *part)\n"
    "{\n"
    "    const size_t i = get_local_id(0);\n"
    "    part[i] = in[get_global_id(0)];\n"
    "    for (size_t half_size = get_local_size(0) / 2; half_size; half_size /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (i < half_size)\n"
    "            part[i] += part[i + half_size];\n"
    "    }\n"
    "    if (!i)\n"
    "        sums[get_group_id(0)] = part[0];\n"
    "}\n";

/* What the turns work on. */
typedef struct {
    Setup on;
    cl_kernel kernel;
    cl_uint dims;
    size_t global[2], local[2];
    cl_mem a, b, c;
    size_t size; /* bytes of a copy */
    char *host;
    const char *source;
} Bench;

/* --- time -------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double once(void (*turn)(Bench *), Bench *b)
{
    const double start = now();
    turn(b);
    return now() - start;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* seconds of a turn: the median */
static double typical(void (*turn)(Bench *), Bench *b)
{
    static double spent[MOST_TURNS];
    double all = 0;
    int n = 0;
    turn(b);
    for (; n < MOST_TURNS && all < TURN_TIME; n++)
        all += spent[n] = once(turn, b);
    qsort(spent, (size_t)n, sizeof *spent, by_size);
    return spent[n / 2];
}

static void tell(const char *name, double value, const char *unit)
{
    printf("%-20s %12.5g %s\n", name, value, unit);
    fflush(stdout);
}

/* --- launches ------------------------------------------------------------------------------ */

static void finish(Bench *b) { CHECK(clFinish(b->on.queue)); }

static void enqueue(Bench *b)
{
    CHECK(clEnqueueNDRangeKernel(b->on.queue, b->kernel, b->dims, NULL, b->global, b->local, 0,
                                 NULL, NULL));
}

static void launch(Bench *b)
{
    enqueue(b);
    finish(b);
}

static void launch_burst(Bench *b)
{
    for (int i = 0; i < BURST; i++)
        enqueue(b);
    finish(b);
}

static void use_kernel(Bench *b, cl_program p, const char *name, size_t global, size_t local)
{
    b->kernel = kernel(p, name);
    b->dims = 1;
    b->global[0] = global;
    b->local[0] = local;
}

static void bench_launches(Bench *b, cl_program p)
{
    use_kernel(b, p, "empty", 1, 1);
    tell("launch_latency", typical(launch, b) * 1e6, "us");
    tell("launch_burst", typical(launch_burst, b) / BURST * 1e6, "us");
    b->global[0] = 16 * GROUP;
    b->local[0] = GROUP;
    tell("launch_16_groups", typical(launch, b) * 1e6, "us");
    CHECK(clReleaseKernel(b->kernel));
}

/* --- copies ---------------------------------------------------------------------------------- */

static void write_buffer(Bench *b)
{
    CHECK(clEnqueueWriteBuffer(b->on.queue, b->a, CL_TRUE, 0, b->size, b->host, 0, NULL, NULL));
}

static void read_buffer(Bench *b)
{
    CHECK(clEnqueueReadBuffer(b->on.queue, b->a, CL_TRUE, 0, b->size, b->host, 0, NULL, NULL));
}

static void copy_buffer(Bench *b)
{
    CHECK(clEnqueueCopyBuffer(b->on.queue, b->a, b->b, 0, 0, b->size, 0, NULL, NULL));
    finish(b);
}

static void fill_buffer(Bench *b)
{
    CHECK(
        clEnqueueFillBuffer(b->on.queue, b->a, &(int){1}, sizeof(int), 0, b->size, 0, NULL, NULL));
    finish(b);
}

static void map_buffer(Bench *b)
{
    cl_int s;
    void *p = clEnqueueMapBuffer(b->on.queue, b->a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, b->size,
                                 0, NULL, NULL, &s);
    CHECK(s);
    CHECK(clEnqueueUnmapMemObject(b->on.queue, b->a, p, 0, NULL, NULL));
    finish(b);
}

/* A buffer's whole life, with one write. */
static void fresh_buffer(Bench *b)
{
    cl_mem kept = b->a;
    b->a = buffer(&b->on, b->size, NULL);
    write_buffer(b);
    CHECK(clReleaseMemObject(b->a));
    b->a = kept;
}

/* what a host does without anybody's help */
static void plain_copy(Bench *b) { memcpy(b->host + LARGEST, b->host, b->size); }

static void bench_copies(Bench *b)
{
    static const size_t sizes[] = {4 * KIB, 64 * KIB, MIB, 16 * MIB, LARGEST};
    static const struct {
        const char *name;
        void (*turn)(Bench *);
    } rows[] = {
        {"memcpy", plain_copy}, {"write", write_buffer}, {"read", read_buffer},
        {"copy", copy_buffer},  {"fill", fill_buffer},   {"fresh", fresh_buffer},
    };
    char name[32];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            b->size = sizes[i];
            snprintf(name, sizeof name, "%s_%zuK", rows[r].name, b->size / KIB);
            tell(name, (double)b->size / typical(rows[r].turn, b) * 1e-9, "GB/s");
        }
    b->size = 4 * KIB;
    tell("map_4K", typical(map_buffer, b) * 1e6, "us");
    b->size = LARGEST;
    tell("map_65536K", typical(map_buffer, b) * 1e6, "us");
}

/* --- builds --------------------------------------------------------------------------- */

static void build_and_run(Bench *b)
{
    cl_program p = build(&b->on, b->source, "");
    use_kernel(b, p, "k0", 1, 1);
    CHECK(clSetKernelArg(b->kernel, 0, sizeof b->a, &b->a));
    launch(b);
    CHECK(clReleaseKernel(b->kernel));
    CHECK(clReleaseProgram(p));
}

/* n kernels; `salt` makes the text a new one. */
static char *make_source(int n, double salt)
{
    enum { ROOM = 400 };
    const size_t size = (size_t)(n + 1) * ROOM;
    char *text = allocate(size);
    size_t len = (size_t)snprintf(text, size, "constant float salt = %.17g;\n", salt);
    for (int i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, size - len,
                                "kernel void k%d(global float *p)\n"
                                "{\n"
                                "    const size_t i = get_global_id(0);\n"
                                "    float4 v = (float4)(p[i], %d, salt, 1);\n"
                                "    for (int k = 0; k < %d; k++)\n"
                                "        v = v.yzwx * sin(v.x) + sqrt(fabs(v)) / (float4)(k + 1);\n"
                                "    p[i] = v.x + (v.y > v.z ? exp(v.w) : dot(v, v));\n"
                                "}\n",
                                i, i, i % 7 + 3);
    return text;
}

static void bench_builds(Bench *b, const char *name, int kernels)
{
    char title[32], *text = make_source(kernels, now() + (double)getpid());
    b->source = text;
    snprintf(title, sizeof title, "build_%s_cold", name);
    tell(title, once(build_and_run, b) * 1e3, "ms");
    snprintf(title, sizeof title, "build_%s_cached", name);
    tell(title, typical(build_and_run, b) * 1e3, "ms");
    free(text);
}

/* --- kernels -------------------------------------------------------------------------- */

static void set_buffers(const Bench *b)
{
    CHECK(clSetKernelArg(b->kernel, 0, sizeof b->a, &b->a));
    CHECK(clSetKernelArg(b->kernel, 1, sizeof b->b, &b->b));
}

/* Two groups of vecadd, one launch after the other, with little memory in use and with much. */
static void bench_small_kernel(Bench *b)
{
    b->global[0] = 2 * GROUP;
    tell("small_burst", typical(launch_burst, b) / BURST * 1e6, "us");
    cl_mem large = buffer(&b->on, (size_t)1024 * MIB, NULL);
    tell("small_burst_1G", typical(launch_burst, b) / BURST * 1e6, "us");
    CHECK(clReleaseMemObject(large));
}

static void bench_kernels(Bench *b, cl_program p)
{
    use_kernel(b, p, "vecadd", ELEMENTS, GROUP);
    set_buffers(b);
    CHECK(clSetKernelArg(b->kernel, 2, sizeof b->c, &b->c));
    tell("vecadd", ELEMENTS / typical(launch, b) * 1e-6, "Melement/s");
    bench_small_kernel(b);
    CHECK(clReleaseKernel(b->kernel));

    use_kernel(b, p, "reduce", ELEMENTS, GROUP);
    set_buffers(b);
    CHECK(clSetKernelArg(b->kernel, 2, GROUP * sizeof(float), NULL));
    tell("reduce", ELEMENTS / typical(launch, b) * 1e-6, "Melement/s");
    CHECK(clReleaseKernel(b->kernel));

    use_kernel(b, p, "matmul", SIDE, TILE);
    b->dims = 2;
    b->global[1] = SIDE;
    b->local[1] = TILE;
    set_buffers(b);
    CHECK(clSetKernelArg(b->kernel, 2, sizeof b->c, &b->c));
    CHECK(clSetKernelArg(b->kernel, 3, sizeof(cl_int), &(cl_int){SIDE}));
    tell("matmul", SIDE * SIDE * (double)SIDE / typical(launch, b) * 1e-6, "Mmultiply-add/s");
    CHECK(clReleaseKernel(b->kernel));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        setenv("EXAMPLE_DEVICE", argv[1], 1);
    Bench b = {.on = setup(), .host = allocate(2 * (size_t)LARGEST)};
    memset(b.host, 0, 2 * (size_t)LARGEST);
    b.a = buffer(&b.on, LARGEST, b.host);
    b.b = buffer(&b.on, LARGEST, b.host);
    b.c = buffer(&b.on, LARGEST, b.host);
    cl_program p = build(&b.on, kernels_source, "");
    bench_launches(&b, p);
    bench_copies(&b);
    bench_kernels(&b, p);
    bench_builds(&b, "small", 1);
    bench_builds(&b, "large", 30);
    CHECK(clReleaseProgram(p));
    CHECK(clReleaseMemObject(b.a));
    CHECK(clReleaseMemObject(b.b));
    CHECK(clReleaseMemObject(b.c));
    free(b.host);
    teardown(&b.on);
}
