/* Prints that programs make by hand, as doc/abi.md says ("Print buffer"): what the check for prints
 * says of each.  The reports are those of doc/checking.md.
 */
#include "test/kit/checkrig.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"

enum { LANES = 4, OPS = 40, MOST_ARGS = 6 };

typedef struct {
    Driver *driver;
    Check *check;
    Buf text, data;
    Buf want[OPS], format[OPS]; /* what is said; its format as it is quoted, or "" */
    u32 pc[OPS];
    char buffer[16]; /* where a text is that is no literal */
} Scene;

/* --- formats ---------------------------------------------------------------------------------- */

/* Conversions and the words that they take. */
static const struct {
    const char *spec;
    u32 words;
} conversions[] = {{"%d", 1},   {"%5u", 1},    {"%-08.3x", 1}, {"%ld", 2},    {"%hd", 1},
                   {"%hhx", 1}, {"%f", 1},     {"%.2e", 1},    {"%lf", 2},    {"%c", 1},
                   {"%p", 1},   {"%v2hld", 2}, {"%v3ld", 6},   {"%v4hhx", 4}, {"%v4hlf", 4},
                   {"%*d", 2},  {"%.*f", 2},   {"%*.*d", 3},   {"%%", 0},     {"%1024d", 1}};
/* Text between them, as the program has it and as it is quoted; in the assembler's form too. */
static const struct {
    const char *source, *quoted;
} pieces[] = {{" ", " "},       {"abc", "abc"},   {"\\n", "\\n"},
              {"\\\"", "\\\""}, {"\\\\", "\\\\"}, {"", ""}};

/* Appends n conversions and text; the words of all of them. */
static u32 put_format(u32 n, Buf *source, Buf *quoted)
{
    u32 words = 0;
    for (u32 i = 0; i < n; i++) {
        const u32 k = below(countof(conversions)), t = below(countof(pieces));
        if (words + conversions[k].words > 10)
            continue;
        words += conversions[k].words;
        buf_printf(source, "%s%s", pieces[t].source, conversions[k].spec);
        buf_printf(quoted, "%s%s", pieces[t].quoted, conversions[k].spec);
    }
    return words;
}

/* --- programs --------------------------------------------------------------------------------- */

/* Reserves a record, and stores its words: a constant each; the last is what completes it. */
static void put_record(Scene *s, u32 i, u32 nwords, const char *const words[])
{
    buf_printf(&s->text,
               "\tli t3, %u\n\tvmv.v.x v10, t3\n\tvmv.v.x v11, t1\n"
               "\tamoadd.w v12, v10, (v11)\n\tvadd.vx v13, v12, t1\n",
               4 * nwords);
    for (u32 k = 0; k < nwords; k++) {
        if (k == 1)
            buf_str(&s->text, "\tvmv.v.v v14, v1\n");
        else
            buf_printf(&s->text, "\t%s t2, %s\n\tvmv.v.x v14, t2\n",
                       words[k][0] >= '0' && words[k][0] <= '9' ? "li" : "la", words[k]);
        if (k + 1 == nwords)
            buf_printf(&s->text, "o%u:", i);
        buf_printf(&s->text, "\tvsw12.v v14, %u(v13)\n", 8 + 4 * k);
    }
}

static void put_print(Scene *s, u32 i, const char *format, u32 nargs, const char *const args[])
{
    char name[16], size[16];
    const char *words[3 + 16] = {size, "0", name};
    sprintf(name, "format%u", i);
    sprintf(size, "%u", 4 * (3 + nargs));
    buf_printf(&s->data, "format%u:\t.asciz \"%s\"\n\t.balign 4\n", i, format);
    for (u32 k = 0; k < nargs; k++)
        words[3 + k] = args[k];
    put_record(s, i, 3 + nargs, words);
}

/* One that is right, but for a last conversion that is not. */
static void put_conversion(Scene *s, u32 i)
{
    static const char *const bad[] = {"%y", "%n", "%v5d", "%w"};
    static const char *const rights[] = {"1", "2", "3", "4",  "5",  "6",
                                         "7", "8", "9", "10", "11", "12"};
    Buf source = {0};
    const char *args[16];
    const u32 words = put_format(below(4), &source, &s->format[i]);
    u32 n = words;
    const char *last = "";
    memcpy(args, rights, sizeof rights);
    switch (below(8)) {
    case 0:
        last = bad[below(2)];
        buf_printf(&s->want[i], "print: '%s' is no conversion of OpenCL C", last);
        break;
    case 1:
        last = below(2) ? "%1025d" : "%.2000d";
        buf_printf(&s->want[i], "print: '%s' asks for more than 1024 columns", last);
        n++;
        break;
    case 2:
        last = below(2) ? "%ld" : "%d";
        buf_printf(&s->want[i], "print: '%s' has no argument left", last);
        break;
    case 3:
        last = "%s";
        args[n++] = "0";
        buf_str(&s->want[i],
                "print: '%s' gets what is no string, 0x00000000, next to the null pointer");
        break;
    case 4:
        last = "%.3s";
        args[n++] = s->buffer;
        buf_str(&s->want[i], "print: '%.3s' gets a string that is no literal, at byte 0 of ");
        break;
    case 5:
        last = "%s";
        args[n++] = "word";
        break;
    default: break;
    }
    buf_str(&source, last);
    buf_str(&s->format[i], last);
    put_print(s, i, buf_text(&source), n, args);
    buf_free(&source);
    if (!s->want[i].len)
        buf_free(&s->format[i]);
}

/* A record of text, or one whose format is no string. */
static void put_text(Scene *s, u32 i)
{
    const bool is_text = below(2);
    const char *words[] = {"16", "0", is_text ? "0" : "0x00001000", "0x00636261"};
    put_record(s, i, 4, words);
    if (!is_text)
        buf_str(&s->want[i], "print: the format of a print is no string: 0x00001000");
}

/* Accesses to the buffer that are no prints; the host's word of its size may be read. */
static void put_wild(Scene *s, u32 i)
{
    static const struct {
        const char *insn, *what;
    } rows[] = {{"sw t2, %u(t4)", "store of 4 bytes"},
                {"sh t2, %u(t4)", "store of 2 bytes"},
                {"sb t2, %u(t4)", "store of 1 byte"},
                {"lw t2, %u(t4)", "load of 4 bytes"},
                {"lbu t2, %u(t4)", "load of 1 byte"},
                {"lhu t2, %u(t1)", "load of 2 bytes"},
                {"vlw12.v v14, %u(v11)", "load of 4 bytes"},
                {"amoxor.w v14, v10, (v11)", "atomic of 4 bytes"}};
    const u32 k = below(countof(rows) + 1);
    buf_str(&s->text, "\tli t2, 0\n\tvmv.v.x v10, t2\n\tvmv.v.x v11, t1\n");
    buf_printf(&s->text, "o%u:\t", i);
    if (k == countof(rows)) {
        buf_str(&s->text, "lw t2, 4(t1)\n");
        return;
    }
    buf_printf(&s->text, rows[k].insn, k < 5 ? 8 * below(200) : 0); /* far behind, or the head */
    buf_printf(&s->want[i], "\nprint: a wild %s reaches the print buffer: at byte ", rows[k].what);
    buf_str(&s->text, "\n");
}

static Object *make_image(Scene *s)
{
    buf_str(&s->text, "\t.kernel k\nk:\n\tvid.v v1\n\tcsrr t0, CSR_KNL\n\tlw t1, 48(t0)\n"
                      "\tlui t4, 16\n\tadd t4, t4, t1\n");
    buf_str(&s->data, "\t.data\nword:\t.asciz \"word\"\n\t.balign 4\n");
    for (u32 i = 0; i < OPS; i++)
        switch (below(4)) {
        case 0: put_text(s, i); break;
        case 1: put_wild(s, i); break;
        default: put_conversion(s, i); break;
        }
    buf_str(&s->text, "\tret\n");
    buf_put(&s->text, s->data.data, s->data.len);
    return image_of_operations(&s->text, OPS, s->pc);
}

/* --- runs ------------------------------------------------------------------------------------- */

static void run(Scene *s)
{
    Object *image = make_image(s);
    Buf printed = {0};
    const DrvKernel launch = {.kernel = "k",
                              .dims = 1,
                              .global = {LANES, 1, 1},
                              .local = {LANES, 1, 1},
                              .print = &printed,
                              .max_insns = 100000};
    run_image(s->driver, image, &launch);
    buf_free(&printed);
}

/* What was said at the pc is what should be, and nothing else. */
static u32 compare(const Scene *s, u32 i)
{
    const char *want = buf_text(&s->want[i]), *text = "";
    u32 n = 0;
    for (size_t k = 0; k < s->check->ncause; k++)
        if (s->check->cause[k].pc == s->pc[i]) {
            text = s->check->cause[k].text;
            n++;
        }
    want += *want == '\n';
    if (n != (*want != 0) || strncmp(text, want, strlen(want)))
        fail_msg("op %u, %u reports: '%s', should be '%s'", i, n, text, want);
    if (s->format[i].len) {
        Buf line = {0};
        buf_printf(&line, "\n  format      \"%s\"\n", buf_text(&s->format[i]));
        if (!strstr(text, buf_text(&line)))
            fail_msg("op %u: '%s' has no '%s'", i, text, buf_text(&line));
        buf_free(&line);
    }
    if (n)
        assert_non_null(strstr(text, "\n  work-item   (0, 0, 0)"));
    return n;
}

static void run_scenes(u32 times)
{
    u32 reports = 0;
    for (u32 t = 0; t < times; t++) {
        static Scene s;
        u64 at;
        s = (Scene){.driver = NULL};
        open_check(LANES, 1u << CHECK_print, &s.driver, &s.check);
        assert_int_equal(drv_alloc(s.driver, 64, &at), DRV_OK);
        assert_int_equal(drv_write(s.driver, at, "text", 5), DRV_OK);
        sprintf(s.buffer, "0x%08x", (u32)at);
        run(&s);
        for (u32 i = 0; i < OPS; i++) {
            reports += compare(&s, i);
            buf_free(&s.want[i]);
            buf_free(&s.format[i]);
        }
        buf_free(&s.text);
        buf_free(&s.data);
        drv_close(s.driver);
        check_close(s.check);
    }
    assert_true(reports > times * OPS / 5 && reports < times * OPS * 4 / 5);
}

static void prints_are_looked_at(void **state)
{
    (void)state;
    run_scenes(40);
}

static void a_few_leave_nothing(void **state)
{
    (void)state;
    run_scenes(3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(prints_are_looked_at),
                                       cmocka_unit_test(leaves_nothing),
                                       cmocka_unit_test(a_few_leave_nothing)};
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
