/* fp16.c -- errors of the device library's functions of half, in units in the last place.
 *
 *      fp16 [COUNT [NAME...]]
 *
 * The library, compiled for the host, is compared with the host's double.  Functions of one
 * argument get every half, others all pairs of special values and COUNT pseudo-random ones.  Prints
 * a table, and fails if a bound is exceeded, or infinities, NaN or signs of zero differ.
 */
#include "test/accuracy/reference.h"
#include "test/accuracy/row.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096, ALL = 1 << 16 };
#define LOOSE HUGE_VAL

float __ventus_exp(float x);
int __ventus_ftoi_rne(float x);
float __ventus_exp(float x) { return (float)exp((double)x); }
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }

/* --- halves ---------------------------------------------------------------------------------- */

static double value_of(uint16_t h)
{
    const int e = h >> 10 & 31, f = h & 0x3ff;
    const double a = e == 31 ? (f ? NAN : INFINITY) : e ? ldexp(0x400 | f, e - 25) : ldexp(f, -24);
    return h & 0x8000 ? -a : a;
}

/* the half with that value, which must be one */
static uint16_t bits_of(double x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double a = fabs(x);
    if (!(a < INFINITY))
        return sign | (a > 0 ? 0x7c00 : 0x7e00);
    if (a < 0x1p-14)
        return sign | (uint16_t)ldexp(a, 24);
    const int e = ilogb(a);
    return (uint16_t)(sign + ((e + 14) << 10) + (int)ldexp(a, 10 - e));
}

/* as integers whose order is that of the values */
static double ref_nexthalf(double x, double y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    if (x == y)
        return y;
    if (x == 0)
        return copysign(0x1p-24, y);
    return value_of((uint16_t)(bits_of(x) + ((x < y) == (x > 0) ? 1 : -1)));
}

/* the distance of halves near x; that of denormals at the lower end */
static double ulp(double x)
{
    int e;
    frexp(x, &e);
    return ldexp(1, (e < -13 ? -13 : e > 16 ? 16 : e) - 11);
}

/* --- the table of functions ------------------------------------------------------------------ */

typedef struct {
    const char *name;
    double bound, (*one)(double), (*two)(double, double), (*mix)(double, int);
    void (*run1)(const uint16_t *, uint16_t *, int);
    void (*run2)(const uint16_t *, const uint16_t *, uint16_t *, int);
    void (*run_mix)(const uint16_t *, const int *, uint16_t *, int);
} Function;

#define ONE(name, ...) void run_h_##name(const uint16_t *, uint16_t *, int);
#define TWO(name, ...) void run_h_##name(const uint16_t *, const uint16_t *, uint16_t *, int);
#define MIX(name, ...) void run_h_##name(const uint16_t *, const int *, uint16_t *, int);
#include "test/accuracy/fp16.def"

static const Function functions[] = {
#define ONE(f, ulps, ref) {.name = #f, .bound = ulps, .one = ref, .run1 = run_h_##f},
#define TWO(f, ulps, ref) {.name = #f, .bound = ulps, .two = ref, .run2 = run_h_##f},
#define MIX(f, ulps, ref) {.name = #f, .bound = ulps, .mix = ref, .run_mix = run_h_##f},
#include "test/accuracy/fp16.def"
};

/* --- errors ---------------------------------------------------------------------------------- */

/* Infinite for a wrong class of number.  Infinity counts as 2^16. */
static double error_of(double got, double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : HUGE_VAL;
    if (isinf(got) && fabs(want) >= 65520 && signbit(got) == signbit(want))
        return 0;
    if (got == 0 && want == 0)
        return !signbit(got) != !signbit(want) ? HUGE_VAL : 0;
    if (fabs(want) > 0x1p17)
        want = copysign(0x1p16, want);
    const double g = isinf(got) ? copysign(0x1p16, got) : got;
    return isinf(got) && fabs(want) < 0x1p15 ? HUGE_VAL : fabs(g - want) / ulp(want);
}

typedef struct {
    double error, x, y, got, want;
    uint64_t count;
} Worst;

/* bound 0 asks for the nearest half; of 0 and -0 either is the greater */
static void look(Worst *w, const Function *f, double x, double y, double got, double want)
{
    const bool any_zero = f->two == ref_maxmag || f->two == ref_minmag;
    double e = error_of(got, want);
    if ((any_zero && got == want) || (f->bound == 0 && e <= 0.5))
        e = 0;
    if (!w->count++ || e > w->error)
        *w = (Worst){e, x, y, got, want, w->count};
}

/* --- arguments ------------------------------------------------------------------------------- */

static const uint16_t special[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3555, 0x3800, 0xb800, 0x3bff,
    0x3c00, 0xbc00, 0x3c01, 0x3e00, 0xc100, 0x4000, 0xc000, 0x4200, 0xc200, 0x4248, 0x4b00,
    0x6400, 0x6401, 0x67ff, 0x6800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
};
enum { SPECIALS = sizeof special / sizeof *special };

static uint64_t random64(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

static int whole_of(uint16_t h)
{
    const double y = value_of(h);
    return isnan(y) ? 5 : isinf(y) ? (y > 0 ? INT32_MAX : INT32_MIN) : (int)y;
}

static void sweep_one(const Function *f, Worst *w)
{
    static uint16_t x[ALL], r[ALL];
    for (int i = 0; i < ALL; i++)
        x[i] = (uint16_t)i;
    f->run1(x, r, ALL);
    for (int i = 0; i < ALL; i++)
        look(w, f, value_of(x[i]), 0, value_of(r[i]), f->one(value_of(x[i])));
}

/* any bits; of like size; whole exponents */
static void sweep_pairs(const Function *f, uint64_t count, Worst *w)
{
    static uint16_t x[BATCH], y[BATCH], r[BATCH];
    static int k[BATCH];
    uint64_t seed = 88172645463325252u;
    for (uint64_t done = 0; done < count + SPECIALS * SPECIALS; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            const uint64_t at = done + (uint64_t)i, any = random64(&seed);
            x[i] = at < SPECIALS * SPECIALS ? special[at / SPECIALS] : (uint16_t)any;
            y[i] = at < SPECIALS * SPECIALS ? special[at % SPECIALS] : (uint16_t)(any >> 16);
            if (at >= SPECIALS * SPECIALS && any >> 32 & 1)
                y[i] = (uint16_t)((x[i] & 0x7c00) ^ (y[i] & 0x87ff));
            k[i] = any >> 33 & 1 ? (int)(any >> 40) % 40 - 20 : whole_of(y[i]);
        }
        if (f->run2)
            f->run2(x, y, r, BATCH);
        else
            f->run_mix(x, k, r, BATCH);
        for (int i = 0; i < BATCH; i++) {
            const double a = value_of(x[i]), b = f->run2 ? value_of(y[i]) : k[i];
            look(w, f, a, b, value_of(r[i]), f->run2 ? f->two(a, b) : f->mix(a, k[i]));
        }
    }
}

static bool measure(const Function *f, uint64_t count)
{
    Worst w = {0};
    if (f->run1)
        sweep_one(f, &w);
    else
        sweep_pairs(f, count, &w);
    const bool good = w.error <= f->bound;
    print_row(f->name, f->bound, w.error, 4, w.x, f->run1 ? NULL : &w.y);
    if (!good)
        printf("    %a, should be %a\n", w.got, w.want);
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
    bool good = count > 0;
    printf("| function | bound | measured | at |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; count && i < sizeof functions / sizeof *functions; i++) {
        bool named = argc < 3;
        for (int k = 2; k < argc; k++)
            named |= !strcmp(argv[k], functions[i].name);
        if (named)
            good &= measure(&functions[i], count);
    }
    return !good;
}
