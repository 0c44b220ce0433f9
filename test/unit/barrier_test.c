/* barrier_test.c -- what the check for barriers says where lanes of a warp part before one, and
 * where warps of a group come to different ones or to none: every way of it.
 */
#include "test/kit/checkrig.h"
#include "test/kit/leftover.h"

enum { LANES = 4, OPS = 2, WARPS = 3 };

/* Runs operations, the first two words of whose arguments are these. */
static void run(const char *text, u32 a, u32 b, u32 items, Driver **driver, Check **check,
                u32 pc[OPS])
{
    Buf program = {0};
    const DrvArg args[] = {{.size = 4, .align = 4, .value = &a},
                           {.size = 4, .align = 4, .value = &b}};
    const DrvKernel launch = {
        .kernel = "k", .dims = 1, .global = {items}, .local = {items}, .args = args, .nargs = 2};
    open_check(LANES, 1u << CHECK_barrier, driver, check);
    buf_str(&program, text);
    run_image(*driver, image_of_operations(&program, OPS, pc), &launch);
    buf_free(&program);
}

static void expect(const Check *c, const char *what, u32 pc, u32 other, const char *sentence,
                   const char *more)
{
    char text[300];
    const Cause *k = &c->cause[0];
    if (!sentence) {
        if (c->ncause)
            fail_msg("%s: %s", what, k->text);
        return;
    }
    snprintf(text, sizeof text, "barrier: %s\n", sentence);
    if (c->ncause != 1 || k->pc != pc || k->other != other || !k->text ||
        strncmp(k->text, text, strlen(text)) || !strstr(k->text, more))
        fail_msg("%s: '%s', not '%s' with '%s' (%zu causes, at %08x and %08x)", what,
                 c->ncause ? k->text : "", text, more, c->ncause, c->ncause ? k->pc : 0,
                 c->ncause ? k->other : 0);
}

/* The lanes with a bit of the mask come to a barrier, the others do not. */
static const char parts[] = "\t.kernel k\n"
                            "k:\tlw s2, 0(a0)\n"
                            "\tvid.v v1\n"
                            "\tvmv.v.x v2, s2\n"
                            "\tvsrl.vv v2, v2, v1\n"
                            "\tvand.vi v2, v2, 1\n"
                            "\tvmv.v.i v3, 0\n"
                            "1:\tauipc t1, %pcrel_hi(2f)\n"
                            "\tsetrpc zero, t1, %pcrel_lo(1b)\n"
                            "\tvbne v2, v3, o0\n"
                            "o1:\tj 2f\n"
                            "o0:\tbarrier x0, x0, 1\n"
                            "2:\tjoin zero, zero, 0\n"
                            "\tret\n";

static void lanes_part(void **state)
{
    (void)state;
    for (u32 items = 1; items <= LANES; items++)
        for (u32 mask = 0; mask < 1u << items; mask++) {
            Driver *driver;
            Check *check;
            u32 pc[OPS];
            char what[80], sentence[120], more[80];
            const u32 all = (1u << items) - 1, missing = all & ~mask;
            const u32 n = (u32)__builtin_popcount(mask), left = (u32)__builtin_popcount(missing);
            /* the smaller side goes first, and finds the other waiting; else that is at the join */
            const bool waits = n <= left;
            run(parts, mask, 0, items, &driver, &check, pc);
            snprintf(what, sizeof what, "%u items, mask %x", items, mask);
            snprintf(
                sentence, sizeof sentence,
                "divergent barrier: %u of the %u work-items of the warp do not reach it with the "
                "others",
                left, items);
            snprintf(more, sizeof more, "%s (%u, 0, 0), in its group",
                     waits ? "\n  by         " : "\n  not here   ",
                     left ? (u32)__builtin_ctz(missing) : 0);
            expect(check, what, pc[0], waits ? pc[1] : 0, n && left ? sentence : NULL, more);
            drv_close(driver);
            check_close(check);
        }
}

/* Each warp comes to the first barrier, to the second or to none, by two bits of a word. */
static const char chooses[] = "\t.kernel k\n"
                              "k:\tlw s2, 0(a0)\n"
                              "\tcsrr t0, CSR_WID\n"
                              "\tslli t0, t0, 1\n"
                              "\tsrl s2, s2, t0\n"
                              "\tandi s2, s2, 3\n"
                              "\tli t1, 1\n"
                              "\tbeqz s2, 1f\n"
                              "\tbeq s2, t1, 2f\n"
                              "\tret\n"
                              "1:\n"
                              "o0:\tbarrier x0, x0, 1\n"
                              "\tret\n"
                              "2:\n"
                              "o1:\tbarrier x0, x0, 1\n"
                              "\tret\n";

static void warps_part(void **state)
{
    enum { NONE = 2 };
    (void)state;
    for (u32 code = 0; code < 27; code++)
        for (u32 items = (WARPS - 1) * LANES + 1; items <= WARPS * LANES; items += LANES - 1) {
            Driver *driver;
            Check *check;
            u32 pc[OPS], word = 0, at = WARPS, other = WARPS;
            const u32 does[WARPS] = {code % 3, code / 3 % 3, code / 9};
            char what[80], more[80];
            for (u32 k = WARPS; k-- > 0;) {
                word |= does[k] << 2 * k;
                at = does[k] != NONE ? k : at; /* the first that meets another */
            }
            for (u32 k = WARPS; at < WARPS && k-- > 0;)
                other = does[k] != does[at] ? k : other;
            run(chooses, word, 0, items, &driver, &check, pc);
            snprintf(what, sizeof what, "warps do %u, %u, %u", does[0], does[1], does[2]);
            const bool ended = other < WARPS && does[other] == NONE;
            snprintf(more, sizeof more, "\n  %s (%u, 0, 0), in its group",
                     ended ? "ended      " : "by         ", other * LANES);
            expect(check, what, at < WARPS ? pc[does[at]] : 0,
                   other < WARPS && !ended ? pc[does[other]] : 0,
                   other == WARPS ? NULL
                   : ended        ? "barrier that a warp of the group never reaches: it has ended"
                                  : "warps of a group meet at different barriers",
                   more);
            drv_close(driver);
            check_close(check);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(lanes_part),
        cmocka_unit_test(warps_part),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
