/* Rows of accesses are compared and noted as the accesses of each lane are: random rows, one after
 * the other, on a page that is kept in both ways.
 */
#include "check/race.h"
#include "test/kit/leftover.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static u32 rnd(u32 n)
{
    static u32 seed = 1;
    seed = seed * 1664525 + 1013904223;
    return (u32)((u64)(seed >> 4) * n >> 28);
}

/* Some accesses of a few groups, warps, times and places. */
static void choose(Job *j, Access *a, u32 lanes)
{
    const u64 group = rnd(3), warp = rnd(3), time = 1 + rnd(4);
    *a = (Access){.writes = rnd(2)};
    a->reads = !a->writes;
    a->size = 4;
    j->me = group << GROUP_AT | warp * lanes << ITEM_AT | time << TIME_AT | (1 + rnd(3));
    j->since = rnd((u32)time + 1);
    j->is_local = rnd(2);
    j->r->group = group;
}

/* Whether something may collide with the lane's access to word i, or it matters which lane stores.
 */
static bool is_special(const Job *j, const RacePage *p, u32 i, u32 value)
{
    const u64 differs = p->wrote[i] ^ j->me;
    if (!j->a->writes)
        return race_suspects(j, j->me, p->wrote[i]);
    return (race_suspects(j, j->me, p->wrote[i]) &&
            (p->value[i] != value ||
             !(differs >> GROUP_AT || time_of(p->wrote[i]) != time_of(j->me)))) ||
           race_suspects(j, j->me, p->read[0][i]) || race_suspects(j, j->me, p->read[1][i]);
}

static void same_pages(const RacePage *a, const RacePage *b)
{
    assert_memory_equal(a->wrote, b->wrote, a->n * sizeof *a->wrote);
    assert_memory_equal(a->read[0], b->read[0], a->n * sizeof *a->wrote);
    assert_memory_equal(a->read[1], b->read[1], a->n * sizeof *a->wrote);
    assert_memory_equal(a->value, b->value, a->n * sizeof *a->value);
    for (u32 i = 0; i < a->n; i++)
        assert_int_equal(a->lanes ? a->lanes[i] : 0, b->lanes ? b->lanes[i] : 0);
}

static void rows_are_lanes(void **state)
{
    (void)state;
    static Race one, two;
    u32 noted = 0, refused = 0;
    for (u32 run = 0; run < 4000; run++) {
        if (run % 50 == 0) {
            race_forget(&one);
            race_forget(&two);
        }
        const u32 lanes = 4u << rnd(4), at = rnd(3) ? rnd(40) : rnd(PAGE_SIZE / 4 - lanes + 1);
        u32 on[MAX_LANES] = {0}, value[MAX_LANES], addr[MAX_LANES], exec = 0;
        bool wanted = true;
        Access a;
        Job j = {.a = &a, .r = &one};
        one.lanes = two.lanes = lanes;
        choose(&j, &a, lanes);
        RacePage *p = race_page(&one, 0), *q = race_page(&two, 0);
        assert_true(p && q);
        for (u32 i = 0; i < MAX_LANES; i++) {
            const bool is_on = i < lanes && (rnd(2) || run % 3);
            on[i] = is_on ? UINT32_MAX : 0;
            exec |= (u32)is_on << i;
            value[i] = rnd(2);
            addr[i] = 4 * (at + i);
            Job lane = j;
            lane.me += (u64)i << ITEM_AT;
            wanted &= !is_on || !is_special(&lane, p, at + i, value[i]);
        }
        const Entry first = j.me;
        assert_int_equal(race_note_row(&j, p, at, on, a.writes ? value : NULL), wanted);
        assert_int_equal(j.me, first);
        if (wanted) {
            j.r = &two;
            race_look_lanes(&j, &a, addr, exec, value);
        }
        noted += wanted;
        refused += !wanted;
        same_pages(p, q);
    }
    assert_true(noted > 300 && refused > 300);
    race_forget(&one);
    race_forget(&two);
}

/* --- launches ------------------------------------------------------------------------------ */

/* An atomic store of a work-item behind a fence, in group `linear` of the launch. */
static void release(Race *r, const Launch *l, u64 linear)
{
    Group g = {.launch = l, .linear = linear};
    const Access a = {.writes = true, .reads = true, .is_atomic = true, .size = 4};
    race_group(r, &g);
    r->fence[0] = 1;
    race_after_atomic(&(Job){.r = r, .a = &a});
    r->site[++r->nsite] = 4;
    r->has_copies = true;
    assert_non_null(race_page(r, 1));
}

static void expect_state(const Race *r, size_t releases, u64 group)
{
    assert_int_equal(r->nrelease, releases);
    assert_int_equal(r->newest[group], releases);
    assert_int_equal(r->nsite, releases);
    assert_int_equal(r->has_copies, releases > 0);
}

/* A launch knows nothing of the one before, but a part of a grid all of the parts before it. */
static void launches_start_anew(void **state)
{
    (void)state;
    static const int grids[2];
    Race *r = race_new();
    assert_non_null(r);
    const Launch whole = {.groups = {2, 1, 1}, .warps = 1, .lanes = 4};
    for (int i = 0; i < 3; i++) {
        race_begin(r, &whole, i ? &grids[0] : NULL);
        assert_int_equal(r->ngroups, 2);
        expect_state(r, 0, 1);
        release(r, &whole, 1);
        expect_state(r, 1, 1);
    }
    for (int i = 0; i < 3; i++) {
        const Launch part = {.groups = {1, 1, 1},
                             .grid = {3, 2, 2},
                             .first = {i == 0, i == 1, i == 2},
                             .warps = 1,
                             .lanes = 4};
        const Launch first = {.groups = {2, 1, 1}, .grid = {3, 2, 2}, .warps = 1, .lanes = 4};
        race_begin(r, &first, &grids[1]);
        assert_int_equal(r->ngroups, 12);
        release(r, &first, 0);
        race_begin(r, &part, &grids[1]);
        expect_state(r, 1, 0);
        race_begin(r, &part, &grids[0]);
        expect_state(r, 0, 0);
        release(r, &part, 0);
        race_begin(r, &part, NULL);
        expect_state(r, 0, 0);
    }
    race_free(r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_nothing),
                                       cmocka_unit_test(rows_are_lanes),
                                       cmocka_unit_test(launches_start_anew)};
    (void)argc;
    remember_tests(tests, sizeof tests / sizeof *tests, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
