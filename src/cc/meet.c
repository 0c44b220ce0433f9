/* meet.c -- lanes that part in a loop meet in it, although some may leave it meanwhile.
 *
 * A branch of which a side can leave the loop has its post-dominator behind the loop.  Lanes that
 * part there would make all rounds that are left one side after the other.  So those that leave
 * first come along to where the sides meet if nobody leaves:
 *
 *     P: br .. -> S, T              P: br .. -> S, T
 *     S: ..    -> J                 S: ..    -> M
 *     T: br .. -> E, U              T: br .. -> X, U
 *     U: ..    -> J                 U: ..    -> M
 *                                   X:       -> M
 *                                   M: leaves = phi S 0, U 0, X 1
 *                                      br ne leaves, 0 -> E, J
 *     J: ..    -> P                 J: ..    -> P
 *
 * J is the post-dominator of P if edges that leave the loop are not counted, or the header, where
 * the sides meet only in the next round.  Inner branches come before those around them.
 *
 * What is used behind the loop and made on a side gets a phi in M.  A lane that stays has no use
 * for such a value: it keeps the one of the round before, through a phi of the header, so that all
 * of them share a register and need no moves.  `leaves` is such a value, too; it is 0 in lanes that
 * stay.
 */
#include "cc/cc.h"
#include <string.h>

#define NONE UINT32_MAX

enum { MOST = 100, /* branches of a function */ MOST_SWEEPS = 4 };

/* An edge that is to lead to M: from a block that only jumps; where it led. */
typedef struct {
    u32 from, to;
} Edge;

typedef struct {
    Func *f;
    Module *scratch;   /* of one branch */
    const bool *parts; /* of the first nparts blocks: lanes part there; of new ones they do */
    size_t nparts;
    u32 branch, loop;   /* P */
    u32 header, join;   /* J */
    u32 meet;           /* M */
    bool *side;         /* blocks between P and J */
    Edge *stay, *leave; /* edges into J, and out of the loop */
    size_t nstay, capstay, nleave, capleave;
    u32 *target; /* where the edges that leave lead, each once */
    size_t ntarget, captarget;
    /* of the graph before edges were moved */
    size_t nblock, nvalue;
    u32 *first, *last; /* Block.dom_first and dom_last */
    bool *is_in;       /* blocks of the loop */
    u32 *home;         /* by value: the block that makes it, or NONE */
    Ref *now;          /* by block: what the value that is being mended is there, or R_NONE */
} Meet;

/* --- the branch, and where its sides meet --------------------------------------------------- */

static bool is_parting(const Meet *m, u32 b)
{
    const Term *t = &m->f->block[b].term;
    return t->kind == T_BRANCH && t->succ[0] != t->succ[1] &&
           (!m->parts || b >= m->nparts || m->parts[b]);
}

/* The innermost loop that has both ways of the branch at the end of b; NONE: there is none. */
static u32 loop_around(const Func *f, u32 b)
{
    const Term *t = &f->block[b].term;
    u32 l = f->block[b].loop;
    while (l != NONE && !(graph_in_loop(f, t->succ[0], l) && graph_in_loop(f, t->succ[1], l)))
        l = f->loops[l].parent;
    return l;
}

/* Finds the last branch at which lanes part until they have left the loop. */
static bool find_branch(Meet *m)
{
    const Func *f = m->f;
    for (size_t i = f->nrpo; i-- > 0;) {
        const u32 b = f->rpo[i], l = is_parting(m, b) ? loop_around(f, b) : NONE;
        if (l == NONE || graph_in_loop(f, f->block[b].ipdom, l))
            continue;
        m->branch = b;
        m->loop = l;
        m->header = f->loops[l].header;
        return true;
    }
    return false;
}

/* The k-th way of the terminator of b if nobody leaves the loop; `end` is the next round. */
static u32 way_inside(const Meet *m, u32 b, int k, u32 end)
{
    const u32 to = m->f->block[b].term.succ[k];
    return to == m->header ? end : graph_in_loop(m->f, to, m->loop) ? to : NONE;
}

static bool find_join(Meet *m)
{
    const Func *f = m->f;
    Func *g = ir_func(m->scratch, "", false);
    const u32 end = (u32)f->nblock;
    for (u32 b = 0; b <= end && !m->scratch->failed; b++)
        ir_block(g);
    if (m->scratch->failed)
        return false;
    ir_jump(g, 0, m->header);
    ir_ret(g, end);
    for (size_t i = 0; i < f->nrpo; i++) {
        const u32 b = f->rpo[i];
        if (!graph_in_loop(f, b, m->loop))
            continue;
        u32 to[2] = {NONE, NONE};
        for (int k = 0; k < term_nsucc(&f->block[b].term); k++)
            to[k] = way_inside(m, b, k, end);
        if (to[0] != NONE && to[1] != NONE)
            ir_branch(g, b, CMP_ne, ref_con(0), ref_con(0), to[0], to[1], 0);
        else
            ir_jump(g, b, to[0] != NONE ? to[0] : to[1]);
    }
    graph_build(g);
    m->join = g->block[m->branch].ipdom == end ? m->header : g->block[m->branch].ipdom;
    return !m->scratch->failed;
}

/* --- its edges ------------------------------------------------------------------------------ */

static void add_edge(Meet *m, u32 b, int k)
{
    Func *f = m->f;
    const u32 to = f->block[b].term.succ[k];
    const Edge e = {f->block[b].term.kind == T_JUMP ? b : graph_split_edge(f, b, k), to};
    if (to == m->join) {
        if (ir_grow(m->scratch, m->stay, m->nstay, m->capstay))
            m->stay[m->nstay++] = e;
        return;
    }
    if (ir_grow(m->scratch, m->leave, m->nleave, m->capleave))
        m->leave[m->nleave++] = e;
    for (size_t n = 0; n < m->ntarget; n++)
        if (m->target[n] == to)
            return;
    if (ir_grow(m->scratch, m->target, m->ntarget, m->captarget))
        m->target[m->ntarget++] = to;
}

/* Collects the edges from P and its sides to J and out of the loop; each gets a block of its own
 * where it starts at a branch.  False: a side comes back to P in the same round, as in loops with
 * several entries, so that M would not come after what J reads. */
static bool find_edges(Meet *m)
{
    const Func *f = m->f;
    size_t n = 0;
    u32 *stack = ir_alloc(m->scratch, (f->nblock + 1) * sizeof *stack);
    m->side = ir_alloc(m->scratch, f->nblock);
    if (m->scratch->failed)
        return false;
    m->side[m->branch] = true;
    stack[n++] = m->branch;
    bool again = false;
    while (n) {
        const u32 b = stack[--n];
        for (int k = 0; k < term_nsucc(&f->block[b].term); k++) {
            const u32 to = f->block[b].term.succ[k];
            again |= to == m->branch && to != m->join;
            const bool inside = graph_in_loop(f, to, m->loop);
            if (to == m->join || !inside) {
                add_edge(m, b, k);
            } else if (!m->side[to]) {
                m->side[to] = true;
                stack[n++] = to;
            }
        }
    }
    return m->nleave && !again && !m->scratch->failed;
}

/* --- the graph before ------------------------------------------------------------------------- */

static bool remember(Meet *m)
{
    const Func *f = m->f;
    m->nblock = f->nblock;
    m->nvalue = f->nvalue;
    m->first = ir_alloc(m->scratch, m->nblock * sizeof *m->first);
    m->last = ir_alloc(m->scratch, m->nblock * sizeof *m->last);
    m->is_in = ir_alloc(m->scratch, m->nblock);
    m->home = ir_alloc(m->scratch, m->nvalue * sizeof *m->home);
    if (m->scratch->failed)
        return false;
    memset(m->home, 0xff, m->nvalue * sizeof *m->home);
    for (size_t i = 0; i < f->nrpo; i++) {
        const u32 b = f->rpo[i];
        const Block *k = &f->block[b];
        m->first[b] = k->dom_first;
        m->last[b] = k->dom_last;
        m->is_in[b] = graph_in_loop(f, b, f->block[m->header].loop);
        for (size_t p = 0; p < k->nphi; p++)
            m->home[k->phi[p].dst] = b;
        for (size_t j = 0; j < k->nins; j++)
            m->home[k->ins[j].dst] = b;
    }
    m->home[0] = NONE;
    return true;
}

static bool dominated(const Meet *m, u32 a, u32 b)
{
    return m->first[a] <= m->first[b] && m->first[b] <= m->last[a];
}

/* --- values in M ------------------------------------------------------------------------------ */

static size_t pred_index(const Block *b, u32 from)
{
    size_t k = 0;
    while (k < b->npred && b->pred[k] != from)
        k++;
    return k;
}

static void set_arg(Func *f, u32 b, size_t phi, u32 from, Ref r)
{
    const size_t k = pred_index(&f->block[b], from);
    if (k < f->block[b].npred)
        f->block[b].phi[phi].arg[k] = r;
}

/* What lanes that stay bring along for value v of M, which is of no use to them. */
static Ref carried(Meet *m, u32 v)
{
    Func *f = m->f;
    const Block *h = &f->block[m->header];
    bool comes_back = false;
    for (size_t k = 0; k < h->npred; k++)
        comes_back |= graph_dominates(f, m->meet, h->pred[k]);
    if (!comes_back)
        return ref_con(0);
    const u32 u = ir_value(f);
    const Phi *p = ir_phi(f, m->header, u);
    for (size_t k = 0; p && k < h->npred; k++)
        p->arg[k] = !graph_dominates(f, m->header, h->pred[k]) ? ref_con(0)
                    : graph_dominates(f, m->meet, h->pred[k])  ? ref_val(v)
                                                               : ref_val(u);
    return ref_val(u);
}

/* The one thing that all these are, R_NONE not counted, if M can read it; else R_NONE. */
static Ref common(const Meet *m, const Ref *r, size_t n, Ref one)
{
    for (size_t k = 0; k < n; k++) {
        if (r[k].kind == R_NONE)
            continue;
        if (one.kind != R_NONE && !ref_same(one, r[k]))
            return ref_none();
        one = r[k];
    }
    const u32 home = one.kind == R_VAL && one.val < m->nvalue ? m->home[one.val] : NONE;
    return home == NONE || graph_dominates(m->f, home, m->meet) ? one : ref_none();
}

/* A phi of M; `stay` or R_NONEs: nobody will ask for it. */
static Ref new_phi(Meet *m, const Ref *stay, const Ref *leave)
{
    Func *f = m->f;
    const u32 v = ir_value(f);
    const Ref other = stay ? ref_none() : carried(m, v);
    const Phi *p = ir_phi(f, m->meet, v);
    const Block *b = &f->block[m->meet];
    for (size_t k = 0; p && k < m->nstay; k++)
        p->arg[pred_index(b, m->stay[k].from)] = stay ? stay[k] : other;
    for (size_t k = 0; p && k < m->nleave; k++)
        p->arg[pred_index(b, m->leave[k].from)] =
            !leave || leave[k].kind == R_NONE ? ref_con(0) : leave[k];
    return ref_val(v);
}

/* What M gives on: one thing, or a phi of what comes by its edges. */
static Ref merge(Meet *m, const Ref *stay, const Ref *leave)
{
    const Ref one =
        stay ? common(m, stay, m->nstay, ref_none()) : common(m, leave, m->nleave, ref_none());
    return one.kind == R_NONE ? new_phi(m, stay, leave) : one;
}

/* --- uses behind the loop ------------------------------------------------------------------- */

static Ref at_start(Meet *m, u32 v, u32 b);

static Ref at_end(Meet *m, u32 v, u32 b)
{
    return graph_dominates(m->f, m->home[v], b) ? ref_val(v) : at_start(m, v, b);
}

static Ref at_meet(Meet *m, u32 v)
{
    Ref *leave = ir_alloc(m->scratch, m->nleave * sizeof *leave);
    for (size_t k = 0; leave && k < m->nleave; k++)
        if (dominated(m, m->home[v], m->leave[k].from))
            leave[k] = ref_val(v);
    return leave ? new_phi(m, NULL, leave) : ref_con(0);
}

static Ref at_merge(Meet *m, u32 v, u32 b)
{
    Func *f = m->f;
    const u32 w = ir_value(f);
    m->now[b] = ref_val(w);
    ir_phi(f, b, w);
    const size_t phi = f->block[b].nphi - 1;
    for (size_t k = 0; k < f->block[b].npred && !f->module->failed; k++) {
        const Ref r = at_end(m, v, f->block[b].pred[k]);
        f->block[b].phi[phi].arg[k] = r;
    }
    return ref_val(w);
}

/* What value v is at the start of block b, which its own block does not dominate any more. */
static Ref at_start(Meet *m, u32 v, u32 b)
{
    const Block *k = &m->f->block[b];
    Ref r = m->now[b];
    if (r.kind != R_NONE || m->f->module->failed)
        return r;
    if (b == m->meet)
        r = at_meet(m, v);
    else if (b < m->nblock && !dominated(m, m->home[v], b))
        r = ref_con(0); /* nobody who goes on to a use comes here */
    else if (k->npred == 1)
        r = at_end(m, v, k->pred[0]);
    else
        return at_merge(m, v, b);
    m->now[b] = r;
    return r;
}

typedef struct {
    Ref *at;
    u32 block;
    bool on_edge; /* at the end of the block */
} Use;

typedef struct {
    Use *use;
    size_t n, cap;
} Uses;

static bool is_cut_off(const Meet *m, Ref r, u32 b)
{
    return r.kind == R_VAL && r.val < m->nvalue && m->home[r.val] != NONE &&
           m->is_in[m->home[r.val]] && !graph_dominates(m->f, m->home[r.val], b);
}

static void note_use(const Meet *m, Uses *u, Ref *r, u32 b, bool on_edge)
{
    if (is_cut_off(m, *r, b) && ir_grow(m->scratch, u->use, u->n, u->cap))
        u->use[u->n++] = (Use){r, b, on_edge};
}

static void note_uses(const Meet *m, Uses *u, u32 b)
{
    Func *f = m->f;
    const Block *k = &f->block[b];
    for (size_t p = 0; p < k->nphi; p++)
        for (size_t e = 0; e < k->npred; e++)
            note_use(m, u, &k->phi[p].arg[e], k->pred[e], true);
    for (size_t i = 0; i < k->nins; i++) {
        for (int a = 0; a < ins_nargs(&k->ins[i]); a++)
            note_use(m, u, &k->ins[i].a[a], b, false);
        if (k->ins[i].op == IR_note && is_cut_off(m, f->note[k->ins[i].imm].is, b))
            f->note[k->ins[i].imm].is = ref_none();
    }
    for (int a = 0; k->term.kind == T_BRANCH && a < 2; a++)
        note_use(m, u, &f->block[b].term.a[a], b, false);
}

/* Gives the uses that their values do not reach any more what they are to read. */
static void mend_uses(Meet *m)
{
    Func *f = m->f;
    Uses u = {0};
    for (size_t i = 0; i < f->nrpo; i++)
        note_uses(m, &u, f->rpo[i]);
    for (size_t k = 0; k < u.n; k++) {
        const u32 v = u.use[k].at->val;
        if (!is_cut_off(m, *u.use[k].at, u.use[k].block))
            continue; /* mended with another one of the value */
        memset(m->now, 0, f->nblock * sizeof *m->now);
        for (size_t j = k; j < u.n; j++)
            if (ref_same(*u.use[j].at, ref_val(v)))
                *u.use[j].at = u.use[j].on_edge ? at_end(m, v, u.use[j].block)
                                                : at_start(m, v, u.use[j].block);
    }
}

/* --- the new graph -------------------------------------------------------------------------- */

/* The arguments of the phi of e.to for the edges that lead there; R_NONE for others. */
static Ref *args_of(const Meet *m, u32 to, size_t phi, const Edge *e, size_t n)
{
    const Block *b = &m->f->block[to];
    Ref *arg = ir_alloc(m->scratch, (n + 1) * sizeof *arg);
    for (size_t k = 0; arg && k < n; k++)
        if (e[k].to == to)
            arg[k] = b->phi[phi].arg[pred_index(b, e[k].from)];
    return arg;
}

/* The arguments of all phis of a block, before its edges move. */
static Ref **all_args(const Meet *m, u32 to, const Edge *e, size_t n)
{
    const size_t nphi = m->f->block[to].nphi;
    Ref **arg = ir_alloc(m->scratch, (nphi + 1) * sizeof *arg);
    for (size_t p = 0; arg && p < nphi; p++)
        arg[p] = args_of(m, to, p, e, n);
    return arg;
}

static u32 number_of(const Meet *m, u32 target)
{
    u32 k = 0;
    while (m->target[k] != target)
        k++;
    return k + 1;
}

/* Makes M, and the blocks after it that tell where a lane goes that leaves: from[k] is the one from
 * which target k is entered. */
static void add_blocks(Meet *m, u32 leaves, u32 *from)
{
    Func *f = m->f;
    const u32 loc = f->block[m->branch].term.loc;
    u32 at = m->meet = ir_block(f);
    for (u32 k = 0; k < m->ntarget && !f->module->failed; k++)
        if (k + 1 == m->ntarget) {
            from[k] = at;
            f->block[at].term.succ[at == m->meet ? 0 : 1] = m->target[k];
        } else {
            const u32 test = ir_block(f);
            f->block[at].term.succ[at == m->meet ? 0 : 1] = test;
            ir_branch(f, test, CMP_eq, ref_val(leaves), ref_con(k + 1), m->target[k], 0, loc);
            from[k] = at = test;
        }
    ir_branch(f, m->meet, CMP_ne, ref_val(leaves), ref_con(0), f->block[m->meet].term.succ[0],
              m->join, loc);
}

static void move_edges(Meet *m)
{
    Func *f = m->f;
    for (size_t k = 0; k < m->nstay; k++)
        f->block[m->stay[k].from].term.succ[0] = m->meet;
    for (size_t k = 0; k < m->nleave; k++)
        f->block[m->leave[k].from].term.succ[0] = m->meet;
    graph_build(f);
}

static void fill_phis(Meet *m, u32 to, size_t nphi, u32 from, Ref **stay, Ref **leave)
{
    for (size_t p = 0; p < nphi && !m->f->module->failed; p++) {
        const Ref r = merge(m, stay ? stay[p] : NULL, leave ? leave[p] : NULL);
        set_arg(m->f, to, p, from, r);
    }
}

/* The flag of M: which target a lane goes to, or 0. */
static void add_flag(Meet *m, u32 leaves)
{
    Func *f = m->f;
    const Ref stays = carried(m, leaves);
    const Phi *p = ir_phi(f, m->meet, leaves);
    const Block *b = &f->block[m->meet];
    for (size_t k = 0; p && k < m->nstay; k++)
        p->arg[pred_index(b, m->stay[k].from)] = stays;
    for (size_t k = 0; p && k < m->nleave; k++)
        p->arg[pred_index(b, m->leave[k].from)] = ref_con(number_of(m, m->leave[k].to));
}

static void let_meet(Meet *m)
{
    Func *f = m->f;
    const bool found = find_join(m) && find_edges(m);
    graph_build(f);
    if (!found || f->module->failed || !remember(m))
        return;
    u32 *from = ir_alloc(m->scratch, m->ntarget * sizeof *from);
    Ref ***leave = ir_alloc(m->scratch, m->ntarget * sizeof *leave);
    size_t *nphi = ir_alloc(m->scratch, m->ntarget * sizeof *nphi);
    const size_t njoin = f->block[m->join].nphi;
    Ref **stay = all_args(m, m->join, m->stay, m->nstay);
    for (size_t k = 0; nphi && k < m->ntarget; k++) {
        nphi[k] = f->block[m->target[k]].nphi;
        leave[k] = all_args(m, m->target[k], m->leave, m->nleave);
    }
    const u32 leaves = ir_value(f);
    if (m->scratch->failed)
        return;
    add_blocks(m, leaves, from);
    m->now = ir_alloc(m->scratch, f->nblock * sizeof *m->now);
    if (f->module->failed || m->scratch->failed)
        return;
    move_edges(m);
    add_flag(m, leaves);
    fill_phis(m, m->join, njoin, m->meet, stay, NULL);
    for (size_t k = 0; k < m->ntarget; k++)
        fill_phis(m, m->target[k], nphi[k], from[k], NULL, leave[k]);
    mend_uses(m);
}

/* --- all of them ---------------------------------------------------------------------------- */

/* Lets the lanes that part at the branches `parts` meet; false: there is no such branch. */
static bool let_all_meet(Func *f, bool *parts, size_t nparts)
{
    u32 n = 0;
    for (; n < MOST && !f->module->failed; n++) {
        Meet m = {.f = f, .parts = parts, .nparts = nparts};
        if (!find_branch(&m))
            break;
        m.scratch = ir_module("meet", f->module->target);
        if (m.scratch)
            let_meet(&m);
        f->module->failed |= !m.scratch || m.scratch->failed;
        ir_free(m.scratch);
        if (m.branch < nparts)
            parts[m.branch] = false;
    }
    return n;
}

void meet_in_loops(Func *f)
{
    for (u32 n = 0; n < MOST_SWEEPS && find_branch(&(Meet){.f = f}); n++) {
        const size_t nparts = f->nblock;
        bool *parts = ir_alloc(f->module, nparts);
        if (!parts || !uniform_find(f, parts) || !let_all_meet(f, parts, nparts))
            return;
    }
}
