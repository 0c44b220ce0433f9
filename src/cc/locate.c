/* locate.c -- where the variables of the source are in allocated code.
 *
 * The program before allocation has notes: from here on, a part of a variable is this value.  The
 * proof of allocation (verify.c) knows at each instruction which places hold which values.  Both
 * together say where a part is, through united, moved, spilled and repeated values alike.
 *
 * While the proof looks for the state at the start of each block, what the parts are belongs to
 * that state: a set of things, which are all the same.  An edge carries everything that is the same
 * there, and a block begins with what all edges into it agree on; so a part that is another value
 * on each edge is found again in the value that a phi makes of them.  What is written anew leaves
 * the set.  Once all is proved, each block is gone over again, and the program after
 * gets notes that name places: for every part at the start of a block, then where it changes.
 */
#include "cc/proof.h"
#include "base/mem.h"
#include <string.h>

/* What a part is: any of a set of things, as a note says; the empty set: not known. */
typedef struct {
    u32 set;
    i32 plus;
    u8 bits;
    bool is_signed;
} PartValue;

/* Where it is: a place, or one of these. */
#define NOWHERE  UINT32_MAX
#define LITERAL  (UINT32_MAX - 1)
#define ARGUMENT (UINT32_MAX - 2)
typedef struct {
    PartValue value;
    u32 place;
} PartPlace;

struct Locate {
    size_t n;       /* parts */
    PartValue *top; /* n of each block: at its start */
    PartValue *now;
    PartPlace *told; /* what the notes that are written have said last */
    Func *to;        /* NULL: nothing is written yet */
    u32 *argument;   /* of each value of the program before: 1 + the byte of the argument block that
                      * it was loaded from, or 0 */
    Ins *ins;
    size_t nins, capins;
};

/* The argument block does not change while a kernel runs, so what was loaded from it is there when
 * no place holds it any more. */
static void find_arguments(const Func *f, u32 *argument)
{
    const Block *entry = &f->block[0];
    const Ref reg = ref_reg(f->module->target->arguments);
    u32 base = 0;
    for (size_t i = 0; i < entry->nins && f->is_kernel && !base; i++)
        if (entry->ins[i].op == IR_move && ref_same(entry->ins[i].a[0], reg))
            base = entry->ins[i].dst;
    for (size_t b = 0; b < f->nrpo && base; b++) {
        const Block *k = &f->block[f->rpo[b]];
        for (size_t i = 0; i < k->nins; i++) {
            const Ins *n = &k->ins[i];
            if (ins_is_load(n) && n->space == IN_CONST && n->a[0].kind == R_CON &&
                ref_same(n->a[1], ref_val(base)))
                argument[n->dst] = 1 + n->a[0].val;
        }
    }
}

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
    l->argument = mem_zalloc(p->before->nvalue + 1, sizeof *l->argument);
    if (l->argument)
        find_arguments(p->before, l->argument);
    return l->top && l->now && l->told && l->argument;
}

void locate_free(Proof *p)
{
    if (!p->locate)
        return;
    mem_free(p->locate->top);
    mem_free(p->locate->now);
    mem_free(p->locate->told);
    mem_free(p->locate->argument);
    mem_free(p->locate);
}

/* --- what holds ------------------------------------------------------------------------------- */

static bool same_form(PartValue a, PartValue b)
{
    return a.plus == b.plus && a.bits == b.bits && a.is_signed == b.is_signed;
}

static bool same_value(PartValue a, PartValue b) { return a.set == b.set && same_form(a, b); }

void locate_begin(Proof *p)
{
    struct Locate *l = p->locate;
    if (!l)
        return;
    memcpy(l->now, l->top + p->block * l->n, l->n * sizeof *l->now);
    for (size_t k = 0; k < l->n; k++)
        l->told[k] = (PartPlace){.place = NOWHERE};
}

void locate_note(Proof *p, const Note *n)
{
    if (!p->locate)
        return;
    const Ins literal = {.op = IR_li, .dst = 1, .a = {n->is}};
    const u32 thing = n->is.kind == R_CON ? proof_constant(p, &literal) : proof_thing(p, n->is);
    const u32 set = thing ? set_with(&p->sets, 0, thing) : 0;
    p->locate->now[n->part] = (PartValue){set, n->plus, n->bits, n->is_signed};
}

void locate_forget(Proof *p, u32 thing)
{
    for (size_t k = 0; p->locate && k < p->locate->n; k++)
        p->locate->now[k].set = set_without(&p->sets, p->locate->now[k].set, thing);
}

static bool has_any(const Proof *p, u32 set, u32 of)
{
    const Set list = p->sets.set[of];
    for (u32 k = 0; k < list.n; k++)
        if (set_has(&p->sets, set, p->sets.pool[list.first + k]))
            return true;
    return false;
}

/* Adds to what each part is all that is the same, because some place holds both. */
static void widen(Proof *p)
{
    struct Locate *l = p->locate;
    for (u32 place = 0; place < p->nplace; place++) {
        const u32 held = p->now[place];
        for (size_t k = 0; k < l->n && p->sets.set[held].n > 1; k++)
            if (l->now[k].set != held && has_any(p, held, l->now[k].set))
                for (u32 i = 0; i < p->sets.set[held].n; i++)
                    l->now[k].set = set_with(&p->sets, l->now[k].set,
                                             p->sets.pool[p->sets.set[held].first + i]);
    }
}

bool locate_flow(Proof *p, u32 b, bool first)
{
    struct Locate *l = p->locate;
    bool changed = false;
    if (!l)
        return false;
    widen(p);
    for (size_t k = 0; k < l->n; k++) {
        PartValue *to = &l->top[b * l->n + k], old = *to;
        if (first)
            *to = l->now[k];
        else
            to->set = same_form(*to, l->now[k]) ? set_common(&p->sets, to->set, l->now[k].set) : 0;
        changed |= !same_value(*to, old);
    }
    return changed;
}

/* --- where it is ------------------------------------------------------------------------------ */

static bool is_literal(const Proof *p, u32 thing)
{
    const Ins *i = proof_constant_of(p, thing);
    return i && i->a[0].kind == R_CON && (i->op == IR_li || i->op == IR_MACHINE + I_vmv_v_i);
}

static bool is_argument(const Proof *p, u32 thing)
{
    return thing < p->before->nvalue && p->locate->argument[thing];
}

/* A thing in a set for which that holds, or 0. */
static u32 find_thing(const Proof *p, u32 set, bool (*holds)(const Proof *p, u32 thing))
{
    const Set list = p->sets.set[set];
    for (u32 k = 0; k < list.n; k++)
        if (holds(p, p->sets.pool[list.first + k]))
            return p->sets.pool[list.first + k];
    return 0;
}

static u32 find_place(const Proof *p, u32 set)
{
    if (find_thing(p, set, is_literal))
        return LITERAL;
    for (u32 k = 0; k < p->nplace && set; k++)
        if (has_any(p, p->now[k], set))
            return k;
    return find_thing(p, set, is_argument) ? ARGUMENT : NOWHERE;
}

/* The number of a note whose value is x. */
static u32 number_of(const Note *n, u32 x)
{
    const u32 sum = x + (u32)n->plus, unused = n->bits ? 32 - n->bits : 0;
    return n->is_signed ? (u32)((i32)(sum << unused) >> unused) : sum << unused >> unused;
}

static Note make_note(const Proof *p, u32 part, PartPlace at)
{
    const PartValue *v = &at.value;
    Note n = {.part = part, .plus = v->plus, .bits = v->bits, .is_signed = v->is_signed};
    const u32 words = NREG + p->after->spill_x;
    if (at.place == LITERAL) {
        const Ins *i = proof_constant_of(p, find_thing(p, at.value.set, is_literal));
        n.is = ref_con(number_of(&n, i->a[0].val));
        n.plus = n.bits = 0;
    } else if (at.place == ARGUMENT) {
        n.kind = NOTE_ARGUMENT;
        n.is = ref_con(p->locate->argument[find_thing(p, at.value.set, is_argument)] - 1);
    } else if (at.place == NOWHERE) {
        n.plus = n.bits = 0;
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
    const bool stays = is_place && has_any(p, p->now[told->place], v.set);
    if (same_value(v, told->value) && (!is_place || stays))
        return;
    const PartPlace at = {v, stays ? told->place : find_place(p, v.set)};
    const bool is_new = at.place != told->place || !same_form(at.value, told->value) ||
                        at.place == LITERAL || at.place == ARGUMENT;
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
