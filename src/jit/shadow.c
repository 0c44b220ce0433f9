/* shadow.c -- the twin: its memory, its turns, the comparison.
 *
 * While a launch runs, the host may copy to buffers, free some, and launch something else beside
 * it.  That is counted (Memory.changes, `beside`).  Before a turn the twin gets what has been
 * written since; where a turn differs during which somebody wrote, or might have, nobody can say
 * who is right, and the rest of that group is not compared.  At the end all memory is compared if
 * only the launch can have changed it; if hosts have pointers to it, the pages that the twin has
 * written.
 */
#include "jit/shadow.h"
#include "sim/handlers.h"
#include "sim/sim.h"
#include <stdio.h>
#include <string.h>

/* What others did to the memory, counted. */
typedef struct {
    u32 changes, beside;
} Others;

struct Shadow {
    pthread_mutex_t lock;             /* held by the launch that is compared */
    _Atomic(const Launch *) compared; /* NULL: none */
    _Atomic u32 beside;               /* launches that began or ended beside it */
    _Atomic u32 running;              /* of them, those that run */
    const Memory *real;
    Memory memory;
    Others seen;        /* what the twin's memory has */
    bool was_disturbed; /* others wrote during the launch */
    Engine *engine;     /* an interpreter */
    Launch launch;      /* of the twin */
    Group *group;       /* twin of the group that runs, or NULL */
    bool has_lost;      /* the twin of the group that runs: it is compared no more */
    u64 linear;         /* the number of that group */
    u64 began;          /* instructions of the warp before its turn */
    u32 pc;             /* and where it stood */
    Buf report;
};

Shadow *shadow_open(void)
{
    Shadow *s = mem_zalloc(1, sizeof *s);
    if (s)
        pthread_mutex_init(&s->lock, NULL);
    return s;
}

void shadow_close(Shadow *s)
{
    if (!s)
        return;
    buf_free(&s->report);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

const char *shadow_report(const Shadow *s) { return buf_text(&s->report); }

/* --- memory ------------------------------------------------------------------------------- */

static Others others_of(const Shadow *s)
{
    return (Others){atomic_load(&s->real->changes), atomic_load(&s->beside)};
}

/* Whether others may have written since the twin's memory was brought up to date. */
static bool is_disturbed(Shadow *s)
{
    const Others o = others_of(s);
    const bool now =
        atomic_load(&s->running) || o.changes != s->seen.changes || o.beside != s->seen.beside;
    s->was_disturbed |= now;
    return now;
}

/* A page as it is; others may be writing to it. */
static void read_page(const Memory *m, u64 page, u8 to[PAGE_SIZE])
{
    memory_move_bytes(to, m->base + (page << PAGE_BITS), PAGE_SIZE);
}

/* The twin's rights to a page: it decodes by itself, and notes the pages that it writes, as if they
 * were tracked. */
static u8 rights_of_twin(u8 flags)
{
    if (flags & MEM_CODE)
        flags = (u8)((flags & ~MEM_CODE) | MEM_W);
    return flags & MEM_X || !(flags & MEM_W) ? flags : (u8)((flags & ~MEM_W) | MEM_TRACKED);
}

static bool has_written(const Shadow *s, u64 page)
{
    return memory_rights(&s->memory, page) & (MEM_W | MEM_X);
}

/* Gives the twin what it lacks of memory, and takes what is gone. */
static void take_memory(Shadow *s)
{
    Memory *m = &s->memory;
    const u64 past = m->end >> PAGE_BITS;
    u8 bytes[PAGE_SIZE];
    s->seen = others_of(s);
    for (u64 p = memory_next_page(m, 0, past); p < past; p = memory_next_page(m, p + 1, past))
        if (!(memory_rights(s->real, p) & MEM_R))
            memory_set_rights(m, p, 0);
    for (u64 p = memory_next_page(s->real, 0, past); p < past;
         p = memory_next_page(s->real, p + 1, past)) {
        const u8 flags = memory_rights(s->real, p);
        u8 *to = m->base + (p << PAGE_BITS);
        if (!(flags & MEM_R))
            continue;
        if (!memory_rights(m, p))
            memory_map(m, p << PAGE_BITS, PAGE_SIZE, rights_of_twin(flags));
        read_page(s->real, p, bytes);
        if (memcmp(to, bytes, PAGE_SIZE) != 0) /* pages of zeros cost the host nothing */
            memcpy(to, bytes, PAGE_SIZE);
    }
}

ShadowStart shadow_begin(Shadow *s, const Launch *l)
{
    if (pthread_mutex_trylock(&s->lock)) {
        atomic_fetch_add(&s->running, 1);
        atomic_fetch_add(&s->beside, 1);
        return SHADOW_BUSY;
    }
    s->report.len = 0;
    buf_str(&s->report, "");
    s->group = NULL;
    s->linear = UINT64_MAX;
    s->was_disturbed = false;
    const u64 end = l->set & V2025 ? l->memory->end : (u64)1 << 32;
    if (memory_open(&s->memory, 0, end) && (s->engine = sim_kind.open(&s->memory, l->set))) {
        s->real = l->memory;
        take_memory(s);
        s->launch = *l;
        s->launch.memory = &s->memory;
        atomic_store(&s->compared, l);
        return SHADOW_COMPARES;
    }
    memory_close(&s->memory);
    pthread_mutex_unlock(&s->lock);
    return SHADOW_FAILED;
}

void shadow_end_beside(Shadow *s)
{
    atomic_fetch_add(&s->beside, 1);
    atomic_fetch_sub(&s->running, 1);
}

bool shadow_compares(const Shadow *s, const Launch *l)
{
    return atomic_load_explicit(&s->compared, memory_order_relaxed) == l;
}

/* Ends the twin's group, whose private and local memory is cleared; what it wrote elsewhere stays
 * written. */
static void end_group(Shadow *s)
{
    Group *g = s->group;
    size_t n = 0;
    if (!g)
        return;
    for (size_t i = 0; i < g->pds_dirty.n; i++)
        if (memory_rights(s->real, g->pds_dirty.page[i]) & MEM_TRACKED)
            g->pds_dirty.page[n++] = g->pds_dirty.page[i];
    g->pds_dirty.n = n;
    group_end(g);
    sim_give_group((Sim *)s->engine, g);
    s->group = NULL;
}

/* The first byte of the range where the two differ; `end`: none. */
static u64 find_difference(const Memory *a, const Memory *b, u64 at, u64 end)
{
    while (at < end && a->base[at] == b->base[at])
        at++;
    return at;
}

/* Whether a page of the twin is that of the launch; else *addr is the first byte that is not. */
static bool same_page(Shadow *s, u64 page, u64 *addr)
{
    const u8 *twin = s->memory.base + (page << PAGE_BITS);
    u8 bytes[PAGE_SIZE];
    u32 i = 0;
    read_page(s->real, page, bytes);
    if (!memcmp(bytes, twin, PAGE_SIZE))
        return true;
    while (bytes[i] == twin[i])
        i++;
    *addr = (page << PAGE_BITS) + i;
    buf_printf(&s->report,
               "at the end, byte 0x%08llx is %02x in host code, %02x in the interpreter",
               (unsigned long long)*addr, bytes[i], twin[i]);
    return false;
}

bool shadow_end(Shadow *s, bool faulted, u64 *addr)
{
    const u64 past = s->memory.end >> PAGE_BITS;
    bool same = true;
    end_group(s);
    const bool all = !atomic_load(&s->real->is_shared),
               none = faulted || is_disturbed(s) || s->was_disturbed;
    for (u64 p = memory_next_page(&s->memory, 0, past); !none && same && p < past;
         p = memory_next_page(&s->memory, p + 1, past))
        if (memory_rights(s->real, p) & MEM_R && (all || has_written(s, p)))
            same = same_page(s, p, addr);
    atomic_store(&s->compared, NULL);
    sim_kind.close(s->engine);
    memory_close(&s->memory);
    pthread_mutex_unlock(&s->lock);
    return same;
}

/* --- a turn ----------------------------------------------------------------------------------- */

static void begin_group(Shadow *s, u64 linear, bool often)
{
    s->linear = linear;
    s->has_lost = false;
    s->group = sim_take_group((Sim *)s->engine, &s->launch);
    if (!s->group)
        return;
    group_begin(s->group, linear);
    group_note_accesses(s->group, often ? NOTE_EACH : NOTE_NOTHING);
}

u64 shadow_before(Shadow *s, Warp *w, u64 slice)
{
    const Group *g = w->group;
    const bool often = !(g->linear & 1);
    if (s->linear != g->linear)
        end_group(s);
    if (is_disturbed(s))
        take_memory(s);
    if (s->linear != g->linear)
        begin_group(s, g->linear, often);
    if (s->group && s->group->warps[w->id].state == WARP_WAITING)
        group_pass_barrier(s->group); /* as the group did */
    s->began = w->ninsns;
    s->pc = w->pc;
    return often && !g->launch->max_insns ? 1 : slice; /* the end of such turns is interpreted */
}

/* Interprets the twin until it has retired as many instructions, or stops; `faults`: the next one
 * does. */
static void follow(Warp *b, u64 insns, bool faults)
{
    const Uop *u = go(b, b->pc);
    while (u && (b->ninsns < insns || faults)) {
        b->ninsns += uop_insns(u);
        u = u->run(b, u);
        if (faults)
            break;
        if (!u && b->ninsns < insns && b->group->nwarps == 1 && group_pass_barrier(b->group))
            u = go(b, b->pc); /* host code did not wait at it */
    }
    if (u)
        b->pc = u->pc;
    take_host_flags(b);
}

/* Says in which value they differ.  False, always. */
static bool differ(Shadow *s, const char *what, u64 a, u64 b)
{
    buf_printf(&s->report, "%s is 0x%llx in host code, 0x%llx in the interpreter", what,
               (unsigned long long)a, (unsigned long long)b);
    return false;
}

/* A warp that faulted is described by its fault. */
static bool same_fault(Shadow *s, const Group *a, const Group *b)
{
    const Fault *x = &a->fault, *y = &b->fault;
    const struct {
        const char *what;
        u64 a, b;
    } row[] = {
        {"whether it faulted", a->faulted, b->faulted},
        {"the kind of fault", x->kind, y->kind},
        {"the pc of the fault", x->pc, y->pc},
        {"its lane", (u64)x->lane, (u64)y->lane},
        {"its address", x->addr, y->addr},
        {"its mask", x->mask, y->mask},
    };
    for (size_t i = 0; i < countof(row); i++)
        if (row[i].a != row[i].b)
            return differ(s, row[i].what, row[i].a, row[i].b);
    return true;
}

static bool same_state(Shadow *s, const Warp *a, const Warp *b, bool flags)
{
    const struct {
        const char *what;
        u64 a, b;
    } row[] = {
        {"the state", a->state, b->state},
        {"whether it faulted", 0, b->group->faulted},
        {"the count of instructions", a->ninsns, b->ninsns},
        {"the pc", a->state == WARP_DONE ? 0 : a->pc, b->state == WARP_DONE ? 0 : b->pc},
        {"the mask", a->mask, b->mask},
        {"the active lanes", a->exec, b->exec},
        {"vl", a->vl, b->vl},
        {"vtype", a->vtype, b->vtype},
        {"frm", a->frm, b->frm},
        {"fflags", flags ? a->fflags : 0, flags ? b->fflags : 0},
        {"vxsat", a->vxsat, b->vxsat},
        {"the depth of the divergence stack", a->nsimt, b->nsimt},
    };
    for (size_t i = 0; i < countof(row); i++)
        if (row[i].a != row[i].b)
            return differ(s, row[i].what, row[i].a, row[i].b);
    for (u32 i = 0; i < a->nsimt; i++)
        if (memcmp(&a->simt[i], &b->simt[i], sizeof *a->simt))
            return differ(s, "the pc of a side that waits", a->simt[i].pc, b->simt[i].pc);
    return true;
}

static const RegSet all = {~(u64)0, {~(u64)0, ~(u64)0, ~(u64)0, ~(u64)0}}, none;

/* What each lane may still read: one that waits, where it goes on.  What waited before code of the
 * region began may have been written where nobody needs it.  Lanes that neither are on nor wait are
 * gone. */
static void find_needs(const Warp *w, const Region *r, const RegionBlock *at,
                       const RegSet *needs[MAX_LANES])
{
    for (u32 i = 0; i < MAX_LANES; i++)
        needs[i] = w->mask >> i & 1 ? at ? &at->own : &all : &none;
    u32 waits = ~w->mask;
    for (u32 n = w->nsimt; at && !r->warp.deep && n-- > 0; waits &= ~w->simt[n].mask) {
        const int to = region_find(r, w->simt[n].pc, false);
        for (u32 i = 0; to >= 0 && i < MAX_LANES; i++)
            if (waits >> i & w->simt[n].mask >> i & 1)
                needs[i] = &r->block[to].own;
    }
}

/* Rows that the launch does not use are not cleared for it, and hold what others left. */
static bool same_registers(Shadow *s, const Warp *a, const Warp *b, const Region *r,
                           const RegionBlock *at)
{
    const u64 scalars = at ? at->in.x : ~(u64)0;
    const RegSet *needs[MAX_LANES];
    char what[32];
    find_needs(a, r, at, needs);
    for (u32 n = 1; n < 64; n++)
        if (scalars >> n & 1 && a->x[n] != b->x[n]) {
            snprintf(what, sizeof what, "x%u", n);
            return differ(s, what, a->x[n], b->x[n]);
        }
    for (u32 n = 0; n < s->launch.vgprs; n++)
        for (u32 i = 0; i < s->launch.lanes; i++)
            if (regset_has_v(needs[i], n) && a->v[n][i] != b->v[n][i]) {
                snprintf(what, sizeof what, "lane %u of v%u", i, n);
                return differ(s, what, a->v[n][i], b->v[n][i]);
            }
    return true;
}

/* the words that the twin wrote, and its local memory */
static bool same_memory(Shadow *s, const Group *a, Group *b)
{
    for (size_t i = 0; i < b->ntouched; i++) {
        const Touch *t = &b->touched[i];
        const bool local = t->addr >= LDS_LO && t->addr < LDS_END;
        const Memory *ma = local ? &a->lds : s->real, *mb = local ? &b->lds : &s->memory;
        const u64 end = t->addr + t->size;
        if (!t->writes || end > mb->end)
            continue;
        const u64 at = find_difference(ma, mb, t->addr, end);
        if (at < end) {
            char what[40];
            snprintf(what, sizeof what, "byte 0x%08llx", (unsigned long long)at);
            return differ(s, what, ma->base[at], mb->base[at]);
        }
    }
    for (size_t i = 0; i < b->lds_dirty.n; i++) {
        const u64 at = (u64)b->lds_dirty.page[i] << PAGE_BITS;
        if (memcmp(a->lds.base + at, b->lds.base + at, PAGE_SIZE))
            return differ(s, "a byte of local memory",
                          find_difference(&a->lds, &b->lds, at, at + PAGE_SIZE), at);
    }
    b->ntouched = 0;
    return true;
}

/* Registers that nobody reads may be old ones after host code, and lanes of rows anything; with the twin's they can
 * be compared later. */
static void take_dead(Warp *a, const Warp *b, const Region *r, const RegionBlock *at)
{
    const RegSet *needs[MAX_LANES], *live = at ? &at->in : &none, *kept = at ? &at->kept : &none;
    find_needs(a, r, at, needs);
    for (u32 n = 1; n < 64; n++)
        if (!(live->x >> n & 1))
            a->x[n] = b->x[n];
    for (u32 n = 0; n < 256; n++)
        for (u32 i = 0; i < MAX_LANES; i++)
            if (!regset_has_v(live, n) || (!regset_has_v(needs[i], n) && !regset_has_v(kept, n)))
                a->v[n][i] = b->v[n][i];
}

/* Goes on without a twin until the next group, whose twin gets the memory as it is then. */
static void lose_group(Shadow *s)
{
    end_group(s);
    s->has_lost = true;
    s->seen.changes--;
    s->report.len = 0;
    buf_str(&s->report, "");
}

static bool lacks_memory(const Group *g) { return g->faulted && g->fault.kind == FAULT_NO_MEMORY; }

void shadow_after(Shadow *s, Warp *w, const Region *r, const RegionBlock *at, bool flags)
{
    Group *g = w->group;
    if (s->has_lost || lacks_memory(g)) /* then nobody is wrong */
        return;
    if (!s->group) {
        warp_fault(w, FAULT_NO_MEMORY, w->pc, -1);
        return;
    }
    take_host_flags(w);
    Warp *twin = &s->group->warps[w->id];
    follow(twin, w->ninsns, false);
    if (g->faulted && !s->group->faulted)
        follow(twin, w->ninsns, true);
    if (lacks_memory(s->group)) {
        warp_fault(w, FAULT_NO_MEMORY, w->pc, -1);
        return;
    }
    const bool ends = g->faulted || w->state == WARP_DONE;
    const bool same = g->faulted ? same_fault(s, g, s->group) : same_state(s, w, twin, flags);
    if (same && (ends || same_registers(s, w, twin, r, at)) && same_memory(s, g, s->group)) {
        if (ends || at)
            take_dead(w, twin, r, ends ? NULL : at);
        return;
    }
    if (is_disturbed(s)) {
        lose_group(s);
        return;
    }
    buf_printf(&s->report, ", after instructions %llu to %llu of the warp, from pc 0x%08x on",
               (unsigned long long)s->began + 1, (unsigned long long)w->ninsns, s->pc);
    g->faulted = false; /* this is what counts */
    warp_fault(w, FAULT_DIFFERS, w->pc, -1);
}
