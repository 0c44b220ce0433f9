/* from_spirv.h -- SPIR-V to bitcode, by processes as clang is one. */
#ifndef LL_FROM_SPIRV_H
#define LL_FROM_SPIRV_H
#include "ll/front.h"

/* Validates and translates the request's input; f->out is bitcode and the caller's to free.  False: d says why. */
bool translate_spirv(const Request *q, Front *f, Diag *d);
#endif
