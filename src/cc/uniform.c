/* uniform.c -- which values are one for the warp, and which branches part its lanes
 * (doc/ir.md, "Scalars and divergence").
 *
 * Every value starts in bank X and every branch as uniform; sweeps over the function move
 * to bank V and mark as divergent what must be, until nothing changes.  A result is in
 * bank V if the operation gives each lane its own or if an operand is in bank V.
 *
 * The lanes that part at a branch P run one side after the other up to the join J, the
 * immediate post-dominator of P.  Each side enters a block as one, by one edge, so the
 * only phis that mix sides are those of J.
 *
 * A scalar goes stale if the side that runs first computes it again, and the side that waits reads
 * it afterwards.  That can happen if D, the block of the scalar, can be reached from one side
 * before J, and a use of it can be reached from the other side without passing D.  Such uses count
 * as bank V; they are made to read a copy in bank V, which is taken right after the definition. The
 * usual case is a loop that lanes leave in different rounds.
 *
 * Phis are written on the edges, before the join.  Where J dominates P, as the header of a loop
 * around it does, a side that waits would find the scalar phis of J overwritten.  They are copied
 * right after the join, and all uses read the copy.
 */
#include "cc/cc.h"
#include "cc/select.h"
#include <string.h>

#define NONE UINT32_MAX

typedef struct {
    Func *f;
    u32 *home;   /* block that defines a value, or NONE */
    u64 **side;  /* [2 p + k]: blocks that side k of the divergent branch at the end of p reaches
                  * before the join; NULL if neither side comes to a dominator of p */
    u64 **stale; /* [d]: blocks where scalars of block d are stale, or NULL */
    u32 *copy;   /* copy of a value in bank V, or 0 */
    u32 *kept;   /* copy of a phi in bank X, or 0 */
    u32 *stack;
    u32 *found[2];    /* of each block: the last branch on whose side k it is */
    u32 *listed;      /* of each block: the last join that has it in Block.other, or NONE */
    bool irreducible; /* the graph has cycles with several entries, which are not among its loops */
    size_t nvalue;    /* of the function before copies were added */
    bool changed;
} Job;

/* --- sets of blocks ------------------------------------------------------------------ */

static u64 *new_set(Job *j)
{
    return ir_alloc(j->f->module, (j->f->nblock / 64 + 1) * sizeof(u64));
}

static bool has(const u64 *set, u32 b) { return set && set[b / 64] >> b % 64 & 1; }

static bool add(u64 *set, u32 b)
{
    const u64 bit = (u64)1 << b % 64;
    const bool is_new = !(set[b / 64] & bit);
    set[b / 64] |= bit;
    return is_new;
}

/* Adds the blocks that can be reached from `from` without entering `stop` and without leaving the
 * blocks that `top` dominates. */
static void reach(Job *j, u64 *set, u32 from, u32 stop, u32 top)
{
    const Func *f = j->f;
    size_t n = 0;
    if (from == stop || !graph_dominates(f, top, from) || !add(set, from))
        return;
    j->stack[n++] = from;
    while (n) {
        const Block *b = &f->block[j->stack[--n]];
        for (int k = 0; k < term_nsucc(&b->term); k++) {
            const u32 to = b->term.succ[k];
            if (to != stop && graph_dominates(f, top, to) && add(set, to))
                j->stack[n++] = to;
        }
    }
}

/* --- which uses are vectors ------------------------------------------------------------ */

static bool is_scalar(const Job *j, Ref r)
{
    return r.kind == R_VAL && r.val < j->nvalue && j->f->value[r.val].bank == BANK_X &&
           j->home[r.val] != NONE;
}

static bool is_stale(const Job *j, Ref r, u32 b)
{
    return is_scalar(j, r) && has(j->stale[j->home[r.val]], b);
}

/* the same for an argument of a phi of block `to`, which is read on the edge */
static bool is_stale_on_edge(const Job *j, Ref r, u32 from, u32 to)
{
    const Term *t = &j->f->block[from].term;
    if (is_stale(j, r, from))
        return true;
    for (u32 k = 0; k < 2 && t->divergent && is_scalar(j, r); k++)
        if (t->succ[k] == to && has(j->side[2 * from + (k ^ 1)], j->home[r.val]))
            return true;
    return false;
}

static bool is_vector(const Job *j, Ref r)
{
    return r.kind == R_VAL && j->f->value[r.val].bank == BANK_V;
}

bool uniform_never(const Ins *i)
{
    switch (i->op) {
    case IR_lane:
    case IR_atomic:
    case IR_lr:
    case IR_sc:
    case IR_param:
    case IR_result: return true;
    case IR_load: return i->space == IN_PRIVATE;
    default: return i->op < NIR && sel_needs_vector((IrOp)i->op);
    }
}

static bool makes_vector(const Job *j, const Ins *i, u32 b)
{
    if (uniform_never(i))
        return true;
    for (int k = 0; k < ins_nargs(i); k++)
        if (is_vector(j, i->a[k]) || is_stale(j, i->a[k], b))
            return true;
    return false;
}

static bool mixes_vector(const Job *j, const Phi *p, u32 b)
{
    const Block *k = &j->f->block[b];
    for (size_t e = 0; e < k->npred; e++)
        if (is_vector(j, p->arg[e]) || is_stale_on_edge(j, p->arg[e], k->pred[e], b))
            return true;
    return false;
}

static void make_vector(Job *j, u32 v)
{
    j->changed |= j->f->value[v].bank != BANK_V;
    j->f->value[v].bank = BANK_V;
}

/* --- divergent branches ------------------------------------------------------------------ */

static void add_other(Job *j, u32 to, u32 b)
{
    Block *join = &j->f->block[to];
    if (j->listed[b] == to)
        return;
    for (size_t k = 0; k < join->nother && j->listed[b] != NONE; k++)
        if (join->other[k] == b)
            return;
    j->listed[b] = to;
    if (ir_grow(j->f->module, join->other, join->nother, join->capother))
        join->other[join->nother++] = b;
}

static void push_side(Job *j, size_t *n, u32 p, int k, u32 b)
{
    if (b == j->f->block[p].term.rpc || j->found[k][b] == p)
        return;
    j->found[k][b] = p;
    j->stack[(*n)++] = b;
}

/* Notes the blocks of side k of the branch at the end of p. */
static void find_side(Job *j, u32 p, int k)
{
    size_t n = 0;
    push_side(j, &n, p, k, j->f->block[p].term.succ[k]);
    while (n) {
        const Block *b = &j->f->block[j->stack[--n]];
        for (int s = 0; s < term_nsucc(&b->term); s++)
            push_side(j, &n, p, k, b->term.succ[s]);
    }
}

static bool on_side(const Job *j, u32 p, int k, u32 b) { return j->found[k][b] == p; }

/* Whether the edges from p and its sides into the join give the phi different arguments. */
static bool differs(const Job *j, const Block *join, const Phi *phi, u32 p)
{
    Ref first = ref_none();
    for (size_t e = 0; e < join->npred; e++) {
        const u32 from = join->pred[e];
        if (phi->arg[e].kind == R_NONE ||
            (from != p && !on_side(j, p, 0, from) && !on_side(j, p, 1, from)))
            continue;
        if (first.kind != R_NONE && !ref_same(first, phi->arg[e]))
            return true;
        first = phi->arg[e];
    }
    return false;
}

static void keep_sides(Job *j, u32 p)
{
    const Term *t = &j->f->block[p].term;
    for (u32 k = 0; k < 2 && !j->side[2 * p + k]; k++) {
        j->side[2 * p + k] = new_set(j);
        if (j->side[2 * p + k])
            reach(j, j->side[2 * p + k], t->succ[k], t->rpc, 0);
    }
}

/* Marks the scalars of block d as stale in the blocks that can be reached from `from`. */
static void make_stale(Job *j, u32 d, u32 from)
{
    j->f->block[d].rerun = true;
    if (!j->stale[d])
        j->stale[d] = new_set(j);
    if (j->stale[d])
        reach(j, j->stale[d], from, d, d);
}

/* A block that dominates all blocks on cycles through p: the header of the outermost loop around
 * it, or p if it is in none; the entry, if the graph is irreducible. */
static u32 top_of_cycles(const Job *j, u32 p)
{
    const Func *f = j->f;
    u32 l = f->block[p].loop;
    if (j->irreducible || l == NONE)
        return j->irreducible ? 0 : p;
    while (f->loops[l].parent != NONE)
        l = f->loops[l].parent;
    return f->loops[l].header;
}

/* While some lanes wait at one side of the branch of p, others may come back to p and run the
 * blocks before it again. */
static void part_rounds(Job *j, u32 p)
{
    Func *f = j->f;
    const u32 end = f->block[top_of_cycles(j, p)].idom;
    for (u32 d = p; d != end; d = f->block[d].idom)
        for (int k = 0; k < 2; k++)
            if (on_side(j, p, k ^ 1, d)) {
                keep_sides(j, p);
                make_stale(j, d, f->block[p].term.succ[k]);
            }
    for (u32 l = f->block[p].loop; l != NONE; l = f->loops[l].parent)
        if (on_side(j, p, 0, f->loops[l].header) || on_side(j, p, 1, f->loops[l].header))
            f->loops[l].divergent = true;
}

static void part_lanes(Job *j, u32 p)
{
    Func *f = j->f;
    Term *t = &f->block[p].term;
    t->divergent = true;
    t->rpc = f->block[p].ipdom == NONE ? f->exit : f->block[p].ipdom;
    j->changed = true;
    Block *join = &f->block[t->rpc];
    join->join = true;
    for (int k = 0; k < 2; k++) {
        add_other(j, t->rpc, t->succ[k]);
        find_side(j, p, k);
    }
    for (size_t k = 0; k < join->nphi; k++)
        if (f->value[join->phi[k].dst].bank != BANK_V && differs(j, join, &join->phi[k], p))
            make_vector(j, join->phi[k].dst);
    part_rounds(j, p);
}

static void sweep_block(Job *j, u32 b)
{
    Func *f = j->f;
    const Block *k = &f->block[b];
    for (size_t p = 0; p < k->nphi; p++)
        if (mixes_vector(j, &k->phi[p], b))
            make_vector(j, k->phi[p].dst);
    for (size_t i = 0; i < k->nins; i++)
        if (k->ins[i].dst && makes_vector(j, &k->ins[i], b))
            make_vector(j, k->ins[i].dst);
    const Term *t = &k->term;
    for (int s = 0; t->kind == T_BRANCH && s < 2; s++)
        if (!t->divergent && (is_vector(j, t->a[s]) || is_stale(j, t->a[s], b)))
            part_lanes(j, b);
}

/* --- copies of what goes stale -------------------------------------------------------------- */

/* Lets r name the copy that must be read instead, if there is one; `stale`: the one in bank V. */
static void redirect(Job *j, Ref *r, bool stale)
{
    if (!is_scalar(j, *r))
        return;
    if (stale && !j->copy[r->val])
        j->copy[r->val] = ir_value_in(j->f, BANK_V);
    if (stale || j->kept[r->val])
        r->val = stale ? j->copy[r->val] : j->kept[r->val];
}

static void redirect_uses(Job *j, u32 b)
{
    Block *k = &j->f->block[b];
    for (size_t p = 0; p < k->nphi; p++)
        for (size_t e = 0; e < k->npred; e++)
            redirect(j, &k->phi[p].arg[e], is_stale_on_edge(j, k->phi[p].arg[e], k->pred[e], b));
    for (size_t i = 0; i < k->nins; i++)
        for (int s = 0; s < ins_nargs(&k->ins[i]); s++)
            redirect(j, &k->ins[i].a[s], is_stale(j, k->ins[i].a[s], b));
    for (int s = 0; k->term.kind == T_BRANCH && s < 2; s++)
        redirect(j, &k->term.a[s], is_stale(j, k->term.a[s], b));
}

typedef struct {
    Module *module;
    Ins *ins;
    size_t n, cap;
} List;

static void put(List *l, const Ins *i)
{
    if (ir_grow(l->module, l->ins, l->n, l->cap))
        l->ins[l->n++] = *i;
}

static void put_copy(List *l, u32 from, u32 to, u32 loc)
{
    if (to)
        put(l, &(Ins){.op = IR_copy, .dst = to, .loc = loc, .a = {ref_val(from)}});
}

/* Inserts the copies: of phis at the top, of other values right after their definitions. */
static void insert_copies(Job *j, u32 b)
{
    Block *k = &j->f->block[b];
    List l = {.module = j->f->module};
    for (size_t p = 0; p < k->nphi; p++) {
        put_copy(&l, k->phi[p].dst, j->kept[k->phi[p].dst], k->phi[p].loc);
        put_copy(&l, k->phi[p].dst, j->copy[k->phi[p].dst], k->phi[p].loc);
    }
    for (size_t i = 0; i < k->nins; i++) {
        put(&l, &k->ins[i]);
        put_copy(&l, k->ins[i].dst, j->copy[k->ins[i].dst], k->ins[i].loc);
    }
    k->ins = l.ins;
    k->nins = l.n;
    k->capins = l.cap;
}

/* --- phis of joins ------------------------------------------------------------------------ */

/* Gives the scalar phis of each join that dominates one of its branches a copy. */
static void keep_phis(Job *j)
{
    Func *f = j->f;
    for (size_t i = 0; i < f->nrpo; i++) {
        const Term *t = &f->block[f->rpo[i]].term;
        if (!t->divergent || !graph_dominates(f, t->rpc, f->rpo[i]))
            continue;
        const Block *join = &f->block[t->rpc];
        for (size_t p = 0; p < join->nphi; p++)
            if (is_scalar(j, ref_val(join->phi[p].dst)) && !j->kept[join->phi[p].dst])
                j->kept[join->phi[p].dst] = ir_value_in(f, BANK_X);
    }
}

/* --- all of it -------------------------------------------------------------------------- */

/* Whether an edge leads back to a block that does not dominate its source. */
static bool is_irreducible(const Func *f)
{
    for (size_t i = 0; i < f->nrpo; i++) {
        const Block *b = &f->block[f->rpo[i]];
        for (int k = 0; k < term_nsucc(&b->term); k++)
            if (f->block[b->term.succ[k]].rpo <= i &&
                !graph_dominates(f, b->term.succ[k], f->rpo[i]))
                return true;
    }
    return false;
}

static bool start(Job *j, Func *f)
{
    Module *m = f->module;
    const size_t values = f->nvalue + 1, blocks = f->nblock + 1;
    *j = (Job){.f = f,
               .nvalue = f->nvalue,
               .home = ir_alloc(m, values * sizeof(u32)),
               .side = ir_alloc(m, 2 * blocks * sizeof(u64 *)),
               .stale = ir_alloc(m, blocks * sizeof(u64 *)),
               .copy = ir_alloc(m, values * sizeof(u32)),
               .kept = ir_alloc(m, values * sizeof(u32)),
               .stack = ir_alloc(m, blocks * sizeof(u32)),
               .found = {ir_alloc(m, blocks * sizeof(u32)), ir_alloc(m, blocks * sizeof(u32))},
               .listed = ir_alloc(m, blocks * sizeof(u32)),
               .irreducible = is_irreducible(f)};
    if (m->failed)
        return false;
    memset(j->found[0], 0xff, blocks * sizeof(u32));
    memset(j->found[1], 0xff, blocks * sizeof(u32));
    memset(j->listed, 0xff, blocks * sizeof(u32));
    for (size_t v = 1; v < f->nvalue; v++) {
        f->value[v].bank = BANK_X;
        j->home[v] = NONE;
    }
    for (u32 i = 0; i < f->nrpo; i++) {
        const Block *b = &f->block[f->rpo[i]];
        for (size_t p = 0; p < b->nphi; p++)
            j->home[b->phi[p].dst] = f->rpo[i];
        for (size_t k = 0; k < b->nins; k++)
            j->home[b->ins[k].dst] = f->rpo[i];
    }
    return true;
}

static void sweep(Job *j)
{
    do {
        j->changed = false;
        for (size_t i = 0; i < j->f->nrpo; i++)
            sweep_block(j, j->f->rpo[i]);
    } while (j->changed);
}

/* Leaves of what sweeps found nothing in the function. */
static void forget(Func *f)
{
    for (size_t v = 1; v < f->nvalue; v++)
        f->value[v].bank = BANK_NONE;
    for (u32 b = 0; b < f->nblock; b++) {
        Block *k = &f->block[b];
        k->join = k->rerun = k->term.divergent = false;
        k->term.rpc = 0;
        k->nother = 0;
    }
    for (size_t l = 0; l < f->nloops; l++)
        f->loops[l].divergent = false;
}

bool uniform_find(Func *f, bool *parts)
{
    Job j;
    if (!start(&j, f))
        return false;
    sweep(&j);
    for (u32 b = 0; b < f->nblock; b++)
        parts[b] = f->block[b].term.divergent;
    forget(f);
    return !f->module->failed;
}

void uniform(Func *f)
{
    Job j;
    if (!start(&j, f))
        return;
    sweep(&j);
    keep_phis(&j);
    for (size_t i = 0; i < f->nrpo; i++)
        redirect_uses(&j, f->rpo[i]);
    for (size_t i = 0; i < f->nrpo; i++)
        if (f->block[f->rpo[i]].rerun || f->block[f->rpo[i]].join)
            insert_copies(&j, f->rpo[i]);
}
