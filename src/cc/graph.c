/* graph.c -- the control flow graph of a function: predecessors, reverse post-order,
 * dominators, post-dominators, natural loops.
 *
 * Dominators follow the Semi-NCA algorithm of Georgiadis, "Linear-Time Algorithms for Dominators
 * and Related Problems": semidominators as Lengauer and Tarjan find them, and then for each
 * block the nearest dominator of its parent in the depth-first tree that is not below its
 * semidominator.  Post-dominators are the same on the reversed graph, counting only paths that
 * end.  A block that cannot reach the exit would have none, and lanes that part there would
 * never meet: graph_open_loops gives such loops a way out.
 */
#include "cc/ir.h"
#include "base/mem.h"
#include <string.h>

#define NONE UINT32_MAX

/* --- predecessors ------------------------------------------------------------------- */

/* Puts phi arguments in the order of the new predecessors; the argument of an edge that is gone
 * goes too.  first[p]: 1 + the first place of p in `old` that is not taken yet; all 0 between
 * calls. */
static void reorder_phis(Func *f, Block *b, const u32 *old, size_t nold, u32 *first)
{
    if (!b->nphi || (nold == b->npred && !memcmp(old, b->pred, nold * sizeof *old)))
        return;
    u32 *from = ir_alloc(f->module, (b->npred + 1) * sizeof *from);
    u32 *next = ir_alloc(f->module, (nold + 1) * sizeof *next);
    if (!from || !next)
        return;
    for (size_t j = nold; j-- > 0;) {
        next[j] = first[old[j]];
        first[old[j]] = (u32)j + 1;
    }
    for (size_t k = 0; k < b->npred; k++) {
        from[k] = first[b->pred[k]];
        if (from[k])
            first[b->pred[k]] = next[from[k] - 1];
    }
    for (size_t j = 0; j < nold; j++)
        first[old[j]] = 0;
    for (size_t p = 0; p < b->nphi; p++) {
        Ref *arg = ir_alloc(f->module, (b->npred + 1) * sizeof *arg);
        for (size_t k = 0; arg && k < b->npred; k++)
            arg[k] = from[k] ? b->phi[p].arg[from[k] - 1] : ref_none();
        if (arg)
            b->phi[p].arg = arg;
    }
}

void graph_preds(Func *f)
{
    u32 **old = ir_alloc(f->module, (f->nblock + 1) * sizeof *old);
    size_t *nold = ir_alloc(f->module, (f->nblock + 1) * sizeof *nold);
    u32 *first = ir_alloc(f->module, (f->nblock + 1) * sizeof *first);
    if (!old || !nold || !first)
        return;
    /* 1. the predecessors as they were */
    for (size_t b = 0; b < f->nblock; b++) {
        Block *k = &f->block[b];
        nold[b] = k->npred;
        if (k->nphi && k->npred) {
            old[b] = ir_alloc(f->module, k->npred * sizeof **old);
            if (!old[b])
                return;
            memcpy(old[b], k->pred, k->npred * sizeof **old);
        }
        k->npred = 0;
    }
    /* 2. as they are */
    for (size_t b = 0; b < f->nblock; b++)
        for (int k = 0; k < term_nsucc(&f->block[b].term); k++) {
            Block *to = &f->block[f->block[b].term.succ[k]];
            if (ir_grow(f->module, to->pred, to->npred, to->cappred))
                to->pred[to->npred++] = (u32)b;
        }
    /* 3. the arguments of phis follow them */
    for (size_t b = 0; b < f->nblock; b++)
        if (old[b])
            reorder_phis(f, &f->block[b], old[b], nold[b], first);
}

/* --- reverse post-order ---------------------------------------------------------------- */

typedef struct {
    u32 *stack, *next; /* blocks on the way, and the edge of each to follow next */
    bool *seen;
    u32 *post, *pre; /* blocks as they are left, and as they are found */
    size_t npost, npre;
    u32 *up; /* of each block: the one from which it was found */
} Walk;

static bool walk_init(Func *f, Walk *w)
{
    const size_t n = f->nblock + 1;
    *w = (Walk){.stack = ir_alloc(f->module, n * sizeof(u32)),
                .next = ir_alloc(f->module, n * sizeof(u32)),
                .seen = ir_alloc(f->module, n),
                .post = ir_alloc(f->module, n * sizeof(u32)),
                .pre = ir_alloc(f->module, n * sizeof(u32)),
                .up = ir_alloc(f->module, n * sizeof(u32))};
    return !f->module->failed;
}

/* the k-th successor of b, or predecessor if `backward`; NONE when there are no more */
static u32 neighbour(const Func *f, u32 b, u32 k, bool backward)
{
    const Block *p = &f->block[b];
    if (backward)
        return k < p->npred ? p->pred[k] : NONE;
    return (int)k < term_nsucc(&p->term) ? p->term.succ[k] : NONE;
}

static void walk_from(const Func *f, Walk *w, u32 root, bool backward)
{
    size_t n = 0;
    if (w->seen[root])
        return;
    w->seen[root] = true;
    w->pre[w->npre++] = w->stack[n] = root;
    w->next[n++] = 0;
    while (n) {
        const u32 to = neighbour(f, w->stack[n - 1], w->next[n - 1]++, backward);
        if (to == NONE) {
            w->post[w->npost++] = w->stack[--n];
        } else if (!w->seen[to]) {
            w->seen[to] = true;
            w->up[to] = w->stack[n - 1];
            w->pre[w->npre++] = w->stack[n] = to;
            w->next[n++] = 0;
        }
    }
}

static void empty_block(Block *b)
{
    *b = (Block){.ins = b->ins,
                 .capins = b->capins,
                 .phi = b->phi,
                 .capphi = b->capphi,
                 .pred = b->pred,
                 .cappred = b->cappred,
                 .idom = NONE,
                 .ipdom = NONE,
                 .loop = NONE};
}

/* Puts the reachable blocks into Func.rpo.  The exit is always among them; if nothing leads there
 * it loses its instructions. */
static bool order_blocks(Func *f)
{
    Walk w;
    if (!walk_init(f, &w))
        return false;
    walk_from(f, &w, 0, false);
    f->rpo = ir_alloc(f->module, (f->nblock + 1) * sizeof *f->rpo);
    if (!f->rpo)
        return false;
    f->nrpo = 0;
    while (w.npost)
        f->rpo[f->nrpo++] = w.post[--w.npost];
    for (u32 b = 0; b < f->nblock; b++)
        if (!w.seen[b] && b != f->exit)
            empty_block(&f->block[b]);
    if (!w.seen[f->exit]) {
        f->rpo[f->nrpo++] = f->exit;
        f->block[f->exit].nins = f->block[f->exit].nphi = 0;
    }
    for (size_t i = 0; i < f->nrpo; i++)
        f->block[f->rpo[i]].rpo = (u32)i;
    return true;
}

/* --- dominators ---------------------------------------------------------------------------- */

/* Blocks are named by their number in pre-order of the depth-first tree: all arrays but `order` and
 * `at` are indexed by it and hold it. */
typedef struct {
    const u32 *order; /* the blocks */
    u32 n;
    u32 *at;    /* of each block: its number, NONE if it was not reached */
    u32 *idom;  /* first the parent, in the end the dominator */
    u32 *up;    /* an ancestor; the blocks between have been looked at */
    u32 *label; /* of the blocks below `up`, down to this one: that with the least semidominator */
    u32 *semi;
    u32 *stack;
} Tree;

/* The label of v; the blocks from number `linked` on have been linked to their parents. */
static u32 least(Tree *t, u32 v, u32 linked)
{
    size_t n = 0;
    for (; t->up[v] >= linked; v = t->up[v])
        t->stack[n++] = v;
    while (n) {
        const u32 below = t->stack[--n];
        t->up[below] = t->up[v];
        if (t->semi[t->label[v]] < t->semi[t->label[below]])
            t->label[below] = t->label[v];
        v = below;
    }
    return t->label[v];
}

static void find_semidominator(const Func *f, Tree *t, u32 v, bool backward)
{
    u32 from, found = t->idom[v];
    for (u32 k = 0; (from = neighbour(f, t->order[v], k, !backward)) != NONE; k++) {
        if (t->at[from] == NONE)
            continue;
        const u32 semi = t->semi[least(t, t->at[from], v + 1)];
        found = semi < found ? semi : found;
    }
    t->semi[v] = found;
}

static bool tree_init(Func *f, Tree *t, const Walk *w)
{
    const size_t blocks = f->nblock + 1, n = w->npre;
    u32 *room = ir_alloc(f->module, (blocks + 5 * n) * sizeof *room);
    if (!room)
        return false;
    *t = (Tree){.order = w->pre, .n = (u32)n, .at = room, .idom = room + blocks};
    t->up = t->idom + n;
    t->label = t->up + n;
    t->semi = t->label + n;
    t->stack = t->semi + n;
    memset(t->at, 0xff, blocks * sizeof *t->at);
    for (u32 v = 0; v < n; v++) {
        t->at[w->pre[v]] = v;
        t->label[v] = t->semi[v] = v;
        t->idom[v] = t->up[v] = v ? t->at[w->up[w->pre[v]]] : 0;
    }
    return true;
}

/* Builds the tree of dominators of the blocks that can be reached from `root`. */
static bool build_tree(Func *f, Tree *t, u32 root, bool backward)
{
    Walk w;
    if (!walk_init(f, &w))
        return false;
    walk_from(f, &w, root, backward);
    if (!tree_init(f, t, &w))
        return false;
    for (u32 v = t->n; v-- > 1;)
        find_semidominator(f, t, v, backward);
    for (u32 v = 1; v < t->n; v++)
        while (t->idom[v] > t->semi[v])
            t->idom[v] = t->idom[t->idom[v]];
    return true;
}

/* the dominator of b in the tree; `otherwise`, if b is not in it */
static u32 parent_of(const Tree *t, u32 b, u32 otherwise)
{
    return t->at[b] == NONE ? otherwise : t->order[t->idom[t->at[b]]];
}

/* Numbers the subtrees, a parent before its children: Block.dom_first and dom_last. */
static void number_tree(Func *f)
{
    u32 *size = ir_alloc(f->module, (f->nblock + 1) * sizeof *size);
    u32 *next = ir_alloc(f->module, (f->nblock + 1) * sizeof *next);
    if (!size || !next)
        return;
    for (size_t i = f->nrpo; i-- > 0;) {
        const u32 b = f->rpo[i], p = f->block[b].idom;
        size[b]++;
        if (p != NONE)
            size[p] += size[b];
    }
    for (size_t i = 0; i < f->nrpo; i++) {
        Block *b = &f->block[f->rpo[i]];
        if (b->idom != NONE) {
            b->dom_first = next[b->idom];
            next[b->idom] += size[f->rpo[i]];
        }
        b->dom_last = b->dom_first + size[f->rpo[i]] - 1;
        next[f->rpo[i]] = b->dom_first + 1;
    }
}

static void dominators(Func *f)
{
    Tree t;
    if (!build_tree(f, &t, 0, false))
        return;
    for (size_t i = 0; i < f->nrpo; i++) {
        const u32 b = f->rpo[i];
        /* an exit that nothing reaches hangs below the entry */
        f->block[b].idom = b ? parent_of(&t, b, 0) : NONE;
        f->block[b].dom_first = 0;
    }
    number_tree(f);
}

/* A block that cannot reach the exit is taken to go there at once. */
static void post_dominators(Func *f)
{
    Tree t;
    if (!build_tree(f, &t, f->exit, true))
        return;
    for (size_t i = 0; i < f->nrpo; i++) {
        const u32 b = f->rpo[i];
        f->block[b].ipdom = b == f->exit ? NONE : parent_of(&t, b, f->exit);
    }
}

bool graph_dominates(const Func *f, u32 a, u32 b)
{
    const Block *p = &f->block[a], *q = &f->block[b];
    return p->dom_first <= q->dom_first && q->dom_first <= p->dom_last;
}

/* --- loops ------------------------------------------------------------------------------------ */

static u32 outermost(const Func *f, u32 loop)
{
    while (f->loops[loop].parent != NONE)
        loop = f->loops[loop].parent;
    return loop;
}

/* Adds block b, or the loop that it is in already, to `loop`; pushes the blocks from which it is
 * entered. */
static void claim(Func *f, u32 b, u32 loop, u32 *stack, size_t *n)
{
    u32 entry = b;
    if (f->block[b].loop == NONE) {
        f->block[b].loop = loop;
    } else {
        const u32 inner = outermost(f, f->block[b].loop);
        if (inner == loop)
            return;
        f->loops[inner].parent = loop;
        entry = f->loops[inner].header;
    }
    if (entry == f->loops[loop].header)
        return;
    for (size_t k = 0; k < f->block[entry].npred; k++)
        stack[(*n)++] = f->block[entry].pred[k];
}

/* Numbers the tree of loops, inner ones after outer ones. */
static void number_loops(Func *f)
{
    const size_t n = f->nloops;
    u32 *size = ir_alloc(f->module, (n + 1) * sizeof *size);
    u32 *next = ir_alloc(f->module, (n + 1) * sizeof *next); /* next[n]: of the outermost */
    for (size_t l = 0; size && l < n; l++) {
        size[l]++;
        if (f->loops[l].parent != NONE)
            size[f->loops[l].parent] += size[l];
    }
    for (size_t l = n; next && size && l-- > 0;) {
        Loop *k = &f->loops[l];
        const bool inner = k->parent != NONE;
        u32 *number = &next[inner ? k->parent : n];
        k->first = *number;
        k->last = k->first + size[l] - 1;
        k->depth = inner ? f->loops[k->parent].depth + 1 : 1;
        *number += size[l];
        next[l] = k->first + 1;
    }
}

static void count_blocks(Func *f)
{
    for (size_t i = 0; i < f->nrpo; i++) {
        Block *b = &f->block[f->rpo[i]];
        if (b->loop == NONE)
            continue;
        b->depth = f->loops[b->loop].depth;
        f->loops[b->loop].nblock++;
    }
    for (size_t l = 0; l < f->nloops; l++)
        if (f->loops[l].parent != NONE)
            f->loops[f->loops[l].parent].nblock += f->loops[l].nblock;
}

/* Goes over headers in post-order, so that inner loops come first. */
static void find_loops(Func *f)
{
    size_t edges = 1;
    f->nloops = 0;
    for (size_t i = 0; i < f->nrpo; i++) {
        f->block[f->rpo[i]].loop = NONE;
        f->block[f->rpo[i]].depth = 0;
        edges += f->block[f->rpo[i]].npred;
    }
    u32 *stack = ir_alloc(f->module, 2 * edges * sizeof *stack);
    if (!stack)
        return;
    for (size_t i = f->nrpo; i-- > 0;) {
        const u32 h = f->rpo[i];
        size_t n = 0;
        for (size_t k = 0; k < f->block[h].npred; k++)
            if (graph_dominates(f, h, f->block[h].pred[k]))
                stack[n++] = f->block[h].pred[k];
        if (!n || !ir_grow(f->module, f->loops, f->nloops, f->caploops))
            continue;
        const u32 loop = (u32)f->nloops++;
        f->loops[loop] = (Loop){.header = h, .parent = NONE};
        f->block[h].loop = loop;
        while (n)
            claim(f, stack[--n], loop, stack, &n);
    }
    number_loops(f);
    count_blocks(f);
}

bool graph_in_loop(const Func *f, u32 b, u32 loop)
{
    const u32 l = f->block[b].loop;
    const Loop *outer = &f->loops[loop];
    return l != NONE && outer->first <= f->loops[l].first && f->loops[l].first <= outer->last;
}

/* --- all of it ---------------------------------------------------------------------------- */

void graph_build(Func *f)
{
    graph_preds(f);
    if (f->module->failed || !order_blocks(f))
        return;
    graph_preds(f); /* without the edges of blocks that were emptied */
    dominators(f);
    post_dominators(f);
    find_loops(f);
}

/* A loop that never ends, and where it is said to go. */
typedef struct {
    u32 header, way_out;
} OpenLoop;

/* Where the lanes that do not go into an endless loop meet, if some do: after the last branch
 * before it of which a side ends.  All values that are used from there on are computed before that
 * branch or after the place.  ends[]: blocks that can reach the exit. */
static u32 way_out(const Func *f, u32 header, const bool *ends)
{
    u32 branch = header;
    while (branch && !ends[branch])
        branch = f->block[branch].idom;
    u32 to = ends[branch] ? f->block[branch].ipdom : f->exit;
    while (to != f->exit && !graph_dominates(f, f->block[to].idom, header))
        to = f->block[to].ipdom;
    return to;
}

/* Moves all of a block but its phis to a new block.  The header goes there if the number of lanes
 * is not 0, which is always so, and else out of the loop. */
static void open_header(Func *f, u32 h, u32 to_out)
{
    const u32 rest = ir_block(f), lanes = ir_value(f);
    if (f->module->failed)
        return;
    Block *from = &f->block[h], *to = &f->block[rest];
    to->ins = from->ins;
    to->nins = from->nins;
    to->capins = from->capins;
    to->term = from->term;
    from->ins = NULL;
    from->nins = from->capins = 0;
    for (int k = 0; k < term_nsucc(&to->term); k++) {
        Block *next = &f->block[to->term.succ[k]];
        for (size_t p = 0; p < next->npred; p++)
            if (next->pred[p] == h)
                next->pred[p] = rest;
    }
    ir_append(f, h, &(Ins){.op = IR_csr, .dst = lanes, .imm = CSR_numt, .loc = to->term.loc});
    ir_branch(f, h, CMP_ne, ref_val(lanes), ref_con(0), rest, to_out, to->term.loc);
}

void graph_open_loops(Func *f)
{
    Walk w;
    OpenLoop *open = ir_alloc(f->module, (f->nrpo + 1) * sizeof *open);
    bool *ends = ir_alloc(f->module, (f->nblock + 1) * sizeof *ends);
    size_t n = 0;
    if (!open || !ends || !walk_init(f, &w))
        return;
    /* 1. the headers; outer ones come first: once one is open, every block that leads to it can
     * reach the exit */
    walk_from(f, &w, f->exit, true);
    memcpy(ends, w.seen, f->nblock * sizeof *ends);
    for (size_t i = 0; i < f->nrpo && w.npre < f->nrpo; i++) {
        const u32 b = f->rpo[i];
        bool is_header = false;
        for (size_t k = 0; k < f->block[b].npred && !w.seen[b]; k++)
            is_header |= f->block[f->block[b].pred[k]].rpo >= i;
        if (is_header) {
            walk_from(f, &w, b, true);
            open[n++] = (OpenLoop){b, way_out(f, b, ends)};
        }
    }
    if (!n)
        return;
    /* 2. their ways out, by which nobody goes */
    for (size_t i = 0; i < n && !f->module->failed; i++)
        open_header(f, open[i].header, open[i].way_out);
    graph_build(f);
    for (size_t i = 0; i < n; i++) {
        const Block *out = &f->block[open[i].way_out];
        for (size_t p = 0; p < out->nphi; p++)
            for (size_t k = 0; k < out->npred && !f->module->failed; k++)
                if (out->phi[p].arg[k].kind == R_NONE)
                    out->phi[p].arg[k] = ref_con(0); /* never read */
    }
}

static void add_other(Func *f, u32 join, u32 side)
{
    Block *j = &f->block[join];
    for (size_t k = 0; k < j->nother; k++)
        if (j->other[k] == side)
            return;
    if (ir_grow(f->module, j->other, j->nother, j->capother))
        j->other[j->nother++] = side;
}

void graph_name_sides(Func *f)
{
    for (u32 b = 0; b < f->nblock; b++)
        f->block[b].nother = 0;
    for (u32 b = 0; b < f->nblock; b++) {
        const Term t = f->block[b].term;
        for (int k = 0; t.kind == T_BRANCH && t.divergent && k < 2; k++)
            add_other(f, t.rpc, t.succ[k]);
    }
}

u32 graph_split_edge(Func *f, u32 b, int k)
{
    const u32 new = ir_block(f);
    if (f->module->failed)
        return 0;
    const u32 to = f->block[b].term.succ[k];
    Block *target = &f->block[to];
    ir_jump(f, new, to);
    f->block[new].term.loc = f->block[b].term.loc;
    /* of two parallel edges the second one is the later predecessor */
    const bool second = k == 1 && f->block[b].term.succ[0] == to;
    bool passed = false;
    for (size_t p = 0; p < target->npred; p++)
        if (target->pred[p] == b && (!second || passed)) {
            target->pred[p] = new;
            break;
        } else if (target->pred[p] == b) {
            passed = true;
        }
    f->block[b].term.succ[k] = new;
    return new;
}
