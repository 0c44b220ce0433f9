/* convert.cl -- convert_T, with saturation and rounding modes, for every pair of types.
 *
 * Between integers the mode of rounding does not matter.  A float or double is rounded to a whole
 * one first; the default is toward zero.  To float, the default is to nearest, which is what
 * the machine does; the directed modes convert the bits that fit, and look at the rest.
 */
#include "half.h"

/* --- scalars: to integers ------------------------------------------------------------------ */

#define FOUR_MODES(M, ...) M(_rte, __VA_ARGS__) M(_rtz, __VA_ARGS__) M(_rtp, __VA_ARGS__) M(_rtn, __VA_ARGS__)

#define AS_IT_IS(mode, name, D, S) D OVL name##mode(S x) { return name(x); }

#define PLAIN(D, S) \
    D FLAT convert_##D(S x) { return (D)x; } \
    FOUR_MODES(AS_IT_IS, convert_##D, D, S)

/* from a signed type, from an unsigned type: compare in a type that holds both */
#define SAT_FROM_S(D, S, LOW, HIGH) \
    D OVL convert_##D##_sat(S x) { return (long)x < LOW ? LOW : (long)x > HIGH ? HIGH : (D)x; } \
    FOUR_MODES(AS_IT_IS, convert_##D##_sat, D, S)
#define SAT_FROM_U(D, S, HIGH) \
    D OVL convert_##D##_sat(S x) { return (ulong)x > HIGH ? HIGH : (D)x; } \
    FOUR_MODES(AS_IT_IS, convert_##D##_sat, D, S)
#define U_SAT_FROM_S(D, S, HIGH) \
    D OVL convert_##D##_sat(S x) { return x < 0 ? 0 : (ulong)x > HIGH ? HIGH : (D)x; } \
    FOUR_MODES(AS_IT_IS, convert_##D##_sat, D, S)

#define TO_SIGNED(D, LOW, HIGH) \
    PLAIN(D, char) PLAIN(D, short) PLAIN(D, int) PLAIN(D, long) \
    PLAIN(D, uchar) PLAIN(D, ushort) PLAIN(D, uint) PLAIN(D, ulong) \
    SAT_FROM_S(D, char, LOW, HIGH) SAT_FROM_S(D, short, LOW, HIGH) \
    SAT_FROM_S(D, int, LOW, HIGH) SAT_FROM_S(D, long, LOW, HIGH) \
    SAT_FROM_U(D, uchar, HIGH) SAT_FROM_U(D, ushort, HIGH) SAT_FROM_U(D, uint, HIGH) SAT_FROM_U(D, ulong, HIGH)
#define TO_UNSIGNED(D, HIGH) \
    PLAIN(D, char) PLAIN(D, short) PLAIN(D, int) PLAIN(D, long) \
    PLAIN(D, uchar) PLAIN(D, ushort) PLAIN(D, uint) PLAIN(D, ulong) \
    U_SAT_FROM_S(D, char, HIGH) U_SAT_FROM_S(D, short, HIGH) \
    U_SAT_FROM_S(D, int, HIGH) U_SAT_FROM_S(D, long, HIGH) \
    SAT_FROM_U(D, uchar, HIGH) SAT_FROM_U(D, ushort, HIGH) SAT_FROM_U(D, uint, HIGH) SAT_FROM_U(D, ulong, HIGH)

TO_SIGNED(char, CHAR_MIN, CHAR_MAX) TO_SIGNED(short, SHRT_MIN, SHRT_MAX)
TO_SIGNED(int, INT_MIN, INT_MAX) TO_SIGNED(long, LONG_MIN, LONG_MAX)
TO_UNSIGNED(uchar, UCHAR_MAX) TO_UNSIGNED(ushort, USHRT_MAX)
TO_UNSIGNED(uint, UINT_MAX) TO_UNSIGNED(ulong, ULONG_MAX)

static float OVL whole_rte(float x) { return __builtin_rintf(x); }
static float OVL whole_rtz(float x) { return x; }
static float OVL whole_rtp(float x) { return __builtin_ceilf(x); }
static float OVL whole_rtn(float x) { return __builtin_floorf(x); }
static double OVL whole_rte(double x) { return __builtin_rint(x); }
static double OVL whole_rtz(double x) { return x; }
static double OVL whole_rtp(double x) { return __builtin_ceil(x); }
static double OVL whole_rtn(double x) { return __builtin_floor(x); }

/* LLVM's conversions that saturate; NaN is 0 */
#define SATURATING(T, t) \
    __attribute__((const)) int OVL to_int(T) __asm("llvm.fptosi.sat.i32." #t); \
    __attribute__((const)) uint OVL to_uint(T) __asm("llvm.fptoui.sat.i32." #t); \
    __attribute__((const)) long OVL to_long(T) __asm("llvm.fptosi.sat.i64." #t); \
    __attribute__((const)) ulong OVL to_ulong(T) __asm("llvm.fptoui.sat.i64." #t);
SATURATING(float, f32) SATURATING(double, f64)

#define REAL_MODE(mode, D, T) \
    D OVL convert_##D##mode(T x) { return convert_##D(whole##mode(x)); } \
    D OVL convert_##D##_sat##mode(T x) { return convert_##D##_sat(whole##mode(x)); }
#define FROM_REAL(D, T, saturated) \
    D FLAT convert_##D(T x) { return (D)x; } \
    D OVL convert_##D##_sat(T x) { return saturated; } \
    FOUR_MODES(REAL_MODE, D, T)
#define FROM_REALS(T) \
    FROM_REAL(char, T, convert_char_sat(to_int(x))) FROM_REAL(uchar, T, convert_uchar_sat(to_int(x))) \
    FROM_REAL(short, T, convert_short_sat(to_int(x))) FROM_REAL(ushort, T, convert_ushort_sat(to_int(x))) \
    FROM_REAL(int, T, to_int(x)) FROM_REAL(uint, T, to_uint(x)) \
    FROM_REAL(long, T, to_long(x)) FROM_REAL(ulong, T, to_ulong(x))
FROM_REALS(float) FROM_REALS(double)

/* a half is a float */
static float OVL whole_rte(half x) { return __builtin_rintf(x); }
static float OVL whole_rtz(half x) { return x; }
static float OVL whole_rtp(half x) { return __builtin_ceilf(x); }
static float OVL whole_rtn(half x) { return __builtin_floorf(x); }
static int OVL to_int(half x) { return to_int((float)x); }
static uint OVL to_uint(half x) { return to_uint((float)x); }
static long OVL to_long(half x) { return to_long((float)x); }
static ulong OVL to_ulong(half x) { return to_ulong((float)x); }
FROM_REALS(half)

/* --- scalars: to float ----------------------------------------------------------------- */

float FLAT convert_float(float x) { return x; }
FOUR_MODES(AS_IT_IS, convert_float, float, float)

/* at most 24 bits: exact */
#define NARROW_TO_FLOAT(S) \
    float FLAT convert_float(S x) { return (float)x; } \
    FOUR_MODES(AS_IT_IS, convert_float, float, S)
NARROW_TO_FLOAT(half) NARROW_TO_FLOAT(char) NARROW_TO_FLOAT(uchar) NARROW_TO_FLOAT(short) NARROW_TO_FLOAT(ushort)

/* What does not fit into the 24 bits from the first 1 on: all ones, shifted by the leading zeros. */
#define SPLIT(U, clz) \
    static float OVL toward_zero(U x) { return (float)(x & ~(~(U)0 >> 24 >> clz(x | 1))); } \
    static float OVL from_zero(U x) \
    { \
        return as_float(as_uint(toward_zero(x)) + ((x & (~(U)0 >> 24 >> clz(x | 1))) != 0)); \
    }
SPLIT(uint, __builtin_clz)
SPLIT(ulong, __builtin_clzl)

#define SIGNED_TO_FLOAT(S, U) \
    float FLAT convert_float(S x) { return (float)x; } \
    float FLAT convert_float_rte(S x) { return (float)x; } \
    float OVL convert_float_rtz(S x) { return x < 0 ? -toward_zero((U)0 - (U)x) : toward_zero((U)x); } \
    float OVL convert_float_rtp(S x) { return x < 0 ? -toward_zero((U)0 - (U)x) : from_zero((U)x); } \
    float OVL convert_float_rtn(S x) { return x < 0 ? -from_zero((U)0 - (U)x) : toward_zero((U)x); }
SIGNED_TO_FLOAT(int, uint) SIGNED_TO_FLOAT(long, ulong)

#define UNSIGNED_TO_FLOAT(U) \
    float FLAT convert_float(U x) { return (float)x; } \
    float FLAT convert_float_rte(U x) { return (float)x; } \
    float OVL convert_float_rtz(U x) { return toward_zero(x); } \
    float OVL convert_float_rtp(U x) { return from_zero(x); } \
    float OVL convert_float_rtn(U x) { return toward_zero(x); }
UNSIGNED_TO_FLOAT(uint) UNSIGNED_TO_FLOAT(ulong)

/* --- scalars: to double, and from double to float ------------------------------------------- */

double FLAT convert_double(double x) { return x; }
FOUR_MODES(AS_IT_IS, convert_double, double, double)

/* at most 53 bits: exact */
#define NARROW_TO_DOUBLE(S) \
    double FLAT convert_double(S x) { return (double)x; } \
    FOUR_MODES(AS_IT_IS, convert_double, double, S)
NARROW_TO_DOUBLE(char) NARROW_TO_DOUBLE(uchar) NARROW_TO_DOUBLE(short) NARROW_TO_DOUBLE(ushort)
NARROW_TO_DOUBLE(half) NARROW_TO_DOUBLE(int) NARROW_TO_DOUBLE(uint) NARROW_TO_DOUBLE(float)

static ulong past_53(ulong x) { return ~(ulong)0 >> 53 >> __builtin_clzl(x | 1); }
static double toward_zero_53(ulong x) { return (double)(x & ~past_53(x)); }
static double from_zero_53(ulong x) { return as_double(as_ulong(toward_zero_53(x)) + ((x & past_53(x)) != 0)); }

double FLAT convert_double(long x) { return (double)x; }
double FLAT convert_double_rte(long x) { return (double)x; }
double OVL convert_double_rtz(long x) { return x < 0 ? -toward_zero_53(0 - (ulong)x) : toward_zero_53((ulong)x); }
double OVL convert_double_rtp(long x) { return x < 0 ? -toward_zero_53(0 - (ulong)x) : from_zero_53((ulong)x); }
double OVL convert_double_rtn(long x) { return x < 0 ? -from_zero_53(0 - (ulong)x) : toward_zero_53((ulong)x); }
double FLAT convert_double(ulong x) { return (double)x; }
double FLAT convert_double_rte(ulong x) { return (double)x; }
double OVL convert_double_rtz(ulong x) { return toward_zero_53(x); }
double OVL convert_double_rtp(ulong x) { return from_zero_53(x); }
double OVL convert_double_rtn(ulong x) { return toward_zero_53(x); }

/* The nearest float is one step too far from zero, or too near to it, or right. */
static float inward(double x)
{
    float f = (float)x;
    return as_float(as_uint(f) - (__builtin_fabs((double)f) > __builtin_fabs(x)));
}
static float outward(double x)
{
    float f = (float)x;
    return as_float(as_uint(f) + (__builtin_fabs((double)f) < __builtin_fabs(x)));
}
float FLAT convert_float(double x) { return (float)x; }
float FLAT convert_float_rte(double x) { return (float)x; }
float OVL convert_float_rtz(double x) { return inward(x); }
float OVL convert_float_rtp(double x) { return x < 0 ? inward(x) : outward(x); }
float OVL convert_float_rtn(double x) { return x < 0 ? outward(x) : inward(x); }

/* --- scalars: to half --------------------------------------------------------------------- */

half FLAT convert_half(half x) { return x; }
FOUR_MODES(AS_IT_IS, convert_half, half, half)

/* X: x as a float that rounds to the same half */
#define TO_HALF_MODE(mode, S, X) half OVL convert_half##mode(S x) { return as_half(to_half##mode(X)); }
#define TO_HALF(S, X) TO_HALF_MODE(, S, X) FOUR_MODES(TO_HALF_MODE, S, X)
TO_HALF(float, x) TO_HALF(double, odd(x))
TO_HALF(char, (float)x) TO_HALF(uchar, (float)x) TO_HALF(short, (float)x) TO_HALF(ushort, (float)x)

/* numbers beyond 2^20, which are beyond all halves, as that */
#define FEW_BITS(x) ((x) > 0x100000 ? 0x1p20f : (x) < -0x100000 ? -0x1p20f : (float)(int)(x))
#define U_FEW_BITS(x) ((x) > 0x100000 ? 0x1p20f : (float)(int)(x))
TO_HALF(int, FEW_BITS(x)) TO_HALF(long, FEW_BITS(x)) TO_HALF(uint, U_FEW_BITS(x)) TO_HALF(ulong, U_FEW_BITS(x))

/* --- vectors: from the next smaller ones, as in ventus.h, but the width is in the name ----------- */

#define WIDTH(mode, D, S, n, half) \
    D##n OVL convert_##D##n##mode(S##n x) \
    { \
        return (D##n)(convert_##D##half##mode(x.lo), convert_##D##half##mode(x.hi)); \
    }
#define WIDTH3(mode, D, S) \
    D##3 OVL convert_##D##3##mode(S##3 x) { return (D##3)(convert_##D##2##mode(x.s01), convert_##D##mode(x.s2)); }
#define WIDTHS(mode, D, S) \
    WIDTH(mode, D, S, 2,) WIDTH3(mode, D, S) WIDTH(mode, D, S, 4, 2) WIDTH(mode, D, S, 8, 4) WIDTH(mode, D, S, 16, 8)

#define ALL_MODES(D, S) WIDTHS(, D, S) FOUR_MODES(WIDTHS, D, S)
#define ALL_MODES_SAT(D, S) \
    WIDTHS(_sat, D, S) WIDTHS(_sat_rte, D, S) WIDTHS(_sat_rtz, D, S) WIDTHS(_sat_rtp, D, S) WIDTHS(_sat_rtn, D, S)

#define FROM_EACH(M, D) \
    M(D, char) M(D, uchar) M(D, short) M(D, ushort) M(D, int) M(D, uint) M(D, long) M(D, ulong) M(D, half) M(D, float) M(D, double)
#define TO_INT(D) FROM_EACH(ALL_MODES, D) FROM_EACH(ALL_MODES_SAT, D)

EACH_INT(TO_INT)
FROM_EACH(ALL_MODES, half) FROM_EACH(ALL_MODES, float) FROM_EACH(ALL_MODES, double)
