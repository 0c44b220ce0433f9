/* linetable.c -- the line table, DWARF 4 (sections 6.1, 6.2 and 7.5 of that standard).
 *
 *   .debug_line     a sequence of rows for each function, since each is placed by itself
 *   .debug_info     one unit: types (sourcetypes.c), functions and what was inlined into them
 *                   (scopes.c), variables (variables.c)
 *   .debug_ranges   which words belong to a call that was inlined, or to a block
 *   .debug_loc      where variables are
 *   .debug_aranges  the ranges of the unit
 *   .debug_frame    how debuggers find the registers of callers (callframes.c)
 *   .debug_abbrev   the shapes of entries
 *
 * Addresses are relocations against the symbols of functions.
 */
#include "cc/debuginfo.h"

/* The rows of one function.  A word without a place has that of the word before; those at the start
 * have the first place there is.  The register `isa` of the rows says what an access is for
 * (obj/lines.h). */
static void put_sequence(DwarfOut *s, const Module *m, const Code *c, u32 symbol)
{
    u32 shown = 0, loc = 0;
    for (size_t i = 0; i < c->n && !loc; i++)
        loc = word_is_none(&c->word[i]) || !m->loc[c->word[i].loc].line ? 0 : c->word[i].loc;
    DwarfRow now = dwarf_begin_rows(s, symbol, 0);
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        if (word_is_none(w))
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

static bool put_abbrevs(Object *o)
{
    /* clang-format off */
    /* number, tag, whether it has children, then attributes with their forms */
    static const u8 unit[] = {
        ABBREV_UNIT, DW_TAG_compile_unit, 1, DW_AT_producer, DW_FORM_string, DW_AT_language,
        DW_FORM_data2, DW_AT_name, DW_FORM_string, DW_AT_stmt_list, DW_FORM_sec_offset, 0, 0,
    };
    /* clang-format on */
    DwarfOut s = dwarf_open(o, ".debug_abbrev");
    if (s.failed)
        return false;
    buf_put(s.b, unit, sizeof unit);
    put_scope_abbrevs(&s);
    put_type_abbrevs(&s);
    put_variable_abbrevs(&s);
    dwarf_put(&s, 0, 1);
    return dwarf_close(&s);
}

/* What .debug_info refers to: of each function its scopes, and the lists of its variables. */
typedef struct {
    ScopeTree **tree;
    u32 **list;
    u32 *origin, *types;
} Referred;

static bool refer(Module *m, const Code *code, const u32 *symbol, Object *o, Referred *r)
{
    r->tree = ir_alloc(m, (m->nfunc + 1) * sizeof *r->tree);
    r->list = ir_alloc(m, (m->nfunc + 1) * sizeof *r->list);
    r->origin = ir_alloc(m, (m->nscope + 1) * sizeof *r->origin);
    r->types = ir_alloc(m, (m->ntype + 1) * sizeof *r->types);
    DwarfOut s = dwarf_open(o, ".debug_ranges");
    for (size_t i = 0; i < m->nfunc && !m->failed && !s.failed; i++)
        r->tree[i] = put_ranges(&s, &code[i], symbol[m->func[i]->symbol]);
    if (m->failed || !dwarf_close(&s))
        return false;
    s = dwarf_open(o, ".debug_loc");
    for (size_t i = 0; i < m->nfunc && !m->failed && !s.failed; i++) {
        r->list[i] = put_locations(&s, &code[i], symbol[m->func[i]->symbol]);
        m->failed |= !r->list[i];
    }
    return !m->failed && dwarf_close(&s);
}

static bool put_entries(Module *m, const Code *code, const u32 *symbol, Object *o)
{
    Referred r;
    if (!refer(m, code, symbol, o, &r))
        return false;
    const i32 abbrevs = dwarf_section_symbol(o, ".debug_abbrev"),
              table = dwarf_section_symbol(o, ".debug_line"),
              ranges = dwarf_section_symbol(o, ".debug_ranges"),
              lists = dwarf_section_symbol(o, ".debug_loc");
    DwarfOut s = dwarf_open(o, ".debug_info");
    if (s.failed || abbrevs < 0 || table < 0 || ranges < 0 || lists < 0)
        return false;
    const size_t from = dwarf_begin(&s);
    dwarf_put(&s, DWARF_VERSION, 2);
    dwarf_put_address(&s, (u32)abbrevs, 0);
    dwarf_put(&s, 4, 1); /* bytes of an address */
    dwarf_put(&s, ABBREV_UNIT, 1);
    dwarf_put_string(&s, "ventus cc");
    dwarf_put(&s, DW_LANG_OpenCL, 2);
    dwarf_put_string(&s, m->name);
    dwarf_put_address(&s, (u32)table, 0);
    put_abstract(&s, m, r.origin);
    put_types(&s, m, r.types);
    for (size_t i = 0; i < m->nfunc; i++)
        put_function(&s, &code[i], symbol[m->func[i]->symbol], r.tree[i], (u32)ranges, r.origin,
                     &(VariablePlaces){r.types, (u32)lists, r.list[i]});
    dwarf_put(&s, 0, 1);
    dwarf_end(&s, from);
    return dwarf_close(&s);
}

static bool put_addresses(const Module *m, const Code *code, const u32 *symbol, Object *o)
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

bool lines(Module *m, const Code *code, const u32 *symbol, Object *o)
{
    return put_lines(m, code, symbol, o) && put_abbrevs(o) && put_entries(m, code, symbol, o) &&
           put_addresses(m, code, symbol, o) && put_call_frames(m, code, symbol, o);
}
