/* gc.c -- leaves sections out of the image that nothing needs.
 *
 * Needed are the sections of the entry, of the roots in the options, and of every kernel that has a
 * resource record, and all that these refer to.  Unwind data refers to everything and keeps
 * nothing. If there are no records that say what the kernels are, everything is kept: a host finds
 * kernels by name later, so none may be missing.
 */
#include "link/internal.h"
#include <elf.h>
#include <string.h>

typedef struct {
    Link *l;
    SymbolRef *todo; /* symbol: a section here; marked, not yet followed */
    size_t ntodo, captodo;
} Gc;

static bool mark(Gc *gc, u32 input, u32 section)
{
    Part *p = &gc->l->in[input].parts[section];
    if (p->live)
        return true;
    p->live = true;
    if (!array_grow(gc->todo, gc->ntodo, gc->captodo))
        return link_no_memory(gc->l);
    gc->todo[gc->ntodo++] = (SymbolRef){input, section};
    return true;
}

static bool mark_symbol(Gc *gc, SymbolRef from)
{
    SymbolRef def;
    if (from.symbol == OBJ_NO_SYMBOL || !link_definition(gc->l, from, &def))
        return true;
    return mark(gc, def.input, (u32)gc->l->in[def.input].o->symbols[def.symbol].section);
}

/* Marks what the name refers to; *found: some object defines it.  False: out of memory. */
static bool mark_name(Gc *gc, const char *name, bool *found)
{
    const Global *g = link_find(gc->l, name);
    *found = g && g->how != DEF_NONE;
    if (!g || (g->how != DEF_WEAK && g->how != DEF_STRONG))
        return true;
    return mark_symbol(gc, (SymbolRef){g->input, g->symbol});
}

static bool is_unwind(const ObjSection *s) { return !strcmp(s->name, ".eh_frame"); }

static bool follow(Gc *gc)
{
    while (gc->ntodo) {
        const SymbolRef at = gc->todo[--gc->ntodo];
        const ObjSection *s = &gc->l->in[at.input].o->sections[at.symbol];
        for (size_t i = 0; i < s->nrelocs; i++)
            if (!mark_symbol(gc, (SymbolRef){at.input, s->relocs[i].symbol}))
                return false;
    }
    return true;
}

/* --- roots --------------------------------------------------------------- */

/* The kernel that a section is the record of; NULL: none. */
static const char *kernel_of(const ObjSection *s)
{
    const char *name = resource_kernel(s);
    return name && *name ? name : NULL;
}

static bool knows_kernels(const Link *l)
{
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < l->in[i].o->nsections; k++)
            if (kernel_of(&l->in[i].o->sections[k]))
                return true;
    return l->opt->roots && l->opt->roots[0];
}

/* Only what is loaded is swept; records, comments and debug data stay as they are. */
static void clear_marks(Link *l)
{
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < l->in[i].o->nsections; k++) {
            const ObjSection *s = &l->in[i].o->sections[k];
            if (s->flags & SHF_ALLOC && !is_unwind(s))
                l->in[i].parts[k].live = false;
        }
}

static bool mark_sections(Gc *gc)
{
    bool found;
    for (u32 i = 0; i < gc->l->n; i++)
        for (u32 k = 0; k < gc->l->in[i].o->nsections; k++) {
            const ObjSection *s = &gc->l->in[i].o->sections[k];
            if (kernel_of(s) && !mark_name(gc, kernel_of(s), &found))
                return false;
            if (s->flags & SHF_ALLOC && s->flags & OBJ_RETAIN && !mark(gc, i, k))
                return false;
        }
    return true;
}

static bool mark_roots(Gc *gc)
{
    const LinkOptions *opt = gc->l->opt;
    bool found;
    if (!mark_name(gc, opt->entry ? opt->entry : "_start", &found))
        return false;
    for (size_t i = 0; opt->roots && opt->roots[i]; i++) {
        if (!mark_name(gc, opt->roots[i], &found))
            return false;
        if (!found)
            error(gc->l->d, &gc->l->src, NULL, "'%s', which is to be kept, is not defined",
                  opt->roots[i]);
    }
    return mark_sections(gc);
}

bool link_gc(Link *l)
{
    Gc gc = {.l = l};
    if (!l->opt->gc || !knows_kernels(l))
        return true;
    clear_marks(l);
    const bool ok = mark_roots(&gc) && follow(&gc);
    mem_free(gc.todo);
    return ok;
}
