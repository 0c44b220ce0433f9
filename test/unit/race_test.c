/* Rows of accesses are compared and noted as the accesses of each lane are: random rows, one after
 * the other, on a page that is kept in both ways.
 */
#include "check/race.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
