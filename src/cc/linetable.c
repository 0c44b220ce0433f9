/* linetable.c -- the line table, DWARF 4 (sections 6.1, 6.2 and 7.5 of that standard).
 *
 *   .debug_line     a sequence of rows for each function, since each is placed by itself
 *   .debug_info     one unit; a subprogram for each function, and in it the ranges of words that
 *                   came by inlining, with the place of the call
 *   .debug_aranges  the ranges of the unit
 *   .debug_abbrev   the two shapes of entries
 *
 * Addresses are relocations against the symbols of functions.
 */
#include "cc/code.h"
#include "base/mem.h"
#include "obj/dwarf.h"
#include <elf.h>
#include <string.h>

enum {
    DWARF_VERSION = 4,
    WORD_BYTES = 4,
    ABBREV_UNIT = 1,
    ABBREV_FUNCTION, /* with and without calls that were inlined into it */
    ABBREV_LEAF,
    ABBREV_ABSTRACT, /* a function that was inlined somewhere */
    ABBREV_INLINED,
    ABBREV_INLINED_LEAF
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

static void put_address(Out *s, u32 symbol, u32 offset)
{
    s->failed |= !obj_add_reloc(
        s->o, s->section, (ObjReloc){(u32)s->b->len, R_RISCV_32, symbol, (i32)offset});
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
    put_address(s, symbol, 0);
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

#define INLINED_ATTRIBUTES                                                                         \
    DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, \
        DW_AT_call_file, DW_FORM_udata, DW_AT_call_line, DW_FORM_udata, DW_AT_call_column,         \
        DW_FORM_udata, 0, 0

static bool put_abbrevs(Object *o)
{
    /* clang-format off */
    /* number, tag, whether it has children, then attributes with their forms */
    static const u8 bytes[] = {
        ABBREV_UNIT, DW_TAG_compile_unit, 1, DW_AT_producer, DW_FORM_string, DW_AT_language,
        DW_FORM_data2, DW_AT_name, DW_FORM_string, DW_AT_stmt_list, DW_FORM_sec_offset, 0, 0,
        ABBREV_FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
        DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0,
        ABBREV_LEAF, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr,
        DW_AT_high_pc, DW_FORM_data4, 0, 0,
        ABBREV_ABSTRACT, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_inline,
        DW_FORM_data1, 0, 0,
        ABBREV_INLINED, DW_TAG_inlined_subroutine, 1, INLINED_ATTRIBUTES,
        ABBREV_INLINED_LEAF, DW_TAG_inlined_subroutine, 0, INLINED_ATTRIBUTES,
        0,
    };
    /* clang-format on */
    Out s = open_section(o, ".debug_abbrev");
    if (s.failed)
        return false;
    buf_put(s.b, bytes, sizeof bytes);
    return close_section(&s);
}

/* What an inlined call brought to one range of words. */
typedef struct {
    u32 call;               /* Loc.inlined */
    u32 depth;              /* 0: into the function itself */
    u32 lo, hi;             /* bytes from the start of the function */
} Range;

enum { DEEPEST = 32 };      /* calls inside calls; what is deeper counts to the last of these */

typedef struct {
    Range *range;           /* a call before those inside it */
    size_t n, cap;
    size_t open[DEEPEST];   /* the ranges around the present word */
    u32 nopen;
    bool failed;
} Ranges;

/* the calls around a place, from the outside in */
static u32 calls_around(const Module *m, u32 loc, u32 call[DEEPEST])
{
    u32 n = 0;
    for (u32 c = m->loc[loc].inlined; c; c = m->loc[m->inlined[c - 1].loc].inlined)
        n++;
    u32 at = n;
    for (u32 c = m->loc[loc].inlined; c; c = m->loc[m->inlined[c - 1].loc].inlined)
        if (--at < DEEPEST)
            call[at] = c;
    return n < DEEPEST ? n : DEEPEST;
}

static void close_ranges(Ranges *r, u32 depth, u32 at)
{
    while (r->nopen > depth)
        r->range[r->open[--r->nopen]].hi = at;
}

static void find_ranges(const Module *m, const Code *c, Ranges *r)
{
    for (size_t i = 0; i < c->n && !r->failed; i++) {
        const Word *w = &c->word[i];
        u32 call[DEEPEST], same = 0;
        if (w->fix == FIX_LABEL || !w->loc)
            continue;
        const u32 n = calls_around(m, w->loc, call);
        while (same < n && same < r->nopen && r->range[r->open[same]].call == call[same])
            same++;
        close_ranges(r, same, w->at);
        for (; same < n && !r->failed; same++) {
            r->failed = !array_grow(r->range, r->n, r->cap);
            if (r->failed)
                break;
            r->range[r->n] = (Range){.call = call[same], .depth = same, .lo = w->at};
            r->open[r->nopen++] = r->n++;
        }
    }
    close_ranges(r, 0, c->size);
}

/* one function, and what was inlined into it */
static void put_function(Out *s, const Module *m, const Code *c, u32 symbol, const u32 *origin)
{
    Ranges r = {.n = 0};
    find_ranges(m, c, &r);
    put(s, r.n ? ABBREV_FUNCTION : ABBREV_LEAF, 1);
    put_string(s, c->f->name);
    put_address(s, symbol, 0);
    put(s, c->size, 4);
    for (size_t i = 0; i < r.n; i++) {
        const Range *x = &r.range[i];
        const u32 next = i + 1 < r.n ? r.range[i + 1].depth : 0;
        const Loc *at = &m->loc[m->inlined[x->call - 1].loc];
        put(s, next > x->depth ? ABBREV_INLINED : ABBREV_INLINED_LEAF, 1);
        put(s, origin[x->call - 1], 4);
        put_address(s, symbol, x->lo);
        put(s, x->hi - x->lo, 4);
        put_uleb(s, at->file + 1);
        put_uleb(s, at->line);
        put_uleb(s, at->column);
        for (u32 depth = x->depth; depth > next; depth--)
            put(s, 0, 1); /* the end of a list of children */
    }
    if (r.n)
        put(s, 0, 1);
    s->failed |= r.failed;
    mem_free(r.range);
}

/* An entry for each function that was inlined; origin[]: of each call, where that entry is. */
static void put_abstract(Out *s, const Module *m, u32 *origin)
{
    for (size_t i = 0; i < m->ninlined; i++) {
        size_t same = 0;
        while (strcmp(m->inlined[same].function, m->inlined[i].function))
            same++;
        origin[i] = same < i ? origin[same] : (u32)s->b->len;
        if (same < i)
            continue;
        put(s, ABBREV_ABSTRACT, 1);
        put_string(s, m->inlined[i].function);
        put(s, DW_INL_inlined, 1);
    }
}

static bool put_entries(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    const i32 abbrevs = section_symbol(o, ".debug_abbrev"),
              table = section_symbol(o, ".debug_line");
    Out s = open_section(o, ".debug_info");
    u32 *origin = mem_zalloc(m->ninlined + 1, sizeof *origin);
    if (s.failed || abbrevs < 0 || table < 0 || !origin) {
        mem_free(origin);
        return false;
    }
    const size_t from = begin_length(&s);
    put(&s, DWARF_VERSION, 2);
    put_address(&s, (u32)abbrevs, 0);
    put(&s, 4, 1); /* bytes of an address */
    put(&s, ABBREV_UNIT, 1);
    put_string(&s, "ventus cc");
    put(&s, DW_LANG_OpenCL, 2);
    put_string(&s, m->name);
    put_address(&s, (u32)table, 0);
    put_abstract(&s, m, origin);
    for (size_t i = 0; i < m->nfunc; i++)
        put_function(&s, m, &code[i], symbol[m->func[i]->symbol], origin);
    put(&s, 0, 1);
    end_length(&s, from);
    mem_free(origin);
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
    put_address(&s, (u32)info, 0);
    put(&s, 4, 1);
    put(&s, 0, 1);
    put(&s, 0, 4); /* tuples begin at a multiple of their size */
    for (size_t i = 0; i < m->nfunc; i++) {
        put_address(&s, symbol[m->func[i]->symbol], 0);
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
