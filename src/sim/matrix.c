/* matrix.c -- mma and mma64: D = A B + C over the registers of a warp.
 *
 * Matrices lie in consecutive registers, 32 / width elements to a word: element e of
 * a matrix is in register e / per, lane (e / sub) % 32, where sub elements share a
 * word (doc/isa.md, "Matrix product").  Elements are unpacked into arrays, the
 * product is formed there, and D is packed again; all sources are read first.
 * No flags are raised.
 */
#include "sim/handlers.h"
#include <string.h>

enum { MOST = 16 * 64 > 8 * 128 ? 16 * 64 : 8 * 128 }; /* elements of A or B */

/* One instruction, taken apart. */
typedef struct {
    Mma m;
    u8 a, b, c, d; /* first registers */
    FpRound rm;
} Job;

static bool is_integer(MmaType t) { return t == MMA_S8 || t == MMA_S4 || t == MMA_B1; }

static u32 element(const Warp *w, u8 reg, u32 width, u32 e)
{
    const u32 per_word = 32 / width, word = e / per_word, shift = e % per_word * width;
    const u32 v = w->v[reg + word / 32][word % 32] >> shift;
    return width == 32 ? v : v & ((1u << width) - 1);
}

static void set_element(Warp *w, u8 reg, u32 width, u32 e, u32 value)
{
    const u32 per_word = 32 / width, word = e / per_word, shift = e % per_word * width;
    const u32 mask = (width == 32 ? UINT32_MAX : (1u << width) - 1) << shift;
    u32 *v = &w->v[reg + word / 32][word % 32];
    *v = (*v & ~mask) | (value << shift & mask);
}

/* the indices of elements A[i][l] and B[l][j] */
static u32 index_a(const Mma *m, u32 i, u32 l)
{
    return m->a_by_column ? l * m->m + i : i * m->k + l;
}
static u32 index_b(const Mma *m, u32 l, u32 j) { return m->b_by_row ? j * m->k + l : l * m->n + j; }

/* --- elements as numbers ----------------------------------------------------------- */

/* A float of 4 to 8 bits as binary32, which is exact.  e4m3 has a NaN, e5m2 is as IEEE 754 has it,
 * the smaller formats are all finite. */
static u32 small_float(MmaType t, u32 v)
{
    const MmaFloat format = isa_mma_float(t);
    const u32 eb = format.exp, fb = format.frac, bias = (1u << (eb - 1)) - 1;
    const u32 exp = v >> fb & ((1u << eb) - 1), frac = v & ((1u << fb) - 1);
    const u32 sign = v >> (eb + fb) & 1;
    u32 bits;
    if (t == MMA_E5M2 && exp == 31)
        bits = frac ? F32_CANONICAL : 0x7f800000u;
    else if (t == MMA_E4M3 && exp == 15 && frac == 7)
        bits = F32_CANONICAL;
    else if (exp)
        bits = (exp + 127 - bias) << 23 | frac << (23 - fb);
    else { /* frac * 2^(1 - bias - fb) */
        u8 ignored = 0;
        const u32 scale = (127 + 1 - bias - fb) << 23;
        bits = (u32)fp_mul(fp_f32, fp_from_int(fp_f32, frac, false, FP_RNE, &ignored), scale,
                           FP_RNE, &ignored);
    }
    return bits | sign << 31;
}

/* the first n elements of a matrix as binary32, in the order of the registers */
static void read_numbers(const Warp *w, u8 reg, MmaType t, u32 n, u32 *to)
{
    const u32 *words = &w->v[0][0] + (size_t)reg * MAX_LANES; /* registers follow each other */
    switch (t) {
    case MMA_TF32:
        for (u32 e = 0; e < n; e++)
            to[e] = words[e] & 0xffffe000u;
        break;
    case MMA_F32: memcpy(to, words, n * sizeof *to); break;
    case MMA_F16: warp_code(w)->level->halves(to, words, n); break;
    case MMA_BF16:
        for (u32 e = 0; e < n; e++)
            to[e] = words[e / 2] >> e % 2 * 16 << 16;
        break;
    default:
        for (u32 e = 0; e < n; e++)
            to[e] = small_float(t, element(w, reg, isa_mma_bits(t), e));
        break;
    }
}

static i32 integer(MmaType t, u32 v)
{
    return t == MMA_B1 ? (i32)v : (i32)sign_extend(v, t == MMA_S8 ? 8 : 4);
}

/* --- products ------------------------------------------------------------------------- */

/* The product by isa/fp.h: fused, k ascending, every step rounded. */
static void product_soft(const Mma *m, FpRound rm, u32 *d, const u32 *a, const u32 *b)
{
    u8 ignored = 0;
    for (u32 i = 0; i < m->m; i++)
        for (u32 j = 0; j < m->n; j++)
            for (u32 l = 0; l < m->k; l++)
                d[i * m->n + j] = (u32)fp_fma(fp_f32, a[i * m->k + l], b[l * m->n + j],
                                              d[i * m->n + j], rm, &ignored);
}

/* The product by the host's floats, which round as asked meanwhile. */
static void product_rounded(const LaneLevel *level, const Mma *m, FpRound rm, float *d,
                            const float *a, const float *b)
{
    static const int mode[] = {[FP_RNE] = FE_TONEAREST,
                               [FP_RTZ] = FE_TOWARDZERO,
                               [FP_RDN] = FE_DOWNWARD,
                               [FP_RUP] = FE_UPWARD};
    if (rm != FP_RNE)
        fesetround(mode[rm]);
    level->product(d, a, b, m->m, m->n, m->k);
    if (rm != FP_RNE)
        fesetround(FE_TONEAREST);
}

typedef union {
    u32 bits[MOST];
    float f[MOST];
} Numbers;

/* A matrix of so many rows and columns, by rows; it may lie by columns. */
static void read_matrix(const Warp *w, u8 reg, MmaType t, u32 rows, u32 columns, bool by_column,
                        Numbers *to)
{
    Numbers packed;
    read_numbers(w, reg, t, rows * columns, by_column ? packed.bits : to->bits);
    if (by_column)
        warp_code(w)->level->transpose(to->bits, packed.bits, columns, rows);
}

static void multiply_floats(Warp *w, const Job *job)
{
    const Mma *m = &job->m;
    const LaneLevel *level = warp_code(w)->level;
    const u32 n = m->m * m->n;
    Numbers a, b, d;
    u8 ignored = 0;
    const HostFloats floats = enter_guest_floats(); /* what is computed here raises nothing */
    /* 1. the matrices as binary32, A and B by rows */
    read_matrix(w, job->a, m->type, m->m, m->k, m->a_by_column, &a);
    read_matrix(w, job->b, m->type, m->k, m->n, m->b_by_row, &b);
    read_numbers(w, job->c, m->wide ? MMA_F32 : MMA_F16, n, d.bits);
    /* 2. the product */
    if (HOST_FLOATS)
        product_rounded(level, m, job->rm, d.f, a.f, b.f);
    else
        product_soft(m, job->rm, d.bits, a.bits, b.bits);
    leave_guest_floats(&floats);
    /* 3. D, in its own format */
    if (m->wide)
        level->canonical(&w->v[0][0] + (size_t)job->d * MAX_LANES, d.bits, n);
    for (u32 e = 0; !m->wide && e < n; e++)
        set_element(w, job->d, 16, e,
                    (u32)fp_convert(fp_f32, fp_f16, d.bits[e], job->rm, &ignored));
}

/* The product of integers: the exact sum, then saturated or wrapped; single bits multiply by `and`.
 */
static void multiply_integers(Warp *w, const Job *job)
{
    const Mma *m = &job->m;
    const u32 width = isa_mma_bits(m->type);
    u32 d[16 * 16];
    for (u32 i = 0; i < m->m; i++)
        for (u32 j = 0; j < m->n; j++) {
            i64 sum = (i32)element(w, job->c, 32, i * m->n + j);
            for (u32 l = 0; l < m->k; l++)
                sum += (i64)integer(m->type, element(w, job->a, width, index_a(m, i, l))) *
                       integer(m->type, element(w, job->b, width, index_b(m, l, j)));
            if (!m->rounding)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            d[i * m->n + j] = (u32)sum;
        }
    for (u32 e = 0; e < m->m * m->n; e++)
        set_element(w, job->d, 32, e, d[e]);
}

/* --- the instructions ------------------------------------------------------------------- */

static const Uop *multiply(Warp *w, const Uop *u, const Job *job)
{
    if (w->group->launch->lanes != 32 || w->vl != 32 || !w->whole)
        return fail(w, u, FAULT_NEEDS_ALL_LANES, -1);
    if (is_integer(job->m.type))
        multiply_integers(w, job);
    else
        multiply_floats(w, job);
    return next(u);
}

HANDLER(v_mma)
{
    Job job = {.a = u->ra, .b = u->rb, .c = u->rd, .d = u->rd, .rm = FP_RNE};
    isa_mma(K_MMA, isa_get(O_mma, u->word), &job.m);
    return multiply(w, u, &job);
}

HANDLER(v_mma64)
{
    static const FpRound rounding[] = {FP_RNE, FP_RTZ, FP_RDN, FP_RUP};
    Job job = {.a = u->ra, .b = u->rb, .c = u->rc, .d = u->rd};
    isa_mma(K_MMA64, isa_get(O_mma64, uop_word(u)), &job.m);
    job.rm = rounding[is_integer(job.m.type) ? 0 : job.m.rounding];
    return multiply(w, u, &job);
}
