/* group_test.c -- contexts and groups without an engine: what a warp is at its start whatever it
 * was before, where groups have their place and their memory, what is cleared when; threads of a
 * pool. */
#include "base/mem.h"
#include "sim/group.h"
#include "sim/pool.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Whether lane `lane` of warp k has a work-item. */
static bool has_item(const Launch *l, u32 k, u32 lane)
{
    const u32 items = l->local[0] * l->local[1] * l->local[2];
    return lane < l->lanes && (l->all_lanes || !items || k * l->lanes + lane < items);
}

static void check_start(const Launch *l, const Group *g, u32 k)
{
    const Warp *w = &g->warps[k];
    u32 mask = 0, full = 0;
    for (u32 i = 0; i < MAX_LANES; i++) {
        mask |= (u32)has_item(l, k, i) << i;
        full |= (u32)(i < l->lanes) << i;
        assert_int_equal(w->on[i], has_item(l, k, i) ? UINT32_MAX : 0);
    }
    assert_true(w->mask == mask && w->initial == mask && w->exec == mask && w->full == full);
    assert_int_equal(w->dense, mask == full);
    assert_int_equal(w->whole, mask == UINT32_MAX);
    assert_int_equal(w->state, mask ? WARP_READY : WARP_DONE);
    assert_true(w->group == g && w->id == k && w->tid == k * l->lanes && w->pc == l->pc);
    assert_true(w->vl == l->lanes && w->vtype == WARP_VTYPE);
    assert_true(!w->fflags && !w->frm && !w->vxrm && !w->vxsat && !w->rpc && !w->nsimt);
    assert_true(!w->reserved && !w->reentry && !w->handled && !w->ninsns && !w->host);
    assert_true(!w->mstatus && !w->mie && !w->mip && !w->mscratch && !w->mepc && !w->mcause);
    assert_true(!w->mtval && !w->print);
}

#ifndef HOSTILE
/* Registers are 0, or what they were where somebody else clears them. */
static void check_registers(const Launch *l, const Warp *w)
{
    static const u32 junk = 0xa5a5a5a5;
    assert_int_equal(w->is_fresh, l->keeps_registers);
    for (u32 i = 1; i < countof(w->x); i++)
        assert_int_equal(w->x[i], l->keeps_registers ? junk : 0);
    for (u32 n = 0; n < 256; n++)
        for (u32 i = 0; i < MAX_LANES; i++)
            assert_int_equal(w->v[n][i], l->keeps_registers || n >= l->vgprs ? junk : 0);
}
#else
static void check_registers(const Launch *l, const Warp *w) { (void)l, (void)w; }
#endif

static void spoil(Group *g)
{
    for (u32 k = 0; k < g->capwarps; k++) {
        Warp *w = &g->warps[k];
        SimtEntry *simt = w->simt;
        size_t cap = w->capsimt;
        assert_true(cap || array_grow(simt, 0, cap)); /* contexts own it */
        memset((void *)w, 0xa5, sizeof *w);
        w->simt = simt;
        w->capsimt = (u32)cap;
    }
    assert_true(array_grow(g->pending, 0, g->cappending));
    assert_true(array_grow(g->touched, 0, g->captouched));
    g->faulted = true;
    g->reservations = 5;
    g->npending = g->ntouched = 6;
}

static void random_launch(Launch *l, Memory *memory)
{
    *l = (Launch){.pc = 0x80000000 + 4 * below(100),
                  .lanes = 4u << below(4),
                  .warps = 1 + below(5),
                  .vgprs = below(257),
                  .keeps_registers = below(2),
                  .all_lanes = !below(4),
                  .pds = 0xa0000000,
                  .pds_lane = 4 * below(100),
                  .pds_by_group = below(2),
                  .pds_areas = below(3),
                  .strict = below(2),
                  .memory = memory};
    for (int i = 0; i < 3; i++) {
        l->groups[i] = 1 + below(4);
        l->local[i] = below(8) ? 1 + below(i ? 3 : 20) : 0;
    }
}

static void groups_begin_afresh(void **state)
{
    (void)state;
    Memory memory;
    Contexts c;
    Launch l;
    contexts_open(&c);
    assert_true(memory_open(&memory, 0, (u64)1 << 32));
    for (u32 run = 0; run < 300; run++) {
        random_launch(&l, &memory);
        Group *g = context_take(&c, &l);
        assert_non_null(g);
        assert_true(g->launch == &l && g->capwarps >= l.warps && !g->area && !g->clock);
        assert_true(!g->notes && g->careful == l.strict && !g->start[false] && !g->start[true] && !g->compiled);
        g->area = below(3);
        u64 linear = 0;
        u32 id[3];
        const u64 bytes = (u64)l.pds_lane * l.lanes * l.warps;
        const u64 size = (bytes + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
        assert_int_equal(group_pds_size(&l), size);
        for (id[2] = 0; id[2] < l.groups[2]; id[2]++)
            for (id[1] = 0; id[1] < l.groups[1]; id[1]++)
                for (id[0] = 0; id[0] < l.groups[0]; id[0]++, linear++) {
                    group_place(g, linear);
                    assert_memory_equal(g->id, id, sizeof id);
                    assert_true(g->linear == linear && g->lds_base == LDS_LO);
                    const u64 place = l.pds_by_group ? linear : l.pds_areas ? g->area : 0;
                    assert_int_equal(g->pds_base, (u32)(l.pds + place * size));
                }
        spoil(g);
        group_begin(g, linear - 1);
        assert_true(g->linear == linear - 1 && g->nwarps == l.warps && !g->faulted);
        assert_true(!g->reservations && !g->npending && !g->ntouched);
        for (u32 k = 0; k < l.warps; k++) {
            check_start(&l, g, k);
            check_registers(&l, &g->warps[k]);
        }
        context_give(&c, g);
        assert_ptr_equal(c.idle, g);
    }
    contexts_close(&c);
    memory_close(&memory);
}

/* ids of more groups than a word counts */
static void groups_have_large_numbers(void **state)
{
    (void)state;
    const Launch l = {.groups = {100000, 100000, 7}, .lanes = 4, .warps = 1};
    Contexts c;
    contexts_open(&c);
    Group *g = context_take(&c, &l);
    assert_non_null(g);
    group_place(g, 6 * 10000000000 + 1234567891);
    assert_true(g->id[0] == 67891 && g->id[1] == 12345 && g->id[2] == 6);
    context_give(&c, g);
    contexts_close(&c);
}

static void registers_are_settled(void **state)
{
    (void)state;
    static Launch l;
    static Group g = {.launch = &l};
    static Warp w = {.group = &g};
    for (u32 run = 0; run < 200; run++) {
        const u64 x = random_bits(),
                  v[4] = {random_bits(), random_bits(), random_bits(), random_bits()};
        const bool none = !below(4);
        l.vgprs = below(257);
        memset(w.x, 0xa5, sizeof w.x);
        memset(w.v, 0xa5, sizeof w.v);
        w.is_fresh = true;
        warp_settle(&w, x, none ? NULL : v);
        assert_false(w.is_fresh);
        assert_int_equal(w.x[0], 0xa5a5a5a5);
        for (u32 i = 1; i < 64; i++)
            assert_int_equal(w.x[i] != 0, x >> i & 1);
        for (u32 n = 0; n < 256; n++)
            for (u32 i = 0; i < MAX_LANES; i++)
                assert_int_equal(w.v[n][i] != 0,
                                 n >= l.vgprs || (!none && v[n / 64] >> n % 64 & 1));
    }
}

static void note_page(DirtyList *d, u64 addr)
{
    assert_true(array_grow(d->page, d->n, d->cap));
    d->page[d->n++] = (u32)(addr >> PAGE_BITS);
}

/* Local memory stays noted while the context is held; private memory is clean after each group. */
static void memory_is_clear_for_the_next(void **state)
{
    (void)state;
    Memory m;
    Contexts c;
    assert_true(memory_open(&m, 0, (u64)1 << 32));
    memory_map(&m, 0xa0000000, PAGE_SIZE, MEM_R | MEM_W | MEM_TRACKED);
    const Launch l = {.groups = {9, 1, 1}, .lanes = 4, .warps = 2, .memory = &m};
    contexts_open(&c);
    Group *g = context_take(&c, &l);
    assert_non_null(g);
    assert_int_equal(memory_rights(&g->lds, LDS_LO >> PAGE_BITS), MEM_R | MEM_TRACKED);
    assert_int_equal(memory_rights(&g->lds, (LDS_END - 1) >> PAGE_BITS), MEM_R | MEM_TRACKED);
    group_begin(g, 0);
    memory_set_rights(&g->lds, LDS_LO >> PAGE_BITS, MEM_R | MEM_W | MEM_TRACKED);
    g->lds.base[LDS_LO + 5] = m.base[0xa0000007] = 1;
    note_page(&g->lds_dirty, LDS_LO);
    note_page(&g->pds_dirty, 0xa0000000);
    group_end(g);
    assert_true(!g->lds.base[LDS_LO + 5] && !m.base[0xa0000007]);
    assert_true(g->lds_dirty.n == 1 && !g->pds_dirty.n);
    assert_int_equal(memory_rights(&m, 0xa0000000 >> PAGE_BITS), MEM_R | MEM_TRACKED);
    g->lds.base[LDS_LO + 5] = 1;
    g->area = 3;
    g->plain[0][PLAIN_SITES - 1].room = g->plain[1][5].room = 7;
    g->asked[0][PLAIN_SITES / 64 - 1] = (u64)1 << 63;
    g->asked[1][0] = 1 << 5;
    g->recent[0][RECENT_RANGES - 1].room = g->recent[1][0].room = 7;
    g->apart[0][3] = g->apart[1][PLAIN_SITES - 1] = 6;
    g->guard.part[1].room = 9;
    g->compiled = 4;
    g->start[false] = g->start[true] = &m;
    context_give(&c, g);
    assert_ptr_equal(context_take(&c, &l), g);
    assert_true(!g->lds.base[LDS_LO + 5] && !g->lds_dirty.n && !g->area);
    assert_true(!g->plain[0][PLAIN_SITES - 1].room && !g->asked[0][PLAIN_SITES / 64 - 1] && !g->asked[1][0]);
    assert_true(!g->recent[0][RECENT_RANGES - 1].room && !g->recent[1][0].room);
    assert_true(!g->apart[0][3] && !g->apart[1][PLAIN_SITES - 1]);
    assert_true(!g->plain[1][5].room && !g->guard.part[1].room && !g->compiled);
    assert_true(!g->start[false] && !g->start[true]);
    assert_int_equal(memory_rights(&g->lds, LDS_LO >> PAGE_BITS), MEM_R | MEM_TRACKED);
    assert_null(c.idle);
    context_give(&c, g);
    contexts_close(&c);
    memory_close(&m);
}

static void contexts_give_their_window_back(void **state)
{
    (void)state;
    static const Launch l = {.groups = {1, 1, 1}, .lanes = 4, .warps = 1};
    u64 before = 0;
    for (int round = 0; round < 3; round++) { /* the first warms up */
        Contexts c;
        before = round < 2 ? pages_mapped() * PAGE_SIZE : before;
        contexts_open(&c);
        Group *a = context_take(&c, &l), *b = context_take(&c, &l);
        assert_true(a && b && pages_mapped() * PAGE_SIZE > before + (LDS_END - LDS_LO));
        context_give(&c, a);
        context_give(&c, b);
        contexts_close(&c);
    }
    assert_int_equal(pages_mapped() * PAGE_SIZE, before);
}

static void barriers_let_those_go_that_wait(void **state)
{
    (void)state;
    static const Launch l = {.groups = {1, 1, 1}, .lanes = 4, .warps = 3};
    Contexts c;
    contexts_open(&c);
    Group *g = context_take(&c, &l);
    assert_non_null(g);
    group_begin(g, 0);
    for (u32 code = 0; code < 27; code++) {
        static const u8 states[] = {WARP_READY, WARP_WAITING, WARP_DONE};
        const u8 s[3] = {states[code % 3], states[code / 3 % 3], states[code / 9]};
        u64 insns = 0;
        u32 waiting = 0;
        for (u32 k = 0; k < 3; k++) {
            g->warps[k].state = s[k];
            waiting += s[k] == WARP_WAITING;
            insns += g->warps[k].ninsns = random_bits() >> 8;
        }
        assert_int_equal(group_count_warps(g, WARP_WAITING), waiting);
        assert_int_equal(group_insns(g), insns);
        assert_int_equal(group_pass_barrier(g), waiting > 0);
        for (u32 k = 0; k < 3; k++)
            assert_int_equal(g->warps[k].state, s[k] == WARP_WAITING ? WARP_READY : s[k]);
    }
    context_give(&c, g);
    contexts_close(&c);
}

/* --- threads ---------------------------------------------------------------------------------- */

enum { PARTS = 6 };

typedef struct {
    _Atomic u32 done[PARTS], sum;
} Count;

static void count(void *self, u32 number)
{
    Count *c = self;
    c->done[number]++;
    c->sum++;
}

static void parts_are_run_once(void **state)
{
    (void)state;
    static Pool pool;
    for (u32 processors = 1; processors <= 2; processors++) {
        pool_open(&pool, processors);
        for (u32 run = 0; run < 60; run++) {
            Count c = {0}, other = {0};
            PoolJob job, second;
            const u32 n = 1 + run % PARTS;
            const bool waits = run % 4;
            pool_begin(&job, &pool, n, (PoolWork){count, &c});
            assert_int_equal(job.has_threads, n > 1);
            pool_begin(&second, &pool, 2, (PoolWork){count, &other}); /* a second caller */
            assert_int_equal(second.has_threads, n == 1);
            if (n > 1)
                pool_call(&second);
            pool_end(&second);
            assert_int_equal(c.sum, 0);
            pool_call(&job);
            pool_call(&job);
            while (waits && c.sum < n - 1)
                sched_yield();
            pool_end(&job);
            const u32 sum = c.sum;
            assert_true(!c.done[0] && !other.sum && sum < n && (!waits || sum == n - 1));
            for (u32 i = 1; i < PARTS; i++)
                assert_true(c.done[i] == (i <= sum));
            assert_true(pool.nthreads < PARTS);
        }
        pool_close(&pool);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(groups_begin_afresh),
        cmocka_unit_test(groups_have_large_numbers),
        cmocka_unit_test(registers_are_settled),
        cmocka_unit_test(memory_is_clear_for_the_next),
        cmocka_unit_test(contexts_give_their_window_back),
        cmocka_unit_test(barriers_let_those_go_that_wait),
        cmocka_unit_test(parts_are_run_once),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
