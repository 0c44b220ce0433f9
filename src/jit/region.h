/* region.h -- a piece of guest code as a control-flow graph, the input of compilation.
 *
 * A region begins at one pc and holds everything that can be reached from there without an
 * unknown jump: branches, calls and their returns, the sides of divergent branches and their
 * joins, what follows a barrier.  Each block exists in up to two versions: one for warps all of
 * whose lanes are on (`full`), one for the others; a divergent branch leads from the first to
 * the second, a join back, unless a warp that begins with some lanes never has all (region_is_partial()).
 *
 * A region must be entered with vl at all lanes.  If something is on the divergence stack then
 * (`deep`), any join may pop what the region did not push, and lead anywhere; otherwise whatever a
 * join pops was pushed by the region itself.
 *
 * Nothing here knows how host code is made.
 */
#ifndef JIT_REGION_H
#define JIT_REGION_H
#include "sim/uop.h"

/* How a block ends. */
typedef enum {
    END_NEXT,     /* goes on at next_pc */
    END_JUMP,     /* jumps to target_pc; its last Uop may write the return address */
    END_BRANCH,   /* the whole warp: target_pc or next_pc */
    END_SPLIT,    /* each lane: target_pc or next_pc; they meet at the join at meet_pc */
    END_JOIN,     /* a block of this one Uop: pops the divergence stack or goes on at next_pc */
    END_INDIRECT, /* jumps to a register */
    END_BARRIER, END_EXIT,
    END_PASS,     /* a barrier of a group of one warp, which goes on at next_pc */
    END_VSET,     /* its last Uop sets vl to all lanes; goes on at next_pc */
    END_STOP,     /* its last Uop is sure to fault */
    END_LEAVE     /* its last Uop is left to the interpreter */
} BlockEnd;

/* sets of scalar and vector registers */
typedef struct { u64 x, v[4]; } RegSet;

/* What a scalar register has in every warp of a launch alike (constant.h): an expression. */
typedef enum {
    VALUE_NONE, VALUE_WORD, VALUE_CSR, VALUE_OP, VALUE_LOAD,
    VALUE_PAST              /* value a, loaded before a barrier */
} ValueKind;
typedef struct {
    ValueKind kind;
    u16 op;                 /* Op */
    u16 a, b;               /* numbers of values before this one: sources, the base of a load */
    u32 word;               /* the word, the number of the CSR, the offset of a load */
    u8 loads;               /* one after the other, to find it */
    bool is_local;          /* local memory lies there, whose words are not the same for all: no load from it is a value */
    bool is_needed;         /* by a load of the region */
} LaunchValue;

/* Functions of the device library that the host computes at once (routine.def). */
typedef enum {
#define ROUTINE(name, args, results, takes, hash) ROUTINE_##name,
#include "jit/routine.def"
    NROUTINE
} RoutineId;

/* A function that is called: all of it, and what it does where no operand and no result is special. */
typedef struct {
    RoutineId id;           /* NROUTINE: it is none of them */
    u32 pc;                 /* where it begins */
    const Uop **uop;        /* its instructions */
    u32 nuop;
    RegSet writes;          /* registers that it writes anywhere */
    u32 insns;              /* that it retires then */
    u32 join[2], njoin;     /* the joins among them */
    u32 rpc;                /* the reconvergence pc that it leaves; 0: the one before */
    u64 sets;               /* scalar registers that it writes then, a bit each, */
    u32 x[64];              /* and what it leaves in them */
} Routine;

/* A block, in one version. */
typedef struct {
    u32 pc;
    bool full;
    bool is_header;         /* a cycle of the graph leads back to it */
    bool is_reentry;        /* warps come back to it from a barrier */
    BlockEnd end;
    u32 next_pc, target_pc, meet_pc;
    const Uop **uop;        /* the instructions in order, the one that ends the block last */
    IsaFacts **facts;       /* what each does; NULL in an engine */
    u16 *constant;          /* of each, if it is a load of a launch constant: its number; else 0 */
    u16 *start;             /* what scalar registers have where the block begins, by number of a LaunchValue; 0: not known;
                             * NULL in an engine, and in blocks that nobody comes to */
    u32 nuop;
    u32 insns;              /* that they retire */
    u32 *succ;              /* blocks that may follow, a barrier's included */
    u32 nsucc;
    bool together;          /* of END_SPLIT: both sides are computed at once (sides.c) */
    u32 side_insns[2];      /* that they retire: of next_pc, of target_pc */
    u32 routine;            /* of END_JUMP: 1 + the number of the routine that it calls, which is not in the region: its
                             * results are computed, or code leaves the region for it; 0: none */
    u8 args, results;       /* registers that the routine takes and returns, from v0 on */
    bool alone;             /* one of them is nothing, the other is run without the stack */
    bool pops;              /* of END_JOIN: others meet there */
    bool is_reached;        /* by code, from some entry */
    bool leaves;            /* it may go on outside the region, at any pc */
    RegSet in;              /* registers whose values may be read from here on */
    RegSet before_end;      /* the same, just before the last Uop */
    RegSet dirty;           /* registers that may have been written since code was entered, where the block ends;
                             * the others are as the warp has them */
    RegSet own;             /* rows that lanes which are on may read from here on */
    RegSet needed;          /* rows that may be needed by lanes that are off here (waiting.c) */
    RegSet kept;            /* those of them that may be read later */
} RegionBlock;

enum { LINE_WHOLE = 2 * MAX_LANES }; /* WarpShape.line; more than any other */

/* The warps for which a region is made, where it begins. */
typedef struct {
    bool full;              /* all lanes are on */
    bool fresh;             /* they begin: a register that no block has written is 0 */
    bool deep;              /* other lanes wait on the divergence stack */
    bool alone;             /* their groups have no other, so that they wait at no barrier; of a region only if it has
                             * barriers */
    u8 line;                /* lanes whose work-items lie beside each other along x: all, if a group's first size is a
                             * multiple of them, or that size, if it is a power of two; LINE_WHOLE: the group is one
                             * line; 0: not known, or otherwise.  Of a region only if it divides rows (linear.c) */
    u32 base;               /* what t1 holds, the address that setrpc adds to; 0: not known */
} WarpShape;

/* Whether two shapes are the same. */
static inline bool shape_is(WarpShape a, WarpShape b)
{
    return a.full == b.full && a.fresh == b.fresh && a.deep == b.deep && a.alone == b.alone &&
           a.line == b.line && a.base == b.base;
}

/* A region: its blocks, and what they depend on. */
typedef struct {
    u32 pc;                 /* where it begins */
    WarpShape warp;
    u32 callee;             /* what the first unknown call is expected to call; 0: no expectation */
    u32 lanes;              /* of the machine */
    IsaSet set;             /* of the code */
    VmRule vm;
    bool flags;             /* fflags may be read: floats are left to their handlers */
    RegionBlock *block;     /* block[0] is the one at pc */
    u32 nblock;
    i32 *find;              /* index by pc and version: a hash table of 2^bits, -1: empty */
    u32 bits;
    u32 *order;             /* all blocks, a block before those that only it leads to */
    u32 insns;              /* of all blocks: what a path without a cycle can retire at most */
    u32 size;               /* instructions that are to be translated; what host code does for a function counts as some */
    RegSet written;         /* registers that some block writes */
    u32 *returns;           /* the pcs after calls, ascending */
    u32 nreturns;
    Routine *routine;       /* functions that are called */
    u32 nroutine;
    bool repeats;           /* its code is run by warp after warp, */
    bool meets;             /* and by all of a group up to a barrier, by all from there to the next, and so on */
    LaunchValue *value;     /* launch constants, of regions that warps begin in; 0 is none */
    u32 nvalue;
} Region;

/* Whether its warps never have all lanes: they begin with some, and no others wait. */
static inline bool region_is_partial(const Region *r) { return !r->warp.full && !r->warp.deep; }

/* The region at pc, over decoded code.  NULL: there is no code at pc, or out of memory. */
Region *region_new(Code *code, u32 pc, WarpShape warp, u32 callee, u32 lanes, VmRule vm,
                   bool flags);
/* The same, but NULL, soon, if its blocks have more than `most` instructions (Uops). */
Region *region_new_small(Code *code, u32 pc, WarpShape warp, u32 callee, u32 lanes, VmRule vm,
                         bool flags, u32 most);
void region_free(Region *r);
/* Frees what only those need who find a region or make its code. */
void region_shrink(Region *r);

/* A number that tells regions apart: of the same blocks, ends and live registers. */
u64 region_digest(const Region *r);

/* The index of the block at pc in that version, or -1. */
int region_find(const Region *r, u32 pc, bool full);

/* What instruction k of the block reads and writes.  With some lanes off, what it writes it also
 * keeps a part of, so that counts as read. */
typedef struct { RegSet reads, writes; } RegUse;
RegUse block_use(const RegionBlock *b, u32 k);
RegUse lane_use(const RegionBlock *b, u32 k);          /* the same, of a lane that is on */
RegSet crossing_rows(const RegionBlock *b, u32 k);     /* of which it may read lanes that are off */

/* Sets `together`, `alone` and `pops` of blocks, which are complete but for what follows from that.
 * False: out of memory. */
bool sides_find(Region *r);
/* The side of a block that has `alone`. */
const RegionBlock *sides_alone(const Region *r, const RegionBlock *b);
/* Whether code goes from block b to successor `to`, and not by sides that it computes at once. */
bool sides_leave_edge(const Region *r, const RegionBlock *b, u32 to);

/* Sets `own` and `needed` of blocks, which are in order.  False: out of memory. */
bool waiting_find(Region *r);

/* --- routine.c ---------------------------------------------------------------------------- */

/* The routine at pc, whose `uop` is the caller's.  w takes faults of fetches.  False: out of memory. */
bool routine_find(Code *code, Warp *w, u32 pc, Routine *to);
/* The hash of the function at pc; 0: it is none that a routine could be. */
u64 routine_hash(Code *code, Warp *w, u32 pc);
/* The registers that it takes and returns, from v0 on. */
u32 routine_args(RoutineId id);
u32 routine_results(RoutineId id);

static inline void regset_unite(RegSet *to, const RegSet *s)
{
    to->x |= s->x;
    for (int i = 0; i < 4; i++)
        to->v[i] |= s->v[i];
}
static inline bool regset_has_v(const RegSet *s, u32 n) { return s->v[n >> 6] >> (n & 63) & 1; }
#endif
