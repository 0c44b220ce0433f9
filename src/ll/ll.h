/* ll.h -- OpenCL C to Ventus images, on clang and LLVM: what runs in the compiler's process.
 *
 *   source --clang (a process)--> bitcode --library, optimiser--> LLVM module
 *          --lower--> machine IR --cc--> object --link--> image
 *
 * The only directory that knows LLVM, in a library of its own, libventus-cc.so, which
 * ventus-cc1 (tool/cc1) loads.  Hosts see comp/comp.h.
 */
#ifndef LL_LL_H
#define LL_LL_H
#include "comp/request.h"

/* Runs the request; clang is the control of a server of clang, or -1.  Product, views and files (Reply) go
 * to out, q->opt.dump_to and files.  Messages go to d; false: one of them is an error. */
bool ll_compile(const Request *q, int clang, Buf *out, Buf *files, bool *files_known, Diag *d);
bool ll_link(const Request *q, Buf *out, Diag *d);
#endif
