/* history.c -- states of a launch that were kept, from which it can start again.
 *
 * At the start all memory that a launch may write is copied, but for pages that the host has not
 * touched yet: they are zero.  From then on a kept state has the
 * registers of the group's warps, its local memory, and those pages of device memory that were
 * written since the state before; to go back to it the first copies are put back, then the pages
 * of all states up to it.  States are kept at growing distances: when there are too many, every
 * second one gives its pages to the next.
 */
#include "base/mem.h"
#include "dbg/run.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_DISTANCE = 2000, MOST_STATES = 64 };

typedef struct {
    u64 page;  /* number */
    u8 *bytes; /* PAGE_SIZE; NULL: zeros */
} PageCopy;

typedef struct {
    PageCopy *page; /* by ascending number, none twice */
    size_t n, cap;
} Pages;

typedef struct {
    u64 place, linear, left, ended;
    u32 turn, reservations;
    bool changed; /* by hand: who comes here by execution goes on with this state */
    Warp *warps;
    SimtEntry **simt; /* of each warp */
    Pages local, memory;
    u32 *private; /* page numbers: private memory that was written */
    size_t nprivate;
    PendingCopy *pending;
    size_t npending;
} State;

struct History {
    const Launch *launch;
    Pages first; /* memory at the start of the launch */
    State state[MOST_STATES];
    size_t n;
    u64 distance;    /* between states */
    u64 last_change; /* place of the last state that was changed by hand */
    u64 *dirty;      /* pages written since the last state; some may be there twice */
    size_t ndirty, capdirty;
    bool failed; /* memory ran out: nothing more is kept */
};

/* --- pages ---------------------------------------------------------------------------------- */

static bool is_zero(const u8 *p)
{
    static const u8 zeros[PAGE_SIZE];
    return !memcmp(p, zeros, PAGE_SIZE);
}

static void pages_free(Pages *p)
{
    for (size_t i = 0; i < p->n; i++)
        mem_free(p->page[i].bytes);
    mem_free(p->page);
    *p = (Pages){.n = 0};
}

static bool pages_add(Pages *p, u64 page, const u8 *bytes)
{
    u8 *copy = NULL;
    if (!array_grow(p->page, p->n, p->cap))
        return false;
    if (!is_zero(bytes)) {
        if (!(copy = mem_alloc(PAGE_SIZE)))
            return false;
        memcpy(copy, bytes, PAGE_SIZE);
    }
    p->page[p->n++] = (PageCopy){page, copy};
    return true;
}

static const PageCopy *pages_find(const Pages *p, u64 page)
{
    size_t lo = 0, end = p->n;
    while (lo < end) {
        const size_t mid = (lo + end) / 2;
        if (p->page[mid].page == page)
            return &p->page[mid];
        if (p->page[mid].page < page)
            lo = mid + 1;
        else
            end = mid;
    }
    return NULL;
}

static void put_page(const Memory *m, const PageCopy *c)
{
    u8 *to = m->base + (c->page << PAGE_BITS);
    if (c->bytes)
        memcpy(to, c->bytes, PAGE_SIZE);
    else
        memset(to, 0, PAGE_SIZE);
}

static int by_number(const void *a, const void *b)
{
    const u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return x < y ? -1 : x > y;
}

/* --- states ---------------------------------------------------------------------------------- */

static void state_free(State *s, u32 warps)
{
    for (u32 k = 0; s->simt && k < warps; k++)
        mem_free(s->simt[k]);
    mem_free(s->simt);
    free(s->warps);
    pages_free(&s->local);
    pages_free(&s->memory);
    mem_free(s->private);
    mem_free(s->pending);
    *s = (State){.place = 0};
}

static void *copy_of(const void *from, size_t n, size_t size)
{
    void *to = n ? mem_realloc(NULL, n, size) : NULL;
    if (to)
        memcpy(to, from, n * size);
    return to;
}

static bool save_warps(State *s, const Group *g)
{
    const size_t size = g->nwarps * sizeof *s->warps;
    if (!(s->warps = aligned_alloc(64, size)) ||
        !(s->simt = mem_zalloc(g->nwarps, sizeof *s->simt)))
        return false;
    memcpy((void *)s->warps, g->warps, size);
    for (u32 k = 0; k < g->nwarps; k++) {
        const Warp *w = &g->warps[k];
        s->simt[k] = copy_of(w->simt, w->nsimt, sizeof *w->simt);
        if (w->nsimt && !s->simt[k])
            return false;
    }
    return true;
}

/* the pages of local memory that the group has written */
static bool save_local(State *s, const Group *g)
{
    for (size_t i = 0; i < g->lds_dirty.n; i++) {
        const u64 page = g->lds_dirty.page[i];
        if (!pages_add(&s->local, page, g->lds.base + (page << PAGE_BITS)))
            return false;
    }
    return true;
}

static bool save_memory(History *h, State *s)
{
    if (h->ndirty)
        qsort(h->dirty, h->ndirty, sizeof *h->dirty, by_number);
    for (size_t i = 0; i < h->ndirty; i++) {
        const u64 page = h->dirty[i];
        if (i && h->dirty[i - 1] == page)
            continue;
        if (!pages_add(&s->memory, page, h->launch->memory->base + (page << PAGE_BITS)))
            return false;
    }
    return true;
}

/* Gives the pages of state i to the next one, which keeps its own where it has the same. */
static bool merge(History *h, size_t i)
{
    State *from = &h->state[i], *to = &h->state[i + 1];
    Pages all = {.n = 0};
    size_t a = 0, b = 0;
    while (a < from->memory.n || b < to->memory.n) {
        if (!array_grow(all.page, all.n, all.cap)) {
            mem_free(all.page);
            return false;
        }
        const u64 x = a < from->memory.n ? from->memory.page[a].page : UINT64_MAX;
        const u64 y = b < to->memory.n ? to->memory.page[b].page : UINT64_MAX;
        all.page[all.n++] = x < y ? from->memory.page[a] : to->memory.page[b];
        if (x == y)
            mem_free(from->memory.page[a].bytes);
        a += x <= y;
        b += y <= x;
    }
    mem_free(from->memory.page);
    mem_free(to->memory.page);
    from->memory = (Pages){.n = 0};
    to->memory = all;
    state_free(from, h->launch->warps);
    memmove(from, from + 1, (h->n - i - 1) * sizeof *from);
    h->n--;
    return true;
}

/* Makes room for another state. */
static bool thin(History *h)
{
    for (size_t i = 1; i + 1 < h->n; i++) /* after a merge i is the one after, which stays */
        if (!h->state[i].changed && !merge(h, i))
            return false;
    h->distance *= 2;
    return h->n < MOST_STATES;
}

void history_keep(History *h, const Run *r, bool changed)
{
    const Group *g = r->group;
    if (h->failed || (h->n == MOST_STATES && !thin(h))) {
        h->failed = true;
        return;
    }
    State *s = &h->state[h->n];
    *s = (State){.place = r->now,
                 .linear = g->linear,
                 .left = r->left,
                 .ended = r->ended,
                 .turn = r->turn,
                 .reservations = g->reservations,
                 .nprivate = g->pds_dirty.n,
                 .npending = g->npending,
                 .changed = changed};
    s->private = copy_of(g->pds_dirty.page, g->pds_dirty.n, sizeof *s->private);
    s->pending = copy_of(g->pending, g->npending, sizeof *s->pending);
    if (!save_warps(s, g) || !save_local(s, g) || !save_memory(h, s) ||
        (s->nprivate && !s->private) || (s->npending && !s->pending)) {
        state_free(s, g->nwarps);
        h->failed = true;
        return;
    }
    h->ndirty = 0;
    h->n++;
    if (changed)
        h->last_change = r->now;
}

bool history_has_change(const History *h, u64 place, size_t *i)
{
    if (!h->last_change || place > h->last_change)
        return false;
    for (*i = h->n; (*i)-- > 0;)
        if (h->state[*i].place == place && h->state[*i].changed)
            return true;
    return false;
}

bool history_is_due(const History *h, u64 now)
{
    return !h->failed && h->n && now >= h->state[h->n - 1].place + h->distance;
}

void history_wrote_page(History *h, u64 page)
{
    if (h->ndirty && h->dirty[h->ndirty - 1] == page)
        return;
    if (!array_grow(h->dirty, h->ndirty, h->capdirty))
        h->failed = true;
    else
        h->dirty[h->ndirty++] = page;
}

void history_wrote(History *h, const Run *r, const Step *s)
{
    const Launch *l = h->launch;
    for (size_t i = 0; i < s->ntouched; i++) {
        const Touch *t = &s->touched[i];
        for (u64 a = t->addr; t->writes && a < t->addr + t->size; a = (a | (PAGE_SIZE - 1)) + 1) {
            u64 at = a;
            if (a - LDS_LO < LDS_END - LDS_LO ||
                (l->mmu && !mmu_translate(l->mmu, &r->group->tlb, a, PTE_R, &at)))
                continue;
            history_wrote_page(h, at >> PAGE_BITS);
        }
    }
}

void history_cut(History *h, u64 place)
{
    while (h->n > 1 && h->state[h->n - 1].place > place) {
        State *s = &h->state[--h->n];
        for (size_t i = 0; i < s->memory.n; i++)
            history_wrote_page(h, s->memory.page[i].page);
        state_free(s, h->launch->warps);
    }
}

bool history_find(const History *h, u64 place, size_t *i)
{
    for (size_t k = h->n; k-- > 0;)
        if (h->state[k].place <= place) {
            *i = k;
            return true;
        }
    return false;
}

u64 history_place(const History *h, size_t i) { return h->state[i].place; }

/* A page as it was at the start of the launch. */
static void put_first(const History *h, u64 page)
{
    const PageCopy *c = pages_find(&h->first, page);
    put_page(h->launch->memory, c ? c : &(PageCopy){page, NULL});
}

/* Device memory as it was at state i. */
static void restore_memory(const History *h, size_t i)
{
    const Memory *m = h->launch->memory;
    for (size_t k = 0; k < h->ndirty; k++)
        put_first(h, h->dirty[k]);
    for (size_t k = 1; k < h->n; k++)
        for (size_t j = 0; j < h->state[k].memory.n; j++)
            put_first(h, h->state[k].memory.page[j].page);
    for (size_t k = 0; k <= i; k++)
        for (size_t j = 0; j < h->state[k].memory.n; j++)
            put_page(m, &h->state[k].memory.page[j]);
}

/* Tracked pages that were written: they are on the list and may be written. */
static bool restore_list(Memory *m, DirtyList *to, u64 page)
{
    if (memory_rights(m, page) & MEM_W) /* it is noted */
        return true;
    if (!array_grow(to->page, to->n, to->cap))
        return false;
    to->page[to->n++] = (u32)page;
    memory_set_rights(m, page, memory_rights(m, page) | MEM_W);
    return true;
}

/* Stacks had their room before, which a context keeps. */
static void restore_warps(const State *s, Group *g)
{
    for (u32 k = 0; k < g->nwarps; k++) {
        Warp *w = &g->warps[k];
        SimtEntry *const simt = w->simt;
        const u32 cap = w->capsimt;
        *w = s->warps[k];
        w->simt = simt;
        w->capsimt = cap;
        w->group = g;
        if (w->nsimt)
            memcpy(w->simt, s->simt[k], w->nsimt * sizeof *w->simt);
    }
}

bool history_restore(History *h, size_t i, Run *r)
{
    const State *s = &h->state[i];
    Group *g = r->group;
    bool ok = true;
    group_end(g);
    restore_memory(h, i);
    group_begin(g, s->linear);
    for (size_t k = 0; k < s->local.n; k++) {
        put_page(&g->lds, &s->local.page[k]);
        ok = ok && restore_list(&g->lds, &g->lds_dirty, s->local.page[k].page);
    }
    for (size_t k = 0; k < s->nprivate; k++)
        ok = ok && restore_list(h->launch->memory, &g->pds_dirty, s->private[k]);
    restore_warps(s, g);
    g->reservations = s->reservations;
    g->npending = s->npending; /* likewise */
    if (g->npending)
        memcpy(g->pending, s->pending, g->npending * sizeof *g->pending);
    g->tlb = (Tlb){.vpn = {0}};
    r->turn = s->turn;
    r->left = s->left;
    r->ended = s->ended;
    r->now = s->place;
    r->returned = 0; /* not known */
    r->over = false;
    return ok;
}

/* --- life ---------------------------------------------------------------------------------- */

enum { CHUNK = 512 }; /* pages that are asked for at once */

/* Which of CHUNK pages the host has touched, by its own list of this process's pages. */
static void find_touched(int pagemap, const u8 *base, bool touched[CHUNK])
{
    u64 entry[CHUNK];
    const u64 present = (u64)1 << 63, swapped = (u64)1 << 62;
    const off_t at = (off_t)((uintptr_t)base / PAGE_SIZE * sizeof *entry);
    const bool known = sysconf(_SC_PAGESIZE) == PAGE_SIZE &&
                       pread(pagemap, entry, sizeof entry, at) == (ssize_t)sizeof entry;
    for (size_t i = 0; i < CHUNK; i++)
        touched[i] = !known || entry[i] & (present | swapped);
}

History *history_open(const Launch *l)
{
    History *h = mem_zalloc(1, sizeof *h);
    const Memory *m = l->memory;
    bool touched[CHUNK], ok = true;
    u64 chunk = UINT64_MAX; /* that touched[] is of */
    if (!h)
        return NULL;
    h->launch = l;
    h->distance = FIRST_DISTANCE;
    const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    const u64 past = m->end >> PAGE_BITS;
    for (u64 p = memory_next_page(m, m->lo >> PAGE_BITS, past); ok && p < past;
         p = memory_next_page(m, p + 1, past)) {
        if (!(memory_rights(m, p) & (MEM_W | MEM_TRACKED)))
            continue;
        if (p / CHUNK != chunk) {
            chunk = p / CHUNK;
            find_touched(pagemap, m->base + (chunk * CHUNK << PAGE_BITS), touched);
        }
        ok = !touched[p % CHUNK] || pages_add(&h->first, p, m->base + (p << PAGE_BITS));
    }
    if (pagemap >= 0)
        close(pagemap);
    if (ok)
        return h;
    history_free(h);
    return NULL;
}

void history_free(History *h)
{
    if (!h)
        return;
    pages_free(&h->first);
    for (size_t i = 0; i < h->n; i++)
        state_free(&h->state[i], h->launch->warps);
    mem_free(h->dirty);
    mem_free(h);
}
