/* bfs.c -- breadth-first search: each launch settles the nodes one step further from the
 * root, until a launch finds no new one.  Edges are in compressed rows: those of node i
 * are target[first[i]] to target[first[i + 1] - 1]. */
#include "example.h"

static const char source[] =
    "kernel void advance(global const uint *first, global const uint *target,\n"
    "                    global int *distance, int now, uint nodes, global int *found)\n"
    "{\n"
    "    const uint i = get_global_id(0);\n"
    "    if (i >= nodes || distance[i] != now)\n"
    "        return;\n"
    "    for (uint e = first[i]; e < first[i + 1]; e++)\n"
    "        if (distance[target[e]] < 0) {\n"
    "            /* others see the old value or this one; ventus: allow race */\n"
    "            distance[target[e]] = now + 1;\n"
    "            *found = 1;\n"
    "        }\n"
    "}\n";

enum { NODES = 1000, DEGREE = 3, EDGES = NODES * DEGREE, LOCAL = 32 };

static void make_graph(cl_uint first[NODES + 1], cl_uint target[EDGES])
{
    cl_uint seed = 3;
    for (cl_uint i = 0; i <= NODES; i++)
        first[i] = i * DEGREE;
    for (cl_uint e = 0; e < EDGES; e++) {
        seed = seed * 1664525 + 1013904223;
        target[e] = (e / DEGREE + (seed >> 8) % 40) % NODES; /* near ones: many steps */
    }
}

static void search(const cl_uint *first, const cl_uint *target, cl_int distance[NODES])
{
    cl_uint queue[NODES], head = 0, tail = 0;
    for (int i = 0; i < NODES; i++)
        distance[i] = -1;
    distance[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        const cl_uint i = queue[head++];
        for (cl_uint e = first[i]; e < first[i + 1]; e++)
            if (distance[target[e]] < 0) {
                distance[target[e]] = distance[i] + 1;
                queue[tail++] = target[e];
            }
    }
}

int main(void)
{
    static cl_uint first[NODES + 1], target[EDGES];
    static cl_int distance[NODES], expected[NODES];
    make_graph(first, target);
    search(first, target, expected);
    for (int i = 0; i < NODES; i++)
        distance[i] = i ? -1 : 0;

    Setup s = setup();
    cl_program program = build(&s, source, NULL);
    cl_kernel k = kernel(program, "advance");
    cl_int found = 1;
    cl_mem dfirst = buffer(&s, sizeof first, first), dtarget = buffer(&s, sizeof target, target);
    cl_mem ddistance = buffer(&s, sizeof distance, distance);
    cl_mem dfound = buffer(&s, sizeof found, &found);
    const cl_uint nodes = NODES;
    CHECK(clSetKernelArg(k, 0, sizeof dfirst, &dfirst));
    CHECK(clSetKernelArg(k, 1, sizeof dtarget, &dtarget));
    CHECK(clSetKernelArg(k, 2, sizeof ddistance, &ddistance));
    CHECK(clSetKernelArg(k, 4, sizeof nodes, &nodes));
    CHECK(clSetKernelArg(k, 5, sizeof dfound, &dfound));
    const size_t local = LOCAL, global = (NODES + LOCAL - 1) / LOCAL * LOCAL;
    cl_int now = 0;
    for (; found; now++) {
        found = 0;
        CHECK(clEnqueueWriteBuffer(s.queue, dfound, CL_FALSE, 0, sizeof found, &found, 0, NULL,
                                   NULL));
        CHECK(clSetKernelArg(k, 3, sizeof now, &now));
        CHECK(clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
        read_back(&s, dfound, sizeof found, &found);
    }
    read_back(&s, ddistance, sizeof distance, distance);
    printf("%d nodes, settled after %d launches\n", NODES, now);
    size_t wrong = 0;
    for (int i = 0; i < NODES; i++)
        wrong += distance[i] != expected[i];

    CHECK(clReleaseMemObject(dfirst));
    CHECK(clReleaseMemObject(dtarget));
    CHECK(clReleaseMemObject(ddistance));
    CHECK(clReleaseMemObject(dfound));
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseProgram(program));
    teardown(&s);
    return verdict("bfs", wrong);
}
