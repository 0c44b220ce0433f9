/* What must hold of objects as files, of hostile files, and of resource records. */
#include "test/kit/leftover.h"
#include "test/kit/objects.h"
#include "test/kit/random.h"
#include "obj/reloc.h"

/* --- examples ------------------------------------------------------------ */

enum { CODE_WORDS = 8 };

static Object *example_object(void)
{
    const u32 code[CODE_WORDS] = {0x13, 0x13, 0x13, 0x13, 0x13, 0x13, 0x13, 0x13};
    Object *o = obj_new("example.o");
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 16, code, sizeof code);
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, "0123456789ab", 12);
    add_bytes(o, ".comment", SHF_MERGE | SHF_STRINGS, 1, "me", 3);
    add_nobits(o, ".bss", 100);
    obj_add_symbol(o, "", text, 0, STB_LOCAL, STT_SECTION);
    obj_add_symbol(o, "example.s", OBJ_ABS, 0, STB_LOCAL, STT_FILE);
    const u32 label = add_local(o, ".Lhere", text, 8);
    const u32 kernel = add_global(o, "kernel", text, 4);
    o->symbols[kernel].type = STT_FUNC;
    o->symbols[kernel].size = 20;
    const u32 away = add_global(o, "away", OBJ_UNDEF, 0);
    const u32 shared = add_global(o, "shared", OBJ_COMMON, 16);
    o->symbols[shared].size = 64;
    add_global(o, "seven", OBJ_ABS, 7);
    add_reloc(o, text, 12, R_RISCV_BRANCH, label, -4);
    add_reloc(o, text, 16, R_RISCV_CALL, away, 0);
    add_reloc(o, text, 16, R_RISCV_RELAX, OBJ_NO_SYMBOL, 0);
    add_reloc(o, data, 4, R_RISCV_ADD32, kernel, 0x1000);
    add_reloc(o, data, 4, R_RISCV_SUB32, label, 0);
    return o;
}

static Object *image_of(const u32 *words, size_t n)
{
    Object *o = obj_new("example.elf");
    o->is_image = true;
    o->entry = 0x80000000;
    o->segments = mem_zalloc(2, sizeof *o->segments);
    o->nsegments = o->capsegments = 2;
    o->segments[0] = (ObjSegment){.addr = 0x80000000, .memsz = (u32)n * 4, .flags = PF_R | PF_X};
    buf_put(&o->segments[0].data, words, n * 4);
    o->segments[1] = (ObjSegment){.addr = 0x80001000, .memsz = 0x100, .flags = PF_R | PF_W};
    buf_put(&o->segments[1].data, "data", 4);
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, words, n * 4);
    o->sections[text].addr = 0x80000000;
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, "data", 4);
    o->sections[data].addr = 0x80001000;
    return o;
}

static Object *example_image(void)
{
    const u32 words[] = {0x13, 0x13, 0x13};
    Object *o = image_of(words, countof(words));
    const u32 k = add_global(o, "k", 0, 0x80000004);
    o->symbols[k].type = STT_FUNC;
    o->symbols[k].size = 8;
    return o;
}

/* --- files and back ------------------------------------------------------ */

static Buf file_of(const Object *o)
{
    Buf file = {0};
    Caught c;
    catch_in(&c);
    assert_true(obj_write(o, &file, &c.d));
    expect_silence(&c);
    return file;
}

static Object *read_back(const Buf *file)
{
    Object *o;
    Caught c;
    catch_in(&c);
    if (!obj_read("back.o", file->data, file->len, &c.d, &o))
        fail_msg("%s", buf_text(&c.text));
    expect_silence(&c);
    return o;
}

static void same_bytes(const Buf *a, const Buf *b)
{
    assert_int_equal(a->len, b->len);
    if (a->len)
        assert_memory_equal(a->data, b->data, a->len);
}

static void same_section(const ObjSection *a, const ObjSection *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->align, b->align);
    assert_int_equal(a->addr, b->addr);
    assert_int_equal(a->size, b->size);
    same_bytes(&a->data, &b->data);
    assert_int_equal(a->nrelocs, b->nrelocs);
    for (size_t i = 0; i < a->nrelocs; i++)
        assert_memory_equal(&a->relocs[i], &b->relocs[i], sizeof a->relocs[i]);
}

static void same_symbol(const ObjSymbol *a, const ObjSymbol *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->section, b->section);
    assert_int_equal(a->value, b->value);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->bind, b->bind);
    assert_int_equal(a->type, b->type);
}

static void same_object(const Object *a, const Object *b)
{
    assert_int_equal(a->is_image, b->is_image);
    assert_int_equal(a->set, b->set);
    assert_int_equal(a->entry, b->entry);
    assert_int_equal(a->nsections, b->nsections);
    for (size_t i = 0; i < a->nsections; i++)
        same_section(&a->sections[i], &b->sections[i]);
    assert_int_equal(a->nsymbols, b->nsymbols);
    for (size_t i = 0; i < a->nsymbols; i++)
        same_symbol(&a->symbols[i], &b->symbols[i]);
    assert_int_equal(a->nsegments, b->nsegments);
    for (size_t i = 0; i < a->nsegments; i++) {
        assert_int_equal(a->segments[i].addr, b->segments[i].addr);
        assert_int_equal(a->segments[i].memsz, b->segments[i].memsz);
        assert_int_equal(a->segments[i].flags, b->segments[i].flags);
        same_bytes(&a->segments[i].data, &b->segments[i].data);
    }
}

static void round_trip(Object *o)
{
    Buf file = file_of(o);
    Object *back = read_back(&file);
    same_object(o, back);
    obj_free(back);
    obj_free(o);
    buf_free(&file);
}

static void objects_come_back(void **state)
{
    (void)state;
    round_trip(example_object());
}

static void images_come_back(void **state)
{
    (void)state;
    round_trip(example_image());
}

static void empty_objects_come_back(void **state)
{
    (void)state;
    round_trip(obj_new("empty.o"));
}

static void profiles_come_back(void **state)
{
    static const IsaSet sets[] = {V202, V2025, V202 | AI, V2025 | TIDX, V202 | AI | TIDX};
    (void)state;
    for (size_t i = 0; i < countof(sets); i++) {
        Object *o = example_object();
        o->set = sets[i];
        round_trip(o);
    }
}

static void relocations_are_sorted(void **state)
{
    static const u32 offsets[] = {8, 0, 4, 8, 0};
    Object *o = example_object();
    (void)state;
    o->sections[0].nrelocs = 0;
    for (u32 i = 0; i < countof(offsets); i++)
        add_reloc(o, 0, offsets[i], R_RISCV_ADD32, 0, (i32)i);
    static const i32 order[] = {1, 4, 2, 0, 3};
    for (size_t i = 0; i < countof(order); i++)
        assert_int_equal(o->sections[0].relocs[i].addend, order[i]);
    obj_free(o);
}

/* --- parts of a file, to be spoiled -------------------------------------- */

static Elf32_Ehdr *header(const Buf *file)
{
    return (Elf32_Ehdr *)(void *)file->data;
}

static Elf32_Shdr *section(const Buf *file, const char *name)
{
    const Elf32_Ehdr *h = header(file);
    Elf32_Shdr *s = (Elf32_Shdr *)(void *)(file->data + h->e_shoff);
    const char *names = (const char *)file->data + s[h->e_shstrndx].sh_offset;
    for (int i = 0; i < h->e_shnum; i++)
        if (!strcmp(names + s[i].sh_name, name))
            return &s[i];
    fail_msg("no section %s", name);
    return NULL;
}

static Elf32_Sym *symbol(const Buf *file, u32 i)
{
    return (Elf32_Sym *)(void *)(file->data + section(file, ".symtab")->sh_offset) + i;
}

static Elf32_Rela *reloc(const Buf *file, u32 i)
{
    return (Elf32_Rela *)(void *)(file->data + section(file, ".rela.text")->sh_offset) + i;
}

static Elf32_Phdr *segment(const Buf *file, u32 i)
{
    return (Elf32_Phdr *)(void *)(file->data + header(file)->e_phoff) + i;
}

static Buf object_file(void)
{
    Object *o = example_object();
    Buf file = file_of(o);
    obj_free(o);
    return file;
}

static Buf image_file(void)
{
    Object *o = example_image();
    Buf file = file_of(o);
    obj_free(o);
    return file;
}

static void reject(Buf *file, const char *message)
{
    Object *o;
    Caught c;
    catch_in(&c);
    assert_false(obj_read("bad.o", file->data, file->len, &c.d, &o));
    assert_null(o);
    assert_non_null(strstr(buf_text(&c.text), "bad.o: error: "));
    expect_error(&c, message);
    buf_free(file);
}

/* Makes a file, spoils it by the statement, expects the message. */
#define SPOIL(make, statement, message)                                                            \
    do {                                                                                           \
        Buf f = make();                                                                            \
        statement;                                                                                 \
        reject(&f, message);                                                                       \
    } while (0)

/* --- what a file need not be in order of ---------------------------------- */

/* whose offsets in the file are as far apart as their addresses */
static void sections_of_a_segment_share_its_bytes(void **state)
{
    (void)state;
    const u32 words[] = {1, 2, 3, 4};
    Object *o = image_of(words, countof(words));
    o->sections[add_bytes(o, ".text.b", TEXT_FLAGS, 4, words + 2, 8)].addr = 0x80000008;
    Buf f = file_of(o);
    assert_int_equal(section(&f, ".text.b")->sh_offset, section(&f, ".text")->sh_offset + 8);
    assert_memory_equal(f.data + section(&f, ".text.b")->sh_offset, words + 2, 8);
    Object *back = read_back(&f);
    assert_memory_equal(back->sections[obj_find_section(back, ".text.b")].data.data, words + 2, 8);
    obj_free(back);
    obj_free(o);
    buf_free(&f);
}

/* ELF has local symbols first; relocations follow their symbols */
static void writing_sorts_symbols(void **state)
{
    Object *o = obj_new("order.o");
    (void)state;
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, "\x13\0\0\0", 4);
    const u32 global = add_global(o, "global", text, 0);
    add_local(o, "local", text, 0);
    add_reloc(o, text, 0, R_RISCV_JAL, global, 0);
    Buf file = file_of(o);
    Object *back = read_back(&file);
    assert_int_equal(section(&file, ".symtab")->sh_info, 2); /* the first that is not local */
    assert_string_equal(back->symbols[0].name, "local");
    assert_string_equal(back->symbols[back->sections[0].relocs[0].symbol].name, "global");
    obj_free(back);
    obj_free(o);
    buf_free(&file);
}

static void files_need_not_be_sorted(void **state)
{
    Buf f = object_file();
    (void)state;
    const Elf32_Rela first = *reloc(&f, 0);
    *reloc(&f, 0) = *reloc(&f, 1); /* at 16, then 12, then 16 */
    *reloc(&f, 1) = first;
    Object *o = read_back(&f);
    assert_int_equal(o->sections[0].relocs[0].offset, 12);
    assert_int_equal(o->sections[0].relocs[1].type, R_RISCV_CALL);
    assert_int_equal(o->sections[0].relocs[2].type, R_RISCV_RELAX);
    obj_free(o);
    buf_free(&f);
    f = image_file();
    const Elf32_Phdr low = *segment(&f, 0);
    *segment(&f, 0) = *segment(&f, 1);
    *segment(&f, 1) = low;
    o = read_back(&f);
    assert_int_equal(o->segments[0].addr, 0x80000000);
    obj_free(o);
    buf_free(&f);
}

static void sections_outside_segments_keep_their_bytes(void **state)
{
    Object *o = example_image();
    (void)state;
    const i32 at = add_bytes(o, ".away", DATA_FLAGS, 4, "away", 4);
    o->sections[at].addr = 0x8000000c; /* after .text */
    round_trip(o);
}

/* The gABI: strings that may be merged are of characters of sh_entsize bytes. */
static void strings_have_characters(void **state)
{
    Buf f = object_file();
    (void)state;
    assert_int_equal(section(&f, ".comment")->sh_entsize, 1);
    assert_int_equal(section(&f, ".text")->sh_entsize, 0);
    assert_int_equal(section(&f, ".symtab")->sh_entsize, sizeof(Elf32_Sym));
    assert_int_equal(section(&f, ".rela.text")->sh_entsize, sizeof(Elf32_Rela));
    buf_free(&f);
}

static void headers_are_checked(void **state)
{
    (void)state;
    SPOIL(object_file, f.len = 3, "not an ELF file");
    SPOIL(object_file, f.data[1] = 'e', "not an ELF file");
    SPOIL(object_file, f.len = 51, "truncated: 51 bytes are less than an ELF header");
    SPOIL(object_file, f.data[EI_CLASS] = ELFCLASS64, "64-bit ELF");
    SPOIL(object_file, f.data[EI_CLASS] = 7, "ELF class 7 is unknown");
    SPOIL(object_file, f.data[EI_DATA] = ELFDATA2MSB, "big-endian ELF");
    SPOIL(object_file, header(&f)->e_machine = EM_386, "machine 3 is not RISC-V (243)");
    SPOIL(object_file, header(&f)->e_type = ET_DYN, "shared object");
    SPOIL(object_file, header(&f)->e_type = ET_CORE, "neither object nor executable");
    SPOIL(object_file, header(&f)->e_shentsize = 39, "section headers of 39 bytes, not 40");
    SPOIL(image_file, header(&f)->e_phentsize = 31, "program headers of 31 bytes, not 32");
    SPOIL(object_file, header(&f)->e_flags = 1, "compressed instructions");
    SPOIL(object_file, header(&f)->e_flags = 4, "float register file");
    SPOIL(object_file, header(&f)->e_flags = 0x20, "unknown ELF flags 0x20");
}

static void sections_are_checked(void **state)
{
    (void)state;
    SPOIL(object_file, header(&f)->e_shoff = 0xfffffff0,
          "truncated: section headers at 0xfffffff0");
    SPOIL(object_file, header(&f)->e_shnum = 5000, "truncated: 5000 section headers");
    SPOIL(object_file, (section(&f, "")->sh_size = 0x10000000, header(&f)->e_shnum = 0),
          "truncated: 268435456 section headers");
    SPOIL(object_file, header(&f)->e_shstrndx = 1, "section 1 is not a string table");
    SPOIL(object_file, header(&f)->e_shstrndx = 999, "section 999 is not a string table");
    SPOIL(object_file, section(&f, ".data")->sh_size = 0x7fffffff,
          "0x7fffffff bytes at 0x60, but the file has");
    SPOIL(object_file, section(&f, ".data")->sh_offset = 0xffffffff, "bytes at 0xffffffff");
    SPOIL(object_file, section(&f, ".data")->sh_name = 0x5000,
          "its name is not in the string table");
    SPOIL(object_file, section(&f, ".data")->sh_addralign = 3,
          "(.data): alignment 3 is not a power");
    SPOIL(object_file, section(&f, ".data")->sh_type = SHT_SYMTAB, "two symbol tables");
    SPOIL(object_file, section(&f, ".shstrtab")->sh_size = section(&f, ".bss")->sh_name + 2,
          "section 4: its name is not in the string table");
}

static void symbols_are_checked(void **state)
{
    (void)state;
    SPOIL(object_file, section(&f, ".symtab")->sh_entsize = 24,
          "not a table of symbols of 16 bytes");
    SPOIL(object_file, section(&f, ".symtab")->sh_size -= 1, "not a table of symbols of 16 bytes");
    SPOIL(object_file, section(&f, ".symtab")->sh_link = 1, "symbol 2: its name is not in");
    SPOIL(object_file, symbol(&f, 4)->st_name = 0x7fffffff, "symbol 4: its name is not in");
    SPOIL(object_file, symbol(&f, 4)->st_info = 0xf0, "symbol 4 (kernel): binding 15 is unknown");
    SPOIL(object_file, symbol(&f, 4)->st_shndx = 500, "symbol 4: there is no section 500");
    SPOIL(object_file, symbol(&f, 4)->st_shndx = SHN_XINDEX, "symbol 4: there is no section 65535");
    SPOIL(object_file, symbol(&f, 6)->st_value = 12,
          "symbol 6: alignment 12 is not a power of two");
}

static void relocations_are_checked(void **state)
{
    (void)state;
    SPOIL(object_file, section(&f, ".rela.text")->sh_type = SHT_REL, "relocations without addends");
    SPOIL(object_file, section(&f, ".rela.text")->sh_entsize = 8,
          "not a table of relocations of 12");
    SPOIL(object_file, section(&f, ".rela.text")->sh_link = 1,
          "relocations of the symbols in section 1");
    SPOIL(object_file, section(&f, ".rela.text")->sh_info = 77, "relocations of section 77");
    SPOIL(object_file, section(&f, ".rela.data")->sh_info = 1,
          "a second table of relocations of .text");
    SPOIL(object_file, reloc(&f, 0)->r_offset = 33,
          "relocation at 0x21 is outside .text (0x20 bytes)");
    SPOIL(object_file, reloc(&f, 0)->r_info = 99 << 8, "of .text: there is no symbol 99");
}

static void segments_are_checked(void **state)
{
    (void)state;
    SPOIL(image_file, header(&f)->e_phoff = 0x7fffffff,
          "truncated: 2 program headers at 0x7fffffff");
    SPOIL(image_file, header(&f)->e_phnum = 0, "executable without anything to load");
    SPOIL(image_file, segment(&f, 0)->p_memsz = 4,
          "segment 0: 0xc bytes of file in 0x4 bytes of memory");
    SPOIL(image_file, segment(&f, 1)->p_vaddr = 0xffffff80, "go past the address space");
    SPOIL(image_file, segment(&f, 1)->p_offset = 0x12345678,
          "segment 1: 0x4 bytes at 0x12345678, but");
    SPOIL(image_file, segment(&f, 1)->p_vaddr = 0x80000008,
          "segments at 0x80000000 and 0x80000008 overlap");
}

/* --- files that want much memory ----------------------------------------- */

static void contents_are_not_copied_many_times(void **state)
{
    (void)state;
    SPOIL(object_file,
          (section(&f, ".data")->sh_offset = 0, section(&f, ".data")->sh_size = (u32)f.len,
           section(&f, ".text")->sh_offset = 0),
          "sections overlap in the file");
    SPOIL(image_file,
          (segment(&f, 0)->p_offset = 0, segment(&f, 1)->p_offset = 0,
           segment(&f, 0)->p_filesz = segment(&f, 0)->p_memsz = 0x1800,
           segment(&f, 1)->p_filesz = segment(&f, 1)->p_memsz = 0x1800),
          "segments overlap in the file");
}

static void names_are_not_copied_many_times(void **state)
{
    Object *o = obj_new("names.o");
    char name[4001] = {0};
    (void)state;
    memset(name, 'n', sizeof name - 1);
    add_global(o, name, OBJ_ABS, 0);
    for (int i = 0; i < 1000; i++)
        add_global(o, "", OBJ_ABS, 0);
    Buf f = file_of(o);
    obj_free(o);
    for (u32 i = 1; i <= 1001; i++)
        symbol(&f, i)->st_name = 1;
    reject(&f, "names share so many bytes");
}

/* Numbers that cost nothing may be as large as they like. */
static void memory_sizes_are_only_numbers(void **state)
{
    Buf f = image_file();
    (void)state;
    segment(&f, 1)->p_memsz = 0x7f000000;
    Object *o = read_back(&f);
    assert_int_equal(o->segments[1].memsz, 0x7f000000);
    assert_int_equal(o->segments[1].data.len, 4);
    obj_free(o);
    buf_free(&f);
}

/* --- damage anywhere ----------------------------------------------------- */

/* xorshift64 (Marsaglia, 2003) */
static u32 next_random(u64 *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (u32)(*seed >> 32);
}

/* Reads it from a heap block of exactly its size and uses what comes out. */
static void try_file(const u8 *bytes, size_t len)
{
    Diag d = {0};
    Object *o;
    Resource r;
    u64 past;
    Buf out = {0};
    u8 *copy = mem_alloc(len);
    memcpy(copy, bytes, len);
    if (obj_read("damaged", copy, len, &d, &o)) {
        assert_int_equal(d.errors, 0);
        resource_read(o, "kernel", &r, &d);
        resource_generation(o);
        obj_symbol_at(o, -1, 0x80000004, &past);
        obj_find_symbol(o, "kernel");
        obj_write(o, &out, &d);
    } else {
        assert_int_equal(d.errors, 1);
    }
    obj_free(o);
    buf_free(&out);
    mem_free(copy);
}

/* Between segments are pages of zeros, where damage shows nothing. */
static bool in_hole(const Buf *file, size_t at)
{
    static const u8 zeros[64];
    return at + sizeof zeros <= file->len && !memcmp(file->data + at, zeros, sizeof zeros);
}

static size_t random_place(const Buf *file, u64 *seed)
{
    size_t at = next_random(seed) % file->len;
    while (in_hole(file, at))
        at = next_random(seed) % file->len;
    return at;
}

static void damage_byte(Buf *file, size_t at, u64 *seed)
{
    const u8 was = file->data[at];
    const u8 tries[] = {0, 0xff, (u8)(was + 1), (u8)(was ^ 0x80), (u8)next_random(seed)};
    for (size_t i = 0; i < countof(tries); i++) {
        file->data[at] = tries[i];
        try_file(file->data, file->len);
    }
    file->data[at] = was;
}

static void damage_some(const Buf *file, u8 *copy, u64 *seed)
{
    memcpy(copy, file->data, file->len);
    for (int i = 0; i < 4; i++)
        copy[random_place(file, seed)] = (u8)next_random(seed);
    try_file(copy, file->len);
}

static void damage(Buf file)
{
    u64 seed = 0x9e3779b97f4a7c15;
    u8 *copy = mem_alloc(file.len);
    for (size_t len = 0; len < file.len; len++)
        if (!in_hole(&file, len))
            try_file(file.data, len);
    for (size_t i = 0; i < file.len; i++)
        if (!in_hole(&file, i))
            damage_byte(&file, i, &seed);
    for (int i = 0; i < 20000; i++)
        damage_some(&file, copy, &seed);
    mem_free(copy);
    buf_free(&file);
}

static void damaged_objects_do_no_harm(void **state)
{
    (void)state;
    damage(object_file());
}

static void damaged_images_do_no_harm(void **state)
{
    (void)state;
    damage(image_file());
}

/* --- the writer's refusals ----------------------------------------------- */

static void refuse(Object *o, const char *message)
{
    Buf out = {0};
    Caught c;
    catch_in(&c);
    assert_false(obj_write(o, &out, &c.d));
    expect_error(&c, message);
    buf_free(&out);
    obj_free(o);
}

static void unsound_objects_are_not_written(void **state)
{
    (void)state;
    Object *o = example_object();
    o->sections[1].size++;
    refuse(o, "section .data: size and contents differ");
    o = example_object();
    o->sections[1].data.failed = true;
    refuse(o, "section .data: out of memory");
    o = example_object();
    o->sections[0].relocs[0].symbol = 1000;
    refuse(o, "section .text: relocation of a symbol that is not there");
    o = example_object();
    o->symbols[0].section = 4;
    refuse(o, "there is no section 4");
    o = obj_new("many.o");
    for (int i = 0; i < 0xff00; i++)
        obj_add_section(o, "", SHT_PROGBITS, 0, 1);
    refuse(o, "sections are more than an ELF file can have");
}

/* --- searching ----------------------------------------------------------- */

static void global_definitions_are_found_first(void **state)
{
    Object *o = obj_new("find.o");
    (void)state;
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, "", 0);
    const u32 undefined = add_global(o, "f", OBJ_UNDEF, 0);
    assert_int_equal(obj_find_symbol(o, "f"), undefined);
    const u32 local = add_local(o, "f", text, 0);
    assert_int_equal(obj_find_symbol(o, "f"), local);
    const u32 global = add_global(o, "f", text, 4);
    assert_int_equal(obj_find_symbol(o, "f"), global);
    assert_int_equal(obj_find_symbol(o, "g"), -1);
    assert_int_equal(obj_find_section(o, ".text"), text);
    assert_int_equal(obj_find_section(o, ".data"), -1);
    obj_free(o);
}

static void addresses_have_names(void **state)
{
    Object *o = obj_new("at.o");
    u64 past;
    (void)state;
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, "", 0);
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, "", 0);
    obj_add_symbol(o, "", text, 0, STB_LOCAL, STT_SECTION);
    obj_add_symbol(o, "$x", text, 8, STB_LOCAL, STT_NOTYPE);
    add_local(o, "label", text, 4);
    add_global(o, "alias", text, 4);
    obj_add_symbol(o, "function", text, 4, STB_LOCAL, STT_FUNC);
    add_global(o, "variable", data, 6);
    assert_null(obj_symbol_at(o, text, 3, &past));
    assert_string_equal(obj_symbol_at(o, text, 10, &past), "function");
    assert_int_equal(past, 6);
    assert_string_equal(obj_symbol_at(o, -1, 10, &past), "variable");
    assert_int_equal(past, 4);
    obj_free(o);
}

/* The rules of obj.h, a pass over the symbols for each rank. */
static i32 find_by_rule(const Object *o, const char *name)
{
    for (int rank = 0; rank < 3; rank++)
        for (size_t i = 0; i < o->nsymbols; i++) {
            const ObjSymbol *s = &o->symbols[i];
            const int of = s->section == OBJ_UNDEF ? 2 : s->bind == STB_LOCAL;
            if (of == rank && s->type != STT_SECTION && s->type != STT_FILE && !strcmp(s->name, name))
                return (i32)i;
        }
    return -1;
}

/* of the labels that lie nearest: functions, then what is not local, then the first */
static const ObjSymbol *name_by_rule(const Object *o, i32 section, u32 addr)
{
    for (u64 value = addr; value <= addr; value--)
        for (int rank = 0; rank < 4; rank++)
            for (size_t i = 0; i < o->nsymbols; i++) {
                const ObjSymbol *s = &o->symbols[i];
                const bool is_here = section < 0 ? s->section >= 0 : s->section == section;
                const bool is_named = s->name[0] && s->name[0] != '$' && s->type != STT_SECTION && s->type != STT_FILE;
                const int of = 2 * (s->type != STT_FUNC) + (s->bind == STB_LOCAL);
                if (is_here && is_named && s->value == value && of == rank)
                    return s;
            }
    return NULL;
}

static void names_follow_the_rules(void **state)
{
    static const char *const names[] = {"f", "g", "", "$x"};
    static const u8 binds[] = {STB_LOCAL, STB_GLOBAL, STB_WEAK};
    static const u8 types[] = {STT_NOTYPE, STT_FUNC, STT_OBJECT, STT_SECTION, STT_FILE};
    (void)state;
    for (int round = 0; round < 2000; round++) {
        Object *o = obj_new("rules.o");
        add_bytes(o, ".text", TEXT_FLAGS, 4, "", 0);
        add_bytes(o, ".data", DATA_FLAGS, 4, "", 0);
        for (u32 n = below(6); n; n--)
            obj_add_symbol(o, names[below(countof(names))], (i32)below(5) - 3, below(4), binds[below(countof(binds))],
                           types[below(countof(types))]);
        for (size_t i = 0; i < countof(names); i++)
            assert_int_equal(obj_find_symbol(o, names[i]), find_by_rule(o, names[i]));
        for (i32 section = -1; section < 2; section++)
            for (u32 addr = 0; addr < 5; addr++) {
                u64 past = 77;
                const ObjSymbol *want = name_by_rule(o, section, addr);
                assert_ptr_equal(obj_symbol_at(o, section, addr, &past), want ? want->name : NULL);
                assert_int_equal(past, want ? addr - want->value : 77);
            }
        obj_free(o);
    }
}

static void relocations_have_names(void **state)
{
    (void)state;
    assert_string_equal(obj_reloc_name(R_RISCV_PCREL_LO12_S), "PCREL_LO12_S");
    assert_string_equal(obj_reloc_name(R_RISCV_32), "32");
    assert_string_equal(obj_reloc_name(R_RISCV_32_PCREL), "32_PCREL");
    assert_string_equal(obj_reloc_name(R_RISCV_TLS_GD_HI20), "TLS_GD_HI20");
    assert_string_equal(obj_reloc_name(R_RISCV_SUB6), "SUB6");
    assert_null(obj_reloc_name(12));
    assert_null(obj_reloc_name(255));
}

/* psABI, "Relocations"; older <elf.h> end before these */
#ifndef R_RISCV_PLT32
#define R_RISCV_PLT32 59
#endif
#ifndef R_RISCV_SET_ULEB128
#define R_RISCV_SET_ULEB128 60
#define R_RISCV_SUB_ULEB128 61
#endif

static void relocations_have_the_numbers_of_elf_h(void **state)
{
    (void)state;
#define RELOC(number, name, value, field)                                                          \
    assert_int_equal(number, R_RISCV_##name);                                                      \
    assert_string_equal(obj_reloc_name(R_RISCV_##name), #name);
#include "obj/reloc.def"
}

/* --- resource records ---------------------------------------------------- */

static const Resource sample = {.form = RES_LONG,
                                .version = 3,
                                .flags = RES_RECURSION,
                                .vgpr = 40,
                                .sgpr = 33,
                                .lds_static = 1000,
                                .pds_static = 12,
                                .lds_stack = 64,
                                .pds_stack = UINT64_MAX};

static void read_record(const Object *o, const char *kernel, Resource *r)
{
    Caught c;
    catch_in(&c);
    assert_true(resource_read(o, kernel, r, &c.d));
    expect_silence(&c);
}

static void same_resource(const Resource *a, const Resource *b)
{
    assert_int_equal(a->form, b->form);
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->vgpr, b->vgpr);
    assert_int_equal(a->sgpr, b->sgpr);
    assert_int_equal(a->lds_static, b->lds_static);
    assert_int_equal(a->pds_static, b->pds_static);
    assert_int_equal(a->lds_stack, b->lds_stack);
    assert_int_equal(a->pds_stack, b->pds_stack);
}

static void records_come_back(void **state)
{
    Object *o = example_object();
    Resource r;
    (void)state;
    assert_true(resource_add(o, "kernel", &sample));
    assert_true(resource_add(o, "", &(Resource){.vgpr = 7}));
    const ObjSection *s = &o->sections[o->nsections - 2];
    assert_string_equal(s->name, ".ventus.resource.kernel");
    assert_int_equal(s->data.len, 56);
    assert_int_equal(s->align, 8);
    assert_string_equal(resource_kernel(s), "kernel");
    assert_null(resource_kernel(&o->sections[0]));
    read_record(o, "kernel", &r);
    same_resource(&r, &sample);
    read_record(o, "", &r);
    assert_int_equal(r.vgpr, 7);
    read_record(o, "kern", &r);
    assert_int_equal(r.form, RES_NONE);
    obj_free(o);
}

/* 3 VGPR, 7 SGPR, 16 bytes of LDS: the public example of isa.md */
static const u8 short_record[] = {3, 0, 7, 0, 16, 0, 0, 0};

static void short_records_are_read(void **state)
{
    Object *o = example_object();
    Resource r;
    (void)state;
    add_bytes(o, ".ventus.resource.kernel", SHF_WRITE, 1, short_record, sizeof short_record);
    read_record(o, "kernel", &r);
    assert_int_equal(r.form, RES_SHORT);
    assert_int_equal(r.vgpr, 3);
    assert_int_equal(r.sgpr, 7);
    assert_int_equal(r.lds_static, 16);
    assert_int_equal(r.pds_static, 0);
    assert_true(r.lds_stack == UINT64_MAX);
    obj_free(o);
}

static void add_function(Object *o, const char *name, u32 value)
{
    const i32 at = obj_add_symbol(o, name, 0, value, STB_GLOBAL, STT_FUNC);
    o->symbols[at].size = 4;
}

/* the records follow the kernels in memory, whatever the order of symbols */
static void records_without_names_follow_definitions(void **state)
{
    static const u8 records[] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
    Object *o = example_image();
    Resource r;
    (void)state;
    add_bytes(o, ".rodata.ventus.resource", SHF_WRITE, 1, records, sizeof records);
    add_function(o, "before", 0x80000000);
    add_function(o, "_Z13get_global_idj", 0x80000008);
    obj_add_symbol(o, "label", 0, 0x80000000, STB_GLOBAL, STT_FUNC); /* has no size */
    read_record(o, "before", &r);
    assert_int_equal(r.vgpr, 1);
    read_record(o, "k", &r);
    assert_int_equal(r.vgpr, 2);
    add_function(o, "helper", 0x80000008);
    read_record(o, "before", &r);
    assert_int_equal(r.vgpr, 2);
    read_record(o, "_Z13get_global_idj", &r);
    assert_int_equal(r.form, RES_NONE);
    obj_free(o);
}

/* where they cannot be told apart, the largest of each number holds */
static void records_of_nobody_are_merged(void **state)
{
    static const u8 records[] = {1, 0, 0, 0, 5, 0, 0, 0, 2, 0, 9, 0, 0, 0, 0, 0,
                                 1, 0, 0, 0, 0, 0, 7, 0, 4, 0, 0, 0, 0, 0, 0, 0};
    Object *o = example_image();
    Resource r;
    (void)state;
    add_bytes(o, ".rodata.ventus.resource", SHF_WRITE, 1, records, sizeof records);
    read_record(o, "k", &r);
    assert_true(r.vgpr == 4 && r.sgpr == 9 && r.lds_static == 5 && r.pds_static == 7);
    obj_free(o);
}

static void oldest_records_are_in_rodata(void **state)
{
    Object *o = example_image();
    Resource r;
    (void)state;
    const i32 at = add_bytes(o, ".rodata", SHF_WRITE, 1, short_record, sizeof short_record);
    read_record(o, "k", &r);
    assert_int_equal(r.sgpr, 7);
    o->sections[at].flags |= SHF_ALLOC; /* then it is data of the program */
    read_record(o, "k", &r);
    assert_int_equal(r.form, RES_NONE);
    obj_free(o);
}

static void spoil_record(const char *name, const void *bytes, size_t len, const char *message)
{
    Object *o = example_image();
    Resource r;
    Caught c;
    catch_in(&c);
    add_bytes(o, name, 0, 1, bytes, len);
    assert_false(resource_read(o, "k", &r, &c.d));
    expect_error(&c, message);
    obj_free(o);
}

static void malformed_records_are_reported(void **state)
{
    static const u8 version9[56] = {9};
    (void)state;
    spoil_record(".ventus.resource.k", version9, 55,
                 "a resource record of 55 bytes; it has 8 or 56");
    spoil_record(".ventus.resource.k", version9, 56,
                 "resource record of version 9; 2 and 3 are known");
    spoil_record(".rodata.ventus.resource", version9, 12,
                 "resource records in 12 bytes; each has 8");
    spoil_record(".rodata.ventus.resource", "", 0, "resource records in 0 bytes; each has 8");
}

static void merging_takes_the_larger(void **state)
{
    const Resource a = {.vgpr = 1, .sgpr = 9, .lds_stack = 5, .flags = 1, .form = RES_LONG};
    const Resource b = {.vgpr = 4, .sgpr = 2, .pds_stack = 3, .flags = 8, .form = RES_LONG};
    (void)state;
    const Resource m = resource_merge(&a, &b);
    assert_int_equal(m.vgpr, 4);
    assert_int_equal(m.sgpr, 9);
    assert_int_equal(m.lds_stack, 5);
    assert_int_equal(m.pds_stack, 3);
    assert_int_equal(m.flags, 9);
}

/* --- generations --------------------------------------------------------- */

enum { SP = 2, TP = 4, T0 = 5, T1 = 6, T2 = 7, KNL = 0x803, WID = 0x805, LDS = 0x806 };

#define CSRR(rd, csr)      word_of({I_csrrs, {rd, csr, 0}})
#define LW(rd, offset, rs) word_of({I_lw, {rd, offset, rs}})
#define LI(rd, imm)        word_of({I_addi, {rd, 0, imm}})
#define MUL(rd, a, b)      word_of({I_mul, {rd, a, b}})
#define ADD(rd, a, b)      word_of({I_add, {rd, a, b}})
#define SLLI(rd, rs, by)   word_of({I_slli, {rd, rs, by}})
#define CALL_T1            word_of({I_jalr, {1, 0, T1}})

static void expect_generation(const u32 *words, size_t n, Generation want, int tp_word)
{
    Object *o = image_of(words, n);
    assert_string_equal(generation_name(resource_generation(o)), generation_name(want));
    assert_int_equal(resource_tp_word(o), tp_word);
    obj_free(o);
}

#define EXPECT_GENERATION(want, tp, ...)                                                           \
    do {                                                                                           \
        const u32 words[] = {__VA_ARGS__, CALL_T1, LW(T0, 60, T0)};                                \
        expect_generation(words, countof(words), want, tp);                                        \
    } while (0)

static void generations_are_told_apart(void **state)
{
    (void)state;
    EXPECT_GENERATION(GEN_A, -1, CSRR(SP, LDS), LI(TP, 0), CSRR(T0, KNL), LW(T1, 0, T0));
    /* words of shipped objects (swif 3.1): li t3,1024; mul */
    EXPECT_GENERATION(GEN_B, -1, 0x80502373, 0x806023f3, 0x40000e13, 0x03c30333, 0x00730133,
                      0x00000213, 0x803022f3, 0x0002a303);
    EXPECT_GENERATION(GEN_B, -1, CSRR(T1, WID), SLLI(T1, T1, 10), CSRR(T2, LDS), ADD(SP, T1, T2),
                      CSRR(T0, KNL), LW(T1, 0, T0));
    EXPECT_GENERATION(GEN_B2, -1, CSRR(T0, KNL), LW(T2, 56, T0), CSRR(T1, WID), MUL(SP, T1, T2),
                      LW(T1, 0, T0));
    EXPECT_GENERATION(GEN_C, 64, CSRR(T0, KNL), LW(T2, 60, T0), LW(T1, 56, T0), LW(TP, 64, T0),
                      LW(T1, 0, T0));
    EXPECT_GENERATION(GEN_C, 68, CSRR(T0, KNL), LW(T2, 60, T0), LW(T1, 68, T0),
                      word_of({I_addi, {TP, T1, 0}}), LW(T1, 0, T0));
    EXPECT_GENERATION(GEN_B, -1, CSRR(T0, KNL), LW(T1, 0, T0)); /* no stack at all */
    EXPECT_GENERATION(GEN_BARE, -1, CSRR(T0, KNL), LI(SP, 64), LW(T1, 0, T0));
    EXPECT_GENERATION(GEN_BARE, -1, LI(T0, 1024), LW(T1, 0, T0));
    /* the last register; a stack that is not in local memory; words of something else */
    EXPECT_GENERATION(GEN_B, -1, CSRR(31, KNL), LW(T1, 0, 31));
    EXPECT_GENERATION(GEN_BARE, -1, CSRR(SP, WID), CSRR(T0, KNL), LW(T1, 0, T0));
    EXPECT_GENERATION(GEN_BARE, -1, CSRR(T0, LDS), LW(T1, 0, T0));
    /* numbers that are no size of a stack: 64, and 1024 beside another register */
    EXPECT_GENERATION(GEN_BARE, -1, CSRR(T1, WID), LI(T2, 64), MUL(SP, T1, T2), CSRR(T0, KNL),
                      LW(T1, 0, T0));
    EXPECT_GENERATION(GEN_BARE, -1, CSRR(T1, WID), word_of({I_addi, {SP, T1, 1024}}),
                      CSRR(T0, KNL), LW(T1, 0, T0));
    /* 32 words of metadata count */
    EXPECT_GENERATION(GEN_B, 124, CSRR(T0, KNL), LW(TP, 124, T0), LW(T1, 0, T0));
    EXPECT_GENERATION(GEN_B, -1, CSRR(T0, KNL), LW(TP, 128, T0), LW(T1, 0, T0));
    EXPECT_GENERATION(GEN_B, -1, CSRR(T0, KNL), LW(TP, -4, T0), LW(T1, 0, T0));
}

static void generation_of_no_code_is_bare(void **state)
{
    Object *o = example_image();
    (void)state;
    o->entry = 0x1000;
    assert_int_equal(resource_generation(o), GEN_BARE);
    o->entry = 0x80001003; /* one byte of data left */
    assert_int_equal(resource_generation(o), GEN_BARE);
    obj_free(o);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(objects_come_back),
        cmocka_unit_test(images_come_back),
        cmocka_unit_test(empty_objects_come_back),
        cmocka_unit_test(profiles_come_back),
        cmocka_unit_test(relocations_are_sorted),
        cmocka_unit_test(sections_of_a_segment_share_its_bytes),
        cmocka_unit_test(writing_sorts_symbols),
        cmocka_unit_test(files_need_not_be_sorted),
        cmocka_unit_test(sections_outside_segments_keep_their_bytes),
        cmocka_unit_test(strings_have_characters),
        cmocka_unit_test(headers_are_checked),
        cmocka_unit_test(sections_are_checked),
        cmocka_unit_test(symbols_are_checked),
        cmocka_unit_test(relocations_are_checked),
        cmocka_unit_test(segments_are_checked),
        cmocka_unit_test(contents_are_not_copied_many_times),
        cmocka_unit_test(names_are_not_copied_many_times),
        cmocka_unit_test(memory_sizes_are_only_numbers),
        cmocka_unit_test(damaged_objects_do_no_harm),
        cmocka_unit_test(damaged_images_do_no_harm),
        cmocka_unit_test(unsound_objects_are_not_written),
        cmocka_unit_test(global_definitions_are_found_first),
        cmocka_unit_test(addresses_have_names),
        cmocka_unit_test(names_follow_the_rules),
        cmocka_unit_test(relocations_have_names),
        cmocka_unit_test(relocations_have_the_numbers_of_elf_h),
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(short_records_are_read),
        cmocka_unit_test(records_without_names_follow_definitions),
        cmocka_unit_test(records_of_nobody_are_merged),
        cmocka_unit_test(oldest_records_are_in_rodata),
        cmocka_unit_test(malformed_records_are_reported),
        cmocka_unit_test(merging_takes_the_larger),
        cmocka_unit_test(generations_are_told_apart),
        cmocka_unit_test(generation_of_no_code_is_bare),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
