/* sets.c -- the sets of the proof of allocation (proof.h). */
#include "cc/proof.h"
#include "base/mem.h"
#include <string.h>

enum { MOST = 1 << 26 }; /* things in all sets together: what needs more is not proved */

u32 hash_words(const u32 *list, u32 n)
{
    u32 h = 2166136261u;
    for (u32 k = 0; k < n; k++)
        h = (h ^ list[k]) * 16777619u + (h >> 15);
    return h;
}

static void grow_buckets(Sets *s)
{
    const size_t n = s->nbucket ? s->nbucket * 2 : 1024;
    u32 *bucket = mem_zalloc(n, sizeof *bucket);
    if (!bucket) {
        s->failed = true;
        return;
    }
    for (u32 k = 1; k < s->nset; k++) {
        size_t at = hash_words(s->pool + s->set[k].first, s->set[k].n) & (n - 1);
        while (bucket[at])
            at = (at + 1) & (n - 1);
        bucket[at] = k + 1;
    }
    mem_free(s->bucket);
    s->bucket = bucket;
    s->nbucket = n;
}

static u32 add_set(Sets *s, const u32 *list, u32 n)
{
    while (!s->failed && s->cappool - s->npool <= n)
        s->failed = !array_grow(s->pool, s->cappool, s->cappool);
    if (!array_grow(s->set, s->nset, s->capset))
        s->failed = true;
    if (s->failed)
        return 0;
    if (n)
        memcpy(s->pool + s->npool, list, n * sizeof *list);
    s->set[s->nset] = (Set){(u32)s->npool, n};
    s->npool += n;
    return (u32)s->nset++;
}

/* the number of the set of these n things, which ascend and are not in Sets.pool */
static u32 find_set(Sets *s, const u32 *list, u32 n)
{
    s->full |= s->npool + n > MOST;
    if (!n || s->failed || s->full)
        return 0;
    if (s->nset * 2 >= s->nbucket)
        grow_buckets(s);
    if (s->failed)
        return 0;
    size_t at = hash_words(list, n) & (s->nbucket - 1);
    for (; s->bucket[at]; at = (at + 1) & (s->nbucket - 1)) {
        const Set t = s->set[s->bucket[at] - 1];
        if (t.n == n && !memcmp(s->pool + t.first, list, n * sizeof *list))
            return s->bucket[at] - 1;
    }
    const u32 new = add_set(s, list, n);
    s->bucket[at] = new + 1;
    return new;
}

/* the index in the pool of the first thing of the set that is not below `thing` */
static u32 search(const Sets *s, u32 set, u32 thing)
{
    u32 low = s->set[set].first, high = low + s->set[set].n;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (s->pool[middle] < thing)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool set_has(const Sets *s, u32 set, u32 thing)
{
    const u32 at = search(s, set, thing);
    return at < s->set[set].first + s->set[set].n && s->pool[at] == thing;
}

/* Writes the result to Sets.list, which has room for it; how many things it has. */
static u32 combine(Sets *s, How how, u32 a, u32 other)
{
    const u32 *from = s->pool + s->set[a].first, *end = from + s->set[a].n;
    u32 n = 0;
    if (how == COMMON) {
        for (; from < end; from++)
            if (set_has(s, other, *from))
                s->list[n++] = *from;
        return n;
    }
    while (from < end && *from < other)
        s->list[n++] = *from++;
    if (how == WITH)
        s->list[n++] = other;
    else
        from++;
    while (from < end)
        s->list[n++] = *from++;
    return n;
}

static u32 set_of(Sets *s, How how, u32 a, u32 other)
{
    const u32 key[] = {how, a, other};
    Known *k = &s->known[hash_words(key, countof(key)) % countof(s->known)];
    if (k->how == how && k->a == a && k->other == other)
        return k->result;
    while (s->caplist <= s->set[a].n)
        if (!array_grow(s->list, s->caplist, s->caplist)) {
            s->failed = true;
            return 0;
        }
    const u32 n = combine(s, how, a, other);
    *k = (Known){how, a, other, find_set(s, s->list, n)};
    return k->result;
}

u32 set_with(Sets *s, u32 set, u32 thing)
{
    return set_has(s, set, thing) ? set : set_of(s, WITH, set, thing);
}

u32 set_without(Sets *s, u32 set, u32 thing)
{
    return set_has(s, set, thing) ? set_of(s, WITHOUT, set, thing) : set;
}

u32 set_common(Sets *s, u32 a, u32 b) { return a == b ? a : set_of(s, COMMON, a, b); }

void sets_init(Sets *s) { add_set(s, NULL, 0); }

void sets_free(Sets *s)
{
    mem_free(s->pool);
    mem_free(s->set);
    mem_free(s->bucket);
    mem_free(s->list);
}
