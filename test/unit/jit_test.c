/* jit_test.c -- the compiling engine against the interpreter: random programs (test/kit/asmgen.h)
 * must leave the same memory, count the same instructions and fault at the same place.
 *
 * JIT_TEST_SEED is the number of the first program, JIT_TEST_COUNT how many there are,
 * JIT_TEST_SIZE their statements; an argument chooses a test.
 */
#include "test/kit/twins.h"
#include <stdlib.h>
#include <string.h>

static void try_programs_from(Programs p, u32 size, const char *engine)
{
    Twins t = twins_open(engine, 64);
    for (u64 program = p.first; program < p.end; program++) {
        gen_begin(program);
        const u32 lanes = 4u << below(4);
        Shape s = {.lanes = lanes, .warps = 2, .vm = (VmRule)below(4), .memory = program + 1};
        s.items = one_in(3) ? lanes + 1 + below(lanes - 1) : 2 * lanes;
        if (program % 3 == 2) { /* of one, which waits at no barrier */
            s.warps = 1;
            s.items -= lanes;
        }
        s.max_insns = one_in(4) ? 200 + below(2000) : 200000;
        if (s.max_insns == 200000 && program % 2 == 0)
            s.max_insns = 0; /* groups in one call of host code */
        gen.may_fault = one_in(3);
        gen.reads_flags = one_in(4);
        gen.most_die = program % 3 == 1;
        make_program(size);
        twins_load(&t);
        twins_run(&t, &s, program);
    }
    const JitStats stats = twins_close(&t);
    assert_true(stats.compiled <= stats.insns);
    assert_true(stats.compiled > 0 ||
                p.end - p.first <
                    3); /* a low limit of instructions leaves all to the interpreter */
    buf_free(&gen.text);
}

static void try_programs(u32 n, u32 size)
{
    const char *statements = getenv("JIT_TEST_SIZE");
    try_programs_from(programs_to_try(n), statements ? (u32)strtoul(statements, NULL, 0) : size,
                      "jit");
}

/* A turn that comes near the limit of instructions is as long as the interpreter's: the warps of
 * this program add to the same words of local memory, in the order of their turns. */
static void whole_turns(void **state)
{
    (void)state;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    try_programs_from((Programs){.first = 1041, .end = 1042}, 12, "jit");
    unsetenv("VENTUS_JIT_TIER");
}

static void small_programs(void **state)
{
    (void)state;
    try_programs(8, 6);
}

static void graphs(void **state)
{
    (void)state;
    try_programs(4, 30);
}

/* Quick code costs less to make: more of it. */
static void quick_programs(void **state)
{
    (void)state;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    try_programs(30, 6);
    try_programs(15, 30);
    unsetenv("VENTUS_JIT_TIER");
}

/* An instruction of a random row with random operands, now and then any word. */
static void wild_word(void)
{
    for (;;) {
        const InsnInfo *row = &isa_insn[below(NINSN)];
        const u64 any = (u64)below(UINT32_MAX) << 32 | below(UINT32_MAX);
        const u64 word = row->match | (any & ~isa_format[row->format].mask);
        if (one_in(20)) {
            line(".word %#x", (u32)any);
            return;
        }
        if (row->sets & gen.set) {
            line(".word %#x", (u32)word);
            if (row->len == 8)
                line(".word %#x", (u32)(word >> 32));
            return;
        }
    }
}

/* Code that nobody would write: branches to anywhere, wild registers as addresses, types and modes
 * that are none. */
static void try_words(void)
{
    setenv("VENTUS_JIT_TIER", "quick", 1);
    Twins t = twins_open("jit", 64);
    const Programs p = programs_to_try(40);
    for (u64 program = p.first; program < p.end; program++) {
        gen_begin(program);
        no_text();
        line("li x8,%#x", DATA);
        line("li x9,%#x", LDS_LO);
        line("addi x2,x9,1024");
        line("vid.v v1");
        line("vsll.vi v1,v1,2");
        line("vadd.vx v2,v1,x9");
        line("vadd.vx v1,v1,x8");
        for (u32 n = 0; n < 40; n++)
            if (one_in(3)) /* so that it comes further */
                random_alu();
            else
                wild_word();
        line("endprg x0,x0,x0");
        const Shape s = {
            .lanes = 4u << below(4), .items = 4, .warps = 1, .max_insns = 3000, .memory = program};
        twins_load(&t);
        twins_run(&t, &s, program);
    }
    assert_true(twins_close(&t).compiled > 100 || p.end - p.first < 40);
    unsetenv("VENTUS_JIT_TIER");
    buf_free(&gen.text);
}

static void any_words(void **state)
{
    (void)state;
    try_words();
    gen.set = V2025 | TIDX;
    try_words();
    gen.set = V202 | AI | TIDX;
}

/* Programs of profile v2025: register pairs, abs and neg, widening, spaces. */
static void pairs(void **state)
{
    (void)state;
    gen.set = V2025 | TIDX;
    try_programs(3, 20);
    setenv("VENTUS_JIT_TIER", "quick", 1);
    try_programs(12, 20);
    setenv("VENTUS_LANES", "base", 1);
    try_programs(4, 20);
    unsetenv("VENTUS_LANES");
    unsetenv("VENTUS_JIT_TIER");
    gen.set = V202 | AI | TIDX;
}

/* The engine that compares while it runs finds nothing.  Its turns are shorter, so that programs
 * whose warps share words do other things than with the interpreter alone. */
static void shadow_agrees(void **state)
{
    (void)state;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    try_programs_from((Programs){.first = 1, .end = 13}, 12, "shadow");
    unsetenv("VENTUS_JIT_TIER");
}

static u64 a_million(void *self, const Warp *w)
{
    (void)self, (void)w;
    return 1000000;
}

/* A clock that the twin has not makes a difference: in a register, at the loop behind its reading,
 * in the first group. */
static void shadow_notices(void **state)
{
    static const Clock clock = {.cycles = a_million, .time = a_million};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    no_text();
    line("csrr x14,cycle");
    line("li x28,1000");
    label(".Lt");
    line("add x9,x9,x14");
    line("addi x28,x28,-1");
    line("bgtz x28,.Lt");
    line("li x8,%#x", DATA);
    line("sw x9,0(x8)");
    line("endprg x0,x0,x0");
    Device *d = open_device("shadow", 64);
    load_text(d);
    const Shape s = {.lanes = 8, .items = 8, .warps = 1, .memory = 1};
    assert_false(run(d, &s).run.faulted);
    assert_string_equal(jit_difference(dev_engine(d)), "");
    ((Sim *)dev_engine(d))->clock = &clock;
    const DevResult r = run(d, &s);
    assert_true(r.run.faulted);
    assert_int_equal(r.run.fault.kind, FAULT_DIFFERS);
    assert_int_equal(r.run.fault.group_linear, 0);
    assert_non_null(strstr(jit_difference(dev_engine(d)), "x9 is 0x"));
    buf_free(&gen.text);
    dev_close(d);
}

/* Every second group runs its host code in whole turns, as without a twin, so that what it does
 * wrong is seen when it has done; the others stop wherever host code may stop. */
static void shadow_compares_turns(void **state)
{
    static const Clock clock = {.cycles = a_million, .time = a_million};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    for (u32 group = 0; group < 2; group++) {
        no_text();
        line("csrr x15,gidx");
        line("li x16,%u", group);
        line("bne x15,x16,.Le");
        line("csrr x14,cycle");
        line("li x28,1000");
        label(".Lt");
        line("add x9,x9,x14");
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        line("li x8,%#x", DATA);
        line("sw x9,0(x8)");
        label(".Le");
        line("endprg x0,x0,x0");
        Device *d = open_device("shadow", 64);
        load_text(d);
        ((Sim *)dev_engine(d))->clock = &clock;
        const Shape s = {.lanes = 8, .items = 8, .warps = 1, .memory = 1};
        const DevResult r = run(d, &s);
        assert_true(r.run.faulted);
        if (!strstr(jit_difference(dev_engine(d)), group ? "at the end, byte" : "x9 is 0x"))
            fail_msg("group %u: %s", group, jit_difference(dev_engine(d)));
        buf_free(&gen.text);
        dev_close(d);
    }
}

/* Warps that take turns in the middle of loops go on there. */
static void long_loops(void **state)
{
    (void)state;
    no_text();
    line("li x8,%#x", DATA + OUT);
    line("csrr x5,wid");
    line("slli x6,x5,7");
    line("add x8,x8,x6");
    line("vid.v v1");
    line("vadd.vx v2,v1,x5");
    line("li x28,1200000");
    label(".Lt");
    line("vmul.vx v2,v2,x28");
    line("vadd.vi v2,v2,7");
    line("add x9,x9,x28");
    line("addi x28,x28,-1");
    line("bgtz x28,.Lt");
    line("vadd.vx v2,v2,x9");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x8");
    line("vsw12.v v2,0(v1)");
    line("endprg x0,x0,x0");
    Twins t = twins_open("jit", 64);
    const Shape s = {.lanes = 32, .items = 64, .warps = 2, .memory = 1};
    twins_load(&t);
    twins_run(&t, &s, 0);
    const JitStats stats = twins_close(&t);
    assert_true(stats.compiled > stats.insns / 10 * 9);
    buf_free(&gen.text);
}

/* Lanes that the interpreter has parted: code is entered on either side, parts them further, and
 * leads to the join at which both meet. */
static void enters_sides(void **state)
{
    (void)state;
    no_text();
    line("li x8,%#x", DATA + OUT);
    line("vid.v v1");
    line("vmv.v.i v2,11");
    line("vmv.v.v v3,v1");
    line("vmv.v.i v4,3");
    set_meeting(0);
    line("vblt v1,v2,.La");
    line("csrrwi x0,frm,0"); /* left to the interpreter */
    line("li x28,3000");
    label(".Lb");
    line("vand.vi v5,v3,7");
    set_meeting(1);
    line("vblt v5,v4,.Lc");
    line("vadd.vi v3,v3,5");
    line("j .Lm1");
    label(".Lc");
    line("vmulh.vx v3,v3,x8"); /* too slow for both sides at once */
    label(".Lm1");
    line("join x0,x0,0");
    line("vmul.vx v3,v3,x28");
    line("vadd.vi v3,v3,7");
    line("addi x28,x28,-1");
    line("bgtz x28,.Lb");
    line("j .Lm0");
    label(".La");
    line("li x28,3000");
    label(".Ld");
    line("vadd.vx v3,v3,x28");
    line("addi x28,x28,-1");
    line("bgtz x28,.Ld");
    label(".Lm0");
    line("join x0,x0,0");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x8");
    line("vsw12.v v3,0(v1)");
    line("endprg x0,x0,x0");
    Twins t = twins_open("jit", 64);
    for (u32 items = 24; items <= 32; items += 8) { /* some, all lanes */
        const Shape s = {.lanes = 32, .items = items, .warps = 1, .memory = 1};
        twins_load(&t);
        twins_run(&t, &s, 0);
    }
    const JitStats stats = twins_close(&t);
    assert_true(stats.insns > 2 * 3000 * 10);
    assert_true(stats.compiled > stats.insns / 10 * 9);
    buf_free(&gen.text);
}

/* Code with a side that runs into its join, divisions by scalars, and what start code does with
 * CSRs is compiled to its last instruction. */
static void nothing_is_left(void **state)
{
    (void)state;
    no_text();
    line("li x8,%#x", DATA + OUT);
    line("li x5,%#x", 0x2000);
    line("csrrs x0,mstatus,x5");
    line("csrrw x0,mtvec,x5");
    line("csrr x6,knl");
    line("vsetvli x0,x6,e32,m1,ta,ma"); /* larger than any warp */
    line("lw x7,24(x6)");
    line("lw x9,12(x6)");
    line("vid.v v1");
    line("vdivu.vx v2,v1,x7");
    line("vremu.vx v3,v1,x9");
    line("vmv.v.i v4,9");
    set_meeting(0);
    line("vblt v1,v4,.Lm0");
    line("vadd.vx v2,v2,x6");
    label(".Lm0");
    line("join x0,x0,0");
    line("vadd.vv v2,v2,v3");
    line("csrr x5,wid");
    line("slli x5,x5,7");
    line("add x8,x8,x5");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x8");
    line("vsw12.v v2,0(v1)");
    line("endprg x0,x0,x0");
    Twins t = twins_open("jit", 64);
    for (u32 items = 56; items <= 64; items += 8) {
        const Shape s = {.lanes = 32, .items = items, .warps = 2, .memory = 1};
        twins_load(&t);
        twins_run(&t, &s, 0);
    }
    const JitStats stats = twins_close(&t);
    assert_true(stats.insns > 100);
    assert_int_equal(stats.compiled, stats.insns);
    buf_free(&gen.text);
}

/* A function returns to each of its callers in compiled code. */
static void returns_to_all(void **state)
{
    (void)state;
    no_text();
    line("li x2,%#x", LDS_LO + 64);
    line("li x28,1000");
    label(".Lt");
    for (u32 i = 0; i < 5; i++) {
        line("call f0");
        line("xori x12,x12,%u", i);
    }
    line("addi x28,x28,-1");
    line("bgtz x28,.Lt");
    line("li x8,%#x", DATA + OUT);
    line("sw x12,0(x8)");
    line("endprg x0,x0,x0");
    label("f0");
    line("slli x13,x12,1");
    line("add x12,x12,x13");
    line("addi x12,x12,1");
    line("ret");
    const Shape s = {.lanes = 8, .items = 8, .warps = 1, .memory = 1};
    Twins t = twins_open("jit", 64);
    twins_load(&t);
    assert_false(twins_run(&t, &s, 0).run.faulted);
    const JitStats stats = twins_close(&t);
    if (stats.compiled < stats.insns / 100 * 99)
        fail_msg("%llu of %llu instructions were compiled", (unsigned long long)stats.compiled,
                 (unsigned long long)stats.insns);
    buf_free(&gen.text);
}

static void host_levels(void **state)
{
    static const char *const levels[] = {"base", "avx2"};
    (void)state;
    for (size_t i = 0; i < countof(levels); i++) {
        setenv("VENTUS_LANES", levels[i], 1);
        try_programs(2, 12);
        setenv("VENTUS_JIT_TIER", "quick", 1);
        try_programs(10, 12);
        unsetenv("VENTUS_JIT_TIER");
    }
    unsetenv("VENTUS_LANES");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_programs),
        cmocka_unit_test(graphs),
        cmocka_unit_test(whole_turns),
        cmocka_unit_test(quick_programs),
        cmocka_unit_test(any_words),
        cmocka_unit_test(pairs),
        cmocka_unit_test(shadow_agrees),
        cmocka_unit_test(shadow_notices),
        cmocka_unit_test(shadow_compares_turns),
        cmocka_unit_test(long_loops),
        cmocka_unit_test(enters_sides),
        cmocka_unit_test(nothing_is_left),
        cmocka_unit_test(returns_to_all),
        cmocka_unit_test(host_levels),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
