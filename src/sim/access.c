/* access.c -- one memory access by one lane, or by the warp, with all checks: views, translation,
 * rights, alignment, tracked and code pages.  The fast paths of handlers.h and lane.h leave to it
 * whatever is special. */
#include "sim/handlers.h"
#include "base/mem.h"
#include <string.h>

enum { LOADING, STORING };

static FaultKind page_fault(const Warp *w, int what)
{
    const bool translated = w->group->launch->mmu != NULL;
    return what == LOADING ? (translated ? FAULT_LOAD_PAGE : FAULT_LOAD)
                           : (translated ? FAULT_STORE_PAGE : FAULT_STORE);
}

/* whether a store to page p of m, which lacks MEM_W, is allowed all the same; notes the page if it
 * is */
static bool may_store(Warp *w, const Uop *u, Memory *m, u64 a, u32 width, int lane)
{
    Group *g = w->group;
    const u8 flags = memory_rights(m, a >> PAGE_BITS);
    if (flags & MEM_TRACKED) {
        DirtyList *d = m == &g->lds ? &g->lds_dirty : &g->pds_dirty;
        if (!array_grow(d->page, d->n, d->cap)) {
            fail(w, u, FAULT_NO_MEMORY, lane);
            return false;
        }
        d->page[d->n++] = (u32)(a >> PAGE_BITS);
        memory_set_rights(m, a >> PAGE_BITS, flags | MEM_W);
        return true;
    }
    if (flags & MEM_CODE) {
        if (!code_covers(warp_code(w), a, width))
            return true;
        fail_at(w, u, FAULT_STORE_CODE, lane, a, width);
        return false;
    }
    fail_at(w, u, page_fault(w, STORING), lane, a, width);
    return false;
}

/* whether a strict machine refuses the access: its bytes lie beyond the group's share of local
 * memory */
static bool beyond_lds(const Warp *w, u64 a, u32 width)
{
    const Launch *l = w->group->launch;
    return l->strict && a - LDS_LO < LDS_END - LDS_LO &&
           a + width > (u64)w->group->lds_base + l->lds;
}

bool access_private(Warp *w, const Uop *u, u64 a, u32 width, int lane)
{
    const Launch *l = w->group->launch;
    if (!l->strict || (a <= l->pds_lane && width <= l->pds_lane - a))
        return true;
    fail_at(w, u, FAULT_PRIVATE, lane, a, width);
    return false;
}

/* the host address of an access whose bytes lie in one page, or in pages side by side; NULL: a
 * fault */
static u8 *locate(Warp *w, const Uop *u, u64 a, u32 width, int lane, int what)
{
    const Launch *l = w->group->launch;
    Memory *m = (Memory *)view(w, a);
    const u8 need = what == LOADING ? MEM_R : MEM_W;
    u64 at = a;
    if (l->mmu && m == l->memory &&
        !mmu_translate(l->mmu, &w->group->tlb, a, what == LOADING ? PTE_R : PTE_W, &at)) {
        fail_at(w, u, page_fault(w, what), lane, a, width);
        return NULL;
    }
    if (l->check_copies && is_pending(w->group, a, width)) {
        fail_at(w, u, FAULT_COPY_EARLY, lane, a, width);
        return NULL;
    }
    if (beyond_lds(w, a, width) || at >= m->end || width > m->end - at) {
        fail_at(w, u, page_fault(w, what), lane, a, width);
        return NULL;
    }
    for (u64 p = at; p < at + width; p = (p | (PAGE_SIZE - 1)) + 1) {
        const u8 flags = memory_rights(m, p >> PAGE_BITS);
        if ((flags & need) == need)
            continue;
        if (what == STORING && (flags & (MEM_TRACKED | MEM_CODE)) &&
            may_store(w, u, m, p, (u32)(at + width - p), lane))
            continue;
        fail_at(w, u, page_fault(w, what), lane, a, width);
        return NULL;
    }
    return m->base + at;
}

/* whether the access must be done byte by byte: its pages need not lie side by side */
static bool is_torn(const Warp *w, u64 a, u32 width)
{
    return w->group->launch->mmu && (a & (PAGE_SIZE - 1)) + width > PAGE_SIZE;
}

static bool misaligned(Warp *w, const Uop *u, u64 a, u32 width, int lane, FaultKind kind)
{
    if (!w->group->launch->strict || !(a & (width - 1)))
        return false;
    fail_at(w, u, kind, lane, a, width);
    return true;
}

/* Extends one of the last two notes if the access continues it; a copy notes reads and writes in
 * turn. */
static bool add_to_note(Group *g, const Touch *t)
{
    for (size_t i = g->ntouched; i-- > 0 && i + 2 >= g->ntouched;) {
        Touch *last = &g->touched[i];
        if (last->lane == t->lane && last->addr + last->size == t->addr &&
            last->reads == t->reads && last->writes == t->writes) {
            last->size += t->size;
            return true;
        }
    }
    return false;
}

bool access_note(Warp *w, const Uop *u, u64 a, u32 width, int lane, bool reads, bool writes)
{
    Group *g = w->group;
    const Touch t = {a, width, (i8)lane, reads, writes};
    if (!g->notes || (g->ntouched && add_to_note(g, &t)))
        return true;
    if (!array_grow(g->touched, g->ntouched, g->captouched)) {
        fail(w, u, FAULT_NO_MEMORY, lane);
        return false;
    }
    g->touched[g->ntouched++] = t;
    return true;
}

bool access_note_lanes(Warp *w, const Uop *u, u32 lo, u32 hi, u32 width, bool writes)
{
    Group *g = w->group;
    if (g->notes == NOTE_ROWS)
        return access_note(w, u, lo, hi - lo + width, TOUCH_ROW, !writes, writes);
    while (g->captouched < g->ntouched + MAX_LANES) {
        const size_t n = g->ntouched;
        g->ntouched = g->captouched;
        const bool ok = array_grow(g->touched, g->ntouched, g->captouched);
        g->ntouched = n;
        if (!ok) {
            fail(w, u, FAULT_NO_MEMORY, -1);
            return false;
        }
    }
    Touch *to = g->touched + g->ntouched;
    for (u32 left = w->exec; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        *to++ = (Touch){w->addr[i], width, (i8)i, !writes, writes};
    }
    g->ntouched = (size_t)(to - g->touched);
    return true;
}

bool access_load_checked(Warp *w, const Uop *u, u64 a, u32 width, int lane, u32 *value)
{
    *value = 0;
    if (misaligned(w, u, a, width, lane, FAULT_LOAD_MISALIGNED))
        return false;
    const u32 part = is_torn(w, a, width) ? 1 : width;
    for (u32 i = 0; i < width; i += part) {
        const u8 *p = locate(w, u, a + i, part, lane, LOADING);
        if (!p)
            return false;
        *value |= memory_get(p, part) << 8 * i;
    }
    return access_note(w, u, a, width, lane, true, false);
}

bool access_store_checked(Warp *w, const Uop *u, u64 a, u32 width, int lane, u32 value)
{
    if (w->group->reservations)
        drop_reservations(w->group, a, width);
    if (misaligned(w, u, a, width, lane, FAULT_STORE_MISALIGNED))
        return false;
    const u32 part = is_torn(w, a, width) ? 1 : width;
    /* all parts are located first: a torn store is done whole or not at all */
    for (u32 i = 0; i < width; i += part)
        if (!locate(w, u, a + i, part, lane, STORING))
            return false;
    for (u32 i = 0; i < width; i += part)
        memory_put(locate(w, u, a + i, part, lane, STORING), part, value >> 8 * i);
    return access_note(w, u, a, width, lane, false, true);
}

u32 *access_atomic(Warp *w, const Uop *u, u64 a, int lane)
{
    if (a & 3) {
        fail_at(w, u, FAULT_ATOMIC_MISALIGNED, lane, a, 4);
        return NULL;
    }
    if (!locate(w, u, a, 4, lane, LOADING))
        return NULL;
    return (u32 *)(void *)locate(w, u, a, 4, lane, STORING);
}

void drop_reservations(Group *g, u64 addr, u32 width)
{
    for (u32 k = 0; k < g->nwarps; k++) {
        Warp *w = &g->warps[k];
        if (!w->reserved)
            continue;
        for (u32 left = w->reserved; left; left &= left - 1) {
            const int i = __builtin_ctz(left);
            if (addr < w->reserved_addr[i] + 4 && w->reserved_addr[i] < addr + width)
                w->reserved &= ~(1u << i);
        }
        g->reservations -= !w->reserved;
    }
}
