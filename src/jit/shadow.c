/* shadow.c -- the twin: its memory, its turns, the comparison. */
#include "jit/shadow.h"
#include "sim/handlers.h"
#include "sim/sim.h"
#include <stdio.h>
#include <string.h>

struct Shadow {
    pthread_mutex_t lock; /* held by the launch */
    const Memory *real;
    Memory memory;
    Engine *engine; /* an interpreter */
    Launch launch;  /* of the twin */
    Group *group;   /* twin of the group that runs, or NULL */
    u64 linear;     /* its number */
    u64 began;      /* instructions of the warp before its turn */
    u32 pc;         /* and where it stood */
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

/* the first page from `page` on that is mapped; `past`: none before it */
static u64 next_page(const Memory *m, u64 page, u64 past)
{
    while (page < past && !(m->page[page] & MEM_R))
        page++;
    return page;
}

static void copy_memory(Memory *to, const Memory *from)
{
    const u64 past = to->end >> PAGE_BITS;
    for (u64 p = next_page(from, 0, past); p < past; p = next_page(from, p + 1, past)) {
        const u64 at = p << PAGE_BITS;
        u8 flags = from->page[p];
        if (flags & MEM_CODE) /* of the other engine */
            flags = (u8)((flags & ~MEM_CODE) | MEM_W);
        memory_map(to, at, PAGE_SIZE, flags);
        memcpy(to->base + at, from->base + at, PAGE_SIZE);
    }
}

bool shadow_begin(Shadow *s, const Launch *l)
{
    pthread_mutex_lock(&s->lock);
    s->report.len = 0;
    buf_str(&s->report, "");
    s->group = NULL;
    const u64 end = l->set & V2025 ? l->memory->end : (u64)1 << 32;
    if (memory_open(&s->memory, 0, end) && (s->engine = sim_kind.open(&s->memory, l->set))) {
        s->real = l->memory;
        copy_memory(&s->memory, l->memory);
        s->launch = *l;
        s->launch.memory = &s->memory;
        return true;
    }
    memory_close(&s->memory);
    pthread_mutex_unlock(&s->lock);
    return false;
}

static void end_group(Shadow *s)
{
    if (!s->group)
        return;
    group_end(s->group);
    sim_give_group((Sim *)s->engine, s->group);
    s->group = NULL;
}

/* The first byte of the range where the two differ; `end`: none. */
static u64 find_difference(const Memory *a, const Memory *b, u64 at, u64 end)
{
    while (at < end && a->base[at] == b->base[at])
        at++;
    return at;
}

bool shadow_end(Shadow *s, bool faulted, u64 *addr)
{
    bool same = true;
    end_group(s);
    const u64 past = s->memory.end >> PAGE_BITS;
    for (u64 p = next_page(s->real, 0, past); !faulted && same && p < past;
         p = next_page(s->real, p + 1, past)) {
        const u64 at = p << PAGE_BITS;
        same = !memcmp(s->real->base + at, s->memory.base + at, PAGE_SIZE);
        if (!same)
            *addr = find_difference(s->real, &s->memory, at, at + PAGE_SIZE);
    }
    if (!same)
        buf_printf(&s->report,
                   "at the end, byte 0x%08llx is %02x in host code, %02x in the interpreter",
                   (unsigned long long)*addr, s->real->base[*addr], s->memory.base[*addr]);
    sim_kind.close(s->engine);
    memory_close(&s->memory);
    pthread_mutex_unlock(&s->lock);
    return same;
}

/* --- a turn ----------------------------------------------------------------------------------- */

u64 shadow_before(Shadow *s, Warp *w, u64 slice)
{
    const Group *g = w->group;
    const bool often = !(g->linear & 1);
    if (s->group && s->linear != g->linear)
        end_group(s);
    if (!s->group && (s->group = sim_take_group((Sim *)s->engine, &s->launch))) {
        s->linear = g->linear;
        group_begin(s->group, g->linear, 0);
        group_note_accesses(s->group, often ? NOTE_EACH : NOTE_NOTHING);
    }
    if (s->group && s->group->warps[w->id].state == WARP_WAITING)
        group_pass_barrier(s->group); /* as the group did */
    s->began = w->ninsns;
    s->pc = w->pc;
    return often ? 1 : slice;
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

static bool same_registers(Shadow *s, const Warp *a, const Warp *b, const RegSet *live)
{
    const u32 lanes = s->launch.lanes;
    char what[32];
    for (u32 n = 1; n < 64; n++)
        if (live->x >> n & 1 && a->x[n] != b->x[n]) {
            snprintf(what, sizeof what, "x%u", n);
            return differ(s, what, a->x[n], b->x[n]);
        }
    for (u32 n = 0; n < 256; n++)
        for (u32 i = 0; regset_has_v(live, n) && i < lanes; i++)
            if (a->v[n][i] != b->v[n][i]) {
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

/* Registers that nobody reads may be old ones after host code; with the twin's they can be compared
 * later. */
static void take_dead(Warp *a, const Warp *b, const RegSet *live)
{
    for (u32 n = 1; n < 64; n++)
        if (!(live->x >> n & 1))
            a->x[n] = b->x[n];
    for (u32 n = 0; n < 256; n++)
        if (!regset_has_v(live, n))
            memcpy(a->v[n], b->v[n], sizeof a->v[n]);
}

void shadow_after(Shadow *s, Warp *w, const RegSet *live, bool flags)
{
    static const RegSet nothing;
    Group *g = w->group;
    if (!s->group) {
        warp_fault(w, FAULT_NO_MEMORY, w->pc, -1);
        return;
    }
    take_host_flags(w);
    Warp *twin = &s->group->warps[w->id];
    follow(twin, w->ninsns, false);
    if (g->faulted && !s->group->faulted)
        follow(twin, w->ninsns, true);
    if (g->faulted || w->state == WARP_DONE)
        live = &nothing;
    const bool same = g->faulted ? same_fault(s, g, s->group) : same_state(s, w, twin, flags);
    if (same && same_registers(s, w, twin, live) && same_memory(s, g, s->group)) {
        take_dead(w, twin, live);
        return;
    }
    buf_printf(&s->report, ", after instructions %llu to %llu of the warp, from pc 0x%08x on",
               (unsigned long long)s->began + 1, (unsigned long long)w->ninsns, s->pc);
    g->faulted = false; /* this is what counts */
    warp_fault(w, FAULT_DIFFERS, w->pc, -1);
}
