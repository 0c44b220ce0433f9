/* kernelinfo.c -- the table of kernels as JSON in the section .ventus.kernels. */
#include "obj/kernelinfo.h"
#include "isa/abi.h"
#include "base/mem.h"
#include <elf.h>
#include <jansson.h>
#include <string.h>

static const char section_name[] = ".ventus.kernels";
static const char *const kind_name[] = {"value", "global", "constant", "local"};
enum { VERSION_READ = 1, MAX_KERNELS = 65536, MAX_KERNEL_ARGS = 65536 };

/* --- reading ------------------------------------------------------------------------ */

static char *get_text(const json_t *o, const char *key, bool *ok)
{
    const json_t *v = json_object_get(o, key);
    *ok = *ok && (!v || json_is_string(v));
    char *copy = mem_strdup(v && *ok ? json_string_value(v) : "");
    *ok = *ok && copy;
    return copy;
}

static u64 get_number(const json_t *o, const char *key, u64 max, bool *ok)
{
    const json_t *v = json_object_get(o, key);
    const json_int_t n = json_integer_value(v);
    *ok = *ok && (!v || (json_is_integer(v) && n >= 0 && (u64)n <= max));
    return *ok ? (u64)n : 0;
}

static bool get_flag(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}

static void get_triple(const json_t *o, const char *key, u32 n[3], bool *ok)
{
    const json_t *v = json_object_get(o, key);
    if (!v)
        return;
    *ok = *ok && json_array_size(v) == 3;
    for (size_t i = 0; i < 3; i++) {
        const json_int_t x = json_integer_value(json_array_get(v, i));
        *ok = *ok && x >= 0 && x <= UINT32_MAX;
        n[i] = *ok ? (u32)x : 0;
    }
}

static bool read_arg(const json_t *o, KernelArg *a)
{
    bool ok = json_is_object(o);
    a->name = get_text(o, "name", &ok);
    a->type = get_text(o, "type", &ok);
    char *kind = get_text(o, "kind", &ok);
    size_t k = 0;
    while (kind && k < countof(kind_name) && strcmp(kind, kind_name[k]))
        k++;
    mem_free(kind);
    a->kind = (KernelArgKind)k;
    a->size = (u32)get_number(o, "size", ABI_ARGS_MOST, &ok);
    a->align = (u32)get_number(o, "align", 65536, &ok);
    a->pointee_align = (u32)get_number(o, "pointee_align", 65536, &ok);
    a->is_const = get_flag(o, "const");
    a->is_restrict = get_flag(o, "restrict");
    a->is_volatile = get_flag(o, "volatile");
    return ok && k < countof(kind_name) && is_pow2(a->align);
}

static bool read_kernel(const json_t *o, KernelInfo *k)
{
    bool ok = json_is_object(o);
    k->name = get_text(o, "name", &ok);
    k->attributes = get_text(o, "attributes", &ok);
    k->vec_hint = get_text(o, "vec_hint", &ok);
    k->silent = get_flag(o, "silent");
    get_triple(o, "reqd_local", k->reqd_local, &ok);
    get_triple(o, "local_hint", k->local_hint, &ok);
    const json_t *args = json_object_get(o, "args");
    const size_t n = json_array_size(args);
    ok = ok && n <= MAX_KERNEL_ARGS;
    k->args = ok ? mem_zalloc(n + 1, sizeof *k->args) : NULL;
    for (size_t i = 0; k->args && i < n; i++) {
        k->nargs = i + 1;
        ok = read_arg(json_array_get(args, i), &k->args[i]) && ok;
    }
    return ok && k->args;
}

static bool read_table(const json_t *o, KernelTable *t)
{
    bool ok = json_is_object(o) && get_number(o, "version", VERSION_READ, &(bool){true});
    t->globals_size = get_number(o, "globals_size", UINT32_MAX, &ok);
    t->options = get_text(o, "options", &ok);
    const json_t *kernels = json_object_get(o, "kernels");
    const size_t n = json_array_size(kernels);
    ok = ok && n <= MAX_KERNELS;
    t->kernels = ok ? mem_zalloc(n + 1, sizeof *t->kernels) : NULL;
    for (size_t i = 0; t->kernels && i < n; i++) {
        t->nkernels = i + 1;
        ok = read_kernel(json_array_get(kernels, i), &t->kernels[i]) && ok;
    }
    return ok && t->kernels;
}

bool kernelinfo_read(const Object *image, KernelTable *t, Diag *d)
{
    const Source src = {.name = image->name, .text = ""};
    const i32 index = obj_find_section(image, section_name);
    *t = (KernelTable){0};
    if (index < 0)
        return false;
    const Buf *data = &image->sections[index].data;
    json_error_t why;
    json_t *root = json_loadb(buf_text(data), data->len, 0, &why);
    const bool ok = root && read_table(root, t);
    json_decref(root);
    if (ok)
        return true;
    error(d, &src, NULL, "%s is malformed%s%s", section_name, root ? "" : ": ",
          root ? "" : why.text);
    kernelinfo_free(t);
    return false;
}

static void free_kernel(KernelInfo *k)
{
    for (size_t i = 0; i < k->nargs; i++) {
        mem_free(k->args[i].name);
        mem_free(k->args[i].type);
    }
    mem_free(k->args);
    mem_free(k->name);
    mem_free(k->attributes);
    mem_free(k->vec_hint);
}

void kernelinfo_free(KernelTable *t)
{
    for (size_t i = 0; i < t->nkernels; i++)
        free_kernel(&t->kernels[i]);
    mem_free(t->kernels);
    mem_free(t->options);
    *t = (KernelTable){0};
}

const KernelInfo *kernelinfo_find(const KernelTable *t, const char *name)
{
    for (size_t i = 0; i < t->nkernels; i++)
        if (!strcmp(t->kernels[i].name, name))
            return &t->kernels[i];
    return NULL;
}

/* --- writing ---------------------------------------------------------------------------- */

static void put_text(json_t *o, const char *key, const char *text)
{
    if (text && *text)
        json_object_set_new(o, key, json_string(text));
}

static void put_number(json_t *o, const char *key, u64 n)
{
    if (n)
        json_object_set_new(o, key, json_integer((json_int_t)n));
}

static void put_flag(json_t *o, const char *key, bool set)
{
    if (set)
        json_object_set_new(o, key, json_true());
}

static void put_triple(json_t *o, const char *key, const u32 n[3])
{
    if (n[0] || n[1] || n[2])
        json_object_set_new(
            o, key, json_pack("[III]", (json_int_t)n[0], (json_int_t)n[1], (json_int_t)n[2]));
}

static json_t *arg_json(const KernelArg *a)
{
    json_t *o = json_object();
    put_text(o, "name", a->name);
    put_text(o, "type", a->type);
    put_text(o, "kind", kind_name[a->kind]);
    put_number(o, "size", a->size);
    put_number(o, "align", a->align);
    put_number(o, "pointee_align", a->pointee_align);
    put_flag(o, "const", a->is_const);
    put_flag(o, "restrict", a->is_restrict);
    put_flag(o, "volatile", a->is_volatile);
    return o;
}

static json_t *kernel_json(const KernelInfo *k)
{
    json_t *o = json_object(), *args = json_array();
    put_text(o, "name", k->name);
    put_text(o, "attributes", k->attributes);
    put_text(o, "vec_hint", k->vec_hint);
    put_flag(o, "silent", k->silent);
    put_triple(o, "reqd_local", k->reqd_local);
    put_triple(o, "local_hint", k->local_hint);
    for (size_t i = 0; i < k->nargs; i++)
        json_array_append_new(args, arg_json(&k->args[i]));
    json_object_set_new(o, "args", args);
    return o;
}

bool kernelinfo_add(Object *o, const KernelTable *t)
{
    json_t *root = json_object(), *kernels = json_array();
    put_number(root, "version", VERSION_READ);
    for (size_t i = 0; i < t->nkernels; i++)
        json_array_append_new(kernels, kernel_json(&t->kernels[i]));
    json_object_set_new(root, "kernels", kernels);
    put_number(root, "globals_size", t->globals_size);
    put_text(root, "options", t->options);
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    const i32 index = text ? obj_add_section(o, section_name, SHT_PROGBITS, 0, 1) : -1;
    if (index >= 0) {
        ObjSection *s = &o->sections[index];
        buf_str(&s->data, text);
        s->size = (u32)s->data.len;
    }
    free(text);
    return index >= 0 && !o->sections[index].data.failed;
}
