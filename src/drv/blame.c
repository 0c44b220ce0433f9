/* blame.c -- what an address that a kernel should not have used has to do with its arguments. */
#include "drv/internal.h"
#include "mach/memory.h"
#include "obj/kernelinfo.h"
#include <inttypes.h>
#include <string.h>

/* a buffer among the arguments */
typedef struct {
    size_t index;
    u64 base, size; /* bytes */
} Candidate;

/* how far away the address is; 0: inside */
static u64 distance(const Candidate *c, u64 addr)
{
    if (addr < c->base)
        return c->base - addr;
    return addr - c->base >= c->size ? addr - (c->base + c->size) + 1 : 0;
}

/* the buffer that most likely was meant: the nearest one */
static bool nearest(const DrvKernel *k, u64 addr, Candidate *best)
{
    bool found = false;
    for (size_t i = 0; i < k->nargs; i++) {
        u32 base = 0;
        if (!k->args[i].buffer || k->args[i].size < sizeof base)
            continue;
        memcpy(&base, k->args[i].value, sizeof base);
        const Candidate c = {i, base, k->args[i].buffer};
        if (!found || distance(&c, addr) < distance(best, addr))
            *best = c;
        found = true;
    }
    return found;
}

void drv_put_argument(Driver *d, const DrvKernel *k, size_t index, Buf *to)
{
    const Object *image = dev_code(d->dev)->image;
    Diag quiet = {.sink = NULL};
    KernelTable t = {.nkernels = 0};
    const KernelInfo *info =
        image && kernelinfo_read(image, &t, &quiet) ? kernelinfo_find(&t, k->kernel) : NULL;
    buf_printf(to, "argument %zu", index);
    if (info && index < info->nargs && info->args[index].name[0])
        buf_printf(to, ", '%s'", info->args[index].name);
    kernelinfo_free(&t);
}

void put_blame(Driver *d, const DrvKernel *k, const DevLaunch *l, u64 addr, Buf *to)
{
    Candidate c = {.size = 0};
    const Range *held = heap_find_held(&d->heap, addr);
    if (addr < PAGE_SIZE) {
        buf_str(to, "next to the null pointer");
    } else if (addr >= LDS_LO && addr < CODE_LO) {
        buf_printf(to, "in the window of local memory, at byte %" PRIu64 "; the group has %u",
                   addr - LDS_LO, l->lds);
    } else if (held) {
        buf_printf(to, "byte %" PRIu64 " of a buffer of %" PRIu64 " bytes that was released",
                   addr - held->addr, held->size - held->slack);
    } else if (k && nearest(k, addr, &c)) {
        const u64 gap = distance(&c, addr);
        if (!gap)
            buf_printf(to, "byte %" PRIu64 " of ", addr - c.base);
        else if (addr < c.base)
            buf_printf(to, "%" PRIu64 " bytes before ", gap);
        else
            buf_printf(to, "%" PRIu64 " bytes past the end of ", gap - 1);
        drv_put_argument(d, k, c.index, to);
        buf_printf(to, " (%" PRIu64 " bytes)", c.size);
    }
}
