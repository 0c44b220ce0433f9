/* cache.c -- finished compilations on disk.
 *
 * An entry is a file named by a hash of its key:
 *
 *     magic, bytes of key, bytes of value, hash of both, key, value
 *
 * The whole key is in the entry and compared, so that two keys with the same hash only cause a
 * miss. Entries are written under another name and then renamed, so that readers see a whole entry
 * or none, however many processes write.  A file that is damaged, or no ordinary file, is a miss.
 *
 * Once in TRIM_SECONDS, by the time of the file `trimmed`, a writer looks through the directory. It
 * removes what killed writers have left behind and, if there are more than LIMIT bytes, the entries
 * that have not been used for longest.
 */
#include "comp/cache.h"
#include "base/fdio.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAGIC = 0x33435456 /* "VTC3" */, MAX_ENTRIES = 65536, NAME = 32 };
enum { TRIM_SECONDS = 60, ABANDONED_SECONDS = 600 };
static const u64 LIMIT = (u64)256 << 20; /* bytes of a directory */
static const char suffix[] = ".ventus", temporary_name[] = "ventus-XXXXXX", trimmed[] = "trimmed";

typedef struct {
    u32 magic, reserved;
    u64 key, value, hash;
} Header;

/* FNV-1a is enough: the key is compared anyway, and damage is not an attack */
static u64 hash_of(u64 h, const void *bytes, size_t len)
{
    const u8 *p = bytes;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 0x100000001b3;
    return h;
}

static const u64 HASH_START = 0xcbf29ce484222325;

/* --- entries --------------------------------------------------------------------------- */

/* Paths are not on the stack, which may be small where an engine keeps what it has compiled. */
static const char *path_of(Buf *path, const char *dir, const Buf *key)
{
    const u64 h = hash_of(HASH_START, key->data, key->len);
    buf_printf(path, "%s/%016jx%s", dir, (uintmax_t)h, suffix);
    return buf_text(path);
}

static bool read_entry(const char *path, Buf *to)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const bool ok = fd >= 0 && fd_read(fd, LIMIT, to);
    if (ok)
        futimens(fd, NULL); /* used now */
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool is_entry_of(const Buf *file, const Buf *key, Header *h)
{
    if (file->len < sizeof *h)
        return false;
    memcpy(h, file->data, sizeof *h);
    const size_t rest = file->len - sizeof *h;
    return h->magic == MAGIC && !h->reserved && h->key == key->len && h->key <= rest &&
           h->value == rest - h->key && !memcmp(file->data + sizeof *h, key->data, key->len) &&
           h->hash == hash_of(HASH_START, file->data + sizeof *h, rest);
}

bool cache_get(const char *dir, const Buf *key, Buf *out)
{
    Buf path = {0}, file = {0};
    Header h;
    const bool found = read_entry(path_of(&path, dir, key), &file) && is_entry_of(&file, key, &h);
    if (found)
        buf_put(out, file.data + sizeof h + h.key, (size_t)h.value);
    buf_free(&path);
    buf_free(&file);
    return found && !out->failed;
}

/* --- the limit ------------------------------------------------------------------------------ */

typedef struct {
    char name[NAME];
    u64 size;
    struct timespec used;
} Entry;

static int by_age(const void *a, const void *b)
{
    const struct timespec *s = &((const Entry *)a)->used, *t = &((const Entry *)b)->used;
    if (s->tv_sec != t->tv_sec)
        return s->tv_sec < t->tv_sec ? -1 : 1;
    return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

static bool is_temporary(const char *name)
{
    return strlen(name) == sizeof temporary_name - 1 &&
           !strncmp(name, temporary_name, sizeof temporary_name - 1 - 6);
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

/* Lists the entries, and removes abandoned files on the way. */
static size_t list_entries(DIR *d, Entry *list, u64 *total)
{
    const time_t now = time(NULL);
    size_t n = 0;
    for (struct dirent *e; n < MAX_ENTRIES && (e = readdir(d));) {
        struct stat st;
        const bool temporary = is_temporary(e->d_name);
        if ((!temporary && !ends_with(e->d_name, suffix)) || strlen(e->d_name) >= NAME ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        if (temporary && st.st_mtim.tv_sec + ABANDONED_SECONDS < now)
            unlinkat(dirfd(d), e->d_name, 0);
        if (temporary)
            continue;
        strcpy(list[n].name, e->d_name);
        list[n].size = (u64)st.st_size;
        list[n].used = st.st_mtim;
        *total += list[n++].size;
    }
    return n;
}

static void trim(const char *dir)
{
    DIR *d = opendir(dir);
    Entry *list = d ? mem_alloc(MAX_ENTRIES * sizeof *list) : NULL;
    u64 total = 0;
    const size_t n = list ? list_entries(d, list, &total) : 0;
    if (total > LIMIT) {
        qsort(list, n, sizeof *list, by_age);
        for (size_t i = 0; i < n && total > LIMIT / 4 * 3; i++) {
            unlinkat(dirfd(d), list[i].name, 0);
            total -= list[i].size;
        }
    }
    mem_free(list);
    if (d)
        closedir(d);
}

/* Whether it is time to trim; if so, touches `trimmed`, so that other writers leave it to this one.
 */
static bool begin_trim(const char *dir)
{
    Buf path = {0};
    struct stat st;
    buf_printf(&path, "%s/%s", dir, trimmed);
    const char *file = buf_text(&path);
    const bool is_soon =
        !lstat(file, &st) && S_ISREG(st.st_mode) && st.st_mtim.tv_sec + TRIM_SECONDS > time(NULL);
    const int fd =
        is_soon ? -1 : open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
    if (fd >= 0) {
        futimens(fd, NULL);
        close(fd);
    }
    buf_free(&path);
    return !is_soon;
}

/* --- writing ------------------------------------------------------------------------------ */

bool cache_make(const char *dir)
{
    char *path = mem_strdup(dir);
    for (char *p = path; p && *p; p++)
        if (p > path && *p == '/') {
            *p = 0;
            mkdir(path, 0777);
            *p = '/';
        }
    mem_free(path);
    return !mkdir(dir, 0777) || errno == EEXIST;
}

void cache_put(const char *dir, const Buf *key, const Buf *value)
{
    Header h = {.magic = MAGIC, .key = key->len, .value = value->len};
    Buf file = {0}, path = {0}, temporary = {0};
    h.hash = hash_of(hash_of(HASH_START, key->data, key->len), value->data, value->len);
    buf_put(&file, &h, sizeof h);
    buf_put(&file, key->data, key->len);
    buf_put(&file, value->data, value->len);
    path_of(&path, dir, key);
    buf_printf(&temporary, "%s/%s", dir, temporary_name);
    bool written = false;
    if (!file.failed && !path.failed && !temporary.failed && file.len <= LIMIT && cache_make(dir)) {
        char *name = (char *)temporary.data;
        const int fd = mkostemp(name, O_CLOEXEC);
        written = fd >= 0 && fd_write(fd, file.data, file.len);
        if (fd >= 0 && (close(fd) || !written || rename(name, buf_text(&path))))
            unlink(name);
    }
    buf_free(&file);
    buf_free(&path);
    buf_free(&temporary);
    if (written && begin_trim(dir))
        trim(dir);
}
