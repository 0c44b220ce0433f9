/* unwritten.c -- shadows of memory.
 *
 * A page without a shadow is written, or, if it is new to each group, unwritten; so is one whose
 * shadow is of another group.  Most pages are wholly written or wholly not: these have no bytes.
 */
#include "check/unwritten.h"
#include "base/mem.h"
#include "mach/memory.h"
#include <string.h>

#define ALL UINT32_MAX

typedef struct {
    u64 group; /* of new memory: it is of this group */
    u8 all;    /* without bytes: each of them */
    u8 *byte;  /* [PAGE_SIZE], or NULL */
} ShadowPage;

void unwritten_free(Unwritten *t)
{
    ShadowPage *p;
    for (size_t i = 0; (p = pages_next(&t->pages, &i));) {
        mem_free(p->byte);
        mem_free(p);
    }
    pages_clear(&t->pages);
}

/* The page, with a shadow now if there is memory for one. */
static ShadowPage *make_page(Unwritten *t, u64 number)
{
    ShadowPage *p = pages_find(&t->pages, number);
    if (p)
        return p;
    p = mem_zalloc(1, sizeof *p);
    if (!p || !pages_add(&t->pages, number, p)) {
        mem_free(p);
        t->failed = true;
        return NULL;
    }
    return p;
}

/* Sets all of the page. */
static void set_page(ShadowPage *p, u8 all)
{
    mem_free(p->byte);
    p->byte = NULL;
    p->all = all;
}

/* Gives the page bytes. */
static bool make_bytes(Unwritten *t, ShadowPage *p)
{
    if (p->byte)
        return true;
    if (!(p->byte = mem_alloc(PAGE_SIZE))) {
        t->failed = true;
        return false;
    }
    memset(p->byte, p->all, PAGE_SIZE);
    return true;
}

/* Sets `size` bytes from the `at`th on. */
static void fill_bytes(Unwritten *t, ShadowPage *p, u32 at, u8 with, u32 size)
{
    if (size == PAGE_SIZE)
        set_page(p, with);
    else if ((p->byte || p->all != with) && make_bytes(t, p))
        memset(p->byte + at, with, size);
}

/* bytes from addr on that are in its page, at most size */
static u32 in_page(u64 addr, u64 size)
{
    const u32 left = PAGE_SIZE - (u32)(addr & (PAGE_SIZE - 1));
    return left < size ? left : (u32)size;
}

u32 unwritten_load(Unwritten *t, u64 addr, u32 size, bool is_new)
{
    u32 s = 0;
    for (u32 i = 0, n; i < size; i += n) {
        const ShadowPage *p = pages_find(&t->pages, (addr + i) >> PAGE_BITS);
        u32 part = 0;
        n = in_page(addr + i, size - i);
        if (is_new && (!p || p->group != t->group))
            part = ALL;
        else if (p && p->byte)
            memcpy(&part, p->byte + ((addr + i) & (PAGE_SIZE - 1)), n);
        else if (p)
            part = p->all ? ALL : 0;
        s |= (n < 4 ? part & ((1u << n * 8) - 1) : part) << i * 8;
    }
    return s;
}

/* The page for a store; NULL: nothing is to be noted there. */
static ShadowPage *page_to_store(Unwritten *t, u64 number, bool is_new, bool is_written)
{
    ShadowPage *p = is_new || !is_written ? make_page(t, number) : pages_find(&t->pages, number);
    if (p && is_new && p->group != t->group) {
        p->group = t->group;
        if (p->byte)
            memset(p->byte, 0xff, PAGE_SIZE); /* it will be needed again */
        p->all = 0xff;
    }
    return p && is_written && !p->byte && !p->all ? NULL : p;
}

void unwritten_store(Unwritten *t, u64 addr, u32 size, u32 shadow, bool is_new)
{
    for (u32 i = 0, n; i < size; i += n) {
        ShadowPage *p = page_to_store(t, (addr + i) >> PAGE_BITS, is_new, !shadow);
        const u32 part = shadow >> i * 8;
        n = in_page(addr + i, size - i);
        if (p && make_bytes(t, p))
            memcpy(p->byte + ((addr + i) & (PAGE_SIZE - 1)), &part, n);
    }
}

void unwritten_fill(Unwritten *t, u64 addr, u64 size, u8 with)
{
    for (u64 n; size; addr += n, size -= n) {
        n = in_page(addr, size);
        ShadowPage *p = page_to_store(t, addr >> PAGE_BITS, false, !with);
        if (p)
            fill_bytes(t, p, addr & (PAGE_SIZE - 1), with, (u32)n);
    }
}

static bool is_zero(const u8 *byte, u32 n)
{
    u64 any = 0, word;
    for (; n >= 8; n -= 8, byte += 8) {
        memcpy(&word, byte, 8);
        any |= word;
    }
    for (; n; n--)
        any |= *byte++;
    return !any;
}

enum { FEW_BYTES = 512 };

bool unwritten_has_none(Unwritten *t, u64 addr, u64 size, bool is_new)
{
    for (u64 n; size; addr += n, size -= n) {
        const ShadowPage *p = pages_find(&t->pages, addr >> PAGE_BITS);
        n = in_page(addr, size);
        const bool is_known = p && (!is_new || p->group == t->group);
        if (!is_known  ? is_new
            : !p->byte ? p->all
                       : n > FEW_BYTES || !is_zero(p->byte + (addr & (PAGE_SIZE - 1)), (u32)n))
            return false;
    }
    return true;
}

bool unwritten_has_none_at(Unwritten *t, const u32 addr[], u32 lanes, bool is_new)
{
    const ShadowPage *p = NULL;
    u32 number = UINT32_MAX, any = 0;
    for (; lanes && !any; lanes &= lanes - 1) {
        const u32 at = addr[__builtin_ctz(lanes)], in = at & (PAGE_SIZE - 1);
        if (at >> PAGE_BITS != number) {
            number = at >> PAGE_BITS;
            p = pages_find(&t->pages, number);
        }
        if ((is_new && (!p || p->group != t->group)) || in > PAGE_SIZE - 4)
            return false;
        u32 word = p && p->all ? ALL : 0;
        if (p && p->byte)
            memcpy(&word, p->byte + in, sizeof word);
        any |= word;
    }
    return !any;
}

bool unwritten_clear(Unwritten *t, u64 addr, u32 size, bool is_new)
{
    if (in_page(addr, size) < size)
        return false;
    ShadowPage *p = page_to_store(t, addr >> PAGE_BITS, is_new, true);
    if (p)
        fill_bytes(t, p, addr & (PAGE_SIZE - 1), 0, size);
    return true;
}
