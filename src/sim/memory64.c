/* memory64.c -- memory accesses by the rules of v2025: spaces, 64-bit addresses, and
 * accesses of several words (doc/isa.md, "Memory" and "Prefixes"). */
#include "sim/handlers.h"
#include <string.h>

/* The rule of an access, from its Uop. */
typedef struct {
    IsaSpace space;
    bool wide; /* the address is a register pair */
    bool stores, scalar, scalar_base;
    u32 words, width; /* of `width` bytes each */
    bool sgn;
} Rule;

static Rule rule_of(const Uop *u)
{
    const InsnId id = (InsnId)u->id;
    const FormatInfo *f = isa_format_of(id);
    Rule r = {.space = (IsaSpace)(u->mem & UOP_SPACE),
              .wide = u->mem & UOP_WIDE,
              .stores = isa_effect_of(id)->access == ACCESS_STORE,
              .scalar = !isa_is_vector(id),
              .words = (u->mem >> UOP_WORDS & 3) + 1u,
              .width = isa_access_bytes(id)};
    r.sgn = r.width < 4 && isa_op_of(id)->sgn;
    for (int i = 0; i < f->nopd; i++)
        if (f->roles[i] == ROLE_ADDRESS)
            r.scalar_base = isa_operand[f->opd[i]].kind == K_XREG;
    return r;
}

/* register or pair of lane i; lane < 0: scalar */
static u64 base_of(const Warp *w, u8 reg, int lane, bool wide)
{
    if (lane < 0)
        return wide && reg ? (u64)w->x[reg + 1] << 32 | w->x[reg] : w->x[reg];
    return wide ? (u64)w->v[reg + 1][lane] << 32 | w->v[reg][lane] : w->v[reg][lane];
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
    case E_VSTORE_INDEX: {
        const u32 bits = 8u * isa_op_of((InsnId)u->id)->bytes;
        return (i64)(w->v[u->rc][lane] & (((u64)1 << bits) - 1));
    }
    default: return u->imm;
    }
}

/* the interleaved address of private byte a of a lane */
static u64 private_address(const Warp *w, u64 a, int lane)
{
    return warp_pds(w) + (a & ~(u64)3) * w->group->launch->lanes + (a & 3) +
           (lane < 0 ? 0 : 4 * (u32)lane);
}

/* The address of word k of the access of `lane` as the program has it; *is_private: it is an offset
 * into private memory. */
static u64 offset(const Warp *w, const Uop *u, const Rule *r, int lane, u32 k, bool *is_private)
{
    const u64 base = base_of(w, u->ra, r->scalar_base ? -1 : lane, r->wide);
    const u64 a = base + (u64)offset_of(w, u, r->width, lane) + 4 * k;
    *is_private =
        r->space == SPACE_PRIVATE || (r->space == SPACE_FLAT && base < RANGE_END(PRIVATE));
    return r->wide ? a : (u32)a;
}

/* the device address */
static u64 address(const Warp *w, const Uop *u, const Rule *r, int lane, u32 k)
{
    bool is_private;
    u64 a = offset(w, u, r, lane, k, &is_private);
    if (is_private)
        a = private_address(w, a, lane);
    else if (r->space == SPACE_LOCAL)
        a += w->group->lds_base;
    return r->wide ? a : (u32)a;
}

/* Several words move between consecutive registers and consecutive addresses; the
 * addresses are known before a load may overwrite the register they come from. */
static bool move_words(Warp *w, const Uop *u, const Rule *r, int lane)
{
    const u32 data = r->stores ? u->rb : u->rd;
    u64 addr[4] = {0};
    for (u32 k = 0; k < r->words; k++) {
        bool is_private;
        const u64 a = offset(w, u, r, lane, k, &is_private);
        if (is_private && !access_private(w, u, a, r->width, lane))
            return false;
        addr[k] = address(w, u, r, lane, k);
    }
    for (u32 k = 0; k < r->words; k++) {
        u32 *reg = lane < 0 ? &w->x[data + k] : &w->v[data + k][lane], value;
        if (r->stores) {
            if (!access_store(w, u, addr[k], r->width, lane, *reg))
                return false;
        } else {
            if (!access_load(w, u, addr[k], r->width, lane, &value))
                return false;
            *reg = r->sgn ? (u32)sign_extend(value, (int)r->width * 8) : value;
        }
    }
    w->x[0] = 0;
    return true;
}

static const Uop *atomic(Warp *w, const Uop *u, const Rule *r)
{
    u64 addr[MAX_LANES];
    for (int i = 0; i < MAX_LANES; i++)
        addr[i] = w->on[i] ? address(w, u, r, i, 0) : 0;
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
    const IsaAccess access = (IsaAccess)isa_effect_of((InsnId)u->id)->access;
    const Effect e = (Effect)isa_insn[u->id].effect;
    if (access == ACCESS_ATOMIC || e == E_LR || e == E_LR_PAIR)
        return atomic(w, u, &r);
    if (r.scalar)
        return move_words(w, u, &r, -1) ? next(u) : NULL;
    for (int i = 0; i < MAX_LANES; i++)
        if (w->on[i] && !move_words(w, u, &r, i))
            return NULL;
    return next(u);
}
