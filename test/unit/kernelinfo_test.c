/* kernelinfo_test.c -- the table of kernels: what is written comes back, and malformed texts are
 * refused. */
#include "base/mem.h"
#include "isa/abi.h"
#include "obj/kernelinfo.h"
#include "obj/optionwords.h"
#include "test/kit/leftover.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
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

/* --- any table ------------------------------------------------------------------------------ */

static u32 rnd(u32 n)
{
    static u32 seed = 1;
    seed = seed * 1664525 + 1013904223;
    return (u32)((u64)(seed >> 4) * n >> 28);
}

static char *some_text(void)
{
    static const char *const some[] = {"", "a", "__attribute__((x(1)))", "\"\\ \t", "k1"};
    return (char *)(uintptr_t)some[rnd(5)];
}

/* Mostly 0, which is left out. */
static u32 some_number(u32 most) { return rnd(2) ? 0 : rnd(2) ? most : 1 + rnd(100); }

enum { MOST = 4 };

static void some_kernel(KernelInfo *k, KernelArg args[MOST], KernelLocal locals[MOST])
{
    *k = (KernelInfo){.name = some_text(),
                      .attributes = some_text(),
                      .vec_hint = some_text(),
                      .args = args,
                      .nargs = rnd(MOST + 1),
                      .locals = locals,
                      .nlocals = rnd(MOST + 1),
                      .silent = rnd(2)};
    for (int i = 0; i < 3; i++) {
        k->reqd_local[i] = some_number(UINT32_MAX);
        k->local_hint[i] = some_number(UINT32_MAX);
    }
    for (size_t i = 0; i < k->nargs; i++)
        args[i] = (KernelArg){.name = some_text(),
                              .type = some_text(),
                              .kind = (KernelArgKind)rnd(ARG_PIPE + 1),
                              .size = some_number(ABI_ARGS_MOST),
                              .align = 1u << rnd(17),
                              .pointee_align = some_number(65536),
                              .is_const = rnd(2),
                              .is_restrict = rnd(2),
                              .is_volatile = rnd(2),
                              .access = (ImageAccess)rnd(IMAGE_READ_WRITE + 1)};
    for (size_t i = 0; i < k->nlocals; i++)
        locals[i] = (KernelLocal){.name = some_text(),
                                  .offset = some_number(UINT32_MAX),
                                  .size = some_number(UINT32_MAX)};
}

static void same_kernel(const KernelInfo *a, const KernelInfo *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->attributes, b->attributes);
    assert_string_equal(a->vec_hint, b->vec_hint);
    assert_memory_equal(a->reqd_local, b->reqd_local, sizeof a->reqd_local);
    assert_memory_equal(a->local_hint, b->local_hint, sizeof a->local_hint);
    assert_true(a->nargs == b->nargs && a->nlocals == b->nlocals && a->silent == b->silent);
    for (size_t i = 0; i < a->nargs; i++) {
        const KernelArg *x = &a->args[i], *y = &b->args[i];
        assert_string_equal(x->name, y->name);
        assert_string_equal(x->type, y->type);
        assert_true(x->kind == y->kind && x->size == y->size && x->align == y->align);
        assert_true(x->pointee_align == y->pointee_align && x->access == y->access);
        assert_true(x->is_const == y->is_const && x->is_restrict == y->is_restrict &&
                    x->is_volatile == y->is_volatile);
    }
    for (size_t i = 0; i < a->nlocals; i++) {
        assert_string_equal(a->locals[i].name, b->locals[i].name);
        assert_int_equal(a->locals[i].offset, b->locals[i].offset);
        assert_int_equal(a->locals[i].size, b->locals[i].size);
    }
}

static void any_table_comes_back(void **state)
{
    (void)state;
    static KernelInfo kernels[MOST];
    static KernelArg args[MOST][MOST];
    static KernelLocal locals[MOST][MOST];
    for (u32 run = 0; run < 200; run++) {
        KernelTable t = {.kernels = kernels,
                         .nkernels = rnd(MOST + 1),
                         .globals_size = some_number(UINT32_MAX),
                         .options = some_text()};
        KernelTable back;
        Diag d = {0};
        Object *o = obj_new("test");
        for (size_t i = 0; i < t.nkernels; i++)
            some_kernel(&kernels[i], args[i], locals[i]);
        assert_true(kernelinfo_add(o, &t));
        const ObjSection *s = &o->sections[0];
        assert_true(s->size == s->data.len && s->type == SHT_PROGBITS && !s->flags);
        /* what is false, zero or empty is left out */
        assert_null(strstr(buf_text(&s->data), ":0,\""));
        assert_null(strstr(buf_text(&s->data), "false"));
        assert_null(strstr(buf_text(&s->data), "\"\""));
        assert_null(strstr(buf_text(&s->data), "[0,0,0]"));
        assert_null(strstr(buf_text(&s->data), "\"locals\":[]"));
        assert_true(kernelinfo_read(o, &back, &d));
        assert_true(!d.errors && back.nkernels == t.nkernels);
        assert_int_equal(back.globals_size, t.globals_size);
        assert_string_equal(back.options, t.options);
        for (size_t i = 0; i < t.nkernels; i++)
            same_kernel(&kernels[i], &back.kernels[i]);
        kernelinfo_free(&back);
        assert_true(!back.kernels && !back.nkernels && !back.options);
        obj_free(o);
    }
}

/* The greatest number of each field, and one that is more. */
static void numbers_have_limits(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        u64 most;
        const char *after;
    } row[] = {
        {"\"globals_size\":", UINT32_MAX, ""},
        {"\"kernels\":[{\"args\":[{\"kind\":\"value\",\"align\":1,\"size\":", ABI_ARGS_MOST,
         "}]}]"},
        {"\"kernels\":[{\"args\":[{\"kind\":\"pipe\",\"align\":", 65536, "}]}]"},
        {"\"kernels\":[{\"args\":[{\"kind\":\"global\",\"align\":1,\"pointee_align\":", 65536,
         "}]}]"},
        {"\"kernels\":[{\"locals\":[{\"offset\":", UINT32_MAX, "}]}]"},
        {"\"kernels\":[{\"locals\":[{\"size\":", UINT32_MAX, "}]}]"},
        {"\"kernels\":[{\"reqd_local\":[1,1,", UINT32_MAX, "]}]"},
        {"\"kernels\":[{\"local_hint\":[", UINT32_MAX, ",0,0]}]"},
    };
    for (size_t i = 0; i < countof(row); i++)
        for (u64 more = 0; more < 3; more++) {
            Buf text = {0};
            Diag d = {0};
            KernelTable t;
            if (more < 2)
                buf_printf(&text, "{\"version\":1,%s%llu%s}", row[i].before,
                           (unsigned long long)(row[i].most + more), row[i].after);
            else
                buf_printf(&text, "{\"version\":1,%s-1%s}", row[i].before, row[i].after);
            Object *o = with_text(buf_text(&text), text.len);
            assert_int_equal(kernelinfo_read(o, &t, &d), !more);
            assert_int_equal(d.errors, more > 0);
            assert_false(d.no_memory);
            kernelinfo_free(&t);
            obj_free(o);
            buf_free(&text);
        }
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

/* Tables one behind the other, as the linker puts those of several objects: all kernels in their order, the options of the
 * first. */
static void several_tables(void **state)
{
    static const char text[] =
        "{\"version\":1,\"globals_size\":8,\"options\":\"-w\",\"kernels\":[{\"name\":\"a\"},{\"name\":\"b\"}]}\n"
        "{\"version\":1,\"kernels\":[]}\0\0"
        "{\"version\":1,\"globals_size\":4,\"options\":\"-O0\",\"kernels\":[{\"name\":\"c\",\"silent\":true}]} \n\0";
    (void)state;
    for (size_t len = sizeof text - 1; len > 0; len--) {
        Diag d = {0};
        KernelTable t;
        Object *o = with_text(text, len);
        const bool whole = text[len - 1] == '}' ? text[len] != ',' && text[len] != ']' : text[len - 1] <= ' ';
        if (kernelinfo_read(o, &t, &d) != whole)
            fail_msg("%zu bytes: %d errors", len, d.errors);
        assert_int_equal(d.errors, !whole);
        if (len == sizeof text - 1) {
            assert_int_equal(t.nkernels, 3);
            assert_string_equal(t.kernels[0].name, "a");
            assert_string_equal(t.kernels[1].name, "b");
            assert_string_equal(t.kernels[2].name, "c");
            assert_true(t.kernels[2].silent && !t.kernels[1].silent);
            assert_int_equal(t.globals_size, 12);
            assert_string_equal(t.options, "-w");
        }
        kernelinfo_free(&t);
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

/* Any words come back from their text, whatever is in them and if they are empty, beside what was there. */
static void any_words_come_back(void **state)
{
    (void)state;
    static const char letters[] = "ab-= \t\n\r\v\f\\\"'\"' ";
    for (u32 run = 0; run < 2000; run++) {
        char word[4][8] = {{0}};
        const char *const in[] = {word[0], word[1], word[2], word[3]};
        const size_t n = rnd(5);
        for (size_t i = 0; i < n; i++)
            for (u32 k = 0, len = rnd(8); k < len; k++)
                word[i][k] = letters[rnd(sizeof letters - 1)];
        Buf text = {0}, store = {0};
        const char **out;
        size_t nout;
        buf_str(&store, "before");
        options_join(in, n, &text);
        assert_true(options_split(buf_text(&text), &store, &out, &nout));
        assert_int_equal(nout, n);
        for (size_t i = 0; i < n; i++)
            assert_string_equal(out[i], in[i]);
        assert_memory_equal(store.data, "before", 6);
        mem_free(out);
        buf_free(&text);
        buf_free(&store);
    }
}

/* The rules of a shell, but that a backslash protects any letter in double quotes. */
static void quotes_hold_words_together(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words; /* each in brackets; NULL: a quote is not closed */
    } row[] = {
        {"", ""},
        {" \t ", ""},
        {"a", "[a]"},
        {"  a  b ", "[a][b]"},
        {"''", "[]"},
        {"a '' b", "[a][][b]"},
        {"'a b'c\"d e\"", "[a bc" "d e]"},
        {"'a\\b'", "[a\\b]"},
        {"\"a\\b\"", "[ab]"},
        {"\"a'b\"", "[a'b]"},
        {"'a\"b'", "[a\"b]"},
        {"\"a\\\"b\"", "[a\"b]"},
        {"a\\ b", "[a b]"},
        {"a\\", "[a\\]"},
        {"a\vb\fc\rd\ne", "[a][b][c][d][e]"},
        {"a\x08" "b\x0e" "c", "[a\x08" "b\x0e" "c]"},
        {"a 'b", NULL},
        {"a \"b\\\"", NULL},
    };
    for (size_t i = 0; i < countof(row); i++) {
        Buf store = {0}, got = {0};
        const char **words;
        size_t n;
        const bool is_whole = options_split(row[i].text, &store, &words, &n);
        assert_int_equal(is_whole, row[i].words != NULL);
        for (size_t k = 0; is_whole && k < n; k++)
            buf_printf(&got, "[%s]", words[k]);
        if (is_whole)
            assert_string_equal(buf_text(&got), row[i].words);
        mem_free(words);
        buf_free(&store);
        buf_free(&got);
    }
}

/* The word after one of these is its value, whatever it looks like; of several the last counts. */
static void values_are_no_options(void **state)
{
    (void)state;
    static const char *const takes[] = {"-D", "-U", "-I", "-include"};
    static const char *const not[] = {"-DX", "-i", "-isystem", "-O", "D", "-includes", ""};
    for (size_t i = 0; i < countof(takes); i++) {
        char text[64];
        Buf value = {0};
        assert_true(options_takes_word(takes[i]));
        snprintf(text, sizeof text, "%s -v=1 -v=2 -v=3 %s -x", takes[i], takes[i]);
        assert_false(options_have(text, "-x", NULL));
        assert_true(options_have(text, "-v=", &value));
        assert_string_equal(buf_text(&value), "3");
        assert_false(options_have(text, "-v=1", NULL) || options_have(text, "-w=", &value));
        assert_string_equal(buf_text(&value), "3");
        buf_free(&value);
    }
    for (size_t i = 0; i < countof(not); i++)
        assert_false(options_takes_word(not[i]));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(any_table_comes_back),
        cmocka_unit_test(numbers_have_limits),
        cmocka_unit_test(any_words_come_back),
        cmocka_unit_test(quotes_hold_words_together),
        cmocka_unit_test(values_are_no_options),
        cmocka_unit_test(comes_back),
        cmocka_unit_test(malformed),
        cmocka_unit_test(several_tables),
        cmocka_unit_test(absent),
        cmocka_unit_test(words_come_back),
        cmocka_unit_test(options_are_words),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
