/* jit_record_test.c -- records whose words several instructions access (jit/words.c, jit/cluster.c), against the
 * interpreter: lanes that lie one record after the other and others, words in any order, what comes between, ends of
 * memory.
 * JIT_TEST_SEED is the number of the first random program, JIT_TEST_COUNT how many there are; an argument chooses
 * a test.
 */
#include "test/kit/twins.h"
#include <stdlib.h>

enum { WARP_BYTES = 4096, FIRST_FREE = 12 };

/* v1, v2: addresses of lanes, in memory of the warp from x8 on; v4 and up: data.  Mostly the words of a record, in some
 * order, from one base or both. */
static void load_some(void)
{
    const u32 words = one_in(3) ? 2u << below(4) : 2 + below(3), first = 4 * below(6),
              n = one_in(3) ? words + 1 + below(3) : words;
    const u32 turn = below(4), both = below(2);
    const bool narrow = one_in(3);
    for (u32 i = 0; i < n; i++) {
        const u32 which = one_in(3) ? below(words + 1) : (i ^ turn) % words;
        const u32 base = both && i % 2 ? 2 : 1;
        /* the last may overwrite its base */
        const u32 to = i + 1 == n && one_in(4) ? base : 4 + below(8);
        const u32 at = first + 4 * which + (one_in(20) ? 2 : 0);
        if (!narrow || one_in(4))
            line("vlw12.v v%u,%u(v%u)", to, at, base);
        else if (one_in(2))
            line("vlb%s12.v v%u,%u(v%u)", one_in(2) ? "u" : "", to, at + below(4), base);
        else
            line("vlh%s12.v v%u,%u(v%u)", one_in(2) ? "u" : "", to, at + below(3), base);
        if (to == base)
            line("vadd.vx v%u,v%u,x8", base, 12 + base);
        if (one_in(5))
            line("vadd.vv v%u,v%u,v%u", 4 + below(8), 4 + below(8), 4 + below(8));
        if (one_in(12))
            line("vsw12.v v%u,%u(v%u)", 4 + below(8), first + 4 * below(4), 1 + below(2));
        if (one_in(16))
            line("vadd.vi v1,v1,%u", 4 * below(4));
    }
}

static void store_some(void)
{
    const u32 words = one_in(3) ? 8 + below(4) : 2 + below(4), first = 4 * below(6),
              base = 1 + below(2), back = one_in(4) ? below(words) : 0;
    for (u32 i = 0; i < words; i++)
        line("vsw12.v v%u,%u(v%u)", 4 + below(8), first + 4 * (i ^ back), base);
}

/* Two to four bytes or halves that follow each other, in some order, and often one at another place or of another size. */
static void narrow_some(void)
{
    const u32 unit = 1 + below(2), count = 2 + below(3), base = 1 + below(2),
              turn = one_in(3) ? below(4) : 0;
    const i32 first = (i32)(unit * below(6));
    const bool stores = one_in(2);
    for (u32 i = 0; i < count; i++) {
        const i32 at =
            first + (i32)(unit * ((i ^ turn) % count)) + (one_in(8) ? 1 - (i32)below(3) : 0);
        const char size = (one_in(16) ? 3 - unit : unit) == 1 ? 'b' : 'h';
        if (stores)
            line("vs%c12.v v%u,%d(v%u)", size, 4 + below(8), at, base);
        else
            line("vl%c%s12.v v%u,%d(v%u)", size, one_in(2) ? "u" : "", 4 + below(8), at, base);
    }
}

/* Lane i at x8 + i * stride, by a shift or a product, which compiled code tells apart; or elsewhere, or where another
 * lane is. */
static void place(u32 base, u32 stride)
{
    static const char *const elsewhere[] = {
        "vxor.vi v16,v3,5", "vsrl.vi v16,v3,1",
        "vadd.vv v16,v3,v3\n vadd.vv v16,v16,v3\n vand.vi v16,v16,15"};
    const bool shifts = !(stride & (stride - 1)) && stride;
    line("vmv.v.v v16,v3");
    if (one_in(2))
        line("%s", elsewhere[below(countof(elsewhere))]);
    if (shifts && one_in(2)) {
        line("vsll.vi v%u,v16,%u", base, (u32)__builtin_ctz(stride));
    } else {
        line("li x13,%u", stride);
        line("vmul.vx v%u,v16,x13", base);
    }
    line("vadd.vi v%u,v%u,%u", base, base, 4 * below(4));
    line("vmv.v.v v%u,v%u", 12 + base, base);
    line("vadd.vx v%u,v%u,x8", base, base);
}

static void statements(void)
{
    for (u32 i = 2 + below(3); i > 0; i--)
        (one_in(3) ? narrow_some : one_in(3) ? store_some : load_some)();
}

/* x8 = the warp's own memory, v3 = the number of the lane */
static void begin(void)
{
    no_text();
    line("csrr x5,wgid");
    line("slli x5,x5,1");
    line("csrr x6,wid");
    line("add x5,x5,x6");
    line("slli x5,x5,%u", (u32)__builtin_ctz(WARP_BYTES));
    line("li x8,%#x", DATA);
    line("add x8,x8,x5");
    line("vid.v v3");
}

static void records(void **state)
{
    static const u32 strides[] = {8,  8,  8,  16, 16, 16, 4, 12, 12, 20, 24, 28,
                                  32, 64, 68, 0,  3,  3,  6, 6,  2,  1,  9};
    (void)state;
    const Programs p = programs_to_try(100);
    gen.set = V202;
    Twins t = twins_open("jit", 64);
    for (u64 program = p.first; program < p.end; program++) {
        gen_begin(program);
        const u32 lanes = 4u << below(4), l = gen.labels++;
        const Shape s = {.lanes = lanes,
                         .items = 2 * lanes - (one_in(3) ? 1 : 0),
                         .warps = 2,
                         .memory = program};
        begin();
        for (u32 v = 4; v < FIRST_FREE; v++)
            line("vadd.vi v%u,v3,%u", v, v);
        place(1, strides[below(countof(strides))]);
        place(2, strides[below(countof(strides))]);
        line("li x13,%u", 36 + 4 * below(12));
        statements();
        const bool walks =
            one_in(2); /* lanes along rows of their own, where records are stored (stream.c) */
        line("vmul.vx v15,v3,x13");
        line("vadd.vx v15,v15,x8");
        line("li x14,%u", 1 + below(walks ? 20 : 5));
        label(".Lr%u", l);
        statements();
        if (walks) {
            line("vlw12.v v11,%u(v15)", 4 * below(3));
            line("vadd.vi v15,v15,4");
            line("vadd.vv v%u,v%u,v11", 4 + below(4), 4 + below(4));
        }
        line("vadd.vi v%u,v%u,%u", 1 + below(2), 1 + below(2), 0u);
        line("addi x14,x14,-1");
        line("bgtz x14,.Lr%u", l);
        for (u32 v = 4; v < FIRST_FREE; v++) { /* all that was loaded is seen */
            line("vsll.vi v1,v3,2");
            line("vadd.vx v1,v1,x8");
            line("vsw12.v v%u,%u(v1)", v, 128 * v);
        }
        line("endprg x0,x0,x0");
        twins_load(&t);
        assert_false(twins_run(&t, &s, program).run.faulted);
    }
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

/* Records come nearer to the end of what is mapped, each by an element, until one is beyond: the range that was remembered
 * for those before must not have it. */
static void records_reach_an_end(void **state)
{
    (void)state;
    gen.set = V202;
    static const struct {
        u32 unit, count;
    } sizes[] = {{4, 2}, {4, 3}, {4, 4}, {4, 6}, {4, 8}, {4, 12}, {4, 16},
                 {1, 2}, {1, 3}, {1, 4}, {2, 2}, {2, 3}, {2, 4}};
    for (u32 i = 0; i < 4 * countof(sizes); i++) {
        const u32 unit = sizes[i / 4].unit, count = sizes[i / 4].count, stride = unit * count;
        const bool stores = i & 1, shifts = i & 2 && !(stride & (stride - 1));
        const char size = unit == 4 ? 'w' : unit == 2 ? 'h' : 'b';
        Twins t = twins_open("jit", 64);
        no_text();
        line("li x8,%#x", DATA + DATA_BYTES - 32 * stride - 4 * unit);
        line("vid.v v3");
        line(shifts ? "vsll.vi v2,v3,%u" : "li x13,%u",
             shifts ? (u32)__builtin_ctz(stride) : stride);
        if (!shifts)
            line("vmul.vx v2,v3,x13");
        line("vadd.vx v2,v2,x8");
        line("vmv.v.v v1,v2");
        line("li x14,0");
        label(".Lt");
        if (shifts) { /* what is known of the row */
            line("vsll.vi v1,v3,%u", (u32)__builtin_ctz(stride));
            line("vadd.vx v1,v1,x8");
        }
        line("vadd.vx v2,v1,x14");
        for (u32 k = 0; k < count; k++)
            line(stores ? "vs%c12.v v3,%u(v2)" : "vl%c12.v v4,%u(v2)", size, unit * k);
        line("addi x14,x14,%u", unit);
        line("j .Lt");
        twins_fault_at(&t, DATA + DATA_BYTES, i);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records),
        cmocka_unit_test(records_reach_an_end),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
