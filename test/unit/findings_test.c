/* findings_test.c -- what becomes of findings of a check: causes that are one because their
 * instructions or their lines are, what is meant so, how many are told; against a list.
 */
#include "link/link.h"
#include "test/kit/checkrig.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"
#include <jansson.h>

/* lines of the text in which instructions are, some more than one */
enum { PLACES = 8, FIRST_LINE = 3, MOST_CAUSES = 1000, MOST_REPORTS = 100, MOST = 3000 };
static const u32 line_of[PLACES] = {3, 4, 4, 5, 6, 6, 6, 7};
static const u32 statement_of[PLACES] = {0, 1, 1, 2, 3, 3, 4, 5}; /* which have columns, too */

typedef struct {
    Driver *driver;
    Check *check;
    CheckAllow *allow;
    u32 pc[PLACES];
    Launch launch;
    Group group;
    Warp warp;
    u64 heard;
} Scene;

/* --- a check, and a warp that is somewhere in its program ------------------------------------- */

static Object *make_image(u32 pc[PLACES])
{
    Caught c;
    Object *o = assemble_in(&c,
                            "\t.text\n\t.kernel k\n"
                            "k:\tnop\n"
                            "\tli t0, 0x12345678\n" /* two instructions */
                            "\tnop\n"
                            "\tli t0, 0x12345678; nop\n"
                            "\tret\n",
                            &(AsmOptions){.set = V202, .lines = true});
    Object *image =
        o ? link_program((const Object *const *)&o, 1, &(LinkOptions){.output = "t.elf"}, &c.d)
          : NULL;
    if (!image)
        fail_msg("%s", buf_text(&c.text));
    const i32 k = obj_find_symbol(image, "k");
    assert_true(k >= 0);
    for (u32 i = 0; i < PLACES; i++)
        pc[i] = (u32)image->symbols[k].value + 4 * i;
    obj_free(o);
    buf_free(&c.text);
    return image;
}

static void hear(void *to, const CheckReport *r)
{
    (void)r;
    ++*(u64 *)to;
}

static void open_scene(Scene *s, const char *allow)
{
    Caught c;
    DeviceOptions dev = dev_defaults();
    memset((void *)s, 0, sizeof *s);
    catch_in(&c);
    s->driver = drv_open(&dev);
    assert_non_null(s->driver);
    assert_int_equal(drv_load(s->driver, make_image(s->pc), &c.d), DRV_OK);
    s->allow = allow ? check_allow_read("allow", allow, &c.d) : NULL;
    expect_silence(&c);
    s->check = check_open(s->driver, (1u << NCHECK) - 1, s->allow, hear, &s->heard);
    assert_non_null(s->check);
    s->launch = (Launch){.kernel = "k", .lanes = 4, .warps = 1, .groups = {1, 1, 1}, .set = V202};
    s->group.launch = &s->launch;
    s->warp.group = &s->group;
    s->warp.exec = s->warp.initial = 6;
}

static void close_scene(Scene *s)
{
    drv_close(s->driver);
    check_close(s->check);
    check_allow_free(s->allow);
}

static bool find(Scene *s, const Finding *f, const char *sentence)
{
    const bool is = is_new(s->check, f);
    if (is)
        report(s->check, f, sentence, "\n  more");
    return is;
}

/* --- a list of them --------------------------------------------------------------------------- */

typedef struct {
    CheckKind kind;
    u32 place, other; /* numbers, other + 1 or 0 */
    u64 where, count;
    u32 same; /* 1 + the one that is told instead, or 0 */
    bool told;
} Known;

static u32 line_or_0(u32 other) { return other ? line_of[other - 1] : 0; }
static u32 statement_or_0(u32 other) { return other ? statement_of[other - 1] + 1 : 0; }

/* The number of the one that counts; told: it is new, and may be told. */
static u32 know(Known *all, u32 *n, const Known *f, bool *is_new_one)
{
    *is_new_one = false;
    for (u32 i = 0; i < *n; i++) {
        const Known *k = &all[i];
        const bool same = k->place == f->place && k->other == f->other;
        const bool swapped = f->other && k->other == f->place + 1 && k->place + 1 == f->other;
        if (k->kind == f->kind && k->where == f->where && (same || swapped))
            return k->same ? k->same - 1 : i;
    }
    all[*n] = *f;
    for (u32 i = 0; i < *n; i++) {
        const Known *k = &all[i];
        if (k->told && k->kind == f->kind && k->where == f->where &&
            statement_of[k->place] == statement_of[f->place] &&
            statement_or_0(k->other) == statement_or_0(f->other)) {
            all[*n].same = i + 1;
            break;
        }
    }
    *is_new_one = !all[*n].same;
    ++*n;
    return all[*n - 1].same ? all[*n - 1].same - 1 : *n - 1;
}

static void compare(const Scene *s, const Known *all, u32 n, bool more)
{
    CheckReport r;
    u64 of_kind[NCHECK] = {0};
    size_t told = 0;
    Buf line = {0}, json = {0};
    char want[40];
    for (u32 i = 0; i < n; i++) {
        if (!all[i].told)
            continue;
        assert_true(check_report(s->check, told++, &r));
        assert_int_equal(r.kind, all[i].kind);
        assert_int_equal(r.count, all[i].count);
        assert_string_equal(r.kernel, "k");
        assert_string_equal(r.file, "t.s");
        assert_int_equal(r.line, line_of[all[i].place]);
        snprintf(want, sizeof want, "%s: case %u", check_name(r.kind), i);
        assert_memory_equal(r.text, want, strlen(want));
        assert_non_null(strstr(r.text, "\n  more\n"));
        assert_non_null(strstr(r.text, "\n  lane        1\n")); /* the first that is active */
        of_kind[r.kind]++;
    }
    assert_false(check_report(s->check, told, &r));
    check_summary(s->check, &line);
    snprintf(want, sizeof want, "%u mistake%s found:", (u32)told, told == 1 ? "" : "s");
    assert_memory_equal(buf_text(&line), told ? want : "", told ? strlen(want) : 1);
    for (int k = 0; k < NCHECK; k++) {
        snprintf(want, sizeof want, " %u %s", (u32)of_kind[k], check_name((CheckKind)k));
        assert_int_equal(strstr(buf_text(&line), want) != NULL, of_kind[k] > 0);
    }
    assert_int_equal(strstr(buf_text(&line), "; there are more") != NULL, more);
    assert_true(check_json(s->check, &json));
    json_t *o = json_loads(buf_text(&json), JSON_REJECT_DUPLICATES, NULL);
    const json_t *list = json_object_get(o, "reports");
    assert_int_equal(json_array_size(list), told);
    assert_int_equal(json_is_true(json_object_get(o, "more")), more);
    for (size_t i = 0; check_report(s->check, i, &r); i++) {
        const json_t *x = json_array_get(list, i);
        assert_int_equal(json_integer_value(json_object_get(x, "count")), r.count);
        assert_int_equal(json_integer_value(json_object_get(x, "line")), r.line);
        assert_string_equal(json_string_value(json_object_get(x, "check")), check_name(r.kind));
        assert_string_equal(json_string_value(json_object_get(x, "kernel")), "k");
        assert_string_equal(json_string_value(json_object_get(x, "file")), "t.s");
        assert_string_equal(json_string_value(json_object_get(x, "text")), r.text);
    }
    json_decref(o);
    buf_free(&line);
    buf_free(&json);
}

static void causes_are_told_once(void **state)
{
    (void)state;
    for (u32 round = 0; round < 50; round++) {
        static Scene s;
        static Known all[MOST];
        const bool has_rules = round % 3 == 0;
        u32 n = 0;
        open_scene(&s, has_rules ? "race t.s:5\nall kernel other\ninit,bounds t.s:6-7\n" : NULL);
        for (u32 i = 0; i < 110; i++) { /* fewer than are told at most */
            bool is_new_one;
            char sentence[20];
            const Known f = {.kind = (CheckKind)below(3), /* bounds, init, race */
                             .place = below(PLACES),
                             .other = below(3) ? below(PLACES) + 1 : 0,
                             .where = below(2)};
            const u32 at = know(all, &n, &f, &is_new_one);
            const u32 lines[2] = {line_of[f.place], line_or_0(f.other)};
            for (u32 k = 0; k < 2 && has_rules; k++)
                is_new_one &= f.kind == CHECK_race ? lines[k] != 5 : lines[k] < 6;
            all[at].count++;
            snprintf(sentence, sizeof sentence, "case %u", at);
            all[at].told |= is_new_one;
            const Finding x = {f.kind,  &s.warp, s.pc[f.place], f.other ? s.pc[f.other - 1] : 0,
                               f.where, -1};
            assert_int_equal(find(&s, &x, sentence), is_new_one);
        }
        compare(&s, all, n, false);
        close_scene(&s);
    }
}

/* A hundred are told and a thousand are known; all that are known are counted. */
static void more_help_nobody(void **state)
{
    (void)state;
    static Scene s;
    static Known all[MOST_REPORTS];
    for (u32 n = MOST_REPORTS - 1; n <= MOST_REPORTS + 1; n++) {
        open_scene(&s, NULL);
        for (u32 i = 0; i < n; i++) {
            char sentence[20];
            const Finding f = {CHECK_bounds, &s.warp, s.pc[i % PLACES], 0, i, -1};
            snprintf(sentence, sizeof sentence, "case %u", i);
            assert_int_equal(find(&s, &f, sentence), i < MOST_REPORTS);
            if (i < MOST_REPORTS)
                all[i] = (Known){.kind = CHECK_bounds,
                                 .place = i % PLACES,
                                 .where = i,
                                 .count = 1,
                                 .told = true};
        }
        compare(&s, all, n < MOST_REPORTS ? n : MOST_REPORTS, n > MOST_REPORTS);
        for (u32 i = 0; n > MOST_REPORTS && i < MOST_CAUSES + 9; i++) {
            const Finding f = {CHECK_init, &s.warp, s.pc[0], 0, i, -1};
            assert_false(find(&s, &f, "no"));
            assert_int_equal(s.check->ncause, n + i + 1 < MOST_CAUSES ? n + i + 1 : MOST_CAUSES);
        }
        const Finding again = {CHECK_bounds, &s.warp, s.pc[0], 0, 0, -1};
        assert_false(find(&s, &again, "no"));
        all[0].count++;
        compare(&s, all, n < MOST_REPORTS ? n : MOST_REPORTS, n > MOST_REPORTS);
        close_scene(&s);
    }
}

/* Code without lines, as of a library, is told by the line that called it. */
static void callers_are_told(void **state)
{
    (void)state;
    static Scene s;
    CheckReport r;
    open_scene(&s, NULL);
    s.warp.x[1] = s.pc[3] + 4; /* ra */
    const Finding f = {CHECK_bounds, &s.warp, CODE_LO, 0, 0, 2};
    assert_true(find(&s, &f, "here"));
    assert_true(check_report(s.check, 0, &r));
    assert_string_equal(r.file, "t.s");
    assert_int_equal(r.line, line_of[3]);
    assert_non_null(strstr(r.text, "called at"));
    assert_non_null(strstr(r.text, "\n  lane        2\n"));
    s.warp.x[1] = CODE_LO + 8; /* nor has that lines */
    const Finding g = {CHECK_bounds, &s.warp, CODE_LO + 4, 0, 0, 2};
    assert_true(find(&s, &g, "there"));
    assert_true(check_report(s.check, 1, &r));
    assert_true(!r.file && !r.line && !strstr(r.text, "called at"));
    close_scene(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(causes_are_told_once),
        cmocka_unit_test(more_help_nobody),
        cmocka_unit_test(callers_are_told),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
