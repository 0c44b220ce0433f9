/* resource.c -- resource records of every form, read and written.
 *
 *     .ventus.resource.<kernel>    56 bytes: version, flags, six u64
 *                                   8 bytes: four u16
 *     .rodata.ventus.resource      four u16 a kernel, in the order of definition
 *     .rodata, not loaded          the same, in the oldest files
 */
#include "obj/resource.h"
#include <elf.h>
#include <string.h>

#define PREFIX_ ".ventus.resource."

enum { SHORT_SIZE = 8, LONG_SIZE = 56 };

const char *resource_kernel(const ObjSection *s)
{
    const size_t len = strlen(PREFIX_);
    return strncmp(s->name, PREFIX_, len) ? NULL : s->name + len;
}

static u64 get(const u8 *p, int bytes)
{
    u64 v = 0;
    for (int i = bytes; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static void put(Buf *b, u64 v, int bytes)
{
    for (int i = 0; i < bytes; i++, v >>= 8)
        buf_put(b, &(u8){(u8)v}, 1);
}

/* --- one record ---------------------------------------------------------- */

/* The compilers that write short records know nothing of stacks. */
static Resource from_short(const u8 *p)
{
    return (Resource){.form = RES_SHORT,
                      .vgpr = get(p, 2),
                      .sgpr = get(p + 2, 2),
                      .lds_static = get(p + 4, 2),
                      .pds_static = get(p + 6, 2),
                      .lds_stack = UINT64_MAX,
                      .pds_stack = UINT64_MAX};
}

static Resource from_long(const u8 *p)
{
    return (Resource){.form = RES_LONG,
                      .version = (u32)get(p, 4),
                      .flags = (u32)get(p + 4, 4),
                      .vgpr = get(p + 8, 8),
                      .sgpr = get(p + 16, 8),
                      .lds_static = get(p + 24, 8),
                      .pds_static = get(p + 32, 8),
                      .lds_stack = get(p + 40, 8),
                      .pds_stack = get(p + 48, 8)};
}

static bool read_own_section(const Object *o, const ObjSection *s, Resource *r, Diag *d)
{
    const Source src = {.name = o->name};
    if (s->data.len == SHORT_SIZE) {
        *r = from_short(s->data.data);
        return true;
    }
    if (s->data.len != LONG_SIZE) {
        error(d, &src, NULL, "%s: a resource record of %zu bytes; it has %d or %d", s->name,
              s->data.len, SHORT_SIZE, LONG_SIZE);
        return false;
    }
    *r = from_long(s->data.data);
    if (r->version == 2 || r->version == 3)
        return true;
    error(d, &src, NULL, "%s: resource record of version %u; 2 and 3 are known", s->name,
          r->version);
    return false;
}

/* --- records without names ----------------------------------------------- */

static const ObjSection *find_shared_section(const Object *o)
{
    const ObjSection *found = NULL;
    for (size_t i = 0; i < o->nsections; i++) {
        const ObjSection *s = &o->sections[i];
        if (!strcmp(s->name, ".rodata.ventus.resource"))
            return s;
        if (!strcmp(s->name, ".rodata") && !(s->flags & SHF_ALLOC) && s->data.len &&
            s->data.len % SHORT_SIZE == 0)
            found = s;
    }
    return found;
}

/* Global functions with a size, and a name that is neither reserved nor mangled,
 * are the kernels of such files; helpers of the program look the same. */
static bool may_be_kernel(const ObjSymbol *s)
{
    return s->type == STT_FUNC && s->bind != STB_LOCAL && s->section >= 0 && s->size &&
           s->name[0] != '_';
}

/* How many candidates there are, and how many come before `kernel`. */
static size_t count_kernels(const Object *o, const ObjSymbol *kernel, size_t *before)
{
    size_t n = 0;
    *before = 0;
    for (size_t i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        if (!may_be_kernel(s))
            continue;
        n++;
        *before += s->section < kernel->section ||
                   (s->section == kernel->section && s->value < kernel->value);
    }
    return n;
}

static Resource read_shared_section(const Object *o, const ObjSection *s, const ObjSymbol *kernel)
{
    const size_t n = s->data.len / SHORT_SIZE;
    size_t place;
    if (count_kernels(o, kernel, &place) == n)
        return from_short(s->data.data + place * SHORT_SIZE);
    Resource all = from_short(s->data.data);
    for (size_t i = 1; i < n; i++) {
        Resource r = from_short(s->data.data + i * SHORT_SIZE);
        all = resource_merge(&all, &r);
    }
    return all;
}

/* --- the interface ------------------------------------------------------- */

bool resource_read(const Object *o, const char *name, Resource *r, Diag *d)
{
    const Source src = {.name = o->name};
    *r = (Resource){.form = RES_NONE};
    for (size_t i = 0; i < o->nsections; i++) {
        const char *kernel = resource_kernel(&o->sections[i]);
        if (kernel && !strcmp(kernel, name))
            return read_own_section(o, &o->sections[i], r, d);
    }
    const ObjSection *s = find_shared_section(o);
    const i32 symbol = obj_find_symbol(o, name);
    if (!s || symbol < 0 || !may_be_kernel(&o->symbols[symbol]))
        return true;
    if (!s->data.len || s->data.len % SHORT_SIZE) {
        error(d, &src, NULL, "%s: resource records in %zu bytes; each has %d", s->name, s->data.len,
              SHORT_SIZE);
        return false;
    }
    *r = read_shared_section(o, s, &o->symbols[symbol]);
    return true;
}

bool resource_add(Object *o, const char *name, const Resource *r)
{
    Buf section = {0};
    buf_printf(&section, PREFIX_ "%s", name);
    const i32 at = section.failed ? -1 : obj_add_section(o, buf_text(&section), SHT_PROGBITS, 0, 8);
    buf_free(&section);
    if (at < 0)
        return false;
    ObjSection *s = &o->sections[at];
    const u64 numbers[] = {r->vgpr,       r->sgpr,      r->lds_static,
                           r->pds_static, r->lds_stack, r->pds_stack};
    put(&s->data, 3, 4);
    put(&s->data, r->flags, 4);
    for (size_t i = 0; i < countof(numbers); i++)
        put(&s->data, numbers[i], 8);
    s->size = LONG_SIZE;
    return !s->data.failed;
}

static u64 larger(u64 a, u64 b) { return a > b ? a : b; }

Resource resource_merge(const Resource *a, const Resource *b)
{
    return (Resource){.form = a->form > b->form ? a->form : b->form,
                      .version = a->version > b->version ? a->version : b->version,
                      .flags = a->flags | b->flags,
                      .vgpr = larger(a->vgpr, b->vgpr),
                      .sgpr = larger(a->sgpr, b->sgpr),
                      .lds_static = larger(a->lds_static, b->lds_static),
                      .pds_static = larger(a->pds_static, b->pds_static),
                      .lds_stack = larger(a->lds_stack, b->lds_stack),
                      .pds_stack = larger(a->pds_stack, b->pds_stack)};
}
