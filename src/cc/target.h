/* target.h -- what the compiler knows of the machine that it makes code for: a Target belongs to
 * every module, and passes ask it.
 *
 * Registers are numbered as in R_REG: 0..63 x, 64..319 v.  Their roles are the REG rows of abi.def
 * (doc/abi.md, "Registers"), the same for every target; frame.c and encode.c use the reserved ones.
 */
#ifndef CC_TARGET_H
#define CC_TARGET_H
#include "isa/abi.h"
#include "isa/isa.h"

enum { NXREG = 64, NVREG = 256, NREG = NXREG + NVREG, V0 = NXREG };
static inline bool reg_is_vector(u32 r) { return r >= V0; }

/* Whether register r has a role everywhere, so that no value is put there; whether calls keep
 * it. */
static inline bool reg_is_reserved(u32 r)
{
    enum { x = 0, v = V0 };
    return false
#define REG(role, file, first, last, kept, reserved, what) || (reserved && r - (u32)(file + first) <= (u32)(last - first))
#include "isa/abi.def"
        ;
}
static inline bool reg_is_kept(u32 r)
{
    enum { x = 0, v = V0 };
    return false
#define REG(role, file, first, last, kept, reserved, what) || ((kept || reserved) && r - (u32)(file + first) <= (u32)(last - first))
#include "isa/abi.def"
        ;
}

/* The rows for each width of an access: b and h sign-extend, a store has them twice. */
typedef struct { InsnId b, bu, h, hu, w; } WidthRows;
typedef struct { WidthRows load, store; } AccessRows;

/* A machine to make code for. */
typedef struct {
    const char *name;       /* of the profile */
    IsaSet set;
    u32 pointer_bytes;
    AccessRows scalar;      /* x registers, any memory but private */
    AccessRows vector;      /* v registers, global and constant memory, or it is not known which */
    AccessRows local;       /* v registers, local memory */
    AccessRows private_;    /* v registers, private memory */
    InsnId load_indexed, store_indexed; /* words at the sum of an x and a v register, any memory but
                                         * private */
    InsnId prefix;          /* goes before an instruction that names a register from `plain` on */
    u32 plain;
    u32 ra, sp, gp, tp;
    u32 scratch;            /* x: within what one operation becomes; holds the address for setrpc */
    u32 arguments, metadata; /* x: the argument and the metadata block, where a kernel begins */
    u32 local_base;         /* x: static __local data */
    u32 temporary;          /* x: free where any function begins */
    u32 frame;              /* v: base of the private frame, in functions that have one */
    u32 piece, pieces;      /* v: first register of arguments and results, and how many there are */
} Target;

/* The target whose rows `set` has; 0: the usual one.  NULL: there is none. */
const Target *target_find(IsaSet set);

/* Whether an instruction that names register r of its file needs a prefix. */
static inline bool target_prefixes(const Target *t, u32 r)
{
    return (reg_is_vector(r) ? r - V0 : r) >= t->plain;
}
#endif
