/* unroll.c -- which loops LLVM is to unroll.
 *
 * Short loops that all lanes of a warp go through equally often: what counts rounds and goes back
 * is then paid once for several rounds.  Where lanes leave in different rounds, a warp goes on
 * until the last of them has left the loop for what remains, too, so such loops stay.  That decides
 * what pays, not what is right: LLVM unrolls every loop rightly.
 *
 * Taken are loops of one block, as the optimiser leaves them, which count by a power of two towards
 * a bound, and some of several blocks (rounds.c).
 *
 * Where the loop for what remains is entered without the other one, LLVM leaves open what that
 * would have given; such a phi becomes another one that says more, so that one register does.
 */
#include "ll/lower.h"
#include "ll/middle.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    SHORT_BODY = 14,
    SHORT_ROUNDS = 4,
    MOST_BODY = 24,
    ROUNDS = 2 /* instructions, rounds made one */
};

/* --- what all lanes have ---------------------------------------------------------------------- */

/* Values that were looked at, or are being; that there are too many counts as different. */
typedef struct {
    LLVMValueRef v[64];
    size_t n;
} Seen;

static bool is_uniform_callee(LLVMValueRef f)
{
    size_t len;
    const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
    return !strcmp(name, "__ventus_knl") || !strcmp(name, "__ventus_csr") ||
           (LLVMIsAFunction(f) && LLVMGetIntrinsicID(f));
}

/* All lanes that are there have the same number, as far as it can be seen: ways to a phi may be
 * those of different lanes, and memory may be written in between. */
static bool is_uniform(Seen *s, LLVMValueRef v)
{
    if (LLVMIsAArgument(v))
        return is_kernel(LLVMGetParamParent(v));
    if (!LLVMIsAInstruction(v))
        return LLVMIsConstant(v);
    for (size_t k = 0; k < s->n; k++)
        if (s->v[k] == v)
            return true; /* if it is not, that is found elsewhere */
    const bool calls = LLVMIsACallInst(v);
    if (s->n == countof(s->v) || LLVMIsAAllocaInst(v) ||
        (calls && !is_uniform_callee(LLVMGetCalledValue(v))))
        return false;
    s->v[s->n++] = v;
    const unsigned n = calls               ? LLVMGetNumArgOperands(v)
                       : LLVMIsAPHINode(v) ? LLVMCountIncoming(v)
                                           : (unsigned)LLVMGetNumOperands(v);
    for (unsigned k = 0; k < n; k++)
        if (!is_uniform(s, LLVMIsAPHINode(v) ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k)))
            return false;
    return true;
}

/* --- loops ---------------------------------------------------------------------------------- */

static bool is_in(LLVMValueRef v, LLVMBasicBlockRef b)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == b;
}

/* A phi of the block, or what the block adds to one, if that is a power of two. */
static bool is_counter(LLVMValueRef v, LLVMBasicBlockRef b)
{
    if (!is_in(v, b))
        return false;
    if (LLVMIsAPHINode(v))
        for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
            if (LLVMGetIncomingBlock(v, k) == b)
                v = LLVMGetIncomingValue(v, k);
    if (!is_in(v, b) || LLVMGetInstructionOpcode(v) != LLVMAdd)
        return false;
    LLVMValueRef step = LLVMGetOperand(v, 1), from = LLVMGetOperand(v, 0);
    if (!LLVMIsAConstantInt(step) || !is_in(from, b) || !LLVMIsAPHINode(from))
        return false;
    const long long by = LLVMConstIntGetSExtValue(step);
    const unsigned long long size = by < 0 ? -(unsigned long long)by : (unsigned long long)by;
    return size && !(size & (size - 1));
}

static bool counts_to_bound(LLVMValueRef condition, LLVMBasicBlockRef b)
{
    if (!is_in(condition, b) || !LLVMIsAICmpInst(condition))
        return false;
    LLVMValueRef x = LLVMGetOperand(condition, 0), y = LLVMGetOperand(condition, 1);
    return (is_counter(x, b) && !is_in(y, b)) || (is_counter(y, b) && !is_in(x, b));
}

/* How many instructions the block has; more than MOST_BODY: too many, or some that stay alone. */
static u32 body_size(LLVMBasicBlockRef b)
{
    u32 n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && n <= MOST_BODY;
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (f && (!LLVMIsAFunction(f) || !LLVMGetIntrinsicID(f)))
            return MOST_BODY + 1;
        n += !LLVMIsAPHINode(i) && !LLVMIsADbgInfoIntrinsic(i);
    }
    return n;
}

/* The program says itself how the loop is to be unrolled, or LLVM has unrolled it. */
static bool is_settled(LLVMValueRef end, unsigned kind)
{
    LLVMValueRef loop = LLVMGetMetadata(end, kind), part[16];
    const unsigned n = loop ? LLVMGetMDNodeNumOperands(loop) : 0;
    if (n > countof(part))
        return true;
    if (n)
        LLVMGetMDNodeOperands(loop, part);
    for (unsigned k = 1; k < n; k++) { /* the first is the node itself */
        LLVMValueRef first[8];
        unsigned len;
        const unsigned parts = LLVMIsAMDNode(part[k]) ? LLVMGetMDNodeNumOperands(part[k]) : 0;
        if (!parts || parts > countof(first))
            continue;
        LLVMGetMDNodeOperands(part[k], first);
        const char *text = LLVMIsAMDString(first[0]) ? LLVMGetMDString(first[0], &len) : NULL;
        if (text && len >= 16 && !memcmp(text, "llvm.loop.unroll", 16))
            return true;
    }
    return false;
}

/* !0 = distinct !{!0, !{!"llvm.loop.unroll.count", i32 rounds}} */
static void ask(LLVMContextRef ctx, LLVMValueRef end, unsigned kind, u32 rounds)
{
    static const char name[] = "llvm.loop.unroll.count";
    LLVMMetadataRef count[] = {
        LLVMMDStringInContext2(ctx, name, sizeof name - 1),
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(ctx), rounds, 0))};
    LLVMMetadataRef self = LLVMTemporaryMDNode(ctx, NULL, 0);
    LLVMMetadataRef parts[] = {self, LLVMMDNodeInContext2(ctx, count, countof(count))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(ctx, parts, countof(parts));
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(end, kind, LLVMMetadataAsValue(ctx, node));
}

/* The only block from which a loop of one block is entered, and which goes nowhere else; NULL:
 * there is none. */
static LLVMBasicBlockRef preheader(LLVMBasicBlockRef b)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(b);
    if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
        return NULL;
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, LLVMGetIncomingBlock(phi, 0) == b);
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(from)) == 1 ? from : NULL;
}

/* How many rounds of the loop of block b are to be made one; 0: it is to stay. */
static u32 rounds_of_block(LLVMBasicBlockRef b, LLVMValueRef end)
{
    Seen seen = {.n = 0};
    const u32 size = body_size(b);
    if (size > MOST_BODY || !counts_to_bound(LLVMGetCondition(end), b) ||
        !is_uniform(&seen, LLVMGetCondition(end)))
        return 0;
    LLVMBasicBlockRef before = preheader(b);
    if (before)
        pointers_step(b, before);
    return size <= SHORT_BODY ? SHORT_ROUNDS : ROUNDS;
}

/* b: a block that may go back to a loop's header */
static bool mark(LLVMContextRef ctx, LLVMBasicBlockRef b, unsigned kind)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (LLVMGetInstructionOpcode(end) != LLVMBr || !LLVMIsConditional(end) || is_settled(end, kind))
        return false;
    u32 rounds = 0;
    for (unsigned k = 0; k < 2 && !rounds; k++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, k);
        rounds = to == b ? rounds_of_block(b, end) : rounds_to_join(to, b);
    }
    if (rounds)
        ask(ctx, end, kind, rounds);
    return rounds;
}

/* --- afterwards ------------------------------------------------------------------------------ */

/* Whether phi y has what x has on every way on which x is not left open. */
static bool says_more(LLVMValueRef y, LLVMValueRef x)
{
    bool open = false;
    if (LLVMTypeOf(x) != LLVMTypeOf(y) || x == y)
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(x); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(x, k);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(x, k);
        LLVMValueRef w = NULL;
        for (unsigned j = 0; j < LLVMCountIncoming(y) && !w; j++)
            w = LLVMGetIncomingBlock(y, j) == from ? LLVMGetIncomingValue(y, j) : NULL;
        if (!LLVMIsPoison(v) && v != w)
            return false;
        open |= LLVMIsPoison(v) != 0;
    }
    return open;
}

static void settle_phi(LLVMValueRef x)
{
    LLVMValueRef y = LLVMGetFirstInstruction(LLVMGetInstructionParent(x));
    for (; y && LLVMIsAPHINode(y); y = LLVMGetNextInstruction(y))
        if (says_more(y, x)) {
            LLVMReplaceAllUsesWith(x, y);
            return;
        }
}

void unroll_settle(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i);
                 i = LLVMGetNextInstruction(i))
                settle_phi(i);
}

bool unroll_mark(LLVMModuleRef m)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    const unsigned kind = LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9);
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            any |= mark(ctx, b, kind);
    return any;
}
