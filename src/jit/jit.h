/* jit.h -- engines that execute compiled host code: `jit`, from the first instruction on; `auto`,
 * which interprets until something is hot and compiles that meanwhile; and `shadow`, which does
 * what `jit` does and compares it with the interpreter (shadow.h).
 *
 * They are the interpreter (sim/) with another way to run a warp: decoded code, threads, groups
 * and limits are its own, and so is every instruction that is not compiled.
 */
#ifndef JIT_JIT_H
#define JIT_JIT_H
#include "mach/engine.h"

extern const EngineKind jit_kind, auto_kind, shadow_kind;

/* Whether code can be compiled on this host, by this build; else *why tells why not, in a text that
 * is not freed. */
bool jit_available(const char **why);

/* What an engine of these kinds has done since it was opened. */
typedef struct {
    u64 insns;              /* warp instructions of launches that it could run compiled */
    u64 compiled;           /* of them, in compiled code */
    u64 regions;            /* that there is host code of now or was */
    u64 cached;             /* of them, found on disk */
    u64 given_up;           /* pieces of code that could not be made: LLVM failed, or took too long */
    u64 nanoseconds;        /* of processor time that the maker took for them */
} JitStats;
/* False: the engine is of another kind. */
bool jit_stats(const Engine *e, JitStats *s);

/* Of `shadow`, after FAULT_DIFFERS: what differed, a line; else empty. */
const char *jit_difference(const Engine *e);
#endif
