/* alloc_test.c -- from SSA to registers.
 *
 * Random structured programs, whose scalars are uniform by construction, run twice: in SSA,
 * each lane for itself, and allocated, as a warp with one set of scalar registers and a
 * divergence stack that runs either side first.  Both must see the same values.  The
 * warp knows nothing of live ranges, so it also tests what the verifier takes for granted.
 * Then allocations are damaged: whatever changes what a lane sees, verify() must refuse.
 */
#include "test/kit/warprig.h"
#include "cc/interval.h"

enum { PROGRAMS = 400, DAMAGES = 12 };

/* --- random programs ------------------------------------------------------------------ */

/* Values that may be used where the program is being made, of bank X and of bank V. */
typedef struct {
    u32 list[2][4096], n[2];
} Scope;

typedef struct {
    Module *m;
    Func *f;
    u32 b; /* block being filled */
    u32 random;
    u32 pressure; /* how far back operands reach */
    int budget;   /* instructions to make */
    Scope s;
} Gen;

static u32 below(Gen *g, u32 n) { return random_below(&g->random, n); }

static u32 declare(Gen *g, Bank bank, u32 v)
{
    const int k = bank == BANK_V;
    if (g->s.n[k] < 4096)
        g->s.list[k][g->s.n[k]++] = v;
    return v;
}

static Ref pick(Gen *g, Bank bank)
{
    const int k = bank == BANK_V;
    const u32 n = g->s.n[k], reach = n < g->pressure ? n : g->pressure;
    return ref_val(g->s.list[k][n - 1 - below(g, reach)]);
}

static u32 make(Gen *g, Bank bank, Ins i)
{
    i.dst = ir_value_in(g->f, bank);
    ir_append(g->f, g->b, &i);
    g->budget--;
    return declare(g, bank, i.dst);
}

static Ref constant(Gen *g) { return ref_con(below(g, 2) ? below(g, 16) : below(g, 1u << 20)); }

static void scalar_op(Gen *g)
{
    const u16 row[] = {IR_MACHINE + I_add, IR_MACHINE + I_sub, IR_MACHINE + I_xor};
    const Ref x = pick(g, BANK_X), y = pick(g, BANK_X), z = pick(g, BANK_X);
    switch (below(g, 6)) {
    case 0: make(g, BANK_X, (Ins){.op = IR_li, .a = {constant(g)}}); break;
    case 1:
        make(g, BANK_X, (Ins){.op = IR_MACHINE + I_addi, .a = {x, ref_con(below(g, 2000))}});
        break;
    case 2: make(g, BANK_X, (Ins){.op = IR_cmov, .a = {x, y, z}}); break;
    default: make(g, BANK_X, (Ins){.op = row[below(g, 3)], .a = {x, y}});
    }
}

static void vector_op(Gen *g)
{
    const u16 row[] = {IR_MACHINE + I_vadd_vv, IR_MACHINE + I_vsub_vv, IR_MACHINE + I_vxor_vv};
    const Ref x = pick(g, BANK_X), u = pick(g, BANK_V), v = pick(g, BANK_V), w = pick(g, BANK_V);
    switch (below(g, 7)) {
    case 0: make(g, BANK_V, (Ins){.op = IR_copy, .a = {x}}); break;
    case 1: make(g, BANK_V, (Ins){.op = IR_MACHINE + I_vid_v}); break;
    case 2: make(g, BANK_V, (Ins){.op = IR_MACHINE + I_vmacc_vv, .a = {u, v, w}}); break;
    case 3: make(g, BANK_V, (Ins){.op = IR_MACHINE + I_vadd_vx, .a = {u, x}}); break;
    default: make(g, BANK_V, (Ins){.op = row[below(g, 3)], .a = {u, v}});
    }
}

/* shows values to the outside */
static void show(Gen *g)
{
    const Ref a[] = {pick(g, BANK_X), pick(g, BANK_V), below(g, 2) ? pick(g, BANK_X) : ref_none()};
    ir_append(g->f, g->b, &(Ins){.op = IR_use, .a = {a[0], a[1], a[2]}});
    g->budget--;
}

static void straight(Gen *g)
{
    for (u32 n = below(g, 12); n-- > 0;)
        if (below(g, 5) == 0)
            show(g);
        else if (below(g, 2))
            scalar_op(g);
        else
            vector_op(g);
}

static void branch(Gen *g, bool divergent, u32 then, u32 otherwise)
{
    const Bank bank = divergent ? BANK_V : BANK_X;
    const Ref x = pick(g, bank), y = pick(g, bank);
    ir_branch(g->f, g->b, (Cmp)below(g, 6), x, y, then, otherwise, 0);
    g->f->block[g->b].term.divergent = divergent;
}

/* a phi of block b, once its predecessors are known */
static void phi(Gen *g, u32 b, Bank bank, const Ref *arg)
{
    const u32 v = ir_value_in(g->f, bank);
    Phi *p = ir_phi(g->f, b, v);
    for (size_t k = 0; k < g->f->block[b].npred; k++)
        p->arg[k] = arg[k];
    declare(g, bank, v);
}

static void region(Gen *g, int depth);

/* what one way into a join brings: any value of the scope it ends with, or a constant */
static void offer(Gen *g, Ref *x, Ref *v, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        x[k] = below(g, 6) ? pick(g, BANK_X) : constant(g);
        v[k] = below(g, 6) ? pick(g, below(g, 4) ? BANK_V : BANK_X) : constant(g);
    }
}

enum { PHIS = 4 };

static void make_if(Gen *g, int depth)
{
    const bool divergent = below(g, 2), empty = below(g, 3) == 0;
    const u32 p = g->b, a = ir_block(g->f), b = empty ? 0 : ir_block(g->f), j = ir_block(g->f);
    const Scope outer = g->s;
    Ref x[2][PHIS], v[2][PHIS];
    u32 from[2] = {p, p};
    branch(g, divergent, a, empty ? j : b);
    offer(g, x[1], v[1], PHIS);
    for (int side = 0; side < (empty ? 1 : 2); side++) {
        g->s = outer;
        g->b = side ? b : a;
        region(g, depth - 1);
        offer(g, x[side], v[side], PHIS);
        from[side] = g->b;
        ir_jump(g->f, g->b, j);
    }
    g->s = outer;
    g->b = j;
    graph_preds(g->f);
    const int first = g->f->block[j].pred[0] == from[0] ? 0 : 1;
    for (u32 n = below(g, PHIS + 1); n-- > 0;) {
        if (!divergent)
            phi(g, j, BANK_X, (Ref[]){x[first][n], x[!first][n]});
        phi(g, j, BANK_V, (Ref[]){v[first][n], v[!first][n]});
    }
}

/* A loop of a few rounds, left in the middle or at its end, by all lanes at a time or not;
 * in the latter case the scalars of the loop stay inside. */
static void make_loop(Gen *g, int depth)
{
    const bool divergent = below(g, 2), extra = below(g, 2);
    const u32 p = g->b, h = ir_block(g->f), latch = ir_block(g->f), out = ir_block(g->f);
    const Bank bank = divergent ? BANK_V : BANK_X;
    Ref x[PHIS], v[PHIS], xn[PHIS], vn[PHIS];
    offer(g, x, v, PHIS);
    const u32 count = make(g, bank,
                           divergent ? (Ins){.op = IR_MACHINE + I_vid_v}
                                     : (Ins){.op = IR_li, .a = {ref_con(below(g, 3))}});
    const u32 end = make(g, BANK_X, (Ins){.op = IR_li, .a = {ref_con(3)}});
    const u32 limit = divergent ? make(g, BANK_V, (Ins){.op = IR_copy, .a = {ref_val(end)}}) : end;
    const u32 one = make(g, BANK_X, (Ins){.op = IR_li, .a = {ref_con(1)}});
    ir_jump(g->f, p, h);
    const Scope outer = g->s;
    /* predecessors of h: p and latch, ascending */
    const u32 np = PHIS;
    u32 px[PHIS], pv[PHIS];
    const u32 round = declare(g, bank, ir_value_in(g->f, bank));
    for (u32 k = 0; k < np; k++) {
        px[k] = declare(g, BANK_X, ir_value_in(g->f, BANK_X));
        pv[k] = declare(g, BANK_V, ir_value_in(g->f, BANK_V));
    }
    g->b = h;
    region(g, depth - 1);
    if (extra) {
        const u32 go_on = ir_block(g->f);
        branch(g, divergent, out, go_on);
        g->b = go_on;
        region(g, depth - 2);
    }
    ir_jump(g->f, g->b, latch);
    g->b = latch;
    const u32 next = make(g, bank,
                          (Ins){.op = (u16)(IR_MACHINE + (divergent ? I_vadd_vx : I_add)),
                                .a = {ref_val(round), ref_val(one)}});
    offer(g, xn, vn, PHIS);
    ir_branch(g->f, latch, CMP_lt, ref_val(next), ref_val(limit), h, out, 0);
    g->f->block[latch].term.divergent = divergent;
    graph_preds(g->f);
    ir_phi(g->f, h, round)->arg[0] = ref_val(count);
    g->f->block[h].phi[0].arg[1] = ref_val(next);
    for (u32 k = 0; k < np; k++) {
        Phi *q = ir_phi(g->f, h, px[k]);
        q->arg[0] = x[k];
        q->arg[1] = xn[k];
        q = ir_phi(g->f, h, pv[k]);
        q->arg[0] = v[k];
        q->arg[1] = vn[k];
    }
    g->s = outer;
    for (u32 k = 0; k < np; k++) {
        declare(g, BANK_V, pv[k]);
        if (!divergent)
            declare(g, BANK_X, px[k]);
    }
    g->b = out;
}

static void region(Gen *g, int depth)
{
    straight(g);
    for (u32 n = 1 + below(g, 2); n-- > 0 && depth > 0 && g->budget > 0;) {
        if (below(g, 3))
            make_if(g, depth);
        else
            make_loop(g, depth);
        straight(g);
    }
    show(g);
}

/* what uniform.c would find out */
static void mark_joins(Func *f)
{
    for (u32 b = 0; b < f->nblock; b++) {
        Term *t = &f->block[b].term;
        if (t->kind != T_BRANCH || !t->divergent)
            continue;
        t->rpc = f->block[b].ipdom;
        Block *j = &f->block[t->rpc];
        j->join = true;
        for (int k = 0; k < 2; k++)
            if (ir_grow(f->module, j->other, j->nother, j->capother))
                j->other[j->nother++] = t->succ[k];
    }
}

static Func *random_program(Module *m, u32 seed, u32 pressure, int depth)
{
    Gen *g = mem_zalloc(1, sizeof *g);
    assert_non_null(g);
    g->m = m;
    g->f = ir_func(m, "f", true);
    g->b = ir_block(g->f);
    g->random = seed * 2654435761u + 17;
    g->pressure = pressure;
    g->budget = 600;
    for (u32 k = 0; k < 3 + pressure; k++) {
        make(g, BANK_X, (Ins){.op = IR_li, .a = {constant(g)}});
        make(g, BANK_V, (Ins){.op = IR_MACHINE + I_vid_v});
        scalar_op(g);
        vector_op(g);
    }
    const Scope start = g->s;
    region(g, depth);
    for (u32 k = 0; pressure > 64 && k < start.n[0] && k < start.n[1]; k++)
        ir_append(
            g->f, g->b,
            &(Ins){.op = IR_use, .a = {ref_val(start.list[0][k]), ref_val(start.list[1][k])}});
    ir_ret(g->f, g->b);
    Func *f = g->f;
    mem_free(g);
    graph_build(f);
    mark_joins(f);
    assert_false(m->failed);
    return f;
}

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

/* The search for values that can make way ends: where all that are alive cannot have registers, it would look at every
 * register for each of them again. */
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
    const bool soft = in_frame || i->op == IR_move || i->op == IR_li || i->op == IR_park || i->op == IR_fetch;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_registers),     cmocka_unit_test(random_registers),
        cmocka_unit_test(few_registers),      cmocka_unit_test(high_pressure),
        cmocka_unit_test(damage_is_noticed),  cmocka_unit_test(sides_keep_scalars),
        cmocka_unit_test(swap_in_loop),       cmocka_unit_test(calls_keep_values),
        cmocka_unit_test(hot_values_are_low), cmocka_unit_test(search_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
