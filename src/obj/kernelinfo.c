/* kernelinfo.c -- the table of kernels as JSON in the section .ventus.kernels. */
#include "obj/kernelinfo.h"
#include "obj/optionwords.h"
#include "isa/abi.h"
#include "base/mem.h"
#include <elf.h>
#include <jansson.h>
#include <string.h>

static const char section_name[] = ".ventus.kernels";
static const char *const kind_name[] = {"value", "global",  "constant", "local",
                                        "image", "sampler", "pipe"};
static const char *const access_name[] = {"", "read_only", "write_only", "read_write"};
enum { VERSION_READ = 1, MAX_KERNELS = 65536, MAX_KERNEL_ARGS = 65536 };

/* --- reading ------------------------------------------------------------------------ */

/* What became of the table so far. */
typedef struct {
    bool ok, no_memory;
} Reading;

static char *get_text(const json_t *o, const char *key, Reading *r)
{
    const json_t *v = json_object_get(o, key);
    r->ok = r->ok && (!v || json_is_string(v));
    char *copy = mem_strdup(v && r->ok ? json_string_value(v) : "");
    r->no_memory |= !copy;
    r->ok = r->ok && copy;
    return copy;
}

/* n of `size` bytes each, or none if the table is bad */
static void *get_array(size_t n, size_t size, Reading *r)
{
    void *a = r->ok ? mem_zalloc(n + 1, size) : NULL;
    r->no_memory |= r->ok && !a;
    r->ok = r->ok && a;
    return a;
}

static u64 get_number(const json_t *o, const char *key, u64 max, Reading *r)
{
    const json_t *v = json_object_get(o, key);
    const json_int_t n = json_integer_value(v);
    r->ok = r->ok && (!v || (json_is_integer(v) && n >= 0 && (u64)n <= max));
    return r->ok ? (u64)n : 0;
}

static bool get_flag(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}

static void get_triple(const json_t *o, const char *key, u32 n[3], Reading *r)
{
    const json_t *v = json_object_get(o, key);
    if (!v)
        return;
    r->ok = r->ok && json_array_size(v) == 3;
    for (size_t i = 0; i < 3; i++) {
        const json_int_t x = json_integer_value(json_array_get(v, i));
        r->ok = r->ok && x >= 0 && x <= UINT32_MAX;
        n[i] = r->ok ? (u32)x : 0;
    }
}

static void read_arg(const json_t *o, KernelArg *a, Reading *r)
{
    r->ok = r->ok && json_is_object(o);
    a->name = get_text(o, "name", r);
    a->type = get_text(o, "type", r);
    char *kind = get_text(o, "kind", r);
    size_t k = 0;
    while (kind && k < countof(kind_name) && strcmp(kind, kind_name[k]))
        k++;
    mem_free(kind);
    a->kind = (KernelArgKind)k;
    a->size = (u32)get_number(o, "size", ABI_ARGS_MOST, r);
    a->align = (u32)get_number(o, "align", 65536, r);
    a->pointee_align = (u32)get_number(o, "pointee_align", 65536, r);
    a->is_const = get_flag(o, "const");
    a->is_restrict = get_flag(o, "restrict");
    a->is_volatile = get_flag(o, "volatile");
    char *access = get_text(o, "access", r);
    while (access && a->access < IMAGE_READ_WRITE && strcmp(access, access_name[a->access]))
        a->access++;
    r->ok = r->ok && !strcmp(access, access_name[a->access]);
    mem_free(access);
    r->ok = r->ok && k < countof(kind_name) && is_pow2(a->align);
}

static void read_local(const json_t *o, KernelLocal *l, Reading *r)
{
    r->ok = r->ok && json_is_object(o);
    l->name = get_text(o, "name", r);
    l->offset = (u32)get_number(o, "offset", UINT32_MAX, r);
    l->size = (u32)get_number(o, "size", UINT32_MAX, r);
}

static void read_kernel(const json_t *o, KernelInfo *k, Reading *r)
{
    r->ok = r->ok && json_is_object(o);
    k->name = get_text(o, "name", r);
    k->attributes = get_text(o, "attributes", r);
    k->vec_hint = get_text(o, "vec_hint", r);
    k->silent = get_flag(o, "silent");
    k->ungrouped = get_flag(o, "ungrouped");
    get_triple(o, "reqd_local", k->reqd_local, r);
    get_triple(o, "local_hint", k->local_hint, r);
    const json_t *args = json_object_get(o, "args");
    const size_t n = json_array_size(args);
    r->ok = r->ok && n <= MAX_KERNEL_ARGS;
    k->args = get_array(n, sizeof *k->args, r);
    for (; k->args && k->nargs < n; k->nargs++)
        read_arg(json_array_get(args, k->nargs), &k->args[k->nargs], r);
    const json_t *locals = json_object_get(o, "locals");
    const size_t nlocals = json_array_size(locals);
    r->ok = r->ok && nlocals <= MAX_KERNELS;
    k->locals = get_array(nlocals, sizeof *k->locals, r);
    for (; k->locals && k->nlocals < nlocals; k->nlocals++)
        read_local(json_array_get(locals, k->nlocals), &k->locals[k->nlocals], r);
}

static void read_table(const json_t *o, KernelTable *t, Reading *r)
{
    r->ok = json_is_object(o) && get_number(o, "version", VERSION_READ, &(Reading){.ok = true});
    t->globals_size = get_number(o, "globals_size", UINT32_MAX, r);
    t->options = get_text(o, "options", r);
    const json_t *kernels = json_object_get(o, "kernels");
    const size_t n = json_array_size(kernels);
    r->ok = r->ok && n <= MAX_KERNELS;
    t->kernels = get_array(n, sizeof *t->kernels, r);
    for (; t->kernels && t->nkernels < n; t->nkernels++)
        read_kernel(json_array_get(kernels, t->nkernels), &t->kernels[t->nkernels], r);
}

static void free_kernel(KernelInfo *k)
{
    for (size_t i = 0; i < k->nargs; i++) {
        mem_free(k->args[i].name);
        mem_free(k->args[i].type);
    }
    for (size_t i = 0; i < k->nlocals; i++)
        mem_free(k->locals[i].name);
    mem_free(k->locals);
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

/* Appends a part, whose memory goes over to the table or is freed. */
static void append(KernelTable *t, KernelTable *part, Reading *r)
{
    const size_t n = t->nkernels + part->nkernels;
    KernelInfo *all = get_array(n, sizeof *all, r);
    if (!all) {
        kernelinfo_free(part);
        return;
    }
    if (t->nkernels)
        memcpy(all, t->kernels, t->nkernels * sizeof *all);
    if (part->nkernels)
        memcpy(all + t->nkernels, part->kernels, part->nkernels * sizeof *all);
    mem_free(t->kernels);
    mem_free(part->kernels);
    if (t->options)
        mem_free(part->options);
    *t = (KernelTable){all, n, t->globals_size + part->globals_size,
                       t->options ? t->options : part->options};
}

/* An image has a table of each object that it was linked from, one behind the other. */
bool kernelinfo_read(const Object *image, KernelTable *t, Diag *d)
{
    const Source src = {.name = image->name, .text = ""};
    const i32 index = obj_find_section(image, section_name);
    *t = (KernelTable){0};
    if (index < 0)
        return false;
    const Buf *data = &image->sections[index].data;
    json_error_t why = {.text = ""};
    Reading r = {.ok = true};
    size_t at = 0;
    do {
        KernelTable part = {0};
        json_t *root =
            json_loadb(buf_text(data) + at, data->len - at, JSON_DISABLE_EOF_CHECK, &why);
        r.ok = root != NULL;
        if (root)
            read_table(root, &part, &r);
        json_decref(root);
        append(t, &part, &r);
        if (!root)
            break;
        for (at += (size_t)why.position; at < data->len && strchr(" \n", data->data[at]);)
            at++;
    } while (r.ok && at < data->len);
    if (r.ok)
        return true;
    if (r.no_memory)
        diag_no_memory(d, &src);
    else
        error(d, &src, NULL, "%s is malformed%s%s", section_name, *why.text ? ": " : "", why.text);
    kernelinfo_free(t);
    return false;
}

const KernelInfo *kernelinfo_find(const KernelTable *t, const char *name)
{
    for (size_t i = 0; i < t->nkernels; i++)
        if (!strcmp(t->kernels[i].name, name))
            return &t->kernels[i];
    return NULL;
}

bool kernelinfo_allows_partial(const char *options)
{
    Buf version = {0};
    const bool is_later =
        options_have(options, "-cl-std=", &version) &&
        (!strncmp(buf_text(&version), "CL2", 3) || !strncmp(buf_text(&version), "CL3", 3));
    buf_free(&version);
    return is_later && !options_have(options, "-cl-uniform-work-group-size", NULL);
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
    put_text(o, "access", access_name[a->access]);
    return o;
}

static json_t *kernel_json(const KernelInfo *k)
{
    json_t *o = json_object(), *args = json_array();
    put_text(o, "name", k->name);
    put_text(o, "attributes", k->attributes);
    put_text(o, "vec_hint", k->vec_hint);
    put_flag(o, "silent", k->silent);
    put_flag(o, "ungrouped", k->ungrouped);
    put_triple(o, "reqd_local", k->reqd_local);
    put_triple(o, "local_hint", k->local_hint);
    for (size_t i = 0; i < k->nargs; i++)
        json_array_append_new(args, arg_json(&k->args[i]));
    json_object_set_new(o, "args", args);
    json_t *locals = json_array();
    for (size_t i = 0; i < k->nlocals; i++) {
        json_t *l = json_object();
        put_text(l, "name", k->locals[i].name);
        put_number(l, "offset", k->locals[i].offset);
        put_number(l, "size", k->locals[i].size);
        json_array_append_new(locals, l);
    }
    if (k->nlocals)
        json_object_set_new(o, "locals", locals);
    else
        json_decref(locals);
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
