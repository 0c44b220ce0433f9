/* request_test.c -- the messages between a host and the compiler's process: their bytes, as
 * request.h says them; that what is written is read again; that everything else is refused.
 */
#include "test/kit/leftover.h"
#include "comp/bytes.h"
#include "test/kit/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { OPTIONS = 5, HEADERS = 4, INPUTS = 4 };

/* --- bytes, as the comment in request.h has them ---------------------------------------------- */

static void number(Buf *b, u64 v, int bytes)
{
    for (; bytes--; v >>= 8)
        buf_put(b, &(u8){v & 0xff}, 1);
}

static void counted(Buf *b, const void *bytes, size_t len)
{
    number(b, len, 8);
    buf_put(b, len ? bytes : "", len);
}

static void text(Buf *b, const char *s)
{
    counted(b, s, strlen(s));
    number(b, 0, 1);
}

static void maybe(Buf *b, const char *s)
{
    number(b, s ? 1 : 0, 4);
    if (s)
        text(b, s);
}

static void expect_request(const Request *q, Buf *b)
{
    const CompOptions *o = &q->opt;
    const u32 first[] = {q->kind, o->output, o->isa, o->lds_limit};
    for (size_t i = 0; i < countof(first); i++)
        number(b, first[i], 4);
    text(b, o->name);
    maybe(b, o->clang);
    maybe(b, o->off);
    maybe(b, o->dump);
    number(b, o->noptions, 4);
    for (size_t i = 0; i < o->noptions; i++)
        text(b, o->options[i]);
    number(b, o->nheaders, 4);
    for (size_t i = 0; i < o->nheaders; i++) {
        text(b, o->headers[i].name);
        text(b, o->headers[i].text);
    }
    number(b, q->ninputs, 4);
    for (size_t i = 0; i < q->ninputs; i++)
        counted(b, q->inputs[i].data, q->inputs[i].len);
}

static void expect_limits(const ProcLimits *l, Buf *b)
{
    number(b, l->cpu, 4);
    number(b, l->wall, 4);
    number(b, l->memory, 8);
    number(b, l->file, 8);
}

/* --- random messages -------------------------------------------------------------------------- */

static const char *const texts[] = {"", "a", "-DA=1", "some \xff text\n", "-O0"};
static const char *some_text(void) { return texts[below(countof(texts))]; }
static Bytes some_bytes(void) { return (Bytes){(const u8 *)"a\0b\xff\0cdefgh", below(11)}; }

typedef struct {
    const char *options[OPTIONS];
    CompHeader headers[HEADERS];
    Bytes inputs[INPUTS];
    Request q;
} Random;

static void make_request(Random *r)
{
    for (size_t i = 0; i < OPTIONS; i++)
        r->options[i] = some_text();
    for (size_t i = 0; i < HEADERS; i++)
        r->headers[i] = (CompHeader){some_text(), some_text()};
    for (size_t i = 0; i < INPUTS; i++)
        r->inputs[i] = some_bytes();
    r->q =
        (Request){.kind = (RequestKind)below(REQUEST_KINDS),
                  .opt = {.output = (CompOutput)below(COMP_OUTPUTS),
                          .isa = (u32)random_bits(),
                          .lds_limit = (u32)random_bits(),
                          .name = some_text(),
                          .clang = one_in(3) ? NULL : some_text(),
                          .off = one_in(3) ? NULL : some_text(),
                          .dump = one_in(3) ? NULL : some_text(),
                          .options = r->options,
                          .noptions = below(OPTIONS + 1),
                          .headers = r->headers,
                          .nheaders = below(HEADERS + 1)},
                  .limits = {(u32)random_bits(), (u32)random_bits(), random_bits(), random_bits()},
                  .inputs = r->inputs,
                  .ninputs = below(INPUTS + 1)};
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }
static bool same_bytes(Bytes a, Bytes b)
{
    return a.len == b.len && !memcmp(a.data, b.data, a.len);
}

static bool same_request(const Request *a, const Request *b)
{
    const CompOptions *o = &a->opt, *p = &b->opt;
    bool same = a->kind == b->kind && o->output == p->output && o->isa == p->isa &&
                o->lds_limit == p->lds_limit && same_text(o->name, p->name) &&
                same_text(o->clang, p->clang) && same_text(o->off, p->off) &&
                same_text(o->dump, p->dump) && o->noptions == p->noptions &&
                o->nheaders == p->nheaders && a->ninputs == b->ninputs &&
                a->limits.cpu == b->limits.cpu && a->limits.wall == b->limits.wall &&
                a->limits.memory == b->limits.memory && a->limits.file == b->limits.file;
    for (size_t i = 0; same && i < o->noptions; i++)
        same = same_text(o->options[i], p->options[i]);
    for (size_t i = 0; same && i < o->nheaders; i++)
        same = same_text(o->headers[i].name, p->headers[i].name) &&
               same_text(o->headers[i].text, p->headers[i].text);
    for (size_t i = 0; same && i < a->ninputs; i++)
        same = same_bytes(a->inputs[i], b->inputs[i]);
    return same;
}

static void assert_bytes(const Buf *got, const Buf *want)
{
    assert_int_equal(got->len, want->len);
    assert_memory_equal(got->data, want->data, want->len);
}

static void requests(void **state)
{
    enum { TURNS = 200 };
    (void)state;
    for (int turn = 0; turn < TURNS; turn++) {
        Random r;
        Request back;
        Buf key = {0}, rest = {0}, want = {0}, limits = {0};
        make_request(&r);
        request_write(&r.q, &key, &rest);
        expect_request(&r.q, &want);
        expect_limits(&r.q.limits, &limits);
        assert_bytes(&key, &want);
        assert_bytes(&rest, &limits);
        buf_put(&key, rest.data, rest.len);
        assert_true(request_read(key.data, key.len, &back));
        assert_true(same_request(&r.q, &back));
        request_free(&back);
        for (size_t n = 0; n < key.len; n++) /* cut off anywhere */
            assert_false(request_read(key.data, n, &back));
        buf_put(&key, "", 1);
        assert_false(request_read(key.data, key.len, &back));
        buf_free(&key);
        buf_free(&rest);
        buf_free(&want);
        buf_free(&limits);
    }
}

/* Many things of the least size that each can have. */
static void many_things(void **state)
{
    enum { MANY = 500 };
    static const char *options[MANY];
    static CompHeader headers[MANY];
    static Bytes inputs[MANY];
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        options[i] = "";
        headers[i] = (CompHeader){"", ""};
        inputs[i] = (Bytes){(const u8 *)"", 0};
    }
    for (int which = 0; which < 3; which++) {
        Request q = {.opt = {.name = "", .options = options, .headers = headers}, .inputs = inputs},
                back;
        Buf b = {0};
        *(which == 0 ? &q.opt.noptions : which == 1 ? &q.opt.nheaders : &q.ninputs) = MANY;
        request_write(&q, &b, &b);
        assert_true(request_read(b.data, b.len, &back));
        assert_true(same_request(&q, &back));
        request_free(&back);
        buf_free(&b);
    }
}

/* Numbers that say too much, texts with a NUL inside or without one at the end. */
static void refused_requests(void **state)
{
    static const char *const options[] = {"-w"};
    static const CompHeader headers[] = {{"h", "t"}};
    static const Bytes inputs[] = {{(const u8 *)"in", 2}};
    const Request q = {.opt = {.name = "name",
                               .options = options,
                               .noptions = 1,
                               .headers = headers,
                               .nheaders = 1},
                       .inputs = inputs,
                       .ninputs = 1};
    /* where the numbers and texts begin: kind, output, isa, lds_limit, name, three that are not
     * there, one option, one header of two texts, one input */
    enum {
        KIND = 0,
        OUTPUT = 4,
        NAME = 16,
        CLANG = NAME + 8 + 5,
        OFF = CLANG + 4,
        DUMP = OFF + 4,
        NOPTIONS = DUMP + 4,
        OPTION = NOPTIONS + 4,
        NHEADERS = OPTION + 8 + 3,
        HEADER = NHEADERS + 4,
        TEXT = HEADER + 8 + 2,
        NINPUTS = TEXT + 8 + 2,
        INPUT = NINPUTS + 4,
        END = INPUT + 8 + 2 + 24
    };
    static const struct {
        size_t at;
        u8 byte;
        bool good;
    } rows[] = {{KIND, REQUEST_KINDS - 1, true},
                {KIND, REQUEST_KINDS, false},
                {KIND + 3, 0x80, false},
                {OUTPUT, COMP_OUTPUTS - 1, true},
                {OUTPUT, COMP_OUTPUTS, false},
                {OUTPUT + 3, 0x80, false},
                {NAME, 3, false},
                {NAME, 5, false},
                {NAME + 7, 0x80, false},
                {NAME + 8, 0, false},
                {NAME + 11, 0, false},
                {NAME + 8 + 4, 1, false},
                {NAME + 8, 'N', true},
                {CLANG, 2, false},
                {CLANG, 1, false},
                {OFF, 2, false},
                {DUMP, 2, false},
                {DUMP + 3, 1, false},
                {NOPTIONS, 0, false},
                {NOPTIONS, 2, false},
                {NOPTIONS + 3, 0xff, false},
                {OPTION + 8, 0, false},
                {OPTION + 8 + 2, 1, false},
                {NHEADERS, 0, false},
                {NHEADERS, 2, false},
                {NHEADERS + 3, 0xff, false},
                {HEADER + 8, 0, false},
                {TEXT + 8, 0, false},
                {TEXT + 9, 1, false},
                {NINPUTS, 0, false},
                {NINPUTS, 2, false},
                {NINPUTS + 3, 0xff, false},
                {INPUT, 1, false},
                {INPUT, 3, false},
                {INPUT + 7, 0xff, false},
                {INPUT + 8, 0, true}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Request back;
        Buf b = {0};
        request_write(&q, &b, &b);
        assert_int_equal(b.len, END);
        b.data[rows[i].at] = rows[i].byte;
        if (request_read(b.data, b.len, &back) != rows[i].good)
            fail_msg("row %zu", i);
        if (rows[i].good)
            request_free(&back);
        assert_null(back.opt.options);
        buf_free(&b);
    }
}

/* --- replies ---------------------------------------------------------------------------------- */

static void hear(void *to, DiagKind kind, const char *message)
{
    buf_printf(to, "%c:%s;", "nwe"[kind], message);
}

static void replies(void **state)
{
    enum { TURNS = 200 };
    (void)state;
    for (int turn = 0; turn < TURNS; turn++) {
        Buf messages = {0}, wanted_messages = {0}, b = {0}, want = {0}, heard = {0}, said = {0};
        Diag d = {.sink = hear, .to = &heard};
        int count[3] = {0};
        for (u32 n = below(4); n; n--) {
            const DiagKind kind = (DiagKind)below(3);
            const char *what = some_text();
            reply_note(&messages, kind, what);
            number(&wanted_messages, kind, 4);
            text(&wanted_messages, what);
            hear(&said, kind, what);
            count[kind]++;
        }
        const Bytes list = {(const u8 *)buf_text(&messages), messages.len};
        const Reply r = {one_in(2), one_in(2), list, some_bytes(), some_bytes(), some_bytes()};
        Reply back;
        reply_write(&r, &b);
        buf_put(&want, "VTREPLY1", 8);
        number(&want, r.ok, 4);
        number(&want, r.files_known, 4);
        counted(&want, wanted_messages.data, wanted_messages.len);
        counted(&want, r.files.data, r.files.len);
        counted(&want, r.views.data, r.views.len);
        counted(&want, r.product.data, r.product.len);
        assert_bytes(&b, &want);
        assert_true(reply_read(b.data, b.len, &back));
        assert_true(back.ok == r.ok && back.files_known == r.files_known &&
                    same_bytes(back.files, r.files) && same_bytes(back.views, r.views) &&
                    same_bytes(back.product, r.product));
        reply_tell(&back, &d);
        assert_string_equal(buf_text(&heard), buf_text(&said));
        assert_int_equal(d.warnings, count[DIAG_WARNING]);
        assert_int_equal(d.errors, count[DIAG_ERROR]);
        for (size_t n = 0; n < b.len; n++)
            assert_false(reply_read(b.data, n, &back));
        for (size_t k = 0; k < 16; k++) /* the mark, and two numbers that are 0 or 1 */
            for (int bit = 0; bit < 8; bit++) {
                b.data[k] ^= (u8)(1 << bit);
                assert_int_equal(reply_read(b.data, b.len, &back), (k == 8 || k == 12) && bit == 0);
                b.data[k] ^= (u8)(1 << bit);
            }
        buf_put(&b, "", 1);
        assert_false(reply_read(b.data, b.len, &back));
        buf_free(&messages);
        buf_free(&wanted_messages);
        buf_free(&b);
        buf_free(&want);
        buf_free(&heard);
        buf_free(&said);
    }
}

/* Messages of unknown kinds, that are cut off, or whose text is none. */
static void refused_messages(void **state)
{
    static const struct {
        u32 kind;
        size_t len;
        const char *bytes;
        bool good;
    } rows[] = {{DIAG_ERROR, 14, "\1\0\0\0\0\0\0\0a", true},
                {DIAG_ERROR + 1, 14, "\1\0\0\0\0\0\0\0a", false},
                {UINT32_MAX, 14, "\1\0\0\0\0\0\0\0a", false},
                {DIAG_NOTE, 13, "\1\0\0\0\0\0\0\0a", false},
                {DIAG_NOTE, 15, "\1\0\0\0\0\0\0\0a", false},
                {DIAG_NOTE, 14, "\1\0\0\0\0\0\0\0\0", false},
                {DIAG_NOTE, 14, "\0\0\0\0\0\0\0\0\0", false},
                {DIAG_NOTE, 13, "\0\0\0\0\0\0\0\0\0", true},
                {DIAG_NOTE, 4, "", false},
                {DIAG_NOTE, 3, "", false}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        u8 bytes[20] = {0};
        Buf b = {0};
        Reply back;
        memcpy(bytes, &rows[i].kind, 4);
        memcpy(bytes + 4, rows[i].bytes, rows[i].len > 4 ? 10 : 0);
        reply_write(&(Reply){.messages = {bytes, rows[i].len},
                             .files = {bytes, 0},
                             .views = {bytes, 0},
                             .product = {bytes, 0}},
                    &b);
        if (reply_read(b.data, b.len, &back) != rows[i].good)
            fail_msg("row %zu", i);
        buf_free(&b);
    }
}

/* --- what reads them -------------------------------------------------------------------------- */

/* After a failure everything is 0 and empty, also what would be there. */
static void stays_failed(void **state)
{
    const u8 bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    In in = {bytes, sizeof bytes, false};
    (void)state;
    assert_int_equal(get_number(&in, 4), 0x04030201);
    assert_int_equal(get_number(&in, 2), 0x0605);
    assert_int_equal(in.left, 3);
    assert_int_equal(get_number(&in, 4), 0);
    assert_true(in.failed && in.left == 0);
    assert_int_equal(get_number(&in, 1), 0);
    assert_string_equal(get_text(&in), "");
    assert_int_equal(get_bytes(&in).len, 0);
    in = (In){bytes, 8, false};
    assert_true(get_number(&in, 8) == 0x0807060504030201 && !in.failed && !in.left);
    in = (In){bytes, 8, false};
    assert_true(get_bytes(&in).len == 0 && in.failed && !in.left);
    in = (In){bytes, 8, false};
    assert_true(!*get_text(&in) && in.failed && !in.left);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(requests),         cmocka_unit_test(many_things),
        cmocka_unit_test(refused_requests), cmocka_unit_test(replies),
        cmocka_unit_test(refused_messages), cmocka_unit_test(stays_failed),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
