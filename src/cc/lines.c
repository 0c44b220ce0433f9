/* lines.c -- the line table, DWARF 4 (sections 6.1, 6.2 and 7.5 of that standard).
 *
 *   .debug_line     a sequence of rows for each function, since each is placed by itself
 *   .debug_info     one unit; a subprogram with name and range for each function
 *   .debug_aranges  the ranges of the unit
 *   .debug_abbrev   the two shapes of entries
 *
 * Addresses are relocations against the symbols of functions.
 */
#include "cc/code.h"
#include "base/mem.h"
#include <elf.h>

enum {
    DW_TAG_compile_unit = 0x11,
    DW_TAG_subprogram = 0x2e,
    DW_AT_name = 0x03,
    DW_AT_stmt_list = 0x10,
    DW_AT_low_pc = 0x11,
    DW_AT_high_pc = 0x12,
    DW_AT_language = 0x13,
    DW_AT_producer = 0x25,
    DW_FORM_addr = 0x01,
    DW_FORM_data2 = 0x05,
    DW_FORM_data4 = 0x06,
    DW_FORM_string = 0x08,
    DW_FORM_sec_offset = 0x17,
    DW_LANG_OpenCL = 0x15,
    DW_LNS_copy = 1,
    DW_LNS_advance_pc = 2,
    DW_LNS_advance_line = 3,
    DW_LNS_set_file = 4,
    DW_LNS_set_column = 5,
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
    DWARF_VERSION = 4,
    WORD_BYTES = 4,
    ABBREV_UNIT = 1,
    ABBREV_FUNCTION = 2
};

/* A debug section being written. */
typedef struct {
    Object *o;
    i32 section;
    Buf *b;
    bool failed;
} Out;

/* --- numbers --------------------------------------------------------------------------- */

static void put(Out *s, u32 v, u32 bytes)
{
    for (u32 i = 0; i < bytes; i++) {
        const u8 byte = (u8)(v >> 8 * i);
        buf_put(s->b, &byte, 1);
    }
}

static void put_string(Out *s, const char *text)
{
    buf_str(s->b, text);
    put(s, 0, 1);
}

static void put_uleb(Out *s, u32 v)
{
    for (; v >= 0x80; v >>= 7)
        put(s, (v & 0x7f) | 0x80, 1);
    put(s, v, 1);
}

static void put_sleb(Out *s, i64 v)
{
    for (; v < -64 || v > 63; v >>= 7)
        put(s, (u32)(v & 0x7f) | 0x80, 1);
    put(s, (u32)(v & 0x7f), 1);
}

static void put_address(Out *s, u32 symbol)
{
    s->failed |=
        !obj_add_reloc(s->o, s->section, (ObjReloc){(u32)s->b->len, R_RISCV_32, symbol, 0});
    put(s, 0, 4);
}

/* a length of four bytes, filled in by end_length */
static size_t begin_length(Out *s)
{
    put(s, 0, 4);
    return s->b->len;
}

static void end_length(Out *s, size_t from)
{
    const u32 n = (u32)(s->b->len - from);
    for (u32 i = 0; i < 4 && !s->b->failed; i++)
        s->b->data[from - 4 + i] = (u8)(n >> 8 * i);
}

/* --- sections --------------------------------------------------------------------------- */

static Out open_section(Object *o, const char *name)
{
    Out s = {.o = o, .section = obj_add_section(o, name, SHT_PROGBITS, 0, 1)};
    s.failed = s.section < 0;
    if (!s.failed)
        s.b = &o->sections[s.section].data;
    return s;
}

static bool close_section(Out *s)
{
    if (s->failed || s->b->failed)
        return false;
    s->o->sections[s->section].size = (u32)s->b->len;
    return true;
}

/* a symbol for the start of a section, by which other sections refer to it */
static i32 section_symbol(Object *o, const char *name)
{
    const i32 section = obj_find_section(o, name);
    return section < 0 ? -1 : obj_add_symbol(o, "", section, 0, STB_LOCAL, STT_SECTION);
}

/* --- rows --------------------------------------------------------------------------------- */

typedef struct {
    u32 at, file, line, column;
} Row;

static void put_row(Out *s, Row *now, const Row *next)
{
    if (next->at != now->at) {
        put(s, DW_LNS_advance_pc, 1);
        put_uleb(s, (next->at - now->at) / WORD_BYTES);
    }
    if (next->file != now->file) {
        put(s, DW_LNS_set_file, 1);
        put_uleb(s, next->file);
    }
    if (next->column != now->column) {
        put(s, DW_LNS_set_column, 1);
        put_uleb(s, next->column);
    }
    if (next->line != now->line) {
        put(s, DW_LNS_advance_line, 1);
        put_sleb(s, (i64)next->line - now->line);
    }
    put(s, DW_LNS_copy, 1);
    *now = *next;
}

/* The rows of one function.  A word without a place has that of the word before; those at the start
 * have the first place there is. */
static void put_sequence(Out *s, const Module *m, const Code *c, u32 symbol)
{
    Row now = {.file = 1, .line = 1};
    u32 shown = 0, loc = 0;
    for (size_t i = 0; i < c->n && !loc; i++)
        loc = c->word[i].fix == FIX_LABEL ? 0 : c->word[i].loc;
    /* 1. the address where the sequence starts */
    put(s, 0, 1);
    put_uleb(s, 5);
    put(s, DW_LNE_set_address, 1);
    put_address(s, symbol);
    /* 2. a row wherever the place changes */
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        if (w->fix == FIX_LABEL)
            continue;
        loc = w->loc ? w->loc : loc;
        if (loc == shown)
            continue;
        const Loc *l = &m->loc[shown = loc];
        put_row(s, &now, &(Row){w->at, l->file + 1, l->line, l->column});
    }
    /* 3. the address after the last word */
    put(s, DW_LNS_advance_pc, 1);
    put_uleb(s, (c->size - now.at) / WORD_BYTES);
    put(s, 0, 1);
    put_uleb(s, 1);
    put(s, DW_LNE_end_sequence, 1);
}

static void put_header(Out *s, const Module *m)
{
    static const u8 operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    put(s, DWARF_VERSION, 2);
    const size_t from = begin_length(s);
    put(s, WORD_BYTES, 1); /* minimum_instruction_length */
    put(s, 1, 1);          /* maximum_operations_per_instruction */
    put(s, 1, 1);          /* default_is_stmt */
    put(s, 1, 1);          /* line_base and line_range, not used here */
    put(s, 1, 1);
    put(s, (u32)countof(operands) + 1, 1); /* opcode_base */
    buf_put(s->b, operands, sizeof operands);
    put(s, 0, 1); /* no directories */
    for (size_t i = 0; i < m->nfile; i++) {
        put_string(s, m->file[i]);
        put(s, 0, 3);
    }
    put(s, 0, 1);
    end_length(s, from);
}

static bool put_lines(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    Out s = open_section(o, ".debug_line");
    if (s.failed)
        return false;
    const size_t from = begin_length(&s);
    put_header(&s, m);
    for (size_t i = 0; i < m->nfunc; i++)
        put_sequence(&s, m, &code[i], symbol[m->func[i]->symbol]);
    end_length(&s, from);
    return close_section(&s);
}

/* --- entries ------------------------------------------------------------------------------- */

static bool put_abbrevs(Object *o)
{
    static const u8 bytes[] = {
        ABBREV_UNIT,
        DW_TAG_compile_unit,
        1,
        DW_AT_producer,
        DW_FORM_string,
        DW_AT_language,
        DW_FORM_data2,
        DW_AT_name,
        DW_FORM_string,
        DW_AT_stmt_list,
        DW_FORM_sec_offset,
        0,
        0,
        ABBREV_FUNCTION,
        DW_TAG_subprogram,
        0,
        DW_AT_name,
        DW_FORM_string,
        DW_AT_low_pc,
        DW_FORM_addr,
        DW_AT_high_pc,
        DW_FORM_data4,
        0,
        0,
        0,
    };
    Out s = open_section(o, ".debug_abbrev");
    if (s.failed)
        return false;
    buf_put(s.b, bytes, sizeof bytes);
    return close_section(&s);
}

static bool put_entries(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    const i32 abbrevs = section_symbol(o, ".debug_abbrev"),
              table = section_symbol(o, ".debug_line");
    Out s = open_section(o, ".debug_info");
    if (s.failed || abbrevs < 0 || table < 0)
        return false;
    const size_t from = begin_length(&s);
    put(&s, DWARF_VERSION, 2);
    put_address(&s, (u32)abbrevs);
    put(&s, 4, 1); /* bytes of an address */
    put(&s, ABBREV_UNIT, 1);
    put_string(&s, "ventus cc");
    put(&s, DW_LANG_OpenCL, 2);
    put_string(&s, m->name);
    put_address(&s, (u32)table);
    for (size_t i = 0; i < m->nfunc; i++) {
        put(&s, ABBREV_FUNCTION, 1);
        put_string(&s, m->func[i]->name);
        put_address(&s, symbol[m->func[i]->symbol]);
        put(&s, code[i].size, 4);
    }
    put(&s, 0, 1);
    end_length(&s, from);
    return close_section(&s);
}

static bool put_ranges(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    const i32 info = section_symbol(o, ".debug_info");
    Out s = open_section(o, ".debug_aranges");
    if (s.failed || info < 0)
        return false;
    const size_t from = begin_length(&s);
    put(&s, 2, 2); /* the version of this section */
    put_address(&s, (u32)info);
    put(&s, 4, 1);
    put(&s, 0, 1);
    put(&s, 0, 4); /* tuples begin at a multiple of their size */
    for (size_t i = 0; i < m->nfunc; i++) {
        put_address(&s, symbol[m->func[i]->symbol]);
        put(&s, code[i].size, 4);
    }
    put(&s, 0, 4);
    put(&s, 0, 4);
    end_length(&s, from);
    return close_section(&s);
}

bool lines(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    return put_lines(m, code, symbol, o) && put_abbrevs(o) && put_entries(m, code, symbol, o) &&
           put_ranges(m, code, symbol, o);
}
