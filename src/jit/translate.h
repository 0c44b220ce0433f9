/* translate.h -- a region as a function of LLVM.
 *
 * translate.c makes the function: entries, blocks, control flow, exits; diverge.c has branches of
 * lanes, instruction.c what is in blocks.  linear.c knows rows that are constant but for scalars, and carried.c where they
 * stay so from block to block; arith.c computes integers, hostfloat.c floats, whose NaNs canonical.c is about, product.c products of
 * matrices; reach.c and vecmem.c access memory, with the help of functions that are made once
 * (helpers.c, HostEnv.helper).  fence.c hides some of it from LLVM.
 *
 * A scalar register is an i32.  A row of lanes is one or more vectors of `chunk` words, as wide as the
 * host's registers; which lanes are on is an i32 for control flow and a vector of i1 for each chunk.
 */
#ifndef JIT_TRANSLATE_H
#define JIT_TRANSLATE_H
#include "jit/hostcode.h"
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

enum { MAX_CHUNKS = 8 };

/* The host. */
typedef struct {
    u32 chunk;              /* words of a host vector */
    bool gathers;
    bool few_at_once;       /* it gathers and scatters in less time than one lane after the other takes, however few */
    bool aarch64;           /* it is one: LLVM has a calling convention whose functions keep rows, and the sum of a
                             * vector's words is one instruction */
    const char *cpu, *features; /* as LLVM names them */
} HostVectors;

typedef LLVMValueRef Val;
/* A row of lanes, by chunks. */
typedef struct { Val c[MAX_CHUNKS]; } Row;

/* A row as another one, shifted to the left, plus a scalar (linear.c). */
typedef struct {
    Row root;
    u32 shift;
    Val offset;             /* i32 */
} Linear;

/* A row as a constant row plus a scalar for each chunk, which are often the same (linear.c). */
typedef struct {
    Row root;
    Val offset[MAX_CHUNKS]; /* i32; empty: the row is not known as such */
} Pattern;

/* A row as the lower or upper words of integers of 64 bits, which is taken apart only where the row is asked for. */
typedef struct {
    Row pair;
    u32 which;
} Half;

/* What code has found out about a row of addresses (root << shift), for accesses of `width`
 * bytes. */
typedef struct {
    Row root;
    u32 shift, width;
    Val first;              /* i32: of lane 0 */
    Val in_row;             /* i1: lane i is at first + i * width */
    Val rows, ones;         /* i1: that is not so, but each chunk is in a row, or at one address
                             * (NULL: not asked) */
} Span;
enum { MAX_SPANS = 12 };

/* Bytes around a scalar address that were checked at once, because the block loads several. */
typedef struct {
    Val base;               /* i32 */
    i32 lo, end;            /* offsets from it */
    Val ok;                 /* i1: all are plain memory to load from */
    Val host;               /* the host address of lo, if they are */
} Window;

enum { MAX_WINDOW = 8 };   /* registers of a matrix */

/* A matrix that was made ready in an array on the host's stack, in the order of its registers or
 * (exchanged) with rows and columns exchanged. */
typedef struct {
    Val array;              /* NULL: no room yet */
    Row from[MAX_WINDOW];   /* the registers it was made of; from[0] empty: nothing is ready */
    u8 type;                /* MmaType */
    u32 n;                  /* elements */
    bool exchanged;
} Operand;

/* A row that a later instruction of the block loads, loaded already. */
enum { MAX_EARLY = 16 };
typedef struct {
    u32 k;                  /* its number in the block */
    Val ok;                 /* i1: it was */
    Row v;
} Early;

/* What is known where code stands: values of registers, and what it found out about addresses. */
typedef struct {
    Val x[64];              /* NULL: in the home */
    Row v[256];
    Linear linear[256];     /* those of v that are known as such; else the root is empty */
    Pattern pattern[256];   /* likewise */
    Half half[256];         /* likewise; v need not be there then */
    Span span[MAX_SPANS];
    u32 nspan;
    Window window[MAX_SPANS];
    u32 nwindow;
    Pattern quotient;       /* which lines of the group the lanes lie in, as they were found last */
    Val size;               /* a divisor by which lanes lie in the lines that the region expects (linear.c); or NULL */
} Known;

/* Of a block: which one alone leads to it, and what was known at its own end, kept for the blocks
 * that only it leads to. */
typedef struct {
    u32 from;               /* 1 + the number of that block; 0: there is none */
    u32 heirs;              /* those blocks that are not made yet */
    Known *known;           /* NULL: not kept */
} Legacy;

/* A register whose row is known where a block begins that several lead to (carried.c). */
typedef struct {
    u8 n;
    bool is_gone;           /* some way has something else */
    Row root;
    Val home[MAX_CHUNKS];   /* of the scalar of each chunk; the same for chunks that have the same one */
} Carried;
enum { MOST_CARRIED = 24 };

/* Those of a block. */
typedef struct {
    Carried *all;           /* NULL: there is none, yet */
    u32 n;
    bool is_open;           /* it may begin with some */
    bool is_reached, is_made; /* by a way that is made; itself */
} Carry;

/* A function that is being built. */
typedef struct {
    LLVMContextRef c;
    LLVMModuleRef m;
    LLVMBuilderRef b;
    const Region *r;
    const HostVectors *host;
    bool headers, quick;    /* CodeKind */
    bool repeats;           /* it goes on with the next warp (HostCode) */
    u32 lanes, chunk, nchunks;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, ptr, row, mrow;
    Val fn, warp, env, limit;
    Val base, page, lds_base, lds_page;
    Val one, scalar, deepen, depth, uops;
    LLVMTypeRef one_type, keep_type, row_type;
    u32 weights;            /* the kind of metadata that branch weights are */
    /* homes of registers, promoted to SSA later; NULL where the region has no use for one, and in
     * quick code, whose registers are at home in the warp */
    Val x_home[64], v_home[256][MAX_CHUNKS], mask_home, insns_home;
    LLVMBasicBlockRef *start; /* of each block */
    u32 *order;             /* in which they are made */
    Legacy *legacy;         /* of each block */
    u32 nlegacy;            /* that are kept now */
    Carry *carry;           /* of each block */
    u64 (*uncarried)[4];    /* of each block: registers that some way has otherwise, a bit each */
    bool is_wrong;          /* a block begins with what one of its ways does not have */
    u32 *first_uop;         /* number of each block's first Uop in HostEnv.uop */
    LLVMBasicBlockRef stop;
    /* of code that repeats: where a warp begins, goes on behind a barrier, has come to one, and has ended */
    LLVMBasicBlockRef begin, resume, met, again;
    Val entry, entry_home;  /* where it goes on */
    Val warp_home, group;
    Val guard_lo[GUARD_PARTS], guard_end[GUARD_PARTS]; /* i64: HostEnv.guard */
    Val constant[MAX_CONSTANTS]; /* those that loads name */
    Operand operand[3];     /* matrices on the host's stack: A, B, and before transposition */
    Val lane_words[2];      /* arrays on the host's stack: addresses and data (lanes.c) */
    Val cluster;            /* another one, of rows of words (cluster.c); NULL: none yet */
    u64 *helpers;           /* that are called, a bit each */
    bool streams;           /* the region has some (stream.c) */
    u32 stream_pc[STREAMS], nstream; /* where the loads are that have one */
    /* what was loaded last of such: the number of the warp's first work-item, where the launch's metadata lies, the
     * size of a group's first dimension; NULL: none */
    Val tid, metadata, local_size;
    bool *in_cycle;         /* of each block: it may be of a cycle of the graph */
    /* the block in progress */
    const RegionBlock *at;
    u32 index;              /* of the block */
    bool in_side;           /* it is a side, made within the block with the branch */
    u32 k;                  /* its Uop in progress */
    u32 retired;            /* instructions of the block so far, this one included */
    Val insns;              /* i64: before the block */
    Known known;
    Early early[MAX_EARLY];
    u32 nearly;
    Known *spare;           /* for what is known before one of two ways */
    u64 x_dirty;            /* values that the home does not have */
    u64 v_dirty[4];
    Val mask;               /* i32 */
    Row on;                 /* i1 a lane; not in full blocks */
    /* what was computed for lanes that are on, of registers whose other lanes were kept: what those
     * would be is anything; and the mask for which it was.  Empty: the register is as known */
    Row computed[256];
    Val computed_for;
} Emit;

/* --- values (translate.c) ------------------------------------------------------------------ */

/* Registers of the guest. */
Val get_x(Emit *e, u32 n);
void set_x(Emit *e, u32 n, Val v);
Row get_v(Emit *e, u32 n);
/* The same for what only lanes that are on see: others may hold anything, so that an instruction does not wait for
 * the choice between what the one before it computed and what lanes that are off keep. */
Row get_on(Emit *e, u32 n);
/* Writes the lanes that are on, and under v0 those that it names. */
void set_v(Emit *e, u32 n, Row v);
/* A constant i32; an i32 in all lanes of a chunk. */
Val word(Emit *e, u32 value);
Val quad(Emit *e, u64 value);
Val splat(Emit *e, Val v);
Val splat_bit(Emit *e, Val v); /* of an i1 */
Val lanes_constant(Emit *e, u32 chunk, u32 first, u32 step); /* first + i * step */
/* Chunks of rows as the words of integers of 64 bits, and words 0 or 1 of those. */
Val join_halves(Emit *e, Val low, Val high);
Val half_of(Emit *e, Val pair, u32 which);
/* Writes all lanes with words 0 or 1 of such integers. */
void set_half(Emit *e, u32 n, Row pair, u32 which);
/* The integers of which registers n and m are words 0 and 1, if they are known as such; else empty. */
Row pair_at(const Emit *e, u32 n, u32 m);
/* The lanes of a chunk in a mask of all. */
Val mask_chunk(Emit *e, Val mask, u32 chunk);
/* The same constant, for a type of values: integers, or vectors of them. */
Val constant_like(Val v, u64 value);
/* The bits of such an integer; its sign bit alone. */
u32 bits_like(Val v);
Val sign_like(Val v);

/* The lanes of a chunk that v0 leaves on, as i1. */
Val chunk_under_v0(Emit *e, u32 chunk);
/* Whether what the instruction writes to the row may go to lanes that are off, too. */
bool writes_all(const Emit *e, u32 n);
/* At the end of a block: the homes get the registers that it wrote, and blocks that only it leads to
 * what is known; and the homes get the count as well. */
void flush_registers(Emit *e);
void flush_block(Emit *e);
/* Writes back the registers of the set and ends the function.  The block has retired `retired`
 * instructions. */
void leave_region(Emit *e, Val pc, const RegSet *live, u32 retired, u32 code);
/* Stores the WarpState of the warp. */
void set_state(Emit *e, u8 state);
/* The same before an instruction, which the interpreter goes on with; live NULL: all. */
void leave_before(Emit *e, const Uop *u, const RegSet *live);
/* Where code goes on at pc in that version; the homes are up to date. */
LLVMBasicBlockRef target_block(Emit *e, u32 pc, bool full);

/* Leaves the instruction to its handler, and goes on with what that wrote. */
void call_handler(Emit *e);
/* The same on one of several ways: what it wrote lies in the warp.  The values of the registers that
 * it reads are known already, for the other ways. */
void run_handler(Emit *e);
/* The value that stands for the Uop; the same before a call that may fault, which counts
 * instructions. */
Val uop_here(Emit *e);
Val note_place(Emit *e);
/* A register as the warp has it. */
Val reload_x(Emit *e, u32 n);
Val reload_v(Emit *e, u32 n, u32 chunk);
/* A call of a helper of type t, whose first results are rows; the last result.  Words among the
 * arguments become double words, which helpers take. */
Val call_helper(Emit *e, const Helper *h, LLVMTypeRef t, Val *args, u32 n, u32 nresults,
                Val *results);

/* A new LLVM block of the function. */
LLVMBasicBlockRef new_block(Emit *e, const char *name);
/* A branch that is expected to go to `then`; one that goes there `weight` times for each other. */
void branch_likely(Emit *e, Val cond, LLVMBasicBlockRef then, LLVMBasicBlockRef other);
void branch_weighted(Emit *e, u32 weight, Val cond, LLVMBasicBlockRef then,
                     LLVMBasicBlockRef other);
/* The field of the warp at that offset; its group. */
Val warp_field(Emit *e, size_t offset);
Val group_of(Emit *e);
/* Where private memory of the group (v202), or of the warp (v2025), begins; i32. */
Val private_base(Emit *e);
/* Where local memory of the group begins. */
Val local_base(Emit *e);
/* A call of an intrinsic of LLVM. */
Val intrinsic(Emit *e, const char *name, LLVMTypeRef *types, u32 ntypes, Val *args, u32 nargs);

/* --- instruction.c, diverge.c -------------------------------------------------------------- */

/* An instruction that does not end its block. */
void emit_instruction(Emit *e, const Uop *u);
/* A branch of lanes; a join. */
void end_split(Emit *e, const Uop *u);
void end_join(Emit *e);
/* Goes on unless lanes wait for one of the joins; then to `other`. */
void pass_joins(Emit *e, const u32 *join, u32 n, LLVMBasicBlockRef other);

/* --- linear.c ---------------------------------------------------------------------------- */

/* The register as a row of another one, or of itself. */
Linear linear_of(Emit *e, u32 n);
bool is_pattern(const Pattern *p);
/* Whether all lanes have one value, or those of each chunk; what the root has in the first lane of one. */
bool is_one_value(const Emit *e, const Pattern *p);
bool is_value_each(const Emit *e, const Pattern *p);
/* Of a constant chunk. */
u32 constant_lane(Val row, u32 lane);
u32 first_lane(const Pattern *p, u32 chunk);
/* How much more each lane has than the one before it; the same within each chunk, of a pattern.  0: that, or no one number. */
u32 step_of(Emit *e, const Pattern *p);
u32 step_each(Emit *e, const Pattern *p);
/* The row; writes it to a register. */
Row pattern_row(Emit *e, const Pattern *p);
void set_pattern(Emit *e, u32 n, const Pattern *p);
/* What an instruction that computes integers makes of all lanes, if that is a pattern, or another row plus a scalar; else
 * it is empty, or the root is. */
Pattern pattern_result(Emit *e, const Uop *u, Op op);
Linear linear_result(Emit *e, const Uop *u, Op op);
/* Looks whether a value that was read from a CSR, or loaded from an immediate behind `base`, is one by which places of
 * work-items are found. */
void note_csr(Emit *e, u32 n, Val v);
void note_load(Emit *e, const Uop *u, Val base, Val v);

/* --- arith.c, hostfloat.c: a value for op.def; NULL: not here ---------------------------- */

/* a, b, c are words or chunks, as op.def names them, or integers of 64 bits or vectors of these, for
 * operations that register pairs have. */
Val arith(Emit *e, Op op, Val a, Val b, Val c);
/* Quotients or remainders (OP_divu, OP_remu) of n chunks of a row, or of one word, by a scalar, in place of these; ends the
 * LLVM block that it is built in. */
void divide_by(Emit *e, Op op, Val *v, u32 n, Val b);
/* The same float, by its bits, in binary64 or binary32; every NaN becomes the canonical one. */
Val change_width(Emit *e, Val bits, bool widens);
/* rm: the rounding mode of the instruction (FP_RNE or FP_RTZ are handled) */
Val hostfloat(Emit *e, Op op, u32 rm, Val a, Val b, Val c);
/* Floats as integers of type `to`, cut off; out of range the nearest of these, and `nan` for a NaN. */
Val saturate(Emit *e, Val f, LLVMTypeRef to, bool sgn, u64 nan);

/* --- canonical.c -------------------------------------------------------------------------- */

/* The canonical NaN in a type of values. */
Val canonical_nan(Val like);
/* The bits of float f, those of the canonical NaN for any NaN. */
Val make_canonical(LLVMBuilderRef b, Val bits, Val f);
/* The float that v was made canonical from; NULL: it is something else. */
Val before_canonical(Val v);
/* Lets NaNs stay as the host makes them where float operations alone read them, in a module whose
 * registers are in SSA form.  False: out of memory, and the module is of no use. */
bool delay_canonical(LLVMModuleRef m);

/* --- fence.c ------------------------------------------------------------------------------ */

/* Hides from the code generator what it gets wrong; optimised: it combines much; has_masks: vectors
 * of i1 are registers of the host. */
void fence(LLVMModuleRef m, bool optimised, bool has_masks);

/* --- pair.c ------------------------------------------------------------------------------ */

/* What is computed on 64 bits, or on sources that a prefix changes; false: left to the handler. */
bool compute_modified(Emit *e, const Uop *u);
bool compute_pair(Emit *e, const Uop *u);
bool compute_widening(Emit *e, const Uop *u);
bool compute_narrowing(Emit *e, const Uop *u);

/* --- hostdouble.c ------------------------------------------------------------------------ */

/* The results of a routine by the operands in v0 and up: words, or doubles as integers of 64 bits.  Ends the LLVM
 * block: where some lane that is on has special numbers, so that the function must be called, goes to `other`. */
void compute_routine(Emit *e, RoutineId id, Row *result, LLVMBasicBlockRef other);

/* --- product.c ---------------------------------------------------------------------------- */

/* A matrix product; false: left to the handler. */
bool multiply_matrices(Emit *e, const Uop *u);

/* --- functions (translate.c) ------------------------------------------------------------- */

/* A function to be built, in a module of that name; NULL: out of memory.  emit_free() returns the
 * module, which is the caller's. */
Emit *emit_new(LLVMContextRef c, const HostVectors *host, u32 lanes, const char *name,
               u64 helpers[HELPER_WORDS]);
LLVMModuleRef emit_free(Emit *e);
/* The function of a helper, of type t; where it keeps registers, with the host's features. */
void make_kept(Emit *e, const Helper *h, LLVMTypeRef t);
Val env_field(Emit *e, LLVMTypeRef t, size_t offset);

/* Entry into block i: its registers come from the warp, or, where the region begins with fresh ones
 * (first), are 0. */
LLVMBasicBlockRef make_entry(Emit *e, u32 i, bool first);
/* All lanes of a warp; those with which this one began. */
u32 lanes_mask(const Emit *e);
Val first_lanes(Emit *e);

/* --- carried.c --------------------------------------------------------------------------- */

/* An order in which blocks can be made: a block comes before those that only it leads to, and where it can behind all that
 * lead to it.  False: out of memory. */
bool carry_order(const Region *r, u32 *order);
/* Finds which blocks may begin with patterns, when it is known which have inherited what is known. */
void carry_open(Emit *e);
/* A way leads to a block from where the builder stands, with what is known there, and that is in the homes. */
void carry_to(Emit *e, u32 to);
/* The block begins with what all ways to it that are made have. */
void carry_begin(Emit *e, u32 i);
/* A warp enters the block from outside, whose registers are in the homes: leaves the region, if it has something else. */
void carry_enter(Emit *e, u32 i);

/* --- repeat.c ---------------------------------------------------------------------------- */

/* Makes what code that repeats has besides its blocks, and sets e->begin, e->again and e->warp, and where warps meet
 * e->met, e->entry and e->resume, which is empty; the function begins with LLVM block `first`. */
void make_repetition(Emit *e, LLVMBasicBlockRef first);
/* Sets e->guard_lo and e->guard_end: stores between them may change launch constants. */
void load_guard(Emit *e);

/* --- reach.c ----------------------------------------------------------------------------- */

/* What may be done with bytes of guest memory. */
typedef struct {
    Val ok;                 /* i1: all of it is plain memory with the right to it */
    Val host;               /* the host address of the lowest, if it is */
} Reach;

/* The ways of an access: at once, with help, and on. */
typedef struct { LLVMBasicBlockRef fast, slow, done; } Ways;
/* Goes on in the fast one. */
Ways part_ways(Emit *e, Val ok);

/* Of guest addresses lo to last, as i64; lo is below 2^32, and they are in one page or two. */
Reach reach(Emit *e, Val lo, Val last, bool stores);
/* i1: nobody holds a reservation that a store might end. */
Val unreserved(Emit *e);
/* A host address, `offset` bytes behind another one. */
Val byte_at(Emit *e, Val base, Val offset);
/* The type of elements of 1, 2 or 4 bytes; what is loaded, widened as the operation says. */
LLVMTypeRef data_type(Emit *e, u32 width);
Val widen_data(Emit *e, Op op, Val v, LLVMTypeRef to);
/* Bytes at a host address of any alignment. */
Val load_at(Emit *e, LLVMTypeRef t, Val host);
void store_at(Emit *e, Val v, Val host);
/* The bytes of each lane's part, or of the scalar, that the access moves: 1, 2 or 4. */
u32 access_width(const Uop *u);
/* Loads or stores a scalar; false: left to the handler. */
bool access_scalar(Emit *e, const Uop *u);

/* --- vecmem.c ---------------------------------------------------------------------------- */

IsaSpace space_of(const Uop *u);
/* Whether each lane has its address in a vector register, to which an immediate is added. */
bool has_own_address(Effect f);
/* The notes about a row of addresses, made once a block. */
Span *span_of(Emit *e, Row root, u32 shift, u32 width);
/* Whether lanes whose addresses are in a row, each `offset` behind the row of notes, may be
 * accessed at once; `flat`: by the flat rule. */
Reach reach_row(Emit *e, Span *s, Val offset, bool flat, bool stores);
/* Loads and stores by addresses of 32 bits; false: left to the handler. */
bool access_vector(Emit *e, const Uop *u);
/* The same in quick code, which leaves rows of lanes and where they lie to a helper. */
bool quick_access(Emit *e, const Uop *u);
/* i1: `width` bytes of each lane lie one after the other, or, where that is asked, those of each chunk do or are at one
 * address. */
Val is_row_or_one(Emit *e, const Linear *base, u32 width);
/* Asks whether all lanes' records of `width` bytes lie one after the other in plain memory, the first where `base`
 * says.  The builder is left where they may be accessed, at *host, which is the guest's *first; the caller ends
 * `slow` and goes on in `done`. */
Ways find_records(Emit *e, const Uop *u, const Linear *base, u32 width, Val *host, Val *first);
/* --- what helpers.c takes from it */

/* i1: whatever immediate led to the bytes lo to last, the flat rule leaves their addresses alone. */
Val is_not_private(Emit *e, Val lo, Val last);

/* A field, lo or room, of a range that is remembered (Group.plain). */
Val range_field(Emit *e, Val range, size_t offset);
/* The host address of a chunk of a row. */
Val chunk_host(Emit *e, Val host, u32 chunk, u32 width);
/* Of a helper: a row for each source and result, and whether it faulted. */
LLVMTypeRef helper_type(Emit *e, bool stores);

/* Ways that lead to the same place, each with what it has loaded. */
typedef struct {
    LLVMBasicBlockRef done, from[8];
    Row v[8];
    u32 n;
} Meeting;
/* One of them ends here. */
void arrive(Emit *e, Meeting *m, Row v);

/* --- stream.c ---------------------------------------------------------------------------- */

/* Finds blocks of cycles; whether one loads words that streams are for. */
bool streams_find(Emit *e);
/* Forgets all words that were loaded before lanes ask for them; those which a store of so many bytes, from guest address
 * `first` (i32) on, may change; those which one of data by the lanes that are on may, unless it is of words to words of a
 * stream, which then are changed (data NULL: of more bytes than a word). */
void streams_forget(Emit *e);
void streams_store(Emit *e, Val first, u32 bytes);
void streams_store_lanes(Emit *e, const Row *a, const Row *data, u32 width);
/* Takes the words of a load of lanes anywhere from its stream, if it has one that has them; the builder is left
 * where it has not. */
void take_stream(Emit *e, const Uop *u, const Row *a, Meeting *m);
/* Of the helper: its type, and its body, for lanes of a mask at addresses a; what: i64, of which stream, and for which
 * loads. */
LLVMTypeRef stream_type(Emit *e);
void fill_stream(Emit *e, Val uop, Val mask, Val what, const Row *a, const Row *on);

/* --- lanes.c ----------------------------------------------------------------------------- */

/* A range that is remembered: its window, its first address, and where that lies. */
typedef struct { Val window, lo, first; } Plain;
Plain plain_of(Emit *e, Val range);
/* i1: some lane of a chunk of i1, or of a row. */
Val some_lane(Emit *e, Val lanes);
/* How far lanes of a chunk are behind lo; 0 of those that are off (on NULL: none).  i1: all lanes of a row are
 * below a bound (i32), unsigned. */
Val distances(Emit *e, Val a, Val on, Val lo);
Val all_below(Emit *e, const Row *v, Val bound);
/* i1: the lanes that are on lie one after the other, all as far from each other, which is `least` bytes or more, but not so
 * far that all of them, by 2^26 bytes each, go through half of all addresses. */
Val are_even(Emit *e, const Row *a, const Row *on, u32 least);
/* i1: all lanes that are on (on->c[i] NULL: all of a chunk) lie in the range. */
Val all_within(Emit *e, const Row *a, const Row *on, Val range);
/* Rows of a block in which some lanes are off, all of whose others are known to lie in the range, chunk
 * by chunk; the same lane by lane, if one is on. */
Row gather_row(Emit *e, const Row *a, const Plain *p, u32 width, Op op);
Row load_each(Emit *e, const Row *a, const Plain *p, u32 width, Op op);
/* Stores such a row. */
void store_each(Emit *e, const Row *data, const Row *a, const Plain *p, u32 width);
/* i1: so few lanes of the mask, and some, that one after the other takes less time. */
Val few_lanes(Emit *e, Val mask);
/* Lanes of a chunk, all of which that are on lie in the range; the three bytes behind one of fewer
 * than four may be read too (PlainRange). */
Val gather_lanes(Emit *e, Val a, const Plain *p, Val on, u32 width, Op op);
/* The same for words that are stored, where the host scatters: the last lane at an address is the
 * last to write. */
void scatter_lanes(Emit *e, Val data, Val a, const Plain *p, Val on);
/* A place on the host's stack, of the whole function. */
Val stack_place(Emit *e, LLVMTypeRef t);
/* An array on the host's stack of so many words, of the whole function; one of a word for each lane; puts a row there. */
Val stack_array(Emit *e, u32 words);
Val lane_array(Emit *e);
void spread_lanes(Emit *e, Val all, const Row *v);
/* Stores the lanes of a chunk one after the other. */
void store_chunk_lanes(Emit *e, Val data, Val a, const Plain *p, u32 width);
/* Stores the lanes of a mask one after the other, from arrays of addresses and of data. */
void store_lanes(Emit *e, Val lanes, const Plain *p, const Val arrays[2], u32 width);

/* Whether a chunk of addresses is something uniform minus other addresses. */
bool may_be_backwards(Val v);
/* An access of lanes that are all on, at addresses a of which each is `width` bytes before the one of the lane before, if the range
 * has all; data: of a store.  Goes on in m->done; the builder is left where they are elsewhere. */
void access_backwards(Emit *e, Val range, const Row *a, const Row *data, u32 width, Op op, Meeting *m);

/* --- helpers.c --------------------------------------------------------------------------- */

/* In a helper: ends it with rows (NULL: none) and a last result; the range that is remembered for the
 * instruction at a Uop. */
void give_back(Emit *e, const Row *v, Val how);
Val range_for(Emit *e, Val uop, bool stores);

/* The module with function `name`, which is that helper; notes in `helpers` which others it calls.
 * NULL: out of memory. */
LLVMModuleRef make_helper(LLVMContextRef c, const Helper *h, const HostVectors *host,
                          const char *name, u64 helpers[HELPER_WORDS]);

/* --- words.c ----------------------------------------------------------------------------- */

/* A vector access of several words a lane; false: left to the handler. */
bool access_words(Emit *e, const Uop *u);
/* A word of records that several instructions access, one word a lane each: makes the present instruction, and of
 * stores the others, too.  False: it is none. */
bool access_record(Emit *e);

/* --- cluster.c --------------------------------------------------------------------------- */

enum { MOST_NEAR = 16, NEAR_PIECE = 4 }; /* words; those of each lane that are accessed at once */
/* The function's array on the host's stack of so many rows of words; where row n of one is; and the row that is there. */
Val cluster_rows(Emit *e);
Val row_of_words(Emit *e, Val rows, u32 n);
Row load_words_at(Emit *e, Val words);
/* What the operation loads, of so many bytes, from so many bits behind the lowest of each word on. */
Row parts_of(Emit *e, Row v, Val bits, Op op, u32 width);
/* Loads so many words of each lane, which begin so far behind a host address (`far`, an array), a multiple of 4,
 * to the rows of an array. */
void load_columns(Emit *e, Val far, Val host, u32 words, Val rows);
/* Loads up to 16 words of each lane that is on from addresses a on, to that array; stores 2 to 4 or 8 words of all lanes, by way
 * of it.  i1: that is done; else nothing is. */
Val load_near(Emit *e, const Row *a, u32 words);
Val store_near(Emit *e, const Row *a, const Row *data, u32 words);
/* Of the helper: its type, and its body, for the instruction at a Uop, an array of rows, and lanes at addresses a. */
LLVMTypeRef cluster_type(Emit *e);
void move_cluster(Emit *e, const Helper *h, Val uop, Val rows, const Row *a, const Row *on);

/* --- the whole --------------------------------------------------------------------------- */

/* The module with function `name` of the region.  Notes in `helpers` which ones it calls.  NULL:
 * out of memory. */
LLVMModuleRef translate(LLVMContextRef c, const Region *r, const HostVectors *host, CodeKind kind,
                        const char *name, u64 helpers[HELPER_WORDS]);
#endif
