/* bytes.h -- numbers, texts and bytes of the messages in request.h. */
#ifndef COMP_BYTES_H
#define COMP_BYTES_H
#include "comp/request.h"
#include <string.h>

/* Where something is read; after a failure everything is 0 and empty. */
typedef struct {
    const u8 *p;
    size_t left;
    bool failed;
} In;

/* Reads an unsigned number of so many bytes, little-endian. */
static inline u64 get_number(In *in, u32 bytes)
{
    u64 v = 0;
    if (in->left < bytes) {
        in->failed = true;
        in->left = 0;
        return 0;
    }
    for (u32 i = 0; i < bytes; i++)
        v |= (u64)in->p[i] << 8 * i;
    in->p += bytes;
    in->left -= bytes;
    return v;
}

/* Reads bytes with their length before them; they stay where they are. */
static inline Bytes get_bytes(In *in)
{
    const u64 len = get_number(in, 8);
    if (in->failed || len > in->left) {
        in->failed = true;
        in->left = 0;
        return (Bytes){(const u8 *)"", 0};
    }
    const Bytes b = {in->p, (size_t)len};
    in->p += len;
    in->left -= (size_t)len;
    return b;
}

/* Reads a text, which has no NUL but the one at its end; it stays where it is. */
static inline const char *get_text(In *in)
{
    const Bytes b = get_bytes(in);
    if (in->failed || !in->left || b.data[b.len] || memchr(b.data, 0, b.len)) {
        in->failed = true;
        in->left = 0;
        return "";
    }
    in->p++;
    in->left--;
    return (const char *)b.data;
}

/* Appends what get_number(), get_bytes() and get_text() read. */
static inline void put_number(Buf *b, u64 v, u32 bytes)
{
    for (u32 i = 0; i < bytes; i++)
        buf_put(b, &(u8){(u8)(v >> 8 * i)}, 1);
}

static inline void put_bytes(Buf *b, const void *data, size_t len)
{
    put_number(b, len, 8);
    buf_put(b, len ? data : "", len);
}

static inline void put_text(Buf *b, const char *text)
{
    put_bytes(b, text, strlen(text));
    buf_put(b, "", 1);
}
#endif
