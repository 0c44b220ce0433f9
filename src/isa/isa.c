/* isa.c -- the rows of isa.def as tables; decodes words to instances and encodes them back. */
#include "isa/isa.h"
#include <string.h>

/* bytes of a word */
enum {
#define FORMAT(name, ...)   LEN_##name = 4,
#define FORMAT64(name, ...) LEN_##name = 8,
#include "isa/isa.def"
};

const InsnInfo isa_insn[NINSN] = {
#define INSN(id, text, sets, format, bits, unit, effect, op)                                       \
    [I_##id] = {text, bits, sets, LEN_##format, F_##format, U_##unit, E_##effect, OP_##op},
#include "isa/isa.def"
};

/* how many operands a FORMAT row names; O_none stands for none */
#define FIRST(a, ...) (a)
#define COUNT(...)    (sizeof((const u8[]){__VA_ARGS__}) - (FIRST(__VA_ARGS__, 0) == O_none))

const FormatInfo isa_format[NFORMAT] = {
#define FORMAT(name, pattern, roles, mask, ...)                                                    \
    [F_##name] = {pattern, roles, mask, COUNT(__VA_ARGS__), {__VA_ARGS__}},
#include "isa/isa.def"
};

const OperandInfo isa_operand[NOPERAND] = {
#define OPERAND(name, kind, use, slot, sgn, shift, ...)                                            \
    [O_##name] = {#name, NULL, K_##kind, USE_##use, SLOT_##slot, sgn, shift, {__VA_ARGS__}},
#define KEYED(name, key, ...)                                                                      \
    [O_##name] = {#name, key, K_KEY, USE_N, SLOT_NONE, 0, 0, {__VA_ARGS__}},
#include "isa/isa.def"
};

const EffectInfo isa_effect[NEFFECT] = {
#define EFFECT(name, widths, signs, access, space, control, reads, writes, what)                   \
    [E_##name] = {#name, what,  widths, signs, ACCESS_##access, SPACE_##space, CONTROL_##control,  \
                  reads, writes},
#include "isa/effect.def"
};
const char *const isa_unit_name[NUNIT] = {
#define UNIT(name, what) #name,
#include "isa/effect.def"
};
const char *const isa_unit_text[NUNIT] = {
#define UNIT(name, what) what,
#include "isa/effect.def"
};

bool isa_has(IsaSet set, InsnId id)
{
    const IsaSet of = isa_insn[id].sets;
    if (of & AI_V2025)
        return set & AI && set & V2025;
    return of & set && !(of & NOT_V2025 && set & V2025);
}

/* --- rows ----------------------------------------------------------------- */

bool isa_is_vector(InsnId id)
{
    const FormatInfo *f = isa_format_of(id);
    for (int i = 0; i < f->nopd; i++)
        if (isa_operand[f->opd[i]].kind == K_VREG)
            return true;
    return false;
}

u32 isa_access_bytes(InsnId id)
{
    const EffectInfo *e = isa_effect_of(id);
    if (e->access == ACCESS_NONE || e->access == ACCESS_COPY)
        return 0;
    /* with an index the operation is the width of the index; atomics are words */
    const u32 bytes = strchr(isa_format_of(id)->roles, ROLE_INDEX) ? 0 : isa_op_of(id)->bytes;
    return bytes ? bytes : 4;
}

int isa_sources(InsnId id, u8 source[MAXOPD])
{
    const FormatInfo *f = isa_format_of(id);
    int n = 0, accumulator = -1;
    for (int i = 0; i < f->nopd; i++) {
        const u8 use = isa_operand[f->opd[i]].use;
        const char role = f->roles[i];
        if (use == USE_RW)
            accumulator = i;
        else if (use != USE_W && role != ROLE_NONE && role != ROLE_MASK && role != ROLE_ROUND)
            source[n++] = (u8)i;
    }
    if (accumulator >= 0)
        source[n++] = (u8)accumulator;
    return n;
}

InsnId isa_find_atomic(IsaSet set, Op op)
{
    int id = 0;
    while (id < NINSN &&
           (isa_insn[id].effect != E_AMO || isa_insn[id].op != op || !isa_has(set, (InsnId)id)))
        id++;
    return (InsnId)id;
}

int isa_result(InsnId id, bool *accumulates)
{
    const FormatInfo *f = isa_format_of(id);
    for (int i = 0; i < f->nopd; i++) {
        const u8 use = isa_operand[f->opd[i]].use;
        if (use & USE_W) {
            *accumulates = use == USE_RW;
            return i;
        }
    }
    *accumulates = false;
    return -1;
}

/* --- operands ------------------------------------------------------------- */

static int width(const OperandInfo *o)
{
    int bits = 0;
    for (int i = 0; i < MAXPIECE && o->piece[i].len; i++)
        bits += o->piece[i].len;
    return bits;
}

i32 isa_get(OperandId id, u64 word)
{
    const OperandInfo *o = &isa_operand[id];
    u64 v = 0;
    for (int i = 0; i < MAXPIECE && o->piece[i].len; i++)
        v = v << o->piece[i].len | (word >> o->piece[i].lsb & (((u64)1 << o->piece[i].len) - 1));
    if (o->sgn)
        v = (u64)sign_extend(v, width(o));
    return (i32)(v << o->shift);
}

bool isa_put(OperandId id, i32 value, u64 *word)
{
    const OperandInfo *o = &isa_operand[id];
    u64 v = (u64)((i64)value >> o->shift), w = 0;
    for (int i = MAXPIECE; i-- > 0; v >>= o->piece[i].len)
        w |= (v & (((u64)1 << o->piece[i].len) - 1)) << o->piece[i].lsb;
    *word |= w;
    return isa_get(id, w) == value;
}

void isa_range(OperandId id, i64 *min, i64 *max, i64 *step)
{
    const OperandInfo *o = &isa_operand[id];
    int bits = width(o) - o->sgn;
    *step = (i64)1 << o->shift;
    *max = (((i64)1 << bits) - 1) * *step;
    *min = o->sgn ? -((i64)1 << bits) * *step : 0;
}

int isa_find_operand(InsnId id, OperandId o)
{
    const FormatInfo *f = isa_format_of(id);
    for (int i = 0; i < f->nopd; i++)
        if (f->opd[i] == o)
            return i;
    return -1;
}

/* --- words ---------------------------------------------------------------- */

enum { FUNCT3 = 0x7000, OPCODE = 0x7f, NKEY = 1024 };

static u32 key_of(u64 word) { return (u32)(word & OPCODE) | (u32)(word & FUNCT3) >> 5; }

/* Counts or lists row `id` under every key by which it must be found. */
static void for_keys(IsaDecoder *d, int id, const bool counting)
{
    const u64 mask = isa_format_of((InsnId)id)->mask, match = isa_insn[id].match;
    for (u32 funct3 = 0; funct3 <= FUNCT3; funct3 += 0x1000) {
        if ((funct3 ^ match) & mask & FUNCT3)
            continue;
        u32 key = key_of((match & OPCODE) | funct3);
        if (counting)
            d->head[key + 1]++;
        else
            d->list[d->head[key]++] = (u16)id;
    }
}

void isa_decoder_init(IsaDecoder *d, IsaSet set)
{
    memset(d, 0, sizeof *d);
    d->set = set;
    for (int id = 0; id < NINSN; id++)
        if (isa_has(set, (InsnId)id))
            for_keys(d, id, true);
    for (int key = 0; key < NKEY; key++)
        d->head[key + 1] = (u16)(d->head[key + 1] + d->head[key]);
    if (d->head[NKEY] > countof(d->list))
        bug("decoder list holds %zu rows, needs %d", countof(d->list), d->head[NKEY]);
    for (int id = 0; id < NINSN; id++)
        if (isa_has(set, (InsnId)id))
            for_keys(d, id, false);
    /* filling moved every head to its end; move them back by one */
    memmove(d->head + 1, d->head, NKEY * sizeof *d->head);
    d->head[0] = 0;
}

/* operand values that no instruction may have */
static bool is_reserved(const OperandInfo *o, i32 value)
{
    char text[64];
    if (o->kind == K_RM)
        return value == 5 || value == 6;
    if (o->kind == K_XREG) /* the fields of 64-bit words have room for more */
        return value > 63;
    if (o->kind == K_MMA || o->kind == K_MMA64)
        return !isa_mma_suffix((OperandKind)o->kind, value, text, sizeof text);
    return false;
}

static bool get_operands(const FormatInfo *f, u64 word, Insn *in)
{
    for (int i = 0; i < f->nopd; i++) {
        in->opd[i] = isa_get((OperandId)f->opd[i], word);
        if (is_reserved(&isa_operand[f->opd[i]], in->opd[i]))
            return false;
    }
    return true;
}

bool isa_decode(const IsaDecoder *d, u64 word, Insn *in)
{
    const u32 key = key_of(word);
    for (u32 i = d->head[key]; i < d->head[key + 1]; i++) {
        const InsnId id = (InsnId)d->list[i];
        const FormatInfo *f = isa_format_of(id);
        if ((word & f->mask) != isa_insn[id].match)
            continue;
        *in = (Insn){.id = id};
        return get_operands(f, word, in);
    }
    return false;
}

bool isa_encode(const Insn *in, u64 *word, int *bad)
{
    const FormatInfo *f = isa_format_of(in->id);
    *word = isa_insn[in->id].match;
    for (int i = 0; i < f->nopd; i++)
        if (!isa_put((OperandId)f->opd[i], in->opd[i], word)) {
            if (bad)
                *bad = i;
            return false;
        }
    return true;
}

bool isa_is_float(InsnId id)
{
    static const u8 moves[NINSN] = {
#define MOVES_FLOAT(id) [I_##id] = 1,
#include "isa/isa.def"
    };
    const InsnInfo *i = &isa_insn[id];
    const bool computes = i->unit == U_FPU || i->unit == U_TC || i->effect == E_EXP ||
                          i->effect == E_SFU || (isa_op_of(id)->facts & OF_FLOAT);
    return computes || moves[id];
}

/* --- prefixes ------------------------------------------------------------- */

bool isa_is_prefix(InsnId id) { return isa_effect_of(id)->control == CONTROL_PREFIX; }

/* the value of operand o, which the instruction must have */
static u8 operand(const Insn *in, OperandId o) { return (u8)in->opd[isa_find_operand(in->id, o)]; }

/* pre_m_*: the opcode says space and width (doc/isa.md, "Prefixes") */
static void set_memory(IsaPrefix *p, InsnId id)
{
    const u32 opcode = (u32)isa_insn[id].match & OPCODE;
    p->memory = true;
    p->words = (u8)((opcode >> 3 & 3) + 1);
    p->space = (opcode & 7) == 5 ? SPACE_LOCAL : (u8)(opcode >> 5 & 3);
}

IsaPrefix isa_prefix(const Insn *in)
{
    const Effect e = (Effect)isa_insn[in->id].effect;
    IsaPrefix p = {.valid = true, .words = 1};
    if (e == E_REGEXT || e == E_REGEXTI) {
        const u32 imm = (u32)in->opd[isa_find_operand(in->id, O_imm12)];
        p.has_imm = e == E_REGEXTI;
        p.xd = imm & 7;
        p.x1 = p.has_imm ? 0 : imm >> 3 & 7;
        p.x2 = p.has_imm ? imm >> 3 & 7 : imm >> 6 & 7;
        p.x3 = p.has_imm ? 0 : imm >> 9 & 7;
        p.immhi = p.has_imm ? imm >> 6 & 63 : 0;
        return p;
    }
    p.xd = operand(in, O_xd);
    p.pair = operand(in, O_pair);
    if (e == E_PREFIXI) {
        p.has_imm = true;
        p.immhi = operand(in, O_immhi);
        p.x2 = operand(in, O_x2i);
    } else {
        p.x1 = operand(in, O_x1);
        p.x2 = operand(in, O_x2);
        p.x3 = operand(in, O_x3);
    }
    if (e == E_PRE_M) {
        set_memory(&p, in->id);
        p.wide = p.pair;
        p.pair = 0;
    } else {
        p.abs = operand(in, O_abs);
        p.neg = operand(in, O_neg);
    }
    return p;
}

int isa_extend(const IsaPrefix *p, OperandId o, int field)
{
    if (!p->valid)
        return field;
    switch ((IsaSlot)isa_operand[o].slot) {
    case SLOT_NONE: return field;
    case SLOT_XD: return field + p->xd * 32;
    case SLOT_X1: return field + p->x1 * 32;
    case SLOT_X2: return field + p->x2 * 32;
    case SLOT_X3: return field + p->x3 * 32;
    case SLOT_X3D: return field + (p->x3 ? p->x3 : p->xd) * 32;
    }
    bug("slot %d", isa_operand[o].slot);
}

i32 isa_extend_imm(const IsaPrefix *p, OperandId o, i32 field)
{
    const u32 low = (u32)field & 31;
    if (p->valid && p->has_imm)
        return (i32)sign_extend((u32)p->immhi << 5 | low, 11);
    return isa_operand[o].kind == K_IMMZ ? (i32)low : field;
}
