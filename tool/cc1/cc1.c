/* cc1.c -- ventus-cc1, the compiler's process: started by comp/client.c, never by hand.
 *
 *   ventus-cc1 CLANG     descriptor 3 is the control of the server (proc/proc.h)
 *
 * LLVM is part of this program.  clang is not: it is started at once, with a library
 * (libventus-clang.so beside this program, clang_server.c) that makes a server of it.  Every build
 * is a fork of this process, and its front end a fork of clang.
 *
 * Loading clang takes most of the time until the first result.  So it is started before the
 * constructors of LLVM run here, and loads on another processor meanwhile.
 */
#include "base/mem.h"
#include "ll/ll.h"
#include "proc/proc.h"
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* the file NAME beside this program */
static bool beside(const char *name, char path[PATH_MAX])
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = n > 0 ? (self[n] = 0, strrchr(self, '/')) : NULL;
    return slash && snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - self), self, name) < PATH_MAX;
}

/* Whether the file is an ELF program: a script cannot be given a library. */
static bool is_program(const char *path)
{
    char magic[4] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool ok = fd >= 0 && read(fd, magic, 4) == 4 && !memcmp(magic, "\177ELF", 4);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Whether text sets a variable that one of these texts sets. */
static bool is_set_by(const char *text, char *const *set, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(text, set[i], strcspn(set[i], "=") + 1))
            return true;
    return false;
}

/* A copy of an environment with other variables, whose texts stay the caller's; NULL: no memory. */
static char **with_variables(char *const *env, char *const *set, size_t n)
{
    size_t old = 0, kept = 0;
    while (env[old])
        old++;
    char **all = mem_zalloc(old + n + 1, sizeof *all);
    for (size_t i = 0; all && i < old; i++)
        if (!is_set_by(env[i], set, n))
            all[kept++] = env[i];
    if (all)
        memcpy(all + kept, set, n * sizeof *set);
    return all;
}

static bool spawn(const char *program, char *const *argv, char *const *env, int control)
{
    pid_t pid;
    posix_spawn_file_actions_t fa;
    if (!env || posix_spawn_file_actions_init(&fa))
        return false;
    const bool ok = !posix_spawn_file_actions_adddup2(&fa, control, PROC_CONTROL) &&
                    !posix_spawn_file_actions_addclosefrom_np(&fa, PROC_CONTROL + 1) &&
                    !posix_spawn(&pid, program, &fa, NULL, argv, env);
    posix_spawn_file_actions_destroy(&fa);
    return ok;
}

/* The control of a server of clang; -1: there is none, and builds start clang themselves. */
static int start_clang(const char *clang, char *const *env)
{
    char preload[PATH_MAX + 16] = "LD_PRELOAD=", audit[PATH_MAX + 16] = "LD_AUDIT=";
    char *const library = preload + strlen(preload), *const pages = audit + strlen(audit);
    char *argv[] = {(char *)(size_t)clang, (char *)"-cc1", (char *)"-version", NULL};
    char *set[] = {preload, (char *)"CLANG_IS_SERVER=1", (char *)"LLVM_DISABLE_SYMBOLIZATION=1",
                   (char *)"LD_BIND_NOW=1" /* once here, and not in every fork again */, audit};
    int end[2];
    if (!is_program(clang) || !beside("libventus-clang.so", library) || access(library, R_OK) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end))
        return -1;
    const bool has_pages = beside("libventus-pages.so", pages) && !access(pages, R_OK);
    char **all = with_variables(env, set, countof(set) - !has_pages);
    const bool ok = spawn(clang, argv, all, end[1]);
    mem_free(all);
    close(end[1]);
    if (ok)
        return end[0];
    close(end[0]);
    return -1;
}

static int clang_control = -1;

static bool is_server(int argc) { return argc == 2 && fcntl(PROC_CONTROL, F_GETFD) >= 0; }

/* Of the C library only what needs no constructor may be used: nothing reads `environ` here. */
static void start_early(int argc, char **argv, char **env)
{
    if (is_server(argc))
        clang_control = start_clang(argv[1], env);
}

/* sanitizers are not ready before the constructors */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
__attribute__((constructor)) static void start_with_sanitizer(int argc, char **argv, char **env)
{
    start_early(argc, argv, env);
}
#else
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = start_early;
#endif

static int job(void *clang) { return ll_job(clang); }

/* Ends without LLVM's destructors, which take longer than compiling a small kernel; but with a
 * sanitizer normally, so that it looks for leaks. */
static void end(int status)
{
#ifdef __SANITIZE_ADDRESS__
    exit(status);
#else
    _exit(status);
#endif
}

static void prepare(void)
{
    ll_warm();
    proc_share_code();
}

int main(int argc, char **argv)
{
    if (!is_server(argc)) {
        fprintf(stderr,
                "ventus-cc1 is the compiler of `ventus cc' and of OpenCL; it is not run by hand\n");
        return 2;
    }
    fcntl(PROC_CONTROL, F_SETFD, FD_CLOEXEC);
    const ProcServer server = {.control = PROC_CONTROL,
                               .keep = clang_control,
                               .job = job,
                               .self = clang_control < 0 ? NULL : argv[1],
                               .end = end,
                               .prepare = prepare};
    end(proc_serve(&server) != 0);
}
