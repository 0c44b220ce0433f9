/* drv_test.c -- launches of the driver: arguments, records, private memory, and every status; threads. */
#include "test/kit/driverrig.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* --- launches ------------------------------------------------------------------------------ */

static void runs_a_kernel(void **state)
{
    (void)state;
    for (int mmu = 0; mmu < 2; mmu++) {
        Driver *d = open_loaded(mmu);
        run_scale(d, 3, 4096, 64);
        run_scale(d, 5, 100, 50);   /* warps that are not full */
        run_scale(d, 7, 7, 7);
        run_scale(d, 9, 2048, 2048); /* the largest group */
        drv_close(d);
    }
}

/* Translations of one launch do not outlive the buffers they led to. */
static void tables_change_between_launches(void **state)
{
    (void)state;
    Driver *d = open_loaded(true);
    for (u32 i = 1; i < 50; i++) {
        u64 hole;
        drv_alloc(d, i % 3 * PAGE_SIZE + 1, &hole);
        run_scale(d, i, 512, 32);
        drv_free(d, hole);
    }
    drv_close(d);
}

static void argument_layout(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    const u8 c = 0x11;
    const u16 h = 0x2222;
    const u64 l = 0x4444444433333333;
    const u32 three[3] = {1, 2, 3};
    const u32 vector[4] = {5, 6, 7, 8};
    const DrvArg args[] = {value_arg(&c, 1, 1), value_arg(&h, 2, 2), value_arg(&l, 8, 8),
                           value_arg(three, 12, 4), value_arg(vector, 16, 16)};
    DrvKernel k = {.dims = 2, .global = {64, 6}, .local = {32, 3}, .offset = {10, 20}};
    u32 word[36];
    DrvResult r;
    run_dump(d, &k, args, countof(args), word, &r);
    /* at 0, 4, 8, 16, 24, 48 */
    assert_int_equal(word[1], 0x11);
    assert_int_equal(word[2], 0x2222);
    assert_int_equal(word[3], 0);
    assert_int_equal(word[4], 0x33333333);
    assert_int_equal(word[5], 0x44444444);
    assert_memory_equal(word + 6, three, sizeof three);
    assert_memory_equal(word + 12, vector, sizeof vector);
    const u32 *m = word + 16;
    const u32 shape[] = {2, 64, 6, 1, 32, 3, 1, 10, 20, 0, 0, 0, 1024, 0, 4096, 0};
    assert_true(m[0] > CODE_LO && m[1] >= HEAP_LO);
    assert_memory_equal(m + 2, shape, sizeof shape);
    assert_int_equal(r.warps, 3);
    assert_int_equal(r.lds, 3 * 1024);
    assert_int_equal(r.pds_lane, 4096);
    drv_close(d);
}

typedef struct {
    Generation generation;
    int tp_word;
    bool has_record;
    u32 local[2];           /* argument words expected of local memory of 100 and of 4 bytes */
    u32 stack, data, word64, word68, lds, pds_lane;
} Layout;

static const Resource record = {.version = 3, .vgpr = 10, .sgpr = 20, .lds_static = 200,
                                .pds_static = 100, .lds_stack = 1000, .pds_stack = 300};

static void check_layout(const Layout *l)
{
    Driver *d = open_driver(false);
    const DrvArg args[] = {{.is_local = true, .size = 100, .align = 4}, {.is_local = true, .size = 4}};
    DrvKernel k = {.dims = 1, .global = {64}, .local = {64}};
    u32 word[36];
    DrvResult r;
    load(d, make_image(l->generation, l->tp_word, l->has_record ? &record : NULL));
    run_dump(d, &k, args, 2, word, &r);
    assert_int_equal(word[1], l->local[0]);
    assert_int_equal(word[2], l->local[1]);
    assert_int_equal(word[16 + 14], l->stack);
    assert_int_equal(word[16 + 15], l->data);
    assert_int_equal(word[16 + 16], l->word64);
    assert_int_equal(word[16 + 17], l->word68);
    assert_int_equal(r.lds, l->lds);
    assert_int_equal(r.pds_lane, l->pds_lane);
    if (l->has_record) {
        assert_int_equal(r.sgprs, 32);
        assert_int_equal(r.vgprs, 12);
    }
    drv_close(d);
}

static void layouts_of_generations(void **state)
{
    (void)state;
    static const Layout layouts[] = {
        /* two stacks, then the arguments by address */
        {GEN_B, 0, false, {0x70000800, 0x70000880}, 1024, 144, 4096, 0, 2192, 4096},
        {GEN_A, 0, false, {0x70000800, 0x70000880}, 1024, 144, 4096, 0, 2192, 4096},
        /* stacks of 1024, static data, then the arguments by offset */
        {GEN_B, 0, true, {2304, 2432}, 1024, 400, 4224, 128, 2448, 4224},
        {GEN_B2, 0, true, {2304, 2432}, 1024, 400, 512, 128, 2448, 512},
        /* data before stacks */
        {GEN_C, 68, true, {256, 384}, 1024, 400, 512, 128, 2448, 512},
        {GEN_C, 64, true, {256, 384}, 1024, 400, 512, 128, 2448, 896},
        {GEN_C, 68, false, {0x70000000, 0x70000080}, 1024, 144, 4096, 0, 2192, 4096},
    };
    for (size_t i = 0; i < countof(layouts); i++)
        check_layout(&layouts[i]);
}

/* A record that knows of more than the 4096 bytes that every launch gets is believed, whatever the
 * start code is. */
static void deep_private_stacks(void **state)
{
    (void)state;
    static const struct {
        Generation g;
        int tp_word;
        u64 stack;
        u32 lane;
    } rows[] = {
        {GEN_A, 0, 5000, 5120},  {GEN_B, 0, 5000, 5120},       {GEN_BARE, 0, 5000, 5120},
        {GEN_B, 0, 300, 4096},   {GEN_B, 0, UINT64_MAX, 4096}, {GEN_B2, 0, 5000, 5120},
        {GEN_C, 68, 5000, 5120},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const Resource r = {.version = 3, .pds_stack = rows[i].stack};
        Driver *d = open_driver(false);
        DrvKernel k = {.dims = 1, .global = {64}, .local = {64}};
        u32 word[36];
        DrvResult result;
        load(d, make_image(rows[i].g, rows[i].tp_word, &r));
        run_dump(d, &k, NULL, 0, word, &result);
        assert_int_equal(result.pds_lane, rows[i].lane);
        assert_int_equal(word[16 + 16], rows[i].lane);
        drv_close(d);
    }
}

/* Who prepares a launch himself must give what the record of the kernel says. */
static void private_memory_of_records(void **state)
{
    (void)state;
    const Resource needs = {.version = 3, .pds_static = 100, .pds_stack = 5000};
    Driver *d = open_driver(false);
    Object *image = make_image(GEN_B, 0, &needs);
    const i32 symbol = obj_find_symbol(image, "wild");
    const u32 entry = image->symbols[symbol].value;
    u64 metadata, pds;
    DrvResult result;
    load(d, image);
    assert_int_equal(drv_alloc(d, 128, &metadata), DRV_OK);
    assert_int_equal(drv_alloc(d, 1 << 20, &pds), DRV_OK);
    assert_int_equal(drv_write(d, metadata, &entry, sizeof entry), DRV_OK);
    DrvRecord r = {.kernel_size = {1, 1, 1},
                   .wf_size = 32,
                   .wg_size = 1,
                   .metadata_base = metadata,
                   .lds_size = 4096,
                   .pds_size = 5099,
                   .pds_base = pds};
    expect_status(d, drv_start(d, &r, NULL, NULL, 0, &result), DRV_RESOURCES,
                  "wild uses 100 + 5000 bytes of private memory a lane, its launch gives it 5099");
    r.pds_size = 5100;
    expect_status(d, drv_start(d, &r, NULL, NULL, 0, &result), DRV_FAULT, "0x00000010");
    drv_close(d);
}

/* No page behind the buffer at `out` has rights: what a launch had for itself is gone, large or small. */
static void expect_nothing_behind(Driver *d, u32 out, u32 size)
{
    enum { LOOKED_AT = 24 << 20 };
    for (u64 a = align_up((u64)out + size, PAGE_SIZE), end = a + LOOKED_AT; a < end; a += PAGE_SIZE)
        assert_false(memory_has(dev_memory(drv_device(d)), a, 1, MEM_R));
}

static void private_memory(void **state)
{
    (void)state;
    enum { N = 4096 };
    u32 out, got[N];
    for (int mmu = 0; mmu < 2; mmu++)
        for (u32 threads = 1; threads <= 8; threads *= 2) {
            Driver *d = open_loaded(mmu);
            const DrvArg arg = value_arg(out_buffer(d, N * 4, &out), 4, 4);
            DrvResult r;
            DrvKernel k = {.kernel = "keep", .dims = 1, .global = {128}, .local = {128},
                           .args = &arg, .nargs = 1, .run = {.threads = threads},
                           .private_min = 5000};
            for (; k.global[0] <= N; k.global[0] *= N / 128) { /* less than a MiB, and 20 of it */
                assert_int_equal(drv_run(d, &k, &r), DRV_OK);
                if (!mmu)
                    expect_nothing_behind(d, out, N * 4);
            }
            assert_int_equal(r.pds_lane, 5120);
            assert_int_equal(drv_read(d, out, got, sizeof got), DRV_OK);
            for (u32 i = 0; i < N; i++)
                assert_int_equal(got[i], i);
            drv_close(d);
        }
}

/* A kernel whose record has no private memory gets none, unless some instruction of the image may reach any. */
static void no_private_memory(void **state)
{
    (void)state;
    static const struct {
        const char *also;    /* in the kernel's code */
        u32 private_min, lane;
    } rows[] = {{"", 0, 0}, {"", 100, 4096}, {"vsw.v v1, 1000(v0)", 0, 4096}, {"vlbu.v v1, 0(v0)", 0, 4096},
                {"csrr x5, pds", 0, 4096}, {"csrr x5, lds", 0, 0}, {"vlw12.v v2, 0(v1)", 0, 0}};
    for (size_t i = 0; i < countof(rows); i++) {
        Driver *d = open_driver(false);
        Caught c;
        Buf text = {0};
        u32 out, got[64];
        const DrvArg arg = value_arg(out_buffer(d, sizeof got, &out), 4, 4);
        const DrvKernel k = {.kernel = "number", .dims = 1, .global = {64}, .local = {64}, .args = &arg, .nargs = 1,
                             .private_min = rows[i].private_min};
        DrvResult r;
        buf_printf(&text, ".text\n.kernel number\nnumber: lw x6, 0(x10)\n csrr x7, tid\n vid.v v2\n vadd.vx v2, v2, x7\n"
                          "vsll.vi v1, v2, 2\n vadd.vx v1, v1, x6\n vsw12.v v2, 0(v1)\n vmv.v.i v0, 0\n %s\n"
                          "endprg x0, x0, x0\n", rows[i].also);
        Object *o = assemble(buf_text(&text), V202);
        catch_in(&c);
        load(d, link_program((const Object *const[]){o}, 1, &(LinkOptions){.output = "t"}, &c.d));
        assert_int_equal(drv_run(d, &k, &r), DRV_OK);
        assert_int_equal(r.pds_lane, rows[i].lane);
        assert_int_equal(drv_read(d, out, got, sizeof got), DRV_OK);
        for (u32 n = 0; n < countof(got); n++)
            assert_int_equal(got[n], n);
        obj_free(o);
        buf_free(&text);
        drv_close(d);
    }
}

typedef struct {
    u64 size, area; /* private memory of a launch, and of a group */
} PrivateRoom;

static void take_private(void *self, const DrvScene *scene, LaunchOptions *options)
{
    const DevLaunch *l = scene->launch;
    PrivateRoom *room = self;
    (void)options;
    *room = (PrivateRoom){.area = align_up((u64)l->pds_lane * l->lanes * l->warps, PAGE_SIZE)};
    for (size_t i = 0; i < scene->nextents; i++)
        if (scene->extents[i].kind == EXTENT_PRIVATE)
            room->size += scene->extents[i].size;
}

/* Every group has private memory of its own, as long as that is no more than 64 MiB; otherwise as many as that is room
 * for, up to 32, or more if more run at a time. */
static void room_of_private_memory(void **state)
{
    enum { ITEMS = 128, MODEST = 64 << 20 };
    (void)state;
    Driver *d = open_loaded(false);
    PrivateRoom room;
    u32 out;
    const DrvArg arg = value_arg(out_buffer(d, ITEMS * 200 * 4, &out), 4, 4);
    drv_watch(d, (DrvWatcher){.self = &room, .begin = take_private});
    for (u32 private_min = 5000; private_min <= 50000; private_min *= 10)
        for (u32 groups = 1; groups <= 200; groups = groups < 3 ? groups + 1 : groups + 49) {
            DrvResult r;
            const DrvKernel k = {.kernel = "keep", .dims = 1, .global = {ITEMS * groups}, .local = {ITEMS}, .args = &arg,
                                 .nargs = 1, .run = {.threads = 1}, .private_min = private_min};
            assert_int_equal(drv_run(d, &k, &r), DRV_OK);
            assert_true(room.area >= (u64)private_min * ITEMS && room.size % room.area == 0);
            if (groups <= MODEST / room.area)
                assert_int_equal(room.size, groups * room.area);
            else
                assert_true(room.size >= room.area * (MODEST / room.area < 32 ? MODEST / room.area : 32) &&
                            room.size <= MODEST);
        }
    drv_close(d);
}

/* A grid with remainders runs in parts, whose counts are added up. */
static void counts_of_parts(void **state)
{
    (void)state;
    u64 insns[2], cycles[2];
    for (u32 i = 0; i < 2; i++) {
        DeviceOptions o = dev_defaults();
        o.engine = dev_find_engine("timing");
        Driver *d = drv_open(&o);
        assert_non_null(d);
        load(d, make_image(GEN_B, 0, NULL));
        u32 out;
        const u32 factor = 3;
        const DrvArg args[] = {value_arg(out_buffer(d, 4000 * 4, &out), 4, 4), value_arg(&factor, 4, 4)};
        DrvResult r;
        const DrvKernel k = {.kernel = "scale", .dims = 1, .global = {i ? 3204 : 3200}, .local = {32}, .args = args, .nargs = 2, .partial = true};
        assert_int_equal(drv_run(d, &k, &r), DRV_OK);
        assert_int_equal(r.dev.run.groups, i ? 101 : 100);
        assert_int_equal(r.dev.run.timed, r.dev.run.groups);
        insns[i] = r.dev.run.insns, cycles[i] = r.dev.run.cycles;
        drv_close(d);
    }
    assert_true(insns[1] > insns[0] && insns[1] < insns[0] + insns[0] / 20);
    assert_true(cycles[1] > cycles[0] && cycles[1] < 2 * cycles[0]);
}

/* Where there is no room for private memory of all groups at once, those run that have some. */
static void scarce_private_memory(void **state)
{
    (void)state;
    enum { BLOCK = 64 << 20, GROUP = 256, AREA = 128 << 20, GROUPS = 12 };
    u64 addr[64], n = 0;
    u32 out, got[GROUP * GROUPS];
    Driver *d = open_loaded(false);
    const DrvArg arg = value_arg(out_buffer(d, sizeof got, &out), 4, 4);
    while (n < countof(addr) && !drv_alloc(d, BLOCK, &addr[n]))
        n++;
    for (u32 areas = 0; areas <= 4; areas++) { /* each of two blocks, and two more for all else that a launch needs */
        for (u32 i = areas ? 2 * areas : 0; i < 2 * areas + 2; i++)
            assert_int_equal(drv_free(d, addr[i]), DRV_OK);
        for (u32 threads = 1; threads <= 5; threads++) {
            DrvResult r;
            const DrvKernel k = {.kernel = "keep", .dims = 1, .global = {GROUP * GROUPS}, .local = {GROUP}, .args = &arg,
                                 .nargs = 1, .run = {.threads = threads}, .private_min = AREA / GROUP};
            assert_int_equal(drv_fill(d, out, "x", 1, sizeof got), DRV_OK);
            if (!areas) {
                expect_status(d, drv_run(d, &k, &r), DRV_RESOURCES, "134217728 bytes of private memory");
                continue;
            }
            assert_int_equal(drv_run(d, &k, &r), DRV_OK);
            assert_int_equal(drv_read(d, out, got, sizeof got), DRV_OK);
            for (u32 i = 0; i < GROUP * GROUPS; i++)
                assert_int_equal(got[i], i);
        }
    }
    drv_close(d);
}

static void statuses_of_launches(void **state)
{
    (void)state;
    Driver *d = open_driver(false);
    DrvResult r;
    const u32 zero = 0;
    const DrvArg none = {0}, odd = value_arg(&zero, 4, 12), big = value_arg(&zero, 1 << 20, 4);
    const DrvArg local = {.is_local = true, .size = 0x10000000};
    expect_status(d, run(d, "scale", NULL, 0, 1, 1), DRV_NO_PROGRAM, "no program");
    load(d, make_image(GEN_B, 0, NULL));
    expect_status(d, run(d, "scales", NULL, 0, 1, 1), DRV_NO_KERNEL, "'scales'; test.elf has scale, dump");
    expect_status(d, run(d, NULL, NULL, 0, 1, 1), DRV_BAD_ARGUMENT, "name");
    expect_status(d, run(d, "scale", NULL, 1, 1, 1), DRV_BAD_ARGUMENT, "arguments");
    expect_status(d, run(d, "scale", &none, 1, 1, 1), DRV_BAD_ARGUMENT, "argument 0 of 0 bytes");
    expect_status(d, run(d, "scale", &odd, 1, 1, 1), DRV_BAD_ARGUMENT, "aligned to 12");
    expect_status(d, run(d, "scale", &big, 1, 1, 1), DRV_BAD_ARGUMENT, "65536 bytes of arguments");
    expect_status(d, run(d, "scale", &local, 1, 1, 1), DRV_RESOURCES, "local memory");
    expect_status(d, run(d, "scale", NULL, 0, 0, 1), DRV_BAD_SIZE, "0 work-items");
    expect_status(d, run(d, "scale", NULL, 0, 1, 0), DRV_BAD_SIZE, "groups of 0");
    expect_status(d, run(d, "scale", NULL, 0, 10, 4), DRV_BAD_SIZE, "no multiple of 4");
    expect_status(d, run(d, "scale", NULL, 0, 4096, 4096), DRV_BAD_SIZE, "more than 2048");
    expect_status(d, run(d, "scale", NULL, 0, UINT32_MAX, UINT32_MAX), DRV_BAD_SIZE, "more than 2048");
    expect_status(d, run(d, "wild", NULL, 0, 1, 1), DRV_FAULT, "load from unmapped memory: 0x00000010");
    expect_status(d, run(d, "wild", NULL, 0, 1, 1), DRV_FAULT, "<wild+0x0>");
    const DrvKernel flat = {.kernel = "scale", .dims = 4};
    expect_status(d, drv_run(d, &flat, &r), DRV_BAD_ARGUMENT, "4 dimensions");
    const DrvKernel point = {.kernel = "scale", .dims = 0};
    expect_status(d, drv_run(d, &point, &r), DRV_BAD_ARGUMENT, "0 dimensions");
    const DrvKernel huge = {.kernel = "scale", .dims = 3, .local = {1, 1, 1},
                            .global = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    expect_status(d, drv_run(d, &huge, &r), DRV_BAD_SIZE, "too many");
    /* the number of groups has 64 bits; here the first of them faults */
    DrvKernel most = {.kernel = "wild", .dims = 3, .local = {1, 1, 1}, .global = {UINT32_MAX, UINT32_MAX, 1}};
    expect_status(d, drv_run(d, &most, &r), DRV_FAULT, "load from unmapped memory");
    most.global[2] = 2;
    expect_status(d, drv_run(d, &most, &r), DRV_BAD_SIZE, "too many");
    const DrvKernel deep = {.kernel = "scale", .dims = 1, .global = {2048}, .local = {2048},
                            .private_min = 0x800000};
    expect_status(d, drv_run(d, &deep, &r), DRV_RESOURCES, "private memory for a work-group");
    const DrvKernel endless = {.kernel = "forever", .dims = 1, .global = {1}, .local = {1},
                               .max_insns = 1000};
    expect_status(d, drv_run(d, &endless, &r), DRV_FAULT, "instruction limit");
    const DrvKernel lost = {.kernel = "wild", .dims = 1, .global = {1}, .local = {1},
                            .export_to = drv_export_open("/nowhere/at/all")};
    expect_status(d, drv_run(d, &lost, &r), DRV_IO, "/nowhere/at/all/wild_0.metadata: No such file");
    drv_export_close(lost.export_to);
    assert_int_equal(drv_bytes_used(d), 0);
    drv_close(d);
}

static void resources_of_machines(void **state)
{
    (void)state;
    DeviceOptions o = dev_defaults();
    const DrvArg local = {.is_local = true, .size = 60000};
    o.machine.lds = 65536;
    o.machine.sgprs = 64;
    Driver *d = drv_open(&o);
    load(d, make_image(GEN_B, 0, NULL));
    expect_status(d, run(d, "scale", &local, 1, 2048, 2048), DRV_RESOURCES, "machine 'default' has");
    expect_status(d, run(d, "scale", &local, 1, 256, 256), DRV_RESOURCES,
                  "scale needs 160 scalar registers, machine 'default' has 64");
    drv_close(d);
    o = dev_defaults();
    o.machine.vgprs = 60;
    o.machine.warps = 4;
    d = drv_open(&o);
    load(d, make_image(GEN_B, 0, NULL));
    expect_status(d, run(d, "scale", NULL, 0, 128, 128), DRV_FAULT, "0x000000"); /* it gets that far */
    expect_status(d, run(d, "scale", NULL, 0, 256, 256), DRV_RESOURCES,
                  "scale needs 8 resident warps, machine 'default' has 4");
    drv_close(d);
    o.machine.warps = 64;
    d = drv_open(&o);
    load(d, make_image(GEN_B, 0, NULL));
    expect_status(d, run(d, "scale", NULL, 0, 256, 256), DRV_RESOURCES,
                  "scale needs 64 vector registers, machine 'default' has 60"); /* v0 to v6, in fours */
    drv_close(d);
    o = dev_defaults();
    o.machine.lds = 65536;
    d = drv_open(&o);
    load(d, make_image(GEN_B, 0, NULL));
    const DrvArg more = {.is_local = true, .size = 65536};
    expect_status(d, run(d, "wild", &more, 1, 32, 32), DRV_RESOURCES,
                  "wild needs 66560 bytes of local memory, machine 'default' has 65536");
    drv_close(d);
}

static void bad_records(void **state)
{
    (void)state;
    const struct { Resource r; const char *text; } rows[] = {
        {{.lds_static = UINT64_MAX}, "local memory"},
        {{.lds_stack = (u64)1 << 40}, "local memory"},
        {{.pds_static = UINT64_MAX - 5}, "private memory"},
        {{.pds_stack = (u64)1 << 33}, "private memory"},
        {{.lds_stack = 0x8000000}, "local memory"},     /* two of them fill the window */
        {{.pds_stack = 0x40000000}, "private memory"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        Driver *d = open_driver(false);
        load(d, make_image(GEN_C, 68, &rows[i].r));
        expect_status(d, run(d, "wild", NULL, 0, 96, 96), DRV_RESOURCES, rows[i].text);
        assert_int_equal(drv_bytes_used(d), 0);
        drv_close(d);
    }
    Driver *b = open_driver(false);
    load(b, make_image(GEN_B, 0, &(Resource){.lds_stack = 1028}));
    expect_status(b, run(b, "wild", NULL, 0, 1, 1), DRV_RESOURCES,
                  "a warp needs 1028 bytes of scalar stack, its start code gives it 1024");
    drv_close(b);
    Driver *d = open_driver(false);
    Object *o = make_image(GEN_C, 68, &record);
    for (size_t i = 0; i < o->nsections; i++)
        if (resource_kernel(&o->sections[i]))
            o->sections[i].data.data[0] = 9; /* a version that nobody knows */
    load(d, o);
    expect_status(d, run(d, "wild", NULL, 0, 1, 1), DRV_BAD_PROGRAM, "version 9");
    drv_close(d);
}

/* Unknown stacks and registers: the defaults. */
static void incomplete_records(void **state)
{
    (void)state;
    const Resource r = {.flags = RES_NO_STACK_PEAK | RES_INDIRECT_CALL, .vgpr = 200, .sgpr = 200,
                        .lds_stack = UINT64_MAX, .pds_stack = UINT64_MAX};
    Driver *d = open_driver(false);
    DrvKernel k = {.dims = 1, .global = {64}, .local = {64}};
    DrvResult result;
    u32 word[36];
    load(d, make_image(GEN_C, 68, &r));
    run_dump(d, &k, NULL, 0, word, &result);
    assert_int_equal(result.lds, 2048);
    assert_int_equal(result.pds_lane, 4096);
    assert_true(result.sgprs < 64 && result.vgprs < 64);
    drv_close(d);
}

static void images_that_do_not_load(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    Caught c;
    catch_in(&c);
    expect_status(d, drv_load(d, NULL, &c.d), DRV_BAD_ARGUMENT, "no image");
    Object *o = make_image(GEN_B, 0, NULL);
    o->segments[0].addr = HEAP_LO;
    expect_status(d, drv_load(d, o, &c.d), DRV_BAD_PROGRAM, "test.elf");
    char text[128];
    snprintf(text, sizeof text, "segment 0x90000000..0x%08llx lies outside the code window",
             0x90000000ull + o->segments[0].memsz);
    expect_error(&c, text);
    o->segments[0].addr = CODE_LO;
    o->entry = CODE_LO + 4;
    expect_status(d, drv_load(d, o, &c.d), DRV_BAD_PROGRAM, "test.elf");
    expect_error(&c, "entry is 0x80000004");
    obj_free(o);
    run_scale(d, 2, 64, 32); /* with the image that was there */
    drv_close(d);
}

/* The next program finds no memory of the one before but what is its own. */
static void programs_go_whole(void **state)
{
    (void)state;
    Object *o = assemble(".text\nnop\n.zero 20000\n.data\n.word 7\n.bss\n.zero 20000\n", V202);
    Driver *d = open_driver(false);
    const Memory *m = dev_memory(drv_device(d));
    Caught c;
    catch_in(&c);
    Object *image = link_objects((const Object *const[]){o}, 1, &(LinkOptions){.output = "t"}, &c.d);
    expect_silence(&c);
    u32 n = 0;
    u64 end[8];
    for (size_t i = 0; i < image->nsegments && n < countof(end); i++)
        if (image->segments[i].memsz && image->segments[i].addr >= CODE_LO)
            end[n++] = (u64)image->segments[i].addr + image->segments[i].memsz - 1;
    assert_true(n > 1);
    load(d, image);
    for (u32 i = 0; i < n; i++)
        assert_true(memory_has(m, end[i], 1, MEM_R));
    load(d, make_image(GEN_B, 0, NULL));
    for (u32 i = 0; i < n; i++)
        assert_false(memory_has(m, end[i], 1, MEM_R));
    run_scale(d, 2, 64, 32);
    obj_free(o);
    drv_close(d);
}

static void loads_and_runs(void **state)
{
    (void)state;
    for (int mmu = 0; mmu < 2; mmu++) {
        DeviceOptions o = dev_defaults();
        o.mmu = mmu;
        o.engine = dev_find_engine("interp");
        Driver *d = drv_open(&o);
        assert_non_null(d);
        load(d, make_image(GEN_B, 0, NULL));
        run_scale(d, 2, 64, 32);
        drv_close(d);
    }
}

static void names_kernels(void **state)
{
    (void)state;
    const char *names[3];
    Object *o = make_image(GEN_B, 0, NULL);
    assert_int_equal(drv_kernels(o, names, 3), 7);
    assert_string_equal(names[0], "scale");
    assert_string_equal(names[2], "keep");
    obj_free(o);
    o = make_image(GEN_C, 0, &record);
    assert_int_equal(drv_kernels(o, names, 3), 7);
    assert_string_equal(names[1], "dump");
    obj_free(o);
}

/* Without records kernels are the global functions in code that no library has. */
static void finds_kernels_by_name(void **state)
{
    static const struct {
        const char *name;
        u8 bind, type;
        int section; /* 0: code, 1: data, -1: none */
        bool is_kernel;
    } rows[] = {
        {"first", STB_GLOBAL, STT_FUNC, 0, true},   {"main", STB_GLOBAL, STT_FUNC, 0, false},
        {"mainly", STB_GLOBAL, STT_FUNC, 0, true},  {"spike_end", STB_GLOBAL, STT_FUNC, 0, false},
        {"spike_exit", STB_GLOBAL, STT_FUNC, 0, false}, {"_start", STB_GLOBAL, STT_FUNC, 0, false},
        {"__mulsf3", STB_GLOBAL, STT_FUNC, 0, false}, {".L1", STB_GLOBAL, STT_FUNC, 0, false},
        {"$x", STB_GLOBAL, STT_FUNC, 0, false},     {"", STB_GLOBAL, STT_FUNC, 0, false},
        {"own", STB_LOCAL, STT_FUNC, 0, false},     {"weak", STB_WEAK, STT_FUNC, 0, false},
        {"label", STB_GLOBAL, STT_NOTYPE, 0, false}, {"table", STB_GLOBAL, STT_OBJECT, 0, false},
        {"data", STB_GLOBAL, STT_FUNC, 1, false},   {"nowhere", STB_GLOBAL, STT_FUNC, -1, false},
        {"last", STB_GLOBAL, STT_FUNC, 0, true},
    };
    const char *names[countof(rows)];
    size_t n = 0;
    (void)state;
    Object *o = obj_new("t");
    const i32 code = add_bytes(o, ".text", TEXT_FLAGS, 4, "abcd", 4), data = add_bytes(o, ".data", DATA_FLAGS, 4, "abcd", 4);
    for (size_t i = 0; i < countof(rows); i++)
        assert_true(obj_add_symbol(o, rows[i].name, rows[i].section < 0 ? -1 : rows[i].section ? data : code, 0, rows[i].bind,
                                   rows[i].type) >= 0);
    assert_int_equal(drv_kernels(o, names, countof(names)), 3);
    for (size_t i = 0; i < countof(rows); i++)
        if (rows[i].is_kernel)
            assert_string_equal(names[n++], rows[i].name);
    /* the first ones, where there is no room for all */
    names[1] = NULL;
    assert_int_equal(drv_kernels(o, names, 1), 3);
    assert_string_equal(names[0], "first");
    assert_null(names[1]);
    assert_int_equal(drv_kernels(o, NULL, 0), 3);
    /* records are believed alone, if there is one */
    assert_true(resource_add(o, "own", &record));
    assert_int_equal(drv_kernels(o, names, countof(names)), 1);
    assert_string_equal(names[0], "own");
    names[0] = NULL;
    assert_int_equal(drv_kernels(o, names, 0), 1);
    assert_null(names[0]);
    obj_free(o);
}

static void names_statuses(void **state)
{
    (void)state;
    assert_string_equal(drv_status_name(DRV_OK), "OK");
    assert_string_equal(drv_status_name(DRV_FAULT), "FAULT");
    assert_string_equal(drv_status_text(DRV_NO_KERNEL), "the program has no kernel of this name");
    assert_string_equal(drv_status_name((DrvStatus)99), "UNKNOWN");
    assert_string_equal(drv_status_text((DrvStatus)99), "unknown status");
}

/* --- drv_start --------------------------------------------------------------------------- */

/* The same kernel, prepared by hand. */
static DrvRecord prepare(Driver *d, u32 out, u32 factor, u64 *args, u64 *knl, u64 *pds)
{
    const i32 symbol = obj_find_symbol(dev_code(drv_device(d))->image, "scale");
    u32 word[32] = {dev_code(drv_device(d))->image->symbols[symbol].value};
    const u32 arg[2] = {out, factor};
    assert_int_equal(drv_alloc(d, sizeof arg, args), DRV_OK);
    assert_int_equal(drv_alloc(d, sizeof word, knl), DRV_OK);
    assert_int_equal(drv_alloc(d, 8 * 2 * 4096, pds), DRV_OK);
    word[1] = (u32)*args;
    word[2] = word[4] = word[5] = word[7] = word[8] = 1;
    word[3] = 64, word[6] = 16;
    assert_int_equal(drv_write(d, *args, arg, sizeof arg), DRV_OK);
    assert_int_equal(drv_write(d, *knl, word, sizeof word), DRV_OK);
    return (DrvRecord){.kernel_size = {4, 1, 1}, .wf_size = 8, .wg_size = 2, .metadata_base = *knl,
                       .lds_size = 0x1000, .pds_size = 0x1000, .pds_base = *pds};
}

static void starts_a_record(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    u64 args, knl, pds;
    u32 out, got[64];
    DrvResult r;
    out_buffer(d, sizeof got, &out);
    DrvRecord rec = prepare(d, out, 11, &args, &knl, &pds);
    assert_int_equal(drv_start(d, &rec, "scale", NULL, 0, &r), DRV_OK);
    assert_int_equal(r.lds, 0x1000);
    drv_read(d, out, got, sizeof got);
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(got[i], i * 11);
    DrvRecord bad = rec;
    bad.wf_size = 6;
    r.warps = 7, r.dev.run.insns = 9; /* of a launch that was not */
    expect_status(d, drv_start(d, &bad, NULL, NULL, 0, &r), DRV_BAD_SIZE, "6 threads a warp");
    assert_int_equal(r.warps, 0);
    assert_int_equal(r.dev.run.insns, 0);
    bad = rec, bad.wg_size = 65;
    expect_status(d, drv_start(d, &bad, NULL, NULL, 0, &r), DRV_BAD_SIZE, "65 warps a work-group");
    bad = rec, bad.kernel_size[1] = 0;
    expect_status(d, drv_start(d, &bad, NULL, NULL, 0, &r), DRV_BAD_SIZE, "4 by 0 by 1");
    bad = rec, bad.kernel_size[0] = bad.kernel_size[1] = bad.kernel_size[2] = UINT32_MAX;
    expect_status(d, drv_start(d, &bad, NULL, NULL, 0, &r), DRV_BAD_SIZE, "work-groups");
    for (int i = 0; i < 3; i++) { /* two times 2^64 and a little less */
        bad = rec, bad.kernel_size[0] = bad.kernel_size[1] = bad.kernel_size[2] = UINT32_MAX;
        bad.kernel_size[i] = 2;
        expect_status(d, drv_start(d, &bad, NULL, NULL, 0, &r), DRV_BAD_SIZE, "work-groups");
    }
    bad = rec, bad.pds_base = (u64)1 << 32;
    expect_status(d, drv_start(d, &bad, NULL, NULL, 0, &r), DRV_BAD_ARGUMENT, "private memory address");
    bad = rec, bad.wg_size = 8; /* eight stacks do not fit what old records promise */
    assert_int_equal(drv_start(d, &bad, NULL, NULL, 0, &r), DRV_OK);
    assert_int_equal(r.lds, 8 * 1024);
    bad = rec, bad.metadata_base = HEAP_LO + 0x100000;
    expect_status(d, drv_start(d, &bad, "scale", NULL, 0, &r), DRV_FAULT, "0x90100000");
    drv_close(d);
    d = open_driver(false);
    expect_status(d, drv_start(d, &rec, NULL, NULL, 0, &r), DRV_NO_PROGRAM, "nothing at 0x80000000");
    drv_close(d);
}

/* Code that came by copying runs as well as a loaded image, and replaces it. */
static void runs_written_code(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    Object *image = make_image(GEN_B, 0, NULL);
    const Buf *code = &image->segments[0].data;
    u64 args, knl, pds;
    u32 out, word = 0;
    DrvResult r;
    out_buffer(d, 256, &out);
    DrvRecord rec = prepare(d, out, 3, &args, &knl, &pds);
    const u8 far_away[4] = {0};
    assert_int_equal(drv_write(d, CODE_LO + 0x10000, far_away, 4), DRV_OK);
    assert_int_equal(drv_write(d, CODE_LO, code->data, code->len), DRV_OK);
    assert_int_equal(drv_start(d, &rec, NULL, NULL, 0, &r), DRV_OK);
    assert_int_equal(drv_read(d, out + 4 * 63, &word, 4), DRV_OK);
    assert_int_equal(word, 3 * 63);
    expect_status(d, run(d, "scale", NULL, 0, 1, 1), DRV_NO_PROGRAM, "no program");
    assert_int_equal(drv_read(d, CODE_LO + code->len - 4, &word, 4), DRV_OK);
    load(d, image);
    expect_status(d, drv_read(d, CODE_LO + 0x10000, &word, 4), DRV_OUT_OF_RANGE, "no buffer");
    run_scale(d, 2, 64, 32);
    drv_close(d);
}

/* Of code that comes in pieces, in any order, all registers count. */
static void written_pieces_count(void **state)
{
    static const u32 piece[3][2] = {{0x00a00293, 0}, /* li t0, 10: x5 */
                                    {0x001f8f93, 0}, /* addi t6, t6, 1: x31 */
                                    {0x021002d7, 0}};/* vadd.vv v5, v1, v0 */
    static const u8 order[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    for (size_t i = 0; i < countof(order); i++) {
        Driver *d = open_driver(false);
        DrvResult r;
        for (u32 k = 0; k < 3; k++)
            assert_int_equal(drv_write(d, CODE_LO + 0x100 * order[i][k], piece[order[i][k]], 8), DRV_OK);
        assert_int_equal(drv_start(d, &(DrvRecord){.wf_size = 6}, NULL, NULL, 0, &r), DRV_BAD_SIZE);
        assert_int_equal(dev_code(drv_device(d))->needs.sgprs, 32);
        assert_int_equal(dev_code(drv_device(d))->needs.vgprs, 6);
        drv_close(d);
    }
}

/* --- threads ----------------------------------------------------------------------------- */

typedef struct { Driver *d; u32 number; } Job;

static void *job(void *arg)
{
    const Job *j = arg;
    for (u32 i = 0; i < 20; i++)
        if (!scales(j->d, j->number * 100 + i, 256, 64))
            return arg;
    return NULL;
}

static void many_at_once(void **state)
{
    (void)state;
    enum { N = 6 };
    pthread_t thread[N];
    Job jobs[N];
    Driver *shared = open_loaded(false);
    for (u32 i = 0; i < N; i++) {
        jobs[i] = (Job){i < 3 ? shared : open_loaded(i == 4), i};
        assert_int_equal(pthread_create(&thread[i], NULL, job, &jobs[i]), 0);
    }
    for (u32 i = 0; i < N; i++) {
        void *bad;
        pthread_join(thread[i], &bad);
        assert_null(bad);
    }
    for (u32 i = 3; i < N; i++)
        drv_close(jobs[i].d);
    assert_int_equal(drv_bytes_used(shared), 0);
    drv_close(shared);
}

/* One of several threads that fail while all live. */
typedef struct {
    Driver *d;
    u32 number;
    pthread_barrier_t *meet;
} Failing;

static void *fail_once(void *arg)
{
    const Failing *f = arg;
    Buf wanted = {0};
    bool same = true;
    drv_free(f->d, f->number);
    buf_printf(&wanted, "no buffer starts at this address: 0x%08x", f->number);
    for (u32 i = 0; i < 2; i++) { /* also when the others have failed */
        Buf b = {0};
        drv_last_error(f->d, &b);
        same = same && !strcmp(buf_text(&b), buf_text(&wanted));
        buf_free(&b);
        pthread_barrier_wait(f->meet);
    }
    buf_free(&wanted);
    return same ? NULL : arg;
}

/* Of n threads at once, which have numbers from `number` on. */
static void fail_in_threads(Driver *d, u32 n, u32 number)
{
    pthread_t t[MAX_LAST_ERRORS];
    Failing f[MAX_LAST_ERRORS];
    pthread_barrier_t meet;
    void *bad;
    assert_int_equal(pthread_barrier_init(&meet, NULL, n), 0);
    for (u32 k = 0; k < n; k++) {
        f[k] = (Failing){d, number + k, &meet};
        assert_int_equal(pthread_create(&t[k], NULL, fail_once, &f[k]), 0);
    }
    for (u32 k = 0; k < n; k++) {
        pthread_join(t[k], &bad);
        assert_null(bad);
    }
    pthread_barrier_destroy(&meet);
}

/* Each thread has its own, as many as are remembered; more in a row do no harm. */
static void errors_are_of_threads(void **state)
{
    (void)state;
    Driver *d = open_driver(false);
    Buf b = {0};
    drv_last_error(d, &b);
    assert_int_equal(b.len, 0);
    fail_in_threads(d, MAX_LAST_ERRORS, 0x1000);
    for (u32 i = 0; i < 100; i++)
        fail_in_threads(d, 1, 0x2000 + i);
    drv_close(d);
}

/* Those that the thread may run on, not all that the host has. */
static void processors_are_counted(void **state)
{
    cpu_set_t all, one;
    size_t first = 0;
    (void)state;
    if (sched_getaffinity(0, sizeof all, &all))
        skip(); /* more than fit */
    assert_int_equal(host_processors(), CPU_COUNT(&all));
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_false(sched_setaffinity(0, sizeof one, &one));
    const u32 n = host_processors();
    assert_false(sched_setaffinity(0, sizeof all, &all));
    assert_int_equal(n, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_are_counted),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(runs_a_kernel),
        cmocka_unit_test(tables_change_between_launches),
        cmocka_unit_test(deep_private_stacks),
        cmocka_unit_test(private_memory_of_records),
        cmocka_unit_test(private_memory), cmocka_unit_test(no_private_memory),
        cmocka_unit_test(scarce_private_memory),
        cmocka_unit_test(room_of_private_memory),
        cmocka_unit_test(counts_of_parts),
        cmocka_unit_test(names_statuses),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(argument_layout),
        cmocka_unit_test(layouts_of_generations),
        cmocka_unit_test(statuses_of_launches),
        cmocka_unit_test(resources_of_machines),
        cmocka_unit_test(bad_records),
        cmocka_unit_test(incomplete_records),
        cmocka_unit_test(images_that_do_not_load),
        cmocka_unit_test(programs_go_whole),
        cmocka_unit_test(loads_and_runs),
        cmocka_unit_test(names_kernels),
        cmocka_unit_test(finds_kernels_by_name),
        cmocka_unit_test(starts_a_record),
        cmocka_unit_test(runs_written_code),
        cmocka_unit_test(written_pieces_count),
        cmocka_unit_test(errors_are_of_threads),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
