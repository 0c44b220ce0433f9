/* fixup.c -- fills in what was left open while reading: with bits where the value is known now,
 * with a relocation where only the linker knows it.
 *
 * Requires layout and the sections' bytes in the object.
 */
#include "asm/job.h"
#include "base/search.h"
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- kinds ------------------------------------------------------------------------------- */

/* reloc: for a symbol; add, sub: for the difference of two.  0: there is none. */
static const struct {
    u8 bytes, reloc, add, sub;
} kinds[NFIX] = {
    [FIX_8] = {1, 0, R_RISCV_ADD8, R_RISCV_SUB8},
    [FIX_16] = {2, 0, R_RISCV_ADD16, R_RISCV_SUB16},
    [FIX_32] = {4, R_RISCV_32, R_RISCV_ADD32, R_RISCV_SUB32},
    [FIX_64] = {8, R_RISCV_64, R_RISCV_ADD64, R_RISCV_SUB64},
    [FIX_HI] = {4, R_RISCV_HI20, 0, 0},
    [FIX_LO_I] = {4, R_RISCV_LO12_I, 0, 0},
    [FIX_LO_S] = {4, R_RISCV_LO12_S, 0, 0},
    [FIX_PCHI] = {4, R_RISCV_PCREL_HI20, 0, 0},
    [FIX_PCLO_I] = {4, R_RISCV_PCREL_LO12_I, 0, 0},
    [FIX_PCLO_S] = {4, R_RISCV_PCREL_LO12_S, 0, 0},
    [FIX_BRANCH] = {4, R_RISCV_BRANCH, 0, 0},
    [FIX_JAL] = {4, R_RISCV_JAL, 0, 0},
    [FIX_CALL] = {8, R_RISCV_CALL_PLT, 0, 0},
};

enum { PCREL32 = 57 /* R_RISCV_32_PCREL */ };

typedef struct {
    Asm *a;
    Sect *s;
    Fixup *x;
    u8 *bytes; /* of the section, at the fixup; NULL: it has none */
    u64 addr;  /* offset in the section */
    Value v;
} Fixing;

/* --- bytes and bits ---------------------------------------------------------------------- */

static u64 get(const u8 *p, int bytes)
{
    u64 v = 0;
    for (int i = bytes; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static void put(u8 *p, u64 v, int bytes)
{
    for (int i = 0; i < bytes; i++, v >>= 8)
        p[i] = (u8)v;
}

static void put_operand(u8 *p, OperandId operand, i64 value, int bytes)
{
    u64 word = get(p, bytes);
    isa_put(operand, (i32)value, &word);
    put(p, word, bytes);
}

static i64 upper(i64 v) { return (v + 0x800) >> 12 & 0xfffff; }
static i64 lower(i64 v) { return sign_extend((u64)v, 12); }

/* --- relocations ----------------------------------------------------------------------------- */

static void add_reloc(Asm *a, Sect *s, u64 offset, u32 type, u32 symbol, i64 addend)
{
    if (!array_grow(s->relocs, s->nrelocs, s->caprelocs)) {
        as_no_memory(a);
        return;
    }
    if (symbol)
        sym_of(a, symbol)->is_used = true;
    s->relocs[s->nrelocs] = (Reloc){(u32)offset, type, symbol, (i32)addend, (u32)s->nrelocs};
    s->nrelocs++;
}

/* A label of this file cannot come from another one. */
static bool is_defined(const Fixing *f, u32 symbol)
{
    const Sym *s = sym_of(f->a, symbol);
    const char *similar;
    char buf[64], other[64];
    if (!s->is_local || s->kind != SYM_UNDEF)
        return true;
    as_symbol_name(f->a, symbol, buf);
    const u32 like = s->name ? as_similar(f->a, s->name, s->len) : 0;
    similar = like ? as_symbol_name(f->a, like, other) : NULL;
    as_error_at(f->a, f->x->place, "there is no label '%s'%s%s%s", buf,
                similar ? "; did you mean '" : "", similar ? similar : "", similar ? "'?" : "");
    return false;
}

static void relocate(Fixing *f, u32 symbol, i64 addend)
{
    if (is_defined(f, symbol))
        add_reloc(f->a, f->s, f->addr, kinds[f->x->kind].reloc, symbol, addend);
}

/* whether the value is a place in this section that no other file can replace */
static bool is_here(const Fixing *f)
{
    const Sym *s = sym_of(f->a, f->v.plus);
    return f->v.plus && !f->v.minus && s->kind == SYM_LABEL && &f->a->sects[s->sect] == f->s &&
           s->bind != STB_WEAK;
}

/* from the fixup to the place it refers to, which is_here() */
static i64 distance(const Fixing *f)
{
    return (i64)as_label_offset(f->a, sym_of(f->a, f->v.plus)) + f->v.k - (i64)f->addr;
}

/* --- numbers --------------------------------------------------------------------------------- */

static void undefined(Fixing *f)
{
    char buf[64], other[64];
    const Sym *s = sym_of(f->a, f->v.plus);
    const bool is_address = s->kind != SYM_UNDEF;
    as_symbol_name(f->a, f->v.plus, buf);
    if (is_address) {
        as_error_at(f->a, f->x->place, "'%s' is an address; %%lo(%s) may fit here", buf, buf);
        return;
    }
    const u32 like = s->name ? as_similar(f->a, s->name, s->len) : 0;
    if (like)
        as_error_at(f->a, f->x->place, "'%s' is not defined; did you mean '%s'?", buf,
                    as_symbol_name(f->a, like, other));
    else
        as_error_at(f->a, f->x->place, "'%s' is not defined", buf);
}

static bool in_range(Fixing *f, i64 v, i64 min, i64 max, i64 step)
{
    if (v >= min && v <= max && v % step == 0)
        return true;
    as_error_at(f->a, f->x->place, "%" PRId64 " does not fit: %s%" PRId64 " to %" PRId64, v,
                step > 1 ? "even numbers from " : "", min, max);
    return false;
}

static void fix_number(Fixing *f)
{
    const OperandId operand = (OperandId)f->x->operand;
    i64 min, max, step, v = f->v.k;
    if (f->v.plus || f->v.minus) {
        if (f->v.plus && !f->v.minus)
            undefined(f);
        else
            as_error_at(f->a, f->x->place, "this is not known before linking");
        return;
    }
    isa_range(operand, &min, &max, &step);
    if (min < 0 && v >= 0x80000000 && v <= 0xffffffff)
        v -= 0x100000000;
    if (in_range(f, v, min, max, step))
        put_operand(f->bytes, operand, v, 4);
}

/* --- data ----------------------------------------------------------------------------- */

/* a symbol less a place in this section, as the distance from here */
static bool fix_relative(Fixing *f)
{
    const Sym *m = sym_of(f->a, f->v.minus);
    if (f->x->kind != FIX_32 || m->kind != SYM_LABEL || &f->a->sects[m->sect] != f->s)
        return false;
    const i64 addend = f->v.k + (i64)f->addr - (i64)as_label_offset(f->a, m);
    if (is_defined(f, f->v.plus))
        add_reloc(f->a, f->s, f->addr, PCREL32, f->v.plus, addend);
    return true;
}

static void fix_data(Fixing *f)
{
    const int bytes = kinds[f->x->kind].bytes;
    const Value v = f->v;
    if (!v.plus && !v.minus) {
        const bool fits =
            bytes == 8 || (v.k >= -((i64)1 << (8 * bytes - 1)) && v.k < (i64)1 << 8 * bytes);
        if (!fits)
            as_error_at(f->a, f->x->place, "%" PRId64 " does not fit in %d byte%s", v.k, bytes,
                        bytes == 1 ? "" : "s");
        else
            put(f->bytes, (u64)v.k, bytes);
    } else if (!v.plus) {
        as_error_at(f->a, f->x->place, "an address cannot be taken away from a number");
    } else if (v.minus) {
        if (fix_relative(f) || !is_defined(f, v.plus) || !is_defined(f, v.minus))
            return;
        add_reloc(f->a, f->s, f->addr, kinds[f->x->kind].add, v.plus, v.k);
        add_reloc(f->a, f->s, f->addr, kinds[f->x->kind].sub, v.minus, 0);
    } else if (!kinds[f->x->kind].reloc) {
        as_error_at(f->a, f->x->place, "an address takes 4 bytes");
    } else {
        relocate(f, v.plus, v.k);
    }
}

static void fix_leb(Fixing *f)
{
    u8 bytes[10];
    const int room = (int)f->s->frags[f->x->frag].size;
    const bool is_signed = f->x->kind == FIX_SLEB;
    if (f->v.plus || f->v.minus) {
        as_error_at(f->a, f->x->place, "this is not known before linking");
        return;
    }
    int n = as_leb(f->v.k, is_signed, bytes);
    for (; n < room; n++) { /* a longer way to write the same */
        bytes[n - 1] |= 128;
        bytes[n] = is_signed && f->v.k < 0 ? 127 : 0;
    }
    memcpy(f->bytes, bytes, (size_t)n);
}

/* --- targets -------------------------------------------------------------------------- */

static void fix_target(Fixing *f)
{
    const OperandId operand = (OperandId)f->x->operand;
    i64 min, max, step, d;
    if (f->x->is_address)
        d = (i32)((u32)f->v.k - f->s->addr - (u32)f->addr); /* addresses wrap around */
    else if (!f->v.plus && !f->v.minus)
        d = f->v.k;
    else if (is_here(f))
        d = distance(f);
    else if (f->v.plus && !f->v.minus) {
        relocate(f, f->v.plus, f->v.k);
        return;
    } else {
        as_error_at(f->a, f->x->place, "this is no place that can be jumped to");
        return;
    }
    isa_range(operand, &min, &max, &step);
    if (d < min || d > max || d % step)
        as_error_at(f->a, f->x->place,
                    "the target is %" PRId64 " bytes away; %" PRId64 " to %" PRId64
                    " in steps of %d can be reached",
                    d, min, max, (int)step);
    else
        put_operand(f->bytes, operand, d, 4);
}

/* the fixup of a branch that was made long: the inverted one skips a jump */
static void fix_long_branch(Fixing *f)
{
    enum { INVERT = 0x1000 }; /* funct3 of a condition and of its opposite differ in bit 0 */
    u64 word = get(f->bytes, 4) ^ INVERT;
    isa_put(O_relB, 8, &word);
    put(f->bytes, word, 4);
    put(f->bytes + 4, isa_insn[I_jal].match, 4);
    f->bytes += 4;
    f->addr += 4;
    f->x->kind = FIX_JAL;
    f->x->operand = O_relJ;
    fix_target(f);
}

/* --- addresses in two parts ----------------------------------------------------------- */

/* Whether the value is "symbol + number", the only form allowed here; if not, reports that. */
static bool is_symbol(Fixing *f)
{
    if (f->v.plus && !f->v.minus)
        return true;
    as_error_at(f->a, f->x->place, "a symbol is needed here, with or without a number");
    return false;
}

static void fix_absolute(Fixing *f)
{
    const OperandId operand = (OperandId)f->x->operand;
    if (!f->v.plus && !f->v.minus)
        put_operand(f->bytes, operand, f->x->kind == FIX_HI ? upper(f->v.k) : lower(f->v.k), 4);
    else if (is_symbol(f))
        relocate(f, f->v.plus, f->v.k);
}

static void fix_upper(Fixing *f)
{
    if (!is_symbol(f))
        return;
    if (is_here(f)) {
        put_operand(f->bytes, O_uimm20, upper(distance(f)), 4);
        f->x->done = true;
    } else {
        relocate(f, f->v.plus, f->v.k);
    }
}

/* auipc and jalr: one relocation for both words */
static void fix_far(Fixing *f)
{
    if (!is_symbol(f))
        return;
    if (is_here(f)) {
        put_operand(f->bytes, O_uimm20, upper(distance(f)), 4);
        put_operand(f->bytes + 4, O_imm12, lower(distance(f)), 4);
    } else {
        relocate(f, f->v.plus, f->v.k);
    }
}

SEARCH_BEFORE(is_before_label, Fixup, Sym,
              e->frag < key->frag || (e->frag == key->frag && e->offset < key->offset))

/* The %pcrel_hi at a label, or after a prefix that we put there; NULL: none. */
static Fixup *find_upper(Asm *a, u32 label)
{
    const Sym *l = sym_of(a, label);
    Sect *s = &a->sects[l->sect];
    const size_t lo = search_count(s->fixups, s->nfixups, sizeof *s->fixups, is_before_label, l);
    if (lo == s->nfixups || s->fixups[lo].kind != FIX_PCHI)
        return NULL;
    const u64 addr = s->frags[s->fixups[lo].frag].addr + s->fixups[lo].offset;
    const u64 past = addr - as_label_offset(a, l);
    return past == 0 || (past == 4 && s->fixups[lo].has_prefix) ? &s->fixups[lo] : NULL;
}

/* a label where the fixup is: the one that was written, if it is there */
static u32 label_of(Asm *a, u32 written, u32 sect, const Fixup *x)
{
    const u32 frag = x->frag, offset = x->offset;
    const u64 addr = a->sects[sect].frags[frag].addr + offset;
    if (as_label_offset(a, sym_of(a, written)) == addr)
        return written;
    const u32 id = as_label_here(a);
    if (id) {
        Sym *s = sym_of(a, id);
        s->sect = sect;
        s->frag = frag;
        s->offset = offset;
    }
    return id;
}

static void fix_lower(Fixing *f)
{
    const Sym *label = sym_of(f->a, f->v.plus);
    const char *why;
    if (!is_symbol(f) || !is_defined(f, f->v.plus))
        return;
    const u32 sect = label->sect;
    Fixup *x = label->kind == SYM_LABEL && !f->v.k ? find_upper(f->a, f->v.plus) : NULL;
    if (!x) {
        as_error_at(f->a, f->x->place,
                    "%%pcrel_lo refers to the label of an auipc with %%pcrel_hi");
        return;
    }
    if (!x->done) {
        const u32 at = label_of(f->a, f->v.plus, sect, x);
        if (at)
            relocate(f, at, 0);
        return;
    }
    /* resolved: the same distance, from the auipc */
    Fixing of_upper = {.a = f->a,
                       .s = &f->a->sects[sect],
                       .x = x,
                       .addr = f->a->sects[sect].frags[x->frag].addr + x->offset};
    if (as_eval(f->a, &x->expr, &of_upper.v, &why))
        put_operand(f->bytes, (OperandId)f->x->operand, lower(distance(&of_upper)), 4);
}

/* --- all of them ---------------------------------------------------------------------- */

static void fix(Fixing *f)
{
    switch ((FixKind)f->x->kind) {
    case FIX_8:
    case FIX_16:
    case FIX_32:
    case FIX_64: fix_data(f); return;
    case FIX_LEB:
    case FIX_SLEB: fix_leb(f); return;
    case FIX_IMM: fix_number(f); return;
    case FIX_HI:
    case FIX_LO_I:
    case FIX_LO_S: fix_absolute(f); return;
    case FIX_PCHI: fix_upper(f); return;
    case FIX_PCLO_I:
    case FIX_PCLO_S: fix_lower(f); return;
    case FIX_BRANCH:
        if (f->s->frags[f->x->frag].kind == FRAG_BRANCH && f->s->frags[f->x->frag].is_long)
            fix_long_branch(f);
        else
            fix_target(f);
        return;
    case FIX_JAL: fix_target(f); return;
    case FIX_CALL: fix_far(f); return;
    case NFIX: break;
    }
    bug("fixup kind %d", f->x->kind);
}

/* `lower` of the pairs: their upper halves are resolved before */
static void resolve_section(Asm *a, u32 index, Buf *data, bool is_lower)
{
    for (size_t i = 0; i < a->sects[index].nfixups; i++) {
        Sect *s = &a->sects[index];
        Fixup *x = &s->fixups[i];
        const char *why;
        if ((x->kind == FIX_PCLO_I || x->kind == FIX_PCLO_S) != is_lower)
            continue;
        Fixing f = {.a = a, .s = s, .x = x, .addr = s->frags[x->frag].addr + x->offset};
        f.bytes = s->type == SHT_NOBITS ? NULL : data->data + f.addr;
        if (!as_eval(a, &x->expr, &f.v, &why))
            as_error_at(a, x->place, "%s", why);
        else if (!f.bytes)
            as_error_at(a, x->place, "this section holds zeros only");
        else
            fix(&f);
    }
}

static void resolve_asked(Asm *a, const AskedReloc *r)
{
    Value where, target;
    const char *why;
    Sect *s = &a->sects[r->sect];
    if (!as_eval(a, &r->where, &where, &why) || !as_eval(a, &r->target, &target, &why)) {
        as_error_at(a, r->place, "%s", why);
        return;
    }
    const Sym *label = sym_of(a, where.plus);
    i64 offset = where.k;
    if (where.plus && label->kind == SYM_LABEL && &a->sects[label->sect] == s)
        offset += (i64)as_label_offset(a, label);
    else if (where.plus || where.minus)
        offset = -1;
    if (offset < 0 || offset >= (i64)s->size || target.minus)
        as_error_at(a, r->place, "a relocation is for a place in its section, by one symbol");
    else
        add_reloc(a, s, (u64)offset, r->type, target.plus, target.k);
}

static int by_offset(const void *x, const void *y)
{
    const Reloc *a = x, *b = y;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* --- words of a listing --------------------------------------------------------------- */

static void compare(Asm *a, const Expected *e, const Object *o)
{
    const Sect *s = &a->sects[e->sect];
    const u64 addr = s->frags[e->frag].addr + e->offset;
    const u64 word = get(o->sections[s->index].data.data + addr, e->len);
    if (word != e->word)
        as_warn_at(a, e->place, "this is assembled to %0*" PRIx64 ", the listing has %0*" PRIx64,
                   2 * e->len, word, 2 * e->len, e->word);
}

void as_resolve(Asm *a, Object *o)
{
    for (int is_lower = 0; is_lower < 2; is_lower++)
        for (u32 i = 0; i < a->nsects; i++)
            if (a->sects[i].nfixups && a->sects[i].index >= 0)
                resolve_section(a, i, &o->sections[a->sects[i].index].data, is_lower);
    for (size_t i = 0; i < a->nasked; i++)
        resolve_asked(a, &a->asked[i]);
    for (u32 i = 0; i < a->nsects; i++)
        if (a->sects[i].nrelocs)
            qsort(a->sects[i].relocs, a->sects[i].nrelocs, sizeof(Reloc), by_offset);
    if (!a->had_error)
        for (size_t i = 0; i < a->nexpected; i++)
            compare(a, &a->expected[i], o);
}
