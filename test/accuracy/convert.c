/* convert.c -- conversions of the device library, and vectors and halves in memory, compiled for the host.
 *
 * Every conversion, at the ends of the ranges of all types, at halves between whole numbers, and at random, is compared
 * with long double, which holds each of their values: rounded to a whole number, or to as many bits as the result has.
 * Without saturation, whole numbers wrap around; reals must be in range.
 */
#include "test/accuracy/values.h"
#include <stdio.h>

float __ventus_exp(float x);
int __ventus_ftoi_rne(float x);
float __ventus_exp(float x) { return (float)exp(x); }
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }

_Static_assert(LDBL_MANT_DIG >= 64, "long double must hold every integer");

/* --- values ------------------------------------------------------------------------------ */

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
    WIDTHS(M, name, sat##_rte, S)                                                                  \
    WIDTHS(M, name, sat##_rtz, S) WIDTHS(M, name, sat##_rtp, S) WIDTHS(M, name, sat##_rtn, S)
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
    WIDTHS(M, uchar, , uchar)                                                                      \
    WIDTHS(M, short, , short) WIDTHS(M, ushort, , ushort) WIDTHS(M, int, , int)                    \
        WIDTHS(M, uint, , uint) WIDTHS(M, long, , long) WIDTHS(M, ulong, , ulong)                  \
            WIDTHS(M, float, , float) WIDTHS(M, double, , double)
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
