/* warprig.h -- a warp that runs allocated code of the compiler: one set of scalar registers, masked
 * vector registers, a divergence stack whose sides start in random order.  What a lane sees
 * is a hash of the operands of `use` and of its stores. */
#ifndef CHECK_WARPRIG_H
#define CHECK_WARPRIG_H
#include "base/mem.h"
#include "cc/cc.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { LANES = 4, MAX_STEPS = 200000, SOME_CSR = 77 };

static inline u32 random_below(u32 *state, u32 n)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % n;
}

static inline u32 compute_row(const Ins *i, u32 lane, const u32 a[3])
{
    const InsnInfo *row = &isa_insn[ins_row(i)];
    u32 b[3];
    for (int k = 0; k < 3; k++) {
        const OperandId o = ins_arg_operand(i, k);
        b[k] = o != O_none && isa_operand[o].kind == K_IMM12 ? (u32)sign_extend(a[k], 12) : a[k];
    }
    switch ((Effect)row->effect) {
    case E_ALU: return op_eval((Op)row->op, b[0], ins_nargs(i) > 1 ? b[1] : b[0]);
    case E_MAC: return op_eval3((Op)row->op, b[1], b[0], b[2]);
    case E_LUI: return b[0] << 12;
    case E_VID: return lane;
    case E_CSR: return SOME_CSR + b[0];
    case E_LOAD: return b[0] ^ b[1];
    default: fail_msg("row %s", row->text);
    }
    return 0;
}

/* the result of an instruction in one lane */
static inline u32 compute(const Ins *i, u32 lane, const u32 a[3])
{
    if (ins_is_machine(i))
        return compute_row(i, lane, a);
    switch (i->op) {
    case IR_li:
    case IR_copy:
    case IR_move: return a[0];
    case IR_select:
    case IR_cmov: return a[0] ? a[1] : a[2];
    case IR_lane: return lane;
    case IR_csr: return SOME_CSR + (u32)i->imm;
    default: break;
    }
    if (ir_info[i->op].eval == OP_none)
        fail_msg("operation %s", ir_info[i->op].name);
    return op_eval(ir_info[i->op].eval, a[0], a[1]);
}

static inline bool compare(const Term *t, u32 x, u32 y)
{
    const bool r = t->cmp < CMP_lt ? x == y : t->cmp < CMP_ltu ? (i32)x < (i32)y : x < y;
    return r != (t->cmp & 1);
}

/* A store is witnessed as its value and address. */
static inline void witness(u32 *seen, const Ins *i, const u32 a[3])
{
    const bool store = ins_is_store(i);
    const u32 address = !store ? 0 : ins_is_machine(i) ? a[1] + a[2] : a[1] + (u32)i->imm;
    *seen = *seen * 31 + a[0];
    if (store)
        *seen = *seen * 31 + address;
    for (int k = 1; k < 3 && !store; k++)
        if (i->a[k].kind != R_NONE)
            *seen = *seen * 31 + a[k];
}

static inline bool is_witnessed(const Ins *i) { return i->op == IR_use || ins_is_store(i); }

static inline u32 value_of(const u32 *value, Ref r) { return r.kind == R_VAL ? value[r.val] : r.val; }

static inline void enter(const Func *f, u32 *value, u32 from, u32 to)
{
    const Block *b = &f->block[to];
    u32 new[64];
    size_t j = 0;
    while (b->nphi && b->pred[j] != from)
        j++;
    for (size_t p = 0; p < b->nphi; p++)
        new[p] = value_of(value, b->phi[p].arg[j]);
    for (size_t p = 0; p < b->nphi; p++)
        value[b->phi[p].dst] = new[p];
}

/* What one lane sees in the program in SSA; false: it runs for too long. */
static inline bool run_lane(const Func *f, u32 lane, int steps, u32 *seen)
{
    u32 *value = mem_zalloc(f->nvalue, sizeof *value), b = 0;
    assert_non_null(value);
    for (*seen = 0; steps > 0; steps--) {
        const Block *k = &f->block[b];
        const Term *t = &k->term;
        for (size_t i = 0; i < k->nins; i++) {
            u32 a[3];
            for (int j = 0; j < 3; j++)
                a[j] = value_of(value, k->ins[i].a[j]);
            if (is_witnessed(&k->ins[i]))
                witness(seen, &k->ins[i], a);
            else
                value[k->ins[i].dst] = compute(&k->ins[i], lane, a);
        }
        if (t->kind == T_RET)
            break;
        const bool then = t->kind == T_JUMP ||
                          compare(t, value_of(value, t->a[0]), value_of(value, t->a[1]));
        enter(f, value, b, t->succ[then ? 0 : 1]);
        b = t->succ[then ? 0 : 1];
    }
    mem_free(value);
    return steps > 0;
}

typedef struct {
    u32 join, mask, block;
    bool waits;
} Entry;

typedef struct {
    const Func *f;
    u32 x[NXREG], v[NVREG][LANES], sx[4096], sv[4096][LANES];
    u32 seen[LANES], mask, block, random;
    Entry stack[256];
    u32 depth;
    bool done;
    bool lost; /* a damaged program went astray */
} Warp;

static inline u32 warp_read(const Warp *w, Ref r, u32 lane)
{
    if (r.kind != R_REG)
        return r.val;
    return r.val < V0 ? w->x[r.val] : w->v[r.val - V0][lane];
}

static inline void warp_write(Warp *w, u32 reg, u32 lane, u32 value)
{
    if (reg < V0)
        w->x[reg] = value;
    else
        w->v[reg - V0][lane] = value;
}

static inline void warp_lane(Warp *w, const Ins *i, u32 lane)
{
    u32 a[3];
    for (int j = 0; j < 3; j++)
        a[j] = warp_read(w, i->a[j], lane);
    if (is_witnessed(i)) {
        witness(&w->seen[lane], i, a);
        return;
    }
    switch (i->op) {
    case IR_spillx: w->sx[i->imm] = a[0]; break;
    case IR_spillv: w->sv[i->imm][lane] = a[0]; break;
    case IR_reloadx: warp_write(w, i->reg - 1, lane, w->sx[i->imm]); break;
    case IR_reloadv: warp_write(w, i->reg - 1, lane, w->sv[i->imm][lane]); break;
    case IR_park:
    case IR_fetch: warp_write(w, i->reg - 1, lane, a[0]); break;
    default: warp_write(w, i->reg - 1, lane, compute(i, lane, a));
    }
}

/* A scalar instruction happens once; one that takes a scalar from a vector asks a lane by
 * chance. */
static inline void warp_instruction(Warp *w, const Ins *i)
{
    const bool scalar = (i->reg && i->reg - 1 < V0) || i->op == IR_spillx;
    if (i->op == IR_fetch) {
        u32 lane;
        do
            lane = random_below(&w->random, LANES);
        while (!(w->mask >> lane & 1));
        warp_lane(w, i, lane);
        return;
    }
    for (u32 lane = 0; lane < LANES; lane++)
        if (w->mask >> lane & 1) {
            warp_lane(w, i, lane);
            if (scalar)
                return;
        }
}

static inline void warp_branch(Warp *w, const Term *t)
{
    u32 taken = 0;
    for (u32 lane = 0; lane < LANES; lane++)
        if (w->mask >> lane & 1)
            taken |= (u32)compare(t, warp_read(w, t->a[0], lane), warp_read(w, t->a[1], lane))
                     << lane;
    if (taken == 0 || taken == w->mask) {
        w->block = t->succ[taken == 0];
        return;
    }
    if (!t->divergent || w->depth + 2 > countof(w->stack)) {
        w->lost = true;
        return;
    }
    const u32 first = random_below(&w->random, 2), side[2] = {taken, w->mask & ~taken};
    w->stack[w->depth++] = (Entry){t->rpc, w->mask, 0, false};
    w->stack[w->depth++] = (Entry){t->rpc, side[!first], t->succ[!first], true};
    w->mask = side[first];
    w->block = t->succ[first];
}

/* The join at the top of the block, until it does nothing; false: the warp is elsewhere. */
static inline bool warp_join(Warp *w)
{
    while (w->f->block[w->block].join && w->depth && w->stack[w->depth - 1].join == w->block) {
        const Entry e = w->stack[--w->depth];
        w->mask = e.mask;
        if (e.waits) {
            w->block = e.block;
            return false;
        }
    }
    return true;
}

static inline void warp_block(Warp *w)
{
    const Block *k = &w->f->block[w->block];
    for (size_t i = 0; i < k->nins; i++)
        warp_instruction(w, &k->ins[i]);
    if (k->term.kind == T_JUMP)
        w->block = k->term.succ[0];
    else if (k->term.kind == T_BRANCH)
        warp_branch(w, &k->term);
    else
        w->done = true;
}

/* seen: of each lane; false: the program went astray, as a damaged one may */
static inline bool run_warp(const Func *f, u32 random, u32 seen[LANES])
{
    Warp *w = mem_zalloc(1, sizeof *w);
    assert_non_null(w);
    w->f = f;
    w->mask = (1u << LANES) - 1;
    w->random = random;
    for (int steps = 0; steps < MAX_STEPS && !w->lost && !w->done; steps++)
        if (warp_join(w))
            warp_block(w);
    memcpy(seen, w->seen, sizeof w->seen);
    const bool ok = w->done && !w->lost && !w->depth;
    mem_free(w);
    return ok;
}
#endif
