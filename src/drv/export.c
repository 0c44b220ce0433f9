/* export.c -- a launch of drv_run as replay files. */
#include "drv/internal.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* How often a kernel was launched. */
typedef struct {
    char *kernel;
    u32 n;
} LaunchCount;

struct DrvExport {
    char *dir;
    pthread_mutex_t lock; /* guards what follows */
    LaunchCount *counts;
    size_t ncounts, capcounts;
};

DrvExport *drv_export_open(const char *dir)
{
    DrvExport *e = mem_zalloc(1, sizeof *e);
    if (!e)
        return NULL;
    pthread_mutex_init(&e->lock, NULL);
    mkdir(dir, 0777); /* where it cannot be made, the first launch says so */
    if ((e->dir = mem_strdup(dir)))
        return e;
    drv_export_close(e);
    return NULL;
}

void drv_export_close(DrvExport *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->ncounts; i++)
        mem_free(e->counts[i].kernel);
    pthread_mutex_destroy(&e->lock);
    mem_free(e->counts);
    mem_free(e->dir);
    mem_free(e);
}

static bool out_of_memory(Driver *d)
{
    drv_fail(d, DRV_NO_MEMORY, "while a launch was exported");
    return false;
}

/* Counts the launches of each kernel, for the number in the file name. */
static bool next_number(Driver *d, DrvExport *e, const char *kernel, u32 *n)
{
    LaunchCount *c = NULL;
    pthread_mutex_lock(&e->lock);
    for (size_t i = 0; !c && i < e->ncounts; i++)
        if (!strcmp(e->counts[i].kernel, kernel))
            c = &e->counts[i];
    if (!c) {
        char *name = mem_strdup(kernel);
        if (name && array_grow(e->counts, e->ncounts, e->capcounts)) {
            c = &e->counts[e->ncounts++];
            *c = (LaunchCount){name, 0};
        } else
            mem_free(name);
    }
    if (c)
        *n = c->n++;
    pthread_mutex_unlock(&e->lock);
    return c || out_of_memory(d);
}

static bool add_buffer(Driver *d, Replay *r, size_t *cap, u64 base, u64 size, u64 alloc)
{
    if (!array_grow(r->buffers, r->nbuffers, *cap))
        return out_of_memory(d);
    struct ReplayBuffer *b = &r->buffers[r->nbuffers];
    *b = (struct ReplayBuffer){.base = base,
                               .size = size,
                               .alloc = alloc,
                               .data = size ? mem_zalloc(align_up(size, 4), 1) : NULL};
    if (size && !b->data)
        return out_of_memory(d);
    r->nbuffers++;
    if (size && !copy_out(d, base, b->data, size))
        bug("a buffer is not there");
    return true;
}

/* the loaded image up to its last byte */
static u64 code_size(const Driver *d)
{
    u64 end = CODE_LO;
    for (size_t i = 0; dev_code(d->dev)->image && i < dev_code(d->dev)->image->nsegments; i++) {
        const ObjSegment *s = &dev_code(d->dev)->image->segments[i];
        if (s->addr + (u64)s->memsz > end)
            end = s->addr + (u64)s->memsz;
    }
    return end - CODE_LO;
}

/* Adds the code page by page, because gaps between segments are not mapped. */
static bool add_code(Driver *d, Replay *r, size_t *cap)
{
    const u64 size = code_size(d);
    if (!add_buffer(d, r, cap, CODE_LO, 0, CODE_END - CODE_LO))
        return false;
    struct ReplayBuffer *b = &r->buffers[r->nbuffers - 1];
    b->data = mem_zalloc(align_up(size, 4), 1);
    if (!b->data)
        return out_of_memory(d);
    b->size = size;
    for (u64 at = 0; at < size; at += PAGE_SIZE)
        copy_out(d, CODE_LO + at, b->data + at, size - at < PAGE_SIZE ? size - at : PAGE_SIZE);
    return true;
}

static bool add_all(Driver *d, Replay *r)
{
    size_t cap = 0;
    for (const Range *b = range_after(d->heap.used, 0); b;
         b = range_after(d->heap.used, range_end(b)))
        if (!add_buffer(d, r, &cap, b->addr, b->addr == r->record.pds_base ? 0 : b->size, b->size))
            return false;
    return add_code(d, r, &cap);
}

static DrvStatus write_file(Driver *d, const char *dir, const char *name, const char *suffix,
                            const Buf *b)
{
    Buf path = {0};
    buf_printf(&path, "%s/%s.%s", dir, name, suffix);
    if (path.failed)
        return drv_fail(d, DRV_NO_MEMORY, "while a launch was exported");
    FILE *f = fopen(buf_text(&path), "wb");
    bool ok = f && fwrite(buf_text(b), 1, b->len, f) == b->len;
    if (f && fclose(f))
        ok = false;
    const DrvStatus s =
        ok ? DRV_OK : drv_fail(d, DRV_IO, "%s: %s", buf_text(&path), strerror(errno));
    buf_free(&path);
    return s;
}

static DrvStatus write_files(Driver *d, const char *dir, const char *kernel, u32 n, const Replay *r)
{
    Buf metadata = {0}, data = {0}, name = {0};
    replay_write(r, &metadata, &data);
    buf_printf(&name, "%s_%u", kernel, n);
    DrvStatus s = DRV_OK;
    if (metadata.failed || data.failed || name.failed)
        s = drv_fail(d, DRV_NO_MEMORY, "while a launch was exported");
    else if (!(s = write_file(d, dir, buf_text(&name), "metadata", &metadata)))
        s = write_file(d, dir, buf_text(&name), "data", &data);
    buf_free(&metadata);
    buf_free(&data);
    buf_free(&name);
    return s;
}

DrvStatus export_launch(Driver *d, DrvExport *to, const char *kernel, const DrvRecord *record)
{
    Replay r = {.start = CODE_LO, .record = *record};
    u32 n;
    DrvStatus s = next_number(d, to, kernel, &n) && add_all(d, &r) ? DRV_OK : DRV_NO_MEMORY;
    if (!s)
        s = write_files(d, to->dir, kernel, n, &r);
    replay_free(&r);
    return s;
}
