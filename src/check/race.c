/* race.c -- accesses of two work-items to the same bytes that nothing puts into an order.
 *
 * What is found does not depend on which work-item happened to come first.  Each word of memory
 * keeps who wrote it last, and two who read it and two who changed it by atomics last; of more, two
 * that conflict with whatever comes are enough.  An entry has the work-item, a time and the place.
 * The time is a count of the group's; accesses of a group before a barrier (with the flag for that
 * memory) are in order with those after it.  Groups are in no order, also those of different parts
 * of a grid (mach/grid.c), which the launches of one driver's kernel are: each has its number in
 * the grid.
 *
 * Fences and atomics: what a work-item did before a fence that is followed by an atomic is in order
 * with what another does after an atomic, made later, and a fence or barrier after that.  Which
 * word the atomics are on is not looked at, so that some races are missed and none is invented.
 * Each such release has a number; a work-item knows those up to the number that was current at its
 * last atomic before its last fence.  All of a group know after a barrier what one of them knew.
 *
 * That several write the same value is no report, as long as nobody else reads it.
 */
#include "check/race.h"
#include "base/mem.h"
#include <inttypes.h>
#include <string.h>

/* --- life ---------------------------------------------------------------------------------- */

Race *race_new(void)
{
    Race *r = mem_zalloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->site = mem_zalloc(NSITES, sizeof *r->site);
    r->number_of = mem_zalloc(NSITES * 2, sizeof *r->number_of);
    r->mark = mem_zalloc(NSITES, sizeof *r->mark);
    if (r->site && r->number_of && r->mark)
        return r;
    race_free(r);
    return NULL;
}

void race_free(Race *r)
{
    if (!r)
        return;
    race_forget(r);
    mem_free(r->site);
    mem_free(r->number_of);
    mem_free(r->mark);
    mem_free(r->release);
    mem_free(r->newest);
    mem_free(r);
}

void race_begin(Race *r, const Launch *l, const void *grid)
{
    const u32 *n = launch_grid(l);
    const bool goes_on = grid && grid == r->grid && (l->first[0] || l->first[1] || l->first[2]);
    r->grid = grid;
    r->lanes = l->lanes;
    r->items = l->lanes * l->warps;
    if (goes_on)
        return;
    race_forget(r);
    mem_free(r->newest);
    r->nrelease = 0;
    r->ngroups = (size_t)n[0] * n[1] * n[2];
    r->newest = mem_zalloc(r->ngroups, sizeof *r->newest);
    r->failed = !r->newest;
    memset(r->number_of, 0, NSITES * 2 * sizeof *r->number_of);
    r->nsite = r->last_pc = 0;
    r->has_copies = false;
}

static void begin_group(Race *r, u64 number)
{
    r->group = number;
    r->time = 1;
    r->barrier[0] = r->barrier[1] = 0;
    r->wait[0] = r->wait[1] = 0;
    r->flags = 0;
    memset(r->fence, 0, r->items * sizeof *r->fence);
    memset(r->released, 0, r->items * sizeof *r->released);
    memset(r->knows, 0, r->items * sizeof *r->knows);
    memset(r->heard, 0, r->items * sizeof *r->heard);
}

void race_group(Race *r, const Group *g) { begin_group(r, group_number(g)); }
bool race_lacks(const Race *r) { return r->failed; }

static void tick(Race *r)
{
    if (r->time++ < LAST_TIME)
        return;
    race_forget(r); /* too long ago to be told apart */
    begin_group(r, r->group);
}

/* the number of a place */
static u32 find_site(Check *c, u32 pc)
{
    Race *r = c->race;
    const u32 mask = NSITES * 2 - 1;
    for (u32 i = (pc >> 2) * 2654435761u >> 15 & mask;; i = (i + 1) & mask) {
        if (!r->number_of[i]) {
            if (r->nsite == NSITES - 1)
                return NSITES - 1; /* more places than can be told apart */
            r->site[++r->nsite] = pc;
            r->mark[r->nsite] = (u8)mark_at(c, pc);
            r->number_of[i] = (u16)r->nsite;
            return r->nsite;
        }
        if (r->site[r->number_of[i]] == pc)
            return r->number_of[i];
    }
}

static u32 site_of(Check *c, u32 pc)
{
    Race *r = c->race;
    if (r->last_pc != pc) {
        r->last_site = find_site(c, pc);
        r->last_pc = pc;
    }
    return r->last_site;
}

/* --- order ------------------------------------------------------------------------------------ */

bool race_is_released(const Job *j, Entry e)
{
    const Race *r = j->r;
    const u32 knows = r->knows[item_of(j->me)];
    const u64 group = (r->group & ~(u64)((1 << GROUP_BITS) - 1)) | e >> GROUP_AT;
    if (!knows || group >= r->ngroups)
        return false;
    for (u32 i = r->newest[group]; i; i = r->release[i - 1].previous) {
        const Release *x = &r->release[i - 1];
        if (i <= knows &&
            (time_of(e) < x->group_time || (x->item == item_of(e) && time_of(e) < x->item_time)))
            return true;
    }
    return false;
}

/* --- reports ---------------------------------------------------------------------------------- */

static const char *what_does(bool writes, bool is_atomic)
{
    return is_atomic ? "atomic" : writes ? "store" : "load";
}

void race_report(const Job *j, Entry e, const char *other)
{
    const Access *a = j->a;
    const Launch *l = a->warp->group->launch;
    const u32 pc = j->r->site[site_in(e)];
    const DrvExtent *x = extent_find(j->c, a->addr);
    const int lane = (int)(item_of(j->me) % ASYNC % j->r->lanes);
    const Finding f = {CHECK_race, a->warp, a->pc, pc, x ? x->addr : a->addr, lane};
    Buf text = {0}, more = {0};
    if (!is_new(j->c, &f))
        return;
    const u64 group = (j->r->group & ~(u64)((1 << GROUP_BITS) - 1)) | e >> GROUP_AT;
    buf_printf(&text, "%s%s of %u byte%s ", is_async(j->me) ? "asynchronous " : "",
               what_does(a->writes, j->is_atomic), a->size, a->size == 1 ? "" : "s");
    put_whereabouts(j->c, a->addr, a->size, &text);
    buf_printf(&text, ", and the %s of %s%s, in no order", other,
               is_async(e) ? "an asynchronous copy" : "another work-item",
               group == j->r->group ? "" : " in another group");
    put_other(j->c, l, pc, other, group, item_of(e) % ASYNC, &more);
    report(j->c, &f, buf_text(&text), buf_text(&more));
    buf_free(&text);
    buf_free(&more);
}

/* --- fences ----------------------------------------------------------------------------------- */

void race_after_atomic(const Job *j)
{
    Race *r = j->r;
    const u32 item = item_of(j->me), fence = r->fence[item];
    /* 1. it may have heard of all releases so far */
    r->heard[item] = (u32)r->nrelease;
    /* 2. and tells what was before its fence, or a barrier */
    if (!j->a->writes || (!fence && !r->barrier[1]) ||
        r->released[item] == fence + r->barrier[1] + 1)
        return;
    r->released[item] = fence + r->barrier[1] + 1;
    if (!array_grow(r->release, r->nrelease, r->caprelease)) {
        r->failed = true;
        return;
    }
    r->release[r->nrelease++] = (Release){.group = r->group,
                                          .item = item,
                                          .item_time = fence,
                                          .group_time = r->barrier[1],
                                          .previous = r->newest[r->group]};
    r->newest[r->group] = (u32)r->nrelease;
}

/* --- accesses --------------------------------------------------------------------------------- */

/* What the instruction stores, by lane; *is_scalar: all store the first.  NULL: it does not. */
static const u32 *stored(const Warp *w, const IsaFacts *f, bool *is_scalar)
{
    for (int i = 0; i < f->nregs; i++)
        if (f->reg[i].role == ROLE_VALUE) {
            *is_scalar = !f->reg[i].is_vector;
            return *is_scalar ? &w->x[f->reg[i].first] : w->v[f->reg[i].first];
        }
    return NULL;
}

/* Whether the instruction's row was noted all at once. */
static bool takes_row(Job *j, const Warp *w, const u32 *value)
{
    const Row *row = j->c->row;
    const u32 lane = row ? (u32)__builtin_ctz(j->a->step->exec) : 0;
    if (!row || j->is_atomic || !row->is_run || row->size != 4 || row->lo & 3)
        return false;
    const u64 first = row->lo - 4 * lane; /* where lane 0's word is, if it has one */
    if (first >> PAGE_BITS != (row->end - 1) >> PAGE_BITS)
        return false;
    RacePage *p = race_page(j->r, row->lo >> PAGE_BITS);
    return p && p->n < PAGE_SIZE && !p->changed[0] &&
           race_note_row(j, p, first / 4 % (PAGE_SIZE / 4), w->on, row->writes ? value : NULL);
}

/* The lanes that stand for all whose access t is: of loads of the same bytes two are enough. */
static u32 lanes_of(const Step *s, const Touch *t)
{
    if (t->lane >= 0)
        return 1u << t->lane;
    return t->writes || !s->exec
               ? s->exec
               : 1u << __builtin_ctz(s->exec) | 1u << (31 - __builtin_clz(s->exec));
}

/* Where the next access of the instruction is; a load of all lanes from one place is one. */
static bool next_place(const Job *j, const Event *e, Walk *at, Touch *t)
{
    const Row *row = j->c->row;
    if (!row || row->writes || row->end - row->lo != row->size)
        return walk(e, at, t);
    *t = (Touch){.addr = row->lo, .size = row->size, .lane = -1, .reads = true};
    return !at->i++;
}

void race_access(Check *c, const Event *e)
{
    Race *r = c->race;
    if (r->failed || (c->row && c->row->is_private)) /* which nobody else accesses */
        return;
    const Warp *w = e->warp;
    bool is_scalar = true;
    const u32 *value = stored(w, e->step->facts, &is_scalar);
    Access a = access_of(c, e);
    Job j = {.c = c, .a = &a, .r = r, .site = site_of(c, a.pc)};
    Walk at = {0};
    Touch t;
    if (a.is_atomic)
        r->mark[j.site] = LINES_ATOMIC;
    j.is_atomic = r->mark[j.site] == LINES_ATOMIC;
    r->has_copies |= r->mark[j.site] == LINES_ASYNC;
    const u32 agent = r->mark[j.site] == LINES_ASYNC ? ASYNC : 0;
    const Entry first = (u64)(r->group & ((1 << GROUP_BITS) - 1)) << GROUP_AT |
                        (u64)((w->id * r->lanes & (ASYNC - 1)) | agent) << ITEM_AT |
                        (u64)r->time << TIME_AT | j.site;
    while (next_place(&j, e, &at, &t)) {
        access_at(&a, &t);
        if (a.is_private || (t.addr >= c->stacks_lo && t.addr < c->stacks_end))
            continue;
        j.is_local = t.addr - LDS_LO < LDS_END - LDS_LO;
        j.since = r->barrier[!j.is_local];
        j.waited = r->wait[!j.is_local];
        j.me = first;
        if (t.lane >= 0 && c->row && c->row->size == 4) {
            if (!takes_row(&j, w, value))
                race_look_lanes(&j, &a, w->addr, e->step->exec, a.writes ? value : NULL);
            return;
        }
        for (u32 left = lanes_of(e->step, &t); left; left &= left - 1) {
            const u32 lane = (u32)__builtin_ctz(left);
            j.me = first + ((u64)lane << ITEM_AT);
            j.value = !a.writes || !value ? 0 : is_scalar ? *value : value[lane];
            race_look(&j);
            if (j.is_atomic)
                race_after_atomic(&j);
        }
    }
}

enum { FENCE_LOCAL = 1, FENCE_GLOBAL = 2, FENCE_COPIES = 4 };

void race_step(Check *c, const Event *e)
{
    Race *r = c->race;
    const Step *s = e->step;
    if (isa_insn[s->id].effect == E_BARRIER) {
        const u32 flags = (u32)s->word >> 15 & 3;
        r->flags |= flags ? flags : FENCE_LOCAL | FENCE_GLOBAL;
        if (mark_at(c, step_pc(s)) == LINES_WAIT)
            r->flags |= FENCE_COPIES;
        return;
    }
    if (isa_insn[s->id].effect != E_FENCE)
        return;
    tick(r);
    for (u32 left = s->exec; left; left &= left - 1) {
        const u32 item = (e->warp->id * r->lanes + (u32)__builtin_ctz(left)) & (ASYNC - 1);
        r->fence[item] = r->time;
        if (r->knows[item] < r->heard[item])
            r->knows[item] = r->heard[item];
    }
}

void race_barrier(Check *c, const Group *g)
{
    Race *r = c->race;
    u32 most = 0;
    (void)g;
    tick(r);
    if (r->flags & FENCE_LOCAL)
        r->barrier[0] = r->time;
    if (r->flags & FENCE_GLOBAL)
        r->barrier[1] = r->time;
    if (r->flags & FENCE_COPIES)
        memcpy(r->wait, r->barrier, sizeof r->wait);
    r->flags = 0;
    for (u32 i = 0; i < r->items; i++) /* who knows more has heard of it from one of them */
        most = r->heard[i] > most ? r->heard[i] : most;
    for (u32 i = 0; most && i < r->items; i++)
        r->knows[i] = most;
}
