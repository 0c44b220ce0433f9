/* What must hold of line tables: they are read as the standard says, and any bytes do no harm.
 * The tables here are written by hand, byte for byte, after DWARF 4 (6.2) and 5 (6.2.4, 7.5). */
#include "test/kit/leftover.h"
#include "test/kit/objects.h"
#include "obj/lines.h"

/* Two functions: outer at 0x80000000..0x80000020, which has inner inlined at 0x08..0x18 (called at
 * line 7, column 5), of that 0x0c..0x10 itself an inlined leaf (called at line 3, column 2). */
static const u8 abbrevs[] = {
    1, 0x11, 1, 0x10, 0x17, 0,    0,                         /* unit: stmt_list */
    2, 0x2e, 0, 0x03, 0x08, 0x20, 0x0b, 0,    0,             /* abstract: name, inline */
    3, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0,    0, /* function: name, low, size */
    4, 0x1d, 1, 0x31, 0x13, 0x55, 0x17, 0x58, 0x0b, 0x59, 0x0b, 0x57, 0x0b, 0,    0, /* by ranges */
    5, 0x1d, 0, 0x31, 0x13, 0x11, 0x01, 0x12, 0x0b, 0x58, 0x0b, 0x59, 0x0b, 0x57, 0x0b, 0, 0, 0,
};
static const u8 ranges[] = {
    0xff, 0xff, 0xff, 0xff, 0,  0, 0, 0x80, /* the base */
    8,    0,    0,    0,    16, 0, 0, 0,    16, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
static const u8 info[] = {
    70, 0,    0,   0,   4,    0,   0, 0, 0, 0, 4,    1,    0, 0,  0, 0, /* at 11 */
    2,  'i',  'n', 'n', 'e',  'r', 0, 1,                                /* at 16 */
    2,  'l',  'e', 'a', 'f',  0,   1,                                   /* at 24 */
    3,  'o',  'u', 't', 'e',  'r', 0, 0, 0, 0, 0x80, 0x20, 0, 0,  0,    /* at 31 */
    4,  16,   0,   0,   0,    0,   0, 0, 0, 1, 7,    5,    5, 24, 0, 0,
    0,  0x0c, 0,   0,   0x80, 4,   2, 3, 2, 0, /* the end of inner */
    0,                                         /* of outer */
    0,                                         /* of the unit */
};
/* the rows: +0 line 6, +8 line 2, +12 line 9 column 4 of the second file, +16 line 3, +24 line 8 */
#define PROGRAM                                                                                    \
    0, 5, 2, 0, 0, 0, 0x80,           /* set_address */                                            \
        3, 5, 1,                      /* advance_line 5: 6; copy */                                \
        2, 8, 3, 0x7c, 1,             /* advance_pc 8, line -4: 2 */                               \
        2, 4, 4, 2, 5, 4, 3, 7, 1,    /* +4, file 2, column 4, line 9 */                           \
        2, 4, 4, 1, 5, 0, 3, 0x7a, 1, /* +4, file 1, column 0, line 3 */                           \
        13 + (5 + 3) + 14 * 8,        /* special: +8, line +5 (base -3, range 14) */               \
        2, 8, 0, 1, 1                 /* +8, end of the sequence */

static const u8 lines4[] = {
    82,  0,   0,   0,   4, 0, 37, 0, 0,   0,   1,   1, 1, 0xfd, 14, 13, 0,
    1,   1,   1,   1,   0, 0, 0,  1, 0,   0,   1, /* operands of standard opcodes */
    'd', 0,   0,                                  /* directories */
    'a', '.', 'c', 'l', 0, 0, 0,  0, 'b', '.', 'h', 0, 1, 0,    0,  0,  PROGRAM,
};

static Object *image_with(const u8 *line, size_t nline, const u8 *entries, size_t nentries)
{
    Object *o = obj_new("lines.elf");
    o->is_image = true;
    add_bytes(o, ".debug_line", 0, 1, line, nline);
    add_bytes(o, ".debug_info", 0, 1, entries, nentries);
    add_bytes(o, ".debug_abbrev", 0, 1, abbrevs, sizeof abbrevs);
    add_bytes(o, ".debug_ranges", 0, 1, ranges, sizeof ranges);
    return o;
}

static void expect_place(const Place *p, const char *file, u32 line, u32 column,
                         const char *function)
{
    assert_non_null(p->file);
    assert_string_equal(p->file, file);
    assert_int_equal(p->line, line);
    assert_int_equal(p->column, column);
    assert_non_null(p->function);
    assert_string_equal(p->function, function);
}

static void expect_rows_and_calls(Object *o)
{
    Place p[4];
    LineTable *t = lines_read(o);
    assert_int_equal(lines_find(t, 0x80000004, p, 4), 1);
    expect_place(&p[0], "a.cl", 6, 0, "outer");
    assert_int_equal(lines_find(t, 0x80000008, p, 4), 2);
    expect_place(&p[0], "a.cl", 2, 0, "inner");
    expect_place(&p[1], "a.cl", 7, 5, "outer");
    assert_int_equal(lines_find(t, 0x8000000f, p, 4), 3);
    expect_place(&p[0], "d/b.h", 9, 4, "leaf");
    expect_place(&p[1], "d/b.h", 3, 2, "inner");
    expect_place(&p[2], "a.cl", 7, 5, "outer");
    assert_int_equal(lines_find(t, 0x8000000f, p, 2), 2);
    assert_int_equal(lines_find(t, 0x80000014, p, 4), 2);
    expect_place(&p[0], "a.cl", 3, 0, "inner");
    assert_int_equal(lines_find(t, 0x80000018, p, 4), 1);
    expect_place(&p[0], "a.cl", 8, 0, "outer");
    assert_int_equal(lines_find(t, 0x80000020, p, 4), 0);
    assert_int_equal(lines_find(t, 0x7fffffff, p, 4), 0);
    assert_string_equal(lines_file(t, 0), "a.cl");
    assert_string_equal(lines_file(t, 1), "d/b.h");
    assert_null(lines_file(t, 2));
    lines_free(t);
    obj_free(o);
}

static void rows_and_calls_are_read(void **state)
{
    (void)state;
    expect_rows_and_calls(image_with(lines4, sizeof lines4, info, sizeof info));
}

/* without an entry for it, the base of ranges is where the unit starts, whichever functions are before */
static void ranges_start_at_their_unit(void **state)
{
    (void)state;
    enum { UNIT_END = 16, UNIT_ABBREV_END = 5, CALL = 46, LEAF = 58 };
    Buf units = {0}, shapes = {0};
    buf_put(&units, info, UNIT_END);
    buf_put(&units, (u8[]){0xf8, 0xff, 0xff, 0x7f}, 4);
    buf_put(&units, info + UNIT_END, sizeof info - UNIT_END);
    units.data[0] += 4;            /* the length */
    units.data[4 + CALL + 1] += 4; /* what they are instances of */
    units.data[4 + LEAF + 1] += 4;
    units.data[4 + CALL + 5] = 8; /* the ranges after the base */
    buf_put(&shapes, abbrevs, UNIT_ABBREV_END);
    buf_put(&shapes, (u8[]){0x11, 0x01}, 2); /* low */
    buf_put(&shapes, abbrevs + UNIT_ABBREV_END, sizeof abbrevs - UNIT_ABBREV_END);
    Object *o = image_with(lines4, sizeof lines4, units.data, units.len);
    ObjSection *abbrev = &o->sections[obj_find_section(o, ".debug_abbrev")];
    buf_free(&abbrev->data);
    buf_put(&abbrev->data, shapes.data, shapes.len);
    abbrev->size = (u32)shapes.len;
    u8 *pair = o->sections[obj_find_section(o, ".debug_ranges")].data.data + 8;
    for (int i = 0; i < 4; i++)
        pair[4 * i] += 8;
    expect_rows_and_calls(o);
    buf_free(&units);
    buf_free(&shapes);
}

static void images_without_tables_have_no_places(void **state)
{
    (void)state;
    Place p;
    Object *o = obj_new("none.elf");
    LineTable *t = lines_read(o);
    assert_non_null(t);
    assert_int_equal(lines_find(t, 0x80000000, &p, 1), 0);
    assert_null(lines_file(t, 0));
    lines_free(t);
    obj_free(o);
}

/* every byte in turn replaced by others; every length cut short */
static void damage(Object *o)
{
    static const u8 values[] = {0, 1, 2, 5, 0x16, 0x1b, 0x7f, 0x80, 0xff};
    Place p[4];
    for (size_t s = 0; s < o->nsections; s++) {
        Buf *b = &o->sections[s].data;
        const size_t len = b->len;
        for (size_t i = 0; i < len; i++) {
            const u8 was = b->data[i];
            for (size_t v = 0; v <= countof(values); v++) {
                b->data[i] = v < countof(values) ? values[v] : was;
                b->len = v < countof(values) ? len : i;
                LineTable *t = lines_read(o);
                for (u32 pc = 0x80000000; pc < 0x80000024; pc += 4)
                    lines_find(t, pc, p, 4);
                lines_free(t);
            }
            b->len = len;
        }
    }
}

static void damaged_tables_do_no_harm(void **state)
{
    (void)state;
    Object *o = image_with(lines4, sizeof lines4, info, sizeof info);
    damage(o);
    obj_free(o);
}

/* A unit of version 5 whose functions f0 to f7 have 4 bytes each, one after the other, every one of them by another
 * kind of range (7.25), address or name. */
static const u8 abbrevs5[] = {
    1, 0x11, 1, 0x10, 0x17, 0x72, 0x17, 0x73, 0x17, 0x74, 0x17, 0x11, 0x01, 0, 0, /* unit: stmt_list, the bases, low */
    2, 0x2e, 0, 0x03, 0x08, 0x55, 0x23, 0,    0,                                  /* name, rnglistx */
    3, 0x2e, 0, 0x03, 0x08, 0x55, 0x17, 0,    0,                                  /* name, offset of the ranges */
    4, 0x2e, 0, 0x03, 0x27, 0x11, 0x2b, 0x12, 0x0f, 0, 0, 0,                      /* strx3, addrx3, size */
};
enum { LIST_F7 = 12 + 6 * 4 + 40 };
static const u8 info5[] = {
    81, 0,   0, 0,   5, 0, 1, 4, 0, 0, 0,  0, 1,   0,   0, 0,                     /* stmt_list */
    0,  8,   0, 0,   0, 8, 0, 0, 0, 12, 0, 0, 0,   0,   0, 0, 0x80,               /* the bases, low */
    2,  'f', '0', 0, 0, 2, 'f', '1', 0, 1, 2, 'f', '2', 0, 2, 2, 'f', '3', 0, 3,
    2,  'f', '4', 0, 4, 2, 'f', '5', 0, 5, 2, 'n', 'o', 0, 50, /* no such list */
    4,  1,   0, 0,   4, 0, 0, 4,                               /* f6 */
    3,  'f', '7', 0, LIST_F7, 0, 0, 0, 0,
};
static const u8 addresses5[] = {
    24, 0, 0, 0, 5, 0, 4, 0, 0, 0, 0, 0x80, 4, 0, 0, 0x80, 8, 0, 0, 0x80, 12, 0, 0, 0x80, 24, 0, 0, 0x80,
};
static const u8 names5[] = {'x', 0, 'f', '6', 0}, name_offsets5[] = {12, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
static const u8 ranges5[] = {
    85, 0,  0, 0, 5,    0, 4, 0, 6, 0, 0, 0, /* and where the lists are, from here on */
    24, 0,  0, 0, 28,   0, 0, 0, 34, 0, 0, 0, 38, 0, 0, 0, 42, 0, 0, 0, 51, 0, 0, 0,
    4,  0,  4, 0,                                       /* f0: offset_pair, from the unit's low */
    1,  1,  4, 0, 4,    0,                              /* f1: base_addressx 1, offset_pair */
    2,  2,  3, 0,                                       /* f2: startx_endx */
    3,  3,  4, 0,                                       /* f3: startx_length */
    5,  16, 0, 0, 0x80, 4, 0, 4, 0,                     /* f4: base_address, offset_pair */
    6,  20, 0, 0, 0x80, 24, 0, 0, 0x80, 0,              /* f5: start_end */
    0,  0,  0,                                          /* nobody's */
    7,  28, 0, 0, 0x80, 2, 7, 30, 0, 0, 0x80, 2, 0,     /* f7: start_length, twice */
};

static void ranges_of_version_5_are_read(void **state)
{
    (void)state;
    char name[] = "f0";
    Place p;
    Object *o = obj_new("lines.elf");
    o->is_image = true;
    add_bytes(o, ".debug_line", 0, 1, lines4, sizeof lines4);
    add_bytes(o, ".debug_info", 0, 1, info5, sizeof info5);
    add_bytes(o, ".debug_abbrev", 0, 1, abbrevs5, sizeof abbrevs5);
    add_bytes(o, ".debug_addr", 0, 1, addresses5, sizeof addresses5);
    add_bytes(o, ".debug_rnglists", 0, 1, ranges5, sizeof ranges5);
    add_bytes(o, ".debug_str", 0, 1, names5, sizeof names5);
    add_bytes(o, ".debug_str_offsets", 0, 1, name_offsets5, sizeof name_offsets5);
    LineTable *t = lines_read(o);
    for (u32 at = 0; at < 32; at++) {
        name[1] = (char)('0' + at / 4);
        assert_int_equal(lines_find(t, 0x80000000 + at, &p, 1), 1);
        if (!p.function || strcmp(p.function, name))
            fail_msg("byte %u is in %s", at, p.function ? p.function : "no function");
    }
    lines_free(t);
    damage(o);
    obj_free(o);
}

/* units that all name one large table of shapes must not take forever */
static void work_is_bounded(void **state)
{
    (void)state;
    enum { UNITS = 20000, SHAPES = 20000 };
    Object *o = obj_new("hostile.elf");
    Buf units = {0}, shapes = {0};
    for (u32 i = 0; i < UNITS; i++) {
        const u8 unit[] = {12, 0, 0, 0, 4, 0, (u8)(i & 1 ? 5 : 0), 0, 0, 0, 4, 0xff, 0xff, 3, 0, 0};
        buf_put(&units, unit, sizeof unit);
    }
    for (u32 i = 0; i < SHAPES; i++)
        buf_put(&shapes, (u8[]){0x81, 0x01, 0x2e, 0, 0}, 5);
    buf_put(&shapes, "", 1);
    add_bytes(o, ".debug_info", 0, 1, units.data, units.len);
    add_bytes(o, ".debug_abbrev", 0, 1, shapes.data, shapes.len);
    LineTable *t = lines_read(o);
    assert_non_null(t);
    lines_free(t);
    obj_free(o);
    buf_free(&units);
    buf_free(&shapes);
}

static void source_lines_are_found(void **state)
{
    (void)state;
    size_t len = 0;
    Object *o = obj_new("sources.elf");
    assert_true(obj_add_source(o, "a.cl", "one\r\n\nthree", 11));
    assert_memory_equal(obj_source_line(o, "a.cl", 1, &len), "one", 3);
    assert_int_equal(len, 3);
    assert_non_null(obj_source_line(o, "a.cl", 2, &len));
    assert_int_equal(len, 0);
    assert_memory_equal(obj_source_line(o, "a.cl", 3, &len), "three", 5);
    assert_int_equal(len, 5);
    assert_null(obj_source_line(o, "a.cl", 4, &len));
    assert_null(obj_source_line(o, "b.cl", 1, &len));
    obj_free(o);
}

/* the line without blanks in front, and the caret below its column; tabs stay */
static void source_lines_are_shown(void **state)
{
    (void)state;
    enum { LONGEST = 500 };
    char text[600] = "\t  a\tb c;\n\n \t \n", want[LONGEST + 3] = "> ";
    const size_t head = strlen(text);
    memset(text + head, 'x', LONGEST);
    memset(want + 2, 'x', LONGEST);
    const struct {
        u32 line, column;
        const char *shown;
    } row[] = {{1, 0, "> a\tb c;"},        {1, 3, "> a\tb c;"},           {1, 4, "> a\tb c;> ^"}, {1, 5, "> a\tb c;>  ^"},
               {1, 6, "> a\tb c;>  \t^"},  {1, 9, "> a\tb c;>  \t   ^"}, {1, 10, "> a\tb c;"},   {2, 1, "> "},
               {3, 1, "> "},               {4, 0, want},                  {5, 1, ""}};
    Object *o = obj_new("sources.elf");
    assert_true(obj_add_source(o, "a.cl", text, strlen(text)));
    for (size_t i = 0; i < countof(row); i++) {
        Buf got = {0};
        place_put_line(o, &(Place){.file = "a.cl", .line = row[i].line, .column = row[i].column}, "> ", &got);
        if (strcmp(buf_text(&got), row[i].shown))
            fail_msg("%u:%u: %s", row[i].line, row[i].column, buf_text(&got));
        buf_free(&got);
    }
    /* nothing of a line that is longer, of another file, of none */
    text[head + LONGEST] = 'x';
    assert_true(obj_add_source(o, "b.cl", text, strlen(text)));
    const char *const files[] = {"b.cl", "c.cl", NULL};
    for (size_t i = 0; i < countof(files); i++) {
        Buf got = {0};
        place_put_line(o, &(Place){.file = files[i], .line = 4, .column = 1}, "> ", &got);
        assert_int_equal(got.len, 0);
        buf_free(&got);
    }
    obj_free(o);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(rows_and_calls_are_read),
        cmocka_unit_test(ranges_start_at_their_unit),
        cmocka_unit_test(images_without_tables_have_no_places),
        cmocka_unit_test(damaged_tables_do_no_harm),
        cmocka_unit_test(ranges_of_version_5_are_read),
        cmocka_unit_test(work_is_bounded),
        cmocka_unit_test(source_lines_are_found),
        cmocka_unit_test(source_lines_are_shown),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
