/* cache.c -- finished compilations on disk.
 *
 * An entry is a file named by a hash of its key:
 *
 *     magic, bytes of key, bytes of value, hash of both, key, value
 *
 * The whole key is in the entry and compared, so that two keys with one hash are only a
 * miss.  Entries are written beside their place and renamed into it: readers see a whole
 * entry or none, whoever else writes.  What is damaged is a miss.  When a directory
 * holds more than LIMIT bytes, the entries that were not used for longest go.
 */
#include "ll/cache.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef CLANG
#define CLANG "clang"
#endif

enum { MAGIC = 0x32435456 /* "VTC2" */, MAX_PATH = 4096, MAX_ENTRIES = 65536 };
static const u64 LIMIT = (u64)256 << 20; /* bytes of a directory */
static const char suffix[] = ".ventus";

typedef struct {
    u32 magic, reserved;
    u64 key, value, hash;
} Header;

/* FNV-1a: the key is compared anyway, and damage is not an attack */
static u64 hash_of(u64 h, const void *bytes, size_t len)
{
    const u8 *p = bytes;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 0x100000001b3;
    return h;
}

static const u64 HASH_START = 0xcbf29ce484222325;

const char *front_clang(const LlOptions *opt)
{
    const char *set = opt->clang ? opt->clang : getenv("VENTUS_CLANG");
    return set && *set ? set : CLANG;
}

/* --- keys --------------------------------------------------------------------------- */

static void put_part(Buf *key, const void *bytes, size_t len)
{
    buf_printf(key, "%zu:", len);
    buf_put(key, bytes, len);
}

static void put_text(Buf *key, const char *s) { put_part(key, s, strlen(s)); }

/* a program that changed has another size or time */
static void put_file(Buf *key, const char *path)
{
    struct stat st = {0};
    if (strchr(path, '/') && !stat(path, &st))
        buf_printf(key, "%jd.%jd.%ld:", (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
                   st.st_mtim.tv_nsec);
    put_text(key, path);
}

static bool may_include(const char *text, size_t len)
{
    return memmem(text, len, "include", 7) != NULL;
}

bool cache_key(const char *library, const char *source, size_t len, const LlOptions *opt, Buf *key)
{
    if (may_include(source, len) || opt->dump || opt->off)
        return false;
    put_text(key, "ventus " VERSION);
    put_file(key, library);
    buf_printf(key, "%d:%u:", (int)opt->output, opt->lds_limit);
    put_file(key, front_clang(opt));
    put_text(key, opt->name);
    for (size_t i = 0; i < opt->noptions; i++)
        put_text(key, opt->options[i]);
    put_part(key, source, len);
    return !key->failed;
}

/* --- entries --------------------------------------------------------------------------- */

static bool path_of(char path[MAX_PATH], const char *dir, const Buf *key)
{
    const u64 h = hash_of(HASH_START, key->data, key->len);
    const int n = snprintf(path, MAX_PATH, "%s/%016jx%s", dir, (uintmax_t)h, suffix);
    return n > 0 && n < MAX_PATH;
}

static bool read_file(const char *path, Buf *to)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char part[1 << 16];
    ssize_t n = -1;
    if (fd < 0)
        return false;
    while ((n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            buf_put(to, part, (size_t)n);
    if (n == 0)
        futimens(fd, NULL); /* used now */
    close(fd);
    return n == 0 && !to->failed;
}

static bool is_entry_of(const Buf *file, const Buf *key, Header *h)
{
    if (file->len < sizeof *h)
        return false;
    memcpy(h, file->data, sizeof *h);
    const size_t rest = file->len - sizeof *h;
    return h->magic == MAGIC && h->key == key->len && h->key <= rest && h->value == rest - h->key &&
           !memcmp(file->data + sizeof *h, key->data, key->len) &&
           h->hash == hash_of(HASH_START, file->data + sizeof *h, rest);
}

bool cache_get(const char *dir, const Buf *key, Buf *out)
{
    char path[MAX_PATH];
    Buf file = {0};
    Header h;
    const bool found =
        path_of(path, dir, key) && read_file(path, &file) && is_entry_of(&file, key, &h);
    if (found)
        buf_put(out, file.data + sizeof h + h.key, (size_t)h.value);
    buf_free(&file);
    return found && !out->failed;
}

static bool write_all(int fd, const Buf *b)
{
    for (size_t at = 0; at < b->len;) {
        const ssize_t n = write(fd, b->data + at, b->len - at);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* --- the limit ------------------------------------------------------------------------------ */

typedef struct {
    char name[32];
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

static size_t list_entries(DIR *d, Entry *list, u64 *total)
{
    size_t n = 0;
    for (struct dirent *e; n < MAX_ENTRIES && (e = readdir(d));) {
        struct stat st;
        if (!strstr(e->d_name, suffix) || strlen(e->d_name) >= sizeof list->name ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
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

/* the directory and those above it */
static bool make_directories(const char *dir)
{
    char path[MAX_PATH];
    if (snprintf(path, sizeof path, "%s", dir) >= MAX_PATH)
        return false;
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0777);
            *p = '/';
        }
    return !mkdir(path, 0777) || errno == EEXIST;
}

void cache_put(const char *dir, const Buf *key, const Buf *value)
{
    char path[MAX_PATH], temporary[MAX_PATH];
    Header h = {.magic = MAGIC, .key = key->len, .value = value->len};
    Buf file = {0};
    h.hash = hash_of(hash_of(HASH_START, key->data, key->len), value->data, value->len);
    buf_put(&file, &h, sizeof h);
    buf_put(&file, key->data, key->len);
    buf_put(&file, value->data, value->len);
    if (file.failed || !path_of(path, dir, key) || !make_directories(dir) ||
        snprintf(temporary, sizeof temporary, "%s/XXXXXX", dir) >= MAX_PATH) {
        buf_free(&file);
        return;
    }
    const int fd = mkostemp(temporary, O_CLOEXEC);
    const bool written = fd >= 0 && write_all(fd, &file);
    if (fd >= 0 && (close(fd) || !written || rename(temporary, path)))
        unlink(temporary);
    buf_free(&file);
    if (written && h.hash % 16 == 0) /* now and then */
        trim(dir);
}
