/* fold.h -- what the files of folding share: one walk over a function.
 *
 * Blocks are visited in pre-order of the dominator tree; each gets a new list of
 * instructions.  Every instruction, an old one or one that a rule makes, goes through
 * fold_add(), so it is simplified, and joined with an equal one above it.
 */
#ifndef CC_FOLD_H
#define CC_FOLD_H
#include "cc/ir.h"

enum { FOLD_DEPTH = 16 };    /* rules that may wait for one another */

/* Values by what computes them (gvn.c). */
typedef struct {
    u32 *slot;              /* value numbers, 0: free */
    size_t n, cap;          /* cap is a power of two */
} ValueTable;

/* One walk over a function. */
typedef struct {
    Func *f;
    Module *scratch;        /* memory of the walk */
    u32 block;              /* being visited */
    Ins *out;               /* its new instructions */
    size_t nout, capout;
    Ins *def;               /* by value: what makes it; op IR_none: a phi, or not visited yet */
    size_t ndef, capdef;
    u32 *def_block;
    size_t ndef_block, capdef_block;
    Ref *is;                /* by value: what replaces it, or R_NONE */
    size_t nis, capis;
    ValueTable table;
    int depth;              /* of rules that make instructions */
    const bool *differs;    /* by value, of those from before the walk: lanes may have different ones (regroup.c); or NULL */
    const u8 *uses;         /* how often each of these is read */
    size_t ndiffers;
    bool changed;
} Fold;

/* Adds i, simplified, to the block, and returns its result; that may be an older value or a
 * constant instead. */
Ref fold_add(Fold *F, Ins i);
Ref fold_make(Fold *F, IrOp op, Ref a, Ref b, u32 loc);
Ref fold_select(Fold *F, Ref c, Ref a, Ref b, u32 loc);
/* r, or what has replaced it */
Ref fold_resolve(const Fold *F, Ref r);

/* Whether r is made by an operation `op`; *i is a copy of it. */
bool fold_is(const Fold *F, Ref r, IrOp op, Ins *i);
/* The same, and the second operand is a constant. */
bool fold_is_con(const Fold *F, Ref r, IrOp op, Ref *x, u32 *c);

/* The rules (simplify.c).  Returns a reference that is equal to the result of *i; or R_NONE, after
 * it may have changed *i into another instruction with the same result. */
Ref simplify(Fold *F, Ins *i);
void simplify_branch(Fold *F, Term *t);
/* Moves constants from the address of a load or store into its offset (address.c). */
void simplify_address(Fold *F, Ins *i);
/* Adds up in the address of a load or store what is one for the warp, where F->differs tells and that is less work (regroup.c). */
void regroup_address(Fold *F, Ins *i);
/* A walk that does that alone, with what is known of the first ndiffers values. */
void fold_regroup(Func *f, const bool *differs, const u8 *uses, size_t ndiffers);
/* The result of division or remainder *i by the constant d, or R_NONE (divide.c). */
Ref divide_by(Fold *F, const Ins *i, u32 d);

/* The result of operations on constants, exactly what the machine computes (evaluate.c);
 * false: it is not known. */
bool evaluate(const Ins *i, u32 *result);

/* Bits of r that are 0 in every lane, as far as its definition tells (bits.c). */
u32 bits_zero(const Fold *F, Ref r);
static inline bool bits_bool(const Fold *F, Ref r) { return (bits_zero(F, r) | 1) == UINT32_MAX; }

/* An older value that is equal to *i and known where the walk is, or 0 (gvn.c). */
u32 gvn_find(Fold *F, const Ins *i);
void gvn_add(Fold *F, const Ins *i);

/* Removes what has no effect, and numbers values without holes (dce.c). */
void remove_dead(Func *f);
#endif
