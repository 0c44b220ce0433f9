/* diverge.c -- branches on which lanes part, and joins: by the architecture's stack, in the warp,
 * or where sides are short, without (sides.c). */
#include "jit/translate.h"
#include <stddef.h>
#include <string.h>

#define B e->b

/* How often lanes agree, for each time that they part: what the host's registers are for.  Code
 * whose lanes often part loses little by more; a Mandelbrot set takes a third more time without. */
enum { AGREE = 8 };

/* The comparison, in all lanes, as i1. */
static Row compared_row(Emit *e, const Uop *u)
{
    const Op op = (Op)isa_insn[u->id].op;
    const Pattern *one = &e->known.pattern[u->ra], *other = &e->known.pattern[u->rb];
    const bool each = is_value_each(e, one) && is_value_each(e, other);
    Row holds = {{0}};
    for (u32 i = 0; each && i < e->nchunks; i++) {
        const Val same = arith(e, op, one->offset[i], other->offset[i], NULL);
        holds.c[i] = splat_bit(e, LLVMBuildTrunc(B, same, e->i1, ""));
    }
    if (each)
        return holds;
    const Row a = get_on(e, u->ra), b = get_on(e, u->rb);
    for (u32 i = 0; i < e->nchunks; i++)
        holds.c[i] = LLVMBuildTrunc(B, arith(e, op, a.c[i], b.c[i], NULL), e->mrow, "");
    return holds;
}

/* The same where a sum of words is one instruction: of each lane its bit, or 0. */
static Val sum_of_lanes(Emit *e, const Row *on)
{
    Val set = NULL;
    for (u32 i = 0; i < e->nchunks; i++) {
        Val bit[MAX_LANES];
        for (u32 k = 0; k < e->chunk; k++)
            bit[k] = word(e, 1u << (i * e->chunk + k));
        const Val part = LLVMBuildSelect(B, on->c[i], LLVMConstVector(bit, e->chunk),
                                         LLVMConstNull(e->row), "");
        set = set ? LLVMBuildOr(B, set, part, "") : part;
    }
    return intrinsic(e, "llvm.vector.reduce.add", &e->row, 1, &set, 1);
}

/* Lanes as an i32. */
static Val lanes_of(Emit *e, const Row *on)
{
    if (e->host->aarch64)
        return sum_of_lanes(e, on);
    const LLVMTypeRef bits = LLVMIntTypeInContext(e->c, e->chunk);
    Val set = NULL;
    for (u32 i = 0; i < e->nchunks; i++) {
        Val part = LLVMBuildZExtOrBitCast(B, LLVMBuildBitCast(B, on->c[i], bits, ""), e->i32, "");
        part = LLVMBuildShl(B, part, word(e, i * e->chunk), "");
        set = set ? LLVMBuildOr(B, set, part, "") : part;
    }
    return set;
}

static Val count_lanes(Emit *e, Val mask)
{
    return intrinsic(e, "llvm.ctpop", &e->i32, 1, &mask, 1);
}

/* The lanes that are on and not taken. */
static Val rest_lanes(Emit *e, Val taken)
{
    return LLVMBuildAnd(B, e->mask, LLVMBuildNot(B, taken, ""), "");
}

/* The lanes that are on for which the comparison holds, or does not, for the LLVM block in which it
 * is called: on hosts without registers for masks LLVM makes comparisons again where they are used,
 * but what is computed of them would go from block to block in halves of words, with three
 * instructions for each chunk. */
static Row side_row(Emit *e, const Row *holds, bool taken)
{
    Row on = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        on.c[i] = taken ? holds->c[i] : LLVMBuildNot(B, holds->c[i], "");
        if (!e->at->full)
            on.c[i] = LLVMBuildAnd(B, e->on.c[i], on.c[i], "");
    }
    return on;
}

/* i1: of lanes that part, those that are not taken come first (mach/simt.c has the rule). */
static Val is_next_first(Emit *e, Val taken, Val rest)
{
    return LLVMBuildICmp(B, LLVMIntULT, count_lanes(e, rest), count_lanes(e, taken), "");
}

static Val entry_at(Emit *e, Val n)
{
    const Val stack = LLVMBuildLoad2(B, e->ptr, warp_field(e, offsetof(Warp, simt)), "");
    Val at = LLVMBuildMul(B, LLVMBuildZExt(B, n, e->i64, ""), quad(e, sizeof(SimtEntry)), "");
    return LLVMBuildInBoundsGEP2(B, e->i8, stack, &at, 1, "");
}

static Val entry_field(Emit *e, Val entry, size_t offset)
{
    Val at = quad(e, offset);
    return LLVMBuildInBoundsGEP2(B, e->i8, entry, &at, 1, "");
}

static void push(Emit *e, Val n, u32 rpc, Val pc, Val mask)
{
    const Val entry = entry_at(e, n);
    LLVMBuildStore(B, word(e, rpc), entry_field(e, entry, offsetof(SimtEntry, rpc)));
    LLVMBuildStore(B, pc, entry_field(e, entry, offsetof(SimtEntry, pc)));
    LLVMBuildStore(B, mask, entry_field(e, entry, offsetof(SimtEntry, mask)));
}

static Val depth(Emit *e)
{
    return LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, nsimt)), "");
}

/* Where the stack has no room for lanes that part: the branch's handler faults.  The builder stands at an LLVM
 * block that no other follows; what the handler reads is known, since it was compared. */
static void refuse(Emit *e)
{
    const u64 x = e->x_dirty;
    u64 v[countof(e->v_dirty)];
    memcpy(v, e->v_dirty, sizeof v);
    run_handler(e);
    LLVMBuildBr(B, e->stop);
    e->x_dirty = x; /* what was written back here was so only here */
    memcpy(e->v_dirty, v, sizeof v);
}

/* One side is nothing.  If its lanes come first, they have come to the join and wait there, as the
 * entry below says; else they are to come there: so the others go on now in any case. */
static void pass_by(Emit *e, Val n, Val taken, Val rest, Val next_first)
{
    const RegionBlock *b = e->at;
    const bool takes = b->next_pc == b->meet_pc;
    const Val first = takes ? next_first : LLVMBuildNot(B, next_first, "");
    push(e, LLVMBuildAdd(B, n, word(e, 1), ""), b->meet_pc, word(e, b->meet_pc),
         takes ? rest : taken);
    LLVMBuildStore(B, LLVMBuildAdd(B, n, LLVMBuildSelect(B, first, word(e, 1), word(e, 2), ""), ""),
                   warp_field(e, offsetof(Warp, nsimt)));
    LLVMBuildStore(B, takes ? taken : rest, e->mask_home);
    const Val insns = LLVMBuildAdd(B, e->insns, quad(e, e->retired), "");
    LLVMBuildStore(B, LLVMBuildAdd(B, insns, LLVMBuildZExt(B, first, e->i64, ""), ""),
                   e->insns_home);
    LLVMBuildBr(B, target_block(e, takes ? b->target_pc : b->next_pc, false));
}

/* Both sides have lanes: makes room on the stack, pushes two entries and
 * goes on with the side with fewer lanes. */
static void diverge(Emit *e, Val taken)
{
    const RegionBlock *b = e->at;
    const Val n = depth(e), after = LLVMBuildAdd(B, n, word(e, 2), "");
    const Val cap = LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, capsimt)), "");
    const Val room =
        LLVMBuildSelect(B, LLVMBuildICmp(B, LLVMIntULT, cap, e->depth, ""), cap, e->depth, "");
    const LLVMBasicBlockRef grow = new_block(e, "grow"), refused = new_block(e, "refused"),
                            go_on = new_block(e, "diverge");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntULE, after, room, ""), go_on, grow);
    LLVMPositionBuilderAtEnd(B, grow);
    const Val uop = note_place(e);
    const Val grown =
        LLVMBuildCall2(B, e->one_type, e->deepen, (Val[]){e->warp, uop, e->mask}, 3, "");
    branch_likely(e, LLVMBuildTrunc(B, grown, e->i1, ""), go_on, refused);
    LLVMPositionBuilderAtEnd(B, refused);
    refuse(e);

    LLVMPositionBuilderAtEnd(B, go_on);
    const Val rest = rest_lanes(e, taken);
    const Val next_first = is_next_first(e, taken, rest);
    push(e, n, b->meet_pc, word(e, b->meet_pc), e->mask);
    if (b->next_pc == b->meet_pc || b->target_pc == b->meet_pc) {
        pass_by(e, n, taken, rest, next_first);
        return;
    }
    push(e, LLVMBuildAdd(B, n, word(e, 1), ""), b->meet_pc,
         LLVMBuildSelect(B, next_first, word(e, b->target_pc), word(e, b->next_pc), ""),
         LLVMBuildSelect(B, next_first, taken, rest, ""));
    LLVMBuildStore(B, after, warp_field(e, offsetof(Warp, nsimt)));
    LLVMBuildStore(B, LLVMBuildSelect(B, next_first, rest, taken, ""), e->mask_home);
    LLVMBuildCondBr(B, next_first, target_block(e, b->next_pc, false),
                    target_block(e, b->target_pc, false));
}

/* For branches that use no stack: goes on in a new block, unless lanes part for which the stack would have no room.
 * parts: whether they do, i1. */
static void need_room(Emit *e, Val parts)
{
    const RegionBlock *b = e->at;
    const LLVMBasicBlockRef on = new_block(e, ""), deep = new_block(e, "deep"),
                            refused = new_block(e, "refused");
    const Val depth_after = b->full ? word(e, 2) : LLVMBuildAdd(B, depth(e), word(e, 2), "");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntULE, depth_after, e->depth, ""), on, deep);
    LLVMPositionBuilderAtEnd(B, deep);
    LLVMBuildCondBr(B, parts, refused, on);
    LLVMPositionBuilderAtEnd(B, refused);
    refuse(e);
    LLVMPositionBuilderAtEnd(B, on);
}

/* Computes the side that begins at pc, for these lanes. */
static void compute_side(Emit *e, u32 pc, const Row *on)
{
    const RegionBlock *at = e->at;
    const Row all = e->on;
    const Val mask = e->mask;
    const u32 index = e->index, uop = e->k;
    if (pc == at->meet_pc)
        return;
    e->index = (u32)region_find(e->r, pc, false);
    e->at = &e->r->block[e->index];
    e->on = *on;
    e->mask = lanes_of(e, on);
    e->in_side = true;
    for (e->k = 0; e->k + (e->at->end == END_JUMP) < e->at->nuop; e->k++)
        emit_instruction(e, e->at->uop[e->k]);
    e->in_side = false;
    e->at = at;
    e->on = all;
    e->mask = mask;
    e->index = index;
    e->k = uop;
}

/* `n` instructions where the condition holds, as i64. */
static Val insns_if(Emit *e, Val cond, u32 n)
{
    return LLVMBuildSelect(B, cond, quad(e, n), quad(e, 0), "");
}

/* Both sides of a branch, each for its lanes (sides.c); on at the join, to which lanes that part
 * come three times: from the sides, and all together.  The stack must have room as if it were used.
 */
static void compute_sides(Emit *e, const Uop *u)
{
    const RegionBlock *b = e->at;
    const Row holds = compared_row(e, u);
    const Val all = lanes_of(e, &holds), t = b->full ? all : LLVMBuildAnd(B, all, e->mask, "");
    const Val some = LLVMBuildICmp(B, LLVMIntNE, t, word(e, 0), "");
    const Val others = LLVMBuildICmp(B, LLVMIntNE, t, e->mask, "");
    const Val both = LLVMBuildAnd(B, some, others, "");
    need_room(e, both);
    const Row taken = side_row(e, &holds, true), rest = side_row(e, &holds, false);
    compute_side(e, b->next_pc, &rest);
    compute_side(e, b->target_pc, &taken);
    flush_registers(e);
    Val insns = LLVMBuildAdd(B, e->insns, quad(e, e->retired), "");
    insns = LLVMBuildAdd(B, insns, insns_if(e, others, b->side_insns[0]), "");
    insns = LLVMBuildAdd(B, insns, insns_if(e, some, b->side_insns[1]), "");
    insns = LLVMBuildAdd(B, insns, insns_if(e, both, 2), "");
    LLVMBuildStore(B, insns, e->insns_home);
    LLVMBuildBr(B, target_block(e, b->meet_pc, b->full));
}

/* Emits the side, a block at which the builder stands, for these lanes, up to the join.  Before it,
 * e->insns have been retired, and behind it `more`, besides its own. */
static void run_side(Emit *e, const RegionBlock *side, Val mask, Val more)
{
    const RegionBlock *b = e->at;
    e->index = (u32)region_find(e->r, side->pc, false);
    e->at = side;
    e->mask = mask;
    for (u32 i = 0; i < e->nchunks; i++)
        e->on.c[i] = mask_chunk(e, mask, i);
    e->retired = 0;
    e->in_side = true;
    for (e->k = 0; e->k < side->nuop; e->k++) {
        e->retired += uop_insns(side->uop[e->k]);
        if (e->k + (side->end == END_JUMP) < side->nuop)
            emit_instruction(e, side->uop[e->k]);
    }
    e->in_side = false;
    e->insns = LLVMBuildAdd(B, e->insns, more, "");
    flush_block(e);
    LLVMBuildBr(B, target_block(e, b->meet_pc, b->full));
}

/* A branch one side of which is nothing: goes through the other with the lanes that are to.  What
 * the stack would have held is counted and checked: lanes that part come to the join three times,
 * once of them before the side, if those that pass it by are fewer. */
static void end_split_alone(Emit *e, const Uop *u)
{
    const RegionBlock *b = e->at;
    const bool takes = b->next_pc == b->meet_pc;
    const RegionBlock *side = sides_alone(e->r, b);
    const LLVMBasicBlockRef some = new_block(e, "some");
    const Row holds = compared_row(e, u), row = side_row(e, &holds, true);
    const Val t = lanes_of(e, &row), r = rest_lanes(e, t), mask = takes ? t : r;
    const Val parts = LLVMBuildICmp(B, LLVMIntNE, mask, e->mask, "");

    /* 1. lanes that agree */
    flush_block(e);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, mask, word(e, 0), ""),
                    target_block(e, b->meet_pc, b->full), some);
    LLVMPositionBuilderAtEnd(B, some);
    if (b->full) {
        const LLVMBasicBlockRef part = new_block(e, "part");
        LLVMBuildCondBr(B, parts, part, target_block(e, side->pc, true));
        LLVMPositionBuilderAtEnd(B, part);
    }
    need_room(e, parts);

    /* 2. the side, for some */
    const Val next_first = is_next_first(e, t, r);
    const Val first = takes ? next_first : LLVMBuildNot(B, next_first, "");
    const Val before = LLVMBuildZExt(B, LLVMBuildAnd(B, first, parts, ""), e->i64, "");
    e->insns = LLVMBuildAdd(B, LLVMBuildAdd(B, e->insns, quad(e, e->retired), ""), before, "");
    run_side(e, side, mask, LLVMBuildSub(B, insns_if(e, parts, 2), before, ""));
}

void end_split(Emit *e, const Uop *u)
{
    const RegionBlock *b = e->at;
    if (b->together) {
        compute_sides(e, u);
        return;
    }
    if (b->alone) {
        end_split_alone(e, u);
        return;
    }
    const Row holds = compared_row(e, u), row = side_row(e, &holds, true);
    const Val taken = lanes_of(e, &row);
    const LLVMBasicBlockRef some = new_block(e, "some"), both = new_block(e, "both");
    flush_block(e);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, taken, word(e, 0), ""),
                    target_block(e, b->next_pc, b->full), some);
    LLVMPositionBuilderAtEnd(B, some);
    branch_weighted(e, AGREE, LLVMBuildICmp(B, LLVMIntEQ, taken, e->mask, ""),
                    target_block(e, b->target_pc, b->full), both);
    LLVMPositionBuilderAtEnd(B, both);
    diverge(e, taken);
}

/* Where a join leads that has popped what another region, or the interpreter, has pushed. */
static LLVMBasicBlockRef away(Emit *e, Val pc, Val mask)
{
    const LLVMBasicBlockRef here = LLVMGetInsertBlock(B), out = new_block(e, "away");
    const Val before = e->mask;
    LLVMPositionBuilderAtEnd(B, out);
    e->mask = mask;
    leave_region(e, pc, &e->at->before_end, e->retired, (u32)HOST_ANYWHERE);
    e->mask = before;
    LLVMPositionBuilderAtEnd(B, here);
    return out;
}

/* Unless lanes waited where the region begins, the entries that a join pops were pushed by it: its
 * own sides, or the restored mask. */
void end_join(Emit *e)
{
    const RegionBlock *b = e->at;
    flush_block(e);
    if (b->full || !b->pops) {
        LLVMBuildBr(B, target_block(e, b->next_pc, b->full));
        return;
    }
    const LLVMBasicBlockRef next = target_block(e, b->next_pc, false), look = new_block(e, "look"),
                            pop = new_block(e, "pop"), restored = new_block(e, "restored");
    const Val n = depth(e), top = LLVMBuildSub(B, n, word(e, 1), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, n, word(e, 0), ""), next, look);
    LLVMPositionBuilderAtEnd(B, look);
    const Val entry = entry_at(e, top);
    const Val rpc = LLVMBuildLoad2(B, e->i32, entry_field(e, entry, offsetof(SimtEntry, rpc)), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, rpc, word(e, b->pc), ""), pop, next);
    LLVMPositionBuilderAtEnd(B, pop);
    const Val pc = LLVMBuildLoad2(B, e->i32, entry_field(e, entry, offsetof(SimtEntry, pc)), "");
    const Val mask =
        LLVMBuildLoad2(B, e->i32, entry_field(e, entry, offsetof(SimtEntry, mask)), "");
    LLVMBuildStore(B, top, warp_field(e, offsetof(Warp, nsimt)));
    LLVMBuildStore(B, mask, e->mask_home);
    for (u32 i = 0; i < b->nsucc; i++)
        if (!e->r->block[b->succ[i]].full && e->r->block[b->succ[i]].pc != b->pc)
            carry_to(e, b->succ[i]);
    const Val cases =
        LLVMBuildSwitch(B, pc, e->r->warp.deep ? away(e, pc, mask) : e->stop, b->nsucc + 1);
    LLVMAddCase(cases, word(e, b->pc), restored);
    for (u32 i = 0; i < b->nsucc; i++) {
        const RegionBlock *to = &e->r->block[b->succ[i]];
        if (to->pc != b->pc && !to->full)
            LLVMAddCase(cases, word(e, to->pc), e->start[b->succ[i]]);
    }
    LLVMPositionBuilderAtEnd(B, restored);
    if (region_is_partial(e->r))
        LLVMBuildBr(B, target_block(e, b->pc, false));
    else
        LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, mask, word(e, lanes_mask(e)), ""),
                        target_block(e, b->pc, true), target_block(e, b->pc, false));
}

void pass_joins(Emit *e, const u32 *join, u32 n, LLVMBasicBlockRef other)
{
    if (e->at->full || !n) /* sides are fewer lanes than a full warp */
        return;
    const LLVMBasicBlockRef on = new_block(e, ""), look = new_block(e, "look");
    const Val waiting = depth(e);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, waiting, word(e, 0), ""), on, look);
    LLVMPositionBuilderAtEnd(B, look);
    const Val entry = entry_at(e, LLVMBuildSub(B, waiting, word(e, 1), ""));
    const Val rpc = LLVMBuildLoad2(B, e->i32, entry_field(e, entry, offsetof(SimtEntry, rpc)), "");
    const Val cases = LLVMBuildSwitch(B, rpc, on, n);
    for (u32 i = 0; i < n; i++)
        LLVMAddCase(cases, word(e, join[i]), other);
    LLVMPositionBuilderAtEnd(B, on);
}
