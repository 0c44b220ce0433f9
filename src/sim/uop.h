/* uop.h -- decoded code.
 *
 * Code is decoded once, a page at a time, into Uops.  A Uop is the handler that executes the
 * instruction and its operands, with register numbers already extended by a prefix.  The Uop of a
 * prefix executes the prefix and the instruction after it together, so that a prefix costs nothing;
 * the instruction after it has a Uop of its own too, for branches to it.
 *
 * A handler returns the Uop to go on with, or NULL when the warp stops running
 * (it ended, waits, or faulted).
 */
#ifndef SIM_UOP_H
#define SIM_UOP_H
#include "mach/observe.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct Uop Uop;
/* Executes a Uop and returns the next one; NULL: the warp stops running. */
typedef const Uop *Handler(Warp *w, const Uop *u);

/* A decoded instruction. */
struct Uop {
    Handler *run;
    u32 pc;
    i32 imm;                /* immediate, or the target of a branch */
    u32 word;               /* low 32 bits of the instruction (after a prefix) */
    u8 rd, ra, rb, rc;      /* registers: destination, sources as op.def names them */
    u16 id;                 /* InsnId */
    u8 step;                /* Uops to the next instruction: 2 or 3 after a prefix */
    u8 rm;                  /* rounding mode of a float; 7: frm */
    u8 mod;                 /* MOD_*: what a compute prefix asks for */
    u8 mem;                 /* UOP_*: of memory accesses */
    u8 len;                 /* bytes of the instruction without its prefix */
};

/* mod; abs and neg have a bit for each of src1, src2, src3 */
enum { MOD_PAIR = 1, MOD_ABS = 1, MOD_NEG = 4 }; /* bit 0; shift of abs; shift of neg */
/* mem: IsaSpace in bits 2:0, words - 1 in bits 4:3; the address is a pair; a prefix says all
 * this */
enum { UOP_SPACE = 7, UOP_WORDS = 3, UOP_WIDE = 32, UOP_PREFIX = 64 };

/* instructions that this Uop retires, its prefix included */
static inline u32 uop_insns(const Uop *u) { return u->step - (u->len >> 3); }

/* a 64-bit word, whose upper half is in imm */
static inline u64 uop_word(const Uop *u) { return (u64)(u32)u->imm << 32 | u->word; }

enum { PAGE_UOPS = PAGE_SIZE / 4 };

/* The handlers by InsnId, compiled for one level of host vector instructions. */
typedef struct {
    const char *name;
    Handler *const *run;    /* [NINSN] */
    /* d[m][n] += a[m][k] * b[k][n], fused, k ascending, to nearest */
    void (*product)(float *d, const float *a, const float *b, u32 m, u32 n, u32 k);
    /* n of binary16, two a word, as binary32 */
    void (*halves)(u32 *to, const u32 *words, u32 n);
    /* to[j][i] = from[i][j] */
    void (*transpose)(u32 *to, const u32 *from, u32 rows, u32 columns);
    /* n of binary32, every NaN the canonical one */
    void (*canonical)(u32 *to, const u32 *from, u32 n);
} LaneLevel;

extern const LaneLevel lane_base, lane_avx2, lane_avx512;
/* The best level this host has; VENTUS_LANES=base|avx2|avx512 asks for less. */
const LaneLevel *lane_level(void);

/* The registers that an instruction names, as indices of a table of watched ones; x0 fills up.
 * WATCH_ALWAYS: observers that watch registers are always told of it (mach/observe.h). */
typedef struct { u16 reg[WATCH_NAMES]; } RegisterNames;

/* What is known of a page's instructions; refused: it is none. */
typedef struct {
    IsaFacts insn[PAGE_UOPS];
    RegisterNames names[PAGE_UOPS];
} CodeFacts;

/* The Uops after the page's own lead to the next page. */
typedef struct {
    Uop uop[PAGE_UOPS + 3];
    _Atomic(CodeFacts *) facts; /* made when first asked for */
} CodePage;

enum { CODE_PAGES = (CODE_END - CODE_LO) / PAGE_SIZE };

/* The cache of decoded code of one engine: the 256 MiB code window by pages, NULL where
 * nothing ran yet.  Pages are published with release order, so any thread may run
 * what another decoded. */
typedef struct {
    IsaSet set;
    Memory *memory;
    IsaDecoder decoder;
    const LaneLevel *level; /* whose handlers the Uops name */
    pthread_mutex_t lock;   /* guards making of pages */
    _Atomic u32 end;        /* pages from here on are NULL */
    _Atomic(CodePage *) page[CODE_PAGES];
} Code;

/* Its Uops name handlers of the level.  NULL: no memory. */
Code *code_new(IsaSet set, Memory *memory, const LaneLevel *level);
void code_free(Code *c);
/* Forgets the pages that overlap the range: their bytes changed.  No launch runs. */
void code_forget(Code *c, u64 addr, u64 size);
/* Forgets everything and uses another profile from now on. */
void code_use(Code *c, IsaSet set);

/* Decoded code whose bytes have left the window for a while. */
typedef struct CodeKept CodeKept;
/* Takes all pages out of the cache, before their bytes leave; no launch runs.  NULL: out of memory, and they
 * are forgotten. */
CodeKept *code_keep(Code *c);
/* Puts them back, when the same bytes are where they were, and frees k; the cache has no pages. */
void code_put_back(Code *c, CodeKept *k);
void code_kept_free(CodeKept *k); /* NULL is allowed */
u32 code_kept_pages(const CodeKept *k);

/* The Uop at pc, decoding its page if need be.  NULL: the fault is recorded in w. */
const Uop *code_at(Code *c, Warp *w, u32 pc);

/* What the instruction at u does, with its prefix; for sim_step() and observers.  Valid as long as
 * u.  NULL: the host has no memory. */
const IsaFacts *code_facts(Code *c, const Uop *u);
/* The same for those who need it of few instructions, and keep nothing. */
void code_facts_of(const Code *c, const Uop *u, IsaFacts *facts);
/* The same of all instructions of the page of pc, which has Uops. */
const CodeFacts *code_page_facts(Code *c, u32 pc);

/* Whether a store of `len` bytes at addr would change decoded instructions. */
bool code_covers(const Code *c, u64 addr, u32 len);

/* Adds what the words of the range need. */
void code_needs(const Memory *m, IsaSet set, u64 addr, u64 size, CodeNeeds *needs);

/* The decoded code that the warp runs. */
static inline Code *warp_code(const Warp *w) { return (Code *)w->group->code; }

#endif
