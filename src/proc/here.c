/* here.c -- a job in a fork of this process, without a server (proc.h, proc_here). */
#include "proc/wire.h"
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int proc_here(const int file[], u32 n, int (*job)(void *self), void *self, ProcResult *r)
{
    int status;
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(getppid() == parent && proc_arrange(file, n, -1, 0, 0) ? job(self) : 1);
    }
    if (pid < 0)
        return errno;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    *r = WIFSIGNALED(status) ? (ProcResult){PROC_SIGNALLED, WTERMSIG(status)}
                             : (ProcResult){PROC_EXITED, WEXITSTATUS(status)};
    return 0;
}
