/* libcalls.c -- operations that the machine lacks, as calls of the device library (lib/ventus.h,
 * "called by the lowering").
 *
 * Division of more than 32 bits, remainders of floats, conversions between floats and 64-bit
 * numbers, rounding to whole numbers, and everything that computes with double, which the library
 * does on 64-bit integers (lib/opencl/double.h).  Vectors go element by element.
 */
#include "ll/lower.h"
#include "ll/middle.h"
#include "ll/walk.h"
#include <string.h>

enum { SPIR_FUNC = 75 };

/* How a predicate follows from the result of __ventus_dcmp (-1 less, 0 equal, 1 greater, 2
 * unordered): the result, or its low bit where `low` says so, is compared with a constant. */
typedef struct {
    u8 how; /* LLVMIntPredicate */
    u8 with;
    bool low;
} Verdict;

/* A call that will replace an operation: the function, its types, and how operands are extended. */
typedef struct {
    const char *name;
    LLVMTypeRef to, from; /* elements, as the function has them */
    u32 nargs;
    bool is_signed;
    const Verdict *verdict; /* of a comparison of doubles; or NULL */
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
static bool is_double(LLVMTypeRef t)
{
    return LLVMGetTypeKind(type_scalar(t)) == LLVMDoubleTypeKind;
}

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
            *h = (Helper){.name = row[k].name,
                          .to = wide,
                          .from = wide,
                          .nargs = 2,
                          .is_signed = row[k].is_signed};
            return true;
        }
    return false;
}

static bool conversion(LLVMValueRef i, LLVMOpcode op, LLVMTypeRef wide, LLVMTypeRef single,
                       Helper *h)
{
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
    if (op == LLVMUIToFP && is_wide(from) && is_float(to))
        *h = (Helper){.name = "__ventus_u64tof", .to = single, .from = wide, .nargs = 1};
    else if (op == LLVMSIToFP && is_wide(from) && is_float(to))
        *h = (Helper){
            .name = "__ventus_i64tof", .to = single, .from = wide, .nargs = 1, .is_signed = true};
    else if (op == LLVMFPToUI && is_wide(to) && is_float(from))
        *h = (Helper){.name = "__ventus_ftou64", .to = wide, .from = single, .nargs = 1};
    else if (op == LLVMFPToSI && is_wide(to) && is_float(from))
        *h = (Helper){
            .name = "__ventus_ftoi64", .to = wide, .from = single, .nargs = 1, .is_signed = true};
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
        *h = (Helper){.name = "__ventus_ftou64", .to = wide, .from = single, .nargs = 1};
    else if (is_long(LLVMTypeOf(i)) && !strncmp(name, "llvm.fptosi.sat", 15))
        *h = (Helper){
            .name = "__ventus_ftoi64", .to = wide, .from = single, .nargs = 1, .is_signed = true};
    else
        for (size_t k = 0; k < countof(row) && is_float(LLVMTypeOf(i)); k++)
            if (!strncmp(name, row[k].name, strlen(row[k].name)))
                *h = (Helper){.name = row[k].function, .to = single, .from = single, .nargs = 1};
    return h->name;
}

/* --- double ------------------------------------------------------------------------- */

static bool double_comparison(LLVMValueRef i, LLVMTypeRef wide, LLVMTypeRef word, Helper *h)
{
    static const Verdict rows[] = {
        [LLVMRealOEQ] = {LLVMIntEQ, 0, false},  [LLVMRealOGT] = {LLVMIntEQ, 1, false},
        [LLVMRealOGE] = {LLVMIntULE, 1, false}, [LLVMRealOLT] = {LLVMIntSLT, 0, false},
        [LLVMRealOLE] = {LLVMIntSLE, 0, false}, [LLVMRealONE] = {LLVMIntNE, 0, true},
        [LLVMRealORD] = {LLVMIntNE, 2, false},  [LLVMRealUNO] = {LLVMIntEQ, 2, false},
        [LLVMRealUEQ] = {LLVMIntEQ, 0, true},   [LLVMRealUGT] = {LLVMIntSGT, 0, false},
        [LLVMRealUGE] = {LLVMIntSGE, 0, false}, [LLVMRealULT] = {LLVMIntUGE, 2, false},
        [LLVMRealULE] = {LLVMIntNE, 1, false},  [LLVMRealUNE] = {LLVMIntNE, 0, false},
    };
    const LLVMRealPredicate p = LLVMGetFCmpPredicate(i);
    if (!is_double(LLVMTypeOf(LLVMGetOperand(i, 0))) || (size_t)p >= countof(rows) || !rows[p].how)
        return false;
    *h = (Helper){"__ventus_dcmp", word, wide, 2, false, &rows[p]};
    return true;
}

/* integers narrower than 32 bits are converted from and to 32 bits */
static bool double_conversion(LLVMValueRef i, LLVMOpcode op, LLVMTypeRef wide, LLVMTypeRef word,
                              LLVMTypeRef single, Helper *h)
{
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
    if (op == LLVMFPExt && is_float(from))
        *h = (Helper){.name = "__ventus_ftod", .to = wide, .from = single, .nargs = 1};
    else if (op == LLVMFPTrunc && is_float(to))
        *h = (Helper){.name = "__ventus_dtof", .to = single, .from = wide, .nargs = 1};
    else if (op == LLVMFPToSI && is_double(from))
        *h = is_wide(to)
                 ? (Helper){.name = "__ventus_dtoi64", .to = wide, .from = wide, .nargs = 1}
                 : (Helper){.name = "__ventus_dtoi32", .to = word, .from = wide, .nargs = 1};
    else if (op == LLVMFPToUI && is_double(from))
        *h = is_wide(to)
                 ? (Helper){.name = "__ventus_dtou64", .to = wide, .from = wide, .nargs = 1}
                 : (Helper){.name = "__ventus_dtou32", .to = word, .from = wide, .nargs = 1};
    else if (op == LLVMSIToFP && is_double(to))
        *h = is_wide(from) ? (Helper){.name = "__ventus_i64tod",
                                      .to = wide,
                                      .from = wide,
                                      .nargs = 1,
                                      .is_signed = true}
                           : (Helper){.name = "__ventus_i32tod",
                                      .to = wide,
                                      .from = word,
                                      .nargs = 1,
                                      .is_signed = true};
    else if (op == LLVMUIToFP && is_double(to))
        *h = is_wide(from)
                 ? (Helper){.name = "__ventus_u64tod", .to = wide, .from = wide, .nargs = 1}
                 : (Helper){.name = "__ventus_u32tod", .to = wide, .from = word, .nargs = 1};
    return h->name;
}

static bool double_intrinsic(LLVMValueRef i, LLVMTypeRef wide, LLVMTypeRef word, Helper *h)
{
    static const struct {
        const char *name, *function;
        u32 nargs;
    } row[] = {
        {"llvm.fma.", "__ventus_dfma", 3},        {"llvm.sqrt.", "__ventus_dsqrt", 1},
        {"llvm.floor.", "__ventus_dfloor", 1},    {"llvm.ceil.", "__ventus_dceil", 1},
        {"llvm.trunc.", "__ventus_dtrunc", 1},    {"llvm.rint.", "__ventus_drint", 1},
        {"llvm.nearbyint.", "__ventus_drint", 1}, {"llvm.roundeven.", "__ventus_drint", 1},
        {"llvm.round.", "__ventus_dround", 1},    {"llvm.minnum.", "__ventus_dmin", 2},
        {"llvm.maxnum.", "__ventus_dmax", 2},     {"llvm.fmuladd.", "__ventus_dfma", 3},
        {"llvm.fabs.", "__ventus_dabs", 1},       {"llvm.copysign.", "__ventus_dcopysign", 2},
    };
    LLVMValueRef f = LLVMGetCalledValue(i);
    size_t len;
    const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
    const bool has_argument = LLVMGetNumArgOperands(i) > 0;
    if (!has_argument || !is_double(LLVMTypeOf(LLVMGetOperand(i, 0))))
        return false;
    if (!strncmp(name, "llvm.fptoui.sat", 15) || !strncmp(name, "llvm.fptosi.sat", 15)) {
        const bool is_signed = name[9] == 's';
        const u32 bits = LLVMGetIntTypeWidth(type_scalar(LLVMTypeOf(i)));
        if (bits == 64)
            *h = (Helper){.name = is_signed ? "__ventus_dtoi64" : "__ventus_dtou64",
                          .to = wide,
                          .from = wide,
                          .nargs = 1};
        else if (bits == 32)
            *h = (Helper){.name = is_signed ? "__ventus_dtoi32" : "__ventus_dtou32",
                          .to = word,
                          .from = wide,
                          .nargs = 1};
    } else if (!strncmp(name, "llvm.is.fpclass", 15))
        *h = (Helper){.name = "__ventus_dclass", .to = word, .from = wide, .nargs = 2};
    else
        for (size_t k = 0; k < countof(row) && is_double(LLVMTypeOf(i)); k++)
            if (!strncmp(name, row[k].name, strlen(row[k].name)))
                *h = (Helper){
                    .name = row[k].function, .to = wide, .from = wide, .nargs = row[k].nargs};
    return h->name;
}

/* whether instruction i computes with double, and the call that does it */
static bool double_operation(LLVMValueRef i, LLVMOpcode op, LLVMTypeRef wide, LLVMTypeRef single,
                             LLVMTypeRef word, Helper *h)
{
    if (LLVMIsABinaryOperator(i) && is_double(LLVMTypeOf(i))) {
        LLVMTypeRef t = LLVMDoubleTypeInContext(LLVMGetTypeContext(wide));
        *h = op == LLVMFAdd
                 ? (Helper){.name = "__ventus_dadd", .to = wide, .from = wide, .nargs = 2}
             : op == LLVMFSub
                 ? (Helper){.name = "__ventus_dsub", .to = wide, .from = wide, .nargs = 2}
             : op == LLVMFMul
                 ? (Helper){.name = "__ventus_dmul", .to = wide, .from = wide, .nargs = 2}
             : op == LLVMFDiv
                 ? (Helper){.name = "__ventus_ddiv", .to = wide, .from = wide, .nargs = 2}
                 : (Helper){.name = "_Z4fmoddd", .to = t, .from = t, .nargs = 2};
        return true;
    }
    if (op == LLVMFNeg && is_double(LLVMTypeOf(i))) {
        *h = (Helper){.name = "__ventus_dneg", .to = wide, .from = wide, .nargs = 1};
        return true;
    }
    if (op == LLVMFCmp)
        return double_comparison(i, wide, word, h);
    if (LLVMIsACastInst(i))
        return double_conversion(i, op, wide, word, single, h);
    return LLVMIsACallInst(i) && double_intrinsic(i, wide, word, h);
}

static bool helper_of(LLVMValueRef i, LLVMContextRef ctx, Helper *h)
{
    LLVMTypeRef wide = LLVMInt64TypeInContext(ctx), single = LLVMFloatTypeInContext(ctx);
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    *h = (Helper){0};
    if (double_operation(i, op, wide, single, LLVMInt32TypeInContext(ctx), h))
        return true;
    if (LLVMIsABinaryOperator(i) && op == LLVMFRem && is_float(LLVMTypeOf(i))) {
        *h = (Helper){.name = "_Z4fmodff", .to = single, .from = single, .nargs = 2};
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
    LLVMTypeRef params[] = {h->from, h->from, h->from};
    LLVMValueRef f = LLVMGetNamedFunction(m, h->name);
    if (f)
        return f;
    f = LLVMAddFunction(m, h->name, LLVMFunctionType(h->to, params, h->nargs, false));
    LLVMSetFunctionCallConv(f, SPIR_FUNC);
    return f;
}

/* an operand as the function wants it: extended, the bits of a double, or a float as it is */
static LLVMValueRef widened(LLVMBuilderRef at, LLVMValueRef x, const Helper *h)
{
    if (LLVMTypeOf(x) == h->from)
        return x;
    if (is_double(LLVMTypeOf(x)))
        return LLVMBuildBitCast(at, x, h->from, "");
    return (h->is_signed ? LLVMBuildSExt : LLVMBuildZExt)(at, x, h->from, "");
}

static LLVMValueRef one_call(LLVMBuilderRef at, LLVMValueRef f, const Helper *h, LLVMValueRef *x,
                             LLVMTypeRef to)
{
    for (u32 k = 0; k < h->nargs; k++)
        x[k] = widened(at, x[k], h);
    LLVMValueRef r = LLVMBuildCall2(at, LLVMGlobalGetValueType(f), f, x, h->nargs, "");
    LLVMSetInstructionCallConv(r, SPIR_FUNC);
    if (h->verdict) {
        if (h->verdict->low)
            r = LLVMBuildAnd(at, r, LLVMConstInt(h->to, 1, false), "");
        LLVMValueRef with = LLVMConstInt(h->to, (u64)h->verdict->with, true);
        return LLVMBuildICmp(at, (LLVMIntPredicate)h->verdict->how, r, with, "");
    }
    if (LLVMTypeOf(r) == to)
        return r;
    return is_double(to) ? LLVMBuildBitCast(at, r, to, "") : LLVMBuildTrunc(at, r, to, "");
}

static LLVMValueRef element(LLVMBuilderRef at, LLVMValueRef x, u32 k)
{
    LLVMTypeRef index = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(x)));
    return LLVMBuildExtractElement(at, x, LLVMConstInt(index, k, false), "");
}

static LLVMValueRef replacement(LLVMBuilderRef at, LLVMModuleRef m, LLVMValueRef i, const Helper *h)
{
    LLVMTypeRef t = LLVMTypeOf(i), index = LLVMInt32TypeInContext(LLVMGetModuleContext(m));
    LLVMValueRef f = declared(m, h), x[3], all = LLVMGetPoison(t);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) {
        for (u32 k = 0; k < h->nargs; k++)
            x[k] = LLVMGetOperand(i, k);
        return one_call(at, f, h, x, t);
    }
    for (u32 e = 0; e < LLVMGetVectorSize(t); e++) {
        for (u32 k = 0; k < h->nargs; k++) {
            x[k] = LLVMGetOperand(i, k);
            if (LLVMGetTypeKind(LLVMTypeOf(x[k])) == LLVMVectorTypeKind)
                x[k] = element(at, x[k], e);
        }
        LLVMValueRef r = one_call(at, f, h, x, LLVMGetElementType(t));
        all = LLVMBuildInsertElement(at, all, r, LLVMConstInt(index, e, false), "");
    }
    return all;
}

bool expand_operations(LLVMModuleRef m)
{
    LLVMBuilderRef at = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    bool changed = false;
    Helper h;
    for (LLVMValueRef i = walk_first(m), next; i; i = next) {
        next = walk_next(i);
        if (!helper_of(i, LLVMGetModuleContext(m), &h))
            continue;
        LLVMPositionBuilderBefore(at, i);
        LLVMReplaceAllUsesWith(i, replacement(at, m, i, &h));
        LLVMInstructionEraseFromParent(i);
        changed = true;
    }
    LLVMDisposeBuilder(at);
    return changed;
}
