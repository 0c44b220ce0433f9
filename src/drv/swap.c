/* swap.c -- several programs on a device with one code window.
 *
 * A launch brings its program into the window when no launch of another program runs.  Code and
 * constants are loaded from the image again, of which the engine has kept what it had made.  The writable
 * segments of the program that leaves are kept, and put back when it returns, so that program-scope variables
 * persist.
 */
#include "drv/internal.h"
#include <string.h>

struct DrvProgram {
    Object *image;       /* the device's while it is loaded */
    DevCode away;        /* it has left the window, with what is known of it; else its image is NULL */
    Buf *kept;           /* a segment's bytes, of writable ones; empty: as in the image */
    KernelPlace *places; /* of kernels that were launched: images are searched from end to end */
    size_t nplaces, capplaces;
};

const KernelPlace *program_recall(const DrvProgram *p, const char *name)
{
    for (size_t i = 0; i < p->nplaces; i++)
        if (!strcmp(p->places[i].name, name))
            return &p->places[i];
    return NULL;
}

void program_remember(DrvProgram *p, const char *name, u32 entry, const Resource *record)
{
    char *copy = mem_strdup(name);
    if (copy && array_grow(p->places, p->nplaces, p->capplaces))
        p->places[p->nplaces++] = (KernelPlace){copy, entry, *record};
    else
        mem_free(copy); /* it is found again */
}

static bool is_writable(const ObjSegment *s) { return s->flags & 2 && s->memsz; }

/* False: out of memory; everything is as it was. */
static bool keep_variables(Driver *d, DrvProgram *p)
{
    for (size_t i = 0; i < p->image->nsegments; i++) {
        const ObjSegment *s = &p->image->segments[i];
        if (!is_writable(s))
            continue;
        p->kept[i].len = 0;
        if (!buf_reserve(&p->kept[i], s->memsz))
            return false;
        p->kept[i].len = s->memsz;
        if (!copy_out(d, s->addr, p->kept[i].data, s->memsz))
            bug("a loaded segment is not there");
    }
    return true;
}

static void restore_variables(Driver *d, const DrvProgram *p)
{
    for (size_t i = 0; i < p->image->nsegments; i++)
        if (p->kept[i].len &&
            !copy_in(d, p->image->segments[i].addr, p->kept[i].data, p->kept[i].len))
            bug("a loaded segment is not there");
}

DrvStatus leave_program(Driver *d)
{
    DrvProgram *p = d->program;
    if (!p)
        return DRV_OK;
    if (!keep_variables(d, p))
        return drv_fail(d, DRV_NO_MEMORY, "the variables of %s", p->image->name);
    dev_put_away(d->dev, &p->away);
    d->program = NULL;
    return DRV_OK;
}

DrvStatus enter_program(Driver *d, DrvProgram *p, bool alone)
{
    Diag silent = {.sink = NULL};
    while (d->changers && !alone)
        pthread_cond_wait(&d->quiet, &d->lock);
    if (alone || (p && p != d->program))
        wait_quiet(d);
    if (!p || p == d->program)
        return DRV_OK;
    DrvStatus s = leave_program(d);
    if (!s)
        s = p->away.image ? bring_back_locked(d, &p->away) : load_locked(d, p->image, &silent);
    if (s)
        return s;
    d->program = p;
    restore_variables(d, p);
    return DRV_OK;
}

DrvStatus drv_program_open(Driver *d, Object *image, DrvProgram **program, Diag *diag)
{
    DrvProgram *p = mem_zalloc(1, sizeof *p);
    if (p)
        p->kept = mem_zalloc(image->nsegments + 1, sizeof *p->kept);
    if (!p || !p->kept) {
        mem_free(p);
        return drv_fail(d, DRV_NO_MEMORY, "%s", image->name);
    }
    const DrvStatus s = check_image(d, image, diag);
    if (s) {
        mem_free(p->kept);
        mem_free(p);
        return s;
    }
    p->image = image;
    *program = p;
    return DRV_OK;
}

void drv_program_close(Driver *d, DrvProgram *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&d->lock);
    if (d->program == p)
        wait_quiet(d);
    if (d->program == p) {
        p->image = dev_unload(d->dev);
        d->program = NULL;
    } else if (p->away.image) {
        dev_drop(d->dev, &p->away);
    }
    pthread_mutex_unlock(&d->lock);
    for (size_t i = 0; i < p->image->nsegments; i++)
        buf_free(&p->kept[i]);
    for (size_t i = 0; i < p->nplaces; i++)
        mem_free(p->places[i].name);
    mem_free(p->places);
    obj_free(p->image);
    mem_free(p->kept);
    mem_free(p);
}
