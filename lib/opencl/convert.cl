/* convert.cl -- convert_T, with saturation and rounding modes, for every pair of types.
 *
 * Between integers the mode of rounding does not matter.  A float is rounded to a whole float
 * first; the default is toward zero.  To float, the default is to nearest, which is what
 * the machine does; the directed modes convert the bits that fit, and look at the rest.
 */
#include "ventus.h"

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

static float whole_rte(float x) { return __builtin_rintf(x); }
static float whole_rtz(float x) { return x; }
static float whole_rtp(float x) { return __builtin_ceilf(x); }
static float whole_rtn(float x) { return __builtin_floorf(x); }

/* LLVM's conversions that saturate; NaN is 0 */
__attribute__((const)) int to_int(float) __asm("llvm.fptosi.sat.i32.f32");
__attribute__((const)) uint to_uint(float) __asm("llvm.fptoui.sat.i32.f32");
__attribute__((const)) long to_long(float) __asm("llvm.fptosi.sat.i64.f32");
__attribute__((const)) ulong to_ulong(float) __asm("llvm.fptoui.sat.i64.f32");

#define FLOAT_MODE(mode, D) \
    D OVL convert_##D##mode(float x) { return convert_##D(whole##mode(x)); } \
    D OVL convert_##D##_sat##mode(float x) { return convert_##D##_sat(whole##mode(x)); }
#define FROM_FLOAT(D, saturated) \
    D FLAT convert_##D(float x) { return (D)x; } \
    D OVL convert_##D##_sat(float x) { return saturated; } \
    FOUR_MODES(FLOAT_MODE, D)
FROM_FLOAT(char, convert_char_sat(to_int(x)))
FROM_FLOAT(uchar, convert_uchar_sat(to_int(x)))
FROM_FLOAT(short, convert_short_sat(to_int(x)))
FROM_FLOAT(ushort, convert_ushort_sat(to_int(x)))
FROM_FLOAT(int, to_int(x))
FROM_FLOAT(uint, to_uint(x))
FROM_FLOAT(long, to_long(x))
FROM_FLOAT(ulong, to_ulong(x))

/* --- scalars: to float ----------------------------------------------------------------- */

float FLAT convert_float(float x) { return x; }
FOUR_MODES(AS_IT_IS, convert_float, float, float)

/* at most 24 bits: exact */
#define NARROW_TO_FLOAT(S) \
    float FLAT convert_float(S x) { return (float)x; } \
    FOUR_MODES(AS_IT_IS, convert_float, float, S)
NARROW_TO_FLOAT(char) NARROW_TO_FLOAT(uchar) NARROW_TO_FLOAT(short) NARROW_TO_FLOAT(ushort)

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
    M(D, char) M(D, uchar) M(D, short) M(D, ushort) M(D, int) M(D, uint) M(D, long) M(D, ulong) M(D, float)
#define TO_INT(D) FROM_EACH(ALL_MODES, D) FROM_EACH(ALL_MODES_SAT, D)

EACH_INT(TO_INT)
FROM_EACH(ALL_MODES, float)
