/* jit_linear_test.c -- rows that host code knows as a constant row plus a scalar: places of work-items in
 * groups of every shape, and what is computed of them, against the interpreter.  JIT_TEST_SEED is the
 * number of the first random program, JIT_TEST_COUNT how many there are; an argument chooses a test.
 */
#include "test/kit/twins.h"
#include <stdlib.h>

enum {
    ROWS = 14,
    SCALARS = 20,
    LEFT = 2048
}; /* v1.. and x12.. of a program; bytes that a warp leaves */

/* x5: the metadata, x6, x7: local sizes along x and y, x8: their product, x9: the warp's first work-item;
 * v1: numbers of work-items, v2: lines, v3: places in lines, v4: v2 modulo x7; x10: DATA, x11: where the
 * warp leaves what it has, v14: there, a word a lane. */
static void begin_places(void)
{
    no_text();
    line("csrr x5,knl");
    line("lw x6,24(x5)");
    line("lw x7,28(x5)");
    line("mul x8,x6,x7");
    line("csrr x9,tid");
    line("vid.v v1");
    line("vadd.vx v1,v1,x9");
    line("vdivu.vx v2,v1,x%u", one_in(4) ? 8 : 6);
    if (one_in(2)) {
        line("vremu.vx v3,v1,x6");
    } else {
        line("vmv.v.v v3,v1");
        line("vnmsac.vx v3,x6,v2");
    }
    line("vremu.vx v4,v2,x7");
    line("li x10,%#x", DATA);
    line("csrr x11,wid");
    line("csrr x12,wgid");
    line("csrr x13,numw");
    line("mul x12,x12,x13");
    line("add x11,x11,x12");
    line("li x12,%d", LEFT);
    line("mul x11,x11,x12");
    line("li x12,%#x", DATA + OUT);
    line("add x11,x11,x12");
    line("vid.v v14");
    line("vsll.vi v14,v14,2");
    line("vadd.vx v14,v14,x11");
    for (u32 n = 12; n < SCALARS; n++)
        line(one_in(2) ? "li x%u,%d" : "lw x%u,%d(x10)", n, (int)below(9) * 4);
    for (u32 n = 5; n < ROWS; n++)
        line("vmv.v.v v%u,v%u", n, 1 + below(4));
}

/* Runs the text on both; whether it faults. */
static bool faults(const Shape *s, u64 number)
{
    Twins t = twins_open("jit", 64);
    twins_load(&t);
    const bool faulted = twins_run(&t, s, number).run.faulted;
    twins_close(&t);
    return faulted;
}

static void end_places(void)
{
    for (u32 n = 1; n < ROWS; n++)
        line("vsw12.v v%u,%u(v14)", n, 128 * n);
    line("endprg x0,x0,x0");
}

/* A load whose address is a place, times 4, plus scalars: within DATA. */
static void load_at_place(void)
{
    static const char *const loads[] = {"vlw12.v", "vlw12.v", "vlh12.v", "vlbu12.v"};
    const u32 place = 1 + below(4), to = 5 + below(ROWS - 5);
    if (one_in(4)) { /* from what is known only when the program runs, besides a place */
        line("vlbu12.v v0,%u(v14)", 4 * below(16));
        line("vsll.vi v0,v0,%u", below(4));
        line(one_in(2) ? "vadd.vv v0,v0,v%u" : "vadd.vv v0,v%u,v0", place);
    } else {
        line("vsll.vi v0,v%u,%u", place, below(5));
    }
    if (one_in(2))
        line("vadd.vx v0,v0,x10");
    else
        line("vadd.vx v0,v0,x%u\n vadd.vx v0,v0,x10", 6 + below(2));
    if (one_in(3)) {
        line("vsub.vx v0,v0,x10");
        line("vloxei32.v v%u,(x10),v0", to);
        return;
    }
    for (u32 n = 1 + below(3); n > 0; n--)
        line("%s v%u,%u(v0)", PICK(loads), 5 + below(ROWS - 5), 4 * below(5));
}

static void place_statement(u32 depth)
{
    static const char *const vv[] = {"vadd.vv", "vsub.vv",  "vmul.vv",  "vand.vv",  "vor.vv",
                                     "vxor.vv", "vmslt.vv", "vmseq.vv", "vmaxu.vv", "vsll.vv"};
    static const char *const vx[] = {"vadd.vx",  "vsub.vx", "vrsub.vx", "vmul.vx",  "vmslt.vx",
                                     "vmsne.vx", "vand.vx", "vdivu.vx", "vremu.vx", "vsrl.vx"};
    static const char *const vi[] = {"vadd.vi",  "vsll.vi",  "vsrl.vi",
                                     "vrsub.vi", "vmsgt.vi", "vmul.vx"};
    static const char *const three[] = {"vmacc", "vnmsac", "vmadd", "vnmsub"};
    const u32 d = 5 + below(ROWS - 5), a = 1 + below(ROWS - 1), b = 1 + below(ROWS - 1),
              x = one_in(3) ? 6 + below(4) : 12 + below(SCALARS - 12);
    switch (below(depth ? 9 : 13)) {
    case 0: line("%s v%u,v%u,v%u", PICK(vv), d, a, b); break;
    case 1: line("%s v%u,v%u,x%u", PICK(vx), d, a, x); break;
    case 2: {
        const char *op = PICK(vi);
        line("%s v%u,v%u,%s%u", op, d, a, strchr(op, 'x') ? "x" : "", 12 + below(4));
        break;
    }
    case 3: line("%s.vx v%u,x%u,v%u", PICK(three), d, x, a); break;
    case 4: line("%s.vv v%u,v%u,v%u", PICK(three), d, a, b); break;
    case 5: line(one_in(2) ? "vmv.v.v v%u,v%u" : "vmv.v.x v%u,x%u", d, a); break;
    case 6: line("vmv.v.i v%u,%d", d, (int)below(32) - 16); break;
    case 7:
    case 8: load_at_place(); break;
    case 9: {
        const u32 l = gen.labels++;
        set_meeting(l);
        line("%s v%u,v%u,.Le%u", divergent_branch(), a, b, l);
        for (u32 i = below(4); i > 0; i--)
            place_statement(1);
        if (one_in(2)) {
            line("j .Lm%u", l);
            label(".Le%u", l);
            for (u32 i = below(3); i > 0; i--)
                place_statement(1);
        } else {
            label(".Le%u", l);
        }
        label(".Lm%u", l);
        line("join x0,x0,0");
        break;
    }
    case 10: {
        const u32 l = gen.labels++;
        line("li x28,%u", 1 + below(4));
        label(".Lt%u", l);
        for (u32 i = 1 + below(5); i > 0; i--) {
            place_statement(1);
            if (one_in(8))
                line("barrier x0,x0,0");
        }
        line("addi x28,x28,-1");
        line("bnez x28,.Lt%u", l);
        break;
    }
    case 11: line("barrier x0,x0,0"); break;
    default: line("add x%u,x%u,x%u", 12 + below(SCALARS - 12), 12 + below(SCALARS - 12), x);
    }
}

/* Groups of one line and of several, of powers of two and others, that fill the last warp or do not. */
static Shape random_shape(u64 number)
{
    static const u32 along[] = {1, 2, 3, 4, 5, 8, 8, 12, 16, 16, 24, 32, 32, 32, 48, 64, 64, 96};
    enum { WARPS = 12 };
    Shape s = {.lanes = 4u << below(4), .memory = number};
    while (!s.along || s.along > WARPS * s.lanes)
        s.along = PICK(along);
    s.items = s.along * (1 + below(WARPS * s.lanes / s.along));
    s.warps = (s.items + s.lanes - 1) / s.lanes;
    return s;
}

static void places_and_more(void **state)
{
    const Programs all = programs_to_try(40);
    (void)state;
    for (u64 n = all.first; n < all.end; n++) {
        gen_begin(n);
        const Shape s = random_shape(n);
        begin_places();
        for (u32 i = 4 + below(16); i > 0; i--)
            place_statement(0);
        end_places();
        if (faults(&s, n))
            fail_msg("program %llu faults", (unsigned long long)n);
    }
    buf_free(&gen.text);
}

/* What a program does of which all is compiled, and of which only what is before its first division: */
static void expect_compiled(const Shape *s, const char *before, bool all)
{
    gen_begin(1);
    begin_places();
    const size_t head = (size_t)(strstr(buf_text(&gen.text), "lw x6") - buf_text(&gen.text));
    Buf rest = {0};
    buf_str(&rest, buf_text(&gen.text) + head);
    gen.text.len = head;
    gen.text.data[head] = 0;
    line("%s", before);
    buf_str(&gen.text, buf_text(&rest));
    buf_free(&rest);
    end_places();
    Twins t = twins_open("jit", 64);
    twins_load(&t);
    assert_false(twins_run(&t, s, 1).run.faulted);
    const JitStats stats = twins_close(&t);
    if ((stats.compiled == stats.insns) != all)
        fail_msg("lines of %u in warps of %u, \"%s\": %llu of %llu instructions were compiled",
                 s->along, s->lanes, before, (unsigned long long)stats.compiled,
                 (unsigned long long)stats.insns);
    buf_free(&gen.text);
}

/* A program that finds another local size than its launch has: host code made for lines of that leaves the division
 * to the interpreter; code that is made for any size does not. */
static void sizes_that_change(void **state)
{
    static const struct {
        u32 lanes, along, items;
        const char *before;
        bool all;
    } rows[] = {
        /* lines of a warp, of several, of half of one, and of others */
        {8, 8, 32, "nop", true},
        {8, 32, 64, "nop", true},
        {8, 4, 32, "nop", true},
        {8, 3, 24, "nop", true},
        {8, 8, 32, "li x12,16\n sw x12,24(x5)", true}, /* is a multiple, too */
        {8, 8, 32, "li x12,12\n sw x12,24(x5)", false},
        {8, 8, 32, "li x12,4\n sw x12,24(x5)", false},
        {8, 8, 32, "sw x0,24(x5)", true}, /* what is divided by 0 is one value, too */
        {8, 4, 32, "li x12,8\n sw x12,24(x5)", false},
        {8, 4, 32, "li x12,2\n sw x12,24(x5)", false},
        {8, 4, 32, "sw x0,24(x5)", false},
        {8, 3, 24, "li x12,8\n sw x12,24(x5)", true},
        /* groups of one line, whose last warp may have few lanes */
        {8, 32, 32, "nop", true},
        {8, 27, 27, "nop", true},
        {8, 3, 3, "nop", true},
        {8, 27, 27, "li x12,28\n sw x12,24(x5)", true},
        {8, 27, 27, "li x12,26\n sw x12,24(x5)", false},
        {8, 32, 32, "li x12,31\n sw x12,24(x5)", false},
        {8, 32, 32, "sw x0,24(x5)", false},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        const Shape s = {.lanes = rows[i].lanes,
                         .items = rows[i].items,
                         .along = rows[i].along,
                         .warps = (rows[i].items + rows[i].lanes - 1) / rows[i].lanes,
                         .memory = 1};
        expect_compiled(&s, rows[i].before, rows[i].all);
    }
}

/* Divisions in sides that code makes within the block with the branch, where nobody may leave a region: by the size
 * that a launch has, and by another one. */
static void sides_that_divide(void **state)
{
    static const char *const branches[] = {"vbeq", "vbne", "vblt", "vbge"};
    (void)state;
    for (u32 i = 0; i < 4 * countof(branches); i++) {
        const Shape s = {.lanes = 8, .items = 32, .along = i & 8 ? 4 : 8, .warps = 4, .memory = 1};
        no_text();
        line("csrr x5,knl");
        if (i & 4)
            line("li x12,%u\n sw x12,24(x5)", i & 8 ? 3 : 12);
        line("lw x6,24(x5)");
        line("csrr x9,tid");
        line("vid.v v1");
        line("vadd.vx v2,v1,x9");
        line("li x11,%#x", DATA + OUT);
        line("vsll.vi v3,v2,2");
        line("vadd.vx v3,v3,x11");
        line("vmv.v.i v4,3");
        line("vmv.v.i v5,7");
        set_meeting(0);
        line("%s v1,v4,.Le0", branches[i % 4]);
        line("vremu.vx v7,v2,x6"); /* needed by no other lanes */
        line("vadd.vi v5,v7,1");
        line("j .Lm0");
        label(".Le0");
        if (i & 1)
            line("vdivu.vx v7,v2,x6\n vadd.vi v5,v7,2");
        label(".Lm0");
        line("join x0,x0,0");
        line("vsw12.v v5,0(v3)");
        line("endprg x0,x0,x0");
        assert_false(faults(&s, i));
    }
    buf_free(&gen.text);
}

/* v1: numbers of work-items, v2: their lines, v3: their places in these */
static void find_places(void)
{
    line("csrr x5,knl");
    line("lw x6,24(x5)");
    line("csrr x9,tid");
    line("vid.v v1");
    line("vadd.vx v1,v1,x9");
    line("vdivu.vx v2,v1,x6");
    line("vremu.vx v3,v1,x6");
}

/* Ends a program that leaves a word of each work-item (v1), from where x11 says on. */
static void leave_row(u32 row)
{
    line("vsll.vi v6,v1,2");
    line("vadd.vx v6,v6,x11");
    line("vsw12.v v%u,0(v6)", row);
    line("endprg x0,x0,x0");
}

/* x14: how far each of eight groups is from the last one, which begins at 0. */
static void begin_group(void)
{
    line("csrr x14,wgid");
    line("addi x14,x14,-7");
    line("slli x14,x14,6");
}

/* Ends a program that leaves a row of each such group, one behind the other. */
static void leave_row_of_group(u32 row)
{
    line("li x11,%#x", DATA + OUT);
    line("slli x14,x14,1");
    line("sub x11,x11,x14");
    leave_row(row);
}

/* Accesses of two lines of half a warp, or of two addresses, of which one goes over the end of memory by some bytes, or does
 * not: by the last of eight groups, when the others have found the range that it goes over. */
static void lines_at_the_end(void **state)
{
    static const struct {
        const char *text;
        u32 width;
        bool one;
    } accesses[] = {
        {"vlw12.v v5,0(v3)", 4, false},  {"vsw12.v v2,0(v3)", 4, false},
        {"vlbu12.v v5,0(v3)", 1, false}, {"vsh12.v v2,0(v3)", 2, false},
        {"vlw12.v v5,0(v4)", 4, true},   {"vlh12.v v5,0(v4)", 2, true},
    };
    const Shape s = {.lanes = 32, .items = 32, .along = 16, .warps = 1, .memory = 1};
    (void)state;
    for (u32 i = 0; i < countof(accesses); i++)
        for (u32 last = 0; last < 2; last++)
            for (i32 over = -4; over <= 8; over += 4) {
                const u32 width = accesses[i].width, bytes = accesses[i].one ? width : 16 * width;
                const u32 end = DATA + DATA_BYTES - bytes + (u32)over, other = DATA + 0x4000;
                no_text();
                find_places();
                line("li x12,%#x", last ? end - other : other - end);
                line("li x13,%#x", last ? other : end);
                begin_group();
                line("add x13,x13,x14");
                line("vmul.vx v4,v2,x12");
                line("vadd.vx v4,v4,x13");
                line("vsll.vi v3,v3,%u", (u32)__builtin_ctz(width));
                line("vadd.vv v3,v3,v4");
                line("vmv.v.i v5,0");
                line("%s", accesses[i].text);
                leave_row_of_group(5);
                assert_int_equal(faults(&s, i), over > 0);
            }
    buf_free(&gen.text);
}

/* Lanes at known distances from the first, up or down, of which the lowest goes over the beginning of memory by some bytes or
 * the highest over its end, or does not: by the last of eight groups, when the others have found the range. */
static void lanes_at_the_ends(void **state)
{
    static const struct {
        const char *text;
        u32 width;
    } accesses[] = {
        {"vlw12.v v5,0(v3)", 4}, {"vlhu12.v v5,0(v3)", 2}, {"vlb12.v v5,0(v3)", 1},
        {"vsw12.v v2,0(v3)", 4}, {"vsh12.v v2,0(v3)", 2},  {"vsb12.v v2,0(v3)", 1},
    };
    static const i32 steps[] = {12, -12, 68, -36, -4, 8};
    const Shape s = {.lanes = 32, .items = 32, .along = 32, .warps = 1, .memory = 1};
    (void)state;
    for (u32 i = 0; i < countof(accesses) * countof(steps) * 6; i++) {
        const u32 n = i / 6 % countof(accesses), width = accesses[n].width;
        const bool at_end = i & 1;
        const i32 over = 4 * (i32)(i / 2 % 3) - 4, step = steps[i / 6 / countof(accesses)];
        const u32 span = 31 * (u32)(step < 0 ? -step : step);
        const u32 low = at_end ? DATA + DATA_BYTES - width - span + (u32)over : KNL - (u32)over;
        no_text();
        begin_group();
        line("li x12,%#x", step < 0 ? low + span : low);
        line(at_end ? "add x12,x12,x14" : "sub x12,x12,x14");
        line("li x13,%d", step);
        line("vid.v v1");
        line("vmul.vx v3,v1,x13");
        line("vadd.vx v3,v3,x12");
        line("vadd.vi v2,v1,5");
        line("vmv.v.i v5,0");
        line("%s", accesses[n].text);
        leave_row_of_group(5);
        if (faults(&s, i) != (over > 0))
            fail_msg("%s, step %d, %s by %d", accesses[n].text, step,
                     at_end ? "over the end" : "before the beginning", over);
    }
    buf_free(&gen.text);
}

/* What looks like the rest of a division by the size of lines, and is not, or is. */
static void rests(void **state)
{
    static const char *const texts[] = {
        "vnmsac.vx v7,x6,v2",
        "vadd.vi v8,v2,1\n vnmsac.vx v7,x6,v8",
        "li x12,8\n vnmsac.vx v7,x12,v2",
        "vadd.vi v7,v7,1\n vnmsac.vx v7,x6,v2",
        "vid.v v7\n vnmsac.vx v7,x6,v2",
        "vnmsac.vx v7,x6,v2\n vnmsac.vx v7,x6,v2",
        "vdivu.vx v2,v7,x6\n vmv.v.i v8,1\n vnmsac.vx v7,x6,v8",
    };
    (void)state;
    for (u32 i = 0; i < 3 * countof(texts); i++) {
        const Shape s = {
            .lanes = 32, .items = 64, .along = 8u << i / countof(texts), .warps = 2, .memory = 1};
        no_text();
        find_places();
        line("vmv.v.v v7,v1");
        line("%s", texts[i % countof(texts)]);
        line("li x11,%#x", DATA + OUT);
        leave_row(7);
        assert_false(faults(&s, i));
    }
    buf_free(&gen.text);
}

/* Rows that begin a round with one scalar for all lanes and end it with one for each line, or the other way. */
static void lines_in_rounds(void **state)
{
    static const char *const rounds[] = {
        "vadd.vv v7,v7,v2", "vadd.vx v7,v3,x28", "vmv.v.v v7,v2",
        "vmv.v.x v7,x28",   "vadd.vv v7,v7,v3",  "vsub.vv v7,v2,v7",
    };
    (void)state;
    for (u32 i = 0; i < 4 * countof(rounds); i++) {
        static const char *const firsts[] = {"vmv.v.v v7,v3", "vmv.v.v v7,v2", "vmv.v.x v7,x6",
                                             "vadd.vv v7,v2,v3"};
        const Shape s = {.lanes = 32, .items = 64, .along = 16, .warps = 2, .memory = 1};
        no_text();
        find_places();
        line("%s", firsts[i / countof(rounds)]);
        line("vmv.v.i v8,0");
        line("li x28,4");
        label(".Lt");
        line("vmul.vx v8,v8,x6");
        line("vadd.vv v8,v8,v7");
        line("%s", rounds[i % countof(rounds)]);
        line("addi x28,x28,-1");
        line("bnez x28,.Lt");
        line("li x11,%#x", DATA + OUT);
        leave_row(8);
        assert_false(faults(&s, i));
    }
    buf_free(&gen.text);
}

/* Addresses that are lines plus something of each lane's own, or of the warp's; and, in warps that lack lanes, a row that is
 * the same in all lanes but where a side has written it. */
static void lines_and_others(void **state)
{
    (void)state;
    for (u32 i = 0; i < 8; i++) {
        const Shape s = {.lanes = 32,
                         .items = i & 4 ? 28 : 32,
                         .along = i & 4 ? 28 : 16,
                         .warps = 1,
                         .memory = 3};
        no_text();
        find_places();
        line("li x10,%#x", DATA);
        line("vsll.vi v4,v1,2");
        line("vadd.vx v4,v4,x10");
        line("vlbu12.v v5,0(v4)");
        line("vsll.vi v5,v5,2");
        if (i & 1) { /* which turns out to be a row */
            line("vid.v v8\n vsll.vi v8,v8,2\n vsw12.v v8,0(v4)\n fence");
            line("vlw12.v v5,0(v4)");
        }
        line("vsll.vi v6,v2,%u", 6 + i);
        line(i & 2 ? "vadd.vv v5,v5,v6" : "vadd.vv v5,v6,v5");
        line("vadd.vx v5,v5,x10");
        line("vlw12.v v10,%u(v5)", i & 2 ? 4 : 0);
        line("vmv.v.i v7,7");
        line("vmv.v.i v9,9");
        set_meeting(0);
        line("vblt v1,v9,.Lm0");
        line("vlw12.v v8,0(v4)");
        line("vadd.vv v7,v8,v1");
        label(".Lm0");
        line("join x0,x0,0");
        line("vadd.vi v7,v7,1");
        line("vadd.vv v7,v7,v10");
        line("li x11,%#x", DATA + OUT);
        leave_row(7);
        assert_false(faults(&s, i));
    }
    buf_free(&gen.text);
}

/* Lanes that go along rows of their own, in a loop that stores lines into two of these, before what they load next. */
static void lines_into_streams(void **state)
{
    const Shape s = {.lanes = 32, .items = 32, .along = 16, .warps = 1, .memory = 1};
    (void)state;
    for (u32 row = 0; row < 32; row += 5) {
        no_text();
        line("li x10,%#x", DATA);
        line("vid.v v7");
        line("vsll.vi v7,v7,9");
        line("vadd.vx v7,v7,x10");
        line("vmv.v.i v8,0");
        line("li x28,60");
        line("li x12,%u", row << 9);
        label(".Lt");
        line("vlw12.v v5,0(v7)");
        line("vxor.vv v8,v8,v5");
        line("vmul.vx v8,v8,x28");
        find_places();
        line("vadd.vx v4,v1,x28");
        line("vmul.vx v2,v2,x12"); /* the first row, and that one */
        line("vsll.vi v3,v3,2");
        line("vadd.vv v3,v3,v2");
        line("vadd.vx v3,v3,x10");
        line("vsw12.v v4,4(v3)");
        line("vadd.vi v7,v7,4");
        line("addi x10,x10,4");
        line("addi x28,x28,-1");
        line("bnez x28,.Lt");
        line("li x11,%#x", DATA + OUT);
        leave_row(8);
        assert_false(faults(&s, row));
    }
    buf_free(&gen.text);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_more),
        cmocka_unit_test(sizes_that_change),
        cmocka_unit_test(sides_that_divide),
        cmocka_unit_test(lanes_at_the_ends),
        cmocka_unit_test(rests),
        cmocka_unit_test(lines_in_rounds),
        cmocka_unit_test(lines_at_the_end),
        cmocka_unit_test(lines_and_others),
        cmocka_unit_test(lines_into_streams),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
