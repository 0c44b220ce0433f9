/* isa.h -- one instruction: its bits, its operands, its text.
 *
 * Everything here reads the rows of isa.def.  A word becomes an Insn by
 * isa_decode(), an Insn becomes a word by isa_encode(), and a text by
 * isa_print(); the assembler (asm/) is the reader of texts.
 *
 * Words are 32 bits; in v2025 a word whose bits [2:0] are 100 is 64 bits long,
 * its low half first (facts: doc/isa.md, "Words").
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H
#include "base/base.h"
#include "base/mem.h"

/* Profiles and overlays; a set of them is an IsaSet.  A machine runs exactly one
 * profile and any overlays. */
enum { V202 = 1, V2025 = 2, AI = 4, TIDX = 8 };
/* Of rows only: not with v2025; only where v2025 and ai meet. */
enum { NOT_V2025 = 16, AI_V2025 = 32 };
typedef u8 IsaSet;

/* "v202", "v2025", "v202+ai+tidx"; false when it names no profile or an unknown set. */
bool isa_parse_set(const char *text, IsaSet *set);
/* The reverse; the text is at most 23 characters. */
void isa_set_name(IsaSet set, char name[24]);

/* The rows of isa.def. */
typedef enum {
#define INSN(id, ...) I_##id,
#include "isa/isa.def"
    NINSN
} InsnId;

/* The operations of op.def. */
typedef enum {
#define OP(name, ...)    OP_##name,
#define OP3(name, ...)   OP_##name,
#define FIX(name, ...)   OP_##name,
#define FOP(name, ...)   OP_##name,
#define FOP3(name, ...)  OP_##name,
#define FBIT(name, ...)  OP_##name,
#define FSOFT(name, ...) OP_##name,
#define WIDTH(name, ...) OP_##name,
#define NAMED(name, ...) OP_##name,
#include "isa/op.def"
    OP_none,
    NOP
} Op;

/* The rules of execution of effect.def. */
typedef enum {
#define EFFECT(name, ...) E_##name,
#include "isa/effect.def"
    NEFFECT
} Effect;

/* The units of effect.def. */
typedef enum {
#define UNIT(name, what) U_##name,
#include "isa/effect.def"
    NUNIT
} Unit;

/* The OPERAND and KEYED rows of isa.def. */
typedef enum {
#define OPERAND(name, ...) O_##name,
#include "isa/isa.def"
    O_none,
    NOPERAND
} OperandId;

/* The FORMAT rows of isa.def. */
typedef enum {
#define FORMAT(name, ...) F_##name,
#include "isa/isa.def"
    NFORMAT
} FormatId;

/* CSRs by name, as in csr.def. */
enum {
#define CSR(number, name, ...)       CSR_##name = number,
#define CSR_LANES(number, name, ...) CSR_##name = number,
#include "isa/csr.def"
};

/* How an operand is written. */
typedef enum {
    K_XREG,  /* scalar register, ABI name */
    K_XRAW,  /* scalar register, x name */
    K_VREG,  /* vector register */
    K_IMM,   /* number */
    K_IMMX,  /* five-bit immediate of OPIVI that regexti widens */
    K_IMMZ,  /* the same, zero-extended without regexti */
    K_IMM12, /* written 0..4095, executed sign-extended */
    K_REL,   /* byte offset from the instruction */
    K_CSR,   /* CSR number */
    K_VTYPE, /* e32, m1, ta, ma */
    K_ORDER, /* iorw */
    K_MASK,  /* 1: all lanes; 0: ", v0.t" */
    K_RM,    /* rounding mode; 7 (dyn) is not written */
    K_AQRL,  /* bit 1 .aq, bit 0 .rl, on the mnemonic */
    K_MMA,   /* .shape.layout.layout.types on the mnemonic */
    K_MMA64,
    K_KEY,   /* key=value */
    K_HIDE   /* ignored bits; 0 unless a foreign word sets them */
} OperandKind;

/* Whether the register that an operand names is read or written. */
typedef enum { USE_N = 0, USE_R = 1, USE_W = 2, USE_RW = 3 } OperandUse;

/* What an instruction does with an operand: the letters of FORMAT rows. */
typedef enum {
    ROLE_D = 'd',       /* the result; an accumulator is read, too */
    ROLE_A = 'a', ROLE_B = 'b', ROLE_C = 'c', /* sources as op.def names them */
    ROLE_ADDRESS = 'p', /* where an access or a jump starts from */
    ROLE_OFFSET = 'o',  /* a number added to it, the size code of a copy */
    ROLE_STRIDE = 's',  /* what is added to it from lane to lane */
    ROLE_INDEX = 'i',   /* what each lane adds to it */
    ROLE_VALUE = 'v',   /* what is stored; the second source of an atomic */
    ROLE_TO = 'q',      /* where a copy goes */
    ROLE_TARGET = 't',  /* of a branch */
    ROLE_CSR = 'n',
    ROLE_TYPE = 'y',    /* vtype */
    ROLE_MASK = 'm',    /* vm */
    ROLE_ROUND = 'r',   /* rm */
    ROLE_NONE = 'x'     /* a modifier, or without a meaning */
} IsaRole;

/* Which three bits of a register prefix extend a register field.  X3D: x3 when it
 * is not zero, else xd (doc/isa.md, "Prefixes"). */
typedef enum { SLOT_NONE, SLOT_XD, SLOT_X1, SLOT_X2, SLOT_X3, SLOT_X3D } IsaSlot;

enum { MAXOPD = 10, MAXPIECE = 6 };

/* An OPERAND or KEYED row. */
typedef struct {
    const char *name;
    const char *key;        /* of key=value, else NULL */
    u8 kind, use, slot;     /* OperandKind, OperandUse, IsaSlot */
    u8 sgn, shift;
    struct { u8 lsb, len; } piece[MAXPIECE]; /* most significant first, ends at len 0 */
} OperandInfo;

/* A FORMAT row. */
typedef struct {
    const char *pattern;    /* text with a % for each operand */
    const char *roles;      /* an IsaRole for each operand */
    u64 mask;               /* the bits an instruction fixes */
    u8 nopd;
    u8 opd[MAXOPD];         /* OperandId */
} FormatInfo;

/* What is true of every instance of an instruction. */
typedef struct {
    const char *text;       /* mnemonic */
    u64 match;              /* word & mask == match, mask from the format */
    IsaSet sets;            /* who has it */
    u8 len;                 /* bytes: 4 or 8 */
    u8 format, unit, effect, op;
} InsnInfo;

extern const InsnInfo isa_insn[NINSN];
extern const FormatInfo isa_format[NFORMAT];
extern const OperandInfo isa_operand[NOPERAND];
/* --- what rows say ---------------------------------------------------------- */

/* What happens to memory.  ATOMIC: read and written.  COPY: another place is read. */
typedef enum { ACCESS_NONE, ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_COPY } IsaAccess;

/* Which memory an access means (doc/isa.md, "Memory").  DEFAULT: the address says.
 * PRIVATE: of the lane, interleaved over the warp.  FLAT: private where the top byte of
 * the address register is 0 (v2025; as DEFAULT in v202).  GROUP: private, interleaved
 * over the work-group. */
typedef enum {
    SPACE_DEFAULT, SPACE_GLOBAL, SPACE_PRIVATE, SPACE_LOCAL, SPACE_FLAT, SPACE_GROUP
} IsaSpace;

/* What comes next: the next word; a jump to a number, to a register; a branch of the warp;
 * one that may divide it; a join; nothing; a wait for the group; a fault.  PREFIX: the
 * next instruction is changed. */
typedef enum {
    CONTROL_NEXT, CONTROL_JUMP, CONTROL_JUMP_REG, CONTROL_BRANCH, CONTROL_SPLIT, CONTROL_JOIN,
    CONTROL_EXIT, CONTROL_BARRIER, CONTROL_TRAP, CONTROL_PREFIX
} IsaControl;

/* State of a warp beside registers, and of what else a result may depend on. */
enum {
    STATE_FFLAGS = 1,
    STATE_FRM = 2,
    STATE_VXSAT = 4,
    STATE_VXRM = 8,
    STATE_VL = 16,          /* vl and vtype */
    STATE_PC = 32,          /* where the instruction lies is a source of its result */
    STATE_STACK = 64,       /* mask and divergence stack */
    STATE_RPC = 128,
    STATE_RESERVED = 256,   /* reservations of lr */
    STATE_COPIES = 512,     /* copies that no one waited for */
    STATE_CSR = 1024,       /* a CSR without a name here */
    STATE_CLOCK = 2048,     /* cycles, time, instructions retired */
    STATE_LANES = 4096,     /* what a lane gets depends on other lanes, or on which are active */
    STATE_V0 = 8192         /* v0 as a choice (isa_facts() makes it a register) */
};

/* An EFFECT row. */
typedef struct {
    const char *name, *text;
    char widths[5];         /* of effect.def */
    bool signs;             /* abs and neg of a prefix count */
    u8 access, space, control; /* IsaAccess, IsaSpace, IsaControl */
    u16 reads, writes;      /* STATE_* */
} EffectInfo;

/* Facts of an operation (op.def). */
enum {
    OF_COMMUTES = 1,
    OF_UNSIGNED_A = 2, OF_UNSIGNED_B = 4, OF_UNSIGNED = 6,
    OF_FROM_FLOAT = 8, OF_TO_FLOAT = 16, OF_FLOAT = 24,
    OF_WORD = 32,
    OF_RAISES = 64,
    OF_SATURATES = 128,
    OF_VXRM = 256,
    OF_AMOUNT = 512
};

/* A row of op.def. */
typedef struct {
    u16 facts;              /* OF_* */
    u8 bytes;               /* of an access of this width; 0: no width */
    bool sgn;               /* it is sign-extended */
} OpInfo;

extern const EffectInfo isa_effect[NEFFECT];
extern const OpInfo isa_op[NOP];
extern const char *const isa_unit_name[NUNIT], *const isa_unit_text[NUNIT];
extern const char *const isa_op_name[NOP];

/* Whether a machine of this set has the instruction. */
bool isa_has(IsaSet set, InsnId id);

/* The format, effect and operation of a row. */
static inline const FormatInfo *isa_format_of(InsnId id) { return &isa_format[isa_insn[id].format]; }
static inline const EffectInfo *isa_effect_of(InsnId id) { return &isa_effect[isa_insn[id].effect]; }
static inline const OpInfo *isa_op_of(InsnId id) { return &isa_op[isa_insn[id].op]; }

/* Whether it works on lanes: some operand is a vector register. */
bool isa_is_vector(InsnId id);
/* Bytes a lane moves with one word of an access; 0: the row is none of fixed width. */
u32 isa_access_bytes(InsnId id);
/* source[]: indices into Insn.opd of the operands that a row reads, but for modifiers and those
 * without a meaning, in the order of the format, an accumulator last.  Returns how many there
 * are. */
int isa_sources(InsnId id, u8 source[MAXOPD]);
/* The atomic of the set whose operation is op and whose address is one register; NINSN: none. */
InsnId isa_find_atomic(IsaSet set, Op op);
/* Index of the operand that is written, or -1; whether it is also read. */
int isa_result(InsnId id, bool *accumulates);

/* One instance.  opd[] follows the operands of the format: register fields as
 * encoded (0..31, or 0..255 in 64-bit words), immediates as values. */
typedef struct {
    InsnId id;
    i32 opd[MAXOPD];
} Insn;

/* Index of the rows of one IsaSet by opcode and funct3, so that decoding looks at
 * a handful of rows.  Filled once, then read by any number of threads. */
typedef struct {
    IsaSet set;
    u16 head[1025];         /* rows of key k: list[head[k]] .. list[head[k + 1] - 1] */
    u16 list[2200];
} IsaDecoder;

/* Fills the index for a set. */
void isa_decoder_init(IsaDecoder *d, IsaSet set);

/* Length in bytes of the word that starts with these 32 bits. */
static inline int isa_length(IsaSet set, u32 low) { return set & V2025 && (low & 7) == 4 ? 8 : 4; }

/* False: no instruction of the set has this word (reserved rounding modes and
 * matrix shapes included).  A 32-bit word has its upper half zero. */
bool isa_decode(const IsaDecoder *d, u64 word, Insn *in);

/* False: operand *bad (if bad is not NULL) does not fit its field. */
bool isa_encode(const Insn *in, u64 *word, int *bad);

/* The value of an operand in a word; the smallest and largest value it can hold
 * and the step between values. */
i32 isa_get(OperandId o, u64 word);
bool isa_put(OperandId o, i32 value, u64 *word);
void isa_range(OperandId o, i64 *min, i64 *max, i64 *step);

/* The index in opd[] of operand o, or -1. */
int isa_find_operand(InsnId id, OperandId o);

/* --- prefixes ------------------------------------------------------------- */

/* What a prefix adds to the next instruction (doc/isa.md, "Prefixes"). */
typedef struct {
    bool valid;
    bool has_imm;           /* regexti: immhi counts */
    u8 xd, x1, x2, x3;      /* upper three bits of register numbers */
    u8 immhi;               /* six upper bits of a five-bit immediate */
    u8 pair, abs, neg;      /* of prefix and prefixi; abs and neg a bit a source */
    bool memory;            /* pre_m_*: what follows counts, and only for a memory access */
    u8 space;               /* IsaSpace up to SPACE_LOCAL */
    u8 words;               /* 1 to 4: width of the access */
    bool wide;              /* the address is a register pair */
} IsaPrefix;

/* Whether the instruction computes with floats or moves them, so that float registers must be there. */
bool isa_is_float(InsnId id);
/* Whether the instruction is a prefix, and what it says. */
bool isa_is_prefix(InsnId id);
IsaPrefix isa_prefix(const Insn *in);
/* The register number that operand o with field value `field` means under p. */
int isa_extend(const IsaPrefix *p, OperandId o, int field);
/* The bit of abs and neg that is about source operand o: 0 rs1, vs1; 1 rs2, vs2; 2 the third. */
static inline int isa_modifier(OperandId o)
{
    return isa_operand[o].slot == SLOT_X1 ? 0 : isa_operand[o].slot == SLOT_X2 ? 1 : 2;
}
/* The value that an IMMX or IMMZ operand executes with under p. */
i32 isa_extend_imm(const IsaPrefix *p, OperandId o, i32 field);

/* --- facts (facts.c) -------------------------------------------------------- */

/* Consecutive registers that an instance uses.  x0 among them is a constant: reads of it depend on
 * nothing and writes to it change nothing. */
typedef struct {
    u8 role;                /* IsaRole; ROLE_MASK: v0 as a mask or choice */
    u8 operand;             /* index in Insn.opd; MAXOPD: v0, which is not written */
    bool is_vector, is_read, is_written;
    u8 first, count;
} IsaRegs;

/* Why a machine refuses an instance of an instruction. */
typedef enum {
    REFUSED_NOT,
    REFUSED_REGISTER,       /* one that is not there, or an odd one where a pair begins */
    REFUSED_WORD,           /* a combination that has no meaning */
    REFUSED_LANES           /* not with this many lanes */
} IsaRefusal;

enum { MAXREGS = 6 };

/* All that an instance does, so that nobody needs to derive it from the row.
 *
 * A row's result is written in the active lanes alone; scalars are always written.  Where
 * a whole register is not written (elements of less than 32 bits), it is also read. */
typedef struct {
    u8 refused;             /* IsaRefusal; it faults then, and nothing else counts */
    u16 bad;                /* the register of REFUSED_REGISTER */
    u8 nregs;
    IsaRegs reg[MAXREGS];
    bool lanes;             /* vector registers: what the active lanes hold */
    bool masked;            /* with the lanes that v0 leaves on */
    u8 control;             /* IsaControl */
    u16 reads, writes;      /* STATE_*, without STATE_V0 */
    /* memory: `words` of `bytes` each, one after the other, a lane, or for the warp */
    u8 access, space;       /* IsaAccess, IsaSpace */
    u8 bytes, words;
    bool sgn;               /* sign-extended */
    bool wide;              /* the address is a pair of registers */
    /* numbers */
    i32 imm;                /* offset, source, CSR or type; a target relative to the instruction */
    u8 uimm;                /* of vsetivli and csrr?i: the source that no register holds */
    u8 rm;                  /* FpRound of floats; 7: frm */
    /* what a prefix changes, 0 where the instruction does not take it */
    u8 pair, abs, neg;      /* abs, neg: bit 0 rs1 or vs1, 1 rs2 or vs2, 2 the third */
    bool by_prefix;         /* memory: a prefix says space, words and width of the address */
} IsaFacts;

/* *f: all that `in` does after prefix p (NULL or not valid: no prefix) on a machine of the set with
 * so many lanes a warp, 0 if that is not known.  False: the machine refuses it. */
bool isa_facts(const Insn *in, const IsaPrefix *p, IsaSet set, u32 lanes, IsaFacts *f);

/* --- names ---------------------------------------------------------------- */

extern const char *const isa_xreg_name[64];     /* ABI names */

/* Registers: x0..x63, ABI names, v0..v255.  The text has len characters. */
bool isa_find_xreg(const char *text, size_t len, int *n);
bool isa_find_vreg(const char *text, size_t len, int *n);

/* Appends the rows of abi.def as assembly: .equ for each number, and a macro with_registers NAME
 * that calls the macro NAME with role=register for each role (doc/asm.md, "Names of the binary
 * interface"). */
void isa_abi_text(Buf *b);

/* Whether such an operand is part of the mnemonic, brings its own comma or is not written at
 * all. */
bool isa_is_modifier(OperandKind k);

/* CSR by any of its names, upper or lower case, with or without CSR_; NULL when a
 * number has no name.  `standard`: one that LLVM's listings print by name. */
bool isa_find_csr(const char *text, size_t len, u32 *n);
const char *isa_csr_name(u32 n, bool *standard);
/* STATE_* that reading it depends on (0: it stays while a warp runs), or that a write changes. */
u16 isa_csr_state(u32 n, bool writes);

/* An instruction by mnemonic, .aq/.rl and matrix suffixes included; their
 * operand values are set in `in`, the others are zero.  False: no such
 * mnemonic in the set; *elsewhere then tells the sets that have it, 0 when none. */
bool isa_find_insn(const char *text, size_t len, IsaSet set, Insn *in, IsaSet *elsewhere);
/* The mnemonic closest to a mistyped one, or NULL. */
const char *isa_suggest(const char *text, size_t len, IsaSet set);

/* Rounding modes, iorw sets and vtype as texts. */
bool isa_find_rm(const char *text, size_t len, i32 *rm);
bool isa_find_order(const char *text, size_t len, i32 *order);

/* --- aliases -------------------------------------------------------------- */

/* One row of alias.def: another way to write an instruction. */
typedef struct {
    const char *text;       /* mnemonic */
    const char *pattern;
    u8 opd[MAXOPD];         /* OperandId: what is written, ends at O_none */
    u16 base;               /* InsnId */
    struct { i8 from; i32 value; } map[MAXOPD]; /* base operand = opd[from] + value; from < 0: value */
    bool printed;           /* listings prefer it */
} AliasInfo;

extern const AliasInfo isa_alias[];
extern const int isa_nalias;

/* --- text ----------------------------------------------------------------- */

/* How isa_print() writes an instruction; all zero: as the public LLVM does, without addresses. */
typedef struct {
    bool have_pc;           /* targets are printed as addresses, else as offsets */
    u64 pc;
    bool csr_names;         /* Ventus CSRs by name, not by number */
    bool raw;               /* no aliases */
    /* The symbol at or before an address, with the distance in *past; NULL: none.
     * May be NULL. */
    const char *(*symbol)(void *self, u64 addr, u64 *past);
    void *self;
    /* Printed instead of operand `hidden`; NULL: nothing is. */
    const char *instead;
    OperandId hidden;
} IsaPrint;

/* Appends the text of `in` as the public LLVM prints it.  An instance whose text
 * would lose bits (ignored fields that are not zero) is printed as a data
 * directive with the plain text in a comment. */
void isa_print(Buf *b, const Insn *in, const IsaPrint *how);
/* The same for a word: what is no instruction becomes a data directive. */
void isa_print_word(Buf *b, const IsaDecoder *d, u64 word, int len, const IsaPrint *how);

/* --- matrix shapes (mma.c) -------------------------------------------------- */

/* The suffix of an mma or mma64 mnemonic from its operand value, and back.
 * False: the combination is reserved. */
bool isa_mma_suffix(OperandKind kind, i32 value, char *text, size_t size);
bool isa_find_mma(OperandKind kind, const char *text, size_t len, i32 *value);

/* element types of matrix A and B, as encoded */
typedef enum {
    MMA_TF32, MMA_F16, MMA_BF16, MMA_E4M3, MMA_E5M2, MMA_E3M2, MMA_E2M3, MMA_E2M1, MMA_E3M0,
    MMA_S8, MMA_S4, MMA_B1, MMA_F32
} MmaType;

/* What an operand value of mma or mma64 means. */
typedef struct {
    u32 m, n, k;
    MmaType type;
    bool a_by_column;       /* A: m runs fastest (else k) */
    bool b_by_row;          /* B: k runs fastest (else n) */
    bool wide;              /* C and D are 32 bits (else binary16) */
    u32 rounding;           /* floats: 0 rn 1 rz 2 rm 3 rp; integers: 0 saturate, 1 wrap */
} Mma;
bool isa_mma(OperandKind kind, i32 value, Mma *m);
/* Bits that an element takes in a register. */
u32 isa_mma_bits(MmaType t);
/* Bits of exponent and fraction of the floats from MMA_E4M3 to MMA_E3M0; the bias is that of IEEE 754. */
typedef struct {
    u8 exp, frac;
} MmaFloat;
MmaFloat isa_mma_float(MmaType t);
/* Registers that a matrix of n elements of so many bits takes: 32 words each. */
static inline u32 isa_mma_registers(u32 n, u32 bits) { return (n * bits + 1023) / 1024; }

/* --- pure operations (op.c) -------------------------------------------------- */

/* Integer operations of op.def on one pair of values; the definition that lane
 * loops and constant folding are checked against. */
u32 op_eval(Op op, u32 a, u32 b);
u32 op_eval3(Op op, u32 a, u32 b, u32 c);
/* Whether the operation exists on 64 bits too, for pair=1 of a prefix. */
bool op_has_pair(Op op);
#endif
