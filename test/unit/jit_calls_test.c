/* jit_calls_test.c -- what host code calls of the engine (jit/calls.c): what is remembered of memory
 * around an access, beside the range that stores must not pass by, against a look at each page; and
 * accesses that the engine makes, lane by lane.
 */
#include "sim/handlers.h" /* before cmocka.h, which has a macro fail() */
#include "jit/calls.h"
#include "test/kit/launchrig.h"
#include "test/kit/random.h"

enum { PAGES = 24, LANES = 8 };

/* Pages from FIRST on have random rights; those beside them have none. */
static const u64 first_page = (DATA >> PAGE_BITS) + 64;

static HostEnv env;
static Group *group;
static Warp *warp;
static const Uop *insn[4]; /* a load and a store of words, a load and a store of halves */

static int set_up(void **state)
{
    rig_set_up(state);
    rig_load(V202, LANES,
             "vlw12.v v5,0(v1)\n vsw12.v v6,0(v1)\n vlh12.v v5,0(v1)\n vsh12.v v6,0(v1)\n");
    group = sim_take_group(rig.sim, &rig.launch);
    assert_non_null(group);
    group_begin(group, 0);
    warp = group->warps;
    for (u32 i = 0; i < countof(insn); i++)
        insn[i] = go(warp, CODE_LO + 4 * i);
    calls_set(&env);
    for (u32 i = 0; i < DATA_BYTES / PAGE_SIZE; i++)
        memory_set_rights(&rig.memory, (DATA >> PAGE_BITS) + i, 0);
    return 0;
}

static int tear_down(void **state)
{
    sim_give_group(rig.sim, group);
    return rig_tear_down(state);
}

static void random_rights(void)
{
    static const u8 rights[] = {MEM_R | MEM_W, MEM_R | MEM_W,       MEM_R | MEM_W,        MEM_R, 0,
                                MEM_W,         MEM_R | MEM_TRACKED, MEM_R | MEM_X | MEM_W};
    u8 now = 0;
    for (u32 i = 0; i < PAGES; i++) {
        now = one_in(4) ? rights[below(countof(rights))] : now;
        memory_set_rights(&rig.memory, first_page + i, now);
    }
}

/* The largest range of bytes around addr in pages with the same rights, at most `far` pages before
 * and behind its own, any word of which may be accessed and of which a store changes none of the
 * guard's bytes, on the side of addr. */
static PlainRange around(u32 addr, bool stores, const Guard *guard, u64 far)
{
    const u64 page = addr >> PAGE_BITS;
    const u8 flags = memory_rights(&rig.memory, page);
    u64 lo = page, end = page + 1;
    while (page - lo < far && memory_rights(&rig.memory, lo - 1) == flags)
        lo--;
    while (end - page - 1 < far && memory_rights(&rig.memory, end) == flags)
        end++;
    lo <<= PAGE_BITS;
    end = (end << PAGE_BITS) - 3;
    for (u32 i = 0; stores && i < GUARD_PARTS; i++) {
        const PlainRange part = guard->part[i];
        const u64 past = (u64)part.lo + part.room;
        if (part.room && addr >= past && past > lo)
            lo = past;
        if (part.room && addr + 3 < part.lo && part.lo < end + 3)
            end = part.lo - 3;
    }
    return (PlainRange){(u32)lo, (u32)(end - lo), rig.memory.base};
}

static bool overlaps(const Guard *guard, u32 addr)
{
    bool any = false;
    for (u32 i = 0; i < GUARD_PARTS; i++) {
        const PlainRange part = guard->part[i];
        any |= part.room && addr < part.lo + part.room && addr + 3 >= part.lo;
    }
    return any;
}

static void remembers_around(void **state)
{
    static const PlainRange nothing;
    static const Guard no_guard;
    u32 found = 0;
    (void)state;
    for (u32 n = 0; n < 20000; n++) {
        const bool stores = n & 1, again = n & 2;
        const u32 addr = (u32)(first_page << PAGE_BITS) + below(PAGES * PAGE_SIZE);
        PlainRange *r = &group->plain[stores][insn[stores]->pc >> 2 & (PLAIN_SITES - 1)];
        if (n % 16 == 0)
            random_rights();
        group->guard = no_guard;
        group_forget_ranges(group, stores);
        for (u32 i = 0; i < GUARD_PARTS; i++)
            if (n & 4 && below(3))
                group->guard.part[i] = (PlainRange){addr - 300 + below(600),
                                                    1 + below(n & 8 ? 20000 : 40), rig.memory.base};
        /* something else was remembered, or nothing; nothing that has the address */
        const PlainRange old = again ? (PlainRange){addr + 1, 100, rig.memory.base} : nothing;
        *r = old;
        const u8 now = memory_rights(&rig.memory, addr >> PAGE_BITS);
        const bool may =
            now & (stores ? MEM_W : MEM_R) && !(stores && now & (MEM_TRACKED | MEM_CODE | MEM_X));
        PlainRange want = !may ? old
                          : stores && overlaps(&group->guard, addr)
                              ? nothing
                              : around(addr, stores, &group->guard, 256);
        assert_int_equal(env.remember(warp, insn[stores], 0xff, addr, 0), (u64)1 << 32);
        if (!want.lo && !want.room)
            want.lo = 1; /* that nothing can be remembered */
        if (r->lo != want.lo || r->room != want.room || (want.room && r->base != want.base))
            fail_msg("%s at %x, rights %x, guard %x+%x, %x+%x: %x+%x, not %x+%x",
                     stores ? "stores" : "loads", addr, now, group->guard.part[0].lo,
                     group->guard.part[0].room, group->guard.part[1].lo, group->guard.part[1].room,
                     r->lo, r->room, want.lo, want.room);
        found += want.room > PAGE_SIZE;
    }
    assert_true(found > 1000);
    group->guard = no_guard;
}

/* Where something was remembered before, no more than 256 pages before and behind are looked at. */
static void looks_not_too_far(void **state)
{
    enum { MANY = 700, AT = 350 };
    const u64 page = (DATA >> PAGE_BITS) + 0x1000;
    const u32 addr = (u32)((page + AT) << PAGE_BITS) + 100;
    PlainRange *r = &group->plain[0][insn[0]->pc >> 2 & (PLAIN_SITES - 1)];
    (void)state;
    memory_map(&rig.memory, page << PAGE_BITS, (u64)MANY << PAGE_BITS, MEM_R | MEM_W);
    group_forget_ranges(group, false);
    *r = (PlainRange){0};
    env.remember(warp, insn[0], 0xff, addr, 0);
    assert_int_equal(r->lo, page << PAGE_BITS);
    assert_int_equal(r->room, MANY * PAGE_SIZE - 3);
    group_forget_ranges(group, false);
    *r = (PlainRange){DATA, 4, rig.memory.base};
    env.remember(warp, insn[0], 0xff, addr, 0);
    assert_int_equal(r->lo, (page + AT - 256) << PAGE_BITS);
    assert_int_equal(r->room, 512 * PAGE_SIZE - 3);
}

/* What one instruction has found the others take, without looking at pages again, but for loads and for stores apart. */
static void takes_what_was_found(void **state)
{
    const u64 page = (DATA >> PAGE_BITS) + 0x2000;
    const u32 addr = (u32)(page << PAGE_BITS) + 100;
    Uop other = *insn[0];
    (void)state;
    other.pc += 4;
    PlainRange *first = &group->plain[0][insn[0]->pc >> 2 & (PLAIN_SITES - 1)],
               *second = &group->plain[0][other.pc >> 2 & (PLAIN_SITES - 1)];
    group_forget_ranges(group, false);
    memory_map(&rig.memory, page << PAGE_BITS, 8 << PAGE_BITS, MEM_R | MEM_W);
    *first = *second = (PlainRange){0};
    env.remember(warp, insn[0], 0xff, addr, 0);
    assert_int_equal(first->room, 8 * PAGE_SIZE - 3);
    memory_set_rights(&rig.memory, page + 2, MEM_R);
    env.remember(warp, &other, 0xff, addr + 8, 0);
    assert_memory_equal(second, first, sizeof *first);
    /* forgotten, it is looked at as it is now; and of several ranges each is found again */
    group_forget_ranges(group, false);
    assert_true(!first->room && !second->room);
    for (u32 i = 0; i < RECENT_RANGES; i++) {
        memory_map(&rig.memory, (page + 16 * i) << PAGE_BITS, 8 << PAGE_BITS, MEM_R | MEM_W);
        memory_set_rights(&rig.memory, page + 16 * i + 2 + i, MEM_R);
        *first = (PlainRange){0};
        env.remember(warp, insn[0], 0xff, addr + i * 16 * PAGE_SIZE, 0);
        assert_int_equal(first->room, (2 + i) * PAGE_SIZE - 3);
        memory_set_rights(&rig.memory, page + 16 * i + 1, MEM_R);
    }
    for (u32 i = 0; i < RECENT_RANGES; i++) {
        *second = (PlainRange){0};
        env.remember(warp, &other, 0xff, addr + i * 16 * PAGE_SIZE, 0);
        assert_int_equal(second->lo, (page + 16 * i) << PAGE_BITS);
        assert_int_equal(second->room, (2 + i) * PAGE_SIZE - 3);
    }
    group_forget_ranges(group, false);
    group_forget_ranges(group, true);
}

/* Local memory: all of it for loads, for stores the pages that one has noted. */
static void remembers_local_memory(void **state)
{
    PlainRange *loads = &group->plain[0][insn[0]->pc >> 2 & (PLAIN_SITES - 1)],
               *stores = &group->plain[1][insn[1]->pc >> 2 & (PLAIN_SITES - 1)];
    (void)state;
    *loads = *stores = (PlainRange){0};
    env.remember(warp, insn[0], 0xff, LDS_LO + 5000, 0);
    assert_true(loads->lo == LDS_LO && loads->room == LDS_END - LDS_LO - 3);
    assert_ptr_equal(loads->base, group->lds.base);
    env.remember(warp, insn[1], 0xff, LDS_LO + 5000, 0);
    assert_int_equal(stores->room, 0);
    memory_set_rights(&group->lds, (LDS_LO >> PAGE_BITS) + 1, MEM_R | MEM_W | MEM_TRACKED);
    env.remember(warp, insn[1], 0xff, LDS_LO + 5000, 0);
    assert_true(stores->lo == LDS_LO + PAGE_SIZE && stores->room == PAGE_SIZE - 3);
    memory_set_rights(&group->lds, (LDS_LO >> PAGE_BITS) + 1, MEM_R | MEM_TRACKED);
    *loads = *stores = (PlainRange){0};
}

/* Accesses of lanes: those of pages with the right, others by their rules, up to a fault. */
static void makes_accesses(void **state)
{
    static u8 before[PAGES * PAGE_SIZE];
    u8 *at = rig.memory.base + (first_page << PAGE_BITS);
    u32 faults = 0;
    (void)state;
    for (u32 n = 0; n < 4000; n++) {
        const u32 k = n % 4, mask = 1 + below(255), width = k < 2 ? 4 : 2;
        const bool stores = k & 1;
        u32 old[LANES], lane = 0;
        if (n % 16 == 0)
            random_rights();
        memset(group->plain, 0, sizeof group->plain);
        group_forget_ranges(group, stores);
        group->faulted = false;
        for (u32 i = 0; i < sizeof before; i++)
            before[i] = at[i] = (u8)(i * 7 + n);
        const u32 from = (u32)(first_page << PAGE_BITS) + below(PAGES * PAGE_SIZE - 64);
        for (u32 i = 0; i < LANES; i++) {
            warp->addr[i] = from + below(48);
            warp->v[6][i] = (u32)random_bits();
            old[i] = warp->v[5][i] = (u32)random_bits();
        }
        const bool ok = env.vector(warp, insn[k], mask, 0, 0) != 0;
        for (bool stopped = false; lane < LANES && !stopped; lane++) {
            const u32 a = warp->addr[lane];
            u32 want = old[lane];
            if (mask >> lane & 1) {
                for (u32 b = 0; b < width; b++) { /* a tracked page has got its right by now */
                    const u8 rights = memory_rights(&rig.memory, (a + b) >> PAGE_BITS);
                    stopped |= !(rights & (stores ? MEM_W : MEM_R));
                }
                if (!stopped && stores)
                    memory_put(before + (a - (first_page << PAGE_BITS)), width, warp->v[6][lane]);
                else if (!stopped)
                    want = memory_get(before + (a - (first_page << PAGE_BITS)), width);
                if (!stopped && !stores && width == 2)
                    want = (u32)(i32)(i16)want;
            }
            if (stopped)
                break;
            assert_int_equal(warp->v[5][lane], want);
        }
        assert_int_equal(ok, lane == LANES);
        assert_int_equal(group->faulted, !ok);
        assert_memory_equal(before, at, sizeof before);
        faults += !ok;
    }
    assert_in_range(faults, 100, 3900);
}

/* A store that may change a launch constant is noted, whatever it is of. */
static void notes_stores(void **state)
{
    enum { LO = 0x2000, ROOM = 40 };
    (void)state;
    memory_map(&rig.memory, DATA, 16 * PAGE_SIZE, MEM_R | MEM_W);
    group->guard = (Guard){.part = {{0}}};
    for (u32 k = 0; k < 4; k++)
        for (u32 at = LO - 6; at < LO + ROOM + 6; at++) {
            const u32 width = k < 2 ? 4 : 2;
            group->guard = (Guard){.part = {{0}}};
            group->guard.part[at % 3 ? 0 : 1] = (PlainRange){DATA + LO, ROOM, rig.memory.base};
            for (u32 i = 0; i < LANES; i++)
                warp->addr[i] = DATA + (i == 3 ? at : 64 + 4 * i);
            group->stale = false;
            assert_true(env.vector(warp, insn[k], 0xff, 0, 0));
            assert_int_equal(group->stale, (k & 1) && at + width > LO && at < LO + ROOM);
            group->stale = false;
            assert_true(env.vector(warp, insn[k], 0xf7, 0, 0)); /* without that lane */
            assert_false(group->stale);
        }
    group->guard = (Guard){.part = {{0}}};
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(remembers_around, set_up, tear_down),
        cmocka_unit_test_setup_teardown(looks_not_too_far, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_what_was_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(remembers_local_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(makes_accesses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(notes_stores, set_up, tear_down),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
