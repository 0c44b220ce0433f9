/* fence.c -- what the code generator of LLVM must not look through, because of mistakes in it.
 *
 * LLVM before 23 takes a wrong table for vpternlog where lanes are merged into what a choice of bits
 * by a constant gives (llvm/llvm-project issue 157929).  It must not see that a merged value is one.
 *
 * LLVM 19 goes on for ever where masks are combined that are integers and, for other uses, vectors of
 * i1 (issue 123333): the combination becomes one of integers, then one of vectors, then again one of
 * integers.  It splits that of integers only where both have been made vectors, so one of them is
 * made another value.  That is so on hosts with registers of masks alone.
 */
#include "jit/translate.h"
#include <string.h>

/* A value that the code generator cannot look through; a vector of words or double words. */
static Val fenced_row(LLVMModuleRef m, LLVMBuilderRef b, Val v)
{
    const LLVMTypeRef t = LLVMTypeOf(v), element = LLVMGetElementType(t);
    LLVMContextRef c = LLVMGetModuleContext(m);
    const bool is_wide =
        LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 64;
    LLVMTypeRef real = LLVMVectorType(
        is_wide ? LLVMDoubleTypeInContext(c) : LLVMFloatTypeInContext(c), LLVMGetVectorSize(t));
    const unsigned id =
        LLVMLookupIntrinsicID("llvm.arithmetic.fence", strlen("llvm.arithmetic.fence"));
    Val fence = LLVMGetIntrinsicDeclaration(m, id, &real, 1),
        from = LLVMBuildBitCast(b, v, real, "");
    return LLVMBuildBitCast(
        b, LLVMBuildCall2(b, LLVMGlobalGetValueType(fence), fence, &from, 1, ""), t, "");
}

/* The same for an integer. */
static Val fenced_mask(LLVMBuilderRef b, Val v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    const LLVMTypeRef f = LLVMFunctionType(t, &t, 1, false);
    const Val nothing =
        LLVMGetInlineAsm(f, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(b, f, nothing, &v, 1, "");
}

static bool is_logic(Val v)
{
    const LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
    return op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

static bool is_int(LLVMTypeRef t) { return LLVMGetTypeKind(t) == LLVMIntegerTypeKind; }
static bool is_vector(LLVMTypeRef t) { return LLVMGetTypeKind(t) == LLVMVectorTypeKind; }

static bool has_words(LLVMTypeRef t)
{
    if (!is_vector(t))
        return false;
    const LLVMTypeRef e = LLVMGetElementType(t);
    return LLVMGetTypeKind(e) == LLVMFloatTypeKind || (is_int(e) && LLVMGetIntTypeWidth(e) >= 32);
}

static bool is_logic_of_bits(Val v)
{
    while (LLVMIsABitCastInst(v))
        v = LLVMGetOperand(v, 0);
    return is_logic(v);
}

static void fence_merge(LLVMModuleRef m, LLVMBuilderRef b, Val i)
{
    for (unsigned n = 1; n <= 2; n++)
        if (is_logic_of_bits(LLVMGetOperand(i, n)))
            LLVMSetOperand(i, n, fenced_row(m, b, LLVMGetOperand(i, n)));
}

static bool is_mask(LLVMTypeRef t)
{
    return is_vector(t) && is_int(LLVMGetElementType(t)) &&
           LLVMGetIntTypeWidth(LLVMGetElementType(t)) == 1;
}

static bool is_int_as_mask(Val v)
{
    return LLVMIsABitCastInst(v) && is_mask(LLVMTypeOf(v)) &&
           is_int(LLVMTypeOf(LLVMGetOperand(v, 0)));
}

static bool becomes_mask(Val v)
{
    for (LLVMUseRef u = LLVMIsAConstant(v) ? NULL : LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
        if (is_int_as_mask(LLVMGetUser(u)))
            return true;
    return false;
}

static void fence_masks(LLVMBuilderRef b, Val i)
{
    const Val one = LLVMGetOperand(i, 0), other = LLVMGetOperand(i, 1);
    if (is_int_as_mask(one) && is_int_as_mask(other)) {
        const Val mask = fenced_mask(b, LLVMGetOperand(one, 0));
        LLVMSetOperand(i, 0, LLVMBuildBitCast(b, mask, LLVMTypeOf(one), ""));
    } else if (is_int(LLVMTypeOf(i)) && becomes_mask(one) && becomes_mask(other)) {
        LLVMSetOperand(i, 0, fenced_mask(b, one));
    }
}

void fence(LLVMModuleRef m, bool optimised, bool has_masks)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (Val f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k; k = LLVMGetNextBasicBlock(k))
            for (Val i = LLVMGetFirstInstruction(k); i; i = LLVMGetNextInstruction(i)) {
                LLVMPositionBuilderBefore(b, i);
                if (optimised && LLVMGetInstructionOpcode(i) == LLVMSelect &&
                    has_words(LLVMTypeOf(i)))
                    fence_merge(m, b, i);
                else if (has_masks && is_logic(i))
                    fence_masks(b, i);
            }
    LLVMDisposeBuilder(b);
}
