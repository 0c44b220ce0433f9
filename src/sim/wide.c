/* wide.c -- arithmetic beyond 32 bits and under the compute prefixes.
 *
 * An instruction after a prefix with pair, abs or neg (doc/isa.md, "Prefixes") takes the general
 * way: sources are fetched as 64-bit values, modified, evaluated by the expressions of op.def, and
 * written back, lane by lane.  Under pair an even register field names the pair {n + 1, n}; an odd
 * one names a 32-bit register, which is widened: integers by their sign (by zeros for unsigned
 * operations), floats to binary64.
 */
#include "sim/handlers.h"
#include <string.h>

/* --- register pairs ---------------------------------------------------------------- */

static u64 v_pair(const Warp *w, u32 n, int lane)
{
    return (u64)w->v[n + 1][lane] << 32 | w->v[n][lane];
}

static void set_v_pair(Warp *w, u32 n, int lane, u64 value)
{
    w->v[n][lane] = (u32)value;
    w->v[n + 1][lane] = (u32)(value >> 32);
}

/* x0 as a pair reads 0 and discards */
static u64 x_pair_value(const Warp *w, u32 n) { return n ? (u64)w->x[n + 1] << 32 | w->x[n] : 0; }

static void set_x_pair(Warp *w, u32 n, u64 value)
{
    if (!n)
        return;
    w->x[n] = (u32)value;
    w->x[n + 1] = (u32)(value >> 32);
}

/* --- abs and neg: NEG, then ABS; `source` 0 to 2 is src1 to src3 ------------------------ */

static bool negates(const Uop *u, int source) { return u->mod >> (MOD_NEG + source) & 1; }
static bool takes_abs(const Uop *u, int source) { return u->mod >> (MOD_ABS + source) & 1; }

static u64 modified_int(const Uop *u, int source, u64 v)
{
    const u64 n = negates(u, source) ? 0 - v : v;
    return takes_abs(u, source) && (i64)n < 0 ? 0 - n : n;
}

static u64 modified_float(const Uop *u, int source, u64 v, u64 sign)
{
    return takes_abs(u, source) ? v & ~sign : negates(u, source) ? v ^ sign : v;
}

/* --- evaluation --------------------------------------------------------------------- */

/* *r: the operation on 64-bit values; false: it has no such form */
static bool eval_int64(Op op, u64 x, u64 y, u64 *r)
{
    switch (op) {
#define OP64(name, type, result)                                                                   \
    case OP_##name: {                                                                              \
        const type a = (type)x, b = (type)y;                                                       \
        (void)a, (void)b;                                                                          \
        *r = (u64)(result);                                                                        \
        return true;                                                                               \
    }
#include "isa/op.def"
    default: return false;
    }
}

static bool eval_int32(Op op, u32 a, u32 b, u32 c, u64 *r)
{
    switch (op) {
#define OP(name, type, facts, result)                                                              \
    case OP_##name:                                                                                \
        *r = op_eval(op, a, b);                                                                    \
        return true;
#define OP3(name, type, facts, result)                                                             \
    case OP_##name:                                                                                \
        *r = op_eval3(op, a, b, c);                                                                \
        return true;
#include "isa/op.def"
    default: return false;
    }
}

#define SOFT(name, soft)                                                                           \
    case OP_##name:                                                                                \
        *r = (u64)(soft);                                                                          \
        return true;
#define FOP(name, facts, host, soft)           SOFT(name, soft)
#define FOP3(name, facts, host, soft)          SOFT(name, soft)
#define FBIT(name, facts, result, flags, soft) SOFT(name, soft)
#define FSOFT(name, facts, soft)               SOFT(name, soft)

static bool eval_f32(Op op, u64 a, u64 b, u64 c, FpRound rm, u8 *fl, u64 *r)
{
    switch (op) {
#include "isa/op.def"
    default: return false;
    }
}

#undef F
#undef SIGN
#undef BITS
#undef SIGNED
#define F                                      fp_f64
#define SIGN                                   SIGN64
#define BITS                                   64
#define SIGNED(a)                              (a)
#define FOP(name, facts, host, soft)           SOFT(name, soft)
#define FOP3(name, facts, host, soft)          SOFT(name, soft)
#define FBIT(name, facts, result, flags, soft) SOFT(name, soft)
#define FSOFT(name, facts, soft)               SOFT(name, soft)

static bool eval_f64(Op op, u64 a, u64 b, u64 c, FpRound rm, u8 *fl, u64 *r)
{
    switch (op) {
#include "isa/op.def"
    default: return false;
    }
}

/* --- the general way ------------------------------------------------------------------ */

typedef enum { FROM_NOTHING, FROM_X, FROM_V, FROM_IMM } From;

/* What the instruction works on. */
typedef struct {
    Op op;
    u16 facts; /* OF_* */
    bool pair;
    bool scalar; /* destination is a scalar register */
    u8 from[3];  /* From, of a, b, c */
    u8 bit[3];   /* of each, its bit in abs and neg: 0 rs1 or vs1, 1 rs2 or vs2, 2 the third */
} Kind;

static void set_source(Kind *k, IsaRole role, OperandId operand)
{
    const OperandInfo *o = &isa_operand[operand];
    const int which = role == ROLE_A ? 0 : role == ROLE_B ? 1 : 2;
    k->from[which] = o->kind == K_XREG ? FROM_X : o->kind == K_VREG ? FROM_V : FROM_IMM;
    k->bit[which] = (u8)isa_modifier(operand);
}

static Kind kind_of(const Uop *u)
{
    const FormatInfo *f = isa_format_of((InsnId)u->id);
    Kind k = {.op = (Op)isa_insn[u->id].op,
              .facts = isa_op_of((InsnId)u->id)->facts,
              .pair = u->mod & MOD_PAIR};
    for (int i = 0; i < f->nopd; i++) {
        const OperandInfo *o = &isa_operand[f->opd[i]];
        const IsaRole role = (IsaRole)f->roles[i];
        if (role == ROLE_D)
            k.scalar = o->kind == K_XREG;
        if (role == ROLE_D ? o->use == USE_RW : role >= ROLE_A && role <= ROLE_C)
            set_source(&k, role, (OperandId)f->opd[i]);
    }
    return k;
}

/* a 32-bit value as a 64-bit source */
static u64 widen(const Kind *k, u32 v, u8 *fl)
{
    if (k->facts & OF_FROM_FLOAT)
        return fp_convert(fp_f32, fp_f64, v, FP_RNE, fl);
    return k->facts & OF_UNSIGNED ? v : (u64)(i64)(i32)v;
}

static u64 modify(const Uop *u, const Kind *k, int source, u64 v)
{
    if (k->facts & OF_FROM_FLOAT)
        return modified_float(u, source, v, k->pair ? SIGN64 : SIGN32);
    const u64 r = modified_int(u, source, k->pair ? v : (u64)(i64)(i32)v);
    return k->pair ? r : (u32)r;
}

static u64 source(const Warp *w, const Uop *u, const Kind *k, int which, int lane, u8 *fl)
{
    const u8 reg[3] = {u->ra, u->rb, k->scalar ? u->rc : u->rd};
    const u32 n = reg[which];
    const bool pair = k->pair && !(n & 1);
    u64 v;
    switch ((From)k->from[which]) {
    case FROM_NOTHING: return 0;
    case FROM_IMM: return k->pair ? (u64)(i64)u->imm : (u32)u->imm;
    case FROM_X: v = pair ? x_pair_value(w, n) : k->pair ? widen(k, w->x[n], fl) : w->x[n]; break;
    default:
        v = pair ? v_pair(w, n, lane) : k->pair ? widen(k, w->v[n][lane], fl) : w->v[n][lane];
        break;
    }
    return modify(u, k, k->bit[which], v);
}

static void write_result(Warp *w, const Uop *u, const Kind *k, int lane, u64 r, FpRound rm, u8 *fl)
{
    const bool pair = k->pair && !(k->facts & OF_WORD) && !(u->rd & 1);
    if (k->pair && !pair && k->facts & OF_TO_FLOAT)
        r = fp_convert(fp_f64, fp_f32, r, rm, fl);
    if (k->scalar && pair)
        set_x_pair(w, u->rd, r);
    else if (k->scalar)
        w->x[u->rd] = (u32)r;
    else if (pair)
        set_v_pair(w, u->rd, lane, r);
    else
        w->v[u->rd][lane] = (u32)r;
    w->x[0] = 0;
}

static bool eval_fixed(Op op, u32 a, u32 b, u32 vxrm, bool *sat, u64 *r)
{
    switch (op) {
#define FIX(name, facts, result)                                                                   \
    case OP_##name:                                                                                \
        *r = result;                                                                               \
        return true;
#include "isa/op.def"
    default: return false;
    }
}

static bool evaluate(Warp *w, const Kind *k, u64 a, u64 b, u64 c, FpRound rm, u8 *fl, u64 *r)
{
    bool saturated = false;
    if (!k->pair && eval_fixed(k->op, (u32)a, (u32)b, w->vxrm, &saturated, r)) {
        w->vxsat |= saturated;
        return true;
    }
    if (k->pair)
        return eval_int64(k->op, a, b, r) || eval_f64(k->op, a, b, c, rm, fl, r);
    return eval_int32(k->op, (u32)a, (u32)b, (u32)c, r) || eval_f32(k->op, a, b, c, rm, fl, r);
}

static void general_lane(Warp *w, const Uop *u, const Kind *k, int lane, FpRound rm)
{
    u8 *fl = &w->fflags;
    const u64 a = source(w, u, k, 0, lane, fl), b = source(w, u, k, 1, lane, fl);
    const u64 c = source(w, u, k, 2, lane, fl);
    u64 r;
    if (!evaluate(w, k, a, b, c, rm, fl, &r))
        bug("%s cannot be modified", isa_insn[u->id].text);
    write_result(w, u, k, lane, r, rm, fl);
}

HANDLER(v_general)
{
    const Kind k = kind_of(u);
    const FpRound rm = (FpRound)(u->rm != 7 ? u->rm : w->frm);
    if (rm > FP_RMM && k.facts & OF_FLOAT)
        return fail(w, u, FAULT_FRM, -1);
    if (k.scalar)
        general_lane(w, u, &k, 0, rm);
    for (int i = 0; i < MAX_LANES && !k.scalar; i++)
        if (w->on[i])
            general_lane(w, u, &k, i, rm);
    return next(u);
}

Handler *const handler_modified[NEFFECT] = {
    [E_ALU] = v_general,  [E_MAC] = v_general,  [E_FIXED] = v_general,
    [E_FALU] = v_general, [E_FMAC] = v_general,
};

/* --- scalar pairs (doc/isa.md, "Register pairs") ------------------------------------------ */

HANDLER(x_pair)
{
    const bool immediate = isa_insn[u->id].format != F_R;
    u64 r;
    const u64 a = modified_int(u, 0, x_pair_value(w, u->ra));
    const u64 b = immediate ? (u64)(i64)u->imm : modified_int(u, 1, x_pair_value(w, u->rb));
    if (!eval_int64((Op)isa_insn[u->id].op, a, b, &r))
        bug("no 64-bit %s", isa_op_name[isa_insn[u->id].op]);
    set_x_pair(w, u->rd, r);
    return next(u);
}

/* --- widening ------------------------------------------------------------------------------ */

static u64 sext32(u32 v) { return (u64)(i64)(i32)v; }

/* a is vs2, b is vs1 or rs1, both extended or pairs */
static u64 widen_op(Op op, u64 a, u64 b)
{
    switch (op) {
    case OP_add:
    case OP_addu: return a + b;
    case OP_sub:
    case OP_subu: return a - b;
    default: return a * b;
    }
}

HANDLER(v_widen)
{
    const InsnInfo *info = &isa_insn[u->id];
    const Op op = (Op)info->op;
    const bool pairs = info->effect == E_WIDEN_W, scalar = info->format == F_VX;
    const bool a_unsigned = isa_op[op].facts & OF_UNSIGNED_A;
    const bool b_unsigned = isa_op[op].facts & OF_UNSIGNED_B;
    for (int i = 0; i < MAX_LANES; i++) {
        const u32 a = w->v[u->ra][i], b = scalar ? w->x[u->rb] : w->v[u->rb][i];
        const u64 wide_a = pairs ? v_pair(w, u->ra, i) : a_unsigned ? a : sext32(a);
        const u64 wide_b = pairs && !scalar ? v_pair(w, u->rb, i) : b_unsigned ? b : sext32(b);
        if (w->on[i])
            set_v_pair(w, u->rd, i,
                       widen_op(op, modified_int(u, 1, wide_a), modified_int(u, 0, wide_b)));
    }
    return next(u);
}

HANDLER(v_widen_mac)
{
    const InsnInfo *info = &isa_insn[u->id];
    const u16 facts = isa_op[info->op].facts;
    for (int i = 0; i < MAX_LANES; i++) {
        const u32 a = w->v[u->ra][i], b = info->format == F_MACX ? w->x[u->rb] : w->v[u->rb][i];
        const u64 wide_a = facts & OF_UNSIGNED_A ? a : sext32(a);
        const u64 wide_b = facts & OF_UNSIGNED_B ? b : sext32(b);
        if (w->on[i])
            set_v_pair(w, u->rd, i,
                       modified_int(u, 2, v_pair(w, u->rd, i)) +
                           modified_int(u, 1, wide_a) * modified_int(u, 0, wide_b));
    }
    return next(u);
}

/* --- narrowing: a pair to 32 bits ----------------------------------------------------------- */

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
    for (int i = 0; i < MAX_LANES; i++) {
        const u32 shift = info->format == F_VV   ? w->v[u->rb][i]
                          : info->format == F_VX ? w->x[u->rb]
                                                 : (u32)u->imm;
        const u64 pair = modified_int(u, 1, v_pair(w, u->ra, i));
        if (w->on[i])
            w->v[u->rd][i] = narrow(w, (Op)info->op, pair, shift & 63);
    }
    return next(u);
}

/* --- conversions between widths --------------------------------------------------------------- */

static u64 widen_convert(Op op, u32 a, FpRound rm, u8 *fl)
{
    switch (op) {
    case OP_wcvt_xu_f: return fp_to_int(fp_f32, a, 64, false, rm, fl);
    case OP_wcvt_x_f: return fp_to_int(fp_f32, a, 64, true, rm, fl);
    case OP_wcvt_rtz_xu_f: return fp_to_int(fp_f32, a, 64, false, FP_RTZ, fl);
    case OP_wcvt_rtz_x_f: return fp_to_int(fp_f32, a, 64, true, FP_RTZ, fl);
    case OP_wcvt_f_xu: return fp_from_int(fp_f64, a, false, rm, fl);
    case OP_wcvt_f_x: return fp_from_int(fp_f64, sext32(a), true, rm, fl);
    case OP_wcvt_f_f: return fp_convert(fp_f32, fp_f64, a, rm, fl);
    default: bug("widen_convert: %s", isa_op_name[op]);
    }
}

static u64 narrow_convert(Op op, u64 a, FpRound rm, u8 *fl)
{
    switch (op) {
    case OP_ncvt_xu_f: return fp_to_int(fp_f64, a, 32, false, rm, fl);
    case OP_ncvt_x_f: return fp_to_int(fp_f64, a, 32, true, rm, fl);
    case OP_ncvt_rtz_xu_f: return fp_to_int(fp_f64, a, 32, false, FP_RTZ, fl);
    case OP_ncvt_rtz_x_f: return fp_to_int(fp_f64, a, 32, true, FP_RTZ, fl);
    case OP_ncvt_f_xu: return fp_from_int(fp_f32, a, false, rm, fl);
    case OP_ncvt_f_x: return fp_from_int(fp_f32, a, true, rm, fl);
    case OP_ncvt_f_f: return fp_convert(fp_f64, fp_f32, a, rm, fl);
    case OP_ncvt_rod_f_f: return fp_convert(fp_f64, fp_f32, a, FP_ROD, fl);
    default: bug("narrow_convert: %s", isa_op_name[op]);
    }
}

HANDLER(v_fwiden)
{
    const Op op = (Op)isa_insn[u->id].op;
    const bool from_int = !(isa_op[op].facts & OF_FROM_FLOAT);
    const FpRound rm = (FpRound)w->frm;
    if (rm > FP_RMM)
        return fail(w, u, FAULT_FRM, -1);
    for (int i = 0; i < MAX_LANES; i++)
        if (w->on[i])
            set_v_pair(w, u->rd, i,
                       widen_convert(op,
                                     (u32)(from_int ? modified_int(u, 1, sext32(w->v[u->ra][i]))
                                                    : modified_float(u, 1, w->v[u->ra][i], SIGN32)),
                                     rm, &w->fflags));
    return next(u);
}

HANDLER(v_fnarrow)
{
    const Op op = (Op)isa_insn[u->id].op;
    const bool from_int = !(isa_op[op].facts & OF_FROM_FLOAT);
    const FpRound rm = (FpRound)w->frm;
    if (rm > FP_RMM)
        return fail(w, u, FAULT_FRM, -1);
    for (int i = 0; i < MAX_LANES; i++)
        if (w->on[i])
            w->v[u->rd][i] =
                (u32)narrow_convert(op,
                                    from_int ? modified_int(u, 1, v_pair(w, u->ra, i))
                                             : modified_float(u, 1, v_pair(w, u->ra, i), SIGN64),
                                    rm, &w->fflags);
    return next(u);
}
