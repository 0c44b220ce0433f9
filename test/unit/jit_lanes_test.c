/* jit_lanes_test.c -- groups of any number of work-items in host code, against the interpreter: warps with all lanes, some or
 * one, which host code goes through one after the other, and stores to launch constants that those behind must find.
 * JIT_TEST_SEED is the number of the first random program, JIT_TEST_COUNT how many there are.
 */
#include "test/kit/twins.h"

enum { WARP_BYTES = 512 };

/* x6: the arguments; x7, x21: two of them; x9: memory of the warp; v3, v1: the lanes' numbers and words there. */
static void begin(void)
{
    no_text();
    line("csrr x5,knl");
    line("lw x6,4(x5)");
    line("lw x7,0(x6)");
    if (one_in(2)) { /* in another block */
        line("andi x10,x7,1");
        line("beqz x10,.Lo");
        line("addi x7,x7,2");
        label(".Lo");
    }
    line("lw x21,4(x6)");
    line("csrr x11,wgid");
    line("csrr x12,wid");
    line("slli x9,x11,2");
    line("add x9,x9,x12");
    line("slli x9,x9,%u", (u32)__builtin_ctz(WARP_BYTES));
    line("li x10,%#x", DATA + OUT);
    line("add x9,x9,x10");
    line("vid.v v3");
    line("vsll.vi v1,v3,2");
    line("vadd.vx v1,v1,x9");
}

/* Some warps, or some of their lanes, change an argument. */
static void change(u32 n)
{
    line("andi x10,x11,%u", below(8));
    line("li x13,%u", below(4));
    line("bne x10,x13,.Lc%u", n);
    line("li x13,%u", below(4));
    if (one_in(2))
        line("bne x12,x13,.Lc%u", n);
    if (one_in(2)) {
        line("addi x13,x21,%u", 1 + below(9));
        line("sw x13,%u(x6)", 4 * below(2));
    } else if (one_in(2)) {
        line("vmv.v.x v2,x6");
        line("vadd.vi v2,v2,%d", (int)(4 * below(4)) - 4);
        line("amoadd.w v5,v3,(v2)");
        line("vadd.vv v4,v4,v5");
    } else {
        line("vmv.v.x v2,x6");
        line("vadd.vx v5,v3,x21");
        line("vsw12.v v5,%u(v2)", 4 * below(2));
    }
    label(".Lc%u", n);
}

static void work(u32 n)
{
    line("li x14,%u", 1 + below(3));
    label(".Lw%u", n);
    line("vadd.vx v4,v4,x21");
    line("vadd.vv v4,v4,v3");
    if (one_in(2)) { /* lanes part, and something is left to the interpreter */
        label(".Lq%u", n);
        line("auipc x30,%%pcrel_hi(.Lm%u)", n);
        line("setrpc x0,x30,%%pcrel_lo(.Lq%u)", n);
        line("vand.vi v7,v4,3");
        line("vblt v3,v7,.Lm%u", n);
        line("vmul.vv v4,v4,v4");
        line("shuffle.bfly v8,v4,%u", 1 + below(3));
        line("vadd.vv v4,v4,v8");
        label(".Lm%u", n);
        line("join x0,x0,0");
    }
    if (one_in(2))
        line("vlw12.v v6,%u(v1)", 128 * below(3));
    line("vadd.vv v4,v4,v6");
    line("addi x14,x14,-1");
    line("bgtz x14,.Lw%u", n);
    line("vsw12.v v4,%u(v1)", 128 * below(3));
}

static void lanes(void **state)
{
    (void)state;
    const Programs p = programs_to_try(60);
    gen.set = V202 | AI;
    Twins t = twins_open("jit", 64);
    for (u64 program = p.first; program < p.end; program++) {
        gen_begin(program);
        const u32 n = 4u << below(4), warps = 1 + below(4), last = one_in(4) ? n : 1 + below(n - 1);
        const Shape s = {.lanes = n,
                         .items = (warps - 1) * n + last,
                         .warps = warps + (one_in(8) ? 1 : 0),
                         .memory = program};
        begin();
        line("vmv.v.x v4,x7");
        line("vmv.v.i v6,0");
        line("vmv.v.i v8,0");
        for (u32 i = 1 + below(3); i > 0; i--)
            (one_in(2) ? change : work)(i);
        work(9);
        line("csrr x10,instret");
        line("sw x10,384(x9)");
        line("endprg x0,x0,x0");
        twins_load(&t);
        const DevResult r = twins_run(&t, &s, program);
        assert_false(r.run.faulted);
        assert_int_equal(r.run.groups, 8);
    }
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
