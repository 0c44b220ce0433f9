/* plugin.h -- what libventus-cc.so shows of itself to ventus-cc1. */
#ifndef LL_PLUGIN_H
#define LL_PLUGIN_H
#include "base/base.h"

#define LL_PLUGIN_SYMBOL "ventus_cc_plugin"
enum { LL_PLUGIN_VERSION = 2 }; /* counts changes of this file and of comp/request.h */

typedef struct {
    u32 version;
    /* Reads a request from descriptor 0 and writes the reply to descriptor 1.  clang: the program of the server whose
     * control is descriptor JOB_FILES, or NULL.  The exit status: 0 where the reply is whole. */
    int (*job)(const char *clang);
} LlPlugin;
#endif
