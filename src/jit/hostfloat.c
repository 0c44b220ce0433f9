/* hostfloat.c -- the float operations of op.def in LLVM, for code whose flags are not read.
 *
 * Bits are those of isa/fp.h for rounding to nearest; every NaN that is computed is the canonical
 * one.  LLVM's floats without special marks are those of IEEE 754, each rounded once.
 */
#include "jit/translate.h"
#include "isa/op.h"
#include <math.h>

#define B e->b

static bool is_row(Val v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

/* the type of v's elements as floats */
static LLVMTypeRef float_like(Emit *e, Val v)
{
    const LLVMTypeRef f = bits_like(v) == 64 ? LLVMDoubleTypeInContext(e->c) : e->f32;
    return is_row(v) ? LLVMVectorType(f, LLVMGetVectorSize(LLVMTypeOf(v))) : f;
}

/* whether the floats, or those of the vector, are of binary64 */
static bool is_double(Val f)
{
    const LLVMTypeRef t = LLVMTypeOf(f);
    return LLVMGetTypeKind(is_row(f) ? LLVMGetElementType(t) : t) == LLVMDoubleTypeKind;
}

static Val as_bits(Emit *e, Val f)
{
    const LLVMTypeRef i = is_double(f) ? e->i64 : e->i32;
    return LLVMBuildBitCast(
        B, f, is_row(f) ? LLVMVectorType(i, LLVMGetVectorSize(LLVMTypeOf(f))) : i, "");
}

/* bits of f, the canonical NaN for any */
static Val canonical(Emit *e, Val f) { return make_canonical(B, as_bits(e, f), f); }

/* v as the operand of an operation, all of which take NaNs alike: so those that nothing else reads
 * need not be made canonical. */
static Val as_float(Emit *e, Val v)
{
    const Val f = before_canonical(v);
    return f ? f : LLVMBuildBitCast(B, v, float_like(e, v), "");
}

Val change_width(Emit *e, Val bits, bool widens)
{
    const LLVMTypeRef i = widens ? e->i64 : e->i32;
    const Val like =
        LLVMGetUndef(is_row(bits) ? LLVMVectorType(i, LLVMGetVectorSize(LLVMTypeOf(bits))) : i);
    const Val f = as_float(e, bits);
    return canonical(e, widens ? LLVMBuildFPExt(B, f, float_like(e, like), "")
                               : LLVMBuildFPTrunc(B, f, float_like(e, like), ""));
}

static Val call(Emit *e, const char *name, Val *args, u32 n)
{
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    return intrinsic(e, name, &t, 1, args, n);
}

static Val fused(Emit *e, Val a, Val b, Val c, bool minus_product, bool minus_sum)
{
    Val args[3] = {as_float(e, a), as_float(e, b), as_float(e, c)};
    if (minus_product)
        args[0] = LLVMBuildFNeg(B, args[0], "");
    if (minus_sum)
        args[2] = LLVMBuildFNeg(B, args[2], "");
    return canonical(e, call(e, "llvm.fma", args, 3));
}

static Val compare(Emit *e, LLVMRealPredicate p, Val a, Val b)
{
    return LLVMBuildZExt(B, LLVMBuildFCmp(B, p, as_float(e, a), as_float(e, b), ""), LLVMTypeOf(a),
                         "");
}

/* orders as the float does, -0 below +0 */
static Val order(Emit *e, Val a)
{
    const Val sign = LLVMBuildAShr(B, a, constant_like(a, bits_like(a) - 1), "");
    return LLVMBuildXor(B, a, LLVMBuildAnd(B, sign, LLVMBuildNot(B, sign_like(a), ""), ""), "");
}

/* a NaN loses against a number */
static Val extreme(Emit *e, LLVMIntPredicate p, Val a, Val b)
{
    const Val fa = as_float(e, a), fb = as_float(e, b);
    const Val nan_a = LLVMBuildFCmp(B, LLVMRealUNO, fa, fa, "");
    const Val nan_b = LLVMBuildFCmp(B, LLVMRealUNO, fb, fb, "");
    Val r = LLVMBuildSelect(B, LLVMBuildICmp(B, p, order(e, a), order(e, b), ""), a, b, "");
    r = LLVMBuildSelect(B, nan_b, a, r, "");
    r = LLVMBuildSelect(B, nan_a, b, r, "");
    return LLVMBuildSelect(B, LLVMBuildAnd(B, nan_a, nan_b, ""), canonical_nan(a), r, "");
}

/* LLVM's own conversions that saturate go lane by lane.  What it says of one that does not fit is chosen by none. */
Val saturate(Emit *e, Val f, LLVMTypeRef to, bool sgn, u64 nan)
{
    const Val like = LLVMGetUndef(to);
    const u64 most = UINT64_MAX >> (64 - bits_like(like) + sgn);
    const double end = ldexp(1, (int)bits_like(like) - sgn);
    const Val low = LLVMConstReal(LLVMTypeOf(f), sgn ? -end : 0),
              high = LLVMConstReal(LLVMTypeOf(f), end);
    Val r = sgn ? LLVMBuildFPToSI(B, f, to, "") : LLVMBuildFPToUI(B, f, to, "");
    r = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOLT, f, low, ""),
                        constant_like(like, sgn ? most + 1 : 0), r, "");
    r = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOGE, f, high, ""), constant_like(like, most), r,
                        "");
    return LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealUNO, f, f, ""), constant_like(like, nan), r,
                           "");
}

/* out of range: the nearest number of the type; NaN: the largest */
static Val to_int(Emit *e, Val a, bool sgn, bool cut)
{
    Val f = as_float(e, a);
    if (!cut)
        f = call(e, "llvm.roundeven", &f, 1);
    return saturate(e, f, LLVMTypeOf(a), sgn, UINT64_MAX >> (64 - bits_like(a) + sgn));
}

Val hostfloat(Emit *e, Op op, u32 rm, Val a, Val b, Val c)
{
#define FA as_float(e, a)
#define FB as_float(e, b)
    const LLVMTypeRef f = float_like(e, a);
    if (rm == FP_RTZ && (op == OP_fcvt_x_f || op == OP_fcvt_xu_f))
        return to_int(e, a, op == OP_fcvt_x_f, true);
    if (rm != FP_RNE)
        return NULL;
    switch (op) {
    case OP_fadd: return canonical(e, LLVMBuildFAdd(B, FA, FB, ""));
    case OP_fsub: return canonical(e, LLVMBuildFSub(B, FA, FB, ""));
    case OP_frsub: return canonical(e, LLVMBuildFSub(B, FB, FA, ""));
    case OP_fmul: return canonical(e, LLVMBuildFMul(B, FA, FB, ""));
    case OP_fdiv: return canonical(e, LLVMBuildFDiv(B, FA, FB, ""));
    case OP_frdiv: return canonical(e, LLVMBuildFDiv(B, FB, FA, ""));
    case OP_fsqrt: {
        Val v = FA;
        return canonical(e, call(e, "llvm.sqrt", &v, 1));
    }
    case OP_fcvt_f_x: return as_bits(e, LLVMBuildSIToFP(B, a, f, ""));
    case OP_fcvt_f_xu: return as_bits(e, LLVMBuildUIToFP(B, a, f, ""));
    case OP_fmacc: return fused(e, a, b, c, false, false);
    case OP_fnmacc: return fused(e, a, b, c, true, true);
    case OP_fmsac: return fused(e, a, b, c, false, true);
    case OP_fnmsac: return fused(e, a, b, c, true, false);
    case OP_fmadd: return fused(e, b, c, a, false, false);
    case OP_fnmadd: return fused(e, b, c, a, true, true);
    case OP_fmsub: return fused(e, b, c, a, false, true);
    case OP_fnmsub: return fused(e, b, c, a, true, false);
    case OP_feq: return compare(e, LLVMRealOEQ, a, b);
    case OP_fne: return compare(e, LLVMRealUNE, a, b);
    case OP_flt: return compare(e, LLVMRealOLT, a, b);
    case OP_fle: return compare(e, LLVMRealOLE, a, b);
    case OP_fgt: return compare(e, LLVMRealOGT, a, b);
    case OP_fge: return compare(e, LLVMRealOGE, a, b);
    case OP_fmin: return extreme(e, LLVMIntSLT, a, b);
    case OP_fmax: return extreme(e, LLVMIntSGT, a, b);
    case OP_fcvt_x_f: return to_int(e, a, true, false);
    case OP_fcvt_xu_f: return to_int(e, a, false, false);
    case OP_fcvt_rtz_x_f: return to_int(e, a, true, true);
    case OP_fcvt_rtz_xu_f: return to_int(e, a, false, true);
    default: return NULL;
    }
}
