/* middle.h -- between clang and the lowering: the device library and the optimiser. */
#ifndef LL_MIDDLE_H
#define LL_MIDDLE_H
#include "cc/target.h"
#include "ll/front.h"
#include <llvm-c/Core.h>

/* The metadata of calls that copy an object, beside clang's "tbaa.struct". */
#define COPY_MARK "ventus.copy"

/* Whether v has one use. */
static inline bool is_used_once(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use);
}

/* Bitcode as a module of ctx; NULL: d says why. */
LLVMModuleRef middle_read(LLVMContextRef ctx, const Target *target, Bytes bitcode, const char *name,
                          Diag *d);

/* Makes m a module that lower_module() takes: operations that the machine lacks become calls of the
 * device library, which is linked, optimised with the program, and cut to what is used.  Functions
 * that are no kernels stay visible where `keep` says so.  False: d says why. */
bool middle_run(LLVMModuleRef m, const Target *target, const BuildOptions *b, bool keep, Diag *d);

/* Before the library is linked, and after it: kernels and calls of modules where images, samplers and
 * pipes are pointers (retype.c). */
void retype_kernels(LLVMModuleRef m);
void retype_calls(LLVMModuleRef m);
/* Gives generic pointers the address space that they come from, where it is one (spaces.c).  True:
 * something was changed. */
bool spaces_infer(LLVMModuleRef m);
/* Operations that the machine lacks become calls of the library (libcalls.c).  True: there were
 * some. */
bool expand_operations(LLVMModuleRef m);
/* Arithmetic with half becomes arithmetic with float (halves.c).  True: there was some. */
bool expand_half(LLVMModuleRef m);
/* Whether m has barriers, or other operations that lanes do together. */
bool must_converge(LLVMModuleRef m);
/* Whether a function of this name is such an operation. */
bool is_meeting(const char *name);
/* Marks where lanes that parted must meet before such an operation, so that the optimiser leaves
 * these places alone; needs the library linked and small functions inlined (converge.c).  False:
 * out of memory. */
bool converge(LLVMModuleRef m, const Target *target);
/* The addresses of a loop that is one block, entered from `before` alone, become pointers that step,
 * where they are few (pointers.c). */
void pointers_step(LLVMBasicBlockRef body, LLVMBasicBlockRef before);
/* How many rounds of the loop of several blocks from `header` to `latch` are to be made one; 0: it
 * is to stay, or is no such loop (rounds.c). */
u32 rounds_to_join(LLVMBasicBlockRef header, LLVMBasicBlockRef latch);
/* Asks LLVM to unroll the loops where that pays (unroll.c).  True: there are some. */
bool unroll_mark(LLVMModuleRef m);
void unroll_settle(LLVMModuleRef m); /* after that */
/* Calls of clang's handler of indices beyond their arrays become notes for the check for bounds
 * (indexnotes.c). */
void indices_note(LLVMModuleRef m);
/* A variable for notes (obj/notes.h): kind and size as they are there, text a constant string. */
LLVMValueRef check_note(LLVMModuleRef m, u32 kind, u32 size, LLVMValueRef text);
/* Accesses by pointers that leave their private variable become notes, too, by calls of a function
 * that is to be inlined (straynotes.c). */
void strays_note(LLVMModuleRef m);
/* Asynchronous copies and waits for them tell their operands to the check for barriers
 * (asyncnotes.c); before the library is linked. */
void async_note(LLVMModuleRef m);
/* Where the program may be imprecise: shorter functions, before the library is linked; products that
 * are added are not rounded, after the optimiser (relaxed.c). */
void relaxed_shorten(LLVMModuleRef m);
void relaxed_fuse(LLVMModuleRef m);
/* The extreme of sums with a term in common becomes a sum with an extreme, after the optimiser
 * (extremes.c). */
void extremes_join(LLVMModuleRef m);
/* Sums in double of floats, rounded to float, become float operations, after the optimiser (narrow.c). */
void doubles_narrow(LLVMModuleRef m);
/* Loads and stores of bytes and halves that are a word's become loads and stores of words, after the optimiser
 * (bytes.c). */
void bytes_join(LLVMModuleRef m);
/* Stores to components of vectors store no other components (components.c). */
void components_store(LLVMModuleRef m);
/* Gives private variables a first value that the check for such values sees, before the program is
 * prepared; keeps the optimiser from deciding by it, after the library is linked (firstvalues.c). */
void variables_unwritten(LLVMModuleRef m);
void unwritten_keep_branches(LLVMModuleRef m);
void unwritten_forget(LLVMModuleRef m); /* takes away, once all is optimised, what was only for that */
/* Kernels to which it is all one how work-items are grouped get an attribute of this name, before the library is linked
 * (grouping.c). */
#define GROUPING_MARK "ventus-ungrouped"
void grouping_note(LLVMModuleRef m);
/* Calls between kernels, structures as arguments, formatted output; with `zero` variables that are 0
 * at first (prepare.c). */
void prepare_module(LLVMModuleRef m, bool zero);
#endif
