/* dwarfout.h -- writes sections of DWARF 4: numbers, line programs, ranges of addresses (sections
 * 6.1, 6.2 and 7.5 of that standard).
 *
 * What fails, which is only memory, is noted in DwarfOut; dwarf_close() tells.
 */
#ifndef OBJ_DWARFOUT_H
#define OBJ_DWARFOUT_H
#include "obj/obj.h"

enum { DWARF_VERSION = 4 };

/* A debug section being written.  Nothing else may be added to the object's list of sections
 * before dwarf_close(). */
typedef struct {
    Object *o;
    i32 section;
    Buf *b;
    bool failed;
} DwarfOut;

/* Adds a section of that name to the object. */
DwarfOut dwarf_open(Object *o, const char *name);
/* false: memory ran out on the way */
bool dwarf_close(DwarfOut *s);
/* A symbol for the start of a section, by which other sections refer to it; -1: there is none. */
i32 dwarf_section_symbol(Object *o, const char *name);

/* The low `bytes` (1 to 4) of v. */
void dwarf_put(DwarfOut *s, u32 v, u32 bytes);
void dwarf_put_string(DwarfOut *s, const char *text);
void dwarf_put_uleb(DwarfOut *s, u32 v);
void dwarf_put_sleb(DwarfOut *s, i64 v);
/* The address of a symbol plus offset, by a relocation. */
void dwarf_put_address(DwarfOut *s, u32 symbol, u32 offset);
/* A length of four bytes that counts what follows until dwarf_end(), which gets the result. */
size_t dwarf_begin(DwarfOut *s);
void dwarf_end(DwarfOut *s, size_t from);

/* The header of a line program, up to its first row; files count from 1 in rows. */
void dwarf_put_line_header(DwarfOut *s, const char *const *file, size_t nfile);

/* A row of a line program: from byte `at` on, counted from the start of the sequence, words come
 * from this place. */
typedef struct {
    u32 at, file, line, column;
    u32 isa;                /* what an access is for (obj/lines.h) */
} DwarfRow;

/* A sequence of rows from the address of symbol plus offset; returns the state of the line program
 * there, which dwarf_put_row() takes on. */
DwarfRow dwarf_begin_rows(DwarfOut *s, u32 symbol, u32 offset);
void dwarf_put_row(DwarfOut *s, DwarfRow *now, const DwarfRow *next);
/* size: bytes from the start of the sequence to its end */
void dwarf_end_rows(DwarfOut *s, const DwarfRow *now, u32 size);

/* The start of .debug_aranges for the only unit of .debug_info; pairs of dwarf_put_address() and a
 * size of four bytes follow, the last one zeros, then dwarf_end(). */
size_t dwarf_begin_ranges(DwarfOut *s, u32 info_symbol);
#endif
