/* driverrig.h -- a driver with the kernels of kernels.h, and what runs them. */
#ifndef KIT_DRIVERRIG_H
#define KIT_DRIVERRIG_H
#include "test/kit/kernels.h"
#include "drv/internal.h"
#include "link/link.h"
#include "test/kit/assemble.h"
#include "test/kit/leftover.h"

static inline Driver *open_driver(bool mmu)
{
    DeviceOptions o = dev_defaults();
    o.mmu = mmu;
    Driver *d = drv_open(&o);
    assert_non_null(d);
    return d;
}

/* Loads an image, which the driver then owns. */
static inline void load(Driver *d, Object *image)
{
    Caught c;
    catch_in(&c);
    assert_int_equal(drv_load(d, image, &c.d), DRV_OK);
    expect_silence(&c);
}

static inline Driver *open_loaded(bool mmu)
{
    Driver *d = open_driver(mmu);
    load(d, make_image(GEN_B, 0, NULL));
    return d;
}

/* The status, and a part of the message. */
#define expect_status(d, call, status, text) expect_status_(d, call, status, text, __LINE__)
static inline void expect_status_(Driver *d, DrvStatus got, DrvStatus wanted, const char *text, int line)
{
    Buf b = {0};
    drv_last_error(d, &b);
    if (got != wanted || !strstr(buf_text(&b), text))
        fail_msg("line %d: %s: %s\nwanted %s: %s", line, drv_status_name(got), buf_text(&b),
                 drv_status_name(wanted), text);
    buf_free(&b);
}

/* Arguments: a value; the address of a new buffer, which goes to *addr. */
static inline DrvArg value_arg(const void *value, u32 size, u32 align)
{
    return (DrvArg){.size = size, .align = align, .value = value};
}

static inline u32 *out_buffer(Driver *d, u64 size, u32 *addr)
{
    u64 a;
    assert_int_equal(drv_alloc(d, size, &a), DRV_OK);
    *addr = (u32)a;
    return addr;
}

/* Runs a kernel on a line of work-items. */
static inline DrvStatus run(Driver *d, const char *kernel, const DrvArg *args, size_t nargs, u32 global, u32 local)
{
    DrvResult r;
    const DrvKernel k = {.kernel = kernel, .dims = 1, .global = {global}, .local = {local},
                         .args = args, .nargs = nargs};
    return drv_run(d, &k, &r);
}

/* scale, run and looked at; without assertions, for threads. */
static inline bool scales(Driver *d, u32 factor, u32 global, u32 local)
{
    u64 out;
    u32 *got = malloc(global * sizeof *got), word;
    bool ok = !drv_alloc(d, global * 4, &out);
    word = (u32)out;
    const DrvArg args[] = {value_arg(&word, 4, 4), value_arg(&factor, 4, 4)};
    ok = ok && !run(d, "scale", args, 2, global, local) && !drv_read(d, out, got, global * 4);
    for (u32 i = 0; ok && i < global; i++)
        ok = got[i] == i * factor;
    free(got);
    return ok && !drv_free(d, out);
}

static inline void run_scale(Driver *d, u32 factor, u32 global, u32 local)
{
    const u64 used = drv_bytes_used(d);
    if (!scales(d, factor, global, local))
        expect_status(d, DRV_FAULT, DRV_OK, "no fault");
    assert_int_equal(drv_bytes_used(d), used);
}

/* what dump saw: 16 words of arguments, 20 of metadata */
static inline void run_dump(Driver *d, DrvKernel *k, const DrvArg *more, size_t n, u32 word[36], DrvResult *r)
{
    DrvArg args[8];
    u32 out;
    args[0] = value_arg(out_buffer(d, 36 * 4, &out), 4, 4);
    for (size_t i = 0; i < n; i++)
        args[1 + i] = more[i];
    k->kernel = "dump";
    k->args = args;
    k->nargs = n + 1;
    if (drv_run(d, k, r))
        expect_status(d, DRV_FAULT, DRV_OK, "no fault");
    assert_int_equal(drv_read(d, out, word, 36 * 4), DRV_OK);
    assert_int_equal(word[0], out);
}
#endif
