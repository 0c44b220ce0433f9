/* pages.c -- a hash table with open addressing, and before it the pages that were used last. */
#include "check/pages.h"
#include "base/mem.h"
#include <string.h>

/* the slot of the page, or a free one; there must be one */
static PageSlot *slot_of(PageSlot *table, size_t cap, u64 number)
{
    size_t i = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (cap - 1);
    while (table[i].key && table[i].key != number + 1)
        i = (i + 1) & (cap - 1);
    return &table[i];
}

void *pages_look_up(Pages *p, u64 number)
{
    const PageSlot *s = p->cap ? slot_of(p->slot, p->cap, number) : NULL;
    void *page = s ? s->page : NULL;
    p->recent[number % RECENT_PAGES] = (PageSlot){number + 1, page};
    return page;
}

static bool grow(Pages *p)
{
    const size_t cap = p->cap ? p->cap * 2 : 1024;
    PageSlot *more = mem_zalloc(cap, sizeof *more);
    if (!more)
        return false;
    for (size_t i = 0; i < p->cap; i++)
        if (p->slot[i].key)
            *slot_of(more, cap, p->slot[i].key - 1) = p->slot[i];
    mem_free(p->slot);
    p->slot = more;
    p->cap = cap;
    return true;
}

bool pages_add(Pages *p, u64 number, void *page)
{
    if (p->n * 2 >= p->cap && !grow(p))
        return false;
    const PageSlot s = {number + 1, page};
    *slot_of(p->slot, p->cap, number) = p->recent[number % RECENT_PAGES] = s;
    p->n++;
    return true;
}

void *pages_next(const Pages *p, size_t *i)
{
    while (*i < p->cap && !p->slot[*i].key)
        ++*i;
    return *i < p->cap ? p->slot[(*i)++].page : NULL;
}

void pages_clear(Pages *p)
{
    mem_free(p->slot);
    memset(p, 0, sizeof *p);
}
