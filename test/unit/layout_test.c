/* layout_test.c -- where blocks and branches of a function are (blockorder.c, rpc.c, expand.c).
 *
 * Of random programs with registers, and of any graphs: the order of blocks is that of a model by
 * lists; the reconvergence pc is set where a walk backwards from a branch meets a way on which it
 * is not set to the branch's join; words of terminators choose as the program does, and jump only
 * where they must.
 */
#include "test/kit/guard.h"
#include "test/kit/flowgen.h"
#include "cc/code.h"

enum { PROGRAMS = 200, FEW = 16 /* with guarded memory */ };

/* one in three is a function that calls others */
static Func *laid_out(Module *m, u32 seed)
{
    Func *f = random_program(m, seed, 4 + seed % 9, 4);
    f->is_kernel = seed % 3;
    if (!f->is_kernel)
        add_calls(f, seed);
    leave_ssa(f);
    coalesce(f);
    allocate(f);
    graph_build(f);
    frame(f);
    if (seed % 2)
        tidy(f);
    graph_build(f);
    assert_false(m->failed);
    return f;
}

/* Blocks that go on to any others, mostly later ones, by conditions of the lane or of the warp. */
static Func *random_graph(Module *m, u32 seed)
{
    Func *f = ir_func(m, "f", true);
    u32 random = seed * 2654435761u;
    const u32 n = 3 + random_below(&random, 20), callee = ir_sym(m, "g", SYM_EXTERN);
    for (u32 b = 0; b < n; b++)
        ir_block(f);
    const Ref by[] = {ref_val(ir_op(f, 0, IR_lane, ref_none(), ref_none(), ref_none(), 0)),
                      ref_val(ir_op(f, 0, IR_csr, ref_none(), ref_none(), ref_none(), 0))};
    for (u32 b = 0; b + 1 < n; b++) {
        u32 to[2];
        for (int k = 0; k < 2; k++) {
            const u32 later = b + 1 + random_below(&random, n - b - 1 < 4 ? n - b - 1 : 4);
            to[k] = random_below(&random, 6) || !b ? later : 1 + random_below(&random, b);
        }
        if (!random_below(&random, 12))
            ir_append(f, b, &(Ins){.op = IR_call, .a = {ref_sym(callee)}});
        if (random_below(&random, 4))
            ir_branch(f, b, CMP_eq, by[random_below(&random, 2)], ref_con(b), to[0], to[1], 0);
        else
            ir_jump(f, b, to[0]);
    }
    ir_ret(f, n - 1);
    graph_build(f);
    graph_open_loops(f);
    uniform(f);
    graph_build(f);
    assert_false(m->failed);
    return f;
}

static Func *some_function(Module *m, u32 seed)
{
    return seed % 3 ? random_graph(m, seed) : laid_out(m, seed / 3);
}

/* --- the order of blocks ---------------------------------------------------------------------- */

typedef struct {
    u32 *block, n;
} List;

static bool leaves(const Func *f, u32 b, u32 loop)
{
    for (int k = 0; k < term_nsucc(&f->block[b].term); k++)
        if (!graph_in_loop(f, f->block[b].term.succ[k], loop))
            return true;
    return false;
}

/* The blocks of the loop (NO_BLOCK: of the function) in reverse post-order, inner loops whole where
 * their header is. */
static void list_blocks(const Func *f, u32 loop, List *to)
{
    const u32 first = to->n;
    for (size_t i = 0; i < f->nrpo; i++) {
        const u32 b = f->rpo[i];
        u32 l = f->block[b].loop;
        if (loop != NO_BLOCK && !graph_in_loop(f, b, loop))
            continue;
        if (loop == NO_BLOCK && b == f->exit && f->nrpo > 1)
            continue;
        if (l == loop) {
            to->block[to->n++] = b;
            continue;
        }
        while (f->loops[l].parent != loop)
            l = f->loops[l].parent;
        if (f->loops[l].header == b)
            list_blocks(f, l, to);
    }
    if (loop == NO_BLOCK)
        return;
    /* a loop whose last block jumps back to its header is turned: the last of its own blocks that
     * leaves it comes last */
    const u32 n = to->n - first, *last = &to->block[to->n - 1];
    u32 *old = mem_alloc(n * sizeof *old), end = n;
    memcpy(old, to->block + first, n * sizeof *old);
    if (f->block[*last].term.kind != T_JUMP ||
        f->block[*last].term.succ[0] != f->loops[loop].header)
        end = 0;
    while (end && !(f->block[old[end - 1]].loop == loop && leaves(f, old[end - 1], loop)))
        end--;
    for (u32 k = 0; end && k < n; k++)
        to->block[first + k] = old[(end + k) % n];
    mem_free(old);
}

static void order_of_blocks(void **state)
{
    (void)state;
    u32 turned = 0;
    for (u32 seed = 1; seed <= 3 * PROGRAMS; seed++) {
        guard_few(seed, FEW);
        Module *m = ir_module("test", target_find(0));
        const Func *f = some_function(m, seed);
        List want = {.block = ir_alloc(m, f->nblock * sizeof(u32))};
        list_blocks(f, NO_BLOCK, &want);
        if (f->nrpo > 1)
            want.block[want.n++] = f->exit;
        const u32 *is = block_order(f);
        assert_int_equal(want.n, f->nrpo);
        for (u32 k = 0; k < want.n; k++) {
            if (is[k] != want.block[k])
                fail_msg("program %u: block %u at %u, not %u", seed, is[k], k, want.block[k]);
            turned += k && f->block[is[k]].rpo < f->block[is[k - 1]].rpo;
        }
        ir_free(m);
        guard_end();
    }
    assert_true(turned > PROGRAMS / 4);
}

/* --- the reconvergence pc --------------------------------------------------------------------- */

static bool calls(const Block *b)
{
    for (size_t i = 0; i < b->nins; i++)
        if (b->ins[i].op == IR_call)
            return true;
    return false;
}

static bool parts(const Block *b)
{
    return b->term.kind == T_BRANCH && b->term.divergent && b->term.succ[0] != b->term.succ[1];
}

/* The joins of all branches in a loop: the one there is, or NO_BLOCK; a call sets rpc to
 * anything. */
static u32 only_join(const Func *f, u32 loop)
{
    u32 join = NO_BLOCK;
    for (u32 b = 0; b < f->nblock; b++) {
        const Block *k = &f->block[b];
        if (!graph_in_loop(f, b, loop) || (!parts(k) && !calls(k)))
            continue;
        if (calls(k) || (join != NO_BLOCK && join != k->term.rpc))
            return NO_BLOCK;
        join = k->term.rpc;
    }
    return join;
}

static u32 only_entry(const Func *f, u32 loop)
{
    const Block *h = &f->block[f->loops[loop].header];
    u32 entry = NO_BLOCK, n = 0;
    for (size_t k = 0; k < h->npred; k++)
        if (!graph_in_loop(f, h->pred[k], loop))
            entry = h->pred[k], n++;
    return n == 1 ? entry : NO_BLOCK;
}

/* what is set if every branch sets it, and blocks before loops with one join do */
static void find_setters(const Func *f, u32 *set)
{
    for (u32 b = 0; b < f->nblock; b++)
        set[b] = parts(&f->block[b]) ? f->block[b].term.rpc : NO_BLOCK;
    for (u32 l = 0; l < f->nloops; l++) {
        const u32 before = only_entry(f, l), join = only_join(f, l);
        if (before != NO_BLOCK && join != NO_BLOCK && set[before] == NO_BLOCK)
            set[before] = join;
    }
}

/* Whether rpc names `join` where block b begins, on whatever way the warp came there: by an edge,
 * or sent by the join of a branch, from whose start on it has done nothing. */
static bool names_join(const Func *f, const u32 *set, u32 b, u32 join, bool *seen)
{
    bool ok = b != 0;
    if (seen[b])
        return true;
    seen[b] = true;
    for (size_t i = 0; i < f->nrpo && ok; i++) {
        const u32 from = f->rpo[i];
        const Block *k = &f->block[from];
        for (int s = 0; s < term_nsucc(&k->term) && ok; s++)
            if (k->term.succ[s] == b)
                ok = set[from] != NO_BLOCK ? set[from] == join
                                           : !calls(k) && names_join(f, set, from, join, seen);
        for (size_t s = 0; s < k->nother && ok; s++)
            if (k->other[s] == b)
                ok = names_join(f, set, from, join, seen);
    }
    return ok;
}

static void places_of_rpc(void **state)
{
    (void)state;
    u32 all = 0, left_out = 0;
    for (u32 seed = 1; seed <= 3 * PROGRAMS; seed++) {
        guard_few(seed, FEW);
        Module *m = ir_module("test", target_find(0));
        const Func *f = some_function(m, seed);
        const u32 *is = rpc_points(f);
        u32 *set = ir_alloc(m, f->nblock * sizeof *set);
        bool *seen = ir_alloc(m, f->nblock);
        find_setters(f, set);
        for (size_t i = 0; i < f->nrpo; i++) {
            const u32 b = f->rpo[i];
            memset(seen, 0, f->nblock);
            const bool is_vain =
                set[b] != NO_BLOCK && !calls(&f->block[b]) && names_join(f, set, b, set[b], seen);
            if (is[b] != (is_vain ? NO_BLOCK : set[b]))
                fail_msg("program %u, block %u: rpc is set to %u", seed, b, is[b]);
            all += set[b] != NO_BLOCK;
            left_out += is_vain;
        }
        ir_free(m);
        guard_end();
    }
    assert_true(left_out > all / 10);
}

/* --- terminators ------------------------------------------------------------------------------ */

static const struct {
    InsnId scalar, vector;
    Cmp cmp;
} branches[] = {
    {I_beq, I_vbeq, CMP_eq}, {I_bne, I_vbne, CMP_ne},    {I_blt, I_vblt, CMP_lt},
    {I_bge, I_vbge, CMP_ge}, {I_bltu, I_vbltu, CMP_ltu}, {I_bgeu, I_vbgeu, CMP_geu},
};

static Cmp condition_of(const Word *w, bool divergent)
{
    for (u32 k = 0; k < countof(branches); k++)
        if (w->in.id == (divergent ? branches[k].vector : branches[k].scalar))
            return branches[k].cmp;
    fail_msg("%s is no branch", isa_insn[w->in.id].text);
    return CMP_eq;
}

static i32 number_in_file(Ref r)
{
    return r.kind == R_CON ? 0 : (i32)(r.val < V0 ? r.val : r.val - V0);
}

/* words of a terminator: a jump, a branch, a branch and a jump */
static void check_terminator(const Func *f, const Block *b, u32 next, const Word *w, size_t n)
{
    const Term *t = &b->term;
    const bool branches_off = t->kind == T_BRANCH && t->succ[0] != t->succ[1];
    if (t->kind == T_RET) {
        assert_true(n == 1 && w->in.id == I_jalr && w->in.opd[0] == 0 && w->in.opd[2] == 1);
        return;
    }
    const u32 left = branches_off ? 1 : 0, jumps_to = n > left ? w[n - 1].to : next;
    assert_true(n <= left + 1);
    if (n > left) {
        assert_true(w[n - 1].in.id == I_jal && w[n - 1].fix == FIX_BLOCK &&
                    w[n - 1].in.opd[0] == 0);
        assert_int_not_equal(w[n - 1].to, next);
    }
    if (!branches_off) {
        assert_int_equal(jumps_to, t->succ[0]);
        return;
    }
    const bool turned = condition_of(w, t->divergent) != (Cmp)t->cmp;
    assert_int_equal(condition_of(w, t->divergent), turned ? t->cmp ^ 1 : t->cmp);
    assert_int_equal(w->fix, FIX_BLOCK);
    assert_int_equal(w->to, t->succ[turned]);
    assert_int_equal(jumps_to, t->succ[!turned]);
    assert_int_equal(w->in.opd[0], number_in_file(t->a[0]));
    assert_int_equal(w->in.opd[1], number_in_file(t->a[1]));
    if (n == 1)
        return;
    /* neither side follows: the jump is for the one that leaves the loop */
    assert_true(t->succ[0] != next && t->succ[1] != next);
    const bool stays[] = {b->loop != NO_BLOCK && graph_in_loop(f, t->succ[0], b->loop),
                          b->loop != NO_BLOCK && graph_in_loop(f, t->succ[1], b->loop)};
    assert_int_equal(turned, stays[1] && !stays[0]);
}

/* a join is the first word of a block */
static void check_words(const Func *f, const Code *c, u32 seed)
{
    const u32 *order = block_order(f), *rpc = rpc_points(f);
    for (size_t i = 0, k = 0; k < f->nrpo; k++) {
        const Block *b = &f->block[order[k]];
        size_t n = 0;
        assert_true(i < c->n && c->word[i].fix == FIX_LABEL && c->word[i].to == order[k]);
        while (++i < c->n && c->word[i].fix != FIX_LABEL)
            n++;
        const Word *first = &c->word[i - n], *last = &c->word[i];
        assert_int_equal(b->join, n && first->in.id == I_join);
        for (int j = 0; j < 3 && b->join; j++) /* join v0, v0, 0 */
            assert_int_equal(first->in.opd[j], 0);
        const Word *term = last;
        while (term > first && term[-1].fix == FIX_BLOCK)
            term--;
        term -= b->term.kind == T_RET;
        const bool sets = term - first >= 2 && term[-1].in.id == I_setrpc;
        if (sets != (rpc[order[k]] != NO_BLOCK))
            fail_msg("program %u, block %u: rpc", seed, order[k]);
        if (sets) {
            assert_true(term[-2].in.id == I_auipc && term[-2].fix == FIX_BLOCK_HI);
            assert_true(term[-2].to == rpc[order[k]] && term[-1].to == rpc[order[k]]);
            assert_int_equal(term[-1].fix, FIX_BLOCK_LO);
        }
        check_terminator(f, b, k + 1 < f->nrpo ? order[k + 1] : NO_BLOCK, term,
                         (size_t)(last - term));
    }
}

static void words_of_terminators(void **state)
{
    (void)state;
    for (u32 seed = 1; seed <= PROGRAMS; seed++) {
        guard_few(seed, FEW);
        Module *m = ir_module("test", target_find(0));
        const Func *f = laid_out(m, seed);
        Code c = {.f = f};
        expand(&c);
        assert_false(m->failed);
        check_words(f, &c, seed);
        ir_free(m);
        guard_end();
    }
}

/* The end of two loops that share it, whichever of them its branch chooses: neither head follows it. */
static void words_of_shared_ends(void **state)
{
    (void)state;
    enum { ENTRY, OUTER, INNER, LATCH, END, BLOCKS };
    for (u32 turn = 0; turn < 2; turn++) {
        Module *m = ir_module("test", target_find(0));
        Func *f = ir_func(m, "f", true);
        for (u32 b = 0; b < BLOCKS; b++)
            ir_block(f);
        ir_jump(f, ENTRY, OUTER);
        ir_jump(f, OUTER, INNER);
        ir_branch(f, INNER, CMP_lt, ref_reg(7), ref_reg(9), LATCH, END, 0);
        ir_branch(f, LATCH, CMP_ltu, ref_reg(7), ref_reg(9), turn ? OUTER : INNER,
                  turn ? INNER : OUTER, 0);
        ir_ret(f, END);
        graph_build(f);
        assert_true(f->block[LATCH].loop == f->block[INNER].loop &&
                    f->block[LATCH].loop != f->block[OUTER].loop);
        Code c = {.f = f};
        expand(&c);
        assert_false(m->failed);
        check_words(f, &c, turn);
        ir_free(m);
    }
}

/* --- tidying ---------------------------------------------------------------------------------- */

static void put(Func *f, u32 b, u32 op, u32 reg, Ref a)
{
    ir_append(f, b, &(Ins){.op = (u16)op, .reg = reg + 1, .a = {a}});
}

/* In every block what a register holds already is not put there again; jumps pass empty blocks. */
static void nothing_in_vain(void **state)
{
    (void)state;
    enum { ENTRY, EMPTY, NOTHING, SIDE, CODE, JOIN, END, BLOCKS };
    Module *m = ir_module("test", target_find(0));
    Func *f = ir_func(m, "f", true);
    for (u32 b = 0; b < BLOCKS; b++) {
        ir_block(f);
        if (b == EMPTY || b == NOTHING || b == JOIN || b == SIDE)
            continue;
        put(f, b, IR_li, 7, ref_con(3));
        put(f, b, IR_move, 9, ref_reg(7));
        put(f, b, IR_li, 7, ref_con(3));   /* in vain */
        put(f, b, IR_li, 9, ref_con(3));   /* in vain */
        put(f, b, IR_move, 7, ref_reg(9)); /* in vain */
        put(f, b, IR_move, V0 + 1, ref_reg(V0 + 2));
        put(f, b, IR_move, V0 + 2, ref_reg(V0 + 1)); /* in vain */
        put(f, b, IR_li, 7, ref_con(4));
        put(f, b, IR_move, V0 + 2, ref_reg(7));
        put(f, b, IR_move, V0 + 1, ref_reg(V0 + 2));
        put(f, b, IR_li, 7, ref_con(3));
    }
    ir_branch(f, ENTRY, CMP_eq, ref_reg(7), ref_reg(9), EMPTY, SIDE, 0);
    ir_jump(f, EMPTY, NOTHING);
    ir_jump(f, NOTHING, CODE);
    ir_branch(f, SIDE, CMP_eq, ref_reg(V0 + 1), ref_reg(V0 + 2), CODE, JOIN, 0);
    ir_jump(f, CODE, JOIN);
    ir_jump(f, JOIN, END);
    ir_ret(f, END);
    f->block[SIDE].term.divergent = true;
    f->block[SIDE].term.rpc = JOIN;
    f->block[JOIN].join = true;
    graph_build(f);
    tidy(f);
    for (u32 b = 0; b < BLOCKS; b++)
        if (b == ENTRY || b == CODE || b == END)
            assert_int_equal(f->block[b].nins, 7);
    assert_int_equal(f->block[ENTRY].term.succ[0], CODE);
    assert_int_equal(f->block[ENTRY].term.succ[1], SIDE);
    assert_int_equal(f->block[CODE].term.succ[0], JOIN); /* lanes meet there, though it is empty */
    ir_free(m);
}

/* A branch both of whose sides lead to one block is a jump; a cycle of empty blocks stays. */
static void passages(void **state)
{
    (void)state;
    enum { ENTRY, LEFT, RIGHT, THERE, ROUND, BACK, END, BLOCKS };
    Module *m = ir_module("test", target_find(0));
    Func *f = ir_func(m, "f", true);
    for (u32 b = 0; b < BLOCKS; b++)
        ir_block(f);
    ir_branch(f, ENTRY, CMP_eq, ref_reg(7), ref_reg(9), LEFT, RIGHT, 0);
    ir_jump(f, LEFT, THERE);
    ir_jump(f, RIGHT, THERE);
    put(f, THERE, IR_li, 7, ref_con(3));
    ir_branch(f, THERE, CMP_eq, ref_reg(7), ref_reg(9), ROUND, END, 0);
    ir_jump(f, ROUND, BACK);
    ir_jump(f, BACK, ROUND);
    ir_ret(f, END);
    graph_build(f);
    tidy(f);
    assert_int_equal(f->block[ENTRY].term.kind, T_JUMP);
    assert_int_equal(f->block[ENTRY].term.succ[0], THERE);
    assert_int_equal(f->block[THERE].term.kind, T_BRANCH);
    assert_int_equal(f->block[THERE].term.succ[0], ROUND);
    assert_int_equal(f->block[THERE].term.succ[1], END);
    ir_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_blocks),      cmocka_unit_test(places_of_rpc),
        cmocka_unit_test(words_of_terminators), cmocka_unit_test(words_of_shared_ends),
        cmocka_unit_test(nothing_in_vain),      cmocka_unit_test(passages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
