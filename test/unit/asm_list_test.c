/* Listings: what is printed of objects and images, and that any object comes back from its text -- names that need
 * quotes, labels of one name, targets without a label, words that the assembler would align, rooms of zeros. */
#include "test/kit/leftover.h"
#include "test/kit/assemble.h"
#include "test/kit/random.h"

static void expect_text(const Object *o, const ListOptions *opt, const char *want)
{
    Buf got = {0};
    asm_list(o, opt, &got);
    assert_string_equal(buf_text(&got), want);
    buf_free(&got);
}

/* --- with addresses ------------------------------------------------------------------------ */

static void tell_place(void *self, u32 addr, Buf *to) { buf_printf(to, "%s%x\n", (const char *)self, addr); }

static void listings_show_addresses_words_and_relocations(void **state)
{
    (void)state;
    Object *o = assemble(".globl f, g\nf: beq a0, a1, 1f\n call ext\n1: csrr t0, CSR_TID\n.Lx: .half 7\n.byte 9\n"
                         "g: vadd.vv v40, v1, v2\n.data\nd: .word f + 4, 5\n.byte 6\n.bss\n.zero 8\n", V202);
    static const char code[] =
        "t.s:\tfile format elf32-littleriscv\n"
        "\nDisassembly of section .text:\n"
        "\n00000000 <f>:\n"
        "00000000: 00b50663      beq a0, a1, 0xc <f+0xc>\n"
        "00000004: 00000097      auipc ra, 0\n"
        "\t\t00000004:  R_RISCV_CALL_PLT\text\n"
        "00000008: 000080e7      jalr ra\n"
        "0000000c: 800022f3      csrr t0, 2048\n"
        "\t.byte 0x07\n\t.byte 0x00\n\t.byte 0x09\n"
        "\n00000013 <g>:\n"
        "00000013: 0010200b      regext zero, zero, 1\n"
        "00000017: 02110457      vadd.vv v8, v1, v2\n";
    expect_text(o, &(ListOptions){0}, code);
    expect_text(o, &(ListOptions){.section = ".data"},
                "t.s:\tfile format elf32-littleriscv\n"
                "\nDisassembly of section .data:\n"
                "\n00000000 <d>:\n"
                "00000000: 00000000      .word 0x00000000\n"
                "\t\t00000000:  R_RISCV_32\tf+4\n"
                "00000004: 00000005      .word 0x00000005\n"
                "\t.byte 0x06\n");
    expect_text(o, &(ListOptions){.section = ".bss"},
                "t.s:\tfile format elf32-littleriscv\n\nDisassembly of section .bss:\n\t.zero 8\n");
    expect_text(o, &(ListOptions){.section = ".none"}, "t.s:\tfile format elf32-littleriscv\n");
    expect_text(o, &(ListOptions){.symbol = "g", .resolve_ext = true},
                "t.s:\tfile format elf32-littleriscv\n"
                "\nDisassembly of section .text:\n"
                "\n00000013 <g>:\n"
                "00000013: 0010200b      regext zero, zero, 1\n"
                "00000017: 02110457      vadd.vv v40, v1, v2\n");
    expect_text(o, &(ListOptions){.symbol = "nobody"}, "t.s:\tfile format elf32-littleriscv\n");
    expect_text(o, &(ListOptions){.symbol = "ext"}, "t.s:\tfile format elf32-littleriscv\n");
    /* up to the next label; lines before each instruction, not before bytes */
    expect_text(o, &(ListOptions){.symbol = "f", .csr_names = true, .before = tell_place, .self = "at "},
                "t.s:\tfile format elf32-littleriscv\n"
                "\nDisassembly of section .text:\n"
                "\n00000000 <f>:\n"
                "at 0\n00000000: 00b50663      beq a0, a1, 0xc <f+0xc>\n"
                "at 4\n00000004: 00000097      auipc ra, 0\n"
                "\t\t00000004:  R_RISCV_CALL_PLT\text\n"
                "at 8\n00000008: 000080e7      jalr ra\n"
                "at c\n0000000c: 800022f3      csrr t0, tid\n"
                "\t.byte 0x07\n\t.byte 0x00\n\t.byte 0x09\n");
    obj_free(o);
}

/* of one function: its relocations only, its size where that is said, no label of another section */
static void one_function_is_listed_alone(void **state)
{
    (void)state;
    Object *o = assemble("f: call ext\n endprg\n.size f, 12\ng: call ext + 8\n endprg\n.size g, 8\n nop\n"
                         ".section .text.h, \"ax\"\n nop\nh: nop\n j h\n", V202);
    expect_text(o, &(ListOptions){.symbol = "g"},
                "t.s:\tfile format elf32-littleriscv\n"
                "\nDisassembly of section .text:\n"
                "\n0000000c <g>:\n"
                "0000000c: 00000097      auipc ra, 0\n"
                "\t\t0000000c:  R_RISCV_CALL_PLT\text+8\n"
                "00000010: 000080e7      jalr ra\n");
    expect_text(o, &(ListOptions){.symbol = "h"},
                "t.s:\tfile format elf32-littleriscv\n"
                "\nDisassembly of section .text.h:\n"
                "\n00000004 <h>:\n"
                "00000004: 00000013      nop\n"
                "00000008: ffdff06f      j 0x4 <h>\n");
    obj_free(o);
}

/* Of several labels at one place a function names it, then a global label, then the first. */
static void names_are_those_of_functions_first(void **state)
{
    typedef struct { u8 bind, type; } Kind;
    static const struct { Kind a, b; } row[] = { /* a is the name */
        {{STB_LOCAL, STT_FUNC}, {STB_GLOBAL, STT_NOTYPE}},
        {{STB_GLOBAL, STT_FUNC}, {STB_LOCAL, STT_FUNC}},
        {{STB_GLOBAL, STT_NOTYPE}, {STB_LOCAL, STT_NOTYPE}},
        {{STB_WEAK, STT_OBJECT}, {STB_LOCAL, STT_NOTYPE}},
        {{STB_LOCAL, STT_NOTYPE}, {STB_LOCAL, STT_NOTYPE}},
    };
    static const struct { const char *name; u8 type; } ignored[] = {
        {"$x", STT_NOTYPE}, {"", STT_FUNC}, {"section", STT_SECTION}, {"file", STT_FILE}, {"local", STT_TLS},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++)
        for (int b_first = 0; b_first < (i + 1 < countof(row) ? 2 : 1); b_first++) {
            Object *o = obj_new("x");
            const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, "\x13\0\0\0\x6f\xf0\xdf\xff", 8);
            for (size_t k = 0; k < countof(ignored); k++)
                obj_add_symbol(o, ignored[k].name, text, 0, STB_GLOBAL, ignored[k].type);
            for (int k = 0; k < 2; k++)
                obj_add_symbol(o, k == b_first ? "a" : "b", text, 0, k == b_first ? row[i].a.bind : row[i].b.bind,
                               k == b_first ? row[i].a.type : row[i].b.type);
            expect_text(o, &(ListOptions){0},
                        "x:\tfile format elf32-littleriscv\n\nDisassembly of section .text:\n"
                        "\n00000000 <a>:\n\n00000000 <b>:\n00000000: 00000013      nop\n"
                        "00000004: ffdff06f      j 0x0 <a>\n");
            obj_free(o);
        }
}

/* an image without sections has its segments */
static void segments_are_listed(void **state)
{
    (void)state;
    Object *o = obj_new("image");
    o->is_image = true;
    o->segments = mem_zalloc(2, sizeof *o->segments);
    o->nsegments = o->capsegments = 2;
    o->segments[0] = (ObjSegment){.addr = 0x80000000, .memsz = 8, .flags = PF_R | PF_X};
    buf_put(&o->segments[0].data, "\x13\0\0\0\x67\x80\0\0", 8);
    o->segments[1] = (ObjSegment){.addr = 0x90000000, .memsz = 4, .flags = PF_R | PF_W};
    buf_put(&o->segments[1].data, "\1\2\3\4", 4);
    obj_add_symbol(o, "_start", 0, 0x80000004, STB_GLOBAL, STT_NOTYPE);
    static const char code[] = "image:\tfile format elf32-littleriscv\n"
                               "\nDisassembly of section .text:\n"
                               "80000000: 00000013      nop\n"
                               "\n80000004 <_start>:\n"
                               "80000004: 00008067      ret\n";
    Buf all = {0};
    expect_text(o, &(ListOptions){0}, code);
    buf_printf(&all, "%s\nDisassembly of section .data:\n90000000: 04030201      .word 0x04030201\n", code);
    expect_text(o, &(ListOptions){.all_sections = true}, buf_text(&all));
    expect_text(o, &(ListOptions){.all_sections = true, .no_addresses = true},
                "\t.section .text, \"ax\", @progbits\n\t.balign 4\n\tnop\n\t.globl _start\n_start:\n\tret\n"
                "\t.section .data, \"aw\", @progbits\n\t.balign 4\n\t.word 0x04030201\n");
    buf_free(&all);
    obj_free(o);
}

/* --- the text of an object is the object ------------------------------------------------------- */

static const ObjSymbol *named(const Object *o, const char *name)
{
    const i32 i = obj_find_symbol(o, name);
    return i < 0 ? NULL : &o->symbols[i];
}

/* where a symbol of o is, in words */
static const char *place_of(const Object *o, const ObjSymbol *s)
{
    return s->section >= 0 ? o->sections[s->section].name : s->section == OBJ_UNDEF ? "undefined" : "elsewhere";
}

static void same_relocs(const Object *o, const ObjSection *s, const Object *p, const ObjSection *t, const char *text)
{
    if (s->nrelocs != t->nrelocs)
        fail_msg("%zu relocations of %zu in %s\n%s", t->nrelocs, s->nrelocs, s->name, text);
    for (size_t i = 0; i < s->nrelocs; i++) {
        const ObjReloc *r = &s->relocs[i], *q = &t->relocs[i];
        if (r->offset != q->offset || r->type != q->type || r->addend != q->addend ||
            (r->symbol == OBJ_NO_SYMBOL) != (q->symbol == OBJ_NO_SYMBOL))
            fail_msg("relocation %zu of %s\n%s", i, s->name, text);
        if (r->symbol == OBJ_NO_SYMBOL)
            continue;
        const ObjSymbol *x = &o->symbols[r->symbol], *y = &p->symbols[q->symbol];
        if (strcmp(place_of(o, x), place_of(p, y)) || x->value != y->value)
            fail_msg("relocation %zu of %s is for %s in %s+%x\n%s", i, s->name, y->name, place_of(p, y), y->value, text);
    }
}

static void comes_back(const Object *o)
{
    Buf text = {0};
    asm_list(o, &(ListOptions){.all_sections = true, .no_addresses = true}, &text);
    Caught c; /* warnings, about what some immediates mean */
    Object *p = assemble_in(&c, buf_text(&text), &(AsmOptions){.set = V202});
    if (!p)
        fail_msg("%s\n%s", buf_text(&c.text), buf_text(&text));
    buf_free(&c.text);
    assert_int_equal(p->set, o->set);
    for (size_t i = 0; i < o->nsections; i++) {
        const ObjSection *s = &o->sections[i];
        const i32 at = obj_find_section(p, s->name);
        if (!s->size || !strncmp(s->name, ".ventus.", 8))
            continue;
        const ObjSection *t = at < 0 ? NULL : &p->sections[at];
        if (!t || t->type != s->type || t->flags != s->flags || t->align != s->align || t->size != s->size ||
            t->data.len != s->data.len || (s->data.len && memcmp(t->data.data, s->data.data, s->data.len) != 0))
            fail_msg("section %s\n%s", s->name, buf_text(&text));
        same_relocs(o, s, p, t, buf_text(&text));
    }
    for (size_t i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i], *t = named(p, s->name);
        if (s->section < 0 || !*s->name || named(o, s->name) != s || s->type == STT_SECTION)
            continue;
        if (!t || t->bind != s->bind || t->type != s->type || t->size != s->size || t->value != s->value ||
            strcmp(place_of(o, s), place_of(p, t)))
            fail_msg("symbol %s: bind %d type %d size %u at %s+%x, not %d %d %u at %s+%x\n%s", s->name, t ? t->bind : -1,
                     t ? t->type : 0, t ? t->size : 0, t ? place_of(p, t) : "", t ? t->value : 0, s->bind, s->type, s->size,
                     place_of(o, s), s->value, buf_text(&text));
    }
    buf_free(&text);
    obj_free(p);
}

static void objects_come_back_from_their_text(void **state)
{
    static const char *const texts[] = {
        /* symbols of every kind, and names that need quotes */
        ".globl f\n.type f, @function\nf: ret\n.size f, 4\n.weak w\nw: nop\n.type o, @object\no: nop\nl: j l\n"
        ".data\n\"two words\": .word 1\n.size \"two words\", 4\n\"a\\\"b\\\\c\\td\": .word \"two words\"\n",
        /* targets that have a label, none, one in the middle of a word, one in data */
        "f: beq a0, a1, 2f\n nop\n2: bne a0, a1, f\n j f\n beq a0, a1, .+6\n beq a0, a1, .-2\n nop\n"
        " vbeq v1, v2, .+8\n nop\n j .+4\n.byte 1, 2, 3\n j .+3*0\n",
        "1: j 1b\n.section .text.b, \"ax\"\n nop\n2: nop\n j 2b\n.section .text.a, \"ax\"\n nop\n nop\n3: nop\n beq a0, a1, 3b\n",
        /* a label within a word, and at the end */
        " nop\n.half 0x13\nx: .half 0\n.byte 1\ny: nop\nz:\n.data\n.byte 1\nm: .byte 2, 3, 4, 5\ne:\n",
        /* rooms of zeros with labels */
        ".bss\n.balign 16\na: .zero 8\nb: .zero 5\nc:\n.section .more, \"aw\", @nobits\n.zero 3\n",
        /* relocations: with and without a symbol, of sections, in the middle, behind one another */
        "1: auipc t1, %pcrel_hi(ext)\n addi t1, t1, %pcrel_lo(1b)\n beq a0, a1, ext\n j ext + 4\n call ext - 8\n"
        ".reloc ., R_RISCV_RELAX\n lui a0, %hi(ext)\n addi a0, a0, %lo(ext)\n nop\n"
        ".data\n.byte 1\n.word ext\n.dword ext + 1\n.half a - b\n.word .text, .data + 4, ext - .\n.reloc 0, R_RISCV_NONE, ext\n",
        ".section .data.x, \"aw\"\n.balign 64\n.word 1\n.section .rodata, \"a\"\n.word 2\n.section plain, \"\"\n.word 3\n"
        ".section \"odd name\", \"awx\"\n nop\n",
        /* v2025: words of 64 bits, which the assembler aligns, at places where they are not */
        ".ventus_isa v2025\n.insn 8, 0x0123456789abcd0c\n nop\n.byte 0, 0, 0, 0\n",
        "", " nop\n",
    };
    (void)state;
    for (size_t i = 0; i < countof(texts); i++) {
        Object *o = assemble(texts[i], V202);
        comes_back(o);
        obj_free(o);
    }
}

/* also behind one in the middle of a word, which has none */
static void targets_have_labels(void **state)
{
    (void)state;
    Object *o = assemble(" beq a0, a1, .+6\n nop\n beq a0, a1, .+8\n nop\n j .-8\n", V202);
    Buf text = {0};
    asm_list(o, &(ListOptions){.no_addresses = true}, &text);
    assert_non_null(strstr(buf_text(&text), "\tbeq a0, a1, 6\n"));
    assert_non_null(strstr(buf_text(&text), "\tbeq a0, a1, .LT0_10\n"));
    assert_non_null(strstr(buf_text(&text), ".LT0_10:\n\tj .LT0_8\n"));
    assert_non_null(strstr(buf_text(&text), ".LT0_8:\n\tbeq"));
    buf_free(&text);
    obj_free(o);
}

/* Objects of GNU as have many local labels of one name; of sections of several names, relocations of either. */
static void labels_of_one_name_come_back(void **state)
{
    (void)state;
    Object *o = obj_new("x");
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, "\x13\0\0\0\x13\0\0\0\x63\0\xb5\0\x13\0\0\0\x6f\0\0\0", 20);
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    const u32 a = add_local(o, ".L0 ", text, 0), b = add_local(o, ".L0 ", text, 8), c = add_local(o, ".L0 ", text, 12),
              d = add_local(o, ".L0 ", data, 4);
    add_reloc(o, text, 8, R_RISCV_BRANCH, c, 0);
    add_reloc(o, text, 16, R_RISCV_JAL, a, 4);
    add_reloc(o, data, 0, R_RISCV_32, b, -4);
    add_reloc(o, data, 4, R_RISCV_32, d, 0);
    add_reloc(o, data, 8, R_RISCV_NONE, OBJ_NO_SYMBOL, 7);
    comes_back(o);
    obj_free(o);
}

/* a word of 64 bits where the assembler would not put one */
static void long_words_stay_where_they_are(void **state)
{
    (void)state;
    for (int skip = 0; skip < 16; skip += 4) {
        Object *o = assemble(".ventus_isa v2025\nvadd64.vv v1, v2, v3\n", V202);
        const ObjSection *s = section_of(o, ".text");
        Object *p = obj_new("x");
        Buf bytes = {0};
        for (int i = 0; i < skip; i += 4)
            buf_put(&bytes, "\x13\0\0\0", 4);
        buf_put(&bytes, s->data.data, 8);
        buf_put(&bytes, "\x13\0\0\0", 4);
        p->set = V2025;
        add_bytes(p, ".text", TEXT_FLAGS, skip % 8 ? 4 : 8, bytes.data, bytes.len);
        comes_back(p);
        buf_free(&bytes);
        obj_free(p);
        obj_free(o);
    }
}

/* --- random objects --------------------------------------------------------------------------- */

/* a word of the profile, or none at all; often a branch to somewhere near */
static void put_random_word(Buf *b, IsaDecoder *d)
{
    const i32 distance = 2 * ((i32)below(60) - 30);
    if (one_in(5)) {
        buf_put(b, &(u32){one_in(2) ? word_of({I_beq, {10, 11, distance}}) : word_of({I_jal, {0, distance}})}, 4);
        return;
    }
    for (;;) {
        const InsnInfo *row = &isa_insn[below(NINSN)];
        const u64 mask = isa_format_of((InsnId)(row - isa_insn))->mask;
        const u64 word = one_in(6) ? (u32)random_bits() : (row->match & mask) | (random_bits() & ~mask);
        Insn in;
        if (row->len != 4 || (u32)word != word || (!one_in(6) && !isa_decode(d, word, &in)))
            continue;
        buf_put(b, &(u32){(u32)word}, 4);
        return;
    }
}

static void add_random_section(Object *o, const char *name, u32 flags, IsaDecoder *d)
{
    const bool is_code = flags & SHF_EXECINSTR, is_zeros = !is_code && one_in(4);
    const i32 at = obj_add_section(o, name, is_zeros ? SHT_NOBITS : SHT_PROGBITS, flags, is_code ? 4u << below(4) : 1u << below(6));
    ObjSection *s = &o->sections[at];
    for (u32 n = below(30); n && !is_zeros; n--)
        put_random_word(&s->data, d);
    for (u32 n = below(4); n && !is_zeros; n--)
        buf_put(&s->data, &(u8){(u8)random_bits()}, 1);
    s->size = is_zeros ? below(50) : (u32)s->data.len;
}

static void add_random_symbols(Object *o)
{
    static const char *const tails[] = {"", ".b", "$", " c", "\"", "\\", "\t", "-1", "(int*)", "@x", "\303\244"};
    static const u8 types[] = {STT_NOTYPE, STT_FUNC, STT_OBJECT};
    char name[40];
    for (u32 i = 0, n = below(15); i < n; i++) {
        const i32 section = (i32)below((u32)o->nsections + 1) - 1;
        snprintf(name, sizeof name, "s%u%s", i, tails[below(countof(tails))]);
        if (section < 0) {
            add_global(o, name, OBJ_UNDEF, 0);
            continue;
        }
        const i32 at = obj_add_symbol(o, name, section, below(o->sections[section].size + 1), (u8)below(3), types[below(3)]);
        o->symbols[at].size = one_in(2) ? below(100) : 0;
    }
    for (u32 n = below(4); n; n--) { /* local ones of one name */
        const i32 section = (i32)below((u32)o->nsections);
        add_local(o, "twice", section, below(o->sections[section].size + 1));
    }
}

static void add_random_relocs(Object *o)
{
    for (size_t i = 0; i < o->nsections; i++)
        for (u32 n = below(5); n && o->sections[i].type != SHT_NOBITS && o->sections[i].size; n--) {
            u32 type = below(62);
            while (!obj_reloc_name(type))
                type = below(62);
            const bool has_symbol = o->nsymbols && !one_in(5);
            add_reloc(o, (i32)i, below(o->sections[i].size), type, has_symbol ? below((u32)o->nsymbols) : OBJ_NO_SYMBOL,
                      one_in(2) ? 0 : (i32)random_bits());
        }
}

/* A listing with addresses has the words and relocations of code. */
static void code_comes_back(const Object *o)
{
    Buf text = {0};
    Caught c;
    asm_list(o, &(ListOptions){.csr_names = one_in(2)}, &text);
    Object *p = assemble_in(&c, buf_text(&text), &(AsmOptions){.set = V202});
    if (!p)
        fail_msg("%s\n%s", buf_text(&c.text), buf_text(&text));
    for (size_t i = 0; i < o->nsections; i++) {
        const ObjSection *s = &o->sections[i];
        if (!(s->flags & SHF_EXECINSTR) || !s->size)
            continue;
        const ObjSection *t = section_of(p, s->name);
        if (t->size != s->size || memcmp(t->data.data, s->data.data, s->size) != 0 || t->nrelocs != s->nrelocs)
            fail_msg("section %s\n%s", s->name, buf_text(&text));
        for (size_t k = 0; k < s->nrelocs; k++) {
            const ObjReloc *r = &s->relocs[k], *q = &t->relocs[k];
            if (r->offset != q->offset || r->type != q->type || r->addend != q->addend ||
                (r->symbol != OBJ_NO_SYMBOL && strcmp(o->symbols[r->symbol].name, "twice") != 0 &&
                 strcmp(o->symbols[r->symbol].name, p->symbols[q->symbol].name) != 0))
                fail_msg("relocation %zu of %s\n%s", k, s->name, buf_text(&text));
        }
    }
    buf_free(&c.text);
    buf_free(&text);
    obj_free(p);
}

static void random_objects_come_back(void **state)
{
    (void)state;
    static const char *const names[] = {".text", ".data", ".text.more", "odd name", ".mine"};
    static const u32 flags[] = {TEXT_FLAGS, DATA_FLAGS, TEXT_FLAGS, SHF_ALLOC, DATA_FLAGS | SHF_EXECINSTR};
    static IsaDecoder d;
    isa_decoder_init(&d, V202);
    for (int i = 0; i < 300; i++) {
        Object *o = obj_new("random.o");
        for (u32 k = 0; k < countof(names); k++)
            add_random_section(o, names[k], flags[k], &d);
        add_random_symbols(o);
        add_random_relocs(o);
        comes_back(o);
        code_comes_back(o);
        obj_free(o);
    }
}

/* --- listings as text ------------------------------------------------------------------------- */

/* what disassemblers of others write, and the words, section and address that it stands for */
static void listings_of_others_are_taken(void **state)
{
    static const struct { const char *text, *section, *words; u32 addr; } row[] = {
        {"x.o:  file format elf32-littleriscv\n\nDisassembly of section .text:\n80000000 <f>:\n80000000: 67 80 00 00  ret\n",
         ".text", "00008067", 0x80000000},
        {"x.o:\tfile format elf32-littleriscv  \nDisassembly of section .fini: \n10: 00000013 nop", ".fini", "00000013", 0x10},
        {" \tDisassembly of section .fini:\n  10: 00000013 nop", ".fini", "00000013", 0x10},
        {"0: 00000013 nop\n\t\t...\n10: 00100093 li ra, 1\n", ".text",
         "00000013 00000000 00000000 00000000 00100093", 0},
        {"  0: 8082  <unknown>\n  2: 13000000 <unknown>\n  6: 0001 ", ".text", "00008082 00011300", 0},
        {"0: 82 80 <unknown>\n2: ff\n", NULL, NULL, 0}, /* one byte is no word: not of a listing */
        {"0: 0b 20 10 00 regext zero, zero, 1\n4: 57 00 22 02 vadd.vv v32, v2, v4\n", ".text", "0010200b 02220057", 0},
        {"0: 00b50463 beq a0, a1, 0x8 <f+0x8>\n4: 00000013 nop\n8: ff9ff06f j 0 <f>\n", ".text",
         "00b50463 00000013 ff9ff06f", 0},
        {"80000000: 00b50463 beq a0, a1, 80000008 <f+0x8>\n80000004: 00000013 nop\n", ".text", "00b50463 00000013", 0x80000000},
        {"80000000: 00b50463 beq a0, a1, 0x80000008\n80000004: 00000013 nop\n", ".text", "00b50463 00000013", 0x80000000},
        {"80000000: 00b50463 beq a0, a1, 8\n", ".text", "00b50463", 0x80000000},
        /* names have brackets, too, but for those behind a comment */
        {"80000000: 00b50463 beq a0, a1, 80000008 <f<int>(g<h<u>>)+0x8>  # <x>\n80000004: 00000013 nop\n", ".text",
         "00b50463 00000013", 0x80000000},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        Caught c;
        Object *o = assemble_in(&c, row[i].text, &(AsmOptions){.set = V202});
        if (!row[i].words) {
            assert_null(o);
        } else {
            if (!o || c.text.len)
                fail_msg("%s\n%s", row[i].text, buf_text(&c.text));
            Buf words = words_of(o, row[i].section);
            if (strcmp(buf_text(&words), row[i].words) || section_of(o, row[i].section)->addr != row[i].addr)
                fail_msg("%s\n%s at %x", row[i].text, buf_text(&words), section_of(o, row[i].section)->addr);
            buf_free(&words);
        }
        obj_free(o);
        buf_free(&c.text);
    }
}

/* relocations of a listing are asked for; labels are global functions, but for .L ones; of two of one name the first */
static void listings_have_labels_and_relocations(void **state)
{
    (void)state;
    Object *o = assemble("Disassembly of section .text:\n\n80000000 <f>:\n80000000: 00000097 auipc ra, 0\n"
                         "\t\t80000000:  R_RISCV_CALL_PLT\text+8\n80000004: 000080e7 jalr ra\n\n80000008 <.Lx>:\n"
                         "80000008: 00000013 nop\n80000008: R_RISCV_RELAX\t*ABS*\n80000008: R_RISCV_ALIGN *ABS*+0x6\n\n8000000c <f>:\n8000000c: 00000013 nop\n"
                         "80000010 <$x>:\n80000010 <two words>:\n80000010: 00008067 ret\n"
                         "Disassembly of section .data:\n00001000 <d>:\n00001000: 00000005 .word 0x00000005\n", V202);
    const ObjSection *s = section_of(o, ".text");
    assert_int_equal(s->addr, 0x80000000);
    assert_int_equal(section_of(o, ".data")->addr, 0x1000);
    assert_int_equal(s->data.len, 20);
    assert_int_equal(s->nrelocs, 3);
    assert_true(s->relocs[0].offset == 0 && s->relocs[0].type == R_RISCV_CALL_PLT && s->relocs[0].addend == 8);
    assert_string_equal(o->symbols[s->relocs[0].symbol].name, "ext");
    assert_true(s->relocs[1].offset == 8 && s->relocs[1].type == R_RISCV_RELAX && s->relocs[1].addend == 0);
    assert_true(s->relocs[2].offset == 8 && s->relocs[2].type == R_RISCV_ALIGN && s->relocs[2].addend == 6);
    assert_true(s->relocs[1].symbol == OBJ_NO_SYMBOL && s->relocs[2].symbol == OBJ_NO_SYMBOL);
    const ObjSymbol *f = named(o, "f"), *x = named(o, ".Lx"), *two = named(o, "two words"), *d = named(o, "d");
    assert_true(f && f->value == 0 && f->bind == STB_GLOBAL && f->type == STT_FUNC);
    assert_true(x && x->value == 8 && x->bind == STB_LOCAL);
    assert_true(two && two->value == 16 && two->bind == STB_GLOBAL);
    assert_true(d && d->value == 0 && d->bind == STB_GLOBAL && d->type == STT_NOTYPE);
    assert_null(named(o, "$x"));
    obj_free(o);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(listings_show_addresses_words_and_relocations),
        cmocka_unit_test(one_function_is_listed_alone),
        cmocka_unit_test(names_are_those_of_functions_first),
        cmocka_unit_test(segments_are_listed),
        cmocka_unit_test(objects_come_back_from_their_text),
        cmocka_unit_test(random_objects_come_back),
        cmocka_unit_test(targets_have_labels),
        cmocka_unit_test(labels_of_one_name_come_back),
        cmocka_unit_test(long_words_stay_where_they_are),
        cmocka_unit_test(listings_of_others_are_taken),
        cmocka_unit_test(listings_have_labels_and_relocations),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests_name("asm_list", tests, NULL, NULL);
}
