/* fp.c against others that share nothing with it:
 *
 *  - the host's float and double, and _Float16 where it has F16C: results and
 *    flags, in the four rounding modes that it knows;
 *  - slow(): any format, all modes.  The operation is done in long double toward
 *    zero and its last bit set if that was inexact; such a number lies on the
 *    same side of every grid point and middle of a shorter format as the true
 *    result.  It is then rounded by the definitions of the modes.
 *  - the two tables of the RVV manual.
 *
 * The operands are all of a format where it is small; otherwise special ones in
 * all combinations, and random ones made to be near ties, carries and the ends of
 * the range.
 */
#include "test/kit/skip.h"
#include "isa/fp.h"
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static_assert(LDBL_MANT_DIG >= 64 && LDBL_MAX_EXP >= 16384, "slow() needs a wider long double");

typedef enum { ADD, SUB, MUL, DIV, SQRT, FMA } Op;
typedef struct {
    u64 bits;
    u8 flags;
} Result;

static const char *const op_name[] = {"add", "sub", "mul", "div", "sqrt", "fma"};
static const FpRound modes[] = {FP_RNE, FP_RTZ, FP_RDN, FP_RUP, FP_RMM, FP_ROD};
static const int host_mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static const FpFormat tf32 = {8, 10}, e5m2 = {5, 2}, e4m3 = {4, 3}, e3m1 = {3, 1}, e2m2 = {2, 2};

static void expect(Result got, Result want, const char *what, FpFormat f, u64 a, u64 b, u64 c,
                   FpRound rm)
{
    if (got.bits == want.bits && got.flags == want.flags)
        return;
    fail_msg("{%d, %d} %s %" PRIx64 " %" PRIx64 " %" PRIx64 " mode %d: %" PRIx64
             " flags %02x, expected %" PRIx64 " flags %02x",
             f.exp_bits, f.frac_bits, what, a, b, c, (int)rm, got.bits, got.flags, want.bits,
             want.flags);
}

static Result ours(Op op, FpFormat f, u64 a, u64 b, u64 c, FpRound rm)
{
    Result r = {0};
    switch (op) {
    case ADD:
        r.bits = fp_add(f, a, b, rm, &r.flags);
        break;
    case SUB:
        r.bits = fp_sub(f, a, b, rm, &r.flags);
        break;
    case MUL:
        r.bits = fp_mul(f, a, b, rm, &r.flags);
        break;
    case DIV:
        r.bits = fp_div(f, a, b, rm, &r.flags);
        break;
    case SQRT:
        r.bits = fp_sqrt(f, a, rm, &r.flags);
        break;
    case FMA:
        r.bits = fp_fma(f, a, b, c, rm, &r.flags);
        break;
    }
    return r;
}

/* --- patterns --- */

static u64 max_exp(FpFormat f)
{
    return ((u64)1 << f.exp_bits) - 1;
}

static int bias(FpFormat f)
{
    return (int)(max_exp(f) / 2);
}

static u64 frac_of(FpFormat f, u64 a)
{
    return a & (((u64)1 << f.frac_bits) - 1);
}

static u64 exp_of(FpFormat f, u64 a)
{
    return a >> f.frac_bits & max_exp(f);
}

static u64 inf_of(FpFormat f)
{
    return max_exp(f) << f.frac_bits;
}

static u64 sign_of(FpFormat f)
{
    return (u64)1 << (f.exp_bits + f.frac_bits);
}

static u64 nan_of(FpFormat f)
{
    return inf_of(f) | (u64)1 << (f.frac_bits - 1);
}

static bool is_neg(FpFormat f, u64 a)
{
    return a & sign_of(f);
}

static bool is_inf(FpFormat f, u64 a)
{
    return (a & (sign_of(f) - 1)) == inf_of(f);
}

static bool is_zero(FpFormat f, u64 a)
{
    return !(a & (sign_of(f) - 1));
}

static bool is_nan(FpFormat f, u64 a)
{
    return (a & (sign_of(f) - 1)) > inf_of(f);
}

static bool is_signalling(FpFormat f, u64 a)
{
    return is_nan(f, a) && !(frac_of(f, a) >> (f.frac_bits - 1));
}

/* Not for NaNs. */
static long double value_of(FpFormat f, u64 a)
{
    long double v = INFINITY;
    u64 exp = exp_of(f, a), frac = frac_of(f, a);
    if (!is_inf(f, a)) {
        frac |= (u64)(exp != 0) << f.frac_bits;
        v = ldexpl((long double)frac, (int)(exp ? exp : 1) - bias(f) - f.frac_bits);
    }
    return is_neg(f, a) ? -v : v;
}

/* --- slow --- */

/* x >= 0 as a multiple of 2^ulp */
static long double round_to(long double x, int ulp, bool neg, FpRound rm, bool *inexact)
{
    long double scaled = ldexpl(x, -ulp), n = floorl(scaled), rest = scaled - n;
    bool odd = floorl(n / 2) * 2 != n, up = false;
    switch (rm) {
    case FP_RNE:
        up = rest > 0.5L || (rest == 0.5L && odd);
        break;
    case FP_RTZ:
        break;
    case FP_RDN:
        up = neg && rest > 0;
        break;
    case FP_RUP:
        up = !neg && rest > 0;
        break;
    case FP_RMM:
        up = rest >= 0.5L;
        break;
    case FP_ROD:
        up = rest > 0 && !odd;
        break;
    }
    *inexact = rest > 0;
    return ldexpl(up ? n + 1 : n, ulp);
}

static Result slow_overflow(FpFormat f, bool neg, FpRound rm)
{
    bool infinite = rm == FP_RNE || rm == FP_RMM || (rm == FP_RUP && !neg) || (rm == FP_RDN && neg);
    u64 bits = infinite ? inf_of(f) : inf_of(f) - 1;
    return (Result){bits | (neg ? sign_of(f) : 0), FP_OF | FP_NX};
}

/* A finite or infinite number as one of the format. */
static Result slow_round(FpFormat f, long double x, FpRound rm)
{
    bool neg = signbit(x), inexact, ignored;
    Result r = {.bits = neg ? sign_of(f) : 0};
    x = fabsl(x);
    if (isinf(x))
        return r.bits |= inf_of(f), r;
    if (x == 0)
        return r;
    int exp, least = 1 - bias(f);
    frexpl(x, &exp);
    exp--; /* x = 1.ddd * 2^exp */
    long double normal = round_to(x, exp - f.frac_bits, neg, rm, &ignored);
    bool tiny = normal < ldexpl(1, least);
    x = round_to(x, (exp < least ? least : exp) - f.frac_bits, neg, rm, &inexact);
    if (x >= ldexpl(1, bias(f) + 1))
        return slow_overflow(f, neg, rm);
    if (inexact)
        r.flags = tiny ? FP_NX | FP_UF : FP_NX;
    if (x >= ldexpl(1, least)) {
        frexpl(x, &exp);
        r.bits |= (u64)(exp - 1 - least) << f.frac_bits; /* less by 1; the 1 of 1.ddd adds it */
        r.bits += (u64)ldexpl(x, f.frac_bits - (exp - 1));
    } else {
        r.bits |= (u64)ldexpl(x, f.frac_bits - least);
    }
    return r;
}

static u8 host_flags(void)
{
    int e = fetestexcept(FE_ALL_EXCEPT);
    return (u8)((e & FE_INEXACT ? FP_NX : 0) | (e & FE_UNDERFLOW ? FP_UF : 0) |
                (e & FE_OVERFLOW ? FP_OF : 0) | (e & FE_DIVBYZERO ? FP_DZ : 0) |
                (e & FE_INVALID ? FP_NV : 0));
}

/* One rounding in all: a product of significands of up to 32 bits is exact. */
static long double apply(Op op, FpFormat f, long double a, long double b, long double c)
{
    volatile long double x = a, y = b, z = c, r = 0;
    switch (op) {
    case ADD:
        r = x + y;
        break;
    case SUB:
        r = x - y;
        break;
    case MUL:
        r = x * y;
        break;
    case DIV:
        r = x / y;
        break;
    case SQRT:
        r = sqrtl(x);
        break;
    case FMA:
        r = f.frac_bits < 32 ? x * y + z : fmal(x, y, z);
        break;
    }
    return r;
}

/* The last bit is in the first byte, both in the x87's format and in binary128
 * as the little-endian machines have it. */
static long double set_last_bit(long double x)
{
    u8 bytes[sizeof x];
    memcpy(bytes, &x, sizeof x);
    bytes[0] |= 1;
    memcpy(&x, bytes, sizeof x);
    return x;
}

/* NaN operands of `op`, which has `n` of them: NV or 0 */
static u8 nan_flags(Op op, FpFormat f, const u64 *v, int n)
{
    bool invalid = op == FMA &&
                   ((is_inf(f, v[0]) && is_zero(f, v[1])) || (is_zero(f, v[0]) && is_inf(f, v[1])));
    for (int i = 0; i < n; i++)
        invalid = invalid || is_signalling(f, v[i]);
    return invalid ? FP_NV : 0;
}

/* To be called with the host rounding toward zero. */
static Result slow(Op op, FpFormat f, u64 a, u64 b, u64 c, FpRound rm)
{
    u64 v[] = {a, b, c};
    int n = op == FMA ? 3 : op == SQRT ? 1 : 2;
    long double x[3] = {0};
    for (int i = 0; i < n; i++) {
        if (is_nan(f, v[i]))
            return (Result){nan_of(f), nan_flags(op, f, v, n)};
        x[i] = value_of(f, v[i]);
    }
    feclearexcept(FE_ALL_EXCEPT);
    long double r = apply(op, f, x[0], x[1], x[2]);
    u8 raised = host_flags();
    if (isnan(r))
        return (Result){nan_of(f), raised};
    if (raised & FP_NX)
        r = set_last_bit(r);
    if (r == 0 && rm == FP_RDN) { /* the sign of an exact zero is the mode's */
        fesetround(FE_DOWNWARD);
        r = apply(op, f, x[0], x[1], x[2]);
        fesetround(FE_TOWARDZERO);
    }
    Result rounded = slow_round(f, r, rm);
    rounded.flags |= raised & FP_DZ;
    return rounded;
}

static void compare(Op op, FpFormat f, u64 a, u64 b, u64 c)
{
    for (size_t m = 0; m < countof(modes); m++)
        expect(ours(op, f, a, b, c, modes[m]), slow(op, f, a, b, c, modes[m]), op_name[op], f, a, b,
               c, modes[m]);
}

/* --- operands --- */

static u64 rnd(u64 *seed)
{
    u64 x = *seed;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *seed = x;
    return x * 0x2545f4914f6cdd1d;
}

/* Exponent within 3 of `exp`, now and then any; fraction plain, or with few bits
 * set or clear, so that sums and products fall on ties and carry far. */
static u64 random_near(FpFormat f, int exp, u64 *seed)
{
    u64 r = rnd(seed), frac = rnd(seed);
    exp += (int)(r % 7) - 3;
    if (!(r >> 8 & 31))
        exp = (int)(r >> 13);
    exp = exp < 0 ? 0 : exp > (int)max_exp(f) ? (int)max_exp(f) : exp;
    switch (r >> 32 & 7) {
    case 0:
        frac = 0;
        break;
    case 1:
        frac = ~(u64)0;
        break;
    case 2:
        frac = (u64)1 << (r >> 40) % f.frac_bits;
        break;
    case 3:
        frac &= rnd(seed) & rnd(seed);
        break;
    case 4:
        frac |= rnd(seed) | rnd(seed);
        break;
    case 5:
        frac <<= (r >> 40) % f.frac_bits;
        break;
    }
    return (r >> 63 ? sign_of(f) : 0) | (u64)exp << f.frac_bits | frac_of(f, frac);
}

/* Three operands for `op` that make its result interesting: terms within reach of
 * each other, a product or quotient near an end of the range. */
static void random_operands(Op op, FpFormat f, u64 *v, u64 *seed)
{
    int top = (int)max_exp(f), mid = bias(f), p = f.frac_bits;
    int ea = (int)(rnd(seed) % (u64)top), eb = ea;
    u64 r = rnd(seed);
    if (op == MUL || op == FMA)
        eb = r & 1 ? mid - ea : r & 2 ? top + mid - ea : top - ea;
    else if (op == DIV)
        eb = r & 1 ? ea + mid : r & 2 ? ea - mid : (int)(r >> 8) % top;
    else if (r & 1)
        eb = ea - (int)(r >> 8) % (p + 4);
    v[0] = random_near(f, ea, seed);
    v[1] = random_near(f, eb, seed);
    int product = (int)exp_of(f, v[0]) + (int)exp_of(f, v[1]) - mid;
    static const int apart[] = {0, 0, 1, -1, 2, -2, 3, -3};
    v[2] = random_near(f, product + apart[r >> 16 & 7] * p, seed);
}

/* Fills v with the special numbers of a format, both signs; at most 64. */
static int specials(FpFormat f, u64 *v)
{
    u64 inf = inf_of(f), one = (u64)bias(f) << f.frac_bits, normal = (u64)1 << f.frac_bits;
    u64 list[] = {0,
                  1,
                  2,
                  normal - 1,
                  normal,
                  normal + 1,
                  one - 1,
                  one,
                  one + 1,
                  inf - 1,
                  inf,
                  inf + 1,
                  inf / 2,
                  nan_of(f),
                  nan_of(f) - 1,
                  sign_of(f) - 1,
                  3 * normal / 2,
                  2 * normal,
                  inf - normal,
                  one + normal / 2,
                  one + normal,
                  one - normal};
    int n = 0;
    for (size_t i = 0; i < countof(list); i++)
        v[n++] = list[i], v[n++] = list[i] | sign_of(f);
    /* one unit of the last place, its half and double; the ends of the integers */
    int exps[] = {f.frac_bits, f.frac_bits + 1, -f.frac_bits, -f.frac_bits - 1, 31, 32};
    for (size_t i = 0; i < countof(exps); i++) {
        int e = bias(f) + exps[i];
        if (e > 0 && e < (int)max_exp(f))
            v[n++] = (u64)e << f.frac_bits, v[n++] = ((u64)e << f.frac_bits) - 1;
    }
    return n;
}

/* --- against slow --- */

static void all_pairs(FpFormat f, const u64 *v, int n)
{
    for (int i = 0; i < n; i++) {
        compare(SQRT, f, v[i], 0, 0);
        for (int j = 0; j < n; j++)
            for (Op op = ADD; op <= DIV; op++)
                compare(op, f, v[i], v[j], 0);
    }
}

static void all_triples(FpFormat f, const u64 *v, int n, int step)
{
    for (int i = 0; i < n; i += step)
        for (int j = 0; j < n; j += step)
            for (int k = 0; k < n; k++)
                compare(FMA, f, v[i], v[j], v[k]);
}

static void special_operands(void **state)
{
    (void)state;
    const FpFormat formats[] = {fp_f16, fp_bf16, tf32, fp_f32, fp_f64, e5m2};
    fesetround(FE_TOWARDZERO);
    for (size_t i = 0; i < countof(formats); i++) {
        u64 v[64];
        int n = specials(formats[i], v);
        all_pairs(formats[i], v, n);
        all_triples(formats[i], v, n, 3);
    }
    fesetround(FE_TONEAREST);
}

static void random_operands_slow(void **state)
{
    (void)state;
    const FpFormat formats[] = {fp_f16, fp_bf16, tf32, fp_f32, fp_f64};
    u64 seed = 1;
    fesetround(FE_TOWARDZERO);
    for (size_t i = 0; i < countof(formats); i++)
        for (Op op = ADD; op <= FMA; op++)
            for (int n = 0; n < 5000; n++) {
                u64 v[3];
                random_operands(op, formats[i], v, &seed);
                compare(op, formats[i], v[0], v[1], v[2]);
            }
    fesetround(FE_TONEAREST);
}

/* Small formats have nothing to hide: every operation on every operand. */
static void whole_formats(void **state)
{
    (void)state;
    u64 v[256];
    for (u64 i = 0; i < 256; i++)
        v[i] = i;
    fesetround(FE_TOWARDZERO);
    all_pairs(e4m3, v, 256);
    all_triples(e3m1, v, 32, 1);
    all_triples(e2m2, v, 32, 1);
    for (u64 a = 0; a < 65536; a++) {
        compare(SQRT, fp_f16, a, 0, 0);
        compare(SQRT, fp_bf16, a, 0, 0);
    }
    fesetround(FE_TONEAREST);
}

/* --- against the host --- */

#ifdef __x86_64__
enum { HOST_FLAGS = FP_NX | FP_UF | FP_OF | FP_DZ | FP_NV };
#else
enum { HOST_FLAGS = FP_NX | FP_OF | FP_DZ | FP_NV }; /* may find tininess before rounding */
#endif

static float host_float(Op op, float a, float b, float c)
{
    volatile float x = a, y = b, z = c;
    switch (op) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case MUL:
        return x * y;
    case DIV:
        return x / y;
    case SQRT:
        return sqrtf(x);
    case FMA:
        return fmaf(x, y, z);
    }
    return 0;
}

static double host_double(Op op, double a, double b, double c)
{
    volatile double x = a, y = b, z = c;
    switch (op) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case MUL:
        return x * y;
    case DIV:
        return x / y;
    case SQRT:
        return sqrt(x);
    case FMA:
        return fma(x, y, z);
    }
    return 0;
}

static float float_of(u64 bits)
{
    u32 low = (u32)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static double double_of(u64 bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static u64 bits_of_float(float x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}

static u64 bits_of_double(double x)
{
    u64 bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}

/* f is f32 or f64; the host is in the mode wanted. */
static Result host(Op op, FpFormat f, u64 a, u64 b, u64 c)
{
    Result r;
    feclearexcept(FE_ALL_EXCEPT);
    if (f.frac_bits == 23) {
        volatile float x = host_float(op, float_of(a), float_of(b), float_of(c));
        r.flags = host_flags();
        r.bits = bits_of_float(x);
    } else {
        volatile double x = host_double(op, double_of(a), double_of(b), double_of(c));
        r.flags = host_flags();
        r.bits = bits_of_double(x);
    }
    if (is_nan(f, r.bits))
        r.bits = nan_of(f);
    /* IEEE 754 leaves this flag to the host. */
    if (op == FMA && is_nan(f, c))
        r.flags |= nan_flags(FMA, f, (u64[]){a, b, c}, 3);
    r.flags &= HOST_FLAGS;
    return r;
}

static void compare_host(Op op, FpFormat f, u64 a, u64 b, u64 c, FpRound rm)
{
    Result got = ours(op, f, a, b, c, rm);
    got.flags &= HOST_FLAGS;
    expect(got, host(op, f, a, b, c), op_name[op], f, a, b, c, rm);
}

static void host_specials(FpFormat f, FpRound rm)
{
    u64 v[64];
    int n = specials(f, v);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (Op op = ADD; op <= SQRT; op++)
                compare_host(op, f, v[i], v[j], 0, rm);
            for (int k = 0; k < n; k += 2)
                compare_host(FMA, f, v[i], v[j], v[k], rm);
        }
}

static void host_arithmetic(void **state)
{
    (void)state;
    const FpFormat formats[] = {fp_f32, fp_f64};
    u64 seed = 2;
    for (size_t i = 0; i < countof(formats); i++)
        for (size_t m = 0; m < countof(host_mode); m++) {
            fesetround(host_mode[m]);
            host_specials(formats[i], modes[m]);
            for (Op op = ADD; op <= FMA; op++)
                for (int n = 0; n < 25000; n++) {
                    u64 v[3];
                    random_operands(op, formats[i], v, &seed);
                    compare_host(op, formats[i], v[0], v[1], v[2], modes[m]);
                }
        }
    fesetround(FE_TONEAREST);
}

#ifdef __x86_64__
#include <immintrin.h>

__attribute__((target("f16c"))) static u64 half_of_float(u64 a, FpRound rm)
{
    volatile float x = float_of(a);
    __m128 v = _mm_set_ss(x);
    switch (rm) { /* the mode is part of the instruction */
    case FP_RTZ:
        return (u16)_mm_extract_epi16(_mm_cvtps_ph(v, 3), 0);
    case FP_RDN:
        return (u16)_mm_extract_epi16(_mm_cvtps_ph(v, 1), 0);
    case FP_RUP:
        return (u16)_mm_extract_epi16(_mm_cvtps_ph(v, 2), 0);
    default:
        return (u16)_mm_extract_epi16(_mm_cvtps_ph(v, 0), 0);
    }
}

static void compare_half(u64 a, FpRound rm)
{
    Result got = {0}, want;
    got.bits = fp_convert(fp_f32, fp_f16, a, rm, &got.flags);
    feclearexcept(FE_ALL_EXCEPT);
    volatile u64 bits = half_of_float(a, rm);
    want = (Result){bits, host_flags()};
    if (is_nan(fp_f16, want.bits))
        want.bits = nan_of(fp_f16);
    expect(got, want, "to f16", fp_f32, a, 0, 0, rm);
}

static void host_half(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx2")) /* which come with F16C; clang cannot ask for it */
        skip_because("this processor has no AVX2");
    u64 seed = 3;
    for (size_t m = 0; m < countof(host_mode); m++) {
        for (u64 h = 0; h < 65536; h++) { /* every number of f16 and its neighbours */
            u8 flags = 0;
            u64 a = fp_convert(fp_f16, fp_f32, h, FP_RNE, &flags);
            for (u64 off = 0; off < 3; off++)
                compare_half((u32)(a + off - 1), modes[m]);
        }
        for (int n = 0; n < 50000; n++)
            compare_half(random_near(fp_f32, (int)(rnd(&seed) % 48) + 100, &seed), modes[m]);
    }
}
#endif

/* --- conversions --- */

static Result slow_convert(FpFormat from, FpFormat to, u64 a, FpRound rm)
{
    if (is_nan(from, a))
        return (Result){nan_of(to), is_signalling(from, a) ? FP_NV : 0};
    return slow_round(to, value_of(from, a), rm);
}

static void compare_convert(FpFormat from, FpFormat to, u64 a)
{
    for (size_t m = 0; m < countof(modes); m++) {
        Result r = {0};
        r.bits = fp_convert(from, to, a, modes[m], &r.flags);
        expect(r, slow_convert(from, to, a, modes[m]), "convert", from, a, to.exp_bits,
               to.frac_bits, modes[m]);
    }
}

static void between_formats(void **state)
{
    (void)state;
    const FpFormat formats[] = {fp_f16, fp_bf16, tf32, fp_f32, fp_f64, e5m2, e4m3};
    u64 seed = 4;
    for (size_t i = 0; i < countof(formats); i++)
        for (size_t j = 0; j < countof(formats); j++) {
            FpFormat from = formats[i], to = formats[j];
            u64 v[64];
            int n = specials(from, v);
            for (int k = 0; k < n; k++)
                compare_convert(from, to, v[k]);
            for (int k = 0; k < 2000; k++) { /* near an end of the other's range, or any */
                int ends[] = {bias(from) - bias(to) - to.frac_bits / 2, bias(from) + bias(to),
                              (int)(rnd(&seed) % max_exp(from))};
                compare_convert(from, to, random_near(from, ends[k % 3], &seed));
            }
        }
    for (u64 a = 0; a < 65536; a++) {
        compare_convert(fp_f16, fp_f32, a);
        compare_convert(fp_f16, e5m2, a);
        compare_convert(fp_f16, fp_bf16, a);
        compare_convert(fp_bf16, fp_f16, a);
    }
}

static Result slow_to_int(FpFormat f, u64 a, int bits, bool is_signed, FpRound rm)
{
    u64 ones = ~(u64)0 >> (64 - bits);
    long double least = is_signed ? -ldexpl(1, bits - 1) : 0;
    long double most = ldexpl(1, is_signed ? bits - 1 : bits) - 1;
    u64 least_bits = is_signed ? (u64)1 << (bits - 1) : 0, most_bits = ones - least_bits;
    if (is_nan(f, a))
        return (Result){most_bits, FP_NV};
    long double x = value_of(f, a);
    if (isinf(x))
        return (Result){x < 0 ? least_bits : most_bits, FP_NV};
    bool inexact;
    long double n = round_to(fabsl(x), 0, x < 0, rm, &inexact);
    if (x < 0 ? -n < least : n > most)
        return (Result){x < 0 ? least_bits : most_bits, FP_NV};
    return (Result){(x < 0 ? -(u64)n : (u64)n) & ones, inexact ? FP_NX : 0};
}

static void compare_to_int(FpFormat f, u64 a)
{
    for (int bits = 8; bits <= 64; bits *= 2)
        for (int is_signed = 0; is_signed <= 1; is_signed++)
            for (size_t m = 0; m < countof(modes); m++) {
                Result r = {0};
                r.bits = fp_to_int(f, a, bits, is_signed, modes[m], &r.flags);
                expect(r, slow_to_int(f, a, bits, is_signed, modes[m]), "to int", f, a, (u64)bits,
                       (u64)is_signed, modes[m]);
            }
}

static void to_integers(void **state)
{
    (void)state;
    const FpFormat formats[] = {fp_f16, fp_bf16, fp_f32, fp_f64};
    u64 seed = 5;
    for (size_t i = 0; i < countof(formats); i++) {
        FpFormat f = formats[i];
        u64 v[64];
        int n = specials(f, v);
        for (int k = 0; k < n; k++)
            compare_to_int(f, v[k]);
        for (int k = 0; k < 4000; k++)
            compare_to_int(f, random_near(f, bias(f) + (int)(rnd(&seed) % 72) - 3, &seed));
        for (int bits = 7; bits <= 64; bits++) { /* around each power of two */
            u64 power = (u64)(bias(f) + bits) << f.frac_bits;
            if (power >= inf_of(f))
                break;
            for (u64 off = 0; off < 7; off++) {
                compare_to_int(f, power + off - 3);
                compare_to_int(f, (power + off - 3) | sign_of(f));
            }
        }
    }
    for (u64 a = 0; a < 65536; a += 5)
        compare_to_int(fp_f16, a);
}

static void from_integers(void **state)
{
    (void)state;
    const FpFormat formats[] = {fp_f16, fp_bf16, fp_f32, fp_f64};
    u64 seed = 6;
    for (int n = 0; n < 20000; n++) {
        u64 r = rnd(&seed), v = rnd(&seed);
        if (r & 1) /* a power of two, and near it */
            v = ((u64)1 << (r >> 8 & 63)) + (r >> 16 & 7) - 3;
        else /* of any length */
            v = (r & 2 ? v | rnd(&seed) | rnd(&seed) : v) >> (r >> 8 & 63);
        if (r & 4)
            v = -v;
        FpFormat f = formats[r >> 32 & 3];
        for (size_t m = 0; m < countof(modes); m++) {
            Result a = {0}, b = {0};
            a.bits = fp_from_int(f, v, true, modes[m], &a.flags);
            expect(a, slow_round(f, (long double)(i64)v, modes[m]), "from i64", f, v, 0, 0,
                   modes[m]);
            b.bits = fp_from_int(f, v, false, modes[m], &b.flags);
            expect(b, slow_round(f, (long double)v, modes[m]), "from u64", f, v, 0, 0, modes[m]);
        }
    }
}

/* --- order --- */

static u64 slow_pick(FpFormat f, u64 a, u64 b, bool greater)
{
    if (is_nan(f, a) || is_nan(f, b))
        return !is_nan(f, a) ? a : !is_nan(f, b) ? b : nan_of(f);
    long double x = value_of(f, a), y = value_of(f, b);
    if (x == y)
        return is_neg(f, a) != greater ? a : b;
    return (x > y) == greater ? a : b;
}

static void compare_order(FpFormat f, u64 a, u64 b)
{
    bool nan = is_nan(f, a) || is_nan(f, b);
    long double x = nan ? 0 : value_of(f, a), y = nan ? 0 : value_of(f, b);
    u8 quiet = is_signalling(f, a) || is_signalling(f, b) ? FP_NV : 0, loud = nan ? FP_NV : 0;
    Result eq = {0}, lt = {0}, le = {0}, min = {0}, max = {0};
    eq.bits = fp_eq(f, a, b, &eq.flags);
    lt.bits = fp_lt(f, a, b, &lt.flags);
    le.bits = fp_le(f, a, b, &le.flags);
    min.bits = fp_min(f, a, b, &min.flags);
    max.bits = fp_max(f, a, b, &max.flags);
    expect(eq, (Result){!nan && x == y, quiet}, "eq", f, a, b, 0, FP_RNE);
    expect(lt, (Result){!nan && x < y, loud}, "lt", f, a, b, 0, FP_RNE);
    expect(le, (Result){!nan && x <= y, loud}, "le", f, a, b, 0, FP_RNE);
    expect(min, (Result){slow_pick(f, a, b, false), quiet}, "min", f, a, b, 0, FP_RNE);
    expect(max, (Result){slow_pick(f, a, b, true), quiet}, "max", f, a, b, 0, FP_RNE);
}

static void order(void **state)
{
    (void)state;
    const FpFormat formats[] = {fp_f16, fp_bf16, fp_f32, fp_f64};
    u64 seed = 7;
    for (size_t i = 0; i < countof(formats); i++) {
        FpFormat f = formats[i];
        u64 v[64];
        int n = specials(f, v);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                compare_order(f, v[j], v[k]);
        for (int k = 0; k < 20000; k++) {
            u64 a = random_near(f, (int)(rnd(&seed) % max_exp(f)), &seed);
            compare_order(f, a, random_near(f, (int)exp_of(f, a), &seed));
            compare_order(f, a, a ^ sign_of(f));
        }
    }
    for (u64 a = 0; a < 256; a++)
        for (u64 b = 0; b < 256; b++)
            compare_order(e4m3, a, b);
}

static u32 slow_class(FpFormat f, u64 a)
{
    if (is_nan(f, a))
        return is_signalling(f, a) ? 0x100 : 0x200;
    long double x = fabsl(value_of(f, a));
    bool neg = is_neg(f, a);
    if (isinf(x))
        return neg ? 0x001 : 0x080;
    if (x >= ldexpl(1, 1 - bias(f)))
        return neg ? 0x002 : 0x040;
    if (x > 0)
        return neg ? 0x004 : 0x020;
    return neg ? 0x008 : 0x010;
}

static void classes(void **state)
{
    (void)state;
    for (u64 a = 0; a < 65536; a++) {
        assert_int_equal(fp_class(fp_f16, a), slow_class(fp_f16, a));
        assert_int_equal(fp_class(fp_bf16, a), slow_class(fp_bf16, a));
    }
    u64 v[64];
    for (int n = specials(fp_f32, v); n-- > 0;)
        assert_int_equal(fp_class(fp_f32, v[n]), slow_class(fp_f32, v[n]));
    for (int n = specials(fp_f64, v); n-- > 0;)
        assert_int_equal(fp_class(fp_f64, v[n]), slow_class(fp_f64, v[n]));
}

/* --- estimates --- */

/* RVV 1.0, 13.10, by the 7 bits below the highest */
static const u8 rec7_table[128] = {
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99, 97, 96,
    94,  93,  91,  90,  88,  87,  85,  84,  83,  81,  80,  79,  77,  76,  75,  74,  72, 71, 70,
    69,  68,  66,  65,  64,  63,  62,  61,  60,  59,  58,  57,  56,  55,  54,  53,  52, 51, 50,
    49,  48,  47,  46,  45,  44,  43,  42,  41,  40,  40,  39,  38,  37,  36,  35,  35, 34, 33,
    32,  31,  31,  30,  29,  28,  28,  27,  26,  25,  25,  24,  23,  23,  22,  21,  21, 20, 19,
    19,  18,  17,  17,  16,  15,  15,  14,  14,  13,  12,  12,  11,  11,  10,  9,   9,  8,  8,
    7,   7,   6,   5,   5,   4,   4,   3,   3,   2,   2,   1,   1,   0,
};

/* RVV 1.0, 13.9, by the last bit of the biased exponent and 6 bits */
static const u8 rsqrt7_table[128] = {
    52,  51,  50,  48,  47,  46, 44, 43,  42,  41,  40,  39,  38,  36,  35,  34,  33,  32,  31,
    30,  30,  29,  28,  27,  26, 25, 24,  23,  23,  22,  21,  20,  19,  19,  18,  17,  16,  16,
    15,  14,  14,  13,  12,  12, 11, 10,  10,  9,   9,   8,   7,   7,   6,   6,   5,   4,   4,
    3,   3,   2,   2,   1,   1,  0,  127, 125, 123, 121, 119, 118, 116, 114, 113, 111, 109, 108,
    106, 105, 103, 102, 100, 99, 97, 96,  95,  93,  92,  91,  90,  88,  87,  86,  85,  84,  83,
    82,  80,  79,  78,  77,  76, 75, 74,  73,  72,  71,  70,  70,  69,  68,  67,  66,  65,  64,
    63,  63,  62,  61,  60,  59, 59, 58,  57,  56,  56,  55,  54,  53,
};

static Result slow_rec7(FpFormat f, u64 a, FpRound rm)
{
    u64 sign = a & sign_of(f);
    if (is_nan(f, a))
        return (Result){nan_of(f), is_signalling(f, a) ? FP_NV : 0};
    if (is_zero(f, a))
        return (Result){sign | inf_of(f), FP_DZ};
    if (is_inf(f, a))
        return (Result){sign, 0};
    int exp;
    long double m = frexpl(fabsl(value_of(f, a)), &exp) * 2; /* 1 <= m < 2 */
    long double r = 1 + rec7_table[(int)((m - 1) * 128)] / 128.0L;
    r = ldexpl(sign ? -r : r, -exp);
    if (fabsl(r) >= ldexpl(1, bias(f) + 1))
        return slow_overflow(f, sign, rm);
    return (Result){slow_round(f, r, FP_RTZ).bits, 0};
}

static Result slow_rsqrt7(FpFormat f, u64 a)
{
    if (is_nan(f, a))
        return (Result){nan_of(f), is_signalling(f, a) ? FP_NV : 0};
    if (is_zero(f, a))
        return (Result){a | inf_of(f), FP_DZ};
    if (is_neg(f, a))
        return (Result){nan_of(f), FP_NV};
    if (is_inf(f, a))
        return (Result){0, 0};
    int exp;
    long double m = frexpl(value_of(f, a), &exp) * 2; /* 1 <= m < 2 */
    int biased = exp - 1 + bias(f);
    long double r = 1 + rsqrt7_table[(biased & 1) * 64 + (int)((m - 1) * 64)] / 128.0L;
    int out = (int)floorl((3 * bias(f) - 1 - biased) / 2.0L);
    return slow_round(f, ldexpl(r, out - bias(f)), FP_RTZ);
}

static void compare_estimates(FpFormat f, u64 a)
{
    for (size_t m = 0; m < countof(modes); m++) {
        Result r = {0};
        r.bits = fp_rec7(f, a, modes[m], &r.flags);
        expect(r, slow_rec7(f, a, modes[m]), "rec7", f, a, 0, 0, modes[m]);
    }
    Result r = {0};
    r.bits = fp_rsqrt7(f, a, &r.flags);
    expect(r, slow_rsqrt7(f, a), "rsqrt7", f, a, 0, 0, FP_RNE);
}

static void estimates(void **state)
{
    (void)state;
    const FpFormat formats[] = {fp_f32, fp_f64, tf32};
    u64 seed = 8;
    for (u64 a = 0; a < 65536; a++) {
        compare_estimates(fp_f16, a);
        compare_estimates(fp_bf16, a);
    }
    for (size_t i = 0; i < countof(formats); i++) {
        FpFormat f = formats[i];
        u64 v[64];
        for (int n = specials(f, v); n-- > 0;)
            compare_estimates(f, v[n]);
        for (int n = 0; n < 20000; n++) { /* all, small, great */
            int exps[] = {(int)(rnd(&seed) % max_exp(f)), 0, (int)max_exp(f)};
            compare_estimates(f, random_near(f, exps[n % 3], &seed));
        }
    }
}

/* --- the contract --- */

/* Bits above the format are ignored, flags stay raised. */
static void dirty_operands(void **state)
{
    (void)state;
    u8 flags = FP_DZ;
    u64 one = 0xffff3c00, two = 0xabcd4000, third;
    assert_int_equal(fp_add(fp_f16, one, one, FP_RNE, &flags), 0x4000);
    assert_int_equal(fp_sub(fp_f16, one, two, FP_RNE, &flags), 0xbc00);
    assert_int_equal(fp_fma(fp_f16, one, two, one, FP_RNE, &flags), 0x4200);
    assert_int_equal(fp_min(fp_f16, one, two, &flags), 0x3c00);
    assert_int_equal(fp_max(fp_f16, one, two, &flags), 0x4000);
    assert_true(fp_lt(fp_f16, one, two, &flags));
    assert_int_equal(fp_class(fp_f16, one), 0x40);
    assert_int_equal(fp_to_int(fp_f16, two, 8, true, FP_RNE, &flags), 2);
    assert_int_equal(flags, FP_DZ);
    third = fp_div(fp_f16, one, 0x4200, FP_RNE, &flags);
    assert_int_equal(third, 0x3555);
    assert_int_equal(flags, FP_DZ | FP_NX);
}

/* What the hosts disagree about, spelled out. */
static void nan_details(void **state)
{
    (void)state;
    u64 inf = 0x7f800000, quiet = 0xffc12345, signalling = 0x7f800001;
    u8 flags = 0;
    assert_int_equal(fp_add(fp_f32, quiet, 0, FP_RNE, &flags), 0x7fc00000);
    assert_int_equal(flags, 0);
    assert_int_equal(fp_fma(fp_f32, inf, 0, quiet, FP_RNE, &flags), 0x7fc00000);
    assert_int_equal(flags, FP_NV);
    flags = 0;
    assert_int_equal(fp_max(fp_f32, signalling, 0x80000000, &flags), 0x80000000);
    assert_int_equal(flags, FP_NV);
    flags = 0;
    assert_false(fp_eq(fp_f32, quiet, quiet, &flags));
    assert_int_equal(flags, 0);
    assert_false(fp_le(fp_f32, quiet, quiet, &flags));
    assert_int_equal(flags, FP_NV);
    flags = 0;
    assert_int_equal(fp_to_int(fp_f32, quiet, 32, true, FP_RTZ, &flags), 0x7fffffff);
    assert_int_equal(flags, FP_NV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_operands), cmocka_unit_test(random_operands_slow),
        cmocka_unit_test(whole_formats),    cmocka_unit_test(host_arithmetic),
#ifdef __x86_64__
        cmocka_unit_test(host_half),
#endif
        cmocka_unit_test(between_formats),  cmocka_unit_test(to_integers),
        cmocka_unit_test(from_integers),    cmocka_unit_test(order),
        cmocka_unit_test(classes),          cmocka_unit_test(estimates),
        cmocka_unit_test(dirty_operands),   cmocka_unit_test(nan_details),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
