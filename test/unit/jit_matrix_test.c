/* jit_matrix_test.c -- compiled matrix products bit by bit, against the interpreter: a sample of
 * them, or every JIT_TEST_STRIDE-th.
 */
#include "test/kit/twins.h"
#include <stdlib.h>

/* Words whose elements of any format are mostly finite, some of them subnormal. */
static u32 matrix_word(void)
{
    return one_in(60)  ? random_word()
           : one_in(8) ? below(UINT32_MAX) & 0x83ff83ff
                       : below(UINT32_MAX) & 0xbfbfbfbf;
}

/* Whether the product is left to the interpreter: all are on hosts without vectors of 8 words; else
 * those of floats that do not round to nearest. */
static bool is_left(const Mma *m)
{
    const bool is_integer = m->type == MMA_S8 || m->type == MMA_S4 || m->type == MMA_B1;
    return !strcmp(lane_level()->name, "base") || (m->rounding && !is_integer);
}

enum { LOADED = 6, SOURCE = 16, FIRST = 64 /* D of the first product */ };

/* Begins a program: numbers of every kind in the registers from 10 on, the lane's address in v1. */
static void load_registers(void)
{
    no_text();
    line("li x8,%#x", DATA);
    line("li x7,%#x", 0xbfbfbfbf);
    line("csrr x5,wgid");
    line("slli x5,x5,1");
    line("csrr x6,wid");
    line("add x5,x5,x6");
    line("slli x5,x5,7");
    line("vid.v v1");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x8");
    line("vadd.vx v1,v1,x5");
    for (u32 r = 10; r < 256; r++)
        if (r < SOURCE || r % LOADED == 0) {
            line("vlw12.v v%u,%u(v1)", r, r * 8);
        } else {
            line("vxor.vv v%u,v%u,v%u", r, r - 6, r - 1);
            line("vand.vx v%u,v%u,x7", r, r);
        }
}

/* Ends it: a sum of the registers from FIRST on, each weighted, goes to memory. */
static void store_sum(void)
{
    line("vmv.v.i v3,0");
    for (u32 r = FIRST; r < 256; r++) {
        line("li x5,%d", (int)(0x9e3779b1u * r | 1));
        line("vmacc.vx v3,x5,v%u", r);
    }
    line("li x6,%u", OUT);
    line("vadd.vx v1,v1,x6");
    line("vsw12.v v3,0(v1)");
    line("endprg x0,x0,x0");
}

/* Multiplies the matrices at v<a> and v<b>; how many registers D takes, from v<d> on. */
static u32 multiply(OperandKind kind, u32 v, const Mma *m, u32 d, u32 a, u32 b, u32 c)
{
    char suffix[80];
    isa_mma_suffix(kind, (i32)v, suffix, sizeof suffix);
    if (kind == K_MMA)
        line("mma%s v%u,v%u,v%u", suffix, d, a, b);
    else
        line("mma64%s v%u,v%u,v%u,v%u", suffix, d, a, b, c);
    return m->wide ? m->m * m->n / 32 : 4;
}

/* Matrix products by number, all or some of those that exist, on numbers of every kind.  D of each
 * has its own registers.  How many are left to the interpreter.  Of those of single bits, which are
 * few, it has more. */
static u32 make_products(u32 from, u32 end, u32 stride)
{
    u32 n = 0, d = FIRST, left = 0;
    load_registers();
    for (u32 v = 0; v < 2u << 12; v++) {
        Mma m;
        const OperandKind kind = v & 1 ? K_MMA64 : K_MMA;
        if ((kind == K_MMA && v >> 11) || !isa_mma(kind, (i32)(v / 2), &m) ||
            (n++ % stride && (m.type != MMA_B1 || n % 4)) || n <= from || n > end)
            continue;
        left += is_left(&m) * (kind == K_MMA ? 2u : 1); /* with a prefix for such registers */
        const u32 a = SOURCE + below(FIRST - 8 - SOURCE),
                  b = one_in(3) ? a : SOURCE + below(FIRST - 8 - SOURCE);
        const u32 c = SOURCE + below(FIRST - 8 - SOURCE);
        const u32 count = multiply(kind, v / 2, &m, d, a, b, c);
        d = d + count > 248 ? FIRST : d + count;
    }
    store_sum();
    return left;
}

/* Matrix products bit by bit, every stride-th of those that exist, or JIT_TEST_STRIDE-th. */
static void try_products(u32 stride)
{
    enum { ALL = 1240, PROGRAM = 40 };
    const char *ask = getenv("JIT_TEST_STRIDE");
    gen.set = V2025 | TIDX;
    stride = ask ? (u32)strtoul(ask, NULL, 0) : stride;
    Twins t = twins_open("jit", 64);
    u64 left = 0;
    gen.seed = 1;
    for (u32 from = 0; from < ALL; from += PROGRAM * stride) {
        const Shape s = {
            .lanes = 32, .items = 64, .warps = 2, .memory = from + 1, .word = matrix_word};
        left += 16 * make_products(from, from + PROGRAM * stride, stride); /* a warp each */
        twins_load(&t);
        assert_false(twins_run(&t, &s, from).run.faulted);
    }
    const JitStats stats = twins_close(&t);
    assert_int_equal(stats.insns - stats.compiled, left);
    gen.set = V202 | AI | TIDX;
    buf_free(&gen.text);
}

static void matrix_products(void **state)
{
    (void)state;
    try_products(13);
    setenv("VENTUS_LANES", "avx2", 1);
    try_products(23);
    unsetenv("VENTUS_LANES");
}

/* A matrix that a product has made ready is another one when any of its registers has changed. */
static void changed_matrices(void **state)
{
    enum { A = SOURCE, B = SOURCE + 8, C = SOURCE + 16 };
    u32 tried = 0; /* a bit for each count of registers of A and of B */
    (void)state;
    gen.set = V2025 | TIDX;
    gen.seed = 1;
    Twins t = twins_open("jit", 64);
    for (u32 v = 0; v < 1u << 12; v++) {
        Mma m;
        if (!isa_mma(K_MMA64, (i32)v, &m) || m.rounding)
            continue;
        const u32 bits = isa_mma_bits(m.type), na = isa_mma_registers(m.m * m.k, bits);
        const u32 nb = isa_mma_registers(m.k * m.n, bits), what = 1u << na | 1u << (nb + 16);
        if ((tried & what) == what)
            continue;
        tried |= what;
        u32 d = FIRST;
        load_registers();
        for (u32 i = 0; i <= na + nb; i++) {
            d += multiply(K_MMA64, v, &m, d, A, B, C);
            assert_true(d <= 248);
            const u32 next = i < na ? A + i : B + i - na;
            line("vxor.vv v%u,v%u,v%u", next, next, C);
            line("vand.vx v%u,v%u,x7", next, next);
        }
        store_sum();
        twins_load(&t);
        const Shape s = {
            .lanes = 32, .items = 64, .warps = 2, .memory = v + 1, .word = matrix_word};
        assert_false(twins_run(&t, &s, v).run.faulted);
    }
    twins_close(&t);
    assert_true(tried >> 8 & 1); /* eight of A, too */
    gen.set = V202 | AI | TIDX;
    buf_free(&gen.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_products),
        cmocka_unit_test(changed_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
