/* lower_atomic.c -- atomic accesses and operations.
 *
 * The machine has operations on words, and load-reserved with store-conditional.  What is 8 bytes
 * large is done under a lock, by every atomic access of 8 bytes; other accesses of these bytes at
 * the same time are races, which OpenCL leaves undefined.  The locks are words of a table that the
 * program has (doc/abi.md, "Locks"); an object's is chosen by its address.
 *
 * A lane that waits for a lane of its own warp must not keep that one from going on.  So a lane
 * tries once, does its work and gives the lock back if it got it, and meets the others at a join
 * before any of them tries again:
 *
 *     again:   reserve the lock; store the tag, or what it holds if that is not 0
 *              was it held, or did the store fail?      yes: next
 *     inside:  the two words are read, changed, written; the lock becomes 0
 *     next:    inside or not?                           not: again
 *
 * The store is done in any case, so that no lane waits with a reservation, which would make every
 * store of its group look for it.
 *
 * This is made here and not in the device library, because LLVM would let the path from `inside`
 * pass by the join.
 */
#include "isa/abi.h"
#include "ll/lower.h"

enum { OBJECT_BITS = 3, WORD = 4 }; /* objects of 8 bytes lie on multiples of 8 */

bool order_acquires(LLVMAtomicOrdering o)
{
    return o == LLVMAtomicOrderingAcquire || o >= LLVMAtomicOrderingAcquireRelease;
}

bool order_releases(LLVMAtomicOrdering o) { return o >= LLVMAtomicOrderingRelease; }

void mem_fence(Fn *n) { ir_append(n->f, n->b, &(Ins){.op = IR_fence, .loc = n->loc}); }

bool atomic_is_plain(Fn *n, LLVMValueRef i, LLVMTypeRef t)
{
    const u32 size = type_size(n->lo, t);
    return size <= WORD && LLVMGetAlignment(i) >= size;
}

/* --- operations ----------------------------------------------------------------------------- */

static Op word_op(LLVMAtomicRMWBinOp op)
{
    switch (op) {
    case LLVMAtomicRMWBinOpXchg: return OP_copy;
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub: return OP_add;
    case LLVMAtomicRMWBinOpAnd: return OP_and;
    case LLVMAtomicRMWBinOpOr: return OP_or;
    case LLVMAtomicRMWBinOpXor: return OP_xor;
    case LLVMAtomicRMWBinOpMax: return OP_max;
    case LLVMAtomicRMWBinOpMin: return OP_min;
    case LLVMAtomicRMWBinOpUMax: return OP_maxu;
    case LLVMAtomicRMWBinOpUMin: return OP_minu;
    default: return OP_none;
    }
}

static Ref append_atomic(Fn *n, IrOp op, i32 imm, Ref x, Ref y)
{
    const Ins i = {.op = (u16)op,
                   .width = WORD,
                   .space = IN_FLAT,
                   .dst = ir_value(n->f),
                   .imm = imm,
                   .loc = n->loc,
                   .a = {x, y}};
    ir_append(n->f, n->b, &i);
    return ref_val(i.dst);
}

/* --- 8 bytes ----------------------------------------------------------------------------- */

/* Computes the words that an operation leaves from those that it finds. */
typedef void Change(Fn *n, LLVMValueRef i, const Ref old[2], Ref new[2]);

static void leave_it(Fn *n, LLVMValueRef i, const Ref old[2], Ref new[2])
{
    (void)n, (void)i;
    memcpy(new, old, 2 * sizeof *new);
}

static void store_it(Fn *n, LLVMValueRef i, const Ref old[2], Ref new[2])
{
    (void)old;
    memcpy(new, val_of(n, LLVMGetOperand(i, 0)).p, 2 * sizeof *new);
}

static void modify_it(Fn *n, LLVMValueRef i, const Ref old[2], Ref new[2])
{
    const LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    LLVMTypeRef t = LLVMInt64TypeInContext(n->lo->ctx);
    const Ref *x = val_of(n, LLVMGetOperand(i, 1)).p;
    const Elem e = {.from = t, .to = t, .a = {old, x}, .out = new};
    switch (op) {
    case LLVMAtomicRMWBinOpXchg: memcpy(new, x, 2 * sizeof *new); break;
    case LLVMAtomicRMWBinOpAdd: int_binary(n, LLVMAdd, &e); break;
    case LLVMAtomicRMWBinOpSub: int_binary(n, LLVMSub, &e); break;
    case LLVMAtomicRMWBinOpAnd: int_binary(n, LLVMAnd, &e); break;
    case LLVMAtomicRMWBinOpOr: int_binary(n, LLVMOr, &e); break;
    case LLVMAtomicRMWBinOpXor: int_binary(n, LLVMXor, &e); break;
    case LLVMAtomicRMWBinOpMax: int_intrinsic(n, "smax.i64", &e); break;
    case LLVMAtomicRMWBinOpMin: int_intrinsic(n, "smin.i64", &e); break;
    case LLVMAtomicRMWBinOpUMax: int_intrinsic(n, "umax.i64", &e); break;
    default: int_intrinsic(n, "umin.i64", &e); break;
    }
}

static Ref both_equal(Fn *n, const Ref x[2], const Ref y[2])
{
    return op2(n, IR_and, op2(n, IR_eq, x[0], y[0]), op2(n, IR_eq, x[1], y[1]));
}

static void exchange_it(Fn *n, LLVMValueRef i, const Ref old[2], Ref new[2])
{
    const Ref equal = both_equal(n, old, val_of(n, LLVMGetOperand(i, 1)).p);
    const Ref *x = val_of(n, LLVMGetOperand(i, 2)).p;
    for (u32 k = 0; k < 2; k++)
        new[k] = op3(n, IR_select, equal, x[k], old[k]);
}

static void access_words(Fn *n, Space s, LLVMValueRef i, Ref address, Change *change, Ref old[2])
{
    Ref new[2];
    for (u32 k = 0; k < 2; k++)
        old[k] = load_word(n, s, address, (i32)(WORD * k), WORD);
    change(n, i, old, new);
    for (u32 k = 0; k < 2 && change != leave_it; k++)
        store_word(n, s, address, (i32)(WORD * k), WORD, new[k]);
}

/* the lock of the object at an address */
static Ref lock_of(Fn *n, Ref address)
{
    Module *m = n->lo->m;
    const u32 table = ir_sym(m, ABI_LOCKS, SYM_EXTERN);
    if (!m->failed && m->sym[table].kind == SYM_EXTERN &&
        ir_data(m, ABI_LOCKS, WORD * ABI_NLOCKS, WORD, true))
        m->sym[table].is_weak = true;
    const Ref offset = op2(n, IR_and, op2(n, IR_srl, address, ref_con(OBJECT_BITS - 2)),
                           ref_con(WORD * (ABI_NLOCKS - 1)));
    return op2(n, IR_add, ref_sym(table), offset);
}

/* What i does to the 8 bytes at p; old: what it found. */
static void under_lock(Fn *n, LLVMValueRef i, LLVMValueRef p, Change *change, Ref old[2])
{
    const Ref address = ref_of(n, p);
    if (as_of(p) == AS_PRIVATE) { /* no other lane uses it */
        access_words(n, IN_PRIVATE, i, address, change, old);
        return;
    }
    n->loc = mark_place(n, n->loc, LOC_ATOMIC); /* the accesses are one atomic to the source */
    const Ref lock = lock_of(n, address), tag = op0(n, IR_csr, CSR_knl);
    const u32 again = ir_block(n->f), inside = ir_block(n->f);
    const u32 next = ir_block(n->f), done = ir_block(n->f);
    ir_jump(n->f, n->b, again);
    n->b = again;
    const Ref held = append_atomic(n, IR_lr, 0, lock, ref_none());
    const Ref mark = op3(n, IR_select, op2(n, IR_eq, held, ref_con(0)), tag, held);
    const Ref failed = append_atomic(n, IR_sc, 0, mark, lock);
    const Ref outside = op2(n, IR_or, held, failed);
    ir_branch(n->f, again, CMP_ne, outside, ref_con(0), next, inside, n->loc);
    n->b = inside;
    mem_fence(n);
    Ref found[2];
    access_words(n, IN_FLAT, i, address, change, found);
    mem_fence(n);
    store_word(n, IN_FLAT, lock, 0, WORD, ref_con(0));
    ir_jump(n->f, inside, next);
    n->b = next;
    for (u32 k = 0; k < 2; k++)
        old[k] = phi_of(n, next, (PhiIn[]){{inside, found[k]}, {UINT32_MAX, ref_con(0)}}, 2);
    ir_branch(n->f, next, CMP_ne, outside, ref_con(0), again, done, n->loc);
    n->b = done;
}

static bool lies_well(Fn *n, LLVMValueRef i, LLVMTypeRef t)
{
    const u32 size = type_size(n->lo, t);
    const bool fits = (size == WORD || size == 2 * WORD) && LLVMGetAlignment(i) >= size;
    if (!fits)
        refuse(n->lo, "an atomic access of %u bytes at a multiple of %u", size,
               LLVMGetAlignment(i));
    return fits;
}

/* Does i, an operation on a t at p, if that has 8 bytes; *old: what was found there. */
static bool was_large(Fn *n, LLVMValueRef i, LLVMValueRef p, LLVMTypeRef t, Change *change, Val old)
{
    if (type_size(n->lo, t) == WORD)
        return false;
    under_lock(n, i, p, change, old.p);
    return true;
}

void atomic_load(Fn *n, LLVMValueRef i)
{
    const Val v = val_new(n->lo, 2);
    if (lies_well(n, i, LLVMTypeOf(i)) &&
        was_large(n, i, LLVMGetOperand(i, 0), LLVMTypeOf(i), leave_it, v))
        val_set(n, i, v);
}

void atomic_store(Fn *n, LLVMValueRef i)
{
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(i, 0));
    if (lies_well(n, i, t))
        was_large(n, i, LLVMGetOperand(i, 1), t, store_it, val_new(n->lo, 2));
}

/* --- of a word --------------------------------------------------------------------------- */

/* private memory is used by one lane alone: no atomic operation is needed */
static Ref private_atomic(Fn *n, Op op, Ref x, Ref address)
{
    const Ref old = load_word(n, IN_PRIVATE, address, 0, WORD);
    Ref new = x;
    for (IrOp ir = IR_add; op != OP_copy && ir < NIR; ir = (IrOp)(ir + 1))
        if (ir_info[ir].eval == op) {
            new = op2(n, ir, old, x);
            break;
        }
    store_word(n, IN_PRIVATE, address, 0, WORD, new);
    return old;
}

void atomic_modify(Fn *n, LLVMValueRef i)
{
    LLVMValueRef p = LLVMGetOperand(i, 0), operand = LLVMGetOperand(i, 1);
    const LLVMAtomicRMWBinOp rmw = LLVMGetAtomicRMWBinOp(i);
    const Op op = word_op(rmw);
    const LLVMAtomicOrdering order = LLVMGetOrdering(i);
    if (!lies_well(n, i, LLVMTypeOf(operand)))
        return;
    if (op == OP_none) {
        refuse(n->lo, "an atomic operation that this device does not have");
        return;
    }
    const Val v = val_new(n->lo, type_pieces(n->lo, LLVMTypeOf(operand)));
    val_set(n, i, v);
    if (was_large(n, i, p, LLVMTypeOf(operand), modify_it, v))
        return;
    Ref x = ref_of(n, operand);
    if (rmw == LLVMAtomicRMWBinOpSub)
        x = op2(n, IR_sub, ref_con(0), x);
    if (order_releases(order))
        mem_fence(n);
    const Ref address = ref_of(n, p);
    v.p[0] = as_of(p) == AS_PRIVATE ? private_atomic(n, op, x, address)
                                    : append_atomic(n, IR_atomic, (i32)op, x, address);
    if (order_acquires(order))
        mem_fence(n);
}

/* ends when the old value is not the expected one, or the new one is stored */
static Ref exchange_loop(Fn *n, Ref address, Ref expected, Ref new)
{
    const u32 again = ir_block(n->f), store = ir_block(n->f), done = ir_block(n->f);
    ir_jump(n->f, n->b, again);
    n->b = again;
    const Ref old = append_atomic(n, IR_lr, 0, address, ref_none());
    ir_branch(n->f, again, CMP_ne, old, expected, done, store, n->loc);
    n->b = store;
    const Ref failed = append_atomic(n, IR_sc, 0, new, address);
    ir_branch(n->f, store, CMP_ne, failed, ref_con(0), again, done, n->loc);
    n->b = done;
    return old;
}

static Ref private_exchange(Fn *n, Ref address, Ref expected, Ref new)
{
    const Ref old = load_word(n, IN_PRIVATE, address, 0, WORD);
    store_word(n, IN_PRIVATE, address, 0, WORD,
               op3(n, IR_select, op2(n, IR_eq, old, expected), new, old));
    return old;
}

void atomic_exchange_if(Fn *n, LLVMValueRef i)
{
    LLVMValueRef p = LLVMGetOperand(i, 0);
    const LLVMAtomicOrdering order = LLVMGetCmpXchgSuccessOrdering(i),
                             failed = LLVMGetCmpXchgFailureOrdering(i);
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(i, 1));
    if (!lies_well(n, i, t))
        return;
    const Ref *expected = val_of(n, LLVMGetOperand(i, 1)).p;
    const Val v = val_new(n->lo, type_pieces(n->lo, LLVMTypeOf(i)));
    val_set(n, i, v);
    if (was_large(n, i, p, t, exchange_it, v)) {
        v.p[2] = both_equal(n, v.p, expected);
        return;
    }
    const Ref address = ref_of(n, p), new = ref_of(n, LLVMGetOperand(i, 2));
    if (order_releases(order))
        mem_fence(n);
    v.p[0] =
        (as_of(p) == AS_PRIVATE ? private_exchange : exchange_loop)(n, address, *expected, new);
    if (order_acquires(order) || order_acquires(failed))
        mem_fence(n);
    v.p[1] = op2(n, IR_eq, v.p[0], *expected);
}
