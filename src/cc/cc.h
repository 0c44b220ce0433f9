/* cc.h -- a module of the intermediate representation to an object.
 *
 * cc_compile() runs the passes of passes.def, which are files of their own, on each function.
 * Besides them:
 *
 *   target.c      what code is made for
 *   graph.c       blocks, dominators, loops
 *   simplify.c, divide.c, address.c, gvn.c, dce.c, evaluate.c, bits.c   parts of fold.c
 *   interval.c, spill.c, live.c, callgraph.c                            parts of alloc.c
 *   encode.c      code.h: block order, branches, bytes, records, lines
 *
 * There are no globals: any number of compilations run at once.
 */
#ifndef CC_CC_H
#define CC_CC_H
#include "cc/ir.h"
#include "obj/obj.h"

/* How cc_compile() works; all zero: without optimisation, and no views. */
struct CcOptions {
    int level;              /* 0: nothing that only makes code better */
    const char *off;        /* passes turned off, names of passes.def separated by commas, or NULL */
    const char *dump;       /* letters of passes.def, optionally ":function"; NULL: none */
    Buf *dump_to;           /* receives the views */
    bool lines;             /* line table in the object */
    u32 lds_limit;          /* bytes of local memory that a group may have; 0: ABI_LOCAL_BYTES */
    Buf *assembly;          /* receives the program as assembly that `ventus as` reads; or NULL */
    u32 seed;               /* not 0: registers are chosen at random (a test of the allocator) */
    u32 max_x, max_v;       /* not 0: registers to use of each bank, to force spills (the same) */
};

/* NULL: d says why (local memory too large, out of memory, a mistake of the compiler).  The object
 * is the caller's; m is changed and good for nothing but ir_free(). */
Object *cc_compile(Module *m, const CcOptions *opt, Diag *d);

/* The i-th pass that CcOptions.off may name, because code is right without it; NULL: there are no
 * more. */
typedef struct { const char *name, *what; } CcPass;
const CcPass *cc_optional(size_t i);
bool cc_is_optional(const char *name);
/* The i-th view that CcOptions.dump may name; NULL: there are no more. */
typedef struct { char letter; const char *what; } CcView;
const CcView *cc_view(size_t i);

/* --- the passes ------------------------------------------------------------------------------- */

#define PASS(name, function, stage, when, what) void function(Func *f);
#include "cc/passes.def"

/* --- where lanes part (uniform.c) -------------------------------------------------------------- */

/* parts[b]: lanes may part at the end of block b of a generic function, which stays as it is.  False:
 * out of memory. */
bool uniform_find(Func *f, bool *parts);
/* Whether lanes have a result of their own, whatever the operands are. */
bool uniform_never(const Ins *i);

/* --- the proof of allocation (verify.c), and the end (encode.c) -------------------------- */

/* A deep copy of blocks and values, in the arena of the same module; NULL when out of memory. */
Func *verify_copy(const Func *f);
/* Whether every use reads the value that the program before allocation read.  `before` is a copy
 * made after leave_ssa(), before coalesce().  False: `why` says where not.  Also true when memory
 * runs out, which Module.failed then says. */
bool verify(const Func *before, const Func *after, Buf *why);
/* Puts all functions and data of an allocated module into o; d says what cannot be emitted. */
void emit(Module *m, const CcOptions *opt, Object *o, Diag *d);

/* --- who calls whom (callgraph.c) -------------------------------------------------------- */

/* The function of the module that *i calls; NULL: it calls none, or one that is not known here. */
Func *call_target(const Module *m, const Ins *i);
/* Indices of all functions, callees before callers; sets Func.callers.  The arena's; NULL when out
 * of memory. */
u32 *call_order(Module *m);
/* Sets Func.scalar_room and stack_scalar; the callees of f must have their frames. */
void share_scalar_stack(Func *f);

/* --- liveness (live.c), of selected and linear code -------------------------------------- */

/* A part of a set of values: those from 64 * word on whose bits are 1. */
typedef struct {
    u32 word;
    u64 bits;               /* not 0 */
} LiveWord;
/* A set of values: its parts, in any order, are Live.pool[first] and so on. */
typedef struct { u32 first, n, cap, size; } LiveSet; /* n parts, room for cap; size values */
/* in[b]: the values that are alive at the start of block b; out[b]: at its end.  A value of bank X
 * that is alive where one side of a divergent branch starts is alive in all of the other side. */
typedef struct {
    LiveWord *pool;
    LiveSet *in, *out;      /* one for each block */
} Live;
/* Of a function without phis.  False: out of memory. */
bool live(const Func *f, Live *l);
void live_free(Live *l);
#endif
