/* sink.c -- loads of constant memory move to where they are read, if not every way goes there.
 *
 * The front end loads all arguments where a kernel begins.  Many kernels ask something first and do
 * nothing for most warps; those need only what the question needs.  A load goes to the nearest
 * common dominator of its uses, but not into a loop that it was not in.  One that is executed on
 * all ways anyway stays, and answers in time.
 */
#include "cc/cc.h"

#define NO_BLOCK UINT32_MAX

typedef struct {
    Func *f;
    u32 *home; /* by value: 1 + the block of its load, or 0: not one to be moved */
    u32 *to;   /* by value: nearest common dominator of the uses so far, or NO_BLOCK */
} Sink;

static bool is_movable(const Ins *i)
{
    return i->op == IR_load && i->space == IN_CONST && i->uniform && !i->is_volatile;
}

static void note_use(const Sink *s, Ref r, u32 b)
{
    if (r.kind != R_VAL || !s->home[r.val])
        return;
    u32 *to = &s->to[r.val];
    while (*to != NO_BLOCK && !graph_dominates(s->f, b, *to))
        b = s->f->block[b].idom;
    *to = b;
}

static void note_uses(const Sink *s, u32 b)
{
    const Block *k = &s->f->block[b];
    for (size_t p = 0; p < k->nphi; p++)
        for (size_t e = 0; e < k->npred; e++)
            note_use(s, k->phi[p].arg[e], k->pred[e]);
    for (size_t i = 0; i < k->nins; i++)
        for (int a = 0; a < ins_nargs(&k->ins[i]); a++)
            note_use(s, k->ins[i].a[a], b);
    for (int a = 0; k->term.kind == T_BRANCH && a < 2; a++)
        note_use(s, k->term.a[a], b);
}

static bool is_always_reached(const Func *f, u32 from, u32 to)
{
    while (from != to && from != NO_BLOCK)
        from = f->block[from].ipdom;
    return from == to;
}

/* Where the load of v in block b goes; b: it stays. */
static u32 place(const Sink *s, u32 v, u32 b)
{
    const Func *f = s->f;
    u32 to = s->to[v];
    if (to == NO_BLOCK)
        return b;
    for (u32 l = f->block[to].loop; l != NO_BLOCK && !graph_in_loop(f, b, l); l = f->block[to].loop)
        to = f->block[f->loops[l].header].idom;
    return is_always_reached(f, b, to) ? b : to;
}

static void move_from(const Sink *s, u32 b)
{
    Func *f = s->f;
    for (size_t i = f->block[b].nins; i-- > 0;) { /* backwards, so that they keep their order */
        const Ins load = f->block[b].ins[i];
        const u32 to = load.dst && s->home[load.dst] == b + 1 ? place(s, load.dst, b) : b;
        if (to == b)
            continue;
        f->block[b].ins[i] = (Ins){.op = IR_none};
        ir_insert(f, to, 0, &load);
    }
}

static void remove_empty(Block *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->nins; i++)
        if (b->ins[i].op != IR_none)
            b->ins[n++] = b->ins[i];
    b->nins = n;
}

void sink(Func *f)
{
    Sink s = {.f = f,
              .home = ir_alloc(f->module, (f->nvalue + 1) * sizeof *s.home),
              .to = ir_alloc(f->module, (f->nvalue + 1) * sizeof *s.to)};
    if (!s.home || !s.to)
        return;
    for (size_t v = 0; v < f->nvalue; v++)
        s.to[v] = NO_BLOCK;
    for (size_t k = 0; k < f->nrpo; k++) {
        const Block *b = &f->block[f->rpo[k]];
        for (size_t i = 0; i < b->nins; i++)
            if (is_movable(&b->ins[i]))
                s.home[b->ins[i].dst] = 1 + f->rpo[k];
    }
    for (size_t k = 0; k < f->nrpo; k++)
        note_uses(&s, f->rpo[k]);
    for (size_t k = 0; k < f->nrpo; k++)
        move_from(&s, f->rpo[k]);
    for (size_t k = 0; k < f->nrpo; k++)
        remove_empty(&f->block[f->rpo[k]]);
}
