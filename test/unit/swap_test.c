/* swap_test.c -- programs that take turns in the code window: each finds its variables and its own code, and what an
 * engine has made of that is there when it returns. */
#include "test/kit/assemble.h"
#include "test/kit/skip.h"
#include "drv/drv.h"
#include "isa/abi.h"
#include "jit/jit.h"
#include "link/crt0.h"
#include "link/link.h"

/* next(out): *out = STEP + how often it was called, which a variable counts; also STEP, from the code alone, and what
 * a loop of ROUNDS adds up */
static const char text[] = "   .data\n"
                           "   .balign 4\n"
                           "calls: .word 0\n"
                           "   .text\n"
                           "   .kernel next\n"
                           "next: lw a1, 0(a0)\n"
                           "   la t1, calls\n"
                           "   lw t2, 0(t1)\n"
                           "   addi t2, t2, 1\n"
                           "   sw t2, 0(t1)\n"
                           "   li t0, %u\n"
                           "   add t2, t2, t0\n"
                           "   sw t2, 0(a1)\n"
                           "   sw t0, 4(a1)\n"
                           "   li t2, 0\n"
                           "   li t1, %u\n"
                           "1: add t2, t2, t0\n"
                           "   addi t1, t1, -1\n"
                           "   bnez t1, 1b\n"
                           "   sw t2, 8(a1)\n"
                           "   ret\n";

static Object *image_of(u32 step, u32 rounds)
{
    Caught c;
    Buf words = {0};
    Object *crt0 = NULL;
    catch_in(&c);
    buf_printf(&words, text, step, rounds);
    Object *o = assemble(buf_text(&words), V202);
    assert_true(obj_read("crt0", crt0_object, crt0_object_size, &c.d, &crt0));
    Object *linked =
        link_objects((const Object *const[]){crt0, o}, 2, &(LinkOptions){.output = "t"}, &c.d);
    assert_non_null(linked);
    obj_free(crt0);
    obj_free(o);
    buf_free(&words);
    buf_free(&c.text);
    return linked;
}

static DrvProgram *open_program(Driver *d, u32 step, u32 rounds)
{
    Diag silent = {.sink = NULL};
    DrvProgram *p = NULL;
    assert_int_equal(drv_program_open(d, image_of(step, rounds), &p, &silent), DRV_OK);
    return p;
}

static Driver *open_driver(const char *engine)
{
    DeviceOptions o = dev_defaults();
    o.engine = dev_find_engine(engine);
    if (!o.engine)
        skip_because("no engine %s here", engine);
    Driver *d = drv_open(&o);
    assert_non_null(d);
    return d;
}

typedef struct {
    u32 sum, step, total;
} Next;

static Next run_next(Driver *d, DrvProgram *p, u64 out)
{
    const u32 addr = (u32)out;
    const DrvArg arg = {.size = 4, .align = 4, .value = &addr};
    const DrvKernel k = {.program = p,
                         .kernel = "next",
                         .dims = 1,
                         .global = {1},
                         .local = {1},
                         .args = &arg,
                         .nargs = 1,
                         .run = {.timeout = 60}};
    DrvResult r;
    Next n;
    assert_int_equal(drv_run(d, &k, &r), DRV_OK);
    assert_int_equal(drv_read(d, out, &n, sizeof n), DRV_OK);
    return n;
}

static void expect_next(Driver *d, DrvProgram *p, u64 out, u32 step, u32 rounds, u32 calls)
{
    const Next n = run_next(d, p, out);
    assert_int_equal(n.sum, step + calls);
    assert_int_equal(n.step, step);
    assert_int_equal(n.total, step * rounds);
}

/* Two programs that take turns, the first with the step 100 and 5 rounds, the second with 200 and 7. */
typedef struct {
    Driver *d;
    DrvProgram *p[2];
    u64 out;
} Pair;

static Pair open_pair(const char *engine)
{
    Pair two = {.d = open_driver(engine)};
    two.p[0] = open_program(two.d, 100, 5);
    two.p[1] = open_program(two.d, 200, 7);
    assert_int_equal(drv_alloc(two.d, sizeof(Next), &two.out), DRV_OK);
    return two;
}

static void close_pair(Pair *two)
{
    for (int i = 0; i < 2; i++)
        drv_program_close(two->d, two->p[i]);
    drv_close(two->d);
}

static void expect_first(const Pair *two, u32 calls)
{
    expect_next(two->d, two->p[0], two->out, 100, 5, calls);
}

static void expect_second(const Pair *two, u32 calls)
{
    expect_next(two->d, two->p[1], two->out, 200, 7, calls);
}

static u64 regions(Driver *d)
{
    JitStats s = {.regions = 0};
    jit_stats(dev_engine(drv_device(d)), &s);
    return s.regions;
}

static void take_turns(const char *engine)
{
    Pair two = open_pair(engine);
    u64 made = 0;
    for (u32 calls = 1; calls < 9; calls++) {
        expect_first(&two, calls);
        expect_second(&two, calls);
        if (calls == 1)
            made = regions(two.d);
        assert_int_equal(regions(two.d), made);
    }
    assert_true(!made == !!strcmp(engine, "jit"));
    close_pair(&two);
}

static void programs_take_turns(void **state)
{
    (void)state;
    take_turns("interp");
    take_turns("timing");
    take_turns("jit");
}

/* Where the word `li t0, STEP` is, which is one. */
static u64 find_step(Driver *d, u32 step)
{
    const u32 word = step << 20 | 5 << 7 | 0x13;
    for (u64 a = RANGE_FROM(CODE);; a += 4) {
        u32 at;
        assert_int_equal(drv_read(d, a, &at, 4), DRV_OK);
        if (at == word)
            return a;
    }
}

/* Code that the host changed is run as long as the program stays; then the image's. */
static void code_changes(const char *engine)
{
    Pair two = open_pair(engine);
    const u32 word = 300 << 20 | 5 << 7 | 0x13;
    expect_first(&two, 1);
    expect_second(&two, 1);
    expect_first(&two, 2);
    assert_int_equal(drv_write(two.d, find_step(two.d, 100), &word, 4), DRV_OK);
    expect_next(two.d, two.p[0], two.out, 300, 5, 3);
    expect_second(&two, 2);
    expect_first(&two, 4);
    expect_second(&two, 3);
    close_pair(&two);
}

static void changed_code_is_noticed(void **state)
{
    (void)state;
    code_changes("interp");
    code_changes("jit");
}

/* An image of drv_load() takes the window from a program, and a program takes it back. */
static void image_between(const char *engine)
{
    Pair two = open_pair(engine);
    Diag silent = {.sink = NULL};
    for (u32 calls = 1; calls < 4; calls++) {
        expect_first(&two, calls);
        expect_second(&two, calls);
        assert_int_equal(drv_load(two.d, image_of(500, 3), &silent), DRV_OK);
        expect_next(two.d, NULL, two.out, 500, 3, 1);
        expect_next(two.d, NULL, two.out, 500, 3, 2);
    }
    close_pair(&two);
}

static void programs_beside_an_image(void **state)
{
    (void)state;
    image_between("interp");
    image_between("jit");
}

/* More than an engine keeps; some are closed while others run. */
static void many_programs(const char *engine)
{
    enum { N = 100 };
    Driver *d = open_driver(engine);
    DrvProgram *p[N];
    u64 out;
    assert_int_equal(drv_alloc(d, sizeof(Next), &out), DRV_OK);
    for (u32 i = 0; i < N; i++)
        p[i] = open_program(d, i + 1, 3);
    for (u32 calls = 1; calls < 4; calls++)
        for (u32 i = 0; i < N; i++)
            expect_next(d, p[i], out, i + 1, 3, calls);
    for (u32 i = 0; i < N; i += 2) {
        drv_program_close(d, p[i]);
        p[i] = open_program(d, i + 1001, 3);
    }
    for (u32 calls = 1; calls < 3; calls++)
        for (u32 i = N; i-- > 0;)
            expect_next(d, p[i], out, i % 2 ? i + 1 : i + 1001, 3, i % 2 ? calls + 3 : calls);
    for (u32 i = 0; i < N; i++)
        drv_program_close(d, p[i]);
    drv_close(d);
}

static void more_programs_than_are_kept(void **state)
{
    (void)state;
    many_programs("interp");
    many_programs("jit");
}

/* Code is made in the background while its program leaves and returns. */
static void made_while_away(void **state)
{
    enum { ROUNDS = 100000, MOST = 20000 };
    Driver *d = open_driver("auto");
    const char *why;
    DrvProgram *p[3];
    u64 out;
    u32 calls = 0;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    for (u32 i = 0; i < 3; i++)
        p[i] = open_program(d, i + 1, ROUNDS);
    assert_int_equal(drv_alloc(d, sizeof(Next), &out), DRV_OK);
    while (regions(d) < 3 && calls < MOST) {
        calls++;
        for (u32 i = 0; i < 3; i++)
            expect_next(d, p[i], out, i + 1, ROUNDS, calls);
    }
    assert_true(calls < MOST);
    for (u32 n = calls; calls < n + 10;) {
        calls++;
        for (u32 i = 0; i < 3; i++)
            expect_next(d, p[i], out, i + 1, ROUNDS, calls);
    }
    for (u32 i = 0; i < 3; i++)
        drv_program_close(d, p[i]);
    drv_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_take_turns),      cmocka_unit_test(changed_code_is_noticed),
        cmocka_unit_test(programs_beside_an_image), cmocka_unit_test(more_programs_than_are_kept),
        cmocka_unit_test(made_while_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
