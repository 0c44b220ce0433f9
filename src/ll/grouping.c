/* grouping.c -- notes the kernels to which it is all one how their work-items are grouped.
 *
 * They ask for no group and for no place in one, meet nobody, and have no local memory.  Where the application leaves the
 * size of groups open, the last ones may then be smaller, whatever the language's version is, and a grid whose size is a
 * prime need not be run by groups of one.  This is told before the library is linked, whose functions ask for groups to
 * find a work-item's place in the grid.
 */
#include "ll/callers.h"
#include "ll/lower.h"
#include "ll/middle.h"
#include <string.h>

/* Whether what the function does may depend on groups. */
static bool sees_groups(const char *name)
{
    static const char *const words[] = {"local", "group", "barrier", "__ventus_", "__spirv_"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static bool has_local_argument(LLVMValueRef f)
{
    for (unsigned i = 0; i < LLVMCountParams(f); i++) {
        LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(f, i));
        if (LLVMGetTypeKind(t) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(t) == 3)
            return true;
    }
    return false;
}

/* Whether an instruction is assembly, or calls what a pointer says. */
static bool calls_unknown(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetInstructionOpcode(i) == LLVMCall && !LLVMIsAFunction(LLVMGetCalledValue(i)))
                return true;
    return false;
}

void grouping_note(LLVMModuleRef m)
{
    static const char mark[] = GROUPING_MARK;
    Callers c = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        size_t len;
        if (LLVMIsDeclaration(f) && sees_groups(LLVMGetValueName2(f, &len)))
            callers_add(&c, f);
        c.all |= calls_unknown(f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3)
            callers_add(&c, g);
    callers_close(&c);
    LLVMAttributeRef a =
        LLVMCreateStringAttribute(LLVMGetModuleContext(m), mark, sizeof mark - 1, "", 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (is_kernel(f) && !LLVMIsDeclaration(f) && !callers_have(&c, f) && !has_local_argument(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
    callers_free(&c);
}
