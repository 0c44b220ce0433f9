/* group.c -- making, lending and taking back contexts; first registers of each warp. */
#include "sim/group.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

/* Registers start with poison instead of zeros in the hostile build: a program whose result
 * changes depended on luck. */
#ifdef HOSTILE
enum { HAS_ZEROS = false };
static void poison(Warp *w)
{
    memset(w->v, 0xa5, sizeof w->v);
    memset(&w->x[1], 0xa5, sizeof w->x - sizeof w->x[0]);
}
#else
enum { HAS_ZEROS = true };
static void poison(Warp *w) { (void)w; }
#endif

/* --- contexts ------------------------------------------------------------------- */

void context_drop(Group *g)
{
    for (u32 k = 0; g->warps && k < g->capwarps; k++)
        mem_free(g->warps[k].simt);
    memory_close(&g->lds);
    mem_free(g->lds_dirty.page);
    mem_free(g->pds_dirty.page);
    mem_free(g->pending);
    mem_free(g->touched);
    free(g->streams);
    free(g->warps);
    mem_free(g);
}

static Group *context_new(void)
{
    Group *g = mem_zalloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->streams = aligned_alloc(64, sizeof *g->streams);
    if (!g->streams || !memory_open(&g->lds, LDS_LO, LDS_END)) {
        free(g->streams);
        mem_free(g);
        return NULL;
    }
    memset(g->streams, 0, sizeof *g->streams);
    memory_map(&g->lds, LDS_LO, LDS_END - LDS_LO, MEM_R | MEM_TRACKED);
    return g;
}

/* room for the warps of a group */
static bool context_grow(Group *g, u32 warps)
{
    if (warps <= g->capwarps)
        return true;
    Warp *more = aligned_alloc(64, warps * sizeof(Warp));
    if (!more)
        return false;
    memset((void *)more, 0, warps * sizeof(Warp));
    for (u32 k = 0; k < g->capwarps; k++) {
        more[k].simt = g->warps[k].simt;
        more[k].capsimt = g->warps[k].capsimt;
    }
    free(g->warps);
    g->warps = more;
    g->capwarps = warps;
    return true;
}

void contexts_open(Contexts *c)
{
    *c = (Contexts){.idle = NULL};
    pthread_mutex_init(&c->lock, NULL);
}

void contexts_close(Contexts *c)
{
    while (c->idle) {
        Group *g = c->idle;
        c->idle = g->next;
        context_drop(g);
    }
    pthread_mutex_destroy(&c->lock);
}

void group_forget_ranges(Group *g, bool stores)
{
    for (u32 i = 0; i < PLAIN_SITES / 64; i++)
        for (u64 *left = &g->asked[stores][i]; *left; *left &= *left - 1)
            g->plain[stores][64 * i + (u32)__builtin_ctzll(*left)] = (PlainRange){0};
    memset(g->recent[stores], 0, sizeof g->recent[stores]);
}

Group *context_take(Contexts *c, const Launch *l)
{
    pthread_mutex_lock(&c->lock);
    Group *g = c->idle;
    if (g)
        c->idle = g->next;
    pthread_mutex_unlock(&c->lock);
    if (!g && !(g = context_new()))
        return NULL;
    if (!context_grow(g, l->warps)) {
        context_drop(g);
        return NULL;
    }
    g->launch = l;
    if (l->mmu)
        g->tlb = (Tlb){.vpn = {0}};
    g->clock = NULL;
    g->area = 0;
    g->owns_private = false;
    g->compiled = 0;
    g->start[false] = g->start[true] = NULL;
    g->has_sought = false;
    g->constants_of[false] = g->constants_of[true] = NULL;
    for (u32 stores = 0; stores < 2; stores++)
        group_forget_ranges(g, stores);
    memset(g->apart, 0, sizeof g->apart);
    memory_clean(&g->lds, &g->lds_dirty);
    g->guard = (Guard){.part = {{0}}};
    group_note_accesses(g, NOTE_NOTHING);
    return g;
}

void context_give(Contexts *c, Group *g)
{
    pthread_mutex_lock(&c->lock);
    g->next = c->idle;
    c->idle = g;
    pthread_mutex_unlock(&c->lock);
}

/* --- groups --------------------------------------------------------------------- */

/* The lanes of warp k that have a work-item. */
static u32 first_mask(const Launch *l, u32 k)
{
    const u32 every = l->lanes == 32 ? UINT32_MAX : (1u << l->lanes) - 1;
    const u64 items = (u64)l->local[0] * l->local[1] * l->local[2];
    const u64 first = (u64)k * l->lanes;
    if (l->all_lanes || !items || first + l->lanes <= items)
        return every;
    return first >= items ? 0 : (1u << (items - first)) - 1;
}

void warp_settle(Warp *w, u64 kept_x, const u64 kept_v[4])
{
    const u32 n = w->group->launch->vgprs;
    if (!kept_x)
        memset(&w->x[1], 0, sizeof w->x - sizeof *w->x);
    else
        for (u64 left = ~kept_x & ~(u64)1; left; left &= left - 1)
            w->x[__builtin_ctzll(left)] = 0;
    /* row after row at once: compilers clear one by an instruction that takes long to begin */
    for (u32 i = 0, end; i < n; i = end + 1) {
        for (end = i; end < n && !(kept_v && kept_v[end >> 6] >> (end & 63) & 1); end++)
            ;
        memset(w->v[i], 0, (end - i) * sizeof w->v[i]);
    }
    w->is_fresh = false;
}

void warp_begin(Warp *w, Group *g, u32 k)
{
    const Launch *l = g->launch;
    w->group = g;
    w->id = k;
    w->tid = k * l->lanes;
    w->pc = l->pc;
    w->vl = l->lanes;
    w->vtype = WARP_VTYPE;
    w->full = l->lanes == 32 ? UINT32_MAX : (1u << l->lanes) - 1;
    w->initial = w->mask = first_mask(l, k);
    w->state = w->initial ? WARP_READY : WARP_DONE;
    w->fflags = w->frm = w->vxrm = w->vxsat = 0;
    w->rpc = w->nsimt = w->reserved = w->reentry = w->handled = 0;
    w->mstatus = w->mie = w->mip = w->mscratch = w->mepc = w->mcause = w->mtval = w->print = 0;
    w->ninsns = 0;
    w->host = NULL;
    w->is_fresh = HAS_ZEROS && l->keeps_registers;
    if (!w->is_fresh)
        warp_settle(w, 0, NULL);
    poison(w);
    warp_set_exec(w);
}

/* hosts divide words faster */
static u64 quotient(u64 a, u32 b) { return a <= UINT32_MAX ? (u32)a / b : a / b; }

u64 group_pds_size(const Launch *l)
{
    return align_up((u64)l->pds_lane * l->lanes * l->warps, PAGE_SIZE);
}

void group_place(Group *g, u64 linear)
{
    const Launch *l = g->launch;
    const u64 row = quotient(linear, l->groups[0]), layer = quotient(row, l->groups[1]);
    g->linear = linear;
    g->id[0] = (u32)(linear - row * l->groups[0]);
    g->id[1] = (u32)(row - layer * l->groups[1]);
    g->id[2] = (u32)layer;
    g->lds_base = LDS_LO;
    g->pds_base = l->pds + (u32)((l->pds_by_group ? linear
                                  : l->pds_areas  ? g->area
                                                  : 0) *
                                 group_pds_size(l));
}

void group_begin(Group *g, u64 linear)
{
    const Launch *l = g->launch;
    group_place(g, linear);
    g->nwarps = l->warps;
    g->faulted = false;
    g->reservations = 0;
    g->npending = g->ntouched = 0;
    for (u32 k = 0; k < l->warps; k++)
        warp_begin(&g->warps[k], g, k);
}

void group_end(Group *g)
{
    memory_clear(&g->lds, &g->lds_dirty);
    if (g->owns_private)
        memory_clear(g->launch->memory, &g->pds_dirty);
    else
        memory_clean(g->launch->memory, &g->pds_dirty);
}

u32 group_count_warps(const Group *g, enum WarpState state)
{
    u32 n = 0;
    for (u32 k = 0; k < g->nwarps; k++)
        n += g->warps[k].state == state;
    return n;
}

bool group_pass_barrier(Group *g)
{
    bool any = false;
    for (u32 k = 0; k < g->nwarps; k++)
        if (g->warps[k].state == WARP_WAITING) {
            g->warps[k].state = WARP_READY;
            any = true;
        }
    return any;
}

u64 group_insns(const Group *g)
{
    u64 n = 0;
    for (u32 k = 0; k < g->nwarps; k++)
        n += g->warps[k].ninsns;
    return n;
}
