/* fuzz_reply.c -- any bytes as a reply of the compiler's process (or an entry of the cache), and as
 * a request to it: what is read is written again and must be the same. */
#include "comp/request.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len);

static void check(const Buf *again, const u8 *bytes, size_t len)
{
    if (again->len != len || memcmp(again->data, bytes, len) != 0)
        bug("what was read is not what was written");
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len)
{
    Buf log = {0}, again = {0};
    Diag d = {.sink = diag_to_buf, .to = &log};
    Reply r;
    Request q;
    if (reply_read(bytes, len, &r)) {
        reply_tell(&r, &d);
        files_hold(r.files);
        reply_write(&r, &again);
        check(&again, bytes, len);
    }
    again.len = 0;
    if (request_read(bytes, len, &q)) {
        request_write(&q, &again, &again);
        check(&again, bytes, len);
        request_free(&q);
    }
    files_hold((Bytes){bytes, len});
    buf_free(&log);
    buf_free(&again);
    return 0;
}
