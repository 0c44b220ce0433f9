/* load.c -- the compiler, loaded when it is first needed.
 *
 * LLVM is large: linking to it would cost every command ten milliseconds at its start.  So what
 * knows LLVM is a library of its own, libventus-cc.so beside the program or libraries, and this
 * file has the functions of ll.h for everybody else.  Where the library is absent,
 * because the build had no LLVM, they answer that there is no compiler.
 */
#include "base/mem.h"
#include "ll/plugin.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char library[] = "libventus-cc.so.0";

/* NULL: *why says why, in a text that lives until the next call of this thread. */
static const LlPlugin *load(const char **why)
{
    /* counted by the loader, and never unloaded: LLVM does not like to go */
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const LlPlugin *p = handle ? dlsym(handle, LL_PLUGIN_SYMBOL) : NULL;
    if (p && p->version == LL_PLUGIN_VERSION)
        return p;
    *why = p ? "libventus-cc.so is of another version" : dlerror();
    return NULL;
}

static bool no_compiler(Diag *d, const LlOptions *opt, const char *why)
{
    error(d, &(Source){.name = opt->name, .text = ""}, NULL, "no compiler of OpenCL C: %s", why);
    return false;
}

bool ll_compile(const char *source, size_t len, const LlOptions *opt, Buf *out, Diag *d)
{
    const char *why;
    const LlPlugin *p = load(&why);
    return p ? p->compile(source, len, opt, out, d) : no_compiler(d, opt, why);
}

bool ll_link(const Buf *const *inputs, size_t n, const LlOptions *opt, Buf *out, Diag *d)
{
    const char *why;
    const LlPlugin *p = load(&why);
    return p ? p->link(inputs, n, opt, out, d) : no_compiler(d, opt, why);
}

bool ll_available(Buf *what)
{
    const char *why;
    const LlPlugin *p = load(&why);
    if (p)
        return p->available(what);
    buf_str(what, why);
    return false;
}

static const char *variable(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

char *ll_cache_directory(void)
{
    const char *on = variable("VENTUS_CACHE"), *dir = variable("VENTUS_CACHE_DIR");
    const char *xdg = variable("XDG_CACHE_HOME"), *home = variable("HOME");
    Buf path = {0};
    if (on && !strcmp(on, "0"))
        return NULL;
    if (dir || xdg || home)
        buf_printf(&path, "%s%s",
                   dir   ? dir
                   : xdg ? xdg
                         : home,
                   dir   ? ""
                   : xdg ? "/ventus"
                         : "/.cache/ventus");
    char *result = path.len && !path.failed ? mem_strdup(buf_text(&path)) : NULL;
    buf_free(&path);
    return result;
}
