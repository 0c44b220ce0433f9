/* firstvalues.c -- private variables begin with a value that nobody wrote (-ventus-apart).
 *
 * The optimiser knows that a variable has no value yet, and makes anything of it, so that nothing
 * is left for the check for such values to find.  Here each variable first gets what a variable of
 * the program holds that nobody writes (obj/notes.h), and of which the optimiser knows nothing.
 * Where a value is assigned in any case, both go away again.
 *
 * Larger variables are to stay in memory, where the check sees who wrote them: a call that may have
 * written them stands at their begin until all is optimised.
 *
 * The attribute of functions tells the optimiser that no branch may depend on a value earlier than
 * the source has it.
 */
#include "ll/middle.h"
#include "obj/notes.h"
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST = 64, LARGEST_VECTOR = 128 /* bytes of variables that get a value */ };
#define BEGINS         "__ventus_begins_unwritten"
#define FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* Whether values of the type are made of numbers and pointers. */
static bool is_plain(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind: return true;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind: return is_plain(LLVMGetElementType(t));
    case LLVMStructTypeKind:
        for (unsigned k = 0; k < LLVMCountStructElementTypes(t); k++)
            if (!is_plain(LLVMStructGetTypeAtIndex(t, k)))
                return false;
        return true;
    default: return false;
    }
}

/* A variable of the program as large as a private one, and of its name. */
static LLVMValueRef make_source(LLVMModuleRef m, LLVMValueRef variable, LLVMTypeRef t)
{
    char name[96];
    size_t len;
    const char *text = LLVMGetValueName2(variable, &len);
    snprintf(name, sizeof name, NOTE_UNWRITTEN "%.*s", (int)strcspn(text, "."), text);
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(m, t, name, 1);
    LLVMSetInitializer(g, LLVMConstNull(t));
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetExternallyInitialized(g, true);
    LLVMSetAlignment(g, LLVMGetAlignment(variable));
    return g;
}

/* Bytes of the type that hold values; fewer than its size: it has padding. */
static u64 bytes_used(LLVMTargetDataRef dl, LLVMTypeRef t)
{
    u64 n = 0;
    switch (LLVMGetTypeKind(t)) {
    case LLVMVectorTypeKind: return LLVMGetVectorSize(t) * bytes_used(dl, LLVMGetElementType(t));
    case LLVMArrayTypeKind: return LLVMGetArrayLength2(t) * bytes_used(dl, LLVMGetElementType(t));
    case LLVMStructTypeKind:
        for (unsigned k = 0; k < LLVMCountStructElementTypes(t); k++)
            n += bytes_used(dl, LLVMStructGetTypeAtIndex(t, k));
        return n;
    default: return LLVMABISizeOfType(dl, t);
    }
}

/* What is to be copied. */
typedef struct {
    LLVMTargetDataRef dl;
    LLVMBuilderRef b;
    LLVMTypeRef all; /* of the variable */
    LLVMValueRef to, from;
    u32 align;
} Copy;

static LLVMValueRef place(const Copy *c, LLVMValueRef base, u64 at)
{
    LLVMContextRef ctx = LLVMGetTypeContext(c->all);
    LLVMValueRef offset = LLVMConstInt(LLVMInt32TypeInContext(ctx), at, false);
    return at ? LLVMBuildInBoundsGEP2(c->b, LLVMInt8TypeInContext(ctx), base, &offset, 1, "")
              : base;
}

/* Copies what lies at byte `at` of the variable and has type t, without its padding, which nobody
 * needs to write. */
static void copy_part(const Copy *c, LLVMTypeRef t, u64 at)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(t);
    const u64 size = LLVMABISizeOfType(c->dl, t);
    const u32 align = at ? 1u << __builtin_ctzll(at | c->align) : c->align;
    if (kind == LLVMStructTypeKind && bytes_used(c->dl, t) < size) {
        for (unsigned k = 0; k < LLVMCountStructElementTypes(t); k++)
            copy_part(c, LLVMStructGetTypeAtIndex(t, k), at + LLVMOffsetOfElement(c->dl, t, k));
    } else if (kind == LLVMArrayTypeKind && bytes_used(c->dl, t) < size) {
        const u64 n = LLVMGetArrayLength2(t);
        for (u64 k = 0; k < n; k++)
            copy_part(c, LLVMGetElementType(t), at + k * (size / n));
    } else if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind) {
        LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(t));
        LLVMBuildMemCpy(c->b, place(c, c->to, at), align, place(c, c->from, at), align,
                        LLVMConstInt(word, size, false));
    } else {
        LLVMValueRef x = LLVMBuildLoad2(c->b, t, place(c, c->from, at), "");
        LLVMSetAlignment(x, align);
        LLVMSetAlignment(LLVMBuildStore(c->b, x, place(c, c->to, at)), align);
    }
}

static void begin_unwritten(LLVMTargetDataRef dl, LLVMBuilderRef b, LLVMValueRef variable,
                            LLVMValueRef from)
{
    LLVMTypeRef t = LLVMGetAllocatedType(variable);
    const Copy c = {dl, b, t, variable, from, LLVMGetAlignment(variable)};
    copy_part(&c, t, 0);
}

static bool is_lifetime_start(LLVMValueRef i)
{
    size_t len;
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return f && LLVMIsAFunction(f) &&
           !strncmp(LLVMGetValueName2(f, &len), "llvm.lifetime.start", 19);
}

/* What follows the variables at the start of the function. */
static LLVMValueRef after_variables(LLVMValueRef variable)
{
    LLVMValueRef i = variable;
    while (LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* The function that is called where a large variable begins.  It does nothing but what it may have
 * written there. */
static LLVMValueRef make_begins(LLVMModuleRef m)
{
    enum { ARGUMENTS = 3 /* reads and writes them */ };
    static const struct {
        const char *name;
        u32 value;
        LLVMAttributeIndex of;
    } facts[] = {{"memory", ARGUMENTS, FUNCTION_INDEX}, {"nounwind", 0, FUNCTION_INDEX},
                 {"willreturn", 0, FUNCTION_INDEX},     {"nosync", 0, FUNCTION_INDEX},
                 {"nofree", 0, FUNCTION_INDEX},         {"nocapture", 0, 1}};
    LLVMValueRef f = LLVMGetNamedFunction(m, BEGINS);
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx, 0);
    if (f)
        return f;
    f = LLVMAddFunction(m, BEGINS,
                        LLVMFunctionType(LLVMVoidTypeInContext(ctx), &pointer, 1, false));
    for (size_t k = 0; k < countof(facts); k++) {
        const unsigned kind = LLVMGetEnumAttributeKindForName(facts[k].name, strlen(facts[k].name));
        if (kind) /* LLVM 21 has no "nocapture" */
            LLVMAddAttributeAtIndex(f, facts[k].of,
                                    LLVMCreateEnumAttribute(ctx, kind, facts[k].value));
    }
    return f;
}

/* The variable begins where the builder is.  from: its value, or the function above. */
static void begin_here(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef variable, LLVMValueRef from)
{
    if (LLVMIsAFunction(from))
        LLVMBuildCall2(b, LLVMGlobalGetValueType(from), from, &variable, 1, "");
    else
        begin_unwritten(LLVMGetModuleDataLayout(m), b, variable, from);
}

static void begin_variable(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef variable)
{
    LLVMTypeRef t = LLVMGetAllocatedType(variable);
    const u64 size = LLVMABISizeOfType(LLVMGetModuleDataLayout(m), t);
    const bool is_vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMValueRef count = LLVMGetOperand(variable, 0);
    bool has_start = false;
    if (!size || !is_plain(t) || !LLVMIsAConstantInt(count) || LLVMConstIntGetZExtValue(count) != 1)
        return;
    LLVMValueRef from = size > (is_vector ? LARGEST_VECTOR : LARGEST) ? make_begins(m)
                                                                      : make_source(m, variable, t);
    for (LLVMUseRef u = LLVMGetFirstUse(variable), next; u; u = next) {
        LLVMValueRef start = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        if (!is_lifetime_start(start))
            continue;
        has_start = true;
        LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(start));
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(start));
        begin_here(m, b, variable, from);
    }
    if (!has_start) {
        LLVMPositionBuilderBefore(b, after_variables(variable));
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(variable));
        begin_here(m, b, variable, from);
    }
}

void unwritten_forget(LLVMModuleRef m)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, BEGINS);
    for (LLVMUseRef u; f && (u = LLVMGetFirstUse(f));)
        LLVMInstructionEraseFromParent(LLVMGetUser(u));
    if (f)
        LLVMDeleteFunction(f);
}

void variables_unwritten(LLVMModuleRef m)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMValueRef i =
                 LLVMIsDeclaration(f) ? NULL : LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f));
             i && LLVMIsAAllocaInst(i); i = LLVMGetNextInstruction(i))
            begin_variable(m, b, i);
    LLVMDisposeBuilder(b);
}

void unwritten_keep_branches(LLVMModuleRef m)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMAttributeRef a =
        LLVMCreateEnumAttribute(ctx, LLVMGetEnumAttributeKindForName("sanitize_memory", 15), 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, FUNCTION_INDEX, a);
}
