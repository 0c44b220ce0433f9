/* What is one for the warp and what is not, by shapes of graphs; and on random graphs, that
 * a warp with scalars computes what its lanes compute alone. */
#include "irtexts.h"

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
#define START "b0:\n %1 = lane\n %2 = csr #0x803\n"

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

/* both sides go back to the header, where all meet: a block of its own for that */
static void test_join_at_a_header(void **state)
{
    (void)state;
    expect(
        START
        " jump b1\nb1:\n %3 = phi b0 0, b3 %4, b4 %4\n %4 = add %3, 1\n"
        " br lt %4, %2 -> b2, b5\nb2:\n br lt %1, %4 -> b3, b4\n"
        "b3:\n store word global %3, [%2]\n jump b1\nb4:\n store word global %4, [%2]\n jump b1\n"
        "b5:\n ret\n",
        "vxxx", "phi b0 0, b6\n -> b3, b4 join b6\nglobal %3\nglobal %4\nb6: join\n");
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

/* a circle with two entries: whatever is computed in it and left behind is a vector */
static void test_irreducible(void **state)
{
    (void)state;
    expect(START " br lt %2, 3 -> b1, b2\n"
                 "b1:\n %3 = phi b0 0, b2 %4\n %5 = add %3, 1\n br lt %5, %1 -> b2, b3\n"
                 "b2:\n %4 = phi b0 9, b1 %5\n br lt %4, %2 -> b1, b3\n"
                 "b3:\n %6 = phi b1 %5, b2 %4\n ret\n",
           "vxxxxv", "vbr lt %5, %1 -> b2, b3 join b3\nb3: join");
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
        cmocka_unit_test(test_chain_of_cases),
        cmocka_unit_test(test_common_block_before_the_join),
        cmocka_unit_test(test_stale_condition),
        cmocka_unit_test(test_endless_loop),
        cmocka_unit_test(test_irreducible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
