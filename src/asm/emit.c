/* emit.c -- the object. */
#include "asm/job.h"
#include <elf.h>
#include <string.h>

/* --- bytes ------------------------------------------------------------------------------ */

static void put_copies(Buf *b, u64 value, int width, u64 size)
{
    if (width == 1 || !value) {
        buf_fill(b, (u8)value, size);
        return;
    }
    for (; size; size -= (u64)width)
        for (int i = 0; i < width; i++)
            buf_put(b, &(u8){(u8)(value >> 8 * i)}, 1);
}

/* code is padded with nops, after what is left of a word */
static void put_nops(Buf *b, u64 size)
{
    static const u8 nop[4] = {0x13};
    buf_fill(b, 0, size % 4);
    for (u64 i = 0; i < size / 4; i++)
        buf_put(b, nop, sizeof nop);
}

static void put_frag(Asm *a, const Sect *s, const Frag *f, Buf *b)
{
    const Pad *p = &a->pads[f->pad];
    if (f->len) /* else there may be no bytes at all */
        buf_put(b, s->bytes.data + f->bytes, f->len);
    switch ((FragKind)f->kind) {
    case FRAG_DATA: break;
    case FRAG_BRANCH: buf_fill(b, 0, f->size - f->len); break;
    case FRAG_ALIGN:
        if (p->width)
            buf_fill(b, (u8)p->value, f->size);
        else
            put_nops(b, f->size);
        break;
    case FRAG_FILL: put_copies(b, p->value, p->width, f->size); break;
    case FRAG_ORG: buf_fill(b, (u8)p->value, f->size); break;
    case FRAG_LEB: buf_fill(b, 0, f->size); break;
    }
}

static bool emit_section(Asm *a, Sect *s, Object *o)
{
    char *name = mem_strndup(s->name, s->len);
    s->index = name ? obj_add_section(o, name, s->type, s->flags, s->align) : -1;
    mem_free(name);
    if (s->index < 0)
        return as_no_memory(a);
    ObjSection *out = &o->sections[s->index];
    out->size = (u32)s->size;
    out->addr = s->addr;
    if (s->type == SHT_NOBITS)
        return true;
    buf_reserve(&out->data, s->size + 1);
    for (size_t i = 0; i < s->nfrags; i++)
        put_frag(a, s, &s->frags[i], &out->data);
    return !out->data.failed || as_no_memory(a);
}

static bool emit_sections(Asm *a, Object *o)
{
    for (size_t i = 0; i < a->nsects; i++)
        if ((a->sects[i].is_named || a->sects[i].size) && !emit_section(a, &a->sects[i], o))
            return false;
    return true;
}

/* --- symbols ----------------------------------------------------------------------------- */

static bool is_emitted(const Sym *s)
{
    switch ((SymKind)s->kind) {
    case SYM_UNDEF: return s->is_used;
    case SYM_LABEL: return !s->is_local || s->is_used;
    case SYM_EQU: return s->bind != STB_LOCAL && !s->is_local;
    case SYM_COMMON: return true;
    }
    bug("symbol kind %d", s->kind);
}

static u8 bind_of(const Sym *s)
{
    return s->kind == SYM_UNDEF && s->bind == STB_LOCAL ? STB_GLOBAL : s->bind;
}

/* the number that e is; 0 and a message if it is none */
static i64 number_of(Asm *a, const Sym *s, const Expr *e, const char *what)
{
    const char *why = "it depends on an address that is not known";
    Value v;
    if (as_eval(a, e, &v, &why) && !v.plus && !v.minus)
        return v.k;
    as_error_at(a, s->place, "the %s of '%.*s' is no number: %s", what, (int)s->len, s->name,
                why ? why : "it depends on an address that is not known");
    return 0;
}

/* an exported .set: a number or another name for a place */
static void equ_value(Asm *a, const Sym *s, ObjSymbol *out)
{
    const char *why;
    Value v;
    const bool ok = as_eval(a, &s->value, &v, &why);
    const Sym *target = sym_of(a, ok ? v.plus : 0);
    out->section = OBJ_ABS;
    out->value = (u32)v.k;
    if (ok && v.plus && !v.minus && target->kind == SYM_LABEL) {
        out->section = a->sects[target->sect].index;
        out->value = (u32)((i64)as_label_offset(a, target) + v.k);
    } else if (!ok || v.plus || v.minus) {
        as_error_at(a, s->place, "'%.*s' stands for nothing in this file", (int)s->len, s->name);
    }
}

static void set_value(Asm *a, const Sym *s, ObjSymbol *out)
{
    switch ((SymKind)s->kind) {
    case SYM_UNDEF: out->section = OBJ_UNDEF; break;
    case SYM_LABEL:
        out->section = a->sects[s->sect].index;
        out->value = (u32)as_label_offset(a, s);
        break;
    case SYM_EQU: equ_value(a, s, out); break;
    case SYM_COMMON:
        out->section = OBJ_COMMON;
        out->value = s->align;
        break;
    }
    if (s->has_size)
        out->size = (u32)number_of(a, s, &s->size, "size");
}

/* names of numeric labels and of our own, as the public LLVM would choose them */
static void put_name(const Sym *s, u32 id, Buf *b)
{
    if (s->type == STT_SECTION)
        buf_str(b, "");
    else if (s->name && !s->is_local)
        buf_printf(b, "%.*s", (int)s->len, s->name);
    else if (!s->name)
        buf_printf(b, ".Lpcrel_hi%u", id);
    else if (*s->name == '.')
        buf_printf(b, "%.*s", (int)s->len, s->name);
    else
        buf_printf(b, ".Ltmp%u", id);
}

static bool emit_symbol(Asm *a, u32 id, Object *o)
{
    Sym *s = sym_of(a, id);
    Buf name = {0};
    put_name(s, id, &name);
    s->index =
        name.failed ? -1 : obj_add_symbol(o, buf_text(&name), OBJ_UNDEF, 0, bind_of(s), s->type);
    buf_free(&name);
    if (s->index < 0)
        return as_no_memory(a);
    set_value(a, s, &o->symbols[s->index]);
    return true;
}

/* ELF wants the local ones first */
static bool emit_symbols(Asm *a, Object *o)
{
    for (int global = 0; global < 2; global++)
        for (u32 i = 1; i < a->nsyms; i++) {
            const Sym *s = sym_of(a, i);
            if (is_emitted(s) && (bind_of(s) != STB_LOCAL) == global && !emit_symbol(a, i, o))
                return false;
        }
    return true;
}

static bool emit_relocs(Asm *a, const Sect *s, Object *o)
{
    for (size_t i = 0; i < s->nrelocs; i++) {
        const Reloc *r = &s->relocs[i];
        const u32 symbol = r->symbol ? (u32)sym_of(a, r->symbol)->index : OBJ_NO_SYMBOL;
        if (!obj_add_reloc(o, s->index, (ObjReloc){r->offset, r->type, symbol, r->addend}))
            return as_no_memory(a);
    }
    return true;
}

Object *as_emit(Asm *a, const char *name)
{
    Object *o = obj_new(name);
    bool ok = o || as_no_memory(a);
    if (ok)
        o->set = a->set;
    ok = ok && emit_sections(a, o);
    if (ok)
        as_resolve(a, o);
    ok = ok && emit_symbols(a, o);
    for (size_t i = 0; ok && i < a->nsects; i++)
        ok = emit_relocs(a, &a->sects[i], o);
    ok = ok && as_add_resources(a, o);
    return o;
}
