/* locate.c -- where the variables of the source are in allocated code.
 *
 * The program before allocation has notes: from here on, a part of a variable is this value.  The
 * proof of allocation (verify.c) knows at each instruction which places hold which values.  Both
 * together say where a part is, through united, moved, spilled and repeated values alike.
 *
 * While the proof looks for the state at the start of each block, the notes in force are part of
 * that state: a block begins with those on which all edges into it agree.  A note ends where its
 * value is written anew.  Once all is proved, each block is gone over again, and the program after
 * gets notes that name places: for every part at the start of a block, then where it changes.
 */
#include "cc/proof.h"
#include "base/mem.h"
#include <string.h>

/* What a part is: a thing plus a number; thing 0: not known. */
typedef struct {
    u32 thing;
    i32 plus;
} PartValue;

/* Where it is: a place, or one of these. */
enum { NOWHERE = UINT32_MAX, LITERAL = UINT32_MAX - 1 };
typedef struct {
    PartValue value;
    u32 place;
} PartPlace;

struct Locate {
    size_t n; /* parts */
    PartValue *top; /* n of each block: at its start */
    PartValue *now;
    PartPlace *told; /* what the notes that are written have said last */
    Func *to;        /* NULL: nothing is written yet */
    Ins *ins;
    size_t nins, capins;
};

bool locate_init(Proof *p)
{
    const size_t n = p->before->npart;
    if (!n || !p->before->nnote)
        return true;
    struct Locate *l = p->locate = mem_zalloc(1, sizeof *l);
    if (!l)
        return false;
    l->n = n;
    l->top = mem_zalloc(p->before->nblock + 1, n * sizeof *l->top);
    l->now = mem_zalloc(n, sizeof *l->now);
    l->told = mem_zalloc(n, sizeof *l->told);
    return l->top && l->now && l->told;
}

void locate_free(Proof *p)
{
    if (!p->locate)
        return;
    mem_free(p->locate->top);
    mem_free(p->locate->now);
    mem_free(p->locate->told);
    mem_free(p->locate);
}

/* --- what holds ------------------------------------------------------------------------------- */

static bool same_value(PartValue a, PartValue b) { return a.thing == b.thing && a.plus == b.plus; }

void locate_begin(Proof *p)
{
    struct Locate *l = p->locate;
    if (!l)
        return;
    memcpy(l->now, l->top + p->block * l->n, l->n * sizeof *l->now);
    for (size_t k = 0; k < l->n; k++)
        l->told[k] = (PartPlace){{0, 0}, NOWHERE};
}

void locate_note(Proof *p, const Note *n)
{
    if (!p->locate)
        return;
    const Ins literal = {.op = IR_li, .dst = 1, .a = {n->is}};
    const u32 thing = n->is.kind == R_CON ? proof_constant(p, &literal) : proof_thing(p, n->is);
    p->locate->now[n->part] = (PartValue){thing, thing ? n->plus : 0};
}

void locate_forget(Proof *p, u32 thing)
{
    for (size_t k = 0; p->locate && k < p->locate->n; k++)
        if (p->locate->now[k].thing == thing)
            p->locate->now[k] = (PartValue){0};
}

bool locate_flow(Proof *p, u32 b, bool first)
{
    struct Locate *l = p->locate;
    bool changed = false;
    for (size_t k = 0; l && k < l->n; k++) {
        PartValue *to = &l->top[b * l->n + k];
        if (first) {
            *to = l->now[k];
        } else if (to->thing && !same_value(*to, l->now[k])) {
            *to = (PartValue){0};
            changed = true;
        }
    }
    return changed;
}

/* --- where it is ------------------------------------------------------------------------------ */

static bool read_literal(const Proof *p, PartValue v, u32 *number)
{
    const Ins *i = proof_constant_of(p, v.thing);
    if (!i || i->a[0].kind != R_CON || (i->op != IR_li && i->op != IR_MACHINE + I_vmv_v_i))
        return false;
    *number = i->a[0].val + (u32)v.plus;
    return true;
}

static u32 find_place(const Proof *p, PartValue v)
{
    u32 number;
    if (read_literal(p, v, &number))
        return LITERAL;
    for (u32 k = 0; k < p->nplace && v.thing; k++)
        if (set_has(&p->sets, p->now[k], v.thing))
            return k;
    return NOWHERE;
}

static Note make_note(const Proof *p, u32 part, PartPlace at)
{
    Note n = {.part = part, .plus = at.value.plus};
    const u32 words = NREG + p->after->spill_x;
    if (at.place == LITERAL) {
        n.plus = 0;
        n.is.kind = R_CON;
        read_literal(p, at.value, &n.is.val);
    } else if (at.place == NOWHERE) {
        n.plus = 0;
    } else if (at.place < NREG) {
        n.is = ref_reg(at.place);
    } else {
        n.kind = at.place < words ? NOTE_SCALAR_WORD : NOTE_PRIVATE_WORD;
        n.is = ref_con(at.place - (at.place < words ? NREG : words));
    }
    return n;
}

static void put(Proof *p, const Ins *i)
{
    struct Locate *l = p->locate;
    if (ir_grow(l->to->module, l->ins, l->nins, l->capins))
        l->ins[l->nins++] = *i;
}

/* Says where part k is, if that is not known any more; loc: of the instruction that comes next. */
static void tell(Proof *p, u32 k, u32 loc)
{
    const PartValue v = p->locate->now[k];
    PartPlace *told = &p->locate->told[k];
    const bool is_place = told->place < p->nplace;
    if (same_value(v, told->value) &&
        (!is_place || set_has(&p->sets, p->now[told->place], v.thing)))
        return;
    const PartPlace at = {v, find_place(p, v)};
    const bool is_new = at.place != told->place || at.value.plus != told->value.plus ||
                        at.place == LITERAL;
    *told = at;
    if (!is_new)
        return;
    const u32 note = ir_note(p->locate->to, make_note(p, k, at));
    put(p, &(Ins){.op = IR_note, .imm = (i32)note, .loc = loc});
}

static void tell_all(Proof *p, u32 loc)
{
    for (u32 k = 0; k < p->locate->n; k++)
        tell(p, k, loc);
}

void locate_before(Proof *p, size_t at)
{
    if (!p->locate || !p->locate->to)
        return;
    const Ins *next = &p->locate->to->block[p->block].ins[at];
    tell_all(p, next->loc);
    put(p, next);
}

void locate_end(Proof *p)
{
    struct Locate *l = p->locate;
    if (!l || !l->to)
        return;
    Block *b = &l->to->block[p->block];
    tell_all(p, b->term.loc);
    b->ins = l->ins;
    b->nins = l->nins;
    b->capins = l->capins;
    l->ins = NULL;
    l->nins = l->capins = 0;
}

void locate_write(Proof *p, Func *to)
{
    if (p->locate)
        p->locate->to = to;
}
