/* code.h -- a function as a list of words, between blocks and bytes; what the files that
 * emit share.
 *
 *   blockorder.c  which block comes where
 *   rpc.c         where the reconvergence pc must be set
 *   expand.c      instructions and terminators to words
 *   rpcbase.c     one base address for all of them
 *   branch.c      branches that reach, distances
 *   asmtext.c     words as assembly
 *   debuginfo.h   line table, scopes, types and variables
 *   needs.c       resource records
 *   encode.c      sections, symbols, bytes and relocations
 *
 * All memory is the module's.  When it runs out, Module.failed says so, and lists are incomplete.
 */
#ifndef CC_CODE_H
#define CC_CODE_H
#include "cc/cc.h"
#include "obj/resource.h"

#define NO_BLOCK UINT32_MAX

/* What the linker or branch.c puts into an operand. */
typedef enum {
    FIX_NONE,
    FIX_LABEL,              /* no word: block `to` starts here */
    FIX_NOTE,               /* no word: Func.note[to] holds from here on */
    FIX_BLOCK,              /* the distance to block `to`, of a branch or jal */
    FIX_BLOCK_HI,           /* of an auipc: the upper part of the distance to block `to` */
    FIX_BLOCK_LO,           /* the lower part; the auipc is the word before */
    FIX_BLOCK_FROM_START,   /* the distance from the start of the function to block `to` */
    FIX_HI, FIX_LO,         /* the address of symbol `to` + off, by lui and what follows */
    FIX_CALL                /* the distance to symbol `to`, by this auipc and the jalr after it */
} FixKind;

/* One instruction of the code to be, or a label. */
typedef struct {
    Insn in;                /* register operands are whole numbers: 0..63, 0..255 */
    u8 fix;                 /* FixKind */
    u8 form;                /* branch.c: how far it reaches */
    u32 to;
    i32 off;
    u32 loc;                /* Module.locs */
    u32 at;                 /* branch.c: byte from the start of the function, of its prefix if any */
} Word;

/* The code of a function. */
typedef struct {
    const Func *f;
    Word *word;
    size_t n, cap;
    u32 *start;             /* branch.c: offset of each block */
    u32 size;               /* branch.c: bytes */
} Code;

static inline bool word_is_none(const Word *w) { return w->fix == FIX_LABEL || w->fix == FIX_NOTE; }

/* The order of the Func.nrpo reachable blocks: the blocks of a loop stay together, with the test at
 * the end where that is easy; the exit is last.  NULL: out of memory. */
u32 *block_order(const Func *f);

/* at[b]: the block whose address the end of block b must put into rpc, before its branch;
 * or NO_BLOCK.  NULL: out of memory. */
u32 *rpc_points(const Func *f);

/* Fills c with the words of its function, in the order of block_order().  Needs frame(). */
void expand(Code *c);

/* Lets setrpc start from the address of the function, taken once, instead of one auipc for each
 * join, where that saves instructions.  Needs sizes (branch.c). */
void share_rpc_base(Code *c);

/* Makes every branch reach and fills offsets, distances and sizes. */
void relax(Code *c);

/* The prefix of the word as the twelve bits of Target.prefix; 0: it needs none. */
u32 word_prefix(const Word *w);
/* Index in opd[] of the operand that the fix is about. */
int word_fixed_operand(const Code *c, const Word *w);

/* r[i]: resources of function i of Module.func, callees included; code[i] is its code.  Reports
 * recursion and needs that are too large.  False: nothing can be emitted. */
bool needs(const Module *m, const Code *code, const CcOptions *opt, Resource *r, Diag *d);

/* The section of a data object, whose name is prefix and symbol. */
typedef struct {
    const char *prefix;
    bool zeros;             /* no bytes in the file */
} DataPlace;
DataPlace data_place(const Data *d);

/* Appends the assembly of a function, of a data object.  r: resources of a kernel, else NULL. */
void asm_function(Buf *out, const Code *c, const Resource *r);
void asm_data(Buf *out, const Module *m, const Data *d);

/* Adds the line table to o, with as much other debug data as its readers want.  symbol[i]: the
 * index in the object of symbol i of the module.  False: out of memory. */
bool lines(Module *m, const Code *code, const u32 *symbol, Object *o);
#endif
