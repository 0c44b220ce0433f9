/* constant.c -- finds launch constants, and reads them.
 *
 * A value of a scalar register that only depends on constants, on CSRs that all warps of a launch
 * read alike, and on memory that nobody has written yet, is an expression (LaunchValue).  Equal
 * expressions are one, so that a number tells whether two paths to a block agree on what a register
 * has.  Blocks are gone through until nothing changes: at the start of each there is a number for
 * every register, or UNKNOWN, and whether a store may have come before.
 */
#include "jit/constant.h"
#include "base/mem.h"
#include "isa/abi.h"
#include "sim/handlers.h"
#include <string.h>

enum { UNKNOWN = 0, ZERO = 1 }; /* the numbers of no value, and of 0 */
/* Loads through which an address is found that is tried on some paths only: the metadata block, the arguments; what they
 * point to may be nothing.  And of a region whose warps meet: that may be what they work on, and a guard that takes it in
 * makes stores slow. */
enum { DEEP = 2 };

/* What is known at some place. */
typedef struct {
    u16 x[64];    /* numbers of values */
    bool stored;  /* memory may have been written */
    bool is_sure; /* every warp comes here */
    bool seen;
} State;

/* --- which regions repeat --------------------------------------------------------------------- */

/* Whether the instruction changes nothing of a warp that host code does not set when the next one
 * begins. */
static bool can_repeat(const Uop *u, const IsaFacts *f)
{
    const u16 kept = STATE_VXSAT | STATE_RESERVED | STATE_COPIES;
    if (f->writes & kept || u->id >= NINSN)
        return false;
    if ((Effect)isa_insn[u->id].effect != E_CSR)
        return true;
    const bool only_reads = (Op)isa_insn[u->id].op != OP_copy && !u->ra;
    return only_reads || (!u->rd && (u->imm == CSR_mstatus || u->imm == CSR_mtvec));
}

static bool repeats(const Region *r)
{
    for (u32 i = 0; i < r->nblock; i++)
        for (u32 k = 0; k < r->block[i].nuop; k++)
            if (!can_repeat(r->block[i].uop[k], r->block[i].facts[k]))
                return false;
    return true;
}

static bool meets(const Region *r)
{
    bool any = false;
    for (u32 i = 0; i < r->nblock; i++)
        any |= r->block[i].end == END_BARRIER;
    return any;
}

/* --- expressions --------------------------------------------------------------------------- */

/* The number of that value; UNKNOWN: there are too many. */
static u16 number_of(Region *r, LaunchValue v)
{
    for (u32 i = 1; i < r->nvalue; i++) {
        const LaunchValue *w = &r->value[i];
        if (w->kind == v.kind && w->op == v.op && w->a == v.a && w->b == v.b && w->word == v.word)
            return (u16)i;
    }
    if (r->nvalue == MAX_CONSTANTS)
        return UNKNOWN;
    r->value[r->nvalue] = v;
    return (u16)r->nvalue++;
}

static u16 number_of_word(Region *r, u32 word)
{
    return number_of(r, (LaunchValue){.kind = VALUE_WORD, .word = word});
}

static bool is_in_local(u32 addr) { return addr - LDS_LO < LDS_END - LDS_LO; }

static bool is_local(const LaunchValue *v)
{
    return v->kind == VALUE_WORD ? is_in_local(v->word) : v->is_local;
}

static u16 number_of_op(Region *r, Op op, u16 a, u16 b)
{
    const LaunchValue *va = &r->value[a], *vb = &r->value[b];
    if (!a || !b || va->kind == VALUE_PAST || vb->kind == VALUE_PAST)
        return UNKNOWN;
    if (va->kind == VALUE_WORD && vb->kind == VALUE_WORD)
        return number_of_word(r, op_eval(op, va->word, vb->word));
    if (op == OP_add && (a == ZERO || b == ZERO))
        return a == ZERO ? b : a;
    return number_of(r, (LaunchValue){.kind = VALUE_OP,
                                      .op = (u16)op,
                                      .a = a,
                                      .b = b,
                                      .loads = va->loads > vb->loads ? va->loads : vb->loads,
                                      .is_local = is_local(va) || is_local(vb)});
}

static u16 number_of_load(Region *r, const State *s, const Uop *u)
{
    const u16 base = s->x[u->ra];
    const LaunchValue *at = &r->value[base];
    if (!base || at->kind == VALUE_PAST || s->stored || u->mem)
        return UNKNOWN;
    if ((!s->is_sure || r->meets) && at->loads >= DEEP)
        return UNKNOWN;
    if (at->kind == VALUE_WORD ? is_in_local(at->word + (u32)u->imm) : at->is_local)
        return UNKNOWN;
    const Op op = (Op)isa_insn[u->id].op;
    return number_of(r, (LaunchValue){.kind = VALUE_LOAD,
                                      .op = (u16)op,
                                      .a = base,
                                      .word = (u32)u->imm,
                                      .loads = (u8)(at->loads + 1)});
}

static u16 number_of_csr(Region *r, const Uop *u)
{
    switch (u->imm) {
    case CSR_knl:
    case CSR_numw:
    case CSR_numt:
    case CSR_lds:
        return number_of(
            r,
            (LaunchValue){.kind = VALUE_CSR, .word = (u32)u->imm, .is_local = u->imm == CSR_lds});
    default: return UNKNOWN;
    }
}

/* --- the walk ------------------------------------------------------------------------------ */

static void follow(Region *r, State *s, const RegionBlock *b, u32 k)
{
    const Uop *u = b->uop[k];
    const InsnInfo *row = &isa_insn[u->id];
    const FormatId form = (FormatId)row->format;
    u16 v = UNKNOWN;
    switch ((Effect)row->effect) {
    case E_LUI:
    case E_AUIPC: v = number_of_word(r, (u32)u->imm); break;
    case E_JAL:
    case E_JALR: v = number_of_word(r, next_pc(u)); break;
    case E_SETRPC: v = number_of_op(r, OP_add, s->x[u->ra], number_of_word(r, (u32)u->imm)); break;
    case E_VSET: v = b->end == END_VSET ? number_of_word(r, r->lanes) : UNKNOWN; break;
    case E_LOAD: v = number_of_load(r, s, u); break;
    case E_CSR: v = number_of_csr(r, u); break;
    case E_ALU:
        if (u->mod)
            break;
        if (form == F_I || form == F_SH)
            v = number_of_op(r, (Op)row->op, s->x[u->ra], number_of_word(r, (u32)u->imm));
        else if (form == F_R)
            v = number_of_op(r, (Op)row->op, s->x[u->ra], s->x[u->rb]);
        break;
    default: break;
    }
    const IsaAccess access = (IsaAccess)b->facts[k]->access;
    s->stored |= access != ACCESS_NONE && access != ACCESS_LOAD;
    for (u64 written = block_use(b, k).writes.x; written; written &= written - 1)
        s->x[__builtin_ctzll(written)] = v;
}

/* The number of what was loaded before a barrier; UNKNOWN: nobody asks for that. */
static u16 number_of_past(Region *r, u16 v)
{
    if (r->value[v].kind == VALUE_PAST)
        return v;
    if (!is_local_size(r, v))
        return UNKNOWN;
    return number_of(r, (LaunchValue){.kind = VALUE_PAST, .a = v, .loads = 1});
}

/* Where warps have met at a barrier, constants are read again if one may have changed: then registers have what was
 * loaded before, and no store has come since. */
static void pass_barrier(Region *r, State *s)
{
    for (u32 n = 0; n < 64; n++)
        if (r->value[s->x[n]].loads)
            s->x[n] = number_of_past(r, s->x[n]);
    s->stored = false;
}

/* Keeps in *to what both know; true: it knew more before. */
static bool meet(Region *r, State *to, const State *from, bool is_sure)
{
    bool changed = !to->seen || (from->stored && !to->stored) || (to->is_sure && !is_sure);
    if (!to->seen) {
        *to = *from;
        to->seen = true;
        to->is_sure = is_sure;
        return true;
    }
    for (u32 n = 0; n < 64; n++)
        if (to->x[n] != from->x[n] && to->x[n]) {
            const u16 past = number_of_past(r, to->x[n]), old = to->x[n];
            to->x[n] = past == number_of_past(r, from->x[n]) ? past : UNKNOWN;
            changed |= to->x[n] != old;
        }
    to->stored |= from->stored;
    to->is_sure &= is_sure;
    return changed;
}

/* at: of each block at its start; ways: from how many others it is reached. */
static void walk(Region *r, State *at, const u32 *ways)
{
    bool changed = true;
    for (u32 n = 0; n < 64; n++)
        at[0].x[n] = ZERO;
    at[0].seen = at[0].is_sure = true;
    while (changed) {
        changed = false;
        for (u32 i = 0; i < r->nblock; i++) {
            const RegionBlock *b = &r->block[r->order[i]];
            State s = at[r->order[i]];
            for (u32 k = 0; s.seen && k < b->nuop; k++)
                follow(r, &s, b, k);
            if (s.seen && b->end == END_BARRIER)
                pass_barrier(r, &s);
            for (u32 k = 0; s.seen && k < b->nsucc; k++) {
                const u32 to = b->succ[k];
                changed |= meet(r, &at[to], &s, s.is_sure && b->nsucc == 1 && ways[to] == 1);
            }
        }
    }
}

/* Notes which loads have which value, what is needed for them, and what registers have where blocks begin. */
static bool note_loads(Region *r, const State *at)
{
    for (u32 i = 0; i < r->nblock; i++) {
        RegionBlock *b = &r->block[i];
        State s = at[i];
        if (!s.seen)
            continue;
        b->constant = mem_zalloc(b->nuop, sizeof *b->constant);
        b->start = mem_alloc(sizeof s.x);
        if (!b->constant || !b->start)
            return false;
        memcpy(b->start, s.x, sizeof s.x);
        for (u32 k = 0; k < b->nuop; k++) {
            if ((Effect)isa_insn[b->uop[k]->id].effect == E_LOAD)
                b->constant[k] = number_of_load(r, &s, b->uop[k]);
            r->value[b->constant[k]].is_needed = true;
            follow(r, &s, b, k);
        }
    }
    for (u32 n = r->nvalue; n-- > 1;)
        if (r->value[n].is_needed)
            r->value[r->value[n].a].is_needed = r->value[r->value[n].b].is_needed = true;
    return true;
}

bool constants_find(Region *r)
{
    if (!r->warp.fresh)
        return true;
    State *at = mem_zalloc(r->nblock, sizeof *at);
    u32 *ways = mem_zalloc(r->nblock, sizeof *ways);
    r->value = mem_zalloc(MAX_CONSTANTS, sizeof *r->value);
    r->repeats = r->value && repeats(r);
    r->meets = r->repeats && meets(r);
    bool ok = at && ways && r->value;
    if (ok) {
        r->nvalue = 1;
        number_of_word(r, 0);
        for (u32 i = 0; i < r->nblock; i++)
            for (u32 k = 0; k < r->block[i].nsucc; k++)
                ways[r->block[i].succ[k]]++;
        walk(r, at, ways);
        ok = note_loads(r, at);
    }
    mem_free(ways);
    mem_free(at);
    return ok;
}

bool is_local_size(const Region *r, u32 value)
{
    const LaunchValue *v = &r->value[value];
    if (v->kind == VALUE_PAST)
        v = &r->value[v->a];
    const LaunchValue *from = &r->value[v->a];
    return v->kind == VALUE_LOAD && v->op == OP_w && v->word == 4 * KNL_LOCAL &&
           from->kind == VALUE_CSR && from->word == CSR_knl;
}

/* --- reading ------------------------------------------------------------------------------ */

static u32 loaded(Op op, u32 word)
{
    switch (op) {
    case OP_b: return (u32)(i32)(i8)word;
    case OP_h: return (u32)(i32)(i16)word;
    case OP_bu: return (u8)word;
    case OP_hu: return (u16)word;
    default: return word;
    }
}

enum { WIDE = 1 << 16 }; /* bytes of a part of a guard that takes in much else */

void guard_add(Guard *g, u32 addr, u32 size)
{
    PlainRange *best = NULL, grown = {0};
    u64 least = 0;
    for (u32 i = 0; i < GUARD_PARTS; i++) {
        PlainRange *p = &g->part[i];
        const u64 before = (u64)p->lo + p->room, behind = (u64)addr + size;
        const u32 lo = p->room && p->lo < addr ? p->lo : addr;
        const u64 room = (p->room && before > behind ? before : behind) - lo;
        /* a part of their own is worse than one that is near, and better than one that gets wide */
        const u64 cost = !p->room ? WIDE : room > WIDE ? room : room - p->room;
        if (best && cost >= least)
            continue;
        best = p;
        least = cost;
        grown = (PlainRange){.lo = lo, .room = (u32)(room < UINT32_MAX ? room : UINT32_MAX)};
    }
    *best = grown;
}

bool guard_is_wide(const Guard *g)
{
    for (u32 i = 0; i < GUARD_PARTS; i++)
        if (g->part[i].room > WIDE)
            return true;
    return false;
}

/* A word of plain device memory; the guard grows if it may be written. */
static bool read_word(const Launch *l, Op op, u32 addr, u32 *value, Guard *guard)
{
    const Memory *m = l->memory;
    const u32 width = op == OP_b || op == OP_bu ? 1 : op == OP_h || op == OP_hu ? 2 : 4;
    const u8 flags = memory_rights(m, addr >> PAGE_BITS);
    if (addr - LDS_LO < LDS_END - LDS_LO || !(flags & MEM_R) ||
        (addr & (PAGE_SIZE - 1)) + width > PAGE_SIZE)
        return false;
    u32 word = 0;
    memcpy(&word, m->base + addr, width);
    *value = loaded(op, word);
    if (flags & (MEM_W | MEM_TRACKED | MEM_CODE))
        guard_add(guard, addr, width);
    return true;
}

bool constants_read(const Region *r, const Warp *w, u32 value[MAX_CONSTANTS], Guard *guard)
{
    *guard = (Guard){.part = {{0}}};
    for (u32 i = 1; i < r->nvalue; i++) {
        const LaunchValue *v = &r->value[i];
        bool ok = true;
        switch (v->is_needed ? v->kind : VALUE_NONE) {
        case VALUE_NONE:
        case VALUE_PAST: break;
        case VALUE_WORD: value[i] = v->word; break;
        case VALUE_CSR: ok = csr_read(w, v->word, &value[i]); break;
        case VALUE_OP: value[i] = op_eval((Op)v->op, value[v->a], value[v->b]); break;
        case VALUE_LOAD:
            ok = read_word(w->group->launch, (Op)v->op, value[v->a] + v->word, &value[i], guard);
            break;
        }
        if (!ok)
            return false;
    }
    return true;
}
