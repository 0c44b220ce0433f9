/* range.c -- sets of address ranges as treaps (range.h): split and join, and all else made from
 * them. */
#include "drv/range.h"
#include "base/mem.h"

/* a hash of the address; multiplying by an odd number spreads page numbers over all bits */
static u32 weight_of(u64 addr) { return (u32)((addr ^ addr >> 12) * 0x9e3779b97f4a7c15u >> 32); }

Range *range_new(u64 addr, u64 size)
{
    Range *r = mem_zalloc(1, sizeof *r);
    if (r)
        *r = (Range){.addr = addr, .size = size};
    return r;
}

static u64 largest(const Range *r) { return r ? r->largest : 0; }

static void update(Range *r)
{
    r->largest = r->size;
    if (largest(r->left) > r->largest)
        r->largest = r->left->largest;
    if (largest(r->right) > r->largest)
        r->largest = r->right->largest;
}

/* what starts before addr goes to *low, the rest to *high */
static void split(Range *set, u64 addr, Range **low, Range **high)
{
    if (!set) {
        *low = *high = NULL;
        return;
    }
    if (set->addr < addr) {
        split(set->right, addr, &set->right, high);
        *low = set;
    } else {
        split(set->left, addr, low, &set->left);
        *high = set;
    }
    update(set);
}

/* every range of low starts before those of high */
static Range *join(Range *low, Range *high)
{
    if (!low || !high)
        return low ? low : high;
    if (low->weight > high->weight) {
        low->right = join(low->right, high);
        update(low);
        return low;
    }
    high->left = join(low, high->left);
    update(high);
    return high;
}

void range_insert(Range **set, Range *r)
{
    Range *low, *high;
    r->left = r->right = NULL;
    r->weight = weight_of(r->addr);
    update(r);
    split(*set, r->addr, &low, &high);
    *set = join(join(low, r), high);
}

void range_remove(Range **set, Range *r)
{
    Range *low, *high, *self;
    split(*set, r->addr, &low, &high);
    split(high, r->addr + 1, &self, &high);
    assert(self == r);
    *set = join(low, high);
}

void range_free_set(Range *set)
{
    if (!set)
        return;
    range_free_set(set->left);
    range_free_set(set->right);
    mem_free(set);
}

Range *range_before(Range *set, u64 addr)
{
    Range *best = NULL;
    while (set) {
        if (set->addr <= addr)
            best = set;
        set = set->addr <= addr ? set->right : set->left;
    }
    return best;
}

Range *range_after(Range *set, u64 addr)
{
    Range *best = NULL;
    while (set) {
        if (set->addr >= addr)
            best = set;
        set = set->addr >= addr ? set->left : set->right;
    }
    return best;
}

Range *range_first_fit(Range *set, u64 size)
{
    if (largest(set) < size)
        return NULL;
    for (;;) {
        if (largest(set->left) >= size)
            set = set->left;
        else if (set->size >= size)
            return set;
        else
            set = set->right;
    }
}
