/* stepper_test.c -- what `ventus run --step` shows at each place, and where its keys lead; and, at
 * places that the keys lead to, what gdb's `monitor` says there. */
#include "base/mem.h"
#include "dbg/debugger.h"
#include "link/link.h"
#include "test/kit/assemble.h"
#include "test/kit/leftover.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HEAP 0x90000000u
enum { HEAP_BYTES = 1 << 16 };

/* Odd lanes part at line 7 and meet the others at line 11; warps meet at line 13.  Line 12 is of
 * two instructions. */
static const char program[] = "_start: vid.v v1\n"
                              "\tvand.vi v2, v1, 1\n"
                              "        vmv.v.i v0, 3\n"
                              "        vmv.v.i v0, 0\n"
                              "1:      auipc t0, %pcrel_hi(3f)\n"
                              "        setrpc zero, t0, %pcrel_lo(1b)\n"
                              "        vbne v2, v0, 2f\n"
                              "        vadd.vi v255, v1, 9\n"
                              "        j 3f\n"
                              "2:      vadd.vi v3, v1, -6\n"
                              "3:      join zero, zero, 0\n"
                              "        li x63, 0x12345\n"
                              "        barrier x0, x0, 1\n"
                              "        li ra, 78   # a comment that is longer than what there is "
                              "room for on a line of the screen: 79 characters\n"
                              "        endprg\n";

/* A terminal whose user presses these keys. */
typedef struct {
    const char *keys;
    size_t at;
    Debugger *debugger;
    const char *command; /* of monitor, at the last place */
    bool no_lines;       /* nobody knows the source */
    bool again;          /* it is launched once more */
    Buf said, screen;    /* what it said; all screens */
} Terminal;

static void write_screen(void *self, const void *bytes, size_t n)
{
    buf_put(&((Terminal *)self)->screen, bytes, n);
}

static int press_key(void *self)
{
    Terminal *t = self;
    if (t->keys[t->at])
        return t->keys[t->at++];
    Lane l;
    if (t->command && lane_find(t->debugger->run, 2, &l))
        monitor(t->debugger, l, t->command, &t->said);
    return -1;
}

static Device *open_device(IsaSet set, const char *text, bool lines)
{
    DeviceOptions o = dev_defaults();
    Caught c;
    o.set = set;
    o.engine = &dbg_kind;
    Device *d = dev_open(&o);
    assert_non_null(d);
    Object *object = assemble_in(&c, text, &(AsmOptions){.set = set, .lines = lines});
    Object *image =
        link_objects((const Object *const[]){object}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    if (!image || !obj_add_source(image, "t.s", text, strlen(text)) || !dev_load(d, image, &c.d))
        fail_msg("%s", buf_text(&c.text));
    obj_free(object);
    buf_free(&c.text);
    memory_map(dev_memory(d), HEAP, HEAP_BYTES, MEM_R | MEM_W);
    return d;
}

static DevResult run(Terminal *t, const char *text, bool colours, u32 warps, u32 lanes)
{
    DevResult r;
    Device *d = open_device(V202, text, !t->no_lines);
    t->debugger = dbg_step(&(DbgScreen){t, colours, write_screen, press_key});
    assert_non_null(t->debugger);
    dbg_attach(t->debugger, d);
    for (int i = 0; i < 1 + t->again; i++)
        dev_launch(d,
                   &(DevLaunch){.kernel = "k",
                                .knl = HEAP + 0x8000,
                                .groups = {2, 1, 1},
                                .warps = warps,
                                .lanes = lanes,
                                .sgprs = 64,
                                .vgprs = 256,
                                .pds = HEAP + HEAP_BYTES / 2,
                                .pds_lane = 64,
                                .pds_size = HEAP_BYTES / 2},
                   &r);
    dbg_close(t->debugger, 0);
    dev_close(d);
    return r;
}

static void drop(Terminal *t)
{
    buf_free(&t->said);
    buf_free(&t->screen);
}

/* the screens that one after the other follow keys, for as many as there are */
static const char *last_screen(const Terminal *t)
{
    const char *last = buf_text(&t->screen);
    for (const char *at = last; (at = strstr(at, "--\n")) && at[3]; last = at)
        at += 3;
    return last;
}

static void expect_screen(const char *text, u32 warps, u32 lanes, const char *keys,
                          const char *want)
{
    Terminal t = {.keys = keys};
    run(&t, text, false, warps, lanes);
    if (strcmp(last_screen(&t), want))
        fail_msg("after '%s':\n%swanted:\n%s", keys, last_screen(&t), want);
    drop(&t);
}

#define KEYS "[s]tep [n]ext line [b]ack [B]ack a line [w]arp [c]ontinue [q]uit\n--\n"

/* By the doc/isa.md's rules of branches: the lanes that branch go first. */
static void shows_a_warp(void **state)
{
    (void)state;
    expect_screen(program, 3, 4, "",
                  "k  group 0,0,0  warp 0 of 3  instruction 0\n"
                  "t.s:1\n"
                  ">   1  _start: vid.v v1\n"
                  "    2   vand.vi v2, v1, 1\n"
                  "    3          vmv.v.i v0, 3\n"
                  "    4          vmv.v.i v0, 0\n"
                  "=> 0x80000000  vid.v v1\n"
                  "   0x80000004  vand.vi v2, v1, 1\n"
                  "   0x80000008  vmv.v.i v0, 3\n"
                  "lane     0123\n"
                  "active   xxxx\n" KEYS);
    expect_screen(program, 3, 4, "sss",
                  "k  group 0,0,0  warp 0 of 3  instruction 3\n"
                  "t.s:4\n"
                  "    1  _start: vid.v v1\n"
                  "    2   vand.vi v2, v1, 1\n"
                  "    3          vmv.v.i v0, 3\n"
                  ">   4          vmv.v.i v0, 0\n"
                  "    5  1:      auipc t0, %pcrel_hi(3f)\n"
                  "    6          setrpc zero, t0, %pcrel_lo(1b)\n"
                  "    7          vbne v2, v0, 2f\n"
                  "=> 0x8000000c  vmv.v.i v0, 0\n"
                  "   0x80000010  auipc t0, 0\n"
                  "   0x80000014  setrpc zero, t0, 28\n"
                  "lane     0123\n"
                  "active   xxxx\n"
                  "changed  v0   3 3 3 3\n" KEYS);
    expect_screen(program, 3, 4, "sssssss",
                  "k  group 0,0,0  warp 0 of 3  instruction 7\n"
                  "t.s:10\n"
                  "    7          vbne v2, v0, 2f\n"
                  "    8          vadd.vi v255, v1, 9\n"
                  "    9          j 3f\n"
                  ">  10  2:      vadd.vi v3, v1, -6\n"
                  "   11  3:      join zero, zero, 0\n"
                  "   12          li x63, 0x12345\n"
                  "   13          barrier x0, x0, 1\n"
                  "=> 0x80000028  vadd.vi v3, v1, -6\n"
                  "   0x8000002c  join zero, zero, 0\n"
                  "   0x80000030  regext zero, zero, 1\n"
                  "lane     0123\n"
                  "active   .x.x\n"
                  "waiting  x.x.  then to 0x8000001c\n"
                  "         xxxx  meet at 0x8000002c\n" KEYS);
}

/* Rows of keys, a line that the last screen has then, and one that it lacks (or NULL). */
typedef struct {
    const char *keys, *has, *lacks;
} Row;

static void expect_rows(const char *text, u32 warps, u32 lanes, const Row *rows, size_t n)
{
    for (const Row *r = rows; r < rows + n; r++) {
        Terminal t = {.keys = r->keys};
        run(&t, text, false, warps, lanes);
        if (!strstr(last_screen(&t), r->has) || (r->lacks && strstr(last_screen(&t), r->lacks)))
            fail_msg("after '%s' no %s, or %s:\n%s", r->keys, r->has, r->lacks ? r->lacks : "-",
                     last_screen(&t));
        drop(&t);
    }
}

static void shows_what_changed(void **state)
{
    static const Row rows[] = {
        {"s", "changed  v1   - 1 2 3\n[s]", NULL},
        {"sss ", "active   xxxx\nchanged  v0   0 0 0 0\n[s]", NULL},
        {"sssss", "active   xxxx\nchanged  x5   0x80000010, was 0x00000000\n[s]", NULL},
        {"sssssss\n", "changed  v3   - fffffffb - fffffffd\n[s]", NULL},
        {"nnnnnnnnnn",
         "active   x.x.\nwaiting  xxxx  meet at 0x8000002c\nchanged  v255 9 - b -\n[s]", "then to"},
        {"nnnnnnnnnnnn", ">  12", "waiting"},
        {"nnnnnnnnnnnnn", "changed  x63  0x00012345, was 0x00012000\n[s]", NULL},
        {"nnnnnnnnnnnnnb", "instruction 14\n", "changed"}, /* not known of the way back */
        {"sb", "warp 0 of 3  instruction 0\n", "changed"},
        {"sw", "warp 1 of 3  instruction 1\n", "changed"}, /* what is shown has not stepped */
        {"swww", "warp 0 of 3  instruction 1\n", "changed"},
        {"ssx", "instruction 2\n", "instruction 3"}, /* no key */
    };
    (void)state;
    expect_rows(program, 3, 4, rows, countof(rows));
}

/* One warp for each group: the second group does not continue the registers of the first. */
static void shows_no_change_between_groups(void **state)
{
    static const Row rows[] = {
        {"nnnnnnnnnnnnnn", ">  14  ", NULL},
        {"nnnnnnnnnnnnnnn", "changed  x1   0x0000004e, was 0x00000000\n", NULL},
        {"nnnnnnnnnnnnnnnn", "k  group 1,0,0  warp 0 of 1", "changed"},
    };
    (void)state;
    expect_rows(program, 1, 4, rows, countof(rows));
}

static void moves(void **state)
{
    static const Row rows[] = {
        {"w", "warp 1 of 3  instruction 0\n", NULL},
        {"ww", "warp 2 of 3  instruction 0\n", NULL},
        {"www", "warp 0 of 3  instruction 0\n", NULL},
        {"wsw", "warp 2 of 3  instruction 1\n", NULL},
        {"nnnnnnnnnnnnnn", "warp 1 of 3", NULL}, /* the first waits at the barrier, */
        {"nnnnnnnnnnnnnnw", "warp 2 of 3", NULL},
        {"nnnnnnnnnnnnnnww", "warp 1 of 3", NULL}, /* and is no choice */
        {"wwnnnnnnnnnnnnnnw", "warp 1 of 3", NULL},
        {"nnnnnnnnnnnnB", ">  11  ", "changed"},
        {"nnnnnnnnnnnnnB", "instruction 14\n", NULL}, /* to the last instruction of the line */
        {"nnnnnnnnnnnnnBB", ">  11  ", NULL},
        {"nnnnnnnnnnnnnB", "=> 0x80000038", NULL},
        {"nnnnnnnnnnnnnb", "instruction 14\n", NULL},
        {"nnnnnnnnnnnnnbb", "instruction 13\n", NULL},
        {"nnnnnnnnnnnnnnB", "warp 0 of 3  instruction 15\n", NULL}, /* where another warp ran */
        {"nB", "instruction 0\n", NULL},
        {"bBs", "instruction 1\n", NULL}, /* there is nothing before the start */
        {"nnnnbbbb", "instruction 0\n", NULL},
        {"nnnnbbb", "instruction 1\n", NULL},
    };
    (void)state;
    expect_rows(program, 3, 4, rows, countof(rows));
}

static void ends(void **state)
{
    static const struct {
        const char *keys;
        bool stopped;
        int screens;
    } rows[] = {{"", false, 1}, {"c", false, 1}, {"ssc", false, 3},
                {"q", true, 1}, {"sq", true, 2}, {"sqs", true, 2}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Terminal t = {.keys = rows[i].keys};
        const DevResult r = run(&t, program, false, 1, 4);
        int n = 0;
        for (const char *at = buf_text(&t.screen); (at = strstr(at, "\n--\n")); at++)
            n++;
        assert_int_equal(r.run.faulted, rows[i].stopped);
        assert_int_equal(r.run.fault.kind, rows[i].stopped ? FAULT_STOPPED : FAULT_NONE);
        assert_int_equal(n, rows[i].screens);
        drop(&t);
    }
    /* what follows runs freely, whichever way the first launch was let go */
    for (size_t i = 0; i < countof(rows); i++) {
        Terminal t = {.keys = rows[i].keys, .again = true};
        const DevResult r = run(&t, program, false, 1, 4);
        int n = 0;
        for (const char *at = buf_text(&t.screen); (at = strstr(at, "\n--\n")); at++)
            n++;
        assert_false(r.run.faulted);
        assert_int_equal(n, rows[i].screens);
        drop(&t);
    }
    /* steps to the end of the launch end it, too: no screen has instruction 2 * 18 */
    Terminal t = {.keys = "ssssssssssssssssssssssssssssssssssssssssssssssssss"};
    assert_false(run(&t, program, false, 1, 4).run.faulted);
    assert_non_null(strstr(last_screen(&t), "k  group 1,0,0  warp 0 of 1"));
    assert_non_null(strstr(last_screen(&t), ">  15          endprg\n"));
    drop(&t);
}

/* A launch that has faulted is looked at and gone back from, nothing else. */
static void shows_a_fault(void **state)
{
    static const char faults[] = "_start: li t0, 64\n"
                                 "        li t1, 1\n"
                                 "        lw t2, 0(t0)\n"
                                 "        endprg\n";
    static const Row rows[] = {
        {"sss", "active   xxxx  faulted\n[b]ack [q]uit\n", "[s]tep"},
        {"wsss", "k  group 0,0,0  warp 1 of 2  instruction 2\n", "[s]tep"},
        {"ssssnw", "instruction 2\n", "[s]tep"},
        {"sssb", "instruction 1\n", "faulted"},
        {"sssbs", "instruction 2\n", "faulted"},
        {"sssbss", "instruction 2\n", "[s]tep"},
    };
    (void)state;
    expect_rows(faults, 2, 4, rows, countof(rows));
}

/* Every row fits 79 columns, and every lane has its digit. */
static void keeps_to_the_screen(void **state)
{
    static const Row rows[] = {
        {"",
         "lane     0123456789abcdefghijklmnopqrstuv\nactive   xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
         NULL},
        {"s", "changed  v1   - 1 2 3 4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15 16 17 18 19 1a \n",
         NULL},
        {"nnnnnnnnnnnnn",
         "    14          li ra, 78   # a comment that is longer than what there is room f\n" + 1,
         NULL},
    };
    (void)state;
    expect_rows(program, 1, 32, rows, countof(rows));
}

/* Four sides at most, the nearest first. */
static void shows_sides_that_wait(void **state)
{
    static const char nested[] = "_start: vid.v v1\n"
                                 "        vmv.v.i v0, 0\n"
                                 "1:      auipc t0, %pcrel_hi(9f)\n"
                                 "        setrpc zero, t0, %pcrel_lo(1b)\n"
                                 "        vand.vi v2, v1, 1\n"
                                 "        vbne v2, v0, 2f\n"
                                 "        j 9f\n"
                                 "2:      vand.vi v2, v1, 2\n"
                                 "        vbne v2, v0, 3f\n"
                                 "        j 9f\n"
                                 "3:      vand.vi v2, v1, 4\n"
                                 "        vbne v2, v0, 4f\n"
                                 "        j 9f\n"
                                 "4:      nop\n"
                                 "9:      join zero, zero, 0\n"
                                 "        endprg\n";
    (void)state;
    expect_rows(nested, 1, 8,
                &(Row){"ssssssssss",
                       "active   .......x\n"
                       "waiting  ...x....  then to 0x80000030\n"
                       "         ...x...x  meet at 0x80000038\n"
                       "         .x...x..  then to 0x80000024\n"
                       "         .x.x.x.x  meet at 0x80000038\n[s]",
                       NULL},
                1);
}

static void colours_the_screen(void **state)
{
    (void)state;
    Terminal t = {.keys = "s"};
    run(&t, program, true, 1, 4);
    static const char begins[] =
        "\033[H\033[2J\033[7mk  group 0,0,0  warp 0 of 1  instruction 0\033[0m\n"
        "t.s:1\n"
        "\033[7m>   1  _start: vid.v v1\033[0m\n"
        "    2   vand.vi v2, v1, 1\n";
    assert_memory_equal(buf_text(&t.screen), begins, strlen(begins));
    assert_non_null(
        strstr(buf_text(&t.screen),
               "[q]uit\n\033[H\033[2J\033[7mk  group 0,0,0  warp 0 of 1  instruction 1\033[0m\n"));
    assert_non_null(strstr(buf_text(&t.screen), "\nchanged  v1   - 1 2 3\n[s]"));
    assert_null(strstr(buf_text(&t.screen), "--\n"));
    drop(&t);
}

/* Without a source the steps are the same, and a line is all that there is. */
static void shows_code_without_source(void **state)
{
    (void)state;
    Terminal t = {.keys = "ss", .no_lines = true};
    run(&t, program, false, 1, 4);
    assert_string_equal(last_screen(&t), "k  group 0,0,0  warp 0 of 1  instruction 2\n"
                                         "no source is known\n"
                                         "=> 0x80000008  vmv.v.i v0, 3\n"
                                         "   0x8000000c  vmv.v.i v0, 0\n"
                                         "   0x80000010  auipc t0, 0\n"
                                         "lane     0123\n"
                                         "active   xxxx\n"
                                         "changed  v2   - 1 - 1\n" KEYS);
    drop(&t);
}

/* --- what monitor says at such a place: of lane 1 of warp 0, where the odd lanes have branched
 * ---------------------- */

static void expect_said(const char *keys, const char *command, const char *want)
{
    Terminal t = {.keys = keys, .command = command};
    run(&t, program, false, 3, 4);
    if (strcmp(buf_text(&t.said), want))
        fail_msg("%s:\n%swanted:\n%s", command, buf_text(&t.said), want);
    drop(&t);
}

static void monitor_says(void **state)
{
    static const char parted[] = "sssssss";
    static const struct {
        const char *keys, *command, *said;
    } rows[] = {
        {parted, "stack",
         "x.x.  goes on at 0x8000001c _start+0x1c (t.s:8)\n"
         "xxxx  goes on at 0x8000002c _start+0x2c (t.s:11), the join\n"},
        {"", "stack", "the warp is not divided\n"},
        {parted, "mask", ".x.x 0x0000000a, lane 0 on the left\n"},
        {parted, "groups",
         "k: 2x1x1 groups of 3 warps of 4 lanes; group 0,0,0 runs, 0 before it have ended\n"},
        {parted, "history", "instruction 7 of the launch; 7 were reached; there is a way back\n"},
        {"ssssbbb", "history",
         "instruction 1 of the launch; 4 were reached; there is a way back\n"},
        {"sb", "history", "instruction 0 of the launch; 1 were reached; this is the start\n"},
        {parted, "warps",
         "* 0 .x.x ready        0x80000028 _start+0x28 (t.s:10)\n"
         "  1 xxxx ready        0x80000000 _start+0x0 (t.s:1)\n"
         "  2 xxxx ready        0x80000000 _start+0x0 (t.s:1)\n"},
        {"nnnnnnnnnnnnnn", "warps",
         "* 0 xxxx at a barrier 0x80000044 _start+0x44 (t.s:14)\n"
         "  1 xxxx ready        0x80000000 _start+0x0 (t.s:1)\n"
         "  2 xxxx ready        0x80000000 _start+0x0 (t.s:1)\n"},
        {parted, "where",
         "group 0,0,0 warp 0 lane 1\n"
         "0x80000028 _start+0x28 (t.s:10)\n"
         "at t.s:10:9\n"
         "    2:      vadd.vi v3, v1, -6\n"},
        {"nnnnnnnnn", "where",
         "group 0,0,0 warp 0 lane 1, inactive\n"
         "0x8000002c _start+0x2c (t.s:11)\n"
         "at t.s:11:9\n"
         "    3:      join zero, zero, 0\n"},
        {parted, "lanes",
         "  0 . 0x8000001c _start+0x1c (t.s:8)  group 0,0,0 warp 0 lane 0, inactive\n"
         "* 1 x 0x80000028 _start+0x28 (t.s:10)  group 0,0,0 warp 0 lane 1\n"
         "  2 . 0x8000001c _start+0x1c (t.s:8)  group 0,0,0 warp 0 lane 2, inactive\n"
         "  3 x 0x80000028 _start+0x28 (t.s:10)  group 0,0,0 warp 0 lane 3\n"},
        {"nnnnnnnnnn", "lanes v255",
         "  0 x 0x00000009 9\n* 1 . 0x00000000 0\n  2 x 0x0000000b 11\n  3 . 0x00000000 0\n"},
        {"nnnnnnnnnn", "lanes   v3",
         "  0 x 0x00000000 0\n* 1 . 0xfffffffb -5\n  2 x 0x00000000 0\n  3 . 0xfffffffd -3\n"},
        {parted, "disassemble 1", "=> 0x80000028  vadd.vi v3, v1, -6\n"},
        {parted, "disassemble 3",
         "=> 0x80000028  vadd.vi v3, v1, -6\n"
         "   0x8000002c  join zero, zero, 0\n"
         "   0x80000030  regext zero, zero, 1\n"},
        {"sss", "disassemble",
         "=> 0x8000000c  vmv.v.i v0, 0\n"
         "   0x80000010  auipc t0, 0\n"
         "   0x80000014  setrpc zero, t0, 28\n"
         "   0x80000018  vbne v2, v0, 0x80000028 <_start+0x28>\n"
         "   0x8000001c  regext zero, zero, 7\n"
         "   0x80000020  vadd.vi v31, v1, 9\n"
         "   0x80000024  j 0x8000002c <_start+0x2c>\n"
         "   0x80000028  vadd.vi v3, v1, -6\n"},
        {parted, "ma", ".x.x 0x0000000a, lane 0 on the left\n"},
        {parted, "maskx", "no command 'maskx'; monitor help lists them\n"},
        {parted, "x", "no command 'x'; monitor help lists them\n"},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++)
        expect_said(rows[i].keys, rows[i].command, rows[i].said);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(shows_a_warp),
        cmocka_unit_test(shows_what_changed),
        cmocka_unit_test(shows_no_change_between_groups),
        cmocka_unit_test(moves),
        cmocka_unit_test(ends),
        cmocka_unit_test(shows_a_fault),
        cmocka_unit_test(keeps_to_the_screen),
        cmocka_unit_test(shows_sides_that_wait),
        cmocka_unit_test(colours_the_screen),
        cmocka_unit_test(shows_code_without_source),
        cmocka_unit_test(monitor_says),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
