/* call.c -- the caller's side of a job: sends the call with its descriptors, waits for the result.
 */
#include "proc/wire.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Jobs say results too, and one that was taken over may say anything. */
static bool is_result(const ProcResult *r)
{
    return r->how == PROC_SIGNALLED ? sigdescr_np(r->code) != NULL
                                    : (unsigned)r->how <= (unsigned)PROC_BEGUN;
}

/* 0, EPIPE when the server is gone, or ECANCELED. */
static int receive(int from, int cancel, ProcResult *r)
{
    struct pollfd p[2] = {{.fd = from, .events = POLLIN}, {.fd = cancel, .events = POLLIN}};
    for (;;) {
        if (cancel >= 0 && poll(p, 2, -1) < 0 && errno == EINTR)
            continue;
        if (p[1].revents)
            return ECANCELED;
        const ssize_t n = recv(from, r, sizeof *r, 0);
        if (n >= 0 || errno != EINTR)
            return n == sizeof *r && is_result(r) ? 0 : EPIPE;
    }
}

static int receive_result(int from, int cancel, ProcResult *r)
{
    int why = receive(from, cancel, r);
    if (why || r->how != PROC_BEGUN)
        return why;
    why = receive(from, cancel, r);
    if (why == EPIPE || r->how == PROC_BEGUN)
        *r = (ProcResult){.how = PROC_LOST};
    return why == ECANCELED ? why : 0;
}

int proc_call(int control, const int file[], u32 n, const ProcLimits *limits, int cancel,
              ProcResult *r)
{
    int end[2], fd[CALL_MAX];
    ProcCall call = {.limits = *limits, .nfiles = n};
    if (n > PROC_MAX_FILES)
        return EINVAL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end))
        return errno;
    fd[CALL_RESULT] = end[1];
    fd[CALL_DIRECTORY] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd[CALL_DIRECTORY] < 0)
        fd[CALL_DIRECTORY] = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    memcpy(fd + CALL_FILES, file, n * sizeof *file);
    int why = fd[CALL_DIRECTORY] < 0 ? errno : proc_send_call(control, fd, CALL_FILES + n, &call);
    if (fd[CALL_DIRECTORY] >= 0)
        close(fd[CALL_DIRECTORY]);
    close(end[1]);
    if (!why)
        why = receive_result(end[0], cancel, r);
    close(end[0]);
    return why;
}
