/* use.c -- what an instruction uses, for the resource records. */
#include "asm/job.h"

/* how many registers of 32 bits an operand of a matrix product takes */
static int matrix_registers(const Draft *d, OperandId operand)
{
    static const u8 width[] = {32, 16, 16, 8, 8, 6, 6, 4, 4, 8, 4, 1, 32}; /* by MmaType */
    const OperandKind kind = isa_insn[d->id].effect == E_MMA ? K_MMA : K_MMA64;
    u32 rows, columns, bits;
    Mma m;
    if (!isa_mma(kind, (i32)d->value[0], &m))
        return 1;
    const bool is_a = operand == O_vs1 || operand == O_ws1,
               is_b = operand == O_vs2 || operand == O_ws2;
    rows = is_b ? m.n : m.m;
    columns = is_a || is_b ? m.k : m.n;
    bits = is_a || is_b ? width[m.type] : m.wide ? 32 : 16;
    const u32 in_register = 32 * (32 / bits); /* elements of all lanes */
    return (int)((rows * columns + in_register - 1) / in_register);
}

/* consecutive registers that the operand stands for */
static int span_of(const Draft *d, OperandId operand, const IsaPrefix *p)
{
    switch ((Effect)isa_insn[d->id].effect) {
    case E_MMA:
    case E_MMA64: return matrix_registers(d, operand);
    case E_NARROW:
    case E_WIDEN:
    case E_WIDEN_W:
    case E_WIDEN_MAC:
    case E_FWIDEN:
    case E_FNARROW:
    case E_PAIR:
    case E_LOAD_PAIR:
    case E_STORE_PAIR:
    case E_AMO_PAIR:
    case E_LR_PAIR:
    case E_SC_PAIR:
    case E_VLOAD_12D:
    case E_VSTORE_12D: return 2;
    default: return p->valid && p->memory ? p->words : p->valid && p->pair ? 2 : 1;
    }
}

/* the register that the operand names under the prefix */
static int number_of(i64 value, OperandId operand, const IsaPrefix *p)
{
    return isa_operand[operand].slot == SLOT_NONE ? (int)value
                                                  : isa_extend(p, operand, (int)(value & 31));
}

static void note_vector(Use *u, int last)
{
    if (last >= u->v)
        u->v = (u16)(last + 1);
}

static void note_scalar(Use *u, int first, int last)
{
    u->sp = u->sp || first == 2;
    u->tp = u->tp || first == 4;
    if (last >= u->x)
        u->x = (u16)(last + 1);
}

static void note_operand(Use *u, const Draft *d, int i, OperandId operand, const IsaPrefix *p)
{
    const OperandKind kind = (OperandKind)isa_operand[operand].kind;
    if (kind == K_MASK && !d->value[i])
        note_vector(u, 0);
    if ((kind != K_XREG && kind != K_VREG) || isa_operand[operand].role == ROLE_N)
        return;
    const int n = number_of(d->value[i], operand, p);
    const int last = n + span_of(d, operand, p) - 1;
    if (kind == K_VREG)
        note_vector(u, last > 255 ? 255 : last);
    else
        note_scalar(u, n, last > 63 ? 63 : last);
}

/* A return leaves to a known place; every other jump to a register does not. */
static bool is_indirect(const Draft *d)
{
    return isa_insn[d->id].effect == E_JALR && !d->is_direct &&
           !(d->value[0] == 0 && d->value[1] == 0 && d->value[2] == 1);
}

void as_note_register(Frag *f, int n, bool is_vector)
{
    if (is_vector)
        note_vector(&f->use, n);
    else
        note_scalar(&f->use, n, n);
}

void as_note_use(Frag *f, const Draft *d, const IsaPrefix *p)
{
    const FormatInfo *format = isa_format_of(d->id);
    for (int i = 0; i < format->nopd; i++)
        note_operand(&f->use, d, i, (OperandId)format->opd[i], p);
    if (isa_insn[d->id].effect == E_MERGE)
        note_vector(&f->use, 0);
    f->use.indirect = f->use.indirect || is_indirect(d);
}

bool as_put_unknown(Asm *a, u64 word, int len)
{
    if (!as_put_int(a, word, len))
        return false;
    Frag *f = as_data(a);
    f->has_code = f->use.unknown = a->has_code = true;
    return true;
}
