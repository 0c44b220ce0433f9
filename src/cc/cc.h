/* cc.h -- a module of the intermediate representation to an object.
 *
 * cc_compile() is the list of passes; each is one file:
 *
 *   fold.c     constants, algebra (simplify.c, divide.c, address.c),
 *              equal computations (gvn.c), dead code (dce.c)               generic
 *   strength.c addresses in loops become counters; folded again            generic
 *   uniform.c  what is the same for the warp; which branches part lanes    generic, banks
 *   countertest.c which counter ends a loop                                generic, banks
 *   select.c   rows of isa.def                                             selected
 *   sched.c    order within a block                                        selected
 *   out.c      phis and tied operands become moves                         linear
 *   coalesce.c fewer of them                                               linear
 *   alloc.c    values to registers (interval.c, spill.c, callgraph.c)      allocated
 *   verify.c   the independent check of the allocation                     allocated
 *   frame.c    stacks, prologue and epilogue                               allocated
 *   tidy.c     peepholes                                                   allocated
 *   encode.c   code.h: block order, branches, bytes, records, lines        object
 *
 * There are no globals: any number of compilations run at once.
 */
#ifndef CC_CC_H
#define CC_CC_H
#include "cc/ir.h"
#include "obj/obj.h"

typedef struct CcOptions {
    int level;              /* 0: nothing that only makes code better */
    const char *off;        /* passes turned off, names separated by commas, or NULL:
                             * fold strength sched tidy coalesce verify (and others that cc.c lists) */
    const char *dump;       /* letters of dump.def, optionally ":function"; NULL: none */
    Buf *dump_to;           /* receives the views */
    bool lines;             /* line table in the object */
    u32 lds_limit;          /* bytes of local memory that a group may have; 0: 128 KiB */
    Buf *assembly;          /* receives the program as assembly that `ventus as` reads; or NULL */
    u32 seed;               /* not 0: registers are chosen at random (a test of the allocator) */
    u32 max_x, max_v;       /* not 0: registers to use of each bank, to force spills (the same) */
} CcOptions;

/* NULL: d says why (local memory too large, memory out, a mistake of the compiler).  The object is the
 * caller's; m is used up. */
Object *cc_compile(Module *m, const CcOptions *opt, Diag *d);

/* Whether CcOptions.off may name this pass: code is right without it. */
bool cc_is_optional(const char *name);

/* --- the passes, in their order; opt may be NULL where it is not used ---------------------------- */

void fold(Func *f);              /* generic; needs graph_build, keeps it up to date */
void strength(Func *f);          /* generic; needs graph_build; leaves dead code for fold() */
void uniform(Func *f);           /* needs graph_build; sets banks, Term.divergent and rpc, Block.join,
                                  * Block.other, Loop.divergent; adds copies for values that leave a
                                  * divergent loop */
void test_counters(Func *f);     /* generic; needs banks */
void select_rows(Func *f);       /* needs banks; leaves SSA with phis */
void schedule(Func *f);
void leave_ssa(Func *f);         /* splits critical edges that need moves, removes phis and tied operands */
void coalesce(Func *f);          /* linear; unites values, which removes moves; optional */
bool allocate(Func *f, const CcOptions *opt, Diag *d);
/* A deep copy of blocks and values, in the arena of the same module; NULL when memory is out. */
Func *verify_copy(const Func *f);
/* True: every use reads the value that the program before allocation read.  `before` is a copy
 * made behind leave_ssa(), before coalesce(); or memory is out, which the module then says. */
bool verify(const Func *before, const Func *after, Buf *why);
void frame(Func *f);
void tidy(Func *f);
void emit(Module *m, const CcOptions *opt, Object *o, Diag *d);

/* --- who calls whom (callgraph.c) ------------------------------------------------------------------ */

/* The function of the module that *i calls; NULL: it calls none, or one that is not known here. */
Func *call_target(const Module *m, const Ins *i);
/* Indices of all functions, callees before callers; sets Func.callers.  The arena's; NULL when memory is out. */
u32 *call_order(Module *m);
/* Sets scalar_room and stack_scalar; callees of f must have their frames. */
void share_scalar_stack(Func *f);

/* --- liveness (live.c), of selected and linear code ------------------------------------------------ */

/* Bit v of in[b]: value v is alive at the start of block b.  A value of bank X that is alive into
 * one side of a divergent branch is alive in all of the other side. */
typedef struct {
    size_t words;           /* u64 words a set */
    u64 *in, *out;          /* nblock sets each */
} Live;
bool live(const Func *f, Live *l); /* false: memory is out */
void live_free(Live *l);
static inline bool live_in(const Live *l, u32 b, u32 v) { return l->in[b * l->words + v / 64] >> v % 64 & 1; }
static inline bool live_out(const Live *l, u32 b, u32 v) { return l->out[b * l->words + v / 64] >> v % 64 & 1; }
#endif
