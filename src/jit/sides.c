/* sides.c -- divergent branches whose sides are so short that code needs no divergence stack.
 *
 * A side is a block that leads from the branch to its join, or nothing.  If both compute rows of
 * lanes alone, each by itself, nobody can see which came first: so code may compute one and then
 * the other, each for its lanes, without a branch (`together`).  If one is nothing, there is no
 * order to see either, whatever the other does: code goes through that with the lanes that are to,
 * if there are any (`alone`).  A join at which no other branch meets has nothing to pop then.
 */
#include "base/mem.h"
#include "jit/region.h"

/* Instructions: of both sides together; of one that is alone, which then exists twice. */
enum { MOST = 16, MOST_ALONE = 64 };

/* Whether the host computes the operation on rows in a few instructions. */
static bool is_quick(Op op)
{
    switch (op) {
    case OP_add:
    case OP_sub:
    case OP_rsub:
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_sll:
    case OP_srl:
    case OP_sra:
    case OP_eq:
    case OP_ne:
    case OP_lt:
    case OP_ltu:
    case OP_le:
    case OP_leu:
    case OP_gt:
    case OP_gtu:
    case OP_min:
    case OP_minu:
    case OP_max:
    case OP_maxu:
    case OP_mul:
    case OP_copy:
    case OP_macc:
    case OP_nmsac:
    case OP_madd:
    case OP_nmsub:
    case OP_fsgnj:
    case OP_fsgnjn:
    case OP_fsgnjx:
    case OP_fadd:
    case OP_fsub:
    case OP_frsub:
    case OP_fmul:
    case OP_fmacc:
    case OP_fnmacc:
    case OP_fmsac:
    case OP_fnmsac:
    case OP_fmadd:
    case OP_fnmadd:
    case OP_fmsub:
    case OP_fnmsub:
    case OP_feq:
    case OP_fne:
    case OP_flt:
    case OP_fle:
    case OP_fgt:
    case OP_fge:
    case OP_fcvt_f_x:
    case OP_fcvt_f_xu: return true;
    default: return false;
    }
}

/* Whether an instruction does nothing but compute rows, each lane from its own sources. */
static bool is_simple(const Region *r, const Uop *u, const IsaFacts *f)
{
    if (u->id >= NINSN || u->mod || f->masked || f->access != ACCESS_NONE)
        return false;
    for (u32 i = 0; i < f->nregs; i++)
        if (f->reg[i].is_written && !f->reg[i].is_vector)
            return false;
    switch ((Effect)isa_insn[u->id].effect) {
    case E_ALU:
    case E_MAC: return is_quick((Op)isa_insn[u->id].op);
    case E_FALU:
    case E_FMAC: return !r->flags && is_quick((Op)isa_insn[u->id].op);
    case E_VID: return true;
    default: return false;
    }
}

/* The side that begins at pc, if it is a block that leads to the join; else NULL. */
static const RegionBlock *side_at(const Region *r, u32 pc, u32 meet)
{
    const int i = region_find(r, pc, false);
    const RegionBlock *b = i < 0 || pc == meet ? NULL : &r->block[i];
    if (!b || (b->end == END_NEXT && b->next_pc == meet))
        return b;
    return b->end == END_JUMP && b->target_pc == meet && !b->uop[b->nuop - 1]->rd ? b : NULL;
}

/* The number of instructions of a side that begins at pc; more than MOST: it is none that may be
 * computed together with another. */
static u32 side_size(const Region *r, u32 pc, u32 meet)
{
    const RegionBlock *b = side_at(r, pc, meet);
    if (pc == meet)
        return 0;
    if (!b || b->nuop > MOST)
        return MOST + 1;
    for (u32 k = 0; k + (b->end == END_JUMP) < b->nuop; k++)
        if (!is_simple(r, b->uop[k], b->facts[k]))
            return MOST + 1;
    return b->insns;
}

/* Whether one side is nothing, and the other may be run alone. */
static bool has_one_side(const Region *r, const RegionBlock *b)
{
    const bool skips = b->target_pc == b->meet_pc, falls = b->next_pc == b->meet_pc;
    const RegionBlock *side =
        skips != falls ? side_at(r, skips ? b->next_pc : b->target_pc, b->meet_pc) : NULL;
    return side && side->nuop <= MOST_ALONE;
}

static bool add_successor(RegionBlock *b, u32 to)
{
    for (u32 i = 0; i < b->nsucc; i++)
        if (b->succ[i] == to)
            return true;
    u32 *more = mem_realloc(b->succ, b->nsucc + 1, sizeof *more);
    if (!more)
        return false;
    b->succ = more;
    b->succ[b->nsucc++] = to;
    return true;
}

static bool look_at(Region *r, RegionBlock *b)
{
    const int to = region_find(r, b->meet_pc, b->full), join = region_find(r, b->meet_pc, false);
    const u32 taken = side_size(r, b->target_pc, b->meet_pc),
              next = side_size(r, b->next_pc, b->meet_pc);
    b->together = to >= 0 && taken <= MOST && next <= MOST && taken + next <= MOST;
    if (b->together) {
        b->side_insns[0] = next;
        b->side_insns[1] = taken;
        return add_successor(b, (u32)to);
    }
    b->alone = to >= 0 && has_one_side(r, b);
    if (b->alone)
        return add_successor(b, (u32)to);
    if (join >= 0)
        r->block[join].pops = true;
    return true;
}

bool sides_find(Region *r)
{
    bool ok = true;
    for (u32 i = 0; i < r->nblock && ok; i++)
        if (r->block[i].end == END_SPLIT)
            ok = look_at(r, &r->block[i]);
    for (u32 i = 0; i < r->nblock && r->warp.deep; i++)
        r->block[i].pops |= r->block[i].end == END_JOIN;
    return ok;
}

const RegionBlock *sides_alone(const Region *r, const RegionBlock *b)
{
    return &r->block[region_find(r, b->next_pc == b->meet_pc ? b->target_pc : b->next_pc, false)];
}

bool sides_leave_edge(const Region *r, const RegionBlock *b, u32 to)
{
    const u32 pc = r->block[to].pc;
    if (b->together)
        return pc == b->meet_pc && r->block[to].full == b->full;
    if (b->alone)
        return r->block[to].full == b->full && (b->full || pc == b->meet_pc);
    return b->end != END_JOIN || b->pops || (pc == b->next_pc && r->block[to].full == b->full);
}
