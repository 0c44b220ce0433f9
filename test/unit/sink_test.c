/* Loads of constant memory move to where they are read (the head of sink.c). */
#include "test/kit/irtexts.h"

#define START       "b0:\n %1 = argbase\n %2 = csr #0x804\n"
#define LOAD(v, at) " %" #v " = load word const uniform [%1 + " #at "]\n"

/* The text of the function afterwards, from its first block on. */
static void expect(const char *body, const char *want)
{
    Func *f = kernel_of(body);
    Buf why = {0}, text = {0};
    sink(f);
    graph_build(f);
    if (f->module->failed || !ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s", buf_text(&why));
    ir_print(&text, f);
    /* the printer's indentation apart */
    char is[4096];
    size_t n = 0;
    for (const char *p = strstr(buf_text(&text), "b0:"); *p && *p != '}'; p++)
        if (*p != ' ' || (n && is[n - 1] != '\n' && is[n - 1] != ' '))
            is[n++] = *p;
    is[n] = 0;
    assert_string_equal(is, want);
    buf_free(&text);
    ir_free(f->module);
}

#define HEAD "b0:\n%1 = argbase\n%2 = csr #0x804\n"

/* To the side that reads it, in the old order, before what reads it; nothing is left behind. */
static void to_one_side(void **state)
{
    (void)state;
    expect(START LOAD(3, 4) LOAD(4, 8)
               LOAD(5, 12) " br lt %2, %5 -> b1, b2\nb1:\n store word global %4, [%3]\n"
                           " jump b2\nb2:\n ret\n",
           HEAD
           "%5 = load word const uniform [%1 + 12]\nbr lt %2, %5 -> b1, b2\n"
           "b1:\n%3 = load word const uniform [%1 + 4]\n%4 = load word const uniform [%1 + 8]\n"
           "store word global %4, [%3]\njump b2\nb2:\nret\n");
}

/* Where two ways need it, to the block that both come from; a phi reads on the edge. */
static void to_the_common_dominator(void **state)
{
    (void)state;
    expect(
        START LOAD(3, 4) LOAD(
            4, 8) " br lt %2, 1 -> b1, b5\nb1:\n br lt %2, 2 -> b2, b3\n"
                  "b2:\n store word global 2, [%3]\n jump b4\nb3:\n store word global 3, [%3]\n "
                  "jump b4\n"
                  "b4:\n %6 = phi b2 %4, b3 0\n store word global %6, [%2]\n jump b5\nb5:\n ret\n",
        HEAD
        "br lt %2, 1 -> b1, b5\nb1:\n%3 = load word const uniform [%1 + 4]\nbr lt %2, 2 -> b2, b3\n"
        "b2:\n%4 = load word const uniform [%1 + 8]\nstore word global 2, [%3]\njump b4\n"
        "b3:\nstore word global 3, [%3]\njump b4\n"
        "b4:\n%6 = phi b2 %4, b3 0\nstore word global %6, [%2]\njump b5\nb5:\nret\n");
}

/* A branch reads it in its block, though nothing else there does. */
static void for_a_branch(void **state)
{
    (void)state;
    expect(START LOAD(3, 4) " br lt %2, 1 -> b1, b2\nb1:\n br lt %2, %3 -> b3, b2\nb3:\n store "
                            "word global %3, [%2]\n"
                            " jump b2\nb2:\n ret\n",
           HEAD "br lt %2, 1 -> b1, b2\nb1:\n%3 = load word const uniform [%1 + 4]\nbr lt %2, %3 "
                "-> b3, b2\n"
                "b2:\nret\nb3:\nstore word global %3, [%2]\njump b2\n");
}

/* Not into a loop, but before it; not into two. */
static void before_loops(void **state)
{
    (void)state;
    expect(START LOAD(
               3, 4) " br lt %2, 1 -> b1, b6\nb1:\n jump b2\n"
                     "b2:\n %4 = phi b1 0, b5 %7\n jump b3\n"
                     "b3:\n %5 = phi b2 0, b3 %6\n %6 = add %5, 1\n store word global %6, [%3]\n"
                     " br lt %6, 9 -> b3, b5\n"
                     "b5:\n %7 = add %4, 1\n br lt %7, 9 -> b2, b6\nb6:\n ret\n",
           HEAD "br lt %2, 1 -> b1, b6\nb1:\n%3 = load word const uniform [%1 + 4]\njump b2\n"
                "b2:\n%4 = phi b1 0, b5 %7\njump b3\n"
                "b3:\n%5 = phi b2 0, b3 %6\n%6 = add %5, 1\nstore word global %6, [%3]\nbr lt %6, "
                "9 -> b3, b5\n"
                "b5:\n%7 = add %4, 1\nbr lt %7, 9 -> b2, b6\nb6:\nret\n");
}

/* What every way needs stays, and so do other loads: of other memory, volatile ones, one for each
 * lane, and those that nobody reads. */
static void others_stay(void **state)
{
    (void)state;
    expect(
        START LOAD(3,
                   4) " %4 = load word const [%1 + 8]\n %5 = load word global uniform [%1 + 12]\n"
                      " %6 = load word const volatile uniform [%1 + 16]\n" LOAD(
                          7, 20) " br lt %2, 1 -> b1, b2\nb1:\n store word global %4, [%5]\n store "
                                 "word global %6, [%5]\n jump b2\n"
                                 "b2:\n store word global %3, [%2]\n ret\n",
        HEAD
        "%3 = load word const uniform [%1 + 4]\n%4 = load word const [%1 + 8]\n"
        "%5 = load word global uniform [%1 + 12]\n%6 = load word const volatile uniform [%1 + 16]\n"
        "%7 = load word const uniform [%1 + 20]\nbr lt %2, 1 -> b1, b2\n"
        "b1:\nstore word global %4, [%5]\nstore word global %6, [%5]\njump b2\n"
        "b2:\nstore word global %3, [%2]\nret\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_one_side),  cmocka_unit_test(to_the_common_dominator),
        cmocka_unit_test(for_a_branch), cmocka_unit_test(before_loops),
        cmocka_unit_test(others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
