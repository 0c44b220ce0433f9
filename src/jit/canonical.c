/* canonical.c -- where NaNs are made canonical.
 *
 * A float operation takes all NaNs alike, so its result must be canonical only for what else reads
 * it.  Within a block hostfloat.c sees that.  Between blocks a register is a phi, and where some
 * lanes are off a selection.  Such a value is *clean* if the guest's value is no other NaN than the
 * canonical one, because all its sources are clean: it may then be *raw*, with NaNs as the host
 * makes them, and is made canonical for each use that sees bits: a store, integers, a call, a phi
 * that is not clean.  So a sum that goes round a loop is made canonical behind it.
 */
#include "base/mem.h"
#include "isa/op.h"
#include "jit/translate.h"
#include <string.h>

/* A phi or selection of integers. */
typedef struct {
    Val v;
    bool clean, raw;
} Node;

typedef struct {
    LLVMBuilderRef b;
    Node *node; /* a hash table of 2^bits by v; NULL: free */
    u32 bits;
    u32 *work; /* places in the table that are to be looked at */
    size_t nwork, capwork;
    Val *made; /* what is made canonical in the module */
    size_t nmade, capmade;
    Val *user; /* of the value in progress */
    size_t nuser, capuser;
    bool failed; /* out of memory */
} Web;

/* --- the canonical NaN ------------------------------------------------------------------- */

Val canonical_nan(Val like)
{
    return constant_like(like, bits_like(like) == 64 ? F64_CANONICAL : F32_CANONICAL);
}

Val make_canonical(LLVMBuilderRef b, Val bits, Val f)
{
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, f, f, ""), canonical_nan(bits), bits,
                           "");
}

Val before_canonical(Val v)
{
    const Val nan = LLVMIsASelectInst(v) ? LLVMIsAFCmpInst(LLVMGetOperand(v, 0)) : NULL;
    if (!nan || LLVMGetFCmpPredicate(nan) != LLVMRealUNO ||
        LLVMGetOperand(v, 1) != canonical_nan(v))
        return NULL;
    const Val f = LLVMGetOperand(nan, 0), bits = LLVMIsABitCastInst(LLVMGetOperand(v, 2));
    return LLVMGetOperand(nan, 1) == f && bits && LLVMGetOperand(bits, 0) == f ? f : NULL;
}

/* --- nodes ------------------------------------------------------------------------------- */

static LLVMTypeRef element_of(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

/* whether the value may hold floats as integers */
static bool holds_words(Val v)
{
    const LLVMTypeRef t = element_of(LLVMTypeOf(v));
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) >= 32;
}

static bool is_float(LLVMTypeRef t)
{
    const LLVMTypeKind k = LLVMGetTypeKind(element_of(t));
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

static bool is_node(Val v)
{
    return (LLVMIsAPHINode(v) || LLVMIsASelectInst(v)) && holds_words(v) && !before_canonical(v);
}

/* The place of v in the table, or the free one for it. */
static u32 place_of(const Web *w, Val v)
{
    const u32 mask = (1u << w->bits) - 1;
    u32 i = (u32)((uintptr_t)v >> 4) * 0x9e3779b1u >> (32 - w->bits);
    while (w->node[i].v && w->node[i].v != v)
        i = (i + 1) & mask;
    return i;
}

static Node *find(const Web *w, Val v) { return &w->node[place_of(w, v)]; }

static void push(Web *w, u32 place)
{
    if (array_grow(w->work, w->nwork, w->capwork))
        w->work[w->nwork++] = place;
    else
        w->failed = true;
}

/* Who reads v, each once and in any order, in w->user. */
static void list_users(Web *w, Val v)
{
    w->nuser = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        const Val user = LLVMGetUser(u);
        if (w->nuser && w->user[w->nuser - 1] == user)
            continue;
        if (array_grow(w->user, w->nuser, w->capuser))
            w->user[w->nuser++] = user;
        else
            w->failed = true;
    }
}

/* --- clean values ------------------------------------------------------------------------ */

static bool is_clean_word(Val v, u64 nan)
{
    const bool wide = nan == F64_CANONICAL;
    if (LLVMIsUndef(v))
        return true;
    if (!LLVMIsAConstantInt(v))
        return false;
    const u64 word = LLVMConstIntGetZExtValue(v);
    return word == nan || (wide ? word << 1 <= (u64)0xffe << 52 : (u32)word << 1 <= 0xffu << 24);
}

static bool is_clean_constant(Val v)
{
    const LLVMTypeRef t = LLVMTypeOf(v);
    const u64 nan = bits_like(v) == 64 ? F64_CANONICAL : F32_CANONICAL;
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return is_clean_word(v, nan);
    for (u32 i = 0; i < LLVMGetVectorSize(t); i++)
        if (!is_clean_word(LLVMGetAggregateElement(v, i), nan))
            return false;
    return true;
}

/* whether v is clean as far as is known; nodes count as clean until they are seen not to be */
static bool is_clean(const Web *w, Val v)
{
    if (LLVMIsAConstant(v))
        return is_clean_constant(v);
    const Val from = LLVMIsABitCastInst(v) ? LLVMGetOperand(v, 0) : NULL;
    return before_canonical(v) || (find(w, v)->v && find(w, v)->clean) || LLVMIsAZExtInst(v) ||
           (from && (LLVMIsASIToFPInst(from) || LLVMIsAUIToFPInst(from)));
}

static bool has_clean_sources(const Web *w, Val v)
{
    for (int i = LLVMIsASelectInst(v) ? 1 : 0; i < LLVMGetNumOperands(v); i++)
        if (!is_clean(w, LLVMGetOperand(v, (unsigned)i)))
            return false;
    return true;
}

static void find_clean(Web *w)
{
    for (u32 i = 0; i < 1u << w->bits; i++)
        if (w->node[i].v)
            push(w, i);
    while (w->nwork && !w->failed) {
        Node *n = &w->node[w->work[--w->nwork]];
        if (!n->clean || has_clean_sources(w, n->v))
            continue;
        n->clean = false;
        list_users(w, n->v);
        for (size_t i = 0; i < w->nuser; i++)
            if (find(w, w->user[i])->v)
                push(w, place_of(w, w->user[i]));
    }
}

/* --- raw values -------------------------------------------------------------------------- */

/* Whether the float operation takes all NaNs alike, and tells no other reader which it got. */
static bool takes_alike(Val user)
{
    static const char *const calls[] = {"llvm.fma", "llvm.sqrt", "llvm.roundeven"};
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMFCmp: return true;
    case LLVMCall: break;
    default: return false;
    }
    const unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(user));
    for (size_t i = 0; i < countof(calls); i++)
        if (id && id == LLVMLookupIntrinsicID(calls[i], strlen(calls[i])))
            return true;
    return false;
}

/* Whether `user` makes a float of integers, which float operations alone read. */
static bool reads_float(Val user)
{
    if (!LLVMIsABitCastInst(user) || !is_float(LLVMTypeOf(user)))
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(user); u; u = LLVMGetNextUse(u)) {
        const Val by = LLVMGetUser(u);
        const bool negates = LLVMGetInstructionOpcode(by) == LLVMFNeg;
        for (LLVMUseRef n = negates ? LLVMGetFirstUse(by) : NULL; n; n = LLVMGetNextUse(n))
            if (!takes_alike(LLVMGetUser(n)))
                return false;
        if (!negates && !takes_alike(by))
            return false;
    }
    return true;
}

static bool is_clean_node(const Web *w, Val v)
{
    const Node *n = find(w, v);
    return n->v && n->clean;
}

static void replace(Val user, Val from, Val to)
{
    for (int i = 0; i < LLVMGetNumOperands(user); i++)
        if (LLVMGetOperand(user, (unsigned)i) == from)
            LLVMSetOperand(user, (unsigned)i, to);
}

/* Makes nodes raw that raw values come to. */
static void find_raw(Web *w)
{
    for (size_t i = 0; i < w->nmade; i++) {
        const Val bits = LLVMGetOperand(w->made[i], 2);
        list_users(w, w->made[i]);
        for (size_t k = 0; k < w->nuser; k++) {
            const Val user = w->user[k];
            if (is_clean_node(w, user))
                push(w, place_of(w, user));
            if (is_clean_node(w, user) || reads_float(user))
                replace(user, w->made[i], bits);
        }
    }
    while (w->nwork && !w->failed) {
        Node *n = &w->node[w->work[--w->nwork]];
        if (n->raw)
            continue;
        n->raw = true;
        list_users(w, n->v);
        for (size_t i = 0; i < w->nuser; i++)
            if (is_clean_node(w, w->user[i]))
                push(w, place_of(w, w->user[i]));
    }
}

/* The same number as float. */
static Val as_float(Web *w, Val v)
{
    const LLVMTypeRef t = LLVMTypeOf(v);
    LLVMContextRef c = LLVMGetTypeContext(t);
    LLVMTypeRef f = bits_like(v) == 64 ? LLVMDoubleTypeInContext(c) : LLVMFloatTypeInContext(c);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        f = LLVMVectorType(f, LLVMGetVectorSize(t));
    return LLVMBuildBitCast(w->b, v, f, "");
}

/* Has that reader read `bits`, made canonical before it, instead of v. */
static void make_for(Web *w, Val user, Val v, Val bits)
{
    if (!LLVMIsAPHINode(user)) {
        LLVMPositionBuilderBefore(w->b, user);
        replace(user, v, make_canonical(w->b, bits, as_float(w, bits)));
        return;
    }
    for (unsigned i = 0; i < LLVMCountIncoming(user); i++) {
        const LLVMBasicBlockRef from = LLVMGetIncomingBlock(user, i);
        if (LLVMGetIncomingValue(user, i) != v)
            continue;
        LLVMPositionBuilderBefore(w->b, LLVMGetBasicBlockTerminator(from));
        const Val made = make_canonical(w->b, bits, as_float(w, bits));
        for (unsigned k = i; k < LLVMCountIncoming(user); k++) /* a switch may come twice */
            if (LLVMGetIncomingBlock(user, k) == from)
                LLVMSetOperand(user, k, made);
    }
}

static void make_late(Web *w)
{
    for (u32 i = 0; i < 1u << w->bits && !w->failed; i++) {
        const Val v = w->node[i].v;
        if (!v || !w->node[i].raw)
            continue;
        list_users(w, v);
        for (size_t k = 0; k < w->nuser; k++)
            if (!is_clean_node(w, w->user[k]) && !reads_float(w->user[k]))
                make_for(w, w->user[k], v, v);
    }
}

/* --- the whole --------------------------------------------------------------------------- */

/* Calls f for each instruction. */
static void each(Web *w, LLVMModuleRef m, void (*f)(Web *w, Val v))
{
    for (Val fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(fn); k; k = LLVMGetNextBasicBlock(k))
            for (Val i = LLVMGetFirstInstruction(k); i; i = LLVMGetNextInstruction(i))
                f(w, i);
}

static void count(Web *w, Val v)
{
    w->nwork += is_node(v);
    if (!before_canonical(v))
        return;
    if (array_grow(w->made, w->nmade, w->capmade))
        w->made[w->nmade++] = v;
    else
        w->failed = true;
}

static void add(Web *w, Val v)
{
    if (is_node(v))
        *find(w, v) = (Node){.v = v, .clean = true};
}

bool delay_canonical(LLVMModuleRef m)
{
    Web w = {.bits = 4};
    each(&w, m, count);
    while ((size_t)1 << w.bits < 2 * w.nwork)
        w.bits++;
    w.nwork = 0;
    w.node = mem_zalloc((size_t)1 << w.bits, sizeof *w.node);
    w.failed |= !w.node;
    if (w.nmade && !w.failed) {
        w.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
        each(&w, m, add);
        find_clean(&w);
        if (!w.failed)
            find_raw(&w);
        make_late(&w);
        LLVMDisposeBuilder(w.b);
    }
    mem_free(w.node);
    mem_free(w.work);
    mem_free(w.made);
    mem_free(w.user);
    return !w.failed;
}
