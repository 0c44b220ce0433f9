/* codemaker.h -- the maker's side of a job: a request to an object of host code. */
#ifndef JIT_CODEMAKER_H
#define JIT_CODEMAKER_H

/* Once, before any job: what takes time and is the same for all. */
void codemaker_prepare(void);
/* A job (jit/codejob.h): reads the request, writes the answer.  The exit status. */
int codemaker_job(void *self);
#endif
