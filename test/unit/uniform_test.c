/* What is one for the warp and what is not, by shapes of graphs; and on random graphs, that
 * a warp with scalars computes what its lanes compute alone, also when lanes meet in loops
 * (meet.c). */
#include "test/kit/guard.h"
#include "test/kit/irtexts.h"

/* banks of %1, %2, ... as one string */
static void expect_banks(const Func *f, const char *banks)
{
    char is[256] = "";
    const size_t n = strlen(banks);
    for (size_t v = 1; v <= n && v < f->nvalue; v++)
        is[v - 1] = f->value[v].bank == BANK_V ? 'v' : 'x';
    if (strcmp(is, banks)) {
        Buf text = {0};
        ir_print(&text, f);
        fail_msg("banks are %s, not %s\n%s", is, banks, buf_text(&text));
    }
}

/* %1 is the lane, %2 a number that is one for the warp; the rest is the shape's. */
#define START "b0:\n %1 = lane\n %2 = csr #0x804\n"

static Func *uniform_of(const char *body)
{
    Func *f = kernel_of(body);
    uniform(f);
    assert_false(f->module->failed);
    Buf why = {0};
    if (!ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s", buf_text(&why));
    return f;
}

static void expect(const char *body, const char *banks, const char *lines)
{
    Func *f = uniform_of(body);
    expect_banks(f, banks);
    expect_lines(f, lines);
    ir_free(f->module);
}

static void test_operations(void **state)
{
    (void)state;
    expect(START
           " %3 = add %1, %2\n %4 = add %2, 1\n %5 = fexp %2\n %6 = argbase\n %7 = ldsbase\n ret\n",
           "vxvxvxx", "");
}

static void test_memory(void **state)
{
    (void)state;
    expect(" slot $0 size 8 align 4\n" START " %3 = load word global [%2]\n %4 = load word global "
           "uniform [%1]\n %5 = load word private [$0]\n"
           " %6 = add $0, 4\n %7 = atomic add word global 1, [%2]\n %8 = lr word global [%2]\n"
           " %9 = sc word global 1, [%2]\n ret\n",
           "vxxvvxvvv", "");
}

static void test_functions(void **state)
{
    (void)state;
    Func *f = func_of_text("func @f params 1 results 1",
                           "b0:\n %1 = param #0\n arg %1 #0\n call @g #1\n %2 = result #0\n"
                           " %3 = csr #0x805\n setret %2 #0\n ret\n");
    uniform(f);
    expect_banks(f, "vvx");
    ir_free(f->module);
}

static void test_if_else(void **state)
{
    (void)state;
    expect(START " br lt %1, %2 -> b1, b2\nb1:\n jump b3\nb2:\n jump b3\n"
                 "b3:\n %3 = phi b1 1, b2 2\n %4 = phi b1 %2, b2 %2\n ret\n",
           "vxvx", "vbr lt %1, %2 -> b1, b2 join b3\nb3: join other b1 b2");
}

static void test_if_without_else(void **state)
{
    (void)state;
    expect(START " br lt %1, %2 -> b1, b2\nb1:\n %3 = add %2, 1\n jump b2\n"
                 "b2:\n %4 = phi b0 %2, b1 %3\n ret\n",
           "vxxv", "join b2\nb2: join other b1 b2");
}

static void test_uniform_if(void **state)
{
    (void)state;
    expect(START " br lt %2, 7 -> b1, b2\nb1:\n jump b3\nb2:\n jump b3\n"
                 "b3:\n %3 = phi b1 1, b2 2\n ret\n",
           "vxx", " br lt\nb3:\n");
}

/* the loop runs under the mask of one side, all of whose lanes count together */
static void test_uniform_loop_in_one_side(void **state)
{
    (void)state;
    expect(START " br lt %1, 3 -> b1, b4\nb1:\n jump b2\n"
                 "b2:\n %3 = phi b1 0, b2 %4\n %4 = add %3, 1\n br lt %4, %2 -> b2, b3\n"
                 "b3:\n store word global %3, [%2]\n jump b4\nb4:\n ret\n",
           "vxxx", "vbr lt %1\n br lt %4\nstore word global %3, [%2]");
}

static void test_loop_left_in_rounds(void **state)
{
    (void)state;
    expect(START " jump b1\nb1:\n %3 = phi b0 0, b2 %4\n %4 = add %3, 1\n br lt %4, %1 -> b2, b3\n"
                 "b2:\n store word global %3, [%2]\n jump b1\n"
                 "b3:\n store word global %4, [%2]\n ret\n",
           "vxxxv", "%5:v = copy %4\nvbr lt %4, %1 -> b2, b3 join b3\nglobal %3\nglobal %5");
}

static void test_loop_left_in_rounds_unused(void **state)
{
    (void)state;
    Func *f = uniform_of(START " jump b1\nb1:\n %3 = phi b0 0, b1 %4\n %4 = add %3, 1\n"
                               " br lt %4, %1 -> b1, b2\nb2:\n store word global %2, [%2]\n ret\n");
    expect_banks(f, "vxxx");
    expect_without(f, "copy");
    assert_true(f->loops[0].divergent);
    assert_true(f->block[1].rerun);
    ir_free(f->module);
}

static void test_phi_behind_the_loop(void **state)
{
    (void)state;
    /* lanes leave by one edge, in many rounds; others never come in */
    expect(START " br lt %2, 9 -> b1, b2\n"
                 "b1:\n %3 = phi b0 0, b1 %4\n %4 = add %3, 1\n br lt %4, %1 -> b1, b2\n"
                 "b2:\n %5 = phi b0 7, b1 %3\n ret\n",
           "vxxxvv", "%6:v = copy %3\n%5:v = phi b0 7, b1 %6");
}

/* the inner loop is left in rounds, the outer one by all at once */
static void test_nested_loops(void **state)
{
    (void)state;
    expect(START " jump b1\nb1:\n %3 = phi b0 0, b3 %6\n jump b2\n"
                 "b2:\n %4 = phi b1 0, b2 %5\n %5 = add %4, 1\n br lt %5, %1 -> b2, b3\n"
                 "b3:\n %6 = add %3, 1\n br lt %6, %2 -> b1, b4\n"
                 "b4:\n store word global %5, [%2]\n store word global %6, [%2]\n ret\n",
           "vxxxxxv", "%7:v = copy %5\n br lt %6\nglobal %7\nglobal %6");
}

/* left from the inner loop: values of both loops go stale */
static void test_left_from_inside_two_loops(void **state)
{
    (void)state;
    expect(START " jump b1\nb1:\n %3 = phi b0 0, b3 %6\n jump b2\n"
                 "b2:\n %4 = phi b1 0, b4 %5\n %5 = add %4, 1\n br lt %5, %1 -> b4, b5\n"
                 "b4:\n br lt %5, 9 -> b2, b3\n"
                 "b3:\n %6 = add %3, 1\n br lt %6, %2 -> b1, b5\n"
                 "b5:\n %7 = phi b2 %3, b3 %6\n %8 = phi b2 %4, b3 0\n ret\n",
           "vxxxxxvv", "copy %3\ncopy %4\nvbr lt %5, %1");
}

/* one side of a divergent if may break: its lanes wait while the others go round */
static void test_break_in_a_divergent_if(void **state)
{
    (void)state;
    expect(START " jump b1\nb1:\n %3 = phi b0 0, b3 %4\n br lt %3, %1 -> b2, b3\n"
                 "b2:\n store word global %3, [%2]\n br lt %2, 5 -> b4, b3\n"
                 "b3:\n %4 = add %3, 1\n br lt %4, %2 -> b1, b4\nb4:\n ret\n",
           "vxvv", "vbr lt %3, %1 -> b2, b3 join b4\nvbr lt %4, %2 -> b1, b4");
}

/* `continue` before the way out: lanes meet in the middle of the loop, in many rounds */
static void test_join_in_the_middle_of_a_loop(void **state)
{
    (void)state;
    expect(START " jump b1\nb1:\n %3 = phi b0 0, b2 %4, b3 %5\n br lt %3, %1 -> b2, b3\n"
                 "b2:\n %4 = add %3, 1\n jump b1\n"
                 "b3:\n %5 = add %3, 2\n br lt %5, %2 -> b1, b4\nb4:\n ret\n",
           "vxvvv", "join b3\nb3: join");
}

/* both sides go back to the header, where all meet: the phi is written before the join */
static void test_join_at_a_header(void **state)
{
    (void)state;
    expect(
        START
        " jump b1\nb1:\n %3 = phi b0 0, b3 %4, b4 %4\n %4 = add %3, 1\n"
        " br lt %4, %2 -> b2, b5\nb2:\n br lt %1, %4 -> b3, b4\n"
        "b3:\n store word global %3, [%2]\n jump b1\nb4:\n store word global %4, [%2]\n jump b1\n"
        "b5:\n ret\n",
        "vxxxx",
        "phi b0 0, b3 %4, b4 %4\n%5:x = copy %3\n%4:x = add %5, 1\n -> b3, b4 join b1\nglobal %5");
}

static void test_two_ways_out(void **state)
{
    (void)state;
    expect(
        START
        " jump b1\nb1:\n %3 = phi b0 0, b2 %4\n %4 = add %3, 1\n br lt %4, %1 -> b2, b3\n"
        "b2:\n br lt %4, %2 -> b1, b4\n"
        "b3:\n store word global %3, [%2]\n jump b5\nb4:\n store word global %4, [%2]\n jump b5\n"
        "b5:\n %5 = phi b3 1, b4 2\n ret\n",
        "vxxxv", "copy %3\nvbr lt %4, %1 -> b2, b3 join b5\n br lt %4, %2");
}

/* one side of b3 runs b1 again before it meets the other after it */
static void test_round_above_the_join(void **state)
{
    (void)state;
    expect(START " jump b1\nb1:\n %3 = load word global [%2]\n jump b2\nb2:\n %4 = add %3, 1\n"
                 " br lt %1, %2 -> b3, b4\nb3:\n br lt %1, 3 -> b1, b2\nb4:\n ret\n",
           "vxxv", "%3:x = load\n%5:v = copy %3\n%4:v = add %5, 1\njoin b2");
}

static void test_chain_of_cases(void **state)
{
    (void)state;
    expect(START " br eq %1, 0 -> b1, b2\nb1:\n jump b5\nb2:\n br eq %1, 1 -> b3, b4\n"
                 "b3:\n jump b5\nb4:\n jump b5\nb5:\n %3 = phi b1 %2, b3 %2, b4 %2\n"
                 " %4 = phi b1 1, b3 2, b4 2\n ret\n",
           "vxxv", "join b5\njoin b5\nb5: join other b1 b2 b3 b4");
}

/* the sides pass a common block before they meet, each on its own */
static void test_common_block_before_the_join(void **state)
{
    (void)state;
    expect(START
           " br lt %1, 3 -> b1, b2\nb1:\n br lt %2, 1 -> b3, b4\nb2:\n br lt %2, 2 -> b3, b4\n"
           "b3:\n %3 = phi b1 1, b2 2\n store word global %3, [%2]\n jump b4\n"
           "b4:\n %4 = phi b1 1, b2 1, b3 %3\n ret\n",
           "vxxv", "global %3, [%2]");
}

/* a value that went stale decides: its branch parts lanes too */
static void test_stale_condition(void **state)
{
    (void)state;
    expect(START " jump b1\nb1:\n %3 = phi b0 0, b1 %4\n %4 = add %3, 1\n br lt %4, %1 -> b1, b2\n"
                 "b2:\n br lt %4, 5 -> b3, b4\nb3:\n jump b4\nb4:\n %5 = phi b2 1, b3 2\n ret\n",
           "vxxxvv", "vbr lt %4, %1\nvbr lt %6, 5 -> b3, b4 join b4");
}

static void test_endless_loop(void **state)
{
    (void)state;
    expect(START " br lt %1, 3 -> b1, b2\nb1:\n %3 = phi b0 0, b1 %4\n %4 = add %3, 1\n jump b1\n"
                 "b2:\n ret\n",
           "vxxx", "vbr lt %1, 3 -> b1, b2 join b2");
}

/* a cycle with two entries: whatever is computed in it and left behind is a vector */
static void test_irreducible(void **state)
{
    (void)state;
    expect(START " br lt %2, 3 -> b1, b2\n"
                 "b1:\n %3 = phi b0 0, b2 %4\n %5 = add %3, 1\n br lt %5, %1 -> b2, b3\n"
                 "b2:\n %4 = phi b0 9, b1 %5\n br lt %4, %2 -> b1, b3\n"
                 "b3:\n %6 = phi b1 %5, b2 %4\n ret\n",
           "vxxxxv", "vbr lt %5, %1 -> b2, b3 join b3\nb3: join");
}

/* --- random graphs ------------------------------------------------------------------------ */

/* A function of three variables in a random graph, in SSA with a phi for each variable where edges
 * meet, or where it needs one.  It is executed for each lane alone as it was, and for the warp as
 * uniform() left it: a value of bank X has one place for all lanes, phis are written on edges, and
 * the sides of divergent branches run as doc/isa.md, "Divergence", says, in either order.  What a
 * lane stores must be the same. */

enum { LANES = 4, VARIABLES = 3, MOST_BLOCKS = 12, MOST_STEPS = 150, MOST_VALUES = 2048 };

static u32 rng(u32 *seed, u32 below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (u32)((u64)(*seed >> 8) * below >> 24);
}

static Ref random_operand(u32 *seed, const Ref *var)
{
    return rng(seed, 4) ? var[rng(seed, VARIABLES)] : ref_con(rng(seed, 8));
}

static void random_block(Func *f, u32 b, u32 *seed, Ref *var)
{
    static const IrOp ops[] = {IR_add, IR_xor, IR_and, IR_sub};
    for (u32 n = rng(seed, 4); n; n--) {
        if (rng(seed, 3) == 0) {
            var[rng(seed, VARIABLES)] = random_operand(seed, var);
            continue;
        }
        const Ref x = random_operand(seed, var), y = random_operand(seed, var);
        var[rng(seed, VARIABLES)] = ref_val(ir_op(f, b, ops[rng(seed, 4)], x, y, ref_none(), 0));
    }
    const Ins store = {.op = IR_store,
                       .width = 4,
                       .space = IN_GLOBAL,
                       .a = {var[rng(seed, VARIABLES)], ref_con(16)}};
    ir_append(f, b, &store);
}

static void random_edges(Func *f, u32 *seed, u32 blocks)
{
    for (u32 b = 0; b < blocks; b++)
        ir_block(f);
    for (u32 b = 0; b + 1 < blocks; b++) {
        const u32 to = 1 + rng(seed, blocks - 1),
                  other = rng(seed, 3) ? b + 1 : 1 + rng(seed, blocks - 1);
        if (rng(seed, 4) == 0)
            ir_jump(f, b, to);
        else
            ir_branch(f, b, (Cmp)rng(seed, 6), ref_none(), ref_none(), to, other, 0);
    }
    ir_ret(f, blocks - 1);
    graph_build(f);
}

/* var[b][k] is variable k at the end of block b. */
static void random_phis(Func *f, u32 b, Ref (*var)[VARIABLES])
{
    for (size_t k = 0; k < f->block[b].nphi; k++)
        for (size_t e = 0; e < f->block[b].npred; e++)
            f->block[b].phi[k].arg[e] = var[f->block[b].pred[e]][k];
}

static void replace(Func *f, u32 v, Ref by)
{
    for (size_t i = 0; i < f->nrpo; i++) {
        Block *b = &f->block[f->rpo[i]];
        for (size_t p = 0; p < b->nphi; p++)
            for (size_t e = 0; e < b->npred; e++)
                if (ref_same(b->phi[p].arg[e], ref_val(v)))
                    b->phi[p].arg[e] = by;
        for (size_t k = 0; k < b->nins; k++)
            for (int a = 0; a < 3; a++)
                if (ref_same(b->ins[k].a[a], ref_val(v)))
                    b->ins[k].a[a] = by;
        for (int a = 0; a < 2; a++)
            if (ref_same(b->term.a[a], ref_val(v)))
                b->term.a[a] = by;
    }
}

/* what a phi always is, besides itself; none: several things */
static Ref only_argument(const Block *b, const Phi *p)
{
    Ref only = ref_none();
    for (size_t e = 0; e < b->npred; e++) {
        if (ref_same(p->arg[e], ref_val(p->dst)) || ref_same(p->arg[e], only))
            continue;
        if (only.kind != R_NONE)
            return ref_none();
        only = p->arg[e];
    }
    return only;
}

/* Takes out the phis that are always one thing, so that values are read behind merges. */
static void remove_phis(Func *f)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->nrpo; i++) {
            Block *b = &f->block[f->rpo[i]];
            for (size_t p = b->nphi; p-- > 0;) {
                const Ref only = only_argument(b, &b->phi[p]);
                const u32 v = b->phi[p].dst;
                if (only.kind == R_NONE)
                    continue;
                memmove(&b->phi[p], &b->phi[p + 1], (--b->nphi - p) * sizeof b->phi[p]);
                replace(f, v, only);
                changed = true;
            }
        }
    }
}

static Func *random_function(Module *m, u32 *seed)
{
    Func *f = ir_func(m, "random", true);
    Ref var[MOST_BLOCKS][VARIABLES];
    random_edges(f, seed, 4 + rng(seed, MOST_BLOCKS - 3));
    for (size_t i = 0; i < f->nrpo; i++) {
        const u32 b = f->rpo[i];
        Ref *v = var[b];
        const u32 from = b && f->block[b].npred == 1 ? f->block[b].pred[0] : b;
        for (u32 k = 0; k < VARIABLES; k++)
            v[k] = from != b ? var[from][k]
                   : b       ? ref_val(ir_phi(f, b, ir_value(f))->dst)
                             : ref_con(k);
        if (b == 0)
            v[0] = ref_val(ir_op(f, 0, IR_lane, ref_none(), ref_none(), ref_none(), 0));
        random_block(f, b, seed, v);
        Term *t = &f->block[b].term;
        for (int k = 0; k < 2 && t->kind == T_BRANCH; k++)
            t->a[k] = random_operand(seed, v);
    }
    for (size_t i = 1; i < f->nrpo; i++)
        random_phis(f, f->rpo[i], var);
    if (rng(seed, 2))
        remove_phis(f);
    return f;
}

typedef struct {
    u32 rpc, from, edge, mask; /* edge 2: at the join itself */
} Waiting;

typedef struct {
    const Func *f;
    bool is_warp;
    u32 mask;
    u32 (*value)[LANES];
    u32 trace[LANES];
    Waiting stack[256];
    u32 depth, steps;
} Machine;

static u32 *place(const Machine *m, u32 v, u32 lane)
{
    return &m->value[v][m->is_warp && m->f->value[v].bank == BANK_X ? 0 : lane];
}

static u32 read_ref(const Machine *m, Ref r, u32 lane)
{
    return r.kind == R_VAL ? *place(m, r.val, lane) : r.val;
}

static void step(Machine *m, const Ins *i)
{
    for (u32 lane = 0; lane < LANES; lane++) {
        if (!(m->mask >> lane & 1))
            continue;
        const u32 a = read_ref(m, i->a[0], lane), b = read_ref(m, i->a[1], lane);
        if (i->op == IR_store)
            m->trace[lane] = m->trace[lane] * 31 + a;
        else
            *place(m, i->dst, lane) = i->op == IR_lane   ? lane
                                      : i->op == IR_copy ? a
                                                         : op_eval(ir_info[i->op].eval, a, b);
    }
}

/* Writes the phis of an edge; the block after it. */
static u32 go(Machine *m, u32 from, u32 edge)
{
    const u32 to = m->f->block[from].term.succ[edge];
    const Block *b = &m->f->block[to];
    const bool twice =
        m->f->block[from].term.succ[0] == to && m->f->block[from].term.kind == T_BRANCH;
    u32 new[64][LANES];
    size_t e = 0;
    while (b->pred[e] != from)
        e++;
    e += edge == 1 && twice;
    for (int writing = 0; writing < 2; writing++)
        for (size_t p = 0; p < b->nphi; p++)
            for (u32 lane = 0; lane < LANES; lane++)
                if (!(m->mask >> lane & 1))
                    continue;
                else if (writing)
                    *place(m, b->phi[p].dst, lane) = new[p][lane];
                else
                    new[p][lane] = read_ref(m, b->phi[p].arg[e], lane);
    return to;
}

static bool holds(u8 cmp, u32 a, u32 b)
{
    static const Op op[] = {OP_eq, OP_ne, OP_lt, OP_ge, OP_ltu, OP_geu};
    return op_eval(op[cmp], a, b);
}

static u32 branch(Machine *m, u32 b, u32 *seed)
{
    const Term *t = &m->f->block[b].term;
    u32 taken = 0;
    for (u32 lane = 0; lane < LANES; lane++)
        if (m->mask >> lane & 1)
            taken |= (u32)holds(t->cmp, read_ref(m, t->a[0], lane), read_ref(m, t->a[1], lane))
                     << lane;
    const u32 rest = m->mask & ~taken;
    if (taken && rest) {
        if (!t->divergent || m->depth + 2 >= 256) {
            Buf text = {0};
            ir_print(&text, m->f);
            fail_msg("lanes part at b%u, %u deep:\n%s", b, m->depth, buf_text(&text));
        }
        const u32 waits = rng(seed, 2);
        m->stack[m->depth++] = (Waiting){t->rpc, 0, 2, m->mask};
        m->stack[m->depth++] = (Waiting){t->rpc, b, waits, waits ? rest : taken};
        m->mask = waits ? taken : rest;
        return go(m, b, waits ^ 1);
    }
    return go(m, b, taken ? 0 : 1);
}

/* At the top of block b: where the warp goes on. */
static u32 meet(Machine *m, u32 b)
{
    while (m->f->block[b].join && m->depth && m->stack[m->depth - 1].rpc == b) {
        const Waiting w = m->stack[--m->depth];
        m->mask = w.mask;
        if (w.edge < 2)
            b = go(m, w.from, w.edge);
    }
    return b;
}

/* False: too long. */
static bool run(Machine *m, u32 *seed)
{
    u32 b = 0;
    for (m->steps = 0; m->steps < MOST_STEPS * (m->is_warp ? 4 * LANES : 1); m->steps++) {
        b = meet(m, b);
        const Block *k = &m->f->block[b];
        for (size_t i = 0; i < k->nins; i++)
            step(m, &k->ins[i]);
        if (k->term.kind == T_RET)
            return true;
        b = k->term.kind == T_JUMP ? go(m, b, 0) : branch(m, b, seed);
    }
    return false;
}

static bool run_alone(const Func *f, u32 (*value)[LANES], u32 trace[LANES])
{
    for (u32 lane = 0; lane < LANES; lane++) {
        Machine m = {.f = f, .mask = 1u << lane, .value = value};
        if (!run(&m, NULL))
            return false;
        trace[lane] = m.trace[lane];
    }
    return true;
}

/* Runs the function as a warp; false: its lanes do not all end. */
static bool try_warp(Func *f, void (*pass)(Func *), u32 seed, const u32 alone[LANES], u32 *steps)
{
    u32 value[MOST_VALUES][LANES];
    Buf before = {0}, after = {0}, why = {0};
    ir_print(&before, f);
    if (pass)
        pass(f);
    if (!ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s%s", buf_text(&why), buf_text(&before));
    uniform(f);
    ir_print(&after, f);
    assert_true(f->nvalue < MOST_VALUES && !f->module->failed);
    Machine m = {.f = f, .is_warp = true, .mask = (1u << LANES) - 1, .value = value};
    memset(value, 0x5a, sizeof value);
    if (!run(&m, &seed) || m.mask != (1u << LANES) - 1 || memcmp(m.trace, alone, sizeof m.trace))
        fail_msg("lanes differ:\n%s%s", buf_text(&before), buf_text(&after));
    buf_free(&before);
    buf_free(&after);
    *steps = m.steps;
    return true;
}

/* The blocks that a warp goes through in the graph of that seed; 0: a lane alone does not end. */
static u32 try_graph(u32 seed, void (*pass)(Func *))
{
    u32 value[MOST_VALUES][LANES], alone[LANES], steps = 0;
    Module *module = ir_module("random", target_find(0));
    Func *f = random_function(module, &seed);
    assert_true(f->nvalue < MOST_VALUES && !module->failed);
    if (run_alone(f, value, alone))
        try_warp(f, pass, seed, alone, &steps);
    ir_free(module);
    return steps;
}

enum { GRAPHS = 60000, FEW = 300 /* with guarded memory */ };

static void test_random_graphs(void **state)
{
    (void)state;
    u32 n = 0;
    for (u32 k = 1; k <= GRAPHS; k++) {
        guard_few(k, FEW);
        n += try_graph(k * 2654435761u, NULL) > 0;
        guard_end();
    }
    assert_true(n > GRAPHS / 4); /* the others do not end */
}

static void test_random_graphs_with_meetings(void **state)
{
    (void)state;
    u32 n = 0;
    for (u32 k = 1; k <= GRAPHS; k++) {
        guard_few(k, FEW);
        n += try_graph(k * 2654435761u, meet_in_loops) != try_graph(k * 2654435761u, NULL);
        guard_end();
    }
    assert_true(n > GRAPHS / 200); /* lanes meet elsewhere */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_if_else),
        cmocka_unit_test(test_if_without_else),
        cmocka_unit_test(test_uniform_if),
        cmocka_unit_test(test_uniform_loop_in_one_side),
        cmocka_unit_test(test_loop_left_in_rounds),
        cmocka_unit_test(test_loop_left_in_rounds_unused),
        cmocka_unit_test(test_phi_behind_the_loop),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_left_from_inside_two_loops),
        cmocka_unit_test(test_break_in_a_divergent_if),
        cmocka_unit_test(test_join_in_the_middle_of_a_loop),
        cmocka_unit_test(test_join_at_a_header),
        cmocka_unit_test(test_two_ways_out),
        cmocka_unit_test(test_round_above_the_join),
        cmocka_unit_test(test_chain_of_cases),
        cmocka_unit_test(test_common_block_before_the_join),
        cmocka_unit_test(test_stale_condition),
        cmocka_unit_test(test_endless_loop),
        cmocka_unit_test(test_irreducible),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_random_graphs_with_meetings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
