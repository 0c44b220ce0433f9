/* job.h -- one assembly: what asm_text() carries from reading to the object.
 *
 *     text ─ parse, macro, cond ─▶ statements
 *     statements ─ insn, pseudo, data, directive ─▶ fragments, fixups, symbols
 *     ─ layout ─▶ addresses ─ fixup ─▶ bits, relocations ─ kernel, emit ─▶ Object
 *
 * A section is a list of fragments: runs of bytes, and between them the pieces whose
 * size is known only when everything has been read (relaxable branches, alignment,
 * fills).  A label is a place in a fragment.  What depends on addresses waits in a
 * fixup.  Everything refers by index, because the arrays move while they grow.
 */
#ifndef ASM_JOB_H
#define ASM_JOB_H
#include "asm/asm.h"

/* Limits that keep a hostile text from using up the machine. */
enum {
    MAX_DEPTH = 100,         /* macros, includes and repetitions inside each other */
    MAX_NESTING = 200,       /* parentheses and operators of one expression */
    MAX_EXPANDED = 64 << 20, /* bytes that macros, repetitions and includes may add */
    MAX_SECTIONS = 4096,
    MAX_SIZE = 256 << 20,    /* bytes of all sections: the window of programs */
    MAX_MESSAGES = 1000      /* shown; finding the line of each takes a walk */
};

/* --- expressions (expr.c) ------------------------------------------------------- */

/* k + plus - minus, where plus and minus are symbols or 0; or, if tree is not 0, the
 * operator node of that index. */
typedef struct {
    i64 k;
    u32 plus, minus, tree;
} Expr;

/* An operator of an expression with its operands (b is not used by those of one operand). */
typedef struct {
    u8 op;
    u16 depth;
    Expr a, b;
} Node;

/* What an expression is once addresses are known: plus and minus, if any, are symbols
 * of other sections or files. */
typedef struct {
    i64 k;
    u32 plus, minus;
} Value;

/* Whether the expression is just a number. */
static inline bool is_number(const Expr *e) { return !e->plus && !e->minus && !e->tree; }

/* --- places and symbols ----------------------------------------------------------- */

/* A place in a text, for messages. */
typedef struct {
    const Source *src;
    const char *at;
} Place;

/* What a name stands for: nothing yet, a place, an expression (.set), zeros that files share
 * (.comm). */
typedef enum { SYM_UNDEF, SYM_LABEL, SYM_EQU, SYM_COMMON } SymKind;

/* A name, or a label without one. */
typedef struct {
    const char *name;       /* not terminated; NULL: made by us */
    u32 len, hash;
    u8 kind;                /* SymKind */
    u8 bind, type;          /* STB_*, STT_* */
    bool is_local;          /* .L and numeric labels: not in the symbol table unless a
                               relocation needs it */
    bool is_kernel;
    bool is_called;         /* the target of a call */
    bool is_declared;       /* .globl, .local or .weak names it */
    bool is_used;           /* by a relocation */
    bool has_size;
    u32 sect, frag, offset; /* of a label */
    Expr value;             /* of SYM_EQU; of SYM_COMMON k is the size */
    u32 align;              /* of SYM_COMMON */
    Expr size;
    Place place;            /* where it was defined, or seen first */
    u32 round;              /* of layout in which `known` was found; ROUND_BUSY: now */
    Value known;
    i32 index;              /* in Object.symbols */
} Sym;

enum { ROUND_BUSY = INT32_MAX };

/* --- sections and fragments (frag.c) ------------------------------------------------ */

/* What a fragment is. */
typedef enum {
    FRAG_DATA,   /* bytes */
    FRAG_BRANCH, /* a conditional branch: 4 bytes, or 8 as an inverted one over a jump */
    FRAG_ALIGN,  /* up to a multiple of pad.align */
    FRAG_FILL,   /* pad.count copies of pad.value */
    FRAG_ORG,    /* up to offset pad.count */
    FRAG_LEB     /* a fixup's value in LEB128 */
} FragKind;

/* What the instructions of a fragment use (kernel.c). */
typedef struct {
    u16 x, v;               /* 1 + the highest register */
    bool sp, tp;            /* the stack pointers */
    bool indirect;          /* calls through a register */
    bool unknown;           /* words whose registers are not known */
} Use;

/* A piece of a section; labels and fixups are at offsets in fragments. */
typedef struct {
    u8 kind;                /* FragKind */
    bool is_long;           /* FRAG_BRANCH: relaxed */
    bool has_code;          /* instructions were put here */
    u32 bytes, len;         /* in Sect.bytes */
    u32 since, base;        /* distance `base` from the start of fragment `since`, fixed */
    u32 fixup;              /* FRAG_BRANCH, FRAG_LEB */
    u32 pad;                /* FRAG_ALIGN, FRAG_FILL, FRAG_ORG: index in Asm.pads */
    u64 addr, size;         /* offset in the section, bytes: by layout */
    Use use;
    Place last;             /* its last instruction, and where that ends */
    u32 last_end;
    bool is_open;           /* that instruction is followed by what stands after it */
} Frag;

/* The operands of .align, .fill and .org, which fragments refer to. */
typedef struct {
    Expr count;             /* FILL: copies; ORG: offset */
    u64 value;
    u8 width;               /* bytes of value; ALIGN: 0 fills code with nops */
    u32 align, max;         /* ALIGN: skipped if it takes more than max bytes; 0: any */
    Place place;
} Pad;

/* What a fixup puts where. */
typedef enum {
    FIX_8, FIX_16, FIX_32, FIX_64, FIX_LEB, FIX_SLEB,     /* data */
    FIX_IMM,                                               /* a number in an operand */
    FIX_HI, FIX_LO_I, FIX_LO_S,                            /* %hi %lo */
    FIX_PCHI, FIX_PCLO_I, FIX_PCLO_S,                      /* %pcrel_hi %pcrel_lo */
    FIX_BRANCH, FIX_JAL, FIX_CALL,
    NFIX
} FixKind;

/* A place whose value is known only when addresses are. */
typedef struct {
    u8 kind;                /* FixKind */
    u8 operand;             /* OperandId, of fixups in instructions */
    bool is_address;        /* a branch target written as an address, not a symbol */
    bool has_prefix;        /* we put one in front of the instruction */
    bool done;              /* FIX_PCHI: resolved here, without a relocation */
    u32 frag, offset;
    Expr expr;
    Place place;
} Fixup;

/* A relocation of the object to be. */
typedef struct {
    u32 offset, type, symbol;
    i32 addend;
    u32 order;              /* in which it was made: pairs at one offset stay pairs */
} Reloc;

typedef struct {            /* .reloc */
    u32 sect;
    u16 type;               /* R_RISCV_* */
    Expr where, target;
    Place place;
} AskedReloc;

/* A section being assembled. */
typedef struct {
    const char *name;
    u32 len;                /* of name */
    u32 type, flags, align; /* SHT_*, SHF_* */
    bool has_addr;          /* a listing said where it is */
    u32 addr;
    bool is_named;          /* the text mentions it: it goes into the object */
    Buf bytes;              /* of its fragments */
    Frag *frags;
    size_t nfrags, capfrags;
    Fixup *fixups;          /* in order of place */
    size_t nfixups, capfixups;
    Reloc *relocs;
    size_t nrelocs, caprelocs;
    u64 size;
    i32 index;              /* in Object.sections */
} Sect;

/* --- reading -------------------------------------------------------------------------- */

/* What a parser expected where it gave up. */
typedef enum {
    WANT_XREG, WANT_VREG, WANT_NUMBER, WANT_TARGET, WANT_CSR, WANT_VTYPE,
    WANT_ORDER, WANT_RM, WANT_V0, WANT_V0T, WANT_KEY, WANT_COMMA, WANT_OPEN, WANT_CLOSE,
    WANT_NAME, WANT_STRING, WANT_END, NWANT
} Want;

/* The failure of a statement: of all attempts, the one that got furthest. */
typedef struct {
    const char *at;
    u32 wants;              /* set of Want */
    bool is_final;          /* read, but refused: other ways to read it do not matter */
    char text[240];         /* what is wrong there, if it is more than that */
} Fail;

/* A text that waits until an inner one (macro, repetition, include) has been read. */
typedef struct {
    const Source *src;
    const char *p;          /* where reading goes on when the inner text is finished */
    u32 repeats;            /* passes still to come */
    size_t conds;           /* open when it began */
    bool is_macro;
} Frame;

/* An .if that is open. */
typedef struct {
    bool active;            /* statements are assembled */
    bool taken;             /* a branch was, or none may be */
    bool has_else;
    Place place;
} Cond;

/* A parameter of a macro. */
typedef struct {
    const char *name, *fallback;
    u32 len, fallback_len;
    bool required, rest;
} Param;

/* A macro: its parameters, and its body as it stands in the text. */
typedef struct {
    const char *name, *body;
    u32 len, body_len;
    u32 param, nparam;      /* in Asm.params */
    u32 calls;
} Macro;

/* The columns before the text of a line of a listing. */
typedef struct {
    bool active;            /* this line has them */
    int len;                /* bytes of word; 0: none */
    u64 word;
    const char *at;
    bool gap;               /* "...": zeros up to the next address */
    i64 skew;               /* a wrong address that has been reported */
} Dump;

/* A word that a listing says, compared with ours when that is final. */
typedef struct {
    u32 sect, frag, offset;
    int len;
    u64 word;
    Place place;
} Expected;

typedef struct {            /* a line, or a place in one, and where its bytes start */
    const Source *src;
    const char *text;
    u32 sect, frag, offset;
} Line;

/* What an instruction does to ra, the address to return to: a call writes it, a return jumps to it,
 * anything else saves it or gets it back. */
typedef enum { RETURN_LOST, RETURN_TAKEN, RETURN_KEPT } ReturnKind;
typedef struct {
    Line place;
    u64 offset;             /* in its section, after layout */
    ReturnKind kind;
} Return;

/* Where code of its own starts: a function, a kernel, a label that others know. */
typedef struct {
    u32 sect;
    u64 offset;
} Border;

/* A kernel that .kernel declares, or that was guessed. */
typedef struct {
    u32 symbol;
    /* what .lds and its kin said, in bytes */
    u64 lds, pds, lds_stack, pds_stack;
    u64 start, end;         /* offsets of its code (kernel.c) */
    Use use;
    u32 flags;              /* RES_* */
} Kernel;

typedef struct Asm Asm;
typedef struct Directive Directive;

enum { MAX_FORMS = 8 };

/* What may stand at the start of a statement: filled when it is met first. */
typedef struct {
    const char *name;
    u32 len, hash;
    u32 macro;              /* index + 1 */
    const Directive *directive;
    bool has_base;
    Insn base;              /* with the operands that the mnemonic itself says */
    u8 npseudo, nalias;
    u8 pseudo[MAX_FORMS], alias[MAX_FORMS];
    IsaSet elsewhere;       /* sets that have it, when ours does not */
} Keyword;

/* An open hash table: indices + 1 of an array whose elements know their hash. */
typedef struct {
    u32 *slots;
    size_t nslots;          /* a power of two */
} Table;

struct Asm {
    AsmOptions opt;
    IsaSet set;
    Diag *d;
    bool no_memory;         /* an allocation failed: nothing that follows counts */
    bool had_error;         /* the Diag may have errors of other texts */

    /* reading */
    const char *p;          /* next character, in src->text */
    const Source *src;
    Frame frames[MAX_DEPTH];
    int depth;              /* frames below the current text */
    bool ended;             /* .end */
    Fail fail;
    bool in_operand;        /* of an instruction: a register is no symbol there */
    int messages, suggestions;
    Place last_error;
    Cond *conds;
    size_t nconds, capconds;
    Macro *macros;
    size_t nmacros, capmacros;
    Param *params;
    size_t nparams, capparams;
    u32 expansions;         /* for \@ */
    u64 expanded;           /* bytes, against MAX_EXPANDED */
    char **texts;           /* every text and Source that we made */
    size_t ntexts, captexts;
    Dump dump;

    /* names */
    Keyword *keywords;
    size_t nkeywords, capkeywords;
    Table keyword_table;
    struct { u32 key; int n; } registers[512]; /* operand.c */

    /* what was read */
    Sect *sects;
    size_t nsects, capsects;
    u32 sect, previous;     /* current, and where .previous goes */
    struct { u32 sect, previous; } *pushed;
    size_t npushed, cappushed;
    u64 size;               /* bytes of all sections so far */
    Sym *syms;              /* 0 is none */
    size_t nsyms, capsyms;
    Table sym_table;
    Node *nodes;            /* 0 is none */
    size_t nnodes, capnodes;
    Pad *pads;
    size_t npads, cappads;
    AskedReloc *asked;
    size_t nasked, capasked;
    Expected *expected;
    size_t nexpected, capexpected;
    Line *lines;
    size_t nlines, caplines;
    Line *places;           /* for AsmOptions.lines: of instructions, at their mnemonics */
    size_t nplaces, capplaces;
    IsaPrefix prefix;       /* valid: the instruction before was one */
    bool has_code;          /* an instruction has been assembled */
    u32 round;              /* of layout; 0 while reading */
    const char *complaint;  /* of this round of layout: what is wrong with a length */
    Place complaint_place;

    /* functions and kernels */
    Return *returns;
    size_t nreturns, capreturns;
    Kernel *kernels;
    size_t nkernels, capkernels;
    bool guessed_kernel;
};

/* The section that statements go to; the symbol of an index, valid until another one is added. */
static inline Sect *here(Asm *a) { return &a->sects[a->sect]; }
static inline Sym *sym_of(Asm *a, u32 id) { return &a->syms[id]; }

/* --- report.c --------------------------------------------------------------------------- */

/* Notes why the statement fails at `at`; the failure that got furthest is reported.  Returns
 * false. */
bool as_fail(Asm *a, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool as_want(Asm *a, const char *at, Want w);
/* The statement can be read, and is refused for this; false. */
bool as_refuse(Asm *a, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Notes that memory ran out; false. */
bool as_no_memory(Asm *a);
/* Reports what was noted since as_forget(), then forgets it. */
void as_report_failure(Asm *a, DiagKind kind);
void as_forget(Asm *a);
/* Reports something found after reading, at most once for each line of the text. */
void as_error_at(Asm *a, Place place, const char *fmt, ...) PRINTF_LIKE(3, 4);
void as_warn(Asm *a, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void as_warn_at(Asm *a, Place place, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* --- symbol.c ---------------------------------------------------------------------------- */

u32 as_hash(const char *s, size_t len);
/* Room for one more of `count` elements, whose hashes are at hash_offset. */
bool as_table_grow(Asm *a, Table *t, size_t count, const void *array, size_t stride,
                   size_t hash_offset);

/* 0: there is none, or out of memory. */
u32 as_find_symbol(Asm *a, const char *name, size_t len);
u32 as_symbol(Asm *a, const char *name, size_t len, const char *at);
/* A nameless label here. */
u32 as_label_here(Asm *a);
bool as_define_label(Asm *a, const char *name, size_t len, const char *at);
bool as_define_number(Asm *a, const char *digits, size_t len);
/* 1b and 1f */
u32 as_number_label(Asm *a, const char *digits, size_t len, bool forward);
bool as_assign(Asm *a, const char *name, size_t len, const Expr *value, bool once, const char *at);
/* Whether `name` may be a mistyped `other`. */
bool as_is_similar(const char *name, size_t len, const char *other);
/* Names of sections that are referred to stand for their starts. */
void as_name_sections(Asm *a);
/* A defined symbol that looks like the name, for messages; 0: none. */
u32 as_similar(Asm *a, const char *name, size_t len);
/* The name of a symbol, or of what it stands for, for messages. */
const char *as_symbol_name(const Asm *a, u32 id, char buf[64]);

/* --- expr.c --------------------------------------------------------------------------------- */

/* Reads an expression at a->p; false: the failure is noted. */
bool as_expr(Asm *a, Expr *e);
/* An expression whose value is known here. */
bool as_number(Asm *a, i64 *v);
/* The distance a - b of two labels when it is fixed already. */
bool as_distance(Asm *a, u32 plus, u32 minus, i64 *d);
/* After layout (or in a round of it).  False: *why says why. */
bool as_eval(Asm *a, const Expr *e, Value *v, const char **why);
/* Offset of a label in its section. */
u64 as_label_offset(const Asm *a, const Sym *s);
bool as_is_register(Asm *a, const char *name, size_t len);

/* --- frag.c ------------------------------------------------------------------------------- */

/* Index of the section; it is made if it does not exist. */
bool as_section(Asm *a, const char *name, size_t len, u32 *index);
void as_enter(Asm *a, u32 section);
/* The fragment that takes bytes; NULL: out of memory. */
Frag *as_data(Asm *a);
/* Starts another fragment, so that the code that follows is counted apart. */
bool as_split(Asm *a);
bool as_put(Asm *a, const void *bytes, size_t len);
bool as_put_int(Asm *a, u64 v, int bytes);
bool as_put_copies(Asm *a, u64 value, int width, u64 count);
Frag *as_new_frag(Asm *a, FragKind kind);
bool as_new_pad(Asm *a, FragKind kind, const Pad *pad);
/* A fixup `back` bytes before the end of the current fragment. */
Fixup *as_fix(Asm *a, FixKind kind, u32 back, const Expr *e, const char *at);
/* Offset of the end of the current section if it is fixed already. */
bool as_fixed_offset(Asm *a, u64 *offset);

/* --- parse.c ------------------------------------------------------------------------------ */

/* Reads all of the text, and what it includes, into sections, symbols and fixups. */
void as_read(Asm *a);
/* Continues with another text, then comes back; `repeats` more passes. */
bool as_push_text(Asm *a, const Source *src, u32 repeats, bool is_macro);
/* A text that lives as long as the job; takes `text`, which is from mem_alloc. */
const Source *as_source(Asm *a, const char *name, char *text, const char *from_at,
                        bool is_expansion);
/* Keeps p, from mem_alloc, until the job ends; false: out of memory, p is freed. */
bool as_keep(Asm *a, void *p);
/* Whether the statement ends here; the second one notes it as wanted if it does not. */
bool as_at_end(Asm *a);
bool as_end_of_statement(Asm *a);
bool as_comma(Asm *a);
bool as_name(Asm *a, const char **name, size_t *len);
/* A string of quotes with escapes, into out. */
bool as_string(Asm *a, Buf *out);
Keyword *as_keyword(Asm *a, const char *name, size_t len);
Keyword *as_add_keyword(Asm *a, const char *name, size_t len);
/* Looks all keywords up again, after a change of the set. */
void as_refresh_keywords(Asm *a);

/* --- cond.c, macro.c, directive.c, section.c, data.c ----------------------------------------- */

/* Runs a directive, whose operands are at a->p; arg is from its row.  False: a failure is noted. */
typedef bool DirectiveFn(Asm *a, int arg);

/* Where else a directive counts. */
typedef enum {
    DURING_SKIP = 1,        /* also seen where a condition excludes the text */
    IN_LISTING = 2          /* may stand after the columns of a listing */
} DirectiveFlags;

/* A row of the table in directive.c. */
struct Directive {
    const char *name;
    DirectiveFn *run;
    int arg;
    u8 flags;               /* DirectiveFlags */
};

/* The directive of that name, in lower case; the one whose name is most like it.  NULL: none. */
const Directive *as_find_directive(const char *name, size_t len);
const char *as_similar_directive(const char *name, size_t len);

/* Whether a condition excludes the present text. */
static inline bool as_skipping(const Asm *a)
{
    return a->nconds && !a->conds[a->nconds - 1].active;
}
void as_unfinished_conds(Asm *a, size_t down_to);

DirectiveFn as_if, as_ifdef, as_ifblank, as_ifsame, as_ifeqs, as_elseif, as_else, as_endif;
DirectiveFn as_macro, as_rept, as_irp, as_stray_end, as_exitm, as_purgem;
DirectiveFn as_dir_section, as_dir_named, as_dir_push, as_dir_pop, as_dir_previous;
DirectiveFn as_dir_align, as_dir_org, as_dir_comm;
DirectiveFn as_dir_ints, as_dir_string, as_dir_float, as_dir_fill, as_dir_space, as_dir_leb;
DirectiveFn as_dir_incbin, as_dir_insn;
DirectiveFn as_dir_kernel, as_dir_kernel_memory;
bool as_call_macro(Asm *a, u32 macro, const char *at);
/* "R_RISCV_type, expression" for the place `where`. */
bool as_ask_reloc(Asm *a, const Expr *where, const char *at);
/* A whole file; false: noted. */
bool as_load(Asm *a, const char *name, const char *at, Buf *out);

/* --- operand.c ----------------------------------------------------------------------------- */

/* %hi() and the like around an operand. */
typedef enum { MOD_NONE, MOD_HI, MOD_LO, MOD_PCREL_HI, MOD_PCREL_LO } Modifier;

/* The operands of a statement as written. */
typedef struct {
    i64 value[MAXOPD];
    const char *at[MAXOPD];
    int symbolic;           /* index of the one that is expr, or -1 */
    Expr expr;
    u8 modifier;            /* Modifier */
    bool is_address;        /* a target written as an address */
} Written;

/* Operands that stand in patterns of pseudo-instructions beside those of isa.def. */
enum { P_SYMBOL = NOPERAND, P_NUMBER, P_ZERO, P_VTEMP };

/* Fills Asm.registers, by which names of registers are found. */
void as_init_registers(Asm *a);
/* Reads what the pattern describes; a failure is noted. */
bool as_operands(Asm *a, const char *pattern, const u8 *opd, Written *w);
/* Any register; *is_vector tells which kind. */
bool as_any_register(Asm *a, i64 *n, bool *is_vector);
/* The scalar register of that name, or -1. */
int as_find_register(const Asm *a, const char *name, size_t len);
/* An expression, or %lo() and the like. */
bool as_immediate(Asm *a, Written *w, int i);
bool as_target(Asm *a, Written *w, int i);

/* --- insn.c, pseudo.c, insnform.c ------------------------------------------------------------- */

/* as_fill_keyword() looks a mnemonic up in the rows, pseudo-instructions and aliases; as_insn()
 * assembles one instruction, whose operands are at a->p.  False: a failure is noted. */
void as_fill_keyword(Asm *a, Keyword *k);
bool as_insn(Asm *a, const Keyword *k, const char *at);

/* One instruction before its prefix and word are made. */
typedef struct {
    InsnId id;
    i64 value[MAXOPD];      /* register numbers up to 255, immediates */
    const char *at[MAXOPD];
    i32 delta;              /* what an alias added to its immediate */
    int symbolic;           /* operand that is fixed up, or -1 */
    Expr expr;
    u8 fix;                 /* FixKind */
    bool is_address;
    bool is_direct;         /* a jalr that belongs to a call of a symbol */
    const char *where;      /* of the mnemonic */
} Draft;

/* Checks the operands, then puts the prefix they need and the word.  What fails is
 * noted and nothing is put. */
bool as_put_draft(Asm *a, const Draft *d);
/* Puts the prefix for these upper bits, if there are any and none is written. */
bool as_put_prefix(Asm *a, const IsaPrefix *need);
FixKind as_fix_kind(OperandId operand, Modifier m);
bool as_pseudo(Asm *a, int row, const char *at);
/* The rows of that name, at most max; how many. */
int as_find_pseudos(const char *name, u8 *rows, int max);
/* The mnemonic of a row; NULL: there are no more. */
const char *as_pseudo_name(int row);

/* --- dumpline.c --------------------------------------------------------------------------- */

/* At the start of a line: takes it, or its columns (dump.active), if it is of a listing.
 * *ok: nothing is wrong with it. */
bool as_dump_line(Asm *a, bool *ok);
/* Reads the text after the columns by `statement`. */
bool as_dump_text(Asm *a, bool (*statement)(Asm *));

/* --- relax.c, fixup.c, kernel.c, emit.c, places.c ------------------------------------------ */

/* Computes sizes and addresses of all fragments (relax.c).  False: reported. */
bool as_layout(Asm *a);
/* LEB128 of v; how many bytes. */
int as_leb(i64 v, bool is_signed, u8 out[10]);
/* Writes what the fixups say into the object's sections and collects relocations. */
void as_resolve(Asm *a, Object *o);
void as_note_use(Asm *a, Frag *f, const Draft *d, const IsaPrefix *p);
/* Puts a word that is code, but no instruction that we know. */
bool as_put_unknown(Asm *a, u64 word, int len);
void as_note_register(Frag *f, int n, bool is_vector);
void as_guess_kernel(Asm *a);
bool as_add_resources(Asm *a, Object *o);
Object *as_emit(Asm *a, const char *name);
void as_put_source_listing(Asm *a, const Object *o);

/* --- function.c --------------------------------------------------------------------------- */

bool as_is_code_label(const Asm *a, const Sym *s);
/* All borders, n of them, in the order of as_by_place(), the caller's to free; NULL: no memory. */
Border *as_find_borders(Asm *a, size_t *n);
int as_by_place(const void *border, const void *other);
/* The first border after a place, or the end of the section. */
u64 as_next_border(const Asm *a, const Border *borders, size_t n, u32 sect, u64 offset);
/* Notes what an instruction, whose word was put, does to ra. */
void as_note_return(Asm *a, const Draft *d, const IsaFacts *facts);
/* Notes where an instruction, whose word was put at the end of f, leads. */
void as_note_end(const Asm *a, Frag *f, const Draft *d, const IsaFacts *facts);
/* Warns of kernels whose last instruction is followed by whatever stands behind them. */
void as_warn_of_open_ends(Asm *a);
/* Warns of returns to an address that a call has overwritten. */
void as_warn_of_lost_returns(Asm *a, const Border *borders, size_t n);

/* --- places.c -------------------------------------------------------------------------------- */

/* The next instruction comes from here. */
void as_note_place(Asm *a, const char *at);
/* Adds the debug sections to the object as_emit() made. */
void as_put_lines(Asm *a, Object *o);
#endif
