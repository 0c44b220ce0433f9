/* cc1.c -- ventus-cc1, the compiler's process: started by comp/client.c, never by hand.
 *
 *   ventus-cc1 CLANG     descriptor 3 is the control of the server (proc/proc.h)
 *
 * LLVM is part of this program.  clang is not: it is started at once, with a library
 * (libventus-clang.so beside this program, clang_server.c) that makes a server of it.  Every build
 * is a fork of this process, and its front end a fork of clang.
 */
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

extern char **environ;

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

/* The control of a server of clang; -1: there is none, and builds start clang themselves. */
static int start_clang(const char *clang)
{
    char library[PATH_MAX];
    char *argv[] = {(char *)(size_t)clang, (char *)"-cc1", (char *)"-version", NULL};
    int end[2];
    pid_t pid;
    posix_spawn_file_actions_t fa;
    if (!is_program(clang) || !beside("libventus-clang.so", library) || access(library, R_OK) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end))
        return -1;
    setenv("LD_PRELOAD", library, 1);
    setenv("CLANG_IS_SERVER", "1", 1);
    setenv("LLVM_DISABLE_SYMBOLIZATION", "1", 1);
    setenv("LD_BIND_NOW", "1", 1); /* once here, and not in every fork again */
    bool ok = !posix_spawn_file_actions_init(&fa);
    if (ok) {
        ok = !posix_spawn_file_actions_adddup2(&fa, end[1], PROC_CONTROL) &&
             !posix_spawn_file_actions_addclosefrom_np(&fa, PROC_CONTROL + 1) &&
             !posix_spawn(&pid, clang, &fa, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&fa);
    }
    unsetenv("LD_PRELOAD");
    unsetenv("CLANG_IS_SERVER");
    unsetenv("LD_BIND_NOW");
    close(end[1]);
    if (ok)
        return end[0];
    close(end[0]);
    return -1;
}

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

int main(int argc, char **argv)
{
    if (argc != 2 || fcntl(PROC_CONTROL, F_GETFD) < 0) {
        fprintf(stderr,
                "ventus-cc1 is the compiler of `ventus cc' and of OpenCL; it is not run by hand\n");
        return 2;
    }
    fcntl(PROC_CONTROL, F_SETFD, FD_CLOEXEC);
    const int clang = start_clang(argv[1]);
    return proc_serve(PROC_CONTROL, clang, job, clang < 0 ? NULL : argv[1], end) != 0;
}
