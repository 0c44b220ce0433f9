/* wire.c -- calls with their descriptors, over a socket. */
#include "proc/wire.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int proc_send_call(int to, const int fd[], u32 nfd, const ProcCall *call)
{
    ProcCall copy = *call; /* sendmsg() takes no constants */
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(CALL_MAX * sizeof(int))];
    } rights = {0};
    struct iovec part = {&copy, sizeof copy};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &rights,
                       .msg_controllen = CMSG_SPACE(nfd * sizeof(int))};
    rights.head = (struct cmsghdr){CMSG_LEN(nfd * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&rights.head), fd, nfd * sizeof *fd);
    while (sendmsg(to, &m, MSG_NOSIGNAL) < 0)
        if (errno == ECONNRESET || errno == ENOTCONN || errno == ECONNREFUSED)
            return EPIPE;
        else if (errno != EINTR)
            return errno;
    return 0;
}

ssize_t proc_receive_call(int from, ProcReceived *r, bool *whole)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof r->fd)];
    } rights = {0};
    struct iovec part = {&r->call, sizeof r->call};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &rights,
                       .msg_controllen =
                           CMSG_LEN(sizeof r->fd)}; /* padding would let in one more */
    const ssize_t len = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    r->n = 0;
    if (len <= 0)
        return len;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        r->n = (u32)((c->cmsg_len - CMSG_LEN(0)) / sizeof *r->fd);
        memcpy(r->fd, CMSG_DATA(c), r->n * sizeof *r->fd);
    }
    *whole = len == sizeof r->call && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) &&
             r->n >= CALL_FILES && r->n == CALL_FILES + r->call.nfiles;
    return 1;
}
