/* packet.c -- packets of the remote protocol.  What comes from the stream is hostile. */
#include "dbg/packet.h"
#include <stdio.h>
#include <string.h>

enum { INTERRUPT = 3, ESCAPE = '}', ESCAPED = 0x20, WAIT = 500 /* milliseconds */ };

/* The next byte, waiting at most so long; negative: there is none, or the connection is gone. */
static int next_byte(Wire *w, int milliseconds)
{
    if (w->at == w->n && !w->gone) {
        const int n = w->stream.read(w->stream.self, w->in, sizeof w->in, milliseconds);
        w->gone |= n < 0;
        w->at = 0;
        w->n = n > 0 ? (size_t)n : 0;
    }
    return w->at < w->n ? w->in[w->at++] : -1;
}

static int wait_byte(Wire *w)
{
    int c;
    while ((c = next_byte(w, WAIT)) < 0 && !w->gone)
        ;
    return c;
}

static int digit(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static void answer(Wire *w, const char *sign)
{
    if (!w->no_acks && !w->stream.write(w->stream.self, sign, 1))
        w->gone = true;
}

/* The bytes from behind '$' to '#', and their sum; false: a new packet began, it is too long, or
 * the connection is gone. */
static bool receive_body(Wire *w, Buf *text, u8 *sum)
{
    bool escaped = false;
    text->len = 0;
    *sum = 0;
    for (int c; (c = wait_byte(w)) >= 0;) {
        if (c == '#' && !escaped)
            return !text->failed;
        if (c == '$' || text->len == MOST_PACKET)
            return false;
        *sum = (u8)(*sum + c);
        if (c == ESCAPE && !escaped) {
            escaped = true;
            continue;
        }
        const u8 byte = (u8)(escaped ? c ^ ESCAPED : c);
        buf_put(text, &byte, 1);
        escaped = false;
    }
    return false;
}

bool wire_receive(Wire *w, Buf *text)
{
    while (!w->gone && !text->failed) {
        u8 sum;
        const int c = wait_byte(w);
        if (c == INTERRUPT)
            w->interrupt = true;
        if (c != '$')
            continue;
        if (!receive_body(w, text, &sum)) {
            answer(w, "-");
            continue;
        }
        const int high = digit(wait_byte(w)), low = digit(wait_byte(w));
        const bool right = high >= 0 && low >= 0 && (high << 4 | low) == sum;
        answer(w, right ? "+" : "-");
        if (right) {
            buf_put(text, "", 1); /* texts may be read up to their NUL */
            text->len -= !text->failed;
            return !text->failed;
        }
    }
    return false;
}

void wire_send(Wire *w, const void *bytes, size_t size)
{
    const u8 *from = bytes;
    Buf out = {0};
    u8 sum = 0;
    buf_str(&out, "$");
    for (size_t i = 0; i < size; i++) {
        const bool special = strchr("$#}*", from[i]) && from[i];
        const u8 byte[2] = {ESCAPE, from[i] ^ ESCAPED};
        buf_put(&out, special ? byte : &from[i], special ? 2 : 1);
    }
    for (size_t i = 1; i < out.len; i++)
        sum = (u8)(sum + out.data[i]);
    buf_printf(&out, "#%02x", sum);
    if (out.failed || !w->stream.write(w->stream.self, out.data, out.len))
        w->gone = true;
    buf_free(&out);
}

bool wire_interrupted(Wire *w)
{
    const int c = next_byte(w, 0);
    if (c >= 0 && c != INTERRUPT)
        w->at--; /* of a packet, which has to wait */
    const bool was = w->interrupt || c == INTERRUPT;
    w->interrupt = false;
    return was;
}

void hex_put(Buf *to, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        buf_printf(to, "%02x", ((const u8 *)bytes)[i]);
}

bool hex_number(const char **text, u64 *value)
{
    const char *p = *text;
    *value = 0;
    for (; digit(*p) >= 0; p++) {
        if (*value >> 60)
            return false;
        *value = *value << 4 | (u32)digit(*p);
    }
    const bool found = p > *text;
    *text = p;
    return found;
}

bool hex_bytes(const char *text, const char *end, Buf *to, size_t most)
{
    for (size_t n = 0; text < end; text += 2, n++) {
        if (end - text < 2 || digit(text[0]) < 0 || digit(text[1]) < 0 || n == most)
            return false;
        const u8 byte = (u8)(digit(text[0]) << 4 | digit(text[1]));
        buf_put(to, &byte, 1);
    }
    return !to->failed;
}
