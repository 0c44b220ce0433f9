/* asmgen.h -- random programs in assembly, for engines that must agree about them.
 *
 * A program is text: start code that fills registers from memory, statements, and an end that
 * writes registers to memory.  Statements are random instructions of every kind, and graphs of
 * them: uniform and divergent branches, loops of both kinds, calls, barriers.
 *
 * x8..x11 are addresses: data, local, private, anything; x12..x27 are at large, with x28 and x29
 * counters of loops and x30 for reconvergence; x1 is what calls return to.  v0 masks, v1 and v2 are
 * addresses.
 */
#ifndef KIT_ASMGEN_H
#define KIT_ASMGEN_H
#include "base/mem.h"
#include "isa/isa.h"

#define DATA 0x90001000u /* random words; then what each warp leaves */
enum {
    DATA_BYTES = 1 << 18,
    OUT = 0x8000, /* in DATA: what warps leave, OUT_WARP each */
    OUT_WARP = 128 * 48
};

/* The one program that a test is about. */
typedef struct {
    Buf text;
    u64 seed; /* of what comes next; not 0 */
    IsaSet set;
    bool may_fault, reads_flags;
    bool most_die; /* it ends without reading most of its registers */
    u32 labels;    /* made so far */
    u32 functions; /* that may be called */
    u32 left;      /* statements to go */
} AsmGen;
extern AsmGen gen;

/* Begins the random numbers of a program, any number. */
void gen_begin(u64 program);
u32 below(u32 n); /* 0 to n - 1 */
bool one_in(u32 n);
u32 random_word(void); /* as integer or float of interest */
#define PICK(list) list[below(countof(list))]

/* The text without anything. */
void no_text(void);
/* One line, one label of the text. */
void line(const char *fmt, ...) PRINTF_LIKE(1, 2);
void label(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Lanes that part from here on meet at .LmN. */
void set_meeting(u32 n);
/* The name of a divergent branch. */
const char *divergent_branch(void);
/* One instruction, or a few, on the registers above. */
void random_alu(void);
/* A whole program of so many statements. */
void make_program(u32 size);
#endif
