/* serve.c -- a server: forks for each job, keeps it within its bounds, reports its end.
 *
 * One thread waits for six things: a call; a fork that is ready for the next one; the end of a
 * child; a deadline; a caller that gave up or died, whose job is killed; and the end of the process
 * that the server works for.  There are at most MAX_FORKS forks; further calls wait in the socket.
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

enum { MAX_FORKS = 32 };
enum { HEAP_STEP = 1 << 20 /* bytes */ };
/* The descriptors over which a fork says a job's result to the caller, and over which the server has
 * it do another job, above all that a job counts on to be free. */
enum { RESULT_AT = 4200, LINE_AT, NLINES = 2 };
/* A fork that is done waits so long for another job, unless what it has mapped has grown. */
enum { WAITS = 1000 /* milliseconds */, MOST_GROWTH = 256 << 20 /* bytes */ };

/* A fork. */
typedef struct {
    pid_t pid;
    int result; /* the socket that the caller waits at; -1: it is idle */
    int line;   /* on which the server has it do another job, or -1 */
    ProcLimits limits;
    i64 deadline; /* milliseconds, or 0 */
    bool late, given_up;
} Fork;

typedef struct {
    ProcServer what;
    int ended /* children */, peer /* pidfd or -1 */;
    pid_t pid;
    Fork fork[MAX_FORKS];
    u32 n;
    u64 begun; /* jobs so far */
} Server;

static i64 now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * (i64)1000 + t.tv_nsec / 1000000;
}

static void say(int to, ProcResult r)
{
    (void)!send(to, &r, sizeof r, MSG_NOSIGNAL | MSG_DONTWAIT);
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

/* Of a fork that does several jobs, from the time that it has used already.  A job that was taken
 * over could lift it; the bound by the clock, which the server keeps, holds. */
static void bound_time(u32 cpu)
{
    struct rlimit old;
    struct rusage used;
    if (!cpu || getrlimit(RLIMIT_CPU, &old) || getrusage(RUSAGE_SELF, &used))
        return;
    const rlim_t most = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + 1 + cpu;
    old.rlim_cur = old.rlim_max < most ? old.rlim_max : most;
    setrlimit(RLIMIT_CPU, &old);
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

/* But for time. */
static void set_bounds(const ProcLimits *l)
{
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

/* spare, nspares: higher descriptors that stay */
static void close_from(int first, int spare, int nspares)
{
    const unsigned last = nspares ? (unsigned)spare - 1 : ~0u;
    if (!close_range((unsigned)first, last, 0) &&
        (!nspares || !close_range((unsigned)(spare + nspares), ~0u, 0)))
        return;
    DIR *d = opendir("/proc/self/fd"); /* before Linux 5.9 */
    for (struct dirent *e; d && (e = readdir(d));) {
        const int fd = atoi(e->d_name);
        if (fd >= first && (fd < spare || fd >= spare + nspares) && fd != dirfd(d))
            close(fd);
    }
    if (d)
        closedir(d);
}

bool proc_arrange(const int fd[], u32 n, int keep, int spare, int nspares)
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
    close_from((int)n + (keep >= 0), spare, nspares);
    return true;
}

/* Lets the thread that runs the job allocate as the first thread does.  An arena of its own would
 * grow by a page and a system call at a time. */
static void share_heap(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, HEAP_STEP);
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

/* What a fork works with. */
typedef struct {
    const Server *server;
    bool again; /* it may get another job, on LINE_AT */
    u64 mapped; /* bytes, before the first */
    int result; /* RESULT_AT; -1: a lower limit */
} Worker;

/* Makes ready for a call: its directory, its files, its time.  False: it cannot. */
static bool ready(Worker *w, const ProcReceived *r)
{
    w->result = dup3(r->fd[CALL_RESULT], RESULT_AT, O_CLOEXEC);
    if (fchdir(r->fd[CALL_DIRECTORY]) ||
        !proc_arrange(r->fd + CALL_FILES, r->call.nfiles, w->server->what.keep, RESULT_AT, NLINES))
        return false;
    if (w->again)
        bound_time(r->call.limits.cpu);
    else
        bound(RLIMIT_CPU, r->call.limits.cpu);
    return true;
}

/* Waits for another call.  False: there is none, or it was not understood. */
static bool next(Worker *w)
{
    ProcReceived r;
    bool whole = false;
    ssize_t n;
    while ((n = proc_receive_call(LINE_AT, &r, &whole)) < 0 && errno == EINTR)
        ;
    return n > 0 && whole && ready(w, &r);
}

/* The server knows that the fork is ready before the caller knows that the job is done, and may
 * call again. */
static int work(void *self)
{
    Worker *w = self;
    const ProcServer *what = &w->server->what;
    for (;;) {
        const int status = what->job(what->self);
        const bool again = w->again && !status && mapped_bytes() <= w->mapped + MOST_GROWTH &&
                           send(LINE_AT, "", 1, MSG_NOSIGNAL) == 1;
        say_status(w->result, status);
        if (!again)
            return status;
        if (!next(w))
            return 1;
    }
}

/* line: this end of it, or -1 */
static void child(const Server *s, const ProcReceived *r, int line)
{
    sigset_t none;
    Worker w = {.server = s, .again = line >= 0 && dup3(line, LINE_AT, O_CLOEXEC) >= 0};
    sigemptyset(&none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != s->pid /* the server died before that */ || !ready(&w, r))
        _exit(1);
    w.mapped = mapped_bytes() + PROC_STACK;
    set_bounds(&r->call.limits);
    share_heap();
    sigprocmask(SIG_SETMASK, &none, NULL);
    s->what.end(proc_on_stack(work, &w));
}

/* --- calls ------------------------------------------------------------------------------------ */

/* NULL: it cannot fork. */
static Fork *run_in_fork(Server *s, const ProcReceived *r)
{
    int line[2] = {-1, -1};
    if (s->begun++ == 1 && s->what.prepare)
        s->what.prepare();
    if (s->what.again && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line))
        line[0] = line[1] = -1;
    const pid_t pid = fork();
    if (pid == 0) {
        child(s, r, line[1]);
        _exit(1);
    }
    if (line[1] >= 0)
        close(line[1]);
    if (line[0] >= 0) /* a fork that was taken over may leave calls unread */
        fcntl(line[0], F_SETFL, O_NONBLOCK);
    if (pid < 0) {
        if (line[0] >= 0)
            close(line[0]);
        return NULL;
    }
    s->fork[s->n] = (Fork){.pid = pid, .line = line[0], .limits = r->call.limits, .result = -1};
    return &s->fork[s->n++];
}

static bool is_idle(const Fork *j) { return j->result < 0 && j->line >= 0 && !j->late; }

/* Has an idle fork with these bounds do it.  NULL: there is none. */
static Fork *run_in_idle(Server *s, const ProcReceived *r)
{
    for (u32 i = 0; i < s->n; i++) {
        Fork *j = &s->fork[i];
        if (is_idle(j) && !memcmp(&j->limits, &r->call.limits, sizeof j->limits) &&
            !proc_send_call(j->line, r->fd, r->n, &r->call))
            return j;
    }
    return NULL;
}

/* Has a fork do what is called for.  False: it cannot; the caller then sees its socket closed. */
static bool begin(Server *s, const ProcReceived *r)
{
    Fork *j = run_in_idle(s, r);
    j = j ? j : run_in_fork(s, r);
    if (!j)
        return false;
    j->result = r->fd[CALL_RESULT];
    j->deadline = j->limits.wall ? now() + j->limits.wall * (i64)1000 : 0;
    say(j->result, (ProcResult){.how = PROC_BEGUN});
    return true;
}

/* Takes a call from the socket and begins it.  False: there are no callers any more. */
static bool take_call(Server *s)
{
    ProcReceived r;
    bool whole = false;
    const ssize_t len = proc_receive_call(s->what.control, &r, &whole);
    if (len <= 0)
        return len < 0 && (errno == EINTR || errno == EAGAIN || errno == EMFILE);
    const bool begun = whole && begin(s, &r);
    for (u32 i = 0; i < r.n; i++)
        if (!begun || i != CALL_RESULT)
            close(r.fd[i]);
    return true;
}

/* A fork says that it is ready for another job; one that was taken over may say anything.  It does not keep calls waiting
 * for room. */
static void take_ready(const Server *s, Fork *j)
{
    char byte;
    if (recv(j->line, &byte, 1, MSG_DONTWAIT) != 1) { /* it is about to end */
        close(j->line);
        j->line = -1;
    } else if (j->result >= 0 && !j->late && !j->given_up) {
        close(j->result);
        j->result = -1;
        j->deadline = now() + (s->n < MAX_FORKS ? WAITS : 0);
    }
}

/* A fork has ended. */
static void tell(const Fork *j, int status)
{
    if (j->line >= 0)
        close(j->line);
    if (j->result < 0)
        return;
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
        if (waitpid(s->fork[i].pid, &status, WNOHANG) <= 0) {
            i++;
            continue;
        }
        tell(&s->fork[i], status);
        s->fork[i] = s->fork[--s->n];
    }
}

/* Kills forks that are past their deadline; returns the milliseconds to the next deadline, or -1. */
static int next_deadline(Server *s)
{
    const i64 t = now();
    i64 next = -1;
    for (u32 i = 0; i < s->n; i++) {
        Fork *j = &s->fork[i];
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
    enum { CONTROL, ENDED, PEER, FIXED, RESULT = FIXED, LINE };
    for (;;) {
        struct pollfd p[FIXED + 2 * MAX_FORKS] = {
            [CONTROL] = {.fd = s->n < MAX_FORKS ? s->what.control : -1, .events = POLLIN},
            [ENDED] = {.fd = s->ended, .events = POLLIN},
            [PEER] = {.fd = s->peer, .events = POLLIN},
        };
        const u32 n = s->n;
        for (u32 i = 0; i < n; i++) {
            const Fork *j = &s->fork[i];
            p[RESULT + 2 * i].fd = j->given_up ? -1 : j->result;
            p[LINE + 2 * i] = (struct pollfd){.fd = j->line, .events = POLLIN};
        }
        /* not of more than there are: a process may have few files */
        if (poll(p, FIXED + 2 * n, next_deadline(s)) < 0 && errno != EINTR)
            return errno;
        if (p[PEER].revents)
            return 0;
        for (u32 i = 0; i < n; i++) {
            Fork *j = &s->fork[i];
            if (p[LINE + 2 * i].revents)
                take_ready(s, j);
            if (j->result >= 0 && p[RESULT + 2 * i].revents & (POLLHUP | POLLERR)) {
                j->given_up = true;
                kill(j->pid, SIGKILL);
            }
        }
        if (p[ENDED].revents) {
            struct signalfd_siginfo info;
            (void)!read(s->ended, &info, sizeof info);
            reap(s);
        }
        if (p[CONTROL].revents && s->n < MAX_FORKS && !take_call(s))
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
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    s.what.again = false; /* what a job leaks is found when its fork ends */
#endif
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
        kill(s.fork[i].pid, SIGKILL);
    if (s.ended >= 0)
        close(s.ended);
    if (s.peer >= 0)
        close(s.peer);
    return why;
}
