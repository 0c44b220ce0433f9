/* request_job.c -- in the process of a build: from the request to the reply. */
#include "ll/front.h"
#include "base/fdio.h"
#include "ll/ll.h"
#include <llvm-c/Core.h>
#include <string.h>
#include <unistd.h>

static bool describe(const Request *q, Buf *out)
{
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    buf_printf(out, "LLVM %u.%u.%u, %s", major, minor, patch, q->opt.clang);
    return !out->failed;
}

static void note_message(void *messages, DiagKind kind, const char *text)
{
    reply_note(messages, kind, text);
}

static Bytes bytes_of(const Buf *b) { return (Bytes){(const u8 *)buf_text(b), b->len}; }

/* clang: the program that the server of clang runs, or NULL */
static bool answer(const Buf *bytes, const char *clang, Buf *reply)
{
    Buf messages = {0}, product = {0}, files = {0}, views = {0};
    Diag d = {.sink = note_message, .to = &messages};
    Request q;
    bool known = true, ok = false;
    if (!request_read(bytes->data, bytes->len, &q))
        return false;
    q.opt.dump_to = &views;
    const int server = clang && !strcmp(clang, q.opt.clang) ? JOB_FILES : -1;
    switch (q.kind) {
    case REQUEST_COMPILE: ok = ll_compile(&q, server, &product, &files, &known, &d); break;
    case REQUEST_LINK: ok = ll_link(&q, &product, &d); break;
    default: ok = describe(&q, &product);
    }
    if (q.kind == REQUEST_LINK)
        known = files_note((Bytes){(const u8 *)"", 0}, NULL, &files);
    reply_write(&(Reply){.ok = ok,
                         .files_known = known,
                         .messages = bytes_of(&messages),
                         .files = bytes_of(&files),
                         .views = bytes_of(&views),
                         .product = bytes_of(&product)},
                reply);
    const bool whole =
        !messages.failed && !files.failed && !views.failed && !product.failed && !reply->failed;
    buf_free(&messages);
    buf_free(&files);
    buf_free(&views);
    buf_free(&product);
    request_free(&q);
    return whole;
}

int ll_job(const char *clang)
{
    Buf request = {0}, reply = {0};
    const bool ok = fd_read(0, UINT64_MAX, &request) && answer(&request, clang, &reply) &&
                    fd_write(1, reply.data, reply.len);
    buf_free(&request);
    buf_free(&reply);
    return ok ? 0 : NO_MEMORY;
}
