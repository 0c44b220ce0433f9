/* many_bench.c -- the small kernels of bench/many.cl, timed on one device.
 *
 *     many_bench bench/many.cl [DEVICE [NAME...]]    all kernels, on the first GPU by default
 *
 * For each kernel a line: its name, the least time of its launches, in microseconds, by the event's own profile, of as many
 * as fit into TIME; a hash of what the first of them left; and whether all platforms must leave the same.
 */
#include "examples/example.h"
#include <time.h>

#define TIME 0.25 /* seconds */
enum { WORDS = 1 << 22, LEAST_LAUNCHES = 5 };

/* How a kernel is launched. */
typedef struct {
    char name[32], exact[16];
    size_t global[2], local[2];
    cl_int number;
} Shape;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t hash(const uint32_t *words)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < WORDS; i++)
        h = (h ^ words[i]) * 0x100000001b3;
    return h;
}

/* Launches the kernel once; its microseconds. */
static double launch(const Setup *on, cl_kernel k, const Shape *s)
{
    cl_event e;
    cl_ulong from, to;
    CHECK(clEnqueueNDRangeKernel(on->queue, k, s->global[1] > 1 ? 2 : 1, NULL, s->global,
                                 s->local[0] ? s->local : NULL, 0, NULL, &e));
    CHECK(clWaitForEvents(1, &e));
    CHECK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL));
    CHECK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL));
    CHECK(clReleaseEvent(e));
    return (double)(to - from) * 1e-3;
}

static void measure(const Setup *on, cl_program p, const Shape *s, const void *const data[3])
{
    cl_kernel k = kernel(p, s->name);
    cl_mem m[3];
    uint32_t *left = allocate(WORDS * sizeof *left);
    for (cl_uint i = 0; i < 3; i++) {
        m[i] = buffer(on, WORDS * 4, data[i]);
        CHECK(clSetKernelArg(k, i, sizeof m[i], &m[i]));
    }
    CHECK(clSetKernelArg(k, 3, sizeof s->number, &s->number));
    double least = launch(on, k, s);
    read_back(on, m[2], WORDS * 4, left);
    const double end = now() + TIME;
    for (int i = 0; i < LEAST_LAUNCHES || now() < end; i++) {
        const double t = launch(on, k, s);
        least = t < least ? t : least;
    }
    printf("%-12s %10.1f  %016llx %s\n", s->name, least, (unsigned long long)hash(left), s->exact);
    fflush(stdout);
    free(left);
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseMemObject(m[i]));
    CHECK(clReleaseKernel(k));
}

static char *read_file(const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *f = fopen(path, "r");
    char *text = allocate(MOST);
    if (!f) {
        perror(path);
        exit(1);
    }
    text[fread(text, 1, MOST - 1, f)] = 0;
    fclose(f);
    return text;
}

static bool is_asked_for(const char *name, int argc, char **argv)
{
    for (int i = 3; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc <= 3;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: many_bench FILE.cl [DEVICE [NAME...]]\n");
        return 2;
    }
    if (argc > 2)
        setenv("EXAMPLE_DEVICE", argv[2], 1);
    Setup on = setup();
    char *text = read_file(argv[1]);
    cl_program p = build(&on, text, "");
    uint32_t *integers = allocate(WORDS * sizeof *integers), state = 1;
    float *floats = allocate(WORDS * sizeof *floats);
    for (size_t i = 0; i < WORDS; i++) {
        state = state * 1664525 + 1013904223;
        integers[i] = state >> 4;
        floats[i] = (float)(state >> 8) * (1.0f / (1 << 24));
    }
    void *zeros = allocate(WORDS * 4);
    memset(zeros, 0, WORDS * 4);
    for (const char *at = text; (at = strstr(at, "//@ ")); at += 4) {
        Shape s;
        const int n = sscanf(at, "//@ %31s %zu %zu %zu %zu %d %15[a-z]", s.name, &s.global[0],
                             &s.global[1], &s.local[0], &s.local[1], &s.number, s.exact);
        if (n == 7 && is_asked_for(s.name, argc, argv))
            measure(&on, p, &s, (const void *const[]){integers, floats, zeros});
    }
    free(integers);
    free(floats);
    free(zeros);
    free(text);
    CHECK(clReleaseProgram(p));
    teardown(&on);
    return 0;
}
