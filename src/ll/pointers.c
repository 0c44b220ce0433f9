/* pointers.c -- addresses in loops that are to be unrolled become pointers that step.
 *
 * What a loop leaves over after rounds were made one goes to a loop of its own.  That one begins
 * anywhere, so its addresses would have to be computed from the counter: by products, each round.
 * A pointer that steps is handed over as it is.
 *
 *        before   for (i = 0; ...; i++)  load a + 4 (17 i + t)
 *        after    p = a + 4 t;  for (...; p += 68)  load p
 *
 * Taken are loops of one block.  An address that is a constant away from another one in the block
 * goes with that one.
 */
#include "ll/lower.h"
#include "ll/middle.h"

enum { MOST_POINTERS = 4, MOST_DEPTH = 8 };

/* A loop and where its pointers are made: its block, and the one from which it is entered. */
typedef struct {
    LLVMBasicBlockRef body, before;
    LLVMBuilderRef at; /* at the end of `before` */
    LLVMTypeRef index; /* a number as wide as a pointer */
} Steps;

/* What a value is in round n: start + n * step.  step: NULL for 0. */
typedef struct {
    LLVMValueRef start, step;
} Line;

static bool is_inside(const Steps *l, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == l->body;
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == from)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

/* What each round adds to a phi; NULL: it does something else. */
static LLVMValueRef step_of(const Steps *l, LLVMValueRef phi)
{
    LLVMValueRef next = incoming(phi, l->body);
    if (!next || !is_inside(l, next) || LLVMGetInstructionOpcode(next) != LLVMAdd ||
        LLVMGetOperand(next, 0) != phi || is_inside(l, LLVMGetOperand(next, 1)))
        return NULL;
    return LLVMGetOperand(next, 1);
}

/* Whether line_of() knows the value. */
static bool is_line(const Steps *l, LLVMValueRef v, int depth)
{
    if (!is_inside(l, v))
        return true;
    if (depth == MOST_DEPTH || (LLVMTypeOf(v) != l->index && !LLVMIsAGetElementPtrInst(v)))
        return false;
    LLVMValueRef x = LLVMGetOperand(v, 0),
                 y = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI: return step_of(l, v) != NULL;
    case LLVMAdd:
    case LLVMSub: return is_line(l, x, depth + 1) && is_line(l, y, depth + 1);
    case LLVMMul:
    case LLVMShl: return !is_inside(l, y) && is_line(l, x, depth + 1);
    case LLVMGetElementPtr:
        return LLVMGetNumOperands(v) == 2 && LLVMTypeOf(y) == l->index &&
               LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && is_line(l, x, depth + 1) &&
               is_line(l, y, depth + 1);
    default: return false;
    }
}

static LLVMValueRef sum(const Steps *l, LLVMValueRef x, LLVMValueRef y)
{
    return x && y ? LLVMBuildAdd(l->at, x, y, "") : x ? x : y;
}

static Line line_of(const Steps *l, LLVMValueRef v, LLVMTargetDataRef layout)
{
    if (!is_inside(l, v))
        return (Line){v, NULL};
    if (LLVMIsAPHINode(v))
        return (Line){incoming(v, l->before), step_of(l, v)};
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const Line x = line_of(l, LLVMGetOperand(v, 0), layout),
               y = line_of(l, LLVMGetOperand(v, 1), layout);
    switch (op) {
    case LLVMAdd: return (Line){LLVMBuildAdd(l->at, x.start, y.start, ""), sum(l, x.step, y.step)};
    case LLVMSub:
        return (Line){LLVMBuildSub(l->at, x.start, y.start, ""),
                      sum(l, x.step, y.step ? LLVMBuildNeg(l->at, y.step, "") : NULL)};
    case LLVMMul:
        return (Line){LLVMBuildMul(l->at, x.start, y.start, ""),
                      x.step ? LLVMBuildMul(l->at, x.step, y.start, "") : NULL};
    case LLVMShl:
        return (Line){LLVMBuildShl(l->at, x.start, y.start, ""),
                      x.step ? LLVMBuildShl(l->at, x.step, y.start, "") : NULL};
    default: {
        LLVMTypeRef element = LLVMGetGEPSourceElementType(v);
        LLVMValueRef size = LLVMConstInt(l->index, LLVMABISizeOfType(layout, element), 0),
                     at = y.start;
        return (Line){LLVMBuildGEP2(l->at, element, x.start, &at, 1, ""),
                      sum(l, x.step, y.step ? LLVMBuildMul(l->at, y.step, size, "") : NULL)};
    }
    }
}

/* The address in the block from which this one is constants away. */
static LLVMValueRef root_of(const Steps *l, LLVMValueRef address)
{
    while (is_inside(l, address) && LLVMIsAGetElementPtrInst(address) &&
           is_inside(l, LLVMGetOperand(address, 0)) && LLVMGetNumOperands(address) == 2 &&
           LLVMIsAConstantInt(LLVMGetOperand(address, 1)))
        address = LLVMGetOperand(address, 0);
    return address;
}

/* Roots of the addresses of the block that are no pointers that step yet; more than MOST_POINTERS:
 * too many. */
static size_t collect(const Steps *l, LLVMValueRef root[MOST_POINTERS])
{
    size_t n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(l->body); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
            continue;
        LLVMValueRef r = root_of(l, LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0));
        size_t k = 0;
        if (!is_inside(l, r) || LLVMIsAPHINode(r))
            continue;
        while (k < n && root[k] != r)
            k++;
        if (k < n)
            continue;
        if (n == MOST_POINTERS || !LLVMIsAGetElementPtrInst(r) || !is_line(l, r, 0))
            return MOST_POINTERS + 1;
        root[n++] = r;
    }
    return n;
}

/* Addresses that step equally from bases that are the same may be constants apart, and better share
 * a counter. */
static bool are_apart(LLVMValueRef const *root, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < k; j++)
            if (LLVMGetOperand(root[k], 0) == LLVMGetOperand(root[j], 0))
                return false;
    return true;
}

static void make_pointer(const Steps *l, LLVMValueRef root, LLVMTargetDataRef layout)
{
    const Line line = line_of(l, root, layout);
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(l->index));
    if (!line.step)
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(l->index));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(l->body));
    LLVMValueRef p = LLVMBuildPhi(b, LLVMTypeOf(root), ""), step = line.step;
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(l->body));
    LLVMValueRef in[] = {line.start, LLVMBuildGEP2(b, byte, p, &step, 1, "")};
    LLVMBasicBlockRef from[] = {l->before, l->body};
    LLVMAddIncoming(p, in, from, 2);
    LLVMReplaceAllUsesWith(root, p);
    LLVMDisposeBuilder(b);
}

void pointers_step(LLVMBasicBlockRef body, LLVMBasicBlockRef before)
{
    LLVMValueRef root[MOST_POINTERS];
    LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(LLVMGetBasicBlockParent(body)));
    LLVMTargetDataRef layout =
        LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetBasicBlockParent(body)));
    const Steps l = {body, before, LLVMCreateBuilderInContext(ctx), LLVMInt32TypeInContext(ctx)};
    LLVMPositionBuilderBefore(l.at, LLVMGetBasicBlockTerminator(before));
    const size_t n = collect(&l, root);
    if (n <= MOST_POINTERS && are_apart(root, n))
        for (size_t k = 0; k < n; k++)
            make_pointer(&l, root[k], layout);
    LLVMDisposeBuilder(l.at);
}
