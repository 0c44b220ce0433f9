/* strength.c -- addresses that grow from round to round become counters of their own.
 *
 * In a loop with the counter i, an address like a + 4 (17 i + t) is a sum of values from outside
 * the loop plus i times something from outside.  It costs shifts, products and sums each
 * round; a counter that starts as the sum and grows by the step costs one addition, and accesses
 * a constant apart share it, the constant being the offset of the access.
 *
 *   read_sum      writes an address as a start and a step, each a sum of products (coefficient
 *                 times a value from outside) and a constant
 *   collect       finds the accesses of a loop; those with equal start and step form a group
 *   add_counter   computes start and step before the loop, and adds a phi and an addition to it
 *
 * Inner loops come first; the start of an inner loop's counter is one more address for the loop
 * around it.  Computations that nobody needs any more are left to the fold that follows.
 */
#include "cc/loop.h"

enum { MAX_PARTS = 6, MAX_VISITED = 48, MAX_GROUPS = 8, MAX_DEPTH = 8 };
enum {
    MIN_GAIN = 2,
    MIN_GAIN_SOMETIMES = 3
}; /* instructions saved a round that pay for a counter */

typedef struct {
    Ref value;
    u32 times;
} Part;

typedef struct {
    Part part[MAX_PARTS];
    size_t n;
    u32 con;
} Sum;

/* An address in the loop: that of instruction `index` of a block, or the start value of phi `index`
 * in the header of an inner loop. */
typedef struct {
    u32 block, index;
    bool is_phi;
    size_t arg;
    u32 group;
    u32 con; /* the constant in its start */
} Access;

typedef struct {
    Sum start, step;
    u32 base;    /* the constant in the counter */
    int gain;    /* instructions that only its addresses need */
    bool always; /* some access happens each round */
} Group;

typedef struct {
    LoopWalk *w;
    u32 visited[MAX_VISITED];
    size_t nvisited;
    Group group[MAX_GROUPS];
    size_t ngroup;
    Access *access;
    size_t naccess, capaccess;
} Strength;

/* --- sums --------------------------------------------------------------------------------- */

static bool sum_add(Sum *s, Ref value, u32 times)
{
    size_t k = 0;
    while (k < s->n && !ref_same(s->part[k].value, value))
        k++;
    if (k == MAX_PARTS)
        return false;
    if (k == s->n)
        s->part[s->n++] = (Part){.value = value};
    s->part[k].times += times;
    if (!s->part[k].times)
        s->part[k] = s->part[--s->n];
    return true;
}

static u32 sum_times(const Sum *s, Ref value)
{
    for (size_t k = 0; k < s->n; k++)
        if (ref_same(s->part[k].value, value))
            return s->part[k].times;
    return 0;
}

/* whether the sums differ in nothing but their constants */
static bool sum_same_parts(const Sum *x, const Sum *y)
{
    for (size_t k = 0; k < x->n; k++)
        if (sum_times(y, x->part[k].value) != x->part[k].times)
            return false;
    return x->n == y->n;
}

/* --- addresses as sums ---------------------------------------------------------------------- */

static bool read_sum(Strength *S, Ref r, u32 times, Sum *start, Sum *step);

/* adds `times` x m to the sums, where m is a value from outside; start and step of x must be
 * numbers */
static bool read_product(Strength *S, Ref x, Ref m, u32 times, Sum *start, Sum *step)
{
    Sum x0 = {0}, grow = {0};
    return read_sum(S, x, times, &x0, &grow) && !x0.n && !grow.n && sum_add(start, m, x0.con) &&
           sum_add(step, m, grow.con);
}

static bool read_operation(Strength *S, const Ins *i, u32 times, Sum *start, Sum *step)
{
    const Ref x = i->a[0], y = i->a[1];
    switch (i->op) {
    case IR_add: return read_sum(S, x, times, start, step) && read_sum(S, y, times, start, step);
    case IR_sub:
        return read_sum(S, x, times, start, step) && read_sum(S, y, 0 - times, start, step);
    case IR_sll: return y.kind == R_CON && read_sum(S, x, times << (y.val & 31), start, step);
    case IR_mul:
        if (y.kind == R_CON)
            return read_sum(S, x, times * y.val, start, step);
        return is_outside(S->w, y)   ? read_product(S, x, y, times, start, step)
               : is_outside(S->w, x) ? read_product(S, y, x, times, start, step)
                                     : false;
    default: return false;
    }
}

static bool is_linear(const Ins *i)
{
    return i->op == IR_add || i->op == IR_sub ||
           ((i->op == IR_sll || i->op == IR_mul) && i->a[1].kind == R_CON);
}

/* Whether a constant is added anywhere in r, a value from outside.  Only then is it worth while to
 * take r apart: accesses a constant apart share a counter, and what is taken apart is computed
 * again before the loop. */
static bool has_constant(const LoopWalk *w, Ref r, int depth)
{
    if (r.kind != R_VAL || depth == MAX_DEPTH)
        return r.kind == R_CON;
    const Ins *i = &w->def[r.val].ins;
    const bool sums = i->op == IR_add || i->op == IR_sub;
    return is_linear(i) &&
           (has_constant(w, i->a[0], depth + 1) || (sums && has_constant(w, i->a[1], depth + 1)));
}

static bool is_whole(const LoopWalk *w, Ref r)
{
    const Ins *i = &w->def[r.val].ins;
    return !is_linear(i) || ((i->op == IR_add || i->op == IR_sub) && !has_constant(w, r, 0));
}

/* adds `times` r to the sums */
static bool read_sum(Strength *S, Ref r, u32 times, Sum *start, Sum *step)
{
    Ref from, by;
    u32 sign;
    if (r.kind == R_CON) {
        start->con += times * r.val;
        return true;
    }
    if (r.kind != R_VAL)
        return sum_add(start, r, times);
    if (S->nvisited == MAX_VISITED)
        return false;
    if (is_outside(S->w, r) && is_whole(S->w, r))
        return sum_add(start, r, times);
    if (loop_counter(S->w, r.val, &from, &by, &sign))
        return read_sum(S, from, times, start, step) && read_sum(S, by, times * sign, step, step);
    S->visited[S->nvisited++] = r.val;
    return read_operation(S, &S->w->def[r.val].ins, times, start, step);
}

/* r = *times * the result */
static Ref without_factor(const LoopWalk *w, Ref r, u32 *times)
{
    for (*times = 1; r.kind == R_VAL; r = w->def[r.val].ins.a[0]) {
        const Ins *i = &w->def[r.val].ins;
        if ((i->op != IR_mul && i->op != IR_sll) || i->a[1].kind != R_CON)
            break;
        *times *= i->op == IR_mul ? i->a[1].val : (u32)1 << (i->a[1].val & 31);
    }
    return r;
}

/* Takes part k apart if it is a sum with a multiple of another part, which that joins; the other
 * term has room where k was.  False: it stays. */
static bool join_part(const LoopWalk *w, Sum *s, size_t k)
{
    const Part p = s->part[k];
    const Ins *i = p.value.kind == R_VAL ? &w->def[p.value.val].ins : NULL;
    Ref term[2];
    u32 times[2];
    if (!i || (i->op != IR_add && i->op != IR_sub))
        return false;
    for (u32 n = 0; n < 2; n++)
        term[n] = without_factor(w, i->a[n], &times[n]);
    if (!sum_times(s, term[0]) && !sum_times(s, term[1]))
        return false;
    s->part[k] = s->part[--s->n];
    times[1] = i->op == IR_sub ? 0 - times[1] : times[1];
    return sum_add(s, term[0], p.times * times[0]) && sum_add(s, term[1], p.times * times[1]);
}

/* Starts that are equal shall have equal parts: x + 4 t, less 68 t, is x less 64 t. */
static void join_parts(const LoopWalk *w, Sum *s)
{
    for (size_t n = 0, k = 0; n < MAX_PARTS && k < s->n; n++)
        for (k = 0; k < s->n && !join_part(w, s, k);)
            k++;
}

/* --- accesses ------------------------------------------------------------------------------- */

static bool fits(const Strength *S, const Access *a, u32 base)
{
    if (a->is_phi)
        return a->con == base;
    const Ins *i = &S->w->f->block[a->block].ins[a->index];
    const i64 off = (i64)i->imm + (i32)(a->con - base), room = i->space == IN_PRIVATE ? 1024 : 2048;
    return off >= -room && off < room;
}

static u32 find_group(const Strength *S, const Access *a, const Sum *start, const Sum *step)
{
    u32 g = 0;
    while (g < S->ngroup &&
           !(sum_same_parts(&S->group[g].start, start) && sum_same_parts(&S->group[g].step, step) &&
             S->group[g].step.con == step->con && fits(S, a, S->group[g].base)))
        g++;
    return g;
}

static void count_gain(Strength *S, u32 group)
{
    for (size_t k = 0; k < S->nvisited; k++) {
        const u32 v = S->visited[k];
        if (is_outside(S->w, ref_val(v)) || S->w->def[v].owner == group + 1)
            continue;
        S->w->def[v].owner = group + 1;
        S->group[group].gain++;
    }
}

static void add_access(Strength *S, Access a, Ref address)
{
    Sum start = {0}, step = {0};
    S->nvisited = 0;
    if (address.kind != R_VAL || is_outside(S->w, address) ||
        !read_sum(S, address, 1, &start, &step) || (!step.n && !step.con))
        return;
    join_parts(S->w, &start);
    a.con = start.con;
    a.group = find_group(S, &a, &start, &step);
    if (a.group == MAX_GROUPS || !ir_grow(S->w->scratch, S->access, S->naccess, S->capaccess))
        return;
    if (a.group == S->ngroup)
        S->group[S->ngroup++] =
            (Group){.start = start, .step = step, .base = fits(S, &a, 0) ? 0 : a.con};
    S->group[a.group].always |= graph_dominates(S->w->f, a.block, S->w->latch);
    count_gain(S, a.group);
    S->access[S->naccess++] = a;
}

static void collect_block(Strength *S, u32 b)
{
    const Block *k = &S->w->f->block[b];
    for (u32 n = 0; n < k->nins; n++) {
        const Ins *i = &k->ins[n];
        if (i->op == IR_load || i->op == IR_store)
            add_access(S, (Access){.block = b, .index = n}, i->a[ir_info[i->op].nargs - 1]);
    }
}

/* the values that the counters of an inner loop start with */
static void collect_starts(Strength *S, u32 inner)
{
    const u32 header = S->w->f->loops[inner].header;
    const Block *h = &S->w->f->block[header];
    for (u32 n = 0; n < h->nphi; n++)
        for (size_t k = 0; k < h->npred; k++)
            if (!graph_in_loop(S->w->f, h->pred[k], inner))
                add_access(S, (Access){.block = header, .index = n, .is_phi = true, .arg = k},
                           h->phi[n].arg[k]);
}

static void collect(Strength *S)
{
    S->ngroup = S->naccess = 0;
    for (size_t v = 0; v < S->w->ndef; v++)
        S->w->def[v].owner = 0;
    for (size_t k = 0; k < S->w->f->nrpo; k++)
        if (S->w->f->block[S->w->f->rpo[k]].loop == S->w->loop)
            collect_block(S, S->w->f->rpo[k]);
    for (u32 l = 0; l < S->w->f->nloops; l++)
        if (S->w->f->loops[l].parent == S->w->loop)
            collect_starts(S, l);
}

/* --- counters -------------------------------------------------------------------------------- */

static Ref make(Strength *S, IrOp op, Ref x, Ref y)
{
    const u32 b = loop_place(S->w, x, y);
    const Ins i = {.op = (u16)op, .dst = ir_value(S->w->f), .a = {x, y}};
    if (!i.dst || !loop_define(S->w, b, i.dst, &i))
        return ref_con(0);
    ir_append(S->w->f, b, &i);
    return ref_val(i.dst);
}

/* Computes the sum before the loop: first the parts that are added, then those that are subtracted.
 */
static Ref make_sum(Strength *S, const Sum *s, u32 con)
{
    Ref sum = ref_none();
    for (u32 negative = 0; negative < 2; negative++)
        for (size_t k = 0; k < s->n; k++) {
            const Part *p = &s->part[k];
            if (p->times >> 31 != negative)
                continue;
            const bool subtract = negative && sum.kind != R_NONE;
            const u32 times = subtract ? 0 - p->times : p->times;
            const Ref x = times == 1 ? p->value : make(S, IR_mul, p->value, ref_con(times));
            sum = sum.kind == R_NONE ? x : make(S, subtract ? IR_sub : IR_add, sum, x);
        }
    return sum.kind == R_NONE ? ref_con(con) : con ? make(S, IR_add, sum, ref_con(con)) : sum;
}

static u32 add_counter(Strength *S, const Group *g)
{
    const Ref start = make_sum(S, &g->start, g->base), step = make_sum(S, &g->step, g->step.con);
    const u32 v = ir_value(S->w->f);
    Phi *p = ir_phi(S->w->f, S->w->header, v);
    const Ins next = {.op = IR_add, .dst = ir_value(S->w->f), .a = {ref_val(v), step}};
    if (S->w->f->module->failed || !loop_define(S->w, S->w->header, v, &(Ins){0}) ||
        !loop_define(S->w, S->w->latch, next.dst, &next))
        return 0;
    ir_append(S->w->f, S->w->latch, &next);
    p->arg[S->w->entry_arg] = start;
    p->arg[S->w->latch_arg] = ref_val(next.dst);
    return v;
}

static Ref *address_of(const Strength *S, const Access *a)
{
    Block *b = &S->w->f->block[a->block];
    Ins *i = &b->ins[a->index];
    return a->is_phi ? &b->phi[a->index].arg[a->arg] : &i->a[ir_info[i->op].nargs - 1];
}

/* Value v, an address in the loop, is the counter from now on, for all that use it. */
static void become_counter(const Strength *S, u32 v, u32 counter)
{
    Def *d = &S->w->def[v];
    Block *b = &S->w->f->block[d->block];
    for (size_t n = 0; n < b->nins; n++)
        if (b->ins[n].dst == v) {
            b->ins[n].op = IR_copy;
            b->ins[n].a[0] = ref_val(counter);
            b->ins[n].a[1] = ref_none();
            d->ins = b->ins[n];
        }
}

static void use_counter(const Strength *S, const Access *a, u32 counter)
{
    const Group *g = &S->group[a->group];
    const Ref address = *address_of(S, a);
    if (a->con == g->base && address.val != counter && S->w->def[address.val].ins.op != IR_none) {
        become_counter(S, address.val, counter);
        return;
    }
    Block *b = &S->w->f->block[a->block];
    if (a->is_phi) {
        b->phi[a->index].arg[a->arg] = ref_val(counter);
        return;
    }
    Ins *i = &b->ins[a->index];
    i->a[ir_info[i->op].nargs - 1] = ref_val(counter);
    i->imm += (i32)(a->con - g->base);
}

static void reduce_groups(Strength *S)
{
    for (u32 g = 0; g < S->ngroup; g++) {
        const Group *group = &S->group[g];
        if (group->gain < (group->always ? MIN_GAIN : MIN_GAIN_SOMETIMES))
            continue;
        const u32 counter = add_counter(S, group);
        for (size_t k = 0; k < S->naccess && counter; k++)
            if (S->access[k].group == g)
                use_counter(S, &S->access[k], counter);
    }
}

static void visit(LoopWalk *w, void *groups)
{
    Strength *S = groups;
    S->w = w;
    collect(S);
    reduce_groups(S);
}

void strength(Func *f)
{
    Strength *S = f->nloops ? ir_alloc(f->module, sizeof *S) : NULL;
    if (S)
        loop_walk(f, visit, S);
}
