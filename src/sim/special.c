/* special.c -- the handlers of vector instructions that no row of op.def describes:
 * atomics, moves to scalars, narrowing, exponential, tensor. */
#include "sim/handlers.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

/* --- atomics (doc/isa.md, "Atomics"): active lanes in ascending order -------------- */

/* Other groups run on other host threads, so even these are atomic on the host.
 * rd may be ra or rb: sources are copied first. */
#define OP(name, type, result)                                                                     \
    HANDLER(v_amo_##name)                                                                          \
    {                                                                                              \
        u32 source[MAX_LANES];                                                                     \
        memcpy(w->addr, w->v[u->ra], sizeof w->addr);                                              \
        memcpy(source, w->v[u->rb], sizeof source);                                                \
        for (u32 left = w->exec; left; left &= left - 1) {                                         \
            const int i = __builtin_ctz(left);                                                     \
            u32 *p = access_atomic(w, u, w->addr[i], i);                                           \
            if (!p)                                                                                \
                return NULL;                                                                       \
            u32 old = __atomic_load_n(p, __ATOMIC_RELAXED), new;                                   \
            do {                                                                                   \
                const type a = (type)old, b = (type)source[i];                                     \
                (void)a, (void)b;                                                                  \
                new = (u32)(result);                                                               \
            } while (!__atomic_compare_exchange_n(p, &old, new, true, __ATOMIC_SEQ_CST,            \
                                                  __ATOMIC_RELAXED));                              \
            if (w->group->reservations)                                                            \
                drop_reservations(w->group, w->addr[i], 4);                                        \
            w->v[u->rd][i] = old;                                                                  \
        }                                                                                          \
        return next(u);                                                                            \
    }
#include "isa/op.def"

HANDLER(v_lr)
{
    memcpy(w->addr, w->v[u->ra], sizeof w->addr);
    for (u32 left = w->exec; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const u32 *p = access_atomic(w, u, w->addr[i], i);
        if (!p)
            return NULL;
        w->group->reservations += !w->reserved;
        w->reserved |= 1u << i;
        w->reserved_addr[i] = w->addr[i];
        w->reserved_value[i] = __atomic_load_n(p, __ATOMIC_SEQ_CST);
        w->v[u->rd][i] = w->reserved_value[i];
    }
    return next(u);
}

static void end_reservation(Warp *w, int lane)
{
    if (!(w->reserved >> lane & 1))
        return;
    w->reserved &= ~(1u << lane);
    w->group->reservations -= !w->reserved;
}

/* Stores of this group end reservations when they happen; one of another group is
 * noticed by the word having another value. */
HANDLER(v_sc)
{
    u32 source[MAX_LANES];
    memcpy(w->addr, w->v[u->ra], sizeof w->addr);
    memcpy(source, w->v[u->rb], sizeof source);
    for (u32 left = w->exec; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        u32 *p = access_atomic(w, u, w->addr[i], i);
        if (!p)
            return NULL;
        const bool held = w->reserved >> i & 1 && w->reserved_addr[i] == w->addr[i];
        u32 expected = w->reserved_value[i];
        const bool stored = held && __atomic_compare_exchange_n(p, &expected, source[i], false,
                                                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
        end_reservation(w, i);
        if (stored && w->group->reservations)
            drop_reservations(w->group, w->addr[i], 4);
        w->v[u->rd][i] = !stored;
    }
    return next(u);
}

/* --- moves ------------------------------------------------------------------------ */

/* the last active lane's element; no lane, no change */
HANDLER(v_toscalar)
{
    if (w->exec)
        w->x[u->rd] = w->v[u->ra][31 - __builtin_clz(w->exec)];
    w->x[0] = 0;
    return next(u);
}

HANDLER(v_csr_lanes)
{
    u32 value[MAX_LANES];
    if (!csr_read_lanes(w, (u32)u->imm, value))
        return fail_at(w, u, FAULT_CSR, -1, (u32)u->imm, 0);
    for (int i = 0; i < MAX_LANES; i++)
        w->v[u->rd][i] = w->on[i] ? value[i] : w->v[u->rd][i];
    return next(u);
}

/* --- narrowing: a register pair {ra + 1, ra} of 64 bits to one of 32 ----------------- */

static u32 clip(u64 pair, u32 shift, u32 vxrm, bool sgn, u8 *sat)
{
    const u64 increment = fix_increment(pair, shift, vxrm);
    if (sgn) {
        const i64 v = ((i64)pair >> shift) + (i64)increment;
        *sat |= v != (i32)v;
        return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? (u32)INT32_MIN : (u32)v;
    }
    const u64 v = (pair >> shift) + increment;
    *sat |= v > UINT32_MAX;
    return v > UINT32_MAX ? UINT32_MAX : (u32)v;
}

static u32 narrow(Warp *w, Op op, u64 pair, u32 shift)
{
    switch (op) {
    case OP_srl: return (u32)(pair >> shift);
    case OP_sra: return (u32)((i64)pair >> shift);
    case OP_nclip: return clip(pair, shift, w->vxrm, true, &w->vxsat);
    case OP_nclipu: return clip(pair, shift, w->vxrm, false, &w->vxsat);
    default: bug("narrow: %s", isa_op_name[op]);
    }
}

HANDLER(v_narrow)
{
    const InsnInfo *info = &isa_insn[u->id];
    if (u->ra & 1)
        return fail_at(w, u, FAULT_REGISTER, -1, u->ra, 0);
    for (int i = 0; i < MAX_LANES; i++) {
        const u32 shift = info->format == F_VV ? w->v[u->rb][i]
                          : info->format == F_VX ? w->x[u->rb] : (u32)u->imm;
        const u64 pair = (u64)w->v[u->ra + 1][i] << 32 | w->v[u->ra][i];
        if (w->on[i])
            w->v[u->rd][i] = narrow(w, (Op)info->op, pair, shift & 63);
    }
    return next(u);
}

/* --- exponential and tensor ------------------------------------------------------------ */

/* The double of the host, rounded once: within half a unit in the last place, no
 * flags (doc/isa.md, "vfexp"). */
static u32 exp_bits(u32 a)
{
    float f, r;
    u32 bits;
    if (f32_nan(a))
        return F32_CANONICAL;
    memcpy(&f, &a, sizeof f);
    r = (float)exp((double)f);
    memcpy(&bits, &r, sizeof bits);
    return bits;
}

HANDLER(v_exp)
{
    take_host_flags(w);
    for (int i = 0; i < MAX_LANES; i++)
        if (w->on[i])
            w->v[u->rd][i] = exp_bits(w->v[u->ra][i]);
    feclearexcept(FE_ALL_EXCEPT);
    return next(u);
}

/* vd[i * K + j] += sum over n < N of vs1[i * N + n] * vs2[j * N + n], fused, n ascending */
HANDLER(v_tta)
{
    const u32 lanes = w->group->launch->lanes;
    const u32 m = lanes == 32 ? 4 : 2, n = lanes == 32 ? 8 : lanes == 8 ? 4 : 2, k = m;
    FpRound rm = (FpRound)w->frm;
    u32 sum[MAX_LANES];
    if (w->exec != (lanes == 32 ? UINT32_MAX : (1u << lanes) - 1))
        return fail(w, u, FAULT_NEEDS_ALL_LANES, -1);
    if (rm > FP_RMM)
        return fail(w, u, FAULT_FRM, -1);
    for (u32 i = 0; i < m; i++)
        for (u32 j = 0; j < k; j++) {
            u32 s = w->v[u->rd][i * k + j];
            for (u32 l = 0; l < n; l++)
                s = (u32)fp_fma(F, w->v[u->rb][i * n + l], w->v[u->ra][j * n + l], s, rm,
                                &w->fflags);
            sum[i * k + j] = s;
        }
    memcpy(w->v[u->rd], sum, m * k * sizeof *sum);
    return next(u);
}
