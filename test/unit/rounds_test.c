/* rounds_test.c -- how many rounds of a loop are to be made one (src/ll/rounds.c), of random loops
 * as text: what it has to be is known from how the loop was made, and from going through it. */
#include "test/kit/leftover.h"
#include "base/mem.h"
#include "ll/middle.h"
#include <llvm-c/IRReader.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum {
    LOOPS = 4000,
    BLOCKS = 10,
    MOST_BLOCKS = 8,
    MOST_ROUNDS = 8,
    MOST_INSTRUCTIONS = 128,
    MOST_COUNTED = 1024
};

/* What keeps a loop as it is, whatever it counts. */
typedef enum {
    NOTHING_WRONG,
    INNER_LOOP,
    WAY_OUT,
    WAY_BACK,
    WAY_IN,
    WAY_INSIDE,
    WAY_ROUND,
    LONG_CALL,
    UNKNOWN_START,
    UNKNOWN_STEP,
    UNKNOWN_BOUND,
    OTHER_COUNTER,
    OTHER_VALUE,
    OTHER_SUM,
    PRODUCT,
    TOO_WIDE,
    FLAWS
} Flaw;

static const char *const predicates[] = {"eq",  "ne",  "ugt", "uge", "ult",
                                         "ule", "sgt", "sge", "slt", "sle"};

typedef struct {
    u32 nblock;
    u32 stores[BLOCKS]; /* and other instructions without a meaning */
    u32 side[BLOCKS];   /* where else a block goes, or 0 */
    u32 at[BLOCKS];     /* the order in the text */
    Flaw flaw;
    u32 bits, predicate;
    u64 start, step, bound;
    bool tests_next,
        goes_on; /* the number that is tested; what it is when there is another round */
} Loop;

static u32 random_below(u32 *state, u32 n)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % n;
}

static u64 number(u32 *state, u32 bits)
{
    const u64 small = random_below(state, 40), large = (u64)random_below(state, 1 << 24)
                                                       << random_below(state, 40);
    const u64 n = random_below(state, 6) ? small : large;
    return (random_below(state, 3) ? n : -n) & UINT64_MAX >> (64 - bits);
}

static Loop random_loop(u32 *state)
{
    static const u32 widths[] = {3, 8, 16, 32, 64};
    Loop l = {.nblock = 2 + random_below(state, random_below(state, 4) ? 4 : BLOCKS - 1)};
    const u32 most = 1 + random_below(state, 12);
    for (u32 b = 0; b < l.nblock; b++) {
        l.stores[b] = random_below(state, most);
        if (b + 2 < l.nblock && random_below(state, 2))
            l.side[b] = b + 2 + random_below(state, l.nblock - b - 2);
        const u32 with = random_below(state, b + 1);
        l.at[b] = l.at[with];
        l.at[with] = b;
    }
    l.flaw = random_below(state, 3) ? NOTHING_WRONG : random_below(state, FLAWS);
    if (l.nblock < 3 &&
        (l.flaw == INNER_LOOP || l.flaw == WAY_BACK || l.flaw == WAY_INSIDE || l.flaw == WAY_ROUND))
        l.flaw = NOTHING_WRONG; /* there is nothing inside */
    l.bits = widths[random_below(state, countof(widths))];
    l.predicate = random_below(state, countof(predicates));
    l.start = number(state, l.bits);
    l.step = number(state, l.bits);
    l.bound = number(state, l.bits);
    l.tests_next = random_below(state, 2);
    l.goes_on = random_below(state, 2);
    if (l.bits > 8 && !random_below(state, 20)) {
        l.predicate = 1; /* ne */
        l.start = 0, l.step = 1, l.bound = MOST_COUNTED + random_below(state, 2);
        l.tests_next = l.goes_on = true;
    }
    return l;
}

/* --- the loop as text ------------------------------------------------------------------------- */

static void write_phi(Buf *t, const Loop *l, const char *name, const char *type, const char *start)
{
    const u32 latch = l->nblock - 1, inside = latch / 2;
    buf_printf(t, "%%%s = phi %s [ %s, %%entry ], [ %%next, %%b%u ]", name, type, start, latch);
    if (l->flaw == WAY_IN)
        buf_printf(t, ", [ 1, %%before ]");
    if (l->flaw == WAY_BACK)
        buf_printf(t, ", [ 1, %%b%u ]", inside);
    buf_printf(t, "\n");
}

static void write_block(Buf *t, const Loop *l, u32 b)
{
    const u32 latch = l->nblock - 1, inside = latch / 2;
    char type[16], start[24];
    snprintf(type, sizeof type, "i%u", l->flaw == TOO_WIDE ? 65 : l->bits);
    snprintf(start, sizeof start, "%llu", (unsigned long long)l->start);
    buf_printf(t, "b%u:\n", b);
    if (b == 0) {
        write_phi(t, l, "i", type, l->flaw == UNKNOWN_START ? "%any" : start);
        write_phi(t, l, "other", type, "0");
    }
    for (u32 k = 0; k < l->stores[b]; k++)
        buf_printf(t, k % 3 == 1   ? "call void @__ventus_barrier(i32 1)\n"
                      : k % 3 == 2 ? "call void @llvm.sideeffect()\n"
                                   : "store volatile i32 0, ptr %%p\n");
    if (l->flaw == LONG_CALL && b == inside)
        buf_printf(t, "call void @far()\n");
    if (b < latch) {
        char other[16];
        snprintf(other, sizeof other, "b%u", l->side[b] ? l->side[b] : b + 1);
        if (b == inside && l->flaw == INNER_LOOP)
            snprintf(other, sizeof other, "b%u", 1 + l->stores[0] % inside);
        else if (b == inside && l->flaw == WAY_BACK)
            snprintf(other, sizeof other, "b0");
        else if (b == inside && l->flaw == WAY_OUT)
            snprintf(other, sizeof other, "out");
        if (l->stores[b] % 2)
            buf_printf(t, "br i1 %%c, label %%b%u, label %%%s\n", b + 1, other);
        else
            buf_printf(t, "br i1 %%c, label %%%s, label %%b%u\n", other, b + 1);
        return;
    }
    if (l->flaw == UNKNOWN_STEP)
        buf_printf(t, "%%next = add %s %%i, %%any\n", type);
    else
        buf_printf(t, "%%next = %s %s %%i, %llu\n", l->flaw == PRODUCT ? "mul" : "add", type,
                   (unsigned long long)l->step);
    if (l->flaw == OTHER_SUM)
        buf_printf(t, "%%sum = add %s %%i, 5\n", type);
    const char *tested = l->flaw == OTHER_COUNTER ? "%other"
                         : l->flaw == OTHER_VALUE ? "%any"
                         : l->flaw == OTHER_SUM   ? "%sum"
                         : l->tests_next          ? "%next"
                                                  : "%i";
    if (l->flaw == UNKNOWN_BOUND)
        buf_printf(t, "%%test = icmp %s %s %s, %%any\n", predicates[l->predicate], type, tested);
    else
        buf_printf(t, "%%test = icmp %s %s %s, %llu\n", predicates[l->predicate], type, tested,
                   (unsigned long long)l->bound);
    char end[16] = "out";
    if (l->flaw == WAY_ROUND)
        snprintf(end, sizeof end, "b%u", inside);
    buf_printf(t, "br i1 %%test, label %%%s, label %%%s\n", l->goes_on ? "b0" : end,
               l->goes_on ? end : "b0");
}

static void write_loop(Buf *t, const Loop *l)
{
    buf_printf(t,
               "declare void @__ventus_barrier(i32)\ndeclare void @llvm.sideeffect()\ndeclare void "
               "@far()\n"
               "define void @f(ptr %%p, i1 %%c, i%u %%any) {\nentry:\n",
               l->flaw == TOO_WIDE ? 65 : l->bits);
    if (l->flaw == WAY_IN || l->flaw == WAY_INSIDE)
        buf_printf(t, "br i1 %%c, label %%b0, label %%before\nbefore:\nbr label %%b%u\n",
                   l->flaw == WAY_INSIDE ? (l->nblock - 1) / 2 : 0);
    else
        buf_printf(t, "br label %%b0\n");
    for (u32 k = 0; k < l->nblock; k++)
        write_block(t, l, l->at[k]);
    buf_printf(t, "out:\nret void\n}\n");
}

/* --- what has to come ------------------------------------------------------------------------- */

static bool compare(const Loop *l, u64 x)
{
    const u64 y = l->bound;
    const u32 bits = l->bits;
    const i64 a = bits < 64 && x >> (bits - 1) ? (i64)x - ((i64)1 << bits) : (i64)x,
              b = bits < 64 && y >> (bits - 1) ? (i64)y - ((i64)1 << bits) : (i64)y;
    const bool result[] = {x == y, x != y, x > y, x >= y, x<y, x <= y, a> b, a >= b, a < b, a <= b};
    return result[l->predicate];
}

static u32 rounds_of(const Loop *l)
{
    u64 i = l->start;
    for (u32 n = 1; n <= MOST_COUNTED; n++) {
        const u64 next = (i + l->step) & UINT64_MAX >> (64 - l->bits);
        if (compare(l, l->tests_next ? next : i) != l->goes_on)
            return n;
        i = next;
    }
    return 0;
}

/* The most that divides the rounds and is not too long; 0: the loop stays. */
static u32 wanted(const Loop *l)
{
    u32 size = 2, most = 0; /* next and test, and what each block has with its end */
    if (l->flaw || l->nblock > MOST_BLOCKS)
        return 0;
    for (u32 b = 0; b < l->nblock; b++)
        size += l->stores[b] + 1;
    const u32 rounds = rounds_of(l);
    for (u32 n = 2; n <= MOST_ROUNDS && rounds; n++)
        if (rounds % n == 0 && n * size <= MOST_INSTRUCTIONS)
            most = n;
    return most;
}

static LLVMBasicBlockRef block_of(LLVMValueRef f, const char *name)
{
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f);
    while (b && strcmp(LLVMGetBasicBlockName(b), name) != 0)
        b = LLVMGetNextBasicBlock(b);
    return b;
}

static void random_loops(void **state)
{
    u32 seed = 1, joined[MOST_ROUNDS + 1] = {0};
    LLVMContextRef ctx = LLVMContextCreate();
    (void)state;
    for (u32 k = 0; k < LOOPS; k++) {
        const Loop l = random_loop(&seed);
        Buf text = {0};
        char latch[16], *why = NULL;
        LLVMModuleRef m = NULL;
        write_loop(&text, &l);
        LLVMMemoryBufferRef from =
            LLVMCreateMemoryBufferWithMemoryRangeCopy(buf_text(&text), text.len, "loop");
        if (LLVMParseIRInContext(ctx, from, &m, &why))
            fail_msg("%s\n%s", why, buf_text(&text));
        LLVMValueRef f = LLVMGetNamedFunction(m, "f");
        snprintf(latch, sizeof latch, "b%u", l.nblock - 1);
        const u32 n = rounds_to_join(block_of(f, "b0"), block_of(f, latch)), want = wanted(&l);
        if (n != want)
            fail_msg("%u rounds are to be one and not %u\n%s", n, want, buf_text(&text));
        joined[n]++;
        LLVMDisposeModule(m);
        buf_free(&text);
    }
    LLVMContextDispose(ctx);
    for (u32 n = 2; n <= MOST_ROUNDS; n++)
        assert_true(joined[n] > 10);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(random_loops),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
