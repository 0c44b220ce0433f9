/* narrow.c -- sums in double of floats, rounded to float, become one float operation.
 *
 *        before   (float)((double)y - 0.5 * (double)x)
 *        after    fma(x, -0.5f, y)
 *
 * A constant without suffix is a double, which the machine computes with integers.  The product of a float and a
 * power of two has a float's 24 bits.  A sum of two such numbers, rounded to the 53 bits of double and then to 24, is
 * the sum rounded once, since 53 is at least twice 24 and two more (S. Figueroa, When is double rounding innocuous?);
 * a result that is denormal as a float is exact in double.  So both are the same float, whatever the operands are.
 * What LLVM finds itself is gone here: operands that are all floats as they are.
 */
#include "ll/middle.h"
#include "ll/walk.h"
#include <llvm-c/DebugInfo.h>
#include <math.h>
#include <string.h>

/* powers of two with which a product that is denormal as a float is exact in double by far */
enum { MOST_SHIFT = 20 };

static bool is_operation(LLVMValueRef v, LLVMOpcode op)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static bool constant_of(LLVMValueRef v, double *x)
{
    LLVMBool loses = false;
    if (!LLVMIsAConstantFP(v))
        return false;
    *x = LLVMConstRealGetDouble(v, &loses);
    return !loses;
}

/* The float that double v is; NULL: nobody knows. */
static LLVMValueRef float_of(LLVMValueRef v, LLVMTypeRef f32)
{
    double x;
    if (is_operation(v, LLVMFPExt) && LLVMTypeOf(LLVMGetOperand(v, 0)) == f32)
        return LLVMGetOperand(v, 0);
    return constant_of(v, &x) && (double)(float)x == x ? LLVMConstReal(f32, x) : NULL;
}

/* Whether x by y is a float by a power of two. */
static bool scales(LLVMValueRef x, LLVMValueRef y, LLVMTypeRef f32, LLVMValueRef product[2])
{
    for (int k = 0; k < 2; k++) {
        LLVMValueRef f = float_of(k ? y : x, f32);
        double by;
        int shift;
        if (f && constant_of(k ? x : y, &by) && fabs(frexp(by, &shift)) == 0.5 &&
            shift >= -MOST_SHIFT && shift <= MOST_SHIFT) {
            product[0] = f;
            product[1] = LLVMConstReal(f32, by);
            return true;
        }
    }
    return false;
}

/* Double s as a sum of a product and a term, all floats. */
typedef struct {
    LLVMValueRef product[2], term;
    bool minus_product, minus_term;
} Sum;

static bool sum_of(LLVMValueRef s, LLVMTypeRef f32, Sum *sum)
{
    const bool adds = is_operation(s, LLVMFAdd), subtracts = is_operation(s, LLVMFSub);
    LLVMValueRef term;
    *sum = (Sum){0};
    if (is_operation(s, LLVMCall)) {
        size_t len;
        LLVMValueRef f = LLVMGetCalledValue(s);
        const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
        if (strcmp(name, "llvm.fmuladd.f64") != 0 && strcmp(name, "llvm.fma.f64") != 0)
            return false;
        term = LLVMGetOperand(s, 2);
        sum->minus_term = is_operation(term, LLVMFNeg);
        sum->term = float_of(sum->minus_term ? LLVMGetOperand(term, 0) : term, f32);
        return sum->term && scales(LLVMGetOperand(s, 0), LLVMGetOperand(s, 1), f32, sum->product);
    }
    for (unsigned k = 0; (adds || subtracts) && k < 2; k++) {
        LLVMValueRef p = LLVMGetOperand(s, k);
        sum->term = float_of(LLVMGetOperand(s, 1 - k), f32);
        sum->minus_product = subtracts && k == 1;
        sum->minus_term = subtracts && k == 0;
        if (sum->term && is_operation(p, LLVMFMul) && is_used_once(p) &&
            scales(LLVMGetOperand(p, 0), LLVMGetOperand(p, 1), f32, sum->product))
            return true;
    }
    return false;
}

static LLVMValueRef build(LLVMBuilderRef at, const Sum *s, LLVMTypeRef f32)
{
    static const char name[] = "llvm.fma";
    LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(at)));
    LLVMValueRef f =
        LLVMGetIntrinsicDeclaration(m, LLVMLookupIntrinsicID(name, strlen(name)), &f32, 1);
    LLVMValueRef args[3] = {s->product[0], s->product[1], s->term};
    args[1] = s->minus_product ? LLVMBuildFNeg(at, args[1], "") : args[1];
    args[2] = s->minus_term ? LLVMBuildFNeg(at, args[2], "") : args[2];
    return LLVMBuildCall2(at, LLVMGlobalGetValueType(f), f, args, 3, "");
}

void doubles_narrow(LLVMModuleRef m)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMBuilderRef at = LLVMCreateBuilderInContext(ctx);
    LLVMTypeRef f32 = LLVMFloatTypeInContext(ctx);
    for (LLVMValueRef i = walk_first(m), next; i; i = next) {
        LLVMValueRef s = is_operation(i, LLVMFPTrunc) ? LLVMGetOperand(i, 0) : NULL;
        Sum sum;
        next = walk_next(i);
        if (!s || LLVMTypeOf(i) != f32 || !is_used_once(s) || !sum_of(s, f32, &sum))
            continue;
        LLVMPositionBuilderBefore(at, i);
        LLVMSetCurrentDebugLocation2(at, LLVMInstructionGetDebugLoc(i));
        LLVMReplaceAllUsesWith(i, build(at, &sum, f32));
        LLVMInstructionEraseFromParent(i);
        LLVMInstructionEraseFromParent(s);
    }
    LLVMDisposeBuilder(at);
}
