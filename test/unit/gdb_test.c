/* gdb_test.c -- the remote protocol: packets as gdb and nobody else sends them, conditions, the way
 * back.  gdb itself is in test/script/gdb_test.sh. */
#include "test/kit/gdbrig.h"

/* --- packets ---------------------------------------------------------------------------------- */

static void asks_and_goes_on(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    send(&p, "qSupported:x");
    send(&p, "?");
    send(&p, "p20");
    send(&p, "m80000000,4");
    send(&p, "nonsense");
    send(&p, "vCont;c");
    const DevResult r = run(&p, d, 1);
    assert_false(r.run.faulted);
    assert_int_equal(word_at(d, HEAP + 12), 10);
    assert_int_equal(word_at(d, HEAP + 256), 20); /* two warps */
    assert_true(answered(&p, "ReverseStep+"));
    assert_true(answered(&p, "$T05thread:1;#"));
    assert_true(answered(&p, "$00000080#"));
    assert_true(answered(&p, "$b7020090#")); /* lui t0, 0x90000 */
    assert_true(answered(&p, "$#00"));
    assert_true(answered(&p, "$W00#"));
    end(&p, d);
}

/* These are among the answers, in this order. */
static void expect_answers(const Pipe *p, const char *const said[], size_t n)
{
    const char *from = buf_text(&p->out);
    for (size_t k = 0; k < n; k++) {
        from = strstr(from, said[k]);
        if (!from)
            fail_msg("answer %zu is not %s: %s", k, said[k], buf_text(&p->out));
        from += strlen(said[k]);
    }
}

/* Registers at their addresses are what their packets say, x0 is 0 and the metadata block is there. */
static void registers_are_memory(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    char text[64];
    const u32 at[] = {REGISTER_WINDOW, REGISTER_WINDOW + 4 * 12, REGISTER_WINDOW + VECTOR_WINDOW + 4 * 7};
    for (u32 k = 0; k < countof(at); k++) {
        snprintf(text, sizeof text, "M%x,4:%02x345678", at[k], 0x10 + k);
        send(&p, text);
    }
    for (u32 k = 0; k < countof(at); k++) {
        snprintf(text, sizeof text, "m%x,4", at[k]);
        send(&p, text);
    }
    send(&p, "pc");
    send(&p, "p0");
    send(&p, "Pd=a1b2c3d4");
    snprintf(text, sizeof text, "m%x,4", REGISTER_WINDOW + 4 * 13);
    send(&p, text);
    snprintf(text, sizeof text, "m%x,4", REGISTER_WINDOW + METADATA_WINDOW);
    send(&p, text);
    run(&p, d, 1);
    static const char *const said[] = {"OK", "OK", "OK", "00000000", "11345678", "12345678", "11345678",
                                       "00000000", "OK", "a1b2c3d4", "00800090"};
    expect_answers(&p, said, countof(said));
    end(&p, d);
}

/* the older packets, which go on with the thread that was chosen */
static void older_packets_go_on(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    send(&p, "qC");
    send(&p, "s");
    send(&p, "p20");
    send(&p, "Hg6"); /* a lane of the other warp */
    send(&p, "qC");
    send(&p, "s");
    send(&p, "p20");
    send(&p, "vFile:close:5");
    send(&p, "c");
    assert_false(run(&p, d, 1).run.faulted);
    static const char *const said[] = {"$QC1#", "$T05thread:1;#", "$04000080#", "$OK#", "$QC6#", "$T05thread:6;#",
                                       "$04000080#", "$F0#", "$W00#"};
    expect_answers(&p, said, countof(said));
    assert_int_equal(word_at(d, HEAP + 256), 20);
    end(&p, d);
}

/* All basic registers by one packet, a row by another, the pc by itself: the lane goes on with them. */
static void registers_are_written_together(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    Buf all = {0};
    buf_str(&all, "G00000000");
    for (u32 n = 1; n < 32; n++)
        buf_printf(&all, n == 5 ? "00000090" : "%02x000000", n);
    buf_str(&all, "20000080"); /* li t1, 10 */
    send(&p, buf_text(&all));
    send(&p, "p7");
    send(&p, "p1f");
    send(&p, "p20");
    send(&p, "P144=01000000020000000300000004000000"); /* row 3, of which v3 is an element */
    send(&p, "Hg3");
    send(&p, "p24");
    send(&p, "P20=24000080"); /* the loop, with t1 of before */
    send(&p, "vCont;c");
    assert_false(run(&p, d, 1).run.faulted);
    static const char *const said[] = {"$OK#", "$07000000#", "$1f000000#", "$20000080#", "$OK#", "$OK#", "$03000000#",
                                       "$OK#", "$W00#"};
    expect_answers(&p, said, countof(said));
    assert_int_equal(word_at(d, HEAP + 256), 6 + 10); /* t1 was 6; the other warp runs all */
    buf_free(&all);
    end(&p, d);
}

static void ask_monitor(Pipe *p, const char *command)
{
    Buf packet = {0};
    buf_str(&packet, "qRcmd,");
    hex_put(&packet, (const u8 *)command, (u32)strlen(command));
    send(p, buf_text(&packet));
    buf_free(&packet);
}

static void expect_text(const Pipe *p, const char *text)
{
    Buf hex = {0};
    hex_put(&hex, (const u8 *)text, (u32)strlen(text));
    if (!answered(p, buf_text(&hex)))
        fail_msg("nobody said %s", text);
    buf_free(&hex);
}

static void monitor_shows_lanes(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    send(&p, "Z0,80000018,4"); /* v3 is 3 * lane + 1 */
    send(&p, "vCont;c");
    ask_monitor(&p, "lanes v3");
    send(&p, "Hg2");
    ask_monitor(&p, "lanes");
    ask_monitor(&p, "help");
    ask_monitor(&p, "");
    send(&p, "D");
    run(&p, d, 1);
    expect_text(&p, "* 0 x 0x00000001 1\n  1 x 0x00000004 4\n  2 x 0x00000007 7\n  3 x 0x0000000a 10\n");
    expect_text(&p, "  0 x 0x80000018  group 0,0,0 warp 0 lane 0\n* 1 x 0x80000018  group 0,0,0 warp 0 lane 1\n"
                    "  2 x 0x80000018  group 0,0,0 warp 0 lane 2\n");
    Buf help = {0};
    hex_put(&help, (const u8 *)"monitor ", 8);
    size_t lines = 0;
    for (const char *at = buf_text(&p.out); (at = strstr(at, buf_text(&help))); at++)
        lines++;
    assert_int_equal(lines, 2 * 10); /* ten commands, once asked for by name and once by none */
    expect_text(&p, "monitor lanes [vN]         the lanes of the warp");
    buf_free(&help);
    end(&p, d);
}

static void refuses_what_is_wrong(void **state)
{
    static const char *const wrong[] = {
        "m",        "m1",         "m80000000,",  "mffffffffffffffffff,4", "M90000000,4:00",
        "M90000000,1:0", "P0=ff", "pffffffff",   "Gff",        "Z0,",     "Z9,80000000,4",
        "Z0,80000000,4;X5,27",    "Z0,80000000,4;Xfffff,",     "Z2,90000000,0",
        "z0,zz",    "Hg0fff",     "Tffff",       "qThreadExtraInfo,", "qXfer:features:read:target.xml:zz,1",
        "qRcmd,7", "vCont;x",     "vFile:pread:9,1,1",
    };
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    buf_str(&p.in, "junk$m80000000,4#00$unfinished$\3");
    for (size_t i = 0; i < countof(wrong); i++)
        send(&p, wrong[i]);
    const DevResult r = run(&p, d, 1); /* the connection ends: the launch runs on */
    assert_false(r.run.faulted);
    assert_int_equal(word_at(d, HEAP + 256), 20);
    size_t refused = 0;
    for (const char *c = buf_text(&p.out); (c = strstr(c, "$E01#")) || (c = NULL); c++)
        refused++;
    assert_true(answered(&p, "-"));          /* of the wrong sum */
    assert_true(answered(&p, "$F-1,9#"));
    assert_int_equal(refused, countof(wrong) - 1);
    end(&p, d);
}

/* Each packet is acknowledged, but none after the one that asks for that. */
static void acknowledges_until_asked(void **state)
{
    (void)state;
    for (int quiet = 0; quiet < 2; quiet++) {
        Pipe p = {.closed = false};
        Device *d = open_device(program, V202);
        size_t signs = 0;
        if (quiet)
            send(&p, "QStartNoAckMode");
        send(&p, "?");
        send(&p, "m90000100,4");
        send(&p, "vCont;c");
        assert_false(run(&p, d, 1).run.faulted);
        for (const char *c = buf_text(&p.out); *c; c++)
            signs += *c == '+';
        assert_int_equal(signs, quiet ? 1 : 3);
        end(&p, d);
    }
}

static void stops_and_goes_back(void **state)
{
    (void)state;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    send(&p, "QStartNoAckMode");
    send(&p, "Z2,90000100,4");    /* the counter */
    send(&p, "vCont;c");          /* 1 */
    send(&p, "m90000100,4");
    send(&p, "vCont;c");          /* 2 */
    send(&p, "vCont;c");          /* 3 */
    send(&p, "m90000100,4");
    send(&p, "bc");               /* before it became 3 */
    send(&p, "m90000100,4");
    send(&p, "bc");               /* before it became 2 */
    send(&p, "bc");               /* before it became 1 */
    send(&p, "bc");               /* the start */
    send(&p, "m90000004,4");      /* and no lane has stored */
    send(&p, "z2,90000100,4");
    send(&p, "Z0,80000020,4");    /* li t1, 10 */
    send(&p, "vCont;c");
    send(&p, "m90000004,4");
    send(&p, "bs");
    send(&p, "m90000004,4");
    send(&p, "z0,80000020,4");
    send(&p, "vCont;c");
    const DevResult r = run(&p, d, 1);
    assert_false(r.run.faulted);
    assert_int_equal(word_at(d, HEAP + 256), 20);
    assert_int_equal(word_at(d, HEAP + 4), 4);
    static const char *const in_order[] = {
        "watch:90000100;thread:1;#", "$01000000#", "watch:", "watch:", "$03000000#",
        "watch:90000100;", "$02000000#", "watch:", "watch:", "replaylog:begin;", "$00000000#",
        "$T05thread:1;#", "$04000000#", "$T05thread:1;#", "$00000000#", "$W00#"};
    expect_answers(&p, in_order, countof(in_order));
    end(&p, d);
}

/* --- other observers -------------------------------------------------------------------------- */

typedef struct {
    EventKind kind;
    u64 group;
    u32 warp, pc;
} Heard;
typedef struct {
    Heard all[1024];
    size_t n;
    u32 stop_at; /* the instruction, counted from 1, where it wants to stop; 0: none */
    u32 insns;
    Device *interrupts; /* there instead */
} Ear;

static Verdict hear(void *self, const Event *e)
{
    Ear *ear = self;
    assert_true(ear->n < sizeof ear->all / sizeof *ear->all);
    ear->all[ear->n++] = (Heard){e->kind, e->group ? e->group->linear : 9, e->warp ? e->warp->id : 9,
                                 e->step ? e->step->pc : 0};
    ear->insns += e->kind == EVENT_insn;
    if (e->kind != EVENT_insn || ear->insns != ear->stop_at)
        return GO_ON;
    if (!ear->interrupts)
        return STOP_HERE;
    dev_interrupt(ear->interrupts);
    return GO_ON;
}

static DevResult run_heard(Pipe *p, Device *d, Ear *ear)
{
    const Observer o = {.self = ear, .events = (EventKind)(EVENT_launch_begin | EVENT_launch_end |
                        EVENT_group_begin | EVENT_group_end | EVENT_warp_begin | EVENT_warp_end |
                        EVENT_insn | EVENT_barrier | EVENT_fault), .tell = hear};
    const LaunchOptions how = {.observers = &o, .nobservers = 1};
    return p ? run_with(p, d, 2, &how) : launch(d, 2, &how);
}

/* They are told of each event once and in its order, however often gdb goes back; and what the launch
 * counts is the same. */
static void observers_are_told_once(void **state)
{
    (void)state;
    static Ear plain, led;
    static const char *const texts[] = {
        "_start: lui t0, 0x90000\nli t1, 3\nvadd.vi v40, v1, 1\nloop: addi t1, t1, -1\nbnez t1, loop\n"
        "barrier x0, x0, 1\nvid.v v1\nendprg\n",
        "_start: csrr t0, CSR_GIDX\nbeqz t0, 1f\nbarrier x0, x0, 1\nlw t1, 0(zero)\n1: endprg\n"};
    static const char *const ways[][12] = {
        {"vCont;c", NULL},
        {"vCont;s:1", "vCont;s:1", "bs", "vCont;s:1", "vCont;s:1", "vCont;s:1", "bc", "vCont;c", NULL},
        {"Z0,80000010,4", "vCont;c", "bs", "bs", "vCont;c", "vCont;c", "bc", "bc", "bc", "z0,80000010,4",
         "vCont;c", NULL},
        {"Z0,80000018,4", "vCont;c", "vCont;c", "bc", "z0,80000018,4", "D", NULL}};
    for (u32 t = 0; t < 2; t++)
        for (u32 k = 0; k < sizeof ways / sizeof *ways; k++) {
            Pipe none = {.closed = false}, p = {.closed = false};
            plain.n = led.n = 0;
            plain.insns = led.insns = 0;
            Device *d = open_device(texts[t], V202);
            const DevResult want = run_heard(NULL, d, &plain);
            end(&none, d);
            d = open_device(texts[t], V202);
            send(&p, "QStartNoAckMode");
            for (size_t i = 0; ways[k][i]; i++)
                send(&p, ways[k][i]);
            const DevResult r = run_heard(&p, d, &led);
            assert_true(r.run.faulted == (t == 1) && want.run.faulted == (t == 1));
            assert_int_equal(r.run.insns, want.run.insns);
            assert_int_equal(r.run.groups, want.run.groups);
            if (r.run.faulted)
                assert_int_equal(r.run.fault.pc, want.run.fault.pc);
            assert_int_equal(led.n, plain.n);
            for (size_t i = 0; i < plain.n; i++)
                if (memcmp(&led.all[i], &plain.all[i], sizeof *led.all))
                    fail_msg("text %u, way %u, event %zu: %s of group %u, warp %u, pc %x, "
                             "should be %s, %u, %u, %x", t, k, i, event_name(led.all[i].kind), (u32)led.all[i].group,
                             led.all[i].warp, led.all[i].pc, event_name(plain.all[i].kind),
                             (u32)plain.all[i].group, plain.all[i].warp, plain.all[i].pc);
            end(&p, d);
        }
}

/* Where one of them wants to stop, gdb is told, and the launch goes on when gdb does. */
static void observers_stop_for_gdb(void **state)
{
    (void)state;
    static Ear ear;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    ear = (Ear){.stop_at = 60 + 3}; /* the third instruction of the second warp */
    send(&p, "QStartNoAckMode");
    send(&p, "vCont;c");
    send(&p, "vCont;c");
    const DevResult r = run_heard(&p, d, &ear);
    assert_false(r.run.faulted);
    assert_int_equal(r.run.insns, 4 * 60);
    assert_int_equal(r.run.groups, 2);
    assert_non_null(strstr(buf_text(&p.out), "$OK#9a$T06thread:5;#"));
    assert_non_null(strstr(buf_text(&p.out), "$W00#"));
    end(&p, d);
}

/* An interruption ends the launch that runs, of which gdb hears nothing more; not one that begins later. */
static void interruptions_end_the_launch(void **state)
{
    (void)state;
    static Ear ear;
    Pipe p = {.closed = false};
    Device *d = open_device(program, V202);
    dev_interrupt(d);
    ear = (Ear){.stop_at = 30, .interrupts = d};
    send(&p, "QStartNoAckMode");
    send(&p, "Z0,80000020,4"); /* the loop's first instruction is no. 10 */
    send(&p, "vCont;c");
    send(&p, "z0,80000020,4");
    send(&p, "vCont;c");
    const DevResult r = run_heard(&p, d, &ear);
    assert_int_equal(r.run.fault.kind, FAULT_STOPPED);
    assert_int_equal(ear.insns, 30);
    assert_int_equal(r.run.insns, 30);
    assert_int_equal(r.run.groups, 0);
    assert_string_equal(buf_text(&p.out), "+$OK#9a$OK#9a$T05thread:1;#d7$OK#9a$W00#b7");
    end(&p, d);
}

/* Private memory that a group has written is clear for the next one, also where gdb went back to a place
 * behind the store. */
static void the_way_back_keeps_private_memory_apart(void **state)
{
    (void)state;
    static const char stores[] = "_start: csrr t0, CSR_GIDX\nvid.v v1\nvmv.v.i v2, 4\n"
                                 "vlw.v v3, 0(v2)\nlui t1, 0x90000\nslli t2, t0, 6\n"
                                 "add t1, t1, t2\nvsll.vi v4, v1, 2\nvadd.vx v4, v4, t1\n"
                                 "vsw12.v v3, 0(v4)\nvadd.vi v5, v1, 7\nvsw.v v5, 0(v2)\n"
                                 "nop\nnop\nendprg\n";
    for (int writes = 0; writes < 3; writes++) {
        Pipe p = {.closed = false};
        Device *d = open_device(stores, V202);
        memset(dev_memory(d)->base + HEAP, 0xff, 128);
        send(&p, "QStartNoAckMode");
        send(&p, "Z0,80000030,4"); /* the first nop */
        send(&p, "vCont;c");
        if (writes)
            send(&p, writes == 1 ? "P1f=12345678" : "M4,1:55"); /* a state is kept here */
        send(&p, "m4,4");
        send(&p, "z0,80000030,4");
        send(&p, "qfThreadInfo"); /* as for its user */
        send(&p, "vCont;s:1");
        send(&p, "bs");
        send(&p, "m4,4");
        send(&p, "D");
        assert_false(run(&p, d, 2).run.faulted);
        for (u32 i = 0; i < 8; i++)
            assert_int_equal(word_at(d, HEAP + i / 4 * 64 + i % 4 * 4), 0);
        const char *word = writes == 2 ? "$55000000#" : "$07000000#";
        const char *first = strstr(buf_text(&p.out), word);
        assert_true(first && strstr(first + 1, word));
        end(&p, d);
    }
}

/* --- each packet and its answer --------------------------------------------------------------- */

/* The next answer, without its frame and signs of acknowledgement; false: there is none.  What is escaped in it is not
 * any more, and its sum is right. */
static bool next_answer(const Pipe *p, size_t *at, Buf *answer)
{
    u8 sum = 0;
    char end[4];
    answer->len = 0;
    while (*at < p->out.len && p->out.data[*at] != '$')
        ++*at;
    if (*at == p->out.len)
        return false;
    for (++*at; p->out.data[*at] != '#'; ++*at) {
        u8 byte = p->out.data[*at];
        sum = (u8)(sum + byte);
        assert_true(byte != '*');
        if (byte == '}') {
            byte = p->out.data[++*at];
            sum = (u8)(sum + byte);
            byte ^= 0x20;
        }
        buf_put(answer, &byte, 1);
    }
    buf_put(answer, "", 1); /* a text ends with NUL */
    answer->len--;
    snprintf(end, sizeof end, "#%02x", sum);
    assert_memory_equal(p->out.data + *at, end, 3);
    return true;
}

typedef struct {
    const char *packet, *answer;
} Exchange;

static void exchange(Device *d, const Exchange *rows, size_t n)
{
    Pipe p = {.closed = false};
    Buf answer = {0};
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        send(&p, rows[i].packet);
    send(&p, "D");
    run(&p, d, 1);
    for (size_t i = 0; i < n; i++)
        if (!next_answer(&p, &at, &answer) || strcmp(buf_text(&answer), rows[i].answer))
            fail_msg("%s: %s, not %s", rows[i].packet, buf_text(&answer), rows[i].answer);
    buf_free(&answer);
    end(&p, d);
}

static void answers_packets(void **state)
{
    static const Exchange rows[] = {
        {"?", "T05thread:1;"},
        {"vCont?", "vCont;c;C;s;S;r"},
        {"qSupported:multiprocess+",
         "PacketSize=3fff;QStartNoAckMode+;qXfer:features:read+;qXfer:exec-file:read+;"
         "ConditionalBreakpoints+;vContSupported+;ReverseStep+;ReverseContinue+"},
        {"qAttached", "1"},
        {"qSymbol::", "OK"},
        {"vFile:setfs:0", "F0"},
        {"vFile:close:5", "F0"},
        {"qUnheard", ""},
        {"X", ""},
        /* threads: four lanes of two warps */
        {"qfThreadInfo", "m1,2,3,4,5,6,7,8"},
        {"qsThreadInfo", "l"},
        {"T1", "OK"},
        {"T8", "OK"},
        {"T9", "E01"},
        {"T0", "E01"},
        {"T100000001", "E01"},
        {"T", "E01"},
        {"qC", "QC1"},
        {"Hg8", "OK"},
        {"qC", "QC8"},
        {"Hg9", "E01"},
        {"Hg100000001", "E01"},
        {"qC", "QC8"},
        {"Hg0", "OK"}, /* any thread: the one that is chosen */
        {"Hg-1", "OK"},
        {"Hc1", "OK"}, /* of older packets */
        {"qC", "QC8"},
        {"Hg1", "OK"},
        {"qC", "QC1"},
        {"qThreadExtraInfo,1", "67726f757020302c302c3020776172702030206c616e652030"},
        {"qThreadExtraInfo,8", "67726f757020302c302c3020776172702031206c616e652033"},
        {"qThreadExtraInfo,9", "E01"},
        {"qThreadExtraInfo,100000001", "E01"},
        /* memory: the heap ends at 90010000, the code at 80001000 */
        {"M9000fffc,4:11223344", "OK"},
        {"m9000fffc,4", "11223344"},
        {"m9000fffe,4", "3344"},
        {"m9000ffff,1", "44"},
        {"m90010000,1", "E01"},
        {"m8fffffff,2", "E01"},
        {"m9000fffc,0", "E01"},
        {"M9000fffd,1:AB", "OK"}, /* digits of both kinds */
        {"m9000fffc,4", "11ab3344"},
        {"M9000fffe,3:556677", "E01"},
        {"m9000fffc,4", "11ab3344"},
        {"M9000fffe,2:55", "E01"},
        {"M9000fffe,2:555", "E01"},
        {"M9000fffe,1:5566", "E01"},
        {"M9000fffe,2:5g66", "E01"},
        /* of these places one exists once, and is removed once */
        {"Z0,80000010,4", "OK"},
        {"Z0,80000010,4", "OK"},
        {"z0,80000010,4", "OK"},
        {"z0,80000010,4", "OK"},
        {"Z1,80000010,4", "OK"},
        {"z1,80000010,4", "OK"},
        {"Z5,80000010,4", "E01"},
        {"Z0,100000000,4", "E01"},
        {"Z2,90000000,100000000", "E01"},
        {"Z2,90000000,0", "E01"},
        {"Z2,ffffff,8", "OK"}, /* each lane's own: changes of at most 8 bytes */
        {"Z2,ffffff,9", "E01"},
        {"Z3,ffffff,8", "E01"},
        {"Z4,ffffff,8", "E01"},
        {"Z2,1000000,9", "OK"},
        {"Z3,1000000,1", "OK"},
        {"Z4,1000000,1", "OK"},
        {"z4,1000000,1", "OK"},
        {"z2,ffffff,8", "OK"},
        /* numbers have 64 bits at most */
        {"mffffffff90000000,1", "00"},
        {"m00000000000000000090000000,1", "00"},
        {"m10000000090000000,1", "E01"},
        /* this device has no image */
        {"qXfer:exec-file:read:1:0,100", "E01"},
        {"vFile:open:2f76656e7475732f696d6167652e656c66,0,0", "F-1,2"},
    };
    (void)state;
    exchange(open_device(program, V202), rows, countof(rows));
}

/* What is written by hand is not there before that place, and is again behind it: into memory that
 * the program never touches, local and private memory. */
static void changes_have_their_place(void **state)
{
    static const Exchange rows[] = {
        {"vCont;s:1", "T05thread:1;"},   {"vCont;s:1", "T05thread:1;"},
        {"M90004000,4:11223344", "OK"},  {"M70000010,4:55667788", "OK"},
        {"M4,4:99aabbcc", "OK"},         {"m90004000,4", "11223344"},
        {"m70000010,4", "55667788"},     {"m4,4", "99aabbcc"},
        {"vCont;s:1", "T05thread:1;"},   {"m90004000,4", "11223344"},
        {"M90004004,4:01020304", "OK"},  {"m90004004,4", "01020304"},
        {"bs", "T05thread:1;"},          {"m90004000,8", "1122334400000000"},
        {"m70000010,4", "55667788"},     {"m4,4", "99aabbcc"},
        {"bs", "T05thread:1;"},          {"m90004000,4", "00000000"},
        {"m70000010,4", "00000000"},     {"m4,4", "00000000"},
        {"vCont;s:1", "T05thread:1;"},   {"vCont;s:1", "T05thread:1;"},
        {"m90004000,4", "11223344"},     {"m70000010,4", "55667788"},
        {"m4,4", "99aabbcc"},            {"vCont;s:1", "T05thread:1;"},
        {"m90004000,8", "1122334401020304"},
    };
    (void)state;
    exchange(open_device(program, V202), rows, countof(rows));
}

/* What is written into basic registers by one packet comes back by another, and x0 is 0. */
static void answers_with_all_registers(void **state)
{
    Buf set = {0}, got = {0}, small = {0}, large = {0};
    (void)state;
    buf_str(&set, "G");
    for (u32 n = 0; n < 33; n++) {
        const u32 value = n == 32 ? 0x80000024 : (n + 1) * 0x01030507;
        hex_put(&set, &value, 4);
        hex_put(&got, n ? &value : &(u32){0}, 4);
    }
    buf_put(&small, set.data, set.len - 8);
    buf_put(&large, set.data, set.len);
    buf_str(&large, "00000000");
    memset(set.data + 1, '0', 8);
    const Exchange rows[] = {{buf_text(&small), "E01"}, {buf_text(&large), "E01"}, {buf_text(&set), "OK"},
                             {"g", buf_text(&got)}, {"p20", "24000080"}};
    exchange(open_device(program, V202), rows, countof(rows));
    buf_free(&set);
    buf_free(&got);
    buf_free(&small);
    buf_free(&large);
}

/* Steps of other threads and forms, each to the next instruction of the warp. */
static void goes_on_as_told(void **state)
{
    static const Exchange rows[] = {
        {"vCont;s:6;c", "T05thread:6;"},
        {"p20", "04000080"},
        {"vCont;S05:1;c", "T05thread:1;"},
        {"p20", "04000080"},
        {"vCont;r80000000,80000010:1;c", "T05thread:1;"},
        {"p20", "10000080"},
        {"vCont;r80000018,80000014:1;c", "T05thread:1;"}, /* an empty range is a step */
        {"p20", "14000080"},
        {"vCont;x", "E01"},
        {"Z0,8000001c,4", "OK"}, /* three places, of which the first goes */
        {"Z0,80000020,4", "OK"},
        {"Z0,80000038,4", "OK"},
        {"z0,8000001c,4", "OK"},
        {"vCont;C05", "T05thread:1;"},
        {"p20", "20000080"},
        {"qfThreadInfo", "m1,2,3,4,5,6,7,8"},
        {"S05", "T05thread:1;"},
        {"p20", "24000080"},
        {"C05", "T05thread:1;"},
        {"p20", "38000080"},
        {"bs", "T05thread:1;"},
        {"p20", "34000080"},
        {"bc", "T05thread:1;"},
        {"p20", "20000080"},
        {"vCont;s:2;s:6;c", "T05thread:2;"}, /* the first action counts */
        {"p20", "24000080"},
        {"vCont;s:0", "T05thread:2;"}, /* any thread */
        {"p20", "28000080"},
    };
    (void)state;
    exchange(open_device(program, V202), rows, countof(rows));
}

/* Points are at their own places in whatever order they come, and the one goes that is named: its kind,
 * its address and, of watchpoints, its size. */
static void points_keep_apart(void **state)
{
    static const Exchange rows[] = {
        {"Z0,80000030,4", "OK"},
        {"Z0,80000024,4", "OK"},
        {"Z0,80000020,4", "OK"},
        {"Z0,80000028,4", "OK"},
        {"vCont;c", "T05thread:1;"},
        {"p20", "20000080"},
        {"vCont;c", "T05thread:1;"},
        {"p20", "24000080"},
        {"vCont;c", "T05thread:1;"},
        {"p20", "28000080"},
        {"vCont;c", "T05thread:1;"},
        {"p20", "30000080"},
        {"z0,80000030,4", "OK"},
        {"z0,80000024,4", "OK"},
        {"z0,80000028,4", "OK"},
        {"Z2,90000100,4", "OK"}, /* stores to the counter, of which there is one in each round */
        {"Z3,90000100,2", "OK"}, /* loads of it */
        {"z2,90000100,2", "OK"},
        {"z3,90000100,4", "OK"},
        {"z2,90000104,4", "OK"},
        {"z4,90000100,4", "OK"},
        {"vCont;c", "T05rwatch:90000100;thread:1;"},
        {"vCont;c", "T05watch:90000100;thread:1;"},
        {"z3,90000100,2", "OK"},
        {"vCont;c", "T05watch:90000100;thread:1;"},
        {"Z3,90000100,4", "OK"},
        {"z2,90000100,4", "OK"},
        {"vCont;c", "T05rwatch:90000100;thread:1;"},
        {"vCont;c", "T05rwatch:90000100;thread:1;"},
    };
    (void)state;
    exchange(open_device(program, V202), rows, countof(rows));
}

/* A debugger without knowledge of lanes steps over a condition that does not hold for the one that it was told of: it is
 * told of each at that place, and then the warp goes on. */
static void each_lane_is_told(void **state)
{
    static const Exchange rows[] = {
        {"Z0,80000020,4", "OK"},
        {"vCont;c", "T05thread:1;"},
        {"vCont;s:1", "T05thread:1;"},
        {"p20", "24000080"}, /* so it says; the others have not gone on */
        {"Hg2", "OK"},
        {"p20", "20000080"},
        {"Hg1", "OK"},
        {"p20", "24000080"},
        {"vCont;c", "T05thread:2;"},
        {"p20", "20000080"},
        {"vCont;s:2", "T05thread:2;"},
        {"vCont;c", "T05thread:3;"},
        {"vCont;s:3", "T05thread:3;"},
        {"vCont;c", "T05thread:4;"},
        {"p20", "20000080"},
        {"vCont;s:4", "T05thread:4;"},
        {"p20", "24000080"},
        {"vCont;c", "T05thread:5;"}, /* the other warp comes there */
        {"p20", "20000080"},
        {"vCont;s:5", "T05thread:5;"},
        {"vCont;c", "T05thread:6;"},
    };
    (void)state;
    exchange(open_device(program, V202), rows, countof(rows));
}

/* There are up to 1024 breakpoints, and as many watchpoints; one that is removed makes room for one. */
static void points_have_their_number(void **state)
{
    enum { MOST = 1024, N = 2 * (MOST + 20) };
    static char text[N][24];
    static Exchange rows[N];
    (void)state;
    for (int kind = 0; kind < 3; kind += 2) {
        size_t n = 0;
        for (u32 i = 0; i < MOST; i++, n++) {
            snprintf(text[n], sizeof *text, "Z%d,%x,4", kind, HEAP + 4 * i);
            rows[n] = (Exchange){text[n], "OK"};
        }
        for (u32 i = 0; i < 6; i++) {
            snprintf(text[n], sizeof *text, "Z%d,%x,4", kind, HEAP + 4 * (MOST + i));
            rows[n] = (Exchange){text[n], "E01"};
            snprintf(text[n + 1], sizeof *text, "z%d,%x,4", kind, HEAP + 4 * (i * 200));
            rows[n + 1] = (Exchange){text[n + 1], "OK"};
            rows[n + 2] = (Exchange){text[n], "OK"};
            n += 3;
        }
        exchange(open_device(program, V202), rows, n);
    }
}

/* What monitor says comes in parts of 1000 bytes and the rest of them, and then it is done. */
static void monitor_says_all(void **state)
{
    char long_ones[2][1002];
    const struct {
        const char *command;
        u32 lines;
    } rows[] = {{"disassemble 100", 100}, {"disassemble 1001", 1000}, {"mask", 1}, {long_ones[0], 1}, {long_ones[1], 0}};
    (void)state;
    for (u32 i = 0; i < 2; i++)
        snprintf(long_ones[i], sizeof *long_ones, "%0*d", (int)(1000 + i), 0);
    for (size_t i = 0; i < countof(rows); i++) {
        Pipe p = {.closed = false};
        Device *d = open_device(program, V202);
        Buf answer = {0};
        size_t at = 0, all = 0;
        u32 lines = 0;
        bool was_last = false;
        ask_monitor(&p, rows[i].command);
        send(&p, "D");
        run(&p, d, 1);
        while (next_answer(&p, &at, &answer) && answer.data[0] == 'O' && answer.data[1] != 'K') {
            assert_false(was_last);
            was_last = answer.len < 1 + 2 * 1000;
            all += (answer.len - 1) / 2;
            for (size_t k = 1; k < answer.len; k += 2)
                lines += !memcmp(answer.data + k, "0a", 2);
        }
        assert_string_equal(buf_text(&answer), rows[i].lines ? "OK" : "E01");
        assert_int_equal(lines, rows[i].lines);
        assert_true(i > 1 || all > 1000);
        assert_true(next_answer(&p, &at, &answer)); /* of D */
        assert_string_equal(buf_text(&answer), "OK");
        buf_free(&answer);
        end(&p, d);
    }
}

/* Of up to 16 conditions one must hold, each of at most 4096 bytes. */
static void takes_conditions(void **state)
{
    (void)state;
    for (u32 n = 15; n <= 17; n++)
        for (u32 holds = 0; holds < 2; holds++) {
            Buf packet = {0};
            buf_str(&packet, "Z0,80000020,4;");
            for (u32 i = 0; i < n; i++)
                buf_str(&packet, i + 1 == n && holds ? "X3,220127" : "X3,220027");
            const Exchange rows[] = {{buf_text(&packet), n <= 16 ? "OK" : "E01"},
                                     {"Z0,80000024,4", "OK"},
                                     {"vCont;c", "T05thread:1;"},
                                     {"p20", n <= 16 && holds ? "20000080" : "24000080"}};
            exchange(open_device(program, V202), rows, countof(rows));
            buf_free(&packet);
        }
    for (u32 size = 4096; size <= 4097; size++) {
        Buf packet = {0};
        buf_printf(&packet, "Z0,80000020,4;X%x,220027", size);
        buf_fill(&packet, '0', 2 * (size - 3));
        const Exchange rows[] = {{buf_text(&packet), size == 4096 ? "OK" : "E01"},
                                 {"Z0,80000020,4;X1,", "E01"},
                                 {"Z0,80000020,4;X3 220127", "E01"}};
        exchange(open_device(program, V202), rows, countof(rows));
        buf_free(&packet);
    }
}

/* A place that is set again has the conditions of the last time. */
static void conditions_are_the_last(void **state)
{
    static const Exchange rows[] = {
        {"Z0,80000020,4;X3,220027", "OK"},
        {"Z0,80000020,4;X3,220127", "OK"},
        {"Z0,80000024,4", "OK"},
        {"Z0,80000024,4;X3,220027", "OK"},
        {"vCont;c", "T05thread:1;"},
        {"p20", "20000080"},
        {"z0,80000020,4", "OK"},
        {"Z0,80000028,4", "OK"},
        {"vCont;c", "T05thread:1;"},
        {"p20", "28000080"},
    };
    (void)state;
    exchange(open_device(program, V202), rows, countof(rows));
}

/* The whole of a document in parts of `size` bytes; what begins each says whether more follows. */
static void read_in_parts(const char *begin, u32 size, const Buf *want)
{
    Pipe p = {.closed = false};
    Buf file = {0}, part = {0}, packet = {0};
    Device *d = open_with_image(program, &file);
    size_t at = 0;
    for (u32 from = 0; from <= want->len; from += size) {
        packet.len = 0;
        buf_printf(&packet, "%s%x,%x", begin, from, size);
        send(&p, buf_text(&packet));
    }
    run(&p, d, 1);
    for (u32 from = 0; from <= want->len; from += size) {
        const u32 left = (u32)want->len - from, n = left < size ? left : size;
        assert_true(next_answer(&p, &at, &part));
        assert_int_equal(part.len, n + 1);
        assert_int_equal(part.data[0], size < left ? 'm' : 'l');
        assert_memory_equal(part.data + 1, want->data + from, n);
    }
    buf_free(&file);
    buf_free(&part);
    buf_free(&packet);
    end(&p, d);
}

static void hands_out_documents(void **state)
{
    Buf xml = {0}, name = {0};
    (void)state;
    state_describe_registers(&(Launch){.lanes = 4}, &xml);
    buf_str(&name, "/ventus/image.elf");
    for (u32 size = 1; size <= 18; size++)
        read_in_parts("qXfer:exec-file:read:1:", size, &name);
    read_in_parts("qXfer:features:read:target.xml:", 1000, &xml);
    read_in_parts("qXfer:features:read:target.xml:", 8192, &xml); /* half of a packet */
    buf_free(&xml);
    buf_free(&name);
}

/* The image as a file: its bytes, whatever they are, its size, and what is no file. */
static void hands_out_the_image(void **state)
{
    static const char *const others[] = {
        "vFile:open:2f76656e7475732f696d6167652e656c,0,0", "vFile:open:2f76656e7475732f696d6167652e656c6666,0,0",
        "vFile:pread:4,1,0", "vFile:pread:6,1,0"};
    static const char *const refusals[] = {"F-1,2", "F-1,2", "F-1,9", "F-1,9"};
    enum { PART = 999 };
    Pipe p = {.closed = false};
    Buf file = {0}, answer = {0}, packet = {0};
    Device *d = open_with_image(program, &file);
    size_t at = 0;
    (void)state;
    send(&p, "vFile:open:2f76656e7475732f696d6167652e656c66,0,0");
    send(&p, "vFile:fstat:5");
    for (u32 from = 0; from < file.len + PART; from += PART) {
        packet.len = 0;
        buf_printf(&packet, "vFile:pread:5,%x,%x", PART, from);
        send(&p, buf_text(&packet));
    }
    for (size_t i = 0; i < countof(others); i++)
        send(&p, others[i]);
    run(&p, d, 1);
    assert_true(next_answer(&p, &at, &answer));
    assert_string_equal(buf_text(&answer), "F5");
    assert_true(next_answer(&p, &at, &answer));
    assert_int_equal(answer.len, 4 + 64);
    assert_memory_equal(answer.data, "F40;", 4);
    u8 status[64] = {[10] = 0100444 >> 8, [11] = 0100444 & 0xff}; /* a file that all may read; big-endian */
    for (int i = 0; i < 8; i++)
        status[28 + i] = (u8)((u64)file.len >> (56 - 8 * i));
    assert_memory_equal(answer.data + 4, status, 64);
    for (u32 from = 0; from < file.len + PART; from += PART) {
        const u32 n = from >= file.len ? 0 : file.len - from < PART ? (u32)file.len - from : PART;
        packet.len = 0;
        buf_printf(&packet, "F%x;", n);
        buf_put(&packet, file.data + (n ? from : 0), n);
        assert_true(next_answer(&p, &at, &answer));
        assert_int_equal(answer.len, packet.len);
        assert_memory_equal(answer.data, packet.data, packet.len);
    }
    for (size_t i = 0; i < countof(others); i++) {
        assert_true(next_answer(&p, &at, &answer));
        assert_string_equal(buf_text(&answer), refusals[i]);
    }
    buf_free(&file);
    buf_free(&answer);
    buf_free(&packet);
    end(&p, d);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(asks_and_goes_on),
        cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(registers_are_memory),
        cmocka_unit_test(older_packets_go_on),
        cmocka_unit_test(registers_are_written_together),
        cmocka_unit_test(monitor_shows_lanes),
        cmocka_unit_test(acknowledges_until_asked),
        cmocka_unit_test(stops_and_goes_back),
        cmocka_unit_test(observers_are_told_once),
        cmocka_unit_test(observers_stop_for_gdb),
        cmocka_unit_test(interruptions_end_the_launch),
        cmocka_unit_test(the_way_back_keeps_private_memory_apart),
        cmocka_unit_test(changes_have_their_place),
        cmocka_unit_test(answers_packets),
        cmocka_unit_test(answers_with_all_registers),
        cmocka_unit_test(goes_on_as_told),
        cmocka_unit_test(each_lane_is_told),
        cmocka_unit_test(points_have_their_number),
        cmocka_unit_test(points_keep_apart),
        cmocka_unit_test(monitor_says_all),
        cmocka_unit_test(takes_conditions),
        cmocka_unit_test(conditions_are_the_last),
        cmocka_unit_test(hands_out_documents),
        cmocka_unit_test(hands_out_the_image),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
