/* trace.h -- a line an instruction, as the public Ventus Spike's commit log has it.
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

/* The lines go to a file that stays the caller's.  NULL: out of memory. */
Trace *trace_new(FILE *to);
/* Listens to one launch at a time; for LaunchOptions, with a slice of 1. */
Observer trace_observer(Trace *t);
/* NULL is allowed.  False: the file could not be written, or memory ran out on the way. */
bool trace_free(Trace *t);
#endif
