/* gdb_watch_test.c -- watchpoints of gdb beside a model of memory: which accesses they stop at. */
#include "test/kit/gdbrig.h"

enum { WATCH_OPS = 14, WATCH_LANES = 4, WATCH_WARPS = 2, WATCH_POINTS = 3, MOST_STOPS = 64 };

/* An instruction: of the warp, at a word of the heap; of each lane, at a word of its own there or of
 * its private memory, where a store leaves lane + value. */
typedef enum { OP_LW, OP_SW, OP_VLW, OP_VSW, OP_PRIVATE, NWATCHOP } WatchOp;
typedef struct {
    WatchOp op;
    u32 offset, value;
} Watched;
typedef struct {
    WatchKind kind;
    u32 addr, size, thread;
} Point;

static u32 watch_random(u32 n)
{
    static u32 seed = 7;
    seed = seed * 1664525 + 1013904223;
    return (u32)((u64)(seed >> 4) * n >> 28);
}

static void make_watched(Watched *o, Buf *text)
{
    static const char *const forms[NWATCHOP] = {"lw t2, %u(t0)\n", "sw t1, %u(t0)\n",
                                                "vlw12.v v9, %u(v2)\n", "vsw12.v v1, %u(v2)\n",
                                                "vsw.v v6, %u(v7)\n"};
    buf_str(text, "_start: lui t0, 0x90000\nvid.v v1\nvsll.vi v2, v1, 2\nvadd.vx v2, v2, t0\n"
                  "vmv.v.i v7, 0\n");
    for (u32 i = 0; i < WATCH_OPS; i++) {
        o[i] = (Watched){(WatchOp)watch_random(NWATCHOP), 4 * watch_random(4), watch_random(3)};
        if (o[i].op == OP_PRIVATE)
            buf_printf(text, "vadd.vi v6, v1, %u\n", o[i].value);
        buf_printf(text, forms[o[i].op], o[i].offset);
    }
    buf_str(text, "endprg\n");
}

/* The thread for which instruction o of the warp meets the point; 0: it does not. */
static u32 meets_heap(const Watched *o, u32 warp, const Point *p, u32 chosen)
{
    const bool writes = o->op == OP_SW || o->op == OP_VSW, scalar = o->op <= OP_SW;
    if (o->op == OP_PRIVATE || (writes ? p->kind == WATCH_READS : p->kind == WATCH_WRITES))
        return 0;
    for (u32 lane = 0; lane < (scalar ? 1 : WATCH_LANES); lane++) {
        const u32 at = HEAP + o->offset + 4 * lane;
        if (at >= p->addr + p->size || p->addr >= at + 4)
            continue;
        /* what the warp does, the chosen lane does, if it is one of the warp */
        if (scalar && (chosen - 1) / WATCH_LANES == warp)
            return chosen;
        return warp * WATCH_LANES + lane + 1;
    }
    return 0;
}

static void want_stops(const Watched *o, const Point *p, u32 chosen, char stops[MOST_STOPS][40],
                       u32 *n)
{
    static const char *const names[] = {
        [WATCH_WRITES] = "watch", [WATCH_READS] = "rwatch", [WATCH_ALL] = "awatch"};
    u8 own[WATCH_WARPS * WATCH_LANES + 1][32] = {{0}}; /* private memory, by thread */
    *n = 0;
    for (u32 warp = 0; warp < WATCH_WARPS; warp++)
        for (u32 i = 0; i < WATCH_OPS; i++) {
            u8 before[sizeof own / sizeof *own][32];
            memcpy(before, own, sizeof own);
            for (u32 lane = 0; o[i].op == OP_PRIVATE && lane < WATCH_LANES; lane++)
                own[warp * WATCH_LANES + lane + 1][o[i].offset] = (u8)(lane + o[i].value);
            for (u32 k = 0; k < WATCH_POINTS; k++) {
                const bool is_own = p[k].addr < HEAP;
                const u32 thread = !is_own ? meets_heap(&o[i], warp, &p[k], chosen)
                                   : memcmp(&own[p[k].thread][p[k].addr],
                                            &before[p[k].thread][p[k].addr], p[k].size)
                                       ? p[k].thread
                                       : 0;
                if (!thread)
                    continue;
                snprintf(stops[(*n)++], 40, "T05%s:%x;thread:%x;", names[p[k].kind], p[k].addr,
                         thread);
                break;
            }
        }
}

static void put_packet(Buf *b, const char *text)
{
    u8 sum = 0;
    for (const char *c = text; *c; c++)
        sum = (u8)(sum + *c);
    buf_printf(b, "$%s#%02x", text, sum);
}

static void ask(Pipe *p, Buf *want, const char *packet, const char *answer)
{
    send(p, packet);
    put_packet(want, answer);
}

/* Points are met in the order of instructions, and on the way back in the other one. */
static void watchpoints_meet_accesses(void **state)
{
    (void)state;
    for (u32 round = 0; round < 100; round++) {
        Watched o[WATCH_OPS];
        Point points[WATCH_POINTS];
        char stops[MOST_STOPS][40], packet[40];
        u32 n;
        Pipe p = {.closed = false};
        Buf want = {0}, text = {0};
        const u32 chosen = 1 + watch_random(WATCH_WARPS * WATCH_LANES);
        make_watched(o, &text);
        Device *d = open_device(buf_text(&text), V202);
        buf_str(&want, "+");
        ask(&p, &want, "QStartNoAckMode", "OK");
        for (u32 k = 0; k < WATCH_POINTS; k++) {
            const bool own = watch_random(3) == 0;
            points[k] = (Point){own ? WATCH_WRITES : WATCH_WRITES + watch_random(3),
                                (own ? 0 : HEAP) + watch_random(16), 1 + watch_random(8),
                                1 + watch_random(WATCH_WARPS * WATCH_LANES)};
            snprintf(packet, sizeof packet, "Hg%x", points[k].thread);
            ask(&p, &want, packet, "OK");
            snprintf(packet, sizeof packet, "Z%d,%x,%x", points[k].kind, points[k].addr,
                     points[k].size);
            ask(&p, &want, packet, "OK");
        }
        want_stops(o, points, chosen, stops, &n);
        snprintf(packet, sizeof packet, "Hg%x", chosen);
        for (u32 i = 0; i < n; i++) {
            ask(&p, &want, packet, "OK");
            ask(&p, &want, "vCont;c", stops[i]);
        }
        for (u32 i = n; i-- > 0;) {
            ask(&p, &want, packet, "OK");
            ask(&p, &want, "bc", stops[i]);
        }
        ask(&p, &want, packet, "OK"); /* nothing is met before, also when there is no way back */
        snprintf(packet, sizeof packet, "T05replaylog:begin;thread:%x;",
                 chosen <= WATCH_LANES ? chosen : 1); /* which the first warp has */
        ask(&p, &want, "bc", packet);
        ask(&p, &want, "bc", packet);
        ask(&p, &want, "D", "OK");
        run(&p, d, 1);
        if (strcmp(buf_text(&p.out), buf_text(&want)))
            fail_msg("round %u: %s\nshould be %s\nof %s", round, buf_text(&p.out),
                     buf_text(&want), buf_text(&text));
        buf_free(&want);
        buf_free(&text);
        end(&p, d);
    }
}

/* What is killed is stopped at once; `k` alone wants no answer.  What is let go runs to its end. */
static void kills_and_lets_go(void **state)
{
    (void)state;
    static const struct {
        const char *packet, *said;
        bool killed;
    } rows[] = {{"k", "+$OK#9a", true},
                {"vKill;1", "+$OK#9a$OK#9a", true},
                {"vKill;ffff", "+$OK#9a$OK#9a", true},
                {"D", "+$OK#9a$OK#9a", false},
                {"D;1", "+$OK#9a$OK#9a", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Pipe p = {.closed = false};
        Device *d = open_device(program, V202);
        send(&p, "QStartNoAckMode");
        send(&p, rows[i].packet);
        const DevResult r = run(&p, d, 1);
        assert_string_equal(buf_text(&p.out), rows[i].said);
        assert_int_equal(r.run.faulted, rows[i].killed);
        assert_int_equal(r.run.fault.kind, rows[i].killed ? FAULT_STOPPED : FAULT_NONE);
        assert_int_equal(r.run.groups, !rows[i].killed);
        assert_int_equal(word_at(d, HEAP + 256), rows[i].killed ? 0 : 20);
        end(&p, d);
    }
}

/* `if ($v1 == 2 && warp 1)`, as gdb's bytecode */
static void conditions_choose_the_lane(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    send(&p, "QStartNoAckMode");
    send(&p, "Z0,80000020,4;X7,2600222202" "1327"); /* reg 34 (v1); const8 2; equal; end */
    send(&p, "vCont;c");
    send(&p, "vCont;c");
    send(&p, "vCont;c");
    run(&p, d, 1);
    const char *first = strstr(buf_text(&p.out), "$T05thread:3;#");
    assert_non_null(first);
    assert_non_null(strstr(first, "$T05thread:7;#"));
    assert_true(answered(&p, "$W00#"));
    end(&p, d);
}

/* At a breakpoint of which gdb's user hears, which the question for threads shows, a step is one: then it is the other
 * warp that comes there, no other lane.  Without that question gdb steps over a condition that does not hold. */
static void steps_where_the_user_was_asked(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        Pipe p = {.closed = false};
        Device *d = open_device(program, V202);
        send(&p, "QStartNoAckMode");
        send(&p, "Z0,80000020,4");
        send(&p, "vCont;c");
        if (asked)
            send(&p, "qfThreadInfo");
        send(&p, "vCont;s:1");
        send(&p, "vCont;c");
        run(&p, d, 1);
        assert_true(answered(&p, asked ? "$T05thread:5;#" : "$T05thread:2;#"));
        assert_false(answered(&p, asked ? "$T05thread:2;#" : "$T05thread:5;#"));
        end(&p, d);
    }
}

static void goes_back_over_groups(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    send(&p, "QStartNoAckMode");
    for (int i = 0; i < 50; i++) { /* a watched word changes 20 times a group */
        if (!i)
            send(&p, "Z2,90000100,4");
        send(&p, "vCont;c");
    }
    send(&p, "m90000100,4"); /* 50, in the third group */
    for (int i = 0; i < 40; i++)
        send(&p, "bc");
    send(&p, "m90000100,4"); /* 10 */
    send(&p, "M90000100,4:e8030000");
    send(&p, "z2,90000100,4");
    send(&p, "vCont;c");
    const DevResult r = run(&p, d, 3);
    assert_false(r.run.faulted);
    assert_true(answered(&p, "$32000000#"));
    assert_true(answered(&p, "$0a000000#"));
    /* the store that made it 11 had loaded before: 1000 is lost, unless it was changed between */
    assert_int_equal(word_at(d, HEAP + 256), 60);
    end(&p, d);
}

static void interrupts_and_kills(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device("_start: j _start\n", V202);
    send(&p, "vCont;c");
    buf_str(&p.in, "\3");
    send(&p, "k");
    const DevResult r = run(&p, d, 1);
    assert_true(answered(&p, "$T02thread:1;#"));
    assert_true(r.run.faulted && r.run.fault.kind == FAULT_STOPPED);
    end(&p, d);
}

static void faults_stop(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device("_start: li t0, 64\nvid.v v1\nlw t1, 0(t0)\nendprg\n", V202);
    send(&p, "vCont;c");
    send(&p, "p20");
    send(&p, "bs"); /* back to vid.v */
    send(&p, "p20");
    send(&p, "P5=00000090"); /* t0, so that there is something */
    send(&p, "vCont;c");
    send(&p, "vCont;c"); /* the other warp's fault ends the launch */
    const DevResult r = run(&p, d, 1);
    assert_true(answered(&p, "$T0bthread:1;#"));
    assert_true(answered(&p, "$08000080#"));
    assert_true(answered(&p, "$04000080#"));
    assert_true(answered(&p, "$T0bthread:5;#"));
    assert_true(r.run.faulted && r.run.fault.warp == 1);
    end(&p, d);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(conditions_choose_the_lane),
        cmocka_unit_test(steps_where_the_user_was_asked),
        cmocka_unit_test(kills_and_lets_go),
        cmocka_unit_test(watchpoints_meet_accesses),
        cmocka_unit_test(goes_back_over_groups),
        cmocka_unit_test(interrupts_and_kills),
        cmocka_unit_test(faults_stop),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
