/* relaxed.c -- what -cl-fast-relaxed-math and -cl-unsafe-math-optimizations allow beyond what LLVM
 * does by clang's flags: shorter functions, within the bounds that OpenCL C sets for these options
 * ("Relative Error as ULPs"), and products that are added without being rounded first.
 *
 *     exp, exp2     3 + floor(|2 * x|) ulp       native_exp, native_exp2
 *     exp10         exp2(x * log2(10))           native_exp10
 *
 * An error of 2^-11 is allowed for sine and cosine; programs in the wild do not expect so much, and
 * they stay as they are.
 */
#include "ll/middle.h"
#include "ll/walk.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* --- functions -------------------------------------------------------------------------------- */

/* Whether these are the types, mangled, of one float or one vector of floats. */
static bool takes_float(const char *types)
{
    if (types[0] == 'D' && types[1] == 'v') {
        types += 2 + strspn(types + 2, "0123456789");
        if (*types++ != '_')
            return false;
    }
    return !strcmp(types, "f");
}

/* The mangled name of the function that may take the place of a function of that name; false: none.
 */
static bool shorter_name(const char *mangled, char *to, size_t room)
{
    static const struct {
        const char *name, *shorter;
    } rows[] = {
        {"_Z3exp", "_Z10native_exp"},
        {"_Z4exp2", "_Z11native_exp2"},
        {"_Z5exp10", "_Z12native_exp10"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const size_t len = strlen(rows[i].name);
        if (!strncmp(mangled, rows[i].name, len) && takes_float(mangled + len))
            return snprintf(to, room, "%s%s", rows[i].shorter, mangled + len) < (int)room;
    }
    return false;
}

void relaxed_shorten(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        char name[64];
        size_t len;
        if (!LLVMIsDeclaration(f) || !shorter_name(LLVMGetValueName2(f, &len), name, sizeof name))
            continue;
        LLVMValueRef g = LLVMGetNamedFunction(m, name);
        if (!g) {
            g = LLVMAddFunction(m, name, LLVMGlobalGetValueType(f));
            LLVMSetFunctionCallConv(g, LLVMGetFunctionCallConv(f));
        }
        LLVMReplaceAllUsesWith(f, g);
    }
}

/* --- products ------------------------------------------------------------------------------- */

static bool is_contracted(LLVMValueRef v, LLVMOpcode op)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op &&
           LLVMGetFastMathFlags(v) & LLVMFastMathAllowContract;
}

/* Whether v is a product that only one sum needs. */
static bool is_product(LLVMValueRef v) { return is_contracted(v, LLVMFMul) && is_used_once(v); }

/* Whether the numbers are floats, one or several: others have no instruction for it. */
static bool is_float(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMFloatTypeKind;
}

/* Makes a sum, or difference, one operation with a product that it has. */
static void fuse(LLVMBuilderRef at, LLVMModuleRef m, LLVMValueRef sum)
{
    static const char name[] = "llvm.fma";
    const bool minus = LLVMGetInstructionOpcode(sum) == LLVMFSub;
    const unsigned k = is_product(LLVMGetOperand(sum, 0)) ? 0 : 1;
    LLVMValueRef product = LLVMGetOperand(sum, k), rest = LLVMGetOperand(sum, 1 - k);
    if (!is_product(product))
        return;
    LLVMTypeRef t = LLVMTypeOf(sum);
    LLVMValueRef f =
        LLVMGetIntrinsicDeclaration(m, LLVMLookupIntrinsicID(name, sizeof name - 1), &t, 1);
    LLVMPositionBuilderBefore(at, sum);
    LLVMSetCurrentDebugLocation2(at, LLVMInstructionGetDebugLoc(sum));
    LLVMValueRef x = LLVMGetOperand(product, 0), y = LLVMGetOperand(product, 1);
    if (minus && k == 0)
        rest = LLVMBuildFNeg(at, rest, "");
    else if (minus)
        x = LLVMBuildFNeg(at, x, "");
    LLVMValueRef fused =
        LLVMBuildCall2(at, LLVMGlobalGetValueType(f), f, (LLVMValueRef[]){x, y, rest}, 3, "");
    LLVMReplaceAllUsesWith(sum, fused);
    LLVMInstructionEraseFromParent(sum);
    LLVMInstructionEraseFromParent(product);
}

void relaxed_fuse(LLVMModuleRef m)
{
    LLVMBuilderRef at = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMValueRef i = walk_first(m), next; i; i = next) {
        next = walk_next(i);
        if ((is_contracted(i, LLVMFAdd) || is_contracted(i, LLVMFSub)) && is_float(i))
            fuse(at, m, i);
    }
    LLVMDisposeBuilder(at);
}
