/* driver.c -- an open device: its life, its memory, its program, its errors. */
#include "drv/internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
} statuses[] = {
#define STATUS(name, number, text) [number] = {#name, text},
#include "drv/status.def"
};

const char *drv_status_name(DrvStatus s)
{
    return (size_t)s < countof(statuses) ? statuses[s].name : "UNKNOWN";
}

const char *drv_status_text(DrvStatus s)
{
    return (size_t)s < countof(statuses) ? statuses[s].text : "unknown status";
}

/* --- errors ---------------------------------------------------------------------- */

static LastError *find_error(Driver *d, pthread_t thread)
{
    for (size_t i = 0; i < d->nerrors && i < MAX_LAST_ERRORS; i++)
        if (pthread_equal(d->errors[i].thread, thread))
            return &d->errors[i];
    return NULL;
}

DrvStatus drv_fail(Driver *d, DrvStatus s, const char *fmt, ...)
{
    const pthread_t self = pthread_self();
    Buf text = {0};
    char more[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(more, sizeof more, fmt, ap);
    va_end(ap);
    buf_printf(&text, "%s%s%s", drv_status_text(s), *more ? ": " : "", more);
    pthread_mutex_lock(&d->error_lock);
    LastError *e = find_error(d, self);
    if (!e)
        e = &d->errors[d->nerrors++ % MAX_LAST_ERRORS];
    buf_free(&e->text);
    *e = (LastError){self, text};
    pthread_mutex_unlock(&d->error_lock);
    return s;
}

void drv_last_error(Driver *d, Buf *out)
{
    pthread_mutex_lock(&d->error_lock);
    const LastError *e = find_error(d, pthread_self());
    if (e)
        buf_str(out, buf_text(&e->text));
    pthread_mutex_unlock(&d->error_lock);
}

/* --- life ------------------------------------------------------------------------- */

Driver *drv_open(const DeviceOptions *opt)
{
    Driver *d = mem_zalloc(1, sizeof *d);
    if (!d)
        return NULL;
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->quiet, NULL);
    pthread_mutex_init(&d->error_lock, NULL);
    d->dev = dev_open(opt);
    if (!d->dev || !heap_open(&d->heap) ||
        (opt->mmu && !pagetable_open(&d->tables, dev_memory(d->dev)))) {
        drv_close(d);
        return NULL;
    }
    if (opt->mmu)
        dev_set_tables(d->dev, d->tables.root);
    return d;
}

void drv_close(Driver *d)
{
    if (!d)
        return;
    heap_close(&d->heap);
    pagetable_close(&d->tables);
    dev_close(d->dev);
    for (size_t i = 0; i < countof(d->errors); i++)
        buf_free(&d->errors[i].text);
    pthread_mutex_destroy(&d->lock);
    pthread_cond_destroy(&d->quiet);
    pthread_mutex_destroy(&d->error_lock);
    mem_free(d);
}

Device *drv_device(Driver *d) { return d->dev; }

/* --- pages -------------------------------------------------------------------------- */

static bool has_mmu(const Driver *d) { return dev_options(d->dev)->mmu; }

DrvStatus map_pages(Driver *d, u64 addr, u64 size)
{
    if (!has_mmu(d))
        memory_map(dev_memory(d->dev), addr, size, MEM_R | MEM_W);
    else if (!pagetable_map(&d->tables, addr, size))
        return DRV_DEVICE_FULL;
    return DRV_OK;
}

void unmap_pages(Driver *d, u64 addr, u64 size)
{
    if (has_mmu(d))
        pagetable_unmap(&d->tables, addr, size);
    else
        memory_retire(dev_memory(d->dev), addr, size);
}

/* --- launches and what must not change under them ---------------------------------------- */

void wait_quiet(Driver *d)
{
    d->changers++;
    while (d->running)
        pthread_cond_wait(&d->quiet, &d->lock);
    if (!--d->changers)
        pthread_cond_broadcast(&d->quiet);
}

void begin_launch(Driver *d, bool alone)
{
    d->running++;
    d->changers += alone;
}

void end_launch(Driver *d, bool alone)
{
    u64 addr, size;
    d->changers -= alone;
    if (--d->running)
        return;
    while (!d->is_watched && heap_release(&d->heap, &addr, &size))
        unmap_pages(d, addr, size);
    pthread_cond_broadcast(&d->quiet);
}

DrvStatus map_code_window(Driver *d)
{
    const u64 size = CODE_END - CODE_LO;
    if (d->code_lo != d->code_end)
        return DRV_OK;
    if (has_mmu(d) && !pagetable_map_same(&d->tables, CODE_LO, size))
        return drv_fail(d, DRV_DEVICE_FULL, "no memory for the page tables of the code window");
    memory_map(dev_memory(d->dev), CODE_LO, size, MEM_R | MEM_W | MEM_X);
    return DRV_OK;
}

void code_was_written(Driver *d, u64 addr, u64 size)
{
    const bool first = d->code_lo == d->code_end;
    d->code_lo = first || addr < d->code_lo ? addr : d->code_lo;
    d->code_end = first || addr + size > d->code_end ? addr + size : d->code_end;
    d->code_is_new = true;
}

/* --- the heap ------------------------------------------------------------------------- */

/* Maps a new block of the heap, or reports why there is none. */
static DrvStatus take_block(Driver *d, DrvStatus s, u64 size, u64 *addr)
{
    u64 rounded;
    if (!s && (s = map_pages(d, *addr, align_up(size, PAGE_SIZE))))
        heap_free(&d->heap, *addr, &rounded);
    if (s == DRV_DEVICE_FULL)
        return drv_fail(d, s, "%llu bytes wanted, %llu in use", (unsigned long long)size,
                        (unsigned long long)d->heap.bytes);
    return s ? drv_fail(d, s, "%llu bytes wanted", (unsigned long long)size) : DRV_OK;
}

/* what lies between blocks, so that an overrun meets nobody */
static u64 gap_after(const Driver *d, u64 size)
{
    enum { LEAST = 64 << 10, MOST = 16 << 20 };
    return !d->is_watched ? 0 : size < LEAST ? LEAST : size < MOST ? size : MOST;
}

/* Gives back the addresses that were kept from being used again.  False: there were none. */
static bool release_held(Driver *d)
{
    u64 addr, size;
    bool any = false;
    for (; d->is_watched && heap_release(&d->heap, &addr, &size); any = true)
        ;
    return any;
}

DrvStatus alloc_locked(Driver *d, u64 size, u64 *addr)
{
    u64 gap = gap_after(d, size);
    DrvStatus s = heap_alloc(&d->heap, size, gap, addr);
    if (s == DRV_DEVICE_FULL && release_held(d))
        s = heap_alloc(&d->heap, size, gap, addr);
    if (s == DRV_DEVICE_FULL && gap)
        s = heap_alloc(&d->heap, size, gap = 0, addr);
    if (!(s = take_block(d, s, size + gap, addr)))
        tell_allocated(d, *addr, size);
    return s;
}

bool wait_for_memory(Driver *d)
{
    if (!d->running)
        return false;
    wait_quiet(d);
    return true;
}

DrvStatus drv_alloc(Driver *d, u64 size, u64 *addr)
{
    pthread_mutex_lock(&d->lock);
    DrvStatus s = addr ? alloc_locked(d, size, addr)
                       : drv_fail(d, DRV_BAD_ARGUMENT, "nowhere to put the address");
    while (s == DRV_DEVICE_FULL && wait_for_memory(d))
        s = alloc_locked(d, size, addr);
    pthread_mutex_unlock(&d->lock);
    return s;
}

DrvStatus drv_alloc_high(Driver *d, u64 size, u64 *addr)
{
    DrvStatus s;
    pthread_mutex_lock(&d->lock);
    if (!addr)
        s = drv_fail(d, DRV_BAD_ARGUMENT, "nowhere to put the address");
    else if (dev_memory(d->dev)->end <= (u64)1 << 32 && !has_mmu(d))
        s = drv_fail(d, DRV_UNSUPPORTED, "the host reserved 4 GiB of addresses only");
    else
        s = take_block(d, heap_alloc_high(&d->heap, size, 0, addr), size, addr);
    pthread_mutex_unlock(&d->lock);
    return s;
}

DrvStatus drv_alloc_at(Driver *d, u64 addr, u64 size)
{
    u64 rounded;
    pthread_mutex_lock(&d->lock);
    DrvStatus s = heap_alloc_at(&d->heap, addr, size);
    while (s == DRV_OVERLAP && wait_for_memory(d))
        s = heap_alloc_at(&d->heap, addr, size);
    if (!s && (s = map_pages(d, addr, align_up(size, PAGE_SIZE))))
        heap_free(&d->heap, addr, &rounded);
    if (s)
        drv_fail(d, s, "%llu bytes at 0x%08llx", (unsigned long long)size,
                 (unsigned long long)addr);
    pthread_mutex_unlock(&d->lock);
    return s;
}

static DrvStatus free_block(Driver *d, u64 addr)
{
    u64 size;
    const DrvStatus s = d->running || d->is_watched ? heap_hold(&d->heap, addr, &size)
                                                    : heap_free(&d->heap, addr, &size);
    if (s)
        return drv_fail(d, s, "0x%08llx", (unsigned long long)addr);
    if (!d->running || d->is_watched)
        unmap_pages(d, addr, size);
    else if (!has_mmu(d))
        memory_allow(dev_memory(d->dev), addr, size, 0);
    return DRV_OK;
}

void free_locked(Driver *d, u64 addr)
{
    if (addr)
        free_block(d, addr);
}

enum { MAX_CLEARED = 8 << 20 }; /* bytes that stay mapped: the private memory of a full machine by default */

void free_cleared_locked(Driver *d, u64 addr)
{
    u64 size;
    if (has_mmu(d) || !addr || d->running || d->is_watched)
        free_locked(d, addr);
    else if (heap_free(&d->heap, addr, &size))
        bug("a block that was found is not there");
    else {
        const u64 kept = size < MAX_CLEARED ? size : MAX_CLEARED;
        memory_allow(dev_memory(d->dev), addr, kept, 0);
        memory_unmap(dev_memory(d->dev), addr + kept, size - kept);
    }
}

DrvStatus drv_free(Driver *d, u64 addr)
{
    pthread_mutex_lock(&d->lock);
    const DrvStatus s = free_block(d, addr);
    pthread_mutex_unlock(&d->lock);
    return s;
}

DrvStatus drv_free_all(Driver *d)
{
    u64 size;
    pthread_mutex_lock(&d->lock);
    wait_quiet(d);
    for (const Range *r; (r = range_after(d->heap.used, 0));) {
        const u64 addr = r->addr;
        heap_free(&d->heap, addr, &size);
        unmap_pages(d, addr, size);
    }
    pthread_mutex_unlock(&d->lock);
    return DRV_OK;
}

u64 drv_bytes_used(Driver *d)
{
    pthread_mutex_lock(&d->lock);
    const u64 n = d->heap.bytes;
    pthread_mutex_unlock(&d->lock);
    return n;
}

/* --- copies ------------------------------------------------------------------------------ */

/* *physical: the physical address of addr; *n: how many of the bytes wanted lie there in one piece
 */
static bool find_bytes(Driver *d, Tlb *tlb, u64 addr, u64 *physical, u64 *n)
{
    const u64 in_page = PAGE_SIZE - addr % PAGE_SIZE;
    *physical = addr;
    if (!has_mmu(d))
        return true;
    if (*n > in_page)
        *n = in_page;
    return dev_translate(d->dev, tlb, addr, physical);
}

bool copy_in(Driver *d, u64 addr, const void *from, u64 size)
{
    if (!has_mmu(d))
        return !size || dev_write(d->dev, addr, from, size);
    Tlb tlb = {.vpn = {0}};
    const u8 *p = from;
    for (u64 n, physical; size; addr += n, p += n, size -= n) {
        n = size;
        if (!find_bytes(d, &tlb, addr, &physical, &n) || !dev_write(d->dev, physical, p, n))
            return false;
    }
    return true;
}

bool copy_out(Driver *d, u64 addr, void *to, u64 size)
{
    if (!has_mmu(d))
        return !size || dev_read(d->dev, addr, to, size);
    Tlb tlb = {.vpn = {0}};
    u8 *p = to;
    for (u64 n, physical; size; addr += n, p += n, size -= n) {
        n = size;
        if (!find_bytes(d, &tlb, addr, &physical, &n) || !dev_read(d->dev, physical, p, n))
            return false;
    }
    return true;
}

static bool in_code_window(u64 addr, u64 size)
{
    return addr >= CODE_LO && addr < CODE_END && size <= CODE_END - addr;
}

/* Whether a copy may touch the range: it lies in one block or in mapped code. */
static bool may_copy(const Driver *d, u64 addr, u64 size)
{
    const Range *block = heap_find(&d->heap, addr);
    if (block)
        return size <= range_end(block) - addr;
    return in_code_window(addr, size) && memory_has(dev_memory(d->dev), addr, size, MEM_R);
}

static DrvStatus out_of_range(Driver *d, u64 addr, u64 size)
{
    const Range *block = heap_find(&d->heap, addr);
    if (block)
        return drv_fail(d, DRV_OUT_OF_RANGE,
                        "%llu bytes at 0x%08llx; the buffer at 0x%08llx ends %llu "
                        "bytes on",
                        (unsigned long long)size, (unsigned long long)addr,
                        (unsigned long long)block->addr,
                        (unsigned long long)(range_end(block) - addr));
    return drv_fail(d, DRV_OUT_OF_RANGE, "%llu bytes at 0x%08llx, where no buffer is",
                    (unsigned long long)size, (unsigned long long)addr);
}

/* A write into the code window, unless it changes a loaded image, brings code by itself. */
static DrvStatus prepare_code(Driver *d, u64 addr, u64 size)
{
    if (dev_code(d->dev)->image && memory_has(dev_memory(d->dev), addr, size, MEM_R))
        return DRV_OK;
    const DrvStatus s = map_code_window(d);
    if (!s)
        code_was_written(d, addr, size);
    return s;
}

/* The host's address of a range in one block, where a copy needs no lock; NULL: it has none. */
static u8 *host_range(const Driver *d, u64 addr, u64 size)
{
    const Range *block = has_mmu(d) ? NULL : heap_find(&d->heap, addr);
    return block && size <= range_end(block) - addr ? dev_memory(d->dev)->base + addr : NULL;
}

/* The same without the lock. */
static u8 *find_host_range(Driver *d, u64 addr, u64 size)
{
    pthread_mutex_lock(&d->lock);
    u8 *p = host_range(d, addr, size);
    pthread_mutex_unlock(&d->lock);
    return p;
}

void *drv_host_pointer(Driver *d, u64 addr, u64 size)
{
    atomic_store(&dev_memory(d->dev)->is_shared, true);
    return find_host_range(d, addr, size);
}

static DrvStatus write_locked(Driver *d, u64 addr, const void *from, u64 size)
{
    DrvStatus s = DRV_OK;
    if (in_code_window(addr, size)) {
        wait_quiet(d);
        s = prepare_code(d, addr, size);
    }
    if (s)
        return s;
    if (!may_copy(d, addr, size) || !copy_in(d, addr, from, size))
        return out_of_range(d, addr, size);
    return DRV_OK;
}

static DrvStatus bad_copy(Driver *d, u64 size)
{
    return drv_fail(d, DRV_BAD_ARGUMENT, "a copy of %llu bytes", (unsigned long long)size);
}

DrvStatus drv_write(Driver *d, u64 addr, const void *from, u64 size)
{
    if (!from || !size)
        return bad_copy(d, size);
    if (find_host_range(d, addr, size)) {
        memory_write(dev_memory(d->dev), addr, from, size);
        tell_written(d, addr, size);
        return DRV_OK;
    }
    pthread_mutex_lock(&d->lock);
    const DrvStatus s = write_locked(d, addr, from, size);
    tell_written(d, addr, size);
    pthread_mutex_unlock(&d->lock);
    return s;
}

DrvStatus drv_read(Driver *d, u64 addr, void *to, u64 size)
{
    DrvStatus s = DRV_OK;
    if (!to || !size)
        return bad_copy(d, size);
    const u8 *from = find_host_range(d, addr, size);
    if (from) {
        memory_move_bytes(to, from, size);
        return DRV_OK;
    }
    pthread_mutex_lock(&d->lock);
    if (!may_copy(d, addr, size) || !copy_out(d, addr, to, size))
        s = out_of_range(d, addr, size);
    pthread_mutex_unlock(&d->lock);
    return s;
}

/* Repeats the pattern: what has been written is doubled each time. */
static void repeat(u8 *to, u64 size, const void *pattern, u64 pattern_size)
{
    memcpy(to, pattern, pattern_size);
    for (u64 done = pattern_size, n; done < size; done += n) {
        n = done < size - done ? done : size - done;
        memcpy(to + done, to, n);
    }
}

static DrvStatus fill_locked(Driver *d, u64 addr, const void *pattern, u64 pattern_size, u64 size)
{
    u8 chunk[PAGE_SIZE];
    const u64 step = sizeof chunk / pattern_size * pattern_size;
    if (!may_copy(d, addr, size))
        return out_of_range(d, addr, size);
    repeat(chunk, step, pattern, pattern_size);
    for (u64 n; size; addr += n, size -= n) {
        n = size < step ? size : step;
        if (!copy_in(d, addr, chunk, n))
            return out_of_range(d, addr, n);
    }
    return DRV_OK;
}

DrvStatus drv_fill(Driver *d, u64 addr, const void *pattern, u64 pattern_size, u64 size)
{
    u8 chunk[PAGE_SIZE];
    if (!pattern || !pattern_size || pattern_size > PAGE_SIZE || !size || size % pattern_size)
        return drv_fail(d, DRV_BAD_ARGUMENT, "%llu bytes by a pattern of %llu",
                        (unsigned long long)size, (unsigned long long)pattern_size);
    const bool is_plain = find_host_range(d, addr, size);
    tell_written(d, addr, size);
    if (!is_plain) {
        pthread_mutex_lock(&d->lock);
        const DrvStatus s = fill_locked(d, addr, pattern, pattern_size, size);
        pthread_mutex_unlock(&d->lock);
        return s;
    }
    const u64 step = sizeof chunk / pattern_size * pattern_size;
    repeat(chunk, size < step ? size : step, pattern, pattern_size);
    for (u64 i = 0; i < size; i += step)
        memory_write(dev_memory(d->dev), addr + i, chunk, size - i < step ? size - i : step);
    return DRV_OK;
}

static DrvStatus copy_locked(Driver *d, u64 from, u64 to, u64 size)
{
    if (!may_copy(d, from, size))
        return out_of_range(d, from, size);
    if (!may_copy(d, to, size))
        return out_of_range(d, to, size);
    u8 *all = mem_alloc(size);
    if (!all)
        return drv_fail(d, DRV_NO_MEMORY, "a copy of %llu bytes", (unsigned long long)size);
    if (in_code_window(to, size))
        wait_quiet(d);
    DrvStatus s = DRV_OK;
    if (!copy_out(d, from, all, size))
        s = out_of_range(d, from, size);
    else if (!copy_in(d, to, all, size))
        s = out_of_range(d, to, size);
    mem_free(all);
    return s;
}

DrvStatus drv_copy(Driver *d, u64 from, u64 to, u64 size)
{
    if (!size)
        return bad_copy(d, size);
    pthread_mutex_lock(&d->lock);
    const u8 *source = host_range(d, from, size);
    const bool is_plain = source && host_range(d, to, size);
    tell_copied(d, from, to, size);
    const DrvStatus s = is_plain ? DRV_OK : copy_locked(d, from, to, size);
    pthread_mutex_unlock(&d->lock);
    if (is_plain)
        memory_write(dev_memory(d->dev), to, source, size);
    return s;
}

/* --- programs --------------------------------------------------------------------------------- */

/* Whether all segments lie in the code window; everything else is the heap's. */
static bool segments_fit(const Object *image, Diag *d)
{
    const Source src = {.name = image->name};
    for (size_t i = 0; i < image->nsegments; i++) {
        const ObjSegment *s = &image->segments[i];
        if (!s->memsz || in_code_window(s->addr, s->memsz))
            continue;
        error(d, &src, NULL, "segment 0x%08x..0x%08llx lies outside the code window", s->addr,
              (unsigned long long)s->addr + s->memsz);
        return false;
    }
    return true;
}

static bool map_segments_same(Driver *d, const Object *image)
{
    for (size_t i = 0; has_mmu(d) && i < image->nsegments; i++) {
        const ObjSegment *s = &image->segments[i];
        const u64 first = s->addr & ~(u64)(PAGE_SIZE - 1);
        if (s->memsz && !pagetable_map_same(&d->tables, first, (u64)s->addr + s->memsz - first))
            return false;
    }
    return true;
}

DrvStatus check_image(Driver *d, const Object *image, Diag *to)
{
    if (image->entry != CODE_LO)
        error(to, NULL, NULL, "%s: entry is 0x%08x; every warp starts at 0x%08x", image->name,
              image->entry, CODE_LO);
    else if (segments_fit(image, to))
        return DRV_OK;
    return drv_fail(d, DRV_BAD_PROGRAM, "%s", image->name);
}

/* Unmaps what was written into the code window. */
static void clear_code_window(Driver *d)
{
    if (d->code_lo == d->code_end)
        return;
    memory_unmap(dev_memory(d->dev), CODE_LO, CODE_END - CODE_LO);
    d->code_lo = d->code_end = 0;
    d->code_is_new = false;
}

DrvStatus bring_back_locked(Driver *d, const DevCode *code)
{
    if (!map_segments_same(d, code->image))
        return drv_fail(d, DRV_BAD_PROGRAM, "%s", code->image->name);
    clear_code_window(d);
    dev_bring_back(d->dev, code);
    return DRV_OK;
}

DrvStatus load_locked(Driver *d, Object *image, Diag *diag)
{
    if (!segments_fit(image, diag) || !map_segments_same(d, image))
        return drv_fail(d, DRV_BAD_PROGRAM, "%s", image->name);
    if (image->entry == CODE_LO)
        clear_code_window(d);
    return dev_load(d->dev, image, diag) ? DRV_OK : drv_fail(d, DRV_BAD_PROGRAM, "%s", image->name);
}

DrvStatus drv_load(Driver *d, Object *image, Diag *diag)
{
    pthread_mutex_lock(&d->lock);
    wait_quiet(d);
    DrvStatus s = image && diag ? leave_program(d) : drv_fail(d, DRV_BAD_ARGUMENT, "no image");
    if (!s)
        s = load_locked(d, image, diag);
    pthread_mutex_unlock(&d->lock);
    return s;
}
