/* debuginfo.h -- what the files that write .debug_info share, DWARF 4.
 *
 *   linetable.c    lines; the unit
 *   scopes.c       functions, calls that were inlined, blocks
 *   sourcetypes.c  types
 *   variables.c    variables and where they are
 *   callframes.c   the registers of callers
 */
#ifndef CC_DEBUGINFO_H
#define CC_DEBUGINFO_H
#include "cc/code.h"
#include "obj/dwarf.h"
#include "obj/dwarfout.h"

/* Shapes of entries. */
enum {
    ABBREV_UNIT = 1,
    ABBREV_FUNCTION,        /* with and without children */
    ABBREV_LEAF,
    ABBREV_FUNCTION_TYPED,  /* with a result */
    ABBREV_ABSTRACT,        /* a function that was inlined somewhere */
    ABBREV_INLINED,
    ABBREV_BLOCK,
    ABBREV_BASE_TYPE,
    ABBREV_POINTER,
    ABBREV_POINTER_VOID,
    ABBREV_TYPEDEF,
    ABBREV_STRUCT,
    ABBREV_UNION,
    ABBREV_MEMBER,
    ABBREV_ARRAY,
    ABBREV_VECTOR,
    ABBREV_COUNT,
    ABBREV_VARIABLE,        /* at one place; in changing places; nowhere */
    ABBREV_PARAMETER,
    ABBREV_VARIABLE_MOVES,
    ABBREV_PARAMETER_MOVES,
    ABBREV_VARIABLE_GONE,
    ABBREV_PARAMETER_GONE
};

/* --- types (sourcetypes.c) ----------------------------------------------------------------- */

/* Append the rows of .debug_abbrev; the types of the module.  entry[]: of each, by its number, where
 * its entry is, from the start of the section. */
void put_type_abbrevs(DwarfOut *s);
void put_types(DwarfOut *s, const Module *m, u32 *entry);
u32 source_type_size(const Module *m, u32 type); /* bytes */

/* --- variables (variables.c) --------------------------------------------------------------- */

/* What the entries of variables refer to. */
typedef struct {
    const u32 *type;        /* as entry[] of put_types() */
    u32 lists;              /* the symbol of .debug_loc */
    const u32 *list;        /* of each variable of the function: 1 + where its list is, or 0 */
} VariablePlaces;

void put_variable_abbrevs(DwarfOut *s);
/* Appends a list of places for each variable of c's function that moves, and returns
 * VariablePlaces.list, of the module's memory; NULL: out of memory.  symbol: of the function. */
u32 *put_locations(DwarfOut *s, const Code *c, u32 symbol);
void put_variable(DwarfOut *s, const Func *f, u32 variable, const VariablePlaces *at);

/* --- scopes (scopes.c) --------------------------------------------------------------------- */

/* What a function consists of, and where its words are. */
typedef struct ScopeTree ScopeTree;

void put_scope_abbrevs(DwarfOut *s);
/* Finds the scopes of a function and appends their ranges to .debug_ranges; NULL: out of memory. */
ScopeTree *put_ranges(DwarfOut *s, const Code *c, u32 symbol);
/* Appends a function, its variables and what was inlined into it.  ranges: the symbol of
 * .debug_ranges; origin[]: of each scope of the module that is a call, the entry of its function */
void put_function(DwarfOut *s, const Code *c, u32 symbol, const ScopeTree *t, u32 ranges,
                  const u32 *origin, const VariablePlaces *at);
/* Appends an entry for each function that was inlined. */
void put_abstract(DwarfOut *s, const Module *m, u32 *origin);

/* --- frames (callframes.c) ----------------------------------------------------------------- */

/* Adds .debug_frame: how the registers of callers are found.  False: out of memory. */
bool put_call_frames(const Module *m, const Code *code, const u32 *symbol, Object *o);
#endif
