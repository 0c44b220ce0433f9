/* fdio.c -- whole files through descriptors. */
#include "base/fdio.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

bool fd_read(int fd, u64 most, Buf *to)
{
    struct stat st;
    if (fstat(fd, &st))
        return false;
    errno = S_ISREG(st.st_mode) ? (u64)st.st_size > most ? EFBIG : ENOMEM : EINVAL;
    if (!S_ISREG(st.st_mode) || (u64)st.st_size > most || !buf_reserve(to, (size_t)st.st_size + 1))
        return false;
    for (off_t at = 0; at < st.st_size;) {
        const ssize_t n = pread(fd, to->data + to->len, (size_t)(st.st_size - at), at);
        if (n == 0)
            errno = EIO; /* it has become shorter */
        if (n <= 0 && (n == 0 || errno != EINTR))
            return false;
        to->len += n > 0 ? (size_t)n : 0;
        at += n > 0 ? n : 0;
    }
    to->data[to->len] = 0;
    return true;
}

bool fd_write(int fd, const void *bytes, size_t len)
{
    for (const u8 *p = bytes; len;) {
        const ssize_t n = write(fd, p, len);
        if (n < 0 && errno != EINTR)
            return false;
        p += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}
