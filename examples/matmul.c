/* matmul.c -- matrix product in tiles: each group computes a square of C and brings the
 * tiles of A and B that it needs into local memory, so that every element is read
 * from global memory once a group instead of once a work-item. */
#include "example.h"

static const char source[] =
    "kernel void matmul(global const int *a, global const int *b, global int *c, uint n,\n"
    "                   local int *ta, local int *tb)\n"
    "{\n"
    "    const uint x = get_local_id(0), y = get_local_id(1);\n"
    "    const uint column = get_global_id(0), row = get_global_id(1);\n"
    "    int sum = 0;\n"
    "    for (uint t = 0; t < n; t += TILE) {\n"
    "        ta[y * TILE + x] = a[row * n + t + x];\n"
    "        tb[y * TILE + x] = b[(t + y) * n + column];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint k = 0; k < TILE; k++)\n"
    "            sum += ta[y * TILE + k] * tb[k * TILE + x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[row * n + column] = sum;\n"
    "}\n";

enum { N = 64, TILE = 8 };

static size_t count_wrong(const int *a, const int *b, const int *c)
{
    size_t wrong = 0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[y * N + k] * b[k * N + x];
            wrong += c[y * N + x] != sum;
        }
    return wrong;
}

int main(void)
{
    const size_t size = N * N * sizeof(int), tile = TILE * TILE * sizeof(int);
    int *a = allocate(size), *b = allocate(size), *c = allocate(size);
    for (int i = 0; i < N * N; i++) {
        a[i] = i % 17 - 8;
        b[i] = i % 23 - 11;
    }

    Setup s = setup();
    char options[32];
    snprintf(options, sizeof options, "-DTILE=%d", TILE);
    cl_program program = build(&s, source, options);
    cl_kernel k = kernel(program, "matmul");
    cl_mem da = buffer(&s, size, a), db = buffer(&s, size, b), dc = buffer(&s, size, NULL);
    const cl_uint n = N;
    CHECK(clSetKernelArg(k, 0, sizeof da, &da));
    CHECK(clSetKernelArg(k, 1, sizeof db, &db));
    CHECK(clSetKernelArg(k, 2, sizeof dc, &dc));
    CHECK(clSetKernelArg(k, 3, sizeof n, &n));
    CHECK(clSetKernelArg(k, 4, tile, NULL)); /* local memory has a size and no value */
    CHECK(clSetKernelArg(k, 5, tile, NULL));
    const size_t global[] = {N, N}, local[] = {TILE, TILE};
    CHECK(clEnqueueNDRangeKernel(s.queue, k, 2, NULL, global, local, 0, NULL, NULL));
    read_back(&s, dc, size, c);
    const size_t wrong = count_wrong(a, b, c);

    CHECK(clReleaseMemObject(da));
    CHECK(clReleaseMemObject(db));
    CHECK(clReleaseMemObject(dc));
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseProgram(program));
    teardown(&s);
    free(a);
    free(b);
    free(c);
    return verdict("matmul", wrong);
}
