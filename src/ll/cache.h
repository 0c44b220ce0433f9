/* cache.h -- finished compilations on disk, shared by processes. */
#ifndef LL_CACHE_H
#define LL_CACHE_H
#include "ll/front.h"

/* Everything that the result depends on, or nothing where that cannot be known (a source that
 * includes files).  Appended to key. */
bool cache_key(const char *source, size_t len, const LlOptions *opt, Buf *key);
/* False: not there, or damaged; out is as it was. */
bool cache_get(const char *dir, const Buf *key, Buf *out);
/* Trouble of any kind means that nothing is kept. */
void cache_put(const char *dir, const Buf *key, const Buf *value);
#endif
