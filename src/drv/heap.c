/* heap.c -- the free addresses of each arena as ranges: the first that fits is taken, neighbours
 * are joined again when they are freed. */
#include "drv/heap.h"
#include "base/mem.h"

/* which calls take addresses from an arena: heap_alloc(), heap_alloc_high(), only heap_alloc_at()
 */
typedef enum { LOW, HIGH, ON_DEMAND } ArenaKind;

static const struct {
    u64 lo, end;
    ArenaKind kind;
} arenas[NARENA] = {
    {HEAP_LO, (u64)RANGE_HEAP_END << PAGE_BITS, LOW},
    {RANGE_FROM(LOWER), RANGE_END(LOWER), LOW},
    {RANGE_FROM(PRIVATE), RANGE_END(PRIVATE), ON_DEMAND},
    {(u64)RANGE_HIGH_FROM << PAGE_BITS, (u64)RANGE_HIGH_END << PAGE_BITS, HIGH},
};

bool heap_open(Heap *h)
{
    *h = (Heap){0};
    for (int i = 0; i < NARENA; i++) {
        Range *all = range_new(arenas[i].lo, arenas[i].end - arenas[i].lo);
        if (!all) {
            heap_close(h);
            return false;
        }
        range_insert(&h->free[i], all);
    }
    return true;
}

void heap_close(Heap *h)
{
    for (int i = 0; i < NARENA; i++)
        range_free_set(h->free[i]);
    range_free_set(h->used);
    range_free_set(h->held);
    while (h->nspare)
        mem_free(h->spare[--h->nspare]);
    *h = (Heap){0};
}

/* --- nodes ------------------------------------------------------------------------------- */

/* A node in no set, whose fields say nothing; NULL: out of memory. */
static Range *node_new(Heap *h) { return h->nspare ? h->spare[--h->nspare] : range_new(0, 0); }

/* Gives back a node in no set; NULL is allowed. */
static void node_drop(Heap *h, Range *r)
{
    if (r && h->nspare < countof(h->spare))
        h->spare[h->nspare++] = r;
    else
        mem_free(r);
}

/* --- taking ------------------------------------------------------------------------------ */

/* the arena that holds the range; -1: none does */
static int arena_of(u64 addr, u64 size)
{
    for (int i = 0; i < NARENA; i++)
        if (addr >= arenas[i].lo && addr < arenas[i].end && size <= arenas[i].end - addr)
            return i;
    return -1;
}

/* The nodes that taking a range needs, so that the taking itself cannot fail. */
typedef struct {
    Range *block, *rest;
} Nodes;

static bool nodes_new(Heap *h, Nodes *n)
{
    *n = (Nodes){node_new(h), node_new(h)};
    if (n->block && n->rest)
        return true;
    node_drop(h, n->block);
    node_drop(h, n->rest);
    return false;
}

/* Makes the part of the free range f at addr the block n->block, and uses up the other nodes for
 * what is left of f; n->rest may be NULL where the block begins with f. */
static void carve(Heap *h, Range **set, Range *f, u64 addr, u64 size, const Nodes *n)
{
    const u64 before = addr - f->addr, after = range_end(f) - (addr + size);
    Range *rest = before ? n->rest : f;
    range_remove(set, f);
    if (before) {
        f->size = before;
        range_insert(set, f);
    } else {
        node_drop(h, n->rest);
    }
    *rest = (Range){.addr = addr + size, .size = after};
    if (after)
        range_insert(set, rest);
    else
        node_drop(h, rest);
    *n->block = (Range){.addr = addr, .size = size};
    range_insert(&h->used, n->block);
    h->bytes += size;
}

static DrvStatus alloc_in(Heap *h, ArenaKind kind, u64 asked, u64 gap, u64 *addr)
{
    if (!asked)
        return DRV_BAD_ARGUMENT;
    if (asked > (u64)1 << 32)
        return DRV_DEVICE_FULL;
    const u64 size = align_up(asked + gap, PAGE_SIZE);
    for (int i = 0; i < NARENA; i++) {
        Range *f = arenas[i].kind == kind ? range_first_fit(h->free[i], size) : NULL;
        if (!f)
            continue;
        const Nodes nodes = {.block = node_new(h)};
        if (!nodes.block)
            return DRV_NO_MEMORY;
        *addr = f->addr;
        carve(h, &h->free[i], f, f->addr, size, &nodes);
        nodes.block->slack = size - asked;
        return DRV_OK;
    }
    return DRV_DEVICE_FULL;
}

DrvStatus heap_alloc(Heap *h, u64 size, u64 gap, u64 *addr)
{
    return alloc_in(h, LOW, size, gap, addr);
}

DrvStatus heap_alloc_high(Heap *h, u64 size, u64 gap, u64 *addr)
{
    return alloc_in(h, HIGH, size, gap, addr);
}

DrvStatus heap_alloc_at(Heap *h, u64 addr, u64 asked)
{
    Nodes nodes;
    if (!asked || asked > (u64)1 << 32 || addr % PAGE_SIZE)
        return DRV_BAD_ARGUMENT;
    const u64 size = align_up(asked, PAGE_SIZE);
    const int i = arena_of(addr, size);
    if (i < 0)
        return DRV_OUT_OF_RANGE;
    Range *f = range_before(h->free[i], addr);
    if (!f || range_end(f) < addr + size)
        return DRV_OVERLAP;
    if (!nodes_new(h, &nodes))
        return DRV_NO_MEMORY;
    carve(h, &h->free[i], f, addr, size, &nodes);
    nodes.block->slack = size - asked;
    return DRV_OK;
}

/* --- giving back ------------------------------------------------------------------------- */

/* Gives the addresses of a block, which is in no set any more, back to their arena. */
static void release(Heap *h, Range *block)
{
    Range **set = &h->free[arena_of(block->addr, block->size)];
    block->slack = 0;
    Range *before = range_before(*set, block->addr), *after = range_after(*set, block->addr);
    if (before && range_end(before) == block->addr) {
        range_remove(set, before);
        block->addr = before->addr;
        block->size += before->size;
        node_drop(h, before);
    }
    if (after && range_end(block) == after->addr) {
        range_remove(set, after);
        block->size += after->size;
        node_drop(h, after);
    }
    range_insert(set, block);
}

/* Takes the block at addr out of the used ones; NULL: none begins there. */
static Range *take_out(Heap *h, u64 addr, u64 *size)
{
    Range *block = range_before(h->used, addr);
    if (!block || block->addr != addr)
        return NULL;
    *size = block->size;
    h->bytes -= block->size;
    range_remove(&h->used, block);
    return block;
}

DrvStatus heap_free(Heap *h, u64 addr, u64 *size)
{
    Range *block = take_out(h, addr, size);
    if (!block)
        return DRV_NO_BUFFER;
    release(h, block);
    return DRV_OK;
}

DrvStatus heap_hold(Heap *h, u64 addr, u64 *size)
{
    Range *block = take_out(h, addr, size);
    if (!block)
        return DRV_NO_BUFFER;
    range_insert(&h->held, block);
    return DRV_OK;
}

bool heap_release(Heap *h, u64 *addr, u64 *size)
{
    Range *block = h->held;
    if (!block)
        return false;
    *addr = block->addr;
    *size = block->size;
    range_remove(&h->held, block);
    release(h, block);
    return true;
}

const Range *heap_find(const Heap *h, u64 addr)
{
    const Range *block = range_before(h->used, addr);
    return block && addr < range_end(block) ? block : NULL;
}

const Range *heap_find_held(const Heap *h, u64 addr)
{
    const Range *block = range_before(h->held, addr);
    return block && addr < range_end(block) ? block : NULL;
}

/* Widens *addr..*end so that it covers the blocks that overlap it; returns how many there are. */
static size_t widen(const Heap *h, u64 *addr, u64 *end)
{
    const Range *first = heap_find(h, *addr);
    size_t n = 0;
    if (first)
        *addr = first->addr;
    for (const Range *r = range_after(h->used, *addr); r && r->addr < *end;
         r = range_after(h->used, range_end(r))) {
        n++;
        if (range_end(r) > *end)
            *end = range_end(r);
    }
    return n;
}

DrvStatus heap_cover(Heap *h, u64 addr, u64 size)
{
    Nodes nodes;
    if (!size || size > (u64)1 << 32)
        return DRV_BAD_ARGUMENT;
    u64 lo = addr & ~(u64)(PAGE_SIZE - 1), end = align_up(addr + size, PAGE_SIZE);
    const int arena = arena_of(lo, end - lo);
    if (arena < 0)
        return DRV_OUT_OF_RANGE;
    const size_t n = widen(h, &lo, &end);
    const Range *one = heap_find(h, lo);
    if (n == 1 && one && range_end(one) == end)
        return DRV_OK;
    if (!nodes_new(h, &nodes))
        return DRV_NO_MEMORY;
    for (Range *r; (r = range_after(h->used, lo)) && r->addr < end;) {
        h->bytes -= r->size;
        range_remove(&h->used, r);
        release(h, r);
    }
    Range **set = &h->free[arena];
    carve(h, set, range_before(*set, lo), lo, end - lo, &nodes);
    return DRV_OK;
}
