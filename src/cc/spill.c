/* spill.c -- spill code (spill.h).
 *
 * A spilled value is in memory all the time.  An instruction that reads it gets a temporary of its
 * own, loaded just before it; one that writes it gets a temporary that is stored just after it.
 * Temporaries live for an instant and are never spilled.  A move from or to a spilled value becomes
 * the load or store itself.
 *
 * Scalars go to the scalar stack as long as the function has room there.  The others are parked:
 * each gets a vector value, which competes for registers and private memory like any other.  `park`
 * writes the scalar to every lane that is on, and `fetch` reads it from any lane that is on.  That
 * is right however lanes part, since a lane that comes to a read has come past the write before it.
 */
#include "cc/spill.h"
#include "base/mem.h"

/* What Spill.slot holds besides 1 + word; no word has these numbers. */
enum { MADE_AGAIN = 1 << 30, PARKED = 1 << 29 /* + the vector value */ };

typedef struct {
    Func *f;
    const Ins *remat;
    u32 *slot;    /* of each value: 1 + word, MADE_AGAIN, PARKED + value, or 0: not spilled */
    size_t nslot; /* elements of slot: temporaries have larger numbers */
    Ins *out;     /* the block being written */
    size_t nout, capout;
} Spill;

/* --- what need not be stored ------------------------------------------------------- */

static bool is_repeatable(const Ins *i)
{
    if (!i->dst || !ins_is_pure(i) || ins_tied(i) >= 0)
        return false;
    for (int k = 0; k < 3; k++)
        if (i->a[k].kind == R_VAL || (i->a[k].kind == R_REG && !reg_is_reserved(i->a[k].val)))
            return false;
    return true;
}

Ins *spill_remat(const Func *f)
{
    Ins *only = mem_zalloc(f->nvalue, sizeof *only);
    bool *written = mem_zalloc(f->nvalue, sizeof *written);
    for (size_t b = 0; only && written && b < f->nrpo; b++) {
        const Block *k = &f->block[f->rpo[b]];
        for (size_t i = 0; i < k->nins; i++) {
            const u32 v = k->ins[i].dst;
            only[v] = !written[v] && is_repeatable(&k->ins[i]) ? k->ins[i] : (Ins){0};
            written[v] = true;
        }
    }
    if (!written) {
        mem_free(only);
        only = NULL;
    }
    mem_free(written);
    return only;
}

/* --- room ---------------------------------------------------------------------------- */

enum { SAVED_MOST = 10 }; /* scalar registers that a function may have to save */

u32 spill_saves(const Func *f)
{
    const u32 words = f->scalar_room / 4, free = words > f->has_calls ? words - f->has_calls : 0;
    return f->is_kernel ? 0 : free < SAVED_MOST ? free : SAVED_MOST;
}

u32 spill_room(const Func *f)
{
    const u32 words = f->scalar_room / 4, taken = f->has_calls + spill_saves(f);
    return words > taken ? words - taken : 0;
}

/* --- slots --------------------------------------------------------------------------- */

typedef struct {
    Timeline *word;
    size_t n, cap;
} Frame;

static const u32 NO_MEMORY = UINT32_MAX, NO_ROOM = UINT32_MAX - 1;

/* the first of `limit` words that is free wherever v is alive, NO_MEMORY or NO_ROOM */
static u32 choose_word(Frame *frame, const Ranges *r, u32 v, u32 limit)
{
    size_t k = 0;
    while (k < frame->n && !timeline_is_free(&frame->word[k], r, v))
        k++;
    if (k >= limit)
        return NO_ROOM;
    if (k == frame->n) {
        if (!array_grow(frame->word, frame->n, frame->cap))
            return NO_MEMORY;
        frame->word[frame->n++] = (Timeline){0};
    }
    return timeline_add_range(&frame->word[k], r, v) ? (u32)k : NO_MEMORY;
}

static void frame_free(Frame *frame)
{
    for (size_t k = 0; k < frame->n; k++)
        timeline_free(&frame->word[k]);
    mem_free(frame->word);
}

static bool place(Spill *s, const Ranges *r, const u32 *list, size_t n)
{
    Frame frame[2] = {0};
    u32 *words[2] = {&s->f->spill_x, &s->f->spill_v};
    const u32 room = spill_room(s->f), more = room > s->f->spill_x ? room - s->f->spill_x : 0;
    bool ok = true;
    for (size_t k = 0; ok && k < n; k++) {
        const u32 v = list[k];
        const bool vector = s->f->value[v].bank == BANK_V;
        if (s->remat[v].op != IR_none) {
            s->slot[v] = MADE_AGAIN;
            continue;
        }
        const u32 word = choose_word(&frame[vector], r, v, vector ? NO_ROOM : more);
        ok = word != NO_MEMORY;
        s->slot[v] =
            word == NO_ROOM ? PARKED + ir_value_in(s->f, BANK_V) : *words[vector] + word + 1;
    }
    for (int b = 0; b < 2; b++) {
        *words[b] += (u32)frame[b].n;
        frame_free(&frame[b]);
    }
    return ok;
}

/* --- code ----------------------------------------------------------------------------- */

static u32 slot_of(const Spill *s, Ref r)
{
    return r.kind == R_VAL && r.val < s->nslot ? s->slot[r.val] : 0;
}

static void put(Spill *s, const Ins *i)
{
    if (ir_grow(s->f->module, s->out, s->nout, s->capout))
        s->out[s->nout++] = *i;
}

static u32 temporary(Spill *s, u32 v)
{
    const u32 t = ir_value_in(s->f, (Bank)s->f->value[v].bank);
    if (t)
        s->f->value[t].temp_spill = true;
    return t;
}

static bool in_vector(const Spill *s, u32 v) { return s->f->value[v].bank == BANK_V; }

/* Writes spilled value v to dst, or to physical register reg - 1. */
static void put_load(Spill *s, u32 v, u32 dst, u32 reg, u32 loc)
{
    const u32 slot = s->slot[v];
    Ins i = s->remat[v];
    if (slot != MADE_AGAIN && slot >= PARKED)
        i = (Ins){.op = IR_fetch, .a = {ref_val(slot - PARKED)}};
    else if (slot != MADE_AGAIN)
        i = (Ins){.op = in_vector(s, v) ? IR_reloadv : IR_reloadx, .imm = (i32)s->slot[v] - 1};
    i.dst = dst;
    i.reg = reg;
    i.loc = loc;
    put(s, &i);
}

static void put_store(Spill *s, u32 v, Ref from, u32 loc)
{
    const u32 slot = s->slot[v];
    if (slot >= PARKED)
        put(s, &(Ins){.op = IR_park, .dst = slot - PARKED, .loc = loc, .a = {from}});
    else
        put(s, &(Ins){.op = in_vector(s, v) ? IR_spillv : IR_spillx,
                      .loc = loc,
                      .imm = (i32)slot - 1,
                      .a = {from}});
}

/* Gives spilled operands temporaries, one for operands that are the same. */
static void load_operands(Spill *s, Ref *a, int n, u32 loc)
{
    for (int k = 0; k < n; k++) {
        if (!slot_of(s, a[k]))
            continue;
        const Ref old = a[k];
        const u32 t = temporary(s, old.val);
        put_load(s, old.val, t, 0, loc);
        for (int j = k; j < n; j++)
            if (ref_same(a[j], old))
                a[j] = ref_val(t);
    }
}

/* Turns a move from or to a spilled value into a load or store; false: *i is no such move. */
static bool put_move(Spill *s, const Ins *i)
{
    const u32 to = slot_of(s, ref_val(i->dst)), from = slot_of(s, i->a[0]);
    if (i->op != IR_move || (to && from))
        return false;
    if (from &&
        in_vector(s, i->a[0].val) == (i->reg ? reg_is_vector(i->reg - 1) : in_vector(s, i->dst))) {
        put_load(s, i->a[0].val, i->dst, i->reg, i->loc);
        return true;
    }
    const bool same_bank =
        i->a[0].kind == R_VAL
            ? in_vector(s, i->a[0].val) == in_vector(s, i->dst)
            : i->a[0].kind == R_REG && reg_is_vector(i->a[0].val) == in_vector(s, i->dst);
    if (to && same_bank)
        put_store(s, i->dst, i->a[0], i->loc);
    return to && same_bank;
}

static void put_instruction(Spill *s, const Ins *old)
{
    const u32 v = old->dst, to = slot_of(s, ref_val(v));
    const int tied = ins_tied(old);
    if (to == MADE_AGAIN || put_move(s, old))
        return;
    Ins i = *old;
    load_operands(s, i.a, 3, i.loc);
    if (to)
        i.dst = tied >= 0 ? i.a[tied].val : temporary(s, v);
    put(s, &i);
    if (to)
        put_store(s, v, ref_val(i.dst), i.loc);
}

static bool touches(const Spill *s, const Ins *i)
{
    return slot_of(s, ref_val(i->dst)) || slot_of(s, i->a[0]) || slot_of(s, i->a[1]) ||
           slot_of(s, i->a[2]);
}

static void rewrite_block(Spill *s, u32 b)
{
    Block *k = &s->f->block[b];
    bool changes = slot_of(s, k->term.a[0]) || slot_of(s, k->term.a[1]);
    for (size_t i = 0; i < k->nins && !changes; i++)
        changes = touches(s, &k->ins[i]);
    if (!changes)
        return;
    s->out = NULL;
    s->nout = s->capout = 0;
    for (size_t i = 0; i < k->nins; i++)
        put_instruction(s, &k->ins[i]);
    load_operands(s, k->term.a, 2, k->term.loc);
    k->ins = s->out;
    k->nins = s->nout;
    k->capins = s->capout;
}

bool spill(Func *f, const Ranges *r, const Ins *remat, const u32 *list, size_t n)
{
    Spill s = {
        .f = f, .remat = remat, .nslot = f->nvalue, .slot = mem_zalloc(f->nvalue, sizeof(u32))};
    const bool ok = s.slot && place(&s, r, list, n);
    for (size_t b = 0; ok && b < f->nrpo; b++)
        rewrite_block(&s, f->rpo[b]);
    mem_free(s.slot);
    return ok && !f->module->failed;
}
