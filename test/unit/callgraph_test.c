/* callgraph_test.c -- the order of functions and their shares of the scalar stack in random
 * modules, against their definitions: who reaches whom by calls. */
#include "cc/cc.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { FUNCTIONS = 8, MODULES = 400 };

static u32 random_below(u32 *state, u32 n)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % n;
}

static bool calls[FUNCTIONS][FUNCTIONS], leads[FUNCTIONS][FUNCTIONS]; /* by one call, by some */

static void add_call(Func *f, u32 b, u32 symbol)
{
    ir_append(f, b, &(Ins){.op = IR_call, .a = {ref_sym(symbol)}});
}

/* With `cycles` a function may call any, else one with a lower number in `rank`. */
static Module *random_module(u32 *state, bool cycles)
{
    Module *m = ir_module("m", target_find(0));
    u32 rank[FUNCTIONS];
    char name[] = "f0";
    for (u32 k = 0; k < FUNCTIONS; k++, name[1]++) {
        Func *f = ir_func(m, name, random_below(state, 2));
        rank[k] = random_below(state, 1000);
        for (u32 b = 0; b < 3; b++)
            ir_block(f);
        ir_jump(f, 0, 1);
        ir_jump(f, 1, 2);
        ir_ret(f, 2);
        for (u32 to = 0; to < FUNCTIONS; to++)
            calls[k][to] = false;
    }
    const u32 unknown = ir_sym(m, "unknown", SYM_EXTERN);
    for (u32 n = random_below(state, 16); n > 0; n--) {
        const u32 k = random_below(state, FUNCTIONS), to = random_below(state, FUNCTIONS),
                  b = random_below(state, 3);
        if (random_below(state, 2))
            ir_append(m->func[k], b, &(Ins){.op = IR_fence});
        if (!random_below(state, 4)) { /* what calls none of them */
            add_call(m->func[k], b, unknown);
            ir_append(m->func[k], b, &(Ins){.op = IR_call, .a = {ref_con(to)}});
            ir_append(m->func[k], b, &(Ins){.op = IR_arg, .a = {ref_sym(m->func[to]->symbol)}});
        }
        if (!cycles && rank[to] >= rank[k])
            continue;
        calls[k][to] = true;
        add_call(m->func[k], b, m->func[to]->symbol);
    }
    return m;
}

static void find_chains(void)
{
    memcpy(leads, calls, sizeof leads);
    for (u32 by = 0; by < FUNCTIONS; by++)
        for (u32 a = 0; a < FUNCTIONS; a++)
            for (u32 b = 0; b < FUNCTIONS; b++)
                leads[a][b] |= leads[a][by] && leads[by][b];
}

/* a function of a cycle, or one that leads to one */
static bool has_no_end(u32 k)
{
    bool found = leads[k][k];
    for (u32 to = 0; to < FUNCTIONS; to++)
        found |= leads[k][to] && leads[to][to];
    return found;
}

static u32 longest_chain_to(u32 k)
{
    u32 most = 0;
    for (u32 by = 0; by < FUNCTIONS; by++)
        if (calls[by][k]) {
            const u32 n = longest_chain_to(by) + 1;
            most = most > n ? most : n;
        }
    return most;
}

static void check_order(const u32 *order)
{
    u32 at[FUNCTIONS], seen = 0;
    for (u32 i = 0; i < FUNCTIONS; i++) {
        assert_true(order[i] < FUNCTIONS);
        at[order[i]] = i;
        seen |= 1u << order[i];
    }
    assert_int_equal(seen, (1u << FUNCTIONS) - 1);
    for (u32 a = 0; a < FUNCTIONS; a++)
        for (u32 b = 0; b < FUNCTIONS; b++)
            if (has_no_end(a) ? !has_no_end(b) : calls[a][b])
                assert_true(at[b] < at[a]);
}

/* Each gets an equal part of what the largest of its callees leaves, with those above it. */
static void check_shares(Module *m, const u32 *order, u32 *state)
{
    for (u32 i = 0; i < FUNCTIONS; i++) {
        Func *f = m->func[order[i]];
        u32 callees = 0;
        for (u32 to = 0; to < FUNCTIONS; to++)
            if (calls[order[i]][to] && m->func[to]->stack_scalar > callees)
                callees = m->func[to]->stack_scalar;
        assert_int_equal(f->callers, longest_chain_to(order[i]));
        share_scalar_stack(f);
        assert_int_equal(f->stack_scalar, callees);
        assert_int_equal(f->scalar_room,
                         callees < WARP_STACK ? (WARP_STACK - callees) / (1 + f->callers) : 0);
        f->stack_scalar += 4 * random_below(state, 150); /* its own frame, sometimes too large */
    }
}

static void orders_and_shares(void **state)
{
    u32 seed = 1, full = 0;
    (void)state;
    for (u32 k = 0; k < MODULES; k++) {
        const bool cycles = k % 4 == 3;
        Module *m = random_module(&seed, cycles);
        const u32 *order = call_order(m);
        assert_non_null(order);
        find_chains();
        check_order(order);
        if (!cycles)
            check_shares(m, order, &seed);
        for (u32 f = 0; f < FUNCTIONS; f++)
            full += !m->func[f]->scalar_room;
        ir_free(m);
    }
    assert_in_range(full, 1, MODULES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_and_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
