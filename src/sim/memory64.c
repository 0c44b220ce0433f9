/* memory64.c -- memory accesses by the rules of v2025: spaces, 64-bit addresses, and
 * accesses of several words (doc/isa.md, "Memory" and "Prefixes"). */
#include "sim/handlers.h"
#include <string.h>

/* where the address of an access comes from, and what space it is in */
typedef struct {
    bool wide; /* a register pair */
    bool flat; /* a private address is recognised by its top byte */
    IsaSpace space;
    u32 words;
} Rule;

static Rule rule_of(const Uop *u)
{
    const Effect e = (Effect)isa_insn[u->id].effect;
    Rule r = {.words = (u->mem >> MEM_WORDS & 3) + 1u,
              .space = (IsaSpace)(u->mem & MEM_SPACE),
              .wide = u->mem & MEM_WIDE || e == E_VLOAD_12D || e == E_VSTORE_12D ||
                      e == E_LOAD_PAIR || e == E_STORE_PAIR || e == E_AMO_PAIR || e == E_LR_PAIR ||
                      e == E_SC_PAIR};
    if (r.space == SPACE_DEFAULT && (e == E_VLOAD_GLOBAL || e == E_VSTORE_GLOBAL))
        r.space = SPACE_GLOBAL;
    if (r.space == SPACE_DEFAULT && (e == E_VLOAD_LOCAL || e == E_VSTORE_LOCAL))
        r.space = SPACE_LOCAL;
    if (r.space == SPACE_DEFAULT && (e == E_VLOAD_PRIVATE || e == E_VSTORE_PRIVATE))
        r.space = SPACE_PRIVATE;
    r.flat = r.space == SPACE_DEFAULT && !r.wide && (e == E_VLOAD_12 || e == E_VSTORE_12);
    return r;
}

/* register or pair of lane i; lane < 0: scalar */
static u64 base_of(const Warp *w, u8 reg, int lane, bool wide)
{
    if (lane < 0)
        return wide && reg ? (u64)w->x[reg + 1] << 32 | w->x[reg] : w->x[reg];
    return wide ? (u64)w->v[reg + 1][lane] << 32 | w->v[reg][lane] : w->v[reg][lane];
}

static u32 index_bits(const Warp *w, const Uop *u, int lane)
{
    const u32 index = w->v[u->rc][lane];
    return isa_insn[u->id].op == OP_bu   ? index & 0xff
           : isa_insn[u->id].op == OP_hu ? index & 0xffff
                                         : index;
}

/* what is added to the base for lane i */
static i64 offset_of(const Warp *w, const Uop *u, u32 width, int lane)
{
    switch ((Effect)isa_insn[u->id].effect) {
    case E_VLOAD_UNIT:
    case E_VSTORE_UNIT: return (i64)lane * width;
    case E_VLOAD_STRIDE:
    case E_VSTORE_STRIDE: return (i64)lane * (i32)w->x[u->rc];
    case E_VLOAD_INDEX:
    case E_VSTORE_INDEX: return index_bits(w, u, lane);
    case E_AMO:
    case E_LR:
    case E_SC:
    case E_AMO_PAIR:
    case E_LR_PAIR:
    case E_SC_PAIR: return 0;
    default: return u->imm;
    }
}

static bool has_scalar_base(const Uop *u)
{
    const FormatId f = (FormatId)isa_insn[u->id].format;
    return f == F_VLU || f == F_VLS || f == F_VLX || f == F_VSU || f == F_VSS || f == F_VSX ||
           f == F_L || f == F_S;
}

/* the interleaved address of private byte a of a lane */
static u64 private_address(const Warp *w, u64 a, int lane)
{
    return warp_pds(w) + (a & ~(u64)3) * w->group->launch->lanes + (a & 3) +
           (lane < 0 ? 0 : 4 * (u32)lane);
}

/* the device address of word k of the access of `lane` */
static u64 address(const Warp *w, const Uop *u, const Rule *r, u32 width, int lane, u32 k)
{
    const u64 base = base_of(w, u->ra, has_scalar_base(u) ? -1 : lane, r->wide);
    u64 a = base + (u64)offset_of(w, u, width, lane) + 4 * k;
    if (!r->wide)
        a = (u32)a;
    if (r->space == SPACE_PRIVATE || (r->flat && !(base >> 24)))
        a = private_address(w, a, lane);
    else if (r->space == SPACE_LOCAL)
        a += w->group->lds_base;
    return r->wide ? a : (u32)a;
}

static void widths(const Uop *u, u32 *width, bool *sgn)
{
    const Effect e = (Effect)isa_insn[u->id].effect;
    *width = 4;
    *sgn = false;
    if (e == E_VLOAD_INDEX || e == E_VSTORE_INDEX) /* op is the width of the index */
        return;
    switch ((Op)isa_insn[u->id].op) {
#define WIDTH(name, bytes, is_signed)                                                              \
    case OP_##name:                                                                                \
        *width = bytes, *sgn = is_signed;                                                          \
        break;
#include "isa/op.def"
    default: break;
    }
}

static bool is_store(Effect e)
{
    return e == E_STORE || e == E_STORE_PAIR || (e >= E_VSTORE_UNIT && e <= E_VSTORE_12D);
}

/* Several words move between consecutive registers and consecutive addresses; the
 * addresses are known before a load may overwrite the register they come from. */
static bool move_words(Warp *w, const Uop *u, const Rule *r, u32 width, bool sgn, int lane)
{
    const bool stores = is_store((Effect)isa_insn[u->id].effect);
    const u32 data = stores ? u->rb : u->rd;
    u64 addr[4] = {0};
    for (u32 k = 0; k < r->words; k++)
        addr[k] = address(w, u, r, width, lane, k);
    if (lane >= 0) {
        w->addr[lane] = (u32)addr[0];
        w->addr_hi[lane] = (u32)(addr[0] >> 32);
    }
    for (u32 k = 0; k < r->words; k++) {
        u32 *reg = lane < 0 ? &w->x[data + k] : &w->v[data + k][lane], value;
        if (stores) {
            if (!access_store(w, u, addr[k], width, lane, *reg))
                return false;
        } else {
            if (!access_load(w, u, addr[k], width, lane, &value))
                return false;
            *reg = sgn ? (u32)sign_extend(value, (int)width * 8) : value;
        }
    }
    w->x[0] = 0;
    return true;
}

/* registers that the access names beyond the file, or a pair that is odd */
static bool registers_fit(const Uop *u, const Rule *r, bool scalar)
{
    const u32 data = is_store((Effect)isa_insn[u->id].effect) ? u->rb : u->rd;
    return !(r->wide && u->ra & 1) && data + r->words <= (scalar ? 64u : 256u);
}

static const Uop *atomic(Warp *w, const Uop *u, const Rule *r)
{
    u64 addr[MAX_LANES];
    for (int i = 0; i < MAX_LANES; i++) {
        addr[i] = w->on[i] ? address(w, u, r, 4, i, 0) : 0;
        w->addr[i] = (u32)addr[i];
        w->addr_hi[i] = (u32)(addr[i] >> 32);
    }
    switch ((Effect)isa_insn[u->id].effect) {
    case E_LR:
    case E_LR_PAIR: return lr_at(w, u, addr);
    case E_SC:
    case E_SC_PAIR: return sc_at(w, u, addr);
    default: return amo_at(w, u, addr);
    }
}

HANDLER(v_memory)
{
    const Rule r = rule_of(u);
    const Effect e = (Effect)isa_insn[u->id].effect;
    const bool scalar = e == E_LOAD || e == E_STORE || e == E_LOAD_PAIR || e == E_STORE_PAIR;
    u32 width;
    bool sgn;
    widths(u, &width, &sgn);
    if (!registers_fit(u, &r, scalar))
        return fail_at(w, u, FAULT_REGISTER, -1, u->ra, 0);
    if (r.words > 1 && (width != 4 || e >= E_AMO))
        return fail(w, u, FAULT_ILLEGAL, -1);
    if (e >= E_AMO)
        return atomic(w, u, &r);
    if (scalar)
        return move_words(w, u, &r, width, sgn, -1) ? next(u) : NULL;
    for (int i = 0; i < MAX_LANES; i++)
        if (w->on[i] && !move_words(w, u, &r, width, sgn, i))
            return NULL;
    return next(u);
}

HANDLER(x_memory_pair)
{
    const Rule r = {.wide = true, .words = 1};
    if (u->ra & 1)
        return fail_at(w, u, FAULT_REGISTER, -1, u->ra, 0);
    return move_words(w, u, &r, 4, false, -1) ? next(u) : NULL;
}

static const Uop *pair_atomic(Warp *w, const Uop *u)
{
    const Rule r = {.wide = true, .words = 1};
    return u->ra & 1 ? fail_at(w, u, FAULT_REGISTER, -1, u->ra, 0) : atomic(w, u, &r);
}

HANDLER(v_amo_pair) { return pair_atomic(w, u); }
HANDLER(v_lr_pair) { return pair_atomic(w, u); }
HANDLER(v_sc_pair) { return pair_atomic(w, u); }
