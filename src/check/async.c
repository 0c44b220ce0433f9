/* async.c -- asynchronous copies and waits that the work-items of a group do not make alike, and
 * events that no copy gave, or that nobody waits for.
 *
 * What a work-item asks for is a row of entries: the operands of its copies and the events that it
 * waits for, as the program notes them (obj/notes.h).  The rows of all work-items of a group must
 * be the same.  The one that is ahead appends to the group's row, the others are compared with it;
 * at a barrier and at the group's end all must be equally far.  After the first difference the rest
 * of the group is not looked at.
 *
 * An event is a number, from 1 on: how many copies of the group made an event of their own.
 */
#include "base/mem.h"
#include "check/internal.h"
#include "obj/notes.h"
#include <stdio.h>
#include <string.h>

/* What a work-item told. */
typedef struct {
    u64 slot; /* where it is stored: the operand of a call */
    u32 value, pc, item;
    u32 answer; /* of a copy's last operand: its event */
} Entry;

/* An event that copies gave. */
typedef struct {
    u32 pc, item; /* of the last one */
    u32 waited;   /* 0: not yet; else Async.part at the time */
} Given;

struct Async {
    Entry *row; /* since the last barrier */
    size_t n, cap;
    u32 part;  /* of the group's run between barriers, from 1 on */
    u32 *told; /* by work-item: entries of the row that it has told */
    u32 items, capitems;
    Given *given; /* by number - 1 */
    size_t ngiven, capgiven;
    u32 *event; /* by work-item: what its last copy answers */
    bool is_lost;
    bool failed; /* out of memory */
};

Async *async_new(void) { return mem_zalloc(1, sizeof(Async)); }

void async_free(Async *t)
{
    if (!t)
        return;
    mem_free(t->row);
    mem_free(t->told);
    mem_free(t->event);
    mem_free(t->given);
    mem_free(t);
}

void async_group(Async *t, const Group *g)
{
    t->items = g->nwarps * g->launch->lanes;
    t->n = t->ngiven = 0;
    t->is_lost = false;
    t->part = 1;
    if (t->items > t->capitems) {
        mem_free(t->told);
        mem_free(t->event);
        t->told = mem_alloc(t->items * sizeof *t->told);
        t->event = mem_alloc(t->items * sizeof *t->event);
        t->capitems = t->told && t->event ? t->items : 0;
        t->failed |= !t->capitems;
    }
    if (!t->failed)
        memset(t->told, 0, t->items * sizeof *t->told);
}

bool async_lacks(const Async *t) { return t->failed; }

/* --- reports -------------------------------------------------------------------------------- */

/* The name of the function that a note belongs to, by the slot of one of its operands. */
static void name_of(const Check *c, const Warp *w, u64 slot, char *name, size_t size)
{
    u32 kind = 0;
    while (read_guest(c, w, slot + NOTE_KIND, &kind, sizeof kind) && kind & NOTE_ASYNC) {
        slot += NOTE_OPERAND;
        if (kind & NOTE_LAST)
            break;
    }
    notes_text(c, w, slot, name, size);
}

static u32 number_of_operand(const Check *c, const Warp *w, u64 slot)
{
    u32 kind = 0;
    return read_guest(c, w, slot + NOTE_KIND, &kind, sizeof kind) ? kind & NOTE_BITS : 0;
}

static bool is_wait(const char *name) { return !strncmp(name, "wait", 4); }

/* Reports what the work-item did at pc; `label`, or NULL: what to call the place of the entry. */
static void tell(Check *c, const Warp *w, u32 pc, u32 item, const char *sentence, const char *label,
                 const Entry *other)
{
    const Finding f = {CHECK_barrier, w, pc, label ? other->pc : 0, 0, (int)(item - w->tid)};
    Buf more = {0};
    if (!is_new(c, &f))
        return;
    if (label)
        put_other(c, w->group->launch, other->pc, label, group_number(w->group), other->item,
                  &more);
    report(c, &f, sentence, buf_text(&more));
    buf_free(&more);
}

/* The work-item told something else than the one before it. */
static void report_difference(Check *c, const Warp *w, const Entry *mine, const Entry *theirs)
{
    char name[64], text[200];
    name_of(c, w, mine->slot, name, sizeof name);
    if (mine->slot != theirs->slot)
        snprintf(text, sizeof text,
                 "divergent asynchronous %s: another work-item of the group is at another call",
                 is_wait(name) ? "wait" : "copy");
    else if (is_wait(name))
        snprintf(text, sizeof text,
                 "divergent asynchronous wait: work-items of the group wait for different events");
    else
        snprintf(
            text, sizeof text,
            "divergent asynchronous copy: argument %u of '%s' is 0x%x here, and 0x%x for another "
            "work-item of the group",
            number_of_operand(c, w, mine->slot), name, mine->value, theirs->value);
    tell(c, w, mine->pc, mine->item, text, "other", theirs);
}

/* --- events --------------------------------------------------------------------------------- */

static Given *find_given(Async *t, u32 event)
{
    return event && event <= t->ngiven ? &t->given[event - 1] : NULL;
}

static void wait_for(Check *c, const Warp *w, const Entry *e)
{
    Async *t = c->async;
    Given *g = find_given(t, e->value);
    if (!g)
        tell(c, w, e->pc, e->item, "wait for an event that no asynchronous copy gave", NULL, NULL);
    else if (g->waited && g->waited != t->part) /* twice in one list is allowed */
        tell(c, w, e->pc, e->item, "wait for an event that was waited for before", "copied",
             &(Entry){.pc = g->pc, .item = g->item});
    if (g)
        g->waited = t->part;
}

static void copy_with(Check *c, const Warp *w, Entry *e)
{
    Async *t = c->async;
    Given *g = find_given(t, e->value);
    if (e->value && !g)
        tell(c, w, e->pc, e->item, "asynchronous copy with an event that no other one gave", NULL,
             NULL);
    if (!g) {
        if (!array_grow(t->given, t->ngiven, t->capgiven)) {
            t->failed = true;
            return;
        }
        g = &t->given[t->ngiven++];
    }
    *g = (Given){.pc = e->pc, .item = e->item};
    e->answer = (u32)(g - t->given) + 1;
}

/* --- what is told --------------------------------------------------------------------------- */

/* The work-item ahead of the others does the next thing. */
static void go_on(Check *c, const Warp *w, const Entry *e, u32 kind)
{
    Async *t = c->async;
    char name[64];
    if (!array_grow(t->row, t->n, t->cap)) {
        t->failed = true;
        return;
    }
    Entry *mine = &t->row[t->n++];
    *mine = *e;
    if (!(kind & NOTE_LAST))
        return;
    name_of(c, w, e->slot, name, sizeof name);
    if (is_wait(name))
        wait_for(c, w, mine);
    else
        copy_with(c, w, mine);
}

void async_operand(Check *c, const Access *a, u32 lane, u32 kind, u32 value)
{
    Async *t = c->async;
    const u32 item = a->warp->tid + lane;
    const Entry e = {.slot = a->addr, .value = value, .pc = a->pc, .item = item};
    if (!t || t->is_lost || t->failed || item >= t->items)
        return;
    const u32 at = t->told[item]++;
    if (at == t->n) {
        go_on(c, a->warp, &e, kind);
    } else if (t->row[at].slot != e.slot || t->row[at].value != value) {
        report_difference(c, a->warp, &e, &t->row[at]);
        t->is_lost = true;
    }
    t->event[item] = t->failed ? 0 : t->row[at].answer;
}

void async_answer(Check *c, const Event *e)
{
    const Async *t = c->async;
    const IsaFacts *f = e->step->facts;
    for (int i = 0; t && !t->is_lost && !t->failed && i < f->nregs; i++) {
        const IsaRegs *d = &f->reg[i];
        for (u32 left = d->is_written ? e->step->exec : 0; left; left &= left - 1) {
            const u32 lane = (u32)__builtin_ctz(left), item = e->warp->tid + lane;
            if (d->is_vector && item < t->items)
                e->warp->v[d->first][lane] = t->event[item];
            else if (!d->is_vector && d->first && item < t->items)
                e->warp->x[d->first] = t->event[item];
        }
    }
}

/* --- barriers and ends ---------------------------------------------------------------------- */

/* The first work-item of the warp that has told less than the row has; -1: none has. */
static int late_item(const Async *t, const Warp *w)
{
    for (u32 left = w->initial; left; left &= left - 1) {
        const u32 item = w->tid + (u32)__builtin_ctz(left);
        if (item < t->items && t->told[item] < t->n)
            return (int)item;
    }
    return -1;
}

/* All work-items of the group must have told the same. */
static void look_at_late(Check *c, const Group *g)
{
    Async *t = c->async;
    for (u32 k = 0; k < g->nwarps && !t->is_lost; k++) {
        const Warp *w = &g->warps[k];
        const int item = late_item(t, w);
        if (item < 0)
            continue;
        const Entry *e = &t->row[t->told[item]];
        const Warp *by = &g->warps[e->item / g->launch->lanes];
        const Finding f = {CHECK_barrier, by, e->pc, 0, 0, (int)(e->item - by->tid)};
        char name[64], text[128];
        Buf more = {0};
        name_of(c, by, e->slot, name, sizeof name);
        snprintf(text, sizeof text,
                 "divergent asynchronous %s: some work-items of the group do not reach it",
                 is_wait(name) ? "wait" : "copy");
        if (is_new(c, &f)) {
            buf_str(&more, "\n  not here    ");
            put_item(g->launch, group_number(g), (u32)item, &more);
            report(c, &f, text, buf_text(&more));
        }
        buf_free(&more);
        t->is_lost = true;
    }
}

void async_barrier(Check *c, const Group *g)
{
    Async *t = c->async;
    t->part++;
    if (!t->n || t->is_lost || t->failed)
        return;
    look_at_late(c, g);
    t->n = 0;
    memset(t->told, 0, t->items * sizeof *t->told);
}

void async_end(Check *c, const Group *g)
{
    Async *t = c->async;
    async_barrier(c, g);
    for (size_t i = 0; i < t->ngiven && !t->is_lost && !t->failed && !g->faulted; i++) {
        const Given *x = &t->given[i];
        if (!x->waited)
            tell(c, &g->warps[x->item / g->launch->lanes], x->pc, x->item,
                 "asynchronous copy that the kernel does not wait for", NULL, NULL);
    }
}
