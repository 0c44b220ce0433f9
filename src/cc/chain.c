/* chain.c -- sums of one thing and multiples of another step from one to the next.
 *
 *     %4 = mul %n, 12      %5 = add %x, %4              %5 = add %3, %2
 *
 * where %3 = %x + 8 %n and %2 = 4 %n are there already: the multiple is not needed any more.  Rows
 * of an array that an unrolled loop goes through have such addresses.  Both sums are in one block,
 * so that the first one is near.
 */
#include "cc/cc.h"

enum { MOST_TRIES = 32 };

/* x + factor * of = value, of the present block */
typedef struct {
    u32 x, of, factor, value, next; /* next: 1 + an older sum of x, or 0 */
} Sum;

typedef struct {
    Func *f;
    Ins *def;    /* by value */
    u32 *home;   /* by value: 1 + its block; 0: a phi, or it was not come to yet */
    u32 *first;  /* by value: a multiple of it that was come to, or 0 */
    u32 *other;  /* by value: an older multiple of the same, or 0 */
    u32 *newest; /* by value: 1 + the newest sum of it in the present block, or 0 */
    Sum *sum;
    size_t nsum, capsum;
} Chain;

/* v = factor * the result */
static u32 taken_apart(const Chain *c, u32 v, u32 *factor)
{
    *factor = 1;
    for (;;) {
        const Ins *i = &c->def[v];
        const bool shifts = i->op == IR_sll;
        if ((i->op != IR_mul && !shifts) || i->a[0].kind != R_VAL || i->a[1].kind != R_CON)
            return v;
        *factor *= shifts ? (u32)1 << (i->a[1].val & 31) : i->a[1].val;
        v = i->a[0].val;
    }
}

/* A value that is factor * of and has been computed wherever block b is; 0: none is known. */
static u32 find_multiple(const Chain *c, u32 of, u32 factor, u32 b)
{
    u32 v = factor == 1 ? of : c->first[of];
    for (u32 n = 0; v && n < MOST_TRIES; n++) {
        u32 is;
        taken_apart(c, v, &is);
        if (factor == 1 || (is == factor && graph_dominates(c->f, c->home[v] - 1, b)))
            return v;
        v = c->other[v];
    }
    return 0;
}

static void note_sum(Chain *c, Module *scratch, Sum s)
{
    s.next = c->newest[s.x];
    if (!ir_grow(scratch, c->sum, c->nsum, c->capsum))
        return;
    c->sum[c->nsum++] = s;
    c->newest[s.x] = (u32)c->nsum;
}

/* Lets *i, which is the sum s, step from another one. */
static void shorten(const Chain *c, Ins *i, const Sum *s, u32 b)
{
    u32 at = c->newest[s->x];
    for (u32 n = 0; at && n < MOST_TRIES; n++, at = c->sum[at - 1].next) {
        const Sum *t = &c->sum[at - 1];
        const u32 step = t->of == s->of && t->factor != s->factor
                             ? find_multiple(c, s->of, s->factor - t->factor, b)
                             : 0;
        if (step) {
            i->a[0] = ref_val(t->value);
            i->a[1] = ref_val(step);
            return;
        }
    }
}

static void visit_sum(Chain *c, Module *scratch, Ins *i, u32 b)
{
    const Ins before = *i;
    for (int k = 0; k < 2; k++) {
        const Ref x = before.a[k], y = before.a[!k];
        if (x.kind != R_VAL || y.kind != R_VAL)
            return;
        Sum s = {.x = x.val, .value = i->dst};
        s.of = taken_apart(c, y.val, &s.factor);
        if (s.factor != 1 && ref_same(i->a[0], before.a[0]) && ref_same(i->a[1], before.a[1]))
            shorten(c, i, &s, b);
        note_sum(c, scratch, s);
    }
}

static void visit(Chain *c, Module *scratch, u32 b)
{
    Block *k = &c->f->block[b];
    for (size_t n = 0; n < k->nins; n++) {
        Ins *i = &k->ins[n];
        u32 factor;
        if (i->op == IR_add)
            visit_sum(c, scratch, i, b);
        if (!i->dst)
            continue;
        c->def[i->dst] = *i;
        c->home[i->dst] = b + 1;
        const u32 of = taken_apart(c, i->dst, &factor);
        if (of != i->dst) {
            c->other[i->dst] = c->first[of];
            c->first[of] = i->dst;
        }
    }
    while (c->nsum)
        c->newest[c->sum[--c->nsum].x] = 0;
}

void chain_sums(Func *f)
{
    Module *m = ir_module("chain", f->module->target);
    const size_t n = f->nvalue + 1;
    Chain c = {.f = f};
    if (m) {
        c.def = ir_alloc(m, n * sizeof *c.def);
        c.home = ir_alloc(m, n * sizeof *c.home);
        c.first = ir_alloc(m, n * sizeof *c.first);
        c.other = ir_alloc(m, n * sizeof *c.other);
        c.newest = ir_alloc(m, n * sizeof *c.newest);
    }
    for (size_t k = 0; m && !m->failed && k < f->nrpo; k++)
        visit(&c, m, f->rpo[k]);
    f->module->failed |= !m || m->failed;
    ir_free(m);
}
