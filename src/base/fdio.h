/* fdio.h -- whole files through descriptors. */
#ifndef BASE_FDIO_H
#define BASE_FDIO_H
#include "base/mem.h"

/* Appends the contents of an ordinary file from its beginning, whatever the descriptor's offset, if
 * they are `most` bytes or fewer.  False: it is longer, no ordinary file, or cannot be read
 * (errno). */
bool fd_read(int fd, u64 most, Buf *to);
/* Writes at the descriptor's offset.  False: errno says why. */
bool fd_write(int fd, const void *bytes, size_t len);
#endif
