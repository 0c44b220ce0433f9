/* What must hold of linking: who defines what, where everything goes, which bytes
 * relocations leave, what is refused.  The last tests compare with outside assemblers
 * and linkers; they are skipped, and say so, where those are not installed. */
#include "test/kit/objects.h"
#include "test/kit/lack.h"
#include "link/link.h"
#include <malloc.h>
#include <unistd.h>

#define TEXT 0x80000000u

/* --- linking ------------------------------------------------------------- */

static const LinkOptions plain = {.output = "out.elf"};

static Object *link_with(const LinkOptions *opt, const Object *const *objects, size_t n, Caught *c)
{
    Object *image = link_objects(objects, n, opt, &c->d);
    if ((image == NULL) != (c->d.errors > 0))
        fail_msg("image or error: %s", buf_text(&c->text));
    return image;
}

/* Links and frees the objects; they must go together without a message. */
static Object *link_well(const LinkOptions *opt, Object **objects, size_t n)
{
    Caught c;
    catch_in(&c);
    Object *image = link_with(opt, (const Object *const *)objects, n, &c);
    expect_silence(&c);
    for (size_t i = 0; i < n; i++)
        obj_free(objects[i]);
    return image;
}

static void link_badly(const LinkOptions *opt, Object **objects, size_t n, const char *message)
{
    Caught c;
    catch_in(&c);
    assert_null(link_with(opt, (const Object *const *)objects, n, &c));
    expect_error(&c, message);
    for (size_t i = 0; i < n; i++)
        obj_free(objects[i]);
}

#define LINK(...)                                                                                  \
    link_well(&plain, (Object *[]){__VA_ARGS__},                                                   \
              sizeof((Object *[]){__VA_ARGS__}) / sizeof(Object *))
#define LINK_BADLY(message, ...)                                                                   \
    link_badly(&plain, (Object *[]){__VA_ARGS__},                                                  \
               sizeof((Object *[]){__VA_ARGS__}) / sizeof(Object *), message)

/* --- looking at images --------------------------------------------------- */

static u32 address_of(const Object *image, const char *name)
{
    const i32 at = obj_find_symbol(image, name);
    if (at < 0)
        fail_msg("no symbol %s", name);
    return image->symbols[at].value;
}

/* the 32 bits at an address, as a loader sees them */
static u32 word_at(const Object *image, u32 addr)
{
    for (size_t i = 0; i < image->nsegments; i++) {
        const ObjSegment *g = &image->segments[i];
        const u32 past = addr - g->addr;
        u32 word = 0;
        if (addr < g->addr || past + 4 > g->memsz)
            continue;
        if (past + 4 <= g->data.len)
            memcpy(&word, g->data.data + past, 4);
        return word;
    }
    fail_msg("nothing at %x", addr);
    return 0;
}

static const ObjSection *section(const Object *image, const char *name)
{
    const i32 at = obj_find_section(image, name);
    if (at < 0)
        fail_msg("no section %s", name);
    return &image->sections[at];
}

/* --- small objects ------------------------------------------------------- */

enum { W_NOP = 0x13, W_BEQ = 0x63, W_JAL = 0x6f, W_AUIPC = 0x17, W_LUI = 0x37, W_ADDI = 0x13 };

/* an object with these words as .text and _start at their beginning */
static Object *code_object(const char *name, const u32 *words, size_t n)
{
    Object *o = obj_new(name);
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, words, n * 4);
    add_global(o, "_start", text, 0);
    return o;
}

#define CODE(...) code_object("a.o", (const u32[]){__VA_ARGS__}, sizeof((u32[]){__VA_ARGS__}) / 4)

/* an object whose section `name` holds four bytes, at the global symbol `symbol` */
static Object *word_object(const char *file, const char *name, u32 flags, const char *symbol,
                           u32 word)
{
    Object *o = obj_new(file);
    add_global(o, symbol, add_bytes(o, name, flags, 4, &word, 4), 0);
    return o;
}

static Object *function_object(const char *file, const char *symbol)
{
    return word_object(file, ".text", TEXT_FLAGS, symbol, 0x8067);
}

/* --- symbols ------------------------------------------------------------- */

static void references_reach_other_objects(void **state)
{
    Object *a = CODE(W_JAL, W_NOP);
    (void)state;
    add_reloc(a, 0, 0, R_RISCV_JAL, add_global(a, "f", OBJ_UNDEF, 0), 0);
    Object *image = LINK(a, function_object("b.o", "f"));
    assert_int_equal(address_of(image, "f"), TEXT + 8);
    assert_int_equal(word_at(image, TEXT), 0x0080006f); /* j .+8 */
    obj_free(image);
}

static void local_symbols_do_not_meet(void **state)
{
    Object *a = CODE(W_NOP), *b = word_object("b.o", ".data", DATA_FLAGS, "p", 0);
    (void)state;
    add_local(a, "here", 0, 0);
    const u32 here = add_local(b, "here", 0, 0);
    add_reloc(b, 0, 0, R_RISCV_32, here, 0);
    Object *image = LINK(a, b);
    assert_int_equal(word_at(image, address_of(image, "p")), address_of(image, "p"));
    obj_free(image);
}

static void weak_gives_way(void **state)
{
    Object *weak = word_object("w.o", ".data", DATA_FLAGS, "v", 1);
    (void)state;
    weak->symbols[0].bind = STB_WEAK;
    Object *image = LINK(CODE(W_NOP), weak, word_object("s.o", ".data", DATA_FLAGS, "v", 2));
    assert_int_equal(word_at(image, address_of(image, "v")), 2);
    obj_free(image);
}

static void the_first_weak_wins(void **state)
{
    Object *w[] = {CODE(W_NOP), word_object("1.o", ".data", DATA_FLAGS, "v", 1),
                   word_object("2.o", ".data", DATA_FLAGS, "v", 2)};
    (void)state;
    w[1]->symbols[0].bind = w[2]->symbols[0].bind = STB_WEAK;
    Object *image = link_well(&plain, w, 3);
    assert_int_equal(word_at(image, address_of(image, "v")), 1);
    obj_free(image);
}

static void undefined_weak_is_zero(void **state)
{
    Object *a = CODE(W_NOP), *b = word_object("b.o", ".data", DATA_FLAGS, "p", 77);
    (void)state;
    const u32 w = (u32)obj_add_symbol(b, "nobody", OBJ_UNDEF, 0, STB_WEAK, STT_NOTYPE);
    add_reloc(b, 0, 0, R_RISCV_32, w, 5);
    Object *image = LINK(a, b);
    assert_int_equal(word_at(image, address_of(image, "p")), 5);
    obj_free(image);
}

static Object *common_object(const char *file, u32 size, u32 align)
{
    Object *o = obj_new(file);
    const u32 c = add_global(o, "c", OBJ_COMMON, align);
    o->symbols[c].size = size;
    return o;
}

static void commons_become_the_largest(void **state)
{
    (void)state;
    Object *image = LINK(CODE(W_NOP), common_object("1.o", 8, 64), common_object("2.o", 100, 4));
    const ObjSymbol *c = &image->symbols[obj_find_symbol(image, "c")];
    assert_int_equal(c->size, 100);
    assert_int_equal(c->value % 64, 0);
    assert_string_equal(image->sections[c->section].name, ".bss");
    assert_true(image->sections[c->section].size >= 100);
    obj_free(image);
}

static void a_definition_beats_a_common(void **state)
{
    (void)state;
    Object *image = LINK(CODE(W_NOP), common_object("1.o", 8, 4),
                         word_object("2.o", ".data", DATA_FLAGS, "c", 9));
    assert_int_equal(word_at(image, address_of(image, "c")), 9);
    obj_free(image);
}

static void absolute_symbols_do_not_move(void **state)
{
    Object *a = CODE(W_NOP), *b = word_object("b.o", ".data", DATA_FLAGS, "p", 0);
    (void)state;
    add_global(a, "seven", OBJ_ABS, 7);
    add_reloc(b, 0, 0, R_RISCV_32, add_global(b, "seven", OBJ_UNDEF, 0), 1);
    Object *image = LINK(a, b);
    assert_int_equal(word_at(image, address_of(image, "p")), 8);
    obj_free(image);
}

static void duplicates_name_both_files(void **state)
{
    (void)state;
    LINK_BADLY("2.o: error: 'v' is defined here and in 1.o", CODE(W_NOP),
               word_object("1.o", ".data", DATA_FLAGS, "v", 1),
               word_object("2.o", ".data", DATA_FLAGS, "v", 1));
}

static Object *caller_of(const char *name, int times)
{
    Object *o = CODE(W_JAL, W_JAL, W_JAL);
    const u32 f = add_global(o, name, OBJ_UNDEF, 0);
    for (int i = 0; i < times; i++)
        add_reloc(o, 0, 4 * (u32)i, R_RISCV_JAL, f, 0);
    return o;
}

static void undefined_is_told_once_a_file(void **state)
{
    (void)state;
    LINK_BADLY("a.o: error: .text+0x0 in _start: 'frobnicate' is not defined",
               caller_of("frobnicate", 3));
}

static void undefined_is_told_with_the_likely_name(void **state)
{
    (void)state;
    LINK_BADLY("'get_globel_id' is not defined; did you mean 'get_global_id'?",
               caller_of("get_globel_id", 1), function_object("b.o", "get_global_id"));
}

static void an_undefined_name_nobody_uses_is_no_matter(void **state)
{
    Object *a = CODE(W_NOP);
    (void)state;
    add_global(a, "unused", OBJ_UNDEF, 0);
    obj_free(LINK(a));
}

/* --- layout -------------------------------------------------------------- */

static Object *object_with_everything(void)
{
    static const char *const names[] = {".data.x", ".sdata", ".rodata.str1.1", ".text.f",
                                        ".eh_frame"};
    static const u32 flags[] = {DATA_FLAGS, DATA_FLAGS, SHF_ALLOC, TEXT_FLAGS, SHF_ALLOC};
    Object *o = obj_new("all.o");
    add_nobits(o, ".bss.b", 12);
    add_nobits(o, ".sbss", 4);
    for (size_t i = 0; i < countof(names); i++)
        add_bytes(o, names[i], flags[i], 4, "abcd", 4);
    add_bytes(o, ".tohost", DATA_FLAGS, 64, "", 0);
    add_bytes(o, "mine", DATA_FLAGS, 8, "12345678", 8);
    add_bytes(o, ".comment", 0, 1, "me", 3);
    return o;
}

/* the order and the addresses of the public linker script */
static void sections_are_laid_out_as_by_the_public_script(void **state)
{
    static const struct {
        const char *name;
        u32 addr, size;
    } want[] = {
        {".text", 0x80000000, 8},     {".tohost", 0x80001000, 0}, {".rodata", 0x80001000, 4},
        {".eh_frame", 0x80001004, 4}, {".data", 0x80002000, 4},   {"mine", 0x80002008, 8},
        {".sdata", 0x80002010, 4},    {".sbss", 0x80002014, 4},   {".bss", 0x80002018, 12},
        {".comment", 0, 3},
    };
    (void)state;
    Object *image = LINK(CODE(W_NOP), object_with_everything());
    assert_int_equal(image->nsections, countof(want));
    for (size_t i = 0; i < countof(want); i++) {
        assert_string_equal(image->sections[i].name, want[i].name);
        assert_int_equal(image->sections[i].addr, want[i].addr);
        assert_int_equal(image->sections[i].size, want[i].size);
    }
    obj_free(image);
}

static void segments_follow_rights(void **state)
{
    static const struct {
        u32 addr, file, mem, flags;
    } want[] = {
        {0x80000000, 4, 4, PF_R | PF_X},
        {0x80001000, 4, 4, PF_R | PF_W},
        {0x80002000, 4, 4, PF_R},
        {0x80003000, 4, 16, PF_R | PF_W},
    };
    Object *b = obj_new("b.o");
    (void)state;
    add_bytes(b, ".data", DATA_FLAGS, 4, "data", 4);
    add_nobits(b, ".bss", 12);
    add_bytes(b, ".rodata", SHF_ALLOC, 4, "read", 4);
    add_bytes(b, ".tohost", DATA_FLAGS, 4, "host", 4);
    Object *image = LINK(CODE(W_NOP), b);
    assert_int_equal(image->nsegments, countof(want));
    for (size_t i = 0; i < countof(want); i++) {
        assert_int_equal(image->segments[i].addr, want[i].addr);
        assert_int_equal(image->segments[i].data.len, want[i].file);
        assert_int_equal(image->segments[i].memsz, want[i].mem);
        assert_int_equal(image->segments[i].flags, want[i].flags);
    }
    obj_free(image);
}

/* zeros before contents become contents */
static void zeros_and_contents_share_a_section(void **state)
{
    Object *b = obj_new("b.o");
    (void)state;
    add_nobits(b, ".data", 8);
    Object *image = LINK(CODE(W_NOP), b, word_object("d.o", ".data", DATA_FLAGS, "v", 9));
    assert_int_equal(section(image, ".data")->type, SHT_PROGBITS);
    assert_int_equal(word_at(image, 0x80001000), 0);
    assert_int_equal(word_at(image, 0x80001008), 9);
    obj_free(image);
}

static void a_name_does_not_take_rights_away(void **state)
{
    (void)state;
    Object *image = LINK(CODE(W_NOP), word_object("d.o", ".rodata.x", DATA_FLAGS, "v", 9));
    assert_string_equal(image->sections[1].name, ".data");
    assert_string_equal(image->sections[2].name, ".rodata.x");
    assert_int_equal(image->segments[1].flags, PF_R | PF_W);
    obj_free(image);
}

static void what_is_not_for_the_image_stays_out(void **state)
{
    Object *b = obj_new("b.o");
    (void)state;
    add_bytes(b, ".llvm_addrsig", SHF_EXCLUDE, 1, "x", 1);
    add_bytes(b, ".note.GNU-stack", 0, 1, "", 0);
    Object *image = LINK(CODE(W_NOP), b);
    assert_int_equal(obj_find_section(image, ".llvm_addrsig"), -1);
    assert_int_equal(obj_find_section(image, ".note.GNU-stack"), -1);
    obj_free(image);
}

static Object *attributed(Object *o, const char *text)
{
    const i32 at = add_bytes(o, ".riscv.attributes", 0, 1, text, strlen(text));
    o->sections[at].type = SHT_RISCV_ATTRIBUTES;
    return o;
}

static void the_first_attributes_are_kept(void **state)
{
    (void)state;
    Object *image = LINK(CODE(W_NOP), attributed(obj_new("1.o"), "first"),
                         attributed(obj_new("2.o"), "second"));
    assert_int_equal(section(image, ".riscv.attributes")->size, 5);
    assert_memory_equal(section(image, ".riscv.attributes")->data.data, "first", 5);
    obj_free(image);
}

static void the_script_s_symbols_are_defined(void **state)
{
    Object *b = obj_new("b.o");
    (void)state;
    add_bytes(b, ".data", DATA_FLAGS, 4, "data", 4);
    add_bytes(b, ".sdata", DATA_FLAGS, 4, "small", 5);
    add_nobits(b, ".bss", 12);
    Object *image = LINK(CODE(W_NOP), b);
    assert_int_equal(address_of(image, "__DATA_BEGIN__"), 0x80001000);
    assert_int_equal(address_of(image, "__SDATA_BEGIN__"), 0x80001004);
    assert_int_equal(address_of(image, "__global_pointer$"), 0x80001804);
    assert_int_equal(address_of(image, "_edata"), 0x8000100c); /* a whole word */
    assert_int_equal(address_of(image, "__bss_start"), 0x8000100c);
    assert_int_equal(address_of(image, "_end"), 0x80001018);
    assert_int_equal(address_of(image, "__BSS_END__"), 0x80001018);
    assert_int_equal(obj_find_symbol(image, "tohost"), -1);
    obj_free(image);
}

static void tohost_is_there_for_who_asks(void **state)
{
    Object *a = CODE(W_NOP), *b = word_object("b.o", ".data", DATA_FLAGS, "p", 0);
    (void)state;
    add_reloc(b, 0, 0, R_RISCV_32, add_global(b, "fromhost", OBJ_UNDEF, 0), 0);
    Object *image = LINK(a, b);
    assert_int_equal(word_at(image, address_of(image, "p")), 0x80001040);
    assert_int_equal(section(image, ".tohost")->size, 72);
    obj_free(image);
}

static void an_object_s_own_symbol_comes_before_the_script_s(void **state)
{
    (void)state;
    Object *image = LINK(CODE(W_NOP), word_object("b.o", ".data", DATA_FLAGS, "_end", 1));
    assert_int_equal(address_of(image, "_end"), 0x80001000);
    obj_free(image);
}

/* each of them, so that no section need be there for it */
static void all_symbols_of_the_script_may_be_an_object_s(void **state)
{
    static const char *const names[] = {"__DATA_BEGIN__",
                                        "__SDATA_BEGIN__",
                                        "__global_pointer$",
                                        "_edata",
                                        "edata",
                                        "__bss_start",
                                        "_end",
                                        "end",
                                        "__BSS_END__",
                                        "__eh_frame_start",
                                        "__eh_frame_end",
                                        "tohost",
                                        "fromhost"};
    Object *b = obj_new("b.o");
    const i32 data =
        add_bytes(b, ".data", DATA_FLAGS, 4, (u32[countof(names)]){0}, 4 * countof(names));
    (void)state;
    for (u32 i = 0; i < countof(names); i++)
        add_global(b, names[i], data, 4 * i);
    Object *image = LINK(CODE(W_NOP), b);
    for (u32 i = 0; i < countof(names); i++)
        assert_int_equal(address_of(image, names[i]), 0x80001000 + 4 * i);
    assert_int_equal(image->nsections, 2);
    obj_free(image);
    /* all but one */
    b = word_object("b.o", ".data", DATA_FLAGS, "_edata", 1);
    add_global(b, "__SDATA_BEGIN__", 0, 0);
    add_global(b, "__global_pointer$", 0, 0);
    image = LINK(CODE(W_NOP), b);
    assert_int_equal(address_of(image, "_edata"), 0x80001000);
    assert_int_equal(address_of(image, "__bss_start"), 0x80001004);
    obj_free(image);
}

/* a section that an object gives the name of another kind */
static void the_script_s_symbols_are_in_its_own_sections(void **state)
{
    (void)state;
    Object *image = LINK(CODE(W_NOP), word_object("b.o", ".sdata", TEXT_FLAGS, "b", 1));
    assert_int_equal(address_of(image, "b"), TEXT + 4);
    assert_int_equal(address_of(image, "_edata"), 0x80001000);
    assert_int_equal(address_of(image, "__global_pointer$"), 0x80001800);
    obj_free(image);
    Object *c = obj_new("c.o");
    obj_add_symbol(c, "common", OBJ_COMMON, 4, STB_GLOBAL, STT_OBJECT);
    c->symbols[0].size = 4;
    image = LINK(CODE(W_NOP), word_object("b.o", ".bss", TEXT_FLAGS, "b", 1), c);
    assert_int_equal(address_of(image, "common"), 0x80001000);
    assert_int_equal(address_of(image, "_end"), 0x80001004);
    obj_free(image);
    LINK_BADLY("there is no code", word_object("b.o", ".text", DATA_FLAGS, "b", 1));
}

/* hardware starts at 0x80000000 whatever e_entry says */
static void the_entry_is_first(void **state)
{
    (void)state;
    Object *image = LINK(function_object("f.o", "f"), CODE(W_NOP));
    assert_int_equal(address_of(image, "_start"), TEXT);
    assert_int_equal(image->entry, TEXT);
    obj_free(image);
    Object *f = function_object("f.o", "f");
    image = link_well(&(LinkOptions){.entry = "f"}, (Object *[]){CODE(W_NOP), f}, 2);
    assert_int_equal(image->entry, TEXT);
    assert_int_equal(address_of(image, "_start"), TEXT + 4);
    obj_free(image);
    image = LINK(function_object("f.o", "f"));
    assert_int_equal(image->entry, TEXT);
    obj_free(image);
}

static void an_entry_must_be_there(void **state)
{
    Object *a = CODE(W_NOP);
    (void)state;
    link_badly(&(LinkOptions){.entry = "main", .output = "x.elf"}, &a, 1,
               "x.elf: error: the entry 'main' is not defined");
    LINK_BADLY("out.elf: error: there is no code", word_object("d.o", ".data", DATA_FLAGS, "v", 1));
}

static void an_image_must_fit(void **state)
{
    Object *b = obj_new("b.o");
    (void)state;
    add_nobits(b, ".bss", 0x10000000);
    LINK_BADLY("out.elf: error: .bss ends at 0x90001000; there is room up to 0x90000000",
               CODE(W_NOP), b);
}

static void images_are_not_linked_again(void **state)
{
    Object *a = CODE(W_NOP);
    (void)state;
    a->is_image = true;
    LINK_BADLY("a.o: error: is linked already", a);
}

static void images_are_files(void **state)
{
    Buf file = {0};
    Caught c;
    Object *back;
    (void)state;
    Object *image = LINK(CODE(W_NOP), object_with_everything());
    catch_in(&c);
    assert_true(obj_write(image, &file, &c.d));
    assert_true(obj_read("back.elf", file.data, file.len, &c.d, &back));
    expect_silence(&c);
    assert_int_equal(back->entry, TEXT);
    assert_int_equal(back->nsections, image->nsections);
    assert_int_equal(back->nsegments, image->nsegments);
    for (size_t i = 0; i < image->nsections; i++)
        assert_int_equal(back->sections[i].addr, image->sections[i].addr);
    buf_free(&file);
    obj_free(back);
    obj_free(image);
}

/* --- relocations --------------------------------------------------------- */

/* What a relocation leaves of `word` at TEXT + 16 when its symbol is `away` bytes from
 * there, in code. */
static u32 relocated(u32 word, u32 type, i32 away)
{
    Object *o = CODE(W_NOP, W_NOP, W_NOP, W_NOP, word, W_NOP);
    add_reloc(o, 0, 16, type, add_local(o, "t", 0, 16), away);
    Object *image = LINK(o);
    const u32 got = word_at(image, TEXT + 16);
    obj_free(image);
    return got;
}

/* words from the encoding tables of the RISC-V manual */
static void code_fields_hold_offsets(void **state)
{
    (void)state;
    assert_int_equal(relocated(0x00b50063, R_RISCV_BRANCH, 8), 0x00b50463);
    assert_int_equal(relocated(0x00b50063, R_RISCV_BRANCH, -4), 0xfeb50ee3);
    assert_int_equal(relocated(0x00b50063, R_RISCV_BRANCH, 4092), 0x7eb50ee3);
    assert_int_equal(relocated(0x00b50063, R_RISCV_BRANCH, -4096), 0x80b50063);
    assert_int_equal(relocated(0xfffff0ef, R_RISCV_JAL, 16), 0x010000ef); /* old bits go */
    assert_int_equal(relocated(0xef, R_RISCV_JAL, -4), 0xffdff0ef);
    assert_int_equal(relocated(0xef, R_RISCV_JAL, 0xffffc), 0x7fdff0ef);
    assert_int_equal(relocated(0xef, R_RISCV_JAL, -0x100000), 0x800000ef);
}

static void code_fields_hold_addresses(void **state)
{
    (void)state;
    assert_int_equal(relocated(0x537, R_RISCV_HI20, 0), 0x80000537);
    assert_int_equal(relocated(0x537, R_RISCV_HI20, 0x7ff - 16), 0x80000537);
    assert_int_equal(relocated(0x537, R_RISCV_HI20, 0x800 - 16), 0x80001537);
    assert_int_equal(relocated(0x50513, R_RISCV_LO12_I, 0x800 - 16), 0x80050513);
    assert_int_equal(relocated(0x50513, R_RISCV_LO12_I, 0), 0x01050513);
    assert_int_equal(relocated(0xa52023, R_RISCV_LO12_S, 0x7ff - 16), 0x7ea52fa3);
}

static void calls_are_pairs(void **state)
{
    Object *o = CODE(0x97, 0x80e7, W_NOP);
    (void)state;
    add_reloc(o, 0, 0, R_RISCV_CALL_PLT, add_local(o, "t", 0, 0), 0x1800);
    Object *image = LINK(o);
    assert_int_equal(word_at(image, TEXT), 0x00002097);     /* auipc ra, 2 */
    assert_int_equal(word_at(image, TEXT + 4), 0x800080e7); /* jalr -2048(ra) */
    obj_free(image);
}

/* The low part belongs to the place of the auipc, not to its own. */
static void low_parts_follow_their_label(void **state)
{
    Object *o = CODE(W_NOP, 0x517, W_NOP, 0x50513, 0xa52023), *d = obj_new("d.o");
    (void)state;
    add_bytes(d, ".data", DATA_FLAGS, 4, "0123456789", 10);
    add_global(d, "v", 0, 4);
    const u32 hi = add_local(o, ".Lpcrel_hi0", 0, 4);
    add_reloc(o, 0, 4, R_RISCV_PCREL_HI20, add_global(o, "v", OBJ_UNDEF, 0), 2);
    add_reloc(o, 0, 12, R_RISCV_PCREL_LO12_I, hi, 0);
    add_reloc(o, 0, 16, R_RISCV_PCREL_LO12_S, hi, 0);
    Object *image = LINK(o, d);
    /* 0x80001006 - 0x80000004 = 0x1002 */
    assert_int_equal(word_at(image, TEXT + 4), 0x00001517);
    assert_int_equal(word_at(image, TEXT + 12), 0x00250513);
    assert_int_equal(word_at(image, TEXT + 16), 0x00a52123);
    obj_free(image);
}

/* the first of two data words after a relocation of each type in `types`, with S = TEXT + 16 */
static u32 data_after(u32 word, const u32 *types, size_t n, i32 addend)
{
    Object *o = CODE(W_NOP, W_NOP, W_NOP, W_NOP, W_NOP);
    const u32 words[] = {word, 0};
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, words, sizeof words);
    const u32 t = add_local(o, "t", 0, 16), start = add_local(o, "s", 0, 0);
    for (size_t i = 0; i < n; i++)
        add_reloc(o, data, 0, types[i], i ? start : t, i ? 0 : addend);
    Object *image = LINK(o);
    const u32 got = word_at(image, 0x80001000);
    obj_free(image);
    return got;
}

#define DATA_AFTER(word, addend, ...)                                                              \
    data_after(word, (const u32[]){__VA_ARGS__}, sizeof((u32[]){__VA_ARGS__}) / 4, addend)

static void data_holds_addresses_and_differences(void **state)
{
    (void)state;
    assert_int_equal(DATA_AFTER(99, 3, R_RISCV_32), 0x80000013);
    assert_int_equal(DATA_AFTER(0x11223344, 0, R_RISCV_SET8), 0x11223310);
    assert_int_equal(DATA_AFTER(0x11223344, 0, R_RISCV_SET16), 0x11220010);
    assert_int_equal(DATA_AFTER(0, -1, R_RISCV_SET32), 0x8000000f);
    assert_int_equal(DATA_AFTER(0xff, 0, R_RISCV_SET6), 0xd0);
    assert_int_equal(DATA_AFTER(0, 0, R_RISCV_32_PCREL), 0x80000010 - 0x80001000);
    assert_int_equal(DATA_AFTER(5, 0, R_RISCV_ADD32, R_RISCV_SUB32), 21);
    assert_int_equal(DATA_AFTER(0x12345605, 0, R_RISCV_ADD8, R_RISCV_SUB8), 0x12345615);
    assert_int_equal(DATA_AFTER(0x12340005, 0, R_RISCV_ADD16, R_RISCV_SUB16), 0x12340015);
    assert_int_equal(DATA_AFTER(7, 0, R_RISCV_ADD64, R_RISCV_SUB64), 23);
    assert_int_equal(DATA_AFTER(0xc0, 1, R_RISCV_SET6, R_RISCV_SUB6), 0xd1);
    assert_int_equal(DATA_AFTER(1, 0, R_RISCV_NONE, R_RISCV_RELAX), 1);
}

/* SET_ULEB128 and SUB_ULEB128, numbers 60 and 61: the length stays */
static void uleb_numbers_keep_their_length(void **state)
{
    (void)state;
    assert_int_equal(DATA_AFTER(0xaa008080, 0, 60, 61), 0xaa008090);
    assert_int_equal(DATA_AFTER(0xaa550080, 300, 60, 61), 0xaa5502bc);
}

static Object *far_object(u32 type, u32 word, i32 away)
{
    Object *o = CODE(word, W_NOP);
    add_reloc(o, 0, 0, type, add_local(o, "t", 0, 0), away);
    return o;
}

static void what_does_not_reach_is_an_error(void **state)
{
    (void)state;
    LINK_BADLY("a.o: error: .text+0x0 in _start: BRANCH does not reach 't': 4096 bytes away, "
               "-4096 to 4094 are possible",
               far_object(R_RISCV_BRANCH, W_BEQ, 4096));
    LINK_BADLY("BRANCH does not reach 't': -4100 bytes away",
               far_object(R_RISCV_BRANCH, W_BEQ, -4100));
    LINK_BADLY("JAL does not reach 't': 1048576 bytes away",
               far_object(R_RISCV_JAL, W_JAL, 0x100000));
    LINK_BADLY("JAL does not reach 't': -1048580 bytes away",
               far_object(R_RISCV_JAL, W_JAL, -0x100004));
    LINK_BADLY("BRANCH to 't': the target is not a multiple of 4 bytes away",
               far_object(R_RISCV_BRANCH, W_BEQ, 6));
}

static void what_is_not_known_is_an_error(void **state)
{
    (void)state;
    LINK_BADLY("relocation 12 is unknown", far_object(12, W_NOP, 0));
    LINK_BADLY("relocation 191 is unknown", far_object(191, W_NOP, 0));
    LINK_BADLY("GOT_HI20 is not supported", far_object(R_RISCV_GOT_HI20, W_AUIPC, 0));
    LINK_BADLY("TPREL_HI20 is not supported", far_object(R_RISCV_TPREL_HI20, W_LUI, 0));
    LINK_BADLY("PCREL_LO12_I: no PCREL_HI20 at its label 't'",
               far_object(R_RISCV_PCREL_LO12_I, W_ADDI, 0));
    Object *o = far_object(R_RISCV_PCREL_HI20, W_AUIPC, 0);
    add_reloc(o, 0, 4, R_RISCV_PCREL_LO12_I, o->sections[0].relocs[0].symbol, 4);
    LINK_BADLY("PCREL_LO12_I: the label 't' takes no addend", o);
}

static void fields_must_be_inside(void **state)
{
    Object *o = CODE(W_NOP, 0x97);
    (void)state;
    add_reloc(o, 0, 4, R_RISCV_CALL, 0, 0);
    LINK_BADLY(".text+0x4 in _start: CALL goes past the end of the section", o);
    o = CODE(W_NOP);
    add_nobits(o, ".bss", 8);
    add_reloc(o, 1, 0, R_RISCV_32, 0, 0);
    LINK_BADLY(".bss+0x0: 32 goes past the end of the section", o);
    o = CODE(0xffffffff);
    add_reloc(o, 0, 0, 60, 0, 0);
    LINK_BADLY("SET_ULEB128: the number does not end", o);
}

/* --- alignment ----------------------------------------------------------- */

/* nop; align 16; label; jump back over it */
static Object *aligned_object(u32 nops)
{
    u32 words[12] = {[0] = W_NOP};
    Object *o = obj_new("a.o");
    for (u32 i = 1; i <= nops; i++)
        words[i] = W_NOP;
    words[nops + 1] = W_JAL;
    words[nops + 2] = 0x8067;
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, words, (nops + 3) * 4);
    add_global(o, "_start", text, 0);
    add_local(o, "label", text, (nops + 1) * 4);
    add_local(o, "last", text, (nops + 2) * 4);
    o->symbols[0].size = (nops + 3) * 4;
    add_reloc(o, text, 4, R_RISCV_ALIGN, OBJ_NO_SYMBOL, (i32)nops * 4);
    add_reloc(o, text, (nops + 1) * 4, R_RISCV_JAL, 0, 0);
    return o;
}

static void alignment_takes_what_is_too_much(void **state)
{
    (void)state;
    /* 28 bytes of nops: to 32; from 4 all of them are needed */
    Object *image = LINK(aligned_object(7));
    assert_int_equal(address_of(image, "label"), TEXT + 32);
    obj_free(image);
    /* 12 bytes of nops from 8 on: to 16, 8 of them are needed */
    Object *o = aligned_object(3);
    o->sections[0].relocs[0].offset = 8;
    o->symbols[1].value = 20;
    image = LINK(o);
    assert_int_equal(address_of(image, "label"), TEXT + 16);
    assert_int_equal(section(image, ".text")->size, 20);
    assert_int_equal(image->symbols[obj_find_symbol(image, "_start")].size, 20);
    obj_free(image);
}

/* whatever the section's own alignment was */
static void alignment_aligns_the_section(void **state)
{
    Object *b = obj_new("b.o");
    (void)state;
    add_bytes(b, ".text", TEXT_FLAGS, 4, "\x13\0\0\0\x67\x80\0\0", 8);
    add_reloc(b, 0, 0, R_RISCV_ALIGN, OBJ_NO_SYMBOL, 4);
    add_global(b, "f", 0, 4);
    Object *image = LINK(CODE(W_NOP), b);
    assert_int_equal(address_of(image, "f"), TEXT + 8);
    obj_free(image);
}

/* from 0 on, so that all the nops go */
static void places_move_with_what_is_cut(void **state)
{
    Object *o = aligned_object(3);
    (void)state;
    o->sections[0].relocs[0].offset = 0;
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, "12345678", 8);
    const u32 text = (u32)obj_add_symbol(o, "", 0, 0, STB_LOCAL, STT_SECTION);
    add_local(o, "inside", 0, 8);
    add_local(o, "before", 0, 0);
    add_reloc(o, data, 0, R_RISCV_32, text, 16);
    add_reloc(o, data, 4, R_RISCV_32, text, 20);
    Object *image = LINK(o);
    assert_int_equal(address_of(image, "before"), TEXT);
    assert_int_equal(address_of(image, "inside"), TEXT);
    assert_int_equal(word_at(image, 0x80001000), TEXT + 4);
    assert_int_equal(word_at(image, 0x80001004), TEXT + 8);
    obj_free(image);
}

static void alignment_that_cannot_be_is_an_error(void **state)
{
    (void)state;
    Object *o = aligned_object(3);
    o->sections[0].relocs[0].addend = 100;
    LINK_BADLY(".text+0x4: ALIGN of 100 bytes does not fit into the section", o);
    o = aligned_object(3);
    o->sections[0].relocs[0].addend = -4;
    LINK_BADLY("ALIGN of -4 bytes does not fit", o);
    o = aligned_object(3);
    o->sections[0].relocs[0].offset = 5;
    o->sections[0].relocs[0].addend = 2;
    LINK_BADLY("2 bytes of nops cannot align to 4", o);
    /* each of them is told */
    Caught c;
    catch_in(&c);
    o = aligned_object(3);
    o->sections[0].relocs[0].addend = 2;
    o->sections[0].relocs[0].offset = 5;
    Object *p = aligned_object(3);
    p->sections[0].relocs[0].addend = -4;
    assert_null(link_with(&plain, (const Object *[]){o, p}, 2, &c));
    assert_non_null(strstr(buf_text(&c.text), "2 bytes of nops cannot align to 4"));
    assert_non_null(strstr(buf_text(&c.text), "ALIGN of -4 bytes does not fit"));
    buf_free(&c.text);
    obj_free(o);
    obj_free(p);
}

/* --- what is not needed -------------------------------------------------- */

static Object *kernel_object(const char *name, const char *callee)
{
    Object *o = obj_new("k.o");
    const u32 words[] = {W_JAL, 0x8067};
    const i32 text = add_bytes(o, ".text.k", TEXT_FLAGS, 4, words, sizeof words);
    add_global(o, name, text, 0);
    if (callee)
        add_reloc(o, text, 0, R_RISCV_JAL, add_global(o, callee, OBJ_UNDEF, 0), 0);
    return o;
}

static Object *kernel_with_record(const char *name, const char *callee, u32 flags)
{
    Object *o = kernel_object(name, callee);
    assert_true(resource_add(
        o, name,
        &(Resource){.flags = flags, .vgpr = 10, .sgpr = 20, .lds_stack = 64, .pds_stack = 16}));
    return o;
}

static void gc_keeps_what_kernels_reach(void **state)
{
    (void)state;
    Object *objects[] = {CODE(W_NOP), kernel_with_record("k", "used", 0),
                         function_object("u.o", "used"), function_object("n.o", "unused")};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(address_of(image, "k"), TEXT + 4);
    assert_int_equal(address_of(image, "used"), TEXT + 12);
    assert_int_equal(obj_find_symbol(image, "unused"), -1);
    obj_free(image);
}

/* a kernel that calls itself, and a function that two kernels call and that calls the first */
static void gc_goes_in_circles(void **state)
{
    Object *used = function_object("u.o", "used");
    (void)state;
    add_reloc(used, 0, 0, R_RISCV_NONE, add_global(used, "k", OBJ_UNDEF, 0), 0);
    Object *objects[] = {CODE(W_NOP), kernel_with_record("k", "used", 0), used,
                         kernel_with_record("l", "used", 0), kernel_with_record("m", "m", 0)};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(address_of(image, "k"), TEXT + 4);
    assert_int_equal(address_of(image, "used"), TEXT + 12);
    assert_int_equal(address_of(image, "m"), TEXT + 24);
    obj_free(image);
}

static void gc_keeps_roots(void **state)
{
    (void)state;
    Object *objects[] = {CODE(W_NOP), kernel_object("k", NULL), function_object("n.o", "unused")};
    Object *image = link_well(&(LinkOptions){.gc = true, .roots = (const char *[]){"k", NULL}},
                              objects, countof(objects));
    assert_int_equal(address_of(image, "k"), TEXT + 4);
    assert_int_equal(obj_find_symbol(image, "unused"), -1);
    obj_free(image);
}

static void gc_keeps_what_is_to_be_retained(void **state)
{
    const u32 retain = 0x200000; /* SHF_GNU_RETAIN */
    (void)state;
    Object *objects[] = {CODE(W_NOP), kernel_with_record("k", NULL, 0),
                         word_object("r.o", ".text.r", TEXT_FLAGS | retain, "r", 0x8067)};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(address_of(image, "r"), TEXT + 12);
    obj_free(image);
}

/* It speaks of every function; it neither keeps them nor goes with them. */
static void gc_leaves_unwind_data_alone(void **state)
{
    Object *n = function_object("n.o", "unused");
    (void)state;
    add_reloc(n, add_bytes(n, ".eh_frame", SHF_ALLOC, 4, "1234", 4), 0, R_RISCV_32, 0, 0);
    Object *objects[] = {CODE(W_NOP), kernel_with_record("k", NULL, 0), n};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(obj_find_symbol(image, "unused"), -1);
    assert_int_equal(word_at(image, section(image, ".eh_frame")->addr), 0);
    obj_free(image);
}

static void gc_without_kernels_keeps_all(void **state)
{
    (void)state;
    Object *objects[] = {CODE(W_NOP), kernel_object("k", NULL)};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(address_of(image, "k"), TEXT + 4);
    obj_free(image);
}

static void gc_roots_must_be_there(void **state)
{
    Object *a = CODE(W_NOP);
    (void)state;
    link_badly(&(LinkOptions){.gc = true, .roots = (const char *[]){"x", NULL}}, &a, 1,
               "a.out: error: 'x', which is to be kept, is not defined");
}

/* Debug data may speak of what is gone, data of the program may not. */
static void references_to_what_is_gone(void **state)
{
    (void)state;
    Object *n = function_object("n.o", "unused"), *k = kernel_with_record("k", NULL, 0);
    const i32 debug = add_bytes(n, ".debug_info", 0, 1, "1234", 4);
    add_reloc(n, debug, 0, R_RISCV_32, 0, 0);
    Object *image = link_well(&(LinkOptions){.gc = true}, (Object *[]){CODE(W_NOP), k, n}, 3);
    assert_memory_equal(section(image, ".debug_info")->data.data, "\0\0\0\0", 4);
    obj_free(image);
    k = kernel_with_record("k", NULL, 0);
    const i32 data = add_bytes(k, ".data", DATA_FLAGS, 4, "1234", 4);
    add_reloc(k, data, 0, R_RISCV_32, (u32)obj_add_symbol(k, "", 1, 0, STB_LOCAL, STT_SECTION), 0);
    LINK_BADLY("k.o: error: .data+0x0: '.ventus.resource.k' is in a section that is not part",
               CODE(W_NOP), k);
}

/* --- resource records ---------------------------------------------------- */

static Object *library(const char *file, const char *name, const char *callee, u64 vgpr, u64 stack)
{
    Object *o = kernel_object(name, callee);
    mem_free(o->name);
    o->name = mem_strdup(file);
    const Resource r = {.vgpr = vgpr,
                        .sgpr = 5,
                        .lds_stack = stack,
                        .pds_stack = 1,
                        .flags = callee ? RES_UNKNOWN_CALLEE : 0};
    assert_true(resource_add(o, "", &r));
    return o;
}

static Resource record_of(Object *image, const char *kernel)
{
    Caught c;
    Resource r;
    catch_in(&c);
    assert_true(resource_read(image, kernel, &r, &c.d));
    expect_silence(&c);
    obj_free(image);
    return r;
}

static void records_grow_by_what_is_called(void **state)
{
    (void)state;
    const Resource r =
        record_of(LINK(CODE(W_NOP), kernel_with_record("k", "f", RES_UNKNOWN_CALLEE),
                       library("f.o", "f", "g", 30, 100), library("g.o", "g", NULL, 3, 1000),
                       library("h.o", "h", NULL, 200, 9999)),
                  "k");
    assert_int_equal(r.vgpr, 30);
    assert_int_equal(r.sgpr, 20);
    assert_int_equal(r.lds_stack, 64 + 100 + 1000);
    assert_int_equal(r.pds_stack, 16 + 1 + 1);
    assert_int_equal(r.flags, 0);
}

/* What the kernel's compiler saw is counted already. */
static void records_count_nothing_twice(void **state)
{
    Object *k = kernel_with_record("k", "f", RES_UNKNOWN_CALLEE);
    (void)state;
    assert_true(resource_add(k, "", &(Resource){.vgpr = 99, .lds_stack = 500}));
    add_reloc(k, 0, 4, R_RISCV_RELAX, 0, 0); /* speaks of k itself */
    const Resource r = record_of(LINK(CODE(W_NOP), k, library("f.o", "f", NULL, 30, 100)), "k");
    assert_int_equal(r.vgpr, 30);
    assert_int_equal(r.lds_stack, 64 + 100);
    assert_int_equal(r.flags, 0);
}

static void records_that_know_all_stay(void **state)
{
    (void)state;
    const Resource r = record_of(LINK(CODE(W_NOP), kernel_with_record("k", "f", RES_RECURSION),
                                      library("f.o", "f", NULL, 30, 100)),
                                 "k");
    assert_int_equal(r.vgpr, 10);
    assert_int_equal(r.flags, RES_RECURSION);
}

static void records_stay_unknown_without_the_callee_s(void **state)
{
    (void)state;
    const Resource r = record_of(LINK(CODE(W_NOP), kernel_with_record("k", "f", RES_UNKNOWN_CALLEE),
                                      function_object("f.o", "f")),
                                 "k");
    assert_int_equal(r.vgpr, 10);
    assert_int_equal(r.flags, RES_UNKNOWN_CALLEE);
}

static void circles_have_no_stack_bound(void **state)
{
    (void)state;
    const Resource r =
        record_of(LINK(CODE(W_NOP), kernel_with_record("k", "f", RES_UNKNOWN_CALLEE),
                       library("f.o", "f", "g", 30, 100), library("g.o", "g", "f", 3, 1000)),
                  "k");
    assert_int_equal(r.vgpr, 30);
    assert_true(r.lds_stack == UINT64_MAX && r.pds_stack == UINT64_MAX);
    assert_int_equal(r.flags, RES_NO_STACK_PEAK);
}

static void foreign_records_are_copied(void **state)
{
    static const u8 record[] = {3, 0, 7, 0, 16, 0, 0, 0};
    Object *a = kernel_object("k", NULL), *b = kernel_object("l", NULL),
           *c = kernel_object("m", NULL);
    (void)state;
    add_bytes(a, ".ventus.resource.k", SHF_WRITE, 1, record, sizeof record);
    add_bytes(b, ".rodata.ventus.resource", SHF_WRITE, 1, record, sizeof record);
    add_bytes(c, ".rodata.ventus.resource", SHF_WRITE, 1, record, sizeof record);
    Object *image = LINK(CODE(W_NOP), a, b, c);
    assert_int_equal(section(image, ".rodata.ventus.resource")->size, 16);
    assert_int_equal(section(image, ".rodata.ventus.resource")->addr, 0);
    assert_int_equal(record_of(image, "k").form, RES_SHORT);
}

static void malformed_records_are_not_linked(void **state)
{
    Object *o = kernel_object("k", NULL);
    (void)state;
    add_bytes(o, ".ventus.resource.k", 0, 1, "123", 3);
    LINK_BADLY("k.o: error: .ventus.resource.k: a resource record of 3 bytes", CODE(W_NOP), o);
}

/* --- profiles ------------------------------------------------------------ */

static Object *marked(const char *file, IsaSet set)
{
    Object *o = function_object(file, file);
    o->set = set;
    return o;
}

static void neutral_objects_go_with_any_profile(void **state)
{
    (void)state;
    Object *image = LINK(CODE(W_NOP), marked("n.o", V2025 | TIDX));
    assert_int_equal(image->set, V2025 | TIDX);
    obj_free(image);
    image = LINK(CODE(W_NOP), marked("a.o", V202 | AI), marked("t.o", V202 | TIDX));
    assert_int_equal(image->set, V202 | AI | TIDX);
    obj_free(image);
}

static InsnId only_in_v202(void)
{
    for (int id = 0; id < NINSN; id++)
        if (isa_insn[id].sets & V202 && !(isa_insn[id].sets & V2025) && isa_insn[id].len == 4)
            return (InsnId)id;
    fail_msg("v2025 has everything");
    return NINSN;
}

static void profiles_do_not_mix(void **state)
{
    char message[120];
    (void)state;
    const InsnId id = only_in_v202();
    snprintf(message, sizeof message,
             "a.o: error: .text+0x4: %s is an instruction of v202, but n.o is for v2025",
             isa_insn[id].text);
    LINK_BADLY(message, CODE(W_NOP, (u32)isa_insn[id].match), marked("n.o", V2025));
    Object *kept[] = {CODE(W_NOP), kernel_with_record("k", NULL, 0), marked("n.o", V2025),
                      word_object("u.o", ".text", TEXT_FLAGS, "unused", (u32)isa_insn[id].match)};
    obj_free(link_well(&(LinkOptions){.gc = true}, kept, countof(kept)));
    LINK_BADLY("o.o: error: is for v202+ai, but n.o is for v2025", CODE(W_NOP),
               marked("n.o", V2025), marked("o.o", V202 | AI));
}

/* --- start code ---------------------------------------------------------- */

static Object *program(const Object *const *objects, size_t n)
{
    Caught c;
    catch_in(&c);
    Object *image = link_program(objects, n, &(LinkOptions){.output = "out.elf"}, &c.d);
    expect_silence(&c);
    assert_non_null(image);
    return image;
}

/* How often a word is in the start code, which ends where `spike_end` begins. */
static int count_in_start(const Object *image, u32 word)
{
    const ObjSection *text = section(image, ".text");
    int n = 0;
    for (u32 at = 0; at < address_of(image, "spike_end") - TEXT; at += 4) {
        u32 w;
        memcpy(&w, text->data.data + at, 4);
        n += w == word;
    }
    return n;
}

/* The pieces of start code, by an instruction that only each has. */
enum {
    HAS_ENDPRG = 0x0000400b, HAS_FLOATS = 0x3003a073 /* csrs mstatus, t2 */, HAS_STACKS = 0x00000213 /* li tp, 0 */
};

static Object *object_of(const u32 *words, size_t n)
{
    Object *o = obj_new("k.o");
    add_bytes(o, ".text", TEXT_FLAGS, 4, words, n * 4);
    return o;
}

/* Whether a program of these words gets each piece. */
#define EXPECT_PIECES(stacks, floats, ...)                                                         \
    do {                                                                                           \
        const u32 words[] = {__VA_ARGS__};                                                         \
        Object *o = object_of(words, countof(words));                                              \
        Object *image = program((const Object *const *)&o, 1);                                     \
        assert_int_equal(address_of(image, "_start"), TEXT);                                       \
        assert_int_equal(count_in_start(image, HAS_ENDPRG), 1);                                    \
        assert_int_equal(count_in_start(image, HAS_STACKS), stacks);                               \
        assert_int_equal(count_in_start(image, HAS_FLOATS), floats);                               \
        assert_int_equal(resource_generation(image), GEN_B);                                       \
        assert_int_equal(resource_tp_word(image), -1);                                             \
        obj_free(image);                                                                           \
        obj_free(o);                                                                               \
    } while (0)

/* as llvm-mc -triple=riscv32 -mattr=+f,+v encodes them */
enum {
    RET = 0x00008067, LW_SP = 0x00012283 /* lw t0, 0(sp) */, MV_TP = 0x00020293 /* mv t0, tp */,
    PUSH = 0x00410113 /* addi sp, sp, 4 */, MV_GP = 0x00018293, MV_S0 = 0x00040293, LI_S0 = 0x00100413, BEQZ = 0x00028463 /* beqz t0, +8 */,
    MV_A0 = 0x00050293, FADD = 0x0072f2d3 /* fadd.s */, VFADD = 0x021090d7 /* vfadd.vv v1, v1, v1 */,
    VMFLT = 0x6e1090d7 /* vmflt.vv */, VADD = 0x021080d7, FENCE = 0x0ff0000f
};

static void a_program_gets_the_start_code_that_it_needs(void **state)
{
    (void)state;
    EXPECT_PIECES(0, 0, MV_A0, VADD, FENCE, RET);
    EXPECT_PIECES(1, 0, LW_SP, RET);
    EXPECT_PIECES(1, 0, MV_TP, RET);
    EXPECT_PIECES(1, 0, MV_GP, RET);
    EXPECT_PIECES(1, 0, MV_S0, RET);
    EXPECT_PIECES(0, 1, FADD, RET);
    EXPECT_PIECES(0, 1, VFADD, RET);
    EXPECT_PIECES(0, 1, VMFLT, RET);
    EXPECT_PIECES(1, 1, LW_SP, VFADD, RET);
    /* what the function writes first is its own, but not where a jump may go around */
    EXPECT_PIECES(0, 0, LI_S0, MV_S0, RET);
    EXPECT_PIECES(0, 0, LI_S0, BEQZ, MV_A0, MV_S0, RET);
    EXPECT_PIECES(1, 0, BEQZ, LI_S0, MV_S0, RET);
    EXPECT_PIECES(1, 0, MV_S0, LI_S0, RET);
    EXPECT_PIECES(1, 0, PUSH, RET);
    /* nobody knows what a word does that is no instruction */
    EXPECT_PIECES(1, 1, 0xffffffff, RET);
}

static void another_function_may_come_without_the_write(void **state)
{
    const u32 words[] = {LI_S0, MV_S0, RET, MV_S0, RET};
    (void)state;
    Object *o = object_of(words, countof(words));
    Object *image = program((const Object *const *)&o, 1);
    assert_int_equal(count_in_start(image, HAS_STACKS), 0);
    obj_free(image);
    assert_true(obj_add_symbol(o, "second", obj_find_section(o, ".text"), 12, STB_LOCAL, STT_FUNC) >= 0);
    image = program((const Object *const *)&o, 1);
    assert_int_equal(count_in_start(image, HAS_STACKS), 1);
    obj_free(image);
    obj_free(o);
}

static void start_code_brings_its_symbols(void **state)
{
    (void)state;
    Object *o = function_object("k.o", "k");
    Object *image = program((const Object *const *)&o, 1);
    assert_int_equal(address_of(image, "_start"), TEXT);
    assert_int_equal(address_of(image, "tohost"), 0x80001000);
    assert_int_equal(address_of(image, "fromhost"), 0x80001040);
    assert_int_equal(section(image, ".tohost")->size, 72);
    obj_free(image);
    obj_free(o);
}

static void printing_comes_first(void **state)
{
    (void)state;
    const u32 words[] = {LW_SP, RET};
    Object *o = object_of(words, countof(words));
    assert_true(obj_add_symbol(o, "BUFFER_SIZE", OBJ_UNDEF, 0, STB_GLOBAL, STT_NOTYPE) >= 0);
    Object *image = program((const Object *const *)&o, 1);
    assert_int_equal(address_of(image, "_start"), TEXT);
    assert_int_equal(address_of(image, "BUFFER_SIZE"), address_of(image, "BUFFER_ADDR") + 4);
    assert_int_equal(count_in_start(image, HAS_STACKS), 1);
    assert_int_equal(resource_generation(image), GEN_B);
    obj_free(image);
    obj_free(o);
}

static void start_code_goes_with_any_profile(void **state)
{
    (void)state;
    Object *o = marked("n.o", V2025);
    Object *image = program((const Object *const *)&o, 1);
    assert_int_equal(image->set, V2025);
    obj_free(image);
    obj_free(o);
}

/* --- damage -------------------------------------------------------------- */

static u32 next_random(u64 *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (u32)(*seed >> 32);
}

static Object *object_to_damage(void)
{
    Object *o = aligned_object(7);
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, "0123456789ab", 12);
    const u32 f = add_global(o, "f", OBJ_UNDEF, 0), c = add_global(o, "c", OBJ_COMMON, 8);
    o->symbols[c].size = 8;
    const u32 types[] = {R_RISCV_32, R_RISCV_ADD32, R_RISCV_SUB32, 60, R_RISCV_ADD64};
    for (size_t i = 0; i < countof(types); i++)
        add_reloc(o, data, (u32)i, types[i], i % 2 ? f : c, 1);
    add_reloc(o, 0, 32, R_RISCV_PCREL_HI20, c, 0);
    add_reloc(o, 0, 32, R_RISCV_PCREL_LO12_I, 1, 0);
    assert_true(resource_add(o, "_start", &(Resource){.flags = RES_UNKNOWN_CALLEE}));
    return o;
}

/* false: something was refused */
static bool link_file(const u8 *bytes, size_t len, const Object *other)
{
    Diag d = {0};
    Object *o;
    Buf out = {0};
    if (!obj_read("damaged.o", bytes, len, &d, &o))
        return false;
    for (int gc = 0; gc < 2; gc++) {
        Object *image = link_objects((const Object *[]){o, other}, 2, &(LinkOptions){.gc = gc}, &d);
        if (image)
            obj_write(image, &out, &d);
        obj_free(image);
        buf_free(&out);
    }
    obj_free(o);
    return d.errors == 0;
}

/* what can be read can be linked or is refused, never worse */
static void damaged_objects_do_no_harm(void **state)
{
    u64 seed = 0x2545f4914f6cdd1d;
    Buf file = {0};
    Diag d = {0};
    Object *o = object_to_damage(), *f = library("f.o", "f", NULL, 1, 1);
    (void)state;
    assert_true(obj_write(o, &file, &d));
    for (size_t i = 0; i < 4 * file.len; i++) {
        const size_t at = i % file.len;
        const u8 was = file.data[at];
        file.data[at] = i < file.len ? (u8)~was : (u8)next_random(&seed);
        link_file(file.data, file.len, f);
        file.data[at] = was;
    }
    obj_free(o);
    obj_free(f);
    buf_free(&file);
}

static Object *whole, *called; /* of the test below */

static bool write_read_link(void)
{
    Buf file = {0};
    Diag d = {0};
    const bool ok = obj_write(whole, &file, &d) && link_file(file.data, file.len, called);
    buf_free(&file);
    obj_free(whole);
    obj_free(called);
    return ok;
}

static void lack_of_memory_does_no_harm(void **state)
{
    (void)state;
    whole = object_to_damage();
    called = library("f.o", "f", NULL, 1, 1);
    LACK_OF_MEMORY(write_read_link);
    obj_free(whole);
    obj_free(called);
}

/* --- outside linkers ----------------------------------------------------- */

/* As layout.c lays out, in the language of GNU ld and LLD. */
static const char script[] =
    "ENTRY(_start)\n"
    "SECTIONS {\n"
    "  . = 0x80000000;\n"
    "  .text : { *(.text .text.*) }\n"
    "  . = ALIGN(0x1000);\n"
    "  .rodata : { *(.rodata .rodata.*) }\n"
    "  .eh_frame : { *(.eh_frame) }\n"
    "  . = ALIGN(0x1000);\n"
    "  .data : { __DATA_BEGIN__ = .; *(.data .data.*) }\n"
    "  .sdata ALIGN(4) : { __SDATA_BEGIN__ = .; __global_pointer$ = . + 0x800;\n"
    "                      *(.sdata .sdata.*); . = ALIGN(4); }\n"
    "  _edata = .; __bss_start = .;\n"
    "  .sbss : { *(.sbss .sbss.*) }\n"
    "  .bss : { *(.bss .bss.*) *(COMMON) }\n"
    "  _end = .; __BSS_END__ = .;\n"
    "}\n";

/* every relocation that assemblers make of plain RISC-V, across two objects */
static const char source_a[] = "	.globl _start\n"
                               "_start:\n"
                               "	la gp, __global_pointer$\n"
                               "	la a0, buffer\n"
                               "	lui a1, %hi(word+4)\n"
                               "	lw a2, %lo(word+4)(a1)\n"
                               "	sw a2, %lo(word)(a1)\n"
                               "	la a3, nobody\n"
                               "	lw a4, word\n"
                               "	sw a4, word, t0\n"
                               "	call far\n"
                               "	tail far\n"
                               "	jal near\n"
                               "1:	beq a0, a1, 1b\n"
                               "	bne a0, a1, near\n"
                               "	bnez a0, 2f\n"
                               "	.p2align 4\n"
                               "2:	j _start\n"
                               "	.p2align 5\n"
                               "	nop\n"
                               "	.p2align 3\n"
                               "	bltu a0, a1, 2b\n"
                               "	.section .text.near, \"ax\"\n"
                               "	.p2align 5\n"
                               "near:	ret\n"
                               "	.weak nobody\n"
                               "	.data\n"
                               "	.globl word\n"
                               "word:	.word 1, far, ., far-_start, word+8\n"
                               "	.half near_b - near_a\n"
                               "	.byte near_b - near_a\n"
                               "	.byte 1\n"
                               "	.section .text.near, \"ax\"\n"
                               "near_a: nop\n"
                               "	.p2align 3\n"
                               "near_b: nop\n"
                               "	.section .rodata.str1.1, \"a\"\n"
                               "	.asciz \"hello\"\n"
                               "	.section .rodata, \"a\"\n"
                               "	.word word, near, _end, _edata\n"
                               "	.bss\n"
                               "	.p2align 2\n"
                               "	.globl buffer\n"
                               "buffer: .zero 100\n"
                               "	.section .sdata, \"aw\"\n"
                               "	.word small\n"
                               "	.section .sbss, \"aw\", @nobits\n"
                               "	.p2align 2\n"
                               "small:	.zero 4\n";

static const char source_b[] = "	.cfi_sections .eh_frame\n"
                               "	.text\n"
                               "	.globl far\n"
                               "far:	.cfi_startproc\n"
                               "	addi sp, sp, -16\n"
                               "	.cfi_def_cfa_offset 16\n"
                               "	call _start\n"
                               "	.p2align 4\n"
                               "	lw a0, word\n"
                               "	.cfi_remember_state\n"
                               "	la a1, local\n"
                               "	bgeu a0, a1, 1f\n"
                               "	nop\n"
                               "1:	addi sp, sp, 16\n"
                               "	.cfi_def_cfa_offset 0\n"
                               "	ret\n"
                               "	.cfi_endproc\n"
                               "	.data\n"
                               "local:	.word local - word, far\n"
                               "	.comm common, 64, 32\n";

typedef struct {
    const char *name, *command;
} Tool; /* command with %s: source, object */

static const Tool assemblers[] = {
    {"riscv64-unknown-elf-as", "riscv64-unknown-elf-as -march=rv32im -mabi=ilp32 %s -o %s"},
    {"riscv64-unknown-elf-as",
     "riscv64-unknown-elf-as -march=rv32im -mabi=ilp32 -mno-relax %s -o %s"},
    {"llvm-mc", "llvm-mc -triple=riscv32 -mattr=+m -filetype=obj %s -o %s"},
    {"llvm-mc", "llvm-mc -triple=riscv32 -mattr=+m,+relax -filetype=obj %s -o %s"},
};

/* in a directory of its own, which is left when the test ends */
static void run(const char *fmt, const char *a, const char *b)
{
    char command[400];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(command, sizeof command, fmt, a, b);
#pragma GCC diagnostic pop
    if (system(command))
        fail_msg("failed: %s", command);
}

static bool has_tool(const char *name)
{
    char command[100];
    snprintf(command, sizeof command, "command -v %s >/dev/null", name);
    if (!system(command))
        return true;
    print_message("skipped: %s is not installed\n", name);
    return false;
}

static void write_file(const char *name, const void *bytes, size_t len)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static Object *read_file(const char *name)
{
    u8 part[4096];
    Buf file = {0};
    Object *o;
    Caught c;
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_put(&file, part, n);
    fclose(f);
    catch_in(&c);
    if (!obj_read(name, file.data, file.len, &c.d, &o))
        fail_msg("%s", buf_text(&c.text));
    expect_silence(&c);
    buf_free(&file);
    return o;
}

static void same_contents(const Object *ours, const Object *theirs, const char *name)
{
    const ObjSection *a = section(ours, name), *b = section(theirs, name);
    assert_int_equal(a->addr, b->addr);
    assert_int_equal(a->size, b->size);
    for (size_t i = 0; i < a->data.len; i++)
        if (a->data.data[i] != b->data.data[i])
            fail_msg("%s+0x%zx: %02x, outside linker %02x", name, i, a->data.data[i],
                     b->data.data[i]);
}

static void compare_with(const char *linker)
{
    static const char *const names[] = {".text", ".rodata", ".data", ".sdata"};
    run(linker, "a.o", "b.o");
    Object *theirs = read_file("theirs.elf"), *ours = LINK(read_file("a.o"), read_file("b.o"));
    for (size_t i = 0; i < countof(names); i++)
        same_contents(ours, theirs, names[i]);
    assert_int_equal(address_of(ours, "common"), address_of(theirs, "common"));
    assert_int_equal(address_of(ours, "_end"), address_of(theirs, "_end"));
    obj_free(theirs);
    obj_free(ours);
}

static int enter_scratch(void **state)
{
    static char name[] = "/tmp/link_test.XXXXXX";
    *state = mkdtemp(name);
    if (!*state || chdir(name))
        return -1;
    write_file("a.s", source_a, strlen(source_a));
    write_file("b.s", source_b, strlen(source_b));
    write_file("script", script, strlen(script));
    return 0;
}

static int leave_scratch(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", (const char *)*state);
    return chdir("/") || system(command);
}

static void outside_linkers_agree(void **state)
{
    int compared = 0;
    (void)state;
    const bool gnu = has_tool("riscv64-unknown-elf-ld");
    for (size_t i = 0; gnu && i < countof(assemblers); i++) {
        if (!has_tool(assemblers[i].name))
            continue;
        run(assemblers[i].command, "a.s", "a.o");
        run(assemblers[i].command, "b.s", "b.o");
        compare_with(
            "riscv64-unknown-elf-ld -m elf32lriscv --no-relax -T script %s %s -o theirs.elf");
        compared++;
    }
    if (!compared)
        skip_because("no outside assembler and linker");
}

static const struct CMUnitTest *all_tests;
static size_t ntests;

/* Linking leaves nothing, whether it succeeds or not: each test again, once to warm up and then twice.  (Sanitizers
 * count blocks themselves: there is nothing to see here then.) */
static void leaves_no_memory(void **state)
{
    for (const struct CMUnitTest *t = all_tests; t < all_tests + ntests; t++) {
        size_t before = 0;
        const bool can_run = !t->setup_func && t->test_func != leaves_no_memory &&
                             t->test_func != lack_of_memory_does_no_harm;
        for (int k = 0; can_run && k < 3; k++) {
            before = k == 1 ? mallinfo2().uordblks : before;
            t->test_func(state);
        }
        if (can_run && mallinfo2().uordblks > before)
            fail_msg("%s leaves %zu bytes", t->name, mallinfo2().uordblks - before);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_no_memory),
        cmocka_unit_test(lack_of_memory_does_no_harm),
        cmocka_unit_test(references_reach_other_objects),
        cmocka_unit_test(local_symbols_do_not_meet),
        cmocka_unit_test(weak_gives_way),
        cmocka_unit_test(the_first_weak_wins),
        cmocka_unit_test(undefined_weak_is_zero),
        cmocka_unit_test(commons_become_the_largest),
        cmocka_unit_test(a_definition_beats_a_common),
        cmocka_unit_test(absolute_symbols_do_not_move),
        cmocka_unit_test(duplicates_name_both_files),
        cmocka_unit_test(undefined_is_told_once_a_file),
        cmocka_unit_test(undefined_is_told_with_the_likely_name),
        cmocka_unit_test(an_undefined_name_nobody_uses_is_no_matter),
        cmocka_unit_test(sections_are_laid_out_as_by_the_public_script),
        cmocka_unit_test(segments_follow_rights),
        cmocka_unit_test(zeros_and_contents_share_a_section),
        cmocka_unit_test(a_name_does_not_take_rights_away),
        cmocka_unit_test(what_is_not_for_the_image_stays_out),
        cmocka_unit_test(the_first_attributes_are_kept),
        cmocka_unit_test(the_script_s_symbols_are_defined),
        cmocka_unit_test(tohost_is_there_for_who_asks),
        cmocka_unit_test(an_object_s_own_symbol_comes_before_the_script_s),
        cmocka_unit_test(all_symbols_of_the_script_may_be_an_object_s),
        cmocka_unit_test(the_script_s_symbols_are_in_its_own_sections),
        cmocka_unit_test(the_entry_is_first),
        cmocka_unit_test(an_entry_must_be_there),
        cmocka_unit_test(an_image_must_fit),
        cmocka_unit_test(images_are_not_linked_again),
        cmocka_unit_test(images_are_files),
        cmocka_unit_test(code_fields_hold_offsets),
        cmocka_unit_test(code_fields_hold_addresses),
        cmocka_unit_test(calls_are_pairs),
        cmocka_unit_test(low_parts_follow_their_label),
        cmocka_unit_test(data_holds_addresses_and_differences),
        cmocka_unit_test(uleb_numbers_keep_their_length),
        cmocka_unit_test(what_does_not_reach_is_an_error),
        cmocka_unit_test(what_is_not_known_is_an_error),
        cmocka_unit_test(fields_must_be_inside),
        cmocka_unit_test(alignment_takes_what_is_too_much),
        cmocka_unit_test(alignment_aligns_the_section),
        cmocka_unit_test(places_move_with_what_is_cut),
        cmocka_unit_test(alignment_that_cannot_be_is_an_error),
        cmocka_unit_test(gc_keeps_what_kernels_reach),
        cmocka_unit_test(gc_goes_in_circles),
        cmocka_unit_test(gc_keeps_roots),
        cmocka_unit_test(gc_keeps_what_is_to_be_retained),
        cmocka_unit_test(gc_leaves_unwind_data_alone),
        cmocka_unit_test(gc_without_kernels_keeps_all),
        cmocka_unit_test(gc_roots_must_be_there),
        cmocka_unit_test(references_to_what_is_gone),
        cmocka_unit_test(records_grow_by_what_is_called),
        cmocka_unit_test(records_count_nothing_twice),
        cmocka_unit_test(records_that_know_all_stay),
        cmocka_unit_test(records_stay_unknown_without_the_callee_s),
        cmocka_unit_test(circles_have_no_stack_bound),
        cmocka_unit_test(foreign_records_are_copied),
        cmocka_unit_test(malformed_records_are_not_linked),
        cmocka_unit_test(neutral_objects_go_with_any_profile),
        cmocka_unit_test(profiles_do_not_mix),
        cmocka_unit_test(a_program_gets_the_start_code_that_it_needs),
        cmocka_unit_test(another_function_may_come_without_the_write),
        cmocka_unit_test(start_code_brings_its_symbols),
        cmocka_unit_test(printing_comes_first),
        cmocka_unit_test(start_code_goes_with_any_profile),
        cmocka_unit_test(damaged_objects_do_no_harm),
        cmocka_unit_test_setup_teardown(outside_linkers_agree, enter_scratch, leave_scratch),
    };
    /* what malloc keeps at hand for a thread would count as given out */
    (void)argc;
    if (!getenv("GLIBC_TUNABLES") && !setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1))
        execv("/proc/self/exe", argv);
    all_tests = tests;
    ntests = countof(tests);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
