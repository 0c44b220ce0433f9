/* halves.c -- arithmetic with half, as arithmetic with float.
 *
 * An operation on half is done on the operands as floats, and its result rounded to half.  A float
 * has more than twice as many bits as a half and two more, so the two roundings of a sum,
 * difference, product, quotient or square root give what one would; the functions of the library
 * (lib/opencl/half.cl) do the fused multiply-add and conversions from double otherwise.  Vectors go
 * element by element.
 */
#include "ll/middle.h"
#include "ll/walk.h"
#include <string.h>

enum { SPIR_FUNC = 75, MOST = 3 /* operands */ };

/* the module and where code is made */
typedef struct {
    LLVMModuleRef m;
    LLVMBuilderRef at;
    LLVMTypeRef half, single, bits, word; /* bits: as many as a half has */
} Maker;

static LLVMTypeRef scalar_of(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static bool is_half(LLVMValueRef x)
{
    return LLVMGetTypeKind(scalar_of(LLVMTypeOf(x))) == LLVMHalfTypeKind;
}

/* a call of the library's function `name` with n operands */
static LLVMValueRef library(const Maker *k, const char *name, LLVMTypeRef to, LLVMValueRef *x,
                            u32 n)
{
    LLVMTypeRef params[MOST];
    for (u32 i = 0; i < n; i++)
        params[i] = LLVMTypeOf(x[i]);
    LLVMTypeRef t = LLVMFunctionType(to, params, n, false);
    LLVMValueRef f = LLVMGetNamedFunction(k->m, name);
    if (!f) {
        f = LLVMAddFunction(k->m, name, t);
        LLVMSetFunctionCallConv(f, SPIR_FUNC);
    }
    LLVMValueRef r = LLVMBuildCall2(k->at, t, f, x, n, "");
    LLVMSetInstructionCallConv(r, SPIR_FUNC);
    return r;
}

static LLVMValueRef bits_of(const Maker *k, LLVMValueRef x)
{
    return LLVMBuildBitCast(k->at, x, k->bits, "");
}

static LLVMValueRef of_bits(const Maker *k, LLVMValueRef x)
{
    return LLVMBuildBitCast(k->at, x, k->half, "");
}

static LLVMValueRef widened(const Maker *k, LLVMValueRef x)
{
    LLVMValueRef b = bits_of(k, x);
    return library(k, "__ventus_htof", k->single, &b, 1);
}

static LLVMValueRef rounded(const Maker *k, LLVMValueRef x)
{
    return of_bits(k, library(k, "__ventus_ftoh", k->bits, &x, 1));
}

static LLVMValueRef mask(const Maker *k, u32 with) { return LLVMConstInt(k->bits, with, false); }

/* --- operations on scalars ------------------------------------------------------------------- */

static LLVMValueRef conversion(const Maker *k, LLVMValueRef i, LLVMValueRef x)
{
    LLVMTypeRef to = scalar_of(LLVMTypeOf(i));
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMHalfTypeKind)
        return to == k->single ? widened(k, x) : LLVMBuildCast(k->at, op, widened(k, x), to, "");
    if (op != LLVMFPTrunc) /* what a float cannot hold is more than any half */
        return rounded(k, LLVMBuildCast(k->at, op, x, k->single, ""));
    if (LLVMTypeOf(x) == k->single)
        return rounded(k, x);
    return of_bits(k, library(k, "__ventus_dtoh", k->bits, &x, 1));
}

static LLVMValueRef sign_operation(const Maker *k, const char *name, LLVMValueRef *x)
{
    LLVMValueRef magnitude = LLVMBuildAnd(k->at, bits_of(k, x[0]), mask(k, 0x7fff), "");
    if (!strncmp(name, "fabs", 4))
        return of_bits(k, magnitude);
    LLVMValueRef sign = LLVMBuildAnd(k->at, bits_of(k, x[1]), mask(k, 0x8000), "");
    return of_bits(k, LLVMBuildOr(k->at, magnitude, sign, ""));
}

/* llvm.NAME of a half as llvm.NAME of a float */
static LLVMValueRef intrinsic(const Maker *k, LLVMValueRef i, const char *name, LLVMValueRef *x,
                              u32 n)
{
    LLVMTypeRef to = scalar_of(LLVMTypeOf(i)), overload[2] = {k->single, k->single};
    LLVMContextRef ctx = LLVMGetModuleContext(k->m);
    u32 overloads = 1;
    if (!strncmp(name, "fabs", 4) || !strncmp(name, "copysign", 8))
        return sign_operation(k, name, x);
    if (!strncmp(name, "fma.", 4) || !strncmp(name, "fmuladd", 7)) {
        for (u32 j = 0; j < n; j++)
            x[j] = bits_of(k, x[j]);
        return of_bits(k, library(k, "__ventus_hfma", k->bits, x, n));
    }
    if (!strncmp(name, "is.fpclass", 10)) {
        x[0] = bits_of(k, x[0]);
        return LLVMBuildTrunc(k->at, library(k, "__ventus_hclass", k->word, x, 2), to, "");
    }
    for (u32 j = 0; j < n; j++)
        x[j] = is_half(x[j]) ? widened(k, x[j]) : x[j];
    if (to != k->half) /* a conversion that saturates */
        overload[0] = to, overloads = 2;
    else if (n > 1 && LLVMTypeOf(x[1]) != k->single) /* ldexp */
        overload[1] = LLVMTypeOf(x[1]), overloads = 2;
    const unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(i));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(k->m, id, overload, overloads);
    LLVMTypeRef t = LLVMIntrinsicGetType(ctx, id, overload, overloads);
    LLVMValueRef r = LLVMBuildCall2(k->at, t, f, x, n, "");
    return to == k->half ? rounded(k, r) : r;
}

/* i with the scalars x[0..n) for its operands */
static LLVMValueRef on_scalars(const Maker *k, LLVMValueRef i, LLVMValueRef *x, u32 n)
{
    size_t len;
    if (LLVMIsACastInst(i))
        return conversion(k, i, x[0]);
    if (LLVMIsACallInst(i))
        return intrinsic(k, i, LLVMGetValueName2(LLVMGetCalledValue(i), &len) + strlen("llvm."), x,
                         n);
    if (LLVMGetInstructionOpcode(i) == LLVMFNeg)
        return of_bits(k, LLVMBuildXor(k->at, bits_of(k, x[0]), mask(k, 0x8000), ""));
    LLVMValueRef a = widened(k, x[0]), b = widened(k, x[1]);
    if (LLVMIsAFCmpInst(i))
        return LLVMBuildFCmp(k->at, LLVMGetFCmpPredicate(i), a, b, "");
    return rounded(k, LLVMBuildBinOp(k->at, LLVMGetInstructionOpcode(i), a, b, ""));
}

/* --- instructions ------------------------------------------------------------------------ */

/* the operands of i, if it computes with half; 0: it does not */
static u32 operands_of(LLVMValueRef i)
{
    size_t len;
    if (LLVMIsACastInst(i)) {
        const LLVMOpcode op = LLVMGetInstructionOpcode(i);
        const bool converts = op == LLVMFPExt || op == LLVMFPTrunc || op == LLVMFPToSI ||
                              op == LLVMFPToUI || op == LLVMSIToFP || op == LLVMUIToFP;
        return converts && (is_half(i) || is_half(LLVMGetOperand(i, 0)));
    }
    if (LLVMIsAFCmpInst(i) || LLVMIsABinaryOperator(i))
        return is_half(LLVMGetOperand(i, 0)) ? 2 : 0;
    if (LLVMIsAUnaryOperator(i))
        return is_half(i);
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (!f || !LLVMIsAFunction(f) || !LLVMGetIntrinsicID(f) || !LLVMGetNumArgOperands(i) ||
        !is_half(LLVMGetOperand(i, 0)))
        return 0;
    const char *name = LLVMGetValueName2(f, &len);
    return strncmp(name, "llvm.vector.", 12) && LLVMGetNumArgOperands(i) <= MOST
               ? LLVMGetNumArgOperands(i)
               : 0;
}

static LLVMValueRef on_elements(const Maker *k, LLVMValueRef i, u32 n)
{
    LLVMTypeRef t = LLVMTypeOf(i);
    LLVMValueRef x[MOST], all = LLVMGetPoison(t);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) {
        for (u32 j = 0; j < n; j++)
            x[j] = LLVMGetOperand(i, j);
        return on_scalars(k, i, x, n);
    }
    for (u32 e = 0; e < LLVMGetVectorSize(t); e++) {
        LLVMValueRef index = LLVMConstInt(k->word, e, false);
        for (u32 j = 0; j < n; j++) {
            x[j] = LLVMGetOperand(i, j);
            if (LLVMGetTypeKind(LLVMTypeOf(x[j])) == LLVMVectorTypeKind)
                x[j] = LLVMBuildExtractElement(k->at, x[j], index, "");
        }
        all = LLVMBuildInsertElement(k->at, all, on_scalars(k, i, x, n), index, "");
    }
    return all;
}

bool expand_half(LLVMModuleRef m)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    const Maker k = {m,
                     LLVMCreateBuilderInContext(ctx),
                     LLVMHalfTypeInContext(ctx),
                     LLVMFloatTypeInContext(ctx),
                     LLVMInt16TypeInContext(ctx),
                     LLVMInt32TypeInContext(ctx)};
    bool changed = false;
    for (LLVMValueRef i = walk_first(m), next; i; i = next) {
        const u32 n = operands_of(i);
        next = walk_next(i);
        if (!n)
            continue;
        LLVMPositionBuilderBefore(k.at, i);
        LLVMReplaceAllUsesWith(i, on_elements(&k, i, n));
        LLVMInstructionEraseFromParent(i);
        changed = true;
    }
    LLVMDisposeBuilder(k.at);
    return changed;
}
