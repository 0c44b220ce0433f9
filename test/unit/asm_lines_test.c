/* What the assembler says of places with -g: the rows of the line table, worked out by hand, and the sections around it,
 * byte for byte after DWARF 4 (sections 2.17.3, 3.1.1, 6.1.2 and 7.5). */
#include "test/kit/leftover.h"
#include "test/kit/assemble.h"
#include "obj/lines.h"

static Object *with_lines(const char *text)
{
    Caught c;
    Object *o = assemble_in(&c, text, &(AsmOptions){.set = V202, .lines = true});
    if (!o || c.text.len)
        fail_msg("%s", buf_text(&c.text));
    buf_free(&c.text);
    return o;
}

/* one after the other: macros and repetitions are where they are asked for */
static void words_have_places(void **state)
{
    (void)state;
    static const struct {
        u32 line, column; /* 0: any */
    } place[] = {{1, 4}, {6, 2}, {6, 2}, {7, 2},  {7, 7},  {7, 7},
                 {8, 3}, {9, 0}, {9, 0}, {12, 5}, {12, 11}};
    Object *o = with_lines("f:\tnop\n"
                           "\t.macro twice r\n"
                           "\taddi \\r, \\r, 1\n"
                           "\taddi \\r, \\r, 2\n"
                           "\t.endm\n"
                           "\ttwice a0\n"
                           "\tnop; li a0, 0x12345678\n"
                           "  j f\n"
                           ".rept 2\n"
                           "\tnop\n"
                           "\t.endr\n"
                           "1:  nop ; ret\n");
    LineTable *t = lines_read(o);
    assert_int_equal(section_of(o, ".text")->size, 4 * countof(place));
    for (u32 i = 0; i < 4 * countof(place); i++) {
        Place p;
        assert_int_equal(lines_find(t, i, &p, 1), 1);
        assert_string_equal(p.file, "t.s");
        if (p.line != place[i / 4].line || (place[i / 4].column && p.column != place[i / 4].column))
            fail_msg("%x is at %u:%u, not %u:%u", i, p.line, p.column, place[i / 4].line,
                     place[i / 4].column);
        assert_null(p.function);
    }
    assert_int_equal(lines_find(t, 4 * countof(place), &(Place){0}, 1), 0);
    lines_free(t);
    obj_free(o);
}

typedef struct {
    u32 offset;
    const char *section; /* that the address is in */
    i32 addend;
} Address;

static void expect_bytes(const Object *o, const char *name, const void *bytes, size_t len,
                         const Address *addresses, size_t n)
{
    const ObjSection *s = section_of(o, name);
    assert_int_equal(s->type, SHT_PROGBITS);
    assert_int_equal(s->flags, 0);
    assert_int_equal(s->size, len);
    assert_memory_equal(s->data.data, bytes, len);
    assert_int_equal(s->nrelocs, n);
    for (size_t i = 0; i < n; i++) {
        const ObjReloc *r = &s->relocs[i];
        const ObjSymbol *y = &o->symbols[r->symbol];
        assert_int_equal(r->offset, addresses[i].offset);
        assert_int_equal(r->type, R_RISCV_32);
        assert_int_equal(r->addend, addresses[i].addend);
        assert_true(y->type == STT_SECTION && y->value == 0);
        assert_string_equal(o->sections[y->section].name, addresses[i].section);
    }
}

#define EXPECT_BYTES(o, name, bytes, ...)                                                          \
    expect_bytes(o, name, bytes, sizeof(bytes), (const Address[]){__VA_ARGS__},                    \
                 sizeof((const Address[]){__VA_ARGS__}) / sizeof(Address))

static void one_unit_has_all_sections_of_code(void **state)
{
    (void)state;
    static const u8 abbrevs[] = {1,    0x11, 0,          /* a unit, without children */
                                 0x25, 0x08, 0x13, 0x05, /* producer: string; language: data2 */
                                 0x03, 0x08, 0x10, 0x17, /* name: string; stmt_list: sec_offset */
                                 0x11, 0x06, 0x55, 0x17, /* low_pc: data4; ranges: sec_offset */
                                 0,    0,    0};
    static const u8 info[] = {36,  0,   0,   0,   4,   0,   0,   0, 0,    0,    4,   1,   'v', 'e',
                              'n', 't', 'u', 's', ' ', 'a', 's', 0, 0x01, 0x80, 't', '.', 's', 0,
                              0,   0,   0,   0,   0,   0,   0,   0, 0,    0,    0,   0};
    static const u8 ranges[32] = {0};
    static const u8 aranges[48] = {44, 0, 0, 0, 2,         0,        0,       0,
                                   0,  0, 4, 0, [20] = 12, [28] = 4, [36] = 8};
    Object *o = with_lines("\tnop\n\t.section .text.g, \"ax\"\n\tnop\n\t.data\n\t.word "
                           "1\n\t.section .text.none, \"ax\"\n"
                           "\t.word 1, 2\n\t.section .text.empty, \"ax\"\n\t.text\n\tnop\n\tret\n");
    expect_bytes(o, ".debug_abbrev", abbrevs, sizeof abbrevs, NULL, 0);
    EXPECT_BYTES(o, ".debug_info", info, {6, ".debug_abbrev", 0}, {28, ".debug_line", 0},
                 {36, ".debug_ranges", 0});
    EXPECT_BYTES(o, ".debug_ranges", ranges, {0, ".text", 0}, {4, ".text", 12}, {8, ".text.g", 0},
                 {12, ".text.g", 4}, {16, ".text.none", 0}, {20, ".text.none", 8});
    EXPECT_BYTES(o, ".debug_aranges", aranges, {6, ".debug_info", 0}, {16, ".text", 0},
                 {24, ".text.g", 0}, {32, ".text.none", 0});
    assert_int_equal(section_of(o, ".debug_line")->nrelocs, 3);
    obj_free(o);
}

/* a text with a table of its own keeps that alone, and one without instructions needs none */
static void tables_are_for_instructions(void **state)
{
    (void)state;
    Object *o = with_lines("\tnop\n\t.section .debug_line\n\t.byte 7\n");
    assert_int_equal(section_of(o, ".debug_line")->size, 1);
    assert_int_equal(obj_find_section(o, ".debug_info"), -1);
    obj_free(o);
    o = with_lines("\t.word 1\n");
    assert_int_equal(obj_find_section(o, ".debug_line"), -1);
    obj_free(o);
    o = assemble("\tnop\n", V202);
    assert_int_equal(obj_find_section(o, ".debug_line"), -1);
    obj_free(o);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(words_have_places),
        cmocka_unit_test(one_unit_has_all_sections_of_code),
        cmocka_unit_test(tables_are_for_instructions),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
