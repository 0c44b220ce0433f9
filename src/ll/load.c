/* load.c -- the compiler, loaded when it is first needed.
 *
 * LLVM is large: linking to it would cost every command ten milliseconds at its start.  So what
 * knows LLVM is a library of its own, libventus-cc.so beside the program or libraries, and this
 * file has the functions of ll.h for everybody else.  Where the library is absent,
 * because the build had no LLVM, they answer that there is no compiler.
 */
#include "ll/cache.h"
#include "ll/plugin.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char library[] = "libventus-cc.so.0";
enum { MAX_PATH = 4096 };

/* The library beside this program or library, or in ../lib from there; else its bare name, for the
 * system's search. */
static void find_library(char path[MAX_PATH])
{
    static const char *const places[] = {"", "../lib/"};
    Dl_info self;
    const char *slash =
        dladdr(library, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    for (size_t i = 0; slash && i < countof(places); i++) {
        const int dir = (int)(slash - self.dli_fname) + 1;
        const int n = snprintf(path, MAX_PATH, "%.*s%s%s", dir, self.dli_fname, places[i], library);
        if (n < MAX_PATH && !access(path, R_OK))
            return;
    }
    snprintf(path, MAX_PATH, "%s", library);
}

/* NULL: *why says why, in a text that lives until the next call of this thread. */
static const LlPlugin *load(const char *path, const char **why)
{
    /* counted by the loader, and never unloaded: LLVM does not like to go */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const LlPlugin *p = handle ? dlsym(handle, LL_PLUGIN_SYMBOL) : NULL;
    if (p && p->version == LL_PLUGIN_VERSION)
        return p;
    *why = p ? "libventus-cc.so is of another version" : dlerror();
    return NULL;
}

static const LlPlugin *find(const char **why)
{
    char path[MAX_PATH];
    find_library(path);
    return load(path, why);
}

static bool no_compiler(Diag *d, const LlOptions *opt, const char *why)
{
    error(d, &(Source){.name = opt->name, .text = ""}, NULL, "no compiler of OpenCL C: %s", why);
    return false;
}

static bool compile(const char *path, const char *source, size_t len, const LlOptions *opt,
                    Buf *out, Diag *d)
{
    const char *why;
    const LlPlugin *p = load(path, &why);
    return p ? p->compile(source, len, opt, out, d) : no_compiler(d, opt, why);
}

/* --- what is cached: the messages, each with its kind and length, an end, the product ----------- */

enum { NO_MESSAGE = 0xff };

typedef struct {
    u32 kind, len;
} Message;

/* A sink that passes on what it notes. */
typedef struct {
    Diag *to;
    Buf noted;
} Notes;

static void note_message(void *self, DiagKind kind, const char *text)
{
    Notes *n = self;
    const Message m = {kind, (u32)strlen(text)};
    buf_put(&n->noted, &m, sizeof m);
    buf_put(&n->noted, text, m.len + 1);
    diag_foreign(n->to, kind, text);
}

/* Who asks again is warned again.  False: the entry is none of ours. */
static bool tell_again(const Buf *entry, Buf *out, Diag *d)
{
    Message m;
    for (size_t at = 0; entry->len - at >= sizeof m; at += m.len + 1) {
        memcpy(&m, entry->data + at, sizeof m);
        at += sizeof m;
        if (m.kind == NO_MESSAGE) {
            buf_put(out, entry->data + at, entry->len - at);
            return true;
        }
        if (m.kind > DIAG_ERROR || m.len >= entry->len - at || entry->data[at + m.len])
            return false;
        diag_foreign(d, (DiagKind)m.kind, (const char *)entry->data + at);
    }
    return false;
}

static void keep(const char *dir, const Buf *key, Buf *noted, const Buf *made)
{
    buf_put(noted, &(Message){NO_MESSAGE, 0}, sizeof(Message));
    buf_put(noted, made->data, made->len);
    if (!noted->failed)
        cache_put(dir, key, noted);
}

static bool compile_and_keep(const char *path, const char *source, size_t len, const LlOptions *opt,
                             const Buf *key, Buf *out, Diag *d)
{
    Notes notes = {.to = d};
    Diag both = {.sink = note_message, .to = &notes};
    Buf made = {0};
    const bool ok = compile(path, source, len, opt, &made, &both);
    if (ok) {
        keep(opt->cache, key, &notes.noted, &made);
        buf_put(out, made.data, made.len);
    }
    buf_free(&notes.noted);
    buf_free(&made);
    return ok;
}

bool ll_compile(const char *source, size_t len, const LlOptions *opt, Buf *out, Diag *d)
{
    char path[MAX_PATH];
    Buf key = {0}, entry = {0};
    bool ok;
    find_library(path);
    if (!opt->cache || !cache_key(path, source, len, opt, &key))
        ok = compile(path, source, len, opt, out, d);
    else
        ok = (cache_get(opt->cache, &key, &entry) && tell_again(&entry, out, d)) ||
             compile_and_keep(path, source, len, opt, &key, out, d);
    buf_free(&entry);
    buf_free(&key);
    return ok;
}

bool ll_link(const Buf *const *inputs, size_t n, const LlOptions *opt, Buf *out, Diag *d)
{
    const char *why;
    const LlPlugin *p = find(&why);
    return p ? p->link(inputs, n, opt, out, d) : no_compiler(d, opt, why);
}

bool ll_available(Buf *what)
{
    const char *why;
    const LlPlugin *p = find(&why);
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
