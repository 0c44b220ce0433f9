/* function.c -- where functions begin and end, ends that are none, and returns whose address was
 * lost.
 *
 * A `call` writes the address of what follows it to ra.  A function that calls and then returns by
 * ra, without having put ra anywhere or back from anywhere, returns into itself for ever.  A kernel
 * that does not return runs into whatever stands behind it.
 */
#include "asm/job.h"
#include "base/search.h"
#include "isa/abi.h"
#include <elf.h>
#include <stdlib.h>

/* --- borders ------------------------------------------------------------------------------ */

bool as_is_code_label(const Asm *a, const Sym *s)
{
    return s->kind == SYM_LABEL && a->sects[s->sect].flags & SHF_EXECINSTR;
}

int as_by_place(const void *x, const void *y)
{
    const Border *a = x, *b = y;
    if (a->sect != b->sect)
        return a->sect < b->sect ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

Border *as_find_borders(Asm *a, size_t *n)
{
    Border *borders = mem_zalloc(a->nsyms, sizeof *borders);
    *n = 0;
    if (!borders) {
        as_no_memory(a);
        return NULL;
    }
    for (u32 i = 1; i < a->nsyms; i++) {
        const Sym *s = sym_of(a, i);
        if (as_is_code_label(a, s) &&
            (s->is_kernel || s->is_called || s->bind != STB_LOCAL || s->type == STT_FUNC))
            borders[(*n)++] = (Border){s->sect, as_label_offset(a, s)};
    }
    qsort(borders, *n, sizeof *borders, as_by_place);
    return borders;
}

SEARCH_BEFORE(is_not_behind, Border, Border, as_by_place(e, key) <= 0)

u64 as_next_border(const Asm *a, const Border *borders, size_t n, u32 sect, u64 offset)
{
    const Border here = {sect, offset};
    const size_t lo = search_count(borders, n, sizeof *borders, is_not_behind, &here);
    return lo < n && borders[lo].sect == sect ? borders[lo].offset : a->sects[sect].size;
}

/* --- the return address -------------------------------------------------------------------- */

void as_note_return(Asm *a, const Draft *d, const IsaFacts *facts)
{
    const bool jumps = isa_insn[d->id].effect == E_JAL || isa_insn[d->id].effect == E_JALR;
    bool touches = false;
    for (int i = 0; i < facts->nregs; i++)
        touches = touches || (!facts->reg[i].is_vector && facts->reg[i].first == REG_ra);
    const Frag *f = touches && d->id != I_auipc ? as_data(a) : NULL; /* auipc: half of a call */
    if (!f)
        return;
    if (!array_grow(a->returns, a->nreturns, a->capreturns)) {
        as_no_memory(a);
        return;
    }
    const ReturnKind kind = !jumps                  ? RETURN_KEPT
                            : d->value[0] == REG_ra ? RETURN_LOST
                                                    : RETURN_TAKEN;
    const Line place = {a->src, d->where, a->sect, (u32)here(a)->nfrags - 1,
                        f->len - isa_insn[d->id].len};
    a->returns[a->nreturns++] = (Return){place, 0, kind};
}

static int by_offset(const void *x, const void *y)
{
    const Return *a = x, *b = y;
    return as_by_place(&(Border){a->place.sect, a->offset}, &(Border){b->place.sect, b->offset});
}

void as_warn_of_lost_returns(Asm *a, const Border *borders, size_t n)
{
    Return *r = a->returns;
    /* 1. in order */
    for (size_t i = 0; i < a->nreturns; i++)
        r[i].offset = a->sects[r[i].place.sect].frags[r[i].place.frag].addr + r[i].place.offset;
    if (a->nreturns)
        qsort(r, a->nreturns, sizeof *r, by_offset);
    /* 2. function by function: a call, then a return, and nothing else touches ra */
    for (size_t i = 0, next; i < a->nreturns; i = next) {
        const u32 sect = r[i].place.sect;
        const u64 end = as_next_border(a, borders, n, sect, r[i].offset);
        bool lost = false, kept = false;
        const Return *taken = NULL;
        for (next = i; next < a->nreturns && r[next].place.sect == sect && r[next].offset < end;
             next++) {
            lost = lost || r[next].kind == RETURN_LOST;
            kept = kept || r[next].kind == RETURN_KEPT;
            if (lost && !taken && r[next].kind == RETURN_TAKEN)
                taken = &r[next];
        }
        if (taken && !kept)
            as_warn_at(a, (Place){taken->place.src, taken->place.text},
                       "a call before this has overwritten ra, which nothing saved: "
                       "this returns behind that call, for ever");
    }
}

/* --- the end ------------------------------------------------------------------------------- */

void as_note_end(const Asm *a, Frag *f, const Draft *d, const IsaFacts *facts)
{
    const bool jumps = facts->control == CONTROL_JUMP || facts->control == CONTROL_JUMP_REG;
    const bool ends = facts->control == CONTROL_EXIT || facts->control == CONTROL_TRAP ||
                      (jumps && d->value[0] == 0); /* else it is a call */
    f->last = (Place){a->src, d->where};
    f->last_end = f->len;
    f->is_open = !ends;
}

SEARCH_BEFORE(frag_is_below, Frag, u64, e->addr < *key)

/* the last fragment with bytes before a place; NULL: there is none */
static const Frag *frag_before(const Sect *s, u64 offset)
{
    size_t lo = search_count(s->frags, s->nfrags, sizeof *s->frags, frag_is_below, &offset);
    while (lo && (!s->frags[lo - 1].size || s->frags[lo - 1].kind == FRAG_ALIGN))
        lo--;
    return lo ? &s->frags[lo - 1] : NULL;
}

void as_warn_of_open_ends(Asm *a)
{
    for (size_t i = 0; i < a->nkernels; i++) {
        const Kernel *k = &a->kernels[i];
        const Sym *s = sym_of(a, k->symbol);
        const Frag *f = as_is_code_label(a, s) ? frag_before(&a->sects[s->sect], k->end) : NULL;
        if (f && f->addr >= k->start && f->is_open && f->last_end == f->len)
            as_warn_at(a, f->last,
                       "'%.*s' ends here without `ret': what stands behind it is executed next",
                       (int)s->len, s->name);
    }
}
