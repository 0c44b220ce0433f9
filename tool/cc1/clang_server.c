/* clang_server.c -- libventus-clang.so: makes a server of clang.
 *
 * clang takes longer to load than to compile a small kernel.  So ventus-cc1 starts it once with
 * this library before the others (LD_PRELOAD): when all is loaded and clang's main() is to be
 * called, it waits for jobs instead (proc/proc.h), and each of them is a fork that calls main()
 * with its own words.
 *
 * In such a fork it also logs, at descriptor CLANG_LOG, which files clang looks for and what it
 * finds: that is what a cached program depends on.
 */
#include "comp/request.h"
#include "ll/clang_job.h"
#include "proc/proc.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

extern const unsigned char warm_source[]; /* warm.cl, embedded */
extern const size_t warm_source_size;

typedef int Main(int, char **, char **);

/* A library of its own in a process of its own: these are not shared with anybody. */
static Main *real_main;
static bool is_logging;

/* --- the log ---------------------------------------------------------------------------------- */

/* errno is the caller's */
static void log_file(FileKind kind, const char *path)
{
    char entry[4096];
    const int before = errno;
    const size_t len = path ? strlen(path) : 0;
    if (!is_logging || !path)
        return;
    entry[0] = (char)(len + 2 <= sizeof entry ? kind : FILE_OTHER);
    const size_t kept = len + 2 <= sizeof entry ? len : 0;
    memcpy(entry + 1, path, kept);
    entry[kept + 1] = 0;
    (void)!write(CLANG_LOG, entry, kept + 2);
    errno = before;
}

static void log_result(const char *path, bool found, FileKind kind)
{
    log_file(found ? kind : errno == ENOENT || errno == ENOTDIR ? FILE_ABSENT : FILE_OTHER, path);
}

/* Stores at `to` the function that this library's function of the same name hides. */
static void find_next(const char *name, void *to)
{
    void *p = dlsym(RTLD_NEXT, name);
    memcpy(to, &p, sizeof p);
}

#define REAL(name)                                                                                 \
    __typeof__(&name) real;                                                                        \
    find_next(#name, &real)

#define OPEN(name)                                                                                 \
    SHOWN int name(const char *path, int flags, ...)                                               \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        const mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;                              \
        va_end(ap);                                                                                \
        REAL(name);                                                                                \
        const int fd = real(path, flags, mode);                                                    \
        log_result(path, fd >= 0, FILE_READ);                                                      \
        return fd;                                                                                 \
    }
OPEN(open)
OPEN(open64)

#define STAT(name, type)                                                                           \
    SHOWN int name(const char *restrict path, type *restrict st)                                   \
    {                                                                                              \
        REAL(name);                                                                                \
        const int result = real(path, st);                                                         \
        log_result(path, !result, FILE_THERE);                                                     \
        return result;                                                                             \
    }
STAT(stat, struct stat)
STAT(stat64, struct stat64)
STAT(lstat, struct stat)
STAT(lstat64, struct stat64)

SHOWN int access(const char *path, int mode)
{
    REAL(access);
    const int result = real(path, mode);
    log_result(path, !result, FILE_THERE);
    return result;
}

/* --- the server ----------------------------------------------------------------------------- */

static int job(void *self)
{
    extern char **environ;
    int argc;
    char **argv = clang_job_read(&argc);
    (void)self;
    if (!argv) {
        dprintf(CLANG_MESSAGES, "error: headers: %s\n", strerror(errno));
        return 1;
    }
    proc_confine();
    is_logging = true;
    const int status = real_main(argc, argv, environ);
    fflush(NULL);
    return status;
}

/* Compiles a kernel of ours, so that what clang makes once is made, and its code is mapped.  The
 * words are those that front.c gives for every source. */
static void prepare(void)
{
    extern char **environ;
    char path[32];
    const char *const argv[] = {"clang",
                                "-cc1",
                                "-triple",
                                "spir-unknown-unknown",
                                "-x",
                                "cl",
                                "-cl-std=CL1.2",
                                "-O2",
                                "-disable-llvm-passes",
                                "-nostdsysteminc",
                                "-finclude-default-header",
                                "-fdeclare-opencl-builtins",
                                "-cl-kernel-arg-info",
                                "-debug-info-kind=line-tables-only",
                                "-dwarf-version=4",
                                "-disable-free",
                                "-emit-llvm-bc",
                                "-o",
                                "/dev/null",
                                path,
                                NULL};
    const int source = memfd_create("warm", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", source);
    if (source >= 0 && write(source, warm_source, warm_source_size) == (ssize_t)warm_source_size)
        real_main((int)countof(argv) - 1, (char **)(size_t)argv, environ);
    if (source >= 0)
        close(source);
    proc_share_code();
}

static int serve(int argc, char **argv, char **env)
{
    (void)argc, (void)argv, (void)env;
    const ProcServer server = {
        .control = PROC_CONTROL, .keep = -1, .job = job, .end = _exit, .prepare = prepare};
    _exit(proc_serve(&server) != 0); /* not by LLVM's destructors */
}

typedef int StartMain(Main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
SHOWN StartMain __libc_start_main;
int __libc_start_main(Main *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*end)(void), void *stack)
{
    REAL(__libc_start_main);
    const bool is_server = getenv("CLANG_IS_SERVER") != NULL;
    unsetenv("CLANG_IS_SERVER");
    unsetenv("LD_PRELOAD");
    unsetenv("LD_AUDIT");
    real_main = main;
    return real(is_server ? serve : main, argc, argv, init, fini, end, stack);
}
