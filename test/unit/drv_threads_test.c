/* drv_threads_test.c -- what threads may do to a driver while one of them launches. */
#include "test/kit/assemble.h"
#include "test/kit/skip.h"
#include "test/kit/waiting.h"
#include "drv/drv.h"
#include "link/crt0.h"
#include "link/link.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* Besides those of test/kit/waiting.h:
 *
 * count(counter)      every work-item adds 1 */
static const char text[] =
    WAITING_KERNELS
    "   .kernel count\n"
    "count: lw a1, 0(a0)\n"
    "   vmv.v.x v4, a1\n"
    "   vmv.v.i v5, 1\n"
    "   amoadd.w v6, v5, (v4)\n"
    "   ret\n";

static Object *image_of(const char *program)
{
    Caught c;
    Object *crt0 = NULL, *o = assemble(program, V202);
    catch_in(&c);
    assert_true(obj_read("crt0", crt0_object, crt0_object_size, &c.d, &crt0));
    Object *linked = link_objects((const Object *const[]){crt0, o}, 2, &(LinkOptions){.output = "t"}, &c.d);
    assert_non_null(linked);
    obj_free(crt0);
    obj_free(o);
    buf_free(&c.text);
    return linked;
}

static Object *image(void) { return image_of(text); }

/* A driver with two programs of the same text, and a launch of wait(). */
typedef struct {
    Driver *d;
    DrvProgram *program, *other;
    u64 flag, out;
    u64 room; /* the only free address, of leave_room_for() */
    pthread_t thread;
    DrvStatus status; /* of the launch */
    Buf why;          /* it failed */
} Rig;

static DrvStatus run(Driver *d, DrvProgram *p, const char *kernel, u64 a, u32 b, u32 items)
{
    const u32 first = (u32)a;
    const DrvArg args[] = {{.size = 4, .align = 4, .value = &first}, {.size = 4, .align = 4, .value = &b}};
    const DrvKernel k = {.program = p, .kernel = kernel, .dims = 1, .global = {items},
                         .local = {items < 32 ? items : 32}, .args = args, .nargs = 2, .run = {.timeout = 60}};
    DrvResult r;
    return drv_run(d, &k, &r);
}

static void *wait_in_kernel(void *arg)
{
    Rig *r = arg;
    r->status = run(r->d, r->program, "wait", r->flag, (u32)r->out, 1);
    if (r->status)
        drv_last_error(r->d, &r->why);
    return NULL;
}

static u32 word(Driver *d, u64 addr)
{
    u32 v = 0;
    assert_int_equal(drv_read(d, addr, &v, sizeof v), DRV_OK);
    return v;
}

static void open_rig_of(Rig *r, const char *engine, bool mmu)
{
    Caught c;
    DeviceOptions o = dev_defaults();
    o.mmu = mmu;
    o.engine = dev_find_engine(engine);
    catch_in(&c);
    *r = (Rig){.d = drv_open(&o)};
    assert_non_null(r->d);
    assert_int_equal(drv_program_open(r->d, image(), &r->program, &c.d), DRV_OK);
    assert_int_equal(drv_program_open(r->d, image(), &r->other, &c.d), DRV_OK);
    assert_int_equal(drv_alloc(r->d, 8, &r->flag), DRV_OK);
    assert_int_equal(drv_alloc(r->d, 4, &r->out), DRV_OK);
    buf_free(&c.text);
}

static void open_rig(Rig *r, bool mmu) { open_rig_of(r, "auto", mmu); }

/* Returns when the kernel waits. */
static void begin(Rig *r)
{
    assert_int_equal(pthread_create(&r->thread, NULL, wait_in_kernel, r), 0);
    while (!word(r->d, r->flag + 4))
        sched_yield();
}

static void release(const Rig *r) { assert_int_equal(drv_write(r->d, r->flag, &(u32){77}, 4), DRV_OK); }

static void close_rig(Rig *r)
{
    drv_program_close(r->d, r->program);
    drv_program_close(r->d, r->other);
    drv_close(r->d);
    buf_free(&r->why);
}

/* All of this ends while the kernel waits, or the kernel's time is up. */
static void go_on(const char *engine, bool mmu)
{
    enum { SIZE = 3 * PAGE_SIZE };
    static u8 bytes[SIZE], got[SIZE];
    Rig r;
    u64 a, b, freed, next;
    open_rig_of(&r, engine, mmu);
    assert_int_equal(drv_alloc(r.d, SIZE, &a), DRV_OK);
    begin(&r);
    memset(bytes, 0x5a, SIZE);
    assert_int_equal(drv_write(r.d, a, bytes, SIZE), DRV_OK);
    assert_int_equal(drv_alloc(r.d, SIZE, &b), DRV_OK);
    assert_int_equal(drv_copy(r.d, a, b, SIZE), DRV_OK);
    assert_int_equal(drv_fill(r.d, a, &(u16){0x1234}, 2, PAGE_SIZE), DRV_OK);
    assert_int_equal(drv_read(r.d, b, got, SIZE), DRV_OK);
    assert_memory_equal(got, bytes, SIZE);
    assert_int_equal(word(r.d, a), 0x12341234);
    /* a launch of the same program */
    assert_int_equal(run(r.d, r.program, "touch", b, 5, 1), DRV_OK);
    assert_int_equal(word(r.d, b), 5);
    /* nobody gets what was freed before the kernel has ended */
    assert_int_equal(drv_alloc(r.d, SIZE, &freed), DRV_OK);
    assert_int_equal(drv_write(r.d, freed, bytes, SIZE), DRV_OK);
    assert_int_equal(drv_free(r.d, freed), DRV_OK);
    assert_int_equal(drv_free(r.d, freed), DRV_NO_BUFFER);
    assert_int_equal(drv_write(r.d, freed, bytes, 1), DRV_OUT_OF_RANGE);
    assert_int_equal(drv_alloc(r.d, SIZE, &next), DRV_OK);
    assert_true(next != freed);
    assert_int_equal(word(r.d, r.out), 0);
    release(&r);
    pthread_join(r.thread, NULL);
    assert_int_equal(r.status, DRV_OK);
    assert_int_equal(word(r.d, r.out), 77);
    assert_int_equal(drv_alloc_at(r.d, freed, SIZE), DRV_OK);
    memset(bytes, 0, SIZE);
    assert_int_equal(drv_read(r.d, freed, got, SIZE), DRV_OK);
    assert_memory_equal(got, bytes, SIZE);
    close_rig(&r);
}

static void goes_on_beside_a_launch(void **state)
{
    (void)state;
    go_on("auto", false);
    go_on("auto", true);
}

/* The engine that compares cannot know which of the two saw what the host did meanwhile. */
static void goes_on_beside_a_comparison(void **state)
{
    (void)state;
    if (!dev_find_engine("shadow"))
        skip_because("the engine shadow is not there");
    go_on("shadow", false);
}

/* The kernel loses a buffer that it uses. */
static void take_rights(const char *engine)
{
    Rig r;
    open_rig_of(&r, engine, false);
    begin(&r);
    assert_int_equal(drv_free(r.d, r.flag), DRV_OK);
    pthread_join(r.thread, NULL);
    assert_int_equal(r.status, DRV_FAULT);
    assert_non_null(strstr(buf_text(&r.why), "0x90000000"));
    close_rig(&r);
}

static void takes_rights_at_once(void **state)
{
    (void)state;
    take_rights("auto");
    if (dev_find_engine("shadow"))
        take_rights("shadow");
}

/* --- what waits for launches ------------------------------------------------------------------ */

static DrvStatus run_other(Rig *r) { return run(r->d, r->other, "touch", r->flag, 1, 1); }
static DrvStatus free_all(Rig *r) { return drv_free_all(r->d); }
static DrvStatus write_code(Rig *r) { return drv_write(r->d, CODE_LO, &(u32){0}, 4); }

static DrvStatus load(Rig *r)
{
    Caught c;
    catch_in(&c);
    const DrvStatus s = drv_load(r->d, image(), &c.d);
    buf_free(&c.text);
    return s;
}

static DrvStatus start(Rig *r)
{
    DrvResult result;
    const DrvRecord record = {.kernel_size = {0}};
    const DrvStatus s = drv_start(r->d, &record, "none", NULL, 0, &result);
    return s == DRV_BAD_SIZE ? DRV_OK : s;
}

static DrvStatus export(Rig *r)
{
    const DrvKernel k = {.program = r->program, .kernel = "touch", .dims = 1, .global = {1}, .local = {1},
                         .export_to = drv_export_open("/nowhere/at/all")};
    DrvResult result;
    const DrvStatus s = drv_run(r->d, &k, &result);
    drv_export_close(k.export_to);
    return s == DRV_IO ? DRV_OK : s;
}

/* What needs memory. */

static DrvStatus run_same(Rig *r) { return run(r->d, r->program, "touch", r->flag, 1, 1); }

/* in two parts, which share the print buffer */
static DrvStatus run_printing(Rig *r)
{
    const u32 args[] = {(u32)r->flag, 1};
    const DrvArg arg[] = {{.size = 4, .align = 4, .value = &args[0]}, {.size = 4, .align = 4, .value = &args[1]}};
    Buf print = {0};
    const DrvKernel k = {.program = r->program, .kernel = "touch", .dims = 1, .global = {3}, .local = {2}, .partial = true,
                         .args = arg, .nargs = 2, .print = &print};
    DrvResult result;
    const DrvStatus s = drv_run(r->d, &k, &result);
    buf_free(&print);
    return s;
}

static DrvStatus alloc_two_pages(Rig *r)
{
    u64 addr;
    return drv_alloc(r->d, 2 * PAGE_SIZE, &addr);
}

static DrvStatus alloc_at_room(Rig *r) { return drv_alloc_at(r->d, r->room, PAGE_SIZE); }

typedef struct {
    Rig *r;
    DrvStatus (*change)(Rig *r);
    const u8 *out; /* the host's view of it */
    DrvStatus status;
    u32 seen; /* in out when it was done */
    atomic_bool has_begun;
} Change;

static void *change(void *arg)
{
    Change *c = arg;
    atomic_store(&c->has_begun, true);
    c->status = c->change(c->r);
    memcpy(&c->seen, c->out, sizeof c->seen);
    return NULL;
}

/* Begins the change, lets it do what it does while the kernel waits, and ends both. */
static void change_beside(Rig *r, Change *c)
{
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, change, c), 0);
    while (!atomic_load(&c->has_begun))
        sched_yield();
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    release(r);
    pthread_join(t, NULL);
    pthread_join(r->thread, NULL);
    assert_int_equal(r->status, DRV_OK);
    assert_int_equal(c->status, DRV_OK);
    assert_int_equal(c->seen, 77);
}

static void waits_for_launches(void **state)
{
    static DrvStatus (*const changes[])(Rig *) = {run_other, load, start, write_code, export, free_all};
    (void)state;
    for (size_t i = 0; i < countof(changes); i++) {
        Rig r;
        open_rig(&r, false);
        Change c = {.r = &r, .change = changes[i], .out = drv_host_pointer(r.d, r.out, 4)};
        begin(&r);
        change_beside(&r, &c);
        close_rig(&r);
    }
}

/* Takes all memory but as much as `need` needs. */
static void leave_room_for(Rig *r, DrvStatus (*need)(Rig *))
{
    u64 addr;
    assert_int_equal(drv_alloc(r->d, 4 << 20, &r->room), DRV_OK);
    for (u64 size = 256 << 20; size >= PAGE_SIZE; size /= 16)
        while (drv_alloc(r->d, size, &addr) == DRV_OK)
            ;
    assert_int_equal(drv_free(r->d, r->room), DRV_OK);
    for (u64 size = 256 << 10; size >= PAGE_SIZE; size /= 4) {
        do
            assert_int_equal(drv_alloc(r->d, size, &r->room), DRV_OK);
        while (need(r) == DRV_OK);
        assert_int_equal(drv_free(r->d, r->room), DRV_OK);
    }
}

/* What the waiting launch has for itself is free when it ends. */
static void waits_for_memory(void **state)
{
    static const struct {
        DrvStatus (*room)(Rig *), (*change)(Rig *);
    } rows[] = {{run_same, run_same}, {run_printing, run_printing}, {run_same, alloc_two_pages},
                {run_same, alloc_at_room}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Rig r;
        open_rig(&r, false);
        leave_room_for(&r, rows[i].room);
        assert_int_equal(drv_write(r.d, r.flag, &(u64){0}, 8), DRV_OK);
        Change c = {.r = &r, .change = rows[i].change, .out = drv_host_pointer(r.d, r.out, 4)};
        begin(&r);
        change_beside(&r, &c);
        close_rig(&r);
    }
}

/* Prepares a launch of wait() as hosts of the vt_ API do. */
static DrvRecord prepare(Rig *r)
{
    u64 args, metadata, private;
    assert_int_equal(load(r), DRV_OK);
    const Object *o = dev_code(drv_device(r->d))->image;
    assert_int_equal(drv_alloc(r->d, 8, &args), DRV_OK);
    assert_int_equal(drv_alloc(r->d, 128, &metadata), DRV_OK);
    assert_int_equal(drv_alloc(r->d, 1 << 20, &private), DRV_OK);
    const u32 arg[] = {(u32)r->flag, (u32)r->out};
    const u32 words[32] = {o->symbols[obj_find_symbol(o, "wait")].value, (u32)args, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(drv_write(r->d, args, arg, sizeof arg), DRV_OK);
    assert_int_equal(drv_write(r->d, metadata, words, sizeof words), DRV_OK);
    return (DrvRecord){.kernel_size = {1, 1, 1}, .wf_size = 32, .wg_size = 1, .metadata_base = metadata,
                       .lds_size = 0x1000, .pds_size = 1024, .pds_base = private};
}

static DrvRecord record;

static void *wait_in_record(void *arg)
{
    Rig *r = arg;
    const LaunchOptions options = {.timeout = 60};
    DrvResult result;
    r->status = drv_start(r->d, &record, "wait", &options, 0, &result);
    return NULL;
}

static DrvStatus run_whatever(Rig *r) { return run(r->d, NULL, "touch", r->flag, 1, 1); }

/* What somebody else prepared runs alone: private memory could be the same. */
static void starts_alone(void **state)
{
    Rig r;
    (void)state;
    open_rig(&r, false);
    record = prepare(&r);
    Change c = {.r = &r, .change = run_whatever, .out = drv_host_pointer(r.d, r.out, 4)};
    assert_int_equal(pthread_create(&r.thread, NULL, wait_in_record, &r), 0);
    while (!word(r.d, r.flag + 4))
        sched_yield();
    change_beside(&r, &c);
    close_rig(&r);
}

/* --- locks under contention -------------------------------------------------------------- */

#ifdef __SANITIZE_THREAD__ /* which takes its time */
enum { ROUNDS = 20 };
#else
enum { ROUNDS = 200 };
#endif
enum { THREADS = 4, ITEMS = 1024 };

/* Launches of two programs in turn, among blocks that come and go. */
static void *hammer(void *arg)
{
    const Rig *r = arg;
    u32 bad = 0;
    for (u32 i = 0; i < ROUNDS; i++) {
        u64 a = 0, b = 0;
        bad += drv_alloc(r->d, 5000, &a) || drv_alloc(r->d, 100, &b);
        bad += word(r->d, a) || word(r->d, a + 4996) || word(r->d, b);
        bad += drv_fill(r->d, a, &(u32){i + 1}, 4, 5000) != DRV_OK;
        bad += drv_copy(r->d, a, b, 100) || word(r->d, b + 96) != i + 1;
        bad += run(r->d, i % 16 == 15 ? r->other : r->program, "count", r->out, 0, ITEMS) != DRV_OK;
        bad += drv_free(r->d, a) || drv_free(r->d, b);
        bad += drv_free(r->d, a + 1) != DRV_NO_BUFFER;
    }
    return bad ? arg : NULL;
}

static void counts_under_contention(void **state)
{
    (void)state;
    for (int mmu = 0; mmu < 2; mmu++) {
        pthread_t t[THREADS];
        Rig r;
        open_rig(&r, mmu);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&t[i], NULL, hammer, &r), 0);
        for (int i = 0; i < THREADS; i++) {
            void *bad;
            pthread_join(t[i], &bad);
            assert_null(bad);
        }
        assert_int_equal(word(r.d, r.out), THREADS * ROUNDS * ITEMS);
        assert_int_equal(drv_bytes_used(r.d), 2 * PAGE_SIZE);
        close_rig(&r);
    }
}

/* Fills stack that functions use later. */
static __attribute__((noinline)) void spoil_stack(void)
{
    volatile u8 bytes[1 << 14];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0xa5;
}

/* Words of the metadata block that have no meaning are 0 (doc/abi.md: 24 and on, of 32). */
static void metadata_has_no_more(void **state)
{
    static const char words[] = "   .text\n"
                                "   .kernel words\n"
                                "words: lw a1, 0(a0)\n"
                                "   csrr t0, CSR_KNL\n"
                                "   li t1, 32\n"
                                "1: lw t2, 0(t0)\n"
                                "   sw t2, 0(a1)\n"
                                "   addi t0, t0, 4\n"
                                "   addi a1, a1, 4\n"
                                "   addi t1, t1, -1\n"
                                "   bnez t1, 1b\n"
                                "   ret\n";
    Rig r;
    DrvProgram *p;
    Caught c;
    u64 out;
    u32 got[32];
    (void)state;
    open_rig(&r, false);
    catch_in(&c);
    assert_int_equal(drv_program_open(r.d, image_of(words), &p, &c.d), DRV_OK);
    assert_int_equal(drv_alloc(r.d, sizeof got, &out), DRV_OK);
    spoil_stack();
    assert_int_equal(run(r.d, p, "words", out, 0, 8), DRV_OK);
    assert_int_equal(drv_read(r.d, out, got, sizeof got), DRV_OK);
    assert_true(got[2] == 1 && got[3] == 8 && got[6] == 8);
    for (u32 i = 24; i < 32; i++)
        assert_int_equal(got[i], 0);
    drv_program_close(r.d, p);
    close_rig(&r);
    buf_free(&c.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_has_no_more),
        cmocka_unit_test(goes_on_beside_a_launch),
        cmocka_unit_test(goes_on_beside_a_comparison),
        cmocka_unit_test(takes_rights_at_once),
        cmocka_unit_test(waits_for_launches),
        cmocka_unit_test(waits_for_memory),
        cmocka_unit_test(starts_alone),
        cmocka_unit_test(counts_under_contention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
