/* values.h -- the scalar types of OpenCL C, and values of each: powers of 2 and what is next to them, halves between whole
 * numbers, ends of ranges, and any bits. */
#ifndef TEST_ACCURACY_VALUES_H
#define TEST_ACCURACY_VALUES_H
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { N = 1024 };
__extension__ typedef _Float16 Half;

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

/* --- arguments ------------------------------------------------------------------------------------ */

static inline uint64_t random64(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

static inline void put_real(const Type *t, uint8_t *at, double x)
{
    Word w = {.d = x};
    if (t->bytes == 2)
        w = (Word){.h = (Half)x};
    else if (t->bytes == 4)
        w = (Word){.f = (float)x};
    memcpy(at, &w, (size_t)t->bytes);
}

/* Powers of 2 and what is next to them, halves between them; then any bits. */
static inline void fill(const Type *t, uint8_t *x)
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

#endif
