/* rounds.c -- how many rounds of a loop of several blocks, such as one with a barrier, are to be
 * made one.
 *
 * Taken are innermost loops left only at their end, after a number of rounds that is known.  The
 * rounds made one divide that number, so that no loop for what remains is needed, which LLVM could
 * not make where lanes must meet.
 *
 * Each branch that parts lanes costs a round one instruction more, since it must say where they
 * meet; before, a single one could say so outside.  Counters and the way back pay for that.
 */
#include "ll/middle.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MOST_BLOCKS = 8, MOST_ROUNDS = 8, MOST_INSTRUCTIONS = 128, MOST_COUNTED = 1024 };

/* The blocks of a loop, the header first. */
typedef struct {
    LLVMBasicBlockRef block[MOST_BLOCKS], latch;
    size_t n;
} Body;

/* --- blocks ------------------------------------------------------------------------------- */

static bool is_in(const Body *l, LLVMBasicBlockRef b)
{
    for (size_t k = 0; k < l->n; k++)
        if (l->block[k] == b)
            return true;
    return false;
}

static bool goes_to(LLVMValueRef end, LLVMBasicBlockRef b)
{
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
        if (LLVMGetSuccessor(end, k) == b)
            return true;
    return false;
}

/* Adds what leads to b.  False: too many. */
static bool add_predecessors(Body *l, LLVMBasicBlockRef b)
{
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef end = LLVMGetUser(u);
        if (!LLVMIsAInstruction(end) || is_in(l, LLVMGetInstructionParent(end)))
            continue;
        if (l->n == MOST_BLOCKS)
            return false;
        l->block[l->n++] = LLVMGetInstructionParent(end);
    }
    return true;
}

/* Whether only the header leads out of the blocks, and only their end leaves them. */
static bool is_closed(const Body *l)
{
    for (size_t k = 0; k < l->n; k++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(l->block[k]);
        if (l->block[k] == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(l->latch)))
            return false; /* the header is not the only way in */
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end) && l->block[k] != l->latch; s++)
            if (!is_in(l, LLVMGetSuccessor(end, s)) || LLVMGetSuccessor(end, s) == l->block[0])
                return false;
    }
    return true;
}

/* Whether block k comes after all that lead to it, of which the first `sorted` are sorted. */
static bool is_next(const Body *l, size_t k, size_t sorted)
{
    for (size_t from = sorted; from < l->n; from++)
        if (goes_to(LLVMGetBasicBlockTerminator(l->block[from]), l->block[k]))
            return false;
    return true;
}

static bool is_innermost(Body *l)
{
    for (size_t sorted = 1; sorted < l->n; sorted++) {
        size_t k = sorted;
        while (k < l->n && !is_next(l, k, sorted))
            k++;
        if (k == l->n)
            return false;
        LLVMBasicBlockRef next = l->block[k];
        l->block[k] = l->block[sorted];
        l->block[sorted] = next;
    }
    return true;
}

static bool read_body(Body *l, LLVMBasicBlockRef header, LLVMBasicBlockRef latch)
{
    *l = (Body){.block = {header, latch}, .latch = latch, .n = 2};
    for (size_t k = 1; k < l->n; k++)
        if (!add_predecessors(l, l->block[k]))
            return false;
    return is_closed(l) && is_innermost(l);
}

/* --- rounds ------------------------------------------------------------------------------- */

static u64 constant(LLVMValueRef v) { return LLVMConstIntGetZExtValue(v); }

static bool holds(LLVMIntPredicate p, u64 a, u64 b, unsigned bits)
{
    const i64 x = (i64)(a << (64 - bits)), y = (i64)(b << (64 - bits));
    switch (p) {
    case LLVMIntEQ: return a == b;
    case LLVMIntNE: return a != b;
    case LLVMIntUGT: return a > b;
    case LLVMIntUGE: return a >= b;
    case LLVMIntULT: return a < b;
    case LLVMIntULE: return a <= b;
    case LLVMIntSGT: return x > y;
    case LLVMIntSGE: return x >= y;
    case LLVMIntSLT: return x < y;
    case LLVMIntSLE: return x <= y;
    }
    return false;
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from, bool is_from)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if ((LLVMGetIncomingBlock(phi, k) == from) == is_from)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

/* The phi of the header of which v is the present or the next number; NULL: there is none. */
static LLVMValueRef counter_of(const Body *l, LLVMValueRef v)
{
    const bool adds = LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd;
    LLVMValueRef phi = adds ? LLVMGetOperand(v, 0) : v;
    return LLVMIsAPHINode(phi) && LLVMGetInstructionParent(phi) == l->block[0] &&
                   LLVMCountIncoming(phi) == 2
               ? phi
               : NULL;
}

/* How many rounds the loop makes; 0: that is not known, or there are too many. */
static u32 count_rounds(const Body *l)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(l->latch), test = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(test) || !LLVMIsAConstantInt(LLVMGetOperand(test, 1)))
        return 0;
    LLVMValueRef tested = LLVMGetOperand(test, 0), phi = counter_of(l, tested);
    LLVMValueRef next = phi ? incoming(phi, l->latch, true) : NULL;
    if (!next || counter_of(l, next) != phi || next == phi || (tested != phi && tested != next) ||
        !LLVMIsAConstantInt(incoming(phi, l->latch, false)) ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
        return 0;
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(phi));
    if (bits > 64)
        return 0;
    const bool goes_on = LLVMGetSuccessor(end, 0) == l->block[0];
    const u64 step = constant(LLVMGetOperand(next, 1)), bound = constant(LLVMGetOperand(test, 1)),
              mask = UINT64_MAX >> (64 - bits);
    u64 now = constant(incoming(phi, l->latch, false));
    for (u32 n = 1; n <= MOST_COUNTED; n++) {
        const u64 then = (now + step) & mask;
        if (holds(LLVMGetICmpPredicate(test), tested == phi ? now : then, bound, bits) != goes_on)
            return n;
        now = then;
    }
    return 0;
}

/* --- size --------------------------------------------------------------------------------- */

/* Whether a call becomes instructions, few of them. */
static bool is_short_call(LLVMValueRef f)
{
    size_t len;
    const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
    return (LLVMIsAFunction(f) && LLVMGetIntrinsicID(f)) || is_meeting(name);
}

/* How many instructions a round has; more than MOST_INSTRUCTIONS: too many, or some that stay
 * alone. */
static u32 size_of(const Body *l)
{
    u32 n = 0;
    for (size_t k = 0; k < l->n; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(l->block[k]); i && n <= MOST_INSTRUCTIONS;
             i = LLVMGetNextInstruction(i)) {
            if (LLVMIsACallInst(i) && !is_short_call(LLVMGetCalledValue(i)))
                return MOST_INSTRUCTIONS + 1;
            n += !LLVMIsAPHINode(i) && !LLVMIsADbgInfoIntrinsic(i);
        }
    return n;
}

u32 rounds_to_join(LLVMBasicBlockRef header, LLVMBasicBlockRef latch)
{
    Body l;
    if (!read_body(&l, header, latch))
        return 0;
    const u32 rounds = count_rounds(&l), size = size_of(&l);
    for (u32 n = MOST_ROUNDS; n > 1 && rounds; n--)
        if (rounds % n == 0 && n * size <= MOST_INSTRUCTIONS)
            return n;
    return 0;
}
