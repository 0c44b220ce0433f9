/* kernelinfo_test.c -- the table of kernels: what is written comes back, and malformed texts are
 * refused. */
#include "base/mem.h"
#include "obj/kernelinfo.h"
#include "obj/optionwords.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static Object *with_text(const char *text, size_t len)
{
    Object *o = obj_new("test");
    const i32 s = obj_add_section(o, ".ventus.kernels", SHT_PROGBITS, 0, 1);
    buf_put(&o->sections[s].data, text, len);
    return o;
}

static void comes_back(void **state)
{
    (void)state;
    char a[] = "a", b[] = "b", k[] = "k", other[] = "other", type[] = "float4*",
         attributes[] = "nothing special", options[] = "-cl-std=CL2.0", none[] = "";
    KernelArg args[] = {
        {.name = a,
         .type = type,
         .kind = ARG_GLOBAL,
         .size = 4,
         .align = 4,
         .pointee_align = 16,
         .is_const = true},
        {.name = b, .type = none, .kind = ARG_LOCAL, .size = 4, .align = 4, .is_volatile = true},
        {.name = a, .type = none, .kind = ARG_IMAGE, .size = 36, .align = 4, .access = IMAGE_WRITE_ONLY},
        {.name = a, .type = none, .kind = ARG_SAMPLER, .size = 4, .align = 4},
    };
    KernelInfo kernels[] = {
        {.name = k, .attributes = attributes, .reqd_local = {8, 2, 1}, .args = args, .nargs = 4},
        {.name = other, .silent = true},
    };
    const KernelTable t = {
        .kernels = kernels, .nkernels = 2, .globals_size = 12, .options = options};
    Diag d = {0};
    Object *o = obj_new("test");
    assert_true(kernelinfo_add(o, &t));
    KernelTable back;
    assert_true(kernelinfo_read(o, &back, &d));
    assert_int_equal(back.nkernels, 2);
    assert_int_equal(back.globals_size, 12);
    assert_string_equal(back.options, options);
    const KernelInfo *i = kernelinfo_find(&back, "k");
    assert_non_null(i);
    assert_string_equal(i->attributes, attributes);
    assert_int_equal(i->reqd_local[0], 8);
    assert_int_equal(i->reqd_local[1], 2);
    assert_int_equal(i->nargs, 4);
    assert_string_equal(i->args[0].type, type);
    assert_int_equal(i->args[0].kind, ARG_GLOBAL);
    assert_int_equal(i->args[0].pointee_align, 16);
    assert_true(i->args[0].is_const && !i->args[0].is_volatile);
    assert_int_equal(i->args[1].kind, ARG_LOCAL);
    assert_int_equal(i->args[2].kind, ARG_IMAGE);
    assert_int_equal(i->args[2].access, IMAGE_WRITE_ONLY);
    assert_int_equal(i->args[3].kind, ARG_SAMPLER);
    assert_true(!i->args[1].is_const && i->args[1].is_volatile);
    assert_int_equal(kernelinfo_find(&back, "other")->nargs, 0);
    assert_true(!i->silent && kernelinfo_find(&back, "other")->silent);
    assert_null(kernelinfo_find(&back, "third"));
    kernelinfo_free(&back);
    obj_free(o);
}

static void malformed(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{\"kernels\":[]}",
        "{\"version\":2,\"kernels\":[]}",
        "{\"version\":1,\"kernels\":[1]}",
        "{\"version\":1,\"kernels\":[{\"name\":3}]}",
        "{\"version\":1,\"kernels\":[{\"name\":\"k\",\"reqd_local\":[1,2]}]}",
        "{\"version\":1,\"kernels\":[{\"name\":\"k\",\"args\":[{\"kind\":\"texture\",\"align\":4}]}]"
        "}",
        "{\"version\":1,\"kernels\":[{\"name\":\"k\",\"args\":[{\"kind\":\"image\",\"align\":4,"
        "\"access\":\"all\"}]}]}",
        "{\"version\":1,\"kernels\":[{\"name\":\"k\",\"args\":[{\"kind\":\"value\",\"align\":3}]}]"
        "}",
        "{\"version\":1,\"kernels\":[{\"name\":\"k\",\"args\":[{\"kind\":\"value\",\"align\":4,"
        "\"size\":-1}]}]}",
    };
    for (size_t i = 0; i < countof(bad); i++) {
        Diag d = {0};
        KernelTable t;
        Object *o = with_text(bad[i], strlen(bad[i]));
        assert_false(kernelinfo_read(o, &t, &d));
        assert_int_equal(d.errors, 1);
        assert_int_equal(t.nkernels, 0);
        obj_free(o);
    }
}

/* an object without a table is no mistake */
static void absent(void **state)
{
    (void)state;
    Diag d = {0};
    KernelTable t;
    Object *o = obj_new("test");
    assert_false(kernelinfo_read(o, &t, &d));
    assert_int_equal(d.errors, 0);
    obj_free(o);
}

/* --- options ------------------------------------------------------------------------------- */

/* Words that quotes and backslashes hold together, and the same again from the text that they make. */
static void words_come_back(void **state)
{
    static const char text[] = " -DA=1  -D 'B=x y'\t\"-I/a b\" -DC=\\\"s\\\" -DD=a\\\\b";
    static const char *const want[] = {"-DA=1", "-D", "B=x y", "-I/a b", "-DC=\"s\"", "-DD=a\\b"};
    Buf store = {0}, again = {0};
    const char **words;
    size_t n;
    (void)state;
    for (int round = 0; round < 2; round++) {
        assert_true(options_split(round ? buf_text(&again) : text, &store, &words, &n));
        assert_int_equal(n, countof(want));
        for (size_t i = 0; i < n; i++)
            assert_string_equal(words[i], want[i]);
        if (!round)
            options_join(words, n, &again);
        mem_free(words);
    }
    assert_false(options_split("-D'x", &store, &words, &n));
    mem_free(words);
    buf_free(&store);
    buf_free(&again);
}

/* An option is a word, and no part of another or its value. */
static void options_are_words(void **state)
{
    static const struct { const char *text; bool has, partial; } rows[] = {
        {NULL, false, false},
        {"", false, false},
        {"-cl-kernel-arg-info", true, false},
        {"-cl-std=CL3.0 '-cl-kernel-arg-info'", true, true},
        {"-DX=-cl-kernel-arg-info", false, false},
        {"-DX='a -cl-kernel-arg-info'", false, false},
        {"-D -cl-kernel-arg-info -cl-std=CL2.0", false, true},
        {"-I -cl-std=CL3.0 -cl-kernel-arg-info", true, false},
        {"-cl-kernel-arg-info-of-others", false, false},
        {"-DX=-cl-std=CL2.0", false, false},
        {"-cl-std=CL2.0 -DX=-cl-uniform-work-group-size", false, true},
        {"-cl-std=CL2.0 -cl-uniform-work-group-size", false, false},
        {"-cl-std=CL3.0 -cl-std=CL1.2", false, false},
        {"-cl-std=CL1.2 -cl-std=CL3.0", false, true},
        {"-cl-kernel-arg-info 'not closed", false, false},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++)
        if (options_have(rows[i].text, "-cl-kernel-arg-info", NULL) != rows[i].has ||
            kernelinfo_allows_partial(rows[i].text) != rows[i].partial)
            fail_msg("%s", rows[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(malformed),
        cmocka_unit_test(absent), cmocka_unit_test(words_come_back),
                                       cmocka_unit_test(options_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
