/* request.c -- requests and replies as bytes, written and read (request.h). */
#include "comp/bytes.h"

/* a text that may be NULL: a count of 0 or 1 before it */
static void put_maybe(Buf *b, const char *text)
{
    put_number(b, text != NULL, 4);
    if (text)
        put_text(b, text);
}

static const char *get_maybe(In *in)
{
    const u64 n = get_number(in, 4);
    in->failed |= n > 1;
    return n == 1 ? get_text(in) : NULL;
}

/* --- requests --------------------------------------------------------------------------- */

void request_write(const Request *r, Buf *key, Buf *rest)
{
    const CompOptions *o = &r->opt;
    put_number(key, r->kind, 4);
    put_number(key, o->output, 4);
    put_number(key, o->isa, 4);
    put_number(key, o->lds_limit, 4);
    put_text(key, o->name);
    put_maybe(key, o->clang);
    put_maybe(key, o->off);
    put_maybe(key, o->dump);
    put_number(key, o->noptions, 4);
    for (size_t i = 0; i < o->noptions; i++)
        put_text(key, o->options[i]);
    put_number(key, o->nheaders, 4);
    for (size_t i = 0; i < o->nheaders; i++) {
        put_text(key, o->headers[i].name);
        put_text(key, o->headers[i].text);
    }
    put_number(key, r->ninputs, 4);
    for (size_t i = 0; i < r->ninputs; i++)
        put_bytes(key, r->inputs[i].data, r->inputs[i].len);
    put_number(rest, r->limits.cpu, 4);
    put_number(rest, r->limits.wall, 4);
    put_number(rest, r->limits.memory, 8);
    put_number(rest, r->limits.file, 8);
}

/* room for n things of `size` bytes, which take at least `least` each in the message */
static void *get_array(In *in, size_t *n, size_t size, size_t least)
{
    *n = (size_t)get_number(in, 4);
    void *a = *n <= in->left / least ? mem_zalloc(*n + 1, size) : NULL;
    if (!a) {
        in->failed = true;
        in->left = *n = 0;
    }
    return a;
}

bool request_read(const u8 *bytes, size_t len, Request *r)
{
    In in = {bytes, len, false};
    CompOptions *o = &r->opt;
    *r = (Request){.kind = (RequestKind)get_number(&in, 4)};
    o->output = (CompOutput)get_number(&in, 4);
    o->isa = (u32)get_number(&in, 4);
    o->lds_limit = (u32)get_number(&in, 4);
    o->name = get_text(&in);
    o->clang = get_maybe(&in);
    o->off = get_maybe(&in);
    o->dump = get_maybe(&in);
    const char **options = get_array(&in, &o->noptions, sizeof *options, 9);
    o->options = options;
    for (size_t i = 0; i < o->noptions; i++)
        options[i] = get_text(&in);
    CompHeader *headers = get_array(&in, &o->nheaders, sizeof *headers, 18);
    o->headers = headers;
    for (size_t i = 0; i < o->nheaders; i++) {
        headers[i].name = get_text(&in);
        headers[i].text = get_text(&in);
    }
    Bytes *inputs = get_array(&in, &r->ninputs, sizeof *inputs, 8);
    r->inputs = inputs;
    for (size_t i = 0; i < r->ninputs; i++)
        inputs[i] = get_bytes(&in);
    r->limits.cpu = (u32)get_number(&in, 4);
    r->limits.wall = (u32)get_number(&in, 4);
    r->limits.memory = get_number(&in, 8);
    r->limits.file = get_number(&in, 8);
    if (!in.failed && !in.left && r->kind < REQUEST_KINDS && o->output < COMP_OUTPUTS)
        return true;
    request_free(r);
    return false;
}

void request_free(Request *r)
{
    mem_free((void *)(size_t)r->opt.options);
    mem_free((void *)(size_t)r->opt.headers);
    mem_free((void *)(size_t)r->inputs);
    *r = (Request){0};
}

/* --- replies ------------------------------------------------------------------------------ */

static const char mark[] = "VTREPLY1";

void reply_note(Buf *messages, DiagKind kind, const char *text)
{
    put_number(messages, kind, 4);
    put_text(messages, text);
}

void reply_write(const Reply *r, Buf *to)
{
    buf_put(to, mark, 8);
    put_number(to, r->ok, 4);
    put_number(to, r->files_known, 4);
    put_bytes(to, r->messages.data, r->messages.len);
    put_bytes(to, r->files.data, r->files.len);
    put_bytes(to, r->views.data, r->views.len);
    put_bytes(to, r->product.data, r->product.len);
}

/* Reads messages, which go to d unless it is NULL; false: they are malformed. */
static bool messages_read(Bytes messages, Diag *d)
{
    In in = {messages.data, messages.len, false};
    while (in.left) {
        const u64 kind = get_number(&in, 4);
        const char *text = get_text(&in);
        if (in.failed || kind > DIAG_ERROR)
            return false;
        if (d)
            diag_foreign(d, (DiagKind)kind, text);
    }
    return true;
}

bool reply_read(const u8 *bytes, size_t len, Reply *r)
{
    if (len < 8 || memcmp(bytes, mark, 8) != 0)
        return false;
    In in = {bytes + 8, len - 8, false};
    const u64 ok = get_number(&in, 4), known = get_number(&in, 4);
    *r = (Reply){.ok = ok == 1, .files_known = known == 1};
    r->messages = get_bytes(&in);
    r->files = get_bytes(&in);
    r->views = get_bytes(&in);
    r->product = get_bytes(&in);
    return !in.failed && !in.left && ok <= 1 && known <= 1 && messages_read(r->messages, NULL);
}

void reply_tell(const Reply *r, Diag *d) { messages_read(r->messages, d); }
