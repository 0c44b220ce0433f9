/* listen_test.c -- sockets on which gdb is waited for, from the other side: ports and paths, bytes
 * in both directions, and what is left of them.
 */
#include "dbg/debugger.h"
#include "test/kit/leftover.h"
#include "test/kit/objects.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

enum { MANY = 1 << 18 };

static const _Atomic u32 interrupts;

static void hear(void *self, const char *text) { buf_str(self, text); }

static u16 port_of(const Debugger *d)
{
    struct sockaddr_in a;
    socklen_t n = sizeof a;
    assert_int_equal(getsockname(d->listener, (struct sockaddr *)&a, &n), 0);
    assert_int_equal(ntohl(a.sin_addr.s_addr), INADDR_LOOPBACK); /* nobody else may ask */
    return ntohs(a.sin_port);
}

static int connect_to_port(u16 port)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    assert_true(fd >= 0 && !connect(fd, (const struct sockaddr *)&a, sizeof a));
    return fd;
}

static int connect_to_path(const char *path)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strcpy(a.sun_path, path);
    assert_true(fd >= 0 && !connect(fd, (const struct sockaddr *)&a, sizeof a));
    return fd;
}

static Debugger *listen_at(const char *address, Buf *notice)
{
    Caught c;
    catch_in(&c);
    Debugger *d = dbg_listen(address, hear, notice, &c.d);
    if (!d)
        fail_msg("%s", buf_text(&c.text));
    buf_free(&c.text);
    return d;
}

static void must_fail(const char *address, int why)
{
    Caught c;
    char want[300];
    catch_in(&c);
    assert_null(dbg_listen(address, hear, NULL, &c.d));
    snprintf(want, sizeof want, "gdb cannot be waited for at %s: %s", address, strerror(why));
    assert_non_null(strstr(buf_text(&c.text), want));
    buf_free(&c.text);
}

/* Bytes go both ways, one end may be faster, and the end is told. */
static void speak(Debugger *d, int fd)
{
    static char sent[MANY], got[MANY];
    const DbgStream *s = &d->wire.stream;
    char c[8] = "";
    assert_int_equal(s->read(s->self, c, sizeof c, 0), 0); /* nothing yet */
    assert_int_equal(send(fd, "abc", 3, 0), 3);
    assert_int_equal(s->read(s->self, c, 2, 1000), 2);
    assert_memory_equal(c, "ab", 2);
    assert_int_equal(s->read(s->self, c, sizeof c, 1000), 1);
    assert_int_equal(c[0], 'c');
    for (u32 i = 0; i < MANY; i++)
        sent[i] = (char)(i * 7 + (i >> 8));
    for (u32 at = 0; at < MANY; at += MANY / 16) {
        assert_true(s->write(s->self, sent + at, MANY / 16));
        assert_int_equal(recv(fd, got + at, MANY / 16, MSG_WAITALL), MANY / 16);
    }
    assert_memory_equal(got, sent, MANY);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    assert_int_equal(s->read(s->self, c, sizeof c, 1000), -1);
}

static void ignore(int signal) { (void)signal; }

typedef struct {
    int fd;
    char *got;
} Slow;

static void *read_slowly(void *slow)
{
    enum { STEP = MANY / 32 };
    const Slow *s = slow;
    for (u32 at = 0; at < MANY; at += STEP) {
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
        if (recv(s->fd, s->got + at, STEP, MSG_WAITALL) != STEP)
            break;
    }
    return NULL;
}

/* Of what signals interrupt the rest is written, once. */
static void write_despite_signals(Debugger *d, int fd)
{
    static char sent[MANY], got[MANY];
    const DbgStream *s = &d->wire.stream;
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    const int small = 4096;
    struct sigaction act = {.sa_handler = ignore}, was;
    sigset_t alarm;
    pthread_t reader;
    for (u32 i = 0; i < MANY; i++)
        sent[i] = (char)(i * 5 + (i >> 8));
    assert_int_equal(
        setsockopt((int)(intptr_t)s->self, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigaction(SIGALRM, &act, &was);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* the reader is not interrupted */
    assert_int_equal(pthread_create(&reader, NULL, read_slowly, &(Slow){fd, got}), 0);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    const bool ok = s->write(s->self, sent, MANY);
    setitimer(ITIMER_REAL, &never, NULL);
    if (!ok)
        shutdown(fd, SHUT_RD);
    pthread_join(reader, NULL);
    sigaction(SIGALRM, &was, NULL);
    assert_true(ok);
    assert_memory_equal(got, sent, MANY);
}

static bool flag_of(const Debugger *d, int level, int name)
{
    int value = 0;
    socklen_t n = sizeof value;
    assert_int_equal(getsockopt((int)(intptr_t)d->wire.stream.self, level, name, &value, &n), 0);
    return value != 0;
}

static bool is_inherited(int fd) { return !(fcntl(fd, F_GETFD) & FD_CLOEXEC); }

/* The port is free again at once, also after this side has closed the connection. */
static void ports_are_used_again(void **state)
{
    char address[16] = "0", want[80];
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        Buf notice = {0};
        Debugger *d = listen_at(address, &notice);
        const u16 port = port_of(d);
        assert_false(is_inherited(d->listener));
        snprintf(address, sizeof address, "%u", port);
        must_fail(address, EADDRINUSE);
        const int fd = connect_to_port(port);
        assert_true(wait_for_gdb(d, &interrupts));
        snprintf(want, sizeof want,
                 "waiting for gdb: gdb-multiarch -ex 'target remote 127.0.0.1:%u'", port);
        assert_string_equal(buf_text(&notice), want);
        assert_true(d->connected && d->listener == -1);
        assert_false(is_inherited((int)(intptr_t)d->wire.stream.self));
        assert_true(flag_of(d, IPPROTO_TCP, TCP_NODELAY)); /* answers are short */
        if (i == 2)
            write_despite_signals(d, fd);
        if (i)
            speak(d, fd);
        dbg_close(d, 0);
        char c;
        assert_true(recv(fd, &c, 1, 0) <= 0);
        close(fd);
        buf_free(&notice);
    }
}

static void paths_are_removed(void **state)
{
    char dir[] = "/tmp/listen_test.XXXXXX", path[64], want[120];
    struct stat s;
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/socket", dir);
    snprintf(want, sizeof want, "waiting for gdb: gdb-multiarch -ex 'target remote %s'", path);
    for (u32 i = 0; i < 3; i++) {
        Buf notice = {0};
        Debugger *d = listen_at(path, &notice);
        assert_true(!stat(path, &s) && S_ISSOCK(s.st_mode));
        assert_false(is_inherited(d->listener));
        must_fail(path, EADDRINUSE);
        if (i < 2) {
            const int fd = connect_to_path(path);
            assert_true(wait_for_gdb(d, &interrupts));
            assert_string_equal(buf_text(&notice), want);
            assert_true(stat(path, &s) && errno == ENOENT);
            if (i)
                speak(d, fd);
            close(fd);
            assert_false(d->wire.stream.write(d->wire.stream.self, want, sizeof want) &&
                         d->wire.stream.write(d->wire.stream.self, want, sizeof want));
        }
        dbg_close(d, 0); /* the third time nobody has come */
        assert_true(stat(path, &s) && errno == ENOENT);
        buf_free(&notice);
    }
    assert_int_equal(rmdir(dir), 0);
}

static void addresses_are_refused(void **state)
{
    struct sockaddr_un a;
    char path[sizeof a.sun_path + 20];
    (void)state;
    must_fail("65536", ERANGE);
    must_fail("99999999999999999999", ERANGE);
    must_fail("/nowhere/at/all", ENOENT);
    memset(path, 'x', sizeof path);
    memcpy(path, "/nowhere/", 9);
    path[sizeof a.sun_path] = '\0';
    must_fail(path, ENAMETOOLONG);
    path[sizeof a.sun_path - 1] = '\0';
    must_fail(path, ENOENT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(ports_are_used_again),
        cmocka_unit_test(paths_are_removed),
        cmocka_unit_test(addresses_are_refused),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
