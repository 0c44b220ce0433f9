/* elf_read.c -- the bytes of an ELF file to an Object.
 *
 * The structures are those of <elf.h>; the reading is our own, because libelf trusts
 * sizes and offsets that a foreign file may lie about.  All access to the file goes
 * through in_file(), read_at() and string_at().
 *
 * The memory that a file can make us use is bounded by its length: the contents of its sections
 * together, and of its segments together, are no longer than the file, and names, which may share
 * bytes, no longer than NAMES_PER_BYTE times that.
 */
#include "obj/obj.h"
#include "obj/reloc.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "structures are copied as they are");

enum { NAMES_PER_BYTE = 16, NAMES_MIN = 1 << 16 };

typedef struct {
    const u8 *bytes;
    size_t len;
    Diag *d;
    Source src; /* the file, in messages */
    Elf32_Ehdr head;
    Elf32_Shdr *sections; /* as in the file */
    u32 nsections, names; /* names: the section with their names */
    i32 *kept;            /* index in o->sections, -1 when not kept */
    u32 symtab;           /* section of symbols, 0: none */
    u64 name_bytes;       /* of the names kept so far */
    Object *o;
} Reader;

#define reject(r, ...) (error((r)->d, &(r)->src, NULL, __VA_ARGS__), false)

static bool out_of_memory(Reader *r) { return diag_no_memory(r->d, &r->src), false; }

static bool in_file(const Reader *r, u64 at, u64 size)
{
    return at <= r->len && size <= r->len - at;
}

static bool read_at(const Reader *r, u64 at, void *to, size_t size)
{
    if (!in_file(r, at, size))
        return false;
    memcpy(to, r->bytes + at, size);
    return true;
}

/* --- header -------------------------------------------------------------- */

static bool read_ident(Reader *r)
{
    const u8 *id = r->head.e_ident;
    if (r->len < SELFMAG || memcmp(r->bytes, ELFMAG, SELFMAG))
        return reject(r, "not an ELF file");
    if (!read_at(r, 0, &r->head, sizeof r->head))
        return reject(r, "truncated: %zu bytes are less than an ELF header", r->len);
    if (id[EI_CLASS] == ELFCLASS64)
        return reject(r, "64-bit ELF; Ventus objects are 32-bit");
    if (id[EI_CLASS] != ELFCLASS32)
        return reject(r, "ELF class %d is unknown", id[EI_CLASS]);
    if (id[EI_DATA] != ELFDATA2LSB)
        return reject(r, "big-endian ELF; Ventus objects are little-endian");
    return true;
}

static bool read_flags(Reader *r)
{
    const u32 known = EF_VENTUS_V2025 | EF_VENTUS_AI | EF_VENTUS_TIDX, flags = r->head.e_flags;
    if (flags & EF_RISCV_RVC)
        return reject(r, "has compressed instructions, which Ventus does not execute "
                         "(for GNU and LLVM: -march=rv32im)");
    if (flags & EF_RISCV_FLOAT_ABI)
        return reject(r, "is for a float register file, which Ventus does not have "
                         "(for GNU and LLVM: -mabi=ilp32)");
    if (flags & ~known)
        return reject(r, "unknown ELF flags 0x%x", flags & ~known);
    r->o->set = flags & EF_VENTUS_V2025 ? V2025 : V202;
    r->o->set |= flags & EF_VENTUS_AI ? AI : 0;
    r->o->set |= flags & EF_VENTUS_TIDX ? TIDX : 0;
    return true;
}

static bool read_header(Reader *r)
{
    const Elf32_Ehdr *h = &r->head;
    if (!read_ident(r))
        return false;
    if (h->e_machine != EM_RISCV)
        return reject(r, "machine %d is not RISC-V (%d)", h->e_machine, EM_RISCV);
    if (h->e_type != ET_REL && h->e_type != ET_EXEC)
        return reject(r, "%s; an object or an executable is wanted",
                      h->e_type == ET_DYN ? "shared object" : "neither object nor executable");
    if (h->e_shoff && h->e_shentsize != sizeof(Elf32_Shdr))
        return reject(r, "section headers of %d bytes, not %zu", h->e_shentsize,
                      sizeof(Elf32_Shdr));
    if (h->e_phnum && h->e_phentsize != sizeof(Elf32_Phdr))
        return reject(r, "program headers of %d bytes, not %zu", h->e_phentsize,
                      sizeof(Elf32_Phdr));
    r->o->is_image = h->e_type == ET_EXEC;
    r->o->entry = h->e_entry;
    return read_flags(r);
}

/* --- strings and contents ------------------------------------------------ */

/* The string at `at` of string table `table`; NULL when there is none. */
static const char *string_at(Reader *r, u32 table, u32 at)
{
    if (table >= r->nsections || r->sections[table].sh_type != SHT_STRTAB)
        return NULL;
    const Elf32_Shdr *s = &r->sections[table];
    if (at >= s->sh_size || !in_file(r, s->sh_offset, s->sh_size))
        return NULL;
    const char *text = (const char *)r->bytes + s->sh_offset + at;
    const char *end = memchr(text, 0, s->sh_size - at);
    return end ? text : NULL;
}

static bool names_allowed(Reader *r, const char *name)
{
    r->name_bytes += strlen(name);
    return r->name_bytes <= (u64)r->len * NAMES_PER_BYTE + NAMES_MIN ||
           reject(r, "names share so many bytes that they are no real ones");
}

/* --- sections ------------------------------------------------------------ */

/* The counts that do not fit into the header are in section header 0 (gABI,
 * "Section Header"). */
static bool count_sections(Reader *r)
{
    Elf32_Shdr first;
    r->nsections = r->head.e_shnum;
    r->names = r->head.e_shstrndx;
    if (!r->head.e_shoff) {
        r->nsections = 0;
        return true;
    }
    if (!read_at(r, r->head.e_shoff, &first, sizeof first))
        return reject(r, "truncated: section headers at 0x%x, %zu bytes in the file",
                      r->head.e_shoff, r->len);
    if (!r->nsections)
        r->nsections = first.sh_size;
    if (r->names == SHN_XINDEX)
        r->names = first.sh_link;
    return true;
}

static bool read_section_headers(Reader *r)
{
    if (!count_sections(r))
        return false;
    const u64 size = (u64)r->nsections * sizeof *r->sections;
    if (!in_file(r, r->head.e_shoff, size))
        return reject(r, "truncated: %u section headers at 0x%x, %zu bytes in the file",
                      r->nsections, r->head.e_shoff, r->len);
    r->sections = mem_alloc(size);
    r->kept = mem_alloc(r->nsections * sizeof *r->kept);
    if (!r->sections || !r->kept)
        return out_of_memory(r);
    if (size)
        memcpy(r->sections, r->bytes + r->head.e_shoff, size);
    for (u32 i = 0; i < r->nsections; i++)
        r->kept[i] = -1;
    if (r->nsections > 1 && !string_at(r, r->names, 0))
        return reject(r, "section names: section %u is not a string table", r->names);
    return true;
}

static bool has_bytes(const Elf32_Shdr *s)
{
    return s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL;
}

/* Checks that every section lies in the file, and that all together are no longer than it: sections
 * that overlap could make us copy the same bytes many times over. */
static bool check_sections(Reader *r)
{
    u64 total = 0;
    for (u32 i = 1; i < r->nsections; i++) {
        const Elf32_Shdr *s = &r->sections[i];
        if (!has_bytes(s))
            continue;
        if (!in_file(r, s->sh_offset, s->sh_size))
            return reject(r, "section %u: 0x%x bytes at 0x%x, but the file has 0x%zx", i,
                          s->sh_size, s->sh_offset, r->len);
        total += s->sh_size;
    }
    if (total > r->len)
        return reject(r, "sections overlap in the file");
    return true;
}

/* Whether the section becomes one of the object's; symbols, strings, relocations and groups become
 * other parts of it. */
static bool is_kept(const Elf32_Shdr *s)
{
    switch (s->sh_type) {
    case SHT_NULL:
    case SHT_SYMTAB:
    case SHT_STRTAB:
    case SHT_RELA:
    case SHT_REL:
    case SHT_GROUP:
    case SHT_SYMTAB_SHNDX: return false;
    default: return true;
    }
}

static bool read_section(Reader *r, u32 index)
{
    const Elf32_Shdr *h = &r->sections[index];
    const char *name = string_at(r, r->names, h->sh_name);
    if (!name)
        return reject(r, "section %u: its name is not in the string table", index);
    if (h->sh_addralign > 1 && !is_pow2(h->sh_addralign))
        return reject(r, "section %u (%s): alignment %u is not a power of two", index, name,
                      h->sh_addralign);
    if (!names_allowed(r, name))
        return false;
    i32 at = obj_add_section(r->o, name, h->sh_type, h->sh_flags, h->sh_addralign);
    if (at < 0)
        return out_of_memory(r);
    ObjSection *s = &r->o->sections[at];
    s->addr = h->sh_addr;
    s->size = h->sh_size;
    if (has_bytes(h))
        buf_put(&s->data, r->bytes + h->sh_offset, h->sh_size);
    r->kept[index] = at;
    return !s->data.failed || out_of_memory(r);
}

static bool read_sections(Reader *r)
{
    if (!check_sections(r))
        return false;
    for (u32 i = 1; i < r->nsections; i++) {
        if (r->sections[i].sh_type == SHT_SYMTAB && r->symtab)
            return reject(r, "two symbol tables, sections %u and %u", r->symtab, i);
        if (r->sections[i].sh_type == SHT_SYMTAB)
            r->symtab = i;
        if (is_kept(&r->sections[i]) && !read_section(r, i))
            return false;
    }
    return true;
}

/* --- symbols ------------------------------------------------------------- */

static bool symbol_section(Reader *r, u32 index, const Elf32_Sym *s, i32 *section)
{
    switch (s->st_shndx) {
    case SHN_UNDEF: *section = OBJ_UNDEF; return true;
    case SHN_ABS: *section = OBJ_ABS; return true;
    case SHN_COMMON:
        *section = OBJ_COMMON;
        return s->st_value <= 1 || is_pow2(s->st_value) ||
               reject(r, "symbol %u: alignment %u is not a power of two", index, s->st_value);
    }
    if (s->st_shndx >= r->nsections)
        return reject(r, "symbol %u: there is no section %u", index, s->st_shndx);
    /* a group's signature may stand in a section that is not kept */
    *section = r->kept[s->st_shndx] < 0 ? OBJ_ABS : r->kept[s->st_shndx];
    return true;
}

static bool read_symbol(Reader *r, u32 index, u32 strings)
{
    Elf32_Sym s = {0};
    i32 section;
    read_at(r, r->sections[r->symtab].sh_offset + (u64)index * sizeof s, &s, sizeof s);
    const u8 type = ELF32_ST_TYPE(s.st_info), bind = ELF32_ST_BIND(s.st_info);
    const char *name = type == STT_SECTION ? "" : string_at(r, strings, s.st_name);
    if (!name)
        return reject(r, "symbol %u: its name is not in the string table", index);
    if (bind > STB_WEAK)
        return reject(r, "symbol %u (%s): binding %d is unknown", index, name, bind);
    if (!symbol_section(r, index, &s, &section) || !names_allowed(r, name))
        return false;
    i32 at = obj_add_symbol(r->o, name, section, s.st_value, bind, type);
    if (at < 0)
        return out_of_memory(r);
    r->o->symbols[at].size = s.st_size;
    return true;
}

/* Symbol n of the file becomes symbol n - 1: the first one, which is nothing, is left
 * out. */
static bool read_symbols(Reader *r)
{
    if (!r->symtab)
        return true;
    const Elf32_Shdr *h = &r->sections[r->symtab];
    if (h->sh_entsize != sizeof(Elf32_Sym) || h->sh_size % sizeof(Elf32_Sym))
        return reject(r, "section %u: not a table of symbols of %zu bytes", r->symtab,
                      sizeof(Elf32_Sym));
    for (u32 i = 1; i < h->sh_size / sizeof(Elf32_Sym); i++)
        if (!read_symbol(r, i, h->sh_link))
            return false;
    return true;
}

/* --- relocations --------------------------------------------------------- */

/* sorts by offset; relocations at the same offset keep the order of the file */
static int by_offset(const void *a, const void *b)
{
    const Elf32_Rela *x = *(const Elf32_Rela *const *)a, *y = *(const Elf32_Rela *const *)b;
    if (x->r_offset != y->r_offset)
        return x->r_offset < y->r_offset ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool check_reloc(Reader *r, u32 index, const Elf32_Rela *e, const ObjSection *s)
{
    if (e->r_offset > s->size || s->type == SHT_NOBITS)
        return reject(r, "section %u: relocation at 0x%x is outside %s (0x%x bytes)", index,
                      e->r_offset, s->name, s->type == SHT_NOBITS ? 0 : s->size);
    if (ELF32_R_SYM(e->r_info) > r->o->nsymbols)
        return reject(r, "section %u: relocation at 0x%x of %s: there is no symbol %u", index,
                      e->r_offset, s->name, ELF32_R_SYM(e->r_info));
    return true;
}

static bool add_relocs(Reader *r, u32 index, ObjSection *s, const Elf32_Rela **sorted, size_t n)
{
    s->relocs = mem_zalloc(n, sizeof *s->relocs);
    if (!s->relocs)
        return out_of_memory(r);
    s->caprelocs = n;
    for (size_t i = 0; i < n; i++) {
        const Elf32_Rela *e = sorted[i];
        const u32 symbol = ELF32_R_SYM(e->r_info);
        if (!check_reloc(r, index, e, s))
            return false;
        s->relocs[s->nrelocs++] = (ObjReloc){e->r_offset, ELF32_R_TYPE(e->r_info),
                                             symbol ? symbol - 1 : OBJ_NO_SYMBOL, e->r_addend};
    }
    return true;
}

static bool sort_relocs(Reader *r, u32 index, ObjSection *s)
{
    const Elf32_Shdr *h = &r->sections[index];
    const size_t n = h->sh_size / sizeof(Elf32_Rela);
    Elf32_Rela *entries = mem_alloc(n * sizeof *entries);
    const Elf32_Rela **sorted = mem_alloc(n * sizeof *sorted);
    bool ok = entries && sorted;
    if (ok) {
        read_at(r, h->sh_offset, entries, n * sizeof *entries);
        for (size_t i = 0; i < n; i++)
            sorted[i] = &entries[i];
        qsort(sorted, n, sizeof *sorted, by_offset);
        ok = add_relocs(r, index, s, sorted, n);
    } else {
        out_of_memory(r);
    }
    mem_free(entries);
    mem_free(sorted);
    return ok;
}

static bool read_relocs(Reader *r, u32 index)
{
    const Elf32_Shdr *h = &r->sections[index];
    if (h->sh_type == SHT_REL)
        return reject(r, "section %u: relocations without addends, which RISC-V does not have",
                      index);
    if (h->sh_entsize != sizeof(Elf32_Rela) || h->sh_size % sizeof(Elf32_Rela))
        return reject(r, "section %u: not a table of relocations of %zu bytes", index,
                      sizeof(Elf32_Rela));
    if (h->sh_link != r->symtab)
        return reject(r, "section %u: relocations of the symbols in section %u, not %u", index,
                      h->sh_link, r->symtab);
    if (h->sh_info >= r->nsections || r->kept[h->sh_info] < 0)
        return reject(r, "section %u: relocations of section %u, which has no contents", index,
                      h->sh_info);
    ObjSection *s = &r->o->sections[r->kept[h->sh_info]];
    if (s->relocs)
        return reject(r, "section %u: a second table of relocations of %s", index, s->name);
    return sort_relocs(r, index, s);
}

static bool read_all_relocs(Reader *r)
{
    for (u32 i = 1; i < r->nsections; i++) {
        const u32 type = r->sections[i].sh_type;
        if ((type == SHT_RELA || type == SHT_REL) && !read_relocs(r, i))
            return false;
    }
    return true;
}

/* --- segments ------------------------------------------------------------ */

static bool check_segment(Reader *r, u32 index, const Elf32_Phdr *p)
{
    if (p->p_memsz < p->p_filesz)
        return reject(r, "segment %u: 0x%x bytes of file in 0x%x bytes of memory", index,
                      p->p_filesz, p->p_memsz);
    if ((u64)p->p_vaddr + p->p_memsz > (u64)1 << 32)
        return reject(r, "segment %u: 0x%x bytes at 0x%x go past the address space", index,
                      p->p_memsz, p->p_vaddr);
    if (!in_file(r, p->p_offset, p->p_filesz))
        return reject(r, "segment %u: 0x%x bytes at 0x%x, but the file has 0x%zx", index,
                      p->p_filesz, p->p_offset, r->len);
    return true;
}

static bool read_segment(Reader *r, u32 index, u64 *total)
{
    Object *o = r->o;
    Elf32_Phdr p = {0};
    read_at(r, r->head.e_phoff + (u64)index * sizeof p, &p, sizeof p);
    if (p.p_type != PT_LOAD || !p.p_memsz)
        return true;
    if (!check_segment(r, index, &p))
        return false;
    *total += p.p_filesz;
    if (*total > r->len)
        return reject(r, "segments overlap in the file");
    if (!array_grow(o->segments, o->nsegments, o->capsegments))
        return out_of_memory(r);
    ObjSegment *s = &o->segments[o->nsegments++];
    *s = (ObjSegment){.addr = p.p_vaddr, .memsz = p.p_memsz, .flags = p.p_flags};
    buf_put(&s->data, r->bytes + p.p_offset, p.p_filesz);
    return !s->data.failed || out_of_memory(r);
}

static int by_addr(const void *a, const void *b)
{
    const ObjSegment *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool read_segments(Reader *r)
{
    Object *o = r->o;
    u64 total = 0;
    if (!in_file(r, r->head.e_phoff, (u64)r->head.e_phnum * sizeof(Elf32_Phdr)))
        return reject(r, "truncated: %d program headers at 0x%x, %zu bytes in the file",
                      r->head.e_phnum, r->head.e_phoff, r->len);
    for (u32 i = 0; i < r->head.e_phnum; i++)
        if (!read_segment(r, i, &total))
            return false;
    if (!o->nsegments)
        return reject(r, "executable without anything to load");
    qsort(o->segments, o->nsegments, sizeof *o->segments, by_addr);
    for (size_t i = 1; i < o->nsegments; i++) {
        const ObjSegment *a = &o->segments[i - 1], *b = &o->segments[i];
        if (b->addr - a->addr < a->memsz)
            return reject(r, "segments at 0x%x and 0x%x overlap", a->addr, b->addr);
    }
    return true;
}

/* --- the file ------------------------------------------------------------ */

static bool read_file(Reader *r)
{
    return read_header(r) && read_section_headers(r) && read_sections(r) && read_symbols(r) &&
           (r->o->is_image ? read_segments(r) : read_all_relocs(r));
}

bool obj_read(const char *name, const void *bytes, size_t len, Diag *d, Object **o)
{
    Reader r = {.bytes = bytes, .len = len, .d = d, .src = {.name = name}, .o = obj_new(name)};
    bool ok = r.o ? read_file(&r) : out_of_memory(&r);
    mem_free(r.sections);
    mem_free(r.kept);
    *o = ok ? r.o : NULL;
    if (!ok)
        obj_free(r.o);
    return ok;
}
