/* alloc.c -- values to registers.
 *
 * Values are taken in the order of their weight: the number of reads and writes, which count ten
 * times as much for each loop around them, divided by the length of the live range.  Values of
 * equal weight are taken in the order in which they begin, which suits the temporaries of spill.c
 * best.
 *
 * Each value gets the first register that is free all along its range.  Registers that would make a
 * move vanish come first, then those below 32, which need no prefix, then the others; registers
 * that a function would have to save for its caller come late.  Where no register is free, values
 * that are in the way may move to other registers.  If that fails too the value is spilled, and
 * after the round everything starts again with the code that spill.c has inserted.
 *
 * Registers that instructions name, and those that calls destroy, are busy there from the start:
 * they have owner 0.
 */
#include "cc/spill.h"
#include "base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ROUNDS = 100,
    MAX_MOVED = 4,       /* how many values may move to make way for one */
    MOVES_TRIED = 200000 /* how many registers are tried for such values in a round */
};
static const double SAVE_COST = 4; /* saving a register costs as much as so many reads and writes */

/* A move that vanishes if value `v` gets what value or register `with` has. */
typedef struct {
    Ref with;
    u32 next;
} Hint;

typedef struct {
    Func *f;
    const CcOptions *opt;
    Ranges r;
    Timeline busy[NREG];
    u32 reg[2][NVREG]; /* what may be used for x and v, best first */
    u32 nreg[2];
    double *uses; /* of each value: reads and writes, weighted by the loops around them */
    double *weight;
    u32 *order, norder;
    Hint *hint;
    size_t nhint, caphint;
    u32 *first_hint; /* of each value: index in hint, 0: none */
    u32 *spilled, nspilled;
    Ins *remat;
    u32 random;
    u32 tried;        /* so far, of MOVES_TRIED */
    bool taken[NREG]; /* kept registers that some value has */
} Alloc;

static u32 reg_of(const Alloc *a, Ref r)
{
    if (r.kind == R_REG)
        return r.val + 1;
    return r.kind == R_VAL ? a->f->value[r.val].reg : 0;
}

/* --- which registers ------------------------------------------------------------------- */

/* the less, the sooner a register is chosen */
static int rank(const Func *f, u32 r)
{
    const Target *t = f->module->target;
    return (!f->is_kernel && reg_is_kept(r)) + 2 * target_prefixes(t, r);
}

static bool is_usable(const Func *f, u32 r)
{
    const bool has_frame = f->nslot || f->has_calls || f->spill_v || !f->is_kernel;
    return !reg_is_reserved(r) && !(r == f->module->target->frame && has_frame);
}

static void list_registers(Alloc *a)
{
    const u32 limit[2] = {a->opt ? a->opt->max_x : 0, a->opt ? a->opt->max_v : 0};
    u32 saves = a->f->is_kernel ? NREG : spill_saves(a->f);
    a->nreg[0] = a->nreg[1] = 0;
    for (int wanted = 0; wanted < 4; wanted++)
        for (u32 r = 0; r < NREG; r++) {
            const bool v = reg_is_vector(r);
            if (!is_usable(a->f, r) || rank(a->f, r) != wanted ||
                (limit[v] && a->nreg[v] >= limit[v]))
                continue;
            if (!v && reg_is_kept(r) && !saves--)
                saves = 0;
            else
                a->reg[v][a->nreg[v]++] = r;
        }
}

/* --- registers that are fixed ------------------------------------------------------------ */

typedef struct {
    Alloc *a;
    u32 open[NREG]; /* where the use of the register ends, 0: it is not in use */
    bool ok;
} Fixed;

static void fixed_read(Fixed *x, u32 r, u32 at)
{
    if (!x->open[r])
        x->open[r] = at + 1;
}

static void fixed_write(Fixed *x, u32 r, u32 at)
{
    const Busy b = {at + 1, x->open[r] ? x->open[r] : at + 2, 0};
    x->ok &= timeline_push(&x->a->busy[r], b);
    x->open[r] = 0;
}

static void fixed_block(Fixed *x, u32 b)
{
    const Func *f = x->a->f;
    const Target *t = f->module->target;
    const Block *k = &f->block[b];
    const u32 end = ranges_at(&x->a->r, b, k->nins);
    /* 1. the terminator */
    if (k->term.kind == T_RET && !f->is_kernel)
        for (u32 p = 0; p < f->nresults && p < t->pieces; p++)
            fixed_read(x, t->piece + p, end);
    for (int j = 0; j < 2; j++)
        if (k->term.a[j].kind == R_REG)
            fixed_read(x, k->term.a[j].val, end);
    /* 2. the instructions, from the last to the first */
    for (size_t n = k->nins; n-- > 0;) {
        const Ins *i = &k->ins[n];
        const u32 at = ranges_at(&x->a->r, b, n);
        if (i->reg)
            fixed_write(x, i->reg - 1, at);
        for (u32 r = 0; i->op == IR_call && r < NREG; r++)
            if (!reg_is_kept(r))
                fixed_write(x, r, at);
        for (u32 p = 0; i->op == IR_call && p < (u32)i->imm && p < t->pieces; p++)
            fixed_read(x, t->piece + p, at);
        for (int j = 0; j < 3; j++)
            if (i->a[j].kind == R_REG)
                fixed_read(x, i->a[j].val, at);
    }
    /* 3. what is in use from before the block */
    for (u32 r = 0; r < NREG; r++) {
        if (x->open[r])
            x->ok &= timeline_push(&x->a->busy[r], (Busy){x->a->r.top[b], x->open[r], 0});
        x->open[r] = 0;
    }
}

static bool fix_registers(Alloc *a)
{
    Fixed x = {.a = a, .ok = true};
    for (size_t b = a->f->nrpo; b-- > 0;)
        fixed_block(&x, a->f->rpo[b]);
    for (u32 r = 0; r < NREG; r++)
        timeline_reverse(&a->busy[r]);
    return x.ok;
}

/* --- weights and hints -------------------------------------------------------------------- */

static double frequency(const Block *b) { return pow(10, b->depth < 6 ? b->depth : 6); }

static void count_ref(Alloc *a, Ref r, double often)
{
    if (r.kind == R_VAL)
        a->uses[r.val] += often;
}

static bool add_hint(Alloc *a, u32 v, Ref with)
{
    if (!array_grow(a->hint, a->nhint, a->caphint))
        return false;
    a->hint[a->nhint] = (Hint){with, a->first_hint[v]};
    a->first_hint[v] = (u32)a->nhint++;
    return true;
}

static bool read_instruction(Alloc *a, const Ins *i, double often)
{
    a->f->has_calls |= i->op == IR_call;
    for (int k = 0; k < 3; k++)
        count_ref(a, i->a[k], often);
    a->uses[i->dst] += often;
    const Ref to = i->reg ? ref_reg(i->reg - 1) : ref_val(i->dst);
    if (i->op != IR_move)
        return true;
    return (i->a[0].kind != R_VAL || add_hint(a, i->a[0].val, to)) &&
           (to.kind != R_VAL || !i->dst || add_hint(a, i->dst, i->a[0]));
}

static bool read_function(Alloc *a)
{
    a->nhint = 1;
    for (size_t b = 0; b < a->f->nrpo; b++) {
        const Block *k = &a->f->block[a->f->rpo[b]];
        for (size_t i = 0; i < k->nins; i++)
            if (!read_instruction(a, &k->ins[i], frequency(k)))
                return false;
        for (int j = 0; j < 2; j++)
            count_ref(a, k->term.a[j], frequency(k));
    }
    return true;
}

typedef struct {
    double weight;
    u32 start, value;
} Heavy;

static int by_weight(const void *a, const void *b)
{
    const Heavy *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->value < y->value ? -1 : 1;
}

static double weigh(const Alloc *a, u32 v)
{
    if (a->f->value[v].temp_spill)
        return INFINITY;
    const double again = a->remat[v].op != IR_none ? 0.5 : 1;
    return again * a->uses[v] / (ranges_length(&a->r, v) + 4);
}

/* The argument block of a kernel is in a register from the start: it comes first, before others
 * take that. */
static void put_arguments_first(Alloc *a)
{
    const Ref reg = ref_reg(a->f->module->target->arguments);
    for (u32 k = 0; a->f->is_kernel && k < a->norder; k++) {
        const u32 v = a->order[k], h = a->first_hint[v];
        if (!h || !ref_same(a->hint[h].with, reg))
            continue;
        memmove(a->order + 1, a->order, k * sizeof *a->order);
        a->order[0] = v;
        return;
    }
}

static bool order_values(Alloc *a)
{
    Heavy *list = mem_zalloc(a->f->nvalue, sizeof *list);
    size_t n = 0;
    for (u32 v = 1; list && v < a->f->nvalue; v++)
        if (a->r.of[v].n)
            list[n++] = (Heavy){weigh(a, v), ranges_of(&a->r, v)->from, v};
    if (n)
        qsort(list, n, sizeof *list, by_weight);
    for (size_t k = 0; k < n; k++)
        a->order[k] = list[k].value;
    a->norder = (u32)n;
    put_arguments_first(a);
    mem_free(list);
    return list;
}

/* --- choosing ----------------------------------------------------------------------------- */

static bool is_vector(const Alloc *a, u32 v) { return a->f->value[v].bank == BANK_V; }

static bool is_free(const Alloc *a, u32 v, u32 r)
{
    return timeline_is_free(&a->busy[r], &a->r, v);
}

static bool is_listed(const Alloc *a, bool vector, u32 r)
{
    for (u32 k = 0; k < a->nreg[vector]; k++)
        if (a->reg[vector][k] == r)
            return true;
    return false;
}

/* 1 + a free register that makes a move of v vanish, or 0 */
static u32 hinted(const Alloc *a, u32 v)
{
    for (u32 h = a->first_hint[v]; h; h = a->hint[h].next) {
        const u32 r = reg_of(a, a->hint[h].with);
        if (r && reg_is_vector(r - 1) == is_vector(a, v) && is_listed(a, is_vector(a, v), r - 1) &&
            is_free(a, v, r - 1))
            return r;
    }
    return 0;
}

static u32 random_free(Alloc *a, u32 v)
{
    const bool vector = is_vector(a, v);
    u32 found = 0, n = 0;
    for (u32 k = 0; k < a->nreg[vector]; k++)
        if (is_free(a, v, a->reg[vector][k])) {
            a->random = a->random * 1664525 + 1013904223;
            if ((a->random >> 8) % ++n == 0)
                found = a->reg[vector][k] + 1;
        }
    return found;
}

static bool costs_a_save(const Alloc *a, u32 r)
{
    return !a->f->is_kernel && reg_is_kept(r) && !a->taken[r];
}

/* 1 + the first free register for v, or 0 */
static u32 first_free(const Alloc *a, u32 v, bool may_save)
{
    const bool vector = is_vector(a, v);
    for (u32 k = 0; k < a->nreg[vector]; k++) {
        const u32 r = a->reg[vector][k];
        if ((may_save || !costs_a_save(a, r)) && is_free(a, v, r))
            return r + 1;
    }
    return 0;
}

static u32 choose(Alloc *a, u32 v)
{
    if (a->opt && a->opt->seed)
        return random_free(a, v);
    u32 r = first_free(a, v, a->uses[v] >= SAVE_COST);
    if (!r)
        r = first_free(a, v, true);
    const u32 h = r ? hinted(a, v) : 0;
    return h && rank(a->f, h - 1) <= rank(a->f, r - 1) ? h : r;
}

static bool assign(Alloc *a, u32 v, u32 r)
{
    a->f->value[v].reg = r + 1;
    a->taken[r] = true;
    return timeline_add_range(&a->busy[r], &a->r, v);
}

/* --- making room ---------------------------------------------------------------------------- */

typedef struct {
    u32 value[MAX_MOVED], to[MAX_MOVED];
    u32 n;
} Evicted;

/* a register besides r where v, which has r, could be; NREG: none */
static u32 elsewhere(Alloc *a, u32 v, u32 r)
{
    const bool vector = is_vector(a, v);
    for (u32 k = 0; k < a->nreg[vector] && a->tried < MOVES_TRIED; k++, a->tried++)
        if (a->reg[vector][k] != r && is_free(a, v, a->reg[vector][k]))
            return a->reg[vector][k];
    return NREG;
}

static bool is_evicted(const Evicted *e, u32 v)
{
    for (u32 k = 0; k < e->n; k++)
        if (e->value[k] == v)
            return true;
    return false;
}

/* whether all that keeps v from r can go elsewhere */
static bool can_clear(Alloc *a, u32 v, u32 r, Evicted *e)
{
    u32 from = 0, owner;
    e->n = 0;
    while (timeline_conflict(&a->busy[r], &a->r, v, &from, &owner)) {
        if (is_evicted(e, owner))
            continue;
        if (!owner || e->n == MAX_MOVED)
            return false;
        e->to[e->n] = elsewhere(a, owner, r);
        if (e->to[e->n] == NREG)
            return false;
        e->value[e->n++] = owner;
    }
    return true;
}

/* Makes a register free for v: 1 + its number, or 0. */
static u32 make_room(Alloc *a, u32 v)
{
    const bool vector = is_vector(a, v);
    Evicted e;
    for (u32 k = 0; k < a->nreg[vector] && a->tried < MOVES_TRIED; k++) {
        const u32 r = a->reg[vector][k];
        if (!can_clear(a, v, r, &e))
            continue;
        for (u32 j = 0; j < e.n; j++) {
            timeline_remove(&a->busy[r], e.value[j]);
            if (!assign(a, e.value[j], e.to[j]))
                return 0;
        }
        return r + 1;
    }
    return 0;
}

/* --- rounds ----------------------------------------------------------------------------------- */

static bool round_begin(Alloc *a)
{
    const size_t n = a->f->nvalue;
    for (u32 v = 0; v < n; v++)
        a->f->value[v].reg = 0;
    a->uses = mem_zalloc(n, sizeof *a->uses);
    a->order = mem_zalloc(n, 3 * sizeof *a->order);
    a->remat = spill_remat(a->f);
    if (!a->uses || !a->order || !a->remat || !ranges_build(a->f, &a->r))
        return false;
    a->spilled = a->order + n;
    a->first_hint = a->spilled + n;
    if (!read_function(a) || !order_values(a))
        return false;
    list_registers(a);
    return fix_registers(a);
}

static bool place_values(Alloc *a)
{
    for (u32 k = 0; k < a->norder; k++) {
        const u32 v = a->order[k];
        u32 r = choose(a, v);
        if (!r)
            r = make_room(a, v);
        if (!r)
            a->spilled[a->nspilled++] = v;
        else if (!assign(a, v, r - 1))
            return false;
    }
    return true;
}

typedef enum { DONE, AGAIN, NO_REGISTERS, NO_MEMORY } Outcome;

static Outcome play_round(Func *f)
{
    Alloc *a = mem_zalloc(1, sizeof *a);
    if (!a)
        return NO_MEMORY;
    a->f = f;
    a->opt = f->module->opt;
    a->random = a->opt ? a->opt->seed : 0;
    Outcome o = round_begin(a) && place_values(a) ? DONE : NO_MEMORY;
    /* a temporary of the spiller that found no place would only make another one */
    for (u32 k = 0; o == DONE && k < a->nspilled; k++)
        if (f->value[a->spilled[k]].temp_spill)
            o = NO_REGISTERS;
    if (o == DONE && a->nspilled)
        o = spill(f, &a->r, a->remat, a->spilled, a->nspilled) ? AGAIN : NO_MEMORY;
    if (a->tried > f->moves_tried)
        f->moves_tried = a->tried;
    ranges_free(&a->r);
    for (u32 r = 0; r < NREG; r++)
        timeline_free(&a->busy[r]);
    mem_free(a->uses);
    mem_free(a->order);
    mem_free(a->hint);
    mem_free(a->remat);
    mem_free(a);
    return o;
}

/* --- writing it down ------------------------------------------------------------------ */

static void name_register(const Func *f, Ref *r)
{
    if (r->kind == R_VAL)
        *r = ref_reg(f->value[r->val].reg - 1);
}

static void finish_block(Func *f, Block *b)
{
    size_t n = 0;
    for (size_t k = 0; k < b->nins; k++) {
        Ins i = b->ins[k];
        for (int j = 0; j < 3; j++)
            name_register(f, &i.a[j]);
        if (i.dst)
            i.reg = f->value[i.dst].reg;
        i.dst = 0;
        if (i.reg)
            f->used[(i.reg - 1) / 64] |= (u64)1 << (i.reg - 1) % 64;
        if (i.op != IR_move || !ref_same(i.a[0], ref_reg(i.reg - 1)))
            b->ins[n++] = i;
    }
    b->nins = n;
    for (int j = 0; j < 2; j++)
        name_register(f, &b->term.a[j]);
}

void allocate(Func *f)
{
    Outcome o = AGAIN;
    for (int round = 0; o == AGAIN && round < MAX_ROUNDS; round++)
        o = play_round(f);
    if (o == NO_MEMORY)
        f->module->failed = true;
    else if (o != DONE)
        ir_mistake(f->module, "there are not enough registers for %s", f->name);
    for (size_t b = 0; o == DONE && b < f->nrpo; b++)
        finish_block(f, &f->block[f->rpo[b]]);
}
