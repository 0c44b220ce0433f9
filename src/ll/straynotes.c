/* straynotes.c -- accesses by pointers that leave the private or local variable they were made of
 * (-ventus-apart).
 *
 * Where a pointer goes to inside of the work-item's own memory, or the group's, an instruction does
 * not say what it was meant for; the pointer's making does.  If an access's address comes from one
 * variable in all cases, by sums and choices of pointers into it alone, it must lie within that
 * variable: a pointer is valid for the object that it was made of only (OpenCL C, after C99 6.5.6).
 * So the distance from the variable's begin is compared with its size, and where it is too far it
 * is stored into a note (obj/notes.h), which the check for bounds reports (check/notes.c).
 *
 * Pointers are followed after small functions were inlined and pointer variables became values, or
 * where nothing is optimised, through such variables.
 * Indices into the types of variables are left to clang, which compares them itself (indexnotes.c).
 * Where a pointer's origin is not known, as in functions that were not inlined, nothing is
 * compared.
 */
#include "ll/lower.h"
#include "ll/middle.h"
#include "ll/walk.h"
#include "obj/notes.h"
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

#define STRAY "__ventus_stray"

/* What an access is compared with. */
typedef struct {
    LLVMModuleRef m;
    LLVMTargetDataRef dl;
    LLVMBuilderRef b;
    LLVMTypeRef word;
    LLVMValueRef stray; /* void (i1, i32, word *): stores the distance if it is too far */
} Strays;

/* --- where pointers come from ----------------------------------------------------------------- */

/* Pointers that were looked at; that there are too many counts as an unknown origin. */
typedef struct {
    LLVMValueRef v[32];
    size_t n;
    LLVMValueRef variable; /* NULL: none was found yet */
    bool is_unknown;
} Origin;

/* Of an instruction or a constant expression; 0: it is neither. */
static LLVMOpcode opcode_of(LLVMValueRef v)
{
    return LLVMIsAInstruction(v)    ? LLVMGetInstructionOpcode(v)
           : LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v)
                                    : (LLVMOpcode)0;
}

static bool is_element(LLVMValueRef v) { return opcode_of(v) == LLVMGetElementPtr; }

static bool is_cast(LLVMValueRef v)
{
    return opcode_of(v) == LLVMBitCast || opcode_of(v) == LLVMAddrSpaceCast;
}

/* Whether it is a variable of the kernel in local memory. */
static bool is_local(LLVMValueRef v)
{
    return LLVMIsAGlobalVariable(v) && LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == AS_LOCAL;
}

/* Whether a variable is loaded and stored as a whole, and nothing else is done with it. */
static bool is_simple(LLVMValueRef variable)
{
    for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsALoadInst(user) &&
            !(LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != variable))
            return false;
        if (LLVMIsAStoreInst(user)
                ? LLVMTypeOf(LLVMGetOperand(user, 0)) != LLVMGetAllocatedType(variable)
                : LLVMTypeOf(user) != LLVMGetAllocatedType(variable))
            return false;
    }
    return true;
}

static void find_origin(Origin *o, LLVMValueRef v);

/* A pointer variable that was left in memory, which holds what anybody stores into it. */
static void find_stored(Origin *o, LLVMValueRef variable)
{
    o->is_unknown |= !LLVMIsAAllocaInst(variable) || !is_simple(variable);
    for (LLVMUseRef u = o->is_unknown ? NULL : LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u))
        if (LLVMIsAStoreInst(LLVMGetUser(u)))
            find_origin(o, LLVMGetOperand(LLVMGetUser(u), 0));
}

static void find_origin(Origin *o, LLVMValueRef v)
{
    for (size_t k = 0; k < o->n; k++)
        if (o->v[k] == v)
            return;
    o->is_unknown |= o->n == countof(o->v);
    if (o->is_unknown)
        return;
    o->v[o->n++] = v;
    if (LLVMIsAAllocaInst(v) || is_local(v)) {
        o->is_unknown |= o->variable && o->variable != v;
        o->variable = v;
    } else if (is_element(v) || is_cast(v)) {
        find_origin(o, LLVMGetOperand(v, 0));
    } else if (LLVMIsASelectInst(v)) {
        find_origin(o, LLVMGetOperand(v, 1));
        find_origin(o, LLVMGetOperand(v, 2));
    } else if (LLVMIsAPHINode(v)) {
        for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
            find_origin(o, LLVMGetIncomingValue(v, k));
    } else if (LLVMIsALoadInst(v)) {
        find_stored(o, LLVMGetOperand(v, 0));
    } else {
        o->is_unknown = true;
    }
}

/* Bytes of the variable if it has a fixed number of them. */
static u64 size_of(const Strays *s, LLVMValueRef variable)
{
    if (is_local(variable))
        return LLVMABISizeOfType(s->dl, LLVMGlobalGetValueType(variable));
    LLVMValueRef count = LLVMGetOperand(variable, 0);
    const u64 one = LLVMABISizeOfType(s->dl, LLVMGetAllocatedType(variable));
    return LLVMIsAConstantInt(count) ? one * LLVMConstIntGetZExtValue(count) : 0;
}

/* --- how far they are ------------------------------------------------------------------------- */

/* A distance: bytes, and values times bytes, which are summed when they are needed. */
typedef struct {
    u64 fixed;
    struct {
        LLVMValueRef index;
        u64 times;
    } part[16];
    size_t n;
    LLVMValueRef base; /* from where */
    bool by_type;      /* the indices are into types of arrays and structures alone */
    bool failed;       /* more parts than there is room for */
} Distance;

static void add_index(Distance *d, LLVMValueRef index, u64 times)
{
    if (LLVMIsAConstantInt(index)) {
        d->fixed += times * (u64)LLVMConstIntGetSExtValue(index);
    } else if (d->n == countof(d->part) ||
               LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind) {
        d->failed = true;
    } else {
        d->part[d->n].index = index;
        d->part[d->n++].times = times;
    }
}

static bool is_zero(LLVMValueRef v) { return LLVMIsAConstantInt(v) && LLVMIsNull(v); }

static void add_element(const Strays *s, Distance *d, LLVMValueRef gep)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    const int n = LLVMGetNumOperands(gep);
    d->by_type &= is_zero(LLVMGetOperand(gep, 1));
    add_index(d, LLVMGetOperand(gep, 1), LLVMABISizeOfType(s->dl, t));
    for (int k = 2; k < n && !d->failed; k++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
        if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            const unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            d->fixed += LLVMOffsetOfElement(s->dl, t, member);
            t = LLVMStructGetTypeAtIndex(t, member);
            continue;
        }
        t = LLVMGetElementType(t);
        add_index(d, index, LLVMABISizeOfType(s->dl, t));
    }
}

/* The distance from the variable, or from a choice between pointers. */
static Distance measure(const Strays *s, LLVMValueRef v)
{
    Distance d = {.by_type = true};
    for (; is_element(v) || is_cast(v); v = LLVMGetOperand(v, 0))
        if (is_element(v))
            add_element(s, &d, v);
    d.base = v;
    return d;
}

/* The sum in a word, as addresses are. */
static LLVMValueRef sum_of(const Strays *s, const Distance *d, LLVMValueRef variable)
{
    LLVMValueRef sum = LLVMConstInt(s->word, d->fixed, false);
    for (size_t k = 0; k < d->n; k++) {
        LLVMValueRef x = LLVMBuildIntCast2(s->b, d->part[k].index, s->word, true, "");
        x = LLVMBuildMul(s->b, x, LLVMConstInt(s->word, d->part[k].times, false), "");
        sum = LLVMBuildAdd(s->b, sum, x, "");
    }
    if (d->base == variable)
        return sum;
    LLVMValueRef from = variable;
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(d->base));
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) != space)
        from = LLVMBuildAddrSpaceCast(s->b, variable, LLVMTypeOf(d->base), "");
    LLVMValueRef far = LLVMBuildPtrToInt(s->b, d->base, s->word, "");
    far = LLVMBuildSub(s->b, far, LLVMBuildPtrToInt(s->b, from, s->word, ""), "");
    return LLVMBuildAdd(s->b, far, sum, "");
}

/* --- accesses --------------------------------------------------------------------------------- */

static LLVMValueRef make_note(const Strays *s, LLVMValueRef variable, u64 size, u64 bytes, u32 kind)
{
    LLVMContextRef ctx = LLVMGetModuleContext(s->m);
    size_t len;
    const char *name = LLVMGetValueName2(variable, &len), *dot = strchr(name, '.');
    if (is_local(variable)) { /* KERNEL.NAME */
        name = dot ? dot + 1 : name;
        kind |= NOTE_LOCAL;
    }
    const u64 most = bytes < NOTE_MOST_BYTES ? bytes : NOTE_MOST_BYTES;
    return check_note(s->m, NOTE_STRAY | kind | (u32)most << NOTE_BYTES_SHIFT, (u32)size,
                      LLVMConstStringInContext(ctx, name, (unsigned)strcspn(name, "."), false));
}

static void compare(const Strays *s, LLVMValueRef access, LLVMValueRef pointer, u64 bytes, u32 kind)
{
    Origin o = {.n = 0};
    find_origin(&o, pointer);
    const u64 size = o.variable && !o.is_unknown ? size_of(s, o.variable) : 0;
    if (!size || size > INT32_MAX || !bytes)
        return;
    const Distance d = measure(s, pointer);
    const bool is_fixed = d.base == o.variable && !d.n;
    if (d.failed ||
        (is_fixed ? d.fixed <= size && bytes <= size - d.fixed : d.base == o.variable && d.by_type))
        return;
    LLVMPositionBuilderBefore(s->b, access);
    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(access));
    LLVMValueRef far = sum_of(s, &d, o.variable);
    LLVMValueRef most = LLVMConstInt(s->word, bytes <= size ? size - bytes : 0, false);
    LLVMValueRef strays =
        bytes <= size ? LLVMBuildICmp(s->b, LLVMIntUGT, far, most, "")
                      : LLVMConstInt(LLVMInt1TypeInContext(LLVMGetModuleContext(s->m)), 1, false);
    LLVMValueRef note = make_note(s, o.variable, size, bytes, kind);
    LLVMValueRef slot = LLVMBuildStructGEP2(s->b, LLVMGlobalGetValueType(note), note, 0, "");
    LLVMBuildCall2(s->b, LLVMGlobalGetValueType(s->stray), s->stray,
                   (LLVMValueRef[]){strays, far, slot}, 3, "");
}

static void look_at(const Strays *s, LLVMValueRef i)
{
    if (LLVMIsALoadInst(i)) {
        compare(s, i, LLVMGetOperand(i, 0), LLVMStoreSizeOfType(s->dl, LLVMTypeOf(i)), 0);
    } else if (LLVMIsAStoreInst(i)) {
        const u64 bytes = LLVMStoreSizeOfType(s->dl, LLVMTypeOf(LLVMGetOperand(i, 0)));
        compare(s, i, LLVMGetOperand(i, 1), bytes, NOTE_WRITES);
    } else if (LLVMIsAMemIntrinsic(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 2))) {
        const u64 bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
        compare(s, i, LLVMGetOperand(i, 0), bytes, NOTE_WRITES);
        if (!LLVMIsAMemSetInst(i))
            compare(s, i, LLVMGetOperand(i, 1), bytes, 0);
    }
}

/* --- the function that stores --------------------------------------------------------------- */

static LLVMValueRef make_stray(const Strays *s)
{
    LLVMContextRef ctx = LLVMGetModuleContext(s->m);
    LLVMTypeRef params[] = {LLVMInt1TypeInContext(ctx), s->word, LLVMPointerType(s->word, 1)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx), params, countof(params), false);
    LLVMValueRef f = LLVMAddFunction(s->m, STRAY, type);
    const unsigned inlined = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(ctx, inlined, 0));
    LLVMBasicBlockRef enter = LLVMAppendBasicBlockInContext(ctx, f, "");
    LLVMBasicBlockRef far = LLVMAppendBasicBlockInContext(ctx, f, "");
    LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(ctx, f, "");
    LLVMPositionBuilderAtEnd(s->b, enter);
    LLVMBuildCondBr(s->b, LLVMGetParam(f, 0), far, leave);
    LLVMPositionBuilderAtEnd(s->b, far);
    LLVMSetVolatile(LLVMBuildStore(s->b, LLVMGetParam(f, 1), LLVMGetParam(f, 2)), true);
    LLVMBuildBr(s->b, leave);
    LLVMPositionBuilderAtEnd(s->b, leave);
    LLVMBuildRetVoid(s->b);
    return f;
}

void strays_note(LLVMModuleRef m)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    Strays s = {.m = m,
                .dl = LLVMGetModuleDataLayout(m),
                .b = LLVMCreateBuilderInContext(ctx),
                .word = LLVMInt32TypeInContext(ctx)};
    s.stray = make_stray(&s);
    for (LLVMValueRef i = walk_first(m); i; i = walk_next(i))
        look_at(&s, i);
    LLVMDisposeBuilder(s.b);
}
