/* symbols.c -- global symbols: which object defines each, and its address in the image. */
#include "link/internal.h"
#include <elf.h>
#include <string.h>

/* The names that the public linker script gives; gp points 0x800 into .sdata so that a
 * signed 12-bit offset reaches 4 KiB of it.  tohost and fromhost are in crt0; programs that are
 * linked without it but use them get the same 72 bytes. */
const LinkerSymbol linker_symbols[] = {
    {"__DATA_BEGIN__", ".data", true, false, 0, 0},
    {"__SDATA_BEGIN__", ".sdata", true, false, 0, 0},
    {"__global_pointer$", ".sdata", true, false, 0x800, 0},
    {"_edata", ".sdata", true, true, 0, 0},
    {"edata", ".sdata", false, true, 0, 0},
    {"__bss_start", ".sdata", true, true, 0, 0},
    {"_end", ".bss", true, true, 0, 0},
    {"end", ".bss", false, true, 0, 0},
    {"__BSS_END__", ".bss", true, true, 0, 0},
    {"__eh_frame_start", ".eh_frame", false, false, 0, 0},
    {"__eh_frame_end", ".eh_frame", false, true, 0, 0},
    {"tohost", ".tohost", false, false, 0, 8},
    {"fromhost", ".tohost", false, false, 64, 8},
};
const size_t linker_nsymbols = countof(linker_symbols);

/* --- names --------------------------------------------------------------- */

/* FNV-1a */
static u32 hash_name(const char *s)
{
    u32 h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (u8)*s) * 16777619u;
    return h;
}

/* The slot that holds the name, or the free one where it would go. */
static u32 *find_slot(const Link *l, const char *name)
{
    size_t i = hash_name(name) & (l->hashsize - 1);
    while (l->hash[i] && strcmp(l->globals[l->hash[i] - 1].name, name))
        i = (i + 1) & (l->hashsize - 1);
    return &l->hash[i];
}

Global *link_find(const Link *l, const char *name)
{
    const u32 at = *find_slot(l, name);
    return at ? &l->globals[at - 1] : NULL;
}

static Global *add_name(Link *l, const char *name)
{
    u32 *slot = find_slot(l, name);
    if (*slot)
        return &l->globals[*slot - 1];
    if (!array_grow(l->globals, l->nglobals, l->capglobals))
        return NULL;
    l->globals[l->nglobals] = (Global){.name = name};
    *slot = (u32)++l->nglobals;
    return &l->globals[*slot - 1];
}

/* Twice as many slots as there can be names, so that it need not grow. */
static bool make_hash(Link *l)
{
    size_t names = linker_nsymbols;
    for (size_t i = 0; i < l->n; i++)
        names += l->in[i].o->nsymbols;
    for (l->hashsize = 64; l->hashsize < 2 * names;)
        l->hashsize *= 2;
    l->hash = mem_zalloc(l->hashsize, sizeof *l->hash);
    return l->hash || link_no_memory(l);
}

/* --- definitions --------------------------------------------------------- */

static Definition definition_of(const ObjSymbol *s)
{
    if (s->section == OBJ_UNDEF)
        return DEF_NONE;
    if (s->section == OBJ_COMMON)
        return DEF_COMMON;
    return s->bind == STB_WEAK ? DEF_WEAK : DEF_STRONG;
}

static void merge_commons(Global *g, const ObjSymbol *s)
{
    if (s->size > g->size)
        g->size = s->size;
    if (s->value > g->align)
        g->align = s->value;
}

static void define(Link *l, Global *g, u32 input, u32 symbol)
{
    const ObjSymbol *s = &l->in[input].o->symbols[symbol];
    const Definition how = definition_of(s);
    if (how == DEF_STRONG && g->how == DEF_STRONG)
        error(l->d, &l->in[input].src, NULL, "'%s' is defined here and in %s", g->name,
              l->in[g->input].src.name);
    if (how == DEF_COMMON && g->how <= DEF_COMMON)
        merge_commons(g, s);
    if (how <= g->how)
        return;
    g->how = how;
    g->input = input;
    g->symbol = symbol;
}

static bool read_input(Link *l, u32 input)
{
    Input *in = &l->in[input];
    for (u32 i = 0; i < in->o->nsymbols; i++) {
        const ObjSymbol *s = &in->o->symbols[i];
        in->global[i] = NO_GLOBAL;
        if (s->bind == STB_LOCAL)
            continue;
        Global *g = add_name(l, s->name);
        if (!g)
            return link_no_memory(l);
        in->global[i] = (u32)(g - l->globals);
        define(l, g, input, i);
    }
    return true;
}

static bool define_linker_symbols(Link *l)
{
    for (u32 i = 0; i < linker_nsymbols; i++) {
        const LinkerSymbol *row = &linker_symbols[i];
        if (!row->always && !link_find(l, row->name))
            continue;
        Global *g = add_name(l, row->name);
        if (!g)
            return link_no_memory(l);
        if (g->how == DEF_NONE) {
            g->how = DEF_LINKER;
            g->row = i;
        }
    }
    return true;
}

static void place_commons(Link *l)
{
    for (size_t i = 0; i < l->nglobals; i++) {
        Global *g = &l->globals[i];
        if (g->how != DEF_COMMON)
            continue;
        const u32 align = g->align ? g->align : 1;
        l->commons = align_up(l->commons, align);
        g->offset = (u32)l->commons;
        l->commons += g->size;
        if (align > l->commons_align)
            l->commons_align = align;
    }
}

bool link_resolve(Link *l)
{
    if (!make_hash(l))
        return false;
    for (u32 i = 0; i < l->n; i++)
        if (!read_input(l, i))
            return false;
    if (!define_linker_symbols(l))
        return false;
    place_commons(l);
    return true;
}

/* --- addresses ----------------------------------------------------------- */

bool link_definition(const Link *l, SymbolRef from, SymbolRef *def)
{
    const u32 at = l->in[from.input].global[from.symbol];
    *def = from;
    if (at != NO_GLOBAL) {
        const Global *g = &l->globals[at];
        if (g->how != DEF_WEAK && g->how != DEF_STRONG)
            return false;
        *def = (SymbolRef){g->input, g->symbol};
    }
    return l->in[def->input].o->symbols[def->symbol].section >= 0;
}

static u32 linker_symbol_address(const Link *l, const LinkerSymbol *row)
{
    const Out *out = &l->outs[link_find_out(l, row->out)];
    return out->addr + (row->end ? (u32)out->size : 0) + row->past;
}

static u32 common_address(const Link *l, const Global *g)
{
    return l->outs[link_find_out(l, ".bss")].addr + l->commons_at + g->offset;
}

/* A symbol that is defined by an object, in a section or as a number. */
static AddressState defined_address(const Link *l, SymbolRef at, i32 addend, u32 *addr)
{
    const Input *in = &l->in[at.input];
    const ObjSymbol *s = &in->o->symbols[at.symbol];
    *addr = s->value + (u32)addend;
    if (s->section == OBJ_ABS)
        return ADDRESS_OK;
    if (s->section < 0)
        return ADDRESS_UNDEFINED;
    const Part *p = &in->parts[s->section];
    if (!p->live)
        return ADDRESS_DROPPED;
    /* a section's symbol stands for any place in it, which moves by itself */
    *addr = s->type == STT_SECTION ? cut_offset(p, *addr) : cut_offset(p, s->value) + (u32)addend;
    *addr += link_part_address(l, p);
    return ADDRESS_OK;
}

AddressState link_address(const Link *l, SymbolRef from, i32 addend, u32 *addr)
{
    *addr = (u32)addend;
    if (from.symbol == OBJ_NO_SYMBOL)
        return ADDRESS_OK;
    const Input *in = &l->in[from.input];
    if (in->global[from.symbol] == NO_GLOBAL)
        return defined_address(l, from, addend, addr);
    const Global *g = &l->globals[in->global[from.symbol]];
    switch (g->how) {
    case DEF_NONE:
        return in->o->symbols[from.symbol].bind == STB_WEAK ? ADDRESS_OK : ADDRESS_UNDEFINED;
    case DEF_LINKER: *addr += linker_symbol_address(l, &linker_symbols[g->row]); return ADDRESS_OK;
    case DEF_COMMON: *addr += common_address(l, g); return ADDRESS_OK;
    case DEF_WEAK:
    case DEF_STRONG: break;
    }
    return defined_address(l, (SymbolRef){g->input, g->symbol}, addend, addr);
}

/* --- the symbols of the image -------------------------------------------- */

static bool add_symbol(Link *l, const ObjSymbol *s, i32 section, u32 addr)
{
    const i32 at = obj_add_symbol(l->image, s->name, section, addr, s->bind, s->type);
    if (at < 0)
        return link_no_memory(l);
    l->image->symbols[at].size = s->size;
    return true;
}

/* A symbol defined by an object; those of sections that are not in the image are left
 * out, and the symbols of sections, which no relocation needs any more. */
static bool add_defined(Link *l, SymbolRef at)
{
    const Input *in = &l->in[at.input];
    ObjSymbol s = in->o->symbols[at.symbol];
    u32 addr;
    if (s.type == STT_SECTION || (!*s.name && s.type != STT_FILE) ||
        defined_address(l, at, 0, &addr) != ADDRESS_OK)
        return true;
    if (s.section < 0)
        return add_symbol(l, &s, OBJ_ABS, addr);
    const Part *p = &in->parts[s.section];
    s.size = cut_offset(p, s.value + s.size) - cut_offset(p, s.value);
    return add_symbol(l, &s, p->out, addr);
}

static bool add_global(Link *l, const Global *g)
{
    ObjSymbol s = {.name = (char *)g->name, .bind = STB_GLOBAL, .type = STT_NOTYPE};
    switch (g->how) {
    case DEF_NONE: return true;
    case DEF_LINKER: {
        const LinkerSymbol *row = &linker_symbols[g->row];
        return add_symbol(l, &s, link_find_out(l, row->out), linker_symbol_address(l, row));
    }
    case DEF_COMMON:
        s.type = STT_OBJECT;
        s.size = g->size;
        return add_symbol(l, &s, link_find_out(l, ".bss"), common_address(l, g));
    case DEF_WEAK:
    case DEF_STRONG: break;
    }
    return add_defined(l, (SymbolRef){g->input, g->symbol});
}

static bool set_entry(Link *l)
{
    const char *name = l->opt->entry ? l->opt->entry : "_start";
    const i32 at = obj_find_symbol(l->image, name), text = link_find_out(l, ".text");
    if (at >= 0)
        l->image->entry = l->image->symbols[at].value;
    else if (l->opt->entry)
        error(l->d, &l->src, NULL, "the entry '%s' is not defined", name);
    else if (text < 0)
        error(l->d, &l->src, NULL, "there is no code");
    else
        l->image->entry = l->outs[text].addr;
    return true;
}

/* labels that a compiler or assembler made for itself */
static bool is_temporary(const char *name) { return name[0] == '.' && name[1] == 'L'; }

bool link_symtab(Link *l)
{
    for (u32 i = 0; i < l->n; i++)
        for (u32 k = 0; k < l->in[i].o->nsymbols; k++)
            if (l->in[i].global[k] == NO_GLOBAL && !is_temporary(l->in[i].o->symbols[k].name) &&
                !add_defined(l, (SymbolRef){i, k}))
                return false;
    for (size_t i = 0; i < l->nglobals; i++)
        if (!add_global(l, &l->globals[i]))
            return false;
    return set_entry(l);
}
