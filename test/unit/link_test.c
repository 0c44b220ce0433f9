/* What must hold of linking: who defines what, and where everything goes. */
#include "test/kit/links.h"
#include "test/kit/random.h"

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

/* labels that compilers made for themselves begin with ".L" */
static void temporary_names_stay_out(void **state)
{
    static const struct { const char *name; bool stays_out; } row[] = {
        {".Lx", true}, {".L", true}, {".x", false}, {"L.x", false}, {"..Lx", false}, {".l", false}, {"x.L", false},
    };
    Object *a = CODE(W_NOP);
    (void)state;
    for (size_t i = 0; i < countof(row); i++)
        add_local(a, row[i].name, 0, 0);
    add_global(a, ".Lexported", 0, 0);
    Object *image = LINK(a);
    for (size_t i = 0; i < countof(row); i++)
        if ((obj_find_symbol(image, row[i].name) < 0) != row[i].stays_out)
            fail_msg("%s", row[i].name);
    assert_true(obj_find_symbol(image, ".Lexported") >= 0);
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

enum { NAMES = 12, FILES = 5 };
typedef enum { ABSENT, USED, WEAKLY_USED, WEAK, COMMON, STRONG, NUMBER, LOCAL } Kind;

/* name n as file i has it; what is defined holds 100 i + n, and numbers are that */
static Object *file_with_names(u32 i, const Kind *kind)
{
    char name[16];
    u32 data[NAMES], zeros[NAMES] = {0};
    Object *o = obj_new("f.o");
    for (u32 n = 0; n < NAMES; n++)
        data[n] = 100 * i + n;
    const i32 values = add_bytes(o, ".data", DATA_FLAGS, 4, data, sizeof data);
    const i32 table = add_bytes(o, ".data.table", DATA_FLAGS, 4, zeros, sizeof zeros);
    snprintf(name, sizeof name, "table%u", i);
    add_global(o, name, table, 0);
    for (u32 n = 0; n < NAMES; n++) {
        snprintf(name, sizeof name, "name%u", n);
        if (kind[n] == ABSENT)
            continue;
        const i32 section = kind[n] == NUMBER ? OBJ_ABS : kind[n] == COMMON ? OBJ_COMMON : kind[n] < WEAK ? OBJ_UNDEF : values;
        const u32 value = kind[n] == NUMBER ? 100 * i + n : kind[n] == COMMON ? 1u << (i + n) % 7 : kind[n] < WEAK ? 0 : 4 * n;
        const u8 bind = kind[n] == LOCAL ? STB_LOCAL : kind[n] == WEAK || kind[n] == WEAKLY_USED ? STB_WEAK : STB_GLOBAL;
        const i32 at = obj_add_symbol(o, name, section, value, bind, STT_OBJECT);
        o->symbols[at].size = kind[n] == COMMON ? 1 + (7 * i + 5 * n) % 40 : 4;
        add_reloc(o, table, 4 * n, R_RISCV_32, (u32)at, 0);
    }
    return o;
}

/* Which file's definition a name has (gABI, "Symbol Table"): a strong one, else it is common, else the first weak one;
 * FILES: common; FILES + 1: none. */
static u32 definer(Kind kind[FILES][NAMES], u32 n)
{
    u32 found = FILES + 1;
    for (u32 i = 0; i < FILES; i++)
        if (kind[i][n] == STRONG || kind[i][n] == NUMBER)
            return i;
    for (u32 i = FILES; i-- > 0;)
        if (kind[i][n] == WEAK)
            found = i;
    for (u32 i = 0; i < FILES; i++)
        if (kind[i][n] == COMMON)
            found = FILES;
    return found;
}

static void expect_common(const Object *image, Kind kind[FILES][NAMES], u32 n, u32 addr)
{
    char name[16];
    u32 size = 0, align = 1;
    snprintf(name, sizeof name, "name%u", n);
    for (u32 i = 0; i < FILES; i++)
        if (kind[i][n] == COMMON) {
            const u32 bytes = 1 + (7 * i + 5 * n) % 40, multiple = 1u << (i + n) % 7;
            size = bytes > size ? bytes : size;
            align = multiple > align ? multiple : align;
        }
    const ObjSection *bss = section(image, ".bss");
    const ObjSymbol *s = &image->symbols[obj_find_symbol(image, name)];
    assert_true(s->value == addr && s->size == size && s->type == STT_OBJECT && s->bind == STB_GLOBAL);
    assert_true(addr % align == 0 && addr >= bss->addr && addr + size <= bss->addr + bss->size);
    for (size_t i = 0; i < image->nsymbols; i++) { /* nothing else is there */
        const ObjSymbol *t = &image->symbols[i];
        if (t != s && t->section == s->section && t->size)
            assert_true(t->value + t->size <= addr || t->value >= addr + size);
    }
}

static void try_names(void)
{
    Kind kind[FILES][NAMES];
    Object *o[FILES + 1] = {CODE(W_NOP)};
    for (u32 n = 0; n < NAMES; n++) {
        const u32 strong = below(2 * FILES), common = below(3);
        for (u32 i = 0; i < FILES; i++) {
            kind[i][n] = i == strong ? (one_in(4) ? NUMBER : STRONG)
                         : one_in(6) ? LOCAL
                         : one_in(3) ? (common ? WEAK : COMMON)
                                     : (Kind)below(3);
            if (kind[i][n] == WEAK && one_in(4))
                kind[i][n] = COMMON;
        }
        for (u32 i = 0; i < FILES; i++) /* none may be missing */
            if (kind[i][n] == USED && definer(kind, n) == FILES + 1)
                kind[i][n] = WEAKLY_USED;
    }
    for (u32 i = 0; i < FILES; i++)
        o[i + 1] = file_with_names(i, kind[i]);
    Object *image = link_well(&plain, o, countof(o));
    for (u32 i = 0; i < FILES; i++)
        for (u32 n = 0; n < NAMES; n++) {
            char table[16];
            snprintf(table, sizeof table, "table%u", i);
            const u32 addr = word_at(image, address_of(image, table) + 4 * n), from = kind[i][n] == LOCAL ? i : definer(kind, n);
            if (kind[i][n] == ABSENT || from == FILES + 1)
                assert_int_equal(addr, 0);
            else if (from == FILES)
                expect_common(image, kind, n, addr);
            else
                assert_int_equal(kind[from][n] == NUMBER ? addr : word_at(image, addr), 100 * from + n);
        }
    obj_free(image);
}

static void names_are_defined_by_the_strongest(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++)
        try_names();
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
    /* two letters may differ, of short names one; the nearest of several is told, and the first of those as near */
    static const struct {
        const char *name, *defined[2], *like; /* NULL: none is near enough */
    } row[] = {{"abcd", {"abxy", "q"}, "abxy"},          {"abcd", {"axyz", "q"}, NULL},       {"abc", {"abx", "q"}, "abx"},
               {"abc", {"axy", "q"}, NULL},              {"f", {"g", "hh"}, "g"},             {"abcdef", {"abxyef", "abcdeg"}, "abcdeg"},
               {"abcdef", {"abcdeg", "abxyef"}, "abcdeg"}, {"abcdef", {"abcdeg", "abcdeh"}, "abcdeg"}};
    for (size_t i = 0; i < countof(row); i++) {
        char message[100];
        Caught c;
        catch_in(&c);
        Object *o[] = {caller_of(row[i].name, 1), function_object("b.o", row[i].defined[0]), function_object("c.o", row[i].defined[1])};
        snprintf(message, sizeof message, "'%s' is not defined%s%s%s\n", row[i].name, row[i].like ? "; did you mean '" : "",
                 row[i].like ? row[i].like : "", row[i].like ? "'?" : "");
        assert_null(link_with(&plain, (const Object *const *)o, countof(o), &c));
        expect_error(&c, message);
        for (size_t k = 0; k < countof(o); k++)
            obj_free(o[k]);
    }
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
    /* one that is there, of any size, has room enough or gets it */
    for (u32 size = 8; size <= 200; size += 8) {
        const u8 bytes[200] = {0};
        a = CODE(W_NOP), b = obj_new("b.o");
        add_reloc(a, 0, 0, R_RISCV_32, add_global(a, "fromhost", OBJ_UNDEF, 0), 0);
        add_bytes(b, ".tohost", DATA_FLAGS, 64, bytes, size);
        image = LINK(a, b);
        assert_true(size < 72 ? section(image, ".tohost")->size >= 72 : section(image, ".tohost")->size == size);
        obj_free(image);
    }
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
    f = function_object("f.o", "f"); /* its only symbol */
    image = link_well(&(LinkOptions){.entry = "f"}, &f, 1);
    assert_int_equal(image->entry, TEXT);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(references_reach_other_objects),
        cmocka_unit_test(local_symbols_do_not_meet),
        cmocka_unit_test(temporary_names_stay_out),
        cmocka_unit_test(weak_gives_way),
        cmocka_unit_test(the_first_weak_wins),
        cmocka_unit_test(undefined_weak_is_zero),
        cmocka_unit_test(commons_become_the_largest),
        cmocka_unit_test(a_definition_beats_a_common),
        cmocka_unit_test(names_are_defined_by_the_strongest),
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
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
