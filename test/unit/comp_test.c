/* comp_test.c -- the compiler's process seen from its host: bounds, crashes, hostile bitcode,
 * replies of a stranger, descriptors, children, forks; and what the cache notices.
 *
 * With COMP_TEST_FAKE this program is itself the compiler's process, one whose reply is as bad as
 * that says.
 */
#include "base/fdio.h"
#include "comp/cache.h"
#include "test/kit/leftover.h"
#include "test/kit/skip.h"
#include "comp/bytes.h"
#include "comp/comp.h"
#include "proc/proc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static Compiler *compiler;
static char scratch[] = "/tmp/comp_test.XXXXXX";

/* What came of one compilation. */
typedef struct {
    Buf out, log;
    Diag d;
    bool ok;
} Made;

static Made compile_with(Compiler *c, const char *source, CompOptions opt)
{
    Made m = {.ok = false};
    m.d = (Diag){.sink = diag_to_buf, .to = &m.log};
    opt.name = opt.name ? opt.name : "t.cl";
    m.ok = comp_compile(c, source, strlen(source), &opt, &m.out, &m.d);
    m.d.to = NULL;
    return m;
}

static Made compile(const char *source, CompOptions opt)
{
    return compile_with(compiler, source, opt);
}

static void drop(Made *m)
{
    buf_free(&m->out);
    buf_free(&m->log);
}

static void assert_made(Made m)
{
    if (!m.ok)
        fail_msg("%s", buf_text(&m.log));
    drop(&m);
}

/* Fails, with a message that has `text` in it. */
static void assert_refused(Made m, const char *text)
{
    if (m.ok || m.d.errors < 1 || m.out.len || !strstr(buf_text(&m.log), text))
        fail_msg("'%s' is not in: %s", text, buf_text(&m.log));
    drop(&m);
}

static const char good[] = "kernel void k(global int *p) { p[get_global_id(0)] += 1; }\n";
static const CompOptions image = {.output = COMP_IMAGE};

static bool available(void)
{
    Buf what = {0};
    const bool there = comp_available(compiler, NULL, &what);
    buf_free(&what);
    return there;
}

#define NEED_COMPILER                                                                              \
    (void)state;                                                                                   \
    if (!available())                                                                              \
    skip_because("no compiler")

static bool is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

/* --- the host is as before ---------------------------------------------------------------- */

static void leaves_no_descriptor(void **state)
{
    NEED_COMPILER;
    const int before = files_open();
    Compiler *c = comp_open();
    for (int i = 0; i < 3; i++) {
        assert_made(compile_with(c, good, image));
        assert_refused(compile_with(c, "kernel", image), "error");
        assert_int_equal(files_open(), before + 1); /* the control of the process */
    }
    comp_close(c);
    assert_int_equal(files_open(), before);
}

static void *ask(void *c)
{
    Buf what = {0};
    const bool there = comp_available(c, NULL, &what);
    buf_free(&what);
    return there ? c : NULL;
}

/* Compilers that are closed leave nothing, though several threads asked at once; in the first
 * rounds threads get heaps.  (Sanitizers count blocks themselves: there is nothing to see here
 * then.) */
static void leaves_no_memory(void **state)
{
    enum { FIRST = 6, ROUNDS = 13, THREADS = 6, NOISE = 1000 };
    size_t before = 0;
    NEED_COMPILER;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t id[THREADS];
        void *c = comp_open(), *there;
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&id[i], NULL, ask, c), 0);
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(id[i], &there), 0);
            assert_ptr_equal(there, c);
        }
        comp_close(c);
        if (round == FIRST)
            before = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks < before + NOISE);
}

/* Every descriptor that a host may have open ends at an exec. */
static void marks_its_descriptor(void **state)
{
    NEED_COMPILER;
    bool open_before[256];
    for (int fd = 0; fd < 256; fd++)
        open_before[fd] = fcntl(fd, F_GETFD) >= 0;
    Compiler *c = comp_open();
    assert_made(compile_with(c, good, image));
    for (int fd = 0; fd < 256; fd++)
        if (!open_before[fd] && fcntl(fd, F_GETFD) >= 0)
            assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    comp_close(c);
}

static volatile sig_atomic_t children_ended;
static void count_child(int signal)
{
    (void)signal;
    children_ended++;
}

/* A host sees no child of ours and no signal, whatever it does with SIGCHLD. */
static void shows_no_child(void **state)
{
    struct sigaction before, sa = {.sa_handler = count_child};
    NEED_COMPILER;
#ifdef __SANITIZE_THREAD__
    skip(); /* proc_start then takes the plain way */
#endif
    children_ended = 0;
    sigaction(SIGCHLD, &sa, &before);
    Compiler *c = comp_open();
    assert_made(compile_with(c, good, image));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    comp_close(c);
    assert_int_equal(children_ended, 0);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    c = comp_open();
    assert_made(compile_with(c, good, image));
    comp_close(c);
    sigaction(SIGCHLD, &before, NULL);
}

/* The mask and the dispositions of the host do not reach the compiler, nor is the mask changed. */
static void works_with_signals_blocked(void **state)
{
    sigset_t all, before, after;
    NEED_COMPILER;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    Compiler *c = comp_open();
    Made m = compile_with(c, good, image);
    comp_close(c);
    pthread_sigmask(SIG_SETMASK, &before, &after);
    assert_made(m);
    for (int s = 1; s < 32; s++)
        if (s != SIGKILL && s != SIGSTOP)
            assert_true(sigismember(&after, s));
}

static void works_after_a_fork(void **state)
{
    int status;
    NEED_COMPILER;
    assert_made(compile(good, image));
    const pid_t pid = fork();
    if (pid == 0) {
        Made m = compile(good, image);
        _exit(m.ok ? 0 : 1);
    }
    assert_made(compile(good, image));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* --- the compiler's processes, found by a variable that only they have ---------------------- */

static int own_processes(pid_t list[], int most)
{
    char mark[128], path[64];
    int n = 0;
    DIR *d = opendir("/proc");
    const int len = snprintf(mark, sizeof mark, "COMP_TEST=%s", scratch);
    for (struct dirent *e; (e = readdir(d)) && n < most;) {
        char text[1 << 16], name[256] = "";
        const pid_t pid = (pid_t)atoi(e->d_name);
        snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
        const int fd = pid > 0 && pid != getpid() ? open(path, O_RDONLY) : -1;
        const ssize_t size = fd >= 0 ? read(fd, text, sizeof text) : -1;
        if (fd >= 0)
            close(fd);
        snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
        if (size <= 0 || !memmem(text, (size_t)size, mark, (size_t)len) ||
            readlink(path, name, sizeof name - 1) <= 0 || !strstr(name, "ventus-cc1"))
            continue;
        list[n++] = pid;
    }
    closedir(d);
    return n;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void survives_a_killed_process(void **state)
{
    pid_t list[16];
    NEED_COMPILER;
    assert_made(compile(good, image));
    const int n = own_processes(list, 16);
    assert_true(n > 0);
    for (int i = 0; i < n; i++)
        kill(list[i], SIGKILL);
    while (own_processes(list, 16))
        pause_ms(1);
    assert_made(compile(good, image));
}

static void *kill_all(void *arg)
{
    pid_t list[16];
    int n = 0;
    (void)arg;
    pause_ms(200);
    while (!(n = own_processes(list, 16)))
        pause_ms(1);
    for (int i = 0; i < n; i++)
        kill(list[i], SIGKILL);
    return NULL;
}

/* what no compiler ends with soon: 4000 times 1000 copies of a loop's body */
static const char endless[] =
    "kernel void k(global int *a) {\n#pragma unroll 4000\nfor (int i = 0; i < a[0]; i++)\n"
    "#pragma unroll 1000\nfor (int j = 0; j < a[1]; j++) a[i] = a[j] * i + 3; }\n";

static void says_that_it_was_killed(void **state)
{
    pthread_t id;
    NEED_COMPILER;
    assert_int_equal(pthread_create(&id, NULL, kill_all, NULL), 0);
    const Made m = compile(endless, image);
    assert_int_equal(m.d.errors, 1);
    assert_refused(m, "t.cl: error: the compiler's process was ended");
    pthread_join(id, NULL);
    assert_made(compile(good, image));
}

/* --- bounds ------------------------------------------------------------------------------- */

static void bounds_time(void **state)
{
    NEED_COMPILER;
    setenv("VENTUS_CC_TIMEOUT", "1", 1);
    assert_refused(compile(endless, image), "VENTUS_CC_TIMEOUT");
    unsetenv("VENTUS_CC_TIMEOUT");
    assert_made(compile(good, image));
}

/* An include of a pipe that nobody writes takes no processor time. */
static void bounds_time_by_the_clock(void **state)
{
    char path[64], source[128];
    NEED_COMPILER;
    snprintf(path, sizeof path, "%s/pipe.h", scratch);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(source, sizeof source, "#include \"%s\"\n", path);
    setenv("VENTUS_CC_TIMEOUT", "1", 1);
    assert_refused(compile(source, image), "error");
    unsetenv("VENTUS_CC_TIMEOUT");
    unlink(path);
}

static void bounds_memory(void **state)
{
    static const char wide[] =
        "#define A x += p[x] * y; y ^= p[y] - x;\n#define B A A A A A A A A\n#define C B B B B "
        "B B B B\n#define D C C C C C C C C\n#define E D D D D D D D D\n"
        "kernel void k(global int *p, int x, int y) { E E p[0] = x + y; }\n";
    NEED_COMPILER;
    if (is_sanitized())
        skip_because("sanitizers map terabytes");
    setenv("VENTUS_CC_MEMORY", "16", 1);
    Made m = compile(wide, image);
    unsetenv("VENTUS_CC_MEMORY");
    assert_refused(m, "MiB");
    assert_made(compile(good, image));
}

static void refuses_wrong_bounds(void **state)
{
    static const char *const bad[] = {"x", "-1", "1.5", "99999999999999999999", "12 "};
    NEED_COMPILER;
    for (size_t i = 0; i < countof(bad); i++) {
        setenv("VENTUS_CC_TIMEOUT", bad[i], 1);
        assert_refused(compile(good, image), "is not a number from 0 to");
        unsetenv("VENTUS_CC_TIMEOUT");
        setenv("VENTUS_CC_MEMORY", bad[i], 1);
        assert_refused(compile(good, image), "is not a number from 0 to");
        unsetenv("VENTUS_CC_MEMORY");
    }
    setenv("VENTUS_CC_TIMEOUT", "0", 1);
    setenv("VENTUS_CC_MEMORY", "0", 1);
    assert_made(compile(good, image));
    unsetenv("VENTUS_CC_TIMEOUT");
    unsetenv("VENTUS_CC_MEMORY");
}

/* A limit of descriptors that is just enough for a few more than the host has open. */
static void needs_few_descriptors(void **state)
{
    struct rlimit before;
    NEED_COMPILER;
    getrlimit(RLIMIT_NOFILE, &before);
    const rlim_t few = (rlim_t)files_open() + 12;
    static const CompHeader headers[] = {{"a.h", "#define A 1\n"}, {"b.h", "#define B A\n"}};
    Compiler *c = comp_open();
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){few, before.rlim_max});
    Made m = compile_with(c, good, image);
    Made h = compile_with(
        c, "#include <a.h>\n#include <b.h>\nkernel void k(global int *p) { *p = B; }\n",
        (CompOptions){.output = COMP_IMAGE, .headers = headers, .nheaders = 2});
    setrlimit(RLIMIT_NOFILE, &before);
    comp_close(c);
    assert_made(m);
    assert_made(h);
}

/* More headers than the process may have descriptors are refused, and it says so. */
static void many_headers(void **state)
{
    enum { N = 500 };
    static CompHeader headers[N];
    static char names[N][24];
    NEED_COMPILER;
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "d/h%d.h", i);
        headers[i] = (CompHeader){names[i], i == N - 1 ? "#define LAST 7\n" : "\n"};
    }
    assert_made(compile(
        "#include <d/h0.h>\n#include <d/h499.h>\nkernel void k(global int *p) { *p = LAST; }\n",
        (CompOptions){.output = COMP_IMAGE, .headers = headers, .nheaders = N}));
}

/* --- hostile bitcode --------------------------------------------------------------------- */

static void survives_hostile_bitcode(void **state)
{
    enum { TRIES = 60 };
    static const char source[] =
        "float f(float x) { return x * 2.0f; }\nconstant int T[4] = {1, 2, 3, 4};\n"
        "kernel void k(global float *a, local int *l, int n) { int i = get_global_id(0); "
        "l[get_local_id(0)] = i;\n"
        "barrier(CLK_LOCAL_MEM_FENCE); float s = 0; for (int j = 0; j < n; j++) s += f(a[j]) * T[j "
        "& 3];\n"
        "a[i] = s + l[0]; printf(\"%d %f\\n\", i, s); }\n";
    u32 seed = 1;
    NEED_COMPILER;
    setenv("VENTUS_CC_TIMEOUT", "5", 1);
    Made m = compile(source, (CompOptions){.output = COMP_BITCODE});
    assert_true(m.ok);
    for (int i = 0; i < TRIES; i++) {
        Buf bad = {0}, out = {0}, log = {0};
        Diag d = {.sink = diag_to_buf, .to = &log};
        const Buf *const inputs[] = {&bad};
        buf_put(&bad, m.out.data, m.out.len);
        for (int k = 0; k < 1 + i % 4; k++) {
            seed = seed * 1664525 + 1013904223;
            bad.data[4 + (seed >> 8) % (bad.len - 4)] ^= (u8)(1u << (seed >> 4 & 7));
        }
        const CompOptions opt = {.output = COMP_IMAGE, .name = "bad"};
        const bool ok = comp_link(compiler, inputs, 1, &opt, &out, &d);
        assert_true(ok == (d.errors == 0));
        assert_true(ok == (out.len > 0));
        buf_free(&bad);
        buf_free(&out);
        buf_free(&log);
    }
    unsetenv("VENTUS_CC_TIMEOUT");
    drop(&m);
    assert_made(compile(good, image));
}

/* --- replies of a stranger --------------------------------------------------------------- */

static u64 limit_of(int resource)
{
    struct rlimit l = {0};
    getrlimit((__rlimit_resource_t)resource, &l);
    return l.rlim_cur;
}

/* A reply that says which bounds the process has, and which are clang's. */
static int tell_limits(void)
{
    Buf b = {0}, text = {0}, line = {0}, bytes = {0};
    Request q;
    if (!fd_read(0, UINT64_MAX, &bytes) || !request_read(bytes.data, bytes.len, &q))
        return 8;
    const u64 memory = limit_of(RLIMIT_AS);
    const bool fits = memory >= q.limits.memory + PROC_STACK &&
                      memory - q.limits.memory - PROC_STACK < (u64)1 << 30;
    buf_printf(&line, "%u %u %llu %llu, %llu %llu %d", q.limits.cpu, q.limits.wall,
               (unsigned long long)q.limits.memory, (unsigned long long)q.limits.file,
               (unsigned long long)limit_of(RLIMIT_CPU), (unsigned long long)limit_of(RLIMIT_FSIZE),
               is_sanitized() || fits);
    reply_note(&text, DIAG_NOTE, buf_text(&line));
    reply_write(
        &(Reply){.ok = true, .messages = {text.data, text.len}, .product = {(const u8 *)"x", 1}},
        &b);
    return write(1, b.data, b.len) != (ssize_t)b.len;
}

static int fake_job(void *self)
{
    const char *how = self;
    Buf b = {0}, text = {0};
    if (!strcmp(how, "silent"))
        return 0;
    if (!strcmp(how, "status"))
        return 9;
    if (!strcmp(how, "crash"))
        abort();
    if (!strcmp(how, "huge")) {
        (void)!ftruncate(1, (off_t)1 << 40);
        return 0;
    }
    if (!strncmp(how, "ends ",
                 5)) { /* with a number, a signal's if it is negative, and a complaint */
        char *end;
        const long code = strtol(how + 5, &end, 10);
        (void)!write(2, end, strlen(end));
        if (code < 0)
            raise((int)-code);
        return (int)code;
    }
    if (!strcmp(how, "limits"))
        return tell_limits();
    reply_note(&text, DIAG_NOTE, "a note");
    reply_write(&(Reply){.ok = strcmp(how, "nothing") != 0,
                         .files_known = !strcmp(how, "known"),
                         .messages = {text.data, text.len},
                         .product = {(const u8 *)"\177ELF", 4}},
                &b);
    if (!strcmp(how, "cut"))
        b.len--;
    if (!strcmp(how, "long"))
        buf_put(&b, "", 1);
    if (!strcmp(how, "length"))
        memset(b.data + 16, 0xff, 8);
    if (!strcmp(how, "kind"))
        b.data[24] = 77;
    if (!strcmp(how, "text"))
        b.data[24 + 4 + 8 + 2] = 0;
    if (!strcmp(how, "mark"))
        b.data[0]++;
    return write(1, b.data, b.len) != (ssize_t)b.len;
}

static void believes_no_reply(void **state)
{
    static const struct {
        const char *how, *says;
    } row[] = {
        {"silent", "answer is damaged"}, {"status", "status 9"},
        {"crash", "crashed (Aborted)"},  {"huge", "crashed (File size"},
        {"nothing", "gave no result"},   {"cut", "answer is damaged"},
        {"long", "answer is damaged"},   {"length", "answer is damaged"},
        {"kind", "answer is damaged"},   {"text", "answer is damaged"},
        {"mark", "answer is damaged"},
    };
    char self[4096];
    (void)state;
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    setenv("VENTUS_CC_PROGRAM", self, 1);
    for (size_t i = 0; i < countof(row); i++) {
        setenv("COMP_TEST_FAKE", row[i].how, 1);
        Compiler *c = comp_open();
        assert_refused(compile_with(c, good, image), row[i].says);
        comp_close(c);
    }
    setenv("COMP_TEST_FAKE", "good", 1);
    Compiler *c = comp_open();
    Made m = compile_with(c, good, image);
    comp_close(c);
    assert_true(m.ok);
    assert_int_equal(m.out.len, 4);
    assert_string_equal(buf_text(&m.log), "a note\n");
    drop(&m);
    unsetenv("COMP_TEST_FAKE");
    unsetenv("VENTUS_CC_PROGRAM");
}

/* With this program as the compiler's process, one that behaves so. */
static Made compile_by(const char *how)
{
    char self[4096];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    setenv("VENTUS_CC_PROGRAM", self, 1);
    setenv("COMP_TEST_FAKE", how, 1);
    Compiler *c = comp_open();
    Made m = compile_with(c, good, image);
    comp_close(c);
    unsetenv("COMP_TEST_FAKE");
    unsetenv("VENTUS_CC_PROGRAM");
    return m;
}

#define STARVED "the compiler needed more than 2048 MiB of memory (VENTUS_CC_MEMORY)"
#define LATE    "the compiler took more than 60 seconds, or 300 by the clock (VENTUS_CC_TIMEOUT)"

/* What a host is told, by the end of the process and by what it said before. */
static void says_how_it_ended(void **state)
{
    static const struct {
        const char *how, *says;
    } rows[] = {
        {"ends 9", "the compiler stopped with status 9"},
        {"ends 1why\n", "the compiler stopped with status 1: why"},
        {"ends 1\nwhy\nso\n\n", "the compiler stopped with status 1: \nwhy\nso"},
        {"ends 1\n\n", "the compiler stopped with status 1"},
        {"ends 3", STARVED},
        {"ends 3why", STARVED},
        {"ends 4why", "the compiler stopped with status 4: why"},
        {"ends 1LLVM ERROR: Out of Memory", STARVED},
        {"ends 1cannot Allocate memory", STARVED},
        {"ends 1std::bad_alloc", STARVED},
        {"ends -6std::bad_alloc", STARVED},
        {"ends -6", "the compiler crashed (Aborted)"},
        {"ends -6why\n", "the compiler crashed (Aborted): why"},
        {"ends -9", LATE},
        {"ends -24", LATE},
        {"ends -15", "the compiler crashed (Terminated)"},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        char want[200];
        Made m = compile_by(rows[i].how);
        assert_false(m.ok);
        snprintf(want, sizeof want, "t.cl: error: %s\n", rows[i].says);
        assert_string_equal(buf_text(&m.log), want);
        assert_int_equal(m.d.errors, 1);
        drop(&m);
    }
}

/* A limit as a process sees it that was set by another with a limit of its own. */
static unsigned long long limit_here(__rlimit_resource_t what, unsigned long long wanted)
{
    struct rlimit own;
    assert_int_equal(getrlimit(what, &own), 0);
    return own.rlim_max < wanted ? own.rlim_max : wanted;
}

/* Seconds and MiB that are set, seconds of both clocks, bytes, and a file's; no file is larger than
 * 512 MiB. */
static void has_bounds(void **state)
{
    enum { FILE_BYTES = 512 << 20 };
    static const struct {
        const char *seconds, *mib;
        unsigned cpu, wall;
        unsigned long long bytes;
    } rows[] = {
        {NULL, NULL, 60, 300, 2048ull << 20},
        {"7", "16", 7, 35, 16 << 20},
        {"", "", 60, 300, 2048ull << 20},
        {"1000000", "1048576", 1000000, 5000000, 1ull << 40},
    };
    static const struct {
        const char *name, *value, *says;
    } wrong[] = {
        {"VENTUS_CC_TIMEOUT", "1000001",
         "VENTUS_CC_TIMEOUT: error: '1000001' is not a number from 0 to 1000000\n"},
        {"VENTUS_CC_MEMORY", "1048577",
         "VENTUS_CC_MEMORY: error: '1048577' is not a number from 0 to 1048576\n"},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        if (rows[i].seconds)
            setenv("VENTUS_CC_TIMEOUT", rows[i].seconds, 1);
        if (rows[i].mib)
            setenv("VENTUS_CC_MEMORY", rows[i].mib, 1);
        Made m = compile_by("limits");
        assert_true(m.ok);
        char want[128];
        snprintf(want, sizeof want, "%u %u %llu %d, %llu %llu 1\n", rows[i].cpu, rows[i].wall,
                 rows[i].bytes, FILE_BYTES, limit_here(RLIMIT_CPU, rows[i].cpu),
                 limit_here(RLIMIT_FSIZE, FILE_BYTES));
        assert_string_equal(buf_text(&m.log), want);
        drop(&m);
    }
    unsetenv("VENTUS_CC_TIMEOUT");
    unsetenv("VENTUS_CC_MEMORY");
    for (size_t i = 0; i < countof(wrong); i++) {
        setenv(wrong[i].name, wrong[i].value, 1);
        Made m = compile_by("limits");
        unsetenv(wrong[i].name);
        assert_false(m.ok);
        assert_string_equal(buf_text(&m.log), wrong[i].says);
        drop(&m);
    }
}

static void says_that_there_is_none(void **state)
{
    static const char *const bad[] = {"/no/such/program", "/bin/false", "/dev/null"};
    (void)state;
    for (size_t i = 0; i < countof(bad); i++) {
        setenv("VENTUS_CC_PROGRAM", bad[i], 1);
        Compiler *c = comp_open();
        Buf what = {0};
        assert_false(comp_available(c, NULL, &what));
        assert_non_null(strstr(buf_text(&what), "compiler"));
        buf_free(&what);
        assert_refused(compile_with(c, good, image), "t.cl: error: ");
        comp_close(c);
    }
    unsetenv("VENTUS_CC_PROGRAM");
}

/* --- what is in the key ------------------------------------------------------------------ */

/* Whatever a request says makes it another request. */
static void every_option_is_in_the_key(void **state)
{
    static const char *const words[] = {"-DA",
                                        "-DA=1",
                                        "-UA",
                                        "-I/x",
                                        "-O0",
                                        "-O1",
                                        "-O2",
                                        "-O3",
                                        "-g",
                                        "-w",
                                        "-Werror",
                                        "-Wall",
                                        "-cl-std=CL1.2",
                                        "-cl-std=CL3.0",
                                        "-cl-opt-disable",
                                        "-cl-mad-enable",
                                        "-cl-fast-relaxed-math",
                                        "-cl-finite-math-only",
                                        "-cl-no-signed-zeros",
                                        "-cl-unsafe-math-optimizations",
                                        "-cl-denorms-are-zero",
                                        "-cl-strict-aliasing",
                                        "-cl-single-precision-constant",
                                        "-cl-uniform-work-group-size",
                                        "-cl-fp32-correctly-rounded-divide-sqrt",
                                        "-cl-kernel-arg-info",
                                        "-cl-no-subgroup-ifp"};
    static const char *const two[] = {"-D", "A"}, *const one[] = {"-D A"};
    static const CompHeader header[] = {{"a.h", "b"}, {"a.h", "c"}, {"ab.h", ""}, {"a.h", "b"}};
    static const Bytes inputs[] = {
        {(const u8 *)"x", 1}, {(const u8 *)"y", 1}, {(const u8 *)"xy", 2}};
    enum { MAX = 128 };
    Request q[MAX];
    Buf key[MAX] = {0}, rest = {0};
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < MAX; i++)
        q[i] = (Request){.kind = REQUEST_COMPILE,
                         .opt = {.name = "n", .clang = "c", .lds_limit = 1},
                         .inputs = inputs,
                         .ninputs = 1};
    n++; /* the plain one */
    for (int o = 1; o < COMP_OUTPUTS; o++)
        q[n++].opt.output = (CompOutput)o;
    q[n++].kind = REQUEST_LINK;
    q[n++].opt.name = "m";
    q[n++].opt.clang = "d";
    q[n++].opt.lds_limit = 2;
    q[n++].opt.off = "";
    q[n++].opt.off = "fold";
    q[n++].opt.dump = "";
    q[n++].opt.dump = "i";
    q[n++].inputs = inputs + 1;
    q[n++].inputs = inputs + 2;
    q[n++].ninputs = 2;
    for (size_t i = 0; i < countof(words); i++, n++) {
        q[n].opt.options = words + i;
        q[n].opt.noptions = 1;
    }
    q[n].opt.options = two, q[n++].opt.noptions = 2;
    q[n].opt.options = one, q[n++].opt.noptions = 1;
    for (size_t i = 0; i < 3; i++) {
        q[n].opt.headers = header + i;
        q[n++].opt.nheaders = 1;
    }
    q[n].opt.headers = header, q[n++].opt.nheaders = 2;
    q[n].opt.headers = header + 2, q[n++].opt.nheaders = 2;
    assert_true(n <= MAX);
    for (size_t i = 0; i < n; i++) {
        Request back;
        request_write(&q[i], &key[i], &rest);
        assert_false(key[i].failed);
        Buf whole = {0};
        request_write(&q[i], &whole, &whole);
        assert_true(request_read(whole.data, whole.len, &back));
        request_free(&back);
        assert_false(request_read(whole.data, whole.len - 1, &back));
        buf_free(&whole);
        for (size_t k = 0; k < i; k++)
            if (key[k].len == key[i].len && !memcmp(key[k].data, key[i].data, key[i].len))
                fail_msg("requests %zu and %zu have one key", k, i);
    }
    for (size_t i = 0; i < n; i++)
        buf_free(&key[i]);
    buf_free(&rest);
}

/* --- what the cache notices -------------------------------------------------------------- */

static char path_text[256];
static const char *in_scratch(const char *name)
{
    snprintf(path_text, sizeof path_text, "%s/%s", scratch, name);
    return path_text;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(in_scratch(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    pause_ms(20); /* a file that changes while it is compiled is not trusted */
}

static void run_shell(const char *fmt, ...)
{
    char command[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(command, sizeof command, fmt, ap);
    va_end(ap);
    assert_int_equal(system(command), 0);
}

/* the inode of the only entry: another one when it was written anew */
static ino_t entry(void)
{
    char path[600] = "";
    struct stat st;
    int n = 0;
    DIR *d = opendir(in_scratch("cache"));
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".ventus")) {
            snprintf(path, sizeof path, "%s/cache/%s", scratch, e->d_name);
            n++;
        }
    closedir(d);
    assert_int_equal(n, 1);
    assert_int_equal(stat(path, &st), 0);
    return st.st_ino;
}

/* the number that the source makes of N, as the machine IR has it */
static void assert_value(const char *source, const CompOptions *opt, const char *value)
{
    char want[64];
    Made m = compile(source, *opt);
    if (!m.ok)
        fail_msg("%s", buf_text(&m.log));
    snprintf(want, sizeof want, "store word global %s,", value);
    if (!strstr(buf_text(&m.out), want))
        fail_msg("'%s' is not in %s", value, buf_text(&m.out));
    drop(&m);
}

static void sees_headers_change(void **state)
{
    static const struct {
        const char *source, *first, *second, *v1, *v2;
    } row[] = {
        {"#include \"h.h\"\nkernel void k(global int *a) { a[0] = N; }\n", "#define N 1234\n",
         "#define N 4321\n", "1234", "4321"},
        {"#import \"h.h\"\nkernel void k(global int *a) { a[0] = N; }\n", "#define N 1234\n",
         "#define N 4321\n", "1234", "4321"},
        {"#inc\\\nlude \"h.h\"\nkernel void k(global int *a) { a[0] = N; }\n", "#define N 1234\n",
         "#define N 4321\n", "1234", "4321"},
        {"#inc?"
         "?/\nlude \"h.h\"\nkernel void k(global int *a) { a[0] = N; }\n",
         "#define N 1234\n", "#define N 4321\n", "1234", "4321"},
        {"?"
         "?=include <h.h>\nkernel void k(global int *a) { a[0] = N; }\n",
         "#define N 1234\n", "#define N 4321\n", "1234", "4321"},
        {"%:include <h.h>\nkernel void k(global int *a) { a[0] = N; }\n", "#define N 1234\n",
         "#define N 4321\n", "1234", "4321"},
        {"kernel void k(global int *a) { const int t[] = {\n#embed \"h.h\"\n}; a[0] = t[0] + 1000; "
         "}\n",
         "A", "B", "1065", "1066"},
    };
    static const char *const options[] = {"-I.", "-cl-std=CL1.2"};
    char before[4096];
    NEED_COMPILER;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch), 0);
    const CompOptions opt = {.output = COMP_IR,
                             .cache = strdup(in_scratch("cache")),
                             .options = options,
                             .noptions = countof(options)};
    for (size_t i = 0; i < countof(row); i++) {
        put("h.h", row[i].first);
        assert_value(row[i].source, &opt, row[i].v1);
        const ino_t first = entry();
        assert_value(row[i].source, &opt, row[i].v1);
        assert_true(entry() == first); /* it was used */
        put("h.h", row[i].second);
        assert_value(row[i].source, &opt, row[i].v2);
        run_shell("rm -r %s/cache", scratch);
    }
    assert_int_equal(chdir(before), 0);
    free((void *)(size_t)opt.cache);
}

/* A header that was not there: asked for, or before the one that was found. */
static void sees_headers_appear(void **state)
{
    static const char asks[] =
        "#if __has_include(\"new.h\")\n#include \"new.h\"\n#else\n#define N 1234\n#endif\n"
        "kernel void k(global int *a) { a[0] = N; }\n";
    static const char finds[] = "#include <second.h>\nkernel void k(global int *a) { a[0] = N; }\n";
    char one[300], two[300];
    NEED_COMPILER;
    run_shell("mkdir %s/one %s/two", scratch, scratch);
    snprintf(one, sizeof one, "-I%s/one", scratch);
    snprintf(two, sizeof two, "-I%s/two", scratch);
    const char *const options[] = {one, two};
    const CompOptions opt = {
        .output = COMP_IR, .cache = strdup(in_scratch("cache")), .options = options, .noptions = 2};
    assert_value(asks, &opt, "1234");
    const ino_t first = entry();
    assert_value(asks, &opt, "1234");
    assert_true(entry() == first);
    put("two/new.h", "#define N 4321\n");
    assert_value(asks, &opt, "4321");
    put("two/second.h", "#define N 1111\n");
    assert_value(finds, &opt, "1111");
    put("one/second.h", "#define N 2222\n");
    assert_value(finds, &opt, "2222");
    run_shell("rm -r %s/one %s/two %s/cache", scratch, scratch, scratch);
    free((void *)(size_t)opt.cache);
}

/* A header's name without a directory is one of the directory that the host runs in. */
static void sees_the_directory_change(void **state)
{
    static const char source[] = "#include \"h.h\"\nkernel void k(global int *a) { a[0] = N; }\n";
    static const char *const options[] = {"-I."};
    char before[4096];
    NEED_COMPILER;
    assert_non_null(getcwd(before, sizeof before));
    run_shell("mkdir %s/one %s/two", scratch, scratch);
    put("one/h.h", "#define N 1234\n");
    const CompOptions opt = {
        .output = COMP_IR, .cache = strdup(in_scratch("cache")), .options = options, .noptions = 1};
    assert_int_equal(chdir(in_scratch("one")), 0);
    assert_value(source, &opt, "1234");
    const ino_t first = entry();
    assert_int_equal(chdir(in_scratch("two")), 0);
    put("two/h.h", "#define N 1234\n");
    assert_value(source, &opt, "1234");
    assert_true(entry() == first); /* nothing else of a directory reaches the result */
    put("two/h.h", "#define N 4321\n");
    assert_value(source, &opt, "4321");
    assert_int_equal(chdir(before), 0);
    run_shell("rm -r %s/one %s/two %s/cache", scratch, scratch, scratch);
    free((void *)(size_t)opt.cache);
}

static void sees_headers_in_memory_change(void **state)
{
    static const char source[] = "#import \"h.h\"\nkernel void k(global int *a) { a[0] = N; }\n";
    static const CompHeader one = {"h.h", "#define N 1234\n"}, two = {"h.h", "#define N 4321\n"};
    NEED_COMPILER;
    CompOptions opt = {
        .output = COMP_IR, .cache = strdup(in_scratch("cache")), .headers = &one, .nheaders = 1};
    assert_value(source, &opt, "1234");
    opt.headers = &two;
    assert_value(source, &opt, "4321");
    run_shell("rm -r %s/cache", scratch);
    free((void *)(size_t)opt.cache);
}

/* Whether a program answers from the cache, by a compiler that would crash. */
static bool is_cached(CompOptions opt)
{
    setenv("COMP_TEST_FAKE", "crash", 1);
    Compiler *c = comp_open();
    Made m = compile_with(c, good, opt);
    comp_close(c);
    const bool ok = m.ok;
    drop(&m);
    return ok;
}

/* Programs of which one has another size or time than before are others; what is found by its name
 * alone is not looked at. */
static void notices_other_programs(void **state)
{
#define LATER(file)  "touch -d '2001-01-01 00:00:01' " file
#define SOONER(file) "touch -d '2001-01-01 00:00:01.5' " file
#define LONGER(file)                                                                               \
    "cp " file " more && echo >>more && chmod +x more && mv more " file " && " SOONER(file)
#define ALL(file) LATER(file), SOONER(file), LONGER(file)
    static const char *const changes[] = {"touch clang", ALL("server"), ALL("clang"),
                                          "touch libventus-clang.so", ALL("libventus-clang.so")};
    char program[300], clang[300], before[4096];
    (void)state;
    run_shell("cp /proc/%d/exe %s/server", (int)getpid(), scratch);
    snprintf(program, sizeof program, "%s/server", scratch);
    snprintf(clang, sizeof clang, "%s/clang", scratch);
    setenv("VENTUS_CC_PROGRAM", program, 1);
    CompOptions opt = {.output = COMP_IMAGE, .cache = strdup(in_scratch("cache")), .clang = clang};
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch), 0);
    for (size_t i = 0; i <= countof(changes); i++) {
        if (i < countof(changes))
            run_shell("%s", changes[i]);
        else
            opt.clang = "clang";
        assert_false(is_cached(opt));
        setenv("COMP_TEST_FAKE", "known", 1);
        Compiler *c = comp_open();
        assert_made(compile_with(c, good, opt));
        comp_close(c);
        assert_true(is_cached(opt));
    }
    run_shell("touch clang");
    assert_true(is_cached(opt));
    assert_int_equal(chdir(before), 0);
    unsetenv("COMP_TEST_FAKE");
    unsetenv("VENTUS_CC_PROGRAM");
    run_shell("cd %s && rm -r cache server clang libventus-clang.so", scratch);
    free((void *)(size_t)opt.cache);
}

static bool answers(const char *how, const char *cache)
{
    Buf what = {0};
    setenv("COMP_TEST_FAKE", how, 1);
    Compiler *c = comp_open();
    const bool there = comp_available(c, cache, &what);
    comp_close(c);
    if (there)
        assert_string_equal(buf_text(&what), "a note\n\177ELF"); /* what the fake has to say */
    buf_free(&what);
    return there;
}

/* That there is a compiler stands in the cache, until its program is another one; that there is none
 * does not. */
static void remembers_that_it_is_there(void **state)
{
    char program[300];
    (void)state;
    run_shell("cp /proc/%d/exe %s/server", (int)getpid(), scratch);
    snprintf(program, sizeof program, "%s/server", scratch);
    setenv("VENTUS_CC_PROGRAM", program, 1);
    const char *cache = strdup(in_scratch("cache"));
    assert_false(answers("crash", cache));
    assert_true(answers("known", NULL));
    assert_false(answers("crash", cache));
    assert_true(answers("known", cache));
    assert_true(answers("crash", cache));
    assert_false(answers("crash", NULL));
    run_shell(LATER("%s/server"), scratch);
    assert_false(answers("crash", cache));
    unsetenv("COMP_TEST_FAKE");
    unsetenv("VENTUS_CC_PROGRAM");
    run_shell("cd %s && rm -r cache server", scratch);
    free((void *)(size_t)cache);
}

/* Where it is not known which files were read, nothing is kept. */
static void sees_through_a_script(void **state)
{
    static const char *const include[] = {"#include <h.h>\n", "%:include <h.h>\n",
                                          "?\x3f=include <h.h>\n"};
    static const char uses[] = "kernel void k(global int *a) { a[0] = N; }\n";
    static const char alone[] = "kernel void k(global int *a) { a[0] = 1234; }\n";
    char directory[300], script[300], source[100];
    NEED_COMPILER;
    Buf what = {0};
    comp_available(compiler, NULL, &what);
    const char *clang = strchr(buf_text(&what), '/');
    assert_non_null(clang);
    snprintf(script, sizeof script, "%s/clang.sh", scratch);
    run_shell("printf '#!/bin/sh\nexec %s \"$@\"\n' >%s && chmod +x %s", clang, script, script);
    buf_free(&what);
    snprintf(directory, sizeof directory, "-I%s", scratch);
    const char *const options[] = {directory, "-cl-std=CL1.2"};
    const CompOptions opt = {.output = COMP_IR,
                             .cache = strdup(in_scratch("cache")),
                             .options = options,
                             .noptions = countof(options),
                             .clang = script};
    for (size_t i = 0; i < countof(include); i++) {
        snprintf(source, sizeof source, "%s%s", include[i], uses);
        put("h.h", "#define N 1234\n");
        assert_value(source, &opt, "1234");
        put("h.h", "#define N 4321\n");
        assert_value(source, &opt, "4321");
    }
    assert_value(alone, &opt, "1234");
    run_shell("test -z \"$(ls %s/cache/*.ventus 2>&-)\" && rm -rf %s/cache %s", scratch, scratch,
              script);
    free((void *)(size_t)opt.cache);
}

/* --- what lies in the cache ------------------------------------------------------------------- */

/* A pipe, a directory or a socket where an entry should be is none. */
static void looks_at_files_only(void **state)
{
    static const char *const make[] = {"mkfifo", "mkdir"};
    NEED_COMPILER;
    const CompOptions opt = {.output = COMP_IMAGE, .cache = strdup(in_scratch("cache"))};
    for (size_t i = 0; i < countof(make); i++) {
        assert_made(compile(good, opt));
        run_shell("cd %s/cache && f=$(echo *.ventus) && rm $f && %s $f", scratch, make[i]);
        assert_made(compile(good, opt));
        run_shell("rm -r %s/cache", scratch);
    }
    free((void *)(size_t)opt.cache);
}

static void removes_what_was_abandoned(void **state)
{
    NEED_COMPILER;
    const CompOptions opt = {.output = COMP_IMAGE, .cache = strdup(in_scratch("cache"))};
    run_shell("mkdir %s/cache && cd %s/cache && echo >ventus-abc123 && echo >ventus-def456 && echo "
              ">other-abc123 && "
              "touch -d '1 hour ago' ventus-abc123 other-abc123",
              scratch, scratch);
    assert_made(compile(good, opt));
    run_shell(
        "cd %s/cache && test ! -e ventus-abc123 && test -e ventus-def456 && test -e other-abc123",
        scratch);
    run_shell("rm -r %s/cache", scratch);
    free((void *)(size_t)opt.cache);
}

/* Over 256 MiB the oldest entries go until three quarters are left; the files are holes. */
static void removes_the_oldest(void **state)
{
    (void)state;
    const Buf key = {.data = (u8 *)(uintptr_t)"key", .len = 3},
              value = {.data = (u8 *)(uintptr_t)"value", .len = 5};
    run_shell("mkdir %s/cache && cd %s/cache && for i in 1 2 3 4; do truncate -s 60M $i.ventus && "
              "touch -d \"$i hours ago\" $i.ventus; done",
              scratch, scratch);
    cache_put(in_scratch("cache"), &key, &value);
    run_shell("cd %s/cache && test $(ls *.ventus | wc -l) = 5", scratch);
    run_shell(
        "cd %s/cache && rm trimmed && truncate -s 60M 5.ventus && touch -d '5 hours ago' 5.ventus",
        scratch);
    cache_put(in_scratch("cache"), &key, &value);
    run_shell("cd %s/cache && test -e 1.ventus -a -e 2.ventus -a -e 3.ventus -a ! -e 4.ventus -a ! "
              "-e 5.ventus",
              scratch);
    run_shell("rm -r %s/cache", scratch);
}

/* Makes the directory of the cache with `files`, each a name, its bytes and its age in seconds;
 * puts an entry of 40 bytes there, and compares what is left. */
static void expect_trimmed(const char *files, const char *left)
{
    const Buf key = {.data = (u8 *)(uintptr_t)"key", .len = 3},
              value = {.data = (u8 *)(uintptr_t)"value", .len = 5};
    run_shell("mkdir %s/cache && cd %s/cache && echo '%s' | tr ';' '\\n' | while read -r n s a; do "
              "truncate -s $s $n && touch -d \"$a seconds ago\" $n; done",
              scratch, scratch, files);
    cache_put(in_scratch("cache"), &key, &value);
    run_shell("cd %s/cache && test \"$(LC_ALL=C ls | grep -vE '^[0-9a-f]{16}[.]ventus$' | tr '\\n' "
              "' ')\" = '%s'",
              scratch, left);
    run_shell("cd %s/cache && find . -name '????????????????.ventus' -size 40c | grep -q . && rm "
              "-r %s/cache",
              scratch, scratch);
}

/* Entries go from the oldest on once they have more than 256 MiB, until they have 192 or less. */
static void keeps_its_limit(void **state)
{
    enum { MIB64 = 64 << 20, ENTRY = 40 };
    static const struct {
        int sizes[4];
        const char *left;
    } rows[] = {
        {{MIB64, MIB64, MIB64, MIB64 - ENTRY}, "trimmed x1.ventus x2.ventus x3.ventus x4.ventus "},
        {{MIB64, MIB64, MIB64, MIB64 - ENTRY + 1}, "trimmed x3.ventus x4.ventus "},
        {{MIB64 + 1, MIB64, MIB64, MIB64 - ENTRY}, "trimmed x2.ventus x3.ventus x4.ventus "},
    };
    char files[160];
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        const int *s = rows[i].sizes;
        snprintf(files, sizeof files, "x4.ventus %d 1;x1.ventus %d 4;x3.ventus %d 2;x2.ventus %d 3",
                 s[3], s[0], s[2], s[1]);
        expect_trimmed(files, rows[i].left);
    }
    /* within a minute of the last time nothing is looked at */
    expect_trimmed("trimmed 0 45;x1.ventus 300M 9", "trimmed x1.ventus ");
    expect_trimmed("trimmed 0 75;x1.ventus 300M 9", "trimmed ");
    /* what writers leave behind goes after ten minutes; names of others stay, and do not count */
    expect_trimmed(
        "ventus-abcdef 1 580;ventus-abcdeg 1 620;ventus-abcdefg 1 999;ventus-abcde 1 999;"
        "Ventus-abcdef 1 999",
        "Ventus-abcdef trimmed ventus-abcde ventus-abcdef ventus-abcdefg ");
    expect_trimmed("x.ventusx 300M 9;.ventu 300M 9;a.ventus 1 9", "a.ventus trimmed x.ventusx ");
    expect_trimmed("x234567890123456789012345.ventus 300M 9",
                   "trimmed x234567890123456789012345.ventus ");
    expect_trimmed("x23456789012345678901234.ventus 300M 9", "trimmed ");
}

/* An entry that was used lately stays longer than one that is younger. */
static void keeps_what_is_used(void **state)
{
    const Buf key = {.data = (u8 *)(uintptr_t)"key", .len = 3},
              value = {.data = (u8 *)(uintptr_t)"value", .len = 5};
    Buf got = {0};
    (void)state;
    for (int used = 0; used <= 1; used++) {
        cache_put(in_scratch("cache"), &key, &value);
        run_shell("cd %s/cache && touch -d '9 hours ago' *.ventus && truncate -s 300M x.ventus && "
                  "touch -d '1 hour ago' x.ventus && rm trimmed",
                  scratch);
        if (used)
            assert_true(cache_get(in_scratch("cache"), &key, &got));
        cache_put(in_scratch("cache"), &value, &key);
        assert_int_equal(cache_get(in_scratch("cache"), &key, &got), used);
        assert_true(cache_get(in_scratch("cache"), &value, &got));
        run_shell("rm -r %s/cache", scratch);
    }
    buf_free(&got);
}

/* Whoever writes, reads and trims has no more files open afterwards, and no more memory.  (Sanitizers count blocks
 * themselves.) */
static void closes_what_it_opened(void **state)
{
    enum { NOISE = 10000 };
    const Buf key = {.data = (u8 *)(uintptr_t)"key", .len = 3};
    const int before = files_open();
    size_t memory = 0;
    (void)state;
    for (int round = 0; round < 4; round++) {
        Buf got = {0};
        run_shell("rm -f %s/cache/trimmed", scratch);
        cache_put(in_scratch("cache"), &key, &key);
        assert_true(cache_get(in_scratch("cache"), &key, &got));
        buf_free(&got);
        run_shell("test -e %s/cache/trimmed", scratch);
        const struct mallinfo2 now = mallinfo2();
        if (round)
            assert_true(now.uordblks + now.hblkhd < memory + NOISE);
        else
            memory = now.uordblks + now.hblkhd;
        assert_int_equal(files_open(), before);
    }
    run_shell("rm -r %s/cache", scratch);
}

/* A directory is made with those that it lies in; where none can be made nothing is kept. */
static void makes_its_directory(void **state)
{
    const Buf key = {.data = (u8 *)(uintptr_t)"key", .len = 3};
    Buf got = {0};
    (void)state;
    assert_false(cache_get(in_scratch("cache/b/c"), &key, &got));
    cache_put(in_scratch("cache/b/c"), &key, &key);
    assert_true(cache_get(in_scratch("cache/b/c"), &key, &got));
    assert_true(cache_make(in_scratch("cache/b/c")));
    assert_true(cache_make(in_scratch("cache/b/c/d")));
    run_shell(": >%s/cache/file", scratch);
    assert_false(cache_make(in_scratch("cache/file/d")));
    cache_put(in_scratch("cache/file/d"), &key, &key);
    assert_false(cache_get(in_scratch("cache/file/d"), &key, &got));
    run_shell("test $(find %s/cache/b/c -type f | wc -l) = 2 && rm -r %s/cache", scratch, scratch);
    assert_int_equal(got.len, 3);
    buf_free(&got);
}

/* The variables that say where the cache is, the first that is set. */
static void finds_its_directory(void **state)
{
    static const char *const names[] = {"VENTUS_CACHE", "VENTUS_CACHE_DIR", "XDG_CACHE_HOME",
                                        "HOME"};
    static const struct {
        const char *value[4], *path;
    } rows[] = {
        {{NULL, "/a", "/b", "/c"}, "/a"},
        {{NULL, NULL, "/b", "/c"}, "/b/ventus"},
        {{NULL, NULL, NULL, "/c"}, "/c/.cache/ventus"},
        {{NULL, NULL, NULL, NULL}, NULL},
        {{"0", "/a", "/b", "/c"}, NULL},
        {{"1", "/a", NULL, NULL}, "/a"},
        {{"00", NULL, "/b", NULL}, "/b/ventus"},
        {{"", "", "", "/c"}, "/c/.cache/ventus"},
        {{"", "", "", ""}, NULL},
    };
    char *before[countof(names)];
    (void)state;
    for (size_t k = 0; k < countof(names); k++)
        before[k] = getenv(names[k]) ? strdup(getenv(names[k])) : NULL;
    for (size_t i = 0; i < countof(rows); i++) {
        for (size_t k = 0; k < countof(names); k++)
            if (!rows[i].value[k] || setenv(names[k], rows[i].value[k], 1))
                unsetenv(names[k]);
        char *path = comp_cache_directory();
        if (!rows[i].path != !path || (path && strcmp(path, rows[i].path) != 0))
            fail_msg("row %zu: %s", i, path ? path : "none");
        mem_free(path);
    }
    for (size_t k = 0; k < countof(names); k++) {
        if (!before[k] || setenv(names[k], before[k], 1))
            unsetenv(names[k]);
        free(before[k]);
    }
}

/* A damaged entry is none, wherever the damage is, and so is the entry of another key. */
static void damaged_entries(void **state)
{
    (void)state;
    const Buf key = {.data = (u8 *)(uintptr_t)"key", .len = 3},
              value = {.data = (u8 *)(uintptr_t)"value", .len = 5};
    Buf got = {0};
    char path[600];
    struct stat is;
    run_shell("mkdir %s/cache", scratch);
    cache_put(in_scratch("cache"), &key, &value);
    assert_true(cache_get(in_scratch("cache"), &key, &got));
    assert_int_equal(got.len, value.len);
    DIR *d = opendir(in_scratch("cache"));
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        if (has_suffix(e->d_name, ".ventus"))
            snprintf(path, sizeof path, "%s/cache/%s", scratch, e->d_name);
    closedir(d);
    const int fd = open(path, O_RDWR);
    assert_int_equal(fstat(fd, &is), 0);
    assert_true(is.st_size > 8);
    for (off_t at = 0; at < is.st_size; at++) {
        u8 was;
        assert_int_equal(pread(fd, &was, 1, at), 1);
        const u8 wrong = was ^ 1;
        assert_int_equal(pwrite(fd, &wrong, 1, at), 1);
        if (cache_get(in_scratch("cache"), &key, &got))
            fail_msg("byte %d of an entry is not looked at", (int)at);
        assert_int_equal(pwrite(fd, &was, 1, at), 1);
    }
    assert_true(cache_get(in_scratch("cache"), &key, &got));
    assert_int_equal(got.len, 2 * value.len);
    close(fd);
    const Buf other = {.data = (u8 *)(uintptr_t)"kez", .len = 3};
    run_shell("cd %s/cache && mkdir kept && mv *.ventus kept", scratch);
    cache_put(in_scratch("cache"), &other, &value);
    assert_true(cache_get(in_scratch("cache"), &other, &got));
    run_shell("cd %s/cache && cp kept/*.ventus \"$(echo *.ventus)\"", scratch);
    assert_false(cache_get(in_scratch("cache"), &other, &got));
    buf_free(&got);
    run_shell("rm -r %s/cache", scratch);
}

int main(void)
{
    const char *fake = getenv("COMP_TEST_FAKE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_no_descriptor),
        cmocka_unit_test(leaves_no_memory),
        cmocka_unit_test(marks_its_descriptor),
        cmocka_unit_test(shows_no_child),
        cmocka_unit_test(works_with_signals_blocked),
        cmocka_unit_test(works_after_a_fork),
        cmocka_unit_test(survives_a_killed_process),
        cmocka_unit_test(says_that_it_was_killed),
        cmocka_unit_test(bounds_time),
        cmocka_unit_test(bounds_time_by_the_clock),
        cmocka_unit_test(bounds_memory),
        cmocka_unit_test(refuses_wrong_bounds),
        cmocka_unit_test(needs_few_descriptors),
        cmocka_unit_test(many_headers),
        cmocka_unit_test(survives_hostile_bitcode),
        cmocka_unit_test(believes_no_reply),
        cmocka_unit_test(says_how_it_ended),
        cmocka_unit_test(has_bounds),
        cmocka_unit_test(says_that_there_is_none),
        cmocka_unit_test(every_option_is_in_the_key),
        cmocka_unit_test(sees_headers_change),
        cmocka_unit_test(sees_headers_appear),
        cmocka_unit_test(sees_the_directory_change),
        cmocka_unit_test(sees_headers_in_memory_change),
        cmocka_unit_test(remembers_that_it_is_there),
        cmocka_unit_test(sees_through_a_script),
        cmocka_unit_test(notices_other_programs),
        cmocka_unit_test(looks_at_files_only),
        cmocka_unit_test(removes_what_was_abandoned),
        cmocka_unit_test(removes_the_oldest),
        cmocka_unit_test(keeps_its_limit),
        cmocka_unit_test(keeps_what_is_used),
        cmocka_unit_test(makes_its_directory),
        cmocka_unit_test(closes_what_it_opened),
        cmocka_unit_test(finds_its_directory),
        cmocka_unit_test(damaged_entries),
    };
    if (fake)
        return proc_serve(&(ProcServer){.control = PROC_CONTROL,
                                        .keep = -1,
                                        .job = fake_job,
                                        .self = (void *)(size_t)fake,
                                        .end = _exit});
    if (!mkdtemp(scratch))
        return 1;
    setenv("COMP_TEST", scratch, 1);
    compiler = comp_open();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comp_close(compiler);
    rmdir(scratch);
    unlink(in_scratch("h.h"));
    rmdir(scratch);
    return failed;
}
