/* watch.c -- a driver that is watched: what its watcher is told (drv.h, DrvWatcher). */
#include "drv/internal.h"
#include "mach/memory.h"

void drv_watch(Driver *d, DrvWatcher w)
{
    pthread_mutex_lock(&d->lock);
    d->is_watched = true;
    d->watcher = w;
    pthread_mutex_unlock(&d->lock);
}

void extents_add(const Driver *d, Extents *x, DrvExtent e)
{
    if (!d->is_watched || !e.size)
        return;
    if (array_grow(x->e, x->n, x->cap))
        x->e[x->n++] = e;
    else
        x->failed = true;
}

/* what the launch is known to use, and the other blocks of the heap */
void tell_begin(Driver *d, const DrvKernel *k, DevLaunch *l, Extents *x, DrvScene *scene)
{
    *scene = (DrvScene){.kernel = k, .launch = l};
    if (!d->watcher.begin)
        return;
    const size_t known = x->n;
    for (const Range *r = range_after(d->heap.used, 0); r;
         r = range_after(d->heap.used, range_end(r))) {
        bool is_known = false;
        for (size_t i = 0; i < known; i++)
            is_known |= x->e[i].kind != EXTENT_BUFFER && x->e[i].addr == r->addr;
        if (!is_known)
            extents_add(
                d, x,
                (DrvExtent){.kind = EXTENT_BLOCK, .addr = r->addr, .size = r->size - r->slack});
    }
    scene->extents = x->e;
    scene->nextents = x->n;
    d->watcher.begin(d->watcher.self, scene, &l->run);
}

void tell_allocated(Driver *d, u64 addr, u64 size)
{
    if (d->watcher.allocated)
        d->watcher.allocated(d->watcher.self, addr, size);
}

void tell_written(Driver *d, u64 addr, u64 size)
{
    if (d->watcher.written)
        d->watcher.written(d->watcher.self, addr, size);
}

void drv_host_writes(Driver *d, u64 addr, u64 size)
{
    pthread_mutex_lock(&d->lock);
    tell_written(d, addr, size);
    pthread_mutex_unlock(&d->lock);
}

void tell_copied(Driver *d, u64 from, u64 to, u64 size)
{
    if (d->watcher.copied)
        d->watcher.copied(d->watcher.self, from, to, size);
}
