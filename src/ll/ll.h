/* ll.h -- OpenCL C to Ventus images, on LLVM.
 *
 *   source --clang (a process)--> bitcode --library, optimiser--> LLVM module
 *          --lower--> machine IR --cc--> object --link--> image
 *
 * The only directory that knows LLVM, in a library of its own (load.c); a build without LLVM
 * lacks that library, and these functions answer that there is no compiler.  No globals of ours:
 * any number of compilations run at once in somebody's process; nothing exits, no shell is
 * involved, no file is left behind.
 */
#ifndef LL_LL_H
#define LL_LL_H
#include "obj/kernelinfo.h"

/* What a compilation stops after. */
typedef enum {
    LL_IMAGE,               /* ELF image with crt0 */
    LL_OBJECT,              /* ELF object, with undefined symbols for what it lacks */
    LL_ASSEMBLY,            /* text for `ventus as` */
    LL_LLVM,                /* LLVM IR as text, after the optimiser */
    LL_IR,                  /* machine IR as text, as cc/ir_parse.c reads it */
    LL_BITCODE              /* for ll_link: what clCompileProgram makes */
} LlOutput;

typedef struct {
    const char *name, *text; /* name of an include as written, e.g. "util.h" */
} LlHeader;

typedef struct {
    LlOutput output;
    const char *name;       /* of the source, for messages and line tables */
    /* Options of clBuildProgram and of `ventus cc`: -D -I -cl-* -w -Werror -O0..-O3 -g -x, one
     * string an option.  What is not allowed is an error in d, whatever clang would do with it. */
    const char *const *options;
    size_t noptions;
    const LlHeader *headers; /* of clCompileProgram */
    size_t nheaders;
    const char *dump;       /* views of the compiler (cc/dump.def), or NULL */
    Buf *dump_to;
    const char *off;        /* passes turned off, or NULL */
    const char *cache;      /* directory of finished images; NULL: no cache */
    const char *clang;      /* program to run; NULL: the one found at build time, or VENTUS_CLANG */
    u32 lds_limit;          /* bytes of local memory of a group; 0: 64 KiB */
} LlOptions;

/* Compiles len bytes of OpenCL C.  clang's messages and ours go to d as they are.  False: d has an
 * error.  Warnings alone are no failure.  out receives the result; it need not be empty. */
bool ll_compile(const char *source, size_t len, const LlOptions *opt, Buf *out, Diag *d);

/* Links bitcodes (LL_BITCODE) to what opt->output says; options as for clLinkProgram.  Several
 * definitions of one name and undefined functions are errors (but not for LL_BITCODE). */
bool ll_link(const Buf *const *inputs, size_t n, const LlOptions *opt, Buf *out, Diag *d);

/* Splits the options string of clBuildProgram: white space separates, quotes and
 * backslashes protect.  Pointers into *store.  False: a quote is not closed. */
bool ll_split_options(const char *text, Buf *store, const char ***words, size_t *n);

/* Where finished compilations are kept, by the environment: VENTUS_CACHE_DIR, or ventus below the
 * user's cache directory; NULL: nowhere (VENTUS_CACHE=0).  The caller's to free. */
char *ll_cache_directory(void);

/* "clang 19.1.7, LLVM 19.1.7", or why there is no compiler; what `ventus info` prints. */
bool ll_available(Buf *what);
#endif
