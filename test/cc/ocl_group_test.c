/* Local memory, barriers, atomics (test/cc/group.cl). */
#include "test/kit/oclkit.h"
#include <string.h>

REF(reverse)
{
    u32 *x = A(0);
    const u32 n = job->local[0];
    EACH_GROUP for (u32 k = 0; k < n / 2; k++)
    {
        const u32 v = x[g + k];
        x[g + k] = x[g + n - 1 - k];
        x[g + n - 1 - k] = v;
    }
}

REF(reduce)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    memset(out, 0, job->n / job->local[0] * 4);
    EACH out[i / job->local[0]] += x[i];
}

REF(scan)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH out[i] = x[i] + (i % job->local[0] ? out[i - 1] : 0);
}

REF(many_locals)
{
    const i32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        const u32 l = i % 32;
        const i32 *g = x + (i - l);
        out[i] = (u32)(i8)g[31 - l] + (u32)((i64)g[l / 2] * 256 >> 4) + l % 8 * (u32)g[(l + 1) % 8] +
                 (u32)g[5];
    }
}

REF(transpose)
{
    const float *in = A(0);
    float *out = A(1);
    const u32 w = job->global[0], h = job->global[1];
    EACH out[i % w * h + i / w] = in[i];
}

REF(barrier_in_branch)
{
    u32 *x = A(0);
    EACH_GROUP
    {
        u32 old[32];
        memcpy(old, x + g, sizeof old);
        for (u32 l = 0; l < 32 && g / 32 % 2; l++)
            x[g + l] = old[(l + 1) % 32] * 3;
        for (u32 k = 0; k < g / 32 + 2 && g / 32 % 2 == 0; k++)
            for (u32 l = 1; l < 32; l += 2)
                x[g + l] ^= x[g + l - 1] + k;
    }
}

REF(barrier_in_function)
{
    u32 *x = A(0);
    EACH_GROUP for (u32 with = 1; with < 32; with *= 2)
    {
        u32 old[32];
        memcpy(old, x + g, sizeof old);
        for (u32 l = 0; l < 32; l++)
            x[g + l] = old[l] * 2 + old[l ^ with];
    }
}

REF(atomics)
{
    const i32 *x = A(0);
    i32 *c = A(1);
    u32 *u = A(1);
    EACH
    {
        const u32 v = (u32)x[i];
        u[0] += v;
        u[1] -= v;
        u[2] &= v | 0xff;
        u[3] |= v & 0xf0f0f;
        u[4] ^= v;
        c[5] = x[i] < c[5] ? x[i] : c[5];
        c[6] = x[i] > c[6] ? x[i] : c[6];
        u[7]++;
        u[8]--;
        u[9] = v < u[9] ? v : u[9];
        u[10] = v > u[10] ? v : u[10];
    }
}

/* who won is not known; that one did is */
REF(atomic_results)
{
    u32 *next = A(0), *seen = A(1), *flag = A(2);
    EACH seen[i] = 1;
    next[0] = job->n;
    flag[0] = 9, flag[1] = 7, flag[2] = 5, flag[3] = 1;
}

REF(local_histogram)
{
    const u8 *x = A(0);
    u32 *bins = A(1);
    for (u32 k = 0; k < VALUE(u32, 2); k++)
        bins[x[k] % 16]++;
}

/* whole numbers: the order of the sums does not matter */
REF(float_add)
{
    const i32 *x = A(0);
    float sum = 0;
    EACH sum += (float)x[i];
    memcpy(A(1), &sum, sizeof sum);
}

REF(copies)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    const u32 n = job->local[0];
    EACH for (u32 k = 0; k < 4; k++)
    {
        const u32 l = i % n;
        out[4 * i + k] = x[4 * (i - l + n - 1 - l) + k] + l;
    }
}

REF(strided_copies)
{
    const u16 *x = A(0);
    u16 *out = A(1);
    EACH out[i] = x[(31 - i % 32) * 3];
}

REF(fixed_size)
{
    u32 *x = A(0);
    u32 old[256];
    const u32 w = job->global[0];
    memcpy(old, x, 4 * (size_t)job->n);
    EACH x[i] = old[(i / w ^ 1) * w + (i % w ^ 1)] - old[i];
}

static const KitCase cases[] = {
    CASE(reverse, "128/64", "w128"),
    CASE(reverse, "90/30", "w90"),
    CASE(reduce, "256/64", "w256 w4 l256"),
    CASE(scan, "96/32", "w96 w96 l128 l128"),
    CASE(many_locals, "64/32", "w64 w64"),
    CASE(transpose, "16,24/8,8", "f384 o384"),
    CASE(barrier_in_branch, "128/32", "w128"),
    CASE(barrier_in_function, "64/32", "w64"),
    CASE(atomics, "128/32", "w128 w11"),
    CASE(atomic_results, "128/32", "o1 o128 o4"),
    CASE(local_histogram, "64/32", "c500 w16 =500"),
    CASE(float_add, "64/32", "w64%1000 o1"),
    CASE(copies, "64/16", "w256 w256 l256"),
    CASE(strided_copies, "64/32", "h96 h64"),
    CASE(fixed_size, "32,8/16,2", "w256"),
};

int main(void) { return kit_main("group.cl", NULL, cases, countof(cases)); }
