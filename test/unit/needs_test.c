/* What code needs, where no record says it: the highest registers that instructions name, and whether one may reach
 * private memory. */
#include "sim/uop.h"
#include "test/kit/launchrig.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"

/* Instructions, their words, and the highest register plus one that they name. */
static const struct {
    const char *text;
    u32 words, sgprs, vgprs;
    bool private;
} rows[] = {
    {"add x5, x6, x7", 1, 8, 0, false},        {"add x31, x6, x7", 1, 32, 0, false},
    {"sw x9, 4(x12)", 1, 13, 0, false},        {"vadd.vv v3, v9, v4", 1, 0, 10, false},
    {"vadd.vv v31, v9, v4", 1, 0, 32, false},  {"vadd.vx v3, v2, x20", 1, 21, 4, false},
    {"vmv.v.x v17, x2", 1, 3, 18, false},      {"vsw12.v v6, 0(v30)", 1, 0, 31, false},
    {"vadd.vi v255, v1, 9", 2, 0, 256, false}, /* with a prefix */
    {"vadd.vv v1, v40, v2", 2, 0, 41, false},  {"vadd.vv v1, v2, v100", 2, 0, 101, false},
    {"addi x63, x1, 1", 2, 64, 0, false},      {"addi x3, x40, 1", 2, 41, 0, false},
    {"vlw.v v4, 4(v2)", 1, 0, 5, true},        {"vsb.v v4, 4(v2)", 1, 0, 5, true},
    {"csrr x6, pds", 1, 7, 0, true},
};
/* No instruction, between a prefix and what follows: the prefix is over. */
#define NOTHING "regext zero, zero, 1\n .word 0xffffffff\n vadd.vv v5, v6, v7\n"

static void the_highest_counts(void **state)
{
    (void)state;
    for (u32 round = 0; round < 200; round++) {
        Buf b = {0};
        u32 words = 0;
        CodeNeeds want = {.sgprs = 0}, got = {.sgprs = 0};
        if (below(4) == 0) {
            buf_str(&b, NOTHING);
            words = 3, want.vgprs = 8;
        }
        for (u32 i = 0, n = 1 + below(4); i < n; i++) {
            const u32 k = below(countof(rows));
            buf_printf(&b, "%s\n", rows[k].text);
            words += rows[k].words;
            want.sgprs = rows[k].sgprs > want.sgprs ? rows[k].sgprs : want.sgprs;
            want.vgprs = rows[k].vgprs > want.vgprs ? rows[k].vgprs : want.vgprs;
            want.private |= rows[k].private;
        }
        buf_str(
            &b,
            "add x62, x61, x60\nvadd.vv v200, v201, v202\nvlw.v v1, 0(v1)\n"); /* beyond the range */
        rig_load(V202, 8, buf_text(&b));
        code_needs(&rig.memory, V202, CODE_LO, 4 * words + below(4), &got);
        if (got.sgprs != want.sgprs || got.vgprs != want.vgprs || got.private != want.private)
            fail_msg("%u, %u, %u, should be %u, %u, %u: %s", got.sgprs, got.vgprs, got.private,
                     want.sgprs, want.vgprs, want.private, buf_text(&b));
        buf_free(&b);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_nothing),
                                       cmocka_unit_test(the_highest_counts)};
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}
