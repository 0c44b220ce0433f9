/* signature.c -- the arguments of -a against the table of kernels. */
#include "tool/signature.h"
#include "tool/imagespec.h"
#include <string.h>

static const char *const space[] = {
    [ARG_VALUE] = "",       [ARG_GLOBAL] = "global ", [ARG_CONSTANT] = "constant ",
    [ARG_LOCAL] = "local ", [ARG_IMAGE] = "",         [ARG_SAMPLER] = "",
    [ARG_PIPE] = "pipe "};

static void put_parameter(Buf *b, const KernelArg *a)
{
    buf_printf(b, "%s%s%s%s%s", space[a->kind],
               a->is_const && a->kind != ARG_CONSTANT ? "const " : "", a->type, *a->name ? " " : "",
               a->name);
}

static bool wrong_number(const KernelInfo *k, const Source *src, size_t given, Diag *d)
{
    Buf list = {0};
    for (size_t i = 0; i < k->nargs; i++) {
        buf_str(&list, i ? ", " : "");
        put_parameter(&list, &k->args[i]);
    }
    error(d, src, NULL, "%s takes %zu argument%s, %zu %s given: %s(%.400s)", k->name, k->nargs,
          k->nargs == 1 ? "" : "s", given, given == 1 ? "is" : "are", k->name, buf_text(&list));
    buf_free(&list);
    return false;
}

static const char *image_mismatch(const KernelArg *k, const Arg *a)
{
    static const char *const sizes[] = {"", "has one dimension: img:W[:FORMAT]",
                                        "has two dimensions: img:WxH[:FORMAT] or img:FILE",
                                        "has three dimensions: img:WxHxD[:FORMAT]"};
    bool layers;
    const u32 dims = image_dims(k->type, &layers);
    if (a->kind != SPEC_IMAGE)
        return "is an image: img:FILE or img:WxH[:FORMAT]";
    return !dims || a->dims == dims ? NULL : sizes[dims];
}

/* what is wrong with a, or NULL */
static const char *mismatch(const KernelArg *k, const Arg *a)
{
    if (k->kind == ARG_IMAGE)
        return image_mismatch(k, a);
    if (a->kind == SPEC_IMAGE)
        return "is no image";
    if (k->kind == ARG_PIPE)
        return "is a pipe, which only hosts that use OpenCL can make";
    if (k->kind == ARG_LOCAL)
        return a->kind == SPEC_LOCAL ? NULL : "is local memory: local:BYTES";
    if (a->kind == SPEC_LOCAL)
        return "is not local memory";
    if (!arg_is_pointer(k))
        return a->kind == SPEC_BUFFER ? "is a value, not a buffer" : NULL;
    const bool is_address = a->kind == SPEC_VALUE && !a->is_struct && a->size == k->size &&
                            (a->type.kind == 'u' || !memcmp(a->bytes, (u8[8]){0}, a->size));
    return a->kind == SPEC_BUFFER || is_address
               ? NULL
               : "is a pointer: buf:TYPE:COUNT, or u32:ADDRESS for an address of the device";
}

static bool is_float(const char *type) { return !strncmp(type, "float", 5); }

static bool is_integer(const char *type)
{
    static const char *const names[] = {"char", "uchar", "short", "ushort", "int",
                                        "uint", "long",  "ulong", "size_t"};
    const size_t len = strcspn(type, "0123456789*");
    for (size_t i = 0; i < countof(names); i++)
        if (strlen(names[i]) == len && !strncmp(type, names[i], len))
            return true;
    return false;
}

static bool check_one(const KernelArg *k, const Arg *a, size_t number, const char *spec,
                      const Source *src, Diag *d)
{
    const char *wrong = mismatch(k, a);
    Buf name = {0};
    put_parameter(&name, k);
    if (wrong)
        error(d, src, NULL, "argument %zu (%s) %s; it is given %s", number, buf_text(&name), wrong,
              spec);
    else if (!arg_is_pointer(k) && k->kind != ARG_IMAGE && a->size != k->size)
        error(d, src, NULL, "argument %zu (%s) has %u bytes; %s has %llu", number, buf_text(&name),
              k->size, spec, (unsigned long long)a->size);
    else if (a->is_struct || !(a->type.kind == 'f' ? is_integer(k->type) : is_float(k->type)))
        ;
    else if (a->kind == SPEC_BUFFER)
        warning(d, src, NULL, "argument %zu (%s) holds %s, and %s fills and prints it with %s",
                number, buf_text(&name), a->type.kind == 'f' ? "integers" : "floats", spec,
                a->type.kind == 'f' ? "floats" : "integers");
    else if (k->kind == ARG_VALUE)
        warning(d, src, NULL, "argument %zu (%s) gets the bits of %s", number, buf_text(&name),
                spec);
    buf_free(&name);
    return !diag_errors(d);
}

bool signature_check(const KernelInfo *k, const char *file, const Arg *args,
                     const char *const *specs, size_t nargs, Diag *d)
{
    const Source src = {.name = file, .text = ""};
    bool ok = true;
    if (nargs != k->nargs)
        return wrong_number(k, &src, nargs, d);
    for (size_t i = 0; i < nargs; i++)
        ok = check_one(&k->args[i], &args[i], i, specs[i], &src, d) && ok;
    return ok;
}
