/* init.c -- values that nobody wrote and that decide a branch, an address or an output.
 *
 * Each bit of memory and of each lane's registers has a shadow: 1, nobody wrote it.  Shadows move
 * with values, and operations compute with them; a copy is no mistake, nor is a sum that nobody
 * looks at.  A report is made where such a value decides a branch, is an address, or is stored into
 * global memory, except by a copy of an object, which may have padding.  Then it counts as written,
 * so that what follows from it is not told again.
 *
 * Private and local memory are new to each group; a page of them without a shadow of this group
 * has not been written.  Global memory was written, unless the driver says that a block is new and
 * nothing of the host's has come to it.  Registers are new to each warp.
 *
 * Computations on values that were written matter to nobody: the registers that have bits nobody
 * wrote are those that the observer watches.
 */
#include "check/internal.h"
#include "base/mem.h"
#include "check/registers.h"
#include "check/unwritten.h"
#include "obj/notes.h"
#include <string.h>

#define ALL UINT32_MAX

enum { HOLES = 4096 };

/* A word of memory that got a value that nobody wrote, and where that came from. */
typedef struct {
    u64 word, group; /* address / 4; Unwritten.group at the time */
    Origin from;
} Hole;

/* Where the value comes from that a private variable has at first. */
typedef struct {
    u64 addr, size;
    const char *name; /* of the variable; belongs to the image */
} FirstValue;

struct Init {
    Registers *warp; /* of the group */
    u32 nwarp;
    Unwritten memory;
    FirstValue *source; /* of the program that is loaded */
    size_t nsource, capsource;
    Hole hole[HOLES]; /* by address; later ones displace others */
};

/* --- life ------------------------------------------------------------------------------------- */

Init *init_new(void) { return mem_zalloc(1, sizeof(Init)); }

void init_free(Init *t)
{
    if (!t)
        return;
    unwritten_free(&t->memory);
    mem_free(t->source);
    mem_free(t->warp);
    mem_free(t);
}

/* Whether the symbol is where the values come from that a private variable has at first
 * (obj/notes.h). */
static bool is_source(const ObjSymbol *s)
{
    return !strncmp(s->name, NOTE_UNWRITTEN, sizeof NOTE_UNWRITTEN - 1);
}

void init_take(Init *t, const Object *image)
{
    for (size_t i = 0; i < t->nsource; i++)
        unwritten_fill(&t->memory, t->source[i].addr, t->source[i].size, 0);
    t->nsource = 0;
    for (size_t i = 0; image && i < image->nsymbols; i++) {
        const ObjSymbol *s = &image->symbols[i];
        if (!is_source(s))
            continue;
        if (!array_grow(t->source, t->nsource, t->capsource)) {
            t->memory.failed = true;
            return;
        }
        t->source[t->nsource++] =
            (FirstValue){s->value, s->size, s->name + sizeof NOTE_UNWRITTEN - 1};
        unwritten_fill(&t->memory, s->value, s->size, 0xff);
    }
}

/* The private variable whose first value lies at the address; NULL: none has. */
static const char *variable_from(const Init *t, u64 addr)
{
    for (size_t i = 0; i < t->nsource; i++)
        if (addr - t->source[i].addr < t->source[i].size)
            return t->source[i].name;
    return NULL;
}

void init_group(Init *t, const Group *g)
{
    if (g->nwarps > t->nwarp) {
        mem_free(t->warp);
        t->warp = mem_alloc(g->nwarps * sizeof *t->warp);
        t->nwarp = t->warp ? g->nwarps : 0;
        t->memory.failed |= !t->warp;
    }
    t->memory.group++;
    for (u32 k = 0; k < g->nwarps && !t->memory.failed; k++)
        registers_reset(&t->warp[k]);
}

bool init_lacks(const Init *t) { return t->memory.failed; }

const u8 *init_watches(const Init *t, const Warp *w)
{
    return w->id < t->nwarp ? t->warp[w->id].state : NULL;
}

void init_allocated(Init *t, u64 addr, u64 size) { unwritten_fill(&t->memory, addr, size, 0xff); }
void init_written(Init *t, u64 addr, u64 size) { unwritten_fill(&t->memory, addr, size, 0); }

void init_copied(Init *t, u64 from, u64 to, u64 size)
{
    for (u64 i = 0; i < size; i += 4) {
        const u32 n = size - i < 4 ? (u32)(size - i) : 4;
        unwritten_store(&t->memory, to + i, n, unwritten_load(&t->memory, from + i, n, false),
                        false);
    }
}

/* --- reports --------------------------------------------------------------------------------- */

static void put_origin(Check *c, const Warp *w, const Origin *o, Buf *to)
{
    const char *name = variable_from(c->init, o->addr);
    dev_put_place(drv_device(c->driver), o->pc, name ? "begins at" : "loaded", to);
    buf_str(to, "\n  from        ");
    if (name && strcspn(name, "."))
        buf_printf(to, "private variable '%.*s'", (int)strcspn(name, "."), name);
    else if (name)
        buf_str(to, "a private variable");
    else if (!notes_put_private(c, w, o->addr, o->at, to))
        put_whereabouts(c, o->addr, 1, to);
}

/* The value of register n, in a lane, decides what the sentence says; afterwards it counts as
 * written. */
static void report_init(Check *c, const Warp *w, u32 pc, u32 n, int lane, const char *what)
{
    Registers *r = &c->init->warp[w->id];
    const Origin o = r->origin[n];
    const Finding f = {CHECK_init, w, pc, o.pc, 0, lane};
    if (is_new(c, &f)) {
        Buf more = {0};
        if (o.pc) {
            put_origin(c, w, &o, &more);
        } else {
            buf_str(&more, "\n  from        a register");
        }
        report(c, &f, what, buf_text(&more));
        buf_free(&more);
    }
    registers_write(r, n, ALL, ALL, NULL);
}

/* the first of these lanes in which the register has a bit that nobody wrote; -1: none has */
static int bad_lane(const Registers *r, u32 n, u32 lanes)
{
    if (n >= WATCH_X)
        return shadow_of(r, n, 0) && lanes ? __builtin_ctz(lanes) : -1;
    for (; lanes; lanes &= lanes - 1)
        if (shadow_of(r, n, (u32)__builtin_ctz(lanes)))
            return __builtin_ctz(lanes);
    return -1;
}

static void decides(Check *c, const Warp *w, const Step *s, const IsaRegs *x, const char *what)
{
    Registers *r = &c->init->warp[w->id];
    for (u32 k = 0; k < x->count; k++) {
        const u32 n = number_of(x, k);
        const int lane = r->state[n] ? bad_lane(r, n, s->exec) : -1;
        if (lane >= 0)
            report_init(c, w, step_pc(s), n, lane, what);
    }
}

/* --- where values came from ----------------------------------------------------------------- */

static void note_hole(Init *t, u64 addr, Origin from)
{
    t->hole[addr / 4 % HOLES] = (Hole){addr / 4, t->memory.group, from};
}

/* Where the value that nobody wrote came from, which is loaded by a; is_new as of
 * unwritten_load(). */
static Origin origin_of(const Check *c, const Access *a, bool is_new)
{
    const Init *t = c->init;
    const Hole *h = &t->hole[a->addr / 4 % HOLES];
    Origin o = {.pc = a->pc, .addr = a->addr};
    if (h->word == a->addr / 4 && h->group && (!is_new || h->group == t->memory.group))
        return h->from;
    const u64 note =
        a->is_private ? notes_find_private(c, a, private_offset(a->warp, a->addr), &o.at) : 0;
    o.addr = note ? note : o.addr;
    return o;
}

/* --- memory instructions ---------------------------------------------------------------------- */

/* Whether each group finds the memory unwritten. */
static bool is_new_memory(const Check *c, const Step *s, u64 addr)
{
    return s->facts->space == SPACE_GROUP || s->facts->space == SPACE_PRIVATE ||
           addr - LDS_LO < LDS_END - LDS_LO || is_in_private(c, addr);
}

static void load_each(Check *c, const Event *e, const IsaRegs *d)
{
    Init *t = c->init;
    const Warp *w = e->warp;
    const Step *s = e->step;
    Registers *r = &t->warp[w->id];
    Access a = access_of(c, e);
    u32 shadow[MAX_LANES] = {0}, any = 0;
    Origin origin = {.pc = step_pc(s)};
    Walk at = {0};
    Touch x;
    while (walk(e, &at, &x)) {
        const u32 size = x.size < 4 ? x.size : 4;
        u32 got = unwritten_load(&t->memory, x.addr, size, is_new_memory(c, s, x.addr));
        access_at(&a, &x);
        if (got && ((x.lane < 0 ? c->strayed : c->strayed >> x.lane & 1) || notes_explain(c, &a)))
            got = 0; /* that it is read at all has been reported */
        if (s->facts->sgn && size < 4 && got >> (size * 8 - 1) & 1)
            got |= ALL << size * 8;
        shadow[x.lane < 0 ? 0 : x.lane] |= got;
        if (got && !any)
            origin = origin_of(c, &a, is_new_memory(c, s, x.addr));
        any |= got;
    }
    for (u32 k = 0; k < d->count; k++) {
        registers_write(r, number_of(d, k), s->exec, w->initial, any ? shadow : NULL);
        r->origin[number_of(d, k)] = origin;
    }
}

/* Whether all bytes that the instruction touched are certainly written. */
static bool touches_written(Check *c, const Step *s)
{
    for (size_t i = 0; i < s->ntouched; i++) {
        const Touch *x = &s->touched[i];
        const u64 last = x->addr + x->size - 1;
        const bool is_new = is_new_memory(c, s, x->addr);
        if (is_new != is_new_memory(c, s, last) ||
            !unwritten_has_none(&c->init->memory, x->addr, x->size, is_new))
            return false;
    }
    return true;
}

/* The same of the words of a row, wherever they lie in it. */
static bool row_is_written(Check *c, const Event *e)
{
    const Row *row = c->row;
    if (!row || row->size != 4)
        return false;
    const bool is_new = is_new_memory(c, e->step, row->lo);
    return is_new == is_new_memory(c, e->step, row->end - 1) &&
           unwritten_has_none_at(&c->init->memory, e->warp->addr, e->step->exec, is_new);
}

static void load(Check *c, const Event *e, const IsaRegs *d)
{
    const Warp *w = e->warp;
    if (!touches_written(c, e->step) && !row_is_written(c, e)) {
        load_each(c, e, d);
        return;
    }
    for (u32 k = 0; k < d->count; k++)
        registers_write(&c->init->warp[w->id], number_of(d, k), e->step->exec, w->initial, NULL);
}

/* The row's lanes stored what was written, to bytes side by side.  False: look at each. */
static bool store_row(Check *c, const Step *s)
{
    const Row *row = c->row;
    const u64 size = row ? row->end - row->lo : 0;
    return row && row->is_run && size == row->size * (u64)__builtin_popcount(s->exec) &&
           unwritten_clear(&c->init->memory, row->lo, (u32)size, is_new_memory(c, s, row->lo));
}

static void store(Check *c, const Event *e, const IsaRegs *v)
{
    const Warp *w = e->warp;
    const Step *s = e->step;
    Unwritten *t = &c->init->memory;
    const Registers *r = &c->init->warp[w->id];
    const bool bad = v && r->state[number_of(v, 0)];
    Walk at = {0};
    Touch x;
    if (!bad && store_row(c, s))
        return;
    while (walk(e, &at, &x)) {
        const bool is_new_one = is_new_memory(c, s, x.addr);
        const u32 size = x.size < 4 ? x.size : 4, lane = x.lane < 0 ? 0 : (u32)x.lane;
        u32 shadow = bad ? shadow_of(r, number_of(v, 0), lane) : 0;
        if (size < 4)
            shadow &= (1u << size * 8) - 1;
        if (shadow && !is_new_one && mark_at(c, step_pc(s)) != LINES_COPY) {
            report_init(c, w, step_pc(s), number_of(v, 0), x.lane,
                        "store of a value that nobody wrote, into global memory");
            store(c, e, v);
            return;
        }
        if (shadow)
            note_hole(c->init, x.addr, r->origin[number_of(v, 0)]);
        if (x.size <= 4)
            unwritten_store(t, x.addr, size, shadow, is_new_one);
        for (u32 k = 0; x.size > 4 && k < x.size; k += 4)
            unwritten_store(t, x.addr + k, x.size - k < 4 ? x.size - k : 4, 0, is_new_one);
    }
}

/* --- one instruction -------------------------------------------------------------------------- */

/* Whether a register that the instruction reads has bits that nobody wrote, where it acts. */
static bool any_source_is_bad(const Registers *r, const IsaFacts *f, u32 lanes)
{
    for (int i = 0; i < f->nregs; i++)
        for (u32 k = 0; f->reg[i].is_read && k < f->reg[i].count; k++) {
            const u32 n = number_of(&f->reg[i], k);
            if (r->state[n] && bad_lane(r, n, lanes) >= 0)
                return true;
        }
    return false;
}

/* Reports what sources of the instruction decide that nobody wrote. */
static void look_at_decisions(Check *c, const Warp *w, const Step *s)
{
    const IsaFacts *f = s->facts;
    for (int i = 0; i < f->nregs; i++) {
        const IsaRegs *x = &f->reg[i];
        if (f->control == CONTROL_BRANCH || f->control == CONTROL_SPLIT)
            decides(c, w, s, x, "branch on a value that nobody wrote");
        else if (x->role == ROLE_ADDRESS || x->role == ROLE_INDEX || x->role == ROLE_STRIDE)
            decides(c, w, s, x,
                    f->control == CONTROL_JUMP_REG ? "jump to an address that nobody wrote"
                                                   : "access at an address that nobody wrote");
    }
}

void init_step(Check *c, const Event *e)
{
    const Step *s = e->step;
    const IsaFacts *f = s->facts;
    const Warp *w = e->warp;
    Registers *r = &c->init->warp[w->id];
    const IsaRegs *d = NULL, *value = NULL;
    if (c->init->memory.failed)
        return;
    for (int i = 0; i < f->nregs; i++) {
        d = f->reg[i].is_written && !d ? &f->reg[i] : d;
        value = f->reg[i].role == ROLE_VALUE ? &f->reg[i] : value;
    }
    /* what a conditional store says of itself comes from nothing that it reads */
    const bool is_conditional = f->reads & STATE_RESERVED;
    const bool bad =
        any_source_is_bad(r, f, f->writes & STATE_LANES || f->reads & STATE_LANES ? ALL : s->exec);
    if (bad)
        look_at_decisions(c, w, s);
    if (f->access == ACCESS_STORE)
        store(c, e, value);
    else if (f->access != ACCESS_NONE && d && s->ntouched && !is_conditional)
        load(c, e, d);
    else if (d && bad && !is_conditional)
        registers_compute(r, w, s, d);
    else if (d)
        for (u32 k = 0; k < d->count; k++)
            registers_write(r, number_of(d, k), registers_acting(w, s), w->initial, NULL);
    /* an exchange leaves what it brings; of other atomics the word is as little written as before
     */
    if (f->access == ACCESS_ATOMIC && (isa_insn[s->id].op == OP_copy || is_conditional))
        store(c, e, value);
}
