/* components.c -- a store to components of a vector stores no others.
 *
 * clang loads the vector, puts the components in, and stores all of it.  Another work-item may
 * store to the other components at the same time, whose values would be lost; and the buffer may be
 * one for writing only.  So each component is stored by itself, before the optimiser makes one
 * store of several statements.
 */
#include "ll/middle.h"
#include "ll/lower.h"
#include "ll/walk.h"
#include <llvm-c/DebugInfo.h>

enum { MOST_COMPONENTS = 16 };

/* What a store changes. */
typedef struct {
    u32 n;
    LLVMValueRef index[MOST_COMPONENTS], value[MOST_COMPONENTS]; /* value NULL: of `from`, */
    LLVMValueRef from;
    u32 at[MOST_COMPONENTS]; /* this component */
} Changes;

static bool writes_memory(LLVMValueRef i)
{
    return LLVMIsAStoreInst(i) || LLVMIsACallInst(i) || LLVMIsAAtomicRMWInst(i) ||
           LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i);
}

/* Whether v is what lies at the place of the store, loaded with no store in between. */
static bool is_old(LLVMValueRef v, LLVMValueRef store)
{
    if (!LLVMIsALoadInst(v) || LLVMGetVolatile(v) ||
        LLVMGetOperand(v, 0) != LLVMGetOperand(store, 1) ||
        LLVMGetInstructionParent(v) != LLVMGetInstructionParent(store))
        return false;
    for (LLVMValueRef i = LLVMGetNextInstruction(v); i && i != store; i = LLVMGetNextInstruction(i))
        if (writes_memory(i))
            return false;
    return true;
}

/* Several components: the old vector beside another one, mixed.  False: something else. */
static bool take_mixed(LLVMValueRef mix, LLVMValueRef store, Changes *c)
{
    LLVMValueRef old = LLVMGetOperand(mix, 0);
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(mix)));
    const u32 n = LLVMGetVectorSize(LLVMTypeOf(mix)), first = LLVMGetVectorSize(LLVMTypeOf(old));
    if (!is_old(old, store) || n != first || n > MOST_COMPONENTS)
        return false;
    c->from = LLVMGetOperand(mix, 1);
    for (u32 k = 0; k < n; k++) {
        const int at = LLVMGetMaskValue(mix, k);
        if (at == (int)k)
            continue;
        if (at < (int)first) /* a component of the old vector, or none */
            return false;
        c->index[c->n] = LLVMConstInt(word, k, false);
        c->at[c->n++] = (u32)at - first;
    }
    return true;
}

static bool take_changes(LLVMValueRef store, Changes *c)
{
    LLVMValueRef v = LLVMGetOperand(store, 0);
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || LLVMGetVolatile(store) ||
        !LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(store, 1))) ||
        !lies_in_bytes(LLVMGetElementType(t)))
        return false;
    if (LLVMIsAShuffleVectorInst(v))
        return take_mixed(v, store, c);
    if (!LLVMIsAInsertElementInst(v) || !is_old(LLVMGetOperand(v, 0), store))
        return false;
    c->value[0] = LLVMGetOperand(v, 1);
    c->index[0] = LLVMGetOperand(v, 2);
    c->n = 1;
    return true;
}

static void store_each(LLVMTargetDataRef dl, LLVMBuilderRef b, LLVMValueRef store, const Changes *c)
{
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(store, 0)));
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(t));
    const u32 align = LLVMGetAlignment(store), size = (u32)LLVMABISizeOfType(dl, t);
    LLVMPositionBuilderBefore(b, store);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(store));
    for (u32 k = 0; k < c->n; k++) {
        LLVMValueRef index = c->index[k];
        LLVMValueRef x =
            c->value[k]
                ? c->value[k]
                : LLVMBuildExtractElement(b, c->from, LLVMConstInt(word, c->at[k], false), "");
        LLVMValueRef to = LLVMBuildInBoundsGEP2(b, t, LLVMGetOperand(store, 1), &index, 1, "");
        LLVMSetAlignment(LLVMBuildStore(b, x, to), align < size ? align : size);
    }
    LLVMInstructionEraseFromParent(store);
}

void components_store(LLVMModuleRef m)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMValueRef i = walk_first(m), next; i; i = next) {
        Changes c = {0};
        next = walk_next(i);
        if (LLVMIsAStoreInst(i) && take_changes(i, &c))
            store_each(LLVMGetModuleDataLayout(m), b, i, &c);
    }
    LLVMDisposeBuilder(b);
}
