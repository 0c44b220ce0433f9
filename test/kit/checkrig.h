/* checkrig.h -- programs in assembly that run under a check, and what is said of their operations,
 * each of which has a label: o0, o1 and so on.
 */
#ifndef KIT_CHECKRIG_H
#define KIT_CHECKRIG_H
#include "check/internal.h"
#include "link/link.h"
#include "test/kit/assemble.h"

/* A driver whose warps have so many lanes, and on it checks of these kinds, a bit each, whose reports
 * nobody hears. */
static inline void ignore_report(void *to, const CheckReport *r) { (void)to, (void)r; }
static inline void open_check(u32 lanes, u32 kinds, Driver **driver, Check **check)
{
    DeviceOptions dev = dev_defaults();
    dev.machine.lanes = lanes;
    *driver = drv_open(&dev);
    assert_non_null(*driver);
    *check = check_open(*driver, kinds, NULL, ignore_report, NULL);
    assert_non_null(*check);
}

/* The text as an image, and where its n operations are. */
static inline Object *image_of_operations(const Buf *text, u32 n, u32 *pc)
{
    Caught c;
    catch_in(&c);
    Object *o = assemble(buf_text(text), V202);
    Object *image =
        link_program((const Object *const *)&o, 1, &(LinkOptions){.output = "t.elf"}, &c.d);
    obj_free(o);
    if (!image)
        fail_msg("%s", buf_text(&c.text));
    for (u32 i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        const i32 x = obj_find_symbol(image, name);
        assert_true(x >= 0);
        pc[i] = (u32)image->symbols[x].value;
    }
    buf_free(&c.text);
    return image;
}

/* Loads the image, which becomes the driver's, and runs it to its end. */
static inline void run_image(Driver *d, Object *image, const DrvKernel *launch)
{
    Caught c;
    DrvResult r;
    catch_in(&c);
    assert_int_equal(drv_load(d, image, &c.d), DRV_OK);
    if (drv_run(d, launch, &r) != DRV_OK) {
        Buf why = {0};
        drv_last_error(d, &why);
        fail_msg("%s", buf_text(&why));
    }
    buf_free(&c.text);
}

static inline const Cause *cause_at(const Check *c, u32 pc)
{
    for (size_t i = 0; i < c->ncause; i++)
        if (c->cause[i].pc == pc)
            return &c->cause[i];
    return NULL;
}
#endif
