/* picture.c -- what kinds of pictures have in common (picture_internal.h). */
#include "prof/picture_internal.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>

void put(Picture *p, const char *fmt, ...)
{
    va_list ap;
    if (p->error)
        return;
    va_start(ap, fmt);
    errno = 0;
    const int n = vfprintf(p->file, fmt, ap);
    va_end(ap);
    if (n < 0)
        p->error = errno ? errno : EIO;
    else
        p->bytes += (u64)n;
}

void picture_lacks_memory(Picture *p) { p->error = p->error ? p->error : ENOMEM; }

bool picture_takes(Picture *p, u64 cycle)
{
    if (p->error || p->full || cycle < p->opt.from || (p->opt.to && cycle >= p->opt.to))
        return false;
    if (!p->opt.limit || p->bytes < p->opt.limit)
        return true;
    p->full = true;
    p->full_at = cycle;
    return false;
}

bool picture_reach_(Picture *p, void **a, size_t *n, size_t *cap, size_t size, size_t at)
{
    while (at >= *cap)
        if (!array_grow_(a, cap, size)) {
            picture_lacks_memory(p);
            return false;
        }
    if (at >= *n) {
        memset((u8 *)*a + *n * size, 0, (at + 1 - *n) * size);
        *n = at + 1;
    }
    return true;
}

static void tell(void *self, const CycleEvent *e)
{
    Picture *p = self;
    if (e->kind == CYCLE_LAUNCH) { /* until CYCLE_LAUNCH_END */
        pthread_mutex_lock(&p->lock);
        p->offset = p->last - e->cycle;
    }
    CycleEvent at = *e;
    at.cycle += p->offset;
    p->draw(p, &at);
    p->last = at.cycle;
    if (e->kind == CYCLE_LAUNCH_END)
        pthread_mutex_unlock(&p->lock);
}

static void count(void *self, const CycleCounters *c)
{
    Picture *p = self;
    CycleCounters at = *c;
    at.cycle += p->offset;
    p->count(p, &at);
}

CycleObserver picture_observer(Picture *p)
{
    return (CycleObserver){p, p->kinds, tell, p->period, p->count ? count : NULL, NULL};
}

bool picture_is_full(const Picture *p, u64 *cycle)
{
    *cycle = p->full_at;
    return p->full;
}

Picture *picture_new(size_t size, FILE *to, const PictureOptions *opt)
{
    Picture *p = mem_zalloc(1, size);
    if (!p)
        return NULL;
    p->file = to;
    p->opt = *opt;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

bool picture_free(Picture *p)
{
    if (!p)
        return true;
    p->finish(p);
    errno = 0;
    if (!p->error && fflush(p->file))
        p->error = errno ? errno : EIO;
    const int error = p->error;
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
    errno = error;
    return !error;
}
