/* plugin.c -- the one symbol of libventus-cc.so. */
#include "ll/plugin.h"

extern const LlPlugin ventus_cc_plugin;
__attribute__((visibility("default"))) const LlPlugin ventus_cc_plugin = {
    .version = LL_PLUGIN_VERSION,
    .compile = ll_compile,
    .link = ll_link,
    .available = ll_available,
};
