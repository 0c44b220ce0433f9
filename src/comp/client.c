/* client.c -- the host's side of a compilation: the cache, the compiler's process, its reply.
 *
 *   1. the request as bytes, which with the state of the compiler's own files is the key of the
 * cache
 *   2. an entry of that key, if the files that its compilation read have not changed
 *   3. else the process: request, reply and complaints are anonymous files
 *   4. the reply, which is checked like any foreign file
 *   5. a new entry: the reply as it came
 */
#include "base/fdio.h"
#include "comp/cache.h"
#include "comp/request.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef CLANG
#define CLANG "clang"
#endif

enum { MAX_PATH = 4096, MAX_COMPLAINT = 2000 };
enum { TIMEOUT = 60 /* seconds */, MEMORY = 2048 /* MiB */, WALL = 5 /* times TIMEOUT */ };
static const u64 MOST_BYTES = (u64)512 << 20; /* of a reply */

struct Compiler {
    char *server;         /* the program, or NULL */
    pthread_mutex_t lock; /* guards all that follows */
    int control;          /* the server's socket, or -1 */
    pid_t owner;          /* the process that started it; a fork of the host starts its own */
    bool asked, there;    /* comp_available */
    Buf description;
};

extern char **environ;

static const char *variable(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* The path of the server's program, which the caller frees: ours, or that of VENTUS_CC_PROGRAM.
 * NULL: there is none. */
static char *find_server(void)
{
    const char *set = variable("VENTUS_CC_PROGRAM");
    return set ? mem_strdup(set) : proc_find("ventus-cc1");
}

Compiler *comp_open(void)
{
    Compiler *c = mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    c->control = -1;
    c->server = find_server();
    return c;
}

void comp_close(Compiler *c)
{
    if (!c)
        return;
    if (c->control >= 0)
        close(c->control);
    buf_free(&c->description);
    mem_free(c->server);
    pthread_mutex_destroy(&c->lock);
    mem_free(c);
}

/* --- settings ------------------------------------------------------------------------------ */

static bool refuse(Diag *d, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);
static bool refuse(Diag *d, const char *name, const char *fmt, ...)
{
    char text[MAX_COMPLAINT + 200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    error(d, &(Source){.name = name, .text = ""}, NULL, "%s", text);
    return false;
}

static bool no_memory(Diag *d, const char *name)
{
    diag_no_memory(d, &(Source){.name = name, .text = ""});
    return false;
}

static bool setting(const char *name, u64 most, u64 usual, u64 *v, Diag *d)
{
    const char *text = variable(name);
    char *end;
    *v = usual;
    if (!text)
        return true;
    errno = 0;
    *v = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno && *v <= most)
        return true;
    return refuse(d, name, "'%s' is not a number from 0 to %llu", text, (unsigned long long)most);
}

static bool read_limits(ProcLimits *l, Diag *d)
{
    u64 seconds, mib;
    if (!setting("VENTUS_CC_TIMEOUT", 1000000, TIMEOUT, &seconds, d) ||
        !setting("VENTUS_CC_MEMORY", 1 << 20, MEMORY, &mib, d))
        return false;
    *l = (ProcLimits){
        .cpu = (u32)seconds, .wall = (u32)seconds * WALL, .memory = mib << 20, .file = MOST_BYTES};
    return true;
}

/* --- the key ------------------------------------------------------------------------------ */

/* Adds size and time of a program, one of which differs once it has changed. */
static void put_stamp(Buf *key, const char *path)
{
    struct stat st = {0};
    if (strchr(path, '/') && stat(path, &st))
        memset(&st, 0, sizeof st);
    buf_printf(key, "%s:%jd.%jd.%ld\n", path, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
               st.st_mtim.tv_nsec);
}

static void put_stamps(Buf *key, const char *server, const char *clang)
{
    const char *slash = strrchr(server, '/');
    Buf library = {0};
    buf_str(key, "ventus " VERSION "\n");
    put_stamp(key, server);
    put_stamp(key, clang);
    buf_printf(&library, "%.*slibventus-clang.so", slash ? (int)(slash - server) + 1 : 0, server);
    put_stamp(key, buf_text(&library));
    buf_free(&library);
}

/* --- the process ---------------------------------------------------------------------------- */

/* A descriptor of the server's socket, which the caller closes; -1: *why says why.  anew: starts
 * another server, since the present one is gone. */
static int connect_server(Compiler *c, const char *clang, bool anew, int *why)
{
    char *argv[] = {c->server, (char *)(size_t)clang, NULL};
    pthread_mutex_lock(&c->lock);
    if (c->control >= 0 && (anew || c->owner != getpid())) {
        close(c->control);
        c->control = -1;
    }
    *why = c->control < 0 ? proc_start(argv, environ, &c->control) : 0;
    if (!*why)
        c->owner = getpid();
    const int fd = *why ? -1 : fcntl(c->control, F_DUPFD_CLOEXEC, 0);
    if (!*why && fd < 0)
        *why = errno;
    pthread_mutex_unlock(&c->lock);
    return fd;
}

static int call_server(Compiler *c, const char *clang, const int file[JOB_FILES],
                       const ProcLimits *limits, ProcResult *r)
{
    int why = EPIPE;
    for (int i = 0; i < 2 && why == EPIPE; i++) {
        const int control = connect_server(c, clang, i > 0, &why);
        if (control < 0)
            return why;
        why = proc_call(control, file, JOB_FILES, limits, -1, r);
        close(control);
    }
    return why;
}

/* --- how it ended ------------------------------------------------------------------------- */

/* what the process wrote before it ended, without newlines at its end */
static void read_complaint(int fd, char text[MAX_COMPLAINT])
{
    const ssize_t n = pread(fd, text, MAX_COMPLAINT - 1, 0);
    text[n > 0 ? n : 0] = 0;
    for (size_t len = strlen(text); len && text[len - 1] == '\n';)
        text[--len] = 0;
}

static bool report_end(const ProcResult *r, const ProcLimits *l, int complaint, const char *name,
                       Diag *d)
{
    char said[MAX_COMPLAINT];
    read_complaint(complaint, said);
    const char *colon = *said ? ": " : "";
    const bool starved = (r->how == PROC_EXITED && r->code == NO_MEMORY) ||
                         strcasestr(said, "out of memory") || strstr(said, "bad_alloc") ||
                         strcasestr(said, "cannot allocate memory");
    const bool late = r->how == PROC_TIMEOUT ||
                      (r->how == PROC_SIGNALLED && (r->code == SIGXCPU || r->code == SIGKILL));
    if (r->how == PROC_LOST)
        return refuse(d, name, "the compiler's process was ended from outside");
    if (starved)
        return refuse(d, name,
                      "the compiler needed more than %llu MiB of memory (VENTUS_CC_MEMORY)",
                      (unsigned long long)(l->memory >> 20));
    if (late)
        return refuse(
            d, name,
            "the compiler took more than %u seconds, or %u by the clock (VENTUS_CC_TIMEOUT)",
            l->cpu, l->wall);
    if (r->how == PROC_SIGNALLED)
        return refuse(d, name, "the compiler crashed (%s)%s%s", sigdescr_np(r->code), colon, said);
    return refuse(d, name, "the compiler stopped with status %d%s%s", r->code, colon, said);
}

/* Runs the request, whose bytes these are, and reads the reply.  False: d says why there is none.
 */
static bool run(Compiler *c, const Request *q, const Buf *bytes, Buf *reply, Diag *d)
{
    ProcResult r = {PROC_LOST, 0};
    const char *name = q->opt.name;
    const int file[JOB_FILES] = {memfd_create("request", MFD_CLOEXEC),
                                 memfd_create("reply", MFD_CLOEXEC),
                                 memfd_create("complaint", MFD_CLOEXEC)};
    int why =
        file[0] < 0 || file[1] < 0 || file[2] < 0 || !fd_write(file[0], bytes->data, bytes->len)
            ? errno
            : 0;
    if (!why)
        why = call_server(c, q->opt.clang, file, &q->limits, &r);
    bool ok = false;
    if (why)
        refuse(d, name, "the compiler's process %s cannot be started or asked: %s", c->server,
               why == EPIPE ? "it ended" : strerror(why));
    else if (r.how != PROC_EXITED || r.code)
        report_end(&r, &q->limits, file[2], name, d);
    else if (!(ok = fd_read(file[1], MOST_BYTES, reply)))
        refuse(d, name, "the compiler's answer cannot be read");
    for (int i = 0; i < JOB_FILES; i++)
        if (file[i] >= 0)
            close(file[i]);
    return ok;
}

/* --- a request from start to end ------------------------------------------------------------ */

static bool take(const Reply *r, const CompOptions *opt, Buf *out, Diag *d)
{
    const int before = d->errors;
    reply_tell(r, d);
    if (opt->dump_to)
        buf_put(opt->dump_to, r->views.data, r->views.len);
    if (r->ok && d->errors == before) {
        buf_put(out, r->product.data, r->product.len);
        return !out->failed || no_memory(d, opt->name);
    }
    return d->errors > before ? false : refuse(d, opt->name, "the compiler gave no result");
}

static bool find_entry(const char *dir, const Buf *key, const CompOptions *opt, Buf *out, Diag *d)
{
    Buf entry = {0};
    Reply r;
    const bool found = cache_get(dir, key, &entry) && reply_read(entry.data, entry.len, &r) &&
                       r.ok && r.files_known && files_hold(r.files) && take(&r, opt, out, d);
    buf_free(&entry);
    return found;
}

static bool make(Compiler *c, Request *q, const char *cache, const Buf *key, const Buf *bytes,
                 Buf *out, Diag *d)
{
    Buf answer = {0};
    Reply r;
    if (q->opt.begins)
        q->opt.begins(q->opt.self);
    bool ok = run(c, q, bytes, &answer, d);
    if (ok && !reply_read(answer.data, answer.len, &r))
        ok = refuse(d, q->opt.name, "the compiler's answer is damaged");
    ok = ok && take(&r, &q->opt, out, d);
    if (ok && cache && !q->opt.dump && r.files_known)
        cache_put(cache, key, &answer);
    buf_free(&answer);
    return ok;
}

static bool request(Compiler *c, Request *q, const CompOptions *opt, Buf *out, Diag *d)
{
    Buf bytes = {0}, rest = {0}, key = {0};
    const char *clang = opt->clang ? opt->clang : variable("VENTUS_CLANG");
    q->opt = *opt;
    q->opt.name = opt->name ? opt->name : "";
    q->opt.clang = clang && *clang ? clang : CLANG;
    if (!c->server)
        return refuse(d, q->opt.name,
                      "no compiler of OpenCL C: its program ventus-cc1 is not beside this one");
    if (!read_limits(&q->limits, d))
        return false;
    request_write(q, &bytes, &rest);
    buf_put(&key, bytes.data, bytes.len);
    put_stamps(&key, c->server, q->opt.clang);
    buf_put(&bytes, rest.data, rest.len);
    bool ok = false;
    if (bytes.failed || rest.failed || key.failed)
        no_memory(d, q->opt.name);
    else
        ok = (opt->cache && !opt->dump && find_entry(opt->cache, &key, &q->opt, out, d)) ||
             make(c, q, opt->cache, &key, &bytes, out, d);
    buf_free(&bytes);
    buf_free(&rest);
    buf_free(&key);
    return ok;
}

bool comp_compile(Compiler *c, const char *source, size_t len, const CompOptions *opt, Buf *out,
                  Diag *d)
{
    const Bytes input = {(const u8 *)source, len};
    return request(c, &(Request){.kind = REQUEST_COMPILE, .inputs = &input, .ninputs = 1}, opt, out,
                   d);
}

bool comp_link(Compiler *c, const Buf *const *inputs, size_t n, const CompOptions *opt, Buf *out,
               Diag *d)
{
    Bytes *all = mem_zalloc(n + 1, sizeof *all);
    if (!all)
        return no_memory(d, opt->name);
    for (size_t i = 0; i < n; i++)
        all[i] = (Bytes){(const u8 *)buf_text(inputs[i]), inputs[i]->len};
    const bool ok =
        request(c, &(Request){.kind = REQUEST_LINK, .inputs = all, .ninputs = n}, opt, out, d);
    mem_free(all);
    return ok;
}

bool comp_available(Compiler *c, const char *cache, Buf *what)
{
    Buf text = {0};
    pthread_mutex_lock(&c->lock);
    bool asked = c->asked, there = c->there;
    pthread_mutex_unlock(&c->lock);
    if (!asked) {
        Diag d = {.sink = diag_to_buf, .to = &text};
        there = request(c, &(Request){.kind = REQUEST_DESCRIBE},
                        &(CompOptions){.name = "ventus", .cache = cache}, &text, &d);
        pthread_mutex_lock(&c->lock);
        if (!c->asked)
            c->description = text;
        else
            buf_free(&text);
        c->asked = true;
        c->there = there;
        pthread_mutex_unlock(&c->lock);
    }
    buf_str(what, buf_text(&c->description));
    return there;
}

char *comp_cache_directory(void)
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
