/* listen.c -- the connection: a socket on which gdb is waited for, and the bytes on it. */
#include "dbg/debugger.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAIT = 200 }; /* milliseconds between looks at whether the launch was interrupted */

/* --- bytes ------------------------------------------------------------------------------------ */

static int fd_of(void *self) { return (int)(intptr_t)self; }

static int read_socket(void *self, void *to, size_t most, int milliseconds)
{
    struct pollfd p = {.fd = fd_of(self), .events = POLLIN};
    const int ready = poll(&p, 1, milliseconds);
    if (ready <= 0)
        return ready < 0 && errno != EINTR ? -1 : 0;
    const ssize_t n = recv(fd_of(self), to, most, 0);
    return n > 0 ? (int)n : n < 0 && errno == EINTR ? 0 : -1;
}

static bool write_socket(void *self, const void *bytes, size_t n)
{
    const char *from = bytes;
    while (n) {
        const ssize_t sent = send(fd_of(self), from, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        from += sent;
        n -= (size_t)sent;
    }
    return true;
}

static void close_socket(void *self) { close(fd_of(self)); }

/* --- listening -------------------------------------------------------------------------------- */

/* A number is a port, also one that is too large to be one. */
static bool is_port(const char *text, unsigned long *port)
{
    char *end;
    *port = strtoul(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end;
}

static int listen_at_port(unsigned long port)
{
    if (port > UINT16_MAX) {
        errno = ERANGE;
        return -1;
    }
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    const struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons((u16)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd >= 0 && !bind(fd, (const struct sockaddr *)&a, sizeof a) && !listen(fd, 1))
        return fd;
    const int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

static int listen_at_path(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof a.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(a.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !bind(fd, (const struct sockaddr *)&a, sizeof a) && !listen(fd, 1))
        return fd;
    const int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

/* the port in use, also where any was asked for */
static u16 port_of(int fd)
{
    struct sockaddr_in a;
    socklen_t n = sizeof a;
    return getsockname(fd, (struct sockaddr *)&a, &n) ? 0 : ntohs(a.sin_port);
}

static Debugger *debugger_new(void)
{
    Debugger *d = mem_zalloc(1, sizeof *d);
    if (!d)
        return NULL;
    pthread_mutex_init(&d->lock, NULL);
    d->listener = -1;
    d->thread = 1;
    return d;
}

Debugger *dbg_listen(const char *address, void (*notice)(void *self, const char *text), void *self,
                     Diag *messages)
{
    Debugger *d = debugger_new();
    unsigned long port;
    if (!d || !(d->address = mem_strdup(address))) {
        diag_no_memory(messages, NULL);
        mem_free(d);
        return NULL;
    }
    d->notice = notice;
    d->notice_self = self;
    if (is_port(address, &port)) {
        d->listener = listen_at_port(port);
    } else if ((d->listener = listen_at_path(address)) >= 0) {
        d->path = d->address;
    }
    if (d->listener >= 0)
        return d;
    error(messages, NULL, NULL, "gdb cannot be waited for at %s: %s", address, strerror(errno));
    dbg_close(d, 0);
    return NULL;
}

Debugger *dbg_open(const DbgStream *stream)
{
    Debugger *d = debugger_new();
    if (!d) {
        stream->close(stream->self);
        return NULL;
    }
    d->wire.stream = *stream;
    d->connected = true;
    return d;
}

Debugger *dbg_step(const DbgScreen *screen)
{
    Debugger *d = debugger_new();
    if (!d)
        return NULL;
    d->steps = true;
    d->screen = *screen;
    return d;
}

void stop_listening(Debugger *d)
{
    if (d->listener >= 0)
        close(d->listener);
    if (d->path)
        unlink(d->path);
    d->listener = -1;
    d->path = NULL;
}

bool wait_for_gdb(Debugger *d, const _Atomic u32 *interrupts)
{
    const u32 before = atomic_load(interrupts);
    struct pollfd p = {.fd = d->listener, .events = POLLIN};
    const int yes = 1;
    char text[300];
    if (d->path)
        snprintf(text, sizeof text, "waiting for gdb: gdb-multiarch -ex 'target remote %.200s'",
                 d->path);
    else
        snprintf(text, sizeof text,
                 "waiting for gdb: gdb-multiarch -ex 'target remote 127.0.0.1:%u'",
                 port_of(d->listener));
    if (d->notice)
        d->notice(d->notice_self, text);
    while (d->listener >= 0 && atomic_load(interrupts) == before) {
        const int ready = poll(&p, 1, WAIT);
        if (!ready || (ready < 0 && errno == EINTR))
            continue;
        const int fd = ready > 0 ? accept4(d->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd < 0)
            break;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* fails on other sockets */
        d->wire.stream = (DbgStream){(void *)(intptr_t)fd, read_socket, write_socket, close_socket};
        d->connected = true;
        stop_listening(d);
        return true;
    }
    return false;
}
