/* depends_test.c -- which files a compilation looked at: what is noted of them, and that every change of one is
 * noticed.
 */
#include "test/kit/leftover.h"
#include "comp/bytes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char scratch[] = "/tmp/depends_test.XXXXXX";

static const char *in_scratch(const char *name)
{
    static char path[4][256];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", scratch, name);
    return p;
}

static void put(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(in_scratch(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void add(Buf *log, FileKind kind, const char *path)
{
    buf_put(log, &(u8){(u8)kind}, 1);
    buf_put(log, path, strlen(path) + 1);
}

static bool look_at(const Buf *log, const struct timespec *since, Buf *files)
{
    files->len = 0;
    return files_note((Bytes){log->data, log->len}, since, files);
}

static bool hold(const Buf *files) { return files_hold((Bytes){files->data, files->len}); }

/* Whether the next thing in the list is that. */
static void expect_entry(In *in, FileKind kind, const char *path, u64 size, u64 hash)
{
    assert_int_equal(get_number(in, 4), kind);
    assert_string_equal(get_text(in), path);
    assert_int_equal(get_number(in, 8), size);
    assert_int_equal(get_number(in, 8), hash);
    assert_false(in->failed);
}

/* Sizes and hashes are those of FNV-1a's published examples. */
static void notes_contents(void **state)
{
    Buf log = {0}, files = {0};
    (void)state;
    put("empty", "", 0);
    put("a", "a", 1);
    put("foobar", "foobar", 6);
    add(&log, FILE_READ, in_scratch("empty"));
    add(&log, FILE_READ, in_scratch("a"));
    add(&log, FILE_ABSENT, in_scratch("none"));
    add(&log, FILE_ABSENT, in_scratch("a/none"));
    add(&log, FILE_READ, in_scratch("foobar"));
    add(&log, FILE_THERE, scratch);
    assert_true(look_at(&log, NULL, &files));
    In in = {files.data, files.len, false};
    expect_entry(&in, FILE_READ, in_scratch("empty"), 0, 0xcbf29ce484222325);
    expect_entry(&in, FILE_READ, in_scratch("a"), 1, 0xaf63dc4c8601ec8c);
    expect_entry(&in, FILE_ABSENT, in_scratch("none"), 0, 0);
    expect_entry(&in, FILE_ABSENT, in_scratch("a/none"), 0, 0);
    expect_entry(&in, FILE_READ, in_scratch("foobar"), 6, 0x85944171f73967e8);
    expect_entry(&in, FILE_THERE, scratch, 0, 0);
    assert_int_equal(in.left, 0);
    assert_true(hold(&files));
    /* cut off anywhere but between two entries they say nothing */
    size_t entries = 0;
    const size_t all = files.len;
    for (files.len = 0; files.len < all; files.len++)
        entries += hold(&files);
    assert_int_equal(entries, 6); /* none, and up to five of them */
    buf_free(&log);
    buf_free(&files);
}

static void notices_changes(void **state)
{
    enum { SIZE = 3 * 4096 + 5 };
    static u8 bytes[SIZE + 1];
    Buf log = {0}, files = {0};
    (void)state;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (u8)(i * 7 + i / 256);
    put("large", bytes, SIZE);
    add(&log, FILE_READ, in_scratch("large"));
    add(&log, FILE_ABSENT, in_scratch("later"));
    mkdir(in_scratch("dir"), 0777);
    add(&log, FILE_THERE, in_scratch("dir"));
    assert_true(look_at(&log, NULL, &files));
    assert_true(hold(&files));
    static const size_t places[] = {0, 1, 4095, 4096, 8191, 8192, SIZE - 1};
    for (size_t i = 0; i < countof(places); i++) { /* one byte */
        bytes[places[i]] ^= 1;
        put("large", bytes, SIZE);
        assert_false(hold(&files));
        bytes[places[i]] ^= 1;
    }
    put("large", bytes, SIZE - 1);
    assert_false(hold(&files));
    put("large", bytes, SIZE + 1);
    assert_false(hold(&files));
    unlink(in_scratch("large"));
    assert_false(hold(&files));
    mkdir(in_scratch("large"), 0777); /* no file */
    assert_false(hold(&files));
    rmdir(in_scratch("large"));
    assert_int_equal(mkfifo(in_scratch("large"), 0600), 0); /* nor this, for which nobody waits */
    assert_false(hold(&files));
    unlink(in_scratch("large"));
    put("large", bytes, SIZE);
    assert_true(hold(&files));
    put("later", "", 0);
    assert_false(hold(&files));
    unlink(in_scratch("later"));
    assert_true(hold(&files));
    rmdir(in_scratch("dir"));
    assert_false(hold(&files));
    put("dir", "", 0); /* something is there, and that is all that was found */
    assert_true(hold(&files));
    unlink(in_scratch("dir"));
    buf_free(&log);
    buf_free(&files);
}

/* A path is noted once, as a file that was read if it was; what is there that could not be is not known. */
static void notes_each_once(void **state)
{
    Buf log = {0}, files = {0};
    const char *a = in_scratch("a"), *d = scratch;
    (void)state;
    put("a", "a", 1);
    add(&log, FILE_THERE, a);
    add(&log, FILE_THERE, d);
    add(&log, FILE_READ, "/proc/self/fd/0"); /* the source, which is in the request */
    add(&log, FILE_ABSENT, "/proc/self/fdx");
    add(&log, FILE_READ, a);
    add(&log, FILE_READ, a);
    add(&log, FILE_THERE, d);
    add(&log, FILE_THERE, a);
    assert_true(look_at(&log, NULL, &files));
    In in = {files.data, files.len, false};
    expect_entry(&in, FILE_THERE, d, 0, 0);
    expect_entry(&in, FILE_ABSENT, "/proc/self/fdx", 0, 0);
    expect_entry(&in, FILE_READ, a, 1, 0xaf63dc4c8601ec8c);
    assert_int_equal(in.left, 0);
    static const struct { FileKind kind; const char *name; bool good; } rows[] = {
        {FILE_READ, "a", true}, {FILE_READ, "none", false}, {FILE_READ, "", false}, {FILE_THERE, "a", true},
        {FILE_THERE, "none", false}, {FILE_ABSENT, "none", true}, {FILE_ABSENT, "a", false}, {FILE_OTHER, "a", false},
        {FILE_OTHER, "none", false}, {0, "a", false}};
    for (size_t i = 0; i < countof(rows); i++) {
        log.len = 0;
        add(&log, rows[i].kind, in_scratch(rows[i].name));
        if (look_at(&log, NULL, &files) != rows[i].good)
            fail_msg("row %zu", i);
        log.len--; /* the end of the path */
        assert_false(look_at(&log, NULL, &files));
    }
    log.len = 0; /* found, and then gone */
    add(&log, FILE_THERE, a);
    add(&log, FILE_ABSENT, a);
    assert_false(look_at(&log, NULL, &files));
    log.len = 0;
    assert_true(look_at(&log, NULL, &files));
    assert_int_equal(files.len, 0);
    buf_free(&log);
    buf_free(&files);
}

/* A file that changed when the compilation had begun may not be the one that it read. */
static void trusts_older_files(void **state)
{
    Buf log = {0}, files = {0};
    struct stat st;
    (void)state;
    put("a", "a", 1);
    assert_int_equal(stat(in_scratch("a"), &st), 0);
    add(&log, FILE_READ, in_scratch("a"));
    const time_t s = st.st_ctim.tv_sec;
    const long ns = st.st_ctim.tv_nsec;
    const struct { struct timespec since; bool older; } rows[] = {
        {{s, ns}, false}, {{s, ns + 1}, true}, {{s, ns - 1}, false}, {{s + 1, 0}, true}, {{s - 1, 999999999}, false}};
    for (size_t i = 0; i < countof(rows); i++)
        assert_int_equal(look_at(&log, &rows[i].since, &files), rows[i].older);
    buf_free(&log);
    buf_free(&files);
}

static int remove_all(void **state)
{
    static const char *const names[] = {"empty", "a", "foobar", "large", "later", "dir"};
    (void)state;
    for (size_t i = 0; i < countof(names); i++)
        remove(in_scratch(names[i]));
    return rmdir(scratch);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_nothing), cmocka_unit_test(notes_contents), cmocka_unit_test(notices_changes),
                                       cmocka_unit_test(notes_each_once), cmocka_unit_test(trusts_older_files)};
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return mkdtemp(scratch) ? cmocka_run_group_tests(tests, NULL, remove_all) : 1;
}
