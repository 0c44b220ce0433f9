/* mem.h -- allocation.
 *
 * Every allocation of the libraries goes through here, so that the hostile
 * build can poison memory and fail the nth request.  All return NULL when
 * there is no memory; callers report it, nothing exits.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H
#include "base/base.h"

void *mem_alloc(size_t size);                           /* contents undefined */
void *mem_zalloc(size_t n, size_t size);                /* zeroed; checks n * size */
void *mem_realloc(void *old, size_t n, size_t size);     /* old stays valid on NULL */
void mem_free(void *p);                                 /* NULL is allowed */
#ifdef HOSTILE
size_t mem_live(void);     /* blocks that are not freed yet */
size_t mem_requests(void); /* made so far, those that failed too */
#endif
char *mem_strndup(const char *s, size_t len);
char *mem_strdup(const char *s);
/* Whether the name of a file ends so. */
bool has_suffix(const char *file, const char *suffix);

/* A growable byte string.  When it runs out of memory, `failed` is set, and all later
 * operations do nothing.  A zeroed Buf is empty.  data is always followed by a NUL
 * once anything was put, so text can be used as a string. */
typedef struct {
    u8 *data;
    size_t len, cap; /* bytes */
    bool failed;
} Buf;

bool buf_reserve(Buf *b, size_t more); /* room for `more` bytes after len */
void buf_put(Buf *b, const void *bytes, size_t len);
void buf_fill(Buf *b, u8 byte, size_t len);
void buf_str(Buf *b, const char *s);
void buf_printf(Buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_free(Buf *b); /* leaves an empty Buf */

/* The contents as a string; "" of an empty Buf. */
static inline const char *buf_text(const Buf *b) { return b->data ? (const char *)b->data : ""; }

/* Makes room for one more element in a growing array `a` of `n` elements with
 * capacity `cap`; false when out of memory. */
#define array_grow(a, n, cap)                                                                      \
    ((size_t)(n) < (size_t)(cap) || array_grow_((void **)&(a), &(cap), sizeof *(a)))
bool array_grow_(void **a, size_t *cap, size_t size);
#endif
