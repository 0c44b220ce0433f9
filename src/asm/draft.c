/* draft.c -- checks an instruction, puts the prefix that it needs, and its word.
 *
 * Registers above 31 and wide immediates need upper bits in a prefix.  If the text has a prefix
 * before the instruction, that one counts: names above 31 must agree with it, names below stand for
 * the field. Otherwise a regext or regexti is put in front.
 */
#include "asm/job.h"
#include <elf.h>
#include <string.h>

typedef struct {
    Asm *a;
    const Draft *d;
    Insn in;
    IsaPrefix need; /* upper bits that the operands ask for */
} Checker;

/* --- registers ----------------------------------------------------------------------- */

static char letter_of(const OperandInfo *o) { return o->kind == K_VREG ? 'v' : 'x'; }

/* the upper three bits of a register go to the slot that its operand has */
static void set_slot(IsaPrefix *p, IsaSlot slot, u8 bits)
{
    switch (slot) {
    case SLOT_NONE: break;
    case SLOT_XD: p->xd = bits; break;
    case SLOT_X1: p->x1 = bits; break;
    case SLOT_X2: p->x2 = bits; break;
    case SLOT_X3: p->x3 = bits; break;
    case SLOT_X3D: p->x3 = p->xd = bits; break; /* whichever the machine looks at */
    }
    p->valid = p->valid || bits;
}

static bool reg(Checker *c, int i, OperandId operand, i64 n)
{
    const OperandInfo *o = &isa_operand[operand];
    const char *at = c->d->at[i];
    i64 min, max, step;
    isa_range(operand, &min, &max, &step);
    c->in.opd[i] = (i32)(n & max);
    if (n <= max)
        return true;
    if (o->slot == SLOT_NONE)
        return as_fail(c->a, at, "%c%d cannot stand here: %c0 to %c%d can", letter_of(o), (int)n,
                       letter_of(o), letter_of(o), (int)max);
    if (c->a->prefix.valid) {
        const int means = isa_extend(&c->a->prefix, operand, (int)(n & 31));
        return means == n || as_refuse(c->a, at, "the prefix before this makes it %c%d, not %c%d",
                                       letter_of(o), means, letter_of(o), (int)n);
    }
    if (c->a->opt.no_prefix)
        return as_refuse(c->a, at, "%c%d needs a prefix in front", letter_of(o), (int)n);
    set_slot(&c->need, (IsaSlot)o->slot, (u8)(n >> 5));
    return true;
}

/* --- numbers ---------------------------------------------------------------------------- */

enum { WIDE_MIN = -1024, WIDE_MAX = 1023 }; /* eleven bits, with regexti */

static bool out_of_range(const Checker *c, int i, i64 min, i64 max, i64 step)
{
    const i64 delta = c->d->delta, v = c->d->value[i] - delta;
    return as_fail(c->a, c->d->at[i], "%lld does not fit: %s%lld to %lld", (long long)v,
                   step > 1 ? "even numbers from " : "", (long long)(min - delta),
                   (long long)(max - delta));
}

/* five bits, or eleven with a regexti */
static bool wide_immediate(Checker *c, int i, OperandId operand, i64 v, i64 min, i64 max)
{
    Asm *a = c->a;
    const i32 field = (i32)sign_extend((u64)v & 31, 5);
    if (!isa_operand[operand].sgn || v < WIDE_MIN || v > WIDE_MAX)
        return out_of_range(c, i, isa_operand[operand].sgn ? WIDE_MIN : min,
                            isa_operand[operand].sgn ? WIDE_MAX : max, 1);
    c->in.opd[i] = field;
    if (a->prefix.valid) {
        const i32 means = isa_extend_imm(&a->prefix, operand, field);
        return means == v ||
               as_refuse(a, c->d->at[i], "with the prefix before this it is %d, not %d", means,
                         (int)v);
    }
    if (a->opt.no_prefix)
        return out_of_range(c, i, min, max, 1);
    c->need.valid = c->need.has_imm = true;
    c->need.immhi = (u8)((u32)v >> 5 & 63);
    return true;
}

static bool number(Checker *c, int i, OperandId operand)
{
    const OperandInfo *o = &isa_operand[operand];
    i64 min, max, step;
    isa_range(operand, &min, &max, &step);
    i64 v = c->d->value[i];
    if (min < 0 && v >= 0x80000000 && v <= 0xffffffff)
        v -= 0x100000000; /* a 32-bit word in hexadecimal is the negative number it is to the
                             machine */
    if (o->kind == K_IMMZ && v >= 0 && v <= 31) { /* zero-extended when executed */
        c->in.opd[i] = (i32)sign_extend((u64)v, 5);
        return true;
    }
    if (v < min || v > max) {
        if (o->kind == K_IMMX || o->kind == K_IMMZ)
            return wide_immediate(c, i, operand, v, min, max);
        return out_of_range(c, i, min, max, step);
    }
    if (v % step)
        return out_of_range(c, i, min, max, step);
    c->in.opd[i] = (i32)v;
    return true;
}

static bool check_operand(Checker *c, int i, OperandId operand)
{
    switch ((OperandKind)isa_operand[operand].kind) {
    case K_XREG:
    case K_XRAW:
    case K_VREG: return reg(c, i, operand, c->d->value[i]);
    case K_HIDE: c->in.opd[i] = 0; return true;
    default: return number(c, i, operand);
    }
}

/* Warns of operands that are allowed but hardly meant. */
static void warn_about(const Checker *c, int i, OperandId operand)
{
    const i64 v = c->d->value[i];
    const OperandInfo *o = &isa_operand[operand];
    if (c->a->dump.active || c->d->symbolic == i)
        return;
    if (o->kind == K_IMM12 && v > 2047)
        as_warn(c->a, c->d->at[i], "%d is executed as %d", (int)v, (int)v - 4096);
    if (o->kind == K_IMMZ && v < 0 && v >= -16 && !c->a->prefix.has_imm)
        as_warn(c->a, c->d->at[i], "%d is executed as %d: this immediate is zero-extended", (int)v,
                (int)v & 31);
}

/* --- words ------------------------------------------------------------------------------- */

bool as_put_prefix(Asm *a, const IsaPrefix *need)
{
    u64 word;
    if (!need->valid)
        return true;
    if (need->has_imm && (need->x1 || need->x3))
        bug("no prefix has rs1 or rs3 and a number");
    const int imm = need->has_imm ? need->xd | need->x2 << 3 | need->immhi << 6
                                  : need->xd | need->x1 << 3 | need->x2 << 6 | need->x3 << 9;
    Insn in = {.id = need->has_imm ? I_regexti : I_regext};
    in.opd[isa_find_operand(in.id, O_imm12)] = (i32)sign_extend((u64)imm, 12);
    if (!isa_encode(&in, &word, NULL))
        bug("prefix does not encode");
    return as_put_int(a, word, 4);
}

/* Aligns words of 64 bits to multiples of 8, unless a listing says where they are. */
static bool align_word(Asm *a, int len)
{
    Sect *s = here(a);
    if (s->align < 4)
        s->align = 4;
    if (len == 4 || a->dump.active)
        return true;
    if (s->align < 8)
        s->align = 8;
    return as_new_pad(a, FRAG_ALIGN, &(Pad){.align = 8, .place = {a->src, a->p}});
}

/* Bytes from the end of the section to a label, if that cannot change any more. */
static bool known_distance(Asm *a, const Expr *e, i64 *d)
{
    const Sym *s = sym_of(a, e->plus);
    const Frag *f = as_data(a);
    if (!f || !e->plus || e->minus || e->tree || s->kind != SYM_LABEL || !s->is_local ||
        s->sect != a->sect)
        return false;
    const Frag *g = &here(a)->frags[s->frag];
    *d = (i64)g->base + s->offset + e->k - ((i64)f->base + f->len);
    return f->since == g->since;
}

static bool put_word(Asm *a, const Draft *d, u64 word, const IsaPrefix *prefix)
{
    const int len = isa_insn[d->id].len;
    Frag *f = as_data(a);
    if (!f || !as_put_int(a, word, len))
        return false;
    f->has_code = true;
    as_note_use(a, f, d, prefix);
    if (d->symbolic < 0)
        return true;
    Fixup *x = as_fix(a, (FixKind)d->fix, (u32)len, &d->expr, d->at[d->symbolic]);
    if (!x)
        return false;
    x->operand = isa_format_of(d->id)->opd[d->symbolic];
    x->is_address = d->is_address;
    return true;
}

/* A branch is a fragment of its own: it may grow. */
static bool put_branch(Asm *a, const Draft *d, u64 word, const IsaPrefix *prefix)
{
    Sect *s = here(a);
    const Frag *last = as_data(a);
    if (!last || (last->len && !as_new_frag(a, FRAG_DATA)) || !put_word(a, d, word, prefix))
        return false;
    Frag *f = &s->frags[s->nfrags - 1];
    f->kind = FRAG_BRANCH;
    f->fixup = (u32)s->nfixups - 1;
    return true;
}

/* Finishes a branch at once if its distance is known already, as of one back. */
static bool resolve_early(Asm *a, Draft *d, Insn *in)
{
    const OperandId operand = (OperandId)isa_format_of(d->id)->opd[d->symbolic];
    i64 distance, min, max, step;
    if (!known_distance(a, &d->expr, &distance))
        return false;
    isa_range(operand, &min, &max, &step);
    if (distance < min || distance > max || distance % step)
        return false;
    in->opd[d->symbolic] = (i32)distance;
    d->symbolic = -1;
    return true;
}

static bool put_checked(Asm *a, Draft *d, Insn *in)
{
    const IsaPrefix prefix = a->prefix;
    u64 word;
    if (d->symbolic >= 0 && (d->fix == FIX_BRANCH || d->fix == FIX_JAL) && !d->is_address)
        resolve_early(a, d, in);
    if (!isa_encode(in, &word, NULL))
        bug("%s: a checked operand does not fit", isa_insn[in->id].text);
    const bool may_grow = d->symbolic >= 0 && d->fix == FIX_BRANCH && !d->is_address &&
                          !a->opt.no_relax && !a->dump.active;
    if (may_grow ? !put_branch(a, d, word, &prefix) : !put_word(a, d, word, &prefix))
        return false;
    a->has_code = true;
    a->prefix = (IsaPrefix){0};
    if (isa_is_prefix(in->id))
        a->prefix = isa_prefix(in);
    return true;
}

bool as_put_draft(Asm *a, const Draft *draft)
{
    Checker c = {.a = a, .d = draft, .in = {.id = draft->id}};
    Draft d = *draft;
    if (here(a)->type == SHT_NOBITS)
        return as_refuse(a, d.where, "section %.*s holds zeros only", (int)here(a)->len,
                         here(a)->name);
    const FormatInfo *f = isa_format_of(d.id);
    for (int i = 0; i < f->nopd; i++)
        if (!check_operand(&c, i, (OperandId)f->opd[i]))
            return false;
    for (int i = 0; i < f->nopd; i++)
        warn_about(&c, i, (OperandId)f->opd[i]);
    const bool is_call = d.symbolic >= 0 && isa_insn[d.id].effect == E_JAL && d.value[0] != 0;
    if (is_call && d.expr.plus)
        sym_of(a, d.expr.plus)->is_called = true;
    const IsaPrefix written = a->prefix;
    if (!align_word(a, isa_insn[d.id].len))
        return false;
    if (a->opt.lines)
        as_note_place(a, d.where);
    if (!as_put_prefix(a, &c.need))
        return false;
    a->prefix = written.valid ? written : c.need;
    if (!put_checked(a, &d, &c.in))
        return false;
    if (d.symbolic >= 0)
        here(a)->fixups[here(a)->nfixups - 1].has_prefix = c.need.valid;
    return true;
}
