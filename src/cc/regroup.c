/* regroup.c -- in addresses, terms that are one for the warp are added up apart from those of each lane.
 *
 * Of 4 * ((i + 1) * n + j) + a, say, where i and j are a work-item's and n and a are the warp's, the optimiser makes
 * 4 * (i * n + n) + a + 4 * j.  Written as 4 * (i * n + j) + (4 * n + a) it has two vector operations fewer, and one row in common with
 * the address of the element above it: accesses take the scalar as their base.  Only in blocks outside loops, where nothing was
 * moved out of one.
 */
#include "cc/cc.h"
#include "cc/fold.h"

enum { MOST = 20, DEPTH = 24 };

typedef struct {
    Ref value;
    u32 times;
} Product;

/* Who reads a value; elsewhere: some other block. */
enum { USED_ONCE = 1, USED_OFTEN, USED_ELSEWHERE };

/* An address as a sum. */
typedef struct {
    const Fold *F;
    Product lane[MOST], warp[MOST]; /* terms that lanes have of their own, and others */
    u32 nlane, nwarp, con;
    u32 ops; /* vector operations that compute it now */
    bool fits;
} Sum;

static bool differs(const Fold *F, Ref r)
{
    return r.kind == R_VAL && (r.val >= F->ndiffers || F->differs[r.val]);
}

/* Kept in the order of values, so that equal terms have equal sums. */
static void add_product(Sum *s, Ref value, u32 times)
{
    const bool own = differs(s->F, value);
    Product *p = own ? s->lane : s->warp;
    u32 *n = own ? &s->nlane : &s->nwarp, at = *n;
    if (*n == MOST || (value.kind != R_VAL && times != 1)) {
        s->fits = false;
        return;
    }
    for (; at && p[at - 1].value.val > value.val; at--)
        p[at] = p[at - 1];
    p[at] = (Product){value, times};
    ++*n;
}

static bool is_scaled(const Fold *F, Ref r)
{
    Ref x;
    u32 c;
    return fold_is_con(F, r, IR_sll, &x, &c) || fold_is_con(F, r, IR_mul, &x, &c);
}

/* Whether a sum has the form of the address of an element. */
static bool points(const Fold *F, const Ins *d)
{
    return is_scaled(F, d->a[0]) || is_scaled(F, d->a[1]);
}

/* Where a term stands: its factors' sums stay as they are if all terms are lanes' own, and all those of what others read, too. */
typedef enum { OUTSIDE, FACTOR, SHARED } Place;

/* Adds `times` r. */
static void read_sum(Sum *s, Ref r, u32 times, Place place, int depth)
{
    const Ins *d = r.kind == R_VAL && r.val < s->F->ndef ? &s->F->def[r.val] : NULL;
    if (!s->fits)
        return;
    if (r.kind == R_CON) {
        s->con += times * r.val;
        return;
    }
    if (!differs(s->F, r) || !d || depth == DEPTH) {
        add_product(s, r, times);
        return;
    }
    const Ref a = d->a[0], b = d->a[1];
    const u8 uses = r.val < s->F->ndiffers ? s->F->uses[r.val] : USED_OFTEN;
    const bool alone = uses == USED_ONCE,
               may = place != SHARED && (alone || (place == OUTSIDE && uses != USED_ELSEWHERE &&
                                                   (!depth || points(s->F, d)))),
               adds = d->op == IR_add && may && !(place && differs(s->F, a) && differs(s->F, b)),
               subtracts = d->op == IR_sub && may && !differs(s->F, b),
               scales = b.kind == R_CON && (d->op == IR_mul || (d->op == IR_sll && b.val < 32));
    if (adds || subtracts) {
        s->ops += b.kind != R_CON || place;
        read_sum(s, a, times, place, depth + 1);
        read_sum(s, b, subtracts ? 0u - times : times, place, depth + 1);
    } else if (scales) {
        s->ops++;
        read_sum(s, a, d->op == IR_mul ? times * b.val : times << b.val,
                 alone && place != SHARED ? FACTOR : SHARED, depth + 1);
    } else {
        add_product(s, r, times);
    }
}

static Ref scaled(Fold *F, Product p, u32 loc)
{
    return p.times == 1 ? p.value : fold_make(F, IR_mul, p.value, ref_con(p.times), loc);
}

/* Terms that are taken away come last. */
static Ref sum_of(Fold *F, const Product *p, u32 n, u32 loc)
{
    Ref sum = ref_con(0);
    for (u32 taken = 0; taken < 2; taken++)
        for (u32 k = 0; k < n; k++)
            if (p[k].times >> 31 == taken) {
                const Product size = {p[k].value, taken ? 0u - p[k].times : p[k].times};
                sum = fold_make(F, taken ? IR_sub : IR_add, sum, scaled(F, size, loc), loc);
            }
    return sum;
}

void regroup_address(Fold *F, Ins *i)
{
    Ref *base = &i->a[ir_info[i->op].nargs - 1];
    Sum s = {.F = F, .fits = true};
    if (!F->differs || i->space == IN_PRIVATE || F->f->block[F->block].loop != UINT32_MAX)
        return;
    read_sum(&s, *base, 1, OUTSIDE, 0);
    const u32 times = s.lane[0].times;
    if (!s.fits || !s.nlane || !s.nwarp || !times || times & (times - 1) ||
        s.nlane + (times > 1) >= s.ops)
        return;
    for (u32 k = 1; k < s.nlane; k++)
        if (s.lane[k].times != times)
            return;
    for (u32 k = 0; k < s.nlane; k++)
        s.lane[k].times = 1;
    const Product own = {sum_of(F, s.lane, s.nlane, i->loc), times};
    *base =
        fold_make(F, IR_add, scaled(F, own, i->loc), sum_of(F, s.warp, s.nwarp, i->loc), i->loc);
    if (s.con)
        *base = fold_make(F, IR_add, *base, ref_con(s.con), i->loc);
    F->changed = true;
}

/* --- what lanes have of their own ------------------------------------------------------------- */

static bool makes_different(const Func *f, const bool *differs, const Ins *i)
{
    if (uniform_never(i))
        return true;
    for (int k = 0; k < ins_nargs(i); k++)
        if (i->a[k].kind == R_VAL && i->a[k].val < f->nvalue && differs[i->a[k].val])
            return true;
    return false;
}

/* By value, as far as operands tell; that lanes come to a phi by different ways is not asked.  NULL: out of memory. */
static bool *find_differing(const Func *f)
{
    bool *differs = ir_alloc(f->module, f->nvalue * sizeof *differs), changed = differs != NULL;
    while (changed) {
        changed = false;
        for (size_t n = 0; n < f->nrpo; n++) {
            const Block *b = &f->block[f->rpo[n]];
            for (size_t k = 0; k < b->nphi; k++)
                for (size_t p = 0; p < b->npred && !differs[b->phi[k].dst]; p++)
                    if (b->phi[k].arg[p].kind == R_VAL && differs[b->phi[k].arg[p].val])
                        changed = differs[b->phi[k].dst] = true;
            for (size_t k = 0; k < b->nins; k++)
                if (b->ins[k].dst && !differs[b->ins[k].dst] &&
                    makes_different(f, differs, &b->ins[k]))
                    changed = differs[b->ins[k].dst] = true;
        }
    }
    return differs;
}

static void note_use(u8 *uses, const u32 *home, Ref r, u32 block)
{
    if (r.kind == R_VAL && home[r.val] != block)
        uses[r.val] = USED_ELSEWHERE;
    else if (r.kind == R_VAL && uses[r.val] < USED_OFTEN)
        uses[r.val]++;
}

/* By value.  NULL: out of memory. */
static u8 *count_uses(const Func *f)
{
    u8 *uses = ir_alloc(f->module, f->nvalue * sizeof *uses);
    u32 *home = uses ? ir_alloc(f->module, f->nvalue * sizeof *home) : NULL;
    for (size_t n = 0; home && n < f->nrpo; n++)
        for (size_t k = 0; k < f->block[f->rpo[n]].nins; k++)
            home[f->block[f->rpo[n]].ins[k].dst] = f->rpo[n];
    for (size_t n = 0; home && n < f->nrpo; n++) {
        const u32 index = f->rpo[n];
        const Block *b = &f->block[index];
        for (size_t k = 0; k < b->nins; k++)
            for (int a = 0; a < ins_nargs(&b->ins[k]); a++)
                note_use(uses, home, b->ins[k].a[a], index);
        for (size_t k = 0; k < b->nphi; k++)
            for (size_t p = 0; p < b->npred; p++)
                note_use(uses, home, b->phi[k].arg[p], UINT32_MAX);
        note_use(uses, home, b->term.a[0], index);
        note_use(uses, home, b->term.a[1], index);
    }
    return home ? uses : NULL;
}

void regroup(Func *f)
{
    const bool *differs = find_differing(f);
    const u8 *uses = count_uses(f);
    if (differs && uses)
        fold_regroup(f, differs, uses, f->nvalue);
}
