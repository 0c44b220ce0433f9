/* registers.c -- shadows of registers move with values, and operations compute with them. */
#include "check/registers.h"
#include <string.h>

#define ALL UINT32_MAX

void registers_reset(Registers *r)
{
    memset(r->state, FRESH, sizeof r->state);
    r->state[WATCH_X] = WRITTEN;
    for (u32 i = 0; i < REGISTERS; i++)
        r->origin[i].pc = 0;
}

void registers_write(Registers *r, u32 n, u32 lanes, u32 every, const u32 *shadow)
{
    if (n == WATCH_X)
        return;
    if (n > WATCH_X) {
        r->shadow[n][0] = shadow ? shadow[0] : 0;
        r->state[n] = r->shadow[n][0] ? SHADOWED : WRITTEN;
        return;
    }
    if (!shadow && (!r->state[n] || !(every & ~lanes))) {
        r->state[n] = WRITTEN;
        return;
    }
    if (r->state[n] != SHADOWED)
        memset(r->shadow[n], r->state[n] ? 0xff : 0, sizeof r->shadow[n]);
    u32 any = 0;
    for (u32 i = 0; i < MAX_LANES; i++) {
        if (lanes >> i & 1)
            r->shadow[n][i] = shadow ? shadow[i] : 0;
        any |= every >> i & 1 ? r->shadow[n][i] : 0;
    }
    r->state[n] = any ? SHADOWED : WRITTEN;
}

/* --- computations --------------------------------------------------------------------- */

/* A source of an operation. */
typedef struct {
    const IsaRegs *reg; /* NULL: the immediate */
    bool has_value;     /* it can still be read: the result is in another register */
} Operand;

static u32 source_shadow(const Registers *r, const Operand *s, u32 lane)
{
    return s->reg ? shadow_of(r, number_of(s->reg, 0), lane) : 0;
}

static bool source_value(const Warp *w, const Step *st, const Operand *s, u32 lane, u32 *value)
{
    if (!s->reg)
        *value = (u32)st->facts->imm;
    else if (s->has_value)
        *value = s->reg->is_vector ? w->v[s->reg->first][lane] : w->x[s->reg->first];
    return !s->reg || s->has_value;
}

u32 registers_acting(const Warp *w, const Step *s)
{
    u32 under = 0;
    if (!s->facts->masked)
        return s->exec;
    for (u32 i = 0; i < MAX_LANES; i++)
        under |= (w->v[0][i] & 1) << i;
    return s->exec & under;
}

/* The shadow of a result.  What is not known to leave bits alone spoils all of them. */
static u32 result_shadow(Op op, u32 sa, u32 sb, bool has_a, u32 a, bool has_b, u32 b)
{
    const u32 both = sa | sb;
    switch (op) {
    case OP_copy:
    case OP_fcopy: return sb;
    case OP_xor:
    case OP_xnor: return both;
    case OP_and:
    case OP_nand: return (sa & sb) | (sa & (has_b ? b : ALL)) | (sb & (has_a ? a : ALL));
    case OP_or:
    case OP_nor: return (sa & sb) | (sa & (has_b ? ~b : ALL)) | (sb & (has_a ? ~a : ALL));
    case OP_sll: return sb || !has_b ? ALL : sa << (b & 31);
    case OP_srl: return sb || !has_b ? ALL : sa >> (b & 31);
    case OP_sra: return sb || !has_b ? ALL : (u32)((i32)sa >> (b & 31));
    case OP_zext8: return sa & 0xff;
    case OP_zext16: return sa & 0xffff;
    case OP_fsgnj: return both;
    case OP_add:
    case OP_sub:
        if (!sb && has_b && !b)
            return sa;
        return both | (0u - (both & (0u - both))); /* from the lowest on */
    default: return both ? ALL : 0;
    }
}

static void compute(Registers *r, const Warp *w, const Step *s, const IsaRegs *d)
{
    const IsaFacts *f = s->facts;
    Operand a = {NULL, true}, b = {NULL, true};
    u32 shadow[MAX_LANES], spoilt[MAX_LANES];
    Origin origin = {0, 0};
    memset(spoilt, 0, sizeof spoilt);
    /* 1. the sources; what is neither a nor b spoils the result */
    for (int i = 0; i < f->nregs; i++) {
        const IsaRegs *x = &f->reg[i];
        const bool one = x->count == 1 && d->count == 1;
        for (u32 k = 0; x->is_read && k < x->count; k++)
            if (r->state[number_of(x, k)])
                origin = r->origin[number_of(x, k)];
        const bool kept = x->is_vector != d->is_vector || x->first != d->first;
        if (x->role == ROLE_A && one && d->is_vector >= x->is_vector)
            a = (Operand){x, kept};
        else if (x->role == ROLE_B && one && d->is_vector >= x->is_vector)
            b = (Operand){x, kept};
        else
            for (u32 k = 0; x->is_read && k < x->count; k++)
                for (u32 lane = 0; lane < MAX_LANES; lane++)
                    spoilt[lane] |= shadow_of(r, number_of(x, k), lane);
    }
    const u32 lanes = registers_acting(w, s);
    if (!d->is_vector) { /* of lanes: all count, or the last one that acts */
        u32 any = 0;
        for (u32 left = lanes; left; left &= left - 1)
            any |= spoilt[__builtin_ctz(left)];
        spoilt[0] =
            isa_insn[s->id].effect == E_TOSCALAR && lanes ? spoilt[31 - __builtin_clz(lanes)] : any;
    }
    /* 2. by lane */
    const bool plain = !f->abs && !f->neg && !f->pair;
    for (u32 i = 0; i < MAX_LANES; i++) {
        u32 va = 0, vb = 0;
        const bool has_a = source_value(w, s, &a, i, &va), has_b = source_value(w, s, &b, i, &vb);
        const u32 sa = source_shadow(r, &a, i), sb = source_shadow(r, &b, i);
        shadow[i] = spoilt[i] ? ALL
                    : plain   ? result_shadow((Op)isa_insn[s->id].op, sa, sb, has_a, va, has_b, vb)
                              : (sa | sb ? ALL : 0);
    }
    for (u32 k = 0; k < d->count; k++) {
        registers_write(r, number_of(d, k), lanes, w->initial, shadow);
        r->origin[number_of(d, k)] = origin;
    }
}

/* vs1, rs1 or the immediate where v0 has bit 0, else vs2 */
static void merge(Registers *r, const Warp *w, const Step *s, const IsaRegs *d)
{
    const IsaRegs *a = NULL, *b = NULL;
    u32 shadow[MAX_LANES];
    Origin origin = {0, 0};
    for (int i = 0; i < s->facts->nregs; i++) {
        const IsaRegs *x = &s->facts->reg[i];
        a = x->role == ROLE_A ? x : a;
        b = x->role == ROLE_B ? x : b;
        if (x->is_read && r->state[number_of(x, 0)])
            origin = r->origin[number_of(x, 0)];
    }
    for (u32 i = 0; i < MAX_LANES; i++) {
        const u32 sa = a ? shadow_of(r, number_of(a, 0), i) : 0,
                  sb = b ? shadow_of(r, number_of(b, 0), i) : 0;
        const bool known = d->first != 0 && !(shadow_of(r, 0, i) & 1);
        shadow[i] = !known ? (shadow_of(r, 0, i) & 1 ? ALL : sa | sb) : w->v[0][i] & 1 ? sb : sa;
    }
    registers_write(r, number_of(d, 0), s->exec, w->initial, shadow);
    r->origin[number_of(d, 0)] = origin;
}

void registers_compute(Registers *r, const Warp *w, const Step *s, const IsaRegs *d)
{
    if (isa_insn[s->id].effect == E_MERGE)
        merge(r, w, s, d);
    else
        compute(r, w, s, d);
}
