/* ccgen.h -- random programs in OpenCL C without undefined behaviour.
 *
 * A program is a kernel
 *
 *     kernel void test(global const uint *in, global uint *out, global uint *sums)
 *
 * with its helper functions.  `in` has CCGEN_IN random words, `out` a word a work-item, `sums`
 * CCGEN_SUMS words that all work-items change by atomic operations whose order does not matter.
 * The kernel holds in every lane whatever it computes and mixes it into its word at the end.
 *
 * What it has: integers of all widths, floats where every operation rounds exactly one way,
 * vectors, structs, private arrays, calls, branches and loops that part the lanes, switches, and
 * among them, under branches and in loops that the whole group takes alike, exchanges through local
 * memory with barriers, group functions, asynchronous copies, and calls of functions that do the
 * same.
 */
#ifndef CHECK_CCGEN_H
#define CHECK_CCGEN_H
#include "base/mem.h"

enum { CCGEN_IN = 256, CCGEN_SUMS = 40, CCGEN_MOST_LOCAL = 128, CCGEN_STATEMENTS = 4096 };

/* The work-items of a group for which the program of a seed is written: 32, a warp at most; 128; or 80, of whose warps
 * of 32 lanes the last one has half. */
u32 ccgen_local(u64 seed);

/* The program of a seed, without the statements whose number is set in `without` (NULL: with
 * all).  Returns how many statements there are.  The same seed has the same numbers, so that a
 * program can be made smaller. */
u32 ccgen(u64 seed, const bool *without, Buf *out);

/* The next random number of a sequence that begins with any state. */
u64 ccgen_random(u64 *state);
#endif
