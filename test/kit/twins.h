/* twins.h -- the program of asmgen.h on two devices, an interpreter and one that compiles: both
 * must leave the same memory, count the same instructions and fault at the same place.  A program
 * that they do not agree about is left in jit_test.s.
 */
#ifndef KIT_TWINS_H
#define KIT_TWINS_H
#include "test/kit/asmgen.h"
#include "test/kit/skip.h"
#include "dev/dev.h"
#include "jit/jit.h"
#include "sim/sim.h"

#define KNL 0x90000000u /* the metadata block */
#define PDS 0x90100000u
enum { PDS_BYTES = 1 << 18 };

/* A launch of 2 x 2 x 2 groups. */
typedef struct {
    u32 lanes, items, warps; /* of a warp; of a group */
    u32 along;         /* of items, those along x; 0: all */
    VmRule vm;
    u64 max_insns;     /* 0: no limit */
    u64 memory;        /* number of the random contents of DATA, not 0 */
    u32 (*word)(void); /* one of them; NULL: random_word() */
    const u32 *first;  /* the first two; NULL: as random as the others */
} Shape;

/* A device for programs of gen.set with all that they use in memory; the test fails without. */
Device *open_device(const char *engine, u32 simt_depth);
/* Assembles, links and loads gen.text. */
void load_text(Device *d);
DevResult run(Device *d, const Shape *s);

typedef struct {
    Device *a, *b; /* the interpreter; the one that is compared with it */
    bool shadow;   /* b compares by itself, in turns that are shorter */
} Twins;

/* Leaves the test where nothing can be compiled.  engine: "jit" or "shadow". */
Twins twins_open(const char *engine, u32 simt_depth);
void twins_load(Twins *t);
/* Runs what is loaded on both and fails where they differ, naming the number.  Returns what the
 * second says. */
DevResult twins_run(Twins *t, const Shape *s, u64 number);
/* Loads gen.text, which it frees, and runs it in one warp of 32 lanes; it must fault at that address in the last
 * lane.  Ends both. */
void twins_fault_at(Twins *t, u32 addr, u64 number);
/* Ends both; says what the second compiled.  The test fails where code could not be made. */
JitStats twins_close(Twins *t);

/* Which programs a test tries: JIT_TEST_COUNT (else n) from JIT_TEST_SEED (else 1) on. */
typedef struct {
    u64 first, end;
} Programs;
Programs programs_to_try(u32 n);
#endif
