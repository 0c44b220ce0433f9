/* trace.h -- a line an instruction, as the public Ventus Spike's commit log has it.
 *
 * The order of lines is Spike's too: its warps take turns, one word each, a prefix being a
 * word of its own; a warp at a barrier repeats the barrier until the others arrive;
 * groups come one after the other, each beginning with the five words of the boot ROM.
 * doc/man/ventus-run.1 lists what differs.
 */
#ifndef TOOL_TRACE_H
#define TOOL_TRACE_H
#include "sim/sim.h"
#include "tool/tool.h"

typedef struct Trace Trace;

/* Opens the file, "-" being stdout.  NULL: reported. */
Trace *trace_open(const char *file, Diag *d);
/* Listens; for SimOptions, with a slice of 1. */
const Observer *trace_observer(Trace *t);
/* NULL is allowed.  False: the file could not be written; reported. */
bool trace_close(Trace *t, Diag *d);
#endif
