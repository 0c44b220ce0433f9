/* plugin.h -- what libventus-cc.so shows of itself. */
#ifndef LL_PLUGIN_H
#define LL_PLUGIN_H
#include "ll/ll.h"

#define LL_PLUGIN_SYMBOL "ventus_cc_plugin"
enum { LL_PLUGIN_VERSION = 1 }; /* counts changes of ll.h */

typedef struct {
    u32 version;
    bool (*compile)(const char *source, size_t len, const LlOptions *opt, Buf *out, Diag *d);
    bool (*link)(const Buf *const *inputs, size_t n, const LlOptions *opt, Buf *out, Diag *d);
    bool (*available)(Buf *what);
} LlPlugin;
#endif
