/* layout.c -- which section comes where.
 *
 *     0x80000000  .text, other code           R X
 *     new page    .tohost                     R W
 *     new page    .rodata, other constants,   R
 *                 .eh_frame
 *     new page    .data, other variables,     R W
 *                 .sdata, .sbss, .bss, other zeroed ones
 *
 * as the public linker script has it (doc/abi.md, "Layout of an image").  Parts of one
 * output section follow each other in the order of the objects, but the one with the
 * entry is the first, because hardware starts at 0x80000000 whatever the file says.
 */
#include "link/internal.h"
#include "isa/abi.h"
#include <elf.h>
#include <string.h>

enum { PAGE = 0x1000 };
#define IMAGE_START RANGE_FROM(CODE)
#define IMAGE_END   RANGE_END(CODE)

enum { CODE = SHF_ALLOC | SHF_EXECINSTR, VAR = SHF_ALLOC | SHF_WRITE };

/* The sections that have a place of their own; .text.main goes to .text. */
static const struct {
    const char *name;
    Rank rank;
    u32 type, flags;
} known[] = {
    {".text", RANK_TEXT, SHT_PROGBITS, CODE},
    {".tohost", RANK_TOHOST, SHT_PROGBITS, VAR},
    {".rodata", RANK_RODATA, SHT_PROGBITS, SHF_ALLOC},
    {".srodata", RANK_CONST, SHT_PROGBITS, SHF_ALLOC},
    {".eh_frame", RANK_EH_FRAME, SHT_PROGBITS, SHF_ALLOC},
    {".data", RANK_DATA, SHT_PROGBITS, VAR},
    {".sdata", RANK_SDATA, SHT_PROGBITS, VAR},
    {".sbss", RANK_SBSS, SHT_NOBITS, VAR},
    {".bss", RANK_BSS, SHT_NOBITS, VAR},
};

/* --- output sections ----------------------------------------------------- */

static Rank rank_by_flags(u32 type, u32 flags)
{
    if (!(flags & SHF_ALLOC))
        return RANK_FILE;
    if (flags & SHF_EXECINSTR)
        return RANK_CODE;
    if (!(flags & SHF_WRITE))
        return RANK_CONST;
    return type == SHT_NOBITS ? RANK_ZERO : RANK_VAR;
}

/* name is `base` or begins with `base` and a dot */
static bool belongs_to(const char *name, const char *base)
{
    const size_t len = strlen(base);
    return !strncmp(name, base, len) && (!name[len] || name[len] == '.');
}

/* The output section of an input section.  One whose flags do not suit its name, as a writable
 * .rodata, gets an output section of its own. */
static Out out_of(const ObjSection *s)
{
    const u32 flags = s->flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR);
    for (size_t i = 0; i < countof(known); i++)
        if (flags & SHF_ALLOC && !(flags & ~known[i].flags) && belongs_to(s->name, known[i].name))
            return (Out){.name = known[i].name,
                         .rank = known[i].rank,
                         .type = s->type,
                         .flags = known[i].flags};
    return (Out){
        .name = s->name, .rank = rank_by_flags(s->type, flags), .type = s->type, .flags = flags};
}

static i32 find_out(const Link *l, const char *name, Rank rank)
{
    for (size_t i = 0; i < l->nouts; i++)
        if (l->outs[i].rank == rank && !strcmp(l->outs[i].name, name))
            return (i32)i;
    return -1;
}

/* the row of `known` of a section that the linker itself names */
static size_t find_known(const char *name)
{
    for (size_t i = 0; i < countof(known); i++)
        if (!strcmp(known[i].name, name))
            return i;
    bug("no place for section %s", name);
}

i32 link_find_out(const Link *l, const char *name)
{
    return find_out(l, name, known[find_known(name)].rank);
}

/* Adds an output section, or finds it; one of zeros gets bytes if the new part has some. */
static Out *add_out(Link *l, Out wanted)
{
    const i32 at = find_out(l, wanted.name, wanted.rank);
    if (at >= 0) {
        Out *out = &l->outs[at];
        if (out->type == SHT_NOBITS)
            out->type = wanted.type;
        return out;
    }
    if (!array_grow(l->outs, l->nouts, l->capouts))
        return NULL;
    wanted.align = 1;
    l->outs[l->nouts] = wanted;
    return &l->outs[l->nouts++];
}

static Out *add_known(Link *l, const char *name)
{
    const size_t i = find_known(name);
    return add_out(
        l,
        (Out){.name = name, .rank = known[i].rank, .type = known[i].type, .flags = known[i].flags});
}

static void sort_outs(Link *l)
{
    for (size_t i = 1; i < l->nouts; i++) {
        const Out out = l->outs[i];
        size_t at = i;
        for (; at > 0 && l->outs[at - 1].rank > out.rank; at--)
            l->outs[at] = l->outs[at - 1];
        l->outs[at] = out;
    }
}

static bool collect_outs(Link *l)
{
    /* 1. what the objects have */
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < l->in[i].o->nsections; k++)
            if (l->in[i].parts[k].live && !add_out(l, out_of(&l->in[i].o->sections[k])))
                return link_no_memory(l);
    /* 2. what the linker puts in itself: sections that its symbols are in, and commons */
    for (size_t i = 0; i < l->nglobals; i++)
        if (l->globals[i].how == DEF_LINKER && !add_known(l, linker_symbols[l->globals[i].row].out))
            return link_no_memory(l);
    if (l->commons && !add_known(l, ".bss"))
        return link_no_memory(l);
    sort_outs(l);
    return true;
}

/* --- places of parts ----------------------------------------------------- */

static u32 reserve(Out *out, u64 size, u32 align)
{
    const u64 at = align_up(out->size, align);
    out->size = at + size;
    if (align > out->align)
        out->align = align;
    return (u32)at;
}

static void place_part(Link *l, u32 input, u32 section)
{
    Part *p = &l->in[input].parts[section];
    const ObjSection *s = &l->in[input].o->sections[section];
    if (!p->live || p->placed)
        return;
    const Out wanted = out_of(s);
    p->placed = true;
    p->out = find_out(l, wanted.name, wanted.rank);
    p->offset = reserve(&l->outs[p->out], cut_offset(p, s->size), p->align);
}

/* Makes room for what no object holds; collect_outs() has made the sections that are named here. */
static void place_own(Link *l)
{
    /* 1. public start code clears whole words from _edata on, which is where .sdata ends */
    const i32 sdata = link_find_out(l, ".sdata");
    if (sdata >= 0)
        reserve(&l->outs[sdata], 0, 4);
    /* 2. commons */
    if (l->commons)
        l->commons_at = reserve(&l->outs[link_find_out(l, ".bss")], l->commons, l->commons_align);
    /* 3. what must follow the linker's own symbols */
    for (size_t i = 0; i < l->nglobals; i++) {
        if (l->globals[i].how != DEF_LINKER)
            continue;
        const LinkerSymbol *row = &linker_symbols[l->globals[i].row];
        Out *out = &l->outs[link_find_out(l, row->out)];
        if (row->room && out->size < row->past + row->room)
            reserve(out, row->past + row->room - out->size, 64);
    }
}

static void place_parts(Link *l)
{
    /* 1. what holds the entry */
    const Global *g = link_find(l, l->opt->entry ? l->opt->entry : "_start");
    if (g && (g->how == DEF_WEAK || g->how == DEF_STRONG)) {
        const i32 section = l->in[g->input].o->symbols[g->symbol].section;
        if (section >= 0)
            place_part(l, g->input, (u32)section);
    }
    /* 2. the others; then the linker's own */
    for (u32 i = 0; i < l->n; i++)
        for (u32 k = 0; k < l->in[i].o->nsections; k++)
            place_part(l, i, k);
    place_own(l);
}

u32 link_part_address(const Link *l, const Part *p) { return l->outs[p->out].addr + p->offset; }

/* --- addresses ----------------------------------------------------------- */

/* The segments of the drawing above, in their order. */
enum { SEGMENT_CODE, SEGMENT_TOHOST, SEGMENT_CONST, SEGMENT_DATA };
static const u32 segment_flags[] = {PF_R | PF_X, PF_R | PF_W, PF_R, PF_R | PF_W};

static int segment_of(const Out *out)
{
    if (out->rank <= RANK_CODE)
        return SEGMENT_CODE;
    if (out->rank == RANK_TOHOST)
        return SEGMENT_TOHOST;
    return out->rank < RANK_DATA ? SEGMENT_CONST : SEGMENT_DATA;
}

static bool begins_segment(const Link *l, size_t i)
{
    return i == 0 || segment_of(&l->outs[i]) != segment_of(&l->outs[i - 1]);
}

static bool assign_addresses(Link *l)
{
    u64 at = IMAGE_START;
    for (size_t i = 0; i < l->nouts; i++) {
        Out *out = &l->outs[i];
        if (out->rank == RANK_FILE)
            at = 0;
        else
            at = align_up(at, begins_segment(l, i) ? PAGE : 1);
        at = align_up(at, out->align);
        out->addr = out->rank == RANK_FILE ? 0 : (u32)at;
        at += out->size;
        if (at > IMAGE_END || out->size >= IMAGE_END) {
            error(l->d, &l->src, NULL, "%s ends at 0x%llx; there is room up to 0x%x", out->name,
                  (unsigned long long)at, IMAGE_END);
            return false;
        }
    }
    return true;
}

/* --- contents ------------------------------------------------------------ */

static bool add_section(Link *l, const Out *out)
{
    const i32 at = obj_add_section(l->image, out->name, out->type, out->flags, out->align);
    if (at < 0)
        return link_no_memory(l);
    ObjSection *s = &l->image->sections[at];
    s->addr = out->addr;
    s->size = (u32)out->size;
    if (out->type != SHT_NOBITS)
        buf_fill(&s->data, 0, s->size);
    return !s->data.failed || link_no_memory(l);
}

/* the bytes of a part without those that were cut out */
static void copy_part(const Link *l, const Part *p, const ObjSection *s)
{
    Buf *data = &l->image->sections[p->out].data;
    u32 from = 0;
    if (s->type == SHT_NOBITS)
        return;
    for (size_t i = 0; i <= p->ncuts; i++) {
        const u32 to = i < p->ncuts ? p->cuts[i].at : s->size;
        if (to > from)
            memcpy(data->data + p->offset + cut_offset(p, from), s->data.data + from, to - from);
        from = i < p->ncuts ? to + p->cuts[i].len : to;
    }
}

bool link_layout(Link *l)
{
    if (!collect_outs(l))
        return false;
    place_parts(l);
    if (!assign_addresses(l))
        return false;
    for (size_t i = 0; i < l->nouts; i++)
        if (!add_section(l, &l->outs[i]))
            return false;
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < l->in[i].o->nsections; k++)
            if (l->in[i].parts[k].live)
                copy_part(l, &l->in[i].parts[k], &l->in[i].o->sections[k]);
    return true;
}

/* --- segments ------------------------------------------------------------ */

static bool extend_segment(Link *l, ObjSegment *g, const ObjSection *s)
{
    g->memsz = s->addr + s->size - g->addr;
    if (s->data.len) {
        buf_fill(&g->data, 0, s->addr - g->addr - g->data.len);
        buf_put(&g->data, s->data.data, s->data.len);
    }
    return !g->data.failed || link_no_memory(l);
}

static bool new_segment(Link *l, u32 addr, u32 flags)
{
    Object *o = l->image;
    if (!array_grow(o->segments, o->nsegments, o->capsegments))
        return link_no_memory(l);
    o->segments[o->nsegments++] = (ObjSegment){.addr = addr, .flags = flags};
    return true;
}

bool link_segments(Link *l)
{
    Object *o = l->image;
    bool open = false;
    for (size_t i = 0; i < l->nouts && l->outs[i].rank != RANK_FILE; i++) {
        open = open && !begins_segment(l, i);
        if (!l->outs[i].size)
            continue;
        if (!open && !new_segment(l, l->outs[i].addr, segment_flags[segment_of(&l->outs[i])]))
            return false;
        open = true;
        if (!extend_segment(l, &o->segments[o->nsegments - 1], &o->sections[i]))
            return false;
    }
    return true;
}
