/* engine_test.c -- engines from below: launches, floats and clock, their life, devices, launches at once. */
#include "dev/dev.h"
#include "isa/fp.h"
#include "test/kit/everything.h"
#include "test/kit/leftover.h"
#include <fenv.h>
#include <malloc.h>
#include <stdatomic.h>
#include <unistd.h>

static void a_launch(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 4; threads++) {
        load_everything();
        rig_must_run(&(LaunchOptions){.threads = threads});
        check_everything();
    }
}

/* --- floats of the host ---------------------------------------------------------------------- */

/* a float of the host: one division, of which nothing is known before */
static Verdict divide(void *self, const Event *e)
{
    volatile double *d = self;
    (void)e;
    d[0] = d[0] / d[1];
    return GO_ON;
}

/* neither the host's rounding nor what an observer computes reaches the guest, nor the other way */
static void floats_stay_apart(void **state)
{
    (void)state;
    static const char program[] =
        "    lui     s1, 0x90000\n"
        "    lui     t0, 0x3f800\n"      /* 1 */
        "    lui     t1, 0x40400\n"      /* 3 */
        "    fadd.s  t2, t0, t0\n"       /* exact */
        "    barrier x0, x0, 1\n"
        "    csrr    t3, fflags\n"
        "    sw      t3, 0(s1)\n"
        "    fdiv.s  t2, t0, t1\n"
        "    sw      t2, 4(s1)\n"
        "    csrr    t3, fflags\n"
        "    sw      t3, 8(s1)\n"
        "    endprg  x0, x0, x0\n";
    const u32 kinds[] = {0, EVENT_barrier, EVENT_group_begin, EVENT_fetch, EVENT_insn};
    for (size_t i = 0; i < countof(kinds); i++) {
        volatile double d[2] = {1, 3};
        const Observer o = {(void *)(uintptr_t)d, kinds[i], divide, NULL};
        rig_load(V202, 4, program);
        fesetround(FE_UPWARD);
        feclearexcept(FE_ALL_EXCEPT);
        feraiseexcept(FE_OVERFLOW);
        const LaunchResult r = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1, .timeout = 1000});
        const int raised = fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT), mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_false(r.faulted);
        assert_int_equal(rig.data[0], 0);
        assert_int_equal(rig.data[1], 0x3eaaaaab);
        assert_int_equal(rig.data[2], 1);
        assert_int_equal(mode, FE_UPWARD);
        assert_int_equal(raised, FE_OVERFLOW);
    }
    /* the same, step by step */
    rig_load(V202, 4, program);
    Group *g = resident();
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
    for (int i = 0; i < 12; i++) {
        if (g->warps[0].state == WARP_WAITING)
            group_pass_barrier(g);
        const Step *s = step(g, 0);
        assert_int_equal(s->raised, s->id == I_fdiv_s ? FP_NX : 0);
    }
    /* flags stay: an exact addition after it clears none */
    g->warps[0].pc = CODE_LO + 12;
    g->warps[0].state = WARP_READY;
    assert_int_equal(step(g, 0)->raised, 0);
    assert_int_equal(g->warps[0].fflags, FP_NX);
    const int raised = fetestexcept(FE_DIVBYZERO), mode = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(raised, FE_DIVBYZERO);
    assert_int_equal(mode, FE_UPWARD);
    assert_int_equal(rig.data[0], 0);
    assert_int_equal(rig.data[1], 0x3eaaaaab);
    assert_int_equal(rig.data[2], 1);
    leave(g);
}

/* --- the clock -------------------------------------------------------------------------------- */

static const char clocks[] =
    "    lui     s1, 0x90000\n"
    "    csrr    t0, cycle\n    sw t0, 0(s1)\n"
    "    csrr    t0, cycleh\n   sw t0, 4(s1)\n"
    "    csrr    t0, time\n     sw t0, 8(s1)\n"
    "    csrr    t0, timeh\n    sw t0, 12(s1)\n"
    "    csrr    t0, instret\n  sw t0, 16(s1)\n"
    "    csrr    t0, instreth\n sw t0, 20(s1)\n"
    "    csrr    t0, mcycle\n   sw t0, 24(s1)\n"
    "    csrr    t0, mcycleh\n  sw t0, 28(s1)\n"
    "    csrr    t0, minstret\n sw t0, 32(s1)\n"
    "    endprg  x0, x0, x0\n";

static Verdict set_count(void *self, const Event *e)
{
    e->warp->ninsns = *(u64 *)self;
    return GO_ON;
}

/* by default instructions retired, whose count has 64 bits */
static void cycles_are_instructions(void **state)
{
    (void)state;
    u64 count = 0xfffffffe;
    const Observer o = {&count, EVENT_warp_begin, set_count, NULL};
    rig_load(V202, 4, clocks);
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    /* the lui is number ffffffff */
    const u32 want[] = {0, 1, 4, 1, 8, 1, 12, 1, 16};
    for (u32 i = 0; i < countof(want); i++)
        assert_int_equal(rig.data[i], want[i]);
}

static u64 ticks(void *self, const Warp *w) { return *(u64 *)self + w->id; }
static u64 wall(void *self, const Warp *w) { return *(u64 *)self * 2 + w->id; }

static void the_engine_owns_the_clock(void **state)
{
    (void)state;
    u64 base = 0x1234567890;
    const Clock c = {&base, ticks, wall};
    rig_load(V202, 4, clocks);
    rig.sim->clock = &c;
    rig_must_run(&(LaunchOptions){.threads = 1});
    rig.sim->clock = NULL;
    const u32 want[] = {0x34567890, 0x12, 0x68acf120, 0x24, 10, 0, 0x34567890, 0x12, 18};
    for (u32 i = 0; i < countof(want); i++)
        assert_int_equal(rig.data[i], want[i]);
}

/* --- life ------------------------------------------------------------------------------------- */

static void engines_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(dev_find_engine("interp"), &sim_kind);
    assert_ptr_equal(dev_defaults().engine, dev_engines[0]);
    assert_null(dev_find_engine("warp drive"));
    assert_null(dev_find_engine(""));
    for (size_t i = 0; dev_engines[i]; i++) {
        const EngineKind *k = dev_engines[i];
        if (!dev_has_engine(k)) { /* this build or host has it not */
            assert_null(dev_find_engine(k->name));
            continue;
        }
        assert_ptr_equal(dev_find_engine(k->name), k);
        Engine *e = k->open(&rig.memory, V202);
        assert_non_null(e);
        assert_ptr_equal(e->kind, k);
        k->close(e);
        k->close(NULL);
    }
}

/* an engine that was told of new code, and of a new profile, runs it */
static void code_changes(void **state)
{
    (void)state;
    rig_load(V202, 4, "    lui t0, 0x90000\n    li t1, 1\n    sw t1, 0(t0)\n    endprg x0, x0, x0\n");
    rig_must_run(&(LaunchOptions){.threads = 1});
    assert_int_equal(rig.data[0], 1);
    rig_load(V202, 4, "    lui t0, 0x90000\n    li t1, 2\n    sw t1, 0(t0)\n    endprg x0, x0, x0\n");
    rig_must_run(&(LaunchOptions){.threads = 1});
    assert_int_equal(rig.data[0], 2);
    /* a word that only one profile has */
    rig_load(V2025, 4, "    prefix pair=1\n    vadd.vv v4, v2, v2\n    endprg x0, x0, x0\n");
    rig_must_run(&(LaunchOptions){.threads = 1});
    rig.launch.set = V202;
    sim_kind.code_changed(rig.engine, V202, CODE_LO, 4);
    const LaunchResult r = rig_run(&(LaunchOptions){.threads = 1});
    assert_true(r.faulted && r.fault.kind == FAULT_PROFILE);
}

/* a prefix at the end of a page, its instruction at the start of the next, which changes */
static void a_prefix_before_the_page(void **state)
{
    (void)state;
    Buf b = {0};
    for (int i = 0; i < PAGE_SIZE / 4 - 3; i++)
        buf_str(&b, "    nop\n");
    buf_str(&b, "    lui s1, 0x90000\n    vid.v v1\n    regext x0, x0, 1\n    vadd.vi v4, v1, 1\n"
                "    regext x0, x0, 64\n    vadd.vi v4, v4, 0\n"
                "    vmv.v.x v2, s1\n    vsw12.v v4, 0(v2)\n    endprg x0, x0, x0\n");
    rig_load(V202, 4, buf_text(&b));
    buf_free(&b);
    rig_must_run(&(LaunchOptions){.threads = 1});
    assert_int_equal(rig.data[0], 4); /* the last lane wins */
    /* vadd.vi with 5 in place of 1: the immediate is in bits 19:15 */
    u32 word;
    u8 *at = rig.memory.base + CODE_LO + PAGE_SIZE;
    memcpy(&word, at, 4);
    assert_int_equal(word >> 15 & 31, 1);
    word = (word & ~(31u << 15)) | 5u << 15;
    memcpy(at, &word, 4);
    sim_kind.code_changed(rig.engine, V202, CODE_LO + PAGE_SIZE, 4);
    rig_must_run(&(LaunchOptions){.threads = 1});
    assert_int_equal(rig.data[0], 8);
}

/* the second warp waits meanwhile, where there is one */
static const char endless[] =
    "    csrr    t2, CSR_WID\n"
    "    beqz    t2, 2f\n"
    "    barrier x0, x0, 1\n"
    "2:  lui     t0, 0x90000\n"
    "    li      t1, 1\n"
    "    sw      t1, 0(t0)\n"
    "1:  j       1b\n";

typedef struct { Engine *engine; Device *device; } Interruption;

/* waits for the guest's word, then interrupts */
static void *interrupter(void *arg)
{
    const Interruption *i = arg;
    while (!__atomic_load_n(&rig.data[0], __ATOMIC_RELAXED))
        usleep(100);
    if (i->engine)
        i->engine->kind->interrupt(i->engine);
    else
        dev_interrupt(i->device);
    return NULL;
}

static void interrupted(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 4; threads += 3) {
        pthread_t t;
        Interruption i = {.engine = rig.engine};
        rig_load(V202, 4, endless);
        rig.launch.groups[0] = 8;
        rig.launch.warps = 2;
        assert_int_equal(pthread_create(&t, NULL, interrupter, &i), 0);
        LaunchResult r = rig_run(&(LaunchOptions){.threads = threads, .slice = 1000});
        pthread_join(t, NULL);
        assert_true(r.faulted);
        assert_int_equal(r.fault.kind, FAULT_STOPPED);
        /* the next launch is not */
        load_everything();
        rig_must_run(&(LaunchOptions){.threads = threads});
        check_everything();
    }
}

static void a_device_is_interrupted(void **state)
{
    (void)state;
    const DeviceOptions opt = dev_defaults();
    DevResult result;
    pthread_t t;
    Device *d = dev_open(&opt);
    assert_non_null(d);
    Interruption i = {.device = d};
    rig_load(V202, 32, endless);
    memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
    memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
    assert_true(dev_write(d, CODE_LO, rig.memory.base + CODE_LO, PAGE_SIZE));
    dev_code_written(d, CODE_LO, CODE_LO + PAGE_SIZE);
    u32 *const was = rig.data;
    rig.data = (u32 *)(void *)(dev_memory(d)->base + DATA);
    assert_int_equal(pthread_create(&t, NULL, interrupter, &i), 0);
    const DevLaunch l = {.knl = DATA + 64, .groups = {1, 1, 1}, .warps = 1, .lanes = 32,
                         .run = {.slice = 1000}};
    assert_false(dev_launch(d, &l, &result));
    pthread_join(t, NULL);
    rig.data = was;
    assert_int_equal(result.run.fault.kind, FAULT_STOPPED);
    dev_close(d);
}

/* every engine that is there: a launch, a step, an interruption, another launch */
static void every_engine_does_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; dev_engines[i]; i++) {
        const EngineKind *k = dev_engines[i];
        Engine *e = dev_has_engine(k) ? k->open(&rig.memory, V202) : NULL;
        LaunchResult r;
        pthread_t t;
        Interruption how = {.engine = e};
        if (!e)
            continue;
        load_everything();
        const u64 insns = rig_run(&(LaunchOptions){.threads = 1}).insns;
        load_everything();
        k->code_changed(e, V202, CODE_LO, TEXT_BYTES);
        assert_true(k->launch(e, &rig.launch, &(LaunchOptions){.threads = 4}, &r));
        assert_true(r.insns == insns);
        check_everything();

        Group *g = sim_take_group((Sim *)e, &rig.launch); /* engines begin with a Sim */
        Step s;
        assert_non_null(g);
        group_begin(g, 0);
        assert_true(k->step(e, &g->warps[1], &s));
        assert_int_equal(s.next, CODE_LO + s.len);
        group_end(g);
        sim_give_group((Sim *)e, g);

        rig_load(V202, 4, endless);
        k->code_changed(e, V202, CODE_LO, TEXT_BYTES);
        rig.launch.groups[0] = 8;
        assert_int_equal(pthread_create(&t, NULL, interrupter, &how), 0);
        assert_false(k->launch(e, &rig.launch, &(LaunchOptions){.threads = 2, .slice = 1000}, &r));
        pthread_join(t, NULL);
        assert_int_equal(r.fault.kind, FAULT_STOPPED);
        k->close(e);
        print_message("%s\n", k->name);
    }
}

/* --- devices -------------------------------------------------------------------------------- */

static Device *device_with(const char *text)
{
    const DeviceOptions opt = dev_defaults();
    Device *d = dev_open(&opt);
    assert_non_null(d);
    rig_load(V202, 4, text);
    memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
    memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
    assert_true(dev_write(d, CODE_LO, rig.memory.base + CODE_LO, PAGE_SIZE));
    dev_code_written(d, CODE_LO, CODE_LO + PAGE_SIZE);
    return d;
}

/* Of an image that is taken out of memory nothing runs any more. */
static void a_device_forgets_what_it_unloads(void **state)
{
    (void)state;
    DevResult r;
    Caught c;
    const DeviceOptions opt = dev_defaults();
    Device *d = dev_open(&opt);
    Object *o = assemble("    endprg x0, x0, x0\n", V202);
    catch_in(&c);
    Object *image = link_objects((const Object *const[]){o}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    assert_true(d && image);
    assert_null(dev_unload(d));
    assert_true(dev_load(d, image, &c.d));
    memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
    const DevLaunch l = {.knl = DATA, .groups = {1, 1, 1}, .warps = 1, .lanes = 4};
    assert_true(dev_launch(d, &l, &r));
    assert_ptr_equal(dev_unload(d), image);
    assert_false(dev_launch(d, &l, &r));
    assert_int_equal(r.run.fault.kind, FAULT_FETCH);
    obj_free(image);
    obj_free(o);
    dev_close(d);
}

/* Launches that no machine has room for, and one that has. */
static void a_device_refuses_launches(void **state)
{
    static const struct {
        u32 warps, lanes, groups;
        bool fits;
    } rows[] = {{1, 4, 1, true},   {1, 32, 1, true},  {64, 4, 1, true}, {0, 4, 1, false},
                {65, 4, 1, false}, {1, 2, 1, false},  {1, 64, 1, false}, {1, 12, 1, false},
                {1, 4, UINT32_MAX, false}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        DevResult r;
        Device *d = device_with("    endprg x0, x0, x0\n");
        const u32 n = rows[i].groups;
        const DevLaunch l = {.knl = DATA, .groups = {n, n, n > 1 ? 2 : 1}, .warps = rows[i].warps,
                             .lanes = rows[i].lanes};
        assert_int_equal(dev_launch(d, &l, &r), rows[i].fits);
        assert_int_equal(r.run.faulted, !rows[i].fits);
        if (!rows[i].fits) {
            assert_int_equal(r.run.fault.kind, FAULT_RESOURCES);
            assert_int_equal(r.run.fault.lane, -1);
            assert_true(!r.run.insns && !r.run.groups);
        }
        dev_close(d);
    }
}

/* Lanes have work-items by the local size of the metadata block (doc/abi.md: words 6 to 8), if that is
 * one of the launch: 2^65 + 1 work-items are not one. */
static void a_device_knows_work_items(void **state)
{
    static const struct {
        u32 local[3], warps, active; /* of the last warp */
    } rows[] = {{{8, 1, 1}, 1, 8},   {{3, 1, 1}, 1, 3},  {{3, 2, 1}, 1, 6},  {{9, 1, 1}, 2, 1},
                {{16, 1, 1}, 1, 8}, {{3, 1, 1}, 2, 8},  {{0, 1, 1}, 1, 8},  {{3, 0, 1}, 1, 8},
                {{100, 1, 1}, 13, 4}, {{1119412321, 998724481, 33}, 1, 8}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        DevResult r;
        u32 sum = 0;
        Device *d = device_with("    lui     s1, 0x90000\n"
                                "    vmv.v.i v1, 1\n"
                                "    csrr    t0, CSR_WID\n"
                                "    slli    t0, t0, 2\n"
                                "    add     s1, s1, t0\n"
                                "    vmv.v.x v2, s1\n"
                                "    amoadd.w v3, v1, (v2)\n"
                                "    endprg  x0, x0, x0\n");
        assert_true(dev_write(d, DATA + 64 + 4 * 6, rows[i].local, sizeof rows[i].local));
        const DevLaunch l = {.knl = DATA + 64, .groups = {1, 1, 1}, .warps = rows[i].warps, .lanes = 8};
        assert_true(dev_launch(d, &l, &r));
        assert_true(dev_read(d, DATA + 4 * (rows[i].warps - 1), &sum, 4));
        assert_int_equal(sum, rows[i].active);
        dev_close(d);
    }
}

/* --- locks -------------------------------------------------------------------------------- */

enum { LOCKED_TIMES = 8000, LOCKED_INSNS = 3 + 20 + 3, LOCKED_BEFORE = 8, LOCKED_AFTER = 1 };

/* A turn ends where the warp jumps back, so no warp holds its lock for the turns of others, and none
 * of them has to try again: LOCKED_INSNS instructions a time, which are several turns. */
static void turns_end_outside_of_locks(void **state)
{
    static const char text[] = "    lui     s0, 2\n"
                               "    addi    s0, s0, -192\n"
                               "    lui     s1, 0x90000\n"
                               "    vmv.v.i v0, 0\n"
                               "    vmv.v.i v4, 1\n"
                               "    vid.v   v5\n"
                               "    vsll.vi v5, v5, 2\n"
                               "    vadd.vx v5, v5, s1\n"
                               "1:  amoswap.w v3, v4, (v5)\n" /* a lock for each lane */
                               "    vmv.x.s t0, v3\n"
                               "    bnez    t0, 1b\n"
                               "    .rept   20\n"
                               "    nop\n"
                               "    .endr\n"
                               "    vsw12.v v0, 0(v5)\n"
                               "    addi    s0, s0, -1\n"
                               "    bnez    s0, 1b\n"
                               "    endprg  x0, x0, x0\n";
    (void)state;
#ifdef HOSTILE
    skip_because("turns of the hostile build end anywhere");
#endif
    for (size_t i = 0; dev_engines[i]; i++) {
        const EngineKind *k = dev_engines[i];
        if (!strcmp(k->name, "timing") || !dev_has_engine(k))
            continue; /* it takes an instruction of each warp by turns */
        rig_load(V202, 8, text);
        rig.launch.warps = WARPS;
        Engine *e = k->open(&rig.memory, V202);
        LaunchResult r;
        assert_non_null(e);
        assert_true(k->launch(e, &rig.launch, &(LaunchOptions){.threads = 1}, &r));
        const u64 least = LOCKED_BEFORE + (u64)LOCKED_TIMES * LOCKED_INSNS + LOCKED_AFTER;
        assert_int_equal(r.insns, WARPS * least);
        k->close(e);
    }
}

/* --- two launches at once ---------------------------------------------------------------- */

typedef struct { Launch launch; LaunchResult result; } Job;

static void *run_job(void *arg)
{
    Job *j = arg;
    for (int i = 0; i < 20; i++) {
        sim_kind.launch(rig.engine, &j->launch, &(LaunchOptions){.threads = 3}, &j->result);
        if (j->result.faulted)
            break;
    }
    return NULL;
}

/* a flag that one warp raised before its turn ended is not the next one's */
static void flags_stay_with_their_warp(void **state)
{
    (void)state;
    rig_load(V202, 4,
             "    csrr    t0, wid\n    lui     s1, 0x90000\n    lui     t1, 0x3f800\n"
             "    lui     t2, 0x40400\n    li      t4, 50\n    bnez    t0, 1f\n"
             "    vmv.v.x v1, t1\n    vmv.v.x v2, t2\n    vfdiv.vv v3, v1, v2\n"
             "    li      t4, 500\n" /* it looks later than the other one */
             "1:  addi    t4, t4, -1\n    bnez    t4, 1b\n"
             "    csrr    t5, fflags\n    slli    t0, t0, 2\n    add     s1, s1, t0\n"
             "    sw      t5, 0(s1)\n    endprg  x0, x0, x0\n");
    rig.launch.warps = 2;
    rig_must_run(&(LaunchOptions){.threads = 1, .slice = 16});
    assert_int_equal(rig.data[0], 1);
    assert_int_equal(rig.data[1], 0);
}

static void closing_ends_its_threads(void **state)
{
    (void)state;
    LaunchResult r;
    load_everything();
    const int before = entries_of("/proc/self/task");
    Engine *e = sim_kind.open(&rig.memory, V202);
    assert_non_null(e);
    for (int i = 0; i < 1000 && entries_of("/proc/self/task") == before; i++) /* short ones go without */
        sim_kind.launch(e, &rig.launch, &(LaunchOptions){.threads = 3}, &r);
    assert_true(entries_of("/proc/self/task") > before);
    sim_kind.close(e);
    for (int i = 0; i < 10000 && entries_of("/proc/self/task") > before; i++) /* the host forgets them later */
        usleep(1000);
    assert_int_equal(entries_of("/proc/self/task"), before);
}

static void closing_frees_everything(void **state)
{
    (void)state;
    size_t before = 0, after = 0;
    LaunchResult r;
    /* the first ones warm up; threads that have ended free what they had when they like */
    for (int round = 0; round < 5 || (round < 50 && before != after); round++) {
        load_everything();
        Engine *e = sim_kind.open(&rig.memory, V202);
        assert_non_null(e);
        assert_true(sim_kind.launch(e, &rig.launch, &(LaunchOptions){.threads = 1}, &r));
        sim_kind.close(e);
        const struct mallinfo2 m = mallinfo2();
        before = after;
        after = m.uordblks + m.hblkhd;
    }
    assert_int_equal(before, after);
    sim_kind.close(NULL);
}

/* launches of one engine on two threads: each gets what it should; they only share code */
static void launches_overlap(void **state)
{
    (void)state;
    Job jobs[2];
    pthread_t t[2];
    load_everything();
    for (u32 k = 0; k < 2; k++) {
        jobs[k] = (Job){.launch = rig.launch};
        jobs[k].launch.pds = PDS + k * 4 * PAGE_SIZE;
        assert_int_equal(pthread_create(&t[k], NULL, run_job, &jobs[k]), 0);
    }
    for (u32 k = 0; k < 2; k++) {
        pthread_join(t[k], NULL);
        assert_false(jobs[k].result.faulted);
        assert_int_equal(jobs[k].result.groups, GROUPS);
    }
    assert_int_equal(rig.data[0], 40 * GROUPS * ITEMS * (ITEMS + 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch),
        cmocka_unit_test(floats_stay_apart),
        cmocka_unit_test(cycles_are_instructions),
        cmocka_unit_test(the_engine_owns_the_clock),
        cmocka_unit_test(engines_are_found_by_name),
        cmocka_unit_test(code_changes),
        cmocka_unit_test(a_prefix_before_the_page),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(a_device_is_interrupted),
        cmocka_unit_test(every_engine_does_the_same),
        cmocka_unit_test(turns_end_outside_of_locks),
        cmocka_unit_test(flags_stay_with_their_warp),
        cmocka_unit_test(closing_ends_its_threads),
        cmocka_unit_test(closing_frees_everything),
        cmocka_unit_test(a_device_forgets_what_it_unloads),
        cmocka_unit_test(a_device_refuses_launches),
        cmocka_unit_test(a_device_knows_work_items),
        cmocka_unit_test(launches_overlap),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}
