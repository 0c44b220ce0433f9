/* mach_test.c -- rights and bytes of memory, page tables, the parts of grids, and reports of
 * faults, each against a model. */
#include "mach/memory.h"
#include "mach/mmu.h"
#include "mach/warp.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* --- memory ---------------------------------------------------------------------------------- */

enum { PAGES = 64, LO = 0x70000000, END = LO + PAGES * PAGE_SIZE };

static struct {
    u8 rights[PAGES], bytes[PAGES][PAGE_SIZE];
    u32 top;
} model;

static bool any_old(u32 first, u32 past)
{
    for (u32 p = first; p < past; p++)
        if (model.rights[p] & MEM_OLD)
            return true;
    return false;
}

static bool all_mapped(u32 first, u32 past)
{
    for (u32 p = first; p < past; p++)
        if (!model.rights[p] || model.rights[p] & MEM_OLD)
            return false;
    return true;
}

static void change(Memory *m)
{
    const u8 flags = one_in(2) ? MEM_R | MEM_W : (u8)(1 + below(15));
    const u32 from = below(PAGES * PAGE_SIZE),
              size = below(4) ? below(5 * PAGE_SIZE) : below(PAGES * PAGE_SIZE),
              end = from + size < PAGES * PAGE_SIZE ? from + size : PAGES * PAGE_SIZE;
    const u32 first = from / PAGE_SIZE, past = (end + PAGE_SIZE - 1) / PAGE_SIZE;
    const u32 changes = m->changes;
    if (end == from)
        return;
    switch (below(7)) {
    case 0:
        memory_map(m, LO + from, end - from, flags);
        for (u32 p = first; p < past; p++) {
            if (!all_mapped(p, p + 1))
                memset(model.bytes[p], 0, PAGE_SIZE);
            model.rights[p] = flags;
        }
        model.top = past > model.top ? past : model.top;
        break;
    case 1:
        if (any_old(first, past))
            return;
        memory_add_rights(m, LO + from, end - from, flags);
        for (u32 p = first; p < past; p++) {
            if (!model.rights[p])
                memcpy(model.bytes[p], m->base + LO + p * PAGE_SIZE, PAGE_SIZE);
            model.rights[p] |= flags;
        }
        break;
    case 2:
        if (!all_mapped(first, past))
            return;
        memory_allow(m, LO + from, end - from, flags);
        assert_int_equal(m->changes, changes + 2);
        memset(model.rights + first, flags, past - first);
        break;
    case 3:
        if (any_old(first, past))
            return;
        memory_unmap(m, LO + from, end - from);
        for (u32 p = first; p < past; p++)
            if (p * PAGE_SIZE >= from && (p + 1) * PAGE_SIZE <= end)
                model.rights[p] = 0;
        break;
    case 4:
        if (!all_mapped(first, past))
            return;
        memory_retire(m, LO + first * PAGE_SIZE, (past - first) * PAGE_SIZE);
        memset(model.rights + first, MEM_OLD, past - first);
        break;
    case 5:
        if (!all_mapped(first, first + 1))
            return;
        memory_set_rights(m, LO / PAGE_SIZE + first, flags);
        model.rights[first] = flags;
        break;
    default:
        if (!all_mapped(first, past))
            return;
        for (u32 i = 0; i < 8; i++) {
            const u8 byte = (u8)random_bits();
            const u32 at = from + below(end - from);
            memory_write(m, LO + at, &byte, 1);
            model.bytes[at / PAGE_SIZE][at % PAGE_SIZE] = byte;
        }
        assert_int_equal(m->changes, changes + 16);
    }
}

static void compare(const Memory *m)
{
    u64 old = 0;
    for (u32 p = 0; p < PAGES; p++) {
        assert_int_equal(memory_rights(m, LO / PAGE_SIZE + p), model.rights[p]);
        if (all_mapped(p, p + 1))
            assert_memory_equal(m->base + LO + p * PAGE_SIZE, model.bytes[p], PAGE_SIZE);
        old += model.rights[p] & MEM_OLD ? PAGE_SIZE : 0;
    }
    const PageSpan plain = memory_plain(m);
    for (u64 p = plain.first; p < plain.past; p++)
        assert_int_equal(memory_rights(m, p), MEM_R | MEM_W);
    assert_int_equal(m->old, old);
    assert_true(m->top >= LO + model.top * PAGE_SIZE && m->top <= END);
}

/* Questions about a range. */
static void ask(const Memory *m)
{
    const u32 from = below(PAGES), past = from + below(PAGES + 1 - from);
    u32 next = from;
    while (next < past && !model.rights[next])
        next++;
    assert_int_equal(memory_next_page(m, LO / PAGE_SIZE + from, LO / PAGE_SIZE + past),
                     LO / PAGE_SIZE + next);

    const u8 flags = (u8)(1 << below(4));
    const u64 addr = LO - 2 + below(PAGES * PAGE_SIZE + 4),
              size = below(2) ? below(2 * PAGE_SIZE) : below(4);
    bool has = addr >= LO && addr + size <= END;
    for (u64 a = addr; has && a < addr + size; a++)
        has = (model.rights[(a - LO) / PAGE_SIZE] & flags) == flags;
    assert_int_equal(memory_has(m, addr, size, flags), has);
}

static void memory_is_the_model(void **state)
{
    (void)state;
    for (u32 run = 0; run < 20; run++) {
        Memory m;
        memset(&model, 0, sizeof model);
        assert_true(memory_open(&m, LO, END));
        assert_int_equal(m.top, LO);
        for (u32 i = 0; i < 100; i++) {
            change(&m);
            compare(&m);
            for (u32 k = 0; k < 20; k++)
                ask(&m);
        }
        assert_false(memory_has(&m, LO, UINT64_MAX, MEM_R));
        memory_close(&m);
        assert_null(m.block);
    }
}

static void expect_plain(const Memory *m, u32 first, u32 past)
{
    const PageSpan p = memory_plain(m);
    assert_int_equal(p.first, LO / PAGE_SIZE + first);
    assert_int_equal(p.past, LO / PAGE_SIZE + past);
}

/* Blocks of a heap lie side by side; the larger part stays where one goes, and a larger block takes the place of
 * a smaller one that it does not touch. */
static void plain_pages_are_a_heap(void **state)
{
    enum { RW = MEM_R | MEM_W };
    (void)state;
    Memory m;
    assert_true(memory_open(&m, LO, END));
    memory_map(&m, LO + 20 * PAGE_SIZE, 10 * PAGE_SIZE, RW);
    expect_plain(&m, 20, 30);
    memory_map(&m, LO + 30 * PAGE_SIZE, 10 * PAGE_SIZE, RW);
    memory_map(&m, LO + 10 * PAGE_SIZE, 10 * PAGE_SIZE, RW);
    expect_plain(&m, 10, 40);
    memory_allow(&m, LO + 32 * PAGE_SIZE, 2 * PAGE_SIZE, MEM_R);
    expect_plain(&m, 10, 32);
    memory_unmap(&m, LO + 10 * PAGE_SIZE, 12 * PAGE_SIZE);
    expect_plain(&m, 22, 32);
    memory_map(&m, LO, 10 * PAGE_SIZE, RW);
    expect_plain(&m, 22, 32);
    memory_map(&m, LO, 11 * PAGE_SIZE, RW);
    expect_plain(&m, 0, 11);
    memory_set_rights(&m, LO / PAGE_SIZE + 2, RW);
    expect_plain(&m, 0, 11);
    memory_set_rights(&m, LO / PAGE_SIZE + 2, RW | MEM_CODE);
    expect_plain(&m, 3, 11);
    memory_retire(&m, LO + 3 * PAGE_SIZE, 8 * PAGE_SIZE);
    expect_plain(&m, 3, 3);
    memory_close(&m);
}

/* Moves of sizes around those at which they are made in parts, at any distance between two buffers, and
 * by little and by much in one that both ends share: as byte by byte. */
static void moved_bytes_are_the_model(void **state)
{
    enum { PLACES = 3 << 20, FIRST = 1 << 12 };
    static const u32 size[] = {
        0,    1,    63,   2047,      2048,          2049,    4095,         4096,
        4097, 6144, 6145, 65536 + 5, (1 << 20) - 1, 1 << 20, (1 << 20) + 1};
    u8 *got = malloc(PLACES), *want = malloc(PLACES), *made = malloc(PLACES);
    (void)state;
    assert_true(got && want && made);
    for (u32 i = 0; i < PLACES; i++)
        made[i] = (u8)random_bits();
    for (size_t k = 0; k < countof(size); k++)
        for (u32 n = 0; n < 24; n++) {
            const u32 move = n % 3 == 0   ? size[k] + below(130)
                             : n % 3 == 1 ? 1 + below(130)
                                          : 64 * (n + 1);
            const u32 low = FIRST + below(64), high = low + move;
            const u32 from = n % 2 ? low : high, to = n % 2 ? high : low;
            memcpy(got, made, PLACES);
            memcpy(want, made, PLACES);
            for (u32 i = 0; i < size[k]; i++)
                want[to + i] = made[from + i];
            memory_move_bytes(got + to, got + from, size[k]);
            if (memcmp(got, want, PLACES))
                fail_msg("%u bytes by %d are moved wrongly", size[k], (int)(to - from));
        }
    free(got);
    free(want);
    free(made);
}

/* the device's: the low half of a pointer is the guest's address */
static void pointers_are_addresses(void **state)
{
    (void)state;
    static const u64 end[] = {(u64)1 << 32, (u64)1 << 33};
    for (size_t i = 0; i < countof(end); i++) {
        Memory m;
        assert_true(memory_open(&m, 0, end[i]));
        assert_int_equal((uintptr_t)m.base & UINT32_MAX, 0);
        memory_map(&m, end[i] - PAGE_SIZE, PAGE_SIZE, MEM_R | MEM_W);
        m.base[end[i] - 1] = 1;
        assert_int_equal(m.top, end[i]);
        memory_close(&m);
    }
}

/* A little more than was asked for is reserved, since accesses may begin at the last byte. */
static void what_is_reserved_goes_back(void **state)
{
    (void)state;
    static const u64 range[][2] = {
        {LO, END}, {0, (u64)1 << 33}, {0, END}, {(u64)1 << 33, (u64)1 << 34}};
    Memory m;
    for (size_t i = 0; i < countof(range); i++) {
        const u64 lo = range[i][0], end = range[i][1], before = pages_mapped() * PAGE_SIZE;
        assert_true(memory_open(&m, lo, end));
        const u64 more = pages_mapped() * PAGE_SIZE - before,
                  least = end - lo + ((end - lo) >> PAGE_BITS);
        assert_true(more >= least + 2 * PAGE_SIZE && more < least + (1 << 20));
        memory_close(&m);
        assert_int_equal(pages_mapped() * PAGE_SIZE, before);
    }
    for (int bits = 48; bits < 63; bits += 7) { /* more than an address has */
        const u64 before = pages_mapped() * PAGE_SIZE;
        assert_false(memory_open(&m, 0, (u64)1 << bits));
        assert_true(!m.block && !m.flags);
        assert_int_equal(pages_mapped() * PAGE_SIZE, before);
    }
}

static void thirty_two_megabytes_are_kept(void **state)
{
    (void)state;
    enum { MEGABYTE = 1 << 20 };
    Memory m;
    assert_true(memory_open(&m, 0, 64 * MEGABYTE));
    memory_map(&m, 0, 64 * MEGABYTE, MEM_R | MEM_W);
    m.base[5] = m.base[40 * MEGABYTE] = 7;
    memory_retire(&m, 40 * MEGABYTE, PAGE_SIZE);
    memory_retire(&m, 0, 32 * MEGABYTE); /* that is too much */
    assert_int_equal(m.old, PAGE_SIZE);
    assert_int_equal(memory_rights(&m, 0), 0);
    memory_retire(&m, 32 * MEGABYTE, 8 * MEGABYTE);
    memory_map(&m, 0, 64 * MEGABYTE, MEM_R | MEM_W);
    assert_int_equal(m.old, 0);
    assert_true(!m.base[5] && !m.base[40 * MEGABYTE]);
    memory_retire(&m, 0, 32 * MEGABYTE);
    assert_int_equal(m.old, 32 * MEGABYTE);
    memory_close(&m);
}

static void noted_pages_become_clean(void **state)
{
    (void)state;
    Memory m;
    u32 noted[] = {LO / PAGE_SIZE + 3, LO / PAGE_SIZE + 1};
    assert_true(memory_open(&m, LO, END));
    for (int cleans = 0; cleans < 2; cleans++) {
        DirtyList d = {.page = noted, .n = countof(noted)};
        memory_map(&m, LO, 6 * PAGE_SIZE, MEM_R | MEM_W | MEM_TRACKED);
        memset(m.base + LO, 9, 6 * PAGE_SIZE);
        if (cleans)
            memory_clean(&m, &d);
        else
            memory_clear(&m, &d);
        assert_int_equal(d.n, cleans ? 0 : 2);
        for (u32 p = 0; p < 6; p++) {
            const bool was = p == 1 || p == 3;
            for (u32 i = 0; i < PAGE_SIZE; i++)
                assert_int_equal(m.base[LO + p * PAGE_SIZE + i], was ? 0 : 9);
            assert_int_equal(memory_rights(&m, LO / PAGE_SIZE + p),
                             MEM_R | MEM_TRACKED | (was && cleans ? 0 : MEM_W));
        }
    }
    memory_close(&m);
}

/* --- page tables (RISC-V privileged manual, SV39) --------------------------------------------- */

typedef struct {
    u64 va, size, pa;
    u8 perm;
} Leaf;

static u64 *entry_of(const Memory *m, u64 table, u32 index)
{
    return (u64 *)(void *)(m->base + table + 8 * (u64)index);
}

/* Adds a leaf for a page of that level (0: 4 KiB), with tables before it.  False: one is there. */
static bool add_leaf(Memory *m, u64 root, u64 *free_page, int level, Leaf *leaf)
{
    static const u32 some[] = {0, 1, 2, 3, 127, 128, 255, 256, 510, 511};
    const u32 index[3] = {some[below(10)], some[below(10)], some[below(10)]}; /* of level 0, 1, 2 */
    const u64 size = (u64)PAGE_SIZE << 9 * level;
    u64 table = root;
    *leaf = (Leaf){.size = size,
                   .pa = ((random_bits() & (((u64)1 << 44) - 1)) << PAGE_BITS) & ~(size - 1),
                   .perm = (u8)(PTE_R << below(3) | PTE_R << below(3))};
    for (int l = 2; l > level; l--) {
        u64 *e = entry_of(m, table, index[l]);
        leaf->va |= (u64)index[l] << (PAGE_BITS + 9 * l);
        if (*e & (PTE_R | PTE_W | PTE_X))
            return false;
        if (!*e) {
            *e = (*free_page >> PAGE_BITS) << PTE_PPN_SHIFT | PTE_V;
            *free_page += PAGE_SIZE;
        }
        table = *e >> PTE_PPN_SHIFT << PAGE_BITS;
    }
    u64 *e = entry_of(m, table, index[level]);
    leaf->va |= (u64)index[level] << (PAGE_BITS + 9 * level);
    if (*e)
        return false;
    *e = (leaf->pa >> PAGE_BITS) << PTE_PPN_SHIFT | leaf->perm | PTE_V | (below(2) ? PTE_A : 0);
    if (!level && !below(8)) /* a table where there can be none */
        *e &= ~(u64)(PTE_R | PTE_W | PTE_X), leaf->perm = 0;
    else if (!below(8)) /* not valid after all */
        *e &= ~(u64)PTE_V, leaf->perm = 0;
    else if (level && !below(8)) /* not at a multiple of its size */
        *e |= (u64)1 << (PTE_PPN_SHIFT + below(9 * (u32)level)), leaf->perm = 0;
    return true;
}

static void addresses_follow_the_tables(void **state)
{
    (void)state;
    enum { SOME = 40, ROOT = LO + PAGE_SIZE };
    for (u32 run = 0; run < 60; run++) {
        Memory m;
        Leaf leaf[SOME];
        u32 n = 0;
        u64 free_page = ROOT + PAGE_SIZE;
        static Tlb tlb;
        const Mmu mmu = {.memory = &m, .root = ROOT};
        assert_true(memory_open(&m, LO, LO + 256 * PAGE_SIZE));
        memory_map(&m, LO, 256 * PAGE_SIZE, MEM_R | MEM_W);
        for (u32 i = 0; i < SOME; i++)
            n += add_leaf(&m, ROOT, &free_page, below(6) ? (int)below(2) : 2, &leaf[n]);
        assert_true(n > 10 && free_page < LO + 256 * PAGE_SIZE);
        memset(&tlb, 0, sizeof tlb);
        for (u32 i = 0; i < 2000; i++) {
            const Leaf *near = &leaf[below(n)], *in = NULL;
            const u64 in_it = below(2) ? random_bits() % near->size : near->size - 1 - below(2);
            const u64 va = (near->va + (below(8) ? in_it : near->size)) | (u64)!below(20) << 39;
            const u8 perm = (u8)(PTE_R << below(3));
            u64 pa = 0;
            for (u32 k = 0; k < n; k++)
                if (va - leaf[k].va < leaf[k].size)
                    in = &leaf[k];
            const bool may = in && in->perm & perm;
            assert_int_equal(mmu_translate(&mmu, &tlb, va, perm, &pa), may);
            if (may)
                assert_int_equal(pa, in->pa + (va - in->va));
        }
        /* what was found is kept, for all of the 4 KiB, until somebody clears it */
        memset(&tlb, 0, sizeof tlb);
        for (u32 i = 0; i < n; i++) {
            u64 pa, root[512];
            if (!leaf[i].perm)
                continue;
            assert_true(
                mmu_translate(&mmu, &tlb, leaf[i].va, (u8)(leaf[i].perm & -leaf[i].perm), &pa));
            memcpy(root, m.base + ROOT, sizeof root);
            memset(m.base + ROOT, 0, sizeof root);
            assert_true(mmu_translate(&mmu, &tlb, leaf[i].va + PAGE_SIZE - 1,
                                      (u8)(leaf[i].perm & -leaf[i].perm), &pa));
            assert_int_equal(pa, leaf[i].pa + PAGE_SIZE - 1);
            assert_int_equal(mmu_translate(&mmu, &tlb, leaf[i].va, PTE_X, &pa),
                             (leaf[i].perm & PTE_X) != 0);
            memcpy(m.base + ROOT, root, sizeof root);
        }
        /* a table that nobody may read, and one that is nowhere */
        memset(&tlb, 0, sizeof tlb);
        u64 pa;
        memory_map(&m, ROOT, PAGE_SIZE, MEM_W);
        for (u32 i = 0; i < n; i++)
            assert_false(mmu_translate(&mmu, &tlb, leaf[i].va, leaf[i].perm, &pa));
        assert_false(mmu_translate(&(Mmu){&m, (u64)1 << 50}, &tlb, leaf[0].va, PTE_R, &pa));
        memory_close(&m);
    }
}

/* --- grids ------------------------------------------------------------------------------------ */

/* A grid of global work-items, in groups of `full`, the last ones smaller. */
typedef struct {
    u32 global[3], full[3], offset[3], groups[3];
} Grid;

static void check_item(const Grid *g, FaultItem x, const u32 at[3], const u32 local[3])
{
    for (int i = 0; i < 3; i++) {
        assert_int_equal(x.local[i], local[i]);
        assert_int_equal(x.item[i], g->offset[i] + at[i] * g->full[i] + local[i]);
    }
}

static u32 size_of(const Grid *g, int i, u32 at)
{
    const u32 left = g->global[i] - at * g->full[i];
    return left < g->full[i] ? left : g->full[i];
}

/* Every group of the grid and its work-items, as the part names them. */
static void check_part(const Grid *g, const Launch *l)
{
    u64 number = 0, mine = 0;
    u32 at[3], local[3];
    for (at[2] = 0; at[2] < g->groups[2]; at[2]++)
        for (at[1] = 0; at[1] < g->groups[1]; at[1]++)
            for (at[0] = 0; at[0] < g->groups[0]; at[0]++, number++) {
                u32 id[3], linear = 0;
                bool is_mine = true;
                grid_group_id(l, number, id);
                assert_memory_equal(id, at, sizeof id);
                for (int i = 0; i < 3; i++)
                    is_mine &= at[i] - l->first[i] < l->groups[i];
                if (is_mine) {
                    launch_group_id(l, mine, id);
                    assert_memory_equal(id, at, sizeof id);
                    assert_int_equal(launch_group_number(l, mine), number);
                }
                for (local[2] = 0; local[2] < size_of(g, 2, at[2]); local[2]++)
                    for (local[1] = 0; local[1] < size_of(g, 1, at[1]); local[1]++)
                        for (local[0] = 0; local[0] < size_of(g, 0, at[0]); local[0]++, linear++) {
                            check_item(g, grid_item(l, number, linear), at, local);
                            if (is_mine)
                                check_item(g, launch_item(l, mine, linear), at, local);
                        }
                mine += is_mine;
            }
    assert_int_equal(mine, (u64)l->groups[0] * l->groups[1] * l->groups[2]);
}

/* Sets dimension i of a launch to the full groups or to the rest.  False: there are none. */
static bool choose(const Grid *g, int i, bool is_rest, Launch *l, u32 first[3])
{
    const u32 full = g->global[i] / g->full[i], rest = g->global[i] % g->full[i];
    l->global[i] = g->global[i];
    l->groups[i] = is_rest ? 1 : full;
    l->local[i] = is_rest ? rest : g->full[i];
    first[i] = is_rest ? full : 0;
    l->offset[i] = g->offset[i] + first[i] * g->full[i];
    return is_rest ? rest : full;
}

static void parts_of_grids(void **state)
{
    (void)state;
    for (u32 run = 0; run < 300; run++) {
        Grid g;
        for (int i = 0; i < 3; i++) {
            g.global[i] = 1 + below(7);
            g.full[i] = 1 + below(4);
            g.offset[i] = below(2) ? below(1000) : 0;
            g.groups[i] = (g.global[i] + g.full[i] - 1) / g.full[i];
        }
        for (u32 which = 0; which < 8; which++) {
            Launch l = {.grid = {9, 9, 9}, .first = {9, 9, 9}};
            u32 first[3];
            bool exists = true;
            for (int i = 0; i < 3; i++)
                exists &= choose(&g, i, which >> i & 1, &l, first);
            if (!exists)
                continue;
            launch_set_part(&l, first, g.full);
            assert_memory_equal(l.grid, g.groups, sizeof l.grid);
            assert_memory_equal(l.first, first, sizeof l.first);
            assert_ptr_equal(launch_grid(&l), l.grid);
            check_part(&g, &l);
        }
    }
}

static void what_is_no_part_is_a_grid(void **state)
{
    (void)state;
    for (u32 code = 0; code < 7 * 5 * 5 * 5 * 5 * 3; code++) {
        const int i = (int)(code % 3);
        const u32 global = code / 3 % 7 + 1, enqueued = code / 21 % 5, at = code / 105 % 5,
                  groups = code / 525 % 5 + 1, local = code / 2625 % 5 + 1;
        Launch l = {.groups = {1, 1, 1},
                    .global = {2, 2, 2},
                    .local = {2, 2, 2},
                    .grid = {9, 9, 9},
                    .first = {9, 9, 9}};
        u32 first[3] = {0}, full[3] = {2, 2, 2};
        l.groups[i] = groups;
        l.global[i] = global;
        l.local[i] = local;
        first[i] = at;
        full[i] = enqueued;
        const bool is_full = enqueued && !at && local == enqueued && groups == global / enqueued,
                   is_rest = enqueued && at == global / enqueued && groups == 1 &&
                             local == global % enqueued;
        launch_set_part(&l, first, full);
        assert_int_equal(l.grid[0] != 0, is_full || is_rest);
        if (l.grid[0])
            continue;
        assert_true(!l.first[0] && !l.first[1] && !l.first[2] && !l.grid[1] && !l.grid[2]);
        Grid g = {.full = {2, 2, 2}, .groups = {1, 1, 1}, .global = {2, 2, 2}};
        g.full[i] = local;
        g.groups[i] = groups;
        g.global[i] = groups * local;
        check_part(&g, &l);
    }
}

/* --- reports of faults (doc/debugging.md) ----------------------------------------------------- */

static const char *some_symbol(void *self, u64 addr, u64 *past)
{
    assert_string_equal(self, "self");
    *past = 0x1c;
    return addr == 0x80000104 ? "scale" : NULL;
}

static void some_place(void *self, u32 pc, Buf *to)
{
    assert_string_equal(self, "self");
    buf_printf(to, "\n  at          a.cl:%u", pc & 0xff);
}

PRINTF_LIKE(3, 4)
static void row(Buf *b, const char *name, const char *fmt, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    buf_printf(b, "\n  %-12s%s", name, text);
}

static void put_items(Buf *want, const Fault *f)
{
    const u32 *a = f->first.item, *b = f->last.item, *c = f->first.local, *d = f->last.local;
    if (f->nitems == 1)
        row(want, "work-item", "(%u, %u, %u), in its group (%u, %u, %u)", a[0], a[1], a[2], c[0],
            c[1], c[2]);
    else if (f->nitems)
        row(want, "work-items",
            "%u, (%u, %u, %u) to (%u, %u, %u), in their group (%u, %u, %u) to (%u, %u, %u)",
            f->nitems, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], d[0], d[1], d[2]);
}

static void put_instruction(Buf *want, const Fault *f)
{
    if (!f->has_word)
        return;
    if (!f->word)
        row(want, "instruction", "00000000  .word 0x00000000; is `ret' missing before it?");
    else if (f->word == 0x0040006f)
        row(want, "instruction", "%08x  %sj 0x%x", (u32)f->word, f->prefix ? "nop; " : "",
            f->pc + 4);
    else
        row(want, "instruction", "%08x  %saddi a0, a0, 1", (u32)f->word, f->prefix ? "nop; " : "");
}

static void put_report(Buf *want, const Fault *f, const FaultContext *c)
{
    const bool is_short = f->kind == FAULT_RESOURCES || f->kind == FAULT_NO_MEMORY;
    if (c->sentence)
        buf_str(want, c->sentence);
    else if (f->has_addr && f->width)
        buf_printf(want, "%s: 0x%08llx (%u %s)", fault_text(f->kind), (unsigned long long)f->addr,
                   f->width, f->width > 1 ? "bytes" : "byte");
    else if (f->has_addr)
        buf_printf(want, "%s: 0x%08llx", fault_text(f->kind), (unsigned long long)f->addr);
    else
        buf_str(want, fault_text(f->kind));
    if (c->place && !is_short)
        row(want, "at", "a.cl:%u", f->pc & 0xff);
    if (c->more && !is_short)
        buf_str(want, c->more);
    if (c->memory && !is_short)
        row(want, "address", "%s", c->memory);
    if (c->kernel)
        row(want, "kernel", "%s", c->kernel);
    if (is_short)
        return;
    put_items(want, f);
    row(want, "group", "(%u, %u, %u)", f->group[0], f->group[1], f->group[2]);
    row(want, "warp", "%u", f->warp);
    if (f->lane != -1)
        row(want, "lane", "%d", f->lane);
    row(want, "active", "0x%08x", f->mask);
    row(want, "pc", "0x%08x%s", f->pc, c->symbol && f->pc == 0x80000104 ? " <scale+0x1c>" : "");
    put_instruction(want, f);
    if (f->waiting)
        row(want, "warps", "%u waiting at a barrier, %u running", f->waiting, f->spinning);
    for (u32 i = 0; i < f->nwaits; i++)
        row(want, "waits", "group %u, warp %u, at 0x%08x: %s", i + 1, i + 2, i + 3, "w");
}

static void random_ids(u32 id[3])
{
    for (int i = 0; i < 3; i++)
        id[i] = below(100);
}

static void reports_have_their_rows(void **state)
{
    (void)state;
    static const FaultKind kinds[] = {FAULT_LOAD, FAULT_STOPPED, FAULT_RESOURCES, FAULT_NO_MEMORY};
    static const u32 words[] = {0, 0x00150513, 0x0040006f};
    for (u32 run = 0; run < 1000; run++) {
        Buf said = {0}, want = {0};
        Fault f = {.kind = kinds[run % 8 < 4 ? run % 4 : 0],
                   .pc = below(2) ? 0x80000104 : 0x80000208,
                   .has_word = below(4),
                   .word = words[below(3)],
                   .warp = below(9),
                   .lane = (int)below(4) - 1,
                   .nitems = below(4),
                   .has_addr = below(2),
                   .addr = below(2) ? 0x123 : 0x1234567890,
                   .mask = below(1000),
                   .waiting = below(2),
                   .spinning = below(9),
                   .nwaits = below(3)};
        f.width = f.has_addr ? below(3) : 0;
        f.prefix = f.word && below(2) ? 0x00000013 : 0;
        random_ids(f.group);
        random_ids(f.first.item);
        random_ids(f.last.item);
        random_ids(f.first.local);
        random_ids(f.last.local);
        for (u32 i = 0; i < f.nwaits; i++)
            f.wait[i].group = i + 1, f.wait[i].warp = i + 2, f.wait[i].pc = i + 3,
            f.wait[i].why = "w";
        const FaultContext c = {.kernel = below(2) ? "k" : NULL,
                                .set = V202,
                                .symbol = below(2) ? some_symbol : NULL,
                                .place = below(2) ? some_place : NULL,
                                .self = (char[]){"self"},
                                .memory = below(2) ? "near it" : NULL,
                                .sentence = below(4) ? NULL : "a sentence",
                                .more = below(2) ? "\n  more" : NULL};
        buf_str(&said, "error: ");
        fault_report(&said, &f, &c);
        buf_str(&want, "error: ");
        put_report(&want, &f, &c);
        assert_string_equal(buf_text(&said), buf_text(&want));
        buf_free(&said);
        buf_free(&want);
    }
}

/* The work-item of a lane: its number in the group, x first, and its group's. */
static void want_item(const Launch *l, const u32 group[3], u32 linear, FaultItem *x)
{
    const u32 local[3] = {linear % l->local[0], linear / l->local[0] % l->local[1],
                          linear / l->local[0] / l->local[1]};
    for (int i = 0; i < 3; i++) {
        x->local[i] = local[i];
        x->item[i] = l->offset[i] + group[i] * l->local[i] + local[i];
    }
}

/* A fault of a warp is one of its active lanes that have work-items, of a lane one of that; the first
 * fault of a group stays. */
static void faults_have_a_place(void **state)
{
    (void)state;
    for (u32 round = 0; round < 500; round++) {
        const u32 lanes = 4u << below(4), pc = 0x80000000 + 4 * below(99), known = below(4);
        Launch l = {.lanes = lanes, .warps = 3, .groups = {3, 4, 5}, .offset = {7, 0, 1 << 20}};
        for (int i = 0; i < 3; i++)
            l.local[i] = known ? 1 + below(5) : i != 1;
        Group g = {.launch = &l, .linear = below(60)};
        static Warp w;
        memset((void *)&w, 0, sizeof w);
        w.group = &g;
        w.id = below(3);
        w.initial = (u32)random_bits() & (lanes < 32 ? (1u << lanes) - 1 : UINT32_MAX);
        w.exec = (u32)random_bits();
        const int lane = one_in(2) ? -1 : (int)below(lanes);
        const u32 all = lane < 0 ? w.exec & w.initial : 1u << lane;
        const u32 group[3] = {(u32)g.linear % 3, (u32)g.linear / 3 % 4, (u32)g.linear / 12};
        u32 n = 0, first = 0, last = 0;
        for (u32 i = 32; i-- > 0;)
            if (all >> i & 1) {
                first = i;
                last = n++ ? last : i;
            }
        if (round & 1)
            warp_fault(&w, FAULT_LOAD, pc, lane);
        else
            warp_fault_at(&w, FAULT_LOAD, pc, lane, 0x123456789, 2);
        const Fault *f = &g.fault;
        assert_true(g.faulted && f->kind == FAULT_LOAD && f->pc == pc && f->lane == lane);
        assert_true(f->warp == w.id && f->mask == w.exec && f->group_linear == g.linear);
        assert_memory_equal(f->group, group, sizeof group);
        assert_true(f->has_addr == !(round & 1));
        assert_true(!f->has_addr || (f->addr == 0x123456789 && f->width == 2));
        assert_int_equal(f->nitems, known ? n : 0);
        if (f->nitems) {
            FaultItem x;
            want_item(&l, group, w.id * lanes + first, &x);
            assert_memory_equal(&f->first, &x, sizeof x);
            want_item(&l, group, w.id * lanes + last, &x);
            assert_memory_equal(&f->last, &x, sizeof x);
        }
        const Fault was = *f;
        warp_fault_at(&w, FAULT_STORE, pc + 4, 0, 5, 4);
        warp_fault(&w, FAULT_STORE, pc + 4, 0);
        assert_true(f->kind == was.kind && f->pc == was.pc && f->lane == was.lane);
        assert_true(f->has_addr == was.has_addr && f->addr == was.addr);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(memory_is_the_model),
        cmocka_unit_test(plain_pages_are_a_heap),
        cmocka_unit_test(moved_bytes_are_the_model),
        cmocka_unit_test(pointers_are_addresses),
        cmocka_unit_test(what_is_reserved_goes_back),
        cmocka_unit_test(thirty_two_megabytes_are_kept),
        cmocka_unit_test(noted_pages_become_clean),
        cmocka_unit_test(addresses_follow_the_tables),
        cmocka_unit_test(parts_of_grids),
        cmocka_unit_test(what_is_no_part_is_a_grid),
        cmocka_unit_test(reports_have_their_rows),
        cmocka_unit_test(faults_have_a_place),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
