/* sample_test.c -- launches of which some groups are timed: results are those of the whole, and the
 * cycles of the whole are in the interval that is stated.
 */
#include "test/kit/leftover.h"
#include "test/kit/timerig.h"
#include <math.h>
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

/* When groups began, in that order, and the launch. */
static struct {
    u64 group[GROUPS], at[GROUPS], begin, end;
    u32 n;
} begun;

static void note_begin(void *self, const CycleEvent *e)
{
    (void)self;
    if (e->kind == CYCLE_LAUNCH)
        begun.begin = e->cycle;
    else if (e->kind == CYCLE_LAUNCH_END)
        begun.end = e->cycle;
    else {
        assert_true(begun.n < GROUPS);
        begun.group[begun.n] = e->group;
        begun.at[begun.n++] = e->cycle;
    }
}

/* Private memory of the groups: so many areas, or one each. */
static struct {
    u32 areas;
    bool by_group;
} memory = {4, false};

static LaunchResult run(const char *text, const char *on, u32 sample)
{
    const CycleObserver observer = {
        .kinds = 1 << CYCLE_GROUP | 1 << CYCLE_LAUNCH | 1 << CYCLE_LAUNCH_END, .tell = note_begin};
    LaunchResult r;
    begun.n = 0;
    assert_true(machine_builtin(on, &machine));
    rig_load(V202, LANES, text);
    time_kind.code_changed(engine, V202, CODE_LO, TEXT_BYTES);
    rig.launch.machine = &machine;
    rig.launch.groups[0] = GROUPS;
    rig.launch.resident = 3;
    rig.launch.pds_areas = memory.areas;
    rig.launch.pds_by_group = memory.by_group;
    time_kind.launch(engine, &rig.launch, &(LaunchOptions){.sample = sample, .cycles = &observer}, &r);
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

/* The cycle in which the first group from that number on began. */
static double began(u64 group)
{
    for (u32 i = 0; i < begun.n; i++)
        if (begun.group[i] >= group)
            return (double)begun.at[i];
    return (double)begun.end;
}

/* Student's t, two-sided 95 %, of a table. */
static double t_of(u64 n)
{
    static const struct {
        u64 n;
        double t;
    } table[] = {{5, 2.5706}, {9, 2.2622}, {14, 2.1448}, {40, 2.0211}, {124, 1.9793}};
    for (size_t i = 0; i < countof(table); i++)
        if (table[i].n == n)
            return table[i].t;
    fail_msg("no t of %u", (u32)n);
    return 0;
}

/* The estimate and its error are computed from when groups began as the head of time/sample.c says. */
static void check_estimate(const LaunchResult *r, u64 wave, u64 n)
{
    const bool alone = machine.group_alone;
    const u64 waves = GROUPS / wave - 2, timed = alone ? 1 : 2;
    const double host = (double)machine.host_after - (double)machine.host_before;
    double sum = (double)(begun.end - begun.begin) + host * (alone ? begun.n : 1);
    double last = 0, squares = 0;
    assert_int_equal(begun.n, GROUPS - waves * wave + n * timed * wave);
    assert_int_equal(r->timed, begun.n);
    for (u32 i = 0; i < begun.n; i++) /* the first wave, and those at the end, are always timed */
        assert_true(begun.group[i] >= i && (i >= wave || begun.group[i] == i) &&
                    (i + wave < begun.n || begun.group[i] + begun.n == GROUPS + i));
    for (u64 i = 0; i < n; i++) {
        const u64 first = waves * i / n, past = waves * (i + 1) / n;
        u64 from = 0;
        for (u32 k = begun.n; k-- > 0;)
            if (begun.group[k] >= wave + first * wave)
                from = begun.group[k];
        assert_true(from % wave == 0 && from + timed * wave <= wave + past * wave);
        const double measured = began(from + timed * wave) - began(from + (timed - 1) * wave);
        sum += (double)(past - first) * measured - (began(from + timed * wave) - began(from));
        squares += i ? (measured - last) * (measured - last) : 0;
        last = measured;
    }
    const double skipped = GROUPS - begun.n, count = (double)n, all = (double)waves;
    sum += alone ? skipped * host : 0;
    const double spread =
        t_of(n - 1) * all * sqrt(squares / (2 * (count - 1)) / count * (1 - count / all));
    const double error = spread + 0.01 * skipped / (double)GROUPS * sum;
    assert_int_equal(r->cycles, (u64)(sum + 0.5));
    if (fabs((double)r->cycles_error - error) > 1 + spread * (n <= 10 ? 0.01 : 0.001))
        fail_msg("error %u, should be %f", (u32)r->cycles_error, error);
}

static void estimates_follow_from_what_was_timed(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(programs); i++) {
        LaunchResult r = run(programs[i].text, "rtl-direct", 100000);
        check_estimate(&r, 1, 41); /* 10 % of 418 between the first and the last */
        r = run(programs[i].text, "rtl-direct", 300000);
        check_estimate(&r, 1, 125);
        r = run(programs[i].text, NULL, 100000);
        check_estimate(&r, 4, 6); /* 4 have private memory; of 103 waves 5 times 2, 6 at least */
        r = run(programs[i].text, NULL, 300000);
        check_estimate(&r, 4, 15);
        for (u32 by_group = 0; by_group < 2; by_group++) { /* 3 groups on each of 2 SMs */
            memory.areas = by_group ? 4 : 100;
            memory.by_group = by_group;
            r = run(programs[i].text, NULL, 300000);
            check_estimate(&r, 6, 10);
        }
        memory.areas = 4, memory.by_group = false;
    }
}

/* Events that an observer hears, by kind. */
typedef struct {
    EventKind events;
    u32 n[32];
} Heard;

static Verdict count_event(void *self, const Event *e)
{
    ((Heard *)self)->n[__builtin_ctz(e->kind)]++;
    return GO_ON;
}

/* Observers hear as much of groups that are not timed: when they, their warps, barriers begin and end. */
static void observers_hear_of_all_groups(void **state)
{
    (void)state;
    static const char meets[] = BEGIN "    barrier x0, x0, 1\n"
                                      "    li s0, 3\n" COMPUTES "    addi    s0, s0, -1\n"
                                      "    bnez    s0, 1b\n"
                                      "    barrier x0, x0, 1\n"
                                      "    endprg  x0, x0, x0\n";
    enum { FEW = 200, WARPS = 2 };
    const u32 coarse = EVENT_group_begin | EVENT_group_end | EVENT_warp_begin | EVENT_warp_end |
                       EVENT_barrier | EVENT_launch_begin | EVENT_launch_end;
    for (u32 k = 0; k < 8; k++) {
        const u32 sample = k & 4 ? 0 : 100000;
        Heard h = {.events = (EventKind)(k & 1 ? coarse | EVENT_insn : coarse)};
        const Observer o = {.self = &h, .events = h.events, .tell = count_event};
        LaunchResult r;
        assert_true(machine_builtin(k & 2 ? "rtl-direct" : NULL, &machine));
        rig_load(V202, LANES, meets);
        time_kind.code_changed(engine, V202, CODE_LO, TEXT_BYTES);
        rig.launch.machine = &machine;
        rig.launch.groups[0] = FEW;
        rig.launch.warps = WARPS;
        time_kind.launch(
            engine, &rig.launch,
            &(LaunchOptions){.sample = sample, .observers = &o, .nobservers = 1}, &r);
        assert_true(!r.faulted && (r.timed < FEW) == (sample > 0));
        static const struct {
            EventKind kind;
            u32 times;
        } wanted[] = {{EVENT_launch_begin, 1},         {EVENT_launch_end, 1},
                      {EVENT_group_begin, FEW},        {EVENT_group_end, FEW},
                      {EVENT_warp_begin, FEW * WARPS}, {EVENT_warp_end, FEW * WARPS},
                      {EVENT_barrier, FEW * 2}};
        for (size_t i = 0; i < countof(wanted); i++)
            assert_int_equal(h.n[__builtin_ctz(wanted[i].kind)], wanted[i].times);
        assert_int_equal(h.n[__builtin_ctz(EVENT_insn)], k & 1 ? r.insns : 0);
        assert_int_equal(r.insns, FEW * WARPS * (9 + 1 + 1 + 3 * 4 + 2));
    }
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

/* Groups are asked again and again; the answer of one interrupts the launch. */
typedef struct {
    RollCall call;
    u32 group;
} Question;

static void interrupt(void *self, const Group *g, bool is_last)
{
    Question *q = self;
    if (!is_last && g->linear == q->group)
        time_kind.interrupt(engine);
    else if (!is_last)
        q->call.asked++;
}

/* A group that goes on for ever ends by a limit, or when the launch is interrupted, also where it is
 * not timed, as most of these. */
static void limits_of_skipped_groups(void **state)
{
    static u32 asked; /* contexts know how often they were asked */
    (void)state;
    for (u32 group = 100; group < 300; group += 45)
        for (u32 interrupts = 0; interrupts < 2; interrupts++) {
            char text[1024];
            LaunchResult r;
            Question q = {.group = group};
            q.call = (RollCall){.asked = asked += 1 << 16, .self = &q, .answer = interrupt};
            snprintf(text, sizeof text,
                     BEGIN "    li   t2, %u\n"
                           "    bne  t0, t2, 2f\n"
                           "1:  j    1b\n"
                           "2:  vsw12.v v3, 0(v2)\n"
                           "    endprg x0, x0, x0\n",
                     group);
            assert_true(machine_builtin(NULL, &machine));
            rig_load(V202, LANES, text);
            time_kind.code_changed(engine, V202, CODE_LO, TEXT_BYTES);
            rig.launch.machine = &machine;
            rig.launch.groups[0] = GROUPS;
            rig.launch.resident = 3;
            rig.launch.max_insns = interrupts ? 2000000 : 50000;
            rig.launch.roll = interrupts ? &q.call : NULL;
            time_kind.launch(engine, &rig.launch, &(LaunchOptions){.sample = 100000}, &r);
            assert_true(r.faulted);
            assert_int_equal(r.fault.kind, interrupts ? FAULT_STOPPED : FAULT_ENDLESS);
            assert_int_equal(r.fault.group_linear, group);
        }
    rig.launch.roll = NULL;
}

/* The fault of a group that is not timed is reported as any other. */
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_is_in_the_interval),
        cmocka_unit_test(few_groups_are_all_timed),
        cmocka_unit_test(estimates_follow_from_what_was_timed),
        cmocka_unit_test(observers_hear_of_all_groups),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(groups_may_wait_for_earlier_ones),
        cmocka_unit_test(faults_of_skipped_groups), cmocka_unit_test(limits_of_skipped_groups),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests_name("sample", tests, timing_set_up, timing_tear_down);
}
