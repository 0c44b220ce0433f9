/* out.c -- out of SSA: phis, copies and tied operands become moves.
 *
 * 1. An edge from a branch to a block with several predecessors gets a block of its
 *    own if a phi needs a move on it.  On a side of a divergent branch that block runs
 *    under the mask of that side, before the join, as moves of vectors must.
 * 2. The phis of a block are one parallel assignment on each edge.  It is put in an order
 *    in which nothing is overwritten that is still to be read; one temporary opens a cycle.
 *    Assignments of constants come last, since they read nothing.
 * 3. An operand that shares its register with the result (`vmacc`, `cmov`) becomes the
 *    result itself, which a move fills first.
 *
 * Moves abound afterwards; coalesce.c removes those that it can.
 */
#include "cc/cc.h"
#include "base/mem.h"
#include <string.h>

/* --- edges ------------------------------------------------------------------------ */

static bool needs_move(const Block *b, size_t j)
{
    for (size_t p = 0; p < b->nphi; p++) {
        const Ref r = b->phi[p].arg[j];
        if (r.kind != R_NONE && !(r.kind == R_VAL && r.val == b->phi[p].dst))
            return true;
    }
    return false;
}

static void split_edges(Func *f)
{
    const size_t n = f->nblock;
    for (u32 b = 0; b < n; b++)
        for (size_t j = 0; f->block[b].nphi && f->block[b].npred > 1 && j < f->block[b].npred;
             j++) {
            const u32 p = f->block[b].pred[j];
            const Term *t = &f->block[p].term;
            if (t->kind == T_BRANCH && needs_move(&f->block[b], j))
                graph_split_edge(f, p, t->succ[0] == b ? 0 : 1);
        }
}

/* --- parallel assignments ------------------------------------------------------------- */

typedef struct {
    u32 dst;
    Ref from;
} Assign;

/* A parallel assignment being put in order.  Of each value: how many waiting assignments
 * read it, and 1 + the waiting assignment that writes it. */
typedef struct {
    Func *f;
    u32 block;
    size_t at; /* where the next move goes */
    u32 *readers, *writer;
    Assign *list;
    size_t n, caplist;
} Parallel;

static void put(Parallel *p, const Ins *i) { ir_insert(p->f, p->block, p->at++, i); }

static void put_move(Parallel *p, u32 dst, Ref from)
{
    put(p, &(Ins){.op = IR_move, .dst = dst, .a = {from}});
}

/* Assigns a constant or address: to x by li, to v through a scalar unless it is a small number. */
static void put_constant(Parallel *p, u32 dst, Ref from)
{
    const bool vector = p->f->value[dst].bank == BANK_V;
    const bool small = from.kind == R_CON && (i32)from.val >= -16 && (i32)from.val <= 15;
    if (from.kind == R_REG) {
        put_move(p, dst, from);
    } else if (from.kind == R_SLOT) {
        put(p, &(Ins){.op = vector ? IR_vframe : IR_frame, .dst = dst, .a = {from}});
    } else if (vector && small) {
        put(p, &(Ins){.op = IR_MACHINE + I_vmv_v_i, .dst = dst, .a = {from}});
    } else {
        const u32 x = vector ? ir_value_in(p->f, BANK_X) : dst;
        put(p, &(Ins){.op = IR_li, .dst = x, .a = {from}});
        if (vector)
            put_move(p, dst, ref_val(x));
    }
}

/* Emits assignment k and those that waited for it alone. */
static void emit_chain(Parallel *p, size_t k)
{
    for (;;) {
        const Assign a = p->list[k];
        put_move(p, a.dst, a.from);
        p->writer[a.dst] = 0;
        if (--p->readers[a.from.val] || !p->writer[a.from.val])
            return;
        k = p->writer[a.from.val] - 1;
    }
}

/* Only cycles are left, in which each value is read once.  Saves the value that assignment k
 * overwrites in a temporary, from which the last assignment of the cycle reads it. */
static void open_cycle(Parallel *p, size_t k)
{
    const u32 old = p->list[k].dst;
    const u32 copy = ir_value_in(p->f, (Bank)p->f->value[old].bank);
    put_move(p, copy, ref_val(old));
    for (;;) {
        const Assign a = p->list[k];
        const bool last = a.from.val == old;
        put_move(p, a.dst, last ? ref_val(copy) : a.from);
        p->writer[a.dst] = 0;
        p->readers[a.from.val]--;
        if (last)
            return;
        k = p->writer[a.from.val] - 1;
    }
}

static void emit_moves(Parallel *p)
{
    for (size_t k = 0; k < p->n; k++)
        if (p->list[k].from.kind == R_VAL) {
            p->readers[p->list[k].from.val]++;
            p->writer[p->list[k].dst] = (u32)k + 1;
        }
    for (size_t k = 0; k < p->n; k++)
        if (p->writer[p->list[k].dst] == k + 1 && !p->readers[p->list[k].dst])
            emit_chain(p, k);
    for (size_t k = 0; k < p->n; k++)
        if (p->writer[p->list[k].dst] == k + 1)
            open_cycle(p, k);
    for (size_t k = 0; k < p->n; k++)
        if (p->list[k].from.kind != R_VAL)
            put_constant(p, p->list[k].dst, p->list[k].from);
}

static bool add_assign(Parallel *p, u32 dst, Ref from)
{
    if (from.kind == R_NONE || (from.kind == R_VAL && from.val == dst))
        return true;
    if (!ir_grow(p->f->module, p->list, p->n, p->caplist))
        return false;
    p->list[p->n++] = (Assign){dst, from};
    return true;
}

/* Makes the moves for the phis of block b on the edge from its j-th predecessor. */
static void leave_phis(Parallel *p, u32 b, size_t j)
{
    const Block *k = &p->f->block[b];
    const u32 from = k->pred[j];
    const bool at_end = p->f->block[from].term.kind == T_JUMP;
    p->n = 0;
    for (size_t i = 0; i < k->nphi; i++)
        if (!add_assign(p, k->phi[i].dst, k->phi[i].arg[j]))
            return;
    p->block = at_end ? from : b;
    p->at = at_end ? p->f->block[from].nins : 0;
    emit_moves(p);
}

static void leave_all_phis(Func *f)
{
    const size_t n = f->nblock;
    Parallel p = {.f = f,
                  .readers = ir_alloc(f->module, f->nvalue * sizeof(u32)),
                  .writer = ir_alloc(f->module, f->nvalue * sizeof(u32))};
    if (!p.readers || !p.writer)
        return;
    for (u32 b = 0; b < n; b++)
        for (size_t j = 0; f->block[b].nphi && j < f->block[b].npred; j++)
            leave_phis(&p, b, j);
    for (u32 b = 0; b < n; b++)
        f->block[b].nphi = 0;
}

/* --- tied operands ----------------------------------------------------------------------- */

static bool is_untied(const Ins *i)
{
    const int t = ins_tied(i);
    return t >= 0 && i->dst && !ref_same(i->a[t], ref_val(i->dst));
}

/* Makes the tied operand of *i its result; returns the move that fills it, which goes before *i. */
static Ins tie(Func *f, Ins *i)
{
    const Ref from = i->a[ins_tied(i)];
    if (from.kind != R_VAL && from.kind != R_REG)
        ir_mistake(f->module, "an accumulator in %s is no register", f->name);
    for (int j = 0; j < 3; j++)
        if (ref_same(i->a[j], from))
            i->a[j] = ref_val(i->dst);
    return (Ins){.op = IR_move, .dst = i->dst, .loc = i->loc, .a = {from}};
}

static void rewrite_block(Func *f, Block *b)
{
    size_t n = 0, moves = 0;
    for (size_t k = 0; k < b->nins; k++) {
        if (b->ins[k].op == IR_copy)
            b->ins[k].op = IR_move;
        moves += is_untied(&b->ins[k]);
    }
    Ins *new = moves ? ir_alloc(f->module, (b->nins + moves) * sizeof *new) : NULL;
    if (!new)
        return;
    for (size_t k = 0; k < b->nins; k++) {
        if (is_untied(&b->ins[k]))
            new[n++] = tie(f, &b->ins[k]);
        new[n++] = b->ins[k];
    }
    b->ins = new;
    b->nins = b->capins = n;
}

void leave_ssa(Func *f)
{
    split_edges(f);
    if (f->module->failed)
        return;
    leave_all_phis(f);
    for (size_t b = 0; b < f->nblock; b++)
        rewrite_block(f, &f->block[b]);
    graph_name_sides(f);
    graph_build(f);
}
