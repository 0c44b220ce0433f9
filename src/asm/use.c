/* use.c -- what an instruction uses, for the resource records. */
#include "asm/job.h"
#include "isa/abi.h"

static void note_vector(Use *u, int last)
{
    if (last >= u->v)
        u->v = (u16)(last + 1);
}

static void note_scalar(Use *u, int first, int last)
{
    u->sp = u->sp || first == REG_sp;
    u->tp = u->tp || first == REG_tp;
    if (last >= u->x)
        u->x = (u16)(last + 1);
}

/* A return leaves to a known place; every other jump to a register does not. */
static bool is_indirect(const Draft *d)
{
    return isa_insn[d->id].effect == E_JALR && !d->is_direct &&
           !(d->value[0] == 0 && d->value[1] == 0 && d->value[2] == REG_ra);
}

void as_note_register(Frag *f, int n, bool is_vector)
{
    if (is_vector)
        note_vector(&f->use, n);
    else
        note_scalar(&f->use, n, n);
}

void as_note_use(Asm *a, Frag *f, const Draft *d, const IsaPrefix *p)
{
    const FormatInfo *format = isa_format_of(d->id);
    Insn in = {.id = d->id};
    IsaFacts facts;
    for (int i = 0; i < format->nopd; i++) /* the prefix has the upper bits of registers */
        in.opd[i] =
            (i32)(isa_operand[format->opd[i]].slot == SLOT_NONE ? d->value[i] : d->value[i] & 31);
    isa_facts(&in, p, 0, 0, &facts);
    for (int i = 0; i < facts.nregs; i++) {
        const IsaRegs *r = &facts.reg[i];
        const int last = r->first + r->count - 1;
        if (r->is_vector)
            note_vector(&f->use, last > 255 ? 255 : last);
        else
            note_scalar(&f->use, r->first, last > 63 ? 63 : last);
    }
    f->use.indirect = f->use.indirect || is_indirect(d);
    as_note_return(a, d, &facts);
    as_note_end(a, f, d, &facts);
}

bool as_put_unknown(Asm *a, u64 word, int len)
{
    if (!as_put_int(a, word, len))
        return false;
    Frag *f = as_data(a);
    f->has_code = f->use.unknown = a->has_code = true;
    return true;
}
