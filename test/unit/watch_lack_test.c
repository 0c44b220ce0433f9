/* watch_lack_test.c -- one allocation after the other fails in what watches a launch: checks, cycles
 * and what they cost.  It says so, or tells what it tells with memory, and everything is given back.
 */
#include "test/kit/lackdrv.h"
#include "check/check.h"
#include "link/link.h"
#include "prof/cost.h"
#include "test/kit/assemble.h"

static Buf image_file;

static Driver *open_driver(const char *engine)
{
    DeviceOptions o = dev_defaults();
    o.machine.lanes = 4;
    o.engine = dev_find_engine(engine);
    return drv_open(&o);
}

static bool load(Driver *d)
{
    Diag diag = {.sink = NULL};
    Object *o = NULL;
    if (!obj_read("t.elf", image_file.data, image_file.len, &diag, &o))
        return false;
    const DrvStatus s = drv_load(d, o, &diag);
    if (s)
        obj_free(o);
    return did(s);
}

/* Two launches of three groups of two warps. */
static bool run(Driver *d, const LaunchOptions *how, DrvResult *r)
{
    u64 out;
    bool ok = load(d) && did(drv_alloc(d, 256, &out)) && did(drv_write(d, out, "", 1));
    for (u32 i = 0; ok && i < 2; i++) {
        const u32 word = (u32)out;
        const DrvArg arg = {.size = 4, .align = 4, .value = &word, .buffer = 256};
        const DrvKernel k = {.kernel = "k",
                             .dims = 1,
                             .global = {24},
                             .local = {8},
                             .args = &arg,
                             .nargs = 1,
                             .run = *how};
        ok = did(drv_run(d, &k, r));
    }
    return ok;
}

/* --- checks ---------------------------------------------------------------------------------- */

static void hear(void *to, const CheckReport *r) { *(u64 *)to += r->count; }

static bool checks_a_launch(Buf *made)
{
    buf_reserve(made, 4000);
    const size_t before = live_blocks();
    u64 heard = 0;
    Buf line = {0};
    DrvResult r;
    Driver *d = open_driver("interp");
    Check *c = d ? check_open(d, (1u << NCHECK) - 1, NULL, hear, &heard) : NULL;
    bool ok = c && run(d, &(LaunchOptions){.threads = 1}, &r);
    if (ok) {
        check_summary(c, &line);
        ok = !line.failed && !strstr(buf_text(&line), "memory ran out");
    }
    CheckReport found;
    for (size_t i = 0; ok && check_report(c, i, &found); i++)
        buf_printf(made, "%d, %u times; ", (int)found.kind, (u32)found.count);
    if (ok)
        buf_str(made, buf_text(&line));
    buf_free(&line);
    drv_close(d);
    check_close(c);
    must(live_blocks() == before, "a block is left");
    return ok;
}

static void checks_lack(void **state)
{
    Buf made = {0};
    (void)state;
    assert_true(checks_a_launch(&made));
    for (u32 k = 0; k < NCHECK; k++) /* the program has a mistake of each of these kinds */
        if (k == CHECK_race || k == CHECK_bounds || k == CHECK_init)
            assert_non_null(strchr(buf_text(&made), (int)('0' + k)));
    buf_free(&made);
    LACK_OF_MEMORY(checks_a_launch);
}

/* --- cycles ---------------------------------------------------------------------------------- */

static bool counts_a_launch(Buf *made)
{
    buf_reserve(made, 100000);
    const size_t before = live_blocks();
    Buf text = {0};
    DrvResult r;
    Driver *d = open_driver("timing");
    Costs *c = d ? costs_new() : NULL;
    const CycleObserver cycles = c ? costs_cycle_observer(c) : (CycleObserver){.self = NULL};
    bool ok = c && run(d, &(LaunchOptions){.cycles = &cycles}, &r);
    if (ok) {
        costs_add(c, "k", NULL, V202, &r.dev.run);
        ok = costs_text(c, &text) && !text.failed;
        buf_printf(made, "%u cycles\n", (u32)r.dev.run.cycles);
    }
    if (ok)
        buf_put(made, text.data, text.len);
    buf_free(&text);
    costs_free(c);
    drv_close(d);
    must(live_blocks() == before, "a block is left");
    return ok;
}

static void cycles_lack(void **state)
{
    (void)state;
    LACK_OF_MEMORY(counts_a_launch);
}

/* --------------------------------------------------------------------------------------------- */

static int make_image(void **state)
{
    Caught c;
    (void)state;
    catch_in(&c);
    Object *o = assemble("	.text\n"
                         "	.kernel k\n"
                         "k:	lw a1, 0(a0)\n"
                         "	csrr t0, CSR_WID\n"
                         "	sb t0, 9(a1)\n"
                         "	sw t0, 0(a1)\n" /* the warps at once */
                         "	fence rw, rw\n"
                         "	sw t0, 16(a1)\n"
                         "	lw t1, 64(a1)\n" /* which nobody wrote */
                         "	beqz t1, 1f\n"
                         "	nop\n"
                         "1:	sw t0, 256(a1)\n" /* behind the end */
                         "	vid.v v1\n"
                         "	vsll.vi v1, v1, 2\n"
                         "	vadd.vx v1, v1, a1\n"
                         "	vlw12.v v2, 128(v1)\n"
                         "	barrier x0, x0, 1\n"
                         "	vsw12.v v2, 128(v1)\n"
                         "	ret\n",
                         V202);
    Object *image =
        link_program((const Object *const[]){o}, 1, &(LinkOptions){.output = "t.elf"}, &c.d);
    if (!image || !obj_write(image, &image_file, &c.d))
        fail_msg("%s", buf_text(&c.text));
    obj_free(o);
    obj_free(image);
    buf_free(&c.text);
    return 0;
}

static int free_image(void **state)
{
    (void)state;
    buf_free(&image_file);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_lack),
        cmocka_unit_test(cycles_lack),
    };
    return cmocka_run_group_tests(tests, make_image, free_image);
}
