/* fp.h -- IEEE 754 arithmetic by integers, as RISC-V defines its details.
 *
 * This is the definition of right for every engine: no host floating point, no
 * state, one path for all formats.  A value is the bit pattern of its format in
 * the low bits of a u64; the bits above are ignored in operands and zero in
 * results.  The details IEEE 754 leaves open are those of the RISC-V manual:
 *
 *     a NaN result is the canonical one (positive, quiet, payload 0);
 *     a signalling NaN operand raises FP_NV, a quiet one does not;
 *     a result is tiny if it is so after rounding, and FP_UF is raised if it is
 *     inexact as well;
 *     infinity * 0 + NaN raises FP_NV;
 *     an integer out of range saturates, raising FP_NV alone.
 *
 * Flags accumulate in *flags and are never cleared here.  A sign is the caller's
 * to change: fp_fma() with the sign bit of a and c flipped is fnmadd.
 */
#ifndef ISA_FP_H
#define ISA_FP_H
#include "base/base.h"

/* An interchange format: sign, exponent, fraction from the top, subnormals, and
 * infinity and NaN in the topmost exponent.  2 <= exp_bits <= 11 and
 * 1 <= frac_bits <= 52; {8, 10} is tf32, {5, 2} the fp8 with infinities. */
typedef struct {
    u8 exp_bits, frac_bits;
} FpFormat;

extern const FpFormat fp_f16, fp_bf16, fp_f32, fp_f64;

/* The values of frm and of an instruction's rm field, and FP_ROD (to odd: an
 * inexact result gets its last bit set), which no field can hold: vfncvt.rod
 * asks for it.  Any other value is the caller's mistake. */
typedef enum { FP_RNE, FP_RTZ, FP_RDN, FP_RUP, FP_RMM, FP_ROD = 8 } FpRound;

/* fflags */
enum { FP_NX = 1, FP_UF = 2, FP_OF = 4, FP_DZ = 8, FP_NV = 16 };

/* Arithmetic; the result is rounded once, by rm. */
u64 fp_add(FpFormat f, u64 a, u64 b, FpRound rm, u8 *flags);
u64 fp_sub(FpFormat f, u64 a, u64 b, FpRound rm, u8 *flags);
u64 fp_mul(FpFormat f, u64 a, u64 b, FpRound rm, u8 *flags);
u64 fp_div(FpFormat f, u64 a, u64 b, FpRound rm, u8 *flags);
u64 fp_sqrt(FpFormat f, u64 a, FpRound rm, u8 *flags);
u64 fp_fma(FpFormat f, u64 a, u64 b, u64 c, FpRound rm, u8 *flags); /* a * b + c, rounded once */

/* minimumNumber and maximumNumber of IEEE 754-2019: -0 < +0, a NaN loses. */
u64 fp_min(FpFormat f, u64 a, u64 b, u8 *flags);
u64 fp_max(FpFormat f, u64 a, u64 b, u8 *flags);

bool fp_eq(FpFormat f, u64 a, u64 b, u8 *flags); /* quiet: NV for signalling NaNs */
bool fp_lt(FpFormat f, u64 a, u64 b, u8 *flags); /* lt, le: NV for any NaN */
bool fp_le(FpFormat f, u64 a, u64 b, u8 *flags);

/* The mask of fclass: from bit 0 -inf, -normal, -subnormal, -0, +0, +subnormal,
 * +normal, +inf, signalling NaN, quiet NaN; one bit is set. */
u32 fp_class(FpFormat f, u64 a);

/* To an integer of `bits` bits, 1 to 64, returned in as many low bits; a NaN
 * gives the greatest one. */
u64 fp_to_int(FpFormat f, u64 a, int bits, bool is_signed, FpRound rm, u8 *flags);
/* The value is extended to 64 bits according to is_signed. */
u64 fp_from_int(FpFormat f, u64 value, bool is_signed, FpRound rm, u8 *flags);
u64 fp_convert(FpFormat from, FpFormat to, u64 a, FpRound rm, u8 *flags);

/* The seven-bit estimates vfrec7.v and vfrsqrt7.v; frac_bits >= 7. */
u64 fp_rec7(FpFormat f, u64 a, FpRound rm, u8 *flags);
u64 fp_rsqrt7(FpFormat f, u64 a, u8 *flags);
#endif
