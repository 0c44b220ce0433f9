/* internal.h -- what the files of link/ share.
 *
 * A Link is one job.  Sections of the input objects are Parts; parts with the same
 * name make an Out, a section of the image.  Nothing of the inputs is changed: where
 * alignment takes bytes out of a part (align.c), its Cuts translate offsets.
 */
#ifndef LINK_INTERNAL_H
#define LINK_INTERNAL_H
#include "link/link.h"
#include "obj/reloc.h"
#include "obj/resource.h"

/* Bytes taken out of a part. */
typedef struct {
    u32 at, len;            /* offset in the input section */
    u32 before;             /* bytes taken out before this cut */
} Cut;

/* A section of an input object. */
typedef struct {
    bool live;              /* goes into the image */
    bool placed;
    i32 out;                /* index in Link.outs */
    u32 offset;             /* byte in the output section */
    u32 align;
    Cut *cuts;              /* ascending */
    size_t ncuts, capcuts;
} Part;

#define NO_GLOBAL UINT32_MAX

/* An input object. */
typedef struct {
    const Object *o;
    Source src;             /* its name, in messages */
    Part *parts;            /* one for each section */
    u32 *global;            /* for each symbol: index in Link.globals, NO_GLOBAL when local */
    bool *told;             /* for each symbol: noted as missing */
} Input;

/* How a global symbol is defined; of two definitions the one later in this list wins. */
typedef enum { DEF_NONE, DEF_LINKER, DEF_WEAK, DEF_COMMON, DEF_STRONG } Definition;

/* A global symbol: its name and its definition. */
typedef struct {
    const char *name;
    Definition how;
    u32 input, symbol;      /* the definition; of DEF_NONE a reference */
    u32 row;                /* DEF_LINKER: index in linker_symbols */
    u32 offset, size, align; /* DEF_COMMON: place among the commons */
} Global;

/* Places in the order of the image's sections (layout.c). */
typedef enum {
    RANK_TEXT, RANK_CODE,
    RANK_TOHOST,
    RANK_RODATA, RANK_CONST, RANK_EH_FRAME,
    RANK_DATA, RANK_VAR, RANK_SDATA, RANK_SBSS, RANK_BSS, RANK_ZERO,
    RANK_FILE /* not loaded */
} Rank;

/* A section of the image in the making. */
typedef struct {
    const char *name;
    Rank rank;
    u32 type, flags, align;
    u64 size;
    u32 addr;
} Out;

/* A relocation with a name that nothing defines. */
typedef struct {
    u32 input;
    const ObjSection *section; /* of the input */
    u32 symbol, offset;     /* offset in the section */
    u32 pc;                 /* the place in the image */
} Missing;

/* A link in progress. */
typedef struct {
    const LinkOptions *opt;
    Diag *d;
    Source src;             /* the image, in messages */
    Input *in;
    size_t n;
    Global *globals;
    size_t nglobals, capglobals;
    u32 *hash;              /* of names: index in globals + 1, 0: free */
    size_t hashsize;        /* a power of two */
    u64 commons;            /* bytes of common symbols, at commons_at of .bss */
    u32 commons_align, commons_at;
    Out *outs;              /* in the image's order */
    size_t nouts, capouts;
    Missing *missing;       /* one for each name of an input */
    size_t nmissing, capmissing;
    Object *image;          /* its section i is outs[i] */
} Link;

/* Every step returns false when the link cannot go on; d has the reason. */
bool link_resolve(Link *l);          /* symbols.c: fills globals */
bool link_gc(Link *l);               /* gc.c: marks what is not needed as not live */
bool link_profile(Link *l);          /* profile.c: the instruction set of the image, of what is live */
bool link_align(Link *l);            /* align.c: fills cuts */
bool link_layout(Link *l);           /* layout.c: fills outs and the image's sections */
bool link_relocate(Link *l);         /* relocate.c: needs layout, changes the contents */
bool link_segments(Link *l);         /* layout.c: needs relocated contents */
bool link_records(Link *l);          /* records.c: adds the resource records */
bool link_symtab(Link *l);           /* symbols.c: adds the image's symbols and entry */

bool link_no_memory(Link *l); /* reports, and is false */

/* --- symbols.c ----------------------------------------------------------- */

/* A symbol that the linker defines unless an object does. */
typedef struct {
    const char *name, *out; /* the output section it is in */
    bool always;            /* not only when somebody asks for it */
    bool end;               /* counted from the section's end */
    u32 past;               /* bytes */
    u32 room;               /* bytes that there must be in the section, from there */
} LinkerSymbol;

extern const LinkerSymbol linker_symbols[];
extern const size_t linker_nsymbols;

Global *link_find(const Link *l, const char *name); /* NULL: no object mentions it */

/* A symbol of an input, or (gc.c) a section of one. */
typedef struct { u32 input, symbol; } SymbolRef;
/* Where a symbol is defined; false when that is not a section of an input. */
bool link_definition(const Link *l, SymbolRef from, SymbolRef *def);

/* Whether a symbol has an address; DROPPED: its section was left out. */
typedef enum { ADDRESS_OK, ADDRESS_UNDEFINED, ADDRESS_DROPPED } AddressState;
/* The address of a symbol plus addend.  Undefined weak symbols are at 0. */
AddressState link_address(const Link *l, SymbolRef from, i32 addend, u32 *addr);

/* --- missing.c ----------------------------------------------------------- */

/* Keeps m to be reported, unless the input's symbol has been. */
void link_note_missing(Link *l, const Missing *m);
/* Reports what was noted; needs the image's relocated line table. */
void link_tell_missing(Link *l);
/* The last named place of the section at or before the offset; "" if there is none. */
const char *link_function_at(const Object *o, const ObjSection *section, u32 offset);

/* --- layout.c, align.c --------------------------------------------------- */

/* The index of the image's section `name`, one of those that have a place of their own in layout.c,
 * as ".sdata"; sections of that name with other flags do not count.  -1: the image has none.  It
 * has the sections of all symbols that the linker defines, and .bss if there are commons. */
i32 link_find_out(const Link *l, const char *name);
u32 link_part_address(const Link *l, const Part *p);
u32 cut_offset(const Part *p, u32 offset); /* of a byte of the input section */
#endif
