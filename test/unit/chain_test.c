/* Sums with multiples of one number, step by step. */
#include "test/kit/irtexts.h"

static void expect(const char *body, const char *lines)
{
    Func *f = kernel_of(body);
    Buf why = {0};
    chain_sums(f);
    assert_false(f->module->failed);
    if (!ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s", buf_text(&why));
    expect_lines(f, lines);
    ir_free(f->module);
}

#define START "b0:\n %1 = lane\n %2 = csr #0x804\n %3 = csr #0x805\n"

static void test_steps(void **state)
{
    (void)state;
    expect(START " %4 = sll %2, 2\n %5 = add %1, %4\n %6 = mul %2, 8\n %7 = add %1, %6\n"
                 " %8 = mul %2, 3\n %9 = sll %8, 2\n %10 = add %9, %1\n ret\n",
           "%5 = add %1, %4\n%7 = add %5, %4\n%10 = add %7, %4\n");
}

/* by the number itself, and backwards: 5 - 4 = 1, 4 - 5 is no multiple that is there */
static void test_number_itself(void **state)
{
    (void)state;
    expect(START " %4 = mul %2, 5\n %5 = add %1, %4\n %6 = mul %2, 6\n %7 = add %1, %6\n"
                 " %8 = mul %2, 4\n %9 = add %1, %8\n ret\n",
           "%5 = add %1, %4\n%7 = add %5, %2\n%9 = add %1, %8\n");
}

static void test_others_stay(void **state)
{
    (void)state;
    /* sums of another number, with another number, with a step that nobody has computed */
    expect(START " %4 = sll %2, 2\n %5 = add %1, %4\n %6 = sll %2, 3\n %7 = add %3, %6\n"
                 " %8 = sll %3, 3\n %9 = add %1, %8\n %10 = mul %2, 29\n %11 = add %1, %10\n ret\n",
           "%7 = add %3, %6\n%9 = add %1, %8\n%11 = add %1, %10\n");
    /* a step that was computed on another way */
    expect(START " %4 = mul %2, 5\n %5 = add %1, %4\n br lt %2, 4 -> b1, b2\n"
                 "b1:\n %6 = mul %2, 3\n store word global %6, [%5]\n jump b3\n"
                 "b2:\n %7 = add %1, %4\n %8 = mul %2, 8\n %9 = add %1, %8\n jump b3\nb3:\n ret\n",
           "%7 = add %1, %4\n%9 = add %1, %8\n");
    /* a sum of another block */
    expect(START " %4 = sll %2, 2\n %5 = add %1, %4\n jump b1\n"
                 "b1:\n %6 = sll %2, 3\n %7 = add %1, %6\n ret\n",
           "%7 = add %1, %6\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_number_itself),
        cmocka_unit_test(test_others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
