/* exact.c -- functions of the device library whose results are exact, compiled for the host.
 *
 * Integer functions against 128-bit arithmetic, conversions against the host's rounding modes and half floats,
 * 64-bit division against the host's.  8-bit types meet every pair of values; others, edges and
 * pseudo-random values.
 */
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 16 };
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;
__extension__ typedef _Float16 Half;

float __ventus_exp(float x);
int __ventus_ftoi_rne(float x);
float __ventus_exp(float x) { return (float)exp(x); }
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }

static int bad;

static bool fails(const char *what, const char *more)
{
    if (bad++ < 20)
        printf("FAIL %s %s\n", what, more);
    return bad > 20;
}

/* --- types ------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    int bits;
    bool is_signed;
} Type;

static Wide lowest(const Type *t) { return t->is_signed ? -((Wide)1 << (t->bits - 1)) : 0; }
static Wide highest(const Type *t) { return ((Wide)1 << (t->bits - t->is_signed)) - 1; }

static Wide wrap(Wide x, const Type *t)
{
    Wide m = (Wide)1 << t->bits;
    x &= m - 1;
    return t->is_signed && x > highest(t) ? x - m : x;
}

static Wide limit(Wide x, const Type *t) { return x < lowest(t) ? lowest(t) : x > highest(t) ? highest(t) : x; }

/* --- references of the integer functions: operands in range, results taken modulo the type  */

typedef Wide Reference(Wide a, Wide b, Wide c, const Type *t);
#define REF(name) static Wide ref_##name(Wide a, Wide b, Wide c, const Type *t)
#define SHORT(name, expression) REF(name) { (void)a, (void)b, (void)c, (void)t; return expression; }

static Wide half_of(Wide x) { return x >= 0 ? x / 2 : -((1 - x) / 2); }
static Wide high(Wide a, Wide b, const Type *t)
{
    UWide p = (UWide)a * (UWide)b;
    return t->is_signed ? (Wide)p >> t->bits : (Wide)(p >> t->bits);
}

SHORT(abs, a < 0 ? -a : a)
SHORT(abs_diff, a > b ? a - b : b - a)
SHORT(add_sat, limit(a + b, t))
SHORT(sub_sat, limit(a - b, t))
SHORT(hadd, half_of(a + b))
SHORT(rhadd, half_of(a + b + 1))
SHORT(max, a > b ? a : b)
SHORT(min, a < b ? a : b)
SHORT(mul_hi, high(a, b, t))
SHORT(mad_hi, high(a, b, t) + c)
SHORT(clamp, a < b ? (b < c ? b : c) : a > c ? c : a)

static bool bit(Wide a, int i) { return a >> i & 1; }

REF(clz)
{
    int n = 0;
    (void)b, (void)c;
    while (n < t->bits && !bit(a, t->bits - 1 - n))
        n++;
    return n;
}

REF(ctz)
{
    int n = 0;
    (void)b, (void)c;
    while (n < t->bits && !bit(a, n))
        n++;
    return n;
}

REF(popcount)
{
    int n = 0;
    (void)b, (void)c;
    for (int i = 0; i < t->bits; i++)
        n += bit(a, i);
    return n;
}

REF(rotate)
{
    Wide r = 0, by = b & (t->bits - 1);
    (void)c;
    for (int i = 0; i < t->bits; i++)
        r |= (Wide)bit(a, i) << ((i + by) % t->bits);
    return r;
}

/* unsigned 64-bit products reach 2^128: there c cannot bring them back */
REF(mad_sat)
{
    if (!t->is_signed && t->bits == 64 && high(a, b, t))
        return highest(t);
    return limit(a * b + c, t);
}

/* --- integer functions ------------------------------------------------------------------- */

typedef void Run(const int64_t *, const int64_t *, const int64_t *, int64_t *, int);
#define EACH_TYPE(M, x) M(x, char, 8, 1) M(x, uchar, 8, 0) M(x, short, 16, 1) M(x, ushort, 16, 0) \
    M(x, int, 32, 1) M(x, uint, 32, 0) M(x, long, 64, 1) M(x, ulong, 64, 0)
#define DECLARE(name, T, width, sign) Run run_##name##_##T;
#define FN(name, n) EACH_TYPE(DECLARE, name)
#include "test/accuracy/exact.def"

static const struct {
    const char *name;
    Type type;
    Run *run;
    Reference *reference;
} integers[] = {
#define ROW(f, T, width, sign) { #f, { #T, width, sign }, run_##f##_##T, ref_##f },
#define FN(name, n) EACH_TYPE(ROW, name)
#include "test/accuracy/exact.def"
};

static uint64_t seed = 88172645463325252u;

static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* of any length in bits, of either sign, or next to the ends of a range */
static int64_t operand(int i)
{
    uint64_t r = random64(), edge = (uint64_t)1 << (r >> 8 & 63);
    switch (i & 3) {
    case 0: return (int64_t)r;
    case 1: return (int64_t)r >> (r & 63);
    case 2: return (int64_t)(edge - 1 + (r & 3));
    default: return (int64_t)(0 - (edge - 1 + (r & 3)));
    }
}

static int64_t a[N], b[N], c[N], r64[N];

/* the first two arguments of 8 bits are all there are */
static void fill(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = (operand(i) & ~0xff) | (i & 0xff);
        b[i] = (operand(i >> 2) & ~0xff) | (i >> 8 & 0xff);
        c[i] = operand(i >> 4);
        if (i & 0x1000)
            a[i] = operand(i), b[i] = operand(i >> 2);
    }
}

static void check_integers(void)
{
    for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
        const Type *t = &integers[k].type;
        for (int round = 0; round < 4; round++) {
            fill();
            integers[k].run(a, b, c, r64, N);
            for (int i = 0; i < N; i++) {
                Wide x = wrap(a[i], t), y = wrap(b[i], t), z = wrap(c[i], t);
                if (integers[k].reference == ref_clamp && y > z)
                    continue;
                if (wrap(integers[k].reference(x, y, z, t), t) != wrap(r64[i], t) && fails(integers[k].name, t->name))
                    return;
            }
        }
    }
}

/* --- division ---------------------------------------------------------------------------- */

uint64_t __ventus_udiv64(uint64_t, uint64_t), __ventus_urem64(uint64_t, uint64_t);
int64_t __ventus_sdiv64(int64_t, int64_t), __ventus_srem64(int64_t, int64_t);

static void check_division(void)
{
    for (int i = 0; i < 3000000; i++) {
        int64_t x = operand(i), y = operand(i >> 2);
        uint64_t u = (uint64_t)x, v = (uint64_t)y;
        if (y == 0 || (x == INT64_MIN && y == -1))
            continue;
        if (__ventus_udiv64(u, v) != u / v || __ventus_urem64(u, v) != u % v)
            fails("udiv64", "");
        if (__ventus_sdiv64(x, y) != x / y || __ventus_srem64(x, y) != x % y)
            fails("sdiv64", "");
    }
}

/* --- conversions ------------------------------------------------------------------------- */

#define EACH_MODE(M, T, width, sign) \
    M(T, width, sign, , 0) M(T, width, sign, _rte, FE_TONEAREST) M(T, width, sign, _rtz, FE_TOWARDZERO) \
    M(T, width, sign, _rtp, FE_UPWARD) M(T, width, sign, _rtn, FE_DOWNWARD)
#define DECLARE_MODE(T, width, sign, mode, round) \
    void from_float_##T##mode(const float *, int64_t *, int); \
    void to_float_##T##mode(const int64_t *, float *, int);
#define DECLARE_CONVERSIONS(x, T, width, sign) EACH_MODE(DECLARE_MODE, T, width, sign)
EACH_TYPE(DECLARE_CONVERSIONS, )

static const struct {
    Type type;
    const char *mode;
    int from_mode, to_mode;
    void (*from)(const float *, int64_t *, int);
    void (*to)(const int64_t *, float *, int);
} conversions[] = {
#define MODE_ROW(T, width, sign, mode, round) { { #T, width, sign }, #mode, #mode[0] ? round : FE_TOWARDZERO, \
    #mode[0] ? round : FE_TONEAREST, from_float_##T##mode, to_float_##T##mode },
#define CONVERSION_ROWS(x, T, width, sign) EACH_MODE(MODE_ROW, T, width, sign)
    EACH_TYPE(CONVERSION_ROWS, )
};

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* half of them between 2^-8 and 2^72 */
static float any_float(int i)
{
    uint32_t bits = (uint32_t)random64();
    return from_bits(i & 1 ? bits : ((bits & 0x80ffffff) | (uint32_t)(119 + (i >> 1) % 80) << 23));
}

static Wide integer_of(float x, int mode, const Type *t)
{
    if (x != x)
        return 0;
    if (fabsf(x) >= 0x1p70f)
        return x > 0 ? highest(t) : lowest(t);
    fesetround(mode);
    volatile float whole = nearbyintf(x);
    fesetround(FE_TONEAREST);
    return limit((Wide)whole, t);
}

static float float_of(int64_t x, int mode, const Type *t)
{
    volatile int64_t s = (int64_t)wrap(x, t);
    volatile uint64_t u = (uint64_t)s;
    fesetround(mode);
    volatile long double exact = t->is_signed ? (long double)s : (long double)u;
    volatile float r = (float)exact;
    fesetround(FE_TONEAREST);
    return r;
}

static void check_conversions(void)
{
    static float x[N], y[N];

    for (size_t k = 0; k < sizeof conversions / sizeof *conversions; k++) {
        const Type *t = &conversions[k].type;
        fill();
        for (int i = 0; i < N; i++)
            x[i] = any_float(i);
        conversions[k].from(x, r64, N);
        conversions[k].to(a, y, N);
        for (int i = 0; i < N; i++) {
            if (wrap(r64[i], t) != integer_of(x[i], conversions[k].from_mode, t))
                fails(t->name, "from float");
            if (y[i] != float_of(a[i], conversions[k].to_mode, t))
                fails(t->name, "to float");
        }
    }
}

/* --- half -------------------------------------------------------------------------------- */

typedef void StoreHalf(const float *, uint16_t *, int);
void load_half(const uint16_t *, float *, int);
StoreHalf store_half, store_half_rte, store_half_rtz, store_half_rtp, store_half_rtn;

static float half_value(uint16_t bits)
{
    Half h;
    memcpy(&h, &bits, sizeof h);
    return (float)h;
}

static bool same(float x, float y) { return x == y ? !signbit(x) == !signbit(y) : x != x && y != y; }

/* the neighbours of x among halves are known once the nearest is */
static float half_of_float(float x, int mode)
{
    uint16_t bits;
    Half h = (Half)x;
    memcpy(&bits, &h, sizeof bits);
    float f = (float)h;
    bool down = mode == FE_DOWNWARD || (mode == FE_TOWARDZERO && x > 0);
    bool up = mode == FE_UPWARD || (mode == FE_TOWARDZERO && x < 0);

    if ((down && f > x) || (up && f < x))
        bits = (uint16_t)((f > x) == (f > 0) ? bits - 1 : bits + 1);
    else
        return f;
    if (f == 0)     /* across zero */
        bits = f > x ? 0x8001 : 1;
    return half_value(bits);
}

static void check_half(void)
{
    static const struct { StoreHalf *store; int mode; } rows[] = {
        { store_half, FE_TONEAREST }, { store_half_rte, FE_TONEAREST }, { store_half_rtz, FE_TOWARDZERO },
        { store_half_rtp, FE_UPWARD }, { store_half_rtn, FE_DOWNWARD },
    };
    static uint16_t h[N];
    static float x[N];

    for (int i = 0; i < N; i++)
        h[i] = (uint16_t)i;
    load_half(h, x, N);
    for (int i = 0; i < N; i++)
        if (!same(x[i], half_value((uint16_t)i)))
            fails("vload_half", "");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int round = 0; round < 16; round++) {
            for (int i = 0; i < N; i++) {
                uint32_t bits = (uint32_t)random64();
                bits = (bits & 0x80ffffff) | (uint32_t)(100 + i % 46) << 23;
                x[i] = round == 0 ? half_value((uint16_t)i) : i & 15 ? from_bits(bits) : from_bits((uint32_t)random64());
            }
            rows[k].store(x, h, N);
            for (int i = 0; i < N; i++)
                if (!same(half_value(h[i]), half_of_float(x[i], rows[k].mode)))
                    fails("vstore_half", "");
        }
}

/* --- two results ------------------------------------------------------------------------- */

void run_frexp(const float *, float *, int *, int);
void run_modf(const float *, float *, float *, int);
void run_fract(const float *, float *, float *, int);
void run_ilogb(const float *, int *, int);
void run_remquo(const float *, const float *, float *, int *, int);

static void check_parts(void)
{
    static float x[N], y[N], r[N], whole[N];
    static int k[N];

    for (int i = 0; i < N; i++)
        x[i] = any_float(i), y[i] = any_float(i * 7 / 3);
    x[0] = INFINITY, x[1] = -INFINITY, x[2] = 0, x[3] = -0.0f, x[4] = 0x1p-149f, x[5] = -0x1p-30f;
    run_frexp(x, r, k, N);
    for (int i = 0; i < N; i++) {
        int e;
        float f = frexpf(x[i], &e);
        if (!same(r[i], f) || (isfinite(x[i]) && e != k[i]))
            fails("frexp", "");
    }
    run_modf(x, r, whole, N);
    for (int i = 0; i < N; i++) {
        float w, f = modff(x[i], &w);
        if (!same(r[i], f) || !same(w, whole[i]))
            fails("modf", "");
    }
    run_fract(x, r, whole, N);
    for (int i = 0; i < N; i++) {
        /* zeros, infinities and NaNs as OpenCL C says, "Edge case behaviour" */
        float w = floorf(x[i]), f = isinf(x[i])                ? copysignf(0, x[i])
                                    : x[i] == 0 || x[i] != x[i] ? x[i]
                                                                : fminf(x[i] - w, 0x1.fffffep-1f);
        if (!same(r[i], f) || !same(w, whole[i]))
            fails("fract", "");
    }
    run_ilogb(x, k, N);
    for (int i = 0; i < N; i++)
        if (k[i] != (x[i] != x[i] ? INT32_MAX : ilogbf(x[i])))
            fails("ilogb", "");
    run_remquo(x, y, r, k, N);
    for (int i = 0; i < N; i++) {
        int q;
        float f = remquof(x[i], y[i], &q);
        bool negative = (x[i] < 0) != (y[i] < 0);
        bool quotient = (abs(k[i]) & 7) == (abs(q) & 7) && (k[i] == 0 || (k[i] < 0) == negative);
        if (!same(r[i], f) || (f == f && !quotient))
            fails("remquo", "");
    }
}

int main(void)
{
    check_integers();
    check_division();
    check_conversions();
    check_half();
    check_parts();
    printf("%d wrong\n", bad);
    return bad != 0;
}
