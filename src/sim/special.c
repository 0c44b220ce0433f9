/* special.c -- the handlers of vector instructions that no row of op.def describes:
 * atomics, moves to scalars, exponential, tensor. */
#include "sim/handlers.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

/* --- atomics (doc/isa.md, "Atomics"): active lanes in ascending order -------------- */

/* The old word at p, after op with `source`; atomic on the host, since other groups run on other
 * host threads. */
static u32 exchange(Op op, u32 *p, u32 source)
{
    u32 old, new;
    switch (op) {
    case OP_add: return __atomic_fetch_add(p, source, __ATOMIC_SEQ_CST);
    case OP_and: return __atomic_fetch_and(p, source, __ATOMIC_SEQ_CST);
    case OP_or: return __atomic_fetch_or(p, source, __ATOMIC_SEQ_CST);
    case OP_xor: return __atomic_fetch_xor(p, source, __ATOMIC_SEQ_CST);
    case OP_copy: return __atomic_exchange_n(p, source, __ATOMIC_SEQ_CST);
    default: break;
    }
    old = __atomic_load_n(p, __ATOMIC_RELAXED);
    do
        new = op_eval(op, old, source);
    while (!__atomic_compare_exchange_n(p, &old, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old;
}

/* The same for all lanes.  at[i] NULL: not lane i. */
static void exchange_each(Op op, u32 *const at[MAX_LANES], const u32 source[MAX_LANES],
                          u32 old[MAX_LANES])
{
    if (op == OP_add) { /* the usual one, without a call each */
        for (int i = 0; i < MAX_LANES; i++)
            if (at[i])
                old[i] = __atomic_fetch_add(at[i], source[i], __ATOMIC_SEQ_CST);
        return;
    }
    for (int i = 0; i < MAX_LANES; i++)
        if (at[i])
            old[i] = exchange(op, at[i], source[i]);
}

/* Local memory belongs to the thread that runs the group.  at[i] NULL: not lane i. */
static void exchange_local(Op op, u32 *const at[MAX_LANES], const u32 source[MAX_LANES],
                           u32 old[MAX_LANES])
{
    switch (op) {
#define OP(name, type, facts, result)                                                              \
    case OP_##name:                                                                                \
        for (int i = 0; i < MAX_LANES; i++)                                                        \
            if (at[i]) {                                                                           \
                const type a = (type)*at[i], b = (type)source[i];                                  \
                (void)a, (void)b;                                                                  \
                old[i] = *at[i];                                                                   \
                *at[i] = (u32)(result);                                                            \
            }                                                                                      \
        return;
#include "isa/op.def"
    default: bug("no atomic operation");
    }
}

/* All lanes' sources are added at once, and each lane finds what those before it would have left. */
static void add_to_word(const Warp *w, u32 *word, const u32 source[MAX_LANES], u32 old[MAX_LANES])
{
    u32 before[MAX_LANES], sum = 0;
    for (int i = 0; i < MAX_LANES; i++) {
        before[i] = sum;
        sum += source[i] & w->on[i];
    }
    const u32 was = __atomic_fetch_add(word, sum, __ATOMIC_SEQ_CST);
    for (int i = 0; i < MAX_LANES; i++)
        old[i] = was + before[i];
}

void exchange_word(Op op, const Warp *w, u32 *word, const u32 source[MAX_LANES], u32 old[MAX_LANES])
{
    if (op == OP_add) {
        add_to_word(w, word, source, old);
        return;
    }
    u32 seen = __atomic_load_n(word, __ATOMIC_RELAXED), copy;
    u32 *at[MAX_LANES];
    for (int i = 0; i < MAX_LANES; i++)
        at[i] = w->on[i] ? &copy : NULL;
    do {
        copy = seen;
        exchange_local(op, at, source, old);
    } while (
        !__atomic_compare_exchange_n(word, &seen, copy, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}

/* The host addresses of words that need no closer look; false: some do. */
static bool find_words(const Warp *w, const u64 addr[MAX_LANES], u32 *at[MAX_LANES], bool *is_local)
{
    const u8 need = MEM_R | MEM_W;
    const Memory *m = NULL;
    u64 page = UINT64_MAX;
    *is_local = true;
    if (w->group->careful)
        return false;
    for (u32 i = 0; i < MAX_LANES; i++) {
        at[i] = NULL;
        if (!(w->exec >> i & 1))
            continue;
        if (addr[i] >> PAGE_BITS != page) {
            m = view(w, addr[i]);
            page = addr[i] >> PAGE_BITS;
            if (addr[i] >= m->end || (memory_rights(m, page) & need) != need)
                return false;
            *is_local &= m == &w->group->lds;
        }
        if (addr[i] & 3 || (w->group->notes && addr[i] > UINT32_MAX))
            return false;
        at[i] = (u32 *)(void *)(m->base + addr[i]);
    }
    return true;
}

/* Notes an atomic of all active lanes, if accesses are noted. */
static bool note_row(Warp *w, const Uop *u, const u64 addr[MAX_LANES])
{
    u32 lo = UINT32_MAX, hi = 0;
    if (!w->group->notes || !w->exec)
        return true;
    for (u32 i = 0; i < MAX_LANES; i++) {
        const u32 a = (u32)addr[i];
        w->addr[i] = a;
        lo = w->on[i] && a < lo ? a : lo;
        hi = w->on[i] && a > hi ? a : hi;
    }
    return access_note(w, u, lo, hi - lo + 4, TOUCH_ROW, true, true);
}

/* rd may be a source: sources are copied first. */
const Uop *amo_at(Warp *w, const Uop *u, const u64 addr[MAX_LANES])
{
    const Op op = (Op)isa_insn[u->id].op;
    const Group *g = w->group;
    u32 source[MAX_LANES], *at[MAX_LANES];
    bool is_local;
    memcpy(source, w->v[u->rb], sizeof source);
    if (g->notes != NOTE_EACH && !g->reservations && find_words(w, addr, at, &is_local)) {
        if (!note_row(w, u, addr))
            return NULL;
        if (is_local)
            exchange_local(op, at, source, w->v[u->rd]);
        else
            exchange_each(op, at, source, w->v[u->rd]);
        return next(u);
    }
    for (u32 left = w->exec; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        u32 *p = access_atomic(w, u, addr[i], i);
        if (!p)
            return NULL;
        w->v[u->rd][i] = exchange(op, p, source[i]);
        if (!access_note(w, u, addr[i], 4, i, true, true))
            return NULL;
        if (w->group->reservations)
            drop_reservations(w->group, addr[i], 4);
    }
    return next(u);
}

const Uop *lr_at(Warp *w, const Uop *u, const u64 addr[MAX_LANES])
{
    u32 *at[MAX_LANES];
    bool is_local;
    const bool found = find_words(w, addr, at, &is_local);
    for (u32 left = w->exec; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const u32 *p = found ? at[i] : access_atomic(w, u, addr[i], i);
        if (!p)
            return NULL;
        w->group->reservations += !w->reserved;
        w->reserved |= 1u << i;
        w->reserved_addr[i] = addr[i];
        w->reserved_value[i] = __atomic_load_n(p, __ATOMIC_SEQ_CST);
        w->v[u->rd][i] = w->reserved_value[i];
        if (!access_note(w, u, addr[i], 4, i, true, false))
            return NULL;
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

/* Stores of this group end reservations when they happen; a store of another group is noticed here,
 * if the word has another value. */
const Uop *sc_at(Warp *w, const Uop *u, const u64 addr[MAX_LANES])
{
    u32 source[MAX_LANES], *at[MAX_LANES];
    bool is_local;
    memcpy(source, w->v[u->rb], sizeof source);
    const bool found = find_words(w, addr, at, &is_local);
    for (u32 left = w->exec; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        u32 *p = found ? at[i] : access_atomic(w, u, addr[i], i);
        if (!p)
            return NULL;
        const bool held = w->reserved >> i & 1 && w->reserved_addr[i] == addr[i];
        u32 expected = w->reserved_value[i];
        const bool stored = held && __atomic_compare_exchange_n(p, &expected, source[i], false,
                                                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
        end_reservation(w, i);
        if (stored && w->group->reservations)
            drop_reservations(w->group, addr[i], 4);
        w->v[u->rd][i] = !stored;
        if (stored && !access_note(w, u, addr[i], 4, i, false, true))
            return NULL;
    }
    return next(u);
}

/* the addresses that the lanes name in v[ra] */
static const u64 *addresses(Warp *w, const Uop *u, u64 addr[MAX_LANES])
{
    for (int i = 0; i < MAX_LANES; i++)
        addr[i] = w->v[u->ra][i];
    return addr;
}

HANDLER(v_amo) { return amo_at(w, u, addresses(w, u, (u64[MAX_LANES]){0})); }
HANDLER(v_lr) { return lr_at(w, u, addresses(w, u, (u64[MAX_LANES]){0})); }
HANDLER(v_sc) { return sc_at(w, u, addresses(w, u, (u64[MAX_LANES]){0})); }

/* --- moves ------------------------------------------------------------------------ */

/* The element of the last active lane; if no lane is active, the register does not change. */
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

/* --- exponential and tensor ------------------------------------------------------------ */

/* Computed in the host's double and rounded once: within half a unit in the last place, no flags
 * (doc/isa.md, "vfexp"). */
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
