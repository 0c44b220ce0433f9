/* counters.c -- which counter the test of a loop compares.
 *
 * 1. If a counter is compared for equality where its next value is known already, the next value is
 *    compared instead: i == 15 becomes i + 1 == 16, so that i need not live beyond its round.
 * 2. If only the test needs a counter, and the loop has an address that is uniform and grows in
 * step with it, the address is compared with its final value instead, and the counter goes:
 *
 *        before   i = 0, p = a;  do ... p += 4, i += 1;  while i != n
 *        after           p = a;  do ... p += 4;          while p != a + 4 n
 *
 *    As p is accessed in each round, there cannot be so many rounds that p wraps around.
 */
#include "cc/fold.h"
#include "cc/loop.h"

typedef struct {
    LoopWalk *w;
    u32 *uses; /* by value: how many operands read it */
    bool changed;
} Tests;

/* A counter of the loop whose step is a constant. */
typedef struct {
    u32 now, next; /* the phi, and the value that the next round gives it */
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

/* whether each round has an access whose address is p */
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

/* *p: a uniform address whose step is a multiple of that of *c */
static bool find_address(const LoopWalk *w, const Counter *c, Counter *p)
{
    const Block *h = &w->f->block[w->header];
    for (size_t k = 0; k < h->nphi; k++)
        if (h->phi[k].dst != c->now && is_uniform(w, ref_val(h->phi[k].dst)) &&
            read_counter(w, h->phi[k].dst, p) && (i64)(i32)p->step % (i32)c->step == 0 &&
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
    const u32 b = loop_place(w, x, y);
    if (loop_define(w, b, i.dst, &i))
        ir_append(w->f, b, &i);
    return ref_val(i.dst);
}

/* the value of p when the counter is n */
static Ref limit(const Tests *T, const Counter *c, const Counter *p, Ref n)
{
    const Ref counted = compute(T, IR_sub, n, c->start);
    const u32 times = (u32)((i64)(i32)p->step / (i32)c->step);
    const Ref grown = is_pow2(times)
                          ? compute(T, IR_sll, counted, ref_con((u32)__builtin_ctz(times)))
                          : compute(T, IR_mul, counted, ref_con(times));
    return compute(T, IR_add, grown, p->start);
}

static bool find_tested(const LoopWalk *w, Ref r, Counter *c)
{
    const Block *h = &w->f->block[w->header];
    for (size_t k = 0; k < h->nphi && r.kind == R_VAL; k++)
        if (read_counter(w, h->phi[k].dst, c) && (c->now == r.val || c->next == r.val))
            return true;
    return false;
}

static void test_address(Tests *T, u32 b, int k)
{
    const LoopWalk *w = T->w;
    Term *t = &w->f->block[b].term;
    const Ref n = t->a[1 - k];
    Counter c, p;
    /* 1. a counter with three uses: by the test, by the addition that makes its next value, and of
     *    that next value by the phi */
    if (!find_tested(w, t->a[k], &c) || !c.step || T->uses[c.now] + T->uses[c.next] != 3)
        return;
    /* 2. the limit can be computed before the loop, once for the warp */
    if (!is_uniform(w, n) || !is_outside(w, n) || !is_uniform(w, ref_val(c.now)) ||
        !is_uniform(w, c.start) || w->f->block[w->before].rerun)
        return;
    /* 3. an address to compare instead */
    if (!find_address(w, &c, &p) || !is_uniform(w, p.start) ||
        (t->a[k].val == c.next && !is_known_next(w, &p, b)))
        return;
    const Ref end = limit(T, &c, &p, n);
    t->a[k] = ref_val(t->a[k].val == c.now ? p.now : p.next);
    t->a[1 - k] = end;
    T->changed = true;
}

/* --- loops ------------------------------------------------------------------------------------ */

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

void counters(Func *f)
{
    Tests T = {.uses = f->nloops ? ir_alloc(f->module, f->nvalue * sizeof *T.uses) : NULL};
    if (!T.uses)
        return;
    loop_count_uses(f, T.uses);
    loop_walk(f, visit, &T);
    if (T.changed)
        remove_dead(f);
}
