/* drv_memory_test.c -- memory of the driver: the heap beside a model, page tables, copies, who hears of changes. */
#include "test/kit/driverrig.h"
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_takes_100000_buffers),
        cmocka_unit_test(whole_space_physical),
        cmocka_unit_test(whole_space_translated),
        cmocka_unit_test(memory_goes_back),
        cmocka_unit_test(heap_agrees_with_model),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(heap_at_an_address),
        cmocka_unit_test(copies_physical),
        cmocka_unit_test(copies_translated),
        cmocka_unit_test(changes_physical),
        cmocka_unit_test(changes_translated),
        cmocka_unit_test(has_high_memory),
        cmocka_unit_test(tables_are_pruned),
        cmocka_unit_test(tells_its_watcher),
        cmocka_unit_test(tells_what_lies_where),
        cmocka_unit_test(keeps_blocks_apart),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
