/* graph_test.c -- dominators, post-dominators and loops of random graphs against their
 * definitions: a dominates b when b cannot be reached without a. */
#include "base/mem.h"
#include "cc/ir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { BLOCKS = 12, GRAPHS = 3000 };

static u32 random_below(u32 *state, u32 n)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % n;
}

/* block 0 is the entry, the last one the exit; no edge enters 0 */
static Func *random_graph(Module *m, u32 *state)
{
    Func *f = ir_func(m, "f", true);
    const u32 n = 3 + random_below(state, BLOCKS - 2);
    for (u32 b = 0; b < n; b++)
        assert_int_equal(ir_block(f), b);
    for (u32 b = 0; b + 1 < n; b++) {
        const u32 s = 1 + random_below(state, n - 1), t = 1 + random_below(state, n - 1);
        if (random_below(state, 3))
            ir_branch(f, b, CMP_eq, ref_con(0), ref_con(1), s, t, 0);
        else
            ir_jump(f, b, s);
    }
    ir_ret(f, n - 1);
    graph_build(f);
    assert_false(m->failed);
    return f;
}

/* blocks reachable from `from` without entering `without` */
static u32 reach(const Func *f, u32 from, u32 without)
{
    u32 seen = from == without ? 0 : 1u << from;
    for (u32 old = 0; old != seen;) {
        old = seen;
        for (u32 b = 0; b < f->nblock; b++) {
            const Term *t = &f->block[b].term;
            if (!(seen >> b & 1) || (t->kind != T_JUMP && t->kind != T_BRANCH))
                continue;
            for (int k = 0; k < 2; k++)
                if (t->succ[k] != without)
                    seen |= 1u << t->succ[k];
        }
    }
    return seen;
}

static void check_dominators(const Func *f)
{
    const u32 all = reach(f, 0, UINT32_MAX);
    for (u32 a = 0; a < f->nblock; a++)
        for (u32 b = 0; b < f->nblock; b++)
            if (all >> a & all >> b & 1)
                assert_int_equal(graph_dominates(f, a, b), !(reach(f, 0, a) >> b & 1));
}

/* the immediate one is dominated by all others */
static void check_post_dominators(const Func *f)
{
    const u32 all = reach(f, 0, UINT32_MAX), exit = f->exit;
    for (u32 b = 0; b < f->nblock; b++)
        assert_true(!(all >> b & 1) || reach(f, b, UINT32_MAX) >> exit & 1);
    for (u32 b = 0; b < f->nblock; b++) {
        if (!(all >> b & 1) || b == exit)
            continue;
        const u32 p = f->block[b].ipdom;
        assert_false(reach(f, b, p) >> exit & 1);
        for (u32 c = 0; c < f->nblock; c++) /* another one lies after it */
            if ((all >> c & 1) && c != b && c != p && !(reach(f, b, c) >> exit & 1))
                assert_false(reach(f, p, c) >> exit & 1);
    }
}

static void check_loops(const Func *f)
{
    for (u32 l = 0; l < f->nloops; l++)
        for (size_t i = 0; i < f->nrpo; i++) {
            const u32 b = f->rpo[i], h = f->loops[l].header;
            bool inside = b == h;
            for (size_t k = 0; k < f->block[h].npred; k++) { /* reaches a latch without h */
                const u32 latch = f->block[h].pred[k];
                if (graph_dominates(f, h, latch) && graph_dominates(f, h, b))
                    inside |= reach(f, b, h) >> latch & 1;
            }
            assert_int_equal(graph_in_loop(f, b, l), inside);
        }
}

/* Loops that end keep their blocks; one without an end gets one more, after its header. */
static void check_opened(const Func *before, const Func *after)
{
    const u32 all = reach(before, 0, UINT32_MAX);
    u32 endless = 0;
    for (u32 b = 0; b < before->nblock; b++)
        endless += (all >> b & 1) && !(reach(before, b, UINT32_MAX) >> before->exit & 1);
    assert_int_equal(after->nblock > before->nblock, endless != 0);
    for (u32 b = 0; b < before->nblock; b++)
        if ((all >> b & 1) && reach(before, b, UINT32_MAX) >> before->exit & 1)
            assert_int_equal(after->block[b].term.kind, before->block[b].term.kind);
}

static void definitions(void **state)
{
    (void)state;
    u32 seed = 1, again = 1;
    for (int i = 0; i < GRAPHS; i++) {
        Module *m = ir_module("random", target_find(0));
        const Func *before = random_graph(m, &again);
        Func *f = random_graph(m, &seed);
        graph_open_loops(f);
        check_opened(before, f);
        check_dominators(f);
        check_post_dominators(f);
        check_loops(f);
        ir_free(m);
    }
}

/* b1 loops for ever: its branches still have a post-dominator, and another one when it is opened:
 * where its lanes meet */
static void endless(void **state)
{
    (void)state;
    Module *m = ir_module("endless", target_find(0));
    Func *f = ir_func(m, "f", true);
    for (int b = 0; b < 4; b++)
        ir_block(f);
    ir_jump(f, 0, 1);
    ir_branch(f, 1, CMP_eq, ref_con(0), ref_con(1), 2, 1, 0);
    ir_jump(f, 2, 1);
    ir_ret(f, 3);
    graph_build(f);
    assert_int_equal(f->rpo[f->nrpo - 1], 3);
    for (u32 b = 0; b < 3; b++)
        assert_int_not_equal(f->block[b].ipdom, UINT32_MAX);
    graph_open_loops(f);
    assert_int_equal(f->nblock, 5);
    assert_int_equal(f->block[4].term.kind, T_BRANCH);
    assert_int_equal(f->block[4].ipdom, 1);
    assert_int_equal(f->block[2].ipdom, 1);
    ir_free(m);
}

/* arguments of phis follow their edges when others go or are split */
static void phis(void **state)
{
    (void)state;
    Module *m = ir_module("phis", target_find(0));
    Func *f = ir_func(m, "f", true);
    for (int b = 0; b < 4; b++)
        ir_block(f);
    ir_branch(f, 0, CMP_eq, ref_con(0), ref_con(1), 1, 3, 0);
    ir_branch(f, 1, CMP_eq, ref_con(0), ref_con(1), 2, 3, 0);
    ir_jump(f, 2, 3);
    ir_ret(f, 3);
    graph_build(f);
    Phi *p = ir_phi(f, 3, ir_value(f));
    assert_int_equal(f->block[3].npred, 3);
    for (u32 k = 0; k < 3; k++)
        p->arg[k] = ref_con(100 + f->block[3].pred[k]);

    const u32 new = graph_split_edge(f, 0, 1);
    graph_build(f);
    for (u32 k = 0; k < 3; k++) {
        const u32 from = f->block[3].pred[k];
        assert_int_equal(f->block[3].phi[0].arg[k].val, 100 + (from == new ? 0 : from));
    }
    ir_jump(f, 1, 2);
    graph_build(f);
    assert_int_equal(f->block[3].npred, 2);
    for (u32 k = 0; k < 2; k++) {
        const u32 from = f->block[3].pred[k];
        assert_int_equal(f->block[3].phi[0].arg[k].val, 100 + (from == new ? 0 : from));
    }
    ir_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions),
        cmocka_unit_test(endless),
        cmocka_unit_test(phis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
