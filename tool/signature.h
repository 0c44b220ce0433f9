/* signature.h -- checks the arguments of `ventus run` against the parameters of a compiled
 * kernel. */
#ifndef TOOL_SIGNATURE_H
#define TOOL_SIGNATURE_H
#include "obj/kernelinfo.h"
#include "tool/args.h"

/* Compares -a with the parameters of k: number, kinds, sizes.  False: reported, with the signature.
 * A float for an integer, or the reverse, is a warning: its bits are passed. */
bool signature_check(const KernelInfo *k, const char *file, const Arg *args, const char *const *specs,
                     size_t nargs, Diag *d);
#endif
