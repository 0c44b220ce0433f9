/* jit_stream_test.c -- words that host code loads before lanes ask for them (jit/stream.c): what is
 * taken from there, and what forgets it, by memory that changes meanwhile.  jit_memory_test.c has random
 * loops of this kind.  An argument chooses a test.
 */
#include "test/kit/hostrig.h"

static const char *const levels[] = {"base", "avx2", "avx512"};
enum {
    SPECIAL =
        0x8000000,  /* from DATA to a page without rights, for whose loads the engine is called */
    LOG = 0x10000,  /* in DATA: what was loaded, 128 bytes a time */
    FIRST = 0x8000, /* in DATA: where lanes begin */
    APART = 260,    /* bytes from one lane's to the next */
    TIMES = STREAM_WORDS + 1
};

/* --- memory that changes ------------------------------------------------------------------ */

static struct {
    u32 lanes, mask;
    bool full;
    u32 from[MAX_LANES]; /* where each lane's first word is */
    u32 lo, last;        /* the first and the last byte of all that is loaded the second time */
    u32 time;            /* loads that were made */
} run_of;

/* What the word at an address is after so many loads. */
static u32 word_at(u32 addr, u32 time) { return addr * 0x9e3779b1u ^ time << 24; }

static void set_words(u32 time)
{
    for (u32 i = 0; i < LOG / 4; i++)
        rig.data[i] = word_at(DATA + 4 * i, time);
}

/* A load of the special page: somebody else changes all words. */
static u64 change_words(Warp *w, const Uop *u, u32 mask, u32 addr, u32 value)
{
    (void)w, (void)mask, (void)addr, (void)value;
    assert_true(isa_effect_of((InsnId)u->id)->access == ACCESS_LOAD);
    set_words(++run_of.time);
    return (u64)1 << 32;
}

/* A loop that loads words of lanes by `load`, notes them, and then executes an instruction. */
static void make_loop(const char *load, const char *then)
{
    Buf text = {0};
    buf_printf(&text,
               ".L1: %s\n vsw12.v v5,0(v7)\n vadd.vx v7,v7,x13\n %s\n vadd.vv v1,v1,v4\n"
               " lw x5,0(x8)\n addi x9,x9,-1\n bnez x9,.L1\n jr x30\n",
               load, then);
    rig_load(V202, run_of.lanes, buf_text(&text));
    memory_map(&rig.memory, DATA + SPECIAL, PAGE_SIZE, 0);
    host_make((WarpShape){.full = run_of.full}, CODE_PLAIN, false);
    buf_free(&text);
}

/* Lanes in some order, each with a row of its own; lane 1 is off, if not all are on. */
static void place_lanes(u32 lanes, bool full)
{
    const u32 all = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    run_of.lanes = lanes;
    run_of.full = full;
    run_of.mask = full ? all : all & ~2u;
    run_of.lo = UINT32_MAX;
    run_of.last = 0;
    for (u32 i = 0; i < lanes; i++) {
        run_of.from[i] = DATA + FIRST + APART * (5 * i % (lanes + 1));
        if (!(run_of.mask >> i & 1)) {
            run_of.from[i] = 0xfffffff0; /* where nothing is */
            continue;
        }
        const u32 second = run_of.from[i] + 4, end = second + 4 * STREAM_WORDS - 1;
        run_of.lo = second < run_of.lo ? second : run_of.lo;
        run_of.last = end > run_of.last ? end : run_of.last;
    }
}

/* Runs the loop; step: of each lane, step_1: of lane 0; x10 and v2: addresses for what it executes, of
 * v2 the lanes lie `between` bytes apart. */
static void run_loop(u32 step, u32 step_1, u32 x10, u32 between, u32 room)
{
    Group *g = host.group;
    Warp *w = g->warps;
    HostEnv env = host_env();
    env.scalar = change_words;
    for (u32 i = 0; i < run_of.lanes; i++) {
        w->v[1][i] = run_of.from[i];
        w->v[4][i] = i ? step : step_1;
        w->v[2][i] = x10 + i * between;
        w->v[6][i] = 0;
        w->v[7][i] = DATA + LOG + 4 * i;
        w->v[8][i] = run_of.from[i] - (DATA + 64);
    }
    w->x[8] = DATA + SPECIAL;
    w->x[9] = TIMES;
    w->x[10] = x10;
    w->x[13] = 128;
    w->x[14] = DATA + 64;
    w->x[6] = 0;
    w->pc = CODE_LO;
    w->state = WARP_READY;
    run_of.time = 0;
    set_words(0);
    memset(rig.data + LOG / 4, 0xaa, TIMES * 128);
    memset(g->streams, 0, sizeof *g->streams);
    memset(g->apart, 0, sizeof g->apart);
    group_forget_ranges(g, false);
    group_forget_ranges(g, true);
    const PlainRange range = {DATA, room, rig.memory.base};
    for (u32 i = 0; i < PLAIN_SITES; i++)
        g->plain[0][i] = range, g->asked[0][i / 64] = ~(u64)0;
    assert_int_equal(host_run_by(&env, w, run_of.mask, 0, UINT64_MAX), (u32)HOST_ANYWHERE);
    assert_false(g->faulted);
    assert_int_equal(run_of.time, TIMES);
}

/* Words that were loaded from the second time on, or each when its lane asked. */
static void expect_loaded(const char *what, u32 step, u32 step_1, bool at_once)
{
    for (u32 n = 0; n < TIMES; n++)
        for (u32 i = 0; i < run_of.lanes; i++) {
            if (!(run_of.mask >> i & 1))
                continue;
            const u32 addr = run_of.from[i] + n * (i ? step : step_1);
            const u32 want = word_at(addr, at_once && n ? 1 : n);
            const u32 got = rig.data[(LOG + 128 * n) / 4 + i];
            if (got != want)
                fail_msg("%s, %u lanes, mask %x: time %u, lane %u has %08x instead of %08x", what,
                         run_of.lanes, run_of.mask, n, i, got, want);
        }
}

/* What is executed between two loads, where, and whether it forgets. */
typedef struct {
    const char *then;
    enum { NOWHERE, BELOW, BEHIND } where;
    i32 off; /* from the first byte that is loaded, or from the one behind the last */
    u32 between;
    bool forgets;
} Between;

static const Between betweens[] = {
    {"add x3,x3,x3", NOWHERE, 0, 0, false},
    {"lw x5,0(x10)", BELOW, 0, 0, false},
    {"fence", NOWHERE, 0, 0, true},
    {"barriersub x0,x0,4", NOWHERE, 0, 0, true},
    {"amoadd.w v9,v6,(v2)", BELOW, -0x1000, 4, true},
    {"csrr x5,cycle", NOWHERE, 0, 0, true},
    {"sw x6,0(x10)", BELOW, -4, 0, false},
    {"sw x6,0(x10)", BELOW, -3, 0, true},
    {"sw x6,0(x10)", BEHIND, 0, 0, false},
    {"sw x6,0(x10)", BEHIND, -1, 0, true},
    {"sb x6,0(x10)", BELOW, -1, 0, false},
    {"sb x6,0(x10)", BELOW, 0, 0, true},
    {"sb x6,0(x10)", BEHIND, 0, 0, false},
    {"sb x6,0(x10)", BEHIND, -1, 0, true},
    {"vsw12.v v6,0(v2)", BEHIND, 0, 4, false},
    {"vsw12.v v6,0(v2)", BEHIND, -1, 4, true},
    {"vsb12.v v6,0(v2)", BEHIND, 0, 1, false},
    {"vsb12.v v6,0(v2)", BEHIND, -1, 1, true},
    {"vsw12.v v6,0(v2)", BEHIND, 0, 12, false},
    {"vsw12.v v6,0(v2)", BEHIND, -1, 12, true},
    {"vsh12.v v6,0(v2)", BEHIND, 1, 6, false},
    {"vsh12.v v6,0(v2)", BEHIND, -2, 6, true},
    {"vsw12.v v6,0(v2)", BELOW, -4, -12u, false},
    {"vsw12.v v6,0(v2)", BELOW, -3, -12u, true},
    {"vsb12.v v6,0(v2)", BELOW, -1, -1u, false},
    {"vsb12.v v6,0(v2)", BELOW, 0, -1u, true},
};

static void forget(void **state)
{
    const u32 level = level_of(state);
    if (!host_open(levels[level], V202))
        skip_because("this processor has not %s", levels[level]);
    for (u32 lanes = 8; lanes <= 32; lanes *= 2)
        for (size_t k = 0; k < countof(betweens); k++)
            for (u32 all = 0; all < 2; all++) {
                const Between *b = &betweens[k];
                char what[80];
                place_lanes(lanes, all);
                const u32 at = (b->where == BEHIND ? run_of.last + 1 : run_of.lo) + (u32)b->off;
                make_loop("vlw12.v v5,0(v1)", b->then);
                run_loop(4, 4, at, b->between, DATA_BYTES - 3);
                snprintf(what, sizeof what, "%s: %s at %d", levels[level], b->then, b->off);
                expect_loaded(what, 4, 4, !b->forgets);
            }
    host_close();
}

/* Each form of a load; which lanes go on how far; and the end of what may be loaded at once. */
static void take(void **state)
{
    static const struct {
        const char *load;
        bool at_once;
    } loads[] = {
        {"vlw12.v v5,0(v1)", true},
        {"vluxei32.v v5,(x14),v8\n vadd.vv v8,v8,v4", true},
        {"vlhu12.v v5,0(v1)\n vlhu12.v v9,2(v1)\n vsll.vi v9,v9,16\n vor.vv v5,v5,v9", false}};
    static const u32 steps[][2] = {{8, 8}, {0, 0}, {4, 8}, {-4u, -4u}, {16, 16}, {4, 0}};
    const u32 level = level_of(state), less = 4 * (STREAM_WORDS - 1);
    if (!host_open(levels[level], V202))
        skip_because("this processor has not %s", levels[level]);
    for (u32 lanes = 8; lanes <= 32; lanes *= 2)
        for (u32 all = 0; all < 2; all++) {
            place_lanes(lanes, all);
            for (size_t k = 0; k < countof(loads); k++) {
                make_loop(loads[k].load, "add x3,x3,x3");
                run_loop(4, 4, 0, 0, DATA_BYTES - 3);
                expect_loaded(loads[k].load, 4, 4, loads[k].at_once);
            }
            make_loop(loads[0].load, "add x3,x3,x3");
            for (size_t k = 0; k < countof(steps); k++) {
                run_loop(steps[k][0], steps[k][1], 0, 0, DATA_BYTES - 3);
                expect_loaded("steps", steps[k][0], steps[k][1], false);
            }
            /* the last word of the highest lane is the last one in the range, or one behind it */
            const u32 highest = run_of.last + 1 - 4 * STREAM_WORDS;
            for (u32 missing = 0; missing < 2; missing++) {
                run_loop(4, 4, 0, 0, highest - DATA + less + 1 - missing);
                expect_loaded(missing ? "beyond the range" : "the end of the range", 4, 4,
                              !missing);
            }
            /* fewer than half of the lanes are not worth it */
            for (u32 missing = 0; !all && missing < 2; missing++) {
                run_of.mask = (1u << (lanes / 2 + 1 - missing)) - 1 - 2;
                run_loop(4, 4, 0, 0, DATA_BYTES - 3);
                expect_loaded("few lanes", 4, 4, !missing);
            }
        }
    host_close();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TESTS_BY_LEVEL(take),
        TESTS_BY_LEVEL(forget),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
