/* libcalls.c -- operations that the machine lacks, as calls of the device library (lib/ventus.h,
 * "called by the lowering").
 *
 * Division of more than 32 bits, remainders of floats, conversions between floats and 64-bit
 * numbers, rounding to whole numbers.  Vectors go element by element.
 */
#include "ll/lower.h"
#include "ll/middle.h"
#include <string.h>

enum { SPIR_FUNC = 75 };

/* A call to be: the function, its types, and how operands are extended. */
typedef struct {
    const char *name;
    LLVMTypeRef to, from; /* elements, as the function has them */
    u32 nargs;
    bool is_signed;
} Helper;

static bool is_wide(LLVMTypeRef t)
{
    t = type_scalar(t);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) > 32 &&
           LLVMGetIntTypeWidth(t) <= 64;
}

static bool is_long(LLVMTypeRef t)
{
    return is_wide(t) && LLVMGetIntTypeWidth(type_scalar(t)) == 64;
}

static bool is_float(LLVMTypeRef t) { return LLVMGetTypeKind(type_scalar(t)) == LLVMFloatTypeKind; }

static bool division(LLVMValueRef i, LLVMOpcode op, LLVMTypeRef wide, Helper *h)
{
    static const struct {
        LLVMOpcode op;
        const char *name;
        bool is_signed;
    } row[] = {
        {LLVMUDiv, "__ventus_udiv64", false},
        {LLVMSDiv, "__ventus_sdiv64", true},
        {LLVMURem, "__ventus_urem64", false},
        {LLVMSRem, "__ventus_srem64", true},
    };
    for (size_t k = 0; k < countof(row); k++)
        if (op == row[k].op && is_wide(LLVMTypeOf(i))) {
            *h = (Helper){row[k].name, wide, wide, 2, row[k].is_signed};
            return true;
        }
    return false;
}

static bool conversion(LLVMValueRef i, LLVMOpcode op, LLVMTypeRef wide, LLVMTypeRef single,
                       Helper *h)
{
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
    if (op == LLVMUIToFP && is_wide(from) && is_float(to))
        *h = (Helper){"__ventus_u64tof", single, wide, 1, false};
    else if (op == LLVMSIToFP && is_wide(from) && is_float(to))
        *h = (Helper){"__ventus_i64tof", single, wide, 1, true};
    else if (op == LLVMFPToUI && is_wide(to) && is_float(from))
        *h = (Helper){"__ventus_ftou64", wide, single, 1, false};
    else if (op == LLVMFPToSI && is_wide(to) && is_float(from))
        *h = (Helper){"__ventus_ftoi64", wide, single, 1, true};
    else
        return false;
    return true;
}

static bool intrinsic(LLVMValueRef i, LLVMTypeRef wide, LLVMTypeRef single, Helper *h)
{
    static const struct {
        const char *name, *function;
    } row[] = {
        {"llvm.floor.", "__ventus_floorf"},    {"llvm.ceil.", "__ventus_ceilf"},
        {"llvm.trunc.", "__ventus_truncf"},    {"llvm.rint.", "__ventus_rintf"},
        {"llvm.nearbyint.", "__ventus_rintf"}, {"llvm.roundeven.", "__ventus_rintf"},
        {"llvm.round.", "__ventus_roundf"},
    };
    LLVMValueRef f = LLVMGetCalledValue(i);
    size_t len;
    const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
    if (is_long(LLVMTypeOf(i)) && !strncmp(name, "llvm.fptoui.sat", 15))
        *h = (Helper){"__ventus_ftou64", wide, single, 1, false};
    else if (is_long(LLVMTypeOf(i)) && !strncmp(name, "llvm.fptosi.sat", 15))
        *h = (Helper){"__ventus_ftoi64", wide, single, 1, true};
    else
        for (size_t k = 0; k < countof(row) && is_float(LLVMTypeOf(i)); k++)
            if (!strncmp(name, row[k].name, strlen(row[k].name)))
                *h = (Helper){row[k].function, single, single, 1, false};
    return h->name;
}

static bool helper_of(LLVMValueRef i, LLVMContextRef ctx, Helper *h)
{
    LLVMTypeRef wide = LLVMInt64TypeInContext(ctx), single = LLVMFloatTypeInContext(ctx);
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    *h = (Helper){0};
    if (LLVMIsABinaryOperator(i) && op == LLVMFRem && is_float(LLVMTypeOf(i))) {
        *h = (Helper){"_Z4fmodff", single, single, 2, false};
        return true;
    }
    if (LLVMIsABinaryOperator(i))
        return division(i, op, wide, h);
    if (LLVMIsACastInst(i))
        return conversion(i, op, wide, single, h);
    return LLVMIsACallInst(i) && intrinsic(i, wide, single, h);
}

static LLVMValueRef declared(LLVMModuleRef m, const Helper *h)
{
    LLVMTypeRef params[] = {h->from, h->from};
    LLVMValueRef f = LLVMGetNamedFunction(m, h->name);
    if (f)
        return f;
    f = LLVMAddFunction(m, h->name, LLVMFunctionType(h->to, params, h->nargs, false));
    LLVMSetFunctionCallConv(f, SPIR_FUNC);
    return f;
}

/* an operand as the function wants it: 64 bits, or a float as it is */
static LLVMValueRef widened(LLVMBuilderRef at, LLVMValueRef x, const Helper *h)
{
    if (LLVMTypeOf(x) == h->from)
        return x;
    return (h->is_signed ? LLVMBuildSExt : LLVMBuildZExt)(at, x, h->from, "");
}

static LLVMValueRef one_call(LLVMBuilderRef at, LLVMValueRef f, const Helper *h, LLVMValueRef *x,
                             LLVMTypeRef to)
{
    for (u32 k = 0; k < h->nargs; k++)
        x[k] = widened(at, x[k], h);
    LLVMValueRef r = LLVMBuildCall2(at, LLVMGlobalGetValueType(f), f, x, h->nargs, "");
    LLVMSetInstructionCallConv(r, SPIR_FUNC);
    return LLVMTypeOf(r) == to ? r : LLVMBuildTrunc(at, r, to, "");
}

static LLVMValueRef element(LLVMBuilderRef at, LLVMValueRef x, u32 k)
{
    LLVMTypeRef index = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(x)));
    return LLVMBuildExtractElement(at, x, LLVMConstInt(index, k, false), "");
}

static LLVMValueRef replacement(LLVMBuilderRef at, LLVMModuleRef m, LLVMValueRef i, const Helper *h)
{
    LLVMTypeRef t = LLVMTypeOf(i), index = LLVMInt32TypeInContext(LLVMGetModuleContext(m));
    LLVMValueRef f = declared(m, h), x[2], all = LLVMGetPoison(t);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) {
        for (u32 k = 0; k < h->nargs; k++)
            x[k] = LLVMGetOperand(i, k);
        return one_call(at, f, h, x, t);
    }
    for (u32 e = 0; e < LLVMGetVectorSize(t); e++) {
        for (u32 k = 0; k < h->nargs; k++)
            x[k] = element(at, LLVMGetOperand(i, k), e);
        LLVMValueRef r = one_call(at, f, h, x, LLVMGetElementType(t));
        all = LLVMBuildInsertElement(at, all, r, LLVMConstInt(index, e, false), "");
    }
    return all;
}

static bool expand_block(LLVMModuleRef m, LLVMBuilderRef at, LLVMBasicBlockRef b)
{
    bool changed = false;
    Helper h;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!helper_of(i, LLVMGetModuleContext(m), &h))
            continue;
        LLVMPositionBuilderBefore(at, i);
        LLVMReplaceAllUsesWith(i, replacement(at, m, i, &h));
        LLVMInstructionEraseFromParent(i);
        changed = true;
    }
    return changed;
}

bool expand_operations(LLVMModuleRef m)
{
    LLVMBuilderRef at = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    bool changed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            changed |= expand_block(m, at, b);
    LLVMDisposeBuilder(at);
    return changed;
}
