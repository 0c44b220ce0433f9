/* proc_test.c -- jobs in processes of their own: files, bounds, ends, confinement, a stack of known
 * size.
 *
 * With PROC_TEST this program is the server; a job's input names what it does.
 */
#include "base/mem.h"
#include "proc/wire.h"
#include "test/kit/skip.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

extern char **environ;

/* --- the jobs ------------------------------------------------------------------------------ */

static int recur(int depth, volatile char *above)
{
    volatile char here[1024];
    here[0] = above ? (char)(above[0] + 1) : 0;
    return depth ? recur(depth - 1, here) + (here[0] & 1) : here[0] & 1;
}

static int is_refused(long result) { return result < 0 && (errno == EPERM || errno == EACCES); }

/* 0: everything was refused that should be, and what should work works */
static int confined(void)
{
    proc_confine();
    const int unwanted[] = {
        is_refused(fork()),
        is_refused(execl("/bin/false", "false", NULL)),
        is_refused(socket(AF_UNIX, SOCK_STREAM, 0)),
        is_refused(kill(getppid(), 0)),
        is_refused(ptrace(PTRACE_TRACEME, 0, 0, 0)),
        is_refused(syscall(SYS_execveat, AT_FDCWD, "/bin/false", NULL, NULL, 0)),
        is_refused(syscall(SYS_process_vm_writev, getpid(), NULL, 0, NULL, 0, 0)),
        is_refused(syscall(SYS_pidfd_send_signal, -1, 0, NULL, 0)),
#ifdef SYS_fork
        is_refused(syscall(SYS_fork)),
#endif
        syscall(SYS_clone3, NULL, 0) < 0 && errno == ENOSYS,
    };
    for (size_t i = 0; i < countof(unwanted); i++)
        if (!unwanted[i])
            return (int)i + 1;
    const int fd = open("/dev/null", O_RDONLY), memory = memfd_create("x", 0);
    return fd < 0 || memory < 0 || write(memory, "x", 1) != 1 ? 90 : 0;
}

/* How many of these can be done here: a new file, directory, pipe, link, device of each kind (which
 * only root makes) and socket; a file changed, a file and a directory removed. */
static int files_done(void)
{
    const int made = open("new", O_CREAT | O_WRONLY, 0600), opened = open("old", O_WRONLY);
    return (made >= 0) + (opened >= 0) + !mkdir("newer", 0700) + !mkfifo("pipe", 0600) +
           !symlink("old", "link") + !mknod("char", S_IFCHR, 0) + !mknod("block", S_IFBLK, 0) +
           !mknod("socket", S_IFSOCK, 0) + !unlink("old") + !rmdir("dir");
}

/* 0: nothing of a directory can be made, changed or removed; 1: something can; 2: the kernel cannot
 * forbid it */
static int forbids_files(void)
{
    enum { WITHOUT_ROOT = 8 };
    if (chdir(getenv("PROC_TEST_DIR")) || mkdir("dir", 0700))
        return 1;
    const int fd = open("old", O_CREAT | O_WRONLY, 0600);
    if (fd < 0)
        return 1;
    proc_confine();
    const int done = files_done();
    return write(fd, "x", 1) != 1 ? 1 : done >= WITHOUT_ROOT ? 2 : done != 0;
}

static void *thread(void *arg) { return arg; }

/* At the least: the server closes what came with a call while the job that was called for runs. */
static int descriptors_of_parent(void)
{
    enum { TIMES = 20, BETWEEN = 1000 /* microseconds */ };
    char path[64];
    int least = INT_MAX;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)getppid());
    for (int i = 0; i < TIMES; i++) {
        int n = 0;
        DIR *d = opendir(path);
        while (d && readdir(d))
            n++;
        if (d)
            closedir(d);
        least = n < least ? n : least;
        usleep(BETWEEN);
    }
    return least;
}

/* How many jobs the server has, with this one; 1 where the kernel does not say. */
static int jobs_of_server(void)
{
    char path[64], text[4096];
    int n = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)getppid(), (int)getppid());
    FILE *f = fopen(path, "r");
    if (!f)
        return 1;
    if (fgets(text, sizeof text, f))
        for (const char *p = text; (p = strchr(p, ' ')); p++)
            n++;
    fclose(f);
    return n;
}

/* What a job has of its server, and the server of its starter, that it should not have: 1 and
 * more. */
static int inherited(void)
{
    char path[64], file[64];
    sigset_t blocked;
    struct sigaction how;
    for (int fd = 0; fd < 3; fd++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getppid(), fd);
        const ssize_t n = readlink(path, file, sizeof file - 1);
        if (n < 0 || (file[n] = 0, strcmp(file, "/dev/null") != 0))
            return 1 + fd;
    }
    if (getsid(0) != getppid())
        return 4;
    if (sigprocmask(SIG_SETMASK, NULL, &blocked))
        return 5;
    for (int s = 1; s < SIGRTMIN; s++)
        if (sigismember(&blocked, s) == 1 ||
            (!sigaction(s, NULL, &how) && how.sa_handler == SIG_IGN))
            return 10 + s;
    return 0;
}

/* The end of a job, which takes longer than what a test waits for. */
enum { SLOW = 43, SECONDS = 20 };

static void end(int status)
{
    if (status == SLOW)
        sleep(SECONDS);
    _exit(status);
}

static int prepared;

static void prepare(void) { prepared++; }

static int job(void *self)
{
    char what[32] = "";
    (void)self;
    if (read(0, what, sizeof what - 1) < 0)
        return 99;
    if (!strcmp(what, "copy"))
        return write(1, "done", 4) != 4;
    if (!strcmp(what, "prepared"))
        return prepared;
    if (!strcmp(what, "forge")) {
        for (int fd = 1024; fd < 8192; fd++) /* its result's, wherever that is */
            (void)!send(fd, &(ProcResult){PROC_SIGNALLED, 9999}, sizeof(ProcResult), MSG_NOSIGNAL);
        return 0;
    }
    if (!strcmp(what, "slow end"))
        return SLOW;
    if (!strcmp(what, "status"))
        return 42;
    if (!strcmp(what, "names and sleep")) {
        const pid_t names[] = {getpid(), getppid()};
        if (pwrite(1, names, sizeof names, 0) != sizeof names)
            return 99;
        sleep(SECONDS);
        return SLOW;
    }
    if (!strcmp(what, "large status"))
        return 200;
    if (!strcmp(what, "core")) {
        struct rlimit core;
        return getrlimit(RLIMIT_CORE, &core) || core.rlim_cur || core.rlim_max;
    }
    if (!strcmp(what, "signal"))
        raise(SIGUSR1);
    if (!strcmp(what, "spin"))
        for (;;)
            ;
    if (!strcmp(what, "sleep"))
        for (;;)
            pause();
    if (!strcmp(what, "memory"))
        return mmap(NULL, (size_t)1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                    0) == MAP_FAILED;
    if (!strcmp(what, "stack"))
        return recur(30000, NULL) < 0;
    if (!strcmp(what, "write")) {
        static char bytes[4096];
        for (;;)
            if (write(1, bytes, sizeof bytes) < 0)
                return 5;
    }
    if (!strcmp(what, "descriptors")) {
        int n = 0;
        for (int fd = 0; fd < 1024; fd++)
            n += fcntl(fd, F_GETFD) >= 0;
        return n;
    }
    if (!strcmp(what, "many files")) {
        struct rlimit files;
        return getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur != files.rlim_max;
    }
    if (!strcmp(what, "server"))
        return descriptors_of_parent();
    if (!strcmp(what, "confined"))
        return confined();
    if (!strcmp(what, "files"))
        return forbids_files();
    if (!strcmp(what, "thread")) {
        pthread_t id;
        proc_confine();
        return pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL);
    }
    if (!strcmp(what, "jobs"))
        return jobs_of_server();
    if (!strcmp(what, "who"))
        return dprintf(1, "%d", (int)getpid()) <= 0;
    if (!strcmp(what, "where")) {
        char at[16] = "";
        return readlink("/proc/self/cwd", at, sizeof at - 1) <= 0 || dprintf(1, "%s", at) <= 0;
    }
    if (!strcmp(what, "bound of time")) {
        struct rlimit time;
        return getrlimit(RLIMIT_CPU, &time) || dprintf(1, "%d", (int)time.rlim_cur) <= 0;
    }
    if (!strcmp(what, "second")) {
        struct rusage used;
        do
            getrusage(RUSAGE_SELF, &used);
        while (used.ru_utime.tv_sec + used.ru_stime.tv_sec < 1);
        return 0;
    }
    if (!strcmp(what, "grow"))
        return mmap(NULL, 300 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
    if (!strcmp(what, "inherits"))
        return inherited();
    return 98;
}

/* --- calls ---------------------------------------------------------------------------------- */

static int control;

static int file_with(const char *text)
{
    const int fd = memfd_create("test", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static ProcResult call(const char *what, const ProcLimits *limits, char out[16])
{
    ProcResult r = {PROC_LOST, 0};
    const int file[] = {file_with(what), file_with("")};
    assert_int_equal(proc_call(control, file, 2, limits, -1, &r), 0);
    if (out) {
        const ssize_t n = pread(file[1], out, 15, 0);
        out[n > 0 ? n : 0] = 0;
    }
    close(file[0]);
    close(file[1]);
    return r;
}

static void assert_status(const char *what, int status)
{
    const ProcResult r = call(what, &(ProcLimits){.wall = 60}, NULL);
    assert_int_equal(r.how, PROC_EXITED);
    if (r.code != status)
        fail_msg("%s: %d, should be %d", what, r.code, status);
}

static void reads_and_writes(void **state)
{
    char out[16];
    (void)state;
    const ProcResult r = call("copy", &(ProcLimits){0}, out);
    assert_int_equal(r.how, PROC_EXITED);
    assert_int_equal(r.code, 0);
    assert_string_equal(out, "done");
}

static void tells_the_end(void **state)
{
    (void)state;
    assert_status("status", 42);
    assert_status("large status", 200);
    assert_status("core", 0); /* no job leaves a file behind where it ran */
    assert_status("descriptors", 2);
    assert_status("inherits", 0);
    const ProcResult r = call("signal", &(ProcLimits){0}, NULL);
    assert_int_equal(r.how, PROC_SIGNALLED);
    assert_int_equal(r.code, SIGUSR1);
}

static void keeps_bounds(void **state)
{
    (void)state;
    ProcResult r = call("spin", &(ProcLimits){.cpu = 1}, NULL);
    assert_int_equal(r.how, PROC_SIGNALLED);
    assert_true(r.code == SIGXCPU || r.code == SIGKILL);
    r = call("sleep", &(ProcLimits){.wall = 1}, NULL);
    assert_int_equal(r.how, PROC_TIMEOUT);
    r = call("write", &(ProcLimits){.file = 1 << 20}, NULL);
    assert_int_equal(r.how, PROC_SIGNALLED);
    assert_int_equal(r.code, SIGXFSZ);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    r = call("memory", &(ProcLimits){.memory = 64 << 20}, NULL);
    assert_int_equal(r.code, 1);
    r = call("memory", &(ProcLimits){0}, NULL);
    assert_int_equal(r.code, 0);
#endif
}

/* the caller's own limit of the stack, which the server inherits, is one of 128 KiB */
static void has_a_stack(void **state)
{
    (void)state;
    assert_status("stack", 0);
}

static void confines(void **state)
{
    (void)state;
    assert_status("thread", 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_status("confined", 0);
#endif
    const ProcResult r = call("files", &(ProcLimits){0}, NULL);
    assert_int_equal(r.how, PROC_EXITED);
    if (r.code == 2)
        print_message("this kernel has no Landlock: jobs may write files\n");
    else
        assert_int_equal(r.code, 0);
}

/* A job has ended for its caller when it has done its work, and what is left of it is killed. */
static void ends_early(void **state)
{
    (void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rlimit files;
    struct timespec before, after;
    if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_max < 5000)
        skip_because("a process may have too few files");
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (int i = 0; i < 40; i++) /* more than the server runs at once */
        assert_status("slow end", SLOW);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(after.tv_sec - before.tv_sec < SECONDS);
#endif
}

/* What a job says in the server's name is a result or none. */
static void believes_results_only(void **state)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    ProcResult r = {PROC_BEGUN, 0};
    const int file[] = {file_with("forge")};
    (void)state;
    const int why = proc_call(control, file, 1, &(ProcLimits){0}, -1, &r);
    assert_true(why == EPIPE || (why == 0 && r.how == PROC_LOST));
    close(file[0]);
#else
    (void)state;
#endif
}

static void *call_often(void *arg)
{
    for (int i = 0; i < 20; i++)
        if (call("status", &(ProcLimits){0}, NULL).code != 42)
            return NULL;
    return arg;
}

/* more at once than the server runs */
static void serves_many(void **state)
{
    enum { N = 48 };
    pthread_t id[N];
    (void)state;
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&id[i], NULL, call_often, &control), 0);
    for (int i = 0; i < N; i++) {
        void *ok;
        pthread_join(id[i], &ok);
        assert_non_null(ok);
    }
}

/* Calls go to a server of their own from here on; the one before is returned. */
static int begin_server(const char *how)
{
    char *const argv[] = {(char *)(size_t)"/proc/self/exe", NULL};
    const int others = control;
    setenv("PROC_TEST", how, 1);
    const int why = proc_start(argv, environ, &control);
    unsetenv("PROC_TEST");
    assert_int_equal(why, 0);
    return others;
}

static void end_server(int others)
{
    close(control);
    control = others;
}

static void prepares_once(void **state)
{
    const int others = begin_server("1");
    (void)state;
    assert_status("prepared", 0);
    assert_status("prepared", 1);
    assert_status("prepared", 1);
    end_server(others);
}

/* --- forks that do several jobs --------------------------------------------------------------- */

static const ProcLimits usual = {.cpu = 50, .wall = 60, .memory = (u64)1 << 30, .file = 1 << 20};

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/* what a job that returns 0 writes, as a number */
static int number_of(const char *what, const ProcLimits *limits)
{
    char out[16];
    const ProcResult r = call(what, limits, out);
    assert_int_equal(r.how, PROC_EXITED);
    assert_int_equal(r.code, 0);
    return atoi(out);
}

static void goes_on_in_one_fork(void **state)
{
    const int others = begin_server("again"), first = number_of("who", &usual);
    char out[16], *before = getcwd(NULL, 0);
    (void)state;
    assert_non_null(before);
    assert_int_not_equal(first, 0);
    for (int i = 0; i < 200; i++)
        assert_int_equal(number_of("who", &usual), first);
    /* with what belongs to each call */
    assert_int_equal(call("descriptors", &usual, out).code, 2);
    assert_int_equal(chdir("/proc"), 0);
    (void)call("where", &usual, out);
    assert_string_equal(out, "/proc");
    assert_int_equal(chdir("/dev"), 0);
    (void)call("where", &usual, out);
    assert_string_equal(out, "/dev");
    assert_int_equal(chdir(before), 0);
    free(before);
    end_server(others);
}

/* One that failed does no other job, nor one that has grown, or has other bounds. */
static void goes_on_in_another(void **state)
{
    static const char *const ends[] = {"status", "signal", "grow"};
    const int others = begin_server("again");
    int before = number_of("who", &usual);
    (void)state;
    for (size_t i = 0; i < countof(ends); i++) {
        (void)call(ends[i], &usual, NULL);
        const int now = number_of("who", &usual);
        assert_int_not_equal(now, before);
        before = now;
    }
    ProcLimits other = usual;
    other.file++;
    assert_int_not_equal(number_of("who", &other), before);
    assert_int_equal(number_of("who", &usual), before);
    end_server(others);
}

/* The time that others took before does not count. */
static void bounds_each_job(void **state)
{
    const int others = begin_server("again"), first = number_of("bound of time", &usual);
    const ProcLimits short_ = {.cpu = 1, .wall = 60};
    (void)state;
    assert_in_range(first, 50, 52);
    assert_int_equal(call("second", &usual, NULL).code, 0);
    assert_int_equal(number_of("bound of time", &usual), first + 1);
    assert_int_equal(number_of("bound of time", &short_), 2);
    const ProcResult r = call("spin", &short_, NULL);
    assert_int_equal(r.how, PROC_SIGNALLED);
    assert_int_equal(r.code, SIGXCPU);
    end_server(others);
}

/* A fork without work ends, and the server does not. */
static void lets_idle_forks_end(void **state)
{
    const int others = begin_server("again"), first = number_of("who", &usual);
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, first, 0), .events = POLLIN};
    (void)state;
    assert_true(ended.fd >= 0);
    assert_int_equal(poll(&ended, 1, 1000 * SECONDS / 2), 1);
    close(ended.fd);
    assert_int_not_equal(number_of("who", &usual), 0);
    end_server(others);
}

/* The server holds nothing of forks that have ended. */
static void keeps_nothing_of_forks(void **state)
{
    enum { FORKS = 20 };
    const int others = begin_server("again"), before = call("server", &usual, NULL).code;
    (void)state;
    for (int i = 0; i < FORKS; i++) {
        assert_int_not_equal(number_of("who", &usual), 0);
        assert_int_equal(call("status", &usual, NULL).code, 42); /* by the same, which ends */
    }
    /* some may be about to end */
    assert_in_range(call("server", &usual, NULL).code, 3, before + FORKS - 1);
    end_server(others);
}

/* Whatever a job says over what it finds open, others have theirs done. */
static void survives_forgery(void **state)
{
    const int others = begin_server("again");
    (void)state;
    for (int i = 0; i < 5; i++) {
        const int file[] = {file_with("forge"), file_with("")};
        ProcResult r;
        (void)proc_call(control, file, 2, &usual, -1, &r);
        close(file[0]);
        close(file[1]);
    }
    usleep(100000);
    assert_int_not_equal(number_of("who", &(ProcLimits){.wall = 59}), 0);
    end_server(others);
}
#endif

/* --- code that forks share ------------------------------------------------------------------ */

static int read_code(struct dl_phdr_info *object, size_t size, void *sum)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & (PF_R | PF_W)) == PF_R &&
            part->p_memsz >= 1 << 20)
            for (size_t at = 0; at < part->p_filesz; at += 4096)
                *(u32 *)sum += *(const volatile u8 *)(object->dlpi_addr + part->p_vaddr + at);
    }
    return 0;
}

/* the page faults of a fork that reads a byte of each page of the large libraries' code */
static int faults_of_fork(void)
{
    int status;
    const pid_t pid = fork();
    if (!pid) {
        u32 sum = 0;
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        dl_iterate_phdr(read_code, &sum);
        getrusage(RUSAGE_SELF, &after);
        const long n = after.ru_minflt - before.ru_minflt;
        _exit(n < 255 ? (int)n : 255);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Code comes by 16 pages a fault at most, as kernels are set up: 1 MiB of the C library takes 16.
 */
static void shares_code(void **state)
{
    u32 sum = 0;
    (void)state;
    dl_iterate_phdr(read_code, &sum);
    const int alone = faults_of_fork();
    proc_share_code();
    const int shared = faults_of_fork();
    if (alone < 16)
        skip_because("the kernel maps code by larger pieces");
    if (shared > alone / 2)
        fail_msg("%d page faults, %d before", shared, alone);
}

/* A server opens as many files as it is let. */
static void raises_its_limit(void **state)
{
    (void)state;
    assert_status("many files", 0);
}

/* The server closes what came with a call: of many calls less is open afterwards than one each. */
static void keeps_no_descriptor(void **state)
{
    (void)state;
    enum { CALLS = 20 };
    const int first = call("server", &(ProcLimits){.wall = 60}, NULL).code;
    int last = first;
    for (int i = 0; i < CALLS; i++)
        last = call("server", &(ProcLimits){.wall = 60}, NULL).code;
    assert_in_range(last, 3, first + CALLS - 1);
}

/* Whose caller goes away at once ends without an error, and has closed what it opened. */
static void closes_what_it_opened(void **state)
{
    int status;
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        int end[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) || close(end[1]))
            _exit(2);
        const ProcServer server = {.control = end[0], .keep = -1, .job = job, .end = _exit};
        const int first = dup(end[0]), second = dup(end[0]); /* the lowest numbers that are free */
        close(first);
        close(second);
        if (proc_serve(&server))
            _exit(3);
        _exit(dup(end[0]) != first || dup(end[0]) != second);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* the kernel answers the call as one that does not have it */
static bool lose_call(u32 number)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                  &(struct sock_fprog){countof(filter), filter}, 0, 0);
}

static int count_others(void *self)
{
    const int *from = self;
    int n = 0;
    for (int fd = *from; fd < 1100; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* A job keeps its files and no other, from the next number to those that no list of numbers
 * reaches, also by a kernel without close_range. */
static void closes_the_others(void **state)
{
    (void)state;
    for (int old = 0; old <= 1; old++) {
        int status, first = 2;
        const pid_t child = fork();
        if (child == 0) {
            const int file[] = {file_with(""), file_with("")};
            ProcResult r;
            setrlimit(RLIMIT_NOFILE, &(struct rlimit){2000, 2000});
            for (int fd = 20; fd < 1100; fd += 9)
                dup2(file[0], fd);
            dup2(file[0], 1024);
            if ((old && !lose_call(SYS_close_range)) || count_others(&first) < 100 ||
                proc_here(file, 2, count_others, &first, &r) || r.how != PROC_EXITED)
                _exit(99);
            _exit(r.code);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}
#endif

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* What a job is to have lies in order, whatever numbers it had, with one to keep and without,
 * and so does the one to spare where it was; nothing else is open. */
static void arranges_descriptors(void **state)
{
    enum { SPARE = 1000, PLACES = 1100 };
    static const char *const texts[] = {"a", "b", "c", "d", "e", "kept"};
    (void)state;
    for (int way = 0; way < 8; way++) {
        const bool old = way & 1, keeps = way & 2, spares = way & 4;
        int status;
        const pid_t child = fork();
        if (child == 0) {
            int fd[6], n = 0;
            char byte;
            setrlimit(RLIMIT_NOFILE, &(struct rlimit){2000, 2000});
            for (int i = 0; i < 6; i++) { /* each lies where another goes */
                const int file = file_with(texts[i]);
                dup2(file, fd[i] = 5 - i);
                if (file > 5)
                    close(file);
            }
            for (int k = 20; k < PLACES; k += 9)
                dup2(fd[0], k);
            dup2(fd[5], SPARE);
            if (old && !lose_call(SYS_close_range))
                _exit(90);
            if (!proc_arrange(fd, PROC_MAX_FILES, keeps ? fd[5] : -1, SPARE, spares))
                _exit(91);
            for (int k = 0; k < PLACES; k++)
                n += fcntl(k, F_GETFD) >= 0;
            if (n != PROC_MAX_FILES + keeps + spares)
                _exit(92);
            for (int k = 0; k < PROC_MAX_FILES + keeps; k++)
                if (pread(k, &byte, 1, 0) != 1 || byte != *texts[k])
                    _exit(93);
            _exit(spares && (pread(SPARE, &byte, 1, 0) != 1 || byte != 'k') ? 94 : 0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status)
            fail_msg("way %d: %d", way, WEXITSTATUS(status));
    }
}
#endif

/* Of what was given up nothing is left after a while. */
static void assert_no_jobs(void)
{
    for (int tries = 0; call("jobs", &(ProcLimits){.wall = 60}, NULL).code != 1; tries++) {
        assert_true(tries < 3000);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
}

/* A job dies with its caller, so that its place is free again: here more callers die than there are
 * places. */
static void lets_go_of_callers(void **state)
{
    enum { N = 40 };
    pid_t pid[N];
    (void)state;
    for (int i = 0; i < N; i++)
        if ((pid[i] = fork()) == 0) {
            call("sleep", &(ProcLimits){0}, NULL);
            _exit(0);
        }
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    for (int i = 0; i < N; i++)
        kill(pid[i], SIGKILL);
    for (int i = 0; i < N; i++)
        assert_int_equal(waitpid(pid[i], NULL, 0), pid[i]);
    assert_no_jobs();
    assert_status("status", 42);
}

/* Where standard input is closed, 0 is a descriptor like any other: of a file that the job reads,
 * or of the call itself. Nothing stays open. */
static void uses_descriptor_zero(void **state)
{
    (void)state;
    const int input = dup(STDIN_FILENO), file[] = {file_with("status"), file_with("")};
    ProcResult r;
    assert_true(input > 0);
    close(STDIN_FILENO);
    assert_status("status", 42);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
    assert_int_equal(proc_call(control, file, 2, &(ProcLimits){.wall = 60}, -1, &r), 0);
    assert_int_equal(r.code, 42);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
    assert_int_equal(dup2(input, STDIN_FILENO), STDIN_FILENO);
    close(input);
    close(file[0]);
    close(file[1]);
}

static void *cancel_soon(void *arg)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    eventfd_write(*(int *)arg, 1);
    return NULL;
}

/* A caller that gives up is back at once, and its job is gone: more give up than there are places.
 */
static void gives_up(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        ProcResult r;
        pthread_t id;
        int cancel =
            eventfd(i > 0, EFD_CLOEXEC); /* all but the first are canceled before they call */
        const int file[] = {file_with("sleep"), file_with("")};
        if (!i)
            assert_int_equal(pthread_create(&id, NULL, cancel_soon, &cancel), 0);
        assert_int_equal(proc_call(control, file, 2, &(ProcLimits){0}, cancel, &r), ECANCELED);
        if (!i)
            pthread_join(id, NULL);
        close(file[0]);
        close(file[1]);
        close(cancel);
    }
    assert_no_jobs();
    assert_status("status", 42);
}

/* Makes what a frame of the stack holds before anything is written there. */
static __attribute__((noinline)) void dirty_stack(int byte)
{
    volatile char bytes[8192];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)byte;
}

/* Nothing that nobody set leaves the process with a call: its bytes are the same whatever was on
 * the stack before. */
static void sends_only_what_is_set(void **state)
{
    enum { N = 256 };
    char message[2][N] = {0};
    ssize_t len[2];
    int ends[2];
    ProcResult r;
    const int cancel = eventfd(1, EFD_CLOEXEC), file[] = {0, 0};
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    for (int i = 0; i < 2; i++) {
        dirty_stack(i ? 0x55 : 0xaa);
        assert_int_equal(proc_call(ends[0], file, 2, &(ProcLimits){.cpu = 1}, cancel, &r),
                         ECANCELED);
        len[i] = recv(ends[1], message[i], N, 0);
    }
    assert_in_range(len[0], 1, N);
    assert_int_equal(len[0], len[1]);
    assert_memory_equal(message[0], message[1], N);
    close(ends[0]);
    close(ends[1]);
    close(cancel);
}

/* --- messages that are none ----------------------------------------------------------------- */

/* Sends bytes of a call with descriptors. */
static void send_some(const void *bytes, size_t len, const int fd[], size_t nfd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(16 * sizeof(int))];
    } rights = {0};
    struct iovec part = {(void *)(uintptr_t)bytes, len};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    rights.head = (struct cmsghdr){CMSG_LEN(nfd * sizeof *fd), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&rights.head), fd, nfd * sizeof *fd);
    if (nfd) {
        m.msg_control = &rights;
        m.msg_controllen = CMSG_SPACE(nfd * sizeof *fd);
    }
    assert_int_equal(sendmsg(control, &m, MSG_NOSIGNAL), (ssize_t)len);
}

/* A call runs if it has its size and as many descriptors as it says, and no more than there may be.
 * Of others nothing is kept, and the server goes on. */
static void refuses_calls(void **state)
{
    enum { WHOLE = sizeof(ProcCall), FDS = CALL_MAX + 5 };
    static const struct {
        size_t len, nfd;
        u32 nfiles;
        bool runs;
    } rows[] = {
        {WHOLE, CALL_FILES + 1, 1, true},
        {WHOLE, CALL_MAX, PROC_MAX_FILES, true},
        {WHOLE, CALL_FILES, 0, true},
        {WHOLE - 1, CALL_FILES + 1, 1, false},
        {WHOLE + 1, CALL_FILES + 1, 1, false},
        {1, CALL_FILES + 1, 1, false},
        {WHOLE, CALL_FILES + 1, 2, false},
        {WHOLE, CALL_FILES + 2, 1, false},
        {WHOLE, CALL_FILES + 1, 0, false},
        {WHOLE, CALL_MAX + 1, PROC_MAX_FILES, false},
        {WHOLE, CALL_MAX + 1, PROC_MAX_FILES + 1, false},
        {WHOLE, FDS, FDS - CALL_FILES, false},
        {WHOLE, FDS, PROC_MAX_FILES, false},
        {WHOLE, CALL_FILES - 1, UINT32_MAX, false},
        {WHOLE, 0, 0, false},
        {WHOLE, 0, UINT32_MAX - 1, false},
    };
    (void)state;
    const int before = call("server", &(ProcLimits){.wall = 60}, NULL).code;
    for (size_t i = 0; i < countof(rows); i++) {
        struct {
            ProcCall call;
            char more;
        } message = {.call = {.limits = {.wall = 60}, .nfiles = rows[i].nfiles}};
        int end[2], fd[FDS];
        bool runs = false;
        ProcResult r = {PROC_LOST, 0};
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end), 0);
        for (size_t k = 0; k < FDS; k++)
            fd[k] = k == CALL_RESULT      ? end[1]
                    : k == CALL_DIRECTORY ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)
                                          : file_with("status");
        send_some(&message, rows[i].len, fd, rows[i].nfd);
        for (size_t k = 0; k < FDS; k++)
            close(fd[k]);
        for (ProcResult got; recv(end[0], &got, sizeof got, 0) > 0; runs = true)
            r = got.how == PROC_BEGUN ? r : got;
        if (runs != rows[i].runs)
            fail_msg("row %zu", i);
        if (runs)
            assert_true(r.how == PROC_EXITED && r.code == (rows[i].nfiles ? 42 : 99));
        close(end[0]);
    }
    int tries = 0; /* what the server has not closed yet is no leak */
    while (call("server", &(ProcLimits){.wall = 60}, NULL).code > before)
        assert_true(++tries < 100);
}

/* What a caller makes of what comes back: an error, or how the job ended. */
static void reads_answers(void **state)
{
    enum { NO = -1 };
    static const struct {
        struct {
            int how, code;
        } says[2];
        int n, why, how, code;
    } rows[] = {
        {{{0}}, 0, EPIPE, NO, NO},
        {{{PROC_EXITED, 5}}, 1, 0, PROC_EXITED, 5},
        {{{PROC_SIGNALLED, SIGKILL}}, 1, 0, PROC_SIGNALLED, SIGKILL},
        {{{PROC_SIGNALLED, 0}}, 1, EPIPE, NO, NO},
        {{{PROC_SIGNALLED, 9999}}, 1, EPIPE, NO, NO},
        {{{PROC_SIGNALLED, -1}}, 1, EPIPE, NO, NO},
        {{{PROC_TIMEOUT, 0}}, 1, 0, PROC_TIMEOUT, 0},
        {{{PROC_LOST, 0}}, 1, 0, PROC_LOST, 0},
        {{{PROC_BEGUN + 1, 0}}, 1, EPIPE, NO, NO},
        {{{-1, 0}}, 1, EPIPE, NO, NO},
        {{{PROC_BEGUN, 0}}, 1, 0, PROC_LOST, 0},
        {{{PROC_BEGUN, 0}, {PROC_BEGUN, 3}}, 2, 0, PROC_LOST, 0},
        {{{PROC_BEGUN, 0}, {PROC_EXITED, 7}}, 2, 0, PROC_EXITED, 7},
        {{{PROC_BEGUN, 0}, {PROC_SIGNALLED, 9999}}, 2, 0, PROC_LOST, 0},
        {{{PROC_BEGUN, 0}, {PROC_SIGNALLED, SIGSEGV}}, 2, 0, PROC_SIGNALLED, SIGSEGV},
        {{{PROC_EXITED, 5}, {PROC_EXITED, 6}}, 2, 0, PROC_EXITED, 5},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++)
        for (size_t size = sizeof(ProcResult) - 1; size <= sizeof(ProcResult); size++) {
            int to[2], file[] = {file_with("")};
            ProcResult r = {PROC_BEGUN, 77};
            const bool whole = size == sizeof r;
            assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, to), 0);
            const pid_t child = fork();
            if (child == 0) { /* a server that says just that */
                char bytes[sizeof(ProcCall)];
                union {
                    struct cmsghdr head;
                    char room[CMSG_SPACE(CALL_MAX * sizeof(int))];
                } rights;
                int result;
                struct iovec part = {bytes, sizeof bytes};
                struct msghdr m = {.msg_iov = &part,
                                   .msg_iovlen = 1,
                                   .msg_control = &rights,
                                   .msg_controllen = sizeof rights};
                close(to[0]);
                if (recvmsg(to[1], &m, 0) != sizeof bytes)
                    _exit(1);
                memcpy(&result, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof result);
                for (int k = 0; k < rows[i].n; k++)
                    (void)!send(result, &rows[i].says[k], size, MSG_NOSIGNAL);
                _exit(0);
            }
            close(to[1]);
            const int why = proc_call(to[0], file, 1, &(ProcLimits){0}, -1, &r);
            assert_int_equal(waitpid(child, NULL, 0), child);
            assert_int_equal(why, whole ? rows[i].why : EPIPE);
            if (whole && !why)
                assert_true((int)r.how == rows[i].how && r.code == rows[i].code);
            close(to[0]);
            close(file[0]);
        }
}

static void bounds_files(void **state)
{
    int file[PROC_MAX_FILES + 1];
    ProcResult r;
    (void)state;
    for (size_t i = 0; i < countof(file); i++)
        file[i] = file_with("status");
    assert_int_equal(proc_call(control, file, PROC_MAX_FILES, &(ProcLimits){0}, -1, &r), 0);
    assert_int_equal(r.code, 42);
    assert_int_equal(proc_call(control, file, PROC_MAX_FILES + 1, &(ProcLimits){0}, -1, &r),
                     EINVAL);
    for (size_t i = 0; i < countof(file); i++)
        close(file[i]);
}

/* --- jobs without a server --------------------------------------------------------------------- */

/* Ends with a status, or with the signal of a negative one, and says that it has begun. */
static int end_with(void *status)
{
    const int n = *(const int *)status;
    if (write(1, "begun", 5) != 5)
        return 99;
    if (n < 0) { /* which this program may handle or block */
        sigset_t it;
        sigemptyset(&it);
        sigaddset(&it, -n);
        signal(-n, SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &it, NULL);
        raise(-n);
    }
    return n;
}

static void tells_how_forks_end(void **state)
{
    static const int ends[] = {0, 1, 2, 42, 127, 128, 255, -SIGUSR1, -SIGKILL, -SIGSEGV, -SIGTERM};
    (void)state;
    for (size_t i = 0; i < countof(ends); i++) {
        ProcResult r = {PROC_LOST, -1};
        int n = ends[i];
        char said[8] = "";
        const int file[] = {file_with(""), file_with("")};
        assert_int_equal(proc_here(file, 2, end_with, &n, &r), 0);
        assert_int_equal(r.how, n < 0 ? PROC_SIGNALLED : PROC_EXITED);
        assert_int_equal(r.code, n < 0 ? -n : n);
        assert_int_equal(pread(file[1], said, sizeof said - 1, 0), 5);
        assert_string_equal(said, "begun");
        close(file[0]);
        close(file[1]);
    }
    /* files that are none are no job's */
    ProcResult r = {PROC_LOST, -1};
    const int none[] = {1000000};
    assert_int_equal(proc_here(none, 1, end_with, &(int){5}, &r), 0);
    assert_true(r.how == PROC_EXITED && r.code == 1);
}

static void wake(int signal) { (void)signal; }

static int sleep_a_little(void *self)
{
    (void)self;
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    return 7;
}

/* Whoever waits for a fork goes on waiting after a signal. */
static void waits_through_signals(void **state)
{
    struct sigaction before, how = {.sa_handler = wake};
    const int file[] = {file_with("")};
    ProcResult r = {PROC_LOST, -1};
    (void)state;
    sigaction(SIGALRM, &how, &before);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
    const int why = proc_here(file, 1, sleep_a_little, NULL, &r);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(why, 0);
    assert_true(r.how == PROC_EXITED && r.code == 7);
    close(file[0]);
}

static int name_itself_and_sleep(void *self)
{
    const pid_t pid = getpid();
    (void)self;
    if (pwrite(0, &pid, sizeof pid, 0) != sizeof pid)
        return 99;
    sleep(SECONDS);
    return 0;
}

/* A fork ends with the process that waits for it. */
static void forks_end_with_their_maker(void **state)
{
    const int file[] = {file_with("")};
    pid_t pid = 0;
    (void)state;
    const pid_t maker = fork();
    if (maker == 0) {
        ProcResult r;
        _exit(proc_here(file, 1, name_itself_and_sleep, NULL, &r));
    }
    while (pread(file[0], &pid, sizeof pid, 0) != sizeof pid && !waitpid(maker, NULL, WNOHANG))
        usleep(1000);
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    assert_true(ended.fd >= 0);
    assert_int_equal(kill(maker, SIGKILL), 0);
    assert_int_equal(poll(&ended, 1, 1000 * SECONDS / 2), 1);
    waitpid(maker, NULL, 0);
    close(ended.fd);
    close(file[0]);
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { ANSWERED = 41, REFUSED };

/* Asks for the number of this process by a call of the machine of 32 bits.  A kernel that has none ends the process by
 * a signal, which the tests' library would take for a failure of its own. */
static int ask_as_32_bits(void *confined)
{
    long answer = 20; /* getpid */
    signal(SIGSEGV, SIG_DFL);
    if (*(const bool *)confined)
        proc_confine();
    __asm__ volatile("int $0x80" : "+a"(answer) : : "memory", "r8", "r9", "r10", "r11");
    return (int)answer == getpid() ? ANSWERED : (int)answer == -EPERM ? REFUSED : 0;
}

/* Numbers of calls mean others to another machine: one that is confined can make none of those. */
static void confines_other_machines(void **state)
{
    const int file[] = {file_with("")};
    ProcResult r;
    (void)state;
    assert_int_equal(proc_here(file, 1, ask_as_32_bits, &(bool){false}, &r), 0);
    if (r.how != PROC_EXITED || r.code != ANSWERED)
        skip_because("the kernel has no calls of 32 bits");
    assert_int_equal(proc_here(file, 1, ask_as_32_bits, &(bool){true}, &r), 0);
    assert_true(r.how == PROC_EXITED && r.code == REFUSED);
    close(file[0]);
}
#endif

/* --- servers and their starters --------------------------------------------------------------- */

/* A server ends with the process that started it, though another still could call. */
static void ends_with_its_starter(void **state)
{
    char *const argv[] = {(char *)(size_t)"/proc/self/exe", NULL};
    int to[2], status;
    char byte;
    (void)state;
    assert_int_equal(pipe(to), 0);
    setenv("PROC_TEST", "1", 1);
    const pid_t starter = fork();
    if (starter == 0) {
        int own;
        ProcResult r;
        const int file[] = {file_with("status"), file_with("")};
        if (proc_start(argv, environ, &own) || proc_call(own, file, 2, &(ProcLimits){0}, -1, &r) ||
            r.code != 42)
            _exit(1);
        if (fork())
            _exit(0);
        struct pollfd p = {.fd = own}; /* who is left sees the server's end */
        const bool ended = poll(&p, 1, 60000) == 1 && p.revents & POLLHUP;
        (void)!write(to[1], ended ? "e" : "r", 1);
        _exit(0);
    }
    unsetenv("PROC_TEST");
    close(to[1]);
    assert_int_equal(waitpid(starter, &status, 0), starter);
    assert_int_equal(status, 0);
    assert_int_equal(read(to[0], &byte, 1), 1);
    assert_int_equal(byte, 'e');
    close(to[0]);
}

/* A job ends with its server, long before it would end by itself. */
static void ends_with_its_server(void **state)
{
    char *const argv[] = {(char *)(size_t)"/proc/self/exe", NULL};
    const int file[] = {file_with("names and sleep"), file_with("")};
    pid_t names[2];
    (void)state;
    setenv("PROC_TEST", "1", 1);
    const pid_t caller = fork();
    if (caller == 0) {
        int own;
        ProcResult r;
        _exit(proc_start(argv, environ, &own) ||
              proc_call(own, file, 2, &(ProcLimits){0}, -1, &r) != EPIPE);
    }
    unsetenv("PROC_TEST");
    while (pread(file[1], names, sizeof names, 0) != sizeof names &&
           !waitpid(caller, NULL, WNOHANG))
        usleep(1000);
    const int job = (int)syscall(SYS_pidfd_open, names[0], 0);
    struct pollfd ended = {.fd = job, .events = POLLIN};
    assert_true(job >= 0);
    assert_int_equal(kill(names[1], SIGKILL), 0);
    assert_int_equal(poll(&ended, 1, 1000 * SECONDS / 2), 1);
    waitpid(caller, NULL, 0);
    close(job);
    close(file[0]);
    close(file[1]);
}

static void *call_for_long(void *cancel)
{
    ProcResult r;
    const int file[] = {file_with("sleep"), file_with("")};
    const int why = proc_call(control, file, 2, &(ProcLimits){.wall = 1000000}, *(int *)cancel, &r);
    close(file[0]);
    close(file[1]);
    return why == ECANCELED ? cancel : NULL;
}

/* Of several deadlines the first is met, in whatever order the jobs began. */
static void meets_the_first_deadline(void **state)
{
    enum { N = 3 };
    pthread_t id[N];
    int cancel = eventfd(0, EFD_CLOEXEC);
    void *ok;
    (void)state;
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&id[i], NULL, call_for_long, &cancel), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(call("sleep", &(ProcLimits){.wall = 1}, NULL).how, PROC_TIMEOUT);
    eventfd_write(cancel, 1);
    for (int i = 0; i < N; i++) {
        pthread_join(id[i], &ok);
        assert_ptr_equal(ok, &cancel);
    }
    close(cancel);
}

/* pages that are mapped */
static long mapped_pages(void)
{
    long n = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld", &n), 1);
    fclose(f);
    return n;
}

/* Who starts servers has the signal mask that it had, and no memory more for each. */
static void leaves_its_starter_alone(void **state)
{
    enum { FIRST = 10, STARTS = 60 };
    const char *const argv[] = {"/bin/false", NULL}, *const none[] = {"/no/such/program", NULL};
    sigset_t some, before, after;
    long pages = 0;
    (void)state;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    sigaddset(&some, SIGWINCH);
    pthread_sigmask(SIG_SETMASK, &some, &before);
    for (int i = 0; i < STARTS; i++) {
        int to = 0;
        const bool is_there = i % 2;
        assert_int_equal(proc_start((char *const *)(size_t)(is_there ? argv : none), environ, &to),
                         is_there ? 0 : ENOENT);
        assert_int_equal(to >= 0, is_there);
        if (is_there)
            close(to);
        pthread_sigmask(SIG_SETMASK, NULL, &after);
        for (int s = 1; s < SIGRTMIN; s++)
            assert_int_equal(sigismember(&after, s), sigismember(&some, s));
        if (i == FIRST)
            pages = mapped_pages();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_true(mapped_pages() < pages + STARTS - FIRST);
}

/* --- where programs are found ----------------------------------------------------------------- */

static void shell(const char *fmt, ...)
{
    char command[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(command, sizeof command, fmt, ap);
    va_end(ap);
    assert_int_equal(system(command), 0);
}

/* A program is found beside this one first, then where it is installed, then in a build tree; what
 * cannot be run is passed over. */
static void finds_programs(void **state)
{
    static const char *const places[] = {
        "../../", "../", "../../../libexec/ventus/", "../../libexec/ventus/", "../libexec/ventus/",
        ""};
    char dir[] = "/tmp/proc_test.XXXXXX", got[256];
    (void)state;
    assert_non_null(mkdtemp(dir));
    shell("cd %s && mkdir -p a/b/c libexec/ventus a/libexec/ventus a/b/libexec/ventus && "
          "cp /proc/%d/exe a/b/c/this",
          dir, (int)getpid());
    for (size_t i = 0; i <= countof(places); i++) {
        char command[128], wanted[256] = "none";
        if (i) {
            shell("cd %s/a/b/c && : >%sprogram", dir, places[i - 1]);
            if (i > 1) /* the last one is found as long as this is no program */
                snprintf(wanted, sizeof wanted, "%s/a/b/c/%sprogram", dir, places[i - 2]);
        }
        for (int can_run = 0; can_run <= (i > 0); can_run++) {
            if (can_run) {
                shell("chmod +x %s/a/b/c/%sprogram", dir, places[i - 1]);
                snprintf(wanted, sizeof wanted, "%s/a/b/c/%sprogram", dir, places[i - 1]);
            }
            snprintf(command, sizeof command, "PROC_TEST=find %s/a/b/c/this", dir);
            FILE *p = popen(command, "r");
            assert_non_null(p);
            assert_non_null(fgets(got, sizeof got, p));
            assert_int_equal(pclose(p), 0);
            assert_string_equal(got, wanted);
        }
    }
    shell("rm -r %s", dir);
}

static int say_where(void)
{
    char *path = proc_find("program");
    printf("%s", path ? path : "none");
    mem_free(path);
    return 0;
}

static void sees_a_server_end(void **state)
{
    const char *const argv[] = {"/bin/false", NULL};
    int to;
    ProcResult r;
    const int file[] = {0};
    (void)state;
    assert_int_equal(proc_start((char *const *)(size_t)argv, environ, &to), 0);
    assert_int_equal(proc_call(to, file, 1, &(ProcLimits){0}, -1, &r), EPIPE);
    close(to);
    const char *const none[] = {"/no/such/program", NULL};
    assert_int_equal(proc_start((char *const *)(size_t)none, environ, &to), ENOENT);
}

/* Calls that wait at a server of their own until something happens to it or to them. */
typedef struct {
    pid_t caller, job, server;
    int file[2];
} Waiting;

/* The caller's exit status is how its job ended; 100: the call failed. */
static Waiting wait_in_fork(void)
{
    Waiting w = {.file = {file_with("names and sleep"), file_with("")}};
    pid_t names[2];
    w.caller = fork();
    if (!w.caller) {
        ProcResult r;
        _exit(proc_call(control, w.file, 2, &usual, -1, &r) ? 100 : (int)r.how);
    }
    assert_true(w.caller > 0);
    while (pread(w.file[1], names, sizeof names, 0) != sizeof names)
        usleep(1000);
    w.job = names[0];
    w.server = names[1];
    return w;
}

static int end_of(const Waiting *w)
{
    int status;
    assert_int_equal(waitpid(w->caller, &status, 0), w->caller);
    close(w->file[0]);
    close(w->file[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* While a job runs its fork gets no other. */
static void is_busy_meanwhile(void **state)
{
    const int others = begin_server("again");
    const Waiting w = wait_in_fork();
    const int who = number_of("who", &usual);
    (void)state;
    assert_int_not_equal(who, w.job);
    assert_int_equal(number_of("who", &usual), who);
    kill(w.caller, SIGKILL); /* its job is killed then */
    assert_int_equal(end_of(&w), -1);
    end_server(others);
}
#endif

/* Whose server is killed, the caller knows that its job had begun. */
static void loses_jobs_with_their_server(void **state)
{
    const int others = begin_server("again");
    const Waiting w = wait_in_fork();
    (void)state;
    kill(w.server, SIGKILL);
    assert_int_equal(end_of(&w), PROC_LOST);
    end_server(others);
}

/* The job of every caller that dies ends, whatever others do. */
static void kills_jobs_of_each_caller(void **state)
{
    enum { N = 6 };
    const int others = begin_server("again");
    struct pollfd ended[N];
    Waiting w[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        w[i] = wait_in_fork();
        ended[i] =
            (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, w[i].job, 0), .events = POLLIN};
        assert_true(ended[i].fd >= 0);
    }
    for (int i = N - 1; i >= 0; i--) {
        kill(w[i].caller, SIGKILL);
        assert_int_equal(end_of(&w[i]), -1);
        assert_int_equal(poll(&ended[i], 1, 1000 * SECONDS / 2), 1);
        close(ended[i].fd);
    }
    end_server(others);
}

int main(void)
{
    char self[4096], directory[] = "/tmp/proc_test.XXXXXX";
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    struct rlimit stack, files;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes),
        cmocka_unit_test(tells_the_end),
        cmocka_unit_test(keeps_bounds),
        cmocka_unit_test(has_a_stack),
        cmocka_unit_test(confines),
        cmocka_unit_test(serves_many),
        cmocka_unit_test(ends_early),
        cmocka_unit_test(believes_results_only),
        cmocka_unit_test(prepares_once),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(goes_on_in_one_fork),
        cmocka_unit_test(goes_on_in_another),
        cmocka_unit_test(is_busy_meanwhile),
        cmocka_unit_test(bounds_each_job),
        cmocka_unit_test(lets_idle_forks_end),
        cmocka_unit_test(keeps_nothing_of_forks),
        cmocka_unit_test(survives_forgery),
#endif
        cmocka_unit_test(shares_code),
        cmocka_unit_test(raises_its_limit),
        cmocka_unit_test(keeps_no_descriptor),
        cmocka_unit_test(lets_go_of_callers),
        cmocka_unit_test(gives_up),
        cmocka_unit_test(sees_a_server_end),
        cmocka_unit_test(loses_jobs_with_their_server),
        cmocka_unit_test(kills_jobs_of_each_caller),
        cmocka_unit_test(uses_descriptor_zero),
        cmocka_unit_test(sends_only_what_is_set),
        cmocka_unit_test(refuses_calls),
        cmocka_unit_test(reads_answers),
        cmocka_unit_test(bounds_files),
        cmocka_unit_test(ends_with_its_starter),
        cmocka_unit_test(ends_with_its_server),
        cmocka_unit_test(meets_the_first_deadline),
        cmocka_unit_test(tells_how_forks_end),
        cmocka_unit_test(waits_through_signals),
        cmocka_unit_test(forks_end_with_their_maker),
        cmocka_unit_test(leaves_its_starter_alone),
        cmocka_unit_test(finds_programs),
        cmocka_unit_test(closes_what_it_opened),
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(closes_the_others),
        cmocka_unit_test(arranges_descriptors),
        cmocka_unit_test(confines_other_machines),
#endif
    };
    const char *as = getenv("PROC_TEST");
    if (as && !strcmp(as, "find"))
        return say_where();
    if (as)
        return proc_serve(&(ProcServer){.control = PROC_CONTROL,
                                        .keep = -1,
                                        .again = !strcmp(as, "again"),
                                        .job = job,
                                        .end = end,
                                        .prepare = prepare});
    if (n <= 0)
        return 1;
    self[n] = 0;
    char *const argv[] = {self, NULL};
    setenv("PROC_TEST", "1", 1);
    getrlimit(RLIMIT_STACK, &stack);
    setrlimit(RLIMIT_STACK, &(struct rlimit){128 << 10, stack.rlim_max});
    getrlimit(RLIMIT_NOFILE, &files);
    setrlimit(RLIMIT_NOFILE,
              &(struct rlimit){files.rlim_max < 100 ? files.rlim_max : 100, files.rlim_max});
    sigset_t some, before;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigaddset(&some, SIGTERM);
    sigprocmask(SIG_BLOCK, &some, &before);
    signal(SIGUSR2, SIG_IGN);
    if (!mkdtemp(directory))
        return 1;
    setenv("PROC_TEST_DIR", directory, 1);
    const int why = proc_start(argv, environ, &control);
    signal(SIGUSR2, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    setrlimit(RLIMIT_STACK, &stack);
    setrlimit(RLIMIT_NOFILE, &files);
    unsetenv("PROC_TEST");
    const int failed = why ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
    shell("rm -r %s", directory);
    return failed;
}
