/* scale_test.c -- programs of many thousand instructions, and that the time they take grows with
 * their size and not with its square.  The heap keeps what was freed, since the time that a host
 * takes for fresh pages differs more than that of any pass. */
#include "test/kit/objects.h"
#include "cc/cc.h"
#include <malloc.h>
#include <math.h>
#include <time.h>

enum { SMALL = 400, TIMES = 4, RUNS = 20 };
static const double most_ratio = 12, noise_ms = 50;

static const char start[] = "kernel @k {\nb0:\n %1 = argbase\n %2 = load word const [%1 + 4]\n"
                            " %3 = lane\n %4 = sll %3, 2\n %5 = add %2, %4\n"
                            " %6 = load word global [%5]\n %7 = load word global [%2]\n";

/* one block: chains of operations and stores, each with constants of its own */
static void straight(Buf *b, u32 n)
{
    buf_str(b, start);
    for (u32 i = 0; i < 10 * n; i++) {
        buf_printf(b, " %%%u = %s %%%u, %u\n", 8 + i, i % 2 ? "xor" : "mul", i ? 7 + i : 6,
                   i * 40503 + 7);
        if (i % 5 == 0)
            buf_printf(b, " store word global %%%u, [%%5 + %u]\n", 8 + i, i % 500 * 4);
    }
    buf_str(b, " ret\n}\n");
}

/* many values that are alive at once, and must be spilled */
static void pressure(Buf *b, u32 n)
{
    buf_str(b, start);
    for (u32 i = 0; i < 3 * n; i++)
        buf_printf(b, " %%%u = load word global [%%5 + %u]\n", 8 + i, i % 500 * 4);
    for (u32 i = 0; i < 3 * n; i++)
        buf_printf(b, " store word global %%%u, [%%5 + %u]\n", 8 + i, i * 7 % 500 * 4);
    buf_str(b, " ret\n}\n");
}

/* divergent conditions one after another */
static void conditions(Buf *b, u32 n)
{
    buf_str(b, start);
    buf_str(b, " jump b1\n");
    for (u32 i = 0; i < n; i++) {
        const u32 k = 3 * i + 1, from = i ? 9 + 2 * (i - 1) : 6, v = 8 + 2 * i;
        buf_printf(b, "b%u:\n br lt %%%u, %u -> b%u, b%u\n", k, from, i, k + 1, k + 2);
        buf_printf(b, "b%u:\n %%%u = add %%%u, %u\n store word global %%%u, [%%5]\n jump b%u\n",
                   k + 1, v, from, i + 1, v, k + 2);
        buf_printf(b, "b%u:\n %%%u = phi b%u %%%u, b%u %%%u\n jump b%u\n", k + 2, v + 1, k, from,
                   k + 1, v, k + 3);
    }
    buf_printf(b, "b%u:\n ret\n}\n", 3 * n + 1);
}

/* conditions inside one another, each with something to do after it */
static void nest(Buf *b, u32 n)
{
    buf_str(b, start);
    buf_str(b, " jump b1\n");
    for (u32 i = 1; i <= n; i++)
        buf_printf(b, "b%u:\n %%%u = add %%%u, %u\n br lt %%%u, %u -> b%u, b%u\n", i, 7 + i,
                   i > 1 ? 6 + i : 6, i * 3, 7 + i, i, i + 1, 2 * n + 2 - i);
    for (u32 i = n; i > 0; i--)
        buf_printf(b, "b%u:\n store word global %%%u, [%%5 + %u]\n jump b%u\n", 2 * n + 1 - i,
                   7 + i, i % 500 * 4, 2 * n + 2 - i);
    buf_printf(b, "b%u:\n ret\n}\n", 2 * n + 1);
}

/* loops one after another, every second one left in different rounds */
static void loops(Buf *b, u32 n)
{
    buf_str(b, start);
    buf_str(b, " jump b1\n");
    for (u32 i = 0; i < n; i++) {
        const u32 k = i + 1, v = 8 + 4 * i;
        buf_printf(b, "b%u:\n %%%u = phi b%u %%%u, b%u %%%u\n %%%u = phi b%u 0, b%u %%%u\n", k, v,
                   i, i ? v - 3 : 6, k, v + 1, v + 2, i, k, v + 3);
        buf_printf(b, " %%%u = add %%%u, %u\n %%%u = add %%%u, 1\n br lt %%%u, %%%u -> b%u, b%u\n",
                   v + 1, v, i + 3, v + 3, v + 2, v + 3, 6 + i % 2, k, k + 1);
    }
    buf_printf(b, "b%u:\n store word global %%%u, [%%5]\n ret\n}\n", n + 1, 5 + 4 * n);
}

/* comparisons of one value, whose cases give one variable its value */
static void cases(Buf *b, u32 n)
{
    buf_str(b, start);
    buf_str(b, " jump b1\n");
    for (u32 i = 0; i < n; i++)
        buf_printf(b, "b%u:\n br eq %%6, %u -> b%u, b%u\n", 1 + i, i, n + 2 + i, 2 + i);
    buf_printf(b, "b%u:\n jump b%u\n", n + 1, 2 * n + 2);
    for (u32 i = 0; i < n; i++)
        buf_printf(b, "b%u:\n %%%u = add %%7, %u\n store word global %%%u, [%%5 + 8]\n jump b%u\n",
                   n + 2 + i, 9 + i, i * i + 7, 9 + i, 2 * n + 2);
    buf_printf(b, "b%u:\n %%8 = phi b%u 0", 2 * n + 2, n + 1);
    for (u32 i = 0; i < n; i++)
        buf_printf(b, ", b%u %%%u", n + 2 + i, 9 + i);
    buf_str(b, "\n store word global %8, [%5]\n ret\n}\n");
}

/* a loop with many variables, which begin as the same value */
static void variables(Buf *b, u32 n)
{
    buf_str(b, start);
    buf_str(b, " jump b1\nb1:\n");
    for (u32 i = 0; i < n; i++)
        buf_printf(b, " %%%u = phi b0 %%6, b2 %%%u\n", 8 + i, 8 + n + i);
    buf_str(b, " br lt %8, 100 -> b2, b3\nb2:\n");
    for (u32 i = 0; i < n; i++)
        buf_printf(b, " %%%u = add %%%u, %%%u\n", 8 + n + i, 8 + i, 8 + (i * 7 + 1) % n);
    buf_str(b, " jump b1\nb3:\n");
    for (u32 i = 0; i < n; i++)
        buf_printf(b, " store word global %%%u, [%%5 + %u]\n", 8 + i, i % 500 * 4);
    buf_str(b, " ret\n}\n");
}

/* functions and data, each used once */
static void symbols(Buf *b, u32 n)
{
    for (u32 i = 0; i < 2 * n; i++)
        buf_printf(b,
                   "data @d%u align 4 size 4 {\n 00000001\n}\nfunc @f%u params 1 results 1 {\n"
                   "b0:\n %%1 = param #0\n %%2 = add %%1, %u\n setret %%2 #0\n ret\n}\n",
                   i, i, i);
    buf_str(b, start);
    for (u32 i = 0; i < 2 * n; i++)
        buf_printf(b,
                   " arg %%6 #0\n call @f%u #1\n %%%u = result #0\n"
                   " store word global %%%u, [@d%u]\n",
                   i, 8 + i, 8 + i, i);
    buf_str(b, " ret\n}\n");
}

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double compile(void (*make)(Buf *, u32), u32 n)
{
    Buf text = {0};
    Caught c;
    catch_in(&c);
    make(&text, n);
    const double before = milliseconds();
    Module *m = ir_parse(&(Source){.name = "t", .text = buf_text(&text)}, target_find(0), &c.d);
    expect_silence(&c);
    Object *o = cc_compile(m, &(CcOptions){.level = 2, .lines = true}, &c.d);
    const double took = milliseconds() - before;
    expect_silence(&c);
    assert_non_null(o);
    obj_free(o);
    ir_free(m);
    buf_free(&text);
    return took;
}

static void time_grows_with_size(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*make)(Buf *, u32);
    } program[] = {{"straight", straight},   {"pressure", pressure}, {"conditions", conditions},
                   {"nest", nest},           {"loops", loops},       {"cases", cases},
                   {"variables", variables}, {"symbols", symbols}};
    for (size_t k = 0; k < countof(program); k++) {
        /* the shortest of some runs; more of them while another job of the machine makes a
         * difference */
        double small = compile(program[k].make, SMALL),
               large = compile(program[k].make, TIMES * SMALL);
        for (int i = 0; i < RUNS && large > most_ratio * small + noise_ms; i++) {
            small = fmin(small, compile(program[k].make, SMALL));
            large = fmin(large, compile(program[k].make, TIMES * SMALL));
        }
        if (getenv("SCALE_TEST_SHOW"))
            print_message("%s: %.1f ms, %.1f ms\n", program[k].name, small, large);
        if (large > most_ratio * small + noise_ms)
            fail_msg("%s: %u take %.1f ms, %u take %.1f ms", program[k].name, SMALL, small,
                     TIMES * SMALL, large);
    }
}

int main(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_grows_with_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
