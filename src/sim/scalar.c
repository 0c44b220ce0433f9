/* scalar.c -- the handlers of scalar instructions: once for the warp, whatever the mask. */
#include "sim/handlers.h"
#include <string.h>

static inline const Uop *set(Warp *w, const Uop *u, u32 value)
{
    w->x[u->rd] = value;
    w->x[0] = 0;
    return next(u);
}

#define OP(name, type, facts, result)                                                              \
    HANDLER(x_rr_##name)                                                                           \
    {                                                                                              \
        const type a = (type)w->x[u->ra], b = (type)w->x[u->rb];                                   \
        (void)a, (void)b;                                                                          \
        return set(w, u, (u32)(result));                                                           \
    }                                                                                              \
    HANDLER(x_ri_##name)                                                                           \
    {                                                                                              \
        const type a = (type)w->x[u->ra], b = (type)u->imm;                                        \
        (void)a, (void)b;                                                                          \
        return set(w, u, (u32)(result));                                                           \
    }                                                                                              \
    HANDLER(x_branch_##name)                                                                       \
    {                                                                                              \
        const type a = (type)w->x[u->ra], b = (type)w->x[u->rb];                                   \
        (void)a, (void)b;                                                                          \
        const u32 truth = (u32)(result);                                                           \
        return truth ? go(w, (u32)u->imm) : next(u);                                               \
    }
#include "isa/op.def"

/* --- floats --------------------------------------------------------------------- */

/* *rm: the rounding mode of this instance; false: it is a reserved one */
static inline bool rounding(const Warp *w, const Uop *u, FpRound *rm)
{
    *rm = (FpRound)(u->rm == 7 ? w->frm : u->rm);
    return *rm <= FP_RMM;
}

#define SOURCES                                                                                    \
    const u32 a = w->x[u->ra], b = w->x[u->rb], c = w->x[u->rc];                                   \
    u8 *const fl = &w->fflags;                                                                     \
    FpRound rm;                                                                                    \
    (void)a, (void)b, (void)c, (void)fl;                                                           \
    if (!rounding(w, u, &rm))                                                                      \
        return fail(w, u, FAULT_FRM, -1);

#define HOST_FLOAT(handler, host, soft)                                                            \
    HANDLER(handler)                                                                               \
    {                                                                                              \
        const u64 before = raised_before();                                                        \
        SOURCES                                                                                    \
        const float fa = float_of(a), fb = float_of(b), fc = float_of(c);                          \
        (void)fa, (void)fb, (void)fc;                                                              \
        if (rm == FP_RNE && HOST_FLOATS) {                                                         \
            const u32 r = canonical(host);                                                         \
            const bool doubts = HOST_DOUBTS(r);                                                    \
            if (r != F32_CANONICAL && !doubts) /* hosts do not agree about the flags of NaNs */    \
                return set(w, u, r);                                                               \
            if (doubts)                                                                            \
                raise_again(before);                                                               \
        }                                                                                          \
        (void)before;                                                                              \
        return set(w, u, (u32)(soft));                                                             \
    }
#define FOP(name, facts, host, soft)  HOST_FLOAT(x_f_##name, host, soft)
#define FOP3(name, facts, host, soft) HOST_FLOAT(x_f3_##name, host, soft)
#define FBIT(name, facts, result, flags, soft)                                                     \
    HANDLER(x_f_##name)                                                                            \
    {                                                                                              \
        SOURCES                                                                                    \
        return set(w, u, (u32)(soft));                                                             \
    }
#include "isa/op.def"

/* --- the rest --------------------------------------------------------------------- */

HANDLER(x_nop)
{
    (void)w;
    return next(u);
}

/* A fence of the host, since other groups run on other host threads.  It orders all accesses,
 * whatever the instruction's sets are. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan" /* the sanitizer does not know fences */
#endif
HANDLER(x_fence)
{
    (void)w;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return next(u);
}

HANDLER(x_lui) { return set(w, u, (u32)u->imm); }
HANDLER(x_auipc) { return set(w, u, (u32)u->imm); } /* the pc was added when decoding */

HANDLER(x_jal)
{
    set(w, u, next_pc(u));
    return go(w, (u32)u->imm);
}

HANDLER(x_jalr)
{
    const u32 target = (w->x[u->ra] + (u32)u->imm) & ~1u;
    set(w, u, next_pc(u));
    return go(w, target);
}

#define WIDTH(name, bytes, sgn)                                                                    \
    HANDLER(x_load_##name)                                                                         \
    {                                                                                              \
        u32 value;                                                                                 \
        if (!access_load(w, u, w->x[u->ra] + (u32)u->imm, bytes, -1, &value))                      \
            return NULL;                                                                           \
        return set(w, u, sgn ? (u32)sign_extend(value, bytes * 8) : value);                        \
    }
#include "isa/op.def"

static inline const Uop *store(Warp *w, const Uop *u, u32 width)
{
    const u32 addr = w->x[u->ra] + (u32)u->imm;
    return access_store(w, u, addr, width, -1, w->x[u->rb]) ? next(u) : NULL;
}

HANDLER(x_store_b) { return store(w, u, 1); }
HANDLER(x_store_h) { return store(w, u, 2); }
HANDLER(x_store_w) { return store(w, u, 4); }

/* CSR number in imm; source value a register (format CSR) or ra itself */
HANDLER(x_csr)
{
    const bool immediate = isa_insn[u->id].format == F_CSRI;
    const u32 source = immediate ? u->ra : w->x[u->ra], n = (u32)u->imm;
    const Op op = (Op)isa_insn[u->id].op;
    u32 old;
    if (isa_csr_state(n, false) & STATE_FFLAGS)
        take_host_flags(w);
    bool known = csr_read(w, n, &old);
    /* csrrs and csrrc with x0 or 0 write nothing */
    if (op == OP_copy || u->ra)
        known &= csr_write(w, n, op_eval(op, old, source));
    if (!known && w->group->launch->strict)
        return fail_at(w, u, FAULT_CSR, -1, n, 0);
    return set(w, u, old);
}

/* vsetvli, vsetivli, vsetvl (V 1.0, 6) */
HANDLER(x_vset)
{
    const bool immediate = u->id == I_vsetivli;
    const u32 type = u->id == I_vsetvl ? w->x[u->rb] : (u32)u->imm;
    const u64 avl = immediate ? u->ra : u->ra ? w->x[u->ra] : u->rd ? UINT32_MAX : w->vl;
    if (!warp_set_vl(w, avl, type))
        return fail_at(w, u, FAULT_VTYPE, -1, type, 0);
    return set(w, u, w->vl);
}
