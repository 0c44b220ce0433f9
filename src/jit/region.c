/* region.c -- finds the control flow of guest code, and which registers are live where.
 *
 * Targets of indirect jumps and reconvergence points stand in registers, so blocks are found
 * while constants are propagated: a block is looked at again whenever less is known at its start
 * than before.  Edges are never taken back, which makes the graph a little too large at
 * worst.
 */
#include "jit/region.h"
#include "base/mem.h"
#include "isa/abi.h"
#include "jit/constant.h"
#include "sim/handlers.h"
#include <string.h>

enum { MAX_UOPS = 60000, MAX_BLOCK = 512 };

/* What is known of scalar registers at some place, by all paths to it. */
typedef struct {
    u64 known; /* a bit a register */
    u32 x[64];
    u64 large; /* a bit for each that is as large as a warp at least */
    bool has_meet;
    u32 meet; /* the rpc */
} Facts;

typedef struct {
    Region *r;
    Code *code;
    Warp *warp; /* takes faults of fetches that do not happen */
    size_t cap;
    Facts *facts; /* at the start of each block */
    bool *queued;
    u32 *queue, nqueue;
    size_t capfacts, capqueued, capqueue;
    u32 nuops, most; /* with more than `most` it fails */
    bool calls;      /* routines are called like any function */
    u32 *side;       /* pairs: join, pc of a side that waits for it */
    size_t nside, capside, capreturns, caproutine;
    bool failed; /* out of memory */
} Finder;

/* --- registers of an instruction --------------------------------------------------------- */

static void add_x(RegSet *s, u32 n) { s->x |= (u64)1 << n; }
static void add_v(RegSet *s, u32 n) { s->v[n >> 6] |= (u64)1 << (n & 63); }

static bool contains(const RegSet *s, const RegSet *part)
{
    u64 missing = part->x & ~s->x;
    for (int i = 0; i < 4; i++)
        missing |= part->v[i] & ~s->v[i];
    return !missing;
}

/* part: a vector register that is not written in lanes that are off counts as read. */
static RegUse use_of(const RegionBlock *b, u32 k, bool part)
{
    RegUse use = {0};
    const Uop *u = b->uop[k];
    const IsaFacts *f = b->facts[k];
    if (f->refused) /* its registers need not exist */
        return use;
    for (u32 i = 0; i < f->nregs; i++) {
        const IsaRegs *r = &f->reg[i];
        for (u32 n = r->first; n < (u32)r->first + r->count; n++) {
            const bool partly = r->is_vector && (part || f->masked);
            if (r->is_written)
                (r->is_vector ? add_v : add_x)(&use.writes, n);
            if (r->is_read || (r->is_written && partly))
                (r->is_vector ? add_v : add_x)(&use.reads, n);
        }
    }
    if (u->id < NINSN && isa_insn[u->id].effect == E_TOSCALAR) /* no lane, no change */
        add_x(&use.reads, u->rd);
    use.reads.x &= ~(u64)1;
    use.writes.x &= ~(u64)1;
    for (u32 n = 0; b->routine && k + 1 == b->nuop && n < b->args; n++)
        add_v(&use.reads, n);
    for (u32 n = 0; b->routine && k + 1 == b->nuop && n < b->results; n++) {
        add_v(&use.writes, n);
        if (part)
            add_v(&use.reads, n);
    }
    return use;
}

RegUse block_use(const RegionBlock *b, u32 k) { return use_of(b, k, !b->full); }

RegUse lane_use(const RegionBlock *b, u32 k) { return use_of(b, k, false); }

/* Sources of other lanes, and v0 where it is a word of bits. */
RegSet crossing_rows(const RegionBlock *b, u32 k)
{
    RegSet s = {0};
    const IsaFacts *f = b->facts[k];
    const bool crosses = (f->reads | f->writes) & STATE_LANES || f->access == ACCESS_COPY;
    for (u32 i = 0; !f->refused && i < f->nregs; i++) {
        const IsaRegs *r = &f->reg[i];
        for (u32 n = 0;
             r->is_vector && r->is_read && (crosses || r->role == ROLE_MASK) && n < r->count; n++)
            add_v(&s, r->first + n);
    }
    return s;
}

/* --- facts -------------------------------------------------------------------------------- */

/* n: of any register; nothing is known of vectors */
static bool known(const Facts *f, u32 n, u32 *value)
{
    const bool is_scalar = n < 64;
    *value = n && is_scalar ? f->x[n] : 0;
    return !n || (is_scalar && f->known >> n & 1);
}

static void learn(Facts *f, u32 n, bool is_known, u32 value)
{
    if (!n)
        return;
    f->large &= ~((u64)1 << n);
    f->known = (f->known & ~((u64)1 << n)) | (u64)is_known << n;
    f->x[n] = value;
}

static void follow(Facts *f, const RegionBlock *block, u32 k)
{
    const Uop *u = block->uop[k];
    const Effect e = u->id < NINSN ? (Effect)isa_insn[u->id].effect : E_TRAP;
    const FormatId form = u->id < NINSN ? (FormatId)isa_insn[u->id].format : F_NONE;
    u32 a = 0, b = 0;
    const bool has_a = known(f, u->ra, &a), has_b = known(f, u->rb, &b);
    if (e == E_LUI || e == E_AUIPC) {
        learn(f, u->rd, true, (u32)u->imm);
    } else if (e == E_JAL || e == E_JALR) {
        learn(f, u->rd, true, next_pc(u));
    } else if (e == E_ALU && !u->mod && (form == F_I || form == F_SH)) {
        learn(f, u->rd, has_a, has_a ? op_eval((Op)isa_insn[u->id].op, a, (u32)u->imm) : 0);
    } else if (e == E_ALU && !u->mod && form == F_R) {
        learn(f, u->rd, has_a && has_b, has_a && has_b ? op_eval((Op)isa_insn[u->id].op, a, b) : 0);
    } else if (e == E_SETRPC) {
        f->has_meet = has_a;
        f->meet = a + (u32)u->imm;
        learn(f, u->rd, has_a, f->meet);
    } else {
        const u64 written = block_use(block, k).writes.x;
        f->known &= ~written;
        f->large &= ~written;
        if (e == E_CSR && u->imm == CSR_knl) /* start code sets vl by it (can_compile) */
            f->large |= written;
    }
}

/* Keeps in *to what both know; true: it knew more before. */
static bool meet(Facts *to, const Facts *from)
{
    const u64 before = to->known, large = to->large;
    to->large &= from->large;
    const bool had_meet = to->has_meet;
    to->known &= from->known;
    for (u32 n = 1; n < 64; n++)
        if (to->x[n] != from->x[n])
            to->known &= ~((u64)1 << n);
    to->has_meet &= from->has_meet && to->meet == from->meet;
    return to->known != before || to->large != large || to->has_meet != had_meet;
}

/* --- blocks ------------------------------------------------------------------------------- */

static u32 slot_of(const Region *r, u32 pc, bool full)
{
    const u32 mask = (1u << r->bits) - 1;
    u32 s = (pc + full) * 0x9e3779b1u >> (32 - r->bits);
    while (r->find[s] >= 0) {
        const RegionBlock *b = &r->block[r->find[s]];
        if (b->pc == pc && b->full == full)
            break;
        s = (s + 1) & mask;
    }
    return s;
}

int region_find(const Region *r, u32 pc, bool full) { return r->find[slot_of(r, pc, full)]; }

/* Room for one more block. */
static bool widen(Region *r)
{
    if (r->bits && r->nblock * 2 < 1u << r->bits)
        return true;
    const u32 bits = r->bits ? r->bits + 2 : 6;
    i32 *more = mem_alloc(sizeof *more << bits);
    if (!more)
        return false;
    mem_free(r->find);
    r->find = more;
    r->bits = bits;
    memset(r->find, 0xff, sizeof *more << r->bits);
    for (u32 i = 0; i < r->nblock; i++)
        r->find[slot_of(r, r->block[i].pc, r->block[i].full)] = (i32)i;
    return true;
}

static void queue(Finder *f, u32 i)
{
    if (f->queued[i])
        return;
    if (!array_grow(f->queue, f->nqueue, f->capqueue)) {
        f->failed = true;
        return;
    }
    f->queue[f->nqueue++] = i;
    f->queued[i] = true;
}

/* The decoded instruction at pc; NULL: none. */
static const Uop *fetch(Finder *f, u32 pc)
{
    const Uop *u = code_at(f->code, f->warp, pc);
    f->warp->group->faulted = false;
    return u;
}

/* Whether a block ends with this Uop, and how. */
static bool ends(RegionBlock *b, const Uop *u, const IsaFacts *f, bool alone)
{
    b->next_pc = next_pc(u);
    b->target_pc = (u32)u->imm;
    switch ((IsaControl)f->control) {
    case CONTROL_JUMP: b->end = END_JUMP; return true;
    case CONTROL_JUMP_REG: b->end = END_INDIRECT; return true;
    case CONTROL_BRANCH: b->end = END_BRANCH; return true;
    case CONTROL_SPLIT: b->end = END_SPLIT; return true;
    case CONTROL_EXIT: b->end = END_EXIT; return true;
    case CONTROL_BARRIER: b->end = alone ? END_PASS : END_BARRIER; return true;
    case CONTROL_TRAP: b->end = END_STOP; return true;
    case CONTROL_JOIN:
    case CONTROL_PREFIX:
    case CONTROL_NEXT: break;
    }
    if (f->refused || u->id >= NINSN) {
        b->end = END_STOP;
        return true;
    }
    if (f->writes & STATE_VL) {
        b->end = END_VSET;
        return true;
    }
    b->end = END_LEAVE; /* a rounding mode may change */
    return f->writes & STATE_FRM;
}

static void free_facts(RegionBlock *b)
{
    for (u32 k = 0; b->facts && k < b->nuop; k++)
        mem_free(b->facts[k]);
    mem_free((void *)b->facts);
    b->facts = NULL;
}

static bool add_uop(Finder *f, RegionBlock *b, const Uop *u)
{
    const Uop **more = mem_realloc((void *)b->uop, b->nuop + 1, sizeof *more);
    b->uop = more ? more : b->uop;
    IsaFacts **facts = more ? mem_realloc((void *)b->facts, b->nuop + 1, sizeof *facts) : NULL;
    b->facts = facts ? facts : b->facts;
    IsaFacts *what = facts ? mem_alloc(sizeof *what) : NULL;
    if (!what) {
        f->failed = true;
        return false;
    }
    code_facts_of(f->code, u, what);
    b->facts[b->nuop] = what;
    b->uop[b->nuop++] = u;
    b->insns += uop_insns(u);
    f->nuops++;
    return true;
}

/* The instructions of the block at pc, up to a join, the length that a block may have, or one that
 * ends it.  False: there is no code. */
static bool fill(Finder *f, RegionBlock *b)
{
    u32 pc = b->pc;
    for (;;) {
        const Uop *u = fetch(f, pc);
        if (!u || (u->id == I_join && !u->mod && b->nuop)) {
            b->end = END_NEXT;
            b->next_pc = pc;
            return b->nuop > 0;
        }
        if (!add_uop(f, b, u))
            return false;
        if (u->id == I_join) {
            b->end = u->mod ? END_LEAVE : END_JOIN;
            b->next_pc = next_pc(u);
            return true;
        }
        if (ends(b, u, b->facts[b->nuop - 1], f->r->warp.alone))
            return true;
        pc = next_pc(u);
        if (b->nuop == MAX_BLOCK || region_find(f->r, pc, b->full) >= 0) {
            b->end = END_NEXT;
            b->next_pc = pc;
            return true;
        }
    }
}

/* The block at pc, made if need be; -1: there is none, or no room for it. */
static int reach(Finder *f, u32 pc, bool full, const Facts *facts)
{
    Region *r = f->r;
    int i = region_find(r, pc, full);
    if (i >= 0) {
        if (meet(&f->facts[i], facts))
            queue(f, (u32)i);
        return i;
    }
    f->failed |= f->nuops > f->most;
    if (f->nuops > MAX_UOPS || f->failed)
        return -1;
    RegionBlock b = {.pc = pc, .full = full};
    if (!fill(f, &b) || !widen(r) || !array_grow(r->block, r->nblock, f->cap) ||
        !array_grow(f->facts, r->nblock, f->capfacts) ||
        !array_grow(f->queued, r->nblock, f->capqueued)) {
        free_facts(&b);
        mem_free((void *)b.uop);
        return -1;
    }
    r->find[slot_of(r, pc, full)] = i = (int)r->nblock++;
    r->block[i] = b;
    f->facts[i] = *facts;
    f->queued[i] = false;
    queue(f, (u32)i);
    return i;
}

static void add_succ(Finder *f, u32 from, int to)
{
    RegionBlock *b = &f->r->block[from];
    if (to < 0) {
        b->leaves = true;
        return;
    }
    for (u32 i = 0; i < b->nsucc; i++)
        if (b->succ[i] == (u32)to)
            return;
    u32 *more = mem_realloc(b->succ, b->nsucc + 1, sizeof *more);
    if (!more) {
        f->failed = true;
        return;
    }
    b->succ = more;
    b->succ[b->nsucc++] = (u32)to;
}

/* Makes pc the start of a block, for jumps into the middle of one. */
static void go_to(Finder *f, u32 from, u32 pc, bool full, const Facts *facts)
{
    add_succ(f, from, reach(f, pc, full, facts));
}

static void add_side(Finder *f, u32 join, u32 pc)
{
    for (size_t i = 0; i + 1 < f->nside; i += 2)
        if (f->side[i] == join && f->side[i + 1] == pc)
            return;
    if (!array_grow(f->side, f->nside + 1, f->capside)) {
        f->failed = true;
        return;
    }
    f->side[f->nside++] = join;
    f->side[f->nside++] = pc;
    for (u32 i = 0; i < f->r->nblock; i++)
        if (f->r->block[i].end == END_JOIN && f->r->block[i].pc == join)
            queue(f, i);
}

static void add_return(Finder *f, u32 pc)
{
    Region *r = f->r;
    for (u32 i = 0; i < r->nreturns; i++)
        if (r->returns[i] == pc)
            return;
    if (!array_grow(r->returns, r->nreturns, f->capreturns)) {
        f->failed = true;
        return;
    }
    r->returns[r->nreturns++] = pc;
    for (u32 i = 0; i < r->nblock; i++)
        if (r->block[i].end == END_INDIRECT)
            queue(f, i);
}

static void split(Finder *f, u32 i, const Facts *facts)
{
    const RegionBlock b = f->r->block[i];
    const Uop *meeting = facts->has_meet ? fetch(f, facts->meet) : NULL;
    if (!meeting || meeting->id != I_join || meeting->step != 1) {
        f->r->block[i].end = END_LEAVE;
        f->r->block[i].nsucc = 0;
        f->r->block[i].leaves = true;
        return;
    }
    f->r->block[i].meet_pc = facts->meet;
    go_to(f, i, b.next_pc, b.full, facts);
    go_to(f, i, b.target_pc, b.full, facts);
    if (b.full) {
        go_to(f, i, b.next_pc, false, facts);
        go_to(f, i, b.target_pc, false, facts);
    }
    if (b.next_pc == facts->meet || b.target_pc == facts->meet)
        return; /* those that pass by come first, or wait at the join */
    add_side(f, facts->meet, b.next_pc);
    add_side(f, facts->meet, b.target_pc);
}

static void join(Finder *f, u32 i, const Facts *facts)
{
    const RegionBlock b = f->r->block[i];
    go_to(f, i, b.next_pc, b.full, facts);
    f->r->block[i].leaves |= f->r->warp.deep && !b.full;
    if (b.full)
        return; /* sides are fewer lanes, so no side waits for a full warp */
    go_to(f, i, b.pc, false, facts);
    if (!region_is_partial(f->r))
        go_to(f, i, b.pc, true, facts);
    for (size_t k = 0; k + 1 < f->nside; k += 2)
        if (f->side[k] == b.pc) {
            Facts side = *facts; /* rpc is the warp's, not the lanes' */
            go_to(f, i, f->side[k + 1], false, &side);
        }
}

/* whether the vset of block b leaves all lanes on, whatever they were */
static bool sets_all(const RegionBlock *b, const Facts *before, u32 lanes)
{
    const Uop *u = b->uop[b->nuop - 1];
    const u32 type = (u32)u->imm;
    u32 avl = u->ra;
    if (u->id == I_vsetvl || (type & ~(u32)(3 << 6)) != 2 << 3)
        return false;
    if (u->id == I_vsetvli && !u->ra)
        return u->rd != 0;
    if (u->id == I_vsetvli && before->large >> u->ra & 1)
        return true;
    return (u->id == I_vsetivli || known(before, u->ra, &avl)) && avl >= lanes;
}

/* 1 + the number of the routine at pc; 0: there is none, or it is to be called. */
static u32 routine_at(Finder *f, u32 pc)
{
    Region *r = f->r;
    u32 n = 0;
    if (f->calls)
        return 0;
    while (n < r->nroutine && r->routine[n].pc != pc)
        n++;
    if (n == r->nroutine) {
        if (!array_grow(r->routine, n, f->caproutine) ||
            !routine_find(f->code, f->warp, pc, &r->routine[n])) {
            f->failed = true;
            return 0;
        }
        r->nroutine++;
    }
    return r->routine[n].id == NROUTINE ? 0 : n + 1;
}

/* Goes from block i to the function at pc that it calls, or, if that is a routine, behind the call. */
static void call(Finder *f, u32 i, u32 pc, const Facts *facts)
{
    const RegionBlock b = f->r->block[i];
    const u32 n = routine_at(f, pc);
    if (!n) {
        add_return(f, b.next_pc);
        go_to(f, i, pc, b.full, facts);
        return;
    }
    const Routine *routine = &f->r->routine[n - 1];
    Facts after = *facts;
    for (u32 x = 1; x < 64; x++)
        if (routine->writes.x >> x & 1)
            learn(&after, x, false, 0);
    after.has_meet = false;
    f->r->block[i].routine = n;
    f->r->block[i].args = (u8)routine_args(routine->id);
    f->r->block[i].results = (u8)routine_results(routine->id);
    go_to(f, i, b.next_pc, b.full, &after);
}

static void indirect(Finder *f, u32 i, const Facts *before, const Facts *facts)
{
    const RegionBlock b = f->r->block[i];
    const Uop *u = b.uop[b.nuop - 1];
    u32 base;
    if (known(before, u->ra, &base)) {
        f->r->block[i].target_pc = (base + (u32)u->imm) & ~1u;
        f->r->block[i].end = END_JUMP;
        if (u->rd)
            call(f, i, f->r->block[i].target_pc, facts);
        else
            go_to(f, i, f->r->block[i].target_pc, b.full, facts);
        return;
    }
    f->r->block[i].leaves = true;
    if (u->rd) {
        f->r->block[i].target_pc = f->r->callee;
        add_return(f, b.next_pc);
        if (f->r->callee) { /* code goes there where the register has exactly that */
            Facts there = *facts;
            if (u->ra != u->rd)
                learn(&there, u->ra, true, f->r->callee - (u32)u->imm);
            go_to(f, i, f->r->callee, b.full, &there);
        }
        return;
    }
    for (u32 k = 0; k < f->r->nreturns; k++)
        go_to(f, i, f->r->returns[k], b.full, facts);
}

/* Goes through block i with what is known at its start, and reaches what may follow. */
static void visit(Finder *f, u32 i)
{
    Facts facts = f->facts[i], before;
    f->r->block[i].routine = 0;
    RegionBlock b = f->r->block[i];
    if (b.uop[b.nuop - 1]->id < NINSN && (Effect)isa_insn[b.uop[b.nuop - 1]->id].effect == E_JALR)
        f->r->block[i].end = b.end = END_INDIRECT;
    for (u32 k = 0; k + 1 < b.nuop; k++)
        follow(&facts, &b, k);
    before = facts;
    follow(&facts, &b, b.nuop - 1);
    switch (b.end) {
    case END_NEXT:
    case END_PASS: go_to(f, i, b.next_pc, b.full, &facts); break;
    case END_JUMP:
        if (b.uop[b.nuop - 1]->rd)
            call(f, i, b.target_pc, &facts);
        else
            go_to(f, i, b.target_pc, b.full, &facts);
        break;
    case END_BRANCH:
        go_to(f, i, b.next_pc, b.full, &facts);
        go_to(f, i, b.target_pc, b.full, &facts);
        break;
    case END_SPLIT: split(f, i, &facts); break;
    case END_JOIN: join(f, i, &facts); break;
    case END_INDIRECT: indirect(f, i, &before, &facts); break;
    case END_BARRIER: {
        const int to = reach(f, b.next_pc, b.full, &facts);
        add_succ(f, i, to);
        if (to >= 0)
            f->r->block[to].is_reentry = true;
        break;
    }
    case END_VSET:
        if (sets_all(&b, &before, f->r->lanes))
            go_to(f, i, b.next_pc, b.full, &facts);
        else
            f->r->block[i].end = END_LEAVE, f->r->block[i].leaves = true;
        break;
    case END_EXIT:
    case END_STOP: break;
    case END_LEAVE: f->r->block[i].leaves = true; break;
    }
}

/* --- a block in two, where something jumps into its middle --------------------------------- */

/* Cuts block i where another one begins, so that no instruction is in two blocks of one version
 * (but for those after prefixes).  It is to be gone through again, since the other one must not know
 * more than it does there. */
static void cut(Finder *f, u32 i)
{
    RegionBlock *b = &f->r->block[i];
    for (u32 k = 1; k < b->nuop; k++) {
        if (region_find(f->r, b->uop[k]->pc, b->full) < 0)
            continue;
        b->nsucc = 0;
        b->routine = 0;
        b->next_pc = b->uop[k]->pc;
        while (b->nuop > k)
            mem_free(b->facts[--b->nuop]);
        b->end = END_NEXT;
        b->leaves = false;
        b->insns = 0;
        for (u32 n = 0; n < k; n++)
            b->insns += uop_insns(b->uop[n]);
        queue(f, i);
    }
}

/* --- order and liveness ---------------------------------------------------------------------- */

/* Reverse postorder from the entries; what an edge of the walk leads back to is a header. */
static bool sort(Region *r)
{
    enum { NEW, OPEN, DONE };
    u8 *state = mem_zalloc(r->nblock, 1);
    u32 *stack = mem_zalloc(r->nblock, sizeof *stack), *at = mem_zalloc(r->nblock, sizeof *at);
    u32 n = r->nblock;
    r->order = mem_zalloc(r->nblock, sizeof *r->order);
    const bool ok = state && stack && at && r->order;
    for (u32 root = 0; ok && root < r->nblock; root++) {
        u32 depth = 0;
        /* blocks after barriers are roots of their own: code does not run on into them */
        if (state[root] != NEW || (root && !r->block[root].is_reentry))
            continue;
        stack[depth++] = root;
        state[root] = OPEN;
        while (depth) {
            RegionBlock *b = &r->block[stack[depth - 1]];
            const bool follows = b->end != END_BARRIER;
            if (!follows || at[stack[depth - 1]] == b->nsucc) {
                state[stack[--depth]] = DONE;
                r->order[--n] = stack[depth];
                continue;
            }
            const u32 to = b->succ[at[stack[depth - 1]]++];
            if (!sides_leave_edge(r, b, to))
                continue;
            r->block[to].is_header |= state[to] == OPEN;
            if (state[to] == NEW) {
                state[to] = OPEN;
                stack[depth++] = to;
            }
        }
    }
    for (u32 i = 0; ok && i < r->nblock; i++) {
        r->block[i].is_reached = state[i] != NEW;
        if (state[i] == NEW)
            r->order[--n] = i;
    }
    mem_free(state);
    mem_free(stack);
    mem_free(at);
    return ok;
}

static void step_back(RegSet *live, const RegUse *use)
{
    live->x &= ~use->writes.x;
    for (int i = 0; i < 4; i++)
        live->v[i] &= ~use->writes.v[i];
    regset_unite(live, &use->reads);
}

/* Sets b->in, b->before_end and b->kept by what may be read behind the block.  Lanes that are off
 * in it wait for a side or a join, to which its paths lead through blocks like it: so what they
 * need is among what may be read there. */
static void set_block_live(RegionBlock *b, RegSet live)
{
    memset(&b->kept, 0, sizeof b->kept);
    for (int i = 0; !b->full && i < 4; i++)
        b->kept.v[i] = live.v[i] & b->needed.v[i];
    for (u32 i = b->nuop; i-- > 0;) {
        const RegUse use = lane_use(b, i);
        step_back(&live, &use);
        if (!b->full) {
            const RegSet crossing = crossing_rows(b, i);
            regset_unite(&b->kept, &crossing);
        }
        if (i + 1 == b->nuop) {
            b->before_end = live;
            regset_unite(&b->before_end, &b->kept);
        }
    }
    regset_unite(&live, &b->kept);
    regset_unite(&b->in, &live);
}

static void set_live(Region *r)
{
    static const RegSet all = {~(u64)1, {~(u64)0, ~(u64)0, ~(u64)0, ~(u64)0}};
    bool changed = true;
    while (changed) {
        changed = false;
        for (u32 k = r->nblock; k-- > 0;) {
            RegionBlock *b = &r->block[r->order[k]];
            const RegSet before = b->in;
            RegSet live = b->leaves ? all : (RegSet){0};
            for (u32 i = 0; i < b->nsucc; i++)
                regset_unite(&live, &r->block[b->succ[i]].in);
            set_block_live(b, live);
            if (b->leaves && (b->end == END_LEAVE || b->end == END_INDIRECT))
                b->before_end = all;
            changed |= !contains(&before, &b->in);
        }
    }
}

/* Whether nothing that a routine writes, besides its results, is read behind a call of it. */
static bool routines_end(const Region *r)
{
    for (u32 i = 0; i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        if (!b->routine)
            continue;
        const int to = region_find(r, b->next_pc, b->full);
        const RegSet *writes = &r->routine[b->routine - 1].writes;
        for (u32 k = 0; k < 4; k++) {
            const u64 results = k ? 0 : ((u64)1 << b->results) - 1;
            if (to < 0 || r->block[to].own.v[k] & writes->v[k] & ~results)
                return false;
        }
    }
    return true;
}

/* Whether it divides a row by a scalar. */
static bool divides_row(const Uop *u)
{
    const InsnInfo *row = u->id < NINSN ? &isa_insn[u->id] : NULL;
    return row && row->format == F_VX && (row->op == OP_divu || row->op == OP_remu);
}

static void summarize(Region *r)
{
    enum { ROUTINE_SIZE = 16 };
    bool passes = false, divides = false;
    for (u32 i = 0; i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        passes |= b->end == END_PASS;
        const u32 insns = b->insns + b->side_insns[0] + b->side_insns[1];
        r->size += insns + (b->routine ? ROUTINE_SIZE : 0);
        r->insns += insns + (b->routine ? r->routine[b->routine - 1].insns : 0);
        r->insns += b->end == END_SPLIT ? 2 : 0; /* joins without their block (diverge.c) */
        for (u32 k = 0; k < b->nuop; k++) {
            const RegUse use = block_use(b, k);
            regset_unite(&r->written, &use.writes);
            divides |= divides_row(b->uop[k]);
        }
        r->written.x |= b->routine ? r->routine[b->routine - 1].sets : 0;
    }
    /* without, code is the same for all */
    r->warp.alone &= passes;
    r->warp.line = divides ? r->warp.line : 0;
}

/* Sets b->dirty.  A barrier returns, and code that is entered behind it finds in the warp all that may be
 * read there.  Warps that begin have nothing of what is 0 at first.  Sides that are computed at once are among
 * the successors, too, and lead to the join in both versions. */
static void set_dirty(Region *r)
{
    bool changed = true;
    for (u32 i = 0; i < r->nblock; i++) {
        RegionBlock *b = &r->block[i];
        for (u32 k = 0; k < b->nuop; k++) {
            const RegUse use = block_use(b, k);
            regset_unite(&b->dirty, &use.writes);
        }
        b->dirty.x |= b->routine ? r->routine[b->routine - 1].sets : 0;
    }
    if (r->warp.fresh)
        r->block[0].dirty = r->written;
    while (changed) {
        changed = false;
        for (u32 k = 0; k < r->nblock; k++) {
            const RegionBlock *b = &r->block[r->order[k]];
            for (u32 i = 0; b->end != END_BARRIER && i < b->nsucc; i++) {
                RegSet *next = &r->block[b->succ[i]].dirty;
                changed |= !contains(next, &b->dirty);
                regset_unite(next, &b->dirty);
            }
        }
    }
}

/* --- the whole --------------------------------------------------------------------------- */

static bool find_blocks(Finder *f)
{
    const u32 base = f->r->warp.base;
    Facts facts = {0};
    learn(&facts, REG_scratch, base != 0, base);
    if (!widen(f->r))
        return false;
    if (reach(f, f->r->pc, f->r->warp.full, &facts) < 0)
        return false;
    do {
        while (f->nqueue && !f->failed) {
            const u32 i = f->queue[--f->nqueue];
            f->queued[i] = false;
            visit(f, i);
        }
        for (u32 i = 0; i < f->r->nblock; i++)
            cut(f, i);
    } while (f->nqueue && !f->failed);
    return !f->failed;
}

Region *region_new(Code *code, u32 pc, WarpShape warp, u32 callee, u32 lanes, VmRule vm, bool flags)
{
    return region_new_small(code, pc, warp, callee, lanes, vm, flags, UINT32_MAX);
}

/* The region of that pc, warp, callee, lanes, rule and flags. */
static Region *find_region(const Region *of, Code *code, u32 most, bool calls)
{
    static const Launch no_launch = {.groups = {1, 1, 1}}; /* a fault of a fetch looks at it */
    Region *r = mem_zalloc(1, sizeof *r);
    Group *g = mem_zalloc(1, sizeof *g);
    Warp *w = mem_zalloc(1, sizeof *w + 64);
    bool ok = r && g && w;
    if (ok) {
        Warp *aligned = (Warp *)(void *)align_up((uintptr_t)w, 64);
        Finder f = {.r = r, .code = code, .warp = aligned, .most = most, .calls = calls};
        *r = *of;
        aligned->group = g;
        g->launch = &no_launch;
        ok = find_blocks(&f) && f.nuops <= most && sides_find(r) && sort(r) && constants_find(r) &&
             waiting_find(r);
        mem_free(f.facts);
        mem_free(f.queued);
        mem_free(f.queue);
        mem_free(f.side);
    }
    mem_free(g);
    mem_free(w);
    if (ok)
        return r;
    region_free(r);
    return NULL;
}

Region *region_new_small(Code *code, u32 pc, WarpShape warp, u32 callee, u32 lanes, VmRule vm,
                         bool flags, u32 most)
{
    const Region of = {.pc = pc,
                       .warp = warp,
                       .callee = callee,
                       .lanes = lanes,
                       .set = code->set,
                       .vm = vm,
                       .flags = flags};
    Region *r = find_region(&of, code, most, flags);
    if (r && !routines_end(r)) {
        region_free(r);
        r = find_region(&of, code, most, true);
    }
    if (!r)
        return NULL;
    set_live(r);
    summarize(r);
    set_dirty(r);
    return r;
}

u64 region_digest(const Region *r)
{
    u64 h = 0xcbf29ce484222325; /* FNV-1a, a number a step */
#define MIX(v) (h = (h ^ (u64)(v)) * 0x100000001b3, h ^= h >> 29)
    for (u32 i = 0; i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        const u64 facts[] = {b->pc,      b->full,      b->is_header, b->is_reentry, b->end,
                             b->next_pc, b->target_pc, b->meet_pc,   b->nuop,       b->insns,
                             b->in.x,    b->together,  b->alone,     r->warp.deep,  b->routine};
        for (size_t k = 0; k < countof(facts); k++)
            MIX(facts[k]);
        for (u32 k = 0; k < b->nuop; k++)
            MIX((u64)b->uop[k]->pc << 32 | b->uop[k]->word);
        for (u32 k = 0; b->constant && k < b->nuop; k++)
            MIX(b->constant[k]);
        for (int k = 0; k < 4; k++)
            MIX(b->in.v[k]);
        MIX(r->order[i]);
    }
#undef MIX
    return h ? h : 1;
}

void region_shrink(Region *r)
{
    for (u32 i = 0; i < r->nblock; i++) {
        free_facts(&r->block[i]);
        mem_free(r->block[i].start);
        r->block[i].start = NULL;
    }
}

void region_free(Region *r)
{
    for (u32 i = 0; r && i < r->nblock; i++) {
        free_facts(&r->block[i]);
        mem_free((void *)r->block[i].uop);
        mem_free(r->block[i].constant);
        mem_free(r->block[i].start);
        mem_free(r->block[i].succ);
    }
    for (u32 i = 0; r && i < r->nroutine; i++)
        mem_free((void *)r->routine[i].uop);
    if (r) {
        mem_free(r->routine);
        mem_free(r->block);
        mem_free(r->order);
        mem_free(r->returns);
        mem_free(r->find);
        mem_free(r->value);
    }
    mem_free(r);
}
