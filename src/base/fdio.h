/* fdio.h -- whole files through descriptors. */
#ifndef BASE_FDIO_H
#define BASE_FDIO_H
#include "base/mem.h"

/* Appends what an ordinary file holds from its beginning, wherever its offset is, if that is `most` bytes or
 * fewer.  False: it is more, no ordinary file, or cannot be read (errno). */
bool fd_read(int fd, u64 most, Buf *to);
/* Writes at the descriptor's offset.  False: errno says why. */
bool fd_write(int fd, const void *bytes, size_t len);
#endif
