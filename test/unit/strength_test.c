/* strength_test.c -- loops with counters for their addresses make the same accesses in the same
 * order as before, and need as few instructions as they should. */
#include "test/kit/guard.h"
#include "base/mem.h"
#include "cc/cc.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { PARAMS = 3, MOST_BLOCKS = 2000, MOST_ACCESSES = 4000 };

static Module *parse(const char *text)
{
    Buf messages = {0};
    Diag d = {.sink = diag_to_buf, .to = &messages};
    Module *m = ir_parse(&(Source){.name = "t.ir", .text = text}, target_find(0), &d);
    if (!m)
        fail_msg("%s\n%s", text, buf_text(&messages));
    buf_free(&messages);
    return m;
}

static void pass(Func *f, void (*run)(Func *f))
{
    Buf why = {0};
    graph_build(f);
    run(f);
    graph_build(f);
    if (!ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s", buf_text(&why));
    buf_free(&why);
}

static void reduce(Func *f)
{
    pass(f, fold);
    pass(f, strength);
    pass(f, chain_sums);
    pass(f, carry);
    pass(f, fold);
    pass(f, uniform);
    pass(f, counters);
}

/* --- running it ------------------------------------------------------------------------------- */

/* Addresses and stored values in their order; loads of constants may go. */
typedef struct {
    u32 word[MOST_ACCESSES];
    size_t n;
} Log;

static void log_word(Log *l, u32 word)
{
    assert_true(l->n < MOST_ACCESSES);
    l->word[l->n++] = word;
}

static u32 read_ref(const u32 *value, Ref r) { return r.kind == R_VAL ? value[r.val] : r.val; }

static void run_ins(const Ins *i, const u32 *param, u32 *value, Log *log)
{
    const u32 a = read_ref(value, i->a[0]), b = read_ref(value, i->a[1]);
    switch (i->op) {
    case IR_param: value[i->dst] = param[i->imm]; break;
    case IR_load:
        if (i->space != IN_CONST)
            log_word(log, a + (u32)i->imm);
        value[i->dst] = (a + (u32)i->imm) * 2654435761u;
        break;
    case IR_store:
        log_word(log, b + (u32)i->imm);
        log_word(log, a);
        break;
    default: value[i->dst] = op_eval(ir_info[i->op].eval, a, b);
    }
}

static void run_phis(const Block *b, u32 from, u32 *value)
{
    u32 new[64];
    size_t p = 0;
    while (p < b->npred && b->pred[p] != from)
        p++;
    assert_true(b->nphi <= countof(new));
    for (size_t k = 0; k < b->nphi; k++)
        new[k] = read_ref(value, b->phi[k].arg[p]);
    for (size_t k = 0; k < b->nphi; k++)
        value[b->phi[k].dst] = new[k];
}

static void run(const Func *f, const u32 *param, Log *log)
{
    u32 *value = mem_zalloc(f->nvalue, sizeof *value), at = 0;
    log->n = 0;
    for (int n = 0;; n++) {
        const Block *b = &f->block[at];
        const Term *t = &b->term;
        assert_true(n < MOST_BLOCKS);
        for (size_t k = 0; k < b->nins; k++)
            run_ins(&b->ins[k], param, value, log);
        if (t->kind == T_RET)
            break;
        const u32 x = read_ref(value, t->a[0]), y = read_ref(value, t->a[1]);
        const bool taken = t->kind == T_JUMP || op_eval(ir_info[IR_eq + t->cmp].eval, x, y);
        run_phis(&f->block[t->succ[!taken]], at, value);
        at = t->succ[!taken];
    }
    mem_free(value);
}

static void expect_same_accesses(const char *text)
{
    static const u32 param[][PARAMS] = {
        {0x90000000, 5, 3}, {1, 0, UINT32_MAX}, {0xfffffff0, 0x80000001, 1000}};
    Log before, after;
    Module *m = parse(text), *reduced = parse(text);
    graph_build(m->func[0]);
    reduce(reduced->func[0]);
    for (size_t k = 0; k < countof(param); k++) {
        run(m->func[0], param[k], &before);
        run(reduced->func[0], param[k], &after);
        if (before.n != after.n || memcmp(before.word, after.word, before.n * sizeof(u32)) != 0)
            fail_msg("other accesses:\n%s", text);
    }
    ir_free(m);
    ir_free(reduced);
}

/* --- how much is left ----------------------------------------------------------------- */

#define FUNCTION(body)                                                                             \
    "func @f params 3 {\nb0:\n%1 = param\n%2 = param #1\n%3 = param #2\n" body "ret\n}\n"

/* instructions and phis in the loops at depth 1, and deeper */
static const struct {
    const char *name, *text;
    size_t ins[2], phis[2];
} loops[] = {
    {"a[i] and b[3 i + 1] with a load each: two sums and the count",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %11\n%5 = sll %4, 2\n%6 = add %1, %5\n"
              "%7 = load word global [%6]\n%8 = mul %5, 3\n%9 = add %2, %8\n%10 = add %9, 4\n"
              "store word global %7, [%10]\n%11 = add %4, 1\nbr ne %11, 9 -> b1, b2\nb2:\n"),
     {5, 0},
     {3, 0}},
    {"a[i n + j] with i n of a count: its step is 4 n",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %8\n%5 = mul %4, %2\n%6 = sll %5, 2\n"
              "%7 = add %1, %6\nstore word global 1, [%7]\n%8 = add %4, 1\n"
              "br ne %8, 9 -> b1, b2\nb2:\n"),
     {3, 0},
     {2, 0}},
    {"accesses a constant apart share a counter",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %12\n%5 = sub %4, %2\n%6 = mul %5, 68\n"
              "%7 = add %1, %6\n%8 = load word local [%7]\n%9 = add %5, 1\n%10 = mul %9, 68\n"
              "%11 = add %1, %10\nstore word local %8, [%11 + 4]\n%12 = add %4, 1\n"
              "br ne %12, 9 -> b1, b2\nb2:\n"),
     {4, 0},
     {2, 0}},
    {"where an inner counter starts is a counter of the outer loop",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b3 %11\n%5 = mul %4, %2\n%6 = add %5, %3\njump b2\n"
              "b2:\n%7 = phi b1 0, b2 %10\n%8 = add %6, %7\n%9 = sll %8, 2\n"
              "store word global 1, [%9]\n%10 = add %7, 1\nbr ne %10, 9 -> b2, b3\n"
              "b3:\n%11 = add %4, 1\nbr ne %11, 9 -> b1, b4\nb4:\n"),
     {2, 3},
     {2, 2}},
    {"an address of the warp ends the loop, and the count goes",
     FUNCTION("%4 = load word const [16]\njump b1\nb1:\n%5 = phi b0 0, b1 %9\n%6 = sll %5, 2\n"
              "%7 = add %4, %6\n%8 = load word global [%7]\nstore word global %8, [%7 + 64]\n"
              "%9 = add %5, 1\nbr ne %9, 9 -> b1, b2\nb2:\n"),
     {3, 0},
     {1, 0}},
    {"but not where the count is stored",
     FUNCTION("%4 = load word const [16]\njump b1\nb1:\n%5 = phi b0 0, b1 %9\n%6 = sll %5, 2\n"
              "%7 = add %4, %6\nstore word global %5, [%7 + 64]\n"
              "%9 = add %5, 1\nbr ne %9, 9 -> b1, b2\nb2:\n"),
     {3, 0},
     {2, 0}},
    {"an address that goes back while the count goes up ends the loop",
     FUNCTION("%4 = load word const [16]\njump b1\nb1:\n%5 = phi b0 0, b1 %8\n"
              "%6 = phi b0 %4, b1 %9\nstore word global 1, [%6]\n%8 = add %5, 4\n"
              "%9 = sub %6, 12\nbr ne %8, 36 -> b1, b2\nb2:\n"),
     {2, 0},
     {1, 0}},
    {"one that steps by half of the memory while the count goes down by one",
     FUNCTION("%4 = load word const [16]\njump b1\nb1:\n%5 = phi b0 2, b1 %8\n"
              "%6 = phi b0 %4, b1 %9\nstore word global 1, [%6]\n%8 = sub %5, 1\n"
              "%9 = add %6, -2147483648\nbr ne %8, 0 -> b1, b2\nb2:\n"),
     {2, 0},
     {1, 0}},
    {"not one whose step is no multiple of the count's",
     FUNCTION("%4 = load word const [16]\njump b1\nb1:\n%5 = phi b0 0, b1 %8\n"
              "%6 = phi b0 %4, b1 %9\nstore word global 1, [%6]\n%8 = add %5, 4\n"
              "%9 = add %6, 6\nbr ne %8, 36 -> b1, b2\nb2:\n"),
     {3, 0},
     {2, 0}},
    {"not one that some rounds do not access",
     FUNCTION("%4 = load word const [16]\njump b1\nb1:\n%5 = phi b0 0, b3 %8\n"
              "%6 = phi b0 %4, b3 %9\nbr lt %4, 0 -> b2, b3\nb2:\nstore word global 1, [%6]\n"
              "jump b3\nb3:\n%8 = add %5, 1\n%9 = add %6, 4\nbr ne %8, 9 -> b1, b4\nb4:\n"),
     {3, 0},
     {2, 0}},
    {"not where each lane has a limit of its own",
     FUNCTION("%4 = load word const [16]\n%7 = and %2, 7\n%10 = or %7, 1\njump b1\nb1:\n"
              "%5 = phi b0 0, b1 %8\n%6 = phi b0 %4, b1 %9\nstore word global 1, [%6]\n"
              "%8 = add %5, 1\n%9 = add %6, 4\nbr ne %8, %10 -> b1, b2\nb2:\n"),
     {3, 0},
     {2, 0}},
    {"a sum of many values from outside is one part",
     FUNCTION(
         "%4 = load word const [16]\n%5 = load word const [20]\n%6 = load word const [24]\n"
         "%7 = load word const [28]\n%8 = load word const [32]\n%9 = load word const [36]\n"
         "%10 = add %4, %5\n%11 = add %10, %6\n%12 = add %11, %7\n%13 = add %12, %8\n"
         "%14 = add %13, %9\n%15 = add %14, %1\njump b1\nb1:\n%16 = phi b0 0, b1 %20\n"
         "%17 = mul %16, %2\n%18 = sll %17, 2\n%19 = add %15, %18\nstore word global 1, [%19]\n"
         "%20 = add %16, 1\nbr ne %20, 9 -> b1, b2\nb2:\n"),
     {3, 0},
     {2, 0}},
    {"a loop whose block has a lower number than the one before it",
     FUNCTION("jump b3\nb1:\n%4 = phi b1 %8, b3 0\n%5 = mul %4, %2\n%6 = sll %5, 2\n"
              "%7 = add %1, %6\nstore word global 1, [%7]\n%8 = add %4, 1\n"
              "br ne %8, 9 -> b1, b2\nb3:\njump b1\nb2:\n"),
     {3, 0},
     {2, 0}},
    {"where lanes do not access it in each round, three instructions are worth a counter",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b3 %8\nbr lt %4, %3 -> b2, b3\n"
              "b2:\n%5 = mul %4, %2\n%6 = sll %5, 2\n%7 = add %1, %6\nstore word global 1, [%7]\n"
              "jump b3\nb3:\n%8 = add %4, 1\nbr ne %8, 9 -> b1, b4\nb4:\n"),
     {3, 0},
     {2, 0}},
    {"two are not",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b3 %8\nbr lt %4, %3 -> b2, b3\n"
              "b2:\n%6 = sll %4, 2\n%7 = add %1, %6\nstore word global 1, [%7]\n"
              "jump b3\nb3:\n%8 = add %4, 1\nbr ne %8, 9 -> b1, b4\nb4:\n"),
     {4, 0},
     {1, 0}},
    {"2047 bytes apart: one counter",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %12\n%6 = mul %4, 64\n%7 = add %1, %6\n"
              "%8 = load byte local [%7]\n%9 = add %4, 32\n%10 = mul %9, 64\n%11 = add %1, %10\n"
              "store byte local %8, [%11 - 1]\n%12 = add %4, 1\nbr ne %12, 9 -> b1, b2\nb2:\n"),
     {4, 0},
     {2, 0}},
    {"2048 bytes apart: two",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %12\n%6 = mul %4, 64\n%7 = add %1, %6\n"
              "%8 = load byte local [%7]\n%9 = add %4, 32\n%10 = mul %9, 64\n%11 = add %1, %10\n"
              "store byte local %8, [%11]\n%12 = add %4, 1\nbr ne %12, 9 -> b1, b2\nb2:\n"),
     {5, 0},
     {3, 0}},
    {"2048 bytes back: one",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %12\n%6 = mul %4, 64\n%7 = add %1, %6\n"
              "%8 = load byte local [%7]\n%9 = sub %4, 32\n%10 = mul %9, 64\n%11 = add %1, %10\n"
              "store byte local %8, [%11]\n%12 = add %4, 1\nbr ne %12, 9 -> b1, b2\nb2:\n"),
     {4, 0},
     {2, 0}},
    {"2049 bytes back: two",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %12\n%6 = mul %4, 64\n%7 = add %1, %6\n"
              "%8 = load byte local [%7]\n%9 = sub %4, 32\n%10 = mul %9, 64\n%11 = add %1, %10\n"
              "store byte local %8, [%11 - 1]\n%12 = add %4, 1\nbr ne %12, 9 -> b1, b2\nb2:\n"),
     {5, 0},
     {3, 0}},
    {"private memory, 1023 bytes apart: one",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %12\n%6 = mul %4, 64\n%7 = add %1, %6\n"
              "%8 = load byte private [%7]\n%9 = add %4, 16\n%10 = mul %9, 64\n%11 = add %1, %10\n"
              "store byte private %8, [%11 - 1]\n%12 = add %4, 1\nbr ne %12, 9 -> b1, b2\nb2:\n"),
     {4, 0},
     {2, 0}},
    {"private memory, 1024 bytes apart: two",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %12\n%6 = mul %4, 64\n%7 = add %1, %6\n"
              "%8 = load byte private [%7]\n%9 = add %4, 16\n%10 = mul %9, 64\n%11 = add %1, %10\n"
              "store byte private %8, [%11]\n%12 = add %4, 1\nbr ne %12, 9 -> b1, b2\nb2:\n"),
     {5, 0},
     {3, 0}},
    {"one instruction is not worth a counter",
     FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %6\n%5 = add %1, %4\n"
              "store byte global 1, [%5]\n%6 = add %4, 1\nbr ne %6, 9 -> b1, b2\nb2:\n"),
     {3, 0},
     {1, 0}},
};

static void count(const Func *f, size_t ins[2], size_t phis[2])
{
    for (size_t n = 0; n < f->nrpo; n++) {
        const Block *b = &f->block[f->rpo[n]];
        if (!b->depth)
            continue;
        ins[b->depth > 1] += b->nins;
        phis[b->depth > 1] += b->nphi;
    }
}

static void little_is_left(void **state)
{
    (void)state;
    for (size_t k = 0; k < countof(loops); k++) {
        size_t ins[2] = {0}, phis[2] = {0};
        Module *m = parse(loops[k].text);
        reduce(m->func[0]);
        count(m->func[0], ins, phis);
        if (memcmp(ins, loops[k].ins, sizeof ins) != 0 ||
            memcmp(phis, loops[k].phis, sizeof phis) != 0)
            fail_msg("%s: %zu and %zu instructions, %zu and %zu phis", loops[k].name, ins[0],
                     ins[1], phis[0], phis[1]);
        ir_free(m);
        expect_same_accesses(loops[k].text);
    }
}

/* the test is of the next value where that is there: the counter ends with its round */
static void tests_read_the_next_value(void **state)
{
    (void)state;
    static const char *const text[] = {
        FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %5\nstore word global %4, [%1]\n"
                 "%5 = add %4, 3\nbr ne %4, 15 -> b1, b2\nb2:\n"),
        FUNCTION("jump b1\nb1:\n%4 = phi b0 0, b1 %5\nstore word global %4, [%1]\n"
                 "%5 = add %4, 3\nbr ne 15, %4 -> b1, b2\nb2:\n")};
    for (int k = 0; k < 2; k++) {
        Module *m = parse(text[k]);
        Func *f = m->func[0];
        pass(f, uniform);
        pass(f, counters);
        const Block *b = &f->block[1];
        assert_int_equal(b->nins, 2);
        assert_int_equal(b->term.a[k].val, b->ins[1].dst);
        assert_true(ref_is_con(b->term.a[!k], 18));
        ir_free(m);
    }
}

/* The phis of a loop that stores at n bases of its own, or at one sum of n values from outside. */
static size_t phis_with(u32 n, bool one_sum)
{
    Buf text = {0};
    u32 v = n + 5;
    buf_str(&text, "func @f params 3 {\nb0:\n%1 = param\n%2 = param #1\n%3 = param #2\n");
    for (u32 k = 0; k < n; k++)
        buf_printf(&text, "%%%u = load word const [%u]\n", 5 + k, 16 + 4 * k);
    buf_printf(&text, "jump b1\nb1:\n%%4 = phi b0 0, b1 %%900\n%%%u = sll %%4, 2\n", v);
    const u32 index = v;
    for (u32 k = 0; k < n; k++) {
        buf_printf(&text, "%%%u = add %%%u, %%%u\n", v + 1, one_sum ? v : index, 5 + k);
        v++;
        if (!one_sum || k + 1 == n)
            buf_printf(&text, "store word global %%4, [%%%u]\n", v);
    }
    buf_str(&text, "%900 = add %4, 1\nbr ne %900, 9 -> b1, b2\nb2:\nret\n}\n");
    Module *m = parse(buf_text(&text));
    size_t ins[2] = {0}, phis[2] = {0};
    reduce(m->func[0]);
    count(m->func[0], ins, phis);
    ir_free(m);
    expect_same_accesses(buf_text(&text));
    buf_free(&text);
    return phis[0];
}

/* Eight counters at most besides the count; sums of six values at most. */
static void as_much_as_there_is_room_for(void **state)
{
    (void)state;
    assert_int_equal(phis_with(7, false), 8);
    assert_int_equal(phis_with(8, false), 9);
    assert_int_equal(phis_with(9, false), 9);
    assert_int_equal(phis_with(5, true), 2);
    assert_int_equal(phis_with(6, true), 2);
    assert_int_equal(phis_with(7, true), 1);
}

/* --- random loops --------------------------------------------------------------------- */

typedef struct {
    Buf text;
    u32 seed, nvalue;
} Maker;

static u32 below(Maker *M, u32 n)
{
    M->seed = M->seed * 1664525 + 1013904223;
    return (M->seed >> 8) % n;
}

static u32 random_constant(Maker *M)
{
    static const u32 some[] = {1, 2, 4, 17, 68, 1024, 4096, UINT32_MAX, -64u, 0x80000000};
    return some[below(M, countof(some))];
}

static u32 any(Maker *M) { return 1 + below(M, M->nvalue); }

static void random_op(Maker *M)
{
    const u32 kind = below(M, 6), x = any(M), y = any(M), v = ++M->nvalue;
    buf_printf(&M->text, "%%%u = ", v);
    switch (kind) {
    case 0:
    case 1: buf_printf(&M->text, "add %%%u, %%%u\n", x, y); break;
    case 2: buf_printf(&M->text, "sub %%%u, %%%u\n", x, y); break;
    case 3: buf_printf(&M->text, "sll %%%u, %u\n", x, below(M, 5)); break;
    case 4: buf_printf(&M->text, "mul %%%u, %%%u\n", x, y); break;
    default: buf_printf(&M->text, "add %%%u, %d\n", x, (i32)random_constant(M));
    }
}

static void random_body(Maker *M, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        random_op(M);
        if (!below(M, 3))
            buf_printf(&M->text, "store word global %%%u, [%%%u + %u]\n", any(M), any(M),
                       4 * below(M, 4));
    }
    buf_printf(&M->text, "store word local %%%u, [%%%u]\n", M->nvalue, M->nvalue);
}

/* Two loops, one in the other, with a part that not every round has, which may change two values
 * that the inner one carries; values are numbered in the order of the text. */
static void random_loops(Maker *M)
{
    const u32 from = random_constant(M), by = random_constant(M),
              to = from + by * (1 + below(M, 6));
    const u32 inner_by = random_constant(M), inner_to = inner_by * (1 + below(M, 6));
    buf_str(&M->text, "func @f params 3 {\nb0:\n");
    for (u32 k = 0; k < 3; k++)
        if (below(M, 2))
            buf_printf(&M->text, "%%%u = param #%u\n", k + 1, k);
        else
            buf_printf(&M->text, "%%%u = load word const [%u]\n", k + 1, 16 + 4 * k);
    M->nvalue = 3;
    random_op(M);
    buf_printf(&M->text, "jump b1\nb1:\n%%5 = phi b0 %d, b5 %%901\n", (i32)from);
    M->nvalue = 5;
    random_body(M, 3);
    const bool apart = below(M, 2); /* nothing else reads what is carried */
    const u32 x = any(M), y = any(M), inner = ++M->nvalue, first = apart ? 906 : inner + 1;
    buf_printf(&M->text, "jump b2\nb2:\n%%%u = phi b1 0, b4 %%902\n", inner);
    buf_printf(&M->text, "%%%u = phi b1 %%%u, b4 %%903\n", first, x);
    buf_printf(&M->text, "%%%u = phi b1 %%%u, b4 %%904\n", first + 1, y);
    M->nvalue += apart ? 0 : 2;
    random_body(M, 6);
    buf_printf(&M->text, "br ltu %%%u, 99 -> b3, b4\nb3:\n", inner);
    const u32 seen = M->nvalue;
    random_body(M, 3);
    buf_printf(&M->text, "jump b4\nb4:\n%%903 = phi b2 %%%u, b3 %%%u\n", first, any(M));
    buf_printf(&M->text, "%%904 = phi b2 %%%u, b3 %%%u\n", first + 1, any(M));
    M->nvalue = seen;
    const bool late = below(M, 2);
    buf_printf(&M->text, "%%905 = %s %%903, %%904\nstore word global %%905, [%%1]\n",
               below(M, 2) ? "sub" : "add");
    buf_printf(&M->text, "%%902 = add %%%u, %d\nbr ne %%%u, %d -> b2, b5\n", inner, (i32)inner_by,
               late ? inner : 902, (i32)inner_to);
    buf_printf(&M->text, "b5:\n%%901 = add %%5, %d\nbr eq %%901, %d -> b6, b1\nb6:\nret\n}\n",
               (i32)by, (i32)to);
}

static void random_loops_access_the_same(void **state)
{
    enum { FEW = 40 };
    (void)state;
    for (u32 seed = 1; seed <= 1000; seed++) {
        Maker M = {.seed = seed};
        random_loops(&M);
        guard_few(seed, FEW);
        expect_same_accesses(buf_text(&M.text));
        guard_end();
        buf_free(&M.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_is_left),
        cmocka_unit_test(tests_read_the_next_value),
        cmocka_unit_test(as_much_as_there_is_room_for),
        cmocka_unit_test(random_loops_access_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
