/* records.c -- the resource records of the image.
 *
 * A record stays as its compiler wrote it, unless the kernel calls code that the compiler
 * did not see (RES_UNKNOWN_CALLEE).  Then the linker follows the references from the
 * kernel's object to others and adds what their records for code outside kernels
 * (.ventus.resource. with no name) say.  Registers and static memory are the largest of
 * all; stacks add up, since one function of each may be active at once.  Objects that
 * refer to each other in a cycle can be active more than once: their stacks have no
 * known bound.
 */
#include "link/internal.h"
#include <elf.h>
#include <string.h>

typedef enum { NEW, ACTIVE, DONE } Visit;

typedef struct {
    Link *l;
    bool *refers;        /* refers[a * n + b]: code of a refers to code of b */
    Visit *visit;        /* of objects, during one walk */
    bool cycle, unknown; /* found on the walk: a cycle, an object without a record */
    Resource sum;
} Records;

/* --- references between objects ------------------------------------------ */

static bool is_code(const Input *in, i32 section)
{
    return in->parts[section].live && in->o->sections[section].flags & SHF_EXECINSTR;
}

static void note_references(Records *w, u32 input)
{
    const Input *in = &w->l->in[input];
    for (size_t k = 0; k < in->o->nsections; k++)
        for (size_t i = 0; is_code(in, (i32)k) && i < in->o->sections[k].nrelocs; i++) {
            const u32 symbol = in->o->sections[k].relocs[i].symbol;
            SymbolRef def;
            if (symbol == OBJ_NO_SYMBOL || !link_definition(w->l, (SymbolRef){input, symbol}, &def))
                continue;
            const Input *to = &w->l->in[def.input];
            if (def.input != input && is_code(to, to->o->symbols[def.symbol].section))
                w->refers[input * w->l->n + def.input] = true;
        }
}

/* --- the walk ------------------------------------------------------------ */

static u64 add_stack(u64 a, u64 b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* The callee's record; what it does not know of its own callees, the walk finds out. */
static void add_record(Records *w, const Resource *r)
{
    const u64 lds = add_stack(w->sum.lds_stack, r->lds_stack);
    const u64 pds = add_stack(w->sum.pds_stack, r->pds_stack);
    const u32 flags = w->sum.flags | (r->flags & ~(u32)RES_UNKNOWN_CALLEE);
    w->sum = resource_merge(&w->sum, r);
    w->sum.flags = flags;
    w->sum.lds_stack = lds;
    w->sum.pds_stack = pds;
}

static bool visit_callees(Records *w, size_t from);

static bool visit_object(Records *w, size_t input)
{
    Resource r;
    w->cycle |= w->visit[input] == ACTIVE;
    if (w->visit[input] != NEW)
        return true;
    if (!resource_read(w->l->in[input].o, "", &r, w->l->d))
        return false;
    w->unknown |= r.form != RES_LONG;
    if (r.form == RES_LONG)
        add_record(w, &r);
    w->visit[input] = ACTIVE;
    const bool ok = visit_callees(w, input);
    w->visit[input] = DONE;
    return ok;
}

static bool visit_callees(Records *w, size_t from)
{
    for (size_t i = 0; i < w->l->n; i++)
        if (w->refers[from * w->l->n + i] && !visit_object(w, i))
            return false;
    return true;
}

/* The record of a kernel of object `input` with what it calls elsewhere. */
static bool raise(Records *w, size_t input, Resource *r)
{
    w->cycle = w->unknown = false;
    w->sum = *r;
    for (size_t i = 0; i < w->l->n; i++)
        w->visit[i] = NEW;
    if (!visit_callees(w, input))
        return false;
    if (!w->unknown)
        w->sum.flags &= ~(u32)RES_UNKNOWN_CALLEE;
    if (w->cycle) {
        w->sum.flags |= RES_NO_STACK_PEAK;
        w->sum.lds_stack = w->sum.pds_stack = UINT64_MAX;
    }
    *r = w->sum;
    return true;
}

/* --- all of them --------------------------------------------------------- */

static bool copy_record(Link *l, const ObjSection *s)
{
    const i32 at = obj_add_section(l->image, s->name, s->type, s->flags, s->align);
    if (at < 0)
        return link_no_memory(l);
    ObjSection *copy = &l->image->sections[at];
    buf_put(&copy->data, s->data.data, s->data.len);
    copy->size = s->size;
    return !copy->data.failed || link_no_memory(l);
}

static bool add_kernel(Records *w, size_t input, const ObjSection *s)
{
    Resource r;
    const char *kernel = resource_kernel(s);
    if (!resource_read(w->l->in[input].o, kernel, &r, w->l->d))
        return false;
    if (r.form != RES_LONG || !(r.flags & RES_UNKNOWN_CALLEE))
        return copy_record(w->l, s);
    if (!raise(w, input, &r))
        return false;
    return resource_add(w->l->image, kernel, &r) || link_no_memory(w->l);
}

static bool add_kernels(Records *w)
{
    for (u32 i = 0; i < w->l->n; i++)
        note_references(w, i);
    for (size_t i = 0; i < w->l->n; i++)
        for (size_t k = 0; k < w->l->in[i].o->nsections; k++) {
            const ObjSection *s = &w->l->in[i].o->sections[k];
            const char *kernel = resource_kernel(s);
            if (kernel && *kernel && !add_kernel(w, i, s))
                return false;
        }
    return true;
}

bool link_records(Link *l)
{
    Records w = {.l = l,
                 .refers = mem_zalloc(l->n * l->n, sizeof *w.refers),
                 .visit = mem_zalloc(l->n, sizeof *w.visit)};
    const bool ok = w.refers && w.visit ? add_kernels(&w) : link_no_memory(l);
    mem_free(w.refers);
    mem_free(w.visit);
    return ok;
}
