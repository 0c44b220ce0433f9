/* lower_place.c -- places and scopes of the source, from LLVM's metadata. */
#include "ll/lower.h"
#include <stdio.h>

/* operands of metadata nodes of scopes (llvm/IR/DebugInfoMetadata.h) */
enum { SCOPE_PARENT = 1, SCOPE_NAME = 2 };

/* What a function that was inlined lies in is what the call lies in. */
static u32 inlined_call(Lower *lo, LLVMMetadataRef function, LLVMMetadataRef call, u32 depth)
{
    char name[256];
    unsigned len = 0;
    LLVMValueRef text = node_operand(LLVMMetadataAsValue(lo->ctx, function), SCOPE_NAME);
    const char *chars = text ? LLVMGetMDString(text, &len) : NULL;
    const u32 loc = place_of_node(lo, call, depth + 1);
    if (!loc || !chars)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)len, chars);
    return ir_scope(lo->m, (SourceScope){name, loc, lo->m->loc[loc].scope});
}

u32 scope_number(Lower *lo, LLVMMetadataRef scope, LLVMMetadataRef call, u32 depth)
{
    const bool is_function = LLVMGetMetadataKind(scope) == LLVMDISubprogramMetadataKind;
    if (depth >= DEEPEST_SCOPE || (is_function && !call))
        return 0;
    u32 *known = pair_number(lo, &lo->scopes, scope, call);
    if (!known || *known)
        return known ? *known : 0;
    if (is_function) {
        const u32 number = inlined_call(lo, scope, call, depth);
        known = pair_number(lo, &lo->scopes, scope, call);
        return known ? (*known = number) : 0;
    }
    LLVMValueRef outer = node_operand(LLVMMetadataAsValue(lo->ctx, scope), SCOPE_PARENT);
    const u32 parent = outer ? scope_number(lo, LLVMValueAsMetadata(outer), call, depth + 1) : 0;
    const bool is_block = LLVMGetMetadataKind(scope) == LLVMDILexicalBlockMetadataKind;
    const u32 number = is_block ? ir_scope(lo->m, (SourceScope){.parent = parent}) : parent;
    known = pair_number(lo, &lo->scopes, scope, call);
    return known ? (*known = number) : 0;
}

u32 place_of_node(Lower *lo, LLVMMetadataRef at, u32 depth)
{
    const LLVMMetadataRef scope = LLVMDILocationGetScope(at), call = LLVMDILocationGetInlinedAt(at);
    const LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
    const unsigned line = LLVMDILocationGetLine(at);
    unsigned len = 0;
    const char *text = line && file ? LLVMDIFileGetFilename(file, &len) : NULL;
    if (!text)
        return 0;
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)len, text);
    const u32 inside = scope_number(lo, scope, call, depth);
    return ir_loc(lo->m, (Loc){ir_file(lo->m, name), line, LLVMDILocationGetColumn(at), inside, 0});
}
