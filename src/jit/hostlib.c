/* hostlib.c -- finds libventus-jit.so. */
#include "jit/hostlib.h"
#include "base/library.h"

const HostLib *hostlib_load(const char **why)
{
    const HostLib *lib = library_symbol("libventus-jit.so.0", HOSTLIB_SYMBOL, why);
    if (!lib || lib->version == HOSTLIB_VERSION)
        return lib;
    *why = "libventus-jit.so is of another version";
    return NULL;
}
