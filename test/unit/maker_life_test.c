/* maker_life_test.c -- the maker's process: that it is started when it is needed and again when it
 * is gone, by forks of the host for themselves; that it ends with who uses it, and is waited for by
 * nobody who cancels; which requests it refuses; under which keys its answers are kept, and by
 * which secrets.
 *
 * The process is known by its name, which is a link of this test alone.
 */
#include "test/kit/leftover.h"
#include "test/kit/skip.h"
#include "base/fdio.h"
#include "jit/maker.h"
#include "proc/proc.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

extern char **environ;
static char scratch[] = "/tmp/maker_life_test.XXXXXX", program[64], secret[64],
            trimmed[64]; /* comp/cache.c makes that */

#define NEED_MAKER                                                                                 \
    const char *why_not;                                                                           \
    (void)state;                                                                                   \
    if (!maker_available(&why_not))                                                                \
    skip_because("%s", why_not)

enum { HELPER = 0, OTHER = 1 }; /* one that calls none; one that calls that */

/* --- processes --------------------------------------------------------------------------- */

static void pause_a_bit(void) { nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); }

/* Whether the process has begun as our program and has not ended. */
static bool is_maker(const char *pid)
{
    char path[300], name[sizeof program] = "";
    snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
    const int fd = open(path, O_RDONLY);
    const ssize_t n = fd < 0 ? -1 : read(fd, name, sizeof name - 1);
    if (fd >= 0)
        close(fd);
    return n > 0 && !strcmp(name, program);
}

static pid_t seen; /* the last process that was counted */

/* How many there are; they get a signal, if it is not 0. */
static int makers(int signal)
{
    int n = 0;
    DIR *dir = opendir("/proc");
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        if (isdigit((unsigned char)e->d_name[0]) && is_maker(e->d_name)) {
            n++;
            seen = (pid_t)atoi(e->d_name);
            if (signal)
                kill(seen, signal);
        }
    closedir(dir);
    return n;
}

/* What ends does so some time later. */
static void wait_for_makers(int n)
{
    for (int i = 0; makers(0) != n; i++) {
        if (i == 5000)
            fail_msg("there are %d processes, not %d", makers(0), n);
        pause_a_bit();
    }
}

/* --- orders ------------------------------------------------------------------------------ */

static MakerOrder order_of(u32 helper)
{
    MakerOrder o = {.digest = 0};
    codejob_write(&(CodeJob){.level = "base", .helper = helper}, NULL, &o.request);
    return o;
}

/* Whether code of the helper is made, or found; the cost. */
static bool make(Maker *m, u32 helper, MakerCost *cost)
{
    MakerOrder o = order_of(helper);
    Loaded l = {NULL, 0, NULL};
    const bool ok = maker_make(m, &o, &l, cost);
    assert_int_equal(ok, l.block != NULL);
    code_unload(&l);
    maker_forget(&o);
    return ok;
}

static bool can_find(Maker *m, u32 helper, MakerCost *cost)
{
    MakerOrder o = order_of(helper);
    Loaded l = {NULL, 0, NULL};
    const bool ok = maker_find(m, &o, &l, cost);
    code_unload(&l);
    maker_forget(&o);
    return ok;
}

static void must_make(Maker *m)
{
    MakerCost cost;
    assert_true(make(m, HELPER, &cost));
}

/* A maker without a cache. */
static Maker *open_alone(void)
{
    setenv("VENTUS_CACHE", "0", 1);
    Maker *m = maker_open("base");
    unsetenv("VENTUS_CACHE");
    assert_non_null(m);
    return m;
}

/* --- its life ---------------------------------------------------------------------------- */

static void is_started_when_needed(void **state)
{
    NEED_MAKER;
    wait_for_makers(0);
    Maker *m = open_alone();
    assert_int_equal(makers(0), 0);
    must_make(m);
    wait_for_makers(1);
    const pid_t first = seen;
    must_make(m);
    wait_for_makers(1);
    assert_int_equal(seen, first);
    maker_close(m);
    wait_for_makers(0);
}

static void is_started_again(void **state)
{
    NEED_MAKER;
    Maker *m = open_alone();
    for (int i = 0; i < 2; i++) {
        must_make(m);
        wait_for_makers(1);
        makers(SIGKILL);
        wait_for_makers(0);
    }
    must_make(m);
    maker_close(m);
    wait_for_makers(0);
}

/* What is cancelled starts nothing, and what is there is not asked. */
static void cancelled(void **state)
{
    NEED_MAKER;
    for (int started = 0; started < 2; started++) {
        MakerCost cost;
        Maker *m = open_alone();
        if (started)
            must_make(m);
        maker_cancel(m);
        for (int i = 0; i < 2; i++)
            assert_false(make(m, HELPER, &cost));
        wait_for_makers(started);
        maker_close(m);
        wait_for_makers(0);
    }
}

static void *make_other(void *m)
{
    MakerCost cost;
    return make(m, OTHER, &cost) ? m : NULL;
}

/* Whether a thread that waits for an answer that does not come is let go. */
static bool lets_go(Maker *m)
{
    pthread_t thread;
    void *made;
    wait_for_makers(1);
    makers(SIGSTOP);
    if (pthread_create(&thread, NULL, make_other, m))
        return false;
    for (int i = 0; i < 10; i++) /* it may wait by now */
        pause_a_bit();
    maker_cancel(m);
    pthread_join(thread, &made);
    maker_close(m);
    makers(SIGKILL);
    wait_for_makers(0);
    return !made;
}

static void cancelled_while_waiting(void **state)
{
    NEED_MAKER;
    for (int again = 0; again < 2; again++) {
        Maker *m = open_alone();
        must_make(m);
        if (again) { /* by a second process */
            wait_for_makers(1);
            makers(SIGKILL);
            wait_for_makers(0);
            must_make(m);
        }
        assert_true(lets_go(m));
    }
}

/* Runs in a fork: whether it has a process of its own, and leaves what it inherited. */
static bool has_its_own(Maker *m, int started)
{
    const int open_before = files_open();
    MakerCost cost;
    bool ok = make(m, HELPER, &cost);
    wait_for_makers(1 + started);
    maker_cancel(m);
    ok = ok && !make(m, HELPER, &cost);
    maker_close(m);
    return ok &&
           files_open() == open_before - 2 * started; /* the process's socket, and how to cancel */
}

static void must_end_well(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A fork has a process of its own, that of its parent stays. */
static void forks_have_their_own(void **state)
{
    NEED_MAKER;
    for (int started = 0; started < 2; started++) {
        Maker *m = open_alone();
        if (started)
            must_make(m);
        fflush(stdout);
        const pid_t child = fork();
        if (!child)
            _exit(!has_its_own(m, started));
        must_end_well(child);
        wait_for_makers(started);
        must_make(m);
        wait_for_makers(1);
        maker_close(m);
        wait_for_makers(0);
    }
}

/* A fork that waits is let go as well, though its parent has had a process. */
static void forks_are_cancelled(void **state)
{
    NEED_MAKER;
    Maker *m = open_alone();
    must_make(m);
    wait_for_makers(1);
    makers(SIGKILL);
    wait_for_makers(0);
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        MakerCost cost;
        _exit(!make(m, HELPER, &cost) || !lets_go(m));
    }
    must_end_well(child);
    must_make(m);
    maker_close(m);
    wait_for_makers(0);
}

/* --- by itself --------------------------------------------------------------------------- */

/* Starts the program and has it do a job.  How that ended. */
static ProcResult call(const char *level, const Buf *request, Buf *answer)
{
    char name[8];
    char *argv[] = {program, name, NULL};
    int control;
    ProcResult r;
    const int file[] = {memfd_create("request", MFD_CLOEXEC), memfd_create("answer", MFD_CLOEXEC),
                        memfd_create("complaint", MFD_CLOEXEC)};
    snprintf(name, sizeof name, "%s", level);
    assert_true(fd_write(file[0], request->data, request->len));
    assert_int_equal(proc_start(argv, environ, &control), 0);
    assert_int_equal(proc_call(control, file, 3, &(ProcLimits){.wall = 60}, -1, &r), 0);
    assert_true(fd_read(file[1], 1 << 24, answer));
    for (int i = 0; i < 3; i++)
        close(file[i]);
    close(control);
    return r;
}

static u64 nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

/* It answers requests for the level that it was started for, and no others. */
static void answers_requests(void **state)
{
    static const struct {
        const char *level, *of;
        u32 helper;
        bool ok;
    } row[] = {
        {"base", "base", 0, true},         {"base", "base", NHELPERS - 1, true},
        {"base", "base", NHELPERS, false}, {"base", "avx2", HELPER, false},
        {"avx2", "base", HELPER, false},   {"base", "", HELPER, false},
#if defined(__x86_64__)
        {"avx2", "avx2", HELPER, true},
#endif
    };
    NEED_MAKER;
    for (size_t i = 0; i < countof(row); i++) {
        Buf request = {0}, answer = {0};
        CodeAnswer a;
        CodeJob j = {.helper = row[i].helper};
        snprintf(j.level, sizeof j.level, "%s", row[i].of);
        codejob_write(&j, NULL, &request);
        const u64 before = nanoseconds();
        const ProcResult r = call(row[i].level, &request, &answer);
        const u64 most = nanoseconds() - before; /* it has one thread */
        assert_int_equal(r.how, PROC_EXITED);
        assert_int_equal(r.code, !row[i].ok);
        if (row[i].ok) {
            assert_true(codeanswer_read(answer.data, answer.len, &a));
            assert_int_equal(a.digest, 0);
            assert_true(a.nanoseconds > 0 && a.nanoseconds <= most);
        } else {
            assert_int_equal(answer.len, 0);
        }
        buf_free(&request);
        buf_free(&answer);
    }
    wait_for_makers(0);
}

/* Who runs it by hand is told so. */
static void says_what_it_is(void **state)
{
    static const char *const ways[] = {"3<&-", "base 3<&-", "3</dev/null", "base avx2 3</dev/null"};
    NEED_MAKER;
    for (size_t i = 0; i < countof(ways); i++) {
        char command[200], said[400] = "";
        snprintf(command, sizeof command, "%s %s 2>&1 </dev/null; echo $?", program, ways[i]);
        FILE *f = popen(command, "r");
        assert_non_null(f);
        said[fread(said, 1, sizeof said - 1, f)] = 0;
        pclose(f);
        assert_string_equal(said,
                            "ventus-jit1 makes host code for the engines `jit' and `auto'; it "
                            "is not run by hand\n2\n");
    }
}

/* --- what is kept ------------------------------------------------------------------------ */

/* Calls f for each entry of the cache; how many there are. */
static int each_entry(void (*f)(const char *path))
{
    int n = 0;
    DIR *dir = opendir(scratch);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        if (strstr(e->d_name, ".ventus")) {
            char path[400];
            snprintf(path, sizeof path, "%s/%s", scratch, e->d_name);
            n++;
            if (f)
                f(path);
        }
    closedir(dir);
    return n;
}

static void remove_it(const char *path) { assert_int_equal(unlink(path), 0); }

/* What all that code depends on besides the request is in the key. */
static void expected_key(Buf *key)
{
    struct stat st;
    assert_int_equal(stat(program, &st), 0);
    buf_printf(key, "host code, ventus " VERSION ", user %u\n%s:%lld.%lld.%lld\n",
               (unsigned)geteuid(), program, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
               (long long)st.st_mtim.tv_nsec);
#if defined(__x86_64__)
    /* the maker and model, what it can do, in the leaves in which the manuals have that */
    static const u32 leaves[] = {0, 1, 7, 7, 0x80000001};
    for (u32 i = 0; i < countof(leaves); i++) {
        u32 a, b, c, d;
        if (!__get_cpuid_count(leaves[i], i == 3, &a, &b, &c, &d))
            a = b = c = d = 0;
        buf_printf(key, "%08x %08x %08x %08x\n", a, i == 1 ? 0 : b, c, d);
    }
#endif
    codejob_write(&(CodeJob){.level = "base", .helper = HELPER}, NULL, key);
}

static Buf entry; /* that was read last */

static void read_it(const char *path)
{
    const int fd = open(path, O_RDONLY);
    entry.len = 0;
    assert_true(fd >= 0 && fd_read(fd, 1 << 24, &entry));
    close(fd);
}

static void keys_of_entries(void **state)
{
    enum { HEADER = 32, KEY_BYTES = 8 }; /* comp/cache.c, Header */
    NEED_MAKER;
    Buf want = {0};
    u64 len;
    each_entry(remove_it);
    Maker *m = maker_open("base");
    must_make(m);
    assert_int_equal(each_entry(read_it), 1);
    expected_key(&want);
    memcpy(&len, entry.data + KEY_BYTES, sizeof len);
    assert_true(len <= entry.len - HEADER);
    if (len != want.len || memcmp(want.data, entry.data + HEADER, len))
        fail_msg("%.*s\nis the key, not\n%.*s", (int)len, (const char *)entry.data + HEADER,
                 (int)want.len, (const char *)want.data);
    buf_free(&entry);
    buf_free(&want);
    maker_close(m);
}

static char kept[400]; /* the path of an entry */
static void keep_path(const char *path) { snprintf(kept, sizeof kept, "%s", path); }

/* What is on the disk costs nothing and starts nothing. */
static void costs(void **state)
{
    NEED_MAKER;
    MakerCost cost;
    each_entry(remove_it);
    Maker *m = maker_open("base");
    assert_false(can_find(m, HELPER, &cost));
    wait_for_makers(0);
    assert_true(make(m, HELPER, &cost));
    assert_true(!cost.cached && cost.nanoseconds > 0);
    assert_true(can_find(m, HELPER, &cost));
    assert_true(cost.cached && !cost.nanoseconds);
    assert_false(can_find(m, OTHER, &cost));
    maker_close(m);
    wait_for_makers(0);
    m = maker_open("base");
    assert_true(make(m, HELPER, &cost));
    assert_true(cost.cached && !cost.nanoseconds);
    assert_int_equal(makers(0), 0);
    maker_close(m);
    /* but for what it calls, if that is not there */
    assert_int_equal(each_entry(keep_path), 1);
    m = maker_open("base");
    assert_true(make(m, OTHER, &cost) && !cost.cached);
    maker_close(m);
    assert_int_equal(unlink(kept), 0);
    m = maker_open("base");
    assert_true(make(m, OTHER, &cost));
    assert_true(cost.cached && cost.nanoseconds > 0);
    maker_close(m);
    m = maker_open("base");
    assert_true(make(m, OTHER, &cost));
    assert_true(cost.cached && !cost.nanoseconds);
    maker_close(m);
    wait_for_makers(0);
    /* a request for another level is refused */
    each_entry(remove_it);
    m = maker_open("avx2");
    assert_false(make(m, HELPER, &cost));
    maker_close(m);
    wait_for_makers(0);
}

/* A secret is a file of 16 bytes that only its owner may read; without one nothing is kept or
 * found. */
static void secrets(void **state)
{
    static const struct {
        mode_t mode;
        u32 bytes;
        bool ok;
    } row[] = {
        {0600, 16, true},  {0400, 16, true},  {0700, 16, true},
        {0601, 16, false}, {0610, 16, false}, {0604, 16, false},
        {0600, 15, false}, {0600, 17, false}, {0600, 0, false},
    };
    NEED_MAKER;
    for (size_t i = 0; i < countof(row); i++) {
        static const u8 bytes[17] = {1, 2, 3};
        MakerCost cost;
        struct stat st;
        each_entry(remove_it);
        unlink(secret);
        const int fd = open(secret, O_WRONLY | O_CREAT | O_EXCL, 0600);
        assert_true(fd >= 0 && fd_write(fd, bytes, row[i].bytes) && !fchmod(fd, row[i].mode));
        close(fd);
        Maker *m = maker_open("base");
        assert_true(make(m, HELPER, &cost));
        assert_int_equal(each_entry(NULL), row[i].ok);
        assert_int_equal(can_find(m, HELPER, &cost), row[i].ok);
        maker_close(m);
        assert_int_equal(stat(secret, &st), 0); /* it was left alone */
        assert_true((st.st_mode & 07777) == row[i].mode && st.st_size == row[i].bytes);
    }
    unlink(secret);
}

/* Something else of that name is none either. */
static void secrets_that_are_no_files(void **state)
{
    NEED_MAKER;
    for (int i = 0; i < 2; i++) {
        MakerCost cost;
        each_entry(remove_it);
        unlink(secret);
        assert_int_equal(i ? mkdir(secret, 0700) : mkfifo(secret, 0600), 0);
        Maker *m = maker_open("base");
        assert_true(make(m, HELPER, &cost));
        assert_int_equal(each_entry(NULL), 0);
        maker_close(m);
        assert_int_equal(i ? rmdir(secret) : unlink(secret), 0);
    }
}

/* A secret is made where there is none, of bytes that nobody knows. */
static void secrets_are_made(void **state)
{
    NEED_MAKER;
    u8 bytes[2][17];
    for (int i = 0; i < 2; i++) {
        unlink(secret);
        maker_close(maker_open("base"));
        const int fd = open(secret, O_RDONLY);
        struct stat st;
        assert_true(fd >= 0 && !fstat(fd, &st));
        assert_int_equal(st.st_mode & 07777, 0600);
        assert_int_equal(read(fd, bytes[i], sizeof bytes[i]), 16);
        close(fd);
    }
    assert_memory_not_equal(bytes[0], bytes[1], 8);
    assert_memory_not_equal(bytes[0] + 8, bytes[1] + 8, 8);
    each_entry(remove_it);
    assert_int_equal(unlink(secret), 0);
    unlink(trimmed);
    assert_int_equal(entries_of(scratch), 3); /* the program; nothing else is left */
}

/* Of a secret that cannot be written nothing is left, and nothing is kept on the disk. */
static void secrets_that_do_not_fit(void **state)
{
    NEED_MAKER;
    struct rlimit was;
    unlink(secret);
    const int before = entries_of(scratch);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1, was.rlim_max}), 0);
    Maker *m = maker_open("base");
    setrlimit(RLIMIT_FSIZE, &was);
    signal(SIGXFSZ, old);
    assert_non_null(m);
    assert_false(maker_keeps(m));
    maker_close(m);
    assert_int_equal(entries_of(scratch), before);
}

/* A link to the maker that there is. */
static bool make_link(void)
{
    const char *given = getenv("VENTUS_JIT_PROGRAM");
    char *found = given && *given ? realpath(given, NULL) : NULL, *built = proc_find("ventus-jit1");
    const char *real = found ? found : built;
    const bool ok = real && !symlink(real, program) && !setenv("VENTUS_JIT_PROGRAM", program, 1);
    free(found);
    mem_free(built);
    return ok;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_started_when_needed),
        cmocka_unit_test(forks_have_their_own),
        cmocka_unit_test(forks_are_cancelled),
        cmocka_unit_test(cancelled_while_waiting),
        cmocka_unit_test(answers_requests),
        cmocka_unit_test(says_what_it_is),
        cmocka_unit_test(keys_of_entries),
        cmocka_unit_test(costs),
        cmocka_unit_test(secrets),
        cmocka_unit_test(secrets_that_are_no_files),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(is_started_again),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(secrets_that_do_not_fit),
        cmocka_unit_test(secrets_are_made),
    };
    remember_tests(tests, countof(tests), argv);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (!mkdtemp(scratch))
        return 1;
    snprintf(program, sizeof program, "%s/maker", scratch);
    snprintf(secret, sizeof secret, "%s/code-key-%u", scratch, (unsigned)geteuid());
    snprintf(trimmed, sizeof trimmed, "%s/trimmed", scratch);
    setenv("VENTUS_CACHE_DIR", scratch, 1);
    unsetenv("VENTUS_CACHE");
    const bool linked = make_link();
    const int bad = cmocka_run_group_tests(tests, NULL, NULL);
    each_entry(remove_it);
    unlink(trimmed);
    unlink(secret);
    if (linked)
        unlink(program);
    rmdir(scratch);
    return bad;
}
