/* hotlist.c -- which kernels of a program earlier runs have left code for, or how long they interpreted them.
 *
 * A list is kept in the cache beside the code (jit/maker.c), for each program, which a hash of its code
 * names.  With it a launch takes code from the disk before it begins, where one without interprets for a while
 * to find out what is hot; and what a program interprets for a short time is made when it has run often.  The list
 * names entries that warps begin in.  It is read before the first launch, or the second if that is small
 * (entries_prepare), and written when code was made or time has passed that it does not say.  Nothing depends on it:
 * whatever it says, somebody looks once in vain, or makes code that was not worth it.
 */
#include "jit/hotlist.h"
#include "base/mem.h"
#include "comp/cache.h"
#include "comp/comp.h"
#include "jit/siphash.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An entry, as the list names it. */
typedef struct {
    u32 pc, callee;
    u32 heat; /* multiples of STEP, HEAT_HOTTEST at most, for which it was interpreted, if it has no code */
    u8 lanes, vm, shape, has_code;
} HotEntry;
enum { FULL = 1, ALONE = 2, LINE = 4 }; /* HotEntry.shape: of WarpShape; LINE times 1 + its logarithm */
enum { STEP = HEAT_LUKEWARM };

static u8 shape_of(const WarpShape *w)
{
    return (u8)(w->full * FULL + w->alone * ALONE +
                (w->line ? LINE * (1 + __builtin_ctz(w->line)) : 0));
}

static WarpShape warp_of(u8 shape)
{
    const u32 line = shape / LINE;
    return (WarpShape){.full = shape & FULL,
                       .fresh = true,
                       .alone = shape & ALONE,
                       .line = (u8)(line ? 1u << ((line - 1) & 7) : 0)};
}

static const u8 key_of_hashes[16] = {0};

/* The same whatever their order: that of a table's lists is the opposite of the order in which they were made. */
static u64 hash_entry(const HotEntry *x) { return siphash(key_of_hashes, x, sizeof *x); }

/* A hash of all bytes that may be executed, and where they lie. */
static u64 code_hash(const Memory *m)
{
    const u64 past = CODE_END >> PAGE_BITS;
    u64 h = 0;
    for (u64 p = CODE_LO >> PAGE_BITS; (p = memory_next_page(m, p, past)) < past; p++)
        if (memory_rights(m, p) & MEM_X) {
            const u64 page[3] = {h, p,
                                 siphash(key_of_hashes, m->base + (p << PAGE_BITS), PAGE_SIZE)};
            h = siphash(key_of_hashes, page, sizeof page);
        }
    return h;
}

static void put_key(const Entries *t, Buf *key)
{
    buf_printf(key, "hot entries, ventus " VERSION ", %s, set %u\n%016llx\n", t->level,
               (unsigned)t->code->set, (unsigned long long)t->hotlist.program);
}

void hotlist_read(Entries *t)
{
    Hotlist *h = &t->hotlist;
    Buf key = {0}, list = {0};
    char *dir = comp_cache_directory();
    if (dir) {
        h->program = code_hash(t->memory);
        put_key(t, &key);
        if (key.failed || !cache_get(dir, &key, &list) || list.len > MOST_HOT * sizeof(HotEntry))
            list.len = 0;
    }
    for (size_t i = 0; (i + 1) * sizeof(HotEntry) <= list.len; i++) {
        HotEntry x;
        memcpy(&x, list.data + i * sizeof x, sizeof x);
        Entry *e = entries_find(t, x.pc, x.callee, warp_of(x.shape), x.lanes, (VmRule)x.vm);
        h->known += hash_entry(&x);
        if (e && x.has_code) {
            atomic_store(&e->is_hot, true);
            h->entry[h->n++] = e;
        } else if (e && atomic_load(&e->heat) < (u64)x.heat * STEP) {
            atomic_store(&e->heat, (u64)x.heat * STEP);
        }
    }
    atomic_store_explicit(&h->is_read, true, memory_order_release);
    buf_free(&key);
    buf_free(&list);
    mem_free(dir);
}

/* What later runs should know of an entry.  False: nothing. */
static bool describe(const Entry *e, HotEntry *x)
{
    const u64 heat = atomic_load(&e->heat) / STEP;
    *x = (HotEntry){.pc = e->pc,
                    .callee = e->callee,
                    .lanes = e->lanes,
                    .vm = e->vm,
                    .shape = shape_of(&e->warp)};
    x->has_code |=
        atomic_load(&e->is_hot) && !atomic_load(&e->has_looked); /* it was not launched */
    for (int k = 0; k < NCODES; k++)
        x->has_code |= e->is_bequeathed[k] ||
                       atomic_load_explicit(&e->state[k], memory_order_acquire) == READY;
    if (!x->has_code)
        x->heat = (u32)(heat < HEAT_HOTTEST / STEP ? heat : HEAT_HOTTEST / STEP);
    return (x->has_code || x->heat) && e->warp.fresh && !e->warp.deep && !e->warp.base;
}

void hotlist_write(Entries *t)
{
    Buf key = {0}, list = {0};
    HotEntry x;
    u64 known = 0;
    char *dir = NULL;
    if (!t->hotlist.is_read || t->waits || t->owner != getpid())
        return;
    EntryWalk w = {.page = t->page, .n = t->end};
    for (const Entry *e; list.len < MOST_HOT * sizeof x && (e = entries_next(&w));)
        if (describe(e, &x)) {
            buf_put(&list, &x, sizeof x);
            known += hash_entry(&x);
        }
    if (known != t->hotlist.known && (dir = comp_cache_directory())) {
        put_key(t, &key);
        if (!key.failed && !list.failed)
            cache_put(dir, &key, &list);
        t->hotlist.known = known;
    }
    buf_free(&key);
    buf_free(&list);
    mem_free(dir);
}
