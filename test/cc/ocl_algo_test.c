/* Algorithms (test/cc/algo.cl). */
#include "test/kit/oclkit.h"
#include <stdlib.h>
#include <string.h>

REF(matrix_multiply)
{
    const float *a = A(0), *b = A(1);
    float *c = A(2);
    const u32 n = VALUE(u32, 3);
    EACH
    {
        c[i] = 0;
        for (u32 k = 0; k < n; k++)
            c[i] += a[i / n * n + k] * b[k * n + i % n];
    }
}

REF(stencil)
{
    const float *in = A(0);
    float *out = A(1);
    const i32 w = (i32)job->global[0], h = (i32)job->global[1];
    for (i32 at = 0; at < w * h; at++) {
        out[at] = 0;
        for (i32 y = at / w - 1; y <= at / w + 1; y++)
            for (i32 x = at % w - 1; x <= at % w + 1; x++)
                if (x >= 0 && x < w && y >= 0 && y < h)
                    out[at] += in[y * w + x] * (y * w + x == at ? 4.0f : 0.5f);
    }
}

static int by_value(const void *a, const void *b)
{
    const u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return (x > y) - (x < y);
}

static int by_signed_value(const void *a, const void *b)
{
    const i32 x = *(const i32 *)a, y = *(const i32 *)b;
    return (x > y) - (x < y);
}

REF(bitonic_sort)
{
    u32 *x = A(0);
    EACH_GROUP qsort(x + g, 64, 4, by_value);
}

static i32 most(i32 a, i32 b) { return a > b ? a : b; }

REF(align_texts)
{
    const u32 *x = A(0), *y = A(1);
    i32 *best = A(2), gap = VALUE(i32, 3);
    EACH_GROUP
    {
        i32 m[17][17] = {{0}};
        for (u32 r = 0; r < 17; r++)
            for (u32 c = 0; c < 17; c++)
                m[r][c] = !r || !c ? -gap * (i32)(r + c)
                                   : most(m[r - 1][c - 1] + (x[g + r - 1] == y[g + c - 1] ? 3 : -1),
                                          most(m[r][c - 1], m[r - 1][c]) - gap);
        memcpy(best + (size_t)g * 17, m[1], 16 * sizeof m[1]);
    }
}

REF(insertion_sort)
{
    i32 *x = A(0);
    EACH qsort(x + 8 * (size_t)i, 8, 4, by_signed_value);
}

/* by the table that everybody uses */
REF(crc32)
{
    const u8 *x = A(0);
    u32 *out = A(1), table[256];
    const u32 len = VALUE(u32, 2);
    for (u32 k = 0; k < 256; k++) {
        table[k] = k;
        for (u32 bit = 0; bit < 8; bit++)
            table[k] = table[k] >> 1 ^ (table[k] % 2 ? 0xedb88320 : 0);
    }
    EACH
    {
        u32 crc = ~0u;
        for (u32 k = 0; k < len; k++)
            crc = table[(crc ^ x[i * len + k]) & 255] ^ crc >> 8;
        out[i] = ~crc;
    }
}

/* the published digests of "" and "abc" */
REF(sha256)
{
    static const u32 digest[2][8] = {{0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4,
                                      0x649b934c, 0xa495991b, 0x7852b855},
                                     {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3,
                                      0x96177a9c, 0xb410ff61, 0xf20015ad}};
    u32 *out = A(0);
    EACH memcpy(out + 8 * i, digest[i % 2], 32);
}

REF(sieve)
{
    u8 *composite = A(0);
    for (u32 k = 4; k < VALUE(u32, 1); k++)
        for (u32 p = 2; p < k; p++)
            if (k % p == 0)
                composite[k] = 1;
}

REF(mandelbrot)
{
    i32 *out = A(0);
    EACH
    {
        const float cx = (float)(i % job->global[0]) * 0.09375f - 2.0f;
        const float cy = (float)(i / job->global[0]) * 0.09375f - 1.5f;
        float zx = 0, zy = 0;
        for (out[i] = 0; out[i] < VALUE(i32, 1) && zx * zx + zy * zy < 4.0f; out[i]++) {
            const float t = zx * zx - zy * zy + cx;
            zy = 2.0f * zx * zy + cy;
            zx = t;
        }
    }
}

REF(n_body)
{
    const float *body = A(0);
    float *out = A(1);
    memset(out, 0, 16 * (size_t)job->n);
    EACH for (u32 k = 0; k < VALUE(u32, 2); k++)
    {
        float d[4];
        for (u32 c = 0; c < 4; c++)
            d[c] = body[4 * k + c] - body[4 * i + c];
        const float r = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.5f;
        for (u32 c = 0; c < 4; c++)
            out[4 * i + c] += d[c] * (body[4 * k + 3] * r);
    }
}

REF(xorshift)
{
    u64 *state = A(0);
    EACH
    {
        u64 s = state[i] | 1;
        for (i32 k = 0; k < VALUE(i32, 1); k++)
            s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        state[i] = s * 2685821657736338717u;
    }
}

REF(find_text)
{
    const u8 *text = A(0);
    i32 *first = A(2);
    const u8 *at = memmem(text, VALUE(u32, 1), "\1\0\2", 3);
    if (at && at - text < job->n && (*first < 0 ? false : at - text < *first))
        *first = (i32)(at - text);
}

REF(life)
{
    const u8 *in = A(0);
    u8 *out = A(1);
    const u32 w = job->global[0], h = job->global[1];
    EACH
    {
        u32 n = 0;
        for (u32 k = 0; k < 9; k++)
            n += in[(i / w + h + k / 3 - 1) % h * w + (i % w + w + k % 3 - 1) % w] & 1;
        out[i] = n == 3 || (n == 4 && in[i] & 1);
    }
}

/* column by column */
REF(big_multiply)
{
    const u32 *x = A(0), *y = A(1);
    u32 *out = A(2);
    EACH
    {
        u64 low = 0, high = 0; /* of the column, and what it carries beyond 2^32 */
        for (u32 c = 0; c < 16; c++) {
            for (u32 a = c < 8 ? 0 : c - 7; a <= c && a < 8; a++) {
                const u64 p = (u64)x[8 * i + a] * y[8 * i + c - a];
                low += p & UINT32_MAX;
                high += p >> 32;
            }
            out[16 * i + c] = (u32)low;
            low = (low >> 32) + high;
            high = 0;
        }
    }
}

static u64 power(u64 base, u32 e, u64 modulus)
{
    if (!e)
        return 1;
    const u64 root = power(base, e / 2, modulus);
    return root * root % modulus * (e % 2 ? base % modulus : 1) % modulus;
}

REF(modular_power)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH out[i] = (u32)power(x[2 * i], x[2 * i + 1], VALUE(u32, 2));
}

static u32 common_divisor(u32 a, u32 b) { return b ? common_divisor(b, a % b) : a; }

REF(gcd)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH out[i] = common_divisor(x[2 * i], x[2 * i + 1]);
}

/* Bellman and Ford, from each node */
REF(floyd_warshall)
{
    u32 *d = A(0), *edge = job->args[0].data;
    const u32 n = VALUE(u32, 1);
    for (u32 round = 0; round < n; round++)
        for (u32 from = 0; from < n; from++)
            for (u32 a = 0; a < n; a++)
                for (u32 b = 0; b < n; b++)
                    if (d[from * n + a] + edge[a * n + b] < d[from * n + b])
                        d[from * n + b] = d[from * n + a] + edge[a * n + b];
}

REF(breadth_first)
{
    const u32 *edge = A(0);
    i32 *level = A(1);
    EACH level[i] = i ? -1 : 0;
    for (i32 depth = 0; depth < (i32)job->n; depth++)
        EACH for (u32 k = 0; k < 3 && level[i] == depth; k++) if (level[edge[3 * i + k]] < 0)
            level[edge[3 * i + k]] = depth + 1;
}

REF(lu)
{
    float *a = A(0);
    const u32 n = VALUE(u32, 1);
    for (u32 k = 0; k < n; k++)
        for (u32 y = k + 1; y < n; y++)
            for (u32 x = k + 1; x < n; x++)
                a[y * n + x] -= a[y * n + k] * 0.0078125f * a[k * n + x];
}

REF(k_means)
{
    const float *point = A(0), *centre = A(1);
    i32 *nearest = A(2);
    EACH
    {
        float best = __builtin_inff();
        nearest[i] = -1;
        for (i32 k = 0; k < VALUE(i32, 3); k++) {
            const float dx = point[2 * i] - centre[2 * k],
                        dy = point[2 * i + 1] - centre[2 * k + 1];
            const float r = dx * dx + dy * dy;
            nearest[i] = r < best ? k : nearest[i];
            best = r < best ? r : best;
        }
    }
}

/* by the definition */
REF(transform)
{
    u32 *x = A(0);
    EACH
    {
        u32 v[8];
        memcpy(v, x + 8 * i, sizeof v);
        for (u32 f = 0; f < 8; f++) {
            const u32 place = (f & 1) << 2 | (f & 2) | f >> 2; /* bits in reverse */
            u64 sum = 0;
            for (u32 k = 0; k < 8; k++)
                sum += v[k] % 257 * power(2, f * k * 2, 257);
            x[8 * i + place] = (u32)(sum % 257);
        }
    }
}

static const KitCase cases[] = {
    CASE(matrix_multiply, "16,16/8,8", "f256 f256 o256 =16"),
    CASE(stencil, "20,12/10,4", "f240 o240"),
    CASE(bitonic_sort, "128/64", "w128"),
    CASE(align_texts, "64/16", "w64%4 w64%4 o1088 =2"),
    CASE(insertion_sort, "32/16", "w256"),
    CASE(crc32, "32/16", "c640 w32 =20"),
    CASE(sha256, "32/16", "o256"),
    CASE(sieve, "32/32", "c500%1 =500"),
    CASE(mandelbrot, "32,32/8,4", "o1024 =60"),
    CASE(n_body, "32/16", "f128 o128 =32"),
    CASE(xorshift, "64/32", "q64 =50"),
    CASE(find_text, "256/32", "c256%3 =256 w1%1000"),
    CASE(life, "16,12/8,4", "c192 o48"),
    CASE(big_multiply, "32/16", "w256 w256 w512"),
    CASE(modular_power, "32/16", "w64 w32 =1000003"),
    CASE(gcd, "64/32", "w128 w64"),
    CASE(floyd_warshall, "16/16", "w256%100 =16"),
    CASE(breadth_first, "64/64", "w192%64 w64 =64"),
    CASE(lu, "16/16", "u256 =16"),
    CASE(k_means, "64/32", "f128 f16 w64 =8"),
    CASE(transform, "32/16", "w256"),
};

int main(void) { return kit_main("algo.cl", NULL, cases, countof(cases)); }
