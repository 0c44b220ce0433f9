/* program.c -- a file of any kind as an object or an image. */
#include "tool/tool.h"
#include "asm/asm.h"
#include "link/link.h"
#include <string.h>

/* gen/crt0.c, made by the build from lib/crt0.s */
extern const unsigned char crt0_object[];
extern const size_t crt0_object_size;

static bool is_elf(const Buf *b) { return b->len >= 4 && !memcmp(b->data, "\177ELF", 4); }

static const char *shown(const char *file) { return strcmp(file, "-") ? file : "<stdin>"; }

/* a file without a mark is of the profile that the options say */
static Object *read_object(const char *name, const Buf *b, IsaSet set, Diag *d)
{
    Object *o = NULL;
    if (obj_read(name, b->data, b->len, d, &o) && o->set == V202)
        o->set = set;
    return o;
}

Object *load_object(const char *file, IsaSet set, Diag *d)
{
    Buf b = {0};
    Object *o = NULL;
    if (has_suffix(file, ".cl"))
        error(d, &(Source){.name = file, .text = ""}, NULL,
              "this build has no compiler of OpenCL C; assemble by hand or give an object");
    else if (!read_file(file, &b, d))
        ;
    else if (is_elf(&b))
        o = read_object(shown(file), &b, set, d);
    else if (strlen(buf_text(&b)) != b.len)
        error(d, &(Source){.name = shown(file), .text = ""}, NULL, "neither ELF nor a text");
    else
        o = asm_text(shown(file), buf_text(&b), &(AsmOptions){.set = set}, d);
    buf_free(&b);
    return o;
}

Object *load_crt0(Diag *d)
{
    Object *o = NULL;
    obj_read("crt0.o", crt0_object, crt0_object_size, d, &o);
    return o;
}

static Object *link_with_crt0(const char *file, const Object *o, Diag *d)
{
    Object *crt0 = load_crt0(d);
    const Object *both[] = {crt0, o};
    const LinkOptions opt = {.output = shown(file)};
    Object *image = crt0 ? link_objects(both, 2, &opt, d) : NULL;
    obj_free(crt0);
    return image;
}

Object *load_image(const char *file, IsaSet set, Diag *d)
{
    Object *o = load_object(file, set, d);
    if (!o || o->is_image)
        return o;
    Object *image = link_with_crt0(file, o, d);
    obj_free(o);
    return image;
}
