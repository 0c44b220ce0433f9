/* extremes.c -- the largest or smallest of sums with a term in common is a sum with the largest or
 * smallest of the others.
 *
 *        before   max(x, max(a - p, b - p))
 *        after    max(x, max(a, b) - p)
 *
 * That holds where the sums do not overflow in the order of the comparison, as those of int do not.
 * A sum that something else needs too, or of another block, stays: nothing would be gained.
 */
#include "ll/middle.h"
#include "ll/walk.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

typedef struct {
    const char *name; /* of the intrinsic */
    bool is_signed;
} Extreme;

/* Of which kind v is; NULL: it is none. */
static const Extreme *extreme_of(LLVMValueRef v)
{
    static const Extreme kinds[] = {
        {"llvm.smax", true}, {"llvm.smin", true}, {"llvm.umax", false}, {"llvm.umin", false}};
    const unsigned id = LLVMIsACallInst(v) ? LLVMGetIntrinsicID(LLVMGetCalledValue(v)) : 0;
    for (size_t k = 0; id && k < countof(kinds); k++)
        if (id == LLVMLookupIntrinsicID(kinds[k].name, strlen(kinds[k].name)))
            return &kinds[k];
    return NULL;
}

/* Whether v is a sum or difference of the block, for one use, that keeps the order of its terms. */
static bool is_ordered(LLVMValueRef v, LLVMBasicBlockRef block, bool in_signed)
{
    return LLVMIsABinaryOperator(v) && LLVMGetInstructionParent(v) == block && is_used_once(v) &&
           (LLVMGetInstructionOpcode(v) == LLVMAdd || LLVMGetInstructionOpcode(v) == LLVMSub) &&
           (in_signed ? LLVMGetNSW(v) : LLVMGetNUW(v));
}

/* The operand of sum v that is not the term, which v adds, or subtracts from it; NULL: v has no
 * such term. */
static LLVMValueRef rest_of(LLVMValueRef v, LLVMValueRef term)
{
    if (LLVMGetOperand(v, 1) == term)
        return LLVMGetOperand(v, 0);
    return LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMGetOperand(v, 0) == term
               ? LLVMGetOperand(v, 1)
               : NULL;
}

/* Sums x and y of a block as terms in common and not; false: they share none. */
static bool shared(LLVMValueRef x, LLVMValueRef y, LLVMValueRef rest[2], LLVMValueRef *term)
{
    if (LLVMGetInstructionOpcode(x) != LLVMGetInstructionOpcode(y))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        *term = LLVMGetOperand(x, k);
        rest[0] = rest_of(x, *term);
        rest[1] = rest_of(y, *term);
        if (rest[0] && rest[1])
            return true;
    }
    return false;
}

static LLVMValueRef build_extreme(LLVMBuilderRef at, LLVMValueRef like, LLVMValueRef a,
                                  LLVMValueRef b)
{
    LLVMValueRef f = LLVMGetCalledValue(like);
    return LLVMBuildCall2(at, LLVMGlobalGetValueType(f), f, (LLVMValueRef[]){a, b}, 2, "");
}

/* Makes the extreme of sums x and y before v, which is of that kind; NULL: they share no term. */
static LLVMValueRef join(LLVMBuilderRef at, LLVMValueRef v, LLVMValueRef x, LLVMValueRef y)
{
    const bool in_signed = extreme_of(v)->is_signed;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(v);
    LLVMValueRef rest[2], term;
    if (x == y || !is_ordered(x, block, in_signed) || !is_ordered(y, block, in_signed) ||
        !shared(x, y, rest, &term))
        return NULL;
    LLVMPositionBuilderBefore(at, v);
    LLVMSetCurrentDebugLocation2(at, LLVMInstructionGetDebugLoc(v));
    LLVMValueRef sum = LLVMBuildBinOp(at, LLVMGetInstructionOpcode(x),
                                      build_extreme(at, v, rest[0], rest[1]), term, "");
    if (LLVMIsABinaryOperator(sum))
        (in_signed ? LLVMSetNSW : LLVMSetNUW)(sum, true);
    return sum;
}

static void replace(LLVMValueRef v, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(v, by);
    LLVMInstructionEraseFromParent(v);
}

/* v: an extreme of x and y.  False: nothing was changed. */
static bool join_two(LLVMBuilderRef at, LLVMValueRef v, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef sum = join(at, v, x, y);
    if (!sum)
        return false;
    replace(v, sum);
    LLVMInstructionEraseFromParent(x);
    LLVMInstructionEraseFromParent(y);
    return true;
}

/* v: an extreme of x and `inner`, which may be one of the same kind. */
static bool join_three(LLVMBuilderRef at, LLVMValueRef v, LLVMValueRef x, LLVMValueRef inner)
{
    if (extreme_of(inner) != extreme_of(v) || !is_used_once(inner) ||
        LLVMGetInstructionParent(inner) != LLVMGetInstructionParent(v))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef y = LLVMGetOperand(inner, k), sum = join(at, v, x, y);
        if (!sum)
            continue;
        replace(v, build_extreme(at, v, LLVMGetOperand(inner, 1 - k), sum));
        LLVMInstructionEraseFromParent(inner);
        LLVMInstructionEraseFromParent(x);
        LLVMInstructionEraseFromParent(y);
        return true;
    }
    return false;
}

void extremes_join(LLVMModuleRef m)
{
    LLVMBuilderRef at = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMValueRef i = walk_first(m), next; i; i = next) {
        next = walk_next(i);
        if (!extreme_of(i))
            continue;
        LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
        if (!join_two(at, i, x, y) && !join_three(at, i, x, y))
            join_three(at, i, y, x);
    }
    LLVMDisposeBuilder(at);
}
