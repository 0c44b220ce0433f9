/* align.c -- alignment in relaxable code.
 *
 * An assembler that leaves relaxation to the linker cannot know how many nops an
 * alignment needs; it writes as many as it may need and marks them with R_RISCV_ALIGN,
 * whose addend is their number of bytes (psABI, "Alignment Relaxation").  We shorten nothing else,
 * so the offset alone tells how many of them are superfluous, if the part itself has that
 * alignment.
 */
#include "base/search.h"
#include "link/internal.h"
#include <elf.h>

/* the alignment that needs at most `nops` bytes: the next power of two */
static u32 alignment(u32 nops)
{
    u32 align = 4;
    while (align <= nops)
        align *= 2;
    return align;
}

static u32 cut_end(const Part *p)
{
    return p->ncuts ? p->cuts[p->ncuts - 1].at + p->cuts[p->ncuts - 1].len : 0;
}

static u32 cut_total(const Part *p)
{
    return p->ncuts ? p->cuts[p->ncuts - 1].before + p->cuts[p->ncuts - 1].len : 0;
}

static bool align_place(Link *l, Part *p, const ObjSection *s, const ObjReloc *r, const Source *src)
{
    const u32 nops = (u32)r->addend;
    if (r->addend < 0 || nops > s->size - r->offset || r->offset < cut_end(p)) {
        error(l->d, src, NULL, "%s+0x%x: ALIGN of %d bytes does not fit into the section", s->name,
              r->offset, r->addend);
        return true;
    }
    const u32 align = alignment(nops), at = r->offset - cut_total(p);
    const u32 needed = (u32)align_up(at, align) - at;
    if (needed > nops) {
        error(l->d, src, NULL, "%s+0x%x: %u bytes of nops cannot align to %u", s->name, r->offset,
              nops, align);
        return true;
    }
    if (align > p->align)
        p->align = align;
    if (needed == nops)
        return true;
    if (!array_grow(p->cuts, p->ncuts, p->capcuts))
        return link_no_memory(l);
    p->cuts[p->ncuts] = (Cut){r->offset + needed, nops - needed, cut_total(p)};
    p->ncuts++;
    return true;
}

static bool align_part(Link *l, const Input *in, size_t section)
{
    const ObjSection *s = &in->o->sections[section];
    for (size_t i = 0; i < s->nrelocs; i++)
        if (s->relocs[i].type == R_RISCV_ALIGN && s->relocs[i].addend &&
            !align_place(l, &in->parts[section], s, &s->relocs[i], &in->src))
            return false;
    return true;
}

bool link_align(Link *l)
{
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < l->in[i].o->nsections; k++)
            if (l->in[i].parts[k].live && !align_part(l, &l->in[i], k))
                return false;
    return true;
}

SEARCH_BEFORE(cut_is_below, Cut, u32, e->at < *key)

u32 cut_offset(const Part *p, u32 offset)
{
    const size_t low = search_count(p->cuts, p->ncuts, sizeof *p->cuts, cut_is_below, &offset);
    if (!low)
        return offset;
    const Cut *c = &p->cuts[low - 1];
    const u32 inside = offset - c->at;
    return offset - c->before - (inside < c->len ? inside : c->len);
}
