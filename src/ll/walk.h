/* walk.h -- every instruction of a module, in the order of its functions and blocks. */
#ifndef LL_WALK_H
#define LL_WALK_H
#include <llvm-c/Core.h>
#include <stddef.h>

/* The first instruction of f or of a later function that has a body; NULL: there is none. */
static inline LLVMValueRef walk_from(LLVMValueRef f)
{
    while (f && LLVMIsDeclaration(f))
        f = LLVMGetNextFunction(f);
    return f ? LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)) : NULL;
}

/* The first instruction of m, NULL: it has none. */
static inline LLVMValueRef walk_first(LLVMModuleRef m)
{
    return walk_from(LLVMGetFirstFunction(m));
}

/* The instruction that follows i in its block, the next block or the next function; NULL: i is the
 * last.  Who takes i away asks before. */
static inline LLVMValueRef walk_next(LLVMValueRef i)
{
    LLVMBasicBlockRef b = LLVMGetInstructionParent(i);
    LLVMBasicBlockRef after = LLVMGetNextBasicBlock(b);
    LLVMValueRef next = LLVMGetNextInstruction(i);
    if (next)
        return next;
    return after ? LLVMGetFirstInstruction(after)
                 : walk_from(LLVMGetNextFunction(LLVMGetBasicBlockParent(b)));
}

#endif
