/* double.c -- errors of the device library's functions of double, in units in the last place.
 *
 *      double [COUNT [NAME...]]
 *      double --names | --write X Y | --compare NAME X Y R
 *
 * The library, compiled for the host, is compared with the host's long double, which has eleven
 * bits more. Each function gets COUNT arguments: any bits, numbers of middling size, near whole and
 * half numbers and near 1; and special values.  Prints a table, and fails if a bound is exceeded,
 * or infinities, NaN or signs of zero differ.
 *
 * The library computes with integers, so a kernel must give the same bits.  --write makes files of
 * arguments, --compare looks at what a kernel made of them; test/script/devlib_test.sh runs the
 * kernels.
 */
#include "test/accuracy/row.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1024 };
/* lgamma, for which the standard sets no bound: ours are of the result, or of 1 for smaller ones */
#define LOOSE HUGE_VAL
static const long double POSITIVE_ULPS = 2, NEGATIVE_ULPS = 100;
static const long double PI = 3.14159265358979323846264338327950288L;

int __ventus_ftoi_rne(float x);
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }
float __ventus_exp(float x);
float __ventus_exp(float x) { return (float)exp((double)x); }

/* --- references ------------------------------------------------------------------------------- */

static long double ref_sinpi(long double x)
{
    const long double y = remainderl(x, 2), a = fabsl(y), s = sinl(PI * fminl(a, 1 - a));
    return isnan(y) ? NAN : copysignl(s, s == 0 ? x : y);
}

static long double ref_cospi(long double x)
{
    const long double d = 0.5L - fabsl(remainderl(x, 2));
    return d == 0 ? 0 : sinl(PI * d);
}

static long double ref_tanpi(long double x) { return ref_sinpi(x) / ref_cospi(x); }
static long double ref_acospi(long double x) { return acosl(x) / PI; }
static long double ref_asinpi(long double x) { return asinl(x) / PI; }
static long double ref_atanpi(long double x) { return atanl(x) / PI; }
static long double ref_atan2pi(long double y, long double x) { return atan2l(y, x) / PI; }
static long double ref_degrees(long double x) { return x * (180 / PI); }
static long double ref_radians(long double x) { return x * (PI / 180); }
static long double ref_rsqrt(long double x) { return 1 / sqrtl(x); }
static long double ref_exp10(long double x) { return powl(10, x); }
static long double ref_nextafter(long double x, long double y)
{
    return (long double)nextafter((double)x, (double)y);
}
static long double ref_pown(long double x, int n) { return powl(x, n); }

static long double ref_maxmag(long double x, long double y)
{
    return fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y);
}

static long double ref_minmag(long double x, long double y)
{
    return fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y);
}

static long double ref_powr(long double x, long double y)
{
    const bool undefined = isnan(x) || isnan(y) || x < 0 || (x == 0 && y == 0) ||
                           (x == 1 && isinf(y)) || (isinf(x) && y == 0);
    return undefined ? NAN : powl(fabsl(x), y);
}

static long double ref_rootn(long double x, int n)
{
    if (n == 0 || (x < 0 && !(n & 1)))
        return NAN;
    const long double r = powl(fabsl(x), 1.0L / n);
    return n & 1 ? copysignl(r, x) : r;
}

/* --- the table of functions -------------------------------------------------------------- */

typedef struct {
    const char *name;
    double bound;
    long double (*one)(long double), (*two)(long double, long double), (*mix)(long double, int);
    void (*run1)(const double *, double *, int);
    void (*run2)(const double *, const double *, double *, int);
    void (*run_mix)(const double *, const int *, double *, int);
} Function;

#define ONE(name, ...) void run_d_##name(const double *, double *, int);
#define TWO(name, ...) void run_d_##name(const double *, const double *, double *, int);
#define MIX(name, ...) void run_d_##name(const double *, const int *, double *, int);
#include "test/accuracy/double.def"

static const Function functions[] = {
#define ONE(f, ulps, ref) {.name = #f, .bound = ulps, .one = ref, .run1 = run_d_##f},
#define TWO(f, ulps, ref) {.name = #f, .bound = ulps, .two = ref, .run2 = run_d_##f},
#define MIX(f, ulps, ref) {.name = #f, .bound = ulps, .mix = ref, .run_mix = run_d_##f},
#include "test/accuracy/double.def"
};

/* --- error of one result ----------------------------------------------------------------- */

static long double ulp(long double x)
{
    int e;
    frexpl(x, &e);
    return ldexpl(1, (e < -1021 ? -1021 : e > 1024 ? 1024 : e) - 53);
}

/* Infinite for a wrong class of number.  Infinity counts as 2^1024. */
static double error_of(double got, long double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : HUGE_VAL;
    if (got == (double)want && isinf(got))
        return 0;
    if (got == 0 && want == 0)
        return !signbit(got) != !signbit(want) ? HUGE_VAL : 0;
    if (fabsl(want) > 0x1p1025L)
        want = copysignl(0x1p1024L, want);
    const long double g = isinf(got) ? copysignl(0x1p1024L, got) : got;
    return isinf(got) && fabsl(want) < 0x1p1023L ? HUGE_VAL : (double)(fabsl(g - want) / ulp(want));
}

typedef struct {
    double error, x, y, got;
    long double want;
    uint64_t count;
    bool too_loose;
} Worst;

static void look(Worst *w, const Function *f, double x, double y, double got, long double want)
{
    const bool any_zero =
        f->two == ref_maxmag || f->two == ref_minmag; /* of 0 and -0 either is the greater */
    double e = error_of(got, want);
    if ((any_zero && got == (double)want) || (f->bound == 0 && (e <= 0.5 || got == (double)want)))
        e = e == HUGE_VAL && !any_zero ? e : 0;
    const long double size = fmaxl(fabsl(want), 1);
    const bool too_loose = isinf(f->bound) && !(e * ulp(want) <= (x > 0 ? POSITIVE_ULPS : NEGATIVE_ULPS) * ulp(size));
    if (!w->count++ || (too_loose && !w->too_loose) || (too_loose == w->too_loose && e > w->error))
        *w = (Worst){e, x, y, got, want, w->count, too_loose};
}

/* --- arguments --------------------------------------------------------------------------- */

static const double special[] = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.5,
    -0.5,
    1.5,
    -2.5,
    INFINITY,
    -INFINITY,
    NAN,
    DBL_MAX,
    -DBL_MAX,
    DBL_MIN,
    -DBL_MIN,
    0x1p-1074,
    -0x1p-1074,
    0x1p-1023,
    0x1.fffffffffffffp-1,
    0x1.0000000000001p0,
    0x1p52,
    0x1.0000000000001p52,
    0x1p53,
    -0x1p53,
    0x1.fffffffffffffp52,
    1023.0,
    1024.0,
    -1022.0,
    -1074.0,
    -1075.0,
    0x1p31,
    -0x1p31,
    709.7,
    -745.2,
    0x1p64,
    0x1p-64,
    0x1p1021,
    171.6,
    8.0,
    27.0,
    1e22,
    0x1.921fb54442d18p0,
    0x1.921fb54442d18p1,
    0x1.6ac5b262ca1ffp849,
    4.0,
    6.0,
    10.0,
    0.1,
    100.0,
};
enum { SPECIALS = sizeof special / sizeof *special };

static uint64_t random64(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double argument(uint64_t *s)
{
    const uint64_t a = random64(s), b = random64(s);
    const double middling =
        from_bits((a & 0x800fffffffffffff) | (uint64_t)(1023 - 12 + (int)(b >> 8) % 24) << 52);
    switch (b & 7) {
    case 0: return from_bits(a);
    case 1: return 1 + ldexp((double)(int64_t)a, -64 - (int)(b >> 8 & 31));
    case 2: return rint(middling) / 2;
    case 3: return rint(middling) + ldexp((double)(int64_t)a, -64 - (int)(b >> 8 & 31));
    case 4:
        return from_bits((a & 0x800fffffffffffff) | (uint64_t)(1023 - 60 + (int)(b >> 8) % 62)
                                                        << 52);
    case 5: return (double)(int64_t)a / 0x1p63 * 750; /* where exponentials end */
    default: return middling;
    }
}

static void measure_pairs(const Function *f, uint64_t n, uint64_t *seed, Worst *w)
{
    static double x[BATCH], y[BATCH], r[BATCH];
    static int k[BATCH];
    for (uint64_t done = 0; done < n + SPECIALS * SPECIALS; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            const uint64_t at = done + (uint64_t)i;
            x[i] = at < SPECIALS * SPECIALS ? special[at / SPECIALS] : argument(seed);
            y[i] = at < SPECIALS * SPECIALS ? special[at % SPECIALS] : argument(seed);
            if (random64(seed) % 4 == 0 && at >= SPECIALS * SPECIALS)
                y[i] = x[i] * ldexp(1 + (double)(int64_t)random64(seed) * 0x1p-65,
                                    (int)(random64(seed) % 9) - 4);
            k[i] = isnan(y[i])      ? 5
                   : y[i] >= 0x1p31 ? INT32_MAX
                   : y[i] < -0x1p31 ? INT32_MIN
                                    : (int)y[i];
        }
        if (f->run1)
            f->run1(x, r, BATCH);
        else if (f->run2)
            f->run2(x, y, r, BATCH);
        else
            f->run_mix(x, k, r, BATCH);
        for (int i = 0; i < BATCH; i++)
            look(w, f, x[i], f->run_mix ? k[i] : y[i], r[i],
                 f->one   ? f->one(x[i])
                 : f->two ? f->two(x[i], y[i])
                          : f->mix(x[i], k[i]));
    }
}

static bool measure(const Function *f, uint64_t n)
{
    Worst w = {0};
    uint64_t seed = 88172645463325252u;
    measure_pairs(f, n, &seed, &w);
    const bool good = w.error <= f->bound && !w.too_loose;
    print_row(f->name, f->bound, w.error, 3, w.x, f->run1 ? NULL : &w.y);
    if (!good)
        printf("    %a, should be %La\n", w.got, w.want);
    fflush(stdout);
    return good;
}

/* --- the same on the device -------------------------------------------------------------- */

enum { ON_DEVICE = 4096 };

static bool transfer(const char *file, const char *mode, double *x)
{
    FILE *f = fopen(file, mode);
    const size_t n = !f             ? 0
                     : *mode == 'r' ? fread(x, sizeof *x, ON_DEVICE, f)
                                    : fwrite(x, sizeof *x, ON_DEVICE, f);
    if (f && !fclose(f) && n == ON_DEVICE)
        return true;
    fprintf(stderr, "double: %s: cannot transfer it\n", file);
    return false;
}

static bool write_arguments(char **files)
{
    static double x[ON_DEVICE], y[ON_DEVICE];
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < ON_DEVICE; i++) {
        x[i] = i < SPECIALS * SPECIALS ? special[i / SPECIALS] : argument(&seed);
        y[i] = i < SPECIALS * SPECIALS ? special[i % SPECIALS] : argument(&seed);
    }
    return transfer(files[0], "wb", x) && transfer(files[1], "wb", y);
}

static bool compare(const Function *f, char **files)
{
    static double x[ON_DEVICE], y[ON_DEVICE], got[ON_DEVICE], want[ON_DEVICE];
    static int k[ON_DEVICE];
    int differ = 0;
    if (!transfer(files[0], "rb", x) || !transfer(files[1], "rb", y) ||
        !transfer(files[2], "rb", got))
        return false;
    for (int i = 0; i < ON_DEVICE; i++)
        k[i] = isnan(y[i])      ? 0
               : y[i] >= 0x1p31 ? INT32_MAX
               : y[i] < -0x1p31 ? INT32_MIN
                                : (int)y[i];
    if (f->run1)
        f->run1(x, want, ON_DEVICE);
    else if (f->run2)
        f->run2(x, y, want, ON_DEVICE);
    else
        f->run_mix(x, k, want, ON_DEVICE);
    for (int i = 0; i < ON_DEVICE; i++) {
        /* the host's own instructions keep the bits of a NaN and may choose either zero */
        const bool alike = (isnan(got[i]) && isnan(want[i])) ||
                           ((f->two == ref_maxmag || f->two == ref_minmag) && got[i] == want[i]);
        if (memcmp(&got[i], &want[i], sizeof *got) && !alike && differ++ < 3)
            printf("%s(%a, %a) is %a, on the host %a\n", f->name, x[i], y[i], got[i], want[i]);
    }
    return !differ;
}

static bool device(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--write"))
        return write_arguments(argv + 2);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!strcmp(argv[1], "--names"))
            puts(functions[i].name);
        else if (argc == 6 && !strcmp(argv[2], functions[i].name))
            return compare(&functions[i], argv + 3);
    }
    return !strcmp(argv[1], "--names");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strncmp(argv[1], "--", 2))
        return !device(argc, argv);
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 20000;
    bool good = n > 0;
    printf("| function | bound | measured | at |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; n && i < sizeof functions / sizeof *functions; i++) {
        bool named = argc < 3;
        for (int k = 2; k < argc; k++)
            named |= !strcmp(argv[k], functions[i].name);
        if (named)
            good &= measure(&functions[i], n);
    }
    return !good;
}
