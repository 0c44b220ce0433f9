/* exec_ref.c -- the model: what each mnemonic computes, by tables of names. */
#include "test/kit/exec_ref.h"
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

__extension__ typedef __int128 i128;

/* --- integers: sources as signed (a, b, c) and unsigned (ua, ub) numbers --- */

#define INT(name, value)                                                                           \
    static u64 name(Ref *s, u64 A, u64 B, u64 C)                                                   \
    {                                                                                              \
        const i64 a = (i32)(u32)A, b = (i32)(u32)B, c = (i32)(u32)C;                               \
        const u64 ua = (u32)A, ub = (u32)B;                                                        \
        (void)s, (void)a, (void)b, (void)c, (void)ua, (void)ub;                                    \
        return (u64)(value);                                                                       \
    }

INT(i_add, a + b)
INT(i_sub, a - b)
INT(i_rsub, b - a)
INT(i_and, ua & ub)
INT(i_or, ua | ub)
INT(i_xor, ua ^ ub)
INT(i_nand, ~(ua & ub))
INT(i_andn, ua & ~ub)
INT(i_nor, ~(ua | ub))
INT(i_orn, ua | ~ub)
INT(i_xnor, ~(ua ^ ub))
INT(i_sll, ua << ub % 32)
INT(i_srl, ua >> ub % 32)
INT(i_sra, a < 0 ? ~(~a >> ub % 32) : a >> ub % 32)
INT(i_eq, a == b)
INT(i_ne, a != b)
INT(i_lt, a < b)
INT(i_ltu, ua < ub)
INT(i_le, a <= b)
INT(i_leu, ua <= ub)
INT(i_gt, a > b)
INT(i_gtu, ua > ub)
INT(i_ge, a >= b)
INT(i_geu, ua >= ub)
INT(i_min, a < b ? a : b)
INT(i_max, a > b ? a : b)
INT(i_minu, ua < ub ? ua : ub)
INT(i_maxu, ua > ub ? ua : ub)
INT(i_mul, a * b)
INT(i_mulh, (a * b) >> 32)
INT(i_mulhu, (ua * ub) >> 32)
INT(i_mulhsu, (a * (i64)ub) >> 32)
INT(i_div, ub ? a / b : -1)
INT(i_divu, ub ? ua / ub : UINT32_MAX)
INT(i_rem, ub ? a % b : a)
INT(i_remu, ub ? ua % ub : ua)
INT(i_second, ub)
INT(i_first, ua)
INT(i_zext8, ua % 256)
INT(i_zext16, ua % 65536)
INT(i_sext8, (ua % 256) - (ua & 0x80) * 2)
INT(i_sext16, (ua % 65536) - (ua & 0x8000) * 2)
INT(i_macc, (u64)c + (u64)a * (u64)b)
INT(i_nmsac, (u64)c - (u64)a * (u64)b)
INT(i_madd, (u64)b * (u64)c + (u64)a)
INT(i_nmsub, (u64)a - (u64)b * (u64)c)

/* --- fixed point --- */

/* v / 2^n, rounded as vxrm says */
static i128 scaled(const Ref *s, i128 v, u32 n)
{
    const i128 one = (i128)1 << n, q = v >> n, rest = v - q * one;
    switch (s->vxrm) {
    case 0: return q + (2 * rest >= one && n);
    case 1: return q + (2 * rest > one || (2 * rest == one && q & 1));
    case 2: return q;
    default: return q | (rest != 0);
    }
}

static u64 clamped(Ref *s, i128 v, i64 least, i64 most)
{
    if (v < least || v > most)
        s->vxsat = 1;
    return (u64)(v < least ? least : v > most ? most : v);
}

INT(x_saddu, clamped(s, (i128)(ua + ub), 0, UINT32_MAX))
INT(x_sadd, clamped(s, a + b, INT32_MIN, INT32_MAX))
INT(x_ssubu, clamped(s, (i128)ua - (i128)ub, 0, UINT32_MAX))
INT(x_ssub, clamped(s, a - b, INT32_MIN, INT32_MAX))
INT(x_aaddu, scaled(s, (i128)(ua + ub), 1))
INT(x_aadd, scaled(s, a + b, 1))
INT(x_asubu, scaled(s, (i128)ua - (i128)ub, 1))
INT(x_asub, scaled(s, a - b, 1))
INT(x_smul, clamped(s, scaled(s, (i128)a * b, 31), INT32_MIN, INT32_MAX))
INT(x_ssrl, scaled(s, (i128)ua, (u32)ub % 32))
INT(x_ssra, scaled(s, a, (u32)ub % 32))

/* 64 to 32 bits */
static u64 n_srl(Ref *s, u64 a, u64 b, u64 c) { return (void)s, (void)c, a >> b % 64; }
static u64 n_sra(Ref *s, u64 a, u64 b, u64 c)
{
    return (void)s, (void)c, (u64)((i128)(i64)a >> b % 64);
}
static u64 n_clipu(Ref *s, u64 a, u64 b, u64 c)
{
    return (void)c, clamped(s, scaled(s, (i128)a, b % 64), 0, UINT32_MAX);
}
static u64 n_clip(Ref *s, u64 a, u64 b, u64 c)
{
    return (void)c, clamped(s, scaled(s, (i64)a, b % 64), INT32_MIN, INT32_MAX);
}

/* --- floats, by the host's --- */

enum { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16 };
enum { RNE, RTZ, RDN, RUP, RMM, ROD };
#define CANONICAL   0x7fc00000u
#define CANONICAL64 0x7ff8000000000000u

static float to_float(u64 bits)
{
    const u32 b = (u32)bits;
    float f;
    memcpy(&f, &b, sizeof f);
    return f;
}
static u32 of_float(float f)
{
    u32 b;
    memcpy(&b, &f, sizeof b);
    return b;
}
static double to_double(u64 b)
{
    double f;
    memcpy(&f, &b, sizeof f);
    return f;
}
static u64 of_double(double f)
{
    u64 b;
    memcpy(&b, &f, sizeof b);
    return b;
}
static bool is_nan(u64 a) { return isnan(to_float(a)); }
static bool is_snan(u64 a) { return is_nan(a) && !(a & 0x400000); }
static bool is_snan64(u64 a) { return isnan(to_double(a)) && !(a & 0x8000000000000u); }

static u32 host_flags(void)
{
    const int e = fetestexcept(FE_ALL_EXCEPT);
    return (e & FE_INEXACT ? NX : 0u) | (e & FE_UNDERFLOW ? UF : 0u) | (e & FE_OVERFLOW ? OF : 0u) |
           (e & FE_DIVBYZERO ? DZ : 0u) | (e & FE_INVALID ? NV : 0u);
}

static int host_mode(u32 rm)
{
    switch (rm) {
    case RTZ:
    case ROD: return FE_TOWARDZERO;
    case RDN: return FE_DOWNWARD;
    case RUP: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

typedef enum { ADD, SUB, MUL, DIV, SQRT, FMA, OF_I32, OF_U32 } FloatOp;

/* volatile: what the compiler computes is not what we ask */
static volatile float fa, fb, fc;
static volatile double da, db, dc;

static float narrow_op(FloatOp op, u64 a)
{
    volatile i32 i = (i32)(u32)a;
    volatile u32 u = (u32)a;
    switch (op) {
    case ADD: return fa + fb;
    case SUB: return fa - fb;
    case MUL: return fa * fb;
    case DIV: return fa / fb;
    case SQRT: return sqrtf(fa);
    case FMA: return fmaf(fa, fb, fc);
    case OF_I32: return (float)i;
    default: return (float)u;
    }
}

static double wide_op(FloatOp op, u64 a)
{
    switch (op) {
    case ADD: return da + db;
    case SUB: return da - db;
    case MUL: return da * db;
    case DIV: return da / db;
    case SQRT: return sqrt(da);
    case FMA: return fma(da, db, dc);
    case OF_I32: return (i32)(u32)a;
    default: return (u32)a;
    }
}

static float in_mode(FloatOp op, u64 a, int mode, u32 *flags)
{
    volatile float r;
    fesetround(mode);
    feclearexcept(FE_ALL_EXCEPT);
    r = narrow_op(op, a);
    *flags = host_flags();
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    return r;
}

/* The neighbour of t away from zero if `exact` lies in the middle of both, else r. */
static float tie_away(float r, float t, long double exact)
{
    const float away = nextafterf(t, copysignf(INFINITY, t));
    return !isinf(away) && exact == ((long double)t + (long double)away) / 2 ? away : r;
}

/* Ties away from zero: differs from ties to even when the result is a tie, and
 * every tie is exact in double. */
static float to_nearest_away(FloatOp op, u64 a, float r)
{
    u32 ignored;
    volatile double exact;
    feclearexcept(FE_ALL_EXCEPT);
    exact = wide_op(op, a);
    const bool is_exact = !fetestexcept(FE_INEXACT);
    feclearexcept(FE_ALL_EXCEPT);
    return is_exact ? tie_away(r, in_mode(op, a, FE_TOWARDZERO, &ignored), exact) : r;
}

/* RISC-V calls a result tiny by what it is rounded to, AArch64 by what it was before: the flags of RISC-V by those of the
 * host, for result r of what is `exact`. */
static u32 flags_after_rounding(double exact, float r, int mode, u32 flags)
{
#if defined(__aarch64__)
    if (fabsf(r) == FLT_MIN && flags & UF) {
        fesetround(mode);
        const volatile float scaled = (float)(exact * 0x1p64); /* where nothing is tiny */
        fesetround(FE_TONEAREST);
        feclearexcept(FE_ALL_EXCEPT);
        return fabsf(scaled) >= FLT_MIN * 0x1p64f ? flags & ~(u32)UF : flags;
    }
#else
    (void)exact, (void)r, (void)mode;
#endif
    return flags;
}

static u64 compute(Ref *s, FloatOp op, u64 a, u64 b, u64 c)
{
    u32 flags;
    fa = to_float(a), fb = to_float(b), fc = to_float(c);
    da = fa, db = fb, dc = fc;
    float r = in_mode(op, a, host_mode(s->rm), &flags);
    flags = flags_after_rounding(wide_op(op, a), r, host_mode(s->rm), flags);
    feclearexcept(FE_ALL_EXCEPT);
    if (s->rm == RMM && flags & NX && !isinf(r))
        r = to_nearest_away(op, a, r);
    /* hosts differ here; RISC-V says invalid */
    if (op == FMA && ((isinf(fa) && fb == 0) || (isinf(fb) && fa == 0)))
        flags |= NV;
    if (op == FMA && (is_snan(a) || is_snan(b) || is_snan(c)))
        flags |= NV;
    s->fflags |= flags;
    feclearexcept(FE_ALL_EXCEPT);
    return isnan(r) ? CANONICAL : of_float(r);
}

#define MINUS(a) ((a) ^ 0x80000000u)
#define FLOAT(name, value)                                                                         \
    static u64 name(Ref *s, u64 a, u64 b, u64 c)                                                   \
    {                                                                                              \
        (void)b, (void)c;                                                                          \
        return value;                                                                              \
    }
FLOAT(f_add, compute(s, ADD, a, b, 0))
FLOAT(f_sub, compute(s, SUB, a, b, 0))
FLOAT(f_rsub, compute(s, SUB, b, a, 0))
FLOAT(f_mul, compute(s, MUL, a, b, 0))
FLOAT(f_div, compute(s, DIV, a, b, 0))
FLOAT(f_rdiv, compute(s, DIV, b, a, 0))
FLOAT(f_sqrt, compute(s, SQRT, a, 0, 0))
FLOAT(f_of_i32, compute(s, OF_I32, a, 0, 0))
FLOAT(f_of_u32, compute(s, OF_U32, a, 0, 0))
/* product of the first two; vector forms put the destination third */
FLOAT(f_macc, compute(s, FMA, a, b, c))
FLOAT(f_nmacc, compute(s, FMA, MINUS(a), b, MINUS(c)))
FLOAT(f_msac, compute(s, FMA, a, b, MINUS(c)))
FLOAT(f_nmsac, compute(s, FMA, MINUS(a), b, c))
/* product of vs1 and the destination, vs2 added */
FLOAT(f_madd, compute(s, FMA, b, c, a))
FLOAT(f_nmadd, compute(s, FMA, MINUS(b), c, MINUS(a)))
FLOAT(f_msub, compute(s, FMA, b, c, MINUS(a)))
FLOAT(f_nmsub, compute(s, FMA, MINUS(b), c, a))
FLOAT(f_sgnj, ((void)s, (a & 0x7fffffff) | (b & 0x80000000)))
FLOAT(f_sgnjn, ((void)s, (a & 0x7fffffff) | (~b & 0x80000000)))
FLOAT(f_sgnjx, ((void)s, (a & 0x7fffffff) | ((a ^ b) & 0x80000000)))

static bool quiet(Ref *s, u64 a, u64 b)
{
    s->fflags |= is_snan(a) || is_snan(b) ? NV : 0;
    return is_nan(a) || is_nan(b);
}
static bool signalling(Ref *s, u64 a, u64 b)
{
    s->fflags |= is_nan(a) || is_nan(b) ? NV : 0;
    return is_nan(a) || is_nan(b);
}
FLOAT(f_eq, !quiet(s, a, b) && to_float(a) == to_float(b))
FLOAT(f_ne, quiet(s, a, b) || to_float(a) != to_float(b))
FLOAT(f_lt, !signalling(s, a, b) && to_float(a) < to_float(b))
FLOAT(f_le, !signalling(s, a, b) && to_float(a) <= to_float(b))
FLOAT(f_gt, !signalling(s, a, b) && to_float(a) > to_float(b))
FLOAT(f_ge, !signalling(s, a, b) && to_float(a) >= to_float(b))

static u64 extreme(Ref *s, u64 a, u64 b, bool most)
{
    quiet(s, a, b);
    if (is_nan(a) || is_nan(b))
        return !is_nan(a) ? a : !is_nan(b) ? b : CANONICAL;
    if (to_float(a) == to_float(b)) /* zeros differ in sign */
        return (signbit(to_float(a)) != 0) == most ? b : a;
    return (to_float(a) < to_float(b)) == most ? b : a;
}
FLOAT(f_min, extreme(s, a, b, false))
FLOAT(f_max, extreme(s, a, b, true))

static u64 f_class(Ref *s, u64 a, u64 b, u64 c)
{
    const float f = to_float(a);
    const bool neg = signbit(f);
    (void)s, (void)b, (void)c;
    switch (fpclassify(f)) {
    case FP_NAN: return is_snan(a) ? 256 : 512;
    case FP_INFINITE: return neg ? 1 : 128;
    case FP_ZERO: return neg ? 8 : 16;
    case FP_SUBNORMAL: return neg ? 4 : 32;
    default: return neg ? 2 : 64;
    }
}

/* x to an integer of least..most; a NaN is the greatest */
static u64 to_int(Ref *s, u32 rm, double x, double least, double most, u64 low, u64 high)
{
    if (isnan(x)) {
        s->fflags |= NV;
        return high;
    }
    const double t = trunc(x), rest = fabs(x - t), away = t + copysign(1, x);
    double r = t;
    switch (rm) {
    case RNE: r = rest > 0.5 || (rest == 0.5 && fmod(t, 2) != 0) ? away : t; break;
    case RDN: r = x < t ? away : t; break;
    case RUP: r = x > t ? away : t; break;
    case RMM: r = rest >= 0.5 ? away : t; break;
    default: break;
    }
    if (r < least || r > most) {
        s->fflags |= NV;
        return r < least ? low : high;
    }
    s->fflags |= rest != 0 ? NX : 0;
    return r < 0 ? (u64)(i64)r : (u64)r;
}

static double value(u64 a) { return is_nan(a) ? NAN : (double)to_float(a); }

static u64 to_i32(Ref *s, u32 rm, double x)
{
    return to_int(s, rm, x, INT32_MIN, INT32_MAX, 0x80000000u, INT32_MAX);
}
static u64 to_u32(Ref *s, u32 rm, double x)
{
    return to_int(s, rm, x, 0, UINT32_MAX, 0, UINT32_MAX);
}
static u64 to_i64(Ref *s, u32 rm, double x)
{
    return to_int(s, rm, x, -0x1p63, 0x1.fffffffffffffp62, (u64)INT64_MIN, INT64_MAX);
}
static u64 to_u64(Ref *s, u32 rm, double x)
{
    return to_int(s, rm, x, 0, 0x1.fffffffffffffp63, 0, UINT64_MAX);
}
FLOAT(f_to_i32, to_i32(s, s->rm, value(a)))
FLOAT(f_to_u32, to_u32(s, s->rm, value(a)))
FLOAT(f_to_i32_rtz, to_i32(s, RTZ, value(a)))
FLOAT(f_to_u32_rtz, to_u32(s, RTZ, value(a)))

/* to register pairs */
static double value64(u64 a) { return isnan(to_double(a)) ? NAN : to_double(a); }
static u64 w_of_f32(Ref *s, u64 a, u64 b, u64 c)
{
    (void)b, (void)c;
    s->fflags |= is_snan(a) ? NV : 0;
    return is_nan(a) ? CANONICAL64 : of_double((double)to_float(a));
}
FLOAT(w_to_i64, to_i64(s, s->rm, value(a)))
FLOAT(w_to_u64, to_u64(s, s->rm, value(a)))
FLOAT(w_to_i64_rtz, to_i64(s, RTZ, value(a)))
FLOAT(w_to_u64_rtz, to_u64(s, RTZ, value(a)))
FLOAT(w_of_i32, ((void)s, of_double((i32)(u32)a)))
FLOAT(w_of_u32, ((void)s, of_double((u32)a)))

/* and from them */
FLOAT(n_to_i32, to_i32(s, s->rm, value64(a)))
FLOAT(n_to_u32, to_u32(s, s->rm, value64(a)))
FLOAT(n_to_i32_rtz, to_i32(s, RTZ, value64(a)))
FLOAT(n_to_u32_rtz, to_u32(s, RTZ, value64(a)))

typedef enum { FROM_F64, FROM_I64, FROM_U64 } From;

static float shorten(From from, u64 a, int mode, u32 *flags)
{
    volatile double d = to_double(a);
    volatile i64 i = (i64)a;
    volatile u64 u = a;
    volatile float r;
    fesetround(mode);
    feclearexcept(FE_ALL_EXCEPT);
    r = from == FROM_F64 ? (float)d : from == FROM_I64 ? (float)i : (float)u;
    *flags = host_flags();
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    return r;
}

static u64 to_f32(Ref *s, u32 rm, From from, u64 a)
{
    u32 flags, ignored;
    if (from == FROM_F64 && isnan(to_double(a))) {
        s->fflags |= is_snan64(a) ? NV : 0;
        return CANONICAL;
    }
    float r = shorten(from, a, host_mode(rm), &flags);
    if (from == FROM_F64)
        flags = flags_after_rounding(to_double(a), r, host_mode(rm), flags);
    const long double exact = from == FROM_F64 ? (long double)to_double(a)
                              : from == FROM_I64 ? (long double)(i64)a : (long double)a;
    if (rm == RMM && flags & NX && !isinf(r))
        r = tie_away(r, shorten(from, a, FE_TOWARDZERO, &ignored), exact);
    s->fflags |= flags;
    return rm == ROD && flags & NX ? of_float(r) | 1 : of_float(r);
}
FLOAT(n_of_f64, to_f32(s, s->rm, FROM_F64, a))
FLOAT(n_of_f64_odd, to_f32(s, ROD, FROM_F64, a))
FLOAT(n_of_i64, to_f32(s, s->rm, FROM_I64, a))
FLOAT(n_of_u64, to_f32(s, s->rm, FROM_U64, a))

/* Estimates of seven bits: that of the middle of the interval (V 1.0, 13.9 and 13.10). */
static u64 f_rec7(Ref *s, u64 a, u64 b, u64 c)
{
    const float f = to_float(a), sign = copysignf(1, f);
    int exp;
    (void)b, (void)c;
    s->fflags |= is_snan(a) ? NV : f == 0 ? DZ : 0;
    if (is_nan(a))
        return CANONICAL;
    if (f == 0 || isinf(f))
        return of_float(sign * (f == 0 ? INFINITY : 0.0f));
    const double m = frexp(fabs((double)f), &exp) * 2; /* 1 <= m < 2, times 2^(exp - 1) */
    const double middle = 1 + (floor((m - 1) * 128) + 0.5) / 128;
    const double r = ldexp(1 + floor(256 / middle - 128 + 0.5) / 128, -exp);
    if (r < 0x1p128)
        return of_float(sign * (float)r);
    s->fflags |= OF | NX;
    const bool inward = s->rm == RTZ || (s->rm == RDN && sign > 0) || (s->rm == RUP && sign < 0);
    return of_float(sign * (inward ? 0x1.fffffep127f : INFINITY));
}

static u64 f_rsqrt7(Ref *s, u64 a, u64 b, u64 c)
{
    const float f = to_float(a);
    int exp;
    (void)b, (void)c;
    s->fflags |= is_snan(a) || (!is_nan(a) && f < 0) ? NV : f == 0 ? DZ : 0;
    if (is_nan(a) || f < 0)
        return CANONICAL;
    if (f == 0 || isinf(f))
        return of_float(f == 0 ? copysignf(INFINITY, f) : 0.0f);
    double m = frexp((double)f, &exp) * 2; /* times 2^(exp - 1) */
    const double middle = 1 + (floor((m - 1) * 64) + 0.5) / 64;
    const bool odd = (exp - 1) & 1;
    const double r = floor((2 / sqrt(odd ? 2 * middle : middle) - 1) * 128 + 0.5) / 128 + 1;
    return of_float((float)ldexp(r, -(exp - 1 - odd) / 2 - 1));
}

/* --- the table --- */

#define ROW(name, shape, fn) {name, shape, fn, 0, false, false}
#define FROW(name, shape, fn) {name, shape, fn, 0, false, true}
#define MROW(name, shape, fn, width, sgn) {name, shape, fn, width, sgn, false}
#define VV_VX(name, fn) ROW(name ".vv", V_VV, fn), ROW(name ".vx", V_VX, fn)
#define VV_VX_VI(name, fn) VV_VX(name, fn), ROW(name ".vi", V_VI, fn)
#define VV_VF(name, fn) FROW(name ".vv", V_VV, fn), FROW(name ".vf", V_VX, fn)
#define SHIFT(name, fn) VV_VX(name, fn), ROW(name ".vi", V_VH, fn)
#define NARROW(name, fn) ROW(name ".wv", V_NARROWV, fn), ROW(name ".wx", V_NARROWX, fn), \
                         ROW(name ".wi", V_NARROWI, fn)
#define NONE NULL

static const RefRow rows[] = {
    ROW("lui", X_LUI, NONE),
    ROW("auipc", X_AUIPC, NONE),
    ROW("jal", X_JAL, NONE),
    ROW("jalr", X_JALR, NONE),
    ROW("beq", X_BRANCH, i_eq),
    ROW("bne", X_BRANCH, i_ne),
    ROW("blt", X_BRANCH, i_lt),
    ROW("bge", X_BRANCH, i_ge),
    ROW("bltu", X_BRANCH, i_ltu),
    ROW("bgeu", X_BRANCH, i_geu),
    MROW("lb", X_LOAD, NONE, 1, true),
    MROW("lh", X_LOAD, NONE, 2, true),
    MROW("lw", X_LOAD, NONE, 4, false),
    MROW("lbu", X_LOAD, NONE, 1, false),
    MROW("lhu", X_LOAD, NONE, 2, false),
    MROW("sb", X_STORE, NONE, 1, false),
    MROW("sh", X_STORE, NONE, 2, false),
    MROW("sw", X_STORE, NONE, 4, false),
    MROW("flw", X_LOAD, NONE, 4, false),
    MROW("fsw", X_STORE, NONE, 4, false),
    ROW("addi", X_RI, i_add),
    ROW("slti", X_RI, i_lt),
    ROW("sltiu", X_RI, i_ltu),
    ROW("xori", X_RI, i_xor),
    ROW("ori", X_RI, i_or),
    ROW("andi", X_RI, i_and),
    ROW("slli", X_SH, i_sll),
    ROW("srli", X_SH, i_srl),
    ROW("srai", X_SH, i_sra),
    ROW("add", X_RR, i_add),
    ROW("sub", X_RR, i_sub),
    ROW("sll", X_RR, i_sll),
    ROW("slt", X_RR, i_lt),
    ROW("sltu", X_RR, i_ltu),
    ROW("xor", X_RR, i_xor),
    ROW("srl", X_RR, i_srl),
    ROW("sra", X_RR, i_sra),
    ROW("or", X_RR, i_or),
    ROW("and", X_RR, i_and),
    ROW("fence", X_NOTHING, NONE),
    ROW("fence.i", X_NOTHING, NONE),
    ROW("mul", X_RR, i_mul),
    ROW("mulh", X_RR, i_mulh),
    ROW("mulhsu", X_RR, i_mulhsu),
    ROW("mulhu", X_RR, i_mulhu),
    ROW("div", X_RR, i_div),
    ROW("divu", X_RR, i_divu),
    ROW("rem", X_RR, i_rem),
    ROW("remu", X_RR, i_remu),
    ROW("csrrw", X_CSR, i_second),
    ROW("csrrs", X_CSR, i_or),
    ROW("csrrc", X_CSR, i_andn),
    ROW("csrrwi", X_CSRI, i_second),
    ROW("csrrsi", X_CSRI, i_or),
    ROW("csrrci", X_CSRI, i_andn),

    FROW("fmadd.s", X_F3, f_macc),
    FROW("fmsub.s", X_F3, f_msac),
    FROW("fnmsub.s", X_F3, f_nmsac),
    FROW("fnmadd.s", X_F3, f_nmacc),
    FROW("fadd.s", X_F2, f_add),
    FROW("fsub.s", X_F2, f_sub),
    FROW("fmul.s", X_F2, f_mul),
    FROW("fdiv.s", X_F2, f_div),
    FROW("fsqrt.s", X_F1, f_sqrt),
    ROW("fsgnj.s", X_RR, f_sgnj),
    ROW("fsgnjn.s", X_RR, f_sgnjn),
    ROW("fsgnjx.s", X_RR, f_sgnjx),
    ROW("fmin.s", X_RR, f_min),
    ROW("fmax.s", X_RR, f_max),
    ROW("feq.s", X_RR, f_eq),
    ROW("flt.s", X_RR, f_lt),
    ROW("fle.s", X_RR, f_le),
    ROW("fclass.s", X_1, f_class),
    FROW("fcvt.w.s", X_F1, f_to_i32),
    FROW("fcvt.wu.s", X_F1, f_to_u32),
    FROW("fcvt.s.w", X_F1, f_of_i32),
    FROW("fcvt.s.wu", X_F1, f_of_u32),
    ROW("fmv.x.w", X_1, i_first),
    ROW("fmv.w.x", X_1, i_first),

    MROW("amoswap.w", A_AMO, i_second, 4, false),
    MROW("amoadd.w", A_AMO, i_add, 4, false),
    MROW("amoxor.w", A_AMO, i_xor, 4, false),
    MROW("amoand.w", A_AMO, i_and, 4, false),
    MROW("amoor.w", A_AMO, i_or, 4, false),
    MROW("amomin.w", A_AMO, i_min, 4, false),
    MROW("amomax.w", A_AMO, i_max, 4, false),
    MROW("amominu.w", A_AMO, i_minu, 4, false),
    MROW("amomaxu.w", A_AMO, i_maxu, 4, false),
    MROW("lr.w", A_LR, NONE, 4, false),
    MROW("sc.w", A_SC, NONE, 4, false),

    ROW("vsetvli", X_VSETVLI, NONE),
    ROW("vsetivli", X_VSETIVLI, NONE),
    ROW("vsetvl", X_VSETVL, NONE),

    MROW("vle8.v", L_UNIT, NONE, 1, false),
    MROW("vle16.v", L_UNIT, NONE, 2, false),
    MROW("vle32.v", L_UNIT, NONE, 4, false),
    MROW("vse8.v", S_UNIT, NONE, 1, false),
    MROW("vse16.v", S_UNIT, NONE, 2, false),
    MROW("vse32.v", S_UNIT, NONE, 4, false),
    MROW("vlse8.v", L_STRIDE, NONE, 1, false),
    MROW("vlse16.v", L_STRIDE, NONE, 2, false),
    MROW("vlse32.v", L_STRIDE, NONE, 4, false),
    MROW("vsse8.v", S_STRIDE, NONE, 1, false),
    MROW("vsse16.v", S_STRIDE, NONE, 2, false),
    MROW("vsse32.v", S_STRIDE, NONE, 4, false),
    MROW("vluxei8.v", L_INDEX, NONE, 1, false),
    MROW("vluxei16.v", L_INDEX, NONE, 2, false),
    MROW("vluxei32.v", L_INDEX, NONE, 4, false),
    MROW("vloxei8.v", L_INDEX, NONE, 1, false),
    MROW("vloxei16.v", L_INDEX, NONE, 2, false),
    MROW("vloxei32.v", L_INDEX, NONE, 4, false),
    MROW("vsuxei8.v", S_INDEX, NONE, 1, false),
    MROW("vsuxei16.v", S_INDEX, NONE, 2, false),
    MROW("vsuxei32.v", S_INDEX, NONE, 4, false),
    MROW("vsoxei8.v", S_INDEX, NONE, 1, false),
    MROW("vsoxei16.v", S_INDEX, NONE, 2, false),
    MROW("vsoxei32.v", S_INDEX, NONE, 4, false),
    MROW("vlb12.v", L_12, NONE, 1, true),
    MROW("vlh12.v", L_12, NONE, 2, true),
    MROW("vlw12.v", L_12, NONE, 4, false),
    MROW("vlbu12.v", L_12, NONE, 1, false),
    MROW("vlhu12.v", L_12, NONE, 2, false),
    MROW("vsb12.v", S_12, NONE, 1, false),
    MROW("vsh12.v", S_12, NONE, 2, false),
    MROW("vsw12.v", S_12, NONE, 4, false),
    MROW("vlb.v", L_PRIVATE, NONE, 1, true),
    MROW("vlh.v", L_PRIVATE, NONE, 2, true),
    MROW("vlw.v", L_PRIVATE, NONE, 4, false),
    MROW("vlbu.v", L_PRIVATE, NONE, 1, false),
    MROW("vlhu.v", L_PRIVATE, NONE, 2, false),
    MROW("vsb.v", S_PRIVATE, NONE, 1, false),
    MROW("vsh.v", S_PRIVATE, NONE, 2, false),
    MROW("vsw.v", S_PRIVATE, NONE, 4, false),

    VV_VX_VI("vadd", i_add),
    VV_VX("vsub", i_sub),
    ROW("vrsub.vx", V_VX, i_rsub),
    ROW("vrsub.vi", V_VI, i_rsub),
    VV_VX("vminu", i_minu),
    VV_VX("vmin", i_min),
    VV_VX("vmaxu", i_maxu),
    VV_VX("vmax", i_max),
    VV_VX_VI("vand", i_and),
    VV_VX_VI("vor", i_or),
    VV_VX_VI("vxor", i_xor),
    SHIFT("vsll", i_sll),
    SHIFT("vsrl", i_srl),
    SHIFT("vsra", i_sra),
    VV_VX_VI("vmseq", i_eq),
    VV_VX_VI("vmsne", i_ne),
    VV_VX("vmsltu", i_ltu),
    VV_VX("vmslt", i_lt),
    VV_VX("vmsleu", i_leu),
    ROW("vmsleu.vi", V_VZ, i_leu),
    VV_VX_VI("vmsle", i_le),
    ROW("vmsgtu.vx", V_VX, i_gtu),
    ROW("vmsgtu.vi", V_VZ, i_gtu),
    ROW("vmsgt.vx", V_VX, i_gt),
    ROW("vmsgt.vi", V_VI, i_gt),
    VV_VX("vmul", i_mul),
    VV_VX("vmulh", i_mulh),
    VV_VX("vmulhu", i_mulhu),
    VV_VX("vmulhsu", i_mulhsu),
    VV_VX("vdivu", i_divu),
    VV_VX("vdiv", i_div),
    VV_VX("vremu", i_remu),
    VV_VX("vrem", i_rem),
    VV_VX("vmacc", i_macc),
    VV_VX("vnmsac", i_nmsac),
    VV_VX("vmadd", i_madd),
    VV_VX("vnmsub", i_nmsub),
    ROW("vmerge.vvm", V_MERGEV, NONE),
    ROW("vmerge.vxm", V_MERGEX, NONE),
    ROW("vmerge.vim", V_MERGEI, NONE),
    ROW("vmv.v.v", V_CPV, i_second),
    ROW("vmv.v.x", V_CPX, i_second),
    ROW("vmv.v.i", V_CPI, i_second),
    ROW("vmv.x.s", V_TOX, NONE),
    ROW("vmv.s.x", V_CPX, i_second),
    ROW("vzext.vf2", V_1, i_zext16),
    ROW("vzext.vf4", V_1, i_zext8),
    ROW("vsext.vf2", V_1, i_sext16),
    ROW("vsext.vf4", V_1, i_sext8),
    NARROW("vnsrl", n_srl),
    NARROW("vnsra", n_sra),
    NARROW("vnclipu", n_clipu),
    NARROW("vnclip", n_clip),
    VV_VX("vsaddu", x_saddu),
    ROW("vsaddu.vi", V_VZ, x_saddu),
    VV_VX_VI("vsadd", x_sadd),
    VV_VX("vssubu", x_ssubu),
    VV_VX("vssub", x_ssub),
    VV_VX("vaaddu", x_aaddu),
    VV_VX("vaadd", x_aadd),
    VV_VX("vasubu", x_asubu),
    VV_VX("vasub", x_asub),
    VV_VX("vsmul", x_smul),
    SHIFT("vssrl", x_ssrl),
    SHIFT("vssra", x_ssra),

    VV_VF("vfadd", f_add),
    VV_VF("vfsub", f_sub),
    FROW("vfrsub.vf", V_VX, f_rsub),
    VV_VF("vfmul", f_mul),
    VV_VF("vfdiv", f_div),
    FROW("vfrdiv.vf", V_VX, f_rdiv),
    VV_VF("vfmin", f_min),
    VV_VF("vfmax", f_max),
    ROW("vfsgnj.vv", V_VV, f_sgnj),
    ROW("vfsgnj.vf", V_VX, f_sgnj),
    ROW("vfsgnjn.vv", V_VV, f_sgnjn),
    ROW("vfsgnjn.vf", V_VX, f_sgnjn),
    ROW("vfsgnjx.vv", V_VV, f_sgnjx),
    ROW("vfsgnjx.vf", V_VX, f_sgnjx),
    VV_VF("vmfeq", f_eq),
    VV_VF("vmfne", f_ne),
    VV_VF("vmflt", f_lt),
    VV_VF("vmfle", f_le),
    FROW("vmfgt.vf", V_VX, f_gt),
    FROW("vmfge.vf", V_VX, f_ge),
    FROW("vfsqrt.v", V_1, f_sqrt),
    ROW("vfclass.v", V_1, f_class),
    FROW("vfrsqrt7.v", V_1, f_rsqrt7),
    FROW("vfrec7.v", V_1, f_rec7),
    VV_VF("vfmacc", f_macc),
    VV_VF("vfnmacc", f_nmacc),
    VV_VF("vfmsac", f_msac),
    VV_VF("vfnmsac", f_nmsac),
    VV_VF("vfmadd", f_madd),
    VV_VF("vfnmadd", f_nmadd),
    VV_VF("vfmsub", f_msub),
    VV_VF("vfnmsub", f_nmsub),
    FROW("vfcvt.xu.f.v", V_1, f_to_u32),
    FROW("vfcvt.x.f.v", V_1, f_to_i32),
    FROW("vfcvt.f.xu.v", V_1, f_of_u32),
    FROW("vfcvt.f.x.v", V_1, f_of_i32),
    FROW("vfcvt.rtz.xu.f.v", V_1, f_to_u32_rtz),
    FROW("vfcvt.rtz.x.f.v", V_1, f_to_i32_rtz),
    FROW("vfwcvt.xu.f.v", V_FWIDEN, w_to_u64),
    FROW("vfwcvt.x.f.v", V_FWIDEN, w_to_i64),
    FROW("vfwcvt.f.xu.v", V_FWIDEN, w_of_u32),
    FROW("vfwcvt.f.x.v", V_FWIDEN, w_of_i32),
    FROW("vfwcvt.f.f.v", V_FWIDEN, w_of_f32),
    FROW("vfwcvt.rtz.xu.f.v", V_FWIDEN, w_to_u64_rtz),
    FROW("vfwcvt.rtz.x.f.v", V_FWIDEN, w_to_i64_rtz),
    FROW("vfncvt.xu.f.w", V_FNARROW, n_to_u32),
    FROW("vfncvt.x.f.w", V_FNARROW, n_to_i32),
    FROW("vfncvt.f.xu.w", V_FNARROW, n_of_u64),
    FROW("vfncvt.f.x.w", V_FNARROW, n_of_i64),
    FROW("vfncvt.f.f.w", V_FNARROW, n_of_f64),
    FROW("vfncvt.rod.f.f.w", V_FNARROW, n_of_f64_odd),
    FROW("vfncvt.rtz.xu.f.w", V_FNARROW, n_to_u32_rtz),
    FROW("vfncvt.rtz.x.f.w", V_FNARROW, n_to_i32_rtz),
    ROW("vfmerge.vfm", V_MERGEX, NONE),
    ROW("vfmv.v.f", V_CPX, i_second),
    ROW("vfmv.f.s", V_TOX, NONE),
    ROW("vfmv.s.f", V_CPX, i_second),
    ROW("vmand.mm", V_VV, i_and),
    ROW("vmnand.mm", V_VV, i_nand),
    ROW("vmandn.mm", V_VV, i_andn),
    ROW("vmxor.mm", V_VV, i_xor),
    ROW("vmor.mm", V_VV, i_or),
    ROW("vmnor.mm", V_VV, i_nor),
    ROW("vmorn.mm", V_VV, i_orn),
    ROW("vmxnor.mm", V_VV, i_xnor),
    ROW("vid.v", V_ID, NONE),

    ROW("vbeq", W_BRANCH, i_eq),
    ROW("vbne", W_BRANCH, i_ne),
    ROW("vblt", W_BRANCH, i_lt),
    ROW("vbge", W_BRANCH, i_ge),
    ROW("vbltu", W_BRANCH, i_ltu),
    ROW("vbgeu", W_BRANCH, i_geu),
    ROW("join", W_JOIN, NONE),
    ROW("setrpc", W_SETRPC, NONE),
    ROW("regext", W_PREFIX, NONE),
    ROW("regexti", W_PREFIX, NONE),
    ROW("endprg", W_END, NONE),
    ROW("barrier", W_BARRIER, NONE),
    ROW("barriersub", W_SUBBARRIER, NONE),
    ROW("vadd12.vi", V_I12, i_add),
    ROW("vsub12.vi", V_I12, i_sub),
    ROW("vfexp", V_EXP, NONE),
    FROW("vftta.vv", V_TTA, NONE),
    ROW("csrrsv", V_CSR, NONE),
};

const RefRow *ref_find(const char *mnemonic)
{
    for (size_t i = 0; i < countof(rows); i++)
        if (!strcmp(rows[i].name, mnemonic))
            return &rows[i];
    return NULL;
}

/* --- one word, taken apart --- */

/* Register numbers with their prefix, and immediates. */
typedef struct {
    u32 rd, rs1, rs2, rs3, vs3;
    i32 imm12, store12, imm5;
    u32 field1, field2;     /* the bare five-bit fields of rs1 and rs2 */
    bool vm, wide_imm;
    u32 word, pc;           /* of the instruction proper */
} Parts;

static i32 sext(u32 v, u32 bits) { return (i32)(v << (32 - bits)) >> (32 - bits); }

static Parts take_apart(u32 pc, u32 prefix, u32 word)
{
    const u32 p = prefix >> 20, rd = word >> 7 & 31, rs1 = word >> 15 & 31, rs2 = word >> 20 & 31;
    const bool with_imm = prefix && (prefix >> 12 & 7) == 3;
    const u32 xd = p & 7, x1 = with_imm ? 0 : p >> 3 & 7, x2 = with_imm ? p >> 3 & 7 : p >> 6 & 7;
    const u32 x3 = with_imm ? 0 : p >> 9 & 7;
    return (Parts){
        .rd = xd * 32 + rd, .rs1 = x1 * 32 + rs1, .rs2 = x2 * 32 + rs2,
        .rs3 = x3 * 32 + (word >> 27), .vs3 = (x3 ? x3 : xd) * 32 + rd,
        .imm12 = (i32)word >> 20, .store12 = ((i32)word >> 25) * 32 + (i32)rd,
        .imm5 = with_imm ? sext((p >> 6) * 32 + rs1, 11) : sext(rs1, 5),
        .field1 = rs1, .field2 = rs2, .vm = word >> 25 & 1, .wide_imm = with_imm, .word = word,
        .pc = prefix ? pc + 4 : pc,
    };
}

u32 ref_exec(const Ref *s, bool vm)
{
    u32 exec = 0;
    for (u32 i = 0; i < s->lanes; i++) {
        bool on = s->mask >> i & 1 && i < s->vl;
        if (!vm)
            switch (s->vm) {
            case VM_OWN: on &= s->v[0][i] & 1; break;
            case VM_SPIKE: /* bit i of the packed register, i < 32 */
            case VM_RTL: on &= s->v[0][0] >> i & 1; break;
            case VM_IGNORE: break;
            }
        exec |= (u32)on << i;
    }
    return exec;
}

static void set_x(Ref *s, u32 n, u64 value)
{
    if (n)
        s->x[n] = (u32)value;
}

/* --- memory --- */

u8 *ref_bytes(Ref *s, u32 addr, u32 size)
{
    for (int i = 0; i < REF_WINDOWS && s->window[i].size; i++) {
        const RefWindow *w = &s->window[i];
        if (addr - w->lo < w->size && size <= w->size - (addr - w->lo))
            return w->bytes + (addr - w->lo);
    }
    return NULL;
}

static bool load(Ref *s, u32 addr, const RefRow *row, u32 width, u32 *value)
{
    const u8 *p = ref_bytes(s, addr, width);
    if (!p) {
        s->fault = FAULT_LOAD;
        return false;
    }
    *value = 0;
    for (u32 i = 0; i < width; i++)
        *value |= (u32)p[i] << 8 * i;
    if (row->sgn)
        *value = (u32)sext(*value, 8 * width);
    return true;
}

static bool store(Ref *s, u32 addr, u32 width, u32 value)
{
    u8 *p = ref_bytes(s, addr, width);
    if (!p) {
        s->fault = FAULT_STORE;
        return false;
    }
    for (u32 i = 0; i < width; i++)
        p[i] = (u8)(value >> 8 * i);
    for (u32 i = 0; i < 32; i++)
        if (s->reserved[i] && (u64)addr < (u64)s->reserved_addr[i] + 4 &&
            (u64)s->reserved_addr[i] < (u64)addr + width)
            s->reserved[i] = false;
    return true;
}

static u32 lane_address(const Ref *s, const RefRow *row, const Parts *p, u32 lane)
{
    const u32 base = s->x[p->rs1 % 64];
    u32 a;
    switch (row->shape) {
    case L_UNIT:
    case S_UNIT: return base + lane * row->width;
    case L_STRIDE:
    case S_STRIDE: return base + lane * s->x[p->rs2 % 64];
    case L_INDEX:
    case S_INDEX:
        a = s->v[p->rs2][lane];
        return base + (row->width == 1 ? a % 256 : row->width == 2 ? a % 65536 : a);
    case L_12: return s->v[p->rs1][lane] + (u32)p->imm12;
    case S_12: return s->v[p->rs1][lane] + (u32)p->store12;
    case L_PRIVATE:
    case S_PRIVATE:
        /* eleven bits; bit 31 tells stores */
        a = s->v[p->rs1][lane];
        a += (u32)(row->shape == L_PRIVATE
                       ? sext(p->word >> 20 & 0x7ff, 11)
                       : sext((p->word >> 25 & 63) * 32 + (p->word >> 7 & 31), 11));
        return s->pds + a / 4 * 4 * s->warps * s->lanes + (s->warp * s->lanes + lane) * 4 + a % 4;
    default: return s->v[p->rs1][lane];
    }
}

static void vector_load(Ref *s, const RefRow *row, const Parts *p, u32 exec)
{
    const bool indexed = row->shape == L_INDEX;
    u32 addr[32];
    for (u32 i = 0; i < 32; i++)
        addr[i] = lane_address(s, row, p, i);
    for (u32 i = 0; i < 32; i++)
        if (exec >> i & 1 && !load(s, addr[i], row, indexed ? 4 : row->width, &s->v[p->rd][i]))
            return;
}

static void vector_store(Ref *s, const RefRow *row, const Parts *p, u32 exec)
{
    const bool custom = row->shape == S_12 || row->shape == S_PRIVATE;
    const u32 data = custom ? p->rs2 : p->vs3;
    for (u32 i = 0; i < 32; i++)
        if (exec >> i & 1 && !store(s, lane_address(s, row, p, i),
                                    row->shape == S_INDEX ? 4 : row->width, s->v[data][i]))
            return;
}

static void atomic(Ref *s, const RefRow *row, const Parts *p, u32 exec)
{
    u32 addr[32], source[32], old;
    for (u32 i = 0; i < 32; i++)
        addr[i] = s->v[p->rs1][i], source[i] = s->v[p->rs2][i];
    for (u32 i = 0; i < 32; i++) {
        if (!(exec >> i & 1))
            continue;
        if (addr[i] % 4) {
            s->fault = FAULT_ATOMIC_MISALIGNED;
            return;
        }
        if (!load(s, addr[i], row, 4, &old))
            return;
        if (row->shape == A_LR) {
            s->reserved[i] = true;
            s->reserved_addr[i] = addr[i];
            s->reserved_value[i] = old;
        } else if (row->shape == A_SC) {
            const bool held = s->reserved[i] && s->reserved_addr[i] == addr[i];
            s->reserved[i] = false;
            if (held)
                store(s, addr[i], 4, source[i]);
            old = !held;
        } else {
            store(s, addr[i], 4, (u32)row->fn(s, old, source[i], 0));
        }
        s->v[p->rd][i] = old;
    }
}

/* --- CSRs --- */

static u32 csr_value(const Ref *s, u32 n)
{
    switch (n) {
    case 0x001: return s->fflags;
    case 0x002: return s->frm;
    case 0x003: return s->fflags + 32 * s->frm;
    case 0x009: return s->vxsat;
    case 0x00a: return s->vxrm;
    case 0x00f: return s->vxsat + 2 * s->vxrm;
    case 0x300: return s->mstatus | 0x1800;
    case 0x304: return s->mie;
    case 0x340: return s->mscratch;
    case 0x341: return s->mepc;
    case 0x342: return s->mcause;
    case 0x343: return s->mtval;
    case 0x344: return s->mip;
    case 0x800: return s->warp * s->lanes;
    case 0x801: return s->warps;
    case 0x802: return s->lanes;
    case 0x803: return s->knl;
    case 0x804: return s->linear;
    case 0x805: return s->warp;
    case 0x806: return LDS_LO;
    case 0x807: return s->pds;
    case 0x808: return s->group[0];
    case 0x809: return s->group[1];
    case 0x80a: return s->group[2];
    case 0x80b: return s->print;
    case 0x80c: return s->rpc;
    case 0xc20: return s->vl;
    case 0xc21: return s->vtype;
    case 0xc22: return 4 * s->lanes;
    case 0xf14: return s->warp;
    default: return 0;
    }
}

static void csr_set(Ref *s, u32 n, u32 v)
{
    switch (n) {
    case 0x001: s->fflags = v % 32; break;
    case 0x002: s->frm = v % 8; break;
    case 0x003: s->fflags = v % 32, s->frm = v / 32 % 8; break;
    case 0x009: s->vxsat = v % 2; break;
    case 0x00a: s->vxrm = v % 4; break;
    case 0x00f: s->vxsat = v % 2, s->vxrm = v / 2 % 4; break;
    case 0x300: s->mstatus = v & 0x88; break;
    case 0x304: s->mie = v & 0x888; break;
    case 0x340: s->mscratch = v; break;
    case 0x341: s->mepc = v; break;
    case 0x342: s->mcause = v; break;
    case 0x343: s->mtval = v; break;
    case 0x344: s->mip = v & 0x888; break;
    case 0x80b: s->print = v; break;
    default: break;
    }
}

static void csr(Ref *s, const RefRow *row, const Parts *p)
{
    const u32 n = p->word >> 20, old = csr_value(s, n);
    const u32 source = row->shape == X_CSRI ? p->field1 : s->x[p->rs1];
    const bool nothing = row->shape == X_CSRI ? !p->field1 : !p->rs1;
    if (row->fn == i_second || !nothing)
        csr_set(s, n, (u32)row->fn(s, old, source, 0));
    set_x(s, p->rd, old);
}

/* ids of work-items as OpenCL counts them, x fastest */
static bool lane_csr(const Ref *s, u32 n, u32 lane, u32 *value)
{
    u32 local[3], from_zero[3], left = s->warp * s->lanes + lane;
    for (int k = 0; k < 3; k++) {
        local[k] = left % s->local[k];
        left /= s->local[k];
        from_zero[k] = s->group[k] * s->local[k] + local[k];
    }
    switch (n) {
    case 0x80d:
    case 0x80e:
    case 0x80f: *value = from_zero[n - 0x80d] + s->offset[n - 0x80d]; return true;
    case 0x810:
        *value = from_zero[0] + s->global[0] * (from_zero[1] + s->global[1] * from_zero[2]);
        return true;
    case 0x811:
    case 0x812:
    case 0x813: *value = local[n - 0x811]; return true;
    default: return false;
    }
}

static void set_vl(Ref *s, const RefRow *row, const Parts *p)
{
    const u32 type = row->shape == X_VSETVLI ? p->word >> 20 & 0x7ff
                     : row->shape == X_VSETIVLI ? p->word >> 20 & 0x3ff : s->x[p->rs2];
    u32 avl = s->x[p->rs1 % 64];
    if ((type & ~0xc0u) != 0x10) {
        s->fault = FAULT_VTYPE;
        return;
    }
    if (row->shape == X_VSETIVLI)
        avl = p->field1;
    else if (!p->rs1)
        avl = p->rd ? UINT32_MAX : s->vl;
    s->vtype = type;
    s->vl = avl < s->lanes ? avl : s->lanes;
    set_x(s, p->rd, s->vl);
}

/* --- divergence --- */

static u32 count(u32 set)
{
    u32 n = 0;
    for (; set; set >>= 1)
        n += set & 1;
    return n;
}

static u32 relative(const Parts *p)
{
    const u32 w = p->word;
    return p->pc + (u32)sext((w >> 31) << 12 | (w >> 7 & 1) << 11 | (w >> 25 & 63) << 5 |
                                 (w >> 8 & 15) << 1,
                             13);
}

static void branch_lanes(Ref *s, const RefRow *row, const Parts *p)
{
    const u32 target = relative(p), rpc = s->rpc;
    u32 holds = 0;
    for (u32 i = 0; i < s->lanes; i++)
        if (ref_exec(s, true) >> i & 1 && row->fn(s, s->v[p->rs2][i], s->v[p->rs1][i], 0))
            holds |= 1u << i;
    const u32 others = s->mask & ~holds;
    if (!holds)
        return;
    if (!others) {
        s->pc = target;
        return;
    }
    s->stack[s->nstack++] = (SimtEntry){rpc, rpc, s->mask};
    if (count(others) < count(holds)) {
        s->stack[s->nstack++] = (SimtEntry){rpc, target, holds};
        s->mask = others;
    } else {
        s->stack[s->nstack++] = (SimtEntry){rpc, p->pc + 4, others};
        s->mask = holds;
        s->pc = target;
    }
}

static void join(Ref *s, const Parts *p)
{
    if (!s->nstack || s->stack[s->nstack - 1].rpc != p->pc)
        return;
    s->mask = s->stack[--s->nstack].mask;
    s->pc = s->stack[s->nstack].pc;
}

/* --- vector arithmetic --- */

static u64 pair(const Ref *s, u32 n, u32 lane)
{
    return (u64)s->v[n + 1][lane] << 32 | s->v[n][lane];
}

/* the second source of lane i: vs1, rs1 or the immediate */
static u64 second(const Ref *s, const RefRow *row, const Parts *p, u32 i)
{
    switch (row->shape) {
    case V_VV:
    case V_CPV:
    case V_MERGEV:
    case V_NARROWV: return s->v[p->rs1][i];
    case V_VX:
    case V_CPX:
    case V_MERGEX:
    case V_NARROWX: return s->x[p->rs1];
    case V_VZ: return p->wide_imm ? (u32)p->imm5 : p->field1;
    case V_NARROWI: return p->wide_imm ? (u32)p->imm5 : p->field1;
    case V_I12: return (u32)p->imm12;
    default: return (u32)p->imm5;
    }
}

static void lanes(Ref *s, const RefRow *row, const Parts *p, u32 exec)
{
    const bool merges = row->shape == V_MERGEV || row->shape == V_MERGEX || row->shape == V_MERGEI;
    const bool narrows = row->shape == V_NARROWV || row->shape == V_NARROWX ||
                         row->shape == V_NARROWI || row->shape == V_FNARROW;
    const u32 chosen = ref_exec(s, false);
    for (u32 i = 0; i < 32; i++) {
        if (!(exec >> i & 1))
            continue;
        const u64 b = second(s, row, p, i);
        const u64 a = narrows ? pair(s, p->rs2, i) : s->v[row->shape == V_I12 ? p->rs1 : p->rs2][i];
        if (merges) {
            s->v[p->rd][i] = chosen >> i & 1 ? (u32)b : (u32)a;
            continue;
        }
        const u64 r = row->fn(s, a, b, s->v[p->rd][i]);
        s->v[p->rd][i] = (u32)r;
        if (row->shape == V_FWIDEN)
            s->v[p->rd + 1][i] = (u32)(r >> 32);
    }
}

static void tensor(Ref *s, const Parts *p)
{
    const u32 m = s->lanes == 32 ? 4 : 2, n = s->lanes == 32 ? 8 : s->lanes == 8 ? 4 : 2;
    u32 sum[16];
    for (u32 i = 0; i < m * m; i++) {
        sum[i] = s->v[p->rd][i];
        for (u32 k = 0; k < n; k++)
            sum[i] = (u32)compute(s, FMA, s->v[p->rs1][i / m * n + k], s->v[p->rs2][i % m * n + k],
                                  sum[i]);
    }
    memcpy(s->v[p->rd], sum, m * m * sizeof *sum);
}

static void exponential(Ref *s, const Parts *p, u32 exec)
{
    for (u32 i = 0; i < 32; i++)
        if (exec >> i & 1) {
            const u32 a = s->v[p->rs2][i];
            s->v[p->rd][i] =
                is_nan(a) ? CANONICAL : of_float((float)expl((long double)to_float(a)));
        }
    feclearexcept(FE_ALL_EXCEPT);
    s->approximate = (int)p->rd;
}

/* --- one instruction --- */

/* which fields are scalar registers */
enum { RD = 1, RS1 = 2, RS2 = 4, RS3 = 8 };
static u32 scalars(RefShape shape)
{
    switch (shape) {
    case X_RR:
    case X_F2:
    case X_VSETVL: return RD | RS1 | RS2;
    case X_F3: return RD | RS1 | RS2 | RS3;
    case X_RI:
    case X_SH:
    case X_1:
    case X_F1:
    case X_JALR:
    case X_LOAD:
    case X_CSR:
    case X_VSETVLI:
    case W_SETRPC: return RD | RS1;
    case X_LUI:
    case X_AUIPC:
    case X_JAL:
    case X_CSRI:
    case X_VSETIVLI:
    case V_TOX: return RD;
    case X_BRANCH:
    case X_STORE:
    case L_STRIDE:
    case S_STRIDE: return RS1 | RS2;
    case V_VX:
    case V_CPX:
    case V_MERGEX:
    case V_NARROWX:
    case L_UNIT:
    case S_UNIT:
    case L_INDEX:
    case S_INDEX: return RS1;
    default: return 0;
    }
}

static FaultKind refusal(Ref *s, const RefRow *row, const Parts *p)
{
    const u32 x = scalars(row->shape);
    if ((x & RD && p->rd > 63) || (x & RS1 && p->rs1 > 63) || (x & RS2 && p->rs2 > 63) ||
        (x & RS3 && p->rs3 > 63))
        return FAULT_REGISTER;
    if ((row->shape == V_NARROWV || row->shape == V_NARROWX || row->shape == V_NARROWI ||
         row->shape == V_FNARROW) && p->rs2 & 1)
        return FAULT_REGISTER;
    if (row->shape == V_FWIDEN && p->rd & 1)
        return FAULT_REGISTER;
    if (row->shape == V_TTA && count(ref_exec(s, true)) != s->lanes)
        return FAULT_NEEDS_ALL_LANES;
    if (row->is_float) {
        const u32 field = p->word >> 12 & 7;
        s->rm = row->shape < V_VV && field != 7 ? field : s->frm;
        if (s->rm > RMM)
            return FAULT_FRM;
    }
    return FAULT_NONE;
}

static void scalar_step(Ref *s, const RefRow *row, const Parts *p)
{
    const u32 a = s->x[p->rs1 % 64], b = s->x[p->rs2 % 64], w = p->word, after = s->pc;
    u32 r;
    switch (row->shape) {
    case X_RR:
    case X_F2: set_x(s, p->rd, row->fn(s, a, b, 0)); break;
    case X_F3: set_x(s, p->rd, row->fn(s, a, b, s->x[p->rs3])); break;
    case X_RI: set_x(s, p->rd, row->fn(s, a, (u32)p->imm12, 0)); break;
    case X_SH: set_x(s, p->rd, row->fn(s, a, p->field2, 0)); break;
    case X_1:
    case X_F1: set_x(s, p->rd, row->fn(s, a, 0, 0)); break;
    case X_LUI: set_x(s, p->rd, w & 0xfffff000); break;
    case X_AUIPC: set_x(s, p->rd, p->pc + (w & 0xfffff000)); break;
    case X_JAL:
        s->pc = p->pc + (u32)sext((w >> 31) << 20 | (w >> 12 & 0xff) << 12 | (w >> 20 & 1) << 11 |
                                  (w >> 21 & 0x3ff) << 1, 21);
        set_x(s, p->rd, after);
        break;
    case X_JALR:
        s->pc = (a + (u32)p->imm12) & ~1u;
        set_x(s, p->rd, after);
        break;
    case X_BRANCH: s->pc = row->fn(s, a, b, 0) ? relative(p) : s->pc; break;
    case X_LOAD:
        if (load(s, a + (u32)p->imm12, row, row->width, &r))
            set_x(s, p->rd, r);
        break;
    case X_STORE: store(s, a + (u32)p->store12, row->width, b); break;
    case X_CSR:
    case X_CSRI: csr(s, row, p); break;
    case X_VSETVLI:
    case X_VSETIVLI:
    case X_VSETVL: set_vl(s, row, p); break;
    default: break;
    }
}

static void to_scalar(Ref *s, const Parts *p, u32 exec)
{
    for (u32 i = 0; i < 32; i++) /* the last one stays */
        if (exec >> i & 1)
            set_x(s, p->rd, s->v[p->rs2][i]);
}

static void vector_step(Ref *s, const RefRow *row, const Parts *p)
{
    const bool has_vm = (row->shape >= V_VV && row->shape <= V_1) || row->shape == V_ID ||
                        row->shape == V_EXP ||
                        (row->shape >= V_NARROWV && row->shape <= V_FNARROW) ||
                        (row->shape >= L_UNIT && row->shape <= S_INDEX);
    const u32 exec = ref_exec(s, !has_vm || p->vm);
    u32 v;
    switch (row->shape) {
    case V_TOX: to_scalar(s, p, exec); break;
    case V_ID:
    case V_CSR:
        for (u32 i = 0; i < 32; i++) {
            v = i;
            if (row->shape == V_CSR && !lane_csr(s, p->word >> 20, i, &v)) {
                s->fault = FAULT_CSR;
                return;
            }
            if (exec >> i & 1)
                s->v[p->rd][i] = v;
        }
        break;
    case V_EXP: exponential(s, p, exec); break;
    case V_TTA: tensor(s, p); break;
    case L_UNIT:
    case L_STRIDE:
    case L_INDEX:
    case L_12:
    case L_PRIVATE: vector_load(s, row, p, exec); break;
    case S_UNIT:
    case S_STRIDE:
    case S_INDEX:
    case S_12:
    case S_PRIVATE: vector_store(s, row, p, exec); break;
    case A_AMO:
    case A_LR:
    case A_SC: atomic(s, row, p, exec); break;
    default: lanes(s, row, p, exec); break;
    }
}

void ref_step(Ref *s, const RefRow *row, u32 prefix, u32 word)
{
    const Parts p = take_apart(s->pc, prefix, word);
    s->approximate = -1;
    s->fault = refusal(s, row, &p);
    if (s->fault != FAULT_NONE)
        return;
    s->pc = p.pc + 4;
    switch (row->shape) {
    case W_BRANCH: branch_lanes(s, row, &p); break;
    case W_JOIN: join(s, &p); break;
    case W_SETRPC:
        s->rpc = s->x[p.rs1] + (u32)p.imm12;
        set_x(s, p.rd, s->rpc);
        break;
    case W_END: s->state = WARP_DONE; break;
    case W_BARRIER: s->state = WARP_WAITING; break;
    case W_SUBBARRIER:
    case W_PREFIX:
    case X_NOTHING: break;
    default:
        if (row->shape < V_VV)
            scalar_step(s, row, &p);
        else
            vector_step(s, row, &p);
        break;
    }
}
