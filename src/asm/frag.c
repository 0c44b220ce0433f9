/* frag.c -- sections, and the fragments that collect what is put into them. */
#include "asm/job.h"
#include <elf.h>
#include <string.h>

/* --- sections ------------------------------------------------------------------- */

/* type and flags that a name implies: it is one of these or starts with it and '.' */
static const struct {
    const char *name;
    u32 type, flags;
} known[] = {
    {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".init", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".fini", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".rodata", SHT_PROGBITS, SHF_ALLOC},
    {".srodata", SHT_PROGBITS, SHF_ALLOC},
    {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".sdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".tohost", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
    {".sbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
    {".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".fini_array", SHT_FINI_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".note", SHT_NOTE, 0},
};

static void set_known(Sect *s)
{
    s->type = SHT_PROGBITS;
    for (size_t i = 0; i < countof(known); i++) {
        const size_t len = strlen(known[i].name);
        if (s->len >= len && !memcmp(s->name, known[i].name, len) &&
            (s->len == len || s->name[len] == '.')) {
            s->type = known[i].type;
            s->flags = known[i].flags;
        }
    }
}

static bool add_first_frag(Asm *a, Sect *s)
{
    if (!array_grow(s->frags, s->nfrags, s->capfrags))
        return as_no_memory(a);
    s->frags[s->nfrags++] = (Frag){.kind = FRAG_DATA};
    return true;
}

bool as_section(Asm *a, const char *name, size_t len, u32 *index)
{
    for (*index = 0; *index < a->nsects; ++*index)
        if (a->sects[*index].len == len && !memcmp(a->sects[*index].name, name, len))
            return true;
    if (a->nsects == MAX_SECTIONS)
        return as_fail(a, a->p, "more than %d sections", MAX_SECTIONS);
    if (!array_grow(a->sects, a->nsects, a->capsects))
        return as_no_memory(a);
    Sect *s = &a->sects[a->nsects];
    *s = (Sect){.name = name, .len = (u32)len, .align = 1, .index = -1};
    set_known(s);
    if (!add_first_frag(a, s))
        return false;
    a->nsects++;
    return true;
}

void as_enter(Asm *a, u32 section)
{
    a->previous = a->sect;
    a->sect = section;
    here(a)->is_named = true;
    a->prefix.valid = false;
}

/* --- fragments ---------------------------------------------------------------------- */

static bool is_fixed(const Asm *a, const Frag *f)
{
    return f->kind == FRAG_DATA || (f->kind == FRAG_FILL && is_number(&a->pads[f->pad].count));
}

Frag *as_new_frag(Asm *a, FragKind kind)
{
    Sect *s = here(a);
    if (!array_grow(s->frags, s->nfrags, s->capfrags)) {
        as_no_memory(a);
        return NULL;
    }
    const u32 n = (u32)s->nfrags++;
    const Frag *last = &s->frags[n - 1];
    Frag f = {.kind = (u8)kind, .bytes = (u32)s->bytes.len, .since = n};
    if (is_fixed(a, last)) {
        f.since = last->since;
        f.base = last->base + (last->kind == FRAG_DATA ? last->len : (u32)last->size);
    }
    s->frags[n] = f;
    return &s->frags[n];
}

Frag *as_data(Asm *a)
{
    Frag *f = &here(a)->frags[here(a)->nfrags - 1];
    return f->kind == FRAG_DATA ? f : as_new_frag(a, FRAG_DATA);
}

bool as_split(Asm *a)
{
    const Frag *f = as_data(a);
    if (!f)
        return false;
    return !f->len || as_new_frag(a, FRAG_DATA);
}

bool as_fixed_offset(Asm *a, u64 *offset)
{
    const Frag *f = as_data(a);
    if (!f)
        return false;
    *offset = (u64)f->base + f->len;
    return f->since == 0;
}

/* --- bytes ---------------------------------------------------------------------------- */

static bool has_room(Asm *a, u64 len)
{
    a->size += len;
    if (a->size <= MAX_SIZE)
        return true;
    a->size -= len;
    return as_fail(a, a->p, "sections of more than %d MiB", MAX_SIZE >> 20);
}

static bool only_zeros(const u8 *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i])
            return false;
    return true;
}

bool as_put(Asm *a, const void *bytes, size_t len)
{
    Sect *s = here(a);
    Frag *f = as_data(a);
    if (!f || !has_room(a, len))
        return false;
    if (s->type == SHT_NOBITS && !only_zeros(bytes, len))
        return as_fail(a, a->p, "section %.*s holds zeros only", (int)s->len, s->name);
    buf_put(&s->bytes, bytes, len);
    f->len += (u32)len;
    a->prefix.valid = false;
    return !s->bytes.failed || as_no_memory(a);
}

bool as_put_int(Asm *a, u64 v, int bytes)
{
    u8 b[8];
    for (int i = 0; i < bytes; i++, v >>= 8)
        b[i] = (u8)v;
    return as_put(a, b, (size_t)bytes);
}

bool as_new_pad(Asm *a, FragKind kind, const Pad *pad)
{
    if (!array_grow(a->pads, a->npads, a->cappads))
        return as_no_memory(a);
    const u32 index = (u32)a->npads++;
    a->pads[index] = *pad;
    Frag *f = as_new_frag(a, kind);
    if (!f)
        return false;
    f->pad = index;
    a->prefix.valid = false;
    return true;
}

bool as_put_copies(Asm *a, u64 value, int width, u64 count)
{
    enum { SMALL = 64 };
    if (count > MAX_SIZE || !has_room(a, count * (u64)width))
        return as_fail(a, a->p, "sections of more than %d MiB", MAX_SIZE >> 20);
    a->size -= count * (u64)width;
    if (here(a)->type == SHT_NOBITS && value)
        return as_put_int(a, value, width); /* says why not */
    if (count * (u64)width <= SMALL) {
        for (u64 i = 0; i < count; i++)
            if (!as_put_int(a, value, width))
                return false;
        return true;
    }
    const Pad pad = {
        .count = {.k = (i64)count}, .value = value, .width = (u8)width, .place = {a->src, a->p}};
    if (!as_new_pad(a, FRAG_FILL, &pad))
        return false;
    a->size += count * (u64)width;
    here(a)->frags[here(a)->nfrags - 1].size = count * (u64)width;
    return true;
}

/* --- fixups ------------------------------------------------------------------------------ */

Fixup *as_fix(Asm *a, FixKind kind, u32 back, const Expr *e, const char *at)
{
    Sect *s = here(a);
    if (!array_grow(s->fixups, s->nfixups, s->capfixups)) {
        as_no_memory(a);
        return NULL;
    }
    Fixup *f = &s->fixups[s->nfixups++];
    *f = (Fixup){.kind = (u8)kind,
                 .frag = (u32)(s->nfrags - 1),
                 .expr = *e,
                 .offset = s->frags[s->nfrags - 1].len - back,
                 .place = {a->src, at}};
    return f;
}
