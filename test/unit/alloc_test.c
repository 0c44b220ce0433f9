/* alloc_test.c -- from SSA to registers.
 *
 * Random structured programs, whose scalars are uniform by construction, run twice: in SSA,
 * each lane for itself, and allocated, as a warp with one set of scalar registers and a
 * divergence stack that runs either side first.  Both must see the same values.  The
 * warp knows nothing of live ranges, so it also tests what the verifier takes for granted.
 * Then allocations are damaged: whatever changes what a lane sees, verify() must refuse.
 */
#include "test/kit/flowgen.h"
#include "cc/interval.h"

enum { PROGRAMS = 400, DAMAGES = 12 };

/* --- allocation --------------------------------------------------------------------------- */

typedef struct {
    Module *m;
    Func *before, *after;
    u32 expected[LANES];
} Case;

/* room: bytes of scalar stack, beyond which spilled scalars go into vectors */
static Case allocate_program(u32 seed, u32 pressure, const CcOptions *opt, bool unite, u32 room)
{
    Case c = {.m = ir_module("test", target_find(0))};
    Buf why = {0};
    Func *f = random_program(c.m, seed, pressure, 3);
    f->scalar_room = room;
    for (u32 lane = 0; lane < LANES; lane++)
        assert_true(run_lane(f, lane, MAX_STEPS, &c.expected[lane]));
    leave_ssa(f);
    c.before = verify_copy(f);
    assert_non_null(c.before);
    if (unite)
        coalesce(f);
    f->module->opt = opt;
    allocate(f);
    assert_false(f->module->failed);
    c.after = f;
    if (!verify(c.before, f, &why))
        fail_msg("program %u: %s", seed, buf_text(&why));
    buf_free(&why);
    return c;
}

static void check_runs(const Case *c, u32 seed)
{
    for (u32 random = 0; random < 3; random++) {
        u32 seen[LANES];
        if (!run_warp(c->after, random, seen))
            fail_msg("program %u goes astray", seed);
        for (u32 lane = 0; lane < LANES; lane++)
            if (seen[lane] != c->expected[lane])
                fail_msg("program %u, lane %u sees something else", seed, lane);
    }
}

static void check_programs(u32 pressure, CcOptions opt, bool random)
{
    for (u32 seed = 1; seed <= PROGRAMS; seed++) {
        opt.seed = random ? seed : 0;
        static const u32 room[] = {WARP_STACK, 0, 12};
        Case c = allocate_program(seed, pressure, &opt, seed % 4, room[seed % countof(room)]);
        assert_true(4 * c.after->spill_x <= room[seed % countof(room)]);
        check_runs(&c, seed);
        ir_free(c.m);
    }
}

static void best_registers(void **state)
{
    (void)state;
    check_programs(8, (CcOptions){0}, false);
}

static void random_registers(void **state)
{
    (void)state;
    check_programs(8, (CcOptions){0}, true);
}

static void few_registers(void **state)
{
    (void)state;
    check_programs(8, (CcOptions){.max_x = 4, .max_v = 4}, false);
    check_programs(8, (CcOptions){.max_x = 6, .max_v = 5}, true);
}

static void high_pressure(void **state)
{
    (void)state;
    for (u32 seed = 1; seed <= 10; seed++) {
        const u32 room = seed % 2 ? WARP_STACK : 100;
        Case c = allocate_program(seed, 400, NULL, true, room);
        assert_true(c.after->spill_x && 4 * c.after->spill_x <= room && c.after->spill_v);
        check_runs(&c, seed);
        ir_free(c.m);
    }
}

/* The search for values that can make way ends: where all that are alive cannot have registers, it
 * would look at every register for each of them again. */
static void search_is_bounded(void **state)
{
    (void)state;
    u32 exhausted = 0;
    for (u32 seed = 1; seed <= 4; seed++) {
        Case few = allocate_program(seed, 8, NULL, true, WARP_STACK);
        assert_int_equal(few.after->moves_tried, 0);
        ir_free(few.m);
        Case many = allocate_program(seed, 400, NULL, true, WARP_STACK);
        assert_in_range(many.after->moves_tried, 1, 200000);
        exhausted += many.after->moves_tried == 200000;
        ir_free(many.m);
    }
    assert_true(exhausted);
}

/* --- damage ----------------------------------------------------------------------------------- */

static u32 other_register(u32 *state, u32 r)
{
    static const u32 x[] = {5, 7, 9, 10, 11, 12};
    return r < V0 ? x[random_below(state, countof(x))] : V0 + random_below(state, 6);
}

/* Changes a register or a word of a frame somewhere, or takes an instruction out. */
static void damage(Func *f, u32 *state)
{
    Block *b = &f->block[random_below(state, (u32)f->nblock)];
    if (!b->nins)
        return;
    Ins *i = &b->ins[random_below(state, (u32)b->nins)];
    const int k = (int)random_below(state, 3);
    const bool in_frame = i->op >= IR_reloadx && i->op <= IR_spillv;
    const bool soft =
        in_frame || i->op == IR_move || i->op == IR_li || i->op == IR_park || i->op == IR_fetch;
    const u32 words = i->op == IR_reloadv || i->op == IR_spillv ? f->spill_v : f->spill_x;
    switch (random_below(state, 4)) {
    case 0:
        if (soft)
            *i = (Ins){.op = IR_none};
        break;
    case 1:
        if (in_frame)
            i->imm = (i32)random_below(state, words);
        break;
    case 2:
        if (i->reg && ins_tied(i) < 0)
            i->reg = other_register(state, i->reg - 1) + 1;
        break;
    default:
        if (i->a[k].kind == R_REG && ins_tied(i) != k)
            i->a[k].val = other_register(state, i->a[k].val);
    }
}

static void remove_nothings(Func *f)
{
    for (size_t b = 0; b < f->nblock; b++) {
        Block *k = &f->block[b];
        size_t n = 0;
        for (size_t i = 0; i < k->nins; i++)
            if (k->ins[i].op != IR_none)
                k->ins[n++] = k->ins[i];
        k->nins = n;
    }
}

static bool differs(const Case *c, const Func *f)
{
    bool found = false;
    for (u32 random = 0; random < 2; random++) {
        u32 seen[LANES];
        found |= !run_warp(f, random, seen) || memcmp(seen, c->expected, sizeof seen);
    }
    return found;
}

static void damage_is_noticed(void **state)
{
    (void)state;
    u32 random = 1, wrong = 0, refused = 0;
    for (u32 seed = 1; seed <= PROGRAMS; seed++) {
        const u32 few = seed % 2 ? 6 : 0;
        const u32 room = seed % 3 ? WARP_STACK : 4;
        Case c = allocate_program(seed, 6, &(CcOptions){.max_x = few, .max_v = few}, true, room);
        for (int n = 0; n < DAMAGES; n++) {
            Func *f = verify_copy(c.after);
            damage(f, &random);
            remove_nothings(f);
            const bool proved = verify(c.before, f, NULL), is_wrong = differs(&c, f);
            if (proved && is_wrong)
                fail_msg("program %u, damage %d goes unnoticed", seed, n);
            refused += !proved;
            wrong += is_wrong;
        }
        ir_free(c.m);
    }
    /* it was damage; what was refused and not wrong are values that nobody shows */
    assert_true(wrong > PROGRAMS);
    assert_true(refused < 4 * wrong);
}

/* --- by hand -------------------------------------------------------------------------- */

static void op(Func *f, u32 b, u32 id, u32 dst, Ref x, Ref y)
{
    ir_append(f, b, &(Ins){.op = (u16)id, .dst = dst, .a = {x, y}});
}

static Func *finished(Func *f)
{
    leave_ssa(f);
    Func *before = verify_copy(f);
    coalesce(f);
    allocate(f);
    assert_false(f->module->failed);
    assert_true(verify(before, f, NULL));
    return before;
}

/* Side 1 makes a scalar and shows it, side 2 shows one from before the branch.  The sides must
 * not share a register, whichever runs first. */
static void sides_keep_scalars(void **state)
{
    (void)state;
    Module *m = ir_module("test", target_find(0));
    Func *f = ir_func(m, "f", true);
    for (u32 b = 0; b < 4; b++)
        assert_int_equal(ir_block(f), b);
    const u32 lane = ir_value_in(f, BANK_V), x = ir_value_in(f, BANK_X), y = ir_value_in(f, BANK_X);
    op(f, 0, IR_MACHINE + I_vid_v, lane, ref_none(), ref_none());
    op(f, 0, IR_MACHINE + I_lw, x, ref_con(0), ref_reg(10));
    ir_branch(f, 0, CMP_eq, ref_val(lane), ref_val(lane), 1, 2, 0);
    f->block[0].term.divergent = true;
    op(f, 1, IR_MACHINE + I_lw, y, ref_con(4), ref_reg(8));
    op(f, 1, IR_use, 0, ref_val(y), ref_none());
    op(f, 2, IR_use, 0, ref_val(x), ref_none());
    ir_jump(f, 1, 3);
    ir_jump(f, 2, 3);
    ir_ret(f, 3);
    graph_build(f);
    mark_joins(f);
    const Func *before = finished(f);
    Ins *make_y = &f->block[1].ins[0], *show_y = &f->block[1].ins[1];
    const Ref kept = f->block[2].ins[0].a[0];
    assert_int_not_equal(make_y->reg - 1, kept.val);
    make_y->reg = kept.val + 1;
    show_y->a[0] = kept;
    assert_false(verify(before, f, NULL));
    f->block[0].term.divergent = ((Func *)(uintptr_t)before)->block[0].term.divergent = false;
    assert_true(verify(before, f, NULL));
    ir_free(m);
}

/* Two values are swapped in each round of a loop. */
static void swap_in_loop(void **state)
{
    (void)state;
    Module *m = ir_module("test", target_find(0));
    Func *f = ir_func(m, "f", true);
    for (u32 b = 0; b < 3; b++)
        assert_int_equal(ir_block(f), b);
    u32 v[8];
    for (int k = 0; k < 8; k++)
        v[k] = ir_value_in(f, BANK_X);
    op(f, 0, IR_li, v[0], ref_con(7), ref_none());
    op(f, 0, IR_li, v[1], ref_con(9), ref_none());
    op(f, 0, IR_li, v[2], ref_con(0), ref_none());
    op(f, 0, IR_li, v[7], ref_con(3), ref_none());
    ir_jump(f, 0, 1);
    op(f, 1, IR_use, 0, ref_val(v[3]), ref_val(v[4]));
    op(f, 1, IR_MACHINE + I_addi, v[6], ref_val(v[5]), ref_con(1));
    ir_branch(f, 1, CMP_lt, ref_val(v[6]), ref_val(v[7]), 1, 2, 0);
    ir_ret(f, 2);
    graph_preds(f);
    const u32 from[3][3] = {{v[3], v[0], v[4]}, {v[4], v[1], v[3]}, {v[5], v[2], v[6]}};
    for (int k = 0; k < 3; k++) {
        Phi *p = ir_phi(f, 1, from[k][0]);
        p->arg[0] = ref_val(from[k][1]);
        p->arg[1] = ref_val(from[k][2]);
    }
    graph_build(f);
    u32 expected;
    assert_true(run_lane(f, 0, MAX_STEPS, &expected));
    finished(f);
    u32 seen[LANES];
    assert_true(run_warp(f, 0, seen));
    assert_int_equal(seen[0], expected);
    ir_free(m);
}

/* A function of two arguments that calls another one with the second and returns what comes
 * back plus the first, which has to survive the call. */
static Func *calling_function(Module *m)
{
    Func *f = ir_func(m, "f", false);
    const u32 b = ir_block(f), callee = ir_sym(m, "g", SYM_EXTERN);
    u32 v[4];
    f->nparams = 2;
    f->nresults = 1;
    for (int k = 0; k < 4; k++)
        v[k] = ir_value_in(f, BANK_V);
    op(f, b, IR_copy, v[0], ref_reg(V0), ref_none());
    op(f, b, IR_copy, v[1], ref_reg(V0 + 1), ref_none());
    ir_append(f, b, &(Ins){.op = IR_copy, .reg = 1 + V0, .a = {ref_val(v[1])}});
    ir_append(f, b, &(Ins){.op = IR_call, .imm = 1, .a = {ref_sym(callee)}});
    op(f, b, IR_copy, v[2], ref_reg(V0), ref_none());
    op(f, b, IR_MACHINE + I_vadd_vv, v[3], ref_val(v[0]), ref_val(v[2]));
    ir_append(f, b, &(Ins){.op = IR_copy, .reg = 1 + V0, .a = {ref_val(v[3])}});
    ir_ret(f, b);
    graph_build(f);
    return f;
}

static const Ins *find_op(const Func *f, u32 id)
{
    for (size_t i = 0; i < f->block[0].nins; i++)
        if (f->block[0].ins[i].op == id)
            return &f->block[0].ins[i];
    fail_msg("operation %u is gone", id);
    return NULL;
}

static void calls_keep_values(void **state)
{
    (void)state;
    Module *m = ir_module("test", target_find(0));
    Func *f = calling_function(m);
    const Func *before = finished(f);
    const Ins *add = find_op(f, IR_MACHINE + I_vadd_vv);
    const u32 kept = add->a[0].val;
    assert_in_range(kept, V0 + 33, V0 + 47);
    assert_true(f->used[kept / 64] >> kept % 64 & 1);
    /* the result needs no move: a use of v0, written to v0 */
    assert_int_equal(add->a[1].val, V0);
    assert_int_equal(add->reg, V0 + 1);
    for (size_t i = 0; i < f->block[0].nins; i++) {
        Ins *n = &f->block[0].ins[i];
        if (n->reg == kept + 1)
            n->reg = V0 + 60 + 1;
        for (int k = 0; k < 3; k++)
            if (ref_same(n->a[k], ref_reg(kept)))
                n->a[k] = ref_reg(V0 + 60);
    }
    assert_false(verify(before, f, NULL));
    ir_free(m);
}

/* Of a hundred values of each bank that are alive through a loop, those that it reads have
 * registers below 32. */
static void hot_values_are_low(void **state)
{
    (void)state;
    Module *m = ir_module("test", target_find(0));
    Func *f = ir_func(m, "f", true);
    u32 v[100];
    for (u32 b = 0; b < 3; b++)
        assert_int_equal(ir_block(f), b);
    for (int k = 0; k < 100; k++) {
        v[k] = ir_value_in(f, BANK_V);
        op(f, 0, IR_MACHINE + I_vid_v, v[k], ref_none(), ref_none());
    }
    ir_jump(f, 0, 1);
    for (int k = 80; k < 100; k++)
        op(f, 1, IR_use, 0, ref_val(v[k]), ref_none());
    ir_branch(f, 1, CMP_eq, ref_reg(0), ref_reg(0), 1, 2, 0);
    for (int k = 0; k < 100; k++)
        op(f, 2, IR_use, 0, ref_val(v[k]), ref_none());
    ir_ret(f, 2);
    graph_build(f);
    finished(f);
    for (int k = 0; k < 20; k++)
        assert_in_range(f->block[1].ins[k].a[0].val, V0, V0 + 31);
    ir_free(m);
}

/* What a phi takes that is no value: a register is moved, a slot's address computed, a constant
 * loaded, into a vector at once if its five bits hold it. */
static void constants_of_phis(void **state)
{
    (void)state;
    static const struct {
        Ref from;
        u16 op[2][2]; /* what a scalar gets, a vector */
    } rows[] = {
        {{.kind = R_REG, .val = 7}, {{IR_move}, {IR_move}}},
        {{.kind = R_SLOT, .val = 0}, {{IR_frame}, {IR_vframe}}},
        {{.kind = R_SYM, .val = 0}, {{IR_li}, {IR_li, IR_move}}},
        {{.kind = R_CON, .val = 15}, {{IR_li}, {IR_MACHINE + I_vmv_v_i}}},
        {{.kind = R_CON, .val = 16}, {{IR_li}, {IR_li, IR_move}}},
        {{.kind = R_CON, .val = -16u}, {{IR_li}, {IR_MACHINE + I_vmv_v_i}}},
        {{.kind = R_CON, .val = -17u}, {{IR_li}, {IR_li, IR_move}}},
    };
    for (size_t k = 0; k < countof(rows); k++)
        for (u32 vector = 0; vector < 2; vector++) {
            Module *m = ir_module("test", target_find(0));
            Func *f = ir_func(m, "f", true);
            ir_slot(f, 4, 4);
            for (u32 b = 0; b < 3; b++)
                ir_block(f);
            ir_jump(f, 0, 1);
            ir_branch(f, 1, CMP_eq, ref_reg(7), ref_reg(9), 1, 2, 0);
            ir_ret(f, 2);
            const u32 v = ir_value_in(f, vector ? BANK_V : BANK_X);
            graph_preds(f);
            Phi *p = ir_phi(f, 1, v);
            p->arg[0] = rows[k].from;
            p->arg[1] = ref_val(v);
            graph_build(f);
            leave_ssa(f);
            const u16 *want = rows[k].op[vector];
            const Block *b = &f->block[0];
            assert_int_equal(b->nins, want[1] ? 2 : 1);
            for (size_t i = 0; i < b->nins; i++)
                assert_int_equal(b->ins[i].op, want[i]);
            assert_true(ref_same(b->ins[0].a[0], rows[k].from));
            assert_int_equal(b->ins[b->nins - 1].dst, v);
            ir_free(m);
        }
}

/* Of 400 values none is taken for a constant that is alive all the time, nor for what a register
 * held at the start. */
static void values_are_apart(void **state)
{
    (void)state;
    enum { VALUES = 400 };
    Module *m = ir_module("test", target_find(0));
    Func *f = ir_func(m, "f", true);
    const u32 b = ir_block(f), constant = ir_value_in(f, BANK_X);
    op(f, b, IR_li, constant, ref_con(7), ref_none());
    for (u32 k = 0; k < VALUES; k++) {
        const u32 v = ir_value_in(f, BANK_X);
        op(f, b, IR_MACHINE + I_lw, v, ref_con(4 * k), ref_reg(10));
        op(f, b, IR_use, 0, ref_val(v), ref_none());
    }
    op(f, b, IR_use, 0, ref_val(constant), ref_none());
    ir_ret(f, b);
    graph_build(f);
    const Func *before = finished(f);
    const Ref others[] = {f->block[b].ins[2 * VALUES + 1].a[0], ref_reg(40)};
    for (u32 k = 0; k < VALUES; k++) {
        Ref *read = &f->block[b].ins[2 * k + 2].a[0];
        const Ref right = *read;
        for (u32 n = 0; n < countof(others); n++) {
            *read = others[n];
            assert_false(verify(before, f, NULL));
        }
        *read = right;
    }
    assert_true(verify(before, f, NULL));
    ir_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_registers),     cmocka_unit_test(random_registers),
        cmocka_unit_test(few_registers),      cmocka_unit_test(high_pressure),
        cmocka_unit_test(damage_is_noticed),  cmocka_unit_test(sides_keep_scalars),
        cmocka_unit_test(swap_in_loop),       cmocka_unit_test(calls_keep_values),
        cmocka_unit_test(hot_values_are_low), cmocka_unit_test(search_is_bounded),
        cmocka_unit_test(values_are_apart),   cmocka_unit_test(constants_of_phis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
