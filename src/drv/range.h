/* range.h -- sets of disjoint address ranges.
 *
 * A set is a treap: a search tree by address whose shape comes from a hash, so that
 * every operation takes O(log n) whatever the order of the calls.  Each node knows
 * the largest range of its subtree, which makes "the lowest range of at least n
 * bytes" one walk down.  An empty set is NULL.
 */
#ifndef DRV_RANGE_H
#define DRV_RANGE_H
#include "base/base.h"

typedef struct Range Range;
struct Range {
    u64 addr, size;         /* bytes; not to be changed while in a set */
    u64 slack;              /* of them, at the end: those that nobody asked for */
    u64 largest;            /* size in this subtree */
    u32 weight;             /* parents weigh more */
    Range *left, *right;
};

Range *range_new(u64 addr, u64 size); /* in no set; NULL: out of memory */
void range_insert(Range **set, Range *r);
void range_remove(Range **set, Range *r); /* r, which is in the set, is the caller's again */
void range_free_set(Range *set);

/* The range that starts at addr, or the nearest one that starts before; NULL: none. */
Range *range_before(Range *set, u64 addr);
/* The range that starts at addr, or the nearest one that starts after; NULL: none. */
Range *range_after(Range *set, u64 addr);
/* The lowest range of at least `size` bytes; NULL: none. */
Range *range_first_fit(Range *set, u64 size);

/* The address after the range. */
static inline u64 range_end(const Range *r) { return r->addr + r->size; }
#endif
