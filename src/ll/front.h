/* front.h -- the front end: clang as a process. */
#ifndef LL_FRONT_H
#define LL_FRONT_H
#include "comp/request.h"

/* Build options, checked and taken apart. */
typedef struct {
    const char **words;     /* arguments for clang, then NULL; nwords without it */
    size_t nwords, capwords;
    Buf store;              /* text of words that had to be made */
    int level;              /* of the optimiser, 0 to 3 */
    bool fast_math;         /* -cl-fast-relaxed-math or -cl-unsafe-math-optimizations */
    bool variables;         /* -g, or no optimisation: debuggers learn of variables */
    bool apart;             /* -ventus-apart: __local variables have bytes between them */
    bool zero;              /* -ventus-zero: __local and private variables are 0 at first */
    u32 version;            /* of the language: 100 to 300 */
} BuildOptions;

/* False: d names the option that is not known or lacks its value. */
bool options_read(const CompOptions *opt, BuildOptions *b, Diag *d);
void options_free(BuildOptions *b);

/* The outputs of a run of clang. */
typedef struct {
    Buf out;                /* bitcode that no optimiser has seen, or what front_is_last() says */
    Buf files;              /* Reply.files */
    bool files_known;
} Front;

/* Whether clang makes all of an output, or is not run for it. */
bool front_is_last(CompOutput output);

/* Compiles q's source.  server: the control of a server of clang, or -1.  clang's messages go to d
 * as they are.  False: d has an error.  f, zeroed before, is the caller's to free in either
 * case. */
bool front_run(const Request *q, const BuildOptions *b, int server, Front *f, Diag *d);
void front_free(Front *f);
#endif
