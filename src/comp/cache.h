/* cache.h -- finished compilations on disk, shared by processes. */
#ifndef COMP_CACHE_H
#define COMP_CACHE_H
#include "base/mem.h"

/* Appends the value of the key to out.  False: there is none, or it is damaged; out is as it
 * was. */
bool cache_get(const char *dir, const Buf *key, Buf *out);
/* Keeps a value.  If anything goes wrong, it is not kept, and nothing is reported. */
void cache_put(const char *dir, const Buf *key, const Buf *value);
/* Makes the directory and those above it.  False: it is not there. */
bool cache_make(const char *dir);
#endif
