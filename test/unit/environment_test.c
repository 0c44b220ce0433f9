/* environment_test.c -- the environment variables: which values each row of variable.def allows, names that are
 * mistyped, and the device that comes of them. */
#include "drv/drv.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
    const char *name, *values;
} rows[] = {
#define VARIABLE(name, values) {#name, values},
#include "drv/variable.def"
};

static void clear(void)
{
    for (size_t i = 0; i < countof(rows); i++)
        unsetenv(rows[i].name);
    unsetenv("NUM_THREAD");
    unsetenv("NUM_WARP");
}

/* What is said of the environment, and whether it is good. */
static bool look(char said[1024])
{
    Buf text = {0};
    Diag d = {.sink = diag_to_buf, .to = &text};
    const bool ok = drv_check_variables(&d);
    snprintf(said, 1024, "%s", buf_text(&text));
    buf_free(&text);
    return ok;
}

static void expect(const char *name, const char *value, bool good)
{
    char said[1024], start[128];
    setenv(name, value, 1);
    const bool ok = look(said);
    unsetenv(name);
    snprintf(start, sizeof start, "error: %s: '%s' is not ", name, value);
    if (ok != good || (good ? *said : strncmp(said, start, strlen(start)) != 0))
        fail_msg("%s='%s': %s", name, value, said);
}

static void expect_number(const char *name, unsigned long v, bool good)
{
    char text[32];
    snprintf(text, sizeof text, "%lu", v);
    expect(name, text, good);
}

/* the word itself, and what is nearly it */
static void expect_words(const char *name, const char *values)
{
    char list[128], text[64];
    snprintf(list, sizeof list, "%s", values);
    expect(name, values, !strchr(values, ' '));
    for (char *rest = list, *word; (word = strtok_r(rest, " ", &rest));) {
        const size_t n = strlen(word);
        expect(name, word, true);
        snprintf(text, sizeof text, "%s ", word);
        expect(name, text, false);
        snprintf(text, sizeof text, " %s", word);
        expect(name, text, false);
        snprintf(text, sizeof text, "%sx", word);
        expect(name, text, false);
        snprintf(text, sizeof text, "%.*s~", (int)n - 1, word);
        expect(name, text, false);
        if (n > 1) {
            snprintf(text, sizeof text, "%.*s", (int)n - 1, word);
            expect(name, text, false);
        }
    }
}

static void allows_values(void **state)
{
    unsigned long min, max;
    int seen = 0;
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        const char *name = rows[i].name, *values = rows[i].values;
        expect(name, "", true);
        if (!*values) {
            expect(name, "any thing", true);
        } else if (!strcmp(values, "seconds")) {
            static const char *const good[] = {"0", "7", "0.25", "1e9", ".5", "1e-3"},
                                    *const bad[] = {"-1", "1.1e9", "5s", "s", "-", "nan", "1 2"};
            for (size_t k = 0; k < countof(good); k++)
                expect(name, good[k], true);
            for (size_t k = 0; k < countof(bad); k++)
                expect(name, bad[k], false);
            seen |= 1;
        } else if (sscanf(values, "%lu..%lu", &min, &max) == 2) {
            static const char *const bad[] = {"-1", "x", "1x", "-", "99999999999999999999", "-18446744073709551615"};
            expect_number(name, min, true);
            expect_number(name, max, true);
            expect_number(name, min - 1, false);
            expect_number(name, max + 1, false);
            for (size_t k = 0; k < countof(bad); k++)
                expect(name, bad[k], false);
            seen |= 2;
        } else {
            expect_words(name, values);
            seen |= 4;
        }
    }
    assert_int_equal(seen, 7);
}

/* A name that is one or two letters away from one of ours is asked about, and the nearest is named; others are those of
 * other software. */
static void asks_about_names(void **state)
{
    static const struct { const char *set, *meant; } names[] = {
        {"VENTUS_LANE", "VENTUS_LANES"}, {"VENTUS_LANESS", "VENTUS_LANES"}, {"VENTUS_LENAS", "VENTUS_LANES"},
        {"VENTUS_LANEX", "VENTUS_LANES"}, {"VENTUS_CACHEDIR", "VENTUS_CACHE_DIR"}, {"VENTUS_MACHIN", "VENTUS_MACHINE"},
        {"VENTUS_TRACES", "VENTUS_TRACE"}, {"VENTUS_LXNXX", NULL}, {"VENTUS_OTHER_THINGS", NULL}, {"VENTU_LANES", NULL},
        {"XVENTUS_LANES", NULL}};
    char said[1024], want[256] = "";
    (void)state;
    assert_true(look(said));
    assert_string_equal(said, "");
    for (size_t i = 0; i < countof(names); i++) {
        setenv(names[i].set, "1", 1);
        assert_true(look(said));
        unsetenv(names[i].set);
        snprintf(want, sizeof want, "warning: nothing reads the variable %s; did you mean %s?\n", names[i].set,
                 names[i].meant ? names[i].meant : "");
        assert_string_equal(said, names[i].meant ? want : "");
    }
}

/* The device of an environment of one variable. */
static bool read_with(const char *name, const char *value, DeviceOptions *o)
{
    Diag quiet = {.sink = NULL};
    setenv(name, value, 1);
    const bool ok = drv_environment(o, &quiet);
    unsetenv(name);
    return ok;
}

static void makes_a_device(void **state)
{
    const DeviceOptions plain = dev_defaults();
    DeviceOptions o;
    (void)state;
    for (u32 n = 0; n <= 70; n++) {
        char text[16];
        snprintf(text, sizeof text, "%u", n);
        const bool threads = n == 4 || n == 8 || n == 16 || n == 32;
        assert_int_equal(read_with("NUM_THREAD", text, &o), threads);
        if (threads)
            assert_int_equal(o.machine.lanes, n);
        const bool warps = n >= 1 && n <= 64;
        assert_int_equal(read_with("NUM_WARP", text, &o), warps);
        if (warps) { /* a processor holds a group at least */
            assert_int_equal(o.machine.group_warps, n);
            assert_int_equal(o.machine.warps, n > plain.machine.warps ? n : plain.machine.warps);
        }
        assert_int_equal(read_with("VENTUS_SMS", text, &o), n >= 1);
        if (n >= 1)
            assert_int_equal(o.machine.sms, n);
    }
    assert_false(read_with("NUM_WARP", "-18446744073709551612", &o)); /* 4, if it wrapped around */
    assert_true(read_with("VENTUS_MACHINE", "rtl", &o));
    setenv("NUM_WARP", "60", 1); /* more than this one holds by itself */
    assert_true(read_with("VENTUS_MACHINE", "rtl", &o));
    assert_int_equal(o.machine.group_warps, 60);
    assert_int_equal(o.machine.warps, 60);
    clear();
    assert_true(read_with("VENTUS_MMU", "1", &o) && o.mmu);
    assert_true(read_with("VENTUS_MMU", "0", &o) && !o.mmu);
    assert_true(read_with("VENTUS_ENGINE", "timing", &o));
    assert_string_equal(o.engine->name, "timing");
    assert_true(read_with("VENTUS_BACKEND", "timing", &o));
    assert_string_equal(o.engine->name, "timing");
    assert_true(read_with("VENTUS_BACKEND", "spike", &o));
    assert_ptr_equal(o.engine, plain.engine);
    assert_true(read_with("VENTUS_ISA", "v2025", &o) && o.set != plain.set);
    assert_true(read_with("VENTUS_LANES", "base", &o));
    assert_false(read_with("VENTUS_LANES", "sse", &o));
}

/* A description of up to 16 KiB less a byte is read, and no larger one. */
static void reads_descriptions(void **state)
{
    static char text[16384];
    char name[] = "/tmp/environment_test.XXXXXX";
    DeviceOptions o;
    (void)state;
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    memset(text, '\n', sizeof text);
    memcpy(text, "base = rtl\nsms = 7\n", 19);
    fwrite(text, 1, sizeof text - 2, f);
    fflush(f);
    assert_true(read_with("VENTUS_MACHINE", name, &o));
    assert_int_equal(o.machine.sms, 7);
    fwrite("\n\n", 1, 2, f);
    fclose(f);
    assert_false(read_with("VENTUS_MACHINE", name, &o));
    remove(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(allows_values), cmocka_unit_test(asks_about_names),
                                       cmocka_unit_test(makes_a_device), cmocka_unit_test(reads_descriptions)};
    clear();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
