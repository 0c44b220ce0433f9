/* copy.c -- asynchronous copies between global and local memory (cp_dma*).
 *
 * A copy is done at once when it is issued, which is one of the orders that the architecture
 * allows; a program may rely on its data only after cp_dma_mbarrier.  With Launch.check_copies the
 * bytes count as pending until the issuing warp waits, and an access to them is a fault
 * (doc/isa.md, "Asynchronous copies").  Copies execute once for the warp, whatever its mask.
 */
#include "base/mem.h"
#include "sim/handlers.h"
#include <string.h>

enum { MOST_BYTES = LDS_END - LDS_LO }; /* of one copy: local memory has no more */

bool is_pending(const Group *g, u64 addr, u32 width)
{
    for (size_t i = 0; i < g->npending; i++)
        if (addr < g->pending[i].end && addr + width > g->pending[i].lo)
            return true;
    return false;
}

static bool note_pending(Warp *w, const Uop *u, u64 lo, u64 size)
{
    Group *g = w->group;
    if (!g->launch->check_copies || !size)
        return true;
    if (!array_grow(g->pending, g->npending, g->cappending)) {
        fail(w, u, FAULT_NO_MEMORY, -1);
        return false;
    }
    g->pending[g->npending++] = (PendingCopy){lo, lo + size, w->id};
    return true;
}

HANDLER(w_dma_wait)
{
    Group *g = w->group;
    size_t kept = 0;
    for (size_t i = 0; i < g->npending; i++)
        if (g->pending[i].warp != w->id)
            g->pending[kept++] = g->pending[i];
    g->npending = kept;
    return next(u);
}

/* `step` bytes at a time, 1 or 4 */
static bool copy_bytes(Warp *w, const Uop *u, u32 to, u32 from, u32 size, u32 step)
{
    for (u32 i = 0; i < size; i += step) {
        u32 value;
        if (!access_load(w, u, from + i, step, -1, &value) ||
            !access_store(w, u, to + i, step, -1, value))
            return false;
    }
    return true;
}

static bool fill(Warp *w, const Uop *u, u32 to, u32 size)
{
    for (u32 i = 0; i < size; i++)
        if (!access_store(w, u, to + i, 1, -1, 0))
            return false;
    return true;
}

/* x[rs2] bytes of 4 << sz, the rest zeros */
HANDLER(w_dma)
{
    const u32 to = w->x[u->rc], from = w->x[u->ra], given = w->x[u->rb], size = 4u << u->imm;
    if (given > size)
        return fail_at(w, u, FAULT_COPY_ARGUMENT, -1, given, 0);
    if (!copy_bytes(w, u, to, from, given, 1) || !fill(w, u, to + given, size - given))
        return NULL;
    return note_pending(w, u, to, size) ? next(u) : NULL;
}

HANDLER(w_dma_bulk)
{
    const u32 to = w->x[u->rc], from = w->x[u->ra], size = w->x[u->rb];
    if ((to | from | size) & 3 || size > MOST_BYTES)
        return fail_at(w, u, FAULT_COPY_ARGUMENT, -1, (to | from) & 3 ? (to & 3 ? to : from) : size,
                       0);
    if (!copy_bytes(w, u, to, from, size, 4))
        return NULL;
    return note_pending(w, u, to, size) ? next(u) : NULL;
}

/* --- tensors --------------------------------------------------------------------------- */

enum { MAX_RANK = 5 };

/* The descriptors in the lanes of vs1 (tensor) and vs2 (box), taken apart. */
typedef struct {
    u32 type, width; /* element type, bytes of one */
    u32 rank;
    u32 base, dim[MAX_RANK], stride[MAX_RANK]; /* elements; bytes */
    u32 box, count[MAX_RANK],
        step[MAX_RANK];   /* of the box: address, elements taken, element stride */
    u32 origin[MAX_RANK]; /* coordinates of the box in the tensor */
    u32 swizzle, fill;
    u32 to, end; /* first byte written; the byte after the last one written so far */
} Tensor;

enum { FIRST_FLOAT_TYPE = 6 }; /* the types after it are floats too (doc/isa.md) */

static u32 element_width(u32 type)
{
    static const u8 width[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < countof(width) ? width[type] : 0;
}

/* false: an argument is out of range, *bad */
static bool read_tensor(const Warp *w, const Uop *u, Tensor *t, u32 *bad)
{
    const u32 *tensor = w->v[u->rb], *box = w->v[u->ra];
    /* 1. what does not depend on dimensions */
    *t = (Tensor){.type = tensor[0],
                  .width = element_width(tensor[0]),
                  .rank = tensor[1],
                  .base = tensor[2],
                  .box = box[0],
                  .swizzle = box[12],
                  .fill = box[14],
                  .to = w->x[u->rc],
                  .end = w->x[u->rc]};
    if (!t->width || !t->rank || t->rank > MAX_RANK || t->swizzle > 3 || t->fill > 1 || box[11] ||
        t->box < t->base) {
        *bad = !t->width ? t->type : t->rank - 1 >= MAX_RANK ? t->rank : t->box;
        return false;
    }
    /* 2. the dimensions of tensor and box */
    u64 bytes = t->width;
    for (u32 d = 0; d < t->rank; d++) {
        const u32 size = box[1 + d];
        t->dim[d] = tensor[3 + d];
        t->stride[d] = d ? tensor[7 + d] : t->width;
        t->step[d] = d && box[6 + d] ? box[6 + d] : 1;
        t->count[d] = (size + t->step[d] - 1) / t->step[d];
        bytes *= t->count[d];
        if (!size || size > 256 || t->step[d] > 8 || bytes > MOST_BYTES) {
            *bad = size;
            return false;
        }
    }
    /* 3. the coordinates of the box in the tensor, the highest dimension first */
    u32 offset = t->box - t->base;
    for (u32 d = t->rank; d-- > 0;) {
        t->origin[d] = t->stride[d] ? offset / t->stride[d] : 0;
        offset = t->stride[d] ? offset % t->stride[d] : offset;
    }
    return true;
}

/* 16-byte chunks of a row are exchanged by the row's number */
static u32 swizzled(const Tensor *t, u32 offset, u32 row)
{
    const u32 chunks = (1u << t->swizzle) - 1;
    const u32 base = offset & ~((16u << t->swizzle) - 1);
    return t->swizzle ? base | (((offset >> 4 ^ row) & chunks) << 4) | (offset & 15) : offset;
}

static bool copy_element(Warp *w, const Uop *u, Tensor *t, const u32 *index, u32 flat)
{
    u32 from = t->box, row = 0;
    bool outside = false;
    for (u32 d = t->rank; d-- > 0;) {
        const u32 place = index[d] * t->step[d];
        from += place * t->stride[d];
        outside |= t->origin[d] + place >= t->dim[d];
        row = d ? row * t->count[d] + index[d] : row;
    }
    const u32 to = t->to + swizzled(t, flat * t->width, row);
    const u32 step = t->width < 4 ? t->width : 4;
    t->end = to + t->width > t->end ? to + t->width : t->end;
    for (u32 i = 0; i < t->width; i += step) {
        u32 value = t->fill && t->type >= FIRST_FLOAT_TYPE ? UINT32_MAX : 0;
        if ((!outside && !access_load(w, u, from + i, step, -1, &value)) ||
            !access_store(w, u, to + i, step, -1, value))
            return false;
    }
    return true;
}

HANDLER(w_dma_tensor)
{
    Tensor t;
    u32 bad, index[MAX_RANK] = {0}, total = 1;
    if (w->group->launch->lanes < 16) /* the descriptors take 15 lanes */
        return fail(w, u, FAULT_NEEDS_ALL_LANES, -1);
    if (!read_tensor(w, u, &t, &bad))
        return fail_at(w, u, FAULT_COPY_ARGUMENT, -1, bad, 0);
    for (u32 d = 0; d < t.rank; d++)
        total *= t.count[d];
    for (u32 flat = 0; flat < total; flat++) {
        if (!copy_element(w, u, &t, index, flat))
            return NULL;
        for (u32 d = 0; d < t.rank && ++index[d] == t.count[d]; d++)
            index[d] = 0;
    }
    return note_pending(w, u, t.to, t.end - t.to) ? next(u) : NULL;
}
