/* places.c -- the line table of an assembly: which line of which file each instruction came from.
 *
 * What a macro or a repetition makes counts to the line that calls it; the lines of an included
 * file are their own.  .debug_line has a sequence for each section with code, .debug_info one unit
 * without functions, .debug_ranges and .debug_aranges the addresses of that unit.
 */
#include "asm/job.h"
#include "obj/dwarf.h"
#include "obj/dwarfout.h"
#include <elf.h>
#include <string.h>

void as_note_place(Asm *a, const char *at)
{
    const Frag *f = as_data(a);
    if (!f || !array_grow(a->places, a->nplaces, a->capplaces)) {
        as_no_memory(a);
        return;
    }
    a->places[a->nplaces++] = (Line){a->src, at, a->sect, (u32)here(a)->nfrags - 1, f->len};
}

/* --- places in files ---------------------------------------------------------------------- */

/* The files of a table, and the place that was looked up last: places mostly go forwards. */
typedef struct {
    const char **file;
    size_t n, cap;
    const Source *src;
    const char *p; /* in src->text, and its line */
    u32 line;
} Files;

/* counted from 1; 0: memory ran out */
static u32 file_number(Files *t, const char *name)
{
    for (size_t i = t->n; i-- > 0;)
        if (!strcmp(t->file[i], name))
            return (u32)i + 1;
    if (!array_grow(t->file, t->n, t->cap))
        return 0;
    t->file[t->n++] = name;
    return (u32)t->n;
}

static DwarfRow row_of(Files *t, const Line *l, u32 at)
{
    const Source *src = l->src;
    const char *p = l->text;
    for (; src->is_expansion; src = src->from)
        p = src->from_at;
    if (t->src != src || p < t->p) {
        t->src = src;
        t->p = src->text;
        t->line = 1;
    }
    for (; t->p < p; t->p++)
        t->line += *t->p == '\n';
    const char *start = p;
    while (start > src->text && start[-1] != '\n')
        start--;
    return (DwarfRow){at, file_number(t, src->name), t->line, (u32)(p - start) + 1, 0};
}

/* --- sections ----------------------------------------------------------------------------- */

static bool has_places(const Sect *s)
{
    return s->index >= 0 && s->size && s->flags & SHF_EXECINSTR;
}

static bool is_same_place(const DwarfRow *a, const DwarfRow *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

static bool put_rows(Asm *a, Object *o, const u32 *symbol)
{
    /* 1. every place, which finds the files for the header */
    Files t = {.n = 0};
    DwarfRow *row = mem_zalloc(a->nplaces + 1, sizeof *row);
    bool ok = row != NULL;
    for (size_t i = 0; i < a->nplaces && ok; i++) {
        const Line *l = &a->places[i];
        row[i] = row_of(&t, l, (u32)(a->sects[l->sect].frags[l->frag].addr + l->offset));
        ok = row[i].file != 0;
    }
    /* 2. the section */
    DwarfOut s = dwarf_open(o, ".debug_line");
    if (!ok || s.failed) {
        mem_free(row);
        mem_free(t.file);
        return false;
    }
    const size_t from = dwarf_begin(&s);
    dwarf_put_line_header(&s, t.file, t.n);
    for (u32 k = 0; k < a->nsects; k++) {
        if (!has_places(&a->sects[k]))
            continue;
        DwarfRow now = dwarf_begin_rows(&s, symbol[k], 0);
        for (size_t i = 0; i < a->nplaces; i++)
            if (a->places[i].sect == k && !is_same_place(&now, &row[i]))
                dwarf_put_row(&s, &now, &row[i]);
        dwarf_end_rows(&s, &now, (u32)a->sects[k].size);
    }
    dwarf_end(&s, from);
    mem_free(row);
    mem_free(t.file);
    return dwarf_close(&s);
}

static bool put_unit(Asm *a, Object *o)
{
    static const u8 abbrevs[] = {1,
                                 DW_TAG_compile_unit,
                                 0,
                                 DW_AT_producer,
                                 DW_FORM_string,
                                 DW_AT_language,
                                 DW_FORM_data2,
                                 DW_AT_name,
                                 DW_FORM_string,
                                 DW_AT_stmt_list,
                                 DW_FORM_sec_offset,
                                 DW_AT_low_pc,
                                 DW_FORM_data4,
                                 DW_AT_ranges,
                                 DW_FORM_sec_offset,
                                 0,
                                 0,
                                 0};
    DwarfOut shapes = dwarf_open(o, ".debug_abbrev");
    if (shapes.failed)
        return false;
    buf_put(shapes.b, abbrevs, sizeof abbrevs);
    if (!dwarf_close(&shapes))
        return false;
    const i32 shape = dwarf_section_symbol(o, ".debug_abbrev"),
              table = dwarf_section_symbol(o, ".debug_line"),
              ranges = dwarf_section_symbol(o, ".debug_ranges");
    DwarfOut s = dwarf_open(o, ".debug_info");
    if (s.failed || shape < 0 || table < 0 || ranges < 0)
        return false;
    const size_t from = dwarf_begin(&s);
    dwarf_put(&s, DWARF_VERSION, 2);
    dwarf_put_address(&s, (u32)shape, 0);
    dwarf_put(&s, 4, 1); /* bytes of an address */
    dwarf_put(&s, 1, 1);
    dwarf_put_string(&s, "ventus as");
    dwarf_put(&s, DW_LANG_Mips_Assembler, 2); /* the number that stands for any assembly */
    dwarf_put_string(&s, a->places[0].src->name);
    dwarf_put_address(&s, (u32)table, 0);
    dwarf_put(&s, 0, 4); /* what ranges are relative to */
    dwarf_put_address(&s, (u32)ranges, 0);
    dwarf_end(&s, from);
    return dwarf_close(&s);
}

static bool put_ranges(Asm *a, Object *o, const u32 *symbol)
{
    DwarfOut s = dwarf_open(o, ".debug_ranges");
    if (s.failed)
        return false;
    for (u32 k = 0; k < a->nsects; k++)
        if (has_places(&a->sects[k])) {
            dwarf_put_address(&s, symbol[k], 0);
            dwarf_put_address(&s, symbol[k], (u32)a->sects[k].size);
        }
    dwarf_put(&s, 0, 4);
    dwarf_put(&s, 0, 4);
    return dwarf_close(&s);
}

static bool put_aranges(Asm *a, Object *o, const u32 *symbol)
{
    const i32 info = dwarf_section_symbol(o, ".debug_info");
    DwarfOut s = dwarf_open(o, ".debug_aranges");
    if (s.failed || info < 0)
        return false;
    const size_t from = dwarf_begin_ranges(&s, (u32)info);
    for (u32 k = 0; k < a->nsects; k++)
        if (has_places(&a->sects[k])) {
            dwarf_put_address(&s, symbol[k], 0);
            dwarf_put(&s, (u32)a->sects[k].size, 4);
        }
    dwarf_put(&s, 0, 4);
    dwarf_put(&s, 0, 4);
    dwarf_end(&s, from);
    return dwarf_close(&s);
}

void as_put_lines(Asm *a, Object *o)
{
    u32 *symbol = mem_zalloc(a->nsects, sizeof *symbol);
    bool ok = symbol != NULL;
    if (!a->nplaces || obj_find_section(o, ".debug_line") >= 0) {
        mem_free(symbol);
        return;
    }
    for (u32 k = 0; k < a->nsects && ok; k++)
        if (has_places(&a->sects[k])) {
            const i32 n = obj_add_symbol(o, "", a->sects[k].index, 0, STB_LOCAL, STT_SECTION);
            ok = n >= 0;
            symbol[k] = (u32)n;
        }
    if (!ok || !put_rows(a, o, symbol) || !put_ranges(a, o, symbol) || !put_unit(a, o) ||
        !put_aranges(a, o, symbol))
        as_no_memory(a);
    mem_free(symbol);
}
