/* race.c -- accesses of two work-items to the same bytes that nothing puts into an order.
 *
 * What is found does not depend on which work-item happened to come first.  Each word of memory
 * keeps who wrote it last, and two who read it and two who changed it by atomics last; of more, two
 * that conflict with whatever comes are enough.  An entry has the work-item, a time and the place.
 * The time is a count of the group's; accesses of a group before a barrier (with the flag for that
 * memory) are in order with those after it.  Groups are in no order.
 *
 * Fences and atomics: what a work-item did before a fence that is followed by an atomic is in order
 * with what another does after an atomic, made later, and a fence or barrier after that.  Which
 * word the atomics are on is not looked at, so that some races are missed and none is invented.
 * Each such release has a number; a work-item knows those up to the number that was current at its
 * last atomic before its last fence.  All of a group know after a barrier what one of them knew.
 *
 * That several write the same value is no report, as long as nobody else reads it.
 */
#include "check/internal.h"
#include "base/mem.h"
#include <inttypes.h>
#include <string.h>

/* group 20 bits, work-item in it 10, time 18, site 16; 0: nothing */
typedef u64 Entry;
enum { SITE_BITS = 16, TIME_BITS = 18, ITEM_BITS = 10, GROUP_BITS = 20 };
enum { TIME_AT = SITE_BITS, ITEM_AT = TIME_AT + TIME_BITS, GROUP_AT = ITEM_AT + ITEM_BITS };
enum { LAST_TIME = (1 << TIME_BITS) - 1, NITEMS = 1 << ITEM_BITS, NSITES = 1 << SITE_BITS };

/* What is known of a word, or of a byte where accesses are smaller than words. */
typedef struct {
    Entry wrote, changed[2], read[2];
    u32 value;              /* that `wrote` stored */
    u32 lanes;              /* of its warp that stored the same in the same instruction */
} Word;

typedef struct {
    u64 number;             /* address / PAGE_SIZE */
    bool is_bytes;          /* an entry for each byte */
    Word *word;
} Page;

/* A release: accesses of the item before item_time, and of its group before group_time. */
typedef struct {
    u64 group;
    u32 item, item_time, group_time;
    u32 previous;           /* of the group, + 1 */
} Release;

struct Race {
    Page **page;            /* by a hash of the number */
    size_t npage, cappage;  /* cappage a power of two */
    Page *last;
    u32 *site;              /* pcs by number */
    bool *is_atomic;        /* the access there, by its line table */
    u32 nsite;
    u16 *number_of;         /* by a hash of the pc */
    u32 last_pc, last_site; /* that was asked for */
    u32 lanes, items;       /* of a warp; of a group's warps */
    /* the group that runs */
    u64 group;
    u32 time, barrier[2];   /* now; of the last barrier for local and for global memory */
    u32 flags;              /* of the barrier that warps have arrived at */
    u32 fence[NITEMS];      /* time of its last fence */
    u32 released[NITEMS];   /* `fence` at its last release, + 1 */
    u32 knows[NITEMS];      /* releases below this number */
    u32 heard[NITEMS];      /* the same, once it passes a fence */
    Release *release;
    size_t nrelease, caprelease;
    u32 *newest;            /* by group: its last release + 1 */
    size_t ngroups;
    bool failed;
};

/* --- life ---------------------------------------------------------------------------------- */

Race *race_new(void)
{
    Race *r = mem_zalloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->site = mem_zalloc(NSITES, sizeof *r->site);
    r->number_of = mem_zalloc(NSITES * 2, sizeof *r->number_of);
    r->is_atomic = mem_zalloc(NSITES, sizeof *r->is_atomic);
    if (r->site && r->number_of && r->is_atomic)
        return r;
    race_free(r);
    return NULL;
}

static void forget(Race *r)
{
    for (size_t i = 0; i < r->cappage; i++)
        if (r->page[i]) {
            mem_free(r->page[i]->word);
            mem_free(r->page[i]);
        }
    mem_free(r->page);
    r->page = NULL;
    r->npage = r->cappage = 0;
    r->last = NULL;
}

void race_free(Race *r)
{
    if (!r)
        return;
    forget(r);
    mem_free(r->site);
    mem_free(r->number_of);
    mem_free(r->is_atomic);
    mem_free(r->release);
    mem_free(r->newest);
    mem_free(r);
}

void race_begin(Race *r, const Launch *l)
{
    forget(r);
    mem_free(r->newest);
    r->nrelease = 0;
    r->ngroups = (size_t)l->groups[0] * l->groups[1] * l->groups[2];
    r->newest = mem_zalloc(r->ngroups, sizeof *r->newest);
    r->failed = !r->newest;
    r->lanes = l->lanes;
    r->items = l->lanes * l->warps;
    memset(r->number_of, 0, NSITES * 2 * sizeof *r->number_of);
    r->nsite = r->last_pc = 0;
}

void race_group(Race *r, const Group *g)
{
    r->group = g->linear;
    r->time = 1;
    r->barrier[0] = r->barrier[1] = 0;
    r->flags = 0;
    memset(r->fence, 0, r->items * sizeof *r->fence);
    memset(r->released, 0, r->items * sizeof *r->released);
    memset(r->knows, 0, r->items * sizeof *r->knows);
    memset(r->heard, 0, r->items * sizeof *r->heard);
}

static void tick(Race *r)
{
    if (r->time++ < LAST_TIME)
        return;
    forget(r); /* too long ago to be told apart */
    race_group(r, &(Group){.linear = r->group});
}

/* the number of a place */
static u32 find_site(Check *c, u32 pc)
{
    Race *r = c->race;
    Place chain[CALLS_SEEN];
    const u32 mask = NSITES * 2 - 1;
    for (u32 i = (pc >> 2) * 2654435761u >> 15 & mask;; i = (i + 1) & mask) {
        if (!r->number_of[i]) {
            if (r->nsite == NSITES - 1)
                return NSITES - 1; /* more places than can be told apart */
            r->site[++r->nsite] = pc;
            r->is_atomic[r->nsite] = places(c, pc, chain) && chain[0].is_atomic;
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

/* --- pages ------------------------------------------------------------------------------------ */

static size_t slot_of(Page *const *table, size_t cap, u64 number)
{
    size_t i = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (cap - 1);
    while (table[i] && table[i]->number != number)
        i = (i + 1) & (cap - 1);
    return i;
}

static bool grow_table(Race *r)
{
    const size_t cap = r->cappage ? r->cappage * 2 : 1024;
    Page **more = mem_zalloc(cap, sizeof(Page *));
    if (!more)
        return false;
    for (size_t i = 0; i < r->cappage; i++)
        if (r->page[i])
            more[slot_of(more, cap, r->page[i]->number)] = r->page[i];
    mem_free(r->page);
    r->page = more;
    r->cappage = cap;
    return true;
}

static Page *find_page(Race *r, u64 number)
{
    if (r->last && r->last->number == number)
        return r->last;
    if (r->npage * 2 >= r->cappage && !grow_table(r))
        return NULL;
    const size_t i = slot_of(r->page, r->cappage, number);
    if (r->page[i])
        return r->last = r->page[i];
    Page *p = mem_zalloc(1, sizeof *p);
    Word *word = mem_zalloc(PAGE_SIZE / 4, sizeof *word);
    if (!p || !word) {
        mem_free(p);
        mem_free(word);
        return NULL;
    }
    *p = (Page){.number = number, .word = word};
    r->page[i] = p;
    r->npage++;
    return r->last = p;
}

/* Gives each byte of the page an entry of its own. */
static bool split(Page *p)
{
    Word *bytes = mem_zalloc(PAGE_SIZE, sizeof *bytes);
    if (!bytes)
        return false;
    for (u32 i = 0; i < PAGE_SIZE; i++) {
        bytes[i] = p->word[i / 4];
        bytes[i].value = bytes[i].value >> i % 4 * 8 & 0xff;
    }
    mem_free(p->word);
    p->word = bytes;
    p->is_bytes = true;
    return true;
}

/* --- order ------------------------------------------------------------------------------------- */

static u32 item_of(Entry e) { return (u32)(e >> ITEM_AT) & (NITEMS - 1); }
static u32 time_of(Entry e) { return (u32)(e >> TIME_AT) & LAST_TIME; }
static u32 site_in(Entry e) { return (u32)e & (NSITES - 1); }

/* One access as it is compared with others. */
typedef struct {
    Check *c;
    const Access *a;
    Race *r;
    Entry me;
    u32 site;
    bool is_atomic;         /* a plain access may be, too */
    u32 since;              /* accesses of the group before this time are in order with it */
    bool is_local;
} Job;

/* whether a release that the work-item knows of comes after the access */
static bool is_released(const Job *j, Entry e)
{
    const Race *r = j->r;
    const u32 knows = r->knows[item_of(j->me)];
    const u64 group = (r->group & ~(u64)((1 << GROUP_BITS) - 1)) | e >> GROUP_AT;
    if (!knows || group >= r->ngroups)
        return false;
    for (u32 i = r->newest[group]; i; i = r->release[i - 1].previous) {
        const Release *x = &r->release[i - 1];
        if (i <= knows && (time_of(e) < x->group_time ||
                           (x->item == item_of(e) && time_of(e) < x->item_time)))
            return true;
    }
    return false;
}

static bool collides(const Job *j, Entry e)
{
    const u64 differs = e ^ j->me;
    if (!e || !(differs >> ITEM_AT))
        return false;
    if (!(differs >> GROUP_AT))
        return time_of(e) >= j->since && !is_released(j, e);
    return !j->is_local && !is_released(j, e);
}

/* Keeps two entries that collide with whatever would collide with one that was there: of different
 * work-items at a time, or better, of different groups. */
static void keep(const Job *j, Entry two[2])
{
    const Entry me = j->me;
    const u64 d0 = two[0] ^ me;
    if (!(d0 >> TIME_AT))
        return;
    if (!two[0] || !(d0 >> ITEM_AT)) {
        two[0] = me;
        return;
    }
    if (d0 >> GROUP_AT) { /* another group's stays as the second */
        two[1] = j->is_local ? 0 : two[0];
        two[0] = me;
    } else if (time_of(two[0]) < j->since) {
        two[0] = me;
        if (!((two[1] ^ me) >> GROUP_AT))
            two[1] = 0;
    } else if (!((two[1] ^ me) >> GROUP_AT) || !two[1]) {
        two[1] = me;
    }
}

/* --- reports ------------------------------------------------------------------------------------ */

static const char *what_does(bool writes, bool is_atomic)
{
    return is_atomic ? "atomic" : writes ? "store" : "load";
}

static void collide(const Job *j, Entry e, const char *other)
{
    const Access *a = j->a;
    const Launch *l = a->warp->group->launch;
    const u32 pc = j->r->site[site_in(e)];
    const DrvExtent *x = extent_find(j->c, a->addr);
    const int lane = (int)(item_of(j->me) % j->r->lanes);
    const Finding f = {CHECK_race, a->warp, a->pc, pc, x ? x->addr : a->addr, lane};
    Buf text = {0}, more = {0};
    if (!is_new(j->c, &f))
        return;
    const u64 group = (j->r->group & ~(u64)((1 << GROUP_BITS) - 1)) | e >> GROUP_AT;
    buf_printf(&text, "%s of %u byte%s ", what_does(a->writes, j->is_atomic), a->size,
               a->size == 1 ? "" : "s");
    put_whereabouts(j->c, a->addr, a->size, &text);
    buf_printf(&text, ", and the %s of another work-item%s, in no order", other,
               group == j->r->group ? "" : " in another group");
    put_other(j->c, l, pc, other, group, item_of(e), &more);
    report(j->c, &f, buf_text(&text), buf_text(&more));
    buf_free(&text);
    buf_free(&more);
}

/* --- one word ------------------------------------------------------------------------------------ */

/* whether the lane is one of those that stored what the word holds */
static bool wrote_it_too(const Job *j, const Word *w)
{
    const u32 me = item_of(j->me), them = item_of(w->wrote), n = j->r->lanes;
    return !((w->wrote ^ j->me) >> GROUP_AT) && me / n == them / n && w->lanes >> me % n & 1;
}

static void look(const Job *j, Word *w, u32 value)
{
    const Access *a = j->a;
    const bool modifies = a->writes;
    if (!modifies && !w->wrote && !w->changed[0]) {
        keep(j, w->read);
        return;
    }
    /* 1. what it collides with */
    if (w->wrote && (w->wrote ^ j->me) >> ITEM_AT && !wrote_it_too(j, w) &&
        !(a->writes && !j->is_atomic && w->value == value) && collides(j, w->wrote))
        collide(j, w->wrote, "store");
    for (int i = 0; i < 2 && w->changed[0] && !j->is_atomic; i++)
        if (collides(j, w->changed[i])) {
            collide(j, w->changed[i], "atomic");
            break;
        }
    for (int i = 0; i < 2 && modifies; i++)
        if (!(j->is_atomic && j->r->is_atomic[site_in(w->read[i])]) && collides(j, w->read[i])) {
            collide(j, w->read[i], "load");
            break;
        }
    /* 2. what it leaves */
    if (j->is_atomic && a->writes) {
        keep(j, w->changed);
    } else if (a->writes) {
        const u32 lane = item_of(j->me) % j->r->lanes;
        const bool same = !((w->wrote ^ j->me) >> GROUP_AT) && w->value == value &&
                          time_of(w->wrote) == time_of(j->me) &&
                          item_of(w->wrote) / j->r->lanes == item_of(j->me) / j->r->lanes;
        w->lanes = (same ? w->lanes : 0) | 1u << lane;
        w->wrote = j->me;
        w->value = value;
    } else {
        keep(j, w->read);
    }
}

/* The value that a lane stores. */
static u32 stored(const Access *a, u32 lane)
{
    const IsaFacts *f = a->step->facts;
    for (int i = 0; a->writes && i < f->nregs; i++)
        if (f->reg[i].role == ROLE_VALUE)
            return f->reg[i].is_vector ? a->warp->v[f->reg[i].first][lane]
                                       : a->warp->x[f->reg[i].first];
    return 0;
}

static void access_by(Job *j, u32 lane)
{
    const Access *a = j->a;
    Race *r = j->r;
    u32 value = stored(a, lane);
    const u32 item = (a->warp->id * r->lanes + lane) & (NITEMS - 1);
    j->me = (u64)(r->group & ((1 << GROUP_BITS) - 1)) << GROUP_AT | (u64)item << ITEM_AT |
            (u64)r->time << TIME_AT | j->site;
    for (u64 at = a->addr, end = a->addr + a->size; at < end;) {
        Page *p = find_page(r, at >> PAGE_BITS);
        const u32 in_page = at & (PAGE_SIZE - 1);
        const bool whole = !(at & 3) && end - at >= 4;
        if (!p || (!whole && !p->is_bytes && !split(p))) {
            r->failed = true;
            return;
        }
        if (!p->is_bytes) {
            look(j, &p->word[in_page / 4], value);
            at += 4;
            value = 0; /* of longer accesses only the first word is compared */
            continue;
        }
        look(j, &p->word[in_page], value & 0xff);
        at++;
        value >>= 8;
    }
}

/* --- fences -------------------------------------------------------------------------------------- */

static void after_atomic(const Job *j, u32 item)
{
    Race *r = j->r;
    const u32 fence = r->fence[item];
    /* 1. it may have heard of all releases so far */
    r->heard[item] = (u32)r->nrelease;
    /* 2. and tells what was before its fence, or a barrier */
    if (!j->a->writes || (!fence && !r->barrier[1]) || r->released[item] == fence + r->barrier[1] + 1)
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

void race_access(Check *c, const Access *a)
{
    Race *r = c->race;
    Job j = {.c = c, .a = a, .r = r, .is_local = a->addr - LDS_LO < LDS_END - LDS_LO};
    if (a->is_private || r->failed)
        return;
    j.since = r->barrier[!j.is_local];
    j.site = site_of(c, a->pc);
    j.is_atomic = r->is_atomic[j.site] |= a->is_atomic;
    if (a->lane >= 0) {
        access_by(&j, (u32)a->lane);
        if (j.is_atomic)
            after_atomic(&j, (a->warp->id * r->lanes + (u32)a->lane) & (NITEMS - 1));
        return;
    }
    /* of a warp: two of its lanes stand for all that read, and all of them write the same */
    u32 left = a->step->exec;
    if (!a->writes && left)
        left = 1u << __builtin_ctz(left) | 1u << (31 - __builtin_clz(left));
    for (; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        access_by(&j, lane);
        if (j.is_atomic)
            after_atomic(&j, (a->warp->id * r->lanes + lane) & (NITEMS - 1));
    }
}

enum { FENCE_LOCAL = 1, FENCE_GLOBAL = 2 };

void race_step(Check *c, const Event *e)
{
    Race *r = c->race;
    const Step *s = e->step;
    if (isa_insn[s->id].effect == E_BARRIER) {
        const u32 flags = (u32)s->word >> 15 & 3;
        r->flags |= flags ? flags : FENCE_LOCAL | FENCE_GLOBAL;
        return;
    }
    if (isa_insn[s->id].effect != E_FENCE)
        return;
    tick(r);
    for (u32 left = s->exec; left; left &= left - 1) {
        const u32 item = (e->warp->id * r->lanes + (u32)__builtin_ctz(left)) & (NITEMS - 1);
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
    r->flags = 0;
    for (u32 i = 0; i < r->items; i++) {
        most = r->heard[i] > most ? r->heard[i] : most;
        most = r->knows[i] > most ? r->knows[i] : most;
    }
    for (u32 i = 0; most && i < r->items; i++)
        r->knows[i] = most;
}
