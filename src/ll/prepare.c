/* prepare.c -- changes to what clang makes, before the optimiser sees it.
 *
 *   kernels that others call     their code moves to an ordinary function NAME.called
 *   structures as arguments      are copied from the argument block to private memory; the
 *                                optimiser takes the copy apart
 *   printf                       __ventus_printf(id, format, ...): nothing that LLVM knows, and
 *                                the id comes from the library
 *   variables                    where it is wanted, they are 0 at first
 */
#include "ll/middle.h"
#include "ll/lower.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

enum { SPIR_FUNC = 75 /* calling convention */, MAX_PRINTED = 1000 /* arguments of printf */ };
#define FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* --- kernels that are called ------------------------------------------------------------------ */

static void copy_attributes(LLVMValueRef from, LLVMValueRef to)
{
    LLVMAttributeRef list[64];
    const u32 count = LLVMCountParams(from);
    for (u32 k = 0; k <= count + 1; k++) {
        const LLVMAttributeIndex at = k <= count ? k : FUNCTION_INDEX;
        const unsigned n = LLVMGetAttributeCountAtIndex(from, at);
        if (n > countof(list))
            continue;
        LLVMGetAttributesAtIndex(from, at, list);
        for (unsigned i = 0; i < n; i++)
            LLVMAddAttributeAtIndex(to, at, list[i]);
    }
}

/* the kernel's new body: a call */
static void call_from(LLVMValueRef kernel, LLVMValueRef body)
{
    LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    LLVMBuilderRef at = LLVMCreateBuilderInContext(ctx);
    LLVMValueRef args[256];
    const u32 count = LLVMCountParams(kernel);
    LLVMPositionBuilderAtEnd(at, LLVMAppendBasicBlockInContext(ctx, kernel, "entry"));
    LLVMGetParams(kernel, args);
    LLVMValueRef call = LLVMBuildCall2(at, LLVMGlobalGetValueType(body), body, args, count, "");
    LLVMSetInstructionCallConv(call, SPIR_FUNC);
    for (u32 k = 0; k < count; k++) {
        const unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
        LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(kernel, k + 1, byval);
        if (a)
            LLVMAddCallSiteAttribute(call, k + 1, a);
    }
    LLVMBuildRetVoid(at);
    LLVMDisposeBuilder(at);
}

static void split_kernel(LLVMModuleRef m, LLVMValueRef kernel)
{
    char name[512];
    size_t len;
    if (LLVMCountParams(kernel) > 256)
        return; /* the lowering refuses calls of it */
    /* 1. a function like the kernel */
    snprintf(name, sizeof name, "%s.called", LLVMGetValueName2(kernel, &len));
    LLVMValueRef body = LLVMAddFunction(m, name, LLVMGlobalGetValueType(kernel));
    LLVMSetLinkage(body, LLVMInternalLinkage);
    LLVMSetFunctionCallConv(body, SPIR_FUNC);
    copy_attributes(kernel, body);
    /* 2. is what is called */
    LLVMReplaceAllUsesWith(kernel, body);
    for (LLVMUseRef u = LLVMGetFirstUse(body); u; u = LLVMGetNextUse(u))
        if (LLVMIsACallInst(LLVMGetUser(u)))
            LLVMSetInstructionCallConv(LLVMGetUser(u), SPIR_FUNC);
    /* 3. has the code */
    for (LLVMBasicBlockRef b; (b = LLVMGetFirstBasicBlock(kernel));) {
        LLVMRemoveBasicBlockFromParent(b);
        LLVMAppendExistingBasicBlock(body, b);
    }
    for (u32 k = 0; k < LLVMCountParams(kernel); k++)
        LLVMReplaceAllUsesWith(LLVMGetParam(kernel, k), LLVMGetParam(body, k));
    LLVMSetSubprogram(body, LLVMGetSubprogram(kernel));
    LLVMSetSubprogram(kernel, NULL);
    /* 4. and the kernel calls it too */
    call_from(kernel, body);
}

/* --- structures as arguments of kernels ----------------------------------------------- */

static LLVMValueRef declare(LLVMModuleRef m, const char *name, LLVMTypeRef t)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, name);
    if (f)
        return f;
    f = LLVMAddFunction(m, name, t);
    LLVMSetFunctionCallConv(f, SPIR_FUNC);
    return f;
}

static LLVMValueRef call(LLVMBuilderRef at, LLVMValueRef f, LLVMValueRef *args, u32 n)
{
    LLVMValueRef c = LLVMBuildCall2(at, LLVMGlobalGetValueType(f), f, args, n, "");
    LLVMSetInstructionCallConv(c, SPIR_FUNC);
    return c;
}

/* where the block has the argument at `offset`; the lowering knows this function */
static LLVMValueRef block_address(LLVMModuleRef m, LLVMBuilderRef at, u32 offset)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMTypeRef word = LLVMInt32TypeInContext(ctx);
    LLVMTypeRef t = LLVMFunctionType(LLVMPointerTypeInContext(ctx, 2), &word, 1, false);
    LLVMValueRef f = declare(m, "__ventus_arg", t), k = LLVMConstInt(word, offset, false);
    /* it reads nothing, and two calls are not made one, whose offset would not be constant */
    const unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6),
                   nomerge = LLVMGetEnumAttributeKindForName("nomerge", 7);
    LLVMAddAttributeAtIndex(f, FUNCTION_INDEX, LLVMCreateEnumAttribute(ctx, memory, 0));
    LLVMAddAttributeAtIndex(f, FUNCTION_INDEX, LLVMCreateEnumAttribute(ctx, nomerge, 0));
    return call(at, f, &k, 1);
}

static void copy_argument(LLVMModuleRef m, LLVMBuilderRef at, LLVMValueRef param,
                          const ArgPlace *place)
{
    LLVMValueRef size =
        LLVMConstInt(LLVMInt32TypeInContext(LLVMGetModuleContext(m)), place->size, false);
    LLVMValueRef copy = LLVMBuildAlloca(at, place->byval, "argument");
    const u32 align = place->align > 4 ? place->align : 4;
    LLVMSetAlignment(copy, align);
    LLVMBuildMemCpy(at, copy, align, block_address(m, at, place->offset), align, size);
    LLVMReplaceAllUsesWith(param, copy);
}

static void copy_structures(LLVMModuleRef m, LLVMValueRef kernel)
{
    LLVMBuilderRef at = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    LLVMPositionBuilderBefore(at, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
    u32 end = 0;
    for (u32 k = 0; k < LLVMCountParams(kernel); k++) {
        LLVMValueRef param = LLVMGetParam(kernel, k);
        const ArgPlace place = arg_place(LLVMGetModuleDataLayout(m), kernel, k, end);
        end = place.offset + place.size;
        if (place.byval && LLVMGetFirstUse(param))
            copy_argument(m, at, param, &place);
    }
    LLVMDisposeBuilder(at);
}

/* --- printf --------------------------------------------------------------------------- */

static void print_through(LLVMModuleRef m, LLVMValueRef print, LLVMValueRef old)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMBuilderRef at = LLVMCreateBuilderInContext(ctx);
    LLVMValueRef args[MAX_PRINTED + 1];
    const u32 n = LLVMGetNumArgOperands(old);
    LLVMTypeRef id = LLVMFunctionType(LLVMInt32TypeInContext(ctx), NULL, 0, false);
    LLVMPositionBuilderBefore(at, old);
    args[0] = call(at, declare(m, "_Z20get_global_linear_idv", id), NULL, 0);
    for (u32 k = 0; k < n; k++)
        args[k + 1] = LLVMGetOperand(old, k);
    LLVMReplaceAllUsesWith(old, call(at, print, args, n + 1));
    LLVMInstructionEraseFromParent(old);
    LLVMDisposeBuilder(at);
}

static void rewrite_printf(LLVMModuleRef m)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, "printf");
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    if (!f || !LLVMIsDeclaration(f))
        return;
    LLVMTypeRef word = LLVMInt32TypeInContext(ctx);
    LLVMTypeRef params[] = {word, LLVMPointerTypeInContext(ctx, 2)};
    LLVMValueRef print = declare(m, "__ventus_printf", LLVMFunctionType(word, params, 2, true));
    for (LLVMUseRef u = LLVMGetFirstUse(f), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        if (LLVMIsACallInst(user) && LLVMGetNumArgOperands(user) <= MAX_PRINTED)
            print_through(m, print, user);
    }
}

/* --- variables that are 0 at first ---------------------------------------------------- */

static void clear_variable(LLVMBuilderRef at, LLVMTargetDataRef dl, LLVMValueRef variable)
{
    LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(variable));
    const u64 size = LLVMABISizeOfType(dl, LLVMGetAllocatedType(variable));
    LLVMPositionBuilderBefore(at, LLVMGetNextInstruction(variable));
    LLVMBuildMemSet(at, variable, LLVMConstInt(LLVMInt8TypeInContext(ctx), 0, false),
                    LLVMConstInt(LLVMInt32TypeInContext(ctx), size, false),
                    LLVMGetAlignment(variable));
}

/* Private variables of a function are cleared where they are made, and live as long as it runs: at
 * the start of a shorter life their value would be lost. */
static void clear_private(LLVMValueRef f)
{
    LLVMModuleRef m = LLVMGetGlobalParent(f);
    LLVMBuilderRef at = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    size_t len;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
            if (LLVMIsAAllocaInst(i))
                clear_variable(at, LLVMGetModuleDataLayout(m), i);
            else if (called && begins(LLVMGetValueName2(called, &len), "llvm.lifetime."))
                LLVMInstructionEraseFromParent(i);
        }
    LLVMDisposeBuilder(at);
}

/* A group finds zeros in local memory; the optimiser must not think that anything may be there. */
static void clear_variables(LLVMModuleRef m)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3 && !LLVMIsDeclaration(g))
            LLVMSetInitializer(g, LLVMConstNull(LLVMGlobalGetValueType(g)));
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        clear_private(f);
}

void prepare_module(LLVMModuleRef m, bool zero)
{
    if (zero)
        clear_variables(m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (is_kernel(f) && !LLVMIsDeclaration(f)) {
            if (LLVMGetFirstUse(f))
                split_kernel(m, f);
            copy_structures(m, f);
        }
    rewrite_printf(m);
}
