/* link.c -- the steps of a link, in their order. */
#include "link/link.h"
#include "link/internal.h"
#include <elf.h>
#include <string.h>

bool link_no_memory(Link *l)
{
    error(l->d, &l->src, NULL, "out of memory");
    return false;
}

/* --- the inputs ---------------------------------------------------------- */

/* Whether a section goes into the image.  Resource records do not, since records.c merges them; of
 * the sections that are not loaded, only those with contents for debuggers and the like do. */
static bool goes_in(const ObjSection *s)
{
    if (s->flags & SHF_EXCLUDE || resource_kernel(s))
        return false;
    return s->flags & SHF_ALLOC || (s->type == SHT_PROGBITS && s->size);
}

static bool open_input(Link *l, Input *in, const Object *o)
{
    *in = (Input){.o = o,
                  .src = {.name = o->name},
                  .parts = mem_zalloc(o->nsections, sizeof *in->parts),
                  .global = mem_zalloc(o->nsymbols, sizeof *in->global),
                  .told = mem_zalloc(o->nsymbols, sizeof *in->told)};
    if (!in->parts || !in->global || !in->told)
        return link_no_memory(l);
    if (o->is_image) {
        error(l->d, &in->src, NULL, "is linked already");
        return false;
    }
    for (size_t i = 0; i < o->nsections; i++)
        in->parts[i] =
            (Part){.live = goes_in(&o->sections[i]), .out = -1, .align = o->sections[i].align};
    return true;
}

static bool open_inputs(Link *l, const Object *const *objects, size_t n)
{
    bool attributes = false;
    l->in = mem_zalloc(n, sizeof *l->in);
    l->image = obj_new(l->src.name);
    if (!l->in || !l->image)
        return link_no_memory(l);
    l->image->is_image = true;
    for (size_t i = 0; i < n; i++) {
        l->n = i + 1;
        if (!open_input(l, &l->in[i], objects[i]))
            return false;
        /* tools ask .riscv.attributes what a file may hold; objects made for one machine agree, so
         * the first one answers for all */
        for (size_t k = 0; k < objects[i]->nsections && !attributes; k++)
            if (objects[i]->sections[k].type == SHT_RISCV_ATTRIBUTES)
                l->in[i].parts[k].live = attributes = true;
    }
    return true;
}

static void free_link(Link *l)
{
    for (size_t i = 0; i < l->n; i++) {
        Input *in = &l->in[i];
        for (size_t k = 0; in->parts && k < in->o->nsections; k++)
            mem_free(in->parts[k].cuts);
        mem_free(in->parts);
        mem_free(in->global);
        mem_free(in->told);
    }
    mem_free(l->in);
    mem_free(l->globals);
    mem_free(l->hash);
    mem_free(l->outs);
    mem_free(l->missing);
}

/* --- the steps ----------------------------------------------------------- */

Object *link_objects(const Object *const *objects, size_t n, const LinkOptions *opt, Diag *d)
{
    const int errors = d->errors;
    Link l = {.opt = opt, .d = d, .src = {.name = opt->output ? opt->output : "a.out"}};
    const bool ok = open_inputs(&l, objects, n) && link_resolve(&l) && link_gc(&l) &&
                    link_profile(&l) && link_align(&l) && link_layout(&l) && link_relocate(&l) &&
                    link_segments(&l) && link_symtab(&l) && link_records(&l) && d->errors == errors;
    free_link(&l);
    if (ok)
        return l.image;
    obj_free(l.image);
    return NULL;
}
