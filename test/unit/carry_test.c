/* Sums of two values that a loop carries. */
#include "test/kit/irtexts.h"

static Func *carried(const char *body)
{
    Func *f = kernel_of(body);
    Buf why = {0};
    carry(f);
    graph_build(f);
    if (f->module->failed || !ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s", buf_text(&why));
    fold(f); /* takes away what is not needed any more, and numbers values anew */
    return f;
}

/* %10 counts, %11 and %12 are carried; `inner` ends with b3, which goes on with %20 and %21. */
#define LOOP(inner, end)                                                                           \
    "b0:\n %1 = lane\n %2 = csr #0x804\n %3 = csr #0x805\n jump b1\n"                              \
    "b1:\n %10 = phi b0 0, b3 %23\n %11 = phi b0 %2, b3 %20\n %12 = phi b0 %3, b3 %21\n" inner end \
    " %23 = add %10, 1\n br lt %23, 9 -> b1, b4\nb4:\n ret\n"

#define READ_AGAIN                                                                                 \
    " %13 = load word global [%1]\n br eq %13, 0 -> b2, b3\n"                                      \
    "b2:\n %14 = load word global [%1 + 4]\n %15 = load word global [%1 + 8]\n jump b3\n"          \
    "b3:\n %20 = phi b1 %11, b2 %14\n %21 = phi b1 %12, b2 %15\n"

#define STORE_SUM " %22 = add %20, %21\n store word global %22, [%1 + 12]\n"

static void test_sum_is_carried(void **state)
{
    (void)state;
    Func *f = carried(LOOP(READ_AGAIN, STORE_SUM));
    expect_lines(f, "jump b1\nb1:\nload word global [%1]\nb2:\nload word global [%1 + 4]\n"
                    "load word global [%1 + 8]\n = add\njump b3\nb3:\n = phi\nstore word global");
    assert_int_equal(f->block[1].nphi, 2);
    assert_int_equal(f->block[3].nphi, 1);
    assert_int_equal(f->block[3].nins, 2);
    ir_free(f->module);
}

/* What is not added stays in order: x - y is not y - x. */
static void test_differences(void **state)
{
    (void)state;
    Func *f = carried(LOOP(READ_AGAIN, " %22 = sub %21, %20\n store word global %22, [%1 + 12]\n"));
    expect_lines(f, "= sub %3, %2\nb1:\nb2:\n%6 = load\n%7 = load\n= sub %7, %6\njump b3\n");
    ir_free(f->module);
}

static void expect_unchanged(const char *body)
{
    Func *f = carried(body);
    assert_true(f->block[1].nphi > 2);
    expect_lines(f, "b3:\n = phi\n = phi\n = add ");
    ir_free(f->module);
}

static void test_others_stay(void **state)
{
    (void)state;
    /* a term that something else reads, in the loop and after it */
    expect_unchanged(LOOP(READ_AGAIN, STORE_SUM " store word global %20, [%1 + 16]\n"));
    expect_unchanged("b0:\n %1 = lane\n %2 = csr #0x804\n %3 = csr #0x805\n jump b1\n"
                     "b1:\n %10 = phi b0 0, b3 %23\n %11 = phi b0 %2, b3 %20\n"
                     " %12 = phi b0 %3, b3 %21\n" READ_AGAIN STORE_SUM
                     " %23 = add %10, 1\n br lt %23, 9 -> b1, b4\n"
                     "b4:\n store word global %21, [%1 + 16]\n ret\n");
    /* a term that the operation of a part needs by itself */
    expect_unchanged(LOOP(" %13 = load word global [%1]\n br eq %13, 0 -> b2, b3\n"
                          "b2:\n %14 = load word global [%1 + 4]\n jump b3\n"
                          "b3:\n %20 = phi b1 %11, b2 %14\n %21 = phi b1 %12, b2 %11\n",
                          STORE_SUM));
    /* both change on two ways, which lanes may go one after the other */
    expect_unchanged(LOOP(" %13 = load word global [%1]\n br eq %13, 0 -> b2, b5\n"
                          "b2:\n %14 = load word global [%1 + 4]\n"
                          " %15 = load word global [%1 + 8]\n jump b3\n"
                          "b5:\n br eq %13, 1 -> b6, b3\n"
                          "b6:\n %16 = load word global [%1 + 12]\n"
                          " %17 = load word global [%1 + 16]\n jump b3\n"
                          "b3:\n %20 = phi b2 %14, b5 %11, b6 %16\n"
                          " %21 = phi b2 %15, b5 %12, b6 %17\n",
                          STORE_SUM));
}

/* The terms change below so many conditions, each with a pair of phis behind it, and one pair more
 * is at the start of the loop: of at most eight pairs the sum is carried. */
static void test_bounds(void **state)
{
    enum { MOST_PAIRS = 8 };
    (void)state;
    for (u32 deep = 1; deep < MOST_PAIRS + 2; deep++) {
        Buf b = {0};
        buf_printf(&b, "b0:\n %%1 = lane\n %%2 = csr #0x804\n %%3 = csr #0x805\n jump b1\n"
                       "b1:\n %%10 = phi b0 0, b51 %%5\n %%11 = phi b0 %%2, b51 %%101\n"
                       " %%12 = phi b0 %%3, b51 %%201\n %%4 = load word global [%%1]\n");
        for (u32 k = 1; k <= deep; k++) {
            if (k > 1)
                buf_printf(&b, "b%u:\n", k);
            buf_printf(&b, " br eq %%4, %u -> b%u, b%u\n", k, k < deep ? k + 1 : 40, 50 + k);
        }
        buf_printf(&b, "b40:\n %%301 = load word global [%%1 + 4]\n"
                       " %%302 = load word global [%%1 + 8]\n jump b%u\n", 50 + deep);
        for (u32 k = deep; k > 0; k--) {
            const u32 from = k == deep ? 40 : 51 + k;
            buf_printf(&b, "b%u:\n", 50 + k);
            for (u32 term = 1; term <= 2; term++)
                buf_printf(&b, " %%%u = phi b%u %%%u, b%u %%%u\n", 100 * term + k, k, 10 + term,
                           from, k == deep ? 300 + term : 100 * term + k + 1);
            if (k > 1)
                buf_printf(&b, " jump b%u\n", 49 + k);
        }
        buf_printf(&b, " %%6 = add %%101, %%201\n store word global %%6, [%%1 + 12]\n"
                       " %%5 = add %%10, 1\n br lt %%5, 9 -> b1, b60\nb60:\n ret\n");
        Func *f = carried(buf_text(&b));
        assert_int_equal(f->block[1].nphi, deep < MOST_PAIRS ? 2 : 3);
        ir_free(f->module);
        buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum_is_carried),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_others_stay),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
