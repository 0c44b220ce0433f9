/* ll.h -- OpenCL C to Ventus images, on clang and LLVM: what runs in the compiler's process.
 *
 *   source --clang (a process)--> bitcode --library, optimiser--> LLVM module
 *          --lower--> machine IR --cc--> object --link--> image
 *
 * The only directory that knows LLVM; it is in no other program than ventus-cc1 (tool/cc1).  Hosts
 * see comp/comp.h.
 */
#ifndef LL_LL_H
#define LL_LL_H
#include "comp/request.h"

/* Runs the request; clang is the control of a server of clang, or -1.  Product, views and files
 * (Reply) go to out, q->opt.dump_to and files.  Messages go to d; false: one of them is an
 * error. */
bool ll_compile(const Request *q, int clang, Buf *out, Buf *files, bool *files_known, Diag *d);
bool ll_link(const Request *q, Buf *out, Diag *d);

/* Compiles a kernel that is built in, so that what LLVM makes once is made: for a server, before it
 * forks. */
void ll_warm(void);

/* A build: reads a request from descriptor 0 and writes the reply to descriptor 1.  clang: the
 * program of the server whose control is descriptor JOB_FILES, or NULL.  The exit status: 0 where
 * the reply is whole. */
int ll_job(const char *clang);
#endif
