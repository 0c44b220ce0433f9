/* entries.c -- the table of entries, and the making of their code. */
#include "jit/entries.h"
#include "base/mem.h"
#include "jit/hotlist.h"
#include "mach/engine.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds for which it ran in quick code, at least and for each instruction of the region: optimise, which
 * takes half a millisecond an instruction and more, of a processor that launches may need. */
enum { HOTTER = 4000000, HOTTER_EACH = 300000 };
/* Nanoseconds of both for each instruction: optimise when the engine ends, for later programs, what does not
 * take too long for that. */
enum { LAST_EACH = 75000, LAST_MOST = 1000 };
/* Instructions of a region that is optimised: LLVM's time grows faster than they do.  The first, where a thread that
 * runs warps waits: for the code, or until the region is found that the disk may have code of. */
enum { MOST_AT_ONCE = 3000, MOST = 8000 };
/* Seconds that an engine's end waits for code; and where quick code came from the disk, which tells that the
 * program is run again and again: else what takes longer would be begun by each run, and never kept. */
enum { FINISHING = 4, FINISHING_AGAIN = LONGEST_FINISH };
enum { MOST_BEQUESTS = 32 }; /* that wait: programs may be released faster than code is made */

/* --- the table --------------------------------------------------------------------------- */

static Entry *look(Entries *t, u32 pc, u32 callee, WarpShape s, u32 lanes, VmRule vm)
{
    const u32 at = pc - CODE_LO;
    if (at >= CODE_END - CODE_LO)
        return NULL;
    EntryPage *page = atomic_load_explicit(&t->page[at >> PAGE_BITS], memory_order_acquire);
    Entry *e =
        page ? atomic_load_explicit(&page->at[at >> 2 & (PAGE_UOPS - 1)], memory_order_acquire)
             : NULL;
    while (e && (e->pc != pc || e->callee != callee || !shape_is(e->warp, s) ||
                 e->lanes != (u8)lanes || e->vm != (u8)vm))
        e = e->next;
    return e;
}

Entry *entries_find(Entries *t, u32 pc, u32 callee, WarpShape s, u32 lanes, VmRule vm)
{
    Entry *e = look(t, pc, callee, s, lanes, vm);
    const u32 at = pc - CODE_LO;
    if (e || at >= CODE_END - CODE_LO || pc & 3)
        return e;
    pthread_mutex_lock(&t->lock);
    _Atomic(EntryPage *) *slot = &t->page[at >> PAGE_BITS];
    EntryPage *page = atomic_load(slot);
    if (!page && (page = mem_zalloc(1, sizeof *page))) {
        atomic_store_explicit(slot, page, memory_order_release);
        const u32 past = (at >> PAGE_BITS) + 1;
        t->end = past > t->end ? past : t->end;
    }
    if (page && !(e = look(t, pc, callee, s, lanes, vm)) && (e = mem_zalloc(1, sizeof *e))) {
        _Atomic(Entry *) *first = &page->at[at >> 2 & (PAGE_UOPS - 1)];
        e->pc = pc;
        e->callee = callee;
        e->warp = s;
        e->lanes = (u8)lanes;
        e->vm = (u8)vm;
        e->next = atomic_load(first);
        atomic_store_explicit(first, e, memory_order_release);
    }
    pthread_mutex_unlock(&t->lock);
    return e;
}

Entry *entries_next(EntryWalk *w)
{
    while (!w->next && w->p < w->n) {
        EntryPage *page = atomic_load(&w->page[w->p]);
        w->next = page ? atomic_load(&page->at[w->i]) : NULL;
        w->i = page && w->i + 1 < PAGE_UOPS ? w->i + 1 : 0;
        w->p += !w->i;
    }
    Entry *e = w->next;
    w->next = e ? e->next : NULL;
    return e;
}

static EntryWalk walk(Entries *t) { return (EntryWalk){.page = t->page, .n = t->end}; }

static Worker *worker_of(Entries *t, CodeKind kind)
{
    return &t->worker[kind == CODE_QUICK ? OF_QUICK : OF_FULL];
}

static u64 nanoseconds_of(const _Atomic u64 *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

/* Whether that is long enough to optimise the entry, if an instruction is worth so much. */
static bool is_long(const Entry *e, u64 spent, u64 each)
{
    const u64 size = atomic_load_explicit(&e->size, memory_order_relaxed); /* 0: not known yet */
    return size && spent > HOTTER && spent > size * each;
}

/* Whether later programs will want it optimised. */
static bool will_be_wanted(const Entry *e)
{
    return is_long(e, nanoseconds_of(&e->heat) + nanoseconds_of(&e->ran), LAST_EACH) &&
           atomic_load_explicit(&e->size, memory_order_relaxed) <= LAST_MOST;
}

static void *work(void *worker);

/* Whether the worker has its thread, which begins when it is first needed. */
static bool has_thread(Worker *w)
{
    if (!w->has_thread)
        w->has_thread = !pthread_create(&w->thread, NULL, work, w);
    return w->has_thread;
}

/* Whether a worker that makes code of that kind has the entry; `lock` is held. */
static bool is_current(Entries *t, const Entry *e, CodeKind kind)
{
    const Worker *of = worker_of(t, kind);
    for (int i = 0; i < NWORKERS; i++)
        if (t->worker[i].of == of && t->worker[i].current == e)
            return true;
    return false;
}

/* Has a worker make the entry's code of that kind for the disk. */
static void leave_order(Entries *t, Entry *e, CodeKind kind)
{
    Worker *w = worker_of(t, kind);
    u32 waiting = 0;
    for (const Bequest *other = w->bequests; other; other = other->next)
        waiting++;
    Bequest *b = !e->is_bequeathed[kind] && waiting < MOST_BEQUESTS && has_thread(w)
                     ? mem_zalloc(1, sizeof *b)
                     : NULL;
    if (!b)
        return;
    b->order = maker_order(t->maker, e->region, t->code, kind);
    b->next = w->bequests;
    w->bequests = b;
    e->is_bequeathed[kind] = true;
    pthread_cond_signal(&w->wanted);
}

/* Whether code of that kind is asked for that nobody has begun to make. */
static bool is_waiting(Entries *t, const Entry *e, CodeKind kind)
{
    return atomic_load(&e->state[kind]) == QUEUED && !is_current(t, e, kind);
}

/* An entry that goes, or whose code leaves, leaves the order for code that is still asked for, and for optimised code
 * that later programs will want. */
static void bequeath(Entries *t, Entry *e)
{
    const bool wanted = atomic_load(&e->state[CODE_PLAIN]) == COLD && !t->waits && !t->only_quick &&
                        will_be_wanted(e);
    if (t->is_closing || !e->region || e->region->size > MOST || !t->maker ||
        !maker_keeps(t->maker) || t->owner != getpid())
        return;
    if (wanted || is_waiting(t, e, CODE_PLAIN))
        leave_order(t, e, CODE_PLAIN);
    else if (is_waiting(t, e, CODE_QUICK))
        leave_order(t, e, CODE_QUICK);
}

static void entry_free(Entries *t, Entry *e)
{
    for (int i = 0; i < NWORKERS; i++)
        if (t->worker[i].current == e)
            t->worker[i].current = NULL;
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
#define IN(pc) (((pc) - CODE_LO) >> PAGE_BITS >= first && ((pc) - CODE_LO) >> PAGE_BITS <= last)
    for (u32 i = 0; r && i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        if (b->end == END_SPLIT && IN(b->meet_pc))
            return true;
        for (u32 k = 0; k < b->nuop; k++)
            if (IN(b->uop[k]->pc))
                return true;
    }
    for (u32 i = 0; r && i < r->nroutine; i++)
        for (u32 k = 0; k < r->routine[i].nuop; k++)
            if (IN(r->routine[i].uop[k]->pc))
                return true;
    return IN(e->pc);
#undef IN
}

/* Code that is asked for, of which the queues have been emptied, may be asked for again. */
static void take_back(Entries *t, Entry *e)
{
    for (int k = 0; k < NCODES; k++)
        if (atomic_load(&e->state[k]) == QUEUED && !is_current(t, e, (CodeKind)k))
            atomic_store(&e->state[k], COLD);
}

static void empty_queues(Entries *t)
{
    for (int i = 0; i < NWORKERS; i++)
        memset(t->worker[i].queue, 0, sizeof t->worker[i].queue);
}

/* Forgets the entries of a list whose code changes, and the requests of those that stay, which it
 * returns. */
static Entry *forget_list(Entries *t, Entry *list, u32 first, u32 last)
{
    Entry *kept = NULL;
    for (Entry *e = list, *next; e; e = next) {
        next = e->next;
        if (touches(e, first, last)) {
            entry_free(t, e);
            continue;
        }
        take_back(t, e);
        e->next = kept;
        kept = e;
    }
    return kept;
}

void entries_forget(Entries *t, u32 first, u32 last)
{
    const int flags = atomic_exchange(&t->flags, FLAGS_UNKNOWN);
    if (flags != FLAGS_UNKNOWN)
        t->flags_before = flags;
    pthread_mutex_lock(&t->lock);
    empty_queues(t);
    EntryWalk w = walk(t);
    for (Entry *e; (e = entries_next(&w));)
        if (touches(e, first, last))
            bequeath(t, e);
    hotlist_write(t);
    t->hotlist = (Hotlist){.is_read = false};
    for (u32 p = 0; p < t->end; p++) {
        EntryPage *page = atomic_load(&t->page[p]);
        for (u32 i = 0; page && i < PAGE_UOPS; i++)
            atomic_store(&page->at[i], forget_list(t, atomic_load(&page->at[i]), first, last));
    }
    pthread_mutex_unlock(&t->lock);
}

/* Frees what lists of entries were in, which are empty. */
static void free_pages(Entries *t)
{
    for (u32 p = 0; p < t->end; p++)
        mem_free(atomic_exchange(&t->page[p], NULL));
    t->end = 0;
}

/* --- code that leaves and comes back ------------------------------------------------------- */

struct EntriesKept {
    int flags, flags_before; /* of Entries */
    Hotlist hotlist;
    u32 n;
    _Atomic(EntryPage *) page[]; /* of the window, from its first on */
};

EntriesKept *entries_keep(Entries *t)
{
    EntriesKept *k = mem_zalloc(1, sizeof *k + t->end * sizeof *k->page);
    if (!k) {
        entries_forget(t, 0, CODE_PAGES);
        return NULL;
    }
    pthread_mutex_lock(&t->lock);
    empty_queues(t);
    EntryWalk w = walk(t);
    for (Entry *e; (e = entries_next(&w));) {
        bequeath(t, e);
        take_back(t, e);
        e->is_away = true;
    }
    hotlist_write(t);
    k->flags = atomic_exchange(&t->flags, FLAGS_UNKNOWN);
    k->flags_before = t->flags_before;
    k->hotlist = t->hotlist;
    t->hotlist = (Hotlist){.is_read = false};
    k->n = t->end;
    for (u32 p = 0; p < k->n; p++)
        atomic_store(&k->page[p], atomic_exchange(&t->page[p], NULL));
    t->end = 0;
    pthread_mutex_unlock(&t->lock);
    return k;
}

void entries_put_back(Entries *t, EntriesKept *k)
{
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->flags, k->flags);
    t->flags_before = k->flags_before;
    t->hotlist = k->hotlist;
    free_pages(t);
    for (u32 p = 0; p < k->n; p++)
        atomic_store(&t->page[p], atomic_load(&k->page[p]));
    t->end = k->n;
    EntryWalk w = walk(t);
    for (Entry *e; (e = entries_next(&w));) {
        take_back(t, e);
        e->is_away = false;
    }
    pthread_mutex_unlock(&t->lock);
    mem_free(k);
}

void entries_kept_free(Entries *t, EntriesKept *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&t->lock);
    EntryWalk w = {.page = k->page, .n = k->n};
    for (Entry *e; (e = entries_next(&w));)
        entry_free(t, e);
    pthread_mutex_unlock(&t->lock);
    for (u32 p = 0; p < k->n; p++)
        mem_free(atomic_load(&k->page[p]));
    mem_free(k);
}

/* --- making code ------------------------------------------------------------------------- */

/* Whether an instruction in the code window may read the flags of floats.  Data that looks like one
 * only makes code slower. */
static bool reads_flags(const Memory *m)
{
    const u64 past = CODE_END >> PAGE_BITS;
    for (u64 p = CODE_LO >> PAGE_BITS; (p = memory_next_page(m, p, past)) < past; p++) {
        const u8 *bytes = m->base + (p << PAGE_BITS);
        for (u32 i = 0; memory_rights(m, p) & MEM_X && i < PAGE_SIZE; i += 4) {
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

/* Finds the region of an entry, once, if it has no more than `most` instructions.  False: it has
 * none that is worth compiling. */
static bool find_region(Entries *t, Entry *e, u32 most)
{
    if (e->region)
        return true;
    if (atomic_load(&t->flags) == FLAGS_UNKNOWN)
        atomic_store(&t->flags, reads_flags(t->memory) ? FLAGS_READ : FLAGS_UNREAD);
    Region *r = region_new_small(t->code, e->pc, e->warp, e->callee, e->lanes, (VmRule)e->vm,
                                 atomic_load(&t->flags) == FLAGS_READ, most);
    /* code that leaves at once gains nothing */
    const bool idle = r && r->block[0].end == END_LEAVE && r->block[0].nuop == 1;
    e->uop = r && !idle ? flatten(r) : NULL;
    if (e->uop) {
        region_shrink(r);
        e->region = r;
        atomic_store_explicit(&e->size, r->size, memory_order_relaxed);
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
        pthread_cond_broadcast(&t->made);
        pthread_mutex_unlock(&t->lock);
    }
    atomic_store(&t->broken, !t->maker);
    return t->maker;
}

static void install(Entries *t, Entry *e, CodeKind kind, CodeState state, Loaded code,
                    const MakerCost *cost)
{
    e->code[kind] = code;
    atomic_fetch_add(&t->regions, state == READY);
    atomic_fetch_add(&t->cached, cost->cached);
    atomic_store_explicit(&e->state[kind], (int)state, memory_order_release);
}

/* Makes code of the entry, which is the worker's `current`, or (LOOKER) takes what the disk has; the
 * caller holds `making`.  When quick code is to be made, and the disk has optimised code, that is
 * taken instead, unless there is some or will be: then quick code is for what that has not.
 *
 *   1. while decoded code stays: the region, and the orders for its code
 *   2. without a lock: the code
 *   3. the code becomes the entry's, if that is still there */
static void make(Entries *t, Worker *w, Entry *e, CodeKind kind)
{
    const bool only_looks = w == &t->worker[LOOKER];
    MakerOrder order = {.digest = 0}, better = {.digest = 0};
    Loaded code = {NULL, 0, NULL};
    MakerCost cost = {.cached = false};

    pthread_mutex_lock(&t->stable);
    pthread_mutex_lock(&t->lock);
    const bool stays = w->current == e && !e->is_away;
    pthread_mutex_unlock(&t->lock);
    const bool looks =
        stays && kind == CODE_QUICK && !t->only_quick && atomic_load(&e->state[CODE_PLAIN]) == COLD;
    bool ok = stays && (t->maker || open_maker(t)) &&
              find_region(t, e, only_looks ? MOST_AT_ONCE : UINT32_MAX) &&
              (kind == CODE_QUICK || e->region->size <= (t->waits ? MOST_AT_ONCE : MOST));
    if (ok)
        order = maker_order(t->maker, e->region, t->code, kind);
    if (ok && looks)
        better = maker_order(t->maker, e->region, t->code, CODE_PLAIN);
    pthread_mutex_unlock(&t->stable);

    const bool asks = ok, found = ok && looks && maker_find(t->maker, &better, &code, &cost);
    ok = found || (ok && (only_looks ? maker_find : maker_make)(t->maker, &order, &code, &cost));
    maker_forget(&order);
    maker_forget(&better);

    pthread_mutex_lock(&t->lock);
    if (w->current != e) {
        code_unload(&code);
    } else if (!stays) {
        atomic_store(&e->state[kind], COLD);
    } else if (found && atomic_load(&e->state[CODE_PLAIN]) == COLD) {
        atomic_store(&e->state[kind], COLD);
        install(t, e, CODE_PLAIN, READY, code, &cost);
    } else if (found) { /* the other worker was faster */
        code_unload(&code);
        atomic_store(&e->state[kind], COLD);
    } else if (only_looks && !ok) {
        atomic_store(&e->state[kind], COLD);
    } else {
        const bool was_hot = kind == CODE_QUICK && cost.cached;
        atomic_store(&e->was_hot, was_hot);
        t->runs_again |= was_hot;
        atomic_fetch_add(&t->given_up, asks && !ok && !t->is_closing);
        install(t, e, kind, ok ? READY : FAILED, code, &cost);
    }
    w->current = NULL;
    w->is_busy = false;
    pthread_cond_broadcast(&t->made);
    pthread_mutex_unlock(&t->lock);
    atomic_fetch_add(&t->nanoseconds, cost.nanoseconds);
}

/* The next entry that was requested, and the kind of its code; NULL: none. */
static Entry *take(Worker *w, CodeKind *kind)
{
    for (int k = 0; k < NCODES; k++) {
        Entry *e = w->of->queue[k];
        if (!e)
            continue;
        w->of->queue[k] = e->queued[k];
        *kind = (CodeKind)k;
        w->is_busy = true;
        return w->current = e;
    }
    return NULL;
}

/* Makes the first of the bequests, for the disk; `lock` is held, but not meanwhile. */
static void make_bequest(Entries *t, Worker *w)
{
    Bequest *b = w->of->bequests;
    Loaded code = {NULL, 0, NULL};
    MakerCost cost;
    w->of->bequests = b->next;
    w->is_busy = true;
    pthread_mutex_unlock(&t->lock);
    maker_make(t->maker, &b->order, &code, &cost);
    code_unload(&code);
    maker_forget(&b->order);
    mem_free(b);
    pthread_mutex_lock(&t->lock);
    w->is_busy = false;
    pthread_cond_broadcast(&t->made);
}

/* Has the maker begin, unless it has; `lock` is held, but not meanwhile. */
static void warm(Entries *t)
{
    pthread_mutex_unlock(&t->lock);
    pthread_mutex_lock(&t->stable);
    const bool opened = !t->maker && open_maker(t);
    pthread_mutex_unlock(&t->stable);
    if (opened)
        maker_warm(t->maker);
    pthread_mutex_lock(&t->lock);
    t->expects = false;
}

static void *work(void *worker)
{
    Worker *w = worker;
    Entries *t = w->table;
    pthread_mutex_lock(&t->lock);
    while (!t->is_closing) {
        CodeKind kind;
        if (t->expects && w == &t->worker[OF_QUICK]) {
            warm(t);
            continue;
        }
        Entry *e = take(w, &kind);
        if (!e && w->of->bequests) {
            make_bequest(t, w);
            continue;
        }
        if (!e) {
            pthread_cond_wait(&w->of->wanted, &t->lock);
            continue;
        }
        pthread_mutex_unlock(&t->lock);
        pthread_mutex_lock(&w->making);
        make(t, w, e, kind);
        pthread_mutex_unlock(&w->making);
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Makes the code in this thread. */
static void make_now(Entries *t, Entry *e, CodeKind kind)
{
    Worker *w = worker_of(t, kind);
    pthread_mutex_lock(&w->making);
    pthread_mutex_lock(&t->lock);
    const bool cold = atomic_load(&e->state[kind]) == COLD;
    if (cold)
        w->current = e;
    pthread_mutex_unlock(&t->lock);
    if (cold)
        make(t, w, e, kind);
    pthread_mutex_unlock(&w->making);
}

/* Takes what the disk has, in this thread, unless another one looks for something.  Large regions,
 * which take long to find, wait for a worker. */
static void look_now(Entries *t, Entry *e)
{
    Worker *w = &t->worker[LOOKER];
    if (pthread_mutex_trylock(&w->making))
        return;
    pthread_mutex_lock(&t->lock);
    const bool looks =
        atomic_load(&e->state[CODE_QUICK]) == COLD && !atomic_exchange(&e->has_looked, true);
    if (looks) {
        atomic_store(&e->state[CODE_QUICK], QUEUED);
        w->current = e;
    }
    pthread_mutex_unlock(&t->lock);
    if (looks)
        make(t, w, e, CODE_QUICK);
    pthread_mutex_unlock(&w->making);
}

/* Has the code made by a worker. */
static void request(Entries *t, Entry *e, CodeKind kind)
{
    Worker *w = worker_of(t, kind);
    pthread_mutex_lock(&t->lock);
    if (has_thread(w) && atomic_load(&e->state[kind]) == COLD) {
        atomic_store(&e->state[kind], QUEUED);
        Entry **last = &w->queue[kind];
        while (*last)
            last = &(*last)->queued[kind];
        e->queued[kind] = NULL;
        *last = e;
        pthread_cond_signal(&w->wanted);
    }
    pthread_mutex_unlock(&t->lock);
}

void entries_expect(Entries *t)
{
    Worker *w = &t->worker[OF_QUICK];
    if (t->waits || t->only_full || t->owner != getpid() || host_processors() < 2)
        return;
    pthread_mutex_lock(&t->lock);
    t->expects |= !t->maker && !t->is_closing && has_thread(w);
    pthread_cond_signal(&w->wanted);
    pthread_mutex_unlock(&t->lock);
}

/* Whether to read the list of what was hot: not before the first launch of the code if that is small, since programs of
 * one small launch should not wait for it. */
static bool reads_list(Entries *t, const Launch *l)
{
    enum { SMALL = 8 }; /* warps */
    const u64 groups = (u64)l->groups[0] * l->groups[1] * l->groups[2];
    const bool is_second =
        atomic_exchange_explicit(&t->hotlist.has_begun, true, memory_order_relaxed);
    return is_second || groups * l->warps > SMALL;
}

void entries_prepare(Entries *t, u32 pc, u32 callee, const Launch *l)
{
    Hotlist *h = &t->hotlist;
    if (t->waits || t->only_full)
        return;
    /* the process is asked for last: that is a call of the system, and launches may be short */
    if (!atomic_load_explicit(&h->is_read, memory_order_acquire)) {
        if (!reads_list(t, l) || t->owner != getpid())
            return;
        pthread_mutex_lock(&t->stable);
        if (!atomic_load(&h->is_read))
            hotlist_read(t);
        pthread_mutex_unlock(&t->stable);
    }
    for (u32 i = 0; i < h->n; i++) {
        Entry *e = h->entry[i];
        if (e->pc == pc && e->callee == callee && e->lanes == l->lanes && e->vm == (u8)l->vm &&
            !atomic_load_explicit(&e->has_looked, memory_order_relaxed) && t->owner == getpid())
            look_now(t, e);
    }
}

static int state_of(Entry *e, CodeKind kind)
{
    return atomic_load_explicit(&e->state[kind], memory_order_acquire);
}

/* Code of that kind, asked for if it is wanted; NULL: there is none yet. */
static HostCode *code_of(Entries *t, Entry *e, CodeKind kind, bool wanted)
{
    const bool asks = wanted && state_of(e, kind) == COLD && t->owner == getpid();
    if (asks && t->waits)
        make_now(t, e, kind);
    else if (asks)
        request(t, e, kind);
    return state_of(e, kind) == READY ? (HostCode *)e->code[kind].entry : NULL;
}

HostCode *entries_code(Entries *t, Entry *e, bool at_header)
{
    const u64 heat = nanoseconds_of(&e->heat), ran = nanoseconds_of(&e->ran);
    const bool hot = t->waits || heat > HEAT_HOT;
    const bool was_hot = atomic_load_explicit(&e->is_hot, memory_order_relaxed);
    if ((heat > HEAT_LUKEWARM || was_hot) && !t->only_full &&
        !atomic_load_explicit(&e->has_looked, memory_order_relaxed) && t->owner == getpid())
        look_now(t, e);
    const bool optimised = state_of(e, CODE_PLAIN) == READY;
    const bool hotter = t->only_full ? hot
                                     : heat > HEAT_HOTTEST || (ran && atomic_load(&e->was_hot)) ||
                                           is_long(e, ran, HOTTER_EACH);
    HostCode *code = code_of(t, e, at_header ? CODE_HEADERS : CODE_PLAIN,
                             !t->only_quick && (hotter || (at_header && optimised)));
    /* quick code also bridges the time until optimised code has entries at headers */
    const bool fails = state_of(e, CODE_PLAIN) == FAILED;
    return code || (t->only_full && !fails)
               ? code
               : code_of(t, e, CODE_QUICK, hot || (at_header && optimised));
}

/* --- life ----------------------------------------------------------------------------------- */

void entries_open(Entries *t, Code *code, Memory *memory, const char *level, bool waits)
{
    const char *tier = getenv("VENTUS_JIT_TIER");
    t->code = code;
    t->memory = memory;
    t->level = level;
    t->waits = waits;
    t->only_quick = tier && !strcmp(tier, "quick");
    t->only_full = (waits && !t->only_quick) || (tier && !strcmp(tier, "full"));
    t->owner = getpid();
    pthread_mutex_init(&t->stable, NULL);
    pthread_mutex_init(&t->lock, NULL);
    for (int i = 0; i < NWORKERS; i++) {
        t->worker[i].table = t;
        t->worker[i].of = &t->worker[i < LATE ? i : OF_FULL];
        pthread_mutex_init(&t->worker[i].making, NULL);
        pthread_cond_init(&t->worker[i].wanted, NULL);
    }
    pthread_cond_init(&t->made, NULL);
}

/* Whether something is asked for that the worker has not begun. */
static bool is_asked(const Worker *w)
{
    bool is = w->bequests;
    for (int k = 0; k < NCODES; k++)
        is |= w->queue[k] != NULL;
    return is;
}

static bool is_making(const Entries *t)
{
    bool is = false;
    for (int i = 0; i < NWORKERS; i++)
        is |= t->worker[i].is_busy || is_asked(&t->worker[i]);
    return is;
}

/* Asks for what later programs will want optimised. */
static void ask_for_later(Entries *t)
{
    pthread_mutex_lock(&t->stable);
    EntryWalk w = walk(t);
    for (Entry *e; t->maker && maker_keeps(t->maker) && !t->only_quick && (e = entries_next(&w));)
        if (will_be_wanted(e) && state_of(e, CODE_PLAIN) == COLD)
            request(t, e, CODE_PLAIN);
    pthread_mutex_unlock(&t->stable);
}

/* Whether the disk will have what is made, as far as is known. */
static bool keeps(const Entries *t) { return !t->maker || maker_keeps(t->maker); }

void entries_finish(Entries *t)
{
    struct timespec end;
    if (t->waits || t->owner != getpid())
        return;
    ask_for_later(t);
    clock_gettime(CLOCK_REALTIME, &end);
    pthread_mutex_lock(&t->lock);
    end.tv_sec += t->runs_again ? FINISHING_AGAIN : FINISHING;
    const u32 idle = host_processors() - 1; /* beside OF_FULL's */
    for (u32 i = 0; i < NWORKERS - LATE && i < idle; i++)
        if (is_asked(&t->worker[OF_FULL]) && keeps(t))
            has_thread(&t->worker[LATE + i]);
    for (int late = 0; !late && is_making(t) && keeps(t);)
        late = pthread_cond_timedwait(&t->made, &t->lock, &end);
    pthread_mutex_unlock(&t->lock);
    pthread_mutex_lock(&t->stable);
    hotlist_write(t);
    pthread_mutex_unlock(&t->stable);
}

static void end_workers(Entries *t)
{
    entries_finish(t);
    pthread_mutex_lock(&t->lock);
    t->is_closing = true;
    for (int i = 0; i < NWORKERS; i++)
        pthread_cond_broadcast(&t->worker[i].wanted);
    if (t->maker)
        maker_cancel(t->maker);
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < NWORKERS; i++)
        if (t->worker[i].has_thread)
            pthread_join(t->worker[i].thread, NULL);
}

void entries_close(Entries *t)
{
    if (t->owner == getpid())
        end_workers(t);
    entries_forget(t, 0, CODE_PAGES);
    for (int i = 0; i < NWORKERS; i++)
        for (Bequest *b; (b = t->worker[i].bequests); mem_free(b)) {
            t->worker[i].bequests = b->next;
            maker_forget(&b->order);
        }
    free_pages(t);
    maker_close(t->maker);
    for (int i = 0; i < NWORKERS; i++) {
        pthread_mutex_destroy(&t->worker[i].making);
        pthread_cond_destroy(&t->worker[i].wanted);
    }
    pthread_cond_destroy(&t->made);
    pthread_mutex_destroy(&t->stable);
    pthread_mutex_destroy(&t->lock);
}
