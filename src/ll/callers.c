/* callers.c -- callers.h. */
#include "ll/callers.h"
#include "base/mem.h"

bool callers_have(const Callers *c, LLVMValueRef f)
{
    size_t i = 0;
    while (i < c->n && c->f[i] != f)
        i++;
    return c->all || i < c->n;
}

void callers_add(Callers *c, LLVMValueRef used)
{
    for (LLVMUseRef u = LLVMGetFirstUse(used); u && !c->all; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMValueRef f = LLVMIsAInstruction(user)
                             ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))
                             : NULL;
        if (f && callers_have(c, f))
            continue;
        c->failed |= f && !array_grow(c->f, c->n, c->cap);
        c->all = !f || c->failed;
        if (!c->all)
            c->f[c->n++] = f;
    }
}

void callers_close(Callers *c)
{
    for (size_t i = 0; i < c->n; i++)
        callers_add(c, c->f[i]);
}

void callers_free(Callers *c) { mem_free(c->f); }
