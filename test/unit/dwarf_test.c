/* What must hold of DWARF as others write it, of versions 2 to 5: random line programs are compared with an interpreter
 * of them after section 6.2.5 of the standard, entries of every form (7.5.6) with the place that they describe.  And that
 * what we write is what that interpreter reads. */
#include "test/kit/leftover.h"
#include "test/kit/objects.h"
#include "test/kit/random.h"
#include "obj/dwarfout.h"
#include "obj/lines.h"

/* --- bytes --------------------------------------------------------------- */

static void put(Buf *b, u64 v, u32 bytes)
{
    for (u32 i = 0; i < bytes; i++)
        buf_put(b, &(u8){(u8)(v >> 8 * i)}, 1);
}

static void put_text(Buf *b, const char *s) { buf_put(b, s, strlen(s) + 1); }

/* sometimes longer than it need be, which is allowed */
static void put_uleb(Buf *b, u64 v)
{
    const u32 more = one_in(8) ? 1 + below(3) : 0;
    for (; v >= 0x80; v >>= 7)
        put(b, (v & 0x7f) | 0x80, 1);
    put(b, v | (more ? 0x80 : 0), 1);
    for (u32 i = 1; i <= more; i++)
        put(b, i < more ? 0x80 : 0, 1);
}

static void put_sleb(Buf *b, i64 v)
{
    for (; v < -64 || v > 63; v >>= 7)
        put(b, (u64)(v & 0x7f) | 0x80, 1);
    put(b, (u64)(v & 0x7f), 1);
}

static u64 get(const u8 **at, u32 bytes)
{
    u64 v = 0;
    for (u32 i = 0; i < bytes; i++)
        v += (u64) * (*at)++ << 8 * i;
    return v;
}

static i64 get_leb(const u8 **at, bool is_signed)
{
    u64 v = 0, weight = 1;
    for (;; weight <<= 7) {
        const u8 byte = *(*at)++;
        v += (byte & 0x7f) * weight;
        if (!(byte & 0x80))
            return (i64)(is_signed && byte & 0x40 ? v - (weight << 7) : v);
    }
}

/* the length that is in front of what follows `from` */
static size_t begin(Buf *b)
{
    put(b, 0, 4);
    return b->len;
}

static void end(Buf *b, size_t from)
{
    const u32 n = (u32)(b->len - from);
    memcpy(b->data + from - 4, &n, 4);
}

/* --- line programs ------------------------------------------------------- */

enum { MAX_FILES = 6, MAX_ROWS = 1000, SLOT = 0x10000, BASE = 0x80000000 - 0x8000 };

typedef struct {
    u32 version, step, range, opcode_base, nfile;
    i32 line_base;
    u8 operands[16];          /* of opcode i + 1 */
    char file[MAX_FILES][64]; /* as the names are to be */
    size_t program;           /* where it begins in .debug_line */
    size_t end;
} Program;

typedef struct {
    u32 address, file, line, column, isa;
    bool is_end;
    const Program *unit;
} Row;

typedef struct {
    Row row[MAX_ROWS];
    u32 n;
} Rows;

static void add_row(Rows *rows, const Row *row)
{
    assert_true(rows->n < MAX_ROWS);
    rows->row[rows->n++] = *row;
}

/* 6.2.5, with one operation an instruction */
static void run(const Program *u, const u8 *at, const u8 *stop, Rows *rows)
{
    const Row fresh = {.file = 1, .line = 1, .unit = u};
    Row r = fresh;
    while (at < stop) {
        const u8 op = *at++;
        if (op >= u->opcode_base) {
            r.address += (op - u->opcode_base) / u->range * u->step;
            r.line += (u32)(u->line_base + (i32)((op - u->opcode_base) % u->range));
            add_row(rows, &r);
            continue;
        }
        if (!op) {
            const u64 size = (u64)get_leb(&at, false);
            const u8 *next = at + size;
            const u8 code = *at++;
            if (code == 2)
                r.address = (u32)get(&at, 4);
            if (code == 1) {
                r.is_end = true;
                add_row(rows, &r);
                r = fresh;
            }
            at = next;
            continue;
        }
        switch (op) {
        case 1: add_row(rows, &r); break;
        case 2: r.address += (u32)get_leb(&at, false) * u->step; break;
        case 3: r.line += (u32)get_leb(&at, true); break;
        case 4: r.file = (u32)get_leb(&at, false); break;
        case 5: r.column = (u32)get_leb(&at, false); break;
        case 8: r.address += (255 - u->opcode_base) / u->range * u->step; break;
        case 9: r.address += (u32)get(&at, 2); break;
        case 12: r.isa = (u32)get_leb(&at, false); break;
        default:
            for (u32 i = 0; i < u->operands[op - 1]; i++)
                get_leb(&at, false);
        }
    }
}

static void put_operation(Buf *b, const Program *u)
{
    const u32 op = one_in(4) ? below(u->opcode_base) : u->opcode_base + below(256 - u->opcode_base);
    put(b, op, 1);
    if (op >= u->opcode_base)
        return;
    switch (op) {
    case 0: { /* one that nobody knows */
        const u32 n = below(4);
        put_uleb(b, n + 1);
        put(b, 4 + below(250), 1);
        put(b, random_bits(), n);
        break;
    }
    case 2: put_uleb(b, below(200)); break;
    case 3: put_sleb(b, one_in(4) ? (i64)(i32)random_bits() : (i64)below(300) - 150); break;
    case 4: put_uleb(b, below(u->nfile + 2)); break;
    case 5: put_uleb(b, one_in(4) ? (u32)random_bits() : below(100)); break;
    case 9: put(b, below(700), 2); break;
    case 12: put_uleb(b, below(7)); break;
    default:
        for (u32 i = 0; i < u->operands[op - 1]; i++)
            put_uleb(b, random_bits());
    }
}

/* sequences with addresses of their own, the later ones not always behind */
static void put_program(Buf *b, Program *u, u32 number)
{
    const u32 nsequences = 1 + below(3), turn = below(3);
    u->program = b->len;
    for (u32 s = 0; s < nsequences; s++) {
        put(b, 0, 1);
        put_uleb(b, 5);
        put(b, 2, 1);
        put(b, BASE + (4 * number + (s + turn) % 3) * SLOT, 4);
        for (u32 n = below(40); n; n--)
            put_operation(b, u);
        put(b, 0, 1);
        put_uleb(b, 1);
        put(b, 1, 1);
    }
    u->end = b->len;
}

static const char *const directories[] = {"/root/of all", "sub", "/away", "sub/deep"};
static const char *const files[] = {"a.cl", "b/c.h", "/abs/x.h", "", "d.cl"};
enum { NDIRECTORIES = countof(directories) };

static void name_file(Program *u, u32 directory, const char *name)
{
    char *to = u->file[u->nfile++];
    const char *dir = u->version == 5 ? directory < NDIRECTORIES ? directories[directory] : NULL
                      : directory && directory <= NDIRECTORIES ? directories[directory - 1]
                                                               : NULL;
    const bool below_root = dir && u->version == 5 && directory && *dir != '/';
    if (*name == '/' || !dir)
        snprintf(to, sizeof u->file[0], "%s", name);
    else
        snprintf(to, sizeof u->file[0], "%s%s%s/%s", below_root ? directories[0] : "",
                 below_root ? "/" : "", dir, name);
}

/* versions 2 to 4 */
static void put_old_files(Buf *b, Program *u)
{
    for (u32 i = 0; i < NDIRECTORIES; i++)
        put_text(b, directories[i]);
    put(b, 0, 1);
    for (u32 n = below(MAX_FILES); n; n--) {
        const char *name = files[below(3)];
        const u32 directory = below(NDIRECTORIES + 2);
        put_text(b, name);
        put_uleb(b, directory);
        put_uleb(b, below(1000)); /* time and size */
        put_uleb(b, below(1000));
        name_file(u, directory, name);
    }
    put(b, 0, 1);
}

enum { LNCT_PATH = 1, LNCT_DIRECTORY, LNCT_TIME, LNCT_SIZE, LNCT_MD5, LNCT_VENDOR = 0x2001 };
enum {
    FORM_DATA2 = 5,
    FORM_STRING = 8,
    FORM_BLOCK = 9,
    FORM_DATA1 = 11,
    FORM_STRP = 14,
    FORM_UDATA = 15,
    FORM_STRX1 = 0x25,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f
};

typedef struct {
    Buf line, line_str, str, str_offsets;
} Sections;

static void put_value(Sections *s, u32 form, u64 number, const char *text)
{
    Buf *b = &s->line, *table = form == FORM_LINE_STRP ? &s->line_str : &s->str;
    switch (form) {
    case FORM_STRING: put_text(b, text); return;
    case FORM_STRX1:
        put(b, (s->str_offsets.len - 8) / 4, 1);
        put(&s->str_offsets, table->len, 4);
        put_text(table, text);
        return;
    case FORM_LINE_STRP:
    case FORM_STRP:
        put(b, table->len, 4);
        put_text(table, text);
        return;
    case FORM_DATA1: put(b, number, 1); return;
    case FORM_DATA2: put(b, number, 2); return;
    case FORM_UDATA: put_uleb(b, number); return;
    case FORM_DATA16: put(b, 1, 8), put(b, 2, 8); return;
    case FORM_BLOCK: put_uleb(b, 3), put(b, 0, 3); return;
    }
}

/* one of the lists of version 5: what each entry has, in any order, then the entries */
static void put_list(Sections *s, Program *u, bool of_files)
{
    static const u32 texts[] = {FORM_STRING, FORM_LINE_STRP, FORM_STRP, FORM_STRX1},
                     numbers[] = {FORM_DATA1, FORM_DATA2, FORM_UDATA};
    u32 what[5], form[5], n = 0;
    what[n] = LNCT_PATH, form[n++] = texts[below(4)];
    if (of_files)
        what[n] = LNCT_DIRECTORY, form[n++] = numbers[below(3)];
    if (one_in(2))
        what[n] = LNCT_MD5, form[n++] = FORM_DATA16;
    if (one_in(2))
        what[n] = LNCT_VENDOR, form[n++] = FORM_BLOCK;
    if (one_in(2))
        what[n] = LNCT_SIZE, form[n++] = numbers[below(3)];
    const u32 turn = below(n), entries = of_files ? below(MAX_FILES) : NDIRECTORIES;
    put(&s->line, n, 1);
    for (u32 i = 0; i < n; i++)
        put_uleb(&s->line, what[(i + turn) % n]), put_uleb(&s->line, form[(i + turn) % n]);
    put_uleb(&s->line, entries);
    for (u32 e = 0; e < entries; e++) {
        const char *text = of_files ? files[below(countof(files))] : directories[e];
        const u32 directory = below(NDIRECTORIES + 2);
        for (u32 i = 0; i < n; i++)
            put_value(s, form[(i + turn) % n],
                      what[(i + turn) % n] == LNCT_DIRECTORY ? directory : 9, text);
        if (of_files)
            name_file(u, directory, text);
    }
}

static void put_unit(Sections *s, Program *u, u32 number)
{
    static const u8 standard[16] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1},
                    bases[] = {1, 4, 10, 13, 13, 13, 14, 17};
    Buf *b = &s->line;
    *u = (Program){.version = 2 + below(4),
                   .step = 1u << below(3),
                   .range = 1 + below(20),
                   .opcode_base = bases[below(countof(bases))],
                   .line_base = (i32)below(20) - 10};
    memcpy(u->operands, standard, sizeof standard);
    for (u32 i = 12; i < 16; i++)
        u->operands[i] = (u8)below(4);
    const size_t unit = begin(b);
    put(b, u->version, 2);
    if (u->version == 5)
        put(b, 4, 2); /* bytes of addresses, and of selectors */
    const size_t head = begin(b);
    put(b, u->step, 1);
    if (u->version >= 4)
        put(b, 1, 1);
    put(b, 1, 1);
    put(b, (u64)u->line_base, 1);
    put(b, u->range, 1);
    put(b, u->opcode_base, 1);
    buf_put(b, u->operands, u->opcode_base - 1);
    if (u->version == 5)
        put_list(s, u, false), put_list(s, u, true);
    else
        put_old_files(b, u);
    put(b, 0, below(3)); /* more of a header than is known */
    end(b, head);
    put_program(b, u, number);
    end(b, unit);
}

static void expect_row(const LineTable *t, u32 pc, const Row *r)
{
    Place p;
    const size_t n = lines_find(t, pc, &p, 1);
    assert_int_equal(lines_mark(t, pc), r && r->isa <= LINES_WAIT ? r->isa : LINES_PLAIN);
    if (n != (r && r->line))
        fail_msg("%zu places at %x", n, pc);
    if (!n)
        return;
    const u32 first = r->unit->version < 5;
    const char *want = r->file >= first && r->file - first < r->unit->nfile
                           ? r->unit->file[r->file - first]
                           : NULL;
    if (p.line != r->line || p.column != r->column)
        fail_msg("%x is at %u:%u, not %u:%u", pc, p.line, p.column, r->line, r->column);
    if (!p.file != !want || (want && strcmp(p.file, want)))
        fail_msg("%x is of %s, not of %s", pc, p.file ? p.file : "nothing",
                 want ? want : "nothing");
    assert_null(p.function);
}

/* A row holds up to the next one of its sequence. */
static const Row *row_at(const Rows *rows, u32 pc)
{
    for (u32 i = 0; i + 1 < rows->n; i++)
        if (!rows->row[i].is_end && rows->row[i].address <= pc && pc < rows->row[i + 1].address)
            return &rows->row[i];
    return NULL;
}

static void expect_rows(const LineTable *t, const Rows *rows)
{
    for (u32 i = 0; i < rows->n; i++)
        for (u32 k = 0; k < 4; k++) {
            const u32 pc = rows->row[i].address - 2 + k;
            expect_row(t, pc, row_at(rows, pc));
        }
}

static LineTable *read_sections(Object *o, const Sections *s)
{
    const Buf *const parts[] = {&s->line, &s->line_str, &s->str, &s->str_offsets};
    static const char *const names[] = {".debug_line", ".debug_line_str", ".debug_str",
                                        ".debug_str_offsets"};
    for (u32 i = 0; i < countof(parts); i++)
        add_bytes(o, names[i], 0, 1, buf_text(parts[i]), parts[i]->len);
    LineTable *t = lines_read(o);
    assert_non_null(t);
    return t;
}

static void free_sections(Sections *s)
{
    Buf *const parts[] = {&s->line, &s->line_str, &s->str, &s->str_offsets};
    for (u32 i = 0; i < countof(parts); i++)
        buf_free(parts[i]);
}

static void try_line_programs(void)
{
    static Rows rows;
    Program unit[3];
    const u32 nunits = 1 + below(3);
    Sections s = {.line = {0}};
    Object *o = obj_new("lines.elf");
    size_t nfile = 0;
    put(&s.str_offsets, 0, 8);
    rows.n = 0;
    for (u32 i = 0; i < nunits; i++)
        put_unit(&s, &unit[i], i);
    for (u32 i = 0; i < nunits; i++)
        run(&unit[i], s.line.data + unit[i].program, s.line.data + unit[i].end, &rows);
    LineTable *t = read_sections(o, &s);
    expect_rows(t, &rows);
    for (u32 i = 0; i < nunits; i++)
        for (u32 k = 0; k < unit[i].nfile; k++)
            assert_string_equal(lines_file(t, nfile++), unit[i].file[k]);
    assert_null(lines_file(t, nfile));
    lines_free(t);
    obj_free(o);
    free_sections(&s);
}

static void line_programs_are_run(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++)
        try_line_programs();
}

/* a unit of version 4 with a row for each of the addresses 0x80000000 to 0x80000fff */
static void put_plain_unit(Buf *b, const char *file)
{
    static const u8 operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    static const u8 rows[] = {0, 5, 2, 0, 0, 0, 0x80, 3, 41, 1, 9, 0, 0x10, 0, 1, 1};
    const size_t unit = begin(b);
    put(b, 4, 2);
    const size_t head = begin(b);
    put(b, 1, 1), put(b, 1, 1), put(b, 1, 1), put(b, 0, 1), put(b, 1, 1), put(b, 13, 1);
    buf_put(b, operands, sizeof operands);
    put(b, 0, 1);
    put_text(b, file);
    put(b, 0, 4);
    end(b, head);
    buf_put(b, rows, sizeof rows);
    end(b, unit);
}

/* What is in a unit that cannot be read does not hide the next one; nor do files of which there are none. */
static void bad_units_are_passed_over(void **state)
{
    (void)state;
    enum { VERSION_AT = 4, HEAD = 6, STEP = 10, RANGE = 14, OPCODES = 15 };
    static const struct {
        u32 at;
        u8 byte;
    } bad[] = {{VERSION_AT, 1}, {VERSION_AT, 6}, {VERSION_AT, 5}, {VERSION_AT + 1, 1},
               {RANGE, 0},      {OPCODES, 0},    {OPCODES, 255},  {HEAD + 1, 1}};
    for (u32 i = 0; i <= countof(bad); i++) {
        Sections s = {.line = {0}};
        Object *o = obj_new("lines.elf");
        Place p;
        put_plain_unit(&s.line, "bad.cl");
        const size_t next = s.line.len;
        put_plain_unit(&s.line, "good.cl");
        if (i < countof(bad))
            s.line.data[bad[i].at] = bad[i].byte;
        /* the address of the second: behind */
        s.line.data[s.line.len - 12] = 0x20;
        LineTable *t = read_sections(o, &s);
        assert_int_equal(lines_find(t, 0x80000000, &p, 1), i < countof(bad) ? 0 : 1);
        assert_int_equal(lines_find(t, 0x80002fff, &p, 1), 1);
        assert_string_equal(p.file, "good.cl");
        assert_int_equal(p.line, 42);
        assert_int_equal(lines_find(t, 0x80002fff, &p, 0), 0);
        lines_free(t);
        obj_free(o);
        /* a length that reaches one byte too far ends it all */
        for (u32 more = 0; more < 2; more++) {
            o = obj_new("lines.elf");
            s.line.data[next] = (u8)(s.line.data[next] + more);
            t = read_sections(o, &s);
            assert_int_equal(lines_find(t, 0x80002000, &p, 1), more ? 0 : 1);
            lines_free(t);
            obj_free(o);
        }
        free_sections(&s);
    }
}

/* --- what we write ------------------------------------------------------- */

static void add_written_rows(DwarfOut *s, Rows *rows, const Program *u)
{
    u32 at = 0;
    DwarfRow now = dwarf_begin_rows(s, OBJ_NO_SYMBOL, 0);
    for (u32 n = 1 + below(30); n; n--) {
        const DwarfRow next = {at, one_in(2) ? now.file : 1 + below(2),
                               one_in(2)   ? now.line
                               : one_in(4) ? (u32)random_bits()
                                           : below(300),
                               one_in(2) ? now.column : below(300),
                               one_in(2) ? now.isa : below(200)};
        dwarf_put_row(s, &now, &next);
        add_row(rows, &(Row){next.at, next.file, next.line, next.column, next.isa, false, u});
        at += 4 * below(one_in(5) ? 5000 : 3);
    }
    dwarf_end_rows(s, &now, at + 4);
    add_row(rows, &(Row){at + 4, now.file, now.line, now.column, now.isa, true, u});
}

/* The header, byte for byte as 6.2.4 of version 4 has it, and the rows as the interpreter sees them. */
static void written_rows_are_read(void **state)
{
    (void)state;
    static const char *const names[] = {"a.cl", "dir/b.h"};
    static const u8 header[] = {4, 0, 39, 0,   0,   0,   4,   1,   1,   1,   1,   13,  0,   1,   1,
                                1, 1, 0,  0,   0,   1,   0,   0,   1,   0,   'a', '.', 'c', 'l', 0,
                                0, 0, 0,  'd', 'i', 'r', '/', 'b', '.', 'h', 0,   0,   0,   0,   0};
    const Program u = {.version = 4, .step = 4, .range = 1, .opcode_base = 13, .line_base = 1};
    static Rows want, got;
    for (int i = 0; i < 100; i++) {
        Object *o = obj_new("rows.o");
        DwarfOut s = dwarf_open(o, ".debug_line");
        const size_t unit = dwarf_begin(&s);
        dwarf_put_line_header(&s, names, 2);
        assert_int_equal(s.b->len, 4 + sizeof header);
        assert_memory_equal(s.b->data + 4, header, sizeof header);
        want.n = got.n = 0;
        add_written_rows(&s, &want, &u);
        dwarf_end(&s, unit);
        assert_true(dwarf_close(&s));
        const ObjSection *line = &o->sections[0];
        u32 length;
        memcpy(&length, line->data.data, 4);
        assert_int_equal(length, line->data.len - 4);
        assert_int_equal(line->size, line->data.len);
        run(&u, line->data.data + 4 + sizeof header, line->data.data + line->data.len, &got);
        assert_int_equal(got.n, want.n);
        for (u32 k = 0; k < want.n; k++)
            assert_true(
                got.row[k].address == want.row[k].address && got.row[k].file == want.row[k].file &&
                got.row[k].line == want.row[k].line && got.row[k].column == want.row[k].column &&
                got.row[k].isa == want.row[k].isa && got.row[k].is_end == want.row[k].is_end);
        obj_free(o);
    }
}

/* The header of .debug_aranges, byte for byte as 6.1.2 of version 4 has it; pairs begin at a multiple of their 8 bytes. */
static void written_ranges_begin(void **state)
{
    static const u8 header[] = {12, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0};
    Object *o = obj_new("ranges.o");
    DwarfOut s = dwarf_open(o, ".debug_aranges");
    (void)state;
    dwarf_end(&s, dwarf_begin_ranges(&s, 0));
    assert_true(dwarf_close(&s));
    assert_int_equal(o->sections[0].data.len, sizeof header);
    assert_memory_equal(o->sections[0].data.data, header, sizeof header);
    obj_free(o);
}

static void written_numbers_are_read(void **state)
{
    (void)state;
    Object *o = obj_new("numbers.o");
    DwarfOut s = dwarf_open(o, ".debug_info");
    for (u32 bit = 0; bit < 32; bit++)
        for (i64 near = -2; near <= 2; near++) {
            const i64 v = ((i64)1 << bit) + near;
            const size_t at = s.b->len;
            dwarf_put_uleb(&s, (u32)v);
            dwarf_put_sleb(&s, v);
            dwarf_put_sleb(&s, -v);
            const u8 *p = s.b->data + at;
            assert_int_equal((u32)get_leb(&p, false), (u32)v);
            assert_true(get_leb(&p, true) == v && get_leb(&p, true) == -v);
            assert_ptr_equal(p, s.b->data + s.b->len);
        }
    dwarf_close(&s);
    obj_free(o);
}

/* --- entries ------------------------------------------------------------- */

enum {
    AT_NAME = 3,
    AT_STMT_LIST = 0x10,
    AT_LOW = 0x11,
    AT_HIGH = 0x12,
    AT_ORIGIN = 0x31,
    AT_SPECIFICATION = 0x47,
    AT_COLUMN = 0x57,
    AT_FILE = 0x58,
    AT_LINE = 0x59,
    AT_STR_BASE = 0x72,
    AT_ADDR_BASE = 0x73,
    AT_VENDOR = 0x2001
};
enum { TAG_UNIT = 0x11, TAG_INLINED = 0x1d, TAG_FUNCTION = 0x2e, TAG_BLOCK = 0x0b };
enum {
    ADDR = 1,
    DATA4 = 6,
    STRING = 8,
    UDATA = 15,
    SEC_OFFSET = 0x17,
    INDIRECT = 0x16,
    IMPLICIT = 0x21
};

/* .debug_info and what it refers to; shapes are counted by the one who asks */
typedef struct {
    Buf info, abbrev, str, line_str, str_offsets, addr;
    size_t unit; /* where the unit's length ends */
    u32 code;    /* of the last shape */
    u32 before;  /* the code before that of a unit's first shape */
} Debug;

static void put_shape(Debug *d, u32 tag, bool has_children, const u32 (*attributes)[2], u32 n)
{
    put_uleb(&d->abbrev, ++d->code);
    put_uleb(&d->abbrev, tag);
    put(&d->abbrev, has_children, 1);
    for (u32 i = 0; i < n; i++)
        put_uleb(&d->abbrev, attributes[i][0]), put_uleb(&d->abbrev, attributes[i][1]);
    put(&d->abbrev, 0, 2);
    put_uleb(&d->info, d->code);
}

#define SHAPE(d, tag, has_children, ...)                                                           \
    put_shape(d, tag, has_children, (const u32[][2]){__VA_ARGS__},                                 \
              sizeof((const u32[][2]){__VA_ARGS__}) / sizeof(u32[2]))

/* a unit whose shapes begin where .debug_abbrev ends; its first entry refers to line program `lines` */
static void open_unit(Debug *d, u32 version, u32 lines)
{
    d->unit = begin(&d->info);
    d->code = d->before;
    put(&d->info, version, 2);
    if (version == 5)
        put(&d->info, 1, 1), put(&d->info, 4, 1);
    put(&d->info, d->abbrev.len, 4);
    if (version < 5)
        put(&d->info, 4, 1);
    SHAPE(d, TAG_UNIT, true, {AT_STMT_LIST, version < 4 ? DATA4 : SEC_OFFSET});
    put(&d->info, lines, 4);
}

static void close_unit(Debug *d)
{
    put(&d->info, 0, 1);
    put(&d->abbrev, 0, 1);
    end(&d->info, d->unit);
}

/* a function of 4 bytes at word `at` */
static void put_place(Debug *d, u32 at)
{
    put(&d->info, 0x80000000u + 4 * at, 4);
    put(&d->info, 4, 4);
}

static LineTable *read_debug(Object *o, const Debug *d)
{
    Buf lines = {0};
    put_plain_unit(&lines, "a.cl");
    const struct {
        const char *name;
        const Buf *bytes;
    } part[] = {{".debug_info", &d->info},         {".debug_abbrev", &d->abbrev},
                {".debug_str", &d->str},           {".debug_line", &lines},
                {".debug_line_str", &d->line_str}, {".debug_str_offsets", &d->str_offsets},
                {".debug_addr", &d->addr}};
    for (u32 i = 0; i < countof(part); i++)
        add_bytes(o, part[i].name, 0, 1, buf_text(part[i].bytes), part[i].bytes->len);
    buf_free(&lines);
    LineTable *t = lines_read(o);
    assert_non_null(t);
    return t;
}

static void free_debug(Debug *d)
{
    Buf *const parts[] = {&d->info, &d->abbrev, &d->str, &d->line_str, &d->str_offsets, &d->addr};
    for (u32 i = 0; i < countof(parts); i++)
        buf_free(parts[i]);
}

/* "": no function */
static void expect_function(const LineTable *t, u32 word, const char *name)
{
    Place p;
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(lines_find(t, 0x80000000 + 4 * word + i, &p, 1), 1);
        if (strcmp(p.function ? p.function : "", name))
            fail_msg("word %u is in %s, not in %s", word, p.function ? p.function : "nothing",
                     name);
    }
}

/* 7.5.6: what a value of each form takes, here of an attribute that means nothing */
static const struct {
    u8 form, size;
    const char *bytes; /* NULL: any */
} forms[] = {
    {0x01, 4, NULL},     {0x03, 5, "\3\0abc"},   {0x04, 6, "\2\0\0\0ab"}, {0x05, 2, NULL},
    {0x06, 4, NULL},     {0x07, 8, NULL},        {0x08, 4, "abc"},        {0x09, 4, "\x82\0ab"},
    {0x0a, 3, "\2ab"},   {0x0b, 1, NULL},        {0x0c, 1, NULL},         {0x0d, 3, "\xff\xff\x7f"},
    {0x0e, 4, NULL},     {0x0f, 2, "\xff\1"},    {0x10, 4, NULL},         {0x11, 1, NULL},
    {0x12, 2, NULL},     {0x13, 4, NULL},        {0x14, 8, NULL},         {0x15, 2, "\x80\1"},
    {0x16, 3, "\x05xy"}, {0x16, 5, "\x0a\3abc"}, {0x17, 4, NULL},         {0x18, 3, "\2ab"},
    {0x19, 0, NULL},     {0x1a, 2, "\xff\1"},    {0x1b, 2, "\xff\1"},     {0x1e, 16, NULL},
    {0x1f, 4, NULL},     {0x20, 8, NULL},        {0x22, 2, "\xff\1"},     {0x23, 2, "\xff\1"},
    {0x25, 1, NULL},     {0x26, 2, NULL},        {0x27, 3, NULL},         {0x28, 4, NULL},
    {0x29, 1, NULL},     {0x2a, 2, NULL},        {0x2b, 3, NULL},         {0x2c, 4, NULL},
};

static void values_of_all_forms_are_passed_over(void **state)
{
    (void)state;
    for (u32 version = 2; version <= 5; version++) {
        Debug d = {.code = 0};
        Object *o = obj_new("forms.elf");
        char name[16];
        open_unit(&d, version, 0);
        for (u32 i = 0; i < countof(forms); i++) {
            SHAPE(&d, TAG_FUNCTION, false, {AT_VENDOR, forms[i].form}, {AT_NAME, STRING},
                  {AT_LOW, ADDR}, {AT_HIGH, DATA4});
            for (u32 k = 0; k < forms[i].size; k++)
                put(&d.info, forms[i].bytes ? (u8)forms[i].bytes[k] : 0xff, 1);
            snprintf(name, sizeof name, "f%x", forms[i].form);
            put_text(&d.info, name);
            put_place(&d, i);
        }
        close_unit(&d);
        LineTable *t = read_debug(o, &d);
        for (u32 i = 0; i < countof(forms); i++) {
            snprintf(name, sizeof name, "f%x", forms[i].form);
            expect_function(t, i, name);
        }
        lines_free(t);
        obj_free(o);
        free_debug(&d);
    }
}

/* Behind a value of no known form nothing of the unit can be read; what came before stays, and the next unit. */
static void unknown_forms_end_their_unit(void **state)
{
    (void)state;
    static const u8 unknown[][2] = {{0x00, 0},
                                    {0x02, 0},
                                    {0x24, 0},
                                    {0x2d, 0},
                                    {INDIRECT, INDIRECT},
                                    {INDIRECT, IMPLICIT},
                                    {INDIRECT, 0x02}};
    for (u32 i = 0; i < countof(unknown); i++) {
        Debug d = {.code = 0};
        Object *o = obj_new("forms.elf");
        for (u32 unit = 0; unit < 2; unit++) {
            open_unit(&d, 5, 0);
            for (u32 k = 0; k < 3; k++) {
                const u32 form = unit == 0 && k == 1 ? unknown[i][0] : 0x0b;
                SHAPE(&d, TAG_FUNCTION, false, {AT_NAME, STRING}, {AT_LOW, ADDR}, {AT_HIGH, DATA4},
                      {AT_VENDOR, form});
                put_text(&d.info, "f");
                put_place(&d, 3 * unit + k);
                put(&d.info, form == INDIRECT ? unknown[i][1] : 1, 1);
            }
            close_unit(&d);
        }
        LineTable *t = read_debug(o, &d);
        for (u32 k = 0; k < 6; k++)
            expect_function(t, k, k == 1 || k == 2 ? "" : "f");
        lines_free(t);
        obj_free(o);
        free_debug(&d);
    }
}

/* Two units, of which the second has its own bases: names and addresses by every form. */
static void names_and_addresses_have_many_forms(void **state)
{
    (void)state;
    enum { N = 7, NADDRESSES = 5 };
    static const u8 text_form[N] = {0x08, 0x0e, 0x1f, 0x1a, 0x25, 0x26, 0x28},
                    text_size[N] = {0, 4, 4, 1, 1, 2, 4};
    static const u8 address_form[] = {0x01, 0x1b, 0x29, 0x2a, 0x2b, 0x2c},
                    address_size[] = {4, 1, 1, 2, 3, 4};
    static const u8 size_form[] = {0x0b, 0x05, 0x06, 0x07, 0x0f, 0x0d, 0x01, 0x1b},
                    size_size[] = {1, 2, 4, 8, 1, 1, 4, 1};
    Debug d = {.code = 0};
    Object *o = obj_new("forms.elf");
    char name[16];
    u32 word = 0;
    put(&d.str_offsets, 0, 8);
    put(&d.addr, 0, 8);
    put_text(&d.str, "nobody");
    put_text(&d.line_str, "no one");
    for (u32 unit = 0; unit < 2; unit++) {
        const u32 str_base = (u32)d.str_offsets.len, addr_base = (u32)d.addr.len;
        d.unit = begin(&d.info);
        d.code = 0;
        put(&d.info, 5, 2), put(&d.info, unit ? 3 : 1, 1), put(&d.info, 4, 1),
            put(&d.info, d.abbrev.len, 4);
        if (unit) {
            SHAPE(&d, TAG_UNIT, true, {AT_STMT_LIST, SEC_OFFSET}, {AT_STR_BASE, SEC_OFFSET},
                  {AT_ADDR_BASE, SEC_OFFSET});
            put(&d.info, 0, 4), put(&d.info, str_base, 4), put(&d.info, addr_base, 4);
        } else {
            SHAPE(&d, TAG_UNIT, true, {AT_STMT_LIST, SEC_OFFSET});
            put(&d.info, 0, 4);
        }
        for (u32 i = 0; i < 3 * 56; i++, word++) {
            const u32 text = i % N, low = i % countof(address_form), high = i % countof(size_form);
            const u32 from = 0x80000000 + 4 * word;
            snprintf(name, sizeof name, "f%u", word);
            SHAPE(&d, TAG_FUNCTION, false, {AT_NAME, text_form[text]}, {AT_HIGH, size_form[high]},
                  {AT_LOW, address_form[low]});
            Buf *table = text_form[text] == 0x1f ? &d.line_str : &d.str;
            if (text == 0) {
                put_text(&d.info, name);
            } else if (text < 3) {
                put(&d.info, table->len, text_size[text]);
                put_text(table, name);
            } else {
                const u64 index = (d.str_offsets.len - str_base) / 4;
                text_size[text] == 1 && text_form[text] == 0x1a
                    ? put_uleb(&d.info, index)
                    : put(&d.info, index, text_size[text]);
                put(&d.str_offsets, table->len, 4);
                put_text(table, name);
            }
            if (size_form[high] == 0x1b) {
                put_uleb(&d.info, (d.addr.len - addr_base) / 4);
                put(&d.addr, from + 4, 4);
            } else {
                put(&d.info, size_form[high] == 0x01 ? from + 4 : 4, size_size[high]);
            }
            if (low == 0) {
                put(&d.info, from, 4);
            } else {
                const u64 index = (d.addr.len - addr_base) / 4;
                low == 1 ? put_uleb(&d.info, index) : put(&d.info, index, address_size[low]);
                put(&d.addr, from, 4);
            }
        }
        close_unit(&d);
    }
    LineTable *t = read_debug(o, &d);
    for (u32 i = 0; i < word; i++) {
        snprintf(name, sizeof name, "f%u", i);
        expect_function(t, i, name);
    }
    lines_free(t);
    obj_free(o);
    free_debug(&d);
}

/* What an instance is called, its abstract entry says, which every form of reference finds, from the unit's start or in
 * the file; that one may refer to another again.  Nothing else is a reference. */
static void references_have_many_forms(void **state)
{
    (void)state;
    static const u8 form[] = {0x11, 0x12, 0x13, 0x14, 0x15, 0x10, 0x20, 0x06},
                    size[] = {1, 2, 4, 8, 0, 4, 8, 4};
    for (u32 version = 2; version <= 5; version++) {
        Debug d = {.code = 0};
        Object *o = obj_new("references.elf");
        for (u32 unit = 0; unit < 2; unit++) {
            const size_t start = d.info.len;
            open_unit(&d, version, 0);
            const size_t named = d.info.len - start;
            SHAPE(&d, TAG_FUNCTION, false, {AT_NAME, STRING});
            put_text(&d.info, unit ? "second" : "first");
            const size_t alias = d.info.len - start;
            SHAPE(&d, TAG_FUNCTION, false, {AT_SPECIFICATION, 0x13});
            put(&d.info, named, 4);
            for (u32 i = 0; i < countof(form); i++) {
                const u64 to = (i & 1 ? named : alias) + (form[i] == 0x10 ? start : 0);
                SHAPE(&d, TAG_FUNCTION, false, {AT_ORIGIN, form[i]}, {AT_LOW, ADDR},
                      {AT_HIGH, DATA4});
                size[i] ? put(&d.info, to, size[i]) : put_uleb(&d.info, to);
                put_place(&d, 8 * unit + i);
            }
            SHAPE(&d, TAG_FUNCTION, false, {AT_ORIGIN, 0x13}, {AT_LOW, ADDR},
                  {AT_HIGH, DATA4}); /* to itself */
            put(&d.info, d.info.len - 1 - start, 4);
            put_place(&d, 16 + unit);
            close_unit(&d);
        }
        LineTable *t = read_debug(o, &d);
        for (u32 i = 0; i < 18; i++)
            expect_function(t, i, i % 8 >= 6 || i >= 16 ? "" : i < 8 ? "first" : "second");
        lines_free(t);
        obj_free(o);
        free_debug(&d);
    }
}

/* Calls that were inlined into each other, with their places in every form of number, and entries between them that are
 * no calls. */
static void inlined_calls_have_places(void **state)
{
    (void)state;
    static const u8 form[] = {0x0b, 0x05, 0x06, 0x07, 0x0f, IMPLICIT}, size[] = {1, 2, 4, 8, 0, 0};
    enum { N = 6, DEEP = 12 };
    Debug d = {.code = 0};
    Object *o = obj_new("calls.elf");
    char name[16];
    size_t entry[DEEP + 1];
    open_unit(&d, 5, 0);
    for (u32 i = 0; i <= DEEP; i++) {
        entry[i] = d.info.len;
        SHAPE(&d, TAG_FUNCTION, false, {AT_NAME, STRING});
        snprintf(name, sizeof name, "f%u", i);
        put_text(&d.info, name);
    }
    SHAPE(&d, TAG_FUNCTION, true, {AT_ORIGIN, 0x13}, {AT_LOW, ADDR}, {AT_HIGH, DATA4});
    put(&d.info, entry[0], 4), put(&d.info, 0x80000000, 4), put(&d.info, 4 * DEEP + 4, 4);
    for (u32 i = 1; i <= DEEP; i++) {
        const u32 line = form[i % N], column = form[(i + 1) % N];
        SHAPE(&d, TAG_BLOCK, true, {AT_NAME, STRING});
        put_text(&d.info, "block");
        put_uleb(&d.abbrev, ++d.code);
        put_uleb(&d.abbrev, TAG_INLINED);
        put(&d.abbrev, 1, 1);
        put_uleb(&d.abbrev, AT_LINE), put_uleb(&d.abbrev, line);
        if (line == IMPLICIT)
            put_sleb(&d.abbrev, 100 + i);
        put_uleb(&d.abbrev, AT_COLUMN), put_uleb(&d.abbrev, column);
        if (column == IMPLICIT)
            put_sleb(&d.abbrev, 50 + i);
        put_uleb(&d.abbrev, AT_FILE), put_uleb(&d.abbrev, UDATA);
        put_uleb(&d.abbrev, AT_ORIGIN), put_uleb(&d.abbrev, 0x13);
        put_uleb(&d.abbrev, AT_LOW), put_uleb(&d.abbrev, ADDR);
        put_uleb(&d.abbrev, AT_HIGH), put_uleb(&d.abbrev, DATA4);
        put(&d.abbrev, 0, 2);
        put_uleb(&d.info, d.code);
        if (line == UDATA)
            put_uleb(&d.info, 100 + i);
        put(&d.info, 100 + i, size[i % N]);
        if (column == UDATA)
            put_uleb(&d.info, 50 + i);
        put(&d.info, 50 + i, size[(i + 1) % N]);
        put_uleb(&d.info, i == 3 ? 2 : 1); /* there is no second file */
        put(&d.info, entry[i], 4), put(&d.info, 0x80000000 + 4 * i, 4),
            put(&d.info, 4 * (DEEP + 1 - i), 4);
    }
    for (u32 i = 0; i < 2 * DEEP + 1; i++)
        put(&d.info, 0, 1);
    SHAPE(&d, TAG_FUNCTION, false, {AT_NAME, STRING}, {AT_LOW, ADDR},
          {AT_HIGH, DATA4}); /* beside them */
    put_text(&d.info, "next");
    put_place(&d, DEEP + 1);
    close_unit(&d);
    LineTable *t = read_debug(o, &d);
    for (u32 word = 0; word <= DEEP; word++) {
        Place p[DEEP + 2];
        assert_int_equal(lines_find(t, 0x80000000 + 4 * word, p, DEEP + 2), word + 1);
        for (u32 i = 0; i <= word; i++) { /* from the inside out */
            const u32 call = word + 1 - i;
            snprintf(name, sizeof name, "f%u", word - i);
            assert_string_equal(p[i].function, name);
            assert_int_equal(p[i].line, i ? 100 + call : 42);
            assert_int_equal(p[i].column, i ? 50 + call : 0);
            if (i && call == 3)
                assert_null(p[i].file);
            else
                assert_string_equal(p[i].file, "a.cl");
        }
    }
    expect_function(t, DEEP + 1, "next");
    lines_free(t);
    obj_free(o);
    free_debug(&d);
}

/* units of other kinds, versions and sizes of addresses are passed over; what follows the end of a tree is not read */
static void strange_units_are_passed_over(void **state)
{
    (void)state;
    enum { VERSION_AT = 4, KIND = 6, ADDRESS = 7, VERSION_4_ADDRESS = 10 };
    static const struct {
        u8 version, at, byte;
        bool good;
    } row[] = {{5, VERSION_AT, 5, true},
               {5, VERSION_AT, 6, false},
               {5, VERSION_AT + 1, 1, false},
               {4, VERSION_AT, 1, false},
               {4, VERSION_AT, 3, true},
               {4, VERSION_AT, 2, true},
               {5, KIND, 3, true},
               {5, KIND, 2, false},
               {5, KIND, 4, false},
               {5, ADDRESS, 8, false},
               {4, VERSION_4_ADDRESS, 8, false}};
    for (u32 i = 0; i < countof(row); i++) {
        Debug d = {.code = 0};
        Object *o = obj_new("units.elf");
        for (u32 unit = 0; unit < 2; unit++) {
            open_unit(&d, row[i].version, 0);
            SHAPE(&d, TAG_FUNCTION, false, {AT_NAME, STRING}, {AT_LOW, ADDR}, {AT_HIGH, DATA4});
            put_text(&d.info, "f");
            put_place(&d, 2 * unit);
            put(&d.info, 0, 1);
            put_uleb(&d.info, d.code);
            put_text(&d.info, "g");
            put_place(&d, 2 * unit + 1);
            close_unit(&d);
        }
        d.info.data[row[i].at] = row[i].byte;
        LineTable *t = read_debug(o, &d);
        expect_function(t, 0, row[i].good ? "f" : "");
        expect_function(t, 1, "");
        expect_function(t, 2, "f");
        expect_function(t, 3, "");
        lines_free(t);
        obj_free(o);
        free_debug(&d);
    }
}

/* codes of shapes are any numbers, each once; an entry of a code that no shape has ends its unit */
static void shapes_have_any_code(void **state)
{
    (void)state;
    static const u16 codes[] = {300, 2, 1, 0x7fff, 5, 4};
    Debug d = {.before = 998};
    Object *o = obj_new("shapes.elf");
    char name[16];
    open_unit(&d, 4, 0);
    for (u32 i = 0; i <= countof(codes); i++) {
        if (i < countof(codes)) {
            d.code = codes[i] - 1u;
            SHAPE(&d, TAG_FUNCTION, false, {AT_NAME, STRING}, {AT_LOW, ADDR}, {AT_HIGH, DATA4});
        } else {
            put_uleb(&d.info, 3);
        }
        snprintf(name, sizeof name, "f%u", i);
        put_text(&d.info, name);
        put_place(&d, i);
    }
    close_unit(&d);
    LineTable *t = read_debug(o, &d);
    for (u32 i = 0; i <= countof(codes); i++) {
        snprintf(name, sizeof name, "f%u", i);
        expect_function(t, i, i < countof(codes) ? name : "");
    }
    lines_free(t);
    obj_free(o);
    free_debug(&d);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(line_programs_are_run),
        cmocka_unit_test(bad_units_are_passed_over),
        cmocka_unit_test(written_rows_are_read),
        cmocka_unit_test(written_ranges_begin),
        cmocka_unit_test(written_numbers_are_read),
        cmocka_unit_test(values_of_all_forms_are_passed_over),
        cmocka_unit_test(unknown_forms_end_their_unit),
        cmocka_unit_test(names_and_addresses_have_many_forms),
        cmocka_unit_test(references_have_many_forms),
        cmocka_unit_test(inlined_calls_have_places),
        cmocka_unit_test(strange_units_are_passed_over),
        cmocka_unit_test(shapes_have_any_code),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
