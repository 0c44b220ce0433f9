/* elf_write.c -- an Object to the bytes of an ELF file.
 *
 * The file is put together in memory with the structures of <elf.h>; libelf could write it only to
 * a file descriptor.
 *
 *     header | program headers | segments | sections | tables | section headers
 *
 * Segments begin at a multiple of a page, as loaders that map files want.  A section
 * that lies in a segment has its bytes there; the others, and all of an object,
 * follow.  The tables are .rela.NAME for each section with relocations, .symtab,
 * .strtab and .shstrtab.
 */
#include "obj/obj.h"
#include "obj/reloc.h"
#include <elf.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "structures are copied as they are");

enum { PAGE = 0x1000, ALIGN_MAX = 64 }; /* more would only make the file longer */

typedef struct {
    const Object *o;
    Buf file, headers;  /* headers: of sections */
    Buf names, strings; /* contents of .shstrtab and .strtab */
    Buf symbols;
    u32 *index;           /* where symbol i of the object stands in .symtab */
    u32 nlocals;          /* the one that is nothing included */
    u32 nheaders, symtab; /* symtab: number of its header */
} Writer;

static void align_file(Writer *w, size_t align)
{
    buf_fill(&w->file, 0, (size_t)align_up(w->file.len, align) - w->file.len);
}

static u32 add_string(Buf *table, const char *s)
{
    const u32 at = (u32)table->len;
    if (!*s)
        return 0;
    buf_put(table, s, strlen(s) + 1);
    return at;
}

static void add_header(Writer *w, const char *name, Elf32_Shdr h)
{
    h.sh_name = add_string(&w->names, name);
    buf_put(&w->headers, &h, sizeof h);
    w->nheaders++;
}

/* --- what must hold ------------------------------------------------------ */

static const char *fault_of_section(const Object *o, const ObjSection *s)
{
    if (s->data.failed)
        return "out of memory";
    if (s->data.len != (s->type == SHT_NOBITS ? 0 : s->size))
        return "size and contents differ";
    for (size_t i = 0; i < s->nrelocs; i++)
        if (s->relocs[i].symbol != OBJ_NO_SYMBOL && s->relocs[i].symbol >= o->nsymbols)
            return "relocation of a symbol that is not there";
    return NULL;
}

static bool check(const Object *o, Diag *d)
{
    const Source src = {.name = o->name};
    for (size_t i = 0; i < o->nsections; i++) {
        const char *fault = fault_of_section(o, &o->sections[i]);
        if (fault) {
            error(d, &src, NULL, "section %s: %s", o->sections[i].name, fault);
            return false;
        }
    }
    for (size_t i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        if (s->section < OBJ_COMMON || s->section >= (i64)o->nsections) {
            error(d, &src, NULL, "symbol %s: there is no section %d", s->name, s->section);
            return false;
        }
    }
    return true;
}

/* --- contents ------------------------------------------------------------ */

static void put_segments(Writer *w)
{
    const Object *o = w->o;
    size_t headers = w->file.len;
    buf_fill(&w->file, 0, o->nsegments * sizeof(Elf32_Phdr));
    for (size_t i = 0; i < o->nsegments; i++) {
        const ObjSegment *s = &o->segments[i];
        align_file(w, PAGE);
        const Elf32_Phdr h = {.p_type = PT_LOAD,
                              .p_offset = (Elf32_Off)w->file.len,
                              .p_vaddr = s->addr,
                              .p_paddr = s->addr,
                              .p_filesz = (Elf32_Word)s->data.len,
                              .p_memsz = s->memsz,
                              .p_flags = s->flags,
                              .p_align = PAGE};
        buf_put(&w->file, s->data.data, s->data.len);
        if (!w->file.failed)
            memcpy(w->file.data + headers + i * sizeof h, &h, sizeof h);
    }
}

/* Where in the file the section's bytes are, as part of a segment; false: they are in none. */
static bool find_in_segments(const Writer *w, const ObjSection *s, u32 *offset)
{
    const Object *o = w->o;
    u32 at = (u32)align_up(sizeof(Elf32_Ehdr) + o->nsegments * sizeof(Elf32_Phdr), PAGE);
    for (size_t i = 0; i < o->nsegments; i++) {
        const ObjSegment *g = &o->segments[i];
        const u32 past = s->addr - g->addr;
        if (s->flags & SHF_ALLOC && past <= g->data.len && s->data.len <= g->data.len - past) {
            *offset = at + past;
            return true;
        }
        at = (u32)align_up(at + g->data.len, PAGE);
    }
    return false;
}

static void put_section(Writer *w, const ObjSection *s)
{
    Elf32_Shdr h = {.sh_type = s->type,
                    .sh_flags = s->flags,
                    .sh_addr = s->addr,
                    .sh_size = s->size,
                    .sh_addralign = s->align};
    if (!find_in_segments(w, s, &h.sh_offset)) {
        align_file(w, s->align < ALIGN_MAX ? s->align : ALIGN_MAX);
        h.sh_offset = (Elf32_Off)w->file.len;
        buf_put(&w->file, s->data.data, s->data.len);
    }
    if (s->flags & SHF_MERGE && s->flags & SHF_STRINGS)
        h.sh_entsize = 1;
    add_header(w, s->name, h);
}

/* --- tables -------------------------------------------------------------- */

static u16 section_number(i32 section)
{
    switch (section) {
    case OBJ_UNDEF: return SHN_UNDEF;
    case OBJ_ABS: return SHN_ABS;
    case OBJ_COMMON: return SHN_COMMON;
    default: return (u16)(section + 1);
    }
}

static void put_symbol(Writer *w, size_t i)
{
    const ObjSymbol *s = &w->o->symbols[i];
    const Elf32_Sym e = {.st_name = add_string(&w->strings, s->name),
                         .st_value = s->value,
                         .st_size = s->size,
                         .st_info = (u8)ELF32_ST_INFO(s->bind, s->type),
                         .st_shndx = section_number(s->section)};
    w->index[i] = (u32)(w->symbols.len / sizeof e);
    buf_put(&w->symbols, &e, sizeof e);
}

/* ELF wants local symbols first */
static void make_symbols(Writer *w)
{
    buf_fill(&w->symbols, 0, sizeof(Elf32_Sym));
    for (int local = 1; local >= 0; local--) {
        for (size_t i = 0; i < w->o->nsymbols; i++)
            if ((w->o->symbols[i].bind == STB_LOCAL) == local)
                put_symbol(w, i);
        if (local)
            w->nlocals = (u32)(w->symbols.len / sizeof(Elf32_Sym));
    }
}

static void put_relocs(Writer *w, size_t section)
{
    const ObjSection *s = &w->o->sections[section];
    Buf name = {0};
    align_file(w, 4);
    const Elf32_Shdr h = {.sh_type = SHT_RELA,
                          .sh_flags = SHF_INFO_LINK,
                          .sh_offset = (Elf32_Off)w->file.len,
                          .sh_size = (Elf32_Word)(s->nrelocs * sizeof(Elf32_Rela)),
                          .sh_link = w->symtab,
                          .sh_info = (Elf32_Word)section + 1,
                          .sh_addralign = 4,
                          .sh_entsize = sizeof(Elf32_Rela)};
    for (size_t i = 0; i < s->nrelocs; i++) {
        const ObjReloc *r = &s->relocs[i];
        const u32 symbol = r->symbol == OBJ_NO_SYMBOL ? 0 : w->index[r->symbol];
        const Elf32_Rela e = {r->offset, ELF32_R_INFO(symbol, r->type), r->addend};
        buf_put(&w->file, &e, sizeof e);
    }
    buf_printf(&name, ".rela%s", s->name);
    w->file.failed |= name.failed;
    add_header(w, buf_text(&name), h);
    buf_free(&name);
}

static void put_table(Writer *w, const char *name, u32 type, const Buf *bytes)
{
    align_file(w, 4);
    Elf32_Shdr h = {.sh_type = type,
                    .sh_offset = (Elf32_Off)w->file.len,
                    .sh_size = (Elf32_Word)bytes->len,
                    .sh_addralign = 1};
    if (type == SHT_SYMTAB) {
        h.sh_link = w->symtab + 1;
        h.sh_info = w->nlocals;
        h.sh_entsize = sizeof(Elf32_Sym);
        h.sh_addralign = 4;
    }
    buf_put(&w->file, bytes->data, bytes->len);
    add_header(w, name, h);
}

static void put_tables(Writer *w)
{
    const Object *o = w->o;
    w->symtab = w->nheaders;
    for (size_t i = 0; i < o->nsections; i++)
        w->symtab += o->sections[i].nrelocs > 0;
    for (size_t i = 0; i < o->nsections; i++)
        if (o->sections[i].nrelocs)
            put_relocs(w, i);
    put_table(w, ".symtab", SHT_SYMTAB, &w->symbols);
    put_table(w, ".strtab", SHT_STRTAB, &w->strings);
    /* its own name is put first, so that the contents are complete */
    const Elf32_Shdr h = {.sh_type = SHT_STRTAB,
                          .sh_addralign = 1,
                          .sh_offset = (Elf32_Off)w->file.len,
                          .sh_size = (Elf32_Word)(w->names.len + sizeof ".shstrtab")};
    add_header(w, ".shstrtab", h);
    buf_put(&w->file, w->names.data, w->names.len);
}

/* --- the file ------------------------------------------------------------ */

static u32 flags_of(IsaSet set)
{
    u32 flags = set & V2025 ? EF_VENTUS_V2025 : 0;
    flags |= set & AI ? EF_VENTUS_AI : 0;
    flags |= set & TIDX ? EF_VENTUS_TIDX : 0;
    return flags;
}

static Elf32_Ehdr file_header(const Writer *w)
{
    const Object *o = w->o;
    return (Elf32_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
        .e_type = o->is_image ? ET_EXEC : ET_REL,
        .e_machine = EM_RISCV,
        .e_version = EV_CURRENT,
        .e_entry = o->entry,
        .e_flags = flags_of(o->set),
        .e_phoff = o->nsegments ? sizeof(Elf32_Ehdr) : 0,
        .e_shoff = (Elf32_Off)w->file.len,
        .e_ehsize = sizeof(Elf32_Ehdr),
        .e_phentsize = o->nsegments ? sizeof(Elf32_Phdr) : 0,
        .e_phnum = (u16)o->nsegments,
        .e_shentsize = sizeof(Elf32_Shdr),
        .e_shnum = (u16)w->nheaders,
        .e_shstrndx = (u16)(w->nheaders - 1)};
}

static void write_file(Writer *w)
{
    buf_fill(&w->names, 0, 1);
    buf_fill(&w->strings, 0, 1);
    buf_fill(&w->file, 0, sizeof(Elf32_Ehdr));
    add_header(w, "", (Elf32_Shdr){0});
    make_symbols(w);
    put_segments(w);
    for (size_t i = 0; i < w->o->nsections; i++)
        put_section(w, &w->o->sections[i]);
    put_tables(w);
    align_file(w, 4);
    const Elf32_Ehdr h = file_header(w);
    buf_put(&w->file, w->headers.data, w->headers.len);
    if (!w->file.failed)
        memcpy(w->file.data, &h, sizeof h);
}

/* Hands out the file, if its section numbers fit into 16 bits and its offsets into 32. */
static bool deliver(const Writer *w, Buf *out, Diag *d)
{
    const Source src = {.name = w->o->name};
    buf_put(out, w->file.data, w->file.len);
    if (w->file.failed || w->headers.failed || w->names.failed || w->strings.failed ||
        w->symbols.failed || out->failed)
        error(d, &src, NULL, "out of memory");
    else if (w->nheaders >= SHN_LORESERVE)
        error(d, &src, NULL, "%u sections are more than an ELF file can have", w->nheaders);
    else if (w->file.len > UINT32_MAX)
        error(d, &src, NULL, "more than 4 GiB");
    else
        return true;
    return false;
}

bool obj_write(const Object *o, Buf *out, Diag *d)
{
    Writer w = {.o = o, .index = mem_alloc(o->nsymbols * sizeof *w.index)};
    bool ok = check(o, d);
    if (ok && w.index)
        write_file(&w);
    else
        w.file.failed = true;
    ok = ok && deliver(&w, out, d);
    mem_free(w.index);
    Buf *const parts[] = {&w.file, &w.headers, &w.names, &w.strings, &w.symbols};
    for (size_t i = 0; i < countof(parts); i++)
        buf_free(parts[i]);
    return ok;
}
