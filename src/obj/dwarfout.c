/* dwarfout.c -- writes sections of DWARF 4. */
#include "obj/dwarfout.h"
#include "obj/dwarf.h"
#include <elf.h>

enum { WORD_BYTES = 4 };

/* --- sections -------------------------------------------------------------------------- */

DwarfOut dwarf_open(Object *o, const char *name)
{
    DwarfOut s = {.o = o, .section = obj_add_section(o, name, SHT_PROGBITS, 0, 1)};
    s.failed = s.section < 0;
    if (!s.failed)
        s.b = &o->sections[s.section].data;
    return s;
}

bool dwarf_close(DwarfOut *s)
{
    if (s->failed || s->b->failed)
        return false;
    s->o->sections[s->section].size = (u32)s->b->len;
    return true;
}

i32 dwarf_section_symbol(Object *o, const char *name)
{
    const i32 section = obj_find_section(o, name);
    return section < 0 ? -1 : obj_add_symbol(o, "", section, 0, STB_LOCAL, STT_SECTION);
}

/* --- numbers ---------------------------------------------------------------------------- */

void dwarf_put(DwarfOut *s, u32 v, u32 bytes)
{
    for (u32 i = 0; i < bytes; i++) {
        const u8 byte = (u8)(v >> 8 * i);
        buf_put(s->b, &byte, 1);
    }
}

void dwarf_put_string(DwarfOut *s, const char *text)
{
    buf_str(s->b, text);
    dwarf_put(s, 0, 1);
}

void dwarf_put_uleb(DwarfOut *s, u32 v)
{
    for (; v >= 0x80; v >>= 7)
        dwarf_put(s, (v & 0x7f) | 0x80, 1);
    dwarf_put(s, v, 1);
}

void dwarf_put_sleb(DwarfOut *s, i64 v)
{
    for (; v < -64 || v > 63; v >>= 7)
        dwarf_put(s, (u32)(v & 0x7f) | 0x80, 1);
    dwarf_put(s, (u32)(v & 0x7f), 1);
}

void dwarf_put_address(DwarfOut *s, u32 symbol, u32 offset)
{
    s->failed |= !obj_add_reloc(s->o, s->section,
                                (ObjReloc){(u32)s->b->len, R_RISCV_32, symbol, (i32)offset});
    dwarf_put(s, 0, 4);
}

size_t dwarf_begin(DwarfOut *s)
{
    dwarf_put(s, 0, 4);
    return s->b->len;
}

void dwarf_end(DwarfOut *s, size_t from)
{
    const u32 n = (u32)(s->b->len - from);
    for (u32 i = 0; i < 4 && !s->b->failed; i++)
        s->b->data[from - 4 + i] = (u8)(n >> 8 * i);
}

/* --- lines ------------------------------------------------------------------------------ */

void dwarf_put_line_header(DwarfOut *s, const char *const *file, size_t nfile)
{
    static const u8 operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    dwarf_put(s, DWARF_VERSION, 2);
    const size_t from = dwarf_begin(s);
    dwarf_put(s, WORD_BYTES, 1); /* minimum_instruction_length */
    dwarf_put(s, 1, 1);          /* maximum_operations_per_instruction */
    dwarf_put(s, 1, 1);          /* default_is_stmt */
    dwarf_put(s, 1, 1);          /* line_base and line_range, not used here */
    dwarf_put(s, 1, 1);
    dwarf_put(s, (u32)countof(operands) + 1, 1); /* opcode_base */
    buf_put(s->b, operands, sizeof operands);
    dwarf_put(s, 0, 1); /* no directories */
    for (size_t i = 0; i < nfile; i++) {
        dwarf_put_string(s, file[i]);
        dwarf_put(s, 0, 3);
    }
    dwarf_put(s, 0, 1);
    dwarf_end(s, from);
}

DwarfRow dwarf_begin_rows(DwarfOut *s, u32 symbol, u32 offset)
{
    dwarf_put(s, 0, 1);
    dwarf_put_uleb(s, 5);
    dwarf_put(s, DW_LNE_set_address, 1);
    dwarf_put_address(s, symbol, offset);
    return (DwarfRow){.file = 1, .line = 1};
}

void dwarf_put_row(DwarfOut *s, DwarfRow *now, const DwarfRow *next)
{
    if (next->at != now->at) {
        dwarf_put(s, DW_LNS_advance_pc, 1);
        dwarf_put_uleb(s, (next->at - now->at) / WORD_BYTES);
    }
    if (next->file != now->file) {
        dwarf_put(s, DW_LNS_set_file, 1);
        dwarf_put_uleb(s, next->file);
    }
    if (next->column != now->column) {
        dwarf_put(s, DW_LNS_set_column, 1);
        dwarf_put_uleb(s, next->column);
    }
    if (next->line != now->line) {
        dwarf_put(s, DW_LNS_advance_line, 1);
        dwarf_put_sleb(s, (i64)next->line - now->line);
    }
    if (next->isa != now->isa) {
        dwarf_put(s, DW_LNS_set_isa, 1);
        dwarf_put_uleb(s, next->isa);
    }
    dwarf_put(s, DW_LNS_copy, 1);
    *now = *next;
}

void dwarf_end_rows(DwarfOut *s, const DwarfRow *now, u32 size)
{
    dwarf_put(s, DW_LNS_advance_pc, 1);
    dwarf_put_uleb(s, (size - now->at) / WORD_BYTES);
    dwarf_put(s, 0, 1);
    dwarf_put_uleb(s, 1);
    dwarf_put(s, DW_LNE_end_sequence, 1);
}

size_t dwarf_begin_ranges(DwarfOut *s, u32 info_symbol)
{
    const size_t from = dwarf_begin(s);
    dwarf_put(s, 2, 2); /* the version of this section */
    dwarf_put_address(s, info_symbol, 0);
    dwarf_put(s, 4, 1); /* bytes of an address */
    dwarf_put(s, 0, 1);
    dwarf_put(s, 0, 4); /* pairs begin at a multiple of their size */
    return from;
}
