/* select.h -- what the files of instruction selection share.
 *
 * select.c       walks the blocks; terminators, phis, calls, where-am-I; dead rows
 * select_alu.c   arithmetic, comparisons, choices
 * select_mem.c   memory, atomics, barriers
 * select_share.c constants, addresses and broadcasts, one of each in a function
 *
 * The generic code stays intact while rows are made from it: a row may look at the definitions of
 * its operands and take their operands instead.  Rows that nothing uses are removed at the end.
 */
#ifndef CC_SELECT_H
#define CC_SELECT_H
#include "cc/ir.h"

#define I_none ((InsnId)NINSN) /* no row */

/* A value that many rows read, and that select_share.c places. */
typedef struct {
    Ref what;               /* R_CON, R_SYM, R_SLOT; R_VAL: a scalar in bank V */
    Ref from;               /* of bank V: the scalar to be copied, or what */
    u32 value, next;        /* next: of the same hash, 1 + index */
    u32 block;              /* nearest common dominator of the uses */
    u8 bank;
    bool used, done;        /* select_share.c: some row that stays reads it; it has been inserted */
} Shared;

enum { SHARED_HASH = 1024 };

/* The selection of one function. */
typedef struct {
    Func *f;
    const Target *target;
    u32 b;                  /* block being selected */
    u32 loc;                /* of the instruction being selected */
    Ins *out;               /* rows of the block */
    size_t nout, capout;
    /* of the values of generic code, of which there are nold */
    const Ins **def;        /* NULL: a phi */
    u32 *uses, *words;      /* how often it is read; as the address of words, without an offset */
    Ref *alias;             /* what stands for the value, or R_NONE */
    u32 nold;
    u32 *home;              /* of all values: the block that defines it */
    size_t nhome, caphome;
    Shared *shared;
    size_t nshared, capshared;
    u32 hash[SHARED_HASH];  /* 1 + index of a Shared */
    Ins *ret;               /* pieces of the results, written last */
    size_t nret, capret;
    u32 argbase, knlbase;   /* what a kernel finds in registers: values, or 0 */
} Select;

/* --- operands (select.c) ------------------------------------------------------------ */

/* r, or what selection has put in its place. */
Ref sel_ref(const Select *s, Ref r);
static inline bool sel_is_v(const Select *s, Ref r)
{
    return r.kind == R_VAL && s->f->value[r.val].bank == BANK_V;
}
/* The instruction that defines r, if its operation is `op` (NIR: any) and its operands may be read
 * where selection is now; or NULL. */
const Ins *sel_def(const Select *s, Ref r, IrOp op);
/* The same, if r is used once, so that its definition goes when a row absorbs it. */
const Ins *sel_only_def(const Select *s, Ref r, IrOp op);
bool sel_used_once(const Select *s, Ref r);
/* Whether constant c can be the immediate of a row. */
bool sel_fits(InsnId row, u32 c);

/* --- rows (select.c) ------------------------------------------------------------------ */

/* Appends a row to the block. */
void sel_put(Select *s, const Ins *i);
/* A new value in `bank`, or dst if that is not 0. */
u32 sel_value(Select *s, u32 dst, Bank bank);
/* Appends a row that writes dst, or a new value; a rounding mode is dynamic. */
Ref sel_row(Select *s, u32 dst, InsnId row, Ref a, Ref b, Ref c);

/* --- operands in registers (select_share.c) ---------------------------------------------- */

Ref sel_x(Select *s, Ref r); /* a scalar register, x0 for zero */
Ref sel_v(Select *s, Ref r);
Ref sel_shared(Select *s, Ref r); /* a constant, address or scalar register as a scalar value */
void sel_place_shared(Select *s);

/* --- operations --------------------------------------------------------------------------- */

/* Any two-operand operation on integers or floats; dst 0: a new value, in bank V if an
 * operand is. */
Ref sel_binary(Select *s, u32 dst, IrOp op, Ref a, Ref b);
/* False: op is of another file. */
bool sel_alu(Select *s, const Ins *i);
/* Whether the operation has rows for vectors alone, so that its result is in bank V. */
bool sel_needs_vector(IrOp op);
bool sel_mem(Select *s, const Ins *i);
/* Whether i loads or stores a whole word where its address says, not private memory. */
bool sel_is_word(const Ins *i);
#endif
