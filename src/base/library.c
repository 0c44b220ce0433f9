/* library.c -- finds and loads the project's own shared libraries. */
#include "base/library.h"
#include "base/base.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

static const char here; /* an address in this program or library */

static void find(const char *name, char path[MAX_PATH])
{
    static const char *const places[] = {"", "../lib/"};
    Dl_info self;
    const char *slash =
        dladdr(&here, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    for (size_t i = 0; slash && i < countof(places); i++) {
        const int dir = (int)(slash - self.dli_fname) + 1;
        const int n = snprintf(path, MAX_PATH, "%.*s%s%s", dir, self.dli_fname, places[i], name);
        if (n < MAX_PATH && !access(path, R_OK))
            return;
    }
    snprintf(path, MAX_PATH, "%s", name);
}

const void *library_symbol(const char *name, const char *symbol, const char **why)
{
    char path[MAX_PATH];
    find(name, path);
    /* never unloaded, since LLVM does not survive that; calling again costs nothing */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const void *found = handle ? dlsym(handle, symbol) : NULL;
    if (!found)
        *why = dlerror();
    return found;
}
