/* lanes_test.c -- generic code to registers: random graphs, loops of any shape among them.
 *
 * Each lane runs the generic program for itself; the warp of warprig.h runs what uniform.c,
 * select.c, out.c, coalesce.c and alloc.c have made of it.  Scalars that are none, sides that
 * take each other's registers, and moves under a wrong mask show as lanes that see something else.
 */
#include "test/kit/guard.h"
#include "test/kit/irtexts.h"
#include "test/kit/warprig.h"
#include "cc/code.h"
#include <stdlib.h>

enum { VARS = 6, GRAPHS = 20000, BLOCKS = 9, LANE_STEPS = 300 };

typedef struct {
    Func *f;
    u32 random;
    u32 at_end[BLOCKS][VARS]; /* what each variable is after each block */
} Gen;

static u32 below(Gen *g, u32 n) { return random_below(&g->random, n); }

static Ref pick(Gen *g, u32 b)
{
    return below(g, 5) ? ref_val(g->at_end[b][below(g, VARS)]) : ref_con(below(g, 4));
}

static void fill(Gen *g, u32 b)
{
    static const IrOp op[] = {IR_add, IR_sub, IR_and, IR_xor, IR_mul, IR_lt, IR_eq, IR_sll};
    for (u32 n = below(g, 8); n-- > 0;) {
        const Ref x = pick(g, b), y = pick(g, b), z = pick(g, b);
        u32 *to = &g->at_end[b][below(g, VARS)];
        if (below(g, 4) == 0)
            ir_append(
                g->f, b,
                &(Ins){
                    .op = IR_store, .width = 4, .space = IN_GLOBAL, .is_volatile = 1, .a = {x, y}});
        else if (below(g, 6) == 0)
            *to = ir_op(g->f, b, IR_select,
                        ref_val(ir_op(g->f, b, IR_ltu, x, ref_con(2), ref_none(), 0)), y, z, 0);
        else
            *to = ir_op(g->f, b, op[below(g, countof(op))], x, y, ref_none(), 0);
    }
}

/* Variables in the entry: two of the lane, the others of the warp. */
static void begin(Gen *g)
{
    Func *f = g->f;
    for (u32 k = 0; k < VARS; k++) {
        const Ins i = {
            .op = k < 2 ? IR_lane : IR_csr, .dst = ir_value(f), .imm = k < 2 ? 0 : 0x804};
        ir_append(f, 0, &i);
        g->at_end[0][k] = i.dst;
    }
    g->at_end[0][1] = ir_op(f, 0, IR_and, ref_val(g->at_end[0][1]), ref_con(1), ref_none(), 0);
    g->at_end[0][2] = ir_op(f, 0, IR_and, ref_val(g->at_end[0][2]), ref_con(3), ref_none(), 0);
}

static void connect(Gen *g, u32 n)
{
    for (u32 b = 0; b + 1 < n; b++) {
        const u32 s = 1 + below(g, n - 1), t = 1 + below(g, n - 1);
        if (below(g, 4))
            ir_branch(g->f, b, (Cmp)below(g, 6), ref_none(), ref_none(), s, t, 0);
        else
            ir_jump(g->f, b, s);
    }
    ir_ret(g->f, n - 1);
    graph_preds(g->f);
}

/* A variable is a phi in each block that has predecessors. */
static void define(Gen *g, u32 n)
{
    u32 phi[BLOCKS][VARS];
    for (u32 b = 1; b < n; b++)
        for (u32 k = 0; k < VARS; k++)
            g->at_end[b][k] = phi[b][k] = ir_value(g->f);
    for (u32 b = 0; b < n; b++) {
        Term *t = &g->f->block[b].term;
        fill(g, b);
        if (t->kind == T_BRANCH) {
            t->a[0] = ref_val(g->at_end[b][below(g, VARS)]);
            t->a[1] = pick(g, b);
        }
    }
    for (u32 b = 1; b < n; b++)
        for (u32 k = 0; k < VARS; k++) {
            Phi *p = ir_phi(g->f, b, phi[b][k]);
            for (size_t j = 0; j < g->f->block[b].npred; j++)
                p->arg[j] = ref_val(g->at_end[g->f->block[b].pred[j]][k]);
        }
}

static void show_all(Gen *g, u32 b)
{
    for (u32 k = 0; k < VARS; k++)
        ir_append(g->f, b,
                  &(Ins){.op = IR_store,
                         .width = 4,
                         .space = IN_GLOBAL,
                         .is_volatile = 1,
                         .a = {ref_val(g->at_end[b][k]), ref_con(k * 4)}});
}

static Func *random_function(Module *m, u32 seed)
{
    Gen g = {.f = ir_func(m, "f", true), .random = seed * 2654435761u + 1};
    const u32 n = 3 + below(&g, BLOCKS - 2);
    for (u32 b = 0; b < n; b++)
        assert_int_equal(ir_block(g.f), b);
    begin(&g);
    connect(&g, n);
    define(&g, n);
    show_all(&g, n - 1);
    graph_build(g.f);
    assert_false(m->failed);
    return g.f;
}

static void compile(Func *f, const CcOptions *opt, u32 seed)
{
    Buf why = {0};
    fold(f);
    graph_build(f);
    const size_t blocks = f->nblock;
    uniform(f);
    select_rows(f);
    leave_ssa(f);
    assert_true(f->nblock <= 3 * blocks); /* one an edge */
    const Func *before = verify_copy(f);
    coalesce(f);
    f->module->opt = opt;
    allocate(f);
    assert_false(f->module->failed);
    if (!verify(before, f, &why))
        fail_msg("program %u: %s", seed, buf_text(&why));
    buf_free(&why);
}

static bool try_graph(u32 seed)
{
    Module *m = ir_module("test", target_find(0));
    Func *f = random_function(m, seed);
    u32 expected[LANES], seen[LANES];
    bool ends = true;
    for (u32 lane = 0; lane < LANES; lane++)
        ends = run_lane(f, lane, LANE_STEPS, &expected[lane]) && ends;
    const u32 few = seed % 3 ? 0 : 6;
    compile(f, &(CcOptions){.max_x = few, .max_v = few, .seed = seed % 5 ? 0 : seed}, seed);
    for (u32 random = 0; ends && random < 4; random++) {
        if (!run_warp(f, random, seen))
            fail_msg("program %u goes astray", seed);
        if (memcmp(seen, expected, sizeof seen))
            fail_msg("program %u: a lane sees something else", seed);
    }
    ir_free(m);
    return ends;
}

/* --- phis by hand ---------------------------------------------------------------------- */

/* What each lane sees of the kernel, compiled with phis as moves, is what the phis say. */
static void check_phis(const char *body)
{
    Func *f = kernel_of(body);
    u32 expected[LANES], seen[LANES];
    for (u32 lane = 0; lane < LANES; lane++)
        assert_true(run_lane(f, lane, LANE_STEPS, &expected[lane]));
    uniform(f);
    select_rows(f);
    leave_ssa(f);
    allocate(f);
    assert_false(f->module->failed);
    for (u32 random = 0; random < 4; random++) {
        assert_true(run_warp(f, random, seen));
        assert_memory_equal(seen, expected, sizeof seen);
    }
    ir_free(f->module);
}

/* The moves of an edge are one assignment: swaps, chains, and constants that overwrite what another
 * phi still reads, small, large and addresses, of lanes and of the warp. */
static void phis_are_parallel(void **state)
{
    (void)state;
    static const char *const start[] = {"%1 = lane", "%1 = csr #77"};
    for (size_t k = 0; k < countof(start); k++) {
        char body[2000];
        snprintf(
            body, sizeof body,
            " slot $0 size 64 align 4\n"
            "b0:\n %s\n %%2 = add %%1, 3\n jump b1\n"
            "b1:\n"
            " %%3 = phi b0 %%1, b1 %%4\n %%4 = phi b0 %%2, b1 %%3\n"  /* a swap */
            " %%5 = phi b0 7, b1 100000\n %%6 = phi b0 %%2, b1 %%5\n" /* a constant over a source */
            " %%7 = phi b0 -3, b1 %%6\n %%8 = phi b0 %%1, b1 -16\n"
            " %%9 = phi b0 %%1, b1 %%8\n %%10 = phi b0 12345, b1 %%9\n"
            " %%11 = phi b0 $0+8, b1 %%12\n %%12 = phi b0 %%1, b1 $0+16\n"
            " %%13 = phi b0 %%1, b1 0\n %%14 = phi b0 5, b1 %%15\n"
            " use %%3, %%4, %%5\n use %%6, %%7, %%8\n use %%9, %%10, %%13\n"
            " %%15 = sub %%14, 1\n br ne %%15, 0 -> b1, b2\n"
            "b2:\n use %%3, %%7, %%10\n use %%6, %%9, %%4\n ret\n",
            start[k]);
        check_phis(body);
    }
}

/* --- moves of one edge ------------------------------------------------------------------------ */

enum { PHIS = 12, FIRST_PHI = 20 /* the value of the first one */ };

/* Phis of a loop, each of which becomes to[k] in the next round: another phi, or a constant from
 * PHIS on. */
static Func *loop_of_phis(const u32 *to)
{
    Buf text = {0}, why = {0};
    Diag d = {.sink = diag_to_buf, .to = &why};
    buf_printf(&text, "kernel @k {\nb0:\n");
    for (u32 k = 0; k < PHIS; k++)
        buf_printf(&text, " %%%u:x = li %u\n", k + 1, k);
    buf_printf(&text, " jump b1\nb1:\n");
    for (u32 k = 0; k < PHIS; k++)
        buf_printf(&text, " %%%u:x = phi b0 %%%u, b3 %s%u\n", FIRST_PHI + k, k + 1,
                   to[k] < PHIS ? "%" : "", to[k] < PHIS ? FIRST_PHI + to[k] : to[k]);
    buf_printf(&text, " br eq %%1, %%2 -> b2, b3\nb2:\n ret\nb3:\n jump b1\n}\n");
    Module *m =
        ir_parse(&(Source){.name = "t.ir", .text = buf_text(&text)}, target_find(0), &d);
    if (!m)
        fail_msg("%s", buf_text(&why));
    buf_free(&text);
    graph_build(m->func[0]);
    return m->func[0];
}

/* How many assignments there are, and one more for each cycle among them, which needs a copy. */
static u32 moves_needed(const u32 *to)
{
    u32 n = 0;
    for (u32 k = 0; k < PHIS; k++) {
        u32 at = to[k], least = k;
        for (u32 step = 0; step < PHIS && at < PHIS && at != k; step++, at = to[at])
            least = at < least ? at : least;
        n += to[k] != k;
        n += at == k && to[k] != k && least == k; /* counted at its least member */
    }
    return n;
}

/* Each phi gets what is for it, whatever is overwritten, by as few moves as that takes. */
static void moves_are_few(void **state)
{
    u32 random = 1;
    (void)state;
    for (u32 n = 0; n < 2000; n++) {
        u32 to[PHIS], value[200];
        for (u32 k = 0; k < PHIS; k++)
            to[k] = k;
        for (u32 k = PHIS; k-- > 1 && n % 2;) { /* a permutation */
            const u32 j = random_below(&random, k + 1), old = to[k];
            to[k] = to[j];
            to[j] = old;
        }
        for (u32 k = 0; k < PHIS && n % 4 != 1; k++)
            if (random_below(&random, 3) == 0)
                to[k] = random_below(&random, random_below(&random, 4) ? PHIS : 2 * PHIS);
        Func *f = loop_of_phis(to);
        leave_ssa(f);
        assert_false(f->module->failed);
        assert_true(f->nvalue <= countof(value));
        const Block *b = &f->block[3];
        for (u32 k = 0; k < PHIS; k++)
            value[FIRST_PHI + k] = 1000 + k;
        for (size_t i = 0; i < b->nins; i++) {
            const Ins *move = &b->ins[i];
            assert_true(move->op == (move->a[0].kind == R_VAL ? IR_move : IR_li));
            value[move->dst] = move->op == IR_li ? move->a[0].val : value[move->a[0].val];
        }
        for (u32 k = 0; k < PHIS; k++)
            assert_int_equal(value[FIRST_PHI + k], to[k] < PHIS ? 1000 + to[k] : to[k]);
        assert_int_equal(b->nins, moves_needed(to));
        ir_free(f->module);
    }
}

/* A phi of a join under divergent sides, each of which brings a constant or what the other phi had.
 */
static void phis_of_sides(void **state)
{
    (void)state;
    check_phis("b0:\n %1 = lane\n %2 = csr #77\n br lt %1, 2 -> b1, b2\n"
               "b1:\n %3 = add %2, %1\n jump b3\n"
               "b2:\n %4 = mul %2, 5\n br eq %1, 3 -> b3, b4\n"
               "b4:\n jump b3\n"
               "b3:\n %5 = phi b1 1000000, b2 %2, b4 9\n %6 = phi b1 %3, b2 70000, b4 %4\n"
               " %7 = phi b1 -1, b2 %4, b4 %2\n use %5, %6, %7\n ret\n");
}

/* --- the reconvergence pc --------------------------------------------------------------- */

typedef struct {
    const Func *f;
    const u32 *points; /* of rpc_points */
    bool *seen;        /* of each block and value of rpc at its start, nblock: anything */
    u32 seed;
} Walk;

static bool parts(const Block *b)
{
    return b->term.kind == T_BRANCH && b->term.divergent && b->term.succ[0] != b->term.succ[1];
}

/* Follows every way from block b, where rpc is `value`: at a divergent branch it must be its join.
 */
static void walk(const Walk *w, u32 b, u32 value)
{
    const u32 n = (u32)w->f->nblock, at_start = value;
    const Block *k = &w->f->block[b];
    if (w->seen[b * (n + 1) + value])
        return;
    w->seen[b * (n + 1) + value] = true;
    for (size_t i = 0; i < k->nins; i++)
        if (k->ins[i].op == IR_call)
            value = n;
    if (w->points[b] != NO_BLOCK)
        value = w->points[b];
    if (parts(k) && value != k->term.rpc)
        fail_msg("program %u: rpc is not set at the end of block %u", w->seed, b);
    for (size_t s = 0; s < k->nother; s++)
        walk(w, k->other[s], at_start);
    for (int s = 0; s < (k->term.kind == T_BRANCH ? 2 : k->term.kind == T_JUMP); s++)
        walk(w, k->term.succ[s], value);
}

/* random graphs, with calls in some blocks, which change rpc */
static void rpc_is_set(void **state)
{
    (void)state;
    u32 needed = 0, set = 0;
    for (u32 seed = 1; seed <= GRAPHS; seed++) {
        Module *m = ir_module("test", target_find(0));
        Func *f = random_function(m, seed);
        uniform(f);
        u32 random = seed;
        for (u32 b = 0; seed % 2 && b < f->nblock; b++)
            if (random_below(&random, 4) == 0)
                ir_append(f, b, &(Ins){.op = IR_call});
        const u32 *points = rpc_points(f);
        bool *seen = ir_alloc(m, f->nblock * (f->nblock + 1));
        assert_true(points && seen);
        walk(&(Walk){f, points, seen, seed}, 0, (u32)f->nblock);
        for (u32 b = 0; b < f->nblock; b++) {
            needed += parts(&f->block[b]);
            set += points[b] != NO_BLOCK;
        }
        ir_free(m);
    }
    /* and not at every branch */
    assert_true(set < needed);
}

/* LANES_TEST_SEED=FIRST[-LAST]: other seeds */
static void lanes_agree(void **state)
{
    (void)state;
    enum { FEW = 60 };
    unsigned first = 1, last = GRAPHS, ran = 0;
    const char *seeds = getenv("LANES_TEST_SEED");
    if (seeds && sscanf(seeds, "%u-%u", &first, &last) < 2)
        last = first;
    for (u32 seed = first; seed <= last; seed++) {
        guard_few(seed, FEW);
        ran += try_graph(seed);
        guard_end();
    }
    assert_true(seeds || ran > GRAPHS / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(phis_are_parallel),
        cmocka_unit_test(moves_are_few),
        cmocka_unit_test(phis_of_sides),
        cmocka_unit_test(rpc_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
