/* variables.h -- variables and types of the source in .debug_info; the frames of callers. */
#ifndef CC_VARIABLES_H
#define CC_VARIABLES_H
#include "cc/code.h"
#include "obj/dwarf.h"
#include "obj/dwarfout.h"

/* Shapes of entries, from this number on. */
enum {
    ABBREV_BASE_TYPE = 16,
    ABBREV_POINTER,
    ABBREV_POINTER_VOID,
    ABBREV_TYPEDEF,
    ABBREV_STRUCT,
    ABBREV_UNION,
    ABBREV_MEMBER,
    ABBREV_ARRAY,
    ABBREV_VECTOR,
    ABBREV_COUNT,
    ABBREV_VARIABLE,
    ABBREV_PARAMETER
};

/* Appends the rows of .debug_abbrev for them. */
void put_variable_abbrevs(DwarfOut *s);
/* Appends the types of the module; entry[]: of each, by its number, where its entry is, from the
 * start of the section. */
void put_types(DwarfOut *s, const Module *m, u32 *entry);
/* Adds .debug_frame: how the registers of callers are found.  False: out of memory. */
bool put_call_frames(const Module *m, const Code *code, const u32 *symbol, Object *o);
/* Appends the variables of a function, whose frame is known. */
void put_variables(DwarfOut *s, const Func *f, const u32 *entry);
#endif
