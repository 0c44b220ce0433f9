/* Where lanes that part in a loop meet, by shapes of graphs (uniform_test.c: on random ones, that
 * lanes compute the same). */
#include "test/kit/irtexts.h"

/* %1 is the lane, %2 a number that is one for the warp; the rest is the shape's. */
#define START "b0:\n %1 = lane\n %2 = csr #0x804\n jump b1\n"

static Func *met(const char *body)
{
    Func *f = kernel_of(body);
    meet_in_loops(f);
    assert_false(f->module->failed);
    Buf why = {0};
    if (!ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s", buf_text(&why));
    uniform(f);
    return f;
}

static void expect(const char *body, const char *lines)
{
    Func *f = met(body);
    expect_lines(f, lines);
    ir_free(f->module);
}

/* the pass leaves the function as it is */
static void expect_nothing(const char *body)
{
    Buf before = {0}, after = {0};
    Func *f = kernel_of(body);
    ir_print(&before, f);
    meet_in_loops(f);
    ir_print(&after, f);
    assert_string_equal(buf_text(&before), buf_text(&after));
    buf_free(&before);
    buf_free(&after);
    ir_free(f->module);
}

/* b1 parts lanes, b3 and b4 may leave, b4 comes after both sides */
#define BREAK_IN_ELSE                                                                              \
    "b1:\n %3 = phi b0 %1, b4 %5\n %4 = and %3, 1\n br eq %4, 0 -> b2, b3\n"                       \
    "b2:\n store word global 1, [%2]\n jump b4\n"                                                  \
    "b3:\n %6 = add %3, 7\n br lt %3, 9 -> b5, b4\n"                                               \
    "b4:\n %5 = sub %3, 1\n store word global 2, [%2]\n br lt %5, 0 -> b5, b1\n"

static void test_before_what_follows(void **state)
{
    (void)state;
    expect(START BREAK_IN_ELSE "b5:\n ret\n", "-> b2, b3 join b8\n"
                                              "b2:\njump b8\n"
                                              "vbr lt %3, 9 -> b6, b7 join b8\n"
                                              "b6:\n jump b8\nb7:\n jump b8\n"
                                              "b8: join\n%7:v = phi b2 %8, b6 1, b7 %8\n"
                                              "vbr ne %7, 0 -> b5, b4 join b5\n");
}

static void test_value_behind_the_loop(void **state)
{
    (void)state;
    expect(START BREAK_IN_ELSE "b5:\n %7 = phi b3 %6, b4 %5\n store word global %7, [%2]\n ret\n",
           "phi b0 0, b4 %8\nphi b0 0, b4 %10\n"
           "b5: join\n%7:v = phi b4 %5, b8 %10\n"
           "b8: join\n%8:v = phi b2 %9, b6 1, b7 %9\n%10:v = phi b2 %11, b6 %6, b7 %11\n");
}

static void test_two_ways_out(void **state)
{
    (void)state;
    expect(START "b1:\n %3 = phi b0 %1, b4 %5\n %4 = and %3, 1\n br eq %4, 0 -> b2, b3\n"
                 "b2:\n br lt %3, 8 -> b6, b4\n"
                 "b3:\n br lt %3, 9 -> b5, b4\n"
                 "b4:\n %5 = sub %3, 1\n store word global 2, [%2]\n br lt %5, 0 -> b5, b1\n"
                 "b5:\n store word global 5, [%2]\n jump b6\n"
                 "b6:\n %6 = phi b2 1, b5 2\n store word global %6, [%2]\n ret\n",
           "vbr lt %3, 8\nvbr lt %3, 9\nphi\n, 0 -> b12, b4 join b6\nvbr eq\nb5, b6 join b6\n");
}

/* in the latch, where the sides have nothing in common */
static void test_sides_that_go_back(void **state)
{
    (void)state;
    expect(START "b1:\n %3 = phi b0 %1, b2 %5, b3 %6\n %4 = and %3, 1\n br eq %4, 0 -> b2, b3\n"
                 "b2:\n %5 = sub %3, 3\n br lt %3, 3 -> b5, b1\n"
                 "b3:\n %6 = sub %3, 1\n br lt %3, 9 -> b5, b1\n"
                 "b5:\n ret\n",
           "join b10\nb10: join\nvbr ne\nb5, b1 join b5\n");
}

/* The whole of it, from the loop on: sides, the edges that leave, the meeting with its flag, which
 * stays the header's in lanes that go on, and where lanes go from it. */
static void expect_whole(const char *body, const char *want)
{
    Func *f = kernel_of(body);
    Buf text = {0};
    meet_in_loops(f);
    ir_print(&text, f);
    const char *loop = strstr(buf_text(&text), "b1:\n");
    assert_non_null(loop);
    assert_string_equal(loop, want);
    buf_free(&text);
    ir_free(f->module);
}

static void test_whole_graphs(void **state)
{
    (void)state;
    /* one way out, taken on a side */
    expect_whole(START BREAK_IN_ELSE "b5:\n ret\n",
           "b1:\n"
           "    %3 = phi b0 %1, b4 %5\n"
           "    %8 = phi b0 0, b4 %7\n"
           "    %4 = and %3, 1\n"
           "    br eq %4, 0 -> b2, b3\n"
           "b2:\n"
           "    store word global 1, [%2]\n"
           "    jump b8\n"
           "b3:\n"
           "    %6 = add %3, 7\n"
           "    br lt %3, 9 -> b6, b7\n"
           "b4:\n"
           "    %5 = sub %3, 1\n"
           "    store word global 2, [%2]\n"
           "    br lt %5, 0 -> b5, b1\n"
           "b5:\n"
           "    ret\n"
           "b6:\n"
           "    jump b8\n"
           "b7:\n"
           "    jump b8\n"
           "b8:\n"
           "    %7 = phi b2 %8, b6 1, b7 %8\n"
           "    br ne %7, 0 -> b5, b4\n"
           "}\n");
    /* a value of the side that is read behind the loop */
    expect_whole(START BREAK_IN_ELSE
                 "b5:\n %7 = phi b3 %6, b4 %5\n store word global %7, [%2]\n ret\n",
           "b1:\n"
           "    %3 = phi b0 %1, b4 %5\n"
           "    %9 = phi b0 0, b4 %8\n"
           "    %11 = phi b0 0, b4 %10\n"
           "    %4 = and %3, 1\n"
           "    br eq %4, 0 -> b2, b3\n"
           "b2:\n"
           "    store word global 1, [%2]\n"
           "    jump b8\n"
           "b3:\n"
           "    %6 = add %3, 7\n"
           "    br lt %3, 9 -> b6, b7\n"
           "b4:\n"
           "    %5 = sub %3, 1\n"
           "    store word global 2, [%2]\n"
           "    br lt %5, 0 -> b5, b1\n"
           "b5:\n"
           "    %7 = phi b4 %5, b8 %10\n"
           "    store word global %7, [%2]\n"
           "    ret\n"
           "b6:\n"
           "    jump b8\n"
           "b7:\n"
           "    jump b8\n"
           "b8:\n"
           "    %8 = phi b2 %9, b6 1, b7 %9\n"
           "    %10 = phi b2 %11, b6 %6, b7 %11\n"
           "    br ne %8, 0 -> b5, b4\n"
           "}\n");
    /* two ways out: 1 is the flag of the first that is found, 2 of the other */
    expect_whole(START "b1:\n %3 = phi b0 %1, b4 %5\n %4 = and %3, 1\n br eq %4, 0 -> b2, b3\n"
                       "b2:\n br lt %3, 8 -> b6, b4\n"
                       "b3:\n br lt %3, 9 -> b5, b4\n"
                       "b4:\n %5 = sub %3, 1\n store word global 2, [%2]\n br lt %5, 0 -> b5, b1\n"
                       "b5:\n store word global 5, [%2]\n jump b6\n"
                       "b6:\n %6 = phi b2 1, b5 2\n store word global %6, [%2]\n ret\n",
           "b1:\n"
           "    %3 = phi b0 %1, b4 %5\n"
           "    %8 = phi b0 0, b4 %7\n"
           "    %4 = and %3, 1\n"
           "    br eq %4, 0 -> b2, b3\n"
           "b2:\n"
           "    br lt %3, 8 -> b9, b10\n"
           "b3:\n"
           "    br lt %3, 9 -> b7, b8\n"
           "b4:\n"
           "    %5 = sub %3, 1\n"
           "    store word global 2, [%2]\n"
           "    br lt %5, 0 -> b5, b1\n"
           "b5:\n"
           "    store word global 5, [%2]\n"
           "    jump b6\n"
           "b6:\n"
           "    %6 = phi b5 2, b12 1\n"
           "    store word global %6, [%2]\n"
           "    ret\n"
           "b7:\n"
           "    jump b11\n"
           "b8:\n"
           "    jump b11\n"
           "b9:\n"
           "    jump b11\n"
           "b10:\n"
           "    jump b11\n"
           "b11:\n"
           "    %7 = phi b7 1, b8 %8, b9 2, b10 %8\n"
           "    br ne %7, 0 -> b12, b4\n"
           "b12:\n"
           "    br eq %7, 1 -> b5, b6\n"
           "}\n");
}

static void test_nothing_to_gain(void **state)
{
    (void)state;
    /* only the header leaves */
    expect_nothing(START "b1:\n %3 = phi b0 %1, b4 %5\n br lt %3, 0 -> b5, b2\n"
                         "b2:\n %4 = and %3, 1\n br eq %4, 0 -> b3, b4\n"
                         "b3:\n store word global 1, [%2]\n jump b4\n"
                         "b4:\n %5 = sub %3, 1\n jump b1\nb5:\n ret\n");
    /* all lanes take the same side */
    expect_nothing(START "b1:\n %3 = phi b0 %1, b4 %5\n br eq %2, 0 -> b2, b3\n"
                         "b2:\n store word global 1, [%2]\n jump b4\n"
                         "b3:\n br lt %3, 9 -> b5, b4\n"
                         "b4:\n %5 = sub %3, 1\n jump b1\nb5:\n ret\n");
    /* the sides meet in b3, whichever round they come there */
    expect_nothing(START "b1:\n %3 = phi b0 %1, b2 %5, b3 %5\n %5 = sub %3, 1\n %4 = and %3, 1\n"
                         " br eq %4, 0 -> b2, b3\n"
                         "b2:\n store word global 1, [%2]\n jump b1\n"
                         "b3:\n br lt %3, 9 -> b5, b1\nb5:\n ret\n");
    /* the branch that parts lanes is the one that leaves */
    expect_nothing(START "b1:\n %3 = phi b0 %1, b2 %5\n br lt %3, 4 -> b5, b2\n"
                         "b2:\n %5 = sub %3, 1\n br lt %5, 9 -> b1, b5\nb5:\n ret\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_before_what_follows), cmocka_unit_test(test_value_behind_the_loop),
        cmocka_unit_test(test_two_ways_out),        cmocka_unit_test(test_sides_that_go_back),
        cmocka_unit_test(test_whole_graphs),
        cmocka_unit_test(test_nothing_to_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
