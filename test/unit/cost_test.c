/* cost_test.c -- what kernels cost (prof/cost.h): the tables add up to the issue slots of the SMs,
 * and an instruction is charged with what it was measured to wait for on the RTL. */
#include "prof/cost.h"
#include "test/kit/leftover.h"
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

/* --- reports of what was told, against sums made here ----------------------------------------- */

enum { LINES = 40, INSNS = 2 * LINES + 2, SMS = 3, SLOTS = 4, MOST_TOLD = 500 };

static u32 state_of_chance;

static u32 chance(u32 n)
{
    state_of_chance = state_of_chance * 1664525 + 1013904223;
    return (u32)((u64)state_of_chance * n >> 32);
}

/* Issue slots by cause; [NCAUSE + unit]: those of them that waited for the unit. */
typedef struct {
    u64 n[(int)NCAUSE + NUNIT], all;
} Sum;

typedef struct {
    Sum sum;
    u32 launch, warp;
    u64 group;
} ToldWarp;

/* What a kernel's launches were told to have cost: lines by number, 0 for what has none. */
typedef struct {
    const char *name;
    u32 launches, nwarps, sms;
    u64 cycles;
    Sum all, no_warp, sm[SMS], line[LINES + 1], insn[INSNS];
    ToldWarp warp[MOST_TOLD];
} Told;

static void add(Sum *s, u32 cause, u32 unit, u64 n)
{
    s->all += n;
    s->n[cause] += n;
    if (cause == CAUSE_SCOREBOARD)
        s->n[NCAUSE + unit] += n;
}

/* Two instructions a line, the lines in two files; two more instructions, at the ends of pages,
 * have none. */
static u32 line_of(u32 insn) { return insn < 2 * LINES ? insn / 2 + 1 : 0; }
static const char *file_of(u32 line) { return line <= LINES / 2 ? "t.s" : "u.s"; }
static u32 number_of(u32 line) { return line <= LINES / 2 ? line : line - LINES / 2; }
static bool may_issue(u32 insn) { return insn % 7 != 3; }

static u32 pc_of(u32 insn)
{
    return CODE_LO + (insn < 2 * LINES ? 4 * insn : (insn - 2 * LINES + 1) * PAGE_SIZE - 4);
}

/* The bytes of a line, of which JSON has a `?` for what is no ASCII. */
static void put_line(Buf *to, u32 line, const char *last)
{
    buf_printf(to, "addi t0, t0, %u; addi t1, t1, %u # \x7f%s", line, line, last);
}

/* An image of such lines. */
static Object *image_of_lines(void)
{
    Caught c;
    Object *o[2];
    Buf text[2] = {{0}};
    catch_in(&c);
    for (u32 i = 1; i <= LINES; i++) {
        Buf *to = &text[i > LINES / 2];
        buf_str(to, "\t  \t");
        put_line(to, i, "\x80\n");
    }
    for (size_t i = 0; i < 2; i++)
        o[i] = asm_text(i ? "d/u.s" : "d/t.s", buf_text(&text[i]), &(AsmOptions){.lines = true},
                        &c.d);
    Object *image = link_objects((const Object *const *)o, 2, &(LinkOptions){.entry = NULL}, &c.d);
    if (!image)
        fail_msg("%s", buf_text(&c.text));
    for (size_t i = 0; i < 2; i++) {
        assert_true(obj_add_source(image, i ? "d/u.s" : "d/t.s", buf_text(&text[i]), text[i].len));
        obj_free(o[i]);
        buf_free(&text[i]);
    }
    buf_free(&c.text);
    return image;
}

static u64 word_at(const Object *image, u32 insn)
{
    u32 word = insn & 1 ? 0x80502373 : 0x0000006f;
    if (insn < 2 * LINES)
        memcpy(&word, image->segments[0].data.data + 4 * insn, 4);
    return word;
}

static void put_insn_text(Buf *to, const Told *t, u32 insn)
{
    if (!t->insn[insn].n[CAUSE_ISSUED])
        buf_str(to, "never issued");
    else if (line_of(insn))
        buf_printf(to, "addi t%u, t%u, %u", insn & 1, insn & 1, line_of(insn));
    else if (insn & 1)
        buf_str(to, "csrr t1, wid");
    else
        buf_printf(to, "j 0x%08x", pc_of(insn));
}

/* Tells of random slots of a launch on an engine that counts cycles. */
static void tell_slots(Costs *c, const Object *image, Told *t)
{
    const CycleObserver o = costs_cycle_observer(c);
    ToldWarp *in[SMS][SLOTS] = {{NULL}};
    assert_true(o.kinds >> CYCLE_SLOTS & 1 && o.kinds >> CYCLE_LAUNCH & 1);
    o.tell(o.self, &(CycleEvent){.kind = CYCLE_LAUNCH});
    for (u32 turn = 0; turn < 2500; turn++) {
        CycleEvent e = {.kind = CYCLE_SLOTS,
                        .sm = chance(t->sms),
                        .slot = chance(SLOTS),
                        .count = 1 + chance(1 + chance(60)),
                        .unit = (u8)chance(NUNIT),
                        .no_warp = !chance(6)};
        if (e.no_warp) {
            e.cause = (u8)(CAUSE_DISPATCH + chance(NCAUSE - CAUSE_DISPATCH));
            add(&t->no_warp, e.cause, e.unit, e.count);
        } else {
            const u32 insn = chance(4) ? chance(INSNS) : chance(1 + chance(INSNS));
            ToldWarp **w = &in[e.sm][e.slot];
            if (!*w || !chance(80)) { /* the next warp of the slot */
                assert_true(t->nwarps < MOST_TOLD);
                *w = &t->warp[t->nwarps++];
                (*w)->launch = t->launches;
                (*w)->warp = t->nwarps % 2;
                (*w)->group = t->nwarps / 2;
            }
            e.cause = (u8)chance(CAUSE_DISPATCH);
            if (e.cause == CAUSE_ISSUED && !may_issue(insn))
                e.cause = CAUSE_LSU;
            e.group = (*w)->group;
            e.warp = (*w)->warp;
            e.pc = pc_of(insn);
            e.word = e.cause == CAUSE_ISSUED ? word_at(image, insn) : 0x73;
            add(&t->insn[insn], e.cause, e.unit, e.count);
            add(&t->line[line_of(insn)], e.cause, e.unit, e.count);
            add(&(*w)->sum, e.cause, e.unit, e.count);
        }
        add(&t->all, e.cause, e.unit, e.count);
        add(&t->sm[e.sm], e.cause, e.unit, e.count);
        o.tell(o.self, &e);
    }
    const LaunchResult r = {.cycles = 1000 + chance(1000)};
    t->cycles += r.cycles;
    t->launches++;
    costs_add(c, t->name, image, V202, &r);
}

/* ... of instructions that one without cycles runs, some of which have a prefix */
static void tell_steps(Costs *c, const Object *image, Told *t)
{
    const Observer o = costs_observer(c);
    assert_int_equal(o.events, EVENT_launch_begin | EVENT_insn);
    o.tell(o.self, &(Event){.kind = EVENT_launch_begin});
    for (u32 turn = 0; turn < 2500; turn++) {
        const u32 insn = 1 + chance(1 + chance(INSNS - 1));
        if (!may_issue(insn))
            continue;
        const bool prefixed = chance(2);
        const Step s = {.pc = pc_of(insn) - 4 * prefixed,
                        .prefixed = prefixed,
                        .prefix = 0x73,
                        .word = word_at(image, insn),
                        .len = 4};
        assert_int_equal(o.tell(o.self, &(Event){.kind = EVENT_insn, .step = &s}), GO_ON);
        add(&t->all, CAUSE_ISSUED, 0, 1);
        add(&t->insn[insn], CAUSE_ISSUED, 0, 1);
        add(&t->line[line_of(insn)], CAUSE_ISSUED, 0, 1);
    }
    t->launches++;
    costs_add(c, t->name, image, V202, &(LaunchResult){.insns = 1});
}

static void expect_sum(const json_t *o, const Sum *s)
{
    size_t causes = 1, units = 0;
    assert_int_equal(number(o, "slots", "all"), s->all);
    for (u32 i = 0; i < NCAUSE; i++) {
        assert_int_equal(number(o, "slots", time_cause_name[i]), s->n[i]);
        causes += s->n[i] != 0;
    }
    for (u32 i = 0; i < NUNIT; i++) {
        assert_int_equal(number(o, "scoreboard", isa_unit_name[i]), s->n[NCAUSE + i]);
        units += s->n[NCAUSE + i] != 0;
    }
    assert_int_equal(json_object_size(json_object_get(o, "slots")), causes);
    assert_int_equal(json_object_size(json_object_get(o, "scoreboard")), units);
}

/* The line that a row of JSON names. */
static u32 read_place(const json_t *o)
{
    const char *file = json_string_value(json_object_get(o, "file"));
    const u32 n = (u32)number(o, NULL, "line");
    assert_int_equal(n != 0, file != NULL);
    assert_true(n <= LINES / 2 && (!file || !strcmp(file, "d/t.s") || !strcmp(file, "d/u.s")));
    return file && file[2] == 'u' ? n + LINES / 2 : n;
}

static void expect_json(const json_t *k, const Told *t)
{
    size_t i, rows = 0;
    const json_t *o;
    assert_string_equal(json_string_value(json_object_get(k, "kernel")), t->name);
    assert_int_equal(number(k, NULL, "launches"), t->launches);
    assert_int_equal(number(k, NULL, "cycles"), t->cycles);
    expect_sum(k, &t->all);
    json_array_foreach(json_object_get(k, "lines"), i, o)
    {
        const u32 line = read_place(o);
        const char *text = json_string_value(json_object_get(o, "text"));
        Buf want = {0};
        put_line(&want, line, "?");
        assert_int_equal(line != 0, text != NULL);
        if (text)
            assert_string_equal(text + strspn(text, " \t"), buf_text(&want));
        assert_true(!text || strspn(text, " \t") == 4);
        buf_free(&want);
        expect_sum(o, &t->line[line]);
    }
    for (u32 n = 0; n <= LINES; n++)
        rows += t->line[n].all != 0;
    assert_int_equal(i, rows);
    rows = 0;
    json_array_foreach(json_object_get(k, "instructions"), i, o)
    {
        Buf text = {0};
        u32 insn = 0;
        while (insn < INSNS && number(o, NULL, "pc") != pc_of(insn))
            insn++;
        assert_true(insn < INSNS);
        put_insn_text(&text, t, insn);
        assert_string_equal(json_string_value(json_object_get(o, "text")), buf_text(&text));
        assert_int_equal(read_place(o), line_of(insn));
        expect_sum(o, &t->insn[insn]);
        buf_free(&text);
    }
    for (u32 n = 0; n < INSNS; n++)
        rows += t->insn[n].all != 0;
    assert_int_equal(i, rows);
    if (!t->cycles) {
        assert_null(json_object_get(k, "warps"));
        return;
    }
    assert_int_equal(json_array_size(json_object_get(k, "sms")), t->sms);
    json_array_foreach(json_object_get(k, "sms"), i, o) expect_sum(o, &t->sm[i]);
    json_array_foreach(json_object_get(k, "warps"), i, o)
    {
        u32 n = 0;
        while (n < t->nwarps && (t->warp[n].launch != number(o, NULL, "launch") ||
                                 t->warp[n].group != number(o, NULL, "group") ||
                                 t->warp[n].warp != number(o, NULL, "warp")))
            n++;
        assert_true(n < t->nwarps);
        expect_sum(o, &t->warp[n].sum);
    }
    assert_int_equal(i, t->nwarps);
    expect_sum(json_object_get(k, "without_warp"), &t->no_warp);
    expect_sum(json_object_get(k, "other_warps"), &(Sum){0});
    assert_int_equal(number(json_object_get(k, "other_warps"), NULL, "warps"), 0);
}

static double percent(u64 part, const Told *t) { return 100.0 * (double)part / (double)t->all.all; }

/* The causes without an issue, the most frequent first, up to a twentieth of a per cent. */
static void put_causes(Buf *to, const Told *t, const Sum *s, u32 most)
{
    Sum left = *s;
    left.n[CAUSE_ISSUED] = left.n[CAUSE_SCOREBOARD] = 0;
    for (u32 shown = 0; shown < most; shown++) {
        u32 top = 0;
        for (u32 i = 1; i < (u32)NCAUSE + NUNIT; i++)
            if (left.n[i] > left.n[top])
                top = i;
        if (percent(left.n[top], t) < 0.05)
            return;
        buf_printf(to, "%s%s%s %.1f %%", shown ? ", " : "", top < NCAUSE ? "" : "scoreboard ",
                   top < NCAUSE ? time_cause_name[top] : isa_unit_name[top - NCAUSE],
                   percent(left.n[top], t));
        left.n[top] = 0;
    }
}

/* The row of a table with what waits below it. */
static void put_row(Buf *to, const Told *t, const Sum *s, const char *label)
{
    char issued[16] = "";
    if (t->cycles)
        snprintf(issued, sizeof issued, " %9llu", (unsigned long long)s->n[CAUSE_ISSUED]);
    buf_printf(to, "%10llu %5.1f %%%s  %s\n", (unsigned long long)s->all, percent(s->all, t),
               issued, label);
    if (percent(s->all - s->n[CAUSE_ISSUED], t) < 0.05)
        return;
    buf_printf(to, "%33s", "");
    put_causes(to, t, s, 6);
    buf_str(to, "\n");
}

/* A row that a table may have. */
typedef struct {
    const Sum *sum;
    char label[96];
} Row;

/* Checks a table at p: the `most` dearest rows, equal ones in any order, and the sum of the others.
 * Returns its end. */
static const char *expect_table(const char *p, const Told *t, const char *what, const Row *row,
                                size_t n, size_t most)
{
    Buf want = {0};
    u64 left = 0, last = UINT64_MAX;
    size_t shown = 0, rows = 0;
    buf_printf(&want, "\n%10s %7s%s  %s\n", t->cycles ? "slots" : "executed", "",
               t->cycles ? "    issued" : "", what);
    assert_memory_equal(p, buf_text(&want), want.len);
    p += want.len;
    for (size_t i = 0; i < n; i++) {
        left += row[i].sum->all;
        rows += row[i].sum->all != 0;
    }
    for (; shown < most && shown < rows; shown++) {
        size_t i = 0;
        for (;; i++) {
            if (i == n)
                fail_msg("no such row: %.120s", p);
            want.len = 0;
            put_row(&want, t, row[i].sum, row[i].label);
            if (row[i].sum->all && !strncmp(p, buf_text(&want), want.len))
                break;
        }
        assert_true(row[i].sum->all <= last);
        last = row[i].sum->all;
        left -= last;
        p += want.len;
    }
    want.len = 0;
    if (left)
        buf_printf(&want, "%10llu %5.1f %%%s  %zu more\n", (unsigned long long)left,
                   percent(left, t), t->cycles ? "          " : "", rows - shown);
    assert_memory_equal(p, buf_text(&want), want.len);
    p += want.len;
    buf_free(&want);
    return p;
}

static const char *expect_text(const char *p, const Told *t)
{
    static Row row[MOST_TOLD];
    Buf want = {0};
    buf_printf(&want, "kernel %s: %u launch%s, ", t->name, t->launches,
               t->launches > 1 ? "es" : "");
    if (t->cycles) {
        buf_printf(&want, "%llu cycles, %llu issue slots on %u SM%s\n  issued %.1f %%, ",
                   (unsigned long long)t->cycles, (unsigned long long)t->all.all, t->sms,
                   t->sms > 1 ? "s" : "", percent(t->all.n[CAUSE_ISSUED], t));
        put_causes(&want, t, &t->all, UINT32_MAX);
        buf_printf(&want, "\n  without a warp: %.1f %%\n", percent(t->no_warp.all, t));
    } else {
        buf_printf(&want, "%llu instructions\n", (unsigned long long)t->all.all);
    }
    assert_memory_equal(p, buf_text(&want), want.len);
    p += want.len;
    buf_free(&want);
    for (u32 n = 0; n <= LINES; n++) {
        Buf text = {0};
        if (n)
            buf_printf(&text, "%s:%u  ", file_of(n), number_of(n));
        if (n)
            put_line(&text, n, "\x80");
        row[n].sum = &t->line[n];
        snprintf(row[n].label, sizeof row[n].label, "%s", n ? buf_text(&text) : "no line is known");
        buf_free(&text);
    }
    p = expect_table(p, t, "source lines", row, LINES + 1, 25);
    for (u32 n = 0; n < INSNS; n++) {
        Buf text = {0};
        row[n].sum = &t->insn[n];
        put_insn_text(&text, t, n);
        if (line_of(n))
            buf_printf(&text, "  # %s:%u", file_of(line_of(n)), number_of(line_of(n)));
        snprintf(row[n].label, sizeof row[n].label, "%08x  %s", pc_of(n), buf_text(&text));
        buf_free(&text);
    }
    p = expect_table(p, t, "instructions", row, INSNS, 25);
    if (!t->cycles)
        return p;
    for (u32 n = 0; n < t->nwarps; n++) {
        const ToldWarp *w = &t->warp[n];
        char launch[16] = "";
        if (t->launches > 1)
            snprintf(launch, sizeof launch, "launch %u ", w->launch);
        row[n].sum = &w->sum;
        snprintf(row[n].label, sizeof row[n].label, "%sgroup %llu warp %u", launch,
                 (unsigned long long)w->group, w->warp);
    }
    return expect_table(p, t, "warps", row, t->nwarps, 10);
}

/* Two kernels, of which one is launched twice, on an engine that counts cycles and on one that does
 * not: every number of JSON, and all of the text. */
static void reports_say_what_was_told(void **state)
{
    (void)state;
    static void (*const tell[])(Costs *, const Object *, Told *) = {tell_slots, tell_steps};
    Object *image = image_of_lines();
    state_of_chance = 12345;
    for (size_t way = 0; way < countof(tell); way++) {
        static Told told[2];
        Costs *c = costs_new();
        Buf text = {0};
        memset(told, 0, sizeof told);
        told[0].name = "twice";
        told[0].sms = SMS;
        told[1].name = "once";
        told[1].sms = 1;
        for (int launch = 0; launch < 3; launch++)
            tell[way](c, image, &told[launch & 1]);
        json_t *o = read_json(c);
        const json_t *kernels = json_object_get(o, "kernels");
        assert_int_equal(json_array_size(kernels), 2);
        assert_true(costs_text(c, &text));
        const char *p = buf_text(&text);
        for (size_t i = 0; i < 2; i++) {
            expect_json(json_array_get(kernels, i), &told[i]);
            p = expect_text(p, &told[i]);
            if (!i)
                assert_int_equal(*p++, '\n');
        }
        assert_string_equal(p, "");
        json_decref(o);
        buf_free(&text);
        costs_free(c);
    }
    obj_free(image);
}

/* Warps beyond the 65,536 that are listed, of one launch or several, are told together. */
static void many_warps_are_told_together(void **state)
{
    (void)state;
    enum { LISTED = 1 << 16 };
    static const u32 warps[] = {40000, 70000, 1000};
    Costs *c = costs_new();
    const CycleObserver o = costs_cycle_observer(c);
    u64 all = 0, listed = 0, n = 0;
    for (u32 launch = 0; launch < countof(warps); launch++) {
        o.tell(o.self, &(CycleEvent){.kind = CYCLE_LAUNCH});
        for (u32 i = 0; i < warps[launch]; i++) {
            const CycleEvent e = {
                .kind = CYCLE_SLOTS, .group = i, .pc = CODE_LO, .count = 1 + i % 5, .word = 0x13};
            o.tell(o.self, &e);
            all += e.count;
            listed += n++ < LISTED ? e.count : 0;
        }
        costs_add(c, "many", NULL, V202, &(LaunchResult){.cycles = 1});
    }
    json_t *root = read_json(c);
    const json_t *k = json_array_get(json_object_get(root, "kernels"), 0);
    const json_t *others = json_object_get(k, "other_warps");
    assert_int_equal(json_array_size(json_object_get(k, "warps")), LISTED);
    assert_int_equal(sum_of(k, "warps", "slots", "issued"), listed);
    assert_int_equal(number(others, NULL, "warps"), n - LISTED);
    assert_int_equal(number(others, "slots", "issued"), all - listed);
    json_decref(root);
    costs_free(c);
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_add_up),
        cmocka_unit_test(blame_is_as_measured),
        cmocka_unit_test(other_code_is_another_kernel),
        cmocka_unit_test(instructions_are_counted),
        cmocka_unit_test(many_warps_are_told_together),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(reports_say_what_was_told),
    };
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, timing_set_up, timing_tear_down);
}
