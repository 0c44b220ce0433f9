/* entries.c -- the table of entries, and the making of their code. */
#include "jit/entries.h"
#include "base/mem.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HOT = 200000 /* instructions of an entry that were interpreted: now compile */ };

/* --- the table -----------------------------------------------------------------------------------
 */

static Entry *look(Entries *t, u32 pc, u32 callee, bool full, const Launch *l)
{
    const u32 at = pc - CODE_LO;
    if (at >= CODE_END - CODE_LO)
        return NULL;
    EntryPage *page = atomic_load_explicit(&t->page[at >> PAGE_BITS], memory_order_acquire);
    Entry *e =
        page ? atomic_load_explicit(&page->at[at >> 2 & (PAGE_UOPS - 1)], memory_order_acquire)
             : NULL;
    while (e && (e->pc != pc || e->callee != callee || e->full != full || e->lanes != l->lanes ||
                 e->vm != (u8)l->vm))
        e = e->next;
    return e;
}

Entry *entries_find(Entries *t, u32 pc, u32 callee, bool full, const Launch *l)
{
    Entry *e = look(t, pc, callee, full, l);
    const u32 at = pc - CODE_LO;
    if (e || at >= CODE_END - CODE_LO || pc & 3)
        return e;
    pthread_mutex_lock(&t->lock);
    _Atomic(EntryPage *) *slot = &t->page[at >> PAGE_BITS];
    EntryPage *page = atomic_load(slot);
    if (!page && (page = mem_zalloc(1, sizeof *page)))
        atomic_store_explicit(slot, page, memory_order_release);
    if (page && !(e = look(t, pc, callee, full, l)) && (e = mem_zalloc(1, sizeof *e))) {
        _Atomic(Entry *) *first = &page->at[at >> 2 & (PAGE_UOPS - 1)];
        e->pc = pc;
        e->callee = callee;
        e->full = full;
        e->lanes = (u8)l->lanes;
        e->vm = (u8)l->vm;
        e->next = atomic_load(first);
        atomic_store_explicit(first, e, memory_order_release);
    }
    pthread_mutex_unlock(&t->lock);
    return e;
}

static void entry_free(Entries *t, Entry *e)
{
    if (t->current == e)
        t->current = NULL;
    for (int k = 0; k < NCODES; k++)
        code_unload(&e->code[k]);
    region_free(e->region);
    mem_free((void *)e->uop);
    mem_free(e);
}

/* Whether the region has instructions, or looked at any, in code pages first..last. */
static bool touches(const Entry *e, u32 first, u32 last)
{
    const Region *r = e->region;
#define IN(pc) (((pc)-CODE_LO) >> PAGE_BITS >= first && ((pc)-CODE_LO) >> PAGE_BITS <= last)
    for (u32 i = 0; r && i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        if (b->end == END_SPLIT && IN(b->meet_pc))
            return true;
        for (u32 k = 0; k < b->nuop; k++)
            if (IN(b->uop[k]->pc))
                return true;
    }
    return IN(e->pc);
#undef IN
}

void entries_forget(Entries *t, u32 first, u32 last)
{
    const int flags = atomic_exchange(&t->flags, FLAGS_UNKNOWN);
    if (flags != FLAGS_UNKNOWN)
        t->flags_before = flags;
    pthread_mutex_lock(&t->lock);
    memset(t->queue, 0, sizeof t->queue);
    for (u32 p = 0; p < CODE_PAGES; p++) {
        EntryPage *page = atomic_load(&t->page[p]);
        for (u32 i = 0; page && i < PAGE_UOPS; i++) {
            Entry *kept = NULL;
            for (Entry *e = atomic_load(&page->at[i]), *next; e; e = next) {
                next = e->next;
                if (touches(e, first, last)) {
                    entry_free(t, e);
                    continue;
                }
                for (int k = 0; k < NCODES; k++)
                    if (atomic_load(&e->state[k]) == QUEUED && e != t->current)
                        atomic_store(&e->state[k], COLD);
                e->next = kept;
                kept = e;
            }
            atomic_store(&page->at[i], kept);
        }
    }
    pthread_mutex_unlock(&t->lock);
}

/* --- making code ---------------------------------------------------------------------------------
 */

/* Whether something in the code window may look at the flags of floats.  Data that looks so does no
 * harm: code runs slower then. */
static bool reads_flags(const Memory *m)
{
    for (u64 p = CODE_LO >> PAGE_BITS; p < CODE_END >> PAGE_BITS; p++) {
        const u8 *bytes = m->base + (p << PAGE_BITS);
        for (u32 i = 0; m->page[p] & MEM_X && i < PAGE_SIZE; i += 4) {
            u32 word;
            memcpy(&word, bytes + i, 4);
            const u32 csr = word >> 20;
            if ((word & 0x7f) == 0x73 && word & 0x3000 && isa_csr_state(csr, false) & STATE_FFLAGS)
                return true;
        }
    }
    return false;
}

void entries_settle(Entries *t)
{
    if (atomic_load(&t->flags) != FLAGS_UNKNOWN || !atomic_load(&t->regions))
        return;
    pthread_mutex_lock(&t->stable);
    if (atomic_load(&t->flags) == FLAGS_UNKNOWN) {
        const int flags = reads_flags(t->memory) ? FLAGS_READ : FLAGS_UNREAD;
        if (flags != t->flags_before)
            entries_forget(t, 0, CODE_PAGES);
        atomic_store(&t->flags, flags);
    }
    pthread_mutex_unlock(&t->stable);
}

static u64 now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static const Uop **flatten(const Region *r)
{
    size_t n = 0;
    for (u32 i = 0; i < r->nblock; i++)
        n += r->block[i].nuop;
    const Uop **all = mem_zalloc(n ? n : 1, sizeof *all);
    for (u32 i = 0, k = 0; all && i < r->nblock; k += r->block[i++].nuop)
        memcpy((void *)&all[k], (const void *)r->block[i].uop, r->block[i].nuop * sizeof *all);
    return all;
}

/* The region of an entry, once.  False: there is none that is worth it. */
static bool find_region(Entries *t, Entry *e)
{
    if (e->region)
        return true;
    if (atomic_load(&t->flags) == FLAGS_UNKNOWN)
        atomic_store(&t->flags, reads_flags(t->memory) ? FLAGS_READ : FLAGS_UNREAD);
    Region *r = region_new(t->code, e->pc, e->full, e->callee, e->lanes, (VmRule)e->vm,
                           atomic_load(&t->flags) == FLAGS_READ);
    /* what only leaves again is no gain */
    const bool idle = r && r->block[0].end == END_LEAVE && r->block[0].nuop == 1;
    e->uop = r && !idle ? flatten(r) : NULL;
    if (e->uop) {
        e->region = r;
        return true;
    }
    region_free(r);
    return false;
}

static bool open_maker(Entries *t)
{
    const char *why;
    if (maker_available(&why)) {
        Maker *m = maker_open(t->level);
        pthread_mutex_lock(&t->lock);
        t->maker = m;
        if (m && t->is_closing)
            maker_cancel(m);
        pthread_mutex_unlock(&t->lock);
    }
    atomic_store(&t->broken, !t->maker);
    return t->maker;
}

/* Makes code of the entry, which is `current`; the caller has `making`.
 *
 *   1. while decoded code stays: the region, and the order for its code
 *   2. without a lock: the code
 *   3. the code becomes the entry's, if that is still there */
static void make(Entries *t, Entry *e, CodeKind kind)
{
    const u64 start = now();
    MakerOrder order = {.digest = 0};
    Loaded code = {NULL, 0, NULL};
    bool cached = false;

    pthread_mutex_lock(&t->stable);
    pthread_mutex_lock(&t->lock);
    const bool stays = t->current == e;
    pthread_mutex_unlock(&t->lock);
    bool ok = stays && (t->maker || open_maker(t)) && find_region(t, e);
    if (ok)
        order = maker_order(t->maker, e->region, t->code, kind == CODE_HEADERS);
    pthread_mutex_unlock(&t->stable);

    ok = ok && maker_make(t->maker, &order, &code, &cached);
    maker_forget(&order);

    pthread_mutex_lock(&t->lock);
    if (t->current == e) {
        e->code[kind] = code;
        atomic_store_explicit(&e->state[kind], ok ? READY : FAILED, memory_order_release);
        atomic_fetch_add(&t->regions, ok);
        atomic_fetch_add(&t->cached, cached);
    } else {
        code_unload(&code);
    }
    t->current = NULL;
    pthread_mutex_unlock(&t->lock);
    atomic_fetch_add(&t->nanoseconds, now() - start);
}

static void *compile_thread(void *self)
{
    Entries *t = self;
    pthread_mutex_lock(&t->lock);
    while (!t->is_closing) {
        const CodeKind kind = t->queue[CODE_PLAIN] ? CODE_PLAIN : CODE_HEADERS;
        Entry *e = t->queue[kind];
        if (!e) {
            pthread_cond_wait(&t->wanted, &t->lock);
            continue;
        }
        t->queue[kind] = e->queued[kind];
        t->current = e;
        pthread_mutex_unlock(&t->lock);
        pthread_mutex_lock(&t->making);
        make(t, e, kind);
        pthread_mutex_unlock(&t->making);
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Has the code made here and now. */
static void make_now(Entries *t, Entry *e, CodeKind kind)
{
    pthread_mutex_lock(&t->making);
    pthread_mutex_lock(&t->lock);
    const bool cold = atomic_load(&e->state[kind]) == COLD;
    if (cold)
        t->current = e;
    pthread_mutex_unlock(&t->lock);
    if (cold)
        make(t, e, kind);
    pthread_mutex_unlock(&t->making);
}

/* Asks the thread for it. */
static void request(Entries *t, Entry *e, CodeKind kind)
{
    pthread_mutex_lock(&t->lock);
    if (!t->has_thread)
        t->has_thread = !pthread_create(&t->thread, NULL, compile_thread, t);
    if (t->has_thread && atomic_load(&e->state[kind]) == COLD) {
        atomic_store(&e->state[kind], QUEUED);
        Entry **last = &t->queue[kind];
        while (*last)
            last = &(*last)->queued[kind];
        e->queued[kind] = NULL;
        *last = e;
        pthread_cond_signal(&t->wanted);
    }
    pthread_mutex_unlock(&t->lock);
}

HostCode *entries_code(Entries *t, Entry *e, CodeKind kind)
{
    int state = atomic_load_explicit(&e->state[kind], memory_order_acquire);
    const bool wanted = t->waits || kind == CODE_HEADERS ||
                        atomic_load_explicit(&e->heat, memory_order_relaxed) > HOT;
    if (state == COLD && wanted && t->owner == getpid()) {
        (t->waits ? make_now : request)(t, e, kind);
        state = atomic_load_explicit(&e->state[kind], memory_order_acquire);
    }
    return state == READY ? (HostCode *)e->code[kind].entry : NULL;
}

/* --- life
 * ------------------------------------------------------------------------------------------ */

void entries_open(Entries *t, Code *code, Memory *memory, const char *level, bool waits)
{
    t->code = code;
    t->memory = memory;
    t->level = level;
    t->waits = waits;
    t->owner = getpid();
    pthread_mutex_init(&t->making, NULL);
    pthread_mutex_init(&t->stable, NULL);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wanted, NULL);
}

void entries_close(Entries *t)
{
    if (t->has_thread && t->owner == getpid()) {
        pthread_mutex_lock(&t->lock);
        t->is_closing = true;
        pthread_cond_signal(&t->wanted);
        if (t->maker)
            maker_cancel(t->maker);
        pthread_mutex_unlock(&t->lock);
        pthread_join(t->thread, NULL);
    }
    entries_forget(t, 0, CODE_PAGES);
    for (u32 p = 0; p < CODE_PAGES; p++)
        mem_free(atomic_load(&t->page[p]));
    maker_close(t->maker);
    pthread_mutex_destroy(&t->making);
    pthread_mutex_destroy(&t->stable);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->wanted);
}
