/* hotlist.c -- which kernels of a program earlier runs have left code for.
 *
 * A list is kept in the cache beside the code (jit/maker.c), for each program, which a hash of its code
 * names.  With it a launch takes code from the disk before it begins, where one without interprets for a while
 * to find out what is hot.  It is read before the first launch, and written when there is code of more entries than it
 * names: of those that warps begin in.  Nothing depends on what it says: for entries that have no code on the disk
 * somebody looks once, in vain.
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
    u8 lanes, vm, full, zero;
} HotEntry;

/* A hash of all bytes that may be executed, and where they lie. */
static u64 code_hash(const Memory *m)
{
    static const u8 key[16] = {0};
    const u64 past = CODE_END >> PAGE_BITS;
    u64 h = 0;
    for (u64 p = CODE_LO >> PAGE_BITS; (p = memory_next_page(m, p, past)) < past; p++)
        if (memory_rights(m, p) & MEM_X) {
            const u64 page[3] = {h, p, siphash(key, m->base + (p << PAGE_BITS), PAGE_SIZE)};
            h = siphash(key, page, sizeof page);
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
        if (!key.failed && cache_get(dir, &key, &list) && list.len % sizeof(HotEntry) == 0)
            h->known = list.len / sizeof(HotEntry);
    }
    for (size_t i = 0; i < h->known && h->n < MOST_HOT; i++) {
        HotEntry x;
        memcpy(&x, list.data + i * sizeof x, sizeof x);
        const WarpShape begins = {.full = x.full, .fresh = true};
        Entry *e = entries_find(t, x.pc, x.callee, begins, x.lanes, (VmRule)x.vm);
        if (e) {
            e->is_hot = true;
            h->entry[h->n++] = e;
        }
    }
    atomic_store_explicit(&h->is_read, true, memory_order_release);
    buf_free(&key);
    buf_free(&list);
    mem_free(dir);
}

/* Whether later runs should look for code of it. */
static bool is_hot(const Entry *e)
{
    bool has = e->is_hot && !atomic_load(&e->has_looked); /* it was not launched */
    for (int k = 0; k < NCODES; k++)
        has |= atomic_load_explicit(&e->state[k], memory_order_acquire) == READY;
    return has && e->warp.fresh && !e->warp.deep && !e->warp.base;
}

void hotlist_write(Entries *t)
{
    Buf key = {0}, list = {0};
    size_t n = 0;
    char *dir = NULL;
    if (!t->hotlist.is_read || t->owner != getpid())
        return;
    for (u32 p = 0; p < t->end; p++) {
        const EntryPage *page = atomic_load(&t->page[p]);
        for (u32 i = 0; page && i < PAGE_UOPS; i++)
            for (const Entry *e = atomic_load(&page->at[i]); e && n < MOST_HOT; e = e->next) {
                const HotEntry x = {.pc = e->pc,
                                    .callee = e->callee,
                                    .lanes = e->lanes,
                                    .vm = e->vm,
                                    .full = e->warp.full};
                if (!is_hot(e))
                    continue;
                buf_put(&list, &x, sizeof x);
                n++;
            }
    }
    if (n > t->hotlist.known && (dir = comp_cache_directory())) {
        put_key(t, &key);
        if (!key.failed && !list.failed)
            cache_put(dir, &key, &list);
        t->hotlist.known = n;
    }
    buf_free(&key);
    buf_free(&list);
    mem_free(dir);
}
