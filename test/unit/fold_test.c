/* fold_test.c -- folding keeps what a function computes (random functions, evaluated before and
 * after), and each rule does what it is for. */
#include "test/kit/guard.h"
#include "base/mem.h"
#include "cc/cc.h"
#include "test/kit/number.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>

/* --- rules ------------------------------------------------------------------------------ */

/* A body of b0 with two parameters, and what it folds to; values are numbered anew. */
typedef struct {
    const char *body, *folded;
} Rule;

static const Rule rules[] = {
    /* constants, as the machine computes them */
    {"%3 = div 7, 0\nsetret %3", "setret -1"},
    {"%3 = rem -2147483648, -1\nsetret %3", "setret 0"},
    {"%3 = sll 1, 33\nsetret %3", "setret 2"},
    {"%3 = fadd 0x3f800000, 0x40000000\nsetret %3", "setret 0x40400000"},
    {"%3 = fsub 0x7f800000, 0x7f800000\nsetret %3", "setret 0x7fc00000"}, /* canonical NaN */
    {"%3 = fadd 0xffc12345, 0\nsetret %3", "setret 0x7fc00000"},
    {"%3 = fneg 0x7fc00000\nsetret %3", "setret 0xffc00000"},
    {"%3 = ftoi 0x40200000\nsetret %3", "setret 2"}, /* 2.5 to even */
    {"%3 = ftoi 0x40600000\nsetret %3", "setret 4"}, /* 3.5 */
    {"%3 = ftoi 0x40600000 #1\nsetret %3", "setret 3"},
    {"%3 = ftoi 0x7fc00000\nsetret %3", "setret 0x7fffffff"},
    {"%3 = ftou -1082130432\nsetret %3", "setret 0"}, /* -1.0 */
    {"%3 = utof -1\nsetret %3", "setret 0x4f800000"},
    {"%3 = itof -1\nsetret %3", "setret 0xbf800000"},
    {"%3 = fexp 0\nsetret %3", "%1 = fexp 0\nsetret %1"}, /* not correctly rounded: left */
    /* sums */
    {"%3 = add %1, 0\nsetret %3", "setret %1"},
    {"%3 = add 5, %1\nsetret %3", "%2 = add %1, 5\nsetret %2"},
    {"%3 = add %1, 5\n%4 = add %3, -8\nsetret %4", "%2 = add %1, -3\nsetret %2"},
    {"%3 = sub %1, 5\nsetret %3", "%2 = add %1, -5\nsetret %2"},
    {"%3 = sub %1, %1\nsetret %3", "setret 0"},
    {"%3 = sub 0, %1\n%4 = sub 0, %3\nsetret %4", "setret %1"},
    {"%3 = sub 0, %1\n%4 = add %2, %3\nsetret %4", "%3 = sub %2, %1\nsetret %3"},
    {"%3 = xor %1, -1\n%4 = add %3, 1\nsetret %4", "%2 = sub 0, %1\nsetret %2"},
    {"%3 = add %1, %2\n%4 = sub %3, %1\nsetret %4", "setret %1"}, /* %2, numbered anew */
    {"%3 = sub %1, %2\n%4 = add %3, %2\nsetret %4", "setret %1"},
    {"%3 = add @s+4, 8\nsetret %3", "setret @s+12"},
    {"%3 = add $0, -8\nsetret %3", "setret $0-8"},
    {"%3 = add @s+4, 32767\nsetret %3", "%1 = add @s+4, 32767\nsetret %1"},
    {"%3 = add %1, %2\nsetret %3", "%3 = add %1, %2\nsetret %3"},
    /* products */
    {"%3 = mul %1, 0\nsetret %3", "setret 0"},
    {"%3 = mul 1, %1\nsetret %3", "setret %1"},
    {"%3 = mul %1, 8\nsetret %3", "%2 = sll %1, 3\nsetret %2"},
    {"%3 = mul %1, -2147483648\nsetret %3", "%2 = sll %1, 31\nsetret %2"},
    {"%3 = mul %1, -1\nsetret %3", "%2 = sub 0, %1\nsetret %2"},
    {"%3 = sll %1, 2\n%4 = mul %3, 5\nsetret %4", "%2 = mul %1, 20\nsetret %2"},
    {"%3 = mul %1, 6\nsetret %3", "%2 = mul %1, 6\nsetret %2"},
    {"%3 = mulhu %1, 16\nsetret %3", "%2 = srl %1, 28\nsetret %2"},
    {"%3 = mulh %1, 1\nsetret %3", "%2 = sra %1, 31\nsetret %2"},
    {"%3 = mulh %1, 16\nsetret %3", "%2 = mulh %1, 16\nsetret %2"},
    /* division by a constant; others: `divisions` */
    {"%3 = divu %1, 8\nsetret %3", "%2 = srl %1, 3\nsetret %2"},
    {"%3 = remu %1, 8\nsetret %3", "%2 = and %1, 7\nsetret %2"},
    {"%3 = divu %1, 0\nsetret %3", "setret -1"},
    {"%3 = rem %1, 0\nsetret %3", "setret %1"},
    {"%3 = div %1, -1\nsetret %3", "%2 = sub 0, %1\nsetret %2"},
    {"%3 = divu 8, %1\nsetret %3", "%2 = divu 8, %1\nsetret %2"},
    /* bits */
    {"%3 = and %1, -1\nsetret %3", "setret %1"},
    {"%3 = and %1, %1\nsetret %3", "setret %1"},
    {"%3 = and %1, 60\n%4 = and %3, 15\nsetret %4", "%2 = and %1, 12\nsetret %2"},
    {"%3 = srl %1, 24\n%4 = and %3, 255\nsetret %4", "%2 = srl %1, 24\nsetret %2"},
    {"%3 = srl %1, 24\n%4 = and %3, 127\nsetret %4",
     "%2 = srl %1, 24\n%3 = and %2, 127\nsetret %3"},
    {"%3 = load byte global [%1]\n%4 = and %3, 255\nsetret %4",
     "%2 = load byte global [%1]\nsetret %2"},
    {"%3 = load byte global signed [%1]\n%4 = and %3, 255\nsetret %4",
     "%2 = load byte global signed [%1]\n%3 = and %2, 255\nsetret %3"},
    {"%3 = or %1, 12\n%4 = and %3, 3\nsetret %4", "%2 = and %1, 3\nsetret %2"},
    {"%3 = sll %1, 8\n%4 = and %2, 63\n%5 = add %3, %4\n%6 = and %5, 192\nsetret %6", "setret 0"},
    {"%3 = sll %1, 8\n%4 = and %2, 319\n%5 = add %3, %4\n%6 = and %5, 192\nsetret %6", /* carries */
     "%3 = sll %1, 8\n%4 = and %2, 319\n%5 = add %3, %4\n%6 = and %5, 192\nsetret %6"},
    {"%3 = xor %1, -1\n%4 = and %3, %1\nsetret %4", "setret 0"},
    {"%3 = or %1, %2\n%4 = and %1, %3\nsetret %4", "setret %1"},
    {"%3 = and %1, %2\n%4 = or %3, %1\nsetret %4", "setret %1"},
    {"%3 = or %1, 3\n%4 = or %3, 12\nsetret %4", "%2 = or %1, 15\nsetret %2"},
    {"%3 = xor %1, %1\nsetret %3", "setret 0"},
    {"%3 = xor %1, %2\n%4 = xor %2, %3\nsetret %4", "setret %1"},
    {"%3 = lt %1, %2\n%4 = xor %3, 1\nsetret %4", "%3 = ge %1, %2\nsetret %3"},
    {"%3 = flt %1, %2\n%4 = xor %3, 1\nsetret %4", /* a NaN: not fge */
     "%3 = flt %1, %2\n%4 = xor %3, 1\nsetret %4"},
    /* shifts */
    {"%3 = sll %1, 32\nsetret %3", "setret %1"},
    {"%3 = sll %1, 20\n%4 = sll %3, 20\nsetret %4", "setret 0"},
    {"%3 = sra %1, 20\n%4 = sra %3, 20\nsetret %4", "%2 = sra %1, 31\nsetret %2"},
    {"%3 = sll %1, 8\n%4 = srl %3, 8\nsetret %4", "%2 = and %1, 0x00ffffff\nsetret %2"},
    {"%3 = srl %1, 8\n%4 = sll %3, 8\nsetret %4", "%2 = and %1, -256\nsetret %2"},
    {"%3 = sll %1, 8\n%4 = srl %3, 9\nsetret %4", "%2 = sll %1, 8\n%3 = srl %2, 9\nsetret %3"},
    {"%3 = and %1, 127\n%4 = sll %3, 24\n%5 = sra %4, 24\nsetret %5",
     "%2 = and %1, 127\nsetret %2"},
    {"%3 = and %1, 255\n%4 = sll %3, 24\n%5 = sra %4, 24\nsetret %5",
     "%2 = and %1, 255\n%3 = sll %2, 24\n%4 = sra %3, 24\nsetret %4"},
    {"%3 = load half flat signed [%1]\n%4 = sll %3, 16\n%5 = sra %4, 16\nsetret %5",
     "%2 = load half flat signed [%1]\nsetret %2"},
    {"%3 = load half flat signed [%1]\n%4 = sll %3, 24\n%5 = sra %4, 24\nsetret %5",
     "%2 = load half flat signed [%1]\n%3 = sll %2, 24\n%4 = sra %3, 24\nsetret %4"},
    {"%3 = and %2, 31\n%4 = sll %1, %3\nsetret %4", "%3 = sll %1, %2\nsetret %3"},
    {"%3 = and %2, 15\n%4 = sll %1, %3\nsetret %4", "%3 = and %2, 15\n%4 = sll %1, %3\nsetret %4"},
    /* comparisons */
    {"%3 = eq %1, %1\nsetret %3", "setret 1"},
    {"%3 = ltu %1, 0\nsetret %3", "setret 0"},
    {"%3 = ltu %1, 1\nsetret %3", "%2 = eq %1, 0\nsetret %2"},
    {"%3 = lt 4, %1\nsetret %3", "%2 = ge %1, 5\nsetret %2"},
    {"%3 = lt 0x7fffffff, %1\nsetret %3", "setret 0"},
    {"%3 = ge %1, -2147483648\nsetret %3", "setret 1"},
    {"%3 = lt %1, %2\n%4 = eq %3, 0\nsetret %4", "%3 = ge %1, %2\nsetret %3"},
    {"%3 = feq %1, %2\n%4 = ne %3, 0\nsetret %4", "%3 = feq %1, %2\nsetret %3"},
    {"%3 = add %1, 5\n%4 = eq %3, 7\nsetret %4", "%2 = eq %1, 2\nsetret %2"},
    {"%3 = add %1, 5\n%4 = lt %3, 7\nsetret %4", /* the sum may wrap */
     "%2 = add %1, 5\n%3 = lt %2, 7\nsetret %3"},
    {"%3 = xor %1, %2\n%4 = ne %3, 0\nsetret %4", "%3 = ne %1, %2\nsetret %3"},
    {"%3 = and %1, 6\n%4 = eq %3, 1\nsetret %4", "setret 0"},
    {"%3 = and %1, 7\n%4 = ltu %3, 8\nsetret %4", "setret 1"},
    {"%3 = and %1, 7\n%4 = ltu %3, 7\nsetret %4", "%2 = and %1, 7\n%3 = ltu %2, 7\nsetret %3"},
    /* select, minimum, maximum */
    {"%3 = select 1, %1, %2\nsetret %3", "setret %1"},
    {"%3 = lane\n%4 = and %3, 1\n%5 = select %4, %1, %1\nsetret %5", "setret %1"},
    {"%3 = eq %1, %2\n%4 = select %3, 1, 0\nsetret %4", "%3 = eq %1, %2\nsetret %3"},
    {"%3 = eq %1, %2\n%4 = select %3, 0, 1\nsetret %4", "%3 = ne %1, %2\nsetret %3"},
    {"%3 = eq %1, %2\n%4 = select %3, 8, 0\nsetret %4",
     "%3 = eq %1, %2\n%4 = sll %3, 3\nsetret %4"},
    {"%3 = eq %1, %2\n%4 = select %3, 9, 3\nsetret %4",
     "%3 = eq %1, %2\n%4 = select %3, 9, 3\nsetret %4"},
    {"%3 = lt %1, %2\n%4 = select %3, %1, %2\nsetret %4", "%3 = min %1, %2\nsetret %3"},
    {"%3 = ltu %2, %1\n%4 = select %3, %1, %2\nsetret %4", "%3 = maxu %1, %2\nsetret %3"},
    {"%3 = lt 9, %1\n%4 = select %3, %1, 9\nsetret %4", "%2 = max %1, 9\nsetret %2"},
    {"%3 = lt 9, %1\n%4 = select %3, %1, 8\nsetret %4",
     "%2 = ge %1, 10\n%3 = select %2, %1, 8\nsetret %3"},
    {"%3 = eq %1, 5\n%4 = select %3, 5, %1\nsetret %4", "setret %1"},
    {"%3 = flt %1, %2\n%4 = select %3, %1, %2\nsetret %4", /* not fmin: NaN, zeros */
     "%3 = flt %1, %2\n%4 = select %3, %1, %2\nsetret %4"},
    {"%3 = minu %1, -1\nsetret %3", "setret %1"},
    {"%3 = min %1, 4\n%4 = min %3, 3\nsetret %4", "%2 = min %1, 3\nsetret %2"},
    /* floats: only what keeps every bit */
    {"%3 = fneg %1\n%4 = fneg %3\nsetret %4", "setret %1"},
    {"%3 = fneg %2\n%4 = fadd %1, %3\nsetret %4", "%3 = fsub %1, %2\nsetret %3"},
    {"%3 = fneg %1\n%4 = fneg %2\n%5 = fmul %3, %4\nsetret %5", "%3 = fmul %1, %2\nsetret %3"},
    {"%3 = fneg %1\n%4 = fmul %3, %2\nsetret %4", "%3 = fneg %1\n%4 = fmul %2, %3\nsetret %4"},
    {"%3 = fadd %1, -2147483648\nsetret %3", "%2 = fadd %1, 0x80000000\nsetret %2"},
    {"%3 = fmul %1, 0x3f800000\nsetret %3", "%2 = fmul %1, 0x3f800000\nsetret %2"},
    {"%3 = fcopysign %1, 0\nsetret %3", "%2 = fabs %1\nsetret %2"},
    {"%3 = fneg %1\n%4 = fabs %3\nsetret %4", "%2 = fabs %1\nsetret %2"},
    /* equal computations */
    {"%3 = mul %1, %2\n%4 = mul %2, %1\n%5 = sub %3, %4\nsetret %5", "setret 0"},
    {"%3 = sub %1, %2\n%4 = sub %2, %1\n%5 = xor %3, %4\nsetret %5",
     "%3 = sub %1, %2\n%4 = sub %2, %1\n%5 = xor %3, %4\nsetret %5"},
    {"%3 = load word const [%1]\nfence\n%4 = load word const [%1]\n%5 = sub %3, %4\nsetret %5",
     "fence\nsetret 0"},
    {"%3 = load word const volatile [%1]\n%4 = load word const volatile [%1]\n%5 = sub %3, %4\nsetret %5",
     "%2 = load word const volatile [%1]\n%3 = load word const volatile [%1]\n%4 = sub %2, %3\nsetret %4"},
    {"%3 = load word const [%1]\n%4 = load byte const [%1]\n%5 = sub %3, %4\nsetret %5",
     "%2 = load word const [%1]\n%3 = load byte const [%1]\n%4 = sub %2, %3\nsetret %4"},
    {"%3 = load word global [%1]\nfence\n%4 = load word global [%1]\n%5 = sub %3, %4\nsetret %5",
     "%2 = load word global [%1]\nfence\n%3 = load word global [%1]\n%4 = sub %2, %3\nsetret %4"},
    /* dead code */
    {"%3 = load word global [%1]\nsetret 0", "setret 0"},
    {"%3 = load word global volatile [%1]\nsetret 0",
     "%2 = load word global volatile [%1]\nsetret 0"},
    /* addresses */
    {"%3 = add %1, 2040\nstore word global 0, [%3 + 7]", "store word global 0, [%1 + 2047]"},
    {"%3 = add %1, 2040\nstore word global 0, [%3 + 8]",
     "%2 = add %1, 2040\nstore word global 0, [%2 + 8]"},
    {"%3 = add %1, 1023\nstore word private 0, [%3]", "store word private 0, [%1 + 1023]"},
    {"%3 = add %1, 1024\nstore word private 0, [%3]",
     "%2 = add %1, 1024\nstore word private 0, [%2]"},
    {"%3 = sll %1, 4\n%4 = or %3, 12\nstore word local 0, [%4]",
     "%2 = sll %1, 4\nstore word local 0, [%2 + 12]"},
    {"%3 = sll %1, 3\n%4 = or %3, 12\nstore word local 0, [%4]",
     "%2 = sll %1, 3\n%3 = or %2, 12\nstore word local 0, [%3]"},
    {"%3 = add %1, 12\n%4 = add %3, %2\nstore word local 0, [%4]",
     "%3 = add %1, %2\nstore word local 0, [%3 + 12]"},
    {"%3 = and %2, 255\nstore byte global %3, [%1]", "store byte global %2, [%1]"},
    {"%3 = and %2, 65535\nstore half global %3, [%1]", "store half global %2, [%1]"},
    {"%3 = and %2, 65535\nstore word global %3, [%1]",
     "%3 = and %2, 65535\nstore word global %3, [%1]"},
    {"%3 = and %2, 255\nstore half global %3, [%1]",
     "%3 = and %2, 255\nstore half global %3, [%1]"},
};

static Module *parse(const char *text)
{
    Buf messages = {0};
    Diag d = {.sink = diag_to_buf, .to = &messages};
    Module *m = ir_parse(&(Source){.name = "t.ir", .text = text}, target_find(0), &d);
    if (!m)
        fail_msg("%s", buf_text(&messages));
    buf_free(&messages);
    return m;
}

static void fold_checked(Func *f)
{
    Buf why = {0};
    if (!ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s", buf_text(&why));
    graph_build(f);
    fold(f);
    if (!ir_check(f, STAGE_GENERIC, &why))
        fail_msg("%s", buf_text(&why));
    buf_free(&why);
}

/* the printed function from b0 on, without parameters, indentation and `ret` */
static void body_of(const Func *f, Buf *out)
{
    Buf text = {0};
    ir_print(&text, f);
    char *save, *line = strtok_r((char *)text.data, "\n", &save);
    for (bool inside = false; line; line = strtok_r(NULL, "\n", &save)) {
        line += strspn(line, " ");
        if (inside && !strstr(line, "= param") && strcmp(line, "ret") && strcmp(line, "}"))
            buf_printf(out, "%s%s", out->len ? "\n" : "", line);
        inside |= !strcmp(line, "b0:");
    }
    buf_free(&text);
}

static void expect_rules(const Rule *rule, size_t n)
{
    int bad = 0;
    for (size_t k = 0; k < n; k++) {
        Buf text = {0}, got = {0};
        buf_printf(&text,
                   "func @f params 2 results 1 {\nslot $0 size 64 align 4\nb0:\n"
                   "%%1 = param\n%%2 = param #1\n%s\nret\n}\n",
                   rule[k].body);
        Module *m = parse(buf_text(&text));
        fold_checked(m->func[0]);
        body_of(m->func[0], &got);
        if (strcmp(buf_text(&got), rule[k].folded)) {
            print_error("%s\nbecame\n%s\nnot\n%s\n", rule[k].body, buf_text(&got), rule[k].folded);
            bad++;
        }
        ir_free(m);
        buf_free(&text);
        buf_free(&got);
    }
    assert_int_equal(bad, 0);
}

static void rule_table(void **state)
{
    (void)state;
    expect_rules(rules, countof(rules));
}

/* The other side of each condition of the rules above, the other order of operands, and the ends of ranges. */
static const Rule other_rules[] = {
    /* sums */
    {"%3 = add 0, %1\nsetret %3", "setret %1"},
    {"%3 = sub 5, %1\n%4 = add %3, 3\nsetret %4", "%2 = sub 8, %1\nsetret %2"},
    {"%3 = xor %1, -1\n%4 = add %3, 2\nsetret %4", "%2 = xor %1, -1\n%3 = add %2, 2\nsetret %3"},
    {"%3 = xor %1, 7\n%4 = add %3, 1\nsetret %4", "%2 = xor %1, 7\n%3 = add %2, 1\nsetret %3"},
    {"%3 = sub 0, %1\n%4 = add %3, %2\nsetret %4", "%3 = sub %2, %1\nsetret %3"},
    {"%3 = sub 1, %1\n%4 = add %3, %2\nsetret %4", "%3 = sub 1, %1\n%4 = add %2, %3\nsetret %4"},
    {"%3 = sub %1, %2\n%4 = add %2, %3\nsetret %4", "setret %1"},
    {"%3 = sub %1, %2\n%4 = add %3, %1\nsetret %4", "%3 = sub %1, %2\n%4 = add %1, %3\nsetret %4"},
    {"%3 = sub -1, %1\nsetret %3", "%2 = xor %1, -1\nsetret %2"},
    {"%3 = sub 7, %1\nsetret %3", "%2 = sub 7, %1\nsetret %2"},
    {"%3 = add %1, 5\n%4 = sub 7, %3\nsetret %4", "%2 = sub 2, %1\nsetret %2"},
    {"%3 = sub %1, %2\n%4 = sub 0, %3\nsetret %4", "%3 = sub %2, %1\nsetret %3"},
    {"%3 = sub 0, %1\n%4 = sub %2, %3\nsetret %4", "%3 = add %1, %2\nsetret %3"},
    {"%3 = sub 1, %1\n%4 = sub %2, %3\nsetret %4", "%3 = sub 1, %1\n%4 = sub %2, %3\nsetret %4"},
    {"%3 = add %1, %2\n%4 = sub %3, %2\nsetret %4", "setret %1"},
    {"%3 = add %1, %2\n%4 = sub %1, %3\nsetret %4", "%3 = add %1, %2\n%4 = sub %1, %3\nsetret %4"},
    {"%3 = add @s+4, -5\nsetret %3", "setret @s-1"},
    {"%3 = add @s, 32767\nsetret %3", "setret @s+32767"},
    {"%3 = add @s, -32768\nsetret %3", "setret @s-32768"},
    {"%3 = add @s-1, -32768\nsetret %3", "%1 = add @s-1, -32768\nsetret %1"},
    /* products */
    {"%3 = mul %1, %2\nsetret %3", "%3 = mul %1, %2\nsetret %3"},
    {"%3 = mul %1, 2\nsetret %3", "%2 = sll %1, 1\nsetret %2"},
    {"%3 = mul %1, 3\n%4 = mul %3, 5\nsetret %4", "%2 = mul %1, 15\nsetret %2"},
    {"%3 = sll %1, 34\n%4 = mul %3, 5\nsetret %4", "%2 = mul %1, 20\nsetret %2"},
    {"%3 = mulhu %1, 0\nsetret %3", "setret 0"},
    {"%3 = mulhu %1, 1\nsetret %3", "setret 0"},
    {"%3 = mulhu %1, 2\nsetret %3", "%2 = srl %1, 31\nsetret %2"},
    {"%3 = mulhu %1, -2147483648\nsetret %3", "%2 = srl %1, 1\nsetret %2"},
    {"%3 = mulhu %1, 6\nsetret %3", "%2 = mulhu %1, 6\nsetret %2"},
    {"%3 = mulh %1, 0\nsetret %3", "setret 0"},
    {"%3 = mulh %1, %2\nsetret %3", "%3 = mulh %1, %2\nsetret %3"},
    {"%3 = divu %1, 1\nsetret %3", "setret %1"},
    {"%3 = remu %1, 1\nsetret %3", "setret 0"},
    {"%3 = div %1, 1\nsetret %3", "setret %1"},
    {"%3 = rem %1, 1\nsetret %3", "setret 0"},
    {"%3 = rem %1, -1\nsetret %3", "setret 0"},
    {"%3 = div %1, 0\nsetret %3", "setret -1"},
    {"%3 = remu %1, 0\nsetret %3", "setret %1"},
    {"%3 = div %1, %2\nsetret %3", "%3 = div %1, %2\nsetret %3"},
    /* bits */
    {"%3 = and %1, 0\nsetret %3", "setret 0"},
    {"%3 = and %1, %2\nsetret %3", "%3 = and %1, %2\nsetret %3"},
    {"%3 = or %1, 12\n%4 = and %3, 7\nsetret %4", "%2 = or %1, 12\n%3 = and %2, 7\nsetret %3"},
    {"%3 = sra %1, 8\n%4 = and %3, 255\nsetret %4", "%3 = srl %1, 8\n%2 = and %3, 255\nsetret %2"},
    {"%3 = sra %1, 24\n%4 = and %3, 255\nsetret %4", "%2 = srl %1, 24\nsetret %2"},
    {"%3 = sra %1, 24\n%4 = and %3, 511\nsetret %4", "%2 = sra %1, 24\n%3 = and %2, 511\nsetret %3"},
    {"%3 = xor %1, -1\n%4 = and %1, %3\nsetret %4", "setret 0"},
    {"%3 = xor %1, -2\n%4 = and %1, %3\nsetret %4", "%2 = xor %1, -2\n%3 = and %1, %2\nsetret %3"},
    {"%3 = xor %2, -1\n%4 = and %1, %3\nsetret %4", "%3 = xor %2, -1\n%4 = and %1, %3\nsetret %4"},
    {"%3 = or %2, %1\n%4 = and %3, %1\nsetret %4", "setret %1"},
    {"%3 = xor %1, %2\n%4 = and %3, %1\nsetret %4", "%3 = xor %1, %2\n%4 = and %1, %3\nsetret %4"},
    {"%3 = or %1, 0\nsetret %3", "setret %1"},
    {"%3 = or %1, -1\nsetret %3", "setret -1"},
    {"%3 = or %1, %1\nsetret %3", "setret %1"},
    {"%3 = xor %1, -1\n%4 = or %3, %1\nsetret %4", "setret -1"},
    {"%3 = xor %1, -1\n%4 = or %1, %3\nsetret %4", "setret -1"},
    {"%3 = xor %1, 1\n%4 = or %1, %3\nsetret %4", "%2 = xor %1, 1\n%3 = or %1, %2\nsetret %3"},
    {"%3 = and %1, %2\n%4 = or %2, %3\nsetret %4", "setret %1"}, /* %2, numbered anew */
    {"%3 = or %1, %2\n%4 = or %3, %1\nsetret %4", "%3 = or %1, %2\n%4 = or %1, %3\nsetret %4"},
    {"%3 = xor %1, 0\nsetret %3", "setret %1"},
    {"%3 = xor %1, 5\n%4 = xor %3, 6\nsetret %4", "%2 = xor %1, 3\nsetret %2"},
    {"%3 = xor %1, 5\n%4 = xor %3, 5\nsetret %4", "setret %1"},
    {"%3 = xor %1, %2\n%4 = xor %3, %1\nsetret %4", "setret %1"}, /* %2 */
    {"%3 = eq %1, %2\n%4 = xor %3, 1\nsetret %4", "%3 = ne %1, %2\nsetret %3"},
    {"%3 = ne %1, %2\n%4 = xor %3, 1\nsetret %4", "%3 = eq %1, %2\nsetret %3"},
    {"%3 = ge %1, %2\n%4 = xor %3, 1\nsetret %4", "%3 = lt %1, %2\nsetret %3"},
    {"%3 = ltu %1, %2\n%4 = xor %3, 1\nsetret %4", "%3 = geu %1, %2\nsetret %3"},
    {"%3 = geu %1, %2\n%4 = xor %3, 1\nsetret %4", "%3 = ltu %1, %2\nsetret %3"},
    {"%3 = eq %1, %2\n%4 = xor %3, 2\nsetret %4", "%3 = eq %1, %2\n%4 = xor %3, 2\nsetret %4"},
    /* shifts */
    {"%3 = srl %1, 0\nsetret %3", "setret %1"},
    {"%3 = sra %1, 64\nsetret %3", "setret %1"},
    {"%3 = srl %1, 33\nsetret %3", "%2 = srl %1, 1\nsetret %2"},
    {"%3 = sll 0, %1\nsetret %3", "setret 0"},
    {"%3 = srl 1, %1\nsetret %3", "%2 = srl 1, %1\nsetret %2"},
    {"%3 = sll %1, 20\n%4 = sll %3, 11\nsetret %4", "%2 = sll %1, 31\nsetret %2"},
    {"%3 = sll %1, 20\n%4 = sll %3, 12\nsetret %4", "setret 0"},
    {"%3 = srl %1, 20\n%4 = srl %3, 11\nsetret %4", "%2 = srl %1, 31\nsetret %2"},
    {"%3 = srl %1, 20\n%4 = srl %3, 12\nsetret %4", "setret 0"},
    {"%3 = sra %1, 20\n%4 = sra %3, 11\nsetret %4", "%2 = sra %1, 31\nsetret %2"},
    {"%3 = sra %1, 3\n%4 = sra %3, 4\nsetret %4", "%2 = sra %1, 7\nsetret %2"},
    {"%3 = sra %1, 5\n%4 = srl %3, 31\nsetret %4", "%2 = srl %1, 31\nsetret %2"},
    {"%3 = sra %1, 5\n%4 = srl %3, 30\nsetret %4", "%2 = sra %1, 5\n%3 = srl %2, 30\nsetret %3"},
    {"%3 = and %1, 255\n%4 = srl %3, 8\nsetret %4", "setret 0"},
    {"%3 = and %1, 256\n%4 = srl %3, 8\nsetret %4", "%2 = and %1, 256\n%3 = srl %2, 8\nsetret %3"},
    {"%3 = and %1, 256\n%4 = sra %3, 4\nsetret %4", "%2 = and %1, 256\n%3 = srl %2, 4\nsetret %3"},
    {"%3 = and %1, -256\n%4 = sra %3, 4\nsetret %4", "%2 = and %1, -256\n%3 = sra %2, 4\nsetret %3"},
    {"%3 = sra %1, 8\n%4 = sll %3, 8\nsetret %4", "%2 = sra %1, 8\n%3 = sll %2, 8\nsetret %3"},
    {"%3 = load byte flat signed [%1]\n%4 = sll %3, 24\n%5 = sra %4, 24\nsetret %5",
     "%2 = load byte flat signed [%1]\nsetret %2"},
    {"%3 = load byte flat [%1]\n%4 = sll %3, 24\n%5 = sra %4, 24\nsetret %5",
     "%2 = load byte flat [%1]\n%3 = sll %2, 24\n%4 = sra %3, 24\nsetret %4"},
    {"%3 = load byte flat [%1]\n%4 = sll %3, 23\n%5 = sra %4, 23\nsetret %5", "%2 = load byte flat [%1]\nsetret %2"},
    {"%3 = and %2, 63\n%4 = srl %1, %3\nsetret %4", "%3 = srl %1, %2\nsetret %3"},
    {"%3 = and %2, 62\n%4 = srl %1, %3\nsetret %4", "%3 = and %2, 62\n%4 = srl %1, %3\nsetret %4"},
    /* comparisons */
    {"%3 = ne %1, %1\nsetret %3", "setret 0"},
    {"%3 = lt %1, %1\nsetret %3", "setret 0"},
    {"%3 = ge %1, %1\nsetret %3", "setret 1"},
    {"%3 = ltu %1, %1\nsetret %3", "setret 0"},
    {"%3 = geu %1, %1\nsetret %3", "setret 1"},
    {"%3 = geu %1, 0\nsetret %3", "setret 1"},
    {"%3 = geu %1, 1\nsetret %3", "%2 = ne %1, 0\nsetret %2"},
    {"%3 = ltu %1, 2\nsetret %3", "%2 = ltu %1, 2\nsetret %2"},
    {"%3 = lt %1, 0\nsetret %3", "%2 = lt %1, 0\nsetret %2"},
    {"%3 = lt %1, 1\nsetret %3", "%2 = lt %1, 1\nsetret %2"},
    {"%3 = lt %1, -2147483648\nsetret %3", "setret 0"},
    {"%3 = ge 4, %1\nsetret %3", "%2 = lt %1, 5\nsetret %2"},
    {"%3 = ge 0x7fffffff, %1\nsetret %3", "setret 1"},
    {"%3 = ltu 4, %1\nsetret %3", "%2 = geu %1, 5\nsetret %2"},
    {"%3 = ltu -1, %1\nsetret %3", "setret 0"},
    {"%3 = ltu 0x7fffffff, %1\nsetret %3", "%2 = geu %1, 0x80000000\nsetret %2"},
    {"%3 = lt -1, %1\nsetret %3", "%2 = ge %1, 0\nsetret %2"},
    {"%3 = geu -1, %1\nsetret %3", "setret 1"},
    {"%3 = ltu 0, %1\nsetret %3", "%2 = ne %1, 0\nsetret %2"},
    {"%3 = and %1, 7\n%4 = lt %3, 5\nsetret %4", "%2 = and %1, 7\n%3 = ltu %2, 5\nsetret %3"},
    {"%3 = and %1, 7\n%4 = ge %3, 8\nsetret %4", "setret 0"},
    {"%3 = and %1, 7\n%4 = geu %3, 7\nsetret %4", "%2 = and %1, 7\n%3 = geu %2, 7\nsetret %3"},
    {"%3 = and %1, 7\n%4 = lt %3, -1\nsetret %4", "%2 = and %1, 7\n%3 = lt %2, -1\nsetret %3"},
    {"%3 = and %1, -8\n%4 = lt %3, 5\nsetret %4", "%2 = and %1, -8\n%3 = lt %2, 5\nsetret %3"},
    {"%3 = and %1, 6\n%4 = ne %3, 1\nsetret %4", "setret 1"},
    {"%3 = and %1, 6\n%4 = eq %3, 2\nsetret %4", "%2 = and %1, 6\n%3 = eq %2, 2\nsetret %3"},
    {"%3 = lt %1, %2\n%4 = eq %3, 1\nsetret %4", "%3 = lt %1, %2\nsetret %3"},
    {"%3 = lt %1, %2\n%4 = ne %3, 1\nsetret %4", "%3 = ge %1, %2\nsetret %3"},
    {"%3 = lt %1, %2\n%4 = ne %3, 0\nsetret %4", "%3 = lt %1, %2\nsetret %3"},
    {"%3 = lt %1, %2\n%4 = eq %3, 2\nsetret %4", "setret 0"},
    {"%3 = xor %1, 5\n%4 = eq %3, 6\nsetret %4", "%2 = eq %1, 3\nsetret %2"},
    {"%3 = sub %1, %2\n%4 = eq %3, 0\nsetret %4", "%3 = eq %1, %2\nsetret %3"},
    {"%3 = sub %1, %2\n%4 = eq %3, 1\nsetret %4", "%3 = sub %1, %2\n%4 = eq %3, 1\nsetret %4"},
    {"%3 = add %1, %2\n%4 = eq %3, 0\nsetret %4", "%3 = add %1, %2\n%4 = eq %3, 0\nsetret %4"},
    /* minimum, maximum: both ends of each */
    {"%3 = min %1, %1\nsetret %3", "setret %1"},
    {"%3 = min %1, 0x7fffffff\nsetret %3", "setret %1"},
    {"%3 = min %1, -2147483648\nsetret %3", "setret 0x80000000"},
    {"%3 = max %1, 0x7fffffff\nsetret %3", "setret 0x7fffffff"},
    {"%3 = max %1, -2147483648\nsetret %3", "setret %1"},
    {"%3 = minu %1, 0\nsetret %3", "setret 0"},
    {"%3 = maxu %1, 0\nsetret %3", "setret %1"},
    {"%3 = maxu %1, -1\nsetret %3", "setret -1"},
    {"%3 = max %1, 0\nsetret %3", "%2 = max %1, 0\nsetret %2"},
    {"%3 = maxu 5, %1\n%4 = maxu %3, 7\nsetret %4", "%2 = maxu %1, 7\nsetret %2"},
    {"%3 = max %1, 5\n%4 = min %3, 7\nsetret %4", "%2 = max %1, 5\n%3 = min %2, 7\nsetret %3"},
    /* select */
    {"%3 = select 0, %1, %2\nsetret %3", "setret %1"}, /* %2 */
    {"%3 = select 5, %1, %2\nsetret %3", "setret %1"},
    {"%3 = flt %1, %2\n%4 = xor %3, 1\n%5 = select %4, %1, %2\nsetret %5",
     "%3 = flt %1, %2\n%4 = select %3, %2, %1\nsetret %4"},
    {"%3 = flt %1, %2\n%4 = select %3, %3, 7\nsetret %4", "%3 = flt %1, %2\n%4 = select %3, 1, 7\nsetret %4"},
    {"%3 = flt %1, %2\n%4 = select %3, 7, %3\nsetret %4", "%3 = flt %1, %2\n%4 = select %3, 7, 0\nsetret %4"},
    {"%3 = flt %1, %2\n%4 = select %3, -1, 0\nsetret %4", "%3 = flt %1, %2\n%4 = sub 0, %3\nsetret %4"},
    {"%3 = flt %1, %2\n%4 = select %3, 8, 7\nsetret %4", "%3 = flt %1, %2\n%4 = add %3, 7\nsetret %4"},
    {"%3 = flt %1, %2\n%4 = select %3, 7, 8\nsetret %4", "%3 = flt %1, %2\n%4 = select %3, 7, 8\nsetret %4"},
    {"%3 = flt %1, %2\n%4 = select %3, 6, 0\nsetret %4", "%3 = flt %1, %2\n%4 = select %3, 6, 0\nsetret %4"},
    {"%3 = flt %1, %2\n%4 = flt %2, %1\n%5 = select %3, %4, 0\nsetret %5",
     "%3 = flt %1, %2\n%4 = flt %2, %1\n%5 = and %3, %4\nsetret %5"},
    {"%3 = flt %1, %2\n%4 = flt %2, %1\n%5 = select %3, 1, %4\nsetret %5",
     "%3 = flt %1, %2\n%4 = flt %2, %1\n%5 = or %3, %4\nsetret %5"},
    {"%3 = flt %1, %2\n%4 = flt %2, %1\n%5 = select %3, 0, %4\nsetret %5",
     "%3 = flt %1, %2\n%4 = flt %2, %1\n%6 = xor %3, 1\n%5 = and %4, %6\nsetret %5"},
    {"%3 = flt %1, %2\n%4 = flt %2, %1\n%5 = select %3, %4, 1\nsetret %5",
     "%3 = flt %1, %2\n%4 = flt %2, %1\n%6 = xor %3, 1\n%5 = or %4, %6\nsetret %5"},
    {"%3 = flt %1, %2\n%4 = select %3, %1, 0\nsetret %4", "%3 = flt %1, %2\n%4 = select %3, %1, 0\nsetret %4"},
    {"%3 = lt %1, %2\n%4 = select %3, %2, %1\nsetret %4", "%3 = max %1, %2\nsetret %3"},
    {"%3 = ge %1, %2\n%4 = select %3, %1, %2\nsetret %4", "%3 = max %1, %2\nsetret %3"},
    {"%3 = ge %1, %2\n%4 = select %3, %2, %1\nsetret %4", "%3 = min %1, %2\nsetret %3"},
    {"%3 = ltu %1, %2\n%4 = select %3, %1, %2\nsetret %4", "%3 = minu %1, %2\nsetret %3"},
    {"%3 = geu %1, %2\n%4 = select %3, %1, %2\nsetret %4", "%3 = maxu %1, %2\nsetret %3"},
    {"%3 = geu %1, %2\n%4 = select %3, %2, %1\nsetret %4", "%3 = minu %1, %2\nsetret %3"},
    {"%3 = eq %1, %2\n%4 = select %3, %1, %2\nsetret %4", "setret %1"}, /* %2 */
    {"%3 = ne %1, %2\n%4 = select %3, %1, %2\nsetret %4", "setret %1"},
    {"%3 = lt %1, 10\n%4 = select %3, %1, 9\nsetret %4", "%2 = min %1, 9\nsetret %2"},
    {"%3 = lt %1, 10\n%4 = select %3, 9, %1\nsetret %4", "%2 = max %1, 9\nsetret %2"},
    {"%3 = ltu %1, 10\n%4 = select %3, %1, 9\nsetret %4", "%2 = minu %1, 9\nsetret %2"},
    {"%3 = geu %1, 10\n%4 = select %3, %1, 9\nsetret %4", "%2 = maxu %1, 9\nsetret %2"},
    {"%3 = geu %1, 10\n%4 = select %3, 9, %1\nsetret %4", "%2 = minu %1, 9\nsetret %2"},
    {"%3 = lt %1, 10\n%4 = select %3, %1, 11\nsetret %4", "%2 = lt %1, 10\n%3 = select %2, %1, 11\nsetret %3"},
    {"%3 = eq %1, 10\n%4 = select %3, %1, 9\nsetret %4", "%2 = eq %1, 10\n%3 = select %2, %1, 9\nsetret %3"},
    /* the operand that a rule is about is the older one: it comes first */
    {"%3 = sub 0, %1\n%4 = mul %2, %2\n%5 = add %3, %4\nsetret %5", "%3 = mul %2, %2\n%4 = sub %3, %1\nsetret %4"},
    {"%3 = mul %1, %2\n%4 = sub %1, %3\n%5 = add %3, %4\nsetret %5", "setret %1"},
    {"%3 = fneg %1\n%4 = fmul %2, %2\n%5 = fadd %3, %4\nsetret %5", "%3 = fmul %2, %2\n%4 = fsub %3, %1\nsetret %4"},
    {"%3 = fneg %2\n%4 = fneg %1\n%5 = fmul %3, %4\nsetret %5", "%3 = fmul %1, %2\nsetret %3"},
    {"%3 = or %1, %2\n%4 = mul %2, %2\n%5 = and %3, %4\nsetret %5",
     "%3 = or %1, %2\n%4 = mul %2, %2\n%5 = and %3, %4\nsetret %5"},
    {"%3 = add %1, 12\n%4 = mul %2, %2\n%5 = add %3, %4\nstore word local 0, [%5]",
     "%3 = mul %2, %2\n%4 = add %1, %3\nstore word local 0, [%4 + 12]"},
    /* what looks like a bound and is none */
    {"%3 = ne %1, 10\n%4 = select %3, %1, 9\nsetret %4", "%2 = ne %1, 10\n%3 = select %2, %1, 9\nsetret %3"},
    {"%3 = lt %1, %2\n%4 = select %3, %1, 1\nsetret %4", "%3 = lt %1, %2\n%4 = select %3, %1, 1\nsetret %4"},
    {"%3 = copy %1\nsetret %3", "setret %1"},
    /* floats */
    {"%3 = fneg %1\n%4 = fadd %3, %2\nsetret %4", "%3 = fsub %2, %1\nsetret %3"},
    {"%3 = fneg %2\n%4 = fsub %1, %3\nsetret %4", "%3 = fadd %1, %2\nsetret %3"},
    {"%3 = fneg %1\n%4 = fsub %3, %2\nsetret %4", "%3 = fneg %1\n%4 = fsub %3, %2\nsetret %4"},
    {"%3 = fneg %1\n%4 = fneg %2\n%5 = fdiv %3, %4\nsetret %5", "%3 = fdiv %1, %2\nsetret %3"},
    {"%3 = fneg %1\n%4 = fneg %2\n%5 = fma %3, %4, %1\nsetret %5", "%3 = fma %1, %2, %1\nsetret %3"},
    {"%3 = fneg %2\n%4 = fma %1, %3, %2\nsetret %4", "%3 = fneg %2\n%4 = fma %1, %3, %2\nsetret %4"},
    {"%3 = fcopysign %1, 0x80000000\nsetret %3", "%2 = fcopysign %1, 0x80000000\nsetret %2"},
    {"%3 = fcopysign %1, 0x7fffffff\nsetret %3", "%2 = fabs %1\nsetret %2"},
    {"%3 = fabs %1\n%4 = fabs %3\nsetret %4", "%2 = fabs %1\nsetret %2"},
    {"%3 = fabs %1\n%4 = fneg %3\nsetret %4", "%2 = fabs %1\n%3 = fneg %2\nsetret %3"},
    {"%3 = fcopysign %1, %2\n%4 = fabs %3\nsetret %4", "%2 = fabs %1\nsetret %2"},
    {"%3 = fneg %1\n%4 = fcopysign %3, %2\nsetret %4", "%3 = fcopysign %1, %2\nsetret %3"},
    {"%3 = fabs %1\n%4 = fcopysign %3, %2\nsetret %4", "%3 = fcopysign %1, %2\nsetret %3"},
    /* addresses: both ends of what fits, and either part of a sum */
    {"%3 = add %1, -2040\nstore word global 0, [%3 - 8]", "store word global 0, [%1 - 2048]"},
    {"%3 = add %1, -2040\nstore word global 0, [%3 - 9]", "%2 = add %1, -2040\nstore word global 0, [%2 - 9]"},
    {"%3 = add %1, -1024\nstore word private 0, [%3]", "store word private 0, [%1 - 1024]"},
    {"%3 = add %1, -1025\nstore word private 0, [%3]", "%2 = add %1, -1025\nstore word private 0, [%2]"},
    {"%3 = add %1, 2047\nstore word local 0, [%3]", "store word local 0, [%1 + 2047]"},
    {"%3 = add %1, 2048\nstore word local 0, [%3]", "%2 = add %1, 2048\nstore word local 0, [%2]"},
    {"%3 = add %2, 12\n%4 = add %1, %3\nstore word local 0, [%4]", "%3 = add %1, %2\nstore word local 0, [%3 + 12]"},
    {"%3 = add %1, 4\n%4 = add %2, 8\n%5 = add %3, %4\nstore word local 0, [%5]",
     "%3 = add %1, %2\nstore word local 0, [%3 + 12]"},
    {"%3 = add %1, 3000\n%4 = add %3, %2\nstore word local 0, [%4]",
     "%3 = add %1, 3000\n%4 = add %2, %3\nstore word local 0, [%4]"},
    /* shifted sums */
    {"%3 = add %1, 3\n%4 = sll %3, 2\n%5 = add %4, %2\nstore word local 0, [%5]",
     "%3 = sll %1, 2\n%4 = add %2, %3\nstore word local 0, [%4 + 12]"},
    {"%3 = sll %1, 1\n%4 = or %3, 1\n%5 = sll %4, 2\n%6 = add %2, %5\nstore word local 0, [%6 - 4]",
     "%3 = sll %1, 3\n%4 = add %2, %3\nstore word local 0, [%4]"},
    {"%3 = add %1, 511\n%4 = sll %3, 2\n%5 = add %4, %2\nstore word local 0, [%5 + 3]",
     "%3 = sll %1, 2\n%4 = add %2, %3\nstore word local 0, [%4 + 2047]"},
    {"%3 = add %1, 512\n%4 = sll %3, 2\n%5 = add %4, %2\nstore word local 0, [%5]",
     "%3 = add %1, 512\n%4 = sll %3, 2\n%5 = add %2, %4\nstore word local 0, [%5]"},
    {"%3 = add %1, 3\n%4 = srl %3, 2\n%5 = add %4, %2\nstore word local 0, [%5]",
     "%3 = add %1, 3\n%4 = srl %3, 2\n%5 = add %2, %4\nstore word local 0, [%5]"},
    {"%3 = sub %1, 12\nstore word local 0, [%3 + 4]", "store word local 0, [%1 - 8]"},
    {"%3 = xor %1, 12\nstore word local 0, [%3]", "%2 = xor %1, 12\nstore word local 0, [%2]"},
    {"%3 = and %2, 511\nstore byte global %3, [%1]", "store byte global %2, [%1]"},
    {"%3 = and %2, 127\nstore byte global %3, [%1]", "%3 = and %2, 127\nstore byte global %3, [%1]"},
    {"%3 = or %2, 255\nstore byte global %3, [%1]", "%3 = or %2, 255\nstore byte global %3, [%1]"},
};

static void other_rule_table(void **state)
{
    (void)state;
    expect_rules(other_rules, countof(other_rules));
}

/* --- which bits a value can have ------------------------------------------------------------ */

/* Values, and the bits that may be set in them: a mask of these changes nothing, one of the others leaves 0, and none of
 * them can be missed. */
static const struct { const char *body; u32 may; } possible[] = {
    {"%9 = eq %1, %2", 1}, {"%9 = ge %1, %2", 1}, {"%9 = ltu %1, %2", 1}, {"%9 = feq %1, %2", 1},
    {"%9 = flt %1, %2", 1}, {"%9 = fle %1, %2", 1},
    {"%9 = load byte global [%1]", 0xff}, {"%9 = load half global [%1]", 0xffff},
    {"%9 = load byte global signed [%1]", 0xffffffff}, {"%9 = load word global [%1]", 0xffffffff},
    {"%9 = and %1, 0x00f0f000", 0x00f0f000}, {"%8 = and %1, 15\n%9 = and %8, %2", 15},
    {"%8 = and %1, 12\n%7 = and %2, 48\n%9 = or %8, %7", 60}, {"%8 = and %1, 12\n%7 = and %2, 24\n%9 = xor %8, %7", 28},
    {"%8 = and %1, 12\n%7 = and %2, 3\n%9 = add %8, %7", 15}, /* without carries */
    {"%8 = and %1, 12\n%7 = and %2, 12\n%9 = add %8, %7", 31}, /* with them: as if 15 + 15 */
    {"%8 = and %1, 8\n%7 = and %2, 15\n%9 = add %8, %7", 31}, {"%9 = add %1, %2", 0xffffffff},
    {"%8 = and %1, 0x7fffffff\n%7 = and %2, 1\n%9 = add %8, %7", 0xffffffff},
    {"%8 = and %1, 0x3fffffff\n%7 = and %2, 1\n%9 = add %8, %7", 0x7fffffff},
    {"%8 = lt %1, %2\n%7 = and %1, 48\n%9 = select %8, %7, 7", 55},
    {"%8 = and %1, 15\n%9 = sll %8, 4", 0xf0}, {"%8 = and %1, 15\n%9 = sll %8, 30", 0xc0000000},
    {"%9 = sll %1, 4", 0xfffffff0}, {"%9 = sll %1, 36", 0xfffffff0},
    {"%8 = load half global [%1]\n%9 = srl %8, 4", 0xfff}, {"%9 = srl %1, 31", 1}, {"%9 = srl %1, 28", 15},
    {"%8 = sll %1, 28\n%9 = sra %8, 4", 0xff000000}, {"%8 = srl %1, %2\n%9 = xor %8, %2", 0xffffffff},
    {"%8 = and %1, 20\n%9 = minu %8, %2", 31}, {"%8 = and %1, 20\n%9 = minu %2, %8", 31}, {"%9 = minu %1, 8", 15},
    {"%9 = maxu %1, 8", 0xffffffff},
    /* far up nothing is known, and nothing is assumed */
    {"%3 = load word global [%1]\n%4 = and %1, %3\n%5 = and %2, %4\n%6 = and %1, %5\n%7 = and %2, %6\n%9 = and %1, %7", 0xffffffff},
    {"%3 = load byte global [%1]\n%4 = sll %3, 4\n%5 = srl %4, 8\n%9 = xor %5, 3", 15}, {"%8 = load byte global [%1]\n%9 = maxu %8, %2", 0xffffffff},
};

static void known_bits(void **state)
{
    (void)state;
    for (size_t k = 0; k < countof(possible); k++) {
        const u32 may = possible[k].may, lowest = may & (0 - may);
        u32 highest = lowest;
        for (u32 bit = lowest; bit; bit <<= 1)
            highest = may & bit ? bit : highest;
        const u32 mask[] = {may, ~may, may & ~lowest, may & ~highest};
        for (int n = 0; n < 4; n++) {
            Buf text = {0}, got = {0};
            buf_printf(&text, "func @f params 2 results 2 {\nb0:\n%%1 = param\n%%2 = param #1\n%s\n"
                       "%%10 = mul %%9, %%9\n%%11 = and %%9, %d\nsetret %%10\nsetret %%11 #1\nret\n}\n",
                       possible[k].body, (int)mask[n]);
            Module *m = parse(buf_text(&text));
            fold_checked(m->func[0]);
            body_of(m->func[0], &got);
            /* the second result: the value itself, 0, or a mask that is still there */
            const char *second = strstr(buf_text(&got), "setret 0 #1"), *product = strstr(buf_text(&got), "= mul "),
                       *sum = strrchr(buf_text(&got), '\n');
            char same[20] = "";
            assert_true(product && sum);
            snprintf(same, sizeof same, "\nsetret %.*s #1", (int)strcspn(product + 6, ","), product + 6);
            const bool ok = n == 0 ? !strcmp(sum, same) : n == 1 ? second != NULL : !second && strcmp(sum, same) != 0;
            /* one bit alone: without it nothing is left */
            if (!ok && !(n > 1 && lowest == highest))
                fail_msg("%s\nand %x became\n%s", possible[k].body, mask[n], buf_text(&got));
            ir_free(m);
            buf_free(&text);
            buf_free(&got);
        }
    }
}

/* Of two equal computations one is left, however many others stand between them. */
static void equal_computations_are_found_among_many(void **state)
{
    enum { MANY = 700 };
    Buf text = {0}, got = {0};
    int products = 0;
    (void)state;
    buf_str(&text, "func @f params 2 results 1 {\nb0:\n%1 = param\n%2 = param #1\n");
    for (int i = 0; i < 2 * MANY; i++)
        buf_printf(&text, "%%%d = mulh %%1, %d\nstore word global %%%d, [%%2 + 4]\n", i + 3, i % MANY + 1000, i + 3);
    buf_str(&text, "setret 0\nret\n}\n");
    Module *m = parse(buf_text(&text));
    fold_checked(m->func[0]);
    body_of(m->func[0], &got);
    for (const char *p = buf_text(&got); (p = strstr(p, " = mulh ")); p++)
        products++;
    assert_int_equal(products, MANY);
    ir_free(m);
    buf_free(&text);
    buf_free(&got);
}

/* --- branches and phis ------------------------------------------------------------------ */

static const struct {
    const char *text, *folded;
} graphs[] = {
    /* a comparison goes into the branch */
    {"%3 = lt %1, %2\nbr ne %3, 0 -> b1, b2\nb1:\nfence\njump b2\nb2:\nret",
     "br lt %1, %2 -> b1, b2\nb1:\nfence\njump b2\nb2:"},
    {"%3 = ltu %1, %2\nbr eq %3, 0 -> b1, b2\nb1:\nfence\njump b2\nb2:\nret",
     "br geu %1, %2 -> b1, b2\nb1:\nfence\njump b2\nb2:"},
    {"%3 = lt 0, %1\nbr ne %3, 0 -> b1, b2\nb1:\nfence\njump b2\nb2:\nret",
     "br lt 0, %1 -> b1, b2\nb1:\nfence\njump b2\nb2:"},
    {"%3 = xor %1, %2\nbr eq %3, 0 -> b1, b2\nb1:\nfence\njump b2\nb2:\nret",
     "br eq %1, %2 -> b1, b2\nb1:\nfence\njump b2\nb2:"},
    {"%3 = flt %1, %2\n%4 = xor %3, 1\nbr ne %4, 0 -> b1, b2\nb1:\nfence\njump b2\nb2:\nret",
     "%3 = flt %1, %2\nbr eq %3, 0 -> b1, b2\nb1:\nfence\njump b2\nb2:"},
    /* a constant one becomes a jump, and the phi knows its value */
    {"br lt 1, 2 -> b1, b2\nb1:\njump b3\nb2:\njump b3\nb3:\n%3 = phi b1 %1, b2 %2\nsetret %3\nret",
     "setret %1"},
    {"br lt 2, 1 -> b1, b1\nb1:\n%3 = phi b0 7, b0 9\nsetret %3\nret", "setret 9"},
    {"br lt %1, %2 -> b1, b1\nb1:\n%3 = phi b0 7, b0 7\nsetret %3\nret", "setret 7"},
    {"br lt %1, %2 -> b1, b1\nb1:\n%3 = phi b0 7, b0 9\nsetret %3\nret",
     "br lt %1, %2 -> b1, b1\nb1:\n%3 = phi b0 7, b0 9\nsetret %3"},
    /* a value that a loop does not change */
    {"jump b1\nb1:\n%3 = phi b0 %1, b1 %4\n%4 = add %3, 0\nbr eq %2, 0 -> b1, b2\nb2:\nsetret "
     "%4\nret",
     "jump b1\nb1:\nbr eq %2, 0 -> b1, b2\nb2:\nsetret %1"},
    /* phis that only feed each other */
    {"jump b1\nb1:\n%3 = phi b0 0, b1 %4\n%4 = add %3, 1\nbr eq %1, 0 -> b1, b2\nb2:\nret",
     "jump b1\nb1:\nbr eq %1, 0 -> b1, b2\nb2:"},
    /* an equal value serves when it is above, not when it is beside */
    {"br eq %1, 0 -> b1, b2\nb1:\n%3 = mul %1, %2\n%4 = mul %1, %2\nstore word global %3, [%4]\n"
     "jump b3\nb2:\n%5 = mul %1, %2\nstore word global %5, [%5]\njump b3\nb3:\nret",
     "br eq %1, 0 -> b1, b2\nb1:\n%3 = mul %1, %2\nstore word global %3, [%3]\njump b3\nb2:\n"
     "%4 = mul %1, %2\nstore word global %4, [%4]\njump b3\nb3:"},
};

static void graph_table(void **state)
{
    (void)state;
    for (size_t k = 0; k < countof(graphs); k++) {
        Buf text = {0}, got = {0};
        buf_printf(&text, "func @f params 2 results 1 {\nb0:\n%%1 = param\n%%2 = param #1\n%s\n}\n",
                   graphs[k].text);
        Module *m = parse(buf_text(&text));
        fold_checked(m->func[0]);
        body_of(m->func[0], &got);
        if (strcmp(buf_text(&got), graphs[k].folded))
            fail_msg("%s\nbecame\n%s\nnot\n%s", graphs[k].text, buf_text(&got), graphs[k].folded);
        ir_free(m);
        buf_free(&text);
        buf_free(&got);
    }
}

/* --- evaluation ------------------------------------------------------------------------- */

enum { PARAMS = 3, MOST_STEPS = 10000 };

static u32 canonical(float f) { return isnan(f) ? 0x7fc00000 : float_bits(f); }

/* one operation by the host's floats, or by op_eval */
static u32 compute(const Ins *i, u32 a, u32 b, u32 c)
{
    const float x = as_float(a), y = as_float(b), z = as_float(c);
    switch (i->op) {
    case IR_copy: return a;
    case IR_select: return a ? b : c;
    case IR_fadd: return canonical(x + y);
    case IR_fsub: return canonical(x - y);
    case IR_fmul: return canonical(x * y);
    case IR_fdiv: return canonical(x / y);
    case IR_fsqrt: return canonical(sqrtf(x));
    case IR_fma: return canonical(fmaf(x, y, z));
    case IR_fneg: return a ^ 0x80000000;
    case IR_fabs: return a & 0x7fffffff;
    case IR_feq: return x == y;
    case IR_flt: return x < y;
    case IR_fle: return x <= y;
    case IR_itof: return float_bits((float)(i32)a);
    case IR_utof: return float_bits((float)a);
    default: return op_eval(ir_info[i->op].eval, a, b);
    }
}

static u32 read_ref(const u32 *value, Ref r) { return r.kind == R_VAL ? value[r.val] : r.val; }

static void run_phis(const Block *b, u32 from, u32 *value)
{
    u32 new[64];
    size_t p = 0;
    while (p < b->npred && b->pred[p] != from)
        p++;
    for (size_t k = 0; k < b->nphi; k++)
        new[k] = read_ref(value, b->phi[k].arg[p]);
    for (size_t k = 0; k < b->nphi; k++)
        value[b->phi[k].dst] = new[k];
}

static void run_block(const Block *b, const u32 *param, u32 *value, u32 *result)
{
    for (size_t k = 0; k < b->nins; k++) {
        const Ins *i = &b->ins[k];
        const u32 a = read_ref(value, i->a[0]), c = read_ref(value, i->a[1]);
        if (i->op == IR_param)
            value[i->dst] = param[i->imm];
        else if (i->op == IR_setret)
            *result = a;
        else
            value[i->dst] = compute(i, a, c, read_ref(value, i->a[2]));
    }
}

static u32 run(const Func *f, const u32 *param)
{
    u32 *value = mem_zalloc(f->nvalue, sizeof *value), result = 0, at = 0;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        const Block *b = &f->block[at];
        const Term *t = &b->term;
        run_block(b, param, value, &result);
        if (t->kind == T_RET)
            break;
        const u32 x = read_ref(value, t->a[0]), y = read_ref(value, t->a[1]);
        const bool taken = t->kind == T_JUMP || op_eval(ir_info[IR_eq + t->cmp].eval, x, y);
        const u32 next = t->succ[taken ? 0 : 1];
        run_phis(&f->block[next], at, value);
        at = next;
    }
    mem_free(value);
    return result;
}

/* --- random functions ------------------------------------------------------------------- */

typedef struct {
    Func *f;
    u32 seed, block;
    u32 value[256], bool_value[64];
    u32 nvalue, nbool;
} Maker;

static u32 below(Maker *M, u32 n)
{
    M->seed = M->seed * 1664525 + 1013904223;
    return (M->seed >> 8) % n;
}

static u32 random_constant(u32 *seed)
{
    static const u32 special[] = {0,    1,          2,          3,          7,          8,
                                  24,   31,         32,         255,        0xffff,     UINT32_MAX,
                                  -2u,  -8u,        0x7fffffff, 0x80000000, 0x80000001, 0x3f800000,
                                  0xff, 0xbf800000, 0x7f800000, 0x7fc00001, 0x00000400, 0xfffffc00};
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 28 ? special[(*seed >> 8) % countof(special)] : *seed * 2654435761u;
}

static Ref any(Maker *M)
{
    return below(M, 4) ? ref_val(M->value[below(M, M->nvalue)])
                       : ref_con(random_constant(&M->seed));
}

static Ref any_bool(Maker *M)
{
    return M->nbool ? ref_val(M->bool_value[below(M, M->nbool)]) : ref_con(1);
}

static void keep_value(Maker *M, u32 v, bool is_bool)
{
    if (M->nvalue < countof(M->value))
        M->value[M->nvalue++] = v;
    if (is_bool && M->nbool < countof(M->bool_value))
        M->bool_value[M->nbool++] = v;
}

/* more of what rules look for: shifts, masks, comparisons, differences */
static void random_op(Maker *M, bool floats)
{
    static const u8 integer[] = {
        IR_add,  IR_sub, IR_sub, IR_mul, IR_mulh,   IR_mulhu, IR_mulhsu, IR_div,   IR_divu, IR_rem,
        IR_remu, IR_and, IR_and, IR_or,  IR_xor,    IR_xor,   IR_sll,    IR_sll,   IR_srl,  IR_srl,
        IR_sra,  IR_sra, IR_min, IR_max, IR_minu,   IR_maxu,  IR_eq,     IR_ne,    IR_lt,   IR_ge,
        IR_ltu,  IR_geu, IR_eq,  IR_ne,  IR_select, IR_add,   IR_select, IR_select};
    static const u8 number[] = {IR_fadd, IR_fsub, IR_fmul, IR_fdiv, IR_fsqrt,
                                IR_fma,  IR_fneg, IR_fneg, IR_fabs, IR_feq,
                                IR_flt,  IR_fle,  IR_itof, IR_utof, IR_fcopysign};
    const u8 op = floats && below(M, 2) ? number[below(M, countof(number))]
                                        : integer[below(M, countof(integer))];
    const int n = ir_info[op].nargs;
    const Ref a = op == IR_select ? any_bool(M) : any(M);
    const u32 v = ir_op(M->f, M->block, (IrOp)op, a, n > 1 ? any(M) : ref_none(),
                        n > 2 ? any(M) : ref_none(), 0);
    keep_value(M, v, (op >= IR_eq && op <= IR_geu) || (op >= IR_feq && op <= IR_fle));
    if (M->nbool && below(M, 6) == 0)
        keep_value(M, ir_op(M->f, M->block, IR_xor, any_bool(M), ref_con(1), ref_none(), 0), true);
}

/* two sides and a phi of what they computed; values of the sides are not used after */
static void random_diamond(Maker *M, bool floats)
{
    const u32 top = M->block, nvalue = M->nvalue, nbool = M->nbool;
    u32 last[2];
    const u32 side[2] = {ir_block(M->f), ir_block(M->f)}, end = ir_block(M->f);
    ir_branch(M->f, top, (Cmp)below(M, 6), below(M, 2) ? any_bool(M) : any(M),
              below(M, 2) ? ref_con(0) : any(M), side[0], side[1], 0);
    for (int k = 0; k < 2; k++) {
        M->block = side[k];
        for (u32 n = 1 + below(M, 6); n; n--)
            random_op(M, floats);
        last[k] = M->value[M->nvalue - 1];
        ir_jump(M->f, side[k], end);
        M->nvalue = nvalue;
        M->nbool = nbool;
    }
    graph_preds(M->f);
    M->block = end;
    const u32 v = ir_value(M->f);
    Phi *p = ir_phi(M->f, end, v);
    p->arg[0] = ref_val(last[0]);
    p->arg[1] = ref_val(last[1]);
    keep_value(M, v, false);
}

static Func *random_function(Module *m, u32 seed, bool floats)
{
    Maker M = {.f = ir_func(m, "f", false), .seed = seed};
    M.f->nparams = PARAMS;
    M.f->nresults = 1;
    M.block = ir_block(M.f);
    for (u32 k = 0; k < PARAMS; k++) {
        const Ins i = {.op = IR_param, .dst = ir_value(M.f), .imm = (i32)k};
        ir_append(M.f, 0, &i);
        keep_value(&M, i.dst, false);
    }
    for (u32 n = 1 + below(&M, 5); n; n--) {
        for (u32 k = below(&M, 12); k; k--)
            random_op(&M, floats);
        if (M.nvalue < 200)
            random_diamond(&M, floats);
    }
    random_op(&M, floats);
    const Ins set = {.op = IR_setret, .a = {ref_val(M.value[M.nvalue - 1])}};
    ir_append(M.f, M.block, &set);
    ir_ret(M.f, M.block);
    graph_preds(M.f);
    return M.f;
}

static void random_functions(bool floats, u32 first)
{
    enum { FUNCTIONS = 4000, RUNS = 24, FEW = 100 /* with guarded memory */ };
    for (u32 seed = first; seed < first + FUNCTIONS; seed++) {
        guard_few(seed, FEW);
        Module *m = ir_module("random", target_find(0));
        Func *f = random_function(m, seed * 7919, floats);
        Buf before = {0};
        u32 param[RUNS][PARAMS], expected[RUNS], state = seed;
        ir_print(&before, f);
        for (int k = 0; k < RUNS; k++) {
            for (int p = 0; p < PARAMS; p++)
                param[k][p] = random_constant(&state);
            expected[k] = run(f, param[k]);
        }
        fold_checked(f);
        for (int k = 0; k < RUNS; k++)
            if (run(f, param[k]) != expected[k]) {
                ir_print(&before, f);
                fail_msg("seed %u: f(%#x, %#x, %#x) was %#x, is %#x\n%s", seed, param[k][0],
                         param[k][1], param[k][2], expected[k], run(f, param[k]),
                         buf_text(&before));
            }
        buf_free(&before);
        ir_free(m);
        guard_end();
    }
}

static void random_integers(void **state)
{
    (void)state;
    random_functions(false, 1);
}

static void random_floats(void **state)
{
    (void)state;
    random_functions(true, 100001);
}

/* --- division --------------------------------------------------------------------------- */

/* n divided by the constant d; no division may be left */
static void divide(IrOp op, u32 d)
{
    Module *m = ir_module("divide", target_find(0));
    Func *f = ir_func(m, "f", false);
    f->nparams = f->nresults = 1;
    ir_block(f);
    const Ins param = {.op = IR_param, .dst = ir_value(f)};
    ir_append(f, 0, &param);
    const u32 q = ir_op(f, 0, op, ref_val(param.dst), ref_con(d), ref_none(), 0);
    ir_append(f, 0, &(Ins){.op = IR_setret, .a = {ref_val(q)}});
    ir_ret(f, 0);
    graph_preds(f);
    fold_checked(f);
    for (size_t k = 0; k < f->block[0].nins; k++)
        assert_false(f->block[0].ins[k].op >= IR_div && f->block[0].ins[k].op <= IR_remu);
    u32 state = d,
        near[] = {0, 1, d, 2 * d, 3 * d, 0 - d, 0x80000000, UINT32_MAX, UINT32_MAX / (d | 1) * d};
    for (u32 k = 0; k < 200; k++) {
        const u32 n = k < 5 * countof(near) ? near[k / 5] + k % 5 - 2 : random_constant(&state) + k;
        if (run(f, &n) != op_eval(ir_info[op].eval, n, d))
            fail_msg("%s %#x, %#x: %#x", ir_info[op].name, n, d, run(f, &n));
    }
    ir_free(m);
}

static void divisions(void **state)
{
    (void)state;
    u32 seed = 5;
    for (u32 k = 0; k < 1500; k++) {
        const u32 d = k < 300 ? k : k < 600 ? 299 - k : random_constant(&seed) >> seed % 32;
        divide(IR_div, d);
        divide(IR_divu, d);
        divide(IR_rem, d);
        divide(IR_remu, d);
    }
}

/* --- size ------------------------------------------------------------------------------- */

/* seconds to fold n blocks that each compute and compare what the one above did */
static double time_of(u32 n)
{
    Module *m = ir_module("long", target_find(0));
    Func *f = ir_func(m, "f", false);
    f->nparams = f->nresults = 1;
    ir_block(f);
    const Ins param = {.op = IR_param, .dst = ir_value(f)};
    ir_append(f, 0, &param);
    u32 b = 0, v = param.dst;
    for (u32 k = 0; k < n; k++) {
        const u32 side = ir_block(f), next = ir_block(f);
        v = ir_op(f, b, IR_mul, ref_val(v), ref_con(3), ref_none(), 0);
        v = ir_op(f, b, IR_xor, ref_val(v), ref_val(param.dst), ref_none(), 0);
        ir_branch(f, b, CMP_lt, ref_val(v), ref_con(k), side, next, 0);
        ir_op(f, side, IR_add, ref_val(param.dst), ref_con(5), ref_none(), 0);
        ir_jump(f, side, next);
        b = next;
    }
    ir_append(f, b, &(Ins){.op = IR_setret, .a = {ref_val(v)}});
    ir_ret(f, b);
    graph_build(f);
    const clock_t start = clock();
    fold(f);
    assert_false(m->failed);
    ir_free(m);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* eight times the program takes not much more than eight times as long */
static void scaling(void **state)
{
    (void)state;
    const double small = time_of(2500), large = time_of(20000);
    if (large > 40 * small + 0.5)
        fail_msg("%.3f s, but %.3f s for eight times as much", small, large);
}

/* --- effects ---------------------------------------------------------------------------------- */

/* How many of two equal operations of the lane, whose results nobody reads or which are stored, are
 * left. */
static u32 left_of_two(IrOp op, bool stored)
{
    Module *m = ir_module("t", target_find(0));
    Func *f = ir_func(m, "k", true);
    const u32 b = ir_block(f);
    u32 left = 0, value[2] = {0, 0};
    const u32 seed = ir_op(f, b, IR_lane, ref_none(), ref_none(), ref_none(), 0);
    const Ins at = {
        .op = IR_load, .width = 4, .space = IN_GLOBAL, .dst = ir_value(f), .a = {ref_val(seed)}};
    ir_append(f, b, &at);
    const u32 other = ir_op(f, b, IR_csr, ref_none(), ref_none(), ref_none(), 0);
    f->block[b].ins[2].imm = 0x805;
    for (u32 n = 0; n < 2; n++) {
        Ins i = {.op = (u16)op, .width = 4, .space = IN_GLOBAL};
        const Ref of[] = {ref_val(at.dst), ref_val(other), ref_val(at.dst)};
        for (u32 k = 0; k < ir_info[op].nargs; k++)
            i.a[k] = of[k];
        i.imm = op == IR_atomic ? OP_add : op == IR_csr ? 0x804 : 0;
        i.dst = ir_info[op].has_dst ? value[n] = ir_value(f) : 0;
        ir_append(f, b, &i);
    }
    for (u32 n = 0; n < 2 && stored; n++)
        ir_append(f, b,
                  &(Ins){.op = IR_store,
                         .width = 4,
                         .space = IN_LOCAL,
                         .a = {ref_val(value[n]), ref_con(4 * n)}});
    ir_ret(f, b);
    graph_build(f);
    fold(f);
    assert_false(m->failed);
    for (size_t k = 0; k < f->block[b].nins; k++)
        left += f->block[b].ins[k].op == op && f->block[b].ins[k].space != IN_LOCAL;
    ir_free(m);
    return left;
}

/* What only computes goes where nobody reads it, and is computed once; what reads memory may find
 * another value the next time, but goes too; what changes something, or orders it, stays. */
static void effects(void **state)
{
    static const char computes[] =
        " add sub mul mulh mulhu mulhsu div divu rem remu and or xor sll srl sra min max "
        "minu maxu eq ne lt ge ltu geu select fadd fsub fmul fdiv fsqrt fma fneg fabs "
        "fcopysign fmin fmax feq flt fle fexp ftoi ftou itof utof csr lane argbase ldsbase ",
                      acts[] = " store atomic lr sc fence barrier use ";
    u32 n = 0;
    (void)state;
    for (IrOp op = 0; op < NIR; op = (IrOp)(op + 1)) {
        char word[32];
        snprintf(word, sizeof word, " %s ", ir_info[op].name);
        if (strstr(computes, word)) {
            if (left_of_two(op, false))
                fail_msg("%s stays, although nobody reads it", ir_info[op].name);
            if (left_of_two(op, true) > 1)
                fail_msg("%s is computed twice", ir_info[op].name);
            n++;
        } else if (strstr(acts, word)) {
            if (left_of_two(op, false) != 2)
                fail_msg("%s goes", ir_info[op].name);
            n++;
        }
    }
    assert_int_equal(n, 57);
    assert_int_equal(left_of_two(IR_load, false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_table),
        cmocka_unit_test(other_rule_table),
        cmocka_unit_test(known_bits),
        cmocka_unit_test(equal_computations_are_found_among_many),      cmocka_unit_test(graph_table),
        cmocka_unit_test(random_integers), cmocka_unit_test(random_floats),
        cmocka_unit_test(divisions),       cmocka_unit_test(scaling),
        cmocka_unit_test(effects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
