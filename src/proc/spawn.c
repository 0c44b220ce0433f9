/* spawn.c -- starts a server that is no child of the host program.
 *
 * A host program may wait for any child of its own, count SIGCHLDs, or ignore them; so it must not
 * get a child that it did not make.  A helper process, which shares the caller's memory and sends
 * no signal at its end, starts the server and ends, which makes the server an orphan at once.  Only
 * the caller knows of the helper, and only wait4() with __WCLONE sees it.
 */
#include "proc/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HELPER_STACK = 128 << 10 };

typedef struct {
    char *const *argv, *const *env;
    int control;
    int why; /* out: an errno */
} Start;

static int add_files(posix_spawn_file_actions_t *fa, int control)
{
    int why = 0;
    /* the socket goes first: it may lie below 3, where a stream comes */
    why = posix_spawn_file_actions_adddup2(fa, control, PROC_CONTROL);
    for (int fd = 0; fd < 3 && !why; fd++)
        why = posix_spawn_file_actions_addopen(fa, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
    return why ? why : posix_spawn_file_actions_addclosefrom_np(fa, PROC_CONTROL + 1);
}

static int spawn(const Start *s)
{
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    sigset_t none, all;
    pid_t pid;
    sigemptyset(&none);
    sigfillset(&all);
    int why = posix_spawn_file_actions_init(&fa);
    if (why)
        return why;
    if (!(why = posix_spawnattr_init(&attr))) {
        posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&attr, &none);
        posix_spawnattr_setsigdefault(&attr, &all);
        why = add_files(&fa, s->control);
        if (!why)
            why = posix_spawn(&pid, s->argv[0], &fa, &attr, s->argv, s->env);
        posix_spawnattr_destroy(&attr);
    }
    posix_spawn_file_actions_destroy(&fa);
    return why;
}

static int helper(void *self)
{
    Start *s = self;
    s->why = spawn(s);
    return 0;
}

/* Emulators of processors, such as qemu-aarch64, make children of the usual kind alone. */
static int run_child(Start *s)
{
    int status = 0;
    const pid_t pid = fork();
    if (!pid)
        _exit(spawn(s));
    if (pid < 0)
        return errno;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
}

/* Handlers of the host must not run in the helper: every signal waits. */
static int run_helper(Start *s)
{
#ifdef __SANITIZE_THREAD__ /* it takes every clone() for a fork, and forgets the other threads */
    return helper(s) ? EAGAIN : s->why;
#endif
    sigset_t all, before;
    char *stack = mmap(NULL, HELPER_STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return errno;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const pid_t pid = clone(helper, stack + HELPER_STACK, CLONE_VM | CLONE_VFORK, s);
    int why = pid < 0 ? errno : 0;
    while (pid > 0 && waitpid(pid, NULL, (int)__WCLONE) < 0 && errno == EINTR)
        ;
    if (why == EINVAL)
        why = run_child(s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(stack, HELPER_STACK);
    return why ? why : s->why;
}

int proc_start(char *const argv[], char *const env[], int *control)
{
    int end[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end))
        return errno;
    const int why = run_helper(&(Start){.argv = argv, .env = env, .control = end[1]});
    close(end[1]);
    if (why)
        close(end[0]);
    *control = why ? -1 : end[0];
    return why;
}
