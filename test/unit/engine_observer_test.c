/* engine_observer_test.c -- observers of launches: what they hear, and that they look, write and stop. */
#include "dev/dev.h"
#include "test/kit/everything.h"

/* --- observers ------------------------------------------------------------------------------- */

typedef struct {
    u32 heard[NEVENT];
    u32 first, last;        /* order among observers */
    u32 *clock;
    u64 touched;
} Ear;

static Verdict hear(void *self, const Event *e)
{
    Ear *ear = self;
    ear->heard[__builtin_ctz(e->kind)]++;
    ear->last = (*ear->clock)++;
    if (e->step)
        ear->touched += e->step->ntouched;
    return GO_ON;
}

static void observers_hear_what_they_asked_for(void **state)
{
    (void)state;
    u32 clock = 0;
    load_everything();
    const LaunchResult alone = rig_run(&(LaunchOptions){.threads = 1});
    u32 all = 0;
#define EVENT(name, each, what) all |= EVENT_##name;
#include "mach/event.def"
    Ear ears[4] = {{.clock = &clock}, {.clock = &clock}, {.clock = &clock}, {.clock = &clock}};
    const Observer o[] = {
        {&ears[0], all, hear, NULL},
        {&ears[1], EVENT_group_begin | EVENT_barrier, hear, NULL},
        {&ears[2], EVENT_insn | EVENT_divergence, hear, NULL},
        {&ears[3], 0, hear, NULL},
    };
    load_everything();
    rig.launch.print = DATA;
    rig.launch.print_end = DATA + 4;
    const LaunchResult r =
        rig_run(&(LaunchOptions){.observers = o, .nobservers = countof(o)});
    assert_false(r.faulted);
    assert_int_equal(r.insns, alone.insns);
    check_everything();
    const u32 warps = GROUPS * WARPS;
    const struct { EventBit bit; u64 n; } want[] = {
        {EVENT_BIT_launch_begin, 1},
        {EVENT_BIT_launch_end, 1},
        {EVENT_BIT_group_begin, GROUPS},
        {EVENT_BIT_group_end, GROUPS},
        {EVENT_BIT_warp_begin, warps},
        {EVENT_BIT_warp_end, warps},
        {EVENT_BIT_fetch, r.insns},
        {EVENT_BIT_insn, r.insns},
        {EVENT_BIT_memory, 7 * warps},      /* lines of the text with memory in them */
        {EVENT_BIT_divergence, 3 * warps},  /* a branch pushes two entries, two joins take them */
        {EVENT_BIT_print, warps},           /* the last add is where we said that kernels print */
        {EVENT_BIT_barrier, 2 * GROUPS},
        {EVENT_BIT_fault, 0},
    };
    assert_int_equal(countof(want), NEVENT);
    for (size_t i = 0; i < countof(want); i++)
        for (u32 k = 0; k < 4; k++) {
            const u64 n = o[k].events >> want[i].bit & 1 ? want[i].n : 0;
            if (ears[k].heard[want[i].bit] != n)
                fail_msg("observer %u heard %s %u times, not %llu", k,
                         event_name((EventKind)(1 << want[i].bit)), ears[k].heard[want[i].bit],
                         (unsigned long long)n);
        }
    assert_true(ears[0].touched >= (u64)7 * warps * LANES);
    assert_true(*event_text(EVENT_fault));
}

/* What registers of each warp were before. */
typedef struct {
    u32 x[64], v[256][MAX_LANES];
} Registers;
typedef struct {
    Registers was[WARPS];
    u32 kept, others;
} Kept;

static void check_before(const Step *s, const Registers *was, Kept *k)
{
    const IsaRegs *d = NULL;
    u32 written = 0, sources = 0;
    for (int i = 0; i < s->facts->nregs; i++)
        if (s->facts->reg[i].is_written) {
            d = &s->facts->reg[i];
            written++;
        }
    for (int i = 0; d && i < s->facts->nregs; i++) {
        const IsaRegs *r = &s->facts->reg[i];
        sources += r->is_read && r->first == d->first && r->is_vector == d->is_vector;
    }
    assert_true(written <= 1);
    if (!sources || d->count != 1 || s->facts->access != ACCESS_NONE) {
        assert_null(s->before);
        k->others++;
    } else if (d->is_vector) {
        assert_memory_equal(s->before, was->v[d->first], sizeof was->v[0]);
        k->kept++;
    } else {
        assert_int_equal(*s->before, was->x[d->first]);
        k->kept++;
    }
}

static Verdict hear_before(void *self, const Event *e)
{
    Kept *k = self;
    Registers *was = &k->was[e->warp->id];
    if (e->kind == EVENT_insn)
        check_before(e->step, was, k);
    memcpy(was->x, e->warp->x, sizeof was->x);
    memcpy(was->v, e->warp->v, sizeof was->v);
    return GO_ON;
}

/* A step has the register that it replaced where that is a source too (Step.before). */
static void replaced_sources_are_kept(void **state)
{
    static Kept k;
    const Observer o = {&k, EVENT_insn | EVENT_warp_begin, hear_before, NULL};
    (void)state;
    k = (Kept){.kept = 0};
    load_everything();
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    check_everything();
    assert_true(k.kept >= 6 * GROUPS * WARPS && k.others >= 20 * GROUPS * WARPS);
    k = (Kept){.kept = 0};
    rig_load(V2025, LANES,
             "    li      t0, 3\n"
             "    vid.v   v5\n"
             "    vadd.vx v5, v5, t0\n"   /* 1: x5 is no destination, v5 is both */
             "    vmv.v.x v5, t0\n"
             "    vid.v   v4\n"
             "    prefix  pair=1\n"
             "    vadd.vv v4, v4, v4\n"   /* two registers */
             "    add     t0, t0, t0\n"   /* 2 */
             "    vadd.vi v3, v4, 3\n"
             "    vmv.v.i v0, 5\n"
             "    vmacc.vv v3, v5, v5\n"  /* 3 */
             "    endprg  x0, x0, x0\n");
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_int_equal(k.kept, 3);
}

/* who asks for no instruction does not slow them down: they are not even noted */
static Verdict no_notes(void *self, const Event *e)
{
    assert_false(e->group->notes || e->group->careful);
    (*(u32 *)self)++;
    return GO_ON;
}

static void notes_are_for_those_who_ask(void **state)
{
    (void)state;
    u32 n = 0;
    const Observer o = {&n, EVENT_insn | EVENT_group_end, no_notes, NULL};
    load_everything();
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_true(n > 100);
}

static void notes_end_with_the_context(void **state)
{
    (void)state;
    rig_load(V202, 4, "    lui t0, 0x90000\n    sw t0, 0(t0)\n    endprg x0, x0, x0\n");
    for (int noted = 1; noted >= 0; noted--) {
        Group *g = sim_take_group(rig.sim, &rig.launch);
        assert_non_null(g);
        group_begin(g, 0);
        if (noted)
            group_note_accesses(g, true);
        step(g, 0);
        assert_int_equal(step(g, 0)->ntouched, noted);
        leave(g);
    }
}

/* a word that ends where the print buffer begins, and one that begins where it ends, are none of it */
static void the_borders_of_the_print_buffer(void **state)
{
    (void)state;
    u32 clock = 0;
    Ear ear = {.clock = &clock};
    const Observer o = {&ear, EVENT_print, hear, NULL};
    rig_load(V202, 4,
             "    lui t0, 0x90000\n    sw t0, 0(t0)\n    sw t0, 4(t0)\n    sw t0, 8(t0)\n"
             "    sw t0, 12(t0)\n    lw t1, 4(t0)\n    endprg x0, x0, x0\n");
    rig.launch.print = DATA + 4;
    rig.launch.print_end = DATA + 12;
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_int_equal(ear.heard[EVENT_BIT_print], 2);
}

/* a device knows the buffer by the metadata block of the launch: words 12 and 13 (doc/abi.md) */
static void a_device_says_where_kernels_print(void **state)
{
    (void)state;
    const DeviceOptions opt = dev_defaults();
    for (int listed = 0; listed < 2; listed++) {
        u32 clock = 0;
        Ear ear = {.clock = &clock};
        const Observer o = {&ear, EVENT_print, hear, NULL};
        DevResult result;
        Device *d = dev_open(&opt);
        assert_non_null(d);
        rig_load(V202, 4,
                 "    lui t0, 0x90000\n    sw t0, 0x400(t0)\n    sw t0, 0x404(t0)\n"
                 "    sw t0, 0x408(t0)\n    sw t0, 0x40c(t0)\n    endprg x0, x0, x0\n");
        memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
        memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
        assert_true(dev_write(d, CODE_LO, rig.memory.base + CODE_LO, PAGE_SIZE));
        dev_code_written(d, CODE_LO, CODE_LO + PAGE_SIZE);
        const u32 print[2] = {DATA + 0x404, 8};
        assert_true(!listed || dev_write(d, DATA + 64 + 4 * 12, print, sizeof print));
        const DevLaunch l = {.knl = DATA + 64, .groups = {1, 1, 1}, .warps = 1, .lanes = 4,
                             .run = {.observers = &o, .nobservers = 1}};
        assert_true(dev_launch(d, &l, &result));
        assert_int_equal(ear.heard[EVENT_BIT_print], listed ? 2 : 0);
        dev_close(d);
    }
}

/* --- stopping -------------------------------------------------------------------------------- */

typedef struct {
    u32 pc, nth;        /* stop before the nth time that something is fetched there */
    u32 seen, halts;
    Verdict answer;
    void (*change)(Group *g, Warp *w);
} Breakpoint;

static Verdict watch_pc(void *self, const Event *e)
{
    Breakpoint *b = self;
    return e->step->pc == b->pc && ++b->seen == b->nth ? STOP_HERE : GO_ON;
}

static Verdict halted(void *self, const Event *why)
{
    Breakpoint *b = self;
    assert_int_equal(why->kind, EVENT_fetch);
    assert_int_equal(why->warp->pc, b->pc); /* not yet run */
    assert_ptr_equal(why->warp->group, why->group);
    b->halts++;
    if (b->change)
        b->change(why->group, why->warp);
    return b->answer;
}

static LaunchResult run_with(Breakpoint *b, bool with_halted)
{
    const Observer o[] = {{b, EVENT_fetch, watch_pc, NULL}, {b, 0, watch_pc, NULL}};
    return rig_run(&(LaunchOptions){
        .observers = o, .nobservers = 2, .halted = with_halted ? halted : NULL, .self = b});
}

static const char counting[] =
    "    lui     s1, 0x90000\n"   /* 0 */
    "    li      t0, 0\n"         /* 4 */
    "1:  addi    t0, t0, 1\n"     /* 8 */
    "    slti    t1, t0, 10\n"    /* c */
    "    bnez    t1, 1b\n"        /* 10 */
    "    sw      t0, 0(s1)\n"     /* 14 */
    "    csrr    t2, instret\n"   /* 18 */
    "    sw      t2, 4(s1)\n"     /* 1c */
    "    endprg  x0, x0, x0\n";   /* 20 */

static void set_t0(Group *g, Warp *w)
{
    assert_int_equal(w->x[5], 4); /* before the fifth addition */
    assert_int_equal(g->nwarps, 1);
    w->x[5] = 100;
    rig.data[2] = 55;
}

static void skip_the_loop(Group *g, Warp *w)
{
    (void)g;
    w->pc = CODE_LO + 0x14;
}

/* steps the warp twice, by itself */
static void step_twice(Group *g, Warp *w)
{
    Step s;
    assert_true(sim_step(g->engine, w, &s) && s.pc == CODE_LO + 8);
    assert_true(sim_step(g->engine, w, &s) && s.pc == CODE_LO + 12);
}

static void halted_and_continued(void **state)
{
    (void)state;
    rig_load(V202, 4, counting);
    Breakpoint b = {.pc = CODE_LO + 8, .nth = 5, .answer = GO_ON};
    LaunchResult r = run_with(&b, true);
    assert_false(r.faulted);
    assert_int_equal(b.halts, 1);
    assert_int_equal(b.seen, 10);
    assert_int_equal(rig.data[0], 10);
    assert_int_equal(rig.data[1], 2 + 30 + 1 + 1);

    b = (Breakpoint){.pc = CODE_LO + 8, .nth = 5, .answer = GO_ON, .change = set_t0};
    r = run_with(&b, true);
    assert_false(r.faulted);
    assert_int_equal(rig.data[0], 101);
    assert_int_equal(rig.data[2], 55);

    b = (Breakpoint){.pc = CODE_LO + 8, .nth = 5, .answer = GO_ON, .change = skip_the_loop};
    r = run_with(&b, true);
    assert_false(r.faulted);
    assert_int_equal(rig.data[0], 4);

    b = (Breakpoint){.pc = CODE_LO + 8, .nth = 5, .answer = GO_ON, .change = step_twice};
    r = run_with(&b, true);
    assert_false(r.faulted);
    assert_int_equal(rig.data[0], 10);
    assert_int_equal(rig.data[1], 2 + 30 + 1 + 1);
}

static void step_into_fault(Group *g, Warp *w)
{
    Step s;
    assert_false(sim_step(g->engine, w, &s));
    assert_true(s.faulted);
}

/* An instruction that faults while the launch is halted has run. */
static void halted_and_faulted(void **state)
{
    (void)state;
    rig_load(V202, 4, "    li t0, 1\n    lw t1, 0(t0)\n    endprg x0, x0, x0\n");
    const LaunchResult plain = rig_run(&(LaunchOptions){.threads = 1});
    Breakpoint b = {.pc = CODE_LO + 4, .nth = 1, .answer = GO_ON, .change = step_into_fault};
    const LaunchResult r = run_with(&b, true);
    assert_true(r.faulted && r.fault.kind == FAULT_LOAD && r.fault.pc == CODE_LO + 4);
    assert_int_equal(b.halts, 1);
    assert_int_equal(r.insns, plain.insns);
}

static Verdict stop_at_4(void *self, const Event *e)
{
    return e->kind == *(const EventKind *)self && e->step->pc == CODE_LO + 4 ? STOP_HERE : GO_ON;
}

static Verdict replace_code(void *self, const Event *why)
{
    const u32 li = 0x02a00293; /* li t0, 42 */
    const u64 at = CODE_LO + (why->kind == EVENT_fetch ? 4 : 8);
    (void)self;
    memcpy(rig.memory.base + at, &li, sizeof li);
    sim_kind.code_changed(rig.engine, V202, at, sizeof li);
    return GO_ON;
}

static const u8 *watch_all(void *self, const Warp *w)
{
    static u8 all[NWATCH];
    (void)self, (void)w;
    return memset(all, 1, sizeof all);
}

/* Whoever looks at a halted launch may change the next instruction. */
static void code_changes_while_halted(void **state)
{
    (void)state;
    const EventKind kinds[] = {EVENT_fetch, EVENT_insn};
    for (u32 k = 0; k < 6; k++) { /* and the other event is told or not, registers watched or not */
        const Observer o = {(void *)(uintptr_t)&kinds[k & 1],
                            (k & 3) < 2 ? kinds[k & 1] : EVENT_fetch | EVENT_insn, stop_at_4,
                            k < 4 ? NULL : watch_all};
        if (k == 4) /* it would hear of no fetch */
            continue;
        rig_load(V202, 4,
                 "    lui     s1, 0x90000\n"
                 "    li      t0, 1\n"
                 "    addi    t0, t0, 1\n"
                 "    sw      t0, 0(s1)\n"
                 "    endprg  x0, x0, x0\n");
        rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1, .halted = replace_code});
        assert_int_equal(rig.data[0], 42 + (k & 1 ? 0 : 1));
    }
}

static void stopped_for_good(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        rig_load(V202, 4, counting);
        rig.launch.groups[0] = 3;
        Breakpoint b = {.pc = CODE_LO + 8, .nth = 15, .answer = STOP_HERE};
        const LaunchResult r = run_with(&b, with);
        assert_true(r.faulted);
        assert_int_equal(r.fault.kind, FAULT_STOPPED);
        assert_int_equal(r.fault.pc, CODE_LO + 8);
        assert_int_equal(r.fault.group_linear, 1);
        assert_int_equal(r.groups, 1);
        assert_int_equal(b.seen, 15);
        assert_int_equal(b.halts, with);
    }
}

static Verdict stop(void *self, const Event *e)
{
    (void)self, (void)e;
    return STOP_HERE;
}

static Verdict count_halts(void *self, const Event *why)
{
    ((u32 *)self)[__builtin_ctz(why->kind)]++;
    return GO_ON;
}

static Verdict is_insn(void *self, const Event *why)
{
    (void)self;
    assert_int_equal(why->kind, EVENT_insn);
    return STOP_HERE;
}

/* of several events of an instruction that stop, the first is the reason */
static void the_first_stop_is_the_reason(void **state)
{
    (void)state;
    const Observer o = {NULL, EVENT_insn | EVENT_memory, stop, NULL};
    rig_load(V202, 4, "    lw t0, 0(x0)\n    endprg x0, x0, x0\n");
    memory_map(&rig.memory, 0, PAGE_SIZE, MEM_R);
    const LaunchResult r =
        rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1, .halted = is_insn});
    memory_unmap(&rig.memory, 0, PAGE_SIZE);
    assert_true(r.faulted && r.fault.kind == FAULT_STOPPED);
}

/* every kind of event can stop a launch; the first of an instruction says why */
static void every_event_stops(void **state)
{
    (void)state;
    for (u32 bit = 0; bit < NEVENT; bit++) {
        u32 halts[NEVENT] = {0};
        const Observer o = {NULL, 1u << bit, stop, NULL};
        load_everything();
        LaunchResult r = rig_run(&(LaunchOptions){
            .observers = &o, .nobservers = 1, .halted = count_halts, .self = halts});
        assert_false(r.faulted);
        check_everything();
        for (u32 k = 0; k < NEVENT; k++)
            if (k != EVENT_BIT_fault && k != EVENT_BIT_print)
                assert_int_equal(halts[k] != 0, k == bit);
        if (bit == EVENT_BIT_fault || bit == EVENT_BIT_print || bit == EVENT_BIT_launch_end)
            continue;
        load_everything();
        r = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
        assert_true(r.faulted && r.fault.kind == FAULT_STOPPED);
        assert_int_equal(r.fault.lane, -1); /* it is no lane's */
        if (bit == EVENT_BIT_launch_begin)
            assert_true(!r.insns && !r.groups && !r.fault.nitems && !r.fault.pc);
    }
}

typedef struct { u32 n; FaultKind kind; u32 pc; } Grave;

static Verdict bury(void *self, const Event *e)
{
    Grave *g = self;
    g->n++;
    g->kind = e->group->fault.kind;
    g->pc = e->warp->pc;
    return GO_ON;
}

static void faults_are_told(void **state)
{
    (void)state;
    Grave g = {0};
    const Observer o = {&g, EVENT_fault, bury, NULL};
    rig_load(V202, 4, "    li t0, 1\n    lw t1, 0(t0)\n    endprg x0, x0, x0\n");
    const LaunchResult r = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_true(r.faulted);
    assert_int_equal(g.n, 1);
    assert_int_equal(g.kind, FAULT_LOAD);
}

typedef struct { u32 heard, with_step; } Steps;

static Verdict count_steps(void *self, const Event *e)
{
    Steps *s = self;
    s->heard++;
    s->with_step += e->step != NULL;
    return GO_ON;
}

/* an event comes with a step if, and only if, every instruction is looked at for it */
static void only_steps_need_each_instruction(void **state)
{
    (void)state;
    for (u32 bit = 0; bit < NEVENT; bit++) {
        Steps s = {0};
        const Observer o = {&s, 1u << bit, count_steps, NULL};
        const LaunchOptions opt = {.observers = &o, .nobservers = 1};
        if (bit == EVENT_BIT_fault)
            rig_load(V202, 4, "    li t0, 1\n    lw t1, 0(t0)\n    endprg x0, x0, x0\n");
        else
            load_everything();
        rig.launch.print = DATA;
        rig.launch.print_end = DATA + 4;
        const Audience a = audience_of(&rig.launch, &opt);
        assert_int_equal(rig_run(&opt).faulted, bit == EVENT_BIT_fault);
        assert_true(s.heard > 0);
        assert_int_equal(s.with_step, audience_wants_each(&a) ? s.heard : 0);
        assert_true(bit != EVENT_BIT_warp_end || !s.with_step); /* its state is enough */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observers_hear_what_they_asked_for),
        cmocka_unit_test(replaced_sources_are_kept),
        cmocka_unit_test(notes_are_for_those_who_ask),
        cmocka_unit_test(notes_end_with_the_context),
        cmocka_unit_test(the_borders_of_the_print_buffer),
        cmocka_unit_test(a_device_says_where_kernels_print),
        cmocka_unit_test(halted_and_continued),
        cmocka_unit_test(halted_and_faulted),
        cmocka_unit_test(code_changes_while_halted),
        cmocka_unit_test(stopped_for_good),
        cmocka_unit_test(the_first_stop_is_the_reason),
        cmocka_unit_test(every_event_stops),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(only_steps_need_each_instruction),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}
