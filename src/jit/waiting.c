/* waiting.c -- what lanes that wait on the divergence stack need of their registers.
 *
 * Lanes that are off in a block wait for a side of a branch that parted them, or at its join.  What
 * they read when they go on must not change until then; all else a block may write in all lanes.
 * Which lanes may wait in a block follows from the paths to it: each branch gives two facts, that
 * lanes wait while the side at next_pc runs, or while that at target_pc does.  Facts go with the
 * edges of the graph.  Behind a join those of its own branches end: then the top of the stack has
 * another reconvergence point, and nothing of them lies below that, unless another branch has been
 * reached while they waited and waits itself (which no compiler makes).
 *
 * Instructions that read other lanes than their own read those that are off, too, so their rows stay
 * as they are from where the whole row was written last.
 */
#include "base/mem.h"
#include "jit/region.h"

enum { MOST_SPLITS = 512, WORDS = 2 * MOST_SPLITS / 64, NONE = 0xffff };

/* Lanes that may wait: two bits for each branch, and whether all registers of some are needed. */
typedef struct {
    u64 bit[WORDS];
    bool outside; /* waited before the region began, or nobody knows for what */
} Waits;

/* A branch at one pc, in both versions. */
typedef struct {
    u32 pc, next_pc, target_pc, meet_pc;
} Split;

typedef struct {
    Region *r;
    Split split[MOST_SPLITS];
    u32 nsplit, words;
    u16 *number;     /* of the branch that ends a block, or NONE */
    Waits *waits;    /* of partial blocks, where they begin */
    RegSet *own;     /* what lanes that are on need where a block begins */
    RegSet *crossed; /* rows that are read across lanes behind the beginning of a block */
} Finder;

static bool add_rows(RegSet *to, const RegSet *s)
{
    u64 more = 0;
    for (int i = 0; i < 4; i++) {
        more |= s->v[i] & ~to->v[i];
        to->v[i] |= s->v[i];
    }
    return more;
}

/* --- what lanes need ---------------------------------------------------------------------- */

static const RegSet all_rows = {0, {~(u64)0, ~(u64)0, ~(u64)0, ~(u64)0}};

/* The rows that successors have in a table.  Lanes that come to a join go on behind it; those of the
 * sides to which it leads are others. */
static RegSet behind(const Region *r, const RegionBlock *b, const RegSet *table, bool of_lane)
{
    RegSet s = b->leaves ? all_rows : (RegSet){0};
    for (u32 i = 0; i < b->nsucc; i++)
        if (b->end != END_JOIN || !of_lane || r->block[b->succ[i]].pc == b->next_pc)
            add_rows(&s, &table[b->succ[i]]);
    return s;
}

/* What a lane that goes through the block reads before it has written that. */
static RegSet own_rows(const RegionBlock *b, RegSet s)
{
    for (u32 k = b->nuop; k-- > 0;) {
        const RegUse use = lane_use(b, k);
        for (int i = 0; i < 4; i++)
            s.v[i] = (s.v[i] & ~use.writes.v[i]) | use.reads.v[i];
    }
    return s;
}

static RegSet crossed_rows(const RegionBlock *b, RegSet s)
{
    for (u32 k = b->nuop; k-- > 0;) {
        const RegUse use = lane_use(b, k);
        for (int i = 0; b->full && i < 4; i++)
            s.v[i] &= ~(use.writes.v[i] & ~use.reads.v[i]);
        const RegSet crossing = crossing_rows(b, k);
        add_rows(&s, &crossing);
    }
    return s;
}

static void find_needs(Finder *f)
{
    const Region *r = f->r;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 k = r->nblock; k-- > 0;) {
            const u32 i = r->order[k];
            const RegionBlock *b = &r->block[i];
            const RegSet own = own_rows(b, behind(r, b, f->own, true));
            const RegSet crossed = crossed_rows(b, behind(r, b, f->crossed, false));
            changed |= add_rows(&f->own[i], &own);
            changed |= add_rows(&f->crossed[i], &crossed);
        }
    }
}

/* What lanes need that go on at pc. */
static RegSet need_at(const Finder *f, u32 pc)
{
    const int i = region_find(f->r, pc, false);
    return i < 0 ? all_rows : f->own[i];
}

/* --- where they wait ---------------------------------------------------------------------- */

/* False: there are too many branches. */
static bool number_splits(Finder *f)
{
    for (u32 i = 0; i < f->r->nblock; i++) {
        const RegionBlock *b = &f->r->block[i];
        f->number[i] = NONE;
        if (b->end != END_SPLIT)
            continue;
        const u32 pc = b->uop[b->nuop - 1]->pc;
        u32 n = 0;
        while (n < f->nsplit && (f->split[n].pc != pc || f->split[n].meet_pc != b->meet_pc))
            n++;
        if (n == MOST_SPLITS)
            return false;
        if (n == f->nsplit)
            f->split[f->nsplit++] = (Split){pc, b->next_pc, b->target_pc, b->meet_pc};
        f->number[i] = (u16)n;
    }
    f->words = (2 * f->nsplit + 63) / 64;
    return true;
}

static bool has_split(const Waits *w, u32 n) { return w->bit[n / 32] >> (2 * (n % 32)) & 3; }

/* Whether a branch of the join may wait below one of another. */
static bool is_below_another(const Finder *f, const Waits *w, const Waits *of_join)
{
    for (u32 i = 0; i < f->r->nblock; i++) {
        const u32 n = f->number[i];
        if (n == NONE || has_split(of_join, n) || !has_split(w, n))
            continue;
        for (u32 k = 0; k < f->words; k++)
            if (f->waits[i].bit[k] & of_join->bit[k])
                return true;
    }
    return false;
}

/* Who waits behind the join that ends the block. */
static Waits behind_join(const Finder *f, u32 i)
{
    Waits w = f->waits[i], of_join = {0};
    for (u32 n = 0; n < f->nsplit; n++)
        if (f->split[n].meet_pc == f->r->block[i].pc)
            of_join.bit[n / 32] |= (u64)3 << 2 * (n % 32);
    if (!is_below_another(f, &w, &of_join))
        for (u32 k = 0; k < f->words; k++)
            w.bit[k] &= ~of_join.bit[k];
    return w;
}

static bool add_waits(Finder *f, u32 to, const Waits *w)
{
    Waits *t = &f->waits[to];
    bool more = w->outside && !t->outside;
    if (f->r->block[to].full)
        return false;
    t->outside |= w->outside;
    for (u32 i = 0; i < f->words; i++) {
        more |= (w->bit[i] & ~t->bit[i]) != 0;
        t->bit[i] |= w->bit[i];
    }
    return more;
}

/* Hands on who waits in block i; true: somebody more.  To a side that a join leads to, its branch
 * has done that. */
static bool hand_on(Finder *f, u32 i)
{
    const RegionBlock *b = &f->r->block[i];
    const bool parts = b->end == END_SPLIT, joins = b->end == END_JOIN;
    /* from a full block, only a branch leads to a partial one */
    const Waits here = b->full ? (Waits){.outside = !parts}
                       : joins ? behind_join(f, i)
                               : f->waits[i];
    const u32 n = f->number[i];
    bool more = false;
    for (u32 k = 0; k < b->nsucc; k++) {
        const u32 pc = f->r->block[b->succ[k]].pc;
        Waits w = here;
        if (joins && pc != b->next_pc)
            continue;
        if (parts && pc == b->next_pc)
            w.bit[n / 32] |= (u64)1 << 2 * (n % 32);
        if (parts && pc == b->target_pc)
            w.bit[n / 32] |= (u64)2 << 2 * (n % 32);
        more |= add_waits(f, b->succ[k], &w);
    }
    return more;
}

static void find_waits(Finder *f)
{
    const Region *r = f->r;
    for (u32 i = 0; i < r->nblock; i++)
        f->waits[i].outside = !r->block[i].full && (!i || r->block[i].is_reentry);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 k = 0; k < r->nblock; k++)
            changed |= hand_on(f, r->order[k]);
    }
}

static RegSet needed_by(const Finder *f, const Waits *w)
{
    RegSet s = w->outside ? all_rows : (RegSet){0};
    for (u32 n = 0; n < f->nsplit; n++) {
        const u64 runs = w->bit[n / 32] >> (2 * (n % 32)) & 3;
        if (!runs)
            continue;
        const Split *p = &f->split[n];
        const RegSet need[3] = {need_at(f, p->meet_pc),
                                runs & 1 ? need_at(f, p->target_pc) : (RegSet){0},
                                runs & 2 ? need_at(f, p->next_pc) : (RegSet){0}};
        for (u32 k = 0; k < countof(need); k++)
            add_rows(&s, &need[k]);
    }
    return s;
}

bool waiting_find(Region *r)
{
    Finder *f = mem_zalloc(1, sizeof *f);
    if (!f)
        return false;
    f->r = r;
    f->number = mem_alloc(r->nblock * sizeof *f->number);
    f->waits = mem_zalloc(r->nblock, sizeof *f->waits);
    f->own = mem_zalloc(r->nblock, sizeof *f->own);
    f->crossed = mem_zalloc(r->nblock, sizeof *f->crossed);
    const bool ok = f->number && f->waits && f->own && f->crossed;
    if (ok) {
        find_needs(f);
        const bool finds = !r->warp.deep && number_splits(f);
        if (finds)
            find_waits(f);
        for (u32 i = 0; i < r->nblock; i++) {
            RegionBlock *b = &r->block[i];
            b->own = f->own[i];
            b->needed = finds ? needed_by(f, &f->waits[i]) : all_rows;
            add_rows(&b->needed, &f->crossed[i]);
        }
    }
    mem_free(f->number);
    mem_free(f->waits);
    mem_free(f->own);
    mem_free(f->crossed);
    mem_free(f);
    return ok;
}
