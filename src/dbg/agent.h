/* agent.h -- conditions of breakpoints, as gdb's agent expressions. */
#ifndef DBG_AGENT_H
#define DBG_AGENT_H
#include "dbg/state.h"

/* Computes an expression for a lane into *value.  False: it is malformed, reads what is not there,
 * divides by zero or does not end. */
bool agent_evaluate(const Run *r, Lane l, const u8 *code, size_t size, u64 *value);
#endif
