/* linetable.c -- the line table, DWARF 4 (sections 6.1, 6.2 and 7.5 of that standard).
 *
 *   .debug_line     a sequence of rows for each function, since each is placed by itself
 *   .debug_info     one unit; a subprogram for each function, and in it the ranges of words that
 *                   came by inlining, with the place of the call
 *   .debug_aranges  the ranges of the unit
 *   .debug_frame    how debuggers find the registers of callers (callframes.c)
 *   .debug_abbrev   the shapes of entries
 *
 * Addresses are relocations against the symbols of functions.
 */
#include "cc/code.h"
#include "base/mem.h"
#include "obj/dwarf.h"
#include "cc/variables.h"
#include "obj/dwarfout.h"
#include <string.h>

enum {
    ABBREV_UNIT = 1,
    ABBREV_FUNCTION, /* with and without calls that were inlined into it */
    ABBREV_LEAF,
    ABBREV_ABSTRACT, /* a function that was inlined somewhere */
    ABBREV_INLINED,
    ABBREV_INLINED_LEAF
};

/* The rows of one function.  A word without a place has that of the word before; those at the start
 * have the first place there is.  The register `isa` of the rows says what an access is for
 * (obj/lines.h). */
static void put_sequence(DwarfOut *s, const Module *m, const Code *c, u32 symbol)
{
    u32 shown = 0, loc = 0;
    for (size_t i = 0; i < c->n && !loc; i++)
        loc = c->word[i].fix == FIX_LABEL || !m->loc[c->word[i].loc].line ? 0 : c->word[i].loc;
    DwarfRow now = dwarf_begin_rows(s, symbol, 0);
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        if (w->fix == FIX_LABEL)
            continue;
        const u32 isa = m->loc[w->loc].isa;
        loc = m->loc[w->loc].line ? w->loc : loc;
        if (loc == shown && isa == now.isa)
            continue;
        const Loc *l = &m->loc[shown = loc];
        dwarf_put_row(s, &now, &(DwarfRow){w->at, l->file + 1, l->line, l->column, isa});
    }
    dwarf_end_rows(s, &now, c->size);
}

static bool put_lines(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    DwarfOut s = dwarf_open(o, ".debug_line");
    if (s.failed)
        return false;
    const size_t from = dwarf_begin(&s);
    dwarf_put_line_header(&s, (const char *const *)m->file, m->nfile);
    for (size_t i = 0; i < m->nfunc; i++)
        put_sequence(&s, m, &code[i], symbol[m->func[i]->symbol]);
    dwarf_end(&s, from);
    return dwarf_close(&s);
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
    };
    /* clang-format on */
    DwarfOut s = dwarf_open(o, ".debug_abbrev");
    if (s.failed)
        return false;
    buf_put(s.b, bytes, sizeof bytes);
    put_variable_abbrevs(&s);
    dwarf_put(&s, 0, 1);
    return dwarf_close(&s);
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

/* One function, its variables, and what was inlined into it. */
static void put_function(DwarfOut *s, const Module *m, const Code *c, u32 symbol, const u32 *origin,
                         const u32 *types)
{
    Ranges r = {.n = 0};
    find_ranges(m, c, &r);
    const bool has_children = r.n || c->f->nvariable;
    dwarf_put(s, has_children ? ABBREV_FUNCTION : ABBREV_LEAF, 1);
    dwarf_put_string(s, c->f->name);
    dwarf_put_address(s, symbol, 0);
    dwarf_put(s, c->size, 4);
    put_variables(s, c->f, types);
    for (size_t i = 0; i < r.n; i++) {
        const Range *x = &r.range[i];
        const u32 next = i + 1 < r.n ? r.range[i + 1].depth : 0;
        const Loc *at = &m->loc[m->inlined[x->call - 1].loc];
        dwarf_put(s, next > x->depth ? ABBREV_INLINED : ABBREV_INLINED_LEAF, 1);
        dwarf_put(s, origin[x->call - 1], 4);
        dwarf_put_address(s, symbol, x->lo);
        dwarf_put(s, x->hi - x->lo, 4);
        dwarf_put_uleb(s, at->file + 1);
        dwarf_put_uleb(s, at->line);
        dwarf_put_uleb(s, at->column);
        for (u32 depth = x->depth; depth > next; depth--)
            dwarf_put(s, 0, 1); /* the end of a list of children */
    }
    if (has_children)
        dwarf_put(s, 0, 1);
    s->failed |= r.failed;
    mem_free(r.range);
}

/* An entry for each function that was inlined; origin[]: of each call, where that entry is. */
static void put_abstract(DwarfOut *s, const Module *m, u32 *origin)
{
    for (size_t i = 0; i < m->ninlined; i++) {
        size_t same = 0;
        while (strcmp(m->inlined[same].function, m->inlined[i].function))
            same++;
        origin[i] = same < i ? origin[same] : (u32)s->b->len;
        if (same < i)
            continue;
        dwarf_put(s, ABBREV_ABSTRACT, 1);
        dwarf_put_string(s, m->inlined[i].function);
        dwarf_put(s, DW_INL_inlined, 1);
    }
}

static bool put_entries(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    const i32 abbrevs = dwarf_section_symbol(o, ".debug_abbrev"),
              table = dwarf_section_symbol(o, ".debug_line");
    DwarfOut s = dwarf_open(o, ".debug_info");
    u32 *origin = mem_zalloc(m->ninlined + 1, sizeof *origin);
    u32 *types = mem_zalloc(m->ntype + 1, sizeof *types);
    if (s.failed || abbrevs < 0 || table < 0 || !origin || !types) {
        mem_free(origin);
        mem_free(types);
        return false;
    }
    const size_t from = dwarf_begin(&s);
    dwarf_put(&s, DWARF_VERSION, 2);
    dwarf_put_address(&s, (u32)abbrevs, 0);
    dwarf_put(&s, 4, 1); /* bytes of an address */
    dwarf_put(&s, ABBREV_UNIT, 1);
    dwarf_put_string(&s, "ventus cc");
    dwarf_put(&s, DW_LANG_OpenCL, 2);
    dwarf_put_string(&s, m->name);
    dwarf_put_address(&s, (u32)table, 0);
    put_abstract(&s, m, origin);
    put_types(&s, m, types);
    for (size_t i = 0; i < m->nfunc; i++)
        put_function(&s, m, &code[i], symbol[m->func[i]->symbol], origin, types);
    dwarf_put(&s, 0, 1);
    dwarf_end(&s, from);
    mem_free(origin);
    mem_free(types);
    return dwarf_close(&s);
}

static bool put_ranges(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    const i32 info = dwarf_section_symbol(o, ".debug_info");
    DwarfOut s = dwarf_open(o, ".debug_aranges");
    if (s.failed || info < 0)
        return false;
    const size_t from = dwarf_begin_ranges(&s, (u32)info);
    for (size_t i = 0; i < m->nfunc; i++) {
        dwarf_put_address(&s, symbol[m->func[i]->symbol], 0);
        dwarf_put(&s, code[i].size, 4);
    }
    dwarf_put(&s, 0, 4);
    dwarf_put(&s, 0, 4);
    dwarf_end(&s, from);
    return dwarf_close(&s);
}

bool lines(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    return put_lines(m, code, symbol, o) && put_abbrevs(o) && put_entries(m, code, symbol, o) &&
           put_ranges(m, code, symbol, o) && put_call_frames(m, code, symbol, o);
}
