/* jit_repeat_test.c -- host code that goes on with the next warp and the next group: which it runs,
 * where it ends, what each warp finds; stores around the launch constants, which it watches; and
 * where code leaves a loop because of a limit, and enters it again.
 */
#include "test/kit/hostrig.h"
#include "jit/constant.h"
#include "test/kit/random.h"

#define KNL  (DATA + 0x1000) /* the metadata block; its second word: the arguments */
#define ARGS (DATA + 0x2000)
#define OUT  (DATA + 0x8000)
enum { LANES = 8, WARPS = 3, LEFT = 16 /* words that a warp leaves */ };

static const WarpShape begins = {.full = true, .fresh = true};

/* Leaves at OUT what the warp finds, and behind that a mark. */
static const char numbers[] = "    csrr    x5, knl\n"
                              "    lw      x6, 4(x5)\n"
                              "    lw      x7, 0(x6)\n" /* OUT: an argument */
                              "    beqz    x7, 1f\n"
                              "    lw      x21, 4(x6)\n" /* an argument, in another block */
                              "1:  csrr    x9, wgid\n"
                              "    slli    x8, x9, 1\n"
                              "    add     x9, x9, x8\n"
                              "    csrr    x8, wid\n"
                              "    add     x9, x9, x8\n"
                              "    slli    x9, x9, 6\n"
                              "    add     x9, x9, x7\n"
                              "    csrr    x10, gidx\n"
                              "    sw      x10, 0(x9)\n"
                              "    csrr    x10, gidy\n"
                              "    sw      x10, 4(x9)\n"
                              "    csrr    x10, gidz\n"
                              "    sw      x10, 8(x9)\n"
                              "    csrr    x10, wid\n"
                              "    sw      x10, 12(x9)\n"
                              "    csrr    x10, wgid\n"
                              "    sw      x10, 16(x9)\n"
                              "    csrr    x10, pds\n"
                              "    sw      x10, 20(x9)\n"
                              "    csrr    x10, rpc\n"
                              "    sw      x10, 24(x9)\n"
                              "    csrr    x10, mstatus\n"
                              "    sw      x10, 28(x9)\n"
                              "    csrr    x10, instret\n"
                              "    sw      x10, 32(x9)\n"
                              "    csrr    x10, vtype\n"
                              "    sw      x10, 36(x9)\n"
                              "    sw      x20, 40(x9)\n"
                              "    csrr    x10, tid\n"
                              "    sw      x10, 44(x9)\n"
                              /* what the next one must not find */
                              "    csrrwi  x0, mstatus, 8\n"
                              "    setrpc  x0, x5, 0\n"
                              "    li      x20, 77\n"
                              "    vsetvli x11, x0, e32, m1, tu, mu\n"
                              "    sw      x20, 48(x9)\n"
                              "    sw      x21, 52(x9)\n"
                              "    endprg  x0, x0, x0\n";
enum { INSNS = 42 };

static const u32 grid[3] = {3, 2, 5};

static void load_numbers(void)
{
    const u32 block[2] = {CODE_LO, ARGS}, out[2] = {OUT, 0x12345};
    rig_load(V202, LANES, numbers);
    memcpy(rig.memory.base + KNL, block, sizeof block);
    memcpy(rig.memory.base + ARGS, out, sizeof out);
    memcpy(rig.launch.groups, grid, sizeof grid);
    rig.launch.knl = KNL;
    rig.launch.warps = WARPS;
    rig.launch.pds_by_group = true;
    rig.launch.keeps_registers = true;
}

/* What a run is told, and what it does. */
typedef struct {
    u64 first, end, most;
    u32 warp;      /* it begins with */
    bool stale;    /* a store may have changed a constant */
    bool dirty[2]; /* a page of local, of private memory is to be cleaned */
} Run;

/* How many warps it runs, by the rules of jit/hostcode.h. */
static u32 warps_of(const Run *r)
{
    u32 n = 0;
    u64 insns = 0;
    for (u64 g = r->first;; g++) {
        for (u32 k = g == r->first ? r->warp : 0; k < WARPS; k++) {
            n++;
            insns += INSNS;
            if (r->stale)
                return n;
        }
        if (g + 1 >= r->end || insns >= r->most || r->dirty[0] || r->dirty[1])
            return n;
    }
}

static void try_run(const Run *r)
{
    u32 constant[MAX_CONSTANTS];
    Group *g = host.group;
    HostEnv env = host_env();
    memset(rig.memory.base + OUT, 0, 0x8000);
    group_begin(g, r->first);
    g->stale = r->stale;
    g->lds_dirty.n = r->dirty[0];
    g->pds_dirty.n = r->dirty[1];
    env.first = g->warps;
    env.last = &g->warps[WARPS - 1];
    env.end = r->end;
    env.most = r->most;
    env.pds_step = (u32)group_pds_size(&rig.launch);
    env.constant = constant;
    assert_true(constants_read(host.region, g->warps, constant, &env.guard));
    assert_int_equal(env.guard.part[0].lo, KNL + 4);
    assert_int_equal(env.guard.part[0].lo + env.guard.part[0].room, ARGS + 8);
    const u32 back =
        host_run_by(&env, &g->warps[r->warp], UINT32_MAX >> (32 - LANES), 0, UINT64_MAX);
    g->lds_dirty.n = g->pds_dirty.n = 0;
    const u32 n = warps_of(r), *left = (const u32 *)(const void *)(rig.memory.base + OUT);
    assert_int_equal(back, (u32)HOST_STOPPED);
    for (u32 i = 0; i < 30 * WARPS; i++) {
        const u32 from = (u32)r->first * WARPS + r->warp;
        if (left[LEFT * i + 12] != (i - from < n ? 77 : 0))
            fail_msg("from group %u, warp %u on: warp %u", (u32)r->first, r->warp, i);
    }
    assert_int_equal(env.insns, (u64)n * INSNS);
    for (u32 i = 0; i < n; i++) {
        const u32 number = (u32)r->first * WARPS + r->warp + i, linear = number / WARPS;
        const u32 want[12] = {linear % grid[0],
                              linear / grid[0] % grid[1],
                              linear / grid[0] / grid[1] % grid[2],
                              number % WARPS,
                              linear,
                              PDS + linear * env.pds_step,
                              0,
                              0x1800, /* bits 12:11 read 1 */
                              29,     /* instructions, before it counts them */
                              WARP_VTYPE,
                              0,
                              number % WARPS * LANES};
        assert_int_equal(left[LEFT * number + 13], 0x12345);
        for (u32 k = 0; k < countof(want); k++)
            if (left[LEFT * number + k] != want[k])
                fail_msg("warp %u of %u: word %u is %x, not %x", i, n, k, left[LEFT * number + k],
                         want[k]);
    }
    /* the one that ended last */
    const u32 last = (u32)r->first * WARPS + r->warp + n - 1;
    assert_ptr_equal(env.warp, &g->warps[last % WARPS]);
    assert_int_equal(env.warp->state, WARP_DONE);
    assert_int_equal(env.warp->ninsns, INSNS);
    assert_int_equal(env.warp->mask, UINT32_MAX >> (32 - LANES));
    assert_int_equal(g->linear, last / WARPS);
}

static void runs_on(void **state)
{
    static const u64 mosts[] = {1, INSNS * WARPS, INSNS * WARPS + 1, INSNS * WARPS * 4, 1 << 20};
    (void)state;
    assert_true(host_open("base", V202));
    load_numbers();
    host_make(begins, CODE_PLAIN, false);
    assert_true(host.region->repeats);
    for (u32 first = 0; first < 28; first += 3)
        for (u32 n = 1; n < 8 && first + n <= 30; n += 2)
            for (size_t k = 0; k < countof(mosts); k++)
                try_run(
                    &(Run){.first = first, .end = first + n, .most = mosts[k], .warp = n % WARPS});
    try_run(&(Run){.first = 0, .end = 30, .most = 1 << 20});
    try_run(&(Run){.first = 2, .end = 9, .most = 1 << 20, .stale = true});
    try_run(&(Run){.first = 2, .end = 9, .most = 1 << 20, .dirty = {true}});
    try_run(&(Run){.first = 2, .end = 9, .most = 1 << 20, .dirty = {false, true}});
    host_close();
}

/* --- stores around the constants --------------------------------------------------------- */

/* Of each store: its width, whether a row or lane 0 alone counts. */
static const struct {
    const char *text;
    u32 width;
    bool row;
} stores[] = {
    {"sw x13,0(x8)", 4, false},    {"sh x13,0(x8)", 2, false},       {"sb x13,0(x8)", 1, false},
    {"vse32.v v2,(x8)", 4, true},  {"vsw12.v v2,0(v1)", 4, true},    {"vsh12.v v2,0(v3)", 2, true},
    {"vsb12.v v2,0(v4)", 1, true}, {"amoadd.w v5,v2,(v1)", 4, true},
};

/* One store from before the guard to behind it: at once where it changes none of its bytes; else,
 * and if it is an atomic, the engine makes it.  The group knows where a byte was changed. */
static void try_store(u32 k, u32 level_lanes, const char *level)
{
    const u32 lo = DATA + 0x3100, room = 24;
    char text[400];
    const u32 all = UINT32_MAX >> (32 - level_lanes);
    const bool atomic = stores[k].text[0] == 'a';
    const u32 bytes = stores[k].width * (stores[k].row ? level_lanes : 1);
    snprintf(text, sizeof text,
             "li x8,%#x\n lw x8,0(x8)\n vid.v v4\n vadd.vv v3,v4,v4\n vadd.vv v1,v3,v3\n"
             " vadd.vx v4,v4,x8\n vadd.vx v3,v3,x8\n vadd.vx v1,v1,x8\n %s\n endprg x0,x0,x0\n",
             ARGS, stores[k].text);
    rig_load(V202, level_lanes, text);
    rig.launch.keeps_registers = true;
    host_make(begins, CODE_PLAIN, false);
    Group *g = host.group;
    for (u32 at = lo - bytes - 8; at < lo + room + 8; at++) {
        u32 constant[MAX_CONSTANTS];
        HostEnv env = host_env();
        if (atomic && at % 4)
            continue;
        memcpy(rig.memory.base + ARGS, &at, 4);
        group_begin(g, 0);
        memset(g->plain, 0, sizeof g->plain);
        assert_true(constants_read(host.region, g->warps, constant, &env.guard));
        env.first = env.last = g->warps;
        env.end = env.most = 0;
        env.constant = constant;
        g->guard = (Guard){.part = {{0}}};
        g->guard.part[at % 2] = (PlainRange){lo, room, rig.memory.base};
        env.guard = g->guard;
        g->stale = false;
        host_run_by(&env, g->warps, all, 0, UINT64_MAX);
        const bool hits = at + bytes > lo && at < lo + room;
        const u32 calls = host.calls.one + host.calls.scalar + host.calls.vector;
        if (g->faulted || calls != (hits || atomic) || g->stale != hits)
            fail_msg("%s: %s at %x, guard %x+%x: %u calls, %s", level, stores[k].text, at, lo, room,
                     calls, g->stale ? "stale" : "not stale");
    }
}

static void stores_around_constants(void **state)
{
    (void)state;
    assert_true(host_open("base", V202));
    for (u32 k = 0; k < countof(stores); k++)
        try_store(k, 8, "base");
    host_close();
}

/* --- limits ------------------------------------------------------------------------------ */

/* A loop of 5 instructions behind 3, whose body is cut in two by a branch. */
static const char loop[] = "    li      x5, 40\n"
                           "    vmv.v.i v2, 0\n"
                           "    li      x7, 1\n"
                           "1:  add     x6, x6, x5\n"
                           "    vadd.vx v2, v2, x5\n"
                           "    beqz    x7, 2f\n"
                           "2:  addi    x5, x5, -1\n"
                           "    bgtz    x5, 1b\n"
                           "    jr      x30\n";
enum { BEFORE = 3, ROUND = 5, ROUNDS = 40, ALL = BEFORE + ROUND * ROUNDS + 1 };

/* Code leaves at the head of the loop, when so many instructions have been retired there, with what
 * the warp has; where code has an entry there, it goes on to the end. */
static void leaves_at_limits(void **state)
{
    static const CodeKind kinds[] = {CODE_QUICK, CODE_PLAIN, CODE_HEADERS};
    (void)state;
    assert_true(host_open("base", V202));
    rig_load(V202, LANES, loop);
    for (size_t k = 0; k < countof(kinds); k++) {
        host_make((WarpShape){.full = true}, kinds[k], false);
        const int head = region_find(host.region, CODE_LO + 4 * BEFORE, true);
        assert_true(head > 0);
        for (u32 limit = 0; limit < ALL + 8; limit++) {
            HostEnv env = host_env();
            Warp *w = host.group->warps;
            u32 rounds = limit <= BEFORE ? 0 : (limit - BEFORE + ROUND - 1) / ROUND;
            group_begin(host.group, 0);
            w->x[30] = CODE_LO + 0x100;
            u32 back = host_run_by(&env, w, UINT32_MAX >> (32 - LANES), 0, limit);
            if (rounds < ROUNDS) {
                assert_int_equal(back, head);
                assert_int_equal(w->pc, CODE_LO + 4 * BEFORE);
                assert_int_equal(w->ninsns, BEFORE + ROUND * rounds);
                assert_int_equal(w->x[5], ROUNDS - rounds);
                assert_int_equal(w->x[6], rounds * ROUNDS - rounds * (rounds - 1) / 2);
                assert_int_equal(w->v[2][LANES - 1], w->x[6]);
                if (kinds[k] == CODE_PLAIN)
                    continue;
                back = host_run_by(&env, w, UINT32_MAX >> (32 - LANES), 1 + (u32)head, UINT64_MAX);
            }
            assert_int_equal(back, (u32)HOST_ANYWHERE);
            assert_int_equal(w->pc, CODE_LO + 0x100);
            assert_int_equal(w->ninsns, ALL);
            assert_int_equal(w->x[5], 0);
            assert_int_equal(w->x[6], ROUNDS * (ROUNDS + 1) / 2);
            assert_int_equal(w->v[2][0], w->x[6]);
        }
    }
    host_close();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_on),
        cmocka_unit_test(stores_around_constants),
        cmocka_unit_test(leaves_at_limits),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
