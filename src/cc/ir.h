/* ir.h -- the intermediate representation of the compiler.
 *
 * A Module is a list of functions, data objects and symbols.  A Func is a graph of
 * blocks; a block is phis, instructions, and one terminator that is kept apart.
 * Every value is 32 bits in each lane: floats as bits, booleans 0 or 1, pointers as
 * addresses, 64-bit numbers as two values.  The same structures serve from what the
 * front end hands over to the last pass:
 *
 *   generic    operations of ir.def on SSA values; nothing says yet in which registers a
 *              value lives (front end, fold.c, uniform.c)
 *   selected   operations are rows of isa.def (IR_MACHINE + InsnId) and the few pseudo
 *              operations that ir.def marks; each value has a bank (select.c)
 *   linear     no phis; a value may be written more than once; physical registers appear
 *              as fixed operands (out.c, alloc.c, encode.c)
 *
 * The text form (ir_print.c, ir_parse.c) is described in doc/ir.md; ir_check.c holds every rule
 * that a function must keep in its stage.
 *
 * All memory of a module is an arena; nothing in it is freed one by one.  Running out of memory
 * sets Module.failed, and builders then return zeros that are safe to go on with.  A pass that
 * finds a state that should be impossible calls ir_mistake(), which sets it too, and goes on with
 * anything that is safe: the compilation then fails with a report, and the process that asked for
 * it lives on.
 */
#ifndef CC_IR_H
#define CC_IR_H
#include "base/diag.h"
#include "cc/target.h"
#include "isa/abi.h"

/* The operations of ir.def. */
typedef enum {
#define IR(name, ...) IR_##name,
#include "cc/ir.def"
    NIR
} IrOp;
enum { IR_MACHINE = 256 };  /* IR_MACHINE + InsnId: a row of isa.def */

static_assert((int)NIR <= (int)IR_MACHINE, "machine rows start after the generic operations");

/* --- operands ------------------------------------------------------------------ */

/* What a Ref names. */
typedef enum {
    R_NONE,
    R_VAL,                  /* number of a value of the function */
    R_CON,                  /* 32-bit constant */
    R_SYM,                  /* address of symbol `val` of the module + `off` */
    R_SLOT,                 /* private address of stack slot `val` of the function + `off` */
    R_BLK,                  /* block `val` (address of its first instruction) */
    R_REG                   /* physical register: 0..63 x, 64..319 v (target.h) */
} RefKind;

/* An operand; passed by value. */
typedef struct {
    u16 kind;
    i16 off;                /* bytes; R_SYM and R_SLOT only, larger offsets need an add */
    u32 val;
} Ref;
static_assert(sizeof(Ref) == 8, "a Ref is passed by value");

/* Make and compare references. */
static inline Ref ref_none(void) { return (Ref){0}; }
static inline Ref ref_val(u32 v) { return (Ref){.kind = R_VAL, .val = v}; }
static inline Ref ref_con(u32 c) { return (Ref){.kind = R_CON, .val = c}; }
static inline Ref ref_sym(u32 s) { return (Ref){.kind = R_SYM, .val = s}; }
static inline Ref ref_slot(u32 s) { return (Ref){.kind = R_SLOT, .val = s}; }
static inline Ref ref_blk(u32 b) { return (Ref){.kind = R_BLK, .val = b}; }
static inline Ref ref_reg(u32 r) { return (Ref){.kind = R_REG, .val = r}; }
static inline bool ref_same(Ref a, Ref b) { return a.kind == b.kind && a.off == b.off && a.val == b.val; }
static inline bool ref_is_con(Ref a, u32 c) { return a.kind == R_CON && a.val == c; }

/* --- instructions --------------------------------------------------------------- */

/* What kind of memory an access touches. */
typedef enum {
    IN_FLAT,                /* by address: global, constant or local, not known which */
    IN_GLOBAL,
    IN_CONST,               /* nobody writes it while the kernel runs */
    IN_LOCAL,
    IN_PRIVATE              /* the address is a byte offset in the lane's private memory */
} Space;

/* An instruction, generic or of the machine. */
typedef struct {
    u16 op;                 /* IrOp or IR_MACHINE + InsnId */
    u8 width;               /* of a memory access: 1, 2, 4 bytes */
    u8 space : 3;           /* of a memory access: Space */
    u8 sext : 1;            /* of a load: sign-extended */
    u8 is_volatile : 1;     /* of a memory access: neither removed, joined nor moved */
    u8 uniform : 1;         /* of a load: the front end promises one value for the warp */
    u32 dst;                /* value written, 0: none; value 0 does not exist */
    u32 reg;                /* linear: 1 + the physical register written instead of dst, or 0 */
    i32 imm;                /* generic: see ir.def; a memory access: offset in bytes */
    u32 loc;                /* index in Module.locs, 0: unknown */
    Ref a[3];
} Ins;

/* Operands of a machine row: a[] holds what its format reads, in the order of the
 * format and without modifiers (mask, rounding mode, aq/rl), immediates as R_CON:
 *
 *   vadd.vx vd, vs2, rs1         dst = vd   a[0] = vs2   a[1] = rs1
 *   lw rd, imm(rs1)              dst = rd   a[0] = imm   a[1] = rs1
 *   sw rs2, imm(rs1)                        a[0] = rs2   a[1] = imm   a[2] = rs1
 *   amoadd.w vd, vs2, (vs1)      dst = vd   a[0] = vs2   a[1] = vs1
 *   vfmacc.vv vd, vs1, vs2       dst = vd   a[0] = vs1   a[1] = vs2   a[2] = old vd, same register
 *   fcvt.w.s rd, rs1, rm         dst = rd   a[0] = rs1                imm = rm
 *
 * The format's accumulator (use RW) is dst and, as a source, the last of a[].  imm is the
 * rounding mode (7: dynamic) of rows that have one and aq/rl of those that have that.
 */

/* --- blocks ------------------------------------------------------------------------ */

/* Conditions of a branch between two integers; the order lets ^ 1 negate. */
typedef enum { CMP_eq, CMP_ne, CMP_lt, CMP_ge, CMP_ltu, CMP_geu } Cmp;
static_assert((CMP_eq ^ 1) == CMP_ne && (CMP_lt ^ 1) == CMP_ge && (CMP_ltu ^ 1) == CMP_geu, "");

/* How a block ends. */
typedef enum {
    T_NONE,                 /* under construction */
    T_JUMP,                 /* to succ[0] */
    T_BRANCH,               /* to succ[0] if a[0] cmp a[1], else to succ[1] */
    T_RET                   /* the only one of a function, in its exit block */
} TermKind;

/* The terminator of a block. */
typedef struct {
    u8 kind, cmp;           /* TermKind, Cmp */
    bool divergent;         /* of T_BRANCH, from uniform.c on: lanes may part; rpc is its join */
    u32 succ[2];            /* block numbers */
    u32 rpc;                /* of a divergent branch: the block where its lanes meet again */
    u32 loc;
    Ref a[2];
} Term;
/* How many blocks may follow: the elements of succ[] that count. */
static inline int term_nsucc(const Term *t) { return t->kind == T_JUMP ? 1 : t->kind == T_BRANCH ? 2 : 0; }

/* A phi: its value is arg[k] if the block is entered from pred[k]. */
typedef struct {
    u32 dst;
    u32 loc;
    Ref *arg;               /* one a predecessor, in the order of Block.pred */
} Phi;

/* A block: phis, instructions, a terminator, and what graph.c finds out about it. */
typedef struct {
    Ins *ins;
    size_t nins, capins;
    Phi *phi;
    size_t nphi, capphi;
    Term term;
    u32 *pred;              /* graph.c */
    size_t npred, cappred;
    /* from uniform.c on */
    bool join;              /* the block starts with a join; it is the rpc of some branch */
    bool rerun;             /* may run again while lanes that were here wait: passes must not give a
                             * scalar defined here new uses in other blocks */
    /* blocks to which the join may send the warp: the sides of the branches that meet here */
    u32 *other;
    size_t nother, capother;
    /* graph.c */
    u32 rpo;                /* position in Func.rpo */
    u32 idom, ipdom;        /* block numbers; UINT32_MAX: none */
    u32 dom_first, dom_last; /* a dominates b if a.dom_first <= b.dom_first <= a.dom_last */
    u32 loop;               /* innermost loop, index in Func.loops; UINT32_MAX: none */
    u32 depth;              /* of loops */
} Block;

/* A natural loop. */
typedef struct {
    u32 header, parent;     /* block; index in Func.loops, larger than the loop's own, or UINT32_MAX */
    u32 nblock, depth;      /* blocks in it, those of inner loops too; 1: outermost */
    u32 first, last;        /* numbers of the tree of loops, as dom_first and dom_last */
    bool divergent;         /* lanes may leave it in different rounds */
} Loop;

/* --- functions ------------------------------------------------------------------------ */

/* The register file that a value lives in: X has one number for the warp, V one for each lane. */
typedef enum { BANK_NONE, BANK_X, BANK_V } Bank;

/* What is known of a value. */
typedef struct {
    u8 bank;                /* Bank; from uniform.c on BANK_X is uniform, BANK_V is not */
    bool temp_spill;        /* made by the spiller: may not be spilled again */
    u32 reg;                /* after alloc.c: 1 + physical register, or 0 */
    const char *name;       /* for dumps, or NULL */
} Value;

/* A stack object in private memory.  Private addresses are below PRIVATE_END (doc/abi.md, "Memory
 * map"), so that generic pointers can tell them from others. */
enum { SLOT_ALIGN = ABI_LOCAL_ALIGN, PRIVATE_END = RANGE_END(PRIVATE) };
typedef struct {
    u32 size, align;        /* bytes, less than PRIVATE_END; align 4 to SLOT_ALIGN */
    u32 offset;             /* from the base of the frame, by frame.c */
} Slot;

/* A variable of the source. */
#define NO_SLOT UINT32_MAX
typedef struct {
    const char *name;
    u32 type;               /* in Module.type */
    u32 slot;               /* where it lies all the time, or NO_SLOT: notes say what it is */
    u32 file, line;         /* where it is declared */
    u32 scope;              /* as Loc.scope */
    bool is_parameter;
    bool is_local;          /* __local: slot is its byte in the kernel's local data instead */
} SourceVariable;

/* Bytes of a variable that notes tell about together: at most 4. */
typedef struct { u32 variable, at, size; } SourcePart;

/* Where the value of a note is: verify.c makes places of what the front end names. */
typedef enum {
    NOTE_IS,                /* R_VAL, R_CON, R_REG; R_NONE: it is not known any more */
    NOTE_SCALAR_WORD,       /* word is.val of the scalar spills; from frame.c on bytes from sp */
    NOTE_ARGUMENT,          /* byte is.val of the kernel's argument block */
    NOTE_PRIVATE_WORD       /* word is.val of the vector spills; from frame.c on as Slot.offset */
} NoteKind;

/* What an IR_note says of a part of a variable from there on. */
typedef struct {
    u32 part;
    i32 plus;               /* to be added to the value */
    u8 bits;                /* of the sum so many low ones count, the others repeat; 0: all count */
    bool is_signed;         /* the others are the highest of them, else 0 */
    u8 kind;                /* NoteKind */
    Ref is;
} Note;

enum { WARP_STACK = ABI_WARP_STACK };

typedef struct Module Module;
typedef struct CcOptions CcOptions;
typedef struct Func Func;

/* A function, in whatever stage it is. */
struct Func {
    Module *module;
    const char *name;       /* also its symbol */
    u32 symbol;             /* index in Module.sym */
    bool is_kernel;
    u32 nparams, nresults;  /* 32-bit pieces, of functions that are no kernels */
    u32 lds_static;         /* of kernels: bytes of __local data */
    u32 max_args;           /* pieces that go through the stack at calls, by select.c */

    Block *block;           /* block[0] is the entry, which has no predecessors */
    size_t nblock, capblock;
    u32 exit;               /* the block with T_RET */
    Value *value;           /* value[0] is not used */
    size_t nvalue, capvalue;
    /* for debuggers */
    u32 type;               /* of its result in the source, in Module.type; 0: none */
    SourceVariable *variable;
    size_t nvariable, capvariable;
    SourcePart *part;
    size_t npart, cappart;
    Note *note;             /* by Ins.imm of an IR_note */
    size_t nnote, capnote;
    Slot *slot;
    size_t nslot, capslot;
    u32 *rpo;               /* reachable blocks in reverse post-order */
    size_t nrpo;
    Loop *loops;
    size_t nloops, caploops;
    /* callgraph.c */
    u32 callers;            /* length of the longest chain of callers above this function */
    u32 scalar_room;        /* bytes of sp stack that its frame may have (callgraph.c) */
    u32 stack_scalar;       /* bytes of sp stack of its callees; after frame.c also its own */
    /* by the passes, for encode.c and the resource record */
    u32 frame_private;      /* bytes a lane of tp stack */
    u32 frame_scalar;       /* bytes a warp of sp stack */
    bool has_calls;
    /* by alloc.c */
    u32 spill_x, spill_v;   /* words of the scalar frame, and of private memory, that spills need */
    u64 used[NREG / 64];    /* bit r: register r is written */
    u32 moves_tried;        /* of the round that tried most: registers for values that make way for others */
    const Func *before;     /* verify.c: the function without registers */
};

/* What a symbol names. */
typedef enum { SYM_FUNC, SYM_DATA, SYM_EXTERN } SymKind;

/* A symbol of the module. */
typedef struct {
    const char *name;
    u8 kind;                /* SymKind */
    bool is_local;          /* not visible to other objects */
    bool is_weak;           /* data: several objects may have it, and share one */
    u32 index;              /* in Module.func or Module.data */
} Sym;

/* A word at `offset` of a data object that holds the address of a symbol + addend. */
typedef struct { u32 offset, symbol; i32 addend; } DataReloc;

/* A data object: a variable, or constants. */
typedef struct {
    u32 symbol, align;
    bool writable;
    u32 size;               /* bytes; the bytes beyond init are zero */
    const u8 *init;
    u32 ninit;
    DataReloc *reloc;       /* words that hold addresses */
    size_t nreloc, capreloc;
} Data;

/* What lies inside a function: a call that was inlined, to which function and from where; or a
 * block of the source, whose function is NULL. */
typedef struct {
    const char *function;
    u32 loc;                /* of the call */
    u32 parent;             /* as Loc.scope: what it lies in */
} SourceScope;

enum { LOC_ATOMIC = 1, LOC_COPY, LOC_ASYNC, LOC_WAIT };  /* obj/lines.h, LinesMark */
/* A place in the source. */
typedef struct {
    u32 file, line, column; /* line 0: unknown */
    u32 scope;              /* 1 + the innermost scope in Module.scope, or 0: the function itself */
    u32 isa;                /* LOC_*: what an access is for */
} Loc;

/* A type of the source, for debuggers. */
typedef enum {
    TYPE_BASE,
    TYPE_POINTER,
    TYPE_NAME,              /* another name of a type */
    TYPE_STRUCT,
    TYPE_UNION,
    TYPE_ARRAY,
    TYPE_VECTOR
} SourceTypeKind;

typedef struct {
    u8 kind;                /* SourceTypeKind */
    u8 encoding;            /* DW_ATE_* of a base type */
    const char *name;
    u32 size;               /* bytes */
    u32 of;                 /* type of elements, or that a pointer points to; of structures the first
                               in Module.member */
    u32 count;              /* elements, members */
} SourceType;

typedef struct { const char *name; u32 type, offset; } SourceMember;

typedef struct ArenaChunk ArenaChunk;

/* A module: what is compiled to one object. */
struct Module {
    ArenaChunk *arena;
    bool failed;            /* memory ran out, or the compiler made a mistake */
    const char *mistake;    /* which one, or NULL */
    const Target *target;
    const CcOptions *opt;   /* of the compilation; NULL: all by default */
    const char *name;       /* of the source file */
    bool is_checked;        /* a choice takes no bits of what is not chosen (check/init.c), and data
                             * have bytes behind them that belong to none (check/bounds.c) */
    Func **func;
    size_t nfunc, capfunc;
    Sym *sym;
    size_t nsym, capsym;
    u32 *by_name;           /* hash table of 1 + symbol, a power of two in size */
    size_t nby_name;
    Data *data;
    size_t ndata, capdata;
    Loc *loc;               /* loc[0] is unknown */
    size_t nloc, caploc;
    /* __local variables; of one kernel, or, NULL, of all */
    struct IrLocal { const char *kernel, *name; u32 offset, size; } *local;
    size_t nlocal, caplocal;
    SourceScope *scope;     /* what a scope lies in comes before it */
    size_t nscope, capscope;
    const char **file;      /* names of source files */
    size_t nfile, capfile;
    SourceType *type;       /* type[0] is void */
    u32 ntype;
    size_t captype;
    SourceMember *member;   /* of structures, those of one side by side */
    size_t nmember, capmember;
};

/* --- making it (ir.c) --------------------------------------------------------------------- */

Module *ir_module(const char *name, const Target *target); /* NULL when out of memory */
void ir_free(Module *m);             /* NULL is allowed */

void *ir_alloc(Module *m, size_t size);            /* zeroed, lives as long as m */
char *ir_strdup(Module *m, const char *s);
/* Our own mistake, never the user's: keeps the first text and makes the compilation fail. */
void ir_mistake(Module *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Makes room for one more in array `a` of the arena; false when out of memory. */
#define ir_grow(m, a, n, cap) ((size_t)(n) < (size_t)(cap) || ir_grow_(m, (void **)&(a), &(cap), sizeof *(a)))
bool ir_grow_(Module *m, void **a, size_t *cap, size_t size);

u32 ir_sym(Module *m, const char *name, SymKind kind); /* finds it or adds it */
Data *ir_data(Module *m, const char *name, u32 size, u32 align, bool writable); /* its symbol too */
void ir_reloc(Module *m, Data *d, u32 offset, u32 symbol, i32 addend);
u32 ir_loc(Module *m, Loc l);                          /* the last one again if it is equal */
u32 ir_scope(Module *m, SourceScope s);                /* for Loc.scope; 0: out of memory */
u32 ir_file(Module *m, const char *name);              /* finds it or adds it */

Func *ir_func(Module *m, const char *name, bool is_kernel); /* without blocks; its symbol too */
u32 ir_block(Func *f);                                      /* a new block, at the end */
u32 ir_value(Func *f);                                      /* a new value without a bank */
u32 ir_value_in(Func *f, Bank bank);
u32 ir_slot(Func *f, u32 size, u32 align);

/* Appends a copy of *i to block b. */
void ir_append(Func *f, u32 b, const Ins *i);
/* Adds what an IR_note says, for its imm. */
u32 ir_note(Func *f, Note n);
/* Inserts a copy before instruction `at` (nins: at the end). */
void ir_insert(Func *f, u32 b, size_t at, const Ins *i);
/* A phi without arguments set: arg has room for npred, all R_NONE.  Call after the
 * predecessors are known (graph_preds). */
Phi *ir_phi(Func *f, u32 b, u32 dst);

/* Appends an operation and returns the new value that it makes; a missing operand is ref_none(). */
u32 ir_op(Func *f, u32 b, IrOp op, Ref x, Ref y, Ref z, u32 loc);

/* Set the terminator of block b: a jump, a branch, a return. */
void ir_jump(Func *f, u32 b, u32 to);
void ir_branch(Func *f, u32 b, Cmp cmp, Ref x, Ref y, u32 then, u32 otherwise, u32 loc);
void ir_ret(Func *f, u32 b);

static inline bool ins_is_machine(const Ins *i) { return i->op >= IR_MACHINE; }
static inline InsnId ins_row(const Ins *i) { return (InsnId)(i->op - IR_MACHINE); }

/* --- facts of operations (ir.c, from ir.def and isa.def) -------------------------------------- */

/* Where an operation may appear: before selection, after it, after the end of SSA form. */
enum {
    IR_EARLY = 1, IR_SELECTED = 2, IR_LINEAR = 4,
    IR_LATE = IR_SELECTED | IR_LINEAR,
    IR_ALWAYS = IR_EARLY | IR_LATE
};

/* What a row of ir.def says. */
typedef struct {
    const char *name;
    u8 nargs;               /* operands used of a[] */
    bool has_dst;
    bool is_pure;           /* result depends on the operands alone: may be removed, joined, moved */
    bool has_effect;        /* may not be removed when the result is not used */
    u8 stages;              /* IR_EARLY and so on: where it may appear */
    Op eval;                /* op.def, for folding integers; OP_none */
} IrInfo;
extern const IrInfo ir_info[NIR];

/* The same for any instruction, machine rows included. */
int ins_nargs(const Ins *i);
bool ins_has_dst(const Ins *i);
bool ins_has_effect(const Ins *i);
bool ir_commutes(IrOp op);      /* a[0] and a[1] may be exchanged */
bool ir_compares(u32 op);       /* integers, as Cmp does: the result is 0 or 1; also of rows: false */
bool ir_shifts(IrOp op);        /* only the low bits of a[1] count */
bool ins_is_pure(const Ins *i); /* the result depends on the operands alone */
bool ins_is_load(const Ins *i);
bool ins_is_store(const Ins *i);
/* Of a machine row: index in a[] of the operand that shares its register with dst, or -1. */
int ins_tied(const Ins *i);
/* Of a machine row: the bank that a[k] and dst must be in; BANK_NONE: an immediate or block. */
Bank ins_arg_bank(const Ins *i, int k);
Bank ins_dst_bank(const Ins *i);
/* Of a machine row: the operand of isa.def that a[k] is, or O_none. */
OperandId ins_arg_operand(const Ins *i, int k);

/* --- graph (graph.c) --------------------------------------------------------------------- */

/* Builds the predecessors of all blocks, in ascending order of block number; a branch whose sides
 * are the same block counts twice.  The arguments of phis follow this order, so edges change only
 * through the functions here. */
void graph_preds(Func *f);
/* Builds reverse post-order, predecessors, dominators, post-dominators and loops.  Blocks that
 * cannot be reached are emptied, and the phi arguments that come from them removed.  Every block
 * must have its terminator.  The post-dominator of a block that cannot reach the exit is the
 * exit. */
void graph_build(Func *f);
/* Adds an edge to the exit, which is never taken, to the header of every loop that cannot reach the
 * exit, so that all its blocks have post-dominators.  Needs graph_build() and does it again. */
void graph_open_loops(Func *f);
bool graph_dominates(const Func *f, u32 a, u32 b);      /* a dominates b, or is b */
bool graph_in_loop(const Func *f, u32 b, u32 loop);
/* Builds Block.other again, after edges of divergent branches have changed. */
void graph_name_sides(Func *f);
/* Puts a new block on the k-th outgoing edge of b; phis of the target keep their arguments.
 * The graph must be built again. */
u32 graph_split_edge(Func *f, u32 b, int k);

/* --- text and rules (ir_print.c, ir_parse.c, ir_check.c) --------------------------------- */

/* Append a function, or a whole module, in the text form. */
void ir_print(Buf *out, const Func *f);
void ir_print_module(Buf *out, const Module *m);
/* NULL: d says where and why.  Any text may be given. */
Module *ir_parse(const Source *src, const Target *target, Diag *d);

/* Which rules a function keeps (the head of this file); ALLOCATED: linear code with registers
 * alone. */
typedef enum { STAGE_GENERIC, STAGE_SELECTED, STAGE_LINEAR, STAGE_ALLOCATED } Stage;
/* Appends what is wrong with f to out, a line each; true: nothing is.  f needs graph_preds().
 * Running out of memory counts as wrong, and sets Module.failed too. */
bool ir_check(const Func *f, Stage stage, Buf *out);
/* The same for data and all functions. */
bool ir_check_module(const Module *m, Stage stage, Buf *out);
#endif
