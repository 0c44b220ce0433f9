/* tidy.c -- peepholes on allocated code, after frame.c.
 *
 *   moves      A move, constant or address (li) that puts into a register what it holds already is
 *              removed; what registers hold is followed through a block.
 *   threading  A jump to an empty block goes where that block goes.  A block that is a join is
 * never skipped: lanes must stop there.
 *
 * Requires and keeps a built graph.
 */
#include "cc/cc.h"
#include "base/mem.h"
#include <string.h>

/* --- what registers hold ------------------------------------------------------------------ */

/* Of each register: R_NONE nothing is known; R_CON, R_SYM that number; R_REG a copy of that
 * register. */
typedef struct {
    const Func *f;
    Ref holds[NREG];
} Known;

static u32 reg_of(const Func *f, Ref r)
{
    if (r.kind == R_REG)
        return r.val;
    return r.kind == R_VAL ? f->value[r.val].reg - 1 : NREG;
}

static u32 written(const Func *f, const Ins *i)
{
    if (i->reg)
        return i->reg - 1;
    return i->dst ? f->value[i->dst].reg - 1 : NREG;
}

static void forget(Known *k, u32 reg)
{
    k->holds[reg] = ref_none();
    for (u32 r = 0; r < NREG; r++)
        if (k->holds[r].kind == R_REG && k->holds[r].val == reg)
            k->holds[r] = ref_none();
}

static bool is_move(const Ins *i) { return i->op == IR_copy || i->op == IR_move; }

/* What an instruction makes its destination hold, R_NONE when that is nothing simple. */
static Ref result(const Known *k, const Ins *i)
{
    if (i->op == IR_li && (i->a[0].kind == R_CON || i->a[0].kind == R_SYM))
        return i->a[0];
    if (!is_move(i))
        return ref_none();
    const u32 from = reg_of(k->f, i->a[0]);
    if (from >= NREG)
        return i->a[0].kind == R_CON ? i->a[0] : ref_none();
    return k->holds[from].kind == R_NONE ? ref_reg(from) : k->holds[from];
}

/* whether the destination holds `value` already, or `value` is a register that holds a copy of it
 */
static bool is_vain(const Known *k, const Ins *i, u32 dst, Ref value)
{
    if (value.kind == R_NONE)
        return false;
    if (ref_same(k->holds[dst], value))
        return true;
    return is_move(i) && value.kind == R_REG && value.val == dst;
}

static void tidy_block(Known *k, Block *b)
{
    size_t n = 0;
    memset(k->holds, 0, sizeof k->holds);
    for (size_t j = 0; j < b->nins; j++) {
        const Ins i = b->ins[j];
        const u32 dst = written(k->f, &i);
        const Ref value = dst < NREG ? result(k, &i) : ref_none();
        if (dst < NREG && is_vain(k, &i, dst, value))
            continue;
        b->ins[n++] = i;
        if (i.op == IR_call)
            memset(k->holds, 0, sizeof k->holds);
        if (dst >= NREG)
            continue;
        forget(k, dst);
        k->holds[dst] = value;
    }
    b->nins = n;
}

/* --- threading -------------------------------------------------------------------------------- */

static bool has_code(const Block *b)
{
    for (size_t k = 0; k < b->nins; k++)
        if (b->ins[k].op != IR_note)
            return true;
    return false;
}

static bool is_passage(const Func *f, u32 b)
{
    const Block *k = &f->block[b];
    return !has_code(k) && !k->join && k->term.kind == T_JUMP && b != f->exit && b != 0;
}

/* where a jump to b ends up; a cycle of empty blocks stays as it is */
static u32 destination(const Func *f, u32 b)
{
    u32 to = b;
    for (size_t steps = 0; is_passage(f, to); steps++) {
        if (steps == f->nblock)
            return b;
        to = f->block[to].term.succ[0];
    }
    return to;
}

void tidy(Func *f)
{
    Known *k = ir_alloc(f->module, sizeof *k);
    if (!k)
        return;
    k->f = f;
    for (size_t i = 0; i < f->nrpo; i++)
        tidy_block(k, &f->block[f->rpo[i]]);
    for (size_t i = 0; i < f->nrpo; i++) {
        Term *t = &f->block[f->rpo[i]].term;
        for (int s = 0; s < 2 && t->kind != T_RET; s++)
            t->succ[s] = destination(f, t->succ[s]);
        if (t->kind == T_BRANCH && t->succ[0] == t->succ[1])
            *t = (Term){.kind = T_JUMP, .succ = {t->succ[0], t->succ[0]}, .loc = t->loc};
    }
    graph_build(f);
    graph_name_sides(f);
}
