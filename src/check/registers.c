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
    bool is_kept;       /* the result is in another register */
} Operand;

u32 registers_acting(const Warp *w, const Step *s)
{
    u32 under = 0;
    if (!s->facts->masked)
        return s->exec;
    for (u32 i = 0; i < MAX_LANES; i++)
        under |= (w->v[0][i] & 1) << i;
    return s->exec & under;
}

/* A source in a lane. */
typedef struct {
    u32 shadow, value;
    bool has_value; /* else it is not known */
} Bits;

/* From the lowest bit of the shadow on: what a sum or a difference makes of it. */
static u32 and_above(u32 shadow) { return shadow | (0u - (shadow & (0u - shadow))); }

static Bits bits_of(const Registers *r, const Warp *w, const Step *st, const Operand *s, u32 lane)
{
    const IsaRegs *x = s->reg;
    if (!x)
        return (Bits){0, (u32)st->facts->imm, true};
    Bits b = {.shadow = shadow_of(r, number_of(x, 0), lane)};
    b.has_value = s->is_kept || st->before;
    if (s->is_kept)
        b.value = x->is_vector ? w->v[x->first][lane] : w->x[x->first];
    else if (st->before)
        b.value = st->before[x->is_vector ? lane : 0];
    return b;
}

/* The shadow of a product: a factor that is known, and whose low bits are 0, leaves these alone. */
static u32 product_shadow(Bits a, Bits b)
{
    if (a.shadow && b.shadow)
        return ALL;
    if (!a.shadow && !b.shadow)
        return 0;
    const Bits known = a.shadow ? b : a;
    const u32 other = a.shadow | b.shadow;
    if (!known.has_value)
        return ALL;
    return known.value ? and_above(other << __builtin_ctz(known.value)) : 0;
}

/* The shadow of a result.  What is not known to leave bits alone spoils all of them. */
static u32 result_shadow(Op op, Bits a, Bits b)
{
    const u32 sa = a.shadow, sb = b.shadow, both = sa | sb, shift = b.value & 31;
    const u32 va = a.has_value ? a.value : ALL, vb = b.has_value ? b.value : ALL,
              na = a.has_value ? ~a.value : ALL, nb = b.has_value ? ~b.value : ALL;
    switch (op) {
    case OP_copy:
    case OP_fcopy: return sb;
    case OP_xor:
    case OP_xnor: return both;
    case OP_and:
    case OP_nand: return (sa & sb) | (sa & vb) | (sb & va);
    case OP_or:
    case OP_nor: return (sa & sb) | (sa & nb) | (sb & na);
    case OP_sll: return sb || !b.has_value ? ALL : sa << shift;
    case OP_srl: return sb || !b.has_value ? ALL : sa >> shift;
    case OP_sra: return sb || !b.has_value ? ALL : (u32)((i32)sa >> shift);
    case OP_zext8: return sa & 0xff;
    case OP_zext16: return sa & 0xffff;
    case OP_sext8: return (u32)(i8)sa;
    case OP_sext16: return (u32)(i16)sa;
    case OP_fsgnj: return both;
    case OP_add:
    case OP_sub: return !sb && b.has_value && !b.value ? sa : and_above(both);
    case OP_mul: return product_shadow(a, b);
    default: return both ? ALL : 0;
    }
}

/* The same, where the register of the result is a source too, d. */
static u32 accumulated_shadow(Op op, Bits a, Bits b, Bits d)
{
    switch (op) {
    case OP_macc:
    case OP_nmsac: return and_above(product_shadow(a, b) | d.shadow);
    case OP_madd:
    case OP_nmsub: return and_above(product_shadow(b, d) | a.shadow);
    default: return a.shadow | b.shadow | d.shadow ? ALL : 0;
    }
}

static void compute(Registers *r, const Warp *w, const Step *s, const IsaRegs *d)
{
    const IsaFacts *f = s->facts;
    const bool accumulates = isa_insn[s->id].effect == E_MAC;
    Operand a = {NULL, true}, b = {NULL, true};
    u32 shadow[MAX_LANES], spoilt[MAX_LANES];
    Origin origin = {.pc = 0};
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
        else if (x->role != ROLE_D || !accumulates)
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
        const Bits x = bits_of(r, w, s, &a, i), y = bits_of(r, w, s, &b, i);
        const Op op = (Op)isa_insn[s->id].op;
        if (spoilt[i])
            shadow[i] = ALL;
        else if (accumulates)
            shadow[i] = accumulated_shadow(op, x, y, bits_of(r, w, s, &(Operand){d, false}, i));
        else
            shadow[i] = plain ? result_shadow(op, x, y) : (x.shadow | y.shadow ? ALL : 0);
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
    Origin origin = {.pc = 0};
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
        const u32 *mask = d->first ? w->v[0] : s->before;
        shadow[i] = shadow_of(r, 0, i) & 1 ? ALL : !mask ? sa | sb : mask[i] & 1 ? sb : sa;
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
