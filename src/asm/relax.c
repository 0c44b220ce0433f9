/* relax.c -- sizes and addresses of fragments.
 *
 * Requires everything to be read.  In each round all fragments get the sizes that follow from the
 * addresses of the round before; branches that do not reach are made long.  A branch never becomes
 * short again, so the rounds end.  Only fills and .org that depend on each other may go on for
 * ever, which is an error.
 */
#include "asm/job.h"
#include <elf.h>
#include <string.h>

enum {
    MAX_ROUNDS = 64,
    /* Branches that push each other out of range one at a time would take a round each.
     * After these rounds, those that nearly do not reach are made long too, then all. */
    IMPATIENT = 16,
    DESPERATE = 32,
    BRANCH_MIN = -4096,
    BRANCH_MAX = 4094
};

/* --- fills ----------------------------------------------------------------------------- */

/* Notes what is wrong with a length; it is an error if it still is so in the last round. */
static void complain(Asm *a, Place place, const char *why)
{
    if (!a->complaint)
        a->complaint_place = place;
    if (!a->complaint)
        a->complaint = why;
}

/* the number that an expression is in this round; 0 and a complaint if it is none */
static i64 number_of(Asm *a, const Expr *e, Place place)
{
    const char *why;
    Value v;
    if (!as_eval(a, e, &v, &why))
        complain(a, place, why);
    else if (v.plus || v.minus)
        complain(a, place, "this depends on the address of a symbol; a number is needed");
    else
        return v.k;
    return 0;
}

/* an offset, or a label of the section */
static i64 org_offset(Asm *a, const Sect *s, const Pad *p)
{
    const char *why;
    Value v;
    if (as_eval(a, &p->count, &v, &why) && v.plus && !v.minus) {
        const Sym *label = sym_of(a, v.plus);
        if (label->kind == SYM_LABEL && &a->sects[label->sect] == s)
            return v.k + (i64)as_label_offset(a, label);
    }
    return number_of(a, &p->count, p->place);
}

int as_leb(i64 v, bool is_signed, u8 out[10])
{
    int n = 0;
    for (;;) {
        const u8 low = (u8)(v & 127);
        v = is_signed ? v >> 7 : (i64)((u64)v >> 7);
        const bool last = is_signed ? (v == 0 && !(low & 64)) || (v == -1 && low & 64) : v == 0;
        out[n++] = low | (last ? 0 : 128);
        if (last)
            return n;
    }
}

/* Bytes of fragment f at offset addr of its section.  In the first round there are no
 * addresses to compute with; lengths that depend on them are then as small as they can be. */
static u64 frag_size(Asm *a, const Sect *s, const Frag *f, u64 addr)
{
    const bool first = a->round == 1;
    const Pad *p = &a->pads[f->pad];
    switch ((FragKind)f->kind) {
    case FRAG_DATA: return f->len;
    case FRAG_BRANCH: return f->is_long ? 8 : 4;
    case FRAG_ALIGN: {
        const u64 size = align_up(addr, p->align) - addr;
        return p->max && size > p->max ? 0 : size;
    }
    case FRAG_FILL: {
        const i64 n = first ? 0 : number_of(a, &p->count, p->place);
        if (n >= 0 && n <= MAX_SIZE)
            return (u64)n * p->width;
        complain(a, p->place, n < 0 ? "this length is negative" : "this length is too large");
        return 0;
    }
    case FRAG_ORG: {
        const i64 to = first ? (i64)addr : org_offset(a, s, p);
        if (to >= (i64)addr && to <= MAX_SIZE)
            return (u64)to - addr;
        complain(a, p->place,
                 to > MAX_SIZE ? "this place is too far away"
                               : "this place lies before the present one");
        return 0;
    }
    case FRAG_LEB: {
        const Fixup *x = &s->fixups[f->fixup];
        u8 bytes[10];
        if (first)
            return 1;
        const u64 size = (u64)as_leb(number_of(a, &x->expr, x->place), x->kind == FIX_SLEB, bytes);
        return size < f->size ? f->size : size; /* padded rather than shrunk */
    }
    }
    bug("fragment kind %d", f->kind);
}

/* --- rounds -------------------------------------------------------------------------------- */

/* true: something moved */
static bool place_section(Asm *a, Sect *s)
{
    bool moved = false;
    u64 addr = 0;
    for (size_t i = 0; i < s->nfrags && addr <= MAX_SIZE; i++) {
        Frag *f = &s->frags[i];
        const u64 size = frag_size(a, s, f, addr);
        moved = moved || f->addr != addr || f->size != size;
        f->addr = addr;
        f->size = size;
        addr += size;
    }
    s->size = addr;
    return moved;
}

/* How far branch fragment f jumps; false: not to a place in this section. */
static bool branch_distance(Asm *a, const Sect *s, const Frag *f, i64 *distance)
{
    const char *why;
    const Fixup *x = &s->fixups[f->fixup];
    Value v;
    if (!as_eval(a, &x->expr, &v, &why) || !v.plus || v.minus)
        return false;
    const Sym *target = sym_of(a, v.plus);
    if (target->kind != SYM_LABEL || &a->sects[target->sect] != s || target->bind == STB_WEAK)
        return false;
    *distance = (i64)as_label_offset(a, target) + v.k - (i64)f->addr;
    return true;
}

static bool lengthen_branches(Asm *a, Sect *s, int round)
{
    const i64 margin = round < IMPATIENT ? 1 : round < DESPERATE ? 2 : BRANCH_MAX;
    bool grew = false;
    for (size_t i = 0; i < s->nfrags; i++) {
        Frag *f = &s->frags[i];
        i64 d;
        if (f->kind != FRAG_BRANCH || f->is_long || !branch_distance(a, s, f, &d) ||
            (d >= BRANCH_MIN / margin && d <= BRANCH_MAX / margin))
            continue;
        f->is_long = grew = true;
    }
    return grew;
}

bool as_layout(Asm *a)
{
    const Place nowhere = {a->src, NULL};
    bool changed = true;
    /* 1. rounds until nothing moves; the first has no addresses and so decides nothing */
    for (int round = 0; changed; round++) {
        if (round == MAX_ROUNDS) {
            as_error_at(a, nowhere, "sizes depend on each other in a way that does not settle");
            return false;
        }
        changed = round == 0;
        a->round = (u32)round + 1;
        a->complaint = NULL;
        for (size_t i = 0; i < a->nsects; i++)
            changed |= place_section(a, &a->sects[i]);
        for (size_t i = 0; i < a->nsects && round; i++)
            changed |= lengthen_branches(a, &a->sects[i], round);
    }
    /* 2. a length that is still wrong is an error now */
    if (a->complaint) {
        as_error_at(a, a->complaint_place, "%s", a->complaint);
        return false;
    }
    /* 3. everything must fit the window of programs */
    u64 size = 0;
    for (size_t i = 0; i < a->nsects; i++)
        size += a->sects[i].size;
    if (size > MAX_SIZE)
        as_error_at(a, nowhere, "sections of more than %d MiB", MAX_SIZE >> 20);
    return size <= MAX_SIZE;
}
