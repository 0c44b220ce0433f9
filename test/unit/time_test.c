/* time_test.c -- the engine `timing`: latencies as they were measured on the RTL, and what must
 * hold of any machine.
 *
 * Each measured case is a loop of a few instructions, run until the caches have them; cycles are
 * counted between two events of the last turn.  The figures are measurements of the Verilated RTL
 * (doc/timing.md), not the model's.
 */
#include "mach/observe.h"
#include "test/kit/leftover.h"
#include "test/kit/timerig.h"

/* --- running with the engine ------------------------------------------------------------- */

enum { MAX_EVENTS = 4096 };

static Machine machine;
static CycleEvent events[MAX_EVENTS];
static size_t nevents;

static void record(void *self, const CycleEvent *e)
{
    (void)self;
    if (nevents < MAX_EVENTS)
        events[nevents++] = *e;
}

static LaunchResult run(const LaunchOptions *opt)
{
    LaunchResult r;
    nevents = 0;
    time_kind.code_changed(engine, rig.launch.set, CODE_LO, TEXT_BYTES);
    rig.launch.machine = &machine;
    time_kind.launch(engine, &rig.launch, opt, &r);
    if (r.faulted)
        fail_msg("fault %s at %08x", fault_name(r.fault.kind), r.fault.pc);
    return r;
}

static LaunchResult run_watched(void)
{
    const CycleObserver observer = {.kinds = 1 << CYCLE_ISSUE | 1 << CYCLE_START | 1 << CYCLE_WRITE,
                                    .tell = record};
    return run(&(LaunchOptions){.cycles = &observer});
}

/* --- what was measured --------------------------------------------------------------------- */

#define PROLOGUE                                                                                   \
    "    li      s0, 4\n"                                                                          \
    "    lui     s1, 0x90000\n"                                                                    \
    "    vid.v   v1\n"                                                                             \
    "    vsll.vi v2, v1, 2\n"                                                                      \
    "    vadd.vx v2, v2, s1\n"                                                                     \
    "    li      s2, 7\n"                                                                          \
    "    li      s3, 2\n"                                                                          \
    "    vmv.v.i v5, 3\n"                                                                          \
    "1:  addi    s0, s0, -1\n"                                                                     \
    "    nop\n"
enum { FIRST = 10 }; /* instruction of the body */
#define EPILOGUE                                                                                   \
    "    bnez    s0, 1b\n"                                                                         \
    "    endprg  x0, x0, x0\n"

/* what is counted: from an event of an instruction of the body to one of another */
typedef struct {
    const char *what;
    const char *body;
    u32 lanes;
    u32 from, to; /* numbers in the body */
    CycleKind after, until;
    u32 want; /* cycles */
} Measured;

#define IS       CYCLE_ISSUE
#define EX       CYCLE_START
#define WB       CYCLE_WRITE
#define PAIR(op) op op op op

static const Measured measured[] = {
    /* from issue to execution: how long operands take */
    {"no operand", "auipc t0, 0\n", 4, 0, 0, IS, EX, 2},
    {"one operand", "addi t0, s2, 1\n", 4, 0, 0, IS, EX, 4},
    {"two operands of a bank", "add t0, s0, s4\n", 4, 0, 0, IS, EX, 5},
    {"two operands of two banks", "add t0, s2, s3\n", 4, 0, 0, IS, EX, 6},
    /* from execution to the result */
    {"addi", "addi t0, s2, 1\n", 4, 0, 0, EX, WB, 1},
    {"csrr", "csrr t0, CSR_TID\n", 4, 0, 0, EX, WB, 1},
    {"vadd", "vadd.vi v3, v1, 1\n", 16, 0, 0, EX, WB, 1},
    {"mul", "mul t0, s2, s3\n", 4, 0, 0, EX, WB, 3},
    {"vmul", "vmul.vv v3, v1, v2\n", 16, 0, 0, EX, WB, 3},
    {"vfadd", "vfadd.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 3},
    {"vfmacc", "vfmacc.vv v3, v1, v2\n", 16, 0, 0, EX, WB, 5},
    {"vfmin", "vfmin.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 2},
    {"div of 7 by 2", "div t0, s2, s3\n", 4, 0, 0, EX, WB, 8},
    {"div by 0", "div t0, s2, x0\n", 4, 0, 0, EX, WB, 4},
    {"vfdiv", "vfdiv.vv v3, v5, v5\n", 16, 0, 0, EX, WB, 46},
    {"load that hits", "lw t0, 0(s1)\n", 4, 0, 0, EX, WB, 10},
    {"vector load of 2 lines", "vlw12.v v3, 0(v2)\n", 4, 0, 0, EX, WB, 11},
    {"vector load of 4 lines", "vlw12.v v3, 0(v2)\n", 8, 0, 0, EX, WB, 13},
    {"vector load of 8 lines", "vlw12.v v3, 0(v2)\n", 16, 0, 0, EX, WB, 17},
    /* from one issue to the next */
    {"1 operand, same fetch group", PAIR("addi t0, s2, 1\n addi t1, s2, 1\n"), 4, 4, 5, IS, IS, 5},
    {"1 operand, next fetch group", PAIR("addi t0, s2, 1\n addi t1, s2, 1\n"), 4, 3, 4, IS, IS, 6},
    {"1 operand, dependent, same", PAIR("addi t0, t0, 1\n addi t0, t0, 1\n"), 4, 4, 5, IS, IS, 6},
    {"1 operand, dependent, next", PAIR("addi t0, t0, 1\n addi t0, t0, 1\n"), 4, 3, 4, IS, IS, 7},
    {"2 operands, same", PAIR("vadd.vv v3, v1, v2\n vadd.vv v4, v1, v2\n"), 4, 4, 5, IS, IS, 7},
    {"2 operands, next", PAIR("vadd.vv v3, v1, v2\n vadd.vv v4, v1, v2\n"), 4, 3, 4, IS, IS, 8},
    {"2 operands, dependent, same", PAIR("vadd.vv v3, v3, v2\n vadd.vv v3, v3, v2\n"), 4, 4, 5, IS,
     IS, 8},
    {"2 operands, dependent, next", PAIR("vadd.vv v3, v3, v2\n vadd.vv v3, v3, v2\n"), 4, 3, 4, IS,
     IS, 9},
    {"no operand, same", PAIR("auipc t0, 0\n auipc t1, 0\n"), 4, 4, 5, IS, IS, 3},
    {"no operand, next", PAIR("auipc t0, 0\n auipc t1, 0\n"), 4, 3, 4, IS, IS, 4},
    /* branches and barriers */
    {"branch taken", "beq x0, x0, 2f\n nop\n 2: nop\n nop\n", 4, 0, 2, EX, IS, 6},
    {"branch not taken", "bne x0, x0, 2f\n nop\n 2: nop\n nop\n", 4, 0, 1, EX, IS, 2},
    {"vector branch that no lane takes", "vbne v1, v1, 2f\n nop\n 2: nop\n nop\n", 4, 0, 1, EX, IS,
     2},
    {"vector branch that all lanes take", "vbeq v1, v1, 2f\n nop\n 2: nop\n nop\n", 4, 0, 2, EX, IS,
     7},
    {"join of nothing", "join x0, x0, 0\n nop\n", 4, 0, 1, EX, IS, 3},
    {"load behind a fence", "fence\n lw t0, 0(s1)\n", 4, 0, 1, IS, IS, 10},
    {"barrier of one warp", "barrier x0, x0, 1\n nop\n", 4, 0, 1, EX, IS, 1},
};

/* the cycle of the last event of an instruction, or of the first after `since`; 0: none */
static u64 cycle_of(u32 n, CycleKind kind, u64 since)
{
    u64 found = 0;
    for (size_t i = 0; i < nevents; i++) {
        const CycleEvent *e = &events[i];
        if (e->pc != CODE_LO + 4 * (FIRST + n) || e->kind != kind || e->cycle < since)
            continue;
        found = e->cycle;
        if (since)
            break;
    }
    return found;
}

static void latencies(void **state)
{
    (void)state;
    char text[4096];
    int wrong = 0;
    assert_true(machine_builtin("rtl-direct", &machine));
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const Measured *m = &measured[i];
        snprintf(text, sizeof text, "%s%s%s", PROLOGUE, m->body, EPILOGUE);
        rig_load(V202, m->lanes, text);
        run_watched();
        const u64 from = cycle_of(m->from, m->after, 0), to = cycle_of(m->to, m->until, from);
        if (to - from != m->want) {
            print_error("%s: %d cycles, %u were measured\n", m->what, (int)(to - from), m->want);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* What a parameter means: of the RTL as measured, and with other values of it.  Where hardware has no
 * register before the collectors, or a whole crossbar, operands take what is known of the Chisel. */
static const struct {
    const char *settings;
    Measured m;
} changed[] = {
    {"salu_latency = 6\n", {"addi", "addi t0, s2, 1\n", 4, 0, 0, EX, WB, 6}},
    {"csr_latency = 6\n", {"csrr", "csrr t0, CSR_TID\n", 4, 0, 0, EX, WB, 6}},
    {"valu_latency = 6\n", {"vadd", "vadd.vi v3, v1, 1\n", 16, 0, 0, EX, WB, 6}},
    {"mul_latency = 7\n", {"mul", "mul t0, s2, s3\n", 4, 0, 0, EX, WB, 7}},
    {"mul_latency = 1\n", {"vmul", "vmul.vv v3, v1, v2\n", 16, 0, 0, EX, WB, 1}},
    {"fadd_latency = 8\n", {"vfadd", "vfadd.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 8}},
    {"fadd_latency = 8\n", {"vfsub", "vfsub.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 8}},
    {"fadd_latency = 8\n", {"vfrsub", "vfrsub.vf v3, v1, s2\n", 4, 0, 0, EX, WB, 8}},
    {"fadd_latency = 8\n", {"vfmul", "vfmul.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 8}},
    {"fadd_latency = 8\n", {"vfmin", "vfmin.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 2}},
    {"fma_latency = 9\n", {"vfmacc", "vfmacc.vv v3, v1, v2\n", 16, 0, 0, EX, WB, 9}},
    {"fma_latency = 9\n", {"vfnmsub", "vfnmsub.vv v3, v1, v2\n", 16, 0, 0, EX, WB, 9}},
    {"fshort_latency = 9\n", {"vfmax", "vfmax.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 9}},
    {"fshort_latency = 9\n", {"vfcvt", "vfcvt.f.x.v v3, v1\n", 4, 0, 0, EX, WB, 9}},
    {"tensor_latency = 9\n", {"vftta", "vftta.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 9}},
    {"tensor_latency = 90\n", {"vftta", "vftta.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 90}},
    {"fshort_latency = 9\n", {"vmflt", "vmflt.vv v3, v1, v2\n", 4, 0, 0, EX, WB, 9}},
    /* passes of the special functions, and 2 */
    {"sfu_int = 9\n", {"div of 7 by 2", "div t0, s2, s3\n", 4, 0, 0, EX, WB, 13}},
    {"sfu_int = 9\n", {"div by 0", "div t0, s2, x0\n", 4, 0, 0, EX, WB, 9}},
    {"sfu_int = 9\n", {"remu of 2 by 7", "remu t0, s3, s2\n", 4, 0, 0, EX, WB, 10}},
    {"sfu_float = 20\n", {"vfdiv", "vfdiv.vv v3, v5, v5\n", 16, 0, 0, EX, WB, 82}},
    {"sfu_groups = 1\n", {"vfdiv at once", "vfdiv.vv v3, v5, v5\n", 16, 0, 0, EX, WB, 13}},
    {"sfu_groups = 8\n", {"vfdiv in 8", "vfdiv.vv v3, v5, v5\n", 16, 0, 0, EX, WB, 90}},
    {"sfu_groups = 8\n", {"vfdiv of 4 lanes", "vfdiv.vv v3, v5, v5\n", 4, 0, 0, EX, WB, 46}},
    {"sfu_special = 3\n", {"vfsqrt of 0", "vfsqrt.v v3, v0\n", 16, 0, 0, EX, WB, 14}},
    {"sfu_special = 3\n", {"vfdiv of 0", "vfdiv.vv v3, v0, v5\n", 16, 0, 0, EX, WB, 14}},
#define ONE(sign, insn) "lui t0, " sign "\n vmv.v.x v6, t0\n " insn "\n"
    {"", {"vfdiv of -1", ONE("0xbf800", "vfdiv.vv v3, v6, v5"), 16, 2, 2, EX, WB, 46}},
    {"", {"vfdiv by -1", ONE("0xbf800", "vfdiv.vv v3, v5, v6"), 16, 2, 2, EX, WB, 46}},
    {"", {"vfsqrt of 1", ONE("0x3f800", "vfsqrt.v v3, v6"), 16, 2, 2, EX, WB, 46}},
    /* fetches and branches */
    {"fetch_latency = 7\n",
     {"branch", "beq x0, x0, 2f\n nop\n 2: nop\n nop\n", 4, 0, 2, EX, IS, 11}},
    {"salu_latency = 4\n", {"branch", "beq x0, x0, 2f\n nop\n 2: nop\n nop\n", 4, 0, 2, EX, IS, 9}},
    {"vbranch_latency = 5\n",
     {"vector branch", "vbeq v1, v1, 2f\n nop\n 2: nop\n nop\n", 4, 0, 2, EX, IS, 10}},
    /* operands */
    {"issue_stage = 0\n", {"no operand", "auipc t0, 0\n", 4, 0, 0, IS, EX, 1}},
    {"issue_stage = 0\n", {"one operand", "addi t0, s2, 1\n", 4, 0, 0, IS, EX, 3}},
    {"issue_stage = 0\n", {"two of two banks", "add t0, s2, s3\n", 4, 0, 0, IS, EX, 5}},
    {"crossbar = 0\n", {"two of two banks", "add t0, s2, s3\n", 4, 0, 0, IS, EX, 4}},
    {"crossbar = 0\n", {"two of a bank", "add t0, s0, s4\n", 4, 0, 0, IS, EX, 5}},
    {"crossbar = 2\n", {"two of two banks", "add t0, s2, s3\n", 4, 0, 0, IS, EX, 4}},
    {"crossbar = 0\nbanks = 8\n", {"of a bank of 8", "add t0, s0, s8\n", 4, 0, 0, IS, EX, 5}},
    {"crossbar = 0\nbanks = 16\n", {"of a bank of 16", "add t0, s0, s8\n", 4, 0, 0, IS, EX, 5}},
    {"crossbar = 0\nbanks = 16\n", {"of two banks", "add t0, s0, s7\n", 4, 0, 0, IS, EX, 4}},
    {"crossbar = 0\nbanks = 1\n", {"two of one bank", "add t0, s2, s3\n", 4, 0, 0, IS, EX, 5}},
    /* memory */
    {"dcache_latency = 9\n", {"load that hits", "lw t0, 0(s1)\n", 4, 0, 0, EX, WB, 14}},
    {"line = 32\n", {"load of 2 lines", "vlw12.v v3, 0(v2)\n", 16, 0, 0, EX, WB, 11}},
    {"line = 64\n", {"load of a line", "vlw12.v v3, 0(v2)\n", 16, 0, 0, EX, WB, 10}},
    {"", {"load that misses", "lw t0, 0(s1)\n addi s1, s1, 64\n", 4, 0, 0, EX, WB, 22}},
    {"memory_read = 30\n", {"far", "lw t0, 0(s1)\n addi s1, s1, 64\n", 4, 0, 0, EX, WB, 51}},
    {"l2_lookup = 7\n", {"slow L2", "lw t0, 0(s1)\n addi s1, s1, 64\n", 4, 0, 0, EX, WB, 28}},
    {"shared_limit = 0\n", {"local", "lui t1, 0x70000\n lw t0, 0(t1)\n", 4, 1, 1, EX, WB, 9}},
    {"shared_limit = 0\nshared_latency = 8\n",
     {"local", "lui t1, 0x70000\n lw t0, 0(t1)\n", 4, 1, 1, EX, WB, 13}},
#define LOCAL_LANES                                                                                \
    "lui t1, 0x70000\n vsll.vi v4, v1, 2\n vadd.vx v4, v4, t1\n vlw12.v v3, 0(v4)\n"
    {"shared_limit = 0\n", {"2 local lines", LOCAL_LANES, 4, 3, 3, EX, WB, 10}},
    {"shared_limit = 0\n", {"4 local lines", LOCAL_LANES, 8, 3, 3, EX, WB, 12}},
    {"shared_limit = 0\nline = 64\nshared_banks = 16\n",
     {"a local line", LOCAL_LANES, 16, 3, 3, EX, WB, 9}},
    {"shared_limit = 0\nline = 64\nshared_banks = 4\n",
     {"4 words of each bank", LOCAL_LANES, 16, 3, 3, EX, WB, 12}},
    {"shared_limit = 0\nline = 64\nshared_banks = 1\n",
     {"16 words of one bank", LOCAL_LANES, 16, 3, 3, EX, WB, 24}},
    {"shared_limit = 0\nline = 128\nshared_banks = 32\n",
     {"a local line of 32 banks", LOCAL_LANES, 32, 3, 3, EX, WB, 9}},
};

static void parameters_mean_cycles(void **state)
{
    (void)state;
    char text[4096];
    int wrong = 0;
    Caught c;
    catch_in(&c);
    for (size_t i = 0; i < countof(changed); i++) {
        const Measured *m = &changed[i].m;
        snprintf(text, sizeof text, "base = rtl-direct\n%s", changed[i].settings);
        if (!machine_parse("changed", text, &machine, &c.d))
            fail_msg("%s", buf_text(&c.text));
        snprintf(text, sizeof text, "%s%s%s", PROLOGUE, m->body, EPILOGUE);
        rig_load(V202, m->lanes, text);
        run_watched();
        const u64 from = cycle_of(m->from, m->after, 0), to = cycle_of(m->to, m->until, from);
        if (to - from != m->want) {
            print_error("%s%s: %d cycles, should be %u\n", changed[i].settings, m->what,
                        (int)(to - from), m->want);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* a kernel that only ends: start, a cold instruction cache, dispatch and flush */
static void an_empty_kernel(void **state)
{
    (void)state;
    assert_true(machine_builtin("rtl-direct", &machine));
    rig_load(V202, 4, "endprg x0, x0, x0\n");
    assert_int_equal(run(&(LaunchOptions){0}).cycles, 84);
    rig.launch.warps = 8;
    assert_int_equal(run(&(LaunchOptions){0}).cycles, 123);
}

/* What lies around the kernel, once for each group that is a request of its own. */
static void around_a_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        u32 cycles;
    } rows[] = {{"", 84},
                {"host_after = 100\n", 184},
                {"host_before = 30\n", 54},
                {"host_after = 100\nhost_before = 30\n", 154},
                {"start_latency = 77\n", 134},
                {"done_latency = 63\n", 134},
                {"flush_latency = 57\n", 134},
                {"l2_flush = 52\n", 134},
                {"l2_scan = 3\n", 92}, /* of 2 sets of 4 ways, 8 lines */
                {"l2_scan = 0\n", 68},
                {"l2_sets = 8\n", 132}}; /* 24 lines more, 2 each */
    char text[256];
    Caught c;
    catch_in(&c);
    for (size_t i = 0; i < countof(rows); i++) {
        snprintf(text, sizeof text, "base = rtl-direct\n%s", rows[i].settings);
        if (!machine_parse("around", text, &machine, &c.d))
            fail_msg("%s", buf_text(&c.text));
        for (u32 groups = 1; groups <= 3; groups++) {
            rig_load(V202, 4, "endprg x0, x0, x0\n");
            rig.launch.groups[0] = groups;
            const u64 cycles = run(&(LaunchOptions){0}).cycles;
            if (cycles != groups * rows[i].cycles)
                fail_msg("%s: %u cycles of %u groups, should be %u each", rows[i].settings,
                         (u32)cycles, groups, rows[i].cycles);
        }
    }
}

/* What has begun and not ended: warps and groups by the cycle events of their kinds. */
typedef struct {
    u64 warps[8][2], groups[8];
} Open;

static void count_open(void *self, const CycleEvent *e)
{
    Open *o = self;
    u64 *n = e->kind == CYCLE_WARP || e->kind == CYCLE_WARP_END ? &o->warps[e->group][e->warp]
                                                                : &o->groups[e->group];
    *n += e->kind == CYCLE_WARP || e->kind == CYCLE_GROUP ? 1 : UINT64_MAX;
}

/* The fault of a group is that of the launch, whatever runs beside it; the engine goes on.  What began has ended. */
static void a_group_faults(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "rtl-direct", "chisel"};
    enum { ALL = 5 };
    for (size_t i = 0; i < countof(names); i++)
        for (u32 k = 0; k <= ALL; k++) {
            char text[512];
            LaunchResult r;
            snprintf(text, sizeof text,
                     "    csrr    t0, CSR_GIDX\n"
                     "    csrr    t2, CSR_WID\n"
                     "    li      t1, %u\n"
                     "    bne     t0, t1, 1f\n"
                     "    beqz    t2, 1f\n"
                     "    lw      t0, 64(x0)\n"
                     "1:  barrier x0, x0, 1\n"
                     "    endprg  x0, x0, x0\n",
                     k);
            rig_load(V202, 8, text);
            rig.launch.groups[0] = ALL;
            rig.launch.warps = 2;
            rig.launch.resident = 2;
            assert_true(machine_builtin(names[i], &machine));
            rig.launch.machine = &machine;
            time_kind.code_changed(engine, V202, CODE_LO, TEXT_BYTES);
            Open open = {0};
            const CycleObserver observer = {.self = &open,
                                            .kinds = 1 << CYCLE_WARP | 1 << CYCLE_WARP_END |
                                                     1 << CYCLE_GROUP | 1 << CYCLE_GROUP_END,
                                            .tell = count_open};
            const bool ok =
                time_kind.launch(engine, &rig.launch, &(LaunchOptions){.cycles = &observer}, &r);
            assert_memory_equal(&open, &(Open){0}, sizeof open);
            assert_int_equal(ok, k == ALL);
            assert_int_equal(r.faulted, k < ALL);
            if (k == ALL) {
                assert_int_equal(r.groups, ALL);
                continue;
            }
            assert_true(r.groups < ALL);
            assert_int_equal(r.fault.kind, FAULT_LOAD);
            assert_int_equal(r.fault.group_linear, k);
            assert_int_equal(r.fault.warp, 1);
            assert_int_equal(r.fault.addr, 64);
            assert_int_equal(r.fault.pc, CODE_LO + 5 * 4);
        }
}

/* A limit of instructions of each warp: the last one that it allows is run. */
static void limits_of_instructions(void **state)
{
    (void)state;
    for (u64 most = 4; most <= 6; most++) {
        LaunchResult r;
        rig_load(V202, 4, "nop\nnop\nnop\nnop\nendprg x0, x0, x0\n");
        rig.launch.max_insns = most;
        assert_true(machine_builtin("rtl-direct", &machine));
        rig.launch.machine = &machine;
        time_kind.code_changed(engine, V202, CODE_LO, TEXT_BYTES);
        time_kind.launch(engine, &rig.launch, &(LaunchOptions){0}, &r);
        assert_int_equal(r.faulted, most < 5);
        assert_int_equal(r.fault.kind, most < 5 ? FAULT_ENDLESS : FAULT_NONE);
        assert_int_equal(r.insns, most < 5 ? most : 5);
    }
}

/* a kernel that loads a word of each of n lines, which are of one set, and stores it again if `writes` */
static u64 cycles_of_set(u32 set, u32 n, bool writes)
{
    char text[512];
    int len = snprintf(text, sizeof text, "lui s1, 0x90000\n");
    for (u32 k = 0; k < (writes ? 2 * n : n); k++)
        len += snprintf(text + len, sizeof text - (size_t)len, "%s t%u, %u(s1)\n", k < n ? "lw" : "sw", k % n,
                        (set + k % n * machine.dcache_sets) * machine.line);
    snprintf(text + len, sizeof text - (size_t)len, "endprg x0, x0, x0\n");
    rig_load(V202, 4, text);
    return run(&(LaunchOptions){0}).cycles;
}

/* It takes as long in every set of the data cache: also where its flush begins and ends. */
static void every_set(void **state)
{
    (void)state;
    assert_true(machine_builtin("rtl-direct", &machine));
    for (u32 n = 1; n <= machine.dcache_ways; n++)
        for (u32 writes = 0; writes < 2; writes++) {
            const u64 cycles = cycles_of_set(1, n, writes);
            for (u32 set = 0; set < machine.dcache_sets; set++)
                assert_int_equal(cycles_of_set(set, n, writes), cycles);
        }
    assert_true(cycles_of_set(0, 2, true) > cycles_of_set(0, 1, true));
    assert_true(cycles_of_set(0, 1, true) > cycles_of_set(0, 1, false));
}

/* A data cache of a few lines as it should be: the line that was used least recently makes room, and
 * a store that misses goes past it. */
enum { CACHE_SETS = 4, CACHE_WAYS = 2, CACHE_LINES = 15, TOUCHES = 90 };
typedef struct {
    u32 line[CACHE_SETS][CACHE_WAYS]; /* + 1, the last that was used first */
    bool dirty[CACHE_LINES + 1];
    u64 hits, misses, stores, written;
} Cache;

static void cache_access(Cache *c, u32 line, bool writes)
{
    u32 *set = c->line[line % CACHE_SETS], k = 0;
    while (k < CACHE_WAYS && set[k] != line + 1)
        k++;
    const bool hit = k < CACHE_WAYS;
    c->hits += hit;
    c->misses += !hit && !writes;
    c->stores += !hit && writes;
    if (!hit && writes)
        return;
    k = hit ? k : CACHE_WAYS - 1;
    c->written += !hit && c->dirty[set[k]];
    if (!hit)
        c->dirty[set[k]] = false;
    memmove(set + 1, set, k * sizeof *set);
    set[0] = line + 1;
    c->dirty[line + 1] |= writes;
}

static u32 rnd(u32 *seed, u32 n)
{
    *seed = *seed * 1664525 + 1013904223;
    return (u32)((u64)(*seed >> 4) * n >> 28);
}

/* Accesses one after the other: each hits or misses as in a cache that is as large; without an L2
 * that hits, each line that leaves is read from memory and written there. */
static void counts_of_caches(void **state)
{
    (void)state;
    u64 code = 0;
    TimeResult before, t, after;
    Caught c;
    catch_in(&c);
    assert_true(machine_parse("small",
                              "base = rtl-direct\ndcache_sets = 4\ndcache_ways = 2\nl2_hits = 0\n"
                              "icache_repeats = 0\nicache_mixes = 0\n",
                              &machine, &c.d));
    for (u32 seed = 1; seed <= 12; seed++) {
        Cache want = {0};
        Buf text = {0};
        u32 chance = seed;
        buf_str(&text, "lui s1, 0x90000\n");
        for (u32 i = 0; i < TOUCHES; i++) {
            const u32 line = rnd(&chance, CACHE_LINES);
            const bool writes = rnd(&chance, 2);
            cache_access(&want, line, writes);
            buf_printf(&text, "%s t0, %u(s1)\nfence\n", writes ? "sw" : "lw", line * machine.line);
        }
        buf_str(&text, "endprg x0, x0, x0\n");
        for (u32 i = 1; i <= CACHE_LINES; i++)
            want.written += want.dirty[i];
        rig_load(V202, 4, buf_text(&text));
        assert_true(time_total(engine, &before));
        run(&(LaunchOptions){0});
        assert_true(time_result(engine, &t) && time_total(engine, &after));
        assert_int_equal(t.dcache_hits, want.hits);
        assert_int_equal(t.dcache_misses, want.misses);
        assert_int_equal(t.dcache_stores, want.stores);
        assert_int_equal(t.memory_writes, want.stores + want.written);
        code = code ? code : t.memory_reads - t.memory_writes - want.misses;
        assert_int_equal(t.memory_reads, code + t.memory_writes + want.misses);
        for (u32 i = 0; i < NCAUSE; i++)
            assert_int_equal(after.slots.cycles[i], before.slots.cycles[i] + t.slots.cycles[i]);
        for (u32 i = 0; i < NUNIT; i++)
            assert_int_equal(after.slots.unit[i], before.slots.unit[i] + t.slots.unit[i]);
        const u64 *a = &before.dcache_hits, *b = &t.dcache_hits, *sum = &after.dcache_hits;
        for (int i = 0; i < 5; i++)
            assert_int_equal(sum[i], a[i] + b[i]);
        assert_int_equal(after.cycles, before.cycles + t.cycles);
        assert_int_equal(after.insns, before.insns + t.insns);
        assert_int_equal(after.slots_all, before.slots_all + t.slots_all);
        assert_int_equal(t.insns, 2 + 2 * TOUCHES);
        buf_free(&text);
    }
    const u64 lines = (2 + 2 * TOUCHES) * 4 / machine.line; /* of code; more are fetched ahead */
    assert_true(code >= lines && code <= lines + machine.ibuffer + machine.fetch_latency);
    buf_free(&c.text);
}

/* A store to a line that is on its way waits until no line is, and finds it then (doc/timing.md,
 * "Memory instructions"); it is written when the kernel ends. */
static void stores_wait_for_their_line(void **state)
{
    (void)state;
    for (u32 n = 1; n <= 6; n++)
        for (u32 apart = 0; apart < 2; apart++) { /* stores behind their load, or behind all */
            TimeResult t;
            Buf text = {0};
            buf_str(&text, "lui s1, 0x90000\n");
            assert_true(machine_builtin("rtl-direct", &machine));
            for (u32 i = 0; i < 2 * n; i++) {
                const bool stores = apart ? i & 1 : i >= n;
                const u32 line = apart ? i / 2 : i % n;
                buf_printf(&text, "%s, %u(s1)\n", stores ? "sw t1" : "lw t0", line * machine.line);
            }
            buf_str(&text, "endprg x0, x0, x0\n");
            rig_load(V202, 4, buf_text(&text));
            run(&(LaunchOptions){0});
            assert_true(time_result(engine, &t));
            assert_int_equal(t.dcache_misses, n);
            assert_int_equal(t.dcache_hits, n);
            assert_int_equal(t.dcache_stores, 0);
            assert_int_equal(t.memory_writes, n);
            buf_free(&text);
        }
}

/* --- what holds of every machine ---------------------------------------------------------- */

enum { GROUPS = 5, WARPS = 3, LANES = 8, ITEMS = GROUPS * WARPS * LANES };

/* Each work-item counts itself in local memory, meets the others, and writes what it counts now,
 * its odd lanes with 7 more, its even ones with 9. */
static const char meets[] = "    csrr    s2, CSR_TID\n"
                            "    vid.v   v1\n"
                            "    vadd.vx v1, v1, s2\n"
                            "    vmv.v.i v0, 0\n"
                            "    vmv.v.i v2, 1\n"
                            "    lui     t0, 0x70000\n"
                            "    vmv.v.x v3, t0\n"
                            "    amoadd.w  v4, v2, (v3)\n"
                            "    barrier x0, x0, 1\n"
                            "    vlw12.v v5, 0(v3)\n"
                            "    vand.vi v6, v1, 1\n"
                            "1:  auipc   t1, %pcrel_hi(2f)\n"
                            "    setrpc  zero, t1, %pcrel_lo(1b)\n"
                            "    vbne    v6, v0, 3f\n"
                            "    vadd.vi v5, v5, 9\n"
                            "    j       2f\n"
                            "3:  vadd.vi v5, v5, 7\n"
                            "2:  join    zero, zero, 0\n"
                            "    csrr    t0, CSR_GIDX\n"
                            "    li      t1, 24\n"
                            "    mul     t0, t0, t1\n"
                            "    vadd.vx v1, v1, t0\n"
                            "    vsll.vi v8, v1, 2\n"
                            "    lui     t0, 0x90000\n"
                            "    vadd.vx v8, v8, t0\n"
                            "    vsw12.v v5, 0(v8)\n"
                            "    endprg  x0, x0, x0\n";

static void check_results(void)
{
    for (u32 i = 0; i < ITEMS; i++)
        if (rig.data[i] != WARPS * LANES + (i & 1 ? 7u : 9u))
            fail_msg("item %u: %u", i, rig.data[i]);
}

/* every issue slot of every cycle has its one cause */
static void check_slots(const LaunchResult *r)
{
    TimeResult t;
    u64 sum = 0, units = 0;
    assert_true(time_result(engine, &t));
    assert_int_equal(t.cycles, r->cycles);
    for (u32 i = 0; i < NCAUSE; i++)
        sum += t.slots.cycles[i];
    for (u32 i = 0; i < NUNIT; i++)
        units += t.slots.unit[i];
    assert_int_equal(sum, t.slots_all);
    assert_int_equal(units, t.slots.cycles[CAUSE_SCOREBOARD]);
    assert_int_equal(t.slots.cycles[CAUSE_ISSUED], t.insns);
    assert_true(t.insns <= r->insns);
    assert_true(t.slots.cycles[CAUSE_ICACHE] && t.slots.cycles[CAUSE_OPERANDS]);
    assert_true(t.slots.cycles[CAUSE_DISPATCH] && t.slots.cycles[CAUSE_DRAIN]);
}

/* results, counts, slots, and the same again; whatever was run before */
static void every_machine(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "rtl-direct", "rtl-axi", "chisel", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        u64 cycles = 0;
        assert_true(machine_builtin(names[i], &machine));
        for (int turn = 0; turn < 3; turn++) {
            rig_load(V202, LANES, meets);
            rig.launch.groups[0] = GROUPS;
            rig.launch.warps = WARPS;
            rig.launch.resident = 2;
            const LaunchResult want = rig_run(&(LaunchOptions){.threads = 1});
            if (want.faulted)
                fail_msg("fault %s at %08x", fault_name(want.fault.kind), want.fault.pc);
            check_results();
            memset(rig.data, 0, DATA_BYTES);
            const LaunchResult r = turn == 1 ? run_watched() : run(&(LaunchOptions){0});
            check_results();
            check_slots(&r);
            assert_int_equal(r.insns, want.insns);
            assert_int_equal(r.groups, GROUPS);
            assert_true(r.cycles && (!cycles || r.cycles == cycles));
            cycles = r.cycles;
        }
    }
}

/* --- what observers are told ---------------------------------------------------------------- */

enum { MOST_INSNS = 4096, MOST_SMS = 4 };

/* Of an instruction, by its number: who it is of, and how often what was told of it. */
typedef struct {
    u32 sm, slot, warp, told[NCYCLE];
    u64 group, last;
} Told;

static struct {
    Told insn[MOST_INSNS];
    u32 kinds[NCYCLE];
    u64 insns, slots[MOST_SMS], begin;
    u32 issued[GROUPS][WARPS];
    struct {
        u32 cause, unit, issued; /* why it does not go on; the pc of its last instruction */
    } slot[MOST_SMS][MAX_WARPS];
} heard;

static void hear_slots(const CycleEvent *e)
{
    const bool is_before = e->cause == CAUSE_CONFLICT || e->cause == CAUSE_OPERANDS ||
                           e->cause == CAUSE_LSU || e->cause == CAUSE_DIVERGENCE ||
                           e->cause == CAUSE_BARRIER;
    heard.slots[e->sm] += e->count;
    if (e->no_warp || e->cause == CAUSE_DISPATCH || e->cause == CAUSE_DRAIN)
        assert_true(e->no_warp && e->cause >= CAUSE_DISPATCH);
    if (e->cause >= CAUSE_DISPATCH)
        return;
    const u32 cause = heard.slot[e->sm][e->slot].cause, unit = heard.slot[e->sm][e->slot].unit;
    if (e->cause == CAUSE_ISSUED) {
        heard.slot[e->sm][e->slot].issued = e->pc;
        return;
    }
    /* of a warp that could issue the slot went by for lack of a collector, or of the other kind */
    if (cause == CAUSE_ISSUED)
        assert_true(e->cause == CAUSE_OTHER || e->cause == CAUSE_OPERANDS);
    else
        assert_int_equal(e->cause, cause);
    if (e->cause == CAUSE_SCOREBOARD)
        assert_int_equal(e->unit, unit);
    if (is_before && e->cause == cause)
        assert_int_equal(e->pc, heard.slot[e->sm][e->slot].issued);
}

static void hear_insn(const CycleEvent *e)
{
    assert_true(e->number < MOST_INSNS);
    Told *t = &heard.insn[e->number];
    if (e->kind == CYCLE_ISSUE)
        *t = (Told){.sm = e->sm, .slot = e->slot, .warp = e->warp, .group = e->group};
    assert_true(t->sm == e->sm && t->slot == e->slot && t->warp == e->warp && t->group == e->group);
    assert_true(e->cycle >= t->last);
    t->told[e->kind]++;
    t->last = e->cycle;
    heard.insns += e->kind == CYCLE_ISSUE;
    heard.issued[e->group][e->warp] += e->kind == CYCLE_ISSUE;
}

/* A second observer, of one kind of events only. */
static void hear_ends(void *self, const CycleEvent *e)
{
    assert_int_equal(e->kind, CYCLE_WARP_END);
    ++*(u32 *)self;
}

static void hear_cycle(void *self, const CycleEvent *e)
{
    (void)self;
    heard.kinds[e->kind]++;
    if (e->kind == CYCLE_LAUNCH)
        heard.begin = e->cycle;
    assert_ptr_equal(e->launch, &rig.launch);
    assert_true(e->cycle >= heard.begin && e->sm < MOST_SMS && e->slot < MAX_WARPS);
    if (e->kind != CYCLE_LAUNCH && e->kind != CYCLE_LAUNCH_END && !e->no_warp)
        assert_true(e->group < GROUPS && e->warp < WARPS);
    switch (e->kind) {
    case CYCLE_SLOTS: hear_slots(e); break;
    case CYCLE_WAIT:
        heard.slot[e->sm][e->slot].cause = e->cause;
        heard.slot[e->sm][e->slot].unit = e->unit;
        break;
    case CYCLE_ISSUE:
    case CYCLE_START:
    case CYCLE_WRITE:
    case CYCLE_DONE: hear_insn(e); break;
    default: break;
    }
}

/* Each instruction is issued, started, and writes or is done; each slot of the SMs has its reason, that of
 * a warp which has it; warps, groups and the launch begin and end once. */
static void each_event_is_told(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "rtl-direct", "chisel"};
    u32 ends = 0;
    const CycleObserver second = {.self = &ends, .kinds = 1 << CYCLE_WARP_END, .tell = hear_ends};
    const CycleObserver observer = {
        .kinds = (1u << NCYCLE) - 1, .tell = hear_cycle, .next = &second};
    for (size_t i = 0; i < countof(names); i++)
        for (u32 sms = 1; sms <= MOST_SMS; sms *= 2) {
            TimeResult t;
            memset(&heard, 0, sizeof heard);
            assert_true(machine_builtin(names[i], &machine));
            machine.sms = sms;
            rig_load(V202, LANES, meets);
            rig.launch.groups[0] = GROUPS;
            rig.launch.warps = WARPS;
            rig.launch.resident = 2;
            time_kind.close(engine); /* numbers of instructions begin at 0 */
            engine = time_kind.open(&rig.memory, V202);
            assert_non_null(engine);
            run(&(LaunchOptions){.cycles = &observer});
            assert_true(time_result(engine, &t));
            assert_int_equal(heard.insns, t.insns);
            for (u32 k = 0; k < t.sms; k++)
                assert_int_equal(heard.slots[k], t.slots_all / t.sms);
            for (u32 k = 0; k < GROUPS * WARPS; k++)
                assert_in_range(heard.issued[k / WARPS][k % WARPS], 20, 40);
            assert_int_equal(ends, GROUPS * WARPS);
            ends = 0;
            for (u64 k = 0; k < heard.insns; k++) {
                const u32 *told = heard.insn[k].told;
                assert_true(told[CYCLE_ISSUE] == 1 && told[CYCLE_START] == 1);
                assert_true(told[CYCLE_WRITE] <= 1 && told[CYCLE_DONE] <= 1 &&
                            told[CYCLE_WRITE] + told[CYCLE_DONE]);
            }
            assert_int_equal(heard.kinds[CYCLE_WARP], GROUPS * WARPS);
            assert_int_equal(heard.kinds[CYCLE_WARP_END], GROUPS * WARPS);
            assert_int_equal(heard.kinds[CYCLE_GROUP], GROUPS);
            assert_int_equal(heard.kinds[CYCLE_GROUP_END], GROUPS);
            assert_int_equal(heard.kinds[CYCLE_LAUNCH], 1);
            assert_int_equal(heard.kinds[CYCLE_LAUNCH_END], 1);
        }
}

/* --- two issue slots ----------------------------------------------------------------------------- */

enum { COPIES = 20, ROUNDS = 6 };

/* An instruction of each unit; whether it is one of those that a machine with two issue slots issues beside others. */
static const struct {
    const char *text;
    bool is_scalar;
} of_units[] = {
    {"addi t0, s2, 1\n", true},     {"csrr t0, CSR_TID\n", true}, {"barrier x0, x0, 1\n", true},
    {"vadd.vi v3, v1, 1\n", false}, {"mul t0, s2, s2\n", false},  {"vfadd.vv v3, v1, v1\n", false},
    {"divu t0, s2, s2\n", false},   {"lw t0, 0(s1)\n", false},    {"join x0, x0, 0\n", false},
};

/* Rounds of an instruction, with others between them that no operand holds up, at a distance that changes. */
static void put_rounds(Buf *text, const char *insn, u32 step)
{
    buf_printf(text, "    li      s0, %u\n1:\n", ROUNDS);
    for (u32 i = 0; i < COPIES; i++) {
        buf_str(text, insn);
        for (u32 k = 0; k < i * step % 5; k++)
            buf_str(text, "    auipc   t5, 0\n");
    }
    buf_str(text, "    addi    s0, s0, -1\n    bnez    s0, 1b\n    endprg  x0, x0, x0\n");
}

/* cycles in which both groups issue the instruction that is theirs */
static u32 issued_together(const char *const insn[2])
{
    Buf text = {0};
    u64 at[2] = {0};
    u32 n = 0;
    buf_str(
        &text,
        "    lui     s1, 0x90000\n    li      s2, 7\n    vmv.v.i v1, 3\n    csrr    t0, CSR_GIDX\n"
        "    bnez    t0, 2f\n");
    put_rounds(&text, insn[0], 2);
    buf_str(&text, "2:\n");
    put_rounds(&text, insn[1], 3);
    rig_load(V202, 4, buf_text(&text));
    buf_free(&text);
    u32 word[2]; /* the first of each body */
    memcpy(&word[0], rig.memory.base + CODE_LO + 4 * 6, 4);
    u32 second = 6;
    for (u32 w = 0; w != 0x0000400b && second < 1000; second++)
        memcpy(&w, rig.memory.base + CODE_LO + 4 * second, 4);
    memcpy(&word[1], rig.memory.base + CODE_LO + 4 * (second + 1), 4);
    rig.launch.groups[0] = rig.launch.resident = 2;
    run_watched();
    for (size_t i = 0; i < nevents; i++) {
        const CycleEvent *e = &events[i];
        if (e->kind != CYCLE_ISSUE || e->word != word[e->group])
            continue;
        at[e->group] = e->cycle;
        n += at[0] == at[1];
    }
    return n;
}

/* One scalar instruction, one to a warp's barrier or of a CSR, issues in a cycle, and one of the others. */
static void one_of_each_kind_in_a_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(of_units); i++)
        for (size_t k = 0; k < countof(of_units); k++) {
            assert_true(machine_builtin(NULL, &machine));
            machine.sms = 1;
            const u32 n =
                issued_together((const char *const[]){of_units[i].text, of_units[k].text});
            if ((n > 0) != (of_units[i].is_scalar != of_units[k].is_scalar))
                fail_msg("%s and %s issue together %u times", of_units[i].text, of_units[k].text,
                         n);
        }
}

/* --- observers that send a warp elsewhere -------------------------------------------------------- */

enum { BEFORE_BODY = 3, BODY = 9 }; /* instructions */

/* What each instruction of the body adds to s0: what it is then says how often each has run. */
static const u32 adds[BODY] = {1, 4, 0, 16, 64, 0, 256, 1024, 0};
static const char sums[] = "    csrr    s2, CSR_WID\n"
                           "    lui     s3, 0x90000\n"
                           "    li      s0, 0\n"
                           "    addi    s0, s0, 1\n"
                           "    addi    s0, s0, 4\n"
                           "    j       1f\n"
                           "1:  addi    s0, s0, 16\n"
                           "    addi    s0, s0, 64\n"
                           "    lw      t0, 0(s3)\n"
                           "    addi    s0, s0, 256\n"
                           "    addi    s0, s0, 1024\n"
                           "    nop\n"
                           "    slli    s2, s2, 2\n"
                           "    add     s3, s3, s2\n"
                           "    sw      s0, 64(s3)\n"
                           "    endprg  x0, x0, x0\n";

/* Once, at instruction `at` of warp `by`, warp `of` goes on at instruction `to`; `from`: where it would have. */
typedef struct {
    u32 by, of, at, to, from;
    bool done;
} Sender;

static Verdict send_warp(void *self, const Event *e)
{
    Sender *s = self;
    Warp *w = &e->group->warps[s->of];
    const u32 pc = (w->pc - CODE_LO) / 4 - BEFORE_BODY;
    if (s->done || e->warp->id != s->by || w->state != WARP_READY || pc > BODY ||
        step_pc(e->step) != CODE_LO + 4 * (BEFORE_BODY + s->at))
        return GO_ON;
    s->done = true;
    s->from = pc;
    w->pc = CODE_LO + 4 * (BEFORE_BODY + s->to);
    return GO_ON;
}

static void send_once(Sender s, u32 event)
{
    const Observer observer = {.self = &s, .events = event, .tell = send_warp};
    memset(rig.data, 0, DATA_BYTES);
    run(&(LaunchOptions){.observers = &observer, .nobservers = 1, .timeout = 20});
    for (u32 warp = 0; warp < 2; warp++) {
        const bool sent = s.done && warp == s.of;
        u32 want = 0;
        for (u32 i = 0; i < BODY; i++)
            want += adds[i] * (sent ? (u32)(i < s.from) + (i >= s.to) : 1);
        if (rig.data[16 + warp] != want)
            fail_msg("warp %u, sent from %u to %u at %u of %u: %u, should be %u", warp, s.from,
                     s.to, s.at, s.by, rig.data[16 + warp], want);
    }
    assert_true(s.done || s.by != s.of);
}

/* Before an instruction, or after it, a warp is sent back and ahead; or by what another one does. */
static void warps_go_where_observers_send_them(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "rtl-direct", "chisel"};
    for (u32 i = 0; i < countof(names) * BODY * (BODY + 1); i++) {
        Sender s = {.at = i / countof(names) % BODY, .to = i / countof(names) / BODY};
        assert_true(machine_builtin(names[i % countof(names)], &machine));
        rig_load(V202, 4, sums);
        rig.launch.warps = 2;
        for (s.of = 0; s.of < 2; s.of++)
            for (s.by = 0; s.by < 2; s.by++) {
                send_once(s, EVENT_fetch);
                send_once(s, EVENT_insn);
            }
    }
}

/* One warp has nobody to race with: what is worse makes it slower. */
static void parameters_matter(void **state)
{
    (void)state;
    static const char *const worse[] = {
        "valu_latency = 9\n",  "memory_read = 50\n",    "icache_sets = 1\n",
        "fetch_latency = 6\n", "start_latency = 100\n", "vbranch_latency = 9\n",
        "mul_latency = 30\n",  "dcache_latency = 20\n", "done_latency = 50\n"};
    char text[256];
    Caught c;
    catch_in(&c);
    assert_true(machine_builtin("rtl-direct", &machine));
    rig_load(V202, LANES, meets);
    const u64 cycles = run(&(LaunchOptions){0}).cycles;
    for (size_t i = 0; i < sizeof worse / sizeof *worse; i++) {
        snprintf(text, sizeof text, "base = rtl-direct\n%s", worse[i]);
        assert_true(machine_parse("worse", text, &machine, &c.d));
        if (run(&(LaunchOptions){0}).cycles <= cycles)
            fail_msg("%s makes no difference", worse[i]);
    }
}

static void run_meets(const char *base, const char *name, u32 value)
{
    char text[128];
    Caught c;
    catch_in(&c);
    snprintf(text, sizeof text, "base = %s\n%s = %u\n", base, name, value);
    if (!machine_parse("ends", text, &machine, &c.d))
        fail_msg("%s", buf_text(&c.text));
    memset(rig.data, 0, DATA_BYTES);
    run(&(LaunchOptions){0});
    check_results();
    buf_free(&c.text);
}

/* whatever a description says, a launch ends, with the right results */
static void every_parameter_at_its_ends(void **state)
{
    (void)state;
    rig_load(V202, LANES, meets);
    rig.launch.groups[0] = GROUPS;
    rig.launch.warps = WARPS;
    for (size_t i = 0; i < NPARAMETER; i++) {
        const MachineParameter *p = &machine_parameter[i];
        run_meets("rtl-direct", p->name, p->least);
        run_meets("rtl-direct", p->name, p->most);
        run_meets("default", p->name, p->least);
        run_meets("default", p->name, p->most);
    }
}

/* Where a line may be in two ways, hardware takes the way whose number is theirs or'ed; with ways
 * that are no power of two there may be none of that number, and the launch must end all the same.
 */
static void ways_of_any_number(void **state)
{
    (void)state;
    char text[256];
    Caught c;
    catch_in(&c);
    rig_load(V202, LANES, meets);
    rig.launch.groups[0] = GROUPS;
    rig.launch.warps = WARPS;
    for (u32 ways = 2; ways < 16; ways++)
        for (u32 latency = 1; latency < 4; latency++) {
            snprintf(text, sizeof text,
                     "base = rtl-direct\nicache_sets = 1\nicache_ways = %u\n"
                     "memory_read = %u\nline = 32\nibuffer = 4\n",
                     ways, latency);
            if (!machine_parse("ways", text, &machine, &c.d))
                fail_msg("%s", buf_text(&c.text));
            memset(rig.data, 0, DATA_BYTES);
            run(&(LaunchOptions){0});
            check_results();
        }
    buf_free(&c.text);
}

static u64 cycles_on(u32 sms, const char *more, TimeResult *t)
{
    char text[256];
    Caught c;
    catch_in(&c);
    snprintf(text, sizeof text, "base = default\nsms = %u\n%s", sms, more);
    if (!machine_parse("sms", text, &machine, &c.d))
        fail_msg("%s", buf_text(&c.text));
    buf_free(&c.text);
    memset(rig.data, 0, DATA_BYTES);
    const u64 cycles = run(&(LaunchOptions){0}).cycles;
    check_results();
    assert_true(time_result(engine, t));
    return cycles;
}

/* Groups that share nothing but the L2 and memory: more SMs are not slower; memory is never used
 * more than it can be, and where it is slow, nothing but memory counts. */
static void sms_share_memory(void **state)
{
    (void)state;
    TimeResult t;
    u64 last = UINT64_MAX;
    rig_load(V202, LANES, meets);
    rig.launch.groups[0] = GROUPS;
    rig.launch.warps = WARPS;
    rig.launch.resident = 1;
    for (u32 sms = 1; sms <= 8; sms *= 2) {
        const u64 cycles = cycles_on(sms, "", &t);
        if (cycles > last)
            fail_msg("%u SMs take %u cycles, half of them %u", sms, (u32)cycles, (u32)last);
        assert_true(cycles >= t.memory_reads * machine.memory_read / machine.memory_pending);
        last = cycles;
        const u64 slow = cycles_on(sms, "memory_pending = 1\nmemory_read = 5000\n", &t);
        const u64 least = t.memory_reads * 5000;
        if (slow < least || slow > least + least / 4)
            fail_msg("%u SMs: %u cycles, memory works %u", sms, (u32)slow, (u32)least);
    }
    assert_true(last < cycles_on(1, "", &t));
}

/* An instruction cache in which warps throw out each other's lines before they are used: an end,
 * and a report. */
static void code_that_never_comes(void **state)
{
    (void)state;
    LaunchResult r;
    Caught c;
    catch_in(&c);
    assert_true(machine_parse("small",
                              "base = rtl-direct\nfetch_latency = 8\nicache_sets = 2\nline = 4\n",
                              &machine, &c.d));
    rig_load(V202, 8, meets);
    rig.launch.warps = 8;
    rig.launch.machine = &machine;
    time_kind.code_changed(engine, V202, CODE_LO, TEXT_BYTES);
    assert_false(time_kind.launch(engine, &rig.launch, &(LaunchOptions){.timeout = 60}, &r));
    assert_int_equal(r.fault.kind, FAULT_STALLED);
    assert_string_equal(r.fault.wait[0].why, "icache");
    buf_free(&c.text);
}

/* As many memory instructions under way as a description allows: the table full, one on its way to
 * it, and each other warp fetching the operands of another. */
static void every_place_for_memory(void **state)
{
    (void)state;
    Caught c;
    Buf text = {0};
    catch_in(&c);
    buf_str(&text, "    csrr    t0, CSR_WID\n"
                   "    slli    t0, t0, 12\n"
                   "    vid.v   v1\n"
                   "    vsll.vi v1, v1, 7\n"
                   "    lui     t1, 0x90000\n"
                   "    add     t0, t0, t1\n"
                   "    vadd.vx v1, v1, t0\n");
    for (int i = 0; i < 8; i++)
        buf_printf(&text, "    vlw12.v v%d, %d(v1)\n", i + 2, i * 4);
    buf_str(&text, "    vsw12.v v9, 64(v1)\n    endprg x0, x0, x0\n");
    if (!machine_parse("full",
                       "base = default\nwarps = 64\nlsu_entries = 64\nlsu_per_warp = 64\n"
                       "collectors = 64\nmemory_read = 3000\n",
                       &machine, &c.d))
        fail_msg("%s", buf_text(&c.text));
    rig_load(V202, 32, buf_text(&text));
    rig.launch.warps = 64;
    rig.data[31 * 32 + 7] = 41; /* read by lane 31 of warp 0 */
    run(&(LaunchOptions){0});
    assert_int_equal(rig.data[31 * 32 + 16], 41);
    buf_free(&text);
    buf_free(&c.text);
}

/* More stores than the queue to the L2 has places, each of as many lines as there are lanes. */
static void stores_wait_for_room(void **state)
{
    (void)state;
    enum { STORES = 6, ALL = 8 * 32 };
    Buf text = {0};
    assert_true(machine_builtin(NULL, &machine));
    buf_str(&text, "    csrr    t0, CSR_TID\n"
                   "    vid.v   v1\n"
                   "    vadd.vx v1, v1, t0\n"
                   "    vsll.vi v2, v1, 7\n"
                   "    lui     t1, 0x90000\n"
                   "    vadd.vx v2, v2, t1\n"
                   "    lui     t1, 8\n");
    for (int i = 0; i < STORES; i++)
        buf_str(&text, "    vsw12.v v1, 0(v2)\n    vadd.vx v2, v2, t1\n");
    buf_str(&text, "    endprg x0, x0, x0\n");
    rig_load(V202, 32, buf_text(&text));
    rig.launch.warps = 8;
    run(&(LaunchOptions){0});
    for (u32 i = 0; i < STORES * ALL; i++)
        assert_int_equal(rig.data[i * 32], i % ALL);
    buf_free(&text);
}

/* Private memory for fewer groups than SMs could have: each is some group's alone while it runs, and serves the next
 * one then. */
static void hand_on_private_memory(u32 sms, u32 areas, u32 sample)
{
    enum { MANY = 500 };
    assert_true(machine_builtin(NULL, &machine));
    machine.sms = sms;
    rig_load(V202, LANES,
             "    csrr    t0, CSR_GIDX\n"
             "    slli    t0, t0, 3\n"
             "    vid.v   v1\n"
             "    vadd.vx v1, v1, t0\n"
             "    vmv.v.i v2, 0\n"
             "    vsw.v   v1, 0(v2)\n"
             "    xori    s0, t0, 0x5a8\n" /* some work longer than others */
             "    andi    s0, s0, 0x1f8\n"
             "1:  addi    s0, s0, -1\n"
             "    bgez    s0, 1b\n"
             "    vlw.v   v3, 0(v2)\n"
             "    vsll.vi v4, v1, 2\n"
             "    lui     t1, 0x90000\n"
             "    vadd.vx v4, v4, t1\n"
             "    vsw12.v v3, 0(v4)\n"
             "    endprg  x0, x0, x0\n");
    rig.launch.groups[0] = MANY;
    rig.launch.resident = 2;
    rig.launch.pds_areas = areas;
    const LaunchResult r = run(&(LaunchOptions){.sample = sample});
    assert_int_equal(r.timed < MANY, sample != 0);
    for (u32 i = 0; i < MANY * LANES; i++)
        assert_int_equal(rig.data[i], i);
}

static void private_memory_is_handed_on(void **state)
{
    (void)state;
    hand_on_private_memory(120, 100, 0);
    hand_on_private_memory(4, 8, 1); /* also between groups that are timed and others */
    hand_on_private_memory(4, 10, 1);
}

static void count_last(void *self, const Group *g, bool is_last)
{
    ((u32 *)self)[g->linear] += is_last;
}

/* A machine that no description can say: its LSU takes no instruction.  The launch ends with a
 * report of what each warp waits for. */
static void a_machine_that_stands_still(void **state)
{
    (void)state;
    LaunchResult r;
    Buf text = {0};
    assert_true(machine_builtin("rtl-direct", &machine));
    machine.lsu_per_warp = 0;
    rig_load(V202, LANES, meets);
    rig.launch.warps = WARPS;
    time_kind.code_changed(engine, rig.launch.set, CODE_LO, TEXT_BYTES);
    rig.launch.machine = &machine;
    assert_false(time_kind.launch(engine, &rig.launch, &(LaunchOptions){0}, &r));
    assert_int_equal(r.fault.kind, FAULT_STALLED);
    assert_int_equal(r.fault.nwaits, WARPS);
    bool full = false; /* the first that waits; others wait behind it */
    for (u32 i = 0; i < WARPS; i++)
        full |= !strcmp(r.fault.wait[i].why, "lsu_full");
    assert_true(full);
    fault_report(&text, &r.fault, &(FaultContext){.set = V202});
    assert_non_null(strstr(buf_text(&text), "waits       group 0, warp 2, at 0x800000"));
    buf_free(&text);
    /* of several groups each warp is named once, in parts of a grid by the grid's numbers */
    for (u32 part = 0; part < 2; part++) {
        u32 seen[10] = {0}, lasts[3] = {0};
        RollCall roll = {.self = lasts, .answer = count_last};
        assert_true(machine_builtin(NULL, &machine));
        machine.lsu_per_warp = 0;
        rig.launch.roll = &roll;
        rig.launch.groups[0] = rig.launch.resident = 3;
        rig.launch.grid[0] = part ? 9 : 0;
        rig.launch.grid[1] = rig.launch.grid[2] = part;
        rig.launch.first[0] = part ? 6 : 0;
        assert_false(time_kind.launch(engine, &rig.launch, &(LaunchOptions){0}, &r));
        assert_int_equal(r.fault.kind, FAULT_STALLED);
        for (u32 i = 0; i < r.fault.nwaits; i++) {
            assert_true(r.fault.wait[i].group < 10 && r.fault.wait[i].warp < WARPS);
            seen[r.fault.wait[i].group] += 1u << 4 * r.fault.wait[i].warp;
        }
        for (u32 i = 0; i < 10; i++)
            assert_int_equal(seen[i], i - 6 * part < 3 ? 0x111 : 0);
        for (u32 i = 0; i < 3; i++) /* and each group says once where it was last */
            assert_int_equal(lasts[i], 1);
    }
    rig.launch.roll = NULL;
    rig.launch.resident = 0;
    assert_true(machine_builtin("rtl-direct", &machine));
    run(&(LaunchOptions){0}); /* the engine is as before */
}

/* The same where one warp is at a barrier already: the fault is that of a warp that could go on, the first that began. */
static void who_waits_at_a_barrier_is_not_to_blame(void **state)
{
    (void)state;
    char text[256];
    for (u32 k = 0; k < 2 * WARPS; k++) {
        const u32 at = k / 2;
        LaunchResult r;
        assert_true(machine_builtin("rtl-direct", &machine));
        machine.lsu_per_warp = 0;
        machine.last_first = k & 1;
        snprintf(text, sizeof text,
                 "    lui     s1, 0x90000\n"
                 "    csrr    t0, CSR_WID\n"
                 "    li      t1, %u\n"
                 "    beq     t0, t1, 1f\n"
                 "    lw      t1, 0(s1)\n"
                 "1:  barrier x0, x0, 1\n"
                 "    endprg  x0, x0, x0\n",
                 at);
        rig_load(V202, LANES, text);
        rig.launch.warps = WARPS;
        time_kind.code_changed(engine, rig.launch.set, CODE_LO, TEXT_BYTES);
        rig.launch.machine = &machine;
        assert_false(time_kind.launch(engine, &rig.launch, &(LaunchOptions){0}, &r));
        assert_int_equal(r.fault.kind, FAULT_STALLED);
        assert_int_equal(r.fault.warp,
                         k & 1 ? (at == WARPS - 1 ? WARPS - 2 : WARPS - 1) : at == 0);
        assert_int_equal(r.fault.waiting, 1);
        assert_int_equal(r.fault.spinning, WARPS - 1);
        assert_int_equal(r.fault.nwaits, WARPS);
        for (u32 i = 0; i < WARPS; i++) {
            assert_int_equal(r.fault.wait[i].group, 0);
            assert_int_equal(r.fault.wait[i].warp, k & 1 ? WARPS - 1 - i : i);
            if (r.fault.wait[i].warp == at)
                assert_string_equal(r.fault.wait[i].why, "barrier");
        }
    }
}

/* A prefix and the second half of a 64-bit word are decoded and never issued. */
static void prefixes_and_second_halves(void **state)
{
    (void)state;
    static const bool issued[] = {true, true, false, true, false, true, true};
    const CycleObserver observer = {.kinds = 1 << CYCLE_DECODE | 1 << CYCLE_ISSUE, .tell = record};
    u32 decoded = 0, times[countof(issued)] = {0};
    assert_true(machine_builtin("rtl-direct", &machine));
    time_kind.close(engine);
    engine = time_kind.open(&rig.memory, V2025);
    assert_non_null(engine);
    rig_load(V2025, LANES,
             "    vid.v   v1\n"
             "    .word   0x0c828054, 0x00c86540\n" /* vadd64.vv */
             "    vadd.vv v3, v1, v1\n"
             "    prefix  xd=1\n"
             "    vadd.vv v4, v1, v1\n"
             "    endprg  x0, x0, x0\n");
    run(&(LaunchOptions){.cycles = &observer});
    for (size_t i = 0; i < nevents; i++) {
        const u32 n = (events[i].pc - CODE_LO) / 4;
        if (n >= countof(issued))
            continue; /* fetched with the last */
        if (events[i].kind == CYCLE_ISSUE)
            times[n]++;
        else
            assert_int_equal(events[i].hidden, !issued[n]), decoded |= 1u << n;
    }
    for (u32 n = 0; n < countof(issued); n++)
        assert_int_equal(times[n], issued[n]);
    assert_int_equal(decoded, (1u << countof(issued)) - 1);
    time_kind.close(engine);
    engine = time_kind.open(&rig.memory, V202);
    assert_non_null(engine);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies),
        cmocka_unit_test(prefixes_and_second_halves),
        cmocka_unit_test(parameters_mean_cycles),
        cmocka_unit_test(an_empty_kernel),
        cmocka_unit_test(around_a_kernel),
        cmocka_unit_test(every_set),
        cmocka_unit_test(counts_of_caches), cmocka_unit_test(stores_wait_for_their_line),
        cmocka_unit_test(every_machine),
        cmocka_unit_test(each_event_is_told),
        cmocka_unit_test(one_of_each_kind_in_a_cycle),
        cmocka_unit_test(warps_go_where_observers_send_them),
        cmocka_unit_test(parameters_matter),
        cmocka_unit_test(every_parameter_at_its_ends),
        cmocka_unit_test(ways_of_any_number),
        cmocka_unit_test(sms_share_memory),
        cmocka_unit_test(code_that_never_comes),
        cmocka_unit_test(every_place_for_memory),
        cmocka_unit_test(stores_wait_for_room),
        cmocka_unit_test(private_memory_is_handed_on),
        cmocka_unit_test(who_waits_at_a_barrier_is_not_to_blame),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(a_machine_that_stands_still), cmocka_unit_test(a_group_faults),
        cmocka_unit_test(limits_of_instructions),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, timing_set_up, timing_tear_down);
}
