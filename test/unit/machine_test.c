/* machine_test.c -- machine descriptions: every parameter can be set over its range and no further.
 */
#include "test/kit/leftover.h"
#include "base/mem.h"
#include "mach/machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static Buf said;

static bool parse(const char *text, Machine *m)
{
    Diag d = {.sink = diag_to_buf, .to = &said};
    buf_free(&said);
    memset(m, 0xa5, sizeof *m);
    return machine_parse("dir/mine.machine", text, m, &d);
}

static bool set(const char *name, u64 value, Machine *m)
{
    char line[64];
    snprintf(line, sizeof line, "%s = %llu # as asked\n", name, (unsigned long long)value);
    return parse(line, m);
}

static u32 value_of(const Machine *m, const char *name)
{
    for (size_t i = 0; i < NPARAMETER; i++)
        if (!strcmp(machine_parameter[i].name, name))
            return machine_value(m, &machine_parameter[i]);
    fail_msg("no parameter %s", name);
    return 0;
}

static void every_parameter_has_its_range(void **state)
{
    (void)state;
    for (size_t i = 0; i < NPARAMETER; i++) {
        const MachineParameter *p = &machine_parameter[i];
        Machine m;
        assert_true(parse("", &m));
        assert_int_equal(machine_value(&m, p), p->value);
        assert_true(set(p->name, p->least, &m) && machine_value(&m, p) == p->least);
        assert_true(set(p->name, p->most, &m) && machine_value(&m, p) == p->most);
        /* the others keep their defaults */
        for (size_t k = 0; k < NPARAMETER; k++)
            if (k != i)
                assert_int_equal(machine_value(&m, &machine_parameter[k]),
                                 machine_parameter[k].value);
        assert_false(set(p->name, (u64)p->most + 1, &m));
        assert_non_null(strstr(buf_text(&said), p->name));
        assert_false(set(p->name, (1ull << 32) + p->value, &m)); /* no wrapping */
        if (p->least)
            assert_false(set(p->name, p->least - 1, &m));
        if (p->kind == PARAMETER_POWER_OF_2) {
            assert_false(set(p->name, p->most - 1, &m));
            assert_non_null(strstr(buf_text(&said), "power of two"));
        }
        assert_true(*p->unit && *p->what && *p->source);
        assert_in_range(p->value, p->least, p->most);
    }
}

static void fields_are_the_parameters(void **state)
{
    (void)state;
    Machine m;
    assert_true(parse("lanes = 0x10\n\n  sms=3\r\nlds = 0\nsimt_depth = 7", &m));
    assert_int_equal(m.lanes, 16);
    assert_int_equal(m.sms, 3);
    assert_int_equal(m.lds, 0);
    assert_int_equal(m.simt_depth, 7);
    assert_int_equal(value_of(&m, "lanes"), 16);
    assert_string_equal(m.name, "mine");
}

static void begins_from_a_base(void **state)
{
    (void)state;
    Machine m, rtl;
    assert_true(machine_builtin("rtl", &rtl));
    assert_true(parse("sms = 9\nbase = rtl # all of it\nlanes = 16\n", &m));
    assert_int_equal(m.lanes, 16);
    assert_string_equal(m.name, "mine");
    for (size_t i = 0; i < NPARAMETER; i++)
        if (i != PARAMETER_lanes)
            assert_int_equal(machine_value(&m, &machine_parameter[i]),
                             machine_value(&rtl, &machine_parameter[i]));
    assert_false(parse("base = none such\n", &m));
    assert_non_null(strstr(buf_text(&said), "no machine 'none'"));
}

static void refuses_what_is_no_description(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"lanes\n", "expected 'name = value'"},
        {"lanes 8\n", "expected 'name = value'"},
        {"= 8\n", "'' is not a parameter"},
        {"lane = 8\n", "'lane' is not a parameter"},
        {"lanes_ = 8\n", "'lanes_' is not a parameter"},
        {"lanes =\n8\n", "lanes is a power of two"},
        {"sms = -1\n", "sms is a number from 1"},
        {"sms = +1\n", "sms is a number from 1"},
        {"sms = 8x\n", "sms is a number from 1"},
        {"sms = 8 9\n", "sms is a number from 1"},
        {"sms = 99999999999999999999999\n", "sms is a number from 1"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        Machine m;
        assert_false(parse(rows[i].text, &m));
        if (!strstr(buf_text(&said), rows[i].says) || !strstr(buf_text(&said), "mine.machine:1:"))
            fail_msg("%s said\n%s", rows[i].text, buf_text(&said));
    }
}

static void builtins_are_right(void **state)
{
    (void)state;
    Machine m, first;
    size_t n = 0;
    assert_true(machine_builtin(NULL, &first));
    assert_string_equal(first.name, "default");
    for (const MachineText *t = machine_texts; t->name; t++, n++)
        assert_true(machine_builtin(t->name, &m));
    assert_true(n >= 3);
    assert_false(machine_builtin("none such", &m));
    assert_true(machine_builtin("rtl", &m));
    assert_true(m.lanes == 8 && m.warps == 8 && m.lds == 131072); /* as the RTL is delivered */
}

/* where the default is from the RTL's description, it is what that says */
static void defaults_are_from_where_they_say(void **state)
{
    (void)state;
    Machine rtl;
    size_t n = 0;
    assert_true(machine_builtin("rtl", &rtl));
    for (size_t i = 0; i < NPARAMETER; i++) {
        const MachineParameter *p = &machine_parameter[i];
        if (!strstr(p->source, "as machine rtl has it"))
            continue;
        if (machine_value(&rtl, p) != p->value)
            fail_msg("%s is not what machine rtl has", p->name);
        n++;
    }
    assert_true(n > 0);
}

static u32 rnd(u32 n)
{
    static u32 seed = 1;
    seed = seed * 1664525 + 1013904223;
    return (u32)((u64)(seed >> 4) * n >> 28);
}

/* What a group more than so many would lack; NULL: nothing.  Registers come in fours, four at least. */
static const char *lacks(const Machine *m, const GroupNeeds *n, u32 groups)
{
    const u32 warps = n->warps ? n->warps : 1, all = (groups + 1) * warps;
    u32 s = 4, v = 4;
    while (s < n->sgprs)
        s += 4;
    while (v < n->vgprs)
        v += 4;
    return warps > m->group_warps           ? "group"
           : all > m->warps                 ? "warps"
           : groups + 1 > m->slots          ? "slots"
           : all * s > m->sgprs             ? "sgprs"
           : all * v > m->vgprs             ? "vgprs"
           : (groups + 1) * n->lds > m->lds ? "lds"
                                            : NULL;
}

/* Groups are put onto an SM until it has no room for one more. */
static void groups_fit_until_one_does_not(void **state)
{
    (void)state;
    static const char *const names[] = {"warps", "slots", "sgprs", "vgprs", "lds", "group"};
    u32 seen[countof(names)] = {0};
    for (u32 run = 0; run < 20000; run++) {
        const Machine m = {.group_warps = 1 + rnd(16),
                           .warps = 1 + rnd(40),
                           .slots = 1 + rnd(12),
                           .sgprs = 1 + rnd(1000),
                           .vgprs = 1 + rnd(3000),
                           .lds = rnd(5000)};
        const GroupNeeds n = {.warps = rnd(10),
                              .sgprs = rnd(40),
                              .vgprs = rnd(100),
                              .lds = rnd(3) ? rnd(2000) : 0};
        u32 groups = 0;
        while (!lacks(&m, &n, groups))
            groups++;
        const Occupancy o = machine_occupancy(&m, &n);
        const char *limit = lacks(&m, &n, groups);
        assert_string_equal(o.limit, limit);
        assert_int_equal(o.groups, groups);
        assert_int_equal(o.warps, groups * (n.warps ? n.warps : 1));
        for (size_t i = 0; i < countof(names); i++)
            seen[i] += !strcmp(names[i], limit);
    }
    for (size_t i = 0; i < countof(names); i++)
        assert_true(seen[i] > 100);
}

static void suggests_names_that_are_close(void **state)
{
    (void)state;
    static const struct {
        const char *text, *close;
    } rows[] = {{"lane", "lanes"},         {"swarps", "warps"},   {"simd_depht", "simt_depth"},
                {"sgpr", "sgprs"},         {"vgpr", "vgprs"},     {"grup_wraps", "group_warps"},
                {"entirely_other", NULL}};
    for (size_t i = 0; i < countof(rows); i++) {
        char text[64], want[64];
        Machine m;
        snprintf(text, sizeof text, "%s\t=\t8\t# so\n", rows[i].text);
        assert_false(parse(text, &m));
        snprintf(want, sizeof want, "; did you mean '%s'?", rows[i].close ? rows[i].close : "");
        assert_int_equal(strstr(buf_text(&said), want) != NULL, rows[i].close != NULL);
        assert_int_equal(strstr(buf_text(&said), "did you mean") != NULL, rows[i].close != NULL);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(groups_fit_until_one_does_not),
        cmocka_unit_test(suggests_names_that_are_close),
        cmocka_unit_test(every_parameter_has_its_range),
        cmocka_unit_test(fields_are_the_parameters),
        cmocka_unit_test(begins_from_a_base),
        cmocka_unit_test(refuses_what_is_no_description),
        cmocka_unit_test(builtins_are_right),
        cmocka_unit_test(defaults_are_from_where_they_say),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
