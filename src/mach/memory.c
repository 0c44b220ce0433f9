/* memory.c -- reserving a guest's range, rights of pages, and the list of pages that a group has
 * written to. */
#include "mach/memory.h"
#include "base/mem.h"
#include <string.h>
#include <sys/mman.h>

enum { GUARD = 1 << 16 }; /* bytes after the end, for accesses that start inside */
enum { LARGE_PAGE = 2 << 20 };
#define WHOLE ((u64)1 << 32) /* all addresses of 32 bits */
enum { MAX_OLD = 32 << 20 }; /* bytes of retired pages that are kept for the next memory_map() */

static void *reserve(u64 size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Reserves `size` bytes at a multiple of `align`, in which every page is. */
static void *reserve_aligned(u64 size, u64 align)
{
    u8 *p = reserve(size + align);
    if (!p)
        return NULL;
    u8 *first = (u8 *)align_up((uintptr_t)p, align);
    const u64 before = (u64)(first - p);
    if (before)
        munmap(p, before);
    munmap(first + size, align - before);
    return first;
}

bool memory_open(Memory *m, u64 lo, u64 end)
{
    const u64 pages = (end - lo) >> PAGE_BITS, size = end - lo + GUARD;
    assert(!(lo >> PAGE_BITS & 7));
    *m = (Memory){.lo = lo,
                  .end = end,
                  .block = lo || end < WHOLE ? reserve(size) : reserve_aligned(size, WHOLE),
                  .flags = reserve(pages + GUARD)};
    if (!m->block || !m->flags) {
        memory_close(m);
        return false;
    }
    m->base = (u8 *)((uintptr_t)m->block - lo);
    m->page = (u8 *)((uintptr_t)m->flags - (lo >> PAGE_BITS));
    m->top = lo;
    return true;
}

void memory_close(Memory *m)
{
    if (m->block)
        munmap(m->block, m->end - m->lo + GUARD);
    if (m->flags)
        munmap(m->flags, ((m->end - m->lo) >> PAGE_BITS) + GUARD);
    *m = (Memory){0};
}

void memory_leave_plain(Memory *m, u64 first, u64 past)
{
    u64 old = atomic_load(&m->plain), now;
    do {
        const u64 lo = old >> 32, end = old & UINT32_MAX;
        if (first >= end || past <= lo)
            return;
        const u64 before = first > lo ? first - lo : 0, behind = end > past ? end - past : 0;
        now = before >= behind ? lo << 32 | (lo + before) : past << 32 | end;
    } while (!atomic_compare_exchange_weak(&m->plain, &old, now));
}

/* Adds pages that have got these rights, to those that they touch or in place of fewer. */
static void join_plain(Memory *m, u64 first, u64 past)
{
    u64 old = atomic_load(&m->plain), now;
    do {
        const u64 lo = old >> 32, end = old & UINT32_MAX;
        const bool apart = first > end || past < lo;
        if (apart && past - first <= end - lo)
            return;
        now = apart ? first << 32 | past
                    : (first < lo ? first : lo) << 32 | (past > end ? past : end);
    } while (!atomic_compare_exchange_weak(&m->plain, &old, now));
}

/* Sets the rights of pages first..past-1, eight at a time where numbers allow. */
static void set_rights(Memory *m, u64 first, u64 past, u8 flags)
{
    u64 p = first, many;
    const bool is_plain = flags == (MEM_R | MEM_W);
    memset(&many, flags, sizeof many);
    if (!is_plain)
        memory_leave_plain(m, first, past);
    for (; p < past && p % 8; p++)
        memory_set_rights(m, p, flags);
    for (; p + 8 <= past; p += 8)
        __atomic_store_n((u64 *)(void *)&m->page[p], many, __ATOMIC_RELAXED);
    for (; p < past; p++)
        memory_set_rights(m, p, flags);
    if (is_plain)
        join_plain(m, first, past);
}

static void raise_top(Memory *m, u64 last)
{
    const u64 past = (last + 1) << PAGE_BITS;
    if (past > atomic_load_explicit(&m->top, memory_order_relaxed))
        atomic_store_explicit(&m->top, past, memory_order_relaxed);
}

u64 memory_next_page(const Memory *m, u64 page, u64 past)
{
    const u64 top = atomic_load_explicit(&m->top, memory_order_relaxed) >> PAGE_BITS;
    const u64 end = top < past ? top : past;
    while (page < end && !memory_rights(m, page))
        page += page % 8 || page + 8 > end || memory_rights8(m, page) ? 1 : 8;
    return page < end ? page : past;
}

/* Asks the host to use large pages for a large block, whose translations it then finds faster; the
 * host may refuse.  What was asked for last is not asked for again: each launch maps its private memory. */
static void prefer_large_pages(Memory *m, u64 addr, u64 size)
{
    if (size < LARGE_PAGE || (addr >= m->large_lo && addr + size <= m->large_end))
        return;
    madvise(m->base + addr, size, MADV_HUGEPAGE);
    m->large_lo = addr;
    m->large_end = addr + size;
}

static void clear_old(Memory *m, u64 first, u64 last)
{
    for (u64 p = first; m->old && p <= last; p++) {
        if (!(memory_rights(m, p) & MEM_OLD))
            continue;
        const u64 from = p;
        while (p <= last && memory_rights(m, p) & MEM_OLD)
            p++;
        memset(m->base + (from << PAGE_BITS), 0, (p - from) << PAGE_BITS);
        m->old -= (p - from) << PAGE_BITS;
    }
}

void memory_map(Memory *m, u64 addr, u64 size, u8 flags)
{
    const u64 first = addr >> PAGE_BITS, last = (addr + size - 1) >> PAGE_BITS;
    if (!size)
        return;
    assert(addr >= m->lo && addr + size <= m->end);
    const bool is_known = memory_rights(m, first) & MEM_OLD; /* the host has been asked */
    clear_old(m, first, last);
    raise_top(m, last);
    set_rights(m, first, last + 1, flags);
    if (!is_known)
        prefer_large_pages(m, addr, size);
}

void memory_add_rights(Memory *m, u64 addr, u64 size, u8 flags)
{
    const u64 last = (addr + size - 1) >> PAGE_BITS;
    if (!size)
        return;
    clear_old(m, addr >> PAGE_BITS, last);
    raise_top(m, last);
    for (u64 p = addr >> PAGE_BITS; p <= last; p++)
        memory_set_rights(m, p, (memory_rights(m, p) & (u8)~MEM_OLD) | flags);
}

void memory_allow(Memory *m, u64 addr, u64 size, u8 flags)
{
    if (!size)
        return;
    atomic_fetch_add(&m->changes, 1);
    set_rights(m, addr >> PAGE_BITS, ((addr + size - 1) >> PAGE_BITS) + 1, flags);
    atomic_fetch_add(&m->changes, 1);
}

void memory_retire(Memory *m, u64 addr, u64 size)
{
    if (size > MAX_OLD - m->old) {
        memory_unmap(m, addr, size);
        return;
    }
    memory_allow(m, addr, size, MEM_OLD);
    m->old += size;
}

void memory_unmap(Memory *m, u64 addr, u64 size)
{
    const u64 first = align_up(addr, PAGE_SIZE), end = (addr + size) & ~(u64)(PAGE_SIZE - 1);
    if (end <= first)
        return;
    assert(addr >= m->lo && addr + size <= m->end);
    for (u64 p = first >> PAGE_BITS; m->old && p < end >> PAGE_BITS; p++)
        m->old -= memory_rights(m, p) & MEM_OLD ? PAGE_SIZE : 0;
    set_rights(m, first >> PAGE_BITS, end >> PAGE_BITS, 0);
    madvise(m->base + first, end - first, MADV_DONTNEED);
}

bool memory_has(const Memory *m, u64 addr, u64 size, u8 flags)
{
    if (addr < m->lo || size > m->end - m->lo || addr > m->end - size)
        return false;
    if (!size)
        return true;
    for (u64 p = addr >> PAGE_BITS; p <= (addr + size - 1) >> PAGE_BITS; p++)
        if ((memory_rights(m, p) & flags) != flags)
            return false;
    return true;
}

void memory_clear(Memory *m, const DirtyList *d)
{
    for (size_t i = 0; i < d->n; i++)
        memset(m->base + ((u64)d->page[i] << PAGE_BITS), 0, PAGE_SIZE);
}

void memory_clean(Memory *m, DirtyList *d)
{
    memory_clear(m, d);
    for (size_t i = 0; i < d->n; i++)
        memory_set_rights(m, d->page[i], memory_rights(m, d->page[i]) & (u8)~MEM_W);
    d->n = 0;
}

/* The C library copies from 4 KiB to the size of a host's second cache by `rep movsb`, with which AMD's
 * Zen 3 and 4 take up to 20 times as long if only the source begins on a line: glibc has it so
 * until 2.39 (its bug 30994).  So such bytes are moved in parts for which it does not. */
__attribute__((noinline)) void memory_move_bytes(void *to, const void *from, u64 size)
{
    enum { LEAST = 4096, MOST = 1 << 20, PART = 2048, LINE = 64 };
    const u64 away = (u64)((uintptr_t)to - (uintptr_t)from);
    const bool overlap = away < size || 0 - away < size;
    const u64 part = size < LEAST || size > MOST || away % LINE == 0 || overlap ? size : PART;
    for (u64 at = 0, n; at < size; at += n) {
        n = part < size - at ? part : size - at;
        memmove((u8 *)to + at, (const u8 *)from + at, n);
    }
}

void memory_write(Memory *m, u64 addr, const void *from, u64 size)
{
    atomic_fetch_add(&m->changes, 1);
    memory_move_bytes(m->base + addr, from, size);
    atomic_fetch_add(&m->changes, 1);
}
