/* lower.c -- an optimised LLVM module to a module of machine IR.
 *
 * Blocks are taken in reverse post-order, so that what an instruction reads has been
 * lowered before, except through phis; these get their values at once and their arguments at the
 * end, when it is known in which block each predecessor ended (an access through a generic
 * pointer, a copy or an exchange makes blocks of its own).  All returns meet in one exit block.
 */
#include "ll/lower.h"
#include "base/mem.h"
#include "obj/notes.h"
#include <stdio.h>
#include <string.h>

enum { TOO_MUCH_LOCAL = 1 << 30 }; /* bytes; no device has so many */

/* --- one instruction ---------------------------------------------------------------------- */

typedef void OneElement(Fn *n, LLVMValueRef i, const Elem *e);

/* calls `one` for each element of an instruction whose first nargs operands are vectors alike */
static void elementwise(Fn *n, LLVMValueRef i, u32 nargs, OneElement *one)
{
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
    const Val r = val_new(n->lo, type_pieces(n->lo, to));
    Elem e = {.from = type_scalar(from), .to = type_scalar(to)};
    const u32 count = type_elements(to), nto = type_pieces(n->lo, e.to);
    Val a[3] = {0};
    u32 step[3] = {0};
    for (u32 k = 0; k < nargs; k++) {
        LLVMValueRef x = LLVMGetOperand(i, k);
        a[k] = val_of(n, x);
        step[k] = type_elements(LLVMTypeOf(x)) == count
                      ? type_pieces(n->lo, type_scalar(LLVMTypeOf(x)))
                      : 0;
    }
    for (u32 at = 0; at < count; at++) {
        for (u32 k = 0; k < nargs; k++)
            e.a[k] = a[k].p + at * step[k];
        e.out = r.p + at * nto;
        one(n, i, &e);
    }
    val_set(n, i, r);
}

/* An `or` of bits that are not in both operands is a sum, as which passes can take it apart. */
static void one_integer(Fn *n, LLVMValueRef i, const Elem *e)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    const bool is_sum = op == LLVMOr && LLVMGetIsDisjoint(i) && int_bits(e->to) <= 32;
    int_binary(n, is_sum ? LLVMAdd : op, e);
}
static void one_float(Fn *n, LLVMValueRef i, const Elem *e)
{
    float_binary(n, LLVMGetInstructionOpcode(i), e);
}
static void one_icmp(Fn *n, LLVMValueRef i, const Elem *e)
{
    int_compare(n, LLVMGetICmpPredicate(i), e);
}
static void one_fcmp(Fn *n, LLVMValueRef i, const Elem *e)
{
    float_compare(n, LLVMGetFCmpPredicate(i), e);
}
static void one_cast(Fn *n, LLVMValueRef i, const Elem *e)
{
    int_cast(n, LLVMGetInstructionOpcode(i), e);
}
static void one_fcast(Fn *n, LLVMValueRef i, const Elem *e)
{
    float_cast(n, LLVMGetInstructionOpcode(i), e);
}

static void one_negation(Fn *n, LLVMValueRef i, const Elem *e)
{
    (void)i;
    if (LLVMGetTypeKind(e->to) == LLVMFloatTypeKind)
        e->out[0] = op1(n, IR_fneg, e->a[0][0]);
    else
        refuse(n->lo, "arithmetic with half or double is not supported");
}

static void select_value(Fn *n, LLVMValueRef i)
{
    const Val c = val_of(n, LLVMGetOperand(i, 0));
    const Val x = val_of(n, LLVMGetOperand(i, 1)), y = val_of(n, LLVMGetOperand(i, 2));
    const Val r = val_new(n->lo, x.n);
    for (u32 k = 0; k < r.n; k++)
        r.p[k] = op3(n, IR_select, c.p[k * c.n / r.n], x.p[k], y.p[k]);
    val_set(n, i, r);
}

static void same_value(Fn *n, LLVMValueRef i) { val_set(n, i, val_of(n, LLVMGetOperand(i, 0))); }

static void bit_cast(Fn *n, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    LLVMTypeRef from = LLVMTypeOf(x), to = LLVMTypeOf(i);
    if (int_bits(type_scalar(from)) == int_bits(type_scalar(to)) &&
        type_elements(from) == type_elements(to)) {
        same_value(n, i);
        return;
    }
    const Val words = val_new(n->lo, val_of(n, x).n + 1),
              r = val_new(n->lo, type_pieces(n->lo, to));
    value_words(n, from, val_of(n, x).p, words.p);
    value_of_words(n, to, words.p, r.p);
    val_set(n, i, r);
}

/* --- parts of values ------------------------------------------------------------------ */

static Ref element_address(Fn *n, u32 slot, Ref index, u32 pieces)
{
    return op2(n, IR_add, ref_slot(slot), op2(n, IR_mul, index, ref_con(4 * pieces)));
}

/* the address of a copy of a vector in private memory, for an index that is not constant */
static u32 spread(Fn *n, Val v)
{
    const u32 slot = ir_slot(n->f, 4 * v.n, 4);
    for (u32 k = 0; k < v.n; k++)
        store_word(n, IN_PRIVATE, add_con(n, ref_slot(slot), (i32)(4 * k)), 0, 4, v.p[k]);
    return slot;
}

/* an index beyond the vector is as good as any inside */
static Ref index_inside(Fn *n, LLVMValueRef index, u32 count)
{
    const Ref x = int_zext(n, ref_of(n, index),
                           int_bits(LLVMTypeOf(index)) < 32 ? int_bits(LLVMTypeOf(index)) : 32);
    return op2(n, IR_minu, x, ref_con(count - 1));
}

static void extract_element(Fn *n, LLVMValueRef i)
{
    LLVMValueRef index = LLVMGetOperand(i, 1);
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(i, 0));
    const Val v = val_of(n, LLVMGetOperand(i, 0)),
              r = val_new(n->lo, type_pieces(n->lo, LLVMTypeOf(i)));
    if (LLVMIsAConstantInt(index)) {
        const u64 at = LLVMConstIntGetZExtValue(index);
        if (at < type_elements(t))
            memcpy(r.p, v.p + at * r.n, r.n * sizeof *r.p);
        else
            memcpy(r.p, v.p, r.n * sizeof *r.p);
    } else {
        const u32 slot = spread(n, v);
        const Ref at = element_address(n, slot, index_inside(n, index, type_elements(t)), r.n);
        for (u32 k = 0; k < r.n; k++)
            r.p[k] = load_word(n, IN_PRIVATE, at, (i32)(4 * k), 4);
    }
    val_set(n, i, r);
}

static void insert_element(Fn *n, LLVMValueRef i)
{
    LLVMValueRef index = LLVMGetOperand(i, 2);
    const Val v = val_of(n, LLVMGetOperand(i, 0)), x = val_of(n, LLVMGetOperand(i, 1));
    const Val r = val_new(n->lo, v.n);
    const u32 count = type_elements(LLVMTypeOf(i));
    memcpy(r.p, v.p, v.n * sizeof *v.p);
    if (LLVMIsAConstantInt(index)) {
        const u64 at = LLVMConstIntGetZExtValue(index);
        if (at < count)
            memcpy(r.p + at * x.n, x.p, x.n * sizeof *x.p);
    } else {
        const u32 slot = spread(n, v);
        const Ref at = element_address(n, slot, index_inside(n, index, count), x.n);
        for (u32 k = 0; k < x.n; k++)
            store_word(n, IN_PRIVATE, at, (i32)(4 * k), 4, x.p[k]);
        for (u32 k = 0; k < r.n; k++)
            r.p[k] = load_word(n, IN_PRIVATE, add_con(n, ref_slot(slot), (i32)(4 * k)), 0, 4);
    }
    val_set(n, i, r);
}

static void shuffle_vector(Fn *n, LLVMValueRef i)
{
    const Val x = val_of(n, LLVMGetOperand(i, 0)), y = val_of(n, LLVMGetOperand(i, 1));
    const Val r = val_new(n->lo, type_pieces(n->lo, LLVMTypeOf(i)));
    const u32 each = type_pieces(n->lo, LLVMGetElementType(LLVMTypeOf(i)));
    for (u32 k = 0; k < r.n; k++) {
        const int lane = LLVMGetMaskValue(i, k / each);
        const u32 at = lane < 0 ? 0 : (u32)lane * each + k % each;
        r.p[k] = lane < 0 ? ref_con(0) : at < x.n ? x.p[at] : y.p[at - x.n];
    }
    val_set(n, i, r);
}

/* the piece at which a member of an aggregate begins */
static u32 member_piece(Fn *n, LLVMValueRef i, LLVMTypeRef t)
{
    const unsigned *index = LLVMGetIndices(i);
    u32 at = 0;
    for (unsigned k = 0; k < LLVMGetNumIndices(i); k++) {
        const bool is_struct = LLVMGetTypeKind(t) == LLVMStructTypeKind;
        for (unsigned m = 0; is_struct && m < index[k]; m++)
            at += type_pieces(n->lo, LLVMStructGetTypeAtIndex(t, m));
        t = is_struct ? LLVMStructGetTypeAtIndex(t, index[k]) : LLVMGetElementType(t);
        if (!is_struct)
            at += index[k] * type_pieces(n->lo, t);
    }
    return at;
}

static void extract_value(Fn *n, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    const Val v = val_of(n, x);
    val_set(n, i,
            (Val){v.p + member_piece(n, i, LLVMTypeOf(x)), type_pieces(n->lo, LLVMTypeOf(i))});
}

static void insert_value(Fn *n, LLVMValueRef i)
{
    const Val v = val_of(n, LLVMGetOperand(i, 0)), x = val_of(n, LLVMGetOperand(i, 1));
    const Val r = val_new(n->lo, v.n);
    memcpy(r.p, v.p, v.n * sizeof *v.p);
    memcpy(r.p + member_piece(n, i, LLVMTypeOf(i)), x.p, x.n * sizeof *x.p);
    val_set(n, i, r);
}

/* --- control -------------------------------------------------------------------------- */

static u32 first_block(Fn *n, LLVMBasicBlockRef b)
{
    Val v;
    return map_get(&n->blocks, b, &v) ? v.p[0].val : 0;
}

static void leave(Fn *n, LLVMValueRef value)
{
    Module *m = n->lo->m;
    const Val v = value ? val_of(n, value) : (Val){0};
    for (u32 k = 0; k < n->f->nresults; k++) {
        if (!ir_grow(m, n->ret, n->nret, n->capret))
            return;
        n->ret[n->nret++] = (PhiIn){n->b, k < v.n ? v.p[k] : ref_con(0)};
    }
    ir_jump(n->f, n->b, n->f->exit);
}

static void branch(Fn *n, LLVMValueRef i)
{
    const u32 then = first_block(n, LLVMGetSuccessor(i, 0));
    if (!LLVMIsConditional(i)) {
        ir_jump(n->f, n->b, then);
        return;
    }
    const Ref c = ref_of(n, LLVMGetCondition(i));
    ir_branch(n->f, n->b, CMP_ne, c, ref_con(0), then, first_block(n, LLVMGetSuccessor(i, 1)),
              n->loc);
}

static void start_phi(Fn *n, LLVMValueRef i)
{
    const Val v = val_new(n->lo, type_pieces(n->lo, LLVMTypeOf(i)));
    for (u32 k = 0; k < v.n; k++)
        v.p[k] = ref_val(ir_value(n->f));
    val_set(n, i, v);
}

static void instruction(Fn *n, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMRet: leave(n, LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL); break;
    case LLVMUnreachable: leave(n, NULL); break;
    case LLVMBr: branch(n, i); break;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: elementwise(n, i, 2, one_integer); break;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv: elementwise(n, i, 2, one_float); break;
    case LLVMFNeg: elementwise(n, i, 1, one_negation); break;
    case LLVMICmp: elementwise(n, i, 2, one_icmp); break;
    case LLVMFCmp: elementwise(n, i, 2, one_fcmp); break;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr: elementwise(n, i, 1, one_cast); break;
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt: elementwise(n, i, 1, one_fcast); break;
    case LLVMBitCast: bit_cast(n, i); break;
    case LLVMAddrSpaceCast:
    case LLVMFreeze: same_value(n, i); break;
    case LLVMAlloca: mem_alloca(n, i); break;
    case LLVMLoad: mem_load(n, i); break;
    case LLVMStore: mem_store(n, i); break;
    case LLVMGetElementPtr: mem_gep(n, i); break;
    case LLVMAtomicRMW: atomic_modify(n, i); break;
    case LLVMAtomicCmpXchg: atomic_exchange_if(n, i); break;
    case LLVMFence: mem_fence(n); break;
    case LLVMPHI: start_phi(n, i); break;
    case LLVMCall: lower_call(n, i); break;
    case LLVMSelect: select_value(n, i); break;
    case LLVMExtractElement: extract_element(n, i); break;
    case LLVMInsertElement: insert_element(n, i); break;
    case LLVMShuffleVector: shuffle_vector(n, i); break;
    case LLVMExtractValue: extract_value(n, i); break;
    case LLVMInsertValue: insert_value(n, i); break;
    default: refuse(n->lo, "an operation that this compiler does not know");
    }
}

/* --- functions ------------------------------------------------------------------------ */

u32 mark_place(Fn *n, u32 loc, u32 isa)
{
    Loc marked = n->lo->m->loc[loc];
    marked.isa = isa;
    return ir_loc(n->lo->m, marked);
}

static u32 place_of(Fn *n, LLVMValueRef i)
{
    if (LLVMIsADbgInfoIntrinsic(i))
        return 0;
    const LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i);
    const u32 loc = at ? place_of_node(n->lo, at, 0) : 0;
    const bool is_access = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
    if (is_access && LLVMGetMetadata(i, LLVMGetMDKindIDInContext(n->lo->ctx, "nontemporal", 11)))
        return mark_place(n, loc, LOC_ASYNC); /* so the device library writes them */
    if (!is_access || LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic)
        return loc;
    return mark_place(n, loc, LOC_ATOMIC);
}

static bool is_too_large(Fn *n, LLVMValueRef v)
{
    switch (LLVMGetTypeKind(LLVMTypeOf(v))) {
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind:
    case LLVMStructTypeKind: return type_pieces(n->lo, LLVMTypeOf(v)) > VALUE_PIECES;
    default: return false;
    }
}

/* refuses what has operands or a result of more pieces than a value may have */
static bool values_fit(Fn *n, LLVMValueRef i)
{
    bool fit = !is_too_large(n, i);
    for (int k = 0; fit && k < LLVMGetNumOperands(i); k++)
        fit = !is_too_large(n, LLVMGetOperand(i, (unsigned)k));
    if (!fit)
        refuse(n->lo, "a value of more than %d bytes", 4 * VALUE_PIECES);
    return fit;
}

static void lower_block(Fn *n, LLVMBasicBlockRef b)
{
    Val v;
    if (!map_get(&n->blocks, b, &v))
        return;
    n->b = v.p[0].val;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        if (n->lo->m->failed || n->lo->stopped)
            return;
        n->lo->at = i;
        n->loc = place_of(n, i);
        if (values_fit(n, i))
            instruction(n, i);
    }
    v.p[1] = ref_blk(n->b);
}

/* Blocks from the entry on in reverse post-order: list[0 .. return value). */
static size_t order_blocks(LLVMValueRef f, LLVMBasicBlockRef *list, LLVMBasicBlockRef *stack,
                           unsigned *next, Lower *lo)
{
    const size_t count = LLVMCountBasicBlocks(f);
    Map seen = {0};
    size_t depth = 0, n = count;
    stack[depth] = LLVMGetEntryBasicBlock(f);
    next[depth++] = 0;
    map_put(lo, &seen, stack[0], (Val){0});
    while (depth) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(stack[depth - 1]);
        Val v;
        if (next[depth - 1] == LLVMGetNumSuccessors(end)) {
            list[--n] = stack[--depth];
            continue;
        }
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, next[depth - 1]++);
        if (lo->m->failed || map_get(&seen, to, &v))
            continue;
        map_put(lo, &seen, to, (Val){0});
        stack[depth] = to;
        next[depth++] = 0;
    }
    memmove(list, list + n, (count - n) * sizeof *list);
    return count - n;
}

static Ref kernel_pointer(Fn *n, LLVMTypeRef t, Ref x)
{
    const bool is_local =
        LLVMGetTypeKind(t) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(t) == 3;
    return is_local ? op2(n, IR_add, x, op0(n, IR_csr, CSR_lds)) : x;
}

/* Arguments of a kernel are loaded where it begins.  Structures have been given a copy
 * before (middle.c). */
static void kernel_params(Fn *n)
{
    u32 end = 0;
    const Ref base = op0(n, IR_argbase, 0);
    for (u32 k = 0; k < LLVMCountParams(n->src); k++) {
        LLVMValueRef p = LLVMGetParam(n->src, k);
        LLVMTypeRef t = LLVMTypeOf(p);
        const ArgPlace at = arg_place(n->lo->dl, n->src, k, end);
        if ((u64)at.offset + at.size > ABI_ARGS_MOST) {
            refuse(n->lo, "the arguments have more than %d bytes", ABI_ARGS_MOST);
            return;
        }
        end = at.offset + at.size;
        if (at.byval || !LLVMGetFirstUse(p))
            continue;
        if (LLVMGetTypeKind(t) == LLVMStructTypeKind || LLVMGetTypeKind(t) == LLVMArrayTypeKind) {
            refuse(n->lo, "a structure as an argument that is no copy in memory");
            return;
        }
        if (type_is(t, "Image")) { /* its descriptor lies in the argument block */
            const Val v = val_new(n->lo, 1);
            v.p[0] = add_con(n, base, (i32)at.offset);
            val_set(n, p, v);
            continue;
        }
        const u32 count = type_elements(t), each = type_pieces(n->lo, type_scalar(t));
        const u32 bytes = (int_bits(type_scalar(t)) + 7) / 8;
        const Val v = val_new(n->lo, count * each);
        for (u32 i = 0; i < v.n; i++) {
            const Ins load = {.op = IR_load,
                              .width = (u8)(bytes < 4 ? bytes : 4),
                              .space = IN_CONST,
                              .uniform = 1,
                              .dst = ir_value(n->f),
                              .imm = (i32)(at.offset + i / each * bytes + i % each * 4),
                              .loc = n->loc,
                              .a = {base}};
            ir_append(n->f, n->b, &load);
            if (bytes < 4)
                piece_known(n, load.dst, (i8)(8 * bytes));
            v.p[i] = kernel_pointer(n, t, ref_val(load.dst));
        }
        val_set(n, p, v);
    }
}

static void function_params(Fn *n)
{
    u32 piece = 0;
    for (u32 k = 0; k < LLVMCountParams(n->src); k++) {
        LLVMValueRef p = LLVMGetParam(n->src, k);
        const Val v = val_new(n->lo, type_pieces(n->lo, LLVMTypeOf(p)));
        for (u32 i = 0; i < v.n; i++)
            v.p[i] = op0(n, IR_param, (i32)piece++);
        val_set(n, p, v);
    }
    n->f->nparams = piece;
}

static Ref phi_argument(Fn *n, const PendingPhi *p, u32 pred)
{
    Ref other = ref_none();
    for (u32 k = 0; k < p->n; k++) {
        if (p->in[k].pred == pred)
            return p->in[k].ref;
        if (p->in[k].pred == UINT32_MAX)
            other = p->in[k].ref;
    }
    if (other.kind == R_NONE)
        refuse(n->lo, "internal error: a phi has nothing for a way that leads to it");
    return other;
}

static void finish_pending(Fn *n)
{
    for (size_t k = 0; k < n->nphi && !n->lo->m->failed; k++) {
        const PendingPhi *p = &n->phi[k];
        Phi *phi = ir_phi(n->f, p->block, p->dst);
        const Block *b = &n->f->block[p->block];
        for (size_t i = 0; phi && i < b->npred; i++)
            phi->arg[i] = phi_argument(n, p, b->pred[i]);
    }
}

/* phi i becomes pending ones, one for each piece: lists of pieces and the blocks they come from */
static void collect_phi(Fn *n, LLVMValueRef i)
{
    Module *m = n->lo->m;
    const u32 nin = LLVMCountIncoming(i);
    const Val v = val_of(n, i);
    const u32 block = first_block(n, LLVMGetInstructionParent(i));
    PhiIn *in = ir_alloc(m, (v.n * nin + 1) * sizeof *in);
    for (u32 j = 0; in && j < nin; j++) {
        Val from, x;
        if (!map_get(&n->blocks, LLVMGetIncomingBlock(i, j), &from))
            continue;
        n->b = from.p[1].val;
        x = val_of(n, LLVMGetIncomingValue(i, j));
        for (u32 k = 0; k < v.n; k++)
            in[k * nin + j] = (PhiIn){from.p[1].val, x.p[k]};
    }
    for (u32 k = 0; in && k < v.n; k++)
        if (ir_grow(m, n->phi, n->nphi, n->capphi))
            n->phi[n->nphi++] =
                (PendingPhi){.block = block, .dst = v.p[k].val, .n = nin, .in = in + k * nin};
}

static void collect_phis(Fn *n, LLVMBasicBlockRef b)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        n->lo->at = i;
        collect_phi(n, i);
    }
}

static void results(Fn *n)
{
    const u32 k = n->f->nresults;
    private_leave(n);
    for (u32 r = 0; r < k; r++) {
        PhiIn *in = ir_alloc(n->lo->m, (n->nret / k + 1) * sizeof *in);
        for (size_t i = 0; in && i < n->nret / k; i++)
            in[i] = n->ret[i * k + r];
        const Ref x = in ? phi_of(n, n->f->exit, in, (u32)(n->nret / k)) : ref_con(0);
        ir_append(n->f, n->f->exit, &(Ins){.op = IR_setret, .imm = (i32)r, .a = {x}});
    }
}

/* the entry is a block of its own, to which nothing jumps */
static void make_blocks(Fn *n, LLVMBasicBlockRef *order, size_t count)
{
    ir_block(n->f);
    for (size_t k = 0; k < count; k++) {
        const Val v = val_new(n->lo, 2);
        v.p[0] = v.p[1] = ref_blk(ir_block(n->f));
        map_put(n->lo, &n->blocks, order[k], v);
    }
    ir_ret(n->f, ir_block(n->f));
    ir_jump(n->f, 0, first_block(n, order[0]));
}

static void lower_body(Fn *n)
{
    Module *m = n->lo->m;
    const size_t all = LLVMCountBasicBlocks(n->src);
    LLVMBasicBlockRef *order = ir_alloc(m, all * sizeof *order);
    LLVMBasicBlockRef *stack = ir_alloc(m, all * sizeof *stack);
    unsigned *next = ir_alloc(m, all * sizeof *next);
    if (!order || !stack || !next)
        return;
    const size_t count = order_blocks(n->src, order, stack, next, n->lo);
    if (m->failed)
        return;
    make_blocks(n, order, count);
    n->b = 0;
    (n->f->is_kernel ? kernel_params : function_params)(n);
    for (size_t k = 0; k < count; k++)
        lower_block(n, order[k]);
    for (size_t k = 0; k < count && !n->lo->stopped && !m->failed; k++)
        collect_phis(n, order[k]);
    results(n);
    if (m->failed || n->lo->stopped)
        return;
    graph_preds(n->f);
    finish_pending(n);
}

static void lower_function(Lower *lo, LLVMValueRef src, const char *name, bool as_kernel)
{
    Func *f = ir_func(lo->m, name, as_kernel);
    if (!f)
        return;
    lo->m->sym[f->symbol].is_local = !as_kernel;
    LLVMTypeRef t = LLVMGlobalGetValueType(src);
    f->nresults = as_kernel ? 0 : type_pieces(lo, LLVMGetReturnType(t));
    lo->at = src;
    Fn n = {.lo = lo, .f = f, .src = src};
    note_function(&n);
    lower_body(&n);
}

/* --- __local variables ---------------------------------------------------------------- */

/* the only kernel whose code uses a value; false: several do, or a function that any may call */
static bool only_user(LLVMValueRef v, LLVMValueRef *owner)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user)) {
            LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
            if (!is_kernel(f) || LLVMGetFirstUse(f) || (*owner && *owner != f))
                return false;
            *owner = f;
        } else if (!only_user(user, owner)) {
            return false;
        }
    }
    return true;
}

/* the name of variable f.x is x */
static void note_local(Lower *lo, const Local *l)
{
    size_t len;
    Module *m = lo->m;
    const char *name = LLVMGetValueName2(l->var, &len), *dot = strrchr(name, '.');
    if (ir_grow(m, m->local, m->nlocal, m->caplocal))
        m->local[m->nlocal++] =
            (struct IrLocal){l->owner ? ir_strdup(m, LLVMGetValueName2(l->owner, &len)) : NULL,
                             ir_strdup(m, dot && dot[1] ? dot + 1 : name), l->offset, l->size};
}

/* places the variables of one owner from `offset` on; their end, at most TOO_MUCH_LOCAL */
static u32 place_locals(Lower *lo, LLVMValueRef owner, u32 offset)
{
    for (size_t k = 0; k < lo->nlocal; k++) {
        Local *l = &lo->local[k];
        if (l->owner != owner)
            continue;
        const u64 start = align_up(offset, l->align), end = start + l->size;
        l->offset = (u32)start;
        note_local(lo, l);
        const u64 past = end + (lo->apart ? NOTE_GAP : 0);
        offset = past < TOO_MUCH_LOCAL ? (u32)past : TOO_MUCH_LOCAL;
    }
    return offset;
}

static void find_locals(Lower *lo)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(lo->src); g; g = LLVMGetNextGlobal(g)) {
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 3 || !LLVMGetFirstUse(g))
            continue;
        LLVMTypeRef t = LLVMGlobalGetValueType(g);
        Local l = {.var = g, .size = type_size(lo, t), .align = LLVMGetAlignment(g)};
        if (!l.align)
            l.align = type_align(lo, t);
        if (!only_user(g, &l.owner))
            l.owner = NULL;
        if (ir_grow(lo->m, lo->local, lo->nlocal, lo->caplocal))
            lo->local[lo->nlocal++] = l;
    }
    lo->local_common = place_locals(lo, NULL, 0);
}

/* --- the module ----------------------------------------------------------------------- */

/* Modules of SPIR-V need not name their functions and variables; symbols have names that differ. */
static void name_if_unnamed(LLVMValueRef v, const char *name)
{
    size_t len;
    LLVMGetValueName2(v, &len);
    if (!len)
        LLVMSetValueName2(v, name, strlen(name)); /* LLVM appends a number where others have it */
}

static void name_all(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        name_if_unnamed(f, "function");
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
        name_if_unnamed(g, "variable");
}

static void lower_functions(Lower *lo)
{
    size_t len;
    for (LLVMValueRef f = LLVMGetFirstFunction(lo->src); f && !lo->m->failed;
         f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        const u32 lds = place_locals(lo, f, lo->local_common);
        lo->stopped = false;
        lower_function(lo, f, LLVMGetValueName2(f, &len), is_kernel(f));
        if (is_kernel(f) && lo->m->nfunc)
            lo->m->func[lo->m->nfunc - 1]->lds_static = (u32)align_up(lds, 16);
    }
}

Module *lower_module(LLVMModuleRef src, const char *name, const Target *target, bool apart, Diag *d)
{
    const int before = d->errors;
    Module *m = ir_module(name, target);
    Lower *lo = mem_zalloc(1, sizeof *lo);
    if (m && lo) {
        m->is_checked = apart;
        *lo = (Lower){.m = m,
                      .src = src,
                      .ctx = LLVMGetModuleContext(src),
                      .d = d,
                      .apart = apart,
                      .dl = LLVMGetModuleDataLayout(src)};
        name_all(src);
        show_variables(src);
        find_locals(lo);
        for (LLVMValueRef g = LLVMGetFirstGlobal(src); g; g = LLVMGetNextGlobal(g))
            if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 3 && LLVMGetFirstUse(g))
                lower_global(lo, g);
        lower_functions(lo);
    }
    if (!m || !lo || m->failed)
        error(d, NULL, NULL, "out of memory");
    mem_free(lo);
    if (d->errors == before)
        return m;
    ir_free(m);
    return NULL;
}
