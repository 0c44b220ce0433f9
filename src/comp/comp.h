/* comp.h -- OpenCL C to Ventus images: what hosts know of the compiler.
 *
 * The compiler (src/ll) runs in a process of its own, ventus-cc1, which a Compiler starts when it
 * is first needed and keeps for the builds that follow; each build is a fork of it with bounds on
 * time, memory and files.  Whatever happens there, a crash or a source without end, is an error of
 * the build and nothing else.  What comes back is checked, and kept in a cache on disk if the
 * options name one.
 *
 * No globals: any number of threads compile with one Compiler at once.  Nothing exits, no shell is
 * involved, no file is left behind, no child process is seen by the host program.
 */
#ifndef COMP_COMP_H
#define COMP_COMP_H
#include "base/diag.h"
#include "base/mem.h"

/* What a compilation stops after. */
typedef enum {
    COMP_IMAGE,             /* ELF image with crt0 */
    COMP_OBJECT,            /* ELF object, with undefined symbols for what it lacks */
    COMP_ASSEMBLY,          /* text for `ventus as` */
    COMP_LLVM,              /* LLVM IR as text, after the optimiser */
    COMP_IR,                /* machine IR as text, as cc/ir_parse.c reads it */
    COMP_BITCODE,           /* for comp_link: what clCompileProgram makes */
    COMP_PREPROCESSED,      /* the source after the preprocessor, which can be compiled again */
    COMP_CHECKED,           /* nothing: messages only */
    COMP_RULE,              /* "it: FILE...", a rule of make: the files that the source includes */
    COMP_COMMAND,           /* the command of clang, quoted for a shell; it does not run */
    COMP_OUTPUTS
} CompOutput;

/* A header that exists only in memory. */
typedef struct {
    const char *name, *text; /* name of an include as written, e.g. "util.h" */
} CompHeader;

/* What to compile, and how; all zero but `output` is fine. */
typedef struct {
    CompOutput output;
    u32 isa;                /* the profile to compile for and its overlays (IsaSet); 0: the usual one */
    const char *name;       /* of the source, for messages and line tables */
    /* Options of clBuildProgram and of `ventus cc`: -D -I -cl-* -w -Werror -O0..-O3 -g -x, one
     * string an option.  Any other option is an error in d, whatever clang would do with it. */
    const char *const *options;
    size_t noptions;
    const CompHeader *headers; /* of clCompileProgram */
    size_t nheaders;
    const char *dump;       /* views of the compiler (cc/passes.def), or NULL */
    Buf *dump_to;
    const char *off;        /* passes turned off, or NULL */
    const char *cache;      /* directory of finished compilations; NULL: no cache */
    void (*begins)(void *self); /* called when there is none in the cache; NULL: nobody wants to know */
    void *self;             /* of begins */
    const char *clang;      /* program to run; NULL: the one found at build time, or VENTUS_CLANG */
    u32 lds_limit;          /* bytes of local memory of a group; 0: what OpenCL offers */
} CompOptions;

typedef struct Compiler Compiler;

/* A new Compiler.  It starts its process when something is compiled for the first time.  NULL: out
 * of memory. */
Compiler *comp_open(void);
/* No compilation may be under way.  NULL is allowed. */
void comp_close(Compiler *c);

/* Compiles len bytes of OpenCL C, or a module of SPIR-V, and appends the result to out.  clang's messages and ours go to d.
 * False: d has an error; warnings alone are no failure. */
bool comp_compile(Compiler *c, const char *source, size_t len, const CompOptions *opt, Buf *out,
                  Diag *d);

/* Links bitcodes (COMP_BITCODE) to what opt->output says; options as for clLinkProgram.  Several
 * definitions of one name and undefined functions are errors (but not for COMP_BITCODE). */
bool comp_link(Compiler *c, const Buf *const *inputs, size_t n, const CompOptions *opt, Buf *out,
               Diag *d);

/* Whether there is a compiler.  Appends "LLVM 19.1.7, /usr/bin/clang-19", or why there is none, to
 * `what`.  The process is asked once, and its answer remembered, in that directory as well if it is
 * not NULL: no process is started for who asks there again, as long as the programs are the same. */
bool comp_available(Compiler *c, const char *cache, Buf *what);

/* Where finished compilations are kept, by the environment: VENTUS_CACHE_DIR, or ventus below the
 * user's cache directory; NULL: nowhere (VENTUS_CACHE=0).  The caller's to free. */
char *comp_cache_directory(void);
#endif
