/* bytes.c -- loads of bytes and of halves of one word become a load of the word.
 *
 *        before   x = load i8, p (aligned to 4); y = load i8, p + 1
 *        after    w = load i32, p; x = w; y = w >> 8
 *
 * The elements of a char4 or short2 are loaded so, by a vector or, where few of them are used, one by one; a store of such a
 * vector becomes one of words.  An access of a row of lanes takes many cycles, and where lanes' words follow each other,
 * their bytes do not.  Whoever may load one byte of an aligned word may load the word.  Private memory is left alone, whose
 * bytes may be in registers yet.
 */
#include "ll/middle.h"
#include "ll/walk.h"
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

enum { WORD = 4, MOST_ALIKE = 16 };

typedef struct {
    LLVMTargetDataRef layout;
    LLVMBuilderRef at;
    LLVMTypeRef i32;
} Maker;

/* A pointer as another one and bytes behind it. */
typedef struct {
    LLVMValueRef base;
    long long offset;
} Place;

static bool is_operation(LLVMValueRef v, LLVMOpcode op)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static Place place_of(const Maker *k, LLVMValueRef p)
{
    Place at = {p, 0};
    while (is_operation(at.base, LLVMGetElementPtr) && LLVMGetNumOperands(at.base) == 2 &&
           LLVMIsAConstantInt(LLVMGetOperand(at.base, 1))) {
        const long long size =
            (long long)LLVMABISizeOfType(k->layout, LLVMGetGEPSourceElementType(at.base));
        at.offset += LLVMConstIntGetSExtValue(LLVMGetOperand(at.base, 1)) * size;
        at.base = LLVMGetOperand(at.base, 0);
    }
    return at;
}

static bool is_shared(LLVMValueRef p)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(p));
    return space >= 1 && space <= 3; /* global, constant, local */
}

static bool is_plain(LLVMValueRef access)
{
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

/* The bits of a scalar narrower than a word; 0: it is none. */
static unsigned narrow_bits(LLVMTypeRef t)
{
    const unsigned bits = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
    return bits == 8 || bits == 16 ? bits : 0;
}

/* Whether nothing is stored, or ordered, by i. */
static bool may_be_passed(LLVMValueRef i)
{
    size_t len;
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMLoad)
        return is_plain(i);
    if (op == LLVMCall) {
        LLVMValueRef f = LLVMGetCalledValue(i);
        const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
        return strncmp(name, "llvm.f", 6) == 0 || strncmp(name, "llvm.s", 6) == 0 ||
               strncmp(name, "llvm.u", 6) == 0;
    }
    return op != LLVMStore && op != LLVMAtomicRMW && op != LLVMAtomicCmpXchg && op != LLVMFence;
}

/* Loads of one word, from `first` on in its block; aligned: one of them says that the word is. */
typedef struct {
    LLVMValueRef load[MOST_ALIKE];
    unsigned n, shift[MOST_ALIKE];
    bool aligned;
} Alike;

static Alike find_alike(const Maker *k, LLVMValueRef first)
{
    const Place here = place_of(k, LLVMGetOperand(first, 0));
    const long long word = here.offset >> 2;
    Alike a = {.n = 0};
    for (LLVMValueRef i = first; i && a.n < MOST_ALIKE && may_be_passed(i);
         i = LLVMGetNextInstruction(i)) {
        if (!is_operation(i, LLVMLoad) || LLVMGetOperand(i, 0) == NULL)
            continue;
        const Place p = place_of(k, LLVMGetOperand(i, 0));
        if (p.base != here.base)
            continue;
        a.aligned |= !(p.offset & 3) && LLVMGetAlignment(i) >= WORD;
        const unsigned bits = narrow_bits(LLVMTypeOf(i));
        if (bits && p.offset >> 2 == word && !(p.offset & (bits / 8 - 1))) {
            a.shift[a.n] = (unsigned)(p.offset & 3) * 8;
            a.load[a.n++] = i;
        }
    }
    return a;
}

/* Whether the loads take more of the word than one element does. */
static bool differ(const Alike *a)
{
    for (unsigned i = 1; i < a->n; i++)
        if (a->shift[i] != a->shift[0])
            return true;
    return false;
}

static LLVMValueRef load_word(const Maker *k, LLVMTypeRef t, LLVMValueRef p, unsigned align)
{
    LLVMValueRef w = LLVMBuildLoad2(k->at, t, p, "");
    LLVMSetAlignment(w, align);
    return w;
}

/* The first of the loads loads the word, and all take their bits of it.  `next`, which the caller comes to next, stays
 * there. */
static void join(const Maker *k, const Alike *a, LLVMValueRef *next)
{
    LLVMValueRef first = a->load[0];
    LLVMPositionBuilderBefore(k->at, first);
    LLVMSetCurrentDebugLocation2(k->at, LLVMInstructionGetDebugLoc(first));
    LLVMValueRef p = LLVMGetOperand(first, 0);
    if (a->shift[0]) {
        LLVMContextRef ctx = LLVMGetTypeContext(k->i32);
        LLVMValueRef back = LLVMConstInt(k->i32, -(unsigned long long)(a->shift[0] / 8), true);
        p = LLVMBuildGEP2(k->at, LLVMInt8TypeInContext(ctx), p, &back, 1, "");
    }
    LLVMValueRef w = load_word(k, k->i32, p, WORD);
    for (unsigned i = 0; i < a->n; i++) {
        LLVMValueRef by = LLVMConstInt(k->i32, a->shift[i], false),
                     bits = a->shift[i] ? LLVMBuildLShr(k->at, w, by, "") : w;
        LLVMReplaceAllUsesWith(a->load[i], LLVMBuildTrunc(k->at, bits, LLVMTypeOf(a->load[i]), ""));
    }
    for (unsigned i = 0; i < a->n; i++) {
        if (*next == a->load[i])
            *next = walk_next(*next);
        LLVMInstructionEraseFromParent(a->load[i]);
    }
}

/* The vector of words that a vector of bytes or halves is; NULL: it is none. */
static LLVMTypeRef words_of(const Maker *k, LLVMTypeRef t, unsigned align)
{
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || !narrow_bits(LLVMGetElementType(t)) ||
        align < WORD)
        return NULL;
    const unsigned bits = LLVMGetVectorSize(t) * narrow_bits(LLVMGetElementType(t));
    if (bits % 32)
        return NULL;
    return bits == 32 ? k->i32 : LLVMVectorType(k->i32, bits / 32);
}

void bytes_join(LLVMModuleRef m)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    const Maker k = {.layout = LLVMGetModuleDataLayout(m),
                     .at = LLVMCreateBuilderInContext(ctx),
                     .i32 = LLVMInt32TypeInContext(ctx)};
    for (LLVMValueRef i = walk_first(m), next; i; i = next) {
        next = walk_next(i);
        const bool loads = is_operation(i, LLVMLoad), stores = is_operation(i, LLVMStore);
        if ((!loads && !stores) || !is_plain(i) || !is_shared(LLVMGetOperand(i, stores)))
            continue;
        LLVMValueRef data = stores ? LLVMGetOperand(i, 0) : i;
        LLVMTypeRef t = words_of(&k, LLVMTypeOf(data), LLVMGetAlignment(i));
        LLVMPositionBuilderBefore(k.at, i);
        LLVMSetCurrentDebugLocation2(k.at, LLVMInstructionGetDebugLoc(i));
        if (t && stores) {
            LLVMSetAlignment(
                LLVMBuildStore(k.at, LLVMBuildBitCast(k.at, data, t, ""), LLVMGetOperand(i, 1)),
                LLVMGetAlignment(i));
            LLVMInstructionEraseFromParent(i);
        } else if (t) {
            LLVMValueRef w = load_word(&k, t, LLVMGetOperand(i, 0), LLVMGetAlignment(i));
            LLVMReplaceAllUsesWith(i, LLVMBuildBitCast(k.at, w, LLVMTypeOf(i), ""));
            LLVMInstructionEraseFromParent(i);
        } else if (loads && narrow_bits(LLVMTypeOf(i))) {
            const Alike a = find_alike(&k, i);
            if (a.aligned && differ(&a))
                join(&k, &a, &next);
        }
    }
    LLVMDisposeBuilder(k.at);
}
