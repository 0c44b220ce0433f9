/* fuzz_replay.c -- replay files of any bytes: metadata and data, cut at the first 0xff.
 * What is read is written, and what was written reads as the same. */
#include "base/mem.h"
#include "drv/drv.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len);

static void check_same(const Replay *a, const Replay *b)
{
    if (a->nbuffers != b->nbuffers || memcmp(&a->record, &b->record, sizeof a->record))
        abort();
    for (size_t i = 0; i < a->nbuffers; i++) {
        const struct ReplayBuffer *x = &a->buffers[i], *y = &b->buffers[i];
        if (x->base != y->base || x->size != y->size || x->alloc != y->alloc || !x->data != !y->data ||
            (x->data && memcmp(x->data, y->data, align_up(x->size, 4))))
            abort();
    }
}

static void write_and_read(const Replay *r)
{
    Buf metadata = {0}, data = {0};
    Diag d = {0};
    Replay again;
    replay_write(r, &metadata, &data);
    if (!metadata.failed && !data.failed) {
        if (!replay_read("m", buf_text(&metadata), metadata.len, "d", buf_text(&data), data.len, &again,
                         &d) || d.warnings)
            abort();
        check_same(r, &again);
        replay_free(&again);
    }
    buf_free(&metadata);
    buf_free(&data);
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len)
{
    const u8 *cut = len ? memchr(bytes, 0xff, len) : NULL;
    const size_t mlen = cut ? (size_t)(cut - bytes) : len, dlen = cut ? len - mlen - 1 : 0;
    Buf text = {0};
    Diag d = {.sink = diag_to_buf, .to = &text};
    Replay r;
    const char *data = cut ? (const char *)cut + 1 : "";
    if (replay_read("m", (const char *)bytes, mlen, "d", data, dlen, &r, &d)) {
        write_and_read(&r);
        replay_free(&r);
    } else if (!d.errors) {
        abort();
    }
    buf_free(&text);
    return 0;
}
