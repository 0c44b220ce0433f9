/* regroup_test.c -- addresses whose terms that are one for the warp are added up apart: the same addresses, by less work. */
#include "test/kit/irtexts.h"
#include "test/kit/random.h"

static Func *regrouped(const char *body)
{
    Func *f = kernel_of(body);
    Buf why = {0};
    regroup(f);
    assert_false(f->module->failed);
    if (!ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s", buf_text(&why));
    return f;
}

static void expect(const char *body, const char *lines)
{
    Func *f = regrouped(body);
    expect_lines(f, lines);
    ir_free(f->module);
}

/* %1: j, %2: i, %3: n, %4: an array */
#define START "b0:\n %1 = lane\n %2 = divu %1, 5\n %3 = csr #0x804\n %4 = csr #0x805\n"

/* a[i * n + j] and a[(i + 1) * n + j], as the optimiser leaves them: one row of addresses */
static void test_rows_above(void **state)
{
    (void)state;
    expect(START
           " %5 = mul %2, %3\n %6 = add %1, %5\n %7 = sll %6, 2\n %8 = add %7, %4\n"
           " %9 = load word global [%8]\n %10 = add %5, %3\n %11 = sll %10, 2\n %12 = add %11, %4\n"
           " %13 = sll %1, 2\n %14 = add %12, %13\n store word global %9, [%14 + 8]\n ret\n",
           "%7 = sll %6, 2\n = sll %3, 2\n = add %4, %\n = add %7, %\nstore word global %9, [%");
}

/* an index that others read, too; sums of another block; loops */
static void test_others_stay(void **state)
{
    (void)state;
    expect(
        START
        " %5 = add %1, %3\n %6 = sll %5, 2\n %7 = add %4, %6\n store word global %5, [%7]\n ret\n",
        "%5 = add %1, %3\n%6 = sll %5, 2\n%7 = add %4, %6\nstore word global %5, [%7]");
    expect(START " %5 = add %1, %3\n %6 = sll %5, 2\n %7 = add %4, %6\n jump b1\n"
                 "b1:\n store word global %1, [%7]\n ret\n",
           "%6 = sll %5, 2\n%7 = add %4, %6\nstore word global %1, [%7]");
    expect(START " jump b1\nb1:\n %5 = add %1, %3\n %6 = sll %5, 2\n %7 = add %4, %6\n store word "
                 "global %1, [%7]\n"
                 " %8 = load word global [%3]\n br lt %8, 4 -> b1, b2\nb2:\n ret\n",
           "%6 = sll %5, 2\n%7 = add %4, %6\nstore word global %1, [%7]");
    expect(
        START
        " %5 = add %1, %3\n %6 = sll %5, 2\n %7 = add %4, %6\n store word private %1, [%7]\n ret\n",
        "%6 = sll %5, 2\n%7 = add %4, %6\nstore word private %1, [%7]");
}

/* --- random addresses --------------------------------------------------------------------- */

enum { STORES = 6, INPUTS = 4 };

/* What a value of the function is, where the inputs are these. */
static u32 value_of(const Func *f, Ref r, const u32 input[INPUTS + 1])
{
    const Block *b = &f->block[0];
    if (r.kind == R_CON)
        return r.val;
    if (r.val <= INPUTS)
        return input[r.val];
    size_t k = 0;
    while (k < b->nins && b->ins[k].dst != r.val)
        k++;
    assert_true(k < b->nins);
    const Ins *i = &b->ins[k];
    const u32 x = value_of(f, i->a[0], input), y = value_of(f, i->a[1], input);
    switch (i->op) {
    case IR_add: return x + y;
    case IR_sub: return x - y;
    case IR_mul: return x * y;
    case IR_sll: return x << (y & 31);
    default: fail_msg("operation %u", i->op);
    }
    return 0;
}

/* A sum of inputs, products of them, and now and then an older value; its number. */
static u32 add_sum(Buf *b, u32 *n, u32 depth)
{
    if (!depth || one_in(5))
        return *n > INPUTS && one_in(6) ? 1 + below(*n) : 1 + below(INPUTS);
    const u32 what = below(6), x = add_sum(b, n, depth - 1),
              y = what > 2 ? add_sum(b, n, depth - 1) : 0;
    const u32 v = ++*n;
    switch (what) {
    case 0: buf_printf(b, " %%%u = sll %%%u, %u\n", v, x, one_in(2) ? 2 : below(4)); break;
    case 1: buf_printf(b, " %%%u = mul %%%u, %u\n", v, x, 1 + below(12)); break;
    case 2: buf_printf(b, " %%%u = add %%%u, %u\n", v, x, below(40)); break;
    case 3: buf_printf(b, " %%%u = sub %%%u, %%%u\n", v, x, y); break;
    default: buf_printf(b, " %%%u = add %%%u, %%%u\n", v, x, y);
    }
    return v;
}

/* Addresses of random sums are what they were. */
static void test_random_addresses(void **state)
{
    u32 changed = 0;
    (void)state;
    for (u32 n = 0; n < 1500; n++) {
        Buf b = {0};
        buf_str(&b, START);
        u32 values = INPUTS;
        for (u32 k = 0; k < STORES; k++) {
            const u32 at = add_sum(&b, &values, 5);
            buf_printf(&b, " store word global %%1, [%%%u + %u]\n", at, 4 * below(3));
        }
        buf_printf(&b, " ret\n");
        Func *before = kernel_of(buf_text(&b)), *after = regrouped(buf_text(&b));
        const Block *x = &before->block[0], *y = &after->block[0];
        const u32 input[INPUTS + 1] = {0, below(32), below(32), (u32)random_bits(),
                                       (u32)random_bits()};
        size_t at = 0;
        for (size_t k = 0; k < x->nins; k++) {
            if (x->ins[k].op != IR_store)
                continue;
            while (y->ins[at].op != IR_store)
                at++;
            const Ins *p = &x->ins[k], *q = &y->ins[at++];
            assert_int_equal(value_of(before, p->a[1], input) + (u32)p->imm,
                             value_of(after, q->a[1], input) + (u32)q->imm);
            changed += !ref_same(p->a[1], q->a[1]);
        }
        ir_free(before->module);
        ir_free(after->module);
        buf_free(&b);
    }
    if (changed < 400)
        fail_msg("%u addresses are others", changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_above),
        cmocka_unit_test(test_others_stay),
        cmocka_unit_test(test_random_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
