/* half.c -- 16-bit floats: conversions, packed pairs, approximate functions, lane
 * shuffles (overlay ai), and the 64-bit compute words of v2025. */
#include "sim/handlers.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

/* --- overlay ai: conversions (doc/isa.md, "Overlay ai") ------------------------------ */

HANDLER(v_cvt16)
{
    const u32 which = u->word >> 26; /* fp32.fp16, fp16.fp32, fp32.bf16, bf16.fp32 */
    const FpFormat half = which < 2 ? fp_f16 : fp_bf16;
    const bool widens = !(which & 1);
    u8 ignored = 0;
    for (int i = 0; i < MAX_LANES; i++) {
        const u32 a = w->v[u->ra][i];
        if (w->on[i])
            w->v[u->rd][i] = (u32)(widens ? fp_convert(half, fp_f32, a & 0xffff, FP_RNE, &ignored)
                                          : fp_convert(fp_f32, half, a, FP_RNE, &ignored));
    }
    return next(u);
}

/* --- overlay ai: two halves in a register ---------------------------------------------- */

/* An operation on halves: computed in binary32, then rounded to 16 bits. */
static u32 packed_half(Op op, FpFormat f, u32 a, u32 b, u32 c)
{
    u8 ignored = 0;
    const u64 x = fp_convert(f, fp_f32, a & 0xffff, FP_RNE, &ignored);
    const u64 y = fp_convert(f, fp_f32, b & 0xffff, FP_RNE, &ignored);
    const u64 z = fp_convert(f, fp_f32, c & 0xffff, FP_RNE, &ignored);
    const u64 product = fp_mul(fp_f32, x, y, FP_RNE, &ignored);
    const u64 r = op == OP_fadd   ? fp_add(fp_f32, x, y, FP_RNE, &ignored)
                  : op == OP_fmul ? product
                                  : fp_add(fp_f32, product, z, FP_RNE, &ignored);
    return (u32)fp_convert(fp_f32, f, r, FP_RNE, &ignored);
}

HANDLER(v_packed)
{
    const Op op = (Op)isa_insn[u->id].op;
    const FpFormat f = u->word >> 12 & 7 ? fp_bf16 : fp_f16;
    for (int i = 0; i < MAX_LANES; i++) {
        const u32 a = w->v[u->ra][i], b = w->v[u->rb][i], c = w->v[u->rd][i];
        if (w->on[i])
            w->v[u->rd][i] =
                packed_half(op, f, a, b, c) | packed_half(op, f, a >> 16, b >> 16, c >> 16) << 16;
    }
    return next(u);
}

/* --- overlay ai: approximate functions --------------------------------------------------- */

static double sfu(Op op, double x)
{
    switch (op) {
    case OP_ex2: return exp2(x);
    case OP_lg2: return log2(x);
    case OP_rcp: return 1 / x;
    case OP_sqrt: return sqrt(x);
    case OP_rsqrt: return 1 / sqrt(x);
    case OP_sin: return sin(x);
    case OP_cos: return cos(x);
    case OP_tanh: return tanh(x);
    /* x / 2 (1 + tanh u) = x / (1 + e^-2u), where nothing cancels */
    case OP_gelu: return x / (1 + exp(-2 * 0.7978845608 * (x + 0.044715 * x * x * x)));
    case OP_silu: return x / (1 + exp(-x));
    default: bug("sfu: %s", isa_op_name[op]);
    }
}

/* An approximate function: computed in double, rounded to the format once. */
static u32 sfu_bits(Op op, FpFormat f, u32 a)
{
    u8 ignored = 0;
    u64 bits = fp_convert(f, fp_f64, a, FP_RNE, &ignored);
    double x;
    memcpy(&x, &bits, sizeof x);
    x = sfu(op, x);
    memcpy(&bits, &x, sizeof bits);
    return (u32)fp_convert(fp_f64, f, bits, FP_RNE, &ignored);
}

HANDLER(v_sfu)
{
    const Op op = (Op)isa_insn[u->id].op;
    const u32 format = u->word >> 12 & 7;
    take_host_flags(w);
    for (int i = 0; i < MAX_LANES; i++) {
        const u32 a = w->v[u->ra][i];
        const FpFormat f = format == 1 ? fp_f16 : fp_bf16;
        if (!w->on[i])
            continue;
        w->v[u->rd][i] = format ? sfu_bits(op, f, a & 0xffff) | sfu_bits(op, f, a >> 16) << 16
                                : sfu_bits(op, fp_f32, a);
    }
    feclearexcept(FE_ALL_EXCEPT);
    return next(u);
}

/* --- overlay ai: shuffles ------------------------------------------------------------------- */

HANDLER(v_shuffle)
{
    const Effect e = (Effect)isa_insn[u->id].effect;
    u32 source[MAX_LANES];
    memcpy(source, w->v[u->ra], sizeof source);
    for (int i = 0; i < MAX_LANES; i++) {
        const int from = e == E_SHUFFLE_IDX    ? u->imm
                         : e == E_SHUFFLE_UP   ? i - u->imm
                         : e == E_SHUFFLE_DOWN ? i + u->imm
                                               : i ^ u->imm;
        /* a lane that does not exist or is not active gives nothing: the lane keeps its own value
         */
        const bool given = from >= 0 && from < MAX_LANES && w->exec >> from & 1;
        if (w->on[i])
            w->v[u->rd][i] = source[given ? from : i];
    }
    return next(u);
}

/* --- 64-bit compute words (doc/isa.md, "64-bit compute") ------------------------------ */

typedef enum { SIZE_16, SIZE_32, SIZE_64, SIZE_8 } Size; /* VSSIZE and VDSIZE */

/* The fields of the word. */
typedef struct {
    Op op;
    bool is_float, is_unsigned;
    Size from, to;
    u32 opsel, omod, abs, neg;
    FpRound rm;
} Word;

static Word unpack(const Warp *w, const Uop *u)
{
    const u64 bits = uop_word(u);
    const Op op = (Op)isa_insn[u->id].op;
    return (Word){.op = op,
                  .is_float = isa_insn[u->id].effect == E_WORD64F,
                  .is_unsigned = isa_op[op].facts & OF_UNSIGNED,
                  .from = (Size)(bits >> 9 & 3),
                  .to = (Size)(bits >> 7 & 3),
                  .opsel = bits >> 36 & 7,
                  .omod = bits >> 39 & 3,
                  .abs = bits >> 17 & 7,
                  .neg = bits >> 14 & 7,
                  .rm = (FpRound)w->frm};
}

static FpFormat float_of_size(Size s)
{
    return s == SIZE_16 ? fp_f16 : s == SIZE_32 ? fp_f32 : fp_f64;
}

static int bits_of_size(Size s)
{
    static const int bits[] = {16, 32, 64, 8};
    return bits[s];
}

/* integers work in 64 bits, floats in the wider of both formats */
static Size work_size(const Word *d)
{
    return d->from == SIZE_64 || d->to == SIZE_64   ? SIZE_64
           : d->from == SIZE_32 || d->to == SIZE_32 ? SIZE_32
                                                    : SIZE_16;
}

static u64 narrow_source(const Word *d, u64 reg, bool high)
{
    const int bits = bits_of_size(d->from);
    const u64 v = bits < 32 && high ? (reg & UINT32_MAX) >> 16 : reg;
    return bits == 64 ? v : v & (((u64)1 << bits) - 1);
}

/* v cut to the size of its source, if that is an integer */
static u64 wrapped(const Word *d, u64 v)
{
    const int bits = bits_of_size(d->from);
    if (!d->is_unsigned)
        return (u64)sign_extend(v, bits);
    return bits == 64 ? v : v & (((u64)1 << bits) - 1);
}

/* NEG, then ABS (doc/isa.md, "Contradictions"), which leaves an unsigned source alone */
static u64 prepare(const Word *d, u64 v, int which, u8 *fl)
{
    const bool neg = d->neg >> which & 1, abs = d->abs >> which & 1;
    const int bits = bits_of_size(d->from);
    if (!d->is_float) {
        const u64 n = wrapped(d, neg ? 0 - v : v);
        return abs && !d->is_unsigned && (i64)n < 0 ? wrapped(d, 0 - n) : n;
    }
    const u64 sign = (u64)1 << (bits - 1);
    v = abs ? v & ~sign : neg ? v ^ sign : v;
    return d->from == work_size(d)
               ? v
               : fp_convert(float_of_size(d->from), float_of_size(work_size(d)), v, FP_RNE, fl);
}

static u64 compute_int(const Word *d, u64 a, u64 b)
{
    switch (d->op) {
    case OP_add: return a + b;
    case OP_sub: return a - b;
    case OP_mul: return a * b;
    case OP_minu: return a < b ? a : b;
    case OP_maxu: return a > b ? a : b;
    case OP_min: return (i64)a < (i64)b ? a : b;
    default: return (i64)a > (i64)b ? a : b;
    }
}

static u64 compute_float(const Word *d, u64 a, u64 b, u8 *fl)
{
    const FpFormat f = float_of_size(work_size(d));
    switch (d->op) {
    case OP_fadd: return fp_add(f, a, b, d->rm, fl);
    case OP_fsub: return fp_sub(f, a, b, d->rm, fl);
    case OP_fmul: return fp_mul(f, a, b, d->rm, fl);
    case OP_fmin: return fp_min(f, a, b, fl);
    default: return fp_max(f, a, b, fl);
    }
}

/* 0 nothing, 1 times two, 2 times four, 3 half */
static u64 output_modifier(const Word *d, u64 v, u8 *fl)
{
    if (!d->omod)
        return v;
    if (d->is_float) {
        const FpFormat f = float_of_size(work_size(d));
        const u64 factor = fp_from_int(f, d->omod == 2 ? 4 : 2, false, FP_RNE, fl);
        return d->omod == 3 ? fp_div(f, v, factor, d->rm, fl) : fp_mul(f, v, factor, d->rm, fl);
    }
    /* the result has its width before it is scaled */
    const int bits = bits_of_size(d->to);
    const u64 r =
        d->is_unsigned && bits < 64 ? v & (((u64)1 << bits) - 1) : (u64)sign_extend(v, bits);
    return d->omod < 3 ? r << d->omod : d->is_unsigned ? r / 2 : (u64)((i64)r / 2);
}

static void write_word(Warp *w, const Uop *u, const Word *d, int lane, u64 r)
{
    u32 *reg = &w->v[u->rd][lane];
    const int bits = bits_of_size(d->to);
    if (bits == 64)
        w->v[u->rd + 1][lane] = (u32)(r >> 32);
    if (bits >= 32) {
        *reg = (u32)r;
        return;
    }
    const u32 shift = d->opsel >> 2 ? 16 : 0, mask = ((1u << bits) - 1) << shift;
    *reg = (*reg & ~mask) | ((u32)r << shift & mask);
}

static u64 register_value(const Warp *w, u8 n, int lane, bool scalar, bool pair)
{
    if (scalar)
        return pair && n ? (u64)w->x[n + 1] << 32 | w->x[n] : w->x[n];
    return pair ? (u64)w->v[n + 1][lane] << 32 | w->v[n][lane] : w->v[n][lane];
}

HANDLER(v_word64)
{
    const Word d = unpack(w, u);
    const bool scalar = isa_insn[u->id].format == F_W64X, pair = d.from == SIZE_64;
    u8 *fl = &w->fflags;
    if (d.is_float && d.rm > FP_RMM)
        return fail(w, u, FAULT_FRM, -1);
    for (int i = 0; i < MAX_LANES; i++) {
        if (!w->on[i])
            continue;
        const u64 s1 = register_value(w, u->rb, i, scalar, pair);
        const u64 s2 = register_value(w, u->ra, i, false, pair);
        const u64 b = prepare(&d, narrow_source(&d, s1, d.opsel & 1), 0, fl);
        const u64 a = prepare(&d, narrow_source(&d, s2, d.opsel >> 1 & 1), 1, fl);
        u64 r = d.is_float ? compute_float(&d, a, b, fl) : compute_int(&d, a, b);
        r = output_modifier(&d, r, fl);
        if (d.is_float && d.to != work_size(&d))
            r = fp_convert(float_of_size(work_size(&d)), float_of_size(d.to), r, d.rm, fl);
        write_word(w, u, &d, i, r);
    }
    return next(u);
}
