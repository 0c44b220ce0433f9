/* serve.c -- a server: forks for each job, keeps it within its bounds, reports its end.
 *
 * One thread waits for five things: a call; the end of a child; a deadline; a caller that gave up
 * or died, whose job is killed; and the end of the process that the server works for.  At most
 * MAX_JOBS run at once; further calls wait in the socket.
 */
#include "proc/wire.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 32 };
enum { HEAP_STEP = 1 << 20 /* bytes */ };
/* The descriptor over which a job says its result, above all that a job counts on to be free. */
enum { RESULT_AT = 4200 };

typedef struct {
    pid_t pid;
    int result;   /* the socket that the caller waits at */
    i64 deadline; /* milliseconds, or 0 */
    bool late, given_up;
} Job;

typedef struct {
    ProcServer what;
    int ended /* children */, peer /* pidfd or -1 */;
    pid_t pid;
    Job running[MAX_JOBS];
    u32 n;
    u64 begun; /* jobs so far */
} Server;

static i64 now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * (i64)1000 + t.tv_nsec / 1000000;
}

/* --- in the child ------------------------------------------------------------------------- */

static void bound(int what, u64 most)
{
    struct rlimit old;
    if (!most || getrlimit((__rlimit_resource_t)what, &old))
        return;
    const rlim_t max = old.rlim_max < most ? old.rlim_max : most;
    setrlimit((__rlimit_resource_t)what, &(struct rlimit){max, max});
}

static u64 mapped_bytes(void)
{
    char text[64] = "";
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    u64 pages = 0;
    if (fd >= 0) {
        const ssize_t n = read(fd, text, sizeof text - 1);
        close(fd);
        for (const char *p = text; n > 0 && *p >= '0' && *p <= '9'; p++)
            pages = pages * 10 + (u64)(*p - '0');
    }
    return pages * (u64)sysconf(_SC_PAGESIZE);
}

static void set_bounds(const ProcLimits *l)
{
    bound(RLIMIT_CPU, l->cpu);
    bound(RLIMIT_FSIZE, l->file);
    /* the sanitizers map terabytes */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (l->memory)
        bound(RLIMIT_AS, mapped_bytes() + l->memory + PROC_STACK);
#else
    (void)mapped_bytes;
#endif
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

/* spare: a higher descriptor that stays, or -1 */
static void close_from(int first, int spare)
{
    const unsigned last = spare < 0 ? ~0u : (unsigned)spare - 1;
    if (!close_range((unsigned)first, last, 0) &&
        (spare < 0 || !close_range((unsigned)spare + 1, ~0u, 0)))
        return;
    DIR *d = opendir("/proc/self/fd"); /* before Linux 5.9 */
    for (struct dirent *e; d && (e = readdir(d));) {
        const int fd = atoi(e->d_name);
        if (fd >= first && fd != spare && fd != dirfd(d))
            close(fd);
    }
    if (d)
        closedir(d);
}

bool proc_arrange(const int fd[], u32 n, int keep, int spare)
{
    int from[PROC_MAX_FILES + 1];
    for (u32 i = 0; i <= n; i++) { /* out of the way first */
        const int old = i < n ? fd[i] : keep;
        from[i] = old < 0 ? -1 : fcntl(old, F_DUPFD, PROC_MAX_FILES + 1);
        if (old >= 0 && from[i] < 0)
            return false;
    }
    for (u32 i = 0; i <= n; i++)
        if (from[i] >= 0 && dup2(from[i], (int)i) < 0)
            return false;
    close_from((int)n + (keep >= 0), spare);
    return true;
}

/* Lets the thread that runs the job allocate as the first thread does.  An arena of its own would
 * grow by a page and a system call at a time. */
static void share_heap(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, HEAP_STEP);
}

static void say(int to, ProcResult r)
{
    (void)!send(to, &r, sizeof r, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Says how the job ends before it has ended, which takes a while: its memory is given back.  The
 * caller then lets go of the job, and the server kills what is left of it; so a job that says this
 * and goes on gains nothing.  A sanitizer may still change the status. */
static void say_status(int to, int status)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    say(to, (ProcResult){PROC_EXITED, status & 0xff});
#else
    (void)to, (void)status;
#endif
}

static void child(const Server *s, const int fd[], const ProcCall *call)
{
    sigset_t none;
    sigemptyset(&none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != s->pid) /* the server died before that */
        _exit(1);
    const int result = dup3(fd[CALL_RESULT], RESULT_AT, O_CLOEXEC); /* or -1: a lower limit */
    if (fchdir(fd[CALL_DIRECTORY]) ||
        !proc_arrange(fd + CALL_FILES, call->nfiles, s->what.keep, result))
        _exit(1);
    set_bounds(&call->limits);
    share_heap();
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int status = proc_on_stack(s->what.job, s->what.self);
    say_status(result, status);
    s->what.end(status);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Forks for a call.  False: it cannot; the caller then sees its socket closed. */
static bool begin(Server *s, const int fd[], const ProcCall *call)
{
    if (s->begun++ == 1 && s->what.prepare)
        s->what.prepare();
    const pid_t pid = fork();
    if (pid == 0) {
        child(s, fd, call);
        _exit(1);
    }
    if (pid < 0)
        return false;
    say(fd[CALL_RESULT], (ProcResult){.how = PROC_BEGUN});
    s->running[s->n++] =
        (Job){.pid = pid,
              .result = fd[CALL_RESULT],
              .deadline = call->limits.wall ? now() + call->limits.wall * (i64)1000 : 0};
    return true;
}

/* Takes a call from the socket and begins it.  False: there are no callers any more. */
static bool take_call(Server *s)
{
    ProcCall call;
    int fd[CALL_MAX];
    u32 n = 0;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof fd)];
    } rights = {0};
    struct iovec part = {&call, sizeof call};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &rights,
                       .msg_controllen = CMSG_LEN(sizeof fd)}; /* padding would let in one more */
    const ssize_t len = recvmsg(s->what.control, &m, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (len <= 0)
        return len < 0 && (errno == EINTR || errno == EAGAIN || errno == EMFILE);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        n = (u32)((c->cmsg_len - CMSG_LEN(0)) / sizeof *fd);
        memcpy(fd, CMSG_DATA(c), n * sizeof *fd);
    }
    const bool whole = len == sizeof call && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) &&
                       n >= CALL_FILES && n == CALL_FILES + call.nfiles;
    const bool begun = whole && begin(s, fd, &call);
    for (u32 i = 0; i < n; i++)
        if (!begun || i != CALL_RESULT)
            close(fd[i]);
    return true;
}

static void tell(const Job *j, int status)
{
    const ProcResult r = j->late               ? (ProcResult){PROC_TIMEOUT, 0}
                         : WIFSIGNALED(status) ? (ProcResult){PROC_SIGNALLED, WTERMSIG(status)}
                                               : (ProcResult){PROC_EXITED, WEXITSTATUS(status)};
    say(j->result, r);
    close(j->result);
}

static void reap(Server *s)
{
    for (u32 i = 0; i < s->n;) {
        int status;
        if (waitpid(s->running[i].pid, &status, WNOHANG) <= 0) {
            i++;
            continue;
        }
        tell(&s->running[i], status);
        s->running[i] = s->running[--s->n];
    }
}

/* Kills jobs that are past their deadline; returns the milliseconds to the next deadline, or -1. */
static int next_deadline(Server *s)
{
    const i64 t = now();
    i64 next = -1;
    for (u32 i = 0; i < s->n; i++) {
        Job *j = &s->running[i];
        if (!j->deadline || j->late)
            continue;
        const i64 left = j->deadline - t;
        if (left <= 0) {
            j->late = true;
            kill(j->pid, SIGKILL);
        } else if (next < 0 || left < next) {
            next = left;
        }
    }
    return next < INT_MAX ? (int)next + (next >= 0) : INT_MAX;
}

static int wait_and_serve(Server *s)
{
    enum { CONTROL, ENDED, PEER, FIXED };
    for (;;) {
        struct pollfd p[FIXED + MAX_JOBS] = {
            [CONTROL] = {.fd = s->n < MAX_JOBS ? s->what.control : -1, .events = POLLIN},
            [ENDED] = {.fd = s->ended, .events = POLLIN},
            [PEER] = {.fd = s->peer, .events = POLLIN},
        };
        const u32 n = s->n;
        for (u32 i = 0; i < n; i++)
            p[FIXED + i].fd = s->running[i].given_up ? -1 : s->running[i].result;
        if (poll(p, FIXED + n, next_deadline(s)) < 0 && errno != EINTR)
            return errno;
        if (p[PEER].revents)
            return 0;
        for (u32 i = 0; i < n; i++)
            if (p[FIXED + i].revents & (POLLHUP | POLLERR)) {
                s->running[i].given_up = true;
                kill(s->running[i].pid, SIGKILL);
            }
        if (p[ENDED].revents) {
            struct signalfd_siginfo info;
            (void)!read(s->ended, &info, sizeof info);
            reap(s);
        }
        if (p[CONTROL].revents && s->n < MAX_JOBS && !take_call(s))
            return 0;
    }
}

static int pidfd_of_peer(int control)
{
    struct ucred who;
    socklen_t len = sizeof who;
    if (getsockopt(control, SOL_SOCKET, SO_PEERCRED, &who, &len))
        return -1;
    const int fd = pidfd_open(who.pid, 0);
    if (fd >= 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

int proc_serve(const ProcServer *what)
{
    Server s = {.what = *what};
    struct rlimit files;
    sigset_t ended;
    if (!getrlimit(RLIMIT_NOFILE, &files))
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){files.rlim_max, files.rlim_max});
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    s.pid = getpid();
    s.ended = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
    s.peer = pidfd_of_peer(what->control);
    const int why = s.ended < 0 ? errno : wait_and_serve(&s);
    for (u32 i = 0; i < s.n; i++)
        kill(s.running[i].pid, SIGKILL);
    if (s.ended >= 0)
        close(s.ended);
    if (s.peer >= 0)
        close(s.peer);
    return why;
}
