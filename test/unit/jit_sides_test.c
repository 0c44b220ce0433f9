/* jit_sides_test.c -- branches one side of which is nothing, which code runs without the divergence
 * stack where it can, and what lanes that wait find in their registers: random programs, by the
 * interpreter and compiled.
 *
 * JIT_TEST_SEED is the number of the first program, JIT_TEST_COUNT how many there are.
 */
#include "test/kit/twins.h"
#include <stdlib.h>

enum { FIRST = 5, VECTORS = 8, ZERO = 13 }; /* rows at large: v5 to v12, and v0, which masks */

static u32 a_row(void) { return FIRST + below(VECTORS); }

/* What a side does: rows, memory, scalars, and now and then what faults. */
static void one_statement(void)
{
    static const char *const slow[] = {"vmulh.vv", "vdivu.vv", "vremu.vv", "vfadd.vv"};
    const u32 to = a_row(), a = a_row(), b = a_row(), off = 4 * below(64);
    switch (below(11)) {
    case 0:
    case 1: line("vadd.vv v%u,v%u,v%u", to, a, b); break;
    case 2: line("%s v%u,v%u,v%u", PICK(slow), to, a, b); break;
    case 3: line("vlw12.v v%u,%u(v1)", to, off); break;
    case 4: line("%s v%u,%u(v1)", one_in(2) ? "vsw12.v" : "vsb12.v", a, off); break;
    case 5: line("addi x%u,x%u,%u", 20 + below(3), 20 + below(3), below(9)); break;
    case 6: line("lw x%u,%u(x8)", 20 + below(3), off); break;
    case 7: line("vsw12.v v%u,0(v2)", a); break; /* lanes anywhere */
    case 8: /* what lanes read of others, also of those that are off */
        if (gen.set & AI)
            line("shuffle.bfly v%u,v%u,%u", to, a, 1 + below(3));
        else
            line("vmv.x.s x%u,v%u", 20 + below(3), a);
        break;
    case 9:
        line("vadd.vv v%u,v%u,v%u%s", one_in(3) ? 0 : to, a, b, one_in(2) ? ",v0.t" : "");
        break;
    default:
        line("vxor.vx v%u,v%u,x%u", to, a, 20 + below(3));
        if (gen.may_fault && one_in(2))
            line("%s v%u,0(v%u)", one_in(2) ? "vlw12.v" : "vsw12.v", to, a);
    }
}

static void branch(u32 depth, Buf *far);

static void side(u32 depth, Buf *far)
{
    for (u32 n = 1 + below(5); n > 0; n--)
        if (depth < 2 && one_in(8))
            branch(depth + 1, far);
        else
            one_statement();
}

/* Lanes part: those that have something to do do it, in the way or far off, and the others go on, or
 * do something else. */
static void branch(u32 depth, Buf *far)
{
    const u32 l = gen.labels++;
    const bool is_far = depth == 0 && one_in(3), has_else = one_in(3);
    line("vand.vi v3,v%u,%u", a_row(), 1 + below(7));
    line("vand.vi v4,v%u,%u", a_row(), below(4));
    set_meeting(l);
    line("%s v3,v4,.L%s%u", divergent_branch(), is_far ? "s" : has_else ? "e" : "m", l);
    const Buf here = gen.text;
    if (is_far)
        gen.text = *far, label(".Ls%u", l);
    side(depth, far);
    if (is_far || has_else || one_in(3))
        line("j .Lm%u", l);
    if (is_far)
        *far = gen.text, gen.text = here;
    if (has_else) {
        label(".Le%u", l);
        side(depth, far);
    }
    label(".Lm%u", l);
    line("join x0,x0,0");
}

static void begin_program(void)
{
    no_text();
    line("li x8,%#x", DATA);
    line("csrr x5,wid");
    line("slli x5,x5,9");
    line("add x8,x8,x5");
    line("vid.v v2");
    line("vsll.vi v1,v2,2");
    line("vadd.vx v1,v1,x8");
    line("vmul.vv v2,v2,v2");
    line("vsll.vi v2,v2,2");
    line("vadd.vx v2,v2,x8");
    for (u32 n = FIRST; n < FIRST + VECTORS; n++)
        line("vlw12.v v%u,%u(v1)", n, 128 * (n - FIRST));
    line("vmv.v.i v%u,0", ZERO);
}

static void end_program(const Buf *far)
{
    line("li x7,%#x", DATA + OUT);
    line("slli x5,x5,2");
    line("add x7,x7,x5");
    line("vid.v v1");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x7");
    for (u32 n = FIRST; n < FIRST + VECTORS; n++)
        if (one_in(3)) /* the others are dead where nobody reads them before */
            line("vsw12.v v%u,%u(v1)", n, 128 * n);
    for (u32 n = 20; n < 23; n++)
        line("sw x%u,%u(x7)", n, 4 * (n - 20));
    line("endprg x0,x0,x0");
    if (far)
        buf_str(&gen.text, buf_text(far));
}

static void make_sides(void)
{
    Buf far = {0};
    begin_program();
    line("li x28,%u", 2 + below(12));
    label(".Lt");
    for (u32 n = 1 + below(4); n > 0; n--) {
        branch(0, &far);
        one_statement();
    }
    line("addi x28,x28,-1");
    line("bgtz x28,.Lt");
    if (one_in(2)) { /* lanes leave a loop one by one */
        const u32 l = gen.labels++;
        line("vand.vi v3,v%u,15", a_row());
        label(".Lr");
        set_meeting(l);
        line("vadd.vi v3,v3,-1");
        one_statement();
        line("vbge v3,v%u,.Lr", ZERO);
        label(".Lm%u", l);
        line("join x0,x0,0");
    }
    end_program(&far);
    buf_free(&far);
}

/* By engine, on stacks of more entries than are needed, and (overflows) of a few.  An overflow where
 * a turn ends is a difference for the engine that compares, which looks at registers nobody reads. */
static void try_sides(const char *engine, u32 count, bool overflows)
{
    static const u32 depths[] = {64, 2, 3, 5};
    const Programs p = programs_to_try(count);
    for (size_t i = 0; i < (overflows ? countof(depths) : 1); i++) {
        Twins t = twins_open(engine, depths[i]);
        u64 compiled = 0;
        for (u64 program = p.first; program < p.end; program++) {
            gen_begin(program * countof(depths) + i);
            gen.may_fault = one_in(3);
            const u32 lanes = 4u << below(4);
            Shape s = {.lanes = lanes,
                       .items = 2 * lanes,
                       .warps = 2,
                       .vm = (VmRule)below(4),
                       .memory = program + 1};
            if (one_in(4))
                s.items -= 1 + below(lanes - 1);
            s.max_insns = one_in(3) ? 50 + below(1500) : 0;
            make_sides();
            twins_load(&t);
            twins_run(&t, &s, program);
        }
        compiled = twins_close(&t).compiled;
        assert_true(compiled > 0);
    }
    buf_free(&gen.text);
}

static void optimised(void **state)
{
    (void)state;
    try_sides("jit", 5, true);
}

static void quick(void **state)
{
    (void)state;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    try_sides("jit", 12, true);
    unsetenv("VENTUS_JIT_TIER");
}

static void quick_of_v2025(void **state)
{
    (void)state;
    const IsaSet before = gen.set;
    gen.set = V2025 | TIDX;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    try_sides("jit", 12, false);
    unsetenv("VENTUS_JIT_TIER");
    gen.set = before;
}

static void compared(void **state)
{
    (void)state;
    try_sides("shadow", 5, false);
}

/* More branches than anyone writes, each with two sides, so that each has facts of its own. */
static void many_branches(void **state)
{
    (void)state;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    Twins t = twins_open("jit", 64);
    gen_begin(1);
    begin_program();
    for (u32 n = 0; n < 600; n++) {
        const u32 l = gen.labels++, kept = FIRST + n % VECTORS, to = FIRST + (n + 1) % VECTORS;
        line("vand.vi v3,v%u,%u", a_row(), 1 + n % 15);
        set_meeting(l);
        line("vbeq v3,v%u,.Le%u", ZERO, l);
        line("vadd.vv v%u,v%u,v%u", to, to, kept);
        line("vmulh.vv v%u,v%u,v%u", kept, kept, to);
        line("j .Lm%u", l);
        label(".Le%u", l);
        line("vsub.vv v%u,v%u,v%u", kept, to, kept);
        line("vmulh.vv v%u,v%u,v%u", to, kept, to);
        label(".Lm%u", l);
        line("join x0,x0,0");
        if (n != 40 && n != 300 && n != 599)
            continue;
        const Buf here = gen.text; /* up to here */
        gen.text = (Buf){0};
        buf_str(&gen.text, buf_text(&here));
        end_program(NULL);
        const Shape s = {.lanes = 8, .items = 16, .warps = 2, .memory = n + 1};
        twins_load(&t);
        twins_run(&t, &s, n);
        buf_free(&gen.text);
        gen.text = here;
    }
    unsetenv("VENTUS_JIT_TIER");
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

/* Programs 1 to n, each behind what begin_program() makes, for groups of two warps of eight lanes. */
static void try_made(void (*make)(u32 program), u32 n, u32 items)
{
    Twins t = twins_open("jit", 64);
    for (u32 program = 1; program <= n; program++) {
        gen_begin(program);
        begin_program();
        make(program);
        const Shape s = {.lanes = 8, .items = items, .warps = 2, .memory = program};
        twins_load(&t);
        twins_run(&t, &s, program);
    }
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

/* A side jumps to the join of the branch around it while lanes of its own wait: they wait on behind
 * that join, below whose lanes theirs lie, and what they read must be there. */
static void make_two_joins(u32 program)
{
    (void)program;
    line("li x20,%u", 4 + below(9));
    line("vand.vi v5,v5,1");
    line("vand.vi v6,v6,1");
    set_meeting(1);
    line("vbne v5,v%u,.La", ZERO);
    set_meeting(2);
    line("vbne v6,v%u,.Lb", ZERO);
    line("vadd.vi v7,v7,1");
    line("j .Lm1");
    label(".Lb");
    line("vadd.vi v8,v7,2");
    line("vsw12.v v7,0(v1)");
    label(".Lm2");
    line("join x0,x0,0");
    line("vadd.vv v9,v8,v7");
    line("j .Lm1");
    label(".La");
    line("vsw12.v v10,384(v1)");
    line("vmulh.vv v9,v7,v10");
    label(".Lm1");
    line("join x0,x0,0");
    line("vmul.vx v7,v9,x20");
    line("vmul.vx v10,v8,x20");
    line("vsw12.v v7,256(v1)");
    line("addi x20,x20,-1");
    line("bgtz x20,.Lm2");
    end_program(NULL);
}

static void waits_behind_another_join(void **state)
{
    (void)state;
    try_made(make_two_joins, 8, 16);
}

/* A side writes a row that nobody reads but lanes of another block of it, which take what those that
 * are off have. */
static void make_lanes_that_are_off(u32 program)
{
    line("lw x20,%u(x8)", 4 * program);
    line("vand.vi v5,v5,1");
    set_meeting(1);
    line("vbne v5,v%u,.Lm1", ZERO);
    line("vmul.vv v7,v6,v6");
    line("bltz x20,.Lx");
    line("addi x20,x20,1");
    label(".Lx");
    line("shuffle.bfly v8,v7,%u", program);
    line("vsw12.v v8,512(v1)");
    label(".Lm1");
    line("join x0,x0,0");
    line("endprg x0,x0,x0");
}

static void reads_lanes_that_are_off(void **state)
{
    (void)state;
    try_made(make_lanes_that_are_off, 3, 16);
}

/* A side that lanes go through, or not, writes a scalar that the block before it has and the one
 * behind the join reads. */
static void make_scalar_of_a_side(u32 program)
{
    line("lw x20,%u(x8)", 4 * program);
    line("vand.vi v5,v5,1");
    line("vmul.vx v7,v6,x20");
    set_meeting(1);
    line("vbne v5,v%u,.Lm1", ZERO);
    line("addi x20,x20,%u", program);
    line("vadd.vv v7,v7,v6");
    label(".Lm1");
    line("join x0,x0,0");
    line("vmacc.vx v7,x20,v6");
    line("vsw12.v v7,512(v1)");
    line("endprg x0,x0,x0");
}

static void reads_scalars_of_sides(void **state)
{
    (void)state;
    try_made(make_scalar_of_a_side, 3, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimised),
        cmocka_unit_test(quick),
        cmocka_unit_test(quick_of_v2025),
        cmocka_unit_test(compared),
        cmocka_unit_test(many_branches),
        cmocka_unit_test(waits_behind_another_join),
        cmocka_unit_test(reads_lanes_that_are_off),
        cmocka_unit_test(reads_scalars_of_sides),
    };
    return cmocka_run_group_tests_name("jit_sides", tests, NULL, NULL);
}
