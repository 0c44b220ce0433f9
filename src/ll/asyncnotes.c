/* asyncnotes.c -- asynchronous copies, and waits for them, tell what they were asked
 * (-ventus-apart).
 *
 * The library makes such a copy at once, by all work-items, and its events hold nothing, so that an
 * observer cannot see whether the work-items of a group asked for the same.  Before each call every
 * operand is stored into a note (obj/notes.h), or of a wait every event, in the order of the list;
 * the event that a copy answers is read from the note, where check/async.c puts a number.
 */
#include "ll/middle.h"
#include "obj/notes.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

enum { SPIR_FUNCTION = 75 /* calling convention */, MOST_OPERANDS = 16 };

/* Functions that copy, as clang mangles their names: the length of the name, then the name. */
static const char *const copies[] = {
    "_Z21async_work_group_copy", "_Z29async_work_group_strided_copy",
    "_Z26async_work_group_copy_2D2D", "_Z26async_work_group_copy_3D3D"};
static const char waits[] = "_Z17wait_group_events";

/* The length of the one of them that begins the name; 0: none does. */
static size_t copy_prefix(const char *name)
{
    for (size_t i = 0; i < countof(copies); i++)
        if (!strncmp(name, copies[i], strlen(copies[i])))
            return strlen(copies[i]);
    return 0;
}

/* A note with n operands, of the function that is so called. */
static LLVMValueRef make_note(LLVMModuleRef m, u32 n, const char *name, size_t len)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMTypeRef word = LLVMInt32TypeInContext(ctx);
    LLVMValueRef field[2 * MOST_OPERANDS + 1];
    for (u32 k = 0; k < n; k++) {
        const u32 last = k + 1 == n ? NOTE_LAST : 0;
        field[2 * k] = LLVMConstInt(word, 0, false);
        field[2 * k + 1] = LLVMConstInt(word, NOTE_ASYNC | last | k, false);
    }
    field[2 * n] = LLVMConstStringInContext(ctx, name, (unsigned)len, false);
    LLVMValueRef all = LLVMConstStructInContext(ctx, field, 2 * n + 1, true);
    LLVMValueRef note = LLVMAddGlobalInAddressSpace(m, LLVMTypeOf(all), NOTE_NAME ".async", 1);
    LLVMSetInitializer(note, all);
    LLVMSetLinkage(note, LLVMInternalLinkage);
    LLVMSetAlignment(note, 4);
    return note;
}

/* Before a copy: its operands, of which the event is the last.  After it: what it answers. */
static void note_copy(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef call, const char *name,
                      size_t len)
{
    const u32 n = LLVMGetNumArgOperands(call);
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(m)), event = LLVMTypeOf(call);
    if (n > MOST_OPERANDS)
        return;
    LLVMValueRef note = make_note(m, n, name, len), slot = NULL;
    for (u32 k = 0; k < n; k++) {
        LLVMValueRef x = LLVMGetOperand(call, k);
        if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMPointerTypeKind && k + 1 < n)
            x = LLVMBuildPtrToInt(b, x, word, "");
        slot = LLVMBuildStructGEP2(b, LLVMGlobalGetValueType(note), note, 2 * k, "");
        LLVMSetVolatile(LLVMBuildStore(b, x, slot), true);
    }
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(call));
    LLVMValueRef given = LLVMBuildLoad2(b, event, slot, "event");
    LLVMSetVolatile(given, true);
    LLVMReplaceAllUsesWith(call, given);
}

/* The function of the library that tells of the events of a list in that address space (sync.cl).
 */
static LLVMValueRef teller(LLVMModuleRef m, LLVMTypeRef list)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMTypeRef from[] = {LLVMPointerTypeInContext(ctx, 1), LLVMInt32TypeInContext(ctx), list};
    char name[32];
    snprintf(name, sizeof name, "__ventus_note_wait%u", LLVMGetPointerAddressSpace(list));
    LLVMValueRef f = LLVMGetNamedFunction(m, name);
    if (!f) {
        f = LLVMAddFunction(m, name, LLVMFunctionType(LLVMVoidTypeInContext(ctx), from, 3, false));
        LLVMSetFunctionCallConv(f, SPIR_FUNCTION);
    }
    return f;
}

static void note_wait(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMValueRef list = LLVMGetOperand(call, 1), tell = teller(m, LLVMTypeOf(list));
    LLVMValueRef args[] = {make_note(m, 1, waits + 4, sizeof waits - 5), LLVMGetOperand(call, 0),
                           list};
    LLVMValueRef told = LLVMBuildCall2(b, LLVMGlobalGetValueType(tell), tell, args, 3, "");
    LLVMSetInstructionCallConv(told, SPIR_FUNCTION);
}

void async_note(LLVMModuleRef m)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    size_t len;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName2(f, &len);
        const size_t copy = copy_prefix(name);
        if (!LLVMIsDeclaration(f) || (!copy && strncmp(name, waits, sizeof waits - 1) != 0))
            continue;
        for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef call = LLVMGetUser(u);
            if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != f)
                continue;
            LLVMPositionBuilderBefore(b, call);
            LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
            if (copy)
                note_copy(m, b, call, name + 4, copy - 4);
            else
                note_wait(m, b, call);
        }
    }
    LLVMDisposeBuilder(b);
}
