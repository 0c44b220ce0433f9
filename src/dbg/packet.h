/* packet.h -- packets of gdb's remote protocol over a stream: $text#sum, acknowledged until gdb
 * asks not to. */
#ifndef DBG_PACKET_H
#define DBG_PACKET_H
#include "base/mem.h"
#include "dbg/dbg.h"

enum { MOST_PACKET = 1 << 14 }; /* bytes of a packet from gdb */

/* One connection. */
typedef struct {
    DbgStream stream;
    u8 in[1024];            /* bytes that were read and not used yet */
    size_t at, n;
    bool no_acks, gone;
    bool interrupt;         /* the byte 3 came */
} Wire;

/* Waits for a packet; *text is its bytes without escapes.  False: the connection is gone. */
bool wire_receive(Wire *w, Buf *text);
/* Sends a packet of these bytes, escaped. */
void wire_send(Wire *w, const void *bytes, size_t size);
/* Whether gdb wants the program to stop; does not wait. */
bool wire_interrupted(Wire *w);

/* Bytes as pairs of digits, appended. */
void hex_put(Buf *to, const void *bytes, size_t size);
/* Reads a hexadecimal number; moves *text behind it.  False: there is none, or it has more than 64
 * bits. */
bool hex_number(const char **text, u64 *value);
/* Reads at most `most` bytes from pairs of digits up to `end`; false: malformed or too many. */
bool hex_bytes(const char *text, const char *end, Buf *to, size_t most);
#endif
