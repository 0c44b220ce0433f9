/* codemaker.h -- the maker's side of a job: a request to an object of host code. */
#ifndef JIT_CODEMAKER_H
#define JIT_CODEMAKER_H
#include "base/mem.h"

/* What takes time to prepare and is the same for all jobs. */
typedef struct CodeMaker CodeMaker;

/* Sets LLVM's options, which a process has once: before anything else, and not again. */
void codemaker_set_options(void);
/* level: of host vector instructions (LaneLevel.name).  NULL: out of memory, or LLVM does not know
 * this host. */
CodeMaker *codemaker_open(const char *level);
void codemaker_close(CodeMaker *c); /* NULL is allowed */
/* The answer to a request, or to several that were joined.  False: it is no request for this level,
 * LLVM failed, or out of memory. */
bool codemaker_answer(CodeMaker *c, const u8 *request, size_t len, Buf *to);
/* A job (jit/codejob.h) of CodeMaker *self: reads the request, writes the answer.  The exit
 * status. */
int codemaker_job(void *self);
#endif
