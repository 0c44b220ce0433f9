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
    STORED = 0x5a000000, /* what lane 0 stores */
    TIMES = STREAM_WORDS + 1
};

/* --- memory that changes ------------------------------------------------------------------ */

static struct {
    u32 lanes, mask;
    bool full;
    u32 from[MAX_LANES]; /* where each lane's first word is */
    u32 lo, last;        /* the first and the last byte of all that is loaded the second time */
    u32 range;           /* where the range begins that is remembered */
    u32 time;            /* loads that were made */
    void (*set_stream)(Group *g); /* after the first load, or NULL */
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
    (void)mask, (void)addr, (void)value;
    assert_true(isa_effect_of((InsnId)u->id)->access == ACCESS_LOAD);
    set_words(++run_of.time);
    if (run_of.set_stream && run_of.time == 1)
        run_of.set_stream(w->group);
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
    host_make((WarpShape){.full = run_of.full, .alone = true}, CODE_PLAIN, false);
    buf_free(&text);
}

/* Each lane has a row of its own; lane `off` is off, if not all are on.  stride: bytes from one lane's to the next one's;
 * 0: they come in another order. */
static void place_lanes_so(u32 lanes, bool full, i32 stride, u32 off)
{
    const u32 all = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    run_of.lanes = lanes;
    run_of.full = full;
    run_of.mask = full ? all : all & ~(1u << off);
    run_of.lo = UINT32_MAX;
    run_of.last = 0;
    run_of.range = DATA;
    for (u32 i = 0; i < lanes; i++) {
        run_of.from[i] =
            DATA + FIRST + (stride ? (u32)(stride * (i32)i) : APART * (5 * i % (lanes + 1)));
        if (!(run_of.mask >> i & 1)) {
            run_of.from[i] = 0xfffffff0; /* where nothing is */
            continue;
        }
        const u32 second = run_of.from[i] + 4, end = second + 4 * STREAM_WORDS - 1;
        run_of.lo = second < run_of.lo ? second : run_of.lo;
        run_of.last = end > run_of.last ? end : run_of.last;
    }
}

static void place_lanes(u32 lanes, bool full) { place_lanes_so(lanes, full, 0, 1); }

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
        w->v[12][i] = STORED + i;
        w->v[7][i] = DATA + LOG + 4 * i;
        w->v[8][i] = run_of.from[i] - (DATA + 64);
    }
    w->x[8] = DATA + SPECIAL;
    w->x[9] = TIMES;
    w->x[10] = x10;
    w->x[13] = 128;
    w->x[14] = DATA + 64;
    w->x[15] = TIMES * 128;
    w->x[6] = 0;
    w->pc = CODE_LO;
    w->state = WARP_READY;
    w->initial = run_of.mask;
    run_of.time = 0;
    set_words(0);
    memset(rig.data + LOG / 4, 0xaa, TIMES * 128);
    memset(g->streams, 0, sizeof *g->streams);
    memset(g->apart, 0, sizeof g->apart);
    group_forget_ranges(g, false);
    group_forget_ranges(g, true);
    const PlainRange range = {run_of.range, room - (run_of.range - DATA), rig.memory.base};
    for (u32 i = 0; i < PLAIN_SITES; i++)
        g->plain[0][i] = range, g->asked[0][i / 64] = ~(u64)0;
    assert_int_equal(host_run_by(&env, w, run_of.mask, 0, UINT64_MAX), (u32)HOST_ANYWHERE);
    assert_false(g->faulted);
    assert_int_equal(run_of.time, TIMES);
}

static u32 logged(u32 n, u32 lane) { return rig.data[(LOG + 128 * n) / 4 + lane]; }

/* Words that were loaded sixteen at once from the second time on, or each when its lane asked. */
static void expect_loaded(const char *what, u32 step, u32 step_1, bool at_once)
{
    const u32 words = (i32)step < 0 ? -step / 4 : step / 4;
    const u32 many = at_once ? (STREAM_WORDS - 1) / words + 1 : 1; /* times */
    for (u32 n = 0; n < TIMES; n++)
        for (u32 i = 0; i < run_of.lanes; i++) {
            if (!(run_of.mask >> i & 1))
                continue;
            const u32 addr = run_of.from[i] + n * (i ? step : step_1);
            const u32 want = word_at(addr, n ? n - (n - 1) % many : 0);
            if (logged(n, i) != want)
                fail_msg(
                    "%s, step %d, %u lanes, mask %x: time %u, lane %u has %08x instead of %08x",
                    what, (i32)step, run_of.lanes, run_of.mask, n, i, logged(n, i), want);
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
    {"barrier x0,x0,0", NOWHERE, 0, 0, true},
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
        {"vlhu12.v v5,0(v1)\n vlhu12.v v9,2(v1)\n vsll.vi v9,v9,16\n vor.vv v5,v5,v9", true},
        {"vlbu12.v v10,0(v1)\n vlbu12.v v9,1(v1)\n vlh12.v v5,2(v1)\n vsll.vi v5,v5,8\n"
         " vor.vv v5,v5,v9\n vsll.vi v5,v5,8\n vor.vv v5,v5,v10",
         true}};
    static const struct {
        u32 step, step_1; /* of each lane; of lane 0 */
        bool at_once;
    } steps[] = {
        {8, 8, true},   {-4u, -4u, true},   {-8u, -8u, true}, {12, 12, true},
        {16, 16, true}, {-32u, -32u, true}, {64, 64, true},   {68, 68, false},
        {4, 8, false},  {0, 0, false},      {4, 0, false},    {4, -4u, false},
    };
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
                run_loop(steps[k].step, steps[k].step_1, 0, 0, DATA_BYTES - 3);
                expect_loaded("steps", steps[k].step, steps[k].step_1, steps[k].at_once);
            }
            /* the last word of the highest lane is the last one in the range, or one behind it */
            const u32 highest = run_of.last + 1 - 4 * STREAM_WORDS;
            for (u32 missing = 0; missing < 2; missing++) {
                run_loop(4, 4, 0, 0, highest - DATA + less + 1 - missing);
                expect_loaded(missing ? "beyond the range" : "the end of the range", 4, 4,
                              !missing);
            }
            /* going back: the first word of the lowest lane is the first one in the range, or one before it */
            const u32 lowest = run_of.lo - 4 - 4 * STREAM_WORDS;
            for (u32 missing = 0; missing < 2; missing++) {
                run_of.range = lowest + missing;
                run_loop(-4u, -4u, 0, 0, DATA_BYTES - 3);
                expect_loaded(missing ? "before the range" : "the beginning of the range", -4u, -4u,
                              !missing);
            }
            run_of.range = DATA;
            /* fewer than half of the lanes are not worth it */
            for (u32 missing = 0; !all && missing < 2; missing++) {
                run_of.mask = (1u << (lanes / 2 + 1 - missing)) - 1 - 2;
                run_loop(4, 4, 0, 0, DATA_BYTES - 3);
                expect_loaded("few lanes", 4, 4, !missing);
            }
        }
    host_close();
}

/* Bytes and halves, by any step: which of those that were loaded at once lie in one word. */
static void parts(void **state)
{
    static const struct {
        const char *load;
        i32 step;
        u32 width, many; /* times that are loaded at once */
        bool sgn;
    } of[] = {
        {"vlbu12.v v5,0(v1)", 1, 1, 64, false}, {"vlb12.v v5,0(v1)", 1, 1, 64, true},
        {"vlbu12.v v5,0(v1)", 3, 1, 22, false}, {"vlbu12.v v5,0(v1)", 7, 1, 10, false},
        {"vlb12.v v5,0(v1)", -1, 1, 61, true},  {"vlbu12.v v5,0(v1)", -5, 1, 13, false},
        {"vlbu12.v v5,0(v1)", 65, 1, 1, false}, {"vlhu12.v v5,0(v1)", 2, 2, 32, false},
        {"vlh12.v v5,0(v1)", 6, 2, 11, true},   {"vlh12.v v5,0(v1)", -2, 2, 31, true},
        {"vlhu12.v v5,0(v1)", 3, 2, 1, false},  {"vlw12.v v5,0(v1)", 6, 4, 1, false},
    };
    const u32 level = level_of(state);
    if (!host_open(levels[level], V202))
        skip_because("this processor has not %s", levels[level]);
    for (u32 lanes = 8; lanes <= 32; lanes *= 2)
        for (size_t k = 0; k < countof(of); k++) {
            const u32 bits = 32 - 8 * of[k].width;
            place_lanes(lanes, k & 1);
            make_loop(of[k].load, "add x3,x3,x3");
            run_loop((u32)of[k].step, (u32)of[k].step, 0, 0, DATA_BYTES - 3);
            for (u32 n = 0; n < TIMES; n++)
                for (u32 i = 0; i < lanes; i++) {
                    const u32 at = run_of.from[i] + n * (u32)of[k].step;
                    const u32 time = n ? n - (n - 1) % of[k].many : 0, shift = 8 * (at & 3);
                    const u64 both =
                        (u64)word_at((at & -4u) + 4, time) << 32 | word_at(at & -4u, time);
                    const u32 all = (u32)(both >> shift) << bits;
                    const u32 want = of[k].sgn ? (u32)((i32)all >> bits) : all >> bits;
                    if ((run_of.mask >> i & 1) && logged(n, i) != want)
                        fail_msg(
                            "%s, %s, step %d, %u lanes: time %u, lane %u has %08x instead of %08x",
                            levels[level], of[k].load, of[k].step, lanes, n, i, logged(n, i), want);
                }
        }
    host_close();
}

/* --- loads and stores that share a stream ----------------------------------------------------- */

/* A stencil: what the others find was loaded with the first, as long as that has their words. */
static void share(void **state)
{
    enum { SECOND = LOG + TIMES * 128, THIRD = SECOND + TIMES * 128 };
    const u32 level = level_of(state);
    if (!host_open(levels[level], V202))
        skip_because("this processor has not %s", levels[level]);
    for (u32 lanes = 8; lanes <= 32; lanes *= 2)
        for (u32 back = 0; back < 2; back++) {
            const u32 step = back ? -4u : 4;
            place_lanes(lanes, true);
            make_loop("vlw12.v v5,0(v1)\n vlw12.v v9,4(v1)\n vlw12.v v10,-4(v1)\n"
                      " vadd.vx v11,v7,x15\n vsw12.v v9,0(v11)\n vadd.vx v11,v11,x15\n vsw12.v "
                      "v10,0(v11)",
                      "add x3,x3,x3");
            run_loop(step, step, 0, 0, DATA_BYTES - 3);
            for (u32 n = 1; n < TIMES - 1;
                 n++) /* index 1 to 15, or 14 to 0 of the first's window */
                for (u32 i = 0; i < lanes; i++) {
                    const u32 at = run_of.from[i] + n * step, left = TIMES - 2 - n;
                    const bool above = back || left, below = !back || left;
                    const u32 got[3] = {logged(n, i), rig.data[(SECOND + 128 * n) / 4 + i],
                                        rig.data[(THIRD + 128 * n) / 4 + i]};
                    const u32 want[3] = {word_at(at, 1), word_at(at + 4, above ? 1 : n),
                                         word_at(at - 4, below ? 1 : n)};
                    for (u32 k = 0; k < 3; k++)
                        if (got[k] != want[k])
                            fail_msg("%s, step %d, %u lanes: time %u, lane %u, load %u: %08x "
                                     "instead of %08x",
                                     levels[level], (i32)step, lanes, n, i, k, got[k], want[k]);
                }
        }
    host_close();
}

enum { LEFT = 3 };

/* Words that were loaded for the second of two loads, as often as LEFT says, while nobody looks for the first. */
static void set_second(Group *g)
{
    Streams *s = g->streams;
    g->streaming = true;
    s->lanes[0] = run_of.mask;
    s->lo[0] = s->last[0] = run_of.from[0];
    s->at[0] = 0;
    s->left[0] = LEFT;
    s->of[0].wait = 255;
    for (u32 i = 0; i < run_of.lanes; i++) {
        s->of[0].from[i] = run_of.from[i];
        for (u32 k = 0; k < STREAM_WORDS; k++)
            s->of[0].word[k][i] = STORED + i;
    }
}

/* Who waits for a word to change finds it in memory, though what is near was once loaded. */
static void look_again(void **state)
{
    const u32 level = level_of(state);
    if (!host_open(levels[level], V202))
        skip_because("this processor has not %s", levels[level]);
    run_of.set_stream = set_second;
    for (u32 lanes = 8; lanes <= 32; lanes *= 2) {
        place_lanes(lanes, true);
        make_loop("vlw12.v v9,0(v1)\n vlw12.v v5,4(v1)", "add x3,x3,x3");
        run_loop(0, 0, 0, 0, DATA_BYTES - 3);
        for (u32 n = 0; n < TIMES; n++)
            for (u32 i = 0; i < lanes; i++)
                assert_int_equal(logged(n, i),
                                 n && n <= LEFT ? STORED + i : word_at(run_of.from[i] + 4, n));
    }
    run_of.set_stream = NULL;
    host_close();
}

/* A store by lanes to the words that they load next, which is seen there, or forgets what was loaded. */
static void store(void **state)
{
    static const struct {
        const char *then;
        i32 stride;
        u32 off; /* the lane that is off */
        bool seen;
    } row[] = {
        {"vsw12.v v12,4(v1)", 260, 2, true},
        {"vsw12.v v12,4(v1)", -260, 2, true},
        {"vsw12.v v12,4(v1)", 64, 2, true},
        {"vsw12.v v12,4(v1)", 60, 2, false},
        {"vsw12.v v12,4(v1)", -60, 2, false},
        {"vsw12.v v12,4(v1)", 0, 2, false},
        {"vsw12.v v12,4(v1)", 260, 1, false}, /* it is not known how far lanes are apart */
        {"vsb12.v v12,4(v1)", 260, 2, false},
        {"vsw12.v v12,2(v1)", 260, 2, false},
        {"vsw12.v v12,64(v1)", 260, 2, false},
        {"vadd.vi v11,v1,4\n vsw12.v v12,0(v11)", 260, 2, false},
        {"vadd.vi v11,v1,4\n vlw12.v v10,0(v11)\n vsw12.v v12,4(v1)", 260, 2,
         false}, /* two streams have it */
        {"vadd.vi v11,v1,4\n vlw12.v v10,0(v11)\n vsw12.v v12,0(v11)", 260, 2, false},
    };
    const u32 level = level_of(state);
    if (!host_open(levels[level], V202))
        skip_because("this processor has not %s", levels[level]);
    for (u32 lanes = 8; lanes <= 32; lanes *= 2)
        for (size_t k = 0; k < countof(row); k++)
            for (u32 all = 0; all < 2; all++) {
                place_lanes_so(lanes, all, row[k].stride, row[k].off);
                make_loop("vlw12.v v5,0(v1)", row[k].then);
                run_loop(4, 4, 0, 0, DATA_BYTES - 3);
                const bool seen = row[k].seen || (all && row[k].off == 1);
                for (u32 n = 2; n < TIMES; n++)
                    for (u32 i = 0; i < lanes; i++) {
                        const u32 want = seen ? STORED + i : word_at(run_of.from[i] + 4 * n, n);
                        if (run_of.mask >> i & 1 && logged(n, i) != want)
                            fail_msg(
                                "%s: %s, stride %d, %u lanes, mask %x: time %u, lane %u has %08x "
                                "instead of %08x",
                                levels[level], row[k].then, row[k].stride, lanes, run_of.mask, n, i,
                                logged(n, i), want);
                    }
            }
    host_close();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TESTS_BY_LEVEL(take),       TESTS_BY_LEVEL(parts), TESTS_BY_LEVEL(share),
        TESTS_BY_LEVEL(look_again), TESTS_BY_LEVEL(store), TESTS_BY_LEVEL(forget),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
