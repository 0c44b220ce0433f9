/* emit.c -- the last step: from laid out fragments, symbols and fixups to an Object.
 *
 * Requires as_layout().  as_emit() has the steps in order. */
#include "asm/job.h"
#include <elf.h>
#include <string.h>

/* --- bytes ------------------------------------------------------------------------------ */

static void put_frag(Asm *a, const Sect *s, const Frag *f, Buf *b)
{
    const Pad *p = &a->pads[f->pad];
    if (f->len) /* else there may be no bytes at all */
        buf_put(b, s->bytes.data + f->bytes, f->len);
    switch ((FragKind)f->kind) {
    case FRAG_DATA: break;
    case FRAG_BRANCH: buf_fill(b, 0, f->size - f->len); break;
    case FRAG_ALIGN:
        if (p->width) {
            buf_fill(b, (u8)p->value, f->size);
        } else { /* code is padded with nops, after what is left of a word */
            static const u8 nop[4] = {0x13};
            buf_fill(b, 0, f->size % 4);
            for (u64 i = 0; i < f->size / 4; i++)
                buf_put(b, nop, sizeof nop);
        }
        break;
    case FRAG_FILL:
        if (p->width == 1 || !p->value)
            buf_fill(b, (u8)p->value, f->size);
        else
            for (u64 done = 0; done < f->size; done++)
                buf_put(b, &(u8){(u8)(p->value >> 8 * (done % p->width))}, 1);
        break;
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

Object *as_emit(Asm *a, const char *name)
{
    Object *o = obj_new(name);
    if (!o) {
        as_no_memory(a);
        return NULL;
    }
    o->set = a->set;
    /* 1. sections that the text mentions or that have bytes */
    for (size_t i = 0; i < a->nsects; i++)
        if ((a->sects[i].is_named || a->sects[i].size) && !emit_section(a, &a->sects[i], o))
            return o;
    /* 2. bits of instructions and data; what is left becomes relocations */
    as_resolve(a, o);
    /* 3. symbols; ELF wants the local ones first */
    for (int global = 0; global < 2; global++)
        for (u32 i = 1; i < a->nsyms; i++) {
            const Sym *s = sym_of(a, i);
            if (is_emitted(s) && (bind_of(s) != STB_LOCAL) == global && !emit_symbol(a, i, o))
                return o;
        }
    /* 4. relocations, which name symbols by their index */
    for (size_t i = 0; i < a->nsects; i++)
        for (size_t k = 0; k < a->sects[i].nrelocs; k++) {
            const Reloc *r = &a->sects[i].relocs[k];
            const u32 symbol = r->symbol ? (u32)sym_of(a, r->symbol)->index : OBJ_NO_SYMBOL;
            if (!obj_add_reloc(o, a->sects[i].index,
                               (ObjReloc){r->offset, r->type, symbol, r->addend})) {
                as_no_memory(a);
                return o;
            }
        }
    /* 5. what the kernels need */
    as_add_resources(a, o);
    return o;
}
