/* countertest.c -- which counter a loop is tested by.
 *
 * If the next value of a counter is known where the counter itself is compared for equality,
 * i == 15 becomes i + 1 == 16, so that i ends with its round.  If nothing but the test needs a
 * counter, and an address of the warp grows along, the address is compared with where it will be
 * at the end:
 *
 *     i = 0, p = a   do ... p += 4, i += 1; while i != n     p = a   do ... p += 4; while p != a +
 * 4 n
 *
 * As p is accessed each round, the rounds cannot be as many as to bring it around the 32 bits.
 */
#include "cc/fold.h"
#include "cc/loop.h"

typedef struct {
    LoopWalk *w;
    u32 *uses; /* by value: how many operands read it */
    bool changed;
} Tests;

/* A counter of the loop with constant step. */
typedef struct {
    u32 now, next; /* values */
    Ref start;
    u32 step;
} Counter;

static bool read_counter(const LoopWalk *w, u32 v, Counter *c)
{
    Ref step;
    u32 sign;
    if (!loop_counter(w, v, &c->start, &step, &sign) || step.kind != R_CON)
        return false;
    c->now = v;
    c->next = loop_phi(w, v)->arg[w->latch_arg].val;
    c->step = sign * step.val;
    return true;
}

static bool is_uniform(const LoopWalk *w, Ref r)
{
    return r.kind == R_CON || (r.kind == R_VAL && w->f->value[r.val].bank == BANK_X);
}

/* --- tests of the next value ------------------------------------------------------------------ */

static bool is_known_next(const LoopWalk *w, const Counter *c, u32 b)
{
    return graph_dominates(w->f, w->def[c->next].block, b);
}

static void test_next(const LoopWalk *w, u32 b, int k)
{
    Term *t = &w->f->block[b].term;
    Counter c;
    if (t->a[k].kind != R_VAL || t->a[1 - k].kind != R_CON || !read_counter(w, t->a[k].val, &c) ||
        !is_known_next(w, &c, b))
        return;
    t->a[k] = ref_val(c.next);
    t->a[1 - k] = ref_con(t->a[1 - k].val + c.step);
}

/* --- tests of an address ---------------------------------------------------------------------- */

static void count_uses(Tests *T)
{
    const Func *f = T->w->f;
    for (size_t n = 0; n < f->nrpo; n++) {
        const Block *b = &f->block[f->rpo[n]];
        for (size_t j = 0; j < b->nphi; j++)
            for (size_t k = 0; k < b->npred; k++)
                T->uses[b->phi[j].arg[k].kind == R_VAL ? b->phi[j].arg[k].val : 0]++;
        for (size_t j = 0; j < b->nins; j++)
            for (int k = 0; k < ins_nargs(&b->ins[j]); k++)
                T->uses[b->ins[j].a[k].kind == R_VAL ? b->ins[j].a[k].val : 0]++;
        for (int k = 0; k < 2; k++)
            T->uses[b->term.a[k].kind == R_VAL ? b->term.a[k].val : 0]++;
    }
}

/* whether an access of each round has the address p */
static bool is_accessed(const LoopWalk *w, u32 p)
{
    for (size_t n = 0; n < w->f->nrpo; n++) {
        const u32 b = w->f->rpo[n];
        const Block *k = &w->f->block[b];
        if (k->loop != w->loop || !graph_dominates(w->f, b, w->latch))
            continue;
        for (size_t j = 0; j < k->nins; j++)
            if ((k->ins[j].op == IR_load || k->ins[j].op == IR_store) &&
                ref_same(k->ins[j].a[ir_info[k->ins[j].op].nargs - 1], ref_val(p)))
                return true;
    }
    return false;
}

/* an address of the warp that grows a whole number of times as fast as *c */
static bool find_address(const LoopWalk *w, const Counter *c, Counter *p)
{
    const Block *h = &w->f->block[w->header];
    for (size_t k = 0; k < h->nphi; k++)
        if (h->phi[k].dst != c->now && is_uniform(w, ref_val(h->phi[k].dst)) &&
            read_counter(w, h->phi[k].dst, p) && (i32)p->step % (i32)c->step == 0 &&
            is_accessed(w, p->now))
            return true;
    return false;
}

static Ref compute(const Tests *T, IrOp op, Ref x, Ref y)
{
    LoopWalk *w = T->w;
    if (x.kind == R_CON && y.kind == R_CON)
        return ref_con(op_eval(ir_info[op].eval, x.val, y.val));
    if (ref_is_con(y, op == IR_mul))
        return x;
    const Ins i = {.op = (u16)op, .dst = ir_value_in(w->f, BANK_X), .a = {x, y}};
    if (loop_define(w, w->before, i.dst, &i))
        ir_append(w->f, w->before, &i);
    return ref_val(i.dst);
}

static Ref scaled(const Tests *T, Ref x, u32 times)
{
    return times && !(times & (times - 1))
               ? compute(T, IR_sll, x, ref_con((u32)__builtin_ctz(times)))
               : compute(T, IR_mul, x, ref_con(times));
}

/* where p is when the counter is n */
static Ref limit(const Tests *T, const Counter *c, const Counter *p, Ref n)
{
    const Ref rounds = compute(T, IR_sub, n, c->start);
    const Ref far = scaled(T, rounds, (u32)((i32)p->step / (i32)c->step));
    return compute(T, IR_add, far, p->start);
}

static bool find_tested(const LoopWalk *w, Ref r, Counter *c)
{
    const Block *h = &w->f->block[w->header];
    for (size_t k = 0; k < h->nphi && r.kind == R_VAL; k++)
        if (read_counter(w, h->phi[k].dst, c) && (c->now == r.val || c->next == r.val))
            return true;
    return false;
}

/* only the test, and what makes the next of it, read the counter; the phi reads the next */
static bool is_for_test(const Tests *T, const Counter *c)
{
    return T->uses[c->now] + T->uses[c->next] == 3;
}

static void test_address(Tests *T, u32 b, int k)
{
    const LoopWalk *w = T->w;
    Term *t = &w->f->block[b].term;
    const Ref n = t->a[1 - k];
    Counter c, p;
    if (!find_tested(w, t->a[k], &c) || !c.step || !is_for_test(T, &c) || !is_uniform(w, n) ||
        !is_uniform(w, ref_val(c.now)) || !is_uniform(w, c.start) || !is_outside(w, n) ||
        w->f->block[w->before].rerun || !find_address(w, &c, &p) || !is_uniform(w, p.start) ||
        (t->a[k].val == c.next && !is_known_next(w, &p, b)))
        return;
    const Ref end = limit(T, &c, &p, n);
    t = &w->f->block[b].term;
    t->a[k] = ref_val(t->a[k].val == c.now ? p.now : p.next);
    t->a[1 - k] = end;
    T->changed = true;
}

/* --- loops -------------------------------------------------------------------------------------
 */

static void visit(LoopWalk *w, void *tests)
{
    Tests *T = tests;
    T->w = w;
    for (size_t n = 0; n < w->f->nrpo; n++) {
        const u32 b = w->f->rpo[n];
        const Term *t = &w->f->block[b].term;
        for (int k = 0; k < 2; k++)
            if (w->f->block[b].loop == w->loop && t->kind == T_BRANCH && t->cmp <= CMP_ne) {
                test_next(w, b, k);
                test_address(T, b, k);
            }
    }
}

void test_counters(Func *f)
{
    Tests T = {.uses = f->nloops ? ir_alloc(f->module, f->nvalue * sizeof *T.uses) : NULL};
    if (!T.uses)
        return;
    T.w = &(LoopWalk){.f = f};
    count_uses(&T);
    loop_walk(f, visit, &T);
    if (T.changed)
        remove_dead(f);
}
