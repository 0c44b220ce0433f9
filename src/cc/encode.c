/* encode.c -- an allocated module to an object: sections, symbols, bytes, relocations.
 *
 * Each function and each data object has a section of its own, so that the linker can
 * leave out what nobody needs.  Distances within a function are final; all else is left to
 * relocations.
 */
#include "cc/code.h"
#include "obj/notes.h"
#include "base/mem.h"
#include <elf.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    Module *m;
    Object *o;
    u32 *symbol; /* of the object, for each of the module */
    bool failed; /* out of memory */
} Emit;

DataPlace data_place(const Data *d)
{
    if (!d->writable)
        return (DataPlace){".rodata.", false};
    return d->ninit || d->nreloc ? (DataPlace){".data.", false} : (DataPlace){".bss.", true};
}

static i32 add_section(Emit *e, const char *prefix, const char *name, u32 type, u32 flags,
                       u32 align)
{
    Buf full = {0};
    buf_printf(&full, "%s%s", prefix, name);
    const i32 at = full.failed ? -1 : obj_add_section(e->o, buf_text(&full), type, flags, align);
    buf_free(&full);
    e->failed |= at < 0;
    return at;
}

static void add_reloc(Emit *e, i32 section, ObjReloc r)
{
    e->failed |= !obj_add_reloc(e->o, section, r);
}

/* --- symbols ------------------------------------------------------------------------------ */

/* all of them first, undefined; those with a place get it later */
static void add_symbols(Emit *e)
{
    for (size_t i = 0; i < e->m->nsym; i++) {
        const Sym *s = &e->m->sym[i];
        const u8 type = s->kind == SYM_FUNC   ? STT_FUNC
                        : s->kind == SYM_DATA ? STT_OBJECT
                                              : STT_NOTYPE;
        const u8 bind = s->is_local ? STB_LOCAL : s->is_weak ? STB_WEAK : STB_GLOBAL;
        const i32 at = obj_add_symbol(e->o, s->name, OBJ_UNDEF, 0, bind, type);
        e->failed |= at < 0;
        e->symbol[i] = (u32)at;
    }
}

static void define(Emit *e, u32 symbol, i32 section, u32 size)
{
    ObjSymbol *s = &e->o->symbols[e->symbol[symbol]];
    s->section = section;
    s->size = size;
}

/* --- code ---------------------------------------------------------------------------------- */

static void encode(const Code *c, Buf *b, const Insn *in)
{
    u64 bits = 0;
    int bad = 0;
    if (!isa_encode(in, &bits, &bad))
        ir_mistake(c->f->module, "%s: operand %d is %d, in %s", isa_insn[in->id].text, bad,
                   bad >= 0 ? in->opd[bad] : 0, c->f->name);
    const u8 bytes[4] = {(u8)bits, (u8)(bits >> 8), (u8)(bits >> 16), (u8)(bits >> 24)};
    buf_put(b, bytes, sizeof bytes);
}

/* the numbers of registers as their fields hold them */
static Insn without_prefix(const Word *w)
{
    const FormatInfo *f = isa_format_of(w->in.id);
    Insn in = w->in;
    for (int k = 0; k < f->nopd; k++)
        if (isa_operand[f->opd[k]].slot != SLOT_NONE)
            in.opd[k] &= 31;
    return in;
}

static void put_word(const Code *c, Buf *b, const Word *w)
{
    const u32 prefix = word_prefix(w);
    const Insn in = without_prefix(w);
    if (prefix)
        encode(c, b, &(Insn){c->f->module->target->prefix, {0, 0, (i32)sign_extend(prefix, 12)}});
    encode(c, b, &in);
}

static u32 reloc_type(const Code *c, const Word *w)
{
    if (w->fix == FIX_CALL)
        return R_RISCV_CALL_PLT;
    if (w->fix == FIX_HI)
        return R_RISCV_HI20;
    return isa_format_of(w->in.id)->opd[word_fixed_operand(c, w)] == O_st12 ? R_RISCV_LO12_S
                                                                            : R_RISCV_LO12_I;
}

static void put_function(Emit *e, const Code *c)
{
    const i32 section =
        add_section(e, ".text.", c->f->name, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 4);
    if (e->failed)
        return;
    Buf *b = &e->o->sections[section].data;
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        if (word_is_none(w))
            continue;
        put_word(c, b, w);
        if (w->fix == FIX_HI || w->fix == FIX_LO || w->fix == FIX_CALL)
            add_reloc(e, section,
                      (ObjReloc){(u32)b->len - 4, reloc_type(c, w), e->symbol[w->to], w->off});
    }
    e->failed |= b->failed;
    e->o->sections[section].size = (u32)b->len;
    define(e, c->f->symbol, section, (u32)b->len);
}

/* --- data ---------------------------------------------------------------------------------- */

static void put_addresses(Emit *e, const Data *d, i32 section)
{
    for (size_t i = 0; i < d->nreloc; i++)
        add_reloc(e, section,
                  (ObjReloc){d->reloc[i].offset, R_RISCV_32, e->symbol[d->reloc[i].symbol],
                             d->reloc[i].addend});
}

static void put_data(Emit *e, const Data *d)
{
    const DataPlace p = data_place(d);
    const u32 flags = SHF_ALLOC | (d->writable ? SHF_WRITE : 0);
    const i32 section =
        add_section(e, p.prefix, e->m->sym[d->symbol].name, p.zeros ? SHT_NOBITS : SHT_PROGBITS,
                    flags, d->align ? d->align : 1);
    if (e->failed)
        return;
    ObjSection *s = &e->o->sections[section];
    s->size = d->size + (e->m->is_checked ? NOTE_GAP : 0);
    if (!p.zeros) {
        if (d->ninit)
            buf_put(&s->data, d->init, d->ninit);
        buf_fill(&s->data, 0, s->size - d->ninit);
        e->failed |= s->data.failed;
    }
    put_addresses(e, d, section);
    define(e, d->symbol, section, d->size);
}

/* --- records -------------------------------------------------------------------------------- */

static void put_records(Emit *e, const Resource *r)
{
    Resource others = {.form = RES_LONG, .version = 3};
    bool any = false;
    for (size_t i = 0; i < e->m->nfunc; i++) {
        const Func *f = e->m->func[i];
        if (f->is_kernel)
            e->failed |= !resource_add(e->o, f->name, &r[i]);
        else
            others = resource_merge(&others, &r[i]);
        any |= !f->is_kernel;
    }
    if (any)
        e->failed |= !resource_add(e->o, "", &others);
}

/* --- all of it ------------------------------------------------------------------------------- */

static void put_all(Emit *e, const Code *code, const Resource *r, const CcOptions *opt)
{
    Module *m = e->m;
    add_symbols(e);
    for (size_t i = 0; i < m->nfunc && !e->failed; i++)
        put_function(e, &code[i]);
    for (size_t i = 0; i < m->ndata && !e->failed; i++)
        put_data(e, &m->data[i]);
    if (!e->failed)
        put_records(e, r);
    if (!e->failed && opt && opt->lines)
        e->failed |= !lines(m, code, e->symbol, e->o);
    if (!opt || !opt->assembly)
        return;
    for (size_t i = 0; i < m->nfunc; i++)
        asm_function(opt->assembly, &code[i], m->func[i]->is_kernel ? &r[i] : NULL);
    for (size_t i = 0; i < m->ndata; i++)
        asm_data(opt->assembly, m, &m->data[i]);
}

void emit(Module *m, const CcOptions *opt, Object *o, Diag *d)
{
    Emit e = {.m = m, .o = o, .symbol = mem_zalloc(m->nsym + 1, sizeof(u32))};
    Code *code = mem_zalloc(m->nfunc + 1, sizeof *code);
    Resource *r = mem_zalloc(m->nfunc + 1, sizeof *r);
    e.failed = !e.symbol || !code || !r;
    for (size_t i = 0; i < m->nfunc && !e.failed; i++) {
        code[i] = (Code){.f = m->func[i]};
        expand(&code[i]);
        relax(&code[i]);
    }
    e.failed |= m->failed;
    if (!e.failed && needs(m, code, opt, r, d))
        put_all(&e, code, r, opt);
    m->failed |= e.failed;
    mem_free(r);
    mem_free(code);
    mem_free(e.symbol);
}
