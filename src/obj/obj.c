/* obj.c -- the model of an object: made, searched, freed. */
#include "obj/obj.h"
#include "obj/reloc.h"
#include <elf.h>
#include <string.h>

/* --- making and freeing -------------------------------------------------- */

Object *obj_new(const char *name)
{
    Object *o = mem_zalloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->set = V202;
    o->name = mem_strdup(name);
    if (o->name)
        return o;
    mem_free(o);
    return NULL;
}

void obj_free(Object *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->nsections; i++) {
        mem_free(o->sections[i].name);
        mem_free(o->sections[i].relocs);
        buf_free(&o->sections[i].data);
    }
    for (size_t i = 0; i < o->nsymbols; i++)
        mem_free(o->symbols[i].name);
    for (size_t i = 0; i < o->nsegments; i++)
        buf_free(&o->segments[i].data);
    for (size_t i = 0; i < o->nsources; i++) {
        mem_free(o->sources[i].name);
        mem_free(o->sources[i].text);
    }
    mem_free(o->sources);
    mem_free(o->sections);
    mem_free(o->symbols);
    mem_free(o->segments);
    mem_free(o->name);
    mem_free(o);
}

i32 obj_add_section(Object *o, const char *name, u32 type, u32 flags, u32 align)
{
    ObjSection s = {.type = type, .flags = flags, .align = align ? align : 1};
    if (!array_grow(o->sections, o->nsections, o->capsections))
        return -1;
    s.name = mem_strdup(name);
    if (!s.name)
        return -1;
    o->sections[o->nsections] = s;
    return (i32)o->nsections++;
}

i32 obj_add_symbol(Object *o, const char *name, i32 section, u32 value, u8 bind, u8 type)
{
    ObjSymbol s = {.section = section, .value = value, .bind = bind, .type = type};
    if (!array_grow(o->symbols, o->nsymbols, o->capsymbols))
        return -1;
    s.name = mem_strdup(name);
    if (!s.name)
        return -1;
    o->symbols[o->nsymbols] = s;
    return (i32)o->nsymbols++;
}

bool obj_add_source(Object *o, const char *name, const char *text, size_t len)
{
    if (!array_grow(o->sources, o->nsources, o->capsources))
        return false;
    const ObjSource s = {mem_strdup(name), mem_strndup(text, len)};
    if (!s.name || !s.text) {
        mem_free(s.name);
        mem_free(s.text);
        return false;
    }
    o->sources[o->nsources++] = s;
    return true;
}

const char *obj_source_line(const Object *o, const char *name, u32 line, size_t *len)
{
    const char *at = NULL;
    for (size_t i = 0; i < o->nsources && !at; i++)
        if (!strcmp(o->sources[i].name, name))
            at = o->sources[i].text;
    for (; at && line > 1; line--) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (at)
        *len = strcspn(at, "\r\n");
    return at;
}

/* after those at the same offset: pairs like ADD32 and SUB32 keep their order */
bool obj_add_reloc(Object *o, i32 section, ObjReloc r)
{
    ObjSection *s = &o->sections[section];
    if (!array_grow(s->relocs, s->nrelocs, s->caprelocs))
        return false;
    size_t at = s->nrelocs++;
    for (; at > 0 && s->relocs[at - 1].offset > r.offset; at--)
        s->relocs[at] = s->relocs[at - 1];
    s->relocs[at] = r;
    return true;
}

/* --- searching ----------------------------------------------------------- */

i32 obj_find_section(const Object *o, const char *name)
{
    for (size_t i = 0; i < o->nsections; i++)
        if (!strcmp(o->sections[i].name, name))
            return (i32)i;
    return -1;
}

static bool is_place(const ObjSymbol *s) { return s->type != STT_SECTION && s->type != STT_FILE; }

/* which of several symbols of one name is found: that of the highest rank; 0: never */
static int name_rank(const ObjSymbol *s)
{
    if (!is_place(s))
        return 0;
    if (s->section == OBJ_UNDEF)
        return 1;
    return s->bind == STB_LOCAL ? 2 : 3;
}

i32 obj_find_symbol(const Object *o, const char *name)
{
    i32 found = -1;
    int best = 0;
    for (size_t i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        if (name_rank(s) > best && !strcmp(s->name, name)) {
            best = name_rank(s);
            found = (i32)i;
        }
    }
    return found;
}

/* Whether the symbol names a place; mapping symbols ($x, $d) only mark code and data. */
static bool is_label(const ObjSymbol *s) { return is_place(s) && *s->name && *s->name != '$'; }

/* Whether `a` is the better name for a place: functions are, then global symbols, then the first
 * one. */
static bool names_better(const ObjSymbol *a, const ObjSymbol *b)
{
    if (!b || a->value != b->value)
        return !b || a->value > b->value;
    if ((a->type == STT_FUNC) != (b->type == STT_FUNC))
        return a->type == STT_FUNC;
    return a->bind != STB_LOCAL && b->bind == STB_LOCAL;
}

const char *obj_symbol_at(const Object *o, i32 section, u32 addr, u64 *past)
{
    const ObjSymbol *best = NULL;
    for (size_t i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        bool here = section < 0 ? s->section >= 0 : s->section == section;
        if (here && is_label(s) && s->value <= addr && names_better(s, best))
            best = s;
    }
    if (!best)
        return NULL;
    *past = addr - best->value;
    return best->name;
}

/* --- relocations --------------------------------------------------------- */

static const RelocInfo rows[] = {
#define RELOC(number, name, value, field) [number] = {#name, VALUE_##value, FIELD_##field},
#include "obj/reloc.def"
};

const RelocInfo *reloc_info(u32 type)
{
    return type < countof(rows) && rows[type].name ? &rows[type] : NULL;
}

const char *obj_reloc_name(u32 type)
{
    const RelocInfo *info = reloc_info(type);
    return info ? info->name : NULL;
}
