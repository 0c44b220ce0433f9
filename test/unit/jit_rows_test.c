/* jit_rows_test.c -- what compiled code knows about rows of lanes, against the interpreter:
 * lengths, masks, rows that die, sides of branches that are computed at once, floats whose NaNs are
 * not canonical yet.  JIT_TEST_SEED is the number of the first random program, JIT_TEST_COUNT how
 * many there are; an argument chooses a test.
 */
#include "test/kit/twins.h"
#include <stdlib.h>

/* Vector lengths that are constant and that are not, below and above the lanes, in loops that begin
 * with all lanes or with 3: the lanes that are off keep what they have. */
static void vector_lengths(void **state)
{
    static const char *const sets[] = {
        "vsetvli x12,x0,e32,m1,ta,ma",
        "vsetvli x0,x0,e32,m1,ta,ma",
        "vsetivli x12,3,e32,m1,ta,ma",
        "vsetivli x0,31,e32,m1,ta,ma",
        "vsetvli x12,x13,e32,m1,ta,ma",
        "vsetvli x12,x14,e32,m1,ta,ma",
        "vsetvli x12,x15,e32,m1,ta,ma",
        "vsetvl x12,x13,x16",
        "vsetvl x0,x0,x16",
        "vsetvl x12,x0,x16",
    };
    (void)state;
    Twins t = twins_open("jit", 64);
    for (u32 items = 12; items <= 16; items += 4) {
        const Shape s = {.lanes = 8, .items = items, .warps = 2, .memory = 7};
        no_text();
        line("csrr x5,wid");
        line("csrr x6,wgid");
        line("slli x6,x6,1");
        line("add x5,x5,x6");
        line("slli x5,x5,10");
        line("li x8,%#x", DATA);
        line("lw x15,0(x8)");
        line("andi x15,x15,7"); /* only the host code of an access tells */
        line("li x13,5");
        line("li x14,8");
        line("csrr x16,vtype");
        line("li x7,%#x", DATA + OUT);
        line("add x7,x7,x5");
        line("vid.v v1");
        line("vsll.vi v1,v1,2");
        line("vadd.vx v1,v1,x7");
        for (u32 k = 0; k < 2 * countof(sets); k++) {
            line("%s", sets[k % 2 ? 0 : 2]);
            line("li x18,3");
            label(".Ll%u", k);
            line("vadd.vi v4,v4,1");
            line("%s", sets[k / 2]);
            line("vadd.vi v5,v4,2");
            line("csrr x17,vl");
            line("vadd.vx v5,v5,x17");
            line("addi x18,x18,-1");
            line("bgtz x18,.Ll%u", k);
            line("%s", sets[0]);
            line("vsw12.v v5,0(v1)");
            line("li x17,32");
            line("vadd.vx v1,v1,x17");
        }
        line("endprg x0,x0,x0");
        twins_load(&t);
        const DevResult r = twins_run(&t, &s, items);
        assert_false(r.run.faulted);
    }
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

/* A length that is all lanes is set in compiled code, which goes on. */
static void whole_lengths(void **state)
{
    static const char *const sets[] = {"vsetvli x12,x0,e32,m1,ta,ma", "vsetivli x12,8,e32,m1,ta,ma",
                                       "vsetvli x12,x14,e32,m1,ta,ma"};
    const Shape s = {.lanes = 8, .items = 16, .warps = 2, .memory = 7};
    (void)state;
    for (size_t k = 0; k < countof(sets); k++) {
        Twins t = twins_open("jit", 64);
        no_text();
        line("li x13,1000");
        label(".Lagain");
        line("li x14,9");
        line("%s", sets[k]);
        line("vadd.vi v4,v4,1");
        line("addi x13,x13,-1");
        line("bgtz x13,.Lagain");
        line("endprg x0,x0,x0");
        twins_load(&t);
        assert_false(twins_run(&t, &s, k).run.faulted);
        const JitStats stats = twins_close(&t);
        if (stats.compiled < stats.insns / 10 * 9)
            fail_msg("%s: %llu of %llu instructions were compiled", sets[k],
                     (unsigned long long)stats.compiled, (unsigned long long)stats.insns);
    }
    buf_free(&gen.text);
}

/* Rows that are dead behind a side, in a side without lane 0.  The mask of a masked instruction may
 * be the word that lane 0 has in v0, which that side does not write: it is still 0, so nothing is
 * added. */
static void rows_die(void **state)
{
    (void)state;
    no_text();
    line("li x8,%#x", DATA + OUT);
    line("vid.v v1");
    line("vsll.vi v2,v1,2");
    line("vadd.vx v2,v2,x8");
    line("vmv.v.i v4,5");
    line("vmv.v.i v5,6");
    line("vmv.v.i v6,0");
    set_meeting(0);
    line("vbeq v1,v6,.Lm0");
    line("vmv.v.i v0,-1");
    line("vadd.vi v4,v4,1,v0.t");
    line("vadd.vi v7,v5,1"); /* dies here */
    line("vadd.vv v5,v7,v1");
    label(".Lm0");
    line("join x0,x0,0");
    line("vmv.v.i v0,0");
    line("vadd.vv v7,v0,v4");
    line("vsw12.v v7,0(v2)");
    line("vsw12.v v5,128(v2)");
    line("endprg x0,x0,x0");
    Twins t = twins_open("jit", 64);
    for (u32 vm = 0; vm < 4; vm++) {
        const Shape s = {.lanes = 32, .items = 32, .warps = 1, .vm = (VmRule)vm, .memory = 1};
        twins_load(&t);
        twins_run(&t, &s, vm);
        u32 v4[32];
        assert_true(dev_read(t.b, DATA + OUT, v4, sizeof v4));
        assert_int_equal(v4[0], 5);
        assert_int_equal(v4[31], vm == VM_OWN || vm == VM_IGNORE ? 6 : 5);
    }
    twins_close(&t);
    buf_free(&gen.text);
}

/* x2: DATA, x7: where the warp leaves what it has; v1: there, a word a lane, v2: the same in DATA,
 * v3: the lanes */
static void begin_rows(void)
{
    no_text();
    line("li x2,%#x", DATA);
    line("csrr x5,wid");
    line("slli x5,x5,11");
    line("li x7,%#x", DATA + OUT);
    line("add x7,x7,x5");
    line("vid.v v3");
    line("vsll.vi v2,v3,2");
    line("vadd.vx v1,v2,x7");
    line("vadd.vx v2,v2,x2");
}

/* Stores v4 and those up to `end`, and x12 to x14, behind what the program loads. */
static void store_rows(u32 end)
{
    for (u32 n = 4; n < end; n++)
        line("vsw12.v v%u,%u(v1)", n, 1024 + 128 * (n - 4));
    for (u32 n = 12; n < 15; n++)
        line("sw x%u,%u(x7)", n, 1976 + 4 * n);
}

/* one statement on the few float registers of nans_travel(): x12 to x14, v4 to v8 */
static void float_statement(u32 depth)
{
    static const char *const two[] = {"vfadd", "vfsub", "vfmul", "vfadd", "vfmax", "vfsgnjn"};
    static const char *const three[] = {"vfmacc", "vfnmsac", "vfmadd", "vfmsub"};
    static const char *const scalar[] = {"fadd.s", "fsub.s", "fmul.s", "fmin.s", "fsgnj.s"};
    const u32 d = 4 + below(5), a = 4 + below(5), b = 4 + below(5), x = 12 + below(3),
              y = 12 + below(3);
    const char *m = one_in(5) ? ",v0.t" : "";
    switch (below(depth ? 13 : 15)) {
    case 0: line("%s.vf v%u,v%u,x%u%s", PICK(two), d, a, x, m); break;
    case 1: line("%s.vf v%u,x%u,v%u%s", PICK(three), d, x, a, m); break;
    case 2: line("%s x%u,x%u,x%u", PICK(scalar), x, 12 + below(3), y); break;
    case 3: line("fmadd.s x%u,x%u,x%u,x%u", x, 12 + below(3), y, y); break;
    case 4: line("vmv.v.v v%u,v%u", d, a); break;
    case 5: line("vmerge.vvm v%u,v%u,v%u,v0", d, a, b); break;
    case 6: /* what sees bits */
        switch (below(6)) {
        case 0: line("vsw12.v v%u,%u(v1)", a, 128 * below(4)); break;
        case 1: line("vlw12.v v%u,%u(v2)", d, 128 * below(4)); break;
        case 2: line("vxor.vv v9,v9,v%u", a); break;
        case 3: line("sw x%u,2044(x7)", x); break;
        case 4: line("vmv.x.s x%u,v%u", x, a); break;
        default: line("vfclass.v v10,v%u", a); break;
        }
        break;
    case 13: {
        const u32 l = gen.labels++;
        set_meeting(l);
        line("%s v%u,v3,.Le%u", divergent_branch(), 9 + below(2), l);
        for (u32 i = below(3); i > 0; i--)
            float_statement(1);
        line("j .Lm%u", l);
        label(".Le%u", l);
        for (u32 i = below(3); i > 0; i--)
            float_statement(1);
        label(".Lm%u", l);
        line("join x0,x0,0");
        break;
    }
    case 14: {
        const u32 l = gen.labels++;
        line("andi x15,x%u,1", x);
        line("beqz x15,.Lu%u", l);
        float_statement(1);
        label(".Lu%u", l);
        break;
    }
    default:
        if (one_in(2))
            line("%s.vv v%u,v%u,v%u%s", PICK(two), d, a, b, m);
        else
            line("%s.vv v%u,v%u,v%u%s", PICK(three), d, a, b, m);
    }
}

/* Floats that go round loops, through sides and selections, from registers that begin as numbers or
 * as NaNs of any kind to what sees their bits: only results have become canonical. */
static void nans_travel(void **state)
{
    (void)state;
    Twins t = twins_open("jit", 64);
    const Programs p = programs_to_try(14);
    for (u64 program = p.first; program < p.end; program++) {
        gen_begin(program);
        const u32 lanes = 4u << below(4);
        const Shape s = {.lanes = lanes,
                         .items = 2 * lanes - below(2),
                         .warps = 2,
                         .vm = VM_OWN,
                         .memory = program};
        begin_rows();
        line("vand.vi v0,v3,1");
        line("vmv.v.i v9,0");
        for (u32 n = 4; n < 9; n++)
            if (one_in(2))
                line("vlw12.v v%u,%u(v2)", n, 128 * n % 1024);
            else
                line("vmv.v.i v%u,0", n);
        for (u32 n = 12; n < 15; n++)
            line("lw x%u,%u(x2)", n, 4 * n);
        line("li x28,%u", 1 + below(4));
        label(".Lt");
        for (u32 i = 4 + below(8); i > 0; i--)
            float_statement(0);
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        store_rows(11);
        line("endprg x0,x0,x0");
        twins_load(&t);
        twins_run(&t, &s, program);
    }
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

/* one statement of a short side: rows, mostly */
static void side_statement(void)
{
    static const char *const vv[] = {"vadd.vv",  "vxor.vv",  "vmul.vv",  "vmin.vv", "vfadd.vv",
                                     "vmacc.vv", "vfmul.vv", "vmslt.vv", "vsub.vv", "vmv.v.v"};
    const u32 k = below(countof(vv)), d = 4 + below(6), a = 4 + below(6), b = 4 + below(6);
    switch (below(12)) {
    case 0: line("vadd.vx v%u,v%u,x%u", d, a, 12 + below(3)); break;
    case 1: line("vsrl.vi v%u,v%u,%u", d, a, below(32)); break;
    case 2: line("vid.v v%u", d); break;
    case 3: line(one_in(2) ? "vadd.vi v%u,v%u,3,v0.t" : "vmerge.vvm v%u,v%u,v4,v0", d, a); break;
    case 4: line("addi x%u,x%u,%u", 12 + below(3), 12 + below(3), below(9)); break;
    default:
        if (k + 1 == countof(vv))
            line("%s v%u,v%u", vv[k], d, a);
        else
            line("%s v%u,v%u,v%u", vv[k], d, a, b);
    }
}

/* a branch whose sides are short, or have another such branch within; some meet at the same join */
static void short_branch(u32 depth)
{
    const u32 l = gen.labels++;
    set_meeting(l);
    line("%s v%u,v%u,.L%c%u", divergent_branch(), 3 + below(7), 3 + below(7), one_in(4) ? 'm' : 'e',
         l);
    for (u32 i = below(4); i > 0; i--)
        side_statement();
    if (depth && one_in(3))
        short_branch(depth - 1);
    if (one_in(4)) { /* both lead to the same join */
        set_meeting(l);
        line("%s v%u,v%u,.L%c%u", divergent_branch(), 3 + below(7), 3 + below(7),
             one_in(2) ? 'm' : 'e', l);
        side_statement();
    }
    if (one_in(3))
        line("j .Lm%u", l);
    label(".Le%u", l);
    for (u32 i = below(3); i > 0; i--)
        side_statement();
    label(".Lm%u", l);
    line("join x0,x0,0");
}

/* Branches whose sides are computed at once: registers, counts, and the limits of instructions and
 * of the divergence stack are as if one side had waited for the other. */
static void short_sides(void **state)
{
    static const u32 depths[] = {64, 1, 2, 4};
    u32 faults = 0;
    (void)state;
    const Programs p = programs_to_try(20);
    for (u64 program = p.first; program < p.end; program++) {
        gen_begin(program);
        const u32 lanes = 4u << below(4);
        if (one_in(3))
            setenv("VENTUS_JIT_TIER", "quick", 1);
        Twins t = twins_open("jit", depths[program % countof(depths)]);
        const Shape s = {.lanes = lanes,
                         .items = 2 * lanes - below(3),
                         .warps = 2,
                         .vm = (VmRule)below(4),
                         .max_insns = one_in(4) ? 200 + below(500) : 0,
                         .memory = program};
        begin_rows();
        line("vand.vi v0,v3,5");
        for (u32 n = 4; n < 10; n++)
            line("vlw12.v v%u,%u(v2)", n, 128 * n % 1024);
        line("vand.vi v4,v4,7");
        line("vand.vi v5,v5,7");
        line("li x28,%u", 1 + below(4));
        label(".Lt");
        for (u32 i = 1 + below(4); i > 0; i--)
            short_branch(2);
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        store_rows(10);
        line("csrr x12,instret");
        line("sw x12,2044(x7)");
        line("endprg x0,x0,x0");
        twins_load(&t);
        const DevResult r = twins_run(&t, &s, program);
        faults += r.run.faulted && r.run.fault.kind == FAULT_SIMT_OVERFLOW;
        twins_close(&t);
        unsetenv("VENTUS_JIT_TIER");
    }
    assert_true(faults > 0 || p.end - p.first < 20);
    buf_free(&gen.text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_lengths), cmocka_unit_test(whole_lengths),
        cmocka_unit_test(rows_die),       cmocka_unit_test(nans_travel),
        cmocka_unit_test(short_sides),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
