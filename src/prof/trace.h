/* trace.h -- the trace of a launch: a line for each instruction, as in the commit log of the public
 * Ventus Spike.
 *
 * The order of lines is Spike's too: its warps take turns, one word each, a prefix being a
 * word of its own; a warp at a barrier repeats the barrier until the others arrive;
 * groups come one after the other, each beginning with the five words of the boot ROM.
 * doc/man/ventus-run.1 lists what differs.
 */
#ifndef PROF_TRACE_H
#define PROF_TRACE_H
#include "mach/engine.h"
#include <stdio.h>

typedef struct Trace Trace;

/* A trace that writes to a file, which stays the caller's.  NULL: out of memory. */
Trace *trace_new(FILE *to);
/* The observer that feeds the trace, for one launch at a time; LaunchOptions.slice must be 1. */
Observer trace_observer(Trace *t);
/* NULL is allowed.  False: the file could not be written, or memory ran out on the way. */
bool trace_free(Trace *t);
#endif
