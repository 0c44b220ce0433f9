/* wide.c -- arithmetic beyond 32 bits and under the compute prefixes.
 *
 * A prefix with pair, abs or neg (doc/isa.md, "Prefixes") makes an instruction take
 * the general way: sources are fetched as 64-bit values, modified, evaluated by the
 * expressions of op.def, and written back, lane by lane.  Under pair an even
 * register field names {n + 1, n}; an odd one a 32-bit register, widened: integers
 * by sign (by zeros for the unsigned operations), floats to binary64.
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

static const Uop *odd(Warp *w, const Uop *u, u32 n)
{
    return fail_at(w, u, FAULT_REGISTER, -1, n, 0);
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

/* false: the operation has no such form */
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
#define OP(name, type, result)                                                                     \
    case OP_##name:                                                                                \
        *r = op_eval(op, a, b);                                                                    \
        return true;
#define OP3(name, type, result)                                                                    \
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
#define FOP(name, host, soft)           SOFT(name, soft)
#define FOP3(name, host, soft)          SOFT(name, soft)
#define FBIT(name, result, flags, soft) SOFT(name, soft)
#define FSOFT(name, soft)               SOFT(name, soft)

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
#define F                               fp_f64
#define SIGN                            SIGN64
#define BITS                            64
#define SIGNED(a)                       (a)
#define FOP(name, host, soft)           SOFT(name, soft)
#define FOP3(name, host, soft)          SOFT(name, soft)
#define FBIT(name, result, flags, soft) SOFT(name, soft)
#define FSOFT(name, soft)               SOFT(name, soft)

static bool eval_f64(Op op, u64 a, u64 b, u64 c, FpRound rm, u8 *fl, u64 *r)
{
    switch (op) {
#include "isa/op.def"
    default: return false;
    }
}

/* --- the general way ------------------------------------------------------------------ */

typedef enum { FROM_NOTHING, FROM_X, FROM_V, FROM_IMM } From;

/* where the sources of a format are, and which modifier bit each one has */
typedef struct {
    bool scalar; /* destination is a scalar register */
    u8 from[3];  /* From, of a, b, c */
    u8 bit[3];   /* 0 src1, 1 src2, 2 src3 */
} Shape;

static Shape shape_of(FormatId f)
{
    switch (f) {
    case F_R:
    case F_RF: return (Shape){true, {FROM_X, FROM_X}, {0, 1, 2}};
    case F_R1:
    case F_RF1: return (Shape){true, {FROM_X}, {0, 1, 2}};
    case F_R4: return (Shape){true, {FROM_X, FROM_X, FROM_X}, {0, 1, 2}};
    case F_I:
    case F_SH: return (Shape){true, {FROM_X, FROM_IMM}, {0, 1, 2}};
    case F_VV: return (Shape){false, {FROM_V, FROM_V}, {1, 0, 2}};
    case F_VX: return (Shape){false, {FROM_V, FROM_X}, {1, 0, 2}};
    case F_VI:
    case F_VZ:
    case F_VH: return (Shape){false, {FROM_V, FROM_IMM}, {1, 0, 2}};
    case F_V1: return (Shape){false, {FROM_V}, {1, 0, 2}};
    case F_CPV: return (Shape){false, {FROM_NOTHING, FROM_V}, {1, 0, 2}};
    case F_CPX: return (Shape){false, {FROM_NOTHING, FROM_X}, {1, 0, 2}};
    case F_CPI: return (Shape){false, {FROM_NOTHING, FROM_IMM}, {1, 0, 2}};
    case F_MACV: return (Shape){false, {FROM_V, FROM_V, FROM_V}, {1, 0, 2}};
    case F_MACX: return (Shape){false, {FROM_V, FROM_X, FROM_V}, {1, 0, 2}};
    case F_VI12: return (Shape){false, {FROM_V, FROM_IMM}, {0, 1, 2}};
    default: bug("format %d has no shape", f);
    }
}

/* what the instruction works on */
typedef struct {
    Op op;
    bool pair;
    bool is_float;    /* sources are floats */
    bool makes_float; /* the result is one */
    bool makes_word;  /* 0 or 1, or a class: 32 bits whatever the width */
    bool is_unsigned; /* an odd register is widened by zeros */
} Kind;

static Kind kind_of(const Uop *u)
{
    const Op op = (Op)isa_insn[u->id].op;
    const Effect e = (Effect)isa_insn[u->id].effect;
    const bool arithmetic = e == E_FALU || e == E_FMAC,
               from_int = op == OP_fcvt_f_x || op == OP_fcvt_f_xu;
    const bool to_int =
        op == OP_fcvt_x_f || op == OP_fcvt_xu_f || op == OP_fcvt_rtz_x_f || op == OP_fcvt_rtz_xu_f;
    const bool sign = op == OP_fsgnj || op == OP_fsgnjn || op == OP_fsgnjx || op == OP_fclass ||
                      u->id == I_vfmv_v_f || u->id == I_vfmv_s_f;
    const bool compares = (op >= OP_eq && op <= OP_geu) || (op >= OP_feq && op <= OP_fge);
    return (Kind){
        .op = op,
        .pair = u->mod & MOD_PAIR,
        .is_float = (arithmetic && !from_int) || sign,
        .makes_word = compares || op == OP_fclass,
        .makes_float = (arithmetic && !to_int && !compares) || (sign && op != OP_fclass),
        .is_unsigned = op == OP_ltu || op == OP_leu || op == OP_gtu || op == OP_geu ||
                       op == OP_minu || op == OP_maxu || op == OP_srl || op == OP_fcvt_f_xu,
    };
}

/* a 32-bit value as a 64-bit source */
static u64 widen(const Kind *k, u32 v, u8 *fl)
{
    if (k->is_float)
        return fp_convert(fp_f32, fp_f64, v, FP_RNE, fl);
    return k->is_unsigned ? v : (u64)(i64)(i32)v;
}

static u64 modify(const Uop *u, const Kind *k, int source, u64 v)
{
    if (k->is_float)
        return modified_float(u, source, v, k->pair ? SIGN64 : SIGN32);
    const u64 r = modified_int(u, source, k->pair ? v : (u64)(i64)(i32)v);
    return k->pair ? r : (u32)r;
}

static u64 source(const Warp *w, const Uop *u, const Kind *k, const Shape *s, int which, int lane,
                  u8 *fl)
{
    const u8 reg[3] = {u->ra, u->rb, s->scalar ? u->rc : u->rd};
    const u32 n = reg[which];
    const bool pair = k->pair && !(n & 1);
    u64 v;
    switch ((From)s->from[which]) {
    case FROM_NOTHING: return 0;
    case FROM_IMM: return k->pair ? (u64)(i64)u->imm : (u32)u->imm;
    case FROM_X: v = pair ? x_pair_value(w, n) : k->pair ? widen(k, w->x[n], fl) : w->x[n]; break;
    default:
        v = pair ? v_pair(w, n, lane) : k->pair ? widen(k, w->v[n][lane], fl) : w->v[n][lane];
        break;
    }
    return modify(u, k, s->bit[which], v);
}

static void write_result(Warp *w, const Uop *u, const Kind *k, const Shape *s, int lane, u64 r,
                         FpRound rm, u8 *fl)
{
    const bool pair = k->pair && !k->makes_word && !(u->rd & 1);
    if (k->pair && !pair && k->makes_float)
        r = fp_convert(fp_f64, fp_f32, r, rm, fl);
    if (s->scalar && pair)
        set_x_pair(w, u->rd, r);
    else if (s->scalar)
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
#define FIX(name, result)                                                                          \
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

static bool general_lane(Warp *w, const Uop *u, const Kind *k, const Shape *s, int lane, FpRound rm)
{
    u8 *fl = &w->fflags;
    const u64 a = source(w, u, k, s, 0, lane, fl), b = source(w, u, k, s, 1, lane, fl);
    const u64 c = source(w, u, k, s, 2, lane, fl);
    u64 r;
    if (!evaluate(w, k, a, b, c, rm, fl, &r)) {
        fail(w, u, FAULT_ILLEGAL, -1);
        return false;
    }
    write_result(w, u, k, s, lane, r, rm, fl);
    return true;
}

HANDLER(v_general)
{
    const Kind k = kind_of(u);
    const Shape s = shape_of((FormatId)isa_insn[u->id].format);
    const bool has_rm = isa_find_operand((InsnId)u->id, O_rm) >= 0;
    const FpRound rm = (FpRound)(has_rm && u->rm != 7 ? u->rm : w->frm);
    if (rm > FP_RMM && (k.is_float || k.makes_float))
        return fail(w, u, FAULT_FRM, -1);
    if (s.scalar)
        return general_lane(w, u, &k, &s, 0, rm) ? next(u) : NULL;
    for (int i = 0; i < MAX_LANES; i++)
        if (w->on[i] && !general_lane(w, u, &k, &s, i, rm))
            return NULL;
    return next(u);
}

/* --- scalar pairs (doc/isa.md, "Register pairs") ------------------------------------------ */

HANDLER(x_pair)
{
    const bool immediate = isa_insn[u->id].format != F_R;
    u64 r;
    if ((u->rd | u->ra | (immediate ? 0 : u->rb)) & 1)
        return odd(w, u, u->rd & 1 ? u->rd : u->ra & 1 ? u->ra : u->rb);
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
    const bool a_unsigned = op == OP_addu || op == OP_subu || op == OP_mulu;
    const bool b_unsigned = a_unsigned || op == OP_mulsu;
    if ((u->rd | (pairs ? u->ra : 0) | (pairs && !scalar ? u->rb : 0)) & 1)
        return odd(w, u, u->rd & 1 ? u->rd : u->ra & 1 ? u->ra : u->rb);
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

/* vwmaccsu: vs1 signed, vs2 unsigned; vwmaccus: rs1 unsigned, vs2 signed */
HANDLER(v_widen_mac)
{
    const InsnInfo *info = &isa_insn[u->id];
    const Op op = (Op)info->op;
    if (u->rd & 1)
        return odd(w, u, u->rd);
    for (int i = 0; i < MAX_LANES; i++) {
        const u32 a = w->v[u->ra][i], b = info->format == F_MACX ? w->x[u->rb] : w->v[u->rb][i];
        const u64 wide_a = op == OP_mulu || op == OP_mulsu ? a : sext32(a);
        const u64 wide_b = op == OP_mulu || op == OP_mulus ? b : sext32(b);
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
    if (u->ra & 1)
        return odd(w, u, u->ra);
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
    const bool from_int = op == OP_wcvt_f_x || op == OP_wcvt_f_xu;
    const FpRound rm = (FpRound)w->frm;
    if (u->rd & 1)
        return odd(w, u, u->rd);
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
    const bool from_int = op == OP_ncvt_f_x || op == OP_ncvt_f_xu;
    const FpRound rm = (FpRound)w->frm;
    if (u->ra & 1)
        return odd(w, u, u->ra);
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
