/* lower.h -- LLVM IR to the compiler's own: what the files lower*.c share.
 *
 * An LLVM value is a list of 32-bit pieces: an integer of up to 32 bits, a float or a pointer
 * is one, an integer of n bits ceil(n / 32) with the low one first, a vector, array or
 * structure those of its elements in order.  Bits of a piece above the width of its type
 * are undefined, except those of i1, which is 0 or 1; code that depends on them extends
 * first (int_zext, int_sext).
 */
#ifndef LL_LOWER_H
#define LL_LOWER_H
#include "cc/ir.h"
#include "obj/kernelinfo.h"
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

enum { VALUE_PIECES = 4096 }; /* of one value */

/* Pieces of a value; they live in the arena of the module. */
typedef struct {
    Ref *p;
    u32 n;
} Val;

static inline bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* Something for each LLVM object, by its address. */
typedef struct {
    struct Entry {
        const void *key;
        Val val;
    } *entry;
    size_t n, cap; /* cap: 0 or a power of two */
} Map;

/* A number for each pair of objects of LLVM, of which the second may be NULL. */
typedef struct {
    Map first; /* piece 0: 1 + the first entry with that object */
    struct PairEntry {
        const void *second;
        u32 number, next; /* 1 + the next entry with the same first object */
    } *entry;
    u32 n;
    size_t cap;
} PairMap;

/* A __local variable of the program. */
typedef struct {
    LLVMValueRef var;
    u32 size, align, offset;
    LLVMValueRef owner; /* the kernel that alone uses it, or NULL */
} Local;

/* The lowering of a module. */
typedef struct {
    Module *m;
    LLVMModuleRef src;
    LLVMContextRef ctx;
    LLVMTargetDataRef dl;
    Diag *d;
    Local *local;
    size_t nlocal, caplocal;
    bool apart;             /* variables get bytes between them, and notes (obj/notes.h) */
    u32 local_common;       /* bytes of the variables that several kernels use */
    Map types;              /* of types of the source: their numbers in the module */
    PairMap scopes;         /* of scopes of the source and the places of calls: Loc.scope */
    u32 nstring;            /* formats made for printf */
    u32 nnote;              /* notes made of variables */
    LLVMValueRef at;        /* what is being lowered: instruction, function or variable */
    bool stopped;           /* an error was reported; the rest of the function is left out */
    Ref scratch[VALUE_PIECES]; /* what is written to when out of memory */
} Lower;

/* An argument of a phi that is not made yet. */
typedef struct { u32 pred; Ref ref; } PhiIn;
typedef struct { u32 block, dst, n; PhiIn *in; } PendingPhi;

/* A function that is being lowered. */
typedef struct {
    Lower *lo;
    Func *f;
    LLVMValueRef src;
    u32 b;                  /* block that is being filled */
    u32 loc;
    Map values;             /* of LLVM values */
    Map blocks;             /* LLVM block: piece 0 its first block, piece 1 its last */
    PendingPhi *phi;
    size_t nphi, capphi;
    PhiIn *ret;             /* nresults for each return, in their order */
    size_t nret, capret;
    PairMap variables;      /* of the source, and the places of calls: 1 + the variable */
    u32 *note;              /* symbols of the notes of its variables */
    size_t nnote, capnote;
    i8 *known;              /* of a value: +w: bits from w on are 0, -w: from w - 1 on equal */
    size_t nknown, capknown;
} Fn;

/* --- metadata: types of the source (lower_types.c), its places (lower_place.c) ----------- */

/* Operand k of a node; NULL: there is none. */
LLVMValueRef node_operand(LLVMValueRef node, unsigned k);
/* What follows `key` in the printed form of a node, up to a comma or the end, for mem_free(); NULL:
 * it is not there. */
char *node_printed(LLVMValueRef node, const char *key);
/* A copy that lives as long as the module. */
const char *node_text(Lower *lo, const char *text, size_t len);
/* The number of a type in the module, from depth 0 on; 0: void, or a type that is left out. */
u32 source_type(Lower *lo, LLVMValueRef node, u32 depth);
/* blocks within blocks and calls within calls that are told apart; clang nests 256 blocks */
enum { DEEPEST_SCOPE = 1024 };
/* Loc.scope of what lies in a scope of the source, and came by the inlining of a call, or NULL. */
u32 scope_number(Lower *lo, LLVMMetadataRef scope, LLVMMetadataRef call, u32 depth);
/* The number of a place in Module.loc. */
u32 place_of_node(Lower *lo, LLVMMetadataRef at, u32 depth);

/* --- variables of the source (lower_debug.c) --------------------------------------------- */

/* Turns what the module says of variables into calls of llvm.dbg.declare and others. */
void show_variables(LLVMModuleRef m);
/* Declares the variables of the function that is lowered, parameters first. */
void note_function(Fn *n);
/* Notes what a call of llvm.dbg.declare, of llvm.dbg.value says. */
void note_variable(Fn *n, LLVMValueRef call);
void note_value(Fn *n, LLVMValueRef call);

/* --- values (lower_value.c) ------------------------------------------------------------ */

/* A value of n pieces, which are not set yet.  Puts a value into a map; finds one there. */
Val val_new(Lower *lo, u32 n);
void map_put(Lower *lo, Map *map, const void *key, Val v);
bool map_get(const Map *map, const void *key, Val *v);
/* The number of a pair, 0 if it is new; NULL when out of memory. */
u32 *pair_number(Lower *lo, PairMap *map, const void *first, const void *second);

u32 type_pieces(Lower *lo, LLVMTypeRef t);      /* reports types that have no pieces */
u32 type_size(const Lower *lo, LLVMTypeRef t);  /* bytes in memory with padding */
u32 type_align(const Lower *lo, LLVMTypeRef t); /* bytes */
bool type_is(LLVMTypeRef t, const char *opaque); /* a type of OpenCL C that LLVM does not look into: "Image" */
u32 type_elements(LLVMTypeRef t);               /* of a vector; 1 of anything else */
LLVMTypeRef type_scalar(LLVMTypeRef t);         /* of a vector its elements */
u32 int_bits(LLVMTypeRef t);                    /* 32 of pointers and floats */
bool lies_in_bytes(LLVMTypeRef t);              /* an element: a vector in memory is an array of it */

/* The value of v where the function stands now; of constants too. */
Val val_of(Fn *n, LLVMValueRef v);
Ref ref_of(Fn *n, LLVMValueRef v); /* its first piece */
void val_set(Fn *n, LLVMValueRef v, Val x);
/* Offset in bytes of the constant indices of a GEP, instruction or expression; the indices that
 * are not constant go to var[] and scale[] (room for `room`), *nvar counts all of them. */
i32 gep_offset(const Lower *lo, LLVMValueRef gep, LLVMValueRef *var, u32 *scale, u32 room,
               u32 *nvar);
/* A variable with its contents. */
void lower_global(Lower *lo, LLVMValueRef g);

/* An error at the place of an instruction or function, in clang's form; NULL: no place. */
void error_at(Diag *d, LLVMValueRef at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same at lo->at, once a function; lowering goes on with zeros. */
void refuse(Lower *lo, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- short hands (lower_value.c) --------------------------------------------------------- */

/* Append an operation to the present block and return its result; add_con() adds a constant. */
Ref op0(Fn *n, IrOp op, i32 imm);
Ref op1(Fn *n, IrOp op, Ref x);
Ref op2(Fn *n, IrOp op, Ref x, Ref y);
Ref op3(Fn *n, IrOp op, Ref x, Ref y, Ref z);
Ref add_con(Fn *n, Ref x, i32 c);
/* A phi at the start of block b with n arguments, completed when the function is. */
Ref phi_of(Fn *n, u32 b, const PhiIn *in, u32 nin);

/* Notes that a value is extended (Fn.known), and asks. */
void piece_known(Fn *n, u32 value, i8 extension);
i8 piece_extension(const Fn *n, Ref x);

/* --- operations on one element --------------------------------------------------------------- */

/* An element of an elementwise instruction: operands, their type and that of the result. */
typedef struct {
    LLVMTypeRef from, to;
    const Ref *a[3];
    Ref *out;
} Elem;

/* lower_int.c */
Ref int_zext(Fn *n, Ref x, u32 bits); /* a piece of which `bits` count, 1 to 32 */
Ref int_sext(Fn *n, Ref x, u32 bits);
/* the last piece of an integer of any width, its upper bits 0 */
Ref int_zext_top(Fn *n, Ref x, u32 bits);
void int_binary(Fn *n, LLVMOpcode op, const Elem *e);
void int_compare(Fn *n, LLVMIntPredicate p, const Elem *e);
void int_cast(Fn *n, LLVMOpcode op, const Elem *e);
Ref int_less(Fn *n, u32 bits, bool is_signed, const Ref *x, const Ref *y); /* x < y */
void wide_add(Fn *n, u32 k, const Ref *x, const Ref *y, Ref *out);
void wide_sub(Fn *n, u32 k, const Ref *x, const Ref *y, Ref *out);
bool int_intrinsic(Fn *n, const char *name, const Elem *e); /* false: not one of these */

/* lower_float.c */
void float_binary(Fn *n, LLVMOpcode op, const Elem *e);
void float_compare(Fn *n, LLVMRealPredicate p, const Elem *e);
void float_cast(Fn *n, LLVMOpcode op, const Elem *e);
bool float_intrinsic(Fn *n, const char *name, const Elem *e);

/* --- memory (lower_mem.c) ---------------------------------------------------------------- */

/* address spaces of LLVM's pointers */
enum { AS_PRIVATE, AS_GLOBAL, AS_CONSTANT, AS_LOCAL, AS_GENERIC };
unsigned as_of(LLVMValueRef pointer);

/* Lower the instruction or call of that name, i. */
void mem_load(Fn *n, LLVMValueRef i);
void mem_store(Fn *n, LLVMValueRef i);
void mem_alloca(Fn *n, LLVMValueRef i);
Ref private_object(Fn *n, u64 size, u32 align); /* its address; bytes */
void private_leave(Fn *n); /* at the function's exit: its variables are no more */
void mem_gep(Fn *n, LLVMValueRef i);
void mem_copy(Fn *n, LLVMValueRef i, bool is_move);
void mem_set(Fn *n, LLVMValueRef i);
/* Words at base + offset of memory that needs no dispatch. */
Ref load_word(Fn *n, Space s, Ref base, i32 offset, u32 width);
void store_word(Fn *n, Space s, Ref base, i32 offset, u32 width, Ref x);
Ref pointer_with_offset(Fn *n, LLVMValueRef pointer, i32 *offset);
/* The bits of a value as they lie in memory, in words, and back. */
u32 value_words(Fn *n, LLVMTypeRef t, const Ref *p, Ref *words);
void value_of_words(Fn *n, LLVMTypeRef t, const Ref *words, Ref *p);

/* --- atomics (lower_atomic.c) ----------------------------------------------------------------- */

/* Whether accesses of that order need a fence after them, before them; a fence for all memory. */
bool order_acquires(LLVMAtomicOrdering o);
bool order_releases(LLVMAtomicOrdering o);
void mem_fence(Fn *n);
/* The place with a mark (LOC_*). */
u32 mark_place(Fn *n, u32 loc, u32 isa);
/* Whether atomic access i of a t is one access of the machine; what is larger, or lies on no
 * multiple of its size, is for the functions below, which refuse what they cannot do. */
bool atomic_is_plain(Fn *n, LLVMValueRef i, LLVMTypeRef t);
void atomic_load(Fn *n, LLVMValueRef i);
void atomic_store(Fn *n, LLVMValueRef i);
void atomic_modify(Fn *n, LLVMValueRef i);
void atomic_exchange_if(Fn *n, LLVMValueRef i);

/* --- calls (lower_call.c, lower_printf.c) ------------------------------------------------ */

/* Lower a call: of a function or an intrinsic; of printf, as prepare.c has written it. */
void lower_call(Fn *n, LLVMValueRef i);
void lower_printf(Fn *n, LLVMValueRef i);

/* --- kernels (kernel_table.c) ------------------------------------------------------------ */

/* Place and type of an argument in the argument block; byval: the type of a structure, or NULL. */
typedef struct { u32 offset, size, align; LLVMTypeRef byval; } ArgPlace;
/* Where argument k lies, given where the one before ended (doc/abi.md, "Argument block"). */
ArgPlace arg_place(LLVMTargetDataRef dl, LLVMValueRef kernel, u32 k, u32 end);
bool is_kernel(LLVMValueRef f);
/* What the metadata NAME of a kernel says of parameter k, "" for nothing; the caller frees it.  NULL: out of
 * memory. */
char *kernel_word(LLVMValueRef f, const char *name, u32 k);
/* What the metadata says of the kernels; false: out of memory. */
bool kernels_describe(LLVMModuleRef m, LLVMTargetDataRef dl, KernelTable *t);

/* The machine IR of a module, named as it; NULL: d says why. */
Module *lower_module(LLVMModuleRef src, const char *name, const Target *target, bool apart,
                     Diag *d);
#endif
