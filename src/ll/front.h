/* front.h -- the front end: clang as a process. */
#ifndef LL_FRONT_H
#define LL_FRONT_H
#include "base/mem.h"
#include "ll/cache.h"

/* Build options, checked and taken apart. */
typedef struct {
    const char **words;     /* arguments for clang, then NULL; nwords without it */
    size_t nwords, capwords;
    Buf store;              /* text of words that had to be made */
    int level;              /* of the optimiser, 0 to 3 */
    bool fast_math;         /* -cl-fast-relaxed-math or -cl-unsafe-math-optimizations */
    bool finite_math;
    bool exact_division;    /* -cl-fp32-correctly-rounded-divide-sqrt */
    bool denormals_zero;    /* -cl-denorms-are-zero: allowed, without effect */
    bool uniform_groups;    /* -cl-uniform-work-group-size, or a language before 2.0 */
    u32 version;            /* of the language: 100 to 300 */
} BuildOptions;

/* False: d names the option that is not known or lacks its value. */
bool options_read(const LlOptions *opt, BuildOptions *b, Diag *d);
void options_free(BuildOptions *b);

/* Compiles to bitcode that no optimiser has seen.  clang's messages go to d as they are.  False: d
 * has an error. */
bool front_run(const char *source, size_t len, const LlOptions *opt, const BuildOptions *b,
               Buf *bitcode, Diag *d);
#endif
