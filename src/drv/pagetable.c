/* pagetable.c -- SV39 page tables (pagetable.h): a bitmap of free frames, and tables of three
 * levels that change as pages are mapped and unmapped. */
#include "drv/pagetable.h"
#include "base/mem.h"
#include <string.h>

enum { LEVELS = 3, INDEX_BITS = 9, ENTRIES = 1 << INDEX_BITS };
enum { BITS = 64 };

/* The frames: those below the local memory window but frame 0, then those after the code window.
 * Number n of them is at frame_address(n). */
enum {
    LOW_FRAMES = RANGE_LOCAL_FROM - 1,
    HIGH_FRAMES = RANGE_HEAP_END - RANGE_HEAP_FROM,
    NFRAMES = LOW_FRAMES + HIGH_FRAMES
};
enum { STRIDE = 355687 }; /* a prime that does not divide NFRAMES: every frame gets its turn */
static_assert(NFRAMES % STRIDE != 0, "the stride must reach every frame");

static u64 frame_address(u64 n)
{
    return n < LOW_FRAMES ? (n + 1) << PAGE_BITS : HEAP_LO + ((n - LOW_FRAMES) << PAGE_BITS);
}

static u64 frame_number(u64 addr)
{
    return addr < LDS_LO ? (addr >> PAGE_BITS) - 1 : LOW_FRAMES + ((addr - HEAP_LO) >> PAGE_BITS);
}

static u64 take_frame(PageTable *t)
{
    assert(t->nfree);
    do
        t->cursor = (t->cursor + STRIDE) % NFRAMES;
    while (t->taken[t->cursor / BITS] >> t->cursor % BITS & 1);
    t->taken[t->cursor / BITS] |= (u64)1 << t->cursor % BITS;
    t->nfree--;
    const u64 addr = frame_address(t->cursor);
    memory_map(t->memory, addr, PAGE_SIZE, MEM_R | MEM_W);
    return addr;
}

static void give_frame(PageTable *t, u64 addr)
{
    const u64 n = frame_number(addr);
    t->taken[n / BITS] &= ~((u64)1 << n % BITS);
    t->nfree++;
    memory_unmap(t->memory, addr, PAGE_SIZE);
}

bool pagetable_open(PageTable *t, Memory *m)
{
    *t = (PageTable){.memory = m,
                     .taken = mem_zalloc((NFRAMES + BITS - 1) / BITS, sizeof(u64)),
                     .nfree = NFRAMES};
    if (!t->taken)
        return false;
    t->root = take_frame(t);
    return true;
}

void pagetable_close(PageTable *t)
{
    mem_free(t->taken);
    *t = (PageTable){0};
}

/* --- entries -------------------------------------------------------------------- */

static u64 *entry(const PageTable *t, u64 table, u64 va, int level)
{
    const u64 index = va >> (PAGE_BITS + level * INDEX_BITS) & (ENTRIES - 1);
    return (u64 *)(void *)(t->memory->base + table) + index;
}

/* Warps that run read tables while more is mapped (mach/mmu.c). */
static void set_entry(u64 *e, u64 pte) { __atomic_store_n(e, pte, __ATOMIC_RELEASE); }

static u64 entry_address(u64 pte) { return pte >> PTE_PPN_SHIFT << PAGE_BITS; }
static u64 make_entry(u64 addr, u64 bits) { return addr >> PAGE_BITS << PTE_PPN_SHIFT | bits; }

/* the leaf entry of va; NULL: a table is missing, and `make` is false or there are no frames */
static u64 *leaf(PageTable *t, u64 va, bool make)
{
    u64 table = t->root;
    for (int level = LEVELS - 1; level > 0; level--) {
        u64 *e = entry(t, table, va, level);
        if (!*e) {
            if (!make || !t->nfree)
                return NULL;
            set_entry(e, make_entry(take_frame(t), PTE_V));
        }
        table = entry_address(*e);
    }
    return entry(t, table, va, 0);
}

static bool is_empty(const PageTable *t, u64 table)
{
    const u64 *e = (const u64 *)(const void *)(t->memory->base + table);
    for (int i = 0; i < ENTRIES; i++)
        if (e[i])
            return false;
    return true;
}

/* Gives back the tables on the way to va that have become empty. */
static void prune(PageTable *t, u64 va)
{
    u64 *top = entry(t, t->root, va, 2);
    if (!*top)
        return;
    u64 *mid = entry(t, entry_address(*top), va, 1);
    if (*mid && is_empty(t, entry_address(*mid))) {
        give_frame(t, entry_address(*mid));
        *mid = 0;
    }
    if (is_empty(t, entry_address(*top))) {
        give_frame(t, entry_address(*top));
        *top = 0;
    }
}

/* --- ranges ----------------------------------------------------------------------- */

enum { LEAF = PTE_V | PTE_R | PTE_W | PTE_A | PTE_D };

static bool is_own(u64 pa) { return !(pa >= LDS_LO && pa < HEAP_LO); }

void pagetable_unmap(PageTable *t, u64 addr, u64 size)
{
    const u64 table_span = (u64)PAGE_SIZE << INDEX_BITS, end = addr + size;
    for (u64 va = addr; va < end;) {
        const u64 next = (va & ~(table_span - 1)) + table_span, stop = next < end ? next : end;
        u64 *e = leaf(t, va, false);
        for (u64 p = va; e && p < stop; p += PAGE_SIZE, e++) {
            if (*e && is_own(entry_address(*e)))
                give_frame(t, entry_address(*e));
            *e = 0;
        }
        prune(t, va);
        va = stop;
    }
}

bool pagetable_map(PageTable *t, u64 addr, u64 size)
{
    if (size >> PAGE_BITS > t->nfree)
        return false;
    for (u64 va = addr; va < addr + size; va += PAGE_SIZE) {
        u64 *e = leaf(t, va, true);
        if (!e || !t->nfree) {
            pagetable_unmap(t, addr, va + PAGE_SIZE - addr);
            return false;
        }
        assert(!*e);
        set_entry(e, make_entry(take_frame(t), LEAF));
    }
    return true;
}

bool pagetable_map_same(PageTable *t, u64 addr, u64 size)
{
    for (u64 va = addr; va < addr + size; va += PAGE_SIZE) {
        u64 *e = leaf(t, va, true);
        if (!e) {
            pagetable_unmap(t, addr, va - addr);
            return false;
        }
        set_entry(e, make_entry(va, LEAF));
    }
    return true;
}
