/* gdb_test.c -- the remote protocol: packets as gdb and nobody else sends them, conditions, the way
 * back.  gdb itself is in test/script/gdb_test.sh. */
#include "base/mem.h"
#include "dbg/agent.h"
#include "dbg/debugger.h"
#include "link/link.h"
#include "obj/dwarf.h"
#include "test/kit/leftover.h"
#include "test/kit/assemble.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HEAP 0x90000000u
#define PRIVATE 0xa0000000u
enum { HEAP_BYTES = 1 << 16 };

/* --- a connection in memory ------------------------------------------------------------------ */

/* What is sent, and all that came back. */
typedef struct {
    Buf in, out;
    size_t at;
    bool closed;
} Pipe;

static int pipe_read(void *self, void *to, size_t most, int milliseconds)
{
    Pipe *p = self;
    const size_t left = p->in.len - p->at, n = left < most ? left : most;
    if (!milliseconds) /* nothing is there while the launch runs, but an interrupt */
        return p->at < p->in.len && p->in.data[p->at] == 3 ? (*(u8 *)to = 3, p->at++, 1) : 0;
    memcpy(to, p->in.data + p->at, n);
    p->at += n;
    return n ? (int)n : -1;
}

static bool pipe_write(void *self, const void *bytes, size_t n)
{
    buf_put(&((Pipe *)self)->out, bytes, n);
    return true;
}

static void pipe_close(void *self) { ((Pipe *)self)->closed = true; }

static void send(Pipe *p, const char *text)
{
    u8 sum = 0;
    for (const char *c = text; *c; c++)
        sum = (u8)(sum + *c);
    buf_printf(&p->in, "$%s#%02x", text, sum);
}

static bool answered(const Pipe *p, const char *text) { return strstr(buf_text(&p->out), text); }

/* --- a launch --------------------------------------------------------------------------------- */

/* Each lane stores 3 * lane + 1 at HEAP + 4 * lane, then the warp runs a loop of ten rounds that
 * counts in the word at HEAP + 0x100. */
static const char *const program = "_start: lui t0, 0x90000\n"
                                   "vid.v v1\n"
                                   "vsll.vi v2, v1, 2\n"
                                   "vadd.vv v3, v1, v1\n"
                                   "vadd.vv v3, v3, v1\n"
                                   "vadd.vi v3, v3, 1\n"
                                   "vadd.vx v4, v2, t0\n"
                                   "vsw12.v v3, 0(v4)\n"
                                   "li t1, 10\n"
                                   "loop: lw t2, 256(t0)\n"
                                   "addi t2, t2, 1\n"
                                   "sw t2, 256(t0)\n"
                                   "addi t1, t1, -1\n"
                                   "bnez t1, loop\n"
                                   "endprg\n";

static Device *open_device(const char *text, IsaSet set)
{
    DeviceOptions o = dev_defaults();
    o.set = set;
    o.engine = &dbg_kind;
    Device *d = dev_open(&o);
    assert_non_null(d);
    Object *object = assemble(text, set);
    const i32 section = obj_find_section(object, ".text");
    assert_true(section >= 0);
    const Buf *code = &object->sections[section].data;
    memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
    memory_map(dev_memory(d), HEAP, HEAP_BYTES, MEM_R | MEM_W);
    assert_true(dev_write(d, CODE_LO, code->data, code->len));
    dev_code_written(d, CODE_LO, CODE_LO + code->len);
    obj_free(object);
    return d;
}

static u32 word_at(Device *d, u32 addr)
{
    u32 word = 0;
    assert_true(dev_read(d, addr, &word, sizeof word));
    return word;
}

/* Runs the program under the packets of p; its result. */
static DevResult launch(Device *d, u32 groups, const LaunchOptions *how)
{
    DevResult r;
    const bool ok =
        dev_launch(d, &(DevLaunch){.knl = HEAP + 0x8000, .groups = {groups, 1, 1}, .warps = 2,
                                   .lanes = 4, .sgprs = 32, .vgprs = 8,
                                   .pds = HEAP + HEAP_BYTES / 2, .pds_lane = 64,
                                   .pds_size = HEAP_BYTES / 2, .run = *how},
                   &r);
    assert_int_equal(ok, !r.run.faulted);
    return r;
}

static DevResult run_with(Pipe *p, Device *d, u32 groups, const LaunchOptions *how)
{
    Debugger *debugger =
        dbg_open(&(DbgStream){p, pipe_read, pipe_write, pipe_close});
    assert_non_null(debugger);
    dbg_attach(debugger, d);
    const DevResult r = launch(d, groups, how);
    dbg_close(debugger, 0);
    assert_true(p->closed);
    return r;
}

static DevResult run(Pipe *p, Device *d, u32 groups)
{
    return run_with(p, d, groups, &(LaunchOptions){0});
}

/* The same with an image, which gdb may read. */
static Device *open_with_image(const char *text, Buf *file)
{
    Caught c;
    DeviceOptions o = dev_defaults();
    o.set = V202;
    o.engine = &dbg_kind;
    Device *d = dev_open(&o);
    assert_non_null(d);
    Object *object = assemble_in(&c, text, &(AsmOptions){.set = V202, .lines = true});
    Object *image =
        link_objects((const Object *const[]){object}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    if (!image || !obj_write(image, file, &c.d) || !dev_load(d, image, &c.d))
        fail_msg("%s", buf_text(&c.text));
    obj_free(object);
    buf_free(&c.text);
    memory_map(dev_memory(d), HEAP, HEAP_BYTES, MEM_R | MEM_W);
    return d;
}

static void end(Pipe *p, Device *d)
{
    dev_close(d);
    buf_free(&p->in);
    buf_free(&p->out);
}

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

/* --- watchpoints beside a model -------------------------------------------------------------- */

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

/* --- agent expressions ------------------------------------------------------------------------ */

/* the lane whose expressions are computed */
typedef struct {
    Device *d;
    Launch l;
    Audience audience;
    Run r;
    Lane lane;
} Evaluator;

static void open_evaluator(Evaluator *e)
{
    static const LaunchOptions options = {.threads = 1};
    e->d = open_device(program, V202);
    e->l = (Launch){.set = V202, .pc = CODE_LO, .groups = {1, 1, 1}, .warps = 1, .lanes = 4,
                    .vgprs = 8, .simt_depth = 8, .memory = dev_memory(e->d)};
    e->audience = audience_of(&e->l, &options);
    assert_true(run_open(&e->r, (Sim *)dev_engine(e->d), &e->l, &e->audience, true));
    assert_true(lane_find(&e->r, 1, &e->lane));
}

static void close_evaluator(Evaluator *e)
{
    run_close(&e->r);
    dev_close(e->d);
}

/* --- registers and memory of a lane ----------------------------------------------------------- */

/* Two warps, the second of which divides: lanes 1 and 3 wait for the others. */
static void open_pair(Evaluator *e, IsaSet set)
{
    static const LaunchOptions options = {.threads = 1};
    e->d = open_device(program, set);
    memory_map(dev_memory(e->d), PRIVATE, PAGE_SIZE, MEM_R | MEM_TRACKED);
    e->l = (Launch){.set = set, .pc = CODE_LO, .groups = {2, 1, 1}, .warps = 2, .lanes = 4, .knl = 0x12345678,
                    .vgprs = 256, .simt_depth = 8, .pds = PRIVATE, .pds_lane = 64, .pds_areas = 1,
                    .memory = dev_memory(e->d)};
    e->audience = audience_of(&e->l, &options);
    assert_true(run_open(&e->r, (Sim *)dev_engine(e->d), &e->l, &e->audience, true));
    assert_true(lane_find(&e->r, 7, &e->lane));
    assert_int_equal(e->lane.lane, 2);
    Warp *w = e->lane.warp;
    assert_int_equal(w->id, 1);
    for (u32 i = 1; i < 64; i++)
        w->x[i] = 1000 + i;
    for (u32 i = 0; i < 256; i++)
        for (u32 k = 0; k < 4; k++)
            w->v[i][k] = 4 * i + k;
    w->mask = 5;
    warp_set_exec(w);
}

/* Instructions are shown as far as there is memory for all of them: one of 64 bits is no half. */
static void disassembles_whole_instructions(void **state)
{
    enum { SHORT = 0x13, LONG = 0x54 }; /* addi x0, x0, 0; the low half of vadd64.vv */
    static const u32 past = CODE_LO + PAGE_SIZE;
    static const struct {
        IsaSet set;
        u32 words, word[2], lines; /* the words are the last of what is mapped */
    } rows[] = {
        {V202, 2, {SHORT, SHORT}, 2}, {V2025, 2, {SHORT, SHORT}, 2}, {V2025, 2, {SHORT, LONG}, 1},
        {V2025, 2, {LONG, 0}, 1},     {V2025, 1, {LONG}, 0},         {V2025, 1, {SHORT}, 1},
        {V202, 2, {SHORT, LONG}, 2}, /* it has no long ones */
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Evaluator e;
        Buf said = {0};
        char begin[16];
        open_pair(&e, rows[i].set);
        Debugger d = {.run = &e.r, .device = e.d};
        e.lane.warp->pc = past - rows[i].words * 4;
        assert_true(dev_write(e.d, e.lane.warp->pc, rows[i].word, rows[i].words * 4));
        monitor(&d, e.lane, "disassemble 9", &said);
        u32 lines = 0;
        for (const char *p = buf_text(&said); (p = strchr(p, '\n')); p++)
            lines++;
        assert_int_equal(lines, rows[i].lines);
        snprintf(begin, sizeof begin, "=> 0x%08x  ", e.lane.warp->pc);
        assert_true(!lines || !strncmp(buf_text(&said), begin, strlen(begin)));
        buf_free(&said);
        close_evaluator(&e);
    }
}

/* What the register of that name is, of those whose names say it; false: it is another. */
static bool named(const char *name, u32 *value)
{
    static const struct {
        const char *name;
        u32 value;
    } states[] = {{"pc", CODE_LO}, {"mask", 5}, {"exec", 5}, {"depth", 0}, {"active", 1}, {"lane", 2},
                  {"warp", 1}, {"group", 0}, {"thread", 7}};
    char *end;
    const u32 n = (u32)strtoul(name + 1, &end, 10);
    for (size_t i = 0; i < countof(states); i++)
        if (!strcmp(states[i].name, name))
            return *value = states[i].value, true;
    if (end == name + 1 || *end)
        return false;
    if (*name == 'x')
        return *value = n ? 1000 + n : 0, true;
    return *name == 'v' && (*value = 4 * n + 2, true);
}

/* The numbers that the description has for names are those of the registers so named. */
static void registers_have_their_names(void **state)
{
    Evaluator e;
    Buf xml = {0};
    u32 n = 0, seen[256] = {0};
    u8 bytes[MOST_REGISTER];
    (void)state;
    open_pair(&e, V202);
    state_describe_registers(&e.l, &xml);
    for (const char *at = buf_text(&xml); (at = strstr(at, "<reg name=\"")); at++, n++) {
        char name[32];
        u32 number, bits, value = 0, want = 0;
        assert_int_equal(sscanf(at, "<reg name=\"%31[^\"]\" bitsize=\"%u\" regnum=\"%u\"", name, &bits, &number), 3);
        assert_int_equal(number, n);
        assert_int_equal(state_read_register(&e.r, e.lane, n, bytes), bits / 8);
        memcpy(&value, bytes, 4);
        seen[(u8)*name]++;
        if (!strncmp(name, "row", 3)) {
            assert_int_equal(bits, 128);
            assert_memory_equal(bytes, e.lane.warp->v[strtoul(name + 3, NULL, 10)], 16);
        } else if (named(name, &want) && value != want)
            fail_msg("%s, number %u: %u, not %u", name, n, value, want);
    }
    assert_true(seen['x'] == 64 && seen['v'] >= 256 && seen['r'] >= 256);
    assert_int_equal(state_read_register(&e.r, e.lane, n, bytes), 0);
    assert_int_equal(state_read_register(&e.r, e.lane, n - 1, bytes), 4);
    assert_non_null(strstr(buf_text(&xml), "<vector id=\"lanes\" type=\"int32\" count=\"4\"/>"));
    assert_non_null(strstr(buf_text(&xml), "name=\"x1\" bitsize=\"32\" regnum=\"1\" type=\"code_ptr\""));
    assert_non_null(strstr(buf_text(&xml), "name=\"x2\" bitsize=\"32\" regnum=\"2\" type=\"int\""));
    buf_free(&xml);
    close_evaluator(&e);
}

/* The number of a register by its name. */
static u32 number_of(const Evaluator *e, const char *name)
{
    Buf xml = {0};
    char text[64];
    u32 n = 0;
    state_describe_registers(&e->l, &xml);
    snprintf(text, sizeof text, "<reg name=\"%s\" ", name);
    const char *at = strstr(buf_text(&xml), text);
    assert_non_null(at);
    assert_int_equal(sscanf(strstr(at, "regnum="), "regnum=\"%u\"", &n), 1);
    buf_free(&xml);
    return n;
}

static bool written(Evaluator *e, const char *name, u32 value)
{
    return state_write_register(&e->r, e->lane, number_of(e, name), (const u8 *)&value, 4);
}

static void registers_are_written_by_name(void **state)
{
    Evaluator e;
    const u32 row[5] = {11, 12, 13, 14, 15};
    (void)state;
    open_pair(&e, V202);
    Warp *w = e.lane.warp;
    assert_true(written(&e, "x0", 0));
    assert_false(written(&e, "x0", 1));
    assert_int_equal(w->x[0], 0);
    static const char *const scalars[] = {"x1", "x31", "x32", "x63"};
    static const u32 index[] = {1, 31, 32, 63, 0, 31, 32, 255};
    static const char *const elements[] = {"v0", "v31", "v32", "v255"};
    for (u32 i = 0; i < 4; i++) {
        assert_true(written(&e, scalars[i], 7 + i));
        assert_int_equal(w->x[index[i]], 7 + i);
        assert_true(written(&e, elements[i], 17 + i));
        assert_int_equal(w->v[index[4 + i]][2], 17 + i);
        assert_int_equal(w->v[index[4 + i]][1], 4 * index[4 + i] + 1);
    }
    const u32 first = number_of(&e, "row0");
    assert_true(state_write_register(&e.r, e.lane, first + 255, (const u8 *)row, 16));
    assert_memory_equal(w->v[255], row, 16);
    assert_false(state_write_register(&e.r, e.lane, first, (const u8 *)row, 4));
    assert_false(state_write_register(&e.r, e.lane, first, (const u8 *)row, 20));
    assert_false(state_write_register(&e.r, e.lane, 1, (const u8 *)row, 8));
    assert_true(written(&e, "fflags", 3));
    assert_int_equal(w->fflags, 3);
    static const char *const fixed[] = {"mask", "exec", "depth", "active", "lane", "warp", "group", "thread",
                                        "lc_id_x", "gl_id_z"};
    for (size_t i = 0; i < countof(fixed); i++)
        assert_false(written(&e, fixed[i], 1));
    assert_true(written(&e, "pc", CODE_LO + 8));
    assert_int_equal(w->pc, CODE_LO + 8);
    e.lane.lane = 1; /* which is not active: only what it is already */
    assert_false(written(&e, "pc", CODE_LO + 4));
    assert_true(written(&e, "pc", CODE_LO + 8));
    assert_int_equal(w->pc, CODE_LO + 8);
    close_evaluator(&e);
}

static u64 bytes_at(const Evaluator *e, u32 addr, u32 size, u64 *value)
{
    *value = 0;
    return state_read_memory(&e->r, e->lane, addr, (u8 *)value, size);
}

/* Windows of registers, with nothing between them. */
static void windows_have_their_ends(void **state)
{
    enum { V = REGISTER_WINDOW + VECTOR_WINDOW, META = REGISTER_WINDOW + METADATA_WINDOW };
    static const struct {
        u32 addr, size, there;
        u64 value;
    } rows[] = {
        {REGISTER_WINDOW - 1, 1, 0, 0},  {REGISTER_WINDOW, 4, 4, 0},        {REGISTER_WINDOW + 4, 4, 4, 1001},
        {REGISTER_WINDOW + 5, 1, 1, 3},  {REGISTER_WINDOW + 252, 8, 4, 1063}, {REGISTER_WINDOW + 256, 1, 0, 0},
        {V - 1, 1, 0, 0},                {V, 4, 4, 2},                      {V + 4, 8, 8, 6 | (u64)10 << 32},
        {V + 1020, 4, 4, 1022},          {V + 1021, 1, 1, 3},               {V + 1020, 8, 4, 1022},
        {V + 1024, 1, 0, 0},
        {META - 1, 1, 0, 0},             {META, 8, 4, 0x12345678},          {META + 3, 1, 1, 0x12},
        {META + 4, 1, 0, 0},             {0xfffff0, 1, 0, 0},
    };
    Evaluator e;
    u64 value;
    (void)state;
    open_pair(&e, V202);
    for (size_t i = 0; i < countof(rows); i++) {
        const u64 there = bytes_at(&e, rows[i].addr, rows[i].size, &value);
        if (there != rows[i].there || value != rows[i].value)
            fail_msg("%08x: %llu bytes, %llx", rows[i].addr, (unsigned long long)there, (unsigned long long)value);
    }
    const u32 one = 1;
    assert_true(state_write_memory(&e.r, e.lane, REGISTER_WINDOW, (const u8 *)&one, 4)); /* x0 */
    assert_int_equal(e.lane.warp->x[0], 0);
    assert_true(state_write_memory(&e.r, e.lane, V + 1020, (const u8 *)&one, 4));
    assert_int_equal(e.lane.warp->v[255][2], 1);
    assert_false(state_write_memory(&e.r, e.lane, V + 1022, (const u8 *)&one, 4));
    assert_int_equal(e.lane.warp->v[255][2], 1);
    close_evaluator(&e);
}

/* Each byte of the registers' windows is one of the register, but x0 stays 0. */
static void windows_are_written(void **state)
{
    enum { V = REGISTER_WINDOW + VECTOR_WINDOW };
    Evaluator e;
    (void)state;
    open_pair(&e, V202);
    Warp *const w = e.lane.warp;
    for (u32 i = 0; i < 4 * 64; i++) {
        const u8 byte = (u8)(i * 7 + 1);
        assert_true(state_write_memory(&e.r, e.lane, REGISTER_WINDOW + i, &byte, 1));
        assert_int_equal((u8)(w->x[i / 4] >> i % 4 * 8), i < 4 ? 0 : byte);
    }
    for (u32 i = 0; i < 4 * 256; i++) {
        const u8 byte = (u8)(i * 11 + 3);
        const u32 beside = w->v[i / 4][e.lane.lane + 1];
        assert_true(state_write_memory(&e.r, e.lane, V + i, &byte, 1));
        assert_int_equal((u8)(w->v[i / 4][e.lane.lane] >> i % 4 * 8), byte);
        assert_int_equal(w->v[i / 4][e.lane.lane + 1], beside);
    }
    close_evaluator(&e);
}

/* Private memory, by doc/isa.md: a word of each lane of the group side by side, in v2025 of the warp. */
static void private_memory_is_of_the_lane(void **state)
{
    (void)state;
    for (int old = 0; old < 2; old++) {
        Evaluator e;
        u64 value;
        const u8 bytes[] = {0xaa, 0xbb};
        open_pair(&e, old ? V202 : V2025);
        Memory *m = dev_memory(e.d);
        const u32 area = old ? PRIVATE : PRIVATE + 64 * 4, stride = old ? 4 * 2 * 4 : 4 * 4;
        const u32 lane = (old ? 4 + 2 : 2) * 4;
        for (u32 a = 0; a < 64; a++)
            m->base[area + a / 4 * stride + lane + a % 4] = (u8)(a + 1);
        for (u32 a = 0; a < 64; a++) {
            assert_int_equal(bytes_at(&e, a, 1, &value), 1);
            assert_int_equal(value, a + 1);
        }
        assert_int_equal(bytes_at(&e, 62, 8, &value), 2);
        assert_int_equal(bytes_at(&e, 64, 1, &value), 0);
        /* what is written is cleared for the next group, which the list of pages is for */
        assert_false(memory_rights(m, PRIVATE >> PAGE_BITS) & MEM_W);
        assert_int_equal(e.r.group->pds_dirty.n, 0);
        assert_false(state_write_memory(&e.r, e.lane, 63, bytes, 2));
        for (int i = 0; i < 2; i++) {
            assert_true(state_write_memory(&e.r, e.lane, 6, bytes, 2));
            assert_int_equal(m->base[area + stride + lane + 2], 0xaa);
            assert_int_equal(m->base[area + stride + lane + 3], 0xbb);
            assert_true(memory_rights(m, PRIVATE >> PAGE_BITS) & MEM_W);
            assert_int_equal(e.r.group->pds_dirty.n, 1);
        }
        close_evaluator(&e);
    }
}

/* Code that is written is what runs then; the last byte of the window counts. */
static void code_is_written(void **state)
{
    Evaluator e;
    Step s;
    const u32 li = 0x02a00293; /* li t0, 42 */
    (void)state;
    open_pair(&e, V202);
    assert_true(lane_find(&e.r, 1, &e.lane));
    assert_true(run_step(&e.r, &s)); /* lui t0, 0x90000 */
    assert_int_equal(e.lane.warp->x[5], 0x90000000);
    assert_true(state_write_memory(&e.r, e.lane, CODE_LO, (const u8 *)&li, 4));
    e.lane.warp->pc = CODE_LO;
    run_changed(&e.r);
    assert_true(run_step(&e.r, &s));
    assert_int_equal(e.lane.warp->x[5], 42);
    close_evaluator(&e);
}

/* Threads are the lanes of the group that have work, from 1. */
static void threads_are_lanes(void **state)
{
    Evaluator e;
    Lane l;
    (void)state;
    open_pair(&e, V202);
    assert_false(lane_find(&e.r, 0, &l));
    for (u32 t = 1; t <= 8; t++) {
        assert_true(lane_find(&e.r, t, &l));
        assert_int_equal(l.warp->id, (t - 1) / 4);
        assert_int_equal(l.lane, (t - 1) % 4);
        assert_int_equal(lane_thread(l), t);
    }
    assert_false(lane_find(&e.r, 9, &l));
    e.r.group->warps[1].initial = 7; /* a group of seven work-items */
    assert_true(lane_find(&e.r, 7, &l));
    assert_false(lane_find(&e.r, 8, &l));
    close_evaluator(&e);
}

/* The signals of faults: of addresses SIGSEGV, of alignment SIGBUS, of instructions SIGILL, of the user SIGINT, of what
 * the launch does as a whole SIGABRT; and whose they are. */
static void faults_are_signals(void **state)
{
    static const int signal_of[] = {
        [FAULT_ILLEGAL] = SIGNAL_ILL, [FAULT_PROFILE] = SIGNAL_ILL, [FAULT_UNSUPPORTED] = SIGNAL_ILL,
        [FAULT_REGISTER] = SIGNAL_ILL, [FAULT_VTYPE] = SIGNAL_ILL, [FAULT_FRM] = SIGNAL_ILL, [FAULT_CSR] = SIGNAL_ILL,
        [FAULT_FETCH] = SIGNAL_SEGV, [FAULT_FETCH_MISALIGNED] = SIGNAL_BUS, [FAULT_LOAD] = SIGNAL_SEGV,
        [FAULT_STORE] = SIGNAL_SEGV, [FAULT_PRIVATE] = SIGNAL_SEGV, [FAULT_LOAD_MISALIGNED] = SIGNAL_BUS,
        [FAULT_STORE_MISALIGNED] = SIGNAL_BUS, [FAULT_ATOMIC_MISALIGNED] = SIGNAL_BUS,
        [FAULT_STORE_CODE] = SIGNAL_SEGV, [FAULT_FETCH_PAGE] = SIGNAL_SEGV, [FAULT_LOAD_PAGE] = SIGNAL_SEGV,
        [FAULT_STORE_PAGE] = SIGNAL_SEGV, [FAULT_SIMT_OVERFLOW] = SIGNAL_ABRT, [FAULT_SIMT_NO_JOIN] = SIGNAL_ABRT,
        [FAULT_EXIT_DIVERGED] = SIGNAL_ABRT, [FAULT_BARRIER_DIVERGED] = SIGNAL_ABRT,
        [FAULT_NEEDS_ALL_LANES] = SIGNAL_ABRT, [FAULT_COPY_ARGUMENT] = SIGNAL_ABRT, [FAULT_COPY_EARLY] = SIGNAL_SEGV,
        [FAULT_ENDLESS] = SIGNAL_ABRT, [FAULT_DEADLOCK] = SIGNAL_ABRT, [FAULT_STOPPED] = SIGNAL_INT,
        [FAULT_NO_MEMORY] = SIGNAL_ABRT};
    Evaluator e;
    (void)state;
    open_pair(&e, V202);
    Group *g = e.r.group;
    Debugger d = {.run = &e.r, .thread = 7};
    assert_int_equal(stop_at_end(&d).kind, STOP_OVER);
    g->faulted = true;
    for (u32 k = 1; k < countof(signal_of); k++)
        if (signal_of[k]) {
            g->fault = (Fault){.kind = (FaultKind)k, .warp = 1, .lane = 3};
            const Stop s = stop_at_end(&d);
            assert_int_equal(s.kind, STOP_FAULT);
            assert_int_equal(s.thread, 8);
            if (s.signal != signal_of[k])
                fail_msg("%s: %d", fault_name((FaultKind)k), s.signal);
        }
    /* a fault of the whole warp is of the thread that gdb looks at, if it is an active lane of that warp */
    static const struct {
        u32 looked_at, warp, thread;
    } rows[] = {{7, 1, 7}, {5, 1, 5}, {6, 1, 5}, {3, 1, 5}, {7, 0, 1}, {3, 0, 3}, {0, 0, 1}, {0, 1, 5}};
    for (size_t i = 0; i < countof(rows); i++) {
        g->fault = (Fault){.kind = FAULT_ILLEGAL, .warp = rows[i].warp, .lane = -1};
        d.thread = rows[i].looked_at;
        assert_int_equal(stop_at_end(&d).thread, rows[i].thread);
    }
    g->faulted = false;
    close_evaluator(&e);
}

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

/* What gdb's manual says of an operation of two entries, with more bits; false: it is an error. */
static bool wide(u8 code, u64 a, u64 b, u64 *to)
{
    const Wide x = (i64)a, y = (i64)b;
    const UWide u = a, v = b;
    const int by = b < 100 ? (int)b : 100; /* beyond all bits */
    switch (code) {
    case 0x02: *to = (u64)(u + v); return true;
    case 0x03: *to = (u64)(x - y); return true;
    case 0x04: *to = (u64)(u * v); return true;
    case 0x05: *to = b ? (u64)(x / y) : 0; return b;
    case 0x06: *to = b ? (u64)(u / v) : 0; return b;
    case 0x07: *to = b ? (u64)(x % y) : 0; return b;
    case 0x08: *to = b ? (u64)(u % v) : 0; return b;
    case 0x09: *to = (u64)(u << by); return true;
    case 0x0a: *to = (u64)(x >> by); return true;
    case 0x0b: *to = (u64)(u >> by); return true;
    case 0x0f: *to = ~(~a | ~b); return true;
    case 0x10: *to = ~(~a & ~b); return true;
    case 0x11: *to = (a | b) - (a & b); return true;
    case 0x13: *to = !(a - b); return true;
    case 0x14: *to = x - y < 0; return true;
    case 0x15: *to = u < v; return true;
    default: return false;
    }
}

static void put_constant(Buf *code, u64 value)
{
    buf_put(code, "\x25", 1);
    for (int k = 56; k >= 0; k -= 8)
        buf_put(code, (u8[]){(u8)(value >> k)}, 1);
}

/* The value of a constant, another (if it is not NULL), and more code; false: it has none. */
static bool computed(const Evaluator *e, u64 a, const u64 *b, const void *code, size_t size, u64 *value)
{
    Buf all = {0};
    put_constant(&all, a);
    if (b)
        put_constant(&all, *b);
    buf_put(&all, code, size);
    const bool ok = agent_evaluate(&e->r, e->lane, all.data, all.len, value);
    buf_free(&all);
    return ok;
}

static void computes_at_the_edges(void **state)
{
    static const u64 edge[] = {0, 1, 2, 3, 31, 32, 33, 62, 63, 64, 65, 0x7fffffff, 0x80000000, UINT32_MAX,
                               (u64)1 << 32, INT64_MAX - 1, INT64_MAX, (u64)INT64_MAX + 1, (u64)INT64_MAX + 2,
                               UINT64_MAX - 1, UINT64_MAX};
    (void)state;
    Evaluator e;
    open_evaluator(&e);
    u64 value, want;
    u32 codes = 0;
    for (u8 c = 0x02; c <= 0x15; c++) {
        codes += wide(c, 1, 1, &want);
        for (size_t i = 0; i < countof(edge) * countof(edge) && wide(c, 1, 1, &want); i++) {
            const u64 a = edge[i / countof(edge)], b = edge[i % countof(edge)];
            const bool right = wide(c, a, b, &want), ok = computed(&e, a, &b, (const u8[]){c, 0x27}, 2, &value);
            if (ok != right || (ok && value != want))
                fail_msg("%llx %02x %llx: %s, %llx", (unsigned long long)a, c, (unsigned long long)b,
                         ok ? "ok" : "wrong", (unsigned long long)value);
        }
    }
    assert_int_equal(codes, 16);
    /* signs and zeros above so many bits */
    for (size_t i = 0; i < countof(edge); i++)
        for (u8 bits = 0; bits < 66; bits++) {
            const u64 a = edge[i], low = bits < 64 ? a % ((u64)1 << bits) : a;
            assert_true(computed(&e, a, NULL, (const u8[]){0x2a, bits, 0x27}, 3, &value));
            assert_true(value == low);
            assert_int_equal(computed(&e, a, NULL, (const u8[]){0x16, bits, 0x27}, 3, &value), bits && bits < 65);
            if (bits && bits < 64)
                assert_true(value == (low >> (bits - 1) ? low - ((u64)1 << bits) : low));
        }
    close_evaluator(&e);
}

/* 64 entries and no more, of which each can be had; as many steps as a loop of conditions may need, but not for ever. */
static void stack_has_its_depth(void **state)
{
    (void)state;
    Evaluator e;
    open_evaluator(&e);
    for (u32 n = 1; n <= 66; n++) {
        u8 code[256];
        size_t size = 0;
        u64 value;
        for (u32 i = 1; i < n; i++, size += 2)
            memcpy(code + size, (u8[]){0x22, (u8)i}, 2);
        memcpy(code + size, (u8[]){0x32, (u8)(n - 1), 0x27}, 3); /* pick the first, which is 99 */
        assert_int_equal(computed(&e, 99, NULL, code, size + 3, &value), n < 64);
        assert_true(n >= 64 || value == 99);
        code[size + 1]++; /* below the first */
        assert_false(computed(&e, 99, NULL, code, size + 3, &value));
        memcpy(code + size, (u8[]){0x27}, 1);
        assert_int_equal(computed(&e, 99, NULL, code, size + 1, &value), n <= 64);
        assert_true(n > 64 || value == (n > 1 ? n - 1 : 99));
    }
    close_evaluator(&e);
}

static void computes_expressions(void **state)
{
    static const struct {
        const char *code;
        u64 value;
        bool wrong;
    } rows[] = {
        {"22052203022700", 8, false},             /* 5 + 3 */
        {"220522030327", 2, false},               /* 5 - 3 */
        {"22ff16082203042700", (u64)-3, false},   /* sign of 8 bits: -1 * 3 */
        {"220722000527", 0, true},                /* 7 / 0 */
        {"22072202072700", 1, false},             /* 7 % 2, signed */
        {"2201220409270000", 16, false},          /* 1 << 4 */
        {"22000e27", 1, false},                   /* !0 */
        {"2201220214270000", 1, false},           /* 1 < 2 */
        {"24fffffffe2a0827", 254, false},         /* zero_ext 8 */
        {"220120000822ff27220927", 9, false},     /* if_goto over a constant */
        {"2201220232012700", 1, false},           /* pick */
        {"22012202220333270000", 2, false},       /* rot */
        {"2201282702270000", 1, false},           /* dup */
        {"220122022b0327", 1, false},             /* swap: 2 - 1 */
        {"240000000019270000", 0, true},          /* ref32 of address 0 */
        {"2490000000192700", 0, false},           /* of the heap, which is zero */
        {"2207220206270000", 3, false},           /* 7 / 2, unsigned */
        {"22ff160822020627", ~(u64)0 / 2, false}, /* of all ones */
        {"22ff1608220a0827", 5, false},           /* 2^64 - 1 % 10 */
        {"220722000627", 0, true},                /* by 0 */
        {"220722000727", 0, true},
        {"220722000827", 0, true},
        {"25800000000000000022ff16080527", (u64)INT64_MIN, false}, /* the quotient that overflows */
        {"25800000000000000022ff16080727", 0, false},
        {"22f8160822010a27", (u64)-4, false},     /* -8 >> 1, signed */
        {"22f8160822400a27", (u64)-1, false},     /* >> 64 */
        {"22ff1608223f0b27", 1, false},           /* 2^64 - 1 >> 63, unsigned */
        {"22ff160822400b27", 0, false},           /* >> 64 */
        {"2201223f0927", (u64)1 << 63, false},
        {"220122400927", 0, false},               /* 1 << 64 */
        {"220c220a0f27", 8, false},               /* 12 & 10 */
        {"220c220a1027", 14, false},              /* 12 | 10 */
        {"220c220a1127", 6, false},               /* 12 ^ 10 */
        {"22051227", ~(u64)5, false},             /* ~5 */
        {"22050e27", 0, false},                   /* !5 */
        {"220522051327", 1, false},               /* 5 == 5 */
        {"220522041327", 0, false},
        {"22ff160822011427", 1, false},           /* -1 < 1, signed */
        {"220522051427", 0, false},               /* 5 < 5 */
        {"22ff160822011527", 0, false},           /* 2^64 - 1 < 1, unsigned */
        {"220122ff16081527", 1, false},
        {"220522051527", 0, false},
        {"23123427", 0x1234, false},              /* constants: high byte first */
        {"250123456789abcdef27", 0x0123456789abcdef, false},
        {"220122022927", 1, false},               /* pop */
        {"22ff160027", 0, true},                  /* sign of 0 bits, of 65 */
        {"22ff164127", 0, true},
        {"22ff164027", 255, false},               /* of 64 */
        {"22ff16082a4027", ~(u64)0, false},       /* zero_ext 64 */
        {"2200200006220727", 7, false},           /* if_goto of 0 goes on */
        {"24800000001727", 0xb7, false},          /* the first instruction, lui t0, 0x90000 */
        {"24800000001827", 0x02b7, false},
        {"24800000001927", 0x900002b7, false},
        {"24800000001a2a2027", 0x900002b7, false}, /* ref64: the low word, then the high one */
        {"24800000001a22200b248000000419132700", 1, false},
        {"240000000017270000", 0, true},          /* nothing is there */
        {"2100002700", 0, true},                  /* endless */
        {"26002027", 0x80000000, false},          /* the pc */
        {"26014127", 0, true},                    /* row0, which is no number */
        {"26ffff27", 0, true},
        {"02", 0, true},                          /* too few */
        {"27", 0, true},
        {"22", 0, true},
        {"ff", 0, true},
        {"", 0, true},
    };
    (void)state;
    Evaluator e;
    open_evaluator(&e);
    for (size_t i = 0; i < countof(rows); i++) {
        Buf code = {0};
        u64 value = 0;
        assert_true(hex_bytes(rows[i].code, rows[i].code + strlen(rows[i].code), &code, 100));
        const bool ok = agent_evaluate(&e.r, e.lane, code.data, code.len, &value);
        if (ok == rows[i].wrong || (ok && value != rows[i].value))
            fail_msg("%s: %s, %lld", rows[i].code, ok ? "ok" : "wrong", (long long)value);
        buf_free(&code);
    }
    close_evaluator(&e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(asks_and_goes_on),        cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(registers_are_memory),
        cmocka_unit_test(older_packets_go_on),     cmocka_unit_test(registers_are_written_together),
        cmocka_unit_test(monitor_shows_lanes),
        cmocka_unit_test(acknowledges_until_asked),
        cmocka_unit_test(stops_and_goes_back),     cmocka_unit_test(conditions_choose_the_lane),
        cmocka_unit_test(steps_where_the_user_was_asked),
        cmocka_unit_test(kills_and_lets_go),
        cmocka_unit_test(watchpoints_meet_accesses),
        cmocka_unit_test(observers_are_told_once),
        cmocka_unit_test(observers_stop_for_gdb),
        cmocka_unit_test(interruptions_end_the_launch),
        cmocka_unit_test(the_way_back_keeps_private_memory_apart),
        cmocka_unit_test(goes_back_over_groups),   cmocka_unit_test(interrupts_and_kills),
        cmocka_unit_test(faults_stop),             cmocka_unit_test(changes_have_their_place),
        cmocka_unit_test(answers_packets),         cmocka_unit_test(answers_with_all_registers),
        cmocka_unit_test(goes_on_as_told),         cmocka_unit_test(each_lane_is_told),
        cmocka_unit_test(points_have_their_number), cmocka_unit_test(points_keep_apart),
        cmocka_unit_test(monitor_says_all),
        cmocka_unit_test(disassembles_whole_instructions),
        cmocka_unit_test(takes_conditions),
        cmocka_unit_test(conditions_are_the_last), cmocka_unit_test(hands_out_documents),
        cmocka_unit_test(hands_out_the_image),
        cmocka_unit_test(registers_have_their_names), cmocka_unit_test(registers_are_written_by_name),
        cmocka_unit_test(windows_have_their_ends), cmocka_unit_test(windows_are_written),
        cmocka_unit_test(private_memory_is_of_the_lane),
        cmocka_unit_test(code_is_written),         cmocka_unit_test(threads_are_lanes),
        cmocka_unit_test(faults_are_signals),           cmocka_unit_test(computes_expressions),
        cmocka_unit_test(computes_at_the_edges),   cmocka_unit_test(stack_has_its_depth),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
