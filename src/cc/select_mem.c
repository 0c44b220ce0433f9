/* select_mem.c -- rows for memory: loads, stores, atomics, barriers.
 *
 * A scalar access needs a uniform address and, as a store, a uniform value.  Private memory
 * is reached by vectors alone.  The constant part of an address goes to the immediate.
 */
#include "cc/select.h"

static const AccessRows *rows(const Select *s, const Ins *i, bool scalar)
{
    const Target *t = s->target;
    if (i->space == IN_PRIVATE)
        return &t->private_;
    return scalar ? &t->scalar : i->space == IN_LOCAL ? &t->local : &t->vector;
}

static InsnId pick(const WidthRows *w, const Ins *i)
{
    switch (i->width) {
    case 1: return i->sext ? w->b : w->bu;
    case 2: return i->sext ? w->h : w->hu;
    default: return w->w;
    }
}

/* --- addresses ----------------------------------------------------------------------------- */

typedef struct {
    Ref base;
    u32 offset;
} Address;

/* Takes `add x, constant` apart as long as the offset remains one that a row has. */
static void strip(const Select *s, Address *a, InsnId row)
{
    for (const Ins *d; (d = sel_def(s, a->base, IR_add));) {
        const Ref x = sel_ref(s, d->a[0]), y = sel_ref(s, d->a[1]);
        const Ref con = x.kind == R_CON ? x : y;
        if (con.kind != R_CON || !sel_fits(row, a->offset + con.val))
            return;
        a->offset += con.val;
        a->base = x.kind == R_CON ? y : x;
    }
}

/* An absolute address: the part that the immediate lacks is a constant to be shared. */
static void split_constant(Address *a, InsnId row)
{
    const u32 whole = a->base.val + a->offset;
    const u32 reach = sel_fits(row, 2047) ? 2048 : 1024;
    a->offset = ((whole + reach) & (2 * reach - 1)) - reach;
    a->base = ref_con(whole - a->offset);
}

static Address address(Select *s, Ref r, i32 imm, InsnId row)
{
    Address a = {sel_ref(s, r), (u32)imm};
    strip(s, &a, row);
    if (a.base.kind == R_CON)
        split_constant(&a, row);
    const i32 off = a.base.off;
    const bool symbolic = a.base.kind == R_SYM || a.base.kind == R_SLOT;
    if (symbolic && sel_fits(row, a.offset + (u32)off)) {
        a.offset += (u32)off;
        a.base.off = 0;
    }
    if (!sel_fits(row, a.offset)) {
        a.base = sel_binary(s, 0, IR_add, a.base, ref_con(a.offset));
        a.offset = 0;
    }
    return a;
}

/* --- indices ---------------------------------------------------------------------------------- */

bool sel_is_word(const Ins *i)
{
    return (i->op == IR_load || i->op == IR_store) && i->width == 4 && !i->imm &&
           i->space != IN_PRIVATE;
}

/* The address r of i as a scalar and what each lane adds to it.  False: it is no such sum, or that
 * is computed all the same since something else needs it. */
static bool take_index(const Select *s, const Ins *i, Ref r, Ref *scalar, Ref *index)
{
    const Ref sum = sel_ref(s, r);
    const Ins *d = sel_def(s, sum, IR_add);
    if (!sel_is_word(i) || !d || s->uses[sum.val] != s->words[sum.val])
        return false;
    const bool second = sel_is_v(s, sel_ref(s, d->a[0]));
    *scalar = sel_ref(s, d->a[second]);
    *index = sel_ref(s, d->a[!second]);
    return !sel_is_v(s, *scalar) && sel_is_v(s, *index);
}

/* --- accesses --------------------------------------------------------------------------------- */

static Ins access(const Select *s, const Ins *i, InsnId row)
{
    Ins m = *i;
    m.op = (u16)(IR_MACHINE + row);
    m.imm = 0;
    m.loc = s->loc;
    for (int k = 0; k < 3; k++)
        m.a[k] = ref_none();
    return m;
}

static void load(Select *s, const Ins *i)
{
    const bool scalar = s->f->value[i->dst].bank == BANK_X;
    Ref base, index;
    if (!scalar && take_index(s, i, i->a[0], &base, &index)) {
        Ins m = access(s, i, s->target->load_indexed);
        m.a[0] = sel_x(s, base);
        m.a[1] = index;
        sel_put(s, &m);
        return;
    }
    Ins m = access(s, i, pick(&rows(s, i, scalar)->load, i));
    const Address a = address(s, i->a[0], i->imm, ins_row(&m));
    m.a[0] = ref_con(a.offset);
    m.a[1] = scalar ? sel_x(s, a.base) : sel_v(s, a.base);
    sel_put(s, &m);
}

static void store(Select *s, const Ins *i)
{
    const Ref value = sel_ref(s, i->a[0]);
    const bool scalar =
        i->space != IN_PRIVATE && !sel_is_v(s, value) && !sel_is_v(s, sel_ref(s, i->a[1]));
    Ref base, index;
    if (take_index(s, i, i->a[1], &base, &index)) {
        Ins m = access(s, i, s->target->store_indexed);
        m.a[0] = sel_v(s, value);
        m.a[1] = sel_x(s, base);
        m.a[2] = index;
        sel_put(s, &m);
        return;
    }
    Ins m = access(s, i, pick(&rows(s, i, scalar)->store, i));
    const Address a = address(s, i->a[1], i->imm, ins_row(&m));
    m.a[0] = scalar ? sel_x(s, value) : sel_v(s, value);
    m.a[1] = ref_con(a.offset);
    m.a[2] = scalar ? sel_x(s, a.base) : sel_v(s, a.base);
    sel_put(s, &m);
}

/* --- atomics -------------------------------------------------------------------------- */

/* value is R_NONE for a load */
static void reserve(Select *s, const Ins *i, InsnId row, Ref value, Ref at, u32 offset)
{
    Ins m = access(s, i, row);
    const Ref base = sel_v(s, offset ? sel_binary(s, 0, IR_add, at, ref_con(offset)) : at);
    m.dst = sel_value(s, i->dst, BANK_V);
    m.a[0] = value.kind == R_NONE ? base : sel_v(s, value);
    m.a[1] = value.kind == R_NONE ? ref_none() : base;
    sel_put(s, &m);
}

bool sel_mem(Select *s, const Ins *i)
{
    switch (i->op) {
    case IR_load: load(s, i); break;
    case IR_store: store(s, i); break;
    case IR_atomic:
        reserve(s, i, isa_find_atomic(s->target->set, (Op)i->imm), i->a[0], i->a[1], 0);
        break;
    case IR_lr: reserve(s, i, I_lr_w, ref_none(), i->a[0], (u32)i->imm); break;
    case IR_sc: reserve(s, i, I_sc_w, i->a[0], i->a[1], (u32)i->imm); break;
    case IR_fence: sel_put(s, &(Ins){.op = IR_MACHINE + I_fence, .loc = s->loc}); break;
    case IR_barrier:
        sel_put(s,
                &(Ins){.op = IR_MACHINE + I_barrier, .loc = s->loc, .a = {ref_con((u32)i->imm)}});
        break;
    default: return false;
    }
    return true;
}
