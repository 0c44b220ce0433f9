/* nbody.c -- bodies that attract each other, a few steps of time.  Positions are float4
 * (x, y, z, mass); each group reads them through local memory.  Two buffers take turns,
 * and events keep the steps in order on a queue that has none of its own. */
#include "example.h"
#include <math.h>

static const char source[] =
    "kernel void move_bodies(global const float4 *from, global float4 *to,\n"
    "                        global float4 *velocity, uint n, float dt, local float4 *tile)\n"
    "{\n"
    "    const uint i = get_global_id(0), me = get_local_id(0);\n"
    "    const float4 mine = from[i];\n"
    "    float3 pull = 0;\n"
    "    for (uint base = 0; base < n; base += get_local_size(0)) {\n"
    "        tile[me] = from[base + me];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint j = 0; j < get_local_size(0); j++) {\n"
    "            const float3 way = tile[j].xyz - mine.xyz;\n"
    "            const float r = rsqrt(dot(way, way) + 0.01f);\n"
    "            pull += way * (tile[j].w * r * r * r);\n"
    "        }\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    const float3 v = velocity[i].xyz + pull * dt;\n"
    "    velocity[i] = (float4)(v, 0);\n"
    "    to[i] = (float4)(mine.xyz + v * dt, mine.w);\n"
    "}\n";

enum { N = 128, LOCAL = 32, STEPS = 4 };
static const float dt = 0.01f;

static void step(double from[N][4], double to[N][4], double velocity[N][3])
{
    for (int i = 0; i < N; i++) {
        double pull[3] = {0};
        for (int j = 0; j < N; j++) {
            double way[3], square = 0.01;
            for (int k = 0; k < 3; k++) {
                way[k] = from[j][k] - from[i][k];
                square += way[k] * way[k];
            }
            for (int k = 0; k < 3; k++)
                pull[k] += way[k] * from[j][3] / (square * sqrt(square));
        }
        for (int k = 0; k < 3; k++)
            to[i][k] = from[i][k] + (velocity[i][k] += pull[k] * (double)dt) * (double)dt;
        to[i][3] = from[i][3];
    }
}

static cl_float4 *bodies(void)
{
    cl_float4 *p = allocate(N * sizeof *p);
    unsigned seed = 7;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) {
            seed = seed * 1664525 + 1013904223;
            p[i].s[k] = (float)(seed >> 8) / (1 << 24) + (k == 3 ? 0.1f : -0.5f);
        }
    return p;
}

static size_t count_wrong(const cl_float4 *start, const cl_float4 *end)
{
    static double at[2][N][4], velocity[N][3];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++)
            at[0][i][k] = (double)start[i].s[k];
    for (int t = 0; t < STEPS; t++)
        step(at[t % 2], at[1 - t % 2], velocity);
    size_t wrong = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            wrong += !(fabs((double)end[i].s[k] - at[STEPS % 2][i][k]) < 1e-4);
    return wrong;
}

int main(void)
{
    cl_float4 *start = bodies(), *end = allocate(N * sizeof *end);
    Setup s = setup();
    cl_program program = build(&s, source, "-cl-mad-enable");
    cl_kernel k = kernel(program, "move_bodies");
    cl_mem at[] = {buffer(&s, N * sizeof *start, start), buffer(&s, N * sizeof *start, NULL)};
    cl_mem velocity = buffer(&s, N * sizeof(cl_float4), NULL);
    cl_int status;
    const cl_queue_properties any_order[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(s.context, s.device, any_order, &status);
    CHECK(status);

    const cl_float4 zero = {{0}};
    cl_event before, done;
    CHECK(clEnqueueFillBuffer(queue, velocity, &zero, sizeof zero, 0, N * sizeof zero, 0, NULL,
                              &before));
    const cl_uint n = N;
    const size_t global = N, local = LOCAL;
    CHECK(clSetKernelArg(k, 2, sizeof velocity, &velocity));
    CHECK(clSetKernelArg(k, 3, sizeof n, &n));
    CHECK(clSetKernelArg(k, 4, sizeof dt, &dt));
    CHECK(clSetKernelArg(k, 5, LOCAL * sizeof(cl_float4), NULL));
    for (int t = 0; t < STEPS; t++) {
        CHECK(clSetKernelArg(k, 0, sizeof(cl_mem), &at[t % 2]));
        CHECK(clSetKernelArg(k, 1, sizeof(cl_mem), &at[1 - t % 2]));
        CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 1, &before, &done));
        CHECK(clReleaseEvent(before));
        before = done;
    }
    CHECK(clEnqueueReadBuffer(queue, at[STEPS % 2], CL_TRUE, 0, N * sizeof *end, end, 1, &before,
                              NULL));
    const size_t wrong = count_wrong(start, end);

    CHECK(clReleaseEvent(before));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseMemObject(at[0]));
    CHECK(clReleaseMemObject(at[1]));
    CHECK(clReleaseMemObject(velocity));
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseProgram(program));
    teardown(&s);
    free(start);
    free(end);
    return verdict("nbody", wrong);
}
