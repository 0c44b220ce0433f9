/* history_test.c -- the way back of a led launch (dbg/run.h): at any place it is as it was there when it
 * first came by, however many states were kept and given up since. */
#include "dbg/run.h"
#include "sim/step.h"
#include "test/kit/launchrig.h"
#include <malloc.h>

enum { PLACES = 50, WRITTEN = 1 << 16, NOISE = 1 << 14 };

/* Each turn adds to a word of device, of local and of private memory, and lanes part; the odd warps are slower. */
static const char program[] = "    csrr    t0, CSR_WID\n"
                              "    csrr    t1, CSR_GIDX\n"
                              "    slli    t1, t1, 1\n"
                              "    add     t1, t1, t0\n"
                              "    lui     s0, 0x90000\n"
                              "    lui     s1, 0x70000\n"
                              "    li      s2, 4300\n"
                              "    lui     s3, 0x10\n"
                              "    addi    s3, s3, -4\n"
                              "    li      s5, 0x124\n"
                              "    vid.v   v1\n"
                              "    vmv.v.x v3, x0\n"
                              "    vmv.v.i v0, 0\n"
                              "1:  mul     t2, s2, s5\n"
                              "    and     t2, t2, s3\n"
                              "    add     t3, s0, t2\n"
                              "    lw      t4, 0(t3)\n"
                              "    add     t4, t4, s2\n"
                              "    sw      t4, 0(t3)\n"
                              "    andi    t2, t2, 0x7fc\n"
                              "    add     t3, s1, t2\n"
                              "    sw      t4, 0(t3)\n"
                              "    vadd.vx v1, v1, t4\n"
                              "    vsw.v   v1, 4(v3)\n"
                              "    vlw.v   v2, 8(v3)\n"
                              "    vadd.vv v2, v2, v1\n"
                              "    vsw.v   v2, 8(v3)\n"
                              "    vand.vi v6, v2, 1\n"
                              "3:  auipc   t6, %pcrel_hi(5f)\n"
                              "    setrpc  zero, t6, %pcrel_lo(3b)\n"
                              "    vbne    v6, v0, 4f\n"
                              "    vadd.vi v1, v1, 9\n"
                              "    j       5f\n"
                              "4:  vadd.vi v1, v1, 7\n"
                              "5:  join    zero, zero, 0\n"
                              "    addi    s2, s2, -1\n"
                              "    andi    t5, t0, 1\n"
                              "    beqz    t5, 2f\n"
                              "    nop\n"
                              "2:  bnez    s2, 1b\n"
                              "    barrier x0, x0, 1\n"
                              "    endprg  x0, x0, x0\n";

static u64 mix(u64 h, const void *from, size_t n)
{
    for (const u8 *b = from; n--; b++)
        h = (h ^ *b) * 0x100000001b3u;
    return h;
}

/* a number for all that programs can see */
static u64 digest(const Run *r)
{
    const Group *g = r->group;
    u64 h = mix(0xcbf29ce484222325u, &g->linear, sizeof g->linear);
    h = mix(h, &r->turn, sizeof r->turn);
    for (u32 k = 0; k < g->nwarps; k++) {
        h = mix(h, &g->warps[k].pc, sizeof g->warps[k].pc);
        h = mix(h, g->warps[k].x, sizeof g->warps[k].x);
        h = mix(h, g->warps[k].v, sizeof g->warps[k].v);
    }
    h = mix(h, g->lds.base + LDS_LO, PAGE_SIZE);
    h = mix(h, rig.memory.base + PDS, (size_t)PAGE_SIZE * 4);
    return mix(h, rig.data, WRITTEN);
}

static void go_and_come_back(void)
{
    static u64 place[PLACES], was[PLACES];
    Run r;
    Step s;
    rig_load(V202, 8, program);
    rig.launch.groups[0] = 2;
    rig.launch.warps = 2;
    for (u32 i = 0; i < WRITTEN / 4; i++) /* every second page is zero */
        rig.data[i] = i >> (PAGE_BITS - 2) & 1 ? i * 0x9e3779b1u : 0;
    Audience nobody = audience_of(&rig.launch, &(LaunchOptions){0});
    assert_true(run_open(&r, rig.sim, &rig.launch, &nobody, true));
    /* 1. forwards: places that lie far apart at the end, and all that is near the start of the second group */
    u32 n = 0;
    u64 seed = 1;
    for (bool goes_on = true; goes_on;) {
        if (n < PLACES && r.now >= (u64)n * 9001) {
            place[n] = r.now;
            was[n++] = digest(&r);
        }
        goes_on = run_step(&r, &s);
    }
    assert_false(r.group->faulted);
    assert_int_equal(n, PLACES);
    /* 2. states are kept at distances that grow with the launch */
    size_t last;
    assert_true(history_find(r.history, r.now, &last));
    assert_in_range(last, 16, 64);
    assert_true(history_place(r.history, last) - history_place(r.history, last - 1) >= r.now / 100);
    /* 3. to any place, from any other */
    for (u32 k = 0; k < 60; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const u32 to = k < 2 ? (PLACES - 1) * k : (u32)(seed >> 33) % PLACES;
        assert_true(run_go_to(&r, place[to]));
        assert_int_equal(r.now, place[to]);
        if (digest(&r) != was[to])
            fail_msg("place %llu is not as it was", (unsigned long long)place[to]);
    }
    /* 4. what is changed by hand is so from then on, and was not before */
    const u32 k = PLACES / 3;
    for (u32 turn = 0; turn < 2; turn++) {
        assert_true(run_go_to(&r, place[k + turn]));
        run_page_changes(&r, DATA);
        rig.data[5] ^= 0x1234567;
        r.group->warps[0].x[27] = 99 + turn;
        run_changed(&r);
    }
    const u64 changed = digest(&r);
    while (r.now < place[k + 4])
        assert_true(run_step(&r, &s));
    const u64 later = digest(&r);
    assert_true(changed != was[k + 1] && later != was[k + 4]);
    for (u32 turn = 0; turn < 3; turn++) {
        assert_true(run_go_to(&r, 0));
        assert_true(digest(&r) == was[0]);
        assert_true(run_go_to(&r, place[k - 1]));
        assert_true(digest(&r) == was[k - 1]);
        assert_true(run_go_to(&r, place[k + 4]));
        assert_true(digest(&r) == later);
        assert_true(run_go_to(&r, place[k + 1] + 1) && run_go_to(&r, place[k + 4]));
        assert_true(digest(&r) == later);
    }
    run_close(&r);
}

/* The second time nothing is left but what malloc keeps at hand.  (Sanitizers count blocks themselves: there is
 * nothing to see here then.) */
static void comes_back(void **state)
{
    (void)state;
    go_and_come_back();
    const size_t before = mallinfo2().uordblks;
    go_and_come_back();
    assert_true(mallinfo2().uordblks < before + NOISE);
}

/* A change by hand stays where it was made, when states beside it are given up: whoever comes there from
 * before goes on with it. */
static void changes_outlast_states(void **state)
{
    enum { CHANGE = 5000, FAR = 200000 };
    Run r;
    Step s;
    size_t last;
    (void)state;
    rig_load(V202, 8, program);
    rig.launch.groups[0] = rig.launch.warps = 2;
    Audience nobody = audience_of(&rig.launch, &(LaunchOptions){0});
    assert_true(run_open(&r, rig.sim, &rig.launch, &nobody, true));
    while (r.now < CHANGE)
        assert_true(run_step(&r, &s));
    run_page_changes(&r, DATA);
    rig.data[5] ^= 0x1234567;
    r.group->warps[0].v[1][3] ^= 0x7654321;
    run_changed(&r);
    const u64 changed = digest(&r);
    while (r.now < FAR)
        assert_true(run_step(&r, &s));
    const u64 later = digest(&r);
    assert_true(history_find(r.history, r.now, &last));
    assert_true(last < 64 && history_place(r.history, last) > 64 * 2000); /* some were given up */
    for (u32 from = 0; from < CHANGE; from += CHANGE / 2 - 1) {
        assert_true(run_go_to(&r, from));
        while (r.now < CHANGE + 1)
            assert_true(run_step(&r, &s));
        assert_true(run_go_to(&r, CHANGE));
        assert_true(digest(&r) == changed);
        assert_true(run_go_to(&r, from));
        while (r.now < FAR)
            assert_true(run_step(&r, &s));
        assert_true(digest(&r) == later);
    }
    run_close(&r);
}

/* On the way back a copy that nobody has waited for is pending again, so that a load of its bytes is a fault; and lanes
 * have their reservations, of which a store ends one. */
static void copies_and_reservations_come_back(void **state)
{
    enum { LENGTH = 40000 };
    Run r;
    Step s;
    (void)state;
    rig_load(V2025, 8, "    lui     s0, 0x90000\n"
                       "    lui     s1, 0x70000\n"
                       "    li      t3, 64\n"
                       "    cp_dma_bulk s1, s0, t3\n"
                       "    vid.v   v2\n"
                       "    vsll.vi v2, v2, 2\n"
                       "    vadd.vx v2, v2, s0\n"
                       "    lr.w    v4, (v2)\n"
                       "    li      s2, 20000\n"
                       "1:  addi    s2, s2, -1\n"
                       "    bnez    s2, 1b\n"
                       "    sw      s2, 12(s0)\n"
                       "    sc.w    v5, v2, (v2)\n"
                       "    lw      t6, 60(s1)\n"
                       "    endprg  x0, x0, x0\n");
    rig.launch.check_copies = true;
    Audience nobody = audience_of(&rig.launch, &(LaunchOptions){0});
    assert_true(run_open(&r, rig.sim, &rig.launch, &nobody, true));
    for (u64 from = 0; from < LENGTH; from += LENGTH / 5 - 1) {
        assert_true(run_go_to(&r, from));
        assert_int_equal(r.group->npending, from ? 1 : 0);
        while (run_step(&r, &s))
            ;
        assert_true(r.now > LENGTH && r.group->faulted);
        assert_int_equal(r.group->fault.kind, FAULT_COPY_EARLY);
        for (u32 lane = 0; lane < 8; lane++)
            assert_int_equal(r.group->warps[0].v[5][lane], lane == 3);
    }
    run_close(&r);
}

/* what happened, in its order */
typedef struct {
    u64 sum;
    u32 count[NEVENT];
} Heard;

static Verdict hear(void *self, const Event *e)
{
    Heard *h = self;
    const u64 what[] = {e->kind, e->group ? e->group->linear : 99, e->warp ? e->warp->id : 99,
                        e->step ? e->step->pc : 0};
    h->sum = mix(h->sum, what, sizeof what);
    h->count[__builtin_ctz(e->kind)]++;
    return GO_ON;
}

/* Warps take turns as in the interpreter, whatever the length of a turn: observers hear the same in the same order. */
static void takes_turns(void **state)
{
    static const char rounds[] = "    csrr    t0, CSR_WID\n"
                                 "    li      s2, 5\n"
                                 "    add     s2, s2, t0\n"
                                 "1:  addi    s2, s2, -1\n"
                                 "    bnez    s2, 1b\n"
                                 "    barrier x0, x0, 1\n"
                                 "    li      s2, 3\n"
                                 "2:  addi    s2, s2, -1\n"
                                 "    bnez    s2, 2b\n"
                                 "    barrier x0, x0, 1\n"
                                 "    endprg  x0, x0, x0\n";
    const u32 all = ((u32)1 << NEVENT) - 1;
    (void)state;
    for (u64 slice = 0; slice < 9; slice++) {
        Heard by_turns = {.sum = 1}, led = {.sum = 1};
        Run r;
        Step s;
        rig_load(V202, 8, rounds);
        rig.launch.groups[0] = 2;
        rig.launch.warps = 3;
        rig_must_run(&(LaunchOptions){.slice = slice, .observers = &(Observer){&by_turns, all, hear, NULL}, .nobservers = 1});
        const LaunchOptions options = {.slice = slice, .observers = &(Observer){&led, all, hear, NULL}, .nobservers = 1};
        Audience audience = audience_of(&rig.launch, &options);
        audience_tell(&audience, EVENT_launch_begin, NULL, NULL);
        assert_true(run_open(&r, rig.sim, &rig.launch, &audience, slice & 1));
        while (run_step(&r, &s))
            ;
        assert_false(r.group->faulted);
        run_close(&r);
        audience_tell(&audience, EVENT_launch_end, NULL, NULL);
        assert_memory_equal(led.count, by_turns.count, sizeof led.count);
        assert_true(led.sum == by_turns.sum);
        assert_int_equal(led.count[EVENT_BIT_barrier], 4);
        assert_int_equal(led.count[EVENT_BIT_warp_end], 6);
    }
}

/* Events of what runs again on the way back and forth are told once. */
static void tells_once(void **state)
{
    Heard once = {.sum = 1}, twice = {.sum = 1};
    (void)state;
    for (int back = 0; back < 2; back++) {
        Run r;
        Step s;
        const LaunchOptions options = {
            .observers = &(Observer){back ? &twice : &once, ((u32)1 << NEVENT) - 1, hear, NULL}, .nobservers = 1};
        rig_load(V202, 8, "    li t0, 1\n    barrier x0, x0, 1\n    li t1, 2\n    endprg x0, x0, x0\n");
        rig.launch.groups[0] = 2;
        rig.launch.warps = 2;
        Audience audience = audience_of(&rig.launch, &options);
        assert_true(run_open(&r, rig.sim, &rig.launch, &audience, true));
        while (run_step(&r, &s))
            for (u64 now = r.now, to = 0; back && to < now; to++)
                assert_true(run_go_to(&r, to) && run_go_to(&r, now));
        run_close(&r);
    }
    assert_memory_equal(once.count, twice.count, sizeof once.count);
    assert_true(once.sum == twice.sum);
}

/* A launch of no groups is over at its start, without a warp. */
static void runs_nothing(void **state)
{
    Run r;
    Step s;
    (void)state;
    rig_load(V202, 8, "    endprg  x0, x0, x0\n");
    rig.launch.groups[1] = 0;
    Audience nobody = audience_of(&rig.launch, &(LaunchOptions){0});
    assert_true(run_open(&r, rig.sim, &rig.launch, &nobody, true));
    assert_true(r.over);
    assert_null(run_warp(&r));
    assert_false(run_step(&r, &s));
    run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(comes_back, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(changes_outlast_states, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(copies_and_reservations_come_back, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(takes_turns, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(runs_nothing, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(tells_once, rig_set_up, rig_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
