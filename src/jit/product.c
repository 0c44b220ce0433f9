/* product.c -- mma and mma64 as host code: D = A B + C in vectors over the columns of D.
 *
 * A and B become binary32, by rows, in two arrays on the host's stack; rows of D are vectors, and a
 * loop over k adds a row of B times an element of A to each of them: that is the order that
 * doc/isa.md, "Matrix product", asks for, one rounding a step, so that results are the
 * interpreter's.  Integers go the same way: sums of their products are below 2^24, so that binary32
 * has them exactly; C is added afterwards.
 *
 * Left to the handler: some lanes off, rounding other than to nearest, hosts without fused
 * operations, and code that reads the flags of floats, which a product does not raise.
 */
#include "jit/translate.h"
#include "isa/op.h"

#define B e->b

enum {
    MOST = 16 * 64,   /* elements of A or B */
    MOST_ROWS = 16,   /* of D */
    MOST_VECTORS = 64 /* of one matrix, of 16 elements */
};

/* Vectors of `width` words, or of as many floats. */
typedef struct {
    Val v[MOST_VECTORS];
    u32 n, width;
} Vectors;

static LLVMTypeRef words_of(Emit *e, u32 n) { return LLVMVectorType(e->i32, n); }
static LLVMTypeRef floats_of(Emit *e, u32 n) { return LLVMVectorType(e->f32, n); }

/* element i is first + i * step, or value[i] */
static Val series(Emit *e, u32 n, u32 first, u32 step)
{
    Val v[2 * MAX_LANES];
    for (u32 i = 0; i < n; i++)
        v[i] = word(e, first + i * step);
    return LLVMConstVector(v, n);
}

static Val all_of(Emit *e, u32 n, u32 value) { return series(e, n, value, 0); }

/* The same words in vectors of another width, a power of two as well. */
static Vectors reshape(Emit *e, const Vectors *from, u32 width)
{
    Vectors to = *from;
    while (to.width > width) {
        const Vectors wide = to;
        to = (Vectors){.n = 2 * wide.n, .width = wide.width / 2};
        for (u32 i = 0; i < to.n; i++)
            to.v[i] = LLVMBuildShuffleVector(B, wide.v[i / 2], LLVMGetPoison(LLVMTypeOf(wide.v[0])),
                                             series(e, to.width, i % 2 * to.width, 1), "");
    }
    while (to.width < width) {
        const Vectors small = to;
        to = (Vectors){.n = small.n / 2, .width = 2 * small.width};
        for (u32 i = 0; i < to.n; i++)
            to.v[i] = LLVMBuildShuffleVector(B, small.v[2 * i], small.v[2 * i + 1],
                                             series(e, to.width, 0, 1), "");
    }
    return to;
}

static Vectors read_registers(Emit *e, u32 first, u32 count)
{
    Vectors to = {.width = e->chunk};
    for (u32 r = first; r < first + count; r++) {
        const Row v = get_v(e, r);
        for (u32 i = 0; i < e->nchunks; i++)
            to.v[to.n++] = v.c[i];
    }
    return to;
}

static void write_registers(Emit *e, u32 first, const Vectors *words)
{
    const Vectors chunks = reshape(e, words, e->chunk);
    for (u32 i = 0; i < chunks.n; i += e->nchunks) {
        Row v = {{0}};
        for (u32 k = 0; k < e->nchunks; k++)
            v.c[k] = chunks.v[i + k];
        set_v(e, first + i / e->nchunks, v);
    }
}

/* --- elements as floats -------------------------------------------------------------------- */

/* 16 fields of bits as words, from `skip` bits on in a vector of words */
static Val fields(Emit *e, Val words, u32 bits, u32 skip)
{
    Val from[16], shift[16];
    for (u32 i = 0; i < 16; i++) {
        from[i] = word(e, (skip + i * bits) / 32);
        shift[i] = word(e, (skip + i * bits) % 32);
    }
    const Val v = LLVMBuildShuffleVector(B, words, LLVMGetPoison(LLVMTypeOf(words)),
                                         LLVMConstVector(from, 16), "");
    return LLVMBuildAnd(B, LLVMBuildLShr(B, v, LLVMConstVector(shift, 16), ""),
                        all_of(e, 16, (1u << bits) - 1), "");
}

/* Floats of 4 to 8 bits with a wrong bias, which a product with a power of two puts right, that of
 * subnormals too. */
static Val small_floats(Emit *e, MmaType t, Val v)
{
    const MmaFloat format = isa_mma_float(t);
    const u32 eb = format.exp, fb = format.frac, bias = (1u << (eb - 1)) - 1;
    const Val size = LLVMBuildAnd(B, v, all_of(e, 16, (1u << (eb + fb)) - 1), "");
    const Val sign =
        LLVMBuildShl(B, LLVMBuildLShr(B, v, all_of(e, 16, eb + fb), ""), all_of(e, 16, 31), "");
    const Val wrong = LLVMBuildShl(B, size, all_of(e, 16, 23 - fb), "");
    const Val scale = LLVMConstBitCast(all_of(e, 16, (127 + 127 - bias) << 23), floats_of(e, 16));
    Val bits = LLVMBuildFMul(B, LLVMBuildBitCast(B, wrong, floats_of(e, 16), ""), scale, "");
    bits = LLVMBuildBitCast(B, bits, words_of(e, 16), "");
    if (t == MMA_E4M3 || t == MMA_E5M2) { /* NaNs; infinities keep a fraction of 0 */
        const u32 first = t == MMA_E4M3 ? 0x7f : 0x7c;
        const Val is_special = LLVMBuildICmp(B, LLVMIntUGE, size, all_of(e, 16, first), "");
        bits = LLVMBuildSelect(B, is_special, LLVMBuildOr(B, wrong, all_of(e, 16, 0x7f800000), ""),
                               bits, "");
    }
    return LLVMBuildBitCast(B, LLVMBuildOr(B, bits, sign, ""), floats_of(e, 16), "");
}

static Val signed_numbers(Emit *e, Val v, u32 bits)
{
    const Val up = all_of(e, 16, 32 - bits);
    return LLVMBuildSIToFP(B, LLVMBuildAShr(B, LLVMBuildShl(B, v, up, ""), up, ""),
                           floats_of(e, 16), "");
}

/* 16 elements of a matrix, from `skip` bits on in a vector of as many words as they take, or one */
static Val numbers(Emit *e, MmaType t, Val words, u32 skip)
{
    const LLVMTypeRef f = floats_of(e, 16);
    const u32 bits = isa_mma_bits(t);
    switch (t) {
    case MMA_F32: return LLVMBuildBitCast(B, words, f, "");
    case MMA_TF32:
        return LLVMBuildBitCast(B, LLVMBuildAnd(B, words, all_of(e, 16, 0xffffe000), ""), f, "");
    case MMA_F16: {
        const LLVMTypeRef halves = LLVMVectorType(LLVMHalfTypeInContext(e->c), 16);
        return LLVMBuildFPExt(B, LLVMBuildBitCast(B, words, halves, ""), f, "");
    }
    case MMA_BF16: {
        const Val v = LLVMBuildBitCast(B, words, LLVMVectorType(e->i16, 16), "");
        const Val wide = LLVMBuildZExt(B, v, words_of(e, 16), "");
        return LLVMBuildBitCast(B, LLVMBuildShl(B, wide, all_of(e, 16, 16), ""), f, "");
    }
    case MMA_S8:
    case MMA_S4: return signed_numbers(e, fields(e, words, bits, 0), bits);
    case MMA_B1: return LLVMBuildUIToFP(B, fields(e, words, bits, skip), f, "");
    default: return small_floats(e, t, fields(e, words, bits, 0));
    }
}

/* --- arrays of floats ---------------------------------------------------------------------- */

/* Room for a matrix on the host's stack. */
static Val make_array(Emit *e, const char *name)
{
    const LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMPositionBuilderBefore(B, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->fn)));
    const Val array = LLVMBuildAlloca(B, LLVMArrayType(e->f32, MOST), name);
    LLVMSetAlignment(array, 64);
    LLVMPositionBuilderAtEnd(B, here);
    return array;
}

static Val element_at(Emit *e, Val array, Val index)
{
    return LLVMBuildInBoundsGEP2(B, e->f32, array, &index, 1, "");
}

static Val load_vector(Emit *e, LLVMTypeRef t, Val at)
{
    const Val v = LLVMBuildLoad2(B, t, at, "");
    LLVMSetAlignment(v, 4);
    return v;
}

static void store_vector(Emit *e, Val v, Val at) { LLVMSetAlignment(LLVMBuildStore(B, v, at), 4); }

/* The elements of a matrix of all words, in the order of its registers. */
static void unpack(Emit *e, MmaType t, const Vectors *all, u32 n, Val array)
{
    const u32 bits = isa_mma_bits(t), nwords = bits * 16 / 32;
    const Vectors words = reshape(e, all, nwords ? nwords : 1);
    for (u32 i = 0; i < n / 16; i++) {
        const Val v =
            nwords ? numbers(e, t, words.v[i], 0) : numbers(e, t, words.v[i / 2], i % 2 * 16);
        store_vector(e, v, element_at(e, array, quad(e, i * 16)));
    }
}

/* Exchanges rows and columns of 8 vectors of 8: blocks of 4 by 4, of 2 by 2, and single elements.
 */
static void exchange(Emit *e, Val row[8])
{
    for (u32 step = 4; step; step /= 2) {
        Val low[8], high[8];
        for (u32 i = 0; i < 8; i++) {
            low[i] = word(e, i & step ? 8 + i - step : i);
            high[i] = word(e, i & step ? 8 + i : i + step);
        }
        for (u32 i = 0; i < 8; i++) {
            const Val a = row[i], b = row[i + step];
            if (i & step)
                continue;
            row[i] = LLVMBuildShuffleVector(B, a, b, LLVMConstVector(low, 8), "");
            row[i + step] = LLVMBuildShuffleVector(B, a, b, LLVMConstVector(high, 8), "");
        }
    }
}

/* to[j][i] = from[i][j]; rows and columns are multiples of 8 */
static void transpose(Emit *e, Val from, Val to, u32 rows, u32 columns)
{
    for (u32 i = 0; i < rows; i += 8)
        for (u32 j = 0; j < columns; j += 8) {
            Val row[8];
            for (u32 k = 0; k < 8; k++)
                row[k] = load_vector(e, floats_of(e, 8),
                                     element_at(e, from, quad(e, (i + k) * columns + j)));
            exchange(e, row);
            for (u32 k = 0; k < 8; k++)
                store_vector(e, row[k], element_at(e, to, quad(e, (j + k) * rows + i)));
        }
}

static bool is_same(const Emit *e, const Operand *a, const Operand *b)
{
    if (!a->from[0].c[0] || a->type != b->type || a->n != b->n || a->exchanged != b->exchanged)
        return false;
    for (u32 i = 0; i < MAX_WINDOW; i++)
        for (u32 k = 0; k < e->nchunks; k++)
            if (a->from[i].c[k] != b->from[i].c[k])
                return false;
    return true;
}

/* Makes a matrix of that many rows and columns, which may lie by columns, ready in o; it may be so
 * already. */
static void prepare(Emit *e, Operand *o, MmaType t, u32 reg, u32 rows, u32 columns, bool exchange)
{
    const u32 n = rows * columns;
    Operand new = {.type = (u8)t, .n = n, .exchanged = exchange};
    const u32 count = isa_mma_registers(n, isa_mma_bits(t));
    const Vectors words = read_registers(e, reg, count);
    for (u32 i = 0; i < count; i++)
        new.from[i] = e->known.v[reg + i];
    new.array = o->array ? o->array : make_array(e, "matrix");
    if (is_same(e, o, &new))
        return;
    *o = new;
    Operand *packed = exchange ? &e->operand[2] : o;
    if (!packed->array)
        packed->array = make_array(e, "packed");
    unpack(e, t, &words, n, packed->array);
    if (exchange)
        transpose(e, packed->array, o->array, columns, rows);
}

/* --- the product --------------------------------------------------------------------------- */

/* row[i] += the sum over k of A[first + i][k] B[k], k ascending, each step rounded once. */
static void add_products(Emit *e, const Mma *m, u32 first, u32 count, Val *row, Val a, Val b)
{
    const LLVMBasicBlockRef before = LLVMGetInsertBlock(B), loop = new_block(e, "product"),
                            done = new_block(e, "");
    LLVMTypeRef t = floats_of(e, m->n);
    Val sum[MOST_ROWS], next[MOST_ROWS];
    LLVMBuildBr(B, loop);
    LLVMPositionBuilderAtEnd(B, loop);
    const Val k = LLVMBuildPhi(B, e->i64, "");
    for (u32 i = 0; i < count; i++)
        sum[i] = LLVMBuildPhi(B, t, "");
    const Val from = LLVMBuildMul(B, k, quad(e, m->n), "");
    const Val column = load_vector(e, t, element_at(e, b, from));
    const Val base = element_at(e, a, m->a_by_column ? LLVMBuildMul(B, k, quad(e, m->m), "") : k);
    for (u32 i = 0; i < count; i++) {
        const u32 far = (first + i) * (m->a_by_column ? 1 : m->k);
        const Val one = LLVMBuildLoad2(B, e->f32, element_at(e, base, quad(e, far)), "");
        Val all = LLVMBuildInsertElement(B, LLVMGetPoison(t), one, word(e, 0), "");
        all = LLVMBuildShuffleVector(B, all, LLVMGetPoison(t), all_of(e, m->n, 0), "");
        next[i] = intrinsic(e, "llvm.fma", &t, 1, (Val[]){all, column, sum[i]}, 3);
    }
    const Val after = LLVMBuildAdd(B, k, quad(e, 1), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntULT, after, quad(e, m->k), ""), loop, done);
    LLVMAddIncoming(k, (Val[]){quad(e, 0), after}, (LLVMBasicBlockRef[]){before, loop}, 2);
    for (u32 i = 0; i < count; i++)
        LLVMAddIncoming(sum[i], (Val[]){row[i], next[i]}, (LLVMBasicBlockRef[]){before, loop}, 2);
    LLVMPositionBuilderAtEnd(B, done);
    for (u32 i = 0; i < count; i++)
        row[i] = next[i];
}

static bool is_integer(MmaType t) { return t == MMA_S8 || t == MMA_S4 || t == MMA_B1; }

/* a row of C as what sums begin with */
static Val begin_sum(Emit *e, const Mma *m, Val c)
{
    if (is_integer(m->type))
        return LLVMConstNull(floats_of(e, m->n));
    if (m->wide)
        return LLVMBuildBitCast(B, c, floats_of(e, m->n), "");
    const LLVMTypeRef halves = LLVMVectorType(LLVMHalfTypeInContext(e->c), m->n);
    return LLVMBuildFPExt(B, LLVMBuildBitCast(B, c, halves, ""), floats_of(e, m->n), "");
}

/* a row of D from its sums */
static Val end_sum(Emit *e, const Mma *m, Val c, Val sum)
{
    LLVMTypeRef words = words_of(e, m->n);
    const Val is_nan = LLVMBuildFCmp(B, LLVMRealUNO, sum, sum, "");
    if (is_integer(m->type)) {
        Val args[2] = {c, LLVMBuildFPToSI(B, sum, words, "")};
        return m->rounding ? LLVMBuildAdd(B, c, args[1], "")
                           : intrinsic(e, "llvm.sadd.sat", &words, 1, args, 2);
    }
    if (m->wide)
        return LLVMBuildSelect(B, is_nan, all_of(e, m->n, F32_CANONICAL),
                               LLVMBuildBitCast(B, sum, words, ""), "");
    const LLVMTypeRef halves = LLVMVectorType(LLVMHalfTypeInContext(e->c), m->n);
    const LLVMTypeRef bits = LLVMVectorType(e->i16, m->n);
    const Val half = LLVMBuildBitCast(B, LLVMBuildFPTrunc(B, sum, halves, ""), bits, "");
    const Val nan = LLVMBuildTrunc(B, all_of(e, m->n, 0x7e00), bits, "");
    return LLVMBuildBitCast(B, LLVMBuildSelect(B, is_nan, nan, half, ""), words_of(e, m->n / 2),
                            "");
}

bool multiply_matrices(Emit *e, const Uop *u)
{
    const bool is_long = isa_insn[u->id].effect == E_MMA64;
    Mma m;
    if (e->quick || e->r->flags || !e->at->full || e->lanes != 32 || e->chunk < 8 ||
        !isa_mma(is_long ? K_MMA64 : K_MMA,
                 isa_get(is_long ? O_mma64 : O_mma, is_long ? uop_word(u) : u->word), &m) ||
        (!is_integer(m.type) && m.rounding))
        return false;
    /* 1. A and B */
    Operand *a = &e->operand[0], *b = &e->operand[1];
    prepare(e, a, m.type, u->ra, m.m, m.k, false);
    prepare(e, b, m.type, u->rb, m.k, m.n, m.b_by_row);
    /* 2. C, by rows */
    const u32 bits = m.wide ? 32 : 16, count = isa_mma_registers(m.m * m.n, bits);
    const Vectors all = read_registers(e, is_long ? u->rc : u->rd, count);
    Vectors rows = reshape(e, &all, m.n * bits / 32);
    Val sum[MOST_ROWS];
    for (u32 i = 0; i < m.m; i++)
        sum[i] = begin_sum(e, &m, rows.v[i]);
    /* 3. as many rows at a time as the host has registers for */
    const u32 step = e->chunk == 16 ? m.m : 64 / m.n;
    for (u32 i = 0; i < m.m; i += step)
        add_products(e, &m, i, step, &sum[i], a->array, b->array);
    /* 4. D */
    for (u32 i = 0; i < m.m; i++)
        rows.v[i] = end_sum(e, &m, rows.v[i], sum[i]);
    write_registers(e, u->rd, &rows);
    return true;
}
