/* accuracy.c -- errors of the device library's mathematical functions, in units in the last place.
 *
 *      accuracy [STEP [NAME...]]
 *      accuracy --names | --write X Y | --compare NAME X Y R
 *
 * The library, compiled for the host, is compared with the host's double precision, whose own error is below
 * 2^-20 of a float's last place.  Functions of one argument get every STEP-th float (1: all
 * of them); others pseudo-random pairs, and all pairs of special values.  Prints a table, and fails
 * if a bound is exceeded, or infinities, NaN or signs of zero differ.
 *
 * The machine's arithmetic is the host's, so a kernel must give the same bits.  --write makes files of arguments,
 * --compare looks at what a kernel made of them; test/script/devlib_test.sh runs the kernels.
 */
#include "test/accuracy/reference.h"
#include "test/accuracy/row.h"
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096, PAIRS = 4000000 };
/* the standard sets no bound: ours is that of the functions half_, of the result, or of 1 for smaller ones; lgamma is
 * better, and of positive arguments near its zeros, too */
#define LOOSE HUGE_VAL
static const double LOOSE_ULPS = 8192, LGAMMA_ULPS = 16, LGAMMA_POSITIVE_ULPS = 4;

/* --- what the lowering gives the library on the machine ---------------------------------- */

float __ventus_exp(float x);
int __ventus_ftoi_rne(float x);
float __ventus_exp(float x) { return (float)exp(x); }
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }

/* the last step of floats */
static double ref_nextafter(double x, double y) { return nextafterf((float)x, (float)y); }

/* --- the table of functions -------------------------------------------------------------- */

typedef struct {
    const char *name;
    double bound, (*one)(double), (*two)(double, double), (*mix)(double, int);
    void (*run1)(const float *, float *, int);
    void (*run2)(const float *, const float *, float *, int);
    void (*run_mix)(const float *, const int *, float *, int);
    float least, greatest;
} Function;

#define ONE(name, ...) void run_##name(const float *, float *, int);
#define TWO(name, ...) void run_##name(const float *, const float *, float *, int);
#define MIX(name, ...) void run_##name(const float *, const int *, float *, int);
#include "test/accuracy/accuracy.def"
#define OWN(name) void run_own_##name(const float *, float *, int);
OWN(floor) OWN(ceil) OWN(trunc) OWN(rint) OWN(round)

static const Function functions[] = {
#define ONE(f, ulps, ref, low, high) \
    { .name = #f, .bound = ulps, .one = ref, .run1 = run_##f, .least = low, .greatest = high },
#define TWO(f, ulps, ref) { .name = #f, .bound = ulps, .two = ref, .run2 = run_##f },
#define MIX(f, ulps, ref) { .name = #f, .bound = ulps, .mix = ref, .run_mix = run_##f },
#include "test/accuracy/accuracy.def"
#undef OWN
#define OWN(f) { .name = "__ventus_" #f "f", .bound = 0, .one = f, .run1 = run_own_##f, .greatest = INFINITY },
    OWN(floor) OWN(ceil) OWN(trunc) OWN(rint) OWN(round)
};

/* --- error of one result ----------------------------------------------------------------- */

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* the distance of floats near x; that of denormals at the lower end */
static double ulp(double x)
{
    int e;
    frexp(x, &e);
    return ldexp(1.0, (e < -125 ? -125 : e > 128 ? 128 : e) - 24);
}

/* Infinite for a wrong class of number.  Infinity counts as 2^128, so that results may overflow early by as
 * little as others may be wrong. */
static double error_of(float got, double want)
{
    if (want != want || got != got)
        return want != want && got != got ? 0 : HUGE_VAL;
    if (got == (float)want && isinf(got))
        return 0;
    if (got == 0 && want == 0)
        return !signbit(got) != !signbit(want) ? HUGE_VAL : 0;
    if (fabs(want) > 0x1p129)
        want = copysign(0x1p128, want);
    double g = isinf(got) ? copysign(0x1p128, got) : got;
    return isinf(got) && fabs(want) < 0x1p127 ? HUGE_VAL : fabs(g - want) / ulp(want);
}

typedef struct {
    double error, want;
    float x, y, got;
    uint64_t count;
    bool too_loose;
} Worst;

/* of 0 and -0 either is the greater */
static bool any_zero(const Function *f) { return f->two == ref_maxmag || f->two == ref_minmag; }

static bool is_too_loose(const Function *f, float x, double error, double want)
{
    const double e = error * ulp(want), near = ulp(fmax(fabs(want), 1));
    if (f->one != lgamma)
        return !(e <= LOOSE_ULPS * near);
    return !(x > 0 ? error <= LGAMMA_POSITIVE_ULPS : e <= LGAMMA_ULPS * near);
}

/* bound 0 asks for the nearest float */
static void look(Worst *w, const Function *f, float x, float y, float got, double want)
{
    double e = error_of(got, want);

    if (got == want && any_zero(f))
        e = 0;
    if (f->bound == 0 && e <= 0.5)
        e = 0;
    const bool too_loose = isinf(f->bound) && is_too_loose(f, x, e, want);
    w->count++;
    if ((too_loose && !w->too_loose) || (too_loose == w->too_loose && e > w->error) || w->count == 1)
        *w = (Worst){ e, want, x, y, got, w->count, too_loose };
}

/* --- sweeps ------------------------------------------------------------------------------ */

static void sweep_one(const Function *f, uint64_t step, Worst *w)
{
    float x[BATCH], r[BATCH];
    uint64_t bits = 0;

    while (bits < 1ull << 32) {
        int n = 0;
        for (; n < BATCH && bits < 1ull << 32; bits += step) {
            float v = from_bits((uint32_t)bits);
            if (v != v || (fabsf(v) >= f->least && fabsf(v) <= f->greatest))
                x[n++] = v;
        }
        f->run1(x, r, n);
        for (int i = 0; i < n; i++)
            look(w, f, x[i], 0, r[i], f->one(x[i]));
    }
}

static const float special[] = {
    0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 3.0f, -3.0f, 0.5f, -0.5f, 1.5f, -2.5f, INFINITY, -INFINITY, NAN,
    FLT_MAX, -FLT_MAX, FLT_MIN, -FLT_MIN, 0x1p-149f, -0x1p-149f, 0x1p-127f, 0x1.fffffep-1f, 0x1.000002p0f,
    0x1p23f, 0x1.000002p23f, 0x1p24f, -0x1p24f, 0x1.fffffep23f, -0x1.fffffep23f, 127.0f, 128.0f, -126.0f, -149.0f,
    -150.0f, 0x1p31f, -0x1p31f, 88.7f, 0x1p64f, 0x1p-64f, 0x1p125f, 0x1.8p126f,
};
enum { SPECIALS = sizeof special / sizeof *special };

static void sweep_special(const Function *f, Worst *w)
{
    for (int i = 0; f->run1 && i < SPECIALS; i++) {
        float r;
        if (fabsf(special[i]) > f->greatest || fabsf(special[i]) < f->least)
            continue;
        f->run1(&special[i], &r, 1);
        look(w, f, special[i], 0, r, f->one(special[i]));
    }
    for (int i = 0; !f->run1 && i < SPECIALS * SPECIALS; i++) {
        float x = special[i / SPECIALS], y = special[i % SPECIALS], r;
        int k = y != y ? 5 : y >= 0x1p31f ? INT32_MAX : y < -0x1p31f ? INT32_MIN : (int)y;
        if (f->run2) {
            f->run2(&x, &y, &r, 1);
            look(w, f, x, y, r, f->two(x, y));
        } else {
            f->run_mix(&x, &k, &r, 1);
            look(w, f, x, (float)k, r, f->mix(x, k));
        }
    }
}

static uint64_t random64(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

/* any bits; both of middling size; near 1 with a large partner; of like size */
static void random_pair(uint64_t *s, float *x, float *y)
{
    uint64_t a = random64(s), b = random64(s);
    uint32_t p = (uint32_t)a, q = (uint32_t)(a >> 32);

    switch (b & 3) {
    case 1: p = (p & 0x87ffffff) | 0x38000000; q = (q & 0x87ffffff) | 0x38000000; break;
    case 2: p = 0x3f800000 + (p & 0xffffff) - 0x800000; q = (q & 0x8fffffff) | 0x40000000; break;
    case 3: q = (p & 0x7f800000) + (q & 0x80ffffff); break;
    }
    *x = from_bits(p);
    *y = from_bits(q);
}

static int whole_of(float y, uint64_t r)
{
    return fabsf(y) < 0x1p31f && (r & 1) ? (int)y : r & 2 ? (int)(r >> 32) : (int)(r >> 32) % 200;
}

static void sweep_pairs(const Function *f, uint64_t step, Worst *w)
{
    static float x[BATCH], y[BATCH], r[BATCH];
    static int k[BATCH];
    uint64_t seed = 88172645463325252u, pairs = step == 1 ? 100 * (uint64_t)PAIRS : PAIRS;

    for (uint64_t done = 0; done < pairs; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            random_pair(&seed, &x[i], &y[i]);
            k[i] = whole_of(y[i], random64(&seed));
        }
        if (f->run2)
            f->run2(x, y, r, BATCH);
        else
            f->run_mix(x, k, r, BATCH);
        for (int i = 0; i < BATCH; i++)
            look(w, f, x[i], f->run2 ? y[i] : (float)k[i], r[i], f->run2 ? f->two(x[i], y[i]) : f->mix(x[i], k[i]));
    }
}

static bool measure(const Function *f, uint64_t step)
{
    Worst w = { 0 };

    sweep_special(f, &w);
    if (f->run1)
        sweep_one(f, step, &w);
    else
        sweep_pairs(f, step, &w);
    bool good = w.error <= f->bound && !w.too_loose;
    print_row(f->name, f->bound, w.error, 3, w.x, f->run1 ? NULL : &(double){w.y});
    if (!good)
        printf("    %a, should be %a\n", w.got, w.want);
    fflush(stdout);
    return good;
}

/* --- the same on the device -------------------------------------------------------------- */

static void fill_arguments(float *x, float *y)
{
    uint64_t seed = 88172645463325252u;

    for (int i = 0; i < BATCH; i++) {
        random_pair(&seed, &x[i], &y[i]);
        if (i < SPECIALS * SPECIALS)
            x[i] = special[i / SPECIALS], y[i] = special[i % SPECIALS];
    }
}

static bool transfer(const char *file, const char *mode, float *x)
{
    FILE *f = fopen(file, mode);
    size_t n = !f ? 0 : *mode == 'r' ? fread(x, sizeof *x, BATCH, f) : fwrite(x, sizeof *x, BATCH, f);

    if (!f || n != BATCH || fclose(f) != 0) {
        fprintf(stderr, "accuracy: %s: cannot transfer it\n", file);
        return false;
    }
    return true;
}

static bool write_arguments(char **files)
{
    static float x[BATCH], y[BATCH];
    fill_arguments(x, y);
    return transfer(files[0], "wb", x) && transfer(files[1], "wb", y);
}

static int saturated(float y) { return y != y ? 0 : y >= 0x1p31f ? INT32_MAX : y < -0x1p31f ? INT32_MIN : (int)y; }

static bool compare(const Function *f, char **files)
{
    static float x[BATCH], y[BATCH], got[BATCH], want[BATCH];
    static int k[BATCH];
    int differ = 0;

    if (!transfer(files[0], "rb", x) || !transfer(files[1], "rb", y) || !transfer(files[2], "rb", got))
        return false;
    for (int i = 0; i < BATCH; i++)
        k[i] = saturated(y[i]);
    if (f->run1)
        f->run1(x, want, BATCH);
    else if (f->run2)
        f->run2(x, y, want, BATCH);
    else
        f->run_mix(x, k, want, BATCH);
    for (int i = 0; i < BATCH; i++) {
        bool nans = got[i] != got[i] && want[i] != want[i], zeros = any_zero(f) && got[i] == want[i];
        if (memcmp(&got[i], &want[i], sizeof *got) != 0 && !nans && !zeros && differ++ < 3)
            printf("%s(%a, %a) is %a, on the host %a\n", f->name, x[i], y[i], got[i], want[i]);
    }
    return differ == 0;
}

static int device(int argc, char **argv)
{
    size_t n = sizeof functions / sizeof *functions;

    if (argc == 4 && strcmp(argv[1], "--write") == 0)
        return !write_arguments(argv + 2);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(argv[1], "--names") == 0 && functions[i].name[0] != '_')
            puts(functions[i].name);
        else if (argc == 6 && strcmp(argv[2], functions[i].name) == 0)
            return !compare(&functions[i], argv + 3);
    }
    return strcmp(argv[1], "--names") != 0;
}

static bool named(const char *name, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return n == 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--", 2) == 0)
        return device(argc, argv);
    uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 0) : 65521;
    bool good = step > 0;

    printf("| function | bound | measured | at |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; step && i < sizeof functions / sizeof *functions; i++)
        if (named(functions[i].name, argc > 2 ? argc - 2 : 0, argv + 2))
            good &= measure(&functions[i], step);
    return !good;
}
