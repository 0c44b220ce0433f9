/* jit_engine_test.c -- which launches, warps and instructions the compiling engine runs as host
 * code, how often it makes some, and what it makes anew when code changes, by what it counts
 * (JitStats).
 */
#include "test/kit/twins.h"
#include <stdlib.h>
#include <string.h>

/* What a program does on a device that is opened for it. */
typedef struct {
    u64 insns, compiled;
    u32 regions;
    bool faulted;
} Counts;

static Device *open_program(const char *text)
{
    const char *why;
    if (!jit_available(&why))
        skip_because("%s", why);
    Device *d = open_device("jit", 64);
    no_text();
    buf_str(&gen.text, text);
    load_text(d);
    return d;
}

static Counts counts_of(Device *d, const DevResult *r)
{
    JitStats s;
    assert_true(jit_stats(dev_engine(d), &s));
    return (Counts){s.insns, s.compiled, (u32)s.regions, r->run.faulted};
}

static Counts run_program(const char *text, const Shape *shape)
{
    Device *d = open_program(text);
    const DevResult r = run(d, shape);
    const Counts c = counts_of(d, &r);
    dev_close(d);
    return c;
}

static const Shape full = {.lanes = 8, .items = 16, .warps = 2, .memory = 1};

#define LOOP "li x5,1000\n 1: addi x5,x5,-1\n vadd.vi v2,v2,1\n bnez x5,1b\n endprg x0,x0,x0\n"

/* lanes 3 and more go on, the others to a label, and they meet at .Lm */
#define PART                                                                                       \
    "vid.v v1\n vmv.v.i v5,3\n vmv.v.i v6,5\n .Lp: auipc x30,%pcrel_hi(.Lm)\n"                     \
    " setrpc x0,x30,%pcrel_lo(.Lp)\n "

/* --- what is left to the interpreter -------------------------------------------------------- */

static void runs_all_or_some(void **state)
{
    static const struct {
        const char *text;
        u32 left;    /* instructions of a warp that are interpreted */
        u32 regions; /* that are made */
    } row[] = {
        {LOOP, 0, 1},
        /* rounding modes: the instruction itself, what follows up to a jump, and with another mode
         * everything */
        {"csrrwi x0,frm,0\n li x6,3\n j 2f\n nop\n 2: " LOOP, 3, 1},
        {"li x6,3\n csrrwi x0,frm,0\n j 2f\n nop\n 2: " LOOP, 2, 2},
        {"li x6,3\n csrrwi x0,frm,1\n j 2f\n nop\n 2: " LOOP, 2 + 3002, 1},
        /* lengths */
        {"li x6,3\n vsetivli x0,8,e32,m1,ta,ma\n" LOOP, 0, 1},
        {"li x6,3\n vsetivli x0,3,e32,m1,ta,ma\n j 2f\n nop\n 2: " LOOP, 2 + 3002, 1},
        /* a barrier, after which the code goes on */
        {"li x6,3\n barrier x0,x0,0\n addi x6,x6,1\n barrier x0,x0,0\n" LOOP, 0, 1},
        /* floats, where somewhere their flags are read, and CSRs that change as a warp runs */
        {"fadd.s x5,x6,x7\n vfmul.vv v3,v4,v5\n" LOOP, 0, 1},
        {"fadd.s x5,x6,x7\n vfmul.vv v3,v4,v5\n csrr x9,fflags\n" LOOP, 3, 1},
        {"fadd.s x5,x6,x7\n vfmul.vv v3,v4,v5\n csrr x9,fcsr\n" LOOP, 3, 1},
        {"fadd.s x5,x6,x7\n vfmul.vv v3,v4,v5\n csrr x9,frm\n csrr x9,vl\n csrr x9,wid\n" LOOP, 2,
         1},
        {"fadd.s x5,x6,x7\n" LOOP "csrrwi x9,fflags,0\n", 1, 1},
        {"fadd.s x5,x6,x7\n" LOOP "csrr x9,cycle\n", 0, 1},
        /* lanes that part: on both sides at once, by the stack, within a side, in a loop */
        {PART "vblt v1,v5,.Lm\n vadd.vi v6,v6,1\n .Lm: join x0,x0,0\n" LOOP, 0, 1},
        {PART "vblt v1,v5,.Le\n vmulh.vv v6,v1,v1\n j .Lm\n .Le: addi x7,x7,1\n"
              " .Lm: join x0,x0,0\n" LOOP,
         0, 1},
        {PART "vblt v1,v5,.Lm\n .Lq: auipc x30,%pcrel_hi(.Ln)\n setrpc x0,x30,%pcrel_lo(.Lq)\n"
              " vbge v1,v6,.Ln\n vmulh.vv v6,v1,v1\n .Ln: join x0,x0,0\n .Lm: join x0,x0,0\n" LOOP,
         0, 1},
        {"li x9,40\n 3: " PART "vblt v1,v5,.Lm\n addi x7,x7,1\n .Lm: join x0,x0,0\n"
         " addi x9,x9,-1\n bnez x9,3b\n" LOOP,
         0, 1},
        /* functions that return to two callers */
        {"li x9,3\n jal x1,f\n addi x9,x9,1\n jal x1,f\n j 3f\n f: addi x9,x9,2\n jalr x0,0(x1)\n"
         " 3: " LOOP,
         0, 1},
        /* a loop in which a warp's turn ends: code that begins there is made, too */
        {"li x5,1500000\n 1: addi x5,x5,-1\n vadd.vi v2,v2,1\n bnez x5,1b\n endprg x0,x0,x0\n", 0,
         2},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        const Counts c = run_program(row[i].text, &full);
        const u64 left = 8 * full.warps * row[i].left;
        if (c.faulted || c.insns - c.compiled != left || c.regions != row[i].regions)
            fail_msg("%s: %llu of %llu instructions are interpreted, not %llu; %u regions",
                     row[i].text, (unsigned long long)(c.insns - c.compiled),
                     (unsigned long long)c.insns, (unsigned long long)left, c.regions);
    }
    buf_free(&gen.text);
}

/* --- code that changes ----------------------------------------------------------------------- */

/* Regions made so far, after a launch that goes to a page. */
static u32 regions_after(Device *d, u32 page)
{
    const u32 words[2] = {CODE_LO + page * PAGE_SIZE, 0};
    Shape s = full;
    s.first = words;
    const DevResult r = run(d, &s);
    assert_false(r.run.faulted);
    return counts_of(d, &r).regions;
}

/* Where a page changes, what has instructions in it is made anew, and what has some in the page
 * before, whose last may be a prefix; nothing else, and nothing if the bytes are the same. */
static void makes_changed_code_anew(void **state)
{
    enum { MAIN = 0, ONE = 2, OTHER = 5, PAGES = 9 };
    const u32 nop = 0x00100013; /* addi x0,x0,1: padding has others */
    (void)state;
    Device *d = open_program("li x8,0x90001000\n lw x6,0(x8)\n jr x6\n"
                             " .balign 4096\n nop\n .balign 4096\n" LOOP
                             " .balign 4096\n nop\n .balign 4096\n nop\n .balign 4096\n" LOOP
                             " .balign 4096\n nop\n .balign 4096\n nop\n .balign 4096\n nop\n");
    const u32 first = regions_after(d, ONE), both = regions_after(d, OTHER);
    assert_true(first >= 2 && both > first);
    assert_int_equal(regions_after(d, ONE), both);
    assert_int_equal(regions_after(d, OTHER), both);
    for (u32 page = 0, had = both; page < PAGES; page++) {
        assert_true(dev_write(d, CODE_LO + page * PAGE_SIZE + 2048, &nop, 4));
        const u32 one = regions_after(d, ONE), other = regions_after(d, OTHER);
        assert_true(
            dev_write(d, CODE_LO + page * PAGE_SIZE + 2048, &nop, 4)); /* the same: no change */
        assert_int_equal(regions_after(d, ONE), other);
        assert_int_equal(regions_after(d, OTHER), other);
        if ((one > had) != (page <= MAIN + 1 || page == ONE || page == ONE + 1) ||
            (other > one) != (page == OTHER || page == OTHER + 1))
            fail_msg("page %u: %u regions, then %u, then %u", page, had, one, other);
        had = other;
    }
    dev_close(d);
    buf_free(&gen.text);
}

/* --- launches that are interpreted ----------------------------------------------------------- */

/* Rules that host code does not know leave a launch to the interpreter; others do not. */
static void rules_of_launches(void **state)
{
    (void)state;
    for (u32 i = 0; i < 8; i++) {
        Device *d = open_program(LOOP);
        DeviceOptions o = *dev_options(d);
        o.strict = i & 1;
        o.check_copies = i & 2;
        o.any_barrier = i & 4;
        dev_set_rules(d, &o);
        const DevResult r = run(d, &full);
        const Counts c = counts_of(d, &r);
        assert_false(c.faulted);
        assert_int_equal(c.compiled, i & 3 ? 0 : c.insns);
        dev_close(d);
    }
    buf_free(&gen.text);
}

/* Groups of one warp wait at no barrier: host code goes on, in a loop and with some lanes, too, as far as the interpreter
 * would; lanes that part before one are the interpreter's, whatever the rule is.  Code that compares finds no register
 * other than it should be. */
static void barriers_of_one_warp(void **state)
{
    enum { SOME = 5 };
    static const char *const text[] = {
        "vid.v v1\n vsll.vi v2,v1,2\n li x7,0x70000000\n vadd.vx v2,v2,x7\n li x5,9\n"
        " 1: vsw12.v v1,0(v2)\n barrier x0,x0,0\n addi x5,x5,-1\n vlw12.v v1,0(v2)\n"
        " vadd.vi v1,v1,3\n barrier x0,x0,1\n bnez x5,1b\n li x6,0x90001000\n csrr x7,wgid\n"
        " slli x7,x7,7\n add x6,x6,x7\n vid.v v2\n vsll.vi v2,v2,2\n vadd.vx v2,v2,x6\n"
        " vsw12.v v1,0(v2)\n endprg x0,x0,x0\n",
        PART "li x5,2\n vblt v1,v5,.Lm\n barrier x0,x0,0\n li x5,3\n .Lm: join x0,x0,0\n" LOOP,
    };
    (void)state;
    for (u32 i = 0; i < 16; i++) {
        const bool parts = i & 1, some = i & 2, any = i & 4, shadow = i & 8;
        const Shape s = {.lanes = 8, .items = some ? SOME : 8, .warps = 1, .memory = 1};
        Twins t = twins_open(shadow ? "shadow" : "jit", 64);
        no_text();
        buf_str(&gen.text, text[parts]);
        twins_load(&t);
        for (u32 k = 0; k < 2; k++) {
            Device *d = k ? t.b : t.a;
            DeviceOptions o = *dev_options(d);
            o.any_barrier = any;
            dev_set_rules(d, &o);
        }
        const DevResult r = twins_run(&t, &s, i);
        const Counts c = counts_of(t.b, &r);
        assert_int_equal(c.faulted, parts && !any);
        assert_true(parts || shadow || (c.compiled == c.insns && c.regions == 1));
        twins_close(&t);
        buf_free(&gen.text);
    }
}

/* Groups of one warp and of two, by turns: the latter do wait, and find what the other warp has left. */
static void barriers_of_one_warp_and_two(void **state)
{
    (void)state;
    Twins t = twins_open("jit", 64);
    no_text();
    buf_str(&gen.text,
            "csrr x5,wid\n slli x6,x5,2\n li x7,0x70000000\n add x8,x7,x6\n addi x9,x5,7\n"
            " sw x9,0(x8)\n barrier x0,x0,0\n xori x9,x6,4\n add x8,x7,x9\n lw x10,0(x8)\n"
            " li x8,0x90001000\n csrr x7,wgid\n slli x7,x7,3\n add x8,x8,x7\n add x8,x8,x6\n"
            " sw x10,0(x8)\n endprg x0,x0,x0\n");
    twins_load(&t);
    for (u32 i = 0; i < 4; i++) {
        const u32 warps = 1 + i % 2;
        const Shape s = {.lanes = 8, .items = 8 * warps, .warps = warps, .memory = 1};
        u32 left[2];
        twins_run(&t, &s, i);
        assert_true(dev_read(t.b, DATA, left, sizeof left));
        assert_int_equal(left[0], warps == 2 ? 8 : 0);
        assert_true(warps == 1 || left[1] == 7);
    }
    twins_close(&t);
    buf_free(&gen.text);
}

/* Warps of which the last has fewer lanes, of several sizes, and one launch after the other. */
static void counts_of_launches(void **state)
{
    static const u32 lanes[] = {4, 8, 16, 32};
    u64 insns = 0;
    (void)state;
    Device *d = open_program("vid.v v1\n" LOOP);
    for (u32 i = 0; i < 8; i++) {
        const u32 n = lanes[i % 4];
        const Shape s = {.lanes = n, .items = 3 * n - (i < 4 ? 0 : 3), .warps = 3, .memory = 1};
        const DevResult r = run(d, &s);
        const Counts c = counts_of(d, &r);
        insns += r.run.insns;
        assert_int_equal(r.run.insns, 8 * 3 * 3003);
        assert_int_equal(c.insns, insns);
        assert_int_equal(c.compiled, insns);
    }
    dev_close(d);
    buf_free(&gen.text);
}

/* --- flags of floats -------------------------------------------------------------------------- */

/* Each warp has the flags that it raised itself, though warps share those of the host:
 * warp 0 divides by 0, then warp 1 rounds. */
static void flags_of_each_warp(void **state)
{
    enum { DIVIDED_BY_0 = 8, INEXACT = 1 };
    static const u32 want[2][2] = {{DIVIDED_BY_0, DIVIDED_BY_0}, {0, INEXACT}};
    (void)state;
    Twins t = twins_open("jit", 64);
    no_text();
    buf_str(&gen.text, "csrr x5,wid\n slli x6,x5,3\n li x7,0x90001000\n add x7,x7,x6\n"
                       " li x8,0x3f800000\n li x9,0x40400000\n csrrwi x0,fflags,0\n"
                       " bnez x5,1f\n fdiv.s x10,x8,x0\n 1: barrier x0,x0,0\n"
                       " csrr x11,fflags\n barrier x0,x0,0\n sw x11,0(x7)\n"
                       " beqz x5,1f\n fdiv.s x10,x8,x9\n 1: barrier x0,x0,0\n"
                       " csrr x11,fflags\n sw x11,4(x7)\n endprg x0,x0,x0\n");
    twins_load(&t);
    twins_run(&t, &full, 0);
    u32 got[2][2];
    assert_true(dev_read(t.b, DATA, got, sizeof got));
    assert_memory_equal(got, want, sizeof want);
    twins_close(&t);
    buf_free(&gen.text);
}

/* --- control registers ------------------------------------------------------------------------ */

/* Each register that code may write, by instructions that read it, too, and that do not: what they
 * read, and what is read behind them. */
static void control_registers(void **state)
{
    static const char *const names[] = {"fflags", "vstart",   "vxsat", "vxrm",   "vcsr",
                                        "mie",    "mstatus",  "mtvec", "mip",    "mepc",
                                        "mcause", "mscratch", "mtval", "mstatus"};
    static const char *const ways[] = {"csrrw x6,%s,x5", "csrrw x0,%s,x7", "csrrs x0,%s,x5",
                                       "csrrc x6,%s,x7", "csrrwi x0,%s,9", "csrrci x0,%s,8"};
    (void)state;
    for (u32 quick = 0; quick < 2; quick++) {
        if (quick)
            setenv("VENTUS_JIT_TIER", "quick", 1);
        Twins t = twins_open("jit", 64);
        unsetenv("VENTUS_JIT_TIER");
        no_text();
        buf_str(&gen.text, "csrr x9,wid\n slli x9,x9,12\n li x8,0x90001000\n add x8,x8,x9\n");
        for (size_t i = 0; i < countof(names); i++)
            for (size_t k = 0; k < countof(ways); k++) {
                buf_printf(&gen.text, "li x5,%#x\n li x7,%#x\n ", 0xfff00fffu, 0x12345688u);
                buf_printf(&gen.text, ways[k], names[i]);
                buf_printf(&gen.text, "\n csrr x10,%s\n sw x6,0(x8)\n sw x10,4(x8)\n", names[i]);
                buf_str(&gen.text, " addi x8,x8,8\n");
            }
        buf_str(&gen.text, "endprg x0,x0,x0\n");
        twins_load(&t);
        twins_run(&t, &full, quick);
        twins_close(&t);
    }
    buf_free(&gen.text);
}

/* --- constants of a launch --------------------------------------------------------------------- */

/* A load whose address is an argument, which code may read before warps begin.  Where that is no
 * plain word of a page of device memory, warps read it themselves: it is of the group, in two pages,
 * or a fault. */
static void constants_that_cannot_be_read(void **state)
{
    enum { LEFT = 0x100 };
    static const struct {
        u32 addr;
        bool is_plain, faults;
    } row[] = {
        {DATA + 0x80, true, false},
        {DATA + PAGE_SIZE - 4, true, false},
        {DATA + PAGE_SIZE - 3, false, false},
        {DATA + PAGE_SIZE - 1, false, false},
        {DATA + PAGE_SIZE, true, false},
        {LDS_LO, false, false},
        {LDS_LO + 0x800, false, false},
        {DATA + DATA_BYTES - 4, true, false},
        {KNL - 4, false, true},
        {KNL - PAGE_SIZE, false, true},
    };
    (void)state;
    Twins t = twins_open("jit", 64);
    no_text();
    buf_str(&gen.text, "csrr x5,knl\n lw x8,4(x5)\n lw x6,0(x8)\n lw x7,0(x6)\n csrr x9,wgid\n"
                       " slli x9,x9,1\n csrr x10,wid\n add x9,x9,x10\n slli x9,x9,2\n"
                       " add x9,x9,x8\n sw x7,0x100(x9)\n endprg x0,x0,x0\n");
    twins_load(&t);
    for (size_t i = 0; i < countof(row); i++) {
        const u32 words[2] = {row[i].addr, 0}, at = row[i].addr - DATA;
        Shape s = full;
        JitStats before, after;
        u32 want = 0, got[16];
        s.first = words;
        assert_true(jit_stats(dev_engine(t.b), &before));
        const DevResult r = twins_run(&t, &s, i);
        assert_true(jit_stats(dev_engine(t.b), &after));
        assert_int_equal(r.run.faulted, row[i].faults);
        assert_int_equal(after.compiled - before.compiled, row[i].is_plain ? r.run.insns : 0);
        if (row[i].faults)
            continue;
        if (at < DATA_BYTES)
            assert_true(dev_read(t.b, row[i].addr, &want, 4));
        assert_true(dev_read(t.b, DATA + LEFT, got, sizeof got));
        for (size_t k = 0; k < countof(got); k++)
            assert_int_equal(got[k], want);
    }
    twins_close(&t);
    buf_free(&gen.text);
}

/* Each warp counts one of two constants up, whose words lie near or so far apart that nobody watches what
 * is between: the next warp reads what it left. */
static void constants_that_warps_change(void **state)
{
    enum { LEFT = 0x400, WARPS = 16 };
    static const u32 away[] = {4, 0x100, 0xfff8, 0xfffc, 0x10000, 0x10004, 0x30000};
    (void)state;
    Twins t = twins_open("jit", 64);
    for (size_t i = 0; i < 2 * countof(away); i++) {
        const bool second = i % 2;
        const u32 words[2] = {1000, 0}, at = second ? away[i / 2] : 0;
        u32 got[2 * WARPS];
        Shape s = full;
        s.first = words;
        no_text();
        buf_printf(&gen.text,
                   "csrr x5,knl\n lw x8,4(x5)\n li x9,%u\n add x9,x9,x8\n lw x6,0(x8)\n"
                   " lw x7,0(x9)\n addi x10,%s,1\n csrr x11,wgid\n slli x11,x11,1\n"
                   " csrr x12,wid\n add x11,x11,x12\n slli x11,x11,3\n add x11,x11,x8\n"
                   " sw x6,%u(x11)\n sw x7,%u(x11)\n sw x10,0(%s)\n endprg x0,x0,x0\n",
                   away[i / 2], second ? "x7" : "x6", LEFT, LEFT + 4, second ? "x9" : "x8");
        twins_load(&t);
        assert_false(twins_run(&t, &s, i).run.faulted);
        assert_true(dev_read(t.b, DATA + LEFT, got, sizeof got));
        for (u32 k = 0; k < 2 * WARPS; k++)
            assert_int_equal(got[k], got[k % 2] + (k % 2 == second ? k / 2 : 0));
        assert_int_equal(got[0], 1000);
        u32 last;
        assert_true(dev_read(t.b, DATA + at, &last, 4));
        assert_int_equal(last, got[second] + WARPS);
    }
    const JitStats stats = twins_close(&t);
    assert_int_equal(stats.compiled, stats.insns);
    buf_free(&gen.text);
}

/* Engines run warps from barrier to barrier, and groups one after the other, in loops of their own,
 * which compare nothing.  So the one that compares has none. */
static void takes_no_way_round_the_twin(void **state)
{
    static const struct {
        const char *engine;
        bool loops;
    } rows[] = {{"jit", true}, {"auto", true}, {"shadow", false}};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    for (size_t i = 0; i < countof(rows); i++) {
        Device *d = open_device(rows[i].engine, 64);
        const Sim *s = (const Sim *)dev_engine(d);
        assert_int_equal(s->begin != NULL, rows[i].loops);
        assert_int_equal(s->groups != NULL, rows[i].loops);
        assert_int_equal(s->in_order, !rows[i].loops);
        dev_close(d);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_all_or_some),
        cmocka_unit_test(makes_changed_code_anew),
        cmocka_unit_test(rules_of_launches),
        cmocka_unit_test(barriers_of_one_warp),
        cmocka_unit_test(barriers_of_one_warp_and_two),
        cmocka_unit_test(counts_of_launches),
        cmocka_unit_test(flags_of_each_warp),
        cmocka_unit_test(control_registers),
        cmocka_unit_test(constants_that_cannot_be_read),
        cmocka_unit_test(constants_that_warps_change),
        cmocka_unit_test(takes_no_way_round_the_twin),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
