/* sample_test.c -- launches of which some groups are timed: results are those of the whole, and the
 * cycles of the whole are in the interval that is stated.
 */
#include "test/kit/timerig.h"
#include <stdlib.h>

enum { LANES = 8, GROUPS = 420 };

static Machine machine;

/* t0: the group's number; s0: how often its loop runs; v2: where its own words are */
#define BEGIN                                                                                      \
    "    csrr    t0, CSR_GIDX\n"                                                                   \
    "    lui     s1, 0x90000\n"                                                                    \
    "    vid.v   v1\n"                                                                             \
    "    vsll.vi v1, v1, 2\n"                                                                      \
    "    slli    t1, t0, 5\n"                                                                      \
    "    add     t1, t1, s1\n"                                                                     \
    "    vadd.vx v2, v1, t1\n"                                                                     \
    "    vadd.vx v1, v1, s1\n"                                                                     \
    "    vmv.v.x v3, t0\n"
#define END                                                                                        \
    "    addi    s0, s0, -1\n"                                                                     \
    "    bnez    s0, 1b\n"                                                                         \
    "    vsw12.v v3, 0(v2)\n"                                                                      \
    "    endprg  x0, x0, x0\n"
#define COMPUTES "1:  vmul.vv v3, v3, v3\n    vadd.vi v3, v3, 1\n"

static const struct { const char *name, *text; } programs[] = {
    {"alike", BEGIN "    li s0, 9\n" COMPUTES END},
    {"random length", BEGIN "    li t2, 40503\n    mul s0, t0, t2\n    srli s0, s0, 3\n"
                            "    andi s0, s0, 31\n    addi s0, s0, 1\n" COMPUTES END},
    {"longer and longer", BEGIN "    srli s0, t0, 4\n    addi s0, s0, 1\n" COMPUTES END},
    {"two kinds", BEGIN "    andi s0, t0, 16\n    addi s0, s0, 3\n" COMPUTES END},
    {"new lines", BEGIN "    li s0, 4\n    slli t1, t0, 11\n    lui s1, 0x90010\n"
                        "    add t1, t1, s1\n"
                        "    vid.v v4\n    vsll.vi v4, v4, 7\n    vadd.vx v4, v4, t1\n"
                        "1:  vlw12.v v5, 64(v4)\n    vadd.vv v3, v3, v5\n    vadd.vi v4, v4, 4\n" END},
    {"the same lines", BEGIN "    li s0, 6\n    lui s1, 0x10\n    vadd.vx v1, v1, s1\n"
                             "1:  vlw12.v v5, 0(v1)\n    vadd.vv v3, v3, v5\n"
                             "    vadd.vi v1, v1, 8\n" END},
};

static LaunchResult run(const char *text, const char *on, u32 sample)
{
    LaunchResult r;
    assert_true(machine_builtin(on, &machine));
    rig_load(V202, LANES, text);
    time_kind.code_changed(engine, V202, CODE_LO, TEXT_BYTES);
    rig.launch.machine = &machine;
    rig.launch.groups[0] = GROUPS;
    rig.launch.resident = 3;
    time_kind.launch(engine, &rig.launch, &(LaunchOptions){.sample = sample}, &r);
    return r;
}

/* the words that groups have written */
static u32 *results(void)
{
    u32 *copy = malloc(GROUPS * LANES * 4);
    assert_non_null(copy);
    memcpy(copy, rig.data, GROUPS * LANES * 4);
    return copy;
}

static void the_whole_is_in_the_interval(void **state)
{
    (void)state;
    static const char *const machines[] = {NULL, "rtl-direct", "chisel"};
    u32 cases = 0, within = 0;
    for (size_t i = 0; i < countof(programs); i++)
        for (size_t m = 0; m < countof(machines); m++) {
            const LaunchResult whole = run(programs[i].text, machines[m], 0);
            assert_false(whole.faulted);
            assert_int_equal(whole.timed, GROUPS);
            assert_int_equal(whole.cycles_error, 0);
            u32 *want = results();
            for (u32 percent = 10; percent <= 30; percent += 20) {
                const LaunchResult r = run(programs[i].text, machines[m], percent * 10000);
                assert_memory_equal(rig.data, want, GROUPS * LANES * 4);
                assert_int_equal(r.insns, whole.insns);
                assert_int_equal(r.groups, GROUPS);
                assert_true(r.timed < GROUPS / 2 && r.cycles_error > 0);
                const u64 off =
                    r.cycles > whole.cycles ? r.cycles - whole.cycles : whole.cycles - r.cycles;
                const bool in = off <= r.cycles_error;
                cases++;
                within += in;
                print_message("%s on %s, %u%%: %llu for %llu, +-%llu%s\n", programs[i].name,
                              machine.name, percent, (unsigned long long)r.cycles,
                              (unsigned long long)whole.cycles,
                              (unsigned long long)r.cycles_error, in ? "" : " OUTSIDE");
                /* an interval that holds everything says nothing */
                assert_true(r.cycles_error < whole.cycles * 7 / 10);
            }
            free(want);
        }
    print_message("%u of %u\n", within, cases);
    assert_true(within * 10 >= cases * 9);
}

static void few_groups_are_all_timed(void **state)
{
    (void)state;
    const LaunchResult all = run(programs[0].text, NULL, 1000000), most = run(programs[0].text, NULL, 950000);
    assert_int_equal(all.timed, GROUPS);
    assert_int_equal(most.timed, GROUPS);
    assert_int_equal(all.cycles, most.cycles);
    assert_int_equal(most.cycles_error, 0);
}

/* A group that waits for the one before it is not run to its end while that one is being timed. */
static void groups_may_wait_for_earlier_ones(void **state)
{
    (void)state;
    static const char chain[] = BEGIN "    vmv.v.i v3, 1\n"
                                      "    beqz    t0, 2f\n"
                                      "1:  lw      t2, -32(t1)\n"
                                      "    beqz    t2, 1b\n"
                                      "2:  vsw12.v v3, 0(v2)\n"
                                      "    endprg  x0, x0, x0\n";
    const LaunchResult r = run(chain, NULL, 100000);
    assert_false(r.faulted);
    assert_int_equal(r.groups, GROUPS);
    assert_true(r.timed < GROUPS);
    for (u32 i = 0; i < GROUPS * LANES; i++)
        assert_int_equal(rig.data[i], 1);
}

/* The fault of a group that is not timed is reported as any other, and so are limits. */
static void faults_of_skipped_groups(void **state)
{
    (void)state;
    static const char faults[] = BEGIN "    li   t2, 200\n"
                                       "    blt  t0, t2, 1f\n"
                                       "    lw   t0, 0(x0)\n"
                                       "1:  vsw12.v v3, 0(v2)\n"
                                       "    endprg x0, x0, x0\n";
    static const char *const machines[] = {NULL, "rtl-direct"};
    for (size_t m = 0; m < countof(machines); m++) {
        const LaunchResult r = run(faults, machines[m], 100000);
        assert_true(r.faulted);
        assert_int_equal(r.fault.kind, FAULT_LOAD);
        assert_int_equal(r.fault.group_linear, 200);
    }
    assert_false(run(programs[0].text, NULL, 100000).faulted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_is_in_the_interval),
        cmocka_unit_test(few_groups_are_all_timed),
        cmocka_unit_test(groups_may_wait_for_earlier_ones),
        cmocka_unit_test(faults_of_skipped_groups),
    };
    return cmocka_run_group_tests_name("sample", tests, timing_set_up, timing_tear_down);
}
