/* The registers that code needs, where no record says it: the highest that an instruction names. */
#include "sim/uop.h"
#include "test/kit/launchrig.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"

/* Instructions, their words, and the highest register plus one that they name. */
static const struct {
    const char *text;
    u32 words, sgprs, vgprs;
} rows[] = {
    {"add x5, x6, x7", 1, 8, 0},        {"add x31, x6, x7", 1, 32, 0},
    {"sw x9, 4(x12)", 1, 13, 0},        {"vadd.vv v3, v9, v4", 1, 0, 10},
    {"vadd.vv v31, v9, v4", 1, 0, 32},  {"vadd.vx v3, v2, x20", 1, 21, 4},
    {"vmv.v.x v17, x2", 1, 3, 18},      {"vsw12.v v6, 0(v30)", 1, 0, 31},
    {"vadd.vi v255, v1, 9", 2, 0, 256}, /* with a prefix */
    {"vadd.vv v1, v40, v2", 2, 0, 41},  {"vadd.vv v1, v2, v100", 2, 0, 101},
    {"addi x63, x1, 1", 2, 64, 0},      {"addi x3, x40, 1", 2, 41, 0},
};
/* No instruction, between a prefix and what follows: the prefix is over. */
#define NOTHING "regext zero, zero, 1\n .word 0xffffffff\n vadd.vv v5, v6, v7\n"

static void the_highest_counts(void **state)
{
    (void)state;
    for (u32 round = 0; round < 200; round++) {
        Buf b = {0};
        u32 words = 0, s = 0, v = 0, sgprs = 77, vgprs = 77;
        if (below(4) == 0) {
            buf_str(&b, NOTHING);
            words = 3, v = 8;
        }
        for (u32 i = 0, n = 1 + below(4); i < n; i++) {
            const u32 k = below(countof(rows));
            buf_printf(&b, "%s\n", rows[k].text);
            words += rows[k].words;
            s = rows[k].sgprs > s ? rows[k].sgprs : s;
            v = rows[k].vgprs > v ? rows[k].vgprs : v;
        }
        buf_str(&b, "add x62, x61, x60\nvadd.vv v200, v201, v202\n"); /* beyond the range */
        rig_load(V202, 8, buf_text(&b));
        code_registers(&rig.memory, V202, CODE_LO, 4 * words + below(4), &sgprs, &vgprs);
        if (sgprs != s || vgprs != v)
            fail_msg("%u and %u, should be %u and %u: %s", sgprs, vgprs, s, v, buf_text(&b));
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
