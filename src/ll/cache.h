/* cache.h -- finished compilations on disk, shared by processes. */
#ifndef LL_CACHE_H
#define LL_CACHE_H
#include "base/mem.h"
#include "ll/ll.h"

/* The clang that is used: opt->clang, VENTUS_CLANG, or the one of the build; never NULL. */
const char *front_clang(const LlOptions *opt);

/* Everything that the result depends on, the compiler being the file `library`, appended to key.  False:
 * that cannot be known, because the source includes files. */
bool cache_key(const char *library, const char *source, size_t len, const LlOptions *opt, Buf *key);
/* False: not there, or damaged; out is as it was. */
bool cache_get(const char *dir, const Buf *key, Buf *out);
/* Trouble of any kind means that nothing is kept. */
void cache_put(const char *dir, const Buf *key, const Buf *value);
#endif
