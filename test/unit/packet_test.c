/* packet_test.c -- packets of gdb's remote protocol against a second reader and writer of it, on
 * streams that bring bytes in any pieces, late or never; numbers and bytes in hexadecimal.
 */
#include "dbg/packet.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- a stream that brings what a test says --------------------------------------------------- */

typedef struct {
    Buf in, out;
    size_t at, most; /* bytes at a time */
    bool late;       /* nothing is there the first time */
    bool is_late, refuses;
} Pipe;

static int pipe_read(void *self, void *to, size_t most, int milliseconds)
{
    Pipe *p = self;
    size_t n = p->in.len - p->at;
    if (!milliseconds && !n)
        return 0;
    p->is_late = p->late && !p->is_late;
    if (p->is_late)
        return 0;
    n = n < most ? n : most;
    n = n < p->most ? n : p->most;
    if (!n)
        return -1;
    memcpy(to, p->in.data + p->at, n);
    p->at += n;
    return (int)n;
}

static bool pipe_write(void *self, const void *bytes, size_t n)
{
    Pipe *p = self;
    buf_put(&p->out, bytes, n);
    return !p->refuses;
}

static void pipe_close(void *self) { (void)self; }

static Wire wire_of(Pipe *p) { return (Wire){.stream = {p, pipe_read, pipe_write, pipe_close}}; }

static void pipe_free(Pipe *p)
{
    buf_free(&p->in);
    buf_free(&p->out);
}

/* --- reading --------------------------------------------------------------------------------- */

/* By the protocol: the next packet of the bytes, and what is answered meanwhile.  False: none is
 * left. */
static bool next_packet(const Buf *in, size_t *at, Buf *text, Buf *signs, bool *stops)
{
    while (*at < in->len) {
        const u8 first = in->data[(*at)++];
        u32 sum = 0;
        bool complete = false, is_escaped = false;
        *stops |= first == 3;
        if (first != '$')
            continue;
        text->len = 0;
        while (*at < in->len && !complete) {
            const u8 b = in->data[(*at)++];
            complete = b == '#' && !is_escaped;
            if (b == '$' || (text->len == MOST_PACKET && !complete))
                break;
            sum += complete ? 0 : b;
            if (!complete && !is_escaped && b == '}') {
                is_escaped = true;
            } else if (!complete) {
                buf_put(text, &(u8){is_escaped ? b ^ 0x20 : b}, 1);
                is_escaped = false;
            }
        }
        if (complete) {
            char digits[3] = "", want[3];
            for (int i = 0; i < 2 && *at < in->len; i++)
                digits[i] = (char)tolower(in->data[(*at)++]);
            snprintf(want, sizeof want, "%02x", sum & 255);
            complete = !strcmp(digits, want);
        }
        buf_str(signs, complete ? "+" : "-");
        if (complete)
            return true;
    }
    return false;
}

static void put_packet(Buf *to, u32 size)
{
    u8 sum = 0;
    char digits[3];
    buf_str(to, "$");
    for (u32 i = 0; i < size; i++) {
        static const u8 special[] = {'$', '#', '}', '*', 3, '+', 0};
        u8 b = one_in(4) ? special[below(sizeof special)] : (u8)below(256);
        if ((b == '$' || b == '#' || b == '}') && !one_in(40)) {
            buf_put(to, "}", 1);
            sum = (u8)(sum + '}');
            b ^= 0x20;
        }
        buf_put(to, &b, 1);
        sum = (u8)(sum + b);
    }
    snprintf(digits, sizeof digits, one_in(2) ? "%02x" : "%02X", sum);
    digits[0] = one_in(20) ? "g3$#/:@`G"[below(9)] : digits[0];
    digits[1] = one_in(20) ? "g3$#/:@`G"[below(9)] : digits[1];
    buf_printf(to, "#%s", digits);
}

static void packets_are_read(void **state)
{
    u32 right = 0, wrong = 0;
    (void)state;
    for (u32 round = 0; round < 300; round++) {
        Pipe p = {.most = 1 + below(round & 1 ? 9 : 3000), .late = one_in(3)};
        Buf text = {0}, want = {0}, signs = {0};
        size_t at = 0;
        bool stops = false;
        Wire w = wire_of(&p);
        w.no_acks = one_in(4);
        for (u32 i = 0; i < 12; i++) {
            put_packet(&p.in, below(40));
            for (u32 k = below(4); k > 0; k--)
                buf_put(&p.in, &(u8){(u8)"+-x\3"[below(4)]}, 1);
        }
        p.in.len -= below(6); /* the end may be in a packet */
        bool goes_on = true;
        while (goes_on) {
            goes_on = next_packet(&p.in, &at, &want, &signs, &stops);
            assert_int_equal(wire_receive(&w, &text), goes_on);
            assert_int_equal(w.interrupt, stops);
            if (!goes_on)
                break;
            assert_int_equal(text.len, want.len);
            assert_true(!want.len || !memcmp(text.data, want.data, want.len));
            assert_int_equal(text.data[text.len], 0);
            right++;
        }
        assert_true(w.gone);
        assert_int_equal(p.out.len, w.no_acks ? 0 : signs.len);
        assert_true(!p.out.len || !memcmp(p.out.data, signs.data, signs.len));
        for (size_t i = 0; i < signs.len; i++)
            wrong += signs.data[i] == '-';
        assert_false(wire_receive(&w, &text));
        pipe_free(&p);
        buf_free(&text);
        buf_free(&want);
        buf_free(&signs);
    }
    assert_true(right > 1000 && wrong > 300);
}

/* The longest, and one more. */
static void packets_have_a_most(void **state)
{
    (void)state;
    for (u32 more = 0; more < 2; more++) {
        Pipe p = {.most = 1000};
        Buf text = {0};
        Wire w = wire_of(&p);
        u8 sum = 0;
        buf_str(&p.in, "$");
        buf_fill(&p.in, 'a', MOST_PACKET + more);
        for (u32 i = 0; i < MOST_PACKET + more; i++)
            sum = (u8)(sum + 'a');
        buf_printf(&p.in, "#%02x$b#62", sum);
        assert_true(wire_receive(&w, &text));
        assert_int_equal(text.len, more ? 1 : MOST_PACKET);
        assert_string_equal(buf_text(&p.out), more ? "-+" : "+");
        pipe_free(&p);
        buf_free(&text);
    }
}

/* --- writing --------------------------------------------------------------------------------- */

static void packets_are_written(void **state)
{
    (void)state;
    for (u32 round = 0; round < 200; round++) {
        Pipe p = {.most = 1};
        Buf text = {0}, signs = {0};
        Wire w = wire_of(&p);
        u8 bytes[256];
        size_t at = 0;
        bool stops = false;
        const u32 n = round ? below(256) : 256;
        for (u32 i = 0; i < n; i++)
            bytes[i] = round ? (u8)below(256) : (u8)i;
        wire_send(&w, bytes, n);
        assert_false(w.gone);
        for (size_t i = 1; i + 3 < p.out.len; i++) /* `*` would say how often a byte comes */
            assert_true(!strchr("$#*", p.out.data[i]) || !p.out.data[i]);
        assert_true(next_packet(&p.out, &at, &text, &signs, &stops));
        assert_true(at == p.out.len && text.len == n && (!n || !memcmp(text.data, bytes, n)));
        assert_true(islower(p.out.data[at - 1]) || isdigit(p.out.data[at - 1]));
        p.refuses = true;
        wire_send(&w, bytes, n);
        assert_true(w.gone);
        pipe_free(&p);
        buf_free(&text);
        buf_free(&signs);
    }
}

/* --- interrupts ------------------------------------------------------------------------------ */

static void interrupts_are_seen_once(void **state)
{
    (void)state;
    for (u32 most = 1; most < 40; most += 38) {
        Pipe p = {.most = most};
        Buf text = {0};
        Wire w = wire_of(&p);
        for (u32 i = 0; i < 3; i++)
            assert_false(wire_interrupted(&w)); /* nothing is there, and nothing is taken */
        buf_str(&p.in, "\3$a#61\3$b#62");
        assert_true(wire_interrupted(&w));
        for (u32 i = 0; i < 3; i++)
            assert_false(wire_interrupted(&w)); /* a packet, which has to wait */
        assert_true(wire_receive(&w, &text));
        assert_string_equal(buf_text(&text), "a");
        assert_true(wire_receive(&w, &text)); /* the second came before it */
        assert_string_equal(buf_text(&text), "b");
        assert_true(wire_interrupted(&w));
        for (u32 i = 0; i < 3; i++)
            assert_false(wire_interrupted(&w));
        assert_false(w.gone);
        buf_str(&p.in, "$c#63");
        assert_true(wire_receive(&w, &text));
        assert_string_equal(buf_text(&text), "c");
        pipe_free(&p);
        buf_free(&text);
    }
}

/* --- digits ---------------------------------------------------------------------------------- */

static void numbers_have_64_bits(void **state)
{
    (void)state;
    for (u32 round = 0; round < 2000; round++) {
        char text[64];
        const u32 bits = below(65), zeros = below(20);
        const u64 n = bits ? random_bits() >> (64 - bits) : 0;
        u64 got;
        const char *at = text;
        const int digits =
            snprintf(text, sizeof text, one_in(2) ? "%0*" PRIx64 ";9" : "%0*" PRIX64 "g9",
                     (int)zeros, n) -
            2;
        assert_true(hex_number(&at, &got));
        assert_true(got == n && at == text + digits);
    }
    static const char *const bad[] = {
        "", "x1", "-1", "/", ":", "@", "`", "G", "10000000000000000", "0ffffffffffffffff0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        u64 n;
        const char *at = bad[i];
        assert_false(hex_number(&at, &n));
    }
}

static void bytes_are_pairs(void **state)
{
    (void)state;
    for (u32 round = 0; round < 500; round++) {
        u8 bytes[40];
        Buf text = {0}, got = {0};
        const u32 n = below(40), most = below(45);
        for (u32 i = 0; i < n; i++)
            bytes[i] = (u8)below(256);
        hex_put(&text, bytes, n);
        assert_int_equal(text.len, 2 * n);
        for (u32 i = 0; i < 2 * n; i++) {
            assert_int_equal(text.data[i],
                             "0123456789abcdef"[bytes[i / 2] >> (i & 1 ? 0 : 4) & 15]);
            text.data[i] = one_in(2) ? (u8)toupper(text.data[i]) : text.data[i];
        }
        const char *at = buf_text(&text);
        assert_int_equal(hex_bytes(at, at + 2 * n, &got, most), n <= most);
        assert_int_equal(got.len, n < most ? n : most);
        assert_true(!got.len || !memcmp(got.data, bytes, got.len));
        got.len = 0;
        assert_true(!n || !hex_bytes(at, at + 2 * n - 1, &got, 100)); /* half a byte */
        if (n)
            text.data[below(2 * n)] = (u8) "g/:@`G"[below(6)];
        assert_true(!n || !hex_bytes(at, at + 2 * n, &got, 100));
        buf_free(&text);
        buf_free(&got);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),           cmocka_unit_test(packets_are_read),
        cmocka_unit_test(packets_have_a_most),      cmocka_unit_test(packets_are_written),
        cmocka_unit_test(interrupts_are_seen_once), cmocka_unit_test(numbers_have_64_bits),
        cmocka_unit_test(bytes_are_pairs),
    };
    (void)argc;
    remember_tests(tests, sizeof tests / sizeof *tests, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
