/* pages.h -- a table from pages of guest memory to what a check keeps of them. */
#ifndef CHECK_PAGES_H
#define CHECK_PAGES_H
#include "base/base.h"

typedef struct {
    u64 key; /* number of the page + 1; 0: free */
    void *page;
} PageSlot;

enum { RECENT_PAGES = 64 };

/* Zeroed: empty.  Its owner frees what it points to, then calls pages_clear(). */
typedef struct {
    PageSlot *slot;                /* by a hash of the number */
    size_t n, cap;                 /* cap: 0 or a power of two */
    PageSlot recent[RECENT_PAGES]; /* that were asked for; NULL: is not there */
} Pages;

void *pages_look_up(Pages *p, u64 number);
/* What is kept of the page of this number (address / PAGE_SIZE); NULL: nothing. */
static inline void *pages_find(Pages *p, u64 number)
{
    const PageSlot *s = &p->recent[number % RECENT_PAGES];
    return s->key == number + 1 ? s->page : pages_look_up(p, number);
}
/* The page must not be there yet.  False: out of memory. */
bool pages_add(Pages *p, u64 number, void *page);
/* The pages one after the other, from *i = 0 on; NULL: there are no more. */
void *pages_next(const Pages *p, size_t *i);
void pages_clear(Pages *p);
#endif
