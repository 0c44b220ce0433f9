/* mem.c -- allocation, buffers that grow, and the poisoned, failing variant of the hostile build.
 */
#include "base/mem.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HOSTILE
/* The hostile build fails the request whose number is in VENTUS_FAIL_ALLOC, poisons the memory that
 * it hands out, and counts the blocks that are not freed.  The counters are mutable globals, which
 * exist in this build alone. */
#include <stdatomic.h>
static atomic_ulong requests;
static atomic_size_t live;

size_t mem_live(void) { return atomic_load(&live); }
size_t mem_requests(void) { return atomic_load(&requests); }

static void *count(void *p)
{
    atomic_fetch_add(&live, p != NULL);
    return p;
}

static void discount(const void *p) { atomic_fetch_sub(&live, p != NULL); }

static bool refuse(void)
{
    const char *nth = getenv("VENTUS_FAIL_ALLOC");
    unsigned long n = atomic_fetch_add(&requests, 1) + 1;
    return nth && n == strtoul(nth, NULL, 10);
}

static void poison(void *p, size_t size)
{
    if (p)
        memset(p, 0xa5, size);
}
#else
static bool refuse(void) { return false; }
static void poison(void *p, size_t size) { (void)p, (void)size; }
static void *count(void *p) { return p; }
static void discount(const void *p) { (void)p; }
#endif

void *mem_alloc(size_t size)
{
    void *p = refuse() ? NULL : malloc(size ? size : 1);
    poison(p, size);
    return count(p);
}

void *mem_zalloc(size_t n, size_t size)
{
    return refuse() ? NULL : count(calloc(n ? n : 1, size ? size : 1));
}

void *mem_realloc(void *old, size_t n, size_t size)
{
    size_t bytes;
    if (refuse() || __builtin_mul_overflow(n, size, &bytes))
        return NULL;
    void *p = realloc(old, bytes ? bytes : 1);
    return old ? p : count(p);
}

void mem_free(void *p)
{
    discount(p);
    free(p);
}

char *mem_strndup(const char *s, size_t len)
{
    char *copy = mem_alloc(len + 1);
    if (copy) {
        memcpy(copy, s, len);
        copy[len] = 0;
    }
    return copy;
}

bool has_suffix(const char *file, const char *suffix)
{
    const size_t len = strlen(file), n = strlen(suffix);
    return len >= n && !strcmp(file + len - n, suffix);
}

char *mem_strdup(const char *s) { return mem_strndup(s, strlen(s)); }

bool buf_reserve(Buf *b, size_t more)
{
    size_t need, cap = b->cap;
    if (b->failed)
        return false;
    if (__builtin_add_overflow(b->len, more, &need) || need >= SIZE_MAX / 4) {
        b->failed = true;
        return false;
    }
    if (need < cap)
        return true;
    while (cap <= need)
        cap = cap ? cap * 2 : 64;
    u8 *data = mem_realloc(b->data, cap, 1);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

void buf_put(Buf *b, const void *bytes, size_t len)
{
    if (!buf_reserve(b, len))
        return;
    if (len)
        memcpy(b->data + b->len, bytes, len);
    b->len += len;
    b->data[b->len] = 0;
}

void buf_fill(Buf *b, u8 byte, size_t len)
{
    if (!buf_reserve(b, len))
        return;
    memset(b->data + b->len, byte, len);
    b->len += len;
    b->data[b->len] = 0;
}

void buf_str(Buf *b, const char *s) { buf_put(b, s, strlen(s)); }

void buf_printf(Buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int len = vsnprintf(NULL, 0, fmt, ap);
    if (len >= 0 && buf_reserve(b, (size_t)len + 1)) {
        vsnprintf((char *)b->data + b->len, (size_t)len + 1, fmt, again);
        b->len += (size_t)len;
    }
    va_end(again);
    va_end(ap);
}

void buf_free(Buf *b)
{
    mem_free(b->data);
    *b = (Buf){0};
}

bool array_grow_(void **a, size_t *cap, size_t size)
{
    size_t want = *cap ? *cap * 2 : 16;
    void *p = mem_realloc(*a, want, size);
    if (!p)
        return false;
    *a = p;
    *cap = want;
    return true;
}
