/* cost_test.c -- what kernels cost (prof/cost.h): the tables add up to the issue slots of the SMs,
 * and an instruction is charged with what it was measured to wait for on the RTL. */
#include "prof/cost.h"
#include "test/kit/timerig.h"
#include <jansson.h>

/* Warps that part, share local memory, meet at a barrier, divide, and write. */
static const char work[] = "    csrr    s2, CSR_TID\n"
                           "    vid.v   v1\n"
                           "    vadd.vx v1, v1, s2\n"
                           "    vmv.v.i v0, 3\n"
                           "    lui     t0, 0x70000\n"
                           "    vmv.v.x v3, t0\n"
                           "    vlw12.v v5, 0(v3)\n"
                           "    vmul.vv v5, v1, v1\n"
                           "    vdivu.vv v5, v5, v1\n"
                           "    barrier x0, x0, 1\n"
                           "1:  auipc   t1, %pcrel_hi(2f)\n"
                           "    setrpc  zero, t1, %pcrel_lo(1b)\n"
                           "    vblt    v1, v0, 3f\n"
                           "    vadd.vi v5, v5, 9\n"
                           "    j       2f\n"
                           "3:  vadd.vi v5, v5, 7\n"
                           "2:  join    zero, zero, 0\n"
                           "    vsll.vi v8, v1, 2\n"
                           "    lui     t0, 0x90000\n"
                           "    vadd.vx v8, v8, t0\n"
                           "    vsw12.v v5, 0(v8)\n"
                           "    fence\n"
                           "    vlw12.v v5, 0(v8)\n"
                           "    endprg  x0, x0, x0\n";

/* Runs the rig's launch, which is counted. */
static LaunchResult run_counted(Costs *c, const Machine *m, const char *name)
{
    LaunchResult r;
    const CycleObserver observer = costs_cycle_observer(c);
    rig.launch.machine = m;
    time_kind.code_changed(engine, rig.launch.set, CODE_LO, TEXT_BYTES);
    time_kind.launch(engine, &rig.launch, &(LaunchOptions){.cycles = &observer}, &r);
    if (r.faulted)
        fail_msg("fault %s at %08x", fault_name(r.fault.kind), r.fault.pc);
    costs_add(c, name, NULL, rig.launch.set, &r);
    return r;
}

static json_t *read_json(const Costs *c)
{
    Buf text = {0};
    assert_true(costs_json(c, &text));
    json_t *o = json_loads(buf_text(&text), 0, NULL);
    assert_non_null(o);
    buf_free(&text);
    return o;
}

static u64 number(const json_t *o, const char *part, const char *name)
{
    return (u64)json_integer_value(json_object_get(part ? json_object_get(o, part) : o, name));
}

/* of a kernel's list, or of an object of it */
static u64 sum_of(const json_t *kernel, const char *list, const char *part, const char *name)
{
    const json_t *rows = json_object_get(kernel, list);
    u64 sum = json_is_object(rows) ? number(rows, part, name) : 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        sum += number(json_array_get(rows, i), part, name);
    return sum;
}

/* The slots of a cause, or of a unit, are in each table once. */
static void check_sums(const json_t *k, const char *part, const char *name, u64 want)
{
    const u64 none = sum_of(k, "without_warp", part, name);
    assert_int_equal(number(k, part, name), want);
    assert_int_equal(sum_of(k, "sms", part, name), want);
    assert_int_equal(sum_of(k, "lines", part, name) + none, want);
    assert_int_equal(sum_of(k, "instructions", part, name) + none, want);
    assert_int_equal(sum_of(k, "warps", part, name) + sum_of(k, "other_warps", part, name) + none,
                     want);
}

/* On every machine, with several SMs, warps, groups, and launches. */
static void tables_add_up(void **state)
{
    (void)state;
    static const char *const names[] = {"rtl-direct", "rtl-axi", "chisel", NULL};
    for (size_t i = 0; i < countof(names); i++) {
        Costs *c = costs_new();
        TimeResult all = {0}, t;
        Machine m;
        assert_true(machine_builtin(names[i], &m));
        rig_load(V202, 8, work);
        rig.launch.groups[0] = 7;
        rig.launch.warps = 3;
        rig.launch.resident = 2;
        for (u32 launch = 0; launch < 2; launch++) {
            run_counted(c, &m, "work");
            assert_true(time_result(engine, &t));
            all.slots_all += t.slots_all;
            for (u32 k = 0; k < NCAUSE; k++)
                all.slots.cycles[k] += t.slots.cycles[k];
            for (u32 u = 0; u < NUNIT; u++)
                all.slots.unit[u] += t.slots.unit[u];
        }
        json_t *o = read_json(c);
        const json_t *k = json_array_get(json_object_get(o, "kernels"), 0);
        assert_int_equal(number(k, NULL, "launches"), 2);
        assert_int_equal(json_array_size(json_object_get(k, "warps")), 2 * 7 * 3);
        assert_int_equal(json_array_size(json_object_get(k, "sms")), m.group_alone ? 1 : m.sms);
        check_sums(k, "slots", "all", all.slots_all);
        for (u32 n = 0; n < NCAUSE; n++)
            check_sums(k, "slots", time_cause_name[n], all.slots.cycles[n]);
        for (u32 u = 0; u < NUNIT; u++)
            check_sums(k, "scoreboard", isa_unit_name[u], all.slots.unit[u]);
        json_decref(o);
        costs_free(c);
    }
}

static const json_t *insn_at(const json_t *kernel, u32 pc)
{
    const json_t *rows = json_object_get(kernel, "instructions");
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (number(json_array_get(rows, i), NULL, "pc") == pc)
            return json_array_get(rows, i);
    fail_msg("no instruction at %08x", pc);
    return NULL;
}

/* What the RTL was measured to do (doc/timing.md, "What was compared"): a load that hits has its
 * operand 4 cycles after its issue and its result 10 after that; what needs the result issues in
 * the next cycle. */
static void blame_is_as_measured(void **state)
{
    (void)state;
    enum { TURNS = 4 };
    Machine m;
    Costs *c = costs_new();
    assert_true(machine_builtin("rtl-direct", &m));
    rig_load(V202, 4,
             "    li      s0, 4\n"
             "    lui     s1, 0x90000\n"
             "    lw      t0, 0(s1)\n"
             "    nop\n"
             "1:  lw      t0, 0(s1)\n"
             "    addi    t1, t0, 1\n"
             "    addi    s0, s0, -1\n"
             "    bnez    s0, 1b\n"
             "    endprg  x0, x0, x0\n");
    run_counted(c, &m, "loads");
    json_t *o = read_json(c);
    const json_t *k = json_array_get(json_object_get(o, "kernels"), 0);
    const json_t *load = insn_at(k, CODE_LO + 16), *use = insn_at(k, CODE_LO + 20);
    assert_int_equal(number(load, "slots", "issued"), TURNS);
    assert_int_equal(number(load, "slots", "operands"), TURNS * 4);
    assert_int_equal(number(use, "scoreboard", "LSU"), TURNS * 10);
    assert_int_equal(number(use, "slots", "scoreboard"), TURNS * 10);
    assert_string_equal(json_string_value(json_object_get(use, "text")), "addi t1, t0, 1");
    json_decref(o);
    costs_free(c);
}

/* Launches of one name that have other code are another kernel. */
static void other_code_is_another_kernel(void **state)
{
    (void)state;
    Machine m;
    Costs *c = costs_new();
    assert_true(machine_builtin("rtl-direct", &m));
    for (int turn = 0; turn < 4; turn++) {
        rig_load(V202, 4,
                 turn & 1 ? "nop\n endprg x0, x0, x0\n" : "li t0, 1\n endprg x0, x0, x0\n");
        run_counted(c, &m, "same");
    }
    json_t *o = read_json(c);
    const json_t *kernels = json_object_get(o, "kernels");
    assert_int_equal(json_array_size(kernels), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(number(json_array_get(kernels, i), NULL, "launches"), 2);
        assert_int_equal(number(json_array_get(kernels, i), "slots", "issued"), 4);
    }
    json_decref(o);
    costs_free(c);
}

/* An engine without cycles: every instruction once. */
static void instructions_are_counted(void **state)
{
    (void)state;
    Costs *c = costs_new();
    Machine m;
    assert_true(machine_builtin(NULL, &m));
    rig_load(V202, 8, work);
    rig.launch.groups[0] = 5;
    rig.launch.warps = 2;
    rig.launch.machine = &m;
    const Observer observer = costs_observer(c);
    const LaunchResult r = rig_run(&(LaunchOptions){.observers = &observer, .nobservers = 1});
    assert_false(r.faulted);
    costs_add(c, "work", NULL, V202, &r);
    json_t *o = read_json(c);
    const json_t *k = json_array_get(json_object_get(o, "kernels"), 0);
    assert_int_equal(sum_of(k, "instructions", "slots", "issued"), r.insns);
    assert_int_equal(number(insn_at(k, CODE_LO), "slots", "all"), 10);
    json_decref(o);
    costs_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_add_up),
        cmocka_unit_test(blame_is_as_measured),
        cmocka_unit_test(other_code_is_another_kernel),
        cmocka_unit_test(instructions_are_counted),
    };
    return cmocka_run_group_tests(tests, timing_set_up, timing_tear_down);
}
