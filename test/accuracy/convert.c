/* convert.c -- conversions of the device library, and vectors and halves in memory, compiled for the host.
 *
 * Every conversion, at the ends of the ranges of all types, at halves between whole numbers, and at random, is compared
 * with long double, which holds each of their values: rounded to a whole number, or to as many bits as the result has.
 * Without saturation, whole numbers wrap around; reals must be in range.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 1024 };
__extension__ typedef _Float16 Half;

float __ventus_exp(float x);
int __ventus_ftoi_rne(float x);
float __ventus_exp(float x) { return (float)exp(x); }
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }

_Static_assert(LDBL_MANT_DIG >= 64, "long double must hold every integer");

/* --- types and values ---------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    int bytes;
    char kind; /* i, u, f */
    int digits,
        least; /* of a real: bits of its significand, exponent of its smallest normal number */
} Type;

enum {
    T_char,
    T_uchar,
    T_short,
    T_ushort,
    T_int,
    T_uint,
    T_long,
    T_ulong,
    T_half,
    T_float,
    T_double,
    NTYPES
};
static const Type types[NTYPES] = {
    {"char", 1, 'i', 0, 0},      {"uchar", 1, 'u', 0, 0},       {"short", 2, 'i', 0, 0},
    {"ushort", 2, 'u', 0, 0},    {"int", 4, 'i', 0, 0},         {"uint", 4, 'u', 0, 0},
    {"long", 8, 'i', 0, 0},      {"ulong", 8, 'u', 0, 0},       {"half", 2, 'f', 11, -14},
    {"float", 4, 'f', 24, -126}, {"double", 8, 'f', 53, -1022},
};

typedef union {
    uint64_t bits;
    int64_t whole;
    Half h;
    float f;
    double d;
} Word;

static long double value_of(const Type *t, const void *at)
{
    Word w = {0};
    memcpy(&w, at, (size_t)t->bytes);
    if (t->kind == 'f')
        return t->bytes == 2   ? (long double)w.h
               : t->bytes == 4 ? (long double)w.f
                               : (long double)w.d;
    if (t->kind == 'u')
        return (long double)w.bits;
    const int unused = 64 - 8 * t->bytes;
    w.bits <<= unused;
    return (long double)(w.whole >> unused);
}

static long double lowest(const Type *t)
{
    return t->kind == 'i' ? -ldexpl(1, 8 * t->bytes - 1) : 0;
}
static long double highest(const Type *t) { return ldexpl(1, 8 * t->bytes - (t->kind == 'i')) - 1; }

/* --- the reference -------------------------------------------------------------------------------- */

static long double rounded(long double x, char mode)
{
    const long double down = floorl(x), up = ceill(x);
    switch (mode) {
    case 'Z': return x < 0 ? up : down;
    case 'P': return up;
    case 'M': return down;
    }
    if (x - down != up - x)
        return x - down < up - x ? down : up;
    return fmodl(down, 2) == 0 ? down : up;
}

static long double to_real(const Type *t, long double x, char mode)
{
    if (x == 0 || isnan(x) || isinf(x))
        return x;
    const int exponent = ilogbl(x) > t->least ? ilogbl(x) : t->least;
    const long double unit = ldexpl(1, exponent - t->digits + 1);
    const long double most = (2 - ldexpl(1, 1 - t->digits)) * ldexpl(1, 1 - t->least);
    const long double r = rounded(x / unit, mode) * unit;
    if (fabsl(r) > most) {
        const bool stays = mode == 'Z' || (mode == 'P' && x < 0) || (mode == 'M' && x > 0);
        return copysignl(stays ? most : INFINITY, x);
    }
    return copysignl(r, x);
}

/* False: any result will do. */
static bool reference(const Type *to, const Type *from, const void *at, bool saturates, char mode,
                      Word *want)
{
    const long double x = value_of(from, at);
    if (to->kind != 'f' && from->kind != 'f' && !saturates) {
        want->whole = from->kind == 'u' ? (int64_t)(uint64_t)x : (int64_t)x;
        return true;
    }
    if (to->kind == 'f') {
        const long double r = to_real(to, x, mode);
        if (to->bytes == 2)
            want->h = (Half)(double)r;
        else if (to->bytes == 4)
            want->f = (float)r;
        else
            want->d = (double)r;
        return true;
    }
    const long double whole = isnan(x) ? 0 : isinf(x) ? x : rounded(x, mode);
    if (!saturates && (isnan(x) || whole < lowest(to) || whole > highest(to)))
        return false;
    const long double held = fminl(fmaxl(whole, lowest(to)), highest(to));
    if (held < 0)
        want->whole = (int64_t)held;
    else
        want->bits = (uint64_t)held;
    return true;
}

static bool is_same(const Type *t, const void *got, const Word *want)
{
    if (t->kind == 'f' && isnan(value_of(t, want)))
        return isnan(value_of(t, got));
    return !memcmp(got, want, (size_t)t->bytes);
}

/* --- arguments ------------------------------------------------------------------------------------ */

static uint64_t random64(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

static void put_real(const Type *t, uint8_t *at, double x)
{
    Word w = {.d = x};
    if (t->bytes == 2)
        w = (Word){.h = (Half)x};
    else if (t->bytes == 4)
        w = (Word){.f = (float)x};
    memcpy(at, &w, (size_t)t->bytes);
}

/* Powers of 2 and what is next to them, halves between them; then any bits. */
static void fill(const Type *t, uint8_t *x)
{
    for (int i = 0; i < N; i++) {
        uint8_t *at = x + i * t->bytes;
        const uint64_t bits = i & 1 ? random64() : ((uint64_t)1 << i % 64) - 2 + random64() % 5;
        const uint64_t word = i < 256 ? (uint64_t)i << (8 * t->bytes - 8) : i & 2 ? bits : 0 - bits;
        memcpy(at, &word, (size_t)t->bytes);
        if (t->kind != 'f' || i % 4 == 3)
            continue;
        const double power = ldexp(1, i / 4 % 72 - 2),
                     near = power + (int)(random64() % 9 - 4) * 0.25;
        put_real(t, at, i & 1 ? near : -near);
        if (i & 2) /* just above, at, and just below it */
            put_real(t, at, nextafter(i & 1 ? power : -power, (double)(i % 3 - 1) * INFINITY));
    }
    static const double special[] = {0.0,
                                     -0.0,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     0.5,
                                     -0.5,
                                     1.5,
                                     2.5,
                                     -1.5,
                                     65504,
                                     65519.996,
                                     65520,
                                     1e-8,
                                     -1e-8,
                                     5.9604644775390625e-8,
                                     2.98023223876953125e-8,
                                     0x1p-149,
                                     0x1p-150,
                                     0x1.8p-150,
                                     FLT_MAX,
                                     0x1.ffffffp127,
                                     -0x1.fffffefffffffp127,
                                     DBL_MAX,
                                     DBL_MIN,
                                     0x1p-1074,
                                     1e300,
                                     -1e300};
    for (size_t i = 0; t->kind == 'f' && i < sizeof special / sizeof *special; i++)
        put_real(t, x + i * (size_t)t->bytes, special[i]);
}

/* --- all of them ------------------------------------------------------------------------------------ */

#define CONVERT(name, D, S, saturates, mode) void run_##name##_from_##S(const void *, void *, int);
#include "test/accuracy/convert.def"

static const struct {
    const char *name;
    const Type *to, *from;
    bool saturates;
    char mode;
    void (*run)(const void *, void *, int);
} rows[] = {
#define CONVERT(name, D, S, saturates, mode)                                                       \
    {"convert_" #name "(" #S ")", &types[T_##D], &types[T_##S], saturates, #mode[0],               \
     run_##name##_from_##S},
#include "test/accuracy/convert.def"
};

static int check(size_t k, const uint8_t *x)
{
    static _Alignas(16) uint8_t got[N * 8];
    const Type *to = rows[k].to, *from = rows[k].from;
    int bad = 0;
    rows[k].run(x, got, N);
    for (int i = 0; i < N; i++) {
        Word want = {0};
        if (!reference(to, from, x + i * from->bytes, rows[k].saturates, rows[k].mode, &want) ||
            is_same(to, got + i * to->bytes, &want) || bad++)
            continue;
        printf("FAIL %s of %La: %La, not %La\n", rows[k].name, value_of(from, x + i * from->bytes),
               value_of(to, got + i * to->bytes), value_of(to, &want));
    }
    return bad;
}

#define VECTOR(name, S) int vector_##name##_from_##S(const void *, int);
#define WIDTHS(M, name, more, S)                                                                   \
    M(name##2##more, S)                                                                            \
    M(name##3##more, S) M(name##4##more, S) M(name##8##more, S) M(name##16##more, S)
#define MODES(M, name, sat, S)                                                                     \
    WIDTHS(M, name, sat, S)                                                                        \
    WIDTHS(M, name, sat##_rte, S) WIDTHS(M, name, sat##_rtz, S) WIDTHS(M, name, sat##_rtp, S)      \
        WIDTHS(M, name, sat##_rtn, S)
#define VECTORS(M) MODES(M, short, , int) MODES(M, short, _sat, double) MODES(M, float, , double)
VECTORS(VECTOR)

/* halves, and all types, in memory */
#define STORE(name, T) int store_##name(const void *, int);
#define STORE_TYPE(M, T)                                                                           \
    M(T, T) M(T##_rte, T) M(T##_rtz, T) M(T##_rtp, T) M(T##_rtn, T) MODES(M, T, , T)
#define STORES(M) STORE_TYPE(M, float) STORE_TYPE(M, double)
STORES(STORE)
#define LOAD(n)  int load_##n(const void *, int);
#define LOADS(M) M() M(2) M(3) M(4) M(8) M(16)
LOADS(LOAD)
#define MEMORY(name, T) int memory_##name(const void *, int);
#define MEMORIES(M)                                                                                \
    WIDTHS(M, char, , char)                                                                        \
    WIDTHS(M, uchar, , uchar) WIDTHS(M, short, , short) WIDTHS(M, ushort, , ushort)                \
        WIDTHS(M, int, , int) WIDTHS(M, uint, , uint) WIDTHS(M, long, , long)                      \
            WIDTHS(M, ulong, , ulong) WIDTHS(M, float, , float) WIDTHS(M, double, , double)
MEMORIES(MEMORY)

static const struct {
    const char *name;
    int from;
    int (*differ)(const void *, int);
} vectors[] = {
#define VECTOR_ROW(name, S) {"convert_" #name, T_##S, vector_##name##_from_##S},
#define STORE_ROW(name, T)  {"vstore_half of " #name, T_##T, store_##name},
#define LOAD_ROW(n)         {"vload_half" #n, T_half, load_##n},
#define MEMORY_ROW(name, T) {"vload and vstore of " #name, T_##T, memory_##name},
    VECTORS(VECTOR_ROW) STORES(STORE_ROW) LOADS(LOAD_ROW) MEMORIES(MEMORY_ROW)};

int main(void)
{
    static _Alignas(16) uint8_t x[NTYPES][N * 8];
    int bad = 0;
    for (int t = 0; t < NTYPES; t++)
        fill(&types[t], x[t]);
    for (size_t k = 0; k < sizeof rows / sizeof *rows && bad < 1000; k++)
        bad += check(k, x[rows[k].from - types]);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if (vectors[k].differ(x[vectors[k].from], N)) {
            printf("FAIL %s is another than by components\n", vectors[k].name);
            bad++;
        }
    if (bad)
        return 1;
    printf("%zu conversions\n", sizeof rows / sizeof *rows + sizeof vectors / sizeof *vectors);
    return 0;
}
