/* Files that say what is meant so: what is said of those that are wrong, and where; and that no file
 * stays open. */
#include "base/mem.h"
#include "check/check.h"
#include "test/kit/leftover.h"
#include "test/kit/objects.h"
#include <sys/stat.h>

static void must_read(const char *text)
{
    Caught c;
    catch_in(&c);
    CheckAllow *a = check_allow_read("f", text, &c.d);
    if (!a)
        fail_msg("'%s': %s", text, buf_text(&c.text));
    expect_silence(&c);
    check_allow_free(a);
}

static void files_that_are_right(void **state)
{
    char names[160] = "race";
    (void)state;
    must_read("");
    must_read("\n\n");
    must_read("# race");
    must_read("  \t \r\n");
    must_read("race a.cl");
    must_read("race a.cl:3");
    must_read("race a.cl:3-3\n");
    must_read("race,bounds,init,barrier,align,free,print a.cl:3-70 # why\nall kernel k#1\r\nall "
              "function f");
    must_read("race a:b.cl:1");
    must_read("race a.cl:4294967294"); /* one more means: to the end of the file */
    must_read("race kernels");
    must_read("race functio");
    while (strlen(names) + 5 < 128)
        strcat(names, ",race");
    strcat(names, " a.cl");
    must_read(names);
    check_allow_free(NULL);
}

static void must_refuse(const char *text, const char *first, const char *second)
{
    Caught c;
    catch_in(&c);
    if (check_allow_read("f", text, &c.d))
        fail_msg("'%s' is no error", text);
    assert_int_equal(c.d.errors, second ? 2 : 1);
    const char *at = strstr(buf_text(&c.text), first);
    if (at != buf_text(&c.text) || (second && !strstr(at + 1, second)))
        fail_msg("'%s': %s", text, buf_text(&c.text));
    buf_free(&c.text);
}

static void files_that_are_wrong(void **state)
{
    enum { LONG = 128 };
    static const char place[] = "a place is missing: FILE:LINE, 'function NAME' or 'kernel NAME'";
    static const char line[] = "this should be a line, or two with '-' between them";
    char text[200], want[200], names[200] = "race";
    (void)state;
    static const struct {
        const char *text, *where;
        int what; /* a place is missing, this should be a line, nothing should follow */
    } rows[] = {
        {"race", "1:5", 0},
        {"race # a.cl", "1:6", 0},
        {"race\ta.cl:", "1:11", 1},
        {"race kernel", "1:12", 0},
        {"race function\nrace a", "1:14", 0},
        {"race a:0", "1:8", 1},
        {"race a:1-", "1:8", 1},
        {"race a:2-1", "1:8", 1},
        {"race a:-1", "1:8", 1},
        {"race a:1x", "1:8", 1},
        {"race a:1-2x", "1:8", 1},
        {"race a:1-x", "1:8", 1},
        {"race a:4294967295", "1:8", 1},
        {"race a:1-4294967295", "1:8", 1},
        {"race a:99999999999999999999-3", "1:8", 1},
        {"race a:3-99999999999999999999", "1:8", 1},
        {"race a:1 b", "1:10", 2},
        {"\n\n  race kernel k b", "3:17", 2},
        {"race function f\nrace function f function", "2:17", 2},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        static const char *const what[] = {place, line, "nothing should follow here"};
        sprintf(want, "f:%s: error: %s\n", rows[i].where, what[rows[i].what]);
        must_refuse(rows[i].text, want, NULL);
    }
    must_refuse("rac a", "f:1:1: error: 'rac' is no check\n", NULL);
    must_refuse("race,races a", "f:1:1: error: 'races' is no check\n", NULL);
    must_refuse("race,,bounds a", "f:1:1: error: '' is no check\n", NULL);
    must_refuse("Race kernel k\nrace a\n bounds b:0", "f:1:1: error: 'Race' is no check\n",
                "f:3:11: error: this should be a line");
    must_refuse("race\nrace", "f:1:5: error: a place", "f:2:5: error: a place");
    while (strlen(names) < LONG)
        strcat(names, ",race");
    sprintf(text, "%.*s a", LONG, names);
    must_refuse(text, "f:1:1: error: this is no list of checks\n", NULL);
    sprintf(text, "%0*d a", LONG - 1, 0); /* of a word that is no check the beginning is said */
    sprintf(want, "f:1:1: error: '%031d' is no check\n", 0);
    must_refuse(text, want, NULL);
}

static void lists_of_checks(void **state)
{
    static const char *const all[] = {"bounds", "race", "init", "barrier",
                                      "align",  "free", "print"};
    char bad[32] = "";
    u32 seen = 0;
    (void)state;
    assert_int_equal(NCHECK, countof(all));
    for (size_t i = 0; i < countof(all); i++) {
        const u32 one = check_parse(all[i], bad);
        assert_int_equal(__builtin_popcount(one), 1);
        assert_false(seen & one);
        seen |= one;
    }
    assert_int_equal(check_parse(NULL, bad), seen);
    assert_int_equal(check_parse("", bad), seen);
    assert_int_equal(check_parse("all", bad), seen);
    assert_int_equal(check_parse("1", bad), seen);
    assert_int_equal(check_parse("race,init", bad), 1u << CHECK_race | 1u << CHECK_init);
    assert_int_equal(check_parse("race,race,", bad), 1u << CHECK_race);
    assert_string_equal(bad, "");
    assert_int_equal(check_parse("race,all", bad), 0);
    assert_string_equal(bad, "all");
}

/* --- files ------------------------------------------------------------------------------------ */

static void open_must_fail(const char *file, const char *why)
{
    Caught c;
    char want[200];
    catch_in(&c);
    assert_null(check_allow_open(file, &c.d));
    sprintf(want, why, file);
    assert_string_equal(buf_text(&c.text), want);
    assert_int_equal(c.d.errors, 1);
    buf_free(&c.text);
}

static void write_file(const char *file, const void *bytes, size_t len, size_t more)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    for (; more; more--)
        fputc(' ', f);
    assert_int_equal(fclose(f), 0);
}

static void files_are_read_and_closed(void **state)
{
    enum { MOST = 1 << 20 };
    char dir[] = "/tmp/allow-XXXXXX", file[64];
    Caught c;
    (void)state;
    assert_non_null(mkdtemp(dir));
    sprintf(file, "%s/f", dir);
    const int before = files_open();
    open_must_fail(file, "error: cannot read %s: No such file or directory\n");
    open_must_fail(dir, "error: cannot read %s: Invalid argument\n");
    write_file(file, "race a\0b", 8, 0);
    open_must_fail(file, "error: %s is no text\n");
    write_file(file, "race a", 6, MOST - 5);
    open_must_fail(file, "error: cannot read %s: File too large\n");
    write_file(file, "race a:0", 8, 0);
    catch_in(&c);
    assert_null(check_allow_open(file, &c.d));
    assert_memory_equal(buf_text(&c.text), file, strlen(file));
    assert_non_null(strstr(buf_text(&c.text), "/f:1:8: error: this should be a line"));
    buf_free(&c.text);
    write_file(file, "race a", 6, MOST - 6);
    catch_in(&c);
    CheckAllow *a = check_allow_open(file, &c.d);
    expect_silence(&c);
    assert_non_null(a);
    check_allow_free(a);
    assert_int_equal(files_open(), before);
    remove(file);
    assert_int_equal(mkfifo(file, 0600), 0); /* nobody waits for one who writes */
    open_must_fail(file, "error: cannot read %s: Invalid argument\n");
    remove(file);
    rmdir(dir);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(files_that_are_right),
        cmocka_unit_test(files_that_are_wrong),
        cmocka_unit_test(lists_of_checks),
        cmocka_unit_test(files_are_read_and_closed),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
