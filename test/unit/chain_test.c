/* Sums with multiples of one number, step by step. */
#include "test/kit/irtexts.h"
#include "test/kit/random.h"

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

/* --- random sums ------------------------------------------------------------------------------ */

enum { VALUES = 48, BLOCKS = 4, NOBODY = 0 };

/* What makes a value: factor times `of` (itself once where it is no multiple), or a sum. */
typedef struct {
    u32 block, of, factor, term[2];
    bool is_sum;
} Made;

/* Values 1 to 3 are any numbers; the others, by block, multiples and sums of those before.  Blocks
 * 1 and 2 are the two ways from 0 to 3. */
static void make_values(Made *m)
{
    for (u32 v = 1; v <= VALUES; v++) {
        const u32 block = v <= 3 ? 0 : (v - 4) * BLOCKS / (VALUES - 3);
        u32 from[2];
        for (int k = 0; k < 2 && v > 3; k++)
            do
                from[k] = 1 + below(k == 0 && below(8) ? 2 : v - 1);
            while (block == 2 && m[from[k]].block == 1);
        for (int k = 0; k < 2 && v > 3 && block == 3; k++)
            while (m[from[k]].block == 1 || m[from[k]].block == 2)
                from[k] = 1 + below(3);
        m[v] = (Made){.block = block, .of = v, .factor = 1};
        if (v > 3 && below(5) < 2) {
            const u32 times = 2 + below(4);
            m[v].of = m[from[0]].of;
            m[v].factor = m[from[0]].factor * times;
            m[v].term[0] = from[0];
            m[v].term[1] = times;
        } else if (v > 3) {
            m[v].is_sum = true;
            m[v].term[0] = from[0];
            m[v].term[1] = from[1];
        }
    }
}

static Func *function_of(const Made *m)
{
    Buf b = {0};
    for (u32 v = 1; v <= VALUES; v++) {
        if (v == 1 || m[v].block != m[v - 1].block)
            buf_printf(&b, "%sb%u:\n",
                       v == 1            ? ""
                       : m[v].block == 1 ? " br lt %1, 4 -> b1, b2\n"
                                         : " jump b3\n",
                       m[v].block);
        if (v <= 3)
            buf_printf(&b, " %%%u = csr #%u\n", v, 0x803 + v);
        else if (m[v].is_sum)
            buf_printf(&b, " %%%u = add %%%u, %%%u\n", v, m[v].term[0], m[v].term[1]);
        else if (m[v].term[1] == 4)
            buf_printf(&b, " %%%u = sll %%%u, 2\n", v, m[v].term[0]);
        else
            buf_printf(&b, " %%%u = mul %%%u, %u\n", v, m[v].term[0], m[v].term[1]);
    }
    buf_printf(&b, " ret\n");
    Func *f = kernel_of(buf_text(&b));
    buf_free(&b);
    return f;
}

/* Whether v, times more than its root, is there already where `at` is computed. */
static bool is_there(const Made *m, u32 v, u32 at)
{
    return v < at && (m[v].block == 0 || m[v].block == m[at].block);
}

/* Whether sum `at`, which is x and a multiple of `of`, is the earlier sum t of its block and a
 * multiple that is there: `step`, or any where that is NOBODY. */
static bool steps_from(const Made *m, u32 at, u32 t, u32 x, u32 y, u32 step)
{
    if (t >= at || !m[t].is_sum || m[t].block != m[at].block || m[y].factor == 1)
        return false;
    for (int k = 0; k < 2; k++) {
        const u32 other = m[t].term[!k];
        const u32 more = m[y].factor - m[other].factor;
        if (m[t].term[k] != x || m[other].of != m[y].of || !more)
            continue;
        for (u32 v = 1; v < at; v++)
            if ((step == NOBODY || step == v) && m[v].of == m[y].of && m[v].factor == more &&
                (v == m[v].of || is_there(m, v, at)))
                return true;
    }
    return false;
}

static bool can_step(const Made *m, u32 at)
{
    for (int k = 0; k < 2; k++)
        for (u32 t = 1; t < at; t++)
            if (steps_from(m, at, t, m[at].term[k], m[at].term[!k], NOBODY))
                return true;
    return false;
}

/* A sum steps from an earlier one of its block exactly where there is one, by what is there. */
static void test_random_sums(void **state)
{
    u32 stepped = 0;
    (void)state;
    for (u32 seed = 1; seed <= 300; seed++) {
        Made m[VALUES + 1] = {{0}};
        make_values(m);
        Func *f = function_of(m);
        chain_sums(f);
        assert_false(f->module->failed);
        for (u32 b = 0; b < BLOCKS; b++)
            for (size_t i = 0; i < f->block[b].nins; i++) {
                const Ins *n = &f->block[b].ins[i];
                const u32 v = n->dst, t = n->a[0].val, step = n->a[1].val;
                if (v <= 3 || !m[v].is_sum)
                    continue;
                const bool same = t == m[v].term[0] && step == m[v].term[1];
                if (same ? can_step(m, v)
                         : !steps_from(m, v, t, m[v].term[0], m[v].term[1], step) &&
                               !steps_from(m, v, t, m[v].term[1], m[v].term[0], step)) {
                    Buf text = {0};
                    ir_print(&text, f);
                    fail_msg("seed %u: %%%u was %%%u + %%%u:\n%s", seed, v, m[v].term[0],
                             m[v].term[1], buf_text(&text));
                }
                stepped += !same;
            }
        ir_free(f->module);
    }
    assert_true(stepped > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_number_itself),
        cmocka_unit_test(test_others_stay),
        cmocka_unit_test(test_random_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
