/* indexnotes.c -- what becomes of indices that clang finds beyond their arrays (-ventus-apart).
 *
 * -fsanitize=array-bounds has clang compare each index with the number of elements that its array
 * has by its type, also inside of structures, and call __ubsan_handle_out_of_bounds(data, index)
 * where it is no less.  The call becomes a store of the index into a variable of its own, a note
 * (obj/notes.h), which changes nothing that the program can see, and which the check for bounds
 * reports (check/notes.c).
 */
#include "ll/middle.h"
#include "obj/notes.h"
#include <llvm-c/DebugInfo.h>

/* the global that a constant points to */
static LLVMValueRef strip(LLVMValueRef v)
{
    while (LLVMIsAConstantExpr(v))
        v = LLVMGetOperand(v, 0);
    return LLVMIsAGlobalVariable(v);
}

/* The value of the global's initializer; NULL: it has none. */
static LLVMValueRef contents(LLVMValueRef v)
{
    LLVMValueRef g = strip(v);
    return g ? LLVMGetInitializer(g) : NULL;
}

/* clang's name of a type, from its descriptor: a kind, details, and the text, which ends in a NUL.
 */
static LLVMValueRef type_text(LLVMValueRef type) { return type ? LLVMGetOperand(type, 2) : NULL; }

/* Of an integer type: 1 if it is signed, and twice the logarithm of its bits. */
static u32 type_details(LLVMValueRef type)
{
    return type ? (u32)LLVMConstIntGetZExtValue(LLVMGetOperand(type, 1)) : 0;
}

LLVMValueRef check_note(LLVMModuleRef m, u32 kind, u32 size, LLVMValueRef text)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMTypeRef word = LLVMInt32TypeInContext(ctx);
    LLVMValueRef fields[] = {LLVMConstInt(word, 0, false), LLVMConstInt(word, kind, false),
                             LLVMConstInt(word, size, false), text};
    LLVMValueRef all = LLVMConstStructInContext(ctx, fields, countof(fields), true);
    LLVMValueRef note = LLVMAddGlobalInAddressSpace(m, LLVMTypeOf(all), NOTE_NAME, 1);
    LLVMSetInitializer(note, all);
    LLVMSetLinkage(note, LLVMInternalLinkage);
    LLVMSetAlignment(note, 4);
    return note;
}

static LLVMValueRef make_note(LLVMModuleRef m, LLVMValueRef data)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMValueRef init = contents(data);
    LLVMValueRef array = init ? contents(LLVMGetOperand(init, 1)) : NULL,
                 index = init ? contents(LLVMGetOperand(init, 2)) : NULL, text = type_text(array);
    const u32 details = type_details(index), bits = 1u << (details >> 1 & 31);
    return check_note(m, bits | (details & 1 ? NOTE_SIGNED : 0), 0,
                      text ? text : LLVMConstStringInContext(ctx, "an array", 8, false));
}

void indices_note(LLVMModuleRef m)
{
    LLVMValueRef handler = LLVMGetNamedFunction(m, "__ubsan_handle_out_of_bounds");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMUseRef u; handler && (u = LLVMGetFirstUse(handler));) {
        LLVMValueRef call = LLVMGetUser(u), note = make_note(m, LLVMGetOperand(call, 0));
        LLVMPositionBuilderBefore(b, call);
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
        LLVMValueRef slot = LLVMBuildStructGEP2(b, LLVMGlobalGetValueType(note), note, 0, "");
        LLVMSetVolatile(LLVMBuildStore(b, LLVMGetOperand(call, 1), slot), true);
        LLVMInstructionEraseFromParent(call);
    }
    if (handler)
        LLVMDeleteFunction(handler);
    LLVMDisposeBuilder(b);
}
