/* sim_lack_test.c -- one allocation after the other fails in launches of the interpreter: each says so by
 * FAULT_NO_MEMORY, or does what it does with memory, counts the same instructions and tells the same
 * of them; everything is given back.
 */
#include "test/kit/lackdrv.h"
#include "sim/sim.h"
#include "test/kit/assemble.h"
#include "link/link.h"

#define DATA  0x90000000u
#define LOCAL 0x70000000u
#define PDS   0xa0000000u
enum { TEXT = 2 * PAGE_SIZE, BYTES = 4 * PAGE_SIZE };

/* Stores to device, local and private memory, a row and a scalar; loads, atomics, copies; parts its
 * lanes twice, one branch within the other; waits for the other warp. */
static const char program[] = "    li      x8, 0x90000000\n"
                              "    li      x9, 0x70000000\n"
                              "    li      x10, 0xa0000000\n"
                              "    csrr    x11, wid\n"
                              "    slli    x11, x11, 8\n"
                              "    add     x8, x8, x11\n"
                              "    add     x9, x9, x11\n"
                              "    add     x10, x10, x11\n"
                              "    vid.v   v1\n"
                              "    vsll.vi v2, v1, 2\n"
                              "    vadd.vx v3, v2, x8\n"
                              "    vadd.vx v4, v2, x9\n"
                              "    vadd.vx v5, v2, x10\n"
                              "    vsw12.v v3, 0(v3)\n"
                              "    vsw12.v v1, 0(v4)\n"
                              "    vsw12.v v1, 0(v5)\n"
                              "    vlw12.v v6, 0(v4)\n"
                              "    vlw12.v v7, 0(v5)\n"
                              "    vadd.vv v6, v6, v7\n"
                              "    vsw12.v v6, 64(v3)\n"
                              "    amoadd.w v8, v1, (v3)\n"
                              "    sw      x9, 128(x8)\n"
                              "    lw      x12, 128(x8)\n"
                              "    sb      x12, 132(x8)\n"
                              "    vmv.v.i v9, 5\n"
                              "    vmv.v.i v10, 2\n"
                              ".Lp: auipc  x30, %pcrel_hi(.Lm)\n"
                              "    setrpc  x0, x30, %pcrel_lo(.Lp)\n"
                              "    vblt    v1, v9, .Lm\n"
                              ".Lq: auipc  x30, %pcrel_hi(.Ln)\n"
                              "    setrpc  x0, x30, %pcrel_lo(.Lq)\n"
                              "    vblt    v1, v10, .Ln\n"
                              "    vadd.vi v6, v6, 1\n"
                              ".Ln: join   x0, x0, 0\n"
                              ".Lm: join   x0, x0, 0\n"
                              "    vsw12.v v6, 96(v3)\n"
                              "    barrier x0, x0, 0\n"
                              "    vlw12.v v6, 96(v3)\n"
                              "    endprg  x0, x0, x0\n";
/* In v2025 also what copies have yet to fill is kept. */
static const char copies[] = "    li      x8, 0x90000000\n"
                             "    li      x9, 0x70000000\n"
                             "    li      x10, 64\n"
                             "    cp_dma_bulk x9, x8, x10\n"
                             "    addi    x9, x9, 64\n"
                             "    cp_dma_bulk x9, x8, x10\n"
                             "    cp_dma_mbarrier\n"
                             "    lw      x11, 0(x9)\n"
                             "    sw      x11, 256(x8)\n"
                             "    endprg  x0, x0, x0\n";

/* How a launch is watched. */
typedef enum { BY_NOBODY, BY_ALL_EVENTS, BY_REGISTERS, BY_STEPS } Watcher;

static Buf text; /* of the program */
static IsaSet set;
static Watcher watcher;

static void take(const char *source, IsaSet profile)
{
    Caught c;
    catch_in(&c);
    Object *o = assemble(source, set = profile);
    Object *image =
        link_objects((const Object *const[]){o}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    if (!image || image->nsegments != 1 || image->segments[0].addr != CODE_LO)
        fail_msg("%s", buf_text(&c.text));
    text.len = 0;
    buf_put(&text, image->segments[0].data.data, image->segments[0].data.len);
    obj_free(o);
    obj_free(image);
    buf_free(&c.text);
}

/* What an observer was told: events by kind, and what was touched. */
typedef struct {
    u64 events[NEVENT], touched, bytes;
} Told;

static Verdict hear(void *self, const Event *e)
{
    Told *told = self;
    told->events[__builtin_ctz(e->kind)]++;
    for (size_t i = 0; e->kind == EVENT_insn && i < e->step->ntouched; i++) {
        told->touched += e->step->touched[i].addr * (1 + e->step->touched[i].writes);
        told->bytes += e->step->touched[i].size;
    }
    return GO_ON;
}

static const u8 *watches(void *self, const Warp *w)
{
    static const u8 registers[NWATCH] = {[6] = 1, [WATCH_X + 12] = 1, [WATCH_ALWAYS] = 1};
    (void)self, (void)w;
    return registers;
}

/* Steps warp 0 of the first group up to the barrier. */
static bool step(Engine *e, const Launch *l, Buf *made)
{
    Group *g = sim_take_group((Sim *)e, l);
    Step s = {.faulted = false};
    if (!g)
        return false;
    group_begin(g, 0);
    while (!s.faulted && g->warps->state == WARP_READY) {
        const bool ok = sim_kind.step(e, g->warps, &s);
        must(ok == !s.faulted && ok == !g->faulted, "a step that is no fault, or one that is");
        must(ok || g->fault.kind == FAULT_NO_MEMORY, "another fault of a step");
        buf_put(made, &s.pc, sizeof s.pc);
    }
    group_end(g);
    sim_give_group((Sim *)e, g);
    return !s.faulted;
}

static bool launch(Engine *e, Memory *m, Buf *made)
{
    const Launch l = {.kernel = "k",
                      .set = set,
                      .pc = CODE_LO,
                      .groups = {2, 1, 1},
                      .warps = 2,
                      .lanes = 8,
                      .vgprs = 16,
                      .lds = 4096,
                      .pds = PDS,
                      .pds_lane = 64,
                      .pds_areas = 1,
                      .check_copies = set & V2025,
                      .simt_depth = 100,
                      .memory = m};
    if (watcher == BY_STEPS)
        return step(e, &l, made);
    Told told = {.bytes = 0};
    const Observer o = {.self = &told,
                        .events =
                            watcher == BY_REGISTERS ? EVENT_insn : UINT32_MAX & ~(u32)EVENT_fetch,
                        .tell = hear,
                        .watches = watcher == BY_REGISTERS ? watches : NULL};
    const LaunchOptions opt = {.threads = 1, .observers = &o, .nobservers = watcher != BY_NOBODY};
    LaunchResult r;
    const bool ok = sim_kind.launch(e, &l, &opt, &r);
    must(ok == !r.faulted && (ok || r.fault.kind == FAULT_NO_MEMORY), "another fault");
    must(ok || r.fault.pc || r.fault.lane == -1, "before there was a group, it is no lane's");
    buf_put(made, &r.insns, sizeof r.insns);
    buf_put(made, &told, sizeof told);
    buf_put(made, m->base + DATA, PAGE_SIZE);
    return ok;
}

static bool runs(Buf *made)
{
    buf_reserve(made, BYTES);
    const size_t before = live_blocks();
    Memory m;
    bool ok = memory_open(&m, 0, (u64)1 << 32);
    must(ok, "no addresses");
    memory_map(&m, CODE_LO, TEXT, MEM_R | MEM_W | MEM_X);
    memory_map(&m, DATA, BYTES, MEM_R | MEM_W);
    memory_map(&m, PDS, BYTES, MEM_R | MEM_TRACKED);
    memcpy(m.base + CODE_LO, text.data, text.len);
    Engine *e = sim_kind.open(&m, set);
    ok = e && launch(e, &m, made);
    if (e)
        sim_kind.close(e);
    memory_close(&m);
    must(live_blocks() == before, "a block is left");
    return ok;
}

static void try_launch(const char *source, IsaSet profile, Watcher by)
{
    take(source, profile);
    watcher = by;
    LACK_OF_MEMORY(runs);
}

static void unwatched(void **state)
{
    (void)state;
    try_launch(program, V202, BY_NOBODY);
}

static void watched_by_events(void **state)
{
    (void)state;
    try_launch(program, V202, BY_ALL_EVENTS);
}

static void watched_by_registers(void **state)
{
    (void)state;
    try_launch(program, V202, BY_REGISTERS);
}

static void stepped(void **state)
{
    (void)state;
    try_launch(program, V202, BY_STEPS);
}

static void copies_to_come(void **state)
{
    (void)state;
    try_launch(copies, V2025, BY_ALL_EVENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unwatched),
        cmocka_unit_test(watched_by_events),
        cmocka_unit_test(watched_by_registers),
        cmocka_unit_test(stepped),
        cmocka_unit_test(copies_to_come),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buf_free(&text);
    return failed;
}
