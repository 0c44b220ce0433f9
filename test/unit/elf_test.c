/* What the ELF files that we write must be after the gABI and the psABI, whatever the object is; and which files are read
 * that other programs write: random objects, looked at without our reader, and files put together here, of which one
 * number at a time stands at the edge of what is allowed. */
#include "test/kit/leftover.h"
#include "test/kit/objects.h"
#include "test/kit/random.h"
#include "obj/reloc.h"

enum { PAGE = 0x1000 };

static Buf written(const Object *o)
{
    Buf f = {0};
    Caught c;
    catch_in(&c);
    assert_true(obj_write(o, &f, &c.d));
    expect_silence(&c);
    return f;
}

/* --- random objects ------------------------------------------------------ */

static void put_random(Buf *b, u32 len)
{
    for (u32 i = 0; i < len; i++)
        buf_put(b, &(u8){(u8)random_bits()}, 1);
}

static void add_random_section(Object *o)
{
    static const u32 flags[] = {0,
                                SHF_ALLOC | SHF_EXECINSTR,
                                SHF_ALLOC | SHF_WRITE,
                                SHF_MERGE | SHF_STRINGS,
                                SHF_MERGE,
                                SHF_STRINGS,
                                SHF_ALLOC | SHF_MERGE | SHF_STRINGS};
    static const u32 types[] = {SHT_PROGBITS, SHT_PROGBITS, SHT_NOBITS, SHT_NOTE, SHT_INIT_ARRAY};
    static const char *const names[] = {".text", ".data",   ".bss",
                                        "",      ".text.a", "long.name.of.a.section"};
    const i32 at = obj_add_section(o, names[below(countof(names))], types[below(countof(types))],
                                   flags[below(countof(flags))], 1u << below(10));
    ObjSection *s = &o->sections[at];
    s->size = one_in(4) ? 0 : below(300);
    s->addr = one_in(2) ? (u32)random_bits() : 0;
    if (s->type != SHT_NOBITS)
        put_random(&s->data, s->size);
}

static void add_random_symbol(Object *o)
{
    static const u8 types[] = {STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_FILE};
    char name[12];
    snprintf(name, sizeof name, one_in(5) ? "%.0d" : "s%d", (int)below(1000));
    const i32 section = (i32)below((u32)o->nsections + 3) - 3;
    const i32 at = obj_add_symbol(o, name, section,
                                  section == OBJ_COMMON ? 1u << below(8) : (u32)random_bits(),
                                  (u8)below(3), types[below(countof(types))]);
    o->symbols[at].size = (u32)random_bits();
}

static void add_random_relocs(Object *o, i32 section)
{
    for (u32 n = below(6); n; n--)
        add_reloc(o, section, below(o->sections[section].size + 1), below(62),
                  o->nsymbols && !one_in(4) ? below((u32)o->nsymbols) : OBJ_NO_SYMBOL,
                  (i32)random_bits());
}

/* segments of whole pages, one after the other; and sections that are parts of them, or not quite */
static void add_random_segments(Object *o)
{
    u32 addr = 0x80000000;
    o->is_image = true;
    o->entry = (u32)random_bits();
    o->nsegments = o->capsegments = 1 + below(4);
    o->segments = mem_zalloc(o->nsegments, sizeof *o->segments);
    for (size_t i = 0; i < o->nsegments; i++) {
        ObjSegment *g = &o->segments[i];
        g->addr = addr;
        g->flags = 1 + below(7);
        put_random(&g->data, one_in(3) ? PAGE * below(3) : below(2 * PAGE));
        g->memsz = (u32)g->data.len + 1 + (one_in(2) ? below(3 * PAGE) : 0);
        addr += (u32)align_up(g->memsz, PAGE) + PAGE * below(3);
        for (u32 n = below(4); n; n--) {
            const u32 from = below((u32)g->data.len + 1), len = below((u32)g->data.len - from + 1);
            const bool is_loaded = !one_in(3);
            const i32 at =
                add_bytes(o, ".part", is_loaded ? SHF_ALLOC : 0, 1, g->data.data + from, len);
            o->sections[at].addr = g->addr + from;
            if (one_in(3)) { /* ends behind what the segment has */
                put_random(&o->sections[at].data, (u32)g->data.len - from - len + 1);
                o->sections[at].size = (u32)o->sections[at].data.len;
            }
        }
    }
}

static Object *random_object(void)
{
    static const IsaSet sets[] = {V202, V2025, V202 | AI, V2025 | TIDX, V2025 | AI | TIDX};
    Object *o = obj_new("random.o");
    const bool is_image = one_in(2);
    o->set = sets[below(countof(sets))];
    for (u32 n = below(8); n; n--)
        add_random_section(o);
    for (u32 n = below(12); n; n--)
        add_random_symbol(o);
    for (size_t i = 0; i < o->nsections && !is_image; i++)
        if (o->sections[i].type != SHT_NOBITS)
            add_random_relocs(o, (i32)i);
    if (is_image)
        add_random_segments(o);
    return o;
}

/* --- what a file must be ------------------------------------------------- */

typedef struct {
    const Object *o;
    const Buf *file;
    const Elf32_Ehdr *head;
    const Elf32_Shdr *section;
    const Elf32_Sym *symbol;
    u32 *number; /* in the file, of symbol i of the object */
    u32 symtab;  /* number of the section of symbols */
    u8 *taken;   /* whether somebody has byte i of the file */
} Look;

static const void *bytes_at(const Look *l, u32 offset, u32 size)
{
    assert_true((u64)offset + size <= l->file->len);
    return l->file->data + offset;
}

static void take(Look *l, u32 offset, u32 size)
{
    bytes_at(l, offset, size);
    for (u32 i = 0; i < size; i++) {
        assert_int_equal(l->taken[offset + i], 0);
        l->taken[offset + i] = 1;
    }
}

static const char *text_in(const Look *l, u32 table, u32 at)
{
    const Elf32_Shdr *s = &l->section[table];
    assert_int_equal(s->sh_type, SHT_STRTAB);
    assert_int_equal(s->sh_addralign, 1);
    assert_int_equal(s->sh_flags | s->sh_addr | s->sh_link | s->sh_info | s->sh_entsize, 0);
    assert_true(at < s->sh_size);
    const char *text = bytes_at(l, s->sh_offset, s->sh_size);
    assert_int_equal(text[0], 0);
    assert_int_equal(text[s->sh_size - 1], 0);
    return text + at;
}

static void look_at_header(Look *l)
{
    static const u8 ident[EI_NIDENT] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
    const Elf32_Ehdr *h = l->head = bytes_at(l, 0, 52);
    const Object *o = l->o;
    take(l, 0, 52);
    assert_memory_equal(h->e_ident, ident, sizeof ident);
    assert_int_equal(h->e_type, o->is_image ? 2 : 1);
    assert_int_equal(h->e_machine, 243);
    assert_int_equal(h->e_version, 1);
    assert_int_equal(h->e_entry, o->entry);
    assert_int_equal(h->e_flags, (o->set & V2025 ? 0x1000000 : 0) | (o->set & AI ? 0x2000000 : 0) |
                                     (o->set & TIDX ? 0x4000000 : 0)); /* doc/abi.md, ELF */
    assert_int_equal(h->e_ehsize, 52);
    assert_int_equal(h->e_phoff, o->nsegments ? 52 : 0);
    assert_int_equal(h->e_phentsize, o->nsegments ? 32 : 0);
    assert_int_equal(h->e_phnum, o->nsegments);
    assert_int_equal(h->e_shentsize, 40);
    assert_int_equal(h->e_shoff % 4, 0);
    assert_int_equal(h->e_shoff + 40 * h->e_shnum, l->file->len);
    l->section = bytes_at(l, h->e_shoff, 40u * h->e_shnum);
    take(l, h->e_shoff, 40u * h->e_shnum);
    assert_memory_equal(&l->section[0], &(Elf32_Shdr){0}, sizeof *l->section);
}

static void look_at_segments(Look *l)
{
    const Elf32_Phdr *p = bytes_at(l, 52, 32 * (u32)l->o->nsegments);
    take(l, 52, 32 * (u32)l->o->nsegments);
    for (size_t i = 0; i < l->o->nsegments; i++, p++) {
        const ObjSegment *g = &l->o->segments[i];
        assert_int_equal(p->p_type, PT_LOAD);
        assert_int_equal(p->p_vaddr, g->addr);
        assert_int_equal(p->p_paddr, g->addr);
        assert_int_equal(p->p_filesz, g->data.len);
        assert_int_equal(p->p_memsz, g->memsz);
        assert_int_equal(p->p_flags, g->flags);
        assert_int_equal(p->p_align, PAGE);
        assert_int_equal(p->p_offset % PAGE, p->p_vaddr % PAGE);
        assert_memory_equal(bytes_at(l, p->p_offset, p->p_filesz), buf_text(&g->data), g->data.len);
        take(l, p->p_offset, p->p_filesz);
    }
}

/* The segment that has all bytes of the section; NULL: none. */
static const ObjSegment *segment_of(const Object *o, const ObjSection *s)
{
    for (size_t i = 0; i < o->nsegments; i++) {
        const ObjSegment *g = &o->segments[i];
        if (s->flags & SHF_ALLOC && s->addr >= g->addr &&
            (u64)s->addr + s->data.len <= (u64)g->addr + g->data.len)
            return g;
    }
    return NULL;
}

static void look_at_section(Look *l, u32 i)
{
    const ObjSection *s = &l->o->sections[i];
    const Elf32_Shdr *h = &l->section[i + 1];
    const bool is_text = (s->flags & SHF_MERGE) && (s->flags & SHF_STRINGS);
    assert_string_equal(text_in(l, l->head->e_shstrndx, h->sh_name), s->name);
    assert_int_equal(h->sh_type, s->type);
    assert_int_equal(h->sh_flags, s->flags);
    assert_int_equal(h->sh_addr, s->addr);
    assert_int_equal(h->sh_size, s->size);
    assert_int_equal(h->sh_addralign, s->align);
    assert_int_equal(h->sh_link | h->sh_info, 0);
    assert_int_equal(h->sh_entsize, is_text ? 1 : 0);
    const ObjSegment *g = segment_of(l->o, s);
    if (g) {
        const Elf32_Phdr *p = bytes_at(l, 52 + 32 * (u32)(g - l->o->segments), 32);
        assert_int_equal(h->sh_offset, p->p_offset + (s->addr - g->addr));
    } else {
        assert_int_equal(h->sh_offset % (s->align < 64 ? s->align : 64), 0);
        take(l, h->sh_offset, (u32)s->data.len);
    }
    assert_memory_equal(bytes_at(l, h->sh_offset, (u32)s->data.len), buf_text(&s->data),
                        s->data.len);
}

static void look_at_symbol(Look *l, u32 at, u32 i)
{
    static const u32 special[] = {SHN_COMMON, SHN_ABS, SHN_UNDEF};
    const ObjSymbol *s = &l->o->symbols[i];
    const Elf32_Sym *e = &l->symbol[at];
    l->number[i] = at;
    assert_string_equal(text_in(l, l->section[l->symtab].sh_link, e->st_name), s->name);
    assert_int_equal(e->st_value, s->value);
    assert_int_equal(e->st_size, s->size);
    assert_int_equal(e->st_info, s->bind << 4 | s->type);
    assert_int_equal(e->st_other, 0);
    assert_int_equal(e->st_shndx, s->section < 0 ? special[s->section + 3] : (u32)s->section + 1);
}

/* The local ones come first; the others keep their order. */
static void look_at_symbols(Look *l)
{
    const Elf32_Shdr *h = &l->section[l->symtab];
    const u32 n = (u32)l->o->nsymbols + 1;
    u32 at = 1;
    assert_string_equal(text_in(l, l->head->e_shstrndx, h->sh_name), ".symtab");
    assert_int_equal(h->sh_type, SHT_SYMTAB);
    assert_int_equal(h->sh_size, 16 * n);
    assert_int_equal(h->sh_entsize, 16);
    assert_int_equal(h->sh_addralign, 4);
    assert_int_equal(h->sh_offset % 4, 0);
    assert_int_equal(h->sh_flags | h->sh_addr, 0);
    assert_string_equal(text_in(l, l->head->e_shstrndx, l->section[h->sh_link].sh_name), ".strtab");
    take(l, h->sh_offset, h->sh_size);
    take(l, l->section[h->sh_link].sh_offset, l->section[h->sh_link].sh_size);
    l->symbol = bytes_at(l, h->sh_offset, h->sh_size);
    assert_memory_equal(&l->symbol[0], &(Elf32_Sym){0}, sizeof *l->symbol);
    for (u32 i = 0; i + 1 < n; i++)
        if (l->o->symbols[i].bind == STB_LOCAL)
            look_at_symbol(l, at++, i);
    assert_int_equal(h->sh_info, at);
    for (u32 i = 0; i + 1 < n; i++)
        if (l->o->symbols[i].bind != STB_LOCAL)
            look_at_symbol(l, at++, i);
}

static void look_at_relocs(Look *l, u32 at, u32 section)
{
    const Elf32_Shdr *h = &l->section[at];
    const ObjSection *s = &l->o->sections[section];
    char name[64];
    snprintf(name, sizeof name, ".rela%s", s->name);
    assert_string_equal(text_in(l, l->head->e_shstrndx, h->sh_name), name);
    assert_int_equal(h->sh_type, SHT_RELA);
    assert_int_equal(h->sh_flags, SHF_INFO_LINK);
    assert_int_equal(h->sh_link, l->symtab);
    assert_int_equal(h->sh_info, section + 1);
    assert_int_equal(h->sh_entsize, 12);
    assert_int_equal(h->sh_addralign, 4);
    assert_int_equal(h->sh_offset % 4, 0);
    assert_int_equal(h->sh_addr, 0);
    assert_int_equal(h->sh_size, 12 * s->nrelocs);
    take(l, h->sh_offset, h->sh_size);
    const Elf32_Rela *e = bytes_at(l, h->sh_offset, h->sh_size);
    for (size_t i = 0; i < s->nrelocs; i++, e++) {
        const ObjReloc *r = &s->relocs[i];
        assert_int_equal(e->r_offset, r->offset);
        assert_int_equal(e->r_info & 0xff, r->type);
        assert_int_equal(e->r_info >> 8, r->symbol == OBJ_NO_SYMBOL ? 0 : l->number[r->symbol]);
        assert_int_equal(e->r_addend, r->addend);
    }
}

/* Bytes of nobody fill up to the next multiple of what is wanted, and are zero. */
static void look_between(const Look *l)
{
    u32 gap = 0;
    for (size_t i = 0; i < l->file->len; i++) {
        gap = l->taken[i] ? 0 : gap + 1;
        assert_true(gap < (l->o->nsegments ? PAGE : 64));
        assert_true(l->taken[i] || !l->file->data[i]);
    }
}

/* The sections stand in the order of the object, behind them the tables. */
static void look_at(const Object *o)
{
    Buf file = written(o);
    Look l = {.o = o,
              .file = &file,
              .number = mem_zalloc(o->nsymbols, 4),
              .taken = mem_zalloc(file.len, 1)};
    u32 tables = 0;
    look_at_header(&l);
    for (size_t i = 0; i < o->nsections; i++)
        tables += o->sections[i].nrelocs > 0;
    l.symtab = (u32)o->nsections + 1 + tables;
    assert_int_equal(l.head->e_shnum, l.symtab + 3);
    assert_int_equal(l.head->e_shstrndx, l.symtab + 2);
    const Elf32_Shdr *names = &l.section[l.head->e_shstrndx];
    assert_string_equal(text_in(&l, l.head->e_shstrndx, names->sh_name), ".shstrtab");
    take(&l, names->sh_offset, names->sh_size);
    look_at_segments(&l);
    for (u32 i = 0; i < o->nsections; i++)
        look_at_section(&l, i);
    look_at_symbols(&l);
    for (u32 i = 0, at = (u32)o->nsections + 1; i < o->nsections; i++)
        if (o->sections[i].nrelocs)
            look_at_relocs(&l, at++, i);
    look_between(&l);
    mem_free(l.number);
    mem_free(l.taken);
    buf_free(&file);
}

static void written_files_are_elf(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        Object *o = random_object();
        look_at(o);
        obj_free(o);
    }
}

/* --- files of others ----------------------------------------------------- */

/* what the sections are, in an order that is not ours */
enum {
    S_NULL,
    S_SYMBOLS,
    S_GROUP,
    S_NAMES,
    S_RELA,
    S_TEXT,
    S_NOTHING,
    S_BSS,
    S_INDICES,
    S_DATA,
    NSECTIONS
};
enum {
    Y_NULL,
    Y_SECTION,
    Y_LOCAL,
    Y_GROUP,
    Y_GLOBAL,
    Y_WEAK,
    Y_COMMON,
    Y_UNDEFINED,
    Y_ABSOLUTE,
    NSYMBOLS
};
enum { N_TEXT = 1, N_F = 4, N_BSS = 7, N_DATA = 12, N_END = 17, NRELOCS = 5, NSEGMENTS = 4 };

typedef struct {
    Elf32_Ehdr head;
    Elf32_Shdr section[NSECTIONS];
    Elf32_Rela reloc[NRELOCS];
    Elf32_Phdr segment[NSEGMENTS];
    Elf32_Sym symbol[NSYMBOLS];
    u8 names[N_END + 1], text[14], data[8];
} File;

static_assert(sizeof(File) == offsetof(File, data) + 8, "the file ends with .data");

static File example(u16 type)
{
    File f = {
        .head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                 .e_type = type,
                 .e_machine = EM_RISCV,
                 .e_version = EV_CURRENT,
                 .e_entry = 0x80000008,
                 .e_phoff = offsetof(File, segment),
                 .e_shoff = offsetof(File, section),
                 .e_ehsize = sizeof(Elf32_Ehdr),
                 .e_phentsize = sizeof(Elf32_Phdr),
                 .e_phnum = NSEGMENTS,
                 .e_shentsize = sizeof(Elf32_Shdr),
                 .e_shnum = NSECTIONS,
                 .e_shstrndx = S_NAMES},
        .section = {[S_SYMBOLS] = {N_END, SHT_SYMTAB, 0, 0, 0, 0, S_NAMES, Y_GLOBAL, 4,
                                   sizeof(Elf32_Sym)},
                    [S_GROUP] = {N_END, SHT_GROUP, .sh_addralign = 4},
                    [S_NAMES] = {N_END, SHT_STRTAB, .sh_addralign = 1},
                    [S_RELA] = {N_END, SHT_RELA, SHF_INFO_LINK, 0, 0, 0, S_SYMBOLS, S_TEXT, 4,
                                sizeof(Elf32_Rela)},
                    [S_TEXT] = {N_TEXT, SHT_PROGBITS, TEXT_FLAGS, 0x80000000, .sh_addralign = 2},
                    [S_NOTHING] = {99, SHT_NULL, 99, 99, 0xffffffff, 0xffffffff, 99, 99, 99, 99},
                    [S_BSS] = {N_BSS, SHT_NOBITS, DATA_FLAGS, 0x80002000, 0xffffff00, 0x7fffffff,
                               .sh_addralign = 64},
                    [S_INDICES] = {N_END, SHT_SYMTAB_SHNDX, .sh_addralign = 4},
                    [S_DATA] = {N_DATA, SHT_INIT_ARRAY, DATA_FLAGS, 0x80001000, .sh_addralign = 0}},
        .reloc = {{12, 3 << 8 | R_RISCV_ADD32, 1},
                  {4, 5 << 8 | R_RISCV_CALL, -1},
                  {12, 4 << 8 | R_RISCV_SUB32, 2},
                  {4, R_RISCV_RELAX, 0},
                  {0, 8 << 8 | 255, INT32_MIN}},
        .segment = {{PT_LOAD, 0, 0x80003000, 0, 0, 0x100, PF_R | PF_W, 0},
                    {PT_LOAD, offsetof(File, text), 0x80000000, 0, sizeof f.text, sizeof f.text,
                     PF_R | PF_X, 0},
                    {PT_NOTE, 0xffffffff, 0x80000000, 0, 0xffffffff, 4, 0, 0},
                    {PT_LOAD, 0, 0x80000004, 0, 0, 0, PF_R, 0}},
        .symbol = {[Y_SECTION] = {0xffffffff, 0, 0, ELF32_ST_INFO(STB_LOCAL, STT_SECTION), 0,
                                  S_TEXT},
                   [Y_LOCAL] = {N_F, 8, 6, ELF32_ST_INFO(STB_LOCAL, STT_FUNC), 0, S_TEXT},
                   [Y_GROUP] = {N_TEXT, 0, 0, ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, S_GROUP},
                   [Y_GLOBAL] = {N_DATA, 4, 4, ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, S_DATA},
                   [Y_WEAK] = {N_BSS, 0, 1, ELF32_ST_INFO(STB_WEAK, STT_TLS), 0, S_BSS},
                   [Y_COMMON] = {N_END, 8, 9, ELF32_ST_INFO(STB_GLOBAL, STT_COMMON), 0, SHN_COMMON},
                   [Y_UNDEFINED] = {N_F, 0, 0, ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, SHN_UNDEF},
                   [Y_ABSOLUTE] = {N_F + 1, 7, 0, ELF32_ST_INFO(STB_LOCAL, STT_FILE), 0, SHN_ABS}},
        .names = "\0.text\0.bss\0.data",
        .text = "code and tail",
        .data = "the data",
    };
#define PLACE(index, part)                                                                         \
    f.section[index].sh_offset = offsetof(File, part), f.section[index].sh_size = sizeof f.part
    PLACE(S_SYMBOLS, symbol);
    PLACE(S_NAMES, names);
    PLACE(S_RELA, reloc);
    PLACE(S_TEXT, text);
    PLACE(S_DATA, data);
    return f;
}

static bool read_caught(const void *file, size_t len, Object **o, Caught *c)
{
    u8 *copy = mem_alloc(len); /* of exactly this size, for sanitizers */
    memcpy(copy, file, len);
    catch_in(c);
    const bool ok = obj_read("f.o", copy, len, &c->d, o);
    mem_free(copy);
    return ok;
}

static Object *accepted(const void *file, size_t len)
{
    Object *o;
    Caught c;
    if (!read_caught(file, len, &o, &c))
        fail_msg("%s", buf_text(&c.text));
    expect_silence(&c);
    return o;
}

static void refused(const void *file, size_t len, const char *message)
{
    Object *o;
    Caught c;
    if (read_caught(file, len, &o, &c))
        fail_msg("read, but wanted was: %s", message);
    assert_null(o);
    expect_error(&c, message);
}

/* a file after the statement, which is read, or refused with the message */
#define READ(type, statement)                                                                      \
    do {                                                                                           \
        File f = example(type);                                                                    \
        statement;                                                                                 \
        obj_free(accepted(&f, sizeof f));                                                          \
    } while (0)
#define REFUSED(type, statement, message)                                                          \
    do {                                                                                           \
        File f = example(type);                                                                    \
        statement;                                                                                 \
        refused(&f, sizeof f, message);                                                            \
    } while (0)

static void expect_section(const Object *o, i32 at, const char *name, const Elf32_Shdr *h,
                           const void *bytes)
{
    const ObjSection *s = &o->sections[at];
    assert_string_equal(s->name, name);
    assert_int_equal(s->type, h->sh_type);
    assert_int_equal(s->flags, h->sh_flags);
    assert_int_equal(s->addr, h->sh_addr);
    assert_int_equal(s->size, h->sh_size);
    assert_int_equal(s->align, h->sh_addralign ? h->sh_addralign : 1);
    assert_int_equal(s->data.len, bytes ? h->sh_size : 0);
    if (bytes)
        assert_memory_equal(s->data.data, bytes, h->sh_size);
}

static void expect_symbol(const Object *o, u32 at, const char *name, i32 section,
                          const Elf32_Sym *e)
{
    const ObjSymbol *s = &o->symbols[at];
    assert_string_equal(s->name, name);
    assert_int_equal(s->section, section);
    assert_int_equal(s->value, e->st_value);
    assert_int_equal(s->size, e->st_size);
    assert_int_equal(s->bind << 4 | s->type, e->st_info);
}

static void expect_parts(const Object *o, const File *f)
{
    assert_int_equal(o->nsections, 3);
    expect_section(o, 0, ".text", &f->section[S_TEXT], f->text);
    expect_section(o, 1, ".bss", &f->section[S_BSS], NULL);
    expect_section(o, 2, ".data", &f->section[S_DATA], f->data);
    assert_int_equal(o->nsymbols, NSYMBOLS - 1);
    expect_symbol(o, 0, "", 0, &f->symbol[Y_SECTION]);
    expect_symbol(o, 1, "xt", 0, &f->symbol[Y_LOCAL]);
    expect_symbol(o, 2, ".text", OBJ_ABS,
                  &f->symbol[Y_GROUP]); /* its section is none of the object's */
    expect_symbol(o, 3, ".data", 2, &f->symbol[Y_GLOBAL]);
    expect_symbol(o, 4, ".bss", 1, &f->symbol[Y_WEAK]);
    expect_symbol(o, 5, "", OBJ_COMMON, &f->symbol[Y_COMMON]);
    expect_symbol(o, 6, "xt", OBJ_UNDEF, &f->symbol[Y_UNDEFINED]);
    expect_symbol(o, 7, "t", OBJ_ABS, &f->symbol[Y_ABSOLUTE]);
}

static void objects_of_others_are_read(void **state)
{
    (void)state;
    static const ObjReloc relocs[NRELOCS] = {{0, 255, 7, INT32_MIN},
                                             {4, R_RISCV_CALL, 4, -1},
                                             {4, R_RISCV_RELAX, OBJ_NO_SYMBOL, 0},
                                             {12, R_RISCV_ADD32, 2, 1},
                                             {12, R_RISCV_SUB32, 3, 2}};
    const File f = example(ET_REL);
    Object *o = accepted(&f, sizeof f);
    assert_false(o->is_image);
    assert_int_equal(o->entry, 0x80000008);
    expect_parts(o, &f);
    assert_int_equal(o->nsegments, 0);
    assert_int_equal(o->sections[0].nrelocs, NRELOCS);
    assert_memory_equal(o->sections[0].relocs, relocs, sizeof relocs);
    obj_free(o);
}

static void images_of_others_are_read(void **state)
{
    (void)state;
    File f = example(ET_EXEC);
    f.section[S_RELA].sh_info = 999; /* relocations of images are nobody's business */
    Object *o = accepted(&f, sizeof f);
    assert_true(o->is_image);
    expect_parts(o, &f);
    assert_int_equal(o->sections[0].nrelocs, 0);
    assert_int_equal(o->nsegments, 2);
    assert_int_equal(o->segments[0].addr, 0x80000000);
    assert_int_equal(o->segments[0].memsz, sizeof f.text);
    assert_int_equal(o->segments[0].flags, PF_R | PF_X);
    assert_int_equal(o->segments[0].data.len, sizeof f.text);
    assert_memory_equal(o->segments[0].data.data, f.text, sizeof f.text);
    assert_int_equal(o->segments[1].addr, 0x80003000);
    assert_int_equal(o->segments[1].memsz, 0x100);
    assert_int_equal(o->segments[1].flags, PF_R | PF_W);
    assert_int_equal(o->segments[1].data.len, 0);
    obj_free(o);
}

/* Of the flags those that doc/abi.md lists are known, one by one. */
static void flags_are_told_apart(void **state)
{
    (void)state;
    for (u32 bit = 0; bit < 32; bit++) {
        File f = example(ET_REL);
        char unknown[64];
        f.head.e_flags = 1u << bit;
        snprintf(unknown, sizeof unknown, "unknown ELF flags 0x%x", f.head.e_flags);
        if (bit < 24 || bit > 26) {
            refused(&f, sizeof f,
                    bit == 0  ? "compressed instructions"
                    : bit < 3 ? "float register file"
                              : unknown);
            continue;
        }
        Object *o = accepted(&f, sizeof f);
        assert_int_equal(o->set, bit == 24 ? V2025 : bit == 25 ? V202 | AI : V202 | TIDX);
        obj_free(o);
    }
    for (u16 type = 0; type < 6; type++)
        if (type == ET_REL || type == ET_EXEC)
            READ(type, (void)0);
        else
            REFUSED(type, (void)0,
                    type == ET_DYN ? "shared object" : "neither object nor executable");
}

/* Sizes of entries matter where there are some. */
static void absent_tables_have_no_sizes(void **state)
{
    (void)state;
    READ(ET_REL, (f.head.e_phnum = 0, f.head.e_phentsize = 1));
    REFUSED(ET_REL, f.head.e_phentsize = 33, "program headers of 33 bytes, not 32");
    REFUSED(ET_REL, f.head.e_shentsize = 41, "section headers of 41 bytes, not 40");
    File f = example(ET_EXEC);
    f.head.e_shoff = f.head.e_shentsize = 0;
    Object *o = accepted(&f, sizeof f);
    assert_int_equal(o->nsections + o->nsymbols, 0);
    assert_int_equal(o->nsegments, 2);
    obj_free(o);
}

/* The gABI: counts that do not fit into the header are in the first section header. */
static void counts_may_stand_elsewhere(void **state)
{
    (void)state;
    REFUSED(ET_REL, f.head.e_shstrndx = SHN_XINDEX,
            "section names: section 0 is not a string table");
    File f = example(ET_REL);
    f.head.e_shnum = 0, f.section[0].sh_size = NSECTIONS;
    f.head.e_shstrndx = SHN_XINDEX, f.section[0].sh_link = S_NAMES;
    Object *o = accepted(&f, sizeof f);
    expect_parts(o, &f);
    obj_free(o);
}

/* whichever table is at the end of the file: all of it must be there */
static void tables_end_with_the_file(void **state)
{
    (void)state;
    struct {
        File f;
        Elf32_Shdr section[NSECTIONS];
    } s = {.f = example(ET_REL)};
    memcpy(s.section, s.f.section, sizeof s.section);
    s.f.head.e_shoff = sizeof s.f;
    obj_free(accepted(&s, sizeof s));
    refused(&s, sizeof s - 1, "truncated: 10 section headers at");
    refused(&s, sizeof s.f + sizeof(Elf32_Shdr) - 1, "truncated: section headers at");
    refused(&s, sizeof s.f + sizeof(Elf32_Shdr), "truncated: 10 section headers at");
    struct {
        File f;
        Elf32_Phdr segment[NSEGMENTS];
    } p = {.f = example(ET_EXEC)};
    memcpy(p.segment, p.f.segment, sizeof p.segment);
    p.f.head.e_phoff = sizeof p.f;
    obj_free(accepted(&p, sizeof p));
    refused(&p, sizeof p - 1, "truncated: 4 program headers at");
    refused(&s, 3, "not an ELF file");
    refused(&s, 4, "truncated: 4 bytes are less than an ELF header");
    refused(&s, sizeof(Elf32_Ehdr) - 1, "truncated: 51 bytes are less than an ELF header");
}

static void sections_lie_in_the_file(void **state)
{
    (void)state;
    Elf32_Shdr *s;
    READ(ET_REL, (s = &f.section[S_DATA], s->sh_offset = sizeof f, s->sh_size = 0));
    REFUSED(ET_REL, (s = &f.section[S_DATA], s->sh_offset = sizeof f + 1, s->sh_size = 0),
            "section 9: 0x0 bytes at");
    REFUSED(ET_REL, f.section[S_DATA].sh_size++, "section 9: 0x9 bytes at");
    REFUSED(ET_REL, f.section[S_DATA].sh_offset++, "section 9: 0x8 bytes at");
    /* also those that become no section */
    REFUSED(ET_REL, f.section[S_GROUP].sh_offset = sizeof f + 1, "section 2: 0x0 bytes at");
    /* all together are no longer than the file */
    const u32 others = NSYMBOLS * 16 + N_END + 1 + NRELOCS * 12 + 14;
    READ(ET_REL, (s = &f.section[S_DATA], s->sh_offset = 0, s->sh_size = (u32)sizeof f - others));
    REFUSED(ET_REL,
            (s = &f.section[S_DATA], s->sh_offset = 0, s->sh_size = (u32)sizeof f - others + 1),
            "sections overlap in the file");
    for (u32 align = 0; align < 9; align++)
        if (align & (align - 1) & 15)
            REFUSED(ET_REL, f.section[S_DATA].sh_addralign = align, "(.data): alignment");
        else
            READ(ET_REL, f.section[S_DATA].sh_addralign = align);
}

static void names_lie_in_their_table(void **state)
{
    (void)state;
    READ(ET_REL, f.section[S_DATA].sh_name = N_END);
    REFUSED(ET_REL, f.section[S_DATA].sh_name = N_END + 1,
            "section 9: its name is not in the string table");
    REFUSED(ET_REL, f.names[N_END] = 'x', "section 9: its name is not in the string table");
    REFUSED(ET_REL, f.section[S_SYMBOLS].sh_link = NSECTIONS,
            "symbol 2: its name is not in the string table");
    REFUSED(ET_REL, f.section[S_SYMBOLS].sh_link = S_TEXT,
            "symbol 2: its name is not in the string table");
    REFUSED(ET_REL, f.section[S_NAMES].sh_size = 0,
            "section names: section 3 is not a string table");
    REFUSED(ET_REL, f.head.e_shstrndx = NSECTIONS,
            "section names: section 10 is not a string table");
    /* without sections there are no names; headers are checked before them */
    READ(ET_REL, (f.head.e_shnum = 1, f.head.e_shstrndx = 0));
    REFUSED(ET_REL, (f.head.e_shnum = 2, f.head.e_shstrndx = 0),
            "section names: section 0 is not a string table");
}

static void symbols_have_limits(void **state)
{
    (void)state;
    READ(ET_REL, f.section[S_SYMBOLS].sh_type = SHT_NOTE; f.section[S_RELA].sh_type = SHT_NOTE);
    REFUSED(ET_REL, f.section[S_SYMBOLS].sh_entsize = 17,
            "section 1: not a table of symbols of 16 bytes");
    REFUSED(ET_REL, f.section[S_SYMBOLS].sh_size -= 15,
            "section 1: not a table of symbols of 16 bytes");
    for (u32 align = 0; align < 9; align++)
        if (align & (align - 1) & 15)
            REFUSED(ET_REL, f.symbol[Y_COMMON].st_value = align, "symbol 6: alignment");
        else
            READ(ET_REL, f.symbol[Y_COMMON].st_value = align);
    READ(ET_REL, f.symbol[Y_GLOBAL].st_shndx = NSECTIONS - 1);
    REFUSED(ET_REL, f.symbol[Y_GLOBAL].st_shndx = NSECTIONS, "symbol 4: there is no section 10");
    REFUSED(ET_REL, f.symbol[Y_GLOBAL].st_info = 3 << 4, "symbol 4 (.data): binding 3 is unknown");
    REFUSED(ET_REL, f.section[S_GROUP].sh_type = SHT_SYMTAB, "two symbol tables, sections 1 and 2");
}

static void relocations_have_limits(void **state)
{
    (void)state;
    READ(ET_REL, f.reloc[0].r_offset = sizeof f.text);
    REFUSED(ET_REL, f.reloc[0].r_offset = sizeof f.text + 1,
            "section 4: relocation at 0xf is outside .text (0xe bytes)");
    READ(ET_REL, f.reloc[0].r_info = (NSYMBOLS - 1) << 8);
    REFUSED(ET_REL, f.reloc[0].r_info = NSYMBOLS << 8,
            "section 4: relocation at 0xc of .text: there is no symbol 9");
    REFUSED(ET_REL, f.section[S_RELA].sh_info = S_BSS, "is outside .bss (0x0 bytes)");
    REFUSED(ET_REL, f.section[S_RELA].sh_info = S_GROUP,
            "relocations of section 2, which has no contents");
    REFUSED(ET_REL, f.section[S_RELA].sh_info = NSECTIONS,
            "relocations of section 10, which has no contents");
    REFUSED(ET_REL, f.section[S_RELA].sh_entsize = 13,
            "section 4: not a table of relocations of 12 bytes");
    REFUSED(ET_REL, f.section[S_RELA].sh_size -= 11,
            "section 4: not a table of relocations of 12 bytes");
    REFUSED(ET_REL, f.section[S_RELA].sh_link = 0,
            "section 4: relocations of the symbols in section 0, not 1");
    REFUSED(ET_REL, f.section[S_RELA].sh_type = SHT_REL, "section 4: relocations without addends");
    REFUSED(ET_REL,
            (f.section[S_GROUP] = f.section[S_RELA],
             f.section[S_GROUP].sh_size = f.section[S_RELA].sh_size = 24),
            "section 4: a second table of relocations of .text");
}

/* also where there are many of them, in any order */
static void relocations_are_sorted_by_place(void **state)
{
    (void)state;
    enum { N = 200 };
    struct {
        File f;
        Elf32_Rela reloc[N];
    } s = {.f = example(ET_REL)};
    s.f.section[S_RELA].sh_offset = sizeof s.f;
    s.f.section[S_RELA].sh_size = sizeof s.reloc;
    for (i32 i = 0; i < N; i++)
        s.reloc[i] = (Elf32_Rela){below(15), R_RISCV_ADD8, i};
    Object *o = accepted(&s, sizeof s);
    const ObjReloc *r = o->sections[0].relocs;
    assert_int_equal(o->sections[0].nrelocs, N);
    for (u32 i = 1; i < N; i++)
        assert_true(r[i - 1].offset < r[i].offset ||
                    (r[i - 1].offset == r[i].offset && r[i - 1].addend < r[i].addend));
    obj_free(o);
}

static void segments_have_limits(void **state)
{
    (void)state;
    const u32 text_end = 0x8000000e;
    Elf32_Phdr *p;
    READ(ET_EXEC, (p = &f.segment[0], p->p_vaddr = 0xffffff00));
    REFUSED(ET_EXEC, (p = &f.segment[0], p->p_vaddr = 0xffffff00, p->p_memsz++),
            "segment 0: 0x101 bytes at 0xffffff00 go past");
    READ(ET_EXEC, f.segment[0].p_vaddr = text_end);
    REFUSED(ET_EXEC, f.segment[0].p_vaddr = text_end - 1,
            "segments at 0x80000000 and 0x8000000d overlap");
    READ(ET_EXEC, f.segment[0].p_vaddr = 0x7fffff00);
    REFUSED(ET_EXEC, f.segment[0].p_vaddr = 0x7fffff01,
            "segments at 0x7fffff01 and 0x80000000 overlap");
    REFUSED(ET_EXEC, f.segment[0].p_vaddr = 0x80000000,
            "segments at 0x80000000 and 0x80000000 overlap");
    READ(ET_EXEC, (p = &f.segment[1], p->p_offset = sizeof f - 14));
    REFUSED(ET_EXEC, (p = &f.segment[1], p->p_offset = sizeof f - 13), "segment 1: 0xe bytes at");
    REFUSED(ET_EXEC, f.segment[1].p_memsz = 13,
            "segment 1: 0xe bytes of file in 0xd bytes of memory");
    REFUSED(ET_EXEC, f.segment[0].p_type = f.segment[1].p_type = PT_NULL,
            "executable without anything to load");
    REFUSED(ET_EXEC, f.segment[0].p_memsz = f.segment[1].p_memsz = 0,
            "executable without anything to load");
    /* all together have no more bytes than the file */
    const u32 rest = sizeof(File) - 14;
    READ(ET_EXEC, (p = &f.segment[0], p->p_memsz = p->p_filesz = rest));
    REFUSED(ET_EXEC, (p = &f.segment[0], p->p_memsz = p->p_filesz = rest + 1),
            "segments overlap in the file");
}

/* Names that share bytes are of at most 16 bytes for each of the file, and 65536. */
static void names_have_a_limit(void **state)
{
    (void)state;
    enum { N = 100, LONG = 2000 };
    typedef struct {
        File f;
        Elf32_Sym symbol[N + 1];
        char names[LONG];
    } Names;
    Names s = {.f = example(ET_REL)};
    u64 left = 16 * sizeof s + 65536 - strlen(".text") - strlen(".bss") - strlen(".data");
    s.f.section[S_RELA].sh_type = SHT_NULL;
    s.f.section[S_SYMBOLS].sh_offset = offsetof(Names, symbol);
    s.f.section[S_SYMBOLS].sh_size = sizeof s.symbol;
    s.f.section[S_SYMBOLS].sh_link = S_GROUP;
    s.f.section[S_GROUP] =
        (Elf32_Shdr){N_END, SHT_STRTAB, .sh_offset = offsetof(Names, names), .sh_size = LONG};
    memset(s.names, 'n', LONG - 1);
    for (u32 i = 1; i <= N; i++) {
        const u32 len = left < LONG - 1 ? (u32)left : LONG - 1;
        s.symbol[i].st_name = LONG - 1 - len;
        left -= len;
    }
    assert_int_equal(left, 0);
    obj_free(accepted(&s, sizeof s));
    assert_int_equal(s.symbol[N].st_name, LONG - 1);
    s.symbol[N].st_name--;
    refused(&s, sizeof s, "names share so many bytes");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(written_files_are_elf),
        cmocka_unit_test(objects_of_others_are_read),
        cmocka_unit_test(images_of_others_are_read),
        cmocka_unit_test(flags_are_told_apart),
        cmocka_unit_test(absent_tables_have_no_sizes),
        cmocka_unit_test(counts_may_stand_elsewhere),
        cmocka_unit_test(tables_end_with_the_file),
        cmocka_unit_test(sections_lie_in_the_file),
        cmocka_unit_test(names_lie_in_their_table),
        cmocka_unit_test(symbols_have_limits),
        cmocka_unit_test(relocations_have_limits),
        cmocka_unit_test(relocations_are_sorted_by_place),
        cmocka_unit_test(segments_have_limits),
        cmocka_unit_test(names_have_a_limit),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
