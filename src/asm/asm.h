/* asm.h -- assembly text to object, and object to listing.
 *
 * The syntax is that of the public LLVM for Ventus, which is that of GNU as for
 * RISC-V with the vector and custom instructions of isa.def (doc/asm.md).
 */
#ifndef ASM_ASM_H
#define ASM_ASM_H
#include "obj/obj.h"

/* How asm_text() reads a text; all zero: by default. */
typedef struct {
    IsaSet set;             /* profile and overlays the text may use; 0: V202.  The text
                               may choose another one (.ventus_isa), see Object.set */
    const char *const *include; /* directories searched by .include, then NULL; may be NULL */
    bool no_relax;          /* out-of-range branches are errors instead of longer code */
    bool no_prefix;         /* registers above 31 need a written prefix */
    bool lines;             /* debug sections say which line each instruction came from, unless
                               the text brings such sections itself */
    Buf *listing;           /* if not NULL: address, words and source of every line */
} AsmOptions;

/* Assembles one text, in which lines of listings may stand.  The object has resource records of its
 * kernels (doc/asm.md, "Kernels") and is the caller's to free; d may have warnings.  NULL: d has
 * the errors, one for each bad line, or says that memory ran out.  The text need not outlive the
 * call. */
Object *asm_text(const char *name, const char *text, const AsmOptions *opt, Diag *d);

/* What asm_list() prints; all zero: the executable sections with addresses. */
typedef struct {
    bool all_sections;      /* not only executable ones */
    bool resolve_ext;       /* print the registers a prefix leads to */
    bool csr_names;         /* Ventus CSRs by name, not by number */
    bool no_addresses;      /* plain assembly, without address and word columns */
    const char *section, *symbol; /* only this section, only this function; NULL: all */
    /* With addresses, appends lines before the instruction at addr; NULL: none. */
    void (*before)(void *self, u32 addr, Buf *to);
    void *self;
} ListOptions;

/* Appends the listing of an object's code.  Lines look like
 *     80000144: 00009e5b      vbne v0, v1, 0x80000160 <.LBB0_6>
 * and asm_text() takes any such listing back: it gives the same words and relocations.
 * When memory runs out, out->failed says so. */
void asm_list(const Object *o, const ListOptions *opt, Buf *out);
#endif
