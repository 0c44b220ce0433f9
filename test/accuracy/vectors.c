/* vectors.c -- functions of vectors of the device library, compiled for the host: each component of the result is what
 * the scalar function makes of those of the arguments, in vectors of every width and with scalars among the
 * arguments; of tests -1 for 1.  Selection and shuffles are compared with their
 * definitions, geometric functions with long double.
 */
#include "test/accuracy/values.h"
#include <stdio.h>

float __ventus_exp(float x);
int __ventus_ftoi_rne(float x);
float __ventus_exp(float x) { return (float)exp(x); }
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }

typedef int Differ(const void *, const void *, const void *, int);
#define V1(name, R, A)       Differ v1_##name##_##A;
#define V2(name, R, A, B)    Differ v2_##name##_##A;
#define V3(name, R, A, B, C) Differ v3_##name##_##A;
#define VS(name, T)          Differ vs_##name##_##T;
#define SV(name, T)          Differ sv_##name##_##T;
#define VSS(name, T)         Differ vss_##name##_##T;
#define VVS(name, T)         Differ vvs_##name##_##T;
#define SSV(name, T)         Differ ssv_##name##_##T;
#define TEST1(name, T, I)    Differ t1_##name##_##T;
#define TEST2(name, T, I)    Differ t2_##name##_##T;
#include "test/accuracy/vectors.def"

#define EACH_INT(M, name)                                                                          \
    M(name, char)                                                                                  \
    M(name, uchar)                                                                                 \
    M(name, short) M(name, ushort) M(name, int) M(name, uint) M(name, long) M(name, ulong)
#define EACH(M, name)        EACH_INT(M, name) M(name, half) M(name, float) M(name, double)
#define EACH_SIGNED(M, name) M(name, char) M(name, short) M(name, int) M(name, long)
#define SELECTION(name, T)   Differ name##_##T;
EACH(SELECTION, select)
EACH(SELECTION, shuffle)
EACH_SIGNED(SELECTION, fold)

static const struct {
    const char *name;
    int a, b, c; /* types of the arguments */
    Differ *differ;
} rows[] = {
#define ROW(prefix, name, A, B, C) {#name " of " #A, T_##A, T_##B, T_##C, prefix##_##name##_##A},
#define V1(name, R, A)             ROW(v1, name, A, A, A)
#define V2(name, R, A, B)          ROW(v2, name, A, B, A)
#define V3(name, R, A, B, C)       ROW(v3, name, A, B, C)
#define VS(name, T)                ROW(vs, name, T, T, T)
#define SV(name, T)                ROW(sv, name, T, T, T)
#define VSS(name, T)               ROW(vss, name, T, T, T)
#define VVS(name, T)               ROW(vvs, name, T, T, T)
#define SSV(name, T)               ROW(ssv, name, T, T, T)
#define TEST1(name, T, I)          ROW(t1, name, T, T, T)
#define TEST2(name, T, I)          ROW(t2, name, T, T, T)
#include "test/accuracy/vectors.def"
#define SELECTION_ROW(name, T) {#name " of " #T, T_##T, T_##T, T_##T, name##_##T},
    EACH(SELECTION_ROW, select) EACH(SELECTION_ROW, shuffle) EACH_SIGNED(SELECTION_ROW, fold)};

/* --- geometry ------------------------------------------------------------------------------ */

/* Numbers of like size, from those whose squares vanish to those whose squares are infinite; some much smaller. */
static long double component(const Type *t, int exponent)
{
    const int below = random64() % 8 ? (int)(random64() % 6) : t->digits + 3;
    const long double v =
        ldexpl(1 + ldexpl((long double)(random64() >> 20), -44), exponent - below);
    const long double rounded = t->bytes == 4 ? (long double)(float)v : (long double)(double)v;
    return random64() % 2 ? rounded : -rounded;
}

static void put(const Type *t, void *at, long double v)
{
    if (t->bytes == 4)
        memcpy(at, &(float){(float)v}, sizeof(float));
    else
        memcpy(at, &(double){(double)v}, sizeof(double));
}

static long double get(const Type *t, const void *at)
{
    float f;
    double d;
    return t->bytes == 4 ? (memcpy(&f, at, sizeof f), (long double)f)
                         : (memcpy(&d, at, sizeof d), (long double)d);
}

/* within so many units of the last place of `size`, or of the smallest normal number */
static bool is_near(const Type *t, long double got, long double want, long double size, int units)
{
    const long double unit = ldexpl(fmaxl(size, ldexpl(1, t->least)), 1 - t->digits);
    const long double most = ldexpl(1, 1 - t->least);
    return fabsl(want) >= most ? isinf(got) || fabsl(got) > most / 2
                               : fabsl(got - want) <= units * unit;
}

static long double length_of(const long double *a, int n)
{
    long double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k] * a[k];
    return sqrtl(sum);
}

typedef void Geometry(const void *, const void *, void *, int);

/* What is made of vectors of zeros is 0 (OpenCL C, "Geometric Functions": normalize returns them). */
static int check_zeros(const Type *t, Geometry *run, int results)
{
    const uint8_t zeros[32] = {0};
    uint8_t r[20 * 8];
    int bad = 0;
    run(zeros, zeros, r, 1);
    for (int k = 0; k < results; k++)
        bad += get(t, r + k * t->bytes) != 0;
    return bad;
}

/* how many results are wrong; `fast`: there are those of the fast functions, too */
static int check_geometry(const Type *t, Geometry *run, int n, bool fast)
{
    const int results = (3 + n) + (fast ? 2 + n : 0);
    int bad = check_zeros(t, run, results);
    for (int round = 0; round < 3000; round++) {
        _Alignas(32) uint8_t x[32], y[32], r[20 * 8];
        long double a[4], b[4], c[4], got[20], dot = 0, sizes = 0;
        const int range = 1 - t->least,
                  exponent = (int)(random64() % (uint64_t)(2 * range - 12)) - range + 6;
        for (int k = 0; k < n; k++) {
            a[k] = component(t, exponent), b[k] = component(t, round % 3 ? exponent : -exponent);
            put(t, x + k * t->bytes, a[k]), put(t, y + k * t->bytes, b[k]);
            a[k] = get(t, x + k * t->bytes), b[k] = get(t, y + k * t->bytes);
            c[k] = a[k] - b[k], dot += a[k] * b[k], sizes += fabsl(a[k] * b[k]);
        }
        run(x, y, r, 1);
        for (int k = 0; k < results; k++)
            got[k] = get(t, r + k * t->bytes);
        const long double length = length_of(a, n), distance = length_of(c, n);
        bad += sizes < ldexpl(1, 1 - t->least) && !is_near(t, got[0], dot, sizes, 4);
        bad += !is_near(t, got[1], length, length, 3),
            bad += !is_near(t, got[2], distance, distance, 4);
        for (int k = 0; k < n; k++)
            bad += !is_near(t, got[3 + k], a[k] / length, fabsl(a[k] / length), 5);
        if (!fast || exponent < -30 || exponent > 30)
            continue;
        bad += !is_near(t, got[3 + n], length, length, 8),
            bad += !is_near(t, got[4 + n], distance, distance, 8);
        for (int k = 0; k < n; k++)
            bad += !is_near(t, got[5 + n + k], a[k] / length, fabsl(a[k] / length), 8);
    }
    return bad;
}

/* The product of three components, also as the first of four, of which the last is 0. */
static int check_cross(const Type *t, Geometry *run)
{
    int bad = 0;
    for (int round = 0; round < 3000; round++) {
        _Alignas(32) uint8_t x[32], y[32], r[7 * 8];
        long double a[3], b[3];
        const int exponent = (int)(random64() % 60) - 30;
        for (int k = 0; k < 3; k++) {
            a[k] = component(t, exponent), b[k] = round % 2 ? component(t, 0) : a[k] * 3;
            put(t, x + k * t->bytes, a[k]), put(t, y + k * t->bytes, b[k]);
            a[k] = get(t, x + k * t->bytes), b[k] = get(t, y + k * t->bytes);
        }
        run(x, y, r, 1);
        for (int k = 0; k < 3; k++) {
            const long double p = a[(k + 1) % 3] * b[(k + 2) % 3],
                              q = a[(k + 2) % 3] * b[(k + 1) % 3];
            const long double slack =
                fmaxl(fabsl(p - q), ldexpl(fabsl(p) + fabsl(q), t->bytes == 4 ? -t->digits : -9));
            bad += !is_near(t, get(t, r + k * t->bytes), p - q, slack, 3);
            bad += get(t, r + k * t->bytes) != get(t, r + (3 + k) * t->bytes);
        }
        bad += get(t, r + 6 * t->bytes) != 0;
    }
    return bad;
}

#define DECLARE_GEOMETRY(T)                                                                        \
    Geometry geometry_##T##1, geometry_##T##2, geometry_##T##3, geometry_##T##4, cross_##T;
DECLARE_GEOMETRY(float)
DECLARE_GEOMETRY(double)

static const struct {
    const char *name;
    int type, n; /* n: 0: the cross product */
    Geometry *run;
} geometry[] = {
#define GEOMETRY_ROW(T, n) {"geometry of " #T #n, T_##T, n, geometry_##T##n},
#define GEOMETRY_ROWS(T)                                                                           \
    GEOMETRY_ROW(T, 1)                                                                             \
    GEOMETRY_ROW(T, 2) GEOMETRY_ROW(T, 3) GEOMETRY_ROW(T, 4){"cross of " #T, T_##T, 0, cross_##T},
    GEOMETRY_ROWS(float) GEOMETRY_ROWS(double)};

static int check_all_geometry(void)
{
    int bad = 0;
    for (size_t k = 0; k < sizeof geometry / sizeof *geometry; k++) {
        const Type *t = &types[geometry[k].type];
        const int wrong = geometry[k].n
                              ? check_geometry(t, geometry[k].run, geometry[k].n, t->bytes == 4)
                              : check_cross(t, geometry[k].run);
        if (wrong)
            printf("FAIL %s: %d results are too far off\n", geometry[k].name, wrong);
        bad += wrong;
    }
    return bad;
}

int main(void)
{
    enum { COUNT = 96 };
    static _Alignas(16) uint8_t values[3][NTYPES][N * 8];
    int bad = 0;
    for (int k = 0; k < 3; k++)
        for (int t = 0; t < NTYPES; t++)
            fill(&types[t], values[k][t]);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        /* other parts of the lists, so that arguments are no pairs of equals; equals at last */
        for (int part = 0; part < 4; part++) {
            const uint8_t *a = values[0][rows[k].a], *b = values[1][rows[k].b],
                          *c = values[2][rows[k].c];
            const size_t from = (size_t)(part * 240),
                         other = part < 3 ? (size_t)(part * 311 + 17) : from;
            const int differ = rows[k].differ(a + from * (size_t)types[rows[k].a].bytes,
                                              b + other * (size_t)types[rows[k].b].bytes,
                                              c + other * (size_t)types[rows[k].c].bytes, COUNT);
            if (differ) {
                printf("FAIL %s: %d components of vectors are others\n", rows[k].name, differ);
                bad++;
                break;
            }
        }
    }
    if (check_all_geometry() || bad)
        return 1;
    printf("%zu functions of vectors\n", sizeof rows / sizeof *rows);
    return 0;
}
