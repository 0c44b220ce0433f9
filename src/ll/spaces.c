/* spaces.c -- the address spaces that generic pointers come from.
 *
 * Every pointer value of the generic space has a state: nothing known yet, one space, or
 * any.  Casts bring spaces in, address computations pass them on, phis and selects meet.  The
 * optimistic fixed point is taken, then values with one space are built again in it, and accesses
 * go through those.
 *
 * LLVM also makes constant tables in the private space when it turns switches into look-ups.  These
 * move to the constant space first; a private pointer that comes from a cast is treated
 * as a generic one.
 */
#include "ll/lower.h"
#include "ll/middle.h"
#include "base/mem.h"
#include <string.h>

enum { ANY = 98, UNKNOWN = 99 };

typedef struct {
    LLVMValueRef v, made; /* made: the same in `space`, when it was needed */
    u32 space;
} Pointer;

typedef struct {
    Pointer *list;
    size_t n, cap;
    u32 *index; /* hash table: 1 + index in list */
    size_t nindex;
    LLVMBuilderRef at;
    LLVMContextRef ctx;
    bool failed;
} Spaces;

static bool is_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}
static u32 type_space(LLVMValueRef v) { return LLVMGetPointerAddressSpace(LLVMTypeOf(v)); }

static size_t hash(LLVMValueRef v, size_t size)
{
    return ((uintptr_t)v >> 4) * 0x9e3779b97f4a7c15u >> 16 & (size - 1);
}

static Pointer *find(const Spaces *s, LLVMValueRef v)
{
    if (!s->nindex)
        return NULL;
    for (size_t at = hash(v, s->nindex); s->index[at]; at = (at + 1) & (s->nindex - 1))
        if (s->list[s->index[at] - 1].v == v)
            return &s->list[s->index[at] - 1];
    return NULL;
}

static bool index_all(Spaces *s)
{
    for (s->nindex = 64; s->nindex < 2 * s->n; s->nindex *= 2)
        ;
    s->index = mem_zalloc(s->nindex, sizeof *s->index);
    for (size_t i = 0; s->index && i < s->n; i++) {
        size_t at = hash(s->list[i].v, s->nindex);
        while (s->index[at])
            at = (at + 1) & (s->nindex - 1);
        s->index[at] = (u32)i + 1;
    }
    return s->index;
}

/* --- which ------------------------------------------------------------------------------ */

static bool is_expression(LLVMValueRef v, LLVMOpcode op)
{
    return LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == op;
}

/* the instructions that pass on where a pointer comes from */
static bool is_passing(LLVMValueRef v)
{
    if (!is_pointer(v) || (type_space(v) != AS_GENERIC && type_space(v) != AS_PRIVATE))
        return false;
    return LLVMIsAPHINode(v) || LLVMIsASelectInst(v) || LLVMIsAGetElementPtrInst(v) ||
           LLVMIsAAddrSpaceCastInst(v) || LLVMIsAFreezeInst(v);
}

static u32 space_of(const Spaces *s, LLVMValueRef v)
{
    const Pointer *p = find(s, v);
    if (p)
        return p->space;
    if (LLVMIsNull(v) || LLVMIsUndef(v) || LLVMIsPoison(v))
        return UNKNOWN;
    if (is_expression(v, LLVMAddrSpaceCast) || is_expression(v, LLVMGetElementPtr))
        return space_of(s, LLVMGetOperand(v, 0));
    return type_space(v) == AS_GENERIC ? ANY : type_space(v);
}

static u32 meet(u32 a, u32 b) { return a == UNKNOWN ? b : b == UNKNOWN || a == b ? a : ANY; }

static u32 transfer(const Spaces *s, LLVMValueRef v)
{
    u32 space = UNKNOWN;
    if (LLVMIsAPHINode(v))
        for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
            space = meet(space, space_of(s, LLVMGetIncomingValue(v, k)));
    else if (LLVMIsASelectInst(v))
        space = meet(space_of(s, LLVMGetOperand(v, 1)), space_of(s, LLVMGetOperand(v, 2)));
    else
        space = space_of(s, LLVMGetOperand(v, 0));
    return space;
}

static void collect(Spaces *s, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!is_passing(i))
                continue;
            if (!array_grow(s->list, s->n, s->cap)) {
                s->failed = true;
                return;
            }
            s->list[s->n++] = (Pointer){.v = i, .space = UNKNOWN};
        }
}

static void solve(Spaces *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < s->n; k++) {
            const u32 now = meet(s->list[k].space, transfer(s, s->list[k].v));
            changed |= now != s->list[k].space;
            s->list[k].space = now;
        }
    }
}

/* --- rebuilding ---------------------------------------------------------------------------- */

static LLVMValueRef in_space(Spaces *s, LLVMValueRef v, u32 space);

static LLVMValueRef constant_in_space(Spaces *s, LLVMValueRef v, LLVMTypeRef t)
{
    if (LLVMIsNull(v))
        return LLVMConstNull(t);
    if (LLVMIsPoison(v) || LLVMIsUndef(v))
        return LLVMGetUndef(t);
    if (is_expression(v, LLVMAddrSpaceCast) && LLVMTypeOf(LLVMGetOperand(v, 0)) == t)
        return LLVMGetOperand(v, 0);
    if (!is_expression(v, LLVMGetElementPtr))
        return LLVMConstAddrSpaceCast(v, t);
    LLVMValueRef index[16];
    const u32 n = (u32)LLVMGetNumOperands(v) - 1;
    if (n > countof(index))
        return LLVMConstAddrSpaceCast(v, t);
    for (u32 k = 0; k < n; k++)
        index[k] = LLVMGetOperand(v, k + 1);
    LLVMValueRef base = constant_in_space(s, LLVMGetOperand(v, 0), t);
    return LLVMConstGEP2(LLVMGetGEPSourceElementType(v), base, index, n);
}

static LLVMValueRef gep_in_space(Spaces *s, LLVMValueRef v, u32 space)
{
    LLVMValueRef index[16];
    const u32 n = (u32)LLVMGetNumOperands(v) - 1;
    LLVMTypeRef t = LLVMPointerTypeInContext(s->ctx, space);
    if (n > countof(index)) {
        LLVMPositionBuilderBefore(s->at, LLVMGetNextInstruction(v));
        return LLVMBuildAddrSpaceCast(s->at, v, t, "");
    }
    for (u32 k = 0; k < n; k++)
        index[k] = LLVMGetOperand(v, k + 1);
    LLVMValueRef base = in_space(s, LLVMGetOperand(v, 0), space);
    LLVMPositionBuilderBefore(s->at, v);
    LLVMValueRef r = LLVMBuildGEP2(s->at, LLVMGetGEPSourceElementType(v), base, index, n, "");
    if (LLVMIsAGetElementPtrInst(r))
        LLVMSetIsInBounds(r, LLVMIsInBounds(v));
    return r;
}

static LLVMValueRef phi_in_space(Spaces *s, Pointer *p)
{
    LLVMValueRef v = p->v;
    LLVMPositionBuilderBefore(s->at, v);
    p->made = LLVMBuildPhi(s->at, LLVMPointerTypeInContext(s->ctx, p->space), "");
    LLVMValueRef made = p->made;
    const u32 space = p->space;
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        LLVMValueRef x = in_space(s, LLVMGetIncomingValue(v, k), space);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(v, k);
        LLVMAddIncoming(made, &x, &from, 1);
    }
    return made;
}

static LLVMValueRef instruction_in_space(Spaces *s, Pointer *p)
{
    LLVMValueRef v = p->v;
    const u32 space = p->space;
    if (LLVMIsAPHINode(v))
        return phi_in_space(s, p);
    if (LLVMIsAGetElementPtrInst(v))
        return gep_in_space(s, v, space);
    if (LLVMIsASelectInst(v)) {
        LLVMValueRef x = in_space(s, LLVMGetOperand(v, 1), space),
                     y = in_space(s, LLVMGetOperand(v, 2), space);
        LLVMPositionBuilderBefore(s->at, v);
        return LLVMBuildSelect(s->at, LLVMGetOperand(v, 0), x, y, "");
    }
    return in_space(s, LLVMGetOperand(v, 0), space); /* a cast or freeze */
}

static LLVMValueRef in_space(Spaces *s, LLVMValueRef v, u32 space)
{
    LLVMTypeRef t = LLVMPointerTypeInContext(s->ctx, space);
    Pointer *p = find(s, v);
    if (LLVMTypeOf(v) == t)
        return v;
    if (LLVMIsConstant(v))
        return constant_in_space(s, v, t);
    if (!p) { /* nothing that was collected: it is cast where it is made */
        LLVMPositionBuilderBefore(
            s->at, LLVMIsAInstruction(v)
                       ? LLVMGetNextInstruction(v)
                       : LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetParamParent(v))));
        return LLVMBuildAddrSpaceCast(s->at, v, t, "");
    }
    if (p->space == UNKNOWN)
        p->space = space;
    if (!p->made)
        p->made = instruction_in_space(s, p);
    return p->made;
}

/* --- uses ----------------------------------------------------------------------------- */

static int pointer_operand(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return 0;
    case LLVMStore: return 1;
    default: return -1;
    }
}

static bool use_operand(Spaces *s, LLVMValueRef i, unsigned k)
{
    LLVMValueRef p = LLVMGetOperand(i, k);
    const u32 now = type_space(p), known = space_of(s, p);
    if (known == now || known >= ANY || known == AS_GENERIC)
        return false;
    LLVMSetOperand(i, k, in_space(s, p, known));
    return true;
}

/* copies are intrinsics, whose names have the spaces in them: a new one is made */
static LLVMValueRef copy_in_space(Spaces *s, LLVMValueRef i, const char *name)
{
    const bool is_set = !strncmp(name, "llvm.memset", 11),
               is_move = !strncmp(name, "llvm.memmove", 12);
    const unsigned align_kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMValueRef p[2];
    u32 align[2];
    bool changed = false;
    for (unsigned k = 0; k < (is_set ? 1u : 2u); k++) {
        LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(i, k + 1, align_kind);
        const u32 known = space_of(s, LLVMGetOperand(i, k));
        align[k] = a ? (u32)LLVMGetEnumAttributeValue(a) : 1;
        p[k] = LLVMGetOperand(i, k);
        if (known >= ANY || known == type_space(p[k]))
            continue;
        p[k] = in_space(s, p[k], known);
        changed = true;
    }
    if (!changed || !LLVMIsNull(LLVMGetOperand(i, 3)))
        return NULL;
    LLVMPositionBuilderBefore(s->at, i);
    LLVMValueRef length = LLVMGetOperand(i, 2);
    if (is_set)
        return LLVMBuildMemSet(s->at, p[0], LLVMGetOperand(i, 1), length, align[0]);
    return (is_move ? LLVMBuildMemMove : LLVMBuildMemCpy)(s->at, p[0], align[0], p[1], align[1],
                                                          length);
}

static bool use(Spaces *s, LLVMValueRef i)
{
    const int k = pointer_operand(i);
    size_t len;
    if (k >= 0)
        return use_operand(s, i, (unsigned)k);
    if (!LLVMIsAMemIntrinsic(i))
        return false;
    if (!copy_in_space(s, i, LLVMGetValueName2(LLVMGetCalledValue(i), &len)))
        return false;
    LLVMInstructionEraseFromParent(i);
    return true;
}

static bool infer_in(LLVMContextRef ctx, LLVMBuilderRef at, LLVMValueRef f)
{
    Spaces s = {.at = at, .ctx = ctx};
    bool changed = false;
    collect(&s, f);
    if (s.failed || !index_all(&s))
        s.n = 0;
    else
        solve(&s);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && s.index && !s.failed;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            changed |= use(&s, i);
        }
    mem_free(s.index);
    mem_free(s.list);
    return changed;
}

/* --- tables --------------------------------------------------------------------------- */

static bool move_tables(LLVMModuleRef m)
{
    bool changed = false;
    for (LLVMValueRef g = LLVMGetFirstGlobal(m), next; g; g = next) {
        size_t len;
        next = LLVMGetNextGlobal(g);
        if (type_space(g) != AS_PRIVATE || !LLVMIsGlobalConstant(g) || !LLVMGetInitializer(g))
            continue;
        LLVMValueRef to =
            LLVMAddGlobalInAddressSpace(m, LLVMGlobalGetValueType(g), "", AS_CONSTANT);
        LLVMSetInitializer(to, LLVMGetInitializer(g));
        LLVMSetGlobalConstant(to, true);
        LLVMSetLinkage(to, LLVMInternalLinkage);
        LLVMSetAlignment(to, LLVMGetAlignment(g));
        LLVMReplaceAllUsesWith(g, LLVMConstAddrSpaceCast(to, LLVMTypeOf(g)));
        LLVMSetValueName2(to, LLVMGetValueName2(g, &len), len);
        LLVMDeleteGlobal(g);
        changed = true;
    }
    return changed;
}

bool spaces_infer(LLVMModuleRef m)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMBuilderRef at = LLVMCreateBuilderInContext(ctx);
    bool changed = move_tables(m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            changed |= infer_in(ctx, at, f);
    LLVMDisposeBuilder(at);
    return changed;
}
