/* obj.h -- ELF32 RISC-V objects and images in memory.
 *
 * An Object is what the assembler makes, the linker reads and writes, and the
 * device loads: sections with bytes and relocations, symbols, and (of images)
 * segments.  obj_read() takes any bytes: every offset, size, index and string of
 * a foreign file is checked before it is used, and what is wrong is reported
 * with the file's name.
 *
 * Files of every generation of the public tools are read (doc/abi.md, "ELF").
 */
#ifndef OBJ_OBJ_H
#define OBJ_OBJ_H
#include "base/diag.h"
#include "isa/isa.h"

/* Values of symbol.section that are not indices. */
enum { OBJ_UNDEF = -1, OBJ_ABS = -2, OBJ_COMMON = -3 };

/* A section flag, SHF_GNU_RETAIN, which not every <elf.h> has: linkers keep the section. */
enum { OBJ_RETAIN = 0x200000 };

/* The symbol of a relocation that has none (ALIGN, RELAX). */
#define OBJ_NO_SYMBOL UINT32_MAX

/* A relocation of a section, as reloc.def describes it. */
typedef struct {
    u32 offset;             /* byte in the section */
    u32 type;               /* R_RISCV_* of <elf.h> */
    u32 symbol;             /* index in Object.symbols, or OBJ_NO_SYMBOL */
    i32 addend;
} ObjReloc;

/* A section of an object or image. */
typedef struct {
    char *name;
    u32 type;               /* SHT_* */
    u32 flags;              /* SHF_* */
    u32 align;              /* bytes, a power of two, at least 1 */
    u32 addr;               /* in images */
    u32 size;               /* bytes; data.len is the same, or 0 for SHT_NOBITS */
    Buf data;
    ObjReloc *relocs;       /* by ascending offset */
    size_t nrelocs, caprelocs;
} ObjSection;

/* A symbol: a place in a section, a number, or a name that another file defines. */
typedef struct {
    char *name;             /* "" for section symbols */
    i32 section;            /* index in Object.sections, or OBJ_* */
    u32 value;              /* offset in the section, not always inside it; address in
                             * images; alignment if common */
    u32 size;
    u8 bind, type;          /* STB_*, STT_* */
} ObjSymbol;

/* The text of a source file, for reports; files of objects do not have it. */
typedef struct { char *name, *text; } ObjSource;

/* A PT_LOAD of an image. */
typedef struct {
    u32 addr, memsz;        /* bytes */
    u32 flags;              /* PF_* */
    Buf data;               /* the first data.len <= memsz bytes; the rest is zero */
} ObjSegment;

/* An object or image. */
typedef struct {
    char *name;             /* of the file, for messages */
    bool is_image;          /* ET_EXEC */
    IsaSet set;             /* profile and overlays (e_flags); V202 when unmarked */
    u32 entry;
    ObjSection *sections;
    size_t nsections, capsections;
    ObjSymbol *symbols;
    size_t nsymbols, capsymbols;
    ObjSegment *segments;   /* by ascending address, none overlaps another */
    size_t nsegments, capsegments;
    ObjSource *sources;     /* that whoever made or loaded it knows */
    size_t nsources, capsources;
} Object;

/* e_flags bits of our marking; the low bits are RISC-V's and must be zero here. */
enum { EF_VENTUS_V2025 = 0x01000000, EF_VENTUS_AI = 0x02000000, EF_VENTUS_TIDX = 0x04000000 };

/* An empty object; NULL when out of memory. */
Object *obj_new(const char *name);
void obj_free(Object *o); /* NULL is allowed */

/* False: not a usable ELF32 RISC-V file; the reason is in d.  The bytes are
 * copied; what is kept is bounded by a small multiple of len.  The tables that make
 * up the model (symbols, names, relocations) are not among the sections; the
 * relocations of an image are ignored.  *o is the caller's to free, NULL on failure. */
bool obj_read(const char *name, const void *bytes, size_t len, Diag *d, Object **o);
/* Appends the ELF file of o to out, with local symbols before the others.  False: d says why. */
bool obj_write(const Object *o, Buf *out, Diag *d);

/* Index of what was added; -1 when out of memory. */
i32 obj_add_section(Object *o, const char *name, u32 type, u32 flags, u32 align);
i32 obj_add_symbol(Object *o, const char *name, i32 section, u32 value, u8 bind, u8 type);
bool obj_add_reloc(Object *o, i32 section, ObjReloc r);

/* Keeps a copy of the text of a source file under the name that line tables have for it. */
bool obj_add_source(Object *o, const char *name, const char *text, size_t len);
/* Line `line`, from 1, of a source, without its end; its bytes in *len.  NULL: it is not known. */
const char *obj_source_line(const Object *o, const char *name, u32 line, size_t *len);

/* Index, or -1 when there is none.  A symbol is found by name: global ones first,
 * undefined ones last. */
i32 obj_find_section(const Object *o, const char *name);
i32 obj_find_symbol(const Object *o, const char *name);

/* The function or label at or before addr in section `section` (of an image also -1: in any);
 * *past: bytes from there to addr.  NULL: there is none. */
const char *obj_symbol_at(const Object *o, i32 section, u32 addr, u64 *past);

/* Name of R_RISCV_* `type` without the prefix, or NULL. */
const char *obj_reloc_name(u32 type);
#endif
