/* loop_test.c -- the walk over loops (src/cc/loop.c): their order, what enters them, which values
 * are counters, and where something can be computed before them.
 */
#include "cc/loop.h"
#include "test/kit/irtexts.h"

/* Three loops one in the other, headers b1, b2, b3, with a value of each: %11, %12, %13. */
static const char nested[] =
    "b0:\n %1 = lane\n %2 = csr #0x805\n jump b1\n"
    "b1:\n %3 = phi b0 %2, b5 %6\n %11 = and %3, 7\n jump b2\n"
    "b2:\n %4 = phi b1 9, b4 %7\n %12 = and %4, 7\n jump b3\n"
    "b3:\n %5 = phi b2 %2, b3 %8\n %13 = and %5, 7\n %8 = sub %5, %12\n br ne %8, 0 -> b3, b4\n"
    "b4:\n %7 = add %4, 1\n br ne %7, 90 -> b2, b5\n"
    "b5:\n %6 = add %11, %3\n br ne %6, 900 -> b1, b6\n"
    "b6:\n ret\n";

/* What a walk asks at each loop: for a value and one more, the block to compute in. */
typedef struct {
    Buf headers;
    u32 header, x, y; /* of the loop that is asked for */
    u32 place;
} Asked;

static Ref value(u32 v) { return v ? ref_val(v) : ref_con(5); }

static void ask(LoopWalk *w, void *arg)
{
    Asked *a = arg;
    buf_printf(&a->headers, " %u:%u<%u", w->header, w->before, w->latch);
    if (w->header == a->header)
        a->place = loop_place(w, value(a->x), value(a->y));
}

/* Inner loops come first, each with what enters it and what goes back; one with two entries, or two
 * ways back, is left out. */
static void order(void **state)
{
    static const struct {
        const char *body, *headers;
    } rows[] = {
        {nested, " 3:2<3 2:1<4 1:0<5"},
        {"b0:\n %1 = lane\n jump b1\nb1:\n br eq %1, 0 -> b2, b3\nb2:\n jump b1\nb3:\n"
         " br eq %1, 3 -> b1, b4\nb4:\n ret\n",
         ""},
        {"b0:\n %1 = lane\n br eq %1, 0 -> b1, b2\nb1:\n jump b3\nb2:\n jump b3\n"
         "b3:\n br eq %1, 3 -> b3, b4\nb4:\n ret\n",
         ""},
        {"b0:\n %1 = lane\n jump b3\nb1:\n br eq %1, 3 -> b1, b2\nb2:\n ret\n"
         "b3:\n br ne %1, 4 -> b3, b1\n",
         " 1:3<1 3:0<3"},
        {"b0:\n ret\n", ""},
    };
    (void)state;
    for (size_t k = 0; k < countof(rows); k++) {
        Asked a = {.header = NO_BLOCK};
        Func *f = kernel_of(rows[k].body);
        loop_walk(f, ask, &a);
        assert_false(f->module->failed);
        assert_string_equal(buf_text(&a.headers), rows[k].headers);
        buf_free(&a.headers);
        ir_free(f->module);
    }
}

/* Before the loop, and as far out as both values are made outside; no scalar leaves a block that
 * may run again, and nothing moves into one. */
static void places(void **state)
{
    enum { NONE = 99 };
    static const struct {
        u32 header, x, y, rerun, place;
    } rows[] = {
        {3, 1, 2, NONE, 0}, {3, 0, 0, NONE, 0},  {3, 11, 0, NONE, 1}, {3, 0, 11, NONE, 1},
        {3, 3, 2, NONE, 1}, {3, 12, 1, NONE, 2}, {3, 1, 4, NONE, 2},  {3, 11, 12, NONE, 2},
        {2, 1, 2, NONE, 0}, {2, 11, 1, NONE, 1}, {2, 0, 3, NONE, 1},  {1, 2, 0, NONE, 0},
        {3, 1, 2, 0, 2},    {3, 0, 0, 0, 1},     {3, 0, 0, 1, 2},     {3, 11, 0, 1, 2},
        {3, 1, 0, 3, 0},    {2, 0, 0, 0, 1},     {3, 0, 2, 0, 2},     {3, 0, 0, 2, 0},
    };
    (void)state;
    for (size_t k = 0; k < countof(rows); k++) {
        Asked a = {.header = rows[k].header, .x = rows[k].x, .y = rows[k].y, .place = NONE};
        Func *f = kernel_of(nested);
        if (rows[k].rerun != NONE)
            f->block[rows[k].rerun].rerun = true;
        loop_walk(f, ask, &a);
        if (a.place != rows[k].place)
            fail_msg("row %zu: in b%u, not b%u", k, a.place, rows[k].place);
        buf_free(&a.headers);
        ir_free(f->module);
    }
}

typedef struct {
    u32 v;
    Buf text;
} Counted;

static void put_ref(Buf *b, Ref r) { buf_printf(b, r.kind == R_VAL ? "%%%u" : "%u", r.val); }

static void count(LoopWalk *w, void *arg)
{
    Counted *c = arg;
    Ref start, step;
    u32 sign;
    if (!loop_counter(w, c->v, &start, &step, &sign))
        return;
    buf_printf(&c->text, "b%u ", w->header);
    put_ref(&c->text, start);
    buf_printf(&c->text, sign == 1 ? "+" : sign == UINT32_MAX ? "-" : "?");
    put_ref(&c->text, step);
}

/* Phis to which each round adds what is made outside, on either side, or takes it away. */
static void counters_of_loops(void **state)
{
#define LOOP(next)                                                                                 \
    "b0:\n %1 = lane\n %2 = csr #0x805\n jump b1\nb1:\n %3 = phi b0 %2, b1 %5\n"                   \
    " %4 = load word global [%1]\n %5 = " next "\n br ne %5, 90 -> b1, b2\nb2:\n ret\n"
    static const struct {
        const char *body;
        u32 v;
        const char *is;
    } rows[] = {
        {LOOP("add %3, 4"), 3, "b1 %2+4"},
        {LOOP("add 4, %3"), 3, "b1 %2+4"},
        {LOOP("add %3, %1"), 3, "b1 %2+%1"},
        {LOOP("add %1, %3"), 3, "b1 %2+%1"},
        {LOOP("sub %3, %1"), 3, "b1 %2-%1"},
        {LOOP("sub %1, %3"), 3, ""},
        {LOOP("add %3, %4"), 3, ""},
        {LOOP("add %3, %3"), 3, ""},
        {LOOP("add %1, 4"), 3, ""},
        {LOOP("mul %3, 4"), 3, ""},
        {LOOP("or %3, 4"), 3, ""},
        {LOOP("add %3, 4"), 5, ""},
        {LOOP("add %3, 4"), 2, ""},
        {nested, 5, "b3 %2-%12"},
        {nested, 4, "b2 9+1"},
        {nested, 3, ""},
        {"b0:\n %1 = lane\n jump b1\nb1:\n %3 = phi b0 1, b1 7\n br ne %1, 90 -> b1, b2\nb2:\n "
         "ret\n",
         3, ""},
    };
    (void)state;
    for (size_t k = 0; k < countof(rows); k++) {
        Counted c = {.v = rows[k].v};
        Func *f = kernel_of(rows[k].body);
        loop_walk(f, count, &c);
        if (strcmp(buf_text(&c.text), rows[k].is) != 0)
            fail_msg("row %zu: %s, not %s", k, buf_text(&c.text), rows[k].is);
        buf_free(&c.text);
        ir_free(f->module);
    }
}

/* Every operand is one use: of phis, instructions, branches. */
static void uses(void **state)
{
    static const u32 want[] = {0, 0, 2, 2, 2, 2, 2, 2, 2, 0, 0, 1, 1, 0};
    u32 is[14] = {0};
    (void)state;
    Func *f = kernel_of(nested);
    loop_count_uses(f, is);
    for (u32 v = 1; v < countof(want); v++)
        if (is[v] != want[v])
            fail_msg("%%%u is used %u times, not %u", v, is[v], want[v]);
    ir_free(f->module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),
        cmocka_unit_test(places),
        cmocka_unit_test(counters_of_loops),
        cmocka_unit_test(uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
