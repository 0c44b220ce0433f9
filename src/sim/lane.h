/* lane.h -- the handlers of vector instructions.
 *
 * This file is compiled once for each level of the host's vector instructions
 * (lane_base.c, lane_avx2.c, lane_avx512.c), each of which names the table at its end.
 * Every loop runs over the MAX_LANES words of a row, whatever the machine's lanes
 * are: a fixed length is what makes it a few host instructions.  Where all lanes
 * of the launch are on, rows are written whole; else on[] selects.
 *
 * Floats are computed by the host while the warp rounds to nearest: inactive
 * lanes then compute on 1.0, which raises nothing, and the host's sticky flags
 * are the guest's.  In other modes the integer routines of isa/fp.h do the work.
 */
#include "sim/handlers.h"
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifdef APART
#elif defined(__clang__)
#define APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define APART _Pragma("GCC ivdep")
#endif
#define LANES for (int i = 0; i < MAX_LANES; i++)

#define ONE32 0x3f800000u /* 1.0 */

/* lanes whose word in `truth` is not zero */
static inline u32 lanes_where(const u32 truth[MAX_LANES])
{
    u32 set = 0;
    LANES set |= truth[i] ? 1u << i : 0;
    return set;
}

/* --- integer arithmetic --------------------------------------------------------- */

/* the handlers of an operation: d = op(a, b) with b a row, a scalar register, an immediate */
#define SHAPES(name)                                                                               \
    __attribute__((unused)) static HANDLER(vv_##name)                                              \
    {                                                                                              \
        do_##name(w, w->v[u->rd], w->v[u->ra], w->v[u->rb], 1);                                    \
        return next(u);                                                                            \
    }                                                                                              \
    __attribute__((unused)) static HANDLER(vx_##name)                                              \
    {                                                                                              \
        do_##name(w, w->v[u->rd], w->v[u->ra], &w->x[u->rb], 0);                                   \
        return next(u);                                                                            \
    }                                                                                              \
    __attribute__((unused)) static HANDLER(vi_##name)                                              \
    {                                                                                              \
        const u32 imm = (u32)u->imm;                                                               \
        do_##name(w, w->v[u->rd], w->v[u->ra], &imm, 0);                                           \
        return next(u);                                                                            \
    }

/* d = op(a, b) with b a row (bs 1) or one value (bs 0) */
#define OP(name, type, facts, result)                                                                     \
    static inline void do_##name(Warp *w, u32 *d, const u32 *pa, const u32 *pb, const int bs)      \
    {                                                                                              \
        const u32 *on = w->on, b0 = *pb;                                                           \
        if (w->dense) {                                                                            \
            APART LANES                                                                            \
            {                                                                                      \
                const type a = (type)pa[i], b = (type)(bs ? pb[i] : b0);                           \
                (void)a, (void)b;                                                                  \
                d[i] = (u32)(result);                                                              \
            }                                                                                      \
        } else {                                                                                   \
            APART LANES                                                                            \
            {                                                                                      \
                const type a = (type)pa[i], b = (type)(bs ? pb[i] : b0);                           \
                (void)a, (void)b;                                                                  \
                const u32 r = (u32)(result);                                                       \
                d[i] = on[i] ? r : d[i];                                                           \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    SHAPES(name)
#include "isa/op.def"

#define OP3(name, type, facts, result)                                                                    \
    static inline void do_##name(Warp *w, u32 *d, const u32 *pa, const u32 *pb, const int bs)      \
    {                                                                                              \
        const u32 *on = w->on, b0 = *pb;                                                           \
        APART LANES                                                                                \
        {                                                                                          \
            const type a = (type)pa[i], b = (type)(bs ? pb[i] : b0), c = (type)d[i];               \
            const u32 r = (u32)(result);                                                           \
            d[i] = on[i] ? r : d[i];                                                               \
        }                                                                                          \
    }                                                                                              \
    SHAPES(name)
#include "isa/op.def"

#define FIX(name, facts, result)                                                                          \
    static inline void do_##name(Warp *w, u32 *d, const u32 *pa, const u32 *pb, const int bs)      \
    {                                                                                              \
        const u32 vxrm = w->vxrm, b0 = *pb;                                                        \
        bool saturated = false, *const sat = &saturated;                                           \
        (void)vxrm, (void)sat;                                                                     \
        LANES                                                                                      \
        {                                                                                          \
            const u32 a = pa[i], b = bs ? pb[i] : b0;                                              \
            if (w->on[i])                                                                          \
                d[i] = result;                                                                     \
        }                                                                                          \
        w->vxsat |= saturated;                                                                     \
    }                                                                                              \
    SHAPES(name)
#include "isa/op.def"

/* --- floats ------------------------------------------------------------------------ */

/* the rounding mode of vector floats; false: reserved */
static inline bool vector_rm(const Warp *w, FpRound *rm)
{
    *rm = (FpRound)w->frm;
    return w->frm <= FP_RMM;
}

/* the loop of integer floats, for every mode */
#define SOFT_LOOP(soft)                                                                            \
    u8 flags = 0, *const fl = &flags;                                                              \
    FpRound rm;                                                                                    \
    if (!vector_rm(w, &rm))                                                                        \
        return false;                                                                              \
    LANES                                                                                          \
    {                                                                                              \
        const u32 a = pa[i], b = bs ? pb[i] : b0, c = d[i];                                        \
        (void)a, (void)b, (void)c, (void)rm;                                                       \
        if (w->on[i])                                                                              \
            d[i] = (u32)(soft);                                                                    \
    }                                                                                              \
    w->fflags |= flags;                                                                            \
    return true;

#define FLOAT_HANDLERS(name)                                                                       \
    __attribute__((unused)) static HANDLER(vv_##name)                                              \
    {                                                                                              \
        const bool ok = do_##name(w, w->v[u->rd], w->v[u->ra], w->v[u->rb], 1);                    \
        return ok ? next(u) : fail(w, u, FAULT_FRM, -1);                                           \
    }                                                                                              \
    __attribute__((unused)) static HANDLER(vx_##name)                                              \
    {                                                                                              \
        const bool ok = do_##name(w, w->v[u->rd], w->v[u->ra], &w->x[u->rb], 0);                   \
        return ok ? next(u) : fail(w, u, FAULT_FRM, -1);                                           \
    }

/* The source of an active lane, 1.0 of another one.  Compilers assume that floats have no side
 * effects.  gcc would turn on ? f(on ? v : 1) : d into on ? f(v) : d, so lanes are masked instead
 * of selected; clang would compute on all lanes first and select afterwards, so the row's contents
 * are hidden from it. */
#ifdef __clang__
#define OPAQUE(row) __asm__("" : "+m"(row))
#else
#define OPAQUE(row) (void)row
#endif
#define QUIET(row, value)                                                                          \
    u32 row[MAX_LANES];                                                                            \
    APART LANES row[i] = ((value) & on[i]) | (ONE32 & ~on[i]);                                     \
    OPAQUE(row);

/* `whole`: every lane of the row is on */
#define HOST_LOOP_AT_ONCE(name, whole, host, va, vb, vc)                                           \
    APART LANES                                                                                    \
    {                                                                                              \
        const u32 a = va, b = vb;                                                                  \
        const float fa = float_of(a), fb = float_of(b);                                            \
        (void)a, (void)b, (void)fa, (void)fb;                                                      \
        const u32 r = canonical(host);                                                             \
        d[i] = whole || on[i] ? r : d[i];                                                          \
    }                                                                                              \
    return true;

/* The same where a result tells whether the host's flags are right: `strange` if they may not be.  Then
 * the integer routine raises them. */
#define HOST_LOOP_AGAIN(name, whole, host, va, vb, vc, strange)                                    \
    const u64 before = raised_before();                                                            \
    u32 results[MAX_LANES], again = 0;                                                             \
    APART LANES                                                                                    \
    {                                                                                              \
        const u32 a = va, b = vb, c = vc;                                                          \
        const float fa = float_of(a), fb = float_of(b), fc = float_of(c);                          \
        (void)a, (void)b, (void)c, (void)fa, (void)fb, (void)fc;                                   \
        const u32 r = canonical(host);                                                             \
        again |= strange;                                                                          \
        results[i] = r;                                                                            \
    }                                                                                              \
    if (again) {                                                                                   \
        raise_again(before);                                                                       \
        return soft_##name(w, d, pa, pb, bs);                                                      \
    }                                                                                              \
    APART LANES d[i] = whole || on[i] ? results[i] : d[i];                                         \
    return true;

#if defined(__aarch64__)
#define HOST_LOOP(name, whole, host, va, vb, vc)                                                   \
    HOST_LOOP_AGAIN(name, whole, host, va, vb, vc, HOST_DOUBTS(r))
#else
#define HOST_LOOP HOST_LOOP_AT_ONCE
#endif
/* Fused operations: hosts do not agree whether infinity * 0 + NaN is invalid. */
#define HOST_LOOP3(name, whole, host, va, vb, vc)                                                  \
    HOST_LOOP_AGAIN(name, whole, host, va, vb, vc, r == F32_CANONICAL || HOST_DOUBTS(r))

#define HOST_FLOAT(name, host, soft, LOOP)                                                         \
    static bool soft_##name(Warp *w, u32 *d, const u32 *pa, const u32 *pb, const int bs)           \
    {                                                                                              \
        const u32 b0 = *pb;                                                                        \
        SOFT_LOOP(soft)                                                                            \
    }                                                                                              \
    static inline bool do_##name(Warp *w, u32 *d, const u32 *pa, const u32 *pb, const int bs)      \
    {                                                                                              \
        const u32 *on = w->on, b0 = *pb;                                                           \
        if (w->frm != FP_RNE || !HOST_FLOATS)                                                      \
            return soft_##name(w, d, pa, pb, bs);                                                  \
        if (w->whole) {                                                                            \
            LOOP(name, true, host, pa[i], bs ? pb[i] : b0, d[i])                                   \
        }                                                                                          \
        QUIET(qa, pa[i])                                                                           \
        QUIET(qb, bs ? pb[i] : b0)                                                                 \
        QUIET(qc, d[i])                                                                            \
        LOOP(name, false, host, qa[i], qb[i], qc[i])                                               \
    }                                                                                              \
    FLOAT_HANDLERS(name)

#define FOP(name, facts, host, soft)  HOST_FLOAT(name, host, soft, HOST_LOOP)
#define FOP3(name, facts, host, soft) HOST_FLOAT(name, host, soft, HOST_LOOP3)
#include "isa/op.def"

#define FBIT(name, facts, result, flags, soft)                                                            \
    static bool soft_##name(Warp *w, u32 *d, const u32 *pa, const u32 *pb, const int bs)           \
    {                                                                                              \
        const u32 b0 = *pb;                                                                        \
        SOFT_LOOP(soft)                                                                            \
    }                                                                                              \
    static inline bool do_##name(Warp *w, u32 *d, const u32 *pa, const u32 *pb, const int bs)      \
    {                                                                                              \
        const u32 *on = w->on, b0 = *pb;                                                           \
        u32 raised = 0;                                                                            \
        if (w->frm != FP_RNE)                                             \
            return soft_##name(w, d, pa, pb, bs);                                                  \
        APART LANES                                                                                \
        {                                                                                          \
            const u32 a = pa[i], b = bs ? pb[i] : b0;                                              \
            (void)b;                                                                               \
            raised |= on[i] & (flags);                                                             \
            const u32 r = result;                                                                  \
            d[i] = on[i] ? r : d[i];                                                               \
        }                                                                                          \
        w->fflags |= (u8)raised;                                                                   \
        return true;                                                                               \
    }                                                                                              \
    FLOAT_HANDLERS(name)
#include "isa/op.def"

#define FSOFT(name, facts, soft)                                                                          \
    static bool do_##name(Warp *w, u32 *d, const u32 *pa, const u32 *pb, const int bs)             \
    {                                                                                              \
        const u32 b0 = *pb;                                                                        \
        SOFT_LOOP(soft)                                                                            \
    }                                                                                              \
    FLOAT_HANDLERS(name)
#include "isa/op.def"

/* --- moves ---------------------------------------------------------------------------- */

static inline const Uop *merge(Warp *w, const Uop *u, const u32 *pb, const int bs)
{
    u32 *d = w->v[u->rd], b0 = *pb;
    const u32 *pa = w->v[u->ra], *on = w->on;
    u32 chosen[MAX_LANES];
    lanes_under_v0(w, chosen);
    APART LANES
    {
        const u32 r = chosen[i] ? (bs ? pb[i] : b0) : pa[i];
        d[i] = on[i] ? r : d[i];
    }
    return next(u);
}

static HANDLER(vv_merge) { return merge(w, u, w->v[u->rb], 1); }
static HANDLER(vx_merge) { return merge(w, u, &w->x[u->rb], 0); }
static HANDLER(vi_merge)
{
    const u32 imm = (u32)u->imm;
    return merge(w, u, &imm, 0);
}

static HANDLER(v_vid)
{
    u32 *d = w->v[u->rd];
    const u32 *on = w->on;
    LANES d[i] = on[i] ? (u32)i : d[i];
    return next(u);
}

/* --- divergence -------------------------------------------------------------------------- */

static inline const Uop *split(Warp *w, const Uop *u, u32 taken)
{
    FaultKind fault;
    if (taken && taken != w->mask && !is_join(w, w->rpc))
        return fail_at(w, u, FAULT_SIMT_NO_JOIN, -1, w->rpc, 0);
    const u32 pc = simt_split(w, taken, (u32)u->imm, next_pc(u), &fault);
    return fault == FAULT_NONE ? go(w, pc) : fail(w, u, fault, -1);
}

#define OP(name, type, facts, result)                                                                     \
    __attribute__((unused)) static HANDLER(split_##name)                                           \
    {                                                                                              \
        const u32 *pa = w->v[u->ra], *pb = w->v[u->rb], *on = w->on;                               \
        u32 truth[MAX_LANES];                                                                      \
        APART LANES                                                                                \
        {                                                                                          \
            const type a = (type)pa[i], b = (type)pb[i];                                           \
            (void)a, (void)b;                                                                      \
            truth[i] = on[i] ? (u32)(result) : 0;                                                  \
        }                                                                                          \
        return split(w, u, lanes_where(truth));                                                    \
    }
#include "isa/op.def"

/* --- memory ---------------------------------------------------------------------------------- */

/* *lo, *hi: lowest and highest address of the active lanes, of which there must be one */
static inline void span(const Warp *w, u32 *lo, u32 *hi)
{
    u32 least = UINT32_MAX, most = 0;
    LANES
    {
        const u32 a = w->addr[i], on = w->on[i];
        const u32 up = a | ~on, down = a & on;
        least = up < least ? up : least;
        most = down > most ? down : most;
    }
    *lo = least;
    *hi = most;
}

/* A chunk of lanes: those of groups of two dimensions often have rows where whole warps do not. */
enum { RUN = 8 };
#define RUN_OF(type) __attribute__((vector_size(sizeof(type) * RUN), aligned(1), may_alias)) type
typedef RUN_OF(u32) Run;
typedef RUN_OF(u8) RunU8;
typedef RUN_OF(i8) RunI8;
typedef RUN_OF(u16) RunU16;
typedef RUN_OF(i16) RunI16;
#undef RUN_OF

#define ALL_OF(a) ((Run){a, a, a, a, a, a, a, a})

/* whether the addresses of the lanes of each chunk are so far from each other; 0: the same */
static inline bool in_runs(const Warp *w, const u32 step)
{
    static const Run numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    Run differ = {0};
    u32 some = 0;
    for (u32 c = 0; c < MAX_LANES; c += RUN)
        differ |=
            *(const Run *)(const void *)&w->addr[c] ^ (ALL_OF(w->addr[c]) + numbers * ALL_OF(step));
    for (u32 i = 0; i < RUN; i++)
        some |= differ[i];
    return !some;
}

static inline u32 extend(u32 v, const u32 width, const bool sgn)
{
    return !sgn ? v : width == 1 ? (u32)(i32)(i8)v : (u32)(i32)(i16)v;
}

/* Loads lane by lane, through access.c, which handles whatever is special about an address. */
static const Uop *load_each(Warp *w, const Uop *u, u32 width, bool sgn)
{
    for (int i = 0; i < MAX_LANES; i++) {
        u32 value;
        if (!w->on[i])
            continue;
        if (!access_load(w, u, w->addr[i], width, i, &value))
            return NULL;
        w->v[u->rd][i] = extend(value, width, sgn);
    }
    return next(u);
}

static const Uop *store_each(Warp *w, const Uop *u, u32 width)
{
    for (int i = 0; i < MAX_LANES; i++)
        if (w->on[i] && !access_store(w, u, w->addr[i], width, i, w->v[u->rb][i]))
            return NULL;
    return next(u);
}

static inline void load_run(u32 *d, const void *from, const u32 width, const bool sgn)
{
#define WIDENED(type) __builtin_convertvector(*(const type *)from, Run)
    *(Run *)(void *)d = width == 1   ? (sgn ? WIDENED(RunI8) : WIDENED(RunU8))
                        : width == 2 ? (sgn ? WIDENED(RunI16) : WIDENED(RunU16))
                                     : *(const Run *)from;
#undef WIDENED
}

/* loads to v[rd] from addr[] */
static inline const Uop *load(Warp *w, const Uop *u, const u32 width, const bool sgn)
{
    u32 lo, hi, *d = w->v[u->rd];
    if (!w->exec)
        return next(u);
    span(w, &lo, &hi);
    const u8 *base = range(w, lo, (u64)hi + width - 1, MEM_R);
    if (!base)
        return load_each(w, u, width, sgn);
    if (__builtin_expect(w->group->notes, 0) && !access_note_lanes(w, u, lo, hi, width, false))
        return NULL;
    if (w->whole && in_runs(w, width)) {
        for (u32 c = 0; c < MAX_LANES; c += RUN)
            load_run(&d[c], base + w->addr[c], width, sgn);
        return next(u);
    }
    if (w->whole && in_runs(w, 0)) {
        for (u32 c = 0; c < MAX_LANES; c += RUN) {
            const u32 one = extend(memory_get(base + w->addr[c], width), width, sgn);
            *(Run *)(void *)&d[c] = ALL_OF(one);
        }
        return next(u);
    }
    const u32 *on = w->on, *addr = w->addr;
    const u32 lanes = w->group->launch->lanes;
    for (u32 i = 0; i < lanes; i++) {
        const u32 r = extend(memory_get(base + (on[i] ? addr[i] : lo), width), width, sgn);
        d[i] = on[i] ? r : d[i];
    }
    return next(u);
}

/* stores v[rb] to addr[] */
static inline const Uop *store(Warp *w, const Uop *u, const u32 width)
{
    u32 lo, hi;
    const u32 *s = w->v[u->rb];
    if (!w->exec)
        return next(u);
    span(w, &lo, &hi);
    u8 *base = w->group->reservations ? NULL : range(w, lo, (u64)hi + width - 1, MEM_W);
    if (!base)
        return store_each(w, u, width);
    if (__builtin_expect(w->group->notes, 0) && !access_note_lanes(w, u, lo, hi, width, true))
        return NULL;
    if (w->whole && in_runs(w, width)) {
        for (u32 c = 0; c < MAX_LANES; c += RUN) {
            u8 *to = base + w->addr[c];
            for (u32 i = 0; i < RUN; i++)
                memory_put(to + i * width, width, s[c + i]);
        }
        return next(u);
    }
    for (u32 left = w->exec; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        memory_put(base + w->addr[i], width, s[i]);
    }
    return next(u);
}

/* --- atomics of lanes that all name one word, as loops around a word in common do --------------- */

/* Its host address; NULL: they name several, or it needs a closer look, or accesses are noted. */
static inline u32 *common_word(const Warp *w, const u32 *addr)
{
    const u8 need = MEM_R | MEM_W;
    if (w->group->careful || w->group->notes || !w->exec)
        return NULL;
    const u32 first = addr[__builtin_ctz(w->exec)];
    u32 differ = first & 3;
    LANES differ |= (addr[i] ^ first) & w->on[i];
    const Memory *m = view(w, first);
    const bool plain =
        !differ && first < m->end && (memory_rights(m, first >> PAGE_BITS) & need) == need;
    return plain ? (u32 *)(void *)(m->base + first) : NULL;
}

static HANDLER(common_amo)
{
    u32 old[MAX_LANES], *d = w->v[u->rd];
    u32 *word = w->group->reservations ? NULL : common_word(w, w->v[u->ra]);
    if (!word)
        return v_amo(w, u);
    exchange_word((Op)isa_insn[u->id].op, w, word, w->v[u->rb], old);
    APART LANES d[i] = w->on[i] ? old[i] : d[i];
    return next(u);
}

static HANDLER(common_lr)
{
    u32 *word = common_word(w, w->v[u->ra]), *d = w->v[u->rd];
    if (!word)
        return v_lr(w, u);
    const u32 value = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    const u64 addr = w->v[u->ra][__builtin_ctz(w->exec)];
    w->group->reservations += !w->reserved;
    w->reserved |= w->exec;
    APART LANES
    {
        w->reserved_addr[i] = w->on[i] ? addr : w->reserved_addr[i];
        w->reserved_value[i] = w->on[i] ? value : w->reserved_value[i];
        d[i] = w->on[i] ? value : d[i];
    }
    return next(u);
}

/* The first lane whose reservation holds stores, and that ends those of the others. */
static HANDLER(common_sc)
{
    u32 *word = common_word(w, w->v[u->ra]), *d = w->v[u->rd], winner = 0;
    if (!word)
        return v_sc(w, u);
    const u64 addr = w->v[u->ra][__builtin_ctz(w->exec)];
    for (u32 left = w->exec & w->reserved; left && !winner; left &= left - 1) {
        const int i = __builtin_ctz(left);
        u32 expected = w->reserved_value[i];
        if (w->reserved_addr[i] == addr &&
            __atomic_compare_exchange_n(word, &expected, w->v[u->rb][i], false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
            winner = 1u << i;
    }
    w->group->reservations -= w->reserved && !(w->reserved & ~w->exec);
    w->reserved &= ~w->exec;
    if (winner && w->group->reservations)
        drop_reservations(w->group, addr, 4);
    APART LANES d[i] = w->on[i] ? ~winner >> i & 1 : d[i];
    return next(u);
}

/* address rules (doc/isa.md, "Memory"); each fills addr[] */
static inline void addr_flat(Warp *w, const Uop *u);

static inline void addr_12(Warp *w, const Uop *u)
{
    if (w->group->launch->set & V2025) {
        addr_flat(w, u);
        return;
    }
    const u32 *a = w->v[u->ra], imm = (u32)u->imm;
    APART LANES w->addr[i] = a[i] + imm;
}

/* v2025: an address whose top byte is 0 is private (doc/isa.md, "Memory") */
static inline void addr_flat(Warp *w, const Uop *u)
{
    const u32 *base = w->v[u->ra], imm = (u32)u->imm, lanes = w->group->launch->lanes;
    const u32 pds = warp_pds(w);
    APART LANES
    {
        const u32 a = base[i] + imm;
        w->addr[i] = base[i] >> 24 ? a : pds + (a & ~3u) * lanes + (a & 3) + 4 * (u32)i;
    }
}

static inline void addr_priv11(Warp *w, const Uop *u)
{
    const u32 *base = w->v[u->ra], imm = (u32)u->imm;
    const u32 threads = w->group->nwarps * w->group->launch->lanes;
    const u32 first = w->group->pds_base + w->tid * 4;
    APART LANES
    {
        const u32 a = base[i] + imm;
        w->addr[i] = first + (a & ~3u) * threads + 4 * (u32)i + (a & 3);
    }
}

/* whether a strict machine lets the access of addr_priv11() be; false: it faulted */
static inline bool fits_priv11(Warp *w, const Uop *u, const u32 width)
{
    if (__builtin_expect(!w->group->launch->strict, 1))
        return true;
    for (u32 left = w->exec; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (!access_private(w, u, w->v[u->ra][i] + (u32)u->imm, width, i))
            return false;
    }
    return true;
}

static inline void addr_stride(Warp *w, u32 base, u32 stride)
{
    APART LANES w->addr[i] = base + (u32)i * stride;
}

static inline void addr_index(Warp *w, const Uop *u, const u32 width)
{
    const u32 base = w->x[u->ra], *index = w->v[u->rc];
    const u32 keep = width == 4 ? UINT32_MAX : (1u << 8 * width) - 1;
    APART LANES w->addr[i] = base + (index[i] & keep);
}

#define MEMORY(rule, name, width, address, loads, stores)                                          \
    __attribute__((unused)) static HANDLER(ld_##rule##_##name)                                     \
    {                                                                                              \
        address;                                                                                   \
        return loads;                                                                              \
    }                                                                                              \
    __attribute__((unused)) static HANDLER(st_##rule##_##name)                                     \
    {                                                                                              \
        address;                                                                                   \
        return stores;                                                                             \
    }
#define WIDTH(name, bytes, sgn)                                                                    \
    MEMORY(12, name, bytes, addr_12(w, u), load(w, u, bytes, sgn), store(w, u, bytes))             \
    MEMORY(priv11, name, bytes, addr_priv11(w, u),                                                 \
           fits_priv11(w, u, bytes) ? load(w, u, bytes, sgn) : NULL,                               \
           fits_priv11(w, u, bytes) ? store(w, u, bytes) : NULL)                                   \
    MEMORY(unit, name, bytes, addr_stride(w, w->x[u->ra], bytes), load(w, u, bytes, sgn),          \
           store(w, u, bytes))                                                                     \
    MEMORY(stride, name, bytes, addr_stride(w, w->x[u->ra], w->x[u->rc]), load(w, u, bytes, sgn),  \
           store(w, u, bytes))                                                                     \
    /* the width is that of the index; the data are words */                                       \
    MEMORY(index, name, bytes, addr_index(w, u, bytes), load(w, u, 4, false), store(w, u, 4))
#include "isa/op.def"

/* --- matrix product (matrix.c) --- */

/* d += a * b, fused, k ascending; every shape has 8 or 16 columns */
static void product(float *restrict d, const float *restrict a, const float *restrict b, u32 m,
                    u32 n, u32 k)
{
#if defined(__AVX512F__) /* a row of 16 in a register: compilers take it apart */
    for (u32 i = 0; n == 16 && i < m; i++) {
        __m512 row = _mm512_loadu_ps(&d[i * 16]);
        for (u32 l = 0; l < k; l++)
            row = _mm512_fmadd_ps(_mm512_set1_ps(a[i * k + l]), _mm512_loadu_ps(&b[l * 16]), row);
        _mm512_storeu_ps(&d[i * 16], row);
    }
    if (n == 16)
        return;
#endif
#if defined(__FMA__) && defined(__AVX2__)
    for (u32 i = 0; i < m; i++)
        for (u32 j = 0; j < n; j += 8) {
            __m256 row = _mm256_loadu_ps(&d[i * n + j]);
            for (u32 l = 0; l < k; l++)
                row = _mm256_fmadd_ps(_mm256_set1_ps(a[i * k + l]), _mm256_loadu_ps(&b[l * n + j]),
                                      row);
            _mm256_storeu_ps(&d[i * n + j], row);
        }
#else
    for (u32 i = 0; i < m; i++)
        for (u32 l = 0; l < k; l++)
            for (u32 j = 0; j < n; j++)
                d[i * n + j] = __builtin_fmaf(a[i * k + l], b[l * n + j], d[i * n + j]);
#endif
}

/* binary16 as binary32, exactly; a NaN becomes the canonical one */
static inline u32 half_as_float(u32 v)
{
    const u32 sign = v >> 15 << 31, exp = v >> 10 & 31, frac = v & 0x3ff;
    const float tiny = (float)(i32)frac * 0x1p-24f; /* a subnormal; nothing is rounded */
    u32 bits;
    memcpy(&bits, &tiny, sizeof bits);
    const u32 normal = (exp + 127 - 15) << 23 | frac << 13;
    const u32 special = frac ? F32_CANONICAL : 0x7f800000u | sign;
    return exp == 31 ? special : (exp ? normal : bits) | sign;
}

static void halves(u32 *restrict to, const u32 *restrict words, u32 n)
{
    u32 i = 0;
#if defined(__AVX512F__) /* NaNs keep their bits, of which results show nothing */
    for (; i + 8 <= n / 2; i += 8)
        _mm512_storeu_ps((void *)&to[2 * i], _mm512_cvtph_ps(_mm256_loadu_si256(
                                                  (const __m256i *)(const void *)&words[i])));
#endif
    for (; i < n / 2; i++) {
        to[2 * i] = half_as_float(words[i] & 0xffff);
        to[2 * i + 1] = half_as_float(words[i] >> 16);
    }
}

static inline void transpose_rows(u32 *restrict to, const u32 *restrict from, const u32 rows,
                                  const u32 columns)
{
    for (u32 j = 0; j < columns; j++)
        for (u32 i = 0; i < rows; i++)
            to[j * rows + i] = from[i * columns + j];
}

/* the shapes of common products are known here, others are not many */
static void transpose(u32 *restrict to, const u32 *restrict from, u32 rows, u32 columns)
{
    if (rows == 16 && columns == 16)
        transpose_rows(to, from, 16, 16);
    else if (rows == 8 && columns == 16)
        transpose_rows(to, from, 8, 16);
    else
        transpose_rows(to, from, rows, columns);
}

static void numbers(u32 *restrict to, const u32 *restrict from, u32 n)
{
    for (u32 i = 0; i < n; i++)
        to[i] = f32_nan(from[i]) ? F32_CANONICAL : from[i];
}

/* --- words divided by one value ------------------------------------------------------------------ */

/* The quotients of all lanes, or the rests: by a multiplication with 2^64 / b, rounded up, which hosts do in
 * vectors.  For b from 2 on that is m = (2^64 + e) / b with e < b, so that a * m / 2^64 is a / b and less than
 * 2^-32 more, which comes to no other integer. */
static inline const Uop *divide_lanes(Warp *w, const Uop *u, const bool rest)
{
    const u32 b = w->x[u->rb], *on = w->on, *pa = w->v[u->ra];
    const u64 m = UINT64_MAX / b + 1, high = m >> 32, low = (u32)m;
    u32 *d = w->v[u->rd];
    APART LANES
    {
        const u64 a = pa[i];
        const u32 q = (u32)((a * high + (a * low >> 32)) >> 32), r = rest ? pa[i] - q * b : q;
        d[i] = on[i] ? r : d[i];
    }
    return next(u);
}
static HANDLER(vx_divu_fast)
{
    return w->x[u->rb] < 2 ? vx_divu(w, u) : divide_lanes(w, u, false);
}
static HANDLER(vx_remu_fast)
{
    return w->x[u->rb] < 2 ? vx_remu(w, u) : divide_lanes(w, u, true);
}
/* the table takes these */
#define vx_divu vx_divu_fast
#define vx_remu vx_remu_fast

/* --- the table ------------------------------------------------------------------------------ */

/* from a format to the shape of its handlers: x_rr_, x_ri_, vv_, vx_, vi_ */
#define SHAPE_R(op)    x_rr_##op
#define SHAPE_R1(op)   x_ri_##op
#define SHAPE_I(op)    x_ri_##op
#define SHAPE_SH(op)   x_ri_##op
#define SHAPE_VV(op)   vv_##op
#define SHAPE_CPV(op)  vv_##op
#define SHAPE_VX(op)   vx_##op
#define SHAPE_CPX(op)  vx_##op
#define SHAPE_VI(op)   vi_##op
#define SHAPE_VZ(op)   vi_##op
#define SHAPE_VH(op)   vi_##op
#define SHAPE_V1(op)   vi_##op
#define SHAPE_CPI(op)  vi_##op
#define SHAPE_VI12(op) vi_##op
#define SHAPE_MACV(op) vv_##op
#define SHAPE_MACX(op) vx_##op
#define SHAPE_MVV(op)  vv_##op
#define SHAPE_MVX(op)  vx_##op
#define SHAPE_MVI(op)  vi_##op

#define FSHAPE_RF(op)   x_f_##op
#define FSHAPE_RF1(op)  x_f_##op
#define FSHAPE_R(op)    x_f_##op
#define FSHAPE_R4(op)   x_f3_##op
#define FSHAPE_VV(op)   vv_##op
#define FSHAPE_VX(op)   vx_##op
#define FSHAPE_V1(op)   vv_##op
#define FSHAPE_MACV(op) vv_##op
#define FSHAPE_MACX(op) vx_##op

#define RUN_ALU(format, op)    SHAPE_##format(op)
#define RUN_MAC(format, op)    SHAPE_##format(op)
#define RUN_FIXED(format, op)  SHAPE_##format(op)
#define RUN_MERGE(format, op)  SHAPE_##format(merge)
#define RUN_FALU(format, op)   FSHAPE_##format(op)
#define RUN_FMAC(format, op)   FSHAPE_##format(op)
#define RUN_NARROW(format, op) v_narrow
#define RUN_LUI(format, op)    x_lui
#define RUN_AUIPC(format, op)  x_auipc
#define RUN_JAL(format, op)    x_jal
#define RUN_JALR(format, op)   x_jalr
#define RUN_BRANCH(format, op) x_branch_##op
#define RUN_CSR(format, op)    x_csr
#define RUN_VCSR(format, op)   v_csr_lanes
#define RUN_VSET(format, op)   x_vset
#define RUN_FENCE(format, op)  x_fence
#define RUN_SUBBARRIER(format, op) x_nop
#define RUN_TRAP(format, op)   w_trap
#define RUN_LOAD(format, op)   x_load_##op
#define RUN_STORE(format, op)  x_store_##op
#define RUN_VLOAD_UNIT(format, op)    ld_unit_##op
#define RUN_VLOAD_STRIDE(format, op)  ld_stride_##op
#define RUN_VLOAD_INDEX(format, op)   ld_index_##op
#define RUN_VLOAD_12(format, op)      ld_12_##op
#define RUN_VLOAD_PRIV11(format, op)  ld_priv11_##op
#define RUN_VSTORE_UNIT(format, op)   st_unit_##op
#define RUN_VSTORE_STRIDE(format, op) st_stride_##op
#define RUN_VSTORE_INDEX(format, op)  st_index_##op
#define RUN_VSTORE_12(format, op)     st_12_##op
#define RUN_VSTORE_PRIV11(format, op) st_priv11_##op
#define RUN_AMO(format, op)    common_amo
#define RUN_LR(format, op)     common_lr
#define RUN_SC(format, op)     common_sc
#define RUN_VID(format, op)    v_vid
#define RUN_TOSCALAR(format, op) v_toscalar
#define RUN_SPLIT(format, op)  split_##op
#define RUN_JOIN(format, op)   w_join
#define RUN_SETRPC(format, op) w_setrpc
#define RUN_REGEXT(format, op)  w_lone_prefix
#define RUN_REGEXTI(format, op) w_lone_prefix
#define RUN_EXIT(format, op)   w_exit
#define RUN_BARRIER(format, op) w_barrier
#define RUN_EXP(format, op)    v_exp
#define RUN_TTA(format, op)    v_tta
/* profile v2025 and overlay ai */
#define RUN_WIDEN(format, op)          v_widen
#define RUN_WIDEN_W(format, op)        v_widen
#define RUN_WIDEN_MAC(format, op)      v_widen_mac
#define RUN_FWIDEN(format, op)         v_fwiden
#define RUN_FNARROW(format, op)        v_fnarrow
#define RUN_PAIR(format, op)           x_pair
#define RUN_LOAD_PAIR(format, op)      v_memory
#define RUN_STORE_PAIR(format, op)     v_memory
#define RUN_AMO_PAIR(format, op)       v_memory
#define RUN_LR_PAIR(format, op)        v_memory
#define RUN_SC_PAIR(format, op)        v_memory
#define RUN_VLOAD_GLOBAL(format, op)   v_memory
#define RUN_VLOAD_LOCAL(format, op)    v_memory
#define RUN_VLOAD_PRIVATE(format, op)  v_memory
#define RUN_VLOAD_12D(format, op)      v_memory
#define RUN_VSTORE_GLOBAL(format, op)  v_memory
#define RUN_VSTORE_LOCAL(format, op)   v_memory
#define RUN_VSTORE_PRIVATE(format, op) v_memory
#define RUN_VSTORE_12D(format, op)     v_memory
#define RUN_PREFIX(format, op)         w_lone_prefix
#define RUN_PREFIXI(format, op)        w_lone_prefix
#define RUN_PRE_M(format, op)          w_lone_prefix
#define RUN_MMA(format, op)            v_mma
#define RUN_MMA64(format, op)          v_mma64
#define RUN_DMA(format, op)            w_dma
#define RUN_DMA_BULK(format, op)       w_dma_bulk
#define RUN_DMA_TENSOR(format, op)     w_dma_tensor
#define RUN_DMA_WAIT(format, op)       w_dma_wait
#define RUN_WORD64(format, op)         v_word64
#define RUN_WORD64F(format, op)        v_word64
#define RUN_SHUFFLE_BFLY(format, op)   v_shuffle
#define RUN_SHUFFLE_IDX(format, op)    v_shuffle
#define RUN_SHUFFLE_UP(format, op)     v_shuffle
#define RUN_SHUFFLE_DOWN(format, op)   v_shuffle
#define RUN_CVT16(format, op)          v_cvt16
#define RUN_PACKED(format, op)         v_packed
#define RUN_SFU(format, op)            v_sfu

static Handler *const table[NINSN] = {
#define INSN(id, text, sets, format, bits, unit, effect, op) [I_##id] = RUN_##effect(format, op),
#include "isa/isa.def"
};
