/* clang_job.c -- in the process that becomes clang: the command, and headers as files. */
#include "ll/clang_job.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const char *p, size_t len)
{
    while (len) {
        const ssize_t n = write(fd, p, len);
        if (n <= 0 && errno != EINTR)
            return false;
        p += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Descriptors are given out from the lowest, so the headers get theirs in order. */
static bool make_headers(const char *p, const char *end, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        u64 size;
        if ((size_t)(end - p) < sizeof size)
            return false;
        memcpy(&size, p, sizeof size);
        p += sizeof size;
        if (size > (u64)(end - p))
            return false;
        const int fd = memfd_create("header", 0);
        if (fd != CLANG_HEADERS + (int)i || !write_all(fd, p, size) || lseek(fd, 0, SEEK_SET))
            return false;
        p += size;
    }
    return true;
}

char **clang_job_read(int *argc)
{
    struct stat st;
    u32 count[2];
    if (fstat(CLANG_JOB, &st) || (size_t)st.st_size < sizeof count)
        return NULL;
    /* stays for the whole life of the process: argv points into it */
    char *p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, CLANG_JOB, 0);
    if (p == MAP_FAILED)
        return NULL;
    const char *end = p + st.st_size;
    memcpy(count, p, sizeof count);
    p += sizeof count;
    char **argv = calloc((size_t)count[0] + 1, sizeof *argv);
    for (u32 i = 0; argv && i < count[0]; i++) {
        char *nul = memchr(p, 0, (size_t)(end - p));
        if (!nul)
            return NULL;
        argv[i] = p;
        p = nul + 1;
    }
    *argc = (int)count[0];
    errno = EMFILE;
    return argv && make_headers(p, end, count[1]) ? argv : NULL;
}
