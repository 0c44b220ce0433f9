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
 * A scalar goes stale when the side that waits reads it after the side that ran first has
 * computed it again: D, the block of the scalar, can be reached from that side before J,
 * and from the other side a use can without passing D.  Such uses count as bank V, and in
 * the end read a copy in bank V that is made right behind the definition.  The usual case is a
 * loop that lanes leave in different rounds.
 *
 * Phis are written on the edges, before the join.  Where J dominates P, as the header of a loop
 * around it, a side that waits would find scalar phis of J overwritten; behind the join they are
 * copied, and all uses read the copy.
 */
#include "cc/cc.h"

#define NONE UINT32_MAX

typedef struct {
    Func *f;
    u32 *home;   /* block that defines a value, or NONE */
    u64 **side;  /* [2 p + k]: blocks that side k of the divergent branch of p reaches
                  * before the join; NULL if no dominator of p is among those of either side */
    u64 **stale; /* [d]: blocks where scalars of block d are stale, or NULL */
    u32 *copy;   /* copy of a value in bank V, or 0 */
    u32 *kept;   /* copy of a phi in bank X, or 0 */
    u32 *stack;
    size_t nvalue; /* of the function as it came */
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

static int nsucc(const Block *b)
{
    return b->term.kind == T_JUMP ? 1 : b->term.kind == T_BRANCH ? 2 : 0;
}

/* Adds what can be reached from `from` without entering `stop` or leaving what block `top`
 * dominates; true if anything was new. */
static bool reach(Job *j, u64 *set, u32 from, u32 stop, u32 top)
{
    const Func *f = j->f;
    size_t n = 0;
    if (from == stop || !graph_dominates(f, top, from) || !add(set, from))
        return false;
    j->stack[n++] = from;
    while (n) {
        const Block *b = &f->block[j->stack[--n]];
        for (int k = 0; k < nsucc(b); k++) {
            const u32 to = b->term.succ[k];
            if (to != stop && graph_dominates(f, top, to) && add(set, to))
                j->stack[n++] = to;
        }
    }
    return true;
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

/* the same for an argument of a phi, which is read on the edge */
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

static bool makes_vector(const Job *j, const Ins *i, u32 b)
{
    switch (i->op) {
    case IR_lane:
    case IR_atomic:
    case IR_lr:
    case IR_sc:
    case IR_param:
    case IR_result:
    case IR_fexp: return true; /* fexp has no scalar form */
    case IR_load:
        if (i->space == MEM_PRIVATE)
            return true;
        break;
    default: break;
    }
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

static void add_other(Func *f, Block *join, u32 b)
{
    for (size_t k = 0; k < join->nother; k++)
        if (join->other[k] == b)
            return;
    if (ir_grow(f->module, join->other, join->nother, join->capother))
        join->other[join->nother++] = b;
}

/* Whether the edges into the join from p and its sides bring different arguments. */
static bool differs(const Block *join, const Phi *phi, u32 p, u64 *const side[2])
{
    Ref first = ref_none();
    for (size_t e = 0; e < join->npred; e++) {
        const u32 from = join->pred[e];
        if (phi->arg[e].kind == R_NONE || (from != p && !has(side[0], from) && !has(side[1], from)))
            continue;
        if (first.kind != R_NONE && !ref_same(first, phi->arg[e]))
            return true;
        first = phi->arg[e];
    }
    return false;
}

/* Lanes of p may wait at one of its sides while others run again what came before: what goes stale.
 */
static void part_rounds(Job *j, u32 p, u64 *const side[2])
{
    Func *f = j->f;
    for (u32 d = p; d != NONE; d = f->block[d].idom)
        for (int k = 0; k < 2; k++) {
            if (!has(side[k ^ 1], d))
                continue;
            j->side[2 * p] = side[0];
            j->side[2 * p + 1] = side[1];
            if (!j->stale[d])
                j->stale[d] = new_set(j);
            if (!j->stale[d])
                return;
            f->block[d].rerun = true;
            reach(j, j->stale[d], f->block[p].term.succ[k], d, d);
        }
    for (u32 l = f->block[p].loop; l != NONE; l = f->loops[l].parent)
        if (has(side[0], f->loops[l].header) || has(side[1], f->loops[l].header))
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
    u64 *side[2] = {new_set(j), new_set(j)};
    if (!side[0] || !side[1])
        return;
    for (int k = 0; k < 2; k++) {
        add_other(f, join, t->succ[k]);
        reach(j, side[k], t->succ[k], t->rpc, 0);
    }
    for (size_t k = 0; k < join->nphi; k++)
        if (differs(join, &join->phi[k], p, side))
            make_vector(j, join->phi[k].dst);
    part_rounds(j, p, side);
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

/* r as it is to be read; `stale`: from the copy in bank V */
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

static void insert_copy(Job *j, u32 b, size_t at, u32 from, u32 to, u32 loc)
{
    const Ins copy = {.op = IR_copy, .dst = to, .loc = loc, .a = {ref_val(from)}};
    if (to)
        ir_insert(j->f, b, at, &copy);
}

static void insert_copies(Job *j, u32 b)
{
    const Block *k = &j->f->block[b];
    for (size_t i = k->nins; i-- > 0;)
        if (k->ins[i].dst)
            insert_copy(j, b, i + 1, k->ins[i].dst, j->copy[k->ins[i].dst], k->ins[i].loc);
    for (size_t p = k->nphi; p-- > 0;) {
        insert_copy(j, b, 0, k->phi[p].dst, j->copy[k->phi[p].dst], k->phi[p].loc);
        insert_copy(j, b, 0, k->phi[p].dst, j->kept[k->phi[p].dst], k->phi[p].loc);
    }
}

/* --- phis of joins ------------------------------------------------------------------------ */

/* Scalar phis of the joins that dominate one of their branches get copies. */
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

/* --- all of it ---------------------------------------------------------------------------------
 */

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
               .stack = ir_alloc(m, blocks * sizeof(u32))};
    if (m->failed)
        return false;
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

void uniform(Func *f)
{
    Job j;
    if (!start(&j, f))
        return;
    do {
        j.changed = false;
        for (size_t i = 0; i < f->nrpo; i++)
            sweep_block(&j, f->rpo[i]);
    } while (j.changed);
    keep_phis(&j);
    for (size_t i = 0; i < f->nrpo; i++)
        redirect_uses(&j, f->rpo[i]);
    for (size_t i = 0; i < f->nrpo; i++)
        if (f->block[f->rpo[i]].rerun || f->block[f->rpo[i]].join)
            insert_copies(&j, f->rpo[i]);
}
