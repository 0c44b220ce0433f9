/* callers.h -- the functions of a module from which some thing of it is reached, by calls. */
#ifndef LL_CALLERS_H
#define LL_CALLERS_H
#include "base/base.h"
#include <llvm-c/Core.h>

/* A set of functions; all zero: the empty one. */
typedef struct {
    LLVMValueRef *f;
    size_t n, cap;
    bool all;    /* any function may be in it: somebody who uses a thing is not known */
    bool failed; /* out of memory; then all is set, too */
} Callers;

/* Adds the functions that use a function or a variable; then, once all of these are there, those that call them. */
void callers_add(Callers *c, LLVMValueRef used);
void callers_close(Callers *c);
bool callers_have(const Callers *c, LLVMValueRef f);
void callers_free(Callers *c);
#endif
