/* sides.c -- divergent branches whose sides are so short that both are computed at once.
 *
 * A side is a block that leads from the branch to its join, or nothing.  If both compute rows of
 * lanes alone, each by itself, nobody can see which came first: so code may compute one and then
 * the other, each for its lanes, without a branch and without the divergence stack.  A join at
 * which no other branch meets has nothing to pop then.
 */
#include "base/mem.h"
#include "jit/region.h"

enum { MOST = 16 }; /* instructions of both sides */

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

/* The number of instructions of a side that begins at pc; more than MOST: it is none. */
static u32 side_size(const Region *r, u32 pc, u32 meet)
{
    const int i = region_find(r, pc, false);
    const RegionBlock *b = i < 0 ? NULL : &r->block[i];
    if (pc == meet)
        return 0;
    if (!b || b->nuop > MOST)
        return MOST + 1;
    const Uop *last = b->uop[b->nuop - 1];
    const bool jumps = b->end == END_JUMP && b->target_pc == meet && !last->rd;
    if (!jumps && (b->end != END_NEXT || b->next_pc != meet))
        return MOST + 1;
    for (u32 k = 0; k + jumps < b->nuop; k++)
        if (!is_simple(r, b->uop[k], b->facts[k]))
            return MOST + 1;
    return b->insns;
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

bool sides_leave_edge(const Region *r, const RegionBlock *b, u32 to)
{
    const u32 pc = r->block[to].pc;
    if (b->together)
        return pc == b->meet_pc && r->block[to].full == b->full;
    return b->end != END_JOIN || b->pops || (pc == b->next_pc && r->block[to].full == b->full);
}
