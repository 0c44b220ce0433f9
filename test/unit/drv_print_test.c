/* drv_print_test.c -- what kernels print: formats, orders, damaged and full buffers. */
#include "test/kit/driverrig.h"
#include <unistd.h>

static u32 put_text(Driver *d, const char *text)
{
    u64 a;
    assert_int_equal(drv_alloc(d, strlen(text) + 1, &a), DRV_OK);
    assert_int_equal(drv_write(d, a, text, strlen(text) + 1), DRV_OK);
    return (u32)a;
}

static void prints_in_order(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    const u32 format = put_text(d, "item %d%%;");
    const DrvArg arg = value_arg(&format, 4, 4);
    Buf out = {0}, wanted = {0};
    DrvResult r;
    const DrvKernel k = {.kernel = "say", .dims = 1, .global = {1000}, .local = {10}, .args = &arg,
                         .nargs = 1, .print = &out, .run = {.threads = 4}};
    for (int i = 0; i < 1000; i++)
        buf_printf(&wanted, "item %d%%;", 2 * i);
    assert_int_equal(drv_run(d, &k, &r), DRV_OK);
    assert_string_equal(buf_text(&out), buf_text(&wanted));
    buf_free(&out);
    buf_free(&wanted);
    drv_close(d);
}

/* Hands a print buffer made of these words to the driver; what it prints. */
static char *drain(Driver *d, const u32 *words, u32 n)
{
    u64 from;
    assert_int_equal(drv_alloc(d, n * 4, &from), DRV_OK);
    assert_int_equal(drv_write(d, from, words, n * 4), DRV_OK);
    const u32 a[2] = {(u32)from, n};
    const DrvArg args[] = {value_arg(&a[0], 4, 4), value_arg(&a[1], 4, 4)};
    Buf out = {0};
    DrvResult r;
    const DrvKernel k = {.kernel = "raw", .dims = 1, .global = {1}, .local = {1}, .args = args,
                         .nargs = 2, .print = &out};
    assert_int_equal(drv_run(d, &k, &r), DRV_OK);
    assert_int_equal(drv_free(d, from), DRV_OK);
    if (!out.data)
        buf_str(&out, "");
    return (char *)out.data;
}

#define expect_print(d, text, ...) \
    expect_print_(d, text, (u32[]){__VA_ARGS__}, sizeof (u32[]){__VA_ARGS__} / 4)
static void expect_print_(Driver *d, const char *text, const u32 *words, u32 n)
{
    char *got = drain(d, words, n);
    assert_string_equal(got, text);
    mem_free(got);
}

static void prints_formats(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    const u32 s = put_text(d, "lane");
    const struct { const char *format, *text; u32 words[6]; } rows[] = {
        {"%d %u %x %X %o %i", "-1 4294967295 2a FF 17 7", {UINT32_MAX, UINT32_MAX, 42, 255, 15, 7}},
        {"%ld|%lx", "-2|123456789abcdef0", {0xfffffffe, 0xffffffff, 0x9abcdef0, 0x12345678}},
        {"%f %.2f %g", "1.500000 1.50 -2", {0x3fc00000, 0x3fc00000, 0xc0000000}},
        {"%lf", "0.100000", {0x9999999a, 0x3fb99999}},
        {"%e|%a", "1.000000e+00|0x1p+0", {0x3f800000, 0x3f800000}},
        {"%4c|%-4c|%c", "   A|B   |C", {'A', 'B', 'C'}},
        {"%s %c%5s|%-6s|%.2s", "lane A lane|lane  |la", {s, 'A', s, s, s}},
        {"%s", "(null)", {0}},
        {"%s", "(bad address)", {16}},
        {"%08x %+d %*d|%-*d|", "000000ff +1    7|8  |", {255, 1, 4, 7, 3, 8}},
        {"%p %%", "0x90000000 %", {0x90000000}},
        {"%hd %hhd", "5 6", {5, 6}},
        {"%v4d|%v2hlf", "1,2,3,4|1.000000,2.000000", {1, 2, 3, 4, 0x3f800000, 0x40000000}},
        {"%.2v3hf", "1.50,-2.00,65504.00", {0x3e00, 0xc000, 0x7bff}},
        {"%v16hhu", "1,2,3,4,5,6,0,0,0,0,0,0,0,0,0,0", {1, 2, 3, 4, 5, 6}},
        {"%v17d|%v0d|", "1|2|", {1, 2}}, /* there are no such vectors */
        {"%.*f|", "1.5|", {1, 0x3fc00000}},
        {"%.*d|", "3|", {UINT32_MAX, 3}},
        {"%q %", "%q %", {0}},
        {"%99999999999d", NULL, {1}},
        {"%n%n", "%n%n", {0x90000000, 0x90000000}},
        {"%-+ #0-+ #0d", "+1", {1}},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const u32 f = put_text(d, rows[i].format);
        u32 words[11] = {36, 1024, 36, 0, f};
        memcpy(words + 5, rows[i].words, sizeof rows[i].words);
        char *got = drain(d, words, 11);
        if (rows[i].text)
            assert_string_equal(got, rows[i].text);
        else
            assert_true(strlen(got) <= 2048);
        mem_free(got);
    }
    /* arguments that are missing are zero */
    expect_print(d, "0 0.000000 (null)", 12, 64, 12, 0, put_text(d, "%ld %f %s"));
    expect_print(d, "0 0", 16, 64, 16, 0, put_text(d, "%ld %d"), 5); /* half of the first is there */
    drv_close(d);
}

/* Flags, widths, precisions and lengths are those of the host's printf. */
static void prints_as_the_host_does(void **state)
{
    static const char flags[] = "-+ #0";
    static const char *const widths[] = {"", "1", "12", "*"}, *const precisions[] = {"", ".", ".0", ".1", ".12", ".*"};
    static const char *const letters[] = {"d", "i", "u", "x", "X", "o", "hd", "hhu", "ld", "lx", "f", "e", "g", "G", "a", "c", "s"};
    static const double numbers[] = {0, 1.5, -2.75, 1e10, -1e-7};
    const i32 stars[] = {0, 7, -7, 20};
    (void)state;
    Driver *d = open_loaded(false);
    const u32 text = put_text(d, "lane");
    for (u32 turn = 0; turn < 32 * countof(widths) * countof(precisions); turn++) {
        const char *width = widths[turn / 32 % countof(widths)], *precision = precisions[turn / 32 / countof(widths)];
        const int star = stars[turn % 4], precision_star = stars[turn / 4 % 4];
        const bool has_width = *width == '*', has_precision = strchr(precision, '*');
        char format[1024] = "", want[4096] = "", spec[32];
        u32 words[128] = {0}, n = 5;
        for (size_t i = 0; i < countof(letters); i++) {
            char set[8] = "", *at = want + strlen(want);
            const size_t room = sizeof want - (size_t)(at - want);
            const char c = letters[i][strlen(letters[i]) - 1];
            const bool is_long = *letters[i] == 'l';
            const u64 v = (turn * 0x9e3779b97f4a7c15u ^ i) >> (turn + 5 * i) % 60;
            const float f = (float)numbers[(turn + i) % countof(numbers)];
            for (size_t k = 0; k < 5; k++) /* those that have no meaning with the letter stay away */
                if (turn >> k & 1 && !(flags[k] == '#' && strchr("diucs", c)) && !(flags[k] == '0' && strchr("cs", c)) &&
                    !(strchr("+ ", flags[k]) && strchr("uxXocs", c)))
                    snprintf(set + strlen(set), 2, "%c", flags[k]);
            snprintf(spec, sizeof spec, "%%%s%s%s%s|", set, width, c == 'c' ? "" : precision, letters[i]);
            snprintf(format + strlen(format), sizeof format - strlen(format), "%s", spec);
            if (has_width)
                words[n++] = (u32)star;
            if (has_precision && c != 'c')
                words[n++] = (u32)precision_star;
#define HOST(value)                                                                                                    \
    (has_width && has_precision && c != 'c' ? snprintf(at, room, spec, star, precision_star, value)                    \
     : has_width                            ? snprintf(at, room, spec, star, value)                                    \
     : has_precision && c != 'c'            ? snprintf(at, room, spec, precision_star, value)                          \
                                            : snprintf(at, room, spec, value))
            if (c == 's')
                words[n++] = text, HOST("lane");
            else if (c == 'c')
                words[n++] = 'A' + turn % 26, HOST((int)('A' + turn % 26));
            else if (strchr("fegGa", c))
                memcpy(&words[n++], &f, 4), HOST((double)f);
            else if (is_long)
                words[n++] = (u32)v, words[n++] = (u32)(v >> 32), HOST((long)v);
            else
                words[n++] = (u32)v, HOST((int)v);
#undef HOST
        }
        words[0] = words[2] = 4 * (n - 2), words[1] = 4096;
        words[4] = put_text(d, format);
        char *got = drain(d, words, n);
        if (strcmp(got, want))
            fail_msg("%s\n%s\n%s", format, got, want);
        mem_free(got);
        assert_int_equal(drv_free(d, words[4]), DRV_OK);
    }
    drv_close(d);
}

static void prints_hostile_buffers(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    const u32 text = 0x21646e65; /* "end!" */
    expect_print(d, "", 0, 0);
    expect_print(d, "end!", 16, 0, 16, 3, 0, text);
    expect_print(d, "end!end!", 32, 0, 16, 3, 0, text, 16, 2, 0, text);
    /* a stable order within an item */
    expect_print(d, "abcd", 64, 0, 16, 1, 0, 'b', 16, 1, 0, 'c', 16, 0, 0, 'a', 16, 2, 0, 'd');
    /* what no printf leaves there */
    const char *const damaged =
        "[the kernel stored to a wrong address, that of the print buffer; what it printed is lost; "
        "`ventus run --check' or VENTUS_CHECK=all says where]\n";
    const char *const partly =
        "end![the kernel stored to a wrong address, that of the print buffer; part of what it printed is lost; "
        "`ventus run --check' or VENTUS_CHECK=all says where]\n";
    expect_print(d, damaged, 4, 0, 16);
    expect_print(d, damaged, 100, 0, 0, 0, 0);
    expect_print(d, damaged, 100, 0, 13, 0, 0);
    expect_print(d, damaged, 100, 0, 8, 0, 0);
    expect_print(d, damaged, 100, 0, 104, 0, 0);
    expect_print(d, damaged, UINT32_MAX, 0, 0);
    expect_print(d, partly, 12345, 0, 16, 3, 0, text);
    /* a record whose format was overwritten by a number */
    expect_print(d, partly, 32, 0, 16, 2, 7, text, 16, 3, 0, text);
    drv_close(d);
}

static void prints_overflow(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    const u32 room = PRINT_BUFFER - 8;
    expect_print(d, "hi[print buffer overflow: 1048564 bytes lost]\n", room + 4, 0, 16, 0, 0, 'h' | 'i' << 8);
    drv_close(d);
}

/* Formats and strings that are read, and the text made of them, are 32 MiB at most (doc/abi.md, "Print buffer"): here 3,
 * 1024 and 1023 bytes a record, whose last is printed whole. */
static void prints_no_more_than_is_read(void **state)
{
    enum { LENGTH = 1023, EACH = 3 + LENGTH + 1 + LENGTH, FIT = (32 << 20) / EACH };
    static const char more[] = "\n[print buffer: text beyond 32 MiB is lost]\n";
    static u32 words[2 + 4 * (FIT + 9)];
    char text[LENGTH + 1];
    (void)state;
    Driver *d = open_loaded(false);
    memset(text, 'x', LENGTH);
    text[LENGTH] = 0;
    const u32 format = put_text(d, "%s"), string = put_text(d, text);
    for (u32 n = FIT; n <= FIT + 9; n += n == FIT ? 1 : 8) {
        words[0] = 16 * n;
        for (u32 i = 0; i < n; i++)
            memcpy(&words[2 + 4 * i], (u32[]){16, i, format, string}, 16);
        char *got = drain(d, words, 2 + 4 * n);
        const size_t length = (size_t)LENGTH * (n == FIT ? n : FIT + 1);
        assert_int_equal(strspn(got, "x"), length);
        assert_string_equal(got + length, n == FIT ? "" : more);
        mem_free(got);
    }
    drv_close(d);
}

/* What was printed before a fault is not lost; nothing is asked of kernels otherwise. */
static void prints_nothing_unasked(void **state)
{
    (void)state;
    Driver *d = open_driver(false);
    DrvKernel k = {.dims = 1, .global = {1}, .local = {1}};
    DrvResult r;
    u32 word[36];
    Buf out = {0};
    load(d, make_image(GEN_B, 0, NULL));
    run_dump(d, &k, NULL, 0, word, &r);
    assert_int_equal(word[16 + 12], 0);
    assert_int_equal(word[16 + 13], 0);
    k.print = &out;
    run_dump(d, &k, NULL, 0, word, &r);
    assert_true(word[16 + 12] >= HEAP_LO);
    assert_int_equal(word[16 + 13], PRINT_BUFFER);
    assert_int_equal(out.len, 0);
    drv_close(d);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_in_order),
        cmocka_unit_test(prints_hostile_buffers),
        cmocka_unit_test(prints_overflow),
        cmocka_unit_test(prints_no_more_than_is_read),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(prints_formats),
        cmocka_unit_test(prints_as_the_host_does),
        cmocka_unit_test(prints_nothing_unasked),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
