/* container.c -- program binaries.
 *
 *     8  "VENTUSCL"
 *     4  version of this form
 *     4  what is inside: 1 compiled, 2 library, 3 executable; and 256 for bitcode of OpenCL C 2.0 or
 *        later, what is linked of which may have smaller last groups
 *     8  bytes of the contents
 *     8  checksum of the contents and of what is inside
 *     32 the compiler's target, which must be the same when it is read: text, padded with NUL
 *     contents: LLVM bitcode, or an ELF image
 *
 * Numbers are little-endian.  An ELF image without this envelope is taken as an executable.
 */
#include "cl/cl.h"
#include <string.h>

enum { FORM = 2, HEADER = 64, NAME = 32, LATER = 256 };
static const char target[NAME] = "ventus " VERSION;

static u64 get(const u8 *p, int bytes)
{
    u64 v = 0;
    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static void put(Buf *b, u64 v, int bytes)
{
    for (int i = 0; i < bytes; i++, v >>= 8)
        buf_put(b, &(u8){(u8)v}, 1);
}

/* FNV-1a */
static u64 checksum(u64 inside, const u8 *p, size_t n)
{
    u64 h = 0xcbf29ce484222325 ^ inside;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3;
    return h;
}

void container_write(Content content, const Build *b, Buf *out)
{
    const u32 inside = content | (b->is_later ? LATER : 0);
    buf_put(out, "VENTUSCL", 8);
    put(out, FORM, 4);
    put(out, inside, 4);
    put(out, b->bytes.len, 8);
    put(out, checksum(inside, b->bytes.data, b->bytes.len), 8);
    buf_put(out, target, NAME);
    buf_put(out, buf_text(&b->bytes), b->bytes.len);
}

Content container_read(const void *binary, size_t size, const u8 **bytes, size_t *n, bool *is_later)
{
    const u8 *p = binary;
    *bytes = p;
    *n = size;
    *is_later = false;
    if (size >= 4 && !memcmp(p, "\177ELF", 4))
        return CONTENT_IMAGE;
    if (size < HEADER || memcmp(p, "VENTUSCL", 8) || get(p + 8, 4) != FORM ||
        memcmp(p + 32, target, NAME))
        return CONTENT_NONE;
    const u64 inside = get(p + 12, 4), content = inside & ~(u64)LATER, length = get(p + 16, 8);
    if (content < CONTENT_BITCODE || content > CONTENT_IMAGE || length != size - HEADER ||
        get(p + 24, 8) != checksum(inside, p + HEADER, length))
        return CONTENT_NONE;
    *bytes = p + HEADER;
    *n = length;
    *is_later = inside & LATER;
    return (Content)content;
}
