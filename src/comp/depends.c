/* depends.c -- which files a compilation looked for, and what it found, as bytes: for each path its
 * kind, itself, bytes and hash of the contents (0 but for files that were read).
 *
 * Nothing else of the directory that it ran in reaches the result, so a path without one is looked
 * for in the directory of the process that asks again.
 *
 * A header that appears in a directory searched before the one where it was found changes the
 * program as much as a header that was edited; so the places where no file was found count too.
 */
#include "comp/bytes.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static u64 hash_of(u64 h, const u8 *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3;
    return h;
}

/* size and hash of an ordinary file; false: it is none, or it changed at *since or later (NULL: at
 * any time) */
static bool read_contents(const char *path, const struct timespec *since, u64 *size, u64 *hash)
{
    u8 part[4096];
    struct stat st;
    ssize_t n = -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    bool ok = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
              (!since || st.st_ctim.tv_sec < since->tv_sec ||
               (st.st_ctim.tv_sec == since->tv_sec && st.st_ctim.tv_nsec < since->tv_nsec));
    *size = 0;
    *hash = 0xcbf29ce484222325;
    while (ok && ((n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) {
            *hash = hash_of(*hash, part, (size_t)n);
            *size += (u64)n;
        }
    close(fd);
    return ok && n == 0;
}

/* what there is now at a path that was not read */
static FileKind look(const char *path)
{
    struct stat st;
    if (!stat(path, &st))
        return FILE_THERE;
    return errno == ENOENT || errno == ENOTDIR ? FILE_ABSENT : FILE_OTHER;
}

/* --- noting ------------------------------------------------------------------------------- */

static bool is_ours(const char *path) { return !strncmp(path, "/proc/self/fd/", 14); }

/* whether the log has the path before `end`, or as a file that was read anywhere */
static bool is_repeated(Bytes log, const u8 *entry)
{
    for (const u8 *p = log.data; p < log.data + log.len; p += strlen((const char *)p) + 1)
        if (p != entry && !strcmp((const char *)p + 1, (const char *)entry + 1) &&
            (*p == *entry ? p < entry : *p == FILE_READ))
            return true;
    return false;
}

static bool note_entry(const u8 *entry, const struct timespec *since, Buf *files)
{
    const char *path = (const char *)entry + 1;
    u64 size = 0, hash = 0;
    if (*entry == FILE_READ ? !read_contents(path, since, &size, &hash)
                            : *entry == FILE_OTHER || look(path) != (FileKind)*entry)
        return false;
    put_number(files, *entry, 4);
    put_text(files, path);
    put_number(files, size, 8);
    put_number(files, hash, 8);
    return true;
}

bool files_note(Bytes log, const struct timespec *since, Buf *files)
{
    if (log.len && log.data[log.len - 1])
        return false;
    for (const u8 *p = log.data; p < log.data + log.len; p += strlen((const char *)p) + 1)
        if (!*p ||
            (!is_ours((const char *)p + 1) && !is_repeated(log, p) && !note_entry(p, since, files)))
            return false;
    return !files->failed;
}

/* --- looking again ------------------------------------------------------------------------ */

static bool holds(In *in)
{
    const u64 kind = get_number(in, 4);
    const char *path = get_text(in);
    const u64 size = get_number(in, 8), hash = get_number(in, 8);
    u64 size_now, hash_now;
    if (in->failed)
        return false;
    if (kind != FILE_READ)
        return look(path) == (FileKind)kind;
    return read_contents(path, NULL, &size_now, &hash_now) && size_now == size && hash_now == hash;
}

bool files_hold(Bytes files)
{
    In in = {files.data, files.len, false};
    bool ok = true;
    while (ok && in.left)
        ok = holds(&in);
    return ok;
}
