/* replay.c -- launches in files: written, and run. */
#include "drv/internal.h"
#include <string.h>

/* --- writing ------------------------------------------------------------------------- */

static void put_word(Buf *b, u32 v) { buf_printf(b, "%08x\n", v); }

static void put_value(Buf *b, u64 v)
{
    put_word(b, (u32)v);
    put_word(b, (u32)(v >> 32));
}

static void put_record(Buf *b, const DrvRecord *r)
{
    const u64 v[] = {r->kernel_id, r->kernel_size[0], r->kernel_size[1], r->kernel_size[2],
                     r->wf_size,   r->wg_size,        r->metadata_base,  r->lds_size,
                     r->pds_size,  r->sgpr_usage,     r->vgpr_usage,     r->pds_base};
    for (size_t i = 0; i < countof(v); i++)
        put_value(b, v[i]);
}

static void put_data(Buf *b, const struct ReplayBuffer *buffer)
{
    for (u64 i = 0; i < buffer->size; i += 4) {
        u32 v = 0;
        if (buffer->data)
            memcpy(&v, buffer->data + i, sizeof v);
        put_word(b, v);
    }
}

void replay_write(const Replay *r, Buf *metadata, Buf *data)
{
    put_value(metadata, r->start);
    put_record(metadata, &r->record);
    put_value(metadata, r->nbuffers);
    for (size_t i = 0; i < r->nbuffers; i++)
        put_value(metadata, r->buffers[i].base);
    for (size_t i = 0; i < r->nbuffers; i++)
        put_value(metadata, r->buffers[i].size);
    for (size_t i = 0; i < r->nbuffers; i++)
        put_value(metadata, r->buffers[i].alloc);
    for (size_t i = 0; i < r->nbuffers; i++)
        put_data(data, &r->buffers[i]);
}

/* --- running --------------------------------------------------------------------------- */

static bool is_code(u64 addr) { return addr >= CODE_LO && addr < CODE_END; }
static bool is_local(u64 addr) { return addr >= LDS_LO && addr < LDS_END; }

/* Maps the pages of a new block that were not mapped yet. */
static DrvStatus map_new_pages(Driver *d, u64 addr, u64 size)
{
    const u64 first = addr & ~(u64)(PAGE_SIZE - 1), end = align_up(addr + size, PAGE_SIZE);
    u64 from = first;
    u8 byte;
    for (u64 p = first; p <= end; p += PAGE_SIZE) {
        if (p < end && !copy_out(d, p, &byte, 1))
            continue;
        const DrvStatus s = p > from ? map_pages(d, from, p - from) : DRV_OK;
        if (s)
            return s;
        from = p + PAGE_SIZE;
    }
    return DRV_OK;
}

/* Allocates the buffer.  Buffers of one file, or of the files of a sequence, may overlap: what is
 * there already keeps its contents. */
static DrvStatus make_room(Driver *d, const struct ReplayBuffer *b)
{
    const u64 size = b->size > b->alloc ? b->size : b->alloc;
    if (!size)
        return DRV_OK;
    DrvStatus s = heap_cover(&d->heap, b->base, size);
    if (!s)
        s = map_new_pages(d, b->base, size);
    return s ? drv_fail(d, s, "buffer of %llu bytes at 0x%08llx", (unsigned long long)size,
                        (unsigned long long)b->base)
             : DRV_OK;
}

static DrvStatus put_code(Driver *d, const struct ReplayBuffer *b)
{
    if (b->size > CODE_END - b->base)
        return drv_fail(d, DRV_OUT_OF_RANGE, "%llu bytes of code at 0x%08llx",
                        (unsigned long long)b->size, (unsigned long long)b->base);
    const DrvStatus s = map_code_window(d);
    if (s || !b->size)
        return s;
    code_was_written(d, b->base, b->size);
    return DRV_OK;
}

static DrvStatus put_buffer(Driver *d, const struct ReplayBuffer *b)
{
    if (is_local(b->base)) /* hosts cannot reach local memory */
        return DRV_OK;
    const DrvStatus s = is_code(b->base) ? put_code(d, b) : make_room(d, b);
    if (s)
        return s;
    if (b->data && !copy_in(d, b->base, b->data, b->size))
        bug("a buffer that was just mapped is not there");
    return DRV_OK;
}

DrvStatus replay_run(Driver *d, const Replay *r, const LaunchOptions *run, u64 max_insns,
                     DrvResult *result)
{
    DrvStatus s = DRV_OK;
    *result = (DrvResult){.warps = 0};
    pthread_mutex_lock(&d->lock);
    wait_quiet(d);
    Extents x = {.n = 0};
    for (size_t i = 0; !s && i < r->nbuffers; i++) {
        const struct ReplayBuffer *b = &r->buffers[i];
        const bool is_private = b->base == r->record.pds_base;
        s = put_buffer(d, b);
        tell_written(d, b->base, b->size);
        extents_add(d, &x,
                    (DrvExtent){.kind = is_private ? EXTENT_PRIVATE : EXTENT_BLOCK,
                                .addr = b->base,
                                .size = is_private ? b->alloc : b->size});
    }
    if (!s)
        s = start_locked(d, &r->record, r->name, run, max_insns, &x, result);
    mem_free(x.e);
    pthread_mutex_unlock(&d->lock);
    return s;
}
