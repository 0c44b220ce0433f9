/* drv_test.c -- heap, page tables, launches, printing, and every status of the driver. */
#include "test/kit/kernels.h"
#include "drv/internal.h"
#include "link/link.h"
#include "test/kit/assemble.h"
#include "test/kit/leftover.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* --- the heap against a map of pages ------------------------------------------------ */

enum { SPAN = 1 << 16 };    /* pages that the model covers */

static u64 rnd(u64 *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

typedef struct { u16 block[SPAN]; } Model; /* number of the block + 1 a page */

static u32 model_fit(const Model *m, u32 pages)
{
    u32 run = 0;
    for (u32 p = 0; p < SPAN; p++) {
        run = m->block[p] ? 0 : run + 1;
        if (run == pages)
            return p + 1 - pages;
    }
    return SPAN;
}

static void model_set(Model *m, u32 page, u32 pages, u16 value)
{
    for (u32 i = 0; i < pages; i++)
        m->block[page + i] = value;
}

static void heap_agrees_with_model(void **state)
{
    (void)state;
    enum { N = 500, STEPS = 20000 };
    static Model m;
    struct { u64 addr, pages; } block[N] = {{0, 0}};
    u64 seed = 7, got, total = 0;
    Heap h;
    assert_true(heap_open(&h));
    memset(&m, 0, sizeof m);
    for (int step = 0; step < STEPS; step++) {
        const size_t i = rnd(&seed) % N;
        if (block[i].pages) {
            assert_int_equal(heap_free(&h, block[i].addr, &got), DRV_OK);
            assert_int_equal(got, block[i].pages << PAGE_BITS);
            model_set(&m, (u32)((block[i].addr - HEAP_LO) >> PAGE_BITS), (u32)block[i].pages, 0);
            total -= got;
            block[i].pages = 0;
        } else {
            const u64 size = rnd(&seed) % (60 * PAGE_SIZE) + 1;
            const u32 pages = (u32)(align_up(size, PAGE_SIZE) >> PAGE_BITS), at = model_fit(&m, pages);
            assert_int_equal(heap_alloc(&h, size, 0, &block[i].addr), DRV_OK);
            assert_int_equal(block[i].addr, HEAP_LO + ((u64)at << PAGE_BITS));
            model_set(&m, at, pages, (u16)(i + 1));
            block[i].pages = pages;
            total += (u64)pages << PAGE_BITS;
            assert_int_equal(heap_find(&h, block[i].addr + size - 1)->addr, block[i].addr);
        }
        assert_int_equal(h.bytes, total);
    }
    heap_close(&h);
}

static void heap_takes_100000_buffers(void **state)
{
    (void)state;
    enum { N = 100000 };
    Heap h;
    u64 addr, size;
    assert_true(heap_open(&h));
    for (u64 i = 0; i < N; i++) {
        assert_int_equal(heap_alloc(&h, 1, 0, &addr), DRV_OK);
        assert_int_equal(addr, HEAP_LO + i * PAGE_SIZE);
    }
    for (u64 i = 0; i < N; i += 2) /* holes of a page, which no larger block fits */
        assert_int_equal(heap_free(&h, HEAP_LO + i * PAGE_SIZE, &size), DRV_OK);
    for (u64 i = 0; i < N; i++) {
        assert_int_equal(heap_alloc(&h, 2 * PAGE_SIZE, 0, &addr), DRV_OK);
        assert_int_equal(addr, HEAP_LO + (N + 2 * i) * PAGE_SIZE);
    }
    heap_close(&h);
}

static void heap_at_an_address(void **state)
{
    (void)state;
    Heap h;
    u64 addr, size;
    assert_true(heap_open(&h));
    assert_int_equal(heap_alloc_at(&h, HEAP_LO + 0x3000, 0x1001), DRV_OK);
    assert_int_equal(heap_alloc_at(&h, HEAP_LO + 0x4000, 1), DRV_OVERLAP);
    assert_int_equal(heap_alloc_at(&h, HEAP_LO + 0x2000, 0x2000), DRV_OVERLAP);
    assert_int_equal(heap_alloc_at(&h, HEAP_LO + 1, 1), DRV_BAD_ARGUMENT);
    assert_int_equal(heap_alloc_at(&h, HEAP_LO, 0), DRV_BAD_ARGUMENT);
    assert_int_equal(heap_alloc_at(&h, CODE_LO, 1), DRV_OUT_OF_RANGE);
    assert_int_equal(heap_alloc_at(&h, LDS_LO - 0x1000, 0x2000), DRV_OUT_OF_RANGE);
    assert_int_equal(heap_alloc_at(&h, 0, 0x1000), DRV_OK);
    assert_int_equal(heap_alloc(&h, 0x3000, 0, &addr), DRV_OK);
    assert_int_equal(addr, HEAP_LO);
    assert_int_equal(heap_alloc(&h, 0x1000, 0, &addr), DRV_OK);
    assert_int_equal(addr, HEAP_LO + 0x5000);
    /* one block of three, and of what lies between */
    assert_int_equal(heap_cover(&h, HEAP_LO + 0x2fff, 0x2002), DRV_OK);
    assert_int_equal(heap_find(&h, HEAP_LO + 0x4fff)->addr, HEAP_LO);
    assert_int_equal(heap_cover(&h, HEAP_LO + 0x7123, 1), DRV_OK);
    assert_int_equal(heap_cover(&h, HEAP_LO + 0x4000, 0x4000), DRV_OK);
    assert_int_equal(heap_free(&h, HEAP_LO, &size), DRV_OK);
    assert_int_equal(size, 0x8000);
    assert_int_equal(heap_cover(&h, LDS_LO - 1, 2), DRV_OUT_OF_RANGE);
    assert_int_equal(heap_cover(&h, HEAP_LO, 0), DRV_BAD_ARGUMENT);
    assert_int_equal(heap_free(&h, HEAP_LO, &size), DRV_NO_BUFFER);
    assert_int_equal(h.bytes, 0x1000);
    heap_close(&h);
}

/* --- drivers ---------------------------------------------------------------------------- */

static Driver *open_driver(bool mmu)
{
    DeviceOptions o = dev_defaults();
    o.mmu = mmu;
    Driver *d = drv_open(&o);
    assert_non_null(d);
    return d;
}

static void load(Driver *d, Object *image)
{
    Caught c;
    catch_in(&c);
    assert_int_equal(drv_load(d, image, &c.d), DRV_OK);
    expect_silence(&c);
}

static Driver *open_loaded(bool mmu)
{
    Driver *d = open_driver(mmu);
    load(d, make_image(GEN_B, 0, NULL));
    return d;
}

/* The status, and a part of the message. */
#define expect_status(d, call, status, text) expect_status_(d, call, status, text, __LINE__)
static void expect_status_(Driver *d, DrvStatus got, DrvStatus wanted, const char *text, int line)
{
    Buf b = {0};
    drv_last_error(d, &b);
    if (got != wanted || !strstr(buf_text(&b), text))
        fail_msg("line %d: %s: %s\nwanted %s: %s", line, drv_status_name(got), buf_text(&b),
                 drv_status_name(wanted), text);
    buf_free(&b);
}

static long resident_pages(void)
{
    long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2)
        resident = -1;
    if (f)
        fclose(f);
    return resident;
}

/* Every page of the blocks has a frame of its own, none of them frame 0 or in the windows of local memory and code. */
static void expect_own_frames(Driver *d, const u64 *addr, u64 n, u64 size)
{
    u8 *taken = calloc(1 << (32 - PAGE_BITS), 1);
    Tlb tlb = {.vpn = {0}};
    for (u64 i = 0; i < n; i++)
        for (u64 a = addr[i]; a < addr[i] + size; a += PAGE_SIZE) {
            u64 pa;
            assert_true(dev_translate(drv_device(d), &tlb, a, &pa));
            if (pa < PAGE_SIZE || (pa >= LDS_LO && pa < HEAP_LO) || pa >= (u64)1 << 32 || taken[pa >> PAGE_BITS]++)
                fail_msg("page %llx is at %llx", (unsigned long long)a, (unsigned long long)pa);
        }
    free(taken);
}

static void whole_space(bool mmu)
{
    Driver *d = open_driver(mmu);
    u64 addr[64], n = 0, low = 0;
    const u64 size = (u64)64 << 20;
    while (n < countof(addr) && !drv_alloc(d, size, &addr[n])) {
        low += addr[n] < LDS_LO;
        assert_true(addr[n] >= HEAP_LO || (addr[n] >= 0x01000000 && addr[n] + size <= LDS_LO));
        n++;
    }
    assert_int_equal(n, 28 + 27); /* above the code window, then below local memory */
    assert_int_equal(low, 27);
    assert_int_equal(drv_bytes_used(d), n * size);
    expect_status(d, drv_alloc(d, size, &addr[0]), DRV_DEVICE_FULL, "in use");
    if (mmu)
        expect_own_frames(d, addr + 1, n - 1, size);
    for (u64 i = 1; i < n; i++)
        assert_int_equal(drv_free(d, addr[i]), DRV_OK);
    assert_int_equal(drv_alloc_at(d, 0, 1), DRV_OK); /* private memory, which is given out only so */
    assert_int_equal(drv_bytes_used(d), size + PAGE_SIZE);
    assert_int_equal(drv_free_all(d), DRV_OK);
    assert_int_equal(drv_bytes_used(d), 0);
    assert_int_equal(drv_alloc_at(d, 0, 1), DRV_OK);
    assert_int_equal(drv_alloc(d, 1, &addr[0]), DRV_OK);
    assert_int_equal(addr[0], HEAP_LO);
    drv_close(d);
}

static void whole_space_physical(void **state) { (void)state; whole_space(false); }
static void whole_space_translated(void **state) { (void)state; whole_space(true); }

static void freed_memory_returns(bool mmu)
{
    Driver *d = open_driver(mmu);
    const u64 size = (u64)64 << 20;
    u64 addr, last = 1;
    drv_alloc(d, size, &addr);
    const long before = resident_pages();
    assert_int_equal(drv_fill(d, addr, "x", 1, size), DRV_OK);
    const long filled = resident_pages();
    assert_int_equal(drv_free(d, addr), DRV_OK);
    const long after = resident_pages();
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* shadow memory grows too */
    assert_true(filled - before > (long)(size >> PAGE_BITS) * 9 / 10);
    assert_true(after - before < (long)(size >> PAGE_BITS) / 10);
#endif
    (void)before, (void)filled, (void)after;
    drv_alloc(d, size, &addr);
    assert_int_equal(drv_read(d, addr + size - 8, &last, 8), DRV_OK);
    assert_int_equal(last, 0);
    drv_close(d);
}

static void memory_goes_back(void **state)
{
    (void)state;
    freed_memory_returns(false);
    freed_memory_returns(true);
}

static void copies(bool mmu)
{
    Driver *d = open_driver(mmu);
    u64 a, b;
    u8 from[3 * PAGE_SIZE], to[sizeof from];
    drv_alloc(d, sizeof from, &a);
    drv_alloc(d, PAGE_SIZE, &b);
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (u8)(i * 7 + (i >> 8));
    assert_int_equal(drv_write(d, a, from, sizeof from), DRV_OK);
    assert_int_equal(drv_read(d, a + 5, to, sizeof from - 5), DRV_OK);
    assert_memory_equal(to, from + 5, sizeof from - 5);
    assert_int_equal(drv_fill(d, a + 1, "abc", 3, 9000), DRV_OK);
    assert_int_equal(drv_read(d, a, to, sizeof to), DRV_OK);
    for (size_t i = 0; i < 9000; i++)
        assert_int_equal(to[1 + i], "abc"[i % 3]);
    assert_memory_equal(to + 9001, from + 9001, sizeof from - 9001);
    expect_status(d, drv_write(d, a, from, sizeof from + 1), DRV_OUT_OF_RANGE, "ends 12288 bytes on");
    expect_status(d, drv_read(d, b + PAGE_SIZE, to, 1), DRV_OUT_OF_RANGE, "no buffer");
    expect_status(d, drv_read(d, b, to, UINT64_MAX), DRV_OUT_OF_RANGE, "ends");
    expect_status(d, drv_read(d, LDS_LO, to, 1), DRV_OUT_OF_RANGE, "no buffer");
    expect_status(d, drv_read(d, CODE_LO, to, 1), DRV_OUT_OF_RANGE, "no buffer");
    expect_status(d, drv_write(d, CODE_END - 1, to, 2), DRV_OUT_OF_RANGE, "no buffer");
    assert_int_equal(drv_write(d, CODE_END - 2, "ab", 2), DRV_OK);
    assert_int_equal(drv_read(d, CODE_END - 2, to, 2), DRV_OK);
    assert_memory_equal(to, "ab", 2);
    assert_int_equal(drv_fill(d, a, from + 1, PAGE_SIZE, sizeof from), DRV_OK);
    assert_int_equal(drv_read(d, a, to, sizeof from), DRV_OK);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(to + i * PAGE_SIZE, from + 1, PAGE_SIZE);
    expect_status(d, drv_fill(d, b, "a", 1, PAGE_SIZE + 1), DRV_OUT_OF_RANGE, "ends");
    expect_status(d, drv_fill(d, b, "abc", 3, 4), DRV_BAD_ARGUMENT, "pattern of 3");
    expect_status(d, drv_fill(d, b, from, PAGE_SIZE + 1, 2 * (PAGE_SIZE + 1)), DRV_BAD_ARGUMENT, "4097");
    expect_status(d, drv_read(d, b, to, 0), DRV_BAD_ARGUMENT, "0 bytes");
    expect_status(d, drv_write(d, b, NULL, 1), DRV_BAD_ARGUMENT, "1 bytes");
    expect_status(d, drv_alloc(d, 0, &b), DRV_BAD_ARGUMENT, "0 bytes");
    expect_status(d, drv_alloc(d, 1, NULL), DRV_BAD_ARGUMENT, "address");
    expect_status(d, drv_alloc(d, UINT64_MAX, &b), DRV_DEVICE_FULL, "wanted");
    expect_status(d, drv_alloc_at(d, a, 1), DRV_OVERLAP, "0x90000000");
    expect_status(d, drv_free(d, a + PAGE_SIZE), DRV_NO_BUFFER, "0x90001000");
    drv_close(d);
}

static void copies_physical(void **state) { (void)state; copies(false); }
static void copies_translated(void **state) { (void)state; copies(true); }

/* Writes, fills and copies of any bytes do in three buffers, far from each other or neighbours, what they do in an array;
 * those that do not lie in one buffer change nothing. */
static void changes_as_an_array(bool mmu)
{
    enum { SIZE = 3 * PAGE_SIZE };
    static u8 want[3][SIZE], pattern[2 * PAGE_SIZE], got[SIZE];
    Driver *d = open_driver(mmu);
    u64 addr[3], seed = 5;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(drv_alloc(d, SIZE, &addr[i]), DRV_OK);
        memset(want[i], i, SIZE);
        assert_int_equal(drv_fill(d, addr[i], &i, 1, SIZE), DRV_OK);
    }
    for (int step = 0; step < 1500; step++) {
        const u32 a = (u32)(rnd(&seed) % 3), b = (u32)(rnd(&seed) % 3);
        const u64 at = rnd(&seed) % SIZE, from = rnd(&seed) % SIZE, n = rnd(&seed) % (rnd(&seed) % 4 ? 200 : SIZE);
        const u64 p = 1 + rnd(&seed) % (rnd(&seed) % 4 ? 16 : PAGE_SIZE + 16), filled = n / p * p + (rnd(&seed) % 8 == 0);
        const bool fits = at + n <= SIZE, is_good = n > 0;
        for (u64 i = 0; i < p; i++)
            pattern[i] = (u8)rnd(&seed);
        DrvStatus s, wanted = !is_good ? DRV_BAD_ARGUMENT : fits ? DRV_OK : DRV_OUT_OF_RANGE;
        switch (rnd(&seed) % 4) {
        case 0:
            s = drv_write(d, addr[a] + at, want[b], n);
            if (!wanted)
                memmove(want[a] + at, want[b], n);
            break;
        case 1:
            s = drv_copy(d, addr[b] + from, addr[a] + at, n);
            if (is_good && from + n > SIZE)
                wanted = DRV_OUT_OF_RANGE;
            if (!wanted)
                memmove(want[a] + at, want[b] + from, n);
            break;
        case 2:
            s = drv_fill(d, addr[a] + at, pattern, p, filled);
            wanted = p > PAGE_SIZE || !filled || filled % p ? DRV_BAD_ARGUMENT
                     : at + filled <= SIZE                  ? DRV_OK
                                                            : DRV_OUT_OF_RANGE;
            for (u64 i = 0; !wanted && i < filled; i++)
                want[a][at + i] = pattern[i % p];
            break;
        default:
            s = drv_read(d, addr[a] + at, got, n);
            if (!wanted)
                assert_memory_equal(got, want[a] + at, n);
        }
        if (s != wanted)
            fail_msg("step %d: %s, not %s", step, drv_status_name(s), drv_status_name(wanted));
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(drv_read(d, addr[i], got, SIZE), DRV_OK);
        assert_memory_equal(got, want[i], SIZE);
    }
    drv_close(d);
}

static void changes_physical(void **state) { (void)state; changes_as_an_array(false); }
static void changes_translated(void **state) { (void)state; changes_as_an_array(true); }

/* Above 4 GiB there is room too, for those who can point there. */
static void has_high_memory(void **state)
{
    (void)state;
    for (int mmu = 0; mmu < 2; mmu++) {
        Driver *d = open_driver(mmu);
        u64 a, b;
        char text[8] = "";
        expect_status(d, drv_alloc_high(d, 1, NULL), DRV_BAD_ARGUMENT, "address");
        const DrvStatus s = drv_alloc_high(d, PAGE_SIZE, &a);
        if (s == DRV_UNSUPPORTED) /* the host did not have the addresses */
            assert_false(mmu);
        else {
            assert_int_equal(s, DRV_OK);
            assert_true(a >= (u64)1 << 32);
            assert_int_equal(drv_alloc_high(d, 5000, &b), DRV_OK);
            assert_int_equal(b, a + PAGE_SIZE);
            assert_int_equal(drv_bytes_used(d), 3 * PAGE_SIZE);
            assert_int_equal(drv_write(d, b + 4996, "far", 4), DRV_OK);
            assert_int_equal(drv_copy(d, b + 4996, a, 4), DRV_OK);
            assert_int_equal(drv_read(d, a, text, 4), DRV_OK);
            assert_string_equal(text, "far");
            assert_int_equal(drv_free(d, a), DRV_OK);
            expect_status(d, drv_read(d, a, text, 1), DRV_OUT_OF_RANGE, "no buffer");
            assert_int_equal(drv_free(d, b), DRV_OK);
            assert_int_equal(drv_bytes_used(d), 0);
            expect_status(d, drv_alloc_high(d, 0, &a), DRV_BAD_ARGUMENT, "0 bytes");
        }
        drv_close(d);
    }
}

static DrvStatus run(Driver *d, const char *kernel, const DrvArg *args, size_t nargs, u32 global, u32 local);

/* --- a watcher ------------------------------------------------------------------------------ */

/* What a watcher heard, as a text; addresses count from the first block. */
typedef struct {
    Buf text;
    u64 first;
    size_t begun, ended, blocks;
} Heard;

static void hear_allocated(void *self, u64 addr, u64 size)
{
    Heard *h = self;
    if (!h->first)
        h->first = addr;
    buf_printf(&h->text, "a%llx+%llx ", (unsigned long long)(addr - h->first), (unsigned long long)size);
}

static void hear_written(void *self, u64 addr, u64 size)
{
    Heard *h = self;
    if (addr >= HEAP_LO)
        buf_printf(&h->text, "w%llx+%llx ", (unsigned long long)(addr - h->first), (unsigned long long)size);
}

static void hear_copied(void *self, u64 from, u64 to, u64 size)
{
    Heard *h = self;
    buf_printf(&h->text, "c%llx>%llx+%llx ", (unsigned long long)(from - h->first), (unsigned long long)(to - h->first),
               (unsigned long long)size);
}

static void hear_begin(void *self, const DrvScene *scene, LaunchOptions *options)
{
    Heard *h = self;
    (void)options;
    h->begun++;
    for (size_t i = 0; i < scene->nextents; i++)
        h->blocks += scene->extents[i].kind == EXTENT_BLOCK;
}

static void hear_end(void *self, const DrvScene *scene, const DevResult *r, const char *text)
{
    Heard *h = self;
    (void)scene;
    assert_int_equal(r->run.faulted, *text != 0);
    h->ended++;
}

static void expect_heard(Heard *h, const char *want)
{
    assert_string_equal(buf_text(&h->text), want);
    h->text.len = 0;
    if (h->text.data)
        h->text.data[0] = 0;
}

/* It hears of every block and every change, and of launches, with the blocks that they might use. */
static void tells_its_watcher(void **state)
{
    (void)state;
    for (int mmu = 0; mmu < 2; mmu++) {
        Driver *d = open_driver(mmu);
        Heard h = {.first = 0};
        u64 a, b;
        load(d, make_image(GEN_B, 0, NULL));
        drv_watch(d, (DrvWatcher){&h, hear_begin, hear_end, hear_allocated, hear_written, hear_copied});
        assert_int_equal(drv_alloc(d, 100, &a), DRV_OK);
        expect_heard(&h, "a0+64 ");
        assert_int_equal(drv_alloc(d, 5000, &b), DRV_OK); /* after a page and 64 KiB */
        expect_heard(&h, "a11000+1388 ");
        assert_int_equal(drv_write(d, a + 4, "12345678", 8), DRV_OK);
        assert_int_equal(drv_fill(d, b, "ab", 2, 6), DRV_OK);
        assert_int_equal(drv_copy(d, a, b + 8, 16), DRV_OK);
        drv_host_writes(d, b + 1, 3);
        expect_heard(&h, "w4+8 w11000+6 c0>11008+10 w11001+3 ");
        assert_int_equal(run(d, "wild", NULL, 0, 1, 1), DRV_FAULT);
        assert_true(h.begun == 1 && h.ended == 1 && h.blocks == 2);
        /* addresses of what was freed stay unused, also after launches */
        assert_int_equal(drv_free(d, a), DRV_OK);
        assert_int_equal(run(d, "wild", NULL, 0, 1, 1), DRV_FAULT);
        assert_int_equal(drv_alloc(d, 100, &b), DRV_OK);
        assert_int_not_equal(a, b);
        drv_close(d);
        buf_free(&h.text);
    }
}

/* What lies where when a launch begins. */
typedef struct {
    DrvExtent all[16];
    size_t n;
} Map;

static void take_map(void *self, const DrvScene *scene, LaunchOptions *options)
{
    Map *m = self;
    (void)options;
    m->n = scene->nextents;
    assert_true(m->n <= countof(m->all));
    memcpy(m->all, scene->extents, m->n * sizeof *m->all);
}

static const DrvExtent *of_kind(const Map *m, u32 kind, size_t nth)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->all[i].kind == kind && !nth--)
            return &m->all[i];
    return NULL;
}

/* Blocks of the host are there once each, with buffers that are arguments in them, and what the launch
 * has for itself is no block. */
static void tells_what_lies_where(void **state)
{
    (void)state;
    for (int mmu = 0; mmu < 2; mmu++) {
        Driver *d = open_driver(mmu);
        Map m = {.n = 0};
        u64 a, b;
        load(d, make_image(GEN_B, 0, NULL));
        drv_watch(d, (DrvWatcher){.self = &m, .begin = take_map});
        assert_int_equal(drv_alloc(d, 100, &a), DRV_OK);
        assert_int_equal(drv_alloc(d, 5000, &b), DRV_OK);
        const u32 words[] = {(u32)a, (u32)b + 16, 3};
        const DrvArg args[] = {
            {.size = 4, .align = 4, .value = &words[0], .buffer = 100},
            {.size = 4, .align = 4, .value = &words[2]},
            {.size = 4, .align = 4, .value = &words[1], .buffer = 32, .no_write = true}};
        assert_int_equal(run(d, "scale", args, 3, 16, 8), DRV_OK);
        const DrvExtent *x = of_kind(&m, EXTENT_BUFFER, 0), *y = of_kind(&m, EXTENT_BUFFER, 1);
        assert_true(x && x->addr == a && x->size == 100 && x->arg == 0 && !x->no_write);
        assert_true(y && y->addr == b + 16 && y->size == 32 && y->arg == 2 && y->no_write && !y->no_read);
        assert_null(of_kind(&m, EXTENT_BUFFER, 2));
        x = of_kind(&m, EXTENT_BLOCK, 0), y = of_kind(&m, EXTENT_BLOCK, 1);
        assert_true(x && x->addr == a && x->size == 100 && y && y->addr == b && y->size == 5000);
        assert_null(of_kind(&m, EXTENT_BLOCK, 2));
        x = of_kind(&m, EXTENT_ARGUMENTS, 0), y = of_kind(&m, EXTENT_ARGUMENTS, 1);
        assert_true(x && y && !of_kind(&m, EXTENT_ARGUMENTS, 2));
        assert_null(of_kind(&m, EXTENT_PRINT, 0)); /* nobody asked for prints */
        assert_true((x->size == 128 && y->size == 12) || (x->size == 12 && y->size == 128));
        drv_close(d);
    }
}

/* Behind a block of a watched driver as much is free as it has, but 64 KiB at least and 16 MiB at most; what is freed is not
 * used again before all else is; and where there is no room for gaps there are none. */
static void keeps_blocks_apart(void **state)
{
    static const u64 sizes[] = {1, PAGE_SIZE, 64 << 10, (64 << 10) + 1, 1 << 20, 16 << 20, 17 << 20, 100 << 20};
    (void)state;
    Driver *d = open_driver(false);
    u64 next = HEAP_LO, addr, n = 0, kept[128], again = 0;
    drv_watch(d, (DrvWatcher){.self = NULL});
    for (size_t i = 0; i < countof(sizes); i++) {
        const u64 least = 64 << 10, most = 16 << 20, gap = sizes[i] < least ? least : sizes[i] < most ? sizes[i] : most;
        assert_int_equal(drv_alloc(d, sizes[i], &addr), DRV_OK);
        assert_int_equal(addr, next);
        next = align_up(addr + sizes[i] + gap, PAGE_SIZE);
        if (i == 0)
            assert_int_equal(drv_free(d, addr), DRV_OK); /* nobody gets it for now */
    }
    while (n < countof(kept) && !drv_alloc(d, 48 << 20, &kept[n]))
        n++;
    /* MiB above the code window, and below local memory; 16 between blocks, but none behind the last of each */
    const u64 upper = (((u64)1 << 32) - next) >> 20, lower = (0x70000000 - 0x01000000) >> 20;
    assert_int_equal(n, upper / 64 + (upper % 64 >= 48) + lower / 64 + (lower % 64 >= 48));
    for (u64 i = 0; i < n; i++)
        assert_int_equal(drv_free(d, kept[i]), DRV_OK);
    while (again < countof(kept) && !drv_alloc(d, 48 << 20, &kept[again]))
        again++;
    assert_int_equal(again, n);
    drv_close(d);
}

/* Frames and tables go back: nothing is left but the root. */
static void tables_are_pruned(void **state)
{
    (void)state;
    Driver *d = open_driver(true);
    u64 addr[200], seed = 3;
    const u64 all = d->tables.nfree;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < countof(addr); i++)
            assert_int_equal(drv_alloc(d, rnd(&seed) % 3000000 + 1, &addr[i]), DRV_OK);
        for (size_t i = 0; i < countof(addr); i++)
            assert_int_equal(drv_free(d, addr[(i * 77) % countof(addr)]), DRV_OK);
        assert_int_equal(d->tables.nfree, all);
    }
    drv_close(d);
}

/* --- launches ------------------------------------------------------------------------------ */

static DrvArg value_arg(const void *value, u32 size, u32 align)
{
    return (DrvArg){.size = size, .align = align, .value = value};
}

static u32 *out_buffer(Driver *d, u64 size, u32 *addr)
{
    u64 a;
    assert_int_equal(drv_alloc(d, size, &a), DRV_OK);
    *addr = (u32)a;
    return addr;
}

static DrvStatus run(Driver *d, const char *kernel, const DrvArg *args, size_t nargs, u32 global, u32 local)
{
    DrvResult r;
    const DrvKernel k = {.kernel = kernel, .dims = 1, .global = {global}, .local = {local},
                         .args = args, .nargs = nargs};
    return drv_run(d, &k, &r);
}

/* scale, run and looked at; without assertions, for threads. */
static bool scales(Driver *d, u32 factor, u32 global, u32 local)
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

static void run_scale(Driver *d, u32 factor, u32 global, u32 local)
{
    const u64 used = drv_bytes_used(d);
    if (!scales(d, factor, global, local))
        expect_status(d, DRV_FAULT, DRV_OK, "no fault");
    assert_int_equal(drv_bytes_used(d), used);
}

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

/* what dump saw: 16 words of arguments, 20 of metadata */
static void run_dump(Driver *d, DrvKernel *k, const DrvArg *more, size_t n, u32 word[36], DrvResult *r)
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
        assert_int_equal(dev_code(drv_device(d))->sgprs, 32);
        assert_int_equal(dev_code(drv_device(d))->vgprs, 6);
        drv_close(d);
    }
}

/* --- printing ---------------------------------------------------------------------------- */

static u32 put_text(Driver *d, const char *text)
{
    u64 a;
    assert_int_equal(drv_alloc(d, strlen(text) + 1, &a), DRV_OK);
    assert_int_equal(drv_write(d, a, text, strlen(text) + 1), DRV_OK);
    return (u32)a;
}

static void prints_in_order(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    const u32 format = put_text(d, "item %d%%;");
    const DrvArg arg = value_arg(&format, 4, 4);
    Buf out = {0}, wanted = {0};
    DrvResult r;
    const DrvKernel k = {.kernel = "say", .dims = 1, .global = {1000}, .local = {10}, .args = &arg,
                         .nargs = 1, .print = &out, .run = {.threads = 4}};
    for (int i = 0; i < 1000; i++)
        buf_printf(&wanted, "item %d%%;", 2 * i);
    assert_int_equal(drv_run(d, &k, &r), DRV_OK);
    assert_string_equal(buf_text(&out), buf_text(&wanted));
    buf_free(&out);
    buf_free(&wanted);
    drv_close(d);
}

/* Hands a print buffer made of these words to the driver; what it prints. */
static char *drain(Driver *d, const u32 *words, u32 n)
{
    u64 from;
    assert_int_equal(drv_alloc(d, n * 4, &from), DRV_OK);
    assert_int_equal(drv_write(d, from, words, n * 4), DRV_OK);
    const u32 a[2] = {(u32)from, n};
    const DrvArg args[] = {value_arg(&a[0], 4, 4), value_arg(&a[1], 4, 4)};
    Buf out = {0};
    DrvResult r;
    const DrvKernel k = {.kernel = "raw", .dims = 1, .global = {1}, .local = {1}, .args = args,
                         .nargs = 2, .print = &out};
    assert_int_equal(drv_run(d, &k, &r), DRV_OK);
    assert_int_equal(drv_free(d, from), DRV_OK);
    if (!out.data)
        buf_str(&out, "");
    return (char *)out.data;
}

#define expect_print(d, text, ...) \
    expect_print_(d, text, (u32[]){__VA_ARGS__}, sizeof (u32[]){__VA_ARGS__} / 4)
static void expect_print_(Driver *d, const char *text, const u32 *words, u32 n)
{
    char *got = drain(d, words, n);
    assert_string_equal(got, text);
    mem_free(got);
}

static void prints_formats(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    const u32 s = put_text(d, "lane");
    const struct { const char *format, *text; u32 words[6]; } rows[] = {
        {"%d %u %x %X %o %i", "-1 4294967295 2a FF 17 7", {UINT32_MAX, UINT32_MAX, 42, 255, 15, 7}},
        {"%ld|%lx", "-2|123456789abcdef0", {0xfffffffe, 0xffffffff, 0x9abcdef0, 0x12345678}},
        {"%f %.2f %g", "1.500000 1.50 -2", {0x3fc00000, 0x3fc00000, 0xc0000000}},
        {"%lf", "0.100000", {0x9999999a, 0x3fb99999}},
        {"%e|%a", "1.000000e+00|0x1p+0", {0x3f800000, 0x3f800000}},
        {"%4c|%-4c|%c", "   A|B   |C", {'A', 'B', 'C'}},
        {"%s %c%5s|%-6s|%.2s", "lane A lane|lane  |la", {s, 'A', s, s, s}},
        {"%s", "(null)", {0}},
        {"%s", "(bad address)", {16}},
        {"%08x %+d %*d|%-*d|", "000000ff +1    7|8  |", {255, 1, 4, 7, 3, 8}},
        {"%p %%", "0x90000000 %", {0x90000000}},
        {"%hd %hhd", "5 6", {5, 6}},
        {"%v4d|%v2hlf", "1,2,3,4|1.000000,2.000000", {1, 2, 3, 4, 0x3f800000, 0x40000000}},
        {"%.2v3hf", "1.50,-2.00,65504.00", {0x3e00, 0xc000, 0x7bff}},
        {"%v16hhu", "1,2,3,4,5,6,0,0,0,0,0,0,0,0,0,0", {1, 2, 3, 4, 5, 6}},
        {"%v17d|%v0d|", "1|2|", {1, 2}}, /* there are no such vectors */
        {"%.*f|", "1.5|", {1, 0x3fc00000}},
        {"%.*d|", "3|", {UINT32_MAX, 3}},
        {"%q %", "%q %", {0}},
        {"%99999999999d", NULL, {1}},
        {"%n%n", "%n%n", {0x90000000, 0x90000000}},
        {"%-+ #0-+ #0d", "+1", {1}},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const u32 f = put_text(d, rows[i].format);
        u32 words[11] = {36, 1024, 36, 0, f};
        memcpy(words + 5, rows[i].words, sizeof rows[i].words);
        char *got = drain(d, words, 11);
        if (rows[i].text)
            assert_string_equal(got, rows[i].text);
        else
            assert_true(strlen(got) <= 2048);
        mem_free(got);
    }
    /* arguments that are missing are zero */
    expect_print(d, "0 0.000000 (null)", 12, 64, 12, 0, put_text(d, "%ld %f %s"));
    expect_print(d, "0 0", 16, 64, 16, 0, put_text(d, "%ld %d"), 5); /* half of the first is there */
    drv_close(d);
}

/* Flags, widths, precisions and lengths are those of the host's printf. */
static void prints_as_the_host_does(void **state)
{
    static const char flags[] = "-+ #0";
    static const char *const widths[] = {"", "1", "12", "*"}, *const precisions[] = {"", ".", ".0", ".1", ".12", ".*"};
    static const char *const letters[] = {"d", "i", "u", "x", "X", "o", "hd", "hhu", "ld", "lx", "f", "e", "g", "G", "a", "c", "s"};
    static const double numbers[] = {0, 1.5, -2.75, 1e10, -1e-7};
    const i32 stars[] = {0, 7, -7, 20};
    (void)state;
    Driver *d = open_loaded(false);
    const u32 text = put_text(d, "lane");
    for (u32 turn = 0; turn < 32 * countof(widths) * countof(precisions); turn++) {
        const char *width = widths[turn / 32 % countof(widths)], *precision = precisions[turn / 32 / countof(widths)];
        const int star = stars[turn % 4], precision_star = stars[turn / 4 % 4];
        const bool has_width = *width == '*', has_precision = strchr(precision, '*');
        char format[1024] = "", want[4096] = "", spec[32];
        u32 words[128] = {0}, n = 5;
        for (size_t i = 0; i < countof(letters); i++) {
            char set[8] = "", *at = want + strlen(want);
            const size_t room = sizeof want - (size_t)(at - want);
            const char c = letters[i][strlen(letters[i]) - 1];
            const bool is_long = *letters[i] == 'l';
            const u64 v = (turn * 0x9e3779b97f4a7c15u ^ i) >> (turn + 5 * i) % 60;
            const float f = (float)numbers[(turn + i) % countof(numbers)];
            for (size_t k = 0; k < 5; k++) /* those that have no meaning with the letter stay away */
                if (turn >> k & 1 && !(flags[k] == '#' && strchr("diucs", c)) && !(flags[k] == '0' && strchr("cs", c)) &&
                    !(strchr("+ ", flags[k]) && strchr("uxXocs", c)))
                    snprintf(set + strlen(set), 2, "%c", flags[k]);
            snprintf(spec, sizeof spec, "%%%s%s%s%s|", set, width, c == 'c' ? "" : precision, letters[i]);
            snprintf(format + strlen(format), sizeof format - strlen(format), "%s", spec);
            if (has_width)
                words[n++] = (u32)star;
            if (has_precision && c != 'c')
                words[n++] = (u32)precision_star;
#define HOST(value)                                                                                                    \
    (has_width && has_precision && c != 'c' ? snprintf(at, room, spec, star, precision_star, value)                    \
     : has_width                            ? snprintf(at, room, spec, star, value)                                    \
     : has_precision && c != 'c'            ? snprintf(at, room, spec, precision_star, value)                          \
                                            : snprintf(at, room, spec, value))
            if (c == 's')
                words[n++] = text, HOST("lane");
            else if (c == 'c')
                words[n++] = 'A' + turn % 26, HOST((int)('A' + turn % 26));
            else if (strchr("fegGa", c))
                memcpy(&words[n++], &f, 4), HOST((double)f);
            else if (is_long)
                words[n++] = (u32)v, words[n++] = (u32)(v >> 32), HOST((long)v);
            else
                words[n++] = (u32)v, HOST((int)v);
#undef HOST
        }
        words[0] = words[2] = 4 * (n - 2), words[1] = 4096;
        words[4] = put_text(d, format);
        char *got = drain(d, words, n);
        if (strcmp(got, want))
            fail_msg("%s\n%s\n%s", format, got, want);
        mem_free(got);
        assert_int_equal(drv_free(d, words[4]), DRV_OK);
    }
    drv_close(d);
}

static void prints_hostile_buffers(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    const u32 text = 0x21646e65; /* "end!" */
    expect_print(d, "", 0, 0);
    expect_print(d, "end!", 16, 0, 16, 3, 0, text);
    expect_print(d, "end!end!", 32, 0, 16, 3, 0, text, 16, 2, 0, text);
    /* a stable order within an item */
    expect_print(d, "abcd", 64, 0, 16, 1, 0, 'b', 16, 1, 0, 'c', 16, 0, 0, 'a', 16, 2, 0, 'd');
    /* what no printf leaves there */
    const char *const damaged =
        "[the kernel stored to a wrong address, that of the print buffer; what it printed is lost; "
        "`ventus run --check' or VENTUS_CHECK=all says where]\n";
    const char *const partly =
        "end![the kernel stored to a wrong address, that of the print buffer; part of what it printed is lost; "
        "`ventus run --check' or VENTUS_CHECK=all says where]\n";
    expect_print(d, damaged, 4, 0, 16);
    expect_print(d, damaged, 100, 0, 0, 0, 0);
    expect_print(d, damaged, 100, 0, 13, 0, 0);
    expect_print(d, damaged, 100, 0, 8, 0, 0);
    expect_print(d, damaged, 100, 0, 104, 0, 0);
    expect_print(d, damaged, UINT32_MAX, 0, 0);
    expect_print(d, partly, 12345, 0, 16, 3, 0, text);
    /* a record whose format was overwritten by a number */
    expect_print(d, partly, 32, 0, 16, 2, 7, text, 16, 3, 0, text);
    drv_close(d);
}

static void prints_overflow(void **state)
{
    (void)state;
    Driver *d = open_loaded(false);
    const u32 room = PRINT_BUFFER - 8;
    expect_print(d, "hi[print buffer overflow: 1048564 bytes lost]\n", room + 4, 0, 16, 0, 0, 'h' | 'i' << 8);
    drv_close(d);
}

/* Formats and strings that are read, and the text made of them, are 32 MiB at most (doc/abi.md, "Print buffer"): here 3,
 * 1024 and 1023 bytes a record, whose last is printed whole. */
static void prints_no_more_than_is_read(void **state)
{
    enum { LENGTH = 1023, EACH = 3 + LENGTH + 1 + LENGTH, FIT = (32 << 20) / EACH };
    static const char more[] = "\n[print buffer: text beyond 32 MiB is lost]\n";
    static u32 words[2 + 4 * (FIT + 9)];
    char text[LENGTH + 1];
    (void)state;
    Driver *d = open_loaded(false);
    memset(text, 'x', LENGTH);
    text[LENGTH] = 0;
    const u32 format = put_text(d, "%s"), string = put_text(d, text);
    for (u32 n = FIT; n <= FIT + 9; n += n == FIT ? 1 : 8) {
        words[0] = 16 * n;
        for (u32 i = 0; i < n; i++)
            memcpy(&words[2 + 4 * i], (u32[]){16, i, format, string}, 16);
        char *got = drain(d, words, 2 + 4 * n);
        const size_t length = (size_t)LENGTH * (n == FIT ? n : FIT + 1);
        assert_int_equal(strspn(got, "x"), length);
        assert_string_equal(got + length, n == FIT ? "" : more);
        mem_free(got);
    }
    drv_close(d);
}

/* What was printed before a fault is not lost; nothing is asked of kernels otherwise. */
static void prints_nothing_unasked(void **state)
{
    (void)state;
    Driver *d = open_driver(false);
    DrvKernel k = {.dims = 1, .global = {1}, .local = {1}};
    DrvResult r;
    u32 word[36];
    Buf out = {0};
    load(d, make_image(GEN_B, 0, NULL));
    run_dump(d, &k, NULL, 0, word, &r);
    assert_int_equal(word[16 + 12], 0);
    assert_int_equal(word[16 + 13], 0);
    k.print = &out;
    run_dump(d, &k, NULL, 0, word, &r);
    assert_true(word[16 + 12] >= HEAP_LO);
    assert_int_equal(word[16 + 13], PRINT_BUFFER);
    assert_int_equal(out.len, 0);
    drv_close(d);
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
        cmocka_unit_test(heap_takes_100000_buffers),
        cmocka_unit_test(whole_space_physical),
        cmocka_unit_test(whole_space_translated),
        cmocka_unit_test(memory_goes_back),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(heap_agrees_with_model),
        cmocka_unit_test(heap_at_an_address),
        cmocka_unit_test(copies_physical),
        cmocka_unit_test(copies_translated),
        cmocka_unit_test(changes_physical),
        cmocka_unit_test(changes_translated),
        cmocka_unit_test(has_high_memory),
        cmocka_unit_test(tables_are_pruned),
        cmocka_unit_test(tells_its_watcher), cmocka_unit_test(tells_what_lies_where),
        cmocka_unit_test(keeps_blocks_apart),
        cmocka_unit_test(runs_a_kernel),
        cmocka_unit_test(tables_change_between_launches),
        cmocka_unit_test(deep_private_stacks),
        cmocka_unit_test(private_memory_of_records),
        cmocka_unit_test(private_memory),
        cmocka_unit_test(scarce_private_memory),
        cmocka_unit_test(room_of_private_memory),
        cmocka_unit_test(counts_of_parts),
        cmocka_unit_test(names_statuses),
        cmocka_unit_test(prints_in_order),
        cmocka_unit_test(prints_hostile_buffers),
        cmocka_unit_test(prints_overflow),
        cmocka_unit_test(prints_no_more_than_is_read),
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
        cmocka_unit_test(runs_written_code), cmocka_unit_test(written_pieces_count),
        cmocka_unit_test(prints_formats),
        cmocka_unit_test(prints_as_the_host_does),
        cmocka_unit_test(prints_nothing_unasked),
        cmocka_unit_test(errors_are_of_threads),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
