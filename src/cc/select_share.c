/* select_share.c -- constants, addresses and broadcasts, one of each in a function.
 *
 * An operand that needs a register of its own is made once.  When all rows exist, each such operand
 * is put into the nearest common dominator of its uses, moved out of the loops that do not define
 * what it is made from; there it comes before its first use, or at the end.  A constant is never
 * stale, and a broadcast stands where its scalar is read or could be.
 */
#include "cc/select.h"

#define NONE UINT32_MAX

/* --- asking for one --------------------------------------------------------------------- */

static u32 hash_of(Ref what, Bank bank)
{
    return (what.val * 0x9e3779b1u ^ (u32)(u16)what.off * 0x85ebca6bu ^ (u32)what.kind << 9 ^
            bank) >>
               3 &
           (SHARED_HASH - 1);
}

static Ref share(Select *s, Ref what, Bank bank, Ref from)
{
    u32 *head = &s->hash[hash_of(what, bank)];
    for (u32 k = *head; k; k = s->shared[k - 1].next)
        if (s->shared[k - 1].bank == bank && ref_same(s->shared[k - 1].what, what))
            return ref_val(s->shared[k - 1].value);
    if (!ir_grow(s->f->module, s->shared, s->nshared, s->capshared))
        return ref_none();
    const u32 value = sel_value(s, 0, bank);
    s->shared[s->nshared++] = (Shared){
        .what = what, .from = from, .value = value, .next = *head, .bank = (u8)bank, .block = NONE};
    *head = (u32)s->nshared;
    return ref_val(value);
}

Ref sel_shared(Select *s, Ref r) { return share(s, r, BANK_X, r); }

Ref sel_x(Select *s, Ref r)
{
    r = sel_ref(s, r);
    if (r.kind == R_REG || (r.kind == R_VAL && !sel_is_v(s, r)))
        return r;
    if (r.kind == R_VAL) /* a branch target, the same in all lanes */
        return sel_row(s, 0, I_vmv_x_s, r, ref_none(), ref_none());
    return ref_is_con(r, 0) || r.kind == R_NONE ? ref_reg(0) : sel_shared(s, r);
}

static bool is_asked_for(const Select *s, Ref what, Bank bank)
{
    for (u32 k = s->hash[hash_of(what, bank)]; k; k = s->shared[k - 1].next)
        if (s->shared[k - 1].bank == bank && ref_same(s->shared[k - 1].what, what))
            return true;
    return false;
}

/* A scalar that only this needs, a constant away from one that is broadcast anyway: the constant is
 * added to that.  Not so if the scalar may be broadcast outside of a loop. */
static bool is_near_broadcast(const Select *s, Ref r, Ref *from, Ref *con)
{
    const Ins *d = r.kind == R_VAL && s->home[r.val] == s->b ? sel_only_def(s, r, IR_add) : NULL;
    if (!d)
        return false;
    *from = sel_ref(s, d->a[0]);
    *con = sel_ref(s, d->a[1]);
    return con->kind == R_CON && sel_fits(I_vadd12_vi, con->val) && from->kind == R_VAL &&
           is_asked_for(s, *from, BANK_V);
}

Ref sel_v(Select *s, Ref r)
{
    Ref from, con;
    r = sel_ref(s, r);
    if (sel_is_v(s, r) || (r.kind == R_REG && r.val >= V0))
        return r;
    if (r.kind == R_NONE)
        r = ref_con(0);
    if (is_near_broadcast(s, r, &from, &con))
        return sel_binary(s, 0, IR_add, sel_v(s, from), con);
    const bool direct = r.kind == R_SLOT || (r.kind == R_CON && sel_fits(I_vmv_v_i, r.val));
    return share(s, r, BANK_V, direct ? r : sel_x(s, r));
}

/* --- places -------------------------------------------------------------------------------- */

static u32 common_dominator(const Func *f, u32 a, u32 b)
{
    while (!graph_dominates(f, a, b))
        a = f->block[a].idom;
    return a;
}

/* What is shared and has this value, or NULL. */
static Shared *shared_of(Select *s, const u32 *index, Ref r)
{
    return r.kind == R_VAL && index[r.val] ? &s->shared[index[r.val] - 1] : NULL;
}

static void note_use(Select *s, const u32 *index, Ref r, u32 b)
{
    Shared *h = shared_of(s, index, r);
    if (h) {
        h->block = h->used ? common_dominator(s->f, h->block, b) : b;
        h->used = true;
    }
}

static void note_uses(Select *s, const u32 *index, u32 b)
{
    const Block *k = &s->f->block[b];
    for (size_t p = 0; p < k->nphi; p++)
        for (size_t e = 0; e < k->npred; e++)
            note_use(s, index, k->phi[p].arg[e], k->pred[e]);
    for (size_t i = 0; i < k->nins; i++)
        for (int a = 0; a < ins_nargs(&k->ins[i]); a++)
            note_use(s, index, k->ins[i].a[a], b);
    for (int a = 0; k->term.kind == T_BRANCH && a < 2; a++)
        note_use(s, index, k->term.a[a], b);
}

/* Moves *h out of the loops that do not contain the scalar that it is made from, and out of cycles
 * with several entries, which are not loops but may run again while lanes wait. */
static void hoist(const Select *s, Shared *h)
{
    const Func *f = s->f;
    const u32 from = h->what.kind == R_VAL ? s->home[h->what.val] : 0;
    for (;;) {
        const Block *b = &f->block[h->block];
        if (b->loop != NONE && !graph_in_loop(f, from, b->loop))
            h->block = f->block[f->loops[b->loop].header].idom;
        else if (b->rerun && h->block != from)
            h->block = b->idom;
        else
            return;
    }
}

static void settle(Select *s, const u32 *index)
{
    for (Bank bank = BANK_V; bank >= BANK_X; bank--)
        for (size_t k = 0; k < s->nshared; k++) {
            Shared *h = &s->shared[k];
            if (h->bank != bank || !h->used)
                continue;
            hoist(s, h);
            if (bank == BANK_V)
                note_use(s, index, h->from, h->block);
        }
}

/* --- insertion -------------------------------------------------------------------------------- */

static void insert_shared(Select *s, const u32 *index, Shared *h, u32 loc)
{
    Shared *from = shared_of(s, index, h->from);
    if (!h->used || h->done || h->block != s->b)
        return;
    h->done = true;
    if (h->bank == BANK_V && from)
        insert_shared(s, index, from, loc);
    Ins i = {.dst = h->value, .loc = loc, .a = {h->from}};
    if (h->from.kind == R_SLOT)
        i.op = h->bank == BANK_V ? IR_vframe : IR_frame;
    else if (h->bank == BANK_V)
        i.op = h->from.kind == R_CON ? IR_MACHINE + I_vmv_v_i : IR_copy;
    else
        i.op = h->from.kind == R_REG ? IR_copy : IR_li;
    sel_put(s, &i);
}

static void rebuild(Select *s, const u32 *index, u32 b, const u32 *list, size_t n)
{
    Block *k = &s->f->block[b];
    s->b = b;
    s->out = NULL;
    s->nout = s->capout = 0;
    for (size_t i = 0; i < k->nins; i++) {
        s->loc = k->ins[i].loc;
        for (int a = 0; a < ins_nargs(&k->ins[i]); a++) {
            Shared *h = shared_of(s, index, k->ins[i].a[a]);
            if (h)
                insert_shared(s, index, h, s->loc);
        }
        sel_put(s, &k->ins[i]);
    }
    s->loc = k->term.loc;
    for (size_t i = 0; i < n; i++)
        insert_shared(s, index, &s->shared[list[i]], s->loc);
    k->ins = s->out;
    k->nins = s->nout;
    k->capins = s->capout;
}

/* Shared values ordered by block, first[b] to first[b + 1] those of block b. */
static bool sort_by_block(const Select *s, u32 **list, u32 **first)
{
    const size_t nblock = s->f->nblock;
    *first = ir_alloc(s->f->module, (nblock + 2) * sizeof **first);
    *list = ir_alloc(s->f->module, (s->nshared + 1) * sizeof **list);
    if (!*first || !*list)
        return false;
    for (size_t k = 0; k < s->nshared; k++)
        if (s->shared[k].used)
            (*first)[s->shared[k].block + 2]++;
    for (size_t b = 2; b < nblock + 2; b++)
        (*first)[b] += (*first)[b - 1];
    for (size_t k = 0; k < s->nshared; k++)
        if (s->shared[k].used)
            (*list)[(*first)[s->shared[k].block + 1]++] = (u32)k;
    return true;
}

void sel_place_shared(Select *s)
{
    const Func *f = s->f;
    u32 *index = ir_alloc(f->module, (f->nvalue + 1) * sizeof *index), *list, *first;
    if (!index)
        return;
    for (size_t k = 0; k < s->nshared; k++)
        index[s->shared[k].value] = (u32)k + 1;
    for (size_t i = 0; i < f->nrpo; i++)
        note_uses(s, index, f->rpo[i]);
    settle(s, index);
    if (!sort_by_block(s, &list, &first))
        return;
    for (u32 b = 0; b < f->nblock; b++)
        if (first[b] < first[b + 1])
            rebuild(s, index, b, &list[first[b]], first[b + 1] - first[b]);
}
