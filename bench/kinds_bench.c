/* kinds_bench.c -- OpenCL programs of many kinds (bench/kinds.cl), timed on one device.
 *
 *     kinds_bench [-1] bench/kinds.cl [DEVICE [KIND...]]    all kinds, on the first GPU by default
 *
 * For each kind a line: its name, the time of its kernels, of the whole turn, and of all processors
 * in it, each the median of as many turns as fit into TURN_TIME after WARM_TIME that does not
 * count, and the time of the first turn, in microseconds; whether it is right; and the milliseconds
 * from the first turn until three turns take less than SETTLED times that median each.  The first turn's result is compared with
 * that of plain C: integers are to be the same, floats within TOLERANCE of the largest, because
 * platforms may contract products and sums. A kind that is wrong is said to be so and makes the
 * status 1.  With -1 there is a first turn alone, as in a program that is short, and the line has its name, the time of its
 * kernels, and of all of it.
 */
#include "examples/example.h"
#include <math.h>
#include <time.h>

#define WARM_TIME 0.7 /* seconds */
#define TURN_TIME 0.3
#define SETTLED 2.0 /* times the median: turns that take longer are those of slower code */
#define TOLERANCE 1e-4
enum { MOST_TURNS = 1000, MOST_WARM = 100000, MOST_LAUNCHES = 400, LEAST_TURNS = 5 };

typedef struct Bench Bench;
struct Bench {
    Setup on;
    cl_program program;
    cl_kernel k[3];
    cl_mem m[8];
    void *host[8]; /* what the buffers began with */
    cl_event launched[MOST_LAUNCHES];
    int nlaunched;
};

/* --- what kinds are made of ----------------------------------------------------------------- */

static void use(Bench *b, int i, const char *name) { b->k[i] = kernel(b->program, name); }

#define SET(k, i, value) CHECK(clSetKernelArg(k, i, sizeof(value), &(value)))

/* A buffer with what host[i] has, or with nothing; host[i] stays for the reference. */
static void give(Bench *b, int i, size_t size, void *host)
{
    b->host[i] = host;
    b->m[i] = buffer(&b->on, size, host);
}

static void go2(Bench *b, cl_kernel k, size_t gx, size_t gy, size_t lx, size_t ly)
{
    const size_t global[2] = {gx, gy}, local[2] = {lx, ly};
    if (b->nlaunched == MOST_LAUNCHES) {
        fprintf(stderr, "more than %d launches\n", MOST_LAUNCHES);
        exit(1);
    }
    CHECK(clEnqueueNDRangeKernel(b->on.queue, k, gy ? 2 : 1, NULL, global, local, 0, NULL,
                                 &b->launched[b->nlaunched++]));
}

static void go(Bench *b, cl_kernel k, size_t global, size_t local)
{
    go2(b, k, global, 0, local, 0);
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static float *random_floats(size_t n, float lo, float hi)
{
    uint32_t state = 12345;
    float *f = allocate(n * sizeof *f);
    for (size_t i = 0; i < n; i++)
        f[i] = lo + (hi - lo) * (float)(next_random(&state) >> 8) / 16777216.0f;
    return f;
}

static uint32_t *random_words(size_t n, uint32_t mask)
{
    uint32_t state = 54321, *w = allocate(n * sizeof *w);
    for (size_t i = 0; i < n; i++)
        w[i] = next_random(&state) & mask;
    return w;
}

/* whether buffer i has the expected words, which are freed */
static size_t differ(Bench *b, int i, size_t n, uint32_t *expected)
{
    uint32_t *got = allocate(n * sizeof *got);
    size_t wrong = 0;
    read_back(&b->on, b->m[i], n * sizeof *got, got);
    for (size_t k = 0; k < n; k++)
        wrong += got[k] != expected[k];
    free(got);
    free(expected);
    return wrong;
}

/* the same for floats, which were computed more exactly */
static size_t differ_floats(Bench *b, int i, size_t n, double *expected)
{
    float *got = allocate(n * sizeof *got);
    double largest = 0;
    size_t wrong = 0;
    read_back(&b->on, b->m[i], n * sizeof *got, got);
    for (size_t k = 0; k < n; k++)
        largest = fmax(largest, fabs(expected[k]));
    for (size_t k = 0; k < n; k++)
        wrong += !(fabs(got[k] - expected[k]) <= TOLERANCE * largest);
    free(got);
    free(expected);
    return wrong;
}

#define NEW(type, n) ((type *)allocate((n) * sizeof(type)))

/* --- hash, mandelbrot ----------------------------------------------------------------------- */

enum { HASHES = 1 << 19, HASH_ROUNDS = 64 };

static void hash_make(Bench *b)
{
    const cl_uint rounds = HASH_ROUNDS;
    use(b, 0, "hash");
    give(b, 0, HASHES * 4, NULL);
    SET(b->k[0], 0, b->m[0]);
    SET(b->k[0], 1, rounds);
}
static void hash_turn(Bench *b) { go(b, b->k[0], HASHES, 256); }
static size_t hash_wrong(Bench *b)
{
    uint32_t *out = NEW(uint32_t, HASHES);
    for (uint32_t i = 0; i < HASHES; i++) {
        uint32_t h = i * 2654435761u + 1;
        for (uint32_t k = 0; k < HASH_ROUNDS; k++) {
            h ^= h >> 16;
            h *= 0x85ebca6bu;
            h ^= h >> 13;
            h *= 0xc2b2ae35u;
            h += k;
        }
        out[i] = h;
    }
    return differ(b, 0, HASHES, out);
}

enum { PICTURE = 512, PICTURE_ROUNDS = 256 };

static void mandelbrot_make(Bench *b)
{
    const cl_int w = PICTURE, rounds = PICTURE_ROUNDS;
    use(b, 0, "mandelbrot");
    give(b, 0, PICTURE * PICTURE * 4, NULL);
    SET(b->k[0], 0, b->m[0]);
    SET(b->k[0], 1, w);
    SET(b->k[0], 2, rounds);
}
static void mandelbrot_turn(Bench *b) { go2(b, b->k[0], PICTURE, PICTURE, 32, 8); }
/* At the border of the set a rounding decides: one point in a hundred may differ. */
static size_t mandelbrot_wrong(Bench *b)
{
    uint32_t *out = NEW(uint32_t, PICTURE * PICTURE);
    for (int y = 0; y < PICTURE; y++)
        for (int x = 0; x < PICTURE; x++) {
            const float cx = (float)x * 3.0f / PICTURE - 2.25f,
                        cy = (float)y * 2.5f / PICTURE - 1.25f;
            float zx = 0, zy = 0;
            uint32_t n = 0;
            while (n < PICTURE_ROUNDS && zx * zx + zy * zy < 4.0f) {
                const float next = zx * zx - zy * zy + cx;
                zy = 2.0f * zx * zy + cy;
                zx = next;
                n++;
            }
            out[y * PICTURE + x] = n;
        }
    const size_t wrong = differ(b, 0, PICTURE * PICTURE, out);
    return wrong > PICTURE * PICTURE / 100 ? wrong : 0;
}

/* --- histogram ------------------------------------------------------------------------------- */

enum { BYTES = 1 << 22, BINS = 256 };

static void histogram_make(Bench *b)
{
    const cl_int n = BYTES;
    use(b, 0, "histogram");
    give(b, 0, BYTES, random_words(BYTES / 4, UINT32_MAX));
    give(b, 1, BINS * 4, NULL);
    SET(b->k[0], 0, b->m[0]);
    SET(b->k[0], 1, b->m[1]);
    SET(b->k[0], 2, n);
}
static void histogram_turn(Bench *b)
{
    const cl_uint none = 0;
    CHECK(clEnqueueFillBuffer(b->on.queue, b->m[1], &none, 4, 0, BINS * 4, 0, NULL, NULL));
    go(b, b->k[0], 64 * BINS, BINS);
}
static size_t histogram_wrong(Bench *b)
{
    uint32_t *bins = NEW(uint32_t, BINS);
    const uint8_t *in = b->host[0];
    memset(bins, 0, BINS * sizeof *bins);
    for (size_t i = 0; i < BYTES; i++)
        bins[in[i]]++;
    return differ(b, 1, BINS, bins);
}

/* --- nbody ------------------------------------------------------------------------------------ */

enum { BODIES = 2048 };

static void nbody_make(Bench *b)
{
    const cl_int n = BODIES;
    use(b, 0, "nbody");
    give(b, 0, BODIES * 16, random_floats(BODIES * 4, 0, 1));
    give(b, 1, BODIES * 16, NULL);
    SET(b->k[0], 0, b->m[0]);
    SET(b->k[0], 1, b->m[1]);
    SET(b->k[0], 2, n);
}
static void nbody_turn(Bench *b) { go(b, b->k[0], BODIES, 64); }
static size_t nbody_wrong(Bench *b)
{
    const float(*at)[4] = b->host[0];
    double *force = NEW(double, BODIES * 4);
    for (int i = 0; i < BODIES; i++) {
        double *f = &force[i * 4];
        f[0] = f[1] = f[2] = f[3] = 0;
        for (int k = 0; k < BODIES; k++) {
            double d[3], d2 = 0.01;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)at[k][c] - at[i][c];
                d2 += d[c] * d[c];
            }
            for (int c = 0; c < 3; c++)
                f[c] += at[k][3] * d[c] / (d2 * sqrt(d2));
        }
    }
    return differ_floats(b, 1, BODIES * 4, force);
}

/* --- products of matrices ---------------------------------------------------------------- */

enum { SIDE = 256 };

static double *product(const float *a, const float *b, double alpha, const float *c, double beta)
{
    double *out = NEW(double, SIDE *SIDE);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double sum = c ? beta * c[i * SIDE + j] : 0;
            for (int k = 0; k < SIDE; k++)
                sum += alpha * a[i * SIDE + k] * b[k * SIDE + j];
            out[i * SIDE + j] = sum;
        }
    return out;
}

static void matmul_make(Bench *b)
{
    const cl_int n = SIDE;
    use(b, 0, "matmul");
    give(b, 0, SIDE * SIDE * 4, random_floats(SIDE * SIDE, 0, 1));
    give(b, 1, SIDE * SIDE * 4, random_floats(SIDE * SIDE, -1, 1));
    give(b, 2, SIDE * SIDE * 4, NULL);
    for (cl_uint i = 0; i < 3; i++)
        SET(b->k[0], i, b->m[i]);
    SET(b->k[0], 3, n);
}
static void matmul_turn(Bench *b) { go2(b, b->k[0], SIDE, SIDE, 16, 16); }
static size_t matmul_wrong(Bench *b)
{
    return differ_floats(b, 2, SIDE * SIDE, product(b->host[0], b->host[1], 1, NULL, 0));
}

static void gemm_make(Bench *b)
{
    const cl_int n = SIDE;
    const float alpha = 1.5f, beta = 0.5f;
    use(b, 0, "gemm");
    give(b, 0, SIDE * SIDE * 4, random_floats(SIDE * SIDE, 0, 1));
    give(b, 1, SIDE * SIDE * 4, random_floats(SIDE * SIDE, -1, 1));
    give(b, 2, SIDE * SIDE * 4, random_floats(SIDE * SIDE, 1, 2));
    for (cl_uint i = 0; i < 3; i++)
        SET(b->k[0], i, b->m[i]);
    SET(b->k[0], 3, alpha);
    SET(b->k[0], 4, beta);
    SET(b->k[0], 5, n);
}
static void gemm_turn(Bench *b) { go2(b, b->k[0], SIDE, SIDE, 32, 8); }
static size_t gemm_wrong(Bench *b)
{
    return differ_floats(b, 2, SIDE * SIDE, product(b->host[0], b->host[1], 1.5, b->host[2], 0.5));
}

enum { ROWS = 1024 };

static void atax_make(Bench *b)
{
    const cl_int n = ROWS;
    use(b, 0, "atax_rows");
    use(b, 1, "atax_columns");
    give(b, 0, ROWS * ROWS * 4, random_floats(ROWS * ROWS, 0, 1));
    give(b, 1, ROWS * 4, random_floats(ROWS, 0, 1));
    give(b, 2, ROWS * 4, NULL);
    give(b, 3, ROWS * 4, NULL);
    for (cl_uint i = 0; i < 2; i++) {
        SET(b->k[i], 0, b->m[0]);
        SET(b->k[i], 1, b->m[1 + i]);
        SET(b->k[i], 2, b->m[2 + i]);
        SET(b->k[i], 3, n);
    }
}
static void atax_turn(Bench *b)
{
    go(b, b->k[0], ROWS, 64);
    go(b, b->k[1], ROWS, 64);
}
static size_t atax_wrong(Bench *b)
{
    const float *a = b->host[0], *x = b->host[1];
    double *z = NEW(double, ROWS);
    memset(z, 0, ROWS * sizeof *z);
    for (int i = 0; i < ROWS; i++) {
        double y = 0;
        for (int k = 0; k < ROWS; k++)
            y += (double)a[i * ROWS + k] * x[k];
        for (int j = 0; j < ROWS; j++)
            z[j] += a[i * ROWS + j] * y;
    }
    return differ_floats(b, 3, ROWS, z);
}

/* --- reduce, scan ------------------------------------------------------------------------ */

enum { ELEMENTS = 1 << 20, GROUP = 256, GROUPS = ELEMENTS / GROUP };

static void reduce_make(Bench *b)
{
    use(b, 0, "reduce");
    give(b, 0, ELEMENTS * 4, random_words(ELEMENTS, 0xffff));
    give(b, 1, GROUPS * 4, NULL);
    SET(b->k[0], 0, b->m[0]);
    SET(b->k[0], 1, b->m[1]);
    CHECK(clSetKernelArg(b->k[0], 2, GROUP * 4, NULL));
}
static void reduce_turn(Bench *b) { go(b, b->k[0], ELEMENTS, GROUP); }
static size_t reduce_wrong(Bench *b)
{
    uint32_t *sums = NEW(uint32_t, GROUPS);
    const uint32_t *in = b->host[0];
    memset(sums, 0, GROUPS * sizeof *sums);
    for (size_t i = 0; i < ELEMENTS; i++)
        sums[i / GROUP] += in[i];
    return differ(b, 1, GROUPS, sums);
}

static void scan_make(Bench *b)
{
    use(b, 0, "scan");
    use(b, 1, "scan");
    use(b, 2, "scan_add");
    give(b, 0, ELEMENTS * 4, random_words(ELEMENTS, 0xffff));
    for (int i = 1; i < 6; i++) /* out, sums of groups, before them, of 256 groups, before those */
        give(b, i, ELEMENTS * 4, NULL);
}
/* three levels: a million, 4096 groups, 16 groups of them */
static void scan_level(Bench *b, cl_kernel k, int in, int out, int sums, size_t n)
{
    SET(k, 0, b->m[in]);
    SET(k, 1, b->m[out]);
    SET(k, 2, b->m[sums]);
    const size_t group = n < GROUP ? n : GROUP;
    CHECK(clSetKernelArg(k, 3, group * 4, NULL));
    go(b, k, n, group);
}
static void scan_sums(Bench *b, int out, int sums, size_t n)
{
    SET(b->k[2], 0, b->m[out]);
    SET(b->k[2], 1, b->m[sums]);
    go(b, b->k[2], n, GROUP);
}
static void scan_turn(Bench *b)
{
    scan_level(b, b->k[0], 0, 1, 2, ELEMENTS);
    scan_level(b, b->k[0], 2, 3, 4, GROUPS);
    scan_level(b, b->k[1], 4, 5, 2, GROUPS / GROUP);
    scan_sums(b, 3, 5, GROUPS);
    scan_sums(b, 1, 3, ELEMENTS);
}
static size_t scan_wrong(Bench *b)
{
    uint32_t *out = NEW(uint32_t, ELEMENTS), sum = 0;
    const uint32_t *in = b->host[0];
    for (size_t i = 0; i < ELEMENTS; sum += in[i++])
        out[i] = sum;
    return differ(b, 1, ELEMENTS, out);
}

/* --- bitonic ----------------------------------------------------------------------------- */

enum { KEYS = 1 << 16 };

static void bitonic_make(Bench *b)
{
    use(b, 0, "bitonic");
    give(b, 0, KEYS * 4, random_words(KEYS, UINT32_MAX));
    SET(b->k[0], 0, b->m[0]);
}
static void bitonic_turn(Bench *b)
{
    CHECK(clEnqueueWriteBuffer(b->on.queue, b->m[0], CL_FALSE, 0, KEYS * 4, b->host[0], 0, NULL,
                               NULL));
    for (cl_uint block = 2; block <= KEYS; block *= 2)
        for (cl_uint distance = block / 2; distance; distance /= 2) {
            SET(b->k[0], 1, block);
            SET(b->k[0], 2, distance);
            go(b, b->k[0], KEYS / 2, GROUP);
        }
}
static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}
static size_t bitonic_wrong(Bench *b)
{
    uint32_t *sorted = NEW(uint32_t, KEYS);
    memcpy(sorted, b->host[0], KEYS * 4);
    qsort(sorted, KEYS, 4, by_value);
    return differ(b, 0, KEYS, sorted);
}

/* --- saxpy, stencil, transpose ----------------------------------------------------------- */

enum { FLOATS = 1 << 22, FIELD = 1024 };

static void saxpy_make(Bench *b)
{
    const float a = 2.5f;
    use(b, 0, "saxpy");
    give(b, 0, (size_t)FLOATS * 4, random_floats(FLOATS, 0, 1));
    give(b, 1, (size_t)FLOATS * 4, random_floats(FLOATS, -1, 1));
    give(b, 2, (size_t)FLOATS * 4, NULL);
    for (cl_uint i = 0; i < 3; i++)
        SET(b->k[0], i, b->m[i]);
    SET(b->k[0], 3, a);
}
static void saxpy_turn(Bench *b) { go(b, b->k[0], FLOATS, GROUP); }
static size_t saxpy_wrong(Bench *b)
{
    const float *x = b->host[0], *y = b->host[1];
    double *z = NEW(double, FLOATS);
    for (size_t i = 0; i < FLOATS; i++)
        z[i] = 2.5 * x[i] + y[i];
    return differ_floats(b, 2, FLOATS, z);
}

static void field_make(Bench *b, const char *name)
{
    use(b, 0, name);
    give(b, 0, FIELD * FIELD * 4, random_floats(FIELD * FIELD, 0, 1));
    give(b, 1, FIELD * FIELD * 4, NULL);
    SET(b->k[0], 0, b->m[0]);
    SET(b->k[0], 1, b->m[1]);
}
static void stencil_make(Bench *b)
{
    const cl_int side = FIELD;
    field_make(b, "stencil");
    SET(b->k[0], 2, side);
    SET(b->k[0], 3, side);
}
static void stencil_turn(Bench *b) { go2(b, b->k[0], FIELD, FIELD, 32, 8); }
static size_t stencil_wrong(Bench *b)
{
    const float *in = b->host[0];
    double *out = NEW(double, FIELD *FIELD);
    for (int y = 0; y < FIELD; y++)
        for (int x = 0; x < FIELD; x++) {
            const int at = y * FIELD + x;
            const bool edge = !x || !y || x == FIELD - 1 || y == FIELD - 1;
            out[at] = edge ? in[at]
                           : 0.2 * ((double)in[at] + in[at - 1] + in[at + 1] + in[at - FIELD] +
                                    in[at + FIELD]);
        }
    return differ_floats(b, 1, FIELD * FIELD, out);
}

static void transpose_make(Bench *b)
{
    const cl_int side = FIELD;
    field_make(b, "transpose");
    SET(b->k[0], 2, side);
}
static void transpose_turn(Bench *b) { go2(b, b->k[0], FIELD, FIELD, 16, 16); }
static size_t transpose_wrong(Bench *b)
{
    uint32_t *out = NEW(uint32_t, FIELD * FIELD);
    const uint32_t *in = b->host[0];
    for (size_t y = 0; y < FIELD; y++)
        for (size_t x = 0; x < FIELD; x++)
            out[x * FIELD + y] = in[y * FIELD + x];
    return differ(b, 1, FIELD * FIELD, out);
}

/* --- graphs and sparse matrices ---------------------------------------------------------- */

enum { NODES = 1 << 16, MOST_EDGES = 12 };

/* A list of 0 to 11 nodes for each node: where it begins, and the lists. */
static void make_lists(int32_t **first, int32_t **to)
{
    uint32_t state = 777;
    int32_t n = 0;
    *first = NEW(int32_t, NODES + 1);
    *to = NEW(int32_t, NODES * MOST_EDGES);
    for (int i = 0; i <= NODES; i++) {
        (*first)[i] = n;
        for (uint32_t k = next_random(&state) % MOST_EDGES; i < NODES && k; k--)
            (*to)[n++] = (int32_t)(next_random(&state) % NODES);
    }
}

static void bfs_make(Bench *b)
{
    static const int args[3][6] = {{2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}, {2, 3, 4, 6}};
    static const cl_uint nargs[3] = {4, 6, 4};
    int32_t *first, *to;
    make_lists(&first, &to);
    use(b, 0, "bfs_start");
    use(b, 1, "bfs_visit");
    use(b, 2, "bfs_commit");
    give(b, 0, (NODES + 1) * 4, first);
    give(b, 1, NODES * MOST_EDGES * 4, to);
    for (int i = 2; i < 5; i++) /* mask, next, seen */
        give(b, i, NODES, NULL);
    give(b, 5, NODES * 4, NULL);
    give(b, 6, 4, NULL);
    for (int k = 0; k < 3; k++)
        for (cl_uint i = 0; i < nargs[k]; i++)
            SET(b->k[k], i, b->m[args[k][i]]);
}
static void bfs_turn(Bench *b)
{
    cl_int more = 1;
    go(b, b->k[0], NODES, GROUP);
    while (more) {
        more = 0;
        CHECK(clEnqueueWriteBuffer(b->on.queue, b->m[6], CL_TRUE, 0, 4, &more, 0, NULL, NULL));
        go(b, b->k[1], NODES, GROUP);
        go(b, b->k[2], NODES, GROUP);
        read_back(&b->on, b->m[6], 4, &more);
    }
}
static size_t bfs_wrong(Bench *b)
{
    const int32_t *first = b->host[0], *to = b->host[1];
    uint32_t *cost = NEW(uint32_t, NODES), *queue = NEW(uint32_t, NODES), n = 0;
    memset(cost, 0xff, NODES * sizeof *cost);
    cost[0] = 0;
    queue[n++] = 0;
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = first[queue[i]]; k < first[queue[i] + 1]; k++)
            if (cost[to[k]] == UINT32_MAX) {
                cost[to[k]] = cost[queue[i]] + 1;
                queue[n++] = (uint32_t)to[k];
            }
    free(queue);
    return differ(b, 5, NODES, cost);
}

static void spmv_make(Bench *b)
{
    int32_t *first, *to;
    make_lists(&first, &to);
    use(b, 0, "spmv");
    give(b, 0, (NODES + 1) * 4, first);
    give(b, 1, NODES * MOST_EDGES * 4, to);
    give(b, 2, NODES * MOST_EDGES * 4, random_floats(NODES * MOST_EDGES, 0, 1));
    give(b, 3, NODES * 4, random_floats(NODES, 0, 1));
    give(b, 4, NODES * 4, NULL);
    for (cl_uint i = 0; i < 5; i++)
        SET(b->k[0], i, b->m[i]);
}
static void spmv_turn(Bench *b) { go(b, b->k[0], NODES, GROUP); }
static size_t spmv_wrong(Bench *b)
{
    const int32_t *first = b->host[0], *column = b->host[1];
    const float *value = b->host[2], *x = b->host[3];
    double *y = NEW(double, NODES);
    for (int i = 0; i < NODES; i++) {
        y[i] = 0;
        for (int32_t k = first[i]; k < first[i + 1]; k++)
            y[i] += (double)value[k] * x[column[k]];
    }
    return differ_floats(b, 4, NODES, y);
}

/* --- search ------------------------------------------------------------------------------ */

enum { TEXT = 1 << 20, WORD = 6 };

static void search_make(Bench *b)
{
    const cl_int length = WORD;
    uint8_t *text = NEW(uint8_t, TEXT + WORD), *word = NEW(uint8_t, WORD);
    uint32_t state = 99;
    for (size_t i = 0; i < TEXT + WORD; i++)
        text[i] = (uint8_t)('a' + (next_random(&state) >> 8) % 4);
    memcpy(word, text + 1000, WORD);
    use(b, 0, "search");
    give(b, 0, TEXT + WORD, text);
    give(b, 1, WORD, word);
    give(b, 2, 4, NULL);
    SET(b->k[0], 0, b->m[0]);
    SET(b->k[0], 1, b->m[1]);
    SET(b->k[0], 2, length);
    SET(b->k[0], 3, b->m[2]);
}
static void search_turn(Bench *b)
{
    const cl_uint none = 0;
    CHECK(clEnqueueFillBuffer(b->on.queue, b->m[2], &none, 4, 0, 4, 0, NULL, NULL));
    go(b, b->k[0], TEXT, GROUP);
}
static size_t search_wrong(Bench *b)
{
    const uint8_t *text = b->host[0];
    uint32_t *found = NEW(uint32_t, 1);
    *found = 0;
    for (size_t i = 0; i < TEXT; i++)
        *found += !memcmp(text + i, b->host[1], WORD);
    return differ(b, 2, 1, found);
}

/* --- options, kmeans --------------------------------------------------------------------- */

enum { OPTIONS = 1 << 18, POINTS = 1 << 16, CENTRES = 8, FEATURES = 16 };

static void options_make(Bench *b)
{
    use(b, 0, "options");
    give(b, 0, OPTIONS * 4, random_floats(OPTIONS, 10, 100));
    give(b, 1, OPTIONS * 4, random_floats(OPTIONS, 20, 80));
    give(b, 2, OPTIONS * 4, random_floats(OPTIONS, 0.25f, 5));
    give(b, 3, OPTIONS * 4, NULL);
    for (cl_uint i = 0; i < 4; i++)
        SET(b->k[0], i, b->m[i]);
}
static void options_turn(Bench *b) { go(b, b->k[0], OPTIONS, GROUP); }
static size_t options_wrong(Bench *b)
{
    const float *price = b->host[0], *strike = b->host[1], *years = b->host[2];
    double *call = NEW(double, OPTIONS);
    for (int i = 0; i < OPTIONS; i++) {
        const double s = price[i], x = strike[i], t = years[i], rate = 0.02, change = 0.3;
        const double d1 = (log(s / x) + (rate + 0.5 * change * change) * t) / (change * sqrt(t));
        const double d2 = d1 - change * sqrt(t);
        const double n1 = 1 / (1 + exp(-1.5957691 * d1 * (1 + 0.044715 * d1 * d1)));
        const double n2 = 1 / (1 + exp(-1.5957691 * d2 * (1 + 0.044715 * d2 * d2)));
        call[i] = s * n1 - x * exp(-rate * t) * n2;
    }
    return differ_floats(b, 3, OPTIONS, call);
}

static void kmeans_make(Bench *b)
{
    const cl_int points = POINTS, centres = CENTRES, features = FEATURES;
    use(b, 0, "kmeans");
    give(b, 0, POINTS * FEATURES * 4, random_floats(POINTS * FEATURES, 0, 1));
    give(b, 1, CENTRES * FEATURES * 4, random_floats(CENTRES * FEATURES, 0.1f, 0.9f));
    give(b, 2, POINTS * 4, NULL);
    for (cl_uint i = 0; i < 3; i++)
        SET(b->k[0], i, b->m[i]);
    SET(b->k[0], 3, points);
    SET(b->k[0], 4, centres);
    SET(b->k[0], 5, features);
}
static void kmeans_turn(Bench *b) { go(b, b->k[0], POINTS, GROUP); }
/* Where two centres are equally near, a rounding decides: one point in a thousand may differ. */
static size_t kmeans_wrong(Bench *b)
{
    const float *feature = b->host[0], *centre = b->host[1];
    uint32_t *nearest = NEW(uint32_t, POINTS);
    for (int i = 0; i < POINTS; i++) {
        double least = 3e38;
        for (uint32_t c = 0; c < CENTRES; c++) {
            const float *at = &centre[c * FEATURES];
            double d = 0;
            for (int f = 0; f < FEATURES; f++) {
                const double away = (double)feature[f * POINTS + i] - at[f];
                d += away * away;
            }
            if (d < least) {
                least = d;
                nearest[i] = c;
            }
        }
    }
    const size_t wrong = differ(b, 2, POINTS, nearest);
    return wrong > POINTS / 1000 ? wrong : 0;
}

/* --- measuring --------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    void (*make)(Bench *b);    /* kernels, buffers, arguments */
    void (*turn)(Bench *b);    /* enqueues once */
    size_t (*wrong)(Bench *b); /* values of the first turn that plain C computes otherwise */
} Kind;

#define KIND(name)                                                                                 \
    {                                                                                              \
#name, name##_make, name##_turn, name##_wrong                                              \
    }
static const Kind kinds[] = {
    KIND(hash),      KIND(mandelbrot), KIND(histogram), KIND(nbody),   KIND(matmul), KIND(reduce),
    KIND(bitonic),   KIND(saxpy),      KIND(stencil),   KIND(gemm),    KIND(atax),   KIND(bfs),
    KIND(transpose), KIND(scan),       KIND(search),    KIND(options), KIND(spmv),   KIND(kmeans),
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of a turn from its first call to its end, in *kernels of its launches, and in *processor
 * those that its threads ran. */
static double timed_turn(const Kind *k, Bench *b, double *kernels, double *processor)
{
    const double start = now(), used = processor_time();
    b->nlaunched = 0;
    k->turn(b);
    CHECK(clFinish(b->on.queue));
    const double wall = now() - start;
    *processor = processor_time() - used;
    *kernels = 0;
    for (int i = 0; i < b->nlaunched; i++) {
        cl_ulong from, to;
        CHECK(clGetEventProfilingInfo(b->launched[i], CL_PROFILING_COMMAND_START, sizeof from,
                                      &from, NULL));
        CHECK(clGetEventProfilingInfo(b->launched[i], CL_PROFILING_COMMAND_END, sizeof to, &to,
                                      NULL));
        *kernels += (double)(to - from) * 1e-9;
        CHECK(clReleaseEvent(b->launched[i]));
    }
    return wall;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_size);
    return v[n / 2];
}

static void take_down(Bench *b)
{
    for (int i = 0; i < 8; i++) {
        if (b->m[i])
            CHECK(clReleaseMemObject(b->m[i]));
        free(b->host[i]);
        b->m[i] = NULL;
        b->host[i] = NULL;
    }
    for (int i = 0; i < 3; i++) {
        if (b->k[i])
            CHECK(clReleaseKernel(b->k[i]));
        b->k[i] = NULL;
    }
}

static size_t bench_first(const Kind *k, Bench *b)
{
    double kernels, none;
    k->make(b);
    const double wall = timed_turn(k, b, &kernels, &none);
    const size_t wrong = k->wrong(b);
    printf("%-12s %12.1f %12.1f  %s\n", k->name, kernels * 1e6, wall * 1e6, wrong ? "WRONG" : "ok");
    take_down(b);
    return wrong;
}

static size_t bench(const Kind *k, Bench *b)
{
    static double wall[MOST_TURNS], kernels[MOST_TURNS], processor[MOST_TURNS];
    static double warm[MOST_WARM], since[MOST_WARM];
    double spent = 0, none;
    int n = 0, nwarm = 0, settled = 0;
    k->make(b);
    const double start = now(), first = timed_turn(k, b, &none, &none);
    const size_t wrong = k->wrong(b);
    for (const double end = now() + WARM_TIME; now() < end; nwarm += nwarm + 1 < MOST_WARM) {
        since[nwarm] = now() - start;
        timed_turn(k, b, &warm[nwarm], &none);
    }
    for (; n < MOST_TURNS && (n < LEAST_TURNS || spent < TURN_TIME); n++)
        spent += wall[n] = timed_turn(k, b, &kernels[n], &processor[n]);
    const double fast = median(kernels, n);
    for (int i = 0, quick = 0; i < nwarm && quick < 3; i++) { /* three one after the other */
        quick = warm[i] < SETTLED * fast ? quick + 1 : 0;
        settled = i + 1 - quick;
    }
    printf("%-12s %12.1f %12.1f %12.1f %12.1f  %s %8.1f\n", k->name, fast * 1e6,
           median(wall, n) * 1e6, median(processor, n) * 1e6, first * 1e6, wrong ? "WRONG" : "ok",
           (settled < nwarm ? since[settled] : now() - start) * 1e3);
    fflush(stdout);
    take_down(b);
    return wrong;
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size;
    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    char *text = allocate((size_t)size + 1);
    text[fread(text, 1, (size_t)size, f)] = 0;
    fclose(f);
    return text;
}

static bool is_wanted(const char *name, char **list, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(list[i], name))
            return true;
    return !n;
}

int main(int argc, char **argv)
{
    size_t wrong = 0;
    const bool first = argc > 1 && !strcmp(argv[1], "-1");
    argv += first;
    argc -= first;
    if (argc < 2) {
        fprintf(stderr, "usage: kinds_bench [-1] SOURCE [DEVICE [KIND...]]\n");
        return 2;
    }
    if (argc > 2)
        setenv("EXAMPLE_DEVICE", argv[2], 1);
    Bench b = {.on = setup()};
    char *text = read_text(argv[1]);
    b.program = build(&b.on, text, "");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_wanted(kinds[i].name, argv + 3, argc > 3 ? argc - 3 : 0))
            wrong += (first ? bench_first : bench)(&kinds[i], &b);
    CHECK(clReleaseProgram(b.program));
    free(text);
    teardown(&b.on);
    return wrong != 0;
}
