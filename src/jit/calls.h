/* calls.h -- what compiled code calls. */
#ifndef JIT_CALLS_H
#define JIT_CALLS_H
#include "jit/hostcode.h"

/* Sets the functions of *env. */
void calls_set(HostEnv *env);
#endif
